package web_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
)

// says sends a guest's feedback on an asset from an opened page.
func (g *guest) says(t testing.TB, page, gaid, fields string) answer {
	t.Helper()
	form, err := url.ParseQuery(fields)
	if err != nil {
		t.Fatal(err)
	}
	m := hiddenField.FindSubmatch(g.get(t, page).want(t, 200).body)
	if m == nil {
		t.Fatal("the page has no form")
	}
	form.Set("form", string(m[2]))
	return g.ask(t, "POST", page+"/assets/"+gaid+"/feedback", form.Encode())
}

func reviewOf(gaids ...string) string { return shareOf(`,"type":"review"`, gaids...) }

func pickedIn(op, shares string) string { return rule("asset.picked_in", op, "["+shares+"]") }

// Guests pick, rate and comment; each sees their own feedback, and the owner sees all of it
// and can filter by picks.
func TestReview(t *testing.T) {
	t.Parallel()
	s := start(t, noMeaning)
	gaids := s.pictures(t, 3)
	path, page := s.share(t, reviewOf(gaids[0], gaids[1]))
	id := path[strings.LastIndexByte(path, '/')+1:]
	shown := s.do(t, "GET", path, "").want(t, 200)
	s.do(t, "PUT", path, string(shown.body[len(`{"data":`):len(strings.TrimSpace(string(shown.body)))-1])).want(t, 200)
	bo, eve := s.guest(t), s.guest(t)
	if a := bo.get(t, page+"/assets/"+gaids[0]).want(t, 303); a.Header.Get("Location") != page {
		t.Error(a.Header)
	}
	if a := bo.says(t, page, gaids[0], "pick=yes&page=1").want(t, 303); a.Header.Get("Location") != page+"?page=1#"+gaids[0] {
		t.Error(a.Header)
	}
	comment := "Das Licht!\r\nSehr schön <b>"
	bo.says(t, page, gaids[0], "rating=4&name=Bo+Ek&comment="+url.QueryEscape(comment)).want(t, 303)
	bo.says(t, page, gaids[1], "pick=yes").want(t, 303)
	bo.says(t, page, gaids[1], "pick=no").want(t, 303)
	if a := eve.says(t, page, gaids[0], "rating=1").want(t, 303); a.Header.Get("Location") != page+"/assets/"+gaids[0] {
		t.Error(a.Header)
	}
	eve.says(t, page, gaids[1], "pick=yes").want(t, 303)
	eve.says(t, page, gaids[2], "pick=yes").want(t, 404)

	bo.header.Set("Accept-Language", "de")
	own := string(bo.get(t, page+"/assets/"+gaids[0]).want(t, 200).body)
	for _, part := range []string{`aria-pressed="true"`, `value="4" checked`, "Sehr schön &lt;b&gt;</textarea>", `value="Bo Ek"`,
		"Ihre Rückmeldung"} {
		if !strings.Contains(own, part) {
			t.Errorf("Bo's page lacks %s", part)
		}
	}
	if list := string(bo.get(t, page).want(t, 200).body); !strings.Contains(list, "Mit 4 von 5 bewertet · Kommentiert") ||
		strings.Count(list, `aria-pressed="true"`) != 1 {
		t.Errorf("Bo's list: %s", list)
	} else if strings.Contains(list+own, "/iiif/") {
		t.Error("the pages offer viewers what they refuse")
	}
	theirs := string(eve.get(t, page+"/assets/"+gaids[0]).want(t, 200).body)
	if strings.Contains(theirs, "Licht") || strings.Contains(theirs, "Bo Ek") || strings.Contains(theirs, `value="4" checked`) ||
		!strings.Contains(theirs, `value="1" checked`) || !strings.Contains(theirs, `aria-pressed="false"`) {
		t.Errorf("Eve sees %s", theirs)
	}

	all := s.do(t, "GET", path+"/feedback", "").want(t, 200)
	all.shows(t, "data", "gaid", gaids[1], gaids[0], gaids[0])
	all.shows(t, "data", "picked", "true", "false", "true")
	all.shows(t, "data", "rating", "<nil>", "1", "4")
	if all.get("data.2.comment") != "Das Licht!\nSehr schön <b>" || all.get("data.2.guest.name") != "Bo Ek" ||
		all.get("data.2.guest.email") != nil || all.get("data.2.revision") != 2.0 || all.get("meta.total") != 3.0 {
		t.Errorf("%s", all.body)
	}
	for query, want := range map[string]int{
		"?picked=true": 2, "?picked=0": 1, "?min_rating=4": 1, "?min_rating=1": 2, "?gaid=" + gaids[0]: 2, "?gaid=" + gaids[2]: 0,
		"?gaid=" + gaids[0] + "&picked=true": 1,
	} {
		s.total(t, s.token, path+"/feedback"+query, want)
	}
	sum := s.do(t, "GET", path+"/feedback/summary", "").want(t, 200)
	sum.shows(t, "data", "gaid", gaids[0], gaids[1])
	sum.shows(t, "data", "picks", "1", "1")
	sum.shows(t, "data", "average_rating", "2.5", "<nil>")
	sum.shows(t, "data", "comments", "1", "0")
	sum.shows(t, "data", "title", "picture 000", "picture 001")
	s.do(t, "GET", path+"/access-logs", "").want(t, 200).shows(t, "data", "action",
		"feedback", "feedback", "view", "feedback", "feedback", "view")

	for doc, want := range map[string][]string{
		pickedIn("in", id): {gaids[0], gaids[1]}, pickedIn("not_in", id): {gaids[2]}, pickedIn("in", "99"): nil,
	} {
		a := s.list(t, "filters", doc, "sort_by", "title").want(t, 200)
		a.shows(t, "data", "gaid", want...)
	}
	bo.says(t, page, gaids[0], "pick=no").want(t, 303)
	s.list(t, "filters", pickedIn("in", id)).want(t, 200).shows(t, "data", "gaid", gaids[1])
	s.ended(t, s.operate(t, `{"type":"bulk_update","selection":{"filters":`+pickedIn("in", id)+`},"changes":{"rating":5}}`))
	if r := s.do(t, "GET", assets+"/"+gaids[1], "").get("data.rating"); r != 5.0 {
		t.Errorf("the rating of what was picked is %v", r)
	}
	if r := s.do(t, "GET", assets+"/"+gaids[0], "").get("data.rating"); r != nil {
		t.Errorf("the rating of what was not picked is %v", r)
	}

	// Filtering by the picks of others' shares, or without the ability, matches nothing;
	// collections cannot do it at all.
	editor := s.user(t, "ed@example.com", dam.RoleEditor)
	s.as(t, editor, "GET", path+"/feedback", "").want(t, 404)
	s.as(t, editor, "GET", path+"/feedback/summary", "").want(t, 404)
	s.total(t, editor, assets+"?filters="+url.QueryEscape(pickedIn("in", id)), 0)
	s.total(t, editor, assets+"?filters="+url.QueryEscape(pickedIn("not_in", id)), 3)
	blind, _ := s.mint(t, s.token, `{"name":"part","abilities":["assets:read"]}`)
	s.as(t, blind, "GET", assets+"?filters="+url.QueryEscape(pickedIn("in", id)), "").want(t, 403)
	reading, _ := s.mint(t, editor, `{"name":"part","abilities":["shares:read"]}`)
	mine := s.as(t, editor, "POST", shares, reviewOf(gaids[2])).want(t, 201)
	target := mine.get("data.url").(string)
	s.guest(t).says(t, target[strings.Index(target, "/s/"):], gaids[2], "pick=yes").want(t, 303)
	of := fmt.Sprintf("%s/%v/feedback", shares, mine.get("data.id"))
	if a := s.as(t, reading, "GET", of, "").want(t, 200); a.get("data.0.gaid") != nil || a.get("data.0.picked") != true {
		t.Errorf("without assets:read: %s", a)
	}
	if a := s.as(t, reading, "GET", of+"/summary", "").want(t, 200); a.get("data.0.gaid") != nil || a.get("data.0.title") != nil {
		t.Errorf("without assets:read: %s", a)
	}
	s.do(t, "GET", path+"/feedback?min_rating=6", "").want(t, 422)
	s.do(t, "GET", path+"/feedback/summary?page=0", "").want(t, 422)
	s.as(t, reading, "GET", of+"?gaid="+gaids[2], "").want(t, 403)
	a := s.do(t, "POST", collections, `{"name":"Picked","rules":`+pickedIn("in", id)+`}`).want(t, 422)
	if a.get("errors").(map[string]any)["rules.field"] == nil {
		t.Error(a)
	}
	a = s.list(t, "filters", pickedIn("in", "1"+strings.Repeat(",1", 20))).want(t, 422)
	if !strings.Contains(a.get("message").(string), "more than 20 shares") {
		t.Error(a)
	}
}

