package embed

import (
	"bytes"
	"encoding/binary"
	"io"
)

// headXMP begins a JPEG segment with XMP (XMP part 3, section 1.1.3).
const headXMP = "http://ns.adobe.com/xap/1.0/\x00"

// maxSegment is the maximum size of a JPEG segment in bytes, excluding its marker.
const maxSegment = 0xffff

// jpeg inserts the packet after the segments that must come first: JFIF and EXIF.
func jpeg(r io.ReaderAt, size int64, list []Property) (*Copy, error) {
	segments, rest, err := segmentsOf(r, size)
	if err != nil {
		return nil, err
	}
	var old []byte
	var kept []span
	zone, exif := zoneOf(list), map[int64][]byte{}
	place := 0 // index into kept
	for _, s := range segments {
		if s.marker == 0xe1 && s.n >= int64(len(headXMP))+4 {
			head, err := all(r, s.at+4, int64(len(headXMP)))
			if err != nil {
				return nil, err
			}
			if string(head) == headXMP {
				if old == nil {
					if old, err = all(r, s.at+4+int64(len(headXMP)), s.n-4-int64(len(headXMP))); err != nil {
						return nil, err
					}
				}
				continue
			}
		}
		if s.marker == 0xe1 && zone != nil && len(exif) == 0 {
			data, err := all(r, s.at+4, s.n-4)
			if err != nil {
				return nil, err
			}
			if data = zone.block(data); len(data)+2 <= maxSegment && data != nil {
				exif[s.at] = segment(s.marker, data)
			}
		}
		if kept = append(kept, s); s.marker == 0xe0 || s.marker == 0xe1 {
			place = len(kept)
		}
	}
	text := packet(old, list)
	if len(text)+len(headXMP)+2 > maxSegment {
		return nil, ErrTooLong
	}
	segment := []byte{0xff, 0xe1}
	segment = binary.BigEndian.AppendUint16(segment, uint16(2+len(headXMP)+len(text)))
	segment = append(append(segment, headXMP...), text...)
	c := &Copy{}
	c.add(r, 0, 2)
	for i := 0; i <= len(kept); i++ {
		if i == place {
			c.add(bytes.NewReader(segment), 0, int64(len(segment)))
		}
		if i < len(kept) {
			c.piece(r, kept[i], exif)
		}
	}
	c.add(r, rest, size-rest)
	return c, nil
}

// span is a whole segment or chunk of a file.
type span struct {
	at, n  int64
	marker byte
	id     string
}

// segmentsOf returns the segments of a JPEG before the first scan, and the offset of the
// rest.
func segmentsOf(r io.ReaderAt, size int64) (list []span, rest int64, err error) {
	start, err := all(r, 0, 2)
	if err != nil || start[0] != 0xff || start[1] != 0xd8 {
		return nil, 0, ErrDamaged
	}
	for at := int64(2); len(list) < maxParts; {
		head, err := all(r, at, 4)
		if err != nil {
			return nil, 0, err
		}
		marker, n := head[1], 2+int64(binary.BigEndian.Uint16(head[2:]))
		switch {
		case head[0] != 0xff || marker == 0xff || marker >= 0xe0 && n < 4 || at+n > size:
			return list, at, nil // padding or damage: the rest is copied unchanged
		case marker < 0xe0 && marker != 0xdb && marker != 0xc4 || marker > 0xef && marker != 0xfe:
			return list, at, nil
		}
		list = append(list, span{at: at, n: n, marker: marker})
		at += n
	}
	return nil, 0, ErrDamaged
}
