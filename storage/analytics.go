package storage

import (
	"database/sql"
	"slices"

	"github.com/digital-asset-library/dal/app/dam"
)

// Count adds counts to a day.
func (tx *Tx) Count(key dam.CountKey, n dam.Counts) error {
	whole := n
	whole.Archived = 0
	if whole != (dam.Counts{}) {
		if err := tx.countWhole(key, n); err != nil {
			return err
		}
	}
	if key.GAID == "" && key.ShareID == 0 {
		return nil
	}
	_, err := tx.exec("", `INSERT INTO analytics_days (day, bots, gaid, share_id, channel, views, visits, plays, downloads, archived)
		VALUES (?,?,?,?,?,?,?,?,?,?) ON CONFLICT DO UPDATE SET views = views + excluded.views, visits = visits + excluded.visits,
			plays = plays + excluded.plays, downloads = downloads + excluded.downloads, archived = archived + excluded.archived`,
		key.Day, key.Bot, key.GAID, key.ShareID, key.Channel, n.Views, n.Visits, n.Plays, n.Downloads, n.Archived)
	return err
}

// countWhole adds counts to the totals of a day.
func (tx *Tx) countWhole(key dam.CountKey, n dam.Counts) error {
	_, err := tx.exec("", `INSERT INTO analytics_totals
		(day, channel, bots, views, visits, plays, downloads, shares, searches, empty_searches) VALUES (?,?,?,?,?,?,?,?,?,?)
		ON CONFLICT DO UPDATE SET views = views + excluded.views, visits = visits + excluded.visits, plays = plays + excluded.plays,
			downloads = downloads + excluded.downloads, shares = shares + excluded.shares, searches = searches + excluded.searches,
			empty_searches = empty_searches + excluded.empty_searches`,
		key.Day, key.Channel, key.Bot, n.Views, n.Visits, n.Plays, n.Downloads, n.Shares, n.Searches, n.EmptySearches)
	return err
}

// CountQuery adds to the search counts of a text on a day. A text that is new on that day
// is ignored once the day has dam.MaxDayQueries texts.
func (tx *Tx) CountQuery(day dam.Day, text string, searches, empty int64) error {
	_, err := tx.exec("", `INSERT INTO analytics_queries (day, text, searches, empty_searches) SELECT ?1, ?2, ?3, ?4
		WHERE EXISTS (SELECT 1 FROM analytics_queries WHERE day = ?1 AND text = ?2)
			OR (SELECT count(*) FROM analytics_queries WHERE day = ?1) < ?5
		ON CONFLICT DO UPDATE SET searches = searches + excluded.searches, empty_searches = empty_searches + excluded.empty_searches`,
		day, text, searches, empty, dam.MaxDayQueries)
	return err
}

// TrimAnalytics deletes up to limit rows from each table: search texts from days before
// queriesBefore, all else from days before the first argument. It returns the largest
// number of rows deleted from one table.
func (tx *Tx) TrimAnalytics(before, queriesBefore dam.Day, limit int) (most int64, err error) {
	for _, t := range []struct {
		table, key string
		before     dam.Day
	}{
		{"analytics_totals", "day, channel, bots", before},
		{"analytics_days", "day, bots, gaid, share_id, channel", before},
		{"analytics_queries", "day, text", queriesBefore},
		{"analytics_sums", "day", before},
	} {
		n, err := tx.exec("", `DELETE FROM `+t.table+` WHERE (`+t.key+`) IN
			(SELECT `+t.key+` FROM `+t.table+` WHERE day < ? LIMIT ?)`, t.before, limit)
		if err != nil {
			return 0, err
		}
		most = max(most, n)
	}
	return most, nil
}

// UsageOf calls yield with the counts in a range of days by day, channel and whether they
// are from bots.
func (tx *Tx) UsageOf(days dam.Days, yield func(dam.CountKey, dam.Counts)) error {
	return each(tx, func(r row) error {
		var k dam.CountKey
		var n dam.Counts
		err := r.Scan(&k.Day, &k.Channel, &k.Bot, &n.Views, &n.Visits, &n.Plays, &n.Downloads, &n.Shares, &n.Searches, &n.EmptySearches)
		yield(k, n)
		return err
	}, `SELECT day, channel, bots, views, visits, plays, downloads, shares, searches, empty_searches FROM analytics_totals
		WHERE day BETWEEN ? AND ? ORDER BY day, channel`, days.From, days.To)
}

// AssetUsage is UsageOf for one asset. Downloads include those in archives.
func (tx *Tx) AssetUsage(gaid dam.GAID, days dam.Days, yield func(dam.CountKey, dam.Counts)) error {
	return each(tx, func(r row) error {
		var k dam.CountKey
		var n dam.Counts
		err := r.Scan(&k.Day, &k.Channel, &k.Bot, &n.Views, &n.Plays, &n.Downloads)
		yield(k, n)
		return err
	}, `SELECT day, channel, bots, sum(views), sum(plays), sum(downloads + archived) FROM analytics_days
		WHERE gaid <> '' AND gaid = ?1 AND day BETWEEN ?2 AND ?3 GROUP BY day, channel, bots ORDER BY day, channel`, gaid, days.From, days.To)
}

// HasUsage reports whether an asset has any counts.
func (tx *Tx) HasUsage(gaid dam.GAID) (bool, error) {
	return one[bool](tx, "", `SELECT EXISTS (SELECT 1 FROM analytics_days WHERE gaid <> '' AND gaid = ?)`, gaid)
}

