// Package magick reads pictures with ImageMagick 7 from the npm package
// @imagemagick/magick-wasm 0.0.43. It reads a file only as the given format, so that its
// content cannot select another decoder.
package magick

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"io"
	"math"
	"strings"

	"github.com/digital-asset-library/dal/app/engine"
	"github.com/digital-asset-library/dal/app/engine/cicp"
	"github.com/digital-asset-library/dal/app/engine/host"
)

// Engine is an instance of ImageMagick.
type Engine struct {
	m    *host.Emscripten
	slot uint64 // memory for a pointer to an exception
}

// The limits of a picture, and ImageMagick's time limit by its own clock.
const (
	maxSide    = 65_000
	maxSeconds = 100
)

// New starts an instance.
func New(ctx context.Context, p *host.Program) (*Engine, error) {
	m, err := host.NewEmscripten(ctx, p, names())
	if err != nil {
		return nil, err
	}
	e := &Engine{m: m}
	if err := e.begin(ctx); err != nil {
		return nil, errors.Join(err, m.Close(ctx))
	}
	return e, nil
}

// begin sets ImageMagick's resource limits. Without them, a damaged header makes it
// allocate gigabytes, in its own disk cache if memory is low.
func (e *Engine) begin(ctx context.Context) error {
	if _, err := e.m.Call(ctx, "Environment_Initialize"); err != nil {
		return err
	}
	var err error
	if e.slot, err = e.m.Call(ctx, "malloc", 8); err != nil {
		return err
	}
	s := &session{Engine: e, ctx: ctx}
	s.told("ResourceLimits_MaxMemoryRequest_Set", 2<<30)
	s.told("ResourceLimits_MaxProfileSize_Set", 16<<20)
	for _, limit := range []struct {
		name string
		most uint64
	}{
		{"Disk", 0}, {"Memory", 2 << 30}, {"Area", 4 << 30},
		{"Width", maxSide}, {"Height", maxSide}, {"ListLength", 64}, {"Time", maxSeconds},
	} {
		s.call("ResourceLimits_"+limit.name+"_Set", limit.most)
	}
	return s.err
}

// Size returns the memory of the instance in bytes.
func (e *Engine) Size() int64 { return int64(e.m.Memory().Size()) }

// Close ends the instance.
func (e *Engine) Close(ctx context.Context) error { return e.m.Close(ctx) }

// Look reads a picture: the first of several, or the largest of an icon.
func (e *Engine) Look(ctx context.Context, j engine.Job, file io.Reader) (*engine.Look, error) {
	s := &session{Engine: e, ctx: ctx}
	look := s.look(j, file)
	return look, s.err
}

// session is the reading of one file. After the first error, calls have no effect.
type session struct {
	*Engine
	ctx context.Context //nolint:containedctx // a session is a call
	err error
}

func (s *session) call(name string, args ...uint64) (v uint64) {
	if s.err == nil {
		v, s.err = s.m.Call(s.ctx, name, args...)
	}
	return v
}

// text calls fn with the address of a text in the memory.
func (s *session) text(t string, fn func(at uint64)) {
	if s.err != nil {
		return
	}
	var at uint64
	if at, s.err = s.m.PutText(s.ctx, t); s.err == nil {
		fn(at)
		s.call("free", at)
	}
}

// told calls a function whose last argument receives an exception.
func (s *session) told(name string, args ...uint64) uint64 {
	s.m.Memory().WriteUint32Le(uint32(s.slot), 0)
	v := s.call(name, append(args, s.slot)...)
	at, _ := s.m.Memory().ReadUint32Le(uint32(s.slot))
	if s.err != nil || at == 0 {
		return v
	}
	severity := s.call("Exception_Severity", uint64(at))
	text := s.m.Text(s.call("Exception_Message", uint64(at)))
	s.call("Exception_Dispose", uint64(at))
	if s.err == nil && severity >= 400 { // lower values are warnings
		s.err = fault(severity, text)
	}
	return v
}

