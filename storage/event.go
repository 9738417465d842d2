package storage

import (
	"time"

	"github.com/google/uuid"

	"github.com/digital-asset-library/dal/app/dam"
)

// InsertEvent appends to the outbox: subject is the resource's public id, data the
// resource after the change.
func (tx *Tx) InsertEvent(t dam.EventType, subject string, data any) error {
	_, err := tx.AddEvent(t, subject, data)
	return err
}

// InsertEnrichment is InsertEvent for an asset that was enriched in the background.
func (tx *Tx) InsertEnrichment(a *dam.Asset) error {
	e, err := tx.AddEvent(dam.AssetUpdated, string(a.GAID), a)
	if err == nil {
		err = tx.must("Event", `UPDATE events SET enrichment = 1 WHERE id = ?`, e.ID)
	}
	return err
}

const eventColumns = `id, uuid, type, subject, data, created_at, enrichment`

// AddEvent is InsertEvent, and returns the entry.
func (tx *Tx) AddEvent(t dam.EventType, subject string, data any) (*dam.Event, error) {
	text, err := jsonText(data)
	if err != nil {
		return nil, err
	}
	id, err := uuid.NewV7()
	if err != nil {
		return nil, err
	}
	e := &dam.Event{UUID: id.String(), Type: t, Subject: subject, Data: []byte(text), CreatedAt: tx.now}
	e.ID, err = one[int64](tx, "Event", `INSERT INTO events (uuid, type, subject, data, created_at) VALUES (?,?,?,?,?) RETURNING id`,
		e.UUID, t, subject, text, msec(tx.now))
	if tx.notify != nil {
		tx.OnCommit(tx.notify)
		tx.notify = nil // once is enough
	}
	return e, err
}

func scanEvent(r row) (*dam.Event, error) {
	var e dam.Event
	err := r.Scan(&e.ID, &e.UUID, &e.Type, &e.Subject, (*[]byte)(&e.Data), timeCol{&e.CreatedAt}, &e.Enrichment)
	return &e, wrap(err, "Event")
}

// Event returns an entry of the outbox by its ID.
func (tx *Tx) Event(id int64) (*dam.Event, error) {
	return scanEvent(tx.tx.QueryRowContext(tx.ctx, `SELECT `+eventColumns+` FROM events WHERE id = ?`, id))
}

// Events returns up to limit entries of the outbox after the one with ID after.
func (tx *Tx) Events(after int64, limit int) ([]*dam.Event, error) {
	return list(tx, scanEvent, `SELECT `+eventColumns+` FROM events WHERE id > ? ORDER BY id LIMIT ?`, after, limit)
}

// LastEvent returns the ID of the latest entry of the outbox, 0 if it is empty.
func (tx *Tx) LastEvent() (int64, error) {
	return one[int64](tx, "", `SELECT coalesce(max(id), 0) FROM events`)
}

// CountEvents returns the number of outbox entries after one ID up to another.
func (tx *Tx) CountEvents(after, last int64) (int64, error) {
	return one[int64](tx, "", `SELECT count(*) FROM events WHERE id > ? AND id <= ?`, after, last)
}

// TrimEvents deletes up to limit events older than before, up to the one with ID last,
// except those with a delivery. It returns the number of deleted events.
func (tx *Tx) TrimEvents(before time.Time, last int64, limit int) (int64, error) {
	return tx.exec("", `DELETE FROM events WHERE id IN (SELECT id FROM events WHERE created_at < ? AND id <= ?
		AND NOT EXISTS (SELECT 1 FROM webhook_deliveries d WHERE d.event_id = events.id)
		ORDER BY created_at LIMIT ?)`, msec(before), last, limit)
}
