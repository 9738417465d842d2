package media_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/media"
)

// A capture date contains the camera's local time, its offset if known, and the instant.
func TestCaptureOffset(t *testing.T) {
	t.Parallel()
	const original, subsec, offset = 0x9003, 0x9291, 0x9011
	at := func(clock string, more ...tag) []tag { return append([]tag{ascii(original, clock)}, more...) }
	fix := func(day string, h, m, s uint32) []tag { return []tag{rational(7, h, 1, m, 1, s, 1), ascii(0x1d, day)} }
	xmp := func(attribute string) string {
		return xmpHead + `<rdf:Description rdf:about="" xmlns:xmp="http://ns.adobe.com/xap/1.0/" ` +
			`xmlns:exif="http://ns.adobe.com/exif/1.0/" ` + attribute + `/></rdf:RDF></x:xmpmeta>`
	}
	const dalDate = `xmlns:dal="https://github.com/digital-asset-library/dal/ns/1.0/" `
	tests := []struct {
		name        string
		camera, gps []tag
		xmp         string
		iptc        []record
		want        string // local time, offset and instant
	}{
		{name: "no zone", camera: at("2023:12:30 23:04:21"), want: "2023-12-30T23:04:21  2023-12-30T23:04:21Z"},
		{name: "an empty zone", camera: at("2023:12:30 23:04:21", ascii(offset, "")), want: "2023-12-30T23:04:21  2023-12-30T23:04:21Z"},
		{name: "east", camera: at("2023:12:30 23:05:00", ascii(offset, "+08:00")),
			want: "2023-12-30T23:05:00 +08:00 2023-12-30T15:05:00Z"},
		{name: "west", camera: at("2023:12:31 22:00:00", ascii(offset, "-08:00")),
			want: "2023-12-31T22:00:00 -08:00 2024-01-01T06:00:00Z"},
		{name: "in London", camera: at("2023:12:31 22:00:00", ascii(offset, "+00:00")),
			want: "2023-12-31T22:00:00 +00:00 2023-12-31T22:00:00Z"},
		{name: "no such zone", camera: at("2023:12:31 22:00:00", ascii(offset, "+19:00")),
			want: "2023-12-31T22:00:00  2023-12-31T22:00:00Z"},
		{name: "not a zone", camera: at("2023:12:31 22:00:00", ascii(offset, "   :  ")),
			want: "2023-12-31T22:00:00  2023-12-31T22:00:00Z"},
		{name: "a summer's night that has two hours from 2 to 3", camera: at("2023:10:29 02:30:00", ascii(offset, "+01:00")),
			want: "2023-10-29T02:30:00 +01:00 2023-10-29T01:30:00Z"},
		{name: "an hour that no clock in Berlin showed", camera: at("2023:03:26 02:30:00"),
			want: "2023-03-26T02:30:00  2023-03-26T02:30:00Z"},
		{name: "long ago", camera: at("1826:06:01 12:00:00", ascii(offset, "+01:00")),
			want: "1826-06-01T12:00:00 +01:00 1826-06-01T11:00:00Z"},
		{name: "far away", camera: at("2099:12:31 23:00:00", ascii(offset, "-10:00")),
			want: "2099-12-31T23:00:00 -10:00 2100-01-01T09:00:00Z"},
		{name: "the 30th of February", camera: at("2023:02:30 12:00:00"), want: ""},

		{name: "0.05 s", camera: at("2024:07:21 12:00:00", ascii(subsec, "05"), ascii(offset, "+00:00")),
			want: "2024-07-21T12:00:00.05 +00:00 2024-07-21T12:00:00.050Z"},
		{name: "0.88 s", camera: at("2024:07:21 12:00:00", ascii(subsec, "88 ")), want: "2024-07-21T12:00:00.88  2024-07-21T12:00:00.880Z"},
		{name: "0.29 s", camera: at("2024:07:21 12:00:00", ascii(subsec, "29")), want: "2024-07-21T12:00:00.29  2024-07-21T12:00:00.290Z"},
		{name: "0.9 s", camera: at("2024:07:21 12:00:00", ascii(subsec, "9")), want: "2024-07-21T12:00:00.9  2024-07-21T12:00:00.900Z"},
		{name: "six digits", camera: at("2023:08:13 09:26:39", ascii(subsec, "094772")),
			want: "2023-08-13T09:26:39.094  2023-08-13T09:26:39.094Z"},
		{name: "no digits", camera: at("2023:08:13 09:26:39", ascii(subsec, "-1")), want: "2023-08-13T09:26:39  2023-08-13T09:26:39.000Z"},

		{name: "a fix", camera: at("2024:07:21 12:00:00"), gps: fix("2024:07:21", 9, 59, 0),
			want: "2024-07-21T12:00:00 +02:00 2024-07-21T10:00:00Z"},
		{name: "a fix five minutes old", camera: at("2024:07:21 12:05:00"), gps: fix("2024:07:21", 9, 59, 0),
			want: "2024-07-21T12:05:00  2024-07-21T12:05:00Z"},
		{name: "a fix 15 minutes old", camera: at("2024:07:21 12:15:00"), gps: fix("2024:07:21", 10, 0, 0),
			want: "2024-07-21T12:15:00  2024-07-21T12:15:00Z"},
		{name: "a fix 30 minutes old", camera: at("2024:07:21 12:29:00"), gps: fix("2024:07:21", 9, 59, 0),
			want: "2024-07-21T12:29:00  2024-07-21T12:29:00Z"},
		{name: "Kathmandu", camera: at("2024:07:21 12:00:00"), gps: fix("2024:07:21", 6, 15, 3),
			want: "2024-07-21T12:00:00 +05:45 2024-07-21T06:15:00Z"},
		{name: "Mumbai", camera: at("2024:07:21 12:00:00"), gps: fix("2024:07:21", 6, 31, 59),
			want: "2024-07-21T12:00:00 +05:30 2024-07-21T06:30:00Z"},
		{name: "the Chatham Islands", camera: at("2024:07:22 00:00:00"), gps: fix("2024:07:21", 11, 15, 0),
			want: "2024-07-22T00:00:00 +12:45 2024-07-21T11:15:00Z"},
		{name: "the Marquesas", camera: at("2024:07:21 12:00:00"), gps: fix("2024:07:21", 21, 30, 0),
			want: "2024-07-21T12:00:00 -09:30 2024-07-21T21:30:00Z"},
		{name: "Kiritimati", camera: at("2024:07:22 02:00:00"), gps: fix("2024:07:21", 12, 0, 0),
			want: "2024-07-22T02:00:00 +14:00 2024-07-21T12:00:00Z"},
		{name: "+14:15", camera: at("2024:07:22 02:15:00"), gps: fix("2024:07:21", 12, 0, 0),
			want: "2024-07-22T02:15:00  2024-07-22T02:15:00Z"},
		{name: "-13:00", camera: at("2024:07:21 01:00:00"), gps: fix("2024:07:21", 14, 0, 0),
			want: "2024-07-21T01:00:00  2024-07-21T01:00:00Z"},
		{name: "a fix alone", gps: fix("2024:07:21", 9, 59, 30), camera: at("    :  :     :  :  "),
			want: "2024-07-21T09:59:30  2024-07-21T09:59:30Z"},
		{name: "no fix", gps: fix("0000:00:00", 0, 0, 0), camera: at("    :  :     :  :  "), want: ""},

		{name: "XMP", xmp: xmp(`xmp:CreateDate="2023-12-31T22:00:00-08:00"`), want: "2023-12-31T22:00:00 -08:00 2024-01-01T06:00:00Z"},
		{name: "XMP in UTC", xmp: xmp(`xmp:CreateDate="2024-01-01T06:00:00Z"`), want: "2024-01-01T06:00:00  2024-01-01T06:00:00Z"},
		{name: "EXIF, and XMP in UTC", camera: at("2023:12:31 22:00:00"), xmp: xmp(`exif:DateTimeOriginal="2024-01-01T06:00:00Z"`),
			want: "2023-12-31T22:00:00 -08:00 2024-01-01T06:00:00Z"},
		{name: "a copy of dal", camera: at("2023:12:31 22:00:00", ascii(offset, "-08:00")),
			xmp:  xmp(dalDate + `dal:ReplacesDateTimeOriginal="2023:12:31 22:00:00" exif:DateTimeOriginal="2024-02-29T12:00:00"`),
			want: "2024-02-29T12:00:00  2024-02-29T12:00:00Z"},
		{name: "a copy of dal without a date", camera: at("2023:12:31 22:00:00"),
			xmp: xmp(dalDate + `dal:ReplacesDateTimeOriginal="2023:12:31 22:00:00"`), want: ""},
		{name: "a copy of dal whose EXIF was changed", camera: at("2023:12:31 23:00:00", ascii(offset, "-08:00")),
			xmp:  xmp(dalDate + `dal:ReplacesDateTimeOriginal="2023:12:31 22:00:00" exif:DateTimeOriginal="2024-02-29T12:00:00"`),
			want: "2023-12-31T23:00:00 -08:00 2024-01-01T07:00:00Z"},
		{name: "IPTC", iptc: []record{{55, "20231231"}, {60, "220000-0800"}}, want: "2023-12-31T22:00:00 -08:00 2024-01-01T06:00:00Z"},
	}
	for _, tt := range tests {
		pic := jpegOf(t, scene(16, 16))
		if tt.camera != nil || tt.gps != nil {
			pic = withEXIF(pic, exif([]tag{ascii(0x10f, "Canon")}, tt.camera, tt.gps))
		}
		if tt.xmp != "" {
			pic = withXMP(pic, tt.xmp)
		}
		if tt.iptc != nil {
			pic = withIPTC(pic, tt.iptc...)
		}
		r, err := extract(pic, "a.jpg")
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		got := ""
		if d := r.CaptureDate; d != nil {
			asset := dam.Asset{CaptureDate: d}
			layout := "2006-01-02T15:04:05Z"
			if len(tt.camera) > 1 && tt.camera[1].id == subsec {
				layout = "2006-01-02T15:04:05.000Z"
			}
			got = fmt.Sprintf("%s %s %s", asset.CaptureLocalTime(), asset.CaptureUTCOffset(), d.UTC().Format(layout))
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
		recalled := media.CaptureDates(stored(t, r.Technical), time.Time{}, false)
		if (r.CaptureDate == nil) != (len(recalled) == 0) || r.CaptureDate != nil && recalled[0].Text() != r.CaptureDate.Text() {
			t.Errorf("%s: recalled as %v, not %v", tt.name, recalled, r.CaptureDate)
		}
	}
}

// Fractions of seconds are kept as the camera wrote them.
func TestSubSecondsAreText(t *testing.T) {
	t.Parallel()
	pic := withEXIF(jpegOf(t, scene(16, 16)), exif(nil, []tag{ascii(0x9290, "007"), ascii(0x9291, "05"), ascii(0x9292, "10")}, nil))
	r, err := extract(pic, "a.jpg")
	if err != nil {
		t.Fatal(err)
	}
	camera, _ := r.Technical["exif"].(map[string]any)
	for name, want := range map[string]string{"SubSecTime": "007", "SubSecTimeOriginal": "05", "SubSecTimeDigitized": "10"} {
		if camera[name] != want {
			t.Errorf("%s is %#v, want %q", name, camera[name], want)
		}
	}
}

// stored returns technical data as decoded from the database.
func stored(t *testing.T, technical map[string]any) (as map[string]any) {
	t.Helper()
	b, err := json.Marshal(technical)
	if err == nil {
		err = json.Unmarshal(b, &as)
	}
	if err != nil {
		t.Fatal(err)
	}
	return as
}
