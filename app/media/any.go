package media

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/h2non/filetype"

	"github.com/digital-asset-library/dal/app/dam"
)

// Accept configures which files a processor accepts.
type Accept struct {
	// Unread accepts files of types that the library does not read: they get a MIME type that
	// browsers do not render, no picture, and a warning with the reason.
	Unread   bool
	Programs bool     // include programs and scripts
	Reject   []string // patterns rejected regardless; see CheckReject
}

// rejectUnread is the pattern that rejects every type that the library does not read.
const rejectUnread = "unknown"

// maxReject limits the length of a pattern, in bytes.
const maxReject = 100

// CheckReject validates a pattern of files to reject: the word unknown, an extension such
// as psd, or a MIME type such as image/gif. Extensions and MIME types may contain the
// wildcards of path.Match.
func CheckReject(pattern string) error {
	if _, err := path.Match(pattern, ""); err != nil || pattern == "" || len(pattern) > maxReject || strings.ContainsAny(pattern, " \t") {
		return fmt.Errorf("%q is not an extension such as psd, a MIME type such as video/*, or %s", pattern, rejectUnread)
	}
	return nil
}

// rejects reports whether a file with the given MIME type or one of the extensions is
// rejected.
func (a Accept) rejects(mime string, extensions ...string) bool {
	return slices.ContainsFunc(a.Reject, func(pattern string) bool {
		pattern = strings.TrimPrefix(strings.ToLower(pattern), ".")
		return slices.ContainsFunc(append(extensions, mime), func(s string) bool {
			match, err := path.Match(pattern, s)
			return match && err == nil
		})
	})
}

// Accepting makes the processor accept the files that a describes.
func (p *Processor) Accepting(a Accept) *Processor {
	a.Unread = a.Unread && !slices.Contains(a.Reject, rejectUnread)
	p.accept = a
	return p
}

// AcceptsUnread reports whether the processor accepts types that the library does not read.
func (p *Processor) AcceptsUnread() bool { return p.accept.Unread }

// recognize returns the format of a file and a warning about its name, or an error if its
// type or name is unacceptable.
func (p *Processor) recognize(s source, head []byte) (f format, warning string, err error) {
	f, ok := detect(p.formats, s, head)
	if ok {
		warning, err = fitsName(f, p.formats, s.name)
		dangerous := dam.DangerousExtension(dam.CleanFilename(s.name))
		if err != nil && p.accept.Unread && dangerous != "" && f.Category == dam.CategoryDocument {
			f, err = p.keep(s, head, "it is named ."+dangerous+", which computers or browsers may run, so the library does not read it")
		}
	} else {
		err = unknown(p.formats, s, head)
		if p.accept.Unread {
			f, err = p.keep(s, head, notRead(p.formats, s, head))
		}
	}
	if ext := extension(s); err == nil && p.accept.rejects(f.MIME, ext, f.Extensions[0]) {
		err = unsupported("This server rejects %s files.", cmp.Or("."+ext, f.MIME))
	}
	return f, warning, err
}

// unreadable returns, as a clause, why a valid file of a supported format cannot be read, if
// only because it takes more memory than its size allows. It returns "" for other errors, or if
// unread files are not accepted.
func (p *Processor) unreadable(err error) string {
	fault, ok := errors.AsType[*dam.FileError](err)
	if !ok || fault.Code != dam.CodeUnsupportedFormat && !errors.Is(fault.Err, errSmall) || !p.accept.Unread {
		return ""
	}
	return strings.ToLower(fault.Message[:1]) + strings.TrimSuffix(fault.Message[1:], ".")
}

// keep returns the format for a file that is stored without being read, with the reason.
func (p *Processor) keep(s source, head []byte, why string) (format, error) {
	name := dam.CleanFilename(s.name)
	if inner := pretended(p.formats, name); inner != "" {
		return format{}, unsupported("The file is named .%s.%s, as if it were %s. Rename it so that it says what it is.",
			inner, dam.Extension(name), phraseOf(p.formats, inner))
	}
	if isDisguise(p.formats, s, head) {
		return format{}, unknown(p.formats, s, head)
	}
	if what := program(name, head); what != "" && !p.accept.Programs {
		return format{}, unsupported("This is %s, which this server does not accept. Its administrator can allow it (--allow-programs).", what)
	}
	ext := dam.Extension(name)
	if !shortExtension.MatchString(ext) {
		ext = "bin"
	}
	return format{
		Type: Type{
			MIME: plainMIME(p.formats, head), Name: "unread", Phrase: "a file that the library does not read",
			Extensions: []string{ext}, Category: dam.CategoryDocument,
		},
		header: unknownSize, unread: why,
	}, nil
}

// program describes a file that computers can run, judged by its content or its name; ""
// for any other file.
func program(name string, head []byte) string {
	if k, ok := foreignKind(head); ok && k.runs {
		return k.phrase
	}
	if ext := dam.ProgramExtension(name); ext != "" {
		return "a ." + ext + " file, which computers may run"
	}
	return ""
}

// isDisguise reports whether a program, script or web page has the extension of a picture,
// video, audio file or document.
func isDisguise(formats []format, s source, head []byte) bool {
	k, ok := foreignKind(head)
	return ok && (k.runs || k.phrase == webPage || k.phrase == xmlFile) &&
		!slices.Contains(svgFormat.Extensions, extension(s)) && phraseOf(formats, extension(s)) != ""
}

var shortExtension = regexp.MustCompile(`^[a-z0-9]{1,16}$`)

// pretended returns the extension before one that computers can run, if it belongs to a
// picture, video, audio file or document: "jpg" in photo.jpg.exe.
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

// phraseOf describes the format with the given extension; "" for none. It skips archives
// and plain texts, because programs are legitimately packed in archives and named after
// texts.
func phraseOf(formats []format, ext string) string {
	for _, f := range formats {
		plain := f.engine != nil && (f.engine.name == "archive" || f.engine.format == "text" || f.engine.format == "html")
		if slices.Contains(f.Extensions, ext) && !plain {
			return f.Phrase
		}
	}
	return ""
}

// plainMIME returns the MIME type of an unread file, judged by its content. It never
// returns the MIME type of a supported format, since browsers may render those.
func plainMIME(formats []format, head []byte) string {
	const any = "application/octet-stream"
	kind, err := filetype.Match(head)
	if err != nil || !strings.HasPrefix(kind.MIME.Value, "application/") ||
		slices.ContainsFunc(formats, func(f format) bool { return f.MIME == kind.MIME.Value }) {
		return any
	}
	return kind.MIME.Value
}

// notRead explains why the library does not read a file.
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
