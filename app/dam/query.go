package dam

import (
	"slices"
	"strings"
)

// Page asks for part of a list.
type Page struct{ Limit, Offset int }

// Sort names what a list of assets is sorted by.
type Sort string

// The sorts. Relevance with nothing to be relevant to is by creation.
const (
	SortCreatedAt        Sort = "created_at"
	SortUpdatedAt        Sort = "updated_at"
	SortCaptureDate      Sort = "capture_date"
	SortTitle            Sort = "title"
	SortOriginalFilename Sort = "original_filename"
	SortSize             Sort = "size"
	SortRating           Sort = "rating"      // without one is the lowest
	SortUsageUntil       Sort = "usage_until" // without one is the latest
	SortRelevance        Sort = "relevance"
	SortPosition         Sort = "position" // the order of a collection
)

// Values lists the sorts.
func (Sort) Values() []Sort {
	return []Sort{SortCreatedAt, SortUpdatedAt, SortCaptureDate, SortTitle, SortOriginalFilename, SortSize, SortRating, SortUsageUntil,
		SortRelevance, SortPosition}
}

// ListSorts lists the sorts of a list of assets outside a collection.
func ListSorts() []Sort {
	return slices.DeleteFunc(Values[Sort](), func(s Sort) bool { return s == SortPosition })
}

// rises reports whether a list sorted by s is ascending unless asked otherwise.
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

// Trashed says whether assets in the trash count.
type Trashed string

// Assets outside the trash, in it, or both.
const (
	TrashedWithout Trashed = ""
	TrashedOnly    Trashed = "only"
	TrashedWith    Trashed = "with"
)

// Values lists what a client can ask for instead of TrashedWithout.
func (Trashed) Values() []Trashed { return []Trashed{TrashedOnly, TrashedWith} }

// Query asks for a page of the assets that match all of it.
type Query struct {
	Text      string
	WordsOnly bool    // leaves out what Text finds by its meaning alone
	Filter    *Filter // nil for none
	Trashed   Trashed
	Sort      Sort // "" is relevance
	Desc      bool
	Page
	Facets []string // fields to count, as in FacetFields or "metadata.{key}"
	Schema *Schema  // the custom fields that the text may name
	// Exact is for what changes assets: it finds those that have all words of the
	// text, in any of their forms, but no longer words, corrections or compounds.
	Exact bool
}

// MatchMode says how many words of a text an asset has to have.
type MatchMode string

// The modes.
const (
	MatchAny MatchMode = "any" // one of them; phrases and words in fields are always required
	MatchAll MatchMode = "all"
)

// Values lists the modes.
func (MatchMode) Values() []MatchMode { return []MatchMode{MatchAny, MatchAll} }

// ParsedQuery is how the text of a query was read.
type ParsedQuery struct {
	Readable     string     // the text with its operators
	Operator     MatchMode  // of the terms
	Terms        []string   // words, with their prefix: title:harbour
	Phrases      []string   // in quotes
	Excluded     []string   // words and phrases
	Alternatives [][]string // the terms and phrases that OR connects
}

// HasText reports whether q looks for words, which has its matches scored.
func (q *Query) HasText() bool { return strings.TrimSpace(q.Text) != "" }

// AboutCollections reports whether the answer depends on which collections the
// caller may view.
func (q *Query) AboutCollections() bool {
	return slices.Contains(q.Facets, "collections") || q.Filter.AboutCollections()
}

// AboutPicks reports whether the answer depends on which shares the caller may see.
func (q *Query) AboutPicks() bool { return q.Filter.AboutPicks() }

// AboutBatches reports whether the answer depends on which upload batches the
// caller may see.
func (q *Query) AboutBatches() bool {
	return slices.Contains(q.Facets, "ingestion_batch_id") || q.Filter.AboutBatches()
}

// The bounds of the parameters of a list, in characters.
const (
	MaxQueryText = 500
	MaxQueryMIME = 100
)

// The bounds of the lists among the parameters of a list, in items.
const (
	MaxQueryKeywords = 100
	MaxQueryGAIDs    = 1000
)

// QueryParams are the parameters of a list of assets as the client sent them,
// which is also what a saved search keeps. Zero values are absent ones. The JSON
// is how saved searches are stored: members may be added, never renamed.
type QueryParams struct {
	Q             string    `json:"q,omitempty"` // up to MaxQueryText characters
	WordsOnly     bool      `json:"words_only,omitempty"`
	Filters       string    `json:"filters,omitempty"` // a filter document; see ParseFilter
	SortBy        Sort      `json:"sort_by,omitempty"`
	SortDirection Direction `json:"sort_direction,omitempty"`
	AssetClassID  int64     `json:"asset_class_id,omitempty"`
	MIMEType      string    `json:"mime_type,omitempty"` // a part of it, up to MaxQueryMIME characters
	BatchID       int64     `json:"ingestion_batch_id,omitempty"`

	// What saved searches say in Filters.
	FileCategory FileCategory `json:"-"`
	Extension    string       `json:"-"` // with or without its dot, up to MaxQueryMIME characters
	OwnerID      int64        `json:"-"`
	CreatedByID  int64        `json:"-"`
	Keywords     []string     `json:"-"` // any of them, up to MaxQueryKeywords
	CollectionID int64        `json:"-"`
	GAIDs        []GAID       `json:"-"` // any of them, up to MaxQueryGAIDs

	Trashed Trashed `json:"trashed,omitempty"`
	Facets  string  `json:"-"` // fields separated by commas; saved searches have none
	Exact   bool    `json:"-"` // that of Query
}

// Query reads the parameters, with the custom fields of a schema. Without
// sort_by the list is sorted by relevance if it has a text, else by usual. What
// is wrong with the filters or the facets is an Invalid error.
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

// shorthands returns the parameters that stand for a rule, as rules.
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

// InCollection returns the rule that an asset is in any of some collections.
func InCollection(ids ...int64) *Filter {
	return rule("asset.collections", OpIn, FilterValue{IDs: ids})
}

func rule(field string, op FilterOperator, v FilterValue) *Filter {
	f, _ := filterField(field)
	return &Filter{Field: f, Operator: op, Value: v}
}

// AllOf returns a filter that all of some filters have to match; nil ones are
// left out, and nil stands for none at all.
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

// Meaning is the state of search by meaning. Words are found in all of them.
type Meaning string

// The states.
const (
	MeaningReady       Meaning = "ready"
	MeaningIndexing    Meaning = "indexing"    // some vectors are still to be made
	MeaningLoading     Meaning = "loading"     // the vectors are being read into memory
	MeaningOff         Meaning = "off"         // it is disabled
	MeaningUnavailable Meaning = "unavailable" // the model does not answer
)

// Values lists the states.
func (Meaning) Values() []Meaning {
	return []Meaning{MeaningReady, MeaningIndexing, MeaningLoading, MeaningOff, MeaningUnavailable}
}

// Searches reports whether assets are found by meaning in state m.
func (m Meaning) Searches() bool { return m == MeaningReady || m == MeaningIndexing }

// Matches is by what a text finds assets: how many have its words, and how many
// only mean the same.
type Matches struct{ Words, Meaning int }

// Fragment is a piece of an asset's text with the words that a query found.
type Fragment struct {
	Field string // of custom fields "metadata.{key}"
	HTML  string // the text, escaped, with what was found in <mark> elements
}
