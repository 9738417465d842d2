package media

import (
	"bytes"
	"net/http"
	"slices"
	"strings"

	"github.com/h2non/filetype"

	"github.com/digital-asset-library/dal/app/dam"
)

// foreign says for people what the files are that the library does not take, by
// the extension under which filetype knows them. Where a file fits two, the
// first counts.
var foreign = []struct{ extension, phrase string }{
	{"exe", "a Windows program"},
	{"elf", "a Linux program"},
	{"macho", "a macOS program"},
	{"dex", "an Android program"},
	{"dey", "an Android program"},
	{"wasm", "a WebAssembly program"},
	{"nes", "a video game"},
	{"crx", "a browser extension"},
	{"swf", "a Flash movie"},
	{"deb", "a Debian package"},
	{"rpm", "an RPM package"},

	{"doc", "a Word document"},
	{"xls", "an Excel spreadsheet"},
	{"ppt", "a PowerPoint presentation"},
	{"ps", "a PostScript document"},
	{"dwg", "an AutoCAD drawing"},
	{"sqlite", "an SQLite database"},

	{"cab", "a CAB archive"},
	{"ar", "an ar archive"},
	{"iso", "a disc image"},
	{"lz", "a file compressed with lzip"},
	{"Z", "a file compressed with compress"},

	{"tif", "a raw photo from a camera"}, // what tiffFormat leaves
	{"jxr", "a JPEG XR picture"},
	{"dcm", "a medical image (DICOM)"},

	{"mid", "a MIDI file"},

	{"woff", "a font"},
	{"woff2", "a font"},
	{"ttf", "a font"},
	{"otf", "a font"},
	{"eot", "a font"},
}

// foreignPhrase says for people what a file is that begins with head, or "" for
// a file that is nothing known.
func foreignPhrase(head []byte) string {
	for _, k := range foreign {
		if filetype.Is(head, k.extension) {
			return k.phrase
		}
	}
	text, _, _ := strings.Cut(http.DetectContentType(head), ";")
	switch {
	case text == "text/html":
		return "a web page"
	case text == "text/xml":
		return "an XML file"
	case text == "text/plain" && bytes.HasPrefix(head, []byte("#!")):
		return "a script"
	case text == "text/plain":
		return "a text file"
	}
	return ""
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
const othersToo = "Whoever runs it can have it take any file (--accept-any)."

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
