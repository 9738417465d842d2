package dam

import "time"

// MaxVersions is the maximum number of earlier files of an asset.
const MaxVersions = 1000

// FileVersion is a current or former file of an asset, with the data that is derived from
// the file and cannot be edited.
type FileVersion struct {
	Number        int64 // 1 for the first, incremented by each new file
	SHA256        string
	Filename      string
	MIMEType      string
	Extension     string
	Size          int64 // bytes
	Width, Height int
	DurationMS    int64
	PageCount     int
	Colors        []Color
	ThumbHash     []byte
	PHash         uint64
	Technical     map[string]any
	Text          string // text of the file
	CreatedAt     time.Time
	CreatedByID   int64      // 0 if unknown
	ReplacedAt    *time.Time // nil for the current file
}

// BatchNameOf returns the name of an upload batch that was created for an asset.
func BatchNameOf(what, title string) string { return cut(what+title, MaxName) }

// File returns the current file of an asset. It shares the asset's maps and slices.
func (a *Asset) File() *FileVersion {
	v := &FileVersion{
		Number: a.FileVersion, SHA256: a.SHA256, Filename: a.OriginalFilename, MIMEType: a.MIMEType, Extension: a.Extension,
		Size: a.FileSize, Width: a.Width, Height: a.Height, DurationMS: a.DurationMS, PageCount: a.PageCount,
		Colors: a.Colors, ThumbHash: a.ThumbHash, PHash: a.PHash, Technical: a.Technical, Text: a.OCRText,
		CreatedAt: a.CreatedAt, CreatedByID: a.CreatedByID,
	}
	if a.FileAt != nil {
		v.CreatedAt, v.CreatedByID = *a.FileAt, a.FileByID
	}
	return v
}

// SetFile replaces the file of an asset. It keeps user-edited fields and discards files
// derived from the previous file.
func (a *Asset) SetFile(v *FileVersion) {
	at := v.CreatedAt
	a.FileVersion, a.FileAt, a.FileByID = v.Number, &at, v.CreatedByID
	a.SHA256, a.OriginalFilename, a.MIMEType, a.Extension, a.FileSize = v.SHA256, v.Filename, v.MIMEType, v.Extension, v.Size
	a.Width, a.Height, a.DurationMS, a.PageCount = v.Width, v.Height, v.DurationMS, v.PageCount
	a.Colors, a.ThumbHash, a.PHash, a.Technical, a.OCRText = v.Colors, v.ThumbHash, v.PHash, v.Technical, v.Text
	a.HasProxy, a.ProcessingStatus = false, ProcessingReady
}

// As returns a read-only copy of an asset with one of its earlier files.
func (a *Asset) As(v *FileVersion) *Asset {
	old := *a
	old.ID = 0 // so that other data of the asset is not attributed to this file
	old.SetFile(v)
	return &old
}
