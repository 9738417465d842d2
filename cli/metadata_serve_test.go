package cli_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"mime/multipart"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// write writes a file and returns its path.
func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "defs.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// The server immediately sees the changes of a concurrent command.
func TestMetadataBesideServer(t *testing.T) {
	t.Parallel()
	data, token := library(t)
	p := serve(t, data)
	defer p.kill()
	defs := `
vocabularies:
  - {key: cities, name: Cities, terms: [{key: lut, label: Lutetia}, {key: rome, label: Rome}]}
fields:
  - {key: city, label: City, type: term, vocabulary: cities, default_value: lut}
`
	dal(t, "", "metadata", "apply", write(t, defs), "--yes", "--data", data)
	if n := p.get(t, token, "/metadata/fields")["meta"].(map[string]any)["total"]; n != 1.0 {
		t.Errorf("%v fields", n)
	}
	var b envelope
	if err := p.call(token, "POST", "/upload-batches", "application/json", strings.NewReader(`{"expected_files":1}`), &b); err != nil {
		t.Fatal(err)
	}
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	part, err := w.CreateFormFile("file", "a.jpg")
	if err != nil {
		t.Fatal(err)
	}
	part.Write(picture(1, 64))
	w.Close()
	var pushed json.RawMessage
	if err := p.call(token, "POST", fmt.Sprintf("/upload-batches/%d/files", b.Data.ID), w.FormDataContentType(), &form, &pushed); err != nil {
		t.Fatal(err)
	}
	deadline, tick := time.After(60*time.Second), time.NewTicker(20*time.Millisecond)
	defer tick.Stop()
	for b.Data.Status != "completed" {
		select {
		case <-deadline:
			t.Fatalf("the batch is %s", b.Data.Status)
		case <-tick.C:
		}
		if err := p.call(token, "GET", fmt.Sprintf("/upload-batches/%d", b.Data.ID), "", nil, &b); err != nil {
			t.Fatal(err)
		}
	}
	total := func(q string) any {
		return p.get(t, token, "/assets?q="+q)["meta"].(map[string]any)["total"]
	}
	if total("lutetia") != 1.0 {
		t.Errorf("the default's label finds %v", total("lutetia"))
	}
	out := dal(t, "", "metadata", "apply", write(t, strings.ReplaceAll(defs, "Lutetia", "Paris")), "--yes", "--data", data)
	if out != `change term cities/lut: label "Lutetia" → "Paris"` {
		t.Errorf("%s", out)
	}
	if total("lutetia") != 0.0 || total("paris") != 1.0 {
		t.Errorf("after the new name: %v by the old, %v by the new", total("lutetia"), total("paris"))
	}
	facets := p.get(t, token, "/assets?facets=metadata.city")["meta"].(map[string]any)["facets"]
	if fmt.Sprint(facets) != "map[metadata.city:[map[count:1 label:Paris value:lut]]]" {
		t.Errorf("%v", facets)
	}
	fewer := strings.NewReplacer("{key: lut, label: Lutetia}, ", "", ", default_value: lut", "").Replace(defs)
	out = dal(t, "", "metadata", "apply", write(t, fewer), "--yes", "--data", data)
	if !strings.Contains(out, "deactivate term cities/lut: 1 asset has it") {
		t.Errorf("%s", out)
	}
	rule := `{"type":"filter","field":"metadata.city","operator":"equals","value":"lut"}`
	if n := p.get(t, token, "/assets?filters="+url.QueryEscape(rule))["meta"].(map[string]any)["total"]; n != 1.0 {
		t.Errorf("a term that is no longer in use finds %v", n)
	}
	dal(t, "", "metadata", "apply", write(t, "fields: []\nvocabularies: []\n"), "--yes", "--allow-loss", "--data", data)
	if a := p.get(t, token, "/assets")["data"].([]any)[0].(map[string]any); fmt.Sprint(a["metadata"]) != "map[]" || a["version"] != 2.0 {
		t.Errorf("%v", a)
	}
	if total("paris") != 0.0 {
		t.Errorf("what is gone is found %v times", total("paris"))
	}
}