// Invalid feedback is refused with an explanation and nothing is stored; feedback is
// limited.
func TestReviewRefuses(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	gaids := s.pictures(t, 1)
	path, page := s.share(t, reviewOf(gaids...))
	g := s.guest(t)
	for fields, text := range map[string]string{
		"pick=maybe":                           "The form is not valid.",
		"rating=6":                             "between 0 and 5",
		"rating=-1":                            "between 0 and 5",
		"rating=good":                          "between 0 and 5",
		"comment=" + strings.Repeat("é", 2001): "more than 2000 characters",
		"comment=a%E2%80%AEb":                  "invisible characters",
		"comment=a%ffb":                        "invisible characters",
		"name=a%0ab":                           "The name is too long",
		"name=" + strings.Repeat("x", 256):     "The name is too long",
	} {
		a := g.says(t, page, gaids[0], fields).want(t, 422)
		if !strings.Contains(string(a.body), text) || !strings.Contains(string(a.body), `role="alert"`) {
			t.Errorf("%s: %s", clipTo(fields, 40), a.body)
		}
	}
	g.ask(t, "POST", page+"/assets/"+gaids[0]+"/feedback", "pick=yes").want(t, 403) // cross-site
	g.says(t, page, gaids[0], "comment="+strings.Repeat("x", 70_000)).want(t, 400)
	s.guest(t).ask(t, "POST", page+"/assets/"+gaids[0]+"/feedback", "form=x&pick=yes").want(t, 403)
	s.total(t, s.token, path+"/feedback", 0)
	g.says(t, page, gaids[0], "comment="+strings.Repeat("%C3%A9", 2000)).want(t, 303)
	s.total(t, s.token, path+"/feedback", 1)

	_, plain := s.share(t, shareOf("", gaids...))
	other := s.guest(t)
	if body := string(other.get(t, plain).want(t, 200).body); strings.Contains(body, "<form") {
		t.Errorf("a share that is no review has a form: %s", body)
	}
	for body, field := range map[string]string{
		`{"name":"x","type":"review"}`:                                                       "gaids",
		`{"name":"x","type":"review","collection_id":99}`:                                    "collection_id",
		`{"name":"x","type":"review","collection_id":1,"gaids":["` + gaids[0] + `"]}`:        "gaids",
		`{"name":"x","type":"review","gaids":["` + gaids[0] + `"],"watermark":{"text":" "}}`: "watermark.text",
	} {
		if a := s.do(t, "POST", shares, body).want(t, 422); a.get("errors").(map[string]any)[field] == nil {
			t.Errorf("%s: %s", body, a)
		}
	}
}

