package storage

import "github.com/digital-asset-library/dal/app/dam"

// Library identifies the library that the database belongs to, and its change number.
type Library struct {
	ID     string // "" for a database from a dal that assigned none
	Change int64
}

// Library returns the identity of the library that the database belongs to.
func (tx *Tx) Library() (l Library, err error) {
	has, err := tx.hasTable("library") // a read-only database may be from an older dal
	if err != nil || !has {
		return l, err
	}
	err = tx.tx.QueryRowContext(tx.ctx, `SELECT id, change FROM library`).Scan(&l.ID, &l.Change)
	return l, wrap(err, "Library")
}

// AdvanceLibrary raises the library's change number, at least beyond a given one.
func (tx *Tx) AdvanceLibrary(beyond int64) (l Library, err error) {
	err = tx.tx.QueryRowContext(tx.ctx, `UPDATE library SET change = max(change, ?) + 1 RETURNING id, change`, beyond).Scan(&l.ID, &l.Change)
	return l, wrap(err, "Library")
}

// hasTable reports whether a table exists.
func (tx *Tx) hasTable(name string) (bool, error) {
	return one[bool](tx, "", `SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?)`, name)
}

// CountOpenFiles returns the number of files of upload batches that wait or are being
// read.
func (tx *Tx) CountOpenFiles() (int64, error) {
	return one[int64](tx, "", `SELECT count(*) FROM jobs WHERE kind = ? AND state IN ('ready','running')`, string(dam.JobIngest))
}
