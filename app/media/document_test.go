package media_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/media"
	"github.com/digital-asset-library/dal/app/media/vtt"
)

// zipOf returns an uncompressed ZIP archive; list alternates names and contents.
func zipOf(t testing.TB, list ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(list); i += 2 {
		size := uint64(len(list[i+1]))
		w, err := z.CreateRaw(&zip.FileHeader{Name: list[i], CompressedSize64: size, UncompressedSize64: size})
		if err == nil {
			_, err = io.WriteString(w, list[i+1])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// wordWith returns a Word document that contains a text.
func wordWith(t testing.TB, text string) []byte {
	return zipOf(t, "_rels/.rels", "<Relationships/>", "docProps/core.xml", "<core><title>The letter</title><creator>Ann</creator>"+
		"<keywords>one, two</keywords>"+
		"<created>2024-05-06T07:08:09+02:00</created></core>",
		"docProps/app.xml", "<Properties><Pages>3</Pages></Properties>",
		"[Content_Types].xml", "<Types/>", "word/document2.xml", "<w:document><w:p><w:t>"+text+"</w:t></w:p></w:document>")
}

const odfType = "application/vnd.oasis.opendocument."

// Documents are recognized by their content; plain texts also by their names.
func TestDocumentTypes(t *testing.T) {
	t.Parallel()
	p := media.New(media.DefaultLimits())
	excel := zipOf(t, "[Content_Types].xml", "<Types/>", "xl/workbook.xml", "<workbook/>")
	for _, tt := range []struct{ filename, data, mime string }{
		{"a.docx", string(wordWith(t, "a")), "application/vnd.openxmlformats-officedocument.wordprocessingml.document"},
		{"a.DOCM", string(wordWith(t, "a")), "application/vnd.openxmlformats-officedocument.wordprocessingml.document"},
		{"no extension", string(excel), "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"},
		{"a.xlsx", string(wordWith(t, "a")), "application/vnd.openxmlformats-officedocument.wordprocessingml.document"},
		{"a.zip", string(excel), "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"}, {"a.exe", string(excel), ""},
		{"a.zip", string(zipOf(t, "word/document.xml", "<a/>")), "application/zip"}, {"a.docx", string(zipOf(t, "a", "a")), ""},
		{"a.epub", string(zipOf(t, "mimetype", "application/epub+zip")), "application/epub+zip"},
		{"a.epub", string(zipOf(t, "META-INF/container.xml", "a")), "application/epub+zip"}, {"a.epub", string(zipOf(t, "a", "a")), ""},
		{"a.odg", string(zipOf(t, "mimetype", odfType+"graphics")), odfType + "graphics"},
		{"a.pages", string(zipOf(t, "Index/Document.iwa", "a")), "application/vnd.apple.pages"},
		{"a.numbers", string(zipOf(t, "index.xml", "a")), "application/vnd.apple.numbers"},
		{"a.key", string(zipOf(t, "index.apxl", "a")), "application/vnd.apple.keynote"},
		{"a.pptx", string(zipOf(t, "[Content_Types].xml", "<Types/>", "ppt/presentation.xml", "<a/>")),
			"application/vnd.openxmlformats-officedocument.presentationml.presentation"},
		{"a.odt", string(zipOf(t, "mimetype", odfType+"text")), odfType + "text"},
		{"a.ott", string(zipOf(t, "mimetype", odfType+"text-template")), odfType + "text"},
		{"a.odm", string(zipOf(t, "mimetype", odfType+"text-master")), "application/zip"},
		{"a.ods", string(zipOf(t, "mimetype", odfType+"spreadsheet")), odfType + "spreadsheet"},
		{"a.odp", string(zipOf(t, "mimetype", odfType+"presentation")), odfType + "presentation"},
		{"a.rtf", `{\rtf1 a}`, "application/rtf"}, {"a.doc", `{\rtf1 a}`, "application/rtf"},
		{"a.html", "<!doctype HTML><p>a", "text/html"}, {"a", "\n <html>", "text/html"}, {"a.html", "just a text", ""},
		{"a.xhtml", `<?xml version="1.0"?><!-- a --><html xmlns="http://www.w3.org/1999/xhtml"/>`, "text/html"},
		{"a.php", "<html>", ""}, {"a.js", "<html>", ""}, {"a.jpg", "<html>", ""},
		{"a.txt", "a", "text/plain"}, {"a.md", "<p align=center>a", "text/markdown"}, {"a.csv", "a;b\r\n1;2", "text/csv"},
		{"a.srt", "1\r\n00:00:01,000 --> 00:00:02,000\r\na", vtt.SubRip}, {"a.ssa", "\ufeff[Script Info]\na", vtt.SSA}, {"a.srt", "a", ""},
		{"a.vtt", "WEBVTT\n\n00:01.000 --> 00:02.000\na", "text/vtt"}, {"a.vtt", "\ufeffWEBVTT", "text/vtt"}, {"a.vtt", "a", ""},
		{"a.txt", "caf\xe9", "text/plain"}, {"a.txt", "\xff\xfea\x00", "text/plain"}, {"a.txt", "\xe9\xf0\xfa\xfb\xd0\xd1", "text/plain"},
		{"a.txt", "\xff\xfe\x00\x00a\x00\x00\x00", "text/plain"}, {"a.txt", "\x00\x00\xfe\xff\x00\x00\x00a", "text/plain"},
		{"a.txt", "\xff\xfe\x00\x00a", ""}, {"a.html", "\xff\xfe<\x00h\x00t\x00m\x00l\x00>\x00", "text/html"},
		{"a.html", "\xfe\xff\x00<\x00h\x00t\x00m\x00l\x00>", "text/html"},
		{"a.txt", strings.Repeat("写", 3000), "text/plain"}, {"a.txt", "a\x00b", ""},
		{"a.txt", "a\x03b", ""}, {"a", "a", ""}, {"a.ini", "a", ""},
		{"a.json", "{}", ""}, {"a.png", "a", ""},
	} {
		typ, err := p.Check(t.Context(), strings.NewReader(tt.data), int64(len(tt.data)), tt.filename)
		if (err == nil) != (tt.mime != "") || err == nil &&
			(typ.MIME != tt.mime || typ.Category != dam.CategoryDocument || media.Showable(typ.MIME)) {
			t.Errorf("%s %.20q: %+v, %v", tt.filename, tt.data, typ, err)
		}
	}
	if typ, ok, err := media.Detect(strings.NewReader("a text"), 6); !ok || err != nil || typ.MIME != "text/plain" {
		t.Errorf("a text without a name: %v, %v", typ, err)
	}
}

// The metadata of a document fills the fields of an asset, and its text is kept. Its card
// is marked as such, and does not make documents similar to each other.
func TestDocument(t *testing.T) {
	t.Parallel()
	p := withEngines(t, media.DefaultLimits())
	r, err := extractBy(t, p, wordWith(t, "Dear reader"), "letter.docx")
	if err != nil {
		t.Fatal(err)
	}
	if r.Title != "The letter" || r.Creator != "Ann" || r.Text != "Dear reader" || r.PageCount != 3 || r.Width != 0 ||
		!slices.Equal(r.Keywords, []string{"one", "two"}) || r.CaptureDate == nil || r.CaptureDate.UTC().Format("15:04") != "05:08" {
		t.Errorf("%+v", r.Facts)
	}
	if about, _ := r.Technical["document"].(map[string]any); about["text_from"] != "file" || about["created"] != "2024-05-06T07:08:09+02:00" {
		t.Errorf("%v", r.Technical)
	}
	if !strings.Contains(fmt.Sprint(file(r)["preview"]), "not a page") ||
		r.Picture.PHash != 0 || r.Picture.Colors != nil || len(r.Picture.ThumbHash) == 0 {
		t.Errorf("%v, %+v", file(r), r.Picture)
	}
	md := "# Read me\n\ntext"
	r, err = extractBy(t, p, []byte(md), "README.md")
	if err != nil {
		t.Fatal(err)
	}
	again, err := p.Render(t.Context(), strings.NewReader(md), int64(len(md)), "original.md", dam.RenditionPreview)
	if err != nil || !bytes.Equal(again, r.Picture.Renditions[dam.RenditionPreview]) {
		t.Errorf("another preview, %v", err)
	}
	r, err = extractBy(t, withEngines(t, media.DefaultLimits(), "document"), []byte(md), "README.md")
	if err != nil || r.Picture != nil || r.Text != "" || file(r)["no_preview"] == nil {
		t.Errorf("without its engine: %+v, %v", r, err)
	}
}

// Password-protected documents are accepted and marked as such.
func TestLockedDocuments(t *testing.T) {
	t.Parallel()
	p := withEngines(t, media.DefaultLimits())
	for name, data := range map[string][]byte{
		"a.odt": zipOf(t, "mimetype", odfType+"text",
			"META-INF/manifest.xml", "<manifest><encryption-data/></manifest>", "content.xml", "noise"),
		"a.docx": lockedOffice(), "a.xlsx": lockedOffice(), "a.pptx": lockedOffice(),
	} {
		r, err := extractBy(t, p, data, name)
		if err != nil || r.Picture != nil || r.Text != "" || file(r)["no_preview"] != "the document is protected by a password" {
			t.Errorf("%s: %+v, %v", name, r, err)
		} else if r.Type.Extensions[0] != name[2:] {
			t.Errorf("%s: %s", name, r.Type.Name)
		}
	}
}

// Faulty documents are rejected with a reason. Texts much longer than the part that is kept
// are accepted.
func TestDocumentFaults(t *testing.T) {
	t.Parallel()
	p := withEngines(t, media.DefaultLimits())
	whole := wordWith(t, "Dear reader")
	for _, tt := range []struct {
		name, data string
		code       dam.FileErrorCode
		says       string
	}{
		{"cut.docx", string(whole[:len(whole)-200]), dam.CodeCorrupt, "damaged"},
		{"a.txt", strings.Repeat("text\n", 2000) + "\x00", dam.CodeUnsupportedFormat, "unusual"},
	} {
		_, err := extractBy(t, p, []byte(tt.data), tt.name)
		fault, ok := errors.AsType[*dam.FileError](err)
		if !ok || fault.Code != tt.code || !strings.Contains(fault.Message, tt.says) || fault.Retryable {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
	r, err := extractBy(t, p, bytes.Repeat([]byte("a;b;c\n"), 1<<20), "large.csv")
	if err != nil || len(r.Text) > 1<<18 || len(r.Text) < 1<<17 {
		t.Fatalf("%v", err)
	}
	if about, _ := r.Technical["document"].(map[string]any); about["text_truncated"] != true {
		t.Errorf("%v", about)
	}
}
