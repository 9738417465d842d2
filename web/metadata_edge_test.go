package web_test

import (
	"fmt"
	"strings"
	"testing"
)

// Numbers are stored exactly or refused.
func TestMetadataNumbers(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	path := "/api/v1/assets/" + s.one(t, "a.jpg", picture(1, 40, 30)) + "/metadata"
	s.define(t, `{"key":"int","label":"x","type":"integer"}`)
	s.define(t, `{"key":"num","label":"x","type":"number"}`)
	s.define(t, `{"key":"few","label":"x","type":"integer","validation":{"min":-2500000,"max":1000000}}`)
	for _, c := range []struct{ body, field, message string }{
		{`{"int":9007199254740993}`, "metadata.int", "between -9007199254740991 and 9007199254740991"}, // would be parsed as ...992
		{`{"int":-9007199254740992}`, "metadata.int", "between"},
		{`{"num":1e400}`, "body", "The number 1e400 is too large."},
		{`{"few":2000000}`, "metadata.few", "few may not be greater than 1000000."},
		{`{"few":-2500001}`, "metadata.few", "few may not be less than -2500000."},
	} {
		if a := s.do(t, "PUT", path, c.body).want(t, 422); !strings.Contains(a.told(c.field), c.message) {
			t.Errorf("%s: %s", c.body, a)
		}
	}
	s.do(t, "PUT", path, `{"num":NaN}`).want(t, 400)
	a := s.do(t, "PUT", path, `{"int":9007199254740991,"num":-0.0}`).want(t, 200)
	if !strings.Contains(string(a.body), `"metadata":{"int":9007199254740991,"num":0}`) {
		t.Errorf("%s", a)
	}
}

// A URL contains no characters that display as others or that end it in a page.
func TestMetadataURL(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	path := "/api/v1/assets/" + s.one(t, "a.jpg", picture(1, 40, 30)) + "/metadata"
	s.define(t, `{"key":"url","label":"x","type":"url"}`)
	for _, bad := range []string{
		`JavaScript:alert(1)`,
		`https://exam<ple.com/`,
		`https://example.com/\u202egnp.exe`,
		`https://example.com/\"onclick=x`,
		`https://example.com/a\\b`,
		`https://example.com/\u0000`,
		`//example.com`,
		`https:///x`,
		`https://example.com/\u00a0`,
		`data:text/html,x`,
	} {
		if a := s.do(t, "PUT", path, `{"url":"`+bad+`"}`).want(t, 422); !strings.Contains(a.told("metadata.url"), "http://") {
			t.Errorf("%s: %s", bad, a)
		}
	}
	for _, good := range []string{`HTTPS://Example.COM/`, `https://例え.jp/写真?é=ü`, `https://user@example.com:8443/a|b{c}`} {
		if a := s.do(t, "PUT", path, `{"url":"`+good+`"}`).want(t, 200); a.get("data.metadata.url") != good {
			t.Errorf("%s: %s", good, a)
		}
	}
}

// Undefined keys and values, and null.
func TestMetadataKeys(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	path := "/api/v1/assets/" + s.one(t, "a.jpg", picture(1, 40, 30)) + "/metadata"
	for _, key := range []string{"é", "$schema", "a b", "a.b", "_a", "1", strings.Repeat("a", 65), "ａ"} {
		if a := s.do(t, "PUT", path, fmt.Sprintf(`{%q:"x"}`, key)).want(t, 422); a.told("metadata."+key) == "" {
			t.Errorf("%s: %s", key, a)
		}
	}
	s.do(t, "PUT", path, `null`).want(t, 422)
	s.define(t, `{"key":"int","label":"x","type":"integer"}`)
	batch := s.do(t, "POST", "/api/v1/upload-batches", `{"metadata":{"int":null}}`).want(t, 201)
	if fmt.Sprint(batch.get("data.metadata")) != "map[]" {
		t.Errorf("%s", batch.body)
	}
}

// A bulk update of a field of one class changes the assets of that class and fails for
// others.
func TestBulkUpdateOfClassField(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	s.define(t, `{"key":"lens","label":"x","type":"text","asset_class_ids":[1]}`)
	with, without := s.one(t, "a.jpg", picture(1, 40, 30)), s.one(t, "b.jpg", picture(2, 40, 30))
	s.do(t, "PUT", "/api/v1/assets/"+with, `{"asset_class_id":1}`).want(t, 200)
	body := `{"type":"bulk_update","selection":{"gaids":["` + with + `","` + without + `"]},"changes":{"metadata":{"lens":%s}}}`
	a := s.do(t, "POST", "/api/v1/operations", fmt.Sprintf(body, "1"), "Idempotency-Key", "a").want(t, 422)
	if a.told("changes.metadata.lens") != "lens must be a text." {
		t.Errorf("%s", a)
	}
	path := s.operate(t, fmt.Sprintf(body, `"50 mm"`))
	s.until(t, path, func(a answer) bool { return a.get("data.state") == "completed_with_errors" })
	if a := s.do(t, "GET", "/api/v1/assets/"+with, ""); a.get("data.metadata.lens") != "50 mm" {
		t.Errorf("%s", a)
	}
	const otherClass = "The field lens does not apply to assets of this class."
	a = s.do(t, "GET", path+"/items?state=failed", "")
	if a.get("meta.total") != 1.0 || a.get("data.0.error.message") != otherClass {
		t.Errorf("%s", a)
	}
	// If the changes include the class, a mismatch is reported immediately.
	body = `{"type":"bulk_update","selection":{"gaids":["` + without + `"]},"changes":{"asset_class_id":null,"metadata":{"lens":"x"}}}`
	a = s.do(t, "POST", "/api/v1/operations", body, "Idempotency-Key", "c").want(t, 422)
	if a.told("changes.metadata.lens") != otherClass {
		t.Errorf("%s", a)
	}
}

// An inactive term cannot be a default, and a default term cannot be deactivated.
func TestInactiveDefault(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	v, ids := s.vocabulary(t, "regions", "fr=France", "de=Germany")
	s.define(t, fmt.Sprintf(`{"key":"region","label":"Region","type":"term","vocabulary_id":%v,"default_value":"fr"}`, v))
	term := fmt.Sprintf("%s/regions/terms/%v", vocabulariesPath, ids["fr"])
	const isDefault = "The term fr is the default of the field region; give the field another one first."
	if a := s.do(t, "PUT", term, `{"is_active":false}`).want(t, 409); a.get("message") != isDefault {
		t.Errorf("%s", a)
	}
	s.do(t, "PUT", fieldsPath+"/region", `{"default_value":"de"}`).want(t, 200)
	s.do(t, "PUT", term, `{"is_active":false}`).want(t, 200)
	s.do(t, "PUT", term, `{"label":"Gaul"}`).want(t, 200)
	s.do(t, "PUT", fieldsPath+"/region", `{"default_value":"fr"}`).want(t, 422)
}

// Items after the last position share that position.
func TestLastPosition(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	s.define(t, `{"key":"last","label":"x","type":"text","position":1000000}`)
	if a := s.define(t, `{"key":"more","label":"x","type":"text"}`); a.get("data.position") != 1e6 {
		t.Errorf("%s", a)
	}
	s.vocabulary(t, "v")
	s.do(t, "POST", vocabulariesPath+"/v/terms", `{"key":"last","label":"x","position":1000000}`).want(t, 201)
	s.do(t, "POST", vocabulariesPath+"/v/terms", `{"key":"more","label":"x"}`).want(t, 201)
}
