package planar

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"math/rand/v2"
	"runtime"
	"testing"
)

// noise returns a plane with a pattern and noise.
func noise(w, h int) Plane {
	p := newPlane(w, h)
	r := rand.New(rand.NewPCG(1, uint64(w*h)))
	for y := range h {
		for x := range w {
			p.Pix[y*w+x] = uint8(128 + 60*((x/9+y/7)%2) + r.IntN(60) - 30)
		}
	}
	return p
}

// random returns a plane of random bytes.
func random(w, h int) Plane {
	p := newPlane(w, h)
	r := rand.New(rand.NewPCG(2, uint64(w*h)))
	for i := range p.Pix {
		p.Pix[i] = uint8(r.Uint32())
	}
	return p
}

// even returns a plane of a single value.
func even(w, h int, v uint8) Plane {
	p := newPlane(w, h)
	for i := range p.Pix {
		p.Pix[i] = v
	}
	return p
}

// The kernels and their Go versions compute the same numbers for any input.
func TestSumsAreTheSame(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	for _, w := range []int{1, 15, 16, 17, 63, 64, 65, 79, 161} {
		for _, p := range []Plane{noise(w, 40), random(w, 40), even(w, 40, 0), even(w, 40, 255)} {
			for taps := 1; taps <= 36; taps++ {
				weights := make([]int16, taps)
				sum := 0
				for i := range weights { // larger than those of any filter
					weights[i] = int16(r.IntN(1<<15) - 1<<13)
					sum += int(weights[i])
				}
				weights[0] = int16(max(min(1<<weightBits-sum+int(weights[0]), 32767), -32768))
				got, want := make([]byte, w), make([]byte, w)
				from := p.Pix[(40-taps)*p.Stride:]
				weightedSum(got, from, p.Stride, weights)
				weightedSumGo(want, from, p.Stride, weights)
				if !bytes.Equal(got, want) {
					t.Fatalf("%d columns of %d rows times %v differ", w, taps, weights)
				}
			}
		}
	}
}

func TestTransformsAreTheSame(t *testing.T) {
	t.Parallel()
	for quality := 1; quality <= 100; quality += 9 {
		var e encoder
		e.quantize(quality)
		for _, p := range []Plane{noise(64, 64), random(64, 64), even(64, 64, 255), even(64, 64, 0)} {
			for i := range 56 * 8 {
				var got, want [64]int16
				from := p.Pix[i%56*64+i/56*7:]
				m, n := transform(&got, from, 64, &e.scale[i%2]), transformGo(&want, from, 64, &e.scale[i%2])
				if got != want || m != n {
					t.Fatalf("block %d: %x %v\n%x %v", i, m, got, n, want)
				}
			}
		}
	}
}

func TestTranspose(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{1, 1}, {8, 8}, {17, 9}, {70, 133}} {
		p := noise(size[0], size[1])
		q := transpose(p)
		for y := range p.H {
			for x := range p.W {
				if q.row(x)[y] != p.row(y)[x] {
					t.Fatal(size, x, y)
				}
			}
		}
	}
}

// image/jpeg decodes the encoder's output to nearly the original.
func TestEncode(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{1, 1}, {16, 16}, {37, 21}, {200, 333}, {1, 1600}, {1600, 3}} {
		w, h := size[0], size[1]
		cw, ch := (w+1)/2, (h+1)/2
		for _, p := range []*Picture{
			{noise(w, h), even(cw, ch, 90), even(cw, ch, 170), 2, 2},
			{Y: noise(w, h), across: 1, down: 1},
		} {
			img, err := jpeg.Decode(bytes.NewReader(p.Encode(95)))
			if err != nil {
				t.Fatal(size, err)
			}
			q, _ := Of(img)
			if q == nil || q.grey() != p.grey() || q.Y.W != w || q.Y.H != h {
				t.Fatalf("%v: %T of %v", size, img, img.Bounds())
			}
			for y := range h {
				for x := range w {
					if d := int(p.Y.row(y)[x]) - int(q.Y.row(y)[x]); d < -20 || d > 20 {
						t.Fatalf("%v: pixel %d, %d is off by %d", size, x, y, d)
					}
				}
			}
			if !p.grey() && (q.Cb.Pix[0] < 88 || q.Cb.Pix[0] > 92 || q.Cr.Pix[0] < 168 || q.Cr.Pix[0] > 172) {
				t.Error("colours", q.Cb.Pix[0], q.Cr.Pix[0])
			}
		}
	}
}

// Flat areas stay flat, at any scale and in any shape.
func TestFlat(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{1, 1}, {1, 20_000}, {20_000, 1}, {20_000, 3}, {1601, 900}, {13_000, 40}, {2, 5000}} {
		w, h := size[0], size[1]
		for _, sub := range [][2]int{{1, 1}, {2, 1}, {2, 2}, {1, 2}, {4, 1}, {4, 2}} {
			cw, ch := (w+sub[0]-1)/sub[0], (h+sub[1]-1)/sub[1]
			p := &Picture{even(w, h, 200), even(cw, ch, 30), even(cw, ch, 77), sub[0], sub[1]}
			for _, orientation := range []int{1, 3, 6} {
				q := p.Fit(1600, orientation)
				for i, c := range []struct {
					p    Plane
					want uint8
				}{{q.Y, 200}, {q.Cb, 30}, {q.Cr, 77}} {
					if max(c.p.W, c.p.H) > 1600 || len(c.p.packed()) == 0 || bytes.Trim(c.p.packed(), string([]byte{c.want})) != nil {
						t.Fatalf("%v, %v, orientation %d: plane %d of %d × %d is not flat", size, sub, orientation, i, c.p.W, c.p.H)
					}
				}
			}
		}
	}
}

