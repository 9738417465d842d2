package index

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

// quietAfter is the time after the last search until nobody is considered to be searching.
const quietAfter = time.Second

// Index is the search engine, which follows changes of the database. Only the
// process that runs the library opens it. Before that, and in all other processes,
// it has no Engine and its own methods do nothing.
type Index struct {
	*search.Engine
	searched atomic.Int64 // time of the latest search, in milliseconds since 1970
}

// IsOpen reports whether the Engine is open.
func (x *Index) IsOpen() bool { return x.Engine != nil }

// Changed wakes the engine after changes of the database.
func (x *Index) Changed() {
	if x.IsOpen() {
		x.Wake()
	}
}

// Changing tells the engine that the changes after one sequence number up to
// another are part of an operation that has more to come.
func (x *Index) Changing(from, to int64) {
	if x.IsOpen() {
		x.Later(from, to)
	}
}

// ChangedAll ends the range that Changing began.
func (x *Index) ChangedAll() {
	if x.IsOpen() {
		x.Now()
	}
}

// Rebuilding returns the work of a reindex job.
func (x *Index) Rebuilding(log *slog.Logger) func(context.Context, *dam.Job) (job.Commit, error) {
	return func(ctx context.Context, _ *dam.Job) (job.Commit, error) {
		return nil, x.Rebuild(ctx, func(done, total int64) { log.InfoContext(ctx, "reindexing", "done", done, "total", total) })
	}
}

// NoteSearch records that a search is running now.
func (x *Index) NoteSearch() { x.searched.Store(time.Now().UnixMilli()) }

// Searching reports whether somebody is searching.
func (x *Index) Searching() bool {
	return time.Since(time.UnixMilli(x.searched.Load())) <= quietAfter
}

// GiveWay waits for pause if somebody is searching, since searches need the
// processors more than background work does.
func (x *Index) GiveWay(ctx context.Context, pause time.Duration) {
	if !x.Searching() {
		return
	}
	select {
	case <-ctx.Done():
	case <-time.After(pause):
	}
}

// Source gives the search engine access to the library.
type Source struct {
	store   *storage.Store
	schemas *Schemas
	version string // dal's version
}

// NewSource returns a source for the search engine of a library, read by the given version
// of dal.
func NewSource(store *storage.Store, schemas *Schemas, version string) Source {
	return Source{store, schemas, version}
}

// LastSeq returns the number of the latest change.
func (s Source) LastSeq(ctx context.Context) (seq int64, err error) {
	err = s.store.View(ctx, func(tx *storage.Tx) error {
		seq, err = tx.LastChange()
		return err
	})
	return seq, err
}

// Columns returns changes after a number, with the values of columns only.
func (s Source) Columns(ctx context.Context, after int64, limit int) ([]dam.Change, error) {
	return s.changes(ctx, after, limit, false)
}

// Documents returns changes after a number, with everything that is searched.
func (s Source) Documents(ctx context.Context, after int64, limit int) ([]dam.Change, error) {
	return s.changes(ctx, after, limit, true)
}

// Values yields the values of a custom field.
func (s Source) Values(ctx context.Context, field string, assets []int64, yield func(int64, any)) error {
	return s.store.View(ctx, func(tx *storage.Tx) error { return tx.AssetValues(field, assets, yield) })
}

// keptFollower is the name under which the version of the snapshot of columns is
// stored.
const keptFollower = "columns"

// Keep keeps changes after seq in the queue until the follower has read them.
func (s Source) Keep(ctx context.Context, name string, seq int64) error {
	return s.store.Note(ctx, func(tx *storage.Tx) error { return tx.SetFollower(keptFollower, s.version+" "+name, seq) })
}

// Kept returns the name of the follower that changes are kept for.
func (s Source) Kept(ctx context.Context) (name string, err error) {
	err = s.store.View(ctx, func(tx *storage.Tx) error {
		version, err := tx.FollowerVersion(keptFollower)
		if of, has := strings.CutPrefix(version, s.version+" "); has {
			name = of
		}
		return err
	})
	return name, err
}

func (s Source) changes(ctx context.Context, after int64, limit int, detailed bool) (list []dam.Change, err error) {
	err = s.store.View(ctx, func(tx *storage.Tx) error {
		if list, err = tx.Changes(after, limit, detailed); err != nil || !detailed {
			return err
		}
		return s.schemas.ForSearch(tx, list)
	})
	return list, err
}
