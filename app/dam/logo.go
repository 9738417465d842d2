package dam

import "time"

// Logo is the library's logo on its pages: a PNG made by dal.
type Logo struct {
	PNG           []byte // nil if only the other fields were requested
	SHA256        string // of PNG
	Width, Height int
	UpdatedAt     time.Time
}

// MarkPlacement is the placement of a watermark on a picture.
type MarkPlacement string

// The placements of watermarks.
const (
	MarkTiled  MarkPlacement = "tiled"  // repeated over the whole picture
	MarkCorner MarkPlacement = "corner" // once, in the lower right corner
)

// Values lists the placements of watermarks.
func (MarkPlacement) Values() []MarkPlacement { return []MarkPlacement{MarkTiled, MarkCorner} }
