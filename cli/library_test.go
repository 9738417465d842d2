package cli_test

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// originals counts the files with their original bytes anywhere in a data folder.
func originals(t testing.TB, data string, shas []string) (n int) {
	t.Helper()
	have := map[string]bool{}
	err := filepath.WalkDir(filepath.Join(data, "blobs"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		b, err := os.ReadFile(path)
		h := sha256.Sum256(b)
		have[hex.EncodeToString(h[:])] = true
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	for _, sha := range shas {
		if have[sha] {
			n++
		}
	}
	return n
}

// folderState returns the contents of all files in a folder, except locks, temporary
// folders and the index of SQLite's log.
func folderState(t testing.TB, data string) map[string]string {
	t.Helper()
	files := map[string]string{}
	if err := filepath.WalkDir(data, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || strings.HasSuffix(path, "lock") || strings.HasSuffix(path, "-shm") {
			return err
		}
		b, err := os.ReadFile(path)
		rel, _ := filepath.Rel(data, path)
		files[rel] = string(b)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return files
}

// oldRecords writes the records of a library from before libraries had identities, with the
// pictures 1 to 6.
func oldRecords(t testing.TB, to string) {
	t.Helper()
	f, err := os.Open("../testdata/libraries/schema-8.db.gz")
	noErr(t, err)
	defer f.Close()
	z, err := gzip.NewReader(f)
	noErr(t, err)
	b, err := io.ReadAll(z)
	noErr(t, err)
	noErr(t, os.WriteFile(to, b, 0o600))
}

// In any state of the records and the files, no original is lost, no matter which command
// starts. A command that refuses to run changes nothing and gives the reason, and
// recover turns files without a record into assets.
func TestRecordsAndFiles(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	good, older, foreign := filepath.Join(base, "good"), filepath.Join(base, "older.db"), filepath.Join(base, "foreign")
	first := pictureLibrary(t, good, 1, 4)
	copyFile(t, filepath.Join(good, "dal.db"), older)
	all := append(first, growLibrary(t, good, 4, 7)...)
	others := pictureLibrary(t, foreign, 11, 13)
	fresh := filepath.Join(base, "fresh")
	if out, err := exec.Command("mklib", fresh).CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}

	db := func(d string) string { return filepath.Join(d, "dal.db") }
	blobs := func(d string) string { return filepath.Join(d, "blobs") }
	mark := func(d string) string { return filepath.Join(blobs(d), "library.json") }
	write := func(path, text string) { noErr(t, os.WriteFile(path, []byte(text), 0o600)) }
	cut := func(path string, to func(int64) int64) {
		info, err := os.Stat(path)
		noErr(t, err)
		noErr(t, os.Truncate(path, to(info.Size())))
	}
	for _, c := range []struct {
		name     string
		spoil    func(d string)
		files    []string // those that must not be lost
		refusal  string   // "" if it opens
		newUser  bool     // recover creates new records
		recovers int      // assets that recover creates
		assets   int      // final number
	}{
		{"good", func(string) {}, all, "", false, 0, 6},
		{"missing", func(d string) { noErr(t, os.Remove(db(d))) }, all, "dal.db is missing, but there are 6 files", true, 6, 6},
		{"missing, with a log", func(d string) { noErr(t, os.Rename(db(d), db(d)+"-wal")) }, all, "dal.db is missing", true, 6, 6},
		{"missing, and no mark", func(d string) {
			noErr(t, os.Remove(db(d)))
			noErr(t, os.Remove(mark(d)))
		}, all, "dal.db is missing", true, 6, 6},
		{"empty", func(d string) { cut(db(d), func(int64) int64 { return 0 }) }, all, "dal.db is empty, but there are 6 files", true, 6, 6},
		{"without tables", func(d string) {
			noErr(t, os.Remove(db(d)))
			sqlite(t, db(d), "CREATE TABLE x (y)", "DROP TABLE x")
		}, all, "dal.db is empty", true, 6, 6},
		{"truncated", func(d string) {
			cut(db(d), func(n int64) int64 { return n / 2 })
		}, all, "dal.db cannot be read (the records are damaged", true, 6, 6},
		{"truncated in its header", func(d string) { cut(db(d), func(int64) int64 { return 50 }) }, all, "dal.db cannot be read", true, 6, 6},
		{"garbage", func(d string) { write(db(d), strings.Repeat("garbage ", 9000)) }, all, "dal.db cannot be read", true, 6, 6},
		{"another program's", func(d string) {
			noErr(t, os.Remove(db(d)))
			sqlite(t, db(d), "CREATE TABLE bookmarks (url)")
		}, all, "it is the database of another program", true, 6, 6},
		{"new", func(d string) { copyFile(t, db(fresh), db(d)) }, all, "dal.db belongs to the library ", true, 6, 6},
		{"new, and no mark", func(d string) {
			copyFile(t, db(fresh), db(d))
			noErr(t, os.Remove(mark(d)))
		}, all, "dal.db knows none of the files that are there: 6 files", true, 6, 6},
		{"older", func(d string) { copyFile(t, older, db(d)) }, all, "dal.db is older than the files: it is at change ", false, 3, 6},
		{"older, of a dal without identities", func(d string) { oldRecords(t, db(d)) }, all, "dal.db was written by an older dal", false, 0, 6},
		{"older, restored without a mark", func(d string) { copyFile(t, older, db(d)); noErr(t, os.Remove(mark(d))) }, all, "", false, 3, 6},
		{"newer", func(d string) { sqlite(t, db(d), "UPDATE library SET change = change + 100") }, all, "", false, 0, 6},
		{"of a newer dal", func(d string) {
			sqlite(t, db(d), "PRAGMA user_version = 999")
		}, all, "written by a newer version of dal", false, -1, 6},
		{"of a dal without identities, and no mark", func(d string) {
			oldRecords(t, db(d))
			noErr(t, os.Remove(mark(d)))
		}, all, "", false, 0, 6},
		{"foreign", func(d string) { copyFile(t, db(foreign), db(d)) }, all, "dal.db belongs to the library ", false, 6, 8},
		{"foreign, and no mark", func(d string) {
			copyFile(t, db(foreign), db(d))
			noErr(t, os.Remove(mark(d)))
		}, all, "dal.db knows none of the files", false, 6, 8},
		{"damaged mark", func(d string) { write(mark(d), "{") }, all, "the mark of the files cannot be read", false, 0, 6},
		{"no files", func(d string) {
			noErr(t, os.RemoveAll(blobs(d)))
		}, nil, "dal.db names 6 files, and none of them exists. Is the disk with the blobs folder mounted?", false, 0, 6},
		{"an empty folder of files", func(d string) {
			noErr(t, os.RemoveAll(blobs(d)))
			noErr(t, os.Mkdir(blobs(d), 0o700))
		}, nil, "dal.db names 6 files", false, 0, 6},
		{"a part of the files", func(d string) {
			noErr(t, os.Remove(filepath.Join(blobs(d), "sha256", all[0][:2], all[0][2:4], all[0])))
		}, all[1:], "", false, 0, 6},
		{"files of another", func(d string) {
			noErr(t, os.RemoveAll(blobs(d)))
			copyTree(t, blobs(foreign), blobs(d))
		}, others, "dal.db belongs to the library ", false, 2, 8},
		{"files of another, and no mark", func(d string) {
			noErr(t, os.RemoveAll(blobs(d)))
			copyTree(t, blobs(foreign), blobs(d))
			noErr(t, os.Remove(mark(d)))
		}, others, "dal.db knows none of the files", false, 2, 8},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d := filepath.Join(t.TempDir(), "lib")
			copyTree(t, good, d)
			c.spoil(d)
			before := folderState(t, d)
			photos := t.TempDir()
			noErr(t, os.WriteFile(filepath.Join(photos, "new.jpg"), picture(99, 32), 0o600))
			commands := [][]string{{"import", photos, "--user", "ada@example.com"}, {"user", "list"}, {"check", "--quick"}}
			if c.refusal != "" {
				commands = append(commands, []string{"serve", "--listen", "127.0.0.1:0"})
			}
			for _, args := range commands {
				out, code := runDal(t, append(args, "--data", d)...)
				if c.refusal != "" && (code != 1 || !strings.Contains(out, c.refusal) || c.recovers >= 0 && !strings.Contains(out, "dal recover")) {
					t.Errorf("%v: exit %d: %s", args, code, out)
				}
				if c.refusal == "" && code != 0 && args[0] != "check" {
					t.Errorf("%v: exit %d: %s", args, code, out)
				}
			}
			if n := originals(t, d, c.files); n != len(c.files) {
				t.Fatalf("%d of %d originals are left", n, len(c.files))
			}
			if c.refusal == "" {
				p := serve(t, d)
				noErr(t, p.cmd.Process.Signal(os.Interrupt))
				p.cmd.Wait()
				if n := originals(t, d, c.files); n != len(c.files) {
					t.Fatalf("%d of %d originals are left by the server", n, len(c.files))
				}
			} else if after := folderState(t, d); !sameState(before, after) {
				t.Errorf("a refusal changed the folder: %d files before, %d after", len(before), len(after))
			}
			if c.recovers < 0 {
				return
			}
			args := []string{"recover", "--data", d, "--yes", "--user", "ada@example.com"}
			if out, code := runDal(t, "recover", "--data", d, "--dry-run"); code != 0 {
				t.Errorf("dry run: exit %d: %s", code, out)
			} else if c.refusal != "" && !sameState(before, folderState(t, d)) {
				t.Error("a dry run changed the folder")
			}
			out, code := runDal(t, args...)
			if code != 0 || c.recovers > 0 && !strings.Contains(out, fmt.Sprintf(": %d recovered, 0 not.", c.recovers)) {
				t.Errorf("recover: exit %d: %s", code, out)
			}
			if n := originals(t, d, c.files); n != len(c.files) {
				t.Fatalf("%d of %d originals are left after recover", n, len(c.files))
			}
			if out, code := runDal(t, args...); code != 0 || !strings.Contains(out, "Nothing to recover") {
				t.Errorf("recover again: exit %d: %s", code, out)
			}
			want := c.assets
			if c.refusal == "" {
				want++ // the asset imported before
			}
			if n := assets(t, db(d)); n != want {
				t.Errorf("%d assets, want %d", n, want)
			}
			out, code = runDal(t, "check", "--data", d)
			if whole := len(c.files) >= 6 && c.assets == 6; whole && code != 0 {
				t.Errorf("check: exit %d: %s", code, out)
			}
		})
	}
}

