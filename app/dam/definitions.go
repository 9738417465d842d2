package dam

import (
	"errors"
	"slices"
	"strings"
)

// Definitions are the definitions of a library in their file format, which refers to
// objects by key and name. A nil list keeps the definitions of its kind; any other list is
// complete.
type Definitions struct {
	AssetClasses []ClassDefinition
	Vocabularies []VocabularyDefinition
	Fields       []FieldDefinition
}

// ClassDefinition is an asset class. Here and below, Line is the line in the file, 0 if
// unknown.
type ClassDefinition struct {
	Line int
	Name string // 1 to 255 characters; unique regardless of case
}

// VocabularyDefinition is a vocabulary with its terms in order.
type VocabularyDefinition struct {
	Line                   int
	Key, Name, Description string
	Terms                  []TermDefinition
}

// TermDefinition is a term with its child terms in order.
type TermDefinition struct {
	Line       int
	Key, Label string
	IsActive   bool
	Terms      []TermDefinition
}

// FieldDefinition is a custom field. Its Position, VocabularyID and AssetClassIDs are
// ignored: its position is that in the list.
type FieldDefinition struct {
	Line int
	Field
	Vocabulary   string   // key of its vocabulary, or ""
	AssetClasses []string // names of the classes that it applies to
}

// AtLine adds a problem at a line of a file.
func (p *Problems) AtLine(line int, format string, args ...any) {
	if line == 0 {
		p.Add("definitions", format, args...)
		return
	}
	p.Add("line "+itoa(line), "line "+itoa(line)+": "+format, args...)
}

// AllAtLine adds all validation problems of err at a line and returns nil. It returns any
// other error unchanged.
func (p *Problems) AllAtLine(line int, what string, err error) error {
	e, ok := errors.AsType[*Error](err)
	if !ok || e.Kind != Invalid {
		return err
	}
	for _, f := range e.Fields {
		p.AtLine(line, "%s: %s", what, f.Msg)
	}
	return nil
}

// Validate checks d in isolation. References to existing definitions and the values of
// fields are checked when d is applied.
func (d *Definitions) Validate() error {
	var p Problems
	d.validateClasses(&p)
	d.validateVocabularies(&p)
	if len(d.Fields) > MaxFields {
		p.AtLine(d.Fields[MaxFields].Line, "A library can have at most %d metadata fields.", MaxFields)
	}
	seen := map[string]int{}
	for i := range d.Fields {
		p.once(seen, d.Fields[i].Line, "field", d.Fields[i].Key)
	}
	return p.Err()
}

// once adds a problem for a repeated key.
func (p *Problems) once(seen map[string]int, line int, what, key string) {
	if first, ok := seen[key]; ok {
		p.AtLine(line, "The %s %q is in line %d already.", what, key, first)
	}
	seen[key] = line
}

func (d *Definitions) validateClasses(p *Problems) {
	if len(d.AssetClasses) > MaxAssetClasses {
		p.AtLine(d.AssetClasses[MaxAssetClasses].Line, "A library can have at most %d asset classes.", MaxAssetClasses)
	}
	seen := map[string]int{}
	for _, c := range d.AssetClasses {
		var wrong Problems
		wrong.name("name", c.Name, 1)
		p.AllAtLine(c.Line, "asset class", wrong.Err())
		p.once(seen, c.Line, "asset class", strings.ToLower(c.Name))
	}
}

func (d *Definitions) validateVocabularies(p *Problems) {
	if len(d.Vocabularies) > MaxVocabularies {
		p.AtLine(d.Vocabularies[MaxVocabularies].Line, "A library can have at most %d vocabularies.", MaxVocabularies)
	}
	seen := map[string]int{}
	all := 0
	for i := range d.Vocabularies {
		v := &d.Vocabularies[i]
		p.AllAtLine(v.Line, "vocabulary "+v.Key, (&Vocabulary{Key: v.Key, Name: v.Name, Description: v.Description}).Validate())
		p.once(seen, v.Line, "vocabulary", v.Key)
		terms := map[string]int{}
		p.terms(terms, v.Terms, 1)
		if len(terms) > MaxTerms {
			p.AtLine(v.Line, "A vocabulary can have at most %d terms.", MaxTerms)
		}
		if all += len(terms); all > MaxAllTerms {
			p.AtLine(v.Line, "All vocabularies together can have at most %d terms.", MaxAllTerms)
			return
		}
	}
}

func (p *Problems) terms(seen map[string]int, terms []TermDefinition, depth int) {
	if depth > MaxTermDepth && len(terms) > 0 {
		p.AtLine(terms[0].Line, "Terms can be at most %d deep.", MaxTermDepth)
		return
	}
	for _, t := range terms {
		var wrong Problems
		wrong.term("", &Term{Key: t.Key, Label: t.Label})
		p.AllAtLine(t.Line, "term "+t.Key, wrong.Err())
		p.once(seen, t.Line, "term", t.Key)
		p.terms(seen, t.Terms, depth+1)
	}
}

// Definitions exports the definitions of s. classes are the names of the asset classes by
// ID.
func (s *Schema) Definitions(classes map[int64]string) *Definitions {
	d := &Definitions{AssetClasses: []ClassDefinition{}, Vocabularies: []VocabularyDefinition{}, Fields: []FieldDefinition{}}
	for _, id := range sortedIDs(classes) {
		d.AssetClasses = append(d.AssetClasses, ClassDefinition{Name: classes[id]})
	}
	for _, v := range s.Vocabularies {
		d.Vocabularies = append(d.Vocabularies, VocabularyDefinition{
			Key: v.Key, Name: v.Name, Description: v.Description, Terms: v.definitions(0),
		})
	}
	for _, f := range s.Fields {
		def := FieldDefinition{Field: *f}
		if v := s.Vocabulary(f); v != nil {
			def.Vocabulary = v.Key
		}
		for _, id := range f.AssetClassIDs {
			def.AssetClasses = append(def.AssetClasses, classes[id])
		}
		d.Fields = append(d.Fields, def)
	}
	return d
}

func (v *Vocabulary) definitions(parent int64) (list []TermDefinition) {
	for _, t := range v.below[parent] {
		list = append(list, TermDefinition{Key: t.Key, Label: t.Label, IsActive: t.IsActive, Terms: v.definitions(t.ID)})
	}
	return list
}

func sortedIDs(m map[int64]string) []int64 {
	ids := make([]int64, 0, len(m))
	for id := range m {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}
