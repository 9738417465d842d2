package storage

const (
	followTell = 1
	followFind = 2
)

// TellLater notes assets of whose change no event tells yet.
func (tx *Tx) TellLater(list []int64) error { return tx.follow(list, followTell) }

// FindLater notes assets that are to go in the index queue.
func (tx *Tx) FindLater(list []int64) error { return tx.follow(list, followFind) }

func (tx *Tx) follow(list []int64, what int) error {
	_, err := tx.exec("", `INSERT INTO asset_followups (asset_id, what) SELECT value, ?1 FROM json_each(?2) WHERE true
		ON CONFLICT (asset_id) DO UPDATE SET what = what | excluded.what`, what, ids(list))
	return err
}

// Untold returns up to limit of the assets of TellLater, by ID.
func (tx *Tx) Untold(limit int) ([]int64, error) {
	return list(tx, scanID, `SELECT asset_id FROM asset_followups WHERE what & 1 ORDER BY asset_id LIMIT ?`, limit)
}

// Unfound returns up to limit of the assets of FindLater, by ID.
func (tx *Tx) Unfound(limit int) ([]int64, error) {
	return list(tx, scanID, `SELECT asset_id FROM asset_followups WHERE what & 2 ORDER BY asset_id LIMIT ?`, limit)
}

// Told forgets the assets of TellLater up to an ID.
func (tx *Tx) Told(upTo int64) error { return tx.followed(upTo, followTell) }

// Found forgets the assets of FindLater up to an ID.
func (tx *Tx) Found(upTo int64) error { return tx.followed(upTo, followFind) }

func (tx *Tx) followed(upTo int64, what int) error {
	if _, err := tx.exec("", `DELETE FROM asset_followups WHERE asset_id <= ? AND what = ?`, upTo, what); err != nil {
		return err
	}
	_, err := tx.exec("", `UPDATE asset_followups SET what = what - ?2 WHERE asset_id <= ?1 AND what & ?2`, upTo, what)
	return err
}

// HasFollowups reports whether there are assets of TellLater or FindLater.
func (tx *Tx) HasFollowups() (bool, error) {
	return one[bool](tx, "", `SELECT EXISTS (SELECT 1 FROM asset_followups)`)
}
