package ingest

import (
	"context"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/media"
	"github.com/digital-asset-library/dal/storage"
)

// checkHandIn returns an error if files of a type are not accepted from a guest.
func (g *Ingester) checkHandIn(ctx context.Context, b *dam.Batch, kind media.Type) error {
	if b.ShareID == 0 {
		return nil
	}
	return g.Store.View(ctx, func(tx *storage.Tx) error {
		s, err := tx.Share(b.ShareID)
		if err != nil || s.Upload == nil || s.Upload.TakesKind(kind.Category, kind.Extensions...) {
			return err
		}
		return &dam.FileError{Code: dam.CodeUnsupportedFormat, Message: "It is " + kind.Phrase + ", which the share does not take."}
	})
}

// firstStatus returns the workflow status of new assets of a batch: guest uploads must be
// reviewed.
func firstStatus(b *dam.Batch) dam.WorkflowStatus {
	if b.ShareID != 0 {
		return dam.WorkflowInReview
	}
	return dam.WorkflowDraft
}