// TopUse fills in the most used items in a range of days; its shares are those of owner,
// or of all users if owner is 0. It calls yield with each asset that people used and that
// still exists.
func (tx *Tx) TopUse(o *dam.Overview, owner int64, yield func(asset int64, n dam.Counts)) error {
	u, err := tx.usage(o.Days)
	if err != nil {
		return err
	}
	for _, a := range u.assets.all {
		if a.asset != 0 {
			yield(a.asset, a.counts())
		}
	}
	if o.Assets, err = tx.NameAssets(u.assets.top(views, downloads, dam.TopMost)); err != nil {
		return err
	}
	if o.Shares, err = tx.topShares(u.shares.ranked(views, downloads), owner); err != nil {
		return err
	}
	o.Queries, o.EmptyQueries = topQueries(&u.queries, searches), topQueries(&u.queries, emptySearches)
	return nil
}

// NameAssets returns the counts of assets with their titles.
func (tx *Tx) NameAssets(some RankedAssets) ([]dam.AssetCounts, error) {
	gaids := make([]string, len(some))
	for i, u := range some {
		gaids[i] = u.key
	}
	all := make([]dam.AssetCounts, 0, len(some))
	err := each(tx, func(r row) error {
		c := dam.AssetCounts{Counts: some[len(all)].counts()}
		err := r.Scan(&c.GAID, &c.Title, &c.Gone)
		all = append(all, c)
		return err
	}, `SELECT j.value, coalesce(a.title, ''), a.id IS NULL OR a.deleted_at IS NOT NULL
		FROM json_each(?) j LEFT JOIN assets a ON a.gaid = j.value ORDER BY j.key`, jsonCol{gaids})
	return all, err
}

// topShares returns the most used of the given shares that belong to owner.
func (tx *Tx) topShares(some []used, owner int64) ([]dam.ShareCounts, error) {
	list := make([]int64, len(some))
	for i, u := range some {
		list[i] = u.share()
	}
	var all []dam.ShareCounts
	err := each(tx, func(r row) error {
		var c dam.ShareCounts
		var at int
		err := r.Scan(&at, &c.ID, &c.Name, &c.Type)
		c.Counts = some[at].counts()
		all = append(all, c)
		return err
	}, `SELECT j.key, s.id, s.name, s.type FROM json_each(?) j CROSS JOIN shares s ON s.id = j.value
		WHERE ? IN (0, s.created_by) ORDER BY j.key LIMIT ?`, ids(list), owner, dam.TopMost)
	return all, err
}

// topQueries returns the most frequent search texts, or those with the most empty
// results.
func topQueries(t *tally, by int) (all []dam.QueryCount) {
	for _, u := range t.top(by, by, dam.TopMost) {
		if u.n[by] > 0 {
			all = append(all, dam.QueryCount{Text: u.key, Count: u.n[by]})
		}
	}
	return all
}

// NameCollections fills in the names of collections.
func (tx *Tx) NameCollections(some []dam.CollectionCounts) error {
	list := make([]int64, len(some))
	for i, c := range some {
		list[i] = c.ID
	}
	return each(tx, func(r row) error {
		var at int
		var name string
		err := r.Scan(&at, &name)
		some[at].Name = name
		return err
	}, `SELECT j.key, c.name FROM json_each(?) j JOIN collections c ON c.id = j.value`, ids(list))
}

// StorageUse returns the count and size of the assets outside the trash by category.
func (tx *Tx) StorageUse() ([]dam.StorageUse, error) {
	return list(tx, func(r row) (u dam.StorageUse, err error) { return u, r.Scan(&u.Category, &u.Count, &u.Bytes) },
		`SELECT file_category, count(*), sum(file_size) FROM assets WHERE deleted_at IS NULL GROUP BY file_category ORDER BY 3 DESC, 1`)
}

// RankedAssets are assets that people used, most used first.
type RankedAssets []used

// RankAssets returns the assets that match a filter and that people used.
func (tx *Tx) RankAssets(f dam.AssetCountsFilter) (RankedAssets, error) {
	all, err := tx.assetsUsed(f)
	if err != nil {
		return nil, err
	}
	if f.OnlyAssets {
		all.all = slices.DeleteFunc(all.all, func(u used) bool {
			_, in := slices.BinarySearch(f.Assets, u.asset)
			return !in
		})
	}
	if f.ByDownloads {
		return all.ranked(downloads, views), nil
	}
	return all.ranked(views, downloads), nil
}

// assetsUsed adds up the use of the assets by people, in one share or, without one,
// overall.
func (tx *Tx) assetsUsed(f dam.AssetCountsFilter) (*tally, error) {
	if f.ShareID != 0 {
		return tx.assetsOfShare(f.ShareID, f.Days)
	}
	u, err := tx.usage(f.Days)
	return &u.assets, err
}

// assetsOfShare adds up the use of a share's assets by people.
func (tx *Tx) assetsOfShare(share int64, days dam.Days) (*tally, error) {
	t := &tally{}
	return t, each(tx, func(r row) error {
		var gaid sql.RawBytes
		var asset, views, plays, downloads int64
		if err := r.Scan(&gaid, &asset, &views, &plays, &downloads); err != nil {
			return err
		}
		t.add(gaid, asset, views, plays, downloads)
		return nil
	}, `SELECT d.gaid, coalesce(a.id, 0), d.views, d.plays, d.downloads + d.archived
		FROM analytics_days d LEFT JOIN assets a ON a.gaid = d.gaid
		WHERE d.share_id <> 0 AND d.share_id = ? AND d.day BETWEEN ? AND ? AND d.bots = 0 AND d.gaid <> ''`, share, days.From, days.To)
}
