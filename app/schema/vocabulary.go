package schema

import (
	"context"
	"fmt"
	"slices"

	"github.com/digital-asset-library/dal/app/access"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

// A VocabularyRef identifies a vocabulary by its ID or, if that is 0, by its key.
type VocabularyRef struct {
	ID  int64
	Key string
}

func (r VocabularyRef) in(s *dam.Schema) (*dam.Vocabulary, error) {
	v := s.VocabularyNamed(r.Key)
	if r.ID != 0 {
		v = s.VocabularyByID(r.ID)
	}
	if v == nil {
		return nil, dam.Errorf(dam.NotFound, "Vocabulary not found.")
	}
	return v, nil
}

// Vocabulary returns a vocabulary with its terms.
func (ds *Definitions) Vocabulary(ctx context.Context, actor dam.Actor, ref VocabularyRef) (*dam.Vocabulary, error) {
	if err := access.MayReadDefinitions(actor); err != nil {
		return nil, err
	}
	return ds.vocabulary(ctx, ref)
}

func (ds *Definitions) vocabulary(ctx context.Context, ref VocabularyRef) (*dam.Vocabulary, error) {
	s, err := ds.Schema(ctx)
	if err != nil {
		return nil, err
	}
	return ref.in(s)
}

// CreateVocabulary creates a vocabulary without terms.
func (ds *Definitions) CreateVocabulary(ctx context.Context, actor dam.Actor, v *dam.Vocabulary) error {
	return ds.define(ctx, actor, func(tx *storage.Tx, s *dam.Schema) error {
		if len(s.Vocabularies) >= dam.MaxVocabularies {
			return dam.Full(dam.MaxVocabularies, "vocabularies")
		}
		if err := v.Validate(); err != nil {
			return err
		}
		return keyTaken(tx.InsertVocabulary(v))
	})
}

// define runs fn, which changes definitions, with the previous definitions. It
// requires an admin.
func (ds *Definitions) define(ctx context.Context, actor dam.Actor, fn func(*storage.Tx, *dam.Schema) error) error {
	if err := access.MayDefine(actor); err != nil {
		return err
	}
	return ds.Store.Update(ctx, func(tx *storage.Tx) error {
		s, err := ds.Schemas.In(tx)
		if err != nil {
			return err
		}
		return fn(tx, s)
	})
}

// keyTaken converts a Conflict to an error about the key.
func keyTaken(err error) error {
	if dam.KindOf(err) == dam.Conflict {
		return dam.InvalidField("key", "The key has already been taken.")
	}
	return err
}

// UpdateVocabulary changes the name and the description of a vocabulary.
func (ds *Definitions) UpdateVocabulary(ctx context.Context, actor dam.Actor, ref VocabularyRef,
	change func(*dam.Vocabulary)) (*dam.Vocabulary, error) {
	err := ds.define(ctx, actor, func(tx *storage.Tx, s *dam.Schema) error {
		before, err := ref.in(s)
		if err != nil {
			return err
		}
		after := *before
		change(&after)
		if err := after.Validate(); err != nil {
			return err
		}
		if after.Name == before.Name && after.Description == before.Description {
			return nil
		}
		return tx.UpdateVocabulary(&after)
	})
	if err != nil {
		return nil, err
	}
	return ds.vocabulary(ctx, ref)
}

// DeleteVocabulary deletes a vocabulary with its terms. If a field uses it, it
// returns a Conflict.
func (ds *Definitions) DeleteVocabulary(ctx context.Context, actor dam.Actor, ref VocabularyRef) error {
	return ds.define(ctx, actor, func(tx *storage.Tx, s *dam.Schema) error {
		v, err := ref.in(s)
		if err != nil {
			return err
		}
		if fields := fieldsOf(s, v); len(fields) > 0 {
			return dam.Errorf(dam.Conflict, "The vocabulary %s is used by the field %s.", v.Key, fields[0])
		}
		return tx.DeleteVocabulary(v.ID)
	})
}

// fieldsOf returns the keys of the fields that use a vocabulary.
func fieldsOf(s *dam.Schema, v *dam.Vocabulary) (keys []string) {
	for _, f := range s.Fields {
		if f.VocabularyID == v.ID {
			keys = append(keys, f.Key)
		}
	}
	return keys
}

// Term returns a term of a vocabulary.
func (ds *Definitions) Term(ctx context.Context, actor dam.Actor, ref VocabularyRef, id int64) (*dam.Term, error) {
	v, err := ds.Vocabulary(ctx, actor, ref)
	if err != nil {
		return nil, err
	}
	return term(v, id)
}

func term(v *dam.Vocabulary, id int64) (*dam.Term, error) {
	if t := v.TermByID(id); t != nil {
		return t, nil
	}
	return nil, dam.Errorf(dam.NotFound, "Term not found.")
}

// CreateTerm adds a term to a vocabulary; a Position below 0 places it after its
// siblings.
func (ds *Definitions) CreateTerm(ctx context.Context, actor dam.Actor, ref VocabularyRef, t *dam.Term) error {
	return ds.define(ctx, actor, func(tx *storage.Tx, s *dam.Schema) error {
		v, err := ref.in(s)
		if err != nil {
			return err
		}
		t.VocabularyID = v.ID
		if t.Position < 0 {
			t.Position = 0
			if n := len(v.Below(t.ParentID)); n > 0 {
				t.Position = dam.After(v.Below(t.ParentID)[n-1].Position)
			}
		}
		if err := t.Validate(v); err != nil {
			return err
		}
		n, err := tx.CountTerms()
		if err != nil {
			return err
		}
		if n >= dam.MaxAllTerms {
			return dam.InvalidField("body", "All vocabularies together can have at most %d terms.", dam.MaxAllTerms)
		}
		return keyTaken(tx.InsertTerm(t))
	})
}

// UpdateTerm changes a term. Assets with the term are then found by its new label.
func (ds *Definitions) UpdateTerm(ctx context.Context, actor dam.Actor, ref VocabularyRef, id int64,
	change func(*dam.Term)) (after *dam.Term, err error) {
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
		after = &t
		change(after)
		if *after == *before {
			return nil
		}
		if err := after.Validate(v); err != nil {
			return err
		}
		if key := defaultOf(s, v, after.Key); key != "" && before.IsActive && !after.IsActive {
			return dam.Errorf(dam.Conflict, "The term %s is the default of the field %s; give the field another one first.",
				after.Key, key)
		}
		if err := tx.UpdateTerm(after); err != nil || after.Label == before.Label {
			return err
		}
		had, err := tx.AssetsWithTerms(fieldsOf(s, v), []string{after.Key})
		if err != nil {
			return err
		}
		return ds.Followups.Reindexed(tx, had)
	})
	return after, err
}

