package dam

import (
	"slices"
	"strings"
	"time"
)

// MaxFilterBytes bounds a filter document, as compact JSON.
const MaxFilterBytes = 64 << 10

// SavedSearch is a search that a user keeps for later.
type SavedSearch struct {
	ID        int64
	UserID    int64
	Name      string // 1 to 255 characters; unique for the user regardless of case
	Query     QueryParams
	CreatedAt time.Time
	UpdatedAt time.Time
}

// Validate reports what is wrong with s. It does not read the filter document:
// see ParseSavedFilter.
func (s *SavedSearch) Validate() error {
	var p Problems
	p.name("name", s.Name, 1, 255)
	p.length("query.q", s.Query.Q, 0, 500)
	p.length("query.mime_type", s.Query.MIMEType, 0, 100)
	p.oneOf("query.sort_by", string(s.Query.SortBy), texts(s.Query.SortBy.Values())...)
	p.oneOf("query.sort_direction", string(s.Query.SortDirection), texts(s.Query.SortDirection.Values())...)
	p.oneOf("query.trashed", string(s.Query.Trashed), texts(s.Query.Trashed.Values())...)
	if len(s.Query.Filters) > MaxFilterBytes {
		p.Add("query.filters", "The query.filters field must not be greater than %d bytes.", MaxFilterBytes)
	} else {
		p.length("query.filters", s.Query.Filters, 0, MaxFilterBytes)
	}
	return p.Err()
}

// oneOf adds a problem if s is neither empty nor one of words.
func (p *Problems) oneOf(field, s string, words ...string) {
	if s != "" && !slices.Contains(words, s) {
		p.Add(field, "The selected %s is invalid; it must be one of %q.", strings.ReplaceAll(field, "_", " "), strings.Join(words, ", "))
	}
}

// texts returns the words of an enumeration as texts.
func texts[T ~string](words []T) []string {
	list := make([]string, len(words))
	for i, w := range words {
		list[i] = string(w)
	}
	return list
}

// SavedSearchPatch changes a saved search: absent fields stay as they are.
// Neither field can be null.
type SavedSearchPatch struct {
	Name  Opt[string]
	Query Opt[QueryParams] // all of it
}

// Apply changes s, or returns what is wrong with the change.
func (p *SavedSearchPatch) Apply(s *SavedSearch) error {
	if p.Query.Null {
		return InvalidField("query", "The query field is required.")
	}
	s.Name = strings.TrimSpace(p.Name.to(s.Name))
	s.Query = p.Query.to(s.Query)
	return s.Validate()
}
