package app

import (
	"context"
	"errors"
	"io"

	humanize "github.com/dustin/go-humanize"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

// MaxExports is how many exports of a user may have a file or have not ended.
const MaxExports = 50

// exportRoom returns an error if a user has as many exports as one may have, or
// no bytes left for another.
func (a *App) exportRoom(tx *storage.Tx, op *dam.Operation) error {
	if op.Type != dam.OperationExport {
		return nil
	}
	n, bytes, err := tx.ExportUse(op.CreatedByID)
	switch {
	case err != nil:
		return err
	case n >= MaxExports:
		return dam.Errorf(dam.Conflict, "You have %d exports, which is as many as a user can have at once; the next one can start when the file of one has expired.", n)
	case bytes >= a.cfg.ExportQuota:
		return dam.Errorf(dam.Conflict, "The files of your exports have %s, and a user can have %s; the next one can start when one has expired.", bytesText(bytes), bytesText(a.cfg.ExportQuota))
	}
	return nil
}

// exportFits returns an error if the originals of an export are sure to be more
// than its user has bytes left for.
func (a *App) exportFits(tx *storage.Tx, op *dam.Operation) error {
	if op.Type != dam.OperationExport || op.Spec.Format != dam.ExportZIP || op.Spec.Rendition != "" {
		return nil
	}
	_, used, err := tx.ExportUse(op.CreatedByID)
	if err != nil {
		return err
	}
	need, err := tx.OriginalBytes(op)
	if err == nil && need > a.cfg.ExportQuota-used {
		err = dam.InvalidField("selection", "The files of the selection have %s; you have %s left of the %s that the exports of a user can have at once.",
			bytesText(need), bytesText(a.cfg.ExportQuota-used), bytesText(a.cfg.ExportQuota))
	}
	return err
}

// exportLeft returns how many bytes a user has left for exports.
func (a *App) exportLeft(ctx context.Context, user int64) (left int64, err error) {
	err = a.store.View(ctx, func(tx *storage.Tx) error {
		_, used, err := tx.ExportUse(user)
		left = a.cfg.ExportQuota - used
		return err
	})
	return left, err
}

// errQuota is returned for an export that has become larger than its user has
// bytes left for.
var errQuota = errors.New("the export is larger than its user has room for")

func (a *App) overQuota() *dam.OperationError {
	return &dam.OperationError{Code: dam.CodeQuota, Message: "The file would be larger than you have room for: the exports of a user can have " + bytesText(a.cfg.ExportQuota) + " at once."}
}

// bounded writes up to so many bytes.
type bounded struct {
	w    io.Writer
	left int64
}

func (b *bounded) Write(p []byte) (int, error) {
	if b.left -= int64(len(p)); b.left < 0 {
		return 0, errQuota
	}
	return b.w.Write(p)
}

func bytesText(n int64) string { return humanize.IBytes(uint64(max(0, n))) }
