package ffmpeg

import (
	"bytes"
	"encoding/binary"

	"github.com/tetratelabs/wazero/api"

	"github.com/digital-asset-library/dal/app/engine"
)

// The bounds of a coded frame and its configuration, in bytes.
const (
	maxStill  = 16 << 20
	maxConfig = 4 << 10
)

// still takes a key frame of a video as a picture for another engine: FFmpeg has no decoder
// of its own for AV1. Of some frames it is the one that takes the most bytes, as there is
// little to be said of one that is dark or of one colour.
func (s *session) still(look *engine.Look, f facts) {
	w, h := f.int("video.width"), f.int("video.height")
	if f["video.codec"] != "av1" || max(w, h) > 1<<16 {
		return
	}
	var frame []byte
	at := 0.0
	for _, place := range places {
		if s.late() {
			break
		}
		if _, ok := s.attempt("key_frame", api.EncodeF64(place*look.Seconds)); !ok {
			continue
		}
		if data := s.bytes("key_data", int(s.call("key_size")), maxStill); len(data) > len(frame) {
			frame, at = data, s.float("shown_at")
		}
	}
	config := s.bytes("config", int(s.call("config_size")), maxConfig)
	if s.err != nil || frame == nil || len(config) < 4 {
		s.err = nil // the facts count
		return
	}
	look.Still, look.StillFormat, look.Turn = avif(w, h, config, frame), "AVIF", f.turn()
	look.StillSpace = f.space()
	look.Shows = "a frame at " + clock(at)
}

// avif returns a file of AVIF with a key frame of AV1. The configuration is what the box av1C
// holds. Source: ISO/IEC 14496-12 and 23008-12, and https://aomediacodec.github.io/av1-avif.
func avif(width, height int, config, frame []byte) []byte {
	u16 := func(v int) []byte { return binary.BigEndian.AppendUint16(nil, uint16(v)) }
	u32 := func(v int) []byte { return binary.BigEndian.AppendUint32(nil, uint32(v)) }
	box := func(kind string, parts ...[]byte) []byte {
		body := bytes.Join(parts, nil)
		return append(append(u32(8+len(body)), kind...), body...)
	}
	full := func(kind string, parts ...[]byte) []byte { // version 0, no flags
		return box(kind, append([][]byte{u32(0)}, parts...)...)
	}
	ftyp := box("ftyp", []byte("avif"), u32(0), []byte("avifmif1miaf"))
	meta := func(offset int) []byte {
		return full("meta",
			full("hdlr", u32(0), []byte("pict"), make([]byte, 13)),
			full("pitm", u16(1)),
			full("iloc", []byte{0x44, 0}, u16(1), u16(1), u16(0), u16(1), u32(offset), u32(len(frame))),
			full("iinf", u16(1), box("infe", u32(2<<24), u16(1), u16(0), []byte("av01\x00"))),
			box("iprp",
				box("ipco", full("ispe", u32(width), u32(height)), box("av1C", config)),
				full("ipma", u32(1), u16(1), []byte{2, 0x01, 0x82})))
	}
	head := len(ftyp) + len(meta(0)) + 8
	return bytes.Join([][]byte{ftyp, meta(head), box("mdat", frame)}, nil)
}
