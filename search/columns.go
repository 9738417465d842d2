package search

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"
	"golang.org/x/text/collate"
	"golang.org/x/text/language"

	"github.com/digital-asset-library/dal/app/dam"
)

// columns hold the scalar fields of all assets in memory, by row number, and
// for each sort the assets in its order. That takes about
// 270 bytes an asset with titles of four words.
type columns struct {
	seq  int64 // the latest change that is in
	rows []row // by asset ID; the zero row for none
	live *roaring.Bitmap
	bin  *roaring.Bitmap // in the trash

	mimes   []string // the distinct MIME types, lower case
	mimeNum map[string]uint16

	orders   map[Sort]*order
	unsorted bool // the orders are to be made anew
	collator *collate.Collator
	buffer   collate.Buffer
}

// row is the scalar fields of one asset.
type row struct {
	created, updated, size int64
	class, batch           int64
	title, filename        []byte // collation keys
	mime                   uint16
}

// order is all assets, sorted by one field and then by ID.
type order struct {
	ids     []uint32
	compare func(a, b *row) int
}

func newColumns() *columns {
	return &columns{
		live: roaring.New(), bin: roaring.New(), mimeNum: map[string]uint16{},
		collator: collate.New(language.Und, collate.IgnoreCase, collate.Numeric),
		orders: map[Sort]*order{
			SortCreatedAt:        {compare: func(a, b *row) int { return cmp.Compare(a.created, b.created) }},
			SortUpdatedAt:        {compare: func(a, b *row) int { return cmp.Compare(a.updated, b.updated) }},
			SortSize:             {compare: func(a, b *row) int { return cmp.Compare(a.size, b.size) }},
			SortTitle:            {compare: func(a, b *row) int { return bytes.Compare(a.title, b.title) }},
			SortOriginalFilename: {compare: func(a, b *row) int { return bytes.Compare(a.filename, b.filename) }},
		},
	}
}

// manyChanges is from how many changes on sorting anew beats moving one by one.
const manyChanges = 256

// apply takes in changes. After the last, sort puts them in order.
func (c *columns) apply(changes []dam.Change) {
	c.unsorted = c.unsorted || len(changes) >= manyChanges
	for _, ch := range changes {
		id := uint32(ch.AssetID)
		known := c.live.Contains(id) || c.bin.Contains(id)
		if known && !c.unsorted {
			for _, o := range c.orders {
				o.remove(c.rows, id)
			}
		}
		c.live.Remove(id)
		c.bin.Remove(id)
		if a := ch.Asset; a != nil {
			if n := int(id) + 1; n > len(c.rows) {
				c.rows = append(c.rows, make([]row, n-len(c.rows))...)
			}
			c.rows[id] = c.row(a)
			if a.DeletedAt == nil {
				c.live.Add(id)
			} else {
				c.bin.Add(id)
			}
			if !c.unsorted {
				for _, o := range c.orders {
					o.insert(c.rows, id)
				}
			}
		} else if known {
			c.rows[id] = row{}
		}
		c.seq = ch.Seq
	}
}

// sort makes the orders anew if they are not up to date.
func (c *columns) sort() {
	if !c.unsorted {
		return
	}
	all := roaring.Or(c.live, c.bin)
	for _, o := range c.orders {
		o.ids = all.ToArray()
		slices.SortFunc(o.ids, func(a, b uint32) int { return o.cmp(c.rows, a, b) })
	}
	c.unsorted = false
}

func (c *columns) row(a *dam.Asset) row {
	return row{
		created: a.CreatedAt.UnixMilli(), updated: a.UpdatedAt.UnixMilli(), size: a.FileSize, class: a.AssetClassID, batch: a.BatchID,
		title: c.key(a.Title), filename: c.key(a.OriginalFilename), mime: c.mime(strings.ToLower(a.MIMEType)),
	}
}

// key is what a text is sorted by: the order of Unicode (UTS 10), in which
// case does not count and numbers do.
func (c *columns) key(s string) []byte {
	c.buffer.Reset()
	return bytes.Clone(c.collator.KeyFromString(&c.buffer, s))
}

func (c *columns) mime(m string) uint16 {
	n, ok := c.mimeNum[m]
	if !ok {
		n = uint16(len(c.mimes))
		c.mimeNum[m] = n
		c.mimes = append(c.mimes, m)
	}
	return n
}

func (o *order) cmp(rows []row, a, b uint32) int {
	if d := o.compare(&rows[a], &rows[b]); d != 0 {
		return d
	}
	return cmp.Compare(a, b)
}

func (o *order) find(rows []row, id uint32) (int, bool) {
	return slices.BinarySearchFunc(o.ids, id, func(a, b uint32) int { return o.cmp(rows, a, b) })
}

func (o *order) insert(rows []row, id uint32) {
	i, _ := o.find(rows, id)
	o.ids = slices.Insert(o.ids, i, id)
}

func (o *order) remove(rows []row, id uint32) {
	if i, ok := o.find(rows, id); ok {
		o.ids = slices.Delete(o.ids, i, i+1)
	}
}

// filter returns the assets that fit the query, but for its text. The caller
// may change it.
func (c *columns) filter(q Query) *roaring.Bitmap {
	var set *roaring.Bitmap
	switch q.Trashed {
	case TrashedOnly:
		set = c.bin.Clone()
	case TrashedWith:
		set = roaring.Or(c.live, c.bin)
	default:
		set = c.live.Clone()
	}
	if q.AssetClassID != nil {
		set = c.keep(set, func(r *row) bool { return r.class == *q.AssetClassID })
	}
	if q.BatchID != nil {
		set = c.keep(set, func(r *row) bool { return r.batch == *q.BatchID })
	}
	if part := strings.ToLower(q.MIME); part != "" {
		fits := make([]bool, len(c.mimes))
		for i, m := range c.mimes {
			fits[i] = strings.Contains(m, part)
		}
		set = c.keep(set, func(r *row) bool { return fits[r.mime] })
	}
	return set
}

func (c *columns) keep(set *roaring.Bitmap, fits func(*row) bool) *roaring.Bitmap {
	var ids []uint32
	for it := set.Iterator(); it.HasNext(); {
		if id := it.Next(); fits(&c.rows[id]) {
			ids = append(ids, id)
		}
	}
	return roaring.BitmapOf(ids...)
}

// page returns part of a set in an order.
func (c *columns) page(set *roaring.Bitmap, by Sort, desc bool, offset, limit int) []uint32 {
	o := c.orders[by]
	if o == nil { // relevance without a text
		o = c.orders[SortCreatedAt]
	}
	in := set.ToDense()
	page := make([]uint32, 0, limit)
	for i := range o.ids {
		id := o.ids[i]
		if desc {
			id = o.ids[len(o.ids)-1-i]
		}
		if word := int(id / 64); word >= len(in) || in[word]&(1<<(id%64)) == 0 {
			continue
		}
		if offset--; offset >= 0 {
			continue
		}
		if page = append(page, id); len(page) >= limit {
			break
		}
	}
	return page
}
