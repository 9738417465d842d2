package asset

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/digital-asset-library/dal/app/access"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/media"
	"github.com/digital-asset-library/dal/app/media/embed"
	"github.com/digital-asset-library/dal/app/render"
)

// Open opens a file of an asset. For an asset in the trash, all files require the
// ability to delete assets, except the thumbnail and the preview, which are visible in the
// trash list.
func (a *Assets) Open(ctx context.Context, actor dam.Actor, gaid dam.GAID, wish render.FileWish) (*render.File, error) {
	if err := access.MayDownloadAssets(actor); err != nil {
		return nil, err
	}
	shown := wish.Preset == "" && !wish.Metadata && (wish.Rendition == dam.RenditionThumbnail || wish.Rendition == dam.RenditionPreview)
	d, err := a.FileAsset(ctx, gaid, shown || actor.May(dam.AssetsDelete))
	if err != nil {
		return nil, err
	}
	var f *render.File
	if wish.Preset != "" {
		f, err = a.openPreset(ctx, d, wish)
	} else {
		f, err = a.openFile(ctx, d, wish)
	}
	if err == nil && wish.Metadata {
		err = a.embed(ctx, f, d, wish)
	}
	if err != nil {
		return nil, fmt.Errorf("open %s of asset %s: %w", cmp.Or(string(wish.Rendition), "original"), gaid, err)
	}
	f.Content, f.Usage = access.WhileKnown(ctx, a.Store, a.Now, f.Content), dam.UsageOf(d, a.Now())
	return f, nil
}

// openPreset opens the image that a preset produces from an asset.
func (a *Assets) openPreset(ctx context.Context, d *dam.Asset, wish render.FileWish) (*render.File, error) {
	if wish.Rendition != "" {
		return nil, dam.InvalidField("preset", "A download has a rendition or a preset, not both.")
	}
	t, err := a.Images.Preset(ctx, "preset", wish.Preset)
	if err != nil {
		return nil, err
	}
	f, err := a.Images.Open(ctx, d, t)
	if err == nil {
		f.Name = fmt.Sprintf("%s-%s.%s", dam.TitleFromFilename(d.OriginalFilename), wish.Preset, t.Format.Extension())
	}
	return f, err
}

func (a *Assets) openFile(ctx context.Context, d *dam.Asset, wish render.FileWish) (f *render.File, err error) {
	f = &render.File{Name: d.OriginalFilename, MIMEType: d.MIMEType, ETag: `"` + d.SHA256 + `"`, ModTime: d.CreatedAt}
	if d.FileAt != nil {
		f.ModTime = *d.FileAt
	}
	f.Showable = wish.Rendition != "" || media.Showable(d.MIMEType)
	switch wish.Rendition {
	case "":
		f.Content, err = a.Originals.OpenAsset(ctx, d)
	case dam.RenditionProxy:
		f.Name, f.MIMEType, f.ETag = render.ProxyName(d), render.ProxyMIME(d),
			fmt.Sprintf(`"%s-%s-%d"`, d.SHA256, wish.Rendition, render.ProxyVersion)
		f.Content, err = a.Proxies.Open(ctx, d)
	default:
		var p render.Picked
		if p, err = a.Renditions.Pick(ctx, d, wish.Rendition, wish.Page); err == nil {
			f.Name, f.MIMEType, f.ETag = render.Filename(d.OriginalFilename, wish.Rendition, p.Page), render.MIME, p.ETag()
			f.Content, err = a.Renditions.Open(ctx, p)
		}
	}
	return f, err
}

// embed replaces f by a copy that contains the library's metadata of the asset. On failure
// it closes the content.
func (a *Assets) embed(ctx context.Context, f *render.File, d *dam.Asset, wish render.FileWish) error {
	content := f.Content
	var schema *dam.Schema
	err := func() error {
		at, ok := content.(io.ReaderAt)
		if !ok || !embed.Takes(f.MIMEType) {
			return dam.InvalidField("embed_metadata", "Metadata cannot be written into this type of file, only into JPEG, PNG, WebP, TIFF and PDF.")
		}
		size, err := content.Seek(0, io.SeekEnd)
		if err != nil {
			return err
		}
		name := d.OriginalFilename
		if wish.Rendition != "" {
			name = ""
		}
		says, err := a.Media.Says(ctx, at, size, name)
		if _, ok := errors.AsType[*dam.FileError](err); ok {
			err = embed.ErrDamaged
		}
		if err == nil {
			schema, err = a.Finder.Schema(ctx)
		}
		var c *embed.Copy
		if err == nil {
			c, err = embed.New(f.MIMEType, at, size, changes(d, says, schema))
		}
		switch {
		case errors.Is(err, embed.ErrTooLong):
			return dam.InvalidField("embed_metadata", "There is more metadata than fits into this type of file.")
		case errors.Is(err, embed.ErrDamaged):
			return dam.InvalidField("embed_metadata", "The file is damaged, so no metadata can be written into it.")
		case errors.Is(err, embed.ErrEncrypted):
			return dam.InvalidField("embed_metadata", "The document is encrypted, so no metadata can be written into it.")
		case errors.Is(err, embed.ErrSigned):
			return dam.InvalidField("embed_metadata", "The document is signed, and metadata would break the signature.")
		case err != nil:
			return err
		}
		f.Content = render.DescribedCopy{Copy: c, Closer: content}
		return nil
	}()
	if err != nil {
		return errors.Join(err, content.Close())
	}
	f.ETag, f.ModTime = fmt.Sprintf(`%s-v%d.%d"`, f.ETag[:len(f.ETag)-1], d.Version, schema.Version), d.UpdatedAt
	return nil
}
