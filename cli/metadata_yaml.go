package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/digital-asset-library/dal/app/dam"
)

// maxDefinitionsFile is the maximum size of a file of definitions in bytes.
const maxDefinitionsFile = 4 << 20

// readDefinitions reads definitions from YAML (https://yaml.org/spec/1.2.2/). Unknown
// members are errors, reported with their lines, and so are aliases, which can make a small
// file expand to a huge one.
func readDefinitions(r io.Reader) (*dam.Definitions, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxDefinitionsFile+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxDefinitionsFile {
		return nil, fmt.Errorf("the file is larger than %d MiB", maxDefinitionsFile>>20)
	}
	dec := yaml.NewDecoder(bytes.NewReader(text))
	var doc, more yaml.Node
	if err := dec.Decode(&doc); errors.Is(err, io.EOF) {
		return nil, errors.New("the file is empty")
	} else if err != nil {
		return nil, err
	}
	if err := dec.Decode(&more); err == nil {
		return nil, fmt.Errorf("line %d: only one document is allowed", more.Line)
	} else if !errors.Is(err, io.EOF) {
		return nil, err
	}
	d := &dam.Definitions{}
	y := yamlReader{}
	for _, n := range doc.Content {
		y.members(n, "the file", map[string]func(*yaml.Node){
			"asset_classes": func(n *yaml.Node) {
				d.AssetClasses = items(&y, n, func(n *yaml.Node) (c dam.ClassDefinition) {
					c.Line = n.Line
					y.text(&c.Name)(n)
					return c
				})
			},
			"vocabularies": func(n *yaml.Node) { d.Vocabularies = items(&y, n, y.vocabulary) },
			"fields":       func(n *yaml.Node) { d.Fields = items(&y, n, y.field) },
		})
	}
	if err := y.Err(); err != nil {
		return nil, err
	}
	return d, d.Validate()
}

// yamlReader reads YAML nodes and collects their problems.
type yamlReader struct {
	dam.Problems
	wrong int
}

// maxYAMLProblems is the maximum number of problems reported for a file.
const maxYAMLProblems = 20

func (y *yamlReader) problem(n *yaml.Node, format string, args ...any) {
	if y.wrong++; y.wrong <= maxYAMLProblems {
		y.AtLine(n.Line, format, args...)
	}
}

// is checks the kind of a node.
func (y *yamlReader) is(n *yaml.Node, kind yaml.Kind, what string) bool {
	if n.Kind == yaml.AliasNode {
		y.problem(n, "Aliases are not supported; replace *%s by its value.", n.Value)
		return false
	}
	if n.Kind != kind {
		y.problem(n, "Expected %s here.", what)
	}
	return n.Kind == kind
}

// null reports whether a node has no value.
func null(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" }

// members reads a mapping, passing each member to the function for its name.
func (y *yamlReader) members(n *yaml.Node, what string, known map[string]func(*yaml.Node)) {
	if !y.is(n, yaml.MappingNode, "a mapping with the members of "+what) {
		return
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, v := n.Content[i], n.Content[i+1]
		read := known[key.Value]
		switch {
		case key.Kind != yaml.ScalarNode || read == nil:
			y.problem(key, "Unknown member %q of %s; it can have %s.", key.Value, what, strings.Join(sortedNames(known), ", "))
		case seen[key.Value]:
			y.problem(key, "The member %s appears twice.", key.Value)
		case !null(v):
			read(v)
		}
		seen[key.Value] = true
	}
}

// items reads a list; the result is never nil.
func items[T any](y *yamlReader, n *yaml.Node, read func(*yaml.Node) T) []T {
	list := []T{}
	if y.is(n, yaml.SequenceNode, "a list") {
		for _, item := range n.Content {
			list = append(list, read(item))
		}
	}
	return list
}

// text reads a scalar literally.
func (y *yamlReader) text(to *string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		if y.is(n, yaml.ScalarNode, "a text") {
			*to = n.Value
		}
	}
}

func (y *yamlReader) boolean(to *bool) func(*yaml.Node) {
	return func(n *yaml.Node) {
		if !y.is(n, yaml.ScalarNode, "true or false") {
			return
		}
		switch n.Value {
		case "true":
			*to = true
		case "false":
			*to = false
		default:
			y.problem(n, "Expected true or false here.")
		}
	}
}

// value reads a text, number or boolean, or a list of them. Dates are texts.
func (y *yamlReader) value(n *yaml.Node) any {
	if n.Kind == yaml.SequenceNode {
		list := []any{}
		for _, item := range n.Content {
			if y.is(item, yaml.ScalarNode, "a text, a number or a boolean") {
				list = append(list, y.value(item))
			}
		}
		return list
	}
	if !y.is(n, yaml.ScalarNode, "a text, a number, a boolean or a list of them") {
		return nil
	}
	switch n.ShortTag() {
	case "!!null":
		return nil
	case "!!int", "!!float":
		var f float64
		if err := n.Decode(&f); err != nil {
			y.problem(n, "%s is not a valid number.", n.Value)
		}
		return f
	case "!!bool":
		var b bool
		if err := n.Decode(&b); err != nil {
			y.problem(n, "Expected true or false here.")
		}
		return b
	}
	return n.Value
}

func (y *yamlReader) vocabulary(n *yaml.Node) dam.VocabularyDefinition {
	v := dam.VocabularyDefinition{Line: n.Line}
	y.members(n, "a vocabulary", map[string]func(*yaml.Node){
		"key": y.text(&v.Key), "name": y.text(&v.Name), "description": y.text(&v.Description),
		"terms": func(n *yaml.Node) { v.Terms = y.terms(n, 1) },
	})
	return v
}

