package storage

import "github.com/digital-asset-library/dal/app/dam"

// The index queue records which assets changed, in order. Derived data is updated from
// the queue, and each follower stores its position in it.

// Changed adds an asset to the index queue with the next sequence number, replacing its
// previous entry.
func (tx *Tx) Changed(id int64) error {
	_, err := tx.exec("", `INSERT INTO asset_changes (asset_id, seq) VALUES (?, (SELECT coalesce(max(seq), 0) + 1 FROM asset_changes))
		ON CONFLICT (asset_id) DO UPDATE SET seq = excluded.seq`, id)
	return err
}

// TouchAssets increments the versions of assets, sets their modification times and adds
// them to the index queue.
func (tx *Tx) TouchAssets(list []int64) error {
	if _, err := tx.exec("", `UPDATE assets SET version = version + 1, updated_at = ? WHERE id IN (SELECT value FROM json_each(?))`,
		msec(tx.now), ids(list)); err != nil {
		return err
	}
	return tx.AllChanged(list)
}

// AllChanged adds assets to the index queue, in their order.
func (tx *Tx) AllChanged(list []int64) error {
	last, err := tx.LastChange()
	if err != nil {
		return err
	}
	_, err = tx.exec("", `INSERT INTO asset_changes (asset_id, seq) SELECT value, ?1 + 1 + key FROM json_each(?2) WHERE true
		ON CONFLICT (asset_id) DO UPDATE SET seq = excluded.seq`, last, ids(list))
	return err
}

// LastChange returns the sequence number of the latest change, 0 if the queue is empty.
func (tx *Tx) LastChange() (int64, error) {
	return one[int64](tx, "", `SELECT coalesce(max(seq), 0) FROM asset_changes`)
}

// ChangesOf returns the sequence numbers of the latest changes of assets.
func (tx *Tx) ChangesOf(assets []int64) (map[int64]int64, error) {
	seqs := make(map[int64]int64, len(assets))
	return seqs, each(tx, func(r row) error {
		var id, seq int64
		err := r.Scan(&id, &seq)
		seqs[id] = seq
		return err
	}, `SELECT asset_id, seq FROM asset_changes WHERE asset_id IN (SELECT value FROM json_each(?))`, ids(assets))
}

// Changes returns up to limit entries of the index queue after a sequence number, in
// order. Unless detailed, the assets have only the fields that lists filter and sort by.
func (tx *Tx) Changes(after int64, limit int, detailed bool) ([]dam.Change, error) {
	changes, err := list(tx, func(r row) (c dam.Change, err error) { return c, r.Scan(&c.Seq, &c.AssetID) },
		`SELECT seq, asset_id FROM asset_changes WHERE seq > ? ORDER BY seq LIMIT ?`, after, limit)
	if err != nil || len(changes) == 0 {
		return changes, err
	}
	last := changes[len(changes)-1].Seq
	assets, err := tx.changedAssets(after, last, detailed)
	if err != nil {
		return nil, err
	}
	for i, j := 0, 0; i < len(changes) && j < len(assets); i++ {
		if changes[i].AssetID == assets[j].ID {
			changes[i].Asset = assets[j]
			j++
		}
	}
	return changes, nil
}

// changedAssets returns the assets of queue entries after one sequence number up to
// another, in order, without deleted ones.
func (tx *Tx) changedAssets(after, last int64, detailed bool) ([]*dam.Asset, error) {
	const queued = ` JOIN asset_changes c ON c.asset_id = a.id WHERE c.seq > ? AND c.seq <= ? ORDER BY c.seq`
	if !detailed {
		return list(tx, scanListed, `SELECT `+selection("a", listColumns)+` FROM assets a`+queued, after, last)
	}
	assets, err := list(tx, scanAsset, selectAsset+queued, after, last)
	if err != nil {
		return nil, err
	}
	return assets, tx.fillLists(assets)
}

// Follower returns the position of a follower in the sequence of changes, 0 if it is new
// or has another version.
func (tx *Tx) Follower(name, version string) (int64, error) {
	seq, err := one[int64](tx, "Follower", `SELECT seq FROM followers WHERE name = ? AND version = ?`, name, version)
	if dam.KindOf(err) == dam.NotFound {
		return 0, nil
	}
	return seq, err
}

// FollowerVersion returns the version of a follower, "" for a new one.
func (tx *Tx) FollowerVersion(name string) (string, error) {
	version, err := one[string](tx, "Follower", `SELECT version FROM followers WHERE name = ?`, name)
	if dam.KindOf(err) == dam.NotFound {
		return "", nil
	}
	return version, err
}

// SetFollower stores the position of a follower.
func (tx *Tx) SetFollower(name, version string, seq int64) error {
	_, err := tx.exec("", `INSERT INTO followers (name, version, seq) VALUES (?, ?, ?)
		ON CONFLICT (name) DO UPDATE SET version = excluded.version, seq = excluded.seq`, name, version, seq)
	return err
}
