package dam

import "maps"

// Poster is a picture that a user set for a video or audio file.
type Poster struct {
	SHA256    string // lower-case hex; names the blob
	Size      int64  // bytes
	Extension string // of its MIME type, without the dot
	Own       Shown  // picture of the file itself
}

// Shown is the derived data of an asset's picture.
type Shown struct {
	ThumbHash []byte // empty for none
	PHash     uint64
	Colors    []Color
	Preview   string // technical.file.preview: source of the picture; "" for the file itself
	NoPreview string // technical.file.no_preview: reason why the file has no picture; "" for none
}

// PosterShown is the Preview text of an asset whose picture is a poster.
const PosterShown = "a picture that was set"

// Shown returns the derived data of an asset's picture.
func (a *Asset) Shown() Shown {
	file, _ := a.Technical["file"].(map[string]any)
	preview, _ := file["preview"].(string)
	missing, _ := file["no_preview"].(string)
	return Shown{a.ThumbHash, a.PHash, a.Colors, preview, missing}
}

// Show sets the derived data of an asset's picture. It copies maps that may be shared
// instead of changing them.
func (a *Asset) Show(s Shown) {
	a.ThumbHash, a.PHash, a.Colors = s.ThumbHash, s.PHash, s.Colors
	file, _ := a.Technical["file"].(map[string]any)
	file = maps.Clone(file)
	if file == nil {
		file = map[string]any{}
	}
	for key, text := range map[string]string{"preview": s.Preview, "no_preview": s.NoPreview} {
		delete(file, key)
		if text != "" {
			file[key] = text
		}
	}
	a.Technical = maps.Clone(a.Technical)
	if a.Technical == nil {
		a.Technical = map[string]any{}
	}
	a.Technical["file"] = file
}

// HasPoster reports whether the asset is of a category that supports posters.
func (a *Asset) HasPoster() bool {
	return a.FileCategory == CategoryVideo || a.FileCategory == CategoryAudio
}
