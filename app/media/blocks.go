package media

import (
	"encoding/binary"
	"errors"
	"io"
)

// The UUIDs of the JPEG 2000 boxes that contain metadata. Sources: XMP part 3, section
// 1.1.4; the others are those that ImageMagick and exiftool write.
const (
	jp2XMP  = "\xbe\x7a\xcf\xcb\x97\xa9\x42\xe8\x9c\x71\x99\x94\x91\xe3\xaf\xac"
	jp2EXIF = "JpgTiffExif->JP2"
	jp2IPTC = "\x33\xc7\xa4\xd2\xb8\x1d\x47\x23\xa0\xba\xf1\xa3\xe0\x97\xad\x38"
)

// jp2Metadata reads the metadata boxes of a JPEG 2000 file.
func jp2Metadata(s source) (*collector, error) {
	var b embedded
	for at, n := int64(0), 0; at+8 <= s.size && n < maxBoxes; n++ {
		var head [32]byte
		if _, err := s.ReadAt(head[:min(32, s.size-at)], at); err != nil && !errors.Is(err, io.EOF) {
			return b.collect(err)
		}
		size, skip := int64(binary.BigEndian.Uint32(head[:])), int64(8)
		if size == 1 {
			size, skip = int64(binary.BigEndian.Uint64(head[8:])), 16
		}
		if size == 0 {
			size = s.size - at
		}
		if size < skip || size > s.size-at {
			break // decoding reports the damage
		}
		if string(head[4:8]) == "uuid" && skip == 8 && size > 24 {
			to := map[string]*[]byte{jp2XMP: &b.xmp, jp2EXIF: &b.exif, jp2IPTC: &b.iptc}[string(head[8:24])]
			if to != nil && *to == nil && size <= maxXMP {
				*to = make([]byte, size-24)
				if _, err := s.ReadAt(*to, at+24); err != nil && !errors.Is(err, io.EOF) {
					return b.collect(err)
				}
			}
		}
		at += size
	}
	return b.collect(nil)
}

// psdMetadata reads the image resources of a Photoshop file (Adobe Photoshop file formats
// specification).
func psdMetadata(s source) (*collector, error) {
	var b embedded
	var n [4]byte
	at := int64(26)
	if _, err := s.ReadAt(n[:], at); err != nil {
		return b.collect(err)
	}
	at += 4 + int64(binary.BigEndian.Uint32(n[:])) // after the palette
	if _, err := s.ReadAt(n[:], at); err != nil {
		return b.collect(err)
	}
	end := min(at+4+int64(binary.BigEndian.Uint32(n[:])), s.size)
	at += 4
	for range maxBoxes {
		var head [7]byte
		if end-at < 12 {
			break
		}
		if _, err := s.ReadAt(head[:], at); err != nil {
			return b.collect(err)
		}
		at += 6 + (1+int64(head[6])+1)&^1 // after the name
		if _, err := s.ReadAt(n[:], at); err != nil {
			return b.collect(err)
		}
		at += 4
		size := int64(binary.BigEndian.Uint32(n[:]))
		to := map[uint16]*[]byte{0x0404: &b.iptc, 0x0422: &b.exif, 0x0424: &b.xmp}[binary.BigEndian.Uint16(head[4:])]
		if to != nil && *to == nil && size <= maxXMP && size <= end-at {
			*to = make([]byte, size)
			if _, err := s.ReadAt(*to, at); err != nil && !errors.Is(err, io.EOF) {
				return b.collect(err)
			}
		}
		at += size + size&1
	}
	return b.collect(nil)
}
