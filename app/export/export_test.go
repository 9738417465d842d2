package export

import (
	"archive/zip"
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
)

// An archive with more files than 16 bits can count is ZIP64, and each file has a unique
// name.
func TestArchiveZIP64(t *testing.T) {
	t.Parallel()
	const n = 70_000
	var b bytes.Buffer
	a := NewArchive(&b)
	for i := range n {
		name := []string{"IMG_1.jpg", "img_1.JPG", "other.jpg"}[i%3]
		if _, err := a.Add(name, "image/jpeg", time.Now(), strings.NewReader(fmt.Sprint(i))); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(b.Bytes(), []byte("PK\x06\x06")) { // the ZIP64 end of central directory record
		t.Error("not a ZIP64 file")
	}
	r, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil || len(r.File) != n {
		t.Fatalf("%v, %d files", err, len(r.File))
	}
	seen := map[string]bool{}
	for i, f := range r.File {
		if key := strings.ToLower(f.Name); seen[key] {
			t.Fatalf("%s is in the archive twice", f.Name)
		} else {
			seen[key] = true
		}
		if i%10_000 != 0 {
			continue
		}
		rc, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		if data, err := io.ReadAll(rc); err != nil || string(data) != fmt.Sprint(i) {
			t.Errorf("%s: %s, %v", f.Name, data, err)
		}
		rc.Close()
	}
}

// sparse is a file that stores only the parts that are not zero.
type sparse struct {
	size  int64
	parts []part // in order
}

type part struct {
	at   int64
	data []byte
}

var zeros [32 << 10]byte

func (s *sparse) Write(p []byte) (int, error) {
	if len(p) > len(zeros) || !bytes.Equal(p, zeros[:len(p)]) {
		s.parts = append(s.parts, part{s.size, bytes.Clone(p)})
	}
	s.size += int64(len(p))
	return len(p), nil
}

func (s *sparse) ReadAt(p []byte, at int64) (int, error) {
	n := int(min(int64(len(p)), s.size-at))
	clear(p[:n])
	for _, x := range s.parts {
		if from, to := max(at, x.at), min(at+int64(n), x.at+int64(len(x.data))); from < to {
			copy(p[from-at:to-at], x.data[from-x.at:])
		}
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// A file of more than 4 GiB, and one after it, survive a round trip.
func TestArchiveLargeFile(t *testing.T) {
	t.Parallel()
	const size = 4<<30 + 12345
	var out sparse
	a := NewArchive(&out)
	for _, f := range []struct {
		name string
		r    io.Reader
	}{{"zeros.mp4", io.LimitReader(zeroReader{}, size)}, {"after.mp4", strings.NewReader("after it")}} {
		if _, err := a.Add(f.name, "video/mp4", time.Now(), f.r); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := zip.NewReader(&out, out.size)
	if err != nil || len(r.File) != 2 {
		t.Fatal(err)
	}
	if f := r.File[0]; f.UncompressedSize64 != size || f.CompressedSize64 != size {
		t.Errorf("%d bytes", f.UncompressedSize64)
	}
	for i, want := range []int64{size, 8} {
		rc, err := r.File[i].Open()
		if err != nil {
			t.Fatal(err)
		}
		if n, err := io.Copy(io.Discard, rc); err != nil || n != want { // checks the CRC
			t.Errorf("%d: %d bytes, %v", i, n, err)
		}
		rc.Close()
	}
}

type zeroReader struct{}

func (zeroReader) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

func TestArchiveNames(t *testing.T) {
	t.Parallel()
	a := NewArchive(io.Discard)
	for _, tt := range [][2]string{
		{"a.jpg", "a.jpg"}, {"A.JPG", "A (2).JPG"}, {"a (2).jpg", "a (2) (2).jpg"}, {"a.jpg", "a (3).jpg"},
		{"é.jpg", "é.jpg"}, {"e\u0301.jpg", "e\u0301 (2).jpg"}, // the same letter in NFC and NFD
		{"../../etc/passwd", ".._.._etc_passwd"}, {`c:\x.jpg`, "c__x.jpg"}, {"NUL", "_NUL"},
		{"com1.tar.gz", "_com1.tar.gz"}, {"", "file"}, {"...", "file (2)"},
		{"x\x00\u202egpj.exe", "xgpj.exe"}, {strings.Repeat("é", 150) + ".jpg", strings.Repeat("é", 100) + ".jpg"},
		{"b." + strings.Repeat("x", 250), "b." + strings.Repeat("x", 198)},
		{strings.Repeat("c", 199) + ". .tar.gz", strings.Repeat("c", 199) + ".gz"},
		{"COM².txt", "_COM².txt"}, {"conin$", "_conin$"},
	} {
		if got := a.unique(archiveName(tt[0])); got != tt[1] {
			t.Errorf("%q is %q, not %q", tt[0], got, tt[1])
		}
	}
}

func TestHarmless(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"": "", "plain": "plain", "1-2": "1-2", "=1+1": "'=1+1", "+1": "'+1", "-1": "'-1", "@SUM(A1)": "'@SUM(A1)",
		"\tx": "'\tx", "\rx": "'\rx",
		"  =1": "'  =1", "＝1": "'＝1", "   ": "   ", "'=1": "''=1", "\u00a0\u200b@x": "'\u00a0\u200b@x", "\"=1": "'\"=1",
		"a\n=cmd()": "a\n'=cmd()", "x;=1+1": "x;'=1+1", "\t=1": "'\t'=1", "a,  +1": "a,'  +1", "a|-1\r\n@b": "a|'-1\r\n'@b",
		"a;\"=1\"": "a;'\"=1\"", "a, b; c\nd": "a, b; c\nd", "a\u2028＋1": "a\u2028'＋1", ";;=1": ";;'=1",
		"2026-01-31, a-b": "2026-01-31, a-b",
	} {
		if got := harmless(in); got != want {
			t.Errorf("%q is %q, not %q", in, got, want)
		}
		if got := Plain(want); got != in {
			t.Errorf("%q comes back as %q, not %q", want, got, in)
		}
	}
}

// Every text survives a round trip.
func FuzzPlain(f *testing.F) {
	for _, seed := range []string{"=1", "'=1", "''=1", "\t'=1", "a,'' =1\n@", "'", "' \u200b'+", "\xff'="} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.ToValidUTF8(text, "?")
		if got := Plain(harmless(text)); got != text {
			t.Errorf("%q is written as %q and comes back as %q", text, harmless(text), got)
		}
	})
}

// For any asset, a table has its columns, and no cell is a formula.
func FuzzWriteCSV(f *testing.F) {
	f.Add("=1", "a\r\nb", "\"")
	f.Add("", ",;", "\t=x")
	f.Fuzz(func(t *testing.T, title, keyword, note string) {
		r := &Record{Asset: &dam.Asset{GAID: "X", Title: title, Keywords: []string{keyword}, Metadata: map[string]any{"note": note}}}
		var spool, b bytes.Buffer
		for range 2 {
			if err := r.WriteLine(&spool); err != nil {
				t.Fatal(err)
			}
		}
		if err := WriteCSV(&b, &spool, map[string]bool{"note": true}); err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(&b).ReadAll()
		if err != nil || len(rows) != 3 || len(rows[1]) != len(rows[0]) {
			t.Fatalf("%d rows, %v", len(rows), err)
		}
		for _, cell := range rows[1] {
			if again := harmless(Plain(cell)); again != cell {
				t.Errorf("%q, then %q", cell, again)
			}
			for _, part := range strings.FieldsFunc(cell, func(r rune) bool { return strings.ContainsRune(",;|\t\r\n", r) }) {
				if part = strings.Trim(part, " \""); part != "" && strings.ContainsRune("=+-@", rune(part[0])) {
					t.Errorf("%q in %q", part, cell)
				}
			}
		}
	})
}
