package backup_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/digital-asset-library/dal/app/backup"
	"github.com/digital-asset-library/dal/storage"
	"github.com/digital-asset-library/dal/storage/blob"
)

// library is a data folder with a database and the files that it references.
type library struct {
	dir     string
	records *storage.Store
	blobs   *blob.Store
	id      string
}

func newLibrary(t testing.TB, files ...string) *library {
	t.Helper()
	l := &library{dir: t.TempDir()}
	var err error
	if l.records, err = storage.Open(t.Context(), filepath.Join(l.dir, "dal.db"), time.Now); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.records.Close() })
	if l.blobs, err = blob.Open(filepath.Join(l.dir, "blobs")); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.blobs.Close() })
	err = l.records.View(t.Context(), func(tx *storage.Tx) error {
		of, err := tx.Library()
		l.id = of.ID
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		l.add(t, f)
	}
	return l
}

func (l *library) add(t testing.TB, content string) {
	t.Helper()
	temp, err := l.blobs.Create(t.Context())
	if err == nil {
		_, err = temp.Write([]byte(content))
	}
	if err == nil {
		err = temp.Finish()
	}
	if err != nil {
		t.Fatal(err)
	}
	defer temp.Discard()
	err = l.blobs.Adopt(t.Context(), []*blob.Temp{temp}, func() error {
		return l.records.Update(t.Context(), func(tx *storage.Tx) error { return tx.InsertBlob(temp.SHA256(), temp.Size()) })
	})
	if err != nil {
		t.Fatal(err)
	}
}

// remove removes a file like the library: first the record, then the file.
func (l *library) remove(t testing.TB, content string) {
	t.Helper()
	err := l.records.Update(t.Context(), func(tx *storage.Tx) error {
		_, err := tx.ReleaseBlob(sum(content))
		return err
	})
	if err == nil {
		_, err = l.blobs.Remove(t.Context(), sum(content), func(string) (bool, error) { return true, nil })
	}
	if err != nil {
		t.Fatal(err)
	}
}

func sum(content string) string {
	h := sha256.Sum256([]byte(content))
	return hex.EncodeToString(h[:])
}

func (l *library) open(target string, at time.Time) (*backup.Target, error) {
	return backup.Create(target, backup.Library{ID: l.id, Dir: l.dir}, false, at)
}

var noon = time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)

// back makes a backup that must succeed.
func (l *library) back(t testing.TB, target string, opt backup.Options) backup.Result {
	t.Helper()
	if opt.Now.IsZero() {
		opt.Now = noon
	}
	tg, err := l.open(target, opt.Now)
	if err != nil {
		t.Fatal(err)
	}
	defer tg.Close()
	r, err := tg.Write(t.Context(), backup.Source{Library: backup.Library{ID: l.id, Dir: l.dir}, Records: l.records, Blobs: l.blobs}, opt)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// restore restores the snapshot at and returns the files of the new library.
func restore(t testing.TB, target, at, dir string) (files map[string]string, problems []string, err error) {
	t.Helper()
	tg, err := backup.Open(target)
	if err != nil {
		return nil, nil, err
	}
	defer tg.Close()
	s, err := tg.Pick(at)
	if err != nil {
		return nil, nil, err
	}
	opt := backup.Options{Workers: 2, Problem: func(p string) { problems = append(problems, p) }}
	if _, err := tg.Restore(t.Context(), s, dir, opt); err != nil {
		return nil, problems, err
	}
	files = map[string]string{}
	blobs := filepath.Join(dir, "blobs", "sha256")
	err = filepath.WalkDir(blobs, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		files[d.Name()] = string(data)
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return files, problems, nil
}

func wantFiles(t testing.TB, got map[string]string, want ...string) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%d files, want %d", len(got), len(want))
	}
	for _, w := range want {
		if got[sum(w)] != w {
			t.Errorf("%q is %q", w, got[sum(w)])
		}
	}
}

