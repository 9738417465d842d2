package ingest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/digital-asset-library/dal/app/access"
	assets "github.com/digital-asset-library/dal/app/asset"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/find"
	"github.com/digital-asset-library/dal/app/media"
	"github.com/digital-asset-library/dal/app/render"
	"github.com/digital-asset-library/dal/app/scan"
	"github.com/digital-asset-library/dal/storage"
	"github.com/digital-asset-library/dal/storage/blob"
)

// MaxPoster is the maximum size of a poster in bytes.
const MaxPoster = 20 << 20

// PosterTypes returns the MIME types allowed for a poster.
func PosterTypes() []string { return []string{"image/jpeg", "image/png", "image/webp"} }

// SetPoster sets the poster of a video or audio asset that passes a check to the picture
// read from r. The picture is treated like any uploaded file: it is scanned, read within
// the limits, and on disk when SetPoster returns.
func (ups *Uploads) SetPoster(
	ctx context.Context, actor dam.Actor, gaid dam.GAID, r io.Reader, check find.AssetCheck,
) (d *assets.Detail, err error) {
	checked, err := ups.Finder.AssetCheck(ctx, actor, gaid, check)
	if err != nil {
		return nil, err
	}
	err = ups.Store.View(ctx, func(tx *storage.Tx) error {
		_, err := posterAsset(tx, actor, gaid, checked)
		return err
	})
	if err != nil {
		return nil, err
	}
	t, m, err := ups.Ingest.poster(ctx, r)
	if err != nil {
		return nil, err
	}
	defer t.Discard()
	unused := ""
	err = ups.Originals.Blobs.Adopt(ctx, []*blob.Temp{t}, func() error {
		return ups.Store.Update(ctx, func(tx *storage.Tx) error {
			asset, err := posterAsset(tx, actor, gaid, checked)
			if err != nil {
				return err
			}
			if unused, err = ups.putPoster(tx, actor, asset, t, m); err != nil {
				return err
			}
			d, err = assets.DetailOf(tx, asset)
			return err
		})
	})
	if err == nil && unused != "" { // not earlier, because adopting the file holds the folder
		ups.Originals.Remove(unused)
	}
	return ups.Assets.WithCollections(ctx, actor, d, err)
}

// putPoster sets the poster of an asset, unless it is unchanged. It returns the checksum of
// a file to remove after the commit, "" for none.
func (ups *Uploads) putPoster(
	tx *storage.Tx, actor dam.Actor, asset *dam.Asset, t *blob.Temp, m *media.Result,
) (unused string, err error) {
	if err := ups.Originals.Uploaded(tx, []*blob.Temp{t}); err != nil {
		return "", err
	}
	old, err := tx.Poster(asset.ID)
	switch {
	case dam.KindOf(err) == dam.NotFound:
		old = &dam.Poster{Own: asset.Shown()}
	case err != nil:
		return "", err
	case old.SHA256 == t.SHA256():
		return "", nil
	}
	if err := tx.InsertBlob(t.SHA256(), t.Size()); err != nil {
		return "", err
	}
	poster := &dam.Poster{SHA256: t.SHA256(), Extension: m.Type.Extensions[0], Own: old.Own}
	if err := tx.PutPoster(asset.ID, poster); err != nil {
		return "", err
	}
	pic := m.Picture
	shown := dam.Shown{ThumbHash: pic.ThumbHash, PHash: pic.PHash, Colors: pic.Colors, Preview: dam.PosterShown}
	if err := ups.show(tx, actor, asset, shown); err != nil || old.SHA256 == "" {
		return "", err
	}
	last, err := tx.ReleaseBlob(old.SHA256)
	if !last {
		return "", err
	}
	return old.SHA256, err
}

// DeletePoster removes the poster of an asset that passes a check, so that the asset shows
// its own file again. Without a poster, nothing changes.
func (ups *Uploads) DeletePoster(
	ctx context.Context, actor dam.Actor, gaid dam.GAID, check find.AssetCheck,
) (d *assets.Detail, err error) {
	checked, err := ups.Finder.AssetCheck(ctx, actor, gaid, check)
	if err != nil {
		return nil, err
	}
	err = ups.Store.Update(ctx, func(tx *storage.Tx) error {
		asset, err := posterAsset(tx, actor, gaid, checked)
		if err != nil {
			return err
		}
		if err := ups.dropPoster(tx, actor, asset); err != nil {
			return err
		}
		d, err = assets.DetailOf(tx, asset)
		return err
	})
	return ups.Assets.WithCollections(ctx, actor, d, err)
}

