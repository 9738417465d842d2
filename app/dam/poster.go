package dam

import "maps"

// Poster is a picture that somebody has set for a video or a sound.
type Poster struct {
	SHA256    string // lower-case hex; names the blob
	Size      int64  // bytes
	Extension string // of its type, without the dot
	Own       Shown  // what the file itself shows
}

// Shown is what is known of the picture of an asset.
type Shown struct {
	ThumbHash []byte // empty without a picture
	PHash     uint64
	Colors    []Color
	Preview   string // technical.file.preview: what the picture is; "" for the file itself
	NoPreview string // technical.file.no_preview: why there is none; "" if there is one
}

// PosterShown is what an asset says of its picture when it is a poster.
const PosterShown = "a picture that was set"

// Shown returns what is known of the picture of an asset.
func (a *Asset) Shown() Shown {
	file, _ := a.Technical["file"].(map[string]any)
	preview, _ := file["preview"].(string)
	missing, _ := file["no_preview"].(string)
	return Shown{a.ThumbHash, a.PHash, a.Colors, preview, missing}
}

// Show sets what is known of the picture of an asset. Nothing is changed that others may
// share.
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

// HasPoster reports whether an asset is of a kind that has a poster.
func (a *Asset) HasPoster() bool {
	return a.FileCategory == CategoryVideo || a.FileCategory == CategoryAudio
}
