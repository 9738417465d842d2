package search

import (
	"bytes"
	"cmp"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/RoaringBitmap/roaring/v2"
	"golang.org/x/text/collate"
	"golang.org/x/text/language"

	"github.com/digital-asset-library/dal/app/dam"
)

// columns hold the scalar fields of all assets in memory, by asset ID, and for
// each sort the assets in its order: about 550 bytes an asset with titles of four
// words.
type columns struct {
	seq  int64 // of the latest change applied
	rows []row // by asset ID; the zero row for none
	live *roaring.Bitmap
	bin  *roaring.Bitmap // in the trash

	words map[string]*wordColumn // by field

	recent recent

	orders   map[dam.Sort]*order
	unsorted bool // the orders have to be rebuilt
	collator *collate.Collator
	buffer   collate.Buffer
}

// row is the scalar fields of one asset, but for those in wordColumns.
type row struct {
	known                     bool // there is such an asset
	created, updated, capture int64
	usageFrom, usageUntil     int64
	latitude, longitude       float64 // NaN for none
	size, duration            int64
	class, batch              int64
	width, height, pages      int32
	rating                    int8 // -1 for none
	phash                     uint64
	title, filename           string // folded
	titleKey, filenameKey     []byte // of their order
}

// wordColumn is a field that many assets have the same text in.
type wordColumn struct {
	*dict
	text func(*dam.Asset) string
	of   []uint32 // by asset ID: the number of its text in dict
}

// wordColumns are the fields of one text that rules and facets compare, but for
// those that hardly two assets have in common.
func wordColumns() map[string]*wordColumn {
	columns := map[string]*wordColumn{
		"mime_type":         {text: func(a *dam.Asset) string { return a.MIMEType }},
		"extension":         {text: func(a *dam.Asset) string { return a.Extension }},
		"file_category":     {text: func(a *dam.Asset) string { return string(a.FileCategory) }},
		"processing_status": {text: func(a *dam.Asset) string { return string(a.ProcessingStatus) }},
		fieldPlace:          {text: placeOf},
	}
	for _, f := range dam.AssetFields() {
		if f.Name != "title" && !f.Long && (f.Filter == dam.FilterText || f.Filter == dam.FilterEnum) {
			columns[f.Name] = &wordColumn{text: f.Text}
		}
	}
	for _, c := range columns {
		c.dict = newDict()
	}
	return columns
}

// set keeps the text of an asset.
func (c *wordColumn) set(id uint32, a *dam.Asset) {
	if n := int(id) + 1; n > len(c.of) {
		c.of = slices.Grow(c.of, n-len(c.of))[:n]
	}
	c.of[id] = c.number(c.text(a))
}

// noTime stands for an unknown time.
const noTime = math.MinInt64

// order is all assets, sorted by one field and then by ID.
type order struct {
	ids     []uint32
	compare func(a, b *row) int
}

func newColumns() *columns {
	c := &columns{
		live: roaring.New(), bin: roaring.New(), words: wordColumns(),
		collator: collate.New(language.Und, collate.IgnoreCase, collate.Numeric),
		orders: map[dam.Sort]*order{
			dam.SortCreatedAt:        {compare: func(a, b *row) int { return cmp.Compare(a.created, b.created) }},
			dam.SortUpdatedAt:        {compare: func(a, b *row) int { return cmp.Compare(a.updated, b.updated) }},
			dam.SortCaptureDate:      {compare: func(a, b *row) int { return cmp.Compare(a.capture, b.capture) }},
			dam.SortSize:             {compare: func(a, b *row) int { return cmp.Compare(a.size, b.size) }},
			dam.SortRating:           {compare: func(a, b *row) int { return cmp.Compare(a.rating, b.rating) }},
			dam.SortUsageUntil:       {compare: func(a, b *row) int { return cmp.Compare(a.end(), b.end()) }},
			dam.SortTitle:            {compare: func(a, b *row) int { return bytes.Compare(a.titleKey, b.titleKey) }},
			dam.SortOriginalFilename: {compare: func(a, b *row) int { return bytes.Compare(a.filenameKey, b.filenameKey) }},
		},
	}
	return c
}

// manyChanges is the number of changes from which sorting again is faster than
// moving assets one by one.
const manyChanges = 256

