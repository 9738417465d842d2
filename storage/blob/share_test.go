package blob_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/digital-asset-library/dal/storage/blob"
)

// When the same content is adopted concurrently, through two stores on one folder, all
// adoptions are recorded, one intact file exists, and no temporary files remain.
func TestAdoptSameContent(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	stores := []*blob.Store{open(t, dir), open(t, dir)}
	data := bytes.Repeat([]byte("the same "), 50_000)
	const each = 8
	var mu sync.Mutex
	records := 0
	begin := make(chan struct{})
	var work sync.WaitGroup
	for g := range each {
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
			<-begin
			if err := s.Adopt(context.Background(), []*blob.Temp{w}, func() error {
				mu.Lock()
				defer mu.Unlock()
				records++
				return stores[0].Verify(context.Background(), w.SHA256()) // a recorded blob must exist
			}); err != nil {
				t.Error(err)
			}
		})
	}
	close(begin)
	work.Wait()
	if records != each {
		t.Errorf("%d records", records)
	}
	blobs := 0
	if err := stores[1].Walk(t.Context(), func(sha string, size int64) error {
		blobs++
		if sha != sum(data) || size != int64(len(data)) {
			t.Errorf("%s of %d bytes", sha, size)
		}
		return nil
	}, never); err != nil || blobs != 1 {
		t.Errorf("%d blobs, %v", blobs, err)
	}
	for _, f := range files(t, filepath.Join(dir, "tmp")) {
		if filepath.Base(f) != "lock" {
			t.Errorf("%s stays", f)
		}
	}
}

// files returns the regular files below a folder.
func files(t *testing.T, dir string) (paths []string) {
	t.Helper()
	if err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			paths = append(paths, path)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return paths
}

// Processes open and close stores while another sweeps: none is mistaken for dead.
func TestSweepRacesOpen(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir)
	var openers sync.WaitGroup
	for range 3 {
		openers.Go(func() {
			for range 150 {
				other, err := blob.Open(dir)
				if err != nil {
					t.Errorf("open: %v", err)
					return
				}
				w, err := other.Create(context.Background())
				if err != nil {
					t.Errorf("create: %v", err)
				} else {
					w.Discard()
				}
				if err := other.Close(); err != nil {
					t.Errorf("close: %v", err)
				}
			}
		})
	}
	finished := make(chan struct{})
	go func() { openers.Wait(); close(finished) }()
	for {
		if _, err := s.Sweep(t.Context(), yes); err != nil {
			t.Errorf("sweep: %v", err)
		}
		select {
		case <-finished:
			return
		default:
		}
	}
}

// The data folder may have any name, including glob(7) patterns.
func TestFolderNames(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"a[b", "a[b]c", "with space", "ü"} {
		dir := filepath.Join(t.TempDir(), name)
		s := open(t, dir)
		sha := put(t, s, []byte(name), done)
		// Leftovers of a process that has ended.
		if err := os.Mkdir(filepath.Join(dir, "tmp", "12345"), 0o700); err != nil {
			t.Fatal(err)
		}
		if n, err := s.Sweep(t.Context(), no); err != nil || n.Temps != 1 || n.Blobs != 1 {
			t.Errorf("%s: swept %+v, %v", name, n, err)
		}
		c, err := blob.OpenCache(filepath.Join(dir, "cache"))
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Put(sha+".jpg", []byte("x")); err != nil {
			t.Fatal(err)
		}
		if err := c.Remove(sha); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := c.Open(sha + ".jpg"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: open what was removed: %v", name, err)
		}
	}
}

