package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
	"github.com/digital-asset-library/dal/storage/blob"
)

// MaxOpenBatches is how many upload batches of a user may be open or processing.
const MaxOpenBatches = 1000

// CreateBatch opens an upload batch for the actor.
func (a *App) CreateBatch(ctx context.Context, actor dam.Actor, b *dam.Batch) error {
	b.CreatedByID = actor.User.ID
	return a.store.Update(ctx, func(tx *storage.Tx) error {
		if err := mayFillBatch(actor, b); err != nil {
			return err
		}
		schema, err := a.schemas.in(tx)
		if err != nil {
			return err
		}
		if err := b.Validate(a.cfg.MaxBatchFiles, schema); err != nil {
			return err
		}
		if n, err := tx.CountOpenBatches(b.CreatedByID); err != nil || n >= MaxOpenBatches {
			return either(err, dam.Errorf(dam.Conflict, "You have %d upload batches that have not ended; complete or cancel one first.", n))
		}
		var p dam.Problems
		if b.AssetClassID != 0 {
			ok, err := tx.HasName(storage.AssetClasses, b.AssetClassID)
			if err != nil {
				return err
			}
			if !ok {
				p.Add("asset_class_id", "The selected asset class id is invalid.")
			}
		}
		unknown, ruled, err := tx.Unfillable(viewer(actor), b.CollectionIDs)
		if err != nil {
			return err
		}
		for i, id := range b.CollectionIDs {
			switch path := fmt.Sprintf("collection_ids.%d", i); {
			case unknown[id]:
				p.Add(path, "The selected collection %d is invalid.", id)
			case ruled[id]:
				p.Add(path, "The collection %d fills itself by its rules.", id)
			}
		}
		if err := p.Err(); err != nil {
			return err
		}
		return tx.InsertBatch(b)
	})
}

// batch returns a batch that the actor may see: its own, or any for an admin.
func batch(tx *storage.Tx, actor dam.Actor, id int64) (*dam.Batch, error) {
	if err := mayUpload(actor); err != nil {
		return nil, err
	}
	b, err := tx.Batch(id)
	if err == nil && !knowsBatch(actor, b.CreatedByID) {
		return nil, dam.Errorf(dam.NotFound, "Upload batch not found.")
	}
	return b, err
}

// Batch returns an upload batch with its counts.
func (a *App) Batch(ctx context.Context, actor dam.Actor, id int64) (b *dam.Batch, err error) {
	err = a.store.View(ctx, func(tx *storage.Tx) error {
		b, err = batch(tx, actor, id)
		return err
	})
	if err != nil {
		return nil, err
	}
	a.tellWaiting(b)
	return shownBatch(actor, b, err)
}

// Batches lists the actor's upload batches, or everybody's for an admin,
// newest first, and how many there are.
func (a *App) Batches(ctx context.Context, actor dam.Actor, p dam.Page) (batches []*dam.Batch, total int, err error) {
	user := actor.User.ID
	if seesAllBatches(actor) {
		user = 0
	}
	err = a.store.View(ctx, func(tx *storage.Tx) error {
		if err := mayUpload(actor); err != nil {
			return err
		}
		batches, total, err = tx.Batches(user, p)
		return err
	})
	a.tellWaiting(batches...)
	for _, b := range batches {
		ShowBatch(actor, b)
	}
	return batches, total, err
}

// BatchFiles lists the files of a batch in the order they came, those in a
// state or all when it is "", and how many there are.
func (a *App) BatchFiles(ctx context.Context, actor dam.Actor, id int64, status dam.FileStatus, p dam.Page) (files []*dam.BatchFile, total int, err error) {
	err = a.store.View(ctx, func(tx *storage.Tx) error {
		if _, err := batch(tx, actor, id); err != nil {
			return err
		}
		files, total, err = tx.BatchFiles(id, status, p)
		return err
	})
	return files, total, err
}

// Upload receives files for a batch. Nothing is in the library before Commit,
// which takes all of them or none.
type Upload struct {
	app   *App
	actor dam.Actor
	batch int64
	files []*dam.BatchFile
	temps []*blob.Temp // of the files that have bytes worth keeping
}

