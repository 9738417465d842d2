package search

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/digital-asset-library/dal/app/dam"
)

// An evaluation computes the set of assets that match a filter tree: each rule is a
// bitmap, a group their intersection or union. Rules about rows and columns are evaluated
// in memory while the rows are locked; the results of rules about long texts and of rules
// that search are computed before, in found.
type evaluation struct {
	q     dam.Query // contains the filter
	c     *columns
	held  held
	cache *ruleCache
	found map[*dam.Filter]*roaring.Bitmap

	batches     *Batches
	picks       Picks
	outside     map[*dam.Filter]Found
	collections *Collections
	ruled       map[int64]*roaring.Bitmap // by ID: assets of the smart collections that a rule needs

	// assets restricts the evaluation; nil for all. Sets need to be correct for these
	// only.
	assets []int64

	// weight is the sum of scores from rules that match to a degree, by asset ID: colours,
	// and rules that search. It is empty if no such rule matched.
	weight []float32
}

// columnOf returns the name of the column that a rule reads, "" for none.
func columnOf(f *dam.Filter) string {
	switch f.Field.Type {
	case dam.FilterSet, dam.FilterIDs, dam.FilterColors:
		return f.Field.Name
	case dam.FilterMetadata:
		return "metadata." + f.Field.Name
	case dam.FilterUsers:
		return f.Field.Name
	}
	switch f.Field.Name {
	case fieldCamera, fieldLens, fieldISO, fieldFocalLength, fieldFileVersion, fieldDeletedAt:
		return f.Field.Name
	}
	return ""
}

// isLong reports whether a field is read from the records for each query.
func isLong(field string) bool {
	return field == fieldOCRText || slices.ContainsFunc(dam.AssetFields(), func(f dam.AssetField) bool { return f.Long && f.Name == field })
}

// longText evaluates a rule about a long text, for the given assets, or for all if assets
// is nil.
func longText(ctx context.Context, src Source, f *dam.Filter, assets []int64) (*roaring.Bitmap, error) {
	op, _ := f.Operator.Positive()
	fits := textTest(op, f.Value.Texts)
	var ids []uint32
	err := src.Values(ctx, f.Field.Name, assets, func(asset int64, v any) {
		if s, _ := v.(string); strings.TrimSpace(s) != "" && (op == dam.OpIsEmpty || fits(fold(s))) {
			ids = append(ids, uint32(asset))
		}
	})
	set := roaring.New()
	set.AddMany(ids)
	return set, err
}

// eval returns the assets that match a tree. The caller must not change the set.
func (e *evaluation) eval(f *dam.Filter) *roaring.Bitmap {
	if !f.Group {
		return e.rule(f)
	}
	if f.Not {
		return roaring.AndNot(e.all(), e.eval(&dam.Filter{Group: true, Any: true, Rules: f.Rules}))
	}
	switch {
	case len(f.Rules) == 0 && f.Any: // no rule can match
		return roaring.New()
	case len(f.Rules) == 0:
		return e.all()
	}
	sets := make([]*roaring.Bitmap, len(f.Rules))
	for i, r := range f.Rules {
		sets[i] = e.eval(r)
	}
	if f.Any {
		return roaring.FastOr(sets...)
	}
	return roaring.FastAnd(sets...)
}

// rule returns the assets that match a rule.
func (e *evaluation) rule(f *dam.Filter) *roaring.Bitmap {
	if f.Operator == dam.OpColorEquals || f.Operator == dam.OpColorNear {
		set, weights := e.held.palette.near(*f.Value.Color)
		if len(e.weight) == 0 {
			e.weight = weights
			return set
		}
		e.weight = grown(e.weight, len(weights))
		each(set, func(id uint32) { e.weight[id] += weights[id] })
		return set
	}
	if f.AboutCollections() {
		return e.collectionRule(f)
	}
	if f.AboutPicks() {
		return e.pickRule(f)
	}
	if f.Outside() {
		return e.outsideRule(f)
	}
	op, negative := f.Operator.Positive()
	if set, ok := e.found[f]; ok { // not cached: it may be older than the rows
		if op == dam.OpIsEmpty { // found contains the assets with a text
			negative = !negative
		}
		if negative {
			set = roaring.AndNot(e.all(), set)
		}
		return set
	}
	key := ruleKey(f)
	if f.AboutBatches() {
		key += e.batches.key()
	}
	return e.cached(key, func() *roaring.Bitmap {
		set := e.positive(f, op)
		if negative {
			set = roaring.AndNot(e.all(), set)
		}
		return set
	})
}

