package web_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/digital-asset-library/dal/app/dam"
)

// Collections move to the requested position, and their siblings keep their order.
func TestMoveCollection(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	id := map[string]string{}
	for _, name := range []string{"a", "b", "c", "d"} {
		id[name] = idOf(s.collection(t, fmt.Sprintf(`{"name":%q}`, name)))
	}
	move := func(name, body string) answer {
		t.Helper()
		for n, i := range id {
			body = strings.ReplaceAll(body, "<"+n+">", i)
		}
		return s.do(t, "POST", collections+"/"+id[name]+"/move", body)
	}
	order := func(parent string, want ...string) {
		t.Helper()
		s.do(t, "GET", collections+"?parent_id="+parent, "").want(t, 200).shows(t, "data", "name", want...)
	}
	order("0", "a", "b", "c", "d")
	move("d", `{"after":<a>}`).want(t, 200)
	order("0", "a", "d", "b", "c")
	move("c", `{}`).want(t, 200)
	order("0", "c", "a", "d", "b")
	move("b", `{"parent_id":<a>,"after":null}`).want(t, 200)
	move("d", `{"parent_id":<a>,"after":<b>}`).want(t, 200)
	order("0", "c", "a")
	order(id["a"], "b", "d")
	if n := s.do(t, "GET", collections+"/"+id["a"], "").get("data.children_count"); n != 2.0 {
		t.Errorf("%v children", n)
	}
	before := len(s.collectionEvents(t))
	move("d", `{"after":<b>}`).want(t, 200) // its current position
	if n := len(s.collectionEvents(t)); n != before {
		t.Errorf("%d events of what has not moved", n-before)
	}
	move("d", `{"parent_id":null,"after":<c>}`).want(t, 200)
	order("0", "c", "d", "a")

	for _, c := range []struct{ name, body, field string }{
		{"a", `{"parent_id":<b>}`, "parent_id"}, // below itself
		{"a", `{"parent_id":<a>}`, "parent_id"},
		{"a", `{"parent_id":999}`, "parent_id"},
		{"a", `{"after":<b>}`, "after"}, // not a sibling
		{"a", `{"after":<a>}`, "after"},
		{"a", `{"after":999}`, "after"},
		{"a", `{"before":<c>}`, "before"},
	} {
		if a := move(c.name, c.body).want(t, 422); a.told(c.field) == "" {
			t.Errorf("%s: %s", c.body, a)
		}
	}
	s.do(t, "POST", collections+"/999/move", `{}`).want(t, 404)
	order("0", "c", "d", "a")
}

// Moving collections around a restricted one, or counting those below one, does not reveal
// it.
func TestMoveAroundRestricted(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	editor := s.user(t, "e@example.com", dam.RoleEditor, dam.CollectionsRead, dam.CollectionsWrite)
	parent := s.collection(t, `{"name":"parent"}`)
	below := `{"parent_id":` + idOf(parent) + `,"name":`
	secret := s.collection(t, below+`"secret","visibility":"restricted"}`)
	x := s.collection(t, below+`"x"}`)
	y := s.collection(t, below+`"y"}`)
	if n := s.as(t, editor, "GET", parent, "").get("data.children_count"); n != 2.0 {
		t.Errorf("%v children", n)
	}
	s.as(t, editor, "POST", secret+"/move", `{}`).want(t, 404)
	s.as(t, editor, "POST", x+"/move", `{"after":`+idOf(secret)+`}`).want(t, 422)
	s.as(t, editor, "POST", x+"/move", `{"parent_id":`+idOf(secret)+`}`).want(t, 422)
	s.as(t, editor, "POST", y+"/move", `{}`).want(t, 200)
	s.as(t, editor, "GET", collections+"?parent_id="+idOf(parent), "").shows(t, "data", "name", "y", "x")
	s.do(t, "GET", parent, "").shows(t, "data.children", "name", "y", "secret", "x")

	s.do(t, "PUT", parent, `{"visibility":"restricted"}`).want(t, 200) // x and y are at the top level for the editor
	s.as(t, editor, "POST", x+"/move", `{"parent_id":null,"after":null}`).want(t, 200)
	s.do(t, "GET", parent, "").shows(t, "data.children", "name", "x", "y", "secret")
}

