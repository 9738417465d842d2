package cli_test

import (
	"bytes"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"mime/multipart"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

// The number of endpoints in the tests, and of those that never answer.
const (
	hooksAll     = 50
	hooksHanging = 10
)

// receipt is the delivery of an event to an endpoint.
type receipt struct {
	life int // of the server that sent it
	took time.Duration
}

// endpoints are receivers of webhooks, each with a separate address.
type endpoints struct {
	urls     []string
	ca       string // a file
	mu       sync.Mutex
	got      []map[string][]receipt // by event id; nil for an endpoint that hangs
	receipts int
	life     int
	conns    atomic.Int64 // open connections
}

func newEndpoints(t testing.TB) *endpoints {
	e := &endpoints{got: make([]map[string][]receipt, hooksAll)}
	release := make(chan struct{})
	for i := range hooksAll {
		hangs := i < hooksHanging
		if !hangs {
			e.got[i] = map[string][]receipt{}
		}
		srv := httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			var event struct {
				ID        string
				CreatedAt time.Time `json:"created_at"`
			}
			body, err := io.ReadAll(r.Body)
			if err != nil || json.Unmarshal(body, &event) != nil {
				panic(http.ErrAbortHandler) // the sender was killed in the middle
			}
			if hangs {
				select {
				case <-r.Context().Done():
				case <-release:
				}
				return
			}
			e.mu.Lock()
			defer e.mu.Unlock()
			e.receipts++
			e.got[i][event.ID] = append(e.got[i][event.ID], receipt{e.life, time.Since(event.CreatedAt)})
		}))
		srv.Config.ErrorLog = log.New(io.Discard, "", 0)
		srv.Config.ConnState = func(_ net.Conn, s http.ConnState) {
			switch s {
			case http.StateNew:
				e.conns.Add(1)
			case http.StateClosed, http.StateHijacked:
				e.conns.Add(-1)
			}
		}
		srv.StartTLS()
		t.Cleanup(srv.Close)
		e.urls = append(e.urls, srv.URL)
		if i == 0 { // httptest's servers share one certificate
			e.ca = filepath.Join(t.TempDir(), "ca.pem")
			if err := os.WriteFile(e.ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: srv.Certificate().Raw}), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Cleanup(func() { close(release) })
	return e
}

// await waits until done, which is called with e locked.
func (e *endpoints) await(t testing.TB, what string, done func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(5 * time.Minute)
	for {
		e.mu.Lock()
		ok := done()
		e.mu.Unlock()
		if ok {
			return
		}
		select {
		case <-tick.C:
		case <-deadline:
			e.mu.Lock()
			defer e.mu.Unlock()
			t.Fatalf("no %s: %d receipts", what, e.receipts)
		}
	}
}

// hookedLibrary creates a library with some assets and a server that notifies the endpoints
// of every change.
func hookedLibrary(t testing.TB, e *endpoints, assets int) (data, token string, start func() *process, p *process, gaids []string) {
	t.Helper()
	data = filepath.Join(t.TempDir(), "lib")
	makeAdmin(t, data)
	token = dal(t, "", "token", "create", "--data", data, "--user", "ada@example.com", "--name", "t", "--all-abilities")
	start = func() *process {
		return serve(t, data, "--embeddings", "off", "--webhook-allow-cidr", "127.0.0.0/8", "--webhook-ca-file", e.ca)
	}
	p = start()
	call := func(method, path, kind string, body io.Reader, into any) {
		t.Helper()
		if err := p.call(token, method, path, kind, body, into); err != nil {
			t.Fatal(err)
		}
	}
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	for i := range assets {
		f, err := w.CreateFormFile("file", fmt.Sprintf("p%d.jpg", i))
		if err != nil {
			t.Fatal(err)
		}
		f.Write(picture(i, 64))
	}
	w.Close()
	var b envelope
	call("POST", "/upload-batches", "application/json", strings.NewReader(`{}`), &b)
	batch := fmt.Sprintf("/upload-batches/%d", b.Data.ID)
	call("POST", batch+"/files", w.FormDataContentType(), &form, new(any))
	call("POST", batch+"/complete", "application/json", nil, &b)
	e.await(t, "end of the upload", func() bool {
		call("GET", batch, "application/json", nil, &b)
		return b.Data.Status != "processing"
	})
	var list struct{ Data []struct{ GAID string } }
	call("GET", "/assets?per_page=100", "application/json", nil, &list)
	for _, a := range list.Data {
		gaids = append(gaids, a.GAID)
	}
	if len(gaids) != assets {
		t.Fatalf("%d assets, want %d", len(gaids), assets)
	}
	for _, url := range e.urls {
		call("POST", "/webhooks", "application/json", strings.NewReader(fmt.Sprintf(`{"url":%q,"events":["asset.updated"]}`, url)), new(any))
	}
	return data, token, start, p, gaids
}

// retitle changes the title of an asset.
func (p *process) retitle(token, gaid, title string) error {
	return p.call(token, "PUT", "/assets/"+gaid, "application/json", strings.NewReader(fmt.Sprintf(`{"title":%q}`, title)), new(any))
}

