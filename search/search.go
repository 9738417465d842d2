package search

import (
	"context"
	"fmt"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/digital-asset-library/dal/app/dam"
)

// Result is the result of a query.
type Result struct {
	Total int // number of all matches
	Hits  []Hit
	// TextLag is the number of changes missing from the text index.
	TextLag int64
	Meaning dam.Meaning
	Matches dam.Matches // of a query with a text
	// UnknownPrefixes contains names before a colon in the text that look like the name of
	// a field, but are not.
	UnknownPrefixes []string
	// Query is the interpretation of the text; nil without one.
	Query *dam.ParsedQuery
	// Facets contains the values in the result for each requested facet.
	Facets map[string][]dam.FacetValue
	// Highlight marks the matches of the text in an asset; nil without a text.
	Highlight *Highlighter
}

// Hit is one asset of a result.
type Hit struct {
	AssetID int64
	Score   float64 // relevance to the text, higher is better; 0 without one
	// MatchedOn contains the fields that the text matched, "meaning" for semantic matches,
	// and "synonym" if the asset has none of the words but synonyms of them.
	MatchedOn []string
}

// Search answers a query. Any text is valid: invalid syntax is searched for as words.
func (e *Engine) Search(ctx context.Context, q dam.Query, in Scope) (*Result, error) {
	if err := e.refresh(ctx); err != nil {
		return nil, fmt.Errorf("refresh columns: %w", err)
	}
	r := &Result{Meaning: e.vectors.state()}
	set, ranking, err := e.find(ctx, q, in, r)
	if err != nil {
		return nil, err
	}
	defer ranking.free()
	if len(q.Facets) > 0 {
		if r.Facets, err = e.facets(ctx, set, q.Facets, in); err != nil {
			return nil, err
		}
	}
	e.page(q, in.Order, set, ranking, r)
	return r, nil
}

// IDs returns all assets that match a query, in ascending order, and the interpretation
// of its text.
func (e *Engine) IDs(ctx context.Context, q dam.Query, in Scope) ([]int64, *dam.ParsedQuery, error) {
	if err := e.refreshAll(ctx); err != nil {
		return nil, nil, fmt.Errorf("refresh columns: %w", err)
	}
	q.Page = dam.Page{} // unordered
	r := &Result{}
	set, ranking, err := e.find(ctx, q, in, r)
	if err != nil {
		return nil, nil, err
	}
	defer ranking.free()
	ids := make([]int64, 0, set.GetCardinality())
	for it := set.Iterator(); it.HasNext(); {
		ids = append(ids, int64(it.Next()))
	}
	return ids, r.Query, nil
}

// find returns all assets that match a query, and their ranking. It sets the fields of r
// about the text.
func (e *Engine) find(ctx context.Context, q dam.Query, in Scope, r *Result) (*roaring.Bitmap, *ranking, error) {
	set, weight, err := e.filter(ctx, q, in)
	if err != nil {
		return nil, nil, err
	}
	ranking := &ranking{weight: weight}
	clauses, unknown, err := e.parse(ctx, q)
	if err != nil {
		return nil, nil, err
	}
	r.UnknownPrefixes, r.Query = unknown, understood(clauses)
	if len(clauses) > 0 {
		if err := e.legs(ctx, q, clauses, set, r, ranking); err != nil {
			return nil, nil, err
		}
		var also map[string]bool
		if ranking.text != nil {
			also = ranking.text.also
		}
		r.Highlight = e.highlighter(clauses, also)
		return ranking.within, ranking, nil
	}
	if q.HasText() { // but no searchable words
		set = roaring.New()
	}
	return set, ranking, nil
}

// filter returns the assets that match a query, ignoring its text, and the scores of
// rules that match to a degree. The caller may change the set.
func (e *Engine) filter(ctx context.Context, q dam.Query, in Scope) (*roaring.Bitmap, []float32, error) {
	ev, err := e.prepare(ctx, q, in, nil)
	if err != nil {
		return nil, nil, fmt.Errorf("evaluate filter: %w", err)
	}
	e.colMu.RLock()
	defer e.colMu.RUnlock()
	ev.c = e.columns
	set := e.columns.all(q.Trashed)
	if in.Among != nil {
		set.And(bitmapOf(in.Among))
	}
	if q.Filter != nil {
		set.And(ev.eval(q.Filter))
	}
	return set, ev.weight, nil
}

func bitmapOf(ids []int64) *roaring.Bitmap {
	set := roaring.New()
	for _, id := range ids {
		set.Add(uint32(id))
	}
	return set
}

