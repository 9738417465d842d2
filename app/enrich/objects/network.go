package objects

import (
	"slices"

	"github.com/digital-asset-library/dal/app/enrich/matrix"
)

// grid is the output of a layer: a value for each channel of each pixel. Pixels are stride
// values apart. It has room at its end for a whole block of rows of a product.
type grid struct {
	width, height, stride int
	v                     []float32
}

// scratch is the memory that one pass needs in addition to the weights.
type scratch struct {
	matrix.Kernels
	slots   [][]float32
	windows []float32 // input rows of a conv with a window
	columns []float32 // a panel of a matrix
}

func newScratch(k matrix.Kernels, net *network) *scratch {
	return &scratch{Kernels: k, slots: make([][]float32, net.slots)}
}

// grow returns a buffer of length n.
func grow(buf *[]float32, n int) []float32 {
	if len(*buf) < n {
		*buf = make([]float32, n)
	}
	return (*buf)[:n]
}

// rows returns the number of computed rows of a product with n rows.
func (s *scratch) rows(n int) int {
	block := s.Block()
	return (n + block - 1) / block * block
}

// run passes a picture through the network and calls found with the output of each scores
// layer, which refers to the scratch.
func (net *network) run(s *scratch, picture grid, found func(g grid, channels int)) {
	made := make([]grid, 1, len(net.layers)+1)
	made[0] = picture
	for i := range net.layers {
		l := &net.layers[i]
		from := made[l.from]
		var g grid
		switch l.kind {
		case conv:
			g = s.conv(l, from)
		case depthwise:
			g = s.depthwise(l, from)
		case sum:
			g = s.sum(l, from, made[l.and])
		}
		if l.clip {
			for i, v := range g.v {
				g.v[i] = min(max(v, 0), 6)
			}
		}
		if l.scores {
			found(g, l.out)
		}
		made = append(made, g)
	}
}

// result returns the buffer for the output of a layer.
func (s *scratch) result(l *layer, from grid) grid {
	g := grid{width: (from.width + l.stride - 1) / l.stride, height: (from.height + l.stride - 1) / l.stride, stride: padded(l.out)}
	g.v = grow(&s.slots[l.slot], s.rows(g.width*g.height)*g.stride)
	return g
}

// before returns the number of pixels of the first window that are outside the picture, on
// the left or above, with TensorFlow's padding "SAME".
func before(l *layer, in, out int) int { return max((out-1)*l.stride+l.size-in, 0) / 2 }

// bandRows is the approximate number of windows multiplied together.
const bandRows = 1024

func (s *scratch) conv(l *layer, from grid) grid {
	g := s.result(l, from)
	for i := 0; i < len(g.v); i += g.stride {
		copy(g.v[i:], l.bias)
	}
	pixels := g.width * g.height
	if l.size == 1 && l.stride == 1 {
		s.multiply(l, g, 0, from.v, from.stride, s.rows(pixels))
		return g
	}
	depth := l.size * l.size * l.in
	windows := grow(&s.windows, bandRows*depth)
	for done := 0; done < pixels; done += bandRows {
		n := min(bandRows, pixels-done)
		clear(windows)
		for i := range n {
			s.window(l, windows[i*depth:][:depth], from, g, (done+i)%g.width, (done+i)/g.width)
		}
		s.multiply(l, g, done, windows, depth, s.rows(n))
	}
	return g
}

// window copies the input pixels of one output pixel. It skips those outside the picture.
func (s *scratch) window(l *layer, dst []float32, from, to grid, x, y int) {
	left, top := x*l.stride-before(l, from.width, to.width), y*l.stride-before(l, from.height, to.height)
	for i := range l.size {
		for j := range l.size {
			if at, ok := from.at(left+j, top+i); ok {
				copy(dst[(i*l.size+j)*l.in:][:l.in], from.v[at:])
			}
		}
	}
}

// at returns the index of a pixel's values.
func (g *grid) at(x, y int) (int, bool) {
	return (y*g.width + x) * g.stride, x >= 0 && y >= 0 && x < g.width && y < g.height
}

// multiply adds the product of rows of values and the matrix of a layer to a result,
// starting at a pixel.
func (s *scratch) multiply(l *layer, g grid, pixel int, a []float32, stride, rows int) {
	size := 2 * matrix.Panel * l.size * l.size * l.in // bytes of a panel
	for from := 0; from < g.stride; from += matrix.Panel {
		panel := l.panels[from/matrix.Panel*size:][:size]
		dst := g.v[pixel*g.stride+from:]
		if s.Long {
			s.AddHalves(dst, g.stride, a, stride, rows, panel)
			continue
		}
		columns := grow(&s.columns, size/2)
		s.Expand(columns, panel)
		s.AddProduct(dst, g.stride, a, stride, rows, columns)
	}
}

func (s *scratch) depthwise(l *layer, from grid) grid {
	g := s.result(l, from)
	beforeX, beforeY := before(l, from.width, g.width), before(l, from.height, g.height)
	for y := range g.height {
		for x := range g.width {
			dst := g.v[(y*g.width+x)*g.stride:][:g.stride]
			copy(dst, l.bias)
			for i := range l.size {
				for j := range l.size {
					at, ok := from.at(x*l.stride-beforeX+j, y*l.stride-beforeY+i)
					if !ok {
						continue
					}
					src, weights := from.v[at:][:len(dst)], l.weights[(i*l.size+j)*g.stride:][:len(dst)]
					for c := range dst {
						dst[c] += src[c] * weights[c]
					}
				}
			}
		}
	}
	return g
}

func (s *scratch) sum(l *layer, a, b grid) grid {
	g := s.result(l, a)
	copy(g.v, a.v)
	for i, v := range b.v[:min(len(b.v), len(g.v))] {
		g.v[i] += v
	}
	return g
}

// sorted sorts tags by descending score.
func sorted(tags []Tag) []Tag {
	slices.SortStableFunc(tags, func(a, b Tag) int {
		switch {
		case a.Score > b.Score:
			return -1
		case a.Score < b.Score:
			return 1
		}
		return 0
	})
	return tags
}
