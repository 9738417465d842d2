package dam

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Filter is a node of the filter language: a group of rules, or one rule.
type Filter struct {
	// Group says that the node is a group: all of Rules have to hold, or with
	// Any one of them. Of a group without rules all hold for every asset, and
	// any for none.
	Group, Any bool
	Rules      []*Filter

	// Of a rule. What the value is depends on the type of the field and on the
	// operator; see FilterValue.
	Field    FilterField
	Operator FilterOperator
	Value    FilterValue
}

// FilterField is a field that a rule is about.
type FilterField struct {
	Name string // without "asset." or "metadata."; "" for the field asset, all text
	Type FilterType
}

// FilterType says what a field holds and so which operators it has.
type FilterType uint8

// The types of fields.
const (
	FilterText     FilterType = iota // one text
	FilterPlain                      // one text that full-text search does not know
	FilterEnum                       // one of a few words
	FilterNumber                     // a number, or nothing
	FilterDate                       // an instant, or nothing
	FilterSet                        // a set of texts
	FilterIDs                        // a set of ids
	FilterColors                     // the palette
	FilterAll                        // all text of an asset
	FilterMetadata                   // a custom field: a text, a number, a boolean, or a set of texts
	FilterNone                       // what no rule can be about
)

// FilterOperator names how a field is compared with a value.
type FilterOperator string

// The operators. Each negative one finds exactly what its positive one does
// not, assets without a value included.
const (
	OpEquals             FilterOperator = "equals"
	OpNotEquals          FilterOperator = "not_equals"
	OpContains           FilterOperator = "contains"
	OpNotContains        FilterOperator = "not_contains"
	OpStartsWith         FilterOperator = "starts_with"
	OpEndsWith           FilterOperator = "ends_with"
	OpGreaterThan        FilterOperator = "greater_than"
	OpGreaterThanOrEqual FilterOperator = "greater_than_or_equal"
	OpLessThan           FilterOperator = "less_than"
	OpLessThanOrEqual    FilterOperator = "less_than_or_equal"
	OpIn                 FilterOperator = "in"
	OpNotIn              FilterOperator = "not_in"
	OpBetween            FilterOperator = "between"
	OpIsEmpty            FilterOperator = "is_empty"
	OpIsNotEmpty         FilterOperator = "is_not_empty"
	OpHybridSearch       FilterOperator = "hybrid_search"
	OpExactSearch        FilterOperator = "exact_search"
	OpColorEquals        FilterOperator = "color_equals"
	OpColorNear          FilterOperator = "color_near"
)

// Values lists the operators, in the order of the contract.
func (FilterOperator) Values() []FilterOperator {
	return []FilterOperator{
		OpEquals, OpNotEquals, OpContains, OpNotContains, OpStartsWith, OpEndsWith,
		OpGreaterThan, OpGreaterThanOrEqual, OpLessThan, OpLessThanOrEqual,
		OpIn, OpNotIn, OpBetween, OpIsEmpty, OpIsNotEmpty,
		OpHybridSearch, OpExactSearch, OpColorEquals, OpColorNear,
	}
}

// Positive returns the operator without its negation, and whether it had one.
func (o FilterOperator) Positive() (FilterOperator, bool) {
	switch o {
	case OpNotEquals:
		return OpEquals, true
	case OpNotContains:
		return OpContains, true
	case OpNotIn:
		return OpIn, true
	case OpIsNotEmpty:
		return OpIsEmpty, true
	}
	return o, false
}

// FilterValue is the value of a rule. Exactly one of the slices is filled, or
// for a custom field those of them as which the value can be read; all are
// empty for is_empty. Several items are the choices of in, the set that equals
// asks for, or the two ends of between.
type FilterValue struct {
	Texts   []string
	Numbers []float64
	Dates   []DateRange
	IDs     []int64
	Bools   []bool
	Color   *ColorRange
}

// DateRange is the time that a date stands for: a day in UTC, or one
// millisecond. It goes from From to just before To, both in milliseconds since
// 1970.
type DateRange struct{ From, To int64 }

// ColorRange is the colours within a distance (CIEDE2000) of one.
type ColorRange struct {
	R, G, B  uint8 // sRGB
	Distance float64
}

// The bounds of a filter document.
const (
	MaxFilterDepth  = 10 // groups in groups
	MaxFilterRules  = 200
	MaxFilterText   = 1000    // characters of a value
	MaxFilterValues = 1000    // items of a value
	MaxFilterTerms  = 200_000 // terms that all rules stand for, with those below them

	// The distances (CIEDE2000) up to which a colour counts as equal, or as near
	// when the rule says nothing else.
	ColorEqualDistance = 5
	ColorNearDistance  = 20
)

