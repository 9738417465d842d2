package collection

import (
	"context"
	"slices"

	"github.com/digital-asset-library/dal/app/access"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

// hideCollections replaces by 0, in the rules of collections, each reference to a
// collection that does not exist or that the user may not view.
func hideCollections(tx *storage.Tx, user int64, all ...*dam.Collection) error {
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

// around returns a collection with its parent and children.
func (d *Detail) around() []*dam.Collection {
	all := append(slices.Clone(d.Children), d.Collection)
	if d.Parent != nil {
		all = append(all, d.Parent)
	}
	return all
}

// countDetail counts the assets of a collection and its relatives.
func (cs *Collections) countDetail(ctx context.Context, actor dam.Actor, d *Detail) error {
	return cs.Finder.CountAssets(ctx, access.Viewer(actor), d.around()...)
}

// CollectionAsRead converts a collection from an event, which may no longer exist,
// to the form that the actor, one of its viewers, sees. It removes a parent that the
// actor may not view. If the rules refer to a collection that the actor may not
// view, it counts the assets that they match for the actor now.
func (cs *Collections) CollectionAsRead(ctx context.Context, actor dam.Actor, c *dam.Collection) error {
	written := c.Rules
	err := cs.Store.View(ctx, func(tx *storage.Tx) error {
		unknown, _, err := tx.Unfillable(access.Viewer(actor), []int64{c.ParentID})
		if unknown[c.ParentID] {
			c.ParentID = 0
		}
		if err != nil {
			return err
		}
		if err := tx.CountChildren(access.Viewer(actor), c); err != nil {
			return err
		}
		return hideCollections(tx, access.Viewer(actor), c)
	})
	if err == nil && c.Rules != written {
		c.AssetsCount, err = cs.Finder.RulesCount(ctx, access.Viewer(actor), c.Rules)
		if dam.KindOf(err) == dam.Invalid { // no longer parsable
			c.AssetsCount, err = 0, nil
		}
	}
	return err
}

// withoutEchoes returns a patch without the parent, rules and cover that an actor
// merely sends back unchanged. These keep their values, including the parts that the
// actor may not see.
func withoutEchoes(tx *storage.Tx, actor dam.Actor, c *dam.Collection, p *dam.CollectionPatch) (*dam.CollectionPatch, error) {
	shown := *c
	if err := hideCollections(tx, access.Viewer(actor), &shown); err != nil {
		return nil, err
	}
	unknown, _, err := tx.Unfillable(access.Viewer(actor), []int64{c.ParentID})
	if unknown[c.ParentID] {
		shown.ParentID = 0
	}
	left := *p
	if p.ParentID.Value == shown.ParentID {
		left.ParentID = dam.Opt[int64]{}
	}
	if c.CoverTrashed && p.CoverGAID.Null { // shown as null; it reappears when the asset is restored
		left.CoverGAID = dam.Opt[dam.GAID]{}
	}
	if dam.SameFilter(p.Rules.Value, shown.Rules) {
		left.Rules = dam.Opt[string]{}
	}
	return &left, err
}
