package dam_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
)

// taken parses a capture time in the form of Text, nil for "".
func taken(t *testing.T, s string) *dam.CaptureTime {
	t.Helper()
	if s == "" {
		return nil
	}
	at, err := time.Parse("2006-01-02T15:04:05Z07:00", s)
	if err != nil {
		at, err = time.Parse("2006-01-02T15:04:05", s)
	}
	if err != nil {
		t.Fatal(err)
	}
	c := dam.CaptureAt(at)
	return &c
}

func textOf(a *dam.Asset) string {
	if a.CaptureDate == nil {
		return ""
	}
	return a.CaptureDate.Text()
}

func TestCapturePatch(t *testing.T) {
	t.Parallel()
	const (
		la    = "2023-12-31T22:00:00-08:00"
		clock = "2023-12-31T22:00:00"
	)
	null := func() dam.Opt[string] { return dam.Opt[string]{Sent: true, Null: true} }
	offset := func(s string) dam.Opt[string] { return dam.Opt[string]{Sent: true, Value: s} }
	for _, tt := range []struct {
		before, date string
		offset       dam.Opt[string]
		after        string // or the field of the problem
	}{
		{"", "2024-01-01T06:00:00Z", dam.Opt[string]{}, "2024-01-01T06:00:00"},
		{"", la, dam.Opt[string]{}, la},
		{"", "2024-01-01T00:00:00+00:00", dam.Opt[string]{}, "2024-01-01T00:00:00+00:00"},
		{"", "2024-01-01T00:00:00+05:45", dam.Opt[string]{}, "2024-01-01T00:00:00+05:45"},
		{"", "2024-01-01T00:00:00+18:00", dam.Opt[string]{}, "capture_date"},
		{la, "2024-01-01T07:30:00Z", dam.Opt[string]{}, "2023-12-31T23:30:00-08:00"},
		{la, "2024-01-01T07:30:00+01:00", dam.Opt[string]{}, "2024-01-01T07:30:00+01:00"},
		{la, "null", dam.Opt[string]{}, ""},
		{la, "null", offset("-08:00"), ""},

		{clock, "", offset("-08:00"), la},
		{clock, "", offset("+00:00"), clock + "+00:00"},
		{clock, "", null(), clock},
		{la, "", null(), clock},
		{la, "", offset("+05:45"), clock + "+05:45"},
		{la, "", offset("-15:00"), "capture_utc_offset"},
		{la, "", offset("Z"), "capture_utc_offset"},
		{la, "", offset("-8:00"), "capture_utc_offset"},
		{la, "", offset(""), "capture_utc_offset"},
		{"", "", offset("-08:00"), "capture_utc_offset"},
		{"", "", null(), ""},

		// Both: the instant and its offset, as in API answers.
		{"", "2024-01-01T06:00:00Z", offset("-08:00"), la},
		{la, "2024-01-01T06:00:00Z", offset("-08:00"), la},
		{la, "2024-01-01T06:00:00Z", null(), "2024-01-01T06:00:00"},
		{la, "2024-01-01T06:00:00Z", offset("8"), "capture_utc_offset"},
		{la, "2024-01-01T07:00:00+01:00", offset("+01:00"), "2024-01-01T07:00:00+01:00"},
		{la, "2024-01-01T07:00:00+01:00", offset("-08:00"), "2024-01-01T07:00:00+01:00"}, // returned unchanged by the client
		{la, "2024-01-01T07:00:00+01:00", offset("+02:00"), "capture_utc_offset"},
		{la, "2024-01-01T07:00:00+01:00", null(), "capture_utc_offset"},
	} {
		a := dam.Asset{Title: "-", OriginalFilename: "-", WorkflowStatus: dam.WorkflowDraft, CaptureDate: taken(t, tt.before)}
		before := a
		p := dam.AssetPatch{CaptureUTCOffset: tt.offset}
		switch tt.date {
		case "":
		case "null":
			p.CaptureDate = dam.Opt[dam.CaptureTime]{Sent: true, Null: true}
		default:
			at, err := time.Parse(time.RFC3339, tt.date)
			if err != nil {
				t.Fatal(err)
			}
			p.CaptureDate = dam.Opt[dam.CaptureTime]{Sent: true, Value: dam.CaptureTime{Time: at}}
		}
		if !p.TouchesFields() {
			t.Errorf("%+v touches no fields", tt)
		}
		err := p.Apply(&a, nil)
		if e, ok := errors.AsType[*dam.Error](err); ok {
			if e.FirstField() != tt.after {
				t.Errorf("%s with %s %+v: %v", tt.before, tt.date, tt.offset, err)
			}
			continue
		}
		if got := textOf(&a); got != tt.after {
			t.Errorf("%s with %s %+v = %s, want %s", tt.before, tt.date, tt.offset, got, tt.after)
		}
		if textOf(&before) != tt.before {
			t.Errorf("%s was changed in place", tt.before)
		}
		var fields []string
		for _, d := range dam.DiffAssets(&before, &a) {
			fields = append(fields, d.Field)
		}
		if (len(fields) > 0) != (tt.before != tt.after) {
			t.Errorf("from %s to %s differs in %v", tt.before, tt.after, fields)
		}
	}
}

