package web_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"testing"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/find"
	"github.com/digital-asset-library/dal/web"
)

// outlined returns the assets of a list in page order, and checks its outline against them.
func (s *server) outlined(t testing.TB, token, path string, query url.Values) (gaids []string) {
	t.Helper()
	q := url.Values{"per_page": {"4"}}
	for k, v := range query {
		q[k] = v
	}
	var ratios, months []any
	for page := 1; ; page++ {
		q.Set("page", fmt.Sprint(page))
		a := s.as(t, token, "GET", path+"?"+q.Encode(), "").want(t, 200)
		items, _ := a.get("data").([]any)
		for i := range items {
			at := fmt.Sprintf("data.%d.", i)
			w, h := a.get(at+"width").(float64), a.get(at+"height").(float64)
			gaids = append(gaids, a.get(at+"gaid").(string))
			ratios = append(ratios, float64(min(max(int(w*100/h+.5), 10), 1000)))
			by := q.Get("sort_by")
			if by == "capture_date" {
				by = "capture_local_time"
			}
			date, _ := a.get(at + by).(string)
			months = append(months, date)
		}
		if a.get("links.next") == nil {
			break
		}
	}
	q.Del("per_page")
	q.Del("page")
	for i, gaid := range append(gaids, "") {
		q.Set("at", gaid)
		a := s.as(t, token, "GET", path+"/outline?"+q.Encode(), "").want(t, 200)
		if a.get("data.total") != float64(len(gaids)) || fmt.Sprint(a.get("data.ratios")) != fmt.Sprint(ratios) && len(ratios) > 0 {
			t.Errorf("%s?%s: %s, want %d %v", path, query.Encode(), a, len(gaids), ratios)
		}
		if gaid == "" {
			s.monthsFit(t, a, q.Get("sort_by"), months)
		} else if a.get("data.at.index") != float64(i) || a.get("data.at.gaid") != gaid {
			t.Errorf("%s?%s: at %v, want %d", path, query.Encode(), a.get("data.at"), i)
		}
	}
	return gaids
}

// monthsFit fails the test unless the months of an outline match the dates of its assets.
func (s *server) monthsFit(t testing.TB, a answer, by string, dates []any) {
	t.Helper()
	if !slices.Contains([]string{"created_at", "updated_at", "capture_date"}, by) {
		return
	}
	type month struct {
		Month        string
		Index, Count int
	}
	want := []month{}
	for i, d := range dates {
		m := d.(string)
		m = m[:min(len(m), len("2026-03"))]
		if len(want) == 0 || want[len(want)-1].Month != m {
			want = append(want, month{m, i, 0})
		}
		want[len(want)-1].Count++
	}
	var got struct{ Data struct{ Months []month } }
	if err := json.Unmarshal(a.body, &got); err != nil || fmt.Sprint(got.Data.Months) != fmt.Sprint(want) {
		t.Errorf("months by %s = %v %v, want %v", by, got.Data.Months, err, want)
	}
}

// An outline has the order of its list's pages, for every sort key, with ties, with and
// without a query, in the trash and in collections.
func TestOutline(t *testing.T) {
	t.Parallel()
	s := start(t, func(c *app.Config, _ *web.Options) { c.Embeddings = find.EmbeddingsOff }) // results would change during the test
	files := make([]upload, 9)
	for i := range files {
		name := fmt.Sprintf("boat %d.jpg", i%3)
		files[i] = upload{name, append(picture(i, 4+37*(i%4), 12+5*(i%2)), byte(i))}
	}
	for i, f := range s.ingest(t, files...) {
		if i%4 != 0 {
			body := fmt.Sprintf(`{
				"capture_date": "20%02d-0%d-01T00:00:00%s",
				"title": "harbour %d",
				"rating": %d,
				"usage_until": "20%02d-01-01T00:00:00Z"
			}`, 20+i%2, 1+i%3, []string{"Z", "+05:45", "-08:00", "+00:00"}[i%4], i%2, i%3, 30+i%2)
			s.do(t, "PUT", assets+"/"+f["gaid"].(string), body).want(t, 200)
		}
	}
	first := s.list(t, "sort_by", "title").get("data.0.gaid").(string)
	collection := s.collection(t, `{"name":"Some"}`) + "/assets"
	all := s.outlined(t, s.token, assets, nil)
	s.do(t, "POST", collection, fmt.Sprintf(`{"gaids":[%q,%q,%q]}`, all[4], all[1], all[7])).want(t, 200)
	s.do(t, "DELETE", assets+"/"+first, "").want(t, 200)

	for _, by := range append(dam.ListSorts(), "") {
		for _, direction := range []string{"asc", "desc", ""} {
			for _, text := range []string{"", "boat", "harbour 1", "?"} {
				q := url.Values{"sort_by": {string(by)}, "sort_direction": {direction}, "q": {text}}
				s.outlined(t, s.token, assets, q)
			}
		}
	}
	for _, q := range []url.Values{
		{"trashed": {"only"}}, {"trashed": {"with"}, "sort_by": {"updated_at"}}, {"mime_type": {"image/png"}},
		{"filters": {fmt.Sprintf(titleRule, "contains", "harbour")}, "sort_by": {"title"}},
		{"filters": {`{"type":"filter","field":"asset.colors","operator":"color_near","value":"#808080"}`}},
	} {
		s.outlined(t, s.token, assets, q)
	}
	for _, by := range append(dam.Values[dam.Sort](), "") {
		s.outlined(t, s.token, collection, url.Values{"sort_by": {string(by)}})
		s.outlined(t, s.token, collection, url.Values{"sort_by": {string(by)}, "sort_direction": {"desc"}})
	}

	a := s.do(t, "GET", assets+"/outline?at="+first, "").want(t, 200)
	if a.get("data.at") != nil || a.get("data.total") != float64(8) {
		t.Errorf("%s", a)
	}
	s.do(t, "GET", assets+"/outline?at="+first, "", "If-None-Match", a.Header.Get("ETag")).want(t, 304)
	tag := s.do(t, "GET", collection+"/outline", "").want(t, 200).Header.Get("ETag")
	s.do(t, "GET", collection+"/outline", "", "If-None-Match", tag).want(t, 304)
	s.do(t, "GET", assets+"/outline?sort_by=position", "").want(t, 422)
	s.do(t, "GET", assets+"/outline?filters={", "").want(t, 422)
}

// An outline counts only assets that its caller may see.
func TestOutlineOfWhatIsRestricted(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	gaids := s.pictures(t, 3)
	secret := s.collection(t, `{"name":"Secret","visibility":"restricted"}`)
	s.do(t, "POST", secret+"/assets", fmt.Sprintf(`{"gaids":[%q]}`, gaids[0])).want(t, 200)
	viewer := s.user(t, "vi@example.com", dam.RoleViewer)
	s.as(t, viewer, "GET", secret+"/assets/outline", "").want(t, 404)
	in := fmt.Sprintf(`{"type":"filter","field":"asset.collections","operator":"in","value":[%s]}`, secret[len(collections)+1:])
	for token, total := range map[string]float64{s.token: 1, viewer: 0} {
		if a := s.as(t, token, "GET", assets+"/outline?filters="+url.QueryEscape(in), "").want(t, 200); a.get("data.total") != total {
			t.Errorf("%s, want %v", a, total)
		}
	}
	none := s.user(t, "no@example.com", dam.RoleAdmin, dam.CollectionsRead)
	s.as(t, none, "GET", assets+"/outline", "").want(t, 403)
	s.as(t, none, "GET", secret+"/assets/outline", "").want(t, 403)
}
