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
	cmd := &cobra.Command{Use: "search", Short: "Measure the response times of searches", Args: takes(),
		Long: `Sends requests to a running server, one at a time, and prints the times until the
last byte of the response for each class of requests: median, 95th percentile,
maximum and sum in milliseconds, and the median number of assets found. The classes
take turns; each starts with 3 requests that are not counted. Words and values
change with each request.

The library must be created by dal bench seed and have a complete text index (dal
reindex); the server, on any machine, must run with --rate-limit 1000000.

The classes, each with 50 assets per page:

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
	fl.count(&runs, "runs", 50, maxRuns, "number of counted requests per class")
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
