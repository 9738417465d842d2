package media_test

import (
	"archive/tar"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/media"
	"github.com/digital-asset-library/dal/app/media/embed"
)

// everySample returns files of all formats that exercise everything the table of formats
// claims, by file name: those in testdata and generated ones.
func everySample(t testing.TB) map[string][]byte {
	t.Helper()
	all := documentSamples(t)
	for name, data := range raws(t) {
		all[name] = data
	}
	for _, dir := range []string{halves, "testdata/media", "testdata/pdf", "../engine/archive/testdata"} {
		entries, err := os.ReadDir(dir)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		for _, e := range entries {
			if ext := dam.Extension(e.Name()); ext == "sh" || ext == "md" || strings.HasPrefix(e.Name(), "locked.") {
				continue
			}
			if all[filepath.Base(dir)+" "+e.Name()], err = os.ReadFile(filepath.Join(dir, e.Name())); err != nil {
				t.Fatal(err)
			}
		}
	}
	return all
}

// Every row of the table of formats has samples that prove its claims: that the format is
// recognized, and its metadata, preview and text.
func TestEveryFormat(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("minutes with the race detector, which .ci/run uses with -short")
	}
	p := withEngines(t, media.DefaultLimits())
	seen := map[string]map[string]bool{} // the capabilities shown by the samples of each format
	for name, data := range everySample(t) {
		r, err := extractBy(t, p, data, name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if seen[r.Type.Name] == nil {
			seen[r.Type.Name] = map[string]bool{}
		}
		for _, what := range shownBy(r) {
			seen[r.Type.Name][what] = true
		}
	}
	rows := media.Rows()
	if len(rows) < 60 {
		t.Errorf("there are only %d formats", len(rows))
	}
	for _, row := range rows {
		has := seen[row.Name]
		if has == nil {
			t.Errorf("there is no sample of %s", row.Name)
			continue
		}
		claims := []string{"preview: " + row.Preview}
		if row.Text != "" {
			claims = append(claims, "text")
		}
		if row.By != "ffmpeg" { // has separate tests for each fact
			for says := range strings.SplitSeq(row.Says, ", ") {
				claims = append(claims, says)
			}
		}
		for _, claim := range claims {
			if claim != "" && !has[claim] {
				t.Errorf("no sample of %s shows %q; they show %v", row.Name, claim, has)
			}
		}
		if row.Text == "" && has["text"] {
			t.Errorf("the table does not tell of the text of %s", row.Name)
		}
	}
}

// shownBy lists the known facts of a file, in the words of the table.
func shownBy(r *media.Result) (list []string) {
	technical := func(name string) map[string]any {
		m, _ := r.Technical[name].(map[string]any)
		return m
	}
	for what, is := range map[string]bool{
		"EXIF": technical("exif") != nil, "IPTC": technical("iptc") != nil, "XMP": technical("xmp") != nil,
		"title": r.Title != "", "creator": r.Creator != "", "author": r.Creator != "", "description": r.Description != "",
		"subject": r.Description != "", "keywords": len(r.Keywords) > 0, "subjects": len(r.Keywords) > 0, "pages": r.PageCount > 0,
		"date": r.CaptureDate != nil, "dates": r.CaptureDate != nil, "language": technical("document")["language"] != nil,
		"the names of its files": technical("archive")["entries"] != nil, "text": r.Text != "",
	} {
		if is {
			list = append(list, what)
		}
	}
	shows := fmt.Sprint(file(r)["preview"])
	switch {
	case r.Picture == nil:
	case file(r)["preview"] == nil:
		list = append(list, "preview: yes", "preview: first page")
	case strings.Contains(shows, "camera"):
		list = append(list, "preview: the camera's")
	case strings.Contains(shows, "card"):
		list = append(list, "preview: a card", "preview: its own, or a card")
	case strings.Contains(shows, "thumbnail"):
		list = append(list, "preview: its own")
	case slices.Contains([]string{"the cover", "the waveform"}, shows):
		list = append(list, "preview: cover, or waveform")
	default:
		list = append(list, "preview: a frame")
	}
	return list
}

