package objects

import (
	"context"
	"fmt"
	"image/jpeg"
	"io"

	"github.com/digital-asset-library/dal/app/engine"
)

// Engine tags renditions, which are JPEG pictures made by dal.
type Engine struct{ model *Model }

// NewEngine returns an engine.
func NewEngine() (*Engine, error) {
	m, err := New()
	return &Engine{m}, err
}

// Size returns the approximate memory use of the engine in bytes.
func (*Engine) Size() int64 { return 24 << 20 }

// Close does nothing.
func (*Engine) Close(context.Context) error { return nil }

// Look returns the tags of a picture.
func (e *Engine) Look(ctx context.Context, j engine.Job, file io.Reader) (*engine.Look, error) {
	picture, err := jpeg.Decode(file)
	if err != nil {
		return nil, fmt.Errorf("the rendition: %w", err)
	}
	tags, err := e.model.Tags(ctx, picture, j.Least)
	look := &engine.Look{}
	for _, t := range tags {
		look.Tags = append(look.Tags, engine.Tag{Name: t.Name, Score: t.Score})
	}
	return look, err
}
