package web

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/schema"
)

// MetadataField is the definition of a custom field.
type MetadataField struct {
	Key           string          `json:"key" doc:"Key of the field, which never changes." example:"region"`
	Label         string          `json:"label" example:"Region"`
	Description   *string         `json:"description" example:"Where the picture was taken."`
	Type          dam.FieldType   `json:"type" example:"term"`
	VocabularyID  *int64          `json:"vocabulary_id" doc:"For term and terms: the vocabulary of the terms." example:"2"`
	IsRequired    bool            `json:"is_required" example:"false"`
	IsSearchable  bool            `json:"is_searchable" doc:"Whether q searches the values; for terms, their labels." example:"true"`
	IsFilterable  bool            `json:"is_filterable" doc:"Whether the field can be used in filters and facets." example:"true"`
	DefaultValue  AnyValue        `json:"default_value" example:"\"europe\""`
	Validation    FieldValidation `json:"validation"`
	AssetClassIDs []int64         `json:"asset_class_ids" doc:"Asset classes that the field applies to; empty for all assets." example:"[1]"`
	Position      int             `json:"position" doc:"Position in lists and forms." example:"3"`
	XMPPath       *string         `json:"xmp_path" doc:"XMP property that fills the field; null for none." example:"photoshop:Headline"`
	NewTerms      bool            `json:"accepts_new_terms" doc:"Whether files add missing terms to the vocabulary." example:"false"`
	CreatedAt     Time            `json:"created_at"`
	UpdatedAt     Time            `json:"updated_at"`
}

// FieldValidation restricts the values that can be written to a field.
type FieldValidation struct {
	Min       Bound   `json:"min" required:"false" example:"0"`
	Max       Bound   `json:"max" required:"false" doc:"The maximum, like min." example:"100"`
	MaxLength *int    `json:"max_length" required:"false" minimum:"1" maximum:"100000" example:"200"`
	Pattern   *string `json:"pattern" required:"false" maxLength:"500" example:"[A-Z]{2}-[0-9]+"`
}

func (v FieldValidation) dam() dam.FieldValidation {
	return dam.FieldValidation{Min: v.Min.v, Max: v.Max.v, MaxLength: value(v.MaxLength), Pattern: value(v.Pattern)}
}

func toMetadataField(f *dam.Field) MetadataField {
	v := FieldValidation{Min: Bound{AnyValue{f.Validation.Min}}, Max: Bound{AnyValue{f.Validation.Max}}, Pattern: text(f.Validation.Pattern)}
	if n := f.Validation.MaxLength; n != 0 {
		v.MaxLength = &n
	}
	return MetadataField{Key: f.Key, Label: f.Label, Description: text(f.Description), Type: f.Type, VocabularyID: number(f.VocabularyID),
		IsRequired: f.IsRequired, IsSearchable: f.IsSearchable, IsFilterable: f.IsFilterable, DefaultValue: AnyValue{f.Default}, Validation: v,
		AssetClassIDs: orEmpty(f.AssetClassIDs), Position: f.Position, XMPPath: text(f.XMPPath), NewTerms: f.AcceptsNewTerms,
		CreatedAt: Time{f.CreatedAt}, UpdatedAt: Time{f.UpdatedAt}}
}

// MetadataFieldPlan is the effect of a change to a custom field.
type MetadataFieldPlan struct {
	AssetsCount int              `json:"assets_count" doc:"Number of assets with a value." example:"120"`
	LosingCount int              `json:"losing_count" doc:"Number of assets that would lose their value." example:"3"`
	Example     *string          `json:"example" doc:"Value that would be lost, as JSON; null for none." example:"\"about 1920\""`
	Collections []CollectionItem `json:"collections" doc:"Collections whose rules would match nothing."`
}

func toFieldPlan(p *schema.FieldPlan) MetadataFieldPlan {
	return MetadataFieldPlan{AssetsCount: p.Assets, LosingCount: p.Losing, Example: text(p.Example),
		Collections: mapped(p.Collections, func(c dam.CollectionRef) CollectionItem { return CollectionItem(c) })}
}