// documentSamples returns pictures that Go reads, documents and archives, with all the
// metadata that they support.
func documentSamples(t testing.TB) map[string][]byte {
	t.Helper()
	const (
		core = "<c><title>T</title><creator>Ann</creator><description>D</description><keywords>a, b</keywords>" +
			"<created>2024-05-06T07:08:09Z</created></c>"
		app  = "<Properties><Pages>3</Pages></Properties>"
		meta = `<m><title>T</title><initial-creator>Ann</initial-creator><description>D</description><keyword>a</keyword>` +
			`<creation-date>2024-05-06T07:08:09Z</creation-date><document-statistic meta:page-count="2"/></m>`
		packet = xmpHead + `<rdf:Description xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title><rdf:Alt><rdf:li xml:lang="x-default">T` +
			`</rdf:li></rdf:Alt></dc:title></rdf:Description></rdf:RDF></x:xmpmeta>`
	)
	ooxml := func(list ...string) []byte {
		return zipOf(t, append([]string{"[Content_Types].xml", "<Types/>", "docProps/core.xml", core, "docProps/app.xml", app}, list...)...)
	}
	odf := func(kind, body string) []byte {
		return zipOf(t, "mimetype", odfType+kind, "meta.xml", meta, "content.xml", "<o:c>"+body+"</o:c>")
	}
	block := exif([]tag{ascii(0x13b, "Ada")}, nil, nil)
	xmp := func(b []byte) []byte { return append([]byte("XML:com.adobe.xmp\x00\x00\x00\x00\x00"), b...) }
	const iptc = "\x1c\x02\x05\x00\x07Harbour"
	lossy := sample(t, "lossy.webp")
	box := func(id string, data []byte) []byte {
		out := binary.BigEndian.AppendUint32(nil, uint32(24+len(data)))
		return append(append(append(out, "uuid"...), id...), data...)
	}
	jp2 := append(sample(t, "halves/a.jp2"), box("\xbe\x7a\xcf\xcb\x97\xa9\x42\xe8\x9c\x71\x99\x94\x91\xe3\xaf\xac", []byte(packet))...)
	return map[string][]byte{
		"b.jp2": append(jp2, box("JpgTiffExif->JP2", block)...),
		"b.psd": withResource(sample(t, "halves/a.psd"), iptc), "b.psb": withResource(sample(t, "halves/a.psb"), iptc),
		"a.jpg": withEXIF(withXMP(withIPTC(jpegOf(t, scene(40, 30)), record{5, "T"}), packet), block),
		"a.png": chunk(chunk(chunk(pngOf(t, scene(40, 30)), "iTXt", xmp([]byte(packet))), "eXIf", block), "zTXt",
			append([]byte("Raw profile type iptc\x00\x00"), compressed(t, rawProfile("iptc", []byte(iptc)))...)),
		"x.pdf": pdfWithXMP(t),
		"a.gif": gifWithXMP(t, packet), "a.webp": withChunks(lossy, 0x0c, 170, 48, nil,
			append(riffChunk("EXIF", block), riffChunk("XMP ", []byte(packet))...)),
		"a.tif": tiffOf(scene(40, 30), tag{0x2bc, 1, []byte(packet)}, ascii(0x8298, "Ada"), tag{0x83bb, 7, []byte(iptc)}),
		"a.bmp": append(bmpOf(8, 8, 24, 0), make([]byte, 200)...),
		"a.bga": os2Array(os2Entry{kind: "CI", side: 16, bits: 4}),
		"a.svg": []byte(`<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><title>T</title><desc>D</desc><metadata>` +
			`<RDF><Work><creator>Ann</creator></Work></RDF></metadata></svg>`),

		"a.docx": ooxml("word/document.xml", "<w:document><w:p><w:t>text</w:t></w:p></w:document>"),
		"a.xlsx": ooxml("xl/workbook.xml", `<workbook><sheets><sheet name="text"/></sheets></workbook>`),
		"a.pptx": ooxml("ppt/presentation.xml", `<p:presentation><p:sldIdLst><p:sldId r:id="r1"/></p:sldIdLst></p:presentation>`,
			"ppt/_rels/presentation.xml.rels", `<Relationships><Relationship Id="r1" Target="slides/slide1.xml"/></Relationships>`,
			"ppt/slides/slide1.xml", "<p:sld><a:p><a:t>text</a:t></a:p></p:sld>"),
		"a.odt": odf("text", "<text:p>text</text:p>"),
		"a.ods": odf("spreadsheet", `<o:spreadsheet><t:table table:name="text"><t:table-cell>`+
			`<text:p>text</text:p></t:table-cell></t:table></o:spreadsheet>`),
		"a.odp": odf("presentation", "<draw:page><text:p>text</text:p></draw:page>"),
		"a.odg": odf("graphics", "<draw:page><text:p>text</text:p></draw:page>"),
		"a.epub": zipOf(t, "mimetype", "application/epub+zip", "META-INF/container.xml", `<rootfile full-path="a.opf"/>`, "a.opf",
			`<package><title>T</title><creator>Ann</creator><description>D</description><subject>a</subject><language>en</language>`+
				`<date>2024-05-06</date><item id="a" href="a.xhtml"/><itemref idref="a"/></package>`, "a.xhtml", "<p>text</p>"),
		"a.rtf": []byte(`{\rtf1{\info{\title T}{\author Ann}{\doccomm D}{\keywords a}{\creatim\yr2024\mo5\dy6}{\nofpages7}}text\par}`),
		"a.html": []byte(`<!doctype html><title>T</title><meta name="author" content="Ann"><meta name="description" content="D">` +
			`<meta name="keywords" content="a"><meta name="date" content="2024-05-06"><p>text`),
		"a.txt": []byte("text"), "a.md": []byte("# text"), "a.csv": []byte("a;b"), "a.vtt": []byte("WEBVTT\n\n00:01.000 --> 00:02.000\nGulls"),
		"a.srt":     []byte("1\n00:00:01,000 --> 00:00:02,000\nGulls\n"),
		"a.ass":     []byte("[Script Info]\n[Events]\nFormat: Start, End, Text\nDialogue: 0:00:01.00,0:00:02.00,Gulls\n"),
		"a.pages":   zipOf(t, "Index/Document.iwa", "a", "preview.jpg", string(jpegOf(t, scene(40, 30)))),
		"a.numbers": zipOf(t, "Index.zip", "a", "preview.jpg", string(jpegOf(t, scene(40, 30)))),
		"a.key":     zipOf(t, "index.apxl", "a", "QuickLook/Thumbnail.jpg", string(jpegOf(t, scene(40, 30)))),

		"a.zip": zipOf(t, "a", "b"), "a.gz": gzipOf(t, "a"),
		"a.xz":  encoded(t, func(w io.Writer) error { z, err := xz.NewWriter(w); return errors.Join(err, z.Close()) }),
		"a.zst": encoded(t, func(w io.Writer) error { z, err := zstd.NewWriter(w); return errors.Join(err, z.Close()) }),
		"a.tar": encoded(t, func(w io.Writer) error {
			z := tar.NewWriter(w)
			return errors.Join(z.WriteHeader(&tar.Header{Name: "a"}), z.Close())
		}),
	}
}

