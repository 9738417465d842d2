package web

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/render"
)

type downloadInput struct {
	GAIDInput
	FileInput
	Rendition dam.Rendition `query:"rendition" example:"preview"`
	Preset    string        `query:"preset" maxLength:"50" example:"web"`
	Page      int           `query:"page" minimum:"1" maximum:"100000" doc:"Page number for the rendition page, starting at 1." example:"1"`
	Metadata  bool          `query:"embed_metadata" example:"true"`
	Version   int           `query:"v" minimum:"1" example:"2"`
}

// FileInput are the range and the preconditions of a download.
type FileInput struct {
	Inline      bool   `query:"inline" example:"true"`
	Range       string `header:"Range" doc:"Byte ranges to send." example:"bytes=0-1023"`
	IfNoneMatch string `header:"If-None-Match" doc:"Respond with 304 if the file still has this ETag."`
	IfRange     string `header:"If-Range" doc:"Send the range only if the file still has this ETag."`
}

// streamOutput is an answer written by the handler.
type streamOutput struct {
	Body func(huma.Context)
}

// fileCSP keeps a user's file from running scripts, wherever it is opened.
const fileCSP = "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'self'"

func (s *Server) downloadRoutes() {
	fetch := group{tag: "Assets", path: "/assets"}.route("downloadAsset", "GET", "/{gaid}/download", "Download an asset's file",
		dam.AssetsDownload).failing(409, 412, 416)
	fetch.responses = assetFileResponses("IMG_1234.jpg", map[string]*huma.MediaType{
		"application/octet-stream": {Schema: binary}, "application/pdf": {Schema: binary}, "image/*": {}, "video/*": {}, "audio/*": {},
		"application/*": {}, "text/*": {},
	})
	register(s, fetch, s.download)
	page := group{tag: "Assets", path: "/assets"}.route("showAssetPage", "GET", "/{gaid}/pages/{page}", "Show the text of a page",
		dam.AssetsRead).failing(409)
	register(s, page, s.showPage)
}

func (s *Server) download(ctx context.Context, in *downloadInput) (*streamOutput, error) {
	f, err := s.app.Assets.Open(ctx, requestOf(ctx).actor, in.GAID, render.FileWish{
		Rendition: in.Rendition, Preset: in.Preset, Page: in.Page, Metadata: in.Metadata,
	})
	if err != nil {
		return nil, err
	}
	out := sendFile(ctx, f, in.Inline && f.Showable)
	if in.Inline || in.Rendition != "" || isShown(requestOf(ctx).raw) {
		return out, nil
	}
	return &streamOutput{func(c huma.Context) {
		out.Body(c)
		if requestOf(ctx).gotAll() {
			s.app.Analytics.Downloaded(ctx, in.GAID)
		}
	}}, nil
}

// isShown reports whether a browser fetches a file to display it in a page.
func isShown(r *http.Request) bool {
	switch r.Header.Get("Sec-Fetch-Dest") {
	case "image", "video", "audio", "track", "object", "embed":
		return true
	}
	return strings.HasPrefix(r.Header.Get("Accept"), "image/")
}

// sendFile sends a file and closes it.
func sendFile(ctx context.Context, f *render.File, inline bool) *streamOutput {
	return &streamOutput{func(huma.Context) {
		defer f.Content.Close()
		r := requestOf(ctx)
		h := r.w.Header()
		h.Set("Content-Type", f.MIMEType)
		h.Set("Content-Disposition", disposition(f.Name, inline))
		h.Set("Content-Security-Policy", fileCSP)
		h.Set("ETag", f.ETag)
		if warning := usageWarning(f.Usage); warning != "" {
			h.Set(usageHeader, warning)
		}
		h.Set("Cache-Control", "private, max-age=0, must-revalidate")
		serveContent(r.w, r.raw, f.ModTime, f.Content)
	}}
}

// usageHeader is the header of a download whose asset is outside its usage period: an item
// of RFC 9651.
const usageHeader = "DAL-Usage"

// usageWarning explains why an asset may not be used now; it returns "" if it may.
func usageWarning(u dam.Usage) string {
	at := func(t time.Time) string { return t.UTC().Format(timeLayout) }
	switch u.State {
	case dam.UsageUpcoming:
		return fmt.Sprintf(`upcoming; from="%s"`, at(*u.From))
	case dam.UsageExpired:
		return fmt.Sprintf(`expired; until="%s"`, at(*u.Until))
	}
	return ""
}

// binary is the schema of a file's bytes.
var binary = &huma.Schema{Type: "string", Format: "binary"}

// assetFileResponses is fileResponses for a file of an asset.
func assetFileResponses(name string, content map[string]*huma.MediaType) map[string]*huma.Response {
	responses := fileResponses(name, content)
	for _, status := range []string{"200", "206"} {
		responses[status].Headers[usageHeader] = header("Only for assets outside their licence period: the usage state, and its start or end.",
			"string", `expired; until="2026-12-31T23:59:59.999Z"`)
	}
	return responses
}

// fileResponses returns the success answers of a download; content lists the media types of
// the whole file.
func fileResponses(name string, content map[string]*huma.MediaType) map[string]*huma.Response {
	headers := func() map[string]*huma.Header { // a new map for each answer, to be extended
		return map[string]*huma.Header{
			"ETag":                header("Entity tag of the file, which changes with its bytes.", "string", `"9f86d081884c7d65"`),
			"Content-Disposition": header("Name of the file.", "string", `attachment; filename="`+name+`"`),
			"Accept-Ranges":       header("Always bytes: byte ranges are supported.", "string", "bytes"),
		}
	}
	parts := maps.Clone(content)
	parts["multipart/byteranges"] = &huma.MediaType{} // for several ranges
	return map[string]*huma.Response{
		"200": {Description: "The file.", Content: content, Headers: headers()},
		"206": {Description: "The requested ranges of the file.", Content: parts, Headers: headers()},
		"304": {Description: "The file has not changed."},
	}
}
