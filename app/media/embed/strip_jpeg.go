package embed

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
)

// The prefixes of JPEG segments (ITU-T T.871; CIPA DC-008; ICC.1, annex B.4).
const (
	headJFIF = "JFIF\x00"
	headEXIF = "Exif\x00\x00"
	headICC  = "ICC_PROFILE\x00"
	headDCT  = "Adobe"
)

// stripJPEG keeps the segments needed for decoding, colour profiles, and the fields of
// JFIF, EXIF and Adobe segments that affect decoding or rendering.
func stripJPEG(s *stripping) error {
	in := s.scan()
	if start, err := in.take(2); err != nil || start[0] != 0xff || start[1] != 0xd8 {
		return ErrDamaged
	}
	s.keep(0, 2)
	orientation := byte(1)
	said := false
	say := func() error { // after JFIF, and before segments other than APPn
		if said {
			return nil
		}
		said = true
		return s.sayJPEG(orientation)
	}
	var heads bytes.Buffer // segments held back until the EXIF is read
	for n := 0; ; {
		marker, err := nextMarker(in)
		if err != nil {
			return err
		}
		if n++; n > maxParts {
			return ErrDamaged
		}
		at := in.at - 2
		if marker == 0xd9 { // the end
			if !said {
				return ErrDamaged
			}
			s.keep(at, 2)
			return nil
		}
		if marker < 0xc0 || marker >= 0xd0 && marker <= 0xd8 { // TEM, RST outside of a scan, a second start of image
			continue
		}
		size, err := in.take(2)
		if err != nil {
			return err
		}
		length := int(binary.BigEndian.Uint16(size))
		if length < 2 {
			return ErrDamaged
		}
		if marker >= 0xe0 {
			data, err := in.take(length - 2)
			if err != nil {
				return err
			}
			if marker == 0xe1 && bytes.HasPrefix(data, []byte(headEXIF)) && !said && orientation == 1 {
				orientation = orientationOf(data[len(headEXIF):])
			}
			if kept := keptJPEG(marker, data); kept != nil {
				if !said {
					heads.Write(segment(marker, kept))
				} else {
					s.write(segment(marker, kept))
				}
			}
			continue
		}
		data, err := in.take(length - 2)
		if err != nil {
			return err
		}
		if !isPlainJPEG(marker, data) {
			return ErrDamaged
		}
		if heads.Len() > maxHeads {
			return ErrDamaged
		}
		if !said { // JFIF must come first
			head := heads.Bytes()
			if bytes.HasPrefix(head, []byte{0xff, 0xe0}) {
				s.write(head[:18])
				head = head[18:]
			}
			if err := say(); err != nil {
				return err
			}
			s.write(head)
		}
		s.keep(at, 2+int64(length))
		if marker != 0xda {
			continue
		}
		from := in.at
		open, err := passScan(in)
		if err != nil {
			return err
		}
		s.keep(from, in.at-from)
		if open { // the end marker is missing, which decoders tolerate
			s.write([]byte{0xff, 0xd9})
			return nil
		}
	}
}

// maxHeads is the maximum size of the kept APPn segments in bytes.
const maxHeads = 16 << 20

// sayJPEG writes the metadata of the copy.
func (s *stripping) sayJPEG(orientation byte) error {
	if exif := turned(orientation); exif != nil {
		s.write(segment(0xe1, append([]byte(headEXIF), exif...)))
	}
	text := s.packet()
	if text == nil {
		return nil
	}
	if len(text)+len(headXMP)+2 > maxSegment {
		return ErrTooLong
	}
	s.write(segment(0xe1, append([]byte(headXMP), text...)))
	return nil
}

// segment encodes a JPEG segment.
func segment(marker byte, data []byte) []byte {
	b := binary.BigEndian.AppendUint16([]byte{0xff, marker}, uint16(2+len(data)))
	return append(b, data...)
}

// keptJPEG returns the part of an APPn segment to keep, or nil.
func keptJPEG(marker byte, data []byte) []byte {
	switch {
	case marker == 0xe0 && len(data) >= 14 && bytes.HasPrefix(data, []byte(headJFIF)):
		kept := bytes.Clone(data[:14])
		kept[12], kept[13] = 0, 0 // no thumbnail
		return kept
	case marker == 0xe2 && bytes.HasPrefix(data, []byte(headICC)):
		return data
	case marker == 0xee && len(data) >= 12 && bytes.HasPrefix(data, []byte(headDCT)):
		return data[:12]
	}
	return nil
}

// isPlainJPEG reports whether a segment that decoders need has the length of its content, so
// that nothing else is in it (ITU-T T.81, annex B). Decoders reject the others, too.
func isPlainJPEG(marker byte, data []byte) bool {
	switch marker {
	case 0xdb: // quantization tables
		for len(data) > 0 {
			n := 1 + 64<<(data[0]>>4&1)
			if data[0] > 0x13 || len(data) < n {
				return false
			}
			data = data[n:]
		}
		return true
	case 0xc4: // Huffman tables
		for len(data) > 0 {
			n := 17
			for _, count := range data[1:min(n, len(data))] {
				n += int(count)
			}
			if data[0] > 0x13 || len(data) < n {
				return false
			}
			data = data[n:]
		}
		return true
	case 0xcc: // arithmetic conditioning
		for ; len(data) >= 2; data = data[2:] {
			if data[0] > 0x13 {
				return false
			}
		}
		return len(data) == 0
	case 0xda:
		return len(data) > 0 && len(data) == 4+2*int(data[0])
	case 0xdc, 0xdd: // number of lines, restart interval
		return len(data) == 2
	}
	return marker < 0xd0 && marker != 0xc8 && len(data) > 5 && len(data) == 6+3*int(data[5]) // a frame
}

// nextMarker reads up to the next marker. It skips stray bytes, as decoders do.
func nextMarker(in *scanner) (byte, error) {
	for {
		b, err := in.next()
		for err == nil && b != 0xff {
			b, err = in.next()
		}
		for err == nil && b == 0xff {
			b, err = in.next()
		}
		if err != nil || b != 0 {
			return b, err
		}
	}
}

// passScan skips the data of a scan up to the next marker, and reports whether the file
// ends first.
func passScan(in *scanner) (open bool, err error) {
	for {
		window, err := in.Peek(min(max(in.Buffered(), 2), in.Size()))
		if len(window) < 2 {
			if !errors.Is(err, io.EOF) {
				return false, err
			}
			return true, in.skip(len(window))
		}
		i := bytes.IndexByte(window[:len(window)-1], 0xff)
		if i < 0 {
			if err := in.skip(len(window) - 1); err != nil {
				return false, err
			}
			continue
		}
		next := window[i+1]
		if err := in.skip(i); err != nil {
			return false, err
		}
		switch {
		case next == 0 || next >= 0xd0 && next <= 0xd7:
			err = in.skip(2)
		case next == 0xff:
			err = in.skip(1)
		default:
			return false, nil
		}
		if err != nil {
			return false, err
		}
	}
}
