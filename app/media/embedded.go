package media

import (
	"bytes"
	"encoding/hex"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/bep/imagemeta"
)

// embedded holds the raw metadata blocks of a file.
type embedded struct {
	exif []byte
	iptc []byte
	xmp  []byte
}

// collect reads each block independently: an error in one is reported but does not prevent
// reading the others.
func (b embedded) collect(before error) (*collector, error) {
	c := newCollector()
	errs := []error{before}
	if len(b.exif) > 0 {
		block := bytes.TrimPrefix(b.exif, []byte("Exif\x00\x00"))
		iptc, xmp, err := c.readEXIF(bytes.NewReader(block), int64(len(block)))
		errs = append(errs, err)
		if b.iptc == nil {
			b.iptc = iptc
		}
		if b.xmp == nil {
			b.xmp = xmp
		}
	}
	if len(b.iptc) > 0 {
		errs = append(errs, c.readIPTC(b.iptc))
	}
	if len(b.xmp) > 0 {
		errs = append(errs, c.readXMP(b.xmp))
	}
	return c, errors.Join(errs...)
}

// tiffMetadata reads the tags of a TIFF, which have the format of EXIF.
func tiffMetadata(s source) (*collector, error) {
	c := newCollector()
	iptc, xmp, err := c.readEXIF(s, s.size)
	if len(iptc) > 0 {
		err = errors.Join(err, c.readIPTC(iptc))
	}
	if len(xmp) > 0 {
		err = errors.Join(err, c.readXMP(xmp))
	}
	return c, err
}

// heifMetadata returns a function that reads the metadata items of a HEIF file.
func heifMetadata(f imagemeta.ImageFormat) func(source) (*collector, error) {
	return func(s source) (*collector, error) {
		c := newCollector()
		_, err := imagemeta.Decode(imagemeta.Options{
			R: s.section(), ImageFormat: f, Sources: imagemeta.EXIF | imagemeta.XMP, ShouldHandleTag: wanted, HandleTag: c.add,
			LimitNumTags: maxTagsRead, LimitTagSize: 2 * maxTagLength,
		})
		return c, err
	}
}

// jpegMetadata reads the first EXIF, the first XMP and the IPTC of a JPEG; Photoshop
// spreads long IPTC over several segments.
func jpegMetadata(s source) (*collector, error) {
	var b embedded
	var resources []byte
	err := eachSegment(s, func(marker byte, at int64, n int) error {
		if marker != 0xe1 && marker != 0xed {
			return nil
		}
		data := make([]byte, n)
		if _, err := s.ReadAt(data, at); err != nil {
			return err
		}
		switch marker {
		case 0xe1:
			if bytes.HasPrefix(data, []byte("Exif\x00")) && b.exif == nil {
				b.exif = data
			}
			if rest, ok := bytes.CutPrefix(data, []byte("http://ns.adobe.com/xap/1.0/\x00")); ok && b.xmp == nil {
				b.xmp = rest
			}
		case 0xed:
			if rest, ok := bytes.CutPrefix(data, []byte("Photoshop 3.0\x00")); ok && len(resources) < maxXMP {
				resources = append(resources, rest...)
			}
		}
		return nil
	})
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil // decoding reports the truncation
	}
	b.iptc = iptcOfPhotoshop(resources)
	return b.collect(err)
}

// webpMetadata reads the metadata chunks of a WebP, regardless of its flags.
func webpMetadata(s source) (*collector, error) {
	var b embedded
	err := eachRIFFChunk(s, maxChunks, func(id string, at, n int64) error {
		to := map[string]*[]byte{"EXIF": &b.exif, "XMP": &b.xmp}[strings.TrimRight(id, " ")]
		if to == nil || *to != nil || n > maxXMP || n > s.size-at {
			return nil
		}
		*to = make([]byte, n)
		_, err := s.ReadAt(*to, at)
		return err
	})
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return b.collect(err)
}

// pngMetadata reads the eXIf chunk of a PNG and its text chunks that contain metadata.
func pngMetadata(s source) (*collector, error) {
	var b embedded
	var problems []error
	err := eachChunk(s, func(kind string, at, n int64) error {
		isText := kind == "iTXt" || kind == "zTXt" || kind == "tEXt"
		if kind != "eXIf" && !isText || n > maxXMP || n > s.size-at {
			return nil
		}
		data := make([]byte, n)
		if _, err := s.ReadAt(data, at); err != nil {
			return err
		}
		if !isText {
			b.exif = data
			return nil
		}
		if err := b.addPNGText(kind, data); err != nil && len(problems) < 3 {
			problems = append(problems, err)
		}
		return nil
	})
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return b.collect(errors.Join(append(problems, err)...))
}

// addPNGText adds the text of a chunk whose keyword identifies it as metadata: XMP (XMP
// part 3, section 1.1.5), or a raw profile as ImageMagick writes it.
func (b *embedded) addPNGText(kind string, data []byte) error {
	key, rest, ok := bytes.Cut(data, []byte{0})
	name, isProfile := strings.CutPrefix(string(key), "Raw profile type ")
	if !ok || !isProfile && name != "XML:com.adobe.xmp" {
		return nil
	}
	text, err := pngText(kind, rest)
	if err != nil {
		return err
	}
	if !isProfile {
		b.xmp = text
		return nil
	}
	profile, err := rawProfile(text)
	switch {
	case err != nil:
		return err
	case name == "exif" || name == "APP1":
		if rest, ok := bytes.CutPrefix(profile, []byte("http://ns.adobe.com/xap/1.0/\x00")); ok {
			b.xmp = rest
		} else if b.exif == nil {
			b.exif = profile
		}
	case name == "iptc" || name == "8bim":
		if b.iptc = profile; bytes.HasPrefix(profile, []byte("8BIM")) {
			b.iptc = iptcOfPhotoshop(profile)
		}
	case name == "xmp" && b.xmp == nil:
		b.xmp = profile
	}
	return nil
}

// pngText returns the text after the keyword of an iTXt, zTXt or tEXt chunk (PNG section
// 11.3.3).
func pngText(kind string, rest []byte) ([]byte, error) {
	switch {
	case kind == "tEXt":
		return rest, nil
	case kind == "zTXt" && len(rest) > 0:
		return inflate(rest[1:], maxXMP)
	case kind == "iTXt" && len(rest) > 2:
		compressed := rest[0] == 1
		_, rest, ok := bytes.Cut(rest[2:], []byte{0}) // language
		_, rest, ok2 := bytes.Cut(rest, []byte{0})    // translated keyword
		if ok && ok2 && compressed {
			return inflate(rest, maxXMP)
		}
		if ok && ok2 {
			return rest, nil
		}
	}
	return nil, errors.New("a text is cut off")
}

// rawProfile decodes a profile stored as text: a line with its name, a line with its
// length, and then its bytes in hexadecimal.
func rawProfile(text []byte) ([]byte, error) {
	_, text, ok := bytes.Cut(bytes.TrimLeft(text, "\n"), []byte{'\n'})
	length, digits, ok2 := bytes.Cut(text, []byte{'\n'})
	n, err := strconv.Atoi(string(bytes.TrimSpace(length)))
	if !ok || !ok2 || err != nil {
		return nil, errors.New("a profile has no length")
	}
	digits = bytes.ReplaceAll(digits, []byte{'\n'}, nil)
	out := make([]byte, hex.DecodedLen(len(digits)))
	have, err := hex.Decode(out, digits)
	return out[:min(have, max(n, 0))], err
}
