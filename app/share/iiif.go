package share

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"

	"github.com/digital-asset-library/dal/app/access"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/media"
	"github.com/digital-asset-library/dal/app/render"
	"github.com/digital-asset-library/dal/storage"
)

// IIIF serves assets with the APIs of the International Image Interoperability Framework:
// to anyone with a signed identifier, and in shares that require nothing from their guests.
//
// A picture is decoded once into a pyramid of tiles, which the rendition cache stores. If
// the full size must not be delivered, the pyramid is built from a rendition, so that it
// contains nothing more.
type IIIF struct {
	store  *storage.Store
	images *render.Images
	guests *Guests
}

// NewIIIF returns the IIIF services of a library.
func NewIIIF(store *storage.Store, images *render.Images, guests *Guests) *IIIF {
	return &IIIF{store, images, guests}
}

var (
	errNoIIIF = dam.Errorf(dam.NotFound, "Not found.")
	// errGatedIIIF is returned for shares that other programs cannot open.
	errGatedIIIF = dam.Errorf(dam.Denied, "This share asks its guests for something first: IIIF is for shares that do not.")
	// errTilesGone is returned if the cache evicts tiles faster than they are read.
	errTilesGone = dam.Errorf(dam.Unavailable, "The server has too little room for the tiles of this picture; try again.")
)

// IIIFAsset is the asset of an identifier, with the limits on the visible size.
type IIIFAsset struct {
	ID    dam.IIIFID
	Asset *dam.Asset
	Share *dam.Share // nil for a signed identifier

	limits *dam.Share // nil if the picture may be delivered in full size
	key    GuestKey
}

// IIIFWish requests the identifier of an asset. Max limits the longest side of delivered
// images in pixels; 0 sets no limit.
type IIIFWish struct {
	GAID dam.GAID
	Max  int
}

// MinIIIFMax is the minimum of IIIFWish.Max.
const MinIIIFMax = 16

// MaxIIIFMax returns the maximum of IIIFWish.Max.
func MaxIIIFMax() int { return dam.LargestRendition() }

// HasIIIF reports whether an asset is available through IIIF: pictures and documents are.
func HasIIIF(asset *dam.Asset) bool { return asset.HasPicture() && !asset.HasPoster() }

// SignIIIF returns identifiers of assets, in the order of the wishes. Anyone with an
// identifier can see the asset, as long as the asset exists and the actor's user may sign
// pictures.
func (sh *Shares) SignIIIF(ctx context.Context, actor dam.Actor, wishes []IIIFWish) ([]dam.IIIFID, error) {
	if err := access.MaySignImages(actor); err != nil {
		return nil, err
	}
	key, err := sh.Images.Key(ctx)
	if err != nil {
		return nil, err
	}
	ids := make([]dam.IIIFID, len(wishes))
	err = sh.Store.View(ctx, func(tx *storage.Tx) error {
		var wrong dam.Problems
		for i, w := range wishes {
			asset, err := access.LiveAsset(tx, w.GAID, false)
			switch {
			case dam.KindOf(err) == dam.NotFound || err == nil && !HasIIIF(asset):
				wrong.Add("images."+strconv.Itoa(i)+".gaid", "There is no picture or document %s that can be seen.", w.GAID)
			case err != nil:
				return err
			default:
				ids[i] = dam.IIIFID{GAID: w.GAID, Signature: render.Signature(key, actor.User.ID, w.GAID, iiifOptions(w.Max)), Max: w.Max}
			}
		}
		return wrong.Err()
	})
	return ids, err
}

// iiifOptions returns the part that an identifier signs in addition to the asset. It
// differs from everything that picture URLs sign.
func iiifOptions(most int) string { return "iiif,max=" + strconv.Itoa(most) }

// Asset returns the asset of an identifier. A wrong signature, a deleted asset, and an
// asset that may not be used now all return the same NotFound.
func (t *IIIF) Asset(ctx context.Context, id dam.IIIFID) (a *IIIFAsset, err error) {
	a = &IIIFAsset{ID: id, key: GuestKey{Token: id.Token}}
	if id.Token != "" {
		var v *Visit
		v, a.Asset, err = t.guests.Asset(ctx, a.key, id.GAID)
		if errors.Is(err, ErrGate) {
			err = errGatedIIIF
		}
		if err == nil {
			a.Share = v.Share
			if a.limits = v.Share; fullySeen(v.Share, a.Asset) {
				a.limits = nil
			}
		}
	} else {
		err = t.store.View(ctx, func(tx *storage.Tx) (err error) {
			a.Asset, _, err = render.SignedAsset(tx, id.GAID, id.Signature, iiifOptions(id.Max))
			return err
		})
		if id.Max > 0 {
			a.limits = &dam.Share{MaxResolution: id.Max, AllowDownload: true}
		}
	}
	if err != nil {
		return nil, err
	}
	paged := Paged(a.Asset)
	if !HasIIIF(a.Asset) || id.Page > 0 && (!paged || id.Page > max(a.Asset.PageCount, 1)) {
		return nil, errNoIIIF
	}
	return a, nil
}