// No other user of the machine can read the library, and no blob is writable.
func TestPermissions(t *testing.T) {
	t.Parallel()
	if filepath.Separator == '\\' {
		t.Skip("Windows has no such permissions")
	}
	dir := filepath.Join(t.TempDir(), "library")
	s := open(t, dir)
	sha := put(t, s, []byte("kept"), done)
	gone := put(t, s, []byte("infected"), done)
	if moved, err := s.Quarantine(t.Context(), gone, yes); err != nil || !moved {
		t.Fatal(moved, err)
	}
	c, err := blob.OpenCache(filepath.Join(dir, "cache"))
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Put(sha+".jpg", []byte("x")); err != nil {
		t.Fatal(err)
	}
	if err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		switch mode := info.Mode().Perm(); {
		case d.IsDir() && mode != 0o700:
			t.Errorf("folder %s: %v", path, mode)
		case (d.Name() == sha || d.Name() == gone) && mode != 0o400:
			t.Errorf("blob %s: %v", path, mode)
		case d.Name() == sha+".jpg" && mode != 0o600:
			t.Errorf("cached %s: %v", path, mode)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(filepath.Join(dir, "quarantine", gone)); string(data) != "infected" || err != nil {
		t.Errorf("in the quarantine: %q, %v", data, err)
	}
}

// Walk reports files that are not blobs by name, path or type as strays.
func TestStrays(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir)
	first, second := put(t, s, []byte("a"), done), put(t, s, []byte("b"), done) // ca97…, 3e23…
	misplaced := filepath.Join(dir, "sha256", sum([]byte("c")))
	note := filepath.Join(filepath.Dir(where(dir, first)), "note.txt")
	upper := filepath.Join(filepath.Dir(where(dir, first)), strings.ToUpper(first))
	want := map[string]bool{misplaced: true, note: true, upper: true}
	for path := range want {
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var blobs []string
	if err := s.Walk(t.Context(), func(sha string, size int64) error {
		blobs = append(blobs, sha)
		return nil
	}, func(path string) error {
		if !want[path] {
			t.Errorf("%s is a stray", path)
		}
		delete(want, path)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if len(want) > 0 || len(blobs) != 2 || blobs[0] != second || blobs[1] != first {
		t.Errorf("not found: %v; blobs %v", want, blobs)
	}
	stop := errors.New("enough")
	if err := s.Walk(t.Context(), func(string, int64) error { return stop }, func(string) error { return nil }); !errors.Is(err, stop) {
		t.Errorf("%v", err)
	}
	if n, err := s.Sweep(t.Context(), yes); err != nil || n != (blob.Swept{}) {
		t.Errorf("swept %+v, %v", n, err)
	}
	if len(files(t, filepath.Join(dir, "sha256"))) != 5 {
		t.Error("a stray was swept: it is not ours to judge")
	}
}

// A truncated blob, for example from a full disk long ago, is intact again once the same
// content is adopted.
func TestAdoptMendsShortBlob(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir)
	sha := put(t, s, []byte("content"), done)
	if err := os.Chmod(where(dir, sha), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(where(dir, sha), 3); err != nil {
		t.Fatal(err)
	}
	if err := s.Verify(t.Context(), sha); !errors.Is(err, blob.ErrCorrupt) {
		t.Errorf("%v", err)
	}
	put(t, s, []byte("content"), done)
	if err := s.Verify(t.Context(), sha); err != nil {
		t.Error(err)
	}
}

// An unfinished blob has no name yet and cannot be adopted; the others in the same call
// are not recorded.
func TestAdoptUnfinished(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir())
	w, err := s.Create(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer w.Discard()
	if err := s.Adopt(t.Context(), []*blob.Temp{w}, func() error { t.Error("recorded"); return nil }); err == nil {
		t.Error("adopted without a name")
	}
	if err := s.Quiet(t.Context(), func() error { return nil }); err != nil {
		t.Errorf("the lock: %v", err)
	}
}

// Once its context is done, a call changes nothing and leaves the lock free.
func TestCancelled(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir())
	sha := put(t, s, []byte("x"), done)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, call := range map[string]func() error{
		"adopt":      func() error { return s.Adopt(ctx, nil, func() error { t.Error("recorded"); return nil }) },
		"remove":     func() error { _, err := s.Remove(ctx, sha, yes); return err },
		"quarantine": func() error { _, err := s.Quarantine(ctx, sha, yes); return err },
		"quiet":      func() error { return s.Quiet(ctx, func() error { t.Error("called"); return nil }) },
		"verify":     func() error { return s.Verify(ctx, sha) },
		"walk":       func() error { return s.Walk(ctx, func(string, int64) error { return nil }, never) },
		"sweep":      func() error { _, err := s.Sweep(ctx, no); return err },
	} {
		if err := call(); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := s.Verify(t.Context(), sha); err != nil {
		t.Error(err)
	}
	if removed, err := s.Remove(t.Context(), sha, yes); err != nil || !removed {
		t.Errorf("%v, %v", removed, err)
	}
}

// For any name, files of the cache remain in its folder.
func FuzzCacheName(f *testing.F) {
	sha := sum([]byte("x"))
	for _, name := range []string{
		sha, sha + "-thumbnail.jpg", sha + "/x", sha + "/../../x", "../" + sha, strings.ToUpper(sha), sha[:63], sha + "\x00", sha + "..",
	} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		root := t.TempDir()
		dir := filepath.Join(root, "cache")
		c, err := blob.OpenCache(dir)
		if err != nil {
			t.Fatal(err)
		}
		err = c.Put(name, []byte("data\xff\xd9"))
		found := files(t, root)
		if err != nil {
			if len(found) > 0 {
				t.Errorf("%q: %v, but there is %v", name, err, found)
			}
			return
		}
		if len(found) != 1 || !strings.HasPrefix(found[0], dir+string(filepath.Separator)) || filepath.Base(found[0]) != name {
			t.Errorf("%q is kept as %v", name, found)
		}
		r, err := c.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		if r.Close(); err != nil || string(data) != "data\xff\xd9" {
			t.Errorf("%q, %v", data, err)
		}
		if err := c.Remove(name[:64]); err != nil || len(files(t, root)) > 0 {
			t.Errorf("%q stays, %v", name, err)
		}
	})
}
