package media

import (
	"bytes"
	"errors"
	"image"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/media/tiff"
)

var tiffFormat = format{
	Type: Type{
		MIME: "image/tiff", Name: "TIFF", Phrase: "a TIFF picture",
		Extensions: []string{"tif", "tiff"}, Category: dam.CategoryImage,
	},
	is:       func(s source, head []byte) bool { return isTIFF(head) && !isCameraRaw(s) },
	header:   tiffHeader,
	metadata: tiffMetadata,
	memory:   tiffMemory,
	decode: func(s source) (image.Image, error) {
		p, err := tiffPicture(s)
		if err != nil {
			return nil, err
		}
		return p.Decode()
	},
	profile: tiffProfile,
	paged:   true,
	turn:    tiffTurn,

	otherwise: &byEngine{name: "magick", format: "TIFF"},
	beyond: func(err error) bool {
		_, ok := errors.AsType[tiff.UnsupportedError](err)
		return ok
	},
}

// isTIFF checks for the magic of TIFF or BigTIFF, and excludes Canon's raw files.
func isTIFF(head []byte) bool {
	if len(head) > 10 && string(head[8:10]) == "CR" {
		return false
	}
	for _, mark := range []string{"II*\x00", "MM\x00*", "II+\x00\x08\x00\x00\x00", "MM\x00+\x00\x08\x00\x00"} {
		if bytes.HasPrefix(head, []byte(mark)) {
			return true
		}
	}
	return false
}

func tiffHeader(s source) (header, error) {
	f, err := tiff.Open(s, s.size)
	if err != nil {
		return header{}, err
	}
	pages, err := f.Pages(s.limits.MaxFrames)
	if err != nil {
		return header{}, err
	}
	at, err := f.Page(max(s.page, 1))
	if err == nil && at == 0 {
		err = &readError{ErrNoPage}
	}
	if err != nil {
		return header{}, err
	}
	p, err := f.Picture(at)
	if err != nil {
		return header{}, err
	}
	return header{width: p.Width, height: p.Height, frames: pages, pages: pages, deep: p.IsDeep()}, nil
}

// tiffPicture returns the picture of the requested page of a TIFF.
func tiffPicture(s source) (*tiff.Picture, error) {
	f, at, err := tiffPage(s)
	if err != nil {
		return nil, err
	}
	return f.Picture(at)
}

// tiffPage opens a TIFF and returns the directory offset of the requested page.
func tiffPage(s source) (*tiff.File, int64, error) {
	f, err := tiff.Open(s, s.size)
	if err != nil {
		return nil, 0, err
	}
	at, err := f.Page(max(s.page, 1))
	if err == nil && at == 0 {
		err = &readError{ErrNoPage}
	}
	return f, at, err
}

// tiffTurn returns the orientation of the requested page of a TIFF, or 1 if it has none.
func tiffTurn(s source) int {
	f, at, err := tiffPage(s)
	if err != nil {
		return 1
	}
	d, err := f.Directory(at)
	if err != nil {
		return 1
	}
	if n := f.Number(d, tagOrientation, 1); n >= 1 && n <= 8 {
		return int(n)
	}
	return 1
}

// tiffMemory may stop counting beyond the memory budget.
func tiffMemory(s source, _ header) (int64, error) {
	p, err := tiffPicture(s)
	if err != nil {
		return 0, err
	}
	return p.Need(s.limits.MemoryBudget), nil
}

// isCameraRaw reports whether a TIFF contains a camera's raw picture: its first directory
// has a DNG version, a colour filter array, or only a reduced picture with sub-directories.
// Source: TIFF 6.0, the DNG specification.
func isCameraRaw(s source) bool {
	f, err := tiff.Open(s, s.size)
	if err != nil {
		return false // broken rather than raw: decoding reports the error
	}
	d, err := f.Directory(f.First)
	return err == nil && (d.Has(tagDNGVersion) || isRawDirectory(f, d))
}

func isRawDirectory(f *tiff.File, d *tiff.Directory) bool {
	return f.Number(d, tagPhotometric, 0) == photometricCFA || d.Has(tagSubIFDs) && f.Number(d, tagNewSubfileType, 0)&1 == 1
}

// Tags of TIFF 6.0 and its extensions.
const (
	tagNewSubfileType = 0x00fe
	tagPhotometric    = 0x0106
	tagOrientation    = 0x0112
	tagSubIFDs        = 0x014a
	tagDNGVersion     = 0xc612

	photometricCFA = 32803
)

// tiffProfile returns the profile of a TIFF (ICC.1:2022, annex B.3).
func tiffProfile(s source) ([]byte, error) {
	f, at, err := tiffPage(s)
	if err != nil {
		return nil, err
	}
	d, err := f.Directory(at)
	if err != nil {
		return nil, err
	}
	e, ok := d.Find(tagICCProfile)
	if !ok || e.Count > maxProfile {
		return nil, nil
	}
	return f.Bytes(e, maxProfile)
}