// NewUpload begins an upload into an open batch. The caller must Commit or
// Discard it.
func (a *App) NewUpload(ctx context.Context, actor dam.Actor, id int64) (*Upload, error) {
	err := a.store.View(ctx, func(tx *storage.Tx) error {
		b, err := batch(tx, actor, id)
		if err == nil {
			err = mayFillBatch(actor, b)
		}
		if err == nil && b.Status != dam.BatchOpen {
			err = dam.Errorf(dam.Conflict, "The upload batch is %s: it takes no more files.", b.Status)
		}
		return err
	})
	if err == nil {
		err = a.disks.room(dirBlobs)(0)
	}
	if err != nil {
		return nil, err
	}
	return &Upload{app: a, actor: actor, batch: id}, nil
}

// Add streams one file to the disk. A file that is empty or larger than the
// limit is read to its end and recorded as rejected; it does not stop the
// upload.
func (u *Upload) Add(ctx context.Context, filename string, r io.Reader) error {
	if len(u.files) >= u.app.cfg.MaxRequestFiles {
		return dam.InvalidField("file", "A request takes at most %d files.", u.app.cfg.MaxRequestFiles)
	}
	t, err := u.app.blobs.Create(ctx)
	if err != nil {
		return err
	}
	f := &dam.BatchFile{BatchID: u.batch, Filename: dam.CleanFilename(filename), Status: dam.FileQueued}
	n, err := io.Copy(t, io.LimitReader(r, u.app.cfg.MaxFileSize+1))
	if err != nil {
		t.Discard()
		return err
	}
	switch {
	case n == 0:
		f.Status, f.Error = dam.FileRejected, &dam.FileError{Code: dam.CodeCorrupt, Message: "The file is empty."}
	case n > u.app.cfg.MaxFileSize:
		t.Discard()
		rest, err := io.Copy(io.Discard, r)
		if err != nil {
			return err
		}
		n += rest
		f.Status, f.Error = dam.FileRejected, &dam.FileError{Code: dam.CodeTooLarge,
			Message: fmt.Sprintf("The file has %d bytes; the limit is %d.", n, u.app.cfg.MaxFileSize)}
	}
	f.Size = n
	if f.Status == dam.FileRejected {
		t.Discard()
	} else {
		if err := t.Finish(); err != nil {
			t.Discard()
			return err
		}
		f.SHA256 = t.SHA256()
		u.temps = append(u.temps, t)
	}
	u.files = append(u.files, f)
	return nil
}

// Commit puts the files in the batch and queues their ingestion. When it
// returns, they survive a loss of power.
func (u *Upload) Commit(ctx context.Context) ([]*dam.BatchFile, error) {
	a := u.app
	if len(u.files) == 0 {
		return nil, dam.InvalidField("file", "The file field is required.")
	}
	err := a.blobs.Adopt(ctx, u.temps, func() error {
		return a.store.Update(ctx, func(tx *storage.Tx) error {
			b, err := tx.TakeFiles(u.batch, len(u.files), a.cfg.MaxBatchFiles)
			if err != nil {
				return err
			}
			if err := mayFillBatch(u.actor, b); err != nil {
				return err
			}
			if err := a.uploaded(tx, u.temps); err != nil {
				return err
			}
			for _, f := range u.files {
				if f.SHA256 != "" {
					if err := tx.InsertBlob(f.SHA256, f.Size); err != nil {
						return err
					}
				}
				if err := tx.InsertBatchFile(f); err != nil {
					return err
				}
				if f.Status == dam.FileQueued {
					if err := tx.Enqueue(dam.JobIngest, f.ID, a.cfg.JobAttempts); err != nil {
						return err
					}
				}
			}
			if b.ExpectedFiles > 0 && b.Counts.Total+len(u.files) >= b.ExpectedFiles {
				if err := tx.CloseBatch(u.batch); err != nil {
					return err
				}
			}
			tx.OnCommit(func() { a.jobs.Wake(dam.JobIngest) })
			return settle(tx, u.batch)
		})
	})
	u.Discard()
	return u.files, err
}

// Discard forgets what was not committed.
func (u *Upload) Discard() {
	for _, t := range u.temps {
		t.Discard()
	}
	u.temps = nil
}

// settle ends a batch that is closed and has no file left to wait for, and
// writes its one event.
func settle(tx *storage.Tx, id int64) error {
	b, err := tx.Batch(id)
	if err != nil || b.Status != dam.BatchProcessing || b.Counts.Open() > 0 {
		return err
	}
	return end(tx, id, b.Counts.Outcome())
}

func end(tx *storage.Tx, id int64, status dam.BatchStatus) error {
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
		for _, c := range fills { // once a batch, not once a file
			if err := membersChanged(tx, b.CreatedByID, c); err != nil {
				return err
			}
		}
	}
	return tx.InsertEvent(dam.UploadBatchCompleted, fmt.Sprint(id), b)
}

