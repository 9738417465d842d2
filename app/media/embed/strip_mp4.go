package embed

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"
)

// The limits of the data read from a movie.
const (
	maxMovie  = 64 << 20 // bytes of its index, all boxes together
	maxBoxes  = 1 << 18  // on the top level, or in a box
	maxTracks = 256
	maxChunks = 2 << 20 // of all tracks
	maxBrands = 256     // bytes
)

// uuidXMP begins the XMP box (XMP part 3, section 1.2.7).
const uuidXMP = "\xbe\x7a\xcf\xcb\x97\xa9\x42\xe8\x9c\x71\x99\x94\x91\xe3\xaf\xac"

// The boxes that are copied unchanged, by parent box (ISO/IEC 14496-12; QuickTime File
// Format Specification). Other kept boxes are rewritten: see movie.
const (
	keptOfTrack   = "tapt"
	keptOfMedia   = "elng"
	keptOfInfo    = "vmhd smhd"
	keptOfSamples = "stts ctts cslg stss stps stsc stsz sdtp sgpd sbgp"
	keptOfEntry   = "avcC hvcC lhvC av1C vpcC esds dOps dfLa alac wave colr pasp clap mdcv SmDm clli CoLL btrt fiel chrm gama " +
		"dvcC dvvC dvwC st3d sv3d vexu hfov chan chnl SA3D dac3 dec3 dac4 pcmC damr d263"
)

// movie is a file of the ISO base media format or QuickTime whose index is rewritten.
type movie struct {
	*stripping
	out       []byte // index of the copy
	quickTime bool
	big       bool // offsets have eight bytes
	chapters  map[uint32]bool
	tracks    []*track
	chunks    []chunk
	other     []span // top-level boxes except media data
	total     int64  // bytes of the chunks
	fragments []fragment
	sizes     map[uint32]uint32 // default sample sizes in fragments, by track
}

// track is a kept track.
type track struct {
	id        uint32
	video     bool
	frame     int64 // bytes per sample of uncompressed audio; otherwise 0
	toChunk   []byte
	sizes     []byte
	offsets   []byte
	wide      bool // offsets have eight bytes each
	offsetsAt int  // position of the copy's offsets in out
}

// chunk is a run of samples of a track.
type chunk struct {
	at, n int64
	track int32
	index int32 // in the track
}

// stripMP4 keeps the video and audio tracks: their decoder configuration and, of the rest
// of the file, only their chunks. The index comes first.
func stripMP4(s *stripping) error {
	m := &movie{stripping: s, chapters: map[uint32]bool{}, sizes: map[uint32]uint32{}}
	brands, moov, err := m.top()
	if err != nil {
		return err
	}
	if err := eachBox(moov, func(kind string, body []byte) error {
		if kind == "trak" {
			return m.noteChapters(body)
		}
		return nil
	}); err != nil {
		return err
	}
	m.big = s.size > 0xffffffff-2*maxMovie
	if err := m.box("moov", func() error { return m.index(moov) }); err != nil {
		return err
	}
	if len(m.tracks) == 0 {
		return ErrNotTaken
	}
	slices.SortStableFunc(m.chunks, func(a, b chunk) int { return cmp.Compare(a.at, b.at) })
	samples := make([]span, len(m.chunks))
	for i, c := range m.chunks {
		samples[i] = span{at: c.at, n: c.n}
	}
	if overlap(samples, m.other) {
		return ErrDamaged
	}
	var says []byte
	if text := s.packet(); text != nil {
		says = binary.BigEndian.AppendUint32(nil, uint32(8+len(uuidXMP)+len(text)))
		says = append(append(append(says, "uuid"...), uuidXMP...), text...)
	}
	var head []byte
	switch {
	case 8+m.total > 0xffffffff:
		head = binary.BigEndian.AppendUint64([]byte("\x00\x00\x00\x01mdat"), uint64(16+m.total))
	case m.total > 0:
		head = append(binary.BigEndian.AppendUint32(nil, uint32(8+m.total)), "mdat"...)
	}
	m.setOffsets(int64(len(brands) + len(m.out) + len(says) + len(head)))
	s.write(slices.Concat(brands, m.out, says, head))
	for _, c := range m.chunks {
		s.keep(c.at, c.n)
	}
	for _, f := range m.fragments {
		if err := m.fragment(f); err != nil {
			return err
		}
	}
	if m.total == 0 {
		return ErrDamaged
	}
	return nil
}

