package app

import (
	"context"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

// Summary is a library at a glance. Its Status is that of the records and the disk:
// what only a running server knows is missing.
type Summary struct {
	*Status
	Use         []dam.StorageUse // outside the trash
	Trashed     int64            // assets
	Users       int
	Collections int
	Roots       []*dam.Root // without their counts
}

// Summary returns the library at a glance, for the owner of the data folder.
func (a *App) Summary(ctx context.Context) (s Summary, err error) {
	if s.Status, err = a.health.status(ctx); err != nil {
		return s, err
	}
	return s, a.store.View(ctx, func(tx *storage.Tx) error {
		if s.Use, err = tx.StorageUse(); err != nil {
			return err
		}
		s.Trashed = s.Index.Documents
		for _, use := range s.Use {
			s.Trashed -= use.Count
		}
		if s.Users, err = tx.CountUsers(); err != nil {
			return err
		}
		if s.Collections, _, err = tx.CountCollections(); err != nil {
			return err
		}
		s.Roots, err = tx.Roots()
		return err
	})
}
