package storage

// What is still to be done for an asset, as bits.
const (
	followAnnounce = 1
	followIndex    = 2
)

// AnnounceLater notes assets that have changed without an event so far.
func (tx *Tx) AnnounceLater(assets []int64) error { return tx.followLater(assets, followAnnounce) }

// IndexLater notes assets that have yet to be put in the index queue.
func (tx *Tx) IndexLater(assets []int64) error { return tx.followLater(assets, followIndex) }

func (tx *Tx) followLater(assets []int64, what int) error {
	_, err := tx.exec("", `INSERT INTO asset_followups (asset_id, what) SELECT value, ?1 FROM json_each(?2) WHERE true
		ON CONFLICT (asset_id) DO UPDATE SET what = what | excluded.what`, what, ids(assets))
	return err
}

// ToAnnounce returns up to limit of the assets of AnnounceLater, by ID.
func (tx *Tx) ToAnnounce(limit int) ([]int64, error) {
	return tx.toFollow(followAnnounce, limit)
}

// ToIndex returns up to limit of the assets of IndexLater, by ID.
func (tx *Tx) ToIndex(limit int) ([]int64, error) {
	return tx.toFollow(followIndex, limit)
}

func (tx *Tx) toFollow(what, limit int) ([]int64, error) {
	return list(tx, scanID, `SELECT asset_id FROM asset_followups WHERE what & ? ORDER BY asset_id LIMIT ?`, what, limit)
}

// Announced forgets the assets of AnnounceLater up to an ID.
func (tx *Tx) Announced(upTo int64) error { return tx.followed(upTo, followAnnounce) }

// Indexed forgets the assets of IndexLater up to an ID.
func (tx *Tx) Indexed(upTo int64) error { return tx.followed(upTo, followIndex) }

func (tx *Tx) followed(upTo int64, what int) error {
	if _, err := tx.exec("", `DELETE FROM asset_followups WHERE asset_id <= ? AND what = ?`, upTo, what); err != nil {
		return err
	}
	_, err := tx.exec("", `UPDATE asset_followups SET what = what - ?2 WHERE asset_id <= ?1 AND what & ?2`, upTo, what)
	return err
}

// HasFollowups reports whether there are assets of AnnounceLater or IndexLater.
func (tx *Tx) HasFollowups() (bool, error) {
	return one[bool](tx, "", `SELECT EXISTS (SELECT 1 FROM asset_followups)`)
}