// cached returns a set from the cache, or computes and caches it.
func (e *evaluation) cached(key string, find func() *roaring.Bitmap) *roaring.Bitmap {
	if set := e.cache.get(e.c.version(), key); set != nil {
		return set
	}
	set := find()
	if e.assets == nil {
		e.cache.put(e.c.version(), key, set)
	}
	return set
}

// all returns all assets under evaluation.
func (e *evaluation) all() *roaring.Bitmap {
	if e.assets != nil {
		return e.where(func(uint32) bool { return true })
	}
	return e.c.all(dam.TrashedWith)
}

// where returns the assets under evaluation for which fits returns true.
func (e *evaluation) where(fits func(id uint32) bool) *roaring.Bitmap {
	if e.assets == nil {
		return e.c.where(fits)
	}
	set := roaring.New()
	for _, asset := range e.assets {
		if id := uint32(asset); e.c.known(id) && fits(id) {
			set.Add(id)
		}
	}
	return set
}

// ruleKey returns the cache key of a rule; equal rules have equal keys.
func ruleKey(f *dam.Filter) string { return fmt.Sprintf("%#v %q %#v", f.Field, f.Operator, f.Value) }

func (e *evaluation) positive(f *dam.Filter, op dam.FilterOperator) *roaring.Bitmap {
	name, v := f.Field.Name, f.Value
	if col := e.held.columns[columnOf(f)]; col != nil {
		return e.values(col, f, op)
	}
	switch f.Field.Type {
	case dam.FilterText, dam.FilterPlain, dam.FilterEnum:
		fits := textTest(op, v.Texts)
		if op == dam.OpIsEmpty {
			fits = func(s string) bool { return strings.TrimSpace(s) == "" }
		}
		switch name {
		case "title":
			return e.where(func(id uint32) bool { return fits(e.c.title.get(id)) })
		case "original_filename":
			return e.where(func(id uint32) bool { return fits(e.c.filename.get(id)) })
		case "orientation":
			return e.where(func(id uint32) bool {
				return fits(string(dam.OrientationOf(e.c.numbers[width][id], e.c.numbers[height][id])))
			})
		}
		if name == fieldFolder && op == dam.OpStartsWith { // with a trailing slash, the prefix matches the folder and its subfolders
			begins := fits
			fits = func(s string) bool { return s != "" && begins(s+"/") }
		}
		words := e.c.words[name]
		which := words.which(fits)
		return e.where(func(id uint32) bool { return which[words.of[id]] })
	case dam.FilterNumber:
		number := e.c.numberOf(name, e.batches)
		if op == dam.OpIsEmpty {
			return e.where(func(id uint32) bool { _, ok := number(id); return !ok })
		}
		fits := numberTest(op, v.Numbers)
		return e.where(func(id uint32) bool { n, ok := number(id); return ok && fits(n) })
	case dam.FilterDate, dam.FilterDay:
		instants, days := e.c.dates(name)
		if op == dam.OpIsEmpty {
			return e.where(func(id uint32) bool { return instants[id] == noTime })
		}
		fits := dateTest(op, v.Dates)
		return e.where(func(id uint32) bool { return instants[id] != noTime && fits(instants[id], days[id]) })
	default: // colors is_empty
		return e.where(func(id uint32) bool { return !e.held.palette.has(id) })
	}
}

// values evaluates a rule about a field with several values: equals compares the whole
// set, all other operators match any member.
func (e *evaluation) values(col *valueColumn, f *dam.Filter, op dam.FilterOperator) *roaring.Bitmap {
	of, v := col.of.get, f.Value
	if op == dam.OpIsEmpty {
		return e.where(func(id uint32) bool { return len(of(id)) == 0 })
	}
	if op == dam.OpEquals && len(v.Dates) == 0 {
		want := wanted(v)
		member := make([]int, len(col.values)) // index of the wanted item that equals the value, -1 for none
		for i := range col.values {
			n, ok := col.values[i].among(want)
			if !ok {
				n = -1
			}
			member[i] = n
		}
		seen := make([]bool, len(want))
		return e.where(func(id uint32) bool {
			clear(seen)
			n := 0
			for _, x := range of(id) {
				m := member[x]
				if m < 0 {
					return false
				}
				if !seen[m] {
					seen[m] = true
					n++
				}
			}
			return n == len(want)
		})
	}
	fits := valueTest(op, v)
	which := col.which(fits)
	listed := which
	if op == dam.OpContains { // matches a member of a list, but a part of a text
		listed = col.which(valueTest(dam.OpIn, v))
	}
	isSet := f.Field.Type == dam.FilterSet
	return e.where(func(id uint32) bool {
		w := which
		if ids := of(id); len(ids) > 0 && (isSet || col.isList(id)) {
			w = listed
		}
		return slices.ContainsFunc(of(id), func(x uint32) bool { return w[x] })
	})
}

