package dam

import (
	"strings"
	"time"
)

// MaxFilterBytes is the maximum size of a filter document as compact JSON.
const MaxFilterBytes = 64 << 10

// SavedSearch is a search saved by a user.
type SavedSearch struct {
	ID        int64
	UserID    int64
	Name      string // 1 to 255 characters; unique for the user regardless of case
	Query     QueryParams
	CreatedAt time.Time
	UpdatedAt time.Time
}

// Validate checks s. It does not parse the filter document: see ParseSavedFilter.
func (s *SavedSearch) Validate() error {
	var p Problems
	p.name("name", s.Name, 1)
	p.length("query.q", s.Query.Q, 0, MaxQueryText)
	p.length("query.mime_type", s.Query.MIMEType, 0, MaxQueryMIME)
	if by := s.Query.SortBy; by != "" {
		oneOf(&p, "query.sort_by", by, ListSorts())
	}
	if d := s.Query.SortDirection; d != "" {
		oneOf(&p, "query.sort_direction", d, d.Values())
	}
	if t := s.Query.Trashed; t != TrashedWithout {
		oneOf(&p, "query.trashed", t, t.Values())
	}
	if p.size("query.filters", len(s.Query.Filters), MaxFilterBytes) {
		p.length("query.filters", s.Query.Filters, 0, MaxFilterBytes)
	}
	return p.Err()
}

// SavedSearchPatch changes a saved search: absent fields are kept. Neither field can be
// null.
type SavedSearchPatch struct {
	Name  Opt[string]
	Query Opt[QueryParams] // replaces the whole query
}

// Apply changes s and validates it.
func (p *SavedSearchPatch) Apply(s *SavedSearch) error {
	if p.Query.Null {
		return InvalidField("query", "query is required.")
	}
	s.Name = strings.TrimSpace(p.Name.to(s.Name))
	s.Query = p.Query.to(s.Query)
	return s.Validate()
}
