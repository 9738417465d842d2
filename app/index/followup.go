package index

import (
	"context"
	"math"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/job"
	"github.com/digital-asset-library/dal/app/media"
	"github.com/digital-asset-library/dal/storage"
)

const (
	// atOnce is the largest number of assets that are processed without deferring work.
	atOnce = 500
	// indexChunk is the number of assets that a turn adds to the index queue, which takes
	// 0.1 s. With smaller chunks, searches would have to index pending changes more often.
	indexChunk = 20_000
	// announceChunk is the number of events that a turn writes at a time. The turn ends
	// after it has held the write lock for turnTime.
	announceChunk = 50
	// offsetChunk is the number of assets per turn for which capture date offsets are
	// determined.
	offsetChunk = 200
	turnTime    = 60 * time.Millisecond
)

// FollowUps does the work that follows from a change of many assets, such as a change of
// definitions. The change itself, with all values, versions and columns, is visible
// immediately. Work that takes long for very many assets, and that no reader depends on,
// runs later in turns of a job.
type FollowUps struct {
	Store *storage.Store
	Index *Index
	Jobs  *job.Queue
	// Fill reads facts that an earlier version of dal did not read from some of the files, and
	// returns the commit that writes them.
	Fill func(context.Context) (func(*storage.Tx) error, error)
}

// Touched does the work that follows when assets changed with something they refer to: new
// versions, the index queue, and an event for each, now or, for very many assets, later.
func (f *FollowUps) Touched(tx *storage.Tx, assets []int64) error {
	if len(assets) == 0 {
		return nil
	}
	if err := tx.TouchAssets(assets); err != nil {
		return err
	}
	tx.OnCommit(f.Index.Changed)
	if len(assets) <= atOnce {
		return announce(tx, assets)
	}
	if err := tx.AnnounceLater(assets); err != nil {
		return err
	}
	return f.soon(tx)
}

// announce writes an event for each of the changed assets that still exist.
func announce(tx *storage.Tx, assets []int64) error {
	list, err := tx.AssetsByID(assets)
	if err != nil {
		return err
	}
	for _, asset := range list {
		if err := tx.InsertEvent(dam.AssetUpdated, string(asset.GAID), asset); err != nil {
			return err
		}
	}
	return nil
}

// Reindexed adds assets whose searchable words changed to the index queue, now or, for very
// many assets, later.
func (f *FollowUps) Reindexed(tx *storage.Tx, assets []int64) error {
	if len(assets) > atOnce {
		if err := tx.IndexLater(assets); err != nil {
			return err
		}
		return f.soon(tx)
	}
	if len(assets) == 0 {
		return nil
	}
	tx.OnCommit(f.Index.Changed)
	return tx.AllChanged(assets)
}

// soon queues a turn.
func (f *FollowUps) soon(tx *storage.Tx) error { return f.Jobs.AddOnce(tx, dam.JobFollow, 0) }

// Resume queues a turn if work is pending, even if the last turn used up its attempts.
func (f *FollowUps) Resume(ctx context.Context) error { return f.Store.Update(ctx, f.more) }

// more queues a turn if work is pending.
func (f *FollowUps) more(tx *storage.Tx) error {
	if more, err := tx.HasFollowups(); err != nil || !more {
		return err
	}
	return f.soon(tx)
}

// Turn does some of the pending work. The event of an asset that has changed again in the
// meantime contains its current state.
func (f *FollowUps) Turn(ctx context.Context, _ *dam.Job) (job.Commit, error) {
	var without []storage.CaptureSource
	err := f.Store.View(ctx, func(tx *storage.Tx) (err error) {
		without, err = tx.ToFindOffset(offsetChunk)
		return err
	})
	if err != nil {
		return nil, err
	}
	offsets := offsetsOf(without)
	filled, err := f.Fill(ctx)
	if err != nil {
		return nil, err
	}
	return func(tx *storage.Tx) error {
		start := time.Now()
		if len(without) > 0 {
			tx.OnCommit(f.Index.Changed)
			if err := tx.SetOffsets(without, offsets); err != nil {
				return err
			}
		}
		if err := filled(tx); err != nil {
			return err
		}
		assets, err := tx.ToIndex(indexChunk)
		if err != nil {
			return err
		}
		if n := len(assets); n > 0 {
			tx.OnCommit(f.Index.Changed)
			if err := tx.AllChanged(assets); err != nil {
				return err
			}
			if err := tx.Indexed(assets[n-1]); err != nil {
				return err
			}
		}
		for time.Since(start) < turnTime {
			assets, err := tx.ToAnnounce(announceChunk)
			if err != nil {
				return err
			}
			if len(assets) == 0 {
				break
			}
			if err := announce(tx, assets); err != nil {
				return err
			}
			if err := tx.Announced(assets[len(assets)-1]); err != nil {
				return err
			}
		}
		return f.more(tx)
	}, nil
}

// offsetsOf returns the offsets of capture dates in minutes, by asset ID. It omits those
// that are unknown and those of assets whose capture date differs from the dates in the
// file.
func offsetsOf(assets []storage.CaptureSource) map[int64]int {
	found := map[int64]int{}
	for _, a := range assets {
		for _, c := range media.CaptureDates(a.Technical, a.At, a.Edited) {
			minutes, known := dam.OffsetOf(c.Time)
			if known && c.Sub(a.At).Abs() < time.Second {
				found[a.AssetID] = minutes
				break
			}
		}
	}
	return found
}

// usageTellEvery is the interval at which progress is recorded even if no usage period has
// begun or ended.
const usageTellEvery = time.Hour

// TellUsage emits asset.updated for assets whose usage period has begun or ended since the
// last call, up to limit beginnings and ends, once per asset. It returns their number. A
// period that has both begun and ended is reported once; assets in the trash are not
// reported.
func (f *FollowUps) TellUsage(tx *storage.Tx, limit int) (int64, error) {
	told, err := tx.UsageTold()
	if err != nil {
		return 0, err
	}
	turns, err := tx.UsageTurns(told, limit)
	if err != nil || len(turns) == 0 && tx.Now().Sub(told.At) < usageTellEvery {
		return 0, err
	}
	var assets []int64
	seen := map[int64]bool{}
	for _, t := range turns {
		if !seen[t.AssetID] {
			seen[t.AssetID] = true
			assets = append(assets, t.AssetID)
		}
	}
	if err := f.Touched(tx, assets); err != nil {
		return 0, err
	}
	last := storage.UsageTurn{At: tx.Now(), AssetID: math.MaxInt64}
	if len(turns) == limit { // there may be more
		last = turns[limit-1]
	}
	return int64(len(turns)), tx.SetUsageTold(last)
}
