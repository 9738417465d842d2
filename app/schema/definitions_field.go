package schema

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/digital-asset-library/dal/app/dam"
)

// fields replaces the custom fields by those of the definitions.
func (p *planner) fields() error {
	if p.d.Fields == nil {
		return nil
	}
	s, err := p.now()
	if err != nil {
		return err
	}
	stay := map[string]bool{}
	for i := range p.d.Fields {
		stay[p.d.Fields[i].Key] = true
	}
	for _, f := range p.before.Fields {
		if !stay[f.Key] {
			if err := p.deleteField(f.Key); err != nil {
				return err
			}
		}
	}
	moved, last := 0, (*dam.Field)(nil)
	for i := range p.d.Fields {
		d := &p.d.Fields[i]
		f, err := p.field(s, d, last)
		if err != nil {
			return err
		}
		if last = f; p.Err() != nil {
			continue // to report all problems
		}
		n, err := p.putField(s.With(f), f)
		if err != nil {
			return err
		}
		moved += n
	}
	if moved > 0 {
		p.step("change", "fields", fmt.Sprintf("order of %d fields", moved))
	}
	return nil
}

func (p *planner) deleteField(key string) error {
	had, err := p.tx.DeleteMetadata(key)
	if err != nil {
		return err
	}
	if len(had) > 0 {
		p.lossy("delete", "field "+key, assetsHave(len(had), "a value"))
	} else {
		p.step("delete", "field "+key, "")
	}
	p.touched = append(p.touched, had...)
	return p.tx.DeleteField(key)
}

// field converts a definition to a field that is placed after last.
func (p *planner) field(s *dam.Schema, d *dam.FieldDefinition, last *dam.Field) (*dam.Field, error) {
	f := d.Field
	f.VocabularyID, f.AssetClassIDs, f.Position = 0, nil, 0
	if before := p.before.Field(f.Key); before != nil {
		f.Position, f.CreatedAt, f.UpdatedAt = before.Position, before.CreatedAt, before.UpdatedAt
		if last != nil && (f.Position < last.Position || f.Position == last.Position && f.Key < last.Key) {
			f.Position = last.Position + 1
		}
	} else if last != nil {
		f.Position = last.Position + 1
	}
	what := "field " + f.Key
	if d.Vocabulary != "" {
		v := s.VocabularyNamed(d.Vocabulary)
		if v == nil || p.leaves(d.Vocabulary) {
			p.AtLine(d.Line, "%s: There is no vocabulary %s.", what, d.Vocabulary)
			return &f, nil
		}
		f.VocabularyID = v.ID
	}
	for _, name := range d.AssetClasses {
		id, ok := p.classes[strings.ToLower(name)]
		if !ok {
			p.AtLine(d.Line, "%s: There is no asset class %s.", what, name)
			continue
		}
		f.AssetClassIDs = append(f.AssetClassIDs, id)
	}
	return &f, p.AllAtLine(d.Line, what, p.definitions.checkField(p.tx, s, &f))
}

// leaves reports whether a vocabulary will be deleted.
func (p *planner) leaves(key string) bool {
	if p.d.Vocabularies == nil {
		return false
	}
	for i := range p.d.Vocabularies {
		if p.d.Vocabularies[i].Key == key {
			return false
		}
	}
	return true
}

// putField creates or updates a field, given the new definitions. It returns 1 if
// only its position changes.
func (p *planner) putField(s *dam.Schema, f *dam.Field) (moved int, err error) {
	before := p.before.Field(f.Key)
	what := "field " + f.Key
	if before != nil && sameField(before, f) {
		return 0, nil
	}
	step := PlanStep{Action: "create", What: what}
	if before == nil {
		err = p.tx.InsertField(f)
	} else {
		step.Action, step.Detail = "change", p.fieldChanges(before, f)
		err = p.tx.UpdateField(f)
	}
	if err != nil {
		return 0, err
	}
	if before == nil || before.Type != f.Type || before.VocabularyID != f.VocabularyID {
		if step.Loss, err = p.refit(s, f); err != nil {
			return 0, err
		}
	}
	if before == nil || before.Type != f.Type || before.VocabularyID != f.VocabularyID || before.IsSearchable != f.IsSearchable {
		had, err := p.tx.AssetsWithKey(f.Key)
		if err != nil {
			return 0, err
		}
		p.reindex = append(p.reindex, had...)
	}
	if before != nil && step.Detail == "" {
		return 1, nil
	}
	p.plan = append(p.plan, step)
	return 0, nil
}

// refit converts the values that assets have for a field to its new definition, and
// describes the values lost.
func (p *planner) refit(s *dam.Schema, f *dam.Field) (loss string, err error) {
	m, changed, err := refitted(p.tx, s, f, true)
	p.touched = append(p.touched, changed...)
	if m.assets > 0 {
		loss = m.String()
	}
	return loss, err
}

// fieldChanges describes the changes of a field other than its position.
func (p *planner) fieldChanges(before, after *dam.Field) string {
	show := func(v any) string {
		b, _ := json.Marshal(v) // values that came from JSON can be encoded
		return string(b)
	}
	var list []string
	for _, c := range []struct {
		name     string
		from, to any
	}{
		{"label", before.Label, after.Label}, {"description", before.Description, after.Description}, {"type", before.Type, after.Type},
		{"vocabulary", before.VocabularyID, after.VocabularyID}, {"is_required", before.IsRequired, after.IsRequired},
		{"is_searchable", before.IsSearchable, after.IsSearchable}, {"is_filterable", before.IsFilterable, after.IsFilterable},
		{"default_value", before.Default, after.Default}, {"validation", before.Validation, after.Validation},
		{"xmp_path", before.XMPPath, after.XMPPath}, {"accepts_new_terms", before.AcceptsNewTerms, after.AcceptsNewTerms},
		{"asset_classes", before.AssetClassIDs, after.AssetClassIDs},
	} {
		from, to := show(c.from), show(c.to)
		switch {
		case from == to || from == "null" && to == "[]" || from == "[]" && to == "null":
		case c.name == "vocabulary" || c.name == "asset_classes": // IDs mean nothing to people
			list = append(list, c.name)
		default:
			list = append(list, c.name+" "+from+" → "+to)
		}
	}
	return strings.Join(list, ", ")
}
