package find

import (
	"cmp"
	"context"
	"slices"

	"github.com/digital-asset-library/dal/app/access"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/search"
	"github.com/digital-asset-library/dal/storage"
)

// Suggest returns up to n suggestions for a typed text, within the rights of the
// actor: the actor's saved searches, collections, keywords and asset titles, in
// this order, each kind with its share. If only is not "", it returns that kind
// only.
func (f *Finder) Suggest(ctx context.Context, actor dam.Actor, text string, only dam.SuggestionType, n int) ([]dam.Suggestion, error) {
	if err := access.MayReadAssets(actor); err != nil {
		return nil, err
	}
	p := search.NewPrefix(text)
	if p.IsEmpty() {
		return nil, nil
	}
	f.Index.NoteSearch()
	found, err := f.Index.Suggest(ctx, p, n)
	if err != nil {
		return nil, err
	}
	var kinds [4][]dam.Suggestion
	for _, k := range found.Keywords {
		kinds[2] = append(kinds[2], dam.Suggestion{Type: dam.SuggestKeyword, Text: k.Value.(string), Count: k.Count})
	}
	err = f.Store.View(ctx, func(tx *storage.Tx) error {
		if kinds[0], err = suggestSearches(tx, actor, p); err != nil {
			return err
		}
		if kinds[1], err = suggestCollections(tx, actor, p); err != nil {
			return err
		}
		assets, err := tx.AssetTitles(found.Assets)
		kinds[3] = assets
		return err
	})
	return shared(kinds[:], only, n), err
}

// suggestSearches returns an actor's matching saved searches, by name.
func suggestSearches(tx *storage.Tx, actor dam.Actor, p search.Prefix) ([]dam.Suggestion, error) {
	var list []dam.Suggestion
	err := tx.SavedSearchNames(actor.User.ID, func(id int64, name string) {
		if p.Fits(name) {
			list = append(list, dam.Suggestion{Type: dam.SuggestSavedSearch, Text: name, ID: id})
		}
	})
	return beginning(p, list), err
}

// suggestCollections returns matching collections that an actor may view, by name.
func suggestCollections(tx *storage.Tx, actor dam.Actor, p search.Prefix) ([]dam.Suggestion, error) {
	var list []dam.Suggestion
	err := tx.VisibleCollectionNames(access.Reader(actor), func(id int64, name string) {
		if p.Fits(name) {
			list = append(list, dam.Suggestion{Type: dam.SuggestCollection, Text: name, ID: id})
		}
	})
	return beginning(p, list), err
}

// beginning moves the suggestions that start with the typed text to the front.
func beginning(p search.Prefix, list []dam.Suggestion) []dam.Suggestion {
	slices.SortStableFunc(list, func(a, b dam.Suggestion) int {
		x, y := p.Begins(a.Text), p.Begins(b.Text)
		switch {
		case x == y:
			return 0
		case x:
			return -1
		}
		return 1
	})
	return list
}

// shared selects n suggestions round-robin from all kinds, so that no kind crowds
// out another.
func shared(kinds [][]dam.Suggestion, only dam.SuggestionType, n int) (list []dam.Suggestion) {
	type turn struct{ round, kind int }
	var turns []turn
	for k, kind := range kinds {
		for i, s := range kind {
			if only == "" || s.Type == only {
				turns = append(turns, turn{i, k})
			}
		}
	}
	slices.SortFunc(turns, func(a, b turn) int { return cmp.Or(a.round-b.round, a.kind-b.kind) })
	turns = turns[:min(n, len(turns))]
	slices.SortFunc(turns, func(a, b turn) int { return cmp.Or(a.kind-b.kind, a.round-b.round) })
	for _, t := range turns {
		list = append(list, kinds[t.kind][t.round])
	}
	return list
}
