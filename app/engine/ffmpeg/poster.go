package ffmpeg

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	_ "image/gif" // covers
	_ "image/jpeg"
	_ "image/png"

	"github.com/tetratelabs/wazero/api"
	"golang.org/x/image/draw"
	_ "golang.org/x/image/webp"

	"github.com/digital-asset-library/dal/app/engine"
	"github.com/digital-asset-library/dal/app/engine/cicp"
)

// places are the candidate positions of a poster, as fractions of the duration.
var places = []float64{0.1, 0.25, 0.5, 0, 0.75, 0.9}

// skips are the numbers of frames to skip, in sequence, in a video whose candidate
// positions are all dark.
var skips = []uint64{5, 10, 20, 40, 80}

// poster makes a picture of a video: the first frame that is neither dark nor monochrome,
// otherwise the best one found.
func (s *session) poster(look *engine.Look, f facts, j engine.Job) {
	if f["video.decodes"] != "yes" {
		s.still(look, f)
		if look.Still == nil {
			look.Note = "the video is coded with " + f["video.codec"] + ", which the library cannot decode"
		}
		return
	}
	c := &choice{s: s, colors: f.space().Converter(), side: j.Side, pixels: uint64(min(j.Pixels, maxFrame))}
	for _, place := range places {
		if place == 0 || look.Seconds > 0 {
			c.try("frame", api.EncodeF64(place*look.Seconds), uint64(c.side), c.pixels)
		}
	}
	for i, skip := range skips { // seeking may not be possible
		c.try("later", uint64(b2i(i == 0)), skip, uint64(c.side), c.pixels)
	}
	best, bestAt := c.best, c.at
	if best == nil {
		look.Note = "no frame of the video can be decoded"
		look.Warning = "No frame of the video can be decoded."
		s.err = nil // the metadata is still valid
		return
	}
	look.Picture, look.Shows = turned(best, f.turn()), "a frame at "+clock(bestAt)
	look.Note = f.space().Note()
}

// choice is the state of choosing a frame.
type choice struct {
	s      *session
	colors *cicp.Converter // nil if the frames are in sRGB
	side   int
	pixels uint64

	best  *image.NRGBA
	at    float64 // seconds
	score float64
}

// try decodes a frame and keeps it if it is the best so far. It does nothing after finding
// a good one.
func (c *choice) try(name string, args ...uint64) {
	if c.score >= lively || c.s.err != nil || c.s.late() {
		return
	}
	if _, ok := c.s.attempt(name, args...); !ok {
		return
	}
	img := c.s.framePixels(c.side, c.colors)
	if img == nil {
		return
	}
	if score := liveliness(img); c.best == nil || score > c.score {
		c.best, c.at, c.score = img, c.s.float("shown_at"), score
	}
}

// framePixels returns the last decoded frame, converted to sRGB.
func (s *session) framePixels(side int, colors *cicp.Converter) *image.NRGBA {
	w, h, deep := int(s.call("width")), int(s.call("height")), s.call("deep") != 0
	at := s.call("pixels")
	if s.err != nil || w < 1 || h < 1 || max(w, h) > side {
		return nil
	}
	n := 4 * w * h
	if deep {
		n *= 2
	}
	b, err := s.i.Bytes(at, uint64(n))
	if s.err = err; err != nil {
		return nil
	}
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	switch {
	case deep && colors != nil:
		at := func(i int) uint16 { return binary.LittleEndian.Uint16(b[2*i:]) >> 4 }
		for i := 0; i < len(img.Pix); i += 4 {
			img.Pix[i], img.Pix[i+1], img.Pix[i+2] = colors.RGB(at(i), at(i+1), at(i+2))
		}
	case deep:
		for i := range img.Pix {
			img.Pix[i] = b[2*i+1]
		}
	default:
		copy(img.Pix, b)
		if colors != nil {
			colors.Convert(img.Pix)
		}
	}
	for i := 3; i < len(img.Pix); i += 4 {
		img.Pix[i] = 255
	}
	return img
}

