package app

import (
	"context"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/job"
	"github.com/digital-asset-library/dal/storage"
)

// A change of definitions is there at once, with all values, versions and
// columns of all assets. What takes long for very many assets, and what nobody
// reads in them, follows in turns, as soon as a server runs.

const (
	// atOnce is for how many assets nothing is left for later.
	atOnce = 500
	// A turn puts so many assets in the index queue, which takes 0.1 s. Fewer
	// would have searches take in changes more often.
	findChunk = 20_000
	// A turn tells of so many at a time, and ends when it has held the writer
	// this long.
	tellChunk  = 50
	followTime = 60 * time.Millisecond
)

// touched writes what follows when the metadata of assets changed with its
// definition: their versions and the index queue, and an event each, now or,
// of very many, soon.
func (a *App) touched(tx *storage.Tx, assets []int64) error {
	if len(assets) == 0 {
		return nil
	}
	if err := tx.TouchAssets(assets); err != nil {
		return err
	}
	tx.OnCommit(a.changed)
	if len(assets) <= atOnce {
		return tell(tx, assets)
	}
	if err := tx.TellLater(assets); err != nil {
		return err
	}
	return a.followSoon(tx)
}

// tell writes that assets have changed. Those that are gone need no telling.
func tell(tx *storage.Tx, assets []int64) error {
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

// reindexed puts assets in the index queue whose metadata is found under other
// words, very many of them soon.
func (a *App) reindexed(tx *storage.Tx, assets []int64) error {
	if len(assets) > atOnce {
		if err := tx.FindLater(assets); err != nil {
			return err
		}
		return a.followSoon(tx)
	}
	if len(assets) == 0 {
		return nil
	}
	tx.OnCommit(a.changed)
	return tx.AllChanged(assets)
}

// followSoon has a turn follow.
func (a *App) followSoon(tx *storage.Tx) error {
	if has, err := tx.HasJob(dam.JobFollow, 0); err != nil || has {
		return err
	}
	tx.OnCommit(func() { a.jobs.Wake(dam.JobFollow) })
	return tx.Enqueue(dam.JobFollow, 0, a.cfg.JobAttempts)
}

// followLeft has a turn follow if something is left to do, also when the last
// one used up its attempts.
func (a *App) followLeft(ctx context.Context) error {
	return a.store.Update(ctx, a.followMore)
}

// followMore has a turn follow if something is left to do.
func (a *App) followMore(tx *storage.Tx) error {
	if more, err := tx.HasFollowups(); err != nil || !more {
		return err
	}
	return a.followSoon(tx)
}

// followTurn does some of what is left to do. An asset that changed again
// meanwhile is told of as it is by now.
func (a *App) followTurn(context.Context, *dam.Job) (job.Commit, error) {
	return func(tx *storage.Tx) error {
		start := time.Now()
		unfound, err := tx.Unfound(findChunk)
		if err != nil {
			return err
		}
		if n := len(unfound); n > 0 {
			tx.OnCommit(a.changed)
			if err := tx.AllChanged(unfound); err != nil {
				return err
			}
			if err := tx.Found(unfound[n-1]); err != nil {
				return err
			}
		}
		for time.Since(start) < followTime {
			untold, err := tx.Untold(tellChunk)
			if err != nil {
				return err
			}
			if len(untold) == 0 {
				break
			}
			if err := tell(tx, untold); err != nil {
				return err
			}
			if err := tx.Told(untold[len(untold)-1]); err != nil {
				return err
			}
		}
		return a.followMore(tx)
	}, nil
}
