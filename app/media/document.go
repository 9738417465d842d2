package media

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"encoding/xml"
	"io"
	"net/http"
	"slices"
	"strings"

	"golang.org/x/text/encoding/unicode"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/media/vtt"
)

// The number of bytes read from texts, which may be much larger than the part that is kept.
const (
	headOfHTML = 32<<20 + 1
	headOfText = 1<<20 + 1
)

// documents are the text formats. Plain texts come last, because only their name identifies
// them.
func documents() []format {
	const (
		openXML = "application/vnd.openxmlformats-officedocument."
		odf     = "application/vnd.oasis.opendocument."
		office  = "title, creator, description, keywords, dates, pages, text"
	)
	list := []format{
		document("docx", openXML+"wordprocessingml.document", "Word", "a Word document", office, "docx", "docm", "dotx", "dotm"),
		document("xlsx", openXML+"spreadsheetml.sheet", "Excel", "an Excel spreadsheet", office, "xlsx", "xlsm", "xltx", "xltm"),
		document("pptx", openXML+"presentationml.presentation", "PowerPoint", "a PowerPoint presentation", office,
			"pptx", "pptm", "ppsx", "ppsm", "potx", "potm"),
		document("odt", odf+"text", "OpenDocument text", "an OpenDocument text", office, "odt", "ott"),
		document("ods", odf+"spreadsheet", "OpenDocument spreadsheet", "an OpenDocument spreadsheet", office, "ods", "ots"),
		document("odp", odf+"presentation", "OpenDocument presentation", "an OpenDocument presentation", office, "odp", "otp"),
		document("odg", odf+"graphics", "OpenDocument drawing", "an OpenDocument drawing", office, "odg", "otg"),
		document("rtf", "application/rtf", "RTF", "a rich text document", office, "rtf"),
		document("html", "text/html", "HTML", "a web page", "title, creator, description, keywords, date, text", "html", "htm", "xhtml"),
		document("text", "text/plain", "plain text", "a plain text", "text", "txt", "text"),
		document("text", "text/markdown", "Markdown", "a Markdown text", "text", "md", "markdown"),
		document("text", "text/csv", "CSV", "a CSV table", "text", "csv"),
		document("text", vtt.MIME, "WebVTT", "a WebVTT file", "text", "vtt"),
		document("text", vtt.SubRip, "SubRip", "a SubRip file", "text", "srt"),
		document("text", vtt.SSA, "SubStation Alpha", "a SubStation Alpha file", "text", "ass", "ssa"),
	}
	for i, folder := range []string{"word/", "xl/", "ppt/"} {
		list[i].is = isOOXML(folder, list[i].Extensions)
	}
	for i, kind := range []string{"text", "spreadsheet", "presentation", "graphics"} {
		list[3+i].is = isODF(odf + kind)
	}
	list[7].is = func(_ source, head []byte) bool { return bytes.HasPrefix(head, []byte(`{\rtf`)) }
	list[8].is, list[8].engine.most = isHTML, headOfHTML
	for i := range list[9:] {
		f := &list[9+i]
		f.is, f.engine.most = isPlain(f.Extensions), headOfText
	}
	for i, is := range []func(string) bool{
		func(head string) bool { return strings.HasPrefix(head, "WEBVTT") }, vtt.IsSubRip, vtt.IsSSA,
	} {
		f := &list[len(list)-3+i]
		named := f.is
		f.is = func(s source, head []byte) bool {
			return named(s, head) && is(strings.TrimPrefix(string(head), "\ufeff"))
		}
	}
	return slices.Concat(books(), list)
}

// books are e-books and Apple's document formats: ZIP archives that contain a picture of
// the first page.
func books() []format {
	const apple = "application/vnd.apple."
	list := []format{
		document("epub", "application/epub+zip", "EPUB", "an e-book", "title, creator, language, description, subjects, date, text", "epub"),
		document("iwork", apple+"pages", "Pages", "a Pages document", "", "pages"),
		document("iwork", apple+"numbers", "Numbers", "a Numbers spreadsheet", "", "numbers"),
		document("iwork", apple+"keynote", "Keynote", "a Keynote presentation", "", "key"),
	}
	named := isODF("application/epub+zip")
	list[0].is = func(s source, head []byte) bool {
		return named(s, head) || extension(s) == "epub" && hasPart(s, head, "META-INF/container.xml")
	}
	for i := range list[1:] {
		f := &list[1+i]
		f.is = func(s source, head []byte) bool {
			return slices.Contains(f.Extensions, extension(s)) &&
				hasPart(s, head, "Index/Document.iwa", "Index.zip", "index.xml", "index.apxl", "index.xml.gz", "index.apxl.gz")
		}
	}
	return list
}

// hasPart reports whether a file is a ZIP archive that contains at least one of the names.
func hasPart(s source, head []byte, names ...string) bool {
	if !bytes.HasPrefix(head, []byte("PK\x03\x04")) {
		return false
	}
	z, err := zip.NewReader(&listing{s, maxList}, s.size)
	return err == nil && slices.ContainsFunc(z.File, func(f *zip.File) bool { return slices.Contains(names, f.Name) })
}

// document returns a format that the document engine reads.
func document(read, mime, name, phrase, says string, extensions ...string) format {
	return format{
		Type:   Type{MIME: mime, Name: name, Phrase: phrase, Extensions: extensions, Category: dam.CategoryDocument},
		header: unknownSize,
		engine: &byEngine{name: "document", format: read},
		facts:  "document",
		says:   says,
	}
}

