package media

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"image"
	"image/color"
	"slices"

	"github.com/digital-asset-library/dal/app/dam"
)

// os2Format is a bitmap array of OS/2 (BITMAPARRAYFILEHEADER in pmbitmap.h): bitmaps, icons or
// pointers for several screens. Its picture is the largest one.
var os2Format = format{
	Type: Type{
		MIME: "image/x-os2-graphics", Name: "OS/2 bitmap array", Phrase: "an OS/2 bitmap array picture",
		Extensions: []string{"bga", "ptr"}, Category: dam.CategoryImage,
	},
	is:     isOS2,
	header: os2Header,
	memory: func(_ source, h header) (int64, error) { return 4*h.area() + 6*int64(h.width) + 16, nil },
	decode: decodeOS2,
	beyond: func(err error) bool { return errors.Is(err, errUnusualOS2) },
}

var errUnusualOS2 = errors.New("no picture of the array has a supported layout")

const (
	maxOS2     = 256 // pictures of an array that are considered
	os2Array   = 14  // bytes of the header of an element
	os2File    = 14  // bytes of the header of a bitmap, before its dimensions
	os2Minimal = 12  // bytes of the dimensions in OS/2 1.x
	os2Most    = 64  // bytes of the dimensions in OS/2 2.0, which may omit the last ones
)

// isOS2 checks for the magic of an array, that of its first picture and the length of the
// picture's header, because text can also begin with the magic.
func isOS2(_ source, head []byte) bool {
	if len(head) < os2Array+os2File+os2Minimal || !bytes.HasPrefix(head, []byte("BA")) {
		return false
	}
	n := binary.LittleEndian.Uint32(head[os2Array+os2File:])
	return slices.Contains([]string{"BM", "IC", "PT", "CI", "CP"}, string(head[os2Array:os2Array+2])) &&
		n >= os2Minimal && n <= os2Most
}

// os2Bitmap is a bitmap within an array. Its rows are stored from the bottom to the top.
type os2Bitmap struct {
	width, height int
	bits          int // per pixel: 1, 4, 8 or 24
	palette       [256]color.NRGBA
	pixels        int64 // offset in the file
	end           int64 // end of its header and palette
}

// os2Picture is an element of an array. The mask of an icon or a pointer has one bit per
// pixel and twice the height: the pixels to invert, and above them the transparent ones.
type os2Picture struct {
	os2Bitmap
	mask *os2Bitmap
}

// stride returns the number of bytes of a row.
func (b os2Bitmap) stride() int64 { return (int64(b.width)*int64(b.bits) + 31) / 32 * 4 }

// row reads a row, counted from the bottom.
func (b os2Bitmap) row(s source, y int, row []byte) error {
	return readOS2(s, b.pixels+int64(y)*b.stride(), row)
}

// sample returns the value of a pixel of a row with at most 8 bits per pixel.
func (b os2Bitmap) sample(row []byte, x int) byte {
	bit := x * b.bits
	return row[bit/8] >> (8 - b.bits - bit%8) & (1<<b.bits - 1)
}

// color returns the colour of a pixel of a row.
func (b os2Bitmap) color(row []byte, x int) color.NRGBA {
	if b.bits == 24 {
		return color.NRGBA{R: row[3*x+2], G: row[3*x+1], B: row[3*x], A: 255}
	}
	return b.palette[b.sample(row, x)]
}

// readOS2Bitmap reads the header and the palette of the bitmap at an offset.
func readOS2Bitmap(s source, at int64) (b os2Bitmap, err error) {
	var head [os2File + os2Most]byte
	if err := readOS2(s, at, head[:os2File+os2Minimal]); err != nil {
		return b, err
	}
	n := binary.LittleEndian.Uint32(head[os2File:])
	if n != os2Minimal && (n < 16 || n > os2Most) {
		return b, errUnusualOS2
	}
	if err := readOS2(s, at, head[:os2File+n]); err != nil {
		return b, err
	}
	le, fields, entry := binary.LittleEndian, head[os2File:], int64(4) // fields beyond the header's end are zero
	b.pixels = int64(le.Uint32(head[10:]))
	planes, used := uint16(0), uint32(0)
	if n == os2Minimal {
		b.width, b.height, entry = int(le.Uint16(fields[4:])), int(le.Uint16(fields[6:])), 3
		planes, b.bits = le.Uint16(fields[8:]), int(le.Uint16(fields[10:]))
	} else {
		b.width, b.height = int(int32(le.Uint32(fields[4:]))), int(int32(le.Uint32(fields[8:])))
		planes, b.bits = le.Uint16(fields[12:]), int(le.Uint16(fields[14:]))
		used = le.Uint32(fields[32:])
		if le.Uint32(fields[16:]) != 0 {
			return b, errUnusualOS2 // compressed
		}
	}
	if planes != 1 || !slices.Contains([]int{1, 4, 8, 24}, b.bits) {
		return b, errUnusualOS2
	}
	if b.width <= 0 || b.height <= 0 {
		return b, errors.New("a picture of the array has no pixels")
	}
	b.end = at + os2File + int64(n)
	if b.bits == 24 {
		return b, nil
	}
	colors := int64(1) << b.bits
	if used > 0 {
		colors = min(colors, int64(used))
	}
	var palette [4 * 256]byte
	if err := readOS2(s, b.end, palette[:colors*entry]); err != nil {
		return b, err
	}
	for i := range b.palette {
		b.palette[i].A = 255
		if c := palette[int64(i)*entry:]; int64(i) < colors {
			b.palette[i] = color.NRGBA{R: c[2], G: c[1], B: c[0], A: 255}
		}
	}
	b.end += colors * entry
	return b, nil
}

