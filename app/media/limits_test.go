package media_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"image"
	"io"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/media"
)

// code returns the code of a file fault, or the text of any other error.
func code(err error) string {
	if fault, ok := errors.AsType[*dam.FileError](err); ok {
		return string(fault.Code)
	}
	if err != nil {
		return err.Error()
	}
	return ""
}

// countingReader counts the bytes read.
type countingReader struct {
	io.ReaderAt
	n atomic.Int64
}

func (c *countingReader) ReadAt(p []byte, off int64) (int, error) {
	n, err := c.ReaderAt.ReadAt(p, off)
	c.n.Add(int64(n))
	return n, err
}

// A file that claims to be huge is rejected by its header, regardless of its size.
func TestHugeHeaders(t *testing.T) {
	t.Parallel()
	sized := func(w, h uint32) []byte {
		tags := directory(8, long(0x100, w), long(0x101, h), short(0x102, 8, 8, 8), short(0x103, 5), short(0x106, 2),
			long(0x111, 200), short(0x115, 3), long(0x116, h), long(0x117, 100))
		return append([]byte("II*\x00\x08\x00\x00\x00"), tags...)
	}
	lossless := riffChunk("RIFF", append([]byte("WEBP"), riffChunk("VP8L", []byte{0x2f, 0xff, 0xff, 0xff, 0x0f, 0, 0, 0})...)) // 16,384²
	canvas := withChunks(sample(t, "lossy.webp"), 0x10, 40_000, 40_000, nil, nil)
	beyond := withChunks(sample(t, "lossy.webp"), 0x10, 100_000, 100_000, nil, nil)
	frame := jpegOf(t, plain(8, 8, red))
	at := bytes.Index(frame, []byte{0xff, 0xc0})
	copy(frame[at+5:], []byte{0xff, 0xff, 0xff, 0xff})
	bitmap := append([]byte("BM"), make([]byte, 52)...)
	for at, v := range map[int]uint32{10: 54, 14: 40, 18: 100_000, 22: 100_000, 26: 1 | 24<<16} {
		binary.LittleEndian.PutUint32(bitmap[at:], v)
	}
	tests := []struct {
		name string
		head []byte
		code dam.FileErrorCode
	}{
		{"a.png", pngHeader(100_000, 100_000), dam.CodeLimitsExceeded},
		{"most.png", pngHeader(1<<31-1, 1<<31-1), dam.CodeCorrupt}, // no such PNG can exist
		{"line.png", pngHeader(1<<30, 1), dam.CodeLimitsExceeded},
		{"a.tif", sized(100_000, 100_000), dam.CodeLimitsExceeded},
		{"most.tif", sized(1<<32-1, 1<<32-1), dam.CodeCorrupt},
		{"lossless.webp", lossless, dam.CodeLimitsExceeded},
		{"canvas.webp", canvas, dam.CodeLimitsExceeded},
		{"beyond the format.webp", beyond, dam.CodeCorrupt},
		{"a.gif", []byte("GIF89a\xff\xff\xff\xff\x00\x00\x00;"), dam.CodeLimitsExceeded},
		{"a.jpg", frame, dam.CodeLimitsExceeded},
		{"a.bmp", bitmap, dam.CodeLimitsExceeded},
	}
	p := media.New(media.DefaultLimits())
	for _, tt := range tests {
		data := append(bytes.Clone(tt.head), make([]byte, 1<<20)...)
		r := &countingReader{ReaderAt: bytes.NewReader(data)}
		if _, err := p.Check(t.Context(), r, int64(len(data)), tt.name); code(err) != string(tt.code) {
			t.Errorf("%s: %v, want %s", tt.name, err, tt.code)
		}
		if n := r.n.Load(); n > 64<<10 {
			t.Errorf("%s: %d bytes were read to find out", tt.name, n)
		}
	}
}