// filterFields are the fields beside metadata.{key}: those that people can change
// and what else there is to know about an asset.
var filterFields = func() map[string]FilterType {
	fields := map[string]FilterType{
		"asset":                    FilterAll,
		"asset.original_filename":  FilterText,
		"asset.ocr_text":           FilterText,
		"asset.mime_type":          FilterPlain,
		"asset.extension":          FilterPlain,
		"asset.file_category":      FilterEnum,
		"asset.processing_status":  FilterEnum,
		"asset.width":              FilterNumber,
		"asset.height":             FilterNumber,
		"asset.duration":           FilterNumber,
		"asset.page_count":         FilterNumber,
		"asset.file_size":          FilterNumber,
		"asset.ingestion_batch_id": FilterNumber,
		"asset.created_at":         FilterDate,
		"asset.updated_at":         FilterDate,
		"asset.collections":        FilterIDs,
		"asset.colors":             FilterColors,
	}
	for _, f := range assetFields {
		if f.Filter != FilterNone {
			fields["asset."+f.Name] = f.Filter
		}
	}
	return fields
}()

// operators returns the operators of a type, in the order of the contract.
func (t FilterType) operators() []FilterOperator {
	var (
		same  = []FilterOperator{OpEquals, OpNotEquals}
		part  = []FilterOperator{OpContains, OpNotContains}
		ends  = []FilterOperator{OpStartsWith, OpEndsWith}
		order = []FilterOperator{OpGreaterThan, OpGreaterThanOrEqual, OpLessThan, OpLessThanOrEqual}
		many  = []FilterOperator{OpIn, OpNotIn}
		empty = []FilterOperator{OpIsEmpty, OpIsNotEmpty}
		text  = []FilterOperator{OpHybridSearch, OpExactSearch}
		span  = []FilterOperator{OpBetween}
	)
	switch t {
	case FilterText, FilterSet:
		return slices.Concat(same, part, ends, many, empty, text)
	case FilterPlain:
		return slices.Concat(same, part, ends, many, empty)
	case FilterEnum:
		return slices.Concat(same, many, empty)
	case FilterNumber, FilterDate:
		return slices.Concat(same, order, many, span, empty)
	case FilterIDs:
		return slices.Concat(same, part, many, empty)
	case FilterColors:
		return slices.Concat(empty, []FilterOperator{OpColorEquals, OpColorNear})
	case FilterAll:
		return text
	default:
		return slices.Concat(same, part, ends, order, many, span, empty, text)
	}
}

// enumValues returns the words of a field of type FilterEnum.
func enumValues(field string) []string {
	switch field {
	case "file_category":
		return words[FileCategory]()
	case "workflow_status":
		return words[WorkflowStatus]()
	default:
		return words[ProcessingStatus]()
	}
}

// Leaves yields the rules of f, which may be nil, each with its path in the
// document: "" for f itself, else like ".rules.0.rules.2".
func (f *Filter) Leaves() iter.Seq2[string, *Filter] {
	return func(yield func(string, *Filter) bool) { f.leaves("", yield) }
}

func (f *Filter) leaves(path string, yield func(string, *Filter) bool) bool {
	switch {
	case f == nil:
		return true
	case !f.Group:
		return yield(path, f)
	}
	for i, r := range f.Rules {
		if !r.leaves(path+".rules."+itoa(i), yield) {
			return false
		}
	}
	return true
}

// some reports whether any rule of f, which may be nil, is what is says.
func (f *Filter) some(is func(*Filter) bool) bool {
	for _, r := range f.Leaves() {
		if is(r) {
			return true
		}
	}
	return false
}

// Searches reports whether f, which may be nil, has a rule that searches.
func (f *Filter) Searches() bool {
	return f.some(func(r *Filter) bool { return r.Operator == OpHybridSearch || r.Operator == OpExactSearch })
}

// AboutCollections reports whether f, which may be nil, has a rule about the
// collections of assets.
func (f *Filter) AboutCollections() bool {
	return f.some(func(r *Filter) bool { return r.Field.Type == FilterIDs })
}

// AboutBatches reports whether f, which may be nil, has a rule about the upload
// batches of assets.
func (f *Filter) AboutBatches() bool {
	return f.some(func(r *Filter) bool { return r.Field == FilterField{"ingestion_batch_id", FilterNumber} })
}