// boxAt reads the header of a top-level box: its kind, the offset of its content within it,
// and its size, which is not validated.
func (s *stripping) boxAt(at int64) (kind string, from, size int64, err error) {
	head, err := all(s.r, at, min(16, s.size-at))
	if err != nil {
		return "", 0, 0, err
	}
	size, from = int64(binary.BigEndian.Uint32(head)), 8
	switch {
	case size == 0:
		size = s.size - at
	case size == 1 && len(head) == 16:
		size, from = int64(binary.BigEndian.Uint64(head[8:])), 16
	}
	return string(head[4:8]), from, size, nil
}

// top reads the top-level boxes, and returns the one with the brands, including its header,
// and the content of the one with the index.
func (m *movie) top() (brands, moov []byte, err error) {
	m.quickTime = true
	at, indexes := int64(0), int64(0)
	for n := 0; at+8 <= m.size; n++ {
		kind, from, size, err := m.boxAt(at)
		if err != nil {
			return nil, nil, err
		}
		if size < from || size > m.size-at || n > maxBoxes {
			if moov == nil {
				return nil, nil, ErrDamaged
			}
			if kind != "mdat" {
				m.other = append(m.other, span{at: at, n: m.size - at})
			}
			break // the rest does not belong to the movie
		}
		if kind != "mdat" {
			m.other = append(m.other, span{at: at, n: size})
		}
		switch {
		case kind == "ftyp" && n == 0:
			if size < 16 || size > maxBrands || from != 8 {
				return nil, nil, ErrNotTaken
			}
			if brands, err = all(m.r, at, size); err != nil {
				return nil, nil, err
			}
			m.quickTime = bytes.Contains(brands[8:], []byte("qt  "))
		case kind == "moov" && moov == nil:
			if size > maxMovie {
				return nil, nil, ErrNotTaken
			}
			if moov, err = all(m.r, at+from, size-from); err != nil {
				return nil, nil, err
			}
		case kind == "moof":
			if indexes += size; indexes > maxMovie {
				return nil, nil, ErrNotTaken
			}
			body, err := all(m.r, at+from, size-from)
			if err != nil {
				return nil, nil, err
			}
			m.fragments = append(m.fragments, fragment{at, body})
		}
		at += size
	}
	if moov == nil {
		return nil, nil, ErrDamaged
	}
	return brands, moov, nil
}

// eachBox calls fn for each box within a box. It ignores fewer than eight bytes at the end.
func eachBox(b []byte, fn func(kind string, body []byte) error) error {
	for n := 0; len(b) >= 8; n++ {
		size, from := uint64(binary.BigEndian.Uint32(b)), uint64(8)
		switch {
		case size == 0:
			size = uint64(len(b))
		case size == 1 && len(b) >= 16:
			size, from = binary.BigEndian.Uint64(b[8:]), 16
		}
		if size < from || size > uint64(len(b)) || n > maxBoxes {
			return ErrDamaged
		}
		if err := fn(string(b[4:8]), b[from:size]); err != nil {
			return err
		}
		b = b[size:]
	}
	return nil
}

// box appends a box whose content fill writes.
func (m *movie) box(kind string, fill func() error) error {
	start := len(m.out)
	m.out = append(append(m.out, 0, 0, 0, 0), kind...)
	if err := fill(); err != nil {
		return err
	}
	if len(m.out) > 2*maxMovie {
		return ErrNotTaken
	}
	binary.BigEndian.PutUint32(m.out[start:], uint32(len(m.out)-start))
	return nil
}

// put appends a box with a given content.
func (m *movie) put(kind string, body []byte) error {
	return m.box(kind, func() error { m.out = append(m.out, body...); return nil })
}

