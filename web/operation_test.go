package web_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/app/bulk"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/find"
	"github.com/digital-asset-library/dal/storage"
	"github.com/digital-asset-library/dal/web"
)

// every is a filter document that matches every asset.
const every = `{"type":"group","operator":"and","rules":[]}`

var keyNumber atomic.Int64

// itemStates lists the states of the items on a page.
func itemStates(a answer) (list []string) {
	data, _ := a.get("data").([]any)
	for _, d := range data {
		item := d.(map[string]any)
		s := fmt.Sprint(item["state"])
		if e, ok := item["error"].(map[string]any); ok {
			s += " " + fmt.Sprint(e["code"])
		}
		list = append(list, s)
	}
	return list
}

// inText returns a string as JSON.
func inText(s string) string { return strings.Trim(quoted([]string{s}), "[]") }

// keyRefused is part of the answer to an invalid Idempotency-Key.
const keyRefused = `"errors":{"Idempotency-Key":`

// previewed summarizes a dry run: total changed unchanged not found invalid.
func previewed(a answer) string {
	return fmt.Sprint(
		a.get("data.total"),
		a.get("data.changed"),
		a.get("data.unchanged"),
		a.get("data.not_found_count"),
		a.get("data.invalid"),
	)
}

// People are added to many assets and removed from them like keywords: in any spelling, once.
func TestBulkPeople(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	gaids := s.fill(t, 2)
	s.do(t, "PUT", assets+"/"+gaids[0], `{"people":["Grace Hopper","Nobody"]}`).want(t, 200)
	path := s.operate(t, fmt.Sprintf(`{"type":"bulk_update","selection":{"gaids":%s},
		"changes":{"add_people":["Ada Lovelace","GRACE HOPPER"],"remove_people":["NOBODY"]}}`, quoted(gaids)))
	if got := outcome(s.ended(t, path)); got != "completed 2 2 0 0 100" {
		t.Errorf("outcome: %s", got)
	}
	for i, want := range []string{"[Grace Hopper Ada Lovelace]", "[Ada Lovelace GRACE HOPPER]"} {
		if got := fmt.Sprint(s.do(t, "GET", assets+"/"+gaids[i], "").want(t, 200).get("data.people")); got != want {
			t.Errorf("asset %d: %s", i, got)
		}
	}
	facet := s.list(t, "facets", "people").want(t, 200)
	if facet.get("meta.facets.people.0.value") != "Ada Lovelace" || facet.get("meta.facets.people.0.count") != 2.0 {
		t.Errorf("%s", facet)
	}
}

