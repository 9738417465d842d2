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
	// A turn takes so many assets at a time, and ends when it has held the
	// writer this long.
	followChunk = 50
	followTime  = 60 * time.Millisecond
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

// followTurn does some of what is left to do. An asset that changed again
// meanwhile is told of as it is by now.
func (a *App) followTurn(context.Context, *dam.Job) (job.Commit, error) {
	return func(tx *storage.Tx) error {
		tx.OnCommit(a.changed)
		for start := time.Now(); time.Since(start) < followTime; {
			todo, err := tx.Followups(followChunk)
			if err != nil || len(todo) == 0 {
				return err
			}
			var changed, untold []int64
			for _, f := range todo {
				if f.Find {
					changed = append(changed, f.AssetID)
				}
				if f.Tell {
					untold = append(untold, f.AssetID)
				}
			}
			if err := tx.AllChanged(changed); err != nil {
				return err
			}
			if err := tell(tx, untold); err != nil {
				return err
			}
			if more, err := tx.Followed(todo[len(todo)-1].AssetID); err != nil || !more {
				return err
			}
		}
		return a.followSoon(tx)
	}, nil
}
