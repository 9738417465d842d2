package dam

import "strings"

// The limits of the words recorded by OCR of an asset.
const (
	MaxAssetWords = 20_000
	MaxShownWords = 5_000 // in technical.ocr of the asset; its pages contain all words
)

// Recognized is the OCR result of an asset's file.
type Recognized struct {
	Engine    string           `json:"engine"`
	Languages []string         `json:"languages"` // languages that the engine used
	Pages     []RecognizedPage `json:"pages"`     // pages with words, in order
}

// RecognizedPage is the OCR result of a page of a file, or of its only picture.
type RecognizedPage struct {
	Page     int              `json:"page"` // from 1
	Width    int              `json:"width"`
	Height   int              `json:"height"`             // pixels of the recognized picture
	Rotation int              `json:"rotation,omitempty"` // clockwise rotation that makes the text upright: 90, 180 or 270 degrees
	Skew     float64          `json:"skew,omitempty"`     // slope of the lines in degrees, positive down to the right
	Words    []RecognizedWord `json:"words"`              // in reading order
}

// RecognizedWord is a word and its position, as fractions of the page from the top left
// corner.
type RecognizedWord struct {
	Text       string  `json:"t"`
	X          float64 `json:"x"`
	Y          float64 `json:"y"`
	Width      float64 `json:"w"`
	Height     float64 `json:"h"`
	Confidence int     `json:"c"` // 0 to 100
	Line       int     `json:"l"` // line of the page, from 1
}

// Text returns the words of all pages, with a line break between lines and an empty line
// between pages.
func (r *Recognized) Text() string {
	var b strings.Builder
	for i, p := range r.Pages {
		if i > 0 {
			b.WriteString("\n\n")
		}
		for j, w := range p.Words {
			switch {
			case j == 0:
			case w.Line != p.Words[j-1].Line:
				b.WriteByte('\n')
			default:
				b.WriteByte(' ')
			}
			b.WriteString(w.Text)
		}
	}
	return b.String()
}

// Shown returns the first words, up to the limit of an asset in the API.
func (r *Recognized) Shown() *Recognized {
	out, left := *r, MaxShownWords
	out.Pages = nil
	for _, p := range r.Pages {
		if left == 0 {
			break
		}
		p.Words = p.Words[:min(len(p.Words), left)]
		left -= len(p.Words)
		out.Pages = append(out.Pages, p)
	}
	return &out
}
