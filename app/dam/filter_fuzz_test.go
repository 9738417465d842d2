package dam_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/digital-asset-library/dal/app/dam"
)

// write converts a filter back to a document.
func write(f *dam.Filter) any {
	if f.Group {
		rules := []any{}
		for _, r := range f.Rules {
			rules = append(rules, write(r))
		}
		operator := map[bool]string{false: "and", true: "or"}[f.Any]
		if f.Not {
			operator = "not"
		}
		return map[string]any{"type": "group", "operator": operator, "rules": rules}
	}
	name := "asset." + f.Field.Name
	switch f.Field.Type {
	case dam.FilterMetadata:
		name = "metadata." + f.Field.Name
	case dam.FilterAll:
		name = "asset"
	}
	n := map[string]any{"type": "filter", "field": name, "operator": f.Operator}
	v := f.Value
	var items []any
	for _, s := range v.Texts {
		items = append(items, s)
	}
	for _, x := range v.Numbers {
		items = append(items, x)
	}
	for _, b := range v.Bools {
		items = append(items, b)
	}
	for _, id := range v.IDs {
		items = append(items, id)
	}
	for _, d := range v.Dates {
		t := time.UnixMilli(d.From).UTC()
		if d.To == d.From+1 {
			items = append(items, t.Format("2006-01-02T15:04:05.000Z"))
		} else {
			items = append(items, t.Format(time.DateOnly))
		}
	}
	switch positive, _ := f.Operator.Positive(); {
	case v.Color != nil && f.Operator == dam.OpColorNear:
		n["value"] = map[string]any{"color": hex(v.Color), "distance": v.Color.Distance}
	case v.Color != nil:
		n["value"] = hex(v.Color)
	case positive == dam.OpIn || positive == dam.OpBetween || len(items) > 1:
		n["value"] = items
	case len(items) == 1:
		n["value"] = items[0]
	}
	if v.Days > 0 {
		n["value"] = map[string]any{"value": n["value"], "days": v.Days}
	}
	return n
}

func hex(c *dam.ColorRange) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }

// bounds reports violations of the filter document limits.
func bounds(f *dam.Filter, depth int, rules *int) error {
	if f.Group {
		if depth > dam.MaxFilterDepth {
			return fmt.Errorf("%d groups deep", depth)
		}
		for _, r := range f.Rules {
			if err := bounds(r, depth+1, rules); err != nil {
				return err
			}
		}
		return nil
	}
	if *rules++; *rules > dam.MaxFilterRules {
		return fmt.Errorf("%d rules", *rules)
	}
	v := f.Value
	n := len(v.Texts) + len(v.Numbers) + len(v.Dates) + len(v.IDs) + len(v.Bools)
	empty := f.Operator == dam.OpIsEmpty || f.Operator == dam.OpIsNotEmpty
	if n > dam.MaxFilterValues || (n == 0 && v.Color == nil) != empty {
		return fmt.Errorf("%s of %d values", f.Operator, n)
	}
	if v.Days < 0 || v.Days > dam.MaxUseDays {
		return fmt.Errorf("%d days", v.Days)
	}
	for _, s := range v.Texts {
		if utf8.RuneCountInString(s) > dam.MaxFilterText || strings.TrimSpace(s) == "" {
			return fmt.Errorf("the text %q", s)
		}
	}
	for _, d := range v.Dates {
		if d.From >= d.To {
			return fmt.Errorf("the date %v", d)
		}
		if y := time.UnixMilli(d.From).UTC().Year(); y < 0 || y > 9999 {
			return errUnwritable
		}
	}
	return nil
}

// errUnwritable reports an instant whose UTC year does not have four digits.
var errUnwritable = errors.New("no such year")

// For any input, ParseFilter returns an error or a filter within the limits that has the
// same meaning after a round trip.
func FuzzParseFilter(f *testing.F) {
	for _, k := range kinds {
		for i, op := range strings.Fields(k.operators) {
			value := []string{k.value, "[" + k.value + "]", "[" + k.value + "," + k.value + "]"}[i%3]
			f.Add(group("or", rule(strings.Fields(k.fields)[0], op, value), nested(i, rule("asset.title", "contains", `"é"`))))
		}
	}
	for _, doc := range []string{
		"", "null", "{}", "[[[[", `{"type":"filter","type":"group"}`, `{"TYPE":"group","operator":"and","rules":[]}`,
		nested(11, "{}"), group("and", repeated(201, "{}")),
		rule("metadata.x", "in", `["a",1,true,"1",-0,1e-320]`), rule("metadata.x", "contains", "1e300"),
		rule("asset.created_at", "equals", `"9999-12-31T23:59:59-10:00"`),
		group("not", rule("asset.downloads", "between", `{"value":[1,"2"],"days":30}`)), rule("asset.views", "equals", `{"value":0,"days":1e0}`),
		group("not", rule("asset.shared", "equals", `"false"`), rule("asset.gaid", "in", `["01KB3J8Q5V7X9Z1B3D5F7H9K1M"]`)),
		rule("asset.collection_tree", "not_in", `[1,2]`), rule("asset.owner", "equals", `"7"`), rule("asset.updated_by", "in", `[7,8]`),
		rule("asset.orientation", "in", `["LANDSCAPE","square"]`), rule("asset.orientation", "is_empty", "null"),
		rule("asset.megapixels", "between", `[1.5,"24"]`), rule("asset.aspect_ratio", "less_than", "1e0"),
		rule("asset.people", "in", `["Ada Lovelace","é"]`), rule("asset.people", "exact_search", `"ada"`),
		group("not", group("not", rule("asset.people", "is_empty", "null")), rule("asset.collection_tree", "in", `[1,1]`)), group("not"),
		group("and", rule("asset.usage_from", "less_than_or_equal", `"2026-12-31"`), rule("asset.usage_until", "greater_than", `"2026-01-01"`)),
		rule("asset.usage_until", "between", `["2026-01-01","2026-12-31T23:59:59+14:00"]`),
		rule("asset.colors", "color_near", `{"color":"#1e90ff","distance":2.5}`), rule("asset.title", "equals", `"\ud800\u0000"`), "\xff",
	} {
		f.Add(doc)
	}
	f.Fuzz(func(t *testing.T, doc string) {
		tree, err := dam.ParseFilter(doc, nil)
		if err != nil {
			e, ok := errors.AsType[*dam.Error](err)
			if !ok || e.Kind != dam.Invalid || len(e.Fields) == 0 {
				t.Fatalf("%#v", err)
			}
			for _, f := range e.Fields {
				if f.Field != "filters" && !strings.HasPrefix(f.Field, "filters.") {
					t.Fatalf("%q is wrong: %s", f.Field, f.Msg)
				}
			}
			return
		}
		if err := bounds(tree, 1, new(int)); err != nil {
			if errors.Is(err, errUnwritable) {
				return
			}
			t.Fatal(err)
		}
		again, err := json.Marshal(write(tree))
		if err != nil {
			t.Fatal(err)
		}
		if second, err := dam.ParseFilter(string(again), nil); err != nil || !reflect.DeepEqual(second, tree) {
			t.Fatalf("%s\n%+v, %v\nwant %+v", again, second, err, tree)
		}
	})
}
