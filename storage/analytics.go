package storage

import (
	"strings"

	"github.com/digital-asset-library/dal/app/dam"
)

// Count adds to what is counted of a day.
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

// countWhole adds to what is counted of a day as a whole.
func (tx *Tx) countWhole(key dam.CountKey, n dam.Counts) error {
	_, err := tx.exec("", `INSERT INTO analytics_totals
		(day, channel, bots, views, visits, plays, downloads, shares, searches, empty_searches) VALUES (?,?,?,?,?,?,?,?,?,?)
		ON CONFLICT DO UPDATE SET views = views + excluded.views, visits = visits + excluded.visits, plays = plays + excluded.plays,
			downloads = downloads + excluded.downloads, shares = shares + excluded.shares, searches = searches + excluded.searches,
			empty_searches = empty_searches + excluded.empty_searches`,
		key.Day, key.Channel, key.Bot, n.Views, n.Visits, n.Plays, n.Downloads, n.Shares, n.Searches, n.EmptySearches)
	return err
}

// CountQuery adds to how often a text was searched for on a day, unless it is one too many.
func (tx *Tx) CountQuery(day dam.Day, text string, searches, empty int64) error {
	_, err := tx.exec("", `INSERT INTO analytics_queries (day, text, searches, empty_searches) SELECT ?1, ?2, ?3, ?4
		WHERE EXISTS (SELECT 1 FROM analytics_queries WHERE day = ?1 AND text = ?2)
			OR (SELECT count(*) FROM analytics_queries WHERE day = ?1) < ?5
		ON CONFLICT DO UPDATE SET searches = searches + excluded.searches, empty_searches = empty_searches + excluded.empty_searches`,
		day, text, searches, empty, dam.MaxDayQueries)
	return err
}

