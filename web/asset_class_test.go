package web_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/digital-asset-library/dal/app/dam"
)

// Only administrators can create, rename and delete asset classes.
func TestAssetClasses(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	const classes = "/api/v1/asset-classes"
	photo := s.do(t, "POST", classes, `{"name":" Straße "}`).want(t, 201)
	path := fmt.Sprintf("%s/%v", classes, photo.get("data.id"))
	if photo.get("data.name") != "Straße" || names(s.do(t, "GET", classes, ""), "name") != "Default Straße" {
		t.Errorf("%s", photo.body)
	}
	other := s.do(t, "POST", classes, `{"name":"Über"}`).want(t, 201)
	for _, request := range [][3]string{
		{"POST", classes, `{"name":"ÜBER"}`},
		{"PUT", path, `{"name":"über"}`},
		{"POST", classes, `{"name":" "}`},
	} {
		if a := s.do(t, request[0], request[1], request[2]).want(t, 422); a.told("name") == "" {
			t.Errorf("%s: %s", request, a)
		}
	}
	if a := s.do(t, "PUT", path, `{"name":"STRASSE"}`).want(t, 200); a.get("data.name") != "STRASSE" {
		t.Errorf("%s", a)
	}

	s.define(t, `{"key":"all","label":"x","type":"text"}`)
	s.define(t, fmt.Sprintf(`{"key":"lens","label":"x","type":"text","asset_class_ids":[%v]}`, photo.get("data.id")))
	a := s.do(t, "GET", fmt.Sprintf("%s?asset_class_id=%v", fieldsPath, photo.get("data.id")), "")
	if names(a, "key") != "all lens" || a.get("meta.total") != 2.0 {
		t.Errorf("%s", a)
	}
	if a := s.do(t, "GET", fmt.Sprintf("%s?asset_class_id=%v", fieldsPath, other.get("data.id")), ""); names(a, "key") != "all" {
		t.Errorf("%s", a)
	}
	asset := "/api/v1/assets/" + s.one(t, "a.jpg", picture(1, 40, 30))
	s.do(t, "PUT", asset, fmt.Sprintf(`{"asset_class_id":%v,"metadata":{"lens":"50 mm"}}`, photo.get("data.id"))).want(t, 200)
	if a := s.do(t, "DELETE", path, "").want(t, 409); a.get("message") != "The field lens is for this asset class." {
		t.Errorf("%s", a)
	}
	s.do(t, "DELETE", path+"?force=true", "").want(t, 409)
	s.do(t, "PUT", fieldsPath+"/lens", `{"asset_class_ids":[1]}`).want(t, 200)
	if a := s.do(t, "DELETE", path, "").want(t, 409); !strings.HasPrefix(a.get("message").(string), "1 asset") {
		t.Errorf("%s", a)
	}
	before := s.do(t, "GET", asset, "").get("data.version").(float64)
	s.do(t, "DELETE", path+"?force=true", "").want(t, 200)
	a = s.do(t, "GET", asset, "")
	if a.get("data.asset_class_id") != nil || a.get("data.metadata.lens") != "50 mm" || a.get("data.version") != before+1 {
		t.Errorf("%s", a)
	}
	for _, method := range []string{"PUT", "DELETE"} {
		if a := s.do(t, method, path, `{"name":"x"}`).want(t, 404); a.get("message") != "Asset class not found." {
			t.Errorf("%s", a)
		}
	}
	s.as(t, s.user(t, "editor@example.com", dam.RoleEditor), "POST", classes, `{"name":"x"}`).want(t, 403)
}