func TestBulkUpdate(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	gaids := s.fill(t, 4)
	s.do(t, "PUT", "/api/v1/assets/"+gaids[1], `{"workflow_status":"approved","keywords":["filled","New"]}`).want(t, 200)
	s.do(t, "DELETE", "/api/v1/assets/"+gaids[2], "").want(t, 200)
	body := fmt.Sprintf(`{
		"type": "bulk_update",
		"selection": {"gaids": %s},
		"changes": {
			"workflow_status": "approved",
			"add_keywords": ["new"],
			"remove_keywords": ["OLD"],
			"metadata": {"project": null}
		}
	}`, quoted(append(gaids, "01NOWHERE", gaids[0])))
	path := s.operate(t, body)
	a := s.ended(t, path)
	if got := outcome(a); got != "completed_with_errors 5 3 1 2 100" {
		t.Errorf("outcome: %s", a)
	}
	if a.get("data.started_at") == nil || a.get("data.error") != nil || a.Header.Get("Retry-After") != "" {
		t.Errorf("%s", a)
	}
	if a.get("data.spec.changes.workflow_status") != "approved" {
		t.Errorf("%s", a)
	}
	items := s.do(t, "GET", path+"/items", "").want(t, 200)
	states := strings.Join(itemStates(items), ",")
	if states != "done,unchanged,failed not_found,done,failed not_found" || items.get("data.4.gaid") != "01NOWHERE" {
		t.Errorf("items: %s", items.body)
	}
	title := s.do(t, "GET", "/api/v1/assets/"+gaids[0], "").want(t, 200).get("data.title")
	if items.get("data.0.title") != title || items.get("data.4.title") != nil {
		t.Errorf("titles: %s", items.body)
	}
	for state, want := range map[string]float64{"done": 2, "unchanged": 1, "failed": 2, "pending": 0, "skipped": 0} {
		b := s.do(t, "GET", path+"/items?state="+state, "").want(t, 200)
		if data, _ := b.get("data").([]any); b.get("meta.total") != want || float64(len(data)) != want {
			t.Errorf("items %s: %s", state, b)
		}
	}
	for i, want := range []float64{2, 2, 2, 2} { // the second and the third were changed by hand
		b := s.do(t, "GET", "/api/v1/assets/"+gaids[i]+"?trashed=with", "").want(t, 200)
		if b.get("data.version") != want {
			t.Errorf("asset %d: %s", i, b)
		}
		if i == 0 && (b.get("data.keywords.1") != "new" || b.get("data.updated_by.email") != "ada@example.com") {
			t.Errorf("asset 0: %s", b)
		}
	}
	approved := `{"type":"filter","field":"asset.workflow_status","operator":"equals","value":"approved"}`
	found := s.do(t, "GET", "/api/v1/assets?q=keyword:new&filters="+approved, "").want(t, 200)
	if found.get("meta.total") != 3.0 {
		t.Errorf("found: %s", found)
	}
	ev := s.countEvents(t)
	for event, want := range map[string]int{
		"asset.updated " + gaids[0]:                       1,
		"asset.updated " + gaids[1]:                       1,
		"asset.updated " + gaids[2]:                       0,
		"operation.completed " + path[len(operations)+1:]: 1,
	} {
		if ev[event] != want {
			t.Errorf("%s: not %d in %v", event, want, ev)
		}
	}

	tag := a.Header.Get("ETag")
	if b := s.do(t, "GET", path, "", "If-None-Match", tag).want(t, 304); len(b.body) > 0 {
		t.Errorf("304 with %s", b)
	}
	if b := s.do(t, "POST", path+"/cancel", "").want(t, 409); b.get("message") != "The operation has ended: it is completed_with_errors." {
		t.Errorf("%s", b)
	}
	listed := s.do(t, "GET", operations+"?type=bulk_update&state=completed_with_errors", "").want(t, 200)
	if listed.get("meta.total") != 1.0 || listed.get("data.0.spec.changes") != nil {
		t.Errorf("%s", listed)
	}
	if b := s.do(t, "GET", operations+"?state=failed", "").want(t, 200); b.get("meta.total") != 0.0 {
		t.Errorf("%s", b)
	}

	// A query is evaluated once: assets that match later are not processed.
	path = s.operate(t, `{"type":"bulk_update","selection":{"filters":`+inText(every)+`},"changes":{"creator":"Ada"}}`)
	if got := outcome(s.ended(t, path)); got != "completed 3 3 0 0 100" {
		t.Errorf("by filters in a text: %s", got)
	}
	path = s.operate(t, `{"type":"bulk_update","selection":{"q":"keyword:new"},"changes":{"creator":null}}`)
	if got := outcome(s.ended(t, path)); got != "completed 3 3 0 0 100" {
		t.Errorf("by q: %s", got)
	}
	// A query without searchable terms matches nothing, not everything.
	path = s.operate(t, `{"type":"bulk_delete","selection":{"q":"-"}}`)
	if got := outcome(s.ended(t, path)); got != "completed 0 0 0 0 100" {
		t.Errorf("nothing: %s", got)
	}
	// Every item fails.
	path = s.operate(t, `{"type":"bulk_delete","selection":{"gaids":["nobody"]}}`)
	if a := s.ended(t, path); outcome(a) != "failed 1 0 0 1 100" || a.get("data.error.code") != "all_failed" {
		t.Errorf("all failed: %s", a)
	}
	// For one asset, the change violates a limit.
	words := make([]string, 500)
	for i := range words {
		words[i] = fmt.Sprint("w", i)
	}
	s.do(t, "PUT", "/api/v1/assets/"+gaids[0], `{"keywords":`+quoted(words)+`}`).want(t, 200)
	path = s.operate(t, fmt.Sprintf(`{"type":"bulk_update","selection":{"gaids":%s},"changes":{"add_keywords":["more"]}}`, quoted(gaids[:2])))
	if a := s.ended(t, path); outcome(a) != "completed_with_errors 2 1 0 1 100" {
		t.Errorf("one is invalid: %s", a)
	}
	const message = "keywords may not have more than 500 items."
	failed := s.do(t, "GET", path+"/items?state=failed", "").want(t, 200)
	if failed.get("data.0.error.code") != "invalid" || failed.get("data.0.error.message") != message {
		t.Errorf("%s", failed)
	}
}

