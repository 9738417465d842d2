// Package search answers which assets a query finds, how many, and in which
// order. It derives all it knows from the records: scalar fields as columns in
// memory, text as a Bleve index in a folder. Both follow the index queue, a
// sequence of changes; either can be lost and is built anew.
package search

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
)

// Source is the library as the engine reads it.
type Source interface {
	// LastSeq returns the sequence number of the latest committed change, 0 if
	// there was none. It is asked before every search.
	LastSeq(ctx context.Context) (int64, error)
	// Columns returns up to limit changes after a sequence number, in order,
	// whose assets have their scalar fields only.
	Columns(ctx context.Context, after int64, limit int) ([]dam.Change, error)
	// Documents returns the same changes with all fields.
	Documents(ctx context.Context, after int64, limit int) ([]dam.Change, error)
}

// Sort names what a list is sorted by, as the interface does.
type Sort string

// The sorts. Relevance without a text is by creation.
const (
	SortCreatedAt        Sort = "created_at"
	SortUpdatedAt        Sort = "updated_at"
	SortTitle            Sort = "title"
	SortOriginalFilename Sort = "original_filename"
	SortSize             Sort = "size"
	SortRelevance        Sort = "relevance"
)

// Trashed says which assets count.
type Trashed uint8

// Assets outside the trash, in it, or both.
const (
	TrashedWithout Trashed = iota
	TrashedOnly
	TrashedWith
)

// Query asks for a part of the assets that fit all it says.
type Query struct {
	Text         string
	AssetClassID *int64
	BatchID      *int64
	MIME         string // part of the MIME type, in any case
	Trashed      Trashed
	Sort         Sort // "" is relevance
	Desc         bool
	Offset       int
	Limit        int
}

// Result is what a query found.
type Result struct {
	Total int // all that fit
	Hits  []Hit
	// TextLag is how many changes the text index did not know yet.
	TextLag int64
}

// Hit is one asset found.
type Hit struct {
	AssetID   int64
	Score     float64  // how well the text matched, higher is better; 0 without one
	MatchedOn []string // the fields that the text matched
}

const (
	// smallLag is how many changes a search indexes itself before it answers,
	// so that what was answered before is found.
	smallLag = 200
	// indexPoll is how often the queue is looked at for changes of other
	// processes.
	indexPoll = time.Second
	// chunk is how many changes are read at once.
	chunk = 500
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

	textMu sync.RWMutex // held shared while the index is used, alone to exchange it
	text   *textIndex

	rebuildMu sync.Mutex
}

// Open opens the engine with its text index in dir, which only one process may
// have open, and loads the columns.
func Open(ctx context.Context, dir string, src Source, log *slog.Logger) (*Engine, error) {
	e := &Engine{src: src, log: log, dir: dir, wake: make(chan struct{}, 1), columns: newColumns()}
	last, err := src.LastSeq(ctx)
	if err != nil {
		return nil, err
	}
	if e.text, err = openText(dir, last, log); err != nil {
		return nil, err
	}
	if err := e.refresh(ctx); err != nil {
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

// Run indexes text until ctx is done.
func (e *Engine) Run(ctx context.Context) {
	t := time.NewTicker(indexPoll)
	defer t.Stop()
	for {
		if err := e.catchUp(ctx); err != nil && ctx.Err() == nil {
			e.log.ErrorContext(ctx, "index", "err", err)
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
		e.textMu.RLock()
		n, err := e.text.follow(ctx, e.src)
		e.textMu.RUnlock()
		if err != nil || n == 0 {
			return err
		}
	}
}

// refresh brings the columns up to the latest change.
func (e *Engine) refresh(ctx context.Context) error {
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
		}
	}
	defer e.columns.sort() // once, and also if reading fails on the way
	for e.columns.seq < last {
		changes, err := e.src.Columns(ctx, e.columns.seq, columnChunk)
		if err != nil {
			return err
		}
		if len(changes) == 0 {
			return nil
		}
		e.columns.apply(changes)
	}
	return nil
}

// Search answers a query. No text is an error: what cannot be understood is
// looked for as words.
func (e *Engine) Search(ctx context.Context, q Query) (*Result, error) {
	if err := e.refresh(ctx); err != nil {
		return nil, fmt.Errorf("refresh columns: %w", err)
	}
	var r Result
	var found *matches
	if strings.TrimSpace(q.Text) != "" {
		var err error
		if found, r.TextLag, err = e.searchText(ctx, q.Text); err != nil {
			return nil, fmt.Errorf("search text: %w", err)
		}
	}
	e.colMu.RLock()
	defer e.colMu.RUnlock()
	set := e.columns.filter(q)
	if found != nil {
		set.And(found.ids)
	}
	r.Total = int(set.GetCardinality())
	q.Offset = min(max(q.Offset, 0), r.Total)
	if q.Limit = min(q.Limit, r.Total-q.Offset); q.Limit <= 0 {
		return &r, nil
	}
	var ids []uint32
	if found != nil && (q.Sort == SortRelevance || q.Sort == "") {
		ids = found.top(set, q.Desc, q.Offset, q.Limit)
	} else {
		ids = e.columns.page(set, q.Sort, q.Desc, q.Offset, q.Limit)
	}
	r.Hits = make([]Hit, len(ids))
	for i, id := range ids {
		r.Hits[i] = Hit{AssetID: int64(id)}
		if found != nil {
			r.Hits[i].Score, r.Hits[i].MatchedOn = found.about(id)
		}
	}
	return &r, nil
}

// searchText runs a text over an index that knows all changes, unless too many
// are still to come.
func (e *Engine) searchText(ctx context.Context, q string) (*matches, int64, error) {
	last, err := e.src.LastSeq(ctx)
	if err != nil {
		return nil, 0, err
	}
	e.textMu.RLock()
	defer e.textMu.RUnlock()
	if lag := last - e.text.seq(); lag > 0 && lag <= smallLag {
		if _, err := e.text.follow(ctx, e.src); err != nil {
			return nil, 0, err
		}
	}
	m, err := e.text.search(ctx, q)
	return m, max(0, last-e.text.seq()), err
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
		n, err := next.follow(ctx, e.src)
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
	if _, err := next.follow(ctx, e.src); err != nil { // nobody searches meanwhile: the last few changes, Run does what comes later
		return fmt.Errorf("rebuild: %w", joinRemove(err, next))
	}
	if err := next.complete(); err != nil {
		return fmt.Errorf("rebuild: %w", joinRemove(err, next))
	}
	old := e.text
	e.text = next
	return old.remove()
}