// ParseFilter reads a filter document with the custom fields of a schema. What
// is wrong with it is an Invalid error whose fields are paths like
// "filters.rules.0.operator".
func ParseFilter(text string, s *Schema) (*Filter, error) {
	p := filterParser{schema: s}
	f := p.node("filters", json.RawMessage(text), 1)
	return f, p.Err()
}

// ParseSavedFilter is ParseFilter for a document that is kept: it names terms by
// their keys, for labels change.
func ParseSavedFilter(text string, s *Schema) (*Filter, error) {
	p := filterParser{schema: s, saved: true}
	f := p.node("filters", json.RawMessage(text), 1)
	return f, p.Err()
}

type filterParser struct {
	Problems
	rules  int
	terms  int // that all rules stand for
	schema *Schema
	saved  bool
}

// node reads a rule or a group; nil when something is wrong with it.
func (p *filterParser) node(path string, text json.RawMessage, depth int) *Filter {
	if p.rules > MaxFilterRules {
		return nil // reported once
	}
	var n struct {
		Type     *string            `json:"type"`
		Operator *string            `json:"operator"`
		Field    *string            `json:"field"`
		Value    json.RawMessage    `json:"value"`
		Rules    *[]json.RawMessage `json:"rules"`
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	err := d.Decode(&n)
	if err == nil {
		if _, more := d.Token(); more != io.EOF {
			err = errors.New("there is more after it")
		}
	}
	if trimmed := bytes.TrimSpace(text); len(trimmed) == 0 || trimmed[0] != '{' || !json.Valid(text) {
		p.Add(path, "The %s field must be a JSON object with a rule or a group of rules.", path)
		return nil
	}
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		kind := "text"
		if wrong.Field == "rules" {
			kind = "list"
		}
		p.Add(path+"."+wrong.Field, "The %s field must be a %s.", wrong.Field, kind)
		return nil
	}
	var members map[string]json.RawMessage
	if err == nil && json.Unmarshal(text, &members) == nil { // only as they are spelled
		for _, name := range sortedNames(members) {
			if !slices.Contains([]string{"type", "operator", "field", "value", "rules"}, name) {
				p.Add(path, "The %s field has a member it does not know: %q.", path, name)
				return nil
			}
		}
	}
	if err != nil { // an unknown member: its name is in the text alone
		p.Add(path, "The %s field has a member it does not know: %s.", path, strings.TrimPrefix(err.Error(), "json: unknown field "))
		return nil
	}
	switch {
	case n.Type == nil:
		p.Add(path+".type", "The type field is required; it must be \"filter\" or \"group\".")
	case *n.Type == "group":
		if n.Field != nil || n.Value != nil && string(n.Value) != "null" {
			p.Add(path+".type", "A group has the members type, operator and rules only.")
			return nil
		}
		return p.group(path, n.Operator, n.Rules, depth)
	case *n.Type == "filter":
		if n.Rules != nil {
			p.Add(path+".type", "A filter has the members type, field, operator and value only.")
			return nil
		}
		return p.rule(path, n.Field, n.Operator, n.Value)
	default:
		p.Add(path+".type", "The selected type is invalid; it must be \"filter\" or \"group\".")
	}
	return nil
}

func (p *filterParser) group(path string, operator *string, rules *[]json.RawMessage, depth int) *Filter {
	f := &Filter{Group: true}
	switch {
	case operator == nil:
		p.Add(path+".operator", "The operator field is required; it must be \"and\" or \"or\".")
	case *operator == "or":
		f.Any = true
	case *operator != "and":
		p.Add(path+".operator", "The selected operator is invalid; it must be \"and\" or \"or\".")
	}
	switch {
	case depth > MaxFilterDepth:
		p.Add(path, "The filters field may not be nested more than %d groups deep.", MaxFilterDepth)
		return nil
	case rules == nil:
		p.Add(path+".rules", "The rules field is required.")
		return nil
	}
	for i, r := range *rules {
		if sub := p.node(path+".rules."+itoa(i), r, depth+1); sub != nil {
			f.Rules = append(f.Rules, sub)
		}
	}
	return f
}