// readOS2 fills b from an offset, without allocating.
func readOS2(s source, at int64, b []byte) error {
	if n, err := s.ReadAt(b, at); n < len(b) {
		return err
	}
	return nil
}

// readOS2Picture reads the headers of the picture at an offset.
func readOS2Picture(s source, at int64) (p os2Picture, err error) {
	var kind [2]byte
	if err := readOS2(s, at, kind[:]); err != nil {
		return p, err
	}
	first, err := readOS2Bitmap(s, at)
	if err != nil || string(kind[:]) == "BM" {
		return os2Picture{os2Bitmap: first}, err
	}
	if first.bits != 1 || first.height%2 != 0 {
		return p, errUnusualOS2
	}
	p.mask, p.os2Bitmap = &first, first
	switch string(kind[:]) {
	case "IC", "PT":
		p.height /= 2
		p.palette[0], p.palette[1] = color.NRGBA{A: 255}, color.NRGBA{R: 255, G: 255, B: 255, A: 255}
		return p, nil
	case "CI", "CP":
		if p.os2Bitmap, err = readOS2Bitmap(s, first.end); err != nil {
			return p, err
		}
		if p.width != first.width || 2*p.height != first.height {
			return p, errUnusualOS2
		}
		return p, nil
	}
	return p, errUnusualOS2
}

// largestOS2 returns the picture of an array with most pixels; among those, with most bits.
func largestOS2(s source) (best os2Picture, err error) {
	at, found := int64(0), false
	for range maxOS2 {
		var head [os2Array]byte
		if failed := readOS2(s, at, head[:]); failed != nil || string(head[:2]) != "BA" {
			err = cmp.Or(err, failed, errUnusualOS2)
			break
		}
		p, failed := readOS2Picture(s, at+os2Array)
		if failed != nil {
			err = cmp.Or(err, failed)
		} else if !found || cmp.Or(cmp.Compare(p.area(), best.area()), cmp.Compare(p.bits, best.bits)) > 0 {
			best, found = p, true
		}
		next := int64(binary.LittleEndian.Uint32(head[6:]))
		if next <= at {
			break
		}
		at = next
	}
	if found {
		err = nil
	}
	return best, err
}

func (b os2Bitmap) area() int64 { return int64(b.width) * int64(b.height) }

func os2Header(s source) (header, error) {
	p, err := largestOS2(s)
	return header{width: p.width, height: p.height}, err
}

func decodeOS2(s source) (image.Image, error) {
	p, err := largestOS2(s)
	if err != nil {
		return nil, err
	}
	img := image.NewNRGBA(image.Rect(0, 0, p.width, p.height))
	row := make([]byte, p.stride())
	var invert, transparent []byte
	if p.mask != nil {
		invert, transparent = make([]byte, p.mask.stride()), make([]byte, p.mask.stride())
	}
	for y := range p.height {
		if err := p.row(s, y, row); err != nil {
			return nil, err
		}
		if p.mask != nil {
			if err := cmp.Or(p.mask.row(s, y, invert), p.mask.row(s, p.height+y, transparent)); err != nil {
				return nil, err
			}
		}
		for x := range p.width {
			c := p.color(row, x)
			if p.mask != nil && p.mask.sample(transparent, x) == 1 && p.mask.sample(invert, x) == 0 {
				c = color.NRGBA{}
			}
			img.SetNRGBA(x, p.height-1-y, c)
		}
	}
	return img, nil
}
