package schema

import (
	"context"

	"github.com/digital-asset-library/dal/app/access"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

// FieldPlan describes the effects of changing or deleting a custom field.
type FieldPlan struct {
	Assets      int                 // assets that have a value
	Losing      int                 // of those, the assets that would lose it
	Example     string              // a value that would be lost as JSON, shortened; "" for none
	Collections []dam.CollectionRef // collections whose rules would match nothing
}

// PlanField returns what UpdateField would do with force, or DeleteField if change
// is nil. It requires an admin and changes nothing.
func (ds *Definitions) PlanField(ctx context.Context, actor dam.Actor, key string, change func(*dam.Field)) (*FieldPlan, error) {
	if err := access.MayDefine(actor); err != nil {
		return nil, err
	}
	p := &FieldPlan{}
	return p, ds.Store.View(ctx, func(tx *storage.Tx) error {
		s, err := ds.Schemas.In(tx)
		if err != nil {
			return err
		}
		before := s.Field(key)
		if before == nil {
			return errFieldNotFound
		}
		if p.Assets, err = tx.CountMetadata(key); err != nil {
			return err
		}
		after := s.Without(key)
		if p.Losing = p.Assets; change != nil {
			if after, err = ds.planChange(tx, s, before, change, p); err != nil {
				return err
			}
		}
		return planRules(tx, s, after, p)
	})
}

// planChange counts the assets that a change of a field would deprive of their
// values, and returns the definitions after the change.
func (ds *Definitions) planChange(
	tx *storage.Tx, s *dam.Schema, before *dam.Field, change func(*dam.Field), p *FieldPlan,
) (*dam.Schema, error) {
	f := *before
	change(&f)
	if err := ds.checkField(tx, s, &f); err != nil {
		return nil, err
	}
	after := s.With(&f)
	p.Losing = 0
	if before.Type == f.Type && before.VocabularyID == f.VocabularyID {
		return after, nil
	}
	m, err := misfits(tx, after, &f, nil)
	p.Losing, p.Example = m.assets, m.example
	return after, err
}

// planRules records the collections whose rules a change of definitions would
// break.
func planRules(tx *storage.Tx, before, after *dam.Schema, p *FieldPlan) error {
	broken, err := brokenBy(tx, before, func() (*dam.Schema, error) { return after, nil })
	if err != nil || len(broken) == 0 {
		return err
	}
	ids := make([]int64, len(broken))
	for i, b := range broken {
		ids[i] = b.collection
	}
	names, err := tx.CollectionNames(ids)
	for _, id := range ids {
		p.Collections = append(p.Collections, dam.CollectionRef{ID: id, Name: names[id]})
	}
	return err
}
