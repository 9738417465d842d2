package bulk

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/digital-asset-library/dal/app/access"
	counts "github.com/digital-asset-library/dal/app/analytics"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/render"
	"github.com/digital-asset-library/dal/storage"
	"github.com/digital-asset-library/dal/storage/blob"
)

// Exports writes export files, serves them and removes them when they expire. Its
// methods are safe for concurrent use.
type Exports struct {
	store  *storage.Store
	folder *blob.Exports
	log    *slog.Logger
	now    func() time.Time
	keep   time.Duration // retention of a file
	quota  int64         // total bytes of a user's files
	source ExportSource

	analytics *counts.Analytics
}

// ExportSource provides the content of an export.
type ExportSource struct {
	Original  func(context.Context, *dam.Asset) (*os.File, error)
	Rendition func(context.Context, *dam.Asset, dam.Rendition) (io.ReadSeekCloser, error)

	// SetCollections sets the collections of assets to those that an actor may
	// view.
	SetCollections func(context.Context, dam.Actor, ...*dam.Asset) error
}

// ExportConfig configures export files.
type ExportConfig struct {
	Dir   string        // their folder
	Keep  time.Duration // retention
	Quota int64         // total bytes of a user's files
}

// OpenExports opens the exports folder in the data folder. Writes there claim space
// from room.
func OpenExports(
	cfg ExportConfig, store *storage.Store, room blob.Room, source ExportSource,
	analytics *counts.Analytics, log *slog.Logger, now func() time.Time,
) (*Exports, error) {
	folder, err := blob.OpenExports(cfg.Dir)
	if err != nil {
		return nil, err
	}
	folder.SetRoom(room)
	return &Exports{store: store, folder: folder, log: log, now: now,
		keep: cfg.Keep, quota: cfg.Quota, source: source, analytics: analytics}, nil
}

// fileName returns the name of an export's file on disk.
func fileName(op *dam.Operation) string { return fmt.Sprintf("%d.%s", op.ID, op.Spec.Format) }

// exportTypes maps export formats to media types.
func exportTypes() map[dam.ExportFormat]string {
	return map[dam.ExportFormat]string{
		dam.ExportZIP:  "application/zip",
		dam.ExportCSV:  "text/csv; charset=utf-8",
		dam.ExportJSON: "application/json",
	}
}

// operationOf returns the ID of the export that a file belongs to, by its name.
func operationOf(name string) (id int64, ok bool) {
	number, format, _ := strings.Cut(name, ".")
	id, err := strconv.ParseInt(number, 10, 64)
	return id, err == nil && exportTypes()[dam.ExportFormat(format)] != ""
}

// remove removes the file of an export.
func (e *Exports) remove(op *dam.Operation) {
	if err := e.folder.Remove(fileName(op)); err != nil {
		e.log.Warn("remove the file of an export", "operation", op.ID, "err", err)
	}
}

// Sweep removes files left behind by a crash. No export may be running.
func (e *Exports) Sweep(ctx context.Context) error {
	ours := func(name string) bool { _, ok := operationOf(name); return ok }
	return e.folder.Sweep(ours, func(name string) (has bool, err error) {
		id, _ := operationOf(name)
		err = e.store.View(ctx, func(tx *storage.Tx) error {
			has, err = tx.HasExport(id)
			return err
		})
		return has, err
	})
}

// Expire removes the files of exports that have expired by now.
func (e *Exports) Expire(ctx context.Context, now time.Time) error {
	var expired []*dam.Operation
	err := e.store.View(ctx, func(tx *storage.Tx) (err error) {
		expired, err = tx.ExpiredExports(now, storage.Step)
		return err
	})
	for _, op := range expired {
		failed := e.folder.Remove(fileName(op))
		if failed == nil {
			failed = e.store.Update(ctx, func(tx *storage.Tx) error { return tx.ForgetExport(op.ID) })
		}
		err = errors.Join(err, failed)
	}
	return err
}

// keepFile sets the expiry of the file of a finished export, if it has one.
func (e *Exports) keepFile(tx *storage.Tx, op *dam.Operation) {
	if op.File != nil {
		op.File.ExpiresAt = tx.Now().Add(e.keep)
	}
}

// Open opens the file of an export for an actor who may see the export and
// currently has the right to its contents.
func (e *Exports) Open(ctx context.Context, actor dam.Actor, id int64) (*render.File, error) {
	var op *dam.Operation
	err := e.store.View(ctx, func(tx *storage.Tx) (err error) {
		if op, err = operation(tx, actor, id); err == nil && op.Type == dam.OperationExport {
			err = access.MayFetch(tx, actor, op)
		}
		return err
	})
	switch {
	case err != nil:
		return nil, err
	case op.Type != dam.OperationExport:
		return nil, dam.Errorf(dam.NotFound, "The operation is not an export, so it has no file.")
	case !op.State.Terminal():
		return nil, dam.Errorf(dam.Conflict, "The export is %s: its file is not ready yet.", op.State)
	case op.State != dam.OperationDone && op.State != dam.OperationPartly:
		return nil, dam.Errorf(dam.NotFound, "The export is %s: it has no file.", op.State)
	}
	gone := dam.Errorf(dam.Gone, "The file of the export has expired; start it again.")
	if op.File == nil || !op.File.ExpiresAt.After(e.now()) {
		return nil, gone
	}
	content, err := e.folder.Open(fileName(op))
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, blob.ErrIrregular) { // it has just expired, or was removed
		return nil, gone
	}
	if err != nil {
		return nil, err
	}
	return &render.File{Content: access.WhileKnown(ctx, e.store, e.now, content), Name: "export-" + fileName(op),
		MIMEType: exportTypes()[op.Spec.Format],
		ETag:     `"` + op.File.SHA256 + `"`, ModTime: *op.FinishedAt}, nil
}
