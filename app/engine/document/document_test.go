package document_test

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/digital-asset-library/dal/app/engine"
	"github.com/digital-asset-library/dal/app/engine/document"
)

// archive returns a ZIP archive of alternating names and contents. The first file is not
// compressed.
func archive(t testing.TB, list ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(list); i += 2 {
		method := zip.Deflate
		if i == 0 {
			method = zip.Store
		}
		w, err := z.CreateHeader(&zip.FileHeader{Name: list[i], Method: method})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, list[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

const (
	types = "[Content_Types].xml"
	core  = `<?xml version="1.0" encoding="UTF-8"?><cp:coreProperties xmlns:cp="c" xmlns:dc="d" xmlns:dcterms="t">` +
		`<dc:title>The title</dc:title><dc:creator>Ann Example</dc:creator><dc:description>What it is about</dc:description>` +
		`<cp:keywords>red, green; blue</cp:keywords><dc:subject>A subject</dc:subject><cp:lastModifiedBy>Bob</cp:lastModifiedBy>` +
		`<dcterms:created>2024-05-06T07:08:09Z</dcterms:created><dcterms:modified>2025-01-02T03:04:05Z</dcterms:modified>` +
		`</cp:coreProperties>`
	app  = `<Properties><Application>Writer of Texts</Application><Pages>7</Pages></Properties>`
	body = `<w:document xmlns:w="w"><w:body><w:p><w:pPr><w:tabs><w:tab w:pos="1"/></w:tabs></w:pPr><w:r><w:t>First </w:t></w:r>` +
		`<w:r><w:t xml:space="preserve">line &amp; more</w:t><w:tab/><w:t>end</w:t></w:r></w:p>` +
		`<w:p><w:r><w:instrText>PAGE</w:instrText><w:delText>gone</w:delText><w:t>Second</w:t></w:r></w:p>` +
		`<mc:Fallback><w:p><w:r><w:t>twice</w:t></w:r></w:p></mc:Fallback></w:body></w:document>`
	manifest = "META-INF/manifest.xml"
	odfMeta  = `<office:document-meta xmlns:office="o"><office:meta><dc:title>The title</dc:title>` +
		`<dc:description>What it is about</dc:description>` +
		`<meta:initial-creator>Ann Example</meta:initial-creator><dc:creator>Bob</dc:creator><dc:subject>A subject</dc:subject>` +
		`<meta:keyword>red</meta:keyword><meta:keyword>green, blue</meta:keyword><meta:creation-date>2024-05-06T07:08:09Z</meta:creation-date>` +
		`<meta:document-statistic meta:page-count="7"/></office:meta></office:document-meta>`
	rtfText = `{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0 Times;}}{\info{\title The title}{\author Ann Example}{\doccomm What it is about}` +
		`{\keywords red, green, blue}{\subject A subject}{\operator Bob}{\creatim\yr2024\mo5\dy6\hr7\min8}{\nofpages7}}` +
		"{\\*\\generator Some program;}{\\pict\\bin4 }}}{abc}\\pard First line & more\\tab end\\par\n" +
		"Second caf\\'e9 \\u8364?\\uc0\\u-10179\\u-8704\\par}"
	pageText = `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>The title</title>` +
		`<meta name="author" content="Ann Example">` +
		`<meta name="Description" content="What it is about"><meta name="keywords" content="red, green, blue">` +
		`<meta name="dcterms.created" content="2024-05-06T07:08:09Z"><style>p { color: red }</style></head>` +
		`<body><script>alert("gone")</script><p>First   <b>li</b>ne &amp; more<p>Second<svg><text>gone</text></svg></body></html>`
)

// samples returns a document of each format.
func samples(t testing.TB) map[string][]byte {
	return map[string][]byte{
		"docx": archive(t, types, "<Types/>", "docProps/core.xml", core, "docProps/app.xml", app, "word/document.xml", body,
			"word/footnotes.xml", strings.ReplaceAll(body, "First ", "A note to the first "), "word/vbaProject.bin", "x"),
		"xlsx": archive(t, types, "<Types/>", "docProps/core.xml", core,
			"xl/workbook.xml", `<workbook><sheets><sheet name="Sales" sheetId="1" r:id="r2"/>`+
				`<sheet name="Empty" sheetId="2" r:id="r1"/></sheets></workbook>`,
			"xl/_rels/workbook.xml.rels", `<Relationships><Relationship Id="r1" Target="worksheets/sheet1.xml"/>`+
				`<Relationship Id="r2" Target="/xl/worksheets/sheet2.xml"/></Relationships>`,
			"xl/sharedStrings.xml", `<sst><si><t>First</t></si><si><r><t>line</t></r><r><t> &amp; more</t></r><rPh><t>gone</t></rPh></si></sst>`,
			"xl/worksheets/sheet1.xml", `<worksheet/>`,
			"xl/worksheets/sheet2.xml", `<worksheet><sheetData><row><c t="s"><v>0</v></c><c t="s"><v>1</v></c><c t="s"><v>99</v></c></row>`+
				`<row><c><f>SUM(A1)</f><v>42.5</v></c><c t="inlineStr"><is><t>Second</t></is></c></row></sheetData></worksheet>`),
		"pptx": archive(t, types, "<Types/>", "docProps/core.xml", core,
			"ppt/presentation.xml", `<p:presentation><p:sldIdLst><p:sldId id="256" r:id="r1"/>`+
				`<p:sldId id="257" r:id="r2"/></p:sldIdLst></p:presentation>`,
			"ppt/_rels/presentation.xml.rels", `<Relationships><Relationship Id="r2" Target="slides/slide1.xml"/>`+
				`<Relationship Id="r1" Target="slides/slide2.xml"/></Relationships>`,
			"ppt/slides/slide1.xml", `<p:sld><a:p><a:r><a:t>Second</a:t></a:r></a:p></p:sld>`,
			"ppt/slides/slide2.xml", `<p:sld><a:p><a:r><a:t>First line &amp; more</a:t></a:r></a:p></p:sld>`,
			"ppt/notesSlides/notesSlide1.xml", `<p:notes><a:p><a:t>To be told</a:t></a:p></p:notes>`),
		"odt": archive(t, "mimetype", "application/vnd.oasis.opendocument.text", "meta.xml", odfMeta, manifest, "<manifest/>",
			"content.xml", `<office:document-content><office:body><office:text><text:tracked-changes><text:p>gone</text:p></text:tracked-changes>`+
				`<text:h>First<text:s text:c="2"/>line &amp; more</text:h><text:p>Sec<text:span>ond</text:span></text:p>`+
				`</office:text></office:body></office:document-content>`),
		"ods": archive(t, "mimetype", "application/vnd.oasis.opendocument.spreadsheet", "meta.xml", odfMeta,
			"content.xml", `<office:document-content><office:spreadsheet><table:table table:name="Sales">`+
				`<table:table-row><table:table-cell><text:p>First</text:p>`+
				`</table:table-cell><table:table-cell><text:p>line &amp; more</text:p></table:table-cell></table:table-row>`+
				`<table:table-row><table:table-cell/>`+
				`<table:table-cell><text:p>Second</text:p></table:table-cell></table:table-row></table:table>`+
				`</office:spreadsheet></office:document-content>`),
		"odp": archive(t, "mimetype", "application/vnd.oasis.opendocument.presentation", "meta.xml", odfMeta,
			"content.xml", `<office:document-content><office:presentation>`+
				`<presentation:footer-decl presentation:name="ftr1">Quay 7</presentation:footer-decl>`+
				`<presentation:header-decl presentation:name="hdr1">Handout</presentation:header-decl>`+
				`<presentation:date-time-decl presentation:name="dtd1" presentation:source="fixed">May 1</presentation:date-time-decl>`+
				`<draw:page presentation:use-footer-name="ftr1"><text:p>First line &amp; more</text:p></draw:page>`+
				`<draw:page><text:p>Second</text:p></draw:page></office:presentation></office:document-content>`),
		"odg": archive(t, "mimetype", "application/vnd.oasis.opendocument.graphics", "meta.xml", odfMeta,
			"content.xml", `<office:document-content><office:drawing><draw:page><text:p>First line &amp; more</text:p></draw:page>`+
				`</office:drawing></office:document-content>`),
		"epub": archive(t, "mimetype", "application/epub+zip", "META-INF/container.xml",
			`<container><rootfiles><rootfile full-path="OPS/book.opf"/></rootfiles></container>`,
			"OPS/book.opf", `<package xmlns:dc="d"><metadata><dc:title>The title</dc:title><dc:creator>Ann Example</dc:creator>`+
				`<dc:description>&lt;p&gt;What it is &lt;i&gt;about&lt;/i&gt;</dc:description><dc:subject>red, green</dc:subject>`+
				`<dc:subject>blue</dc:subject><dc:date>2024-05-06T07:08:09Z</dc:date><dc:language>en</dc:language></metadata>`+
				`<manifest><item id="a" href="text/a%20b.xhtml"/><item id="b" href="../b.xhtml"/></manifest>`+
				`<spine><itemref idref="a"/><itemref idref="b"/><itemref idref="missing"/></spine></package>`,
			"OPS/text/a b.xhtml", `<html lang="xx"><head><title>gone</title></head><body><p>First line &amp; more</p></body></html>`,
			"b.xhtml", `<html><body>Second</body></html>`),
		"rtf":  []byte(rtfText),
		"html": []byte(pageText),
		"text": []byte("First line & more\r\nSecond\n"),
	}
}

func reader(t testing.TB) *document.Engine {
	t.Helper()
	e, err := document.New()
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func look(e *document.Engine, format string, data []byte) (*engine.Look, error) {
	return e.Look(context.Background(), engine.Job{Format: format, Side: 400, Bytes: int64(len(data))}, bytes.NewReader(data))
}

// Text and metadata are extracted from a document of each format.
func TestDocuments(t *testing.T) {
	t.Parallel()
	e := reader(t)
	texts := map[string]string{
		"docx": "First line & more\tend\nSecond\nA note to the first line & more\tend\nSecond",
		"xlsx": "Sales\nFirst\tline & more\n42.5\tSecond\nEmpty",
		"pptx": "First line & more\n\nSecond\n\nTo be told",
		"odt":  "First  line & more\nSecond", "ods": "Sales\nFirst \tline & more\n\tSecond",
		"odp": "Quay 7\nHandout\nMay 1\nFirst line & more\n\nSecond", "odg": "First line & more", "epub": "First line & more\n\nSecond",
		"rtf":  "First line & more\tend\nSecond café €😀",
		"html": "First line & more\nSecond", "text": "First line & more\nSecond",
	}
	pages := map[string]int{"docx": 7, "xlsx": 2, "pptx": 2, "odt": 7, "ods": 1, "odp": 2, "odg": 1, "rtf": 7}
	for format, data := range samples(t) {
		got, err := look(e, format, data)
		if err != nil {
			t.Errorf("%s: %v", format, err)
			continue
		}
		if got.Text != texts[format] {
			t.Errorf("%s: the text is %q", format, got.Text)
		}
		if got.Pages != pages[format] {
			t.Errorf("%s: %d pages", format, got.Pages)
		}
		if !got.Card || got.Picture.Rect != image.Rect(0, 0, 300, 400) {
			t.Errorf("%s: the picture is %v", format, got.Picture.Rect)
		}
		if got.Facts["text_from"] != "file" || got.Facts["text_error"] != nil || got.Facts["text_truncated"] != nil {
			t.Errorf("%s: %v", format, got.Facts)
		}
		if format == "text" {
			continue
		}
		if got.Title != "The title" || got.Creator != "Ann Example" || got.Description != "What it is about" ||
			!slices.Equal(got.Keywords, []string{"red", "green", "blue"}) || !strings.HasPrefix(got.Created, "2024-05-06T07:08") {
			t.Errorf("%s: %+v", format, got)
		}
		if format != "html" && format != "epub" && (got.Facts["subject"] != "A subject" ||
			format != "xlsx" && format != "pptx" && got.Facts["last_modified_by"] != "Bob") {
			t.Errorf("%s: %v", format, got.Facts)
		}
		if (got.Facts["macros"] == true) != (format == "docx") {
			t.Errorf("%s: macros %v", format, got.Facts["macros"])
		}
	}
}

// Texts are decoded according to their encoding.
func TestEncodings(t *testing.T) {
	t.Parallel()
	e := reader(t)
	for _, tt := range []struct{ format, data, encoding, text string }{
		{"text", "café", "UTF-8", "café"}, {"text", "\xef\xbb\xbfcafé", "UTF-8", "café"},
		{"text", "caf\xe9 \x80", "Windows-1252", "café €"},
		{"text", "\xff\xfec\x00\xe9\x00", "UTF-16", "cé"}, {"text", "\xfe\xff\x00c\x00\xe9", "UTF-16", "cé"},
		{"text", "a\u200b\x1bb\n\n\n\nc  \n", "UTF-8", "a\u200bb\n\nc"},
		{"html", `<meta charset="windows-1251"><p>` + "\xcf\xf0\xe8", "windows-1251", "При"},
	} {
		got, err := look(e, tt.format, []byte(tt.data))
		if err != nil || got.Text != tt.text || got.Facts["encoding"] != tt.encoding {
			t.Errorf("%q: %+v, %v", tt.data, got, err)
		}
	}
	if _, err := look(e, "text", []byte("a\x00b")); reason(err) != engine.Unsupported {
		t.Errorf("zeros: %v", err)
	}
}

func reason(err error) engine.Reason {
	if fault, ok := errors.AsType[*engine.Fault](err); ok {
		return fault.Reason
	}
	return ""
}

// An embedded thumbnail is used if it can be decoded.
func TestThumbnails(t *testing.T) {
	t.Parallel()
	e := reader(t)
	img := image.NewRGBA(image.Rect(0, 0, 800, 600))
	for i := range img.Pix {
		img.Pix[i] = []byte{200, 30, 30, 255}[i%4]
	}
	var j, p bytes.Buffer
	if err := errors.Join(jpeg.Encode(&j, img, nil), png.Encode(&p, img)); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		format, name, data string
		card               bool
	}{
		{"docx", "docProps/thumbnail.jpeg", j.String(), false}, {"odt", "Thumbnails/thumbnail.png", p.String(), false},
		{"epub", "cover.jpg", j.String(), false}, {"iwork", "QuickLook/Thumbnail.jpg", j.String(), false},
		{"docx", "docProps/thumbnail.jpeg", j.String()[:200], true}, {"docx", "docProps/thumbnail.wmf", "wmf", true},
	} {
		main := map[string][]string{"docx": {types, "<Types/>", "word/document.xml", body}, "odt": {"mimetype", "m", "content.xml", "<a/>"},
			"iwork": {"Index/Document.iwa", "a"}, "epub": {"META-INF/container.xml", `<rootfile full-path="a.opf"/>`,
				"a.opf", `<package><meta name="cover" content="c"/><item id="c" href="cover.jpg"/></package>`}}
		got, err := look(e, tt.format, archive(t, append(main[tt.format], tt.name, tt.data)...))
		if err != nil || got.Card != tt.card || got.Shows == "" {
			t.Errorf("%s: %+v, %v", tt.name, got, err)
			continue
		}
		if c := got.Picture.NRGBAAt(200, 150); !tt.card && (got.Picture.Rect != image.Rect(0, 0, 400, 300) || c.R < 180 || c.G > 60) {
			t.Errorf("%s: %v, %v", tt.name, got.Picture.Rect, c)
		}
	}
}

// Cards of different texts differ, and unsupported letters are not drawn.
func TestCards(t *testing.T) {
	t.Parallel()
	e := reader(t)
	ink := func(text string) int {
		got, err := look(e, "text", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for y := 60; y < 400; y++ {
			for x := range 300 {
				if got.Picture.NRGBAAt(x, y) != (color.NRGBA{255, 255, 255, 255}) {
					n++
				}
			}
		}
		return n
	}
	none, little, much := ink(""), ink("A short text"), ink(strings.Repeat("A long text without an end ", 1000))
	if none > 0 || little < 20 || much < 20*little {
		t.Errorf("%d, %d and %d pixels", none, little, much)
	}
	if n := ink("写真の説明"); n > 0 {
		t.Errorf("%d pixels of letters that there are not", n)
	}
	if n := ink(strings.Repeat("W", 5000)); n < much/2 {
		t.Errorf("%d pixels of a word without an end", n)
	}
}

// A protected document is reported as such.
func TestProtected(t *testing.T) {
	t.Parallel()
	e := reader(t)
	locked := archive(t, "mimetype", "m", "content.xml", "noise",
		manifest, `<manifest:manifest><manifest:file-entry><manifest:encryption-data/></manifest:file-entry></manifest:manifest>`)
	if _, err := look(e, "odt", locked); reason(err) != engine.Protected {
		t.Errorf("%v", err)
	}
	if _, err := look(e, "odt", archive(t, "mimetype", "m", "encrypted-package", "noise")); reason(err) != engine.Protected {
		t.Errorf("%v", err)
	}
	zipped := archive(t, types, "<Types/>", "word/document.xml", body)
	central := bytes.LastIndex(zipped, []byte("PK\x01\x02"))
	zipped[central+8] |= 1
	if _, err := look(e, "docx", zipped); reason(err) != engine.Protected {
		t.Errorf("%v", err)
	}
}

// Decompression bombs cost no more than other documents, and their text is reported as
// truncated.
func TestBombs(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("minutes with the race detector, which .ci/run uses with -short")
	}
	e := reader(t)
	const many = 100 << 20
	huge := strings.Repeat(" ", many)
	long := strings.Repeat("<w:p><w:r><w:t>more and more text</w:t></w:r></w:p>", many/50)
	laughs := `<!DOCTYPE a [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;"><!ENTITY x SYSTEM "file:///etc/passwd">]>`
	for name, tt := range map[string]struct {
		format    string
		data      []byte
		truncated bool
		err       bool
	}{
		"space":      {"docx", archive(t, types, "", "word/document.xml", "<w:document><w:t>a"+huge+"</w:t></w:document>"), true, false},
		"text":       {"docx", archive(t, types, "", "word/document.xml", "<w:document>"+long+"</w:document>"), true, false},
		"depth":      {"docx", archive(t, types, "", "word/document.xml", strings.Repeat("<a>", 1_000_000)), false, true},
		"attributes": {"docx", archive(t, types, "", "word/document.xml", "<a "+strings.Repeat(`b="" `, 1_000_000)+"/>"), false, false},
		"entities":   {"docx", archive(t, types, "", "word/document.xml", laughs+"<w:t>&b;&x;</w:t>"), false, false},
		"strings": {"xlsx", archive(t, types, "", "xl/workbook.xml", "<sheet name='a'/>", "xl/sharedStrings.xml",
			"<sst>"+strings.Repeat("<si/>", 5_000_000)+"</sst>"), true, false},
		"cells": {"ods", archive(t, "mimetype", "m", "content.xml",
			strings.Repeat("<text:p>a lot of text to read</text:p>", many/40)), true, false},
		"meta": {"odt", archive(t, "mimetype", "m", "content.xml", "<text:p>text</text:p>", "meta.xml",
			strings.Repeat("<keyword>word</keyword>", 3_000_000)), false, false},
		"groups": {"rtf", []byte(`{\rtf1 ` + strings.Repeat("{", 1_000_000)), false, true},
		"words":  {"rtf", []byte(`{\rtf1 ` + strings.Repeat("words and ", 1_000_000) + "}"), true, false},
		"binary": {"rtf", []byte(`{\rtf1 \bin2147483647 }`), false, true},
		"tags":   {"html", []byte("<html>" + strings.Repeat("<div>text", 1_000_000)), true, false},
		"plain":  {"text", []byte(strings.Repeat("text ", 2_000_000)), true, false},
	} {
		got, err := look(e, tt.format, tt.data)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if len(got.Text) > document.MaxText || (got.Facts["text_truncated"] == true) != tt.truncated ||
			(got.Facts["text_error"] != nil) != tt.err {
			t.Errorf("%s: %d bytes, %v", name, len(got.Text), got.Facts)
		}
		if strings.Contains(got.Text, "haha") || strings.Contains(got.Text, "root:") {
			t.Errorf("%s: %q", name, got.Text[:100])
		}
	}
	entries := []string{types, "", "word/document.xml", body}
	for i := range 80_000 {
		entries = append(entries, fmt.Sprintf("word/a%d.xml", i), "")
	}
	if _, err := look(e, "docx", archive(t, entries...)); reason(err) != engine.Exceeded {
		t.Errorf("entries: %v", err)
	}
}

// A truncated document is read up to its end, or has a fault.
func TestTruncated(t *testing.T) {
	t.Parallel()
	e := reader(t)
	for format, data := range samples(t) {
		for n := 0; n < len(data); n += 1 + len(data)/150 {
			got, err := look(e, format, data[:n])
			if err == nil && got.Picture == nil {
				t.Errorf("%s, %d bytes: %+v", format, n, got)
			}
			if err == nil && strings.Contains("docx xlsx pptx odt ods odp", format) {
				t.Errorf("%s: %d bytes of %d are read", format, n, len(data))
			}
		}
	}
}

func fuzz(f *testing.F, formats ...string) {
	for format, data := range samples(f) {
		if slices.Contains(formats, format) {
			f.Add(data, uint8(slices.Index(formats, format)))
			f.Add(data[:len(data)/2], uint8(slices.Index(formats, format)))
		}
	}
	e := reader(f)
	f.Fuzz(func(t *testing.T, data []byte, which uint8) {
		got, err := look(e, formats[int(which)%len(formats)], data)
		if err != nil {
			return
		}
		if len(got.Text) > document.MaxText || !utf8.ValidString(got.Text+got.Title+got.Creator+got.Description) || got.Pages < 0 {
			t.Fatalf("%+v", got)
		}
		var b bytes.Buffer
		if err := engine.WriteAnswer(&b, got, nil); err != nil {
			t.Fatal(err)
		}
	})
}

func FuzzContainers(f *testing.F) {
	fuzz(f, "docx", "xlsx", "pptx", "odt", "ods", "odp", "odg", "epub")
}
func FuzzRTF(f *testing.F)  { fuzz(f, "rtf") }
func FuzzHTML(f *testing.F) { fuzz(f, "html") }
func FuzzText(f *testing.F) { fuzz(f, "text") }

// FuzzParts reads uncompressed parts, so that mutations reach the parsers.
func FuzzParts(f *testing.F) {
	f.Add(body, core)
	f.Add(`<office:spreadsheet><table:table><text:p>a</text:p></table:table></office:spreadsheet>`, odfMeta)
	f.Add(`<sheet name="a" r:id="b"/>`, `<Relationship Id="b" Target="word/document.xml"/>`)
	e := reader(f)
	f.Fuzz(func(t *testing.T, part, meta string) {
		for format, data := range map[string][]byte{
			"docx": archive(t, types, "", "word/document.xml", part, "docProps/core.xml", meta),
			"xlsx": archive(t, types, "", "xl/workbook.xml", part, "xl/_rels/workbook.xml.rels", meta,
				"word/document.xml", part, "xl/sharedStrings.xml", part),
			"pptx": archive(t, types, "", "ppt/presentation.xml", part, "ppt/_rels/presentation.xml.rels", meta),
			"odt":  archive(t, "mimetype", "m", "content.xml", part, "meta.xml", meta, manifest, meta),
		} {
			if got, err := look(e, format, data); err == nil && !utf8.ValidString(got.Text+got.Title) {
				t.Fatalf("%s: %+v", format, got)
			}
		}
	})
}
