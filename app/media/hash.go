package media

import (
	"image"
	"math"
	"slices"
)

// thumbHash computes the ThumbHash of an opaque picture of up to 100 × 100 pixels. Source
// of the format: https://evanw.github.io/thumbhash/
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
	fx, fy := waves(w, max(3, lx)), waves(h, max(3, ly))
	ldc, lac, lscale := strengths(l, fx, fy)
	pdc, pac, pscale := strengths(p, fx[:3], fy[:3])
	qdc, qac, qscale := strengths(q, fx[:3], fy[:3])

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

// waves returns the n lowest-frequency cosines, sampled at the given number of points.
func waves(samples, n int) [][]float64 {
	out := make([][]float64, n)
	for f := range out {
		out[f] = make([]float64, samples)
		for x := range samples {
			out[f][x] = math.Cos(math.Pi / float64(samples) * float64(f) * (float64(x) + 0.5))
		}
	}
	return out
}

// spectrum returns the strength of each pair of waves in a channel, vertical frequencies
// first. It transforms each row once per horizontal wave.
func spectrum(channel []float64, fx, fy [][]float64) [][]float64 {
	w := len(fx[0])
	out := make([][]float64, len(fy))
	for v := range out {
		out[v] = make([]float64, len(fx))
	}
	for y := range fy[0] {
		row := channel[y*w:][:w]
		for u, wave := range fx {
			var sum float64
			for x, v := range row {
				sum += v * wave[x]
			}
			for v := range fy {
				out[v][u] += sum * fy[v][y]
			}
		}
	}
	return out
}

// strengths returns the mean of a channel, the strengths of its low frequencies scaled to
// 0…1, and the scale.
func strengths(channel []float64, fx, fy [][]float64) (dc float64, ac []float64, scale float64) {
	all := spectrum(channel, fx, fy)
	nx, ny := len(fx), len(fy)
	for v := range ny {
		for u := 0; u*ny < nx*(ny-v); u++ {
			f := all[v][u] / float64(len(channel))
			if u == 0 && v == 0 {
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

// hashSize is the side of the brightness grid from which perceptualHash is computed.
const hashSize = 32

// perceptualHash returns a 64-bit hash that differs in few bits between pictures that look
// alike: it records which of the 8 × 8 lowest frequencies of the brightness, sampled at 32
// × 32 pixels, are above their median. Source:
// http://www.phash.org/docs/pubs/thesis_zauner.pdf section 3.2.1.
func perceptualHash(brightness []byte) uint64 {
	const low = 8
	channel := make([]float64, hashSize*hashSize)
	for i, v := range brightness {
		channel[i] = float64(v)
	}
	f := waves(hashSize, low)
	freq := slices.Concat(spectrum(channel, f, f)...)
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
