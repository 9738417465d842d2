package media

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"image"
	"image/color"
	"image/png"
	"io"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/engine/cicp"
)

var pngFormat = format{
	Type: Type{
		MIME: "image/png", Name: "PNG", Phrase: "a PNG picture",
		Extensions: []string{"png"}, Category: dam.CategoryImage, Showable: true,
	},
	is:       func(_ source, head []byte) bool { return bytes.HasPrefix(head, []byte("\x89PNG\r\n\x1a\n")) },
	header:   pngHeader,
	metadata: pngMetadata,
	memory:   pngMemory,
	decode:   func(s source) (image.Image, error) { return png.Decode(s.buffered()) },
	mend:     mendPNG,
	profile:  pngProfile,
	space:    pngSpace,
	cutOff:   isCutOffPNG,
}

func pngHeader(s source) (header, error) {
	c, err := png.DecodeConfig(s.section())
	if errors.Is(err, png.FormatError("invalid checksum")) { // perhaps of a chunk before the palette, which the decoder requires
		if p, failed := readPNGParts(s); failed == nil {
			c, err = png.DecodeConfig(p.whole(s))
		}
	}
	deep := c.ColorModel == color.Gray16Model || c.ColorModel == color.RGBA64Model || c.ColorModel == color.NRGBA64Model
	return header{width: c.Width, height: c.Height, deep: deep}, err
}

// maxChunks limits the walk over the chunks of a file.
const maxChunks = 100_000

// eachChunk calls fn for each chunk of a PNG before IEND.
func eachChunk(s source, fn func(kind string, at, n int64) error) error {
	at := int64(8)
	var b [8]byte
	for range maxChunks {
		if _, err := s.ReadAt(b[:], at); err != nil {
			return err
		}
		n, kind := int64(binary.BigEndian.Uint32(b[:])), string(b[4:])
		if kind == "IEND" {
			return nil
		}
		if err := fn(kind, at+8, n); err != nil {
			return err
		}
		at += 12 + n
	}
	return errors.New("there are too many chunks")
}

// isCutOffPNG recognizes the two decoder errors that are caused by io.ErrUnexpectedEOF but
// do not wrap it.
func isCutOffPNG(_ source, err error) bool {
	return errors.Is(err, png.FormatError("unexpected EOF")) || errors.Is(err, png.FormatError("not enough pixel data"))
}

// pngMemory estimates from the header (PNG specification, section 11.2.1). The decoder
// allocates one byte per pixel for palettes and greys, two for 16-bit greys, four for
// colours and eight for 16-bit colours; a picture without alpha but with a transparent
// colour (tRNS) gets an alpha channel. An interlaced picture is decoded in seven passes,
// which together have as many pixels again.
func pngMemory(s source, h header) (int64, error) {
	var b [13]byte // from the width on
	if _, err := s.ReadAt(b[:], 16); err != nil {
		return 0, err
	}
	depth, kind, interlaced := int64(b[8]), b[9], b[12] != 0
	const grey, rgb, palette, greyAlpha, rgba = 0, 2, 3, 4, 6
	pixel, samples := int64(4), int64(1)
	switch kind {
	case grey:
		if pixel = 1; hasTRNS(s) {
			pixel = 4
		}
	case palette:
		pixel = 1
	case rgb:
		samples = 3
	case greyAlpha:
		samples = 2
	case rgba:
		samples = 4
	}
	if depth == 16 {
		pixel *= 2
	}
	picture := pixel * h.area()
	if interlaced {
		picture *= 2
	}
	return picture + 2*(int64(h.width)*depth*samples/8+2), nil // two rows as stored
}

// hasTRNS reports whether a PNG may have a tRNS chunk before its pixels.
func hasTRNS(s source) bool {
	found, chunks := false, 0
	err := eachChunk(s, func(kind string, _, _ int64) error {
		if chunks++; kind == "tRNS" || chunks > maxHeadChunks {
			found = true
		}
		if found || kind == "IDAT" {
			return errFound
		}
		return nil
	})
	return found || !errors.Is(err, errFound)
}

// maxHeadChunks is the maximum number of chunks expected before the pixels.
const maxHeadChunks = 1000

// pngProfile returns the profile in an iCCP chunk (PNG section 11.3.2.3).
func pngProfile(s source) (profile []byte, err error) {
	err = eachChunk(s, func(kind string, at, n int64) error {
		if kind == "IDAT" {
			return errFound // the profile precedes the pixels
		}
		if kind != "iCCP" || n > maxProfile {
			return nil
		}
		data := make([]byte, n)
		if _, err := s.ReadAt(data, at); err != nil {
			return err
		}
		_, data, ok := bytes.Cut(data, []byte{0}) // the name
		if !ok || len(data) == 0 {
			return errors.New("the iCCP chunk is cut off")
		}
		if profile, err = inflate(data[1:], maxProfile); err != nil {
			return err
		}
		return errFound
	})
	if errors.Is(err, errFound) {
		err = nil
	}
	return profile, err
}

// pngSpace returns the code points in a cICP chunk of RGB with the full range (PNG section
// 11.3.2.6).
func pngSpace(s source) (space cicp.Space, err error) {
	err = eachChunk(s, func(kind string, at, n int64) error {
		if kind == "IDAT" {
			return errFound // the chunk precedes the pixels
		}
		var code [4]byte
		if kind != "cICP" || n != int64(len(code)) {
			return nil
		}
		if _, err := s.ReadAt(code[:], at); err != nil {
			return err
		}
		if code[2] == 0 && code[3] == 1 {
			space = cicp.Space{Primaries: int(code[0]), Transfer: int(code[1])}
		}
		return errFound
	})
	if errors.Is(err, errFound) {
		err = nil
	}
	return space, err
}

// inflate expands zlib data to at most limit bytes.
func inflate(data []byte, limit int64) ([]byte, error) {
	z, err := zlib.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	defer z.Close()
	out, err := io.ReadAll(io.LimitReader(z, limit+1))
	if err == nil && int64(len(out)) > limit {
		err = errors.New("the data expands beyond its limit")
	}
	return out, err
}
