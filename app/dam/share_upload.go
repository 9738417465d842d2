package dam

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// The limits of guest uploads in a share.
const (
	MaxShareFiles      = 10_000
	MaxShareUpload     = 10 << 40 // bytes in total
	MaxShareExtensions = 100
	maxExtension       = 20 // characters

	defaultShareFiles  = 100
	defaultShareUpload = 10 << 30 // bytes
)

// ShareUpload configures the guest uploads of a share.
type ShareUpload struct {
	MaxFiles     int   // total for all guests
	MaxFileSize  int64 // bytes; 0 for the library's limit
	MaxTotalSize int64 // bytes, total for all guests
	Categories   []FileCategory
	Extensions   []string // lower case, without the dot
}

// HandedIn is the amount of guest uploads in a share. It includes the bytes of unfinished
// uploads.
type HandedIn struct {
	Files int
	Bytes int64
}

// ShareFile is a file uploaded by a guest.
type ShareFile struct {
	*BatchFile
	VisitID int64
	Email   string // as entered by the guest; "" for none
}

// A Refusal is the reason why a guest upload is rejected.
type Refusal string

// The reasons for rejecting guest uploads.
const (
	RefusedEmpty Refusal = "empty"
	RefusedSize  Refusal = "size"  // above the limit for a file
	RefusedFiles Refusal = "files" // above the maximum number of files
	RefusedTotal Refusal = "total" // above the total size limit
	RefusedKind  Refusal = "kind"  // not an accepted file type
)

// Values lists the reasons for rejecting guest uploads.
func (Refusal) Values() []Refusal {
	return []Refusal{RefusedEmpty, RefusedSize, RefusedFiles, RefusedTotal, RefusedKind}
}

// RefusedFile is the error of a rejected guest upload.
type RefusedFile struct {
	Why   Refusal
	Limit int64 // for RefusedSize, RefusedFiles and RefusedTotal
}

func (r *RefusedFile) Error() string { return fmt.Sprintf("refused: %s %d", r.Why, r.Limit) }

// Takes returns the reason why a share with the given uploads rejects a file of the given
// size; nil if it accepts the file.
func (u *ShareUpload) Takes(size int64, has HandedIn) *RefusedFile {
	switch {
	case size <= 0:
		return &RefusedFile{Why: RefusedEmpty}
	case u.MaxFileSize > 0 && size > u.MaxFileSize:
		return &RefusedFile{RefusedSize, u.MaxFileSize}
	case has.Files >= u.MaxFiles:
		return &RefusedFile{RefusedFiles, int64(u.MaxFiles)}
	case size > u.MaxTotalSize-has.Bytes:
		return &RefusedFile{RefusedTotal, u.MaxTotalSize}
	}
	return nil
}

// TakesKind reports whether a share accepts files of a category and with at least one of
// the extensions. It accepts an unknown category.
func (u *ShareUpload) TakesKind(category FileCategory, extensions ...string) bool {
	if len(u.Categories) > 0 && category != "" && !slices.Contains(u.Categories, category) {
		return false
	}
	return len(u.Extensions) == 0 || slices.ContainsFunc(extensions, func(e string) bool { return slices.Contains(u.Extensions, e) })
}

// applyUpload applies the guest upload settings and sets defaults for omitted ones.
func (p *SharePatch) applyUpload(s *Share) {
	if p.Upload.Sent {
		s.Upload = nil
		if u := p.Upload.Value; !p.Upload.Null {
			u.Extensions = slices.Clone(u.Extensions)
			for i, e := range u.Extensions {
				u.Extensions[i] = strings.ToLower(strings.TrimPrefix(strings.TrimSpace(e), "."))
			}
			s.Upload = &u
		}
	}
	if s.Type != ShareHandIn {
		return
	}
	if s.Upload == nil {
		s.Upload = &ShareUpload{}
	}
	s.Upload.MaxFiles = cmp.Or(s.Upload.MaxFiles, defaultShareFiles)
	s.Upload.MaxTotalSize = cmp.Or(s.Upload.MaxTotalSize, defaultShareUpload)
}

// checkUpload validates a guest upload share. It must not set limits for delivered assets,
// because it delivers none.
func (s *Share) checkUpload(p *Problems) {
	if s.Type != ShareHandIn {
		if s.Upload != nil {
			p.Add("upload", "Only a share of the type %s takes files.", ShareHandIn)
		}
		return
	}
	if len(s.GAIDs) > 0 {
		p.Add("gaids", "A share with which guests hand files in names no assets.")
	}
	for _, limit := range []struct {
		field string
		is    bool
	}{
		{"include_metadata", s.IncludeMetadata}, {"allow_download", s.AllowDownload}, {"allow_original", s.AllowOriginal},
		{"watermark", s.Watermark != nil}, {"max_resolution", s.MaxResolution != 0}, {"access.max_downloads", s.Access.MaxDownloads != nil},
	} {
		if limit.is {
			p.Add(limit.field, "A share with which guests hand files in shows and gives away nothing.")
		}
	}
	u := s.Upload
	p.between("upload.max_files", int64(u.MaxFiles), 1, MaxShareFiles)
	p.between("upload.max_total_size", u.MaxTotalSize, 1, MaxShareUpload)
	if u.MaxFileSize != 0 {
		p.between("upload.max_file_size", u.MaxFileSize, 1, MaxShareUpload)
	}
	for i, c := range u.Categories {
		oneOf(p, "upload.categories."+itoa(i), c, Values[FileCategory]())
	}
	if p.items("upload.extensions", len(u.Extensions), MaxShareExtensions) {
		for i, e := range u.Extensions {
			odd := func(r rune) bool { return r <= ' ' || r > '~' || r == '.' || r == '/' }
			if len(e) == 0 || len(e) > maxExtension || strings.ContainsFunc(e, odd) {
				p.Add("upload.extensions."+itoa(i), "The extension must be one such as jpg.")
			}
		}
	}
}
