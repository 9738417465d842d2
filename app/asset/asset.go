package asset

import (
	"cmp"
	"context"
	"reflect"
	"time"

	"github.com/digital-asset-library/dal/app/access"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/find"
	"github.com/digital-asset-library/dal/app/index"
	"github.com/digital-asset-library/dal/app/media"
	"github.com/digital-asset-library/dal/app/original"
	"github.com/digital-asset-library/dal/app/render"
	"github.com/digital-asset-library/dal/storage"
)

// Assets reads and changes assets, and opens their files. Its methods are safe for
// concurrent use.
type Assets struct {
	Store       *storage.Store
	Originals   *original.Files
	Renditions  *render.Renditions
	Images      *render.Images
	Proxies     *render.Proxies
	Media       *media.Processor
	Schemas     *index.Schemas
	Index       *index.Index
	Finder      *find.Finder
	VersionKeep time.Duration // retention of a file after a new version has replaced it
	Now         func() time.Time
}

// Detail is an asset with its users and parts.
type Detail struct {
	*dam.Asset
	Owner, CreatedBy, UpdatedBy *dam.User // nil if unknown
	Parts                       []*dam.Part
}

// Get returns an asset with those of its collections that the actor may view. An asset in
// the trash is found only if trashed is set.
func (a *Assets) Get(ctx context.Context, actor dam.Actor, gaid dam.GAID, trashed bool) (d *Detail, err error) {
	err = a.Store.View(ctx, func(tx *storage.Tx) error {
		if err := access.MayReadAssets(actor); err != nil {
			return err
		}
		asset, err := access.LiveAsset(tx, gaid, trashed)
		if err != nil {
			return err
		}
		d, err = DetailOf(tx, asset)
		return err
	})
	return a.WithCollections(ctx, actor, d, err)
}

// WithCollections returns an asset as the actor may see it, with its collections. It
// returns err unchanged if that is not nil.
func (a *Assets) WithCollections(ctx context.Context, actor dam.Actor, d *Detail, err error) (*Detail, error) {
	if err != nil {
		return nil, err
	}
	access.ShowAssets(actor, d.Asset)
	return d, a.Finder.FillCollections(ctx, actor, d.Asset)
}

// FileAsset returns an asset whose files are about to be read. An asset in the trash is
// returned only if trashed is set.
func (a *Assets) FileAsset(ctx context.Context, gaid dam.GAID, trashed bool) (asset *dam.Asset, err error) {
	err = a.Store.View(ctx, func(tx *storage.Tx) error {
		asset, err = access.LiveAsset(tx, gaid, trashed)
		return err
	})
	return asset, err
}

// DetailOf reads the parts, the recognized text and the users of an asset.
func DetailOf(tx *storage.Tx, asset *dam.Asset) (*Detail, error) {
	parts, err := tx.PartsOf(asset.ID)
	if err != nil {
		return nil, err
	}
	if asset.Recognized, err = tx.Recognized(asset); err != nil {
		return nil, err
	}
	d := &Detail{Asset: asset, Parts: parts}
	return d, tx.FillUsers(map[*int64]**dam.User{
		&asset.OwnerID: &d.Owner, &asset.CreatedByID: &d.CreatedBy, &asset.UpdatedByID: &d.UpdatedBy,
	})
}

// Update applies a patch to an asset outside the trash that passes a check. A patch
// that changes nothing does not increment the version.
func (a *Assets) Update(
	ctx context.Context, actor dam.Actor, gaid dam.GAID, p *dam.AssetPatch, check find.AssetCheck,
) (d *Detail, err error) {
	checked, err := a.Finder.AssetCheck(ctx, actor, gaid, check)
	if err != nil {
		return nil, err
	}
	err = a.Store.Update(ctx, func(tx *storage.Tx) error {
		asset, err := access.LiveAsset(tx, gaid, false)
		if err != nil {
			return err
		}
		if err := access.MayChangeAsset(actor, asset, p); err != nil {
			return err
		}
		if err := checked(tx, asset); err != nil {
			return err
		}
		schema, err := a.Schemas.In(tx)
		if err != nil {
			return err
		}
		before := *asset
		changed, err := Alter(tx, asset, p, schema)
		if err != nil {
			return err
		}
		if changed {
			tx.OnCommit(a.Index.Changed)
			if err := PutAsset(tx, actor, &before, asset, dam.AssetUpdated, 0); err != nil {
				return err
			}
		}
		d, err = DetailOf(tx, asset)
		return err
	})
	return a.WithCollections(ctx, actor, d, err)
}

