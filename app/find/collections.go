package find

import (
	"context"
	"fmt"

	"github.com/digital-asset-library/dal/app/access"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/search"
	"github.com/digital-asset-library/dal/storage"
)

// Collections returns the collections that a user may view, in the form that search
// needs. Rules that can no longer be parsed match nothing.
func (f *Finder) Collections(ctx context.Context, user int64) (*search.Collections, error) {
	c := &search.Collections{Rules: map[int64]*search.Rules{}}
	return c, f.Store.View(ctx, func(tx *storage.Tx) error {
		schema, err := f.Schemas.In(tx)
		if err != nil {
			return err
		}
		return tx.VisibleCollections(user, func(id int64, rules string) {
			if rules == "" {
				c.IDs = append(c.IDs, id)
				return
			}
			filter, err := ParseRules(rules, schema, dam.ParseFilter)
			if err != nil {
				f.Log.DebugContext(ctx, "the rules of a collection cannot be read", "collection", id, "err", err)
			}
			c.Rules[id] = rulesOf(schema, rules, filter)
		})
	})
}

// rulesOf returns rules for search, identified by their text and the version of the
// schema that they were parsed with.
func rulesOf(schema *dam.Schema, text string, f *dam.Filter) *search.Rules {
	return &search.Rules{Text: fmt.Sprintf("%d %s", schema.Version, text), Filter: f, Schema: schema}
}

// CountAssets counts the assets of collections as a user sees them.
func (f *Finder) CountAssets(ctx context.Context, user int64, all ...*dam.Collection) (err error) {
	var known *search.Collections
	ids := make([]int64, len(all))
	for i, c := range all {
		ids[i] = c.ID
		if c.Rules != "" && known == nil {
			if known, err = f.Collections(ctx, user); err != nil {
				return err
			}
		}
	}
	if len(ids) == 0 || !f.Index.IsOpen() {
		return nil
	}
	counts, err := f.Index.CollectionCounts(ctx, known, ids)
	for _, c := range all {
		c.AssetsCount = counts[c.ID]
	}
	return err
}

// RulesCount counts the assets that unsaved rules match for a user.
func (f *Finder) RulesCount(ctx context.Context, user int64, text string) (int, error) {
	schema, err := f.Schema(ctx)
	if err != nil {
		return 0, err
	}
	filter, err := ParseRules(text, schema, dam.ParseFilter)
	if err != nil || filter == nil || !f.Index.IsOpen() {
		return 0, err
	}
	known, err := f.Collections(ctx, user)
	if err != nil {
		return 0, err
	}
	const unsaved = 0
	known.Rules = map[int64]*search.Rules{unsaved: rulesOf(schema, text, filter)}
	counts, err := f.Index.CollectionCounts(ctx, known, []int64{unsaved})
	return counts[unsaved], err
}

// NewRulesCount counts the assets that new rules of a collection match for
// everyone, if the actor may use the rules.
func (f *Finder) NewRulesCount(ctx context.Context, actor dam.Actor, rules string) (int, error) {
	if rules == "" {
		return 0, nil
	}
	schema, err := f.Schema(ctx)
	if err != nil {
		return 0, err
	}
	filter, err := ParseRules(rules, schema, dam.ParseFilter)
	if err != nil {
		return 0, err
	}
	if err := access.MayRule(actor, filter); err != nil {
		return 0, err
	}
	return f.RulesCount(ctx, storage.Everyone, rules)
}

// FillCollections sets the collections of assets to those that the actor may view,
// including those with rules.
func (f *Finder) FillCollections(ctx context.Context, actor dam.Actor, assets ...*dam.Asset) error {
	ids := make([]int64, len(assets))
	for i, asset := range assets {
		ids[i] = asset.ID
	}
	ruled, err := f.RuledWith(ctx, actor, ids)
	if err != nil {
		return err
	}
	return f.Store.View(ctx, func(tx *storage.Tx) error {
		of, err := tx.CollectionsOf(access.Reader(actor), ids, ruled)
		for _, asset := range assets {
			asset.Collections = of[asset.ID]
		}
		return err
	})
}

// RuledWith returns which of the assets are in which collections with rules, as
// pairs of an asset and a collection that the actor may view.
func (f *Finder) RuledWith(ctx context.Context, actor dam.Actor, assets []int64) ([][2]int64, error) {
	known, err := f.Collections(ctx, access.Reader(actor))
	if err != nil || len(known.Rules) == 0 || !f.Index.IsOpen() {
		return nil, err
	}
	return f.Index.RuledWith(ctx, known, assets)
}
