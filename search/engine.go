// Package search answers which assets a query finds, how many, and in which
// order. It derives all it knows from the records: scalar fields as columns in
// memory, text as a Bleve index in a folder. Both follow the index queue, a
// sequence of changes; either can be lost and is built anew.
package search

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
)

const (
	// smallLag is how many changes a search indexes itself before it answers,
	// so that what was answered before is found.
	smallLag = 500
	// indexPoll is how often the queue is looked at for changes of other
	// processes, and for those of which nobody has been told.
	indexPoll = 500 * time.Millisecond
	// chunk is how many changes are read at once.
	chunk = 500
	// tellEvery is how often the log is told that the index cannot be written.
	tellEvery = time.Minute
	// columnChunk is how many narrow changes are read at once.
	columnChunk = 10_000
)

// Engine is safe for concurrent use.
type Engine struct {
	src  Source
	log  *slog.Logger
	dir  string
	wake chan struct{}

	colMu   sync.RWMutex
	columns *columns
	values  *valueStore
	loadMu  sync.Mutex // held by who reads a column for the first time
	cache   *ruleCache
	// ruleSets are the assets of collections that fill themselves.
	ruleSets *ruleSets

	textMu sync.RWMutex // held shared while the index is used, alone to exchange it
	text   *textIndex

	vectors *vectors
	later   later
	hold    atomic.Pointer[func() bool]
	told    atomic.Int64 // when the log was told last that the index cannot be written, in seconds since 1970

	rebuildMu sync.Mutex
}

// Open opens the engine with its text index in dir, which only one process may
// have open, and loads the columns. Without an embedder it does not search by
// meaning.
func Open(ctx context.Context, dir string, src Source, embedder Embedder, log *slog.Logger) (*Engine, error) {
	e := &Engine{src: src, log: log, dir: dir, wake: make(chan struct{}, 1), columns: newColumns(), values: &valueStore{}, cache: &ruleCache{}, ruleSets: &ruleSets{}}
	e.values.drop()
	last, err := src.LastSeq(ctx)
	if err != nil {
		return nil, err
	}
	if e.vectors, err = newVectors(embedder); err != nil {
		return nil, err
	}
	if e.text, err = openText(dir, last, log); err != nil {
		return nil, err
	}
	if err := e.refreshAll(ctx); err != nil {
		e.text.close()
		return nil, err
	}
	return e, nil
}

// Close closes the text index.
func (e *Engine) Close() error {
	e.textMu.Lock()
	defer e.textMu.Unlock()
	return e.text.close()
}

// Wake hints that there are changes.
func (e *Engine) Wake() {
	select {
	case e.wake <- struct{}{}:
	default:
	}
}

// SetHold has the text index not grow while hold says so, because there is no
// room for it. Searches then go without the words of the newest changes.
func (e *Engine) SetHold(hold func() bool) { e.hold.Store(&hold) }

func (e *Engine) held() bool {
	hold := e.hold.Load()
	return hold != nil && (*hold)()
}

// unwritten tells the log that the index could not be written, once a minute.
func (e *Engine) unwritten(ctx context.Context, err error) {
	now, last := time.Now().Unix(), e.told.Load()
	if ctx.Err() == nil && now-last >= int64(tellEvery/time.Second) && e.told.CompareAndSwap(last, now) {
		e.log.ErrorContext(ctx, "write the text index; searches go without the newest changes", "err", err)
	}
}

// Run indexes text until ctx is done.
func (e *Engine) Run(ctx context.Context) {
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
		case <-e.wake:
		}
	}
}

// catchUp indexes all changes there are.
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

// manyUpdates is from how many changes on reading columns anew, when they are
// needed again, beats bringing them up to date.
const manyUpdates = 5000

// refreshAll brings the columns up to the latest change.
func (e *Engine) refreshAll(ctx context.Context) error {
	last, err := e.src.LastSeq(ctx)
	if err != nil {
		return err
	}
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
	defer func() { // once, and also if reading fails on the way
		e.columns.sort()
		e.later.mu.Lock()
		defer e.later.mu.Unlock()
		e.later.refreshed = time.Now()
	}()
	type answer struct {
		changes []dam.Change
		err     error
	}
	read := func(after int64) chan answer { // the next are read while these are taken in
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
		if len(changes) >= manyUpdates {
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

// Status tells how far the text index is.
type Status struct {
	Documents uint64
	Lag       int64 // changes not yet in it
}

// Status returns the state of the text index.
func (e *Engine) Status(ctx context.Context) (s Status, err error) {
	last, err := e.src.LastSeq(ctx)
	if err != nil {
		return s, err
	}
	e.textMu.RLock()
	defer e.textMu.RUnlock()
	s.Lag = max(0, last-e.text.seq())
	s.Documents, err = e.text.index.DocCount()
	return s, err
}

// Rebuild builds a new text index beside the one in use, exchanges them once
// it has caught up, and deletes the old one. Searches go on all the while.
// progress is called now and then with how many of the changes are indexed.
func (e *Engine) Rebuild(ctx context.Context, progress func(done, total int64)) error {
	e.rebuildMu.Lock()
	defer e.rebuildMu.Unlock()
	total, err := e.src.LastSeq(ctx)
	if err != nil {
		return err
	}
	next, err := createText(e.dir)
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
		if n < chunk { // the rest is soon done; waiting for silence could be for ever
			break
		}
	}
	e.textMu.Lock()
	defer e.textMu.Unlock()
	if _, err := next.follow(ctx, e.src, chunk); err != nil { // nobody searches meanwhile: the last few changes, Run does what comes later
		return fmt.Errorf("rebuild: %w", joinRemove(err, next))
	}
	if err := next.complete(); err != nil {
		return fmt.Errorf("rebuild: %w", joinRemove(err, next))
	}
	old := e.text
	e.text = next
	return old.remove()
}
