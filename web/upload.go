package web

import (
	"context"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"os"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/digital-asset-library/dal/app/dam"
)

// uploadInput has no body for huma to read: the handler streams it.
type uploadInput struct{ BatchInput }

type uploadOutput struct {
	Body struct {
		Data []BatchFile `json:"data" doc:"One entry for each file, in the order of the parts."`
	} `nameHint:"UploadedFiles"`
}

// uploadStall is how long an upload may go without a byte.
const uploadStall = time.Minute

func (s *Server) uploadRoutes() {
	binary := &huma.Schema{Type: "string", Format: "binary"}
	register(s, operation{id: "uploadFiles", method: "POST", path: "/upload-batches/{batch}/files", tag: "Uploads", summary: "Push files into an upload batch",
		abilities: []dam.Ability{dam.UploadsManage}, status: http.StatusCreated, errors: []int{408, 409},
		doc: "A multipart form with any number of parts named file or files[]. The files are streamed to the disk. Into a batch that puts them in collections it needs collections:write too, into one that gives them metadata metadata:write. The answer comes when they would survive a loss of power: all of them, or none.",
		body: &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{"multipart/form-data": {Schema: &huma.Schema{
			Type: "object", Properties: map[string]*huma.Schema{"file": binary, "files[]": {Type: "array", Items: binary}},
			Description: "At least one part named file or files[]."}}}},
	}.huma(), s.upload)
}

func (s *Server) upload(ctx context.Context, in *uploadInput) (*uploadOutput, error) {
	r := requestOf(ctx)
	parts, err := multipartReader(r)
	if err != nil {
		return nil, err
	}
	u, err := s.app.NewUpload(ctx, r.actor, in.Batch)
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
			return nil, bodyError(&readError{err})
		}
		if name := p.FormName(); name != "file" && name != "files[]" {
			return nil, dam.InvalidField(or(name, "file"), "There is no field %q; files go in parts named file or files[].", name)
		}
		if err := u.Add(ctx, partFilename(p), p); err != nil {
			return nil, bodyError(err)
		}
	}
	files, err := u.Commit(ctx)
	if err != nil {
		return nil, err
	}
	out := &uploadOutput{}
	out.Body.Data = mapped(files, toBatchFile)
	return out, nil
}

// multipartReader reads the parts of the request's body, for as long as the
// client keeps sending.
func multipartReader(r *request) (*multipart.Reader, error) {
	kind, params, err := mime.ParseMediaType(r.raw.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/form-data" {
		return nil, &apiError{status: http.StatusUnsupportedMediaType, Message: "The request body must be multipart/form-data."}
	}
	if b := params["boundary"]; b == "" || len(b) > 70 { // RFC 2046 section 5.1.1
		return nil, dam.Errorf(dam.Malformed, "The multipart body has no usable boundary.")
	}
	body := &liveReader{r: r.raw.Body, control: http.NewResponseController(r.w)}
	return multipart.NewReader(body, params["boundary"]), nil
}

// liveReader moves the connection's read deadline on with each read.
type liveReader struct {
	r       io.Reader
	control *http.ResponseController
}

func (l *liveReader) Read(p []byte) (int, error) {
	// A connection without deadlines, such as a test's recorder, has none to move.
	if err := l.control.SetReadDeadline(time.Now().Add(uploadStall)); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return 0, err
	}
	n, err := l.r.Read(p)
	if err != nil && err != io.EOF {
		err = &readError{err}
	}
	return n, err
}

// readError is a failure to read the request, as against one to store it.
type readError struct{ err error }

func (e *readError) Error() string { return e.err.Error() }
func (e *readError) Unwrap() error { return e.err }

// bodyError tells a client whose body broke off, or makes no sense, so.
func bodyError(err error) error {
	_, reading := errors.AsType[*readError](err)
	switch {
	case reading && errors.Is(err, os.ErrDeadlineExceeded):
		return &apiError{status: http.StatusRequestTimeout, Message: "The request body did not arrive in time."}
	case reading, errors.Is(err, io.ErrUnexpectedEOF):
		return &dam.Error{Kind: dam.Malformed, Msg: "The multipart body is cut off or malformed. Nothing of it was kept.", Err: err}
	}
	return err
}

// partFilename returns the name that the client gave a part, as it gave it:
// Part.FileName would drop directories the way of this server's system.
func partFilename(p *multipart.Part) string {
	_, params, err := mime.ParseMediaType(p.Header.Get("Content-Disposition"))
	if err != nil {
		return ""
	}
	return params["filename"]
}

func or(s, other string) string {
	if s == "" {
		return other
	}
	return s
}
