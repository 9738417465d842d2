package media

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"image"
	"image/jpeg"
	"io"
	"strings"

	"github.com/h2non/filetype"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/media/baseline"
)

var jpegFormat = format{
	Type: Type{
		MIME: "image/jpeg", Name: "JPEG", Phrase: "a JPEG picture",
		Extensions: []string{"jpg", "jpeg", "jpe", "jfif"}, Category: dam.CategoryImage, Showable: true,
	},
	is:       func(_ source, head []byte) bool { return filetype.Is(head, "jpg") },
	header:   jpegHeader,
	metadata: jpegMetadata,
	memory:   jpegMemory,
	decode:   decodeJPEG,
	mend:     mendJPEG,
	profile:  jpegProfile,
	cutOff:   isShortJPEG,
	beyond: func(err error) bool {
		_, ok := errors.AsType[jpeg.UnsupportedError](err)
		return ok
	},
}

func decodeJPEG(s source) (image.Image, error) {
	if img, ok := baseline.Decode(s.section()); ok {
		return img, nil
	}
	return decodeJPEGOf(s, func() io.Reader { return s.section() })
}

// decodeJPEGOf decodes a JPEG from open; s provides its frame header.
func decodeJPEGOf(s source, open func() io.Reader) (image.Image, error) {
	img, err := jpeg.Decode(bufio.NewReaderSize(open(), 64<<10))
	if _, ok := errors.AsType[jpeg.UnsupportedError](err); ok {
		if f, failed := readJPEGFrame(s); failed == nil && len(f.components) == 4 {
			return decodeInks(open())
		}
	}
	return img, err
}

// decodeInks decodes a JPEG of four components without an Adobe segment as CMYK. Only
// Adobe's programs invert CMYK, so the result is inverted back.
func decodeInks(r io.Reader) (image.Image, error) {
	const adobe = "\xff\xd8\xff\xee\x00\x0eAdobe\x00\x64\x00\x00\x00\x00\x00"
	if _, err := io.CopyN(io.Discard, r, 2); err != nil {
		return nil, err
	}
	img, err := jpeg.Decode(bufio.NewReaderSize(io.MultiReader(strings.NewReader(adobe), r), 64<<10))
	if m, ok := img.(*image.CMYK); ok {
		for i, v := range m.Pix {
			m.Pix[i] = 255 - v
		}
	}
	return img, err
}

func jpegHeader(s source) (header, error) {
	f, err := readJPEGFrame(s)
	return header{width: f.width, height: f.height, deep: len(f.components) == 4}, err
}

// jpegFrame is the frame header of a JPEG.
type jpegFrame struct {
	width, height int
	progressive   bool
	components    []jpegComponent
	at            int64 // offset of the header's content
}

type jpegComponent struct {
	name byte
	h, v int64 // sampling factors
}

// readJPEGFrame reads the frame header (ITU T.81, annex B).
func readJPEGFrame(s source) (f jpegFrame, err error) {
	err = eachSegment(s, func(marker byte, at int64, n int) error {
		isFrame := marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc
		if !isFrame {
			return nil
		}
		buf := make([]byte, n)
		if _, err := s.ReadAt(buf, at); err != nil {
			return err
		}
		if n < 6 || n < 6+3*int(buf[5]) || buf[5] == 0 {
			return errors.New("the frame header is too short")
		}
		f.height, f.width = int(binary.BigEndian.Uint16(buf[1:])), int(binary.BigEndian.Uint16(buf[3:]))
		f.progressive, f.at = marker == 0xc2, at
		for i := range int(buf[5]) {
			c := jpegComponent{buf[6+3*i], int64(buf[7+3*i] >> 4), int64(buf[7+3*i] & 15)}
			if c.h == 0 || c.v == 0 {
				return errors.New("a sampling factor is zero")
			}
			f.components = append(f.components, c)
		}
		return errFound
	})
	if errors.Is(err, errFound) {
		return f, nil
	}
	if err == nil {
		err = errors.New("there is no frame header")
	}
	return f, err
}

// errFound stops a walk early because the target was found.
var errFound = errors.New("found")

// maxSegments limits the walk over a JPEG's segments.
const maxSegments = 10_000

// eachSegment calls fn for each segment of a JPEG before its pixels, with the marker, the
// offset and the length of the content.
func eachSegment(s source, fn func(marker byte, at int64, n int) error) error {
	_, err := walkSegments(s, fn)
	return err
}

