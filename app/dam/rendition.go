package dam

import "slices"

// Rendition names a derived picture of an asset.
type Rendition string

// The names of the renditions.
const (
	RenditionThumbnail Rendition = "thumbnail" // for lists
	RenditionPreview   Rendition = "preview"   // for a closer look
	RenditionLarge     Rendition = "large"     // of a picture, for a still closer one
	RenditionPoster    Rendition = "poster"    // of a video or a sound, as large as the preview
	RenditionPage      Rendition = "page"      // of a file that has pages, one of them
	RenditionProxy     Rendition = "proxy"     // of a video or a sound: a copy that browsers play
)

// RenditionSpec says how a rendition is made. Each is an upright JPEG in sRGB,
// never larger than the original, and shows transparency as white.
type RenditionSpec struct {
	Name    Rendition
	Size    int // the longest side at most, in pixels
	Quality int // of the JPEG, from 1 to 100
}

// standing are the renditions that each file with a picture gets when it comes in, from
// small to large. Colours and hashes come from the first.
var standing = []RenditionSpec{
	{RenditionThumbnail, 320, 82},
	{RenditionPreview, 1600, 82},
}

// onDemand are the renditions that are made when they are wanted.
var onDemand = []RenditionSpec{
	{RenditionLarge, 3200, 82},
	{RenditionPoster, 1600, 82},
	{RenditionPage, 1600, 82},
}

// Renditions lists all renditions that are pictures, those that each file with a picture
// has first.
func Renditions() []RenditionSpec { return slices.Concat(standing, onDemand) }

// StandingRenditions lists the renditions that each file with a picture gets when it
// comes in, from small to large.
func StandingRenditions() []RenditionSpec { return slices.Clone(standing) }

// Spec says how a rendition is made, and reports whether there is one of that name.
func (r Rendition) Spec() (RenditionSpec, bool) {
	list := Renditions()
	i := slices.IndexFunc(list, func(s RenditionSpec) bool { return s.Name == r })
	if i < 0 {
		return RenditionSpec{}, false
	}
	return list[i], true
}

// Stands reports whether each file with a picture gets the rendition when it comes in.
func (r Rendition) Stands() bool {
	return slices.ContainsFunc(standing, func(s RenditionSpec) bool { return s.Name == r })
}

// Values lists the names of the renditions.
func (Rendition) Values() []Rendition {
	var names []Rendition
	for _, r := range Renditions() {
		names = append(names, r.Name)
	}
	return append(names, RenditionProxy)
}

// LargestRendition returns the longest side of the largest rendition, in pixels.
func LargestRendition() int {
	return slices.MaxFunc(Renditions(), func(a, b RenditionSpec) int { return a.Size - b.Size }).Size
}

// LargestStanding returns the longest side of the largest rendition that each file with a
// picture has, in pixels.
func LargestStanding() int { return standing[len(standing)-1].Size }
