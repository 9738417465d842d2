package embed

import (
	"encoding/binary"
	"hash/crc32"
	"io"
	"math"
	"slices"
	"strings"
)

// shownPNG are the PNG chunks that affect rendering, with their maximum number of bytes (PNG,
// third edition, chapter 11).
var shownPNG = map[string]int64{
	"IHDR": 13, "PLTE": 768, "IDAT": math.MaxInt32, "IEND": 0, "tRNS": 256, "cHRM": 32, "gAMA": 4, "iCCP": maxElement, "sBIT": 4, "sRGB": 1,
	"cICP": 4, "mDCV": 24, "cLLI": 8, "bKGD": 6, "pHYs": 9, "acTL": 8, "fcTL": 26, "fdAT": math.MaxInt32,
}

// stripPNG keeps the chunks that affect rendering, unless their length or checksum is wrong:
// decoders ignore those, too.
func stripPNG(s *stripping) error {
	const signature = "\x89PNG\r\n\x1a\n"
	head, err := all(s.r, 0, int64(len(signature)))
	if err != nil || string(head) != signature {
		return ErrDamaged
	}
	at := int64(len(signature))
	orientation := byte(1)
	var list []span
	for end := false; !end; {
		if len(list) > maxParts {
			return ErrDamaged
		}
		head, err := all(s.r, at, 8)
		if err != nil {
			return err
		}
		c := span{at: at, n: 12 + int64(binary.BigEndian.Uint32(head)), id: string(head[4:])}
		if at += c.n; at > s.size || len(list) == 0 && c.id != "IHDR" {
			return ErrDamaged
		}
		end = c.id == "IEND"
		most, shown := shownPNG[c.id]
		if shown {
			if shown, err = s.isIntactPNG(c, most); err != nil {
				return err
			}
		}
		switch {
		case shown:
			list = append(list, c)
		case c.id == "IHDR" || c.id == "PLTE" || c.id == "IDAT" || c.id == "IEND" || c.id == "fdAT":
			return ErrDamaged
		case c.id == "eXIf" && orientation == 1:
			exif, err := all(s.r, c.at+8, min(c.n-12, maxSegment))
			if err != nil {
				return err
			}
			orientation = orientationOf(exif)
		case c.id[0]&0x20 == 0: // a critical chunk: the picture cannot be shown without it
			return ErrNotTaken
		}
	}
	s.keep(0, int64(len(signature)))
	for i, c := range list {
		s.keep(c.at, c.n)
		if i > 0 {
			continue
		}
		if exif := turned(orientation); exif != nil {
			s.write(chunkPNG("eXIf", exif))
		}
		if text := s.packet(); text != nil {
			s.write(chunkPNG("iTXt", append([]byte(keywordXMP), text...)))
		}
	}
	return nil
}

// isIntactPNG reports whether a chunk has at most the given length, and the checksum of its
// content.
func (s *stripping) isIntactPNG(c span, most int64) (bool, error) {
	if c.n-12 > most {
		return false, nil
	}
	sum := crc32.NewIEEE()
	if _, err := io.Copy(sum, io.NewSectionReader(s.r, c.at+4, c.n-8)); err != nil {
		return false, err
	}
	want, err := all(s.r, c.at+c.n-4, 4)
	return err == nil && binary.BigEndian.Uint32(want) == sum.Sum32(), err
}

// chunkPNG encodes a PNG chunk.
func chunkPNG(id string, data []byte) []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
	b = append(append(b, id...), data...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[4:]))
}

// flagEXIF is a flag of a VP8X chunk, like flagXMP.
const flagEXIF = 1 << 3

// shownWebP are the WebP chunks that affect rendering.
const shownWebP = "VP8X ICCP ANIM ANMF ALPH VP8L"