// fillable returns the collections of a batch that its assets go in: those that
// are still there, filled by people and viewed by the user of the batch, who may
// fill them still.
func fillable(tx *storage.Tx, b *dam.Batch) ([]int64, error) {
	if len(b.CollectionIDs) == 0 {
		return nil, nil
	}
	u, err := tx.User(b.CreatedByID)
	if err != nil {
		return nil, err
	}
	owner := dam.Actor{User: u}
	if mayFillCollections(owner) != nil {
		return nil, nil
	}
	unknown, ruled, err := tx.Unfillable(viewer(owner), b.CollectionIDs)
	var list []int64
	for _, id := range b.CollectionIDs {
		if !unknown[id] && !ruled[id] && !slices.Contains(list, id) {
			list = append(list, id)
		}
	}
	return list, err
}

// CompleteBatch closes a batch: it takes no more files and ends with the last
// of those it has. Closing a batch that is closed changes nothing.
func (a *App) CompleteBatch(ctx context.Context, actor dam.Actor, id int64) (b *dam.Batch, err error) {
	err = a.store.Update(ctx, func(tx *storage.Tx) error {
		if b, err = batch(tx, actor, id); err != nil {
			return err
		}
		if b.Status == dam.BatchCancelled {
			return dam.Errorf(dam.Conflict, "The upload batch is cancelled.")
		}
		if err := tx.CloseBatch(id); err != nil {
			return err
		}
		if err := settle(tx, id); err != nil {
			return err
		}
		b, err = tx.Batch(id)
		return err
	})
	return shownBatch(actor, b, err)
}

// CancelBatch stops a batch: files that have not ended fail as cancelled,
// those that became assets stay.
func (a *App) CancelBatch(ctx context.Context, actor dam.Actor, id int64) (b *dam.Batch, err error) {
	err = a.store.Update(ctx, func(tx *storage.Tx) error {
		if b, err = batch(tx, actor, id); err != nil {
			return err
		}
		if b.Status.Terminal() {
			return dam.Errorf(dam.Conflict, "The upload batch is %s already.", b.Status)
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
			if err := a.release(tx, sha); err != nil {
				return err
			}
		}
		if err := end(tx, id, dam.BatchCancelled); err != nil {
			return err
		}
		b, err = tx.Batch(id)
		return err
	})
	return shownBatch(actor, b, err)
}

// RetryFile puts a failed file of a batch back in the queue.
func (a *App) RetryFile(ctx context.Context, actor dam.Actor, batchID, id int64) (f *dam.BatchFile, err error) {
	err = a.store.Update(ctx, func(tx *storage.Tx) error {
		b, err := batch(tx, actor, batchID)
		if err != nil {
			return err
		}
		if err := mayFillBatch(actor, b); err != nil {
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
		if err := tx.DropJobs(dam.JobIngest, id); err != nil { // the dead one
			return err
		}
		if err := tx.RequeueFile(f); err != nil {
			return err
		}
		if err := tx.Enqueue(dam.JobIngest, id, a.cfg.JobAttempts); err != nil {
			return err
		}
		tx.OnCommit(func() { a.jobs.Wake(dam.JobIngest) })
		f, err = tx.BatchFile(id)
		return err
	})
	return f, err
}

// release gives up one reference to a blob. When it was the last, the blob's
// row goes, and after the commit the file and what is derived from it.
func (a *App) release(tx *storage.Tx, sha string) error {
	if sha == "" {
		return nil
	}
	last, err := tx.ReleaseBlob(sha)
	if last {
		tx.OnCommit(func() { a.removeBlob(sha) })
	}
	return err
}

// removeBlob removes the file of a blob that has no row, unless it got one
// again, and what is derived from it. What cannot be removed now is moved
// aside at the next start.
func (a *App) removeBlob(sha string) {
	ctx := context.Background()
	_, err := a.blobs.Remove(ctx, sha, func(sha string) (bool, error) {
		known, err := a.blobKnown(ctx, sha)
		return !known, err
	})
	if err = errors.Join(err, a.cache.Remove(sha)); err != nil {
		a.log.Warn("remove a blob", "sha256", sha, "err", err)
	}
}

func (a *App) blobKnown(ctx context.Context, sha string) (known bool, err error) {
	err = a.store.View(ctx, func(tx *storage.Tx) error {
		known, err = tx.BlobKnown(sha)
		return err
	})
	return known, err
}