// A patcher changes assets.
type Patcher interface {
	Apply(*dam.Asset, *dam.Schema) error
}

// Alter changes an asset in memory and reports whether anything changed.
func Alter(tx *storage.Tx, asset *dam.Asset, p Patcher, schema *dam.Schema) (changed bool, err error) {
	before := *asset
	if err := p.Apply(asset, schema); err != nil {
		return false, err
	}
	if err := CheckReferences(tx, &before, asset); err != nil {
		return false, err
	}
	return !reflect.DeepEqual(&before, asset), nil
}

// CheckReferences checks that the objects that a changed asset refers to exist.
func CheckReferences(tx *storage.Tx, before, after *dam.Asset) error {
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

// PutAsset writes a changed asset, its event and its history entry, as part of an operation
// unless that is 0. The history entry includes the changes in more.
func PutAsset(
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

// Trash moves an asset that passes a check to the trash.
func (a *Assets) Trash(ctx context.Context, actor dam.Actor, gaid dam.GAID, check find.AssetCheck) error {
	return a.Dispose(ctx, actor, gaid, false, check, func(tx *storage.Tx, asset *dam.Asset) error {
		now := tx.Now()
		asset.DeletedAt = &now
		return PutAsset(tx, actor, asset, asset, dam.AssetDeleted, 0)
	})
}

// Restore restores an asset that passes a check from the trash.
func (a *Assets) Restore(
	ctx context.Context, actor dam.Actor, gaid dam.GAID, check find.AssetCheck,
) (d *Detail, err error) {
	err = a.Dispose(ctx, actor, gaid, true, check, func(tx *storage.Tx, asset *dam.Asset) error {
		if asset.DeletedAt == nil {
			return dam.Errorf(dam.Conflict, "The asset is not in the trash.")
		}
		asset.DeletedAt = nil
		if err := PutAsset(tx, actor, asset, asset, dam.AssetRestored, 0); err != nil {
			return err
		}
		d, err = DetailOf(tx, asset)
		return err
	})
	return a.WithCollections(ctx, actor, d, err)
}

// Delete permanently deletes an asset that passes a check, in the trash or not, and
// its file once nothing else refers to it.
func (a *Assets) Delete(ctx context.Context, actor dam.Actor, gaid dam.GAID, check find.AssetCheck) error {
	return a.Dispose(ctx, actor, gaid, true, check, func(tx *storage.Tx, asset *dam.Asset) error {
		return DeleteAsset(tx, a.Originals, asset)
	})
}

// Dispose calls do with an asset that passes a check, within the transaction, if the actor
// may delete assets. An asset in the trash is found only if trashed is set.
func (a *Assets) Dispose(
	ctx context.Context, actor dam.Actor, gaid dam.GAID, trashed bool, check find.AssetCheck, do func(*storage.Tx, *dam.Asset) error,
) error {
	checked, err := a.Finder.AssetCheck(ctx, actor, gaid, check)
	if err != nil {
		return err
	}
	return a.Store.Update(ctx, func(tx *storage.Tx) error {
		if err := access.MayDeleteAssets(actor); err != nil {
			return err
		}
		asset, err := access.LiveAsset(tx, gaid, trashed)
		if err != nil {
			return err
		}
		if err := checked(tx, asset); err != nil {
			return err
		}
		tx.OnCommit(a.Index.Changed)
		return do(tx, asset)
	})
}

// Delete permanently deletes an asset, and its files from the originals unless
// something else refers to them.
func DeleteAsset(tx *storage.Tx, files *original.Files, asset *dam.Asset) error {
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
		if err := files.Release(tx, sha); err != nil {
			return err
		}
	}
	return nil
}

// EventAsset completes an event's asset with its users and its current collections
// that the reader may view.
func (a *Assets) EventAsset(ctx context.Context, reader dam.Actor, asset *dam.Asset) (d *Detail, err error) {
	err = a.Store.View(ctx, func(tx *storage.Tx) error {
		d, err = DetailOf(tx, asset)
		return err
	})
	return a.WithCollections(ctx, reader, d, err)
}
