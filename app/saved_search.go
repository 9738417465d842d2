package app

import (
	"context"
	"errors"
	"strings"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

// MaxSavedSearches is how many searches a user may keep.
const MaxSavedSearches = 500

// SavedSearches lists the saved searches of the actor's user by name, and how
// many there are. Nobody sees those of others.
func (a *App) SavedSearches(ctx context.Context, actor dam.Actor, p storage.Page) (searches []*dam.SavedSearch, total int, err error) {
	err = a.store.View(ctx, func(tx *storage.Tx) error {
		searches, total, err = tx.SavedSearches(actor.User.ID, p)
		return err
	})
	return searches, total, err
}

// SavedSearch returns a saved search of the actor's user.
func (a *App) SavedSearch(ctx context.Context, actor dam.Actor, id int64) (s *dam.SavedSearch, err error) {
	err = a.store.View(ctx, func(tx *storage.Tx) error {
		s, err = tx.SavedSearch(actor.User.ID, id)
		return err
	})
	return s, err
}

// CreateSavedSearch keeps a search for the actor's user.
func (a *App) CreateSavedSearch(ctx context.Context, actor dam.Actor, s *dam.SavedSearch) error {
	s.UserID = actor.User.ID
	s.Name = strings.TrimSpace(s.Name)
	if err := s.Validate(); err != nil {
		return err
	}
	return a.store.Update(ctx, func(tx *storage.Tx) error {
		if err := a.checkSavedFilters(tx, s.Query.Filters); err != nil {
			return err
		}
		n, err := tx.CountSavedSearches(s.UserID)
		if err != nil {
			return err
		}
		if n >= MaxSavedSearches {
			return dam.InvalidField("body", "A user can keep at most %d saved searches; delete one first.", MaxSavedSearches)
		}
		return nameTaken(tx.InsertSavedSearch(s))
	})
}

// UpdateSavedSearch applies a patch to a saved search of the actor's user. A
// patch that changes nothing leaves the time of its last change as it is.
func (a *App) UpdateSavedSearch(ctx context.Context, actor dam.Actor, id int64, p *dam.SavedSearchPatch) (s *dam.SavedSearch, err error) {
	err = a.store.Update(ctx, func(tx *storage.Tx) error {
		if s, err = tx.SavedSearch(actor.User.ID, id); err != nil {
			return err
		}
		before := *s
		if err := p.Apply(s); err != nil {
			return err
		}
		if dam.SameFilter(s.Query.Filters, before.Query.Filters) {
			s.Query.Filters = before.Query.Filters
		} else if err := a.checkSavedFilters(tx, s.Query.Filters); err != nil {
			return err
		}
		if *s == before {
			return nil
		}
		return nameTaken(tx.UpdateSavedSearch(s))
	})
	return s, err
}

// DeleteSavedSearch deletes a saved search of the actor's user.
func (a *App) DeleteSavedSearch(ctx context.Context, actor dam.Actor, id int64) error {
	return a.store.Update(ctx, func(tx *storage.Tx) error { return tx.DeleteSavedSearch(actor.User.ID, id) })
}

// checkSavedFilters reports what is wrong with the filter document of a saved
// search, "" for none, by its place in the search.
func (a *App) checkSavedFilters(tx *storage.Tx, text string) error {
	if text == "" {
		return nil
	}
	schema, err := a.schemas.in(tx)
	if err != nil {
		return err
	}
	_, err = dam.ParseSavedFilter(text, schema)
	if e, ok := errors.AsType[*dam.Error](err); ok {
		for i := range e.Fields {
			e.Fields[i].Field = "query." + e.Fields[i].Field
		}
	}
	return err
}

// nameTaken says of which field a Conflict is the fault.
func nameTaken(err error) error {
	if dam.KindOf(err) == dam.Conflict {
		return dam.InvalidField("name", "The name has already been taken.")
	}
	return err
}
