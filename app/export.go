package app

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/job"
	"github.com/digital-asset-library/dal/storage"
	"github.com/digital-asset-library/dal/storage/blob"
)

// exportChunk is how many assets are read at once for an export, and how often
// its progress is noted.
const exportChunk = 100

// exportTurn makes the file of a user's next export. It is begun anew after a
// stop.
func (a *App) exportTurn(ctx context.Context, j *dam.Job) (job.Commit, error) {
	var next *dam.Operation
	err := a.store.View(ctx, func(tx *storage.Tx) (err error) {
		next, err = openOperation(tx, j.Kind, j.Subject)
		return err
	})
	if err != nil || next == nil {
		return func(tx *storage.Tx) error { return a.endTurn(tx, j) }, err
	}
	ctx, release := a.hands.take(ctx, next.ID)
	defer release()
	var op *dam.Operation
	var actor dam.Actor
	err = a.store.Update(ctx, func(tx *storage.Tx) (err error) {
		if op, actor, err = a.begin(tx, j); err != nil || op == nil {
			return err
		}
		if op.ID != next.ID { // that one has ended meanwhile
			op = nil
			return nil
		}
		return tx.UpdateOperation(op)
	})
	if err == nil && op != nil {
		if err = a.undoExport(ctx, op); err == nil {
			err = a.writeExport(ctx, op, actor)
		}
	}
	switch {
	case op == nil && err == nil || errors.Is(err, errCancelled) || errors.Is(context.Cause(ctx), errCancelled):
		return func(tx *storage.Tx) error {
			tx.OnCommit(func() { a.removeExport(next) }) // if it was finished in that moment
			return a.endTurn(tx, j)
		}, nil
	case errors.Is(err, errDenied):
		return a.endExport(j, op, denied()), nil
	case errors.Is(err, errQuota):
		return a.endExport(j, op, a.overQuota()), nil
	case dam.KindOf(err) == dam.NoSpace:
		a.log.ErrorContext(ctx, "the disk is full: an export fails", "operation", op.ID, "err", err)
		return a.endExport(j, op, &dam.OperationError{Code: dam.CodeNoSpace, Message: "The server's disk is full."}), nil
	case err != nil:
		return nil, err
	}
	return a.endExport(j, op, nil), nil
}

var errDenied = errors.New("the user or the token that started the export may not do this any more")

// goesOn returns errCancelled for an export that is told to stop, and errDenied
// for one whose user or token lost the right to it.
func goesOn(tx *storage.Tx, op *dam.Operation) error {
	now, err := tx.Operation(op.ID)
	if err != nil {
		return err
	}
	if now.State != dam.OperationRunning {
		return errCancelled
	}
	if _, may, err := starter(tx, op); err != nil || !may {
		return either(err, errDenied)
	}
	return nil
}

