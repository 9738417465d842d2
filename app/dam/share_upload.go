package dam

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// The bounds of what guests may hand in through a share.
const (
	MaxShareFiles      = 10_000
	MaxShareUpload     = 10 << 40 // bytes, in all
	MaxShareExtensions = 100
	maxExtension       = 20 // characters

	defaultShareFiles  = 100
	defaultShareUpload = 10 << 30 // bytes
)

// ShareUpload says what guests may hand in through a share.
type ShareUpload struct {
	MaxFiles     int   // of all guests together
	MaxFileSize  int64 // bytes; 0 for what the library takes
	MaxTotalSize int64 // bytes, of all guests together
	Categories   []FileCategory
	Extensions   []string // lower case, without the dot
}

// HandedIn is how much guests have uploaded through a share, with the bytes of unfinished
// uploads.
type HandedIn struct {
	Files int
	Bytes int64
}

// ShareFile is a file that a guest has handed in.
type ShareFile struct {
	*BatchFile
	VisitID int64
	Email   string // as the guest typed it; "" for none
}

// A Refusal says why a file is not taken from a guest.
type Refusal string

// Why files are not taken from guests.
const (
	RefusedEmpty Refusal = "empty"
	RefusedSize  Refusal = "size"  // it is larger than a file may be
	RefusedFiles Refusal = "files" // there are as many as there may be
	RefusedTotal Refusal = "total" // together they would be larger than they may be
	RefusedKind  Refusal = "kind"  // the share does not take such files
)

// Values lists why files are not taken from guests.
func (Refusal) Values() []Refusal {
	return []Refusal{RefusedEmpty, RefusedSize, RefusedFiles, RefusedTotal, RefusedKind}
}

// RefusedFile is the error that a file is not taken from a guest.
type RefusedFile struct {
	Why   Refusal
	Limit int64 // of RefusedSize, RefusedFiles and RefusedTotal
}

func (r *RefusedFile) Error() string { return fmt.Sprintf("refused: %s %d", r.Why, r.Limit) }

// Takes returns why a share does not take a file of a size besides what it has; nil if it
// does. The name tells as much as a name can.
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

// TakesKind reports whether a share takes files of a category, and with one of some
// extensions. A category that is not known is taken.
func (u *ShareUpload) TakesKind(category FileCategory, extensions ...string) bool {
	if len(u.Categories) > 0 && category != "" && !slices.Contains(u.Categories, category) {
		return false
	}
	return len(u.Extensions) == 0 || slices.ContainsFunc(extensions, func(e string) bool { return slices.Contains(u.Extensions, e) })
}

// applyUpload is Apply for what guests may hand in: what is left out has a default.
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

// checkUpload reports what is wrong with a share through which guests hand files in. It
// shows nothing, so that it has no limits on that.
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
