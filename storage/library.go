package storage

import "github.com/digital-asset-library/dal/app/dam"

// Library says which library the records belong to, and how far they have come.
type Library struct {
	ID     string // "" for records of a dal that gave none
	Change int64
}

// Library returns which library the records belong to.
func (tx *Tx) Library() (l Library, err error) {
	has, err := tx.hasTable("library") // records that are only read may be of an older dal
	if err != nil || !has {
		return l, err
	}
	err = tx.tx.QueryRowContext(tx.ctx, `SELECT id, change FROM library`).Scan(&l.ID, &l.Change)
	return l, wrap(err, "Library")
}

// AdvanceLibrary raises the library's change, beyond a number.
func (tx *Tx) AdvanceLibrary(beyond int64) (l Library, err error) {
	err = tx.tx.QueryRowContext(tx.ctx, `UPDATE library SET change = max(change, ?) + 1 RETURNING id, change`, beyond).Scan(&l.ID, &l.Change)
	return l, wrap(err, "Library")
}

// hasTable reports whether there is a table.
func (tx *Tx) hasTable(name string) (bool, error) {
	return one[bool](tx, "", `SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?)`, name)
}

// CountOpenFiles returns how many files of upload batches have not ended.
func (tx *Tx) CountOpenFiles() (int64, error) {
	return one[int64](tx, "", `SELECT count(*) FROM jobs WHERE kind = ? AND state IN ('ready','running')`, string(dam.JobIngest))
}
