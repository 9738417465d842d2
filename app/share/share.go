package share

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/digital-asset-library/dal/app/access"
	"github.com/digital-asset-library/dal/app/account"
	"github.com/digital-asset-library/dal/app/analytics"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/ingest"
	"github.com/digital-asset-library/dal/app/library"
	"github.com/digital-asset-library/dal/app/media"
	"github.com/digital-asset-library/dal/app/original"
	"github.com/digital-asset-library/dal/app/render"
	"github.com/digital-asset-library/dal/storage"
)

// Shares creates and changes shares, embeds and their terms of use for users, and receives
// the uploads of guests. Its methods are safe for concurrent use.
type Shares struct {
	Store       *storage.Store
	Originals   *original.Files
	Media       *media.Processor
	Ingest      *ingest.Ingester
	Uploads     *ingest.Uploads
	Accounts    *account.Accounts
	Analytics   *analytics.Analytics
	Images      *render.Images
	Guests      *Guests
	Mailer      *Mailer
	Disks       *library.Disks
	TidySoon    func() // makes maintenance run now
	MaxFileSize int64  // bytes
	Now         func() time.Time
	forms       handInForms // concurrent upload forms of guests
}

// MinSharePassword is the minimum length of a share's password in bytes. The maximum is
// MaxPassword.
const MinSharePassword = 6

// ShowShare removes from a share the assets and the collection that an actor may not see,
// and the title of a video.
func ShowShare(actor dam.Actor, s *dam.Share) {
	if !actor.May(dam.AssetsRead) {
		s.GAIDs = nil
		if s.Type == dam.ShareEmbed { // the name is the title of its asset
			s.Name = "Video"
		}
	}
	if !access.NamesCollections(actor) {
		s.CollectionID = 0
	}
}

// EventShare completes the share of an event for a reader.
func (sh *Shares) EventShare(ctx context.Context, reader dam.Actor, s *dam.Share) error {
	ShowShare(reader, s)
	return sh.Store.View(ctx, func(tx *storage.Tx) (err error) {
		s.CreatedBy, err = tx.User(s.CreatedByID)
		return err
	})
}

// Shares lists the shares of a type that the actor sees, or all except embeds if of is "",
// newest first, and their total number.
func (sh *Shares) Shares(ctx context.Context, actor dam.Actor, of dam.ShareType, p dam.Page) (all []*dam.Share, total int, err error) {
	if err := access.MayReadShares(actor); err != nil {
		return nil, 0, err
	}
	user := actor.User.ID
	if access.SeesShare(actor, 0) {
		user = 0
	}
	err = sh.Store.View(ctx, func(tx *storage.Tx) error {
		if all, total, err = tx.Shares(user, of, p); err != nil {
			return err
		}
		for _, s := range all {
			ShowShare(actor, s)
			if s.CreatedBy, err = tx.User(s.CreatedByID); err != nil {
				return err
			}
		}
		return nil
	})
	return all, total, err
}

// Share returns a share that the actor sees.
func (sh *Shares) Share(ctx context.Context, actor dam.Actor, id int64) (s *dam.Share, err error) {
	if err := access.MayReadShares(actor); err != nil {
		return nil, err
	}
	err = sh.Store.View(ctx, func(tx *storage.Tx) error {
		s, err = access.SeenShare(tx, actor, id)
		return err
	})
	if err != nil {
		return nil, err
	}
	ShowShare(actor, s)
	return s, nil
}

// Create creates a share for the actor's user.
func (sh *Shares) Create(ctx context.Context, actor dam.Actor, p *dam.SharePatch) (*dam.Share, error) {
	if err := access.MayShare(actor); err != nil {
		return nil, err
	}
	s := &dam.Share{
		Token: account.RandomText(24), Type: dam.ShareAssets, AllowDownload: p.Type.Value != dam.ShareHandIn,
		CreatedByID: actor.User.ID, CreatedBy: actor.User,
	}
	if p.CollectionID.Value != 0 && !p.Type.Sent {
		s.Type = dam.ShareCollection
	}
	if err := sh.applyShare(ctx, s, p); err != nil {
		return nil, err
	}
	err := sh.Store.Update(ctx, func(tx *storage.Tx) error {
		if err := cmp.Or(mayMakeMore(tx, s.CreatedByID, ""), hasMark(tx, s)); err != nil {
			return err
		}
		if err := reviewCollection(tx, actor, s); err != nil {
			return err
		}
		assets, err := shareable(tx, actor, s)
		if err != nil {
			return err
		}
		if err := tx.InsertShare(s, account.HashOf(s.Token), assets); err != nil {
			return err
		}
		if err := sh.Analytics.In(ctx, tx, dam.CountKey{}, dam.Counts{Shares: 1}); err != nil {
			return err
		}
		return tx.InsertEvent(dam.ShareCreated, fmt.Sprint(s.ID), s)
	})
	return s, err
}

