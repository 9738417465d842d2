package search

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/RoaringBitmap/roaring/v2"
	segment "github.com/blevesearch/scorch_segment_api/v2"
	"github.com/blevesearch/vellum"
)

// storedSegment is a segment of the index in a file. Its postings are read from the
// memory-mapped file in the format of zapx: Bleve's iterator takes ten times as long,
// which is most of the time of a search for frequent words.
type storedSegment interface {
	Data() []byte
	DictAddr(field string) (uint64, error)
	Version() uint32
}

// storedVersion is the supported version of zapx.
const storedVersion = 16

// dictionary locates the postings of the terms of a field in a segment.
type dictionary struct {
	data  []byte      // of the segment
	terms *vellum.FST // nil for none
}

// errStored is returned for a malformed segment.
var errStored = errors.New("the text index has postings that cannot be read")

// storedDictionary returns the dictionary of a field, nil if the segment is not in a file
// or is of another version.
func storedDictionary(seg segment.Segment, field string) (*dictionary, error) {
	s, ok := seg.(storedSegment)
	if !ok || s.Version() != storedVersion {
		return nil, nil
	}
	d := &dictionary{data: s.Data()}
	at, err := s.DictAddr(field)
	if err != nil || at == 0 {
		return d, nil // it has no such field
	}
	n, at, err := uvarint(d.data, at)
	if err != nil || n > uint64(len(d.data))-at {
		return nil, errStored
	}
	if d.terms, err = vellum.Load(d.data[at : at+n]); err != nil {
		return nil, fmt.Errorf("the terms of %s: %w", field, err)
	}
	return d, nil
}

// stored contains the documents of a segment that have a term in a field.
type stored struct {
	docs *roaring.Bitmap // nil for none
	// pairs contains two numbers for each document: twice the frequency of the term, plus
	// 0 or 1, and the number of terms in the field, which is omitted if the frequency is
	// 0.
	pairs []byte
	one   [2]uint32 // or a single document, and the number of terms in its field

	elsewhere bool // the segment is not in a file
}

// The bits of a dictionary entry for a term with a single document.
const (
	oneDocument     = 1 << 63
	oneDocumentMask = 3 << 62
	oneDocumentBits = 31
)

// postings returns the documents that have a term, and their number.
func (d *dictionary) postings(term []byte) (s stored, n int, err error) {
	if d.terms == nil {
		return s, 0, nil
	}
	at, has, err := d.terms.Get(term)
	if err != nil || !has {
		return s, 0, err
	}
	if at&oneDocumentMask == oneDocument {
		const mask = 1<<oneDocumentBits - 1
		s.one = [2]uint32{uint32(at & mask), uint32(at >> oneDocumentBits & mask)}
		return s, 1, nil
	}
	pairs, at, err := uvarint(d.data, at)
	if err != nil {
		return s, 0, err
	}
	if _, at, err = uvarint(d.data, at); err != nil { // skip the offset of the term's positions
		return s, 0, err
	}
	length, at, err := uvarint(d.data, at)
	if err != nil || length > uint64(len(d.data))-at {
		return s, 0, errStored
	}
	s.docs = roaring.New()
	if _, err := s.docs.FromBuffer(d.data[at : at+length]); err != nil {
		return s, 0, err
	}
	if pairs == 0 {
		return s, 0, errStored
	}
	s.pairs, err = chunks(d.data, pairs)
	return s, int(s.docs.GetCardinality()), err
}

// chunks returns the consecutive chunks at an offset.
func chunks(data []byte, at uint64) ([]byte, error) {
	n, at, err := uvarint(data, at)
	end := uint64(0)
	for ; n > 0 && err == nil; n-- {
		end, at, err = uvarint(data, at)
	}
	if err != nil || end > uint64(len(data))-at {
		return nil, errStored
	}
	return data[at : at+end], nil
}

// uvarint decodes a number at an offset, and returns the offset after it.
func uvarint(data []byte, at uint64) (x, next uint64, err error) {
	if at >= uint64(len(data)) {
		return 0, 0, errStored
	}
	x, n := binary.Uvarint(data[at:min(at+binary.MaxVarintLen64, uint64(len(data)))])
	if n <= 0 {
		return 0, 0, errStored
	}
	return x, at + uint64(n), nil
}

// posting is a document that has a term in a field, with the frequency of the term and
// the number of terms in the field.
type posting struct {
	doc       uint32
	freq, len float32
}

// each appends the documents to a list, except those in a set, and adds first to their
// numbers.
func (s *stored) each(first uint32, without *roaring.Bitmap, list []posting) ([]posting, error) {
	if s.docs == nil {
		if s.one[1] > 0 && (without == nil || !without.Contains(s.one[0])) {
			list = append(list, posting{first + s.one[0], 1, float32(s.one[1])})
		}
		return list, nil
	}
	if without != nil && without.IsEmpty() {
		without = nil
	}
	var docs [256]uint32
	pairs := s.pairs
	for it := s.docs.ManyIterator(); ; {
		n := it.NextMany(docs[:])
		if n == 0 {
			return list, nil
		}
		for _, doc := range docs[:n] {
			freq, length := uint64(0), uint64(0)
			if len(pairs) > 1 && pairs[0] > 1 && pairs[0]|pairs[1] < 0x80 { // nearly always
				freq, length, pairs = uint64(pairs[0]), uint64(pairs[1]), pairs[2:]
			} else {
				var err error
				if freq, length, pairs, err = readPair(pairs); err != nil {
					return list, err
				}
			}
			if without == nil || !without.Contains(doc) {
				list = append(list, posting{first + doc, float32(freq >> 1), float32(uint32(length))})
			}
		}
	}
}

// readPair decodes the first of pairs, and returns the rest.
func readPair(pairs []byte) (freq, length uint64, rest []byte, err error) {
	freq, at, err := uvarint(pairs, 0)
	if err == nil && freq>>1 > 0 {
		length, at, err = uvarint(pairs, at)
	}
	if err != nil {
		return 0, 0, nil, err
	}
	return freq, length, pairs[at:], nil
}