// A server that is killed while it delivers loses no event, although 10 of the 50 endpoints
// never answer. DAL_WEBHOOK_EVENTS is the number of events, 200 by default.
func TestWebhookKill(t *testing.T) {
	t.Parallel()
	events := 200
	if n, err := strconv.Atoi(os.Getenv("DAL_WEBHOOK_EVENTS")); err == nil {
		events = n
	}
	e := newEndpoints(t)
	data, token, start, p, gaids := hookedLibrary(t, e, 10)
	const lives = 3
	acknowledged := 0
	for life := range lives {
		e.mu.Lock()
		before := e.receipts
		e.mu.Unlock()
		for acknowledged < events*(life+1)/lives {
			if err := p.retitle(token, gaids[acknowledged%len(gaids)], fmt.Sprint("Title ", acknowledged)); err != nil {
				t.Fatal(err)
			}
			acknowledged++
		}
		if life == lives-1 {
			break
		}
		// The moment of the fault: in the middle of the deliveries of this life.
		mark := before + 1 + rand.IntN(events/lives*(hooksAll-hooksHanging)*3/4)
		e.await(t, "delivery before a kill", func() bool { return e.receipts >= mark })
		p.kill()
		e.await(t, "end of the connections of a server that was killed", func() bool { return e.conns.Load() == 0 })
		e.life++ // no other goroutine reads it now
		p = start()
	}

	ids := updates(t, data)
	if len(ids) != acknowledged {
		t.Errorf("%d events of %d changes", len(ids), acknowledged)
	}
	e.await(t, "every event at every endpoint that answers", func() bool {
		for _, got := range e.got[hooksHanging:] {
			if len(got) < len(ids) {
				return false
			}
		}
		return true
	})
	if err := p.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Wait(); err != nil {
		t.Errorf("an orderly stop: %v", err)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	twice := 0
	for i, got := range e.got[hooksHanging:] {
		if len(got) != len(ids) {
			t.Errorf("endpoint %d got %d events of %d", i, len(got), len(ids))
		}
		for _, id := range ids {
			all := got[id]
			if len(all) == 0 {
				t.Errorf("endpoint %d did not get %s", i, id)
			}
			if len(all) > 1 {
				twice++
			}
			for j := 1; j < len(all); j++ { // repetitions only of deliveries cut off by a kill
				if all[j].life == all[j-1].life {
					t.Errorf("endpoint %d got %s twice from one server", i, id)
				}
			}
		}
	}
	t.Logf("%d events, %d receipts, %d of them a second time after a kill", len(ids), e.receipts, twice)
	dal(t, "", "check", "--data", data)
}

// updates lists the events of changed assets in the records.
func updates(t testing.TB, data string) (ids []string) {
	t.Helper()
	read(t, records(t, data), func(tx *storage.Tx) error {
		list, err := tx.Events(0, 1_000_000)
		for _, e := range list {
			if e.Type == dam.AssetUpdated {
				ids = append(ids, e.UUID)
			}
		}
		return err
	})
	return ids
}

// BenchmarkWebhooks changes assets 2,000 times and measures the time from a change to its
// receipt at 40 endpoints, while 10 more never answer. DAL_WEBHOOK_RATE is the number of
// changes per second: 20 by default, 0 for as fast as possible.
func BenchmarkWebhooks(b *testing.B) {
	const events = 2000
	rate := 20
	if n, err := strconv.Atoi(os.Getenv("DAL_WEBHOOK_RATE")); err == nil {
		rate = n
	}
	for b.Loop() {
		b.StopTimer()
		e := newEndpoints(b)
		_, token, _, p, gaids := hookedLibrary(b, e, 50)
		b.StartTimer()
		begin := time.Now()
		for i := range events {
			if rate > 0 {
				time.Sleep(time.Until(begin.Add(time.Duration(i) * time.Second / time.Duration(rate)))) // paces the load
			}
			if err := p.retitle(token, gaids[i%len(gaids)], fmt.Sprint("Title ", i)); err != nil {
				b.Fatal(err)
			}
		}
		changed := time.Since(begin)
		e.await(b, "every event", func() bool { return e.receipts >= events*(hooksAll-hooksHanging) })
		took := time.Since(begin)
		b.StopTimer()
		p.kill()
		var delays []time.Duration
		for _, got := range e.got[hooksHanging:] {
			for _, all := range got {
				for _, r := range all {
					delays = append(delays, r.took)
				}
			}
		}
		slices.Sort(delays)
		at := func(q float64) float64 { return float64(delays[int(q*float64(len(delays)-1))].Microseconds()) / 1000 }
		b.ReportMetric(at(0.5), "median-ms")
		b.ReportMetric(at(0.95), "p95-ms")
		b.ReportMetric(at(1), "max-ms")
		b.ReportMetric(events/changed.Seconds(), "changes/s")
		b.ReportMetric(float64(len(delays))/took.Seconds(), "deliveries/s")
		b.StartTimer()
	}
}
