package media

import (
	"cmp"
	"slices"
)

// Text detection looks for spots that are much darker or lighter than their surroundings:
// letters are spots of similar size, side by side. The thresholds were tuned on photographs with
// and without text.
const (
	likelySide     = 1200 // pixels on the longest side of the examined picture
	likelyWindow   = 12   // pixels on each side that count as surroundings
	likelyContrast = 28
	likelyLetters  = 10 // in rows of likelyRow or more
	likelyRow      = 5
	maxSpots       = 60_000 // per picture
	letterLow      = 7      // height of a letter in pixels
	letterHigh     = 160
)

// likelyText reports whether a picture probably contains text.
func likelyText(pix []byte, w, h, stride int) bool {
	if min(w, h) < 2*letterLow {
		return false
	}
	around := means(pix, w, h, stride)
	mask := make([]bool, w*h)
	for _, dark := range []bool{true, false} {
		for y := range h {
			for x := range w {
				d := int(around[y*w+x]) - int(pix[y*stride+x])
				mask[y*w+x] = dark && d > likelyContrast || !dark && -d > likelyContrast
			}
		}
		if inRows(spots(mask, w, h)) >= likelyLetters {
			return true
		}
	}
	return false
}

// means returns the mean of the pixels around each pixel.
func means(pix []byte, w, h, stride int) []uint8 {
	sums := make([]uint32, (w+1)*(h+1)) // integral image: sum of all pixels above and to the left
	for y := range h {
		row := uint32(0)
		for x := range w {
			row += uint32(pix[y*stride+x])
			sums[(y+1)*(w+1)+x+1] = sums[y*(w+1)+x+1] + row
		}
	}
	out := make([]uint8, w*h)
	for y := range h {
		top, bottom := max(y-likelyWindow, 0), min(y+likelyWindow+1, h)
		for x := range w {
			left, right := max(x-likelyWindow, 0), min(x+likelyWindow+1, w)
			sum := sums[bottom*(w+1)+right] - sums[top*(w+1)+right] - sums[bottom*(w+1)+left] + sums[top*(w+1)+left]
			out[y*w+x] = uint8(sum / uint32((bottom-top)*(right-left)))
		}
	}
	return out
}

// spot is a connected region of a mask: its bounding box, and the number of its pixels.
type spot struct{ left, top, right, bottom, pixels int }

func (s spot) width() int  { return s.right - s.left }
func (s spot) height() int { return s.bottom - s.top }

// isLetter reports whether a spot may be a letter.
func (s spot) isLetter() bool {
	w, h := s.width(), s.height()
	area := w * h
	return h >= letterLow && h <= letterHigh && w >= 2 && w <= 2*h && 10*s.pixels >= 2*area && 20*s.pixels <= 17*area
}

// spots returns the regions of a mask that may be letters, and clears the mask.
func spots(mask []bool, w, h int) (list []spot) {
	var open []int
	for start, set := range mask {
		if !set || len(list) == maxSpots {
			continue
		}
		s := spot{left: w, top: h}
		mask[start] = false
		open = append(open[:0], start)
		for len(open) > 0 {
			at := open[len(open)-1]
			open = open[:len(open)-1]
			x, y := at%w, at/w
			s.pixels++
			s.left, s.top, s.right, s.bottom = min(s.left, x), min(s.top, y), max(s.right, x+1), max(s.bottom, y+1)
			for ny := max(y-1, 0); ny <= min(y+1, h-1); ny++ {
				for nx := max(x-1, 0); nx <= min(x+1, w-1); nx++ {
					if next := ny*w + nx; mask[next] {
						mask[next] = false
						open = append(open, next)
					}
				}
			}
		}
		if s.isLetter() {
			list = append(list, s)
		}
	}
	return list
}

// inRows returns how many spots form rows like letters do, horizontally or vertically.
func inRows(list []spot) int {
	level := rowsOf(list)
	for i, s := range list {
		list[i] = spot{s.top, s.left, s.bottom, s.right, s.pixels}
	}
	return max(level, rowsOf(list))
}

// rowsOf returns how many spots belong to sufficiently long rows.
func rowsOf(list []spot) (count int) {
	slices.SortFunc(list, func(a, b spot) int { return cmp.Compare(a.left, b.left) })
	length := make([]int, len(list)) // length of the row that ends with this spot
	last := make([]bool, len(list))
	for i, s := range list {
		best := -1
		for j := i - 1; j >= 0 && s.left-list[j].left <= 4*letterHigh && i-j <= 400; j-- {
			if beside(list[j], s) && (best < 0 || list[j].right > list[best].right) {
				best = j
			}
		}
		length[i], last[i] = 1, true
		if best >= 0 {
			length[i], last[best] = length[best]+1, false
		}
	}
	for i, n := range length {
		if last[i] && n >= likelyRow {
			count += n
		}
	}
	return count
}

// beside reports whether b may be the letter after a: both have a similar height and the same
// baseline or top, and are as close as letters are.
func beside(a, b spot) bool {
	high, low := max(a.height(), b.height()), min(a.height(), b.height())
	gap := b.left - a.right
	if high > 2*low || gap < -1 || 10*gap > 7*high {
		return false
	}
	return 8*abs(a.bottom-b.bottom) <= high || 8*abs(a.top-b.top) <= high && 3*abs(a.bottom-b.bottom) <= high
}

func abs(n int) int { return max(n, -n) }
