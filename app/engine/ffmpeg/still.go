package ffmpeg

import (
	"bytes"
	"encoding/binary"

	"github.com/tetratelabs/wazero/api"

	"github.com/digital-asset-library/dal/app/engine"
)

// The limits of a coded frame and its configuration, in bytes.
const (
	maxStill  = 16 << 20
	maxConfig = 4 << 10
)

// still extracts a key frame of a video as a picture for another engine, because FFmpeg has
// no native AV1 decoder. Of several frames it uses the largest, because dark or monochrome
// frames compress well.
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
		s.err = nil // the metadata is still valid
		return
	}
	look.Still, look.StillFormat, look.Turn = avif(w, h, config, frame), "AVIF", f.turn()
	look.StillSpace = f.space()
	look.Shows = "a frame at " + clock(at)
}

// avif returns an AVIF file with an AV1 key frame. config is the content of the av1C box.
// Source: ISO/IEC 14496-12 and 23008-12, and https://aomediacodec.github.io/av1-avif.
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
