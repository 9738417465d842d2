package dam

import (
	"strings"
	"time"
)

// MaxUseTerms is how many characters the terms of use can have.
const MaxUseTerms = 100_000

// UseTerms are a version of the terms that people accept before they use the library.
type UseTerms struct {
	Version int64 // counted from 1
	Hash    string
	Text    string // "" in a list
	SetAt   time.Time
	EndedAt *time.Time // nil for those in force
}

// CleanUseTerms returns a text as terms have it, with Unix line ends and without a byte
// order mark and space around it, or what is wrong with it.
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

// ConsentFilter says which consents a list has; zero values mean all.
type ConsentFilter struct {
	Context  ConsentContext
	Share    int64
	Version  int64
	Subject  string    // part of the name or of the email, in whatever case
	From, To time.Time // From inclusive, To exclusive
}