func TestBulkDelete(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	gaids := s.fill(t, 5)
	s.do(t, "DELETE", "/api/v1/assets/"+gaids[0], "").want(t, 200)
	path := s.operate(t, fmt.Sprintf(`{"type":"bulk_delete","selection":{"gaids":%s}}`, quoted(gaids[:3])))
	if got := outcome(s.ended(t, path)); got != "completed_with_errors 3 2 0 1 100" {
		t.Errorf("to the trash: %s", got)
	}
	if a := s.do(t, "GET", "/api/v1/assets?trashed=only", "").want(t, 200); a.get("meta.total") != 3.0 {
		t.Errorf("trash: %s", a)
	}
	path = s.operate(t, `{"type":"bulk_delete","force":true,"selection":{"filters":`+every+`,"trashed":"only"}}`)
	if got := outcome(s.ended(t, path)); got != "completed 3 3 0 0 100" {
		t.Errorf("empty the trash: %s", got)
	}
	if a := s.do(t, "GET", "/api/v1/assets?trashed=with", "").want(t, 200); a.get("meta.total") != 2.0 {
		t.Errorf("left: %s", a)
	}
	a := s.do(t, "GET", path+"/items", "").want(t, 200)
	if a.get("data.0.gaid") != gaids[0] || a.get("data.0.state") != "done" || a.get("data.0.title") != nil {
		t.Errorf("items outlive their assets: %s", a)
	}
	if ev := s.countEvents(t); ev["asset.deleted "+gaids[0]] != 2 || ev["asset.deleted "+gaids[3]] != 0 {
		t.Errorf("events: %v", ev)
	}
	// The file is deleted with the last asset that refers to it.
	s.ended(t, s.operate(t, fmt.Sprintf(`{"type":"bulk_delete","force":true,"selection":{"gaids":%s}}`, quoted(gaids[3:]))))
	s.until(t, path, func(answer) bool { // deleted after the record
		blobs, err := filepath.Glob(filepath.Join(s.dir, "blobs", "sha256", "*", "*", "*"))
		return err == nil && len(blobs) == 0
	})
}

func TestOperationRules(t *testing.T) {
	t.Parallel()
	s := start(t, func(cfg *app.Config, _ *web.Options) { cfg.Embeddings = find.EmbeddingsOff })
	rule := `{"type":"filter","field":"asset.title","operator":"greater","value":"x"}`
	for _, tt := range []struct{ name, body, field string }{
		{"no type", `{"selection":{"q":"x"}}`, "type"},
		{"unknown type", `{"type":"bulk","selection":{"q":"x"}}`, "type"},
		{"no selection", `{"type":"bulk_delete"}`, "selection"},
		{"empty selection", `{"type":"bulk_delete","selection":{}}`, "selection"},
		{"blank selection", `{"type":"bulk_delete","selection":{"q":" ","filters":null}}`, "selection"},
		{"no gaids", `{"type":"bulk_delete","selection":{"gaids":[]}}`, "selection.gaids"},
		{"both", `{"type":"bulk_delete","selection":{"gaids":["x"],"q":"y"}}`, "selection"},
		{"long gaid", `{"type":"bulk_delete","selection":{"gaids":["x","` + strings.Repeat("x", 27) + `"]}}`, "selection.gaids.1"},
		{"trashed without force", `{"type":"bulk_delete","selection":{"q":"x","trashed":"only"}}`, "selection.trashed"},
		{
			"filters", `{"type":"bulk_delete","selection":{"filters":{"type":"group","operator":"and","rules":[` + rule + `]}}}`,
			"selection.filters.rules.0.operator",
		},
		{"filters in a text", `{"type":"bulk_delete","selection":{"filters":` + inText(rule) + `}}`, "selection.filters.operator"},
		{"filters that are a number", `{"type":"bulk_delete","selection":{"filters":7}}`, "selection.filters"},
		{"unknown member", `{"type":"bulk_delete","selection":{"q":"x","filter":{}}}`, "selection.filter"},
		{"no changes", `{"type":"bulk_update","selection":{"q":"x"}}`, "changes"},
		{"empty changes", `{"type":"bulk_update","selection":{"q":"x"},"changes":{}}`, "changes"},
		{"unknown change", `{"type":"bulk_update","selection":{"q":"x"},"changes":{"tilte":"x"}}`, "changes.tilte"},
		{"wrong change", `{"type":"bulk_update","selection":{"q":"x"},"changes":{"workflow_status":"done"}}`, "changes.workflow_status"},
		{"long title", `{"type":"bulk_update","selection":{"q":"x"},"changes":{"title":"` + strings.Repeat("x", 501) + `"}}`, "changes.title"},
		{"empty title", `{"type":"bulk_update","selection":{"q":"x"},"changes":{"title":""}}`, "changes.title"},
		{"unknown class", `{"type":"bulk_update","selection":{"q":"x"},"changes":{"asset_class_id":99}}`, "changes.asset_class_id"},
		{"unknown owner", `{"type":"bulk_update","selection":{"q":"x"},"changes":{"owner_id":99}}`, "changes.owner_id"},
		{"metadata", `{"type":"bulk_update","selection":{"q":"x"},"changes":{"metadata":{"a":{"b":1}}}}`, "changes.metadata.a"},
		{"people twice", `{"type":"bulk_update","selection":{"q":"x"},"changes":{"people":["a"],"remove_people":["b"]}}`, "changes.people"},
		{"keywords twice", `{"type":"bulk_update","selection":{"q":"x"},"changes":{"keywords":["a"],"add_keywords":["b"]}}`, "changes.keywords"},
		{
			"long keyword",
			`{"type":"bulk_update","selection":{"q":"x"},"changes":{"add_keywords":["` + strings.Repeat("x", 256) + `"]}}`,
			"changes.add_keywords.0",
		},
		{"changes of a delete", `{"type":"bulk_delete","selection":{"q":"x"},"changes":{"title":"x"}}`, "changes"},
		{"force of an update", `{"type":"bulk_update","selection":{"q":"x"},"changes":{"title":"x"},"force":true}`, "force"},
		{"no tasks", `{"type":"ai_analysis","selection":{"q":"x"}}`, "tasks"},
		{"tags", `{"type":"ai_analysis","selection":{"q":"x"},"tasks":["tags"]}`, "tasks.0"},
		{"caption", `{"type":"ai_analysis","selection":{"q":"x"},"tasks":["meaning","caption"]}`, "tasks.1"},
		{"unknown task", `{"type":"ai_analysis","selection":{"q":"x"},"tasks":["think"]}`, "tasks.0"},
		{"meaning is off", `{"type":"ai_analysis","selection":{"q":"x"},"tasks":["meaning"]}`, "tasks.0"},
		{"no format", `{"type":"export","selection":{"q":"x"}}`, "format"},
		{"unknown format", `{"type":"export","selection":{"q":"x"},"format":"rar"}`, "format"},
		{"rendition of a table", `{"type":"export","selection":{"q":"x"},"format":"csv","rendition":"preview"}`, "rendition"},
		{"format of a delete", `{"type":"bulk_delete","selection":{"q":"x"},"format":"zip"}`, "format"},
	} {
		for _, query := range []string{"", "?dry_run=true"} {
			a := s.do(t, "POST", operations+query, tt.body, "Idempotency-Key", newKey()).want(t, 422)
			errs, _ := a.get("errors").(map[string]any)
			if errs[tt.field] == nil {
				t.Errorf("%s: %s", tt.name, a)
			}
		}
	}
	ok := `{"type":"bulk_delete","selection":{"q":"x"}}`
	for name, key := range map[string]string{"empty": "", "too long": strings.Repeat("k", 256), "not printable": "a\u200bb"} {
		a := s.do(t, "POST", operations, ok, "Idempotency-Key", key).want(t, 422)
		if !strings.Contains(string(a.body), keyRefused) {
			t.Errorf("%s key: %s", name, a)
		}
	}
	if a := s.do(t, "POST", operations, ok).want(t, 422); !strings.Contains(string(a.body), keyRefused) {
		t.Errorf("no key: %s", a)
	}
	s.do(t, "POST", operations, ok, "Idempotency-Key", strings.Repeat("k", 255)).want(t, 202)
	s.do(t, "POST", operations, `{"type":`, "Idempotency-Key", newKey()).want(t, 400)
	if a := s.do(t, "GET", operations, "").want(t, 200); a.get("meta.total") != 1.0 {
		t.Errorf("what was refused was stored: %s", a)
	}
}

