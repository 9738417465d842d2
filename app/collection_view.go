package app

import (
	"context"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

// asRead makes of collections what a user reads of them: in their rules, 0
// stands for each collection that is not there or that the user may not view.
func asRead(tx *storage.Tx, user int64, all ...*dam.Collection) error {
	var named []int64
	for _, c := range all {
		if c.Rules != "" {
			dam.MapCollections(c.Rules, func(id int64) int64 {
				named = append(named, id)
				return id
			})
		}
	}
	if len(named) == 0 {
		return nil
	}
	unknown, _, err := tx.Unfillable(user, named)
	if err != nil || len(unknown) == 0 {
		return err
	}
	for _, c := range all {
		if c.Rules != "" {
			c.Rules = dam.MapCollections(c.Rules, func(id int64) int64 {
				if unknown[id] {
					return 0
				}
				return id
			})
		}
	}
	return nil
}

// CollectionAsRead makes of a collection as it is in an event, which can be
// gone meanwhile, what an actor who may view it reads of it: without a parent
// that the actor may not view, and with the assets that its rules find for the
// actor now, if they read a collection that the actor may not view.
func (a *App) CollectionAsRead(ctx context.Context, actor dam.Actor, c *dam.Collection) error {
	written := c.Rules
	err := a.store.View(ctx, func(tx *storage.Tx) error {
		unknown, _, err := tx.Unfillable(viewer(actor), []int64{c.ParentID})
		if unknown[c.ParentID] {
			c.ParentID = 0
		}
		if err != nil {
			return err
		}
		return asRead(tx, viewer(actor), c)
	})
	if err == nil && c.Rules != written {
		c.AssetsCount, err = a.Finder.rulesCount(ctx, viewer(actor), c.Rules)
		if dam.KindOf(err) == dam.Invalid { // they cannot be read any more
			c.AssetsCount, err = 0, nil
		}
	}
	return err
}

// news returns what is new in a patch to who sends it: a parent, rules
// and a cover that are sent as the actor reads them stay as they are, with what
// the actor does not see of them.
func news(tx *storage.Tx, actor dam.Actor, c *dam.Collection, p *dam.CollectionPatch) (*dam.CollectionPatch, error) {
	read := *c
	if err := asRead(tx, viewer(actor), &read); err != nil {
		return nil, err
	}
	unknown, _, err := tx.Unfillable(viewer(actor), []int64{c.ParentID})
	if unknown[c.ParentID] {
		read.ParentID = 0
	}
	fresh := *p
	if p.ParentID.Value == read.ParentID {
		fresh.ParentID = dam.Opt[int64]{}
	}
	if c.CoverTrashed && p.CoverGAID.Null { // read as null: it comes back with the asset
		fresh.CoverGAID = dam.Opt[dam.GAID]{}
	}
	if dam.SameFilter(p.Rules.Value, read.Rules) {
		fresh.Rules = dam.Opt[string]{}
	}
	return &fresh, err
}
