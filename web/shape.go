package web

import (
	"context"
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
	maxName   = 200     // bytes of a member's name repeated in an error
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
	errs    []error // unknown members, up to dam.MaxProblems
	unknown int
}

// checkShape reports why a body should not be parsed: it is nested too deeply, has too many
// values, a duplicate member, a list longer than its schema allows, or more unknown members
// than an error should list. Invalid JSON is left to the parser.
func checkShape(schemas huma.Registry, schema *huma.Schema, body []byte) error {
	if !json.Valid(body) {
		return nil
	}
	s := &shape{schemas: schemas, json: body, path: []string{"body"}}
	if err := s.value(schema, 0); err != nil {
		return err
	}
	if s.unknown <= dam.MaxProblems {
		return nil
	}
	return invalid(s.errs, s.unknown-len(s.errs))
}

// invalid returns the answer to a request with errors found by huma, or by our checks in
// its phrases; skipped counts those not in errs.
func invalid(errs []error, skipped int) *apiError {
	return toAPI(context.Background(), nil, problems(dam.Problems{}, errs, skipped))
}

// here returns an error at the current location, in huma's format.
func (s *shape) here(msg string) *huma.ErrorDetail {
	return &huma.ErrorDetail{Location: strings.Join(s.path, "."), Message: msg}
}

// stop returns the error that aborts the walk.
func (s *shape) stop(msg string) error { return invalid([]error{s.here(msg)}, 0) }

// under checks the next value, which has the given name or index.
func (s *shape) under(name string, schema *huma.Schema, depth int) error {
	s.path = append(s.path, clip(name, maxName))
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
		if err := s.under(strconv.Itoa(n), items, depth); err != nil {
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
	for s.more() {
		var name string
		_ = json.Unmarshal(s.text(), &name) // valid
		if _, twice := seen[name]; twice {
			s.path = append(s.path, clip(name, maxName))
			return s.stop(twiceThere)
		}
		seen[name] = struct{}{}
		var member *huma.Schema
		if schema != nil {
			member = schema.Properties[name]
		}
		if member == nil && closed {
			s.note(name)
		}
		if member == nil && schema != nil {
			member, _ = schema.AdditionalProperties.(*huma.Schema)
		}
		if err := s.under(name, member, depth); err != nil {
			return err
		}
	}
	return nil
}

// note records an unknown member.
func (s *shape) note(name string) {
	if s.unknown++; len(s.errs) >= dam.MaxProblems {
		return
	}
	s.path = append(s.path, clip(name, maxName))
	s.errs = append(s.errs, s.here("unexpected property"))
	s.path = s.path[:len(s.path)-1]
}