func TestIdempotency(t *testing.T) {
	t.Parallel()
	c := newClock()
	s := start(t, func(cfg *app.Config, o *web.Options) { cfg.Now, o.Now = c.now, c.now })
	s.fill(t, 3)
	body := `{"type":"bulk_update","selection":{"filters":` + every + `},"changes":{"creator":"Ada"}}`
	first := s.do(t, "POST", operations, body, "Idempotency-Key", "one").want(t, 202)
	path := fmt.Sprintf("%s/%v", operations, first.get("data.id"))
	s.ended(t, path)
	again := s.do(t, "POST", operations, strings.Replace(body, `,"changes"`, " ,\n \"changes\"", 1), "Idempotency-Key", "one").want(t, 202)
	if string(again.body) != string(first.body) || again.Header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("replayed: %v %s, first: %s", again.Header, again.body, first)
	}
	if again.Header.Get("Location") != first.Header.Get("Location") {
		t.Errorf("replayed: %v %s, first: %s", again.Header, again.body, first)
	}
	if first.Header.Get("Idempotency-Replayed") != "" {
		t.Error("the first answer says it was replayed")
	}
	another := strings.Replace(body, "Ada", "Eve", 1)
	if a := s.do(t, "POST", operations, another, "Idempotency-Key", "one").want(t, 422); !strings.Contains(string(a.body), keyRefused) {
		t.Errorf("another body: %s", a)
	}
	// Keys are scoped to a user.
	eve := s.user(t, "eve@example.com", dam.RoleEditor)
	if a := s.as(t, eve, "POST", operations, body, "Idempotency-Key", "one").want(t, 202); a.get("data.id") == first.get("data.id") {
		t.Errorf("another user's key: %s", a)
	}
	// A dry run does not use up a key.
	s.do(t, "POST", operations+"?dry_run=true", body, "Idempotency-Key", "two").want(t, 200)
	s.do(t, "POST", operations, strings.Replace(body, "Ada", "Bob", 1), "Idempotency-Key", "two").want(t, 202)

	c.ahead.Store(int64(24*time.Hour + time.Second))
	later := s.do(t, "POST", operations, another, "Idempotency-Key", "one").want(t, 202)
	if later.get("data.id") == first.get("data.id") {
		t.Errorf("after a day: %s", later)
	}
	if err := s.app.Maintenance.Tidy(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := s.count(t, `SELECT count(*) FROM idempotency_keys`); n != 1 {
		t.Errorf("%d keys are kept", n)
	}
}

