package cli

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/digital-asset-library/dal/app/dam"
)

// loadResult is the performance of a server with readers alone, and then with a writer as
// well. Times are in milliseconds.
type loadResult struct {
	Readers       int     `json:"readers"`
	QuietP50      float64 `json:"quiet_p50_ms"`
	QuietP95      float64 `json:"quiet_p95_ms"`
	WriterP50     float64 `json:"writer_p50_ms"` // reads during writes
	WriterP95     float64 `json:"writer_p95_ms"`
	RatioP50      float64 `json:"ratio_p50"` // with the writer, divided by without
	RatioP95      float64 `json:"ratio_p95"`
	QuietReads    float64 `json:"quiet_reads_per_s"`
	WriterReads   float64 `json:"writer_reads_per_s"`
	Updates       int     `json:"updates"`
	UpdatesPerSec float64 `json:"updates_per_s"`
	UpdateP50     float64 `json:"update_p50_ms"`
	UpdateP95     float64 `json:"update_p95_ms"`
	Checks        int     `json:"checks"` // updates that were searched for
	Misses        int     `json:"misses"` // of these, not found by the very next request
	FirstMiss     string  `json:"first_miss,omitempty"`
	Errors        int     `json:"errors"`
	FirstError    string  `json:"first_error,omitempty"`
}

// loadTest is a running load test.
type loadTest struct {
	client     *benchClient
	flags      querierFlags
	classes    []benchClass
	words      *vocabulary
	assets     assetList // a sample of the library
	readers    int
	updates    int // per second
	checkEvery int // updates between checks
}

func newBenchLoad() *cobra.Command {
	var client benchClient
	var asJSON bool
	var length time.Duration
	t := &loadTest{client: &client}
	cmd := &cobra.Command{Use: "load", Short: "Measure searches while assets change", Args: takes(),
		Long: `Several readers send requests of the classes of dal bench search to a running
server, each one request at a time. In the second half of the run, a writer also
changes titles at a fixed rate, each to a unique word. After every 25th change, its
next request searches for that word and must find that asset and no other one;
otherwise it counts as a miss, and the exit code is 1.

Prints the median and the 95th percentile of the readers' times in milliseconds,
without the writer and with it, their ratio, the changes per second, misses and
errors.

It changes the library permanently, so it only accepts one created by dal bench
seed. Run the server with --rate-limit 1000000.`,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if t.classes, err = chosenClasses(t.flags.only); err != nil {
				return err
			}
			if err := client.open(t.readers + 1); err != nil {
				return err
			}
			r, err := t.run(cmd.Context(), length)
			if err != nil {
				return err
			}
			if asJSON {
				err = printJSON(cmd.OutOrStdout(), r)
			} else {
				err = r.print(cmd)
			}
			if r.Misses > 0 {
				return errors.Join(err, fmt.Errorf("%d of %d changes were not found immediately", r.Misses, r.Checks))
			}
			return errors.Join(err, failure(r.Errors))
		}}
	f := flagsOf(cmd)
	client.flags(f)
	t.flags.flags(f)
	f.count(&t.readers, "readers", 8, 1000, "number of readers")
	f.count(&t.updates, "updates", 50, 100_000, "changes per second")
	f.count(&t.checkEvery, "check-every", 25, 1_000_000, "search for the asset after this `number` of changes")
	f.length(&length, "for", 30*time.Second, "duration of the run, half of it without the writer")
	f.json(&asJSON)
	return cmd
}

// run measures for the given time, half of it without the writer.
func (t *loadTest) run(ctx context.Context, length time.Duration) (*loadResult, error) {
	sample, err := t.client.assets(ctx, rand.New(rand.NewPCG(t.flags.seed, 1)), 20)
	if err != nil {
		return nil, err
	}
	if err := requireSeeded(&sample); err != nil {
		return nil, err
	}
	t.assets, t.words = sample, newVocabulary()

	warm, done := context.WithCancel(ctx)
	done() // so that each reader sends one request, which does not count
	t.read(ctx, warm, 0)
	half, stop := context.WithTimeout(ctx, length/2)
	defer stop()
	start := time.Now()
	quiet := t.read(ctx, half, 1)
	quietTook := time.Since(start)

	half, stop = context.WithTimeout(ctx, length/2)
	defer stop()
	var w writerResult
	var work sync.WaitGroup
	start = time.Now()
	work.Go(func() { w = t.write(ctx, half) })
	busy := t.read(ctx, half, 2)
	busyTook := time.Since(start)
	work.Wait()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	r := &loadResult{
		Readers: t.readers, QuietP50: milliseconds(quantile(quiet.took, 0.5)), QuietP95: milliseconds(quantile(quiet.took, 0.95)),
		WriterP50: milliseconds(quantile(busy.took, 0.5)), WriterP95: milliseconds(quantile(busy.took, 0.95)),
		QuietReads: float64(len(quiet.took)) / quietTook.Seconds(), WriterReads: float64(len(busy.took)) / busyTook.Seconds(),
		Updates: len(w.updates.took), UpdatesPerSec: float64(len(w.updates.took)) / w.took.Seconds(),
		UpdateP50: milliseconds(quantile(w.updates.took, 0.5)), UpdateP95: milliseconds(quantile(w.updates.took, 0.95)),
		Checks: w.checks, Misses: w.misses, FirstMiss: w.firstMiss,
	}
	if r.QuietP50 > 0 && r.QuietP95 > 0 {
		r.RatioP50, r.RatioP95 = r.WriterP50/r.QuietP50, r.WriterP95/r.QuietP95
	}
	quiet.join(busy)
	quiet.join(&w.updates)
	if r.Errors = quiet.errors; quiet.first != nil {
		r.FirstError = quiet.first.Error()
	}
	return r, nil
}

