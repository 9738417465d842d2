package web_test

import (
	"fmt"
	"strings"
	"testing"
)

// Fields are filled from uploaded files, with new terms where the vocabulary accepts them;
// values that do not fit are reported.
func TestFieldsFromXMP(t *testing.T) {
	t.Parallel()
	s := start(t, noMeaning)
	places, _ := s.vocabulary(t, "places", "europe")
	s.define(t, fmt.Sprintf(`{"key":"places","label":"P","type":"terms","vocabulary_id":%v,"xmp_path":"lr:hierarchicalSubject",`+
		`"accepts_new_terms":true}`, places))
	fixed, _ := s.vocabulary(t, "fixed", "known")
	s.define(t, fmt.Sprintf(`{"key":"event","label":"E","type":"terms","vocabulary_id":%v,"xmp_path":"Iptc4xmpExt:PersonInImage"}`, fixed))
	s.define(t, `{"key":"headline","label":"H","type":"text","xmp_path":"photoshop:Headline","validation":{"max_length":5}}`)
	s.define(t, `{"key":"day","label":"D","type":"date","xmp_path":"photoshop:DateCreated"}`)
	s.define(t, `{"key":"good","label":"G","type":"boolean","xmp_path":"xmpRights:Marked"}`)
	s.define(t, `{"key":"urgency","label":"U","type":"integer","xmp_path":"photoshop:Urgency"}`)
	a := s.ingest(t, upload{"a.jpg", picture(1, 80, 60)}, upload{"a.jpg.xmp", sidecarOf(
		`xmlns:xmpRights="http://ns.adobe.com/xap/1.0/rights/" xmlns:e="http://iptc.org/std/Iptc4xmpExt/2008-02-29/" ` +
			`xmpRights:Marked="True" photoshop:Urgency="3" photoshop:Headline="Too long" ` +
			`photoshop:DateCreated="2026-01-31T12:00:00+01:00"><lr:hierarchicalSubject><rdf:Bag><rdf:li>Europe|France|Paris &amp; around</rdf:li>` +
			`<rdf:li>港</rdf:li></rdf:Bag></lr:hierarchicalSubject><e:PersonInImage><rdf:Bag><rdf:li>known</rdf:li><rdf:li>unknown</rdf:li>` +
			`</rdf:Bag></e:PersonInImage>`)})
	path := assets + "/" + fmt.Sprint(a[0]["gaid"])
	got := s.do(t, "GET", path, "").want(t, 200)
	const want = "map[day:2026-01-31 event:[known] good:true places:[paris-around term-"
	if meta := fmt.Sprint(got.get("data.metadata")); !strings.HasPrefix(meta, want) || !strings.HasSuffix(meta, "] urgency:3]") {
		t.Error(meta)
	}
	unfit := fmt.Sprint(got.get("data.technical.xmp_unfit"))
	for _, want := range []string{"field:headline", "may not have more than 5 characters", "field:event", "value:unknown"} {
		if !strings.Contains(unfit, want) {
			t.Errorf("%s lacks %s", unfit, want)
		}
	}
	terms := s.do(t, "GET", fmt.Sprintf("/api/v1/metadata/vocabularies/%v/terms?per_page=100", places), "").want(t, 200)
	if names := fmt.Sprint(column(terms, "data", "key")); !strings.Contains(names, "europe france paris-around") {
		t.Error(names)
	}
	copied := s.do(t, "GET", path+"/download?embed_metadata=1", "").want(t, 200)
	for _, want := range []string{"europe|France|Paris &amp; around", "港", `<photoshop:Urgency>3<`, "<xmpRights:Marked>True<"} {
		if !strings.Contains(strings.ToLower(string(copied.body)), strings.ToLower(want)) {
			t.Errorf("the copy has no %s", want)
		}
	}

	for body, field := range map[string]string{
		`{"key":"x","label":"X","type":"text","xmp_path":"photoshop:Headline"}`:             "xmp_path", // taken
		`{"key":"x","label":"X","type":"text","xmp_path":"dc:title"}`:                       "xmp_path",
		`{"key":"x","label":"X","type":"text","xmp_path":"nobody:Knows"}`:                   "xmp_path",
		`{"key":"x","label":"X","type":"text","xmp_path":"no path"}`:                        "xmp_path",
		`{"key":"x","label":"X","type":"text","xmp_path":"lr:hierarchicalSubject"}`:         "xmp_path",
		`{"key":"x","label":"X","type":"text","accepts_new_terms":true}`:                    "accepts_new_terms",
		`{"key":"x","label":"X","type":"text","xmp_path":"plus:Licensor/nobody:LicensorX"}`: "xmp_path",
	} {
		if a := s.do(t, "POST", fieldsPath, body).want(t, 422); a.told(field) == "" {
			t.Errorf("%s: %s", body, a)
		}
	}
	s.do(t, "PUT", fieldsPath+"/headline", `{"xmp_path":null}`).want(t, 200)
	if a := s.do(t, "GET", fieldsPath+"/headline", "").want(t, 200); a.get("data.xmp_path") != nil {
		t.Errorf("%s", a)
	}
}