func TestFramesAndPages(t *testing.T) {
	t.Parallel()
	limits := media.DefaultLimits()
	tests := []struct {
		name   string
		data   []byte
		code   string
		frames any
		pages  int
	}{
		{"one.gif", gifOf(1), "", nil, 0},
		{"most.gif", gifOf(limits.MaxFrames), "", limits.MaxFrames, 0},
		{"10,000.gif", gifOf(10_000), "limits_exceeded", nil, 0},
		{"one.tif", tiffOf(scene(8, 8)), "", nil, 1},
		{"three.tif", withPages(tiffOf(scene(8, 8)), 2), "", 3, 3},
		{"10,000.tif", withPages(tiffOf(scene(8, 8)), 9_999), "limits_exceeded", nil, 0},
	}
	for _, tt := range tests {
		r, err := extract(tt.data, tt.name)
		if code(err) != tt.code {
			t.Errorf("%s: %v", tt.name, err)
		} else if err == nil && (fact(r.Technical, "frames") != tt.frames || r.PageCount != tt.pages) {
			t.Errorf("%s: %v frames, %d pages", tt.name, fact(r.Technical, "frames"), r.PageCount)
		}
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	pic := jpegOf(t, plain(8, 8, red))
	p := media.New(media.DefaultLimits())
	for want, names := range map[string][]string{
		"": {
			"a.jpg", "a.JPG", "a.jpeg", "a.jfif", "no extension", "", "a.jpg.bak", "2024.01.02",
			"12:30.jpg", "NUL.jpg", "www.example.com.jpg", "a.png", "a.gif", "a.HEIC", "a.pic", "a.nef",
		},
		"unsupported_format": {
			"a.pdf", "a.exe", "a.jpg.html", "a.SVG", "a.mp4", "a.zip",
			"a.hta", "a.wsf", "a.xht", "a.svgz", "a.shtml",
			"a.DLL", "a.jpg.scr", "a.exe.", "a.Bat .. ", "a.ps1\u200b",
			"a.jpg:b.exe", "a.exe:b.jpg", "a.cmd::$DATA", "a.desktop",
			"a.AppImage", "a.command", "a.terminal", "a.mjs", "a.php5", "a.csv",
		},
	} {
		for _, name := range names {
			typ, err := p.Check(t.Context(), bytes.NewReader(pic), int64(len(pic)), name)
			if code(err) != want ||
				err == nil && (typ.MIME != "image/jpeg" || typ.Category != dam.CategoryImage || typ.Extensions[0] != "jpg") {
				t.Errorf("%q: %v, %v", name, typ, err)
			}
		}
	}
}

func TestTimeout(t *testing.T) {
	t.Parallel()
	limits := media.DefaultLimits()
	limits.Timeout = 1
	data := pngOf(t, scene(200, 200))
	_, err := media.New(limits).Extract(t.Context(), bytes.NewReader(data), int64(len(data)), "a.png")
	if code(err) != string(dam.CodeLimitsExceeded) {
		t.Error(err)
	}
}

// cancellingReader calls cancel after the given number of bytes.
type cancellingReader struct {
	countingReader
	after  int64
	cancel context.CancelCauseFunc
}

var errStopped = errors.New("the batch was cancelled")

func (c *cancellingReader) ReadAt(p []byte, off int64) (int, error) {
	if c.n.Load() >= c.after {
		c.cancel(errStopped)
	}
	return c.countingReader.ReadAt(p, off)
}

func TestCancelAtAnyPoint(t *testing.T) {
	t.Parallel()
	p := media.New(media.DefaultLimits())
	for name, data := range map[string][]byte{
		"a.png": pngOf(t, noise(600, 400)),
		"a.jpg": jpegOf(t, noise(600, 400)),
		"a.tif": tiffOf(noise(600, 400)),
	} {
		for after := int64(0); after < int64(len(data)); after += int64(len(data)/7) + 1 {
			ctx, cancel := context.WithCancelCause(t.Context())
			r := &cancellingReader{countingReader{ReaderAt: bytes.NewReader(data)}, after, cancel}
			_, err := p.Extract(ctx, r, int64(len(data)), name)
			if !errors.Is(err, errStopped) && !errors.Is(err, context.Canceled) {
				t.Errorf("%s cancelled after %d of %d bytes: %v", name, after, len(data), err)
			}
			if n := r.n.Load(); n > after+256<<10 && name != "a.tif" { // its pixels are a single read
				t.Errorf("%s cancelled after %d bytes, but %d were read", name, after, n)
			}
			cancel(nil)
		}
	}
}

func noise(w, h int) *image.NRGBA {
	img := plain(w, h, red)
	seed := uint32(1)
	for i := range img.Pix {
		if seed = seed*1664525 + 1013904223; i%4 != 3 {
			img.Pix[i] = byte(seed >> 24)
		}
	}
	return img
}

// heldReader blocks in the middle of decoding until it is released.
type heldReader struct {
	io.ReaderAt
	begins         atomic.Int64
	held, released chan struct{}
}

func (h *heldReader) ReadAt(p []byte, off int64) (int, error) {
	if off == 0 && h.begins.Add(1) == 3 { // the earlier reads detect the type and the memory required
		close(h.held)
		<-h.released
	}
	return h.ReaderAt.ReadAt(p, off)
}

// While one picture takes all of the memory budget, others wait, but only within their time
// limit.
func TestMemoryBudget(t *testing.T) {
	t.Parallel()
	data := jpegOf(t, plain(400, 400, red)) // more than half of the budget
	limits := media.DefaultLimits()
	limits.MemoryBudget = 4_000_000
	p := media.New(limits)
	held := &heldReader{ReaderAt: bytes.NewReader(data), held: make(chan struct{}), released: make(chan struct{})}
	var wg sync.WaitGroup
	wg.Go(func() {
		if _, err := p.Extract(t.Context(), held, int64(len(data)), "a.jpg"); err != nil {
			t.Error(err)
		}
	})
	<-held.held
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := p.Extract(ctx, bytes.NewReader(data), int64(len(data)), "a.jpg"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("beside a picture that takes all memory: %v", err)
	}
	close(held.released)
	for range 4 {
		wg.Go(func() {
			if _, err := p.Extract(t.Context(), bytes.NewReader(data), int64(len(data)), "a.jpg"); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}
