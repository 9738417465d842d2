package cli

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search/query"
	"github.com/spf13/cobra"
	_ "modernc.org/sqlite" // the driver

	"github.com/digital-asset-library/dal/app"
)

func newBenchCompare(s *settings) *cobra.Command {
	var seed uint64
	var runs int
	var asJSON bool
	cmd := &cobra.Command{Use: "compare", Short: "Measure searches with SQL alone and with the text index alone", Args: takes(),
		Long: `Runs the request classes of dal bench search without a server and without dal's
own engine, on a library created by dal bench seed: with SQL on its SQLite file, and
with Bleve on its text index. Each counts all matching assets and fetches the ids of
50; creating a response from these is not measured, so both look faster than they
would be. No server may be running on the library.

The supported classes:

  class          SQL                                    Bleve
  list           yes                                    no: no dates in the index
  q1, q2, q3     parts of words, by date, not by rank   yes
  sentence       as q1: stop words match all            yes
  filters        yes                                    no: only text in the index
  text+filters   yes                                    no
  metadata       yes                                    no
  offset         yes                                    no
  text+offset    yes                                    yes
  colour         no: equal colours only                 no
  facets         yes, three GROUP BY                    no
  similar        no: cannot count different bits        no`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return s.with(cmd, func(a *app.App) (err error) {
				unlock, err := a.Lock()
				if err != nil {
					return err
				}
				defer func() { err = errors.Join(err, unlock()) }()
				rows, err := compareAlone(cmd.Context(), s.data, seed, runs)
				if err != nil {
					return err
				}
				return report(cmd.OutOrStdout(), asJSON, rows)
			})
		}}
	f := flagsOf(cmd)
	f.seed(&seed, otherWords)
	f.count(&runs, "runs", 20, maxRuns, "number of runs per class")
	f.json(&asJSON)
	return cmd
}

// compareAlone measures SQL and Bleve on the library in dir.
func compareAlone(ctx context.Context, dir string, seed uint64, runs int) (rows []benchRow, err error) {
	path, err := filepath.Abs(filepath.Join(dir, "dal.db"))
	if err != nil {
		return nil, err
	}
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: filepath.ToSlash(path)}).EscapedPath()+"?_pragma=query_only(1)")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	rnd := rand.New(rand.NewPCG(seed, 2))
	q := &querier{rnd: rnd, text: newTextMaker(newVocabulary(), rnd)}
	for _, c := range sqlClasses() {
		rows = append(rows, repeatedly(runs, "sql "+c.name, func() (int, error) { return c.run(ctx, db, q) }))
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	index, err := openBleve(dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, index.Close()) }()
	for _, c := range []struct {
		name string
		from int
		text func() string
	}{
		{"q1", 0, func() string { return strings.Join(q.words(1), " ") }},
		{"q2", 0, func() string { return strings.Join(q.words(2), " ") }},
		{"q3", 0, func() string { return strings.Join(q.words(3), " ") }},
		{"sentence", 0, q.text.caption},
		{"text+offset", 10_000, q.common},
	} {
		rows = append(rows, repeatedly(runs, "bleve "+c.name, func() (int, error) { return searchBleve(ctx, index, c.text(), c.from) }))
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	return rows, nil
}

// repeatedly measures a search, after a warm-up run.
func repeatedly(runs int, name string, search func() (int, error)) benchRow {
	var s series
	for n := range runs + 1 {
		start := time.Now()
		found, err := search()
		if took := time.Since(start); n > 0 || err != nil {
			s.add(took, found, err)
		}
	}
	return s.row(name)
}

// sqlClass is a class of requests as SQL queries.
type sqlClass struct {
	name string
	run  func(context.Context, *sql.DB, *querier) (found int, err error)
}

func sqlClasses() []sqlClass {
	const byDate, byTitle = "a.created_at DESC, a.id DESC", "a.title COLLATE NOCASE, a.id"
	words := func(n int) func(context.Context, *sql.DB, *querier) (int, error) {
		return func(ctx context.Context, db *sql.DB, q *querier) (int, error) {
			where, args := likeAny(q.words(n))
			return countAndPage(ctx, db, where, args, byDate, 0)
		}
	}
	return []sqlClass{
		{"list", func(ctx context.Context, db *sql.DB, _ *querier) (int, error) {
			return countAndPage(ctx, db, "1", nil, byDate, 0)
		}},
		{"q1", words(1)}, {"q2", words(2)}, {"q3", words(3)},
		{"sentence", func(ctx context.Context, db *sql.DB, q *querier) (int, error) {
			where, args := likeAny(strings.Fields(q.text.caption()))
			return countAndPage(ctx, db, where, args, byDate, 0)
		}},
		{"filters", func(ctx context.Context, db *sql.DB, q *querier) (int, error) {
			return countAndPage(ctx, db, threeSQL, threeArgs(q), byTitle, 0)
		}},
		{"text+filters", func(ctx context.Context, db *sql.DB, q *querier) (int, error) {
			where, args := likeAny([]string{q.common()})
			return countAndPage(ctx, db, where+" AND "+threeSQL, append(args, threeArgs(q)...), byDate, 0)
		}},
		{"metadata", func(ctx context.Context, db *sql.DB, q *querier) (int, error) {
			return countAndPage(ctx, db, `a.id IN (SELECT asset_id FROM asset_metadata m, json_each(m.value) v
					WHERE m.key = 'region' AND v.value IN (?, ?))
				AND a.id IN (SELECT asset_id FROM collection_assets WHERE collection_id = ?)`,
				[]any{pick(q.rnd, benchRegions()), pick(q.rnd, benchRegions()), 1 + q.rnd.IntN(20)}, byDate, 0)
		}},
		{"offset", func(ctx context.Context, db *sql.DB, _ *querier) (int, error) {
			return countAndPage(ctx, db, "1", nil, byTitle, 10_000)
		}},
		{"text+offset", func(ctx context.Context, db *sql.DB, q *querier) (int, error) {
			where, args := likeAny([]string{q.common()})
			return countAndPage(ctx, db, where, args, byDate, 10_000)
		}},
		{"facets", facetsSQL},
	}
}

