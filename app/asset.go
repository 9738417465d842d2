package app

import (
	"cmp"
	"context"
	"reflect"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/media"
	"github.com/digital-asset-library/dal/storage"
)

// Assets reads and changes assets, and opens their files. Its methods are safe for
// concurrent use.
type Assets struct {
	store       *storage.Store
	originals   *originals
	renditions  *renditions
	images      *images
	proxies     *proxies
	media       *media.Processor
	schemas     *schemas
	index       *index
	finder      *Finder
	versionKeep time.Duration // retention of a file after a new version has replaced it
	now         func() time.Time
}

// AssetDetail is an asset with its users and parts.
type AssetDetail struct {
	*dam.Asset
	Owner, CreatedBy, UpdatedBy *dam.User // nil if unknown
	Parts                       []*dam.Part
}

// Asset returns an asset with those of its collections that the actor may view. An asset in
// the trash is found only if trashed is set.
func (a *Assets) Asset(ctx context.Context, actor dam.Actor, gaid dam.GAID, trashed bool) (d *AssetDetail, err error) {
	err = a.store.View(ctx, func(tx *storage.Tx) error {
		if err := mayReadAssets(actor); err != nil {
			return err
		}
		asset, err := liveAsset(tx, gaid, trashed)
		if err != nil {
			return err
		}
		d, err = detail(tx, asset)
		return err
	})
	return a.withCollections(ctx, actor, d, err)
}

// withCollections returns an asset as the actor may see it, with its collections. It
// returns err unchanged if that is not nil.
func (a *Assets) withCollections(ctx context.Context, actor dam.Actor, d *AssetDetail, err error) (*AssetDetail, error) {
	if err != nil {
		return nil, err
	}
	showAssets(actor, d.Asset)
	return d, a.finder.fillCollections(ctx, actor, d.Asset)
}

// fileAsset returns an asset whose files are about to be read. An asset in the trash is
// returned only if trashed is set.
func (a *Assets) fileAsset(ctx context.Context, gaid dam.GAID, trashed bool) (asset *dam.Asset, err error) {
	err = a.store.View(ctx, func(tx *storage.Tx) error {
		asset, err = liveAsset(tx, gaid, trashed)
		return err
	})
	return asset, err
}

func detail(tx *storage.Tx, asset *dam.Asset) (*AssetDetail, error) {
	parts, err := tx.PartsOf(asset.ID)
	if err != nil {
		return nil, err
	}
	if asset.Recognized, err = tx.Recognized(asset); err != nil {
		return nil, err
	}
	d := &AssetDetail{Asset: asset, Parts: parts}
	return d, users(tx, map[*int64]**dam.User{
		&asset.OwnerID: &d.Owner, &asset.CreatedByID: &d.CreatedBy, &asset.UpdatedByID: &d.UpdatedBy,
	})
}

// UpdateAsset applies a patch to an asset outside the trash that passes a check. A patch
// that changes nothing does not increment the version.
func (a *Assets) UpdateAsset(
	ctx context.Context, actor dam.Actor, gaid dam.GAID, p *dam.AssetPatch, check AssetCheck,
) (d *AssetDetail, err error) {
	checked, err := a.finder.assetCheck(ctx, actor, gaid, check)
	if err != nil {
		return nil, err
	}
	err = a.store.Update(ctx, func(tx *storage.Tx) error {
		asset, err := liveAsset(tx, gaid, false)
		if err != nil {
			return err
		}
		if err := mayChangeAsset(actor, asset, p); err != nil {
			return err
		}
		if err := checked(tx, asset); err != nil {
			return err
		}
		schema, err := a.schemas.in(tx)
		if err != nil {
			return err
		}
		before := *asset
		changed, err := alter(tx, asset, p, schema)
		if err != nil {
			return err
		}
		if changed {
			tx.OnCommit(a.index.changed)
			if err := putAsset(tx, actor, &before, asset, dam.AssetUpdated, 0); err != nil {
				return err
			}
		}
		d, err = detail(tx, asset)
		return err
	})
	return a.withCollections(ctx, actor, d, err)
}

// A patcher changes assets.
type patcher interface {
	Apply(*dam.Asset, *dam.Schema) error
}

// alter changes an asset in memory and reports whether anything changed.
func alter(tx *storage.Tx, asset *dam.Asset, p patcher, schema *dam.Schema) (changed bool, err error) {
	before := *asset
	if err := p.Apply(asset, schema); err != nil {
		return false, err
	}
	if err := checkReferences(tx, &before, asset); err != nil {
		return false, err
	}
	return !reflect.DeepEqual(&before, asset), nil
}