func clipTo(s string, n int) string { return s[:min(n, len(s))] }

// Concurrent requests of one guest create one record, and no more changes than allowed.
func TestReviewAtOnce(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	gaid := s.pictures(t, 1)[0]
	path, page := s.share(t, reviewOf(gaid))
	g := s.guest(t)
	m := hiddenField.FindSubmatch(g.get(t, page).want(t, 200).body)
	at := page + "/assets/" + gaid + "/feedback"
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() {
			g.ask(t, "POST", at, fmt.Sprintf("form=%s&comment=%d&rating=%d", m[2], i, 1+i%5)).want(t, 303)
		})
	}
	wg.Wait()
	a := s.do(t, "GET", path+"/feedback", "").want(t, 200)
	n := 0.0
	if _, err := fmt.Sscan(a.get("data.0.comment").(string), &n); err != nil {
		t.Fatal(err)
	}
	if a.get("meta.total") != 1.0 || a.get("data.0.revision") != 50.0 || a.get("data.0.rating") != 1+float64(int(n)%5) {
		t.Errorf("%s", a.body)
	}
	g.ask(t, "POST", at, fmt.Sprintf("form=%s&comment=%v", m[2], n)).want(t, 303) // changes nothing
	for i := range dam.MaxFeedbackChanges - 50 {
		g.ask(t, "POST", at, fmt.Sprintf("form=%s&comment=more+%d", m[2], i)).want(t, 303)
	}
	last := g.ask(t, "POST", at, fmt.Sprintf("form=%s&comment=last", m[2])).want(t, 410)
	if !strings.Contains(string(last.body), "as often as it may be") {
		t.Errorf("%s", last.body)
	}
}

