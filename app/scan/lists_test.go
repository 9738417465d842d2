package scan_test

import (
	"crypto/md5"
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/digital-asset-library/dal/app/scan"
)

// A file is detected by its hash, regardless of the other entries in the list.
func TestLists(t *testing.T) {
	t.Parallel()
	data := []byte("a file that is looked for")
	m, s := md5.Sum(data), sha1.Sum(data)
	md, sha := hex.EncodeToString(m[:]), hex.EncodeToString(s[:])
	for _, tt := range []struct{ name, list, want string }{
		{"MD5", fmt.Sprintf("%s:%d:Own", md, len(data)), "Own"},
		{"SHA-1", fmt.Sprintf("%s:%d:Own", sha, len(data)), "Own"},
		{"capital letters, Windows' line ends", fmt.Sprintf("%X:%d:Own\r\n", m, len(data)), "Own"},
		{"any size", sha + ":*:Own:73", "Own"},
		{"another size", sha + ":1:Own", ""},
		{"another size behind it", fmt.Sprintf("%s:*:Own\n%s:1:Other\n", sha, sha), "Own"},
		{"another size before it", fmt.Sprintf("%s:1:Other\n%s:%d:Own\n", sha, sha, len(data)), "Own"},
		{"two sizes", fmt.Sprintf("%s:%d:Own\n%s:1:Other\n", sha, len(data), sha), "Own"},
		{"another hash", fmt.Sprintf("%s:*:Other", hex.EncodeToString(make([]byte, 20))), ""},
		{"nothing", "", ""},
	} {
		dir := t.TempDir()
		write(t, filepath.Join(dir, "own.hsb"), tt.list)
		r, err := run(t, &scan.Scanner{Signatures: loaded(t, dir)}, data)
		if err != nil || r.Signature != tt.want || r.Infected != (tt.want != "") {
			t.Errorf("%s: %+v, %v", tt.name, r, err)
		}
	}
	if n, err := loaded(t, filepath.Join(t.TempDir(), "missing")).Count(); n != 0 || err != nil {
		t.Errorf("a folder that is not there: %d, %v", n, err)
	}
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "folder.hdb"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := scan.LoadSignatures(dir); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("a folder as a list: %v", err)
	}
}

// Lists that are added, changed or removed at run time are detected. While one cannot be
// read, no file passes.
func TestListsChange(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	data := []byte("found tomorrow")
	m := md5.Sum(data)
	line := fmt.Sprintf("%s:%d:", hex.EncodeToString(m[:]), len(data))
	synctest.Test(t, func(t *testing.T) {
		s := &scan.Scanner{Signatures: loaded(t, dir)}
		for _, tt := range []struct {
			name, list, want string
			fails            bool
		}{
			{name: "empty", list: ""},
			{name: "dropped in", list: line + "Tomorrow\n", want: "Tomorrow"},
			{name: "broken", list: line + "Tomorrow\nnonsense\n", fails: true},
			{name: "still broken", list: "nonsense", fails: true},
			{name: "mended", list: line + "Mended\n", want: "Mended"},
			{name: "emptied", list: "#\n"},
		} {
			write(t, filepath.Join(dir, "own.hdb"), tt.list)
			time.Sleep(time.Minute) // of the synthetic clock
			r, err := run(t, s, data)
			if (err != nil) != tt.fails || r.Signature != tt.want {
				t.Errorf("%s: %+v, %v", tt.name, r, err)
			}
		}
	})
}
