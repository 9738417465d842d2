package embed

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"strings"
)

// The FLAC metadata blocks that are read or written (RFC 9639, section 8).
const (
	blockInfo    = 0
	blockSeek    = 3
	blockComment = 4
	blockLast    = 0x80
)

// The limits of the data read from FLAC.
const (
	maxBlocks     = 1 << 12
	maxFrameFLAC  = 4 << 20 // bytes; the longest uncompressed frame has 2.2 MB
	maxHeaderFLAC = 16      // bytes
)

// headFLAC is the part kept from before the frames.
type headFLAC struct {
	info []byte
	seek span
	mask string // comment with the channel layout; "" for none
	end  int64
}

// stripFLAC keeps the decoder's configuration, the seek table and the frames.
func stripFLAC(s *stripping) error {
	if err := s.dropEndTags(); err != nil {
		return err
	}
	front, err := all(s.r, 0, min(s.size, 10))
	if err != nil {
		return err
	}
	in := s.scan()
	if err := in.pass(ID3Length(front)); err != nil {
		return err
	}
	for { // programs leave zeros between the tag and the stream
		b, err := in.Peek(1)
		if err != nil {
			return err
		}
		if b[0] != 0 {
			break
		}
		if err := in.skip(1); err != nil {
			return err
		}
	}
	head, err := readFLAC(s.r, in.at)
	if err != nil {
		return err
	}
	s.write(append([]byte("fLaC"), blockFLAC(blockInfo, len(head.info))...))
	s.write(head.info)
	if head.seek.n > 0 {
		s.write(blockFLAC(blockSeek, int(head.seek.n)))
		s.keep(head.seek.at, head.seek.n)
	}
	comment := s.comment(head.mask)
	s.write(append(blockFLAC(blockComment|blockLast, len(comment)), comment...))
	if err := in.pass(head.end - in.at); err != nil {
		return err
	}
	return s.framesFLAC(in, int64(binary.BigEndian.Uint64(head.info[10:])&(1<<36-1)))
}

// blockFLAC returns the header of a metadata block.
func blockFLAC(kind byte, n int) []byte { return []byte{kind, byte(n >> 16), byte(n >> 8), byte(n)} }

// readFLAC reads the data before the frames.
func readFLAC(r io.ReaderAt, at int64) (*headFLAC, error) {
	magic, err := all(r, at, 4)
	if err != nil || string(magic) != "fLaC" {
		return nil, either(err, ErrDamaged)
	}
	h := &headFLAC{end: at + 4}
	for n := 0; ; n++ {
		head, err := all(r, h.end, 4)
		if err != nil {
			return nil, err
		}
		kind := head[0] &^ blockLast
		b := span{at: h.end + 4, n: int64(binary.BigEndian.Uint32(head) & 0xffffff)}
		if (n == 0) != (kind == blockInfo) || n == maxBlocks {
			return nil, ErrDamaged
		}
		switch {
		case kind == blockInfo:
			if b.n != 34 {
				return nil, ErrDamaged
			}
			h.info, err = all(r, b.at, b.n)
		case kind == blockSeek && h.seek.n == 0:
			h.seek = b
		case kind == blockComment && h.mask == "":
			var text []byte
			if text, err = all(r, b.at, b.n); err == nil {
				h.mask = channelMask(text)
			}
		}
		if err != nil {
			return nil, err
		}
		if h.end = b.at + b.n; head[0]&blockLast != 0 {
			return h, nil
		}
	}
}

// channelMask returns the comment with the channel layout of FLAC, or "" for none (RFC 9639,
// section 8.6.2).
func channelMask(comments []byte) string {
	const name = "WAVEFORMATEXTENSIBLE_CHANNEL_MASK"
	next := func() (text string, ok bool) {
		if len(comments) < 4 {
			return "", false
		}
		n := uint64(binary.LittleEndian.Uint32(comments))
		if comments = comments[4:]; n > uint64(len(comments)) {
			return "", false
		}
		text, comments = string(comments[:n]), comments[n:]
		return text, true
	}
	if _, ok := next(); !ok || len(comments) < 4 {
		return ""
	}
	for comments = comments[4:]; ; {
		text, ok := next()
		if !ok {
			return ""
		}
		key, value, _ := strings.Cut(text, "=")
		digits, isHex := strings.CutPrefix(value, "0x")
		if strings.EqualFold(key, name) && isHex && len(digits) <= 8 && strings.Trim(digits, "0123456789abcdefABCDEF") == "" {
			return name + "=" + value
		}
	}
}

