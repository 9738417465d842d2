package dam

import (
	"errors"
	"fmt"
)

// A Kind classifies an error by what the caller can do about it.
type Kind uint8

// The kinds of error. The web layer maps each to one HTTP status, the command
// line to one exit code.
const (
	Internal        Kind = iota // a fault of ours; its text is for the log only
	Malformed                   // the request cannot be read at all
	Invalid                     // the request can be read but breaks a rule
	Unauthenticated             // no user, or an unknown one
	Denied                      // a known user who may not do it
	NotFound
	Gone        // it was there and will not come back
	Conflict    // not possible in the present state
	Locked      // another request works on it; try again later
	Stale       // the caller changed a version that is no longer current
	TooLarge    // more bytes than a limit allows
	TooMany     // more requests than a limit allows
	NoSpace     // the disk is full
	Unavailable // something we depend on is down; try again later
)

// Error is a failure that the client may know about.
type Error struct {
	Kind Kind
	Msg  string // a sentence for the caller
	// Fields holds, for Invalid, what is wrong with each field, in the order
	// found. Field names are paths as the client wrote them: "metadata.color".
	Fields []FieldError
	// Abilities holds, for Denied, the abilities that are missing.
	Abilities []Ability
	Code      ErrorCode // more precise than the kind; "" for the code of the kind
	Err       error     // the cause, for the log only
}

// An ErrorCode names, for programs, why a request failed.
type ErrorCode string

// The codes of errors. The first ones have an HTTP status each; those after
// ErrorUnavailable say more than their status.
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

	TermsNotAccepted    ErrorCode = "terms_not_accepted"    // the terms of use in force
	IdempotencyConflict ErrorCode = "idempotency_conflict"  // the key was used for another request
	IdempotencyInFlight ErrorCode = "idempotency_in_flight" // the first request with the key is still being answered
	IdempotencyLost     ErrorCode = "idempotency_lost"      // the first request with the key succeeded; its answer is not available
)

// Values lists the codes.
func (ErrorCode) Values() []ErrorCode {
	return []ErrorCode{ErrorMalformed, ErrorValidationFailed, ErrorUnauthenticated, ErrorForbidden, ErrorNotFound, ErrorMethodNotAllowed,
		ErrorTimeout, ErrorConflict, ErrorGone, ErrorStale, ErrorRequestTooLarge, ErrorUnsupportedMediaType,
		ErrorNotAcceptable, ErrorRangeNotSatisfiable, ErrorLocked,
		ErrorTooManyRequests, ErrorChecksumMismatch, ErrorServerError, ErrorNotImplemented, ErrorInsufficientStorage, ErrorUnavailable,
		TermsNotAccepted, IdempotencyConflict, IdempotencyInFlight, IdempotencyLost}
}

// FieldError says what is wrong with one field of a request.
type FieldError struct{ Field, Msg string }

func (e *Error) Error() string {
	if e.Err != nil {
		return e.Msg + ": " + e.Err.Error()
	}
	return e.Msg
}

func (e *Error) Unwrap() error { return e.Err }

// FirstField returns the first field that is wrong, "" for none.
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

// Full returns an Invalid error: a library has as many of something as it can.
func Full(most int, what string) *Error {
	return InvalidField("body", "A library can have at most %d %s; delete one first.", most, what)
}

// InvalidField returns an Invalid error about one field.
func InvalidField(field, format string, args ...any) *Error {
	var p Problems
	p.Add(field, format, args...)
	return p.all()
}
