package ingest

import (
	"context"

	"github.com/digital-asset-library/dal/app/access"
	assets "github.com/digital-asset-library/dal/app/asset"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/find"
	"github.com/digital-asset-library/dal/app/library"
	"github.com/digital-asset-library/dal/storage"
)

// NewVersion starts the upload of a new file for an asset that passes a check. The caller
// must Add one file, and Commit or Discard the upload.
func (ups *Uploads) NewVersion(ctx context.Context, actor dam.Actor, gaid dam.GAID, check find.AssetCheck) (*Upload, error) {
	checked, err := ups.Finder.AssetCheck(ctx, actor, gaid, check)
	if err != nil {
		return nil, err
	}
	err = ups.Store.View(ctx, func(tx *storage.Tx) error {
		_, err := versionAsset(tx, actor, gaid, checked)
		return err
	})
	if err == nil {
		err = ups.Disks.Room(library.BlobsDir)(0)
	}
	if err != nil {
		return nil, err
	}
	u := ups.Upload(actor, 0)
	u.Limits.RequestFiles = 1
	u.Open = func(tx *storage.Tx) (*dam.Batch, error) {
		asset, err := versionAsset(tx, actor, gaid, checked)
		if err != nil {
			return nil, err
		}
		if u.Files[0].SHA256 == asset.SHA256 {
			return nil, errSameFile()
		}
		return openVersion(tx, actor, asset)
	}
	return u, nil
}

// CheckVersion returns an error if the file of an upload started by NewVersion cannot
// become the new version, as far as that can be determined immediately.
func (ups *Uploads) CheckVersion(ctx context.Context, u *Upload, gaid dam.GAID) error {
	if len(u.Files) == 0 {
		return dam.InvalidField("file", "file is required.")
	}
	if fault := u.Files[0].Error; fault != nil {
		return dam.InvalidField("file", "%s", fault.Message)
	}
	f, err := u.Temps[0].Open()
	if err != nil {
		return err
	}
	defer f.Close()
	kind, err := ups.Ingest.Media.Check(ctx, f, u.Temps[0].Size(), u.Files[0].Filename)
	if err == nil {
		err = ups.Ingest.checkVersion(ctx, gaid, kind)
	}
	return asInvalid("file", err)
}

// CreateVersionUpload starts a resumable upload of a new file for an asset that passes a
// check.
func (ups *Uploads) CreateVersionUpload(
	ctx context.Context, actor dam.Actor, gaid dam.GAID, check find.AssetCheck, u *dam.Resumable,
) error {
	if err := access.MayUpload(actor); err != nil { // required by the later requests for its batch
		return err
	}
	checked, err := ups.Finder.AssetCheck(ctx, actor, gaid, check)
	if err != nil {
		return err
	}
	return ups.AddResumable(ctx, actor, u, func(tx *storage.Tx) (*dam.Batch, error) {
		asset, err := versionAsset(tx, actor, gaid, checked)
		if err != nil {
			return nil, err
		}
		return openVersion(tx, actor, asset)
	})
}

// VersionUpload returns a file uploaded as a new version of an asset.
func (ups *Uploads) VersionUpload(ctx context.Context, actor dam.Actor, gaid dam.GAID, file int64) (f *dam.BatchFile, err error) {
	err = ups.Store.View(ctx, func(tx *storage.Tx) error {
		if err := access.MayReplaceFiles(actor); err != nil {
			return err
		}
		if f, err = tx.BatchFile(file); err != nil {
			return err
		}
		b, err := tx.BatchUncounted(f.BatchID)
		if err == nil && b.VersionOf != gaid {
			err = dam.Errorf(dam.NotFound, "File not found.")
		}
		return err
	})
	return f, err
}

// openVersion creates the batch for a new file of an asset.
func openVersion(tx *storage.Tx, actor dam.Actor, asset *dam.Asset) (*dam.Batch, error) {
	b := &dam.Batch{
		Name: dam.BatchNameOf("New version of ", asset.Title), ExpectedFiles: 1, AllowDuplicates: true, VersionOf: asset.GAID,
		CreatedByID: actor.User.ID,
	}
	if err := roomForBatch(tx, b); err != nil {
		return nil, err
	}
	return b, tx.InsertBatch(b)
}

// versionAsset returns an asset whose file an actor may replace.
func versionAsset(
	tx *storage.Tx, actor dam.Actor, gaid dam.GAID, checked func(*storage.Tx, *dam.Asset) error,
) (*dam.Asset, error) {
	asset, err := tx.Asset(gaid)
	if err != nil {
		return nil, err
	}
	if err := access.MayReplaceFiles(actor); err != nil {
		return nil, err
	}
	if asset.DeletedAt != nil {
		return nil, dam.Errorf(dam.Conflict, "The asset is in the trash: restore it first.")
	}
	switch placed, err := tx.IsPlaced(asset.SHA256); {
	case err != nil:
		return nil, err
	case placed:
		return nil, dam.Errorf(dam.Conflict, "The file is catalogued in place: replace it where it lies.")
	}
	n, err := tx.CountVersions(asset.ID)
	if err == nil && n >= dam.MaxVersions {
		err = dam.Errorf(dam.Conflict, "The asset has %d earlier versions: delete some first.", n)
	}
	if err != nil {
		return nil, err
	}
	return asset, checked(tx, asset)
}

func errSameFile() error { return dam.Errorf(dam.Conflict, "The asset has this file already.") }

// RestoreVersion makes a former file of an asset that passes a check its current file
// again, as a new version.
func (ups *Uploads) RestoreVersion(
	ctx context.Context, actor dam.Actor, gaid dam.GAID, number int64, check find.AssetCheck,
) (d *assets.Detail, err error) {
	checked, err := ups.Finder.AssetCheck(ctx, actor, gaid, check)
	if err != nil {
		return nil, err
	}
	err = ups.Store.Update(ctx, func(tx *storage.Tx) error {
		asset, err := versionAsset(tx, actor, gaid, checked)
		if err != nil {
			return err
		}
		if number == asset.FileVersion {
			return errSameFile()
		}
		v, err := tx.Version(asset.ID, number)
		if err != nil {
			return err
		}
		if v.SHA256 == asset.SHA256 {
			return errSameFile()
		}
		if err := ups.Ingest.replaceFile(tx, actor, asset, v, nil); err != nil {
			return err
		}
		d, err = assets.DetailOf(tx, asset)
		return err
	})
	return ups.Assets.WithCollections(ctx, actor, d, err)
}