func sameState(a, b map[string]string) bool {
	if len(a) != len(b) {
		return false
	}
	for k, v := range a {
		if b[k] != v {
			return false
		}
	}
	return true
}

// A recovery that is killed resumes when it is restarted: nothing is duplicated, and
// nothing is lost.
func TestKillRecover(t *testing.T) {
	t.Parallel()
	d := filepath.Join(t.TempDir(), "lib")
	shas := pictureLibrary(t, d, 1, 101)
	noErr(t, os.Remove(filepath.Join(d, "dal.db")))
	for round := range 4 {
		cmd := exec.Command("dal", "recover", "--data", d, "--yes", "--user", "ada@example.com")
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		noErr(t, cmd.Start())
		<-time.After(time.Duration(40+150*round) * time.Millisecond) // the moment of the fault
		cmd.Process.Kill()
		cmd.Wait()
		if n := originals(t, d, shas); n != len(shas) {
			t.Fatalf("%d of %d originals are left\n%s", n, len(shas), &out)
		}
	}
	if out, code := runDal(t, "recover", "--data", d, "--yes", "--user", "ada@example.com"); code != 0 {
		t.Fatalf("exit %d: %s", code, out)
	}
	if n := assets(t, filepath.Join(d, "dal.db")); n != len(shas) {
		t.Errorf("%d assets of %d files", n, len(shas))
	}
	if out, code := runDal(t, "check", "--data", d); code != 0 {
		t.Errorf("check: exit %d: %s", code, out)
	}
	if lost, err := os.ReadDir(filepath.Join(d, "blobs", "lost")); err != nil || len(lost) > 0 {
		t.Errorf("%d files are still aside, %v", len(lost), err)
	}
}

