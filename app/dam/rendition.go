package dam

import "slices"

// Rendition is the name of a picture or media file derived from an asset.
type Rendition string

// The names of the renditions.
const (
	RenditionThumbnail Rendition = "thumbnail" // for lists
	RenditionPreview   Rendition = "preview"   // for a single asset
	RenditionLarge     Rendition = "large"     // of pictures, for zooming
	RenditionPoster    Rendition = "poster"    // of videos and audio, the size of a preview
	RenditionPage      Rendition = "page"      // one page of a file with pages
	RenditionProxy     Rendition = "proxy"     // of videos and audio, a transcoded copy for browsers
)

// RenditionSpec is the specification of a rendition. Every rendition is an upright sRGB
// JPEG, never larger than the original, with a white background for transparency.
type RenditionSpec struct {
	Name    Rendition
	Size    int // maximum of the longest side, in pixels
	Quality int // JPEG quality, 1 to 100
}

// standing are the renditions made during ingestion of every file with a picture, from
// small to large. Colors and hashes are computed from the first.
var standing = []RenditionSpec{
	{RenditionThumbnail, 320, 82},
	{RenditionPreview, 1600, 82},
}

// onDemand are the renditions made on request.
var onDemand = []RenditionSpec{
	{RenditionLarge, 3200, 82},
	{RenditionPoster, 1600, 82},
	{RenditionPage, 1600, 82},
}

// Renditions lists all renditions that are pictures, starting with those made during
// ingestion.
func Renditions() []RenditionSpec { return slices.Concat(standing, onDemand) }

// StandingRenditions lists the renditions made during ingestion of every file with a
// picture, from small to large.
func StandingRenditions() []RenditionSpec { return slices.Clone(standing) }

// Spec returns the specification of a picture rendition and reports whether it exists.
func (r Rendition) Spec() (RenditionSpec, bool) {
	list := Renditions()
	i := slices.IndexFunc(list, func(s RenditionSpec) bool { return s.Name == r })
	if i < 0 {
		return RenditionSpec{}, false
	}
	return list[i], true
}

// Stands reports whether the rendition is made during ingestion of every file with a
// picture.
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

// LargestStanding returns the longest side of the largest rendition made during ingestion,
// in pixels.
func LargestStanding() int { return standing[len(standing)-1].Size }