// mayMakeMore returns an error if a user may not create another share of a type; "" means
// all except embeds.
func mayMakeMore(tx *storage.Tx, user int64, of dam.ShareType) error {
	n, err := tx.CountShares(user, of)
	if err == nil && n >= dam.MaxShares {
		err = dam.InvalidField("body", "A user can make at most %d shares.", dam.MaxShares)
	}
	return err
}

// applyShare applies a patch to a share, including its password.
func (sh *Shares) applyShare(ctx context.Context, s *dam.Share, p *dam.SharePatch) error {
	if err := p.Apply(s, sh.Now()); err != nil {
		return err
	}
	s.GAIDs = dam.Distinct(s.GAIDs)
	if w := s.Watermark; w != nil && !w.Logo {
		if r, ok := media.CanMark(w.Text); !ok {
			return dam.InvalidField("watermark.text", "The watermark cannot be drawn: there is no letter for %q.", r)
		}
	}
	if !p.Password.Sent {
		return nil
	}
	s.PasswordVersion++
	s.PasswordHash, s.HasPassword = "", false
	if p.Password.Null {
		return nil
	}
	var err error
	s.PasswordHash, err = sh.Accounts.Passwords.Checked(ctx, p.Password.Value, MinSharePassword)
	s.HasPassword = err == nil
	return err
}

// shareable checks that the actor may see the content of a share, and returns the row IDs
// of the assets.
func shareable(tx *storage.Tx, actor dam.Actor, s *dam.Share) ([]int64, error) {
	if s.Type == dam.ShareHandIn {
		return nil, checkHandIn(tx, actor, s)
	}
	if s.OfCollection() {
		if err := access.MayReadCollections(actor); err != nil {
			return nil, err
		}
		_, err := tx.Collection(access.Viewer(actor), s.CollectionID)
		if dam.KindOf(err) == dam.NotFound {
			err = dam.InvalidField("collection_id", "The selected collection_id is invalid.")
		}
		return nil, err
	}
	found, err := tx.Locate(0, s.GAIDs)
	if err != nil {
		return nil, err
	}
	var wrong dam.Problems
	list := make([]int64, 0, len(s.GAIDs))
	for i, g := range s.GAIDs {
		if f, ok := found[g]; ok && !f.Trashed {
			list = append(list, f.ID)
		} else {
			wrong.Add(fmt.Sprintf("gaids.%d", i), "The asset %s does not exist or is in the trash.", g)
		}
	}
	return list, wrong.Err()
}

// Update applies a patch to a share that the actor sees. It takes effect for guests
// immediately; all guests must enter a new password, and accept new terms.
func (sh *Shares) Update(ctx context.Context, actor dam.Actor, id int64, p *dam.SharePatch) (*dam.Share, error) {
	if err := access.MayManageShares(actor); err != nil {
		return nil, err
	}
	var hash dam.Share // computed outside the transaction, because it takes long
	if p.Password.Sent {
		if _, err := sh.shareToChange(ctx, actor, id); err != nil {
			return nil, err
		}
		only := &dam.SharePatch{Password: p.Password}
		probe := dam.Share{Name: "x", Type: dam.ShareCollection, CollectionID: 1}
		if err := sh.applyShare(ctx, &probe, only); err != nil {
			return nil, err
		}
		hash = probe
	}
	rest := *p
	rest.Password = dam.Opt[string]{}
	var s *dam.Share
	err := sh.Store.Update(ctx, func(tx *storage.Tx) (err error) {
		if s, err = changeable(tx, actor, id); err != nil {
			return err
		}
		before := *s
		if rest.GAIDs.Sent && slices.Equal(rest.GAIDs.Value, before.GAIDs) { // assets in the trash may be restored
			rest.GAIDs = dam.Opt[[]dam.GAID]{}
		}
		names := s.Type == dam.ShareAssets || s.Type == dam.ShareReview && s.CollectionID == 0 && rest.CollectionID.Value == 0
		if names && len(s.GAIDs) == 0 && !rest.GAIDs.Sent {
			s.GAIDs = []dam.GAID{"-"} // all are in the trash, which is not the fault of this change
		}
		if err := sh.applyShare(ctx, s, &rest); err != nil {
			return err
		}
		if p.Password.Sent {
			s.PasswordHash, s.HasPassword = hash.PasswordHash, hash.HasPassword
			s.PasswordVersion++
		}
		if rest.GAIDs.Sent || s.CollectionID != before.CollectionID {
			assets, err := shareable(tx, actor, s)
			if err != nil {
				return err
			}
			if err := tx.SetShareAssets(id, assets); err != nil {
				return err
			}
		}
		if err := cmp.Or(hasMark(tx, s), tx.UpdateShare(s)); err != nil {
			return err
		}
		s, err = access.SeenShare(tx, actor, id)
		return err
	})
	if err != nil {
		return nil, err
	}
	ShowShare(actor, s)
	return s, nil
}

