package web

import (
	"context"
	"errors"
	"fmt"
	"mime"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/ingest"
)

// Resumable uploads with tus 1.0; the headers are defined in
// https://tus.io/protocols/resumable-upload.
type (
	// TusInput is common to all requests of resumable uploads.
	TusInput struct {
		BatchInput
		Version string `header:"Tus-Resumable" maxLength:"16" doc:"Protocol version." example:"1.0.0"`
	}
	// TusUploadInput names an upload in the path.
	TusUploadInput struct {
		TusInput
		Upload string `path:"upload" maxLength:"32" doc:"The upload's id." example:"7c9e6679f3b14b0ea1d25a3b1c9d8e07"`
	}
	// TusBodyInput is common to requests with data.
	TusBodyInput struct {
		Checksum string `header:"Upload-Checksum" maxLength:"128" example:"sha256 n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg="`
	}
	createTusInput struct {
		TusInput
		TusBodyInput
		Length   int64  `header:"Upload-Length" required:"true" minimum:"0" doc:"Size of the whole file in bytes." example:"2147483648"`
		Metadata string `header:"Upload-Metadata" maxLength:"8192" example:"filename SU1HXzEyMzQuanBn,filetype aW1hZ2UvanBlZw=="`
	}
	appendTusInput struct {
		TusUploadInput
		TusBodyInput
		Offset int64 `header:"Upload-Offset" required:"true" minimum:"0" doc:"Offset of the first byte of the body." example:"67108864"`
	}

	tusOptions struct {
		Version    string `header:"Tus-Version" doc:"Supported protocol versions." example:"1.0.0"`
		MaxSize    int64  `header:"Tus-Max-Size" doc:"Maximum size of a file in bytes." example:"10737418240"`
		Extensions string `header:"Tus-Extension" doc:"Supported protocol extensions." example:"creation,termination"`
		Algorithms string `header:"Tus-Checksum-Algorithm" doc:"Supported checksum algorithms." example:"sha1,sha256"`
	}
	// TusState is the progress of an upload.
	TusState struct {
		Offset  int64  `header:"Upload-Offset" doc:"Number of bytes received." example:"67108864"`
		Expires string `header:"Upload-Expires" doc:"When it is deleted, unless it grows." example:"Sat, 31 Jan 2026 12:00:00 GMT"`
		File    string `header:"DAL-File" doc:"Id of the file in the batch, once the upload is complete." example:"17"`
	}
	tusCreated struct {
		TusState
		Location string `header:"Location" doc:"URL of the upload." example:"http://localhost:8080/api/v1/upload-batches/3/tus/7c9e66"`
	}
	tusShown struct {
		TusState
		Length   int64  `header:"Upload-Length" doc:"Size of the whole file in bytes." example:"2147483648"`
		Metadata string `header:"Upload-Metadata" doc:"Metadata, as sent." example:"filename SU1HXzEyMzQuanBn"`
		Cache    string `header:"Cache-Control" doc:"Always no-store." example:"no-store"`
	}
)

func (s *Server) tusRoutes() {
	uploads := group{tag: "Uploads", path: "/upload-batches/{batch}/tus/", abilities: []dam.Ability{dam.UploadsManage}}
	body := func(required bool) *huma.RequestBody {
		return &huma.RequestBody{Required: required, Content: map[string]*huma.MediaType{tusContent: {Schema: binary}}}
	}
	options := uploads.route("showResumableUploadOptions", "OPTIONS", "", "Show the options of resumable uploads")
	create := uploads.route("createResumableUpload", "POST", "", "Create a resumable upload").creating().failing(409, 410, 412, 423, 460)
	show := uploads.route("showResumableUpload", "HEAD", "{upload}", "Show the progress of a resumable upload").failing(412)
	more := uploads.route("appendResumableUpload", "PATCH", "{upload}", "Append bytes to a resumable upload").failing(409, 410, 412, 423, 460)
	remove := uploads.route("deleteResumableUpload", "DELETE", "{upload}", "Delete an unfinished resumable upload").failing(409, 412)
	options.status, more.status, remove.status = http.StatusNoContent, http.StatusNoContent, http.StatusNoContent
	create.body, more.body = body(false), body(true)
	register(s, options, s.tusOptions)
	register(s, create, s.createTus)
	register(s, show, s.showTus)
	register(s, more, s.appendTus)
	register(s, remove, s.deleteTus)
}

// check refuses requests with another protocol version.
func (in *TusInput) check() error {
	if in.Version == tusVersion {
		return nil
	}
	return &apiError{status: http.StatusPreconditionFailed, Message: "The Tus-Resumable header must be " + tusVersion + ".",
		headers: http.Header{"Tus-Version": {tusVersion}}}
}

func (s *Server) tusOptions(context.Context, *BatchInput) (*tusOptions, error) {
	return &tusOptions{Version: tusVersion, MaxSize: s.app.Uploads.MaxFileSize(), Extensions: tusExtensions, Algorithms: tusAlgorithms}, nil
}

func (s *Server) createTus(ctx context.Context, in *createTusInput) (*tusCreated, error) {
	u, chunk, err := newTus(ctx, in)
	if err != nil {
		return nil, err
	}
	if err := s.app.Uploads.CreateResumable(ctx, requestOf(ctx).actor, u); err != nil {
		return nil, err
	}
	return s.beginTus(ctx, u, chunk)
}

