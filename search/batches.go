package search

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"
)

// fieldBatch is the upload batch that an asset came with.
const fieldBatch = "ingestion_batch_id"

// Batches are the upload batches that the caller of a query knows. An asset of
// another has none for it, in whatever a rule, a facet or a query says; nil is
// all of them.
type Batches struct {
	IDs []int64 // ascending
}

// has reports whether id is known.
func (b *Batches) has(id int64) bool {
	if b == nil {
		return true
	}
	_, ok := slices.BinarySearch(b.IDs, id)
	return ok
}

// key names the batches; only equal ones have equal keys.
func (b *Batches) key() string {
	if b == nil {
		return ""
	}
	h := sha256.New()
	binary.Write(h, binary.LittleEndian, b.IDs) // a hash takes all bytes
	return string(h.Sum(nil))
}

// number returns what a row has in a field of numbers, as who knows b reads it.
func (b *Batches) number(r *row, field string) (n float64, ok bool) {
	n, ok = r.number(field)
	return n, ok && (field != fieldBatch || b.has(r.batch))
}
