package app

import (
	"context"
	"strings"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

// CollectionTypes lists the types of collections by name, and how many there
// are.
func (a *App) CollectionTypes(ctx context.Context, actor dam.Actor, p dam.Page) (types []dam.NamedID, total int, err error) {
	err = a.store.View(ctx, func(tx *storage.Tx) error {
		if err := mayReadCollections(actor); err != nil {
			return err
		}
		types, total, err = tx.CollectionTypes(p)
		return err
	})
	return types, total, err
}

// CreateCollectionType adds a type, for an admin.
func (a *App) CreateCollectionType(ctx context.Context, actor dam.Actor, n *dam.NamedID) error {
	if err := checkType(mayDefineTypes(actor), n); err != nil {
		return err
	}
	return a.store.Update(ctx, func(tx *storage.Tx) error {
		_, total, err := tx.CollectionTypes(dam.Page{})
		if err != nil {
			return err
		}
		if total >= dam.MaxCollectionTypes {
			return dam.InvalidField("body", "There can be at most %d collection types; delete one first.", dam.MaxCollectionTypes)
		}
		return nameTaken(tx.InsertCollectionType(n))
	})
}

// RenameCollectionType gives a type another name, for an admin.
func (a *App) RenameCollectionType(ctx context.Context, actor dam.Actor, n *dam.NamedID) error {
	if err := checkType(mayDefineTypes(actor), n); err != nil {
		return err
	}
	return a.store.Update(ctx, func(tx *storage.Tx) error { return nameTaken(tx.RenameCollectionType(n)) })
}

// checkType checks the name of a type or a class, for who may have one.
func checkType(may error, n *dam.NamedID) error {
	if may != nil {
		return may
	}
	n.Name = strings.TrimSpace(n.Name)
	return n.Validate()
}

// DeleteCollectionType deletes a type that no collection has, for an admin.
func (a *App) DeleteCollectionType(ctx context.Context, actor dam.Actor, id int64) error {
	if err := mayDeleteTypes(actor); err != nil {
		return err
	}
	return a.store.Update(ctx, func(tx *storage.Tx) error {
		used, err := tx.CollectionTypeUsed(id)
		if err != nil {
			return err
		}
		if used {
			return dam.Errorf(dam.Conflict, "There are collections of this type.")
		}
		return tx.DeleteCollectionType(id)
	})
}
