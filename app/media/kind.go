package media

import (
	"bytes"
	"net/http"
	"slices"
	"strings"

	"github.com/h2non/filetype"

	"github.com/digital-asset-library/dal/app/dam"
)

// foreignFile is a type of file that the library does not read.
type foreignFile struct {
	extension string // under which filetype knows it
	phrase    string // for people
	runs      bool   // whether computers or browsers run it
}

// foreign lists the types of files that the library does not read. Where a file fits two, the
// first counts.
var foreign = []foreignFile{
	{"exe", "a Windows program", true},
	{"elf", "a Linux program", true},
	{"macho", "a macOS program", true},
	{"dex", "an Android program", true},
	{"dey", "an Android program", true},
	{"wasm", "a WebAssembly program", true},
	{"nes", "a video game", false},
	{"crx", "a browser extension", true},
	{"swf", "a Flash movie", true},
	{"deb", "a Debian package", true},
	{"rpm", "an RPM package", true},

	{"doc", "a Word document", false},
	{"xls", "an Excel spreadsheet", false},
	{"ppt", "a PowerPoint presentation", false},
	{"ps", "a PostScript document", false},
	{"dwg", "an AutoCAD drawing", false},
	{"sqlite", "an SQLite database", false},

	{"cab", "a CAB archive", false},
	{"ar", "an ar archive", false},
	{"iso", "a disc image", false},
	{"lz", "a file compressed with lzip", false},
	{"Z", "a file compressed with compress", false},

	{"tif", "a raw photo from a camera", false}, // what tiffFormat leaves
	{"jxr", "a JPEG XR picture", false},
	{"dcm", "a medical image (DICOM)", false},

	{"mid", "a MIDI file", false},

	{"woff", "a font", false},
	{"woff2", "a font", false},
	{"ttf", "a font", false},
	{"otf", "a font", false},
	{"eot", "a font", false},
}

const (
	webPage = "a web page"
	xmlFile = "an XML file"
)

// foreignPhrase says for people what a file is that begins with head, or "" for
// a file that is nothing known.
func foreignPhrase(head []byte) string {
	k, _ := foreignKind(head)
	return k.phrase
}

// foreignKind returns what a file is that begins with head, and reports whether it is known.
func foreignKind(head []byte) (foreignFile, bool) {
	for _, k := range foreign {
		if filetype.Is(head, k.extension) {
			return k, true
		}
	}
	text, _, _ := strings.Cut(http.DetectContentType(head), ";")
	switch {
	case text == "text/html":
		return foreignFile{phrase: webPage}, true
	case text == "text/xml":
		return foreignFile{phrase: xmlFile}, true
	case text == "text/plain" && bytes.HasPrefix(head, []byte("#!")):
		return foreignFile{phrase: "a script", runs: true}, true
	case text == "text/plain":
		return foreignFile{phrase: "a text file"}, true
	}
	return foreignFile{}, false
}

// unknown is the fault of a file that has none of the formats.
func unknown(formats []format, s source, head []byte) error {
	if isProtectedOffice(s, head) {
		return unsupported("This is an Office file that is protected with a password, so the library cannot read it.")
	}
	ext := dam.Extension(dam.CleanFilename(s.name))
	claimed := slices.IndexFunc(formats, func(f format) bool { return slices.Contains(f.Extensions, ext) })
	takes := taken(formats)
	phrase := foreignPhrase(head)
	switch {
	case phrase != "" && claimed >= 0:
		return unsupported("This is %s, not %s.", phrase, formats[claimed].Phrase)
	case phrase != "":
		return unsupported("This is %s. The library takes %s. "+othersToo, phrase, takes)
	case claimed >= 0:
		return unsupported("This is not %s, or its beginning is damaged.", formats[claimed].Phrase)
	}
	return unsupported("The library does not know this type of file. It takes %s. "+othersToo, takes)
}

// othersToo is what can be done about a type that is not taken.
const othersToo = "Its administrator can have it accept any file: --reject without unknown."

// taken says for people which files the library takes: the names of those that it reads
// by itself, and that there are others.
func taken(formats []format) string {
	var names []string
	others := false
	for _, f := range formats {
		if f.engine == nil && f.shows == "" {
			names = append(names, f.Name)
		} else {
			others = true
		}
	}
	if !others {
		return listed(names) + " files"
	}
	return strings.Join(names, ", ") + " and other files; its guide lists them"
}

// listed returns words as they are listed in a sentence: "a, b and c".
func listed(words []string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " and " + words[last]
}
