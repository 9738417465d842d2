package media

import (
	"image"
	"math"
	"slices"

	xdraw "golang.org/x/image/draw"
)

// thumbHash makes the ThumbHash of an opaque picture of up to 100 × 100 pixels.
// Source of the format: https://evanw.github.io/thumbhash/
func thumbHash(pic *image.RGBA) []byte {
	w, h := pic.Rect.Dx(), pic.Rect.Dy()
	l, p, q := make([]float64, w*h), make([]float64, w*h), make([]float64, w*h)
	for i := range l {
		px := pic.Pix[pic.PixOffset(i%w, i/w):]
		r, g, b := float64(px[0])/255, float64(px[1])/255, float64(px[2])/255
		l[i], p[i], q[i] = (r+g+b)/3, (r+g)/2-b, r-g
	}
	const detail = 7 // frequencies along the longer side
	lx := max(1, int(math.Round(float64(detail*w)/float64(max(w, h)))))
	ly := max(1, int(math.Round(float64(detail*h)/float64(max(w, h)))))
	ldc, lac, lscale := cosines(l, w, h, max(3, lx), max(3, ly))
	pdc, pac, pscale := cosines(p, w, h, 3, 3)
	qdc, qac, qscale := cosines(q, w, h, 3, 3)

	round := func(v float64) uint32 { return uint32(math.Round(v)) }
	head := round(63*ldc) | round(31.5+31.5*pdc)<<6 | round(31.5+31.5*qdc)<<12 | round(31*lscale)<<18
	tail := round(63*pscale)<<3 | round(63*qscale)<<9
	if w > h {
		tail |= uint32(ly) | 1<<15
	} else {
		tail |= uint32(lx)
	}
	hash := []byte{byte(head), byte(head >> 8), byte(head >> 16), byte(tail), byte(tail >> 8)}
	for i, v := range slices.Concat(lac, pac, qac) {
		if i%2 == 0 {
			hash = append(hash, byte(round(15*v)))
		} else {
			hash[len(hash)-1] |= byte(round(15*v)) << 4
		}
	}
	return hash
}

// cosines returns the mean of a channel, the strengths of its low frequencies
// scaled to 0…1, and the scale.
func cosines(channel []float64, w, h, nx, ny int) (dc float64, ac []float64, scale float64) {
	fx := make([]float64, w)
	for cy := range ny {
		for cx := 0; cx*ny < nx*(ny-cy); cx++ {
			for x := range w {
				fx[x] = math.Cos(math.Pi / float64(w) * float64(cx) * (float64(x) + 0.5))
			}
			var f float64
			for y := range h {
				fy := math.Cos(math.Pi / float64(h) * float64(cy) * (float64(y) + 0.5))
				for x := range w {
					f += channel[x+y*w] * fx[x] * fy
				}
			}
			f /= float64(w * h)
			if cx == 0 && cy == 0 {
				dc = f
				continue
			}
			ac = append(ac, f)
			scale = max(scale, math.Abs(f))
		}
	}
	if scale > 0 {
		for i := range ac {
			ac[i] = 0.5 + 0.5/scale*ac[i]
		}
	}
	return dc, ac, scale
}

// perceptualHash returns 64 bits that differ little between pictures that look
// alike: which of the 8 × 8 lowest frequencies of its brightness are above
// their median. Source: http://www.phash.org/docs/pubs/thesis_zauner.pdf
// section 3.2.1.
func perceptualHash(pic *image.RGBA) uint64 {
	const size, low = 32, 8
	small := image.NewRGBA(image.Rect(0, 0, size, size))
	xdraw.CatmullRom.Scale(small, small.Rect, pic, pic.Rect, xdraw.Src, nil)
	var cos [low][size]float64
	for u := range low {
		for x := range size {
			cos[u][x] = math.Cos(math.Pi / size * float64(u) * (float64(x) + 0.5))
		}
	}
	var rows [low][size]float64 // frequencies along x, for each y
	for y := range size {
		for x := range size {
			p := small.Pix[small.PixOffset(x, y):]
			v := 0.299*float64(p[0]) + 0.587*float64(p[1]) + 0.114*float64(p[2])
			for u := range low {
				rows[u][y] += v * cos[u][x]
			}
		}
	}
	var freq [low * low]float64
	for v := range low {
		for u := range low {
			for y := range size {
				freq[v*low+u] += rows[u][y] * cos[v][y]
			}
		}
	}
	sorted := slices.Sorted(slices.Values(freq[1:])) // without the mean brightness
	median := sorted[len(sorted)/2]
	var hash uint64
	for i, f := range freq[1:] {
		if f > median {
			hash |= 1 << i
		}
	}
	return hash
}