// prepare evaluates the rules of a query's filter that need more than memory, and loads
// the columns for the others: for some assets, or for all if assets is nil.
func (e *Engine) prepare(ctx context.Context, q dam.Query, in Scope, assets []int64) (*evaluation, error) {
	ev := &evaluation{
		q: q, cache: e.cache, found: map[*dam.Filter]*roaring.Bitmap{},
		batches: in.Batches, picks: in.Picks, outside: in.Outside, collections: in.Collections, ruled: map[int64]*roaring.Bitmap{},
		assets: assets,
	}
	var fields []string
	for _, rule := range q.Filter.Leaves() {
		if c := columnOf(rule); c != "" && !rule.Searches() {
			fields = append(fields, c)
		}
		if err := e.prepareRule(ctx, rule, ev); err != nil {
			return nil, err
		}
	}
	var err error
	ev.held, err = e.ensure(ctx, fields)
	return ev, err
}

// prepareRule evaluates a rule that needs more than memory, and skips the others.
func (e *Engine) prepareRule(ctx context.Context, rule *dam.Filter, ev *evaluation) (err error) {
	switch {
	case rule.Operator == dam.OpHybridSearch && ev.q.Exact:
		return e.exactRule(ctx, rule, ev)
	case rule.Searches():
		return e.searchRule(ctx, rule, ev)
	case isLong(rule.Field.Name) && rule.Field.Type == dam.FilterText:
		ev.found[rule], err = e.longRule(ctx, rule, ev.assets)
	case rule.AboutCollections():
		for _, id := range ev.collections.needed(rule) {
			if ev.ruled[id], err = e.ruled(ctx, ev.collections, id, ev.assets); err != nil {
				return err
			}
		}
	}
	return err
}

// longRule evaluates a rule about a long text, from the cache if possible.
func (e *Engine) longRule(ctx context.Context, f *dam.Filter, assets []int64) (*roaring.Bitmap, error) {
	e.colMu.RLock()
	at := e.columns.version()
	e.colMu.RUnlock()
	key := "long " + ruleKey(f)
	if set := e.cache.get(at, key); set != nil {
		return set, nil
	}
	set, err := longText(ctx, e.src, f, assets)
	if err == nil && assets == nil {
		e.cache.put(at, key, set)
	}
	return set, err
}

// searchRule evaluates a rule that searches: exact_search for a phrase, hybrid_search for
// words and, across all fields, also by meaning.
func (e *Engine) searchRule(ctx context.Context, f *dam.Filter, ev *evaluation) error {
	text := f.Value.Texts[0]
	fields := fieldsNamed(f.Field.Name)
	if f.Field.Type == dam.FilterMetadata {
		fields = fieldsNamed(fieldMetadata)
	}
	m, _, err := e.withText(ctx, func(t *textIndex) (*matches, error) {
		return t.searchField(ctx, text, fields, f.Operator == dam.OpExactSearch)
	})
	if err != nil {
		return err
	}
	ids := m.ids
	if f.Field.Type == dam.FilterMetadata {
		if ids, err = e.inCustomField(ctx, f, ids); err != nil {
			return err
		}
	}
	ev.weigh(ids, m.points)
	if f.Field.Type == dam.FilterAll && f.Operator == dam.OpHybridSearch {
		e.colMu.RLock()
		live := e.columns.all(dam.TrashedWith)
		e.colMu.RUnlock()
		near, _ := e.vectors.search(ctx, text, live, e.log)
		ids = ids.Clone()
		for _, n := range near {
			if n.enough {
				ids.Add(n.id)
			}
		}
	}
	ev.found[f] = ids
	return nil
}

// exactRule evaluates hybrid_search in an exact query, with the same syntax as the
// query's text. In a rule about one field, names of fields are words.
func (e *Engine) exactRule(ctx context.Context, f *dam.Filter, ev *evaluation) error {
	q := dam.Query{Text: f.Value.Texts[0], WordsOnly: ev.q.WordsOnly, Exact: true, Schema: ev.q.Schema}
	clauses, _, err := e.parse(ctx, q)
	if err != nil {
		return err
	}
	if f.Field.Type != dam.FilterAll {
		q.Text = "" // which could be a GAID
		for i := range clauses {
			if err := e.tie(ctx, &clauses[i], f, q.Schema); err != nil {
				return err
			}
		}
	}
	ev.found[f] = roaring.New()
	if len(clauses) == 0 {
		return nil
	}
	e.colMu.RLock()
	all := e.columns.all(dam.TrashedWith)
	e.colMu.RUnlock()
	ranking := &ranking{}
	defer ranking.free()
	if err := e.legs(ctx, q, clauses, all, &Result{}, ranking); err != nil {
		return err
	}
	ev.found[f] = ranking.within
	if ranking.text != nil {
		ev.weigh(roaring.And(ranking.within, ranking.text.ids), ranking.text.points)
	}
	return nil
}

// tie restricts a clause to the field of a rule.
func (e *Engine) tie(ctx context.Context, c *clause, f *dam.Filter, schema *dam.Schema) error {
	if c.name != "" {
		c.text = c.name + ":" + c.text
	}
	c.name, c.key, c.within = "", "", nil
	if f.Field.Type != dam.FilterMetadata {
		c.fields = fieldsNamed(f.Field.Name)
		return nil
	}
	c.fields, c.key = fieldsNamed(fieldMetadata), f.Field.Name
	return e.inKey(ctx, c, schema)
}

