package dam

import "strings"

// The bounds of the words that are kept of what is read in the pictures of an asset.
const (
	MaxAssetWords = 20_000
	MaxShownWords = 5_000 // in technical.ocr of the asset; its pages have all
)

// Recognized is what was read in the pictures of an asset's file.
type Recognized struct {
	Engine    string           `json:"engine"`
	Languages []string         `json:"languages"` // that it could have been in
	Pages     []RecognizedPage `json:"pages"`     // those with words, in their order
}

// RecognizedPage is what was read on a page of a file, or in its only picture.
type RecognizedPage struct {
	Page     int              `json:"page"` // from 1
	Width    int              `json:"width"`
	Height   int              `json:"height"`             // pixels of what was read
	Rotation int              `json:"rotation,omitempty"` // degrees that it had to be turned clockwise to be read: 90, 180 or 270
	Skew     float64          `json:"skew,omitempty"`     // degrees that its lines slope, down to the right if positive
	Words    []RecognizedWord `json:"words"`              // in the order in which they are read
}

// RecognizedWord is a word with where it is: fractions of the page, from its top left corner.
type RecognizedWord struct {
	Text       string  `json:"t"`
	X          float64 `json:"x"`
	Y          float64 `json:"y"`
	Width      float64 `json:"w"`
	Height     float64 `json:"h"`
	Confidence int     `json:"c"` // 0 to 100
	Line       int     `json:"l"` // of the page, from 1
}

// Text returns the words of all pages: lines apart, and pages further apart.
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

// Shown returns the first words, as many as a single asset shows.
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
