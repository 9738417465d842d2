package dam

import (
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
	Query     SavedQuery
	CreatedAt time.Time
	UpdatedAt time.Time
}

// SavedQuery is what a saved search looks for, in the words of the asset list.
// Zero values stand for what was not said.
type SavedQuery struct {
	Q             string // up to 500 characters
	Filters       string // the filter document as the client wrote it, compact JSON
	SortBy        string
	SortDirection string
	AssetClassID  int64
	MIMEType      string // up to 100 characters
	BatchID       int64
	Trashed       string
}

// Validate reports what is wrong with s. It does not read the filter document:
// see ParseFilter.
func (s *SavedSearch) Validate() error {
	var p Problems
	p.name("name", s.Name, 1)
	p.length("query.q", s.Query.Q, 0, 500)
	p.length("query.mime_type", s.Query.MIMEType, 0, 100)
	p.oneOf("query.sort_by", s.Query.SortBy, "created_at", "updated_at", "title", "original_filename", "size", "relevance")
	p.oneOf("query.sort_direction", s.Query.SortDirection, "asc", "desc")
	p.oneOf("query.trashed", s.Query.Trashed, "only", "with")
	if p.size("query.filters", len(s.Query.Filters), MaxFilterBytes) {
		p.length("query.filters", s.Query.Filters, 0, MaxFilterBytes)
	}
	return p.Err()
}

// SavedSearchPatch changes a saved search: what is absent stays. Neither field
// can be null.
type SavedSearchPatch struct {
	Name  Opt[string]
	Query Opt[SavedQuery] // all of it
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
