package share

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/digital-asset-library/dal/app/access"
	"github.com/digital-asset-library/dal/app/account"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/render"
	"github.com/digital-asset-library/dal/storage"
)

var errNoEmbed = dam.Errorf(dam.NotFound, "No embed code exists for this asset.")

// embedOf returns a user's embed of an asset, which may be in the trash.
func embedOf(tx *storage.Tx, user *dam.User, gaid dam.GAID) (*dam.Share, error) {
	s, err := tx.EmbedOf(user.ID, gaid)
	if dam.KindOf(err) == dam.NotFound {
		err = errNoEmbed
	}
	if err != nil {
		return nil, err
	}
	s.CreatedBy = user
	return s, nil
}

// Embed returns the embed that the actor's user has of an asset outside the trash.
func (sh *Shares) Embed(ctx context.Context, actor dam.Actor, gaid dam.GAID) (s *dam.Share, err error) {
	if err := access.MayReadShares(actor); err != nil {
		return nil, err
	}
	err = sh.Store.View(ctx, func(tx *storage.Tx) error {
		if _, err := access.LiveAsset(tx, gaid, false); err != nil {
			return err
		}
		s, err = embedOf(tx, actor.User, gaid)
		return err
	})
	if err != nil {
		return nil, err
	}
	ShowShare(actor, s)
	return s, nil
}

// MakeEmbed returns the embed that the actor's user has of a video, with the changes of p.
// It creates one if none exists or if fresh is set; an older one is then revoked.
func (sh *Shares) MakeEmbed(ctx context.Context, actor dam.Actor, gaid dam.GAID, fresh bool, p *dam.EmbedPatch) (*dam.Share, error) {
	if err := access.MayManageShares(actor); err != nil {
		return nil, err
	}
	var s *dam.Share
	err := sh.Store.Update(ctx, func(tx *storage.Tx) error {
		video, err := access.LiveAsset(tx, gaid, false)
		if err != nil {
			return err
		}
		if err := linkable(tx, actor, p.Tracks.Value); err != nil {
			return err
		}
		if video.FileCategory != dam.CategoryVideo {
			return dam.InvalidField("gaid", "Only videos can be embedded.")
		}
		if fresh {
			if err := revokeEmbeds(tx, actor.User, gaid); err != nil && !errors.Is(err, errNoEmbed) {
				return err
			}
		}
		s, err = embedOf(tx, actor.User, gaid)
		if errors.Is(err, errNoEmbed) {
			if s, err = newEmbed(tx, actor.User, video, p); err != nil {
				return err
			}
			return sh.Analytics.In(ctx, tx, dam.CountKey{}, dam.Counts{Shares: 1})
		}
		if err != nil {
			return err
		}
		if err := p.Apply(s, video, tx.Now()); err != nil {
			return err
		}
		return tx.UpdateShare(s)
	})
	if err != nil {
		return nil, err
	}
	ShowShare(actor, s)
	return s, nil
}

func newEmbed(tx *storage.Tx, user *dam.User, video *dam.Asset, p *dam.EmbedPatch) (*dam.Share, error) {
	s := dam.NewEmbed()
	s.Token, s.GAIDs, s.CreatedByID, s.CreatedBy = account.RandomText(24), []dam.GAID{video.GAID}, user.ID, user
	if err := p.Apply(s, video, tx.Now()); err != nil {
		return nil, err
	}
	if err := mayMakeMore(tx, user.ID, dam.ShareEmbed); err != nil {
		return nil, err
	}
	if err := tx.InsertShare(s, account.HashOf(s.Token), []int64{video.ID}); err != nil {
		return nil, err
	}
	return s, tx.InsertEvent(dam.ShareCreated, fmt.Sprint(s.ID), s)
}

// revokeEmbeds revokes a user's embeds of an asset. Merging assets can leave more than one.
func revokeEmbeds(tx *storage.Tx, user *dam.User, gaid dam.GAID) error {
	for n := 0; ; n++ {
		s, err := embedOf(tx, user, gaid)
		if n > 0 && errors.Is(err, errNoEmbed) {
			return nil
		}
		if err == nil {
			err = revoke(tx, s)
		}
		if err != nil {
			return err
		}
	}
}

