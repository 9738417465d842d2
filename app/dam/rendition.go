package dam

import "slices"

// Rendition names a derived picture of an asset.
type Rendition string

// The names of the renditions.
const (
	RenditionThumbnail Rendition = "thumbnail" // for lists
	RenditionPreview   Rendition = "preview"   // for a closer look
)

// RenditionSpec says how a rendition is made. Each is an upright JPEG in sRGB,
// never larger than the original, and shows transparency as white.
type RenditionSpec struct {
	Name    Rendition
	Size    int // the longest side at most, in pixels
	Quality int // of the JPEG, from 1 to 100
}

// renditions has them from small to large. Colours and hashes come from the first.
// To add one, give it a name and a line here, a member of urls in web/asset.go and
// a description in the API's document.
var renditions = []RenditionSpec{
	{RenditionThumbnail, 320, 82},
	{RenditionPreview, 1600, 82},
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
