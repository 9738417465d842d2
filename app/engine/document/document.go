// Package document reads texts: Word, Excel, PowerPoint, OpenDocument, RTF, HTML and plain
// text. It extracts the text, the metadata, and the embedded thumbnail, or draws a card
// instead. It follows no links, expands no entities, and executes nothing.
package document

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/digital-asset-library/dal/app/engine"
)

// MaxText is the maximum size of the extracted text of a document, in bytes.
const MaxText = 256 << 10

// The limits of a document's metadata, in bytes.
const (
	maxWords    = 4000 // title, creator and description each, and all keywords together
	maxFact     = 500
	maxKeywords = 200
)

// Engine reads documents.
type Engine struct{ fonts *fonts }

// New returns an engine.
func New() (*Engine, error) {
	f, err := loadFonts()
	return &Engine{f}, err
}

// Size returns the approximate memory use of the engine in bytes.
func (*Engine) Size() int64 { return 0 }

// Close does nothing.
func (*Engine) Close(context.Context) error { return nil }

// doc is the content extracted from a document.
type doc struct {
	title, creator, description string
	keywords                    []string
	created                     string // in the document's notation
	pages                       int
	facts                       map[string]any
	body                        text
	thumbnail                   []byte // JPEG or PNG; nil for none
}

// kind is a document format.
type kind struct {
	read  func(d *doc, data []byte) error
	label string // text on cards
	paint paint
}

// kinds are the formats by their names in jobs.
var kinds = map[string]kind{
	"docx": {readWord, "Word", blue}, "xlsx": {readExcel, "Excel", green}, "pptx": {readPowerPoint, "PowerPoint", orange},
	"odt": {readODF, "OpenDocument text", blue}, "ods": {readODF, "OpenDocument spreadsheet", green},
	"odp": {readODF, "OpenDocument presentation", orange}, "odg": {readODF, "OpenDocument drawing", gray},
	"epub": {readEPUB, "EPUB", blue}, "iwork": {readIWork, "iWork", gray},
	"rtf": {readRTF, "RTF", blue}, "html": {readHTML, "HTML", gray}, "text": {readText, "Text", gray},
}

// Look reads a document.
func (e *Engine) Look(_ context.Context, j engine.Job, file io.Reader) (*engine.Look, error) {
	k, ok := kinds[j.Format]
	if !ok {
		return nil, fmt.Errorf("there is no format %q", j.Format)
	}
	data := make([]byte, j.Bytes)
	if _, err := io.ReadFull(file, data); err != nil {
		return nil, err
	}
	d := &doc{facts: map[string]any{}}
	if err := k.read(d, data); err != nil {
		return nil, err
	}
	return d.look(e.fonts, k, j.Side), nil
}

func (d *doc) look(f *fonts, k kind, side int) *engine.Look {
	body := d.body.String()
	look := &engine.Look{
		Pages: d.pages, Title: line(d.title, maxWords), Creator: line(d.creator, maxWords), Description: clean(d.description, maxWords),
		Keywords: bounded(d.keywords), Created: line(d.created, 40), Facts: map[string]any{}, Text: body,
	}
	if body != "" {
		look.Facts["text_from"] = "file"
	}
	if d.body.full {
		look.Facts["text_truncated"] = true
	}
	for name, v := range d.facts {
		if s, ok := v.(string); ok {
			if v = line(s, maxFact); v == "" {
				continue
			}
		}
		look.Facts[name] = v
	}
	if look.Picture = thumbnail(d.thumbnail, side); look.Picture != nil {
		look.Shows = "the thumbnail that the file brings along"
		return look
	}
	look.Picture, look.Card = f.card(card{side: side, label: k.label, paint: k.paint, title: look.Title, body: body}), true
	look.Shows = "a card with the beginning of the text, not a page"
	return look
}

// note records an error of a document that was partly read.
func (d *doc) note(err error) {
	if err != nil && !errors.Is(err, errFull) && d.facts["text_error"] == nil {
		d.facts["text_error"] = err.Error()
	}
}

// words adds keywords from a separated list.
func (d *doc) words(s string) {
	d.keywords = append(d.keywords, strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == ';' || r == '\n' })...)
}

// bounded returns the first keywords, without blank ones.
func bounded(words []string) []string {
	var out []string
	n := 0
	for _, w := range words {
		if w = line(w, maxKeywords); w == "" {
			continue
		}
		if n += len(w) + 1; n > maxWords {
			break
		}
		out = append(out, w)
	}
	return out
}