// noteChapters records the tracks that are referenced as chapters.
func (m *movie) noteChapters(trak []byte) error {
	return eachBox(trak, func(kind string, body []byte) error {
		if kind != "tref" {
			return nil
		}
		return eachBox(body, func(kind string, list []byte) error {
			for ; kind == "chap" && len(list) >= 4; list = list[4:] {
				if m.chapters[binary.BigEndian.Uint32(list)] = true; len(m.chapters) > maxTracks {
					return ErrDamaged
				}
			}
			return nil
		})
	})
}

// index writes the content of the index box.
func (m *movie) index(moov []byte) error {
	var extends []byte
	err := eachBox(moov, func(kind string, body []byte) error {
		switch kind {
		case "mvhd":
			head, err := timeless(body, 100)
			if err != nil {
				return err
			}
			clear(head[len(head)-28 : len(head)-4]) // selection times and the like
			return m.put(kind, head)
		case "trak":
			return m.trak(body)
		case "mvex":
			extends = body
		case "cmov": // a compressed index
			return ErrNotTaken
		}
		return nil
	})
	if err != nil || extends == nil {
		return err
	}
	return m.defaults(extends)
}

// timeless returns a box with its leading timestamps cleared. The box must have n bytes in
// version 0 and twelve more in version 1.
func timeless(body []byte, n int) ([]byte, error) {
	if len(body) < 4 {
		return nil, ErrDamaged
	}
	times := 8
	if body[0] == 1 {
		n, times = n+12, 16
	}
	if len(body) != n || body[0] > 1 {
		return nil, ErrDamaged
	}
	kept := bytes.Clone(body)
	clear(kept[4 : 4+times])
	return kept, nil
}

// boxOf returns the content of the first box at a path of box kinds.
func boxOf(b []byte, path ...string) (found []byte) {
	for _, want := range path {
		found = nil
		_ = eachBox(b, func(kind string, body []byte) error { // writing reports the damage
			if kind == want && found == nil {
				found = body
			}
			return nil
		})
		b = found
	}
	return found
}

// trak writes a track, if it is kept.
func (m *movie) trak(body []byte) error {
	handler, head := boxOf(body, "mdia", "hdlr"), boxOf(body, "tkhd")
	if len(handler) < 12 || len(head) < 24 {
		return ErrDamaged
	}
	t := &track{id: binary.BigEndian.Uint32(head[12:]), video: string(handler[8:12]) == "vide"}
	if head[0] == 1 {
		t.id = binary.BigEndian.Uint32(head[20:])
	}
	if !t.video && string(handler[8:12]) != "soun" || m.chapters[t.id] {
		return nil
	}
	if len(m.tracks) == maxTracks {
		return ErrDamaged
	}
	err := m.box("trak", func() error {
		return eachBox(body, func(kind string, body []byte) error {
			switch {
			case kind == "tkhd":
				head, err := timeless(body, 84)
				if err != nil {
					return err
				}
				return m.put(kind, head)
			case kind == "edts":
				list := boxOf(body, "elst")
				if list == nil {
					return nil
				}
				return m.box(kind, func() error { return m.put("elst", list) })
			case kind == "mdia":
				return m.box(kind, func() error { return m.media(t, body) })
			case among(keptOfTrack, kind):
				return m.put(kind, body)
			}
			return nil
		})
	})
	if err != nil {
		return err
	}
	m.tracks = append(m.tracks, t)
	return m.find(t)
}

func (m *movie) media(t *track, body []byte) error {
	return eachBox(body, func(kind string, body []byte) error {
		switch {
		case kind == "mdhd":
			head, err := timeless(body, 24)
			if err != nil {
				return err
			}
			return m.put(kind, head)
		case kind == "hdlr":
			return m.handler(body)
		case kind == "minf":
			return m.box(kind, func() error { return m.info(t, body) })
		case among(keptOfMedia, kind):
			return m.put(kind, body)
		}
		return nil
	})
}

// handler writes the type of a track, without its name.
func (m *movie) handler(body []byte) error {
	if len(body) < 24 {
		return ErrDamaged
	}
	return m.put("hdlr", append(bytes.Clone(body[:12]), make([]byte, 13)...))
}

