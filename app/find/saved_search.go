package find

import (
	"context"
	"errors"
	"reflect"
	"strings"

	"github.com/digital-asset-library/dal/app/access"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

// MaxSavedSearches is the maximum number of saved searches per user.
const MaxSavedSearches = 500

// SavedSearches lists the saved searches of the actor's user by name, and their
// total number. Saved searches are private.
func (f *Finder) SavedSearches(ctx context.Context, actor dam.Actor, p dam.Page) (searches []*dam.SavedSearch, total int, err error) {
	err = f.Store.View(ctx, func(tx *storage.Tx) error {
		if err := access.MayReadAssets(actor); err != nil {
			return err
		}
		searches, total, err = tx.SavedSearches(actor.User.ID, p)
		return err
	})
	for _, s := range searches {
		s.Query.Filters = access.ShownFilter(actor, s.Query.Filters)
	}
	return searches, total, err
}

// SavedSearch returns a saved search of the actor's user.
func (f *Finder) SavedSearch(ctx context.Context, actor dam.Actor, id int64) (s *dam.SavedSearch, err error) {
	err = f.Store.View(ctx, func(tx *storage.Tx) error {
		if err := access.MayReadAssets(actor); err != nil {
			return err
		}
		s, err = tx.SavedSearch(actor.User.ID, id)
		return err
	})
	if err != nil {
		return nil, err
	}
	s.Query.Filters = access.ShownFilter(actor, s.Query.Filters)
	return s, nil
}

// CreateSavedSearch saves a search for the actor's user.
func (f *Finder) CreateSavedSearch(ctx context.Context, actor dam.Actor, s *dam.SavedSearch) error {
	if err := access.MayReadAssets(actor); err != nil {
		return err
	}
	s.UserID = actor.User.ID
	s.Name = strings.TrimSpace(s.Name)
	if err := s.Validate(); err != nil {
		return err
	}
	return f.Store.Update(ctx, func(tx *storage.Tx) error {
		if err := f.checkSavedFilters(tx, actor, s.Query.Filters); err != nil {
			return err
		}
		n, err := tx.CountSavedSearches(s.UserID)
		if err != nil {
			return err
		}
		if n >= MaxSavedSearches {
			return dam.InvalidField("body", "A user can keep at most %d saved searches; delete one first.", MaxSavedSearches)
		}
		return dam.NameTaken(tx.InsertSavedSearch(s))
	})
}

// UpdateSavedSearch applies a patch to a saved search of the actor's user. A patch
// that changes nothing does not count as a change, and filters sent back as the
// actor reads them are kept unchanged.
func (f *Finder) UpdateSavedSearch(
	ctx context.Context, actor dam.Actor, id int64, p *dam.SavedSearchPatch,
) (s *dam.SavedSearch, err error) {
	err = f.Store.Update(ctx, func(tx *storage.Tx) error {
		if err := access.MayReadAssets(actor); err != nil {
			return err
		}
		if s, err = tx.SavedSearch(actor.User.ID, id); err != nil {
			return err
		}
		before := *s
		if err := p.Apply(s); err != nil {
			return err
		}
		if dam.SameFilter(s.Query.Filters, access.ShownFilter(actor, before.Query.Filters)) {
			s.Query.Filters = before.Query.Filters
		}
		if !dam.SameFilter(s.Query.Filters, before.Query.Filters) {
			if err := f.checkSavedFilters(tx, actor, s.Query.Filters); err != nil {
				return err
			}
		}
		if reflect.DeepEqual(*s, before) {
			return nil
		}
		return dam.NameTaken(tx.UpdateSavedSearch(s))
	})
	if err != nil {
		return nil, err
	}
	s.Query.Filters = access.ShownFilter(actor, s.Query.Filters)
	return s, nil
}

// DeleteSavedSearch deletes a saved search of the actor's user.
func (f *Finder) DeleteSavedSearch(ctx context.Context, actor dam.Actor, id int64) error {
	return f.Store.Update(ctx, func(tx *storage.Tx) error {
		if err := access.MayReadAssets(actor); err != nil {
			return err
		}
		return tx.DeleteSavedSearch(actor.User.ID, id)
	})
}

// checkSavedFilters checks the filter document of a saved search, "" for none, and
// that the actor may search with it. The fields of an error are paths in the saved
// search.
func (fi *Finder) checkSavedFilters(tx *storage.Tx, actor dam.Actor, text string) error {
	if text == "" {
		return nil
	}
	schema, err := fi.Schemas.In(tx)
	if err != nil {
		return err
	}
	f, err := dam.ParseSavedFilter(text, schema)
	if err == nil {
		return access.MayQuery(actor, &dam.Query{Filter: f})
	}
	if e, ok := errors.AsType[*dam.Error](err); ok {
		for i := range e.Fields {
			e.Fields[i].Field = "query." + e.Fields[i].Field
		}
	}
	return err
}
