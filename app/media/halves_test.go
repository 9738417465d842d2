package media_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/engine"
	"github.com/digital-asset-library/dal/app/media"
)

const halves = "testdata/halves"

// samples returns the sample files, which all show the same picture: blue on the left and
// orange on the right.
func samples(t testing.TB) map[string][]byte {
	t.Helper()
	entries, err := os.ReadDir(halves)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]byte{}
	for _, e := range entries {
		if all[e.Name()], err = os.ReadFile(filepath.Join(halves, e.Name())); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// Each format that the magick engine reads is recognized by its content, and its picture
// and size are correct.
func TestHalves(t *testing.T) {
	t.Parallel()
	p := withEngines(t, media.DefaultLimits())
	other := map[string][2][3]int{ // the colours in formats that cannot represent the originals
		"a.pbm": {{0, 0, 0}, {255, 255, 255}}, "a.pgm": {{65, 65, 65}, {144, 144, 144}}, "a.fits": {{16, 16, 16}, {240, 240, 240}},
		"a.hdr": {{71, 137, 241}, {248, 188, 71}}, // its encoder treated the colours as linear light
	}
	for name, data := range samples(t) {
		r, err := extractBy(t, p, data, name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if ext := dam.Extension(name); !slices.Contains(r.Type.Extensions, ext) {
			t.Errorf("%s is taken for %s", name, r.Type.Name)
		}
		if name == "a.dng" { // different pixels, rotated
			if r.Width != 64 || r.Height != 96 {
				t.Errorf("%s has %d × %d pixels", name, r.Width, r.Height)
			}
			continue
		}
		if r.Width != 64 || r.Height != 48 {
			t.Errorf("%s has %d × %d pixels", name, r.Width, r.Height)
		}
		want, ok := other[name]
		if !ok {
			want = [2][3]int{{16, 64, 224}, {240, 128, 16}}
		}
		for i, x := range []int{20, 80} {
			red, green, blue := at(t, r, x, 50)
			for c, v := range []uint32{red, green, blue} {
				if d := int(v) - want[i][c]; d < -12 || d > 12 {
					t.Errorf("%s at %d %%: %d, %d, %d, not %v", name, x, red, green, blue, want[i])
					break
				}
			}
		}
	}
}

// Every picture format that an engine reads has a sample.
func TestSamplesAreComplete(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for name, data := range samples(t) {
		typ, ok, err := media.Detect(bytes.NewReader(data), int64(len(data)))
		if err != nil || !ok {
			t.Errorf("%s: %v", name, err)
		}
		known[typ.Name] = true
	}
	for _, name := range media.FormatsByEngine() {
		if !known[name] && name != "SVG" && name != "PDF" { // have separate tests
			t.Errorf("there is no sample of %s", name)
		}
	}
}

// The metadata of these formats is read, whether by dal or by an engine.
func TestMetadataByEngine(t *testing.T) {
	t.Parallel()
	p := withEngines(t, media.DefaultLimits())
	all := samples(t)
	for _, name := range []string{"a.heic", "a.avif", "a-box.jxl", "a.psd", "a.psb", "a.dng"} {
		r, err := extractBy(t, p, all[name], name)
		if err != nil {
			t.Fatal(err)
		}
		if r.Title != "Halves" || r.Creator != "Ada" {
			t.Errorf("%s: %q by %q, %v", name, r.Title, r.Creator, r.Technical)
		}
		if name == "a.psb" {
			continue
		}
		if r.CaptureDate == nil || r.CaptureDate.Year() != 2024 || r.Copyright != "(c)Ada" {
			t.Errorf("%s: %v, %q", name, r.CaptureDate, r.Copyright)
		}
		if r.Location == nil && name == "a.heic" {
			t.Errorf("%s has no location: %v", name, r.Technical)
		}
	}
}

// A picture that claims huge dimensions is rejected and does no harm.
func TestBombs(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("minutes with the race detector, which .ci/run uses with -short")
	}
	p := withEngines(t, media.DefaultLimits())
	all := samples(t)
	put := func(name string, order binary.ByteOrder, size int, at ...int) []byte {
		b := bytes.Clone(all[name])
		for _, i := range at {
			if size == 2 {
				order.PutUint16(b[i:], 60_000)
			} else {
				order.PutUint32(b[i:], 60_000)
			}
		}
		return b
	}
	be, le := binary.BigEndian, binary.LittleEndian
	bombs := map[string][]byte{
		"a.ppm": []byte("P6 60000 60000 255\n" + strings.Repeat("x", 1000)),
		"a.pgm": []byte("P5 99999999 99999999 255\n"),
		"a.pam": []byte("P7\nWIDTH 60000\nHEIGHT 60000\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n"),
		"a.pfm": []byte("PF\n60000 60000\n-1.0\n"),
		"a.qoi": put("a.qoi", be, 4, 4, 8), "a.ff": put("a.ff", be, 4, 8, 12), "a.psd": put("a.psd", be, 4, 14, 18),
		"a.psb": put("a.psb", be, 4, 14, 18), "a.dds": put("a.dds", le, 4, 12, 16), "a.ras": put("a.ras", be, 4, 4, 8),
		"a.sgi": put("a.sgi", be, 2, 6, 8), "a.pcx": put("a.pcx", le, 2, 8, 10), "a.tga": put("a.tga", le, 2, 12, 14),
		"a.jxl": []byte("\xff\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"),
	}
	for _, name := range []string{"a.jp2", "a.j2k", "a.heic", "a.avif", "a.exr", "a.dng", "a.dpx", "a.cin", "a.jng"} {
		b := all[name]
		for _, order := range []binary.ByteOrder{be, le} { // wherever the width is stored
			b = numbered(b, order, 64, 60_000)
			b = numbered(b, order, 63, 59_999)
			b = numbered(b, order, 48, 60_000)
		}
		bombs[name] = b
	}
	for name, data := range bombs {
		_, err := extractBy(t, p, data, name)
		fault, ok := errors.AsType[*dam.FileError](err)
		if !ok || fault.Retryable {
			t.Errorf("%s: %v", name, err)
		}
		t.Logf("%s: %.200v", name, err)
	}
	if _, err := extractBy(t, p, all["a.heic"], "a.heic"); err != nil {
		t.Errorf("after the bombs: %v", err)
	}
}

// numbered replaces all occurrences of a 32-bit number.
func numbered(b []byte, order binary.ByteOrder, old, with uint32) []byte {
	from, to := make([]byte, 4), make([]byte, 4)
	order.PutUint32(from, old)
	order.PutUint32(to, with)
	return bytes.ReplaceAll(b, from, to)
}

// Damaged files of each format are read, or rejected with a fault of the file; no worker
// remains afterwards. DAL_MUTATIONS sets the number of variants per file.
func TestMutationsOfFormats(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("minutes with the race detector, which .ci/run uses with -short")
	}
	n := mutations(t, 10)
	pool := enginePool(t)
	p := media.New(media.DefaultLimits()).With(pool)
	stopped := 0
	for name, data := range samples(t) {
		r := rand.New(rand.NewPCG(1, 2))
		for i := range n {
			b := bytes.Clone(data)
			for range 1 + r.IntN(8) {
				b[r.IntN(len(b))] = byte(r.Uint32())
			}
			if i%4 == 3 {
				b = b[:1+r.IntN(len(b))]
			}
			_, err := extractBy(t, p, b, name)
			fault, ok := errors.AsType[*dam.FileError](err)
			if err != nil && !ok {
				t.Fatalf("%s: %v", name, err)
			}
			if ok && fault.Retryable {
				stopped++
				t.Logf("%s stopped its worker: %.500v", name, err)
			}
		}
	}
	if left := pool.Running(); len(left) > 1 {
		t.Errorf("%d workers for files one by one", len(left))
	}
	t.Logf("%d files stopped their workers", stopped)
}

// mutations returns the number of damaged variants to test per file.
func mutations(t *testing.T, n int) int {
	t.Helper()
	if s := os.Getenv("DAL_MUTATIONS"); s != "" {
		n, _ = strconv.Atoi(s)
	}
	return n
}

// enginePool returns a pool of all engines, except for those that are off.
func enginePool(t testing.TB, off ...string) *engine.Pool {
	t.Helper()
	p := engine.New(engineConfig(t, off...))
	t.Cleanup(p.Close)
	return p
}
