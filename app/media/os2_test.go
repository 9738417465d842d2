package media_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"image/color"
	"testing"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/media"
)

// os2Entry is a picture of an array that os2Array writes: red on the left and blue on the
// right; white on the left and black on the right if it has no colours. The bottom row of an
// icon or a pointer is transparent.
type os2Entry struct {
	kind       string
	side, bits int
	long       bool // with the header of OS/2 2.0
	squeezed   bool // says that it is compressed
}

// os2Array writes an OS/2 bitmap array.
func os2Array(entries ...os2Entry) []byte {
	le := binary.LittleEndian
	var out []byte
	for i, e := range entries {
		start := len(out)
		mask := e.kind != "BM"
		out = append(out, "BA\x28\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"...)
		var patch []int
		header := func(height, bits int) {
			out = append(append(out, e.kind...), make([]byte, 8)...)
			patch = append(patch, len(out))
			out = append(out, 0, 0, 0, 0)
			if e.long {
				h := make([]byte, 40)
				h[0], h[12], h[14], h[16] = 40, 1, byte(bits), map[bool]byte{true: 1}[e.squeezed]
				le.PutUint32(h[4:], uint32(e.side))
				le.PutUint32(h[8:], uint32(height))
				out = append(out, h...)
			} else {
				out = append(out, 12, 0, 0, 0, byte(e.side), byte(e.side>>8), byte(height), byte(height>>8), 1, 0, byte(bits), 0)
			}
			if bits < 24 {
				colors := [][]byte{{0, 0, 255}, {255, 0, 0}} // red, blue
				for c := range 1 << bits {
					entry := []byte{0, 0, 0}
					if c < len(colors) {
						entry = colors[c]
					}
					if out = append(out, entry...); e.long {
						out = append(out, 0)
					}
				}
			}
		}
		plane := func(bits int, right func(x, y int) int) {
			for y := range e.side {
				row := make([]byte, (e.side*bits+31)/32*4)
				for x := range e.side {
					if bits == 24 {
						copy(row[3*x:], [][]byte{{0, 0, 255}, {255, 0, 0}}[right(x, y)])
						continue
					}
					row[x*bits/8] |= byte(right(x, y)) << (8 - bits - x*bits%8)
				}
				out = append(out, row...)
			}
		}
		half := func(x, _ int) int { return map[bool]int{true: 1}[x >= e.side/2] }
		if mask {
			header(2*e.side, 1)
		}
		if !mask || e.kind[0] == 'C' {
			header(e.side, e.bits)
		}
		if mask {
			le.PutUint32(out[patch[0]:], uint32(len(out)))
			plane(1, func(x, y int) int { // pixels to invert, or white ones
				if y == 0 || e.kind[0] == 'C' {
					return 0
				}
				return 1 - half(x, y)
			})
			plane(1, func(_, y int) int { return map[bool]int{true: 1}[y == 0] })
		}
		if !mask || e.kind[0] == 'C' {
			le.PutUint32(out[patch[len(patch)-1]:], uint32(len(out)))
			plane(e.bits, half)
		}
		if i+1 < len(entries) {
			le.PutUint32(out[start+6:], uint32(len(out)))
		}
	}
	return out
}

