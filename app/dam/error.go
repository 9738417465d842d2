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
	Code      ErrorCode // for programs, of some that are Denied; else ""
	Err       error     // the cause, for the log only
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
