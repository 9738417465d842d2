package media

import (
	"bytes"
	"encoding/binary"
	"errors"
	"image"

	"golang.org/x/image/webp"

	"github.com/digital-asset-library/dal/app/dam"
)

var webpFormat = format{
	Type: Type{
		MIME: "image/webp", Name: "WebP", Phrase: "a WebP picture",
		Extensions: []string{"webp"}, Category: dam.CategoryImage, Showable: true,
	},
	is: func(_ source, head []byte) bool {
		return len(head) > 15 && bytes.HasPrefix(head, []byte("RIFF")) && string(head[8:15]) == "WEBPVP8"
	},
	header:   webpHeader,
	metadata: webpMetadata,
	says:     exifAndXMP,
	memory:   webpMemory,
	decode:   decodeWebP,
	profile:  webpProfile,
	cutOff:   isCutOffWebP,
}

func webpHeader(s source) (header, error) {
	c, err := webp.DecodeConfig(s.section())
	if err == nil && isAnimatedWebP(s) {
		return animationHeader(s, c.Width, c.Height)
	}
	return header{width: c.Width, height: c.Height}, err
}

// isAnimatedWebP checks the flags of a VP8X chunk (RFC 9649 section 2.7).
func isAnimatedWebP(s source) bool {
	var b [21]byte
	_, err := s.ReadAt(b[:], 0)
	return err == nil && string(b[12:16]) == "VP8X" && b[20]&2 != 0
}

// decodeWebP returns the picture; for an animation, the canvas with its first frame.
func decodeWebP(s source) (image.Image, error) {
	if !isAnimatedWebP(s) {
		return decodeStill(s)
	}
	c, err := webp.DecodeConfig(s.section())
	if err != nil {
		return nil, err
	}
	return decodeAnimation(s, image.Rect(0, 0, c.Width, c.Height))
}

func decodeStill(s source) (image.Image, error) {
	img, err := webp.Decode(s.buffered())
	switch img := img.(type) {
	case *image.YCbCr:
		fullRange(img)
	case *image.NYCbCrA:
		fullRange(&img.YCbCr)
	}
	return img, err
}

// isCutOffWebP reports whether a WebP is shorter than its RIFF header declares.
func isCutOffWebP(s source, _ error) bool {
	var b [8]byte
	_, err := s.ReadAt(b[:], 0)
	return err == nil && int64(binary.LittleEndian.Uint32(b[4:]))+8 > s.size
}

func webpMemory(s source, h header) (int64, error) {
	if isAnimatedWebP(s) {
		return animationMemory(s, h)
	}
	return stillMemory(s, h)
}

// stillMemory estimates from the kind of pixels in a WebP (RFC 9649).
//
// Lossy pixels decode to planes of whole macroblocks of 16 × 16 pixels, at one and a half
// bytes per pixel, from partitions that are read whole. Lossless pixels decode to four
// bytes each; a palette is applied in a second picture, and the parameters of the three
// other transforms, one for at least 4 × 4 pixels, are pictures too. There are up to 2600
// groups of five Huffman codes, each with a table of 1 KiB and nodes of 8 bytes, two per
// symbol, of which the file can encode 16 per byte. Alpha takes a byte per pixel and, if
// compressed, a lossless picture first.
func stillMemory(s source, h header) (int64, error) {
	w16, h16 := (int64(h.width)+15)&^15, (int64(h.height)+15)&^15
	lossy := w16*h16*3/2 + w16*h16/16 + min(s.size, 128<<20)
	groups := min(2600, h.area()/16+1)
	lossless := 9*h.area() + groups*5*1100 + min(256*s.size, groups*50_000)
	kind, alpha, err := webpKind(s)
	switch {
	case err != nil:
		return 0, err
	case kind == "VP8L":
		return lossless, nil
	case alpha:
		return max(lossless+h.area(), lossy+5*h.area()), nil
	}
	return lossy, nil
}

// webpKind returns the id of the chunk that contains the pixels of a WebP, and whether an
// alpha chunk precedes it.
func webpKind(s source) (kind string, alpha bool, err error) {
	err = eachRIFFChunk(s, maxHeadChunks, func(id string, _, _ int64) error {
		switch id {
		case "VP8 ", "VP8L":
			kind = id
			return errFound
		case "ALPH":
			alpha = true
		}
		return nil
	})
	if errors.Is(err, errFound) {
		err = nil
	}
	return kind, alpha, err
}

// webpProfile returns the ICCP chunk of a WebP (RFC 9649).
func webpProfile(s source) (profile []byte, err error) {
	err = eachRIFFChunk(s, maxChunks, func(id string, at, n int64) error {
		if id != "ICCP" || n > maxProfile || at+n > s.size {
			return nil
		}
		profile = make([]byte, n)
		if _, err := s.ReadAt(profile, at); err != nil {
			return err
		}
		return errFound
	})
	if errors.Is(err, errFound) {
		return profile, nil
	}
	return nil, err
}

// eachRIFFChunk calls fn for each chunk of a WebP. It returns io.EOF after the last one.
func eachRIFFChunk(s source, limit int, fn func(id string, at, n int64) error) error {
	at := int64(12)
	var b [8]byte
	for range limit {
		if _, err := s.ReadAt(b[:], at); err != nil {
			return err
		}
		n := int64(binary.LittleEndian.Uint32(b[4:]))
		if err := fn(string(b[:4]), at+8, n); err != nil {
			return err
		}
		at += 8 + n + n&1
	}
	return errors.New("there are too many chunks")
}

// fullRange expands the planes of a lossy WebP, whose luma ranges from 16 to 235 and whose
// chroma ranges from 16 to 240 (ITU-R BT.601, by RFC 9649 section 2.5), to the full byte
// range that image.YCbCr uses.
func fullRange(img *image.YCbCr) {
	var luma, chroma [256]byte
	for i := range 256 {
		v := float64(i)
		luma[i] = uint8(min(max((v-16)*255/219, 0), 255) + 0.5)
		chroma[i] = uint8(min(max((v-128)*255/224+128, 0), 255) + 0.5)
	}
	for i, v := range img.Y {
		img.Y[i] = luma[v]
	}
	for i := range img.Cb {
		img.Cb[i], img.Cr[i] = chroma[img.Cb[i]], chroma[img.Cr[i]]
	}
}
