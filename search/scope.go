package search

import (
	"crypto/sha256"
	"encoding/binary"
	"maps"
	"slices"

	"github.com/digital-asset-library/dal/app/dam"
)

// Scope is the caller's context of a query. Collections and batches outside it do not
// exist for the query.
type Scope struct {
	Collections *Collections // for rules and facets about collections; nil for none
	Batches     *Batches     // nil for all
	Picks       Picks        // for rules about the picks of guests
	Outside     map[*dam.Filter]Found
	Order       []int64 // assets, for dam.SortPosition
	Among       []int64 // restricts the assets; nil for all
}

// Collections contains the collections that the caller of a query may view.
type Collections struct {
	IDs   []int64          // of manual collections, ascending
	Rules map[int64]*Rules // of smart collections
}

// Rules determine the assets of a smart collection. They can refer to manual collections
// only: rules never refer to rules.
type Rules struct {
	Text   string      // the document and everything that its results depend on; equal texts have equal results
	Filter *dam.Filter // nil for a document that can no longer be read, which matches nothing
	Schema *dam.Schema // the custom fields that searched texts may name
}

// has reports whether id is a manual collection.
func (c *Collections) has(id int64) bool { return c != nil && contains(c.IDs, id) }

// ruled returns the smart collections, ascending.
func (c *Collections) ruled() []int64 {
	if c == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(c.Rules))
}

// key returns the cache key of the manual collections; equal sets have equal keys.
func (c *Collections) key() string {
	if c == nil {
		return ""
	}
	return idsKey(c.IDs)
}

// Batches contains the upload batches that the caller of a query may see. For the query,
// assets of other batches have none.
type Batches struct {
	IDs []int64 // ascending
}

func (b *Batches) has(id int64) bool { return b == nil || contains(b.IDs, id) }

// key returns the cache key of the batches; equal sets have equal keys.
func (b *Batches) key() string {
	if b == nil {
		return ""
	}
	return idsKey(b.IDs)
}

func contains(ascending []int64, id int64) bool {
	_, ok := slices.BinarySearch(ascending, id)
	return ok
}

func idsKey(ids []int64) string {
	h := sha256.New()
	binary.Write(h, binary.LittleEndian, ids) // writing to a hash never fails
	return string(h.Sum(nil))
}
