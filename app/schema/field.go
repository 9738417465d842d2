package schema

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"github.com/digital-asset-library/dal/app/access"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

var errFieldNotFound = dam.Errorf(dam.NotFound, "Metadata field not found.")

// MetadataField returns a custom field.
func (ds *Definitions) MetadataField(ctx context.Context, actor dam.Actor, key string) (*dam.Field, error) {
	if err := access.MayReadDefinitions(actor); err != nil {
		return nil, err
	}
	s, err := ds.Schema(ctx)
	if err != nil {
		return nil, err
	}
	if f := s.Field(key); f != nil {
		return f, nil
	}
	return nil, errFieldNotFound
}

// CreateField defines a custom field; a Position below 0 places it last. Existing
// values of assets under its key are converted to values of the field; if some do
// not fit, CreateField returns a Conflict or, with force, removes them.
func (ds *Definitions) CreateField(ctx context.Context, actor dam.Actor, f *dam.Field, force bool) error {
	return ds.define(ctx, actor, func(tx *storage.Tx, s *dam.Schema) error {
		if len(s.Fields) >= dam.MaxFields {
			return dam.Full(dam.MaxFields, "metadata fields")
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
		if err := ds.checkField(tx, s, f); err != nil {
			return err
		}
		if err := tx.InsertField(f); err != nil {
			return err
		}
		if err := refuseUnlessForced(tx, s, force); err != nil {
			return err
		}
		had, err := ds.refit(tx, s.With(f), f, force)
		if err != nil {
			return err
		}
		return ds.Followups.Reindexed(tx, had)
	})
}

// UpdateField changes a custom field. If its type or vocabulary changes and some
// values do not fit, UpdateField returns a Conflict or, with force, removes them.
func (ds *Definitions) UpdateField(ctx context.Context, actor dam.Actor, key string, change func(*dam.Field),
	force bool) (f *dam.Field, err error) {
	err = ds.define(ctx, actor, func(tx *storage.Tx, s *dam.Schema) error {
		before := s.Field(key)
		if before == nil {
			return errFieldNotFound
		}
		after := *before
		change(&after)
		f = &after
		if err := ds.checkField(tx, s, f); err != nil {
			return err
		}
		if sameField(before, f) {
			return nil
		}
		if err := ds.changeField(tx, s.With(f), before, f, force); err != nil {
			return err
		}
		return refuseUnlessForced(tx, s, force)
	})
	return f, err
}

// sameField reports whether two fields have the same definition.
func sameField(a, b *dam.Field) bool {
	return a.Label == b.Label && a.Description == b.Description && a.Type == b.Type && a.VocabularyID == b.VocabularyID &&
		a.IsRequired == b.IsRequired && a.IsSearchable == b.IsSearchable && a.IsFilterable == b.IsFilterable && a.Position == b.Position &&
		reflect.DeepEqual(a.Default, b.Default) && reflect.DeepEqual(a.Validation, b.Validation) &&
		slices.Equal(a.AssetClassIDs, b.AssetClassIDs) && a.XMPPath == b.XMPPath && a.AcceptsNewTerms == b.AcceptsNewTerms
}

// changeField writes a changed field and updates the assets affected, given the
// future definitions.
func (ds *Definitions) changeField(tx *storage.Tx, s *dam.Schema, before, after *dam.Field, force bool) error {
	if err := tx.UpdateField(after); err != nil {
		return err
	}
	retyped := before.Type != after.Type || before.VocabularyID != after.VocabularyID
	if !retyped && before.IsSearchable == after.IsSearchable {
		return nil
	}
	if retyped {
		if _, err := ds.refit(tx, s, after, force); err != nil {
			return err
		}
	}
	had, err := tx.AssetsWithKey(after.Key)
	if err != nil {
		return err
	}
	return ds.Followups.Reindexed(tx, had)
}

// checkField validates a field, including its asset classes.
func (ds *Definitions) checkField(tx *storage.Tx, s *dam.Schema, f *dam.Field) error {
	for i, id := range f.AssetClassIDs {
		ok, err := tx.HasName(storage.AssetClasses, id)
		if err != nil {
			return err
		}
		if !ok {
			return dam.InvalidField(fmt.Sprintf("asset_class_ids.%d", i), "The selected asset class %d is invalid.", id)
		}
	}
	f.AssetClassIDs = slices.Compact(slices.Sorted(slices.Values(f.AssetClassIDs))) // a copy, since the current slice is shared
	return f.Validate(s)
}

// DeleteField deletes a custom field. If assets have values in it, DeleteField
// returns a Conflict or, with force, deletes them too.
func (ds *Definitions) DeleteField(ctx context.Context, actor dam.Actor, key string, force bool) error {
	return ds.define(ctx, actor, func(tx *storage.Tx, s *dam.Schema) error {
		n, err := tx.CountMetadata(key)
		if err != nil {
			return err
		}
		if err := tx.DeleteField(key); err != nil {
			return err
		}
		if err := refuseUnlessForced(tx, s, force); err != nil {
			return err
		}
		if n > 0 && !force {
			return dam.Errorf(dam.Conflict, "%s in the field %s; force=true deletes the field and these values.",
				assetsHave(n, "a value"), key)
		}
		had, err := tx.DeleteMetadata(key)
		if err != nil {
			return err
		}
		return ds.Followups.Touched(tx, had)
	})
}

// assetsHave formats the number of assets that have something.
func assetsHave(n int, what string) string {
	if n == 1 {
		return "1 asset has " + what
	}
	return fmt.Sprintf("%d assets have %s", n, what)
}

// A misfit counts the assets whose values do not fit a field.
type misfit struct {
	assets  int
	example string // JSON, shortened
}

func (m misfit) String() string {
	return fmt.Sprintf("%s that does not fit, for example %s", assetsHave(m.assets, "a value"), m.example)
}

// refitChunk is the number of distinct values read per query.
const refitChunk = 200

// misfits counts the values that do not fit a field. Unless replace is nil, it is
// called with replacements of values: the converted form of those that fit, and nil
// for those that do not.
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
						m.example = Shortened(v.Text)
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
		after = values[len(values)-1].Text // a replacement that sorts later is read again, and fits then
	}
}

// Shortened cuts a text for a message to 60 characters.
func Shortened(s string) string {
	if r := []rune(s); len(r) > 60 {
		return string(r[:60]) + "…"
	}
	return s
}

// refitted converts the values that assets have under a field's key to values of
// the field, and returns the assets whose values changed. Values that do not fit
// are removed; if allow is not set and there are any, nothing changes.
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

// refit converts the values that assets have under a field's key to values of the
// field, and returns all assets that have one. If some values do not fit, refit
// returns a Conflict or, with force, removes them.
func (ds *Definitions) refit(tx *storage.Tx, s *dam.Schema, f *dam.Field, force bool) ([]int64, error) {
	m, changed, err := refitted(tx, s, f, force)
	if err != nil {
		return nil, err
	}
	if m.assets > 0 && !force {
		return nil, dam.Errorf(dam.Conflict, "In the field %s of the type %s %s; force=true removes such values.", f.Key, f.Type, m)
	}
	if err := ds.Followups.Touched(tx, sorted(changed)); err != nil {
		return nil, err
	}
	return tx.AssetsWithKey(f.Key)
}
