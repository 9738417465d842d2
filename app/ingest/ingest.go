package ingest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/digital-asset-library/dal/app/analyze"
	assets "github.com/digital-asset-library/dal/app/asset"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/index"
	"github.com/digital-asset-library/dal/app/job"
	"github.com/digital-asset-library/dal/app/media"
	"github.com/digital-asset-library/dal/app/original"
	"github.com/digital-asset-library/dal/app/render"
	"github.com/digital-asset-library/dal/app/scan"
	"github.com/digital-asset-library/dal/storage"
)

// scannerRetry is how long files wait before they retry an unreachable scanner.
const scannerRetry = 15 * time.Second

// Deaths is how often the server may crash while working on a file before it gives up
// on the file.
const Deaths = 2

// newGAID generates a GAID for an asset created at t.
func newGAID(t time.Time) dam.GAID {
	return dam.GAID(ulid.MustNew(ulid.Timestamp(t), ulid.DefaultEntropy()).String())
}

// Ingester brings the files of upload batches into the library.
type Ingester struct {
	Store      *storage.Store
	Originals  *original.Files
	Renditions *render.Renditions
	Media      *media.Processor
	Scanner    *Scanner
	Schemas    *index.Schemas
	Index      *index.Index
	Proxies    *render.Proxies
	Analyses   *analyze.Analyses
	Stacks     bool // whether the files of one photo become one asset
	Followups  *index.FollowUps
	Jobs       *job.Queue
	Suspect    func(root int64) // makes the external library be scanned soon
	Quarantine func()           // makes maintenance move infected files soon
	Log        *slog.Logger
}

// Work imports one file into the library: it scans, validates, extracts, and returns a
// single commit with the asset, its event, its entry in the index queue and the end of its
// batch. A fault of the file is an outcome; work returns an error only if another attempt
// may succeed.
func (g *Ingester) Work(ctx context.Context, j *dam.Job) (job.Commit, error) {
	f, b, err := g.jobFile(ctx, j)
	if err != nil || f.Status.Terminal() {
		return nil, err
	}
	commit, err := g.file(ctx, f, b)
	if original.IsUnavailable(err) {
		err = movedOn()
	}
	if fault, ok := errors.AsType[*dam.FileError](err); ok {
		if fault.Err != nil {
			g.Log.InfoContext(ctx, "a file cannot be read",
				"filename", f.Filename, "batch", f.BatchID, "file", f.ID, "err", fault.Err)
		}
		status := dam.FileRejected
		if fault.Retryable { // the server could not read it, which may not be the file's fault
			status = dam.FileFailed
		}
		return func(tx *storage.Tx) error { return g.endFile(tx, f, status, fault) }, nil
	}
	if original.DamageOf(err) != dam.DamageNone {
		fault := &dam.FileError{Code: dam.CodeInternal, Message: "The file is damaged on the server: upload it again.", Retryable: true}
		return func(tx *storage.Tx) error { return g.endFile(tx, f, dam.FileFailed, fault) }, nil
	}
	return commit, err
}

func (g *Ingester) jobFile(ctx context.Context, j *dam.Job) (f *dam.BatchFile, b *dam.Batch, err error) {
	err = g.Store.View(ctx, func(tx *storage.Tx) error {
		if f, err = tx.BatchFile(j.Subject); err != nil {
			return err
		}
		b, err = tx.BatchUncounted(f.BatchID)
		return err
	})
	return f, b, err
}