// definitions returns a file with n terms, and fields that name their set.
func definitions(set string, n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "asset_classes: [Default]\nvocabularies:\n  - key: v\n    name: %s\n    terms:\n", set)
	for i := range n {
		fmt.Fprintf(&b, "      - {key: %s%d, label: %s}\n", set, i, set)
	}
	b.WriteString("  - {key: shared, name: Shared}\nfields:\n")
	for i := range 5 {
		fmt.Fprintf(&b, "  - {key: %s%d, label: %s, type: terms, vocabulary: v, default_value: [%s%d]}\n", set, i, set, set, i)
	}
	return b.String()
}

// When several commands run concurrently, the definitions always match one file.
func TestMetadataConcurrentApply(t *testing.T) {
	t.Parallel()
	data, token := library(t)
	p := serve(t, data)
	defer p.kill()
	files := map[string]string{}
	for _, set := range []string{"a", "b", "c"} {
		files[set] = write(t, definitions(set, 200))
	}
	var wg sync.WaitGroup
	for _, path := range files {
		wg.Go(func() {
			for range 4 {
				if out, err := exec.Command("dal", "metadata", "apply", path, "--yes", "--data", data).CombinedOutput(); err != nil {
					t.Errorf("%v\n%s", err, out)
				}
			}
		})
	}
	done := make(chan struct{})
	go func() { wg.Wait(); close(done) }()
	for running := true; running; {
		select {
		case <-done:
			running = false
		default:
		}
		fields := p.get(t, token, "/metadata/fields")["data"].([]any)
		sets := map[string]int{}
		for _, f := range fields {
			sets[f.(map[string]any)["key"].(string)[:1]]++
		}
		if len(sets) > 1 || len(fields) != 0 && len(fields) != 5 {
			t.Fatalf("a mixture: %v", sets)
		}
	}
	out := dal(t, "", "metadata", "export", "--data", data)
	set := strings.SplitN(strings.SplitN(out, "name: ", 2)[1], "\n", 2)[0]
	if n := strings.Count(out, "- key: "+set); n < 200 {
		for name, path := range files {
			t.Logf("%s: %s", name, path)
		}
		t.Errorf("%d terms and fields of %s:\n%.2000s", n, set, out)
	}
	if again := dal(t, "", "metadata", "apply", files[set], "--yes", "--data", data); again != "" {
		t.Errorf("there is something left to do: %.500s", again)
	}
}

// A command that is killed while it applies 50,000 terms has applied all or none.
func TestMetadataManyTerms(t *testing.T) {
	t.Parallel()
	data, _ := library(t)
	path := write(t, definitions("a", 50_000))
	for range 3 {
		cmd := exec.Command("dal", "metadata", "apply", path, "--yes", "--data", data)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(time.Duration(rand.IntN(4000))*time.Millisecond, func() { cmd.Process.Kill() })
		err := cmd.Wait()
		if _, killed := errors.AsType[*exec.ExitError](err); err != nil && !killed {
			t.Fatal(err)
		}
		out := dal(t, "", "metadata", "export", "--data", data)
		if n := strings.Count(out, "- key: a"); n != 0 && n != 50_005 {
			t.Fatalf("%d terms and fields", n)
		}
	}
	dal(t, "", "metadata", "apply", path, "--yes", "--data", data)
	if out := dal(t, "", "metadata", "apply", path, "--yes", "--data", data); out != "" {
		t.Errorf("a second run has something to do: %.500s", out)
	}
	more := write(t, strings.Replace(definitions("a", 50_000), "    terms:\n", "    terms:\n      - {key: more, label: x}\n", 1))
	refused, err := exec.Command("dal", "metadata", "apply", more, "--yes", "--data", data).CombinedOutput()
	if out := string(refused); err == nil || !strings.Contains(out, "at most 50000 terms") {
		t.Errorf("one more: %v %.500s", err, out)
	}
}
