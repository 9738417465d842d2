package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/job"
	"github.com/digital-asset-library/dal/app/media"
	"github.com/digital-asset-library/dal/app/scan"
	"github.com/digital-asset-library/dal/storage"
)

func defaultWorkers() int { return max(1, min(runtime.GOMAXPROCS(0), 8)) }

// scannerRetry is how long files wait for a scanner that is away before it is
// asked again.
const scannerRetry = 15 * time.Second

// ingestDeaths is how often the server may die with a file in hand before it
// leaves the file alone.
const ingestDeaths = 2

// NewGAID makes a GAID for an asset created at t.
func newGAID(t time.Time) dam.GAID {
	return dam.GAID(ulid.MustNew(ulid.Timestamp(t), ulid.DefaultEntropy()).String())
}

// ingest brings one file of a batch into the library: scan, validate, extract,
// and in one commit the asset, its event, its place in the index queue and the
// end of its batch. A fault of the file is an outcome; only what another
// attempt may mend is an error.
func (a *App) ingest(ctx context.Context, j *dam.Job) (job.Commit, error) {
	f, b, err := a.jobFile(ctx, j)
	if err != nil || f.Status.Terminal() {
		return nil, err
	}
	commit, err := a.ingestFile(ctx, f, b)
	if fault, ok := errors.AsType[*dam.FileError](err); ok {
		if fault.Err != nil {
			a.log.InfoContext(ctx, "a file cannot be read", "filename", f.Filename, "batch", f.BatchID, "file", f.ID, "err", fault.Err)
		}
		return func(tx *storage.Tx) error { return a.endFile(tx, f, dam.FileRejected, fault) }, nil
	}
	if damageOf(err) != dam.DamageNone {
		fault := &dam.FileError{Code: dam.CodeInternal, Message: "The file is damaged on the server: upload it again.", Retryable: true}
		return func(tx *storage.Tx) error { return a.endFile(tx, f, dam.FileFailed, fault) }, nil
	}
	return commit, err
}

func (a *App) jobFile(ctx context.Context, j *dam.Job) (f *dam.BatchFile, b *dam.Batch, err error) {
	err = a.store.View(ctx, func(tx *storage.Tx) error {
		if f, err = tx.BatchFile(j.Subject); err != nil {
			return err
		}
		b, err = tx.Batch(f.BatchID)
		return err
	})
	return f, b, err
}

func (a *App) ingestFile(ctx context.Context, f *dam.BatchFile, b *dam.Batch) (job.Commit, error) {
	if err := a.stage(ctx, f, dam.FileScanning, nil); err != nil {
		return nil, err
	}
	verdict, err := a.scan.Scan(ctx, func() (io.ReadCloser, error) { return a.openBlob(ctx, f.SHA256, f.Size) }, f.Size)
	switch {
	case ctx.Err() != nil: // a scan that is broken off looks like a scanner that went away
		return nil, ctx.Err()
	case errors.Is(err, scan.ErrUnavailable):
		away := err
		wait := &dam.FileError{Code: dam.CodeInternal, Message: scannerAway, Retryable: true}
		if err := a.stage(ctx, f, dam.FileScanning, wait); err != nil {
			return nil, err
		}
		a.noteScanner(ctx, away)
		return nil, &job.Later{After: scannerRetry, Err: away, All: true}
	case errors.Is(err, scan.ErrTooLargeForScanner):
		return nil, &dam.FileError{Code: dam.CodeTooLarge, Message: "The file is larger than the virus scanner accepts (StreamMaxLength of clamd)."}
	case err != nil:
		return nil, fmt.Errorf("scan: %w", err)
	case verdict.Infected:
		return a.infected(f, verdict), nil
	}

	a.noteScanner(ctx, nil)
	if err := a.stage(ctx, f, dam.FileValidating, nil); err != nil {
		return nil, err
	}
	blob, err := a.openBlob(ctx, f.SHA256, f.Size)
	if err != nil {
		return nil, err
	}
	defer blob.Close()
	if _, err := a.media.Check(ctx, blob, f.Size, f.Filename); err != nil {
		return nil, err
	}
	if !b.AllowDuplicates {
		if gaid, err := a.duplicateOf(ctx, f.SHA256); err != nil || gaid != "" {
			return func(tx *storage.Tx) error { return a.endDuplicate(tx, f, b, gaid) }, err
		}
	}

	if err := a.stage(ctx, f, dam.FileExtracting, nil); err != nil {
		return nil, err
	}
	m, err := a.media.Extract(ctx, blob, f.Size, f.Filename)
	if err != nil {
		return nil, err
	}
	if err := keepRenditions(a.cache, f.SHA256, m.Picture); err != nil {
		return nil, err
	}
	return func(tx *storage.Tx) error { return a.admit(tx, f, b, m) }, nil
}

// stage notes where a file is on its way, and what it waits for.
func (a *App) stage(ctx context.Context, f *dam.BatchFile, status dam.FileStatus, wait *dam.FileError) error {
	f.Status, f.Error = status, wait
	return a.store.Note(ctx, func(tx *storage.Tx) error { return tx.SetFileState(f) })
}

