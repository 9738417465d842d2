package objects

import (
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/digital-asset-library/dal/app/enrich/matrix"
)

// modelFile is the model, made by ./convert. As a string it stays in the binary's
// read-only pages, which the system loads when they are first read.
//
//go:embed model/ssdlite-coco.bin
var modelFile string

// The model file, in little endian:
//
//	"DALSSD1\n"
//	n uint16                 layers, each reads what ones before it have made
//	n × {
//	    kind uint8           conv, depthwise or sum
//	    flags uint8          clipped, scores
//	    from uint16          the layer that is read, from 1; 0 is the picture
//	    and uint16           the other one, of a sum
//	    size, stride uint8   of the window, in pixels
//	    in, out uint16       channels
//	    out float32          what is added to each channel, not of a sum
//	    weights              not of a sum
//	}
//
// The weights of a conv are a matrix of size·size·in × out halves, as package matrix has
// them, with columns of zeros to fill the last panel. Those of a depthwise are size·size ×
// out float32.
const magic = "DALSSD1\n"

// The kinds of layers.
const (
	conv      = iota // each channel is made of all channels of a window
	depthwise        // each channel is made of the same one
	sum              // of two layers
)

// The flags of layers.
const (
	clipped = 1 << iota // to 0 … 6
	scores              // of each class, for some boxes at each pixel
)

// The bounds of a model file, far above those of the model there is.
const (
	maxLayers   = 1000
	maxWindow   = 7
	maxStride   = 4
	maxChannels = 4096
)

// network is a model file in use. The matrices stay in the file.
type network struct {
	layers []layer
	slots  int // how many results are needed at the same time
}

type layer struct {
	kind         byte
	clip, scores bool
	from, and    int
	size, stride int
	in, out      int
	bias         []float32 // of the channels, padded
	panels       string    // of a conv
	weights      []float32 // of a depthwise, padded

	slot int // where the result is
}

// padded returns the numbers that a pixel of so many channels takes.
func padded(channels int) int { return (channels + matrix.Panel - 1) / matrix.Panel * matrix.Panel }

// parse reads a model file. What it returns refers to the file.
func parse(file string) (*network, error) {
	p := parser{rest: file}
	if p.take(len(magic)) != magic {
		return nil, errors.New("this is no model file")
	}
	n := p.u16()
	if n < 1 || n > maxLayers {
		p.fail("a model of %d layers", n)
	}
	net := &network{}
	channels := []int{colors} // of what has been made
	for i := 1; i <= n && p.err == nil; i++ {
		l := p.layer(channels)
		net.layers, channels = append(net.layers, l), append(channels, l.out)
	}
	if p.err == nil && p.rest != "" {
		p.fail("the model file has %d bytes too many", len(p.rest))
	}
	if p.err != nil {
		return nil, p.err
	}
	net.place()
	return net, nil
}

// place gives each layer a slot that nobody needs any more.
func (net *network) place() {
	last := make([]int, len(net.layers)+1) // the last layer that reads each
	for i, l := range net.layers {
		last[l.from] = i
		if l.kind == sum {
			last[l.and] = i
		}
	}
	var until []int // when each slot is free
	for i := range net.layers {
		l := &net.layers[i]
		l.slot = len(until)
		for s, end := range until {
			if end < i {
				l.slot = s
				break
			}
		}
		if l.slot == len(until) {
			until = append(until, 0)
		}
		until[l.slot] = max(last[i+1], i)
	}
	net.slots = len(until)
}

// parser reads a file from front to back; after an error it reads zeros.
type parser struct {
	rest string
	err  error
}

func (p *parser) fail(format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf(format, args...)
	}
}

// take returns the next n bytes, or "" at an error.
func (p *parser) take(n int) string {
	if n > len(p.rest) {
		p.fail("the model file is cut off")
	}
	if p.err != nil {
		return ""
	}
	part := p.rest[:n]
	p.rest = p.rest[n:]
	return part
}

func (p *parser) u8() int {
	b := p.take(1)
	if b == "" {
		return 0
	}
	return int(b[0])
}

func (p *parser) u16() int { return p.u8() | p.u8()<<8 }

// layer reads a layer after ones that have made channels.
func (p *parser) layer(channels []int) layer {
	l := layer{kind: byte(p.u8())}
	flags := p.u8()
	l.clip, l.scores = flags&clipped != 0, flags&scores != 0
	l.from, l.and = p.u16(), p.u16()
	l.size, l.stride = p.u8(), p.u8()
	l.in, l.out = p.u16(), p.u16()
	switch {
	case p.err != nil:
		return l
	case l.kind > sum || flags > clipped|scores || max(l.from, l.and) >= len(channels) || l.in != channels[l.from],
		min(l.in, l.out, l.size, l.stride) < 1 || max(l.in, l.out) > maxChannels || l.size > maxWindow || l.stride > maxStride,
		l.kind != conv && l.in != l.out,
		l.kind == sum && (l.in != channels[l.and] || l.from == 0 || l.and == 0 || l.size > 1 || l.stride > 1),
		l.kind == depthwise && l.from == 0,
		l.scores && l.out%classes != 0:
		p.fail("layer %d is impossible", len(channels))
		return l
	}
	if l.kind == sum {
		return l
	}
	l.bias = p.vectors(1, l.out)
	if l.kind == depthwise {
		l.weights = p.vectors(l.size*l.size, l.out)
	} else {
		l.panels = p.take(2 * l.size * l.size * l.in * padded(l.out))
	}
	return l
}

// vectors reads rows of n float32 and fills them up to panels.
func (p *parser) vectors(rows, n int) []float32 {
	b := p.take(4 * rows * n)
	if b == "" {
		return nil
	}
	v := make([]float32, rows*padded(n))
	for i := range rows {
		for j := range n {
			at := 4 * (i*n + j)
			v[i*padded(n)+j] = math.Float32frombits(binary.LittleEndian.Uint32([]byte(b[at : at+4])))
		}
	}
	return v
}
