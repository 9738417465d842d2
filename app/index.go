package app

import (
	"context"
	"log/slog"
	"strings"
	"sync/atomic"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/job"
	"github.com/digital-asset-library/dal/search"
	"github.com/digital-asset-library/dal/storage"
)

const (
	quietAfter = time.Second // time after the last search until nobody is considered to be searching
	maxPause   = time.Second // longest pause of background work during searches
)

// index is the search engine, which follows changes of the database. Only the
// process that runs the library opens it. Before that, and in all other processes,
// it has no Engine and its own methods do nothing.
type index struct {
	*search.Engine
	searched atomic.Int64 // time of the latest search, in milliseconds since 1970
}

// isOpen reports whether the Engine is open.
func (x *index) isOpen() bool { return x.Engine != nil }

// changed wakes the engine after changes of the database.
func (x *index) changed() {
	if x.isOpen() {
		x.Wake()
	}
}

// changing tells the engine that the changes after one sequence number up to
// another are part of an operation that has more to come.
func (x *index) changing(from, to int64) {
	if x.isOpen() {
		x.Later(from, to)
	}
}

// changedAll ends the range that changing began.
func (x *index) changedAll() {
	if x.isOpen() {
		x.Now()
	}
}

// rebuild returns the work of a reindex job.
func (x *index) rebuild(log *slog.Logger) func(context.Context, *dam.Job) (job.Commit, error) {
	return func(ctx context.Context, _ *dam.Job) (job.Commit, error) {
		return nil, x.Rebuild(ctx, func(done, total int64) { log.InfoContext(ctx, "reindexing", "done", done, "total", total) })
	}
}

// noteSearch records that a search is running now.
func (x *index) noteSearch() { x.searched.Store(time.Now().UnixMilli()) }

// searching reports whether somebody is searching.
func (x *index) searching() bool {
	return time.Since(time.UnixMilli(x.searched.Load())) <= quietAfter
}

// giveWay waits for pause if somebody is searching, since searches need the
// processors more than background work does.
func (x *index) giveWay(ctx context.Context, pause time.Duration) {
	if !x.searching() {
		return
	}
	select {
	case <-ctx.Done():
	case <-time.After(pause):
	}
}

// source gives the search engine access to the library.
type source struct {
	store   *storage.Store
	schemas *schemas
	version string // dal's version
}

func (s source) LastSeq(ctx context.Context) (seq int64, err error) {
	err = s.store.View(ctx, func(tx *storage.Tx) error {
		seq, err = tx.LastChange()
		return err
	})
	return seq, err
}

func (s source) Columns(ctx context.Context, after int64, limit int) ([]dam.Change, error) {
	return s.changes(ctx, after, limit, false)
}

func (s source) Documents(ctx context.Context, after int64, limit int) ([]dam.Change, error) {
	return s.changes(ctx, after, limit, true)
}

func (s source) Values(ctx context.Context, field string, assets []int64, yield func(int64, any)) error {
	return s.store.View(ctx, func(tx *storage.Tx) error { return tx.AssetValues(field, assets, yield) })
}

// keptFollower is the name under which the version of the snapshot of columns is
// stored.
const keptFollower = "columns"

func (s source) Keep(ctx context.Context, name string, seq int64) error {
	return s.store.Note(ctx, func(tx *storage.Tx) error { return tx.SetFollower(keptFollower, s.version+" "+name, seq) })
}

func (s source) Kept(ctx context.Context) (name string, err error) {
	err = s.store.View(ctx, func(tx *storage.Tx) error {
		version, err := tx.FollowerVersion(keptFollower)
		if of, has := strings.CutPrefix(version, s.version+" "); has {
			name = of
		}
		return err
	})
	return name, err
}

func (s source) changes(ctx context.Context, after int64, limit int, detailed bool) (list []dam.Change, err error) {
	err = s.store.View(ctx, func(tx *storage.Tx) error {
		if list, err = tx.Changes(after, limit, detailed); err != nil || !detailed {
			return err
		}
		return s.schemas.forSearch(tx, list)
	})
	return list, err
}
