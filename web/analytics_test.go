package web_test

import (
	"encoding/csv"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/web"
)

const (
	analytics = "/api/v1/analytics"
	firefox   = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
	googlebot = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"
)

// fetch gets path with the given user agent and without cookies from earlier requests.
func (s *server) fetch(t testing.TB, path, agent string, header ...string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), "GET", s.URL+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("User-Agent", agent)
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := s.Client().Do(req)
	if err != nil {
		t.Error(err)
		return &http.Response{}
	}
	if _, err := io.Copy(io.Discard, res.Body); err != nil {
		t.Error(err)
	}
	res.Body.Close()
	return res
}

// counts compares numbers in the answer, by path, with want.
func (a answer) counts(t testing.TB, want map[string]float64) {
	t.Helper()
	for path, n := range want {
		if got := a.get(path); got != n {
			t.Errorf("%s is %v, want %v", path, got, n)
		}
	}
}

// The analytics of shares and embeds agree with their access logs and counters, separately
// for people and bots, even under concurrent requests; actions of signed-in users are
// counted separately. Everything survives a restart.
func TestAnalyticsAgree(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var token string
	var check func(*testing.T, *server)
	if !t.Run("before", func(t *testing.T) {
		s := start(t, func(c *app.Config, _ *web.Options) { c.DataDir = dir })
		token, check = s.token, usedInAllWays(t, s)
		check(t, s)
		s.as(t, s.token, "GET", assets+"?meaning=false&q=at+last", "").want(t, 200) // still in memory when the server stops
	}) {
		return
	}
	s := run(t, func(c *app.Config, _ *web.Options) { c.DataDir = dir })
	s.token = token
	a := s.do(t, "GET", analytics+"/overview", "").want(t, 200)
	a.counts(t, map[string]float64{"data.totals.searches": 4})
	s.do(t, "GET", analytics+"/overview?to="+day(-1), "").want(t, 200).counts(t, map[string]float64{"data.totals.searches": 0})
}

// day returns the UTC date n days from now.
func day(n int) string { return time.Now().UTC().AddDate(0, 0, n).Format(time.DateOnly) }

