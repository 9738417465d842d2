package media

import (
	"bufio"
	"encoding/binary"
	"errors"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"

	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"
	"golang.org/x/image/webp"
)

// header is what is known of a picture without its pixels.
type header struct {
	width, height int    // as stored
	frames        int    // of a GIF
	pages         int    // of a TIFF
	memory        int64  // bytes that it takes to decode it and to make its renditions
	orientation   int    // EXIF, 1 to 8
	profile       string // what was done about its colours

	components  []component // of a JPEG
	progressive bool
}

// component is one of a JPEG: its name and its sampling factors.
type component struct {
	name byte
	h, v int64
}

// readHeader reads the size of a picture.
func readHeader(r io.ReaderAt, size int64, t Type, maxFrames int) (h header, err error) {
	s := bufio.NewReader(io.NewSectionReader(r, 0, size))
	var c image.Config
	switch t.MIME {
	case "image/jpeg":
		return jpegHeader(r, size)
	case "image/png":
		c, err = png.DecodeConfig(s)
	case "image/gif":
		c, err = gif.DecodeConfig(s)
		if err == nil {
			h.frames, err = countFrames(io.NewSectionReader(r, 0, size), maxFrames)
		}
	case "image/webp":
		if isAnimatedWebP(r) {
			return h, unsupported("The file is an animated WebP, which the library does not take.")
		}
		c, err = webp.DecodeConfig(s)
	case "image/tiff":
		c, err = tiff.DecodeConfig(io.NewSectionReader(r, 0, size))
		if err == nil {
			h.pages, err = countPages(r, size, maxFrames)
			h.frames = h.pages
		}
	case "image/bmp":
		c, err = bmp.DecodeConfig(s)
	}
	h.width, h.height = c.Width, c.Height
	return h, err
}

// isAnimatedWebP looks at the flags of a VP8X chunk (RFC 9649 section 2.7).
func isAnimatedWebP(r io.ReaderAt) bool {
	var b [21]byte
	_, err := r.ReadAt(b[:], 0)
	return err == nil && string(b[12:16]) == "VP8X" && b[20]&2 != 0
}

// decode decodes a picture whole; of an animation, the first frame.
func decode(r io.ReaderAt, size int64, t Type) (image.Image, error) {
	s := bufio.NewReaderSize(io.NewSectionReader(r, 0, size), 64<<10)
	switch t.MIME {
	case "image/jpeg":
		return jpeg.Decode(s)
	case "image/png":
		return png.Decode(s)
	case "image/gif":
		return gif.Decode(s)
	case "image/webp":
		img, err := webp.Decode(s)
		switch img := img.(type) {
		case *image.YCbCr:
			fullRange(img)
		case *image.NYCbCrA:
			fullRange(&img.YCbCr)
		}
		return img, err
	case "image/tiff":
		return tiff.Decode(io.NewSectionReader(r, 0, size))
	case "image/bmp":
		return bmp.Decode(s)
	}
	return nil, errNotFound
}

// jpegHeader reads the frame header of a JPEG (ITU T.81, annex B).
func jpegHeader(r io.ReaderAt, size int64) (h header, err error) {
	err = eachSegment(r, size, func(marker byte, at int64, n int) error {
		isFrame := marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc
		if !isFrame {
			return nil
		}
		buf := make([]byte, n)
		if _, err := r.ReadAt(buf, at); err != nil {
			return err
		}
		if n < 6 || n < 6+3*int(buf[5]) || buf[5] == 0 {
			return errors.New("the frame header is too short")
		}
		h.height, h.width = int(binary.BigEndian.Uint16(buf[1:])), int(binary.BigEndian.Uint16(buf[3:]))
		h.progressive = marker == 0xc2
		for i := range int(buf[5]) {
			c := component{buf[6+3*i], int64(buf[7+3*i] >> 4), int64(buf[7+3*i] & 15)}
			if c.h == 0 || c.v == 0 {
				return errors.New("the sampling factors are zero")
			}
			h.components = append(h.components, c)
		}
		return errFound
	})
	if errors.Is(err, errFound) {
		return h, nil
	}
	if err == nil {
		err = errors.New("there is no frame header")
	}
	return h, err
}

var errFound = errors.New("found")

// maxSegments bounds the walk over a JPEG's segments.
const maxSegments = 10_000

// eachSegment calls fn with each segment of a JPEG up to its pixels: its
// marker, where its content is and how long.
func eachSegment(r io.ReaderAt, size int64, fn func(marker byte, at int64, n int) error) error {
	at := int64(2)
	var b [4]byte
	for range maxSegments {
		if _, err := r.ReadAt(b[:2], at); err != nil {
			return err
		}
		switch m := b[1]; {
		case b[0] != 0xff || m == 0xff: // stray bytes, which decoders pass over, or fill
			at++
			continue
		case m == 0xda || m == 0xd9: // pixels, or the end
			return nil
		case m <= 0x01 || m >= 0xd0 && m <= 0xd8: // without content
			at += 2
			continue
		}
		if _, err := r.ReadAt(b[2:4], at+2); err != nil {
			return err
		}
		n := int(binary.BigEndian.Uint16(b[2:]))
		if n < 2 || at+2+int64(n) > size {
			return io.ErrUnexpectedEOF
		}
		if err := fn(b[1], at+4, n-2); err != nil {
			return err
		}
		at += 2 + int64(n)
	}
	return errors.New("there are too many segments")
}

// countFrames counts the frames of a GIF up to one more than limit, by walking
// its blocks. Source: the GIF89a specification.
func countFrames(r io.Reader, limit int) (int, error) {
	b := bufio.NewReader(r)
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
			return n, errors.New("a block is of no known kind")
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
