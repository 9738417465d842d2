package web_test

import (
	"fmt"
	"net/url"
	"testing"

	"github.com/digital-asset-library/dal/app/dam"
)

// Parameters are equivalent to rules, and rules about owners, keys, orientations, shares
// and downloads match correctly. Collections refuse rules that depend on other records.
func TestFilterFields(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	a, b := s.one(t, "a.jpg", picture(1, 60, 30)), s.one(t, "b.png", pngOf(30, 60))
	checksum := s.do(t, "GET", assets+"/"+a, "").want(t, 200).get("data.checksum_sha256")
	top := s.do(t, "POST", collections, `{"name":"top"}`).want(t, 201).get("data.id")
	below := s.do(t, "POST", collections, fmt.Sprintf(`{"name":"below","parent_id":%v}`, top)).want(t, 201).get("data.id")
	s.do(t, "POST", fmt.Sprintf("%s/%v/assets", collections, below), `{"gaids":["`+a+`"]}`).want(t, 200)
	s.do(t, "PUT", assets+"/"+b, `{"keywords":["dawn","Sea"]}`).want(t, 200)
	s.do(t, "POST", shares, `{"type":"collection","collection_id":`+fmt.Sprint(below)+`,"name":"x"}`).want(t, 201)
	for query, want := range map[string][]string{
		"file_category=Image": {a, b}, "file_category=Video": {}, "extension=JPG": {a}, "owner_id=1": {a, b}, "owner_id=9": {},
		"created_by_id=1": {a, b}, "keywords=sea,none": {b}, "gaids[]=" + a: {a}, "gaids[]=" + a + "&gaids[]=" + b: {a, b}, "gaids[]=nope": {},
		fmt.Sprintf("collection_id=%v", below): {a}, fmt.Sprintf("collection_id=%v", top): {},
	} {
		s.do(t, "GET", assets+"?sort_direction=asc&"+query, "").want(t, 200).shows(t, "data", "gaid", want...)
	}
	for field, tests := range map[string]map[string][]string{
		"owner":       {`"equals","value":1`: {a, b}, `"not_in","value":[1]`: {}},
		"orientation": {`"equals","value":"portrait"`: {b}}, "aspect_ratio": {`"equals","value":2`: {a}},
		"gaid":            {`"not_equals","value":"` + a + `"`: {b}},
		"checksum_sha256": {`"in","value":["` + fmt.Sprint(checksum) + `"]`: {a}},
		"collection_tree": {fmt.Sprintf(`"in","value":[%v]`, top): {a}, fmt.Sprintf(`"not_in","value":[%v]`, top): {b}},
		"shared":          {`"equals","value":true`: {a}, `"equals","value":false`: {b}},
		"downloads":       {`"equals","value":{"value":0,"days":30}`: {a, b}, `"greater_than","value":0`: {}},
		"file_version":    {`"less_than","value":2`: {a, b}}, "camera": {`"is_empty"`: {a, b}},
	} {
		for rest, want := range tests {
			doc := `{"type":"filter","field":"asset.` + field + `","operator":` + rest + `}`
			s.do(t, "GET", assets+"?sort_direction=asc&filters="+url.QueryEscape(doc), "").want(t, 200).shows(t, "data", "gaid", want...)
			not := `{"type":"group","operator":"not","rules":[` + doc + `]}`
			s.total(t, s.token, assets+"?filters="+url.QueryEscape(not), 2-len(want))
		}
	}
	for _, field := range []string{"gaid", "shared", "downloads", "collection_tree"} {
		value := map[string]string{"gaid": `"` + a + `"`, "shared": "true", "downloads": "1", "collection_tree": "[1]"}[field]
		op := map[bool]string{true: "in", false: "equals"}[field == "collection_tree"]
		rules := `{"type":"filter","field":"asset.` + field + `","operator":"` + op + `","value":` + value + `}`
		refused := s.do(t, "POST", collections, `{"name":"ruled","rules":`+rules+`}`).want(t, 422)
		if got := refused.get("message"); got != "The rules of a collection cannot use the field asset."+field+"; use it in a search." {
			t.Errorf("%s: %v", field, got)
		}
	}
}

// Rules about shares, collections and usage reveal nothing that the user may not see
// otherwise.
func TestFilterFieldLeaks(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	a, b := s.one(t, "a.jpg", picture(1, 60, 30)), s.one(t, "b.jpg", picture(2, 30, 60))
	bob := s.userID(t, "bob@example.com", dam.RoleEditor)
	collection := s.do(t, "POST", collections, `{"name":"c"}`).want(t, 201).get("data.id")
	s.do(t, "POST", fmt.Sprintf("%s/%v/assets", collections, collection), `{"gaids":["`+a+`"]}`).want(t, 200)
	share := fmt.Sprintf(`{"type":"collection","collection_id":%v,"name":"x"}`, collection)
	find := func(filter string) string { return assets + "?filters=" + url.QueryEscape(filter) }
	shared, tree := rule("asset.shared", "equals", "true"), rule("asset.collection_tree", "in", fmt.Sprintf("[%v]", collection))

	narrow := s.tokenFor(t, bob, dam.AssetsRead)
	s.as(t, narrow, "GET", find(tree), "").lacks(t, "collection_tree", dam.CollectionsRead)
	s.as(t, narrow, "GET", fmt.Sprintf("%s?collection_id=%v", assets, collection), "").lacks(t, "collection_id", dam.CollectionsRead)
	s.as(t, narrow, "GET", find(shared), "").lacks(t, "shared", dam.CollectionsRead, dam.SharesRead)
	for _, field := range []string{"downloads", "views"} {
		none := `{"type":"group","operator":"not","rules":[` + rule("asset."+field, "equals", "0") + `]}`
		s.as(t, narrow, "GET", find(none), "").lacks(t, field, dam.AnalyticsRead)
	}

	all := s.tokenFor(t, bob, dam.AssetsRead, dam.AssetsDownload, dam.CollectionsRead, dam.SharesRead, dam.SharesManage)
	s.do(t, "POST", shares, `{"type":"assets","gaids":["`+b+`"],"name":"of another"}`).want(t, 201)
	s.total(t, all, find(shared), 0)
	s.as(t, all, "POST", shares, share).want(t, 201)
	s.as(t, all, "GET", find(shared), "").want(t, 200).shows(t, "data", "gaid", a)
	s.total(t, all, find(tree), 1)
	s.do(t, "PUT", fmt.Sprintf("%s/%v", collections, collection), `{"visibility":"restricted","viewer_ids":[]}`).want(t, 200)
	s.total(t, all, find(shared), 0)
	s.total(t, all, find(tree), 0)
}
