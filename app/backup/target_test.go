package backup_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/digital-asset-library/dal/app/backup"
)

// Folders that are not for backups of this library are rejected, and nothing is created in
// them.
func TestTargets(t *testing.T) {
	t.Parallel()
	l := newLibrary(t, "one")
	at := t.TempDir()
	used := filepath.Join(at, "used")
	l.back(t, used, backup.Options{})
	link := filepath.Join(at, "link")
	if err := os.Symlink(l.dir, link); err != nil {
		t.Skip(err)
	}
	mkdir := func(names ...string) string {
		t.Helper()
		dir := filepath.Join(append([]string{at}, names...)...)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	theirs := mkdir("theirs")
	write(t, filepath.Join(theirs, "letter.txt"), "x")
	similar := mkdir("similar", "blobs")
	write(t, filepath.Join(similar, "photo"), "x")
	broken := mkdir("broken")
	write(t, filepath.Join(broken, "dal-backup.json"), `{"format":`)
	linked := mkdir("linked")
	if err := os.Symlink(filepath.Join(used, "dal-backup.json"), filepath.Join(linked, "dal-backup.json")); err != nil {
		t.Fatal(err)
	}
	disk := mkdir("disk", "lost+found")
	for _, c := range []struct{ dir, want string }{
		{l.dir, "is in the data folder"},
		{filepath.Join(l.dir, "a", "b"), "is in the data folder"},
		{filepath.Join(link, "a"), "is in the data folder"},
		{filepath.Dir(l.dir), "holds the data folder"},
		{theirs, "not empty"},
		{filepath.Dir(similar), "not empty"},
		{broken, "cannot be read"},
		{linked, "not a regular file"},
		{filepath.Join(at, "no", "such"), "is missing; is its disk mounted?"},
		{filepath.Join(theirs, "letter.txt"), "letter.txt"},
		{filepath.Dir(disk), ""},
	} {
		before := listing(t, at)
		tg, err := l.open(c.dir, noon)
		if c.want == "" {
			if err != nil {
				t.Errorf("%s: %v", c.dir, err)
			} else {
				tg.Close()
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.dir, err, c.want)
		}
		if after := listing(t, at); after != before {
			t.Errorf("%s: there was\n%s\nand now there is\n%s", c.dir, before, after)
		}
	}
	if _, err := backup.Create(filepath.Join(at, "new"), backup.Library{ID: l.id, Dir: l.dir}, true, noon); !errors.Is(err, backup.ErrGone) {
		t.Errorf("a target that is gone: %v", err)
	}
	one, err := l.open(used, noon)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.open(used, noon); !errors.Is(err, backup.ErrBusy) {
		t.Errorf("two at once: %v", err)
	}
	if _, err := backup.Open(used); !errors.Is(err, backup.ErrBusy) {
		t.Errorf("a restore meanwhile: %v", err)
	}
	if err := one.Close(); err != nil {
		t.Error(err)
	}
}

func listing(t testing.TB, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		fmt.Fprintln(&b, path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A target that was modified restores intact files only, or nothing, and reports the
// reason.
func TestHalfBroken(t *testing.T) {
	t.Parallel()
	at := func(target, content string) string {
		s := sum(content)
		return filepath.Join(target, "blobs", "sha256", s[:2], s[2:4], s)
	}
	snapshot := func(target, file string) string {
		return filepath.Join(target, "snapshots", "20260131T130000.000Z", file)
	}
	edit := func(t *testing.T, path string, fn func([]byte) []byte) {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		write(t, path, string(fn(data)))
	}
	for _, c := range []struct {
		what   string
		meddle func(t *testing.T, target string)
		fails  string // nothing is restored
		lost   string // one file is not restored
	}{
		{"swapped", func(t *testing.T, target string) { write(t, at(target, "one"), "two") }, "", "do not have the checksum"},
		{"a link", func(t *testing.T, target string) {
			outside := filepath.Join(t.TempDir(), "outside")
			write(t, outside, "one")
			if err := errors.Join(os.Remove(at(target, "one")), os.Symlink(outside, at(target, "one"))); err != nil {
				t.Fatal(err)
			}
		}, "", "not a regular file"},
		{"a folder", func(t *testing.T, target string) {
			if err := errors.Join(os.Remove(at(target, "one")), os.Mkdir(at(target, "one"), 0o700)); err != nil {
				t.Fatal(err)
			}
		}, "", "not a regular file"},
		{"missing", func(t *testing.T, target string) {
			if err := os.Remove(at(target, "one")); err != nil {
				t.Fatal(err)
			}
		}, "", "missing"},
		{"all files elsewhere", func(t *testing.T, target string) {
			inside, outside := filepath.Join(target, "blobs"), filepath.Join(t.TempDir(), "blobs")
			if err := errors.Join(os.Rename(inside, outside), os.Symlink(outside, inside)); err != nil {
				t.Fatal(err)
			}
		}, "", "escapes"},
		{"half a manifest", func(t *testing.T, target string) {
			edit(t, snapshot(target, "manifest.json"), func(b []byte) []byte { return b[:len(b)/2] })
		}, "manifest.json cannot be read", ""},
		{"no manifest", func(t *testing.T, target string) {
			if err := os.Remove(snapshot(target, "manifest.json")); err != nil {
				t.Fatal(err)
			}
		}, "--at 20260131T120000.000Z takes the one before", ""},
		{"half the records", func(t *testing.T, target string) {
			edit(t, snapshot(target, "dal.db"), func(b []byte) []byte { return b[:len(b)/2] })
		}, "dal.db has", ""},
		{"other records", func(t *testing.T, target string) {
			edit(t, snapshot(target, "dal.db"), func(b []byte) []byte { b[len(b)-1] ^= 1; return b })
		}, "dal.db is damaged", ""},
		{"linked records", func(t *testing.T, target string) {
			moved := filepath.Join(t.TempDir(), "dal.db")
			if err := errors.Join(os.Rename(snapshot(target, "dal.db"), moved), os.Symlink(moved, snapshot(target, "dal.db"))); err != nil {
				t.Fatal(err)
			}
		}, "not a regular file", ""},
		{"a huge manifest", func(t *testing.T, target string) {
			if err := os.Truncate(snapshot(target, "manifest.json"), 1<<30); err != nil {
				t.Fatal(err)
			}
		}, "more than", ""},
		{"no target", func(t *testing.T, target string) {
			if err := os.Remove(filepath.Join(target, "dal-backup.json")); err != nil {
				t.Fatal(err)
			}
		}, "no backup of dal in it", ""},
	} {
		t.Run(c.what, func(t *testing.T) {
			t.Parallel()
			l := newLibrary(t, "one", "two")
			target := filepath.Join(t.TempDir(), "target")
			l.back(t, target, backup.Options{})
			l.back(t, target, backup.Options{Now: noon.Add(time.Hour)})
			c.meddle(t, target)
			dir := filepath.Join(t.TempDir(), "new")
			files, problems, err := restore(t, target, "", dir)
			if c.fails != "" {
				if err == nil || !strings.Contains(err.Error(), c.fails) {
					t.Errorf("%v, want %q", err, c.fails)
				}
				if _, err := os.Lstat(dir); err == nil {
					t.Error("something was made:", listing(t, dir))
				}
				return
			}
			if err != nil || len(problems) == 0 || !strings.Contains(problems[0], c.lost) {
				t.Fatalf("%v %v, want %q", problems, err, c.lost)
			}
			for _, content := range files {
				if content != "one" && content != "two" {
					t.Errorf("restored %q", content)
				}
			}
		})
	}
}

// A restore requires an empty folder or that of the same interrupted restore. Until it
// completes, the folder is not a library.
func TestRestoreFolders(t *testing.T) {
	t.Parallel()
	l := newLibrary(t, "one", "two", "three")
	target := filepath.Join(t.TempDir(), "target")
	l.back(t, target, backup.Options{})
	l.back(t, target, backup.Options{Now: noon.Add(time.Hour)})
	if _, _, err := restore(t, target, "", l.dir); err == nil || !strings.Contains(err.Error(), "there is a library in") {
		t.Errorf("over a library: %v", err)
	}
	theirs := t.TempDir()
	write(t, filepath.Join(theirs, "letter.txt"), "x")
	if _, _, err := restore(t, target, "", theirs); err == nil || !strings.Contains(err.Error(), "is not empty") {
		t.Errorf("over other files: %v", err)
	}
	_, _, err := restore(t, target, "", filepath.Join(target, "blobs", "new"))
	if err == nil || !strings.Contains(err.Error(), "holds the data folder") {
		t.Errorf("into the target: %v", err)
	}

	dir := filepath.Join(t.TempDir(), "new")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	tg, err := backup.Open(target)
	if err != nil {
		t.Fatal(err)
	}
	s, err := tg.Pick("")
	if err != nil {
		t.Fatal(err)
	}
	_, err = tg.Restore(ctx, s, dir, backup.Options{Progress: func(int64, int64) { cancel() }})
	if err := errors.Join(tg.Close()); err != nil {
		t.Fatal(err)
	}
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "dal.db")); err == nil {
		t.Error("the records came first")
	}
	if err := backup.Unfinished(dir); err == nil || !strings.Contains(err.Error(), "--at 20260131T130000.000Z") {
		t.Errorf("nothing says that it is not whole: %v", err)
	}
	_, _, err = restore(t, target, "2026-01-31T12:00:00Z", dir)
	if err == nil || !strings.Contains(err.Error(), "continue with --at 20260131T130000.000Z") {
		t.Errorf("another snapshot into it: %v", err)
	}
	files, _, err := restore(t, target, "", dir)
	if err != nil {
		t.Fatal(err)
	}
	wantFiles(t, files, "one", "two", "three")
	if err := backup.Unfinished(dir); err != nil {
		t.Error(err)
	}
}

// Nothing is removed from a target while the required files are unknown.
func TestPruneBroken(t *testing.T) {
	t.Parallel()
	l := newLibrary(t, "one")
	target := filepath.Join(t.TempDir(), "target")
	l.back(t, target, backup.Options{})
	l.remove(t, "one")
	l.add(t, "two")
	l.back(t, target, backup.Options{Now: noon.Add(time.Hour)})
	sums := filepath.Join(target, "snapshots", "20260131T130000.000Z", "SHA256SUMS")
	data, err := os.ReadFile(sums)
	if err != nil {
		t.Fatal(err)
	}
	write(t, sums, strings.ToUpper(string(data)))
	before := listing(t, target)
	tg, err := backup.OpenToPrune(target)
	if err != nil {
		t.Fatal(err)
	}
	defer tg.Close()
	if p, err := tg.Prune(t.Context(), 1); err == nil || !strings.Contains(err.Error(), "nothing is removed") || p != (backup.Pruned{}) {
		t.Errorf("%+v %v", p, err)
	}
	if after := listing(t, target); after != before {
		t.Errorf("there was\n%s\nand now there is\n%s", before, after)
	}
}