// requireSeeded rejects a library that was not created by dal bench seed, judging by a
// sample of its assets. It may contain files of dal bench ingest.
func requireSeeded(sample *assetList) error {
	sum := sha256.Sum256(benchFile())
	for _, a := range sample.Data {
		if a.Checksum != hex.EncodeToString(sum[:]) && !strings.HasPrefix(a.Filename, ingestPrefix) {
			return fmt.Errorf("asset %s was not made by dal bench seed, and this would change it", a.GAID)
		}
	}
	return nil
}

// read has all readers send requests until the time is up, at least one each.
func (t *loadTest) read(ctx, until context.Context, phase int) *series {
	each := make([]series, t.readers)
	var work sync.WaitGroup
	for i := range each {
		q := t.flags.querier(t.words, &t.assets, 1+phase*t.readers+i)
		work.Go(func() {
			for n := i; n == i || until.Err() == nil; n++ {
				each[i].add(t.classes[n%len(t.classes)].ask(ctx, t.client, q))
			}
		})
	}
	work.Wait()
	all := &series{}
	for i := range each {
		all.join(&each[i])
	}
	return all
}

// writerResult is the outcome of the writer.
type writerResult struct {
	updates        series
	took           time.Duration
	checks, misses int
	firstMiss      string
}

// write changes titles until the time is up, at least one. It keeps the average rate: after
// a slow request, the next ones catch up.
func (t *loadTest) write(ctx, until context.Context) (w writerResult) {
	rnd := rand.New(rand.NewPCG(t.flags.seed, uint64(time.Now().UnixNano()))) // different words than in earlier tests
	start := time.Now()
	for n := 0; n == 0 || until.Err() == nil; n++ {
		pause := time.NewTimer(time.Until(start.Add(time.Duration(float64(n) / float64(t.updates) * float64(time.Second)))))
		select {
		case <-pause.C:
		case <-until.Done():
			pause.Stop()
			if n > 0 {
				w.took = time.Since(start)
				return w
			}
		}
		gaid, word := pick(rnd, t.assets.Data).GAID, uniqueWord(rnd)
		body := fmt.Appendf(nil, `{"title": %q}`, capital(word))
		_, took, err := t.client.call(ctx, "PUT", "/assets/"+string(gaid), body)
		w.updates.add(took, 1, err)
		if err == nil && (n+1)%t.checkEvery == 0 {
			w.check(ctx, t.client, gaid, word)
		}
	}
	w.took = time.Since(start)
	return w
}

// check searches for a word that only one asset contains.
func (w *writerResult) check(ctx context.Context, client *benchClient, gaid dam.GAID, word string) {
	data, _, err := client.call(ctx, "GET", "/assets?q="+word, nil)
	var l assetList
	if err == nil {
		err = json.Unmarshal(data, &l)
	}
	if err != nil {
		w.updates.add(0, 0, err)
		return
	}
	w.checks++
	if l.Meta.Total != 1 || len(l.Data) != 1 || l.Data[0].GAID != gaid {
		if w.misses++; w.misses == 1 {
			w.firstMiss = fmt.Sprintf("q=%s found %d assets %v instead of %s",
				word, l.Meta.Total, l.gaids()[:min(3, len(l.Data))], gaid)
		}
	}
}

// uniqueWord generates a word that is in no vocabulary and that stemming does not change.
func uniqueWord(rnd *rand.Rand) string {
	b := []byte("zq")
	for range 12 {
		b = append(b, "bcdfghjklmnprtvw"[rnd.IntN(16)])
	}
	return string(append(b, 'q'))
}

func (r *loadResult) print(cmd *cobra.Command) error {
	w := cmd.OutOrStdout()
	t := tabwriter.NewWriter(w, 0, 4, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(t, "\tP50 ms\tP95 ms\tper second\t\n%d readers\t%.1f\t%.1f\t%.0f\t\n", r.Readers, r.QuietP50, r.QuietP95, r.QuietReads)
	fmt.Fprintf(t, "with the writer\t%.1f\t%.1f\t%.0f\t\n", r.WriterP50, r.WriterP95, r.WriterReads)
	fmt.Fprintf(t, "ratio\t%.2f\t%.2f\t\t\n", r.RatioP50, r.RatioP95)
	fmt.Fprintf(t, "changes\t%.1f\t%.1f\t%.1f\t\n", r.UpdateP50, r.UpdateP95, r.UpdatesPerSec)
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(w, "%d changes, %d searched for immediately, %d misses, %d errors\n", r.Updates, r.Checks, r.Misses, r.Errors)
	if r.FirstMiss != "" {
		fmt.Fprintln(w, "first miss:", r.FirstMiss)
	}
	if r.FirstError != "" {
		fmt.Fprintln(w, "first error:", r.FirstError)
	}
	return nil
}
