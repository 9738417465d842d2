package search

import (
	"context"
	"slices"

	"github.com/digital-asset-library/dal/app/dam"
)

// Source is the library as the engine reads it.
type Source interface {
	// LastSeq returns the sequence number of the latest committed change, 0 if
	// there was none. It is asked before every search.
	LastSeq(ctx context.Context) (int64, error)
	// Columns returns up to limit changes after a sequence number, in order,
	// whose assets have their scalar fields only.
	Columns(ctx context.Context, after int64, limit int) ([]dam.Change, error)
	// Documents returns the same changes with all fields.
	Documents(ctx context.Context, after int64, limit int) ([]dam.Change, error)
	// Values calls yield for what assets have in one field, those of a nil list
	// all: for each of their keywords or ai_tags (a string), for each of their
	// collections (an int64), for their ai_caption or ocr_text (a string), for
	// their colors ([]dam.Color), for their metadata.{key} (a string, float64,
	// bool or []any).
	Values(ctx context.Context, field string, assets []int64, yield func(asset int64, v any)) error
}

// Embedder turns texts into vectors whose direction is their meaning.
type Embedder interface {
	// Model names the model; vectors of different models cannot be compared.
	Model() string
	// Embed returns a vector of length one for each text, nil for a text
	// without meaning.
	Embed(ctx context.Context, texts []string) ([][]float32, error)
}

// Sort names what a list is sorted by, as the interface does.
type Sort string

// The sorts. Relevance without anything to be relevant to is by creation.
const (
	SortCreatedAt        Sort = "created_at"
	SortUpdatedAt        Sort = "updated_at"
	SortTitle            Sort = "title"
	SortOriginalFilename Sort = "original_filename"
	SortSize             Sort = "size"
	SortRelevance        Sort = "relevance"
	SortPosition         Sort = "position" // as Query.Order
)

// Trashed says which assets count.
type Trashed uint8

// Assets outside the trash, in it, or both.
const (
	TrashedWithout Trashed = iota
	TrashedOnly
	TrashedWith
)

// Query asks for a part of the assets that fit all it says.
type Query struct {
	Text         string
	Filter       *dam.Filter // nil for none
	AssetClassID *int64
	BatchID      *int64
	MIME         string // part of the MIME type, in any case
	Trashed      Trashed
	Sort         Sort // "" is relevance
	Desc         bool
	Offset       int
	Limit        int
	Facets       []string // fields, as FacetFields or "metadata.{key}"
	// Collections are those that the caller knows: needed for rules and facets
	// about them.
	Collections *Collections
	// Batches are the upload batches that the caller knows; those of others do
	// not exist for it. Nil is all of them.
	Batches *Batches
	Order   []int64 // assets, for SortPosition
}

// AboutCollections reports whether a query has to know the Collections.
func (q *Query) AboutCollections() bool {
	about := slices.Contains(q.Facets, fieldCollections)
	leaves(q.Filter, func(f *dam.Filter) error {
		about = about || f.Field.Type == dam.FilterIDs
		return nil
	})
	return about
}

// AboutBatches reports whether a query has to know the Batches.
func (q *Query) AboutBatches() bool {
	about := q.BatchID != nil || slices.Contains(q.Facets, fieldBatch)
	leaves(q.Filter, func(f *dam.Filter) error {
		about = about || f.Field.Name == fieldBatch && f.Field.Type == dam.FilterNumber
		return nil
	})
	return about
}

// Result is what a query found.
type Result struct {
	Total int // all that fit
	Hits  []Hit
	// TextLag is how many changes the text index did not know yet.
	TextLag int64
	Meaning Meaning
	// Facets has for each facet asked for the values in the result.
	Facets map[string][]FacetValue
	// Highlight finds in an asset what the text matched; nil without a text.
	Highlight *Highlighter
}

// Hit is one asset found.
type Hit struct {
	AssetID   int64
	Score     float64  // how well the text matched, higher is better; 0 without one
	MatchedOn []string // the fields that the text matched
}

// Meaning is the state of the search by meaning.
type Meaning string

// The states: vectors are there, all or but some that are still to be made; they
// are being read into memory; nobody wants them; or the model does not answer.
// Full text answers in all of them.
const (
	MeaningReady       Meaning = "ready"
	MeaningIndexing    Meaning = "indexing"
	MeaningLoading     Meaning = "loading"
	MeaningOff         Meaning = "off"
	MeaningUnavailable Meaning = "unavailable"
)
