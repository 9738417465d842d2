package dam_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/digital-asset-library/dal/app/dam"
)

func TestMapCollections(t *testing.T) {
	t.Parallel()
	masked := func(id int64) int64 {
		if id == 7 {
			return 0
		}
		return id
	}
	for _, tt := range []struct{ text, want string }{
		{"", ""},
		{
			`{"type":"filter","field":"asset.collections","operator":"in","value":[1,7,"7",7.0,77]}`,
			`{"type":"filter","field":"asset.collections","operator":"in","value":[1,0,0,0,77]}`,
		},
		{
			`{"type":"filter","field":"asset.collections","operator":"is_empty","value":7}`,
			`{"type":"filter","field":"asset.collections","operator":"is_empty","value":0}`,
		},
		{
			`{"type":"filter","field":"asset.width","operator":"equals","value":7}`,
			`{"type":"filter","field":"asset.width","operator":"equals","value":7}`,
		},
		{
			`{"type":"filter","field":"asset.title","field":"asset.collections","value":7}`,
			`{"type":"filter","field":"asset.collections","value":0}`,
		},
		{
			`{"Type":"group","Rules":[{"FIELD":"asset.collections","value":7},{"rules":[]}]}`,
			`{"type":"group","rules":[{"field":"asset.collections","value":0},{"rules":[]}]}`,
		},
		{
			`{"type":"filter","operator":"in","field":"asset.collections","value":[1, 2]}`,
			`{"type":"filter","operator":"in","field":"asset.collections","value":[1, 2]}`,
		},
		{
			`{"rules":[{"field":"asset.title","value":"<7>"},{"field":"asset.collections","value":7}]}`,
			`{"rules":[{"field":"asset.title","value":"<7>"},{"field":"asset.collections","value":0}]}`,
		},
	} {
		if got := dam.MapCollections(tt.text, masked); got != tt.want {
			t.Errorf("%s\nbecame %s\nwant   %s", tt.text, got, tt.want)
		}
	}
}

// Every collection id that ParseFilter accepts can be mapped, and nothing else changes.
func FuzzMapCollections(f *testing.F) {
	f.Add(`{"type":"group","operator":"and","rules":[` +
		`{"type":"filter","field":"asset.collections","operator":"in","value":[1,2]},` +
		`{"type":"filter","field":"asset.title","operator":"equals","value":"<x>"}]}`)
	f.Add(`{"TYPE":"filter","type":"filter","field":"x","Field":"asset.collections","operator":"equals","value":"3"}`)
	f.Add(`{"type":"filter","field":"asset.collections","operator":"not_equals","value":5e0}`)
	f.Fuzz(func(t *testing.T, text string) {
		before, err := dam.ParseFilter(text, nil)
		if err != nil {
			return
		}
		const to = 1 << 40
		text = dam.MapCollections(text, func(int64) int64 { return to })
		after, err := dam.ParseFilter(text, nil)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		var same func(a, b *dam.Filter)
		same = func(a, b *dam.Filter) {
			if a.Group != b.Group || a.Any != b.Any || a.Not != b.Not || a.Field != b.Field || a.Operator != b.Operator ||
				len(a.Rules) != len(b.Rules) || !slices.Equal(a.Value.Texts, b.Value.Texts) {
				t.Fatalf("%+v became %+v", a, b)
			}
			if a.Field.Type != dam.FilterIDs && a.Field.Type != dam.FilterTree {
				if !slices.Equal(a.Value.IDs, b.Value.IDs) {
					t.Fatalf("%v became %v", a.Value.IDs, b.Value.IDs)
				}
			} else if len(a.Value.IDs) != len(b.Value.IDs) || slices.ContainsFunc(b.Value.IDs, func(id int64) bool { return id != to }) {
				t.Fatalf("%v became %v", a.Value.IDs, b.Value.IDs)
			}
			for i := range a.Rules {
				same(a.Rules[i], b.Rules[i])
			}
		}
		same(before, after)
		if !json.Valid([]byte(text)) {
			t.Fatal(text)
		}
	})
}
