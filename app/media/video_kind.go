package media

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"slices"
)

// isISO reports whether a file is of the ISO base media format or of QuickTime, which
// originally had no brand. It excludes pictures and raw photos in that format.
func isISO(_ source, head []byte) bool {
	if len(head) < 16 {
		return false
	}
	switch string(head[4:8]) {
	case "ftyp":
		stills := []string{"crx ", "mif1", "msf1", "heic", "heix", "avif", "avis", "jp2 ", "jpx ", "jpm ", "jxl "}
		return !slices.Contains(stills, string(head[8:12]))
	case "moov", "mdat", "wide", "free", "skip", "pnot":
		return isQuickTime(source{}, head)
	}
	return false
}

// isQuickTime reports whether a file has the QuickTime brand, or no brand but two initial
// boxes that only QuickTime uses.
func isQuickTime(_ source, head []byte) bool {
	if list := brands(head); list != nil {
		return list[0] == "qt  "
	}
	boxes := []string{"moov", "mdat", "wide", "free", "skip", "pnot"}
	size := binary.BigEndian.Uint32(head)
	if !slices.Contains(boxes, string(head[4:8])) || size != 1 && size < 8 {
		return false
	}
	if kind := string(head[4:8]); kind == "moov" || kind == "mdat" {
		return true
	}
	at := int(min(size, 1<<20))
	return at+8 <= len(head) && slices.Contains(boxes, string(head[at+4:at+8]))
}

func is3GP(_ source, head []byte) bool {
	list := brands(head)
	return len(list) > 0 && (list[0][:3] == "3gp" || list[0][:3] == "3g2" || list[0][:3] == "3gr" || list[0][:3] == "3gs")
}

// isEBML returns a test for EBML documents of a type (RFC 8794, section 11.2.6).
func isEBML(kind string) func(source, []byte) bool {
	return func(_ source, head []byte) bool {
		if !bytes.HasPrefix(head, []byte("\x1a\x45\xdf\xa3")) {
			return false
		}
		_, rest, ok := bytes.Cut(head[:min(len(head), 256)], []byte("\x42\x82"))
		return ok && len(rest) > len(kind) && bytes.HasPrefix(rest[1:], []byte(kind))
	}
}

// isRIFF returns a test for RIFF or RF64 files of a kind.
func isRIFF(kind string) func(source, []byte) bool {
	return func(_ source, head []byte) bool {
		return len(head) >= 12 && slices.Contains([]string{"RIFF", "RF64", "BW64"}, string(head[:4])) && string(head[8:12]) == kind
	}
}

// isTransport recognizes an MPEG transport stream by its packets of 188 or 204 bytes, or of
// 192 with a leading timestamp (ISO/IEC 13818-1, section 2.4.3).
func isTransport(_ source, head []byte) bool {
	for _, layout := range [][2]int{{188, 0}, {192, 4}, {204, 0}} {
		n := 0
		for at := layout[1]; at < len(head) && head[at] == 0x47; at += layout[0] {
			n++
		}
		if n >= 5 || n >= 3 && len(head) < 5*layout[0] {
			return true
		}
	}
	return false
}

// isDV recognizes raw DV by its first block, a header, and the subcode blocks after it (IEC
// 61834-2).
func isDV(_ source, head []byte) bool {
	return len(head) > 480 && head[0] == 0x1f && head[1]&0xf0 == 0 && head[2] == 0 && head[3]&0x7f == 0x3f &&
		head[80]>>5 == 1 && head[160]>>5 == 1 && head[240]>>5 == 2
}

// maxASF limits how much of an ASF header is searched, in bytes.
const maxASF = 1 << 20

// hasVideoOfASF searches an ASF header for a video stream, by the id of the stream type (ASF
// 1.2, section 3.3).
func hasVideoOfASF(s source, head []byte) bool {
	if len(head) < 24 {
		return false
	}
	all := make([]byte, min(binary.LittleEndian.Uint64(head[16:]), maxASF, uint64(max(s.size, 0))))
	n, err := s.ReadAt(all, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return false
	}
	return bytes.Contains(all[:n], []byte("\xc0\xef\x19\xbc\x4d\x5b\xcf\x11\xa8\xfd\x00\x80\x5f\x5c\x44\x2b"))
}

// hasTheora searches the first pages of an Ogg file, where each stream begins, for a video
// stream (RFC 3533, section 6).
func hasTheora(_ source, head []byte) bool {
	return bytes.Contains(head, []byte("\x80theora")) || bytes.Contains(head, []byte("OVP80\x01\x01"))
}

// maxTopBoxes limits the number of top-level boxes that are read.
const maxTopBoxes = 10_000

// endOfISO returns the end offset of the last top-level box of an ISO base media file.
func endOfISO(s source) (int64, error) {
	at := int64(0)
	var box [16]byte
	for range maxTopBoxes {
		if at >= s.size-8 {
			break
		}
		if n, err := s.ReadAt(box[:], at); n < 8 {
			return at, err
		}
		size := int64(binary.BigEndian.Uint32(box[:]))
		switch {
		case size == 1:
			size = int64(binary.BigEndian.Uint64(box[8:]))
		case size == 0: // extends to the end of the file
			return s.size, nil
		}
		if size < 8 || at+size < at {
			return at, nil
		}
		at += size
	}
	return at, nil
}

// endOfRIFF returns the end offset that the header of a RIFF or IFF file declares.
func endOfRIFF(s source) (int64, error) {
	var head [12]byte
	if n, err := s.ReadAt(head[:], 0); n < 12 {
		return 0, err
	}
	var order binary.ByteOrder = binary.LittleEndian
	if string(head[:4]) == "FORM" {
		order = binary.BigEndian
	}
	size := order.Uint32(head[4:])
	if size == 0xffffffff || size == 0x7fffffff || string(head[:2]) != "RI" && string(head[:2]) != "FO" {
		return 0, nil // unknown
	}
	return 8 + int64(size), nil
}

// endOfEBML returns the end offset of an EBML document's second element, which contains all
// of its data (RFC 8794, section 4).
func endOfEBML(s source) (int64, error) {
	at := int64(0)
	for range 2 {
		var b [24]byte
		n, err := s.ReadAt(b[:], at)
		id := leading(b[0])
		if n < 13 || id > 4 {
			return 0, err
		}
		length := leading(b[id])
		if length > 8 {
			return 0, nil
		}
		var v uint64
		for i := range length {
			v = v<<8 | uint64(b[id+i])
		}
		v &^= 1 << (7 * length)
		if v == 1<<(7*length)-1 { // unknown
			return 0, nil
		}
		at += int64(id+length) + int64(min(v, 1<<60))
	}
	return at, nil
}

// leading returns the length of an EBML number in bytes, or 9 if it is invalid.
func leading(b byte) int {
	n := 1
	for mask := byte(0x80); mask != 0 && b&mask == 0; mask >>= 1 {
		n++
	}
	return n
}
