package media_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
)

// arezzo returns GPS tags for 43° 28′ 2.814″ N, 11° 53′ 6.456″ E, at an altitude of 250.5
// m.
func arezzo(more ...tag) []tag {
	return append([]tag{ascii(1, "N"), rational(2, 43, 1, 28, 1, 2814, 1000), ascii(3, "E"), rational(4, 11, 1, 53, 1, 6456, 1000),
		{5, 1, []byte{0}}, rational(6, 2505, 10)}, more...)
}

func TestCaptureDate(t *testing.T) {
	t.Parallel()
	const taken, offset, offsetAll, subsec, digitized = 0x9003, 0x9011, 0x9010, 0x9291, 0x9004
	at := func(s string, more ...tag) []tag { return append([]tag{ascii(taken, s)}, more...) }
	gps := func(date string, h, m, s uint32) []tag { return []tag{rational(7, h, 1, m, 1, s, 1), ascii(29, date)} }
	xmp := func(attributes string) string {
		return xmpHead + `<rdf:Description rdf:about="" xmlns:xmp="http://ns.adobe.com/xap/1.0/" ` +
			`xmlns:exif="http://ns.adobe.com/exif/1.0/" ` + attributes + `/></rdf:RDF></x:xmpmeta>`
	}
	tests := []struct {
		name        string
		camera, gps []tag
		xmp         string
		iptc        []record
		want, zone  string
	}{
		{name: "nothing"},
		{name: "no zone", camera: at("2020:01:02 03:04:05"), want: "2020-01-02T03:04:05Z", zone: "unknown"},
		{name: "offset", camera: at("2020:01:02 03:04:05", ascii(offset, "+05:30")), want: "2020-01-01T21:34:05Z", zone: "+05:30"},
		{name: "west", camera: at("2020:01:02 23:04:05", ascii(offset, "-03:00")), want: "2020-01-03T02:04:05Z", zone: "-03:00"},
		{
			name:   "offset of the file",
			camera: at("2020:01:02 03:04:05", ascii(offsetAll, "Z")),
			want:   "2020-01-02T03:04:05Z", zone: "Z",
		},
		{
			name:   "fraction",
			camera: at("2020:01:02 03:04:05", ascii(subsec, "123")),
			want:   "2020-01-02T03:04:05.123Z", zone: "unknown",
		},
		{
			name:   "fraction with a zero",
			camera: at("2020:01:02 03:04:05", ascii(subsec, "07")),
			want:   "2020-01-02T03:04:05.07Z", zone: "unknown",
		},
		{name: "digitized", camera: []tag{ascii(digitized, "2020:01:02 03:04:05")}, want: "2020-01-02T03:04:05Z", zone: "unknown"},
		{
			name:   "zone by satellite",
			camera: at("2020:07:01 12:00:10"), gps: gps("2020:07:01", 10, 0, 3),
			want: "2020-07-01T10:00:10Z", zone: "GPS",
		},
		{
			name:   "zone by satellite over midnight",
			camera: at("2020:07:02 07:40:10"), gps: gps("2020:07:01", 22, 55, 12),
			want: "2020-07-01T22:55:10Z", zone: "GPS",
		},
		{
			name:   "satellite of another day",
			camera: at("2020:07:01 12:00:10"), gps: gps("2020:07:03", 10, 0, 3),
			want: "2020-07-01T12:00:10Z", zone: "unknown",
		},
		{name: "no date yet", camera: at("0000:00:00 00:00:00")},
		{name: "blank", camera: at("    :  :     :  :  ")},
		{name: "month 13", camera: at("2020:13:02 03:04:05")},
		{name: "before photography", camera: at("1700:01:02 03:04:05")},
		{name: "far future", camera: at("2216:11:15 11:46:51")},
		{
			name:   "impossible, then digitized",
			camera: at("0000:00:00 00:00:00", ascii(digitized, "2020:01:02 03:04:05")),
			want:   "2020-01-02T03:04:05Z", zone: "unknown",
		},
		{name: "XMP alone", xmp: xmp(`xmp:CreateDate="2020-01-02T03:04:05.25-02:00"`), want: "2020-01-02T05:04:05.25Z", zone: "XMP"},
		{name: "XMP without a zone", xmp: xmp(`xmp:CreateDate="2020-01-02T03:04"`), want: "2020-01-02T03:04:00Z", zone: "unknown"},
		{name: "XMP of a year", xmp: xmp(`xmp:CreateDate="1931"`), want: "1931-01-01T00:00:00Z", zone: "unknown"},
		{
			name:   "zone by XMP",
			camera: at("2020:01:02 03:04:05"), xmp: xmp(`xmp:CreateDate="2020-01-02T03:04:05+02:00"`),
			want: "2020-01-02T01:04:05Z", zone: "XMP",
		},
		{
			name:   "XMP of the edit",
			camera: at("2020:01:02 03:04:05"), xmp: xmp(`xmp:CreateDate="2021-05-02T03:04:05+02:00"`),
			want: "2020-01-02T03:04:05Z", zone: "unknown",
		},
		{
			name:   "corrected in XMP",
			camera: at("2020:01:02 03:04:05"), xmp: xmp(`exif:DateTimeOriginal="2019-01-02T03:04:05+02:00"`),
			want: "2019-01-02T01:04:05Z", zone: "XMP",
		},
		{name: "IPTC", iptc: []record{{55, "20200102"}, {60, "030405+0200"}}, want: "2020-01-02T01:04:05Z", zone: "IPTC"},
		{name: "IPTC without a zone", iptc: []record{{55, "20200102"}, {60, "030405"}}, want: "2020-01-02T03:04:05Z", zone: "unknown"},
		{name: "IPTC day", iptc: []record{{55, "20200102"}}, want: "2020-01-02T00:00:00Z", zone: "unknown"},
	}
	for _, tt := range tests {
		pic := withEXIF(jpegOf(t, scene(16, 16)), exif([]tag{ascii(0x10f, "Canon")}, tt.camera, tt.gps))
		if tt.camera == nil {
			pic = jpegOf(t, scene(16, 16))
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
		if r.CaptureDate != nil {
			got = r.CaptureDate.UTC().Format(time.RFC3339Nano)
		}
		camera, _ := r.Technical["exif"].(map[string]any)
		if zone, _ := camera["date_time_zone"].(string); got != tt.want || zone != tt.zone {
			t.Errorf("%s: %s by %q, want %s by %q", tt.name, got, zone, tt.want, tt.zone)
		}
	}
}

func TestPosition(t *testing.T) {
	t.Parallel()
	at := func(ns string, lat uint32, ew string, long uint32, below byte) []tag {
		return []tag{
			ascii(1, ns), rational(2, lat, 1, 30, 1, 0, 1),
			ascii(3, ew), rational(4, long, 1, 15, 1, 0, 1),
			{5, 1, []byte{below}}, rational(6, 41, 2),
		}
	}
	tests := []struct {
		name string
		gps  []tag
		want [3]any
	}{
		{"Arezzo", arezzo(), [3]any{43.467448, 11.885127, 250.5}},
		{"south west", at("S", 33, "W", 70, 0), [3]any{-33.5, -70.25, 20.5}},
		{"below the sea", at("N", 31, "E", 35, 1), [3]any{31.5, 35.25, -20.5}},
		{"too far north", at("N", 91, "E", 35, 0), [3]any{nil, nil, 20.5}},
		{"too far east", at("N", 1, "E", 190, 0), [3]any{nil, nil, 20.5}},
		{"a receiver without a fix", []tag{
			ascii(1, "N"), rational(2, 0, 1, 0, 1, 0, 1),
			ascii(3, "E"), rational(4, 0, 1, 0, 1, 0, 1),
			{5, 1, []byte{0}}, rational(6, 0, 1),
		}, [3]any{}},
		{"divided by zero", []tag{ascii(1, "N"), rational(2, 0, 0, 0, 0, 0, 0), ascii(3, "E"), rational(4, 0, 0, 0, 0, 0, 0)}, [3]any{}},
		{"half of it", []tag{ascii(1, "N"), rational(2, 43, 1, 28, 1, 0, 1)}, [3]any{}},
		{"none", nil, [3]any{}},
	}
	for _, tt := range tests {
		r, err := extract(withEXIF(jpegOf(t, scene(16, 16)), exif(nil, nil, tt.gps)), "a.jpg")
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		gps, _ := r.Technical["gps"].(map[string]any)
		if got := [3]any{gps["latitude"], gps["longitude"], gps["altitude"]}; got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestWhoAndWhat(t *testing.T) {
	t.Parallel()
	camera := []tag{ascii(0x10e, "Boats at noon"), ascii(0x13b, "E. Artist"), ascii(0x8298, "E. Rights")}
	iptc := []record{{5, "I. Title"}, {25, "sea"}, {25, "boat; Sea"}, {80, "I. Author"}, {116, "I. Rights"}}
	const translated = xmpHead + `<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/">
<dc:title><rdf:Alt><rdf:li xml:lang="x-default">Harbour</rdf:li><rdf:li xml:lang="de">Hafen</rdf:li></rdf:Alt></dc:title>
<dc:creator><rdf:Seq><rdf:li>Ada</rdf:li><rdf:li>Bob</rdf:li></rdf:Seq></dc:creator></rdf:Description></rdf:RDF></x:xmpmeta>`
	bare := jpegOf(t, scene(16, 16))
	withTitle := func(s string) []byte { return withEXIF(bare, exif([]tag{ascii(0x10e, s)}, nil, nil)) }
	tests := []struct {
		name string
		data []byte
		want string // title|creator|copyright|keywords
	}{
		{"nothing", bare, "|||"},
		{"EXIF", withEXIF(bare, exif(camera, nil, nil)), "Boats at noon|E. Artist|E. Rights|"},
		{"IPTC over EXIF", withIPTC(withEXIF(bare, exif(camera, nil, nil)), iptc...), "I. Title|I. Author|I. Rights|sea,boat"},
		{"XMP over IPTC", withXMP(withIPTC(withEXIF(bare, exif(camera, nil, nil)), iptc...), translated), "Harbour|Ada, Bob|I. Rights|sea,boat"},
		{"in TIFF", tiffOf(scene(16, 16), ascii(0x13b, "E. Artist"), ascii(0x8298, "E. Rights")), "|E. Artist|E. Rights|"},
		{"Olympus", withTitle("OLYMPUS DIGITAL CAMERA         "), "|||"},
		{"Sony", withTitle("SONY DSC"), "|||"},
		{"Minolta", withTitle("KONICA MINOLTA DIGITAL CAMERA"), "|||"},
		{"blank", withTitle("                               "), "|||"},
		{"not UTF-8", withTitle("caf\xe9 \x01au lait"), "café au lait|||"},
	}
	for _, tt := range tests {
		name := "a.jpg"
		if tt.data[0] == 'I' {
			name = "a.tif"
		}
		r, err := extract(tt.data, name)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if got := r.Title + "|" + r.Creator + "|" + r.Copyright + "|" + strings.Join(r.Keywords, ","); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

// The description, location, rating and usage terms of a file are read, from XMP before
// IPTC before EXIF, and placeholder values count as empty.
func TestWhatAFileSaysOfItself(t *testing.T) {
	t.Parallel()
	bare := jpegOf(t, scene(16, 16))
	packet := func(members string) string {
		return xmpHead + `<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xmp="http://ns.adobe.com/xap/1.0/"
xmlns:xmpRights="http://ns.adobe.com/xap/1.0/rights/" xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/"
xmlns:Iptc4xmpCore="http://iptc.org/std/Iptc4xmpCore/1.0/xmlns/">` + members + `</rdf:Description></rdf:RDF></x:xmpmeta>`
	}
	const rights = `<xmpRights:UsageTerms><rdf:Alt><rdf:li xml:lang="x-default">Editorial only</rdf:li></rdf:Alt></xmpRights:UsageTerms>`
	const about = `<dc:description><rdf:Alt><rdf:li xml:lang="x-default">X. About</rdf:li></rdf:Alt></dc:description>`
	const where = `<Iptc4xmpCore:Location>Pier 3</Iptc4xmpCore:Location><photoshop:City>Hamburg</photoshop:City>
<photoshop:State>Hamburg</photoshop:State><photoshop:Country>Germany</photoshop:Country>`
	iptc := []record{{5, "I. Title"}, {120, "I. About"}, {90, "Arezzo"}, {95, "Tuscany"}, {101, "Italy"}}
	withTitle := withEXIF(bare, exif([]tag{ascii(0x10e, "E. About")}, nil, nil))
	for _, tt := range []struct {
		name string
		data []byte
		want string // description|rating|place or coordinates|terms
	}{
		{"nothing", bare, "|||"},
		{"XMP", withXMP(withIPTC(bare, iptc...), packet(about+where+rights+`<xmp:Rating>4</xmp:Rating>`)),
			"X. About|4|Pier 3, Hamburg, Germany|Editorial only"},
		{"IPTC", withIPTC(withTitle, iptc...), "I. About||Arezzo, Tuscany, Italy|"},
		{"EXIF, as the title", withTitle, "|||"},
		{"EXIF and IPTC, the same", withIPTC(withTitle, record{120, "E. About"}), "E. About|||"},
		{"a camera", withIPTC(withEXIF(bare, exif([]tag{ascii(0x10e, "OLYMPUS DIGITAL CAMERA         ")}, nil, nil)), iptc[0]), "|||"},
		{"a camera, copied", withXMP(bare, packet(strings.Replace(about, "X. About", "OLYMPUS DIGITAL CAMERA", 1))), "|||"},
		{"a telephone", withIPTC(withEXIF(bare, exif([]tag{ascii(0x10e, "cof")}, nil, nil)), iptc[0]), "|||"},
		{"about a camera", withXMP(bare, packet(strings.Replace(about, "X. About", "my digital camera", 1))), "my digital camera|||"},
		{"EXIF, beside a title", withIPTC(withTitle, iptc[0]), "E. About|||"},
		{"stars of Windows", withEXIF(bare, exif([]tag{short(0x4746, 3)}, nil, nil)), "|3||"},
		{"not rated", withXMP(bare, packet(`<xmp:Rating>0</xmp:Rating>`)), "|||"},
		{"rejected", withXMP(bare, packet(`<xmp:Rating>-1</xmp:Rating>`)), "|||"},
		{"percent", withXMP(bare, packet(`<xmp:Rating>75</xmp:Rating>`)), "|||"},
		{"no number", withXMP(bare, packet(`<xmp:Rating>NaN</xmp:Rating>`)), "|||"},
		{"GPS", withEXIF(bare, exif(nil, nil, arezzo())), "||43.467448 11.885127|"},
	} {
		r, err := extract(tt.data, "a.jpg")
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		got := r.Description + "|"
		if r.Rating != nil {
			got += fmt.Sprint(*r.Rating)
		}
		got += "|"
		if l := r.Location; l != nil && l.Latitude != nil {
			got += fmt.Sprint(*l.Latitude, *l.Longitude)
		} else if l != nil {
			got += l.Place
		}
		if got += "|" + r.UsageTerms; got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

func TestMetadataOfWebP(t *testing.T) {
	t.Parallel()
	block := exif([]tag{short(0x112, 6), ascii(0x13b, "Ada")}, nil, arezzo())
	after := append(riffChunk("EXIF", block), riffChunk("XMP ", []byte(xmpPacket))...)
	r, err := extract(withChunks(sample(t, "lossy.webp"), 0x0c, 170, 48, nil, after), "a.webp")
	if err != nil {
		t.Fatal(err)
	}
	gps, _ := r.Technical["gps"].(map[string]any)
	if r.Width != 48 || r.Height != 170 || r.Title != "Harbour" || gps["latitude"] != 43.467448 {
		t.Errorf("%d × %d, %q, %v", r.Width, r.Height, r.Title, r.Technical)
	}
}

// However much metadata a file contains, the stored part is limited and can be encoded as
// JSON.
func TestMetadataIsBounded(t *testing.T) {
	t.Parallel()
	pic := jpegOf(t, scene(16, 16))
	for part := range 4 { // several segments, each of nearly 64 KB
		var keywords []record
		for i := range 1500 {
			keywords = append(keywords, record{25, fmt.Sprintf("%d keyword %d and some more of it", part, i)})
		}
		pic = withIPTC(pic, keywords...)
	}
	main := []tag{ascii(0x10e, strings.Repeat("é", 4000)), rational(0x11a, 1, 0)}
	for part := range 4 { // IPTC within EXIF, repeatedly
		var data []byte
		for i := range 300 {
			word := fmt.Sprintf("word %d of %d", i, part)
			data = append(append(data, 0x1c, 2, 25, 0, byte(len(word))), word...)
		}
		main = append(main, tag{0x83bb, 7, data})
	}
	for id := uint16(0xa500); id < 0xa500+1000; id++ { // unknown tags
		main = append(main, short(id, 1))
	}
	r, err := extract(withEXIF(pic, exif(main, nil, arezzo())), "a.jpg")
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(r.Technical)
	if err != nil {
		t.Fatal(err)
	}
	iptc, _ := r.Technical["iptc"].(map[string]any)
	words, _ := iptc["Keywords"].([]string)
	if len(words) == 0 || len(words) > 400 || len(r.Keywords) > 400 || len(text) > 100_000 || len(r.Title) > 2000 || len(r.Title) < 1900 {
		t.Errorf("%d keywords in IPTC, %d of the asset, %d bytes of JSON, a title of %d bytes",
			len(words), len(r.Keywords), len(text), len(r.Title))
	}
}

// Bad metadata is reported and does not cause a picture to be rejected.
func TestBadMetadata(t *testing.T) {
	t.Parallel()
	const begin = "II*\x00\x08\x00\x00\x00"
	const valueOutside = begin + "\x01\x00\x0e\x01\x02\x00\x00\x01\x00\x00\x00\x00\xff\x00\x00\x00\x00\x00"
	const unknownKind = begin + "\x01\x00\x0e\x01\x63\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
	loop := append([]byte(begin), directory(8, long(0x14a, 8), long(0x8769, 8), long(0x8825, 8))...)
	loop = append(loop[:len(loop)-4], 8, 0, 0, 0) // the directory is followed by itself
	tests := []struct {
		name string
		data []byte
		told bool
	}{
		{"loop.jpg", withEXIF(jpegOf(t, scene(16, 16)), loop), false},
		{"loop.png", chunk(pngOf(t, scene(16, 16)), "eXIf", loop), false},
		{"directory far outside.jpg", withEXIF(jpegOf(t, scene(16, 16)), []byte("II*\x00\x00\xff\xff\x7f")), true},
		{"value outside.jpg", withEXIF(jpegOf(t, scene(16, 16)), []byte(valueOutside)), true},
		{"unknown kind.jpg", withEXIF(jpegOf(t, scene(16, 16)), []byte(unknownKind)), true},
		{"half of XMP.jpg", withXMP(jpegOf(t, scene(16, 16)), xmpPacket[:300]), true},
		{"half of XMP.png", chunk(pngOf(t, scene(16, 16)), "iTXt", []byte("XML:com.adobe.xmp\x00\x00\x00\x00\x00"+xmpPacket[:300])), true},
		{"no XMP.png", chunk(pngOf(t, scene(16, 16)), "iTXt", []byte("XML:com.adobe.xmp\x00\x00\x00en")), true},
	}
	for _, tt := range tests {
		r, err := extract(tt.data, tt.name)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if problem, _ := fact(r.Technical, "metadata_error").(string); (problem != "") != tt.told || len(preview(r)) == 0 {
			t.Errorf("%s: told %q", tt.name, problem)
		}
	}
}
