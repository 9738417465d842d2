package external

import (
	"context"
	"strings"

	"github.com/digital-asset-library/dal/app/access"
	assets "github.com/digital-asset-library/dal/app/asset"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

// Roots lists the external libraries with their file counts.
func (p *Libraries) List(ctx context.Context, actor dam.Actor) (roots []*dam.Root, err error) {
	if err := access.MayReadAssets(actor); err != nil {
		return nil, err
	}
	return roots, p.Store.View(ctx, func(tx *storage.Tx) error {
		if roots, err = tx.Roots(); err != nil {
			return err
		}
		for _, r := range roots {
			if r.Counts, err = tx.RootCounts(r.ID); err != nil {
				return err
			}
		}
		return nil
	})
}

// Get returns an external library with its file counts.
func (p *Libraries) Get(ctx context.Context, actor dam.Actor, id int64) (r *dam.Root, err error) {
	if err := access.MayReadAssets(actor); err != nil {
		return nil, err
	}
	err = p.Store.View(ctx, func(tx *storage.Tx) error {
		if r, err = tx.Root(id); err == nil {
			r.Counts, err = tx.RootCounts(id)
		}
		return err
	})
	return r, err
}

// MaxFolders is the maximum number of folders that Folders returns.
const MaxFolders = 5000

// Folders lists the direct subfolders of a folder in an external library, or the root
// folders for "", with the number of assets in and below each. It includes only folders
// with assets outside the trash.
func (p *Libraries) Folders(ctx context.Context, actor dam.Actor, in string) (list []dam.Folder, err error) {
	if err := access.MayReadAssets(actor); err != nil {
		return nil, err
	}
	in = strings.Trim(in, "/")
	return list, p.Store.View(ctx, func(tx *storage.Tx) error {
		list, err = tx.Folders(in, MaxFolders)
		return err
	})
}

// Scan makes the server scan an external library soon.
func (p *Libraries) Scan(ctx context.Context, actor dam.Actor, id int64) (r *dam.Root, err error) {
	if err := access.MayManageRoots(actor); err != nil {
		return nil, err
	}
	err = p.Store.Update(ctx, func(tx *storage.Tx) error {
		if err := tx.WantScan(id); err != nil {
			return err
		}
		tx.OnCommit(p.soon)
		if r, err = tx.Root(id); err == nil {
			r.Counts, err = tx.RootCounts(id)
		}
		return err
	})
	return r, err
}

// forgetStep is the number of assets of a forgotten external library moved to the trash per
// transaction.
const forgetStep = 200

// CountInPlace returns the number of assets whose content exists only in external
// libraries.
func (p *Libraries) CountInPlace(ctx context.Context) (n int, err error) {
	err = p.Store.View(ctx, func(tx *storage.Tx) error {
		n, err = tx.CountInPlace()
		return err
	})
	return n, err
}

// OnlyInRoot returns the number of assets outside the trash whose file exists only in one
// external library. Forget moves these to the trash.
func (p *Libraries) OnlyInRoot(ctx context.Context, actor dam.Actor, id int64) (n int, err error) {
	if err := access.MayManageRoots(actor); err != nil {
		return 0, err
	}
	return n, p.Store.View(ctx, func(tx *storage.Tx) error {
		n, err = tx.CountLiveOnlyIn(id)
		return err
	})
}

// Forget forgets an external library. Its files do not change. Assets that have another
// location stay. If assets have their file only in this library, Forget returns a
// Conflict or, with trash, moves them to the trash.
func (p *Libraries) Forget(ctx context.Context, actor dam.Actor, id int64, trash bool) error {
	if err := access.MayManageRoots(actor); err != nil {
		return err
	}
	for {
		left := 0
		err := p.Store.Update(ctx, func(tx *storage.Tx) error {
			if _, err := tx.Root(id); err != nil {
				return err
			}
			gaids, err := tx.LiveOnlyIn(id, forgetStep)
			if err != nil {
				return err
			}
			if left = len(gaids); left == 0 {
				return p.forget(tx, id)
			}
			if !trash {
				n, err := tx.CountLiveOnlyIn(id)
				if err != nil {
					return err
				}
				return dam.Errorf(dam.Conflict, "Assets whose only file is in this root: %d. Move the folder's files to another root "+
					"and scan that root first, or set forget=true to move these assets to the trash.", n)
			}
			for _, gaid := range gaids {
				asset, err := tx.Asset(gaid)
				if err != nil {
					return err
				}
				now := tx.Now()
				asset.DeletedAt = &now
				if err := assets.PutAsset(tx, actor, asset, asset, dam.AssetDeleted, 0); err != nil {
					return err
				}
			}
			tx.OnCommit(p.Index.Changed)
			return nil
		})
		if err != nil || left == 0 {
			return err
		}
	}
}

// forget forgets an external library that no asset outside the trash needs.
func (p *Libraries) forget(tx *storage.Tx, id int64) error {
	assets, err := tx.AssetsOfRoot(id)
	if err != nil {
		return err
	}
	if err := tx.DeleteRoot(id); err != nil {
		return err
	}
	tx.OnCommit(p.soon)
	if err := p.Ingest.Relocate(tx, assets, false); err != nil {
		return err
	}
	tx.OnCommit(p.Index.Changed)
	return tx.Reappeared(assets)
}
