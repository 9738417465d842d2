package asset

import (
	"context"
	"fmt"
	"time"

	"github.com/digital-asset-library/dal/app/access"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/find"
	"github.com/digital-asset-library/dal/app/original"
	"github.com/digital-asset-library/dal/app/render"
	"github.com/digital-asset-library/dal/storage"
)

// Version is a current or former file of an asset, with the user who uploaded it.
type Version struct {
	*dam.FileVersion
	Asset     *dam.Asset // the asset with this file, for display
	CreatedBy *dam.User  // nil if unknown
	ExpiresAt *time.Time // when it will be deleted; nil for the current file
}

// Versions lists the current and former files of an asset, newest first, and their total
// number.
func (a *Assets) Versions(ctx context.Context, actor dam.Actor, gaid dam.GAID, p dam.Page) (list []Version, total int, err error) {
	err = a.Store.View(ctx, func(tx *storage.Tx) error {
		if err := access.MayReadAssets(actor); err != nil {
			return err
		}
		asset, err := access.LiveAsset(tx, gaid, true)
		if err != nil {
			return err
		}
		files := []*dam.FileVersion{}
		earlier := dam.Page{Limit: p.Limit, Offset: p.Offset - 1} // the first one is the current file
		if p.Offset == 0 {
			files, earlier = append(files, asset.File()), dam.Page{Limit: p.Limit - 1}
		}
		more, n, err := tx.Versions(asset.ID, earlier)
		if err != nil {
			return err
		}
		total = n + 1
		for _, f := range append(files, more...) {
			v, err := a.version(tx, asset, f)
			if err != nil {
				return err
			}
			list = append(list, v)
		}
		return nil
	})
	return list, total, err
}

func (a *Assets) version(tx *storage.Tx, asset *dam.Asset, f *dam.FileVersion) (v Version, err error) {
	v = Version{FileVersion: f, Asset: asset}
	if f.ReplacedAt != nil {
		at := f.ReplacedAt.Add(a.VersionKeep)
		v.Asset, v.ExpiresAt = asset.As(f), &at
	}
	return v, tx.FillUsers(map[*int64]**dam.User{&f.CreatedByID: &v.CreatedBy})
}

// OpenVersion opens a current or former file of an asset, or a picture of it, under the
// same conditions as Open.
func (a *Assets) OpenVersion(
	ctx context.Context, actor dam.Actor, gaid dam.GAID, number int64, wish render.FileWish,
) (f *render.File, err error) {
	if err := access.MayDownloadAssets(actor); err != nil {
		return nil, err
	}
	asset, err := a.FileAsset(ctx, gaid, actor.May(dam.AssetsDelete))
	if err != nil {
		return nil, err
	}
	if number != asset.FileVersion {
		err = a.Store.View(ctx, func(tx *storage.Tx) error {
			v, err := tx.Version(asset.ID, number)
			if err != nil {
				return err
			}
			asset = asset.As(v)
			damage, err := tx.DamageOf(v.SHA256)
			if damage != dam.DamageNone {
				asset.ProcessingStatus = dam.ProcessingDamaged
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	if f, err = a.openFile(ctx, asset, wish); err != nil {
		return nil, fmt.Errorf("open version %d of asset %s: %w", number, gaid, err)
	}
	f.Content, f.Usage = access.WhileKnown(ctx, a.Store, a.Now, f.Content), dam.UsageOf(asset, a.Now())
	return f, nil
}

// DeleteVersion permanently deletes a former file of an asset that passes a check.
func (a *Assets) DeleteVersion(ctx context.Context, actor dam.Actor, gaid dam.GAID, number int64, check find.AssetCheck) error {
	return a.Dispose(ctx, actor, gaid, false, check, func(tx *storage.Tx, asset *dam.Asset) error {
		if number == asset.FileVersion {
			return dam.Errorf(dam.Conflict, "The asset has this version now: it cannot be deleted alone.")
		}
		v, err := tx.Version(asset.ID, number)
		if err != nil {
			return err
		}
		if err := tx.DeleteVersion(asset.ID, number); err != nil {
			return err
		}
		change := dam.HistoryChange{Field: "versions", From: float64(number)}
		if err := PutAsset(tx, actor, asset, asset, dam.AssetUpdated, 0, change); err != nil {
			return err
		}
		return a.Originals.Release(tx, v.SHA256)
	})
}

// ForgetVersions deletes files that were replaced before a given time.
func ForgetVersions(tx *storage.Tx, files *original.Files, before time.Time) (int64, error) {
	shas, err := tx.TrimVersions(before, storage.Step)
	if err != nil {
		return 0, err
	}
	for _, sha := range shas {
		if err := files.Release(tx, sha); err != nil {
			return 0, err
		}
	}
	return int64(len(shas)), nil
}
