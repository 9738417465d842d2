package dam_test

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/digital-asset-library/dal/app/dam"
)

// wrongFields parses a filter document and returns the paths of its problems, separated by
// spaces.
func wrongFields(t *testing.T, doc string) string {
	t.Helper()
	_, err := dam.ParseFilter(doc, nil)
	if err == nil {
		return ""
	}
	e, ok := errors.AsType[*dam.Error](err)
	if !ok || e.Kind != dam.Invalid || e.Msg == "" {
		t.Fatalf("%s: %#v", doc, err)
	}
	var paths []string
	for _, f := range e.Fields {
		if f.Msg == "" {
			t.Errorf("%s: nothing said about %s", doc, f.Field)
		}
		paths = append(paths, f.Field)
	}
	return strings.Join(paths, " ")
}

// rule writes a rule; value is JSON, "" for none.
func rule(field, operator, value string) string {
	if value != "" {
		value = `,"value":` + value
	}
	return fmt.Sprintf(`{"type":"filter","field":%q,"operator":%q%s}`, field, operator, value)
}

func group(operator string, rules ...string) string {
	return fmt.Sprintf(`{"type":"group","operator":%q,"rules":[%s]}`, operator, strings.Join(rules, ","))
}

// nested wraps a document in groups.
func nested(groups int, doc string) string {
	for range groups {
		doc = group("and", doc)
	}
	return doc
}

func repeated(n int, s string) string { return strings.TrimSuffix(strings.Repeat(s+",", n), ",") }

