package textvec

import (
	"math"

	"github.com/digital-asset-library/dal/app/enrich/matrix"
)

// scratch is the memory that one pass needs in addition to the weights: 1.8 MB. Arrays of
// rows have one row per token.
type scratch struct {
	matrix.Kernels
	state   []float32 // dim values per row
	next    []float32 // dim
	normed  []float32 // dim
	wide    []float32 // inner: queries, keys and values, or a feed-forward network
	scores  []float32 // window: attention of each token to each other
	columns []float32 // a panel of a matrix; the keys or values of a head in panels
	out     []float32 // dim
}

func newScratch(k matrix.Kernels) *scratch {
	s := &scratch{Kernels: k}
	for buf, size := range map[*[]float32]int{
		&s.state: window * dim, &s.next: window * dim, &s.normed: window * dim, &s.wide: window * inner,
		&s.scores: window * window, &s.columns: inner * matrix.Panel, &s.out: dim,
	} {
		*buf = make([]float32, size)
	}
	return s
}

// encode passes 1 to window tokens through the model and returns their unit vector, which
// refers to the scratch and is valid until its next use. The tokens must be in the model's
// vocabulary. Source: the graph in the model's npm package, a pre-norm transformer
// (https://arxiv.org/abs/1803.11175, section 3.1).
func (m *model) encode(s *scratch, ids []uint16) []float32 {
	// Rows are multiplied in blocks, so the last block is padded. Padding rows are computed
	// like the others, but no token attends to them.
	block := s.Block()
	rows := (len(ids) + block - 1) / block * block
	m.embed(s, ids, rows)
	for i := range m.layers {
		l := &m.layers[i]
		l.norm1.apply(s.normed, s.state, rows, l.width)
		s.apply(l.qkv, s.wide, s.normed, rows)
		s.attend(s.normed, l.width, len(ids), rows)
		if l.width != dim {
			s.apply(l.widen, s.next, s.state, rows)
			s.state, s.next = s.next, s.state
		}
		s.add(l.mix, s.state, s.normed, rows)

		l.norm2.apply(s.normed, s.state, rows, dim)
		s.apply(l.expand, s.wide, s.normed, rows)
		for i, v := range s.wide[:rows*inner] {
			s.wide[i] = max(v, 0)
		}
		s.add(l.contract, s.state, s.wide, rows)
	}

	mean := s.normed[:block*dim] // multiplied as a block: the other rows are padding
	clear(mean)
	for i := range ids {
		addScaled(mean[:dim], s.state[i*dim:][:dim], 1/float32(len(ids)))
	}
	s.apply(m.output, s.next, mean, block)
	for i, v := range s.next[:dim] {
		s.out[i] = float32(math.Tanh(float64(v)))
	}
	scale(s.out)
	return s.out
}

// embed fills the state with twice the vectors of the tokens plus a position signal.
func (m *model) embed(s *scratch, ids []uint16, rows int) {
	clear(s.state[:rows*tokenDim])
	for pos, id := range ids {
		row := s.state[pos*tokenDim:][:tokenDim]
		s.Expand(row, m.tokens[2*tokenDim*int(id):])
		for i, speed := range m.speeds {
			sin, cos := math.Sincos(float64(float32(pos) * speed))
			row[i] = 2*row[i] + float32(sin)
			row[i+tokenDim/2] = 2*row[i+tokenDim/2] + float32(cos)
		}
	}
}

// attend fills dst, with width values per row, with the attention of each row to the first
// tokens rows, using the queries, keys and values in s.wide.
func (s *scratch) attend(dst []float32, width, tokens, rows int) {
	clear(dst[:rows*width])
	size := width / heads
	sharpness := 1 / math.Sqrt(float64(size))
	for h := range heads {
		queries, keys, values := s.wide[h*size:], s.wide[width+h*size:], s.wide[2*width+h*size:]

		clear(s.scores)
		for from := 0; from < tokens; from += matrix.Panel {
			b := s.columns[:size*matrix.Panel]
			clear(b)
			for t := range min(matrix.Panel, tokens-from) {
				for i, v := range keys[(from+t)*3*width:][:size] {
					b[i*matrix.Panel+t] = v
				}
			}
			s.AddProduct(s.scores[from:], window, queries, 3*width, rows, b)
		}
		for r := range rows {
			softmax(s.scores[r*window:][:tokens], sharpness)
		}
		for from := 0; from < size; from += matrix.Panel {
			b := s.columns[:tokens*matrix.Panel]
			for t := range tokens {
				copy(b[t*matrix.Panel:][:matrix.Panel], values[t*3*width+from:])
			}
			s.AddProduct(dst[h*size+from:], width, s.scores, window, rows, b)
		}
	}
}

// softmax makes the values positive with a sum of 1.
func softmax(v []float32, sharpness float64) {
	top := v[0]
	for _, x := range v {
		top = max(top, x)
	}
	var sum float32
	for i, x := range v {
		v[i] = float32(math.Exp(sharpness * float64(x-top)))
		sum += v[i]
	}
	for i := range v {
		v[i] /= sum
	}
}

// apply sets dst to the product of src and a matrix, plus the bias.
func (s *scratch) apply(d dense, dst, src []float32, rows int) {
	clear(dst[:rows*d.columns])
	s.add(d, dst, src, rows)
}

// add adds the product of src and a matrix, plus the bias, to dst.
func (s *scratch) add(d dense, dst, src []float32, rows int) {
	for r := range rows {
		addScaled(dst[r*d.columns:][:d.columns], d.bias, 1)
	}
	if s.Long {
		for from := 0; from < d.columns; from += matrix.Panel {
			s.AddHalves(dst[from:], d.columns, src, d.rows, rows, d.panels[2*from*d.rows:][:2*matrix.Panel*d.rows])
		}
		return
	}
	b := s.columns[:d.rows*matrix.Panel]
	for from := 0; from < d.columns; from += matrix.Panel {
		s.Expand(b, d.panels[2*from*d.rows:])
		s.AddProduct(dst[from:], d.columns, src, d.rows, rows, b)
	}
}

// apply normalizes each row of src, with width values, into dst.
func (n normal) apply(dst, src []float32, rows, width int) {
	for r := range rows {
		in, out := src[r*width:][:width], dst[r*width:][:width]
		var sum, squares float32
		for _, v := range in {
			sum += v
		}
		mean := sum / float32(width)
		for _, v := range in {
			squares += (v - mean) * (v - mean)
		}
		f := float32(1 / math.Sqrt(float64(squares/float32(width))+1e-6))
		for i, v := range in {
			out[i] = (v-mean)*f*n.scale[i] + n.bias[i]
		}
	}
}