// usedInAllWays uses a library as guests, bots and signed-in users. The function that it
// returns compares the counts with the access logs.
func usedInAllWays(t *testing.T, s *server) (check func(*testing.T, *server)) {
	gaids := s.pictures(t, 3)
	video := s.one(t, "a.mp4", mediaSample(t, "a.mp4"))
	path, page := s.share(t, shareOf(``, gaids...))
	made := s.do(t, "POST", assets+"/"+video+"/embed", "").want(t, 201)
	_, embed, _ := strings.Cut(made.get("data.url").(string), s.URL)

	const each = 10
	agents := []string{firefox, googlebot}
	var wg sync.WaitGroup
	for i := range 2 * each {
		wg.Go(func() {
			agent := agents[i%2]
			res := s.fetch(t, page, agent)
			cookie := res.Header.Get("Set-Cookie")
			cookie, _, _ = strings.Cut(cookie, ";")
			s.fetch(t, page, agent, "Cookie", cookie) // the same visit
			s.fetch(t, page+"/assets/"+gaids[i%3], agent, "Cookie", cookie)
			s.fetch(t, page+"/assets/"+gaids[0]+"/download", agent, "Cookie", cookie)
			s.fetch(t, embed, agent)
			if i < 2 {
				s.fetch(t, page+"/download", agent, "Cookie", cookie)
			}
		})
	}
	wg.Wait()

	log := map[string]map[bool]float64{"view": {}, "download": {}, "download_all": {}}
	for n := 1; ; n++ {
		a := s.do(t, "GET", fmt.Sprintf("%s/access-logs?per_page=100&page=%d", path, n), "").want(t, 200)
		for _, e := range a.get("data").([]any) {
			e := e.(map[string]any)
			log[e["action"].(string)][e["user_agent"] == googlebot]++
		}
		if float64(n) >= a.get("meta.last_page").(float64) {
			break
		}
	}
	if log["view"][false] != each || log["view"][true] != each {
		t.Fatalf("the access log has %v", log)
	}
	share := s.do(t, "GET", path, "").want(t, 200)
	embedded := s.do(t, "GET", assets+"/"+video+"/embed", "").want(t, 200)

	session := s.logIn(t, "ada@example.com", "correct horse battery", "192.0.2.1").want(t, 201)
	browser := []string{"Cookie", "dal_session=" + session.Cookies()[0].Value}
	for range 3 { // by one person: counted as one view
		s.as(t, "", "GET", assets+"/"+gaids[0], "", browser...).want(t, 200)
	}
	s.do(t, "GET", assets+"/"+gaids[0], "").want(t, 200) // requests with tokens are not counted as views
	s.as(t, "", "GET", assets+"/"+gaids[1]+"/download", "", browser...).want(t, 200)
	s.as(t, "", "GET", assets+"/"+gaids[1]+"/download", "", append(browser, "Sec-Fetch-Dest", "image")...).want(t, 200)
	s.as(t, "", "GET", assets+"/"+gaids[1]+"/download?rendition=thumbnail", "", browser...).want(t, 200)
	s.as(t, "", "GET", assets+"/"+gaids[1]+"/download?inline=true", "", browser...).want(t, 200)
	s.as(t, "", "HEAD", assets+"/"+gaids[1]+"/download", "", browser...).want(t, 200)
	s.do(t, "GET", assets+"/"+gaids[1]+"/download", "", "Range", "bytes=0-9").want(t, 206)
	s.do(t, "GET", assets+"/"+gaids[2]+"/download", "").want(t, 200)
	title := url.QueryEscape(s.do(t, "GET", assets+"/"+gaids[0], "").get("data.title").(string))
	for _, q := range []string{"Zeppelin%20%20", "zeppelin", title, "nothing%20like%20it", title + "&page=2"} {
		s.as(t, "", "GET", assets+"?meaning=false&q="+q, "", browser...).want(t, 200)
	}
	signed := s.do(t, "POST", "/api/v1/image-urls", `{"images":[{"gaid":"`+gaids[1]+`","width":40}]}`).want(t, 200)
	_, image, _ := strings.Cut(signed.get("data.0.url").(string), s.URL)
	tag := s.fetch(t, image, firefox).Header.Get("ETag")
	s.fetch(t, image, firefox, "If-None-Match", tag)

	return func(t *testing.T, s *server) {
		t.Helper()
		a := s.do(t, "GET", analytics+"/overview", "").want(t, 200)
		people, bots := false, true
		a.counts(t, map[string]float64{
			"data.totals.visits":    log["view"][people],
			"data.bots.visits":      log["view"][bots],
			"data.totals.downloads": log["download"][people] + log["download_all"][people] + 2,
			"data.bots.downloads":   log["download"][bots] + log["download_all"][bots],
			"data.totals.shares":    2, "data.totals.searches": 3, "data.totals.searches_without_results": 2,
			"data.totals.views": each + each + 1 + 1, "data.bots.views": each + each,
			"data.days.29.visits": log["view"][people], "data.days.29.searches": 3,
			"data.top_shares.0.downloads": log["download"][people] + log["download_all"][people],
			"data.top_shares.0.views":     each, "data.top_shares.1.views": each,
			"data.top_queries_without_results.0.count": 1,
		})
		sum := func(path string) float64 {
			return a.get("data.totals."+path).(float64) + a.get("data.bots."+path).(float64)
		}
		if got := sum("visits"); got != share.get("data.view_count") {
			t.Errorf("%v visits, and the share has %v", got, share.get("data.view_count"))
		}
		if got := sum("downloads") - 2; got != share.get("data.download_count") {
			t.Errorf("%v downloads, and the share has %v", got, share.get("data.download_count"))
		}
		if a.get("data.days.30") != nil || embedded.get("data.view_count") != 2.0*each {
			t.Errorf("the embed was viewed %v times; %s", embedded.get("data.view_count"), a)
		}
		one := s.do(t, "GET", analytics+"/assets/"+video, "").want(t, 200)
		one.counts(t, map[string]float64{"data.totals.views": each, "data.bots.views": each, "data.days.29.views": each})
		first := s.do(t, "GET", analytics+"/assets/"+gaids[0], "").want(t, 200) // includes the archive
		first.counts(t, map[string]float64{"data.totals.downloads": each + 1, "data.bots.downloads": each + 1})
		list := s.do(t, "GET", analytics+"/assets?sort_by=downloads", "").want(t, 200)
		list.counts(t, map[string]float64{"meta.total": 4, "data.0.downloads": each + 1})
		in := s.do(t, "GET", fmt.Sprintf("%s/assets?share_id=%v", analytics, share.get("data.id")), "").want(t, 200)
		in.counts(t, map[string]float64{"meta.total": 3})
	}
}

