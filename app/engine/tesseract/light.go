package tesseract

import "image"

// Illumination is detected by cells of the picture: most of the light pixels of a cell are
// paper.
const (
	lightCell   = 64   // side of a cell in pixels
	lightPaper  = 0.75 // fraction of a cell's pixels that are at most as light as the paper
	lightLeast  = 80   // level of the darkest paper; darker areas may not be paper
	lightUneven = 32   // minimum difference between dark and light paper for a correction
	lightEdge   = 24   // difference between adjacent cells at the edge of the paper
	lightEdges  = 0.1  // maximum fraction of cells at such an edge
	lightOut    = 0.02 // fraction of outliers at each end
)

// evenLight corrects the illumination of a page that is partly in the shadow. Tesseract
// separates ink from paper by a single threshold for the whole page, so it treats shadows
// as ink. It returns other pictures unchanged.
func evenLight(p *image.Gray) *image.Gray {
	cols, rows := (p.Rect.Dx()+lightCell-1)/lightCell, (p.Rect.Dy()+lightCell-1)/lightCell
	paper := make([]int, cols*rows)
	var levels [256]int // number of cells by paper level
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

// between returns the cell whose center precedes a pixel, of n in a row, and the distance
// of the pixel from that center.
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

// levelAt returns the quantile of a histogram.
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
