package media_test

import (
	"bytes"
	"errors"
	"image"
	"image/jpeg"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/media"
)

func pyramidOf(t testing.TB, p *media.Processor, name string, data []byte) *media.Pyramid {
	t.Helper()
	var out bytes.Buffer
	if err := p.Pyramid(t.Context(), bytes.NewReader(data), int64(len(data)), name, 0, &out); err != nil {
		t.Fatal(err)
	}
	pyramid, err := media.OpenPyramid(bytes.NewReader(out.Bytes()), int64(out.Len()))
	if err != nil {
		t.Fatal(err)
	}
	return pyramid
}

func cutOf(t testing.TB, p *media.Processor, from *media.Pyramid, path string) []byte {
	t.Helper()
	part := strings.Split(path, "/")
	r, err := dam.ParseIIIF(part[0], part[1], part[2], part[3])
	if err != nil {
		t.Fatal(err)
	}
	c, err := r.Cut(from.Width, from.Height)
	if err != nil {
		t.Fatal(err)
	}
	data, err := p.Cut(t.Context(), from, r, c)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// A picture that takes too much memory at full size gets a smaller pyramid; planar pictures
// take less memory than others.
func TestPyramidMemory(t *testing.T) {
	t.Parallel()
	img := image.NewRGBA(image.Rect(0, 0, 3000, 2000))
	for i := range img.Pix {
		img.Pix[i] = 255
	}
	var asPNG, asJPEG bytes.Buffer
	if err := png.Encode(&asPNG, img); err != nil {
		t.Fatal(err)
	}
	if err := jpeg.Encode(&asJPEG, img, nil); err != nil {
		t.Fatal(err)
	}
	asBMP := encoded(t, func(w io.Writer) error { return bmp.Encode(w, img) })
	asTIFF := encoded(t, func(w io.Writer) error { return tiff.Encode(w, img, nil) })
	limits := media.DefaultLimits()
	limits.MemoryBudget = 70 << 20
	p := media.New(limits)
	if got := pyramidOf(t, p, "a.jpg", asJPEG.Bytes()); got.Width != 3000 || got.Height != 2000 || len(got.Levels) != 4 {
		t.Errorf("the JPEG has %d × %d in %d levels", got.Width, got.Height, len(got.Levels))
	}
	small := pyramidOf(t, p, "a.bmp", asBMP)
	if small.Width >= 3000 || small.Width < 1600 {
		t.Errorf("the BMP has %d × %d", small.Width, small.Height)
	}
	limits.MemoryBudget = 38 << 20 // 24 MB of pixels and 9 MB of planes
	p = media.New(limits)
	for name, data := range map[string][]byte{"a.png": asPNG.Bytes(), "a.tiff": asTIFF} {
		if got := pyramidOf(t, p, name, data); got.Width != 3000 || got.Height != 2000 {
			t.Errorf("%s has %d × %d", name, got.Width, got.Height)
		}
	}
	if whole := pyramidOf(t, media.New(media.DefaultLimits()), "a.png", asPNG.Bytes()); whole.Width != 3000 {
		t.Errorf("the PNG has %d × %d", whole.Width, whole.Height)
	}
}

// A picture that is converted to planes in strips has the same tiles as one that is
// converted as a whole.
func TestPyramidStrips(t *testing.T) {
	t.Parallel()
	for _, size := range []image.Point{{601, 403}, {64, 32}, {33, 65}, {1, 97}, {700, 1}} {
		img := scene(size.X, size.Y)
		for i := range img.Pix {
			if i%4 != 3 {
				img.Pix[i] = uint8(i * i >> 5)
			}
		}
		pyramid := map[string][]byte{}
		for name, data := range map[string][]byte{
			"a.bmp":  encoded(t, func(w io.Writer) error { return bmp.Encode(w, img) }),
			"a.png":  encoded(t, func(w io.Writer) error { return png.Encode(w, img) }),
			"a.tiff": encoded(t, func(w io.Writer) error { return tiff.Encode(w, img, nil) }),
		} {
			pyramid[name] = encoded(t, func(w io.Writer) error {
				p := media.New(media.DefaultLimits())
				return p.Pyramid(t.Context(), bytes.NewReader(data), int64(len(data)), name, 0, w)
			})
		}
		if !bytes.Equal(pyramid["a.png"], pyramid["a.bmp"]) || !bytes.Equal(pyramid["a.tiff"], pyramid["a.bmp"]) {
			t.Errorf("the pyramids of %v differ", size)
		}
	}
}

// beginnings counts how often a file is read from its beginning.
type beginnings struct {
	*bytes.Reader
	n int
}

func (b *beginnings) ReadAt(p []byte, off int64) (int, error) {
	if off == 0 {
		b.n++
	}
	return b.Reader.ReadAt(p, off)
}

// A timeout is not retried at smaller sizes, which would take as long each.
func TestPyramidTime(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewRGBA(image.Rect(0, 0, 90, 60))); err != nil {
		t.Fatal(err)
	}
	reads := func(timeout time.Duration) (int, error) {
		limits := media.DefaultLimits()
		limits.Timeout = timeout
		file := &beginnings{Reader: bytes.NewReader(b.Bytes())}
		err := media.New(limits).Pyramid(t.Context(), file, file.Size(), "a.png", 0, io.Discard)
		return file.n, err
	}
	once, err := reads(time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	n, err := reads(1)
	if fault, ok := errors.AsType[*dam.FileError](err); !ok || fault.Code != dam.CodeLimitsExceeded || n > once {
		t.Errorf("it was read %d times, not %d: %v", n, once, err)
	}
}

// A truncated or modified file is rejected or read within its bounds.
func FuzzPyramid(f *testing.F) {
	var pic, out bytes.Buffer
	img := image.NewGray(image.Rect(0, 0, 700, 20))
	if err := jpeg.Encode(&pic, img, nil); err != nil {
		f.Fatal(err)
	}
	p := media.New(media.DefaultLimits())
	if err := p.Pyramid(f.Context(), bytes.NewReader(pic.Bytes()), int64(pic.Len()), "a.jpg", 0, &out); err != nil {
		f.Fatal(err)
	}
	f.Add(out.Bytes())
	f.Add(out.Bytes()[1:])
	f.Add(out.Bytes()[:out.Len()-1])
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		from, err := media.OpenPyramid(bytes.NewReader(data), int64(len(data)))
		if err != nil || from.Width*from.Height > 1<<22 {
			return
		}
		r, _ := dam.ParseIIIF("full", "!100,100", "0", "gray.png")
		c, err := r.Cut(from.Width, from.Height)
		if err != nil {
			t.Fatal(err)
		}
		if made, err := p.Cut(t.Context(), from, r, c); err == nil {
			if _, err := png.Decode(bytes.NewReader(made)); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// TestPyramidFigures measures a picture of the dimensions in DAL_BENCH_IIIF, such as
// 12000x8000, or the file it names.
func TestPyramidFigures(t *testing.T) {
	which := os.Getenv("DAL_BENCH_IIIF")
	if which == "" {
		t.Skip("DAL_BENCH_IIIF is not set")
	}
	data, name := []byte(nil), filepath.Base(which)
	if across, down, ok := strings.Cut(which, "x"); ok && !strings.Contains(which, "/") {
		data, name = textured(t, across, down), "a.jpg"
	} else {
		var err error
		if data, err = os.ReadFile(which); err != nil {
			t.Fatal(err)
		}
	}
	runtime.GC()
	p := media.New(media.DefaultLimits())
	most := make(chan uint64)
	done := make(chan struct{})
	go func() {
		var peak uint64
		for tick := time.NewTicker(10 * time.Millisecond); ; {
			select {
			case <-done:
				most <- peak
				return
			case <-tick.C:
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				peak = max(peak, m.HeapAlloc)
			}
		}
	}()
	start := time.Now()
	var out bytes.Buffer
	out.Grow(2 * len(data))
	if err := p.Pyramid(t.Context(), bytes.NewReader(data), int64(len(data)), name, 0, &out); err != nil {
		t.Fatal(err)
	}
	took := time.Since(start)
	close(done)
	from, err := media.OpenPyramid(bytes.NewReader(out.Bytes()), int64(out.Len()))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d MB, %d × %d, %d MB of pyramid in %v, heap at most %d MB", len(data)>>20, from.Width, from.Height, out.Len()>>20,
		took, <-most>>20)
	for _, path := range []string{
		"0,0,512,512/512,512/0/default.jpg", "1000,1000,512,512/max/0/default.jpg", "full/1000,/0/default.jpg", "full/max/0/default.jpg",
		"full/max/90/default.jpg", "full/max/0/default.png", "full/max/0/bitonal.png", "pct:10,10,50,50/800,/0/gray.png",
	} {
		start := time.Now()
		data := cutOf(t, p, from, path)
		t.Logf("%-40s %6d kB %v", path, len(data)>>10, time.Since(start))
	}
}

// textured returns a JPEG without flat areas.
func textured(t *testing.T, across, down string) []byte {
	t.Helper()
	w, _ := strconv.Atoi(across)
	h, _ := strconv.Atoi(down)
	img := image.NewYCbCr(image.Rect(0, 0, w, h), image.YCbCrSubsampleRatio420)
	for i := range img.Y {
		img.Y[i] = uint8(i*7 + i/w*3 + i*i>>9)
	}
	for i := range img.Cb {
		img.Cb[i], img.Cr[i] = uint8(i>>4), uint8(i>>7)
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, img, &jpeg.Options{Quality: 80}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
