package storage

// Followup is what is left to do for an asset after a change of definitions.
type Followup struct {
	AssetID int64
	Tell    bool // by an event
	Find    bool // under other words: it goes in the index queue
}

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

// Followups returns up to limit of what is left to do, by asset.
func (tx *Tx) Followups(limit int) ([]Followup, error) {
	return list(tx, func(r row) (f Followup, err error) {
		var what int
		err = r.Scan(&f.AssetID, &what)
		f.Tell, f.Find = what&followTell != 0, what&followFind != 0
		return f, err
	}, `SELECT asset_id, what FROM asset_followups ORDER BY asset_id LIMIT ?`, limit)
}

// Followed forgets what is left to do for assets up to an ID and reports
// whether there are more.
func (tx *Tx) Followed(upTo int64) (more bool, err error) {
	if _, err := tx.exec("", `DELETE FROM asset_followups WHERE asset_id <= ?`, upTo); err != nil {
		return false, err
	}
	return one[bool](tx, "", `SELECT EXISTS (SELECT 1 FROM asset_followups)`)
}
