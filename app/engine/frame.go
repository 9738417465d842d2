package engine

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"io"
	"unicode/utf8"

	"github.com/digital-asset-library/dal/app/engine/cicp"
)

// The server and a worker exchange frames: the length of a header in four bytes,
// big-endian; the header, as JSON; and the number of bytes given in the header. The server
// first sends Settings. After that, requests are processed one at a time, each with one
// answer. Before the answer to a job with ranges, the worker may request bytes of the file:
// each request is a header with the range, and the response is the raw bytes. Ranges never
// extend past the end of the file.

// Settings are the first message to a worker.
type Settings struct {
	Dir    string `json:"dir"`    // engine files here override built-in ones; "" for none
	Cache  string `json:"cache"`  // folder for compiled code; "" for none
	Memory int64  `json:"memory"` // memory limit of an engine in bytes
	Data   string `json:"data"`   // language files here override built-in ones; "" for none
}

// Request is one task of a worker: preparing an engine, or a job, whose file follows.
type Request struct {
	Prepare bool `json:"prepare,omitempty"`
	Job
}

// The limits of messages in both directions.
const (
	maxHeader  = 256 << 10
	maxProfile = 16 << 20
	maxText    = 4 << 20
	maxLines   = 4 << 20 // bytes of all lines, or of all words, of a page
	maxSide    = 16 << 10
)

// The limits of range requests during one job.
const (
	MaxRange  = 1 << 20 // bytes per request
	MaxRanged = 1 << 30 // total bytes
	MaxRanges = 100_000 // number of requests
)

// answer is the header of a worker's answer. The lengths are those of the following data,
// in this order.
type answer struct {
	Offset int64 `json:"offset,omitempty"` // of a requested range; the answer comes later
	Length int   `json:"length,omitempty"`

	Reason Reason `json:"reason,omitempty"` // reason of a fault
	Fault  string `json:"fault,omitempty"`

	Width       int    `json:"width,omitempty"`
	Height      int    `json:"height,omitempty"`
	Pages       int    `json:"pages,omitempty"`
	Title       string `json:"title,omitempty"`
	Creator     string `json:"creator,omitempty"`
	Description string `json:"description,omitempty"`
	Note        string `json:"note,omitempty"`

	Keywords []string       `json:"keywords,omitempty"`
	Created  string         `json:"created,omitempty"`
	Facts    map[string]any `json:"facts,omitempty"`
	Shows    string         `json:"shows,omitempty"`
	Card     bool           `json:"card,omitempty"`

	Copyright   string     `json:"copyright,omitempty"`
	Place       string     `json:"place,omitempty"`
	Seconds     float64    `json:"seconds,omitempty"`
	Sound       bool       `json:"sound,omitempty"`
	Warning     string     `json:"warning,omitempty"`
	StillFormat string     `json:"still_format,omitempty"`
	Turn        int        `json:"turn,omitempty"`
	StillSpace  cicp.Space `json:"still_space,omitzero"`

	Tags []Tag `json:"tags,omitempty"`

	PictureWidth  int `json:"picture_width,omitempty"`
	PictureHeight int `json:"picture_height,omitempty"`
	ICC           int `json:"icc,omitempty"`
	EXIF          int `json:"exif,omitempty"`
	IPTC          int `json:"iptc,omitempty"`
	XMP           int `json:"xmp,omitempty"`
	Text          int `json:"text,omitempty"`
	Lines         int `json:"lines,omitempty"` // as JSON
	Still         int `json:"still,omitempty"`
	Words         int `json:"words,omitempty"` // as JSON

	Skew float64 `json:"skew,omitempty"`
}

// WriteHeader writes a frame without data, or the start of one.
func WriteHeader(w io.Writer, header any) error {
	text, err := json.Marshal(header)
	if err != nil {
		return err
	}
	if len(text) > maxHeader {
		return fmt.Errorf("a header of %d bytes", len(text))
	}
	_, err = w.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(text))), text...))
	return err
}

// ReadHeader reads a header into v. The error is io.EOF at the end of the stream.
func ReadHeader(r io.Reader, v any) error {
	var n [4]byte
	if _, err := io.ReadFull(r, n[:]); err != nil {
		return err
	}
	size := binary.BigEndian.Uint32(n[:])
	if size > maxHeader {
		return fmt.Errorf("a header of %d bytes", size)
	}
	text := make([]byte, size)
	if _, err := io.ReadFull(r, text); err != nil {
		return noEOF(err)
	}
	return json.Unmarshal(text, v)
}