// Of two concurrent requests with one key, one is refused and can be retried.
func TestIdempotencyInFlight(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	body := `{"type":"bulk_delete","selection":{"q":"x"}}`
	store := s.store(t)
	answers := make(chan answer, 2)
	var second answer
	var clients sync.WaitGroup
	err := store.Update(t.Context(), func(*storage.Tx) error { // holds the write lock
		for range 2 {
			clients.Go(func() { answers <- s.do(t, "POST", operations, body, "Idempotency-Key", "one") })
		}
		second = <-answers
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	clients.Wait()
	if second.StatusCode != 409 || second.get("code") != "idempotency_in_flight" {
		t.Errorf("while in flight: %d %s", second.StatusCode, second)
	}
	first := (<-answers).want(t, 202)
	if a := s.do(t, "POST", operations, body, "Idempotency-Key", "one").want(t, 202); string(a.body) != string(first.body) {
		t.Errorf("%s, then %s", first, a)
	}
}

// checksums returns the checksums of all tables by name, except those that every request
// writes.
func (s *server) checksums(t testing.TB) map[string]string {
	t.Helper()
	db := s.db(t)
	var tables []string
	rows, err := db.QueryContext(t.Context(), `SELECT name FROM sqlite_schema
		WHERE type = 'table' AND name NOT IN ('audit_logs','tokens','users','sqlite_sequence','followers','asset_vectors')
		ORDER BY name`)
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		tables = append(tables, name)
	}
	rows.Close()
	all := map[string]string{}
	for _, table := range tables {
		hash := sha256.New()
		rows, err := db.QueryContext(t.Context(), `SELECT * FROM `+table)
		if err != nil {
			t.Fatal(err)
		}
		cols, err := rows.Columns()
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
			values := make([]any, len(cols))
			dest := make([]any, len(cols))
			for i := range values {
				dest[i] = &values[i]
			}
			if err := rows.Scan(dest...); err != nil {
				t.Fatal(err)
			}
			fmt.Fprintln(hash, values)
		}
		rows.Close()
		all[table] = hex.EncodeToString(hash.Sum(nil))
	}
	return all
}

func TestDryRun(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	gaids := s.fill(t, 30)
	s.do(t, "PUT", "/api/v1/assets/"+gaids[0], `{"creator":"Ada"}`).want(t, 200)
	s.do(t, "DELETE", "/api/v1/assets/"+gaids[1], "").want(t, 200)
	before := s.checksums(t)
	update := fmt.Sprintf(`{
		"type": "bulk_update",
		"selection": {"gaids": %s},
		"changes": {"creator": "Ada", "add_keywords": ["new"], "metadata": {"year": 2026}}
	`, quoted(append(gaids, "nowhere"))) // without the final brace
	const changed = `{"creator":{"from":null,"to":"Ada"},` +
		`"keywords":{"from":["filled"],"to":["filled","new"]},` +
		`"metadata.year":{"from":null,"to":2026}}`
	for name, a := range map[string]answer{
		"parameter": s.do(t, "POST", operations+"?dry_run=true", update+"}", "Idempotency-Key", newKey()).want(t, 200),
		"member":    s.do(t, "POST", operations, update+`,"dry_run":true}`, "Idempotency-Key", newKey()).want(t, 200),
	} {
		if previewed(a) != "31 29 0 2 0" || a.get("data.dry_run") != true {
			t.Errorf("%s: %s", name, a)
		}
		items := a.get("data.items").([]any)
		if len(items) != 20 || a.get("data.not_found.0") != gaids[1] || a.get("data.not_found.1") != "nowhere" {
			t.Errorf("%s: %d items, %s", name, len(items), a)
		}
		changes, err := json.Marshal(a.get("data.items.2.changes"))
		if err != nil || string(changes) != changed {
			t.Errorf("%s: changes %s", name, changes)
		}
	}
	for body, want := range map[string]string{
		`{"type":"bulk_delete","selection":{"filters":` + every + `}}`:                                        "29 29 0 0",
		`{"type":"bulk_delete","force":true,"selection":{"filters":` + every + `,"trashed":"with"}}`:          "30 30 0 0",
		`{"type":"bulk_update","selection":{"filters":` + every + `},"changes":{"creator":"Ada"}}`:            "29 28 1 0",
		`{"type":"ai_analysis","selection":{"filters":` + every + `},"tasks":["meaning"]}`:                    "29 29 0 0",
		`{"type":"export","format":"zip","selection":{"gaids":` + quoted([]string{gaids[0], gaids[1]}) + `}}`: "2 1 0 1",
	} {
		a := s.do(t, "POST", operations+"?dry_run=1", body, "Idempotency-Key", newKey()).want(t, 200)
		if got := fmt.Sprint(a.get("data.total"), a.get("data.changed"), a.get("data.unchanged"), a.get("data.not_found_count")); got != want {
			t.Errorf("%s: %s, not %s", body, got, want)
		}
	}
	for table, sum := range s.checksums(t) {
		if sum != before[table] {
			t.Errorf("a dry run changed rows of %s", table)
		}
	}
	// The checksums detect the effect of an operation.
	s.ended(t, s.operate(t, update+"}"))
	if maps.Equal(s.checksums(t), before) {
		t.Error("the checksum does not see a change")
	}
}

