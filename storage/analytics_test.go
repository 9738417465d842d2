package storage_test

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

// Old rows are deleted in steps, and nothing else is.
func TestTrimAnalytics(t *testing.T) {
	t.Parallel()
	s := open(t, filepath.Join(t.TempDir(), "dal.db"))
	update := func(fn func(*storage.Tx) error) {
		t.Helper()
		if err := s.Update(t.Context(), fn); err != nil {
			t.Fatal(err)
		}
	}
	update(func(tx *storage.Tx) error {
		for day := range dam.Day(10) {
			for n := range 7 {
				key := dam.CountKey{Day: day, Channel: dam.ChannelApp, GAID: dam.GAID(fmt.Sprint(n)), Bot: n == 0}
				if err := tx.Count(key, dam.Counts{Views: 1}); err != nil {
					return err
				}
				if err := tx.CountQuery(day, fmt.Sprint(n), 2, 1); err != nil {
					return err
				}
			}
		}
		return nil
	})
	for n := int64(5); n == 5; {
		update(func(tx *storage.Tx) (err error) {
			n, err = tx.TrimAnalytics(4, 8, 5)
			return err
		})
	}
	o := &dam.Overview{Days: dam.Days{From: 0, To: 9}}
	var views, bots int64
	err := s.View(t.Context(), func(tx *storage.Tx) error {
		if err := tx.UsageOf(o.Days, func(k dam.CountKey, n dam.Counts) {
			if k.Bot {
				bots += n.Views
			} else {
				views += n.Views
			}
			if k.Day < 4 {
				t.Errorf("day %d is still there", k.Day)
			}
		}); err != nil {
			return err
		}
		return tx.TopUse(o, 0, func(int64, dam.Counts) {})
	})
	if err != nil || views != 36 || bots != 6 || len(o.Assets) != 6 || o.Assets[0].Views != 6 ||
		len(o.Queries) != 7 || o.Queries[0].Count != 4 {
		t.Errorf("%d views, %d of bots, %+v, %v", views, bots, o, err)
	}
}

// The number of texts kept for a day is bounded.
func TestCountQueryIsBounded(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "dal.db")
	s := open(t, path)
	err := s.Update(t.Context(), func(tx *storage.Tx) error {
		for n := range dam.MaxDayQueries + 10 {
			if err := tx.CountQuery(1, fmt.Sprint(n), 1, 0); err != nil {
				return err
			}
		}
		return tx.CountQuery(1, "0", 1, 0) // an existing text
	})
	if err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if got := texts(t, db, `SELECT count(*) || ' ' || sum(searches) FROM analytics_queries`); got[0] != "1000 1001" {
		t.Error(got)
	}
}

// sumDays sums all days before a given one.
func sumDays(tb testing.TB, s *storage.Store, before dam.Day) {
	tb.Helper()
	for ok := true; ok; {
		err := s.Update(tb.Context(), func(tx *storage.Tx) (err error) {
			var day dam.Day
			if day, ok, err = tx.UnsummedDay(before); err != nil || !ok {
				return err
			}
			return tx.SumDay(day)
		})
		if err != nil {
			tb.Fatal(err)
		}
	}
}

// The time of an overview over a million rows of 100,000 assets in two years of summed
// days.
func BenchmarkAnalytics(b *testing.B) {
	path := filepath.Join(b.TempDir(), "dal.db")
	s, err := storage.Open(b.Context(), path, time.Now)
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	for _, q := range []string{
		`PRAGMA synchronous = OFF`,
		`WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 99999)
			INSERT INTO assets (gaid, title, original_filename, mime_type, file_category, extension, file_size, sha256, workflow_status,
				processing_status, created_at, updated_at)
			SELECT printf('01KB3J8Q5V7X9Z1B3D5F%06d', i), 'Asset ' || i, 'a.jpg', 'image/jpeg', 'Image', 'jpg', 1, '', 'draft', 'ready', 0, 0
			FROM n`,
		`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000)
			INSERT OR IGNORE INTO analytics_days SELECT 20000 + abs(random()) % 730, abs(random()) % 10 = 0,
				printf('01KB3J8Q5V7X9Z1B3D5F%06d', abs(random()) % 100000), CASE WHEN i % 5 = 0 THEN i % 200 + 1 ELSE 0 END,
				CASE WHEN i % 5 = 0 THEN 'share' ELSE 'app' END, 1 + i % 3, 0, 0, i % 2, 0 FROM n ORDER BY 1, 2, 3`,
		`INSERT INTO analytics_totals SELECT day, channel, bots, sum(views), 0, 0, sum(downloads), 0, 0, 0 FROM analytics_days GROUP BY 1, 2, 3`,
		`WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 200000)
			INSERT OR IGNORE INTO analytics_queries (day, text, searches, empty_searches)
			SELECT 20000 + i % 730, 'query ' || (i % 5000), 1, i % 7 = 0 FROM n`,
	} {
		if _, err := db.Exec(q); err != nil {
			b.Fatal(q, err)
		}
	}
	sumDays(b, s, 20731)
	b.Run("count", func(b *testing.B) {
		for b.Loop() {
			if err := s.Note(b.Context(), func(tx *storage.Tx) error {
				for n := range 500 {
					key := dam.CountKey{Day: 20730, Channel: dam.ChannelApp, GAID: dam.GAID(fmt.Sprintf("01KB3J8Q5V7X9Z1B3D5F%06d", n))}
					if err := tx.Count(key, dam.Counts{Views: 1}); err != nil {
						return err
					}
				}
				return nil
			}); err != nil {
				b.Fatal(err)
			}
		}
	})
	for _, days := range []int{30, 365, 730} {
		b.Run(fmt.Sprintf("overview/%d", days), func(b *testing.B) {
			for b.Loop() {
				o := &dam.Overview{Days: dam.Days{From: dam.Day(20730 - days), To: 20729}}
				if err := s.View(b.Context(), func(tx *storage.Tx) error {
					if err := tx.UsageOf(o.Days, func(dam.CountKey, dam.Counts) {}); err != nil {
						return err
					}
					return tx.TopUse(o, 0, func(int64, dam.Counts) {})
				}); err != nil {
					b.Fatal(err)
				}
				if len(o.Assets) != dam.TopMost {
					b.Fatal(len(o.Assets))
				}
			}
		})
	}
}
