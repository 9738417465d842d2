package share

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"time"

	"github.com/digital-asset-library/dal/app/access"
	"github.com/digital-asset-library/dal/app/analytics"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/export"
	"github.com/digital-asset-library/dal/app/media"
	"github.com/digital-asset-library/dal/app/original"
	"github.com/digital-asset-library/dal/app/render"
	"github.com/digital-asset-library/dal/storage"
)

// MaxShareArchive is the maximum number of files in an archive of a share.
const MaxShareArchive = 10_000

// Paged reports whether the pages of an asset can be shown.
func Paged(asset *dam.Asset) bool { return asset.HasPicture() && media.Paged(asset.MIMEType) }

// Picture opens a rendition of an asset for a guest, within the limits of the share: the
// thumbnail, the preview or a page.
func (g *Guests) Picture(ctx context.Context, key GuestKey, gaid dam.GAID, kind dam.Rendition, page int) (*render.File, error) {
	v, asset, err := g.Asset(ctx, key, gaid)
	if err != nil {
		return nil, err
	}
	f, err := g.picture(ctx, v.Share, asset, kind, page)
	if err == nil {
		f.Content = g.whileShown(ctx, key, gaid, f.Content)
	}
	return f, err
}

// picture opens a rendition within the limits of a share, with the creator and the
// copyright of the asset embedded.
func (g *Guests) picture(ctx context.Context, s *dam.Share, asset *dam.Asset, kind dam.Rendition, page int) (*render.File, error) {
	f, err := g.allowedPicture(ctx, s, asset, kind, page)
	if err == nil {
		err = render.Credit(f, asset)
	}
	return f, err
}

func (g *Guests) allowedPicture(ctx context.Context, s *dam.Share, asset *dam.Asset, kind dam.Rendition, page int) (*render.File, error) {
	p, err := g.Renditions.Pick(ctx, asset, kind, page)
	if err != nil {
		return nil, err
	}
	spec, _ := p.Kind.Spec()
	f := &render.File{
		Name: guestName(s, asset, "jpg"), MIMEType: render.MIME, Showable: true, ETag: p.ETag(), ModTime: asset.CreatedAt,
	}
	side := s.Longest(spec.Size)
	if side == spec.Size && s.Watermark == nil {
		f.Content, err = g.Renditions.Open(ctx, p)
		return f, err
	}
	mark, err := g.mark(ctx, s, spec.Quality)
	if err != nil {
		return nil, err
	}
	name := sharedKey(p, side, mark)
	f.ETag = `"` + strings.TrimSuffix(name, ".jpg") + `"`
	f.Content, err = g.marked(ctx, p, name, side, mark)
	return f, err
}

// sharedKey returns the key of a shared picture in the cache.
func sharedKey(p render.Picked, side int, m media.Mark) string {
	sum := render.ShortSum(fmt.Sprintf("%s %d %d %s %s %t", p.Key(), side, m.Opacity, m.Text, m.LogoID, m.Corner), 8)
	return fmt.Sprintf("%s-%s-%s-%d.jpg", p.SHA(), render.SharedKind, sum, render.SharedVersion)
}

