package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/app/analyze"
	"github.com/digital-asset-library/dal/app/dam"
)

// importFolder runs dal import and returns the last line of its output.
func importFolder(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.Command("dal", append([]string{"import", "--user", "ada@example.com"}, args...)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if out, err := cmd.Output(); err != nil {
		t.Fatalf("dal import: %v\n%s%s", err, out, &stderr)
	}
	lines := strings.Split(strings.TrimSpace(stderr.String()), "\n")
	return lines[len(lines)-1]
}

// Files that an interrupted import left in the queue are ingested by the next one, which
// counts them, waits for them and adds them to the collection.
func TestImportTakesUpWhatWaits(t *testing.T) {
	t.Parallel()
	data, photos := filepath.Join(t.TempDir(), "lib"), folder(t, 5)
	dal(t, "", "user", "create", "--data", data, "--email", "ada@example.com", "--name", "Ada", "--role", "editor")

	// As after a kill -9: the files are in the batch, and no process works on them.
	cfg := app.DefaultConfig()
	cfg.OCR = analyze.OCROff
	cfg.DataDir, cfg.Log = data, slog.New(slog.DiscardHandler)
	a, err := app.Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	u, err := a.Accounts.UserByEmail(t.Context(), "ada@example.com")
	if err != nil {
		t.Fatal(err)
	}
	b := &dam.Batch{Name: "broken off"}
	if err := a.Uploads.CreateBatch(t.Context(), dam.Actor{User: u}, b); err != nil {
		t.Fatal(err)
	}
	up, err := a.Uploads.NewUpload(t.Context(), dam.Actor{User: u}, b.ID)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"p1.jpg", "p2.jpg", "p3.jpg"} {
		f, err := os.Open(filepath.Join(photos, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := up.Add(t.Context(), name, f); err != nil {
			t.Fatal(err)
		}
		f.Close()
	}
	if _, err := up.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}

	for _, tt := range []struct{ collection, want string }{
		{"Trip", "5 files: 4 imported, 1 already present, 0 failed."}, // p0 and p1 are identical
		{"Again", "5 files: 0 imported, 5 already present, 0 failed."},
	} {
		if got := importFolder(t, photos, "--data", data, "--collection", tt.collection); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.collection, got, tt.want)
		}
		if n := inCollection(t, data, tt.collection); n != 4 {
			t.Errorf("%d assets in %s, want 4", n, tt.collection)
		}
	}
}

// If the server stops, a concurrent import ingests the remaining files itself.
func TestImportOutlivesTheServer(t *testing.T) {
	t.Parallel()
	data, photos := filepath.Join(t.TempDir(), "lib"), folder(t, 40)
	dal(t, "", "user", "create", "--data", data, "--email", "ada@example.com", "--name", "Ada", "--role", "editor")
	p := serve(t, data, "--embeddings", "off")
	said := make(chan string, 1)
	go func() {
		cmd := exec.CommandContext(context.Background(), "dal", "import", photos, "--data", data, "--user", "ada@example.com")
		out, err := cmd.CombinedOutput()
		said <- fmt.Sprint(err, " ", string(out))
	}()
	<-time.After(100 * time.Millisecond) // the moment of the fault
	p.kill()
	if got := <-said; !strings.HasPrefix(got, "<nil>") || !strings.Contains(got, "40 files: 39 imported, 1 already present, 0 failed.") {
		t.Error(got)
	}
}

// Without a server, an import leaves its events to the next server: none is sent early, and
// none is lost.
func TestImportLeavesEventsToTheServer(t *testing.T) {
	t.Parallel()
	e := newEndpoints(t)
	data, token, start, p, _ := hookedLibrary(t, e, 1)
	url := e.urls[hooksHanging]
	var hook struct{ Data struct{ ID int64 } }
	body := strings.NewReader(fmt.Sprintf(`{"url":%q,"events":["asset.created"]}`, url))
	if err := p.call(token, "POST", "/webhooks", "application/json", body, &hook); err != nil {
		t.Fatal(err)
	}
	p.kill()
	if got, want := importFolder(t, folder(t, 4), "--data", data), "4 files: 3 imported, 1 already present, 0 failed."; got != want {
		t.Fatalf("%s, want %s", got, want)
	}
	deliveries := func(p *process) (list struct {
		Data []struct {
			Attempt int
			Status  string
		}
	}) {
		t.Helper()
		if err := p.call(token, "GET", fmt.Sprintf("/webhooks/%d/deliveries", hook.Data.ID), "application/json", nil, &list); err != nil {
			t.Fatal(err)
		}
		return list
	}
	e.mu.Lock()
	before := len(e.got[hooksHanging])
	e.mu.Unlock()
	if before != 0 {
		t.Errorf("%d events were sent without a server", before)
	}
	p = start()
	defer p.kill()
	e.await(t, "event of each import", func() bool { return len(e.got[hooksHanging]) == 3 })
	for _, d := range deliveries(p).Data {
		if d.Attempt > 1 {
			t.Errorf("attempt %d is %s", d.Attempt, d.Status)
		}
	}
}

// The numbers that an import prints add up to the number of files seen, for copies as well
// as external libraries.
func TestImportPrintsTotals(t *testing.T) {
	t.Parallel()
	data, photos := filepath.Join(t.TempDir(), "lib"), folder(t, 5)
	dal(t, "", "user", "create", "--data", data, "--email", "ada@example.com", "--name", "Ada", "--role", "editor")
	for name, text := range map[string]string{
		"run.sh": "#!/bin/sh\n", "half.jpg.part": "half", "p2.xmp": `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF ` +
			`xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description xmlns:xmp="http://ns.adobe.com/xap/1.0/" ` +
			`xmp:Rating="3"/></rdf:RDF></x:xmpmeta>`,
	} {
		noErr(t, os.WriteFile(filepath.Join(photos, name), []byte(text), 0o644))
	}
	entries, err := os.ReadDir(photos)
	noErr(t, err)
	for _, e := range entries {
		then := time.Now().Add(-time.Hour)
		noErr(t, os.Chtimes(filepath.Join(photos, e.Name()), then, then))
	}
	for _, c := range []struct {
		args []string
		text string
		rest []string // JSON members that add up to files
	}{
		{nil, "8 files: 4 imported, 1 already present, 1 failed, 1 sidecar, 1 left out as partial downloads.",
			[]string{"imported", "already_present", "sidecars", "parts", "left_out", "skipped", "failed"}},
		{[]string{"--in-place"},
			"0 new or changed, 5 known or moved, 0 unchanged, 0 gone, 1 sidecar, 1 rejected, 1 left out as partial downloads.",
			[]string{"new", "unchanged", "moved_or_known", "being_written", "parts", "sidecars", "refused", "unreadable", "left_out", "skipped"}},
	} {
		args := append([]string{"import", photos, "--data", data, "--user", "ada@example.com"}, c.args...)
		out, code := runDal(t, args...)
		if code != 3 || !strings.Contains(out, c.text) {
			t.Errorf("exit %d: %s", code, out)
		}
		cmd := exec.Command("dal", append(args, "--json")...)
		text, _ := cmd.Output()
		var sum map[string]any
		noErr(t, json.Unmarshal(text, &sum))
		n := 0.0
		for _, member := range c.rest {
			v, ok := sum[member].(float64)
			if !ok {
				t.Errorf("no %s: %s", member, text)
			}
			n += v
		}
		if n != sum["files"] {
			t.Errorf("%v of %v files: %s", n, sum["files"], text)
		}
	}
}
