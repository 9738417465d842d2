package web

import (
	"context"
	"maps"

	"github.com/danielgtaylor/huma/v2"

	"github.com/digital-asset-library/dal/app/dam"
)

type downloadInput struct {
	GAIDInput
	Rendition   dam.Rendition `query:"rendition" doc:"A derived picture instead of the original." example:"preview"`
	Inline      bool          `query:"inline" doc:"Offer the file for showing instead of saving. Only pictures are ever shown." example:"true"`
	Range       string        `header:"Range" doc:"Bytes to send." example:"bytes=0-1023"`
	IfNoneMatch string        `header:"If-None-Match" doc:"Answer 304 when the file still has this ETag."`
	IfRange     string        `header:"If-Range" doc:"Send the range only if the file still has this ETag."`
}

// streamOutput is an answer whose handler writes it itself.
type streamOutput struct {
	Body func(huma.Context)
}

// fileCSP lets a user's file do nothing, wherever it is opened.
const fileCSP = "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'self'"

func (s *Server) downloadRoutes() {
	file := map[string]*huma.MediaType{"application/octet-stream": {Schema: &huma.Schema{Type: "string", Format: "binary"}}, "image/*": {}}
	headers := func() map[string]*huma.Header {
		return map[string]*huma.Header{
			"ETag":                header("Changes with the bytes.", "string", `"9f86d081884c7d65"`),
			"Content-Disposition": header("The file's name.", "string", `attachment; filename="IMG_1234.jpg"`),
			"Accept-Ranges":       header("Ranges are served.", "string", "bytes"),
		}
	}
	register(s, route{id: "downloadAsset", method: "GET", path: "/assets/{gaid}/download", tag: "Assets", summary: "Download an asset's file",
		abilities: []dam.Ability{dam.AssetsDownload}, errors: []int{409, 412, 416},
		doc: "The original, or a rendition of it. Ranges and conditional requests are served; HEAD answers without the bytes. 409 says that the server's copy of the file is damaged: it is not served, the asset's processing_status is damaged, and uploading the same file again heals it.",
		responses: map[string]*huma.Response{
			"200": {Description: "The file.", Content: file, Headers: headers()},
			"206": {Description: "A part of the file.", Content: withRanges(file), Headers: headers()},
			"304": {Description: "The file still has the ETag."},
		}}.huma(), s.download)
}

func (s *Server) download(ctx context.Context, in *downloadInput) (*streamOutput, error) {
	f, err := s.app.OpenFile(ctx, requestOf(ctx).actor, in.GAID, in.Rendition)
	if err != nil {
		return nil, err
	}
	return &streamOutput{func(huma.Context) {
		defer f.Content.Close()
		r := requestOf(ctx)
		h := r.w.Header()
		h.Set("Content-Type", f.MIMEType)
		h.Set("Content-Disposition", disposition(f.Name, in.Inline && showable(f.MIMEType)))
		h.Set("Content-Security-Policy", fileCSP)
		h.Set("ETag", f.ETag)
		h.Set("Cache-Control", "private, max-age=0, must-revalidate")
		serveContent(r.w, r.raw, f.ModTime, f.Content)
	}}, nil
}

// showable reports the types that a browser shows without running anything.
func showable(mimeType string) bool {
	switch mimeType {
	case "image/jpeg", "image/png", "image/gif", "image/webp", "image/bmp", "image/avif":
		return true
	}
	return false
}

// withRanges are the content types of a part of a file: its own, or that of
// several parts.
func withRanges(file map[string]*huma.MediaType) map[string]*huma.MediaType {
	parts := maps.Clone(file)
	parts["multipart/byteranges"] = &huma.MediaType{}
	return parts
}
