package tiff

import (
	"image"
	"image/color"
)

// canvas is a picture under construction.
type canvas struct {
	p       *Picture
	rect    image.Rectangle
	pix     []byte
	stride  int
	pixel   int // bytes per pixel
	inverse bool
}

func (p *Picture) newCanvas() *canvas {
	c := &canvas{p: p, rect: image.Rect(0, 0, p.Width, p.Height), pixel: int(p.pixelBytes()), inverse: p.photometric == whiteIsZero}
	c.stride = c.pixel * p.Width
	c.pix = make([]byte, c.stride*p.Height)
	return c
}

// image returns the canvas as a picture of package image.
func (c *canvas) image() image.Image {
	p := c.p
	switch {
	case p.photometric == paletted:
		return &image.Paletted{Pix: c.pix, Stride: c.stride, Rect: c.rect, Palette: c.full()}
	case p.photometric == separated:
		return &image.CMYK{Pix: c.pix, Stride: c.stride, Rect: c.rect}
	case c.pixel == 1:
		return &image.Gray{Pix: c.pix, Stride: c.stride, Rect: c.rect}
	case c.pixel == 2:
		return &image.Gray16{Pix: c.pix, Stride: c.stride, Rect: c.rect}
	case c.pixel == 8 && p.alpha == 2:
		return &image.NRGBA64{Pix: c.pix, Stride: c.stride, Rect: c.rect}
	case c.pixel == 8:
		return &image.RGBA64{Pix: c.pix, Stride: c.stride, Rect: c.rect}
	case p.alpha == 2:
		return &image.NRGBA{Pix: c.pix, Stride: c.stride, Rect: c.rect}
	}
	return &image.RGBA{Pix: c.pix, Stride: c.stride, Rect: c.rect}
}

// full returns the palette, padded with black to 256 colours.
func (c *canvas) full() color.Palette {
	list := c.p.palette
	for len(list) < 256 {
		list = append(list, color.RGBA{A: 255})
	}
	return list
}

// put writes a row of samples: those of all planes, or those of one if they are separate.
func (c *canvas) put(values []uint16, plane, x, y int) {
	p := c.p
	n := p.planeSamples()
	width := min(len(values)/n, p.Width-x)
	row := c.pix[y*c.stride+x*c.pixel:][:width*c.pixel]
	used := p.usedSamples()
	for s := range n {
		if plane+s >= used {
			break
		}
		c.channel(row, values[s:], n, plane+s, width)
	}
	if isLast := !p.separate || plane == used-1; isLast && c.pixel >= 4 && p.photometric != separated {
		c.alpha(row)
	}
}

// putBytes is a fast path of put for a row of bytes in nearly the format of the canvas. It
// reports false for other rows.
func (c *canvas) putBytes(row []byte, x, y, width int) bool {
	p := c.p
	if p.bits != 8 || p.separate || c.inverse {
		return false
	}
	width = min(width, p.Width-x)
	to := c.pix[y*c.stride+x*c.pixel:][:width*c.pixel]
	switch {
	case p.samples == c.pixel:
		copy(to, row)
		if c.pixel == 4 && p.photometric == rgb {
			c.alpha(to)
		}
	case p.photometric == rgb && p.samples == 3:
		for ; len(to) >= 4 && len(row) >= 3; to, row = to[4:], row[3:] {
			to[0], to[1], to[2], to[3] = row[0], row[1], row[2], 255
		}
	default:
		return false
	}
	return true
}

// usedSamples returns the number of samples per pixel that are shown.
func (p *Picture) usedSamples() int {
	n := 1
	switch p.photometric {
	case rgb, yCbCr:
		n = 3
	case separated:
		n = 4
	}
	if p.alpha != 0 {
		n++
	}
	return n
}

// channel writes the samples of one channel, every step-th value, into a row.
func (c *canvas) channel(row []byte, values []uint16, step, channel, width int) {
	isGrey := c.p.photometric <= blackIsZero
	to := []int{channel}
	switch {
	case isGrey && channel == 0 && c.pixel >= 4:
		to = []int{0, 1, 2}
	case isGrey && channel == 1:
		to = []int{3}
	}
	invert := uint16(0)
	if c.inverse && channel == 0 {
		invert = 0xffff
	}
	deep, narrow := c.p.bits > 8, c.p.photometric == separated
	for _, k := range to {
		at := k
		if deep && !narrow {
			at = 2 * k
		}
		for i := range width {
			v := values[i*step] ^ invert
			switch b := row[i*c.pixel+at:]; {
			case !deep:
				b[0] = byte(v)
			case narrow:
				b[0] = byte((uint32(v)*255 + 32767) / 65535)
			default:
				b[0], b[1] = byte(v>>8), byte(v)
			}
		}
	}
}

// alpha makes a row without alpha opaque, and ensures that no premultiplied colour exceeds
// its alpha.
func (c *canvas) alpha(row []byte) {
	deep := c.pixel == 8
	switch {
	case c.p.alpha == 0 && deep:
		for i := 6; i < len(row); i += 8 {
			row[i], row[i+1] = 255, 255
		}
	case c.p.alpha == 0:
		for i := 3; i < len(row); i += 4 {
			row[i] = 255
		}
	case c.p.alpha == 1 && !deep:
		for ; len(row) >= 4; row = row[4:] {
			row[0], row[1], row[2] = min(row[0], row[3]), min(row[1], row[3]), min(row[2], row[3])
		}
	case c.p.alpha == 1:
		for ; len(row) >= 8; row = row[8:] {
			a := uint16(row[6])<<8 | uint16(row[7])
			for i := 0; i < 6; i += 2 {
				v := min(uint16(row[i])<<8|uint16(row[i+1]), a)
				row[i], row[i+1] = byte(v>>8), byte(v)
			}
		}
	}
}

// units writes a row of Y'CbCr units, each of several pixels that share their colours (TIFF
// 6.0, section 21). Only the given number of pixel rows is in the picture.
func (c *canvas) units(buf []byte, x, y, rows int) {
	p := c.p
	size := p.subX * p.subY
	for ; len(buf) >= size+2 && x < p.Width; x, buf = x+p.subX, buf[size+2:] {
		cb, cr := buf[size], buf[size+1]
		for dy := range rows {
			for dx := range min(p.subX, p.Width-x) {
				b := c.pix[(y+dy)*c.stride+4*(x+dx):]
				b[0], b[1], b[2] = color.YCbCrToRGB(buf[dy*p.subX+dx], cb, cr)
				b[3] = 255
			}
		}
	}
}
