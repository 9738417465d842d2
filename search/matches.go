package search

import (
	"slices"
	"sync"

	"github.com/RoaringBitmap/roaring/v2"
)

// matches contains the assets that a text matches, with their scores and fields.
type matches struct {
	any    bool // the text only excludes: all assets not in not match
	ids    *roaring.Bitmap
	points []float32 // by asset ID
	fields []uint16  // by asset ID: a bit for each of textFields, and gaidBit

	// The assets to which matches are limited, and those that are excluded; both also
	// apply to semantic results. Nil if the text has no such conditions.
	must, not *roaring.Bitmap

	also map[string]bool // words that matched in place of the text's

	standIns []standIns // for each word of the text; nil if not requested

	scored *roaring.Bitmap // assets with points, including excluded ones
	spare  *sync.Pool      // of empty matches
}

// free releases the memory of unused matches.
func (m *matches) free() {
	points, fields, spare := m.points, m.fields, m.spare
	if int(m.scored.GetCardinality()) > len(points)/16 {
		clear(points)
		clear(fields)
	} else {
		each(m.scored, func(id uint32) { points[id], fields[id] = 0, 0 })
	}
	*m = matches{points: points, fields: fields}
	spare.Put(m)
}

const gaidBit = 15

// fieldNames returns the names of the fields in a set of bits.
func fieldNames(bits uint16) []string {
	var names []string
	for i, f := range textFields() {
		if bits&(1<<i) != 0 {
			names = append(names, f.name)
		}
	}
	if bits&(1<<gaidBit) != 0 {
		names = append(names, "gaid")
	}
	return names
}

// sum adds all lists to the first.
func (s *searcher) sum(lists []*docs) []*docs {
	if len(lists) < 2 {
		return lists
	}
	for _, d := range lists[1:] {
		lists[0].or(d)
		s.free(d)
	}
	return lists[:1]
}

// combine combines the results of the clauses.
func (s *searcher) combine(must, not, some []*docs) *matches {
	var sum *docs
	if len(must) > 0 {
		for _, d := range must[1:] {
			must[0] = must[0].and(d)
		}
		sum = must[0]
	}
	if sum == nil && len(some) > 0 {
		sum, some = some[0], some[1:]
	}
	if sum == nil {
		sum = s.newDocs()
	}
	for _, d := range some {
		for _, doc := range d.list {
			if len(must) == 0 || sum.fields[doc] != 0 {
				sum.add(doc, d.points[doc], d.fields[doc])
			}
		}
	}
	m, ok := s.spareMatches.Get().(*matches)
	if !ok {
		m = &matches{}
	}
	m.ids, m.also, m.spare = s.bitmap(sum.list), s.also, s.spareMatches
	m.scored = m.ids
	n := 0
	if !m.ids.IsEmpty() {
		n = int(m.ids.Maximum()) + 1
	}
	m.points, m.fields = grown(m.points, n), grown(m.fields, n)
	for _, doc := range sum.list {
		m.points[s.assets[doc]], m.fields[s.assets[doc]] = sum.points[doc], sum.fields[doc]
	}
	if len(must) > 0 {
		m.must = m.ids
	}
	for _, d := range not {
		if m.not == nil {
			m.not = roaring.New()
		}
		m.not.Or(s.bitmap(d.list))
	}
	if m.not != nil {
		m.ids = roaring.AndNot(m.ids, m.not)
	}
	return m
}

// bitmap returns the assets of documents.
func (s *searcher) bitmap(list []uint32) *roaring.Bitmap {
	most := uint32(0)
	for _, doc := range list {
		most = max(most, s.assets[doc])
	}
	if len(list) >= int(most/64) { // faster than sorting
		dense := make([]uint64, most/64+1)
		for _, doc := range list {
			dense[s.assets[doc]/64] |= 1 << (s.assets[doc] % 64)
		}
		return roaring.FromDense(dense, true)
	}
	ids := make([]uint32, len(list))
	for i, doc := range list {
		ids[i] = s.assets[doc]
	}
	slices.Sort(ids)
	return roaring.BitmapOf(ids...)
}