// weigh adds the points of assets that a rule found.
func (ev *evaluation) weigh(ids *roaring.Bitmap, points []float32) {
	if ids.IsEmpty() {
		return
	}
	ev.weight = grown(ev.weight, int(ids.Maximum())+1)
	each(ids, func(id uint32) { ev.weight[id] += points[id] })
}

// withText runs a search of the text index, after indexing the changes that the search
// has to include unless there are too many.
func (e *Engine) withText(ctx context.Context, search func(*textIndex) (*matches, error)) (*matches, int64, error) {
	last, err := e.src.LastSeq(ctx)
	if err != nil {
		return nil, 0, err
	}
	e.textMu.RLock()
	defer e.textMu.RUnlock()
	want := e.awaited(last)
	if lag := want - e.text.seq(); lag > 0 && lag <= smallLag && !e.held() {
		if err := e.text.upTo(ctx, e.src, want); err != nil {
			if ctx.Err() != nil {
				return nil, 0, err
			}
			e.unwritten(ctx, err)
		}
	}
	m, err := search(e.text)
	if err != nil {
		return nil, 0, fmt.Errorf("search text: %w", err)
	}
	return m, max(0, last-e.text.seq()), nil
}

// legs runs keyword and semantic search, concurrently unless the words demand or exclude
// something, and adds both results to ranking.
func (e *Engine) legs(ctx context.Context, q dam.Query, clauses []clause, set *roaring.Bitmap, r *Result, ranking *ranking) error {
	text := meaningText(clauses)
	if q.WordsOnly && q.Limit == 0 {
		text = "" // meaning would only change the order, which is not requested
	}
	wait, demands := false, false
	for _, c := range clauses {
		wait = wait || c.not || c.must()
		demands = demands || !c.not && (c.demands() || c.required)
	}
	meaning := make(chan []near, 1)
	look := func(within *roaring.Bitmap) {
		near, state := e.vectors.search(ctx, text, within, e.log)
		r.Meaning = state
		meaning <- near
	}
	if !wait {
		go look(set)
	}
	m, lag, err := e.withText(ctx, func(t *textIndex) (*matches, error) {
		if m, err := t.searchGAID(ctx, q.Text); err != nil || m != nil {
			return m, err
		}
		return t.searchClauses(ctx, clauses, !q.WordsOnly && text != "" && e.vectors.state().Searches())
	})
	if err != nil {
		if !wait {
			<-meaning
		}
		return err
	}
	r.TextLag = lag
	if m.not != nil {
		set = roaring.AndNot(set, m.not)
	}
	if m.any {
		ranking.within = set
		r.Matches.Words = int(set.GetCardinality())
		return nil
	}
	ranking.text = m
	ranking.within = roaring.And(set, m.ids)
	if wait {
		if m.must != nil && demands { // an exact text alone does not restrict semantic results
			set = roaring.And(set, m.must)
		}
		look(set)
	}
	r.Matches.Words = int(ranking.within.GetCardinality())
	if found := <-meaning; !ranking.isName() {
		e.colMu.RLock()
		assets := e.columns.live.GetCardinality()
		e.colMu.RUnlock()
		ranking.mean(found, q.WordsOnly, assets)
	}
	r.Matches.Meaning = int(ranking.within.GetCardinality()) - r.Matches.Words
	return nil
}

// page sets the total and the hits of the requested page.
func (e *Engine) page(q dam.Query, order []int64, set *roaring.Bitmap, ranking *ranking, r *Result) {
	e.colMu.RLock()
	defer e.colMu.RUnlock()
	r.Total = int(set.GetCardinality())
	q.Offset = min(max(q.Offset, 0), r.Total)
	if q.Limit = min(q.Limit, r.Total-q.Offset); q.Limit <= 0 {
		return
	}
	ids := e.inOrder(q, order, set, ranking)
	r.Hits = make([]Hit, len(ids))
	for i, id := range ids {
		r.Hits[i] = Hit{AssetID: int64(id), Score: float64(ranking.points(id)), MatchedOn: ranking.matchedOn(id)}
	}
}

// pageOf returns a page of a set in a given order. Assets missing from the order come
// last, or first when descending.
func pageOf(order []int64, set *roaring.Bitmap, desc bool, offset, limit int) []uint32 {
	left := set.Clone()
	ids := make([]uint32, 0, set.GetCardinality())
	for _, id := range order {
		if left.CheckedRemove(uint32(id)) {
			ids = append(ids, uint32(id))
		}
	}
	ids = append(ids, left.ToArray()...)
	if desc {
		slices.Reverse(ids)
	}
	return ids[offset : offset+limit]
}