// All of these have the same local time, and the offset survives the round trip.
func TestCaptureTimeJSON(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ json, local, offset string }{
		{`"2023-12-31T22:00:00.05-08:00"`, "2023-12-31T22:00:00.05", "-08:00"},
		{`"2023-12-31T22:00:00+00:00"`, "2023-12-31T22:00:00", "+00:00"},
		{`"2023-12-31T22:00:00Z"`, "2023-12-31T22:00:00", ""},
		{`"2023-12-31T22:00:00.123+05:45"`, "2023-12-31T22:00:00.123", "+05:45"},
	} {
		var c dam.CaptureTime
		if err := json.Unmarshal([]byte(tt.json), &c); err != nil {
			t.Fatal(err)
		}
		a := dam.Asset{CaptureDate: &c}
		b, err := json.Marshal(c)
		if err != nil || string(b) != tt.json || a.CaptureLocalTime() != tt.local || a.CaptureUTCOffset() != tt.offset {
			t.Errorf("%s: %s %q %q %v", tt.json, b, a.CaptureLocalTime(), a.CaptureUTCOffset(), err)
		}
	}
}

// Offsets do not depend on the server's time zone.
func TestCaptureAt(t *testing.T) {
	t.Parallel()
	london, err := time.LoadLocation("Europe/London")
	if err != nil {
		t.Skip(err)
	}
	for _, tt := range []struct {
		at   time.Time
		want string
	}{
		{time.Date(2024, 1, 1, 0, 0, 0, 999_999, london), "2024-01-01T00:00:00+00:00"},
		{time.Date(2024, 7, 1, 0, 0, 0, 1_000_000, london), "2024-07-01T00:00:00.001+01:00"},
		{time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC), "2024-01-01T00:00:00"},
		{time.Date(2024, 1, 1, 0, 0, 0, 0, time.FixedZone("UTC", 0)), "2024-01-01T00:00:00+00:00"},
		{time.Date(2024, 1, 1, 0, 0, 0, 0, time.FixedZone("", 15*3600)), "2023-12-31T09:00:00"},
	} {
		if got := dam.CaptureAt(tt.at).Text(); got != tt.want {
			t.Errorf("%v = %s, want %s", tt.at, got, tt.want)
		}
	}
}

