package baseline

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"testing"
)

// The kernel and its Go version compute the same samples for any input.
func TestInverseIsTheSame(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for round := range 20_000 {
		var a, b [64]int16
		var q [64]int32
		top := 1 << (round % 17)
		for i := range a {
			if r.IntN(3) > 0 {
				a[i] = int16(r.IntN(2*top) - top)
			}
			q[i] = r.Int32N(256)
		}
		b = a
		got, want := make([]byte, 8*11), make([]byte, 8*11)
		sum, twin := inverse(got, 11, &a, &q), inverseGo(want, 11, &b, &q)
		if !bytes.Equal(got, want) || sum != twin || a != b || a != [64]int16{} {
			t.Fatalf("round %d: sum %d of the kernel, %d of its twin\n%v\n%v", round, sum, twin, got, want)
		}
	}
}

// pictures returns JPEGs of any size and content, as encoded by image/jpeg.
func pictures(tb testing.TB) [][]byte {
	tb.Helper()
	r := rand.New(rand.NewPCG(3, 4))
	var list [][]byte
	for _, size := range []int{1, 7, 8, 9, 15, 16, 17, 33, 100, 257} {
		for _, quality := range []int{1, 30, 75, 95, 100} {
			grey, colors := image.NewGray(image.Rect(0, 0, size, 40)), image.NewRGBA(image.Rect(0, 0, size, 50))
			for i := range grey.Pix {
				grey.Pix[i] = byte(i/3 + r.IntN(1+i%200))
			}
			for i := range colors.Pix {
				colors.Pix[i] = byte(i/5 + r.IntN(1+i%256))
			}
			for _, img := range []image.Image{grey, colors, image.NewUniform(color.RGBA{200, 30, byte(size), 255})} {
				if _, endless := img.(*image.Uniform); endless {
					img = &limited{img, image.Rect(0, 0, size, 20)}
				}
				var b bytes.Buffer
				if err := jpeg.Encode(&b, img, &jpeg.Options{Quality: quality}); err != nil {
					tb.Fatal(err)
				}
				list = append(list, b.Bytes())
			}
		}
	}
	return list
}

// limited is a part of an unbounded picture.
type limited struct {
	image.Image
	bounds image.Rectangle
}

func (l *limited) Bounds() image.Rectangle { return l.bounds }

// compare fails if this package decodes a JPEG differently than image/jpeg. It reports
// whether the package decoded it.
func compare(t testing.TB, data []byte) bool {
	t.Helper()
	got, ok := Decode(bytes.NewReader(data))
	if !ok {
		return false
	}
	want, err := jpeg.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatalf("image/jpeg does not decode it: %v", err)
	}
	switch a := got.(type) {
	case *image.Gray:
		b, same := want.(*image.Gray)
		if !same || a.Rect != b.Rect || a.Stride != b.Stride || !near(a.Pix, b.Pix) {
			t.Fatal("another grey picture")
		}
	case *image.YCbCr:
		b, same := want.(*image.YCbCr)
		if !same || a.Rect != b.Rect || a.SubsampleRatio != b.SubsampleRatio || a.YStride != b.YStride || a.CStride != b.CStride ||
			!near(a.Y, b.Y) || !near(a.Cb, b.Cb) || !near(a.Cr, b.Cr) {
			t.Fatal("another picture")
		}
	default:
		t.Fatalf("%T", got)
	}
	return true
}

// near reports whether samples differ by at most 1.
func near(a, b []byte) bool {
	if len(a) != len(b) {
		return false
	}
	for i, v := range a {
		if d := int(v) - int(b[i]); d < -1 || d > 1 {
			return false
		}
	}
	return true
}

func TestDecode(t *testing.T) {
	t.Parallel()
	for i, data := range pictures(t) {
		if !compare(t, data) {
			t.Errorf("picture %d was left to image/jpeg", i)
		}
	}
}

// Of the files in testdata, those whose names begin with "other" are left to image/jpeg.
func TestSamples(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.jpg")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		other, _ := filepath.Match("other*", filepath.Base(name))
		if compare(t, data) == other {
			t.Errorf("%s: decoded %v", name, !other)
		}
	}
}

// The photos in the folder DAL_PHOTOS, if it is set.
func TestPhotos(t *testing.T) {
	t.Parallel()
	folder := os.Getenv("DAL_PHOTOS")
	if folder == "" {
		t.Skip("DAL_PHOTOS names no folder")
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.jp*g"))
	if err != nil {
		t.Fatal(err)
	}
	decoded := 0
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if compare(t, data) {
			decoded++
		} else {
			t.Log("left to image/jpeg:", name)
		}
	}
	t.Logf("%d of %d were decoded", decoded, len(files))
}

// A damaged file is decoded as image/jpeg does it, or left to it.
func TestDamage(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 6))
	files, err := filepath.Glob("testdata/*.jpg")
	if err != nil {
		t.Fatal(err)
	}
	var list [][]byte
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, data)
	}
	list = append(list, pictures(t)...)
	for _, data := range list {
		for cut := 0; cut < len(data); cut += 1 + len(data)/40 {
			compare(t, data[:cut])
		}
		for range 60 {
			damaged := bytes.Clone(data)
			for range 1 + r.IntN(3) {
				damaged[r.IntN(len(damaged))] = byte(r.Uint32())
			}
			compare(t, damaged)
		}
	}
}

// When decoding of a large picture is abandoned, its planes are freed before image/jpeg
// allocates its own.
func TestGivenUp(t *testing.T) {
	var b bytes.Buffer
	if err := jpeg.Encode(&b, image.NewYCbCr(image.Rect(0, 0, 4000, 4000), image.YCbCrSubsampleRatio420), nil); err != nil {
		t.Fatal(err)
	}
	data := b.Bytes()[:b.Len()-5]
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, ok := Decode(bytes.NewReader(data)); ok {
		t.Fatal("a cut picture was decoded")
	}
	runtime.ReadMemStats(&after)
	if taken := int64(after.TotalAlloc - before.TotalAlloc); taken < 20<<20 {
		t.Fatalf("only %d bytes were taken", taken)
	}
	if kept := int64(after.HeapAlloc) - int64(before.HeapAlloc); kept > 2<<20 {
		t.Errorf("%d bytes are still in use", kept)
	}
}

func FuzzDecode(f *testing.F) {
	for i, data := range pictures(f) {
		if i%7 == 0 && len(data) < 2000 {
			f.Add(data)
		}
	}
	files, err := filepath.Glob("testdata/*.jpg")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if c, err := jpeg.DecodeConfig(bytes.NewReader(data)); err == nil && c.Width*c.Height > 1<<20 {
			t.Skip("too large to be quick")
		}
		compare(t, data)
	})
}

func BenchmarkDecode(b *testing.B) {
	name := os.Getenv("DAL_BENCH_PHOTO")
	if name == "" {
		name = "testdata/420.jpg"
	}
	data, err := os.ReadFile(name)
	if err != nil {
		b.Fatal(err)
	}
	c, err := jpeg.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		b.Fatal(err)
	}
	b.Run("ours", func(b *testing.B) {
		b.SetBytes(int64(c.Width * c.Height))
		for b.Loop() {
			if _, ok := Decode(bytes.NewReader(data)); !ok {
				b.Fatal("left to image/jpeg")
			}
		}
	})
	b.Run("image jpeg", func(b *testing.B) {
		b.SetBytes(int64(c.Width * c.Height))
		for b.Loop() {
			if _, err := jpeg.Decode(bytes.NewReader(data)); err != nil {
				b.Fatal(err)
			}
		}
	})
}