// fullySeen reports whether guests can see an asset in full size: as with videos, that
// delivers the content of the original in pieces, which cannot be counted. Files that can
// be rendered at any size have no inherent size to compare with a limit.
func fullySeen(s *dam.Share, asset *dam.Asset) bool {
	why := s.Withholds(asset)
	drawn := asset.FileCategory != dam.CategoryImage || media.Scales(asset.MIMEType)
	if drawn && s.MaxResolution > 0 {
		return false
	}
	return (why == dam.WithheldNot || why == dam.WithheldMetadata) && s.Watermark == nil && s.Access.MaxDownloads == nil
}

// page returns the visible page, 0 for files without pages.
func (a *IIIFAsset) page() int {
	if Paged(a.Asset) {
		return max(a.ID.Page, 1)
	}
	return 0
}

// kind returns the largest rendition that may be seen.
func (a *IIIFAsset) kind() dam.Rendition {
	switch {
	case a.page() > 0:
		return dam.RenditionPage
	case a.limits.Access.MaxDownloads != nil: // the large rendition is a download, and tiles are not counted
		return dam.RenditionPreview
	case a.limits.AllowDownload && a.Asset.FileCategory == dam.CategoryImage:
		return dam.RenditionLarge
	}
	return dam.RenditionPreview
}

// Longest returns the maximum of the longest visible side in pixels; 0 if only the
// picture's own size limits it.
func (a *IIIFAsset) Longest() int {
	if a.limits == nil {
		return 0
	}
	spec, _ := a.kind().Spec()
	return a.limits.Longest(spec.Size)
}

// IIIFTiles is an open pyramid. The caller closes it.
type IIIFTiles struct {
	*media.Pyramid
	io.Closer
	*IIIFAsset
	name string
}

// Tiles opens the pyramid of an identifier's picture. If it is not cached, the picture is
// decoded, once for all concurrent requests.
func (t *IIIF) Tiles(ctx context.Context, id dam.IIIFID) (*IIIFTiles, error) {
	a, err := t.Asset(ctx, id)
	if err != nil {
		return nil, err
	}
	p := render.Picked{Asset: a.Asset, Kind: dam.RenditionLarge, Page: a.page()}
	if p.Page > 0 {
		p.Kind = dam.RenditionPage
	}
	made := fmt.Sprintf("original %d", p.Page)
	if a.limits != nil {
		limited, err := t.limited(ctx, a)
		if err != nil {
			return nil, err
		}
		if made, err = limited.ETag, limited.Content.Close(); err != nil {
			return nil, err
		}
	}
	name := fmt.Sprintf("%s-%s-%s-%d.tiles", p.SHA(), render.TilesKind, render.ShortSum(made, 8), render.TilesVersion)
	tiles := &IIIFTiles{IIIFAsset: a, name: name}
	if tiles.open(t.images) == nil {
		return tiles, nil
	}
	_, err = t.images.Pyramids.Join(ctx, name, func(ctx context.Context) (*render.Rendered, error) {
		return &render.Rendered{}, t.makeTiles(ctx, a, p, name)
	})
	if err == nil {
		err = tiles.open(t.images)
	}
	return tiles, err
}

// limited opens the largest picture that may be seen.
func (t *IIIF) limited(ctx context.Context, a *IIIFAsset) (*render.File, error) {
	return t.guests.allowedPicture(ctx, a.limits, a.Asset, a.kind(), a.page())
}

func (t *IIIFTiles) open(m *render.Images) error {
	f, err := m.Cache.Open(t.name)
	if errors.Is(err, fs.ErrNotExist) {
		return errTilesGone
	}
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err == nil {
		t.Pyramid, err = media.OpenPyramid(f, info.Size())
	}
	if err != nil {
		return errors.Join(err, f.Close())
	}
	t.Closer = f
	return nil
}

// makeTiles adds the pyramid of a picture to the cache.
func (t *IIIF) makeTiles(ctx context.Context, a *IIIFAsset, p render.Picked, name string) error {
	if found := (&IIIFTiles{name: name}); found.open(t.images) == nil { // another request has just made it
		return found.Close()
	}
	file, size, filename, page, err := t.tilesFrom(ctx, a, p)
	if err != nil {
		return err
	}
	defer file.Close()
	m := t.images
	err = m.Cache.Fill(name, size, func(w io.Writer) error { return m.Media.Pyramid(ctx, file, size, filename, page, w) })
	if err != nil {
		return render.RenderError(p, err)
	}
	m.Log.DebugContext(ctx, "the tiles of a picture were made", "gaid", p.Asset.GAID, "page", p.Page)
	return nil
}

// readable is the source of a pyramid.
type readable interface {
	io.ReaderAt
	io.Closer
}

