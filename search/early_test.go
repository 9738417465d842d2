package search_test

import (
	"context"
	"log/slog"
	"sync"
	"testing"

	"github.com/digital-asset-library/dal/search"
)

// listened is a library that reports the fields that are read for all assets.
type listened struct {
	*library
	fields chan string
}

func (l *listened) Values(ctx context.Context, field string, assets []int64, yield func(int64, any)) error {
	if assets == nil {
		l.fields <- field
	}
	return l.library.Values(ctx, field, assets, yield)
}

func TestKeywordsAreReadBeforeTheyAreNeeded(t *testing.T) {
	l := &listened{newLibrary(), make(chan string, 10)}
	a := asset(1, "boat")
	a.Keywords = []string{"harbour"}
	l.put(a)
	e, err := search.Open(t.Context(), t.TempDir(), l, nil, slog.New(slog.NewTextHandler(t.Output(), nil)))
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	ctx, stop := context.WithCancel(t.Context())
	var run sync.WaitGroup
	run.Go(func() { e.Run(ctx) })
	defer run.Wait()
	defer stop()
	if field := <-l.fields; field != "keywords" {
		t.Errorf("%s were read first", field)
	}
	found, err := e.Suggest(ctx, search.NewPrefix("harb"), 5)
	if err != nil {
		t.Fatal(err)
	}
	if len(found.Keywords) != 1 || len(l.fields) > 0 {
		t.Errorf("found %v after %d more columns", found.Keywords, len(l.fields))
	}
}
