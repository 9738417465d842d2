package embed

import (
	"bytes"
	"encoding/binary"
	"io"
)

// keywordXMP begins a PNG chunk with XMP: its keyword, uncompressed, without language (XMP
// part 3, section 1.1.5).
const keywordXMP = "XML:com.adobe.xmp\x00\x00\x00\x00\x00"

// png inserts the packet after the header, in a separate chunk.
func png(r io.ReaderAt, size int64, list []Property) (*Copy, error) {
	const signature = "\x89PNG\r\n\x1a\n"
	head, err := all(r, 0, int64(len(signature)))
	if err != nil || string(head) != signature {
		return nil, ErrDamaged
	}
	var old []byte
	var kept []span
	zone, exif := zoneOf(list), map[int64][]byte{}
	at := int64(len(signature))
	for end := false; !end; {
		if len(kept) > maxParts {
			return nil, ErrDamaged
		}
		head, err := all(r, at, 8)
		if err != nil {
			return nil, err
		}
		s := span{at: at, n: 12 + int64(binary.BigEndian.Uint32(head)), id: string(head[4:])}
		if at += s.n; at > size {
			return nil, ErrDamaged
		}
		end = s.id == "IEND"
		if s.id == "iTXt" && s.n-12 <= maxPacket {
			data, err := all(r, s.at+8, s.n-12)
			if err != nil {
				return nil, err
			}
			if text, ok := bytes.CutPrefix(data, []byte(keywordXMP)); ok {
				old = text
				continue
			}
			if bytes.HasPrefix(data, []byte("XML:com.adobe.xmp\x00")) {
				continue // compressed, which violates the specification
			}
		}
		if s.id == "eXIf" && zone != nil && len(exif) == 0 && s.n-12 <= maxSegment {
			data, err := all(r, s.at+8, s.n-12)
			if err != nil {
				return nil, err
			}
			if data = zone.block(data); data != nil {
				exif[s.at] = chunkPNG(s.id, data)
			}
		}
		kept = append(kept, s)
	}
	if len(kept) == 0 || kept[0].id != "IHDR" {
		return nil, ErrDamaged
	}
	c := &Copy{}
	c.add(r, 0, int64(len(signature)))
	for i, s := range kept {
		c.piece(r, s, exif)
		if i == 0 {
			c.text(chunkPNG("iTXt", append([]byte(keywordXMP), packet(old, list)...)))
		}
	}
	c.add(r, at, size-at)
	return c, nil
}

// The flags of a VP8X chunk (WebP container specification, "Extended File Format").
const (
	flagXMP   = 1 << 2
	flagAlpha = 1 << 4
)

// webp appends the packet and sets the flag for it at the beginning, for which it converts
// a simple file to an extended one.
func webp(r io.ReaderAt, size int64, list []Property) (*Copy, error) {
	head, err := all(r, 0, 12)
	if err != nil || string(head[:4]) != "RIFF" || string(head[8:]) != "WEBP" {
		return nil, ErrDamaged
	}
	end := min(8+int64(binary.LittleEndian.Uint32(head[4:])), size)
	var old []byte
	var kept []span
	zone, exif := zoneOf(list), map[int64][]byte{}
	for at := int64(12); at+8 <= end; {
		if len(kept) > maxParts {
			return nil, ErrDamaged
		}
		head, err := all(r, at, 8)
		if err != nil {
			return nil, err
		}
		n := int64(binary.LittleEndian.Uint32(head[4:]))
		s := span{at: at, n: 8 + n + n&1, id: string(head[:4])}
		if at += s.n; at > end+1 {
			return nil, ErrDamaged
		}
		if s.id == "EXIF" && zone != nil && len(exif) == 0 && n <= maxSegment {
			data, err := all(r, s.at+8, n)
			if err != nil {
				return nil, err
			}
			if data = zone.block(data); data != nil {
				exif[s.at] = chunkRIFF(s.id, data)
			}
		}
		if s.id != "XMP " {
			kept = append(kept, s)
		} else if old == nil && n <= maxPacket {
			if old, err = all(r, s.at+8, n); err != nil {
				return nil, err
			}
		}
	}
	if len(kept) == 0 {
		return nil, ErrDamaged
	}
	first, err := extended(r, kept[0])
	if err != nil {
		return nil, err
	}
	if kept[0].id == "VP8X" {
		kept = kept[1:]
	}
	text := packet(old, list)
	last := binary.LittleEndian.AppendUint32([]byte("XMP "), uint32(len(text)))
	if last = append(last, text...); len(text)&1 == 1 {
		last = append(last, 0)
	}
	n := int64(4 + len(first) + len(last))
	for _, s := range kept {
		n += s.n
		if b := exif[s.at]; b != nil {
			n += int64(len(b)) - s.n
		}
	}
	if n > 0xfffffffe {
		return nil, ErrTooLong
	}
	start := append(binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(n)), "WEBP"...)
	start = append(start, first...)
	c := &Copy{}
	c.add(bytes.NewReader(start), 0, int64(len(start)))
	for _, s := range kept {
		missing := max(s.at+s.n-size, 0)
		s.n -= missing
		c.piece(r, s, exif)
		if missing > 0 && exif[s.at] == nil {
			c.add(bytes.NewReader([]byte{0}), 0, 1) // the last padding byte
		}
	}
	c.add(bytes.NewReader(last), 0, int64(len(last)))
	return c, nil
}

// extended returns the VP8X chunk of a file, given its first chunk.
func extended(r io.ReaderAt, first span) ([]byte, error) {
	data, err := all(r, first.at, min(first.n, 18))
	if err != nil {
		return nil, err
	}
	chunk := []byte("VP8X\x0a\x00\x00\x00\x00\x00\x00\x00")
	var w, h uint32
	switch {
	case first.id == "VP8X" && len(data) == 18:
		data[8] |= flagXMP
		return data, nil
	case first.id == "VP8 " && len(data) == 18 && string(data[11:14]) == "\x9d\x01\x2a": // RFC 6386, section 9.1
		w, h = uint32(binary.LittleEndian.Uint16(data[14:]))&0x3fff, uint32(binary.LittleEndian.Uint16(data[16:]))&0x3fff
	case first.id == "VP8L" && len(data) >= 13 && data[8] == 0x2f: // RFC 9649, section 3.4
		bits := binary.LittleEndian.Uint32(data[9:])
		w, h = bits&0x3fff+1, bits>>14&0x3fff+1
		if bits>>28&1 == 1 {
			chunk[8] |= flagAlpha
		}
	}
	if w == 0 || h == 0 {
		return nil, ErrDamaged
	}
	chunk[8] |= flagXMP
	return append(chunk, byte(w-1), byte((w-1)>>8), byte((w-1)>>16), byte(h-1), byte((h-1)>>8), byte((h-1)>>16)), nil
}
