package dam

import (
	"reflect"
	"strings"
	"testing"
)

// Each shorthand parameter is equivalent to its rule, and all rules must match.
func TestShorthandsAreRules(t *testing.T) {
	t.Parallel()
	const class = `{"type":"filter","field":"asset.asset_class_id","operator":"equals","value":7}`
	const batch = `{"type":"filter","field":"asset.ingestion_batch_id","operator":"equals","value":9}`
	const mime = `{"type":"filter","field":"asset.mime_type","operator":"contains","value":"Image/"}`
	const title = `{"type":"filter","field":"asset.title","operator":"contains","value":"dawn"}`
	for name, c := range map[string]struct {
		params QueryParams
		rules  []string
	}{
		"class":   {QueryParams{AssetClassID: 7}, []string{class}},
		"batch":   {QueryParams{BatchID: 9}, []string{batch}},
		"type":    {QueryParams{MIMEType: "Image/"}, []string{mime}},
		"filters": {QueryParams{Filters: title}, []string{title}},
		"all":     {QueryParams{AssetClassID: 7, BatchID: 9, MIMEType: "Image/", Filters: title}, []string{class, batch, mime, title}},
	} {
		q, err := c.params.Query(nil, SortCreatedAt)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		doc := c.rules[0]
		if len(c.rules) > 1 {
			doc = `{"type":"group","operator":"and","rules":[` + strings.Join(c.rules, ",") + `]}`
		}
		want, err := ParseFilter(doc, nil)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if !reflect.DeepEqual(q.Filter, want) {
			t.Errorf("%s: %+v, want %+v", name, q.Filter, want)
		}
		if got := q.AboutBatches(); got != (c.params.BatchID != 0) {
			t.Errorf("%s is about batches: %v", name, got)
		}
	}
	if q, err := (&QueryParams{Filters: " \n"}).Query(nil, ""); q.Filter != nil || err != nil {
		t.Errorf("blank filters: %+v, %v", q.Filter, err)
	}
	in, err := ParseFilter(`{"type":"filter","field":"asset.collections","operator":"in","value":[3]}`, nil)
	if err != nil || !reflect.DeepEqual(InCollection(3), in) || !in.AboutCollections() {
		t.Errorf("in a collection: %+v, want %+v, %v", InCollection(3), in, err)
	}
}

// The default sort and direction of a list.
func TestQuerySort(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		params QueryParams
		usual  Sort
		by     Sort
		desc   bool
	}{
		{QueryParams{}, SortCreatedAt, SortCreatedAt, true},
		{QueryParams{}, SortPosition, SortPosition, false},
		{QueryParams{Q: "dawn"}, SortPosition, SortRelevance, true},
		{QueryParams{Q: " "}, SortCreatedAt, SortCreatedAt, true},
		{QueryParams{Q: "dawn", SortBy: SortTitle}, SortCreatedAt, SortTitle, false},
		{QueryParams{SortBy: SortOriginalFilename, SortDirection: Descending}, SortCreatedAt, SortOriginalFilename, true},
		{QueryParams{SortBy: SortSize}, SortCreatedAt, SortSize, true},
		{QueryParams{SortBy: SortSize, SortDirection: Ascending}, SortCreatedAt, SortSize, false},
	} {
		if q, err := c.params.Query(nil, c.usual); q.Sort != c.by || q.Desc != c.desc || err != nil {
			t.Errorf("%+v: by %s, descending %v, %v; want %s, %v", c.params, q.Sort, q.Desc, err, c.by, c.desc)
		}
	}
}

// Each rule has its path in the document.
func TestLeaves(t *testing.T) {
	t.Parallel()
	const empty = `{"type":"filter","field":"asset.title","operator":"is_empty"}`
	f, err := ParseFilter(`{"type":"group","operator":"or","rules":[`+empty+`,{"type":"group","operator":"and","rules":[]},
		{"type":"group","operator":"and","rules":[`+empty+`,`+empty+`]}]}`, nil)
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for path, rule := range f.Leaves() {
		if paths = append(paths, path); rule.Group {
			t.Errorf("%s is a group", path)
		}
	}
	if got := strings.Join(paths, " "); got != ".rules.0 .rules.2.rules.0 .rules.2.rules.1" {
		t.Error(got)
	}
	for path := range f.Rules[0].Leaves() {
		if path != "" {
			t.Errorf("the path of a rule alone is %q", path)
		}
	}
	for path := range (*Filter)(nil).Leaves() {
		t.Errorf("no filter has the rule %q", path)
	}
}
