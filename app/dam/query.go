package dam

import (
	"slices"
	"strings"
)

// Page selects a part of a list.
type Page struct{ Limit, Offset int }

// Sort is the sort key of a list of assets.
type Sort string

// The sort keys. Relevance falls back to the creation date for a query without a text.
const (
	SortCreatedAt        Sort = "created_at"
	SortUpdatedAt        Sort = "updated_at"
	SortCaptureDate      Sort = "capture_date"
	SortTitle            Sort = "title"
	SortOriginalFilename Sort = "original_filename"
	SortSize             Sort = "size"
	SortRating           Sort = "rating"      // missing ratings are lowest
	SortUsageUntil       Sort = "usage_until" // missing dates are latest
	SortRelevance        Sort = "relevance"
	SortPosition         Sort = "position" // the order of a collection
)

// Values lists the sort keys.
func (Sort) Values() []Sort {
	return []Sort{SortCreatedAt, SortUpdatedAt, SortCaptureDate, SortTitle, SortOriginalFilename, SortSize, SortRating, SortUsageUntil,
		SortRelevance, SortPosition}
}

// ListSorts lists the sort keys of asset lists outside a collection.
func ListSorts() []Sort {
	return slices.DeleteFunc(Values[Sort](), func(s Sort) bool { return s == SortPosition })
}

// rises reports whether the default direction of s is ascending.
func (s Sort) rises() bool {
	return s == SortTitle || s == SortOriginalFilename || s == SortUsageUntil || s == SortPosition
}

// Direction is the direction of a sort.
type Direction string

// The directions.
const (
	Ascending  Direction = "asc"
	Descending Direction = "desc"
)

// Values lists the directions.
func (Direction) Values() []Direction { return []Direction{Ascending, Descending} }

// Trashed selects assets by whether they are in the trash.
type Trashed string

// Assets outside the trash, in it, or both.
const (
	TrashedWithout Trashed = ""
	TrashedOnly    Trashed = "only"
	TrashedWith    Trashed = "with"
)

// Values lists the explicit values of the parameter; TrashedWithout is the default.
func (Trashed) Values() []Trashed { return []Trashed{TrashedOnly, TrashedWith} }

// Query requests a page of the assets that match all of its conditions.
type Query struct {
	Text      string
	WordsOnly bool    // exclude semantic search for Text
	Filter    *Filter // nil for none
	Trashed   Trashed
	Sort      Sort // "" means relevance
	Desc      bool
	Page
	Facets []string // facets, as in FacetFields or "metadata.{key}"
	Schema *Schema  // custom fields that the text can refer to
	// Exact is for operations that change assets. It requires all words of the text, in any
	// inflection, and disables prefixes, corrections and compounds.
	Exact bool
}

// MatchMode is the number of words of a text that an asset must contain.
type MatchMode string

// The modes.
const (
	MatchAny MatchMode = "any" // at least one; phrases and words in fields are always required
	MatchAll MatchMode = "all"
)

// Values lists the modes.
func (MatchMode) Values() []MatchMode { return []MatchMode{MatchAny, MatchAll} }

// ParsedQuery is the interpretation of a query's text.
type ParsedQuery struct {
	Readable     string     // text with explicit operators
	Operator     MatchMode  // between the terms
	Terms        []string   // words with their field prefix: title:harbour
	Phrases      []string   // quoted phrases
	Excluded     []string   // words and phrases
	Alternatives [][]string // terms and phrases connected by OR
}

// HasText reports whether q has a text, so that its matches are scored.
func (q *Query) HasText() bool { return strings.TrimSpace(q.Text) != "" }

// AboutCollections reports whether the result depends on the collections that the user may
// view.
func (q *Query) AboutCollections() bool {
	return slices.Contains(q.Facets, "collections") || q.Filter.AboutCollections()
}

// AboutPicks reports whether the result depends on the shares that the user may see.
func (q *Query) AboutPicks() bool { return q.Filter.AboutPicks() }

// AboutBatches reports whether the result depends on the upload batches that the user may
// see.
func (q *Query) AboutBatches() bool {
	return slices.Contains(q.Facets, "ingestion_batch_id") || q.Filter.AboutBatches()
}

// The limits of list parameters, in characters.
const (
	MaxQueryText = 500
	MaxQueryMIME = 100
)

// The limits of lists in list parameters, in items.
const (
	MaxQueryKeywords = 100
	MaxQueryGAIDs    = 1000
)

// QueryParams are the parameters of a list of assets as sent by the client. Saved searches
// also store them. Zero values are absent parameters. The JSON is a storage format: members
// may be added, but never renamed.
type QueryParams struct {
	Q             string    `json:"q,omitempty"` // up to MaxQueryText characters
	WordsOnly     bool      `json:"words_only,omitempty"`
	Filters       string    `json:"filters,omitempty"` // filter document; see ParseFilter
	SortBy        Sort      `json:"sort_by,omitempty"`
	SortDirection Direction `json:"sort_direction,omitempty"`
	AssetClassID  int64     `json:"asset_class_id,omitempty"`
	MIMEType      string    `json:"mime_type,omitempty"` // substring, up to MaxQueryMIME characters
	BatchID       int64     `json:"ingestion_batch_id,omitempty"`

	// Saved searches express these in Filters.
	FileCategory FileCategory `json:"-"`
	Extension    string       `json:"-"` // with or without the dot, up to MaxQueryMIME characters
	OwnerID      int64        `json:"-"`
	CreatedByID  int64        `json:"-"`
	Keywords     []string     `json:"-"` // any of these, up to MaxQueryKeywords
	CollectionID int64        `json:"-"`
	GAIDs        []GAID       `json:"-"` // any of these, up to MaxQueryGAIDs

	Trashed Trashed `json:"trashed,omitempty"`
	Facets  string  `json:"-"` // comma-separated fields; not saved
	Exact   bool    `json:"-"` // see Query
}

