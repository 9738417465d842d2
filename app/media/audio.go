package media

import (
	"bytes"
	"encoding/binary"

	"github.com/digital-asset-library/dal/app/media/embed"
)

// sounds are the audio formats that share no container with video.
func sounds() []format {
	return []format{
		mediaFormat("FLAC", "a FLAC audio file", "audio/flac", "flac").shown().when(tagged(begins("fLaC"))),
		mediaFormat("WAV", "a WAV audio file", "audio/wav", "wav wave bwf").shown().when(isRIFF("WAVE")).ending(endOfRIFF),
		mediaFormat("AIFF", "an AIFF audio file", "audio/aiff", "aiff aif aifc").when(isAIFF).ending(endOfRIFF),
		mediaFormat("AMR", "an AMR audio file", "audio/amr", "amr awb").when(begins("#!AMR\n", "#!AMR-WB\n")),
		mediaFormat("CAF", "a CAF audio file", "audio/x-caf", "caf").when(begins("caff\x00\x01")),
		mediaFormat("Wave64", "a Wave64 audio file", "audio/x-w64", "w64").
			when(begins("riff\x2e\x91\xcf\x11\xa5\xd6\x28\xdb\x04\xc1\x00\x00")),
		mediaFormat("AC-3", "an AC-3 audio file", "audio/ac3", "ac3").when(twice(ac3Frame)),
		mediaFormat("E-AC-3", "an E-AC-3 audio file", "audio/eac3", "eac3 ec3").when(twice(eac3Frame)),
		mediaFormat("AAC", "an AAC audio file", "audio/aac", "aac adts").shown().when(tagged(twice(adtsFrame))),
		mediaFormat("MP3", "an MP3 audio file", "audio/mpeg", "mp3 mp2 mpga").shown().when(isMP3),
	}
}

func isAIFF(_ source, head []byte) bool {
	return len(head) >= 12 && string(head[:4]) == "FORM" && (string(head[8:12]) == "AIFF" || string(head[8:12]) == "AIFC")
}

// tagged adapts the test of a format that may be preceded by an ID3 tag.
func tagged(is func(source, []byte) bool) func(source, []byte) bool {
	return func(s source, head []byte) bool {
		at := embed.ID3Length(head)
		if at == 0 {
			return is(s, head)
		}
		return is(s, behind(s, at))
	}
}

// behind returns some of the data after an offset, with leading zeros trimmed.
func behind(s source, at int64) []byte {
	b := make([]byte, 16<<10)
	n, _ := s.ReadAt(b, at) // unreadable data does not match any format
	return bytes.TrimLeft(b[:n], "\x00")
}

// isMP3 reports whether a file consists of MPEG audio frames, or has an ID3 tag that is not
// followed by another known format.
func isMP3(s source, head []byte) bool {
	at := embed.ID3Length(head)
	if at == 0 {
		return twice(embed.MPEGFrame)(s, head)
	}
	after := behind(s, at)
	return !begins("fLaC", "OggS", "RIFF", "FORM", "\x1a\x45\xdf\xa3", "MZ", "PK\x03\x04", "%PDF", "\x7fELF", "<")(s, after) &&
		!twice(adtsFrame)(s, after)
}

// twice returns a test for a format made of frames: it requires a frame that is followed by
// another one or by the end of the known data. The function length returns the length of a
// frame, or 0 for invalid data.
func twice(length func([]byte) int) func(source, []byte) bool {
	return func(_ source, head []byte) bool {
		at := 0
		for n := range 3 {
			if len(head)-at < 8 {
				return n > 1
			}
			l := length(head[at:])
			if l < 8 {
				return false
			}
			at += l
		}
		return true
	}
}

// adtsFrame returns the length of an AAC frame in ADTS (ISO/IEC 14496-3, section 1.A.2.2).
func adtsFrame(b []byte) int {
	if b[0] != 0xff || b[1]&0xf6 != 0xf0 || b[2]>>2&15 > 12 {
		return 0
	}
	return int(b[3]&3)<<11 | int(b[4])<<3 | int(b[5])>>5
}

// ac3Frame returns the length of an AC-3 frame (ETSI TS 102 366, section 4.4.1).
func ac3Frame(b []byte) int {
	rates := [19]int{32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 448, 512, 576, 640}
	code := int(b[4] & 63)
	if b[0] != 0x0b || b[1] != 0x77 || code > 37 || b[5]>>3 > 10 {
		return 0
	}
	rate := rates[code/2]
	switch b[4] >> 6 {
	case 0:
		return 4 * rate
	case 1:
		return 2 * (320*rate/147 + code&1)
	case 2:
		return 6 * rate
	}
	return 0
}

// eac3Frame returns the length of an E-AC-3 frame (ETSI TS 102 366, annex E.1.2).
func eac3Frame(b []byte) int {
	if b[0] != 0x0b || b[1] != 0x77 || b[5]>>3 < 11 || b[5]>>3 > 16 {
		return 0
	}
	return 2 * (int(binary.BigEndian.Uint16(b[2:])&0x7ff) + 1)
}
