package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/philippgille/chromem-go"

	"github.com/digital-asset-library/dal/app/dam"
)

// Vector is the meaning of an asset's text: a direction, of length one.
type Vector struct {
	AssetID int64
	Values  []float32
}

// near is an asset and how near its meaning is to what a probe asks for.
type near struct {
	id      uint32
	product float32 // of its vector and the probe's
	over    float32 // by how much that is more than what does not count any more
	enough  bool    // to be found for that alone
}

const (
	// scanPart is how many vectors are worth another goroutine.
	scanPart = 10_000
	// maxQueries is how many queries have their vectors cached.
	maxQueries = 512
	// modelPause is how long a model that did not answer is left alone, and
	// queryTimeout how long a search waits for it.
	modelPause   = 10 * time.Second
	queryTimeout = 3 * time.Second
)

// vectors is the search by meaning. All vectors are in memory, in a collection of
// chromem-go; byID, by asset ID, shares them. The collection's own search reads
// all of them through a channel and cannot be limited to a set of IDs: over 100,000
// vectors it takes 120 ms, nearest takes 25.
type vectors struct {
	embedder Embedder
	ready    atomic.Bool
	changed  atomic.Int64 // the latest change there is
	read     atomic.Int64 // up to which change the texts have been read
	puts     atomic.Int64 // counts changes of the vectors
	pause    atomic.Int64 // until when the model is left alone, Unix milliseconds

	mu         sync.RWMutex
	collection *chromem.Collection
	byID       [][]float32
	queries    map[string]*queryVector
	background *background
}

// queryVector is the vector of a query, and what that is near to.
type queryVector struct {
	values []float32
	probe  probe
	puts   int64 // when the probe was made
}

func newVectors(embedder Embedder) (*vectors, error) {
	v := &vectors{embedder: embedder}
	return v, v.clear()
}

// clear forgets all vectors.
func (v *vectors) clear() error {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.puts.Add(1)
	v.byID, v.queries, v.background = nil, map[string]*queryVector{}, nil
	var err error
	v.collection, err = chromem.NewDB().CreateCollection("assets", nil, func(context.Context, string) ([]float32, error) {
		return nil, errors.New("the collection is given vectors, not texts")
	})
	return err
}

// PutVectors sets the meanings of assets; the last one of an asset counts.
func (e *Engine) PutVectors(ctx context.Context, list []Vector) error {
	v := e.vectors
	for _, x := range list {
		if len(x.Values) == 0 {
			return fmt.Errorf("the vector of asset %d has no dimension", x.AssetID)
		}
		if err := v.all().AddDocument(ctx, chromem.Document{ID: vectorID(x.AssetID), Embedding: x.Values}); err != nil {
			return err
		}
		v.mu.Lock()
		if n := int(x.AssetID) + 1; n > len(v.byID) {
			v.byID = slices.Grow(v.byID, n-len(v.byID))[:n]
		}
		v.byID[x.AssetID] = x.Values
		v.mu.Unlock()
	}
	v.puts.Add(1)
	return nil
}

// RemoveVectors forgets the meanings of assets.
func (e *Engine) RemoveVectors(ctx context.Context, assets []int64) error {
	return e.vectors.remove(ctx, assets)
}

// ForgetVectors forgets all vectors of assets and queries, after a change of
// model.
func (e *Engine) ForgetVectors() error { return e.vectors.clear() }

// VectorDimension returns how many numbers a vector has, 0 when there is none.
func (e *Engine) VectorDimension() int { return e.vectors.dimension() }

// MeaningReady tells the engine that all existing vectors have been put.
func (e *Engine) MeaningReady() { e.vectors.ready.Store(true) }

// MeaningRead tells the engine up to which change the vectors are those of the texts.
func (e *Engine) MeaningRead(seq int64) { e.vectors.read.Store(seq) }

// all returns the collection of all vectors.
func (v *vectors) all() *chromem.Collection {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return v.collection
}

func vectorID(asset int64) string { return strconv.FormatInt(asset, 10) }

func (v *vectors) remove(ctx context.Context, assets []int64) error {
	var ids []string
	v.mu.Lock()
	for _, id := range assets {
		if int(id) < len(v.byID) && v.byID[id] != nil {
			v.byID[id] = nil
			ids = append(ids, vectorID(id))
		}
	}
	v.mu.Unlock()
	if len(ids) == 0 {
		return nil
	}
	defer v.puts.Add(1)
	return v.all().Delete(ctx, nil, nil, ids...)
}

func (v *vectors) state() dam.Meaning {
	switch {
	case v.embedder == nil:
		return dam.MeaningOff
	case !v.ready.Load():
		return dam.MeaningLoading
	case time.Now().UnixMilli() < v.pause.Load():
		return dam.MeaningUnavailable
	case v.read.Load() < v.changed.Load():
		return dam.MeaningIndexing
	}
	return dam.MeaningReady
}

