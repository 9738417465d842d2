package web

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/digital-asset-library/dal/app/dam"
)

// uploadInput has no body for huma to read: the handler streams it.
type uploadInput struct{ BatchInput }

type uploadOutput struct {
	Location string `header:"Location" doc:"URL of the files of the batch." example:"http://localhost:8080/api/v1/upload-batches/3/files"`
	Body     struct {
		Data []BatchFile `json:"data" doc:"Uploaded files, in the order of the parts."`
	} `nameHint:"UploadedFiles"`
}

func (s *Server) uploadRoutes() {
	file := &huma.Schema{Type: "string", Format: "binary"}
	form := &huma.Schema{Type: "object", AdditionalProperties: false, Description: "At least one part named file or files[].",
		Properties: map[string]*huma.Schema{"file": file, "files[]": {Type: "array", Items: file}}}
	upload := group{tag: "Uploads", path: "/upload-batches"}.route("uploadFiles", "POST", "/{batch}/files",
		"Upload files to a batch", dam.UploadsManage).creating().failing(409)
	upload.body = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{"multipart/form-data": {Schema: form}}}
	register(s, upload, s.upload)
}

// cutOff is the message for an incomplete form.
const cutOff = "The multipart body is cut off or malformed. None of it was kept."

func (s *Server) upload(ctx context.Context, in *uploadInput) (*uploadOutput, error) {
	r := requestOf(ctx)
	parts, err := multipartReader(r)
	if err != nil {
		return nil, err
	}
	u, err := s.app.Uploads.NewUpload(ctx, r.actor, in.Batch)
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
		if name := p.FormName(); name != "file" && name != "files[]" {
			return nil, dam.InvalidField(cmp.Or(name, "file"), "There is no field %q; files belong in parts named file or files[].", name)
		}
		if err := u.Add(ctx, partFilename(p), p); err != nil {
			return nil, bodyError(err, cutOff)
		}
	}
	_, _ = io.CopyN(io.Discard, r.body, strayBody) // any data after the last part
	files, err := u.Commit(ctx)
	if err != nil {
		return nil, err
	}
	out := &uploadOutput{Location: fmt.Sprintf("%s%s/upload-batches/%d/files", r.base, apiRoot, in.Batch)}
	out.Body.Data = mapped(files, toBatchFile)
	return out, nil
}

// multipartReader returns a reader for the parts of the request's body; it fails if the
// client stops sending.
func multipartReader(r *request) (*multipart.Reader, error) { return partsOf(r, r.body) }

// partsOf is multipartReader for a reader that wraps the request's body.
func partsOf(r *request, body io.Reader) (*multipart.Reader, error) {
	kind, params, err := mime.ParseMediaType(r.raw.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/form-data" {
		return nil, &apiError{status: http.StatusUnsupportedMediaType, Message: "The request body must be multipart/form-data."}
	}
	if b := params["boundary"]; b == "" || len(b) > 70 { // RFC 2046 section 5.1.1
		return nil, dam.Errorf(dam.Malformed, "The multipart body has no usable boundary.")
	}
	return multipart.NewReader(body, params["boundary"]), nil
}

// partFilename returns the file name of a part as sent by the client: Part.FileName would
// remove directories according to the server's operating system.
func partFilename(p *multipart.Part) string {
	_, params, err := mime.ParseMediaType(p.Header.Get("Content-Disposition"))
	if err != nil {
		return ""
	}
	return params["filename"]
}