func (m *movie) info(t *track, body []byte) error {
	return eachBox(body, func(kind string, body []byte) error {
		switch {
		case kind == "hdlr":
			return m.handler(body)
		case kind == "dinf":
			return m.box(kind, func() error { return m.sources(boxOf(body, "dref")) })
		case kind == "stbl":
			return m.box(kind, func() error { return m.samples(t, body) })
		case among(keptOfInfo, kind):
			return m.put(kind, body)
		}
		return nil
	})
}

// sources declares that all media data is in the file itself, if that is true.
func (m *movie) sources(refs []byte) error {
	if len(refs) < 8 {
		return ErrDamaged
	}
	n := uint32(0)
	kept := []byte{0, 0, 0, 0, 0, 0, 0, 0}
	err := eachBox(refs[8:], func(_ string, body []byte) error {
		if n++; len(body) < 4 || body[3]&1 == 0 || n > maxTracks {
			return ErrNotTaken
		}
		kept = append(kept, "\x00\x00\x00\x0curl \x00\x00\x00\x01"...)
		return nil
	})
	if err != nil {
		return err
	}
	binary.BigEndian.PutUint32(kept[4:], n)
	return m.put("dref", kept)
}

func (m *movie) samples(t *track, body []byte) error {
	return eachBox(body, func(kind string, body []byte) error {
		switch kind {
		case "stsd":
			if t.frame != 0 {
				return ErrDamaged
			}
			return m.box(kind, func() error { return m.descriptions(t, body) })
		case "stz2":
			return ErrNotTaken
		case "stco", "co64":
			if t.offsets != nil || len(body) < 8 {
				return ErrDamaged
			}
			t.offsets, t.wide = body[8:], kind == "co64"
			n := int64(binary.BigEndian.Uint32(body[4:]))
			width := int64(4)
			if t.wide {
				width = 8
			}
			if n*width > int64(len(t.offsets)) {
				return ErrDamaged
			}
			t.offsets = t.offsets[:n*width]
			return m.offsets(t, int(n))
		case "stsc":
			t.toChunk = body
		case "stsz":
			t.sizes = body
		}
		if among(keptOfSamples, kind) {
			return m.put(kind, body)
		}
		return nil
	})
}

// offsets reserves a table of n offsets that are not known yet.
func (m *movie) offsets(t *track, n int) error {
	kind, width := "stco", 4
	if m.big {
		kind, width = "co64", 8
	}
	return m.box(kind, func() error {
		m.out = binary.BigEndian.AppendUint32(append(m.out, 0, 0, 0, 0), uint32(n))
		t.offsetsAt = len(m.out)
		m.out = append(m.out, make([]byte, n*width)...)
		return nil
	})
}

// descriptions writes the sample descriptions of a track.
func (m *movie) descriptions(t *track, body []byte) error {
	if len(body) < 8 {
		return ErrDamaged
	}
	n := binary.BigEndian.Uint32(body[4:])
	m.out = append(m.out, body[:8]...)
	return eachBox(body[8:], func(kind string, entry []byte) error {
		if n == 0 {
			return ErrDamaged
		}
		n--
		return m.box(kind, func() error { return m.description(t, kind, entry, body[0] == 0) })
	})
}

// description writes a sample description: the fields common to all kinds, without the
// vendor, and the boxes after them.
func (m *movie) description(t *track, kind string, entry []byte, plain bool) error {
	have := 28 // bytes of the fields
	if t.video {
		have = 78
	}
	if len(entry) < have {
		return ErrDamaged
	}
	kept := bytes.Clone(entry[:have])
	clear(kept[:6])
	clear(kept[12:16]) // the vendor
	switch kind {
	case "encv", "enca", "drmi", "drms", "jpeg", "mjpa", "mjpb", "png ", "tiff", "gif ":
		return ErrNotTaken // encrypted, or pictures that may contain metadata
	}
	if t.video {
		clear(kept[42:74]) // the name of the encoder
		if depth := binary.BigEndian.Uint16(kept[74:]); depth&31 <= 8 && binary.BigEndian.Uint16(kept[76:]) == 0 {
			return ErrNotTaken // followed by a colour table
		}
	} else {
		more := 0
		switch version := binary.BigEndian.Uint16(entry[8:]); {
		case version == 1 && (m.quickTime || plain):
			more = 16
		case version == 2:
			more = 36
		}
		if len(entry) < have+more {
			return ErrDamaged
		}
		if kept = append(kept, entry[have:have+more]...); t.frame == 0 {
			t.frame = frameOf(kind, kept)
		}
	}
	m.out = append(m.out, kept...)
	return eachBox(entry[len(kept):], func(kind string, body []byte) error {
		if !among(keptOfEntry, kind) {
			return nil
		}
		return m.put(kind, body)
	})
}

