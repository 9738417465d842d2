package ingest

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/digital-asset-library/dal/app/access"
	"github.com/digital-asset-library/dal/app/asset"
	"github.com/digital-asset-library/dal/app/collection"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/find"
	"github.com/digital-asset-library/dal/app/index"
	"github.com/digital-asset-library/dal/app/job"
	"github.com/digital-asset-library/dal/app/library"
	"github.com/digital-asset-library/dal/app/original"
	"github.com/digital-asset-library/dal/app/render"
	"github.com/digital-asset-library/dal/storage"
)

// Uploads receives files into upload batches, and manages the parts, versions and
// duplicates that they become. Its methods are safe for concurrent use.
type Uploads struct {
	Store      *storage.Store
	Originals  *original.Files
	Renditions *render.Renditions
	Ingest     *Ingester
	Schemas    *index.Schemas
	Index      *index.Index
	Jobs       *job.Queue
	Disks      *library.Disks
	Finder     *find.Finder
	Assets     *asset.Assets
	Resumables *Resumables
	Config     Config
	Log        *slog.Logger
	Now        func() time.Time
}

// Config limits uploads.
type Config struct {
	MaxFileSize     int64         // bytes per file
	MaxBatchFiles   int           // files per batch
	MaxRequestFiles int           // files per request
	UploadKeep      time.Duration // retention of an unfinished upload after its last byte
}

// MaxOpenBatches is the maximum number of open or processing upload batches per
// user.
const MaxOpenBatches = 1000

// CreateBatch opens an upload batch for the actor.
func (ups *Uploads) CreateBatch(ctx context.Context, actor dam.Actor, b *dam.Batch) error {
	b.CreatedByID = actor.User.ID
	return ups.Store.Update(ctx, func(tx *storage.Tx) error {
		if err := access.MayFillBatch(actor, b); err != nil {
			return err
		}
		schema, err := ups.Schemas.In(tx)
		if err != nil {
			return err
		}
		if err := b.Validate(ups.Config.MaxBatchFiles, schema); err != nil {
			return err
		}
		if err := roomForBatch(tx, b); err != nil {
			return err
		}
		var p dam.Problems
		if b.AssetClassID != 0 {
			ok, err := tx.HasName(storage.AssetClasses, b.AssetClassID)
			if err != nil {
				return err
			}
			if !ok {
				p.Add("asset_class_id", "The selected asset_class_id is invalid.")
			}
		}
		if err := collection.CheckFillable(tx, actor, &p, "collection_ids", b.CollectionIDs); err != nil {
			return err
		}
		if err := p.Err(); err != nil {
			return err
		}
		return tx.InsertBatch(b)
	})
}

// roomForBatch returns an error if a user has too many batches for another one.
func roomForBatch(tx *storage.Tx, b *dam.Batch) error {
	n, err := tx.CountOpenBatches(b.CreatedByID)
	if err == nil && n >= MaxOpenBatches {
		err = dam.Errorf(dam.Conflict, "You have %d upload batches that have not ended; complete or cancel one first.", n)
	}
	return err
}

// batch returns a batch that the actor may see: users see their own, admins all.
func batch(tx *storage.Tx, actor dam.Actor, id int64) (*dam.Batch, error) {
	if err := access.MayUpload(actor); err != nil {
		return nil, err
	}
	b, err := tx.Batch(id)
	if err == nil && !access.KnowsBatch(actor, b.CreatedByID) {
		return nil, dam.Errorf(dam.NotFound, "Upload batch not found.")
	}
	return b, err
}

// Batch returns an upload batch with its counts.
func (ups *Uploads) Batch(ctx context.Context, actor dam.Actor, id int64) (b *dam.Batch, err error) {
	err = ups.Store.View(ctx, func(tx *storage.Tx) error {
		b, err = batch(tx, actor, id)
		return err
	})
	if err != nil {
		return nil, err
	}
	ups.Ingest.Scanner.explain(b)
	return access.ShownBatch(actor, b, err)
}

// Batches lists the actor's upload batches, or all batches for an admin, newest
// first, and their total number.
func (ups *Uploads) Batches(ctx context.Context, actor dam.Actor, p dam.Page) (batches []*dam.Batch, total int, err error) {
	user := actor.User.ID
	if access.SeesAllBatches(actor) {
		user = 0
	}
	err = ups.Store.View(ctx, func(tx *storage.Tx) error {
		if err := access.MayUpload(actor); err != nil {
			return err
		}
		batches, total, err = tx.Batches(user, p)
		return err
	})
	ups.Ingest.Scanner.explain(batches...)
	for _, b := range batches {
		access.ShowBatch(actor, b)
	}
	return batches, total, err
}

// BatchFiles lists the files of a batch in upload order, optionally only those with
// a given status, and their total number.
func (ups *Uploads) BatchFiles(
	ctx context.Context, actor dam.Actor, id int64, status dam.FileStatus, p dam.Page,
) (files []*dam.BatchFile, total int, err error) {
	err = ups.Store.View(ctx, func(tx *storage.Tx) error {
		if _, err := batch(tx, actor, id); err != nil {
			return err
		}
		files, total, err = tx.BatchFiles(id, status, p)
		return err
	})
	return files, total, err
}

// settleBatch ends a closed batch once none of its files is pending, and emits its
// single event.
func settleBatch(tx *storage.Tx, id int64) error {
	b, err := tx.BatchUncounted(id)
	if err != nil || b.Status != dam.BatchProcessing {
		return err
	}
	if open, err := tx.HasOpenFiles(id); err != nil || open {
		return err
	}
	if b, err = tx.Batch(id); err != nil {
		return err
	}
	return endBatch(tx, id, b.Counts.Outcome())
}

