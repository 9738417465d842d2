package web_test

import (
	"fmt"
	"testing"
)

// A selection by words matches assets that contain all of them, and the dry run and the
// list show the interpretation of the query.
func TestSelectionByWords(t *testing.T) {
	t.Parallel()
	s := start(t, wordsAlone)
	for i, gaid := range s.pictures(t, 4) {
		title := []string{"a cat", "a catch", "black horse", "black dog"}[i]
		s.do(t, "PUT", "/api/v1/assets/"+gaid, `{"title":"`+title+`"}`).want(t, 200)
	}
	for q, want := range map[string][2]string{
		"cat": {"1", "cat"}, "black horse": {"1", "black AND horse"}, "cet": {"0", "cet"}, "black NOT dog": {"1", "black AND NOT dog"},
	} {
		a := s.do(t, "POST", operations+"?dry_run=true", `{"type":"bulk_delete","selection":{"q":"`+q+`"}}`, "Idempotency-Key", newKey())
		if got := [2]string{fmt.Sprint(a.get("data.total")), fmt.Sprint(a.get("data.query.readable"))}; got != want {
			t.Errorf("%s selects %v, want %v: %s", q, got, want, a)
		}
	}
	if a := s.search(t, "q", "black NOT"); a.get("meta.query.readable") != "black NOT" || a.get("meta.query.operator") != "any" {
		t.Errorf("the query was read as %v", a.get("meta.query"))
	}
}