// A cancelled operation keeps the completed changes and makes no more.
func TestCancelOperation(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	s.fill(t, 4000)
	path := s.operate(t, `{"type":"bulk_update","selection":{"filters":`+every+`},"changes":{"creator":"Ada"}}`)
	a := s.until(t, path, func(a answer) bool { return a.get("data.progress.done") != 0.0 })
	if a.get("data.finished_at") == nil && a.Header.Get("Retry-After") == "" {
		t.Error("no Retry-After while it runs")
	}
	a = s.do(t, "POST", path+"/cancel", "").want(t, 200)
	done, _ := a.get("data.progress.done").(float64)
	if a.get("data.state") != "cancelled" || done == 0 || done == 4000 || a.get("data.progress.total") != 4000.0 {
		t.Fatalf("%s", a)
	}
	for state, want := range map[string]float64{"done": done, "skipped": 4000 - done, "pending": 0} {
		if b := s.do(t, "GET", path+"/items?state="+state, "").want(t, 200); b.get("meta.total") != want {
			t.Errorf("%s: %s", state, b)
		}
	}
	s.do(t, "POST", path+"/cancel", "").want(t, 409)
	// The user's next operation runs after the first one, which does nothing more.
	s.ended(t, s.operate(t, `{"type":"bulk_update","selection":{"gaids":["01TEST00000000000000000000"]},"changes":{"copyright":"x"}}`))
	if n := s.count(t, `SELECT count(*) FROM assets WHERE creator = 'Ada' AND version >= 2`); float64(n) != done {
		t.Errorf("%d assets are changed, %g done", n, done)
	}
	if b := s.do(t, "GET", path, "").want(t, 200); string(b.body) != string(a.body) {
		t.Errorf("after it: %s, then: %s", a, b)
	}
	if ev := s.countEvents(t); ev["operation.completed "+path[len(operations)+1:]] != 1 {
		t.Errorf("events: %d", ev["operation.completed "+path[len(operations)+1:]])
	}
}

// A queued operation is cancelled immediately. A small operation does not wait for the end
// of another user's large one; those of the same user run in order.
func TestOperationsTakeTurns(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	gaids := s.fill(t, 6000)
	eve := s.user(t, "eve@example.com", dam.RoleEditor)
	large := s.operate(t, `{"type":"bulk_update","selection":{"filters":`+every+`},"changes":{"creator":"Ada"}}`)
	waits := s.operate(t, `{"type":"bulk_update","selection":{"filters":`+every+`},"changes":{"creator":"Never"}}`)
	last := s.operate(t, `{"type":"bulk_update","selection":{"gaids":["`+gaids[0]+`"]},"changes":{"creator":"Last"}}`)
	small := s.operateAs(t, eve, `{"type":"bulk_update","selection":{"gaids":["`+gaids[5999]+`"]},"changes":{"copyright":"Eve"}}`)
	s.untilAs(t, eve, small, func(a answer) bool { return a.get("data.finished_at") != nil })
	if a := s.do(t, "GET", large, "").want(t, 200); a.get("data.state") != "running" {
		t.Errorf("the large one when the small one ended: %s", a)
	}
	a := s.do(t, "POST", waits+"/cancel", "").want(t, 200)
	if outcome(a) != "cancelled 6000 0 0 0 0" || a.get("data.started_at") != nil {
		t.Errorf("cancelled while waiting: %s", a)
	}
	s.ended(t, last)
	if a := s.do(t, "GET", large, "").want(t, 200); outcome(a) != "completed 6000 6000 0 0 100" {
		t.Errorf("%s", a)
	}
	if a := s.do(t, "GET", "/api/v1/assets/"+gaids[0], "").want(t, 200); a.get("data.creator") != "Last" {
		t.Errorf("the order was not kept: %s", a)
	}
	if n := s.count(t, `SELECT count(*) FROM assets WHERE creator = 'Never'`); n != 0 {
		t.Errorf("%d assets were changed by what was cancelled", n)
	}
}