func (g *Ingester) file(ctx context.Context, f *dam.BatchFile, b *dam.Batch) (job.Commit, error) {
	stages, ctx := g.follow(ctx, f)
	defer stages.end()
	about, err := g.sidecarAsset(ctx, f, b)
	if err != nil {
		return nil, err
	}
	stages.enter(dam.FileScanning)
	verdict, err := g.Scanner.Scan(ctx, func() (io.ReadCloser, error) { return g.Originals.Open(ctx, f.SHA256, f.Size) }, f.Size)
	switch {
	case ctx.Err() != nil: // an interrupted scan looks like an unavailable scanner
		return nil, ctx.Err()
	case errors.Is(err, scan.ErrUnavailable):
		if err := stages.wait(ctx, &dam.FileError{Code: dam.CodeInternal, Message: scannerDown, Retryable: true}); err != nil {
			return nil, err
		}
		g.Scanner.note(ctx, err)
		return nil, &job.Later{After: scannerRetry, Err: err, All: true}
	case errors.Is(err, scan.ErrTooLargeForScanner):
		return nil, &dam.FileError{
			Code: dam.CodeTooLarge, Message: "The file is larger than the virus scanner accepts (StreamMaxLength of clamd).",
		}
	case err != nil:
		return nil, fmt.Errorf("scan: %w", err)
	case verdict.Infected:
		return g.infected(f, verdict), nil
	}

	g.Scanner.note(ctx, nil)
	stages.enter(dam.FileValidating)
	if about != "" {
		return g.sidecar(ctx, f, b, about)
	}
	blob, err := g.Originals.Open(ctx, f.SHA256, f.Size)
	if err != nil {
		return nil, err
	}
	defer blob.Close()
	kind, err := g.Media.Check(ctx, blob, f.Size, f.Filename)
	if err != nil {
		return nil, err
	}
	if err := g.checkHandIn(ctx, b, kind); err != nil {
		return nil, err
	}
	if b.VersionOf != "" {
		if err := g.checkVersion(ctx, b.VersionOf, kind); err != nil {
			return nil, err
		}
	}
	if !b.AllowDuplicates {
		if gaid, err := g.duplicateOf(ctx, f.SHA256); err != nil || gaid != "" {
			return func(tx *storage.Tx) error { return g.endDuplicate(tx, f, b, gaid) }, err
		}
	}

	stages.enter(dam.FileExtracting)
	m, err := g.Media.Extract(ctx, blob, f.Size, f.Filename)
	if err != nil {
		return nil, err
	}
	if err := g.Renditions.Keep(f.SHA256, m.Picture); err != nil {
		return nil, err
	}
	beside, err := g.renewalOf(ctx, f)
	if err != nil {
		return nil, err
	}
	return func(tx *storage.Tx) error { return g.take(tx, f, b, m, beside) }, nil
}

// admit creates an asset from a file. If the file is a new version of one in an external
// library, admit replaces the content of that file's asset, with its parts and sidecars in
// beside.
func (g *Ingester) admit(tx *storage.Tx, f *dam.BatchFile, b *dam.Batch, m *media.Result, beside *renewal) error {
	renewed, place, err := g.renews(tx, f)
	if fault, ok := errors.AsType[*dam.FileError](err); ok {
		return g.endFile(tx, f, dam.FileFailed, fault)
	}
	if err != nil {
		return err
	}
	if !b.AllowDuplicates {
		gaid, err := tx.DuplicateOf(f.SHA256)
		if err == nil {
			return g.endDuplicate(tx, f, b, gaid)
		}
		if dam.KindOf(err) != dam.NotFound {
			return err
		}
	}
	if renewed != nil {
		return g.renew(tx, renewed, f, b, m, beside)
	}
	schema, err := g.Schemas.In(tx)
	if err != nil {
		return err
	}
	metadata, schema, err := fromXMP(tx, schema, b.AssetClassID, b.Metadata, m.Properties, m.Technical)
	if err != nil {
		return err
	}
	asset := &dam.Asset{
		GAID: newGAID(tx.Now()), OriginalFilename: f.Filename,
		MIMEType: m.Type.MIME, FileCategory: m.Type.Category, Extension: m.Type.Extensions[0],
		Width: m.Width, Height: m.Height, DurationMS: m.Duration.Milliseconds(), PageCount: m.PageCount, FileSize: f.Size, SHA256: f.SHA256,
		AssetClassID: b.AssetClassID, BatchID: b.ID, OCRText: m.Text,
		WorkflowStatus: firstStatus(b), ProcessingStatus: dam.ProcessingReady,
		Metadata: schema.Ingested(b.AssetClassID, metadata), Technical: m.Technical,
		OwnerID: b.CreatedByID, CreatedByID: b.CreatedByID, UpdatedByID: b.CreatedByID,
	}
	if m.Picture != nil {
		asset.Colors, asset.ThumbHash, asset.PHash = m.Picture.Colors, m.Picture.ThumbHash, m.Picture.PHash
	}
	assets.Says(asset, &m.Facts)
	asset.Clamp() // also sets a missing title
	asset.Availability = dam.Available
	if err := g.locate(tx, asset, place); err != nil {
		return err
	}
	if err := tx.InsertAsset(asset); err != nil {
		return err
	}
	if place != nil {
		if err := setSaid(tx, f.SHA256, &m.Facts); err != nil {
			return err
		}
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
	if err := g.Proxies.Want(tx, asset); err != nil {
		return err
	}
	if err := g.Analyses.Want(tx, asset); err != nil {
		return err
	}
	tx.OnCommit(g.Index.Changed)
	f.GAID = asset.GAID
	return g.endFile(tx, f, dam.FileReady, nil)
}

// endFile sets the final state of a file, releases its content unless a retry may need it,
// and ends its batch if it was the last file.
func (g *Ingester) endFile(tx *storage.Tx, f *dam.BatchFile, status dam.FileStatus, fault *dam.FileError) error {
	sha := f.SHA256
	f.Status, f.Error = status, fault
	if status != dam.FileReady {
		f.Warning = ""
	}
	if status != dam.FileFailed || !fault.Retryable {
		f.SHA256 = ""
	}
	err := tx.SetFileState(f)
	if dam.KindOf(err) == dam.Conflict {
		return storage.ErrLeaseLost // cancelled in the meantime: nothing of this may be committed
	}
	if err != nil {
		return err
	}
	if err := g.placed(tx, f, sha); err != nil {
		return err
	}
	if status != dam.FileReady && f.SHA256 == "" {
		if err := g.Originals.Release(tx, sha); err != nil {
			return err
		}
	}
	return settleBatch(tx, f.BatchID)
}

// endDuplicate ends a file whose content an asset already has, and adds that asset to the
// collections of the batch instead.
func (g *Ingester) endDuplicate(tx *storage.Tx, f *dam.BatchFile, b *dam.Batch, gaid dam.GAID) error {
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
		tx.OnCommit(g.Index.Changed)
	}
	f.GAID = gaid
	fault := &dam.FileError{Code: dam.CodeDuplicate, Message: "The library already has this file, as " + string(gaid) + "."}
	return g.endFile(tx, f, dam.FileDuplicate, fault)
}

