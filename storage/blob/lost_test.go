package blob_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/digital-asset-library/dal/storage/blob"
)

func isLost(t *testing.T, s *blob.Store) (names []string) {
	t.Helper()
	lost, err := s.Lost()
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range lost {
		names = append(names, l.SHA256)
	}
	return names
}

// Unreferenced blobs are moved aside, and their retention period starts then, regardless
// of the modification time of the file.
func TestSetAside(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir)
	sha := put(t, s, []byte("nobody knows me"), done)
	yore := time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)
	if err := os.Chtimes(where(dir, sha), yore, yore); err != nil {
		t.Fatal(err)
	}
	before := time.Now().Add(-time.Minute)
	if n, err := s.Sweep(t.Context(), no); err != nil || n != (blob.Swept{Blobs: 1, Bytes: 15}) {
		t.Fatalf("%+v, %v", n, err)
	}
	lost, err := s.Lost()
	if err != nil || len(lost) != 1 || lost[0].SHA256 != sha || lost[0].Size != 15 || lost[0].Since.Before(before) {
		t.Fatalf("%+v, %v", lost, err)
	}
	if data, err := os.ReadFile(filepath.Join(dir, "lost", sha)); err != nil || string(data) != "nobody knows me" {
		t.Errorf("%q, %v", data, err)
	}
	// The same bytes are uploaded and unreferenced again: neither file replaces the other.
	put(t, s, []byte("nobody knows me"), done)
	if n, err := s.Sweep(t.Context(), no); err != nil || n.Blobs != 1 {
		t.Fatalf("%+v, %v", n, err)
	}
	if names := isLost(t, s); len(names) != 2 {
		t.Errorf("%v", names)
	}

	if done, err := s.PutBack(t.Context(), sha); err != nil || !done {
		t.Fatalf("%v, %v", done, err)
	}
	if err := s.Verify(t.Context(), sha); err != nil {
		t.Error(err)
	}
	if done, err := s.PutBack(t.Context(), sha); err != nil || done {
		t.Errorf("put back once more: %v, %v", done, err)
	}
}

// A damaged file remains where it is, and a file that was moved aside never replaces one
// at a blob's path.
func TestPutBackDamaged(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir)
	sha := put(t, s, []byte("one"), done)
	if _, err := s.Sweep(t.Context(), no); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "lost", sha)
	if err := errors.Join(os.Chmod(path, 0o600), os.WriteFile(path, []byte("two"), 0o600)); err != nil {
		t.Fatal(err)
	}
	if done, err := s.PutBack(t.Context(), sha); !errors.Is(err, blob.ErrCorrupt) || done {
		t.Errorf("%v, %v", done, err)
	}
	if _, err := s.Open(sha); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}

	// Another file of the same blob is intact: it is used, and the damaged one remains.
	if err := os.WriteFile(path+"-3", []byte("one"), 0o400); err != nil {
		t.Fatal(err)
	}
	if done, err := s.PutBack(t.Context(), sha); err != nil || !done {
		t.Errorf("%v, %v", done, err)
	}
	if err := s.Verify(t.Context(), sha); err != nil {
		t.Error(err)
	}
	if b, err := os.ReadFile(path + "-2"); err != nil || string(b) != "two" {
		t.Errorf("%q, %v", b, err)
	}
}

// Until its record is final, a recalled blob has two names; the one aside outlives the
// removal of the other.
func TestRecall(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir)
	aside := put(t, s, []byte("aside"), done)
	if _, err := s.Sweep(t.Context(), no); err != nil {
		t.Fatal(err)
	}
	inPlace := put(t, s, []byte("in its place"), done)
	if err := s.Recall(t.Context(), []string{aside, inPlace}, func() error { return nil }); err != nil {
		t.Fatal(err)
	}
	for _, sha := range []string{aside, inPlace} {
		if err := errors.Join(s.Verify(t.Context(), sha), s.VerifyLost(t.Context(), sha)); err != nil {
			t.Error(err)
		}
		if removed, err := s.Remove(t.Context(), sha, yes); err != nil || !removed {
			t.Errorf("%v, %v", removed, err)
		}
		if err := s.VerifyLost(t.Context(), sha); err != nil {
			t.Error(err)
		}
	}
	lost, err := s.Lost()
	if err != nil || len(lost) != 2 {
		t.Fatalf("%v, %v", lost, err)
	}
	if gone, err := s.Forget(t.Context(), lost[0], func() (bool, error) { return false, nil }); err != nil || gone {
		t.Errorf("%v, %v", gone, err)
	}
	if gone, err := s.Forget(t.Context(), lost[0], func() (bool, error) { return true, nil }); err != nil || !gone {
		t.Errorf("%v, %v", gone, err)
	}
	if err := s.Recall(t.Context(), []string{sum([]byte("nowhere"))}, func() error { return nil }); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

// Folders of others among the temporary ones are not removed, nor are files in dal's own
// folders that dal did not create.
func TestSweepStrangers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir)
	files := []string{"tmp/holidays/1.jpg", "tmp/12345/notes.txt", "tmp/777", "lost/notes.txt", "quarantine/x", "sha256/ab/cd/stray"}
	for _, name := range files {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte("mine"), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := s.Sweep(t.Context(), no); err != nil || n != (blob.Swept{}) {
		t.Errorf("%+v, %v", n, err)
	}
	for _, name := range files {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
}

// Sweep removes unfinished exports, and ignores files that are not exports.
func TestExportsSweep(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	e, err := blob.OpenExports(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"1.zip", "2.zip", "3.zip.part", "notes.txt", "film.part"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	mine := func(name string) bool { return filepath.Ext(name) == ".zip" }
	if err := e.Sweep(mine, func(name string) (bool, error) { return name == "1.zip", nil }); err != nil {
		t.Fatal(err)
	}
	for name, kept := range map[string]bool{"1.zip": true, "2.zip": false, "3.zip.part": false, "notes.txt": true, "film.part": true} {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil != kept {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestMark(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if _, err := blob.ReadMark(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	s := open(t, dir)
	want := blob.Mark{Library: "01234567-89ab-4def-8123-456789abcdef", Change: 7}
	for range 2 {
		if err := s.WriteMark(want); err != nil {
			t.Fatal(err)
		}
		if m, err := blob.ReadMark(dir); err != nil || m != want {
			t.Errorf("%+v, %v", m, err)
		}
		want.Change++
	}
}

func FuzzMark(f *testing.F) {
	for _, s := range []string{"", "{}", "null", "[]", `{"library":"01234567-89ab-4def-8123-456789abcdef","change":7}`,
		`{"library":"x","change":-1}`, `{"library":"01234567-89ab-4def-8123-456789abcdef","change":1e99}`, "\x00\x00\x00\x00"} {
		f.Add([]byte(s))
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(filepath.Join(dir, "library.json"), data, 0o600); err != nil {
			t.Fatal(err)
		}
		m, err := blob.ReadMark(dir)
		var bad *blob.MarkError
		switch {
		case err != nil && !errors.As(err, &bad):
			t.Errorf("%v", err)
		case err == nil && (len(m.Library) != 36 || m.Change < 0):
			t.Errorf("%+v", m)
		case err != nil && m != blob.Mark{}:
			t.Errorf("%+v with %v", m, err)
		}
	})
}
