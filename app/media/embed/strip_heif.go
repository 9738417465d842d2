package embed

import (
	"math"
	"slices"
	"strings"
)

// The limits of the data read from HEIF.
const (
	maxMeta  = 16 << 20 // bytes of the item metadata
	maxItems = 1 << 15  // also of references
	maxGrown = 8        // nesting of derived pictures
)

// The kinds of items, properties and references that are kept because decoding or rendering
// requires them (ISO/IEC 23008-12; AV1 Image File Format).
const (
	keptItems      = "hvc1 hev1 av01 avc1 grid iden iovl tmap"
	keptProperties = "hvcC av1C avcC ispe pixi pasp colr clap irot imir auxC clli mdcv cclv amve reve ndwt a1op a1lx lsel rloc"
	keptReferences = "dimg auxl prem"
)

// keptAuxiliaries are the types of auxiliary pictures that affect rendering.
var keptAuxiliaries = []string{
	"urn:mpeg:mpegB:cicp:systems:auxiliary:alpha", "urn:mpeg:hevc:2015:auxid:1", "urn:mpeg:avc:2015:auxid:1",
	"urn:com:apple:photo:2020:aux:hdrgainmap",
}

// item is an item of a file.
type item struct {
	id         uint32
	kind       string
	hidden     bool
	inline     bool // the data is in the meta box
	data       []span
	size       int64
	properties []uint16 // indexes from 1; the highest bit marks essential ones
	kept       bool
}

// relation is a reference from an item to others.
type relation struct {
	kind string
	from uint32
	to   []uint32
}

// heif is a HEIF file whose item list is rebuilt.
type heif struct {
	*stripping
	primary    uint32
	items      []*item
	byID       map[uint32]*item
	references []relation
	properties []property
	groups     []relation // alternatives
	inline     []byte     // data of inline items
	extents    int        // total of all items
	other      []span     // top-level boxes except media data
}

// property is a property of items.
type property struct {
	kind string
	body []byte
	at   uint16 // index in the copy, from 1; 0 for none
}

// stripHEIF keeps the visible pictures, the pictures from which they are derived, and
// auxiliary pictures that affect rendering: gain maps and alpha. The index comes first.
func stripHEIF(s *stripping) error {
	h := &heif{stripping: s, byID: map[uint32]*item{}}
	brands, meta, err := h.top()
	if err != nil {
		return err
	}
	if err := h.read(meta); err != nil {
		return err
	}
	if err := h.choose(); err != nil {
		return err
	}
	return h.finish(brands)
}

// top returns the box with the brands, including its header, and the content of the meta
// box.
func (h *heif) top() (brands, meta []byte, err error) {
	for at, n := int64(0), 0; at+8 <= h.size && (meta == nil || n < maxBoxes); n++ {
		kind, from, size, err := h.boxAt(at)
		if err != nil {
			return nil, nil, err
		}
		if size < from || size > h.size-at || n == maxBoxes {
			if meta == nil {
				return nil, nil, ErrDamaged
			}
			if kind != "mdat" {
				h.other = append(h.other, span{at: at, n: h.size - at})
			}
			break // the rest does not belong to the pictures
		}
		if kind != "mdat" {
			h.other = append(h.other, span{at: at, n: size})
		}
		switch {
		case kind == "ftyp" && n == 0:
			if size > maxBrands {
				return nil, nil, ErrNotTaken
			}
			brands, err = all(h.r, at, size)
		case kind == "moov": // a sequence of moving pictures
			err = ErrNotTaken
		case kind == "meta" && meta == nil:
			if size > maxMeta || size < from+4 {
				return nil, nil, ErrNotTaken
			}
			meta, err = all(h.r, at+from+4, size-from-4)
		}
		if err != nil {
			return nil, nil, err
		}
		at += size
	}
	if brands == nil || meta == nil {
		return nil, nil, ErrDamaged
	}
	return brands, meta, nil
}

// read reads the meta box.
func (h *heif) read(meta []byte) error {
	h.inline = boxOf(meta, "idat")
	for _, part := range []struct {
		kind string
		read func(b *bytesOf) error
	}{{"pitm", h.readPrimary}, {"iinf", h.readItems}, {"iloc", h.readPlaces}} {
		b := &bytesOf{b: boxOf(meta, part.kind)}
		if err := part.read(b); err != nil || b.short {
			return either(err, ErrDamaged)
		}
	}
	if err := h.readReferences(boxOf(meta, "iref")); err != nil {
		return err
	}
	if err := eachBox(boxOf(meta, "grpl"), h.readGroup); err != nil {
		return err
	}
	if err := eachBox(boxOf(meta, "iprp", "ipco"), func(kind string, body []byte) error {
		h.properties = append(h.properties, property{kind: kind, body: body})
		return nil
	}); err != nil {
		return err
	}
	return eachBox(boxOf(meta, "iprp"), func(kind string, body []byte) error {
		if kind != "ipma" {
			return nil
		}
		b := &bytesOf{b: body}
		return either(h.readProperties(b), b.err())
	})
}