// AnyValue is the value of a custom field of any type: a string, a number, a boolean, a
// list of strings, or null.
type AnyValue struct{ v any }

// MarshalJSON encodes v.
func (v AnyValue) MarshalJSON() ([]byte, error) { return json.Marshal(v.v) }

// UnmarshalJSON decodes v.
func (v *AnyValue) UnmarshalJSON(b []byte) error { return json.Unmarshal(b, &v.v) }

// Schema describes a value.
func (AnyValue) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{OneOf: []*huma.Schema{{Type: huma.TypeString, Nullable: true}, {Type: huma.TypeNumber}, {Type: huma.TypeBoolean},
		{Type: huma.TypeArray, Items: &huma.Schema{Type: huma.TypeString}}}}
}

// Bound is a limit of a custom field: a number, a date, or null.
type Bound struct{ AnyValue }

// Schema describes a bound.
func (Bound) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{OneOf: []*huma.Schema{{Type: huma.TypeNumber, Nullable: true}, {Type: huma.TypeString}}}
}

type (
	fieldsInput struct {
		PageInput
		AssetClassID int64 `query:"asset_class_id" minimum:"1" doc:"Only fields that apply to this asset class." example:"1"`
	}
	// FieldInput names a custom field in the path.
	FieldInput struct {
		Key string `path:"key" maxLength:"64" doc:"The field's key." example:"region"`
	}
	// ForceInput permits the loss of values.
	ForceInput struct {
		Force bool `query:"force" doc:"Remove conflicting values instead of responding with 409." example:"false"`
	}
	createFieldInput struct {
		ForceInput
		Body struct {
			Key           string               `json:"key" example:"region"`
			Label         string               `json:"label" doc:"1 to 255 characters." example:"Region"`
			Description   Opt[string]          `json:"description,omitempty" doc:"Up to 2000 characters." example:"Where the picture was taken."`
			Type          dam.FieldType        `json:"type" doc:"Type of the values." example:"term"`
			VocabularyID  Opt[int64]           `json:"vocabulary_id,omitempty" minimum:"1" doc:"Required for the types term and terms." example:"2"`
			IsRequired    bool                 `json:"is_required,omitempty" example:"false"`
			IsSearchable  Opt[bool]            `json:"is_searchable,omitempty" nullable:"false" doc:"Default true." example:"true"`
			IsFilterable  Opt[bool]            `json:"is_filterable,omitempty" nullable:"false" doc:"Default true." example:"true"`
			DefaultValue  Opt[AnyValue]        `json:"default_value,omitempty" doc:"A value of the type." example:"\"europe\""`
			Validation    Opt[FieldValidation] `json:"validation,omitempty"`
			AssetClassIDs Opt[[]int64]         `json:"asset_class_ids,omitempty" doc:"Classes that it applies to; empty for all." example:"[1]"`
			Position      Opt[int]             `json:"position,omitempty" minimum:"0" doc:"Appended last if omitted." example:"3"`
			XMPPath       Opt[string]          `json:"xmp_path,omitempty" maxLength:"200" doc:"Mapped XMP property." example:"photoshop:Headline"`
			NewTerms      bool                 `json:"accepts_new_terms,omitempty" doc:"Whether files add missing terms." example:"false"`
		} `contentType:"application/json" nameHint:"CreateMetadataField"`
	}
	updateFieldInput struct {
		FieldInput
		ForceInput
		ReturnedInput
		Body *UpdateMetadataField `contentType:"application/json"`
	}
	planFieldInput struct {
		FieldInput
		Body struct {
			Change *UpdateMetadataField `json:"change,omitempty"`
		} `contentType:"application/json" nameHint:"PlanMetadataField"`
	}
	// UpdateMetadataField contains the editable members of a custom field.
	UpdateMetadataField struct {
		Label         Opt[string]          `json:"label,omitempty" nullable:"false" doc:"1 to 255 characters." example:"Region"`
		Description   Opt[string]          `json:"description,omitempty" doc:"Up to 2000 characters." example:"Where the picture was taken."`
		Type          Opt[dam.FieldType]   `json:"type,omitempty" nullable:"false" example:"terms"`
		VocabularyID  Opt[int64]           `json:"vocabulary_id,omitempty" minimum:"1" doc:"Required for the types term and terms." example:"2"`
		IsRequired    Opt[bool]            `json:"is_required,omitempty" nullable:"false" example:"true"`
		IsSearchable  Opt[bool]            `json:"is_searchable,omitempty" nullable:"false" example:"true"`
		IsFilterable  Opt[bool]            `json:"is_filterable,omitempty" nullable:"false" example:"true"`
		DefaultValue  Opt[AnyValue]        `json:"default_value,omitempty" doc:"A value of the type; null for none." example:"\"europe\""`
		Validation    Opt[FieldValidation] `json:"validation,omitempty"`
		AssetClassIDs Opt[[]int64]         `json:"asset_class_ids,omitempty" example:"[1]"`
		Position      Opt[int]             `json:"position,omitempty" nullable:"false" minimum:"0" example:"3"`
		XMPPath       Opt[string]          `json:"xmp_path,omitempty" maxLength:"200" doc:"Null for no mapping." example:"photoshop:Headline"`
		NewTerms      Opt[bool]            `json:"accepts_new_terms,omitempty" nullable:"false" doc:"Whether files add terms." example:"false"`
	}
	deleteFieldInput struct {
		FieldInput
		Force bool `query:"force" doc:"Delete the values of assets too, instead of responding with 409." example:"false"`
	}
)

