package archive_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"

	"github.com/digital-asset-library/dal/app/engine"
	"github.com/digital-asset-library/dal/app/engine/archive"
)

// look lists an archive.
func look(t testing.TB, format string, data []byte) (*engine.Look, error) {
	t.Helper()
	e, err := archive.New()
	if err != nil {
		t.Fatal(err)
	}
	return e.Look(context.Background(), engine.Job{Format: format, Side: 400, Bytes: int64(len(data))}, bytes.NewReader(data))
}

func sample(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

var when = time.Date(2024, 5, 6, 7, 8, 10, 0, time.UTC)

// tarOf returns a tar archive of a folder and two files.
func tarOf(t testing.TB) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, h := range []tar.Header{
		{Name: "holiday", Typeflag: tar.TypeDir}, {Name: "holiday/Grüße.txt", Size: 5, ModTime: when}, {Name: "one.txt", Size: 3, ModTime: when},
	} {
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, "three"[:h.Size]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// packed compresses data.
func packed(t testing.TB, data []byte, with func(io.Writer) (io.WriteCloser, error)) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := with(&b)
	if err == nil {
		_, err = w.Write(data)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func toGzip(w io.Writer) (io.WriteCloser, error) { return gzip.NewWriter(w), nil }
func toXZ(w io.Writer) (io.WriteCloser, error)   { return xz.NewWriter(w) }
func toZstd(w io.Writer) (io.WriteCloser, error) { return zstd.NewWriter(w) }

// zipOf returns a ZIP archive of files with names.
func zipOf(t testing.TB, headers ...zip.FileHeader) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, h := range headers {
		f, err := w.CreateHeader(&h)
		if err == nil && !strings.HasSuffix(h.Name, "/") {
			_, err = io.WriteString(f, "three")
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func holidayZIP(t testing.TB) []byte {
	return zipOf(t, zip.FileHeader{Name: "holiday/"}, zip.FileHeader{Name: "holiday/Grüße.txt", Modified: when, Method: zip.Deflate})
}

// samples returns an archive of each format.
func samples(t testing.TB) map[string][]byte {
	return map[string][]byte{
		"zip": holidayZIP(t), "7z": sample(t, "plain.7z"), "rar": sample(t, "five.rar"), "tar": tarOf(t),
		"gz": packed(t, tarOf(t), toGzip), "bz2": sample(t, "plain.tar.bz2"), "xz": packed(t, tarOf(t), toXZ),
		"zst": packed(t, tarOf(t), toZstd),
	}
}

// Archives of every format are listed with correctly decoded names.
func TestArchives(t *testing.T) {
	t.Parallel()
	const three = `"files":2,"folders":1,"kind":%q,"truncated":false,"unpacked_size":8`
	const four = `"files":2,"folders":3,"kind":%q,"truncated":false,"unpacked_size":8`
	list := func(kind string) string { return fmt.Sprintf(three, kind) }
	all := samples(t)
	for _, tt := range []struct{ name, format, data, facts, path string }{
		{"a ZIP archive", "zip", string(all["zip"]), `"files":1,"folders":1,"kind":"zip","truncated":false,"unpacked_size":5`,
			`{"path":"holiday/Grüße.txt","size":5,"modified":"2024-05-06T07:08:10`},
		{"an empty ZIP archive", "zip", string(zipOf(t)), `"entries":[],"files":0,"folders":0,"kind":"zip"`, ""},
		{"a 7z archive", "7z", string(all["7z"]), fmt.Sprintf(four, "7z"),
			`{"path":"holiday/2024/Grüße.txt","size":5,"modified":"2024-05-06T07:08:10Z"}`},
		{"a RAR archive", "rar", string(all["rar"]), `"files":4,"folders":0,"kind":"rar","truncated":false,"unpacked_size":16384`,
			`{"path":"test1.bin","size":4096,"modified":`},
		{"a RAR archive of version 4", "rar", string(sample(t, "unicode.rar")), `"kind":"rar"`, "表だよ/漢字長いファイル名long-filename-in-漢字.txt"},
		{"one of two volumes", "rar", string(sample(t, "volume.part1.rar")), `"kind":"rar","truncated":true`,
			`{"path":"LibarchiveAddingTest2.html"`},
		{"a tar archive", "tar", string(all["tar"]), list("tar"), `{"path":"holiday/Grüße.txt","size":5,"modified":"2024-05-06T07:08:10Z"}`},
		{"with gzip", "gz", string(all["gz"]), list("tar.gz"), `{"path":"one.txt","size":3,`},
		{"with bzip2", "bz2", string(all["bz2"]), fmt.Sprintf(four, "tar.bz2"), `{"path":"holiday/empty/"`},
		{"with xz", "xz", string(all["xz"]), list("tar.xz"), `{"path":"holiday/"`},
		{"with Zstandard", "zst", string(all["zst"]), list("tar.zst"), `{"path":"one.txt"`},
		{"a compressed file", "bz2", string(sample(t, "one.bz2")), `"files":1,"folders":0,"kind":"bz2","truncated":false,"unpacked_size":3`,
			`{"path":"unnamed","size":3}`},
		{"an empty one", "gz", string(packed(t, nil, toGzip)), `"files":1,"folders":0,"kind":"gz","truncated":false,"unpacked_size":0`, ""},
	} {
		got, err := look(t, tt.format, []byte(tt.data))
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		text, _ := json.Marshal(got.Facts)
		if !strings.Contains(string(text), tt.facts) || !strings.Contains(string(text), tt.path) ||
			strings.Contains(string(text), `"encrypted":true`) {
			t.Errorf("%s: %s\nlacks %s\nor    %s", tt.name, text, tt.facts, tt.path)
		}
		if got.Picture == nil || !got.Card || got.Picture.Rect.Dy() != 400 {
			t.Errorf("%s has no card", tt.name)
		}
	}
	got, _ := look(t, "zip", all["zip"])
	if got.Text != "holiday/\nholiday/Grüße.txt" || got.Note != "" || !strings.Contains(got.Shows, "list of its files") {
		t.Errorf("%q, %q, %q", got.Text, got.Note, got.Shows)
	}
}

// 7-Zip archives with any compression options are listed like 7-Zip does.
func TestSevenZip(t *testing.T) {
	t.Parallel()
	program, err := exec.LookPath("7z")
	if err != nil {
		t.Skip("7z is not installed")
	}
	dir := t.TempDir()
	run := func(args ...string) {
		t.Helper()
		cmd := exec.Command(program, args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("7z %q: %v: %s", args, err, out)
		}
	}
	want := map[string]int{}
	for i := range 300 {
		name := fmt.Sprintf("folder/%d/Grüße %d 😀.txt", i%7, i)
		want[name] = i * 37 % 1000
		if i%50 == 0 {
			want[name] = 0
		}
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, make([]byte, want[name]), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(dir, "folder/empty"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, args := range map[string][]string{
		"as it is by default": {}, "not solid": {"-ms=off"}, "in small blocks": {"-ms=10f"}, "copied": {"-m0=Copy"}, "with PPMd": {"-m0=PPMd"},
		"with filters":        {"-m0=BCJ2", "-m1=LZMA", "-m2=LZMA", "-m3=LZMA", "-mb0:1", "-mb0s1:2", "-mb0s2:3"},
		"with a plain header": {"-mhc=off"}, "without times": {"-mtm=off"}, "encrypted": {"-psecret"},
	} {
		file := strings.ReplaceAll(name, " ", "-") + ".7z"
		run(append(append([]string{"a"}, args...), file, "folder")...)
		data, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil {
			t.Fatal(err)
		}
		got, err := look(t, "7z", data)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got.Facts["files"] != 300 || got.Facts["folders"] != 9 || got.Facts["encrypted"] != (name == "encrypted") {
			t.Errorf("%s: %v files, %v folders, %v", name, got.Facts["files"], got.Facts["folders"], got.Facts["encrypted"])
		}
		text, _ := json.Marshal(got.Facts)
		for path, size := range want {
			if entry := fmt.Sprintf(`{"path":%q,"size":%d`, path, size); !strings.Contains(string(text), entry) {
				t.Errorf("%s: no %s", name, entry)
			}
		}
		if strings.Contains(string(text), `"modified"`) != (name != "without times") {
			t.Errorf("%s: times", name)
		}
	}
}

// Encryption is reported, and an encrypted list has a reason instead of a card.
func TestEncrypted(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"locked.7z", "locked.rar"} {
		got, err := look(t, name[len("locked."):], sample(t, name))
		if err != nil || got.Picture != nil || got.Facts["encrypted"] != true || got.Facts["files"] != nil ||
			got.Note != "the list of its files is protected by a password" {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	z := holidayZIP(t)
	z[bytes.LastIndex(z, []byte("PK\x01\x02"))+8] |= 1
	for format, data := range map[string][]byte{"zip": z, "rar": sample(t, "content.rar")} {
		got, err := look(t, format, data)
		if err != nil || got.Facts["encrypted"] != true || got.Picture == nil || got.Facts["files"] == 0 {
			t.Errorf("%s: %+v, %v", format, got, err)
		}
	}
}

// Names are decoded and made safe to display.
func TestNames(t *testing.T) {
	t.Parallel()
	path := func(sum string) zip.FileHeader {
		return zip.FileHeader{Name: "\x81.txt", NonUTF8: true, Extra: []byte("up\x0b\x00\x01" + sum + "ű.txt")}
	}
	for name, tt := range map[string]struct {
		header zip.FileHeader
		want   string
	}{
		"code page 437":        {zip.FileHeader{Name: "Gr\x81\xe1e.txt", NonUTF8: true}, "Grüße.txt"},
		"UTF-8 without a flag": {zip.FileHeader{Name: "Grüße.txt", NonUTF8: true}, "Grüße.txt"},
		"a Unicode path":       {path("\x65\x30\x3f\xe9"), "ű.txt"},
		"another file's":       {path("\x65\x30\x3f\xe8"), "ü.txt"},
		"a way out":            {zip.FileHeader{Name: "../../etc/passwd"}, "../../etc/passwd"},
		"control characters":   {zip.FileHeader{Name: "a\x1b[31m\r\nb\u202egpj.exe"}, "a[31mbgpj.exe"},
		"nothing":              {zip.FileHeader{Name: "\x00"}, "unnamed"},
		"much":                 {zip.FileHeader{Name: strings.Repeat("ü", 3000)}, strings.Repeat("ü", 498) + "…"},
	} {
		got, err := look(t, "zip", zipOf(t, tt.header))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got.Text != tt.want {
			t.Errorf("%s: %q, want %q", name, got.Text, tt.want)
		}
	}
}

// Only the beginning of a long list is kept, but all entries are counted.
func TestLongList(t *testing.T) {
	t.Parallel()
	var headers []zip.FileHeader
	for i := range 20_000 {
		headers = append(headers, zip.FileHeader{Name: fmt.Sprintf("folder/file number %d.txt", i)})
	}
	got, err := look(t, "zip", zipOf(t, headers...))
	if err != nil {
		t.Fatal(err)
	}
	text, _ := json.Marshal(got.Facts)
	if got.Facts["files"] != 20_000 || got.Facts["truncated"] != true || strings.Count(string(text), `"path"`) != 1000 {
		t.Errorf("%v of %.300s", got.Facts["files"], text)
	}
	if len(got.Text) > 256<<10 || len(got.Text) < 250<<10 {
		t.Errorf("%d bytes of text", len(got.Text))
	}
	for i := range headers {
		headers[i].Name = strings.Repeat("<", 900) + headers[i].Name
	}
	if got, err = look(t, "zip", zipOf(t, headers[:2000]...)); err != nil {
		t.Fatal(err)
	}
	if text, _ = json.Marshal(got.Facts); len(text) > 140<<10 {
		t.Errorf("%d bytes of facts", len(text))
	}
}

// A decompression bomb is stopped at a limit, and damage is reported.
func TestBombs(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("minutes with the race detector, which .ci/run uses with -short")
	}
	bomb := packed(t, nil, toZstd)
	block := packed(t, make([]byte, 64<<20), toZstd)
	for range 20 {
		bomb = append(bomb, block...)
	}
	got, err := look(t, "zst", bomb)
	if err != nil || got.Facts["truncated"] != true || got.Facts["unpacked_size"] != nil {
		t.Errorf("%+v, %v", got, err)
	}
	for format, data := range samples(t) {
		for n := range len(data) / 16 {
			if _, err := look(t, format, data[:16*n]); err != nil {
				if fault, ok := errors.AsType[*engine.Fault](err); ok && fault.Reason == engine.Protected {
					t.Errorf("%s cut off after %d bytes: %v", format, 16*n, err)
				}
			}
		}
	}
	if _, err := look(t, "zip", holidayZIP(t)[:100]); err == nil {
		t.Error("an archive without its list")
	}
	if _, err := look(t, "cab", nil); err == nil {
		t.Error("a format that there is not")
	}
}

// Only the list of an archive of any size is read, up to a limit.
func TestRanges(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("minutes with the race detector, which .ci/run uses with -short")
	}
	e, err := archive.New()
	if err != nil {
		t.Fatal(err)
	}
	const hole = 5 << 30
	data := tarOf(t)
	h := tar.Header{Name: "large.mov", Size: hole, Format: tar.FormatGNU}
	var b bytes.Buffer
	if err := tar.NewWriter(&b).WriteHeader(&h); err != nil {
		t.Fatal(err)
	}
	large := &withHole{head: b.Bytes(), tail: data, hole: hole}
	job := engine.Job{Format: "tar", Side: 400, Bytes: int64(b.Len()) + hole + int64(len(data))}
	got, err := e.Look(context.Background(), job, large)
	if err != nil || got.Facts["files"] != 3 || got.Facts["truncated"] != false || large.read > 1<<20 {
		t.Errorf("%+v, %v, %d bytes read", got, err, large.read)
	}
}

// withHole is a file with many zeros in the middle.
type withHole struct {
	io.Reader
	head, tail []byte
	hole       int64
	read       int
}

func (w *withHole) ReadAt(p []byte, off int64) (int, error) {
	w.read += len(p)
	for i := range p {
		at := off + int64(i)
		switch {
		case at < int64(len(w.head)):
			p[i] = w.head[at]
		case at < int64(len(w.head))+w.hole:
			p[i] = 0
		case at-int64(len(w.head))-w.hole < int64(len(w.tail)):
			p[i] = w.tail[at-int64(len(w.head))-w.hole]
		default:
			return i, io.EOF
		}
	}
	return len(p), nil
}

func FuzzArchives(f *testing.F) {
	formats := []string{"zip", "7z", "rar", "tar", "gz", "bz2", "xz", "zst"}
	for i, format := range formats {
		f.Add(samples(f)[format], uint8(i))
	}
	for _, name := range []string{"locked.rar", "content.rar", "unicode.rar", "volume.part1.rar"} {
		f.Add(sample(f, name), uint8(2))
	}
	f.Fuzz(func(t *testing.T, data []byte, which uint8) {
		got, err := look(t, formats[int(which)%len(formats)], data)
		if err != nil {
			return
		}
		text, err := json.Marshal(got.Facts)
		if err != nil || len(text) > 200<<10 || len(got.Text) > 256<<10 || (got.Picture == nil) == (got.Note == "") {
			t.Errorf("%d bytes of facts, %d of text, %q, %v", len(text), len(got.Text), got.Note, err)
		}
	})
}
