package web

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"math"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/digital-asset-library/dal/app/account"
	"github.com/digital-asset-library/dal/app/dam"
)

// status returns the HTTP status for a kind of error.
func status(k dam.Kind) int {
	switch k {
	case dam.Malformed:
		return http.StatusBadRequest
	case dam.Invalid:
		return http.StatusUnprocessableEntity
	case dam.Unauthenticated:
		return http.StatusUnauthorized
	case dam.Denied:
		return http.StatusForbidden
	case dam.NotFound:
		return http.StatusNotFound
	case dam.Gone:
		return http.StatusGone
	case dam.Conflict:
		return http.StatusConflict
	case dam.Locked:
		return http.StatusLocked
	case dam.Stale:
		return http.StatusPreconditionFailed
	case dam.TooLarge:
		return http.StatusRequestEntityTooLarge
	case dam.TooMany:
		return http.StatusTooManyRequests
	case dam.NoSpace:
		return http.StatusInsufficientStorage
	case dam.Unavailable:
		return http.StatusServiceUnavailable
	}
	return http.StatusInternalServerError
}

// apiError is the body of every error answer, in Laravel's format:
// https://laravel.com/docs/validation#validation-error-response-format
type apiError struct {
	status  int
	headers http.Header

	Message           string              `json:"message"`
	Errors            map[string][]string `json:"errors,omitempty"`
	RequiredAbilities *[]dam.Ability      `json:"required_abilities,omitempty"`
	Code              dam.ErrorCode       `json:"code"`
}

// coded returns e with the code of its status, unless it already has a more specific one.
func (e *apiError) coded() *apiError {
	e.Code = cmp.Or(e.Code, codeOf(e.status))
	return e
}

// codeOf returns the error code for a status.
func codeOf(status int) dam.ErrorCode {
	switch status {
	case http.StatusBadRequest:
		return dam.ErrorMalformed
	case http.StatusUnauthorized:
		return dam.ErrorUnauthenticated
	case http.StatusForbidden:
		return dam.ErrorForbidden
	case http.StatusNotFound:
		return dam.ErrorNotFound
	case http.StatusMethodNotAllowed:
		return dam.ErrorMethodNotAllowed
	case http.StatusNotAcceptable:
		return dam.ErrorNotAcceptable
	case http.StatusRequestTimeout:
		return dam.ErrorTimeout
	case http.StatusConflict:
		return dam.ErrorConflict
	case http.StatusGone:
		return dam.ErrorGone
	case http.StatusPreconditionFailed:
		return dam.ErrorStale
	case http.StatusRequestEntityTooLarge:
		return dam.ErrorRequestTooLarge
	case http.StatusUnsupportedMediaType:
		return dam.ErrorUnsupportedMediaType
	case http.StatusRequestedRangeNotSatisfiable:
		return dam.ErrorRangeNotSatisfiable
	case http.StatusUnprocessableEntity:
		return dam.ErrorValidationFailed
	case http.StatusLocked:
		return dam.ErrorLocked
	case http.StatusTooManyRequests:
		return dam.ErrorTooManyRequests
	case statusChecksum:
		return dam.ErrorChecksumMismatch
	case http.StatusNotImplemented:
		return dam.ErrorNotImplemented
	case http.StatusServiceUnavailable:
		return dam.ErrorUnavailable
	case http.StatusInsufficientStorage:
		return dam.ErrorInsufficientStorage
	}
	return dam.ErrorServerError
}

func (e *apiError) Error() string           { return e.Message }
func (e *apiError) GetStatus() int          { return e.status }
func (e *apiError) GetHeaders() http.Header { return e.headers }

// toAPI converts an error to the form that clients may see, and logs internal details.
func toAPI(ctx context.Context, log *slog.Logger, err error) *apiError {
	if e, ok := errors.AsType[*apiError](err); ok {
		return e.coded()
	}
	d, ok := errors.AsType[*dam.Error](err)
	if !ok || d.Kind == dam.Internal {
		if ctx.Err() != nil { // the client disconnected
			return (&apiError{status: statusClientClosedRequest, Message: "The request was cancelled."}).coded()
		}
		log.ErrorContext(ctx, "request failed", "err", err)
		return (&apiError{status: http.StatusInternalServerError, Message: "Server Error"}).coded()
	}
	e := &apiError{status: status(d.Kind), Message: d.Msg, Code: d.Code, headers: http.Header{}}
	switch d.Kind {
	case dam.Invalid:
		e.Errors = map[string][]string{}
		for _, f := range d.Fields {
			e.Errors[f.Field] = append(e.Errors[f.Field], f.Msg)
		}
	case dam.Unauthenticated:
		e.headers.Set("WWW-Authenticate", "Bearer")
	case dam.Denied:
		abilities := d.Abilities
		if abilities == nil {
			abilities = []dam.Ability{}
		}
		e.RequiredAbilities = &abilities
	case dam.Unavailable:
		e.headers.Set("Retry-After", seconds(retryTime.Seconds()))
	case dam.NoSpace:
		log.DebugContext(ctx, "the disk is full", "err", err) // the library logs it once a minute
	}
	if r, ok := errors.AsType[*account.RetryAfter](err); ok {
		e.headers.Set("Retry-After", seconds(r.Wait.Seconds()))
	}
	return e.coded()
}