// A recovery that is killed after it has created records for all files, but before it has
// read them, resumes too.
func TestRecoverInterruptedLate(t *testing.T) {
	t.Parallel()
	d := filepath.Join(t.TempDir(), "lib")
	db := filepath.Join(d, "dal.db")
	shas := pictureLibrary(t, d, 1, 5)
	noErr(t, os.Remove(db))
	// Without its scanner it reads nothing.
	cmd := exec.Command("dal", "recover", "--data", d, "--yes", "--user", "ada@example.com", "--clamd", "tcp://127.0.0.1:1")
	noErr(t, cmd.Start())
	recorded := func() bool {
		records, err := sql.Open("sqlite", db)
		noErr(t, err)
		defer records.Close()
		var n int
		return records.QueryRow(`SELECT count(*) FROM jobs WHERE kind = 'ingest'`).Scan(&n) == nil && n == len(shas)
	}
	for end := time.Now().Add(time.Minute); !recorded(); <-time.After(20 * time.Millisecond) {
		if time.Now().After(end) {
			cmd.Process.Kill()
			t.Fatal("the files got no records")
		}
	}
	cmd.Process.Kill()
	cmd.Wait()
	out, code := runDal(t, "recover", "--data", d, "--yes", "--user", "ada@example.com")
	if code != 0 || !strings.Contains(out, "Interrupted before ingestion: 4 files.") || !strings.Contains(out, "4 recovered, 0 not.") {
		t.Errorf("exit %d: %s", code, out)
	}
	if n := assets(t, db); n != len(shas) {
		t.Errorf("%d assets of %d files", n, len(shas))
	}
}

