// Package baseline decodes the JPEGs that cameras and most programs write: baseline, single
// scan, grey or Y'CbCr. It takes about a third of the time of image/jpeg, and leaves
// everything else to it: other kinds of JPEG, and any file that is damaged or unusual.
//
// The result is the same on every machine and differs from that of image/jpeg only by
// rounding, by at most 1 per sample.
package baseline

import (
	"encoding/binary"
	"image"
	"io"
	"runtime"
)

// The markers of JPEG (ITU T.81, table B.1).
const (
	markStart        = 0xd8
	markFrame        = 0xc0 // baseline
	markExtended     = 0xc1 // extended, which may be as simple as baseline
	markHuffman      = 0xc4
	markRestart      = 0xd0 // up to 0xd7
	markEnd          = 0xd9
	markScan         = 0xda
	markQuantization = 0xdb
	markInterval     = 0xdd
	markApp          = 0xe0 // up to 0xef
	markAdobe        = 0xee
	markComment      = 0xfe
)

// maxComponents is the maximum number of components: Y', Cb and Cr.
const maxComponents = 3

// component is a colour component of a picture.
type component struct {
	id           byte
	h, v         int // sampling factors
	quantization byte
	dc, ac       *table
	before       int32 // DC coefficient of the previous block
	pix          []byte
	stride       int
}

// decoder holds the state of decoding a picture. Its methods return false for pictures that
// should be left to image/jpeg.
type decoder struct {
	in            input
	width, height int
	interval      int // blocks between restarts; 0 for none
	components    []component
	quantization  [4][64]int32 // indexed like natural
	tables        [2][2]table  // DC and AC tables
	img           image.Image
}

// Decode returns an *image.Gray or *image.YCbCr, like image/jpeg. It reports false if
// image/jpeg should decode the picture instead, from the beginning; whether that succeeds
// is a separate question.
//
// It allocates the memory of the picture, in whole blocks of 8 × 8 samples, and 100 kB. If
// it reports false, the memory of a large picture has been freed.
func Decode(r io.Reader) (image.Image, bool) {
	d := &decoder{in: input{r: r}}
	if b, ok := d.in.take(2); !ok || b[0] != 0xff || b[1] != markStart {
		return nil, false
	}
	for {
		marker, ok := d.in.marker()
		if !ok {
			return nil, false
		}
		if marker == markEnd {
			return d.img, d.img != nil
		}
		if d.img != nil || !d.segment(marker) { // after the scan, only the end is expected
			return nil, false
		}
	}
}

// segment reads the segment after a marker.
func (d *decoder) segment(marker byte) bool {
	if marker < markFrame || marker >= markRestart && marker <= markEnd {
		return false
	}
	b, ok := d.in.take(2)
	if !ok {
		return false
	}
	n := int(binary.BigEndian.Uint16(b)) - 2
	if n < 0 {
		return false
	}
	if marker != markAdobe && (marker >= markApp && marker < markApp+16 || marker == markComment) {
		return d.in.skip(n)
	}
	b, ok = d.in.take(n)
	if !ok {
		return false
	}
	switch marker {
	case markFrame, markExtended:
		return d.frame(b)
	case markHuffman:
		return d.huffman(b)
	case markQuantization:
		return d.quantize(b)
	case markInterval:
		if n != 2 {
			return false
		}
		d.interval = int(binary.BigEndian.Uint16(b))
		return true
	case markAdobe: // transform 0 may mean RGB
		return n < 12 || string(b[:5]) != "Adobe" || b[11] != 0
	case markScan:
		if !d.header(b) {
			return false
		}
		if !d.scan() {
			d.forget()
			return false
		}
		return true
	}
	return false
}

// forget frees the planes of a large picture, so that a damaged picture does not take its
// memory twice.
func (d *decoder) forget() {
	size := 0
	for i := range d.components {
		size += len(d.components[i].pix)
		d.components[i].pix = nil
	}
	if d.img = nil; size >= largeSize {
		runtime.GC()
	}
}

// largeSize is the size in bytes from which freeing memory is worth a garbage collection.
const largeSize = 8 << 20