func (y *yamlReader) terms(n *yaml.Node, depth int) []dam.TermDefinition {
	if depth > dam.MaxTermDepth {
		y.problem(n, "Terms can be at most %d deep.", dam.MaxTermDepth)
		return nil
	}
	return items(y, n, func(n *yaml.Node) dam.TermDefinition {
		t := dam.TermDefinition{Line: n.Line, IsActive: true}
		y.members(n, "a term", map[string]func(*yaml.Node){
			"key": y.text(&t.Key), "label": y.text(&t.Label), "is_active": y.boolean(&t.IsActive),
			"terms": func(n *yaml.Node) { t.Terms = y.terms(n, depth+1) },
		})
		return t
	})
}

func (y *yamlReader) field(n *yaml.Node) dam.FieldDefinition {
	f := dam.FieldDefinition{Line: n.Line}
	f.IsSearchable, f.IsFilterable = true, true
	v := &f.Validation
	y.members(n, "a field", map[string]func(*yaml.Node){
		"key": y.text(&f.Key), "label": y.text(&f.Label), "description": y.text(&f.Description), "type": y.text((*string)(&f.Type)),
		"vocabulary": y.text(&f.Vocabulary), "is_required": y.boolean(&f.IsRequired), "is_searchable": y.boolean(&f.IsSearchable),
		"is_filterable": y.boolean(&f.IsFilterable), "xmp_path": y.text(&f.XMPPath), "accepts_new_terms": y.boolean(&f.AcceptsNewTerms),
		"default_value": func(n *yaml.Node) { f.Default = y.value(n) },
		"validation": func(n *yaml.Node) {
			y.members(n, "a validation", map[string]func(*yaml.Node){
				"min": func(n *yaml.Node) { v.Min = y.value(n) }, "max": func(n *yaml.Node) { v.Max = y.value(n) },
				"max_length": func(n *yaml.Node) {
					if !y.is(n, yaml.ScalarNode, "a number") {
						return
					}
					if err := n.Decode(&v.MaxLength); err != nil || v.MaxLength < 1 {
						y.problem(n, "Expected a number of characters, at least 1.")
					}
				},
				"pattern": y.text(&v.Pattern),
			})
		},
		"asset_classes": func(n *yaml.Node) {
			f.AssetClasses = items(y, n, func(n *yaml.Node) (name string) {
				y.text(&name)(n)
				return name
			})
		},
	})
	return f
}

// The structure of definitions in YAML, for writing.
type (
	yamlDefinitions struct {
		AssetClasses []string         `yaml:"asset_classes"`
		Vocabularies []yamlVocabulary `yaml:"vocabularies"`
		Fields       []yamlField      `yaml:"fields"`
	}
	yamlVocabulary struct {
		Key         string
		Name        string
		Description string     `yaml:",omitempty"`
		Terms       []yamlTerm `yaml:",omitempty"`
	}
	yamlTerm struct {
		Key      string
		Label    string
		IsActive *bool      `yaml:"is_active,omitempty"` // absent if true, like all pointers below
		Terms    []yamlTerm `yaml:",omitempty"`
	}
	yamlField struct {
		Key          string
		Label        string
		Description  string `yaml:",omitempty"`
		Type         dam.FieldType
		Vocabulary   string          `yaml:",omitempty"`
		IsRequired   bool            `yaml:"is_required,omitempty"`
		IsSearchable *bool           `yaml:"is_searchable,omitempty"`
		IsFilterable *bool           `yaml:"is_filterable,omitempty"`
		DefaultValue any             `yaml:"default_value,omitempty"`
		Validation   *yamlValidation `yaml:",omitempty"`
		AssetClasses []string        `yaml:"asset_classes,omitempty"`
		XMPPath      string          `yaml:"xmp_path,omitempty"`
		NewTerms     bool            `yaml:"accepts_new_terms,omitempty"`
	}
	yamlValidation struct {
		Min       any    `yaml:",omitempty"`
		Max       any    `yaml:",omitempty"`
		MaxLength int    `yaml:"max_length,omitempty"`
		Pattern   string `yaml:",omitempty"`
	}
)

// writeDefinitions writes definitions as YAML.
func writeDefinitions(w io.Writer, d *dam.Definitions) error {
	out := yamlDefinitions{AssetClasses: []string{}, Vocabularies: []yamlVocabulary{}, Fields: []yamlField{}}
	for _, c := range d.AssetClasses {
		out.AssetClasses = append(out.AssetClasses, c.Name)
	}
	for _, v := range d.Vocabularies {
		out.Vocabularies = append(out.Vocabularies, yamlVocabulary{v.Key, v.Name, v.Description, toYAMLTerms(v.Terms)})
	}
	for _, f := range d.Fields {
		y := yamlField{
			Key: f.Key, Label: f.Label, Description: f.Description, Type: f.Type, Vocabulary: f.Vocabulary,
			IsRequired: f.IsRequired, IsSearchable: unlessTrue(f.IsSearchable), IsFilterable: unlessTrue(f.IsFilterable),
			DefaultValue: f.Default, AssetClasses: f.AssetClasses, XMPPath: f.XMPPath, NewTerms: f.AcceptsNewTerms,
		}
		if f.Validation != (dam.FieldValidation{}) {
			v := yamlValidation(f.Validation)
			y.Validation = &v
		}
		out.Fields = append(out.Fields, y)
	}
	enc := yaml.NewEncoder(w)
	enc.SetIndent(2)
	return errors.Join(enc.Encode(out), enc.Close())
}

func toYAMLTerms(terms []dam.TermDefinition) (list []yamlTerm) {
	for _, t := range terms {
		list = append(list, yamlTerm{t.Key, t.Label, unlessTrue(t.IsActive), toYAMLTerms(t.Terms)})
	}
	return list
}

func unlessTrue(b bool) *bool {
	if b {
		return nil
	}
	return &b
}
