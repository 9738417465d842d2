package access

import (
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

// ErrAssetNotFound is the error for an asset that the actor cannot see.
var ErrAssetNotFound = dam.Errorf(dam.NotFound, "Asset not found.")

// LiveAsset returns an asset. An asset in the trash is returned only if trashed is set.
func LiveAsset(tx *storage.Tx, gaid dam.GAID, trashed bool) (*dam.Asset, error) {
	asset, err := tx.Asset(gaid)
	if err == nil && asset.DeletedAt != nil && !trashed {
		return nil, ErrAssetNotFound
	}
	return asset, err
}

var errShareNotFound = dam.Errorf(dam.NotFound, "Share not found.")

// SeenShare returns a share that the actor sees, with its owner.
func SeenShare(tx *storage.Tx, actor dam.Actor, id int64) (*dam.Share, error) {
	s, err := tx.Share(id)
	if err != nil {
		return nil, err
	}
	if !SeesShare(actor, s.CreatedByID) {
		return nil, errShareNotFound
	}
	s.CreatedBy, err = tx.User(s.CreatedByID)
	return s, err
}
