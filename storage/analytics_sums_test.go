package storage_test

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

// Summed days read the same as the individual counts: also after later counts, after an
// asset is deleted, and after old rows are trimmed.
func TestSumsOfDaysAgree(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "dal.db")
	s := open(t, path)
	db, err := sql.Open("sqlite", path)
	must(t, err)
	defer db.Close()
	do := func(query string) {
		t.Helper()
		if _, err := db.ExecContext(t.Context(), query); err != nil {
			t.Fatal(err)
		}
	}
	update := func(fn func(*storage.Tx) error) {
		t.Helper()
		must(t, s.Update(t.Context(), fn))
	}
	do(`WITH RECURSIVE n (i) AS (VALUES (0) UNION ALL SELECT i + 1 FROM n WHERE i < 8)
		INSERT INTO assets (gaid, title, original_filename, mime_type, file_category, extension, file_size, sha256, workflow_status,
			processing_status, created_at, updated_at)
		SELECT 'G' || i, 'Asset ' || i, 'a.jpg', 'image/jpeg', 'Image', 'jpg', 1, '', 'draft', 'ready', 0, 0 FROM n`)
	const last = 30
	update(func(tx *storage.Tx) error {
		for i := range 600 { // G9 is the GAID of no asset
			n := int64(i)
			key := dam.CountKey{Day: dam.Day(i % 7 * 5), Channel: dam.ChannelApp, GAID: dam.GAID(fmt.Sprint("G", i%10)), Bot: i%11 == 0}
			if i%3 == 0 {
				key.Channel, key.ShareID = dam.Channel("").Values()[2+i%2], n%4+1
			}
			if err := tx.Count(key, dam.Counts{Views: n % 5, Visits: n % 3, Plays: n % 2, Downloads: n % 4, Archived: n % 6}); err != nil {
				return err
			}
			if err := tx.CountQuery(key.Day, fmt.Sprint("text ", i%20), n%4, n%2); err != nil {
				return err
			}
		}
		return nil
	})
	type found struct {
		overview dam.Overview
		used     map[int64]dam.Counts
		ranked   []dam.AssetCounts
	}
	read := func(days dam.Days) (f found) {
		t.Helper()
		f = found{overview: dam.Overview{Days: days}, used: map[int64]dam.Counts{}}
		must(t, s.View(t.Context(), func(tx *storage.Tx) error {
			if err := tx.TopUse(&f.overview, 0, func(asset int64, n dam.Counts) { f.used[asset] = n }); err != nil {
				return err
			}
			ranked, err := tx.RankAssets(dam.AssetCountsFilter{Days: days, ByDownloads: true})
			if err != nil {
				return err
			}
			f.ranked, err = tx.NameAssets(ranked)
			return err
		}))
		return f
	}
	ranges := []dam.Days{{From: 0, To: last}, {From: 5, To: 5}, {From: -3, To: 12}, {From: 11, To: 29}, {From: 25, To: 99}}
	all := func() (list []found) {
		t.Helper()
		for _, days := range ranges {
			list = append(list, read(days))
		}
		return list
	}
	summed := func() int {
		t.Helper()
		var n int
		must(t, db.QueryRowContext(t.Context(), `SELECT count(*) FROM analytics_sums`).Scan(&n))
		return n
	}
	agree := func(what string, days int) {
		t.Helper()
		do(`DELETE FROM analytics_sums`)
		want := all()
		sumDays(t, s, last)
		if n := summed(); n != days {
			t.Errorf("%s: %d days are summed, want %d", what, n, days)
		}
		for i, got := range all() {
			if !reflect.DeepEqual(got, want[i]) {
				t.Errorf("%s, %v:\n%+v\n%+v", what, ranges[i], got, want[i])
			}
		}
	}
	if first := read(ranges[0]); len(first.ranked) != 10 || len(first.overview.Queries) != dam.TopMost || len(first.used) != 9 {
		t.Fatalf("%+v", first)
	}
	agree("at first", last)

	before := all()
	update(func(tx *storage.Tx) error {
		return tx.Count(dam.CountKey{Day: 5, Channel: dam.ChannelAPI, GAID: "G1"}, dam.Counts{Downloads: 100})
	})
	if n := summed(); n != last-1 {
		t.Errorf("%d days are summed after something was counted on one", n)
	}
	if after := all(); after[1].ranked[0].GAID != "G1" || after[1].ranked[0].Downloads != before[1].used[2].Downloads+100 {
		t.Errorf("what was counted later is not there: %+v", after[1].ranked)
	}
	update(func(tx *storage.Tx) error { return tx.CountQuery(10, "late", 1000, 0) })
	if got := read(ranges[0]).overview.Queries[0]; got != (dam.QueryCount{Text: "late", Count: 1000}) {
		t.Errorf("what was searched for later is not there: %+v", got)
	}
	agree("counted later", last)

	do(`DELETE FROM assets WHERE gaid = 'G2'`) // its row is in the sums of all days but one
	update(func(tx *storage.Tx) error {
		return tx.Count(dam.CountKey{Day: 20, Channel: dam.ChannelAPI, GAID: "G2"}, dam.Counts{Views: 7})
	})
	want := read(ranges[0])
	sumDays(t, s, last)
	got := read(ranges[0])
	if !reflect.DeepEqual(got.ranked, want.ranked) || len(got.ranked) != 10 {
		t.Errorf("once one is gone:\n%+v\n%+v", got.ranked, want.ranked)
	}
	agree("gone", last)

	for n := int64(5); n == 5; {
		update(func(tx *storage.Tx) (err error) {
			n, err = tx.TrimAnalytics(10, 20, 5)
			return err
		})
	}
	sumDays(t, s, last)
	if n := summed(); n != last-10 {
		t.Errorf("%d days are summed of those that are kept", n)
	}
	if kept := read(ranges[0]).overview.Queries; len(kept) == 0 || kept[0].Text == "late" {
		t.Errorf("what was searched for is kept: %+v", kept)
	}
	agree("trimmed", last-10)

	do(`UPDATE analytics_sums SET assets = substr(assets, 1, length(assets) - 1) WHERE day = 15`)
	err = s.View(t.Context(), func(tx *storage.Tx) error {
		_, err := tx.RankAssets(dam.AssetCountsFilter{Days: ranges[0]})
		return err
	})
	if err == nil {
		t.Error("half of what was summed is read")
	}
}
