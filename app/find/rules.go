package find

import (
	"cmp"
	"errors"
	"strings"

	"github.com/digital-asset-library/dal/app/dam"
)

// ParseRules parses the rules of a collection, "" for none, with dam.ParseFilter or
// dam.ParseSavedFilter. The fields of an error are paths such as "rules.operator".
func ParseRules(text string, schema *dam.Schema, parse func(string, *dam.Schema) (*dam.Filter, error)) (*dam.Filter, error) {
	if text == "" {
		return nil, nil
	}
	f, err := parse(text, schema)
	if err == nil {
		err = cmp.Or(refusePicks(f), dam.RefuseInRules(f))
	}
	if e, ok := errors.AsType[*dam.Error](err); ok {
		rename := func(s string) string { return strings.Replace(s, "The filters field", "The rules field", 1) }
		e.Msg = rename(e.Msg)
		for i, p := range e.Fields {
			e.Fields[i] = dam.FieldError{Field: "rules" + strings.TrimPrefix(p.Field, "filters"), Msg: rename(p.Msg)}
		}
	}
	return f, err
}

// refusePicks returns an error if the rules of a collection refer to guests' picks: the
// matching assets are visible to every viewer of the collection, including guests of its
// shares, and would change with the guests' picks.
func refusePicks(f *dam.Filter) error {
	var wrong dam.Problems
	for path, rule := range f.Leaves() {
		if rule.AboutPicks() {
			wrong.Add("filters"+path+".field", "The rules of a collection cannot ask what guests have picked.")
		}
	}
	return wrong.Err()
}
