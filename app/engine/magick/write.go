package magick

import (
	"errors"
	"strings"

	"github.com/digital-asset-library/dal/app/engine"
)

// maxWritten is the maximum size of an encoded picture in bytes.
const maxWritten = 16 << 20

// write encodes a picture and disposes of it.
func (s *session) write(j engine.Job, img uint64) *engine.Look {
	settings := s.call("MagickSettings_Create")
	s.text(strings.ToUpper(j.Write), func(at uint64) { s.call("MagickSettings_Format_Set", settings, at) })
	s.call("MagickImage_Quality_Set", img, uint64(j.Quality))
	length := s.call("malloc", 8)
	if s.err == nil && length == 0 {
		s.err = errors.New("no memory")
	}
	if s.err != nil {
		return nil
	}
	at := s.told("MagickImage_WriteBlob", img, settings, length)
	n, _ := s.m.Memory().ReadUint32Le(uint32(length))
	look := &engine.Look{StillFormat: j.Write}
	if s.err == nil {
		if at == 0 || n == 0 || n > maxWritten {
			s.err = &engine.Fault{Reason: engine.Exceeded, Text: "the picture cannot be written as " + j.Write}
			return nil
		}
		var b []byte
		b, s.err = s.m.Bytes(at, uint64(n))
		look.Still = append([]byte(nil), b...)
	}
	s.call("MagickMemory_Relinquish", at)
	s.call("free", length)
	s.call("MagickSettings_Dispose", settings)
	s.call("MagickImage_Dispose", img)
	return look
}
