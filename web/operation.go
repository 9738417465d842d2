package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/digital-asset-library/dal/app/bulk"
	"github.com/digital-asset-library/dal/app/dam"
)

// Operation is a background job on many assets.
type Operation struct {
	ID         int64                `json:"id" example:"7"`
	Type       dam.OperationType    `json:"type" example:"bulk_update"`
	Status     dam.OperationState   `json:"status" example:"running"`
	State      dam.OperationState   `json:"state" deprecated:"true" doc:"Same as status." example:"running"`
	Progress   OperationProgress    `json:"progress"`
	Error      Null[OperationError] `json:"error" doc:"Why it failed; null if it did not."`
	Spec       OperationSpec        `json:"spec" doc:"The request. Its selection was resolved at that time, to the items."`
	Download   Null[Download]       `json:"download" doc:"File of a completed export; null if there is none, or once it has expired."`
	CreatedBy  User                 `json:"created_by" doc:"User who started the operation."`
	CreatedAt  Time                 `json:"created_at"`
	UpdatedAt  Time                 `json:"updated_at"`
	StartedAt  NullTime             `json:"started_at" doc:"When processing started; null if it has not."`
	FinishedAt NullTime             `json:"finished_at" doc:"When the status became final; null before."`
}

// OperationProgress is the progress of an operation.
type OperationProgress struct {
	Total     int `json:"total" minimum:"0" doc:"Number of assets." example:"1200"`
	Done      int `json:"done" minimum:"0" doc:"Number of assets that succeeded, including unchanged ones." example:"598"`
	Unchanged int `json:"unchanged" minimum:"0" doc:"Number of these assets that needed no change." example:"12"`
	Failed    int `json:"failed" minimum:"0" example:"2"`
	Percent   int `json:"percent" minimum:"0" maximum:"100" example:"50"`
}

// OperationError explains why an operation or one of its items failed.
type OperationError struct {
	Code    dam.OperationErrorCode `json:"code" example:"not_found"`
	Message string                 `json:"message" example:"Asset not found."`
	Field   *string                `json:"field" doc:"First invalid field of the asset; null if there is none." example:"capture_date"`
}

func toOperationError(e *dam.OperationError) OperationError {
	return OperationError{e.Code, e.Message, text(e.Field)}
}

// Download is a file created by an operation.
type Download struct {
	URL       string `json:"url" doc:"Download requires assets:download." example:"http://localhost:8080/api/v1/operations/7/download"`
	FileSize  int64  `json:"file_size" doc:"File size in bytes." example:"73400320"`
	Checksum  string `json:"checksum_sha256" example:"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"`
	ExpiresAt Time   `json:"expires_at"`
}

// OperationSpec is the request that started an operation, with null for omitted members.
type OperationSpec struct {
	Filters   FilterDocument         `json:"filters"`
	Q         *string                `json:"q" doc:"Search text of the selection." example:"harbour"`
	Meaning   *bool                  `json:"meaning" doc:"Whether q also selects by meaning." example:"false"`
	Trashed   Null[dam.Trashed]      `json:"trashed" example:"only"`
	Changes   NullObject             `json:"changes" doc:"For bulk_update: the changes, as sent; null in lists."`
	Force     *bool                  `json:"force" doc:"For bulk_delete: whether assets are permanently deleted." example:"false"`
	Tasks     []string               `json:"tasks" doc:"For ai_analysis: the tasks." example:"[\"meaning\"]"`
	Format    Null[dam.ExportFormat] `json:"format" doc:"For export: the format." example:"zip"`
	Rendition Null[dam.Rendition]    `json:"rendition" doc:"For export: the rendition to include; null for originals." example:"preview"`

	FileID        *int64               `json:"file_id" doc:"For metadata_import: id of the table." example:"12"`
	Filename      *string              `json:"filename" doc:"For metadata_import: file name of the table." example:"harbour.csv"`
	MatchBy       *string              `json:"match_by" doc:"For metadata_import: column that identifies the asset of a row." example:"gaid"`
	Empty         Null[dam.EmptyCells] `json:"empty" doc:"For metadata_import: treatment of empty cells." example:"keep"`
	IgnoreUnknown *bool                `json:"ignore_unknown" doc:"For metadata_import: whether unknown columns are ignored." example:"false"`
}

// NullObject is a raw JSON object, or null.
type NullObject json.RawMessage

// MarshalJSON encodes the object or null.
func (o NullObject) MarshalJSON() ([]byte, error) {
	if len(o) == 0 {
		return []byte("null"), nil
	}
	return o, nil
}

// Schema describes an object or null.
func (NullObject) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeObject, Nullable: true, AdditionalProperties: true,
		Examples: []any{map[string]any{"workflow_status": "approved"}}}
}

