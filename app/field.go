package app

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

var errFieldNotFound = dam.Errorf(dam.NotFound, "Metadata field not found.")

// MetadataField returns a custom field.
func (a *App) MetadataField(ctx context.Context, actor dam.Actor, key string) (*dam.Field, error) {
	if err := mayReadDefinitions(actor); err != nil {
		return nil, err
	}
	s, err := a.Schema(ctx)
	if err != nil {
		return nil, err
	}
	if f := s.Field(key); f != nil {
		return f, nil
	}
	return nil, errFieldNotFound
}

// CreateField defines a custom field; a Position below 0 puts it after all
// others. What assets have under its key already becomes values of the field:
// what does not fit makes a Conflict, or goes with force.
func (a *App) CreateField(ctx context.Context, actor dam.Actor, f *dam.Field, force bool) error {
	if err := mayDefine(actor); err != nil {
		return err
	}
	return a.store.Update(ctx, func(tx *storage.Tx) error {
		s, err := a.schemas.in(tx)
		if err != nil {
			return err
		}
		if len(s.Fields) >= dam.MaxFields {
			return dam.InvalidField("body", "A library can have at most %d metadata fields.", dam.MaxFields)
		}
		if f.Position < 0 {
			f.Position = 0
			if n := len(s.Fields); n > 0 {
				f.Position = dam.After(s.Fields[n-1].Position)
			}
		}
		if s.Field(f.Key) != nil {
			return dam.InvalidField("key", "The key has already been taken.")
		}
		if err := a.checkField(tx, s, f); err != nil {
			return err
		}
		if err := tx.InsertField(f); err != nil {
			return err
		}
		if !force {
			if err := keepRules(tx, s, forceRules); err != nil {
				return err
			}
		}
		had, err := a.refit(tx, s.With(f), f, force)
		if err != nil {
			return err
		}
		return a.followups.reindexed(tx, had)
	})
}

// UpdateField changes a custom field. With another type or vocabulary, values
// that do not fit make a Conflict, or go with force.
func (a *App) UpdateField(ctx context.Context, actor dam.Actor, key string, change func(*dam.Field), force bool) (f *dam.Field, err error) {
	if err := mayDefine(actor); err != nil {
		return nil, err
	}
	err = a.store.Update(ctx, func(tx *storage.Tx) error {
		s, err := a.schemas.in(tx)
		if err != nil {
			return err
		}
		before := s.Field(key)
		if before == nil {
			return errFieldNotFound
		}
		after := *before
		change(&after)
		f = &after
		if err := a.checkField(tx, s, f); err != nil {
			return err
		}
		if sameField(before, f) {
			return nil
		}
		if err := a.changeField(tx, s.With(f), before, f, force); err != nil || force {
			return err
		}
		return keepRules(tx, s, forceRules)
	})
	return f, err
}

// sameField reports whether two fields are defined alike.
func sameField(a, b *dam.Field) bool {
	return a.Label == b.Label && a.Description == b.Description && a.Type == b.Type && a.VocabularyID == b.VocabularyID &&
		a.IsRequired == b.IsRequired && a.IsSearchable == b.IsSearchable && a.IsFilterable == b.IsFilterable && a.Position == b.Position &&
		reflect.DeepEqual(a.Default, b.Default) && reflect.DeepEqual(a.Validation, b.Validation) && slices.Equal(a.AssetClassIDs, b.AssetClassIDs)
}

// changeField writes a changed field, and what follows for assets, given the
// definitions as they become.
func (a *App) changeField(tx *storage.Tx, s *dam.Schema, before, after *dam.Field, force bool) error {
	if err := tx.UpdateField(after); err != nil {
		return err
	}
	retyped := before.Type != after.Type || before.VocabularyID != after.VocabularyID
	if !retyped && before.IsSearchable == after.IsSearchable {
		return nil
	}
	if retyped {
		if _, err := a.refit(tx, s, after, force); err != nil {
			return err
		}
	}
	had, err := tx.AssetsWithKey(after.Key)
	if err != nil {
		return err
	}
	return a.followups.reindexed(tx, had)
}

// checkField reports what is wrong with a field, its asset classes included.
func (a *App) checkField(tx *storage.Tx, s *dam.Schema, f *dam.Field) error {
	if len(f.AssetClassIDs) > dam.MaxAssetClasses {
		return dam.InvalidField("asset_class_ids", "The asset class ids field must not have more than %d items.", dam.MaxAssetClasses)
	}
	for i, id := range f.AssetClassIDs {
		ok, err := tx.AssetClassExists(id)
		if err != nil {
			return err
		}
		if !ok {
			return dam.InvalidField(fmt.Sprintf("asset_class_ids.%d", i), "The selected asset class %d is invalid.", id)
		}
	}
	f.AssetClassIDs = slices.Compact(slices.Sorted(slices.Values(f.AssetClassIDs))) // a copy: the present ones are shared
	return f.Validate(s)
}

