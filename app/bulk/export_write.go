package bulk

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"

	"github.com/digital-asset-library/dal/app/access"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/export"
	"github.com/digital-asset-library/dal/app/original"
	"github.com/digital-asset-library/dal/app/render"
	"github.com/digital-asset-library/dal/storage"
	"github.com/digital-asset-library/dal/storage/blob"
)

// exportChunk is the number of assets read per step of an export; progress is saved
// after each.
const exportChunk = 100

// errDenied is returned when an export is stopped because its starter lost the
// right to it.
var errDenied = errors.New("the user or the token that started the export may no longer do this")

// stillWanted returns errCancelled if an export was cancelled, and errDenied if its
// user or token lost the right to it.
func stillWanted(tx *storage.Tx, op *dam.Operation) error {
	now, err := tx.Operation(op.ID)
	if err != nil {
		return err
	}
	if now.State != dam.OperationRunning {
		return errCancelled
	}
	if _, may, err := starter(tx, op); err != nil || !may {
		return cmp.Or(err, errDenied)
	}
	return nil
}

// exporter writes the file of one export.
type exporter struct {
	*Exports
	op      *dam.Operation
	actor   dam.Actor
	file    io.Writer
	archive *export.Archive // writes to file; nil for an export without files
	lines   io.Writer       // records, one per line
	spool   *blob.Part      // file that lines writes to

	keys        map[string]bool // of the custom fields in the file
	collections map[int64]bool  // collections named in the file
	written     []dam.GAID      // assets whose files are in the archive
}

// write writes the file of op from the beginning, counts its items, and sets
// op.File. It returns the assets whose files it contains.
func (e *Exports) write(ctx context.Context, op *dam.Operation, actor dam.Actor) ([]dam.GAID, error) {
	if err := e.undoItems(ctx, op); err != nil {
		return nil, err
	}
	file, err := e.folder.Create(fileName(op))
	if err != nil {
		return nil, err
	}
	defer file.Discard()
	spool, err := e.folder.Create(fmt.Sprintf("%d.records", op.ID))
	if err != nil {
		return nil, err
	}
	defer spool.Discard()
	left, err := e.bytesLeft(ctx, op.CreatedByID)
	if err != nil {
		return nil, err
	}
	w := &exporter{Exports: e, op: op, actor: actor, file: &bounded{file, left}, lines: &bounded{spool, left}, spool: spool,
		keys: map[string]bool{}, collections: map[int64]bool{}}
	if op.Spec.Format == dam.ExportZIP {
		w.archive = export.NewArchive(w.file)
	}
	for op.Next() < op.Total {
		if err := w.writeChunk(ctx); err != nil {
			return nil, err
		}
	}
	if op.Done == 0 && op.Total > 0 { // every item failed
		return nil, nil
	}
	if err := w.finish(); err != nil {
		return nil, err
	}
	op.File = &dam.OperationFile{Size: file.Size(), SHA256: file.SHA256(), Collections: slices.Sorted(maps.Keys(w.collections))}
	return w.written, file.Finish()
}

