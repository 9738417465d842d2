package textvec

import (
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// liteFile is the model, made by ./convert. As a string it stays in the binary's
// read-only pages, which the system loads when they are first read.
//
//go:embed model/use-lite-en.bin
var liteFile string

// The sizes of the Universal Sentence Encoder Lite: dim numbers for each token
// (tokenDim at first), inner within a feed-forward network.
const (
	dim      = 512
	tokenDim = 256
	inner    = 1536
	heads    = 4
)

// The model file, in little endian:
//
//	"DALUSE1\n"
//	n uint32                 the vocabulary
//	n × { score float64, length uint8, text }
//	m uint32                 a vector for each token, m ≥ n
//	m × tokenDim half
//	tokenDim/2 float32       angular speeds of the position signal
//	2 layers, of width tokenDim and dim:
//	    width float32 ×2     scale and bias of the first normalisation
//	    width × 3·width      matrix, bias: queries, keys and values
//	    width × dim          matrix, bias: output of the attention
//	    tokenDim × dim       matrix, bias: its input widened, in layer 0 only
//	    dim float32 ×2       scale and bias of the second normalisation
//	    dim × inner          matrix, bias
//	    inner × dim          matrix, bias
//	dim × dim                matrix, bias: output
//
// A half is an IEEE 754 binary16, a bias is of float32, one for each column. A
// matrix is of halves, in panels of 16 columns from left to right, each with its
// rows from top to bottom: the order in which multiplying reads them.
const magic = "DALUSE1\n"

// model is a model file in use. Matrices and token vectors stay in the file.
type model struct {
	vocabulary vocabulary
	tokens     string // tokenDim halves each
	speeds     []float32
	layers     [2]layer
	output     dense
}

type layer struct {
	width            int
	norm1, norm2     normal
	qkv, mix         dense
	widen            dense // in layer 0 only
	expand, contract dense
}

// normal is a layer normalisation.
type normal struct{ scale, bias []float32 }

// dense is a matrix of n × m and what is added to each row of its product.
type dense struct {
	rows, columns int
	panels        string
	bias          []float32
}

// parseModel reads a model file. What it returns refers to the file.
func parseModel(file string) (*model, error) {
	p := parser{rest: file}
	if p.take(len(magic)) != magic {
		return nil, errors.New("this is no model file")
	}
	m := &model{vocabulary: p.vocabulary()}
	if n := p.count(2 * tokenDim); p.err == nil {
		if n < len(m.vocabulary.lengths) {
			return nil, fmt.Errorf("the model has vectors for %d of %d tokens", n, len(m.vocabulary.lengths))
		}
		m.tokens = p.take(n * tokenDim * 2)
	}
	m.speeds = p.vector(tokenDim / 2)
	for i, width := range []int{tokenDim, dim} {
		l := &m.layers[i]
		l.width = width
		l.norm1 = normal{p.vector(width), p.vector(width)}
		l.qkv = p.dense(width, 3*width)
		l.mix = p.dense(width, dim)
		if width != dim {
			l.widen = p.dense(width, dim)
		}
		l.norm2 = normal{p.vector(dim), p.vector(dim)}
		l.expand = p.dense(dim, inner)
		l.contract = p.dense(inner, dim)
	}
	m.output = p.dense(dim, dim)
	if p.err == nil && p.rest != "" {
		p.err = fmt.Errorf("the model file has %d bytes too many", len(p.rest))
	}
	if p.err != nil {
		return nil, p.err
	}
	return m, nil
}

// parser reads a file from front to back; after an error it reads zeros.
type parser struct {
	rest string
	err  error
}

// take returns the next n bytes, or "" at an error.
func (p *parser) take(n int) string {
	if p.err == nil && n > len(p.rest) {
		p.err = errors.New("the model file is cut off")
	}
	if p.err != nil {
		return ""
	}
	part := p.rest[:n]
	p.rest = p.rest[n:]
	return part
}

// count reads a number of things that take at least size bytes each.
func (p *parser) count(size int) int {
	b := p.take(4)
	if b == "" {
		return 0
	}
	n := int64(binary.LittleEndian.Uint32([]byte(b)))
	if n*int64(size) > int64(len(p.rest)) {
		p.err = fmt.Errorf("the model file has no room for %d things of %d bytes", n, size)
		return 0
	}
	return int(n)
}

func (p *parser) vocabulary() vocabulary {
	v := vocabulary{}
	n := p.count(8 + 1)
	switch {
	case p.err != nil:
	case n < reserved:
		p.err = fmt.Errorf("a vocabulary of %d pieces is too small", n)
	case n > math.MaxUint16:
		p.err = fmt.Errorf("a vocabulary of %d pieces is too large", n)
	}
	if p.err != nil {
		return v
	}
	v.pieces = make(map[string]piece, n)
	v.lengths, v.kinds = make([]uint8, n), make([]kind, n)
	for id := range n {
		head := p.take(8 + 1)
		if p.err != nil {
			return v
		}
		score := math.Float64frombits(binary.LittleEndian.Uint64([]byte(head)))
		text := p.take(int(head[8]))
		if p.err == nil && (text == "" || math.IsNaN(score) || math.IsInf(score, 0)) {
			p.err = fmt.Errorf("entry %d of the vocabulary is %q with the score %v", id, text, score)
		}
		if p.err != nil {
			return v
		}
		v.add(id, text, score)
	}
	return v
}

func (p *parser) vector(n int) []float32 {
	b := p.take(4 * n)
	if b == "" {
		return nil
	}
	v := make([]float32, n)
	for i := range v {
		v[i] = math.Float32frombits(binary.LittleEndian.Uint32([]byte(b[4*i : 4*i+4])))
	}
	return v
}

func (p *parser) dense(rows, columns int) dense {
	return dense{rows, columns, p.take(2 * rows * columns), p.vector(columns)}
}
