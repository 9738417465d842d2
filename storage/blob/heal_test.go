package blob_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/digital-asset-library/dal/storage/blob"
)

// When the bytes of a damaged blob are adopted concurrently through two stores, it is
// healed in one step for concurrent readers, and the damaged file is kept.
func TestAdoptHeals(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	stores := []*blob.Store{open(t, dir), open(t, dir)}
	data := bytes.Repeat([]byte("the same "), 50_000)
	bad := bytes.Clone(data)
	bad[1000] ^= 4
	sha := put(t, stores[0], data, done)
	path := where(dir, sha)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, bad, 0o400); err != nil {
		t.Fatal(err)
	}
	var ended atomic.Bool
	var reading, work sync.WaitGroup
	reading.Go(func() {
		for !ended.Load() {
			f, err := stores[0].Open(sha)
			if err != nil {
				t.Errorf("open: %v", err)
				return
			}
			got, err := io.ReadAll(f)
			f.Close()
			if err != nil || !bytes.Equal(got, data) && !bytes.Equal(got, bad) {
				t.Errorf("%d other bytes, %v", len(got), err)
				return
			}
		}
	})
	var healed atomic.Int32
	for g := range 8 {
		s := stores[g%2]
		work.Go(func() {
			w, err := s.Create(context.Background())
			if err != nil {
				t.Error(err)
				return
			}
			defer w.Discard()
			if _, err := w.Write(data); err != nil {
				t.Error(err)
			}
			if err := w.Finish(); err != nil {
				t.Error(err)
			}
			if err := s.Adopt(context.Background(), []*blob.Temp{w}, func() error { return s.Verify(context.Background(), sha) }); err != nil {
				t.Error(err)
			}
			if w.Healed() {
				healed.Add(1)
			}
		})
	}
	work.Wait()
	ended.Store(true)
	reading.Wait()
	if healed.Load() == 0 {
		t.Error("nobody healed it")
	}
	kept, err := stores[0].Damaged()
	if err != nil || len(kept) != int(healed.Load()) {
		t.Errorf("%d are kept, %d healed, %v", len(kept), healed.Load(), err)
	}
	found := false
	for _, k := range kept {
		got, err := os.ReadFile(k.Path)
		found = found || err == nil && bytes.Equal(got, bad)
		if k.SHA256 != sha || k.At.IsZero() {
			t.Errorf("%+v", k)
		}
	}
	if !found {
		t.Error("the bytes that were there are lost")
	}
}

// A writer that gets no room receives the error and has written nothing.
func TestNoRoom(t *testing.T) {
	t.Parallel()
	full := errors.New("full")
	var left int64 = 10
	room := func(n int64) error {
		if left -= n; left < 0 {
			return full
		}
		return nil
	}
	dir := t.TempDir()
	s := open(t, dir)
	s.SetRoom(room)
	w, err := s.Create(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer w.Discard()
	if _, err := io.WriteString(w, "0123456789"); err != nil {
		t.Error(err)
	}
	if n, err := io.WriteString(w, "x"); n != 0 || !errors.Is(err, full) || w.Size() != 10 {
		t.Errorf("wrote %d of %d, %v", n, w.Size(), err)
	}
	c, err := blob.OpenCache(filepath.Join(dir, "cache"))
	if err != nil {
		t.Fatal(err)
	}
	c.SetRoom(room)
	name := strings.Repeat("ab", 32)
	if err := c.Put(name, []byte("x")); !errors.Is(err, full) {
		t.Errorf("put: %v", err)
	}
	if entries, err := os.ReadDir(filepath.Join(dir, "cache")); err != nil || len(entries) > 0 {
		t.Errorf("%v, %v", entries, err)
	}
}

// A file to be restored must have the correct bytes.
func TestRestore(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir)
	data := []byte("what was there")
	sha := put(t, s, data, done)
	from := t.TempDir()
	for name, bytes := range map[string]string{"good": "what was there", "bad": "what was not  "} {
		if err := os.WriteFile(filepath.Join(from, name), []byte(bytes), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(from, "good"), filepath.Join(from, "link")); err != nil {
		t.Skip("no symbolic links: ", err)
	}
	if err := os.Remove(where(dir, sha)); err != nil {
		t.Fatal(err)
	}
	commits := 0
	commit := func() error { commits++; return nil }
	if err := s.Restore(t.Context(), sha, filepath.Join(from, "bad"), commit); !errors.Is(err, blob.ErrCorrupt) {
		t.Errorf("other bytes: %v", err)
	}
	if err := s.Restore(t.Context(), sha, filepath.Join(from, "link"), commit); !errors.Is(err, blob.ErrIrregular) {
		t.Errorf("a link: %v", err)
	}
	if err := s.Restore(t.Context(), sha, filepath.Join(from, "good"), commit); err != nil || commits != 1 {
		t.Errorf("%v, %d commits", err, commits)
	}
	if err := s.Verify(t.Context(), sha); err != nil {
		t.Error(err)
	}
}
