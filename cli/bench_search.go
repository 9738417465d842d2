package cli

import (
	"math/rand/v2"

	"github.com/spf13/cobra"

	"github.com/digital-asset-library/dal/app/dam"
)

// warmUps is the number of warm-up requests of each class, which do not count.
const warmUps = 3

// maxRuns is the maximum number of runs.
const maxRuns = 1_000_000

// querierFlags are the flags that define the requests.
type querierFlags struct {
	seed            uint64
	filters, facets string
	only            []string
}

func (q *querierFlags) flags(f *flags) {
	q.facets = "file_category,workflow_status,keywords"
	f.seed(&q.seed, otherWords)
	f.text(&q.filters, "filters", "a filter document in `JSON` instead of the three filters")
	f.text(&q.facets, "facets", "the `fields` to get facets of")
	f.list(&q.only, "only", "only these `classes` of requests (repeatable)", func(string) error { return nil })
}

// querier returns the n-th of several generators of requests to the library from which
// sample was taken.
func (q *querierFlags) querier(v *vocabulary, sample *assetList, n int) *querier {
	rnd := rand.New(rand.NewPCG(q.seed, uint64(n)))
	return &querier{
		rnd: rnd, text: newTextMaker(v, rnd), gaids: sample.gaids(), all: sample.Meta.Total, filters: q.filters, facets: q.facets,
	}
}

func newBenchSearch() *cobra.Command {
	var client benchClient
	var f querierFlags
	var runs int
	var asJSON bool
	cmd := &cobra.Command{Use: "search", Short: "Measure how long a server takes to answer searches", Args: takes(),
		Long: `Requests assets from a running server, one request after the other, and prints
for each class of requests how long the answers took until their last byte: the
median, the 95th percentile, the longest and the sum in milliseconds, and how many
assets were found (the median). The classes take turns; each starts with 3
requests that do not count. Words and values change with each request.

The library is one of dal bench seed, its text index complete (dal reindex),
and the server, wherever it is, runs with --rate-limit 1000000.

The classes, each with 50 assets a page:

` + classList(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			classes, err := chosenClasses(f.only)
			if err != nil {
				return err
			}
			if err := client.open(1); err != nil {
				return err
			}
			ctx := cmd.Context()
			sample, err := client.assets(ctx, rand.New(rand.NewPCG(f.seed, 1)), 5)
			if err != nil {
				return err
			}
			q := f.querier(newVocabulary(), &sample, 0)
			all := make([]series, len(classes))
			p := newProgress(cmd.ErrOrStderr(), "Searching")
			for run := range warmUps + runs {
				for i, c := range classes {
					took, found, err := c.ask(ctx, &client, q)
					if ctx.Err() != nil {
						return ctx.Err()
					}
					if run >= warmUps {
						all[i].add(took, found, err)
					}
				}
				p.set(int64(run+1), int64(warmUps+runs))
			}
			p.end()
			var rows []benchRow
			for i, c := range classes {
				rows = append(rows, all[i].row(c.name))
			}
			return report(cmd.OutOrStdout(), asJSON, rows)
		}}
	fl := flagsOf(cmd)
	client.flags(fl)
	f.flags(fl)
	fl.count(&runs, "runs", 50, maxRuns, "how many requests of each class count")
	fl.json(&asJSON)
	return cmd
}

// gaids lists the assets.
func (l *assetList) gaids() (list []dam.GAID) {
	for _, a := range l.Data {
		list = append(list, a.GAID)
	}
	return list
}
