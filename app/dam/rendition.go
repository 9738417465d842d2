package dam

import "slices"

// Rendition names a derived picture of an asset.
type Rendition string

// The names of the renditions.
const (
	RenditionThumbnail Rendition = "thumbnail"
	RenditionPreview   Rendition = "preview"
)

// RenditionSpec says how a rendition is made. Each is an upright JPEG in sRGB,
// never larger than the original, and shows transparency as white.
type RenditionSpec struct {
	Name    Rendition
	Size    int    // the longest side at most, in pixels
	Quality int    // of the JPEG, from 1 to 100
	Purpose string // for people: "for lists"
}

// renditions has them from small to large. Colours and hashes are taken from the
// first.
var renditions = []RenditionSpec{
	{RenditionThumbnail, 320, 82, "for lists"},
	{RenditionPreview, 1600, 82, "for a closer look"},
}

// Renditions lists the renditions from small to large.
func Renditions() []RenditionSpec { return slices.Clone(renditions) }

// Values lists the names of the renditions from small to large.
func (Rendition) Values() []Rendition {
	var names []Rendition
	for _, r := range renditions {
		names = append(names, r.Name)
	}
	return names
}

// LargestRendition returns the longest side of the largest rendition, in pixels.
func LargestRendition() int { return renditions[len(renditions)-1].Size }
