package web_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/digital-asset-library/dal/app/dam"
)

// The kept asset takes over the collections, the keywords and the best rating of the
// others, which are moved to the trash; the merge is atomic.
func TestMerge(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	g := s.pictures(t, 4)
	for i, body := range []string{
		`{"keywords":["sea","Boat"]}`, `{"keywords":["boat","dawn"],"rating":2}`, `{"rating":4,"keywords":["harbour"]}`, `{"rating":1}`,
	} {
		s.do(t, "PUT", assets+"/"+g[i], body).want(t, 200)
	}
	open, secret := s.collection(t, `{"name":"Open"}`), s.collection(t, `{"name":"Secret","visibility":"restricted"}`)
	s.collection(t, `{"name":"Rules","rules":{"type":"filter","field":"asset.rating","operator":"equals","value":4}}`)
	s.do(t, "POST", open+"/assets", fmt.Sprintf(`{"gaids":[%q,%q]}`, g[0], g[1])).want(t, 200)
	s.do(t, "POST", secret+"/assets", fmt.Sprintf(`{"gaids":[%q]}`, g[2])).want(t, 200)
	editor := s.user(t, "ed@example.com", dam.RoleEditor)
	merge := assets + "/" + g[0] + "/merge"
	for body, field := range map[string]string{
		fmt.Sprintf(`{"gaids":[%q,%q]}`, g[1], g[0]):                     "gaids.1",
		fmt.Sprintf(`{"gaids":[%q,"01KB3J8Q5V7X9Z1B3D5F7H9K1M"]}`, g[1]): "gaids.1",
		`{"gaids":[]}`: "gaids", `{}`: "gaids",
		`{"gaids":["` + strings.Repeat(g[1]+`","`, 100) + g[1] + `"]}`: "gaids",
	} {
		if a := s.as(t, editor, "POST", merge, body).want(t, 422); a.told(field) == "" {
			t.Errorf("%.80s: %s", body, a)
		}
	}
	s.total(t, s.token, assets+"?trashed=only", 0)
	s.do(t, "POST", assets+"/01KB3J8Q5V7X9Z1B3D5F7H9K1M/merge", fmt.Sprintf(`{"gaids":[%q]}`, g[1])).want(t, 404)

	a := s.as(t, editor, "POST", merge, fmt.Sprintf(`{"gaids":[%q,%q,%q]}`, g[1], g[2], g[1])).want(t, 200)
	if got := fmt.Sprint(a.get("data.keywords"), a.get("data.rating")); got != "[sea Boat dawn harbour] 4" {
		t.Errorf("it has %s", got)
	}
	a.shows(t, "data.collections", "name", "Open", "Rules") // the editor does not see the restricted one
	s.do(t, "GET", assets+"/"+g[0], "").shows(t, "data.collections", "name", "Open", "Rules", "Secret")
	s.do(t, "GET", assets+"?trashed=only&sort_by=title", "").shows(t, "data", "gaid", g[1], g[2])
	if a := s.do(t, "GET", assets+"/"+g[0]+"/history", ""); a.get("data.0.changes.0.field") != "keywords" || a.get("meta.total") != 3.0 {
		t.Errorf("%s", a)
	}
	s.do(t, "POST", merge, fmt.Sprintf(`{"gaids":[%q]}`, g[1])).want(t, 422) // is in the trash

	// An existing rating is kept, and if nothing is taken over, nothing changes.
	a = s.do(t, "POST", merge, fmt.Sprintf(`{"gaids":[%q]}`, g[3])).want(t, 200)
	if a.get("data.rating") != 4.0 || a.get("data.version") != 3.0 {
		t.Errorf("%s", a)
	}
	s.do(t, "POST", assets+"/"+g[1]+"/restore", "").want(t, 200)
}

// Everyone who sees the trash sees its pictures; originals in it require assets:delete.
func TestFilesInTheTrash(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	path := assets + "/" + s.one(t, "a.jpg", picture(1, 400, 300))
	viewer, editor := s.user(t, "vi@example.com", dam.RoleViewer), s.user(t, "ed@example.com", dam.RoleEditor)
	s.do(t, "DELETE", path, "").want(t, 200)
	for _, file := range []string{"?rendition=thumbnail", "?rendition=preview", ""} {
		a := s.as(t, editor, "GET", path+"/download"+file, "").want(t, 200)
		if cache := a.Header.Get("Cache-Control"); !strings.HasPrefix(cache, "private") {
			t.Errorf("%s is cached as %q", file, cache)
		}
		s.as(t, editor, "GET", path+"/download"+file, "", "If-None-Match", a.Header.Get("ETag")).want(t, 304)
		shown, unchanged := 200, 304
		if file == "" {
			shown, unchanged = 404, 404
		}
		s.as(t, viewer, "GET", path+"/download"+file, "").want(t, shown)
		s.as(t, viewer, "GET", path+"/download"+file, "", "If-None-Match", a.Header.Get("ETag")).want(t, unchanged)
	}
	s.do(t, "DELETE", path+"?force=true", "").want(t, 200)
	s.as(t, editor, "GET", path+"/download?rendition=thumbnail", "").want(t, 404)
}

// POST removes assets from a collection just like DELETE.
func TestRemoveByPost(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	g := s.pictures(t, 2)
	c := s.collection(t, `{"name":"Some"}`)
	s.do(t, "POST", c+"/assets", fmt.Sprintf(`{"gaids":[%q]}`, g[0])).want(t, 200)
	a := s.do(t, "POST", c+"/assets/remove", fmt.Sprintf(`{"gaids":[%q,%q]}`, g[0], g[1])).want(t, 200)
	if a.get("data.removed") != 1.0 || a.get("data.unchanged") != 1.0 {
		t.Errorf("%s", a)
	}
	s.total(t, s.token, c+"/assets", 0)
	s.do(t, "POST", c+"/assets/remove", `{"gaids":[]}`).want(t, 422)
}