func (sh *Shares) shareToChange(ctx context.Context, actor dam.Actor, id int64) (s *dam.Share, err error) {
	err = sh.Store.View(ctx, func(tx *storage.Tx) error {
		s, err = changeable(tx, actor, id)
		return err
	})
	return s, err
}

// changeable returns a share that the actor sees and may change, and that has not been
// revoked.
func changeable(tx *storage.Tx, actor dam.Actor, id int64) (*dam.Share, error) {
	s, err := access.SeenShare(tx, actor, id)
	if err == nil && s.RevokedAt != nil {
		err = dam.Errorf(dam.Conflict, "The share was revoked.")
	}
	if err == nil && s.Type == dam.ShareEmbed {
		err = dam.Errorf(dam.Conflict, "An embed is changed with POST /assets/{gaid}/embed.")
	}
	return s, cmp.Or(err, access.MayShare(actor))
}

// Revoke permanently ends a share: its page and its files, including running
// transfers. Revoking a revoked share has no effect.
func (sh *Shares) Revoke(ctx context.Context, actor dam.Actor, id int64) error {
	if err := access.MayManageShares(actor); err != nil {
		return err
	}
	return sh.Store.Update(ctx, func(tx *storage.Tx) error {
		s, err := access.SeenShare(tx, actor, id)
		if err != nil || s.RevokedAt != nil {
			return err
		}
		tx.OnCommit(sh.TidySoon) // closes the batches of guests
		return revoke(tx, s)
	})
}

func revoke(tx *storage.Tx, s *dam.Share) error {
	if err := tx.RevokeShare(s.ID); err != nil {
		return err
	}
	now := tx.Now()
	s.RevokedAt = &now
	return tx.InsertEvent(dam.ShareRevoked, fmt.Sprint(s.ID), s)
}

// ShareEntries lists the access log of a share that the actor sees, newest first, and the
// number of entries.
func (sh *Shares) ShareEntries(ctx context.Context, actor dam.Actor, id int64, p dam.Page) (all []*dam.ShareEntry, total int, err error) {
	if err := access.MayReadShares(actor); err != nil {
		return nil, 0, err
	}
	err = sh.Store.View(ctx, func(tx *storage.Tx) error {
		if _, err := access.SeenShare(tx, actor, id); err != nil {
			return err
		}
		all, total, err = tx.ShareEntries(id, p)
		return err
	})
	if !actor.May(dam.AssetsRead) {
		for _, e := range all {
			e.GAID = ""
		}
	}
	return all, total, err
}

// Consents lists the acceptances of terms, newest first, and their total number.
func (sh *Shares) Consents(
	ctx context.Context, actor dam.Actor, f dam.ConsentFilter, p dam.Page,
) (all []*dam.Consent, total int, err error) {
	if err := access.MayReadConsents(actor); err != nil {
		return nil, 0, err
	}
	err = sh.Store.View(ctx, func(tx *storage.Tx) error {
		all, total, err = tx.Consents(f, p)
		return err
	})
	return all, total, err
}

// Consent returns the record of an acceptance of terms, with their text.
func (sh *Shares) Consent(ctx context.Context, actor dam.Actor, id int64) (c *dam.Consent, err error) {
	if err := access.MayReadConsents(actor); err != nil {
		return nil, err
	}
	err = sh.Store.View(ctx, func(tx *storage.Tx) error {
		c, err = tx.Consent(id)
		return err
	})
	return c, err
}