// The picture of an OS/2 bitmap array is its largest one, whatever kind it is.
func TestOS2Array(t *testing.T) {
	t.Parallel()
	red, blue := color.NRGBA{R: 255, A: 255}, color.NRGBA{B: 255, A: 255}
	white, black := color.NRGBA{R: 255, G: 255, B: 255, A: 255}, color.NRGBA{A: 255}
	small := os2Array(os2Entry{kind: "BM", side: 8, bits: 8})
	outside := bytes.Clone(small)
	binary.LittleEndian.PutUint32(outside[6:], 1<<20)
	loop := os2Array(os2Entry{kind: "BM", side: 8, bits: 8}, os2Entry{kind: "BM", side: 16, bits: 8})
	second := binary.LittleEndian.Uint32(loop[6:])
	binary.LittleEndian.PutUint32(loop[second+6:], second)
	for _, tt := range []struct {
		name        string
		data        []byte
		side        int
		left, right color.NRGBA
		masked      bool
	}{
		{"one bitmap", small, 8, red, blue, false},
		{"the large one last", os2Array(os2Entry{kind: "BM", side: 8, bits: 24}, os2Entry{kind: "BM", side: 20, bits: 4}), 20, red, blue, false},
		{"the large one first", os2Array(os2Entry{kind: "BM", side: 20, bits: 24},
			os2Entry{kind: "BM", side: 8, bits: 4}), 20, red, blue, false},
		{"as large, more bits", os2Array(os2Entry{kind: "PT", side: 16}, os2Entry{kind: "CP", side: 16, bits: 4}), 16, red, blue, true},
		{"headers of 2.0", os2Array(os2Entry{kind: "BM", side: 40, bits: 24, long: true}), 40, red, blue, false},
		{"palette of 2.0", os2Array(os2Entry{kind: "BM", side: 40, bits: 8, long: true}), 40, red, blue, false},
		{"one bit", os2Array(os2Entry{kind: "BM", side: 40, bits: 1, long: true}), 40, red, blue, false},
		{"icon", os2Array(os2Entry{kind: "IC", side: 32}), 32, white, black, true},
		{"pointer of 2.0", os2Array(os2Entry{kind: "PT", side: 32, long: true}), 32, white, black, true},
		{"colour icon", os2Array(os2Entry{kind: "CI", side: 32, bits: 8},
			os2Entry{kind: "CI", side: 64, bits: 24, long: true}), 64, red, blue, true},
		{"unsupported ones do not count", os2Array(os2Entry{kind: "BM", side: 40, bits: 8, long: true, squeezed: true},
			os2Entry{kind: "BM", side: 8, bits: 8}), 8, red, blue, false},
		{"an endless chain", loop, 16, red, blue, false},
		{"a chain that leaves the file", outside, 8, red, blue, false},
	} {
		r, err := extract(tt.data, "a.bga")
		if err != nil || r.Width != tt.side || r.Height != tt.side || r.Picture == nil || r.Type.Name != "OS/2 bitmap array" {
			t.Errorf("%s: %v, %+v", tt.name, err, r)
			continue
		}
		img, err := media.Decode(bytes.NewReader(tt.data), int64(len(tt.data)))
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		bottom := tt.left
		if tt.masked {
			bottom = color.NRGBA{}
		}
		if at := img.At(0, 0); at != tt.left {
			t.Errorf("%s: the left is %v", tt.name, at)
		}
		if at := img.At(tt.side-1, 0); at != tt.right {
			t.Errorf("%s: the right is %v", tt.name, at)
		}
		if at := img.At(0, tt.side-1); at != bottom {
			t.Errorf("%s: the bottom is %v", tt.name, at)
		}
	}
}

// Arrays of which no picture can be read are rejected with the reason.
func TestOS2ArrayFaults(t *testing.T) {
	t.Parallel()
	whole := os2Array(os2Entry{kind: "CI", side: 32, bits: 8})
	sized := func(width, height uint16) []byte {
		data := os2Array(os2Entry{kind: "BM", side: 8, bits: 8})
		binary.LittleEndian.PutUint16(data[32:], width)
		binary.LittleEndian.PutUint16(data[34:], height)
		return data
	}
	odd := os2Array(os2Entry{kind: "IC", side: 8})
	odd[34]++
	apart := bytes.Clone(whole)
	apart[14+26+6+18]++ // the mask and the colours have different widths
	for _, tt := range []struct {
		name string
		data []byte
		code dam.FileErrorCode
	}{
		{"headers are missing", whole[:50], dam.CodeCorrupt},
		{"pixels are missing", whole[:len(whole)-1], dam.CodeCorrupt},
		{"no pixels", sized(0, 8), dam.CodeCorrupt},
		{"too large", sized(65535, 65535), dam.CodeLimitsExceeded},
		{"larger than the file", sized(2000, 2000), dam.CodeCorrupt},
		{"compressed", os2Array(os2Entry{kind: "BM", side: 8, bits: 8, long: true, squeezed: true}), dam.CodeUnsupportedFormat},
		{"half a mask", odd, dam.CodeUnsupportedFormat},
		{"a mask of another width", apart, dam.CodeUnsupportedFormat},
		{"text", []byte("BA is how this text begins, which is not a picture at all, is it?"), dam.CodeUnsupportedFormat},
	} {
		_, err := extract(tt.data, "a.bga")
		if fault, ok := errors.AsType[*dam.FileError](err); !ok || fault.Code != tt.code {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}