// stripWebP keeps the chunks that affect rendering, followed by the new metadata.
func stripWebP(s *stripping) error {
	list, orientation, err := s.chunksWebP()
	if err != nil {
		return err
	}
	var flags byte
	var behind []byte
	if exif := turned(orientation); exif != nil {
		flags |= flagEXIF
		behind = append(behind, chunkRIFF("EXIF", exif)...)
	}
	if text := s.packet(); text != nil {
		flags |= flagXMP
		behind = append(behind, chunkRIFF("XMP ", text)...)
	}
	var first []byte
	if list[0].id == "VP8X" || flags != 0 {
		if first, err = extended(s.r, list[0]); err != nil {
			return err
		}
		first[8] = first[8]&^(flagXMP|flagEXIF) | flags
		if list[0].id == "VP8X" {
			list = list[1:]
		}
	}
	n := int64(4 + len(first) + len(behind))
	for _, c := range list {
		n += c.n
	}
	if n > 0xfffffffe {
		return ErrTooLong
	}
	start := append(binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(n)), "WEBP"...)
	s.write(append(start, first...))
	for _, c := range list {
		have := min(c.n, s.size-c.at)
		s.keep(c.at, have)
		if have < c.n {
			s.write([]byte{0}) // the last padding byte
		}
	}
	if behind != nil {
		s.write(behind)
	}
	return nil
}

// chunksWebP returns the kept chunks, at least one, and the orientation.
func (s *stripping) chunksWebP() (list []span, orientation byte, err error) {
	head, err := all(s.r, 0, 12)
	if err != nil || string(head[:4]) != "RIFF" || string(head[8:]) != "WEBP" {
		return nil, 0, ErrDamaged
	}
	orientation = 1
	end := min(8+int64(binary.LittleEndian.Uint32(head[4:])), s.size)
	for at := int64(12); at+8 <= end; {
		if len(list) > maxParts {
			return nil, 0, ErrDamaged
		}
		head, err := all(s.r, at, 8)
		if err != nil {
			return nil, 0, err
		}
		n := int64(binary.LittleEndian.Uint32(head[4:]))
		c := span{at: at, n: 8 + n + n&1, id: string(head[:4])}
		if at += c.n; at > end+1 {
			return nil, 0, ErrDamaged
		}
		switch {
		case c.id == "VP8 " || among(shownWebP, c.id):
			head, err := all(s.r, c.at+8, min(n, 40))
			if err != nil {
				return nil, 0, err
			}
			if !isPlainWebP(c.id, n, head) || c.id != "ANMF" && slices.ContainsFunc(list, func(k span) bool { return k.id == c.id }) ||
				c.id == "VP8X" && len(list) > 0 {
				return nil, 0, ErrDamaged
			}
			if c.id == "ANMF" {
				if err := s.frameWebP(c.at+8+16, n-16); err != nil {
					return nil, 0, err
				}
			}
			list = append(list, c)
		case c.id == "EXIF" && orientation == 1:
			exif, err := all(s.r, c.at+8, min(n, maxSegment))
			if err != nil {
				return nil, 0, err
			}
			orientation = orientationOf([]byte(strings.TrimPrefix(string(exif), headEXIF)))
		}
	}
	if !slices.ContainsFunc(list, func(c span) bool { return c.id == "VP8 " || c.id == "VP8L" || c.id == "ANMF" }) {
		return nil, 0, ErrDamaged
	}
	return list, orientation, nil
}

// isPlainWebP reports whether a chunk of n bytes begins like the content of its kind (RFC 9649,
// sections 2 and 3; RFC 6386, section 9.1; ICC.1, section 7.2).
func isPlainWebP(id string, n int64, head []byte) bool {
	switch id {
	case "VP8X":
		return n == 10
	case "ANIM":
		return n == 6
	case "ANMF":
		return n >= 16
	case "ICCP":
		return len(head) == 40 && string(head[36:]) == "acsp"
	case "VP8L":
		return n >= 5 && head[0] == 0x2f
	case "VP8 ":
		return n >= 10 && string(head[3:6]) == "\x9d\x01\x2a"
	}
	return n > 0 && head[0]>>6 == 0 // ALPH: reserved bits
}

