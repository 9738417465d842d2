package search_test

import (
	"context"
	"fmt"
	"log/slog"
	"testing"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/search"
)

// meddled is a library with a hook that runs while long texts are read.
type meddled struct {
	*library
	happen func()
}

func (m *meddled) Values(ctx context.Context, field string, assets []int64, yield func(int64, any)) error {
	err := m.library.Values(ctx, field, assets, yield)
	if do := m.happen; do != nil && field == "ocr_text" {
		m.happen = nil
		do()
	}
	return err
}

// A result from texts that are older than the columns is not cached as current.
func TestRulesWhileTextsChange(t *testing.T) {
	t.Parallel()
	m := &meddled{library: newLibrary()}
	put := func(id int64, text string) {
		a := asset(id, "same")
		a.OCRText = text
		m.put(a)
	}
	put(1, "old")
	put(2, "new")
	e, err := search.Open(t.Context(), t.TempDir(), m, nil, slog.New(slog.NewTextHandler(t.Output(), nil)))
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	c := &search.Collections{Rules: map[int64]*search.Rules{7: {Text: "x", Filter: parsed(t, rule("asset.ocr_text", "contains", `"new"`))}}}
	count := func() int {
		t.Helper()
		counts, err := e.CollectionCounts(t.Context(), c, []int64{7})
		if err != nil {
			t.Fatal(err)
		}
		return counts[7]
	}
	for round := range 3 { // the first time all texts are read, later those that changed
		put(3, fmt.Sprint("another ", round))
		m.happen = func() {
			put(1, pick(round%2 == 0, "new", "old"))
			find(t, e, dam.Query{}) // updates the columns
		}
		count()
		if n, want := count(), pick(round%2 == 0, 2, 1); n != want {
			t.Errorf("round %d: %d assets, want %d", round, n, want)
		}
	}
}

// Rules are evaluated again for all assets only when too much has changed.
func TestRulesAfterChanges(t *testing.T) {
	t.Parallel()
	l := newLibrary()
	for id := range int64(100) {
		l.put(asset(id+1, "same"))
	}
	var texts int
	e, err := search.Open(t.Context(), t.TempDir(), counted{l, &texts}, nil, slog.New(slog.NewTextHandler(t.Output(), nil)))
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	c := &search.Collections{Rules: map[int64]*search.Rules{7: {Text: "x", Filter: parsed(t, rule("asset.ocr_text", "is_empty", ""))}}}
	for _, step := range []struct{ changes, asked int }{{0, 100}, {0, 0}, {1, 1}, {3, 3}, {0, 0}, {5000, 5100}, {1, 1}} {
		texts = 0
		for i := range step.changes {
			l.put(asset(101+int64(i), "more"))
		}
		counts, err := e.CollectionCounts(t.Context(), c, []int64{7})
		if want := max(100, len(l.changes)); err != nil || counts[7] != want {
			t.Fatalf("%v: %v, %v, want %d", step, counts, err, want)
		}
		if texts != step.asked {
			t.Errorf("after %d changes %d texts were looked at, want %d", step.changes, texts, step.asked)
		}
	}
}

// counted counts the assets whose long texts are read.
type counted struct {
	*library
	texts *int
}

func (c counted) Values(ctx context.Context, field string, assets []int64, yield func(int64, any)) error {
	if field == "ocr_text" {
		*c.texts += len(assets)
		if assets == nil {
			c.mu.Lock()
			*c.texts += len(c.changes)
			c.mu.Unlock()
		}
	}
	return c.library.Values(ctx, field, assets, yield)
}
