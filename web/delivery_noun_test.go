package web_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/digital-asset-library/dal/app/dam"
)

// Events of collections and operations contain the same data as their endpoints, and no
// receiver gets events of a collection that its owner may not view.
func TestDeliveryOfCollections(t *testing.T) {
	t.Parallel()
	s := start(t, sends(t, nil))
	r := newReceiver(t)
	bob := s.user(t, "bob@example.com", dam.RoleEditor)
	gaid := s.one(t, "p.jpg", picture(1, 64, 48))
	s.hook(t, r.URL+"/ada", "collection.created", "collection.updated", "collection.deleted", "operation.completed", "asset.updated")
	s.hookAs(t, bob, r.URL+"/bob", "collection.created", "collection.updated", "collection.deleted", "operation.completed", "asset.updated")

	create := func(body string) string {
		return fmt.Sprintf("/api/v1/collections/%v", s.do(t, "POST", "/api/v1/collections", body).want(t, 201).get("data.id"))
	}
	secret := create(`{"name":"Secret","visibility":"restricted"}`)
	hidden := secret[len("/api/v1/collections/"):]
	open := create(fmt.Sprintf(`{"name":"Open","parent_id":%s}`, hidden))
	create(fmt.Sprintf(`{"name":"Ruled","rules":{"type":"filter","field":"asset.collections","operator":"in","value":[%s]}}`, hidden))
	for _, c := range []string{secret, open} {
		s.do(t, "POST", c+"/assets", fmt.Sprintf(`{"gaids":[%q]}`, gaid)).want(t, 200)
	}
	shown := map[string]any{}
	for name, token := range map[string]string{"/ada": s.token, "/bob": bob} {
		for _, c := range s.as(t, token, "GET", "/api/v1/collections", "").want(t, 200).get("data").([]any) {
			shown[name+" "+c.(map[string]any)["name"].(string)] = c
		}
	}
	s.retitle(t, gaid, "New")
	r.wait(t, 3+2+2+1+2) // before the deletions: events list an asset's collections at the time of sending
	key := []string{"Idempotency-Key", "1", "Content-Type", "application/json"}
	body := fmt.Sprintf(`{"type":"bulk_delete","selection":{"gaids":[%q]}}`, gaid)
	operation := s.do(t, "POST", "/api/v1/operations", body, key...).want(t, 202).get("data.id")
	completed := func(a answer) bool { return a.get("data.state") == "completed" }
	done := s.until(t, fmt.Sprintf("/api/v1/operations/%v", operation), completed).get("data")
	s.do(t, "DELETE", open, "").want(t, 200)
	s.do(t, "DELETE", secret, "").want(t, 200)

	all := r.wait(t, 9+5)
	var told []string
	for _, m := range all {
		name, _ := m.event.Data["name"].(string)
		told = append(told, m.path+" "+m.event.Type+" "+name)
		switch m.event.Type {
		case "collection.created":
			seen := map[string]string{"/ada": hidden, "/bob": "0"}[m.path]
			if rules := fmt.Sprint(m.event.Data["rules"]); name == "Ruled" && !strings.Contains(rules, "value:["+seen+"]") {
				t.Errorf("%s is told of the rules %s", m.path, rules)
			}
		case "collection.updated":
			if want := shown[m.path+" "+name]; !reflect.DeepEqual(any(m.event.Data), want) {
				t.Errorf("%s is told %s, want %v", m.path, m.body, want)
			}
		case "operation.completed":
			if !reflect.DeepEqual(any(m.event.Data), done) && m.path == "/ada" {
				t.Errorf("%s, want %v", m.body, done)
			}
		case "asset.updated":
			var names []any
			for _, c := range m.event.Data["collections"].([]any) {
				names = append(names, c.(map[string]any)["name"])
			}
			if want := map[string]string{"/ada": "[Open Ruled Secret]", "/bob": "[Open]"}[m.path]; fmt.Sprint(names) != want {
				t.Errorf("%s is told of the collections %v, want %s", m.path, names, want)
			}
		}
	}
	slices.Sort(told)
	want := []string{
		"/ada asset.updated ",
		"/ada collection.created Open",
		"/ada collection.created Ruled",
		"/ada collection.created Secret",
		"/ada collection.deleted Open",
		"/ada collection.deleted Secret",
		"/ada collection.updated Open",
		"/ada collection.updated Secret",
		"/ada operation.completed ",
		"/bob asset.updated ",
		"/bob collection.created Open",
		"/bob collection.created Ruled",
		"/bob collection.deleted Open",
		"/bob collection.updated Open",
	}
	if !slices.Equal(told, want) {
		t.Errorf("%q, want %q", told, want)
	}
}