// In a picture with odd sides, each pixel keeps its colour and brightness aligned in every
// orientation.
func TestTurnsKeepColours(t *testing.T) {
	t.Parallel()
	img := image.NewRGBA(image.Rect(0, 0, 41, 27))
	for y := range 27 {
		for x := range 41 {
			c := color.RGBA{uint8(40 + 4*x), uint8(200 - 5*y), uint8(60 + 2*x + 2*y), 255}
			img.SetRGBA(x, y, c)
		}
	}
	stored := OfRGBA(img)
	for orientation := 1; orientation <= 8; orientation++ {
		tn := turnOf(orientation)
		got := stored.Fit(100, orientation).RGBA()
		for y := range got.Rect.Dy() {
			for x := range got.Rect.Dx() {
				sx, sy := x, y
				if tn.mirror {
					sx = got.Rect.Dx() - 1 - x
				}
				if tn.flip {
					sy = got.Rect.Dy() - 1 - y
				}
				if tn.transpose {
					sx, sy = sy, sx
				}
				a, b := got.RGBAAt(x, y), img.RGBAAt(sx, sy)
				d := func(a, b uint8) int { return max(int(a)-int(b), int(b)-int(a)) }
				if d(a.R, b.R) > 6 || d(a.G, b.G) > 6 || d(a.B, b.B) > 6 {
					t.Fatalf("orientation %d at %d, %d: %v, want %v", orientation, x, y, a, b)
				}
			}
		}
	}
}

// Scaling allocates no more memory than estimated, and not much less.
func TestCost(t *testing.T) {
	for _, size := range [][2]int{
		{300, 200}, {1600, 1200}, {1601, 1600}, {4000, 3000}, {3000, 4000}, {12_000, 900},
		{16_000, 2000}, {2000, 16_000}, {1, 60_000}, {60_000, 1},
	} {
		w, h := size[0], size[1]
		img := image.NewYCbCr(image.Rect(0, 0, w, h), image.YCbCrSubsampleRatio444)
		p, _ := Of(img)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		p.Fit(1600, 5)
		runtime.ReadMemStats(&after)
		took, taken := int64(after.TotalAlloc-before.TotalAlloc), Cost(w, h, 1600)
		if took > taken || taken > 2*took+64<<10 {
			t.Errorf("%v: %d bytes, taken for %d", size, took, taken)
		}
	}
}

// image/jpeg decodes the encoder's output for any planes.
func FuzzEncode(f *testing.F) {
	f.Add(uint8(1), uint8(1), uint8(82), uint8(1), []byte{0})
	f.Add(uint8(37), uint8(21), uint8(100), uint8(6), []byte{0, 255})
	f.Add(uint8(16), uint8(200), uint8(1), uint8(8), []byte("abcdefghijk"))
	f.Fuzz(func(t *testing.T, w, h, quality, orientation uint8, data []byte) {
		img := image.NewYCbCr(image.Rect(0, 0, max(1, int(w)), max(1, int(h))), image.YCbCrSubsampleRatio(orientation%6))
		for i := range img.Y {
			if len(data) > 0 {
				img.Y[i] = data[i%len(data)]
			}
		}
		for i := range img.Cb {
			if len(data) > 0 {
				img.Cb[i], img.Cr[i] = data[(3*i)%len(data)], data[(5*i)%len(data)]
			}
		}
		p, ok := Of(img)
		if !ok {
			t.Fatal("its planes are not taken")
		}
		q := p.Fit(64, int(orientation%10))
		out, err := jpeg.Decode(bytes.NewReader(q.Encode(1 + int(quality)%100)))
		if err != nil || out.Bounds().Dx() != q.Y.W || out.Bounds().Dy() != q.Y.H {
			t.Fatal(err, out)
		}
	})
}

func BenchmarkPhoto(b *testing.B) {
	for _, mp := range []struct {
		w, h int
	}{{1920, 1280}, {4000, 3000}} {
		p := &Picture{noise(mp.w, mp.h), noise(mp.w/2, mp.h/2), noise(mp.w/2, mp.h/2), 2, 2}
		small := p.Fit(1600, 1)
		b.Run(fmt.Sprintf("fit %d×%d", mp.w, mp.h), func(b *testing.B) {
			for b.Loop() {
				p.Fit(1600, 1)
			}
		})
		b.Run(fmt.Sprintf("encode %d×%d", small.Y.W, small.Y.H), func(b *testing.B) {
			for b.Loop() {
				small.Encode(82)
			}
		})
	}
}
