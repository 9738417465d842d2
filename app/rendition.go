package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage/blob"
)

// renditionVersion counts up when renditions are made differently, so that
// those of an older dal are made anew.
const renditionVersion = 1

func renditionName(sha string, kind dam.Rendition) string {
	return fmt.Sprintf("%s-%s-%d.jpg", sha, kind, renditionVersion)
}

// rendition opens a derived picture of an asset, made now if it is not there.
// One that cannot be kept, because the disk is full, is made each time.
func (a *App) rendition(ctx context.Context, asset *dam.Asset, kind dam.Rendition) (io.ReadSeekCloser, error) {
	name := renditionName(asset.SHA256, kind)
	f, err := a.cache.Open(name)
	if err == nil {
		return f, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	data, err := a.render(ctx, asset, kind)
	if err != nil {
		return nil, err
	}
	if err := a.cache.Put(name, data); err != nil && dam.KindOf(err) != dam.NoSpace && a.uncached.now() {
		a.log.WarnContext(ctx, "a rendition could not be kept and is made each time", "gaid", asset.GAID, "err", err)
	}
	return inMemory{bytes.NewReader(data)}, nil
}

// render makes a derived picture of an asset. When that fails the file is read,
// for it did not fail when the asset was made.
func (a *App) render(ctx context.Context, asset *dam.Asset, kind dam.Rendition) ([]byte, error) {
	f, err := a.original(ctx, asset)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := a.media.Render(ctx, f, asset.FileSize, kind)
	if err != nil && ctx.Err() == nil && errors.Is(a.blobs.Verify(ctx, asset.SHA256), blob.ErrCorrupt) {
		return nil, a.damaged(ctx, asset.SHA256, dam.DamageCorrupt)
	}
	return data, err
}

// inMemory is a file that is not on the disk.
type inMemory struct{ *bytes.Reader }

func (inMemory) Close() error { return nil }
