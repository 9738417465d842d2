package web

import (
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
	"io"

	"github.com/danielgtaylor/huma/v2"

	"github.com/digital-asset-library/dal/app/asset"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/render"
)

// AssetVersion is a current or former file of an asset.
type AssetVersion struct {
	Version    int64        `json:"version" minimum:"1" doc:"Version number, starting at 1 and incremented with each new file." example:"2"`
	IsCurrent  bool         `json:"is_current" doc:"Whether this is the current file of the asset." example:"false"`
	Filename   string       `json:"filename" example:"IMG_1234.jpg"`
	MIMEType   string       `json:"mime_type" example:"image/jpeg"`
	FileSize   int64        `json:"file_size" doc:"File size in bytes." example:"4194304"`
	Checksum   string       `json:"checksum_sha256" example:"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"`
	Width      *int64       `json:"width" doc:"Width in pixels, as displayed." example:"6000"`
	Height     *int64       `json:"height" doc:"Height in pixels, as displayed." example:"4000"`
	Duration   *float64     `json:"duration" doc:"Duration of audio and video, in seconds."`
	PageCount  *int64       `json:"page_count" doc:"Number of pages of a document or multi-page picture."`
	ThumbHash  *string      `json:"thumbhash" doc:"Placeholder in base64, as in the asset." example:"1QcSHQRnh493V4dIh4eXh1h4kJUI"`
	URLs       assetURLs    `json:"urls" doc:"URLs of the files. Downloading them requires assets:download."`
	CreatedAt  Time         `json:"created_at"`
	CreatedBy  Null[Person] `json:"created_by"`
	ReplacedAt NullTime     `json:"replaced_at" doc:"When the version was replaced; null for the current one."`
	ExpiresAt  NullTime     `json:"expires_at" doc:"When the version is permanently deleted; null for the current one."`
}

func toVersion(base string) func(asset.Version) AssetVersion {
	return func(v asset.Version) AssetVersion {
		download := fmt.Sprintf("%s%s/assets/%s/versions/%d/download", base, apiRoot, v.Asset.GAID, v.Number)
		shown := *v.Asset
		shown.FileVersion, shown.HasProxy = 1, false // their URLs never change
		a := AssetVersion{
			Version: v.Number, IsCurrent: v.ReplacedAt == nil, Filename: v.Filename, MIMEType: v.MIMEType, FileSize: v.Size, Checksum: v.SHA256,
			Width: number(v.Width), Height: number(v.Height), PageCount: number(v.PageCount), URLs: urlsOf(download, &shown),
			CreatedAt: Time{v.CreatedAt}, CreatedBy: null(v.CreatedBy, func(u *dam.User) Person { return Person{u.ID, u.Name} }),
			ReplacedAt: NullTime{v.ReplacedAt}, ExpiresAt: NullTime{v.ExpiresAt},
		}
		if v.DurationMS != 0 {
			a.Duration = ptr(float64(v.DurationMS) / 1000)
		}
		if len(shown.ThumbHash) > 0 {
			a.ThumbHash = ptr(base64.StdEncoding.EncodeToString(shown.ThumbHash))
		}
		return a
	}
}

type (
	versionsInput struct {
		GAIDInput
		PageInput
	}
	// VersionInput names a version in the path.
	VersionInput struct {
		GAIDInput
		Version int64 `path:"version" doc:"Version number." example:"2"`
	}
	downloadVersionInput struct {
		VersionInput
		FileInput
		Rendition dam.Rendition `query:"rendition" doc:"Picture to send instead of the original; not proxy." example:"preview"`
	}
	changeVersionInput struct {
		VersionInput
		ConditionInput
	}
	// newVersionInput has no body for huma to read: the handler streams it.
	newVersionInput struct {
		GAIDInput
		ConditionInput
		TusBodyInput
		Tus      string `header:"Tus-Resumable" maxLength:"16" doc:"Protocol version; creates a resumable upload instead." example:"1.0.0"`
		Length   int64  `header:"Upload-Length" minimum:"0" doc:"With Tus-Resumable: size of the whole file in bytes." example:"2147483648"`
		Metadata string `header:"Upload-Metadata" maxLength:"8192" example:"filename SU1HXzEyMzQuanBn,filetype aW1hZ2UvanBlZw=="`
	}
	newVersionOutput struct {
		TusState
		Location string `header:"Location" doc:"URL of its state, or the upload." example:"http://localhost:8080/api/v1/assets/01KB/uploads/17"`
		Body     struct {
			Data Null[BatchFile] `json:"data" doc:"Uploaded file; null for a resumable upload."`
		} `nameHint:"VersionUpload"`
	}
	assetUploadInput struct {
		GAIDInput
		File int64 `path:"file" doc:"The file's id." example:"17"`
	}
)

