package dam

import (
	"fmt"
	"reflect"
	"unicode/utf8"
)

// Bounds of what an error lists, however bad the request was.
const (
	MaxProblems     = 100      // the rest are only counted
	maxProblemsText = 32 << 10 // bytes of all of them together
	maxProblem      = 600      // characters of one
	maxProblemField = 200      // characters of the path of a field
	maxQuoted       = 100      // characters of a value in a message that is too long
)

// Problems collects what is wrong with the fields of a request: the first
// MaxProblems of them, and how many more there are.
type Problems struct {
	fields []FieldError
	text   int // bytes in fields
	more   int // that are not in fields
}

// Add records that field is wrong.
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

// Full reports whether what is added from now on is only counted.
func (p *Problems) Full() bool { return len(p.fields) >= MaxProblems || p.text >= maxProblemsText }

// Skip counts n problems without saying what they are.
func (p *Problems) Skip(n int) { p.more += n }

// count is how many problems there are, listed or not.
func (p *Problems) count() int { return len(p.fields) + p.more }

// Err returns nil if nothing was added, else an Invalid *Error whose message is
// the first problem and a count of the others.
func (p *Problems) Err() error {
	if len(p.fields) == 0 {
		return nil
	}
	return p.all()
}

// all is the error for the problems, of which there is at least one.
func (p *Problems) all() *Error {
	e := &Error{Kind: Invalid, Msg: p.fields[0].Msg, Fields: p.fields}
	switch n := p.count(); n {
	case 1:
	case 2:
		e.Msg += " (and 1 more error)"
	default:
		e.Msg += fmt.Sprintf(" (and %d more errors)", n-1)
	}
	return e
}

// clippedArgs returns args with the texts among them cut.
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

// clipped returns the first n characters of s, and an ellipsis for the rest.
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