// Ranges, filters and permissions of the analytics endpoints.
func TestAnalyticsAsked(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	gaids := s.pictures(t, 2)
	for _, g := range gaids {
		s.do(t, "GET", assets+"/"+g+"/download", "").want(t, 200)
	}
	s.do(t, "GET", assets+"/"+gaids[0]+"/download", "").want(t, 200)
	id := s.do(t, "POST", "/api/v1/collections", `{"name":"Mine"}`).want(t, 201).get("data.id")
	s.do(t, "POST", fmt.Sprintf("/api/v1/collections/%v/assets", id), `{"gaids":["`+gaids[1]+`"]}`).want(t, 200)

	for _, query := range []string{"from=2026-13-01", "to=today", "from=" + day(0) + "&to=" + day(-1), "from=" + day(-731), "from=20260101"} {
		for _, path := range []string{"/overview", "/assets", "/assets/" + gaids[0]} {
			s.do(t, "GET", analytics+path+"?"+query, "").want(t, 422)
		}
	}
	for _, query := range []string{"collection_id=99", "share_id=99", "sort_by=plays"} {
		s.do(t, "GET", analytics+"/assets?"+query, "").want(t, 422)
	}
	s.do(t, "GET", analytics+"/assets/01KB3J8Q5V7X9Z1B3D5F7H9K1M", "").want(t, 404)
	a := s.do(t, "GET", analytics+"/overview?from="+day(-730), "").want(t, 200)
	a.counts(t, map[string]float64{"data.days.730.downloads": 3, "data.top_assets.0.downloads": 2, "data.top_collections.0.downloads": 1,
		"data.storage.0.count": 2, "data.channels.0.downloads": 3})
	if a.get("data.channels.0.channel") != "api" || a.get("data.days.730.date") != day(0) || a.get("data.top_assets.0.gaid") != gaids[0] {
		t.Errorf("%s", a.body)
	}
	in := s.do(t, "GET", fmt.Sprintf("%s/assets?collection_id=%v", analytics, id), "").want(t, 200)
	in.counts(t, map[string]float64{"meta.total": 1, "data.0.downloads": 1})

	s.do(t, "DELETE", assets+"/"+gaids[0]+"?force=true", "").want(t, 200)
	gone := s.do(t, "GET", analytics+"/assets", "").want(t, 200)
	if gone.get("data.0.gaid") != gaids[0] || gone.get("data.0.is_gone") != true || gone.get("data.0.title") != nil {
		t.Errorf("a deleted asset: %s", gone.body)
	}
	gone = s.do(t, "GET", analytics+"/assets/"+gaids[0], "").want(t, 200)
	if gone.get("data.is_gone") != true || gone.get("data.totals.downloads") != 2.0 {
		t.Errorf("a deleted asset: %s", gone.body)
	}
	only, _ := s.mint(t, s.token, `{"name":"part","abilities":["analytics:read"]}`)
	part := s.as(t, only, "GET", analytics+"/overview", "").want(t, 200)
	for _, list := range []string{"top_assets", "top_collections", "top_shares"} {
		if fmt.Sprint(part.get("data."+list)) != "[]" {
			t.Errorf("a token that reads only analytics has %s: %s", list, part.body)
		}
	}
	s.as(t, only, "GET", analytics+"/assets", "").want(t, 403)
	s.as(t, only, "GET", analytics+"/assets/"+gaids[1], "").want(t, 403)
	s.as(t, s.user(t, "vi@example.com", dam.RoleViewer), "GET", analytics+"/overview", "").want(t, 403)
}

