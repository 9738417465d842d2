package embed

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"
)

// finish writes the copy, in which the data of each item is contiguous.
func (h *heif) finish(brands []byte) error {
	h.items = slices.DeleteFunc(h.items, func(it *item) bool { return !it.kept })
	says := h.packet()
	known := h.known(0, says) // as long as with the final offsets
	start := int64(len(brands) + len(known) + 8)
	size := int64(len(says))
	for _, it := range h.items {
		if !it.inline {
			size += it.size
		}
	}
	if start+size > math.MaxUint32 {
		return ErrTooLong
	}
	data := binary.BigEndian.AppendUint32(nil, uint32(8+size))
	h.write(slices.Concat(brands, h.known(start, says), data, []byte("mdat"), says))
	for _, it := range h.items {
		for _, c := range it.data {
			if !it.inline {
				h.keep(c.at, c.n)
			}
		}
	}
	return nil
}

// known returns the meta box, given the offset of the data of items.
func (h *heif) known(start int64, says []byte) []byte {
	own := slices.MaxFunc(h.items, func(a, b *item) int { return cmp.Compare(a.id, b.id) }).id + 1 // the metadata item
	t := heifText{wide: own > math.MaxUint16}
	at := start + int64(len(says))
	if says != nil {
		t.item(own, true, "mime\x00application/rdf+xml\x00")
		t.place(own, false, start, int64(len(says)))
		t.refer(relation{"cdsc", own, []uint32{h.primary}})
	}
	for _, it := range h.items {
		t.item(it.id, it.hidden, it.kind+"\x00")
		if it.inline {
			t.place(it.id, true, int64(len(t.inline)), it.size)
			for _, c := range it.data {
				t.inline = append(t.inline, h.inline[c.at:c.at+c.n]...)
			}
		} else {
			t.place(it.id, false, at, it.size)
			at += it.size
		}
		h.associate(&t, it)
	}
	for _, r := range h.references {
		if r.to = h.keptOf(r.to); among(keptReferences, r.kind) && len(r.to) > 0 && len(h.keptOf([]uint32{r.from})) > 0 {
			t.refer(r)
		}
	}
	var properties, groups []byte
	list := slices.DeleteFunc(slices.Clone(h.properties), func(p property) bool { return p.at == 0 })
	slices.SortFunc(list, func(a, b property) int { return cmp.Compare(a.at, b.at) })
	for _, p := range list {
		properties = append(properties, boxText(p.kind, p.body)...)
	}
	for _, g := range h.groups {
		if to := h.keptOf(g.to); len(to) > 1 {
			b := binary.BigEndian.AppendUint32(make([]byte, 4), g.from)
			b = binary.BigEndian.AppendUint32(b, uint32(len(to)))
			for _, id := range to {
				b = binary.BigEndian.AppendUint32(b, id)
			}
			groups = append(groups, boxText(g.kind, b)...)
		}
	}
	return t.box(h.primary, properties, groups)
}

// keptOf returns the kept items of a list.
func (h *heif) keptOf(list []uint32) []uint32 {
	return slices.DeleteFunc(slices.Clone(list), func(id uint32) bool { return h.byID[id] == nil || !h.byID[id].kept })
}

// associate writes the properties of an item.
func (h *heif) associate(t *heifText, it *item) {
	var list []byte
	n := byte(0)
	for _, p := range it.properties {
		if at := h.properties[p&0x7fff-1].at; at > 0 {
			list = binary.BigEndian.AppendUint16(list, p&0x8000|at)
			n++
		}
	}
	if n > 0 {
		t.associated++
		t.associations = append(append(t.id(t.associations, it.id), n), list...)
	}
}

// heifText is a meta box under construction.
type heifText struct {
	wide                              bool // items have numbers of four bytes
	items, places, references, inline []byte
	associations                      []byte
	listed, associated                uint32
}

func (t *heifText) id(b []byte, id uint32) []byte {
	if t.wide {
		return binary.BigEndian.AppendUint32(b, id)
	}
	return binary.BigEndian.AppendUint16(b, uint16(id))
}

// item lists an item with its kind and an empty name.
func (t *heifText) item(id uint32, hidden bool, kind string) {
	b := []byte{2, 0, 0, 0}
	if t.wide {
		b[0] = 3
	}
	if hidden {
		b[3] = 1
	}
	t.items = append(t.items, boxText("infe", append(append(t.id(b, id), 0, 0), kind...))...)
	t.listed++
}

// place records the location of an item's data.
func (t *heifText) place(id uint32, inline bool, at, n int64) {
	b := append(t.id(t.places, id), 0, 0, 0, 0, 0, 1)
	if inline {
		b[len(b)-5] = 1
	}
	t.places = binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(b, uint32(at)), uint32(n))
}

func (t *heifText) refer(r relation) {
	b := binary.BigEndian.AppendUint16(t.id(nil, r.from), uint16(len(r.to)))
	for _, id := range r.to {
		b = t.id(b, id)
	}
	t.references = append(t.references, boxText(r.kind, b)...)
}

// box returns the meta box.
func (t *heifText) box(primary uint32, properties, groups []byte) []byte {
	version := func(wide byte) []byte {
		if t.wide {
			return []byte{wide, 0, 0, 0}
		}
		return make([]byte, 4)
	}
	count := func(head []byte, n uint32) []byte { return binary.BigEndian.AppendUint32(head, n) }
	places := []byte{1, 0, 0, 0, 0x44, 0}
	if t.wide {
		places[0] = 2
	}
	associations := version(1)
	associations[3] = 1 // two bytes per association
	body := [][]byte{
		make([]byte, 4),
		boxText("hdlr", slices.Concat(make([]byte, 8), []byte("pict"), make([]byte, 13))),
		boxText("pitm", t.id(version(1), primary)),
		boxText("iloc", slices.Concat(t.id(places, t.listed), t.places)),
		boxText("iinf", slices.Concat(make([]byte, 4), binary.BigEndian.AppendUint16(nil, uint16(t.listed)), t.items)),
	}
	if t.references != nil {
		body = append(body, boxText("iref", slices.Concat(version(1), t.references)))
	}
	body = append(body, boxText("iprp", slices.Concat(
		boxText("ipco", properties), boxText("ipma", slices.Concat(count(associations, t.associated), t.associations)))))
	if t.inline != nil {
		body = append(body, boxText("idat", t.inline))
	}
	if groups != nil {
		body = append(body, boxText("grpl", groups))
	}
	return boxText("meta", slices.Concat(body...))
}

// boxText encodes a box.
func boxText(kind string, body []byte) []byte {
	b := append(binary.BigEndian.AppendUint32(nil, uint32(8+len(body))), kind...)
	return append(b, body...)
}