// comment returns the metadata of the copy, and any other comments that are not empty, as
// Vorbis comments (Vorbis I, section 5.2).
func (s *stripping) comment(more ...string) []byte {
	list := more
	for _, c := range s.credits("ARTIST", "COPYRIGHT") {
		list = append(list, c[0]+"="+c[1])
	}
	list = slices.DeleteFunc(list, func(c string) bool { return c == "" })
	b := binary.LittleEndian.AppendUint32(make([]byte, 4), uint32(len(list)))
	for _, c := range list {
		b = append(binary.LittleEndian.AppendUint32(b, uint32(len(c))), c...)
	}
	return b
}

// quietFLAC returns the blocks before the frames without metadata.
func quietFLAC(b []byte) ([]byte, error) {
	h, err := readFLAC(bytes.NewReader(b), 0)
	if err != nil {
		return nil, err
	}
	comment := (&stripping{}).comment(h.mask)
	info := append([]byte("fLaC"), blockFLAC(blockInfo, len(h.info))...)
	return slices.Concat(info, h.info, blockFLAC(blockComment|blockLast, len(comment)), comment), nil
}

// framesFLAC keeps the frames, which contain the given number of samples; 0 if unknown.
// Frames have no length field: a frame ends where its checksum is correct and another frame
// begins.
func (s *stripping) framesFLAC(in *scanner, total int64) error {
	var samples int64
	for {
		head, err := in.Peek(maxHeaderFLAC)
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		n := frameFLAC(head)
		if n == 0 {
			break
		}
		from := in.at
		end, last, err := endFLAC(in)
		if err != nil {
			return err
		}
		if end > from {
			s.keep(from, end-from)
			samples += int64(n)
		}
		if last {
			break
		}
	}
	if samples == 0 || total > 0 && samples < total {
		return ErrDamaged
	}
	return nil
}

// frameFLAC returns the number of samples in the frame that b begins with, or 0 if it does
// not begin with a frame (RFC 9639, section 9.1).
func frameFLAC(b []byte) int {
	if len(b) < 6 || b[0] != 0xff || b[1]&0xfe != 0xf8 || b[2]&15 == 15 || b[3]>>4 > 10 || b[3]&1 == 1 || b[3]>>1&7 == 3 {
		return 0
	}
	n, first := 5, b[4] // bytes up to the checksum
	for first&0xc0 == 0xc0 && n < 11 {
		n++
		first <<= 1
	}
	samples, at := 0, n
	switch code := b[2] >> 4; {
	case code == 0:
		return 0
	case code == 1:
		samples = 192
	case code < 6:
		samples = 144 << code
	case code < 8:
		n += int(code) - 5
	default:
		samples = 1 << code
	}
	switch b[2] & 15 {
	case 12:
		n++
	case 13, 14:
		n += 2
	}
	if len(b) <= n || checksum8(b[:n]) != b[n] {
		return 0
	}
	switch b[2] >> 4 {
	case 6:
		samples = int(b[at]) + 1
	case 7:
		samples = int(binary.BigEndian.Uint16(b[at:])) + 1
	}
	return samples
}

// endFLAC skips a frame and returns its end, and whether it is the last. A truncated frame
// ends where it begins.
func endFLAC(in *scanner) (end int64, last bool, err error) {
	from := in.at
	end = from
	var sum uint16
	for in.at-from < maxFrameFLAC {
		window, err := in.Peek(max(in.Buffered(), 1))
		if len(window) == 0 {
			if !errors.Is(err, io.EOF) {
				return 0, false, err
			}
			if sum == 0 {
				end = in.at
			}
			return end, true, nil
		}
		n := 0
		for ; n < len(window) && (n == 0 || sum != 0); n++ {
			sum = sum<<8 ^ table16[byte(sum>>8)^window[n]]
		}
		if err := in.skip(n); err != nil {
			return 0, false, err
		}
		if sum != 0 {
			continue
		}
		next, err := in.Peek(maxHeaderFLAC)
		if err != nil && !errors.Is(err, io.EOF) {
			return 0, false, err
		}
		if frameFLAC(next) > 0 {
			return in.at, false, nil
		}
		if end == from {
			end = in.at
		}
	}
	return 0, false, ErrDamaged
}

// checksum8 is the checksum of frame headers: x⁸ + x² + x + 1.
func checksum8(b []byte) (sum byte) {
	for _, c := range b {
		sum ^= c
		for range 8 {
			if sum >= 0x80 {
				sum = sum<<1 ^ 0x07
			} else {
				sum <<= 1
			}
		}
	}
	return sum
}

// table16 is the table for the checksum of frames: x¹⁶ + x¹⁵ + x² + 1.
var table16 = func() (t [256]uint16) {
	for i := range t {
		v := uint16(i) << 8
		for range 8 {
			if v >= 0x8000 {
				v = v<<1 ^ 0x8005
			} else {
				v <<= 1
			}
		}
		t[i] = v
	}
	return t
}()