// Guests can give feedback on an asset while the review shows it. The feedback is kept as
// long as the review; the limits and passwords are those of other shares.
func TestReviewEnds(t *testing.T) {
	t.Parallel()
	s, clock := standing(t, noMeaning)
	gaids := s.pictures(t, 3)
	c := s.collection(t, `{"name":"Choice"}`)
	id := c[strings.LastIndexByte(c, '/')+1:]
	s.do(t, "POST", c+"/assets", `{"gaids":["`+strings.Join(gaids, `","`)+`"]}`).want(t, 200)
	path, page := s.share(t, `{"name":"Choice","type":"review","collection_id":`+id+`,"password":"harbour",
		"access":{"require_email":true,"max_views":2}}`)
	if a := s.do(t, "GET", path, "").want(t, 200); a.get("data.collection_id") == nil || a.get("data.type") != "review" {
		t.Error(a)
	}
	g := s.guest(t)
	at := page + "/assets/" + gaids[0] + "/feedback"
	form := hiddenField.FindSubmatch(g.get(t, page).want(t, 200).body)
	g.ask(t, "POST", at, fmt.Sprintf("form=%s&pick=yes", form[2])).want(t, 303) // redirects to the gate
	g.answers(t, page, "password", "harbour").want(t, 303)
	g.answers(t, page, "email", "bo@example.com").want(t, 303)
	s.total(t, s.token, path+"/feedback", 0)
	g.says(t, page, gaids[0], "pick=yes").want(t, 303)
	if a := g.get(t, page).want(t, 200); !strings.Contains(a.Header.Get("Set-Cookie"), "Max-Age=2592000") {
		t.Errorf("the cookie ends with the browser: %v", a.Header)
	}
	clock.ahead.Add(int64(29 * 24 * time.Hour))
	if body := string(g.get(t, page).want(t, 200).body); !strings.Contains(body, `aria-pressed="true"`) {
		t.Errorf("the guest is not known any more: %s", body)
	}
	g.says(t, page, gaids[1], "rating=5").want(t, 303)
	if a := s.do(t, "GET", path+"/feedback", "").want(t, 200); a.get("data.0.guest.email") != "bo@example.com" {
		t.Error(a)
	}

	s.do(t, "DELETE", c+"/assets", `{"gaids":["`+gaids[1]+`"]}`).want(t, 200)
	g.says(t, page, gaids[1], "pick=yes").want(t, 404)
	s.do(t, "PUT", assets+"/"+gaids[2], `{"usage_until":"`+clock.now().UTC().Add(-time.Hour).Format(time.RFC3339)+`"}`).want(t, 200)
	g.says(t, page, gaids[2], "pick=yes").want(t, 404)
	s.do(t, "DELETE", assets+"/"+gaids[1], "").want(t, 200)
	s.total(t, s.token, path+"/feedback", 1) // trashed assets are not shown
	s.do(t, "POST", assets+"/"+gaids[1]+"/restore", "").want(t, 200)
	s.total(t, s.token, path+"/feedback", 2)
	s.do(t, "PUT", assets+"/"+gaids[2], `{"usage_until":null}`).want(t, 200)
	s.do(t, "POST", assets+"/"+gaids[2]+"/merge", `{"gaids":["`+gaids[0]+`"]}`).want(t, 200)
	s.do(t, "GET", path+"/feedback?picked=true", "").want(t, 200).shows(t, "data", "gaid", gaids[2])

	form = hiddenField.FindSubmatch(g.get(t, page).want(t, 200).body)
	at = page + "/assets/" + gaids[2] + "/feedback"
	s.do(t, "PUT", path, `{"password":"another"}`).want(t, 200)
	g.ask(t, "POST", at, fmt.Sprintf("form=%s&pick=no", form[2])).want(t, 303)
	s.do(t, "DELETE", path, "").want(t, 200)
	g.ask(t, "POST", at, fmt.Sprintf("form=%s&pick=no", form[2])).want(t, 404)
	if a := s.do(t, "GET", path+"/feedback", "").want(t, 200); a.get("data.1.picked") == false {
		t.Errorf("a guest changed what it said after the end: %s", a)
	}
}