// frameOf returns the bytes per sample of uncompressed audio, or -1 for compressed audio.
func frameOf(kind string, entry []byte) int64 {
	channels, bits := int64(binary.BigEndian.Uint16(entry[16:])), int64(binary.BigEndian.Uint16(entry[18:]))
	switch kind {
	case "sowt", "twos", "ipcm", "fpcm":
	case "in24":
		bits = 24
	case "in32", "fl32":
		bits = 32
	case "fl64":
		bits = 64
	case "raw ", "ulaw", "alaw":
		bits = 8
	case "lpcm":
		if len(entry) < 64 {
			return -1
		}
		channels, bits = int64(binary.BigEndian.Uint32(entry[40:])), int64(binary.BigEndian.Uint32(entry[48:]))
	default:
		return -1
	}
	if frame := channels * bits / 8; frame > 0 && frame < 1<<16 {
		return frame
	}
	return -1
}

// find records the chunks of a track.
func (m *movie) find(t *track) error {
	if len(t.toChunk) < 8 || len(t.sizes) < 12 || t.offsets == nil {
		return ErrDamaged
	}
	runs, width := t.toChunk[8:], 4
	if n := int64(binary.BigEndian.Uint32(t.toChunk[4:])) * 12; n < int64(len(runs)) {
		runs = runs[:n]
	}
	if t.wide {
		width = 8
	}
	each, left := int64(binary.BigEndian.Uint32(t.sizes[4:])), int64(binary.BigEndian.Uint32(t.sizes[8:]))
	sizes := t.sizes[12:]
	switch {
	case each == 0 && left*4 > int64(len(sizes)):
		return ErrDamaged
	case each == 1 && t.frame < 0 || each > 1 && t.frame > 0 && each != t.frame:
		return ErrNotTaken // the size of a sample is ambiguous
	case each == 1 && t.frame > 0:
		each = t.frame
	}
	var perChunk int64
	n := len(t.offsets) / width
	for i := range n {
		for len(runs) >= 12 && int64(binary.BigEndian.Uint32(runs)) <= int64(i)+1 {
			perChunk = int64(binary.BigEndian.Uint32(runs[4:]))
			runs = runs[12:]
		}
		c := chunk{track: int32(len(m.tracks) - 1), index: int32(i)}
		if t.wide {
			c.at = int64(binary.BigEndian.Uint64(t.offsets[8*i:]))
		} else {
			c.at = int64(binary.BigEndian.Uint32(t.offsets[4*i:]))
		}
		count := min(perChunk, left)
		if left -= count; each != 0 {
			c.n = each * count
		} else {
			for ; count > 0; count-- {
				c.n += int64(binary.BigEndian.Uint32(sizes))
				sizes = sizes[4:]
			}
		}
		if c.at < 0 || c.n < 0 || c.n > m.size || c.at > m.size-c.n || len(m.chunks) == maxChunks {
			return ErrDamaged
		}
		if m.total += c.n; m.total > m.size {
			return ErrDamaged
		}
		m.chunks = append(m.chunks, c)
	}
	if left > 0 {
		return ErrDamaged
	}
	return nil
}

// setOffsets writes the offsets of the chunks, the first of which is at the given offset.
func (m *movie) setOffsets(at int64) {
	for _, c := range m.chunks {
		where := m.tracks[c.track].offsetsAt
		if m.big {
			binary.BigEndian.PutUint64(m.out[where+8*int(c.index):], uint64(at))
		} else {
			binary.BigEndian.PutUint32(m.out[where+4*int(c.index):], uint32(at))
		}
		at += c.n
	}
}