// WriteAnswer writes the result of a job: a look, or a fault if err is not nil. Errors
// other than *Fault are sent as damage.
func WriteAnswer(w io.Writer, look *Look, err error) error {
	if err != nil {
		fault, ok := errors.AsType[*Fault](err)
		if !ok {
			fault = &Fault{Damaged, err.Error()}
		}
		return WriteHeader(w, answer{Reason: fault.Reason, Fault: cut(fault.Text, 2000)})
	}
	h := answer{
		Width: look.Width, Height: look.Height, Pages: look.Pages, Note: cut(look.Note, 200),
		Title: cut(look.Title, 4000), Creator: cut(look.Creator, 4000), Description: cut(look.Description, 8000),
		Keywords: look.Keywords, Created: cut(look.Created, 100), Facts: look.Facts, Shows: cut(look.Shows, 200), Card: look.Card,
		Copyright: cut(look.Copyright, 4000), Place: cut(look.Place, 100), Seconds: look.Seconds, Sound: look.Sound,
		Warning: cut(look.Warning, 200), StillFormat: look.StillFormat, Turn: look.Turn, StillSpace: look.StillSpace, Skew: look.Skew,
		Tags: look.Tags[:min(len(look.Tags), MaxTags)],
	}
	text := []byte(cut(look.Text, maxText))
	lines, err := listJSON(look.Lines, MaxLines)
	if err != nil {
		return err
	}
	words, err := listJSON(look.Words, MaxWords)
	if err != nil {
		return err
	}
	h.Lines, h.Words = len(lines), len(words)
	parts := [][]byte{
		nil, fitting(look.ICC), fitting(look.EXIF), fitting(look.IPTC), fitting(look.XMP), text, lines, fitting(look.Still), words,
	}
	h.ICC, h.EXIF, h.IPTC, h.XMP, h.Text = len(parts[1]), len(parts[2]), len(parts[3]), len(parts[4]), len(text)
	h.Still = len(parts[7])
	if p := look.Picture; p != nil {
		if h.PictureWidth, h.PictureHeight = p.Rect.Dx(), p.Rect.Dy(); p.Stride != 4*h.PictureWidth {
			return errors.New("the rows of a picture are apart")
		}
		parts[0] = p.Pix[:p.Stride*h.PictureHeight]
	}
	if err := WriteHeader(w, h); err != nil {
		return err
	}
	for _, part := range parts {
		if _, err := w.Write(part); err != nil {
			return err
		}
	}
	return nil
}

// listJSON encodes lines or words as JSON. It drops the last ones if the list is too long.
func listJSON[T Line | Word](list []T, most int) ([]byte, error) {
	if len(list) == 0 {
		return nil, nil
	}
	for list = list[:min(len(list), most)]; ; list = list[:len(list)/2] {
		data, err := json.Marshal(list)
		if err != nil || len(data) <= maxLines {
			return data, err
		}
	}
}

// fitting returns a profile, or nil for one that is too large.
func fitting(profile []byte) []byte {
	if len(profile) > maxProfile {
		return nil
	}
	return profile
}

// cut truncates a text to at most n bytes.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// readAnswer reads the result of a job. The picture's longest side is at most side. give
// sends the ranges that the worker requests; it is nil if the worker may not request any.
// After an error other than *Fault, the worker must not be used again.
func readAnswer(r io.Reader, side int, give func(offset int64, n int) error) (*Look, error) {
	var h answer
	for {
		h = answer{}
		if err := ReadHeader(r, &h); err != nil {
			return nil, noEOF(err)
		}
		if h.Length == 0 {
			break
		}
		if give == nil {
			return nil, errors.New("it asks for a range of the file, which it has been given")
		}
		if err := give(h.Offset, h.Length); err != nil {
			return nil, err
		}
	}
	if h.Reason != "" {
		return nil, &Fault{h.Reason, h.Fault}
	}
	if min(h.Width, h.Height, h.Pages) < 0 || max(h.Width, h.Height, h.Pages) > 1<<30 {
		return nil, errors.New("an impossible size")
	}
	look := &Look{
		Width: h.Width, Height: h.Height, Pages: h.Pages, Title: h.Title, Creator: h.Creator, Description: h.Description, Note: h.Note,
		Keywords: h.Keywords, Created: h.Created, Facts: h.Facts, Shows: h.Shows, Card: h.Card,
		Copyright: h.Copyright, Place: h.Place, Seconds: h.Seconds, Sound: h.Sound, Warning: h.Warning, StillFormat: h.StillFormat,
		Turn: h.Turn, StillSpace: h.StillSpace, Skew: h.Skew, Tags: h.Tags[:min(len(h.Tags), MaxTags)],
	}
	if w, ht := h.PictureWidth, h.PictureHeight; w != 0 || ht != 0 {
		if min(w, ht) < 1 || max(w, ht) > min(side, maxSide) {
			return nil, fmt.Errorf("a picture of %d × %d pixels", w, ht)
		}
		look.Picture = image.NewNRGBA(image.Rect(0, 0, w, ht))
		if _, err := io.ReadFull(r, look.Picture.Pix); err != nil {
			return nil, noEOF(err)
		}
	}
	var text, lines, words []byte
	for _, part := range []struct {
		to      *[]byte
		n, most int
	}{{&look.ICC, h.ICC, maxProfile}, {&look.EXIF, h.EXIF, maxProfile}, {&look.IPTC, h.IPTC, maxProfile},
		{&look.XMP, h.XMP, maxProfile}, {&text, h.Text, maxText}, {&lines, h.Lines, maxLines},
		{&look.Still, h.Still, maxProfile}, {&words, h.Words, maxLines}} {
		if part.n < 0 || part.n > part.most {
			return nil, fmt.Errorf("%d bytes of %d at most", part.n, part.most)
		}
		if part.n == 0 {
			continue
		}
		*part.to = make([]byte, part.n)
		if _, err := io.ReadFull(r, *part.to); err != nil {
			return nil, noEOF(err)
		}
	}
	look.Text = string(text)
	if len(lines) > 0 {
		if err := json.Unmarshal(lines, &look.Lines); err != nil {
			return nil, err
		}
		look.Lines = look.Lines[:min(len(look.Lines), MaxLines)]
	}
	if len(words) > 0 {
		if err := json.Unmarshal(words, &look.Words); err != nil {
			return nil, err
		}
		look.Words = look.Words[:min(len(look.Words), MaxWords)]
	}
	return look, nil
}

// noEOF replaces io.EOF for a frame that ends too early.
func noEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
