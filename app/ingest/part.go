package ingest

import (
	"context"
	"fmt"

	"github.com/digital-asset-library/dal/app/access"
	assets "github.com/digital-asset-library/dal/app/asset"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/find"
	"github.com/digital-asset-library/dal/app/media"
	"github.com/digital-asset-library/dal/app/render"
	"github.com/digital-asset-library/dal/storage"
)

// OpenPart opens a part of an asset, under the same conditions as Open.
func (ups *Uploads) OpenPart(ctx context.Context, actor dam.Actor, gaid dam.GAID, id int64) (f *render.File, err error) {
	if err := access.MayDownloadAssets(actor); err != nil {
		return nil, err
	}
	asset, err := ups.Assets.FileAsset(ctx, gaid, actor.May(dam.AssetsDelete))
	if err != nil {
		return nil, err
	}
	var p *dam.Part
	err = ups.Store.View(ctx, func(tx *storage.Tx) error {
		p, err = tx.Part(asset.ID, id)
		return err
	})
	if err != nil {
		return nil, err
	}
	content, err := ups.Originals.OpenFurther(ctx, p.SHA256, p.Size)
	if err != nil {
		return nil, fmt.Errorf("open part %d of asset %s: %w", id, gaid, err)
	}
	return &render.File{
		Usage:   dam.UsageOf(asset, ups.Now()),
		Content: access.WhileKnown(ctx, ups.Store, ups.Now, content), Name: p.Filename,
		MIMEType: p.MIMEType, Showable: media.Showable(p.MIMEType),
		ETag: `"` + p.SHA256 + `"`, ModTime: p.CreatedAt,
	}, nil
}

// DeletePart permanently deletes a part of an asset that passes a check, and its file once
// nothing else refers to it.
func (ups *Uploads) DeletePart(
	ctx context.Context, actor dam.Actor, gaid dam.GAID, id int64, check find.AssetCheck,
) (d *assets.Detail, err error) {
	err = ups.Assets.Dispose(ctx, actor, gaid, false, check, func(tx *storage.Tx, asset *dam.Asset) error {
		p, err := tx.Part(asset.ID, id)
		if err != nil {
			return err
		}
		if p.Role == dam.PartSidecar {
			placed, err := inPlaceSidecar(tx, asset.ID, p.Filename)
			if err != nil {
				return err
			}
			if placed != nil {
				return dam.Errorf(dam.Conflict, "The sidecar is in place, as %s: delete it where it lies.", placed.Path())
			}
		}
		placed, err := partInPlace(tx, asset.ID, p)
		if err != nil {
			return err
		}
		if placed != nil {
			return dam.Errorf(dam.Conflict, "The part is in place, as %s: delete it where it lies, or make it an asset of its own.",
				placed.Path())
		}
		if err := takePart(tx, actor, asset, p); err != nil {
			return err
		}
		if err := ups.Ingest.forgetPart(tx, asset.ID, p.SHA256); err != nil {
			return err
		}
		d, err = assets.DetailOf(tx, asset)
		return err
	})
	return ups.Assets.WithCollections(ctx, actor, d, err)
}

// givePart adds a part, whose blob is recorded, to an asset, and writes the change with its
// event and its history entry. The caller notifies the index.
func givePart(tx *storage.Tx, actor dam.Actor, asset *dam.Asset, p *dam.Part) error {
	if err := tx.InsertPart(asset.ID, p); err != nil {
		return err
	}
	return assets.PutAsset(tx, actor, asset, asset, dam.AssetUpdated, 0, partChange(p.Role, nil, p.Filename))
}

// takePart removes a part from an asset, reversing givePart. Its blob stays recorded.
func takePart(tx *storage.Tx, actor dam.Actor, asset *dam.Asset, p *dam.Part) error {
	if err := tx.DeletePart(asset.ID, p.ID); err != nil {
		return err
	}
	return assets.PutAsset(tx, actor, asset, asset, dam.AssetUpdated, 0, partChange(p.Role, p.Filename, nil))
}

func partChange(role dam.PartRole, from, to any) dam.HistoryChange {
	return dam.HistoryChange{Field: "parts." + string(role), From: from, To: to}
}
