package tiff

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	"image/jpeg"
	"io"
)

// decodeJPEG writes a block that is a JPEG to the canvas (TIFF technical note 2).
func (p *Picture) decodeJPEG(c *canvas, plane, x, y int, at, n int64) error {
	if err := p.checkFrame(at, n); err != nil {
		return err
	}
	img, err := jpeg.Decode(p.stream(at, n))
	if err != nil {
		if _, ok := errors.AsType[jpeg.UnsupportedError](err); ok {
			return UnsupportedError(err.Error())
		}
		return err
	}
	b := img.Bounds()
	if b.Dx() > p.blockW || b.Dy() > p.blockH {
		return FormatError("a JPEG inside is too large")
	}
	values := make([]uint16, b.Dx()*p.planeSamples())
	for row := range min(b.Dy(), p.Height-y) {
		if !p.jpegRow(values, img, row) {
			return FormatError("a JPEG inside has other samples")
		}
		c.put(values, plane, x, y+row)
	}
	return nil
}

// jpegRow reads the samples of a row of a JPEG, in the interpretation of the TIFF.
func (p *Picture) jpegRow(values []uint16, img image.Image, row int) bool {
	n := p.planeSamples()
	switch m := img.(type) {
	case *image.Gray:
		for x, v := range m.Pix[row*m.Stride:][:m.Rect.Dx()] {
			values[x*n] = uint16(v)
		}
		return n == 1
	case *image.YCbCr:
		if n != 3 {
			return false
		}
		for x := range m.Rect.Dx() {
			v := m.YCbCrAt(x, row)
			r, g, b := v.Y, v.Cb, v.Cr
			if p.photometric == yCbCr {
				r, g, b = color.YCbCrToRGB(r, g, b)
			}
			values[3*x], values[3*x+1], values[3*x+2] = uint16(r), uint16(g), uint16(b)
		}
		return true
	case *image.RGBA:
		for x := range m.Rect.Dx() {
			for i := range min(n, 3) {
				values[x*n+i] = uint16(m.Pix[row*m.Stride+4*x+i])
			}
		}
		return n >= 3
	case *image.CMYK: // the decoder has inverted it
		for i, v := range m.Pix[row*m.Stride:][:4*m.Rect.Dx()] {
			if n == 4 {
				values[i] = uint16(255 - v)
			}
		}
		return n == 4
	}
	return false
}

// adobe declares four samples to be CMYK, which the decoder requires.
const adobe = "\xff\xee\x00\x0eAdobe\x00\x64\x00\x00\x00\x00\x00"

// stream returns a block preceded by the shared tables.
func (p *Picture) stream(at, n int64) io.Reader {
	head := []byte{0xff, 0xd8}
	if p.photometric == separated {
		head = append(head, adobe...)
	}
	tables := bytes.TrimSuffix(p.tables, []byte{0xff, 0xd9})
	if len(tables) > 2 {
		head = append(head, tables[2:]...)
	}
	return io.MultiReader(bytes.NewReader(head), p.section(at+2, max(0, n-2)))
}

// checkFrame validates the frame header of a block before it is decoded: it must not be
// larger than the block, nor progressive, which takes more memory.
func (p *Picture) checkFrame(at, n int64) error {
	var b [9]byte
	for pos := at + 2; pos < at+n; {
		if _, err := p.f.r.ReadAt(b[:4], pos); err != nil {
			return endless(err)
		}
		switch m := b[1]; {
		case b[0] != 0xff:
			return FormatError("a JPEG inside is damaged")
		case m == 0xff:
			pos++
			continue
		case m <= 0x01 || m >= 0xd0 && m <= 0xd8:
			pos += 2
			continue
		case m == 0xc0 || m == 0xc1:
			if _, err := p.f.r.ReadAt(b[:], pos); err != nil {
				return endless(err)
			}
			if h, w := int(b[5])<<8|int(b[6]), int(b[7])<<8|int(b[8]); w > p.blockW || h > p.blockH {
				return FormatError("a JPEG inside is too large")
			}
			return nil
		case m >= 0xc2 && m <= 0xcf && m != 0xc4 && m != 0xc8 && m != 0xcc:
			return UnsupportedError("a progressive JPEG inside")
		case m == 0xda || m == 0xd9:
			return FormatError("a JPEG inside has no frame")
		}
		pos += 2 + (int64(b[2])<<8 | int64(b[3]))
	}
	return io.ErrUnexpectedEOF
}