// OperationItem is one asset of an operation.
type OperationItem struct {
	Position int                  `json:"position" minimum:"0" doc:"Position in the processing order." example:"0"`
	GAID     string               `json:"gaid" example:"01KB3J8Q5V7X9Z1B3D5F7H9K1M"`
	Title    *string              `json:"title" doc:"Current title of the asset; null if it does not exist." example:"Harbour at dawn"`
	State    dam.ItemState        `json:"state" example:"done"`
	Error    Null[OperationError] `json:"error" doc:"Why it failed; null if it did not."`
	Line     *int64               `json:"line" doc:"For metadata_import: first line of the row in the table, starting at 1." example:"17"`
}

// OperationPreview is the effect of an operation.
type OperationPreview struct {
	DryRun        bool              `json:"dry_run" doc:"Always true: nothing was changed or stored." example:"true"`
	Type          dam.OperationType `json:"type" example:"bulk_update"`
	Total         int               `json:"total" minimum:"0" doc:"Number of selected assets." example:"1200"`
	Changed       int               `json:"changed" minimum:"0" doc:"Number of assets that the operation would process." example:"1180"`
	Unchanged     int               `json:"unchanged" minimum:"0" doc:"Number of assets that need no change." example:"17"`
	NotFoundCount int               `json:"not_found_count" minimum:"0" doc:"Number of assets not found or in the trash." example:"2"`
	Invalid       int               `json:"invalid" minimum:"0" example:"1"`
	FileSize      *int64            `json:"file_size" doc:"For export: total size of the originals in bytes." example:"73400320"`
	NotFound      []string          `json:"not_found" doc:"GAIDs of the first 100 assets that were not found."`
	Items         []PreviewItem     `json:"items"`
	Query         *ParsedQuery      `json:"query,omitempty"`
}

// PreviewItem is the effect of an operation on one asset.
type PreviewItem struct {
	Line    *int64                 `json:"line" doc:"For metadata_import: first line of the row in the table, starting at 1." example:"17"`
	GAID    string                 `json:"gaid" doc:"GAID; empty for a row that matches no asset." example:"01KB3J8Q5V7X9Z1B3D5F7H9K1M"`
	Title   string                 `json:"title" doc:"Current title of the asset." example:"Harbour at dawn"`
	State   PreviewState           `json:"state" doc:"Expected outcome." example:"done"`
	Error   Null[OperationError]   `json:"error" doc:"Why it would fail; null if it would not."`
	Changes map[string]FieldChange `json:"changes" example:"{\"workflow_status\":{\"from\":\"draft\",\"to\":\"approved\"}}"`
}

// FieldChange is the effect on a field.
type FieldChange struct {
	From FieldValue `json:"from" doc:"Current value; null if there is none."`
	To   FieldValue `json:"to" doc:"New value; null if there is none."`
}

// FieldValue is the value of a field, or null.
type FieldValue struct{ v any }

// MarshalJSON encodes the value, with times in the API's format.
func (f FieldValue) MarshalJSON() ([]byte, error) {
	switch v := f.v.(type) {
	case *time.Time:
		return json.Marshal(NullTime{v})
	case *dam.Location:
		return json.Marshal(null(v, toLocation))
	case *dam.FocalPoint:
		return json.Marshal(null(v, toFocalPoint))
	}
	return json.Marshal(f.v)
}

// Schema describes the values of fields.
func (FieldValue) Schema(huma.Registry) *huma.Schema {
	item := &huma.Schema{AnyOf: []*huma.Schema{{Type: huma.TypeString}, {Type: huma.TypeInteger}}}
	return &huma.Schema{Examples: []any{"approved"}, AnyOf: []*huma.Schema{
		{Type: huma.TypeString, Nullable: true}, {Type: huma.TypeNumber}, {Type: huma.TypeBoolean}, {Type: huma.TypeArray, Items: item},
		{Type: huma.TypeObject, AdditionalProperties: true},
	}}
}

func operationURL(base string, op *dam.Operation) string {
	return fmt.Sprintf("%s%s/operations/%d", base, apiRoot, op.ID)
}