// definitions is a group of routes for definitions: reading requires metadata:read,
// everything else metadata:write and an administrator.
type definitions struct{ group }

func (d definitions) route(id, method, path, summary string) route {
	switch method {
	case http.MethodGet:
		return d.group.route(id, method, path, summary, dam.MetadataRead)
	case http.MethodPost:
		return d.group.route(id, method, path, summary, dam.MetadataWrite).forAdmins().failing(409).creating()
	}
	return d.group.route(id, method, path, summary, dam.MetadataWrite).forAdmins().failing(409)
}

func (s *Server) fieldRoutes() {
	fields := definitions{group{tag: "Metadata", path: "/metadata/fields"}}
	register(s, fields.route("listMetadataFields", "GET", "", "List metadata fields"), s.listFields)
	register(s, fields.route("createMetadataField", "POST", "", "Create a metadata field"), s.createField)
	register(s, fields.route("showMetadataField", "GET", "/{key}", "Show a metadata field"), s.showField)
	registerPut(s, fields.route("updateMetadataField", "PUT", "/{key}", "Update a metadata field"), s.fieldAsShown, s.updateField)
	registerChange(s, fields.route("deleteMetadataField", "DELETE", "/{key}", "Delete a metadata field"),
		func(ctx context.Context, in *deleteFieldInput) (any, error) {
			return shownBy(s.showField)(ctx, &in.FieldInput)
		}, s.deleteField)
	plan := group{tag: "Metadata", path: "/metadata/fields"}.route("planMetadataField", "POST", "/{key}/plan",
		"Preview a change of a metadata field", dam.MetadataWrite)
	register(s, plan.forAdmins().reading(), s.planField)
	values := group{tag: "Assets", path: "/assets"}.route("updateAssetMetadata", "PUT", "/{gaid}/metadata", "Update an asset's metadata",
		dam.MetadataWrite)
	values.maxBody = metadataBody
	register(s, values, s.updateAssetMetadata)
}

// pageOf returns the requested page of a list in memory.
func pageOf[T any](in *PageInput, all []T) []T {
	p := in.page()
	from := min(p.Offset, len(all))
	return all[from:min(from+p.Limit, len(all))]
}

func (s *Server) listFields(ctx context.Context, in *fieldsInput) (*listOutput[MetadataField], error) {
	schema, err := s.app.Definitions.Definitions(ctx, requestOf(ctx).actor)
	if err != nil {
		return nil, err
	}
	fields := schema.Fields
	if in.AssetClassID != 0 {
		fields = slices.DeleteFunc(slices.Clone(fields), func(f *dam.Field) bool { return !f.AppliesTo(in.AssetClassID) })
	}
	return &listOutput[MetadataField]{*paginate(ctx, &in.PageInput, mapped(pageOf(&in.PageInput, fields), toMetadataField), len(fields))}, nil
}