// key returns the form in which values are compared: for a text its folded form.
func (v *value) key() any {
	if v.isText {
		return v.folded
	}
	return v.raw
}

// among returns the index of the wanted item that equals a value. A number or a boolean
// may be wanted as text too.
func (v *value) among(want map[any]int) (int, bool) {
	n, ok := want[v.key()]
	if !ok && !v.isText {
		n, ok = want[v.folded]
	}
	return n, ok
}

// wanted numbers the distinct items of a rule's value, in the form of value.key.
func wanted(v dam.FilterValue) map[any]int {
	want := map[any]int{}
	add := func(item any) {
		if _, ok := want[item]; !ok {
			want[item] = len(want)
		}
	}
	for _, s := range v.Texts {
		add(fold(s))
	}
	for _, n := range v.Numbers {
		add(n)
	}
	for _, b := range v.Bools {
		add(b)
	}
	for _, id := range v.IDs {
		add(id)
	}
	return want
}

// valueTest returns a test for one value of a field with several values or of a custom
// field.
func valueTest(op dam.FilterOperator, v dam.FilterValue) func(*value) bool {
	if len(v.Dates) > 0 {
		fits := dateTest(op, v.Dates)
		return func(x *value) bool {
			s, _ := x.raw.(string)
			d, ok := dam.ParseDateRange(s)
			return ok && fits(d.From, d.From)
		}
	}
	switch op {
	case dam.OpIn:
		want := wanted(v)
		return func(x *value) bool { _, ok := x.among(want); return ok }
	case dam.OpContains, dam.OpStartsWith, dam.OpEndsWith:
		fits := textTest(op, v.Texts)
		return func(x *value) bool { return fits(x.folded) }
	}
	fits := numberTest(op, v.Numbers)
	return func(x *value) bool { _, ok := x.raw.(float64); return ok && fits(x.number) }
}

// textTest returns a test for folded texts.
func textTest(op dam.FilterOperator, texts []string) func(string) bool {
	want := make([]string, len(texts))
	for i, s := range texts {
		want[i] = fold(s)
	}
	switch op {
	case dam.OpContains:
		return func(s string) bool { return strings.Contains(s, want[0]) }
	case dam.OpStartsWith:
		return func(s string) bool { return strings.HasPrefix(s, want[0]) }
	case dam.OpEndsWith:
		return func(s string) bool { return strings.HasSuffix(s, want[0]) }
	default: // equals and in
		return func(s string) bool { return slices.Contains(want, s) }
	}
}

func numberTest(op dam.FilterOperator, want []float64) func(float64) bool {
	switch op {
	case dam.OpGreaterThan:
		return func(n float64) bool { return n > want[0] }
	case dam.OpGreaterThanOrEqual:
		return func(n float64) bool { return n >= want[0] }
	case dam.OpLessThan:
		return func(n float64) bool { return n < want[0] }
	case dam.OpLessThanOrEqual:
		return func(n float64) bool { return n <= want[0] }
	case dam.OpBetween:
		return func(n float64) bool { return n >= want[0] && n <= want[1] }
	default: // equals and in
		return func(n float64) bool { return slices.Contains(want, n) }
	}
}

// dateTest returns a test of a time against days or instants. To be after a day is to be
// after its end. Days are compared with the local time, which differs from the instant if
// the UTC offset is known.
func dateTest(op dam.FilterOperator, want []dam.DateRange) func(instant, local int64) bool {
	from := func(d dam.DateRange, instant, local int64) bool { // d has begun
		if d.IsDay {
			return local >= d.From
		}
		return instant >= d.From
	}
	past := func(d dam.DateRange, instant, local int64) bool {
		return from(dam.DateRange{From: d.To, IsDay: d.IsDay}, instant, local)
	}
	switch op {
	case dam.OpGreaterThan:
		return func(t, local int64) bool { return past(want[0], t, local) }
	case dam.OpGreaterThanOrEqual:
		return func(t, local int64) bool { return from(want[0], t, local) }
	case dam.OpLessThan:
		return func(t, local int64) bool { return !from(want[0], t, local) }
	case dam.OpLessThanOrEqual:
		return func(t, local int64) bool { return !past(want[0], t, local) }
	case dam.OpBetween:
		return func(t, local int64) bool { return from(want[0], t, local) && !past(want[1], t, local) }
	default: // equals and in
		return func(t, local int64) bool {
			return slices.ContainsFunc(want, func(d dam.DateRange) bool { return from(d, t, local) && !past(d, t, local) })
		}
	}
}