// TrimAnalytics deletes up to limit rows of each table about days before one, and those about
// what was searched for before another, and reports how many of the table with the most.
func (tx *Tx) TrimAnalytics(before, queriesBefore dam.Day, limit int) (most int64, err error) {
	for _, t := range []struct {
		table, key string
		before     dam.Day
	}{
		{"analytics_totals", "day, channel, bots", before},
		{"analytics_days", "day, bots, gaid, share_id, channel", before},
		{"analytics_queries", "day, text", queriesBefore},
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

// UsageOf returns what was counted in a range of days by day, channel and whether it was
// bots.
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

// AssetUsage is UsageOf about one asset. Downloads include those in archives.
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

// HasUsage reports whether anything was ever counted of an asset.
func (tx *Tx) HasUsage(gaid dam.GAID) (bool, error) {
	return one[bool](tx, "", `SELECT EXISTS (SELECT 1 FROM analytics_days WHERE gaid <> '' AND gaid = ?)`, gaid)
}

// byDay has the rows of a range of days found by day, although they are grouped by something else.
const byDay = ` NOT INDEXED `

// assetSums adds up what people did with each asset from the day ?2 to ?3.
const assetSums = `SELECT gaid, sum(views) AS views, sum(plays) AS plays, sum(downloads + archived) AS downloads
	FROM analytics_days `

// assetSumsOf says of which rows: those of the days ?2 to ?3.
const assetSumsOf = ` WHERE day BETWEEN ?2 AND ?3 AND bots = 0 AND gaid <> ''`

// TopUse fills in what was used most in a range of days: of the collections those that a user
// may view, by the assets that people have put there as they are now; of the shares those of
// an owner, of all if that is 0.
func (tx *Tx) TopUse(o *dam.Overview, user, owner int64) error {
	err := each(tx, func(r row) error {
		var isAsset bool
		var id int64
		var gaid dam.GAID
		var name string
		var gone bool
		var n dam.Counts
		err := r.Scan(&isAsset, &id, &gaid, &name, &gone, &n.Views, &n.Plays, &n.Downloads)
		if isAsset {
			o.Assets = append(o.Assets, dam.AssetCounts{GAID: gaid, Title: name, Gone: gone, Counts: n})
		} else {
			o.Collections = append(o.Collections, dam.CollectionCounts{ID: id, Name: name, Counts: n})
		}
		return err
	}, `WITH sums AS MATERIALIZED (`+assetSums+byDay+assetSumsOf+` GROUP BY gaid),
		top AS (SELECT * FROM sums ORDER BY views DESC, downloads DESC, gaid LIMIT ?4),
		held AS (SELECT m.collection_id, sum(s.views) AS views, sum(s.plays) AS plays, sum(s.downloads) AS downloads
			FROM sums s JOIN assets a ON a.gaid = s.gaid JOIN collection_assets m ON m.asset_id = a.id WHERE a.deleted_at IS NULL GROUP BY 1),
		topHeld AS (SELECT c.id, c.name, h.views, h.plays, h.downloads FROM held h JOIN collections c ON c.id = h.collection_id
			WHERE `+visible("c")+` ORDER BY h.views DESC, h.downloads DESC, c.id LIMIT ?4)
		SELECT * FROM (SELECT 1, 0, t.gaid, coalesce(a.title, ''), a.id IS NULL OR a.deleted_at IS NOT NULL, t.views, t.plays, t.downloads
			FROM top t LEFT JOIN assets a ON a.gaid = t.gaid ORDER BY t.views DESC, t.downloads DESC, t.gaid)
		UNION ALL
		SELECT * FROM (SELECT 0, id, '', name, 0, views, plays, downloads FROM topHeld ORDER BY views DESC, downloads DESC, id)`,
		user, o.Days.From, o.Days.To, dam.TopMost)
	if err != nil {
		return err
	}
	if o.Shares, err = tx.topShares(o.Days, owner); err != nil {
		return err
	}
	if o.Queries, err = tx.topQueries(o.Days, "searches"); err != nil {
		return err
	}
	o.EmptyQueries, err = tx.topQueries(o.Days, "empty_searches")
	return err
}

func (tx *Tx) topShares(days dam.Days, owner int64) ([]dam.ShareCounts, error) {
	return list(tx, func(r row) (c dam.ShareCounts, err error) {
		return c, r.Scan(&c.ID, &c.Name, &c.Type, &c.Views, &c.Plays, &c.Downloads)
	}, `SELECT s.id, s.name, s.type, t.views, t.plays, t.downloads FROM
		(SELECT share_id, sum(CASE WHEN channel = 'embed' THEN views ELSE visits END) AS views, sum(plays) AS plays,
			sum(downloads) AS downloads FROM analytics_days`+byDay+` WHERE share_id <> 0 AND day BETWEEN ?1 AND ?2 AND bots = 0 GROUP BY share_id) t
		JOIN shares s ON s.id = t.share_id WHERE ?3 IN (0, s.created_by) AND t.views + t.plays + t.downloads > 0
		ORDER BY t.views DESC, t.downloads DESC, s.id LIMIT ?4`, days.From, days.To, owner, dam.TopMost)
}

// topQueries returns the texts that were searched for most, by a column.
func (tx *Tx) topQueries(days dam.Days, column string) ([]dam.QueryCount, error) {
	return list(tx, func(r row) (q dam.QueryCount, err error) { return q, r.Scan(&q.Text, &q.Count) },
		`SELECT text, sum(`+column+`) AS n FROM analytics_queries WHERE day BETWEEN ? AND ? GROUP BY text HAVING n > 0
		ORDER BY n DESC, text LIMIT ?`, days.From, days.To, dam.TopMost)
}

// StorageUse returns what the assets outside the trash take, by category.
func (tx *Tx) StorageUse() ([]dam.StorageUse, error) {
	return list(tx, func(r row) (u dam.StorageUse, err error) { return u, r.Scan(&u.Category, &u.Count, &u.Bytes) },
		`SELECT file_category, count(*), sum(file_size) FROM assets WHERE deleted_at IS NULL GROUP BY file_category ORDER BY 3 DESC, 1`)
}

// AssetCounts returns the counts of assets, the most used first, and of how many assets there
// are some.
func (tx *Tx) AssetCounts(f dam.AssetCountsFilter, p dam.Page) (all []dam.AssetCounts, total int, err error) {
	sums := assetSums + byDay + assetSumsOf + ` AND ?1 = 0`
	if f.ShareID != 0 {
		sums = assetSums + assetSumsOf + ` AND share_id <> 0 AND share_id = ?1`
	}
	if f.OnlyAssets {
		sums += ` AND gaid IN (SELECT gaid FROM assets WHERE id IN (SELECT value FROM json_each(?4)))`
	}
	order := ` ORDER BY views DESC, downloads DESC, gaid`
	if f.ByDownloads {
		order = ` ORDER BY downloads DESC, views DESC, gaid`
	}
	err = each(tx, func(r row) error {
		var c dam.AssetCounts
		err := r.Scan(&c.GAID, &c.Title, &c.Gone, &c.Views, &c.Plays, &c.Downloads, &total)
		all = append(all, c)
		return err
	}, `WITH sums AS MATERIALIZED (`+sums+` GROUP BY gaid HAVING views + plays + downloads > 0)
		SELECT t.gaid, coalesce(a.title, ''), a.id IS NULL OR a.deleted_at IS NOT NULL, t.views, t.plays, t.downloads,
			(SELECT count(*) FROM sums) FROM (SELECT * FROM sums`+order+` LIMIT ?5 OFFSET ?6) t LEFT JOIN assets a ON a.gaid = t.gaid`+
		strings.NewReplacer("views", "t.views", "downloads", "t.downloads", "gaid", "t.gaid").Replace(order),
		f.ShareID, f.Days.From, f.Days.To, ids(f.Assets), p.Limit, p.Offset)
	if err == nil && len(all) == 0 && p.Offset > 0 { // the page is beyond the last
		_, total, err = tx.AssetCounts(f, dam.Page{Limit: 1})
	}
	return all, total, err
}