func TestOperationAbilities(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	gaid := s.fill(t, 1)[0]
	all := map[string]string{
		"assets:write":    `{"type":"bulk_update","selection":{"gaids":["` + gaid + `"]},"changes":{"creator":"x"}}`,
		"assets:delete":   `{"type":"bulk_delete","selection":{"gaids":["nobody"]}}`,
		"assets:download": `{"type":"export","selection":{"gaids":["` + gaid + `"]},"format":"json"}`,
	}
	for need, body := range all {
		var others []dam.Ability
		for _, a := range dam.Values[dam.Ability]() {
			if string(a) != need {
				others = append(others, a)
			}
		}
		without := s.user(t, "without-"+need[7:]+"@example.com", dam.RoleAdmin, others...)
		with := s.user(t, "with-"+need[7:]+"@example.com", dam.RoleAdmin, dam.Ability(need), dam.AssetsRead)
		for _, query := range []string{"", "?dry_run=true"} {
			a := s.as(t, without, "POST", operations+query, body, "Idempotency-Key", newKey()).want(t, 403)
			if got := fmt.Sprint(a.get("required_abilities")); got != "["+need+"]" {
				t.Errorf("%s: %s", need, a)
			}
		}
		path := s.operateAs(t, with, body)
		// Nobody else can see it, not even with an administrator's token.
		for _, r := range []string{"GET ", "POST /cancel", "GET /items", "GET /download"} {
			method, rest, _ := strings.Cut(r, " ")
			if a := s.do(t, method, path+rest, "").want(t, 404); a.get("message") != "Operation not found." {
				t.Errorf("%s: %s", r, a)
			}
		}
		if a := s.as(t, with, "GET", operations, "").want(t, 200); a.get("meta.total") != 1.0 {
			t.Errorf("own: %s", a)
		}
		if need != "assets:download" {
			s.as(t, with, "GET", path+"/download", "").want(t, 403)
		}
	}
	if a := s.do(t, "GET", operations, "").want(t, 200); a.get("meta.total") != 0.0 {
		t.Errorf("a token of an admin: %s", a)
	}
	login := s.as(t, "", "POST", "/api/v1/session", `{"email":"ada@example.com","password":"correct horse battery"}`)
	if a := s.as(t, "", "GET", operations, "", "Cookie", "dal_session="+login.Cookies()[0].Value).want(t, 200); a.get("meta.total") != 3.0 {
		t.Errorf("a session of an admin: %s", a)
	}
	viewer := s.user(t, "viewer@example.com", dam.RoleViewer)
	refused := s.as(t, viewer, "POST", operations, all["assets:write"], "Idempotency-Key", newKey()).want(t, 403)
	if fmt.Sprint(refused.get("required_abilities")) != "[]" {
		t.Errorf("a viewer: %s", refused)
	}
	s.operateAs(t, viewer, all["assets:download"])
	s.as(t, "", "POST", operations, all["assets:write"], "Idempotency-Key", newKey()).want(t, 401)
	s.do(t, "GET", operations+"/999", "").want(t, 404)
}

// A caller without permission to start operations is refused before sending the body.
func TestOperationAbilitiesBeforeBody(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	reader := s.user(t, "reader@example.com", dam.RoleAdmin, dam.AssetsRead, dam.MetadataWrite)
	body, never := io.Pipe()
	defer never.Close()
	req, err := http.NewRequestWithContext(t.Context(), "POST", s.URL+operations, body)
	if err != nil {
		t.Fatal(err)
	}
	req.ContentLength = 100
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+reader)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var refused struct {
		Required []dam.Ability `json:"required_abilities"`
	}
	if err := json.NewDecoder(res.Body).Decode(&refused); err != nil {
		t.Fatal(err)
	}
	slices.Sort(refused.Required)
	want := []dam.Ability{dam.AssetsDelete, dam.AssetsDownload, dam.AssetsWrite}
	if res.StatusCode != 403 || !slices.Equal(refused.Required, want) {
		t.Errorf("%d, %v", res.StatusCode, refused.Required)
	}
}

