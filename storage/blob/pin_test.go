package blob_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// Blobs that are removed or quarantined remain readable through each pin until it is
// closed.
func TestPin(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s, other := open(t, dir), open(t, dir) // acts as another process
	sure := func(string) (bool, error) { return true, nil }
	gone := put(t, s, []byte("removed before"), done)
	a, b := put(t, s, []byte("removed"), done), put(t, s, []byte("infected"), done)
	if ok, err := other.Remove(t.Context(), gone, sure); !ok || err != nil {
		t.Fatal(ok, err)
	}
	dead := filepath.Join(dir, "held", "dead") // of a killed process
	if err := os.MkdirAll(dead, 0o700); err != nil {
		t.Fatal(err)
	}
	one, err := s.Pin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	two, err := other.Pin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if ok, err := other.Remove(t.Context(), a, sure); !ok || err != nil {
		t.Fatal(ok, err)
	}
	if ok, err := s.Quarantine(t.Context(), b, sure); !ok || err != nil {
		t.Fatal(ok, err)
	}
	late := put(t, other, []byte("came later"), done)
	if _, err := s.Open(a); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a removed blob is still there: %v", err)
	}
	for sha, want := range map[string]string{a: "removed", b: "infected", late: "came later"} {
		for _, p := range []interface {
			Open(string) (*os.File, error)
		}{one, two} {
			f, err := p.Open(sha)
			if err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(f)
			f.Close()
			if string(got) != want || err != nil {
				t.Errorf("%q %v, want %q", got, err, want)
			}
		}
	}
	if _, err := one.Open(gone); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what was removed before: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dead, a)); err == nil {
		t.Error("kept for the dead")
	}
	if err := os.WriteFile(filepath.Join(dead, gone), nil, 0o400); err != nil {
		t.Fatal(err)
	}
	if err := s.SweepPins(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(dead); err == nil {
		t.Error("what the dead kept is there for ever")
	}
	if err := one.Close(); err != nil {
		t.Fatal(err)
	}
	if f, err := two.Open(a); err != nil {
		t.Errorf("after another pin was closed: %v", err)
	} else {
		f.Close()
	}
	if err := two.Close(); err != nil {
		t.Fatal(err)
	}
	if held, err := filepath.Glob(filepath.Join(dir, "held", "*")); err != nil || len(held) != 0 {
		t.Errorf("left: %v %v", held, err)
	}
}
