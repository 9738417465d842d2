package tesseract

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"io"

	"golang.org/x/image/draw"

	"github.com/digital-asset-library/dal/app/engine"
)

// maxHead is the maximum size of a picture's header, in bytes.
const maxHead = 32

// readPGM reads a grayscale picture: "P5", width and height, and 255 on three lines,
// followed by the pixels (https://netpbm.sourceforge.net/doc/pgm.html).
func readPGM(file io.Reader, most int64) (*image.Gray, error) {
	var head []byte
	for bytes.Count(head, []byte("\n")) < 3 && len(head) < maxHead {
		var c [1]byte
		if _, err := io.ReadFull(file, c[:]); err != nil {
			break
		}
		head = append(head, c[0])
	}
	var w, h int
	if _, err := fmt.Sscanf(string(head), "P5\n%d %d\n255\n", &w, &h); err != nil {
		return nil, &engine.Fault{Reason: engine.Unsupported, Text: "it is no picture in the format PGM"}
	}
	if min(w, h) < 1 || max(w, h) > maxSide || int64(w)*int64(h) > most {
		return nil, &engine.Fault{Reason: engine.Exceeded, Text: fmt.Sprintf("%d × %d pixels", w, h)}
	}
	picture := image.NewGray(image.Rect(0, 0, w, h))
	if _, err := io.ReadFull(file, picture.Pix); err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, &engine.Fault{Reason: engine.Damaged, Text: "the picture is cut off"}
		}
		return nil, err
	}
	return picture, nil
}

// The sizes of pictures, in pixels of the longest side.
const (
	maxSide   = 16 << 10
	smallSide = 2000 // screenshots, whose letters are too small for Tesseract
)

// enlarged doubles the size of a small picture.
func enlarged(p *image.Gray) *image.Gray {
	if max(p.Rect.Dx(), p.Rect.Dy()) > smallSide {
		return p
	}
	out := image.NewGray(image.Rect(0, 0, 2*p.Rect.Dx(), 2*p.Rect.Dy()))
	draw.BiLinear.Scale(out, out.Rect, p, p.Rect, draw.Src, nil)
	return out
}

// reduced scales a picture down to a longest side of at most side pixels.
func reduced(p *image.Gray, side int) *image.Gray {
	longest := max(p.Rect.Dx(), p.Rect.Dy())
	if longest <= side {
		return p
	}
	out := image.NewGray(image.Rect(0, 0, max(p.Rect.Dx()*side/longest, 1), max(p.Rect.Dy()*side/longest, 1)))
	draw.ApproxBiLinear.Scale(out, out.Rect, p, p.Rect, draw.Src, nil)
	return out
}

// turned rotates a picture clockwise by 0, 90, 180 or 270 degrees.
func turned(p *image.Gray, degrees int) *image.Gray {
	if degrees == 0 {
		return p
	}
	w, h := p.Rect.Dx(), p.Rect.Dy()
	out := image.NewGray(image.Rect(0, 0, h, w))
	if degrees == 180 {
		out = image.NewGray(p.Rect)
	}
	for y := range h {
		for x, v := range p.Pix[y*p.Stride : y*p.Stride+w] {
			switch degrees {
			case 90:
				out.Pix[x*out.Stride+h-1-y] = v
			case 180:
				out.Pix[(h-1-y)*out.Stride+w-1-x] = v
			case 270:
				out.Pix[(w-1-x)*out.Stride+y] = v
			}
		}
	}
	return out
}