// Counts are kept for the configured period, search texts for a shorter one. Disabling
// analytics stops the counting and deletes the existing counts.
func TestAnalyticsKept(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	s, clock := standing(t, func(c *app.Config, _ *web.Options) { c.AnalyticsKeep, c.QueryKeep = 10*day, 2*day })
	used := func(ahead time.Duration) answer {
		t.Helper()
		clock.ahead.Store(int64(ahead))
		if err := s.app.Maintenance.Tidy(t.Context()); err != nil {
			t.Fatal(err)
		}
		return s.do(t, "GET", analytics+"/overview", "").want(t, 200)
	}
	for range 2 {
		s.do(t, "GET", assets+"?meaning=false&q=lighthouse", "").want(t, 200)
	}
	used(2*day).counts(t, map[string]float64{"data.totals.searches": 1, "data.top_queries.0.count": 1})
	a := used(4 * day)
	a.counts(t, map[string]float64{"data.totals.searches": 1})
	if a.get("data.top_queries.0") != nil {
		t.Errorf("words are kept: %s", a.body)
	}
	used(12*day).counts(t, map[string]float64{"data.totals.searches": 0})

	off := start(t, func(c *app.Config, _ *web.Options) { c.AnalyticsKeep = 0 })
	off.do(t, "GET", assets+"?meaning=false&q=lighthouse", "").want(t, 200)
	_, page := off.share(t, shareOf("", off.pictures(t, 1)...))
	off.fetch(t, page, firefox)
	off.do(t, "GET", analytics+"/overview", "").want(t, 200).counts(t, map[string]float64{"data.totals.searches": 0, "data.totals.visits": 0})
	if off.do(t, "GET", "/api/v1/status", "").want(t, 200).get("data.analytics.is_on") != false {
		t.Error("the status says that it counts")
	}

	silent := start(t, func(c *app.Config, _ *web.Options) { c.QueryKeep = 0 })
	silent.do(t, "GET", assets+"?meaning=false&q=lighthouse", "").want(t, 200)
	b := silent.do(t, "GET", analytics+"/overview", "").want(t, 200)
	b.counts(t, map[string]float64{"data.totals.searches": 1})
	if b.get("data.top_queries.0") != nil {
		t.Errorf("words are kept: %s", b.body)
	}
}

// The archive of an export counts as one download, and as one download of each asset in it.
func TestAnalyticsOfExports(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	gaids := s.pictures(t, 2)
	path := s.operate(t, `{"type":"export","format":"zip","selection":{"gaids":`+quoted(gaids)+`}}`)
	s.until(t, path, func(a answer) bool { return a.get("data.state") == "completed" })
	s.do(t, "GET", analytics+"/overview", "").want(t, 200).counts(t, map[string]float64{
		"data.totals.downloads": 1, "data.top_assets.0.downloads": 1, "data.top_assets.1.downloads": 1,
	})
}

