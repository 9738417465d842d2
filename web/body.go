package web

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/digital-asset-library/dal/app/dam"
)

// Limits for bodies that are read into memory.
const (
	defaultBody   = 1 << 20          // bytes
	publicBody    = 16 << 10         // bytes, for operations without authentication
	metadataBody  = 4 << 20          // bytes, for an asset with its metadata
	operationBody = 8 << 20          // bytes, for an operation with its selection
	bodyTime      = 30 * time.Second // per MiB that the body may have
	largeBody     = 64 << 10         // bytes; parsing of larger bodies is serialized
	strayBody     = 64 << 10         // bytes of an unneeded body that are read and discarded
)

// cutOffBody is the message for a body shorter than announced.
const cutOffBody = "The request body is cut off."

// readBody reads the body of an operation within its limits once the caller is authorized,
// and checks its shape before huma parses it.
func (s *Server) readBody(ctx huma.Context, next func(huma.Context)) {
	op, r := ctx.Operation(), requestOf(ctx.Context())
	if op.RequestBody == nil {
		if op.Method != http.MethodGet { // some clients send {}; the connection can be reused only if it is read
			if _, err := io.CopyN(io.Discard, r.body, strayBody); err != nil && !errors.Is(err, io.EOF) {
				writeError(r.w, toAPI(ctx.Context(), s.log, bodyError(err, cutOffBody)))
				return
			}
		}
		next(ctx)
		return
	}
	json := op.RequestBody.Content["application/json"]
	if json == nil { // the handler streams it
		next(ctx)
		return
	}
	r.body.within(bodyTime * time.Duration((op.MaxBodyBytes+defaultBody-1)/defaultBody))
	body, err := whole(r.raw, r.body, op.MaxBodyBytes)
	known := body
	if err == nil && isJSON(ctx.Header("Content-Type")) {
		known, err = s.checkBody(ctx.Context(), json.Schema, body)
	}
	if err != nil {
		writeError(r.w, toAPI(ctx.Context(), s.log, err))
		return
	}
	r.read = body
	next(&readContext{humaContext: ctx, body: bytes.NewReader(known)})
}

// checkBody calls checkShape, limiting how many large bodies are checked concurrently.
func (s *Server) checkBody(ctx context.Context, schema *huma.Schema, body []byte) (known []byte, err error) {
	check := func() (err error) {
		known, err = checkShape(s.api.OpenAPI().Components.Schemas, schema, body, &requestOf(ctx).wrong)
		return err
	}
	if len(body) < largeBody {
		err = check()
	} else {
		err = s.shapes.pass(ctx, check)
	}
	return known, err
}

// isJSON reports whether huma will parse a body of that type: like huma, it looks at the
// text after the first plus sign.
func isJSON(contentType string) bool {
	kind, _, _ := strings.Cut(contentType, ";")
	if _, suffix, ok := strings.Cut(kind, "+"); ok {
		kind = suffix
	}
	kind = strings.TrimSpace(kind)
	return kind == "" || kind == "json" || kind == "application/json"
}

// whole reads a body of fewer than most bytes into memory.
func whole(r *http.Request, body io.Reader, most int64) ([]byte, error) {
	tooLarge := &apiError{status: http.StatusRequestEntityTooLarge, Message: "The request body is too large."}
	if r.ContentLength >= most {
		return nil, tooLarge
	}
	b, err := io.ReadAll(io.LimitReader(body, most))
	switch {
	case err != nil:
		return nil, bodyError(err, cutOffBody)
	case int64(len(b)) == most:
		return nil, tooLarge
	}
	return b, nil
}

// readError is a failure to read the request, as opposed to storing it.
type readError struct{ err error }

func (e *readError) Error() string { return e.err.Error() }
func (e *readError) Unwrap() error { return e.err }

// bodyError converts a failure to read or parse a body to the client's error.
func bodyError(err error, msg string) error {
	_, reading := errors.AsType[*readError](err)
	switch {
	case reading && errors.Is(err, os.ErrDeadlineExceeded):
		return &apiError{status: http.StatusRequestTimeout, Message: "The request body did not arrive in time."}
	case reading, errors.Is(err, io.ErrUnexpectedEOF):
		return &dam.Error{Kind: dam.Malformed, Msg: msg, Err: err}
	}
	return err
}

type humaContext huma.Context // renamed, since huma.Context has a method Context

// readContext is a huma.Context for a request whose body has been read.
type readContext struct {
	humaContext
	body io.Reader
}

// BodyReader returns the body.
func (c *readContext) BodyReader() io.Reader { return c.body }

// SetReadDeadline does nothing: the body has been read, and a deadline would interrupt the
// handler.
func (c *readContext) SetReadDeadline(time.Time) error { return nil }

// Unwrap returns the context of the adapter.
func (c *readContext) Unwrap() huma.Context { return c.humaContext }
