package storage

import (
	"time"

	"github.com/google/uuid"

	"github.com/digital-asset-library/dal/app/dam"
)

const (
	deliveryColumns = `d.id, d.uuid, d.webhook_id, d.event_id, e.uuid, e.type, d.origin, d.status, d.attempts,
		d.due_at, d.created_at, d.updated_at`
	deliveryTables = `webhook_deliveries d JOIN events e ON e.id = d.event_id`
	selectDelivery = `SELECT ` + deliveryColumns + ` FROM ` + deliveryTables
)

func scanDelivery(r row) (*dam.Delivery, error) {
	var d dam.Delivery
	err := r.Scan(&d.ID, &d.UUID, &d.WebhookID, &d.EventID, &d.EventUUID, &d.EventType, &d.Origin, &d.Status, jsonCol{&d.Attempts},
		optTimeCol{&d.DueAt}, timeCol{&d.CreatedAt}, timeCol{&d.UpdatedAt})
	return &d, wrap(err, "Delivery")
}

// InsertDelivery adds d and sets its ID and, unless already set, its UUID and creation
// time. An event that is already queued for the webhook is not queued again; d.ID is 0
// then.
func (tx *Tx) InsertDelivery(d *dam.Delivery) error {
	if d.UUID == "" {
		id, err := uuid.NewV7()
		if err != nil {
			return err
		}
		d.UUID = id.String()
	}
	attempts, err := jsonText(orNone(d.Attempts))
	if err != nil {
		return err
	}
	d.UpdatedAt = tx.now
	if d.CreatedAt.IsZero() {
		d.CreatedAt = tx.now
	}
	d.ID, err = one[int64](tx, "Delivery", `INSERT INTO webhook_deliveries
			(uuid, webhook_id, event_id, origin, status, attempts, due_at, created_at, updated_at)
		VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9) ON CONFLICT (webhook_id, event_id) WHERE origin = 'event' DO NOTHING RETURNING id`,
		d.UUID, d.WebhookID, d.EventID, d.Origin, d.Status, attempts, msecPtr(d.DueAt), msec(d.CreatedAt), msec(tx.now))
	if dam.KindOf(err) == dam.NotFound {
		err = nil
	}
	return err
}

func orNone(list []dam.DeliveryAttempt) []dam.DeliveryAttempt {
	if list == nil {
		return []dam.DeliveryAttempt{}
	}
	return list
}

// Delivery returns a delivery by its ID.
func (tx *Tx) Delivery(id int64) (*dam.Delivery, error) {
	return scanDelivery(tx.tx.QueryRowContext(tx.ctx, selectDelivery+` WHERE d.id = ?`, id))
}

// DeliveryOf returns a delivery of a webhook by its UUID.
func (tx *Tx) DeliveryOf(webhook int64, uuid string) (*dam.Delivery, error) {
	return scanDelivery(tx.tx.QueryRowContext(tx.ctx, selectDelivery+` WHERE d.uuid = ? AND d.webhook_id = ?`, uuid, webhook))
}

// Deliveries returns the deliveries of a webhook that match f, newest first, and their
// total number.
func (tx *Tx) Deliveries(webhook int64, f dam.DeliveryFilter, p dam.Page) ([]*dam.Delivery, int, error) {
	const from = ` FROM ` + deliveryTables + ` WHERE d.webhook_id = ?1 AND (?2 = '' OR d.status = ?2) AND (?3 = '' OR e.type = ?3)`
	total, err := one[int](tx, "", `SELECT count(*)`+from, webhook, f.Status, f.EventType)
	if err != nil {
		return nil, 0, err
	}
	all, err := list(tx, scanDelivery, `SELECT `+deliveryColumns+from+` ORDER BY d.id DESC LIMIT ?4 OFFSET ?5`,
		webhook, f.Status, f.EventType, p.Limit, p.Offset)
	return all, total, err
}

// SetDelivery writes the state and the attempts of a delivery.
func (tx *Tx) SetDelivery(d *dam.Delivery) error {
	attempts, err := jsonText(orNone(d.Attempts))
	if err != nil {
		return err
	}
	d.UpdatedAt = tx.now
	return tx.must("Delivery", `UPDATE webhook_deliveries SET status = ?, attempts = ?, due_at = ?, updated_at = ? WHERE id = ?`,
		d.Status, attempts, msecPtr(d.DueAt), msec(tx.now), d.ID)
}

// DueWebhook is a webhook with a due delivery.
type DueWebhook struct {
	ID       int64
	Failures int
}

// DueWebhooks returns the active webhooks with a due delivery, without those whose user
// is disabled or whose token has ended.
func (tx *Tx) DueWebhooks() ([]DueWebhook, error) {
	return list(tx, func(r row) (d DueWebhook, err error) { return d, r.Scan(&d.ID, &d.Failures) },
		`SELECT w.id, w.failures FROM webhooks w JOIN users u ON u.id = w.user_id
		WHERE w.status = 'active' AND u.disabled_at IS NULL AND `+tokenLives+`
			AND EXISTS (SELECT 1 FROM webhook_deliveries d WHERE d.webhook_id = w.id AND d.due_at <= ?1)`, msec(tx.now))
}

// DueDelivery is a due delivery with the type and subject of its event.
type DueDelivery struct {
	ID      int64
	Type    dam.EventType
	Subject string
}

// DueDeliveries returns up to limit due deliveries of a webhook, longest due first.
func (tx *Tx) DueDeliveries(webhook int64, limit int) ([]DueDelivery, error) {
	return list(tx, func(r row) (d DueDelivery, err error) { return d, r.Scan(&d.ID, &d.Type, &d.Subject) },
		`SELECT d.id, e.type, e.subject FROM `+deliveryTables+`
		WHERE d.webhook_id = ? AND d.due_at <= ? ORDER BY d.due_at, d.id LIMIT ?`, webhook, msec(tx.now), limit)
}

// GiveUpDeliveries fails up to limit deliveries that were queued before a time and still
// wait because their webhook is not active or its user is disabled. It records the reason
// and returns the number of deliveries.
func (tx *Tx) GiveUpDeliveries(before time.Time, reason string, limit int) (int64, error) {
	return tx.exec("", `UPDATE webhook_deliveries SET status = 'failed', due_at = NULL, updated_at = ?1,
			attempts = json_insert(CASE WHEN json_array_length(attempts) < ?2 THEN attempts ELSE json_remove(attempts, '$[0]') END,
				'$[#]', json_object('at', ?3, 'latency_ms', 0, 'error', ?4))
		WHERE id IN (SELECT d.id FROM webhook_deliveries d JOIN webhooks w ON w.id = d.webhook_id JOIN users u ON u.id = w.user_id
			WHERE d.due_at IS NOT NULL AND d.created_at < ?5 AND (w.status <> 'active' OR u.disabled_at IS NOT NULL)
			ORDER BY d.id LIMIT ?6)`,
		msec(tx.now), dam.MaxDeliveryAttempts, tx.now.Format(time.RFC3339Nano), reason, msec(before), limit)
}

// TrimDeliveries deletes up to limit deliveries that ended before a time and returns the
// number.
func (tx *Tx) TrimDeliveries(before time.Time, limit int) (int64, error) {
	return tx.exec("", `DELETE FROM webhook_deliveries WHERE id IN (SELECT id FROM webhook_deliveries
		WHERE due_at IS NULL AND updated_at < ? ORDER BY updated_at LIMIT ?)`, msec(before), limit)
}
