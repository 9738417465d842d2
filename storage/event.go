package storage

import (
	"time"

	"github.com/google/uuid"

	"github.com/digital-asset-library/dal/app/dam"
)

// InsertEvent appends to the outbox: subject is the resource's public id, data
// the resource as it is after the change.
func (tx *Tx) InsertEvent(t dam.EventType, subject string, data any) error {
	text, err := jsonText(data)
	if err != nil {
		return err
	}
	id, err := uuid.NewV7()
	if err != nil {
		return err
	}
	_, err = tx.exec("Event", `INSERT INTO events (uuid, type, subject, data, created_at) VALUES (?,?,?,?,?)`,
		id.String(), t, subject, text, msec(tx.now))
	return err
}

// Events returns up to limit entries of the outbox after the one with ID after.
func (tx *Tx) Events(after int64, limit int) ([]*dam.Event, error) {
	return list(tx, func(r row) (*dam.Event, error) {
		var e dam.Event
		return &e, r.Scan(&e.ID, &e.UUID, &e.Type, &e.Subject, (*[]byte)(&e.Data), timeCol{&e.CreatedAt})
	}, `SELECT id, uuid, type, subject, data, created_at FROM events WHERE id > ? ORDER BY id LIMIT ?`, after, limit)
}

// TrimEvents deletes up to limit events older than before and reports how many.
func (tx *Tx) TrimEvents(before time.Time, limit int) (int64, error) {
	return tx.exec("", `DELETE FROM events WHERE id IN (SELECT id FROM events WHERE created_at < ? ORDER BY id LIMIT ?)`, msec(before), limit)
}