// tilesFrom opens the source of a pyramid. The first request may have been cancelled, so
// the source is independent of it.
func (t *IIIF) tilesFrom(
	ctx context.Context, a *IIIFAsset, p render.Picked,
) (r readable, size int64, filename string, page int, err error) {
	if a.limits == nil {
		f, size, extension, err := t.images.Source(ctx, p)
		return f, size, "original." + extension, p.Page, err
	}
	limited, err := t.limited(ctx, a)
	if err != nil {
		return nil, 0, "", 0, err
	}
	defer limited.Content.Close()
	data, err := io.ReadAll(limited.Content)
	return render.InMemory{Reader: bytes.NewReader(data)}, int64(len(data)), "rendition.jpg", 0, err
}

// IIIFPicture is an open IIIF image.
type IIIFPicture struct {
	*render.File
	*IIIFAsset
	Canonical string // canonical end of its path
}

// Picture opens the requested part of an identifier's picture. A tile is read directly from
// the pyramid; anything else is rendered, which waits for the queue.
func (t *IIIF) Picture(ctx context.Context, id dam.IIIFID, r dam.IIIFRequest, queue render.Queue) (*IIIFPicture, error) {
	if !t.images.Media.Encodes(r.Format) {
		return nil, dam.Errorf(dam.Malformed, "This server cannot write %s.", r.Format)
	}
	tiles, err := t.Tiles(ctx, id)
	if err != nil {
		return nil, err
	}
	c, err := r.Cut(tiles.Width, tiles.Height)
	var content io.ReadSeekCloser
	if err == nil {
		content, err = t.cut(ctx, tiles, r, c, queue)
	}
	if err != nil {
		return nil, errors.Join(err, tiles.Close())
	}
	p := &IIIFPicture{
		&render.File{
			Content: content, MIMEType: r.Format.MIME(), Showable: true, ModTime: tiles.Asset.UpdatedAt,
			ETag: `"` + render.ShortSum(tiles.name+" "+c.Canonical, 16) + `"`,
		},
		tiles.IIIFAsset, c.Canonical,
	}
	if c.Full() { // tiles are too small to carry the credits
		if err := render.Credit(p.File, tiles.Asset); err != nil {
			return nil, err
		}
	}
	if tiles.Share != nil {
		p.Content = t.guests.whileShown(ctx, tiles.key, tiles.Asset.GAID, p.Content)
	} else {
		p.Content = dam.WhileDeliverable(p.Content, tiles.Asset, t.guests.Now)
	}
	return p, nil
}

// cut returns a part of a picture. On success it takes ownership of the tiles.
func (t *IIIF) cut(
	ctx context.Context, tiles *IIIFTiles, r dam.IIIFRequest, c dam.IIIFCut, queue render.Queue,
) (io.ReadSeekCloser, error) {
	if tile := tiles.Tile(r, c); tile != nil {
		return tileFile{tile, tiles}, nil
	}
	made, err := t.images.Flights.Queued(ctx, tiles.name+" "+c.Canonical, queue, func(ctx context.Context) (*render.Rendered, error) {
		again := &IIIFTiles{name: tiles.name} // the first request may have been cancelled
		if err := again.open(t.images); err != nil {
			return nil, err
		}
		defer again.Close()
		data, err := t.images.Media.Cut(ctx, again.Pyramid, r, c)
		return &render.Rendered{Picture: data}, err
	})
	if err != nil {
		return nil, err
	}
	return render.InMemory{Reader: bytes.NewReader(made.Picture)}, tiles.Close()
}

// tileFile is a tile stored in a pyramid.
type tileFile struct {
	*io.SectionReader
	io.Closer
}

// Encodes reports whether pictures can be sent in a format.
func (t *IIIF) Encodes(f dam.PictureFormat) bool { return t.images.Media.Encodes(f) }

// IIIFList is a page of the assets that a share shows through IIIF.
type IIIFList struct {
	Share  *dam.Share
	Assets []*dam.Asset
	Total  int // approximate number on all pages; some may not be visible now
}

// List lists up to MaxIIIFItems assets of a share, on the page with number part, counted
// from 1. If counts is set, the first page counts a visit.
func (t *IIIF) List(ctx context.Context, token string, part int, counts bool) (*IIIFList, error) {
	key := GuestKey{Token: token}
	v, err := t.guests.look(access.ByNobody(ctx), key)
	if err != nil {
		return nil, err
	}
	if !v.isOpen() {
		return nil, errGatedIIIF
	}
	if counts && part == 1 {
		if v, _, err = t.guests.Open(ctx, key); err != nil {
			return nil, err
		}
	}
	page := dam.Page{Limit: dam.MaxIIIFItems, Offset: (part - 1) * dam.MaxIIIFItems}
	l := &IIIFList{Share: v.Share}
	for got := 0; got < page.Limit; {
		p := dam.Page{Limit: min(archivePage, page.Limit-got), Offset: page.Offset + got}
		assets, total, err := t.guests.Assets(ctx, v, p)
		if err != nil {
			return nil, err
		}
		for _, asset := range assets {
			if HasIIIF(asset) {
				l.Assets = append(l.Assets, asset)
			}
		}
		got += p.Limit
		if l.Total = total; p.Offset+p.Limit >= total {
			break
		}
	}
	return l, nil
}
