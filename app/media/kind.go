package media

import (
	"bytes"
	"net/http"
	"slices"
	"strings"

	"github.com/h2non/filetype"

	"github.com/digital-asset-library/dal/app/dam"
)

// foreignFile is a file type that the library does not read.
type foreignFile struct {
	extension string // the filetype package's name for it
	phrase    string // for people
	runs      bool   // computers or browsers can run it
}

// foreign lists the file types that the library does not read. The first match counts.
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

	{"tif", "a raw photo from a camera", false}, // those that tiffFormat excludes
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

// foreignPhrase describes, for people, the type of a file that begins with head, or returns
// "" if it is unknown.
func foreignPhrase(head []byte) string {
	k, _ := foreignKind(head)
	return k.phrase
}

// foreignKind returns the type of a file that begins with head, and whether it is known.
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

// unknown returns the error for a file in none of the formats.
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

// othersToo says how a rejected type can be allowed.
const othersToo = "Its administrator can have it accept any file: --reject without unknown."

// taken lists, for people, the files that the library accepts: the names of the formats
// that it reads itself, without the rare one of OS/2, and a note that there are others.
func taken(formats []format) string {
	var names []string
	others := false
	for _, f := range formats {
		if f.engine == nil && f.shows == "" && f.MIME != os2Format.MIME {
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

// listed joins words as in a sentence: "a, b and c".
func listed(words []string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " and " + words[last]
}
