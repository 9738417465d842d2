package media

import (
	"context"
	"fmt"
	"image"
	"io"
	"slices"

	"github.com/h2non/filetype"

	"github.com/digital-asset-library/dal/app/dam"
)

// Type is a type of file that the library takes.
type Type struct {
	MIME       string
	Name       string   // for people: "JPEG"
	Phrase     string   // for people, in a sentence: "a JPEG picture"
	Extensions []string // lower case, without the dot; the first is canonical
	Category   dam.FileCategory
	Showable   bool // whether browsers show it, and run nothing that is in it
}

// format is a type of file with the functions that read it. They keep nothing
// between calls and need nothing but the source, so any of them can do its work
// in another process. What they return as an error is a fault of the file, unless
// reading failed: see guard.
//
// To add a format, describe it in a file of its own and add it to formats.
type format struct {
	Type

	// is reports whether a file that begins with head has this format.
	is func(s source, head []byte) bool
	// header reads how large the content is without decoding it.
	header func(s source) (header, error)
	// metadata reads EXIF, IPTC and XMP: all that can be read, even beside an
	// error. It is nil for a format without them.
	metadata func(s source) (*collector, error)

	// The functions below are nil for a format without a picture.

	// memory returns how many bytes decoding takes: all that the decoder allocates
	// at once, the picture that is returned and what is needed on the way, garbage
	// included where it comes to as much as the picture. It may stop counting
	// beyond the memory budget.
	memory func(s source, h header) (int64, error)
	// decode returns the picture, of several the first.
	decode func(s source) (image.Image, error)
	// mend returns what can be seen of a picture that decode gives an error for, in
	// the memory that was counted, and a warning in a sentence. It is nil for a format
	// whose damaged files are refused.
	mend func(s source, h header) (image.Image, string, error)
	// profile returns the ICC profile of the picture, or nil. It is nil for a
	// format without profiles.
	profile func(s source) ([]byte, error)

	// shows is what the picture of a file is, for people; "" for the file itself.
	shows string
	// unread says why a file has no picture that nothing reads, as a clause.
	unread string
	// engine is what reads a file in place of memory, decode and profile.
	engine *byEngine
	// otherwise reads files that are beyond the functions above, if the engine is there.
	otherwise *byEngine
	// facts is where in technical an engine's facts of a file are.
	facts string
	// says is what the file says about itself, for people; "" for what metadata reads.
	says string
	// scales is set for drawings, whose size costs nothing.
	scales bool
	// paged is set for files whose pages can be drawn: see source.page.
	paged bool
	// turn returns the orientation of the page that is wanted. It is nil for a format
	// whose pages an engine draws, or without pages.
	turn func(source) int

	// cutOff reports whether an error of the functions above means that the file
	// ends too early. It is nil if io.EOF and io.ErrUnexpectedEOF tell that.
	cutOff func(s source, err error) bool
	// beyond reports whether such an error means that the file is valid but that the
	// decoder cannot read it. It is nil if there is no such error.
	beyond func(err error) bool
}

// formats lists the formats that the library takes.
var formats = slices.Concat(
	[]format{jpegFormat, pngFormat, gifFormat, webpFormat}, raws(), []format{tiffFormat, bmpFormat, svgFormat, pdfFormat}, byMagick(),
	videos(), sounds(), documents(), archives(),
)

// header is what is known of a file before it is decoded.
type header struct {
	width, height int // pixels as stored, before orientation

	rawWidth, rawHeight int // of the raw picture beside the one that is shown

	frames  int // of an animation, or pages of a picture; 0 if there are none
	pages   int // of a document or a picture with pages
	plays   int // how often an animation is shown, 0 for without end
	seconds float64
	deep    bool   // of CMYK, or of samples of 16 bits: see raster
	unseen  string // why there is no picture, as a clause, in a format that has one
	warning string // what is wrong with a file that can be read, in a sentence
	named   string // that its name claims another type, in a sentence
	memory  int64  // bytes that decoding the picture and making its renditions takes
}

