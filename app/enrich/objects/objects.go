// Package objects tags pictures with a built-in model: COCO-SSD, an SSDLite on MobileNet V2
// that detects 80 classes, such as dog, bicycle and cup.
package objects

import (
	"context"
	"image"
	"math"

	"golang.org/x/image/draw"

	"github.com/digital-asset-library/dal/app/enrich/matrix"
)

// Name identifies the model. It must change when the results change.
const Name = "coco-ssdlite/1"

const (
	side    = 300 // pixels of the square input
	colors  = 3
	classes = 91 // including the background and ten without a name
)

// A Tag is an object class detected in a picture.
type Tag struct {
	Name  string  // in English, lower case
	Score float64 // confidence, up to 1
}

// Model tags pictures. It takes 24 MB, and must not be used concurrently.
type Model struct {
	net     *network
	scratch *scratch
	picture []float32
}

// New returns the built-in model.
func New() (*Model, error) { return newModel(modelFile, matrix.Fastest()) }

func newModel(file string, k matrix.Kernels) (*Model, error) {
	net, err := parse(file)
	if err != nil {
		return nil, err
	}
	return &Model{net, newScratch(k, net), make([]float32, side*side*colors)}, nil
}

// Tags returns the tags of a picture with at least the given score, highest first. Classes
// that are often confused with others need a higher score: see known. The only error is the
// context's.
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

// best returns the best score of each class in a picture of the input size.
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