// fault converts an exception of ImageMagick to a fault (MagickCore/exception.h).
func fault(severity uint64, text string) error {
	reason := engine.Damaged
	switch severity % 100 {
	case 0: // resource limits
		reason = engine.Exceeded
	case 15, 20, 50, 55, 60: // delegates, decoders and unsupported features
		reason = engine.Unsupported
	}
	if severity == 425 || strings.Contains(text, "orrupt") || strings.Contains(text, "nexpected end") {
		reason = engine.Damaged
	}
	for _, sign := range []string{"Exhausted", "LimitExceeded", "ExceedsLimit", "exceeds", "too large", "MemoryAllocationFailed"} {
		if strings.Contains(text, sign) {
			reason = engine.Exceeded
		}
	}
	return &engine.Fault{Reason: reason, Text: fmt.Sprintf("%d: %s", severity, text)}
}

func (s *session) look(j engine.Job, file io.Reader) *engine.Look {
	data := s.load(j, file)
	img := s.read(j, data)
	if s.err != nil {
		return nil
	}
	if j.Write != "" {
		look := s.write(j, img)
		s.call("free", data)
		return look
	}
	look := &engine.Look{Width: int(s.call("MagickImage_Width_Get", img)), Height: int(s.call("MagickImage_Height_Get", img))}
	if s.err == nil && int64(look.Width)*int64(look.Height) > j.Pixels {
		s.err = &engine.Fault{Reason: engine.Exceeded, Text: fmt.Sprintf("%d × %d pixels", look.Width, look.Height)}
	}
	rgb := s.profiles(img, look)
	img = s.upright(img)
	if s.err == nil { // rotation may swap them
		look.Width, look.Height = int(s.call("MagickImage_Width_Get", img)), int(s.call("MagickImage_Height_Get", img))
	}
	img = s.thumbnail(img, look, j.Side)
	if !rgb {
		look.ICC, look.Note = nil, "converted to sRGB without the profile"
	}
	look.Picture = s.pixels(img, j.Side)
	s.convert(j, data, look)
	if j.Format == "EXR" && s.err == nil { // EXR values are linear light, which ImageMagick does not convert
		fromLight(look.Picture.Pix)
	}
	s.call("MagickImage_Dispose", img)
	s.call("free", data)
	return look
}

// convert converts a HEIF or AVIF picture without an ICC profile to sRGB, because
// ImageMagick does not convert its colors.
func (s *session) convert(j engine.Job, data uint64, look *engine.Look) {
	if s.err != nil || len(look.ICC) > 0 || j.Format != "HEIC" && j.Format != "AVIF" {
		return
	}
	var file []byte
	if file, s.err = s.m.Bytes(data, uint64(j.Bytes)); s.err != nil {
		return
	}
	space := cicp.OfHEIF(file)
	if space == (cicp.Space{}) {
		space = j.Space
	}
	if c := space.Converter(); c != nil {
		c.Convert(look.Picture.Pix)
		look.Note = space.Note()
	}
}

// load copies a file to the memory.
func (s *session) load(j engine.Job, file io.Reader) uint64 {
	at := s.call("malloc", uint64(j.Bytes))
	if s.err == nil && at == 0 {
		s.err = &engine.Fault{Reason: engine.Exceeded, Text: "no memory for the file"}
	}
	if s.err != nil {
		return 0
	}
	to, err := s.m.Bytes(at, uint64(j.Bytes))
	if err == nil {
		_, err = io.ReadFull(file, to)
	}
	if err == nil && j.Format == "ICO" {
		leaveLargest(to)
	}
	s.err = err
	return at
}

// read decodes a file.
func (s *session) read(j engine.Job, data uint64) uint64 {
	settings := s.call("MagickSettings_Create")
	s.text(j.Format, func(at uint64) { s.call("MagickSettings_Format_Set", settings, at) })
	s.call("MagickSettings_SetScene", settings, 0)
	s.call("MagickSettings_SetNumberScenes", settings, 1)
	s.text("0", func(at uint64) { s.call("MagickSettings_SetScenes", settings, at) })
	img := s.told("MagickImage_ReadBlob", settings, data, 0, uint64(j.Bytes))
	s.call("MagickSettings_Dispose", settings)
	if s.err == nil && img == 0 {
		s.err = errors.New("there is no picture, and no reason")
	}
	return img
}