func (h header) area() int64 { return int64(h.width) * int64(h.height) }

// Showable reports whether browsers show files of a MIME type, and run nothing that
// is in them.
func Showable(mime string) bool {
	return slices.ContainsFunc(formats, func(f format) bool { return f.MIME == mime && f.Showable })
}

// IsRaw reports whether files of a MIME type have what the sensor of a camera saw.
func IsRaw(mime string) bool {
	return mime == dngType || slices.ContainsFunc(raws(), func(f format) bool { return f.MIME == mime })
}

// dngType is the MIME type of the RAW files that some cameras and programs write in place of
// their own.
const dngType = "image/x-adobe-dng"

// NameOf returns what people call the files of a MIME type, or "".
func NameOf(mime string) string {
	f, _ := formatOf(mime)
	return f.Name
}

// formatOf returns the format of a MIME type, and reports whether there is one.
func formatOf(mime string) (format, bool) {
	i := slices.IndexFunc(formats, func(f format) bool { return f.MIME == mime })
	if i < 0 {
		return format{}, false
	}
	return formats[i], true
}

// Detect returns the type that the content of a file has, whatever its name. Texts are
// plain ones.
func Detect(r io.ReaderAt, size int64) (Type, bool, error) {
	s := source{ctx: context.Background(), file: r, size: size, limits: DefaultLimits()}
	head, err := s.head()
	if err != nil {
		return Type{}, false, err
	}
	f, ok := detect(formats, s, head)
	return f.Type, ok, nil
}

func detect(formats []format, s source, head []byte) (format, bool) {
	i := slices.IndexFunc(formats, func(f format) bool { return f.is(s, head) })
	if i < 0 {
		return format{}, false
	}
	return formats[i], true
}

// fitsName checks that a file's name does not claim another type than the content has. A name
// without a known extension claims nothing. The name of another picture, video, sound or
// document is a warning, unless the content may contain programs.
func fitsName(f format, formats []format, filename string) (warning string, err error) {
	filename = dam.CleanFilename(filename)
	ext := dam.Extension(filename)
	if dangerous := dam.DangerousExtension(filename); dangerous != "" && !(dangerous == ext && slices.Contains(f.Extensions, ext)) {
		return "", unsupported("The file is named .%s, which computers or browsers may run, but it is %s. "+
			"If it should be one, rename it to .%s.", dangerous, f.Phrase, f.Extensions[0])
	}
	if ext == "" || slices.Contains(f.Extensions, ext) || !isClaim(formats, ext) {
		return "", nil
	}
	if f.Category == claimedCategory(formats, ext) && f.passive() {
		return fmt.Sprintf("The file is named .%s, but it is %s.", ext, f.Phrase), nil
	}
	return "", unsupported("The file is named .%s, but it is %s. If it should be one, rename it to .%s.", ext, f.Phrase, f.Extensions[0])
}

// passive reports whether no program is in files of a format, as one may be in an archive or
// a web page.
func (f format) passive() bool {
	return f.MIME != svgFormat.MIME && (f.engine == nil || f.engine.name != "archive" && f.engine.format != "html")
}

// claimedCategory returns the category of the files that are named so.
func claimedCategory(formats []format, ext string) dam.FileCategory {
	for _, f := range formats {
		if slices.Contains(f.Extensions, ext) {
			return f.Category
		}
	}
	switch filetype.GetType(ext).MIME.Type {
	case "image":
		return dam.CategoryImage
	case "video":
		return dam.CategoryVideo
	case "audio":
		return dam.CategoryAudio
	}
	return dam.CategoryDocument
}

// isClaim reports whether an extension stands for a type of file.
func isClaim(formats []format, ext string) bool {
	return filetype.IsSupported(ext) || slices.Contains([]string{"txt", "csv", "json"}, ext) ||
		slices.ContainsFunc(formats, func(f format) bool { return slices.Contains(f.Extensions, ext) })
}