// Only new files are copied, every snapshot can be restored, and only unreferenced files
// are removed.
func TestSnapshots(t *testing.T) {
	t.Parallel()
	l := newLibrary(t, "one", "two")
	target := filepath.Join(t.TempDir(), "target")
	sigs := filepath.Join(l.dir, "signatures")
	if err := os.Mkdir(sigs, 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(sigs, "my.hdb"), "list")
	if r := l.back(t, target, backup.Options{}); r.NewFiles != 3 || r.Files != 2 || r.Bytes != 6 || !r.Complete {
		t.Errorf("%+v", r)
	}
	l.add(t, "three")
	l.remove(t, "one")
	if r := l.back(t, target, backup.Options{Now: noon.Add(time.Hour)}); r.NewFiles != 1 || r.NewBytes != 5 || r.Files != 2 || !r.Complete {
		t.Errorf("%+v", r)
	}
	write(t, filepath.Join(target, "blobs", "sha256", "theirs"), "not ours")
	for at, want := range map[string][]string{
		"latest": {"two", "three"}, "2026-01-31": {"two", "three"}, "2026-01-31T13:00:00Z": {"two", "three"},
		"2026-01-31T12:59:59Z": {"one", "two"}, "20260131T120000.000Z": {"one", "two"}, "2026-01-31T14:00:00+02:00": {"one", "two"},
	} {
		dir := filepath.Join(t.TempDir(), "new")
		got, problems, err := restore(t, target, at, dir)
		if err != nil || len(problems) != 0 {
			t.Fatalf("%s: %v %v", at, problems, err)
		}
		wantFiles(t, got, want...)
		if data, err := os.ReadFile(filepath.Join(dir, "signatures", "my.hdb")); string(data) != "list" {
			t.Errorf("%s: signatures: %q %v", at, data, err)
		}
		if _, err := os.Stat(filepath.Join(dir, "restore")); err == nil {
			t.Errorf("%s: the restore left something", at)
		}
	}
	_, _, err := restore(t, target, "2026-01-30", t.TempDir())
	if err == nil || !strings.Contains(err.Error(), "no snapshot from 2026-01-30 or before") {
		t.Error(err)
	}
	tg, err := backup.OpenToPrune(target)
	if err != nil {
		t.Fatal(err)
	}
	p, err := tg.Prune(t.Context(), 1)
	if err := errors.Join(err, tg.Close()); err != nil || p != (backup.Pruned{Snapshots: 1, Files: 1, Bytes: 3}) {
		t.Errorf("%+v %v", p, err)
	}
	got, _, err := restore(t, target, "", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	wantFiles(t, got, "two", "three")
	if _, err := os.Stat(filepath.Join(target, "blobs", "sha256", "theirs")); err != nil {
		t.Error("a file that dal did not make:", err)
	}
}

// Snapshots made with a clock that was ahead are older than those made after its
// correction: the newest one is restored and kept.
func TestClockAhead(t *testing.T) {
	t.Parallel()
	l := newLibrary(t, "one")
	target := filepath.Join(t.TempDir(), "target")
	ahead := time.Now().AddDate(3, 0, 0)
	for hour := range 3 {
		l.back(t, target, backup.Options{Now: ahead.Add(time.Duration(hour) * time.Hour)})
	}
	l.add(t, "two")
	l.back(t, target, backup.Options{})
	tg, err := backup.OpenToPrune(target)
	if err != nil {
		t.Fatal(err)
	}
	p, err := tg.Prune(t.Context(), 2)
	if err := errors.Join(err, tg.Close()); err != nil || p.Snapshots != 2 {
		t.Errorf("%+v %v", p, err)
	}
	got, _, err := restore(t, target, "", filepath.Join(t.TempDir(), "new"))
	if err != nil {
		t.Fatal(err)
	}
	wantFiles(t, got, "one", "two")
	name := ahead.Add(2 * time.Hour).UTC().Format("20060102T150405.000Z")
	if got, _, err = restore(t, target, name, filepath.Join(t.TempDir(), "ahead")); err != nil {
		t.Fatal(err)
	}
	wantFiles(t, got, "one")
}

func write(t testing.TB, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Files that the library permanently removes during a backup are part of it, because it is
// a snapshot of its start.
func TestRemovedMeanwhile(t *testing.T) {
	t.Parallel()
	var all []string
	for n := range 50 {
		all = append(all, fmt.Sprint("file ", n))
	}
	l := newLibrary(t, all...)
	target := filepath.Join(t.TempDir(), "target")
	r := l.back(t, target, backup.Options{Workers: 1, Progress: func(done, _ int64) {
		if done == 1 {
			for _, f := range all {
				l.remove(t, f)
			}
			l.add(t, "too late")
		}
	}})
	if r.Problems != 0 || r.NewFiles != 50 {
		t.Errorf("%+v", r)
	}
	got, problems, err := restore(t, target, "", t.TempDir())
	if err != nil || problems != nil {
		t.Fatal(problems, err)
	}
	wantFiles(t, got, all...)
	if held, err := filepath.Glob(filepath.Join(l.dir, "blobs", "held", "*")); err != nil || len(held) != 0 {
		t.Errorf("kept on: %v %v", held, err)
	}
}

// Damaged or missing files are reported and skipped. Intact copies in the target are kept,
// so the snapshot is complete.
func TestDamagedOriginals(t *testing.T) {
	t.Parallel()
	l := newLibrary(t, "kept before", "flipped", "short", "missing", "good")
	path := func(content string) string {
		s := sum(content)
		return filepath.Join(l.dir, "blobs", "sha256", s[:2], s[2:4], s)
	}
	target := filepath.Join(t.TempDir(), "target")
	meddle := func(content, with string) {
		t.Helper()
		if err := os.Remove(path(content)); err != nil {
			t.Fatal(err)
		}
		if with != "" {
			write(t, path(content), with)
		}
	}
	other := newLibrary(t)
	meddle("flipped", "flopped")
	meddle("short", "sho")
	meddle("missing", "")
	var problems []string
	r := l.back(t, target, backup.Options{Problem: func(p string) { problems = append(problems, p) }})
	if r.Problems != 3 || r.Complete || r.NewFiles != 2 || len(r.Missing) != 3 {
		t.Errorf("%+v", r)
	}
	all := strings.Join(problems, "\n")
	for _, want := range []string{"the bytes do not have the checksum", "3 bytes instead of 5", "the file is missing", sum("flipped")} {
		if !strings.Contains(all, want) {
			t.Errorf("%q does not say %q", all, want)
		}
	}
	files, lost, err := restore(t, target, "", t.TempDir())
	if err != nil || len(lost) != 3 {
		t.Errorf("%v %v", lost, err)
	}
	wantFiles(t, files, "kept before", "good")

	meddle("flipped", "flipped") // repaired
	meddle("short", "short")
	write(t, path("missing"), "missing")
	meddle("good", "")
	problems = nil
	r = l.back(t, target, backup.Options{Now: noon.Add(time.Hour), Problem: func(p string) { problems = append(problems, p) }})
	if r.Problems != 1 || !r.Complete || r.NewFiles != 3 ||
		len(problems) != 1 || !strings.Contains(problems[0], "the backup has a good one") {
		t.Errorf("%+v %v", r, problems)
	}
	files, lost, err = restore(t, target, "", t.TempDir())
	if err != nil || lost != nil {
		t.Errorf("%v %v", lost, err)
	}
	wantFiles(t, files, "kept before", "flipped", "short", "missing", "good")

	if _, err := other.open(target, noon); !errors.Is(err, backup.ErrForeign) {
		t.Errorf("a target of another library: %v", err)
	}
}

// Verify detects damaged files in the target and copies them again.
func TestVerify(t *testing.T) {
	t.Parallel()
	l := newLibrary(t, "one", "two")
	target := filepath.Join(t.TempDir(), "target")
	l.back(t, target, backup.Options{})
	s := sum("one")
	path := filepath.Join(target, "blobs", "sha256", s[:2], s[2:4], s)
	write(t, path, "0ne")
	if r := l.back(t, target, backup.Options{Now: noon.Add(1)}); r.NewFiles != 0 {
		t.Errorf("%+v", r)
	}
	if r := l.back(t, target, backup.Options{Now: noon.Add(2), Verify: true}); r.NewFiles != 1 || r.Problems != 0 {
		t.Errorf("%+v", r)
	}
	write(t, path, "on") // a wrong size is always detected
	if r := l.back(t, target, backup.Options{Now: noon.Add(3)}); r.NewFiles != 1 || r.Problems != 0 {
		t.Errorf("%+v", r)
	}
	if data, err := os.ReadFile(path); string(data) != "one" {
		t.Errorf("%q %v", data, err)
	}
}
