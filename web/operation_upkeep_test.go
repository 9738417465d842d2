package web_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
	"github.com/digital-asset-library/dal/web"
)

// Starting a large operation does not block other writers, and the operation is not visible
// until it is complete.
func TestStartLargeOperation(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("100,000 items take long")
	}
	s := start(t, nil)
	gaid := s.fill(t, 1)[0]
	gaids := make([]string, dam.MaxOperationGAIDs)
	for i := range gaids {
		gaids[i] = fmt.Sprint("NOWHERE", i)
	}
	gaids[70_000] = gaid
	body := `{"type":"bulk_update","selection":{"gaids":` + quoted(gaids) + `},"changes":{"creator":"Ada"}}`
	started := make(chan answer, 1)
	go func() { started <- s.do(t, "POST", operations, body, "Idempotency-Key", newKey()) }()
	db := s.db(t)
	between := 0
	var a answer
	for a.Response == nil {
		var items, whole int
		const counts = `SELECT (SELECT count(*) FROM operation_items), (SELECT count(*) FROM operations WHERE total > 0)`
		if err := db.QueryRowContext(t.Context(), counts).Scan(&items, &whole); err != nil {
			t.Fatal(err)
		}
		if items > 0 && whole == 0 {
			between++
			s.do(t, "PUT", "/api/v1/assets/"+gaid, fmt.Sprintf(`{"title":"Meanwhile %d"}`, between)).want(t, 200)
		}
		select {
		case a = <-started:
		default:
		}
	}
	a.want(t, 202)
	if between < 2 {
		t.Errorf("others had their turn %d times", between)
	}
	path := fmt.Sprintf("%s/%v", operations, a.get("data.id"))
	last := s.do(t, "GET", path+"/items?per_page=1&page=100000", "").want(t, 200)
	if a.get("data.progress.total") != 100_000.0 || last.get("data.0.position") != 99_999.0 || last.get("data.0.gaid") != "NOWHERE99999" {
		t.Errorf("%s %s", a, last.body)
	}
	cancelled := s.do(t, "POST", path+"/cancel", "").want(t, 200)
	if cancelled.get("data.state") != "cancelled" || cancelled.get("data.progress.total") != 100_000.0 {
		t.Errorf("%s", cancelled)
	}
}

