package blob_test

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/digital-asset-library/dal/storage/blob"
)

// shelf is a cache that ranks files by their first letter: a is removed first, x never.
type shelf struct {
	*blob.Cache
	dir string
}

func newShelf(t *testing.T, budget int64) shelf {
	t.Helper()
	dir := t.TempDir()
	c, err := blob.OpenCache(dir)
	if err != nil {
		t.Fatal(err)
	}
	c.SetBudget(blob.Budget{Bytes: budget, Worth: func(name string) int {
		_, word, _ := strings.Cut(name, "-")
		if word == "" || word[0] == 'x' {
			return -1
		}
		return int(word[0])
	}})
	return shelf{c, dir}
}

// put stores 100 bytes under a word, last used some hours ago.
func (s shelf) put(t *testing.T, word string, hours int) {
	t.Helper()
	name := strings.Repeat("ab", 32) + "-" + word
	if err := s.Put(name, make([]byte, 100)); err != nil {
		t.Fatal(err)
	}
	if hours == 0 {
		return
	}
	at := time.Now().Add(-time.Duration(hours) * time.Hour)
	if err := os.Chtimes(filepath.Join(s.dir, "ab", "ab", name), at, at); err != nil {
		t.Fatal(err)
	}
}

func (s shelf) words(t *testing.T) string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(s.dir, "ab", "ab"))
	if err != nil {
		t.Fatal(err)
	}
	var words []string
	for _, e := range entries {
		if _, word, ok := strings.Cut(e.Name(), "-"); ok {
			words = append(words, word)
		}
	}
	slices.Sort(words)
	return strings.Join(words, " ")
}

// The least valuable files are removed first and, among those, the least recently used,
// until a tenth of the budget is free. Files of other programs remain, and do not count.
func TestCacheBudget(t *testing.T) {
	t.Parallel()
	s := newShelf(t, 700)
	for i, word := range []string{"a1", "a2", "a3", "b1", "b2", "c1", "x1"} {
		s.put(t, word, 10-i)
	}
	stranger := filepath.Join(s.dir, "ab", "ab", "notes")
	if err := os.WriteFile(stranger, make([]byte, 5000), 0o600); err != nil {
		t.Fatal(err)
	}
	trim := func(want string) {
		t.Helper()
		if err := s.Trim(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := s.words(t); got != want {
			t.Errorf("left are %s, want %s", got, want)
		}
	}
	trim("a1 a2 a3 b1 b2 c1 x1")
	if f, err := s.Open(strings.Repeat("ab", 32) + "-a1"); err != nil { // now recently used
		t.Fatal(err)
	} else {
		f.Close()
	}
	s.put(t, "c2", 20)
	s.put(t, "c3", 19)
	trim("a1 b1 b2 c1 c2 c3 x1")
	for _, word := range []string{"d1", "d2", "d3", "d4", "d5"} {
		s.put(t, word, 100)
	}
	trim("c1 d1 d2 d3 d4 d5 x1")
	if _, err := os.Stat(stranger); err != nil {
		t.Error(err)
	}
}

// A cache that exceeds its budget trims itself, and continues to work after its folder
// was removed.
func TestCacheRun(t *testing.T) {
	t.Parallel()
	s := newShelf(t, 1000)
	ended := make(chan struct{})
	ctx, stop := context.WithCancel(t.Context())
	go func() {
		defer close(ended)
		s.Run(ctx, func(err error) { t.Error(err) })
	}()
	for range 3 {
		for i := range 30 {
			s.put(t, "a"+string(rune('A'+i)), 0)
		}
		for strings.Count(s.words(t), " ")+1 > 10 { // limited by the test's own timeout
			runtime.Gosched()
		}
		if err := os.RemoveAll(s.dir); err != nil {
			t.Fatal(err)
		}
	}
	stop()
	<-ended
}