// Problems with the structure of a document are reported at the affected path.
func TestParseFilterShape(t *testing.T) {
	t.Parallel()
	good := rule("asset.title", "equals", `"a"`)
	tests := []struct{ name, doc, want string }{
		{"a rule", good, ""},
		{"a group", group("and", good), ""},
		{"a group of one of", group("or", good, group("and", good)), ""},
		{"an empty group", group("and"), ""},
		{"white space", " \n" + good + "\t ", ""},
		{"escaped names", strings.Replace(good, "type", `\u0074ype`, 1), ""},
		{"no text", "", "filters"},
		{"blank", "  ", "filters"},
		{"no JSON", "title=a", "filters"},
		{"cut off", good[:len(good)-1], "filters"},
		{"text behind it", good + "x", "filters"},
		{"another object behind it", good + good, "filters"},
		{"a bracket behind it", good + "}", "filters"},
		{"null", "null", "filters"},
		{"a list", "[" + good + "]", "filters"},
		{"a text", `"a"`, "filters"},
		{"a number", "1", "filters"},
		{"true", "true", "filters"},
		{"brackets without end", strings.Repeat("[", 65536), "filters"},
		{"objects without end", strings.Repeat(`{"rules":[`, 6000), "filters"},
		{"not closed text", `{"type":"filter`, "filters"},
		{"a control character", "{\"type\":\"fil\x01ter\"}", "filters"},
		{"an empty object", "{}", "filters.type"},
		{"null type", `{"type":null}`, "filters.type"},
		{"unknown type", `{"type":"rule"}`, "filters.type"},
		{"type in another case", `{"type":"Filter"}`, "filters.type"},
		{"type no text", `{"type":1}`, "filters.type"},
		{"type an object", `{"type":{}}`, "filters.type"},
		{"field no text", `{"type":"filter","field":["asset.title"],"operator":"equals","value":"a"}`, "filters.field"},
		{"operator no text", `{"type":"filter","field":"asset.title","operator":1,"value":"a"}`, "filters.operator"},
		{"unknown member", `{"type":"filter","field":"asset.title","operator":"equals","value":"a","not":true}`, "filters"},
		{"unknown member alone", `{"x":1}`, "filters"},
		{"a rule with rules", `{"type":"filter","field":"asset.title","operator":"equals","value":"a","rules":[]}`, "filters.type"},
		{"a group with a field", `{"type":"group","operator":"and","rules":[],"field":"asset.title"}`, "filters.type"},
		{"a group with a value", `{"type":"group","operator":"and","rules":[],"value":1}`, "filters.type"},
		{"null is as absent", `{"type":"group","operator":"and","rules":[
			{"type":"filter","field":"asset.title","operator":"is_empty","value":null,"rules":null}
		],"field":null,"value":null}`, ""},
		{"only the type of a rule", `{"type":"filter"}`, "filters.field filters.operator"},
		{"no field", `{"type":"filter","operator":"equals","value":"a"}`, "filters.field"},
		{"null field", `{"type":"filter","field":null,"operator":"equals","value":"a"}`, "filters.field"},
		{"no operator", `{"type":"filter","field":"asset.title","value":"a"}`, "filters.operator"},
		{"no value", rule("asset.title", "equals", ""), "filters.value"},
		{"null value", rule("asset.title", "equals", "null"), "filters.value"},
		{"only the type of a group", `{"type":"group"}`, "filters.operator filters.rules"},
		{"no rules", `{"type":"group","operator":"or"}`, "filters.rules"},
		{"null rules", `{"type":"group","operator":"or","rules":null}`, "filters.rules"},
		{"rules an object", `{"type":"group","operator":"or","rules":{}}`, "filters.rules"},
		{"rules a text", `{"type":"group","operator":"or","rules":"x"}`, "filters.rules"},
		{"operator of a rule", group("equals", good), "filters.operator"},
		{"operator in another case", group("AND", good), "filters.operator"},
		{"no operator of a group", `{"type":"group","rules":[` + good + `]}`, "filters.operator"},
		{"members of rules", group("and", good, "null", "[]", "1", `"x"`, "{}", good),
			"filters.rules.1 filters.rules.2 filters.rules.3 filters.rules.4 filters.rules.5.type"},
		{
			"all that is wrong",
			group("nor",
				rule("asset.nope", "equals", "1"),
				group("and", rule("asset.title", "nope", "1"), rule("asset.title", "between", "1")),
				rule("asset.width", "in", `[1,"x",true]`)),
			"filters.operator filters.rules.0.field filters.rules.1.rules.0.operator filters.rules.1.rules.1.operator " +
				"filters.rules.2.value.1 filters.rules.2.value.2",
		},
		{"deep inside", group("and", good, good, good, group("or", rule("asset.width", "between", `[1,"x"]`))),
			"filters.rules.3.rules.0.value.1"},

		{"10 groups deep", nested(10, good), ""},
		{"10 groups deep and empty", nested(10, ""), ""},
		{"11 groups deep", nested(11, good), "filters" + strings.Repeat(".rules.0", 10)},
		{"11 groups deep twice", group("or", nested(10, good), nested(10, good)),
			"filters" + strings.Repeat(".rules.0", 10) + " filters.rules.1" + strings.Repeat(".rules.0", 9)},
		{"1000 groups deep", nested(1000, good), "filters" + strings.Repeat(".rules.0", 10)},
		{"200 rules", group("and", repeated(200, good)), ""},
		{"201 rules", group("and", repeated(201, good)), "filters.rules.200"},
		{"1000 rules", group("and", repeated(1000, good)), "filters.rules.200"},
		{"200 rules in groups", group("and", repeated(50, group("or", repeated(4, good)))), ""},
		{"201 rules in groups", group("and", repeated(50, group("or", repeated(4, good))), good, good), "filters.rules.50"},
		{"201 rules, the first of them wrong", group("and", rule("asset.title", "equals", "1"), repeated(200, good)),
			"filters.rules.0.value filters.rules.200"},
		{"1000 empty groups", group("and", repeated(1000, group("or"))), ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := wrongFields(t, tt.doc); got != tt.want {
				t.Errorf("wrong: %q, want %q", got, tt.want)
			}
		})
	}
}

