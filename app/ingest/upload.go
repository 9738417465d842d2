package ingest

import (
	"context"
	"io"

	"github.com/dustin/go-humanize"

	"github.com/digital-asset-library/dal/app/access"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/job"
	"github.com/digital-asset-library/dal/app/library"
	"github.com/digital-asset-library/dal/app/original"
	"github.com/digital-asset-library/dal/storage"
	"github.com/digital-asset-library/dal/storage/blob"
)

// Upload receives files for a batch. None of them is in the library before Commit,
// which adds all or none.
type Upload struct {
	store     *storage.Store
	originals *original.Files
	jobs      *job.Queue
	Limits    uploadLimits
	actor     dam.Actor
	Batch     int64 // 0 if open creates one
	Open      func(*storage.Tx) (*dam.Batch, error)
	Files     []*dam.BatchFile
	Temps     []*blob.Temp            // of the files whose content is kept
	About     dam.GAID                // asset of the next file, a sidecar; "" to derive it from the name
	Then      func(*storage.Tx) error // further changes in the same commit; nil for none
}

// uploadLimits holds the limits of an upload.
type uploadLimits struct {
	FileSize     int64 // in bytes
	RequestFiles int
	batchFiles   int
}

// NewUpload starts an upload into an open batch. The caller must Commit or Discard
// it.
func (ups *Uploads) NewUpload(ctx context.Context, actor dam.Actor, id int64) (*Upload, error) {
	err := ups.Store.View(ctx, func(tx *storage.Tx) error {
		_, err := openBatch(tx, actor, id)
		return err
	})
	if err == nil {
		err = ups.Disks.Room(library.BlobsDir)(0)
	}
	if err != nil {
		return nil, err
	}
	return ups.Upload(actor, id), nil
}

// Upload returns an upload into a batch that is known to accept files.
func (ups *Uploads) Upload(actor dam.Actor, batch int64) *Upload {
	return &Upload{
		store: ups.Store, originals: ups.Originals, jobs: ups.Jobs, actor: actor, Batch: batch,
		Limits: uploadLimits{ups.Config.MaxFileSize, ups.Config.MaxRequestFiles, ups.Config.MaxBatchFiles},
	}
}

// openBatch returns a batch that accepts files from the actor.
func openBatch(tx *storage.Tx, actor dam.Actor, id int64) (*dam.Batch, error) {
	b, err := batch(tx, actor, id)
	if err == nil {
		err = access.MayFillBatch(actor, b)
	}
	if err == nil {
		err = b.Takes(0, b.Counts.Total)
	}
	return b, err
}

// Add streams one file to disk. A file that is empty or larger than the limit is
// read to its end and recorded as rejected; it does not stop the upload.
func (u *Upload) Add(ctx context.Context, filename string, r io.Reader) error {
	switch most := u.Limits.RequestFiles; {
	case len(u.Files) < most:
	case most == 1:
		return dam.InvalidField("file", "A request takes one file.")
	default:
		return dam.InvalidField("file", "A request takes at most %d files.", most)
	}
	t, err := u.originals.Blobs.Create(ctx)
	if err != nil {
		return err
	}
	f := &dam.BatchFile{Filename: dam.CleanFilename(filename), Status: dam.FileQueued, GAID: u.About}
	n, err := io.Copy(t, io.LimitReader(r, u.Limits.FileSize+1))
	if err != nil {
		t.Discard()
		return err
	}
	switch {
	case n == 0:
		reject(f, dam.CodeCorrupt, "The file is empty.")
	case n > u.Limits.FileSize:
		t.Discard()
		rest, err := io.Copy(io.Discard, r)
		if err != nil {
			return err
		}
		n += rest
		reject(f, dam.CodeTooLarge, TooLarge(n, u.Limits.FileSize))
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
		u.Temps = append(u.Temps, t)
	}
	u.Files = append(u.Files, f)
	return nil
}

func reject(f *dam.BatchFile, code dam.FileErrorCode, why string) {
	f.Status, f.Error = dam.FileRejected, &dam.FileError{Code: code, Message: why}
}

// Commit adds the files to the batch and queues their ingestion. When it returns,
// they survive a power failure.
func (u *Upload) Commit(ctx context.Context) ([]*dam.BatchFile, error) {
	if len(u.Files) == 0 {
		return nil, dam.InvalidField("file", "file is required.")
	}
	err := u.originals.Blobs.Adopt(ctx, u.Temps, func() error { return u.store.Update(ctx, u.join) })
	if err != nil {
		u.takeBack()
	}
	u.Discard()
	return u.Files, err
}

// takeBack removes files that were stored before the database transaction failed.
func (u *Upload) takeBack() {
	for _, t := range u.Temps {
		if t.Placed() {
			u.originals.Remove(t.SHA256())
		}
	}
}

// join records the files and queues their ingestion.
func (u *Upload) join(tx *storage.Tx) error {
	if u.Open != nil {
		b, err := u.Open(tx)
		if err != nil {
			return err
		}
		u.Batch = b.ID
	}
	b, err := tx.TakeFiles(u.Batch, len(u.Files), u.Limits.batchFiles)
	if err != nil {
		return err
	}
	if err := access.MayFillBatch(u.actor, b); err != nil {
		return err
	}
	if err := u.originals.Uploaded(tx, u.Temps); err != nil {
		return err
	}
	for _, f := range u.Files {
		if f.SHA256 != "" {
			if err := tx.InsertBlob(f.SHA256, f.Size); err != nil {
				return err
			}
		}
		f.BatchID, f.OwnOnly = u.Batch, b.ShareID != 0 || access.MayChangeBySidecar(u.actor) != nil
		if f.Stem == "" {
			f.Stem = dam.Stem("", f.Filename)
		}
		if err := tx.InsertBatchFile(f); err != nil {
			return err
		}
		if f.Status == dam.FileQueued {
			if err := u.jobs.AddFile(tx, f.ID); err != nil {
				return err
			}
		}
	}
	if u.Then != nil {
		if err := u.Then(tx); err != nil {
			return err
		}
	}
	if b.ExpectedFiles > 0 && b.Counts.Total+len(u.Files) >= b.ExpectedFiles {
		if err := tx.CloseBatch(u.Batch); err != nil {
			return err
		}
	}
	return settleBatch(tx, u.Batch)
}

// Discard removes files that were not committed.
func (u *Upload) Discard() {
	for _, t := range u.Temps {
		t.Discard()
	}
	u.Temps = nil
}

// TooLarge returns the error message for a file that exceeds the size limit.
func TooLarge(n, limit int64) string {
	return "The file has " + humanize.Comma(n) + " bytes; the limit is " + humanize.Comma(limit) + "."
}
