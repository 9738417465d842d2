package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
)

// operationResult is the performance of operations. Times are in milliseconds.
type operationResult struct {
	Assets      int     `json:"assets"`
	AcceptedMS  float64 `json:"accepted_ms"` // until the answer to the request
	PerSecond   float64 `json:"assets_per_s"`
	QuietP95    float64 `json:"search_quiet_p95_ms"`
	SearchP50   float64 `json:"search_p50_ms"` // during the bulk_update
	SearchP95   float64 `json:"search_p95_ms"`
	Searches    int     `json:"searches"`
	WriteP50    float64 `json:"write_p50_ms"` // of a PUT during the bulk_update
	WriteP95    float64 `json:"write_p95_ms"`
	Writes      int     `json:"writes"`
	CancelMS    float64 `json:"cancel_ms"` // from the cancel request to the state cancelled
	CancelDone  int     `json:"cancel_done"`
	ExportPerS  float64 `json:"export_assets_per_s"`
	ExportBytes int64   `json:"export_bytes"`
	MemoryQuiet int64   `json:"memory_quiet_bytes"` // resident; 0 if unknown
	MemoryBulk  int64   `json:"memory_bulk_bytes"`  // maximum
	MemoryZIP   int64   `json:"memory_export_bytes"`
	Errors      int     `json:"errors"`
	FirstError  string  `json:"first_error,omitempty"`
}

// operationTest measures operations on a running server.
type operationTest struct {
	client benchClient
	flags  querierFlags
	quiet  time.Duration
	pid    int
	which  string // filter document that selects the assets to change
	words  *vocabulary
	assets assetList
}

