package dam

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"time"
)

// FieldType says what values a custom field has.
type FieldType string

// The types of custom fields, and how JSON has their values.
const (
	FieldText     FieldType = "text"      // a text of up to 1,000 characters
	FieldLongText FieldType = "long_text" // a text of up to 100,000 characters
	FieldInteger  FieldType = "integer"   // a number without a fraction, within ±(2⁵³-1)
	FieldNumber   FieldType = "number"    // an IEEE 754 double, finite
	FieldBoolean  FieldType = "boolean"
	FieldDate     FieldType = "date"     // "2026-01-31"
	FieldDatetime FieldType = "datetime" // "2026-01-31T06:12:00.000Z", always UTC
	FieldTerm     FieldType = "term"     // the key of a term
	FieldTerms    FieldType = "terms"    // a list of keys of terms, each once
	FieldURL      FieldType = "url"      // http or https, up to 2,000 characters
)

// Values lists the types of custom fields.
func (FieldType) Values() []FieldType {
	return []FieldType{FieldText, FieldLongText, FieldInteger, FieldNumber, FieldBoolean, FieldDate, FieldDatetime, FieldTerm, FieldTerms, FieldURL}
}

// hasTerms reports whether values of the type are terms of a vocabulary.
func (t FieldType) hasTerms() bool { return t == FieldTerm || t == FieldTerms }

func (t FieldType) isText() bool { return t == FieldText || t == FieldLongText || t == FieldURL }

func (t FieldType) isNumber() bool { return t == FieldInteger || t == FieldNumber }

func (t FieldType) isDate() bool { return t == FieldDate || t == FieldDatetime }

// maxLength is the most characters that a text of the type may have.
func (t FieldType) maxLength() int {
	switch t {
	case FieldText:
		return MaxLine
	case FieldURL:
		return 2000
	}
	return MaxText
}

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
	CreatedAt     time.Time
	UpdatedAt     time.Time

	ready   bool           // what follows is made from Validation
	pattern *regexp.Regexp // around the whole text
	lo, hi  any            // as values of the type
}

// FieldValidation narrows what values a field takes when they are written.
// What assets had before stays.
type FieldValidation struct {
	// Min and Max bound values of the types integer and number (a number), date
	// and datetime (such a text), and how many terms a value of the type terms
	// has. Nil is no bound.
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

// anyClass stands for a class that is not known yet.
const anyClass = -1

const maxPosition = 1_000_000

// After returns the position of what comes after a position, which is the same
// when there is none after it.
func After(position int) int { return min(position+1, maxPosition) }

func (p *Problems) key(field, key string) {
	if !metadataKey.MatchString(key) {
		p.Add(field, "The %s field has lower-case letters, digits and underscores, starts with a letter and has at most 64 characters.", field)
	}
}

// Validate reports what is wrong with f among the definitions of s, and makes
// its bounds and its default ready for use. It does not know asset classes.
func (f *Field) Validate(s *Schema) error {
	var p Problems
	p.key("key", f.Key)
	p.name("label", f.Label, 1, 255)
	p.length("description", f.Description, 0, 2000)
	if f.Position < 0 || f.Position > maxPosition {
		p.Add("position", "The position field must be between 0 and %d.", maxPosition)
	}
	if !Valid(f.Type) {
		p.Add("type", "The selected type is invalid; it must be one of %s.", listed(Values[FieldType]()))
		return p.Err()
	}
	switch v := s.vocabulary(f.VocabularyID); {
	case f.Type.hasTerms() && f.VocabularyID == 0:
		p.Add("vocabulary_id", "The vocabulary id field is required for the type %s.", f.Type)
	case f.Type.hasTerms() && v == nil:
		p.Add("vocabulary_id", "The selected vocabulary id is invalid.")
	case !f.Type.hasTerms() && f.VocabularyID != 0:
		p.Add("vocabulary_id", "A field of the type %s has no vocabulary.", f.Type)
	}
	f.checkValidation(&p)
	f.ready = true
	if p.Err() == nil && f.Default != nil {
		f.Default = p.value("default_value", s, f, f.Default, nil)
	}
	return p.Err()
}

// prepare makes the bounds ready for use and reports whether they can be.
func (f *Field) prepare() error {
	var p Problems
	f.checkValidation(&p)
	return p.Err()
}

func (f *Field) checkValidation(p *Problems) {
	f.lo, f.hi, f.pattern = f.bound(p, "min", &f.Validation.Min), f.bound(p, "max", &f.Validation.Max), nil
	if f.lo != nil && f.hi != nil && compareBounds(f.lo, f.hi) > 0 {
		p.Add("validation.max", "The validation.max field must not be less than validation.min.")
	}
	switch n := f.Validation.MaxLength; {
	case n == 0:
	case !f.Type.isText():
		p.Add("validation.max_length", "A field of the type %s has no max_length.", f.Type)
	case n < 0 || n > f.Type.maxLength():
		p.Add("validation.max_length", "The validation.max_length field must be between 1 and %d.", f.Type.maxLength())
	}
	switch text := f.Validation.Pattern; {
	case text == "":
	case !f.Type.isText():
		p.Add("validation.pattern", "A field of the type %s has no pattern.", f.Type)
	default:
		var err error
		if f.pattern, err = compilePattern(text); err != nil {
			p.Add("validation.pattern", "The validation.pattern field is invalid: %s.", err)
		}
	}
}

// bound reads one end of the validation as a value of the field's type.
func (f *Field) bound(p *Problems, end string, raw *any) any {
	path := "validation." + end
	switch {
	case *raw == nil:
	case f.Type.isNumber():
		n, ok := toNumber(*raw)
		if ok {
			*raw = n
			return n
		}
		p.Add(path, "The %s field must be a number.", path)
	case f.Type == FieldTerms:
		n, ok := toNumber(*raw)
		if ok && n == float64(int(n)) && n >= 0 && n <= MaxKeywords {
			*raw = n
			return n
		}
		p.Add(path, "The %s field must be a number of terms, between 0 and %d.", path, MaxKeywords)
	case f.Type.isDate():
		s, ok := dateText(f.Type, *raw)
		if ok {
			*raw = s
			return s
		}
		p.Add(path, "The %s field must be %s.", path, dateExample(f.Type))
	default:
		p.Add(path, "A field of the type %s has no %s.", f.Type, end)
	}
	return nil
}

// compareBounds compares two numbers, or two texts of the same type of date.
func compareBounds(a, b any) int {
	if x, ok := a.(float64); ok {
		switch y := b.(float64); {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
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
		return nil, errors.New("it is no regular expression")
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