// The remains of a start that crashed do no harm and are removed.
func TestDraftIsForgotten(t *testing.T) {
	t.Parallel()
	c := newClock()
	s := start(t, func(cfg *app.Config, o *web.Options) { cfg.Now, o.Now = c.now, c.now })
	gaid := s.fill(t, 1)[0]
	err := s.store(t).Update(t.Context(), func(tx *storage.Tx) error {
		u, err := tx.UserByEmail("ada@example.com")
		if err != nil {
			return err
		}
		op := &dam.Operation{
			Type:        dam.OperationUpdate,
			CreatedByID: u.ID,
			Spec:        dam.OperationSpec{Changes: &dam.BulkChanges{AddKeywords: []string{"draft"}}},
		}
		if err := tx.InsertOperation(op); err != nil {
			return err
		}
		return tx.AddOperationGAIDs(op, []dam.GAID{dam.GAID(gaid)})
	})
	if err != nil {
		t.Fatal(err)
	}
	s.do(t, "GET", operations+"/1", "").want(t, 404)
	s.do(t, "POST", operations+"/1/cancel", "").want(t, 404)
	path := s.operate(t, `{"type":"bulk_update","selection":{"gaids":["`+gaid+`"]},"changes":{"creator":"Ada"}}`)
	if a := s.ended(t, path); outcome(a) != "completed 1 1 0 0 100" {
		t.Errorf("%s", a)
	}
	if a := s.do(t, "GET", operations, "").want(t, 200); a.get("meta.total") != 1.0 {
		t.Errorf("%s", a)
	}
	c.ahead.Store(int64(2 * time.Hour))
	for range 2 { // items are deleted first
		if err := s.app.Maintenance.Tidy(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if n := s.count(t, `SELECT (SELECT count(*) FROM operation_items) * 10 + (SELECT count(*) FROM operations)`); n != 11 {
		t.Errorf("%d: the draft is left, or more is gone", n)
	}
	if n := s.count(t, `SELECT count(*) FROM asset_words WHERE word = 'draft'`); n != 0 {
		t.Error("a draft was worked on")
	}
}

// Even if operations are kept for a short time, a key is valid for a day, and an operation
// stays as long as its file.
func TestOperationIsKeptLongEnough(t *testing.T) {
	t.Parallel()
	c := newClock()
	s := start(t, func(cfg *app.Config, o *web.Options) {
		cfg.Now, o.Now, cfg.OperationKeep, cfg.ExportKeep = c.now, c.now, time.Hour, 72*time.Hour
	})
	gaid := s.fill(t, 1)[0]
	body := `{"type":"export","format":"csv","selection":{"gaids":["` + gaid + `"]}}`
	first := s.do(t, "POST", operations, body, "Idempotency-Key", "one").want(t, 202)
	path := fmt.Sprintf("%s/%v", operations, first.get("data.id"))
	s.ended(t, path)
	tidyAt := func(d time.Duration) {
		t.Helper()
		c.ahead.Store(int64(d))
		for range 2 {
			if err := s.app.Maintenance.Tidy(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	tidyAt(23 * time.Hour)
	again := s.do(t, "POST", operations, body, "Idempotency-Key", "one").want(t, 202)
	if again.Header.Get("Idempotency-Replayed") != "true" || string(again.body) != string(first.body) {
		t.Errorf("within a day: %v %s", again.Header, again)
	}
	tidyAt(71 * time.Hour)
	s.do(t, "GET", path+"/download", "").want(t, 200)
	tidyAt(73 * time.Hour)
	s.do(t, "GET", path, "").want(t, 404)
	if left := s.exportsLeft(t); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// An analysis uses an asset's text like search does: terms by their labels.
func TestAnalysisReadsLabels(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	gaid := s.fill(t, 1)[0]
	v, _ := s.vocabulary(t, "places", "p1=Old harbour at dawn")
	s.define(t, fmt.Sprintf(`{"key":"place","label":"Place","type":"term","vocabulary_id":%v}`, v))
	s.do(t, "PUT", "/api/v1/assets/"+gaid+"/metadata", `{"place":"p1"}`).want(t, 200)
	// Without the label, the text would have another hash.
	s.until(t, "/api/v1/assets/"+gaid+"/similar", func(a answer) bool {
		return s.count(t, `SELECT count(*) FROM followers f WHERE f.name = 'meaning' AND f.seq = (SELECT max(seq) FROM asset_changes)`) == 1
	})
	const hash = `SELECT count(*) FROM asset_vectors WHERE hex(text_hash) = '%s'`
	var want string
	if err := s.db(t).QueryRowContext(t.Context(), `SELECT hex(text_hash) FROM asset_vectors`).Scan(&want); err != nil {
		t.Fatal(err)
	}
	a := s.ended(t, s.operate(t, `{"type":"ai_analysis","tasks":["meaning"],"selection":{"gaids":["`+gaid+`"]}}`))
	if outcome(a) != "completed 1 1 0 0 100" || s.count(t, fmt.Sprintf(hash, want)) != 1 {
		t.Errorf("the analysis read another text: %s", a)
	}
}

// Members of a body must be spelled as in the document, including case.
func TestOperationMembersHaveCase(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	for field, body := range map[string]string{
		"Type":            `{"Type":"bulk_delete","type":"bulk_delete","selection":{"q":"x"}}`,
		"Changes":         `{"type":"bulk_update","selection":{"q":"x"},"changes":{"title":"x"},"Changes":{"creator":"x"}}`,
		"changes.Creator": `{"type":"bulk_update","selection":{"q":"x"},"changes":{"Creator":"x"}}`,
	} {
		if a := s.do(t, "POST", operations, body, "Idempotency-Key", newKey()).want(t, 422); !strings.Contains(string(a.body), `"`+field+`":`) {
			t.Errorf("%s: %s", field, a)
		}
	}
}
