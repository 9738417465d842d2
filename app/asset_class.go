package app

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

// AssetClasses lists the classes of assets by name, and how many there are.
func (a *App) AssetClasses(ctx context.Context, actor dam.Actor, p dam.Page) (classes []dam.NamedID, total int, err error) {
	err = a.store.View(ctx, func(tx *storage.Tx) error {
		if err := mayReadAssets(actor); err != nil {
			return err
		}
		classes, total, err = tx.AssetClasses(p)
		return err
	})
	return classes, total, err
}

// CreateAssetClass adds a class, for an admin.
func (a *App) CreateAssetClass(ctx context.Context, actor dam.Actor, n *dam.NamedID) error {
	if err := checkType(mayDefine(actor), n); err != nil {
		return err
	}
	return a.store.Update(ctx, func(tx *storage.Tx) error {
		total, err := classNameFree(tx, n)
		if err != nil {
			return err
		}
		if total >= dam.MaxAssetClasses {
			return dam.InvalidField("body", "A library can have at most %d asset classes.", dam.MaxAssetClasses)
		}
		n.ID, err = tx.InsertAssetClass(n.Name)
		return nameTaken(err)
	})
}

// RenameAssetClass gives a class another name, for an admin. Assets and fields
// refer to it by its ID.
func (a *App) RenameAssetClass(ctx context.Context, actor dam.Actor, n *dam.NamedID) error {
	if err := checkType(mayDefine(actor), n); err != nil {
		return err
	}
	return a.store.Update(ctx, func(tx *storage.Tx) error {
		if ok, err := tx.AssetClassExists(n.ID); err != nil || !ok {
			return either(err, dam.Errorf(dam.NotFound, "Asset class not found."))
		}
		if _, err := classNameFree(tx, n); err != nil {
			return err
		}
		return nameTaken(tx.RenameAssetClass(n.ID, n.Name))
	})
}

// classNameFree reports whether no other class than n has its name in any case,
// and how many classes there are.
func classNameFree(tx *storage.Tx, n *dam.NamedID) (int, error) {
	classes, total, err := tx.AssetClasses(dam.Page{Limit: -1})
	if err == nil && slices.ContainsFunc(classes, func(c dam.NamedID) bool { return c.ID != n.ID && strings.EqualFold(c.Name, n.Name) }) {
		err = dam.InvalidField("name", "The name has already been taken.")
	}
	return total, err
}

// DeleteAssetClass deletes a class, for an admin. One that a field is for makes
// a Conflict, and so does one that assets or upload batches have, unless force
// takes it from them.
func (a *App) DeleteAssetClass(ctx context.Context, actor dam.Actor, id int64, force bool) error {
	if err := mayDefine(actor); err != nil {
		return err
	}
	return a.store.Update(ctx, func(tx *storage.Tx) error {
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
		return a.touched(tx, had)
	})
}

// classUse says how many assets and upload batches have a class.
func classUse(n int) string { return fmt.Sprintf("%d assets and upload batches have it", n) }

// fieldFor returns the key of a field that is for a class, "" for none.
func fieldFor(fields []*dam.Field, class int64) string {
	for _, f := range fields {
		if slices.Contains(f.AssetClassIDs, class) {
			return f.Key
		}
	}
	return ""
}