// marked opens a rendition in a given size with a watermark, and makes it if it is not
// cached.
func (g *Guests) marked(ctx context.Context, p render.Picked, name string, side int, m media.Mark) (io.ReadSeekCloser, error) {
	r := g.Renditions
	file, err := r.Cache.Open(name)
	if err == nil {
		return file, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	plain, err := r.Open(ctx, p) // before derive takes a slot, since open needs another one
	if err != nil {
		return nil, err
	}
	defer plain.Close()
	data, err := io.ReadAll(plain)
	if err != nil {
		return nil, err
	}
	return r.Derive(ctx, name, p.Asset, render.Unqueued, func(context.Context) ([]byte, error) { return media.Marked(data, side, m) })
}

// guestName returns the name of a file for a guest. It reveals the original filename only
// if the share includes metadata.
func guestName(s *dam.Share, asset *dam.Asset, extension string) string {
	name := asset.Title
	if s.IncludeMetadata {
		name = dam.TitleFromFilename(asset.OriginalFilename)
	}
	if extension != "" {
		name += "." + extension
	}
	return name
}

// Download opens the file of an asset that a guest may download. It counts the download and
// commits that before it returns.
func (g *Guests) Download(ctx context.Context, key GuestKey, gaid dam.GAID) (*render.File, error) {
	v, asset, err := g.Asset(ctx, key, gaid)
	if err != nil {
		return nil, err
	}
	offer := g.Offer(ctx, v.Share, asset)
	f, err := g.keepable(ctx, v.Share, asset, offer.Download)
	if err != nil {
		return nil, err
	}
	same := func(s *dam.Share) bool { return offered(s, asset, offer.copied).Download == offer.Download }
	if err := g.count(ctx, key, dam.ShareDownloaded, gaid, same); err != nil {
		f.Content.Close()
		return nil, err
	}
	f.Content = g.whileShown(ctx, key, gaid, f.Content)
	return f, nil
}

// count counts a download if the share still allows it.
func (g *Guests) count(ctx context.Context, key GuestKey, action dam.ShareAction, gaid dam.GAID, allows func(*dam.Share) bool) error {
	ctx = access.ByNobody(ctx)
	return g.Store.Update(ctx, func(tx *storage.Tx) error {
		v, err := decide(ctx, tx, key)
		if err != nil {
			return err
		}
		if !v.isOpen() {
			return ErrGate
		}
		if !allows(v.Share) {
			return errNoShare
		}
		if ok, err := tx.CountDownload(v.ID); err != nil || !ok {
			return cmp.Or[error](err, errUsedUp)
		}
		return g.enter(ctx, tx, v, action, gaid)
	})
}

// Play opens a video or audio file for a guest's player, for requests of any part. It
// records a play in the access log and commits that before it returns.
func (g *Guests) Play(ctx context.Context, key GuestKey, gaid dam.GAID) (*render.File, error) {
	v, asset, err := g.Asset(ctx, key, gaid)
	if err != nil {
		return nil, err
	}
	f, err := g.keepable(ctx, v.Share, asset, g.Offer(ctx, v.Share, asset).Plays)
	if err != nil {
		return nil, err
	}
	if err := g.played(ctx, v, asset); err != nil {
		f.Content.Close()
		return nil, err
	}
	f.Content, f.Showable = g.whileShown(ctx, key, gaid, f.Content), true
	return f, nil
}

// played records that a guest plays an asset: at most once per half hour, or per duration
// of the asset if that is longer, since players request many parts.
func (g *Guests) played(ctx context.Context, v *Visit, asset *dam.Asset) error {
	ctx = access.ByNobody(ctx)
	lasts := min(max(analytics.SameView, time.Duration(asset.DurationMS)*time.Millisecond), VisitLife)
	known := false
	look := func(tx *storage.Tx) (err error) {
		known, err = tx.HasPlayed(v.entry(ctx, dam.SharePlayed, asset.GAID), tx.Now().Add(-lasts))
		return err
	}
	if err := g.Store.View(ctx, look); err != nil || known { // nothing to write
		return err
	}
	return g.Store.Update(ctx, func(tx *storage.Tx) error {
		if err := look(tx); err != nil || known {
			return err
		}
		return g.enter(ctx, tx, v, dam.SharePlayed, asset.GAID)
	})
}

// ShareArchive contains everything that a guest may download from a share, as one ZIP file.
type ShareArchive struct {
	Name   string
	guests *Guests
	visit  *Visit
	wanted []wanted
}

// wanted is an asset to be included in an archive.
type wanted struct {
	gaid  dam.GAID
	title string
}

// Archive counts the download of everything that the share currently shows and commits that
// before it returns.
func (g *Guests) Archive(ctx context.Context, key GuestKey) (*ShareArchive, error) {
	v, err := g.look(access.ByNobody(ctx), key)
	if err == nil && v.Type == dam.ShareHandIn {
		err = errNoShare
	}
	if err != nil {
		return nil, err
	}
	if !v.isOpen() {
		return nil, ErrGate
	}
	if !v.AllowDownload {
		return nil, errNoShare
	}
	all, err := g.wanted(ctx, v)
	if err != nil {
		return nil, err
	}
	err = g.count(ctx, key, dam.ShareArchived, "", func(s *dam.Share) bool { return s.AllowDownload })
	return &ShareArchive{Name: v.Name + ".zip", guests: g, visit: v, wanted: all}, err
}

// archivePage is the number of assets read per query to list the contents of an archive.
const archivePage = 100

// wanted returns the assets to be included in an archive of a share.
func (g *Guests) wanted(ctx context.Context, v *Visit) (all []wanted, err error) {
	for offset := 0; ; offset += archivePage {
		assets, total, err := g.Assets(ctx, v, dam.Page{Limit: archivePage, Offset: offset})
		if err != nil {
			return nil, err
		}
		if total > MaxShareArchive {
			return nil, errNoShare
		}
		for _, asset := range assets {
			all = append(all, wanted{asset.GAID, asset.Title})
		}
		if offset+archivePage >= total {
			return all, nil
		}
	}
}

// Write writes the archive. Once the share is hidden, it fails with an error and leaves the
// archive incomplete. Files that cannot be included are listed in a file.
func (a *ShareArchive) Write(ctx context.Context, w io.Writer) error {
	archive := export.NewArchive(w)
	var left []string
	for _, asset := range a.wanted {
		added, err := a.add(ctx, archive, asset.gaid)
		if err != nil {
			return err
		}
		if !added {
			left = append(left, asset.title)
		}
	}
	if left != nil {
		note, err := archive.Document("not-included.txt", a.guests.Now())
		if err == nil {
			_, err = io.WriteString(note, strings.Join(left, "\r\n")+"\r\n")
		}
		if err != nil {
			return err
		}
	}
	return archive.Close()
}

// add writes the file of an asset and reports whether it could be included. It returns an
// error if the whole share is hidden.
func (a *ShareArchive) add(ctx context.Context, archive *export.Archive, gaid dam.GAID) (bool, error) {
	g, key := a.guests, a.visit.key
	v, asset, err := g.Asset(ctx, key, gaid)
	if err != nil {
		if v, err := g.look(access.ByNobody(ctx), key); err != nil || !v.isOpen() {
			return false, cmp.Or(err, ErrGate)
		}
		return false, nil
	}
	if !v.AllowDownload {
		return false, errNoShare
	}
	f, err := g.keepable(ctx, v.Share, asset, g.Offer(ctx, v.Share, asset).Download)
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	if err != nil {
		if dam.KindOf(err) == dam.Internal {
			g.Log.WarnContext(ctx, "an archive of a share lacks a file", "gaid", gaid, "err", err)
		}
		return false, nil
	}
	defer f.Content.Close()
	_, err = archive.Add(f.Name, f.MIMEType, f.ModTime, original.UntilDone(ctx, g.whileShown(ctx, key, gaid, f.Content)))
	if err == nil {
		g.Analytics.Archived(ctx, v.ID, gaid)
	}
	return err == nil, err
}