// undoItems resets the items counted by an interrupted attempt.
func (e *Exports) undoItems(ctx context.Context, op *dam.Operation) error {
	for op.Next() > 0 {
		err := e.store.Note(ctx, func(tx *storage.Tx) error {
			if err := stillWanted(tx, op); err != nil {
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

// writeChunk writes the next items.
func (w *exporter) writeChunk(ctx context.Context) error {
	var items []*dam.OperationItem
	var assets map[int64]*dam.Asset
	err := w.store.View(ctx, func(tx *storage.Tx) (err error) {
		if items, err = tx.NextItems(w.op, exportChunk); err == nil {
			assets, err = tx.AssetsOf(items)
		}
		return err
	})
	if err != nil {
		return err
	}
	list := slices.Collect(maps.Values(assets))
	if err := w.source.SetCollections(ctx, w.actor, list...); err != nil {
		return err
	}
	access.ShowAssets(w.actor, list...)
	for _, item := range items {
		if err := ctx.Err(); err != nil {
			return err
		}
		asset := assets[item.AssetID]
		if asset == nil || asset.DeletedAt != nil {
			item.Error = assetGone()
		} else if item.Error, err = w.add(ctx, asset); err != nil {
			return err
		}
		if item.State = dam.ItemDone; item.Error != nil {
			item.State = dam.ItemFailed
		}
		count(w.op, item)
	}
	return w.store.Note(ctx, func(tx *storage.Tx) error {
		if err := stillWanted(tx, w.op); err != nil {
			return err
		}
		if err := tx.SetItems(w.op, items); err != nil {
			return err
		}
		return tx.UpdateOperation(w.op)
	})
}

// add writes one asset: its file, if the export has files, and its record.
func (w *exporter) add(ctx context.Context, asset *dam.Asset) (*dam.OperationError, error) {
	r := &export.Record{Asset: asset, UsageState: asset.UsageAt(w.now())}
	if w.archive != nil {
		fault, err := w.addFile(ctx, r)
		if fault != nil || err != nil {
			return fault, err
		}
	}
	for _, c := range asset.Collections {
		w.collections[c.ID] = true
	}
	for k := range asset.Metadata {
		if len(w.keys) < export.MaxKeys {
			w.keys[k] = true
		}
	}
	return nil, r.WriteLine(w.lines)
}

// AddFile writes the file of an asset and sets its path in the record.
func (w *exporter) addFile(ctx context.Context, r *export.Record) (*dam.OperationError, error) {
	kind := w.op.Spec.Rendition
	name, mime := r.OriginalFilename, r.MIMEType
	var f io.ReadSeekCloser
	var err error
	switch {
	case kind == "":
		f, err = w.source.Original(ctx, r.Asset)
	default:
		name, mime = render.Filename(name, kind, 0), render.MIME
		f, err = w.source.Rendition(ctx, r.Asset, kind)
		if e, ok := errors.AsType[*dam.Error](err); ok && e.Kind == dam.NotFound {
			return &dam.OperationError{Code: dam.CodeNoRendition, Message: e.Msg}, nil
		}
		if err != nil && ctx.Err() == nil && dam.KindOf(err) != dam.NoSpace &&
			original.DamageOf(err) == dam.DamageNone && !original.IsUnavailable(err) {
			w.log.WarnContext(ctx, "an export lacks a rendition", "gaid", r.GAID, "rendition", kind, "err", err)
			return &dam.OperationError{Code: dam.CodeNoRendition, Message: fmt.Sprintf("The %s could not be made.", kind)}, nil
		}
	}
	if d := original.DamageOf(err); d != dam.DamageNone {
		return unservable(d), nil
	}
	if e, ok := errors.AsType[*dam.Error](err); ok && original.IsUnavailable(err) {
		return &dam.OperationError{Code: dam.CodeFileMissing, Message: e.Msg}, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r.Path, err = w.archive.Add(name, mime, r.UpdatedAt, original.UntilDone(ctx, f))
	w.written = append(w.written, r.GAID)
	return nil, err
}

// unservable returns the error of an export item whose file is damaged.
func unservable(d dam.Damage) *dam.OperationError {
	if d == dam.DamageMissing {
		return &dam.OperationError{Code: dam.CodeFileMissing, Message: "The file is not in the library's folder."}
	}
	return &dam.OperationError{Code: dam.CodeFileDamaged, Message: "The file is damaged on the server."}
}

// finish writes the records in the format of the export.
func (w *exporter) finish() error {
	lines, err := w.spool.Reopen()
	if err != nil {
		return err
	}
	switch w.op.Spec.Format {
	case dam.ExportCSV:
		return export.WriteCSV(w.file, lines, w.keys)
	case dam.ExportJSON:
		return export.WriteManifest(w.file, lines, w.op)
	}
	if err := w.addDocuments(lines); err != nil {
		return err
	}
	return w.archive.Close()
}

// addDocuments adds the records to the archive in both formats.
func (w *exporter) addDocuments(lines *os.File) error {
	manifest, err := w.archive.Document("manifest.json", w.op.CreatedAt)
	if err != nil {
		return err
	}
	if err := export.WriteManifest(manifest, lines, w.op); err != nil {
		return err
	}
	if _, err := lines.Seek(0, io.SeekStart); err != nil {
		return err
	}
	table, err := w.archive.Document("metadata.csv", w.op.CreatedAt)
	if err != nil {
		return err
	}
	return export.WriteCSV(table, lines, w.keys)
}
