package search

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/philippgille/chromem-go"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/search/bytevec"
)

// Vector is the embedding of an asset's text, normalized to length one.
type Vector struct {
	AssetID int64
	Values  []float32
}

const (
	// maxFloats is the number of vectors stored exactly, 205 MB for the built-in model.
	// Those of further assets are stored only as bytes, a quarter of that size: their
	// products are off by at most 0.0005; see TestBytesOfMeanings.
	maxFloats = 100_000
	// maxQueries is the maximum number of cached query vectors.
	maxQueries = 512
	// modelPause is the time for which a failed model is not called, and queryTimeout the
	// time that a search waits for it.
	modelPause   = 10 * time.Second
	queryTimeout = 3 * time.Second
)

// vectors is the semantic search. All vectors are in memory: as bytes in a table, which
// is scanned for a query, and up to maxFloats also exactly in a collection of chromem-go,
// for the products of the table's results. The collection's own search reads all of them
// through a channel and cannot be limited to a set of IDs: see BenchmarkNearest.
type vectors struct {
	embedder Embedder
	ready    atomic.Bool
	changed  atomic.Int64 // the latest change of the library
	read     atomic.Int64 // latest change whose texts have been embedded
	puts     atomic.Int64 // number of changes of the vectors
	pause    atomic.Int64 // end of the pause of the model, Unix milliseconds

	mu         sync.RWMutex
	collection *chromem.Collection
	floats     map[uint32][]float32 // shares memory with the collection
	table      *bytevec.Table       // nil before the first vector
	queries    map[string]*queryVector
	background *background
}

// queryVector is the vector of a query, with its probe.
type queryVector struct {
	values []float32
	probe  probe
	puts   int64 // value of puts when the probe was computed
}

func newVectors(embedder Embedder) (*vectors, error) {
	v := &vectors{embedder: embedder}
	return v, v.clear()
}

// clear removes all vectors.
func (v *vectors) clear() error {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.puts.Add(1)
	v.floats, v.table, v.queries, v.background = map[uint32][]float32{}, nil, map[string]*queryVector{}, nil
	var err error
	v.collection, err = chromem.NewDB().CreateCollection("assets", nil, func(context.Context, string) ([]float32, error) {
		return nil, errors.New("the collection is given vectors, not texts")
	})
	return err
}

// PutVectors sets the vectors of assets; the last one of an asset counts. All vectors
// should have the same dimension: others are not stored, because they cannot be compared.
func (e *Engine) PutVectors(ctx context.Context, list []Vector) error {
	defer e.vectors.puts.Add(1)
	for _, x := range list {
		if n := len(x.Values); n == 0 || n > bytevec.MaxDimension {
			return fmt.Errorf("the vector of asset %d has %d numbers, which must be 1 to %d", x.AssetID, n, bytevec.MaxDimension)
		}
		if err := e.vectors.put(ctx, uint32(x.AssetID), x.Values); err != nil {
			return err
		}
	}
	return nil
}

func (v *vectors) put(ctx context.Context, id uint32, values []float32) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.table == nil || v.table.Len() == 0 {
		v.table = bytevec.New(len(values))
	}
	if len(values) != v.table.Dimension() {
		return v.forget(ctx, id)
	}
	v.table.Put(id, values)
	if len(v.floats) >= maxFloats && v.floats[id] == nil {
		return nil
	}
	v.floats[id] = values
	return v.collection.AddDocument(ctx, chromem.Document{ID: vectorID(id), Embedding: values})
}

// RemoveVectors removes the vectors of assets.
func (e *Engine) RemoveVectors(ctx context.Context, assets []int64) error {
	return e.vectors.remove(ctx, assets)
}

// ForgetVectors removes all vectors of assets and queries, after a change of model.
func (e *Engine) ForgetVectors() error { return e.vectors.clear() }

// VectorDimension returns the dimension of the vectors, 0 without any.
func (e *Engine) VectorDimension() int { return e.vectors.dimension() }

// MeaningReady tells the engine that all existing vectors have been put.
func (e *Engine) MeaningReady() { e.vectors.ready.Store(true) }

// MeaningRead tells the engine the latest change whose texts the vectors reflect.
func (e *Engine) MeaningRead(seq int64) { e.vectors.read.Store(seq) }

func vectorID(asset uint32) string { return strconv.FormatUint(uint64(asset), 10) }

func (v *vectors) remove(ctx context.Context, assets []int64) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, id := range assets {
		if v.table != nil && v.table.Has(uint32(id)) {
			v.puts.Add(1)
			if err := v.forget(ctx, uint32(id)); err != nil {
				return err
			}
		}
	}
	return nil
}

// forget removes the vector of an asset. The caller holds mu.
func (v *vectors) forget(ctx context.Context, id uint32) error {
	v.table.Remove(id)
	if v.floats[id] == nil {
		return nil
	}
	delete(v.floats, id)
	return v.collection.Delete(ctx, nil, nil, vectorID(id))
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

// search returns the assets of a set that are similar in meaning to a text, best first.
// If this is not possible, the state is the reason and the search continues with words
// alone.
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

// failed pauses calls of the model, unless the caller gave up.
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
		values = less(values, unrelated.mean)
		q.probe = newProbe(values, unrelated, v.sample(values))
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.queries) >= maxQueries {
		v.queries = map[string]*queryVector{}
	}
	v.queries[text] = q
	return q, nil
}

// embedQuery returns the embedding of a query, nil if it has no meaning.
func (v *vectors) embedQuery(ctx context.Context, text string) ([]float32, error) {
	if !v.embedder.Reads(text) { // the words around it in aboutText do not count
		return nil, nil
	}
	list, err := v.embedder.Embed(ctx, []string{aboutText(text)})
	if err == nil && len(list) != 1 {
		err = fmt.Errorf("the model returned %d vectors for a text", len(list))
	}
	if err != nil {
		return nil, err
	}
	return list[0], nil
}

// dot returns the scalar product of two vectors of the same length.
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
