package web_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/web"
)

// capture returns the capture fields of an asset.
func (s *server) capture(t testing.TB, gaid string) string {
	t.Helper()
	a := s.do(t, "GET", assets+"/"+gaid, "").want(t, 200)
	return fmt.Sprint(a.get("data.capture_date"), " ", a.get("data.capture_local_time"), " ", a.get("data.capture_utc_offset"))
}

// takenAround lists photos taken around a turn of the year in several time zones, with the
// capture fields that the API returns for each.
var takenAround = []struct{ name, date, zone, want string }{
	{"la.jpg", "2023:12:31 22:00:00", "-08:00", "2024-01-01T06:00:00.000Z 2023-12-31T22:00:00 -08:00"},
	{"kathmandu.jpg", "2024:01:01 01:00:00", "+05:45", "2023-12-31T19:15:00.000Z 2024-01-01T01:00:00 +05:45"},
	{"london.jpg", "2023:12:31 23:30:00", "+00:00", "2023-12-31T23:30:00.000Z 2023-12-31T23:30:00 +00:00"},
	{"dslr.jpg", "2023:12:31 23:04:21", "", "2023-12-31T23:04:21.000Z 2023-12-31T23:04:21 <nil>"},
}

func (s *server) ingestAround(t testing.TB) (gaids map[string]string) {
	t.Helper()
	gaids = map[string]string{}
	var files []upload
	for i, p := range takenAround {
		files = append(files, upload{p.name, shot{"Canon", p.name, p.date, p.zone}.jpeg(i)})
	}
	for i, f := range s.ingest(t, files...) {
		gaids[takenAround[i].name] = f["gaid"].(string)
	}
	return gaids
}

// Assets have the local time of the place where they were taken. Filters, outlines and the
// sort order use its day and year; the server's time zone does not matter.
func TestCaptureLocalTime(t *testing.T) {
	t.Parallel()
	s := start(t, noMeaning)
	gaids := s.ingestAround(t)
	for _, p := range takenAround {
		if got := s.capture(t, gaids[p.name]); got != p.want {
			t.Errorf("%s: %s, want %s", p.name, got, p.want)
		}
	}
	found := func(operator, value string) (names []string) {
		filter := url.QueryEscape(rule("asset.capture_date", operator, value))
		a := s.do(t, "GET", assets+"?sort_by=capture_date&sort_direction=asc&filters="+filter, "").want(t, 200)
		list, _ := a.get("data").([]any)
		for _, item := range list {
			names = append(names, strings.TrimSuffix(item.(map[string]any)["original_filename"].(string), ".jpg"))
		}
		return names
	}
	for _, tt := range [][3]string{
		{"between", `["2023-01-01","2023-12-31"]`, "[la dslr london]"},
		{"equals", `"2024-01-01"`, "[kathmandu]"},
		{"greater_than_or_equal", `"2024-01-01T00:00:00Z"`, "[la]"},
		{"less_than", `"2024-01-01T00:00:00+05:45"`, "[]"},
		{"less_than", `"2024-01-01T00:00:00Z"`, "[dslr london kathmandu]"},
		{"is_not_empty", `null`, "[la dslr london kathmandu]"},
	} {
		if got := fmt.Sprint(found(tt[0], tt[1])); got != tt[2] {
			t.Errorf("%s %s: %s, want %s", tt[0], tt[1], got, tt[2])
		}
	}
	a := s.do(t, "GET", assets+"/outline?sort_by=capture_date&sort_direction=asc", "").want(t, 200)
	if got := fmt.Sprint(a.get("data.months")); got != "[map[count:3 index:0 month:2023-12] map[count:1 index:3 month:2024-01]]" {
		t.Errorf("the outline has %s", got)
	}
}