// checkReferences checks that the objects that a changed asset refers to exist.
func checkReferences(tx *storage.Tx, before, after *dam.Asset) error {
	if id := after.AssetClassID; id != before.AssetClassID && id != 0 {
		if ok, err := tx.HasName(storage.AssetClasses, id); err != nil || !ok {
			return cmp.Or[error](err, dam.InvalidField("asset_class_id", "The selected asset_class_id is invalid."))
		}
	}
	if id := after.OwnerID; id != before.OwnerID && id != 0 {
		if _, err := tx.User(id); dam.KindOf(err) == dam.NotFound {
			return dam.InvalidField("owner_id", "The selected owner_id is invalid.")
		} else if err != nil {
			return err
		}
	}
	return nil
}

// putAsset writes a changed asset, its event and its history entry, as part of an operation
// unless that is 0. The history entry includes the changes in more.
func putAsset(
	tx *storage.Tx, actor dam.Actor, before, asset *dam.Asset, event dam.EventType, operation int64, more ...dam.HistoryChange,
) error {
	asset.UpdatedByID = actor.User.ID
	if err := tx.UpdateAsset(asset); err != nil {
		return err
	}
	if err := record(tx, actor, before, asset, event, operation, more...); err != nil {
		return err
	}
	return tx.InsertEvent(event, string(asset.GAID), asset)
}

// TrashAsset moves an asset that passes a check to the trash.
func (a *Assets) TrashAsset(ctx context.Context, actor dam.Actor, gaid dam.GAID, check AssetCheck) error {
	return a.dispose(ctx, actor, gaid, false, check, func(tx *storage.Tx, asset *dam.Asset) error {
		now := tx.Now()
		asset.DeletedAt = &now
		return putAsset(tx, actor, asset, asset, dam.AssetDeleted, 0)
	})
}

// RestoreAsset restores an asset that passes a check from the trash.
func (a *Assets) RestoreAsset(
	ctx context.Context, actor dam.Actor, gaid dam.GAID, check AssetCheck,
) (d *AssetDetail, err error) {
	err = a.dispose(ctx, actor, gaid, true, check, func(tx *storage.Tx, asset *dam.Asset) error {
		if asset.DeletedAt == nil {
			return dam.Errorf(dam.Conflict, "The asset is not in the trash.")
		}
		asset.DeletedAt = nil
		if err := putAsset(tx, actor, asset, asset, dam.AssetRestored, 0); err != nil {
			return err
		}
		d, err = detail(tx, asset)
		return err
	})
	return a.withCollections(ctx, actor, d, err)
}

// DeleteAsset permanently deletes an asset that passes a check, in the trash or not, and
// its file once nothing else refers to it.
func (a *Assets) DeleteAsset(ctx context.Context, actor dam.Actor, gaid dam.GAID, check AssetCheck) error {
	return a.dispose(ctx, actor, gaid, true, check, func(tx *storage.Tx, asset *dam.Asset) error {
		return deleteAsset(tx, a.originals, asset)
	})
}

// dispose calls do with an asset that passes a check, within the transaction, if the actor
// may delete assets. An asset in the trash is found only if trashed is set.
func (a *Assets) dispose(
	ctx context.Context, actor dam.Actor, gaid dam.GAID, trashed bool, check AssetCheck, do func(*storage.Tx, *dam.Asset) error,
) error {
	checked, err := a.finder.assetCheck(ctx, actor, gaid, check)
	if err != nil {
		return err
	}
	return a.store.Update(ctx, func(tx *storage.Tx) error {
		if err := mayDeleteAssets(actor); err != nil {
			return err
		}
		asset, err := liveAsset(tx, gaid, trashed)
		if err != nil {
			return err
		}
		if err := checked(tx, asset); err != nil {
			return err
		}
		tx.OnCommit(a.index.changed)
		return do(tx, asset)
	})
}

// deleteAsset permanently deletes an asset, and its files from the originals unless
// something else refers to them.
func deleteAsset(tx *storage.Tx, files *originals, asset *dam.Asset) error {
	further, err := tx.FurtherFiles(asset.ID)
	if err != nil {
		return err
	}
	if err := tx.Exclude(asset.ID); err != nil {
		return err
	}
	if err := tx.DeleteAsset(asset.ID); err != nil {
		return err
	}
	if err := tx.ForgetAssetFile(asset.GAID); err != nil {
		return err
	}
	now := tx.Now()
	asset.DeletedAt = &now
	if err := tx.InsertEvent(dam.AssetDeleted, string(asset.GAID), asset); err != nil {
		return err
	}
	for _, sha := range append(further, asset.SHA256) {
		if err := files.release(tx, sha); err != nil {
			return err
		}
	}
	return nil
}

// EventAsset completes an event's asset with its users and its current collections
// that the reader may view.
func (a *Assets) EventAsset(ctx context.Context, reader dam.Actor, asset *dam.Asset) (d *AssetDetail, err error) {
	err = a.store.View(ctx, func(tx *storage.Tx) error {
		d, err = detail(tx, asset)
		return err
	})
	return a.withCollections(ctx, reader, d, err)
}
