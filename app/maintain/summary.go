package maintain

import (
	"context"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

// Summary is an overview of a library. Its Status covers the database and the disk;
// state known only to a running server is missing.
type Summary struct {
	*Status
	Use         []dam.StorageUse // outside the trash
	Trashed     int64            // number of assets
	Users       int
	Collections int
	Roots       []*dam.Root // without counts
}

// Summary returns an overview of the library, for the owner of the data folder.
func (m *Maintenance) Summary(ctx context.Context) (s Summary, err error) {
	if s.Status, err = m.Health.status(ctx); err != nil {
		return s, err
	}
	return s, m.Store.View(ctx, func(tx *storage.Tx) error {
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