// admit makes an asset of a file.
func (a *App) admit(tx *storage.Tx, f *dam.BatchFile, b *dam.Batch, m *media.Result) error {
	if !b.AllowDuplicates {
		gaid, err := tx.DuplicateOf(f.SHA256)
		if err == nil {
			return a.endDuplicate(tx, f, b, gaid)
		}
		if dam.KindOf(err) != dam.NotFound {
			return err
		}
	}
	schema, err := a.schemas.in(tx)
	if err != nil {
		return err
	}
	asset := &dam.Asset{
		GAID: newGAID(tx.Now()), Title: m.Title, OriginalFilename: f.Filename,
		MIMEType: m.Type.MIME, FileCategory: m.Type.Category, Extension: m.Type.Extensions[0],
		Width: m.Width, Height: m.Height, PageCount: m.PageCount, FileSize: f.Size, SHA256: f.SHA256,
		AssetClassID: b.AssetClassID, BatchID: b.ID, CaptureDate: m.CaptureDate, Creator: m.Creator, Copyright: m.Copyright,
		Keywords: dam.CleanWords(m.Keywords), WorkflowStatus: dam.WorkflowDraft, ProcessingStatus: dam.ProcessingReady,
		Metadata: schema.Ingested(b.AssetClassID, b.Metadata), Technical: m.Technical,
		OwnerID: b.CreatedByID, CreatedByID: b.CreatedByID, UpdatedByID: b.CreatedByID,
	}
	if m.Picture != nil {
		asset.Colors, asset.ThumbHash, asset.PHash = m.Picture.Colors, m.Picture.ThumbHash, m.Picture.PHash
	}
	asset.Clamp() // its title, for one without
	if err := tx.InsertAsset(asset); err != nil {
		return err
	}
	fills, err := fillable(tx, b)
	if err != nil {
		return err
	}
	if err := tx.AddToCollections(asset.ID, fills); err != nil {
		return err
	}
	if err := tx.InsertEvent(dam.AssetCreated, string(asset.GAID), asset); err != nil {
		return err
	}
	tx.OnCommit(a.changed)
	f.GAID = asset.GAID
	return a.endFile(tx, f, dam.FileReady, nil)
}

// endFile puts a file in a final state, gives up its bytes unless a retry may
// need them, and ends its batch with it.
func (a *App) endFile(tx *storage.Tx, f *dam.BatchFile, status dam.FileStatus, fault *dam.FileError) error {
	sha := f.SHA256
	f.Status, f.Error = status, fault
	if status != dam.FileFailed || !fault.Retryable {
		f.SHA256 = ""
	}
	err := tx.SetFileState(f)
	if dam.KindOf(err) == dam.Conflict {
		return storage.ErrLeaseLost // it was cancelled meanwhile: nothing of this may be committed
	}
	if err != nil {
		return err
	}
	if status != dam.FileReady && f.SHA256 == "" {
		if err := a.release(tx, sha); err != nil {
			return err
		}
	}
	return settle(tx, f.BatchID)
}

// endDuplicate ends a file whose bytes an asset has, which goes into the
// collections of the batch in its stead.
func (a *App) endDuplicate(tx *storage.Tx, f *dam.BatchFile, b *dam.Batch, gaid dam.GAID) error {
	fills, err := fillable(tx, b)
	if err != nil {
		return err
	}
	for _, c := range fills {
		found, err := tx.Locate(c, []dam.GAID{gaid})
		if err != nil {
			return err
		}
		asset, there := found[gaid]
		if !there || asset.Trashed || asset.Member {
			continue
		}
		if err := tx.AddToCollection(c, []int64{asset.ID}); err != nil {
			return err
		}
		if err := tx.AllChanged([]int64{asset.ID}); err != nil {
			return err
		}
		tx.OnCommit(a.changed)
	}
	f.GAID = gaid
	return a.endFile(tx, f, dam.FileDuplicate, &dam.FileError{Code: dam.CodeDuplicate, Message: "The library has this file already, as " + string(gaid) + "."})
}

func (a *App) duplicateOf(ctx context.Context, sha string) (gaid dam.GAID, err error) {
	err = a.store.View(ctx, func(tx *storage.Tx) error {
		gaid, err = tx.DuplicateOf(sha)
		return err
	})
	if dam.KindOf(err) == dam.NotFound {
		err = nil
	}
	return gaid, err
}

// infected rejects a file. Its bytes stay referenced until upkeep has moved
// them to the quarantine.
func (a *App) infected(f *dam.BatchFile, v scan.Result) job.Commit {
	return func(tx *storage.Tx) error {
		f.Status = dam.FileRejected
		f.Error = &dam.FileError{Code: dam.CodeInfected, Message: fmt.Sprintf("%s found %s. The file is in quarantine.", v.Engine, v.Signature)}
		err := tx.SetFileState(f)
		if dam.KindOf(err) == dam.Conflict {
			return storage.ErrLeaseLost
		}
		if err != nil {
			return err
		}
		tx.OnCommit(a.upkeepSoon)
		return settle(tx, f.BatchID)
	}
}

// ingestDied fails a file whose job has used up its attempts.
func (a *App) ingestDied(tx *storage.Tx, j *dam.Job) error {
	f, err := tx.BatchFile(j.Subject)
	if err != nil || f.Status.Terminal() {
		return err
	}
	if j.Deaths >= ingestDeaths {
		return a.endFile(tx, f, dam.FileFailed, &dam.FileError{Code: dam.CodeLimitsExceeded, Retryable: true,
			Message: "The server stopped while it read this file, more than once. It may need more memory than there is; it can be tried again."})
	}
	return a.endFile(tx, f, dam.FileFailed, &dam.FileError{Code: dam.CodeInternal, Retryable: true,
		Message: "The file could not be processed. The server's log says why; it can be tried again."})
}
