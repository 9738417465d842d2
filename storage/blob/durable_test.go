package blob

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A blob folder is known to be durable once a blob has been adopted into it; others are
// not, and a removed one is created and synced again.
func TestDurableFolders(t *testing.T) {
	t.Parallel()
	s, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	w, err := s.Create(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer w.Discard()
	if err := w.Finish(); err != nil { // e3b0…: empty
		t.Fatal(err)
	}
	if inner, outer := s.durable.has(w.SHA256()); inner || outer {
		t.Error("a folder is known before there is a blob in it")
	}
	if err := s.Adopt(t.Context(), []*Temp{w}, func() error { return nil }); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		sha          string
		inner, outer bool
		made         int
	}{
		{w.SHA256(), true, true, madeNothing},
		{"e3b1" + strings.Repeat("0", 60), false, true, madeInner},
		{"e4b0" + strings.Repeat("0", 60), false, false, madeOuter},
		{"00e3" + strings.Repeat("0", 60), false, false, madeOuter},
	} {
		inner, outer := s.durable.has(tt.sha)
		made, err := s.makeFolder(filepath.Dir(s.path(tt.sha)))
		if err != nil || inner != tt.inner || outer != tt.outer || made != tt.made {
			t.Errorf("%.4s: known %v, %v, made %d, %v; want %+v", tt.sha, inner, outer, made, err, tt)
		}
	}
	outer := filepath.Dir(filepath.Dir(s.path(w.SHA256())))
	if err := os.Rename(outer, outer+" gone"); err != nil {
		t.Fatal(err)
	}
	if made, err := s.makeFolder(filepath.Dir(s.path(w.SHA256()))); err != nil || made != madeOuter {
		t.Errorf("made %d of folders that have gone, %v", made, err)
	}
}