func (ups *Uploads) dropPoster(tx *storage.Tx, actor dam.Actor, asset *dam.Asset) error {
	old, err := tx.Poster(asset.ID)
	if dam.KindOf(err) == dam.NotFound {
		return nil
	}
	if err != nil {
		return err
	}
	if err := tx.DeletePoster(asset.ID); err != nil {
		return err
	}
	if err := ups.show(tx, actor, asset, old.Own); err != nil {
		return err
	}
	return ups.Originals.Release(tx, old.SHA256)
}

// show changes the recorded properties of an asset's picture.
func (ups *Uploads) show(tx *storage.Tx, actor dam.Actor, asset *dam.Asset, s dam.Shown) error {
	before := *asset
	asset.Show(s)
	tx.OnCommit(ups.Index.Changed)
	if err := tx.SetShown(asset); err != nil {
		return err
	}
	return assets.PutAsset(tx, actor, &before, asset, dam.AssetUpdated, 0)
}

// posterAsset returns an asset that an actor may set a poster for.
func posterAsset(
	tx *storage.Tx, actor dam.Actor, gaid dam.GAID, checked func(*storage.Tx, *dam.Asset) error,
) (*dam.Asset, error) {
	asset, err := access.LiveAsset(tx, gaid, false)
	if err != nil {
		return nil, err
	}
	if err := access.MayChangeAsset(actor, asset, &dam.AssetPatch{}); err != nil {
		return nil, err
	}
	if !asset.HasPoster() {
		return nil, dam.InvalidField("gaid", "Only videos and sounds have a poster.")
	}
	return asset, checked(tx, asset)
}

// poster receives a picture as a file without references and keeps its renditions. The
// caller must Discard the file.
func (g *Ingester) poster(ctx context.Context, r io.Reader) (*blob.Temp, *media.Result, error) {
	t, err := g.Originals.Blobs.Create(ctx)
	if err != nil {
		return nil, nil, err
	}
	m, err := g.readPoster(ctx, t, r)
	if err == nil {
		err = g.Renditions.Keep(t.SHA256(), m.Picture)
	}
	if fault, ok := errors.AsType[*dam.FileError](err); ok {
		err = render.Wrapped(dam.InvalidField("body", "%s", fault.Message), err)
	}
	if err != nil {
		t.Discard()
		return nil, nil, err
	}
	return t, m, nil
}

// readPoster writes a picture to a file, and scans and reads it.
func (g *Ingester) readPoster(ctx context.Context, t *blob.Temp, r io.Reader) (*media.Result, error) {
	f, err := g.ReceivePicture(ctx, t, r, MaxPoster)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	kind, err := g.Media.Check(ctx, f, t.Size(), "")
	if err != nil {
		return nil, err
	}
	if !slices.Contains(PosterTypes(), kind.MIME) {
		return nil, &dam.FileError{Message: fmt.Sprintf("A poster is a JPEG, PNG or WebP; this is %s.", kind.Phrase)}
	}
	return g.Media.Extract(ctx, f, t.Size(), "")
}

// ReceivePicture writes a picture of up to most bytes to a file, scans it, and opens it.
func (g *Ingester) ReceivePicture(ctx context.Context, t *blob.Temp, r io.Reader, most int64) (*os.File, error) {
	n, err := io.Copy(t, io.LimitReader(r, most+1))
	switch {
	case err != nil:
		return nil, err
	case n == 0:
		return nil, &dam.FileError{Message: "The picture is empty."}
	case n > most:
		return nil, dam.Errorf(dam.TooLarge, "The picture may have up to %d MB.", most>>20)
	}
	if err := t.Finish(); err != nil {
		return nil, err
	}
	if err := g.scanPicture(ctx, t); err != nil {
		return nil, err
	}
	return t.Open()
}

// scanPicture scans a picture without references.
func (g *Ingester) scanPicture(ctx context.Context, t *blob.Temp) error {
	verdict, err := g.Scanner.Scan(ctx, func() (io.ReadCloser, error) { return t.Open() }, t.Size())
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, scan.ErrUnavailable):
		g.Scanner.note(ctx, err)
		return &dam.Error{Kind: dam.Unavailable, Msg: "The virus scanner cannot be reached; try again.", Err: err}
	case errors.Is(err, scan.ErrTooLargeForScanner):
		return dam.Errorf(dam.TooLarge, "The picture is larger than the virus scanner accepts (StreamMaxLength of clamd).")
	case err != nil:
		return fmt.Errorf("scan: %w", err)
	case verdict.Infected:
		return dam.InvalidField("body", "%s found %s. The picture was not kept.", verdict.Engine, verdict.Signature)
	}
	g.Scanner.note(ctx, nil)
	return nil
}