// lively is the minimum score of a meaningful frame.
const lively = 18

// liveliness is the score of a frame: the standard deviation of its brightness, at most
// 127. Dark frames score close to 0.
func liveliness(img *image.NRGBA) float64 {
	var n, sum, squares float64
	step := 4 * max(1, len(img.Pix)/4/20_000)
	for i := 0; i+4 <= len(img.Pix); i += step {
		p := img.Pix[i:]
		v := 0.299*float64(p[0]) + 0.587*float64(p[1]) + 0.114*float64(p[2])
		n, sum, squares = n+1, sum+v, squares+v*v
	}
	mean := sum / n
	spread := squares/n - mean*mean
	if spread <= 0 {
		return mean / 1000
	}
	score := sqrt(spread)
	if mean < 24 {
		score *= mean / 48
	}
	return score
}

// turned rotates a picture clockwise by 0, 90, 180 or 270 degrees.
func turned(img *image.NRGBA, degrees int) *image.NRGBA {
	w, h := img.Rect.Dx(), img.Rect.Dy()
	var to func(x, y int) (int, int)
	out := img
	switch degrees {
	case 90:
		out, to = image.NewNRGBA(image.Rect(0, 0, h, w)), func(x, y int) (int, int) { return h - 1 - y, x }
	case 180:
		out, to = image.NewNRGBA(image.Rect(0, 0, w, h)), func(x, y int) (int, int) { return w - 1 - x, h - 1 - y }
	case 270:
		out, to = image.NewNRGBA(image.Rect(0, 0, h, w)), func(x, y int) (int, int) { return y, w - 1 - x }
	default:
		return img
	}
	for y := range h {
		for x := range w {
			tx, ty := to(x, y)
			copy(out.Pix[ty*out.Stride+4*tx:][:4], img.Pix[y*img.Stride+4*x:])
		}
	}
	return out
}

// clock formats a position in a file for people: 0:03, 1:02:03.
func clock(seconds float64) string {
	n := int(max(seconds, 0))
	if n < 3600 {
		return fmt.Sprintf("%d:%02d", n/60, n%60)
	}
	return fmt.Sprintf("%d:%02d:%02d", n/3600, n/60%60, n%60)
}

// The limits of a cover.
const (
	maxCover       = 16 << 20 // bytes
	maxCoverPixels = 50_000_000
)

// cover decodes the embedded cover of an audio file. It reports whether it succeeded.
func (s *session) cover(look *engine.Look, f facts, side int) bool {
	data := s.bytes("cover", f.int("cover"), maxCover)
	if data == nil {
		return false
	}
	img := decodeCover(data)
	if img == nil {
		return false
	}
	w, h := img.Bounds().Dx(), img.Bounds().Dy()
	if most := max(w, h); most > side {
		w, h = max(w*side/most, 1), max(h*side/most, 1)
	}
	look.Picture = image.NewNRGBA(image.Rect(0, 0, w, h))
	draw.BiLinear.Scale(look.Picture, look.Picture.Rect, img, img.Bounds(), draw.Src, nil)
	look.Shows = "the cover"
	about(look)["picture"] = "cover"
	return true
}

// decodeCover decodes a picture. It returns nil if it cannot.
func decodeCover(data []byte) (img image.Image) {
	defer func() {
		if recover() != nil { // by a decoder, which must not fail the audio file
			img = nil
		}
	}()
	c, _, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil || min(c.Width, c.Height) < 1 || c.Width > maxCoverPixels/c.Height {
		return nil
	}
	if img, _, err = image.Decode(bytes.NewReader(data)); err != nil || img.Bounds().Empty() {
		return nil
	}
	return img
}

// about returns the facts of an audio file.
func about(look *engine.Look) map[string]any {
	m, _ := look.Facts["audio"].(map[string]any)
	return m
}
