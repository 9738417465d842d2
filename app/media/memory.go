package media

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
)

// memory returns how many bytes it takes to decode a picture and to make its
// renditions. It may stop counting beyond most.
func memory(r io.ReaderAt, size int64, t Type, h header, most int64) (int64, error) {
	n, err := decoding(r, size, t, h, most)
	beside, after := rendering(h)
	return max(n+beside, after), err
}

// decoding returns how many bytes decoding a picture takes: all that its decoder
// allocates at once, the picture that is returned with what is needed on the way,
// garbage included where it comes to as much as the picture. It goes by what the
// decoders of image and golang.org/x/image do, of which each function below tells.
// What of a TIFF would take more than most is not measured to its end.
func decoding(r io.ReaderAt, size int64, t Type, h header, most int64) (int64, error) {
	switch t.MIME {
	case "image/jpeg":
		return jpegMemory(r, size, h)
	case "image/png":
		return pngMemory(r, h)
	case "image/gif":
		// A byte a pixel, and as much again to put the lines of an interlaced frame
		// in order.
		return 2 * area(h), nil
	case "image/webp":
		return webpMemory(r, size, h)
	case "image/tiff":
		return tiffMemory(r, size, h, most)
	case "image/bmp":
		return bmpMemory(r, h)
	}
	return 0, errNotFound
}

// rendering returns how many bytes it takes to make the renditions of a picture:
// beside the picture in full, the means of blocks of its pixels, for all pixels
// of up to twice the size of the preview, out of one strip of it at a time; and
// after that those means and what golang.org/x/image/draw has on the way to the
// preview, four floats for each pixel of as many columns as the preview has.
func rendering(h header) (beside, after int64) {
	block := max(1, max(h.width, h.height)/previewSize)
	bw, bh := min(block, h.width), min(block, h.height)
	w, hh := int64(h.width/bw), int64(h.height/bh)
	beside = 4*w*hh + 4*w*int64(bw)*int64(bh) + 24*w
	if long := max(w, hh); long > previewSize {
		ow, oh := w*previewSize/long+1, hh*previewSize/long+1
		after = 4*w*hh + 32*ow*hh + 4*ow*oh
	}
	return beside, after
}

func area(h header) int64 { return int64(h.width) * int64(h.height) }

