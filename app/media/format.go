package media

import (
	"context"
	"fmt"
	"image"
	"io"
	"slices"

	"github.com/h2non/filetype"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/engine/cicp"
)

// Type is a file type that the library accepts.
type Type struct {
	MIME       string
	Name       string   // display name: "JPEG"
	Phrase     string   // display name within a sentence: "a JPEG picture"
	Extensions []string // lower case, without the dot; the first is canonical
	Category   dam.FileCategory
	Showable   bool // browsers render it without executing anything in it
}

// format is a file type with the functions that read it. The functions keep no state
// between calls and need nothing but the source, so any of them can run in another process.
// The errors they return are faults of the file, except when reading failed: see guard.
//
// To add a format, describe it in its own file and add it to formats.
type format struct {
	Type

	// is reports whether a file that begins with head has this format.
	is func(s source, head []byte) bool
	// header reads the dimensions of the content without decoding it.
	header func(s source) (header, error)
	// metadata reads EXIF, IPTC and XMP. Even with an error it returns everything that was
	// readable. It is nil for a format without metadata.
	metadata func(s source) (*collector, error)

	// The functions below are nil for a format without a picture.

	// memory returns the peak number of bytes that decoding takes: all of the decoder's
	// allocations, including the returned picture and intermediate buffers, and garbage if it
	// amounts to as much as the picture. It may stop counting beyond the memory budget.
	memory func(s source, h header) (int64, error)
	// decode returns the picture; the first if there are several.
	decode func(s source) (image.Image, error)
	// mend returns the visible part of a picture for which decode fails, within the memory
	// already reserved, and a warning as a sentence. It is nil for a format whose damaged
	// files are rejected.
	mend func(s source, h header) (image.Image, string, error)
	// profile returns the ICC profile of the picture, or nil. It is nil for a format without
	// profiles.
	profile func(s source) ([]byte, error)

	// space returns the code points of the picture's colours, which take precedence over the
	// profile. It is nil for a format without code points.
	space func(s source) (cicp.Space, error)

	// shows describes the origin of the picture, for people; "" if it is the file itself.
	shows string
	// unread says, as a clause, why a file that nothing reads has no picture.
	unread string
	// engine reads the file instead of memory, decode and profile.
	engine *byEngine
	// otherwise is the engine for files that the functions above do not support, used if it is
	// available.
	otherwise *byEngine
	// facts is the key of the engine's facts in technical.
	facts string
	// says lists the metadata in the file, for people; "" for that read by metadata.
	says string
	// scales is set for vector graphics, which can be drawn at any size.
	scales bool
	// unit returns by what the engine's dimensions are multiplied; nil for 1.
	unit func(s source) float64
	// paged is set for files whose pages can be drawn: see source.page.
	paged bool
	// turn returns the orientation of the requested page. It is nil for formats without pages
	// and for those whose pages an engine draws.
	turn func(source) int

	// cutOff reports whether an error of the functions above means that the file is truncated.
	// It is nil if io.EOF and io.ErrUnexpectedEOF indicate that.
	cutOff func(s source, err error) bool
	// beyond reports whether such an error means that the file is valid but not supported by
	// the decoder. It is nil if the decoder supports every valid file.
	beyond func(err error) bool
}

// formats lists the formats that the library accepts.
var formats = slices.Concat(
	[]format{jpegFormat, pngFormat, gifFormat, webpFormat}, raws(),
	[]format{tiffFormat, bmpFormat, os2Format, svgFormat, pdfFormat}, byMagick(),
	videos(), sounds(), documents(), archives(),
)

// header describes a file before it is decoded.
type header struct {
	width, height int // pixels as stored, before orientation

	rawWidth, rawHeight int // dimensions of the raw picture when the embedded one is shown

	frames  int // of an animation, or pages of a picture; 0 if not applicable
	pages   int // of a document or a picture with pages
	plays   int // number of times an animation plays; 0 loops forever
	seconds float64
	deep    bool   // CMYK or 16-bit samples: see raster
	unseen  string // why the picture is missing although the format has one, as a clause
	warning string // a problem of a readable file, as a sentence
	named   string // that the name claims another type, as a sentence
	memory  int64  // bytes needed to decode the picture and make its renditions
}

func (h header) area() int64 { return int64(h.width) * int64(h.height) }

// Showable reports whether browsers render files of a MIME type without executing anything
// in them.
func Showable(mime string) bool {
	return slices.ContainsFunc(formats, func(f format) bool { return f.MIME == mime && f.Showable })
}

// IsRaw reports whether files of a MIME type contain a camera's raw sensor data.
func IsRaw(mime string) bool {
	return mime == dngType || slices.ContainsFunc(raws(), func(f format) bool { return f.MIME == mime })
}

// dngType is the MIME type of DNG, the RAW format that some cameras and programs write
// instead of a vendor format.
const dngType = "image/x-adobe-dng"

// NameOf returns the common name of a MIME type, or "".
func NameOf(mime string) string {
	f, _ := formatOf(mime)
	return f.Name
}

// formatOf returns the format with a MIME type, and whether there is one.
func formatOf(mime string) (format, bool) {
	i := slices.IndexFunc(formats, func(f format) bool { return f.MIME == mime })
	if i < 0 {
		return format{}, false
	}
	return formats[i], true
}

// Detect returns the type of a file judged by its content, regardless of its name. All
// texts count as plain text.
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

// fitsName checks that a file's name does not claim another type than its content has. A name
// without a known extension claims nothing. An extension of another picture, video, audio or
// document format only causes a warning, unless the content may contain programs.
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

// passive reports whether files of a format cannot contain programs, unlike archives and web
// pages.
func (f format) passive() bool {
	return f.MIME != svgFormat.MIME && (f.engine == nil || f.engine.name != "archive" && f.engine.format != "html")
}

// claimedCategory returns the category of files with the extension.
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

// isClaim reports whether an extension is that of a known file type.
func isClaim(formats []format, ext string) bool {
	return filetype.IsSupported(ext) || slices.Contains([]string{"txt", "csv", "json"}, ext) ||
		slices.ContainsFunc(formats, func(f format) bool { return slices.Contains(f.Extensions, ext) })
}
