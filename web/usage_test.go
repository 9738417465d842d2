package web_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/web"
)

// licensed sets the usage period of an asset.
func (s *server) licensed(t *testing.T, gaid string, from, until time.Time) {
	t.Helper()
	s.do(t, "PUT", assets+"/"+gaid, fmt.Sprintf(`{"usage_from":%q,"usage_until":%q}`, stamp(from), stamp(until))).want(t, 200)
}

// Image URLs stop working exactly at the limits of the usage period, and caches may not
// keep pictures beyond it.
func TestUsageOfImages(t *testing.T) {
	t.Parallel()
	s, clock := standing(t, nil)
	gaid := s.one(t, "a.jpg", picture(1, 400, 300))
	path := s.signed(t, `{"gaid":"`+gaid+`","width":100}`)
	from := clock.now().Truncate(time.Second).Add(time.Hour)
	until := from.Add(24 * time.Hour)
	s.licensed(t, gaid, from, until)
	for _, tt := range []struct {
		at      time.Time
		status  int
		caching string
	}{
		{from.Add(-time.Millisecond), 404, "no-store"},
		{from, 200, "public, max-age=86400"},
		{from.Add(time.Hour + time.Millisecond), 200, "public, max-age=82799"},
		{until.Add(-time.Millisecond), 200, "public, max-age=0"},
		{until, 404, "no-store"},
		{until.Add(time.Hour), 404, "no-store"},
	} {
		clock.pass(tt.at.Sub(clock.now()))
		a := s.as(t, "", "GET", path, "").want(t, tt.status)
		if c := a.Header.Get("Cache-Control"); c != tt.caching {
			t.Errorf("%v: %q, not %q", tt.at.Sub(from), c, tt.caching)
		}
		if tt.status == 404 && a.get("message") != "Not found." {
			t.Errorf("%v: %s", tt.at.Sub(from), a)
		}
	}
	s.as(t, "", "HEAD", path, "").want(t, 404)
	s.do(t, "PUT", assets+"/"+gaid, `{"usage_until":null}`).want(t, 200)
	if c := s.as(t, "", "GET", path, "").want(t, 200).Header.Get("Cache-Control"); c != "public, max-age=31536000, immutable" {
		t.Error(c)
	}
}

// Users with download permission can still download the asset; a header warns them, and the asset and exports
// contain the state.
func TestUsageOfDownloads(t *testing.T) {
	t.Parallel()
	s, clock := standing(t, nil)
	viewer := s.user(t, "vi@example.com", dam.RoleViewer)
	gaid := s.one(t, "a.jpg", picture(1, 400, 300))
	path := assets + "/" + gaid
	look := func(state, warning string) {
		t.Helper()
		a := s.do(t, "GET", path, "").want(t, 200)
		if got := a.get("data.usage_state"); got != state {
			t.Errorf("the asset is %v, not %s", got, state)
		}
		s.do(t, "GET", path, "", "If-None-Match", a.Header.Get("ETag")).want(t, 304)
		if got := s.do(t, "GET", assets, "").get("data.0.usage_state"); got != state {
			t.Errorf("in a list it is %v, not %s", got, state)
		}
		for _, file := range []string{
			"/download", "/download?rendition=preview", "/download?preset=web", "/download?embed_metadata=1", "/versions/1/download",
		} {
			a := s.as(t, viewer, "GET", path+file, "", "Range", "bytes=0-9").want(t, 206)
			if got := a.Header.Get("DAL-Usage"); got != warning {
				t.Errorf("%s: DAL-Usage is %q, not %q", file, got, warning)
			}
			s.as(t, viewer, "HEAD", path+file, "").want(t, 200)
		}
		export := s.operate(t, `{"type":"export","format":"zip","selection":{"gaids":["`+gaid+`"]}}`)
		s.ended(t, export)
		if got := manifestOf(t, s.do(t, "GET", export+"/download", "").want(t, 200).body)[0]["usage_state"]; got != state {
			t.Errorf("in the manifest it is %v, not %s", got, state)
		}
	}
	look("active", "")
	from := clock.now().Add(time.Hour)
	until := from.Add(time.Hour)
	s.licensed(t, gaid, from, until)
	look("upcoming", fmt.Sprintf(`upcoming; from="%s"`, stamp(from)))
	before := s.do(t, "GET", path, "").Header.Get("ETag")
	clock.pass(time.Hour)
	s.do(t, "GET", path, "", "If-None-Match", before).want(t, 200)
	s.do(t, "PUT", path, `{"title":"x"}`, "If-Match", before).want(t, 412)
	look("active", "")
	clock.pass(time.Hour)
	look("expired", fmt.Sprintf(`expired; until="%s"`, stamp(until)))
}

