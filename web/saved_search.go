package web

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/digital-asset-library/dal/app/dam"
)

// SavedSearch is a search that a user keeps for later.
type SavedSearch struct {
	ID        int64      `json:"id" example:"4"`
	Name      string     `json:"name" example:"Harbours to approve"`
	Query     SavedQuery `json:"query"`
	CreatedAt Time       `json:"created_at"`
	UpdatedAt Time       `json:"updated_at"`
}

// SavedQuery is what a saved search looks for: the parameters of GET /assets,
// null where nothing was said.
type SavedQuery struct {
	Q             *string        `json:"q" required:"false" maxLength:"500" doc:"Words to look for, as q of GET /assets." example:"harbour dawn"`
	Filters       FilterDocument `json:"filters" required:"false" doc:"A filter document as filters of GET /assets, but as a JSON object and not as a text: at most 64 KiB without white space. It comes back as it was sent, but without collections:read with 0 for each collection."`
	SortBy        *dam.Sort      `json:"sort_by" required:"false" enum:"created_at,updated_at,title,original_filename,size,relevance" doc:"As sort_by of GET /assets." example:"title"`
	SortDirection *dam.Direction `json:"sort_direction" required:"false" enum:"asc,desc" doc:"As sort_direction of GET /assets." example:"asc"`
	AssetClassID  *int64         `json:"asset_class_id" required:"false" minimum:"1" doc:"Assets of this class." example:"1"`
	MIMEType      *string        `json:"mime_type" required:"false" maxLength:"100" doc:"Assets whose MIME type has this in it." example:"image/"`
	BatchID       *int64         `json:"ingestion_batch_id" required:"false" minimum:"1" doc:"Assets that came with this upload batch." example:"3"`
	Trashed       *dam.Trashed   `json:"trashed" required:"false" enum:"only,with" doc:"Only the assets in the trash, or those too." example:"only"`
}

// FilterDocument is a filter document as the client wrote it, compact; "" is
// null.
type FilterDocument string

// MarshalJSON writes the document or null.
func (f FilterDocument) MarshalJSON() ([]byte, error) {
	if f == "" {
		return []byte("null"), nil
	}
	return []byte(f), nil
}

// UnmarshalJSON takes the document without its white space.
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

// Schema describes a filter document or null.
func (FilterDocument) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeObject, Nullable: true, AdditionalProperties: true, Extensions: map[string]any{filterMark: true}, Examples: []any{map[string]any{
		"type": "group", "operator": "and", "rules": []any{
			map[string]any{"type": "filter", "field": "asset.workflow_status", "operator": "equals", "value": "in_review"},
		}}}}
}

func toSavedSearch(s *dam.SavedSearch) SavedSearch {
	q := s.Query
	return SavedSearch{ID: s.ID, Name: s.Name, CreatedAt: Time{s.CreatedAt}, UpdatedAt: Time{s.UpdatedAt}, Query: SavedQuery{
		Q: orNull(q.Q), Filters: FilterDocument(q.Filters), SortBy: orNull(q.SortBy), SortDirection: orNull(q.SortDirection),
		AssetClassID: orNull(q.AssetClassID), MIMEType: orNull(q.MIMEType), BatchID: orNull(q.BatchID), Trashed: orNull(q.Trashed),
	}}
}

func (q SavedQuery) params() dam.QueryParams {
	return dam.QueryParams{
		Q: value(q.Q), Filters: string(q.Filters), SortBy: value(q.SortBy), SortDirection: value(q.SortDirection),
		AssetClassID: value(q.AssetClassID), MIMEType: value(q.MIMEType), BatchID: value(q.BatchID), Trashed: value(q.Trashed),
	}
}