// frame reads the size and the components of the picture (B.2.2).
func (d *decoder) frame(b []byte) bool {
	if len(b) < 6 || b[0] != 8 || d.components != nil || len(b) != 6+3*int(b[5]) {
		return false
	}
	d.height, d.width = int(binary.BigEndian.Uint16(b[1:])), int(binary.BigEndian.Uint16(b[3:]))
	for c := b[6:]; len(c) > 0; c = c[3:] {
		h, v := int(c[1]>>4), int(c[1]&15)
		if len(d.components) == maxComponents || c[2] > 3 || !factor(h) || !factor(v) {
			return false
		}
		d.components = append(d.components, component{id: c[0], h: h, v: v, quantization: c[2]})
	}
	c := d.components
	switch len(c) {
	case 1:
		c[0].h, c[0].v = 1, 1 // sampling factors are irrelevant (A.2.2)
	case 3:
		if c[0].id == c[1].id || c[1].id == c[2].id || c[0].id == c[2].id || c[0].id == 'R' && c[1].id == 'G' && c[2].id == 'B' {
			return false
		}
	default:
		return false
	}
	return d.width > 0 && d.height > 0
}

// factor reports whether a sampling factor is supported.
func factor(n int) bool { return n == 1 || n == 2 || n == 4 }

// ratio returns the chroma subsampling ratio, and whether it is supported.
func ratio(c []component) (image.YCbCrSubsampleRatio, bool) {
	y, cb, cr := c[0], c[1], c[2]
	if cb.h != cr.h || cb.v != cr.v || y.h%cb.h != 0 || y.v%cb.v != 0 || y.v == 4 || y.h*y.v+2*cb.h*cb.v > 10 {
		return 0, false
	}
	switch [2]int{y.h / cb.h, y.v / cb.v} {
	case [2]int{1, 1}:
		return image.YCbCrSubsampleRatio444, true
	case [2]int{1, 2}:
		return image.YCbCrSubsampleRatio440, true
	case [2]int{2, 1}:
		return image.YCbCrSubsampleRatio422, true
	case [2]int{2, 2}:
		return image.YCbCrSubsampleRatio420, true
	case [2]int{4, 1}:
		return image.YCbCrSubsampleRatio411, true
	case [2]int{4, 2}:
		return image.YCbCrSubsampleRatio410, true
	}
	return 0, false
}

// quantize reads 8-bit quantization tables (B.2.4.1).
func (d *decoder) quantize(b []byte) bool {
	for ; len(b) > 0; b = b[65:] {
		if len(b) < 65 || b[0] > 3 {
			return false
		}
		for i, q := range b[1:65] {
			d.quantization[b[0]][natural[i]] = int32(q)
		}
	}
	return true
}

// huffman reads Huffman tables (B.2.4.2).
func (d *decoder) huffman(b []byte) bool {
	for len(b) > 0 {
		if len(b) < 17 || b[0]>>4 > 1 || b[0]&15 > 1 {
			return false
		}
		n := 0
		for _, count := range b[1:17] {
			n += int(count)
		}
		if n == 0 || n > 256 || len(b) < 17+n {
			return false
		}
		if !d.tables[b[0]>>4][b[0]&15].set([16]byte(b[1:17]), b[17:17+n], b[0]>>4 == 0) {
			return false
		}
		b = b[17+n:]
	}
	return true
}

// header reads the header of a scan of all components (B.2.3) and allocates the planes.
func (d *decoder) header(b []byte) bool {
	n := len(d.components)
	if n == 0 || len(b) != 4+2*n || int(b[0]) != n {
		return false
	}
	for i := range d.components {
		c, dc, ac := &d.components[i], b[2+2*i]>>4, b[2+2*i]&15
		if b[1+2*i] != c.id || dc > 1 || ac > 1 {
			return false
		}
		c.dc, c.ac = &d.tables[0][dc], &d.tables[1][ac]
		if !c.dc.ready || !c.ac.ready {
			return false
		}
	}
	return d.planes()
}

// planes allocates the picture, in whole minimum coded units.
func (d *decoder) planes() bool {
	c, size := d.components, image.Rect(0, 0, d.width, d.height)
	across, down := d.units()
	if len(c) == 1 {
		m := image.NewGray(image.Rect(0, 0, 8*across, 8*down))
		c[0].pix, c[0].stride = m.Pix, m.Stride
		d.img = m.SubImage(size)
		return true
	}
	r, ok := ratio(c)
	if !ok {
		return false
	}
	m := image.NewYCbCr(image.Rect(0, 0, 8*c[0].h*across, 8*c[0].v*down), r)
	c[0].pix, c[0].stride = m.Y, m.YStride
	c[1].pix, c[1].stride = m.Cb, m.CStride
	c[2].pix, c[2].stride = m.Cr, m.CStride
	d.img = m.SubImage(size)
	return true
}

// units returns the number of minimum coded units: the blocks of all components that cover
// the same part of the picture (A.2.3).
func (d *decoder) units() (across, down int) {
	w, h := 8*d.components[0].h, 8*d.components[0].v
	return (d.width + w - 1) / w, (d.height + h - 1) / h
}