// bytesOf reads numbers; after the end of its bytes it returns 0.
type bytesOf struct {
	b     []byte
	short bool
}

func (b *bytesOf) take(n int) []byte {
	if n > len(b.b) {
		b.short, b.b = true, nil
		return make([]byte, n)
	}
	out := b.b[:n]
	b.b = b.b[n:]
	return out
}

// number reads a number of 0 to 8 bytes.
func (b *bytesOf) number(n int) uint64 { return number(b.take(n)) }

func (b *bytesOf) err() error {
	if b.short {
		return ErrDamaged
	}
	return nil
}

// id reads a number of two or four bytes.
func (b *bytesOf) id(wide bool) uint32 {
	if wide {
		return uint32(b.number(4))
	}
	return uint32(b.number(2))
}

func (h *heif) readPrimary(b *bytesOf) error {
	version := b.number(4) >> 24
	h.primary = b.id(version > 0)
	return nil
}

func (h *heif) readItems(b *bytesOf) error {
	version := b.number(4) >> 24
	b.id(version > 0) // the number of items
	return eachBox(b.b, func(kind string, body []byte) error {
		e := &bytesOf{b: body}
		head := e.number(4)
		version := head >> 24
		if kind != "infe" || version < 2 || version > 3 {
			return ErrNotTaken
		}
		it := &item{id: e.id(version == 3), hidden: head&1 == 1}
		protected := e.number(2) != 0
		it.kind = string(e.take(4))
		switch {
		case e.short || h.byID[it.id] != nil || it.id == 0 || len(h.items) == maxItems:
			return ErrDamaged
		case protected, it.id == math.MaxUint32: // leaves no number for the metadata item of the copy
			return ErrNotTaken
		}
		h.items = append(h.items, it)
		h.byID[it.id] = it
		return nil
	})
}

// readPlaces reads the locations of the items' data.
func (h *heif) readPlaces(b *bytesOf) error {
	version := b.number(4) >> 24
	sizes := b.number(2)
	widths := [4]int{int(sizes >> 12), int(sizes >> 8 & 15), int(sizes >> 4 & 15), int(sizes & 15)} // offset, length, base, index
	if version == 0 {
		widths[3] = 0
	}
	if version > 2 || slices.Max(widths[:]) > 8 {
		return ErrDamaged
	}
	for range b.id(version == 2) {
		it := h.byID[b.id(version == 2)]
		method := uint64(0)
		if version > 0 {
			method = b.number(2) & 15
		}
		elsewhere := b.number(2) != 0
		base := b.number(widths[2])
		n := b.number(2)
		if b.short {
			return ErrDamaged
		}
		if it == nil || len(it.data) > 0 {
			it = &item{} // not listed
		}
		it.inline = method == 1
		if h.extents += int(n); h.extents > maxParts {
			return ErrNotTaken
		}
		for range n {
			b.take(widths[3])
			offset, length := b.number(widths[0]), b.number(widths[1])
			if b.short {
				return ErrDamaged
			}
			if offset > math.MaxInt64/4 || base > math.MaxInt64/4 || length > math.MaxInt64/4 {
				return ErrDamaged
			}
			it.data = append(it.data, span{at: int64(base + offset), n: int64(length)})
			it.size += int64(length)
			if it.size > h.size {
				return ErrDamaged
			}
		}
		if elsewhere || method > 1 {
			it.data = nil // items that are kept must have data
		}
	}
	return nil
}

func (h *heif) readReferences(refs []byte) error {
	if refs == nil {
		return nil
	}
	b := &bytesOf{b: refs}
	wide := b.number(4)>>24 > 0
	return either(eachBox(b.b, func(kind string, body []byte) error {
		e := &bytesOf{b: body}
		r := relation{kind: kind, from: e.id(wide)}
		for range e.number(2) {
			if r.to = append(r.to, e.id(wide)); e.short {
				return ErrDamaged
			}
		}
		if h.references = append(h.references, r); len(h.references) > maxItems {
			return ErrNotTaken
		}
		return nil
	}), b.err())
}