// Users with write access to collections can list the names of users, and no other user data.
func TestUserNames(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	path := "/api/v1/users/names"
	ids := map[string]int64{}
	for _, name := range []string{"zoe", "Élan", "bob"} {
		ids[name] = s.userID(t, name+"@example.com", dam.RoleViewer)
		s.set(t, name+"@example.com", func(u *dam.User) { u.Name = name })
	}
	s.set(t, "bob@example.com", disable)
	a := s.do(t, "GET", path+"?per_page=500", "").want(t, 200)
	if strings.Contains(string(a.body), "example.com") {
		t.Errorf("%s", a)
	}
	if n := names(a, "name"); !strings.HasSuffix(n, "zoe") || strings.Contains(n, "bob") || !strings.Contains(n, "Élan") {
		t.Errorf("%s", n)
	}
	s.do(t, "GET", path+"?q=ELA", "").want(t, 200).shows(t, "data", "name", "Élan")
	s.do(t, "GET", fmt.Sprintf("%s?ids=%d,%d,999", path, ids["zoe"], ids["bob"]), "").want(t, 200).shows(t, "data", "name", "bob", "zoe")
	if a := s.do(t, "GET", path+"?per_page=1&page=2", "").want(t, 200); len(column(a, "data", "name")) != 1 {
		t.Errorf("%s", a)
	}
	s.do(t, "GET", path+"?ids=x", "").want(t, 422)
}

func TestMoveTerm(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	_, ids := s.vocabulary(t, "regions", "eu=Europe", "as=Asia", "fr=France<eu", "de=Germany<eu", "paris=Paris<fr")
	path := vocabulariesPath + "/regions/terms"
	move := func(key, body string) answer {
		t.Helper()
		for k, id := range ids {
			body = strings.ReplaceAll(body, "<"+k+">", fmt.Sprint(id))
		}
		return s.do(t, "POST", fmt.Sprintf("%s/%v/move", path, ids[key]), body)
	}
	order := func(want string) {
		t.Helper()
		if a := s.do(t, "GET", path, "").want(t, 200); names(a, "key") != want {
			t.Errorf("%s, want %s", names(a, "key"), want)
		}
	}
	order("eu fr paris de as")
	if a := move("de", `{}`).want(t, 200); a.get("data.key") != "de" || a.get("data.parent_id") != ids["eu"] {
		t.Errorf("%s", a)
	}
	order("eu de fr paris as")
	if a := move("fr", `{"parent_id":0,"after":<as>}`).want(t, 200); a.get("data.parent_id") != nil || a.get("data.children_count") != 1.0 {
		t.Errorf("%s", a)
	}
	order("eu de as fr paris")
	move("as", `{"parent_id":<fr>,"after":<paris>}`).want(t, 200)
	order("eu de fr paris as")
	for body, field := range map[string]string{
		`{"parent_id":<paris>}`: "parent_id",
		`{"parent_id":999}`:     "parent_id",
		`{"after":<de>}`:        "after",
		`{"after":<fr>}`:        "after",
	} {
		if a := move("fr", body).want(t, 422); a.told(field) == "" {
			t.Errorf("%s: %s", body, a)
		}
	}
	s.do(t, "POST", path+"/999/move", `{}`).want(t, 404)
	order("eu de fr paris as")
}

func TestMoveField(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	for _, key := range []string{"a", "b", "c"} {
		s.define(t, fmt.Sprintf(`{"key":%q,"label":"x","type":"text"}`, key))
	}
	order := func(want string) {
		t.Helper()
		if a := s.do(t, "GET", fieldsPath, "").want(t, 200); names(a, "key") != want {
			t.Errorf("%s, want %s", names(a, "key"), want)
		}
	}
	s.do(t, "POST", fieldsPath+"/c/move", `{"after":"a"}`).want(t, 200)
	order("a c b")
	s.do(t, "POST", fieldsPath+"/b/move", `{"after":null}`).want(t, 200)
	order("b a c")
	s.do(t, "POST", fieldsPath+"/b/move", `{}`).want(t, 200)
	order("b a c")
	s.do(t, "POST", fieldsPath+"/x/move", `{}`).want(t, 404)
	for _, after := range []string{"x", "a"} {
		if a := s.do(t, "POST", fieldsPath+"/a/move", `{"after":"`+after+`"}`).want(t, 422); a.told("after") == "" {
			t.Errorf("%s", a)
		}
	}
}
