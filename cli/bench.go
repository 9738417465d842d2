package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/digital-asset-library/dal/app/account"
)

func newBench(s *settings) *cobra.Command {
	cmd := &cobra.Command{
		Use: "bench", Short: "Measure the speed of dal and the quality of search", Args: takes(), Hidden: true,
		Long: `Measures dal. From scratch:

  dal bench seed --data DIR --assets 100000 > token    2 minutes or less
  dal reindex --data DIR
  dal bench compare --data DIR                         SQL alone, the text index alone
  dal serve --data DIR --rate-limit 1000000
  dal bench search --token $(cat token)                from another terminal
  dal bench load --token $(cat token)
  dal bench attack --token $(cat token)
  dal bench operations --token $(cat token)
  dal bench ingest --token $(cat token)

Without --rate-limit, the server limits each token to 60 requests per minute.

Times are wall-clock times in milliseconds. p95 is the 95th percentile. Failed
requests are counted, with the first error, but not timed, and the exit code is 3.`,
	}
	cmd.AddCommand(
		newBenchSeed(s), newBenchSearch(), newBenchLoad(), newBenchOperations(), newBenchCompare(s), newBenchRelevance(s), newBenchAttack(),
		newBenchIngest(),
	)
	return cmd
}

// seed defines a flag for the seed of random numbers.
func (f *flags) seed(v *uint64, usage string) {
	*v = 1
	f.number(account.NewLimit("seed", v, 1, 0, math.MaxInt64-1), "seed", usage)
}

// count defines a flag for a number of things.
func (f *flags) count(v *int, name string, byDefault, most int, usage string) {
	*v = byDefault
	f.number(account.NewLimit(name, v, byDefault, 1, most), name, usage)
}

// length defines a flag for a duration.
func (f *flags) length(v *time.Duration, name string, byDefault time.Duration, usage string) {
	*v = byDefault
	f.time(account.NewLimit(name, v, byDefault, 10*time.Millisecond, time.Hour), name, usage)
}

// process defines a flag for the process id of the server; v stays 0 without it.
func (f *flags) process(v *int) {
	f.number(account.NewLimit("pid", v, 0, 1, math.MaxInt32), "pid", "the process `id` of the server, to read its memory (Linux)")
}

// otherWords is the help of --seed for the commands that search.
const otherWords = "a `number`; another one searches for other words and values"

// series collects the results of all runs of one class of requests.
type series struct {
	took   []time.Duration // durations of the successful runs
	found  []int           // number of assets found by each
	errors int
	first  error // the first error
}

// add records one run.
func (s *series) add(took time.Duration, found int, err error) {
	if err != nil {
		s.errors++
		s.first = cmp.Or(s.first, err)
		return
	}
	s.took, s.found = append(s.took, took), append(s.found, found)
}

// join adds the runs of another series.
func (s *series) join(o *series) {
	s.took, s.found = append(s.took, o.took...), append(s.found, o.found...)
	s.errors += o.errors
	s.first = cmp.Or(s.first, o.first)
}

// quantile returns the nearest-rank quantile q of list, or the zero value for an empty
// list.
func quantile[T cmp.Ordered](list []T, q float64) (v T) {
	if len(list) == 0 {
		return v
	}
	sorted := slices.Sorted(slices.Values(list))
	// q has at most three decimals; rounding errors must not raise the rank by one.
	rank := (int(q*1000+0.5)*len(sorted) + 999) / 1000
	return sorted[max(rank, 1)-1]
}

// milliseconds converts a duration for tables and JSON.
func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// benchRow is a line of a table of measurements. Times are in milliseconds.
type benchRow struct {
	Class      string  `json:"class"`
	Runs       int     `json:"runs"` // successful ones
	Median     float64 `json:"median_ms"`
	P95        float64 `json:"p95_ms"`
	Max        float64 `json:"max_ms"`
	Total      float64 `json:"total_ms"`
	Found      int     `json:"found"` // median number of assets found
	Errors     int     `json:"errors"`
	FirstError string  `json:"first_error,omitempty"`
	Note       string  `json:"note,omitempty"`
}

func (s *series) row(class string) benchRow {
	r := benchRow{
		Class: class, Runs: len(s.took), Found: quantile(s.found, 0.5), Errors: s.errors,
		Median: milliseconds(quantile(s.took, 0.5)), P95: milliseconds(quantile(s.took, 0.95)), Max: milliseconds(quantile(s.took, 1)),
	}
	var total time.Duration
	for _, t := range s.took {
		total += t
	}
	r.Total = milliseconds(total)
	if s.first != nil {
		r.FirstError = s.first.Error()
	}
	return r
}

// printRows writes a table, followed by notes and errors.
func printRows(w io.Writer, rows []benchRow) error {
	t := tabwriter.NewWriter(w, 0, 4, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "RUNS\tMEDIAN ms\tP95 ms\tMAX ms\tTOTAL ms\tFOUND\tERRORS\t  CLASS")
	for _, r := range rows {
		if r.Runs == 0 {
			fmt.Fprintf(t, "0\t-\t-\t-\t-\t-\t%d\t  %s\n", r.Errors, r.Class)
			continue
		}
		fmt.Fprintf(t, "%d\t%.1f\t%.1f\t%.1f\t%.0f\t%d\t%d\t  %s\n", r.Runs, r.Median, r.P95, r.Max, r.Total, r.Found, r.Errors, r.Class)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, r := range rows {
		if r.Note != "" {
			fmt.Fprintf(w, "%s: %s\n", r.Class, r.Note)
		}
		if r.FirstError != "" {
			fmt.Fprintf(w, "%s: first of %d errors: %s\n", r.Class, r.Errors, r.FirstError)
		}
	}
	return nil
}

// report writes rows, as a table or as JSON, and returns an error if any request failed.
func report(w io.Writer, asJSON bool, rows []benchRow) error {
	write := func() error { return printRows(w, rows) }
	if asJSON {
		write = func() error { return printJSON(w, rows) }
	}
	failed := 0
	for _, r := range rows {
		failed += r.Errors
	}
	return errors.Join(write(), failure(failed))
}

// failure is the error of a measurement in which n requests failed.
func failure(n int) error {
	if n == 0 {
		return nil
	}
	return &exitError{exitPartly, fmt.Errorf("%d requests failed", n)}
}