func (h *heif) readGroup(kind string, body []byte) error {
	b := &bytesOf{b: body}
	b.number(4)
	g := relation{kind: kind, from: b.id(true)}
	for range b.number(4) {
		if g.to = append(g.to, b.id(true)); b.short {
			return ErrDamaged
		}
	}
	if kind == "altr" {
		h.groups = append(h.groups, g)
	}
	return nil
}

// readProperties reads the properties of items.
func (h *heif) readProperties(b *bytesOf) error {
	head := b.number(4)
	for range b.number(4) {
		it := h.byID[b.id(head>>24 > 0)]
		for range b.number(1) {
			p := uint16(0)
			if head&1 == 1 {
				p = uint16(b.number(2))
			} else {
				v := uint16(b.number(1))
				p = v&0x80<<8 | v&0x7f
			}
			if b.short || int(p&0x7fff) > len(h.properties) {
				return ErrDamaged
			}
			if it != nil && p&0x7fff > 0 {
				if it.properties = append(it.properties, p); len(it.properties) > 255 {
					return ErrDamaged
				}
			}
		}
		if b.short {
			return ErrDamaged
		}
	}
	return nil
}

// choose determines the items to keep.
func (h *heif) choose() error {
	beside := map[uint32]bool{}
	for _, r := range h.references {
		if r.kind == "thmb" || r.kind == "auxl" {
			beside[r.from] = true
		}
	}
	for _, it := range h.items {
		if !it.hidden && !beside[it.id] {
			h.want(it.id)
		}
	}
	h.want(h.primary)
	if it := h.byID[h.primary]; it == nil || !it.kept {
		return ErrNotTaken
	}
	for _, r := range h.references {
		if r.kind == "auxl" && h.isShownBeside(r) {
			h.want(r.from)
		}
	}
	for n, changed := 0, true; changed; n++ { // keep the pictures from which kept pictures are derived
		if n == maxGrown {
			return ErrNotTaken
		}
		changed = false
		for _, r := range h.references {
			if it := h.byID[r.from]; r.kind != "dimg" || it == nil || !it.kept {
				continue
			}
			for _, id := range r.to {
				it := h.byID[id]
				if it == nil || !among(keptItems, it.kind) {
					return ErrNotTaken
				}
				changed = changed || !it.kept
				h.want(id)
			}
		}
	}
	return h.check()
}

// want keeps an item if its kind is supported.
func (h *heif) want(id uint32) {
	if it := h.byID[id]; it != nil && among(keptItems, it.kind) {
		it.kept = true
	}
}

// isShownBeside reports whether an auxiliary item affects rendering.
func (h *heif) isShownBeside(r relation) bool {
	from := h.byID[r.from]
	if from == nil || !slices.ContainsFunc(r.to, func(id uint32) bool { return h.byID[id] != nil && h.byID[id].kept }) {
		return false
	}
	return slices.ContainsFunc(from.properties, func(n uint16) bool {
		p := h.properties[n&0x7fff-1]
		if p.kind != "auxC" || len(p.body) < 4 {
			return false
		}
		kind, _, _ := strings.Cut(string(p.body[4:]), "\x00")
		return slices.Contains(keptAuxiliaries, kind)
	})
}

// check verifies that the kept items are complete, and numbers their properties.
func (h *heif) check() error {
	var total int64
	last := uint16(0)
	kept, other := map[bool][]span{}, map[bool][]span{false: h.other} // by whether they are inline
	for _, it := range h.items {
		if !it.kept {
			if !among(keptItems, it.kind) { // metadata
				other[it.inline] = append(other[it.inline], it.data...)
			}
			continue
		}
		kept[it.inline] = append(kept[it.inline], it.data...)
		end := h.size
		if it.inline {
			end = int64(len(h.inline))
		}
		for _, c := range it.data {
			if c.n == 0 || c.at > end-c.n {
				return ErrDamaged
			}
		}
		if total += it.size; it.data == nil || total > h.size {
			return ErrNotTaken
		}
		for _, n := range it.properties {
			p := &h.properties[n&0x7fff-1]
			switch known := among(keptProperties, p.kind); {
			case !known && n&0x8000 != 0:
				return ErrNotTaken
			case known && p.at == 0:
				if last++; last > 0x7ffe {
					return ErrDamaged
				}
				p.at = last
			}
		}
	}
	if overlap(kept[false], other[false]) || overlap(kept[true], other[true]) {
		return ErrDamaged
	}
	return nil
}