// The message alone explains how to fix the document.
func TestParseFilterMessages(t *testing.T) {
	t.Parallel()
	tests := []struct{ doc, want string }{
		{"{}", `type is required; it must be "filter" or "group".`},
		{`{"type":"group","operator":"nor"}`, `The selected operator is invalid; it must be "and", "or" or "not". (and 1 more error)`},
		{`{"type":"group","operator":"or","rules":{}}`, "rules must be a list."},
		{`{"type":1}`, "type must be a text."},
		{`{"type":"filter","x":1}`, `filters has a member it does not know: "x".`},
		{group("and", "1"), "filters.rules.0 must be a JSON object with a rule or a group of rules."},
		{rule("asset.nope", "equals", "1"), `The field "asset.nope" is not known; ` +
			`it must be asset, asset.title or another field of assets, or metadata.{key}.`},
		{rule("asset.colors", "equals", "1"), "The field asset.colors does not have the operator equals; " +
			"it has is_empty, is_not_empty, color_equals, color_near."},
		{rule("asset.workflow_status", "equals", `"done"`), "value must be one of draft, in_review, approved, rejected, archived."},
		{rule("asset.title", "equals", `""`), "value is required; is_empty finds assets without one."},
		{nested(11, rule("asset.title", "is_empty", "")), "filters may not be nested more than 10 groups deep."},
	}
	for _, tt := range tests {
		if _, err := dam.ParseFilter(tt.doc, nil); err == nil || err.Error() != tt.want {
			t.Errorf("%s\n got %v\nwant %s", tt.doc, err, tt.want)
		}
	}
}

