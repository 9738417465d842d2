package web

import (
	"bytes"
	"context"
	"encoding/json"

	"github.com/danielgtaylor/huma/v2"

	"github.com/digital-asset-library/dal/app/dam"
)

// SavedSearch is a user's saved search.
type SavedSearch struct {
	ID        int64      `json:"id" example:"4"`
	Name      string     `json:"name" example:"Harbours to approve"`
	Query     SavedQuery `json:"query"`
	CreatedAt Time       `json:"created_at"`
	UpdatedAt Time       `json:"updated_at"`
}

// SavedQuery is the query of a saved search: the parameters of GET /assets, with null for
// absent ones.
type SavedQuery struct {
	Q             *string             `json:"q" required:"false" maxLength:"500" doc:"As in GET /assets." example:"harbour dawn"`
	Meaning       *bool               `json:"meaning" required:"false" doc:"As in GET /assets: false, or null." example:"false"`
	Filters       FilterDocument      `json:"filters" required:"false"`
	SortBy        Null[AssetSort]     `json:"sort_by" required:"false" doc:"As in GET /assets." example:"title"`
	SortDirection Null[dam.Direction] `json:"sort_direction" required:"false" doc:"As in GET /assets." example:"asc"`
	AssetClassID  *int64              `json:"asset_class_id" required:"false" minimum:"1" doc:"Assets of this class." example:"1"`
	MIMEType      *string             `json:"mime_type" required:"false" maxLength:"100" doc:"As in GET /assets." example:"image/"`
	BatchID       *int64              `json:"ingestion_batch_id" required:"false" minimum:"1" doc:"Assets of this upload batch." example:"3"`
	Trashed       Null[dam.Trashed]   `json:"trashed" required:"false" doc:"As in GET /assets." example:"only"`
}

// FilterDocument is a filter document in the client's spelling, compacted; "" means
// null.
type FilterDocument string

// MarshalJSON encodes the document or null.
func (f FilterDocument) MarshalJSON() ([]byte, error) {
	if f == "" {
		return []byte("null"), nil
	}
	return []byte(f), nil
}

// UnmarshalJSON stores the document without white space.
func (f *FilterDocument) UnmarshalJSON(b []byte) error {
	var c bytes.Buffer
	if err := json.Compact(&c, b); err != nil {
		return err
	}
	if *f = FilterDocument(c.String()); *f == "null" {
		*f = ""
	}
	return nil
}

func (f FilterDocument) text() string { return string(f) }

// Schema describes a filter document or null.
func (FilterDocument) Schema(huma.Registry) *huma.Schema {
	rule := map[string]any{"type": "filter", "field": "asset.workflow_status", "operator": "equals", "value": "in_review"}
	return &huma.Schema{Type: huma.TypeObject, Nullable: true, AdditionalProperties: true, Extensions: map[string]any{filterMark: true},
		Examples: []any{map[string]any{"type": "group", "operator": "and", "rules": []any{rule}}}}
}

func toSavedSearch(s *dam.SavedSearch) SavedSearch {
	q := s.Query
	var meaning *bool
	if q.WordsOnly {
		meaning = ptr(false)
	}
	return SavedSearch{ID: s.ID, Name: s.Name, CreatedAt: Time{s.CreatedAt}, UpdatedAt: Time{s.UpdatedAt}, Query: SavedQuery{
		Q: text(q.Q), Meaning: meaning, Filters: FilterDocument(q.Filters),
		SortBy: nullWord(AssetSort(q.SortBy)), SortDirection: nullWord(q.SortDirection),
		AssetClassID: number(q.AssetClassID), MIMEType: text(q.MIMEType), BatchID: number(q.BatchID), Trashed: nullWord(q.Trashed),
	}}
}

func (q SavedQuery) params() dam.QueryParams {
	return dam.QueryParams{
		Q: value(q.Q), WordsOnly: q.Meaning != nil && !*q.Meaning, Filters: string(q.Filters),
		SortBy: dam.Sort(value(q.SortBy.Value)), SortDirection: value(q.SortDirection.Value),
		AssetClassID: value(q.AssetClassID), MIMEType: value(q.MIMEType), BatchID: value(q.BatchID), Trashed: value(q.Trashed.Value),
	}
}

