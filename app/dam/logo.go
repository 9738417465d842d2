package dam

import "time"

// Logo is the picture that stands for the library on its pages: a PNG that dal has made.
type Logo struct {
	PNG           []byte // nil where only the rest was wanted
	SHA256        string // of PNG
	Width, Height int
	UpdatedAt     time.Time
}

// MarkPlacement says where on a picture a watermark is drawn.
type MarkPlacement string

// Where watermarks are drawn.
const (
	MarkTiled  MarkPlacement = "tiled"  // all over it
	MarkCorner MarkPlacement = "corner" // once, at the lower right
)

// Values lists where watermarks are drawn.
func (MarkPlacement) Values() []MarkPlacement { return []MarkPlacement{MarkTiled, MarkCorner} }