// frameWebP rejects a frame of an animation, without its head, that contains anything else
// than its picture.
func (s *stripping) frameWebP(at, n int64) error {
	seen := ""
	for end := at + n; at < end; {
		head, err := all(s.r, at, min(8+10, end-at))
		if err != nil || len(head) < 8+1 {
			return either(err, ErrDamaged)
		}
		id, size := string(head[:4]), int64(binary.LittleEndian.Uint32(head[4:]))
		if size > end-at-8 {
			return ErrDamaged
		}
		if id != "ALPH" && id != "VP8 " && id != "VP8L" || strings.Contains(seen, id) || !isPlainWebP(id, size, head[8:]) {
			return ErrNotTaken
		}
		seen += id
		at += 8 + size + size&1
	}
	return nil
}

// chunkRIFF encodes a chunk of a RIFF file.
func chunkRIFF(id string, data []byte) []byte { return chunkIFF(binary.LittleEndian, id, data) }

// chunkIFF encodes a chunk of a RIFF or IFF file, which differ in byte order, padded to an even
// number of bytes.
func chunkIFF(order binary.AppendByteOrder, id string, data []byte) []byte {
	b := append(order.AppendUint32([]byte(id), uint32(len(data))), data...)
	if len(data)&1 == 1 {
		b = append(b, 0)
	}
	return b
}

// stripGIF keeps the frames, their durations and the loop count.
func stripGIF(s *stripping) error {
	in := s.scan()
	head, err := in.take(13)
	if err != nil || string(head[:3]) != "GIF" {
		return ErrDamaged
	}
	if err := in.skip(colors(head[10])); err != nil {
		return err
	}
	s.keep(0, in.at)
	if text := s.packet(); text != nil {
		s.write(blocksXMP(text))
	}
	for n := 0; n < maxParts; n++ {
		at := in.at
		kind, err := in.next()
		if err != nil {
			return err
		}
		switch kind {
		case 0x3b: // the trailer
			s.keep(at, 1)
			return nil
		case 0x2c: // a frame
			head, err := in.take(9)
			if err == nil {
				err = in.skip(colors(head[8]))
			}
			if err != nil {
				return err
			}
			width, err := in.next()
			if err == nil && (width < 1 || width > 11) { // bits of a code
				err = ErrDamaged
			}
			if err == nil {
				err = in.blocks()
			}
			if err != nil {
				return err
			}
			s.keep(at, in.at-at)
		case 0x21:
			if err := s.extensionGIF(in, at); err != nil {
				return err
			}
		default:
			return ErrDamaged
		}
	}
	return ErrDamaged
}

// extensionGIF skips an extension, or keeps it if it affects rendering.
func (s *stripping) extensionGIF(in *scanner, at int64) error {
	label, err := in.next()
	if err != nil {
		return err
	}
	if label == 0xf9 {
		block, err := in.take(6)
		if err != nil || block[0] != 4 || block[5] != 0 {
			return either(err, ErrDamaged)
		}
		s.keep(at, in.at-at)
		return nil
	}
	if label == 0xff {
		if head, err := in.Peek(16); err == nil && (string(head[1:12]) == "NETSCAPE2.0" || string(head[1:12]) == "ANIMEXTS1.0") &&
			head[0] == 11 && head[12] == 3 && head[13] == 1 {
			loops := append([]byte{0x21, 0xff}, head...)
			s.write(append(loops, 0))
		}
	}
	return in.blocks()
}

func either(err, other error) error {
	if err != nil {
		return err
	}
	return other
}

// colors returns the size in bytes of the colour table that the flags announce.
func colors(flags byte) int {
	if flags&0x80 == 0 {
		return 0
	}
	return 3 << (flags&7 + 1)
}

// blocks skips sub-blocks up to the terminator.
func (s *scanner) blocks() error {
	for {
		n, err := s.next()
		if err != nil || n == 0 {
			return err
		}
		if err := s.skip(int(n)); err != nil {
			return err
		}
	}
}

// blocksXMP encodes XMP as a GIF extension: its raw bytes, followed by a trailer that leads
// readers of sub-blocks to the terminator (XMP part 3, section 1.1.2).
func blocksXMP(text []byte) []byte {
	b := append([]byte("\x21\xff\x0bXMP DataXMP"), text...)
	b = append(b, 1)
	for i := 0xff; i >= 0; i-- {
		b = append(b, byte(i))
	}
	return append(b, 0)
}
