package dam

import "time"

// MaxVersions is how many earlier files an asset may have.
const MaxVersions = 1000

// FileVersion is a file that an asset has or had, with what is known of it that nobody
// sets by hand.
type FileVersion struct {
	Number        int64 // 1 for the first, one more with each new file
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
	Text          string // that is in the file
	CreatedAt     time.Time
	CreatedByID   int64      // 0 if nobody knows
	ReplacedAt    *time.Time // nil for the file that the asset has
}

// BatchNameOf is what an upload batch is called that has to do with an asset.
func BatchNameOf(what, title string) string { return cut(what+title, MaxName) }

// File returns the file that an asset has. Its maps and lists are the asset's.
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

// SetFile gives an asset another file. What people have set stays; what was made of the
// file before is gone.
func (a *Asset) SetFile(v *FileVersion) {
	at := v.CreatedAt
	a.FileVersion, a.FileAt, a.FileByID = v.Number, &at, v.CreatedByID
	a.SHA256, a.OriginalFilename, a.MIMEType, a.Extension, a.FileSize = v.SHA256, v.Filename, v.MIMEType, v.Extension, v.Size
	a.Width, a.Height, a.DurationMS, a.PageCount = v.Width, v.Height, v.DurationMS, v.PageCount
	a.Colors, a.ThumbHash, a.PHash, a.Technical, a.OCRText = v.Colors, v.ThumbHash, v.PHash, v.Technical, v.Text
	a.HasProxy, a.ProcessingStatus = false, ProcessingReady
}

// As returns an asset that has an earlier file of it: to show it, not to be written.
func (a *Asset) As(v *FileVersion) *Asset {
	old := *a
	old.ID = 0 // so that nothing else that it has is taken for the file's
	old.SetFile(v)
	return &old
}
