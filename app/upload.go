package app

import (
	"context"
	"io"

	"github.com/dustin/go-humanize"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
	"github.com/digital-asset-library/dal/storage/blob"
)

// Upload receives files for a batch. None of them is in the library before Commit,
// which adds all or none.
type Upload struct {
	store     *storage.Store
	originals *originals
	jobs      *jobs
	limits    uploadLimits
	actor     dam.Actor
	batch     int64 // 0 if open creates one
	open      func(*storage.Tx) (*dam.Batch, error)
	files     []*dam.BatchFile
	temps     []*blob.Temp            // of the files whose content is kept
	about     dam.GAID                // asset of the next file, a sidecar; "" to derive it from the name
	then      func(*storage.Tx) error // further changes in the same commit; nil for none
}

// uploadLimits holds the limits of an upload.
type uploadLimits struct {
	fileSize     int64 // in bytes
	requestFiles int
	batchFiles   int
}

// NewUpload starts an upload into an open batch. The caller must Commit or Discard
// it.
func (ups *Uploads) NewUpload(ctx context.Context, actor dam.Actor, id int64) (*Upload, error) {
	err := ups.store.View(ctx, func(tx *storage.Tx) error {
		_, err := openBatch(tx, actor, id)
		return err
	})
	if err == nil {
		err = ups.disks.room(blobsDir)(0)
	}
	if err != nil {
		return nil, err
	}
	return ups.upload(actor, id), nil
}

// upload returns an upload into a batch that is known to accept files.
func (ups *Uploads) upload(actor dam.Actor, batch int64) *Upload {
	return &Upload{
		store: ups.store, originals: ups.originals, jobs: ups.jobs, actor: actor, batch: batch,
		limits: uploadLimits{ups.cfg.MaxFileSize, ups.cfg.MaxRequestFiles, ups.cfg.MaxBatchFiles},
	}
}

// openBatch returns a batch that accepts files from the actor.
func openBatch(tx *storage.Tx, actor dam.Actor, id int64) (*dam.Batch, error) {
	b, err := batch(tx, actor, id)
	if err == nil {
		err = mayFillBatch(actor, b)
	}
	if err == nil {
		err = b.Takes(0, b.Counts.Total)
	}
	return b, err
}

// Add streams one file to disk. A file that is empty or larger than the limit is
// read to its end and recorded as rejected; it does not stop the upload.
func (u *Upload) Add(ctx context.Context, filename string, r io.Reader) error {
	switch most := u.limits.requestFiles; {
	case len(u.files) < most:
	case most == 1:
		return dam.InvalidField("file", "A request takes one file.")
	default:
		return dam.InvalidField("file", "A request takes at most %d files.", most)
	}
	t, err := u.originals.blobs.Create(ctx)
	if err != nil {
		return err
	}
	f := &dam.BatchFile{Filename: dam.CleanFilename(filename), Status: dam.FileQueued, GAID: u.about}
	n, err := io.Copy(t, io.LimitReader(r, u.limits.fileSize+1))
	if err != nil {
		t.Discard()
		return err
	}
	switch {
	case n == 0:
		reject(f, dam.CodeCorrupt, "The file is empty.")
	case n > u.limits.fileSize:
		t.Discard()
		rest, err := io.Copy(io.Discard, r)
		if err != nil {
			return err
		}
		n += rest
		reject(f, dam.CodeTooLarge, tooLarge(n, u.limits.fileSize))
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

func reject(f *dam.BatchFile, code dam.FileErrorCode, why string) {
	f.Status, f.Error = dam.FileRejected, &dam.FileError{Code: code, Message: why}
}

// Commit adds the files to the batch and queues their ingestion. When it returns,
// they survive a power failure.
func (u *Upload) Commit(ctx context.Context) ([]*dam.BatchFile, error) {
	if len(u.files) == 0 {
		return nil, dam.InvalidField("file", "file is required.")
	}
	err := u.originals.blobs.Adopt(ctx, u.temps, func() error { return u.store.Update(ctx, u.join) })
	if err != nil {
		u.takeBack()
	}
	u.Discard()
	return u.files, err
}

// takeBack removes files that were stored before the database transaction failed.
func (u *Upload) takeBack() {
	for _, t := range u.temps {
		if t.Placed() {
			u.originals.remove(t.SHA256())
		}
	}
}

// join records the files and queues their ingestion.
func (u *Upload) join(tx *storage.Tx) error {
	if u.open != nil {
		b, err := u.open(tx)
		if err != nil {
			return err
		}
		u.batch = b.ID
	}
	b, err := tx.TakeFiles(u.batch, len(u.files), u.limits.batchFiles)
	if err != nil {
		return err
	}
	if err := mayFillBatch(u.actor, b); err != nil {
		return err
	}
	if err := u.originals.uploaded(tx, u.temps); err != nil {
		return err
	}
	for _, f := range u.files {
		if f.SHA256 != "" {
			if err := tx.InsertBlob(f.SHA256, f.Size); err != nil {
				return err
			}
		}
		f.BatchID, f.OwnOnly = u.batch, b.ShareID != 0 || mayChangeBySidecar(u.actor) != nil
		if f.Stem == "" {
			f.Stem = dam.Stem("", f.Filename)
		}
		if err := tx.InsertBatchFile(f); err != nil {
			return err
		}
		if f.Status == dam.FileQueued {
			if err := u.jobs.addFile(tx, f.ID); err != nil {
				return err
			}
		}
	}
	if u.then != nil {
		if err := u.then(tx); err != nil {
			return err
		}
	}
	if b.ExpectedFiles > 0 && b.Counts.Total+len(u.files) >= b.ExpectedFiles {
		if err := tx.CloseBatch(u.batch); err != nil {
			return err
		}
	}
	return settleBatch(tx, u.batch)
}

// Discard removes files that were not committed.
func (u *Upload) Discard() {
	for _, t := range u.temps {
		t.Discard()
	}
	u.temps = nil
}

// tooLarge returns the error message for a file that exceeds the size limit.
func tooLarge(n, limit int64) string {
	return "The file has " + humanize.Comma(n) + " bytes; the limit is " + humanize.Comma(limit) + "."
}
