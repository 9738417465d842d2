package storage

import (
	"database/sql/driver"
	"fmt"
	"regexp"
	"strings"
	"sync/atomic"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
	"modernc.org/sqlite"
)

// The SQL functions for finding a person by email address: email_key is EmailKey, names
// counts the occurrences of the address in a text, and unnamed replaces them.
var _ = func() any {
	text := func(v driver.Value) string {
		s, _ := v.(string) // NULL is ""
		return s
	}
	for name, fn := range map[string]func(args []driver.Value) driver.Value{
		"email_key": func(args []driver.Value) driver.Value { return EmailKey(text(args[0])) },
		"names":     func(args []driver.Value) driver.Value { return int64(len(places(text(args[0]), text(args[1])))) },
		"unnamed":   func(args []driver.Value) driver.Value { return Unnamed(text(args[0]), text(args[1])) },
	} {
		arguments := int32(2)
		if name == "email_key" {
			arguments = 1
		}
		register(name, arguments, fn)
	}
	return nil
}()

// register makes a deterministic function available to SQL.
func register(name string, arguments int32, fn func(args []driver.Value) driver.Value) {
	sqlite.MustRegisterDeterministicScalarFunction(name, arguments,
		func(_ *sqlite.FunctionContext, args []driver.Value) (driver.Value, error) { return fn(args), nil })
}

// ErasedWord replaces an erased address in a text.
const ErasedWord = "[erased]"

// finder finds an address.
type finder struct {
	email   string
	pattern *regexp.Regexp
}

var lastFinder atomic.Pointer[finder] // a statement uses one address for all rows

func findEmail(email string) *regexp.Regexp {
	if f := lastFinder.Load(); f != nil && f.email == email {
		return f.pattern
	}
	var forms []string
	for _, form := range []string{norm.NFC.String(email), norm.NFD.String(email)} {
		forms = append(forms, regexp.QuoteMeta(form), regexp.QuoteMeta(strings.ReplaceAll(form, "&", `\u0026`))) // as escaped in JSON
	}
	f := &finder{email, regexp.MustCompile(fmt.Sprintf("(?i)%s", strings.Join(forms, "|")))}
	lastFinder.Store(f)
	return f.pattern
}

// places returns the positions of an address in a text, as a whole, in any case and
// Unicode composition.
func places(text, email string) (at [][]int) {
	if email == "" || !strings.Contains(text, "@") {
		return nil
	}
	for _, m := range findEmail(email).FindAllStringIndex(text, -1) {
		if !goesOnBefore(text[:m[0]]) && !goesOnAfter(text[m[1]:]) {
			at = append(at, m)
		}
	}
	return at
}

// escape matches an escaped JSON character at the end of a text.
var escape = regexp.MustCompile(`\\(?:[nrtbf]|u[0-9A-Fa-f]{4})$`)

// goesOnBefore reports whether text, which precedes a match, ends in the beginning of a
// longer address.
func goesOnBefore(text string) bool {
	r, _ := utf8.DecodeLastRuneInString(text)
	return (unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune(".+-_%", r)) && !escape.MatchString(text[max(0, len(text)-8):])
}

// goesOnAfter reports whether text, which follows a match, continues the address.
func goesOnAfter(text string) bool {
	r, size := utf8.DecodeRuneInString(text)
	if r == '.' { // end of a sentence or of a label
		r, _ = utf8.DecodeRuneInString(text[size:])
		return unicode.IsLetter(r) || unicode.IsDigit(r)
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || r == '-' || r == '_'
}

// Unnamed replaces an address in a text, JSON or not, with ErasedWord.
func Unnamed(text, email string) string {
	var b strings.Builder
	from := 0
	for _, m := range places(text, email) {
		b.WriteString(text[from:m[0]])
		b.WriteString(ErasedWord)
		from = m[1]
	}
	return b.String() + text[from:]
}
