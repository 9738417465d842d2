package media

import (
	"bufio"
	"bytes"
	"errors"
	"image"
	"image/gif"
	"io"

	"github.com/digital-asset-library/dal/app/dam"
)

var gifFormat = format{
	Type: Type{
		MIME: "image/gif", Name: "GIF", Phrase: "a GIF picture",
		Extensions: []string{"gif"}, Category: dam.CategoryImage, Showable: true,
	},
	is: func(_ source, head []byte) bool {
		return bytes.HasPrefix(head, []byte("GIF87a")) || bytes.HasPrefix(head, []byte("GIF89a"))
	},
	header: gifHeader,
	memory: gifMemory,
	decode: func(s source) (image.Image, error) { return gif.Decode(s.buffered()) },
}

func gifHeader(s source) (header, error) {
	c, err := gif.DecodeConfig(s.section())
	if err != nil {
		return header{}, err
	}
	frames, err := countFrames(bufio.NewReader(s.section()), s.limits.MaxFrames)
	return header{width: c.Width, height: c.Height, frames: frames}, err
}

// gifMemory counts a byte a pixel, and as much again to put the lines of an
// interlaced frame in order.
func gifMemory(_ source, h header) (int64, error) { return 2 * h.area(), nil }

// countFrames counts the frames of a GIF up to one more than limit, by walking
// its blocks. Source: the GIF89a specification.
func countFrames(b *bufio.Reader, limit int) (int, error) {
	var head [13]byte
	if _, err := io.ReadFull(b, head[:]); err != nil {
		return 0, err
	}
	if err := skipColors(b, head[10]); err != nil {
		return 0, err
	}
	for n := 0; ; {
		kind, err := b.ReadByte()
		if err != nil {
			return n, err
		}
		switch kind {
		case 0x3b: // the end
			return n, nil
		case 0x21: // an extension
			if _, err := b.ReadByte(); err != nil {
				return n, err
			}
		case 0x2c: // a frame
			if n++; n > limit {
				return n, nil
			}
			var d [9]byte
			if _, err := io.ReadFull(b, d[:]); err != nil {
				return n, err
			}
			if err := skipColors(b, d[8]); err != nil {
				return n, err
			}
			if _, err := b.ReadByte(); err != nil { // the LZW code size
				return n, err
			}
		default:
			return n, errors.New("a block has an unknown type")
		}
		for { // sub-blocks
			size, err := b.ReadByte()
			if err != nil {
				return n, err
			}
			if size == 0 {
				break
			}
			if _, err := b.Discard(int(size)); err != nil {
				return n, err
			}
		}
	}
}

func skipColors(b *bufio.Reader, flags byte) error {
	if flags&0x80 == 0 {
		return nil
	}
	_, err := b.Discard(3 << (flags&7 + 1))
	return err
}
