// Package engine has files read by engines: most are compiled to WebAssembly. They run
// in worker processes, so that a file that crashes one, hangs it or eats its memory
// does no harm to the server.
//
// A worker gets a file as a stream, or asks for ranges of it, and answers with a picture
// and facts. It has no environment and knows no folder but that of compiled code.
package engine

import (
	"fmt"
	"image"

	"github.com/digital-asset-library/dal/app/engine/cicp"
)

// Job is what an engine is to do with a file.
type Job struct {
	Engine string     `json:"engine"`           // its name; see Names
	Format string     `json:"format,omitempty"` // as the engine calls it; "" if it tells by the content
	Side   int        `json:"side"`             // pixels of the longest side that the picture may have
	Pixels int64      `json:"pixels"`           // the most that the file may have
	Bytes  int64      `json:"bytes"`            // of the file
	Space  cicp.Space `json:"space,omitzero"`   // of a picture that does not declare one
	Page   int        `json:"page,omitempty"`   // the only one that is wanted, from 1; 0 for the first, and what the file says
	Least  float64    `json:"least,omitempty"`  // the score of tags that are wanted
	Ranges bool       `json:"ranges,omitempty"` // whether the engine asks for ranges of the file, which may have any size

	// Write has the picture written in a format instead, as Still: "webp" or "avif", with a
	// quality from 1 to 100.
	Write   string `json:"write,omitempty"`
	Quality int    `json:"quality,omitempty"`

	// Background has the job done by a worker of its own at the lowest priority, one such job
	// at a time: nobody waits for it.
	Background bool `json:"-"`

	Languages []string `json:"languages,omitempty"` // that a text may be in, the likeliest first; see package language
}

// Look is what an engine has seen of a file. What does not apply is zero.
type Look struct {
	Width, Height int // pixels, upright, or the size of a drawing
	Pages         int
	Title         string
	Creator       string
	Description   string
	Note          string // what is to be said about the colours

	Picture              *image.NRGBA // upright; nil if there is nothing to see
	ICC, EXIF, IPTC, XMP []byte       // as they are in the file
	Text                 string       // of a document
	Lines                []Line       // of the page that was wanted, up to MaxLines
	Tags                 []Tag        // what a picture shows, up to MaxTags

	Keywords []string
	Created  string         // when, as the file has it
	Facts    map[string]any // what else it says about itself, as JSON
	Shows    string         // what the picture is, for people; "" for the file itself
	Card     bool           // whether the picture was made for a file that has none

	Copyright string
	Place     string  // where, as ISO 6709 has it
	Seconds   float64 // of a video or a sound
	Sound     bool    // whether it is a sound: there is nothing to see but its cover
	Warning   string  // what is wrong with a file that can be read, in a sentence

	// Still is a picture that another engine is to decode in place of Picture, in the format
	// that this engine calls StillFormat. It is turned clockwise by Turn degrees, 0 to 270.
	Still       []byte
	StillFormat string
	Turn        int
	StillSpace  cicp.Space // of its colours

	// Words are those that were read in a picture, which had to be turned clockwise by Turn
	// degrees, and then by Skew radians, to be read.
	Words []Word
	Skew  float64
}

// The bounds of the words of a picture.
const (
	MaxWords     = 5000
	MaxWordBytes = 400 // of one of them
)

// A Word is a word that was read in a picture, with where it is: fractions of the picture, from
// its top left corner.
type Word struct {
	Text      string  `json:"t"`
	X         float64 `json:"x"`
	Y         float64 `json:"y"`
	Width     float64 `json:"w"`
	Height    float64 `json:"h"`
	Sure      int     `json:"c"`           // how sure the engine is, 0 to 100
	Line      int     `json:"l"`           // which line it is in, from 1
	Paragraph bool    `json:"p,omitempty"` // whether it begins a paragraph that is not the first
}

// MaxLines is how many lines of a page are read.
const MaxLines = 5000

// MaxTags is how many tags a picture gets at most.
const MaxTags = 100

// A Tag is a kind of thing that a picture shows.
type Tag struct {
	Name  string  `json:"name"`  // in English
	Score float64 `json:"score"` // how sure the engine is, up to 1
}

// A Line is a piece of the text of a page with where it is: fractions of the page as it
// is drawn, from its top left corner.
type Line struct {
	Text   string  `json:"text"`
	X      float64 `json:"x"`
	Y      float64 `json:"y"`
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
}

// A Reason says why an engine cannot read a file.
type Reason string

// The reasons.
const (
	Damaged     Reason = "damaged"     // the file is not whole
	Unsupported Reason = "unsupported" // it may be whole, but the engine does not know its kind
	Exceeded    Reason = "exceeded"    // it is beyond a limit
	Protected   Reason = "protected"   // it cannot be read without a password
	TooLarge    Reason = "too large"   // engines are not given such large files
)

// Fault is a fault of a file. The text is the engine's, for the log.
type Fault struct {
	Reason Reason
	Text   string
}

func (f *Fault) Error() string { return fmt.Sprintf("%s: %s", f.Reason, f.Text) }

// Stopped is the error about a file during which workers ended, or one that took too
// long and was stopped.
type Stopped struct {
	Slow bool
	Text string // what is known about it, for the log
}

func (s *Stopped) Error() string {
	if s.Slow {
		return "the engine took too long: " + s.Text
	}
	return "the engine crashed: " + s.Text
}
