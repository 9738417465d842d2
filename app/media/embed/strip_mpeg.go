package embed

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"strconv"
)

// framesMP3 is the number of bytes examined to distinguish frames from similar data: three
// frames of the maximum length.
const framesMP3 = 3 * 2881

// stripMP3 keeps the frames, including the first one, which contains the duration and the
// gapless playback data, and nothing before, between or after them: ID3, APE and Lyrics3
// tags.
func stripMP3(s *stripping) error {
	if err := s.dropEndTags(); err != nil {
		return err
	}
	if tag := s.tagID3(); tag != nil {
		s.write(tag)
	}
	in := s.scan()
	var like []byte // beginning of the last frame
	synced := false
	for {
		window, err := in.Peek(framesMP3)
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if len(window) < 4 {
			break
		}
		if n := ID3Length(window); n > 0 {
			synced = false
			if err := in.pass(n); err != nil {
				return err
			}
			continue
		}
		n := framesOf(window, like)
		if n == 0 || !synced && !framesInRow(window) {
			synced = false
			if err := in.skip(1); err != nil {
				return err
			}
			continue
		}
		synced = true
		if like = bytes.Clone(window[:4]); framesEnd(window[n:], like) {
			s.keep(in.at, int64(n))
		}
		if err := in.skip(n); err != nil {
			return err
		}
		if len(s.copy.parts) > maxParts {
			return ErrNotTaken
		}
	}
	if like == nil {
		return ErrDamaged
	}
	return nil
}

// framesOf returns the length of the frame that b begins with, or 0 unless it is complete
// and of the same kind as like.
func framesOf(b, like []byte) int {
	if len(b) < 4 || like != nil && !alike(b, like) {
		return 0
	}
	n := MPEGFrame(b)
	if n < 8 || n > len(b) {
		return 0
	}
	return n
}

// alike reports whether two frames have the same version, layer and sampling rate.
func alike(a, b []byte) bool { return (a[1]^b[1])&0xfe == 0 && (a[2]^b[2])&0x0c == 0 }

// framesInRow reports whether b begins with three frames, or with fewer up to its end.
func framesInRow(b []byte) bool {
	var like []byte
	for range 3 {
		n := framesOf(b, like)
		if n == 0 {
			return false
		}
		if like, b = b, b[n:]; len(b) == 0 {
			return true
		}
	}
	return true
}

// framesEnd reports whether a frame can end before b: it begins with another frame, a tag
// or zeros, or is empty. A truncated frame would be followed by something else.
func framesEnd(b, like []byte) bool {
	for _, tag := range []string{"ID3", "TAG", "APETAGEX", "LYRICSBEGIN"} {
		if bytes.HasPrefix(b, []byte(tag)) {
			return true
		}
	}
	if len(b) >= 4 && MPEGFrame(b) > 0 {
		return alike(b, like)
	}
	return len(bytes.Trim(b[:min(len(b), 64)], "\x00")) == 0
}

// pass skips n bytes, or up to the end of the file.
func (s *scanner) pass(n int64) error {
	got, err := io.CopyN(io.Discard, s.Reader, n)
	if s.at += got; errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// MPEGFrame returns the length of an MPEG audio frame of layer II or III, given at least
// its first three bytes; 0 if they are not a frame header (ISO/IEC 11172-3, section
// 2.4.2.3).
func MPEGFrame(b []byte) int {
	version, layer, rate, frequency := b[1]>>3&3, b[1]>>1&3, b[2]>>4, b[2]>>2&3
	if b[0] != 0xff || b[1]&0xe0 != 0xe0 || version == 1 || layer == 0 || layer == 3 || rate == 0 || rate == 15 || frequency == 3 {
		return 0
	}
	hertz := [3]int{44100, 48000, 32000}[frequency] >> [4]int{2, 0, 1, 0}[version]
	rates := [14]int{8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160}
	samples := 144
	switch {
	case version == 3 && layer == 2:
		rates = [14]int{32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384}
	case version == 3:
		rates = [14]int{32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320}
	case layer == 1:
		samples = 72
	}
	return samples*1000*rates[rate-1]/hertz + int(b[2]>>1&1)
}

// ID3Length returns the length of the ID3 tag that b begins with, or 0 (ID3v2.4, section
// 3.1).
func ID3Length(b []byte) int64 {
	if len(b) < 10 || string(b[:3]) != "ID3" || b[3] == 0xff || (b[6]|b[7]|b[8]|b[9])&0x80 != 0 {
		return 0
	}
	n := synchsafe(b[6:])
	if b[5]&0x10 != 0 {
		n += 10
	}
	return n + 10
}

// synchsafe reads a number of four times seven bits (ID3v2.4, section 6.2).
func synchsafe(b []byte) int64 {
	return int64(b[0])<<21 | int64(b[1])<<14 | int64(b[2])<<7 | int64(b[3])
}

// maxEndTags is the maximum number of tags at the end of a file.
const maxEndTags = 8

// dropEndTags excludes the tags at the end of a file.
func (s *stripping) dropEndTags() error {
	for range maxEndTags {
		n := min(s.size, 6<<10)
		end, err := all(s.r, s.size-n, n)
		if err != nil {
			return err
		}
		tag := endTag(end)
		if tag <= 0 || tag > s.size {
			return nil
		}
		s.size -= tag
	}
	return nil
}

// endTag returns the length of the tag that b ends with, or 0 (ID3v1; ID3v2.4, section 3.4;
// APEv2; Lyrics3 and Lyrics3 v2.00).
func endTag(b []byte) int64 {
	at := func(n int, text string) []byte { // the last n bytes, if they begin with text
		if n > len(b) || !bytes.HasPrefix(b[len(b)-n:], []byte(text)) {
			return nil
		}
		return b[len(b)-n:]
	}
	if at(128, "TAG") != nil {
		return 128
	}
	if at(227, "TAG+") != nil {
		return 227
	}
	if ape := at(32, "APETAGEX"); ape != nil {
		n := int64(binary.LittleEndian.Uint32(ape[12:]))
		if ape[23]&0x80 != 0 {
			n += 32
		}
		return n
	}
	if id3 := at(10, "3DI"); id3 != nil && slices.Max(id3[6:]) < 0x80 {
		return synchsafe(id3[6:]) + 20
	}
	if lyrics := at(9, "LYRICS200"); lyrics != nil && len(b) > 15 {
		n, err := strconv.ParseUint(string(b[len(b)-15:len(b)-9]), 10, 32)
		if err != nil {
			return 0
		}
		return int64(n) + 15
	}
	if begin := bytes.LastIndex(b, []byte("LYRICSBEGIN")); begin >= 0 && at(9, "LYRICSEND") != nil {
		return int64(len(b) - begin)
	}
	return 0
}

// tagID3 returns the metadata of the copy as ID3v2.4, or nil if it has none.
func (s *stripping) tagID3() []byte {
	var frames []byte
	for _, c := range s.credits("TPE1", "TCOP") {
		frames = append(frames, textID3(c[0], c[1])...)
	}
	if frames == nil {
		return nil
	}
	return append(appendSynchsafe([]byte("ID3\x04\x00\x00"), len(frames)), frames...)
}

// textID3 encodes an ID3 frame with a text in UTF-8.
func textID3(id, text string) []byte {
	b := append(appendSynchsafe([]byte(id), 1+len(text)), 0, 0, 3)
	return append(b, text...)
}

func appendSynchsafe(b []byte, n int) []byte {
	return append(b, byte(n>>21&0x7f), byte(n>>14&0x7f), byte(n>>7&0x7f), byte(n&0x7f))
}
