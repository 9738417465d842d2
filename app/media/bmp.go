package media

import (
	"bytes"
	"encoding/binary"
	"errors"
	"image"
	"slices"

	"golang.org/x/image/bmp"

	"github.com/digital-asset-library/dal/app/dam"
)

var bmpFormat = format{
	Type: Type{
		MIME: "image/bmp", Name: "BMP", Phrase: "a BMP picture",
		Extensions: []string{"bmp", "dib"}, Category: dam.CategoryImage, Showable: true,
	},
	is:        isBMP,
	header:    bmpHeader,
	memory:    bmpMemory,
	decode:    func(s source) (image.Image, error) { return bmp.Decode(s.buffered()) },
	beyond:    func(err error) bool { return errors.Is(err, bmp.ErrUnsupported) },
	otherwise: &byEngine{name: "magick", format: "BMP"}, // run-length encoding, 16 bits per pixel
}

// isBMP checks for the magic of a BMP and for a valid length of its second header, because
// text can also begin with the magic.
func isBMP(_ source, head []byte) bool {
	return len(head) >= 26 && bytes.HasPrefix(head, []byte("BM")) &&
		slices.Contains([]uint32{12, 40, 52, 56, 64, 108, 124}, binary.LittleEndian.Uint32(head[14:]))
}

func bmpHeader(s source) (header, error) {
	c, err := bmp.DecodeConfig(s.section())
	return header{width: c.Width, height: c.Height}, err
}

// bmpMemory estimates from the header. The decoder allocates one byte per pixel for
// palettes and four otherwise, plus one row as stored.
func bmpMemory(s source, h header) (int64, error) {
	var b [2]byte
	if _, err := s.ReadAt(b[:], 28); err != nil {
		return 0, err
	}
	if binary.LittleEndian.Uint16(b[:]) <= 8 {
		return h.area() + int64(h.width) + 8, nil
	}
	return 4*h.area() + 3*int64(h.width) + 8, nil
}
