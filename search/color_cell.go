package search

import (
	"math"
	"sync"
)

// All colours are in cells: cubes of sRGB with cellSide values a side. Most of them
// are too far from a colour for any of theirs to be near, which is known from a few
// points of each.
const (
	cellSide = 8
	perSide  = 256 / cellSide
)

// cellOf returns the cell of a colour.
func cellOf(rgb uint32) uint32 {
	r, g, b := rgb>>16&0xff/cellSide, rgb>>8&0xff/cellSide, rgb&0xff/cellSide
	return (r*perSide+g)*perSide + b
}

// cellCorners are the corners of all cells as CIELAB, each once: perSide+1 a side.
var cellCorners = sync.OnceValue(func() []shade {
	const n = perSide + 1
	list := make([]shade, 0, n*n*n)
	at := func(i int) uint8 { return uint8(min(i*cellSide, 255)) }
	for r := range n {
		for g := range n {
			for b := range n {
				list = append(list, toLab(at(r), at(g), at(b)))
			}
		}
	}
	return list
})

// mostLight is by how much CIEDE2000 weighs a difference in lightness down at most:
// 1 + 0.015·50²/√(20+50²).
const mostLight = 1.747

// cellMargin is how much nearer to a colour than all corners of its cell a colour
// can be, and more: see TestCellsLeaveNothingOut.
const cellMargin = 6

// cellsNear returns which cells may have colours within a distance of one.
func cellsNear(want shade, distance float64) []bool {
	const n = perSide + 1
	near := make([]bool, n*n*n)
	for i, corner := range cellCorners() {
		light := math.Abs(float64(corner.l-want.l)) / mostLight
		near[i] = light <= distance+cellMargin && ciede2000(want, corner) <= distance+cellMargin
	}
	cells := make([]bool, perSide*perSide*perSide)
	for i := range cells {
		r, g, b := i/(perSide*perSide), i/perSide%perSide, i%perSide
		corner := (r*n+g)*n + b
		for _, step := range []int{0, 1, n, n + 1, n * n, n*n + 1, n*n + n, n*n + n + 1} {
			cells[i] = cells[i] || near[corner+step]
		}
	}
	return cells
}