// manifestOf returns the assets in the manifest of an export.
func manifestOf(t *testing.T, data []byte) []map[string]any {
	t.Helper()
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	must(t, err)
	f, err := archive.Open("manifest.json")
	must(t, err)
	text, err := io.ReadAll(f)
	must(t, err)
	var manifest struct{ Assets []map[string]any }
	must(t, json.Unmarshal(text, &manifest))
	return manifest.Assets
}

// usageEvents counts the asset.updated events of each asset since an event.
func (s *server) usageEvents(t *testing.T, since int) map[string]int {
	t.Helper()
	told := map[string]int{}
	for _, e := range s.events(t)[since:] {
		if e.Type == dam.AssetUpdated {
			told[e.Subject]++
		}
	}
	return told
}

// The start and the end of a usage period emit one event per asset, for any number of
// assets, but not for trashed ones.
func TestUsageIsTold(t *testing.T) {
	t.Parallel()
	s, clock := standing(t, noMeaning)
	tidy := func() { t.Helper(); must(t, s.app.Maintenance.Tidy(t.Context())) }
	tidy()
	const n = 520 // more than one batch
	gaids := s.fill(t, n)
	from, until := clock.now().Add(time.Hour), clock.now().Add(2*time.Hour)
	if _, err := s.db(t).ExecContext(t.Context(), `UPDATE assets SET usage_from = ?, usage_until = ?`,
		from.UnixMilli(), until.UnixMilli()); err != nil {
		t.Fatal(err)
	}
	s.do(t, "DELETE", assets+"/"+gaids[0], "").want(t, 200)
	s.do(t, "PUT", assets+"/"+gaids[1], `{"usage_from":null,"usage_until":null}`).want(t, 200)
	version := s.do(t, "GET", assets+"/"+gaids[2], "").get("data.version").(float64)

	since := len(s.events(t))
	told := func(times int) {
		t.Helper()
		all := s.usageEvents(t, since)
		for i, gaid := range gaids {
			if want := min(times, max(0, (i-1)*n)); all[gaid] != want {
				t.Fatalf("asset %d is told of %d times, not %d", i, all[gaid], want)
			}
		}
	}
	tidy()
	told(0)
	clock.pass(time.Hour - time.Millisecond)
	tidy()
	told(0)
	clock.pass(time.Millisecond)
	tidy()
	tidy()
	told(1)
	clock.pass(-time.Minute) // the clock is set back
	tidy()
	clock.pass(time.Minute + time.Second)
	tidy()
	told(1)
	clock.pass(time.Hour)
	tidy()
	tidy()
	told(2)
	clock.pass(10 * time.Hour)
	tidy()
	told(2)
	a := s.do(t, "GET", assets+"/"+gaids[2], "")
	if a.get("data.usage_state") != "expired" || a.get("data.version") != version+2 {
		t.Errorf("%v, version %v after %v", a.get("data.usage_state"), a.get("data.version"), version)
	}

	// For a usage period that had ended before it was set, only the change emits an event.
	since = len(s.events(t))
	s.do(t, "PUT", assets+"/"+gaids[1], `{"usage_until":"`+stamp(clock.now().Add(-time.Hour))+`"}`).want(t, 200)
	tidy()
	if got := s.usageEvents(t, since)[gaids[1]]; got != 1 {
		t.Errorf("it is told %d times", got)
	}
}

// If a usage period starts or ends while no server is running, the event is emitted once at
// the next start.
func TestUsageIsToldAfterDowntime(t *testing.T) {
	t.Parallel()
	dir, clock := t.TempDir(), newClock()
	on := func(c *app.Config, o *web.Options) { c.DataDir, c.Now, o.Now = dir, clock.now, clock.now }
	var gaid string
	var since int
	t.Run("before", func(t *testing.T) {
		s := start(t, on)
		gaid = s.one(t, "a.jpg", picture(1, 64, 48))
		s.licensed(t, gaid, clock.now().Add(time.Hour), clock.now().Add(24*time.Hour))
		since = len(s.events(t))
	})
	for i, down := range []time.Duration{time.Minute, 2 * time.Hour, time.Minute, 48 * time.Hour, time.Minute} {
		clock.pass(down)
		t.Run(down.String(), func(t *testing.T) {
			s := run(t, on)
			must(t, s.app.Maintenance.Tidy(t.Context()))
			if got, want := s.usageEvents(t, since)[gaid], []int{0, 1, 1, 2, 2}[i]; got != want {
				t.Errorf("after start %d it is told %d times, not %d", i, got, want)
			}
		})
	}
}

// Webhook events contain the state at the time of the event.
func TestUsageInWebhooks(t *testing.T) {
	t.Parallel()
	s, clock, gaid := clocked(t, nil)
	s.licensed(t, gaid, clock.now().Add(time.Hour), clock.now().Add(2*time.Hour))
	r := newReceiver(t)
	s.hook(t, r.URL, "asset.updated")
	for i, want := range []string{"active", "expired"} {
		clock.pass(time.Hour)
		must(t, s.app.Maintenance.Tidy(t.Context()))
		if got := (answer{body: r.wait(t, i+1)[i].body}).get("data.usage_state"); got != want {
			t.Errorf("it is %v, not %s", got, want)
		}
	}
}

