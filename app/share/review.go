package share

import (
	"context"
	"io"
	"strconv"
	"time"

	"github.com/digital-asset-library/dal/app/access"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/export"
	"github.com/digital-asset-library/dal/storage"
)

// mayReadFeedback checks whether an actor may read guest feedback, optionally on one asset.
func mayReadFeedback(actor dam.Actor, gaid dam.GAID) error {
	if gaid != "" {
		return actor.Require(dam.SharesRead, dam.AssetsRead)
	}
	return access.MayReadShares(actor)
}

// ShareFeedback lists the feedback of guests on assets outside the trash, for a share that
// the actor sees, most recently changed first, and the total number.
func (sh *Shares) ShareFeedback(ctx context.Context, actor dam.Actor, id int64, q *dam.ShareFeedbackQuery) (
	all []*dam.ShareFeedback, total int, err error,
) {
	if err := mayReadFeedback(actor, q.GAID); err != nil {
		return nil, 0, err
	}
	err = sh.Store.View(ctx, func(tx *storage.Tx) error {
		if _, err := access.SeenShare(tx, actor, id); err != nil {
			return err
		}
		all, total, err = tx.ShareFeedback(id, q)
		return err
	})
	if !actor.May(dam.AssetsRead) {
		for _, f := range all {
			f.GAID = ""
		}
	}
	return all, total, err
}

// feedbackChunk is the number of records read per query while writing a table.
const feedbackChunk = 500

// FeedbackTable returns a table of everything that ShareFeedback lists, newest records
// first.
func (sh *Shares) FeedbackTable(ctx context.Context, actor dam.Actor, id int64, q *dam.ShareFeedbackQuery) (dam.WriteTable, error) {
	if err := mayReadFeedback(actor, q.GAID); err != nil {
		return nil, err
	}
	err := sh.Store.View(ctx, func(tx *storage.Tx) error {
		_, err := access.SeenShare(tx, actor, id)
		return err
	})
	return func(ctx context.Context, w io.Writer) error {
		table, err := export.NewRows(w, "id", "gaid", "title", "guest_id", "guest_name", "guest_email", "picked", "rating", "comment",
			"revision", "changed_at")
		if err != nil {
			return err
		}
		for last := int64(0); ; {
			var some []*dam.ShareFeedback
			if err := sh.Store.View(ctx, func(tx *storage.Tx) (err error) {
				some, err = tx.FeedbackBefore(id, q, last, feedbackChunk)
				return err
			}); err != nil {
				return err
			}
			for _, f := range some {
				if err := table.Add(feedbackRow(f, actor.May(dam.AssetsRead))...); err != nil {
					return err
				}
				last = f.ID
			}
			if err := table.Flush(); err != nil || len(some) < feedbackChunk {
				return err
			}
		}
	}, err
}

// feedbackRow returns the table row of a record, with or without the asset.
func feedbackRow(f *dam.ShareFeedback, names bool) []string {
	var gaid, title, rating string
	if names {
		gaid, title = string(f.GAID), f.Title
	}
	if f.Rating > 0 {
		rating = strconv.FormatInt(f.Rating, 10)
	}
	return []string{strconv.FormatInt(f.ID, 10), gaid, title, strconv.FormatInt(f.Guest.ID, 10), f.Guest.Name, f.Guest.Email,
		strconv.FormatBool(f.Picked), rating, f.Comment, strconv.FormatInt(f.Revision, 10), f.ChangedAt.Format(time.RFC3339)}
}

// FeedbackTotals lists the combined feedback of all guests on each asset outside the trash
// that has any, for a share that the actor sees, most picked first, and the total number.
func (sh *Shares) FeedbackTotals(
	ctx context.Context, actor dam.Actor, id int64, p dam.Page,
) (all []*dam.FeedbackTotal, total int, err error) {
	if err := access.MayReadShares(actor); err != nil {
		return nil, 0, err
	}
	err = sh.Store.View(ctx, func(tx *storage.Tx) error {
		if _, err := access.SeenShare(tx, actor, id); err != nil {
			return err
		}
		all, total, err = tx.FeedbackTotals(id, p)
		return err
	})
	if !actor.May(dam.AssetsRead) {
		for _, t := range all {
			t.GAID, t.Title = "", ""
		}
	}
	return all, total, err
}
