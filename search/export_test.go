package search

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/digital-asset-library/dal/app/dam"
)

// Lag returns the number of changes missing from the text index.
func (e *Engine) Lag(ctx context.Context) (int64, error) {
	changes, _, err := e.Behind(ctx)
	return changes, err
}

// VectorCount returns the number of assets with a vector in memory.
func (e *Engine) VectorCount() int {
	if e.vectors.table == nil {
		return 0
	}
	return e.vectors.table.Len()
}

// Word is an indexed word.
type Word struct {
	Start, End, Pos int
	Text, Other     string
	Stems           []string
}

// Words returns the words of a text in a language.
func Words(language, text string) ([]Word, error) {
	a, err := newAnalyzer(language)
	if err != nil {
		return nil, err
	}
	var list []Word
	for _, w := range a.words(compose(text)) {
		list = append(list, Word{w.start, w.end, w.pos, w.text, w.other, w.stems})
	}
	return list, nil
}

// Compose normalizes a text, so that the positions of Words apply to it.
func Compose(text string) string { return compose(text) }

// NamePieces returns a file name split into searchable words.
func NamePieces(name string) string { return spacedOut(compose(name)) }

// Nearness returns the score of an asset for an earlier query: the product of their
// vectors.
func (e *Engine) Nearness(text string, asset []float32) float64 {
	return float64(dot(e.vectors.queries[text].probe.values, asset))
}

// TryColumns reads a snapshot of columns and uses all of them.
func TryColumns(file []byte, name string) error {
	c, err := unpackColumns(bytes.NewReader(file), int64(len(file)), name)
	if err != nil {
		return err
	}
	c.sort()
	for by := range c.orders {
		c.page(c.all(dam.TrashedWith), by, true, 0, len(c.has))
	}
	each(c.all(dam.TrashedWith), func(id uint32) {
		for _, t := range c.texts() {
			_ = t.get(id)
		}
	})
	for field := range c.words {
		c.countWords(field, c.live)
	}
	c.apply([]dam.Change{{Seq: c.seq + 1, AssetID: 1, Asset: &dam.Asset{Title: "x"}}, {Seq: c.seq + 2, AssetID: 2}})
	c.sort()
	return nil
}

// MendSums corrects the checksums of all blocks, as far as their lengths are valid.
func MendSums(file []byte) {
	for len(file) >= 4 {
		n := int(binary.LittleEndian.Uint32(file))
		if file = file[4:]; n > len(file)-4 {
			return
		}
		binary.LittleEndian.PutUint32(file[n:], crc32.Checksum(file[:n], castagnoli))
		file = file[n+4:]
	}
}

// ComparePostings reads the postings of all terms both directly from storage and through
// Bleve, and returns the number of compared lists.
func (e *Engine) ComparePostings(ctx context.Context) (lists int, err error) {
	s, err := e.text.searcher(ctx)
	if err != nil {
		return 0, err
	}
	defer s.close()
	fields := []string{fieldGAID, fieldKeys, fieldEndings, "unknown"}
	for _, f := range textFields() {
		fields = append(fields, f.name, exactField(f.name))
	}
	for _, field := range fields {
		for i, seg := range s.reader.Segments() {
			all, err := s.state.dictionaries(field, s.reader.Segments())
			if err != nil || all[i] == nil {
				return 0, fmt.Errorf("segment %d is not stored: %w", i, err)
			}
			d := all[i]
			dict, err := seg.Segment().Dictionary(field)
			if err != nil {
				return 0, err
			}
			for it := dict.AutomatonIterator(nil, nil, nil); ; lists++ {
				entry, err := it.Next()
				if err != nil {
					return 0, err
				}
				if entry == nil {
					break
				}
				found, _, err := d.postings([]byte(entry.Term))
				if err != nil {
					return 0, err
				}
				own, err := found.each(7, seg.Deleted(), nil)
				if err != nil {
					return 0, err
				}
				others, err := s.unstored(seg, []byte(entry.Term), field, 7, nil)
				if err != nil {
					return 0, err
				}
				if !slices.Equal(own, others) {
					return 0, fmt.Errorf("%s of segment %d: %q has %v, and %v through Bleve", field, i, entry.Term, own, others)
				}
			}
		}
	}
	return lists, nil
}

// TryPostings reads postings of some documents from possibly invalid data.
func TryPostings(data []byte, at uint64, docs, without []uint32) (n int, err error) {
	s := stored{docs: roaring.BitmapOf(docs...)}
	if s.pairs, err = chunks(data, at); err != nil {
		return 0, err
	}
	list, err := s.each(0, roaring.BitmapOf(without...), nil)
	return len(list), err
}