// DeleteTerm deletes a term. If assets use it, if it is the default of a field, or
// if it has terms below it, DeleteTerm returns a Conflict.
func (ds *Definitions) DeleteTerm(ctx context.Context, actor dam.Actor, ref VocabularyRef, id int64) error {
	return ds.define(ctx, actor, func(tx *storage.Tx, s *dam.Schema) error {
		v, err := ref.in(s)
		if err != nil {
			return err
		}
		t, err := term(v, id)
		if err != nil {
			return err
		}
		if len(v.Below(t.ID)) > 0 {
			return dam.Errorf(dam.Conflict, "The term %s has terms below it; delete or move those first.", t.Key)
		}
		if key := defaultOf(s, v, t.Key); key != "" {
			return dam.Errorf(dam.Conflict, "The term %s is the default of the field %s.", t.Key, key)
		}
		use, err := tx.CountTermUse(fieldsOf(s, v), []string{t.Key})
		if err != nil {
			return err
		}
		if n := use[t.Key]; n > 0 {
			return dam.Errorf(dam.Conflict, "%s; a term in use cannot be deleted. Set is_active to false so that nothing more gets it.",
				assetsHave(n, "the term "+t.Key))
		}
		batches, err := tx.OpenBatchTerms(fieldsOf(s, v))
		if err != nil {
			return err
		}
		if n := batches[t.Key]; n > 0 {
			return dam.Errorf(dam.Conflict, "%s the term %s to its files.", batchesGive(n), t.Key)
		}
		if err := tx.DeleteTerm(t); err != nil {
			return err
		}
		return refuseBrokenRules(tx, s, "Change the rules first.")
	})
}

// batchesGive begins a sentence about unfinished upload batches.
func batchesGive(n int) string {
	if n == 1 {
		return "1 upload batch that has not ended gives"
	}
	return fmt.Sprintf("%d upload batches that have not ended give", n)
}

// defaultOf returns the key of a field whose default is a term, "" for none.
func defaultOf(s *dam.Schema, v *dam.Vocabulary, key string) string {
	for _, f := range s.Fields {
		list, _ := f.Default.([]any)
		if text, _ := f.Default.(string); f.VocabularyID == v.ID && (text == key || slices.Contains(list, any(key))) {
			return f.Key
		}
	}
	return ""
}