// search returns the assets of a set that mean what a text says, best first. If
// that is not possible, the state says so and the search goes on with words alone.
func (v *vectors) search(ctx context.Context, text string, within *roaring.Bitmap, log *slog.Logger) ([]near, dam.Meaning) {
	state := v.state()
	if !state.Searches() || text == "" || within.IsEmpty() {
		return nil, state
	}
	q, err := v.query(ctx, text)
	if err == nil && q.values == nil {
		return nil, state
	}
	var found []near
	if err == nil {
		found = v.nearest(q.probe, maxNear, within)
	}
	if err != nil {
		v.failed(ctx, err, log)
		return nil, dam.MeaningUnavailable
	}
	return found, state
}

// failed leaves the model alone for a while, unless the caller gave up.
func (v *vectors) failed(ctx context.Context, err error, log *slog.Logger) {
	if ctx.Err() == nil {
		v.pause.Store(time.Now().Add(modelPause).UnixMilli())
		log.WarnContext(ctx, "search by meaning is not available; searching words alone", "err", err)
	}
}

// query returns the vector of a query.
func (v *vectors) query(ctx context.Context, text string) (*queryVector, error) {
	v.mu.RLock()
	q := v.queries[text]
	v.mu.RUnlock()
	puts := v.puts.Load()
	if q != nil && q.puts == puts {
		return q, nil
	}
	unrelated, err := v.unrelated(ctx)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, queryTimeout)
	defer cancel()
	var values []float32
	if q != nil {
		values = q.values
	} else if values, err = v.embedQuery(ctx, text); err != nil {
		return nil, err
	}
	q = &queryVector{values: values, puts: puts}
	if values != nil {
		if len(unrelated.mean) != len(values) {
			return nil, fmt.Errorf("the model gave %d dimensions and then %d", len(unrelated.mean), len(values))
		}
		if d := v.dimension(); d != 0 && d != len(values) {
			return nil, fmt.Errorf("the query has %d dimensions and the assets have %d", len(values), d)
		}
		q.probe = newProbe(values, unrelated, v.sample())
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.queries) >= maxQueries {
		v.queries = map[string]*queryVector{}
	}
	v.queries[text] = q
	return q, nil
}

// embedQuery asks the model for the meaning of a query; nil if it has none.
func (v *vectors) embedQuery(ctx context.Context, text string) ([]float32, error) {
	list, err := v.embedder.Embed(ctx, []string{text, aboutText(text)})
	switch {
	case err != nil:
		return nil, err
	case len(list) != 2:
		return nil, fmt.Errorf("the model returned %d vectors for 2 texts", len(list))
	case list[0] == nil: // what is read in the words about it does not count
		return nil, nil
	}
	return list[1], nil
}

// of returns the vector of an asset, nil for none. The caller holds mu.
func (v *vectors) of(id uint32) []float32 {
	if int(id) < len(v.byID) {
		return v.byID[id]
	}
	return nil
}

// dimension returns the length of the vectors, 0 without any.
func (v *vectors) dimension() int {
	v.mu.RLock()
	defer v.mu.RUnlock()
	for _, x := range v.byID {
		if x != nil {
			return len(x)
		}
	}
	return 0
}

// nearest returns up to n assets of a set that are near enough to help, best
// first. They are over what the first of the others has, or else over what helps.
func (v *vectors) nearest(p probe, n int, within *roaring.Bitmap) []near {
	ids := within.ToArray()
	parts := max(1, min(runtime.GOMAXPROCS(0), len(ids)/scanPart))
	found := make([][]near, parts)
	v.mu.RLock()
	defer v.mu.RUnlock()
	var wg sync.WaitGroup
	for part := range parts {
		wg.Go(func() {
			for _, id := range ids[len(ids)*part/parts : len(ids)*(part+1)/parts] {
				if x := v.of(id); len(x) == len(p.values) {
					if c := dot(p.values, x); c >= p.help {
						found[part] = append(found[part], near{id: id, product: c, enough: c >= p.enough})
					}
				}
			}
		})
	}
	wg.Wait()
	all := slices.Concat(found...)
	slices.SortFunc(all, nearer)
	none := p.help
	if len(all) > n {
		none = all[n].product
		all = all[:n]
	}
	for i := range all {
		all[i].over = all[i].product - none
	}
	return all
}

// nearer orders the nearest first, equals newest first.
func nearer(a, b near) int { return cmp.Or(cmp.Compare(b.product, a.product), cmp.Compare(b.id, a.id)) }

// dot is the scalar product of two vectors of the same length.
func dot(a, b []float32) float32 {
	b = b[:len(a)]
	var s0, s1, s2, s3 float32
	i := 0
	for ; i+3 < len(a); i += 4 {
		s0 += a[i] * b[i]
		s1 += a[i+1] * b[i+1]
		s2 += a[i+2] * b[i+2]
		s3 += a[i+3] * b[i+3]
	}
	for ; i < len(a); i++ {
		s0 += a[i] * b[i]
	}
	return s0 + s1 + s2 + s3
}