// retryTime is the delay before a client should retry after a temporary failure.
const retryTime = 5 * time.Second

// statusClientClosedRequest is nginx's code for a client that disconnected. It appears only
// in the log.
const statusClientClosedRequest = 499

func seconds(s float64) string { return itoa(int64(math.Ceil(s))) }

func writeError(w http.ResponseWriter, e *apiError) {
	for k, v := range e.headers {
		w.Header()[k] = v
	}
	writeJSON(w, e.status, e.coded())
}

func writeJSON(w http.ResponseWriter, code int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.Encode(v) // the client may have disconnected
}

// configureHuma makes huma answer with apiError, describe lists as never null, and accept
// the members of a body only in the document's spelling. All of these are package variables
// of huma.
var configureHuma = sync.OnceFunc(func() {
	huma.NewError = newHumaError
	huma.NewErrorWithContext = func(ctx huma.Context, code int, msg string, errs ...error) huma.StatusError {
		return humaError(code, msg, errs, requestOf(ctx.Context()).wrong).coded()
	}
	huma.DefaultArrayNullable = false
	huma.ValidateStrictCasing = true
})

// newHumaError converts the errors that huma finds in a request to an apiError.
func newHumaError(code int, msg string, errs ...error) huma.StatusError {
	return humaError(code, msg, errs, dam.Problems{}).coded()
}

// humaError is newHumaError without setting the code. wrong contains earlier findings.
func humaError(code int, msg string, errs []error, wrong dam.Problems) *apiError {
	number, huge := "", false
	last := len(errs) - 1
	if last >= 0 && code == http.StatusBadRequest { // the body's; encoding/json does not report the location
		number, huge = strings.CutPrefix(detail(errs[last]).Message, "json: cannot unmarshal number ")
		number, _, _ = strings.Cut(number, " ")
	}
	switch {
	case code == http.StatusBadRequest && huge:
		wrong.Add("body", "The number %.40s is too large.", number)
		return toAPI(context.Background(), nil, problems(wrong, errs[:last]))
	case code == http.StatusBadRequest && last >= 0:
		return &apiError{status: code, Message: "The request body is not valid JSON."}
	case code == http.StatusBadRequest && msg == "request body is required":
		return &apiError{status: code, Message: "The request body is required."}
	case code == http.StatusUnprocessableEntity:
		return toAPI(context.Background(), nil, problems(wrong, errs))
	case code == http.StatusRequestEntityTooLarge:
		return &apiError{status: code, Message: "The request body is too large."}
	case code == http.StatusUnsupportedMediaType:
		return &apiError{status: code, Message: "The request body must be application/json."}
	case code == http.StatusRequestTimeout:
		return &apiError{status: code, Message: "The request body did not arrive in time."}
	case code >= 500:
		return &apiError{status: code, Message: "Server Error"}
	}
	return &apiError{status: code, Message: msg}
}

// problems adds the first errors of huma to p, with our messages: huma's would repeat the
// whole body in each.
func problems(p dam.Problems, errs []error) error {
	for i, err := range errs {
		if p.Full() {
			p.Skip(len(errs) - i)
			break
		}
		addProblem(&p, detail(err))
	}
	return p.Err()
}

// addProblem adds a problem that huma found, or that is phrased like one.
func addProblem(p *dam.Problems, d *huma.ErrorDetail) {
	field := fieldPath(d.Location, d.Message)
	p.Add(field, "%s", fieldMessage(field, d.Message))
}

// detail returns huma's details of an error.
func detail(err error) *huma.ErrorDetail {
	if d, ok := err.(huma.ErrorDetailer); ok {
		return d.ErrorDetail()
	}
	return &huma.ErrorDetail{Message: err.Error()}
}