// DeleteField deletes a custom field. One that assets have values in makes a
// Conflict, or is deleted with them with force.
func (a *App) DeleteField(ctx context.Context, actor dam.Actor, key string, force bool) error {
	if err := mayDefine(actor); err != nil {
		return err
	}
	return a.store.Update(ctx, func(tx *storage.Tx) error {
		s, err := a.schemas.in(tx)
		if err != nil {
			return err
		}
		n, err := tx.CountMetadata(key)
		if err != nil {
			return err
		}
		if err := tx.DeleteField(key); err != nil {
			return err
		}
		if !force {
			if err := keepRules(tx, s, forceRules); err != nil {
				return err
			}
		}
		if n > 0 && !force {
			return dam.Errorf(dam.Conflict, "%s in the field %s; force=true deletes the field and these values.", assetsHave(n, "a value"), key)
		}
		had, err := tx.DeleteMetadata(key)
		if err != nil {
			return err
		}
		return a.followups.touched(tx, had)
	})
}

// assetsHave says how many assets have something.
func assetsHave(n int, what string) string {
	if n == 1 {
		return "1 asset has " + what
	}
	return fmt.Sprintf("%d assets have %s", n, what)
}

// A misfit counts the assets whose values do not fit a field.
type misfit struct {
	assets  int
	example string // as JSON, shortened
}

func (m misfit) String() string {
	return fmt.Sprintf("%s that does not fit, for example %s", assetsHave(m.assets, "a value"), m.example)
}

// refitChunk is how many distinct values are read at once.
const refitChunk = 200

// misfits looks for values that do not fit a field, and calls replace, unless
// it is nil, with those that fit but are kept differently, and with nil for
// those that do not fit.
func misfits(tx *storage.Tx, s *dam.Schema, f *dam.Field, replace func(map[string]any) error) (m misfit, err error) {
	for after := ""; ; {
		values, err := tx.MetadataValues(f.Key, after, refitChunk)
		if err != nil || len(values) == 0 {
			return m, err
		}
		changes := map[string]any{}
		for _, v := range values {
			to, ok := s.Fit(f, v.Value)
			switch {
			case !ok:
				to = nil
				if !dam.Blank(v.Value) {
					if m.assets += v.Assets; m.example == "" {
						m.example = shortened(v.Text)
					}
				}
			case reflect.DeepEqual(to, v.Value):
				continue
			}
			changes[v.Text] = to
		}
		if len(changes) > 0 && replace != nil {
			if err := replace(changes); err != nil {
				return m, err
			}
		}
		after = values[len(values)-1].Text // a value that comes after is met again, and fits
	}
}

func shortened(s string) string {
	if r := []rune(s); len(r) > 60 {
		return string(r[:60]) + "…"
	}
	return s
}

// refitted makes what assets have under the key of a field values of it, and
// returns the assets whose values changed. Values that do not fit go; unless
// that is allowed, nothing changes when there are any.
func refitted(tx *storage.Tx, s *dam.Schema, f *dam.Field, allow bool) (m misfit, changed []int64, err error) {
	if !allow {
		if m, err = misfits(tx, s, f, nil); err != nil || m.assets > 0 {
			return m, nil, err
		}
	}
	m, err = misfits(tx, s, f, func(changes map[string]any) error {
		had, err := tx.ReplaceMetadata(f.Key, changes)
		changed = append(changed, had...)
		return err
	})
	return m, changed, err
}

// refit makes what assets have under the key of a field values of it, and
// returns all that have one. Values that do not fit make a Conflict, or go with
// force.
func (a *App) refit(tx *storage.Tx, s *dam.Schema, f *dam.Field, force bool) ([]int64, error) {
	m, changed, err := refitted(tx, s, f, force)
	if err != nil {
		return nil, err
	}
	if m.assets > 0 && !force {
		return nil, dam.Errorf(dam.Conflict, "In the field %s of the type %s %s; force=true removes such values.", f.Key, f.Type, m)
	}
	if err := a.followups.touched(tx, sorted(changed)); err != nil {
		return nil, err
	}
	return tx.AssetsWithKey(f.Key)
}