// A dal.db that was restored next to the write-ahead log of the previous one is not mixed
// with it; without the log, it counts as an older one.
func TestRestoredBesideLog(t *testing.T) {
	t.Parallel()
	d := filepath.Join(t.TempDir(), "lib")
	db, older := filepath.Join(d, "dal.db"), filepath.Join(t.TempDir(), "older.db")
	shas := pictureLibrary(t, d, 1, 3)
	copyFile(t, db, older)
	shas = append(shas, growLibrary(t, d, 3, 5)...)
	writer, err := sql.Open("sqlite", db) // its process will not have time to close it
	noErr(t, err)
	defer writer.Close()
	for range 2 {
		_, err := writer.Exec(`UPDATE library SET change = change + 1`)
		noErr(t, err)
	}
	killed := filepath.Join(t.TempDir(), "killed")
	copyTree(t, d, killed)
	d, db = killed, filepath.Join(killed, "dal.db")
	copyFile(t, older, db)
	before := folderState(t, d)
	for _, command := range [][]string{{"serve", "--listen", "127.0.0.1:0"}, {"check"}, {"recover"}} {
		if out, code := runDal(t, append(command, "--data", d)...); code != 1 || !strings.Contains(out, "move dal.db-wal and dal.db-shm away") {
			t.Errorf("%s: exit %d: %s", command, code, out)
		}
	}
	if !sameState(before, folderState(t, d)) {
		t.Error("something was changed")
	}
	noErr(t, errors.Join(os.Remove(db+"-wal"), os.Remove(db+"-shm")))
	out, code := runDal(t, "serve", "--listen", "127.0.0.1:0", "--data", d)
	if code != 1 || !strings.Contains(out, "dal.db is older than the files") {
		t.Errorf("without the log: exit %d: %s", code, out)
	}
	if n := originals(t, d, shas); n != len(shas) {
		t.Errorf("%d of %d originals are left", n, len(shas))
	}
}