func (s *Server) versionRoutes() {
	versions := group{tag: "Assets", path: "/assets/{gaid}/versions"}
	register(s, versions.route("listAssetVersions", "GET", "", "List the versions of an asset", dam.AssetsRead), s.listVersions)
	form := &huma.Schema{Type: "object", AdditionalProperties: false, Required: []string{"file"},
		Properties: map[string]*huma.Schema{"file": {Type: "string", Format: "binary"}}}
	upload := versions.route("createAssetVersion", "POST", "", "Upload a new version of an asset", dam.AssetsWrite).creating().
		failing(409, 410, 423, 460)
	upload.body = &huma.RequestBody{Content: map[string]*huma.MediaType{"multipart/form-data": {Schema: form}, tusContent: {Schema: binary}}}
	register(s, upload, s.createVersion)
	fetch := versions.route("downloadAssetVersion", "GET", "/{version}/download", "Download a version of an asset", dam.AssetsDownload).
		failing(409, 412, 416)
	fetch.responses = assetFileResponses("IMG_1234.jpg", map[string]*huma.MediaType{
		"application/octet-stream": {Schema: binary}, "application/pdf": {Schema: binary}, "image/*": {}, "video/*": {}, "audio/*": {},
		"application/*": {}, "text/*": {},
	})
	register(s, fetch, s.downloadVersion)
	register(s, versions.route("restoreAssetVersion", "POST", "/{version}/restore", "Restore a version of an asset", dam.AssetsWrite).
		failing(409), s.restoreVersion)
	register(s, versions.route("deleteAssetVersion", "DELETE", "/{version}", "Delete an earlier version of an asset", dam.AssetsDelete).
		failing(409), s.deleteVersion)
	state := group{tag: "Assets", path: "/assets/{gaid}/uploads"}
	register(s, state.route("showAssetUpload", "GET", "/{file}", "Show the progress of a new version", dam.AssetsWrite), s.showVersionUpload)
}

func (s *Server) listVersions(ctx context.Context, in *versionsInput) (*listOutput[AssetVersion], error) {
	return pageAnswer(ctx, &in.PageInput, toVersion(requestOf(ctx).base))(
		s.app.Assets.Versions(ctx, requestOf(ctx).actor, in.GAID, in.page()))
}

func (s *Server) createVersion(ctx context.Context, in *newVersionInput) (*newVersionOutput, error) {
	if in.Tus != "" {
		return s.beginVersion(ctx, in)
	}
	r := requestOf(ctx)
	parts, err := multipartReader(r)
	if err != nil {
		return nil, err
	}
	u, err := s.app.Uploads.NewVersion(ctx, r.actor, in.GAID, assetCheck(ctx))
	if err != nil {
		return nil, err
	}
	defer u.Discard()
	for {
		p, err := parts.NextRawPart()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, bodyError(&readError{err}, cutOff)
		}
		if name := p.FormName(); name != "file" {
			return nil, dam.InvalidField(cmp.Or(name, "file"), "There is no field %q; the file belongs in a part named file.", name)
		}
		if err := u.Add(ctx, partFilename(p), p); err != nil {
			return nil, bodyError(err, cutOff)
		}
	}
	_, _ = io.CopyN(io.Discard, r.body, strayBody) // any data after the last part
	if err := s.app.Uploads.CheckVersion(ctx, u, in.GAID); err != nil {
		return nil, err
	}
	files, err := u.Commit(ctx)
	if err != nil {
		return nil, err
	}
	out := &newVersionOutput{Location: fmt.Sprintf("%s%s/assets/%s/uploads/%d", r.base, apiRoot, in.GAID, files[0].ID)}
	out.Body.Data = null(files[0], toBatchFile)
	return out, nil
}

// beginVersion starts a resumable upload of a new version.
func (s *Server) beginVersion(ctx context.Context, in *newVersionInput) (*newVersionOutput, error) {
	u, chunk, err := newTus(ctx, &createTusInput{TusInput: TusInput{Version: in.Tus}, TusBodyInput: in.TusBodyInput,
		Length: in.Length, Metadata: in.Metadata})
	if err != nil {
		return nil, err
	}
	if err := s.app.Uploads.CreateVersionUpload(ctx, requestOf(ctx).actor, in.GAID, assetCheck(ctx), u); err != nil {
		return nil, err
	}
	out, err := s.beginTus(ctx, u, chunk)
	if err != nil {
		return nil, err
	}
	return &newVersionOutput{TusState: out.TusState, Location: out.Location}, nil
}

func (s *Server) showVersionUpload(ctx context.Context, in *assetUploadInput) (*oneOutput[BatchFile], error) {
	return answer(toBatchFile)(s.app.Uploads.VersionUpload(ctx, requestOf(ctx).actor, in.GAID, in.File))
}

func (s *Server) downloadVersion(ctx context.Context, in *downloadVersionInput) (*streamOutput, error) {
	f, err := s.app.Assets.OpenVersion(ctx, requestOf(ctx).actor, in.GAID, in.Version, render.FileWish{Rendition: in.Rendition})
	if err != nil {
		return nil, err
	}
	return sendFile(ctx, f, in.Inline && f.Showable), nil
}

func (s *Server) restoreVersion(ctx context.Context, in *changeVersionInput) (*assetOutput, error) {
	d, err := s.app.Uploads.RestoreVersion(ctx, requestOf(ctx).actor, in.GAID, in.Version, assetCheck(ctx))
	if err != nil {
		return nil, err
	}
	return assetAnswer(ctx, d), nil
}

func (s *Server) deleteVersion(ctx context.Context, in *changeVersionInput) (*messageOutput, error) {
	return done("Version deleted.", s.app.Assets.DeleteVersion(ctx, requestOf(ctx).actor, in.GAID, in.Version, assetCheck(ctx)))
}
