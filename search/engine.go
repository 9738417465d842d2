// Package search finds the assets that match a query, their number and their order. All
// its data is derived from the records: scalar fields as columns in memory, text as a
// Bleve index in a folder. Both follow the index queue, a sequence of changes; if either
// is lost, it is rebuilt.
package search

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
)

const (
	// smallLag is the number of pending changes up to which a search indexes them itself
	// before it answers, so that it finds the changes reported by earlier responses.
	smallLag = 500
	// indexPoll is the interval at which the queue is checked for unannounced changes,
	// such as those of other processes.
	indexPoll = 500 * time.Millisecond
	// chunk is the number of changes read in one step.
	chunk = 500
	// gather is the time for which changes wait for others before they are indexed,
	// because each batch of the text index has to be synced. A search indexes the changes
	// it needs itself, so nobody waits for this.
	gather = 500 * time.Millisecond
	// warnEvery is the interval at which failures to write the index are logged.
	warnEvery = time.Minute
	// columnChunk is the number of narrow changes read in one step.
	columnChunk = 10_000
)

// Engine is safe for concurrent use.
//
// Locks are taken in the order of these two chains, and never from both:
//
//	rebuildMu  one rebuild of the text index at a time
//	textMu     the text index: shared to use it, exclusive to replace it
//	text.mu    writing to the index
//
//	loadMu      reading a column for the first time
//	colMu       rows and columns: shared to read, exclusive to update them
//	vectors.mu  the vectors of assets and of queries
//
// groups.mu is taken before colMu. The mutexes of later, ruleCache, ruleSets, indexStates
// and indexState come last: no lock is taken under them. The source is read under text.mu
// and colMu, so it must not call the engine; the model is called with no lock held.
type Engine struct {
	src      Source
	log      *slog.Logger
	dir      string
	language string // one of Languages
	wake     chan struct{}
	hurry    chan struct{} // ends the wait for other changes

	colMu   sync.RWMutex
	columns *columns
	values  *valueStore
	loadMu  sync.Mutex
	cache   *ruleCache
	// ruleSets contains the assets of smart collections.
	ruleSets *ruleSets
	groups   groups
	kept     kept

	textMu sync.RWMutex
	text   *textIndex
	shown  wordCache

	vectors *vectors
	later   later
	hold    atomic.Pointer[func() bool]
	warned  atomic.Int64 // when a failure to write the index was last logged, in Unix seconds

	rebuildMu sync.Mutex
}

// Open opens the engine with its text index in dir, which only one process may have open,
// and loads the columns. Without an embedder, semantic search is off.
func Open(ctx context.Context, dir string, src Source, embedder Embedder, log *slog.Logger) (*Engine, error) {
	return OpenIn(ctx, dir, English, src, embedder, log)
}

// OpenIn is Open for a library in one of Languages, or in the language of the existing
// text index if language is empty. An index for another language is used until Run has
// rebuilt it.
func OpenIn(ctx context.Context, dir, language string, src Source, embedder Embedder, log *slog.Logger) (*Engine, error) {
	if language != "" {
		if err := CheckLanguage(language); err != nil {
			return nil, err
		}
	}
	e := &Engine{
		src: src, log: log, dir: dir, wake: make(chan struct{}, 1), hurry: make(chan struct{}, 1),
		columns: newColumns(), values: &valueStore{}, cache: &ruleCache{}, ruleSets: &ruleSets{},
	}
	e.values.drop()
	last, err := src.LastSeq(ctx)
	if err != nil {
		return nil, err
	}
	if e.vectors, err = newVectors(embedder); err != nil {
		return nil, err
	}
	if e.text, err = openText(dir, cmp.Or(language, English), last, log); err != nil {
		return nil, err
	}
	e.language = cmp.Or(language, e.text.analyzer.language)
	err = e.loadKept(ctx, last)
	if err == nil {
		err = e.refreshAll(ctx)
	}
	if err != nil {
		e.text.close()
		return nil, err
	}
	e.columns.sort()
	return e, nil
}

// Close closes the text index.
func (e *Engine) Close() error {
	e.textMu.Lock()
	defer e.textMu.Unlock()
	return e.text.close()
}

// Wake signals new changes.
func (e *Engine) Wake() { hint(e.wake) }

// hint sends a signal unless one is pending.
func hint(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// SetHold stops updates of the text index while hold returns true, because the disk is
// full. Searches then miss the words of the newest changes.
func (e *Engine) SetHold(hold func() bool) { e.hold.Store(&hold) }

func (e *Engine) held() bool {
	hold := e.hold.Load()
	return hold != nil && (*hold)()
}

// unwritten logs that the index could not be written, at most once a minute.
func (e *Engine) unwritten(ctx context.Context, err error) {
	now, last := time.Now().Unix(), e.warned.Load()
	if ctx.Err() == nil && now-last >= int64(warnEvery/time.Second) && e.warned.CompareAndSwap(last, now) {
		e.log.ErrorContext(ctx, "cannot write the text index; searches miss the newest changes", "err", err)
	}
}

// Run indexes text until ctx is done, and writes snapshots of the columns for the next
// start. It first loads the keywords, and rebuilds an index for another language.
func (e *Engine) Run(ctx context.Context) {
	var wg sync.WaitGroup
	defer wg.Wait()
	wg.Go(func() { e.translate(ctx) })
	wg.Go(func() { e.keepAll(ctx) })
	wg.Go(func() { e.loadEarly(ctx) })
	t := time.NewTicker(indexPoll)
	defer t.Stop()
	for {
		if err := e.catchUp(ctx); err != nil {
			e.unwritten(ctx, err)
		}
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		case <-e.hurry:
		case <-e.wake:
			e.await(ctx)
		}
	}
}

