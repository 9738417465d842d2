package media_test

import (
	"bytes"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/digital-asset-library/dal/app/confine"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/engine"
	"github.com/digital-asset-library/dal/app/media"
)

// nestedPDF returns a document with a stream that is compressed several times: the content
// of the page, or the document's information.
func nestedPDF(t *testing.T, unit string, size, layers int, about bool) []byte {
	t.Helper()
	var stream bytes.Buffer
	w := io.WriteCloser(zlib.NewWriter(&stream))
	closers := []io.Closer{w}
	for range layers - 1 {
		w = zlib.NewWriter(w)
		closers = append(closers, w)
	}
	block := strings.Repeat(unit, 1<<20/len(unit))
	for range size >> 20 {
		if _, err := io.WriteString(w, block); err != nil {
			t.Fatal(err)
		}
	}
	for i := len(closers) - 1; i >= 0; i-- {
		if err := closers[i].Close(); err != nil {
			t.Fatal(err)
		}
	}
	page, catalog, kind := "/Contents 4 0 R", "", ""
	if about {
		page, catalog, kind = "", "/Metadata 4 0 R", "/Type/Metadata/Subtype/XML"
	}
	var out bytes.Buffer
	var at []int
	out.WriteString("%PDF-1.7\n")
	for i, object := range []string{
		"<</Type/Catalog/Pages 2 0 R" + catalog + ">>", "<</Type/Pages/Kids[3 0 R]/Count 1>>",
		"<</Type/Page/Parent 2 0 R/MediaBox[0 0 100 100]" + page + ">>",
		fmt.Sprintf("<<%s/Length %d/Filter[%s]>>stream\n%s\nendstream", kind, stream.Len(), strings.Repeat("/FlateDecode", layers), &stream),
	} {
		at = append(at, out.Len())
		fmt.Fprintf(&out, "%d 0 obj\n%s\nendobj\n", i+1, object)
	}
	start := out.Len()
	out.WriteString("xref\n0 5\n0000000000 65535 f \n")
	for _, n := range at {
		fmt.Fprintf(&out, "%010d 00000 n \n", n)
	}
	fmt.Fprintf(&out, "trailer<</Size 5/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", start)
	return out.Bytes()
}

var mostMemory = regexp.MustCompile(`VmHWM:\s+(\d+) kB`)

// A few bytes that are compressed several times neither take much memory nor occupy a
// worker.
func TestNestedPDF(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("the race detector, which .ci/run uses with -short, needs more memory than a worker may have")
	}
	for name, data := range map[string][]byte{
		"a gigabyte of spaces":      nestedPDF(t, " ", 1<<30, 3, false),
		"a quarter of a gigabyte":   nestedPDF(t, " ", 256<<20, 3, false),
		"millions of lines":         nestedPDF(t, "0 0 m 99 99 l 50 10 l h B\n", 64<<20, 2, false),
		"a gigabyte about the file": nestedPDF(t, " ", 1<<30, 3, true),
	} {
		if len(data) > 4<<10 {
			t.Fatalf("%s: the file has %d bytes", name, len(data))
		}
		pool := enginePool(t)
		r, err := extractBy(t, media.New(media.DefaultLimits()).With(pool), data, "nested.pdf")
		fault, ok := errors.AsType[*dam.FileError](err)
		if err == nil && r.PageCount != 1 || err != nil && (!ok || fault.Code != dam.CodeLimitsExceeded) {
			t.Errorf("%s: %v, %+v", name, err, r)
		}
		mostOf(t, name, pool)
		pool.Close()
	}
}