// undoExport takes back what an attempt has noted that was broken off.
func (a *App) undoExport(ctx context.Context, op *dam.Operation) error {
	for op.Next() > 0 {
		err := a.store.Note(ctx, func(tx *storage.Tx) error {
			if err := goesOn(tx, op); err != nil {
				return err
			}
			return tx.UndoItems(op, itemChunk)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// endExport ends an export that has its file, or a fault.
func (a *App) endExport(j *dam.Job, op *dam.Operation, fault *dam.OperationError) job.Commit {
	return func(tx *storage.Tx) error {
		now, err := tx.Operation(op.ID)
		switch {
		case err != nil:
			return err
		case now.State.Terminal() || now.State == dam.OperationCancelling:
			tx.OnCommit(func() { a.removeExport(op) })
		case fault != nil:
			err = a.endOperation(tx, op, dam.OperationFailed, fault)
		default:
			if op.File != nil {
				op.File.ExpiresAt = tx.Now().Add(a.cfg.ExportKeep)
			}
			err = a.endDone(tx, op)
		}
		if err != nil {
			return err
		}
		return a.endTurn(tx, j)
	}
}

// exportName is the name of an export's file on the disk.
func exportName(op *dam.Operation) string { return fmt.Sprintf("%d.%s", op.ID, op.Spec.Format) }

func (a *App) removeExport(op *dam.Operation) {
	if err := a.exports.Remove(exportName(op)); err != nil {
		a.log.Warn("remove an export", "operation", op.ID, "err", err)
	}
}

// sweepExports removes what a crash left among the exports. No job runs yet.
func (a *App) sweepExports(ctx context.Context) error {
	mine := func(name string) bool { _, ok := exportOf(name); return ok }
	return a.exports.Sweep(mine, func(name string) (has bool, err error) {
		id, _ := exportOf(name)
		err = a.store.View(ctx, func(tx *storage.Tx) error {
			has, err = tx.HasExport(id)
			return err
		})
		return has, err
	})
}

// exportOf returns the operation that an export's file is of, by its name.
func exportOf(name string) (id int64, ok bool) {
	number, format, _ := strings.Cut(name, ".")
	id, err := strconv.ParseInt(number, 10, 64)
	return id, err == nil && slices.Contains([]string{dam.ExportZIP, dam.ExportCSV, dam.ExportJSON}, format)
}

// expireExports removes the files of exports that are older than they are kept.
func (a *App) expireExports(ctx context.Context, now time.Time) error {
	var old []*dam.Operation
	err := a.store.View(ctx, func(tx *storage.Tx) (err error) {
		old, err = tx.ExpiredExports(now, upkeepStep)
		return err
	})
	for _, op := range old {
		e := a.exports.Remove(exportName(op))
		if e == nil {
			e = a.store.Update(ctx, func(tx *storage.Tx) error { return tx.ForgetExport(op.ID) })
		}
		err = errors.Join(err, e)
	}
	return err
}

// OpenExport opens the file of an export for an actor who sees it, and may have
// it as things are now.
func (a *App) OpenExport(ctx context.Context, actor dam.Actor, id int64) (*File, error) {
	var op *dam.Operation
	err := a.store.View(ctx, func(tx *storage.Tx) (err error) {
		if op, err = operation(tx, actor, id); err == nil && op.Type == dam.OperationExport {
			err = mayFetch(tx, actor, op)
		}
		return err
	})
	switch {
	case err != nil:
		return nil, err
	case op.Type != dam.OperationExport:
		return nil, dam.Errorf(dam.NotFound, "The operation has no file: it is no export.")
	case !op.State.Terminal():
		return nil, dam.Errorf(dam.Conflict, "The export is %s: its file is not there yet.", op.State)
	case op.State != dam.OperationDone && op.State != dam.OperationPartly:
		return nil, dam.Errorf(dam.NotFound, "The export is %s: it has no file.", op.State)
	}
	gone := dam.Errorf(dam.Gone, "The file of the export has expired; start it again.")
	if op.File == nil || !op.File.ExpiresAt.After(a.cfg.Now()) {
		return nil, gone
	}
	content, err := a.exports.Open(exportName(op))
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, blob.ErrIrregular) { // it expired in that moment, or somebody removed it
		return nil, gone
	}
	if err != nil {
		return nil, err
	}
	mime := map[string]string{dam.ExportZIP: "application/zip", dam.ExportCSV: "text/csv; charset=utf-8", dam.ExportJSON: "application/json"}
	return &File{Content: a.live(ctx, content), Name: "export-" + exportName(op), MIMEType: mime[op.Spec.Format], ETag: `"` + op.File.SHA256 + `"`, ModTime: *op.FinishedAt}, nil
}

// exporter writes one export.
type exporter struct {
	app   *App
	op    *dam.Operation
	actor dam.Actor
	out   io.Writer
	zip   *archive  // nil without files
	spool io.Writer // the records, one a line
	keys  map[string]bool
	named map[int64]bool // collections

	records *blob.Part // what is behind spool
}

// writeExport writes the file of op, and counts its items.
func (a *App) writeExport(ctx context.Context, op *dam.Operation, actor dam.Actor) error {
	out, err := a.exports.Create(exportName(op))
	if err != nil {
		return err
	}
	defer out.Discard()
	spool, err := a.exports.Create(fmt.Sprintf("%d.records", op.ID))
	if err != nil {
		return err
	}
	defer spool.Discard()
	left, err := a.exportLeft(ctx, op.CreatedByID)
	if err != nil {
		return err
	}
	e := &exporter{app: a, op: op, actor: actor, out: &bounded{out, left}, spool: &bounded{spool, left}, records: spool,
		keys: map[string]bool{}, named: map[int64]bool{}}
	if op.Spec.Format == dam.ExportZIP {
		e.zip = newArchive(e.out)
	}
	for op.Next() < op.Total {
		if err := e.some(ctx); err != nil {
			return err
		}
	}
	if op.Done == 0 && op.Total > 0 { // there is nothing to fetch
		return nil
	}
	if err := e.finish(); err != nil {
		return err
	}
	op.File = &dam.OperationFile{Size: out.Size(), SHA256: out.SHA256(), Collections: slices.Sorted(maps.Keys(e.named))}
	return out.Finish()
}

// some writes the next items.
func (e *exporter) some(ctx context.Context) error {
	var items []*dam.OperationItem
	var assets map[int64]*dam.Asset
	err := e.app.store.View(ctx, func(tx *storage.Tx) (err error) {
		if items, err = tx.NextItems(e.op, exportChunk); err == nil {
			assets, err = tx.AssetsOf(items)
		}
		return err
	})
	if err != nil {
		return err
	}
	if err := e.app.Finder.fillCollections(ctx, e.actor, slices.Collect(maps.Values(assets))...); err != nil {
		return err
	}
	showAssets(e.actor, slices.Collect(maps.Values(assets))...)
	for _, item := range items {
		if err := ctx.Err(); err != nil {
			return err
		}
		asset := assets[item.AssetID]
		if asset == nil || asset.DeletedAt != nil {
			item.Error = &dam.OperationError{Code: dam.CodeNotFound, Message: "Asset not found."}
		} else if item.Error, err = e.add(ctx, asset); err != nil {
			return err
		}
		if item.State = dam.ItemDone; item.Error != nil {
			item.State = dam.ItemFailed
		}
		count(e.op, item)
	}
	return e.app.store.Note(ctx, func(tx *storage.Tx) error {
		if err := goesOn(tx, e.op); err != nil {
			return err
		}
		if err := tx.SetItems(e.op, items); err != nil {
			return err
		}
		return tx.UpdateOperation(e.op)
	})
}

// add writes one asset: its file, if the export has files, and its record.
func (e *exporter) add(ctx context.Context, asset *dam.Asset) (*dam.OperationError, error) {
	r := newExportRecord(asset)
	if e.zip != nil {
		fault, err := e.addFile(ctx, asset, r)
		if fault != nil || err != nil {
			return fault, err
		}
	}
	for _, c := range asset.Collections {
		e.named[c.ID] = true
	}
	for k := range asset.Metadata {
		if len(e.keys) < maxExportKeys {
			e.keys[k] = true
		}
	}
	line, err := marshalRecord(r)
	if err == nil {
		_, err = e.spool.Write(line)
	}
	return nil, err
}

func (e *exporter) addFile(ctx context.Context, asset *dam.Asset, r *exportRecord) (*dam.OperationError, error) {
	kind := e.op.Spec.Rendition
	name, mime := asset.OriginalFilename, asset.MIMEType
	var f io.ReadSeekCloser
	var err error
	switch {
	case kind == "":
		f, err = e.app.original(ctx, asset)
	case !asset.HasPicture():
		return &dam.OperationError{Code: dam.CodeNoRendition, Message: fmt.Sprintf("The file has no %s.", kind)}, nil
	default:
		name, mime = renditionFilename(name, kind), renditionMIME
		if f, err = e.app.rendition(ctx, asset, kind); err != nil && ctx.Err() == nil && dam.KindOf(err) != dam.NoSpace && damageOf(err) == dam.DamageNone {
			e.app.log.WarnContext(ctx, "an export goes without a rendition", "gaid", asset.GAID, "rendition", kind, "err", err)
			return &dam.OperationError{Code: dam.CodeNoRendition, Message: fmt.Sprintf("The %s could not be made.", kind)}, nil
		}
	}
	if d := damageOf(err); d != dam.DamageNone {
		return unservable(d), nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r.Path, err = e.zip.add(name, mime, asset.UpdatedAt, stoppable{ctx, f})
	return nil, err
}

// unservable is why an export goes without a file that is damaged.
func unservable(d dam.Damage) *dam.OperationError {
	if d == dam.DamageMissing {
		return &dam.OperationError{Code: dam.CodeFileMissing, Message: "The file is not in the library's folder."}
	}
	return &dam.OperationError{Code: dam.CodeFileDamaged, Message: "The file is damaged on the server."}
}

// stoppable reads until its context is done.
type stoppable struct {
	ctx context.Context
	r   io.Reader
}

func (s stoppable) Read(p []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	return s.r.Read(p)
}

// finish writes the records in the form of the export.
func (e *exporter) finish() error {
	spool, err := e.records.Reopen()
	if err != nil {
		return err
	}
	again := func() (*bufio.Reader, error) {
		_, err := spool.Seek(0, io.SeekStart)
		return bufio.NewReaderSize(spool, 1<<20), err
	}
	records, err := again()
	if err != nil {
		return err
	}
	switch e.op.Spec.Format {
	case dam.ExportCSV:
		return writeCSV(e.out, records, e.keys)
	case dam.ExportJSON:
		return writeManifest(e.out, records, e.op)
	}
	w, err := e.zip.document("manifest.json", e.op.CreatedAt)
	if err != nil {
		return err
	}
	if err := writeManifest(w, records, e.op); err != nil {
		return err
	}
	if records, err = again(); err != nil {
		return err
	}
	if w, err = e.zip.document("metadata.csv", e.op.CreatedAt); err != nil {
		return err
	}
	if err := writeCSV(w, records, e.keys); err != nil {
		return err
	}
	return e.zip.Close()
}
