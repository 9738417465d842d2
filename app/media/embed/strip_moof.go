package embed

import (
	"bytes"
	"encoding/binary"
	"math"
)

// The flags of movie fragments (ISO/IEC 14496-12, sections 8.8.7 and 8.8.8).
const (
	hasBase         = 0x1 // of a track fragment
	hasDescription  = 0x2
	hasDuration     = 0x8
	hasSize         = 0x10
	baseIsFragment  = 0x20000
	hasOffset       = 0x1 // of a run
	hasFirstFlags   = 0x4
	hasDurations    = 0x100
	hasSizes        = 0x200
	hasFlags        = 0x400
	hasCompositions = 0x800
)

// fragment is a part of a movie with a separate index.
type fragment struct {
	at   int64
	body []byte
}

// run is the location of a run's samples, and the place of their offset in the copy.
type run struct {
	at, n    int64
	offsetAt int // in the index of the copy
}

// defaults reads the default sample sizes of the kept tracks, and keeps their boxes.
func (m *movie) defaults(body []byte) error {
	return m.box("mvex", func() error {
		return eachBox(body, func(kind string, body []byte) error {
			switch {
			case kind == "trex" && len(body) == 24:
				if id := binary.BigEndian.Uint32(body[4:]); m.keeps(id) {
					m.sizes[id] = binary.BigEndian.Uint32(body[16:])
					return m.put(kind, body)
				}
			case kind == "mehd" && len(body) <= 12:
				return m.put(kind, body)
			}
			return nil
		})
	})
}

func (m *movie) keeps(id uint32) bool {
	for _, t := range m.tracks {
		if t.id == id {
			return true
		}
	}
	return false
}

// fragment writes a fragment with the kept tracks, and its samples.
func (m *movie) fragment(f fragment) error {
	m.out = nil
	var runs []run
	next := f.at // offset of a track's samples unless it states one
	err := m.box("moof", func() error {
		return eachBox(f.body, func(kind string, body []byte) error {
			switch {
			case kind == "mfhd" && len(body) == 8:
				return m.put(kind, body)
			case kind == "traf":
				list, err := m.part(f.at, &next, body)
				runs = append(runs, list...)
				return err
			}
			return nil
		})
	})
	if err != nil || len(runs) == 0 {
		return err
	}
	var total int64
	samples := make([]span, len(runs))
	for i, r := range runs {
		total += r.n
		samples[i] = span{at: r.at, n: r.n}
	}
	if overlap(samples, m.other) {
		return ErrDamaged
	}
	if m.total += total; m.total > m.size {
		return ErrDamaged
	}
	if total > math.MaxInt32-maxMovie {
		return ErrNotTaken
	}
	offset := int64(len(m.out) + 8)
	for _, r := range runs {
		binary.BigEndian.PutUint32(m.out[r.offsetAt:], uint32(offset))
		offset += r.n
	}
	m.write(append(binary.BigEndian.AppendUint32(m.out, uint32(8+total)), "mdat"...))
	for _, r := range runs {
		m.keep(r.at, r.n)
	}
	return nil
}

// part writes a track of a fragment, if it is kept, and returns the locations of its
// samples.
func (m *movie) part(at int64, next *int64, body []byte) (runs []run, err error) {
	head := boxOf(body, "tfhd")
	if len(head) < 8 {
		return nil, ErrDamaged
	}
	flags, id, rest := binary.BigEndian.Uint32(head)&0xffffff, binary.BigEndian.Uint32(head[4:]), head[8:]
	base := *next
	if flags&baseIsFragment != 0 {
		base = at
	}
	if flags&hasBase != 0 {
		if len(rest) < 8 {
			return nil, ErrDamaged
		}
		base, rest = int64(binary.BigEndian.Uint64(rest)), rest[8:]
	}
	size := m.sizes[id]
	if flags&hasSize != 0 {
		before := 0
		for _, f := range []uint32{hasDescription, hasDuration} {
			if flags&f != 0 {
				before += 4
			}
		}
		if len(rest) < before+4 {
			return nil, ErrDamaged
		}
		size = binary.BigEndian.Uint32(rest[before:])
	}
	kept := m.keeps(id)
	start := len(m.out)
	err = m.box("traf", func() error {
		own := binary.BigEndian.AppendUint32(nil, flags&^hasBase|baseIsFragment)
		own[0] = head[0]
		own = append(binary.BigEndian.AppendUint32(own, id), rest...)
		if err := m.put("tfhd", own); err != nil {
			return err
		}
		return eachBox(body, func(kind string, body []byte) error {
			switch kind {
			case "senc", "saiz", "saio":
				return ErrNotTaken // encrypted
			case "trun":
				r, err := m.run(&base, body, size)
				if runs = append(runs, r); len(runs) > maxChunks {
					return ErrDamaged
				}
				return err
			case "tfdt", "sgpd", "sbgp":
				return m.put(kind, body)
			}
			return nil
		})
	})
	*next = base
	if !kept {
		m.out, runs = m.out[:start], nil
	}
	return runs, err
}

// run writes a run of samples and returns their location. The samples of the next run
// without an offset follow them directly.
func (m *movie) run(base *int64, body []byte, size uint32) (r run, err error) {
	if len(body) < 8 {
		return r, ErrDamaged
	}
	flags, count, rest := binary.BigEndian.Uint32(body)&0xffffff, int64(binary.BigEndian.Uint32(body[4:])), body[8:]
	r.at = *base
	if flags&hasOffset != 0 {
		if len(rest) < 4 {
			return r, ErrDamaged
		}
		r.at, rest = *base+int64(int32(binary.BigEndian.Uint32(rest))), rest[4:]
	}
	samples := rest
	if flags&hasFirstFlags != 0 {
		if len(rest) < 4 {
			return r, ErrDamaged
		}
		samples = rest[4:]
	}
	each, sizeAt := 0, 0
	for _, f := range []uint32{hasDurations, hasSizes, hasFlags, hasCompositions} {
		if f == hasSizes {
			sizeAt = each
		}
		if flags&f != 0 {
			each += 4
		}
	}
	if count*int64(each) > int64(len(samples)) {
		return r, ErrDamaged
	}
	if r.n = count * int64(size); flags&hasSizes != 0 {
		r.n = 0
		for i := range int(count) {
			r.n += int64(binary.BigEndian.Uint32(samples[i*each+sizeAt:]))
		}
	}
	if r.at < 0 || r.n < 0 || r.n > m.size || r.at > m.size-r.n {
		return r, ErrDamaged
	}
	*base = r.at + r.n
	err = m.box("trun", func() error {
		own := binary.BigEndian.AppendUint32(nil, flags|hasOffset)
		own[0] = body[0]
		m.out = append(append(m.out, own...), body[4:8]...)
		r.offsetAt = len(m.out)
		m.out = append(append(m.out, 0, 0, 0, 0), bytes.Clone(rest)...)
		return nil
	})
	return r, err
}