// Counts do not change when days are summarized, regardless of later events; smart
// collections appear among the most used collections too.
func TestAnalyticsOfSummedDays(t *testing.T) {
	t.Parallel()
	s, clock := standing(t, noMeaning)
	gaids := s.pictures(t, 3)
	collection := func(body string) string {
		t.Helper()
		return fmt.Sprint(s.do(t, "POST", "/api/v1/collections", body).want(t, 201).get("data.id"))
	}
	byHand := collection(`{"name":"By hand"}`)
	s.do(t, "POST", "/api/v1/collections/"+byHand+"/assets", `{"gaids":["`+gaids[0]+`"]}`).want(t, 200)
	ruled := collection(`{"name":"By rules","rules":` + rule("asset.title", "is_not_empty", "null") + `}`)
	s.do(t, "PUT", assets+"/"+gaids[2], `{"title":"Other"}`).want(t, 200)
	other := collection(`{"name":"One of them","rules":` + rule("asset.title", "equals", `"Other"`) + `}`)
	collection(`{"name":"None","rules":` + rule("asset.title", "equals", `"Nothing"`) + `}`)
	for n, g := range gaids { // once, twice and three times
		for range n + 1 {
			s.do(t, "GET", assets+"/"+g+"/download", "").want(t, 200)
		}
	}
	_, page := s.share(t, shareOf("", gaids...))
	s.fetch(t, page+"/assets/"+gaids[0], firefox)
	s.fetch(t, page+"/assets/"+gaids[0]+"/download", firefox)
	s.do(t, "GET", assets+"?meaning=false&q=lighthouse", "").want(t, 200)

	today := clock.now().UTC().Format(time.DateOnly)
	query := "?from=" + today + "&to=" + today
	read := func() (all []string) {
		t.Helper()
		for _, path := range []string{"/overview", "/assets", "/assets/" + gaids[0]} {
			all = append(all, fmt.Sprint(s.do(t, "GET", analytics+path+query, "").want(t, 200).get("data")))
		}
		return all
	}
	first := s.do(t, "GET", analytics+"/overview"+query, "").want(t, 200)
	if got := fmt.Sprint(column(first, "data.top_collections", "id")); got != "["+ruled+" "+byHand+" "+other+"]" {
		t.Errorf("the collections are %s: %s", got, first)
	}
	first.counts(t, map[string]float64{"data.top_collections.0.downloads": 7, "data.top_collections.1.downloads": 2,
		"data.top_collections.2.downloads": 3, "data.top_shares.0.downloads": 1, "data.top_queries.0.count": 1})
	before := read()
	summed := func() (n int) {
		t.Helper()
		must(t, s.db(t).QueryRowContext(t.Context(), `SELECT count(*) FROM analytics_sums`).Scan(&n))
		return n
	}
	must(t, s.app.Maintenance.Tidy(t.Context()))
	if n := summed(); n != 0 {
		t.Fatalf("%d days are summed before they have ended", n)
	}
	clock.pass(24 * time.Hour)
	must(t, s.app.Maintenance.Tidy(t.Context()))
	if n := summed(); n != 1 {
		t.Fatalf("%d days are summed", n)
	}
	for i, got := range read() {
		if got != before[i] {
			t.Errorf("once summed:\n%s\n%s", got, before[i])
		}
	}
	s.do(t, "GET", assets+"/"+gaids[0]+"/download", "").want(t, 200)
	s.do(t, "GET", analytics+"/overview", "").want(t, 200).counts(t, map[string]float64{
		"data.totals.downloads": 8, "data.top_collections.0.downloads": 8, "data.days.28.downloads": 7, "data.days.29.downloads": 1})
	only, _ := s.mint(t, s.token, `{"name":"part","abilities":["analytics:read"]}`)
	if part := s.as(t, only, "GET", analytics+"/overview", "").want(t, 200); fmt.Sprint(part.get("data.top_collections")) != "[]" {
		t.Errorf("%s", part)
	}
}

// table parses a CSV answer.
func (a answer) table(t testing.TB) [][]string {
	t.Helper()
	if kind := a.Header.Get("Content-Type"); kind != "text/csv; charset=utf-8" {
		t.Errorf("it is %s", kind)
	}
	rows, err := csv.NewReader(strings.NewReader(string(a.body))).ReadAll()
	must(t, err)
	return rows
}

