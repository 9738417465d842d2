// Package resvg renders SVG with resvg from the npm package @resvg/resvg-wasm 2.6.2. It
// does not follow links to files and hosts or run scripts, and renders texts in the Go
// fonts.
package resvg

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"io"
	"math"

	"github.com/tetratelabs/wazero/api"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goitalic"
	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/image/font/gofont/goregular"

	"github.com/digital-asset-library/dal/app/engine"
	"github.com/digital-asset-library/dal/app/engine/host"
)

// MaxFile is the maximum size of a drawing; parsing takes many times as much memory.
const maxFile = 32 << 20

// Engine is an instance of resvg.
type Engine struct {
	i *host.Instance
	h *heap
}

// New starts an instance.
func New(ctx context.Context, p *host.Program) (*Engine, error) {
	e := &Engine{h: &heap{values: map[uint32]any{}, last: reserved}}
	imports := e.h.imports()
	var err error
	e.i, err = p.Start(ctx, func(_, name string, _ api.FunctionDefinition) api.GoModuleFunc { return imports[name] })
	return e, err
}

// Size returns the memory of the instance in bytes.
func (e *Engine) Size() int64 { return int64(e.i.Memory().Size()) }

// Close ends the instance.
func (e *Engine) Close(ctx context.Context) error { return e.i.Close(ctx) }

// Look renders an SVG at the requested longest side.
func (e *Engine) Look(ctx context.Context, j engine.Job, file io.Reader) (*engine.Look, error) {
	if j.Bytes > maxFile {
		return nil, &engine.Fault{Reason: engine.Exceeded, Text: fmt.Sprintf("drawings may have %d MB", maxFile>>20)}
	}
	svg, err := io.ReadAll(io.LimitReader(file, j.Bytes))
	if err != nil {
		return nil, err
	}
	w, h, err := e.size(ctx, svg)
	if err != nil {
		return nil, err
	}
	if !(w > 0 && h > 0) || math.IsInf(w, 0) || math.IsInf(h, 0) {
		return nil, errors.New("the drawing has no size")
	}
	fit := map[string]any{"mode": "width", "value": j.Side}
	if h > w {
		fit["mode"] = "height"
	}
	if min(w, h)*float64(j.Side)/max(w, h) < 1 {
		return nil, &engine.Fault{Reason: engine.Unsupported, Text: "the drawing is thinner than a line"}
	}
	look := &engine.Look{Width: pixels(w), Height: pixels(h)}
	look.Title, look.Description, look.Creator = words(bytes.NewReader(svg))
	look.Picture, err = e.draw(ctx, svg, fit)
	return look, err
}

// pixels rounds a length of a drawing, which may be fractional.
func pixels(v float64) int { return int(min(max(math.Round(v), 1), 1<<30)) }

// size returns the declared size of a drawing.
func (e *Engine) size(ctx context.Context, svg []byte) (w, h float64, err error) {
	tree, err := e.tree(ctx, svg, map[string]any{"mode": "original"})
	if err != nil {
		return 0, 0, err
	}
	width, err := e.i.Call(ctx, "resvg_width", tree)
	if err != nil {
		return 0, 0, err
	}
	height, err := e.i.Call(ctx, "resvg_height", tree)
	if err != nil {
		return 0, 0, err
	}
	_, err = e.i.Call(ctx, "__wbg_resvg_free", tree)
	return float64(api.DecodeF32(width)), float64(api.DecodeF32(height)), err
}

// tree parses a drawing.
func (e *Engine) tree(ctx context.Context, svg []byte, fit map[string]any) (uint64, error) {
	options, err := json.Marshal(map[string]any{
		"fitTo": fit,
		"font": map[string]any{
			"loadSystemFonts": false, "defaultFontFamily": "Go", "serifFamily": "Go", "sansSerifFamily": "Go",
			"cursiveFamily": "Go", "fantasyFamily": "Go", "monospaceFamily": "Go Mono",
		},
	})
	if err != nil {
		return 0, err
	}
	at, n, err := e.put(ctx, options)
	if err != nil {
		return 0, err
	}
	fonts := e.h.add(&[]any{goregular.TTF, gobold.TTF, goitalic.TTF, gomono.TTF})
	return e.result(ctx, "resvg_new", e.h.add(string(svg)), at, n, fonts)
}

func (e *Engine) draw(ctx context.Context, svg []byte, fit map[string]any) (*image.NRGBA, error) {
	tree, err := e.tree(ctx, svg, fit)
	if err != nil {
		return nil, err
	}
	pic, err := e.result(ctx, "resvg_render", tree)
	if err != nil {
		return nil, err
	}
	var of [3]uint64
	for i, name := range []string{"renderedimage_width", "renderedimage_height", "renderedimage_pixels"} {
		if of[i], err = e.i.Call(ctx, name, pic); err != nil {
			return nil, err
		}
	}
	w, h := int(uint32(of[0])), int(uint32(of[1]))
	pix, ok := e.h.take(of[2]).([]byte)
	if !ok || w < 1 || h < 1 || len(pix) != 4*w*h {
		return nil, fmt.Errorf("%d × %d pixels in %d bytes", w, h, len(pix))
	}
	for _, free := range []struct {
		name string
		of   uint64
	}{{"__wbg_renderedimage_free", pic}, {"__wbg_resvg_free", tree}} {
		if _, err := e.i.Call(ctx, free.name, free.of); err != nil {
			return nil, err
		}
	}
	return &image.NRGBA{Pix: straight(pix), Stride: 4 * w, Rect: image.Rect(0, 0, w, h)}, nil
}

// straight converts premultiplied colors to straight alpha, in place.
func straight(pix []byte) []byte {
	for p := pix; len(p) >= 4; p = p[4:] {
		if a := uint32(p[3]); a != 0 && a != 255 {
			for c := range 3 {
				p[c] = byte(min((uint32(p[c])*255+a/2)/a, 255))
			}
		}
	}
	return pix
}

// put copies bytes to the memory of the instance.
func (e *Engine) put(ctx context.Context, data []byte) (at, n uint64, err error) {
	if at, err = e.i.Call(ctx, "__wbindgen_malloc", uint64(len(data)), 1); err != nil {
		return 0, 0, err
	}
	to, err := e.i.Bytes(at, uint64(len(data)))
	copy(to, data)
	return at, uint64(len(data)), err
}

// result calls a function that writes a value, an error and a failure flag to the address
// in its first argument.
func (e *Engine) result(ctx context.Context, name string, args ...uint64) (uint64, error) {
	at, err := e.i.Call(ctx, "__wbindgen_add_to_stack_pointer", uint64(0xfffffff0)) // -16
	if err != nil {
		return 0, err
	}
	if _, err := e.i.Call(ctx, name, append([]uint64{at}, args...)...); err != nil {
		return 0, err
	}
	var out [3]uint32
	for i := range out {
		out[i], _ = e.i.Memory().ReadUint32Le(uint32(at) + 4*uint32(i))
	}
	if _, err := e.i.Call(ctx, "__wbindgen_add_to_stack_pointer", 16); err != nil {
		return 0, err
	}
	if out[2] != 0 {
		return 0, fmt.Errorf("%s: %v", name, e.h.take(uint64(out[1])))
	}
	return uint64(out[0]), nil
}
