package media

import (
	"fmt"
	"strings"

	"github.com/digital-asset-library/dal/app/dam"
)

// Row is a row of the table of formats in the guide: the capabilities that dal claims for a
// format.
type Row struct {
	Name, Extensions, Says, Preview, Text, By string
}

// Rows returns the table of formats.
func Rows() (list []Row) {
	for _, f := range formats {
		r := Row{Name: f.Name, Extensions: "." + strings.Join(f.Extensions, ", ."), Preview: "yes", By: "dal"}
		if f.engine != nil {
			r.By = f.engine.name
		}
		if r.Says = f.says; f.says == "" && f.metadata != nil {
			r.Says = "EXIF, IPTC, XMP"
		}
		if says, hasText := strings.CutSuffix(r.Says, "text"); hasText {
			r.Says, r.Text = strings.TrimSuffix(says, ", "), "yes"
		}
		switch {
		case f.shows != "":
			r.Preview = "the camera's"
		case r.By == "archive":
			r.Preview, r.Text = "a card", "names"
		case r.By == "pdfium":
			r.Preview = "first page"
		case r.By == "document" && f.says == "":
			r.Preview = "its own"
		case r.By == "document" && f.engine.most > 0, f.Name == "RTF":
			r.Preview = "a card"
		case r.By == "document":
			r.Preview = "its own, or a card"
		case f.Category == dam.CategoryVideo:
			r.Preview = "a frame"
		case f.Category == dam.CategoryAudio:
			r.Preview = "cover, or waveform"
		}
		list = append(list, r)
	}
	return list
}

func formatsTable() string {
	var b strings.Builder
	for _, r := range Rows() {
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s |\n", r.Name, r.Extensions, r.Says, r.Preview, r.Text, r.By)
	}
	return b.String()
}
