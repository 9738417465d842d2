package search_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/blevesearch/bleve/v2"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/search"
)

// shelf returns a library of n assets, the same in every process.
func shelf(n int64) *library {
	l := newLibrary()
	for id := int64(1); id <= n; id++ {
		l.put(asset(id, fmt.Sprintf("number %d", id)))
	}
	return l
}

// indexAll runs the indexer until the text index includes all changes.
func indexAll(t testing.TB, e *search.Engine) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	var run sync.WaitGroup
	run.Go(func() { e.Run(ctx) })
	defer run.Wait()
	defer stop()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		lag, err := e.Lag(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if lag == 0 {
			return
		}
		<-tick.C
	}
}

func indexes(t testing.TB, dir string) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "text-*"))
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

// An index of another version of dal, an incomplete one, or a folder that is not an index
// is deleted and rebuilt.
func TestUnusableIndex(t *testing.T) {
	t.Parallel()
	internal := func(key string, value []byte) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) {
			ix, err := bleve.Open(indexes(t, dir)[0])
			if err != nil {
				t.Fatal(err)
			}
			if value == nil {
				err = ix.DeleteInternal([]byte(key))
			} else {
				err = ix.SetInternal([]byte(key), value)
			}
			if err := errors.Join(err, ix.Close()); err != nil {
				t.Fatal(err)
			}
		}
	}
	tests := map[string]func(t *testing.T, dir string){
		"another version": internal("version", []byte("0")),
		"not complete":    internal("complete", nil),
		"a file": func(t *testing.T, dir string) {
			path := indexes(t, dir)[0]
			if err := errors.Join(os.RemoveAll(path), os.WriteFile(path, []byte("no index"), 0o600)); err != nil {
				t.Fatal(err)
			}
		},
		"its store is gone": func(t *testing.T, dir string) {
			if err := os.RemoveAll(filepath.Join(indexes(t, dir)[0], "store")); err != nil {
				t.Fatal(err)
			}
		},
		"its store is cut": func(t *testing.T, dir string) {
			if err := os.Truncate(filepath.Join(indexes(t, dir)[0], "store", "root.bolt"), 100); err != nil {
				t.Fatal(err)
			}
		},
		"all is gone": func(t *testing.T, dir string) {
			if err := os.RemoveAll(dir); err != nil {
				t.Fatal(err)
			}
		},
	}
	for name, spoil := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, l := filepath.Join(t.TempDir(), "index"), shelf(50)
			e := open(t, dir, l)
			if r := find(t, e, dam.Query{Text: "number"}); r.Total != 50 {
				t.Fatalf("%d found", r.Total)
			}
			if err := e.Close(); err != nil {
				t.Fatal(err)
			}
			spoil(t, dir)
			before := l.read
			e = open(t, dir, l)
			defer e.Close()
			if r := find(t, e, dam.Query{Text: "number"}); r.Total != 50 || r.TextLag != 0 {
				t.Errorf("%d found, lag %d", r.Total, r.TextLag)
			}
			if l.read-before != 50 {
				t.Errorf("%d documents were read to build it anew, want 50", l.read-before)
			}
			if left := indexes(t, dir); len(left) != 1 {
				t.Errorf("indexes kept: %v", left)
			}
		})
	}
}

// impatient is a library that does not read once the context is done.
type impatient struct{ *library }

func (i impatient) Documents(ctx context.Context, after int64, limit int) ([]dam.Change, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return i.library.Documents(ctx, after, limit)
}

// A cancelled rebuild leaves the old index in use and no files behind; an incomplete
// index is removed when the engine opens.
func TestRebuildGivenUp(t *testing.T) {
	t.Parallel()
	l, dir := shelf(1200), t.TempDir()
	e, err := search.Open(t.Context(), dir, impatient{l}, nil, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	indexAll(t, e)
	kept := indexes(t, dir)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if err := e.Rebuild(ctx, func(int64, int64) { cancel() }); !errors.Is(err, context.Canceled) {
		t.Errorf("the rebuild ended with %v", err)
	}
	if r := find(t, e, dam.Query{Text: "number"}); r.Total != 1200 {
		t.Errorf("%d found", r.Total)
	}
	if fmt.Sprint(indexes(t, dir)) != fmt.Sprint(kept) {
		t.Errorf("indexes %v, want %v", indexes(t, dir), kept)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	half, err := bleve.New(filepath.Join(dir, "text-99"), bleve.NewIndexMapping())
	if err != nil {
		t.Fatal(err)
	}
	if err := half.Close(); err != nil {
		t.Fatal(err)
	}
	before := l.read
	e = open(t, dir, l)
	defer e.Close()
	if r := find(t, e, dam.Query{Text: "number"}); r.Total != 1200 || l.read != before {
		t.Errorf("%d found, %d documents read again", r.Total, l.read-before)
	}
	if left := indexes(t, dir); len(left) != 1 || filepath.Base(left[0]) == "text-99" {
		t.Errorf("indexes kept: %v", left)
	}
}

const abandonEnv = "DAL_SEARCH_TEST_ABANDON"

// TestAbandoned kills a process that has indexed but not closed: the index and its change
// number agree, so nothing is read again and nothing is missing.
func TestAbandoned(t *testing.T) {
	t.Parallel()
	if dir := os.Getenv(abandonEnv); dir != "" {
		abandon(t, dir)
		return
	}
	dir := t.TempDir()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestAbandoned$")
	cmd.Env = append(os.Environ(), abandonEnv+"="+dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ready := false
	for sc := bufio.NewScanner(out); !ready && sc.Scan(); {
		ready = strings.Contains(sc.Text(), "indexed")
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	cmd.Wait() // the error is that it was killed
	if !ready {
		t.Fatal("the other process did not index")
	}
	l := shelf(700)
	e := open(t, dir, l)
	defer e.Close()
	r := find(t, e, dam.Query{Text: "number"})
	if r.Total != 700 || r.TextLag != 0 || l.read != 0 {
		t.Errorf("%d found, lag %d, %d documents read again", r.Total, r.TextLag, l.read)
	}
	if r := find(t, e, dam.Query{Text: "650"}); ids(r) != "650" {
		t.Errorf("found %q", ids(r))
	}
}

// abandon indexes and then waits to be killed.
func abandon(t *testing.T, dir string) {
	e, err := search.Open(t.Context(), dir, shelf(700), nil, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	indexAll(t, e)
	fmt.Println("indexed")
	<-t.Context().Done()
}

// busy is a library that changes during each read, up to a limit.
type busy struct {
	*library
	writes, most int64
}

func (b *busy) Documents(ctx context.Context, after int64, limit int) ([]dam.Change, error) {
	list, err := b.library.Documents(ctx, after, limit)
	if b.writes < b.most {
		b.writes++
		b.put(asset(1000+b.writes, "late"))
	}
	return list, err
}

// A rebuild ends although changes continue.
func TestRebuildWhileBusy(t *testing.T) {
	t.Parallel()
	b := &busy{library: shelf(600), most: 100}
	e, err := search.Open(t.Context(), t.TempDir(), b, nil, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if err := e.Rebuild(t.Context(), func(int64, int64) {}); err != nil {
		t.Fatal(err)
	}
	if b.writes == b.most {
		t.Errorf("the rebuild followed changes until there were none")
	}
	if r := find(t, e, dam.Query{Text: "number"}); r.Total != 600 {
		t.Errorf("%d found", r.Total)
	}
	if r := find(t, e, dam.Query{Text: "late"}); r.Total == 0 {
		t.Error("what was written meanwhile is not found")
	}
}
