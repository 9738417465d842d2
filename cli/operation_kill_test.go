package cli_test

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

type operationEnvelope struct {
	Data struct {
		ID       int64
		State    string
		Progress struct{ Total, Done, Failed int }
	}
}

// operate starts an operation with an idempotency key.
func (p *process) operate(token, key, body string) (op operationEnvelope, replayed bool, err error) {
	req, err := http.NewRequest("POST", p.url+"/api/v1/operations", strings.NewReader(body))
	if err != nil {
		return op, false, err
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Idempotency-Key", key)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return op, false, err
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode != 202 {
		err = fmt.Errorf("%d %s", res.StatusCode, data)
	}
	if err == nil {
		err = json.Unmarshal(data, &op)
	}
	return op, res.Header.Get("Idempotency-Replayed") == "true", err
}

// until polls an operation until it is done.
func (p *process) until(t *testing.T, token string, id int64, done func(operationEnvelope) bool) operationEnvelope {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(3 * time.Minute)
	for {
		var op operationEnvelope
		if err := p.call(token, "GET", fmt.Sprintf("/operations/%d", id), "application/json", nil, &op); err != nil {
			t.Fatal(err)
		}
		if done(op) {
			return op
		}
		if op.Data.State == "failed" {
			t.Fatalf("operation %d: %+v", id, op)
		}
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("operation %d does not come to it: %+v", id, op)
		}
	}
}

// An operation whose server is killed repeatedly resumes and does nothing twice; an export
// starts over and leaves nothing behind.
func TestKillOperation(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "lib")
	token := dal(t, "", "bench", "seed", "--data", data, "--assets", "1500", "--collections", "10")
	store := records(t, data)
	before := versions(t, store)

	const selection = `"selection":{"filters":{"type":"group","operator":"and","rules":[]}}`
	const update = `{"type":"bulk_update",` + selection + `,"changes":{"add_keywords":["killed"],"creator":"Kill"}}`
	const export = `{"type":"export","format":"zip",` + selection + `}`
	var bulk, file operationEnvelope
	last, interrupted := 0, 0
	for round := range 4 { // the fifth attempt at an export is the last
		p := serve(t, data)
		var again bool
		var err error
		if bulk, again, err = p.operate(token, "bulk", update); err != nil || again != (round > 0) {
			t.Fatalf("round %d: replayed %v, %v", round, again, err)
		}
		if file, again, err = p.operate(token, "file", export); err != nil || again != (round > 0) {
			t.Fatalf("round %d: replayed %v, %v", round, again, err)
		}
		op := p.until(t, token, bulk.Data.ID, func(op operationEnvelope) bool {
			return op.Data.Progress.Done > last || op.Data.State == "completed"
		})
		<-time.After(time.Duration(rand.IntN(80)) * time.Millisecond) // the moment of the fault
		p.kill()
		if last = op.Data.Progress.Done; op.Data.State == "running" {
			interrupted++
		}
	}
	if interrupted == 0 {
		t.Fatal("no kill was in the middle")
	}
	junk := filepath.Join(data, "exports", "99.zip.part")
	if err := os.WriteFile(junk, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}

	p := serve(t, data)
	ended := func(op operationEnvelope) bool { return strings.HasPrefix(op.Data.State, "completed") }
	bulk, file = p.until(t, token, bulk.Data.ID, ended), p.until(t, token, file.Data.ID, ended)
	if err := p.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Wait(); err != nil {
		t.Errorf("an orderly stop: %v", err)
	}
	if bulk.Data.Progress.Failed+file.Data.Progress.Failed > 0 || bulk.Data.Progress.Total < 1400 {
		t.Errorf("%+v %+v", bulk, file)
	}
	entries, err := os.ReadDir(filepath.Join(data, "exports"))
	if err != nil || len(entries) != 1 || entries[0].Name() != fmt.Sprintf("%d.zip", file.Data.ID) {
		t.Errorf("exports: %v, %v", entries, err)
	}
	after := versions(t, store)
	read(t, store, func(tx *storage.Tx) error {
		op, err := tx.Operation(bulk.Data.ID)
		if err != nil {
			return err
		}
		items, err := tx.OperationItems(op, dam.ItemDone, dam.Page{Limit: 1_000_000})
		if err != nil {
			return err
		}
		events := map[string]int{}
		list, err := tx.Events(0, 1_000_000)
		for _, e := range list {
			if e.Type != dam.UploadBatchCompleted { // those are from the seed
				events[string(e.Type)+" "+e.Subject]++
			}
		}
		for _, i := range items {
			if n := after[i.AssetID] - before[i.AssetID]; n != 1 {
				t.Errorf("asset %d was changed %d times", i.AssetID, n)
			}
			if n := events["asset.updated "+string(i.GAID)]; n != 1 {
				t.Errorf("asset %d has %d events", i.AssetID, n)
			}
		}
		if len(items) != op.Total || len(events) != op.Total+2 { // one for each operation
			t.Errorf("%d items of %d are done, %d events", len(items), op.Total, len(events))
		}
		for _, o := range []operationEnvelope{bulk, file} {
			if n := events[fmt.Sprintf("operation.completed %d", o.Data.ID)]; n != 1 {
				t.Errorf("operation %d was completed %d times", o.Data.ID, n)
			}
		}
		return err
	})
	dal(t, "", "check", "--data", data)
	t.Logf("%d of 4 kills were in the middle of %d assets", interrupted, bulk.Data.Progress.Total)
}