// newTus parses the request for a new upload, and returns its first chunk if it has one.
func newTus(ctx context.Context, in *createTusInput) (*dam.Resumable, *ingest.Chunk, error) {
	r := requestOf(ctx)
	if err := in.check(); err != nil {
		return nil, nil, err
	}
	for _, unknown := range []string{"Upload-Defer-Length", "Upload-Concat"} {
		if r.raw.Header.Get(unknown) != "" {
			return nil, nil, dam.Errorf(dam.Malformed, "%s is not supported.", unknown)
		}
	}
	if len(in.Metadata) > maxTusMetadata {
		return nil, nil, dam.InvalidField("Upload-Metadata", "The Upload-Metadata header may not have more than %d characters.", maxTusMetadata)
	}
	values, err := tusMetadata(in.Metadata)
	if err != nil {
		return nil, nil, err
	}
	chunk, err := tusChunk(r, 0, in.Checksum)
	if err != nil {
		return nil, nil, err
	}
	u := &dam.Resumable{BatchID: in.Batch, Filename: values["filename"], Metadata: in.Metadata, Size: in.Length}
	if chunk != nil && chunk.Size > u.Size {
		return nil, nil, dam.Errorf(dam.TooLarge, "The request has more bytes than Upload-Length says.")
	}
	return u, chunk, nil
}

// beginTus answers with a new upload, and stores its first chunk.
func (s *Server) beginTus(ctx context.Context, u *dam.Resumable, chunk *ingest.Chunk) (_ *tusCreated, err error) {
	r := requestOf(ctx)
	at := fmt.Sprintf("%s%s/upload-batches/%d/tus/%s", r.base, apiRoot, u.BatchID, u.ID)
	r.w.Header().Set("Location", at) // even if storing the first chunk fails
	if chunk != nil && u.Size > 0 {
		if u, err = s.app.Uploads.Append(ctx, r.actor, u.BatchID, u.ID, *chunk); err != nil {
			return nil, tusError(err, chunk)
		}
	}
	return &tusCreated{TusState: s.tusState(u), Location: at}, nil
}

func (s *Server) showTus(ctx context.Context, in *TusUploadInput) (*tusShown, error) {
	if err := in.check(); err != nil {
		return nil, err
	}
	u, err := s.app.Uploads.Resumable(ctx, requestOf(ctx).actor, in.Batch, in.Upload)
	if err != nil {
		return nil, err
	}
	return &tusShown{TusState: s.tusState(u), Length: u.Size, Metadata: u.Metadata, Cache: "no-store"}, nil
}

func (s *Server) appendTus(ctx context.Context, in *appendTusInput) (*TusState, error) {
	r := requestOf(ctx)
	if err := in.check(); err != nil {
		return nil, err
	}
	chunk, err := tusChunk(r, in.Offset, in.Checksum)
	if err != nil {
		return nil, err
	}
	if chunk == nil {
		return nil, &apiError{status: http.StatusUnsupportedMediaType, Message: "The request body must be " + tusContent + "."}
	}
	u, err := s.app.Uploads.Append(ctx, r.actor, in.Batch, in.Upload, *chunk)
	if err != nil {
		return nil, tusError(err, chunk)
	}
	return ptr(s.tusState(u)), nil
}

func (s *Server) deleteTus(ctx context.Context, in *TusUploadInput) (*struct{}, error) {
	if err := in.check(); err != nil {
		return nil, err
	}
	return nil, s.app.Uploads.DeleteResumable(ctx, requestOf(ctx).actor, in.Batch, in.Upload)
}

// tusChunk returns the chunk in the body of a request; nil if the body has another type.
func tusChunk(r *request, offset int64, checksum string) (*ingest.Chunk, error) {
	sum, want, err := tusChecksum(checksum)
	if err != nil {
		return nil, err
	}
	if kind, _, err := mime.ParseMediaType(r.raw.Header.Get("Content-Type")); err != nil || kind != tusContent {
		return nil, nil
	}
	return &ingest.Chunk{Offset: offset, Size: r.raw.ContentLength, Body: r.body, Stop: r.body.stop, Sum: sum, Want: want}, nil
}

func (s *Server) tusState(u *dam.Resumable) TusState {
	if u.Complete() {
		return TusState{Offset: u.Received, File: itoa(u.FileID)}
	}
	return TusState{Offset: u.Received, Expires: s.app.Uploads.Expiry(u).UTC().Format(http.TimeFormat)}
}

// tusError converts the error of storing a chunk for the client.
func tusError(err error, c *ingest.Chunk) error {
	if errors.Is(err, ingest.ErrChecksum) {
		return &apiError{status: statusChecksum, Message: checksumText}
	}
	if c.Sum != nil {
		return bodyError(err, "The request body is cut off. None of it was kept.")
	}
	return bodyError(err, "The request body is cut off. What came of it was kept.")
}

// The protocol's answer to a checksum mismatch.
const (
	statusChecksum = 460
	checksumText   = "The bytes do not match Upload-Checksum. Send them again."
)
