package schema

import (
	"context"
	"strings"

	"github.com/digital-asset-library/dal/app/access"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

// nameList is a list of objects that have only a name, with the rights to read and
// change it.
type nameList struct {
	table           storage.NameTable
	what            string // plural, for messages
	most            int
	mayRead, mayPut func(dam.Actor) error
}

func assetClasses() nameList {
	return nameList{storage.AssetClasses, "asset classes", dam.MaxAssetClasses, access.MayReadAssets, access.MayDefine}
}

func collectionTypes() nameList {
	return nameList{storage.CollectionTypes, "collection types", dam.MaxCollectionTypes, access.MayReadCollections, access.MayDefineTypes}
}

// page lists names, and their total number.
func (l nameList) page(ctx context.Context, store *storage.Store, actor dam.Actor,
	p dam.Page) (all []dam.NamedID, total int, err error) {
	err = store.View(ctx, func(tx *storage.Tx) error {
		if err := l.mayRead(actor); err != nil {
			return err
		}
		all, total, err = tx.Names(l.table, p)
		return err
	})
	return all, total, err
}

// find returns the object with an ID.
func (l nameList) find(ctx context.Context, store *storage.Store, id int64) (n dam.NamedID, err error) {
	err = store.View(ctx, func(tx *storage.Tx) error {
		n, err = tx.Name(l.table, id)
		return err
	})
	return n, err
}

// put adds an object without an ID, or renames an existing one.
func (l nameList) put(ctx context.Context, store *storage.Store, actor dam.Actor, n *dam.NamedID) error {
	if err := l.mayPut(actor); err != nil {
		return err
	}
	n.Name = strings.TrimSpace(n.Name)
	if err := n.Validate(); err != nil {
		return err
	}
	return store.Update(ctx, func(tx *storage.Tx) error {
		if n.ID != 0 {
			return dam.NameTaken(tx.Rename(l.table, n))
		}
		_, total, err := tx.Names(l.table, dam.Page{})
		if err != nil {
			return err
		}
		if total >= l.most {
			return dam.Full(l.most, l.what)
		}
		return dam.NameTaken(tx.InsertName(l.table, n))
	})
}

// AssetClasses lists the asset classes by name, and their total number.
func (ds *Definitions) AssetClasses(ctx context.Context, actor dam.Actor, p dam.Page) ([]dam.NamedID, int, error) {
	return assetClasses().page(ctx, ds.Store, actor, p)
}

// AssetClass returns an asset class. Everyone may read it.
func (ds *Definitions) AssetClass(ctx context.Context, id int64) (dam.NamedID, error) {
	return assetClasses().find(ctx, ds.Store, id)
}

// PutAssetClass adds an asset class without an ID, or renames the one with the ID.
// It requires an admin. Assets and fields refer to a class by its ID.
func (ds *Definitions) PutAssetClass(ctx context.Context, actor dam.Actor, n *dam.NamedID) error {
	return assetClasses().put(ctx, ds.Store, actor, n)
}

// CollectionTypes lists the collection types by name, and their total number.
func (ds *Definitions) CollectionTypes(ctx context.Context, actor dam.Actor, p dam.Page) ([]dam.NamedID, int, error) {
	return collectionTypes().page(ctx, ds.Store, actor, p)
}

// CollectionType returns a collection type. Everyone may read it.
func (ds *Definitions) CollectionType(ctx context.Context, id int64) (dam.NamedID, error) {
	return collectionTypes().find(ctx, ds.Store, id)
}

// PutCollectionType adds a collection type without an ID, or renames the one with
// the ID. It requires an admin.
func (ds *Definitions) PutCollectionType(ctx context.Context, actor dam.Actor, n *dam.NamedID) error {
	return collectionTypes().put(ctx, ds.Store, actor, n)
}

// DeleteCollectionType deletes a collection type that no collection uses. It
// requires an admin.
func (ds *Definitions) DeleteCollectionType(ctx context.Context, actor dam.Actor, id int64) error {
	if err := access.MayDeleteTypes(actor); err != nil {
		return err
	}
	return ds.Store.Update(ctx, func(tx *storage.Tx) error {
		used, err := tx.CollectionTypeUsed(id)
		if err != nil {
			return err
		}
		if used {
			return dam.Errorf(dam.Conflict, "There are collections of this type.")
		}
		return tx.DeleteName(storage.CollectionTypes, id)
	})
}

// DeleteAssetClass deletes an asset class. It requires an admin. A class that a
// field is limited to is a Conflict, and so is one that assets or upload batches
// have, unless force removes it from them.
func (ds *Definitions) DeleteAssetClass(ctx context.Context, actor dam.Actor, id int64, force bool) error {
	if err := access.MayDefine(actor); err != nil {
		return err
	}
	return ds.Store.Update(ctx, func(tx *storage.Tx) error {
		fields, err := tx.Fields()
		if err != nil {
			return err
		}
		if key := fieldFor(fields, id); key != "" {
			return dam.Errorf(dam.Conflict, "The field %s is for this asset class.", key)
		}
		use, err := tx.CountClassUse(id)
		if err != nil {
			return err
		}
		if use > 0 && !force {
			return dam.Errorf(dam.Conflict, "%s; force=true takes it from them.", classUse(use))
		}
		had, err := tx.DeleteAssetClass(id)
		if err != nil {
			return err
		}
		return ds.Followups.Touched(tx, had)
	})
}
