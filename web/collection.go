package web

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"github.com/digital-asset-library/dal/app/access"
	"github.com/digital-asset-library/dal/app/collection"
	"github.com/digital-asset-library/dal/app/dam"
)

// Collection is a collection in a list.
type Collection struct {
	ID            int64          `json:"id" example:"2"`
	Name          string         `json:"name" example:"Harbours"`
	Description   *string        `json:"description" example:"Ports, piers and quays"`
	TypeID        *int64         `json:"collection_type_id" example:"1"`
	ParentID      *int64         `json:"parent_id" example:"1"`
	IsActive      bool           `json:"is_active" example:"true"`
	Visibility    dam.Visibility `json:"visibility" example:"restricted"`
	ViewerIDs     []int64        `json:"viewer_ids" nullable:"true" example:"[2,3]"`
	Rules         FilterDocument `json:"rules"`
	CoverGAID     *dam.GAID      `json:"cover_gaid" example:"01KB3J8Q5V7X9Z1B3D5F7H9K1M"`
	AssetsCount   int            `json:"assets_count" minimum:"0" doc:"Number of assets, excluding those in the trash." example:"24"`
	ChildrenCount int            `json:"children_count" minimum:"0" example:"2"`
	Position      int64          `json:"position" doc:"Position in lists, in ascending order." example:"0"`
	CreatedAt     Time           `json:"created_at"`
	UpdatedAt     Time           `json:"updated_at" doc:"When the collection, or its set of assets, last changed."`
}

// CollectionDetail is a single collection.
type CollectionDetail struct {
	Collection
	Parent    Null[Collection] `json:"parent"`
	Children  []Collection     `json:"children"`
	CreatedBy Null[User]       `json:"created_by"`
	UpdatedBy Null[User]       `json:"updated_by"`
}

// toCollection converts a collection that the actor may view.
func toCollection(actor dam.Actor, c *dam.Collection) Collection {
	v := Collection{ID: c.ID, Name: c.Name, Description: text(c.Description), TypeID: number(c.TypeID), ParentID: number(c.ParentID),
		IsActive: c.Active, Visibility: c.Visibility, Rules: FilterDocument(c.Rules), AssetsCount: c.AssetsCount,
		ChildrenCount: c.ChildrenCount, Position: c.Position,
		CreatedAt: Time{c.CreatedAt}, UpdatedAt: Time{c.UpdatedAt}}
	if access.SeesViewers(actor, c) {
		v.ViewerIDs = orEmpty(c.ViewerIDs)
	}
	if c.CoverGAID != "" && !c.CoverTrashed {
		v.CoverGAID = &c.CoverGAID
	}
	return v
}

func toCollectionDetail(actor dam.Actor, d *collection.Detail) CollectionDetail {
	shown := func(c *dam.Collection) Collection { return toCollection(actor, c) }
	return CollectionDetail{Collection: shown(d.Collection), Parent: null(d.Parent, shown), Children: mapped(d.Children, shown),
		CreatedBy: null(d.CreatedBy, toUser), UpdatedBy: null(d.UpdatedBy, toUser)}
}

// CollectionBody contains the editable fields of a collection except its name.
type CollectionBody struct {
	Description Opt[string]         `json:"description,omitempty" doc:"Up to 10000 characters." example:"Ports, piers and quays"`
	TypeID      Opt[int64]          `json:"collection_type_id,omitempty" minimum:"1" doc:"Id of a collection type." example:"1"`
	ParentID    Opt[int64]          `json:"parent_id,omitempty" minimum:"0" example:"1"`
	IsActive    Opt[bool]           `json:"is_active,omitempty" doc:"Whether the collection is active; null means true." example:"true"`
	Visibility  Opt[dam.Visibility] `json:"visibility,omitempty" doc:"Who may view the collection; null means everyone." example:"restricted"`
	ViewerIDs   Opt[[]int64]        `json:"viewer_ids,omitempty" maxItems:"1000" example:"[2,3]"`
	Rules       Opt[FilterDocument] `json:"rules,omitempty"`
	CoverGAID   Opt[dam.GAID]       `json:"cover_gaid,omitempty" doc:"Any asset outside the trash." example:"01KB3J8Q5V7X9Z1B3D5F7H9K1M"`
	Position    Opt[int64]          `json:"position,omitempty" minimum:"0" maximum:"1000000" doc:"Position in lists; null is 0." example:"0"`
}

func (b *CollectionBody) patch(name dam.Opt[string]) *dam.CollectionPatch {
	return &dam.CollectionPatch{Name: name, Description: b.Description.Opt, TypeID: b.TypeID.Opt, ParentID: b.ParentID.Opt,
		Active: b.IsActive.Opt, Visibility: b.Visibility.Opt, ViewerIDs: b.ViewerIDs.Opt, CoverGAID: b.CoverGAID.Opt, Position: b.Position.Opt,
		Rules: optAs(b.Rules, FilterDocument.text)}
}

