package search

import (
	"crypto/sha256"
	"encoding/binary"
	"maps"
	"slices"

	"github.com/digital-asset-library/dal/app/dam"
)

// Scope is what answering a query takes besides the library. Collections and
// batches that are not in it do not exist for the query.
type Scope struct {
	Collections *Collections // for rules and facets about collections; nil is none
	Batches     *Batches     // nil is all of them
	Picks       Picks        // for rules about what guests have picked
	Outside     map[*dam.Filter]Found
	Order       []int64 // assets, for dam.SortPosition
	Among       []int64 // the assets in question; nil is all of them
}

// Collections are those that the caller of a query may view.
type Collections struct {
	IDs   []int64          // of those that people fill, ascending
	Rules map[int64]*Rules // of those that fill themselves
}

// Rules say which assets are in a collection that fills itself. They can refer to
// collections that people fill only: rules never refer to rules.
type Rules struct {
	Text   string      // the document and whatever its meaning depends on; equal texts find the same
	Filter *dam.Filter // nil for one that can no longer be read, which finds nothing
	Schema *dam.Schema // the custom fields that texts to search for may name
}

// has reports whether id is a collection that people fill.
func (c *Collections) has(id int64) bool { return c != nil && contains(c.IDs, id) }

// ruled returns the collections that fill themselves, ascending.
func (c *Collections) ruled() []int64 {
	if c == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(c.Rules))
}

// key names the collections that people fill; equal sets have equal keys.
func (c *Collections) key() string {
	if c == nil {
		return ""
	}
	return idsKey(c.IDs)
}

// Batches are the upload batches that the caller of a query may see. For it, an
// asset of another batch has none.
type Batches struct {
	IDs []int64 // ascending
}

func (b *Batches) has(id int64) bool { return b == nil || contains(b.IDs, id) }

// key names the batches; equal sets have equal keys.
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
	binary.Write(h, binary.LittleEndian, ids) // a hash takes all bytes
	return string(h.Sum(nil))
}
