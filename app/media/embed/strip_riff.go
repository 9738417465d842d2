package embed

import (
	"encoding/binary"
	"slices"
)

// maxFormat is the maximum size of the chunk that describes the coding of audio: the fields
// before its two-byte length, that length, and the data.
const maxFormat = 18 + 1<<16

// wave is the part of a WAV to keep.
type wave struct {
	format, fact, data span   // content of the chunks
	large              []byte // content of the chunk with 64-bit lengths
}

// stripWAV keeps the audio format, the number of samples and the samples. A file of 4 GB or
// more becomes an RF64 (EBU Tech 3306; ITU-R BS.2088).
func stripWAV(s *stripping) error {
	w, err := s.chunksWAV()
	if err != nil {
		return err
	}
	info := s.infoRIFF()
	n := 4 + 8 + w.format.n + w.format.n&1 + int64(len(info)) + 8 + w.data.n + w.data.n&1
	if w.fact.n > 0 {
		n += 8 + 4
	}
	if n > 0xffffffff-1 {
		large := make([]byte, 28)
		binary.LittleEndian.PutUint64(large, uint64(n+8+int64(len(large))))
		binary.LittleEndian.PutUint64(large[8:], uint64(w.data.n))
		if len(w.large) >= 24 {
			copy(large[16:24], w.large[16:24])
		}
		s.write(slices.Concat([]byte("RF64\xff\xff\xff\xffWAVE"), chunkRIFF("ds64", large)))
	} else {
		s.write(append(headRIFF("RIFF", n), "WAVE"...))
	}
	s.write(headRIFF("fmt ", w.format.n))
	s.keep(w.format.at, w.format.n)
	if w.format.n&1 == 1 {
		s.write([]byte{0})
	}
	if w.fact.n > 0 {
		s.write(headRIFF("fact", 4))
		s.keep(w.fact.at, 4)
	}
	s.write(append(info, headRIFF("data", min(w.data.n, 0xffffffff))...))
	s.keep(w.data.at, w.data.n)
	if w.data.n&1 == 1 {
		s.write([]byte{0})
	}
	return nil
}

// headRIFF returns the header of a RIFF chunk.
func headRIFF(id string, n int64) []byte {
	return binary.LittleEndian.AppendUint32([]byte(id), uint32(n))
}

// chunksWAV returns the chunks to keep.
func (s *stripping) chunksWAV() (w wave, err error) {
	head, err := all(s.r, 0, 12)
	if err != nil || !slices.Contains([]string{"RIFF", "RF64", "BW64"}, string(head[:4])) || string(head[8:]) != "WAVE" {
		return w, either(err, ErrDamaged)
	}
	at := int64(12)
	for range maxParts {
		if at+8 > s.size || w.data.at > 0 {
			break
		}
		head, err := all(s.r, at, 8)
		if err != nil {
			return w, err
		}
		c := span{at: at + 8, n: int64(binary.LittleEndian.Uint32(head[4:])), id: string(head[:4])}
		if c.id == "data" && c.n == 0xffffffff && len(w.large) >= 16 {
			c.n = int64(min(binary.LittleEndian.Uint64(w.large[8:]), 1<<62))
		}
		switch c.id {
		case "ds64":
			if w.large, err = all(s.r, c.at, min(c.n, 24)); err != nil {
				return w, err
			}
		case "fmt ":
			w.format = c
		case "fact":
			w.fact = c
		case "data": // programs that could not seek back declare too much, or the maximum
			c.n = min(c.n, s.size-c.at)
			w.data = c
		}
		at = c.at + c.n + c.n&1
	}
	switch f := w.format; {
	case w.data.n == 0 || f.n < 14 || f.n > maxFormat || f.at+f.n > s.size:
		return w, ErrDamaged
	case w.fact.n < 4 || w.fact.at+4 > s.size:
		w.fact = span{}
	}
	return w, nil
}

// infoRIFF returns the metadata of the copy as a RIFF list, or nil if it has none.
func (s *stripping) infoRIFF() []byte {
	var list []byte
	for _, c := range s.credits("IART", "ICOP") {
		list = append(list, chunkRIFF(c[0], append([]byte(c[1]), 0))...)
	}
	if list == nil {
		return nil
	}
	return chunkRIFF("LIST", append([]byte("INFO"), list...))
}

// stripAIFF keeps the audio format and the samples (Audio Interchange File Format 1.3;
// AIFF-C, draft of 1991-08-26).
func stripAIFF(s *stripping) error {
	head, err := all(s.r, 0, 12)
	if err != nil {
		return err
	}
	kind := string(head[8:])
	if string(head[:4]) != "FORM" || kind != "AIFF" && kind != "AIFC" {
		return ErrDamaged
	}
	common, data, err := s.chunksAIFF(kind)
	if err != nil {
		return err
	}
	body := []byte(kind)
	if kind == "AIFC" {
		body = append(body, chunkAIFF("FVER", []byte{0xa2, 0x80, 0x51, 0x40})...)
	}
	body = append(body, chunkAIFF("COMM", common)...)
	if tag := s.tagID3(); tag != nil { // AIFF's own texts have no defined encoding
		body = append(body, chunkAIFF("ID3 ", tag)...)
	}
	n := int64(len(body)) + 16 + data.n + data.n&1
	if n > 0xffffffff {
		return ErrTooLong
	}
	body = append(binary.BigEndian.AppendUint32([]byte("FORM"), uint32(n)), body...)
	body = append(binary.BigEndian.AppendUint32(append(body, "SSND"...), uint32(8+data.n)), make([]byte, 8)...)
	s.write(body)
	s.keep(data.at, data.n)
	if data.n&1 == 1 {
		s.write([]byte{0})
	}
	return nil
}

// chunksAIFF returns the description of the coding, without a name, and the location of the
// samples.
func (s *stripping) chunksAIFF(kind string) (common []byte, data span, err error) {
	need := int64(18) // bytes to keep
	if kind == "AIFC" {
		need = 22
	}
	at := int64(12)
	for range maxParts {
		if at+8 > s.size || common != nil && data.at > 0 {
			break
		}
		head, err := all(s.r, at, 8)
		if err != nil {
			return nil, data, err
		}
		c := span{at: at + 8, n: int64(binary.BigEndian.Uint32(head[4:])), id: string(head[:4])}
		at = c.at + c.n + c.n&1
		switch {
		case c.id == "COMM" && common == nil:
			if c.n < need {
				return nil, data, ErrDamaged
			}
			if common, err = all(s.r, c.at, need); err != nil {
				return nil, data, err
			}
		case c.id == "SSND" && data.at == 0:
			start, err := all(s.r, c.at, 8)
			if err != nil {
				return nil, data, err
			}
			skip := 8 + int64(binary.BigEndian.Uint32(start))
			data = span{at: c.at + skip, n: min(c.n, s.size-c.at) - skip}
		}
	}
	if common == nil || data.n <= 0 {
		return nil, data, ErrDamaged
	}
	if kind == "AIFC" {
		common = append(common, 0, 0) // an empty name
	}
	return common, data, nil
}

// chunkAIFF encodes an AIFF chunk.
func chunkAIFF(id string, data []byte) []byte { return chunkIFF(binary.BigEndian, id, data) }
