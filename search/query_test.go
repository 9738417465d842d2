package search_test

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/search"
)

// Operators are upper-case. Invalid syntax is read as words.
func TestOperators(t *testing.T) {
	t.Parallel()
	e := shelfOf(t, "black cat", "black horse", "white horse", "black dog and cat", "nothing", "the black and white horse")
	for _, c := range []struct{ text, want, readable, operator string }{
		{"black horse", "1 2 3 4 6", "black horse", "any"},
		{"black AND horse", "2 6", "black AND horse", "all"},
		{"black cat OR horse", "1 2 4 6", "black AND (cat OR horse)", "all"},
		{"black AND cat OR horse AND NOT white", "1 2 4", "black AND (cat OR horse) AND NOT white", "all"},
		{"black AND (cat OR horse) AND NOT white", "1 2 4", "black AND (cat OR horse) AND NOT white", "all"},
		{`"black cat" OR "white horse"`, "1 3 6", `("black cat" OR "white horse")`, "all"},
		{"black NOT horse", "1 4", "black NOT horse", "any"},
		{`black NOT "black horse"`, "1 4 6", `black NOT "black horse"`, "any"},
		{"black !horse", "1 4", "black NOT horse", "any"},
		{"black -horse", "1 4", "black NOT horse", "any"},
		{"NOT black", "3 5", "NOT black", "any"},
		{"NOT title:black", "3 5", "NOT title:black", "any"},
		{"cat OR title:white", "1 3 4 6", "(cat OR title:white)", "all"},
		{"the AND white OR dog", "3 4 6", "the AND (white OR dog)", "all"},
		{"dog not cat", "1 4", "dog not cat", "any"},
		{"cat NOT", "1 4", "cat NOT", "any"},
		{"AND cat", "1 4", "AND cat", "any"},
		{"cat AND", "1 4", "cat AND", "any"},
		{"cat OR", "1 4", "cat OR", "any"},
		{"NOT NOT horse", "", "NOT NOT horse", "any"},
		{`"white horse`, "2 3 6", "white horse", "any"},
		{`black"`, "1 2 4 6", "black", "any"},
		{`"AND"`, "4 6", `"AND"`, "any"},
		{"! -", "", "", ""},
	} {
		r := find(t, e, dam.Query{Text: c.text, Sort: dam.SortCreatedAt})
		if r.Query == nil {
			r.Query = &dam.ParsedQuery{}
		}
		if got := ids(r); got != c.want || r.Query.Readable != c.readable || string(r.Query.Operator) != c.operator {
			t.Errorf("%s finds %q as %q (%s), want %q as %q (%s)", c.text, got, r.Query.Readable, r.Query.Operator, c.want, c.readable, c.operator)
		}
	}
	r := find(t, e, dam.Query{Text: `black "white horse" OR title:cat -dog`})
	if got := fmt.Sprintf("%q %q %q %q", r.Query.Terms, r.Query.Phrases, r.Query.Excluded, r.Query.Alternatives); got !=
		`["black" "title:cat"] ["\"white horse\""] ["dog"] [["\"white horse\"" "title:cat"]]` {
		t.Errorf("the query is read as %s", got)
	}
}

// An exact query, as used for changing assets, matches all words without guessing; the
// same applies to its filters, and to the rules of smart collections.
func TestExactQuery(t *testing.T) {
	t.Parallel()
	e := shelfOf(t, "a cat", "a catch", "black horse", "black cats", "office chair stool", "Bürostuhl", "Stuhl", "horses")
	for text, want := range map[string]string{
		"cat": "1 4", "catc": "", "cet": "", "hores": "", "black horse": "3", "horse black": "3", "black OR horse": "3 4 8",
		"black -horses": "4", "black NOT cat": "3", `"a cat"`: "1", "title:ca": "", "stuhl": "7", "the black": "", "black AND": "",
		"-black": "1 2 5 6 7 8", "title:black horse": "3", "!": "",
	} {
		selects := func(how string, got []int64, err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
			list := fmt.Sprint(got)
			if list[1:len(list)-1] != want {
				t.Errorf("%s selects %s %s, want %s", text, list, how, want)
			}
		}
		got, _, err := e.IDs(t.Context(), dam.Query{Text: text, Exact: true}, search.Scope{})
		selects("as a text", got, err)
		f := parsed(t, rule("asset", "hybrid_search", strconv.Quote(text)))
		got, _, err = e.IDs(t.Context(), dam.Query{Filter: f, Exact: true}, search.Scope{})
		selects("as a filter", got, err)
		selects("as the rules of a collection", ruledBy(t, e, text, f, nil), nil)
	}
}

// ruledBy returns the assets of a smart collection with the given rules.
func ruledBy(t *testing.T, e *search.Engine, text string, f *dam.Filter, s *dam.Schema) []int64 {
	t.Helper()
	const id = 9
	c := &search.Collections{Rules: map[int64]*search.Rules{id: {Text: text, Filter: f, Schema: s}}}
	in := dam.Query{Filter: parsed(t, rule("asset.collections", "in", fmt.Sprintf("[%d]", id)))}
	got, _, err := e.IDs(t.Context(), in, search.Scope{Collections: c})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// A rule about one field searches its words there, even if the text names other fields.
func TestExactRuleOfField(t *testing.T) {
	t.Parallel()
	l := newLibrary()
	for i, about := range [][2]string{{"black cat", "white horse"}, {"white horse", "black cat"}, {"title black", "cats"}} {
		a := asset(int64(i+1), about[0])
		a.Description = about[1]
		a.Metadata = map[string]any{"motif": about[1], "other": about[0]}
		l.put(a)
	}
	e := open(t, t.TempDir(), l)
	defer e.Close()
	schema := dam.NewSchema(1, []*dam.Field{{Key: "motif", Type: dam.FieldText, IsFilterable: true, IsSearchable: true}}, nil)
	for _, c := range []struct{ field, text, want string }{
		{"asset.title", "black", "[1 3]"},
		{"asset.title", "black cat", "[1]"},
		{"asset.title", "blac", "[]"},
		{"asset.title", "-black", "[2]"},
		{"asset.title", "title:black", "[3]"},
		{"asset.title", "01TESTTESTTESTTESTTEST0001", "[]"},
		{"asset.description", "cat", "[2 3]"},
		{"asset.description", "title:white", "[]"},
		{"metadata.motif", "cat", "[2 3]"},
		{"metadata.motif", "black cat", "[2]"},
		{"metadata.motif", "cat -black", "[3]"},
		{"metadata.motif", "catch", "[]"},
		{"asset", "motif:cat -motif:black", "[3]"},
	} {
		f, err := dam.ParseFilter(rule(c.field, "hybrid_search", strconv.Quote(c.text)), schema)
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(ruledBy(t, e, c.field+c.text, f, schema)); got != c.want {
			t.Errorf("%s about %s has %s, want %s", c.text, c.field, got, c.want)
		}
	}
}