// An operation stops when its user is disabled.
func TestOperationOfDisabledUser(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	s.fill(t, 4000)
	eve := s.user(t, "eve@example.com", dam.RoleEditor)
	path := s.operateAs(t, eve, `{"type":"bulk_update","selection":{"filters":`+every+`},"changes":{"creator":"Eve"}}`)
	err := s.app.Accounts.UpdateUser(t.Context(), "eve@example.com", func(u *dam.User) error {
		u.Role = dam.RoleViewer
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	a := s.untilAs(t, eve, path, func(a answer) bool { return a.get("data.finished_at") != nil })
	if a.get("data.state") != "failed" || a.get("data.error.code") != "denied" || a.get("data.progress.done") == 4000.0 {
		t.Errorf("%s", a)
	}
}

// Operations end with the token that started them.
func TestOperationOfEndedToken(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(t *testing.T, s *server, c *clock, parent string){
		"revoked": func(t *testing.T, s *server, _ *clock, parent string) {
			s.do(t, "DELETE", "/api/v1/tokens/"+parent, "").want(t, 200)
		},
		"expired": func(_ *testing.T, _ *server, c *clock, _ string) { c.ahead.Store(int64(2 * time.Hour)) },
	} {
		for _, body := range []string{`{"type":"bulk_update","changes":{"creator":"Eve"},`, `{"type":"export","format":"zip",`} {
			t.Run(name+" "+body[9:15], func(t *testing.T) {
				t.Parallel()
				s, c := standing(t, nil)
				s.fill(t, 4000)
				can := `"abilities":["assets:read","assets:write","assets:download"]`
				parent, id := s.mint(t, s.token, fmt.Sprintf(`{"name":"parent","expires_at":%q,%s}`, c.now().Add(time.Hour).Format(time.RFC3339), can))
				child, _ := s.mint(t, parent, `{"name":"child",`+can+`}`)
				path := s.operateAs(t, child, body+`"selection":{"filters":`+every+`}}`)
				end(t, s, c, id)
				a := s.until(t, path, func(a answer) bool { return a.get("data.finished_at") != nil })
				if a.get("data.state") != "failed" || a.get("data.error.code") != "denied" || a.get("data.progress.done") == 4000.0 {
					t.Errorf("%s", a)
				}
			})
		}
	}
}

func TestAnalysis(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	gaids := s.fill(t, 100)
	s.until(t, "/api/v1/assets?q=number", func(a answer) bool { return a.get("meta.meaning") == "ready" })
	// Reset the vectors and their source hashes, so that only the analysis can compute them again.
	db := s.db(t)
	const forget = `UPDATE asset_vectors SET text_hash = zeroblob(32), vector = zeroblob(length(vector))`
	if _, err := db.ExecContext(t.Context(), forget); err != nil {
		t.Fatal(err)
	}
	path := s.operate(t, fmt.Sprintf(`{"type":"ai_analysis","tasks":["meaning"],"selection":{"gaids":%s}}`, quoted(append(gaids, "nowhere"))))
	if a := s.ended(t, path); outcome(a) != "completed_with_errors 101 100 0 1 100" {
		t.Errorf("%s", a)
	}
	const renewed = `SELECT count(*) FROM asset_vectors JOIN assets ON id = asset_id
		WHERE text_hash <> zeroblob(32) AND vector <> zeroblob(length(vector))`
	if n := s.count(t, renewed); n != 100 {
		t.Errorf("%d vectors are new", n)
	}
	if n := s.count(t, `SELECT count(*) FROM assets WHERE version = 1`); n != 100 {
		t.Errorf("%d assets are as they were", n)
	}
}

func TestTooManyOperations(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	s.fill(t, 4000)
	// The first one is large: the others wait for it.
	s.operate(t, `{"type":"bulk_update","selection":{"filters":`+every+`},"changes":{"creator":"Ada"}}`)
	small := `{"type":"bulk_update","selection":{"gaids":["x"]},"changes":{"creator":"Ada"}}`
	err := s.store(t).Update(t.Context(), func(tx *storage.Tx) error {
		u, err := tx.UserByEmail("ada@example.com")
		for range bulk.MaxOpenOperations {
			if err == nil {
				err = tx.InsertOperation(&dam.Operation{Type: dam.OperationUpdate, CreatedByID: u.ID,
					Spec: dam.OperationSpec{Changes: &dam.BulkChanges{AddKeywords: []string{"x"}}}})
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	s.do(t, "POST", operations, small, "Idempotency-Key", newKey()).want(t, 409)
}

// Old operations are deleted with their items and keys.
func TestOperationsAreForgotten(t *testing.T) {
	t.Parallel()
	c := newClock()
	s := start(t, func(cfg *app.Config, o *web.Options) { cfg.Now, o.Now = c.now, c.now })
	s.fill(t, 700)
	path := s.operate(t, `{"type":"bulk_update","selection":{"filters":`+every+`},"changes":{"creator":"Ada"}}`)
	s.ended(t, path)
	c.ahead.Store(int64(91 * 24 * time.Hour))
	for range 2 { // items are deleted first
		if err := s.app.Maintenance.Tidy(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	s.do(t, "GET", path, "").want(t, 404)
	if n := s.count(t, `SELECT (SELECT count(*) FROM operation_items) + (SELECT count(*) FROM operations)`); n != 0 {
		t.Errorf("%d rows are left", n)
	}
}
