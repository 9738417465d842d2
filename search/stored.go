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
// memory that the file is mapped to, as zapx writes them: Bleve's iterator takes ten
// times as long, which is most of the time of a search for frequent words.
type storedSegment interface {
	Data() []byte
	DictAddr(field string) (uint64, error)
	Version() uint32
}

// storedVersion is the version of zapx whose files this knows.
const storedVersion = 16

// dictionary is where the postings of the terms of a field are in a segment.
type dictionary struct {
	data  []byte      // of the segment
	terms *vellum.FST // nil for none
}

// errStored is of a segment that is not as it should be.
var errStored = errors.New("the text index has postings that cannot be read")

// storedDictionary returns the dictionary of a field, nil if the segment is not in a
// file or of another version.
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

// stored are the documents of a segment that have a term in a field.
type stored struct {
	docs *roaring.Bitmap // nil for none
	// pairs are for each document twice how often it has the term, or one more, and
	// how many terms the field has, which is left out if that is 0 times.
	pairs []byte
	one   [2]uint32 // or a single document, and how many terms its field has

	elsewhere bool // the segment is not in a file
}

// The bits of what a dictionary has for a term with a single document.
const (
	oneDocument     = 1 << 63
	oneDocumentMask = 3 << 62
	oneDocumentBits = 31
)

// postings returns the documents that have a term, and how many those are.
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
	if _, at, err = uvarint(d.data, at); err != nil { // where it has them
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

// chunks returns the chunks that are written at a place, which follow each other.
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

// uvarint reads a number at a place, and returns where the next one is.
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

// posting is a document that has a term in a field: how often, and how many terms
// the field has.
type posting struct {
	doc       uint32
	freq, len float32
}

// each adds the documents to a list, without those of a set, and the number first to
// each of their numbers.
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

// readPair reads the first of pairs, and returns the others.
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