// isOOXML returns a test for Office Open XML: a ZIP archive with a list of content types
// and parts in a folder. A file that cannot be opened or is encrypted is identified by its
// extension.
func isOOXML(folder string, extensions []string) func(source, []byte) bool {
	return func(s source, head []byte) bool {
		if isProtectedOffice(s, head) {
			return slices.Contains(extensions, extension(s))
		}
		if !bytes.HasPrefix(head, []byte("PK\x03\x04")) {
			return false
		}
		z, err := zip.NewReader(&listing{s, maxList}, s.size)
		if err != nil {
			return slices.Contains(extensions, extension(s)) && bytes.Contains(head, []byte("[Content_Types].xml"))
		}
		types, parts := false, false
		for _, f := range z.File {
			types = types || f.Name == "[Content_Types].xml"
			parts = parts || strings.HasPrefix(f.Name, folder) && strings.HasSuffix(f.Name, ".xml")
		}
		return types && parts
	}
}

func extension(s source) string { return dam.Extension(dam.CleanFilename(s.name)) }

// maxList limits how much of an archive is read to list its entries, in bytes.
const maxList = 4 << 20

// listing is an archive of which only a limited number of bytes may be read.
type listing struct {
	source
	left int
}

func (l *listing) ReadAt(p []byte, off int64) (int, error) {
	if l.left -= len(p); l.left < 0 {
		return 0, io.ErrShortBuffer
	}
	return l.source.ReadAt(p, off)
}

// isODF returns a test for OpenDocument: a ZIP archive whose first entry is uncompressed
// and names the type. Source: OpenDocument 1.3, part 2, section 3.3.
func isODF(mime string) func(source, []byte) bool {
	return func(_ source, head []byte) bool {
		if len(head) < 30 || !bytes.HasPrefix(head, []byte("PK\x03\x04")) {
			return false
		}
		name := 30 + int(binary.LittleEndian.Uint16(head[26:]))
		at := name + int(binary.LittleEndian.Uint16(head[28:]))
		if at > len(head) || string(head[30:name]) != "mimetype" {
			return false
		}
		rest, ok := bytes.CutPrefix(head[at:], []byte(mime))
		return ok && bytes.HasPrefix(bytes.TrimPrefix(rest, []byte("-template")), []byte("PK"))
	}
}

// isHTML recognizes a web page as browsers do (https://mimesniff.spec.whatwg.org), or by
// its root element if it is XML. Files with a plain-text extension never count, since a
// plain text may begin with a tag.
func isHTML(s source, head []byte) bool {
	if slices.Contains([]string{"txt", "text", "md", "markdown", "csv"}, extension(s)) {
		return false
	}
	if hasPrefix(head, "\xff\xfe", "\xfe\xff") {
		decoded, err := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewDecoder().Bytes(head)
		if err != nil {
			return false
		}
		head = decoded
	}
	head = bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))
	return strings.HasPrefix(http.DetectContentType(head), "text/html") || firstElement(head) == "html"
}

// firstElement returns the name of the root element of an XML document, or "" if head does
// not start one.
func firstElement(head []byte) string {
	if !bytes.Contains(head, []byte("<")) || bytes.IndexByte(head, 0) >= 0 {
		return ""
	}
	d := xml.NewDecoder(bytes.NewReader(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))))
	d.Strict = false
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	for {
		t, err := d.RawToken()
		if err != nil {
			return ""
		}
		switch t := t.(type) {
		case xml.StartElement:
			return t.Name.Local
		case xml.CharData:
			if len(bytes.TrimSpace(t)) > 0 {
				return ""
			}
		}
	}
}

// isPlain returns a test for plain texts with one of the extensions. A text without a name
// has the format of .txt files.
func isPlain(extensions []string) func(source, []byte) bool {
	return func(s source, head []byte) bool {
		named := slices.Contains(extensions, extension(s)) || s.name == "" && extensions[0] == "txt"
		return named && isText(head)
	}
}

// isText reports whether head starts a text: UTF-16 or UTF-32 with a byte order mark, or
// any other encoding without control characters.
func isText(head []byte) bool {
	switch {
	case hasPrefix(head, "\xff\xfe\x00\x00", "\x00\x00\xfe\xff"):
		return len(head)%4 == 0
	case hasPrefix(head, "\xff\xfe", "\xfe\xff"):
		return len(head)%2 == 0
	}
	for _, c := range head {
		if c < ' ' && !strings.ContainsRune("\t\n\v\f\r\x1a\x1b", rune(c)) || c == 0x7f {
			return false
		}
	}
	return true
}

func hasPrefix(head []byte, marks ...string) bool {
	return slices.ContainsFunc(marks, func(mark string) bool { return bytes.HasPrefix(head, []byte(mark)) })
}

// isProtectedOffice reports whether a file is an encrypted Microsoft Office document.
// Sources: MS-CFB, section 2.2, and MS-OFFCRYPTO, section 2.3.
func isProtectedOffice(s source, head []byte) bool {
	if len(head) < 512 || !bytes.HasPrefix(head, []byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")) {
		return false
	}
	shift := binary.LittleEndian.Uint16(head[30:])
	if shift != 9 && shift != 12 {
		return false
	}
	folder := make([]byte, 4<<10)
	n, _ := s.ReadAt(folder, int64(binary.LittleEndian.Uint32(head[48:])+1)<<shift) // unreadable data does not match
	return bytes.Contains(folder[:n], []byte("E\x00n\x00c\x00r\x00y\x00p\x00t\x00e\x00d\x00P\x00a\x00c\x00k\x00a\x00g\x00e\x00"))
}
