package cicp

import "encoding/binary"

// OfHEIF returns the space that a HEIF or AVIF file declares in a "colr" box of the kind
// "nclx" (ISO/IEC 14496-12, section 12.1.5): that of the primary item, otherwise the first
// in the file. It is zero without such a box.
func OfHEIF(file []byte) Space {
	meta := reader(child(file, "meta"))
	meta.number(4) // version and flags
	properties := child(meta, "iprp")
	declared, first, n := map[int]Space{}, 0, 0
	each(child(properties, "ipco"), func(kind string, body reader) bool {
		if n++; kind == "colr" && len(body) >= 8 && string(body[:4]) == "nclx" {
			body.number(4)
			declared[n] = Space{body.number(2), body.number(2)}
			if first == 0 {
				first = n
			}
		}
		return true
	})
	for _, n := range primaryProperties(child(meta, "pitm"), child(properties, "ipma")) {
		if s, ok := declared[n]; ok {
			return s
		}
	}
	return declared[first]
}

// primaryProperties returns the property indices of the primary item, from 1 (ISO/IEC
// 23008-12, section 9.3).
func primaryProperties(pitm, ipma reader) (list []int) {
	idSize, numberSize, mask := 2, 1, 0x7f
	if pitm.number(4)>>24 > 0 {
		idSize = 4
	}
	primary := pitm.number(idSize)
	head := ipma.number(4)
	if idSize = 2; head>>24 > 0 {
		idSize = 4
	}
	if head&1 != 0 {
		numberSize, mask = 2, 0x7fff
	}
	ipma.number(4) // number of items: the list ends with the box
	for len(ipma) > 0 {
		item := ipma.number(idSize)
		for range ipma.number(1) {
			if n := ipma.number(numberSize) & mask; item == primary {
				list = append(list, n)
			}
		}
	}
	return list
}

// reader is the rest of a box.
type reader []byte

// number reads a big-endian number of the given length, 0 at the end of the data.
func (r *reader) number(bytes int) (v int) {
	if len(*r) < bytes {
		*r = nil
		return 0
	}
	for _, b := range (*r)[:bytes] {
		v = v<<8 | int(b)
	}
	*r = (*r)[bytes:]
	return v
}

// child returns the content of the first box of a kind, nil for none.
func child(in reader, kind string) (found reader) {
	each(in, func(k string, body reader) bool {
		if k == kind {
			found = body
		}
		return k != kind
	})
	return found
}

// each calls fn with each box until it returns false.
func each(in reader, fn func(kind string, body reader) bool) {
	for len(in) >= 8 {
		size, skip := uint64(binary.BigEndian.Uint32(in)), uint64(8)
		if size == 1 && len(in) >= 16 {
			size, skip = binary.BigEndian.Uint64(in[8:]), 16
		}
		if size == 0 {
			size = uint64(len(in))
		}
		if size < skip || size > uint64(len(in)) || !fn(string(in[4:8]), in[skip:size]) {
			return
		}
		in = in[size:]
	}
}
