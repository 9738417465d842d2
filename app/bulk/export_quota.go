package bulk

import (
	"context"
	"errors"
	"io"

	humanize "github.com/dustin/go-humanize"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

// MaxExports is the maximum number of a user's exports that are open or have a
// file.
const MaxExports = 50

// checkCount returns an error if a user has reached the maximum number of exports
// or has no bytes left for another one.
func (e *Exports) checkCount(tx *storage.Tx, op *dam.Operation) error {
	if op.Type != dam.OperationExport {
		return nil
	}
	n, bytes, err := tx.ExportUse(op.CreatedByID)
	switch {
	case err != nil:
		return err
	case n >= MaxExports:
		return dam.Errorf(dam.Conflict, "You have %d exports, the most that a user can have at once; "+
			"start another one when the file of one has expired.", n)
	case bytes >= e.quota:
		return dam.Errorf(dam.Conflict, "The files of your exports take up %s, and a user can have %s; "+
			"start another one when one has expired.", bytesText(bytes), bytesText(e.quota))
	}
	return nil
}

// checkSize returns an error if the originals of an export are certain to exceed
// the bytes that its user has left.
func (e *Exports) checkSize(tx *storage.Tx, op *dam.Operation) error {
	if op.Type != dam.OperationExport || op.Spec.Format != dam.ExportZIP || op.Spec.Rendition != "" {
		return nil
	}
	_, used, err := tx.ExportUse(op.CreatedByID)
	if err != nil {
		return err
	}
	need, err := tx.OriginalBytes(op)
	if err == nil && need > e.quota-used {
		err = dam.InvalidField("selection",
			"The files of the selection take up %s; you have %s left of the %s that a user's exports can take up.",
			bytesText(need), bytesText(e.quota-used), bytesText(e.quota))
	}
	return err
}

// bytesLeft returns the number of bytes that a user has left for exports.
func (e *Exports) bytesLeft(ctx context.Context, user int64) (left int64, err error) {
	err = e.store.View(ctx, func(tx *storage.Tx) error {
		_, used, err := tx.ExportUse(user)
		left = e.quota - used
		return err
	})
	return left, err
}

// errQuota stops an export whose file exceeds the bytes that its user has left.
var errQuota = errors.New("the export is larger than its user has room for")

func (e *Exports) overQuota() *dam.OperationError {
	return &dam.OperationError{Code: dam.CodeQuota,
		Message: "The file would be too large: the exports of a user can take up " + bytesText(e.quota) + " at once."}
}

// bounded writes up to left bytes; beyond that it returns errQuota.
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