// RevokeEmbed ends the embed that the actor's user has of an asset: its page and its files,
// including running transfers.
func (sh *Shares) RevokeEmbed(ctx context.Context, actor dam.Actor, gaid dam.GAID) error {
	if err := access.MayManageShares(actor); err != nil {
		return err
	}
	return sh.Store.Update(ctx, func(tx *storage.Tx) error { return revokeEmbeds(tx, actor.User, gaid) })
}

// Embeds returns which file of a video its embeds play: the stripped copy of the original
// if browsers play that.
func (g *Guests) Embeds(ctx context.Context, video *dam.Asset) Delivery {
	switch {
	case BrowsersPlay(video) && g.Stripped.Can(ctx, video):
		return DeliversCopy
	case video.HasProxy:
		return DeliversProxy
	}
	return DeliversNothing
}

// embedded returns an embed and its video, if both may be shown.
func embedded(ctx context.Context, tx *storage.Tx, token string) (*dam.Share, *dam.Asset, error) {
	v, err := decide(ctx, tx, GuestKey{Token: token, Embed: true})
	if err != nil {
		return nil, nil, err
	}
	assets, _, err := tx.ShareAssets(v.ID, dam.Page{Limit: 1})
	if err != nil {
		return nil, nil, err
	}
	if len(assets) == 0 || assets[0].FileCategory != dam.CategoryVideo || !dam.Deliverable(assets[0], tx.Now()) {
		return nil, nil, errNoShare
	}
	return v.Share, assets[0], nil
}

// Embedded returns an embed and its video.
func (g *Guests) Embedded(ctx context.Context, token string) (s *dam.Share, video *dam.Asset, err error) {
	ctx = access.ByNobody(ctx)
	err = g.Store.View(ctx, func(tx *storage.Tx) error {
		s, video, err = embedded(ctx, tx, token)
		return err
	})
	return s, video, err
}

// OpenEmbed is Embedded for the player page. It counts a view and commits that before it
// returns.
func (g *Guests) OpenEmbed(ctx context.Context, token string) (s *dam.Share, video *dam.Asset, err error) {
	if s, video, err = g.Embedded(ctx, token); err != nil { // nothing to write if this fails
		return nil, nil, err
	}
	ctx = access.ByNobody(ctx)
	err = g.Store.Update(ctx, func(tx *storage.Tx) error {
		if s, video, err = embedded(ctx, tx, token); err != nil {
			return err
		}
		if ok, err := tx.CountView(s.ID); err != nil || !ok {
			return cmp.Or[error](err, errNoShare)
		}
		key := dam.CountKey{Channel: dam.ChannelEmbed, ShareID: s.ID, GAID: video.GAID}
		return g.Analytics.In(ctx, tx, key, dam.Counts{Views: 1})
	})
	return s, video, err
}

// EmbedVideo opens the file that the player of an embed plays.
func (g *Guests) EmbedVideo(ctx context.Context, token string) (*render.File, error) {
	_, video, err := g.Embedded(ctx, token)
	if err != nil {
		return nil, err
	}
	f, err := g.file(ctx, video, g.Embeds(ctx, video))
	if err != nil {
		return nil, err
	}
	f.Showable = true
	f.Content = g.whileEmbedded(ctx, token, video, f.Content)
	return f, nil
}

// EmbedPicture opens a rendition of an embed's video.
func (g *Guests) EmbedPicture(ctx context.Context, token string, kind dam.Rendition) (*render.File, error) {
	s, video, err := g.Embedded(ctx, token)
	if err != nil {
		return nil, err
	}
	f, err := g.picture(ctx, s, video, kind, 0)
	if err != nil {
		return nil, err
	}
	f.Name, f.Content = "", g.whileEmbedded(ctx, token, video, f.Content)
	return f, nil
}

// whileEmbedded returns content that fails with an error once the embed or the video is
// hidden, or the video's file is replaced.
func (g *Guests) whileEmbedded(ctx context.Context, token string, video *dam.Asset, content io.ReadSeekCloser) io.ReadSeekCloser {
	check := g.seldom(func() error {
		_, now, err := g.Embedded(ctx, token)
		if err == nil && (now.GAID != video.GAID || now.SHA256 != video.SHA256) {
			err = errNoShare
		}
		return err
	})
	return dam.WhileDeliverable(&shownContent{ReadSeekCloser: content, check: check}, video, g.Now)
}