// A write sets the instant, the offset or both, and reports errors for each. Sending back
// the values of an answer changes nothing.
func TestCaptureIsWritten(t *testing.T) {
	t.Parallel()
	s := start(t, noMeaning)
	path := assets + "/" + s.one(t, "a.jpg", picture(1, 40, 30))
	s.do(t, "PUT", path, `{"capture_utc_offset":"-08:00"}`).want(t, 422)
	for _, tt := range [][2]string{
		{`{"capture_date":"2024-01-01T06:00:00Z"}`, "2024-01-01T06:00:00.000Z 2024-01-01T06:00:00 <nil>"},
		{`{"capture_utc_offset":"-08:00"}`, "2024-01-01T14:00:00.000Z 2024-01-01T06:00:00 -08:00"},
		{`{"capture_date":"2024-01-01T06:00:00.05Z"}`, "2024-01-01T06:00:00.050Z 2023-12-31T22:00:00.05 -08:00"},
		{`{"capture_date":"2024-01-01T06:00:00+00:00"}`, "2024-01-01T06:00:00.000Z 2024-01-01T06:00:00 +00:00"},
		{`{"capture_utc_offset":null}`, "2024-01-01T06:00:00.000Z 2024-01-01T06:00:00 <nil>"},
		{`{"capture_date":"2024-01-01T06:00:00Z","capture_utc_offset":"+05:45"}`, "2024-01-01T06:00:00.000Z 2024-01-01T11:45:00 +05:45"},
		{`{"capture_date":null}`, "<nil> <nil> <nil>"},
		{`{"capture_date":"2023-12-31T22:00:00-08:00"}`, "2024-01-01T06:00:00.000Z 2023-12-31T22:00:00 -08:00"},
	} {
		s.do(t, "PUT", path, tt[0]).want(t, 200)
		if got := s.capture(t, path[len(assets)+1:]); got != tt[1] {
			t.Errorf("after %s: %s, want %s", tt[0], got, tt[1])
		}
	}
	for body, field := range map[string]string{
		`{"capture_date":"2023-12-31T22:00:00"}`:                                     "capture_date",
		`{"capture_date":"2023-12-31T22:00:00-13:00"}`:                               "capture_date",
		`{"capture_utc_offset":"PST"}`:                                               "capture_utc_offset",
		`{"capture_utc_offset":-8}`:                                                  "capture_utc_offset",
		`{"capture_local_time":"2023-12-31T23:00:00"}`:                               "capture_local_time",
		`{"capture_date":"2023-12-31T22:00:00+01:00","capture_utc_offset":"+02:00"}`: "capture_utc_offset",
	} {
		if a := s.do(t, "PUT", path, body).want(t, 422); a.get("errors."+field) == nil {
			t.Errorf("%s: %s", body, a)
		}
	}
	version := s.do(t, "GET", path, "").get("data.version")
	s.do(t, "PUT", path, `{"capture_date":"2024-01-01T06:00:00.000Z","capture_local_time":"2023-12-31T22:00:00",
		"capture_utc_offset":"-08:00"}`).want(t, 200)
	if got := s.do(t, "GET", path, "").get("data.version"); got != version {
		t.Errorf("version %v after what was shown, want %v", got, version)
	}
}