func (p *filterParser) rule(path string, field, operator *string, value json.RawMessage) *Filter {
	if p.rules++; p.rules > MaxFilterRules {
		p.Add(path, "The filters field may not have more than %d rules.", MaxFilterRules)
		return nil
	}
	f := &Filter{}
	known := field != nil
	if !known {
		p.Add(path+".field", "The field of the rule is required.")
	} else if f.Field, known = filterField(*field); !known {
		p.Add(path+".field", "The field %q is not known; it must be asset, asset.title or another field of assets, or metadata.{key}.", *field)
	}
	switch {
	case operator == nil:
		p.Add(path+".operator", "The operator field is required.")
		return nil
	case !Valid(FilterOperator(*operator)):
		p.Add(path+".operator", "The operator %q is not known; it must be one of %s.", *operator, listed(Values[FilterOperator]()))
		return nil
	case !known:
		return nil
	}
	if f.Field.Type == FilterMetadata && p.schema.Declared() {
		return p.customRule(path, f, FilterOperator(*operator), value)
	}
	if !slices.Contains(f.Field.Type.operators(), FilterOperator(*operator)) {
		p.Add(path+".operator", "The field %s does not have the operator %s; it has %s.", *field, *operator, listed(f.Field.Type.operators()))
		return nil
	}
	f.Operator = FilterOperator(*operator)
	before := p.count()
	f.Value = p.value(path+".value", f.Field, f.Operator, value)
	if p.count() > before {
		return nil
	}
	return f
}

func filterField(full string) (f FilterField, ok bool) {
	if key, meta := strings.CutPrefix(full, "metadata."); meta {
		return FilterField{key, FilterMetadata}, metadataKey.MatchString(key)
	}
	t, ok := filterFields[full]
	return FilterField{strings.TrimPrefix(strings.TrimPrefix(full, "asset"), "."), t}, ok
}

// value reads the value of a rule whose operator fits its field.
func (p *filterParser) value(path string, field FilterField, op FilterOperator, text json.RawMessage) (v FilterValue) {
	if op == OpIsEmpty || op == OpIsNotEmpty {
		return v // these have no value
	}
	var raw any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&raw); err != nil || raw == nil {
		p.Add(path, "The value field is required.")
		return v
	}
	if field.Type == FilterColors {
		v.Color = p.color(path, op, raw)
		return v
	}
	items, isList := raw.([]any)
	set := field.Type == FilterSet || field.Type == FilterIDs || field.Type == FilterMetadata
	switch plain, _ := op.Positive(); {
	case plain == OpIn && !isList:
		p.Add(path, "The value field must be a list.")
		return v
	case plain == OpBetween && (!isList || len(items) != 2):
		p.Add(path, "The value field must be a list of two: the least and the greatest.")
		return v
	case isList && plain != OpIn && plain != OpBetween && !(plain == OpEquals && set):
		p.Add(path, "The value field may not be a list.")
		return v
	case isList && len(items) == 0:
		p.Add(path, "The value field must have at least 1 item.")
		return v
	case len(items) > MaxFilterValues:
		p.Add(path, "The value field may not have more than %d items.", MaxFilterValues)
		return v
	}
	if !isList {
		p.item(path, field, op, raw, &v)
		return v
	}
	for i, item := range items {
		p.item(path+"."+itoa(i), field, op, item, &v)
	}
	if op == OpBetween {
		if len(v.Numbers) == 2 && v.Numbers[0] > v.Numbers[1] || len(v.Dates) == 2 && v.Dates[0].From >= v.Dates[1].To {
			p.Add(path, "The first item of the value field may not be greater than the second.")
		}
		if field.Type == FilterMetadata && len(v.Numbers) != 2 && len(v.Dates) != 2 {
			p.Add(path, "The items of the value field must be two numbers or two dates.")
		}
	}
	return v
}

// item reads one item of a value into v.
func (p *filterParser) item(path string, field FilterField, op FilterOperator, raw any, v *FilterValue) {
	switch field.Type {
	case FilterNumber:
		if n, ok := number(raw); ok {
			v.Numbers = append(v.Numbers, n)
		} else {
			p.Add(path, "The value field must be a number.")
		}
	case FilterIDs:
		if n, ok := number(raw); ok && n == float64(int64(n)) && n > 0 {
			v.IDs = append(v.IDs, int64(n))
		} else {
			p.Add(path, "The value field must be the id of a collection.")
		}
	case FilterDate:
		if s, _ := raw.(string); !v.date(s) {
			p.Add(path, "The value field must be a date: 2026-01-31, or 2026-01-31T06:12:00Z.")
		}
	case FilterEnum:
		s, _ := raw.(string)
		for _, w := range enumValues(field.Name) {
			if strings.EqualFold(w, s) {
				v.Texts = append(v.Texts, w)
				return
			}
		}
		p.Add(path, "The value field must be one of %s.", strings.Join(enumValues(field.Name), ", "))
	case FilterMetadata:
		p.metadataItem(path, op, raw, v)
	default:
		if s, ok := raw.(string); ok {
			p.text(path, s, v)
		} else {
			p.Add(path, "The value field must be a text.")
		}
	}
}