// A document is parsed to the expected tree.
func TestParseFilterTree(t *testing.T) {
	t.Parallel()
	got, err := dam.ParseFilter(group("or",
		rule("asset.title", "not_in", `["a","B"]`),
		group("and"),
		rule("metadata.x", "equals", `["a",1,true,"b"]`)), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := &dam.Filter{Group: true, Any: true, Rules: []*dam.Filter{
		{Field: dam.FilterField{Name: "title", Type: dam.FilterText}, Operator: dam.OpNotIn, Value: dam.FilterValue{Texts: []string{"a", "B"}}},
		{Group: true},
		{Field: dam.FilterField{Name: "x", Type: dam.FilterMetadata}, Operator: dam.OpEquals,
			Value: dam.FilterValue{Texts: []string{"a", "b"}, Numbers: []float64{1}, Bools: []bool{true}}},
	}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
}

// kinds are the operators of each field.
var kinds = []struct{ fields, operators, value string }{
	{"asset.title asset.original_filename asset.creator asset.copyright asset.ai_caption asset.ocr_text asset.keywords " +
		"asset.people asset.ai_tags",
		"equals not_equals contains not_contains starts_with ends_with in not_in is_empty is_not_empty hybrid_search exact_search", `"a"`},
	{"asset.mime_type asset.extension",
		"equals not_equals contains not_contains starts_with ends_with in not_in is_empty is_not_empty", `"a"`},
	{"asset.file_category", "equals not_equals in not_in is_empty is_not_empty", `"video"`},
	{"asset.workflow_status", "equals not_equals in not_in is_empty is_not_empty", `"in_review"`},
	{"asset.processing_status", "equals not_equals in not_in is_empty is_not_empty", `"failed"`},
	{"asset.width asset.height asset.duration asset.page_count asset.file_size asset.asset_class_id asset.ingestion_batch_id",
		"equals not_equals greater_than greater_than_or_equal less_than less_than_or_equal in not_in between is_empty is_not_empty", "7"},
	{"asset.created_at asset.updated_at asset.capture_date asset.usage_from asset.usage_until",
		"equals not_equals greater_than greater_than_or_equal less_than less_than_or_equal in not_in between is_empty is_not_empty",
		`"2026-01-31"`},
	{"asset.collections", "equals not_equals contains not_contains in not_in is_empty is_not_empty", "7"},
	{"asset.picked_in", "in not_in", "7"},
	{"asset.collection_tree", "in not_in", "7"},
	{"asset.owner asset.created_by asset.updated_by", "equals not_equals in not_in is_empty is_not_empty", "7"},
	{"asset.orientation", "equals not_equals in not_in is_empty is_not_empty", `"Portrait"`},
	{"asset.aspect_ratio asset.megapixels asset.iso asset.focal_length asset.file_version",
		"equals not_equals greater_than greater_than_or_equal less_than less_than_or_equal in not_in between is_empty is_not_empty", "1.5"},
	{"asset.camera asset.lens",
		"equals not_equals contains not_contains starts_with ends_with in not_in is_empty is_not_empty", `"a"`},
	{"asset.deleted_at",
		"equals not_equals greater_than greater_than_or_equal less_than less_than_or_equal in not_in between is_empty is_not_empty",
		`"2026-01-31"`},
	{"asset.gaid", "equals not_equals in not_in", `"01kb3j8q5v7x9z1b3d5f7h9k1m"`},
	{"asset.checksum_sha256", "equals not_equals in not_in", `"` + strings.Repeat("aB", 32) + `"`},
	{"asset.shared", "equals not_equals", "true"},
	{"asset.downloads asset.views",
		"equals not_equals greater_than greater_than_or_equal less_than less_than_or_equal in not_in between", "7"},
	{"asset.colors", "is_empty is_not_empty color_equals color_near", `"#1e90ff"`},
	{"asset", "hybrid_search exact_search", `"a"`},
	{"metadata.x", "equals not_equals contains not_contains starts_with ends_with " +
		"greater_than greater_than_or_equal less_than less_than_or_equal " +
		"in not_in between is_empty is_not_empty hybrid_search exact_search", `"2026-01-31"`},
}

var operators = strings.Fields("equals not_equals contains not_contains starts_with ends_with greater_than greater_than_or_equal " +
	"less_than less_than_or_equal in not_in between is_empty is_not_empty hybrid_search exact_search color_equals color_near")

// Each field supports exactly its operators.
func TestParseFilterPairs(t *testing.T) {
	t.Parallel()
	for _, k := range kinds {
		for _, field := range strings.Fields(k.fields) {
			for _, op := range operators {
				value, want := k.value, "filters.operator"
				switch op {
				case "in", "not_in":
					value = "[" + k.value + "]"
				case "between":
					value = "[" + k.value + "," + k.value + "]"
				case "is_empty", "is_not_empty":
					value = ""
				}
				if slices.Contains(strings.Fields(k.operators), op) {
					want = ""
				}
				if got := wrongFields(t, rule(field, op, value)); got != want {
					t.Errorf("%s %s: wrong %q, want %q", field, op, got, want)
				}
			}
			for _, op := range []string{"", "equal", "EQUALS", "equals ", "and", "or", "="} {
				if got := wrongFields(t, rule(field, op, k.value)); got != "filters.operator" {
					t.Errorf("%s %q: wrong %q", field, op, got)
				}
			}
		}
	}
	for _, field := range []string{
		"", "title", "asset.", "asset.Title", "asset.title ", " asset.title", "assets.title",
		"asset.nope", "asset.sha", "asset.title.x", "asset.metadata.x",
		"metadata", "metadata.", "metadata.X", "metadata.1", "metadata._x", "metadata.x y", "metadata.x.y", "metadata.é",
		"metadata." + strings.Repeat("x", 65),
	} {
		if got := wrongFields(t, rule(field, "equals", `"a"`)); got != "filters.field" {
			t.Errorf("field %q: wrong %q", field, got)
		}
	}
	for _, field := range []string{"metadata.x1_", "metadata." + strings.Repeat("x", 64)} {
		if got := wrongFields(t, rule(field, "equals", `"a"`)); got != "" {
			t.Errorf("field %q: wrong %q", field, got)
		}
	}
}

// The type of a value depends on the field and the operator.
func TestParseFilterValues(t *testing.T) {
	t.Parallel()
	const ok, bad = "", "filters.value"
	texts, sets := []string{"asset.title", "asset.mime_type", "asset.ocr_text"}, []string{"asset.keywords", "asset.ai_tags"}
	numbers, dates := []string{"asset.width", "asset.duration", "asset.file_size"}, []string{"asset.created_at", "asset.capture_date"}
	enums, ids := []string{"asset.file_category"}, []string{"asset.collections"}
	meta, colors, all := []string{"metadata.x"}, []string{"asset.colors"}, []string{"asset"}
	long := func(n int) string { return `"` + strings.Repeat("é", n) + `"` }
	tests := []struct {
		fields    [][]string
		operators string
		value     string
		want      string
	}{
		{[][]string{texts}, "equals not_equals contains not_contains starts_with ends_with",
			`1 true {} [] ["a"] "" "\t" null ` + long(1001), bad},
		{[][]string{texts, sets}, "equals contains starts_with", `"a" "-" ` + long(1000), ok},
		{[][]string{texts, sets, meta}, "in not_in", `"a" 1 true {} [] null`, bad},
		{[][]string{texts, sets, meta}, "in not_in", `["a",""] ["a",null] ["a",{}] ["a",["b"]] ["a",` + long(1001) + `]`, "filters.value.1"},
		{[][]string{texts, sets}, "in not_in", `["a",1] ["a",true]`, "filters.value.1"},
		{[][]string{texts, sets, meta}, "in not_in", `["a"] [` + repeated(1000, `"a"`) + `]`, ok},
		{[][]string{texts, sets, meta}, "in not_in", `[` + repeated(1001, `"a"`) + `]`, bad},
		{[][]string{sets}, "equals not_equals", `"a" ["a"] ["a","a"]`, ok},
		{[][]string{sets}, "equals not_equals", `1 true {} [] null`, bad},
		{[][]string{sets}, "equals not_equals", `["a",1] ["a",""]`, "filters.value.1"},
		{[][]string{sets, meta}, "contains not_contains starts_with ends_with", `[] ["a"] {} true`, bad},
		{[][]string{all, texts[:1], sets, meta}, "hybrid_search exact_search", `[] ["a"] {} true "" null ` + long(1001), bad},
		{[][]string{all, texts[:1], sets}, "hybrid_search exact_search", "1", bad},
		{[][]string{enums}, "equals not_equals", `"Image" "image" "VIDEO" "Audio" "document"`, ok},
		{[][]string{enums}, "equals not_equals", `"Picture" "" "Image\t" 1 true {} [] ["Image"] null`, bad},
		{[][]string{enums}, "in not_in", `["Image","x"] ["Image",1] ["Image",null]`, "filters.value.1"},
		{[][]string{enums}, "in not_in", `"Image" []`, bad},
		{[][]string{numbers}, "equals not_equals greater_than greater_than_or_equal less_than less_than_or_equal",
			`0 -1 1.5 1e3 1e308 -0 "7" "1.5" "-3"`, ok},
		{[][]string{numbers}, "equals greater_than less_than_or_equal",
			`"x" "" "1e3" "1," "0x10" "NaN" "Infinity" true {} [] [1] null 1e309 -1e400`, bad},
		{[][]string{numbers}, "in not_in", `[1,"x"] [1,null] [1,1e999] [1,[2]] [1,true]`, "filters.value.1"},
		{[][]string{numbers, dates, meta}, "between", `1 "2026-01-01" [] [1] [1,2,3] ["2026-01-01"] {} null`, bad},
		{[][]string{numbers, meta}, "between", `[1,1] [1,2] [-2.5,"7"]`, ok},
		{[][]string{numbers, meta}, "between", `[2,1] ["7",6.5]`, bad},
		{[][]string{numbers}, "between", `[1,"x"] [1,null] [1,"2026-01-01"]`, "filters.value.1"},
		{[][]string{dates}, "equals not_equals greater_than greater_than_or_equal less_than less_than_or_equal",
			`"2026-01-31" "2024-02-29" "2026-01-31T06:12:00Z" "2026-01-31T06:12:00.123+05:30" "0001-01-01" "9999-12-31" ` +
				`"now" "today" "now+30d" "today-1d" "today+36500d" "now-36500d"`, ok},
		{[][]string{dates}, "equals greater_than less_than_or_equal",
			`"2026-02-30" "2025-02-29" "2026-1-1" "31.01.2026" "2026-01-31T06:12:00" "2026-01-31T25:00:00Z" "2026" "tomorrow" "" ` +
				`"today+36501d" "now+d" "now+1" "now+1h" "NOW" "now+-1d" "today+00000001d" ` +
				`1767225600 true {} ["2026-01-31"] null "10000-01-01"`, bad},
		{[][]string{dates}, "in not_in", `["2026-01-31","x"] ["2026-01-31",1] ["2026-01-31",null]`, "filters.value.1"},
		{[][]string{dates, meta}, "between", `
			["2026-01-31","2026-01-31"] ["2026-01-31T06:00:00Z","2026-01-31"]
			["2026-01-31","2026-01-31T06:00:00Z"] ["now","now+30d"] ["now+30d","now"] ["9999-12-31","today"]`, ok},
		{[][]string{dates, meta}, "between", `
			["2026-02-01","2026-01-31"] ["2026-01-31T06:00:00.001Z","2026-01-31T06:00:00Z"]
			["2026-02-01","2026-01-31T23:59:59Z"] ["2026-02-01T00:00:00Z","2026-01-31"]`, bad},
		{[][]string{ids}, "equals not_equals contains not_contains", `1 "7" 1e3 9007199254740991`, ok},
		{[][]string{ids}, "equals not_equals contains not_contains", `0 -1 1.5 1e300 -1e300 9223372036854775808 "x" "" true {} [] null`, bad},
		{[][]string{ids}, "contains not_contains", "[1]", bad},
		{[][]string{ids}, "equals not_equals in not_in", `[1] [1,"2",1]`, ok},
		{[][]string{ids}, "equals not_equals in not_in", `[1,0] [1,"x"] [1,null]`, "filters.value.1"},
		{[][]string{meta}, "equals not_equals", `"a" 1 1.5 true false ["a"] ["a",1,true]`, ok},
		{[][]string{meta}, "equals not_equals", `"" {} [] null 1e999`, bad},
		{[][]string{meta}, "contains not_contains starts_with ends_with hybrid_search exact_search", `"a" 1 -1.5`, ok},
		{[][]string{meta}, "contains not_contains starts_with ends_with hybrid_search exact_search", `true 1e999`, bad},
		{[][]string{meta}, "greater_than greater_than_or_equal less_than less_than_or_equal", `1 "1.5" "2026-01-31" "2026-01-31T06:00:00Z"`, ok},
		{[][]string{meta}, "greater_than greater_than_or_equal less_than less_than_or_equal", `"a" "" true {} [] [1] null 1e999`, bad},
		{[][]string{meta}, "between", `[1,"2026-01-31"] ["2026-01-31",1]`, bad},
		{[][]string{meta}, "between", `[1,"x"] ["2026-01-31",null]`, "filters.value.1 filters.value"},
		{[][]string{colors}, "color_equals color_near", `"#1e90ff" "#1E90FF" "#000000"`, ok},
		{[][]string{colors}, "color_equals color_near",
			`"#1e90f" "1e90ff" "#1e90fg" "#+e90ff" "#1_90ff" "#fff" "red" "" 1 true [] ["#1e90ff"] null`, bad},
		{[][]string{colors}, "color_equals", `{} {"color":"#1e90ff"}`, bad},
		{[][]string{colors}, "color_near", `
			{"color":"#1e90ff"} {"color":"#1e90ff","distance":0}
			{"color":"#1e90ff","distance":100} {"color":"#1e90ff","distance":"2.5"}`, ok},
		{[][]string{colors}, "color_near", `{} {"color":null} {"color":"red"} {"distance":5}`, "filters.value.color"},
		{[][]string{colors}, "color_near", `
			{"color":"#1e90ff","distance":-1} {"color":"#1e90ff","distance":100.5} {"color":"#1e90ff","distance":1e999}
			{"color":"#1e90ff","distance":"x"} {"color":"#1e90ff","distance":null}`, "filters.value.distance"},
		{[][]string{colors}, "color_near", `{"color":"#1e90ff","x":1}`, "filters.value.x"},
		{[][]string{texts, sets, numbers, dates, enums, ids, meta, colors}, "is_empty is_not_empty", `null "" "a" 1 [] {}`, ok},
	}
	for _, tt := range tests {
		for _, field := range slices.Concat(tt.fields...) {
			for _, op := range strings.Fields(tt.operators) {
				for _, value := range strings.Fields(tt.value) {
					if got := wrongFields(t, rule(field, op, value)); got != tt.want {
						t.Errorf("%s %s %.80s: wrong %q, want %q", field, op, value, got, tt.want)
					}
				}
			}
		}
	}
}
