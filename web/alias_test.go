package web_test

import (
	"fmt"
	"testing"

	"github.com/digital-asset-library/dal/app/dam"
)

// Deprecated names return the same values as their replacements, and created_by is a user
// everywhere.
func TestDeprecatedNames(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	gaid := s.one(t, "a.jpg", picture(1, 40, 30))
	eve := s.user(t, "eve@example.com", dam.RoleEditor)
	path := s.operateAs(t, eve, `{"type":"export","format":"csv","selection":{"gaids":["`+gaid+`"]}}`)
	s.untilAs(t, eve, path, func(a answer) bool { return a.get("data.finished_at") != nil })
	for _, a := range []answer{s.as(t, eve, "GET", path, ""), s.as(t, eve, "GET", operations+"?status=completed", "")} {
		at := "data."
		if a.get("meta") != nil {
			at = "data.0."
		}
		if a.get(at+"status") != "completed" || a.get(at+"state") != "completed" || a.get(at+"created_by.email") != "eve@example.com" {
			t.Errorf("%s", a)
		}
	}
	if a := s.as(t, eve, "GET", operations+"?status=failed", ""); a.get("meta.total") != 0.0 {
		t.Errorf("%s", a)
	}
	f := s.do(t, "GET", "/api/v1/upload-batches/1/files", "").want(t, 200)
	if f.get("data.0.original_filename") != "a.jpg" || f.get("data.0.filename") != "a.jpg" ||
		f.get("data.0.file_size") != f.get("data.0.size") || f.get("data.0.size") == 0.0 {
		t.Errorf("%s", f)
	}
	s.do(t, "PUT", assets+"/"+gaid, `{"keywords":["harbour","harm","hart"]}`).want(t, 200)
	a := s.do(t, "GET", "/api/v1/suggestions?q=har&per_page=2&page=2", "").want(t, 200)
	if a.get("meta.total") != 3.0 || a.get("data.1") != nil || a.get("data.0") == nil || fmt.Sprint(a.get("links.next")) != "<nil>" {
		t.Errorf("%s", a)
	}
}
