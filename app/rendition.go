package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/media"
	"github.com/digital-asset-library/dal/storage/blob"
)

// renditionVersion is raised when renditions are made differently, so that those
// made by an older dal are no longer used.
const renditionVersion = 1

// renditionKey names a rendition of a blob in the cache.
func renditionKey(sha string, kind dam.Rendition) string {
	return fmt.Sprintf("%s-%s-%d.jpg", sha, kind, renditionVersion)
}

// renditionMIME is the type of every rendition.
const renditionMIME = "image/jpeg"

// renditionFilename names a rendition for whoever saves it.
func renditionFilename(original string, kind dam.Rendition) string {
	return fmt.Sprintf("%s-%s.jpg", dam.TitleFromFilename(original), kind)
}

// renditions are the pictures that are derived from originals.
type renditions struct {
	originals *originals
	cache     *blob.Cache
	media     *media.Processor
	log       *slog.Logger

	uncached seldom // to log renditions that could not be kept
}

// keep puts the renditions of a blob into the cache; pic is nil for a file without
// a picture.
func (r *renditions) keep(sha string, pic *media.Picture) error {
	if pic == nil {
		return nil
	}
	for kind, data := range pic.Renditions {
		if err := r.cache.Put(renditionKey(sha, kind), data); err != nil {
			return err
		}
	}
	return nil
}

// open opens a rendition of an asset. One that is not in the cache is made,
// and one that cannot be kept there, because the disk is full, is made each time.
func (r *renditions) open(ctx context.Context, asset *dam.Asset, kind dam.Rendition) (io.ReadSeekCloser, error) {
	if !asset.HasPicture() {
		return nil, dam.Errorf(dam.NotFound, "The file has no %s.", kind)
	}
	name := renditionKey(asset.SHA256, kind)
	f, err := r.cache.Open(name)
	if err == nil {
		return f, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	data, err := r.render(ctx, asset, kind)
	if err != nil {
		return nil, err
	}
	if err := r.cache.Put(name, data); err != nil && dam.KindOf(err) != dam.NoSpace && r.uncached.now() {
		r.log.WarnContext(ctx, "a rendition could not be kept and is made each time", "gaid", asset.GAID, "err", err)
	}
	return inMemory{bytes.NewReader(data)}, nil
}

// render makes a rendition of an asset. It did not fail when the asset was made, so
// if it fails now, the file is checked for damage.
func (r *renditions) render(ctx context.Context, asset *dam.Asset, kind dam.Rendition) ([]byte, error) {
	f, err := r.originals.openAsset(ctx, asset)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := r.media.Render(ctx, f, asset.FileSize, "original."+asset.Extension, kind)
	if err != nil && ctx.Err() == nil && errors.Is(r.originals.blobs.Verify(ctx, asset.SHA256), blob.ErrCorrupt) {
		return nil, r.originals.damaged(ctx, asset.SHA256, dam.DamageCorrupt)
	}
	return data, err
}

// inMemory is a file that is not on the disk.
type inMemory struct{ *bytes.Reader }

func (inMemory) Close() error { return nil }
