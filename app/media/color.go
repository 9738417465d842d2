package media

import (
	"fmt"
	"image"
	"math"
	"slices"

	"github.com/digital-asset-library/dal/app/dam"
)

// maxColors is how many dominant colours a picture has at most.
const maxColors = 5

// lab is a colour in Oklab (https://bottosson.github.io/posts/oklab/): distances
// in it are close to those seen.
type lab [3]float64

func toLab(r, g, b uint8) lab {
	lr, lg, lb := sRGBLinear(float64(r)/255), sRGBLinear(float64(g)/255), sRGBLinear(float64(b)/255)
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

// dominantColors groups the pixels of a small picture by k-means in Oklab. The
// seeds are the mean and then, one by one, the pixel farthest from all seeds, so
// the same picture always has the same colours.
func dominantColors(pic *image.RGBA) []dam.Color {
	var pixels []lab
	for i := 0; i+3 < len(pic.Pix); i += 4 {
		pixels = append(pixels, toLab(pic.Pix[i], pic.Pix[i+1], pic.Pix[i+2]))
	}
	centers := seeds(pixels)
	counts := make([]int, len(centers))
	for range 12 {
		sums := make([]lab, len(centers))
		clear(counts)
		for _, p := range pixels {
			k := nearest(centers, p)
			counts[k]++
			for c := range 3 {
				sums[k][c] += p[c]
			}
		}
		for k, n := range counts {
			for c := range 3 {
				if n > 0 {
					centers[k][c] = sums[k][c] / float64(n)
				}
			}
		}
	}
	var colors []dam.Color
	for k, n := range counts {
		share := math.Round(1000*float64(n)/float64(len(pixels))) / 1000
		if share > 0 {
			r, g, b := centers[k].rgb()
			colors = append(colors, dam.Color{Hex: fmt.Sprintf("#%02x%02x%02x", r, g, b), Share: share})
		}
	}
	slices.SortStableFunc(colors, func(a, b dam.Color) int {
		switch {
		case a.Share > b.Share:
			return -1
		case a.Share < b.Share:
			return 1
		}
		return 0
	})
	return colors
}

// seeds chooses up to maxColors centers, fewer when the pixels differ little.
func seeds(pixels []lab) []lab {
	var mean lab
	for _, p := range pixels {
		for c := range 3 {
			mean[c] += p[c] / float64(len(pixels))
		}
	}
	const sameColor = 0.05 * 0.05 // in Oklab, squared
	centers := []lab{mean}
	for len(centers) < maxColors {
		var far lab
		best := sameColor
		for _, p := range pixels {
			if d := p.distance2(centers[nearest(centers, p)]); d > best {
				far, best = p, d
			}
		}
		if best == sameColor {
			break
		}
		centers = append(centers, far)
	}
	return centers
}

func nearest(centers []lab, p lab) (k int) {
	best := math.Inf(1)
	for i, c := range centers {
		if d := p.distance2(c); d < best {
			k, best = i, d
		}
	}
	return k
}