// pngMemory reads the header of a PNG (PNG specification, section 11.2.1). Its
// decoder makes a picture of a byte a pixel of palettes and greys, two of 16-bit
// greys, four of colours, eight of 16-bit colours; what has no alpha but a colour
// that stands for transparency (tRNS) gets alpha. An interlaced picture is made
// in seven passes, which have as many pixels together.
func pngMemory(r io.ReaderAt, h header) (int64, error) {
	var b [13]byte // from the width on
	if _, err := r.ReadAt(b[:], 16); err != nil {
		return 0, err
	}
	depth, kind, interlaced := int64(b[8]), b[9], b[12] != 0
	const grey, rgb, palette, greyAlpha, rgba = 0, 2, 3, 4, 6
	pixel, samples := int64(4), int64(1)
	switch kind {
	case grey:
		if pixel = 1; hasTRNS(r) {
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
	picture := pixel * area(h)
	if interlaced {
		picture *= 2
	}
	return picture + 2*(int64(h.width)*depth*samples/8+2), nil // two rows as they are stored
}

// hasTRNS reports whether a PNG may have a tRNS chunk before its pixels.
func hasTRNS(r io.ReaderAt) bool {
	found, chunks := false, 0
	err := eachChunk(r, func(kind string, _, _ int64) error {
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

// maxHeadChunks is how many chunks before its pixels a PNG is believed to need.
const maxHeadChunks = 1000

// bmpMemory reads the header of a BMP. Its decoder makes a picture of a byte a
// pixel of palettes, else of four, and has one row as it is stored.
func bmpMemory(r io.ReaderAt, h header) (int64, error) {
	var b [2]byte
	if _, err := r.ReadAt(b[:], 28); err != nil {
		return 0, err
	}
	if binary.LittleEndian.Uint16(b[:]) <= 8 {
		return area(h) + int64(h.width) + 8, nil
	}
	return 4*area(h) + 3*int64(h.width) + 8, nil
}

// webpMemory looks which kinds of pixels a WebP has (RFC 9649).
//
// Lossy ones are made into planes of whole macroblocks of 16 × 16 pixels, one and
// a half bytes a pixel, out of partitions that are read whole. Lossless ones are
// made into four bytes a pixel; a palette is put in place in a second picture,
// and the parameters of the three other transforms, one for 4 × 4 pixels at
// least, are pictures, too. There are up to 2600 groups of five Huffman codes,
// each with a table of 1 KiB, and nodes of 8 bytes, two for a symbol, of which
// the file can have 16 in a byte. Alpha is a byte a pixel, and before that a
// lossless picture if it is compressed.
func webpMemory(r io.ReaderAt, size int64, h header) (int64, error) {
	w16, h16 := (int64(h.width)+15)&^15, (int64(h.height)+15)&^15
	lossy := w16*h16*3/2 + w16*h16/16 + min(size, 128<<20)
	groups := min(2600, area(h)/16+1)
	lossless := 9*area(h) + groups*5*1100 + min(256*size, groups*50_000)
	kind, alpha, err := webpKind(r, size)
	switch {
	case err != nil:
		return 0, err
	case kind == "VP8L":
		return lossless, nil
	case alpha:
		return max(lossless+area(h), lossy+5*area(h)), nil
	}
	return lossy, nil
}

// webpKind returns the chunk that has the pixels of a WebP, and whether a chunk
// of alpha stands before it.
func webpKind(r io.ReaderAt, size int64) (kind string, alpha bool, err error) {
	var b [8]byte
	for at, n := int64(12), 0; at+8 <= size && n < maxHeadChunks; n++ {
		if _, err := r.ReadAt(b[:], at); err != nil {
			return "", false, err
		}
		switch kind := string(b[:4]); kind {
		case "VP8 ", "VP8L":
			return kind, alpha, nil
		case "ALPH":
			alpha = true
		}
		length := int64(binary.LittleEndian.Uint32(b[4:]))
		at += 8 + length + length&1
	}
	return "", false, errors.New("there are no pixels")
}

// jpegMemory goes by the frame header of a JPEG. Its decoder makes a plane of each
// component, of whole blocks of 8 × 8 samples and as many of those as the sampling
// factors say; the factors of a single component do not count. The coefficients
// of a progressive one are kept, four bytes each. What is red, green and blue, or
// has four components, is put together in four bytes a pixel.
func jpegMemory(r io.ReaderAt, size int64, h header) (int64, error) {
	c := h.components
	if len(c) == 1 {
		c = []component{{c[0].name, 1, 1}}
	}
	across := (int64(h.width) + 8*c[0].h - 1) / (8 * c[0].h)
	down := (int64(h.height) + 8*c[0].v - 1) / (8 * c[0].v)
	var need int64
	for _, k := range c {
		need += 64 * across * down * k.h * k.v
	}
	if h.progressive {
		need *= 5
	}
	together := len(c) == 4
	if len(c) == 3 {
		var err error
		if together, err = mayBeRGB(r, size, string([]byte{c[0].name, c[1].name, c[2].name})); err != nil {
			return 0, err
		}
	}
	if together {
		need += 4 * area(h)
	}
	return need, nil
}

// mayBeRGB reports whether a JPEG says that its three components are red, green
// and blue: by their names, or in an Adobe segment, which can also stand after
// the first of its scans.
func mayBeRGB(r io.ReaderAt, size int64, names string) (bool, error) {
	if names == "RGB" {
		return true, nil
	}
	s := bufio.NewReaderSize(io.NewSectionReader(r, 0, min(size, maxAdobe)), 64<<10)
	for {
		if _, err := s.ReadSlice(0xff); err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return size > maxAdobe, notEOF(err)
		} else if err != nil {
			continue
		}
		b, err := s.Peek(15) // marker, length, name, three numbers, transform
		if len(b) == 15 && b[0] == 0xee && string(b[3:8]) == "Adobe" && b[14] == 0 {
			return true, nil
		}
		if err != nil && err != io.EOF {
			return false, err
		}
	}
}

// maxAdobe is how far an Adobe segment is looked for.
const maxAdobe = 256 << 20

func notEOF(err error) error {
	if err == io.EOF {
		return nil
	}
	return err
}
