package media

import (
	"errors"
	"image"
	"iter"
	"slices"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/media/planar"
)

// picture is a decoded picture: upright, opaque, in sRGB and no larger than requested.
type picture struct {
	planes  *planar.Picture
	tiny    *image.RGBA // for colours, if stored in RGB, because planes round them; otherwise nil
	warning string      // about the damage of a recovered file
}

// decodePicture returns the picture of a file, and a note about its colour conversion.
func decodePicture(s source, f format, h header, orientation int) (pic picture, note string, err error) {
	img, warning, err := decodeOrMend(s, f, h)
	if err != nil {
		return picture{}, "", err
	}
	if img.Bounds().Empty() {
		return picture{}, "", corrupt("The picture has no pixels.")
	}
	_, isCMYK := img.(*image.CMYK)
	profile, note, err := readProfile(s, f, isCMYK)
	if err != nil {
		return picture{}, "", err
	}
	size := s.side()
	if planes, ok := planar.Of(img); ok && profile.table == nil && profile.space == nil {
		if planes = planes.Fit(size, orientation); profile.planes != nil {
			planes = planes.ToSRGB(profile.planes)
		}
		return picture{planes: planes, warning: warning}, note, nil
	}
	if s.planes && f.MIME == jpegFormat.MIME {
		return picture{}, "", &readError{errNotPlanar}
	}
	if s.planes {
		planes, ok := inStrips(img, profile)
		img = nil // may be collected from here on
		if !ok {
			return picture{}, "", &readError{errNotPlanar}
		}
		return picture{planes: planes.Fit(size, orientation), warning: warning}, note, nil
	}
	var pixels *image.RGBA
	if isDeep(img) {
		deep := reduceDeep(img, size)
		img = nil // may be collected from here on
		pixels = deep.toRGBA(profile)
	} else {
		pixels = reduce(img, size)
		img = nil
		profile.toSRGB(pixels)
	}
	pic = pictureOf(pixels, orientation, size)
	pic.warning = warning
	return pic, note, nil
}

// pictureOf returns a picture made from sRGB pixels.
func pictureOf(pixels *image.RGBA, orientation, size int) picture {
	return picture{planes: planar.OfRGBA(pixels).Fit(size, orientation), tiny: reduce(pixels, tinySize)}
}

// decodeOrMend decodes a picture. If it is damaged and the format supports recovery, it
// returns the visible part with a warning.
func decodeOrMend(s source, f format, h header) (image.Image, string, error) {
	img, err := f.decode(s)
	if err == nil || f.mend == nil {
		return img, "", err
	}
	if _, isRead := errors.AsType[*readError](err); isRead {
		return nil, "", err
	}
	img, warning, failed := f.mend(s, h)
	if _, isRead := errors.AsType[*readError](failed); isRead {
		return nil, "", failed
	}
	if failed != nil {
		return nil, "", err
	}
	return img, warning, nil
}

// readProfile returns the conversion of a picture's colours to sRGB, and a note about it.
// An unsupported profile is ignored, as the pixels are fine.
func readProfile(s source, f format, isCMYK bool) (colors, string, error) {
	if f.space != nil {
		space, err := f.space(s)
		if _, isRead := errors.AsType[*readError](err); isRead {
			return colors{}, "", err
		}
		if c := space.Converter(); c != nil {
			return colors{space: c}, space.Note(), nil
		}
		if space.SRGB() {
			return colors{}, "sRGB", nil
		}
	}
	if f.profile == nil {
		return colors{}, "", nil
	}
	data, err := f.profile(s)
	if _, isRead := errors.AsType[*readError](err); isRead {
		return colors{}, "", err
	}
	if err != nil {
		return colors{}, "", nil
	}
	profile, note := conversion(data, isCMYK)
	return profile, note, nil
}

// tinySize is the approximate side of the picture from which colours are taken, in pixels.
const tinySize = 64

// renditions yields each precomputed rendition with the picture scaled to its size, from
// large to small, each made from the previous one.
func (p picture) renditions() iter.Seq2[dam.RenditionSpec, *planar.Picture] {
	return func(yield func(dam.RenditionSpec, *planar.Picture) bool) {
		planes := p.planes
		for _, r := range slices.Backward(dam.StandingRenditions()) {
			planes = planes.Fit(r.Size, 0)
			if !yield(r, planes) {
				return
			}
		}
	}
}

// look makes the precomputed renditions of a picture, and takes colours and hashes from the
// smallest.
func (p picture) look() *Picture {
	out := &Picture{Renditions: map[dam.Rendition][]byte{}}
	var small *planar.Picture
	var last dam.RenditionSpec
	for r, planes := range p.renditions() {
		if planes == small && r.Quality == last.Quality { // the larger renditions have the same size
			out.Renditions[r.Name] = out.Renditions[last.Name]
		} else {
			out.Renditions[r.Name] = planes.Encode(r.Quality)
		}
		small, last = planes, r
	}
	out.PHash = perceptualHash(small.Brightness(hashSize, hashSize))
	small = small.Fit(100, 0)
	out.ThumbHash = thumbHash(small.RGBA())
	tiny := p.tiny
	if tiny == nil {
		tiny = small.Fit(tinySize, 0).RGBA()
	}
	out.Colors = dominantColors(tiny)
	return out
}
