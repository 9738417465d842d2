package storage_test

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

// errUndo rolls back the changes of a test.
var errUndo = errors.New("undo")

// Names are unique regardless of case and composition, beyond ASCII too, and including
// the names that a new library has.
func TestNames(t *testing.T) {
	t.Parallel()
	s := open(t, filepath.Join(t.TempDir(), "dal.db"))
	for _, table := range []storage.NameTable{storage.AssetClasses, storage.CollectionTypes} {
		for name, kind := range map[string]dam.Kind{"DEFAULT": dam.Conflict, "E\u0301COLE": dam.Conflict, "ecole": dam.Internal} {
			err := s.Update(t.Context(), func(tx *storage.Tx) error {
				must(t, tx.InsertName(table, &dam.NamedID{Name: "école"}))
				if err := tx.InsertName(table, &dam.NamedID{Name: name}); err != nil {
					return err
				}
				all, n, err := tx.Names(table, dam.Page{Limit: -1})
				must(t, err)
				if n != 3 || all[0].Name != "Default" || all[1].Name != "ecole" || all[2].Name != "école" {
					t.Errorf("%s: %v", table, all)
				}
				return errUndo
			})
			if !errors.Is(err, errUndo) && dam.KindOf(err) != kind {
				t.Errorf("%s: %s: %v", table, name, err)
			}
		}
	}
}