func newBenchOperations() *cobra.Command {
	t := operationTest{which: `{"type":"group","operator":"and","rules":[]}`}
	var asJSON bool
	cmd := &cobra.Command{Use: "operations", Short: "Measure operations on all assets with concurrent searches and changes", Args: takes(),
		Long: `Sends searches to a running server, one at a time, then changes all assets with a
bulk_update while the searches continue and 4 single assets per second are changed.
Then it starts another bulk_update, cancels it halfway, and exports all assets as a
ZIP file.

Prints the assets per second, the times of searches before and during the
bulk_update, of single changes and of cancelling, and, with --pid on Linux, the
resident memory of the server.

It changes the library permanently, so it only accepts one created by dal bench
seed. Run the server with --rate-limit 1000000.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := t.client.open(4); err != nil {
				return err
			}
			r, err := t.run(cmd.Context())
			if err != nil {
				return err
			}
			if asJSON {
				err = printJSON(cmd.OutOrStdout(), r)
			} else {
				err = r.print(cmd.OutOrStdout())
			}
			return errors.Join(err, failure(r.Errors))
		}}
	f := flagsOf(cmd)
	t.client.flags(f)
	t.flags.flags(f)
	f.length(&t.quiet, "quiet", 10*time.Second, "duration of the searches before the operation")
	f.text(&t.which, "selection", "change and export only assets that match this filter document in `JSON`")
	f.process(&t.pid)
	f.json(&asJSON)
	return cmd
}

// run performs all measurements.
func (t *operationTest) run(ctx context.Context) (*operationResult, error) {
	var err error
	if t.assets, err = t.client.assets(ctx, rand.New(rand.NewPCG(t.flags.seed, 1)), 4); err != nil {
		return nil, err
	}
	if err := requireSeeded(&t.assets); err != nil {
		return nil, err
	}
	t.words = newVocabulary()
	r := &operationResult{}
	quiet, stop := context.WithTimeout(ctx, t.quiet)
	before := t.search(ctx, quiet, 1)
	stop()
	r.QuietP95 = milliseconds(quantile(before.took, 0.95))
	r.MemoryQuiet = t.memory() // including memory allocated by searches

	mark := fmt.Sprintf("Bench %d", time.Now().UnixNano())
	start := time.Now()
	op, err := t.start(ctx, `{"type":"bulk_update","selection":{"filters":`+t.which+
		`},"changes":{"creator":"`+mark+`","add_keywords":["`+mark+`"]}}`)
	if err != nil {
		return nil, err
	}
	r.AcceptedMS = milliseconds(time.Since(start))
	busy, stop := context.WithCancel(ctx)
	var others sync.WaitGroup
	var during, writes *series
	others.Go(func() { during = t.search(ctx, busy, 2) })
	others.Go(func() { writes = t.write(ctx, busy) })
	op, r.MemoryBulk, err = t.wait(ctx, op, func(o benchOperation) bool { return o.FinishedAt != nil })
	took := time.Since(start)
	stop()
	others.Wait()
	if err != nil {
		return nil, err
	}
	if op.Progress.Failed > 0 || op.State != "completed" {
		return nil, fmt.Errorf("the operation is %s, %d failed", op.State, op.Progress.Failed)
	}
	r.Assets, r.PerSecond = op.Progress.Total, float64(op.Progress.Total)/took.Seconds()
	r.SearchP50, r.SearchP95 = milliseconds(quantile(during.took, 0.5)), milliseconds(quantile(during.took, 0.95))
	r.WriteP50, r.WriteP95 = milliseconds(quantile(writes.took, 0.5)), milliseconds(quantile(writes.took, 0.95))
	r.Searches, r.Writes = len(during.took), len(writes.took)
	before.join(during)
	before.join(writes)
	if r.Errors = before.errors; before.first != nil {
		r.FirstError = before.first.Error()
	}
	return r, errors.Join(t.cancel(ctx, r, mark), t.export(ctx, r))
}

// cancel starts an operation and cancels it halfway.
func (t *operationTest) cancel(ctx context.Context, r *operationResult, mark string) error {
	op, err := t.start(ctx, `{"type":"bulk_update","selection":{"filters":`+t.which+`},"changes":{"creator":"`+mark+` again"}}`)
	if err != nil {
		return err
	}
	if op, _, err = t.wait(ctx, op, func(o benchOperation) bool { return o.Progress.Done > 0 }); err != nil {
		return err
	}
	start := time.Now()
	_, _, refused := t.client.call(ctx, "POST", fmt.Sprintf("/operations/%d/cancel", op.ID), nil)
	op, _, err = t.wait(ctx, op, func(o benchOperation) bool { return o.FinishedAt != nil })
	r.CancelMS, r.CancelDone = milliseconds(time.Since(start)), op.Progress.Done
	if op.State == "completed" { // a small library: it was faster
		return err
	}
	return errors.Join(err, refused)
}

// export exports all assets.
func (t *operationTest) export(ctx context.Context, r *operationResult) error {
	start := time.Now()
	op, err := t.start(ctx, `{"type":"export","format":"zip","selection":{"filters":`+t.which+`}}`)
	if err != nil {
		return err
	}
	if op, r.MemoryZIP, err = t.wait(ctx, op, func(o benchOperation) bool { return o.FinishedAt != nil }); err != nil {
		return err
	}
	if op.Download == nil {
		return fmt.Errorf("the export is %s", op.State)
	}
	r.ExportPerS, r.ExportBytes = float64(op.Progress.Done)/time.Since(start).Seconds(), op.Download.FileSize
	return nil
}

// benchOperation is the part of an operation that the client reads.
type benchOperation struct {
	ID         int64   `json:"id"`
	State      string  `json:"state"`
	FinishedAt *string `json:"finished_at"`
	Progress   struct {
		Total  int `json:"total"`
		Done   int `json:"done"`
		Failed int `json:"failed"`
	} `json:"progress"`
	Download *struct {
		FileSize int64 `json:"file_size"`
	} `json:"download"`
}

// start starts an operation.
func (t *operationTest) start(ctx context.Context, body string) (op benchOperation, err error) {
	req, err := http.NewRequestWithContext(ctx, "POST", t.client.url+"/api/v1/operations", strings.NewReader(body))
	if err != nil {
		return op, err
	}
	req.Header.Set("Authorization", "Bearer "+t.client.token)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Idempotency-Key", fmt.Sprintf("bench-%d", time.Now().UnixNano()))
	res, err := t.client.http.Do(req)
	if err != nil {
		return op, err
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode != http.StatusAccepted {
		err = fmt.Errorf("POST /operations: %s: %.300s", res.Status, data)
	}
	return op, errors.Join(err, readOperation(data, &op, err))
}

func readOperation(data []byte, op *benchOperation, err error) error {
	if err != nil {
		return nil // the caller reports it
	}
	var env struct {
		Data *benchOperation `json:"data"`
	}
	env.Data = op
	return json.Unmarshal(data, &env)
}

// benchPoll is the interval at which the progress of an operation is polled.
const benchPoll = 50 * time.Millisecond

// wait polls an operation until it is done, and returns the peak memory of the server until
// then.
func (t *operationTest) wait(
	ctx context.Context, op benchOperation, done func(benchOperation) bool,
) (_ benchOperation, memory int64, err error) {
	tick := time.NewTicker(benchPoll)
	defer tick.Stop()
	for {
		data, _, err := t.client.call(ctx, "GET", fmt.Sprintf("/operations/%d", op.ID), nil)
		if err = errors.Join(err, readOperation(data, &op, err)); err != nil {
			return op, memory, err
		}
		if memory = max(memory, t.memory()); done(op) {
			return op, memory, nil
		}
		select {
		case <-ctx.Done():
			return op, memory, ctx.Err()
		case <-tick.C:
		}
	}
}

// search sends searches, one after the other, until the time is up.
func (t *operationTest) search(ctx, until context.Context, n int) *series {
	classes, err := chosenClasses(t.flags.only)
	q, s := t.flags.querier(t.words, &t.assets, n), &series{}
	if err != nil {
		s.add(0, 0, err)
		return s
	}
	for i := 0; until.Err() == nil; i++ {
		s.add(classes[i%len(classes)].ask(ctx, &t.client, q))
	}
	return s
}

// write changes single assets, 4 per second, until the time is up.
func (t *operationTest) write(ctx, until context.Context) *series {
	rnd, s := rand.New(rand.NewPCG(t.flags.seed, 3)), &series{}
	tick := time.NewTicker(time.Second / 4)
	defer tick.Stop()
	for {
		select {
		case <-until.Done():
			return s
		case <-tick.C:
		}
		body := fmt.Appendf(nil, `{"copyright": %q}`, uniqueWord(rnd))
		_, took, err := t.client.call(ctx, "PUT", "/assets/"+string(pick(rnd, t.assets.Data).GAID), body)
		s.add(took, 1, err)
	}
}

// memory returns the resident memory of the server in bytes, or 0 if it is unknown.
func (t *operationTest) memory() int64 {
	if use := useOf(t.pid); use != nil {
		return use.Bytes
	}
	return 0
}

func (r *operationResult) print(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	fmt.Fprintf(w, "bulk_update of %d assets\t%.0f assets/s\taccepted after %.0f ms\n", r.Assets, r.PerSecond, r.AcceptedMS)
	fmt.Fprintf(w, "searches during it\tp50 %.1f ms, p95 %.1f ms\t%d; before p95 %.1f ms\n",
		r.SearchP50, r.SearchP95, r.Searches, r.QuietP95)
	fmt.Fprintf(w, "single changes during it\tp50 %.1f ms, p95 %.1f ms\t%d\n", r.WriteP50, r.WriteP95, r.Writes)
	fmt.Fprintf(w, "cancelled after\t%.0f ms\t%d were done\n", r.CancelMS, r.CancelDone)
	fmt.Fprintf(w, "export as zip\t%.0f assets/s\t%.1f MB\n", r.ExportPerS, float64(r.ExportBytes)/1e6)
	if r.MemoryQuiet > 0 {
		fmt.Fprintf(w, "resident memory\t%.0f MB before\t%.0f MB at most during the bulk_update, %.0f MB during the export\n",
			float64(r.MemoryQuiet)/1e6, float64(r.MemoryBulk)/1e6, float64(r.MemoryZIP)/1e6)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if r.FirstError != "" {
		_, err := fmt.Fprintln(out, "first error:", r.FirstError)
		return err
	}
	return nil
}