// Files that the server moves aside are logged and listed, kept for --lost-keep, put back
// if records name them again, and can become assets.
func TestLost(t *testing.T) {
	t.Parallel()
	d := filepath.Join(t.TempDir(), "lib")
	shas := pictureLibrary(t, d, 1, 3)
	db := filepath.Join(d, "dal.db")
	stray := picture(50, 32)
	h := sha256.Sum256(stray)
	sha := hex.EncodeToString(h[:])
	place := filepath.Join(d, "blobs", "sha256", sha[:2], sha[2:4], sha)
	noErr(t, os.MkdirAll(filepath.Dir(place), 0o700))
	noErr(t, os.WriteFile(place, stray, 0o400))
	yore := time.Now().AddDate(-2, 0, 0)
	noErr(t, os.Chtimes(place, yore, yore))
	found := "blob " + sha + ": no record refers to it; the next start of the server moves it to blobs/lost"
	if out, code := runDal(t, "check", "--data", d); code != 1 || !strings.Contains(out, found) {
		t.Errorf("check: exit %d: %s", code, out)
	}
	serveUntil(t, d, func(log string) bool {
		return strings.Contains(log, `level=WARN msg="files that no record refers to were moved to blobs/lost`) &&
			strings.Contains(log, "files=1 bytes="+strconv.Itoa(len(stray)))
	})
	if out, code := runDal(t, "check", "--data", d); code != 0 || !strings.Contains(out, "lost "+sha+": ") {
		t.Errorf("check: exit %d: %s", code, out)
	}
	// The record is restored.
	sqlite(t, db, `INSERT INTO blobs (sha256, size, created_at) VALUES ('`+sha+`', `+strconv.Itoa(len(stray))+`, 0)`)
	serveUntil(t, d, func(string) bool { _, err := os.Stat(place); return err == nil })
	sqlite(t, db, `DELETE FROM blobs WHERE sha256 = '`+sha+`'`)
	// It becomes an asset named by its checksum, in the day's collection.
	if out, code := runDal(t, "recover", "--data", d, "--yes"); code != 0 || !strings.Contains(out, "1 file: 1 recovered, 0 not.") {
		t.Errorf("recover: exit %d: %s", code, out)
	}
	got := query(t, db, `SELECT original_filename || ' ' || title || ' ' || (SELECT name FROM collections)
		FROM assets ORDER BY id DESC LIMIT 1`)
	if !strings.HasPrefix(got, "Recovered "+sha[:12]+".jpg Recovered "+sha[:12]+" Recovered 20") {
		t.Error(got)
	}
	// A file that cannot become an asset stays aside.
	garbage := []byte("GIF89a\x01\x00")
	h = sha256.Sum256(garbage)
	bad := hex.EncodeToString(h[:])
	aside := filepath.Join(d, "blobs", "lost", bad)
	noErr(t, os.WriteFile(aside, garbage, 0o400))
	out, code := runDal(t, "recover", "--data", d, "--yes")
	if code != 3 || !strings.Contains(out, "Recovered "+bad[:12]+".gif: The file is cut off in the middle.") {
		t.Errorf("recover: exit %d: %s", code, out)
	}
	if b, err := os.ReadFile(aside); err != nil || !bytes.Equal(b, garbage) {
		t.Errorf("%q, %v", b, err)
	}
	// It is kept for --lost-keep, counted from when it was moved aside.
	old := filepath.Join(d, "blobs", "lost", sha) // long ago
	noErr(t, os.WriteFile(old, stray[:20], 0o400))
	noErr(t, os.Chtimes(old, yore, yore))
	serveUntil(t, d, func(string) bool { _, err := os.Stat(old); return errors.Is(err, fs.ErrNotExist) }, "--lost-keep", "1h")
	if _, err := os.Stat(aside); err != nil {
		t.Error(err)
	}
	if n := originals(t, d, append(shas, sha)); n != 3 {
		t.Errorf("%d of 3 originals are left", n)
	}
}

// serveUntil runs a server until done is true.
func serveUntil(t testing.TB, data string, done func(log string) bool, args ...string) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "log")
	log, err := os.Create(name)
	noErr(t, err)
	defer log.Close()
	cmd := exec.Command("dal", append([]string{"serve", "--data", data, "--listen", "127.0.0.1:0"}, args...)...)
	cmd.Stderr = log
	noErr(t, cmd.Start())
	defer cmd.Wait()
	defer cmd.Process.Signal(os.Interrupt)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(time.Minute)
	for {
		b, err := os.ReadFile(name)
		noErr(t, err)
		if done(string(b)) {
			return
		}
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("it does not come true: %s", b)
		}
	}
}

// Only a server removes files that were moved aside; an import without a server does not.
func TestImportKeepsLost(t *testing.T) {
	t.Parallel()
	d := filepath.Join(t.TempDir(), "lib")
	pictureLibrary(t, d, 1, 2)
	stray := picture(50, 32)
	h := sha256.Sum256(stray)
	aside := filepath.Join(d, "blobs", "lost", hex.EncodeToString(h[:]))
	noErr(t, os.WriteFile(aside, stray, 0o400))
	since := time.Now().AddDate(0, 0, -60) // a server with --lost-keep 90d keeps it
	noErr(t, os.Chtimes(aside, since, since))
	shas := growLibrary(t, d, 2, 40)
	if _, err := os.Stat(aside); err != nil {
		t.Error(err)
	}
	// A file that now belongs to an asset is not listed as lost.
	noErr(t, os.WriteFile(filepath.Join(filepath.Dir(aside), shas[0]), picture(2, 32), 0o400))
	out, code := runDal(t, "check", "--data", d)
	if code != 0 || strings.Contains(out, "lost "+shas[0]) || !strings.Contains(out, "lost "+filepath.Base(aside)) {
		t.Errorf("exit %d: %s", code, out)
	}
}