func (g *Ingester) duplicateOf(ctx context.Context, sha string) (gaid dam.GAID, err error) {
	err = g.Store.View(ctx, func(tx *storage.Tx) error {
		gaid, err = tx.DuplicateOf(sha)
		return err
	})
	if dam.KindOf(err) == dam.NotFound {
		err = nil
	}
	return gaid, err
}

// infected rejects a file. Its content stays referenced until maintenance has moved it to
// the quarantine.
func (g *Ingester) infected(f *dam.BatchFile, v scan.Result) job.Commit {
	return func(tx *storage.Tx) error {
		placed, err := tx.IsPlaced(f.SHA256)
		if err != nil {
			return err
		}
		if placed { // it is not ours to move
			return g.endFile(tx, f, dam.FileRejected, &dam.FileError{
				Code: dam.CodeInfected, Message: fmt.Sprintf("%s found %s. The file was left where it is.", v.Engine, v.Signature),
			})
		}
		f.Status = dam.FileRejected
		f.Error = &dam.FileError{
			Code: dam.CodeInfected, Message: fmt.Sprintf("%s found %s. The file is in quarantine.", v.Engine, v.Signature),
		}
		err = tx.SetFileState(f)
		if dam.KindOf(err) == dam.Conflict {
			return storage.ErrLeaseLost
		}
		if err != nil {
			return err
		}
		tx.OnCommit(g.Quarantine)
		return settleBatch(tx, f.BatchID)
	}
}

// Died fails a file whose job has used up its attempts.
func (g *Ingester) Died(tx *storage.Tx, j *dam.Job) error {
	f, err := tx.BatchFile(j.Subject)
	if err != nil || f.Status.Terminal() {
		return err
	}
	if j.Deaths >= Deaths {
		return g.endFile(tx, f, dam.FileFailed, &dam.FileError{Code: dam.CodeLimitsExceeded, Retryable: true,
			Message: "The server stopped more than once while it read this file, which may need more memory than there is. " +
				"You can try again."})
	}
	return g.endFile(tx, f, dam.FileFailed, &dam.FileError{Code: dam.CodeInternal, Retryable: true,
		Message: "The file could not be processed. The server's log says why; you can try again."})
}
