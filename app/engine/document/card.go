package document

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"strings"

	"golang.org/x/image/draw"
	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// maxThumbnail is the maximum size of an embedded thumbnail in pixels.
const maxThumbnail = 8_000_000

// thumbnail decodes the embedded thumbnail of a document and scales its longest side to at
// most side. It returns nil if it cannot decode it.
func thumbnail(data []byte, side int) *image.NRGBA {
	config, decode := jpeg.DecodeConfig, jpeg.Decode
	if bytes.HasPrefix(data, []byte("\x89PNG")) {
		config, decode = png.DecodeConfig, png.Decode
	}
	c, err := config(bytes.NewReader(data))
	if err != nil || c.Width < 1 || c.Height < 1 || int64(c.Width)*int64(c.Height) > maxThumbnail {
		return nil
	}
	img, err := decode(bytes.NewReader(data))
	if err != nil {
		return nil
	}
	w, h := c.Width, c.Height
	if long := max(w, h); long > side {
		w, h = max(w*side/long, 1), max(h*side/long, 1)
	}
	out := white(w, h)
	draw.CatmullRom.Scale(out, out.Rect, img, img.Bounds(), draw.Over, nil)
	return out
}

func white(w, h int) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	draw.Draw(img, img.Rect, image.White, image.Point{}, draw.Src)
	return img
}

// paint is the color of a kind of documents.
type paint color.NRGBA

var (
	blue   = paint{0x2b, 0x57, 0x9a, 0xff}
	green  = paint{0x21, 0x73, 0x46, 0xff}
	orange = paint{0xb7, 0x47, 0x2a, 0xff}
	gray   = paint{0x60, 0x60, 0x60, 0xff}
	black  = paint{0x20, 0x20, 0x20, 0xff}
)

// fonts are the fonts of cards. They contain Latin, Greek and Cyrillic letters.
type fonts struct{ regular, bold *opentype.Font }

func loadFonts() (*fonts, error) {
	regular, err := opentype.Parse(goregular.TTF)
	if err != nil {
		return nil, err
	}
	bold, err := opentype.Parse(gobold.TTF)
	return &fonts{regular, bold}, err
}

// card is a placeholder for the first page of a document.
type card struct {
	side        int // pixels
	label       string
	paint       paint
	title, body string
}

// card draws a card: a white page with the title and the beginning of the text. It skips
// lines in scripts that the fonts do not support.
func (f *fonts) card(c card) *image.NRGBA {
	w, h := c.side*3/4, c.side
	img := white(max(w, 1), max(h, 1))
	margin, size := w/12, max(float64(w)/30, 4)
	draw.Draw(img, image.Rect(0, 0, w, h/60+1), image.NewUniform(color.NRGBA(c.paint)), image.Point{}, draw.Src)
	foot := h - margin
	s := setter{img: img, left: margin, width: w - 2*margin, y: margin + h/60, bottom: foot}
	s.set(f.regular, size*0.8, c.paint, c.label, 1)
	s.y += int(size)
	if c.title != "" {
		s.set(f.bold, size*1.8, black, c.title, 4)
		s.y += int(size)
	}
	for line := range strings.SplitSeq(c.body[:min(len(c.body), 8000)], "\n") {
		if s.y >= s.bottom {
			break
		}
		s.set(f.regular, size, black, strings.ReplaceAll(line, "\t", "    "), 100)
	}
	return img
}

// setter sets lines from top to bottom.
type setter struct {
	img         *image.NRGBA
	left, width int
	y, bottom   int // position of the previous line, and bottom limit
}

// set sets a paragraph of at most the given number of lines.
func (s *setter) set(f *opentype.Font, size float64, p paint, text string, lines int) {
	height := int(size * 1.35)
	if text == "" {
		s.y += height / 2
		return
	}
	text = drawable(f, text)
	if text == "" {
		return
	}
	face, err := opentype.NewFace(f, &opentype.FaceOptions{Size: size, DPI: 72, Hinting: font.HintingFull})
	if err != nil {
		return // cannot happen, because the sizes are constant
	}
	defer face.Close()
	d := font.Drawer{Dst: s.img, Src: image.NewUniform(color.NRGBA(p)), Face: face}
	for ; text != "" && lines > 0 && s.y+height <= s.bottom; lines-- {
		var line string
		line, text = fit(face, text, fixed.I(s.width))
		s.y += height
		d.Dot = fixed.P(s.left, s.y)
		d.DrawString(line)
	}
}

// fit splits a text at the end of a line: between words, if possible.
func fit(face font.Face, text string, width fixed.Int26_6) (line, rest string) {
	var x fixed.Int26_6
	space := 0
	for i, r := range text {
		if r == ' ' && i > 0 {
			space = i
		}
		advance, _ := face.GlyphAdvance(r)
		if x += advance; x <= width || i == 0 {
			continue
		}
		if space == 0 {
			return text[:i], text[i:]
		}
		return text[:space], strings.TrimLeft(text[space:], " ")
	}
	return text, ""
}

// drawable returns the characters of a text that a font supports, or "" if they are less
// than half.
func drawable(f *opentype.Font, text string) string {
	var buf sfnt.Buffer
	all, lost := 0, 0
	out := strings.Map(func(r rune) rune {
		all++
		if i, err := f.GlyphIndex(&buf, r); err != nil || i == 0 {
			lost++
			return -1
		}
		return r
	}, text)
	if 2*lost > all {
		return ""
	}
	return out
}

// Cards draws cards for files of other engines.
type Cards struct{ fonts *fonts }

// NewCards loads the fonts.
func NewCards() (*Cards, error) {
	f, err := loadFonts()
	return &Cards{f}, err
}

// Draw draws a card whose longest side is side pixels.
func (c *Cards) Draw(side int, label, title, body string) *image.NRGBA {
	return c.fonts.card(card{side: side, label: label, paint: gray, title: title, body: body})
}
