package media_test

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/png"
	"testing"

	"github.com/digital-asset-library/dal/app/media"
)

// runsBMP is a run-length encoded picture of 8 × 8: red on the left, blue on the right.
func runsBMP() []byte {
	colors := []byte{0, 0, 255, 0, 255, 0, 0, 0} // blue, green, red
	var runs []byte
	for range 8 {
		runs = append(runs, 4, 0, 4, 1, 0, 0)
	}
	runs = append(runs, 0, 1)
	head := bmpOf(8, 8, 8, 1)
	binary.LittleEndian.PutUint32(head[46:], 2) // number of colours
	binary.LittleEndian.PutUint32(head[34:], uint32(len(runs)))
	binary.LittleEndian.PutUint32(head[10:], uint32(54+len(colors)))
	data := append(append(head[:54:54], colors...), runs...)
	binary.LittleEndian.PutUint32(data[2:], uint32(len(data)))
	return data
}

// shortBMP is the same picture with 16 bits per pixel: 5 for red, 6 for green, 5 for blue.
func shortBMP() []byte {
	head := bmpOf(8, 8, 16, 3)[:54:54]
	binary.LittleEndian.PutUint32(head[10:], 66)
	data := head
	for _, mask := range []uint32{0xf800, 0x07e0, 0x001f} {
		data = binary.LittleEndian.AppendUint32(data, mask)
	}
	for range 8 {
		for x := range 8 {
			data = binary.LittleEndian.AppendUint16(data, map[bool]uint16{true: 0xf800, false: 0x001f}[x < 4])
		}
	}
	binary.LittleEndian.PutUint32(data[2:], uint32(len(data)))
	return data
}

// BMP variants that Go's library does not support are read by the engine.
func TestUnusualBMP(t *testing.T) {
	t.Parallel()
	p := withEngines(t, media.DefaultLimits())
	for name, data := range map[string][]byte{"runs": runsBMP(), "16 bits": shortBMP()} {
		r, err := extractBy(t, p, data, "a.bmp")
		if err != nil || r.Width != 8 || r.Height != 8 || r.Picture == nil {
			t.Errorf("%s: %v, %+v", name, err, r)
			continue
		}
		if red, _, blue := at(t, r, 20, 50); red < 200 || blue > 60 {
			t.Errorf("%s: left is %d, %d", name, red, blue)
		}
		if red, _, blue := at(t, r, 80, 50); red > 60 || blue < 200 {
			t.Errorf("%s: right is %d, %d", name, red, blue)
		}
	}
}

// The picture of an icon is its largest entry, whether that is a PNG or not.
func TestLargestIcon(t *testing.T) {
	t.Parallel()
	large := image.NewNRGBA(image.Rect(0, 0, 256, 256))
	for i := range large.Pix {
		large.Pix[i] = 255
	}
	large.Set(0, 0, color.Black)
	var pngData bytes.Buffer
	if err := png.Encode(&pngData, large); err != nil {
		t.Fatal(err)
	}
	small := make([]byte, 40, 40+16*16*4+16*4) // a BMP without its first header, and a mask
	binary.LittleEndian.PutUint32(small, 40)
	binary.LittleEndian.PutUint32(small[4:], 16)
	binary.LittleEndian.PutUint32(small[8:], 32)
	binary.LittleEndian.PutUint16(small[12:], 1)
	binary.LittleEndian.PutUint16(small[14:], 32)
	small = append(small, bytes.Repeat([]byte{0, 0, 255, 255}, 16*16)...)
	small = append(small, make([]byte, 16*4)...)
	for name, order := range map[string][2]int{"the large one first": {1, 0}, "the small one first": {0, 1}} {
		pictures, sides := [][]byte{small, pngData.Bytes()}, []byte{16, 0}
		icon := []byte{0, 0, 1, 0, 2, 0}
		at := uint32(6 + 2*16)
		for _, i := range order {
			icon = append(icon, sides[i], sides[i], 0, 0, 1, 0, 32, 0)
			icon = binary.LittleEndian.AppendUint32(icon, uint32(len(pictures[i])))
			icon = binary.LittleEndian.AppendUint32(icon, at)
			at += uint32(len(pictures[i]))
		}
		for _, i := range order {
			icon = append(icon, pictures[i]...)
		}
		r, err := extractBy(t, withEngines(t, media.DefaultLimits()), icon, "a.ico")
		if err != nil || r.Width != 256 || r.Height != 256 {
			t.Errorf("%s: %v, %+v", name, err, r)
		}
	}
}
