package web

import (
	"context"

	"github.com/digital-asset-library/dal/app/dam"
)

// ShareUpload configures guest uploads.
type ShareUpload struct {
	MaxFiles     int    `json:"max_files,omitempty" minimum:"1" maximum:"10000" default:"100" example:"50"`
	MaxFileSize  *int64 `json:"max_file_size" required:"false" minimum:"1" maximum:"10995116277760" example:"26214400"`
	MaxTotalSize int64  `json:"max_total_size,omitempty" minimum:"1" maximum:"10995116277760" default:"10737418240" example:"1073741824"`

	Categories []dam.FileCategory `json:"categories" required:"false" maxItems:"10" example:"[\"Image\"]"`
	Extensions []string           `json:"extensions" required:"false" maxItems:"100" example:"[\"jpg\",\"png\"]"`
}

func (u ShareUpload) dam() dam.ShareUpload {
	return dam.ShareUpload{MaxFiles: u.MaxFiles, MaxFileSize: value(u.MaxFileSize), MaxTotalSize: u.MaxTotalSize,
		Categories: u.Categories, Extensions: u.Extensions}
}

func toShareUpload(u *dam.ShareUpload) ShareUpload {
	return ShareUpload{u.MaxFiles, number(u.MaxFileSize), u.MaxTotalSize, orEmpty(u.Categories), orEmpty(u.Extensions)}
}

// HandedIn counts the guest uploads of a share.
type HandedIn struct {
	Files int   `json:"files" minimum:"0" example:"12"`
	Bytes int64 `json:"bytes" minimum:"0" example:"50331648"`
}

func handedIn(s *dam.Share) Null[HandedIn] {
	if s.Type != dam.ShareHandIn {
		return Null[HandedIn]{}
	}
	return Null[HandedIn]{&HandedIn{s.HandedIn.Files, s.HandedIn.Bytes}}
}

// ShareFile is a guest upload.
type ShareFile struct {
	ID            int64           `json:"id" example:"17"`
	BatchID       int64           `json:"batch_id" example:"3"`
	VisitID       int64           `json:"visit_id" example:"5"`
	Filename      string          `json:"filename" example:"IMG_1234.jpg"`
	Size          int64           `json:"size" doc:"Number of bytes received." example:"4194304"`
	Status        dam.FileStatus  `json:"status" example:"ready"`
	Error         Null[FileError] `json:"error" doc:"Why the file failed, or what it is waiting for; null if neither."`
	Warning       *string         `json:"warning" doc:"Problem with the created asset, such as a missing preview; null if there is none."`
	GAID          *dam.GAID       `json:"gaid" example:"01KB3J8Q5V7X9Z1B3D5F7H9K1M"`
	Email         *string         `json:"email" example:"bo@example.com"`
	EmailVerified bool            `json:"email_verified" example:"false"`
	CreatedAt     Time            `json:"created_at" doc:"When the file was uploaded."`
}

func toShareFile(f *dam.ShareFile) ShareFile {
	b := toBatchFile(f.BatchFile)
	return ShareFile{ID: b.ID, BatchID: f.BatchID, VisitID: f.VisitID, Filename: b.Filename, Size: b.Size, Status: b.Status,
		Error: b.Error, Warning: b.Warning, GAID: b.GAID, Email: text(f.Email), CreatedAt: b.CreatedAt}
}

func (s *Server) listShareFiles(ctx context.Context, in *shareLogsInput) (*listOutput[ShareFile], error) {
	return pageAnswer(ctx, &in.PageInput, toShareFile)(s.app.Shares.ShareFiles(ctx, requestOf(ctx).actor, in.Share, in.page()))
}
