package storage

import (
	"math"
	"slices"

	"github.com/digital-asset-library/dal/app/dam"
)

// positionGap is the distance between the positions of assets added to a collection.
const positionGap = 1 << 20

// AddToCollections appends an asset to those of the collections that exist and are
// manual.
func (tx *Tx) AddToCollections(asset int64, collections []int64) error {
	_, err := tx.exec("Collection", `INSERT OR IGNORE INTO collection_assets (collection_id, asset_id, added_at, position)
		SELECT id, ?, ?, (SELECT coalesce(max(m.position), 0) + ? FROM collection_assets m WHERE m.collection_id = c.id)
		FROM collections c WHERE rules = '' AND id IN (SELECT value FROM json_each(?))`, asset, msec(tx.now), positionGap, ids(collections))
	return err
}

// AddToCollection appends assets, none of which it contains yet, to a collection in the
// given order.
func (tx *Tx) AddToCollection(collection int64, assets []int64) error {
	_, err := tx.exec("Collection", `INSERT INTO collection_assets (collection_id, asset_id, added_at, position)
		SELECT ?1, value, ?2, (SELECT coalesce(max(position), 0) FROM collection_assets WHERE collection_id = ?1) + (key + 1) * ?3
			FROM json_each(?4)`,
		collection, msec(tx.now), positionGap, ids(assets))
	return err
}

// RemoveFromCollection removes assets from a collection.
func (tx *Tx) RemoveFromCollection(collection int64, assets []int64) error {
	_, err := tx.exec("Collection", `DELETE FROM collection_assets WHERE collection_id = ? AND asset_id IN (SELECT value FROM json_each(?))`,
		collection, ids(assets))
	return err
}

// HasMembers reports whether a manual collection contains assets, in the trash or not.
func (tx *Tx) HasMembers(collection int64) (bool, error) {
	return one[bool](tx, "", `SELECT EXISTS (SELECT 1 FROM collection_assets WHERE collection_id = ?)`, collection)
}

// FoundAsset is a result of Locate.
type FoundAsset struct {
	ID      int64
	Trashed bool
	Member  bool // whether it is in the collection
}

// Locate finds assets by their GAIDs and omits those that do not exist.
func (tx *Tx) Locate(collection int64, gaids []dam.GAID) (map[dam.GAID]FoundAsset, error) {
	text, err := jsonText(gaids)
	if err != nil {
		return nil, err
	}
	found := make(map[dam.GAID]FoundAsset, len(gaids))
	return found, each(tx, func(r row) error {
		var gaid dam.GAID
		var a FoundAsset
		err := r.Scan(&gaid, &a.ID, &a.Trashed, &a.Member)
		found[gaid] = a
		return err
	}, `SELECT gaid, id, deleted_at IS NOT NULL, EXISTS (SELECT 1 FROM collection_assets WHERE collection_id = ? AND asset_id = a.id)
		FROM assets a WHERE gaid IN (SELECT value FROM json_each(?))`, collection, text)
}

// CollectionOrder returns all assets of a collection in its order.
func (tx *Tx) CollectionOrder(collection int64) ([]int64, error) {
	return list(tx, scanID,
		`SELECT asset_id FROM collection_assets WHERE collection_id = ? ORDER BY position, asset_id`, collection)
}

// MoveInCollection moves assets of a collection, in the given order, directly behind
// another of its assets, or to the front if after is 0. The assets must be distinct and
// must not include after. It reports whether the order changes.
func (tx *Tx) MoveInCollection(collection int64, assets []int64, after int64) (bool, error) {
	from, err := tx.place(collection, after)
	if err != nil {
		return false, err
	}
	there, err := tx.behind(collection, from, nil, len(assets))
	if err != nil {
		return false, err
	}
	if slices.EqualFunc(there, assets, func(p place, id int64) bool { return p.asset == id }) {
		return false, nil
	}
	next, err := tx.behind(collection, from, assets, 1)
	if err != nil {
		return false, err
	}
	room := int64(len(assets)+1) * positionGap
	switch {
	case len(next) == 0 && after == 0:
		from.position = 0
	case len(next) == 0: // unlimited room at the end
	case after == 0:
		from.position = next[0].position - room
	default:
		room = next[0].position - from.position
	}
	if room <= int64(len(assets)) {
		if err := tx.spread(collection); err != nil {
			return false, err
		}
		return tx.MoveInCollection(collection, assets, after)
	}
	step := room / int64(len(assets)+1)
	for i, id := range assets {
		if err := tx.must("Asset", `UPDATE collection_assets SET position = ? WHERE collection_id = ? AND asset_id = ?`,
			from.position+step*int64(i+1), collection, id); err != nil {
			return false, err
		}
	}
	return true, nil
}

// place is the position of an asset in a collection.
type place struct{ position, asset int64 }

// place returns the position of an asset in a collection; asset 0 is before all others.
func (tx *Tx) place(collection, asset int64) (place, error) {
	if asset == 0 {
		return place{position: math.MinInt64}, nil
	}
	at, err := one[int64](tx, "Asset", `SELECT position FROM collection_assets WHERE collection_id = ? AND asset_id = ?`, collection, asset)
	return place{at, asset}, err
}

// behind returns the next n assets of a collection after a place, skipping those in
// without.
func (tx *Tx) behind(collection int64, from place, without []int64, n int) ([]place, error) {
	return list(tx, func(r row) (p place, err error) { return p, r.Scan(&p.position, &p.asset) },
		`SELECT position, asset_id FROM collection_assets WHERE collection_id = ? AND (position, asset_id) > (?, ?)
		AND asset_id NOT IN (SELECT value FROM json_each(?)) 
		ORDER BY position, asset_id LIMIT ?`, collection, from.position, from.asset, ids(without), n)
}

// spread renumbers the assets of a collection with gaps, keeping their order.
func (tx *Tx) spread(collection int64) error {
	_, err := tx.exec("", `UPDATE collection_assets AS m SET position = o.n * ?2
		FROM (SELECT asset_id, row_number() OVER (ORDER BY position, asset_id) AS n FROM collection_assets WHERE collection_id = ?1) o
		WHERE m.collection_id = ?1 AND m.asset_id = o.asset_id`, collection, positionGap)
	return err
}
