package share

import (
	"context"
	"time"

	"github.com/digital-asset-library/dal/app/access"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

// ReviewLife is how long the browser of a guest who picks, rates and comments is
// recognized. Reviews take days, and another visit would be another guest.
const ReviewLife = 30 * 24 * time.Hour

// Errors for guests who exceed the feedback limits.
var (
	errFeedbackFull = dam.Errorf(dam.Gone, "This share takes no more feedback.")
	errFeedbackOld  = dam.Errorf(dam.Gone, "This has been changed as often as it may be.")
)

// life returns the duration of a visit.
func (v *Visit) life() time.Duration {
	if v.Type == dam.ShareReview {
		return ReviewLife
	}
	return VisitLife
}

// Said returns a guest's feedback on assets of a review, by GAID, with an entry for each
// asset.
func (g *Guests) Said(ctx context.Context, v *Visit, assets ...*dam.Asset) (said map[dam.GAID]*dam.ShareFeedback, err error) {
	said = make(map[dam.GAID]*dam.ShareFeedback, len(assets))
	err = g.Store.View(access.ByNobody(ctx), func(tx *storage.Tx) error {
		guest, err := guestOf(tx, v)
		if err != nil {
			return err
		}
		for _, asset := range assets {
			if said[asset.GAID], err = feedbackOf(tx, v, guest, asset); err != nil {
				return err
			}
		}
		return nil
	})
	return said, err
}

// guestOf returns the guest of a visit; the ID is 0 before the first feedback.
func guestOf(tx *storage.Tx, v *Visit) (dam.ShareGuest, error) {
	if v.visit == nil {
		return dam.ShareGuest{}, nil
	}
	guest, err := tx.ShareGuest(v.ID, v.visit.ID)
	if dam.KindOf(err) == dam.NotFound {
		err = nil
	}
	guest.Email = v.visit.Email
	return *guest, err
}

// feedbackOf returns a guest's feedback on an asset.
func feedbackOf(tx *storage.Tx, v *Visit, guest dam.ShareGuest, asset *dam.Asset) (*dam.ShareFeedback, error) {
	f, err := tx.GuestFeedback(guest.ID, asset.ID)
	if dam.KindOf(err) == dam.NotFound {
		err = nil
	}
	f.ShareID, f.GAID, f.Guest = v.ID, asset.GAID, guest
	return f, err
}

// Say changes a guest's feedback on an asset of a review.
func (g *Guests) Say(ctx context.Context, key GuestKey, gaid dam.GAID, p *dam.ShareFeedbackPatch) error {
	if _, _, err := g.Asset(ctx, key, gaid); err != nil { // evaluates the rules of collections
		return err
	}
	ctx = access.ByNobody(ctx)
	return g.Store.Update(ctx, func(tx *storage.Tx) error {
		v, asset, err := shown(ctx, tx, key, gaid)
		if err == nil && v.Type != dam.ShareReview {
			err = errNoShare
		}
		if err != nil {
			return err
		}
		guest, err := guestOf(tx, v)
		if err != nil {
			return err
		}
		f, err := feedbackOf(tx, v, guest, asset)
		if err != nil {
			return err
		}
		changed, err := p.Apply(f)
		if err != nil || !changed {
			return err
		}
		return g.keepFeedback(ctx, tx, v, asset, f)
	})
}

// keepFeedback stores a guest's feedback, within the limits.
func (g *Guests) keepFeedback(ctx context.Context, tx *storage.Tx, v *Visit, asset *dam.Asset, f *dam.ShareFeedback) error {
	if f.Revision++; f.Revision > dam.MaxFeedbackChanges {
		return errFeedbackOld
	}
	isNew := f.Revision == 1
	if isNew {
		all, own, err := tx.CountFeedback(v.ID, f.Guest.ID)
		if err != nil {
			return err
		}
		if all >= dam.MaxFeedback || own >= dam.MaxGuestFeedback {
			return errFeedbackFull
		}
	}
	if err := tx.PutShareGuest(v.ID, v.visit.ID, &f.Guest); err != nil {
		return err
	}
	if err := tx.PutFeedback(f, asset.ID); err != nil || !isNew {
		return err
	}
	return g.enter(ctx, tx, v, dam.ShareAnswered, asset.GAID)
}
