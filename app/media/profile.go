package media

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"io"
)

// The bounds of what is read beside the pixels.
const (
	maxProfile = 4 << 20
	maxXMP     = 4 << 20
	maxChunks  = 100_000
)

// readProfile returns the ICC profile of a picture, or nil.
func readProfile(r io.ReaderAt, size int64, t Type) ([]byte, error) {
	switch t.MIME {
	case "image/jpeg":
		return jpegProfile(r, size)
	case "image/png":
		return pngProfile(r, size)
	case "image/webp":
		return webpProfile(r, size)
	case "image/tiff":
		return tiffProfile(r, size)
	}
	return nil, nil
}

// jpegProfile joins the APP2 segments of a profile (ICC.1:2022, annex B.4).
func jpegProfile(r io.ReaderAt, size int64) ([]byte, error) {
	const id = "ICC_PROFILE\x00"
	parts := map[byte][]byte{}
	total := 0
	err := eachSegment(r, size, func(marker byte, at int64, n int) error {
		if marker != 0xe2 || n < len(id)+2 {
			return nil
		}
		buf := make([]byte, n)
		if _, err := r.ReadAt(buf, at); err != nil {
			return err
		}
		if !bytes.HasPrefix(buf, []byte(id)) {
			return nil
		}
		parts[buf[len(id)]] = buf[len(id)+2:]
		total += n
		if total > maxProfile {
			return errFound // too large to be meant seriously: ignored below
		}
		return nil
	})
	if err != nil || total > maxProfile {
		return nil, nil // the pixels were fine, so the walk's complaint is no matter
	}
	var profile []byte
	for i := 1; i <= len(parts); i++ {
		profile = append(profile, parts[byte(i)]...)
	}
	return profile, nil
}

// eachChunk calls fn with each chunk of a PNG before its end.
func eachChunk(r io.ReaderAt, fn func(kind string, at int64, n int64) error) error {
	at := int64(8)
	var b [8]byte
	for range maxChunks {
		if _, err := r.ReadAt(b[:], at); err != nil {
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

func pngProfile(r io.ReaderAt, size int64) (profile []byte, err error) {
	err = eachChunk(r, func(kind string, at, n int64) error {
		if kind == "IDAT" {
			return errNotFound
		}
		if kind != "iCCP" || n > maxProfile {
			return nil
		}
		data := make([]byte, n)
		if _, err := r.ReadAt(data, at); err != nil {
			return err
		}
		_, data, ok := bytes.Cut(data, []byte{0}) // the name
		if !ok || len(data) < 1 {
			return errNotFound
		}
		if profile, err = inflate(data[1:], maxProfile); err != nil {
			return errNotFound
		}
		return errFound
	})
	if errors.Is(err, errFound) {
		return profile, nil
	}
	return nil, nil
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

// pngXMP returns the XMP packet of a PNG: an iTXt chunk of a fixed name. Source:
// PNG section 11.3.3.4, XMP part 3 section 1.1.5.
func pngXMP(r io.ReaderAt) (packet []byte, err error) {
	err = eachChunk(r, func(kind string, at, n int64) error {
		if kind != "iTXt" || n > maxXMP {
			return nil
		}
		data := make([]byte, n)
		if _, err := r.ReadAt(data, at); err != nil {
			return err
		}
		rest, ok := bytes.CutPrefix(data, []byte("XML:com.adobe.xmp\x00"))
		if !ok || len(rest) < 2 {
			return nil
		}
		compressed := rest[0] == 1
		_, rest, ok = bytes.Cut(rest[2:], []byte{0}) // language
		_, rest, ok2 := bytes.Cut(rest, []byte{0})   // translated keyword
		if !ok || !ok2 {
			return errors.New("the XMP chunk is cut off")
		}
		packet = rest
		if compressed {
			if packet, err = inflate(rest, maxXMP); err != nil {
				return err
			}
		}
		return errFound
	})
	if errors.Is(err, errFound) {
		err = nil
	}
	return packet, err
}

// webpProfile returns the ICCP chunk of a WebP (RFC 9649).
func webpProfile(r io.ReaderAt, size int64) ([]byte, error) {
	at := int64(12)
	var b [8]byte
	for range maxChunks {
		if _, err := r.ReadAt(b[:], at); err != nil {
			return nil, nil
		}
		n := int64(binary.LittleEndian.Uint32(b[4:]))
		if string(b[:4]) == "ICCP" && n <= maxProfile && at+8+n <= size {
			data := make([]byte, n)
			_, err := r.ReadAt(data, at+8)
			return data, err
		}
		at += 8 + n + n&1
	}
	return nil, nil
}

func tiffProfile(r io.ReaderAt, size int64) ([]byte, error) {
	d, err := readIFD(r, size)
	if err != nil {
		return nil, nil
	}
	e, ok := d.find(tagICC)
	at := int64(d.order.Uint32(e.raw[:]))
	if !ok || e.count <= 4 || e.count > maxProfile || at+int64(e.count) > size {
		return nil, nil
	}
	data := make([]byte, e.count)
	_, err = r.ReadAt(data, at)
	return data, err
}
