package web

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"math"
	"net/http"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/app/dam"
)

// statuses maps what a caller can do about an error to HTTP's words for it.
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

// apiError is the body of every answer that is not a success, in the shape of
// Laravel's: https://laravel.com/docs/validation#validation-error-response-format
type apiError struct {
	status  int
	headers http.Header

	Message           string              `json:"message"`
	Errors            map[string][]string `json:"errors,omitempty"`
	RequiredAbilities *[]dam.Ability      `json:"required_abilities,omitempty"`
}

func (e *apiError) Error() string           { return e.Message }
func (e *apiError) GetStatus() int          { return e.status }
func (e *apiError) GetHeaders() http.Header { return e.headers }

// toAPI turns an error into what the client may know. What it may not know
// goes to the log.
func toAPI(ctx context.Context, log *slog.Logger, err error) *apiError {
	if e, ok := errors.AsType[*apiError](err); ok {
		return e
	}
	d, ok := errors.AsType[*dam.Error](err)
	if !ok || d.Kind == dam.Internal {
		if ctx.Err() != nil { // the client has gone
			return &apiError{status: statusClientClosedRequest, Message: "The request was cancelled."}
		}
		log.ErrorContext(ctx, "request failed", "err", err)
		return &apiError{status: http.StatusInternalServerError, Message: "Server Error"}
	}
	e := &apiError{status: status(d.Kind), Message: d.Msg, headers: http.Header{}}
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
	case dam.NoSpace:
		log.DebugContext(ctx, "the disk is full", "err", err) // the library tells of it once a minute
	case dam.TooMany:
		if r, ok := errors.AsType[*app.RetryAfter](err); ok {
			e.headers.Set("Retry-After", seconds(r.Wait.Seconds()))
		}
	}
	return e
}

// statusClientClosedRequest is nginx's code for a client that did not wait. No
// client sees it; the log does.
const statusClientClosedRequest = 499

func seconds(s float64) string { return itoa(int64(math.Ceil(s))) }

func writeError(w http.ResponseWriter, e *apiError) {
	for k, v := range e.headers {
		w.Header()[k] = v
	}
	writeJSON(w, e.status, e)
}

func writeJSON(w http.ResponseWriter, code int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.Encode(v) // a client that has gone needs no answer
}

// register adds an operation whose errors are the domain's.
func register[I, O any](s *Server, op huma.Operation, fn func(context.Context, *I) (*O, error)) {
	huma.Register(s.api, op, func(ctx context.Context, in *I) (*O, error) {
		out, err := fn(ctx, in)
		if err != nil {
			return nil, toAPI(ctx, s.log, err)
		}
		return out, nil
	})
}

// configureHuma makes huma answer with apiError, describe lists as never null,
// and take the members of a body only as the document spells them. Huma has one
// place for each, a variable of its package.
var configureHuma = sync.OnceFunc(func() {
	huma.NewError = newHumaError
	huma.DefaultArrayNullable = false
	huma.ValidateStrictCasing = true
})

// newHumaError turns the errors that huma finds in a request into ours.
func newHumaError(code int, msg string, errs ...error) huma.StatusError {
	number, huge := "", false
	if len(errs) > 0 { // encoding/json does not say where it is
		number, huge = strings.CutPrefix(errs[0].Error(), "json: cannot unmarshal number ")
		number, _, _ = strings.Cut(number, " ")
	}
	switch {
	case code == http.StatusBadRequest && huge:
		return toAPI(context.Background(), nil, dam.InvalidField("body", "The number %.40s is beyond all bounds.", number))
	case code == http.StatusBadRequest && len(errs) > 0:
		return &apiError{status: code, Message: "The request body is not valid JSON."}
	case code == http.StatusBadRequest && msg == "request body is required":
		return &apiError{status: code, Message: "The request body is required."}
	case code == http.StatusUnprocessableEntity:
		var p dam.Problems
		for _, err := range errs {
			loc, m := "", err.Error()
			if d, ok := err.(huma.ErrorDetailer); ok {
				loc, m = d.ErrorDetail().Location, d.ErrorDetail().Message
			}
			field := fieldPath(loc, m)
			p.Add(field, "%s", fieldMessage(field, m))
		}
		return toAPI(context.Background(), nil, p.Err())
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

// fieldPath turns huma's "query.per_page" or "body.tags[0].name" into the path
// as the client wrote it: "per_page", "tags.0.name".
func fieldPath(loc, msg string) string {
	_, field, _ := strings.Cut(loc, ".")
	field = strings.NewReplacer("[", ".", "]", "").Replace(field)
	if p, ok := strings.CutPrefix(msg, "expected required property "); ok { // told of the parent
		p = strings.TrimSuffix(p, " to be present")
		field = strings.TrimPrefix(field+"."+p, ".")
	}
	if field == "" {
		return "body"
	}
	return field
}

// fieldMessage says in a sentence what huma says in a phrase.
func fieldMessage(field, msg string) string {
	label := strings.ReplaceAll(field, "_", " ")
	starts := func(prefix string) (rest string, ok bool) { return strings.CutPrefix(msg, prefix) }
	if _, ok := starts("expected required property"); ok || strings.HasPrefix(msg, "required ") {
		return "The " + label + " field is required."
	}
	if msg == "unexpected property" {
		return "There is no field " + field + "."
	}
	if rest, ok := starts("expected value to be one of "); ok {
		return "The selected " + label + " is invalid; it must be one of " + rest + "."
	}
	for prefix, words := range map[string]string{
		"expected number <= ":       "must not be greater than ",
		"expected number >= ":       "must be at least ",
		"expected length <= ":       "must not have more characters than ",
		"expected length >= ":       "must not have fewer characters than ",
		"expected array length <= ": "must not have more items than ",
		"expected array length >= ": "must not have fewer items than ",
	} {
		if rest, ok := starts(prefix); ok {
			return "The " + label + " field " + words + rest + "."
		}
	}
	switch msg {
	case "expected integer", "invalid integer":
		return "The " + label + " field must be an integer."
	case "expected string":
		return "The " + label + " field must be a string."
	case "expected number", "invalid float":
		return "The " + label + " field must be a number."
	case "invalid boolean", "expected boolean":
		return "The " + label + " field must be true or false."
	case "expected array":
		return "The " + label + " field must be a list."
	case "expected object":
		return "The " + label + " field must be an object."
	case "expected string to be RFC 3339 date-time":
		return "The " + label + " field must be a date and time such as 2026-01-31T12:00:00Z."
	}
	return "The " + label + " field is invalid: " + msg + "."
}