// mostOf checks that none of the workers that run has taken more than 256 MB.
func mostOf(t *testing.T, name string, pool *engine.Pool) {
	t.Helper()
	for _, pid := range pool.Running() {
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		if err != nil {
			continue // it has ended
		}
		m := mostMemory.FindSubmatch(status)
		if m == nil {
			t.Fatalf("%s: %s", name, status)
		}
		if kilobytes, _ := strconv.Atoi(string(m[1])); kilobytes > 256<<10 {
			t.Errorf("%s: the worker took %d MB", name, kilobytes>>10)
		}
	}
	if len(pool.Running()) == 0 {
		t.Errorf("%s: no worker is left to be asked for its memory", name)
	}
}

// A small file that unpacks to many pixels takes little memory: it is stored without a preview, or refused as damaged.
func TestSmallFiles(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("the race detector, which .ci/run uses with -short, needs more memory than a worker may have")
	}
	psd := append([]byte("8BPS\x00\x01\x00\x00\x00\x00\x00\x00\x00\x03\x00\x00\x30\x00\x00\x00\x30\x00\x00\x08\x00\x03"),
		make([]byte, 14)...)
	group := strings.Repeat(`<g opacity=".9">`, 60) + `<path d="M0 0h900v900z"/>` + strings.Repeat("</g>", 60)
	files := map[string][]byte{
		"a.png": rawPNG(14_000, 14_000, 1, 0, false, nil), "palette.png": rawPNG(14_000, 14_000, 1, 3, false, nil),
		"a.tif": blackTIFF(14_000, 14_000, 14_000, 8, []uint16{1}, zipped(14_000/8*14_000)),
		"a.psd": psd, "a.svg": []byte(`<svg xmlns="http://www.w3.org/2000/svg" width="1000" height="1000">` + group + "</svg>"),
		"a.avif": sample(t, "small/white.avif"), "a.jp2": sample(t, "small/white.jp2"), "a.jxl": sample(t, "small/white.jxl"),
		"a.webp": sample(t, "small/white.webp"),
	}
	pool := enginePool(t) // first, engines are compiled
	warm := media.New(media.DefaultLimits()).With(pool)
	for _, name := range []string{"halves/a.avif", "small/plain.svg"} {
		if _, err := extractBy(t, warm, sample(t, name), path.Base(name)); err != nil {
			t.Fatal(err)
		}
	}
	for name, data := range files {
		if len(data) > 64<<10 {
			t.Fatalf("%s: the file has %d bytes", name, len(data))
		}
		pool := enginePool(t)
		p := media.New(media.DefaultLimits()).With(pool)
		_, err := extractBy(t, p, data, name)
		if code(err) != string(dam.CodeLimitsExceeded) {
			t.Errorf("%s: %v", name, err)
		}
		r, err := extractBy(t, p.Accepting(media.Accept{Unread: true}), data, name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if r.Picture != nil || !strings.Contains(r.Warning, "It is stored without a preview: ") || !strings.Contains(r.Warning, " memory") {
			t.Errorf("%s: picture %v, warning %q", name, r.Picture != nil, r.Warning)
		}
		if kind := path.Ext(name); kind != ".png" && kind != ".tif" && kind != ".webp" { // which the server itself has refused
			mostOf(t, name, pool)
		}
		pool.Close()
	}
}

// The process that reads files is sandboxed.
func TestReaderIsConfined(t *testing.T) {
	t.Parallel()
	if s := confine.Supported(); !s.Network {
		t.Skipf("of the processes that read files, here %s", s)
	}
	data, err := os.ReadFile("testdata/pdf/two-pages.pdf")
	if err != nil {
		t.Fatal(err)
	}
	pool := enginePool(t)
	if _, err := extractBy(t, media.New(media.DefaultLimits()).With(pool), data, "a.pdf"); err != nil {
		t.Fatal(err)
	}
	running := pool.Running()
	if len(running) != 1 {
		t.Fatalf("%d processes run", len(running))
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", running[0]))
	if err != nil || !strings.Contains(string(status), "NoNewPrivs:\t1\n") || !strings.Contains(string(status), "Seccomp:\t2\n") {
		t.Errorf("%v, %s", err, status)
	}
}
