package web

import (
	"context"

	"github.com/danielgtaylor/huma/v2"

	"github.com/digital-asset-library/dal/app/dam"
)

// Part is an additional file of an asset.
type Part struct {
	ID        int64        `json:"id" example:"5"`
	Role      dam.PartRole `json:"role" example:"raw"`
	Filename  string       `json:"filename" example:"IMG_1234.dng"`
	MIMEType  string       `json:"mime_type" example:"image/x-adobe-dng"`
	FileSize  int64        `json:"file_size" doc:"File size in bytes." example:"25165824"`
	Checksum  string       `json:"checksum_sha256" example:"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"`
	CreatedAt Time         `json:"created_at"`
}

func toPart(p *dam.Part) Part {
	return Part{ID: p.ID, Role: p.Role, Filename: p.Filename, MIMEType: p.MIMEType, FileSize: p.Size, Checksum: p.SHA256,
		CreatedAt: Time{p.CreatedAt}}
}

type (
	// PartInput names a part of an asset in the path.
	PartInput struct {
		GAIDInput
		Part int64 `path:"part" doc:"The part's id." example:"5"`
	}
	downloadPartInput struct {
		PartInput
		FileInput
	}
	changePartInput struct {
		PartInput
		ConditionInput
	}
)

func (s *Server) partRoutes() {
	parts := group{tag: "Assets", path: "/assets/{gaid}/parts/{part}"}
	fetch := parts.route("downloadAssetPart", "GET", "/download", "Download a part of an asset", dam.AssetsDownload).failing(409, 412, 416)
	fetch.responses = assetFileResponses("IMG_1234.dng", map[string]*huma.MediaType{
		"application/octet-stream": {Schema: binary}, "image/*": {}, "video/*": {}, "application/*": {}, "text/*": {},
	})
	register(s, fetch, s.downloadPart)
	register(s, parts.route("detachAssetPart", "POST", "/detach", "Turn a part into an asset", dam.AssetsWrite).creating().failing(409),
		s.detachPart)
	register(s, parts.route("deleteAssetPart", "DELETE", "", "Delete a part of an asset", dam.AssetsDelete).failing(409), s.deletePart)
}

func (s *Server) downloadPart(ctx context.Context, in *downloadPartInput) (*streamOutput, error) {
	f, err := s.app.Uploads.OpenPart(ctx, requestOf(ctx).actor, in.GAID, in.Part)
	if err != nil {
		return nil, err
	}
	return sendFile(ctx, f, in.Inline && f.Showable), nil
}

func (s *Server) deletePart(ctx context.Context, in *changePartInput) (*assetOutput, error) {
	d, err := s.app.Uploads.DeletePart(ctx, requestOf(ctx).actor, in.GAID, in.Part, assetCheck(ctx))
	if err != nil {
		return nil, err
	}
	return assetAnswer(ctx, d), nil
}

func (s *Server) detachPart(ctx context.Context, in *changePartInput) (*created[Asset], error) {
	d, err := s.app.Uploads.DetachPart(ctx, requestOf(ctx).actor, in.GAID, in.Part, assetCheck(ctx))
	if err != nil {
		return nil, err
	}
	return made(ctx, "/assets/"+string(d.GAID), toAsset(viewOf(ctx), d)), nil
}
