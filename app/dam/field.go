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

// The limits of the definitions of a library.
const (
	MaxFields       = 500
	MaxVocabularies = 200
	MaxTerms        = 50_000  // of one vocabulary
	MaxAllTerms     = 250_000 // in all vocabularies, because they are kept in memory
	MaxTermDepth    = 10      // levels of nested terms
	MaxPattern      = 500     // characters
	MaxAssetClasses = 1000
	// maxProgram is the maximum number of instructions in a compiled pattern. Matching
	// takes at most this number times the number of characters.
	maxProgram = 1000
	// maxInteger is the largest integer up to which JSON parsers preserve all integers (RFC
	// 8259 section 6).
	maxInteger = 1<<53 - 1
)

// Field defines a custom field.
type Field struct {
	Key           string // permanent name: lower-case letters, digits, underscores
	Label         string // 1 to 255 characters
	Description   string // up to 2,000 characters
	Type          FieldType
	VocabularyID  int64 // for the types term and terms, otherwise 0
	IsRequired    bool  // for changes by users
	IsSearchable  bool  // included in the full-text search
	IsFilterable  bool  // available in filters and facets
	Default       any   // nil for none
	Validation    FieldValidation
	AssetClassIDs []int64 // classes whose assets have the field; empty for all
	Position      int     // sort order from 0, then by key
	// XMPPath is the XMP property that fills the field during ingestion and is written to
	// copies with metadata; "" for none.
	XMPPath string
	// AcceptsNewTerms lets ingested files add missing terms to the vocabulary.
	AcceptsNewTerms bool
	CreatedAt       time.Time
	UpdatedAt       time.Time

	ready   bool           // the following fields are derived from Validation
	pattern *regexp.Regexp // anchored to the whole text
	lo, hi  any            // in the type of the values
}

// FieldValidation restricts new values of a field. Existing values of assets are kept.
type FieldValidation struct {
	// Min and Max limit values of the types integer and number (as numbers), of the types
	// date and datetime (as dates), and the number of terms in a value of the type terms.
	// Nil means no limit.
	Min any `json:"min,omitempty"`
	Max any `json:"max,omitempty"`
	// MaxLength is the maximum number of characters of a text; 0 for the maximum of its
	// type.
	MaxLength int `json:"max_length,omitempty"`
	// Pattern is a regular expression (RE2) that the whole text must match.
	Pattern string `json:"pattern,omitempty"`
}

// AppliesTo reports whether assets of a class have the field. Class 0 means no class.
func (f *Field) AppliesTo(class int64) bool {
	return len(f.AssetClassIDs) == 0 || class == anyClass || class != 0 && slices.Contains(f.AssetClassIDs, class)
}

// anyClass is a class that is not known yet.
const anyClass = -1

// Validate checks f against the definitions in s and prepares its limits and its default.
// It does not check asset classes.
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

// prepare compiles the validation, or returns an error.
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

// bound parses one limit of the validation in the type that the field compares.
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

// compareBounds compares two numbers, or two date strings of the same type.
func compareBounds(a, b any) int {
	if x, ok := a.(float64); ok {
		return cmp.Compare(x, b.(float64))
	}
	return strings.Compare(a.(string), b.(string))
}

// compilePattern compiles a pattern that must match the whole text.
func compilePattern(text string) (*regexp.Regexp, error) {
	if n := len([]rune(text)); n > MaxPattern {
		return nil, fmt.Errorf("it has more than %d characters", MaxPattern)
	}
	if _, err := syntax.Parse(text, syntax.Perl); err != nil { // checks the pattern without the anchors
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
