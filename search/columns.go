package search

import (
	"math"
	"slices"
	"sync"
	"time"

	"github.com/RoaringBitmap/roaring/v2"
	"golang.org/x/text/collate"
	"golang.org/x/text/language"

	"github.com/digital-asset-library/dal/app/dam"
)

// columns contains the scalar fields of all assets in memory, by asset ID, and the assets
// in each sort order: about 390 bytes per asset with titles of four words.
type columns struct {
	seq  int64  // of the latest change applied
	has  []bool // whether the asset exists
	live *roaring.Bitmap
	bin  *roaring.Bitmap // in the trash

	numbers             [scalars][]int64
	latitude, longitude []float64 // NaN for none
	phash               []uint64
	title, filename     texts                  // folded
	words               map[string]*wordColumn // by field

	recent recent

	orders   map[dam.Sort]*order
	unsorted bool                // the orders have to be rebuilt
	moved    map[uint32]struct{} // assets whose positions in the orders are outdated
	collator *collate.Collator
	buffer   collate.Buffer
}

// wordColumn is a field in which many assets have the same text.
type wordColumn struct {
	*dict
	text func(*dam.Asset) string
	of   []uint32 // by asset ID: the number of its text in dict
}

// wordColumns returns the text fields that rules and facets compare, without those that
// are almost unique per asset.
func wordColumns() map[string]*wordColumn {
	columns := map[string]*wordColumn{
		"mime_type":         {text: func(a *dam.Asset) string { return a.MIMEType }},
		"extension":         {text: func(a *dam.Asset) string { return a.Extension }},
		"file_category":     {text: func(a *dam.Asset) string { return string(a.FileCategory) }},
		"processing_status": {text: func(a *dam.Asset) string { return string(a.ProcessingStatus) }},
		fieldFolder:         {text: func(a *dam.Asset) string { return a.Folder }},
		"availability":      {text: func(a *dam.Asset) string { return string(a.Availability) }},
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

// noTime marks an unknown time.
const noTime = math.MinInt64

// order contains all assets, sorted by one field, then by ties, and then by ID.
type order struct {
	ids  []uint32
	by   func(id uint32) int64 // sort value, or
	keys *texts
	ties *texts                  // nil for none
	text func(*dam.Asset) string // source of the keys
}

func newColumns() *columns {
	c := &columns{
		live: roaring.New(), bin: roaring.New(), words: wordColumns(), moved: map[uint32]struct{}{},
		collator: collate.New(language.Und, collate.IgnoreCase, collate.Numeric),
	}
	by := func(s scalar) *order { return &order{by: func(id uint32) int64 { return c.numbers[s][id] }} }
	names := &texts{}
	byTime := func(s scalar) *order { // photos of the same moment by name: IMG_2 before IMG_10
		o := by(s)
		o.ties = names
		return o
	}
	c.orders = map[dam.Sort]*order{
		dam.SortCreatedAt:        byTime(created),
		dam.SortUpdatedAt:        byTime(updated),
		dam.SortCaptureDate:      byTime(captureLocal),
		dam.SortSize:             by(size),
		dam.SortRating:           by(rating),
		dam.SortUsageUntil:       {by: c.end},
		dam.SortTitle:            {keys: &texts{}, text: func(a *dam.Asset) string { return a.Title }},
		dam.SortOriginalFilename: {keys: names, text: func(a *dam.Asset) string { return a.OriginalFilename }},
	}
	return c
}

// manyChanges is the number of changes from which moving assets in the orders together is
// faster than one by one. If more than one in sortAgain assets has changed, sorting all
// of them is faster still.
const (
	manyChanges = 16
	sortAgain   = 4
)

// apply applies changes. Call sort after the last one.
func (c *columns) apply(changes []dam.Change) {
	together := c.unsorted || len(c.moved) > 0 || len(changes) >= manyChanges
	for _, ch := range changes {
		id := uint32(ch.AssetID)
		if together {
			c.place(id, ch.Asset)
			c.moved[id] = struct{}{}
		} else {
			c.move(id, ch.Asset)
		}
		c.seq = ch.Seq
	}
	c.unsorted = c.unsorted || len(c.moved) > len(c.has)/sortAgain
	c.recent.add(changes)
}

// place sets the fields of an asset, or removes it if it no longer exists.
func (c *columns) place(id uint32, a *dam.Asset) {
	c.live.Remove(id)
	c.bin.Remove(id)
	switch {
	case a == nil:
		if c.known(id) {
			c.has[id] = false
		}
		return
	case a.DeletedAt == nil:
		c.live.Add(id)
	default:
		c.bin.Add(id)
	}
	c.set(id, a)
}

// move is place, and moves the asset to its new position in each order.
func (c *columns) move(id uint32, a *dam.Asset) {
	at := map[*order]int{}
	if c.known(id) {
		for _, o := range c.orders {
			at[o], _ = o.find(id)
		}
	}
	c.place(id, a)
	for _, o := range c.orders {
		from, was := at[o]
		switch {
		case was && a != nil:
			o.move(from)
		case was:
			o.ids = slices.Delete(o.ids, from, from+1)
		case a != nil:
			o.insert(id)
		}
	}
}

func (c *columns) known(id uint32) bool { return int(id) < len(c.has) && c.has[id] }

// sort brings the orders up to date.
func (c *columns) sort() {
	if !c.unsorted && len(c.moved) == 0 {
		return
	}
	sort := func(o *order) { o.sort(c.all(dam.TrashedWith)) }
	if !c.unsorted {
		moved := make([]bool, len(c.has))
		var back []uint32
		for id := range c.moved {
			if c.known(id) {
				back = append(back, id)
			}
			if int(id) < len(moved) {
				moved[id] = true
			}
		}
		sort = func(o *order) { o.replace(moved, slices.Clone(back)) }
	}
	var wg sync.WaitGroup
	for _, o := range c.orders {
		wg.Go(func() { sort(o) })
	}
	wg.Wait()
	c.unsorted, c.moved = false, map[uint32]struct{}{}
}

// grow makes room for the assets below n.
func (c *columns) grow(n int) {
	if n <= len(c.has) {
		return
	}
	c.has = grown(c.has, n)
	for i := range c.numbers {
		c.numbers[i] = grown(c.numbers[i], n)
	}
	c.latitude, c.longitude, c.phash = grown(c.latitude, n), grown(c.longitude, n), grown(c.phash, n)
	c.title.grow(n)
	c.filename.grow(n)
	for _, w := range c.words {
		w.of = grown(w.of, n)
	}
	for _, o := range c.orders {
		if o.keys != nil {
			o.keys.grow(n)
		}
	}
}

// set stores the fields of an asset.
func (c *columns) set(id uint32, a *dam.Asset) {
	c.grow(int(id) + 1)
	c.has[id] = true
	instant, local := int64(noTime), int64(noTime)
	if t := a.CaptureDate; t != nil {
		instant, local = t.UnixMilli(), dam.LocalTime(t.Time).UnixMilli()
	}
	for s, v := range [scalars]int64{
		created: a.CreatedAt.UnixMilli(), updated: a.UpdatedAt.UnixMilli(), capture: instant, captureLocal: local,
		usageFrom: timeOf(a.UsageFrom), usageUntil: timeOf(a.UsageUntil), width: int64(a.Width), height: int64(a.Height),
		pages: int64(a.PageCount), size: a.FileSize, duration: a.DurationMS, rating: ratingOf(a), class: a.AssetClassID, batch: a.BatchID,
	} {
		c.numbers[s][id] = v
	}
	c.latitude[id], c.longitude[id] = placeAt(a.Location)
	c.phash[id] = a.PHash
	c.title.set(id, fold(a.Title))
	c.filename.set(id, fold(a.OriginalFilename))
	for _, w := range c.words {
		w.of[id] = w.number(w.text(a))
	}
	for _, o := range c.orders {
		if o.keys != nil {
			o.keys.set(id, c.key(o.text(a)))
		}
	}
}

// ratingOf returns a rating in the form of the columns.
func ratingOf(a *dam.Asset) int64 {
	if a.Rating == nil {
		return rating.none()
	}
	return *a.Rating
}

// placeAt returns coordinates in the form of the columns.
func placeAt(l *dam.Location) (latitude, longitude float64) {
	if l == nil || l.Latitude == nil || l.Longitude == nil {
		return math.NaN(), math.NaN()
	}
	return *l.Latitude, *l.Longitude
}

// timeOf returns a time in the form of the columns.
func timeOf(t *time.Time) int64 {
	if t == nil {
		return noTime
	}
	return t.UnixMilli()
}

// end returns the end of the usage period of an asset, math.MaxInt64 for none.
func (c *columns) end(id uint32) int64 {
	if t := c.numbers[usageUntil][id]; t != noTime {
		return t
	}
	return math.MaxInt64
}

// placeOf returns the place name of an asset.
func placeOf(a *dam.Asset) string {
	if a.Location == nil {
		return ""
	}
	return a.Location.Place
}

// key returns the sort key of a text: the order of Unicode (UTS 10), ignoring case and
// comparing digits as numbers. It omits trailing weights of letters without accents.
func (c *columns) key(s string) string {
	const plain = 0x20
	c.buffer.Reset()
	key := c.collator.KeyFromString(&c.buffer, s)
	for n := len(key); n >= 2 && key[n-1] == plain && key[n-2] == 0; n -= 2 {
		key = key[:n-2]
	}
	return string(key)
}

// all returns the assets in the trash, outside it, or both. The caller may change the
// set.
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

// where returns the assets for which fits returns true.
func (c *columns) where(fits func(id uint32) bool) *roaring.Bitmap {
	dense := make([]uint64, (len(c.has)+63)/64)
	for id, has := range c.has {
		if has && fits(uint32(id)) {
			dense[id/64] |= 1 << (id % 64)
		}
	}
	return roaring.FromDense(dense, false)
}

// page returns a page of a set in a sort order.
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