func endBatch(tx *storage.Tx, id int64, status dam.BatchStatus) error {
	first, err := tx.EndBatch(id, status)
	if err != nil || !first {
		return err
	}
	b, err := tx.Batch(id)
	if err != nil {
		return err
	}
	if b.Counts.Ready+b.Counts.Duplicate > 0 {
		fills, err := fillable(tx, b)
		if err != nil {
			return err
		}
		if fills, err = tx.FilledByBatch(b, fills); err != nil {
			return err
		}
		for _, c := range fills { // once per batch, not per file
			if err := collection.MembersChanged(tx, b.CreatedByID, c); err != nil {
				return err
			}
		}
	}
	return tx.InsertEvent(dam.UploadBatchCompleted, fmt.Sprint(id), b)
}

// fillable returns the collections of a batch that its assets are added to: those
// that still exist, have no rules, and may still be viewed and filled by the owner
// of the batch.
func fillable(tx *storage.Tx, b *dam.Batch) ([]int64, error) {
	if len(b.CollectionIDs) == 0 {
		return nil, nil
	}
	u, err := tx.User(b.CreatedByID)
	if err != nil {
		return nil, err
	}
	owner := dam.Actor{User: u}
	if access.MayFillCollections(owner) != nil {
		return nil, nil
	}
	unknown, ruled, err := tx.Unfillable(access.Viewer(owner), b.CollectionIDs)
	var list []int64
	for _, id := range b.CollectionIDs {
		if !unknown[id] && !ruled[id] && !slices.Contains(list, id) {
			list = append(list, id)
		}
	}
	return list, err
}

// CompleteBatch closes a batch: it accepts no more files and ends with the last of
// those it has. Closing a closed batch has no effect.
func (ups *Uploads) CompleteBatch(ctx context.Context, actor dam.Actor, id int64) (b *dam.Batch, err error) {
	err = ups.Store.Update(ctx, func(tx *storage.Tx) error {
		if b, err = batch(tx, actor, id); err != nil {
			return err
		}
		if b.Status == dam.BatchCancelled {
			return dam.Errorf(dam.Conflict, "The upload batch is cancelled.")
		}
		if err := tx.CloseBatch(id); err != nil {
			return err
		}
		if err := settleBatch(tx, id); err != nil {
			return err
		}
		b, err = tx.Batch(id)
		return err
	})
	return access.ShownBatch(actor, b, err)
}

// CancelBatch cancels a batch: unfinished files fail as cancelled, while those that
// became assets stay.
func (ups *Uploads) CancelBatch(ctx context.Context, actor dam.Actor, id int64) (b *dam.Batch, err error) {
	err = ups.Store.Update(ctx, func(tx *storage.Tx) error {
		if b, err = batch(tx, actor, id); err != nil {
			return err
		}
		if b.Status.Terminal() {
			return dam.Errorf(dam.Conflict, "The upload batch is already %s.", b.Status)
		}
		files, err := tx.OpenFiles(id)
		if err != nil {
			return err
		}
		for _, f := range files {
			if err := tx.DropJobs(dam.JobIngest, f.ID); err != nil {
				return err
			}
			sha := f.SHA256
			f.Status, f.SHA256 = dam.FileFailed, ""
			f.Error = &dam.FileError{Code: dam.CodeCancelled, Message: "The upload batch was cancelled."}
			if err := tx.SetFileState(f); err != nil {
				return err
			}
			if err := ups.Ingest.placed(tx, f, sha); err != nil {
				return err
			}
			if err := ups.Originals.Release(tx, sha); err != nil {
				return err
			}
		}
		if err := endBatch(tx, id, dam.BatchCancelled); err != nil {
			return err
		}
		b, err = tx.Batch(id)
		return err
	})
	return access.ShownBatch(actor, b, err)
}

// RetryFile requeues a failed file of a batch.
func (ups *Uploads) RetryFile(ctx context.Context, actor dam.Actor, batchID, id int64) (f *dam.BatchFile, err error) {
	err = ups.Store.Update(ctx, func(tx *storage.Tx) error {
		b, err := batch(tx, actor, batchID)
		if err != nil {
			return err
		}
		if err := access.MayFillBatch(actor, b); err != nil {
			return err
		}
		if f, err = tx.BatchFile(id); err != nil {
			return err
		}
		switch {
		case f.BatchID != batchID:
			return dam.Errorf(dam.NotFound, "File not found.")
		case b.Status == dam.BatchCancelled:
			return dam.Errorf(dam.Conflict, "The upload batch is cancelled.")
		case f.Status != dam.FileFailed || f.SHA256 == "" || !f.Error.Retryable:
			return dam.Errorf(dam.Conflict, "The file is %s: it cannot be tried again.", f.Status)
		}
		if err := tx.DropJobs(dam.JobIngest, id); err != nil { // the failed job
			return err
		}
		if err := tx.RequeueFile(f); err != nil {
			return err
		}
		if err := ups.Jobs.AddFile(tx, id); err != nil {
			return err
		}
		f, err = tx.BatchFile(id)
		return err
	})
	return f, err
}

// CloseIdle closes batches that have received no file since a given time. A batch without
// any files is cancelled.
func CloseIdle(tx *storage.Tx, since time.Time) (int64, error) {
	idle, err := tx.IdleBatches(since, storage.Step)
	if err != nil {
		return 0, err
	}
	return int64(len(idle)), CloseAll(tx, idle)
}

// CloseAll closes open batches. A batch without any files is cancelled.
func CloseAll(tx *storage.Tx, open []int64) error {
	for _, id := range open {
		b, err := tx.Batch(id)
		if err != nil {
			return err
		}
		if b.Counts.Total == 0 {
			err = endBatch(tx, id, dam.BatchCancelled)
		} else if err = tx.CloseBatch(id); err == nil {
			err = settleBatch(tx, id)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
