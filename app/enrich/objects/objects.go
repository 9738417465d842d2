// Package objects tells what pictures show, with a model that is built in: COCO-SSD, an
// SSDLite on MobileNet V2 that knows 80 kinds of things, such as dog, bicycle and cup.
package objects

import (
	"context"
	"image"
	"math"

	"golang.org/x/image/draw"

	"github.com/digital-asset-library/dal/app/enrich/matrix"
)

// Name names the model. It must change with what the model makes of pictures.
const Name = "coco-ssdlite/1"

const (
	side    = 300 // pixels of what the model looks at, upright or not
	colors  = 3
	classes = 91 // with the background, and ten that have no name
)

// A Tag is a kind of thing that a picture shows.
type Tag struct {
	Name  string  // in English, lower case
	Score float64 // how sure the model is, up to 1
}

// Model tells what pictures show. It takes 24 MB, and is to be used by one goroutine at a
// time.
type Model struct {
	net     *network
	scratch *scratch
	picture []float32
}

// New returns the model that is built in.
func New() (*Model, error) { return newModel(modelFile, matrix.Fastest()) }

func newModel(file string, k matrix.Kernels) (*Model, error) {
	net, err := parse(file)
	if err != nil {
		return nil, err
	}
	return &Model{net, newScratch(k, net), make([]float32, side*side*colors)}, nil
}

// Tags returns what a picture shows, the surest first, with at least a score. What other
// things are often mistaken for needs more: see known. The only error is the context's.
func (m *Model) Tags(ctx context.Context, picture image.Image, least float64) ([]Tag, error) {
	small := image.NewRGBA(image.Rect(0, 0, side, side))
	draw.BiLinear.Scale(small, small.Rect, picture, picture.Bounds(), draw.Src, nil)
	var all [classes]float64
	for _, mirrored := range []bool{false, true} {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for class, score := range m.best(small, mirrored) {
			all[class] += score / 2
		}
	}
	var tags []Tag
	for class, name := range names {
		need := least
		if !known[name] {
			need = 1 - (1-least)/10
		}
		if score := all[class]; name != "" && score >= need {
			tags = append(tags, Tag{name, score})
		}
	}
	return sorted(tags), nil
}

// best returns the best score of each class in a picture of the size the model looks at.
func (m *Model) best(small *image.RGBA, mirrored bool) *[classes]float64 {
	for y := range side {
		for x := range side {
			from := x
			if mirrored {
				from = side - 1 - x
			}
			p := small.Pix[small.PixOffset(from, y):]
			for c := range colors {
				m.picture[(y*side+x)*colors+c] = float32(p[c])*(2/255.0) - 1
			}
		}
	}
	var logits [classes]float32
	for i := range logits {
		logits[i] = float32(math.Inf(-1))
	}
	m.net.run(m.scratch, grid{side, side, colors, m.picture}, func(g grid, channels int) {
		for i := range g.width * g.height {
			for c, v := range g.v[i*g.stride:][:channels] {
				logits[c%classes] = max(logits[c%classes], v)
			}
		}
	})
	best := &[classes]float64{}
	for i, v := range logits {
		best[i] = 1 / (1 + math.Exp(-float64(v)))
	}
	return best
}