// likeAny returns the condition that any of the words occurs in any of the texts.
func likeAny(words []string) (where string, args []any) {
	var parts []string
	for _, w := range words {
		parts = append(parts, `a.title LIKE ? OR a.original_filename LIKE ? OR a.creator LIKE ? OR a.copyright LIKE ?
			OR d.ai_caption LIKE ? OR d.ocr_text LIKE ?
			OR EXISTS (SELECT 1 FROM asset_words w WHERE w.asset_id = a.id AND w.word LIKE ?)
			OR EXISTS (SELECT 1 FROM asset_metadata m, json_each(m.value) v WHERE m.asset_id = a.id AND v.value LIKE ?)`)
		args = append(args, slices.Repeat([]any{"%" + w + "%"}, 8)...)
	}
	return "(" + strings.Join(parts, " OR ") + ")", args
}

const threeSQL = `a.file_category = ? AND a.workflow_status IN (?, ?) AND a.file_size > ?`

func threeArgs(q *querier) []any {
	return []any{
		pick(q.rnd, []string{"Image", "Image", "Video", "Document"}), "approved", pick(q.rnd, []string{"draft", "in_review"}),
		10_000 * (1 + q.rnd.IntN(100)),
	}
}

const fromAssets = ` FROM assets a JOIN asset_details d ON d.asset_id = a.id WHERE a.deleted_at IS NULL AND `

// countAndPage runs the two queries of a page.
func countAndPage(ctx context.Context, db *sql.DB, where string, args []any, order string, offset int) (found int, err error) {
	if err := db.QueryRowContext(ctx, "SELECT count(*)"+fromAssets+where, args...).Scan(&found); err != nil {
		return 0, err
	}
	page := fmt.Sprintf("SELECT a.id%s%s ORDER BY %s LIMIT 50 OFFSET %d", fromAssets, where, order, offset)
	return found, drain(db.QueryContext(ctx, page, args...))
}

// drain reads all rows of a query.
func drain(rows *sql.Rows, err error) error {
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
	}
	return rows.Err()
}

func facetsSQL(ctx context.Context, db *sql.DB, q *querier) (found int, err error) {
	where, args := likeAny([]string{q.common()})
	if found, err = countAndPage(ctx, db, where, args, "a.created_at DESC, a.id DESC", 0); err != nil {
		return 0, err
	}
	for _, query := range []string{
		`SELECT a.file_category, count(*)` + fromAssets + where + ` GROUP BY 1`,
		`SELECT a.workflow_status, count(*)` + fromAssets + where + ` GROUP BY 1`,
		`SELECT word, count(*) FROM asset_words WHERE kind = 'keyword' AND asset_id IN (SELECT a.id` + fromAssets + where + `)
			GROUP BY 1 ORDER BY 2 DESC LIMIT 50`,
	} {
		if err := drain(db.QueryContext(ctx, query, args...)); err != nil {
			return 0, err
		}
	}
	return found, nil
}

// openBleve opens the newest text index of the library in dir.
func openBleve(dir string) (bleve.Index, error) {
	indexes := filepath.Join(dir, "index")
	names, err := fs.Glob(os.DirFS(indexes), "text-*")
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("%s has no text index; dal reindex builds it", dir)
	}
	newest := slices.MaxFunc(names, func(a, b string) int { return cmp.Or(len(a)-len(b), strings.Compare(a, b)) })
	return bleve.OpenUsing(filepath.Join(indexes, newest), map[string]any{"read_only": true, "bolt_timeout": "2s"})
}

// searchBleve searches all fields for any of the words, analyzed as at indexing time.
func searchBleve(ctx context.Context, index bleve.Index, text string, from int) (int, error) {
	fields, err := index.Fields()
	if err != nil {
		return 0, err
	}
	var either []query.Query
	for _, f := range fields {
		if f != "_id" && f != "_all" && f != "gaid" {
			q := bleve.NewMatchQuery(text)
			q.SetField(f)
			either = append(either, q)
		}
	}
	r, err := index.SearchInContext(ctx, bleve.NewSearchRequestOptions(bleve.NewDisjunctionQuery(either...), 50, from, false))
	if err != nil {
		return 0, err
	}
	return int(r.Total), nil
}