// withResource adds IPTC to a Photoshop file.
func withResource(pic []byte, iptc string) []byte {
	at := 30 + int(binary.BigEndian.Uint32(pic[26:]))
	block := binary.BigEndian.AppendUint32([]byte("8BIM\x04\x04\x00\x00"), uint32(len(iptc)))
	block = append(append(block, iptc...), make([]byte, len(iptc)%2)...)
	out := append(bytes.Clone(pic[:at+4]), block...)
	binary.BigEndian.PutUint32(out[at:], binary.BigEndian.Uint32(pic[at:])+uint32(len(block)))
	return append(out, pic[at+4:]...)
}

// pdfWithXMP returns a PDF of one page with XMP.
func pdfWithXMP(t testing.TB) []byte {
	t.Helper()
	data := pdfOf([2]string{"/MediaBox[0 0 200 100]", ""})
	title := []embed.Property{{Path: "dc:title", Texts: []string{"T"}}}
	c, err := embed.New("application/pdf", bytes.NewReader(data), int64(len(data)), title)
	if err != nil {
		t.Fatal(err)
	}
	data, err = io.ReadAll(c)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// gifWithXMP adds XMP to a GIF.
func gifWithXMP(t testing.TB, packet string) []byte {
	t.Helper()
	out := noiseGIF(t)
	at := bytes.IndexByte(out[13:], '!') + 13
	if out[10]&0x80 != 0 {
		at = 13 + 3<<(out[10]&7+1)
	}
	trailer := []byte{1}
	for i := 255; i >= 0; i-- {
		trailer = append(trailer, byte(i))
	}
	xmp := append(append([]byte("!\xff\x0bXMP DataXMP"), packet...), append(trailer, 0)...)
	return append(append(bytes.Clone(out[:at]), xmp...), out[at:]...)
}
