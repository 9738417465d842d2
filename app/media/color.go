package media

import (
	"cmp"
	"fmt"
	"image"
	"math"
	"slices"
	"sync"

	"github.com/digital-asset-library/dal/app/dam"
)

// maxColors is the maximum number of dominant colours of a picture.
const maxColors = 5

// lab is a colour in Oklab (https://bottosson.github.io/posts/oklab/), where distances
// approximate perceived differences.
type lab [3]float64

// linear maps the byte value of a channel to linear light.
var linear = sync.OnceValue(func() *[256]float64 {
	t := new([256]float64)
	for v := range t {
		t[v] = sRGBLinear(float64(v) / 255)
	}
	return t
})

// toLab converts linear light to Oklab.
func toLab(lr, lg, lb float64) lab {
	l := math.Cbrt(0.4122214708*lr + 0.5363325363*lg + 0.0514459929*lb)
	m := math.Cbrt(0.2119034982*lr + 0.6806995451*lg + 0.1073969566*lb)
	s := math.Cbrt(0.0883024619*lr + 0.2817188376*lg + 0.6299787005*lb)
	return lab{
		0.2104542553*l + 0.7936177850*m - 0.0040720468*s,
		1.9779984951*l - 2.4285922050*m + 0.4505937099*s,
		0.0259040371*l + 0.7827717662*m - 0.8086757660*s,
	}
}

func (c lab) rgb() (r, g, b uint8) {
	l := c[0] + 0.3963377774*c[1] + 0.2158037573*c[2]
	m := c[0] - 0.1055613458*c[1] - 0.0638541728*c[2]
	s := c[0] - 0.0894841775*c[1] - 1.2914855480*c[2]
	l, m, s = l*l*l, m*m*m, s*s*s
	return sRGBByte(4.0767416621*l - 3.3077115913*m + 0.2309699292*s),
		sRGBByte(-1.2684380046*l + 2.6097574011*m - 0.3413193965*s),
		sRGBByte(-0.0041960863*l - 0.7034186147*m + 1.7076147010*s)
}

func (c lab) distance2(d lab) float64 {
	x, y, z := c[0]-d[0], c[1]-d[1], c[2]-d[2]
	return x*x + y*y + z*z
}

// sample is a group of pixels of nearly the same colour.
type sample struct {
	lab   lab     // mean of the pixels
	n     float64 // number of pixels
	group int     // index of the nearest center
	apart float64 // squared distance to that center
}

// samples merges the pixels of a picture that agree in the upper 4 bits of each channel,
// which leaves hundreds of samples instead of thousands.
func samples(pic *image.RGBA) []sample {
	type sum struct{ r, g, b, n float64 }
	var index [1 << 12]uint16
	var sums []sum
	light := linear()
	for i := 0; i+3 < len(pic.Pix); i += 4 {
		r, g, b := pic.Pix[i], pic.Pix[i+1], pic.Pix[i+2]
		k := &index[int(r>>4)<<8|int(g>>4)<<4|int(b>>4)]
		if *k == 0 {
			sums = append(sums, sum{})
			*k = uint16(len(sums))
		}
		s := &sums[*k-1]
		s.r, s.g, s.b, s.n = s.r+light[r], s.g+light[g], s.b+light[b], s.n+1
	}
	out := make([]sample, len(sums))
	for i, s := range sums {
		out[i] = sample{lab: toLab(s.r/s.n, s.g/s.n, s.b/s.n), n: s.n}
	}
	return out
}

// dominantColors clusters the pixels of a small picture by k-means in Oklab. The seeds are
// the mean, followed by the colour farthest from all previous seeds, so the result is
// deterministic.
func dominantColors(pic *image.RGBA) []dam.Color {
	points := samples(pic)
	centers := seeds(points)
	assign(points, centers)
	for range 12 {
		recenter(points, centers)
		if !assign(points, centers) {
			break
		}
	}
	counts, total := make([]float64, len(centers)), 0.0
	for _, p := range points {
		counts[p.group] += p.n
		total += p.n
	}
	var colors []dam.Color
	for k, n := range counts {
		share := math.Round(1000*n/total) / 1000
		if share > 0 {
			r, g, b := centers[k].rgb()
			colors = append(colors, dam.Color{Hex: fmt.Sprintf("#%02x%02x%02x", r, g, b), Share: share})
		}
	}
	slices.SortStableFunc(colors, func(a, b dam.Color) int { return cmp.Compare(b.Share, a.Share) })
	return colors
}

// seeds chooses up to maxColors centers; fewer if the colours differ little.
func seeds(points []sample) []lab {
	var mean lab
	var total float64
	for _, p := range points {
		total += p.n
		for c := range 3 {
			mean[c] += float64(p.lab[c] * p.n)
		}
	}
	for c := range 3 {
		mean[c] /= total
	}
	const sameColor = 0.05 * 0.05 // squared distance in Oklab
	centers := []lab{mean}
	for len(centers) < maxColors {
		assign(points, centers)
		far := slices.MaxFunc(points, func(a, b sample) int { return cmp.Compare(a.apart, b.apart) })
		if far.apart <= sameColor {
			break
		}
		centers = append(centers, far.lab)
	}
	return centers
}

// assign puts each colour into the group of its nearest center and reports whether any
// assignment changed.
func assign(points []sample, centers []lab) (changed bool) {
	for i := range points {
		p := &points[i]
		group := 0
		p.apart = math.Inf(1)
		for k, c := range centers {
			if d := p.lab.distance2(c); d < p.apart {
				group, p.apart = k, d
			}
		}
		changed = changed || group != p.group
		p.group = group
	}
	return changed
}

// recenter moves each center to the mean of its group.
func recenter(points []sample, centers []lab) {
	sums, counts := make([]lab, len(centers)), make([]float64, len(centers))
	for _, p := range points {
		counts[p.group] += p.n
		for c := range 3 {
			sums[p.group][c] += float64(p.lab[c] * p.n)
		}
	}
	for k, n := range counts {
		for c := range 3 {
			if n > 0 {
				centers[k][c] = sums[k][c] / n
			}
		}
	}
}
