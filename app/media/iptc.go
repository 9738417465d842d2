package media

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/bep/imagemeta"
)

// maxIPTC limits IPTC, in bytes, to the capacity of an EXIF tag.
const maxIPTC = 250_000

// readIPTC reads IPTC datasets (IIM 4.2, chapter 1). It lets imagemeta, which knows their
// names, decode the valid ones, in UTF-8, from a minimal TIFF.
func (c *collector) readIPTC(data []byte) error {
	sound, err := soundIPTC(data)
	for len(sound)%4 != 0 {
		sound = append(sound, 0)
	}
	b := []byte("II*\x00\x08\x00\x00\x00\x01\x00\xbb\x83\x04\x00")
	b = binary.LittleEndian.AppendUint32(b, uint32(len(sound)/4))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(b)+8))
	b = append(append(b, 0, 0, 0, 0), sound...)
	_, failed := imagemeta.Decode(imagemeta.Options{
		R: bytes.NewReader(b), ImageFormat: imagemeta.TIFF, Sources: imagemeta.IPTC,
		HandleTag: c.add, LimitNumTags: maxTagsRead, LimitTagSize: 3 * maxTagLength,
	})
	if err = errors.Join(err, failed); err != nil {
		return fmt.Errorf("IPTC: %w", err)
	}
	return nil
}

// soundIPTC copies the valid application datasets, with their texts in UTF-8, after a
// dataset that declares that encoding.
func soundIPTC(data []byte) ([]byte, error) {
	out := []byte("\x1c\x01\x5a\x00\x03\x1b%G")
	for len(data) >= 5 && data[0] == 0x1c {
		record, id, n := data[1], data[2], int(binary.BigEndian.Uint16(data[3:]))
		data = data[5:]
		if n&0x8000 != 0 { // extended length
			width := n & 0x7fff
			if width > 4 || width > len(data) {
				return out, errors.New("a dataset has no length")
			}
			n = 0
			for _, b := range data[:width] {
				n = n<<8 | int(b)
			}
			data = data[width:]
		}
		if n > len(data) {
			return out, errors.New("the datasets are cut off")
		}
		value := data[:n]
		data = data[n:]
		isNumber := id == 0 || id >= 200 && id <= 202
		if record != 2 || n > maxTagLength || isNumber && n != 2 {
			continue
		}
		if !isNumber {
			value = []byte(anyText(value))
		}
		if len(out)+5+len(value) > maxIPTC {
			return out, errors.New("there are too many datasets")
		}
		out = append(out, 0x1c, record, id, byte(len(value)>>8), byte(len(value)))
		out = append(out, value...)
	}
	if len(bytes.Trim(data, "\x00")) > 0 {
		return out, errors.New("the datasets are damaged")
	}
	return out, nil
}

// iptcOfPhotoshop returns the IPTC in Photoshop's image resources, or nil if it is absent
// (Adobe Photoshop file formats specification, image resource blocks).
func iptcOfPhotoshop(data []byte) []byte {
	for len(data) >= 12 && string(data[:4]) == "8BIM" {
		id := binary.BigEndian.Uint16(data[4:])
		name := (1 + int(data[6]) + 1) &^ 1
		if len(data) < 10+name {
			return nil
		}
		n := int64(binary.BigEndian.Uint32(data[6+name:]))
		data = data[10+name:]
		have := min(n, int64(len(data)))
		if id == 0x0404 {
			return data[:have]
		}
		data = data[min(have+n&1, int64(len(data))):]
	}
	return nil
}