// The feedback CSV has formulas escaped and the filters of the list, and is written in
// batches, with each item once.
func TestFeedbackTable(t *testing.T) {
	t.Parallel()
	s := start(t, noMeaning)
	gaids := s.pictures(t, 2)
	path, page := s.share(t, reviewOf(gaids...))
	g := s.guest(t)
	g.get(t, page).want(t, 200)
	g.says(t, page, gaids[0], "rating=4&name=%3D1%2B1&comment="+url.QueryEscape("@now, \"too\"\r\n=2")).want(t, 303)
	g.says(t, page, gaids[1], "pick=yes").want(t, 303)
	rows := s.do(t, "GET", path+"/feedback/download", "").want(t, 200).table(t)
	want := [][]string{
		{"id", "gaid", "title", "guest_id", "guest_name", "guest_email", "picked", "rating", "comment", "revision"},
		{"2", gaids[1], "picture 001", "1", "'=1+1", "", "true", "", "", "1"},
		{"1", gaids[0], "picture 000", "1", "'=1+1", "", "false", "4", "'@now, \"too\"\n'=2", "1"},
	}
	for i, row := range rows {
		if len(row) != 11 || !slices.Equal(row[:10], want[i]) {
			t.Errorf("%q, want %q", row, want[i])
		}
	}
	for query, n := range map[string]int{"?picked=true": 1, "?min_rating=4": 1, "?min_rating=5": 0, "?gaid=" + gaids[0]: 1} {
		if rows := s.do(t, "GET", path+"/feedback/download"+query, "").want(t, 200).table(t); len(rows) != n+1 {
			t.Errorf("%s: %q", query, rows)
		}
	}
	editor := s.user(t, "ed@example.com", dam.RoleEditor)
	s.as(t, editor, "GET", path+"/feedback/download", "").want(t, 404)
	blind, _ := s.mint(t, s.token, `{"name":"part","abilities":["shares:read"]}`)
	rows = s.as(t, blind, "GET", path+"/feedback/download", "").want(t, 200).table(t)
	if rows[1][1] != "" || rows[1][2] != "" || rows[2][7] != "4" {
		t.Errorf("without assets:read: %q", rows)
	}
	s.as(t, blind, "GET", path+"/feedback/download?gaid="+gaids[0], "").want(t, 403)
	s.do(t, "GET", path+"/feedback/download?min_rating=6", "").want(t, 422)

	for _, q := range []string{
		`INSERT INTO share_guests (share_id, visit_id, name, email, created_at) WITH RECURSIVE n (i) AS (VALUES (100) UNION ALL
			SELECT i + 1 FROM n WHERE i < 1299) SELECT share_id, i, '', '', 0 FROM n, share_guests`,
		`INSERT INTO share_feedback (share_id, guest_id, asset_id, picked, rating, comment, revision, changed_at)
			SELECT share_id, id, 1, 1, 0, '', 1, 0 FROM share_guests WHERE visit_id >= 100`,
	} {
		_, err := s.db(t).ExecContext(t.Context(), q)
		must(t, err)
	}
	rows = s.do(t, "GET", path+"/feedback/download", "").want(t, 200).table(t)
	if len(rows) != 1203 || rows[1][0] != "1202" || rows[1202][0] != "1" {
		t.Errorf("%d rows, %q to %q", len(rows), rows[1], rows[len(rows)-1])
	}
}
