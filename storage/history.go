package storage

import (
	"time"

	"github.com/digital-asset-library/dal/app/dam"
)

// InsertHistory appends to the history of an asset, at the time of the transaction.
func (tx *Tx) InsertHistory(asset int64, e *dam.HistoryEntry) error {
	_, err := tx.exec("History entry", `INSERT INTO asset_history (asset_id, type, version, at, user_id, token_name, operation_id, changes)
		VALUES (?,?,?,?,?,?,?,?)`, asset, e.Type, e.Version, msec(tx.now), ref(e.UserID), e.TokenName, ref(e.OperationID), jsonCol{e.Changes})
	return err
}

// History returns the changes of an asset, without its creation, newest first, and their
// total number.
func (tx *Tx) History(asset int64, p dam.Page) ([]*dam.HistoryEntry, int, error) {
	total, err := one[int](tx, "", `SELECT count(*) FROM asset_history WHERE asset_id = ?`, asset)
	if err != nil {
		return nil, 0, err
	}
	entries, err := list(tx, func(r row) (*dam.HistoryEntry, error) {
		var e dam.HistoryEntry
		err := r.Scan(&e.ID, &e.Type, &e.Version, timeCol{&e.At}, refCol{&e.UserID}, &e.TokenName, refCol{&e.OperationID}, jsonCol{&e.Changes})
		return &e, err
	}, `SELECT id, type, version, at, user_id, token_name, operation_id, changes FROM asset_history
		WHERE asset_id = ? ORDER BY id DESC LIMIT ? OFFSET ?`, asset, p.Limit, p.Offset)
	return entries, total, err
}

// TrimHistory deletes up to limit entries older than before and returns the number of
// deleted entries.
func (tx *Tx) TrimHistory(before time.Time, limit int) (int64, error) {
	return tx.exec("", `DELETE FROM asset_history WHERE id IN (SELECT id FROM asset_history WHERE at < ? ORDER BY at LIMIT ?)`,
		msec(before), limit)
}
