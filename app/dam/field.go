package dam

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"time"
)

// The bounds of the definitions of a library.
const (
	MaxFields       = 500
	MaxVocabularies = 200
	MaxTerms        = 50_000  // of one vocabulary
	MaxAllTerms     = 250_000 // of all together: they are kept in memory
	MaxTermDepth    = 10      // terms in terms
	MaxPattern      = 500     // characters
	MaxAssetClasses = 1000
	// maxProgram is how many instructions a pattern may compile to. Matching
	// takes at most their number times that of the characters.
	maxProgram = 1000
	// maxInteger is up to where no two whole numbers are read as the same
	// (RFC 8259 section 6).
	maxInteger = 1<<53 - 1
)

// Field defines a custom field.
type Field struct {
	Key           string // names it, for ever: lower-case letters, digits, underscores
	Label         string // 1 to 255 characters
	Description   string // up to 2,000 characters
	Type          FieldType
	VocabularyID  int64 // of the types term and terms, else 0
	IsRequired    bool  // when people write
	IsSearchable  bool  // found by text
	IsFilterable  bool  // can be filtered and counted by
	Default       any   // nil for none
	Validation    FieldValidation
	AssetClassIDs []int64 // to whose assets it applies; all if there are none
	Position      int     // from 0; fields are listed by it, then by key
	// XMPPath is the property of XMP that fills the field when a file comes in, and
	// that copies with metadata have from it; "" for none.
	XMPPath string
	// AcceptsNewTerms has files add the terms to the vocabulary that it lacks.
	AcceptsNewTerms bool
	CreatedAt       time.Time
	UpdatedAt       time.Time

	ready   bool           // what follows is made from Validation
	pattern *regexp.Regexp // around the whole text
	lo, hi  any            // as values of the type
}

// FieldValidation narrows what values a field takes when they are written.
// What assets had before stays.
type FieldValidation struct {
	// Min and Max bound values of the types integer and number (a number), date
	// and datetime (such a text), and how many terms a value of the type terms
	// has. Nil stands for no bound.
	Min any `json:"min,omitempty"`
	Max any `json:"max,omitempty"`
	// MaxLength is the most characters of a text; 0 is that of its type.
	MaxLength int `json:"max_length,omitempty"`
	// Pattern is a regular expression (RE2) that the whole text must match.
	Pattern string `json:"pattern,omitempty"`
}

// AppliesTo reports whether assets of a class, 0 for none, have the field.
func (f *Field) AppliesTo(class int64) bool {
	return len(f.AssetClassIDs) == 0 || class == anyClass || class != 0 && slices.Contains(f.AssetClassIDs, class)
}

// anyClass stands for a class that is not yet known.
const anyClass = -1

// Validate reports what is wrong with f among the definitions of s, and makes
// its bounds and its default ready for use. It does not know asset classes.
func (f *Field) Validate(s *Schema) error {
	var p Problems
	p.key("key", f.Key)
	p.name("label", f.Label, 1)
	p.length("description", f.Description, 0, 2000)
	p.position("position", int64(f.Position))
	p.items("asset_class_ids", len(f.AssetClassIDs), MaxAssetClasses)
	if f.kind() == nil {
		oneOf(&p, "type", f.Type, f.Type.Values())
		return p.Err()
	}
	switch v := s.Vocabulary(f); {
	case f.hasTerms() && f.VocabularyID == 0:
		p.Add("vocabulary_id", "vocabulary_id is required for the type %s.", f.Type)
	case f.hasTerms() && v == nil:
		p.Add("vocabulary_id", "The selected vocabulary_id is invalid.")
	case !f.hasTerms() && f.VocabularyID != 0:
		p.Add("vocabulary_id", "A field of the type %s has no vocabulary.", f.Type)
	}
	f.checkValidation(&p)
	f.checkXMP(&p, s)
	f.ready = true
	if p.Err() == nil && f.Default != nil {
		f.Default = p.value("default_value", s, f, f.Default, nil)
	}
	return p.Err()
}

// prepare makes the bounds ready for use, or reports that it cannot.
func (f *Field) prepare() error {
	var p Problems
	f.checkValidation(&p)
	return p.Err()
}

func (f *Field) checkValidation(p *Problems) {
	f.lo, f.hi, f.pattern = f.bound(p, "min", &f.Validation.Min), f.bound(p, "max", &f.Validation.Max), nil
	if f.lo != nil && f.hi != nil && compareBounds(f.lo, f.hi) > 0 {
		p.Add("validation.max", "validation.max may not be less than validation.min.")
	}
	longest := f.kind().maxLength
	switch n := f.Validation.MaxLength; {
	case n == 0:
	case longest == 0:
		p.Add("validation.max_length", "A field of the type %s has no max_length.", f.Type)
	default:
		p.between("validation.max_length", int64(n), 1, int64(longest))
	}
	switch text := f.Validation.Pattern; {
	case text == "":
	case longest == 0:
		p.Add("validation.pattern", "A field of the type %s has no pattern.", f.Type)
	default:
		var err error
		if f.pattern, err = compilePattern(text); err != nil {
			p.Add("validation.pattern", "validation.pattern is invalid: %s.", err)
		}
	}
}

// bound reads one end of the validation as what the field's type compares.
func (f *Field) bound(p *Problems, end string, raw *any) any {
	path := "validation." + end
	read := f.kind().bound
	switch {
	case *raw == nil:
	case read == nil:
		p.Add(path, "A field of the type %s has no %s.", f.Type, end)
	default:
		v, problem := read(*raw)
		if problem == "" {
			*raw = v
			return v
		}
		p.Add(path, "%s %s", path, problem)
	}
	return nil
}

// compareBounds compares two numbers, or two texts of the same type of date.
func compareBounds(a, b any) int {
	if x, ok := a.(float64); ok {
		return cmp.Compare(x, b.(float64))
	}
	return strings.Compare(a.(string), b.(string))
}

// compilePattern compiles a pattern so that it matches whole texts only.
func compilePattern(text string) (*regexp.Regexp, error) {
	if n := len([]rune(text)); n > MaxPattern {
		return nil, fmt.Errorf("it has more than %d characters", MaxPattern)
	}
	if _, err := syntax.Parse(text, syntax.Perl); err != nil { // by itself, not with what is put around it
		if wrong, ok := errors.AsType[*syntax.Error](err); ok {
			return nil, fmt.Errorf("%s in %q", wrong.Code, wrong.Expr)
		}
		return nil, errors.New("it is not a regular expression")
	}
	whole := `^(?:` + text + `)$`
	tree, err := syntax.Parse(whole, syntax.Perl)
	if err != nil {
		return nil, err
	}
	prog, err := syntax.Compile(tree.Simplify())
	if err != nil {
		return nil, err
	}
	if len(prog.Inst) > maxProgram {
		return nil, fmt.Errorf("it is too complex: repetitions count as often as they repeat")
	}
	return regexp.Compile(whole)
}
