package cli_test

import (
	"encoding/json"
	"fmt"
	"math/bits"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"github.com/digital-asset-library/dal/app/dam"
)

func TestBenchSeed(t *testing.T) {
	t.Parallel()
	data, _ := seeded(t, "7")
	assets := assetsOf(t, data)
	if len(assets) != 300 {
		t.Fatalf("%d assets", len(assets))
	}
	var trashed, texts, captions, members, near int
	categories, hashes := map[dam.FileCategory]int{}, []uint64{}
	for _, a := range assets {
		if err := a.Validate(); err != nil {
			t.Errorf("%s: %v", a.GAID, err)
		}
		categories[a.FileCategory]++
		members += len(a.Collections)
		trashed += count(a.DeletedAt != nil)
		captions += count(a.AICaption != "")
		if n := len(strings.Fields(a.OCRText)); n > 0 {
			texts++
			if n < 60 || n > 200 {
				t.Errorf("%d words of recognised text", n)
			}
		}
		if len(a.Colors) > 0 {
			sum := 0.0
			for _, c := range a.Colors {
				sum += c.Share
			}
			if sum <= 0 || sum > 1 || len(a.Colors) < 3 || len(a.Colors) > 5 {
				t.Errorf("colours %v", a.Colors)
			}
		}
		if a.PHash != 0 {
			for _, h := range hashes {
				near += count(bits.OnesCount64(h^a.PHash) <= 8)
			}
			hashes = append(hashes, a.PHash)
		}
		if a.CreatedAt.Year() < 2021 || a.CreatedAt.Year() > 2026 || a.OwnerID == 0 || a.BatchID == 0 || a.Metadata["project"] == nil {
			t.Errorf("%+v", a)
		}
	}
	if trashed == 0 || trashed > 30 || texts < 70 || texts > 130 || captions < 200 || members < 200 || near == 0 || len(categories) != 4 {
		t.Errorf("%d in the trash, %d with text, %d with a caption, %d memberships, %d near, %v",
			trashed, texts, captions, members, near, categories)
	}

	// The same seed generates the same library, another seed a different one.
	again, _ := seeded(t, "7")
	if twin := assetsOf(t, again); !reflect.DeepEqual(twin, assets) {
		t.Error("the same seed made another library")
	}
	other, _ := seeded(t, "8")
	if a := assetsOf(t, other); a[0].Title == assets[0].Title && a[1].Title == assets[1].Title {
		t.Error("another seed made the same library")
	}

	if code, out, stderr := command(t, "check", "--data", data); code != 0 || out != "" {
		t.Errorf("check: %d %s %s", code, out, stderr)
	}
	code, out, stderr := command(t, "bench", "seed", "--data", data, "--assets", "10")
	if code != 1 || out != "" || !strings.Contains(stderr, "only an empty data folder can be seeded") {
		t.Errorf("a second seed: %d %s %s", code, out, stderr)
	}
	if n := len(assetsOf(t, data)); n != 300 {
		t.Errorf("it left %d assets", n)
	}
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

type benchRow struct {
	Class               string
	Runs, Found, Errors int
	First               string `json:"first_error"`
}

func TestBenchServer(t *testing.T) {
	t.Parallel()
	data, token := seeded(t, "1")
	if code, _, stderr := command(t, "reindex", "--data", data); code != 0 {
		t.Fatal(stderr)
	}
	code, out, stderr := command(t, "bench", "compare", "--data", data, "--runs", "1", "--json")
	if code != 0 {
		t.Fatalf("compare: %d %s", code, stderr)
	}
	found := map[string]benchRow{}
	for _, r := range rows(t, out) {
		if found[r.Class] = r; r.Errors > 0 || r.Runs != 1 {
			t.Errorf("%+v", r)
		}
	}
	if len(found) != 16 || found["sql list"].Found < 270 {
		t.Errorf("%v", found)
	}

	p := serve(t, data)
	defer p.kill()
	classes := "list,q1,q2,q3,sentence,offset,text+offset,outline,suggestions,duplicates"
	code, out, stderr = command(t, "bench", "search", "--url", p.url, "--token", token, "--runs", "2", "--only", classes, "--json")
	if code != 0 {
		t.Fatalf("search: %d %s", code, stderr)
	}
	list := rows(t, out)
	for _, r := range list {
		if r.Errors > 0 || r.Runs != 2 {
			t.Errorf("%+v", r)
		}
	}
	if len(list) != 10 || list[7].Found != list[0].Found || list[0].Class != "list" || list[0].Found != found["sql list"].Found {
		t.Errorf("%+v", list)
	}
	code, out, _ = command(t, "bench", "search", "--url", p.url, "--token", token, "--runs", "1", "--only", "list")
	if code != 0 || !strings.Contains(out, "MEDIAN ms") {
		t.Errorf("%d %s", code, out)
	}
	code, _, stderr = command(t, "bench", "search", "--url", p.url, "--token", "dal_1_wrong", "--runs", "1")
	if code != 1 || !strings.Contains(stderr, "401") {
		t.Errorf("%d %s", code, stderr)
	}

	code, out, stderr = command(t, "bench", "load", "--url", p.url, "--token", token,
		"--readers", "2", "--updates", "40", "--check-every", "1", "--for", "1s", "--only", "list,q1", "--json")
	var load struct{ Updates, Checks, Misses, Errors int }
	if err := json.Unmarshal([]byte(out), &load); code != 0 || err != nil {
		t.Fatalf("load: %d %s %s", code, out, stderr)
	}
	if load.Updates == 0 || load.Checks != load.Updates || load.Misses != 0 || load.Errors != 0 {
		t.Errorf("%s", out)
	}
	changed := 0
	for _, a := range assetsOf(t, data) {
		changed += count(strings.HasPrefix(a.Title, "Zq"))
	}
	if changed == 0 || changed > load.Updates {
		t.Errorf("%d titles changed in %d updates", changed, load.Updates)
	}
}

// All assets of a seeded library are changed and exported.
func TestBenchOperations(t *testing.T) {
	t.Parallel()
	data, token := seeded(t, "2")
	p := serve(t, data)
	defer p.kill()
	code, out, stderr := command(t, "bench", "operations", "--url", p.url, "--token", token, "--quiet", "10ms", "--only", "list", "--json")
	if code != 0 {
		t.Fatalf("%d %s", code, stderr)
	}
	var r struct {
		Assets      int
		PerSecond   float64 `json:"assets_per_s"`
		ExportBytes int64   `json:"export_bytes"`
	}
	if err := json.Unmarshal([]byte(out), &r); err != nil || r.Assets < 270 || r.PerSecond <= 0 || r.ExportBytes < 10_000 {
		t.Errorf("%v %s", err, out)
	}
}

// Files are uploaded and become assets.
func TestBenchIngest(t *testing.T) {
	t.Parallel()
	data, token := seeded(t, "3")
	before := len(assetsOf(t, data))
	p := serve(t, data)
	defer p.kill()
	code, out, stderr := command(t, "bench", "ingest", "--url", p.url, "--token", token, "--photos", "2", "--small", "5", "--json")
	var r []struct {
		Files    string
		Count    int
		Received float64 `json:"received_per_s"`
		Ready    float64 `json:"ready_per_s"`
	}
	if err := json.Unmarshal([]byte(out), &r); code != 0 || err != nil || len(r) != 2 {
		t.Fatalf("%d %v %s %s", code, err, out, stderr)
	}
	if r[0].Files != "photos" || r[0].Count != 2 || r[1].Count != 5 || r[1].Ready <= 0 || r[1].Received < r[1].Ready {
		t.Errorf("%+v", r)
	}
	if n := len(assetsOf(t, data)) - before; n != 7 {
		t.Errorf("%d assets are new", n)
	}
	if code, out, stderr = command(t, "bench", "ingest", "--url", p.url, "--token", token, "--photos", "1", "--small", "1"); code != 0 ||
		!strings.Contains(out, "READY/s") {
		t.Errorf("%d %s %s", code, out, stderr)
	}
}

// Answers that fail, or do not match the request, are counted and reported.
func TestBenchErrors(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.FormValue("q") != "" && r.FormValue("facets") == "" {
			http.Error(w, `{"message": "Too Many Attempts."}`, http.StatusTooManyRequests)
			return
		}
		fmt.Fprint(w, `{"data": [{"gaid": "01KB3J8Q5V7X9Z1B3D5F7H9K1M", "checksum_sha256": "00"}], "meta": {"total": 1}}`)
	}))
	defer srv.Close()
	const classes = "list,q1,filters,facets"
	code, out, stderr := command(t, "bench", "search", "--url", srv.URL, "--token", "x", "--runs", "3", "--only", classes, "--json")
	if code != 3 || !strings.Contains(stderr, "9 requests failed") {
		t.Errorf("%d %s", code, stderr)
	}
	for i, want := range []string{"", "429 Too Many Requests", "left out no asset", "no facets"} {
		r := rows(t, out)[i]
		if !strings.Contains(r.First, want) || (want == "") != (r.Errors == 0) || r.Runs+r.Errors != 3 {
			t.Errorf("%+v", r)
		}
	}
	// Commands that write reject other libraries.
	const refusal = "was not made by dal bench seed"
	code, _, stderr = command(t, "bench", "operations", "--url", srv.URL, "--token", "x")
	if code != 1 || !strings.Contains(stderr, refusal) {
		t.Errorf("%d %s", code, stderr)
	}
	code, _, stderr = command(t, "bench", "ingest", "--url", srv.URL, "--token", "x")
	if code != 1 || !strings.Contains(stderr, refusal) {
		t.Errorf("%d %s", code, stderr)
	}
	code, _, stderr = command(t, "bench", "load", "--url", srv.URL, "--token", "x", "--for", "1s")
	if code != 1 || !strings.Contains(stderr, refusal) {
		t.Errorf("%d %s", code, stderr)
	}
}

func rows(t *testing.T, out string) (list []benchRow) {
	t.Helper()
	if err := json.Unmarshal([]byte(out), &list); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return list
}
