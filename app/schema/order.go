package schema

import (
	"context"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

// MoveField moves a custom field directly after another one, or to the front if
// after is "".
func (ds *Definitions) MoveField(ctx context.Context, actor dam.Actor, key, after string) (moved *dam.Field, err error) {
	err = ds.define(ctx, actor, func(tx *storage.Tx, s *dam.Schema) error {
		if moved = s.Field(key); moved == nil {
			return errFieldNotFound
		}
		places := make([]dam.Place[string], len(s.Fields))
		for i, f := range s.Fields {
			places[i] = dam.Place[string]{Key: f.Key, Position: f.Position}
		}
		changed, ok := dam.Moved(places, key, after)
		if !ok {
			return dam.ErrNoSibling
		}
		if len(changed) == 0 {
			return nil
		}
		for _, p := range changed {
			if p.Key == key {
				f := *moved
				moved = &f
				f.Position, f.UpdatedAt = p.Position, tx.Now()
			}
		}
		return tx.PlaceFields(changed)
	})
	return moved, err
}

// TermPlace is the destination of a term: below a parent, or at the top level if
// that is 0; directly after a sibling, or first if After is 0. If no parent is sent,
// the term keeps its current one.
type TermPlace struct {
	ParentID dam.Opt[int64]
	After    int64
}

// MoveTerm moves a term with its descendants.
func (ds *Definitions) MoveTerm(
	ctx context.Context, actor dam.Actor, ref VocabularyRef, id int64, to TermPlace,
) (moved *dam.Term, err error) {
	err = ds.define(ctx, actor, func(tx *storage.Tx, s *dam.Schema) error {
		v, err := ref.in(s)
		if err != nil {
			return err
		}
		before, err := term(v, id)
		if err != nil {
			return err
		}
		t := *before
		moved = &t
		if to.ParentID.Sent {
			t.ParentID = to.ParentID.Value
		}
		if err := t.Validate(v); err != nil {
			return err
		}
		below := v.Below(t.ParentID)
		places := make([]dam.Place[int64], len(below))
		for i, sibling := range below {
			places[i] = dam.Place[int64]{Key: sibling.ID, Position: sibling.Position}
		}
		changed, ok := dam.Moved(places, id, to.After)
		if !ok {
			return dam.ErrNoSibling
		}
		if len(changed) == 0 {
			return nil
		}
		for _, p := range changed {
			if p.Key == id {
				t.Position = p.Position
			}
		}
		return tx.PlaceTerms(v.ID, t.ParentID, changed)
	})
	return moved, err
}