// A table contains the local day or the local time.
func TestCaptureCells(t *testing.T) {
	t.Parallel()
	const la = "2023-12-31T22:00:00-08:00"
	for _, tt := range []struct{ before, date, offset, after string }{
		{la, "2024-02-29", "", "2024-02-29T00:00:00-08:00"},
		{"", "2024-02-29", "", "2024-02-29T00:00:00"},
		{la, "2024-02-29", "+05:45", "2024-02-29T00:00:00+05:45"},
		{la, "2024-02-29", "null", "2024-02-29T00:00:00"},
		{la, "2024-02-29T10:11:12.5", "", "2024-02-29T10:11:12.5-08:00"},
		{"", "2024-02-29T10:11:12", "-03:30", "2024-02-29T10:11:12-03:30"},
		{la, "2024-02-29T18:00:00Z", "", "2024-02-29T10:00:00-08:00"},
		{"", "2024-02-29T18:00:00.000Z", "-08:00", "2024-02-29T10:00:00-08:00"},
		{la, "2024-02-29T18:00:00+01:00", "", "2024-02-29T18:00:00+01:00"},
		{la, "null", "", ""},
		{la, "", "+01:00", "2023-12-31T22:00:00+01:00"},
		{la, "29.2.2024", "", "capture_date"},
		{la, "0000-01-01", "", "capture_date"},
		{la, "9999-12-31T23:59:59-08:00", "", "capture_date"},
		{la, "", "Berlin", "capture_utc_offset"},
	} {
		var row []dam.Cell
		for column, text := range map[string]string{"capture_date": tt.date, "capture_utc_offset": tt.offset} {
			if text != "" {
				row = append(row, dam.Cell{Column: column, Text: strings.Replace(text, "null", "", 1)})
			}
		}
		a := dam.Asset{Title: "-", OriginalFilename: "-", WorkflowStatus: dam.WorkflowDraft, CaptureDate: taken(t, tt.before)}
		p, err := dam.PatchOf(&a, nil, row)
		if err == nil {
			err = p.Apply(&a, nil)
		}
		got := textOf(&a)
		if e, ok := errors.AsType[*dam.Error](err); ok {
			got = e.FirstField()
		}
		if got != tt.after {
			t.Errorf("%s with %q = %s, want %s", tt.before, fmt.Sprint(row), got, tt.after)
		}
	}
}

func TestParseShift(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{
		"PT1H": "1h0m0s", "-PT1H": "-1h0m0s", "+P1D": "24h0m0s", "-P1DT30M": "-24h30m0s", "P2W": "336h0m0s", "PT0S": "0s",
		"PT1.5S": "1.5s", "-PT0,05S": "-50ms", "P36525D": "876600h0m0s", "PT999999999S": "277777h46m39s", "PT90M": "1h30m0s",
		"": "", "P": "", "PT": "", "P1DT": "", "1H": "", "P1Y": "", "P1M": "", "PT1H1H": "", "pt1h": "", "P36526D": "", "P999999W": "",
		"PT-1H":  "",
		"--PT1H": "", "PT1H\n": "", "3600": "", "PT1.2345S": "", "P1.5D": "",
	} {
		got := ""
		if d, ok := dam.ParseShift(s); ok {
			got = d.String()
		}
		if got != want {
			t.Errorf("%q = %q, want %q", s, got, want)
		}
	}
}

// A shift moves the clock before the offset is set. Assets without a date are unaffected.
func TestBulkCapture(t *testing.T) {
	t.Parallel()
	const la = "2023-12-31T22:00:00-08:00"
	for _, tt := range []struct {
		before, shift string
		offset        dam.Opt[string]
		after         string // or the field of the problem
	}{
		{la, "PT2H", dam.Opt[string]{}, "2024-01-01T00:00:00-08:00"},
		{"2023-12-31T22:00:00", "-P1D", dam.Opt[string]{}, "2023-12-30T22:00:00"},
		{"2024-01-01T07:00:00+01:00", "-PT9H", dam.Opt[string]{Sent: true, Value: "-08:00"}, la},
		{la, "PT1H", dam.Opt[string]{Sent: true, Null: true}, "2023-12-31T23:00:00"},
		{la, "", dam.Opt[string]{Sent: true, Value: "+00:00"}, "2023-12-31T22:00:00+00:00"},
		{"", "PT1H", dam.Opt[string]{Sent: true, Value: "+00:00"}, ""},
		{"9999-12-31T22:00:00", "PT2H", dam.Opt[string]{}, "capture_date"},
		{"0001-01-01T00:00:00", "-PT0.001S", dam.Opt[string]{}, "capture_date"},
	} {
		c := dam.BulkChanges{CaptureShift: tt.shift, AssetPatch: dam.AssetPatch{CaptureUTCOffset: tt.offset}}
		if _, err := c.Try(nil); err != nil || !c.TouchesAssets() {
			t.Errorf("%+v: %v", tt, err)
		}
		a := dam.Asset{Title: "-", OriginalFilename: "-", WorkflowStatus: dam.WorkflowDraft, CaptureDate: taken(t, tt.before)}
		err := c.Apply(&a, nil)
		got := textOf(&a)
		if e, ok := errors.AsType[*dam.Error](err); ok {
			got = e.FirstField()
		}
		if got != tt.after {
			t.Errorf("%+v = %s", tt, got)
		}
	}
}