// A bulk update shifts the clocks of many photos and sets their time zone; the dry run
// shows it.
func TestBulkCapture(t *testing.T) {
	t.Parallel()
	s := start(t, noMeaning)
	gaids := s.ingestAround(t)
	none := s.one(t, "none.jpg", picture(9, 40, 30))
	update := func(changes string, names ...string) string {
		var list []string
		for _, name := range names {
			list = append(list, fmt.Sprintf("%q", gaids[name]))
		}
		list = append(list, `"`+none+`"`)
		return fmt.Sprintf(`{"type":"bulk_update","selection":{"gaids":[%s]},"changes":%s}`, strings.Join(list, ","), changes)
	}
	body := update(`{"capture_shift":"-PT1H","capture_utc_offset":"+01:00"}`, "dslr.jpg", "la.jpg")
	preview := s.plan(t, body)
	want := `map[capture_date:map[from:2023-12-31T23:04:21.000Z to:2023-12-31T21:04:21.000Z] ` +
		`capture_local_time:map[from:2023-12-31T23:04:21 to:2023-12-31T22:04:21] capture_utc_offset:map[from:<nil> to:+01:00]]`
	if got := fmt.Sprint(preview.get("data.items.0.changes")); previewed(preview) != "3 2 1 0 0" || got != want {
		t.Errorf("%s: %s", previewed(preview), got)
	}
	if got := outcome(s.ended(t, s.operate(t, body))); got != "completed 3 3 1 0 100" {
		t.Error(got)
	}
	s.ended(t, s.operate(t, update(`{"capture_shift":"P1DT0.5S"}`, "kathmandu.jpg")))
	s.ended(t, s.operate(t, update(`{"capture_utc_offset":null}`, "london.jpg")))
	for name, want := range map[string]string{
		"dslr.jpg":      "2023-12-31T21:04:21.000Z 2023-12-31T22:04:21 +01:00",
		"la.jpg":        "2023-12-31T20:00:00.000Z 2023-12-31T21:00:00 +01:00",
		"kathmandu.jpg": "2024-01-01T19:15:00.500Z 2024-01-02T01:00:00.5 +05:45",
		"london.jpg":    "2023-12-31T23:30:00.000Z 2023-12-31T23:30:00 <nil>",
	} {
		if got := s.capture(t, gaids[name]); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	for changes, field := range map[string]string{
		`{"capture_shift":"an hour"}`:                                    "changes.capture_shift",
		`{"capture_shift":"P999999D"}`:                                   "changes.capture_shift",
		`{"capture_shift":"PT1H","capture_date":"2024-01-01T00:00:00Z"}`: "changes.capture_shift",
		`{"capture_shift":"PT1H","capture_utc_offset":"+15:00"}`:         "changes.capture_utc_offset",
		`{"capture_utc_offset":"local"}`:                                 "changes.capture_utc_offset",
	} {
		a := s.do(t, "POST", operations+"?dry_run=true", update(changes), "Idempotency-Key", newKey()).want(t, 422)
		if errs, _ := a.get("errors").(map[string]any); errs[field] == nil {
			t.Errorf("%s: %s", changes, a)
		}
	}
}

// Assets of a library from before offsets were stored get the offsets of their files,
// except where somebody has changed the date.
func TestOffsetsOfAnOlderLibrary(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var gaids map[string]string
	var token string
	t.Run("older", func(t *testing.T) { //nolint:paralleltest // must run first
		s := start(t, func(c *app.Config, o *web.Options) { noMeaning(c, o); c.DataDir = dir })
		gaids, token = s.ingestAround(t), s.token
		s.do(t, "PUT", assets+"/"+gaids["kathmandu.jpg"], `{"capture_date":"1999-12-31T12:00:00Z","capture_utc_offset":null}`).want(t, 200)
		for _, text := range []string{
			`UPDATE assets SET capture_offset = NULL, capture_date = capture_date`,
			`INSERT INTO asset_followups (asset_id, what) SELECT id, 4 FROM assets`,
		} {
			if _, err := s.db(t).ExecContext(t.Context(), text); err != nil {
				t.Fatal(err)
			}
		}
	})
	s := run(t, func(c *app.Config, o *web.Options) { noMeaning(c, o); c.DataDir = dir })
	s.token = token
	s.until(t, assets+"/"+gaids["la.jpg"], func(a answer) bool { return a.get("data.capture_utc_offset") != nil })
	for _, p := range takenAround {
		want := p.want
		if p.name == "kathmandu.jpg" {
			want = "1999-12-31T12:00:00.000Z 1999-12-31T12:00:00 <nil>"
		}
		if got := s.capture(t, gaids[p.name]); got != want {
			t.Errorf("%s: %s, want %s", p.name, got, want)
		}
	}
	filter := url.QueryEscape(rule("asset.capture_date", "equals", `"2023-12-31"`))
	s.total(t, s.token, assets+"?filters="+filter, 3)
	if n := s.count(t, `SELECT count(*) FROM asset_followups`); n != 0 {
		t.Errorf("%d assets are left", n)
	}
}

// A copy with embedded metadata has exactly the capture time of the library.
func TestCaptureOfCopies(t *testing.T) {
	t.Parallel()
	s, other := start(t, noMeaning), start(t, noMeaning)
	gaids := s.ingestAround(t)
	gaids["bare.jpg"] = s.one(t, "bare.jpg", picture(9, 40, 30))
	for i, tt := range []struct{ name, change, exif string }{ // exif is the offset in the EXIF of the copy
		{"la.jpg", `{}`, "-08:00"},
		{"la.jpg", `{"title":"Other"}`, "-08:00"},
		{"la.jpg", `{"capture_utc_offset":null}`, "-08:00"},
		{"la.jpg", `{"capture_utc_offset":"+00:00"}`, "+00:00"},
		{"la.jpg", `{"capture_date":"2019-02-28T23:59:59.123+05:45"}`, "-08:00"},
		{"la.jpg", `{"capture_date":null}`, "-08:00"},
		{"dslr.jpg", `{"capture_utc_offset":"+08:00"}`, "+08:00"},
		{"dslr.jpg", `{"capture_date":"1999-12-31T22:00:00Z"}`, ""},
		{"london.jpg", `{"capture_utc_offset":null}`, "+00:00"},
		{"bare.jpg", `{"capture_date":"2020-01-01T00:00:00.05Z"}`, ""},
		{"bare.jpg", `{"capture_date":"2020-01-01T00:00:00-03:30"}`, ""},
	} {
		path := assets + "/" + gaids[tt.name]
		s.do(t, "PUT", path, tt.change).want(t, 200)
		for _, query := range []string{"?embed_metadata=1", "?embed_metadata=1&rendition=preview"} {
			copied := s.do(t, "GET", path+"/download"+query, "").want(t, 200)
			again := other.one(t, fmt.Sprintf("%d%d.jpg", i, len(query)), copied.body)
			if got, want := other.capture(t, again), s.capture(t, gaids[tt.name]); got != want {
				t.Errorf("%s after %s %s: %s, want %s", tt.name, tt.change, query, got, want)
			}
			a := other.do(t, "GET", assets+"/"+again, "").want(t, 200)
			if got, _ := a.get("data.technical.exif.OffsetTimeOriginal").(string); got != tt.exif && !strings.Contains(query, "preview") {
				t.Errorf("%s after %s: the offset in EXIF is %q, want %q", tt.name, tt.change, got, tt.exif)
			}
		}
	}
}
