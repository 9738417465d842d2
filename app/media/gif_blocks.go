package media

import (
	"bufio"
	"encoding/binary"
	"errors"
	"image"
	"image/color"
	"io"
)

// counted reads a file from an offset and tracks its position.
type counted struct {
	r  *bufio.Reader
	at int64
}

func newCounted(s source, at int64) *counted {
	return &counted{bufio.NewReaderSize(io.NewSectionReader(s, at, max(0, s.size-at)), 32<<10), at}
}

func (c *counted) ReadByte() (byte, error) {
	b, err := c.r.ReadByte()
	if err == nil {
		c.at++
	}
	return b, err
}

func (c *counted) full(b []byte) error {
	n, err := io.ReadFull(c.r, b)
	c.at += int64(n)
	return err
}

func (c *counted) skip(n int) error {
	k, err := c.r.Discard(n)
	c.at += int64(k)
	return err
}

// skipBlocks skips sub-blocks up to and including their terminator.
func (c *counted) skipBlocks() error {
	for {
		size, err := c.ReadByte()
		if err != nil || size == 0 {
			return err
		}
		if err := c.skip(int(size)); err != nil {
			return err
		}
	}
}

// colors reads a palette if the flags announce one.
func (c *counted) colors(flags byte) (color.Palette, error) {
	if flags&0x80 == 0 {
		return nil, nil
	}
	b := make([]byte, 3<<(flags&7+1))
	if err := c.full(b); err != nil {
		return nil, err
	}
	var list color.Palette
	for ; len(b) > 0; b = b[3:] {
		list = append(list, color.RGBA{b[0], b[1], b[2], 255})
	}
	return list, nil
}

// gifBlocks reads the content of sub-blocks up to their terminator.
type gifBlocks struct {
	c    *counted
	left int // bytes left in the block
	over bool
}

func (g *gifBlocks) ReadByte() (byte, error) {
	if g.over {
		return 0, io.EOF
	}
	if g.left == 0 {
		size, err := g.c.ReadByte()
		if err != nil || size == 0 {
			g.over = true
			if err == nil {
				err = io.EOF
			}
			return 0, err
		}
		g.left = int(size)
	}
	g.left--
	return g.c.ReadByte()
}

// Read implements io.Reader, but package lzw calls ReadByte.
func (g *gifBlocks) Read(b []byte) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	v, err := g.ReadByte()
	if err != nil {
		return 0, err
	}
	b[0] = v
	return 1, nil
}

// readGIF walks the blocks of a GIF up to its end, or to one frame more than limit. If an
// error occurs, it also returns the part read so far. Source: the GIF89a specification.
func readGIF(s source, limit int) (gifFile, error) {
	g := gifFile{plays: 1}
	c := newCounted(s, 0)
	var head [13]byte
	if err := c.full(head[:]); err != nil {
		return g, err
	}
	g.width, g.height = int(binary.LittleEndian.Uint16(head[6:])), int(binary.LittleEndian.Uint16(head[8:]))
	var err error
	if g.colors, err = c.colors(head[10]); err != nil {
		return g, err
	}
	delay, clear := int64(0), -1
	for g.frames <= limit {
		kind, err := c.ReadByte()
		if err != nil {
			return g, err
		}
		switch kind {
		case 0x3b: // the trailer
			return g, nil
		case 0x21:
			err = g.extension(c, &delay, &clear)
		case 0x2c:
			if err = g.frame(c, clear); err == nil {
				g.delays += delay
			}
			delay, clear = 0, -1
		default:
			err = errors.New("a block has an unknown type")
		}
		if err != nil {
			return g, err
		}
	}
	return g, nil
}

// frame reads the descriptor of a frame and skips its pixels.
func (g *gifFile) frame(c *counted, clear int) error {
	var d [9]byte
	if err := c.full(d[:]); err != nil {
		return err
	}
	x, y := int(binary.LittleEndian.Uint16(d[:])), int(binary.LittleEndian.Uint16(d[2:]))
	w, h := int(binary.LittleEndian.Uint16(d[4:])), int(binary.LittleEndian.Uint16(d[6:]))
	f := gifFrame{rect: image.Rect(x, y, x+w, y+h), clear: clear, interlaced: d[8]&0x40 != 0, colors: g.colors}
	own, err := c.colors(d[8])
	if err != nil {
		return err
	}
	if own != nil {
		f.colors = own
	}
	size, err := c.ReadByte()
	if err != nil {
		return err
	}
	f.codeSize, f.at = int(size), c.at
	if g.frames++; g.frames == 1 {
		g.first = f
	}
	return c.skipBlocks()
}

// extension reads an extension: the display options of a frame, the loop count, or the
// position of XMP.
func (g *gifFile) extension(c *counted, delay *int64, clear *int) error {
	label, err := c.ReadByte()
	if err != nil {
		return err
	}
	size, err := c.ReadByte()
	if err != nil || size == 0 {
		return err
	}
	b := make([]byte, size)
	if err := c.full(b); err != nil {
		return err
	}
	begin := c.at
	switch {
	case label == 0xf9 && size >= 4:
		*delay, *clear = int64(binary.LittleEndian.Uint16(b[1:])), -1
		if b[0]&1 != 0 {
			*clear = int(b[3])
		}
	case label == 0xff && (string(b) == "NETSCAPE2.0" || string(b) == "ANIMEXTS1.0"):
		if p, err := c.r.Peek(4); err == nil && p[0] == 3 && p[1] == 1 {
			if g.plays = int(binary.LittleEndian.Uint16(p[2:])); g.plays > 0 {
				g.plays++ // the count excludes the first time
			}
		}
	}
	if err := c.skipBlocks(); err != nil {
		return err
	}
	if label == 0xff && string(b) == "XMP DataXMP" && g.xmpAt == 0 {
		g.xmpAt, g.xmpEnd = begin, c.at
	}
	return nil
}
