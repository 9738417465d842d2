package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/find"
	"github.com/digital-asset-library/dal/search"
)

// relevanceDepth is the number of results judged per query.
const relevanceDepth = 10

func newBenchRelevance(s *settings) *cobra.Command {
	var asJSON bool
	i, n := 1, 1 // part i of n
	cfg := app.DefaultConfig()
	cmd := &cobra.Command{Use: "relevance FOLDER", Short: "Measure the quality of search on a judged collection", Args: takes("FOLDER"),
		Long: `Indexes the documents of a judged collection in a temporary folder, runs its
queries and compares the first 10 results with the judgments. FOLDER has three
files of tab-separated lines: docs.tsv (id, text), queries.tsv (id, text) and
qrels.tsv (query id, document id, grade). A grade above 0 is relevant.

Evaluates full-text search alone, and combined with semantic search (--embeddings).
Prints the means over all queries with a relevant document:

  nDCG@10    the gain, grade / log2(rank + 1), relative to the best order
  Recall@10  the share of relevant documents in the first 10
  MRR@10     1 / the rank of the first relevant document, 0 beyond the first 10

To tune on one part and evaluate on another, --part 1/2 selects every second query
starting with the first, and --part 2/2 the others.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := readJudged(args[0])
			if err != nil {
				return err
			}
			log := s.logger(cmd.ErrOrStderr())
			c.part(i, n)
			var rows []relevance
			for _, embeddings := range []string{find.EmbeddingsOff, cfg.Embeddings} {
				if embeddings == find.EmbeddingsOff && len(rows) > 0 {
					break
				}
				cfg.Embeddings = embeddings
				r, err := c.judge(cmd.Context(), cfg, log)
				if err != nil {
					return err
				}
				rows = append(rows, r)
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), rows)
			}
			w := newTable(cmd.OutOrStdout())
			fmt.Fprintln(w, "SEARCH\tNDCG@10\tRECALL@10\tMRR@10\tQUERIES\tDOCUMENTS")
			for _, r := range rows {
				fmt.Fprintf(w, "%s\t%.4f\t%.4f\t%.4f\t%d\t%d\n", r.Search, r.NDCG, r.Recall, r.MRR, r.Queries, r.Docs)
			}
			return w.Flush()
		}}
	f := flagsOf(cmd)
	f.embeddings(&cfg.Embeddings)
	f.text(&cfg.EmbeddingsModel, "embeddings-model", "the `name` of the endpoint's model")
	f.parsed(func(s string) (err error) {
		i, n, err = parsePart(s)
		return err
	}, "part", "1/1", "only every n-th query, starting with the i-th, as `i/n`")
	f.json(&asJSON)
	return cmd
}

func parsePart(s string) (i, n int, err error) {
	a, b, ok := strings.Cut(s, "/")
	i, err1 := strconv.Atoi(a)
	n, err2 := strconv.Atoi(b)
	if !ok || err1 != nil || err2 != nil || i < 1 || i > n {
		return 0, 0, fmt.Errorf("must be a part such as 1/2, not %q", s)
	}
	return i, n, nil
}

type (
	// docID is the id of a document in the collection.
	docID string
	// run returns the best k documents for a query, best first.
	run func(query string, k int) ([]docID, error)
)

// judgedText is a document or a query.
type judgedText struct{ id, text string }

// judged is a collection with queries and human relevance judgements.
type judged struct {
	docs, queries []judgedText
	grades        map[string]map[docID]float64 // by query
}

// relevance contains means over queries.
type relevance struct {
	Search  string  `json:"search"` // words, or words and meaning
	NDCG    float64 `json:"ndcg_10"`
	Recall  float64 `json:"recall_10"`
	MRR     float64 `json:"mrr_10"`
	Queries int     `json:"queries"` // those with a relevant document
	Docs    int     `json:"documents"`
}

// judge measures the search by words alone, or with the model that cfg names.
func (c *judged) judge(ctx context.Context, cfg app.Config, log *slog.Logger) (r relevance, err error) {
	embedder, err := find.NewEmbedder(find.EmbedderConfig{Source: cfg.Embeddings, Model: cfg.EmbeddingsModel, Key: cfg.EmbeddingsKey})
	if err != nil {
		return r, err
	}
	find, done, err := openJudged(ctx, c.docs, embedder, log)
	if err != nil {
		return r, err
	}
	r, err = c.measure(find)
	r.Search = "words"
	if embedder != nil {
		r.Search = "words and " + embedder.Model()
	}
	return r, errors.Join(err, done())
}

// readJudged reads a collection.
func readJudged(dir string) (c *judged, err error) {
	c = &judged{grades: map[string]map[docID]float64{}}
	texts := func(name string) (list []judgedText, err error) {
		err = readTable(filepath.Join(dir, name), 2, func(f []string) error {
			list = append(list, judgedText{f[0], f[1]})
			return nil
		})
		return list, err
	}
	if c.docs, err = texts("docs.tsv"); err != nil {
		return nil, err
	}
	if c.queries, err = texts("queries.tsv"); err != nil {
		return nil, err
	}
	return c, readTable(filepath.Join(dir, "qrels.tsv"), 3, func(f []string) error {
		grade, err := strconv.ParseFloat(f[2], 64)
		if c.grades[f[0]] == nil {
			c.grades[f[0]] = map[docID]float64{}
		}
		c.grades[f[0]][docID(f[1])] = grade
		return err
	})
}

// readTable calls fn with the fields of each line of a file; the last field may contain
// tabs.
func readTable(path string, fields int, fn func([]string) error) error {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("a judged collection needs docs.tsv, queries.tsv and qrels.tsv: %w", err)
	}
	if err != nil {
		return err
	}
	defer f.Close()
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 16<<20)
	for n := 1; sc.Scan(); n++ {
		if sc.Text() == "" {
			continue
		}
		list := strings.SplitN(sc.Text(), "\t", fields)
		if len(list) < fields {
			return fmt.Errorf("%s:%d: expected %d fields separated by tabs", path, n, fields)
		}
		if err := fn(list); err != nil {
			return fmt.Errorf("%s:%d: %w", path, n, err)
		}
	}
	return sc.Err()
}

// part keeps every n-th query, starting with the i-th, i from 1.
func (c *judged) part(i, n int) {
	var kept []judgedText
	for k := i - 1; k < len(c.queries); k += n {
		kept = append(kept, c.queries[k])
	}
	c.queries = kept
}

// measure runs all queries that have a relevant document.
func (c *judged) measure(find run) (r relevance, err error) {
	r.Docs = len(c.docs)
	for _, q := range c.queries {
		var grades []float64 // of the relevant documents
		for _, g := range c.grades[q.id] {
			if g > 0 {
				grades = append(grades, g)
			}
		}
		if len(grades) == 0 {
			continue
		}
		results, err := find(q.text, relevanceDepth)
		if err != nil {
			return r, fmt.Errorf("query %s: %w", q.id, err)
		}
		ndcg, recall, rr := score(results, c.grades[q.id], grades)
		r.NDCG += ndcg
		r.Recall += recall
		r.MRR += rr
		r.Queries++
	}
	if n := float64(r.Queries); n > 0 {
		r.NDCG, r.Recall, r.MRR = r.NDCG/n, r.Recall/n, r.MRR/n
	}
	return r, nil
}

// score judges the results of one query. The first 10 count, and each document counts once;
// relevant contains all grades above 0, at least one. The gain is the grade, as in
// trec_eval, not 2^grade - 1.
func score(results []docID, grades map[docID]float64, relevant []float64) (ndcg, recall, rr float64) {
	seen := map[docID]bool{}
	var gain float64
	hits := 0
	for i, id := range results[:min(relevanceDepth, len(results))] {
		g := grades[id]
		if g <= 0 || seen[id] {
			continue
		}
		seen[id] = true
		gain += g / math.Log2(float64(i+2))
		if hits++; hits == 1 {
			rr = 1 / float64(i+1)
		}
	}
	best := slices.Sorted(slices.Values(relevant))
	slices.Reverse(best)
	var ideal float64
	for i, g := range best[:min(relevanceDepth, len(best))] {
		ideal += g / math.Log2(float64(i+2))
	}
	return gain / ideal, float64(hits) / float64(len(relevant)), rr
}

// openJudged indexes documents as the texts of assets, in a temporary folder that done
// removes.
func openJudged(
	ctx context.Context, docs []judgedText, embedder search.Embedder, log *slog.Logger,
) (find run, done func() error, err error) {
	dir, err := os.MkdirTemp("", "dal-relevance-")
	if err != nil {
		return nil, nil, err
	}
	clean := func() error { return os.RemoveAll(dir) }
	e, err := search.Open(ctx, dir, judgedSource(docs), embedder, log)
	if err != nil {
		return nil, nil, errors.Join(err, clean())
	}
	done = func() error { return errors.Join(e.Close(), clean()) }
	if err := e.Rebuild(ctx, func(int64, int64) {}); err != nil {
		return nil, nil, errors.Join(err, done())
	}
	if embedder != nil {
		if err := putMeanings(ctx, e, embedder, docs); err != nil {
			return nil, nil, errors.Join(err, done())
		}
	}
	return func(query string, k int) ([]docID, error) {
		r, err := e.Search(ctx, dam.Query{Text: query, Sort: dam.SortRelevance, Desc: true, Page: dam.Page{Limit: k}}, search.Scope{})
		if err != nil {
			return nil, err
		}
		ids := make([]docID, len(r.Hits))
		for i, h := range r.Hits {
			ids[i] = docID(docs[h.AssetID-1].id)
		}
		return ids, nil
	}, done, nil
}

// putMeanings computes and stores the vectors of all documents.
func putMeanings(ctx context.Context, e *search.Engine, embedder search.Embedder, docs []judgedText) error {
	const chunk = 32
	for i := 0; i < len(docs); i += chunk {
		var texts []string
		for _, d := range docs[i:min(i+chunk, len(docs))] {
			texts = append(texts, find.MeaningOf(&dam.Asset{OCRText: d.text}))
		}
		vectors, err := embedder.Embed(ctx, texts)
		if err != nil {
			return err
		}
		var list []search.Vector
		for j, v := range vectors {
			if v != nil {
				list = append(list, search.Vector{AssetID: int64(i + j + 1), Values: v})
			}
		}
		if err := e.PutVectors(ctx, list); err != nil {
			return err
		}
	}
	e.MeaningReady()
	return nil
}

// judgedSource presents documents as a library: each is an asset that was written once, in
// order, with a row number one above its index.
type judgedSource []judgedText

func (s judgedSource) LastSeq(context.Context) (int64, error) { return int64(len(s)), nil }

func (s judgedSource) Columns(ctx context.Context, after int64, limit int) ([]dam.Change, error) {
	return s.Documents(ctx, after, limit)
}

func (s judgedSource) Documents(ctx context.Context, after int64, limit int) (list []dam.Change, err error) {
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for id := after + 1; id <= min(after+int64(limit), int64(len(s))); id++ {
		list = append(list, dam.Change{Seq: id, AssetID: id, Asset: &dam.Asset{
			ID: id, GAID: dam.GAID(fmt.Sprintf("%026d", id)), OCRText: s[id-1].text, CreatedAt: at, UpdatedAt: at,
		}})
	}
	return list, ctx.Err()
}

// Values does nothing: the documents have no fields except their text, which no filter
// uses.
func (judgedSource) Values(context.Context, string, []int64, func(int64, any)) error {
	return nil
}

// Keep discards the snapshot: documents are read once.
func (judgedSource) Keep(context.Context, string, int64) error { return nil }

// Kept returns no snapshot.
func (judgedSource) Kept(context.Context) (string, error) { return "", nil }
