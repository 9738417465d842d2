package web_test

import (
	"fmt"
	"net/url"
	"strconv"
	"testing"
)

// A list counts the assets that contain the words and those that match only semantically,
// and omits the latter on request. Bulk operations process only assets with the words,
// unless told to include semantic matches.
func TestMatchesOfASearch(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	list := s.gaids(t,
		upload{"a young dog playing in the snow.jpg", scene(1, 64, 48, 90)},
		upload{"puppy on a sofa.jpg", scene(2, 64, 48, 90)},
		upload{"contract with a supplier.jpg", scene(3, 64, 48, 90)},
	)
	for i, title := range []string{"a young dog playing in the snow", "puppy on a sofa", "contract with a supplier"} {
		s.do(t, "PUT", "/api/v1/assets/"+list[i], fmt.Sprintf(`{"title":%q}`, title)).want(t, 200)
	}
	collection := s.collection(t, `{"name":"All","rules":`+every+`}`)
	s.untilMeant(t, "puppy", 2)
	for _, path := range []string{"/api/v1/assets", collection + "/assets"} {
		for query, want := range map[string]string{
			"q=puppy": "2 1 1", "q=puppy&meaning=true": "2 1 1", "q=puppy&meaning=false": "1 1 0", "q=supplier": "1 1 0",
			"q=pupp&exact=true": "0 0 0", "q=puppy&exact=true": "1 1 0", "q=young+puppy&exact=true&meaning=true": "0 0 0",
			"q=young+puppy&exact=false&meaning=false": "2 2 0", "meaning=false": "3 <nil> <nil>", "q=PUPPY": "2 1 1", "q=AB-1234": "0 0 0",
			"q=%22puppy%22": "1 1 0",
		} {
			a := s.do(t, "GET", path+"?"+query, "").want(t, 200)
			if got := fmt.Sprint(a.get("meta.total"), " ", a.get("meta.matches.words"), " ", a.get("meta.matches.meaning")); got != want {
				t.Errorf("%s?%s: %s, want %s", path, query, got, want)
			}
			o := s.do(t, "GET", path+"/outline?"+query, "").want(t, 200)
			if o.get("data.total") != a.get("meta.total") {
				t.Errorf("%s/outline?%s: %s", path, query, o)
			}
		}
		s.do(t, "GET", path+"?q=puppy&meaning=perhaps", "").want(t, 422)
		about := url.QueryEscape(rule("asset", "hybrid_search", `"puppy"`))
		s.total(t, s.token, path+"?filters="+about, 2)
		s.total(t, s.token, path+"?exact=true&filters="+about, 1)
	}
	for selection, want := range map[string]float64{
		`{"q":"puppy"}`: 1, `{"q":"puppy","meaning":false}`: 1, `{"q":"puppy","meaning":true}`: 2, `{"q":"PUPPY","meaning":true}`: 2,
		`{"q":"AB1234","meaning":true}`: 0, `{"q":"puppy","meaning":true,"filters":` + every + `}`: 2,
		`{"filters":` + rule("asset", "hybrid_search", `"puppy"`) + `}`:                1,
		`{"filters":` + rule("asset", "hybrid_search", `"puppy"`) + `,"meaning":true}`: 2,
	} {
		a := s.do(t, "POST", "/api/v1/assets/facets", `{"facets":["extension"],"selection":`+selection+`}`).want(t, 200)
		if a.get("data.total") != want {
			t.Errorf("facets of %s: %s", selection, a)
		}
		for _, of := range []string{`"bulk_delete"`, `"bulk_update","changes":{"rating":3}`, `"export","format":"csv"`} {
			body := `{"dry_run":true,"type":` + of + `,"selection":` + selection + `}`
			a := s.do(t, "POST", operations, body, "Idempotency-Key", newKey()).want(t, 200)
			if a.get("data.total") != want {
				t.Errorf("%s of %s: %s", of, selection, a)
			}
		}
	}
	for text, want := range map[string]float64{
		"puppy": 1, "pupp": 0, "pupy": 0, "young puppy": 0, "young dog": 1, "-puppy": 2, "sofa OR supplier": 2,
	} {
		path := s.collection(t, fmt.Sprintf(`{"name":%q,"rules":%s}`, text, rule("asset", "hybrid_search", strconv.Quote(text))))
		if a := s.do(t, "GET", path, "").want(t, 200); a.get("data.assets_count") != want {
			t.Errorf("a collection of %s has %v, want %v", text, a.get("data.assets_count"), want)
		}
	}
	a := s.ended(t, s.operate(t, `{"type":"bulk_update","selection":{"q":"puppy"},"changes":{"rating":3}}`))
	if a.get("data.progress.total") != 1.0 || a.get("data.spec.meaning") != false {
		t.Errorf("%s", a)
	}
	a = s.ended(t, s.operate(t, `{"type":"bulk_update","selection":{"filters":`+every+`},"changes":{"rating":3}}`))
	if a.get("data.spec.meaning") != nil {
		t.Errorf("%s", a)
	}
}

// A saved search stores that semantic search is off.
func TestSavedSearchByWords(t *testing.T) {
	t.Parallel()
	s := start(t, noMeaning)
	for sent, want := range map[string]any{`{"q":"a","meaning":false}`: false, `{"q":"b","meaning":true}`: nil, `{"q":"c"}`: nil} {
		a := s.do(t, "POST", savedSearches, fmt.Sprintf(`{"name":%q,"query":%s}`, sent, sent)).want(t, 201)
		if a = s.do(t, "GET", fmt.Sprintf("%s/%v", savedSearches, a.get("data.id")), ""); a.get("data.query.meaning") != want {
			t.Errorf("%s: %s", sent, a)
		}
	}
}