type (
	// SavedSearchInput names a saved search in the path.
	SavedSearchInput struct {
		SavedSearch int64 `path:"saved_search" doc:"The saved search's id." example:"4"`
	}
	createSavedSearchInput struct {
		Body struct {
			Name  string     `json:"name" minLength:"1" maxLength:"255" example:"Harbours to approve"`
			Query SavedQuery `json:"query"`
		} `contentType:"application/json" nameHint:"CreateSavedSearch"`
	}
	updateSavedSearchInput struct {
		SavedSearchInput
		ReturnedInput
		Body *struct {
			Name  Opt[string]     `json:"name,omitempty" nullable:"false" minLength:"1" maxLength:"255" example:"Harbours to approve"`
			Query Opt[SavedQuery] `json:"query,omitempty" nullable:"false" doc:"The complete query: omitted members become null."`
		} `contentType:"application/json" nameHint:"UpdateSavedSearch"`
	}
)

func (s *Server) savedSearchRoutes() {
	searches := group{tag: "Saved searches", path: "/saved-searches", abilities: []dam.Ability{dam.AssetsRead}}
	register(s, searches.route("listSavedSearches", "GET", "", "List saved searches"), s.listSavedSearches)
	register(s, searches.route("createSavedSearch", "POST", "", "Create a saved search").creating(), s.createSavedSearch)
	register(s, searches.route("showSavedSearch", "GET", "/{saved_search}", "Show a saved search"), s.showSavedSearch)
	registerPut(s, searches.route("updateSavedSearch", "PUT", "/{saved_search}", "Update a saved search"),
		s.savedSearchAsShown, s.updateSavedSearch)
	registerChange(s, searches.route("deleteSavedSearch", "DELETE", "/{saved_search}", "Delete a saved search"),
		shownBy(s.showSavedSearch), s.deleteSavedSearch)
}

func (s *Server) listSavedSearches(ctx context.Context, in *PageInput) (*listOutput[SavedSearch], error) {
	return pageAnswer(ctx, in, toSavedSearch)(s.app.Finder.SavedSearches(ctx, requestOf(ctx).actor, in.page()))
}

func (s *Server) createSavedSearch(ctx context.Context, in *createSavedSearchInput) (*created[SavedSearch], error) {
	search := &dam.SavedSearch{Name: in.Body.Name, Query: in.Body.Query.params()}
	if err := s.app.Finder.CreateSavedSearch(ctx, requestOf(ctx).actor, search); err != nil {
		return nil, err
	}
	return made(ctx, "/saved-searches/"+itoa(search.ID), toSavedSearch(search)), nil
}

func (s *Server) showSavedSearch(ctx context.Context, in *SavedSearchInput) (*oneOutput[SavedSearch], error) {
	return answer(toSavedSearch)(s.app.Finder.SavedSearch(ctx, requestOf(ctx).actor, in.SavedSearch))
}

func (s *Server) savedSearchAsShown(ctx context.Context, in *updateSavedSearchInput) (any, error) {
	search, err := s.app.Finder.SavedSearch(ctx, requestOf(ctx).actor, in.SavedSearch)
	if err != nil {
		return nil, err
	}
	return toSavedSearch(search), nil
}

func (s *Server) updateSavedSearch(ctx context.Context, in *updateSavedSearchInput) (*oneOutput[SavedSearch], error) {
	p := &dam.SavedSearchPatch{}
	if b := in.Body; b != nil {
		p.Name = b.Name.Opt
		p.Query = optAs(b.Query, SavedQuery.params)
	}
	return answer(toSavedSearch)(s.app.Finder.UpdateSavedSearch(ctx, requestOf(ctx).actor, in.SavedSearch, p))
}

func (s *Server) deleteSavedSearch(ctx context.Context, in *SavedSearchInput) (*messageOutput, error) {
	return done("Saved search deleted.", s.app.Finder.DeleteSavedSearch(ctx, requestOf(ctx).actor, in.SavedSearch))
}