func (s *Server) createField(ctx context.Context, in *createFieldInput) (*created[MetadataField], error) {
	b := &in.Body
	f := &dam.Field{Key: b.Key, Label: b.Label, Description: b.Description.Value, Type: b.Type, VocabularyID: b.VocabularyID.Value,
		IsRequired: b.IsRequired, IsSearchable: orTrue(b.IsSearchable), IsFilterable: orTrue(b.IsFilterable), Default: b.DefaultValue.Value.v,
		Validation: b.Validation.Value.dam(), AssetClassIDs: b.AssetClassIDs.Value, Position: position(b.Position),
		XMPPath: b.XMPPath.Value, AcceptsNewTerms: b.NewTerms}
	if err := s.app.Definitions.CreateField(ctx, requestOf(ctx).actor, f, in.Force); err != nil {
		return nil, err
	}
	return made(ctx, "/metadata/fields/"+f.Key, toMetadataField(f)), nil
}

// position returns the position that was sent, or -1 to append.
func position(o Opt[int]) int {
	if !o.Sent || o.Null {
		return -1
	}
	return o.Value
}

func (s *Server) showField(ctx context.Context, in *FieldInput) (*oneOutput[MetadataField], error) {
	return answer(toMetadataField)(s.app.Definitions.MetadataField(ctx, requestOf(ctx).actor, in.Key))
}

func (s *Server) fieldAsShown(ctx context.Context, in *updateFieldInput) (any, error) {
	f, err := s.app.Definitions.MetadataField(ctx, requestOf(ctx).actor, in.Key)
	if err != nil {
		return nil, err
	}
	return toMetadataField(f), nil
}

func (s *Server) updateField(ctx context.Context, in *updateFieldInput) (*oneOutput[MetadataField], error) {
	return answer(toMetadataField)(s.app.Definitions.UpdateField(ctx, requestOf(ctx).actor, in.Key, in.Body.apply, in.Force))
}

// apply applies the members that were sent to a field; nil changes nothing.
func (b *UpdateMetadataField) apply(f *dam.Field) {
	if b == nil {
		return
	}
	set(&f.Label, b.Label)
	set(&f.Description, b.Description)
	set(&f.Type, b.Type)
	set(&f.VocabularyID, b.VocabularyID)
	set(&f.IsRequired, b.IsRequired)
	set(&f.IsSearchable, b.IsSearchable)
	set(&f.IsFilterable, b.IsFilterable)
	set(&f.AssetClassIDs, b.AssetClassIDs)
	set(&f.Position, b.Position)
	set(&f.XMPPath, b.XMPPath)
	set(&f.AcceptsNewTerms, b.NewTerms)
	if b.DefaultValue.Sent {
		f.Default = b.DefaultValue.Value.v
	}
	if b.Validation.Sent {
		f.Validation = b.Validation.Value.dam()
	}
}

func (s *Server) planField(ctx context.Context, in *planFieldInput) (*oneOutput[MetadataFieldPlan], error) {
	var change func(*dam.Field) // nil to delete the field
	if in.Body.Change != nil {
		change = in.Body.Change.apply
	}
	return answer(toFieldPlan)(s.app.Definitions.PlanField(ctx, requestOf(ctx).actor, in.Key, change))
}

func (s *Server) deleteField(ctx context.Context, in *deleteFieldInput) (*messageOutput, error) {
	return done("Metadata field deleted.", s.app.Definitions.DeleteField(ctx, requestOf(ctx).actor, in.Key, in.Force))
}

type assetMetadataInput struct {
	GAIDInput
	ConditionInput
	Body map[string]any `contentType:"application/json" example:"{\"region\":\"europe\",\"rating\":4}"`
}

func (s *Server) updateAssetMetadata(ctx context.Context, in *assetMetadataInput) (*assetOutput, error) {
	p := &dam.AssetPatch{Metadata: sent(in.Body)}
	return s.patchAsset(ctx, in.GAID, p)
}