// CSV exports of analytics contain the same data as the JSON answers, with formulas
// escaped, and require the same permissions.
func TestAnalyticsTables(t *testing.T) {
	t.Parallel()
	s := start(t, noMeaning)
	gaids := s.pictures(t, 2)
	s.do(t, "PUT", assets+"/"+gaids[0], `{"title":"=HYPERLINK(0)"}`).want(t, 200)
	for _, g := range []string{gaids[0], gaids[0], gaids[1]} {
		s.do(t, "GET", assets+"/"+g+"/download", "").want(t, 200)
	}
	id := s.do(t, "POST", "/api/v1/collections", `{"name":"Mine"}`).want(t, 201).get("data.id")
	s.do(t, "POST", fmt.Sprintf("/api/v1/collections/%v/assets", id), `{"gaids":["`+gaids[1]+`"]}`).want(t, 200)
	from := "from=" + day(-9)
	for path, want := range map[string]struct {
		rows int
		last string
	}{
		"/overview/download?" + from:                                    {11, day(0) + ",0,0,0,3,0,0,0"},
		"/overview/download?from=" + day(-730):                          {732, day(0) + ",0,0,0,3,0,0,0"},
		"/assets/download?" + from:                                      {3, gaids[1] + ",Picture 2,false,0,0,1"},
		"/assets/download?sort_by=downloads&" + from + "&to=" + day(-1): {1, "gaid,title,is_gone,views,plays,downloads"},
		fmt.Sprintf("/assets/download?collection_id=%v", id):            {2, gaids[1] + ",Picture 2,false,0,0,1"},
		"/assets/" + gaids[0] + "/download?" + from:                     {11, day(0) + ",0,0,2"},
		"/assets/" + gaids[0] + "/download?" + from + "&to=" + day(-1):  {10, day(-1) + ",0,0,0"},
	} {
		rows := s.do(t, "GET", analytics+path, "").want(t, 200).table(t)
		title := fmt.Sprint(s.do(t, "GET", assets+"/"+gaids[1], "").get("data.title"))
		last := strings.Join(rows[len(rows)-1], ",")
		if want.last = strings.Replace(want.last, "Picture 2", title, 1); len(rows) != want.rows || last != want.last {
			t.Errorf("%s: %d rows, the last is %s, want %d and %s", path, len(rows), last, want.rows, want.last)
		}
	}
	if got := s.do(t, "GET", analytics+"/assets/download", "").table(t)[1]; got[1] != "'=HYPERLINK(0)" || got[5] != "2" {
		t.Errorf("%q", got)
	}
	s.do(t, "GET", analytics+"/assets/download?collection_id=99", "").want(t, 422)
	s.do(t, "GET", analytics+"/overview/download?from="+day(-731), "").want(t, 422)
	s.do(t, "GET", analytics+"/assets/01KB3J8Q5V7X9Z1B3D5F7H9K1M/download", "").want(t, 404)
	viewer := s.user(t, "vi@example.com", dam.RoleViewer)
	only, _ := s.mint(t, s.token, `{"name":"part","abilities":["analytics:read"]}`)
	for path, status := range map[string]int{"/overview/download": 200, "/assets/download": 403, "/assets/" + gaids[0] + "/download": 403} {
		s.as(t, only, "GET", analytics+path, "").want(t, status)
		s.as(t, viewer, "GET", analytics+path, "").want(t, 403)
	}
}

// The CSV of many assets is written in batches, with each asset exactly once.
func TestManyAssetsUsed(t *testing.T) {
	t.Parallel()
	s := start(t, noMeaning)
	_, err := s.db(t).ExecContext(t.Context(), `WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 1201)
		INSERT INTO analytics_days SELECT ?, 0, 'G' || i, 0, 'app', i, 0, 0, 0, 0 FROM n`, dam.DayOf(time.Now()))
	must(t, err)
	rows := s.do(t, "GET", analytics+"/assets/download?from="+day(-2), "").want(t, 200).table(t)
	if len(rows) != 1202 || rows[1][0] != "G1201" || rows[1201][0] != "G1" || rows[1][2] != "true" {
		t.Errorf("%d lines, %v to %v", len(rows), rows[1], rows[len(rows)-1])
	}
}
