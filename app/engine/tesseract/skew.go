package tesseract

import (
	"image"
	"math"
)

// The slope of lines is the angle at which the rows of a picture differ most, because rows
// with letters and rows between lines then alternate (W. Postl, Detection of linear oblique
// structures and skew scan in digitized documents, 1986).
const (
	skewSide   = 1000                 // longest side of the measured picture, in pixels
	skewMost   = 12.0                 // degrees
	skewCoarse = 0.5                  // step in degrees
	skewFine   = 0.1                  // step in degrees close to the best angle
	skewGain   = 1.15                 // minimum ratio of the difference to that without a rotation
	skewLeast  = 0.25 * math.Pi / 180 // radians: lines with a smaller slope are read without a rotation
	skewPoints = 200                  // minimum number of dark pixels for a result
)

// skewOf returns the clockwise rotation in radians that levels the lines of text in a
// picture, 0 if they are level or it finds none.
func skewOf(p *image.Gray) float64 {
	small := reduced(p, skewSide)
	points := dark(small)
	if len(points) < skewPoints {
		return 0
	}
	rows := make([]int32, small.Rect.Dy()+small.Rect.Dx()+2)
	level := difference(points, rows, small.Rect.Dx(), 0)
	best, angle := level, 0.0
	try := func(degrees float64) {
		if d := difference(points, rows, small.Rect.Dx(), degrees*math.Pi/180); d > best {
			best, angle = d, degrees
		}
	}
	for d := skewCoarse; d <= skewMost; d += skewCoarse {
		try(d)
		try(-d)
	}
	around := angle
	for d := skewFine; d < skewCoarse; d += skewFine {
		try(around + d)
		try(around - d)
	}
	if radians := angle * math.Pi / 180; math.Abs(radians) >= skewLeast && best > skewGain*level {
		return radians
	}
	return 0
}

// dark returns the pixels of letters: those that are much darker than their surroundings or
// those that are much lighter, whichever are fewer.
func dark(p *image.Gray) []image.Point {
	const cell, contrast = 25, 24
	w, h := p.Rect.Dx(), p.Rect.Dy()
	var darker, lighter []image.Point
	for top := 0; top < h; top += cell {
		for left := 0; left < w; left += cell {
			right, bottom, sum := min(left+cell, w), min(top+cell, h), 0
			for y := top; y < bottom; y++ {
				for _, v := range p.Pix[y*p.Stride+left : y*p.Stride+right] {
					sum += int(v)
				}
			}
			mean := sum / ((right - left) * (bottom - top))
			for y := top; y < bottom; y++ {
				for x := left; x < right; x++ {
					switch v := int(p.Pix[y*p.Stride+x]); {
					case v < mean-contrast:
						darker = append(darker, image.Pt(x, y))
					case v > mean+contrast:
						lighter = append(lighter, image.Pt(x, y))
					}
				}
			}
		}
	}
	if len(lighter) < len(darker) && len(lighter) >= skewPoints {
		return lighter
	}
	return darker
}

// difference returns the difference of adjacent rows of points after a clockwise rotation.
func difference(points []image.Point, rows []int32, width int, angle float64) float64 {
	clear(rows)
	sin, cos := math.Sincos(angle)
	shift := 0.0 // keeps all row numbers non-negative
	if sin < 0 {
		shift = -sin * float64(width)
	}
	for _, p := range points {
		rows[int(float64(p.X)*sin+float64(p.Y)*cos+shift)]++
	}
	total := 0.0
	for i := 1; i < len(rows); i++ {
		d := float64(rows[i] - rows[i-1])
		total += d * d
	}
	return total
}