// value returns what p points to, the zero value for nil.
func value[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

// orNull returns a pointer to v, nil for the zero value.
func orNull[T comparable](v T) *T {
	if v == *new(T) {
		return nil
	}
	return &v
}

type (
	savedSearchesInput struct {
		PageInput
	}
	// SavedSearchInput names a saved search in the path.
	SavedSearchInput struct {
		SavedSearch int64 `path:"saved_search" doc:"The saved search's id." example:"4"`
	}
	createSavedSearchInput struct {
		Body struct {
			Name  string     `json:"name" minLength:"1" maxLength:"255" doc:"Unique among the user's saved searches, in any case." example:"Harbours to approve"`
			Query SavedQuery `json:"query"`
		} `contentType:"application/json" nameHint:"CreateSavedSearch"`
	}
	updateSavedSearchInput struct {
		SavedSearchInput
		ReturnedInput
		Body *struct {
			Name  Opt[string]     `json:"name,omitempty" nullable:"false" minLength:"1" maxLength:"255" doc:"Unique among the user's saved searches, in any case." example:"Harbours to approve"`
			Query Opt[SavedQuery] `json:"query,omitempty" nullable:"false" doc:"The whole query: what is absent in it is null from now on."`
		} `contentType:"application/json" nameHint:"UpdateSavedSearch"`
	}
	savedSearchOutput   struct{ Body one[SavedSearch] }
	savedSearchesOutput struct{ Body list[SavedSearch] }
)

func (s *Server) savedSearchRoutes() {
	op := func(id, method, path, summary, doc string) route {
		return route{id: id, method: method, path: "/saved-searches" + path, tag: "Saved searches", summary: summary, doc: doc,
			abilities: []dam.Ability{dam.AssetsRead}}
	}
	register(s, op("listSavedSearches", "GET", "", "List saved searches", "The saved searches of the authenticated user, by name. Nobody sees those of others.").huma(), s.listSavedSearches)
	create := op("createSavedSearch", "POST", "", "Save a search", "Keeps a search for the authenticated user, who can have 500.")
	create.status = http.StatusCreated
	register(s, create.huma(), s.createSavedSearch)
	register(s, op("showSavedSearch", "GET", "/{saved_search}", "Show a saved search", "One of another user is not found.").huma(), s.showSavedSearch)
	registerPut(s, op("updateSavedSearch", "PUT", "/{saved_search}", "Update a saved search", "Changes what is sent, leaves what is absent.").huma(), s.savedSearchAsShown, s.updateSavedSearch)
	register(s, op("deleteSavedSearch", "DELETE", "/{saved_search}", "Delete a saved search", "The assets that it finds stay as they are.").huma(), s.deleteSavedSearch)
}

func (s *Server) listSavedSearches(ctx context.Context, in *savedSearchesInput) (*savedSearchesOutput, error) {
	searches, total, err := s.app.SavedSearches(ctx, requestOf(ctx).actor, in.page())
	if err != nil {
		return nil, err
	}
	return &savedSearchesOutput{*paginate(ctx, &in.PageInput, mapped(searches, toSavedSearch), total)}, nil
}

func (s *Server) createSavedSearch(ctx context.Context, in *createSavedSearchInput) (*created[SavedSearch], error) {
	search := &dam.SavedSearch{Name: in.Body.Name, Query: in.Body.Query.params()}
	if err := s.app.CreateSavedSearch(ctx, requestOf(ctx).actor, search); err != nil {
		return nil, err
	}
	return made(ctx, "/saved-searches/"+itoa(search.ID), toSavedSearch(search)), nil
}

func (s *Server) showSavedSearch(ctx context.Context, in *SavedSearchInput) (*savedSearchOutput, error) {
	return savedSearchAnswer(s.app.SavedSearch(ctx, requestOf(ctx).actor, in.SavedSearch))
}

func (s *Server) savedSearchAsShown(ctx context.Context, in *updateSavedSearchInput) (any, error) {
	search, err := s.app.SavedSearch(ctx, requestOf(ctx).actor, in.SavedSearch)
	if err != nil {
		return nil, err
	}
	return toSavedSearch(search), nil
}

func (s *Server) updateSavedSearch(ctx context.Context, in *updateSavedSearchInput) (*savedSearchOutput, error) {
	p := &dam.SavedSearchPatch{}
	if b := in.Body; b != nil {
		p.Name = b.Name.Opt
		p.Query = dam.Opt[dam.QueryParams]{Sent: b.Query.Sent, Null: b.Query.Null, Value: b.Query.Value.params()}
	}
	return savedSearchAnswer(s.app.UpdateSavedSearch(ctx, requestOf(ctx).actor, in.SavedSearch, p))
}

func savedSearchAnswer(search *dam.SavedSearch, err error) (*savedSearchOutput, error) {
	if err != nil {
		return nil, err
	}
	return &savedSearchOutput{one[SavedSearch]{toSavedSearch(search)}}, nil
}

func (s *Server) deleteSavedSearch(ctx context.Context, in *SavedSearchInput) (*messageOutput, error) {
	if err := s.app.DeleteSavedSearch(ctx, requestOf(ctx).actor, in.SavedSearch); err != nil {
		return nil, err
	}
	return &messageOutput{message{"Saved search deleted."}}, nil
}