// leaveLargest removes all but the largest picture from the list of an icon, because
// ImageMagick reads the first one. Of equally large ones it keeps the one with more colors.
// The list has 6 bytes, and 16 for each picture: its width and height, 0 for 256, its bits
// per pixel at 6, and its offset.
func leaveLargest(icon []byte) {
	const head, entry = 6, 16
	if len(icon) < head+entry {
		return
	}
	side := func(b byte) int { return (int(b)+255)%256 + 1 }
	best, most := icon[head:head+entry], 0
	for n, at := int(binary.LittleEndian.Uint16(icon[4:])), head; n > 0 && at+entry <= len(icon); n, at = n-1, at+entry {
		e := icon[at : at+entry]
		if size := side(e[0])*side(e[1])<<8 + int(e[6]); size > most {
			best, most = e, size
		}
	}
	copy(icon[head:], best)
	binary.LittleEndian.PutUint16(icon[4:], 1)
}

// ImageMagick's color spaces.
const (
	colorGray = 3
	colorRGB  = 21
	colorSRGB = 23
)

// profiles extracts the metadata from a picture. It reports whether an ICC profile for RGB
// or grayscale applies to its pixels.
func (s *session) profiles(img uint64, look *engine.Look) bool {
	for name, to := range map[string]*[]byte{"icc": &look.ICC, "exif": &look.EXIF, "iptc": &look.IPTC, "xmp": &look.XMP} {
		s.text(name, func(at uint64) { *to = s.bytes(s.call("MagickImage_GetProfile", img, at)) })
	}
	space := s.call("MagickImage_ColorSpace_Get", img)
	if space != colorSRGB && space != colorGray {
		s.told("MagickImage_ColorSpace_Set", img, colorSRGB)
	}
	return space == colorSRGB || space == colorGray || space == colorRGB
}

// bytes copies the content of a StringInfo.
func (s *session) bytes(info uint64) []byte {
	if info == 0 || s.err != nil {
		return nil
	}
	n, at := s.call("StringInfo_Length_Get", info), s.call("StringInfo_Datum_Get", info)
	if s.err != nil || n == 0 {
		return nil
	}
	b, err := s.m.Bytes(at, n)
	s.err = err
	return append([]byte(nil), b...)
}

// replaced disposes of img if a function returned a new picture, and returns the current
// one.
func (s *session) replaced(img, other uint64) uint64 {
	if s.err != nil || other == 0 || other == img {
		return img
	}
	s.call("MagickImage_Dispose", img)
	return other
}

func (s *session) upright(img uint64) uint64 {
	return s.replaced(img, s.told("MagickImage_AutoOrient", img))
}

// thumbnail scales a picture down to fit into a square.
func (s *session) thumbnail(img uint64, look *engine.Look, side int) uint64 {
	if max(look.Width, look.Height) <= side {
		return img
	}
	s.text(fmt.Sprintf("%dx%d", side, side), func(at uint64) { img = s.replaced(img, s.told("MagickImage_Thumbnail", img, at)) })
	return img
}

// pixels copies the pixels of a picture.
func (s *session) pixels(img uint64, side int) *image.NRGBA {
	w, h := s.call("MagickImage_Width_Get", img), s.call("MagickImage_Height_Get", img)
	if s.err != nil {
		return nil
	}
	if w < 1 || h < 1 || max(w, h) > uint64(side) {
		s.err = fmt.Errorf("%d × %d pixels", w, h)
		return nil
	}
	out := image.NewNRGBA(image.Rect(0, 0, int(w), int(h)))
	pix := s.told("PixelCollection_Create", img)
	s.text("RGBA", func(mapping uint64) {
		at := s.told("PixelCollection_ToByteArray", pix, 0, 0, w, h, mapping)
		if s.err == nil {
			var b []byte
			b, s.err = s.m.Bytes(at, w*h*4)
			copy(out.Pix, b)
		}
		s.call("MagickMemory_Relinquish", at)
	})
	s.call("PixelCollection_Dispose", pix)
	return out
}

// fromLight applies the sRGB transfer function (IEC 61966-2-1) to linear light.
func fromLight(pix []byte) {
	var curve [256]byte
	for i := range curve {
		v := float64(i) / 255
		if v <= 0.0031308 {
			v *= 12.92
		} else {
			v = 1.055*math.Pow(v, 1/2.4) - 0.055
		}
		curve[i] = byte(v*255 + 0.5)
	}
	for i := range pix {
		if i%4 != 3 {
			pix[i] = curve[pix[i]]
		}
	}
}