// In searches and smart collections, today is the day in the server's time zone, which may
// have another date than UTC.
func TestTodayInZone(t *testing.T) {
	t.Parallel()
	zone := time.FixedZone("east", 13*3600)
	noon := time.Now().UTC().Truncate(24 * time.Hour).Add(12 * time.Hour) // in the zone, one o'clock of the next day
	c := &clock{start: noon.In(zone)}
	s := start(t, func(cfg *app.Config, o *web.Options) {
		cfg.Now, o.Now = c.now, c.now
		noMeaning(cfg, o)
	})
	tomorrow := noon.AddDate(0, 0, 1).Format(time.DateOnly)
	for i, gaid := range s.fill(t, 3) {
		at := noon.Add([]time.Duration{-90 * time.Minute, 0, 22 * time.Hour}[i])
		taken := []string{noon.Format(time.DateOnly), tomorrow, tomorrow}[i] + "T08:00:00Z"
		s.do(t, "PUT", assets+"/"+gaid, fmt.Sprintf(`{"title":"%c","usage_until":%q,"capture_date":%q}`, 'A'+i, stamp(at), taken)).want(t, 200)
	}
	for _, field := range []string{"asset.usage_until", "asset.capture_date"} {
		today := rule(field, "equals", `"today"`)
		if got := titles(t, s.list(t, "filters", today, "sort_by", "title").want(t, 200)); got != "B C" {
			t.Errorf("%s: %s", field, got)
		}
		made := s.do(t, "POST", collections, fmt.Sprintf(`{"name":%q,"rules":%s}`, field, today)).want(t, 201)
		path := fmt.Sprintf("%s/%v/assets?sort_by=title", collections, made.get("data.id"))
		if got := titles(t, s.do(t, "GET", path, "").want(t, 200)); got != "B C" {
			t.Errorf("collection by %s: %s", field, got)
		}
	}
}

// Rules with relative dates are evaluated at the current time: in filters, in saved
// searches, and in smart collections.
func TestRelativeDates(t *testing.T) {
	t.Parallel()
	s, clock := standing(t, noMeaning)
	gaids := s.fill(t, 4)
	day := 24 * time.Hour
	now := clock.now()
	clock.pass(time.Duration(86_400-now.UTC().Unix()%86_400)*time.Second + 12*time.Hour) // noon tomorrow
	now = clock.now().Truncate(time.Second)
	for i, until := range []time.Time{now.Add(-time.Second), now.Add(day), now.Add(40 * day)} {
		s.do(t, "PUT", assets+"/"+gaids[i], fmt.Sprintf(`{"title":"%c","usage_until":%q}`, 'A'+i, stamp(until))).want(t, 200)
	}
	s.do(t, "PUT", assets+"/"+gaids[3], fmt.Sprintf(`{"title":"D","usage_from":%q}`, stamp(now.Add(10*day)))).want(t, 200)
	ended, ending := rule("asset.usage_until", "less_than_or_equal", `"now"`), rule("asset.usage_until", "between", `["now","now+30d"]`)
	s.do(t, "POST", savedSearches, `{"name":"Ended","query":{"filters":`+ended+`}}`).want(t, 201)
	made := s.do(t, "POST", collections, `{"name":"Ended","rules":`+ended+`}`).want(t, 201)
	path := fmt.Sprintf("%s/%v/assets?sort_by=title", collections, made.get("data.id"))
	find := func(filters, want string) {
		t.Helper()
		if got := titles(t, s.list(t, "filters", filters, "sort_by", "title").want(t, 200)); got != want {
			t.Errorf("%s finds %q, not %q", filters, got, want)
		}
	}
	inside := func(want string) {
		t.Helper()
		if got := titles(t, s.do(t, "GET", path, "").want(t, 200)); got != want {
			t.Errorf("the collection has %q, not %q", got, want)
		}
	}
	find(ended, "A")
	find(ending, "B")
	find(rule("asset.usage_until", "equals", `"today"`), "A")
	find(rule("asset.usage_until", "in", `["today","today+1d"]`), "A B")
	find(rule("asset.usage_until", "between", `["today","today+40d"]`), "A B C")
	find(rule("asset.usage_until", "between", `["now","now-1d"]`), "")
	find(rule("asset.usage_from", "greater_than", `"now"`), "D")
	inside("A")
	inside("A")
	clock.pass(20 * day)
	find(ended, "A B")
	find(ending, "C")
	find(rule("asset.usage_from", "greater_than", `"now"`), "")
	inside("A B")
	clock.pass(30 * day)
	inside("A B C")
	far := rule("asset.usage_until", "equals", `"now+99999d"`)
	if a := s.list(t, "filters", far).want(t, 422); !strings.Contains(a.String(), "today+30d") {
		t.Error(a)
	}
}