// Query converts the parameters to a query, with the custom fields of a schema. Without
// sort_by, the list is sorted by relevance if it has a text, otherwise by usual. Invalid
// filters or facets are reported as an Invalid error.
func (p *QueryParams) Query(s *Schema, usual Sort) (Query, error) {
	q := Query{Text: p.Q, WordsOnly: p.WordsOnly, Trashed: p.Trashed, Sort: p.SortBy, Schema: s, Exact: p.Exact}
	switch {
	case q.Sort != "":
	case q.HasText():
		q.Sort = SortRelevance
	default:
		q.Sort = usual
	}
	q.Desc = p.SortDirection == Descending || p.SortDirection == "" && !q.Sort.rises()
	var filter *Filter
	var err error
	if strings.TrimSpace(p.Filters) != "" {
		if filter, err = ParseFilter(p.Filters, s); err != nil {
			return q, err
		}
	}
	q.Filter = AllOf(append(p.shorthands(), filter)...)
	q.Facets, err = parseFacets(p.Facets, s)
	return q, err
}

// shorthands returns the rules of the shorthand parameters.
func (p *QueryParams) shorthands() (rules []*Filter) {
	if p.AssetClassID != 0 {
		rules = append(rules, rule("asset.asset_class_id", OpEquals, FilterValue{Numbers: []float64{float64(p.AssetClassID)}}))
	}
	if p.BatchID != 0 {
		rules = append(rules, rule("asset.ingestion_batch_id", OpEquals, FilterValue{Numbers: []float64{float64(p.BatchID)}}))
	}
	if p.MIMEType != "" {
		rules = append(rules, rule("asset.mime_type", OpContains, FilterValue{Texts: []string{p.MIMEType}}))
	}
	if p.FileCategory != "" {
		rules = append(rules, rule("asset.file_category", OpEquals, FilterValue{Texts: []string{string(p.FileCategory)}}))
	}
	if e := strings.TrimPrefix(strings.TrimSpace(p.Extension), "."); e != "" {
		rules = append(rules, rule("asset.extension", OpEquals, FilterValue{Texts: []string{e}}))
	}
	if p.OwnerID != 0 {
		rules = append(rules, rule("asset.owner", OpEquals, FilterValue{IDs: []int64{p.OwnerID}}))
	}
	if p.CreatedByID != 0 {
		rules = append(rules, rule("asset.created_by", OpEquals, FilterValue{IDs: []int64{p.CreatedByID}}))
	}
	if words := CleanWords(p.Keywords); len(words) > 0 {
		rules = append(rules, rule("asset.keywords", OpIn, FilterValue{Texts: words}))
	}
	if p.CollectionID != 0 {
		rules = append(rules, InCollection(p.CollectionID))
	}
	if len(p.GAIDs) > 0 {
		var v FilterValue
		for _, g := range p.GAIDs {
			v.Texts = append(v.Texts, strings.ToUpper(string(g)))
		}
		rules = append(rules, rule("asset.gaid", OpIn, v))
	}
	return rules
}

// InCollection returns the rule that an asset is in at least one of the collections.
func InCollection(ids ...int64) *Filter {
	return rule("asset.collections", OpIn, FilterValue{IDs: ids})
}

func rule(field string, op FilterOperator, v FilterValue) *Filter {
	f, _ := filterField(field)
	return &Filter{Field: f, Operator: op, Value: v}
}

// AllOf returns a filter that matches if all filters match. It ignores nil filters, and
// returns nil if none is left.
func AllOf(filters ...*Filter) *Filter {
	filters = slices.DeleteFunc(filters, func(f *Filter) bool { return f == nil })
	switch len(filters) {
	case 0:
		return nil
	case 1:
		return filters[0]
	}
	return &Filter{Group: true, Rules: filters}
}

// Meaning is the state of the semantic search. The full-text search works in all states.
type Meaning string

// The states.
const (
	MeaningReady       Meaning = "ready"
	MeaningIndexing    Meaning = "indexing"    // some embeddings are missing
	MeaningLoading     Meaning = "loading"     // embeddings are being loaded into memory
	MeaningOff         Meaning = "off"         // disabled
	MeaningUnavailable Meaning = "unavailable" // the model does not respond
)

// Values lists the states.
func (Meaning) Values() []Meaning {
	return []Meaning{MeaningReady, MeaningIndexing, MeaningLoading, MeaningOff, MeaningUnavailable}
}

// Searches reports whether the semantic search is available in state m.
func (m Meaning) Searches() bool { return m == MeaningReady || m == MeaningIndexing }

// Matches counts the assets found by words, and those found only by the semantic search.
type Matches struct{ Words, Meaning int }

// Fragment is an excerpt of an asset's text around the matches of a query.
type Fragment struct {
	Field string // "metadata.{key}" for custom fields
	HTML  string // escaped text with matches in <mark> elements
}