// apply applies changes. Call sort after the last.
func (c *columns) apply(changes []dam.Change) {
	c.unsorted = c.unsorted || len(changes) >= manyChanges
	for _, ch := range changes {
		id := uint32(ch.AssetID)
		known := c.known(id)
		if known && !c.unsorted {
			for _, o := range c.orders {
				o.remove(c.rows, id)
			}
		}
		c.live.Remove(id)
		c.bin.Remove(id)
		if a := ch.Asset; a != nil {
			if n := int(id) + 1; n > len(c.rows) {
				c.rows = slices.Grow(c.rows, n-len(c.rows))[:n]
			}
			c.rows[id] = c.row(a)
			for _, words := range c.words {
				words.set(id, a)
			}
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
	c.recent.add(changes)
}

func (c *columns) known(id uint32) bool { return int(id) < len(c.rows) && c.rows[id].known }

// sort rebuilds the orders if they are out of date.
func (c *columns) sort() {
	if !c.unsorted {
		return
	}
	all := roaring.Or(c.live, c.bin)
	var wg sync.WaitGroup
	for _, o := range c.orders {
		wg.Go(func() {
			o.ids = all.ToArray()
			slices.SortFunc(o.ids, func(a, b uint32) int { return o.cmp(c.rows, a, b) })
		})
	}
	wg.Wait()
	c.unsorted = false
}

func (c *columns) row(a *dam.Asset) row {
	r := row{
		known: true, created: a.CreatedAt.UnixMilli(), updated: a.UpdatedAt.UnixMilli(),
		capture: timeOf(a.CaptureDate), usageFrom: timeOf(a.UsageFrom), usageUntil: timeOf(a.UsageUntil),
		rating: -1, latitude: math.NaN(), longitude: math.NaN(),
		size: a.FileSize, duration: a.DurationMS,
		class: a.AssetClassID, batch: a.BatchID, width: int32(a.Width), height: int32(a.Height), pages: int32(a.PageCount), phash: a.PHash,
		title: fold(a.Title), filename: fold(a.OriginalFilename), titleKey: c.key(a.Title), filenameKey: c.key(a.OriginalFilename),
	}
	if a.Rating != nil {
		r.rating = int8(*a.Rating)
	}
	if l := a.Location; l != nil && l.Latitude != nil && l.Longitude != nil {
		r.latitude, r.longitude = *l.Latitude, *l.Longitude
	}
	return r
}

// timeOf returns a time as a row has it.
func timeOf(t *time.Time) int64 {
	if t == nil {
		return noTime
	}
	return t.UnixMilli()
}

// end is when the usage of an asset ends, the last moment for never.
func (r *row) end() int64 {
	if r.usageUntil == noTime {
		return math.MaxInt64
	}
	return r.usageUntil
}

// placeOf returns where an asset is, in words.
func placeOf(a *dam.Asset) string {
	if a.Location == nil {
		return ""
	}
	return a.Location.Place
}

// number returns a numeric field of a row, and whether it has a value: 0 is none,
// but for the size, the rating and coordinates.
func (r *row) number(field string) (float64, bool) {
	var n int64
	switch field {
	case "width":
		n = int64(r.width)
	case "height":
		n = int64(r.height)
	case "page_count":
		n = int64(r.pages)
	case "duration":
		return float64(r.duration) / 1000, r.duration != 0
	case "rating":
		return float64(r.rating), r.rating >= 0
	case "location.latitude":
		return r.latitude, !math.IsNaN(r.latitude)
	case "location.longitude":
		return r.longitude, !math.IsNaN(r.longitude)
	case "asset_class_id":
		n = r.class
	case "ingestion_batch_id":
		n = r.batch
	default:
		return float64(r.size), true
	}
	return float64(n), n != 0
}

// time returns a date field of a row, noTime for none.
func (r *row) time(field string) int64 {
	switch field {
	case "created_at":
		return r.created
	case "updated_at":
		return r.updated
	case "usage_from":
		return r.usageFrom
	case "usage_until":
		return r.usageUntil
	default:
		return r.capture
	}
}

// key is what a text is sorted by: the order of Unicode (UTS 10), ignoring case
// and with digits as numbers.
func (c *columns) key(s string) []byte {
	c.buffer.Reset()
	return bytes.Clone(c.collator.KeyFromString(&c.buffer, s))
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

// all returns the assets in the trash, outside it, or both. The caller may change
// the set.
func (c *columns) all(t dam.Trashed) *roaring.Bitmap {
	switch t {
	case dam.TrashedOnly:
		return c.bin.Clone()
	case dam.TrashedWith:
		return roaring.Or(c.live, c.bin)
	default:
		return c.live.Clone()
	}
}

// whereID returns the assets whose ID and row match.
func (c *columns) whereID(fits func(uint32, *row) bool) *roaring.Bitmap {
	var ids []uint32
	for id := range c.rows {
		if r := &c.rows[id]; r.known && fits(uint32(id), r) {
			ids = append(ids, uint32(id))
		}
	}
	return roaring.BitmapOf(ids...)
}

// page returns part of a set in an order.
func (c *columns) page(set *roaring.Bitmap, by dam.Sort, desc bool, offset, limit int) []uint32 {
	o := c.orders[by]
	if o == nil { // relevance without a text
		o = c.orders[dam.SortCreatedAt]
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