// await waits until changes have gathered.
func (e *Engine) await(ctx context.Context) {
	t := time.NewTimer(gather)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-e.hurry:
	case <-t.C:
	}
}

// loadEarly loads the keywords, which suggestions and most facets need, so that no
// request has to wait for them after a start.
func (e *Engine) loadEarly(ctx context.Context) {
	if _, err := e.ensureColumn(ctx, fieldKeywords); err != nil && ctx.Err() == nil {
		e.log.WarnContext(ctx, "cannot read the keywords yet", "err", err)
	}
}

// translate rebuilds the text index if it is for another language.
func (e *Engine) translate(ctx context.Context) {
	e.textMu.RLock()
	have := e.text.analyzer.language
	e.textMu.RUnlock()
	if have == e.language {
		return
	}
	e.log.InfoContext(ctx, "rebuilding the text index for another language; searches use the old one", "from", have, "to", e.language)
	for ctx.Err() == nil {
		err := e.Rebuild(ctx, func(int64, int64) {})
		if err == nil {
			return
		}
		e.unwritten(ctx, err)
		select {
		case <-ctx.Done():
		case <-time.After(warnEvery): // space may be free by then
		}
	}
}

// catchUp indexes all pending changes.
func (e *Engine) catchUp(ctx context.Context) error {
	for {
		if e.held() {
			return nil
		}
		e.textMu.RLock()
		n, err := e.text.follow(ctx, e.src, chunk)
		e.textMu.RUnlock()
		if err != nil || n == 0 {
			return err
		}
	}
}

// manyUpdates is the minimum number of changes from which dropping a column and reading
// it again on demand is cheaper than updating it, if also at least one in readAgain
// assets has changed.
const (
	manyUpdates = 5000
	readAgain   = 20
)

// refreshAll brings the columns up to the latest change.
func (e *Engine) refreshAll(ctx context.Context) error {
	last, err := e.src.LastSeq(ctx)
	if err != nil {
		return err
	}
	e.vectors.changed.Store(last)
	e.colMu.RLock()
	behind := e.columns.seq != last
	e.colMu.RUnlock()
	if !behind {
		return nil
	}
	e.colMu.Lock()
	defer e.colMu.Unlock()
	if last < e.columns.seq { // another search was faster, or the library was replaced by an older one
		if last, err = e.src.LastSeq(ctx); err != nil {
			return err
		}
		if last < e.columns.seq {
			e.columns = newColumns()
			e.values.drop()
		}
	}
	defer func() { // once, and also if a read fails
		e.columns.sort()
		e.later.mu.Lock()
		defer e.later.mu.Unlock()
		e.later.refreshed = time.Now()
	}()
	type answer struct {
		changes []dam.Change
		err     error
	}
	read := func(after int64) chan answer { // reads ahead while a chunk is applied
		c := make(chan answer, 1)
		go func() {
			changes, err := e.src.Columns(ctx, after, columnChunk)
			c <- answer{changes, err}
		}()
		return c
	}
	next := read(e.columns.seq)
	for e.columns.seq < last {
		got := <-next
		changes := got.changes
		if got.err != nil {
			return got.err
		}
		if len(changes) == 0 {
			return nil
		}
		if seq := changes[len(changes)-1].Seq; seq < last {
			next = read(seq)
		}
		if len(changes) >= max(manyUpdates, len(e.columns.has)/readAgain) {
			e.values.drop()
		}
		assets := make([]int64, len(changes))
		var gone []int64
		for i, c := range changes {
			if assets[i] = c.AssetID; c.Asset == nil {
				gone = append(gone, c.AssetID)
			}
		}
		if err := e.values.update(ctx, e.src, assets); err != nil {
			e.values.drop()
			return err
		}
		if err := e.vectors.remove(ctx, gone); err != nil {
			return err
		}
		e.columns.apply(changes)
	}
	return nil
}

// Rebuild builds a new text index beside the current one, swaps them once the new one has
// caught up, and deletes the old one. Searches continue meanwhile. The next start reads
// the columns from the records. progress is called periodically with the number of
// indexed changes.
func (e *Engine) Rebuild(ctx context.Context, progress func(done, total int64)) error {
	e.rebuildMu.Lock()
	defer e.rebuildMu.Unlock()
	if err := e.forgetKept(); err != nil {
		return err
	}
	total, err := e.src.LastSeq(ctx)
	if err != nil {
		return err
	}
	next, err := createText(e.dir, e.language)
	if err != nil {
		return err
	}
	var done int64
	for {
		if e.held() {
			return joinRemove(dam.Errorf(dam.NoSpace, "The server's disk is full."), next)
		}
		n, err := next.follow(ctx, e.src, chunk)
		if err != nil {
			return fmt.Errorf("rebuild: %w", joinRemove(err, next))
		}
		done = next.seq()
		progress(min(done, total), total)
		if n < chunk { // few are left; waiting for a quiet moment could take forever
			break
		}
	}
	e.textMu.Lock()
	defer e.textMu.Unlock()
	// Searches wait while the last few changes are indexed; Run indexes the rest.
	if _, err := next.follow(ctx, e.src, chunk); err != nil {
		return fmt.Errorf("rebuild: %w", joinRemove(err, next))
	}
	if err := next.complete(); err != nil {
		return fmt.Errorf("rebuild: %w", joinRemove(err, next))
	}
	old := e.text
	e.text = next
	return old.remove()
}
