package storage

import (
	"strings"

	"github.com/digital-asset-library/dal/app/dam"
)

const webhookColumns = `w.id, w.user_id, w.token_id, w.url, w.events, w.description, w.status, w.disabled_reason, w.secret, w.failures,
	w.succeeded_at, w.created_at, w.updated_at, w.skip_enrichment`

func scanWebhook(r row) (*dam.Webhook, error) {
	var w dam.Webhook
	var events string
	err := r.Scan(&w.ID, &w.UserID, refCol{&w.TokenID}, &w.URL, &events, &w.Description, &w.Status, &w.DisabledReason, &w.Secret, &w.Failures,
		optTimeCol{&w.SucceededAt}, timeCol{&w.CreatedAt}, timeCol{&w.UpdatedAt}, &w.SkipEnrichment)
	for t := range strings.SplitSeq(events, ",") {
		w.Events = append(w.Events, dam.EventType(t))
	}
	return &w, wrap(err, "Webhook")
}

func joinEvents(types []dam.EventType) string {
	names := make([]string, len(types))
	for i, t := range types {
		names[i] = string(t)
	}
	return strings.Join(names, ",")
}

// InsertWebhook adds w and sets its ID.
func (tx *Tx) InsertWebhook(w *dam.Webhook) (err error) {
	w.CreatedAt, w.UpdatedAt = tx.now, tx.now
	w.ID, err = one[int64](tx, "Webhook", `INSERT INTO webhooks
		(user_id, token_id, url, events, description, status, secret, created_at, updated_at, skip_enrichment)
		VALUES (?1,?8,?2,?3,?4,?5,?6,?7,?7,?9) RETURNING id`,
		w.UserID, w.URL, joinEvents(w.Events), w.Description, w.Status, w.Secret, msec(tx.now), ref(w.TokenID), w.SkipEnrichment)
	return err
}

// Webhook returns a webhook by its ID.
func (tx *Tx) Webhook(id int64) (*dam.Webhook, error) {
	return scanWebhook(tx.tx.QueryRowContext(tx.ctx, `SELECT `+webhookColumns+` FROM webhooks w WHERE id = ?`, id))
}

// Webhooks returns the webhooks of a user, or of all users when user is 0, newest first,
// and their total number.
func (tx *Tx) Webhooks(user int64, p dam.Page) ([]*dam.Webhook, int, error) {
	total, err := tx.CountWebhooks(user)
	if err != nil {
		return nil, 0, err
	}
	hooks, err := list(tx, scanWebhook, `SELECT `+webhookColumns+` FROM webhooks w WHERE ?1 IN (0, user_id)
		ORDER BY id DESC LIMIT ?2 OFFSET ?3`, user, p.Limit, p.Offset)
	return hooks, total, err
}

// CountWebhooks returns the number of webhooks of a user, or of all users when user is 0.
func (tx *Tx) CountWebhooks(user int64) (int, error) {
	return one[int](tx, "", `SELECT count(*) FROM webhooks WHERE ?1 IN (0, user_id)`, user)
}

// Subscribers returns the webhooks for which events are queued, by ID: all except
// inactive ones, those of disabled users and those that have ended with their token.
func (tx *Tx) Subscribers() ([]*dam.Webhook, error) {
	return list(tx, scanWebhook, `SELECT `+webhookColumns+` FROM webhooks w JOIN users u ON u.id = w.user_id
		WHERE w.status <> 'inactive' AND u.disabled_at IS NULL AND `+tokenLives+` ORDER BY w.id`, msec(tx.now))
}

// tokenLives is the condition that a webhook w does not depend on a token, or that its
// token exists and has not expired at the time ?1.
const tokenLives = `(w.token_id IS NULL OR EXISTS (SELECT 1 FROM tokens t WHERE t.id = w.token_id
	AND (t.expires_at IS NULL OR t.expires_at > ?1)))`

// EndedWebhooks returns the webhooks that have ended with their token but are not yet
// disabled for that reason.
func (tx *Tx) EndedWebhooks() ([]*dam.Webhook, error) {
	return list(tx, scanWebhook, `SELECT `+webhookColumns+` FROM webhooks w WHERE w.token_id IS NOT NULL AND w.status <> 'inactive'
		AND w.disabled_reason NOT IN (?2, ?3) AND NOT `+tokenLives+`
			ORDER BY w.id`, msec(tx.now), dam.WebhookTokenRevoked, dam.WebhookTokenExpired)
}

// UpdateWebhook writes the editable fields of w, its secret and the time of the change.
func (tx *Tx) UpdateWebhook(w *dam.Webhook) error {
	w.UpdatedAt = tx.now
	if err := tx.must("Webhook", `UPDATE webhooks SET url = ?, events = ?, description = ?, secret = ?, token_id = ?, updated_at = ?,
		skip_enrichment = ? WHERE id = ?`,
		w.URL, joinEvents(w.Events), w.Description, w.Secret, ref(w.TokenID), msec(tx.now), w.SkipEnrichment, w.ID); err != nil {
		return err
	}
	return tx.SetWebhookState(w)
}

// SetWebhookState writes the fields of w that deliveries change.
func (tx *Tx) SetWebhookState(w *dam.Webhook) error {
	return tx.must("Webhook", `UPDATE webhooks SET status = ?, disabled_reason = ?, failures = ?, succeeded_at = ? WHERE id = ?`,
		w.Status, w.DisabledReason, w.Failures, msecPtr(w.SucceededAt), w.ID)
}

// DeleteWebhook deletes a webhook with its deliveries.
func (tx *Tx) DeleteWebhook(id int64) error {
	return tx.must("Webhook", `DELETE FROM webhooks WHERE id = ?`, id)
}
