package storage

import "github.com/digital-asset-library/dal/app/dam"

// AssetsByKey returns the assets whose gaid or checksum_sha256 is one of keys.
func (tx *Tx) AssetsByKey(field string, keys []string) ([]int64, error) {
	column := "gaid"
	if field == "checksum_sha256" {
		column = "sha256"
	}
	return list(tx, scanID, `SELECT id FROM assets WHERE `+column+` IN (SELECT value FROM json_each(?))`, jsonCol{keys})
}

// UsedAssets calls yield with each asset that people have used and with its number of
// views or downloads, including those in archives but not those of bots. It counts the
// given number of days up to today, or all days on record for 0.
func (tx *Tx) UsedAssets(field string, days int, yield func(asset, uses int64)) error {
	uses, from := "views", dam.Day(0)
	if field == "downloads" {
		uses = "downloads + d.archived"
	}
	if days > 0 {
		from = dam.DayOf(tx.now) - dam.Day(days) + 1
	}
	return each(tx, func(r row) error {
		var asset, n int64
		err := r.Scan(&asset, &n)
		if err == nil && n > 0 {
			yield(asset, n)
		}
		return err
	}, `SELECT a.id, sum(d.`+uses+`) FROM analytics_days d JOIN assets a ON a.gaid = d.gaid
		WHERE d.day >= ? AND d.bots = 0 AND d.gaid <> '' GROUP BY a.id`, from)
}

// OpenShareAssets returns the assets and the collections in the currently open shares,
// except upload requests, of a user, or of all users when user is 0.
func (tx *Tx) OpenShareAssets(user int64, roles []dam.Role) (assets, collections []int64, err error) {
	const open = ` JOIN users u ON u.id = s.created_by WHERE ?1 IN (0, s.created_by) AND s.revoked_at IS NULL
		AND (s.expires_at IS NULL OR s.expires_at > ?2) AND u.disabled_at IS NULL AND u.role IN (SELECT value FROM json_each(?3))`
	args := []any{user, msec(tx.now), jsonCol{roles}}
	assets, err = list(tx, scanID, `SELECT DISTINCT m.asset_id FROM share_assets m JOIN shares s ON s.id = m.share_id`+open, args...)
	if err != nil {
		return nil, nil, err
	}
	collections, err = list(tx, scanID, `SELECT DISTINCT s.collection_id FROM shares s`+open+
		` AND s.collection_id IS NOT NULL AND s.type <> ?4`, append(args, dam.ShareHandIn)...)
	return assets, collections, err
}

// CollectionsBelow returns those of some collections that a user may view, and their
// descendants that the user can reach through viewable collections.
func (tx *Tx) CollectionsBelow(user int64, of []int64) ([]int64, error) {
	return list(tx, scanID, `WITH RECURSIVE below (id) AS (
			SELECT c.id FROM collections c WHERE c.id IN (SELECT value FROM json_each(?2)) AND `+visible("c")+`
			UNION SELECT c.id FROM below b JOIN collections c ON c.parent_id = b.id WHERE `+visible("c")+`
		) SELECT id FROM below ORDER BY id`, user, ids(of))
}
