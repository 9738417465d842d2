package search

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/digital-asset-library/dal/app/dam"
)

// ruled returns the assets of a smart collection, in the trash or not. Unless assets is
// nil, the result is correct for those only. The caller must not change the set.
//
// Results are cached. After changes, the rules are evaluated again only for the changed
// assets.
func (e *Engine) ruled(ctx context.Context, c *Collections, id int64, assets []int64) (*roaring.Bitmap, error) {
	r := c.Rules[id]
	if r == nil || r.Filter == nil {
		return roaring.New(), nil
	}
	key, state := e.rulesKey(c, r)
	e.colMu.RLock()
	at := e.columns.version()
	kept, late := e.ruleSets.get(key, state, e.columns)
	e.colMu.RUnlock()
	switch {
	case kept != nil && len(late) == 0:
		return kept, nil
	case kept != nil:
		assets = late
	case state != "": // a search cannot be limited to some assets
		assets = nil
	}
	q := dam.Query{Filter: r.Filter, WordsOnly: true, Exact: true, Schema: r.Schema}
	ev, err := e.prepare(ctx, q, Scope{Collections: &Collections{IDs: c.IDs}}, assets)
	if err != nil {
		return nil, fmt.Errorf("rules of collection %d: %w", id, err)
	}
	e.colMu.RLock()
	defer e.colMu.RUnlock()
	ev.c = e.columns
	set := roaring.And(ev.eval(r.Filter), ev.all())
	if kept != nil {
		set = patched(kept, set, late)
	}
	if (kept != nil || assets == nil) && at == e.columns.version() { // else a part of it may be older than the columns
		e.ruleSets.put(key, ruleSet{at, state, set})
	}
	return set, nil
}

// patched returns set with some assets replaced by their state in found. It changes
// neither.
func patched(set, found *roaring.Bitmap, of []int64) *roaring.Bitmap {
	differ := func(asset int64) bool { return set.Contains(uint32(asset)) != found.Contains(uint32(asset)) }
	if !slices.ContainsFunc(of, differ) {
		return set
	}
	set = set.Clone()
	for _, asset := range of {
		if id := uint32(asset); found.Contains(id) {
			set.Add(id)
		} else {
			set.Remove(id)
		}
	}
	return set
}

// rulesKey returns a key for rules, and the state of their dependencies outside the
// columns, such as the time: "" if there are none.
func (e *Engine) rulesKey(c *Collections, r *Rules) (key, state string) {
	key = r.Text
	if r.Filter.AboutCollections() {
		key += "\x00" + c.key()
	}
	state = r.Filter.Moves()
	if r.Filter.Searches() {
		e.textMu.RLock()
		defer e.textMu.RUnlock()
		state += fmt.Sprint(e.text.seq())
	}
	return key, state
}

// ruleSets caches the results of smart collections. When full, it is cleared.
type ruleSets struct {
	mu    sync.Mutex
	sets  map[string]ruleSet
	bytes uint64
}

type ruleSet struct {
	at     version
	state  string
	assets *roaring.Bitmap
}

// get returns the cached result of rules and the assets that have changed since; nil if
// all assets have to be evaluated.
func (s *ruleSets) get(key, state string, c *columns) (set *roaring.Bitmap, late []int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, ok := s.sets[key]
	if !ok || r.state != state || r.at.of != c || state != "" && r.at.seq != c.seq {
		return nil, nil
	}
	late, ok = c.recent.since(r.at.seq)
	if !ok {
		return nil, nil
	}
	return r.assets, late
}

func (s *ruleSets) put(key string, r ruleSet) {
	s.mu.Lock()
	defer s.mu.Unlock()
	size := func(r ruleSet) uint64 { return r.assets.GetSizeInBytes() + uint64(len(key)+len(r.state)) }
	if old, ok := s.sets[key]; ok {
		if old.at.of == r.at.of && old.at.seq > r.at.seq { // another was faster
			return
		}
		s.bytes -= size(old)
	} else if len(s.sets) >= maxCachedRules {
		s.sets, s.bytes = nil, 0
	}
	if s.bytes += size(r); s.sets == nil || s.bytes > maxCachedBytes {
		s.sets, s.bytes = map[string]ruleSet{}, size(r)
	}
	s.sets[key] = r
}

// recent contains the assets that changed after a sequence number.
type recent struct {
	after   int64
	changes []seqAsset // by sequence number
}

type seqAsset struct{ seq, asset int64 }

// maxRecent is the minimum number of changes that are kept, and half of the maximum.
const maxRecent = 2048

func (r *recent) add(changes []dam.Change) {
	for _, c := range changes[max(0, len(changes)-2*maxRecent):] {
		r.changes = append(r.changes, seqAsset{c.Seq, c.AssetID})
	}
	if n := len(changes) - 2*maxRecent; n > 0 {
		r.changes = slices.Clone(r.changes[len(r.changes)-2*maxRecent:])
		r.after = changes[n-1].Seq
	} else if n := len(r.changes) - maxRecent; n > maxRecent {
		r.after = r.changes[n-1].seq
		r.changes = slices.Clone(r.changes[n:])
	}
}

// since returns the distinct assets that have changed after a sequence number; ok is
// false if that is too long ago.
func (r *recent) since(seq int64) (assets []int64, ok bool) {
	if seq < r.after {
		return nil, false
	}
	n, _ := slices.BinarySearchFunc(r.changes, seq+1, func(c seqAsset, seq int64) int { return cmp.Compare(c.seq, seq) })
	for _, c := range r.changes[n:] {
		assets = append(assets, c.asset)
	}
	slices.Sort(assets)
	return slices.Compact(assets), true
}
