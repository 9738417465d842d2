package app

import (
	"context"
	"fmt"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/search"
	"github.com/digital-asset-library/dal/storage"
)

// collections returns the collections that a user may view, in the form that search
// needs. Rules that can no longer be parsed match nothing.
func (f *Finder) collections(ctx context.Context, user int64) (*search.Collections, error) {
	c := &search.Collections{Rules: map[int64]*search.Rules{}}
	return c, f.store.View(ctx, func(tx *storage.Tx) error {
		schema, err := f.schemas.in(tx)
		if err != nil {
			return err
		}
		return tx.VisibleCollections(user, func(id int64, rules string) {
			if rules == "" {
				c.IDs = append(c.IDs, id)
				return
			}
			filter, err := parseRules(rules, schema, dam.ParseFilter)
			if err != nil {
				f.log.DebugContext(ctx, "the rules of a collection cannot be read", "collection", id, "err", err)
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

// countAssets counts the assets of collections as a user sees them.
func (f *Finder) countAssets(ctx context.Context, user int64, all ...*dam.Collection) (err error) {
	var known *search.Collections
	ids := make([]int64, len(all))
	for i, c := range all {
		ids[i] = c.ID
		if c.Rules != "" && known == nil {
			if known, err = f.collections(ctx, user); err != nil {
				return err
			}
		}
	}
	if len(ids) == 0 || !f.index.isOpen() {
		return nil
	}
	counts, err := f.index.CollectionCounts(ctx, known, ids)
	for _, c := range all {
		c.AssetsCount = counts[c.ID]
	}
	return err
}

// rulesCount counts the assets that unsaved rules match for a user.
func (f *Finder) rulesCount(ctx context.Context, user int64, text string) (int, error) {
	schema, err := f.schema(ctx)
	if err != nil {
		return 0, err
	}
	filter, err := parseRules(text, schema, dam.ParseFilter)
	if err != nil || filter == nil || !f.index.isOpen() {
		return 0, err
	}
	known, err := f.collections(ctx, user)
	if err != nil {
		return 0, err
	}
	const unsaved = 0
	known.Rules = map[int64]*search.Rules{unsaved: rulesOf(schema, text, filter)}
	counts, err := f.index.CollectionCounts(ctx, known, []int64{unsaved})
	return counts[unsaved], err
}

// newRulesCount counts the assets that new rules of a collection match for
// everyone, if the actor may use the rules.
func (f *Finder) newRulesCount(ctx context.Context, actor dam.Actor, rules string) (int, error) {
	if rules == "" {
		return 0, nil
	}
	schema, err := f.schema(ctx)
	if err != nil {
		return 0, err
	}
	filter, err := parseRules(rules, schema, dam.ParseFilter)
	if err != nil {
		return 0, err
	}
	if err := mayRule(actor, filter); err != nil {
		return 0, err
	}
	return f.rulesCount(ctx, storage.Everyone, rules)
}

// fillCollections sets the collections of assets to those that the actor may view,
// including those with rules.
func (f *Finder) fillCollections(ctx context.Context, actor dam.Actor, assets ...*dam.Asset) error {
	ids := make([]int64, len(assets))
	for i, asset := range assets {
		ids[i] = asset.ID
	}
	ruled, err := f.ruledWith(ctx, actor, ids)
	if err != nil {
		return err
	}
	return f.store.View(ctx, func(tx *storage.Tx) error {
		of, err := tx.CollectionsOf(reader(actor), ids, ruled)
		for _, asset := range assets {
			asset.Collections = of[asset.ID]
		}
		return err
	})
}

// ruledWith returns which of the assets are in which collections with rules, as
// pairs of an asset and a collection that the actor may view.
func (f *Finder) ruledWith(ctx context.Context, actor dam.Actor, assets []int64) ([][2]int64, error) {
	known, err := f.collections(ctx, reader(actor))
	if err != nil || len(known.Rules) == 0 || !f.index.isOpen() {
		return nil, err
	}
	return f.index.RuledWith(ctx, known, assets)
}