// toOperation converts an operation. Lists omit its changes.
func toOperation(base string, op *dam.Operation, inList bool) Operation {
	s := &op.Spec
	o := Operation{ID: op.ID, Type: op.Type, Status: op.State, State: op.State, Error: null(op.Error, toOperationError),
		CreatedBy: toUser(op.CreatedBy),
		Progress:  OperationProgress{op.Total, op.Done, op.Unchanged, op.Failed, op.Percent()},
		Spec: OperationSpec{Filters: FilterDocument(s.Selection.Filters), Q: text(s.Selection.Q), Trashed: nullWord(s.Selection.Trashed),
			Tasks: orEmpty(s.Tasks), Format: nullWord(s.Format), Rendition: nullWord(s.Rendition)},
		CreatedAt: Time{op.CreatedAt}, UpdatedAt: Time{op.UpdatedAt}, StartedAt: NullTime{op.StartedAt}, FinishedAt: NullTime{op.FinishedAt}}
	if s.Selection.Q != "" {
		o.Spec.Meaning = &s.Selection.Meaning
	}
	if op.Type == dam.OperationDelete {
		o.Spec.Force = &s.Force
	}
	if im := s.Import; im != nil {
		o.Spec.FileID, o.Spec.Filename, o.Spec.MatchBy, o.Spec.IgnoreUnknown = &im.FileID, &im.Filename, &im.MatchBy, &im.IgnoreUnknown
		o.Spec.Empty = nullWord(im.Empty)
	}
	if !inList {
		o.Spec.Changes = NullObject(s.RawChanges)
	}
	if f := op.File; f != nil {
		o.Download.Value = &Download{URL: operationURL(base, op) + "/download", FileSize: f.Size, Checksum: f.SHA256,
			ExpiresAt: Time{f.ExpiresAt}}
	}
	return o
}

func toOperationItem(i *dam.OperationItem) OperationItem {
	return OperationItem{i.Position, string(i.GAID), text(i.Title), i.State, null(i.Error, toOperationError), number(i.Line)}
}

func toPreview(p *bulk.OperationPreview) OperationPreview {
	o := OperationPreview{DryRun: true, Type: p.Type, Total: p.Total, Changed: p.Changed, Unchanged: p.Unchanged,
		NotFoundCount: p.NotFound, Invalid: p.Invalid, Query: toParsedQuery(p.Query),
		NotFound: mapped(p.Missing, func(g dam.GAID) string { return string(g) }),
		Items: mapped(p.Items, func(i bulk.PreviewItem) PreviewItem {
			changes := map[string]FieldChange{}
			for _, c := range i.Changes {
				changes[c.Field] = FieldChange{FieldValue{c.From}, FieldValue{c.To}}
			}
			return PreviewItem{number(i.Line), string(i.GAID), i.Title, PreviewState(i.State), null(i.Error, toOperationError), changes}
		})}
	o.NotFound, o.Items = orEmpty(o.NotFound), orEmpty(o.Items)
	if p.Type == dam.OperationExport {
		o.FileSize = &p.Bytes
	}
	return o
}

// FilterInput is a filter document as a JSON object, or as a string that contains one.
type FilterInput string

// UnmarshalJSON stores the document, compacted if it was an object.
func (f *FilterInput) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		return json.Unmarshal(b, (*string)(f))
	}
	var c bytes.Buffer
	if err := json.Compact(&c, b); err != nil {
		return err
	}
	if *f = FilterInput(c.String()); *f == "null" {
		*f = ""
	}
	return nil
}

// Schema describes a filter document in either form.
func (FilterInput) Schema(r huma.Registry) *huma.Schema {
	object := FilterDocument("").Schema(r)
	object.Nullable = false
	return &huma.Schema{OneOf: []*huma.Schema{object, {Type: huma.TypeString, Nullable: true}}}
}

// Selection selects the assets that an operation processes.
type Selection struct {
	GAIDs   []dam.GAID  `json:"gaids,omitempty" maxItems:"100000" example:"[\"01KB3J8Q5V7X9Z1B3D5F7H9K1M\"]"`
	Filters FilterInput `json:"filters,omitempty"`
	Q       string      `json:"q,omitempty" maxLength:"500" example:"harbour"`
	Meaning bool        `json:"meaning,omitempty" example:"true"`
	Trashed dam.Trashed `json:"trashed,omitempty" example:"only"`
}

func (s *Selection) dam() dam.Selection {
	return dam.Selection{GAIDs: s.GAIDs, Filters: string(s.Filters), Q: s.Q, Meaning: s.Meaning, Trashed: s.Trashed}
}

// BulkChanges are the changes of a bulk_update.
type BulkChanges struct {
	AssetChanges
	AddKeywords    []string `json:"add_keywords,omitempty" maxItems:"500" doc:"Keywords to add to each asset." example:"[\"harbour\"]"`
	RemoveKeywords []string `json:"remove_keywords,omitempty" maxItems:"500" example:"[\"draft\"]"`
	AddPeople      []string `json:"add_people,omitempty" maxItems:"500" doc:"Names to add to each asset." example:"[\"Ada Lovelace\"]"`
	RemovePeople   []string `json:"remove_people,omitempty" maxItems:"500" example:"[\"Nobody\"]"`

	CaptureShift string `json:"capture_shift,omitempty" maxLength:"40" example:"-PT1H"`

	AddCollectionIDs    []int64 `json:"add_collection_ids,omitempty" maxItems:"50" example:"[2]"`
	RemoveCollectionIDs []int64 `json:"remove_collection_ids,omitempty" maxItems:"50" example:"[3]"`
}
