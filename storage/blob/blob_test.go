package blob_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/digital-asset-library/dal/storage/blob"
)

func open(t testing.TB, dir string) *blob.Store {
	t.Helper()
	s, err := blob.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// put adopts data and returns its name.
func put(t testing.TB, s *blob.Store, data []byte, commit func(sha string) error) string {
	t.Helper()
	w, err := s.Create(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer w.Discard()
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	if err := s.Adopt(context.Background(), []*blob.Temp{w}, func() error { return commit(w.SHA256()) }); err != nil {
		t.Fatal(err)
	}
	return w.SHA256()
}

func done(string) error        { return nil }
func yes(string) (bool, error) { return true, nil }
func no(string) (bool, error)  { return false, nil }
func never(path string) error  { return fmt.Errorf("%s is a stray", path) }
func sum(data []byte) string   { h := sha256.Sum256(data); return hex.EncodeToString(h[:]) }
func where(dir, sha string) string {
	return filepath.Join(dir, "sha256", sha[:2], sha[2:4], sha)
}

func TestStore(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir)
	data := bytes.Repeat([]byte("some bytes "), 1000)
	sha := put(t, s, data, done)
	if sha != sum(data) {
		t.Fatalf("kept under %s", sha)
	}
	f, err := s.Open(sha)
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(f)
	f.Close()
	if err != nil || !bytes.Equal(got, data) {
		t.Errorf("read back %d bytes, %v", len(got), err)
	}
	if info, err := os.Stat(where(dir, sha)); err != nil || info.Mode().Perm() != 0o400 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if err := s.Verify(t.Context(), sha); err != nil {
		t.Error(err)
	}
	put(t, s, data, done) // again: the same file remains
	n := 0
	if err := s.Walk(t.Context(), func(string, int64) error { n++; return nil }, never); err != nil || n != 1 {
		t.Errorf("%d blobs, %v", n, err)
	}
	if err := os.Chmod(where(dir, sha), 0o600); err != nil {
		t.Fatal(err)
	}
	data[5] ^= 1
	if err := os.WriteFile(where(dir, sha), data, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.Verify(t.Context(), sha); !errors.Is(err, blob.ErrCorrupt) {
		t.Errorf("a flipped bit: %v", err)
	}
	if removed, err := s.Remove(t.Context(), sha, no); err != nil || removed {
		t.Errorf("removed what is referred to: %v, %v", removed, err)
	}
	if moved, err := s.Quarantine(t.Context(), sha, yes); err != nil || !moved {
		t.Errorf("quarantine: %v, %v", moved, err)
	}
	if _, err := s.Open(sha); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("open from the quarantine: %v", err)
	}
	if err := s.Verify(t.Context(), sha); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("verify what is missing: %v", err)
	}
	if removed, err := s.Remove(t.Context(), sha, yes); err != nil || removed {
		t.Errorf("removed what is not there: %v, %v", removed, err)
	}
	for _, name := range []string{
		"", "..", "../../../etc/passwd", strings.Repeat("A", 64), strings.Repeat("a", 63), strings.Repeat("a", 63) + "/",
	} {
		if _, err := s.Open(name); err == nil || errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%q: %v", name, err)
		}
		if _, err := s.Remove(t.Context(), name, yes); err == nil {
			t.Errorf("remove %q", name)
		}
	}
}

// Removal never deletes a blob that was recorded meanwhile, in this process or in
// another; two stores on one folder act as two processes.
func TestRemoveRacesAdopt(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	stores := []*blob.Store{open(t, dir), open(t, dir)}
	var mu sync.Mutex
	refs := map[string]int{} // the records
	var work sync.WaitGroup
	for g := range 8 {
		s := stores[g%2]
		work.Go(func() {
			for i := range 60 {
				sha := put(t, s, []byte{byte(i % 3)}, func(sha string) error {
					mu.Lock()
					defer mu.Unlock()
					refs[sha]++
					return nil
				})
				if _, err := s.Open(sha); err != nil {
					t.Errorf("recorded and missing: %v", err)
					return
				}
				mu.Lock()
				refs[sha]--
				last := refs[sha] == 0
				mu.Unlock()
				if !last {
					continue
				}
				if _, err := s.Remove(context.Background(), sha, func(sha string) (bool, error) {
					mu.Lock()
					defer mu.Unlock()
					return refs[sha] == 0, nil
				}); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	work.Wait()
}

// A killed process leaves temporary files and blobs without a record; the next start
// removes the former and moves the latter aside, and nothing else.
func TestSweep(t *testing.T) {
	t.Parallel()
	if dir := os.Getenv("DAL_TEST_BLOBS"); dir != "" {
		s, err := blob.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		w, err := s.Create(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		w.Write([]byte("half a file"))
		put(t, s, []byte("without a record"), done)
		fmt.Println("left")
		os.Exit(0) // without Close
	}
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0], "-test.run=^TestSweep$")
	cmd.Env = append(os.Environ(), "DAL_TEST_BLOBS="+dir)
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "left") {
		t.Fatalf("%v %s", err, out)
	}
	s := open(t, dir)
	kept := put(t, s, []byte("with a record"), done)
	w, err := s.Create(t.Context()) // currently being written
	if err != nil {
		t.Fatal(err)
	}
	defer w.Discard()
	n, err := s.Sweep(t.Context(), func(sha string) (bool, error) { return sha == kept, nil })
	if err != nil || n != (blob.Swept{Temps: 1, Blobs: 1, Bytes: 16}) {
		t.Errorf("swept %+v, %v", n, err)
	}
	if _, err := s.Open(kept); err != nil {
		t.Error(err)
	}
	if _, err := w.Write([]byte("x")); err != nil {
		t.Error(err)
	}
	if err := w.Finish(); err != nil {
		t.Error(err)
	}
}

func TestFailedCommit(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir())
	w, err := s.Create(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	w.Write([]byte("x"))
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	failed := errors.New("the database is full")
	if err := s.Adopt(t.Context(), []*blob.Temp{w}, func() error { return failed }); !errors.Is(err, failed) {
		t.Errorf("%v", err)
	}
	if n, err := s.Sweep(t.Context(), no); err != nil || n.Blobs != 1 {
		t.Errorf("%+v, %v", n, err)
	}
}

func TestCache(t *testing.T) {
	t.Parallel()
	c, err := blob.OpenCache(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	sha := sum([]byte("x"))
	for _, name := range []string{sha + "-a.jpg", sha + "-b.jpg"} {
		want := name + "\xff\xd9"
		if err := c.Put(name, []byte(want)); err != nil {
			t.Fatal(err)
		}
		f, err := c.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		if data, err := io.ReadAll(f); string(data) != want || err != nil {
			t.Errorf("%q, %v", data, err)
		}
		f.Close()
	}
	if err := c.Remove(sha); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Open(sha + "-a.jpg"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("after removal: %v", err)
	}
	for _, name := range []string{"", "x", sha + "/../../x", "../" + sha} {
		if err := c.Put(name, nil); err == nil {
			t.Errorf("put %q", name)
		}
	}
}

func BenchmarkAdopt(b *testing.B) {
	s := open(b, b.TempDir())
	data := make([]byte, 1<<20)
	b.SetBytes(int64(len(data)))
	for i := 0; b.Loop(); i++ {
		copy(data, fmt.Sprint(i))
		put(b, s, data, done)
	}
}