type (
	collectionsInput struct {
		Page     int    `query:"page" minimum:"1" maximum:"1000000" default:"1" doc:"Page number, starting at 1." example:"1"`
		PerPage  int    `query:"per_page" minimum:"1" maximum:"500" default:"24" doc:"Maximum number of items per page." example:"24"`
		TypeID   string `query:"collection_type_id" doc:"Collections of this type; 0 for those without one." example:"1"`
		ParentID string `query:"parent_id" doc:"Direct children of this collection; 0 for the top level." example:"0"`
		Q        string `query:"q" maxLength:"255" doc:"Collections whose name contains this, ignoring case and accents." example:"harb"`
		IsActive bool   `query:"is_active" default:"false" doc:"Only active collections." example:"true"`
		url      url.URL
	}
	// CollectionInput names a collection in the path.
	CollectionInput struct {
		Collection int64 `path:"collection" doc:"The collection's id." example:"2"`
	}
	showCollectionInput struct {
		CollectionInput
		IfNoneMatch string `header:"If-None-Match" example:"\"4f2a9c01b7d3e8f65a10c2d4\""`
	}
	deleteCollectionInput struct {
		CollectionInput
		ConditionInput
	}
	createCollectionInput struct {
		Body struct {
			Name string `json:"name" minLength:"1" maxLength:"255" example:"Harbours"`
			CollectionBody
		} `contentType:"application/json" nameHint:"CreateCollection"`
	}
	updateCollectionInput struct {
		CollectionInput
		ConditionInput
		ReturnedInput
		Body *struct {
			Name Opt[string] `json:"name,omitempty" nullable:"false" minLength:"1" maxLength:"255" example:"Harbours"`
			CollectionBody
		} `contentType:"application/json" nameHint:"UpdateCollection"`
	}
	collectionOutput struct {
		Status int
		ETag   string `header:"ETag" doc:"Entity tag, which changes with the returned collection."`
		Body   *one[CollectionDetail]
	}
)

// Resolve stores the request's URL for the links of the page.
func (in *collectionsInput) Resolve(ctx huma.Context) []error {
	in.url = listURL(ctx)
	return nil
}

func (s *Server) collectionRoutes() {
	all := group{tag: "Collections", path: "/collections"}
	register(s, all.route("listCollections", "GET", "", "List collections", dam.CollectionsRead), s.listCollections)
	register(s, all.route("createCollection", "POST", "", "Create a collection", dam.CollectionsWrite).creating(), s.createCollection)
	register(s, all.route("showCollection", "GET", "/{collection}", "Show a collection", dam.CollectionsRead), s.showCollection)
	registerPut(s, all.route("updateCollection", "PUT", "/{collection}", "Update a collection", dam.CollectionsWrite),
		s.collectionAsShown, s.updateCollection)
	register(s, all.route("deleteCollection", "DELETE", "/{collection}", "Delete a collection", dam.CollectionsDelete), s.deleteCollection)
}

func (s *Server) listCollections(ctx context.Context, in *collectionsInput) (*listOutput[Collection], error) {
	f := dam.CollectionFilter{Active: in.IsActive, Name: in.Q}
	var p dam.Problems
	f.TypeID, f.ParentID = optionalID(&p, "collection_type_id", in.TypeID), optionalID(&p, "parent_id", in.ParentID)
	if err := p.Err(); err != nil {
		return nil, err
	}
	page := PageInput{Page: in.Page, PerPage: in.PerPage, url: in.url}
	actor := requestOf(ctx).actor
	all, total, err := s.app.Collections.List(ctx, actor, f, page.page())
	if err != nil {
		return nil, err
	}
	shown := func(c *dam.Collection) Collection { return toCollection(actor, c) }
	return &listOutput[Collection]{*paginate(ctx, &page, mapped(all, shown), total)}, nil
}

// optionalID parses an id that is a string in the contract; it returns nil for "".
func optionalID(p *dam.Problems, field, s string) *int64 {
	if s == "" {
		return nil
	}
	id, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		p.Add(field, "%s", fieldMessage(field, "expected integer"))
	}
	return &id
}

func (s *Server) createCollection(ctx context.Context, in *createCollectionInput) (*created[CollectionDetail], error) {
	p := in.Body.patch(sent(in.Body.Name))
	d, err := s.app.Collections.Create(ctx, requestOf(ctx).actor, p)
	if err != nil {
		return nil, err
	}
	return made(ctx, "/collections/"+itoa(d.ID), toCollectionDetail(requestOf(ctx).actor, d)), nil
}

func (s *Server) showCollection(ctx context.Context, in *showCollectionInput) (*collectionOutput, error) {
	out, err := collectionAnswer(ctx)(s.app.Collections.Get(ctx, requestOf(ctx).actor, in.Collection))
	if err == nil && unmodified(ctx, out.ETag) {
		out.Status, out.Body = http.StatusNotModified, nil
	}
	return out, err
}

func (s *Server) collectionAsShown(ctx context.Context, in *updateCollectionInput) (any, error) {
	d, err := s.app.Collections.Get(ctx, requestOf(ctx).actor, in.Collection)
	if err != nil {
		return nil, err
	}
	return toCollectionDetail(requestOf(ctx).actor, d), nil
}

func (s *Server) updateCollection(ctx context.Context, in *updateCollectionInput) (*collectionOutput, error) {
	p := &dam.CollectionPatch{}
	if in.Body != nil {
		p = in.Body.patch(in.Body.Name.Opt)
	}
	return collectionAnswer(ctx)(s.app.Collections.Update(ctx, requestOf(ctx).actor, in.Collection, p, collectionCheck(ctx)))
}

func collectionAnswer(ctx context.Context) func(*collection.Detail, error) (*collectionOutput, error) {
	return func(d *collection.Detail, err error) (*collectionOutput, error) {
		if err != nil {
			return nil, err
		}
		v := toCollectionDetail(requestOf(ctx).actor, d)
		return &collectionOutput{Status: http.StatusOK, ETag: hashTag(v), Body: &one[CollectionDetail]{v}}, nil
	}
}

func (s *Server) deleteCollection(ctx context.Context, in *deleteCollectionInput) (*messageOutput, error) {
	return done("Collection deleted.", s.app.Collections.Delete(ctx, requestOf(ctx).actor, in.Collection, collectionCheck(ctx)))
}
