package media

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/h2non/filetype"

	"github.com/digital-asset-library/dal/app/dam"
)

// TakingAny has files of every type taken, if on. Those of a type that the library does
// not read are kept as they are: a MIME type that browsers do not show, no picture, and
// the reason for that.
func (p *Processor) TakingAny(on bool) *Processor {
	p.any = on
	return p
}

// TakesAny reports whether files of every type are taken.
func (p *Processor) TakesAny() bool { return p.any }

// recognize returns the format of a file, or what is wrong with its type or its name.
func (p *Processor) recognize(s source, head []byte) (format, error) {
	f, ok := detect(p.formats, s, head)
	if ok && !p.any {
		return f, fitsName(f.Type, p.formats, s.name)
	}
	if ok {
		err := fitsName(f.Type, p.formats, s.name)
		dangerous := dam.DangerousExtension(dam.CleanFilename(s.name))
		if err == nil || dangerous == "" || f.Category != dam.CategoryDocument {
			return f, err
		}
		return kept(p.formats, s, head, "it is named ."+dangerous+", which computers or browsers may run, so the library does not read it")
	}
	why := unknown(p.formats, s, head)
	if !p.any {
		return f, why
	}
	return kept(p.formats, s, head, notRead(p.formats, s, head))
}

// kept returns the format of a file that is not read, and why.
func kept(formats []format, s source, head []byte, why string) (format, error) {
	name := dam.CleanFilename(s.name)
	if inner := pretended(formats, name); inner != "" {
		return format{}, unsupported("The file is named .%s.%s, as if it were %s. Rename it so that it says what it is.",
			inner, dam.Extension(name), phraseOf(formats, inner))
	}
	ext := dam.Extension(name)
	if !shortExtension.MatchString(ext) {
		ext = "bin"
	}
	return format{
		Type: Type{
			MIME: plainMIME(formats, head), Name: "unread", Phrase: "a file that the library does not read",
			Extensions: []string{ext}, Category: dam.CategoryDocument,
		},
		header: unknownSize, unread: why,
	}, nil
}

var shortExtension = regexp.MustCompile(`^[a-z0-9]{1,16}$`)

// pretended returns the extension before one that computers run, if it is that of a picture,
// a video, a sound or a document: "jpg" in photo.jpg.exe.
func pretended(formats []format, name string) string {
	ext := dam.Extension(name)
	if ext == "" || dam.DangerousExtension(name) == "" {
		return ""
	}
	inner := dam.Extension(strings.TrimSpace(name[:len(name)-len(ext)-1]))
	if phraseOf(formats, inner) == "" {
		return ""
	}
	return inner
}

// phraseOf says what a file is whose name ends so, "" for one of no format. Archives and
// texts are not meant: programs are packed in those, and named after them.
func phraseOf(formats []format, ext string) string {
	for _, f := range formats {
		plain := f.engine != nil && (f.engine.name == "archive" || f.engine.format == "text" || f.engine.format == "html")
		if slices.Contains(f.Extensions, ext) && !plain {
			return f.Phrase
		}
	}
	return ""
}

// plainMIME returns the MIME type of a file that is not read, by its content. It is none
// that a format has, as browsers may show those.
func plainMIME(formats []format, head []byte) string {
	const any = "application/octet-stream"
	kind, err := filetype.Match(head)
	if err != nil || !strings.HasPrefix(kind.MIME.Value, "application/") ||
		slices.ContainsFunc(formats, func(f format) bool { return f.MIME == kind.MIME.Value }) {
		return any
	}
	return kind.MIME.Value
}

// notRead says why the library does not read a file.
func notRead(formats []format, s source, head []byte) string {
	phrase := foreignPhrase(head)
	claimed := slices.IndexFunc(formats, func(f format) bool { return slices.Contains(f.Extensions, extension(s)) })
	switch {
	case isProtectedOffice(s, head):
		return "this is an Office file that is protected by a password"
	case phrase != "" && claimed >= 0:
		return fmt.Sprintf("this is %s, not %s", phrase, formats[claimed].Phrase)
	case phrase != "":
		return fmt.Sprintf("this is %s, which the library keeps without reading it", phrase)
	case claimed >= 0:
		return fmt.Sprintf("this is not %s, or its beginning is damaged", formats[claimed].Phrase)
	}
	return "the library does not know this type of file"
}
