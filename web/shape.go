package web

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/digital-asset-library/dal/app/dam"
)

// Limits on the structure of a JSON body.
const (
	maxDepth  = 64      // nesting of objects and lists
	maxValues = 200_000 // total number of values
	maxList   = 10_000  // items of a list without a limit in the document
	maxName   = 400     // bytes kept of a name in a path; an error repeats fewer
)

// Phrases in addition to huma's.
const (
	twiceThere    = "the member occurs twice"
	tooManyValues = "expected values <= "
)

// shape walks through a body once before it is parsed, and counts. A body that passes is
// small enough to be parsed and validated in memory.
type shape struct {
	schemas huma.Registry
	json    []byte // valid
	at      int
	values  int
	path    []string
	wrong   *dam.Problems
	known   []byte // the body before rest, without the members in wrong
	rest    int
}

// checkShape adds the unknown and duplicate members of a body to wrong, and returns the body
// without them. If the body should not be parsed, since it is nested too deeply, has too many
// values, or a list longer than its schema allows, it returns an error, which includes the
// problems found so far. Invalid JSON is left to the parser.
func checkShape(schemas huma.Registry, schema *huma.Schema, body []byte, wrong *dam.Problems) ([]byte, error) {
	if !json.Valid(body) {
		return body, nil
	}
	s := &shape{schemas: schemas, json: body, path: []string{"body"}, wrong: wrong}
	if err := s.value(schema, 0); err != nil {
		return nil, err
	}
	if s.rest == 0 {
		return body, nil
	}
	return append(s.known, body[s.rest:]...), nil
}

// note records a problem at the current location.
func (s *shape) note(msg string) {
	if s.wrong.Full() {
		s.wrong.Skip(1)
		return
	}
	addProblem(s.wrong, &huma.ErrorDetail{Location: strings.Join(s.path, "."), Message: msg})
}

// stop returns the error that aborts the walk.
func (s *shape) stop(msg string) error {
	s.note(msg)
	return s.wrong.Err()
}

// cut leaves a range out of the body.
func (s *shape) cut(from, to int) {
	s.known, s.rest = append(s.known, s.json[s.rest:from]...), to
}

// under checks the next value, which has the given name or index. msg is the problem with
// the name; "" for nothing.
func (s *shape) under(name, msg string, schema *huma.Schema, depth int) error {
	s.path = append(s.path, clip(name, maxName))
	if msg != "" {
		s.note(msg)
	}
	if err := s.value(schema, depth); err != nil {
		return err
	}
	s.path = s.path[:len(s.path)-1]
	return nil
}

func (s *shape) value(schema *huma.Schema, depth int) error {
	if s.values++; s.values > maxValues {
		s.path = s.path[:1]
		return s.stop(tooManyValues + itoa(maxValues))
	}
	switch s.peek() {
	case '"':
		s.text()
		return nil
	case '{', '[':
	default: // a number, true, false, null
		for s.at < len(s.json) && strings.IndexByte(",]} \t\r\n", s.json[s.at]) < 0 {
			s.at++
		}
		return nil
	}
	if depth++; depth > maxDepth {
		return &apiError{status: http.StatusBadRequest, Message: "The request body is nested more than " + itoa(maxDepth) + " levels deep."}
	}
	for schema != nil && schema.Ref != "" {
		schema = s.schemas.SchemaFromRef(schema.Ref)
	}
	if s.json[s.at] == '[' {
		return s.list(schema, depth)
	}
	return s.object(schema, depth)
}

// peek skips white space and separators and returns the next byte.
func (s *shape) peek() byte {
	for {
		switch c := s.json[s.at]; c {
		case ' ', '\t', '\r', '\n', ',', ':':
			s.at++
		default:
			return c
		}
	}
}

// text skips a string and returns it as written, with its quotes.
func (s *shape) text() []byte {
	from := s.at
	for s.at++; s.json[s.at] != '"'; s.at++ {
		if s.json[s.at] == '\\' {
			s.at++
		}
	}
	s.at++
	return s.json[from:s.at]
}

// more skips to the next value of an object or list, or past its end.
func (s *shape) more() bool {
	if c := s.peek(); c == '}' || c == ']' {
		s.at++
		return false
	}
	return true
}

func (s *shape) list(schema *huma.Schema, depth int) error {
	most := maxValues
	var items *huma.Schema
	if schema != nil && schema.Type == huma.TypeArray {
		if items, most = schema.Items, maxList; schema.MaxItems != nil {
			most = *schema.MaxItems
		}
	}
	s.at++
	for n := 0; s.more(); n++ {
		if n == most {
			return s.stop("expected array length <= " + itoa(int64(most)))
		}
		if err := s.under(strconv.Itoa(n), "", items, depth); err != nil {
			return err
		}
	}
	return nil
}

func (s *shape) object(schema *huma.Schema, depth int) error {
	seen := map[string]struct{}{}
	closed := false
	if schema != nil {
		additional, isBool := schema.AdditionalProperties.(bool)
		closed = isBool && !additional
	}
	s.at++
	kept := false
	for from := s.at; s.more(); from = s.at {
		var name string
		_ = json.Unmarshal(s.text(), &name) // valid
		_, twice := seen[name]
		seen[name] = struct{}{}
		var member *huma.Schema
		if schema != nil {
			member = schema.Properties[name]
		}
		msg := ""
		switch {
		case twice:
			msg = twiceThere
		case member == nil && closed:
			msg = "unexpected property"
		case member == nil && schema != nil:
			member, _ = schema.AdditionalProperties.(*huma.Schema)
		}
		if msg != "" {
			member = nil // its value is not checked
		}
		if err := s.under(name, msg, member, depth); err != nil {
			return err
		}
		if msg == "" {
			kept = true
			continue
		}
		if !kept { // the comma after it goes too, otherwise the one before it
			s.peek()
		}
		s.cut(from, s.at)
	}
	return nil
}
