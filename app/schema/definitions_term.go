package schema

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/digital-asset-library/dal/app/dam"
)

// addTerms updates the terms of a vocabulary from its definition. It does not
// delete those that are missing there.
func (p *planner) addTerms(v *dam.Vocabulary, d *dam.VocabularyDefinition) error {
	var renamed []string
	moved := 0
	var add func(list []dam.TermDefinition, parent *dam.Term) error
	add = func(list []dam.TermDefinition, parent *dam.Term) error {
		var last *dam.Term
		for i := range list {
			def := &list[i]
			t := &dam.Term{VocabularyID: v.ID, Key: def.Key, Label: def.Label, IsActive: def.IsActive}
			if parent != nil {
				t.ParentID = parent.ID
			}
			before := v.Term(def.Key)
			if before != nil {
				t.ID, t.Position, t.Children = before.ID, before.Position, before.Children
			}
			if last != nil && (before == nil || !after(t, last)) {
				t.Position = last.Position + 1
			}
			last = t
			what := "term " + d.Key + "/" + t.Key
			if before == nil {
				if err := p.tx.InsertTerm(t); err != nil {
					return err
				}
				p.step("create", what, "")
			} else if *t != *before {
				if err := p.tx.UpdateTerm(t); err != nil {
					return err
				}
				if t.Label != before.Label {
					renamed = append(renamed, t.Key)
				}
				if changes := differences("label", before.Label, t.Label, "parent", keyOf(v, before.ParentID), parentKey(parent),
					"is_active", fmt.Sprint(before.IsActive), fmt.Sprint(t.IsActive)); changes != "" {
					p.step("change", what, changes)
				} else {
					moved++
				}
			}
			if err := add(def.Terms, t); err != nil {
				return err
			}
		}
		return nil
	}
	if err := add(d.Terms, nil); err != nil {
		return err
	}
	if moved > 0 {
		p.step("change", "vocabulary "+d.Key, fmt.Sprintf("order of %d terms", moved))
	}
	if len(renamed) == 0 {
		return nil
	}
	had, err := p.tx.AssetsWithTerms(fieldsOf(p.before, v), renamed)
	p.reindex = append(p.reindex, had...)
	return err
}

// after reports whether t is sorted after its sibling last.
func after(t, last *dam.Term) bool {
	return cmp.Or(cmp.Compare(t.Position, last.Position), cmp.Compare(t.Label, last.Label), cmp.Compare(t.Key, last.Key)) > 0
}

func keyOf(v *dam.Vocabulary, id int64) string {
	return parentKey(v.TermByID(id))
}

func parentKey(t *dam.Term) string {
	if t == nil {
		return ""
	}
	return t.Key
}

// checkDefaults reports inactive terms that are the default of a field, even if the
// definitions do not include the field.
func (p *planner) checkDefaults() error {
	s, err := p.now()
	if err != nil {
		return err
	}
	var check func(v *dam.Vocabulary, list []dam.TermDefinition)
	check = func(v *dam.Vocabulary, list []dam.TermDefinition) {
		for _, t := range list {
			if key := defaultOf(s, v, t.Key); key != "" && !t.IsActive {
				p.AtLine(t.Line, "The term %s/%s cannot be inactive: it is the default of the field %s.", v.Key, t.Key, key)
			}
			check(v, t.Terms)
		}
	}
	for i := range p.d.Vocabularies {
		d := &p.d.Vocabularies[i]
		check(s.VocabularyNamed(d.Key), d.Terms)
	}
	return nil
}

// removeTerms deletes the terms that are missing in the definitions, or deactivates
// those that assets use.
func (p *planner) removeTerms() error {
	if len(p.d.Vocabularies) == 0 {
		return nil
	}
	s, err := p.now()
	if err != nil {
		return err
	}
	for i := range p.d.Vocabularies {
		d := &p.d.Vocabularies[i]
		stay := map[string]bool{}
		noteKeys(stay, d.Terms)
		v := s.VocabularyNamed(d.Key)
		var missing []string
		for _, t := range v.Terms {
			if !stay[t.Key] {
				missing = append(missing, t.Key)
			}
		}
		if len(missing) == 0 {
			continue
		}
		use, err := p.tx.CountTermUse(fieldsOf(s, v), missing)
		if err != nil {
			return err
		}
		batches, err := p.tx.OpenBatchTerms(fieldsOf(s, v))
		if err != nil {
			return err
		}
		for _, key := range slices.Backward(missing) { // children first
			if err := p.removeTerm(s, v, v.Term(key), d.Line, use[key], batches[key]); err != nil {
				return err
			}
		}
	}
	return nil
}

func noteKeys(keys map[string]bool, terms []dam.TermDefinition) {
	for _, t := range terms {
		keys[t.Key] = true
		noteKeys(keys, t.Terms)
	}
}

func (p *planner) removeTerm(s *dam.Schema, v *dam.Vocabulary, t *dam.Term, line, use, batches int) error {
	what := "term " + v.Key + "/" + t.Key
	if field := defaultOf(s, v, t.Key); field != "" {
		p.AtLine(line, "The %s cannot go: it is the default of the field %s.", what, field)
		return nil
	}
	if use == 0 && batches == 0 {
		p.step("delete", what, "")
		return p.tx.DeleteTerm(t)
	}
	if !t.IsActive {
		return nil
	}
	off := *t
	off.IsActive = false
	why := assetsHave(use, "it")
	if use == 0 {
		why = batchesGive(batches) + " it to its files"
	}
	p.step("deactivate", what, why)
	return p.tx.UpdateTerm(&off)
}
