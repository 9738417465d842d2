package dam

import (
	"errors"
	"fmt"
	"reflect"
	"unicode/utf8"
)

// The limits of an error, however many problems the request has.
const (
	MaxProblems     = 100      // further ones are only counted
	maxProblemsText = 32 << 10 // total bytes
	maxProblem      = 600      // characters of one problem
	maxProblemField = 200      // characters of a field path
	maxQuoted       = 100      // characters of a value quoted in a message that is too long
)

// Problems collects the problems of the fields of a request: the first MaxProblems of them,
// and the number of further ones.
type Problems struct {
	fields []FieldError
	text   int // bytes in fields
	more   int // number of problems not in fields
}

// Add records a problem of a field.
func (p *Problems) Add(field, format string, args ...any) {
	if p.Full() {
		p.more++
		return
	}
	f := FieldError{clipped(field, maxProblemField), fmt.Sprintf(format, args...)}
	if utf8.RuneCountInString(f.Msg) > maxProblem {
		f.Msg = clipped(fmt.Sprintf(format, clippedArgs(args)...), maxProblem)
	}
	p.fields, p.text = append(p.fields, f), p.text+len(f.Field)+len(f.Msg)
}

// Full reports whether further problems are only counted.
func (p *Problems) Full() bool { return len(p.fields) >= MaxProblems || p.text >= maxProblemsText }

// Skip counts n problems without recording them.
func (p *Problems) Skip(n int) { p.more += n }

// Include adds the problems of an Invalid error. It ignores other errors.
func (p *Problems) Include(err error) {
	e, ok := errors.AsType[*Error](err)
	if !ok || e.Kind != Invalid {
		return
	}
	for _, f := range e.Fields {
		p.Add(f.Field, "%s", f.Msg)
	}
	p.more += e.more
}

// count returns the number of problems, recorded or not.
func (p *Problems) count() int { return len(p.fields) + p.more }

// Err returns nil if no problem was added. Otherwise it returns an Invalid *Error whose
// message is the first problem and the number of the others.
func (p *Problems) Err() error {
	if len(p.fields) == 0 {
		return nil
	}
	return p.all()
}

// all returns the error for at least one problem.
func (p *Problems) all() *Error {
	e := &Error{Kind: Invalid, Msg: p.fields[0].Msg, Fields: p.fields, more: p.more}
	switch n := p.count(); n {
	case 1:
	case 2:
		e.Msg += " (and 1 more error)"
	default:
		e.Msg += fmt.Sprintf(" (and %d more errors)", n-1)
	}
	return e
}

// clippedArgs returns args with long strings truncated.
func clippedArgs(args []any) []any {
	short := make([]any, len(args))
	for i, a := range args {
		short[i] = a
		if v := reflect.ValueOf(a); v.Kind() == reflect.String {
			short[i] = clipped(v.String(), maxQuoted)
		}
	}
	return short
}

// clipped truncates s to n characters and appends an ellipsis if it was longer.
func clipped(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for i := range s {
		if n--; n < 0 {
			return s[:i] + "…"
		}
	}
	return s
}
