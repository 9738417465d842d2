// Package engine reads files with engines, most of which are compiled to WebAssembly. They
// run in worker processes, so that a file that crashes an engine, hangs it or exhausts its
// memory does not affect the server.
//
// A worker receives a file as a stream, or requests ranges of it, and responds with a
// picture and facts. It has no environment and accesses no folders except for its cache of
// compiled code.
package engine

import (
	"fmt"
	"image"

	"github.com/digital-asset-library/dal/app/engine/cicp"
)

// Job is a file to process with an engine.
type Job struct {
	Engine string     `json:"engine"`           // name of the engine; see Names
	Format string     `json:"format,omitempty"` // engine's name for the format; "" if it detects the format
	Side   int        `json:"side"`             // maximum of the picture's longest side, in pixels
	Pixels int64      `json:"pixels"`           // maximum number of pixels of the file
	Bytes  int64      `json:"bytes"`            // size of the file
	Of     int64      `json:"of,omitempty"`     // size of the whole file, if this is a part of it: see Memory
	Space  cicp.Space `json:"space,omitzero"`   // color space of a picture that does not declare one
	Page   int        `json:"page,omitempty"`   // single requested page, from 1; 0 for the first page and the metadata
	Least  float64    `json:"least,omitempty"`  // minimum score of tags
	Ranges bool       `json:"ranges,omitempty"` // the engine requests ranges of the file, which may have any size

	// Write encodes the picture to Still in a format, "webp" or "avif", with a quality from
	// 1 to 100.
	Write   string `json:"write,omitempty"`
	Quality int    `json:"quality,omitempty"`

	// Background runs the job in a separate worker at the lowest priority, one such job at
	// a time. It is for jobs that no user waits for.
	Background bool `json:"-"`

	Languages []string `json:"languages,omitempty"` // possible languages of the text, most likely first; see package language
}

// Look is the result of a job. Fields that do not apply are zero.
type Look struct {
	Width, Height int // pixels after orientation, or the size of a drawing
	Pages         int
	Title         string
	Creator       string
	Description   string
	Note          string // note about the conversion of colors

	Picture              *image.NRGBA // upright; nil if the file has no picture
	ICC, EXIF, IPTC, XMP []byte       // raw, as embedded in the file
	Text                 string       // text of a document
	Lines                []Line       // lines of the requested page, up to MaxLines
	Tags                 []Tag        // tags of the picture, up to MaxTags

	Keywords []string
	Created  string         // creation date in the file's notation
	Facts    map[string]any // other metadata, as JSON
	Shows    string         // user-facing description of the picture; "" for the file itself
	Card     bool           // the picture was generated for a file without one

	Copyright string
	Place     string  // location in ISO 6709 notation
	Seconds   float64 // duration of a video or audio file
	Sound     bool    // audio file, whose only picture is its cover
	Warning   string  // a sentence about a defect of a readable file

	// Still is a picture that another engine must decode instead of Picture. StillFormat is
	// that engine's name for the format. The picture must be rotated clockwise by Turn
	// degrees, 0 to 270.
	Still       []byte
	StillFormat string
	Turn        int
	StillSpace  cicp.Space // color space of Still

	// Words are the words recognized in a picture after a clockwise rotation by Turn
	// degrees and then by Skew radians.
	Words []Word
	Skew  float64
}

// The limits of the words of a picture.
const (
	MaxWords     = 5000
	MaxWordBytes = 400 // per word
)

// A Word is a recognized word with its position, as fractions of the picture from its top
// left corner.
type Word struct {
	Text      string  `json:"t"`
	X         float64 `json:"x"`
	Y         float64 `json:"y"`
	Width     float64 `json:"w"`
	Height    float64 `json:"h"`
	Sure      int     `json:"c"`           // confidence, 0 to 100
	Line      int     `json:"l"`           // line number, from 1
	Paragraph bool    `json:"p,omitempty"` // starts a paragraph other than the first
}

// MaxLines is the maximum number of lines read from a page.
const MaxLines = 5000

// MaxTags is the maximum number of tags of a picture.
const MaxTags = 100

// A Tag is an object class detected in a picture.
type Tag struct {
	Name  string  `json:"name"`  // in English
	Score float64 `json:"score"` // confidence, up to 1
}

// A Line is a piece of the text of a page with its position, as fractions of the rendered
// page from its top left corner.
type Line struct {
	Text   string  `json:"text"`
	X      float64 `json:"x"`
	Y      float64 `json:"y"`
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
}

// A Reason is the reason why an engine cannot read a file.
type Reason string

// The reasons.
const (
	Damaged     Reason = "damaged"     // incomplete or damaged file
	Unsupported Reason = "unsupported" // possibly intact, but not supported by the engine
	Exceeded    Reason = "exceeded"    // above a limit
	Small       Reason = "small"       // requires more memory than its size allows: see Job.Memory
	Protected   Reason = "protected"   // requires a password
	TooLarge    Reason = "too large"   // above the size limit for engines
)

// Fault is a fault of a file. The text comes from the engine and is for the log.
type Fault struct {
	Reason Reason
	Text   string
}

func (f *Fault) Error() string { return fmt.Sprintf("%s: %s", f.Reason, f.Text) }

// Stopped is the error for a file whose workers crashed, or were stopped by the time limit.
type Stopped struct {
	Slow bool
	Text string // details for the log
}

func (s *Stopped) Error() string {
	if s.Slow {
		return "the engine took too long: " + s.Text
	}
	return "the engine crashed: " + s.Text
}
