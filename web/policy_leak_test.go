package web_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/digital-asset-library/dal/app/dam"
)

// planted are names of resources that no token may read without at least one of the listed
// abilities, with any operation.
var planted = map[string][]dam.Ability{
	"hush-collection": {dam.CollectionsRead},
	"hush-ruled":      {dam.CollectionsRead},
	"hush-child":      {dam.CollectionsRead},
	"hush-changed":    {dam.CollectionsRead, dam.CollectionsWrite}, // the collection being changed
	"hush-type":       {dam.CollectionsRead},
	"hush-title":      {dam.AssetsRead, dam.AssetsWrite, dam.AssetsDelete, dam.MetadataWrite}, // answers to changes contain the asset
	"hush-file":       {dam.AssetsRead, dam.AssetsWrite, dam.AssetsDelete, dam.MetadataWrite, dam.AssetsDownload},
	"hush-field":      {dam.MetadataRead},
	"hush-vocabulary": {dam.MetadataRead},
	"hush-batch":      {}, // an administrator's
	"hush-search":     {}, // another user's
	"hush-hook":       {}, // another user's
	"hush-token":      {}, // another user's
}

// Every documented operation is called with a token that has exactly the documented
// abilities, and with each ability alone; path, query and body refer to existing resources.
// The answers contain nothing about other kinds of resources or about those of other users.
func TestNothingOfAnotherNounIsTold(t *testing.T) {
	t.Parallel()
	s := start(t, noMeaning)
	// The administrator's resources.
	batch := s.batch(t, `{"name":"hush-batch"}`)
	s.push(t, batch, upload{"hush-file.jpg", picture(1, 30, 20)}, upload{"second.jpg", picture(2, 30, 20)}).want(t, 201)
	s.finish(t, batch)
	files := s.do(t, "GET", fmt.Sprintf("/api/v1/upload-batches/%v/files", batch), "")
	g := []string{files.get("data.0.gaid").(string), files.get("data.1.gaid").(string)}
	for _, gaid := range g {
		s.retitle(t, gaid, "hush-title "+gaid)
	}
	kind := s.do(t, "POST", "/api/v1/collection-types", `{"name":"hush-type"}`).want(t, 201).get("data.id")
	c := s.collection(t, fmt.Sprintf(`{"name":"hush-collection","collection_type_id":%v}`, kind))
	s.do(t, "POST", c+"/assets", gaids(g...)).want(t, 200)
	s.collection(t, `{"name":"hush-child","parent_id":`+idOf(c)+`}`)
	changed := s.collection(t, `{"name":"hush-changed","parent_id":`+idOf(c)+`}`)
	s.collection(t, `{"name":"hush-child","parent_id":`+idOf(changed)+`}`)
	s.collection(t, `{"name":"hush-ruled","rules":`+fmt.Sprintf(titleRule, "contains", "hush")+`}`)
	s.do(t, "POST", "/api/v1/metadata/fields", `{"key":"hush","label":"hush-field","type":"text"}`).want(t, 201)
	s.do(t, "POST", "/api/v1/metadata/vocabularies", `{"key":"hush","name":"hush-vocabulary"}`).want(t, 201)
	s.do(t, "PUT", assets+"/"+g[0]+"/metadata", `{"hush":"x"}`).want(t, 200)
	s.do(t, "POST", "/api/v1/tokens", `{"name":"hush-token","abilities":["assets:read"]}`).want(t, 201)
	theirSearch := s.saveAs(t, s.token, "hush-search", `{"q":"hush-search"}`)
	s.do(t, "POST", webhooks, `{"url":"https://example.com/hush-hook","events":["asset.updated"],"is_active":false}`).want(t, 201)

	// The resources of the editor whose tokens are used.
	editor := s.userID(t, "editor@example.com", dam.RoleEditor)
	all := s.tokenFor(t, editor, allBut()...)
	rule := collectionRule("in", "["+idOf(c)+"]")
	search := s.saveAs(t, all, "own", `{"filters":`+rule+`}`)
	op := s.operateAs(t, all, `{"type":"export","format":"csv","selection":{"filters":`+rule+`}}`)
	s.untilAs(t, all, op, func(a answer) bool { return a.get("data.state") == "completed" })
	own := s.as(t, all, "POST", "/api/v1/upload-batches", `{"name":"own","collection_ids":[`+idOf(c)+`]}`).want(t, 201).get("data.id")
	hook := s.as(t, all, "POST", webhooks, `{"url":"https://example.com/own","events":["*"],"is_active":false}`).want(t, 201).get("data.id")

	ids := map[string][]string{
		"{gaid}":            g[:1],
		"{collection}":      {idOf(c), idOf(changed)},
		"{collection_type}": {fmt.Sprint(kind)},
		"{saved_search}":    {idOf(search), idOf(theirSearch)},
		"{operation}":       {idOf(op)},
		"{batch}":           {fmt.Sprint(own), fmt.Sprint(batch)},
		"{file}":            {"1"},
		"{id}":              {fmt.Sprint(hook), "1"},
		"{token}":           {"99999"},
		"{asset_class}":     {"1"},
		"{key}":             {"hush"},
		"{vocabulary}":      {"hush"},
		"{term}":            {"1"},
		"{delivery}":        {"01980a3c-54f0-7c3e-9b1a-6f2d5c7e8a90"},
	}
	queries := map[string][]string{
		"GET /api/v1/assets": {
			"",
			"?facets=collections",
			"?facets=ingestion_batch_id,asset_class_id",
			"?filters=" + url.QueryEscape(rule),
			"?filters=" + url.QueryEscape(collectionRule("is_not_empty", "null")),
			"?ingestion_batch_id=" + fmt.Sprint(batch),
			"?q=hush",
			"?q=hush&facets=collections",
		},
		"GET /api/v1/collections/{collection}/assets": {"", "?facets=collections,ingestion_batch_id", "?q=hush"},
		"GET /api/v1/assets/{gaid}":                   {"", "?trashed=with"},
		"GET /api/v1/assets/{gaid}/download":          {"", "?rendition=thumbnail"},
		"POST /api/v1/operations":                     {"", "?dry_run=true"},
	}
	sel := `"selection":{"gaids":["` + g[0] + `"]}`
	bodies := map[string][]string{
		"PUT /api/v1/assets/{gaid}":          {`{"creator":"x"}`, `{}`, `{"metadata":{"hush":"y"}}`},
		"PUT /api/v1/assets/{gaid}/metadata": {`{"hush":"z"}`},
		"PUT /api/v1/collections/{collection}": {
			`{}`,
			`{"name":"hush-changed","parent_id":` + idOf(c) + `}`,
			`{"rules":` + rule + `}`,
		},
		"POST /api/v1/collections": {
			`{"name":"new","parent_id":` + idOf(c) + `}`,
			`{"name":"new","rules":` + rule + `}`,
		},
		"POST /api/v1/collections/{collection}/assets":      {gaids(g...)},
		"DELETE /api/v1/collections/{collection}/assets":    {gaids(g[1])},
		"PUT /api/v1/collections/{collection}/assets/order": {gaids(g[0])},
		"POST /api/v1/upload-batches":                       {`{}`, `{"collection_ids":[` + idOf(c) + `]}`, `{"metadata":{"hush":"x"}}`},
		"POST /api/v1/saved-searches": {
			`{"name":"a","query":{"filters":` + rule + `}}`,
			`{"name":"b","query":{"ingestion_batch_id":1}}`,
		},
		"PUT /api/v1/saved-searches/{saved_search}":          {`{"name":"own"}`, `{"query":{"filters":` + rule + `}}`},
		"POST /api/v1/webhooks":                              {`{"url":"https://example.com/x","events":["asset.updated"],"is_active":false}`},
		"PUT /api/v1/webhooks/{id}":                          {`{"description":"x"}`},
		"POST /api/v1/tokens":                                {`{"name":"x","abilities":["assets:read"]}`},
		"POST /api/v1/webhooks/{id}/deliveries/{}/redeliver": {``},
		"POST /api/v1/upload-batches/{batch}/files/{}/retry": {``},
		"POST /api/v1/upload-batches/{batch}/complete":       {``},
		"POST /api/v1/operations": {
			`{"type":"bulk_update",` + sel + `,"changes":{"creator":"y"}}`,
			`{"type":"bulk_update",` + sel + `,"changes":{"remove_collection_ids":[` + idOf(changed) + `]}}`,
			`{"type":"bulk_update",` + sel + `,"changes":{"metadata":{"hush":"y"}}}`,
			`{"type":"bulk_update","selection":{"filters":` + rule + `},"changes":{"creator":"y"}}`,
			`{"type":"bulk_delete","selection":{"q":"nowhere"}}`,
			`{"type":"export","format":"json",` + sel + `}`,
		},
	}

	var doc struct {
		Paths map[string]map[string]struct {
			Security []map[string][]dam.Ability `json:"security"`
		}
	}
	if err := json.Unmarshal(s.do(t, "GET", "/docs/api.json", "").want(t, 200).body, &doc); err != nil {
		t.Fatal(err)
	}
	tokens := map[string]string{}
	token := func(abilities []dam.Ability) string {
		key := fmt.Sprint(abilities)
		if tokens[key] == "" {
			tokens[key] = s.tokenFor(t, editor, abilities...)
		}
		return tokens[key]
	}
	singles := allBut()
	asked, answered := 0, 0
	// Changes run last, and deletions are left to other tests, except for moving assets to
	// the trash and back.
	order := slices.SortedFunc(maps.Keys(doc.Paths), strings.Compare)
	for _, method := range []string{"get", "post", "put", "delete"} {
		for _, path := range order {
			o, ok := doc.Paths[path][method]
			if !ok || method == "delete" && path != "/api/v1/assets/{gaid}" {
				continue
			}
			if path == "/api/v1/session" || path == "/api/v1/audit-logs" {
				continue
			}
			name := strings.ToUpper(method) + " " + path
			var needs []dam.Ability
			for _, scheme := range o.Security {
				needs = append(needs, scheme["bearer"]...)
			}
			sets := [][]dam.Ability{}
			if len(needs) > 0 && !slices.Contains(needs, dam.ConsentsRead) { // a consent ability, which no editor has
				sets = append(sets, needs)
			}
			for _, a := range singles {
				if len(needs) != 1 || needs[0] != a {
					sets = append(sets, []dam.Ability{a})
				}
			}
			for _, abilities := range sets {
				for _, target := range targets(path, ids) {
					for _, query := range append([]string{}, or(queries[name], []string{""})...) {
						for _, body := range or(bodies[name], []string{""}) {
							a := s.as(t, token(abilities), strings.ToUpper(method), target+query, body, "Idempotency-Key", newKey())
							asked++
							if a.StatusCode < 300 {
								answered++
							}
							told := string(a.body) + fmt.Sprint(a.Header)
							for secret, readers := range planted {
								if secret == "hush-collection" && method == "put" && target == c {
									continue // the answer to a change contains the collection
								}
								reads := func(a dam.Ability) bool { return slices.Contains(readers, a) }
								tells := strings.Contains(told, secret) && !strings.Contains(body, secret)
								if tells && !slices.ContainsFunc(abilities, reads) {
									t.Errorf("%s %s %s tells %v of %s: %d %.300s", method, target+query, body, abilities, secret, a.StatusCode, a)
								}
							}
							tells := strings.Contains(told, fmt.Sprintf(`"ingestion_batch_id":%v,`, batch))
							asks := strings.Contains(body, "ingestion_batch_id") || strings.Contains(path, "saved-searches")
							if tells && !asks {
								t.Errorf("%s %s tells %v of the upload batch of another: %.300s", method, target+query, abilities, a)
							}
						}
					}
				}
			}
		}
	}
	if asked < 1500 || answered < 90 {
		t.Errorf("%d requests, %d of them answered", asked, answered)
	}
}

// targets returns the paths with each parameter replaced by existing ids.
func targets(path string, ids map[string][]string) []string {
	name := pathParameter.FindString(path)
	if name == "" {
		return []string{path}
	}
	known := ids[name]
	if known == nil {
		known = []string{"1"}
	}
	var list []string
	for _, id := range known {
		list = append(list, targets(strings.Replace(path, name, id, 1), ids)...)
	}
	return list
}

// or returns list, or other if it is empty.
func or(list, other []string) []string {
	if len(list) == 0 {
		return other
	}
	return list
}