// walkSegments is eachSegment, but also returns the offset of the pixels, or 0 if there are
// none.
func walkSegments(s source, fn func(marker byte, at int64, n int) error) (pixels int64, err error) {
	at := int64(2)
	var b [4]byte
	for range maxSegments {
		if _, err := s.ReadAt(b[:2], at); err != nil {
			return 0, err
		}
		switch m := b[1]; {
		case b[0] != 0xff || m == 0xff: // stray bytes, which decoders skip, or fill bytes
			at++
			continue
		case m == 0xda:
			return at, nil
		case m == 0xd9: // end of image
			return 0, nil
		case m <= 0x01 || m >= 0xd0 && m <= 0xd8: // no content
			at += 2
			continue
		}
		if _, err := s.ReadAt(b[2:4], at+2); err != nil {
			return 0, err
		}
		n := int(binary.BigEndian.Uint16(b[2:]))
		if n < 2 || at+2+int64(n) > s.size {
			return 0, io.ErrUnexpectedEOF
		}
		if err := fn(b[1], at+4, n-2); err != nil {
			return 0, err
		}
		at += 2 + int64(n)
	}
	return 0, errors.New("there are too many segments")
}

// jpegMemory estimates from the frame header. The decoder allocates a plane for each
// component, made of whole blocks of 8 × 8 samples in the multiples given by the sampling
// factors; the factors of a single component do not count. A progressive JPEG keeps its
// coefficients, four bytes each. RGB and four components are merged into four bytes per
// pixel. A JPEG without an end marker takes several attempts.
func jpegMemory(s source, h header) (int64, error) {
	f, err := readJPEGFrame(s)
	if err != nil {
		return 0, err
	}
	c := f.components
	if len(c) == 1 {
		c = []jpegComponent{{c[0].name, 1, 1}}
	}
	across := (int64(h.width) + 8*c[0].h - 1) / (8 * c[0].h)
	down := (int64(h.height) + 8*c[0].v - 1) / (8 * c[0].v)
	var need int64
	for _, k := range c {
		need += 64 * across * down * k.h * k.v
	}
	if f.progressive {
		need *= 5
	}
	together := len(c) == 4
	if len(c) == 3 {
		if together, err = mayBeRGB(s, string([]byte{c[0].name, c[1].name, c[2].name})); err != nil {
			return 0, err
		}
	}
	if together {
		need += 4 * h.area()
	}
	if cut, err := mayBeMended(s); cut || err != nil {
		need *= mendAttempts
	}
	return need, nil
}

// mayBeRGB reports whether a JPEG declares that its three components are red, green and
// blue: by their names, or in an Adobe segment, which may also follow the first scan.
func mayBeRGB(s source, names string) (bool, error) {
	if names == "RGB" {
		return true, nil
	}
	r := bufio.NewReaderSize(io.NewSectionReader(s, 0, min(s.size, maxAdobe)), 64<<10)
	for {
		_, err := r.ReadSlice(0xff)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err == io.EOF:
			return s.size > maxAdobe, nil
		case err != nil:
			return false, err
		}
		b, err := r.Peek(15) // marker, length, name, three numbers, transform
		if len(b) == 15 && b[0] == 0xee && string(b[3:8]) == "Adobe" && b[14] == 0 {
			return true, nil
		}
		if err != nil && err != io.EOF {
			return false, err
		}
	}
}

// maxAdobe is how far into a file to search for an Adobe segment, in bytes.
const maxAdobe = 256 << 20

// jpegProfile joins the APP2 segments of a profile (ICC.1:2022, annex B.4).
func jpegProfile(s source) ([]byte, error) {
	const id = "ICC_PROFILE\x00"
	parts := map[byte][]byte{}
	total := 0
	err := eachSegment(s, func(marker byte, at int64, n int) error {
		if marker != 0xe2 || n < len(id)+2 {
			return nil
		}
		buf := make([]byte, n)
		if _, err := s.ReadAt(buf, at); err != nil {
			return err
		}
		if !bytes.HasPrefix(buf, []byte(id)) {
			return nil
		}
		parts[buf[len(id)]] = buf[len(id)+2:]
		total += n
		if total > maxProfile {
			return errors.New("the profile is too large")
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	var profile []byte
	for i := 1; i <= len(parts); i++ {
		profile = append(profile, parts[byte(i)]...)
	}
	return profile, nil
}
