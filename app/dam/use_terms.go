package dam

import (
	"strings"
	"time"
)

// MaxUseTerms is the maximum length of the terms of use, in characters.
const MaxUseTerms = 100_000

// UseTerms are a version of the terms that users must accept before they use the library.
type UseTerms struct {
	Version int64 // from 1
	Hash    string
	Text    string // "" in a list
	SetAt   time.Time
	EndedAt *time.Time // nil for the current version
}

// CleanUseTerms returns the stored form of the terms: with Unix line endings and without a
// byte order mark or surrounding space. It returns an error if the text is invalid.
func CleanUseTerms(text string) (string, error) {
	text = strings.TrimPrefix(text, "\ufeff")
	text = strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n"))
	var p Problems
	p.prose("text", text, MaxUseTerms)
	if p.count() == 0 && Unseen(text) {
		p.required("text")
	}
	return text, p.Err()
}

// ConsentFilter selects consents; zero values match all.
type ConsentFilter struct {
	Context  ConsentContext
	Share    int64
	Version  int64
	Subject  string    // part of the name or email, ignoring case
	From, To time.Time // From inclusive, To exclusive
}
