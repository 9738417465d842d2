package dam

import (
	"errors"
	"fmt"
)

// A Kind classifies an error by the possible reaction of the caller.
type Kind uint8

// The kinds of error. The web package maps each to an HTTP status, the command line to an
// exit code.
const (
	Internal        Kind = iota // a bug or a fault of the server; the text is for the log only
	Malformed                   // the request cannot be parsed
	Invalid                     // the request is well-formed but breaks a rule
	Unauthenticated             // missing or unknown user
	Denied                      // the user lacks the permission
	NotFound
	Gone        // existed and was permanently removed
	Conflict    // not possible in the current state
	Locked      // another request is using it; try again later
	Stale       // the change is based on an outdated version
	TooLarge    // above a size limit
	TooMany     // above a rate limit
	NoSpace     // the disk is full
	Unavailable // a dependency is down; try again later
)

// Error is a failure whose message may be shown to the client.
type Error struct {
	Kind Kind
	Msg  string // a sentence for the caller
	// Fields are the problems of each field of an Invalid error, in the order found. Field
	// names are paths as the client wrote them: "metadata.color".
	Fields []FieldError
	more   int // number of problems not in Fields
	// Abilities are the missing abilities of a Denied error.
	Abilities []Ability
	Code      ErrorCode // more specific than the kind; "" for the code of the kind
	Err       error     // the cause, for the log only
}

// An ErrorCode is the machine-readable reason of a failed request.
type ErrorCode string

// The error codes. The first group has one HTTP status each; the codes after
// ErrorUnavailable are more specific than their status.
const (
	ErrorMalformed            ErrorCode = "malformed_request"
	ErrorValidationFailed     ErrorCode = "validation_failed"
	ErrorUnauthenticated      ErrorCode = "unauthenticated"
	ErrorForbidden            ErrorCode = "forbidden"
	ErrorNotFound             ErrorCode = "not_found"
	ErrorMethodNotAllowed     ErrorCode = "method_not_allowed"
	ErrorTimeout              ErrorCode = "request_timeout"
	ErrorConflict             ErrorCode = "conflict"
	ErrorGone                 ErrorCode = "gone"
	ErrorStale                ErrorCode = "stale"
	ErrorRequestTooLarge      ErrorCode = "request_too_large"
	ErrorUnsupportedMediaType ErrorCode = "unsupported_media_type"
	ErrorNotAcceptable        ErrorCode = "not_acceptable"
	ErrorRangeNotSatisfiable  ErrorCode = "range_not_satisfiable"
	ErrorLocked               ErrorCode = "locked"
	ErrorTooManyRequests      ErrorCode = "too_many_requests"
	ErrorChecksumMismatch     ErrorCode = "checksum_mismatch"
	ErrorServerError          ErrorCode = "server_error"
	ErrorNotImplemented       ErrorCode = "not_implemented"
	ErrorInsufficientStorage  ErrorCode = "insufficient_storage"
	ErrorUnavailable          ErrorCode = "unavailable"

	TermsNotAccepted    ErrorCode = "terms_not_accepted"    // the current terms of use
	IdempotencyConflict ErrorCode = "idempotency_conflict"  // the key was used for another request
	IdempotencyInFlight ErrorCode = "idempotency_in_flight" // the first request with the key is still in progress
	IdempotencyLost     ErrorCode = "idempotency_lost"      // the first request with the key succeeded, but its answer is not available
)

// Values lists the codes.
func (ErrorCode) Values() []ErrorCode {
	return []ErrorCode{ErrorMalformed, ErrorValidationFailed, ErrorUnauthenticated, ErrorForbidden, ErrorNotFound, ErrorMethodNotAllowed,
		ErrorTimeout, ErrorConflict, ErrorGone, ErrorStale, ErrorRequestTooLarge, ErrorUnsupportedMediaType,
		ErrorNotAcceptable, ErrorRangeNotSatisfiable, ErrorLocked,
		ErrorTooManyRequests, ErrorChecksumMismatch, ErrorServerError, ErrorNotImplemented, ErrorInsufficientStorage, ErrorUnavailable,
		TermsNotAccepted, IdempotencyConflict, IdempotencyInFlight, IdempotencyLost}
}

// FieldError is a problem of one field of a request.
type FieldError struct{ Field, Msg string }

func (e *Error) Error() string {
	if e.Err != nil {
		return e.Msg + ": " + e.Err.Error()
	}
	return e.Msg
}

func (e *Error) Unwrap() error { return e.Err }

// FirstField returns the first invalid field, "" for none.
func (e *Error) FirstField() string {
	if len(e.Fields) == 0 {
		return ""
	}
	return e.Fields[0].Field
}

// Errorf returns an *Error of the given kind.
func Errorf(kind Kind, format string, args ...any) *Error {
	return &Error{Kind: kind, Msg: fmt.Sprintf(format, args...)}
}

// KindOf reports the kind of the first *Error in err's chain, or Internal.
func KindOf(err error) Kind {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	return Internal
}

// Full returns an Invalid error for a limit on the number of objects in a library.
func Full(most int, what string) *Error {
	return InvalidField("body", "A library can have at most %d %s; delete one first.", most, what)
}

// InvalidField returns an Invalid error for one field.
func InvalidField(field, format string, args ...any) *Error {
	var p Problems
	p.Add(field, format, args...)
	return p.all()
}
