package tesseract

import "image"

// How the light on a page is found: in each cell of the picture most of what is light is paper.
const (
	lightCell   = 64   // pixels of the side of a cell
	lightPaper  = 0.75 // of the pixels of a cell are as dark as the paper, or darker
	lightLeast  = 80   // levels of the darkest paper; what is darker may be no paper
	lightUneven = 32   // levels between dark and light paper that are worth mending
	lightEdge   = 24   // levels between two cells side by side where the paper ends
	lightEdges  = 0.1  // of all cells that may lie on such an edge
	lightOut    = 0.02 // of all cells that do not count, at each end
)

// evenLight returns a picture of a page that lies partly in the shadow as if it were lit evenly:
// Tesseract tells ink from paper by one level for the whole page, and takes a shadow for ink. Any
// other picture is returned as it is.
func evenLight(p *image.Gray) *image.Gray {
	cols, rows := (p.Rect.Dx()+lightCell-1)/lightCell, (p.Rect.Dy()+lightCell-1)/lightCell
	paper := make([]int, cols*rows)
	var levels [256]int // how many cells have which paper
	edges := 0
	for i := range paper {
		x, y := i%cols, i/cols
		paper[i] = paperOf(p, image.Rect(x*lightCell, y*lightCell, (x+1)*lightCell, (y+1)*lightCell).Intersect(p.Rect))
		levels[paper[i]]++
		if x > 0 && apart(paper[i], paper[i-1]) || y > 0 && apart(paper[i], paper[i-cols]) {
			edges++
		}
	}
	least, most := levelAt(levels[:], lightOut), levelAt(levels[:], 1-lightOut)
	if least < lightLeast || most-least < lightUneven || float64(edges) > lightEdges*float64(len(paper)) {
		return p
	}
	out := image.NewGray(p.Rect)
	for y := range p.Rect.Dy() {
		top, down := between(y, rows)
		for x := range p.Rect.Dx() {
			left, right := between(x, cols)
			at, next := top*cols+left, min(left+1, cols-1)-left
			under := (min(top+1, rows-1) - top) * cols
			above := paper[at]*(lightCell-right) + paper[at+next]*right
			below := paper[at+under]*(lightCell-right) + paper[at+under+next]*right
			here := max((above*(lightCell-down)+below*down)/(lightCell*lightCell), 1)
			out.Pix[y*out.Stride+x] = uint8(min(int(p.Pix[y*p.Stride+x])*most/here, 255))
		}
	}
	return out
}

func apart(a, b int) bool { return a-b > lightEdge || b-a > lightEdge }

// between returns the cell whose centre is before a pixel, of n in a row, and how far it is beyond
// that centre.
func between(at, n int) (cell, beyond int) {
	at = max(at-lightCell/2, 0)
	if cell = at / lightCell; cell >= n-1 {
		return n - 1, 0
	}
	return cell, at % lightCell
}

// paperOf returns the level of the paper in a part of a picture.
func paperOf(p *image.Gray, part image.Rectangle) int {
	var levels [256]int
	for y := part.Min.Y; y < part.Max.Y; y++ {
		for _, v := range p.Pix[y*p.Stride+part.Min.X : y*p.Stride+part.Max.X] {
			levels[v]++
		}
	}
	return levelAt(levels[:], lightPaper)
}

// levelAt returns the level up to which a share of what was counted is.
func levelAt(levels []int, share float64) int {
	total := 0
	for _, n := range levels {
		total += n
	}
	left := int(share * float64(total))
	for v, n := range levels {
		if left -= n; left < 0 {
			return v
		}
	}
	return len(levels) - 1
}