// metadataItem reads an item for a custom field, whose type nobody declared.
func (p *filterParser) metadataItem(path string, op FilterOperator, raw any, v *FilterValue) {
	switch op {
	case OpGreaterThan, OpGreaterThanOrEqual, OpLessThan, OpLessThanOrEqual, OpBetween:
		if n, ok := number(raw); ok {
			v.Numbers = append(v.Numbers, n)
		} else if s, _ := raw.(string); !v.date(s) {
			p.Add(path, "The value field must be a number or a date.")
		}
		return
	}
	switch x := raw.(type) {
	case string:
		p.text(path, x, v)
	case json.Number:
		n, ok := number(x)
		if !ok {
			p.Add(path, "The value field must be a finite number.")
		} else if plain, _ := op.Positive(); plain == OpEquals || plain == OpIn {
			v.Numbers = append(v.Numbers, n)
		} else { // a part of a text
			p.text(path, strconv.FormatFloat(n, 'f', -1, 64), v)
		}
	case bool:
		if plain, _ := op.Positive(); plain != OpEquals && plain != OpIn {
			p.Add(path, "The value field must be a text.")
			return
		}
		v.Bools = append(v.Bools, x)
	default:
		p.Add(path, "The value field must be a text, a number or a boolean.")
	}
}

func (p *filterParser) text(path, s string, v *FilterValue) {
	switch n := len([]rune(s)); {
	case strings.TrimSpace(s) == "":
		p.Add(path, "The value field is required; is_empty finds assets without one.")
	case n > MaxFilterText:
		p.Add(path, "The value field may not have more than %d characters.", MaxFilterText)
	default:
		v.Texts = append(v.Texts, s)
	}
}

// number reads a JSON number, or a text that is one, as forms send it.
func number(raw any) (float64, bool) {
	var s string
	switch x := raw.(type) {
	case json.Number:
		s = x.String()
	case string:
		if s = strings.TrimSpace(x); !decimal.MatchString(s) {
			return 0, false
		}
	default:
		return 0, false
	}
	n, err := strconv.ParseFloat(s, 64)
	return n, err == nil
}

var decimal = regexp.MustCompile(`^[+-]?[0-9]+(\.[0-9]+)?$`)

func (v *FilterValue) date(s string) bool {
	r, ok := ParseDateRange(s)
	if ok {
		v.Dates = append(v.Dates, r)
	}
	return ok
}

// ParseDateRange reads "2026-01-31", the day in UTC, or an instant of RFC 3339.
func ParseDateRange(s string) (DateRange, bool) {
	if t, err := time.Parse(time.DateOnly, s); err == nil {
		return DateRange{t.UnixMilli(), t.AddDate(0, 0, 1).UnixMilli()}, true
	}
	t, err := time.Parse(time.RFC3339, s)
	return DateRange{t.UnixMilli(), t.UnixMilli() + 1}, err == nil
}

func (p *filterParser) color(path string, op FilterOperator, raw any) *ColorRange {
	c := &ColorRange{Distance: ColorEqualDistance}
	if op == OpColorNear {
		c.Distance = ColorNearDistance
		if m, ok := raw.(map[string]any); ok {
			if d, sent := m["distance"]; sent {
				n, isNumber := number(d)
				if !isNumber || n < 0 || n > 100 {
					p.Add(path+".distance", "The distance field must be between 0 and 100.")
				}
				c.Distance = n
			}
			for _, k := range sortedKeys(m) {
				if k != "color" && k != "distance" {
					p.Add(path+"."+k, "The value field has the members color and distance only.")
				}
			}
			raw, path = m["color"], path+".color"
		}
	}
	s, _ := raw.(string)
	var ok bool
	if c.R, c.G, c.B, ok = ParseHex(s); !ok {
		p.Add(path, "The value field must be a colour like #1e90ff.")
	}
	return c
}

// ParseHex reads a colour "#rrggbb".
func ParseHex(s string) (r, g, b uint8, ok bool) {
	if len(s) != 7 || s[0] != '#' {
		return 0, 0, 0, false
	}
	n, err := strconv.ParseUint(s[1:], 16, 32)
	return uint8(n >> 16), uint8(n >> 8), uint8(n), err == nil
}
