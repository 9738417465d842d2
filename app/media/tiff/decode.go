package tiff

import (
	"bufio"
	"compress/zlib"
	"errors"
	"image"
	"io"
	"math/bits"

	"golang.org/x/image/ccitt"
	"golang.org/x/image/tiff/lzw"
)

// Decode returns the picture as one of the types of package image. It reads blocks row by
// row, so memory does not depend on their decompressed size.
func (p *Picture) Decode() (image.Image, error) {
	offsets, counts, err := p.places()
	if err != nil {
		return nil, err
	}
	c := p.newCanvas()
	u := &unpacker{p: p}
	n := p.across * p.down
	for i := range offsets {
		plane, k := i/n, i%n
		x, y := k%p.across*p.blockW, k/p.across*p.blockH
		if p.compression == jpegBlocks {
			err = p.decodeJPEG(c, plane, x, y, offsets[i], counts[i])
		} else {
			err = p.decodeBlock(c, u, plane, x, y, p.section(offsets[i], counts[i]))
		}
		if err != nil {
			return nil, err
		}
	}
	return c.image(), nil
}

// decodeBlock writes the rows of a block to the canvas.
func (p *Picture) decodeBlock(c *canvas, u *unpacker, plane, x, y int, stored io.Reader) error {
	width, rows := p.blockW, min(p.blockH, p.Height-y)
	if !p.tiled {
		width = min(width, p.Width-x)
	}
	r, err := u.open(stored, width, p.blockH)
	if err != nil {
		return err
	}
	if u.row == nil {
		u.row, u.values = make([]byte, p.rowBytes()), make([]uint16, p.blockW*p.planeSamples())
	}
	buf, values := u.row, u.values[:width*p.planeSamples()]
	for row := 0; row < rows; row += p.subY {
		if _, err := io.ReadFull(r, buf); err != nil {
			return endless(err)
		}
		if p.isUnits() {
			c.units(buf, x, y+row, min(p.subY, rows-row))
			continue
		}
		p.predict(buf)
		if c.putBytes(buf, x, y+row, width) {
			continue
		}
		p.unpackRow(values, buf)
		c.put(values, plane, x, y+row)
	}
	return nil
}

// predict undoes horizontal differencing (TIFF 6.0, section 14).
func (p *Picture) predict(row []byte) {
	if p.predictor != 2 {
		return
	}
	n := p.planeSamples()
	switch p.bits {
	case 8:
		for i := n; i < len(row); i++ {
			row[i] += row[i-n]
		}
	case 16:
		for i := 2 * n; i+2 <= len(row); i += 2 {
			p.f.Order.PutUint16(row[i:], p.f.Order.Uint16(row[i:])+p.f.Order.Uint16(row[i-2*n:]))
		}
	case 32:
		for i := 4 * n; i+4 <= len(row); i += 4 {
			p.f.Order.PutUint32(row[i:], p.f.Order.Uint32(row[i:])+p.f.Order.Uint32(row[i-4*n:]))
		}
	}
}

// unpackRow converts a row to samples: up to 255 for samples of at most 8 bits, except in a
// palette, otherwise up to 65535.
func (p *Picture) unpackRow(values []uint16, row []byte) {
	switch p.bits {
	case 8:
		for i := range values {
			values[i] = uint16(row[i])
		}
	case 16:
		for i := range values {
			values[i] = p.f.Order.Uint16(row[2*i:])
		}
	case 32:
		for i := range values {
			values[i] = uint16(p.f.Order.Uint32(row[4*i:]) >> 16)
		}
	default:
		p.unpackBits(values, row)
	}
}

// unpackBits is unpackRow for samples that do not fill bytes.
func (p *Picture) unpackBits(values []uint16, row []byte) {
	most := uint32(1)<<p.bits - 1
	scale := uint32(255)
	if p.bits > 8 {
		scale = 65535
	}
	if p.photometric == paletted {
		scale = most
	}
	var acc uint32
	have := 0
	for i := range values {
		for have < p.bits {
			acc = acc<<8 | uint32(row[0])
			row, have = row[1:], have+8
		}
		have -= p.bits
		values[i] = uint16((acc>>have&most*scale + most/2) / most)
	}
}

// unpacker decompresses blocks and reuses its buffers.
type unpacker struct {
	p      *Picture
	buf    *bufio.Reader
	zip    io.ReadCloser
	row    []byte
	values []uint16
}

// open returns a reader of the decompressed rows of a block of the given size.
func (u *unpacker) open(stored io.Reader, width, rows int) (io.Reader, error) {
	if u.p.fill == 2 {
		stored = mirrored{stored}
	}
	if u.buf == nil {
		u.buf = bufio.NewReaderSize(stored, 32<<10)
	} else {
		u.buf.Reset(stored)
	}
	switch u.p.compression {
	case lzwCodes:
		return lzw.NewReader(u.buf, lzw.MSB, 8), nil
	case deflate, deflateOld:
		if z, ok := u.zip.(zlib.Resetter); ok {
			return u.zip, z.Reset(u.buf, nil)
		}
		var err error
		u.zip, err = zlib.NewReader(u.buf)
		return u.zip, err
	case packBits:
		return &runs{r: u.buf}, nil
	case group3, group4:
		return u.fax(width, rows), nil
	}
	return u.buf, nil
}

// fax returns a reader of white as 0 and black as 1. The photometric interpretation defines
// their meaning (TIFF 6.0, section 11).
func (u *unpacker) fax(width, rows int) io.Reader {
	if u.p.compression == group3 {
		return &faxRows{r: u.buf, width: width}
	}
	return ccitt.NewReader(u.buf, ccitt.MSB, ccitt.Group4, width, rows, &ccitt.Options{Invert: true})
}

// mirrored reverses the bits of each byte.
type mirrored struct{ r io.Reader }

func (m mirrored) Read(b []byte) (int, error) {
	n, err := m.r.Read(b)
	for i, v := range b[:n] {
		b[i] = bits.Reverse8(v)
	}
	return n, err
}

// runs undoes PackBits (TIFF 6.0, section 9).
type runs struct {
	r       *bufio.Reader
	left    int  // bytes left in the run
	literal bool // the bytes are stored, not repeated
	value   byte
}

func (r *runs) Read(b []byte) (n int, err error) {
	for n < len(b) {
		if r.left == 0 {
			if err := r.next(); err != nil {
				return n, err
			}
			continue
		}
		k := min(r.left, len(b)-n)
		if r.literal {
			if k, err = r.r.Read(b[n : n+k]); k == 0 {
				return n, endless(err)
			}
		} else {
			for i := range k {
				b[n+i] = r.value
			}
		}
		n, r.left = n+k, r.left-k
	}
	return n, nil
}

// next reads the header of the next run.
func (r *runs) next() (err error) {
	code, err := r.r.ReadByte()
	if err != nil {
		return err
	}
	switch v := int(int8(code)); {
	case v >= 0:
		r.left, r.literal = v+1, true
	case v > -128:
		r.left, r.literal = 1-v, false
		if r.value, err = r.r.ReadByte(); errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
	}
	return err
}
