package search

import (
	"math"
	"sync"
)

// The sRGB cube is divided into cells with cellSide values per side. Most cells are too
// far from a colour to contain a near one, which a few points of each can prove.
const (
	cellSide = 8
	perSide  = 256 / cellSide
)

// cellOf returns the cell of a colour.
func cellOf(rgb uint32) uint32 {
	r, g, b := rgb>>16&0xff/cellSide, rgb>>8&0xff/cellSide, rgb&0xff/cellSide
	return (r*perSide+g)*perSide + b
}

// cellCorners contains the corners of all cells in CIELAB, each once: perSide+1 per side.
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

// mostLight is the maximum of lightWeight: 1 + 0.015·50²/√(20+50²).
const mostLight = 1.747

// cellSizes contains the approximate maximum difference between colours of each cell,
// measured along its diagonals.
var cellSizes = sync.OnceValue(func() []float64 {
	corners, list := cellCorners(), make([]float64, perSide*perSide*perSide)
	for i := range list {
		at := cornersOf(i)
		for c := range 4 {
			list[i] = max(list[i], ciede2000(corners[at[c]], corners[at[7-c]]))
		}
	}
	return list
})

// cornersOf returns the indexes in cellCorners of a cell's corners, with opposite corners
// at opposite ends of the list.
func cornersOf(cell int) [8]int {
	const n = perSide + 1
	first := (cell/(perSide*perSide)*n+cell/perSide%perSide)*n + cell%perSide
	return [8]int{first, first + 1, first + n, first + n + 1, first + n*n, first + n*n + 1, first + n*n + n, first + n*n + n + 1}
}

// cellMargin bounds, with some reserve, how much nearer to a given colour than all
// corners of its cell a colour can be, as a multiple of the size of the cell. See
// TestCellsLeaveNothingOut.
const cellMargin = 0.9

// cellsNear returns the cells that may contain colours within a distance of a given one.
func cellsNear(want shade, distance float64) []bool {
	const far = math.MaxFloat64
	corners, sizes := cellCorners(), cellSizes()
	away := make([]float64, len(corners))
	for i, c := range corners {
		away[i] = far
		if math.Abs(float64(c.l-want.l))/mostLight <= distance+maxCellSize {
			away[i] = ciede2000(want, c)
		}
	}
	cells := make([]bool, len(sizes))
	for i, size := range sizes {
		least := far
		for _, corner := range cornersOf(i) {
			least = min(least, away[corner])
		}
		cells[i] = least <= distance+cellMargin*size
	}
	return cells
}

// maxCellSize is larger than all cellSizes.
const maxCellSize = 20
