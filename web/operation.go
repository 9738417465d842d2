package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/app/dam"
)

// Operation is work on many assets, done in the background.
type Operation struct {
	ID         int64              `json:"id" example:"7"`
	Type       string             `json:"type" enum:"bulk_update,bulk_delete,ai_analysis,export" example:"bulk_update"`
	State      string             `json:"state" enum:"pending,running,cancelling,cancelled,completed,completed_with_errors,failed" doc:"From cancelled on final. completed_with_errors: some assets failed; failed: all of them, or it could not go on." example:"running"`
	Progress   OperationProgress  `json:"progress"`
	Error      NullOperationError `json:"error" doc:"Why it failed; null if it did not."`
	Spec       OperationSpec      `json:"spec" doc:"What was asked for. The assets are fixed since then; they are the items."`
	Download   NullDownload       `json:"download" doc:"The file of a completed export; null without one, also once it has expired."`
	CreatedBy  int64              `json:"created_by" doc:"The id of the user who started it." example:"1"`
	CreatedAt  Time               `json:"created_at"`
	UpdatedAt  Time               `json:"updated_at"`
	StartedAt  NullTime           `json:"started_at" doc:"Since when it is worked on."`
	FinishedAt NullTime           `json:"finished_at" doc:"Since when its state is final."`
}

// OperationProgress is how far an operation is.
type OperationProgress struct {
	Total     int `json:"total" minimum:"0" doc:"Assets." example:"1200"`
	Done      int `json:"done" minimum:"0" doc:"Without a fault, those unchanged included." example:"598"`
	Unchanged int `json:"unchanged" minimum:"0" doc:"Of those done: they were as wanted already." example:"12"`
	Failed    int `json:"failed" minimum:"0" example:"2"`
	Percent   int `json:"percent" minimum:"0" maximum:"100" example:"50"`
}

// OperationError is why an operation or one of its items failed.
type OperationError struct {
	Code    string `json:"code" enum:"not_found,invalid,no_rendition,file_missing,file_damaged,refused,no_space,quota,denied,all_failed,internal" doc:"not_found: the asset is not there or in the trash; invalid: the change breaks a rule; no_rendition, file_missing, file_damaged: of an export; refused: by the model; no_space: the disk is full; quota: an export would be larger than the user has room for; denied: the user may not any more; all_failed: no asset could be processed." example:"not_found"`
	Message string `json:"message" example:"Asset not found."`
}

// NullOperationError is an error or null.
type NullOperationError struct{ Error *OperationError }

// MarshalJSON writes the error or null.
func (n NullOperationError) MarshalJSON() ([]byte, error) { return json.Marshal(n.Error) }

// Schema describes an error or null.
func (NullOperationError) Schema(r huma.Registry) *huma.Schema {
	return &huma.Schema{OneOf: []*huma.Schema{r.Schema(reflect.TypeOf(OperationError{}), true, ""), {Type: "null"}}}
}

func toOperationError(e *dam.OperationError) NullOperationError {
	if e == nil {
		return NullOperationError{}
	}
	return NullOperationError{&OperationError{string(e.Code), e.Message}}
}

// Download is a file that an operation made.
type Download struct {
	URL       string `json:"url" doc:"Needs the ability assets:download." example:"http://localhost:8080/api/v1/operations/7/download"`
	FileSize  int64  `json:"file_size" doc:"Bytes." example:"73400320"`
	Checksum  string `json:"checksum_sha256" doc:"SHA-256 of the file, hex." example:"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"`
	ExpiresAt Time   `json:"expires_at"`
}

// NullDownload is a download or null.
type NullDownload struct{ Download *Download }

// MarshalJSON writes the download or null.
func (n NullDownload) MarshalJSON() ([]byte, error) { return json.Marshal(n.Download) }

// Schema describes a download or null.
func (NullDownload) Schema(r huma.Registry) *huma.Schema {
	return &huma.Schema{OneOf: []*huma.Schema{r.Schema(reflect.TypeOf(Download{}), true, ""), {Type: "null"}}}
}

// OperationSpec is what an operation was asked to do, null where nothing was
// said.
type OperationSpec struct {
	Filters   FilterDocument `json:"filters" doc:"The filter document of the selection; without collections:read with 0 for each collection."`
	Q         *string        `json:"q" doc:"The words of the selection." example:"harbour"`
	Trashed   *string        `json:"trashed" enum:"only,with" example:"only"`
	Changes   NullObject     `json:"changes" doc:"Of a bulk_update, as they were sent; left out of lists."`
	Force     *bool          `json:"force" doc:"Of a bulk_delete." example:"false"`
	Tasks     []string       `json:"tasks" doc:"Of an ai_analysis." example:"[\"meaning\"]"`
	Format    *string        `json:"format" enum:"zip,csv,json" doc:"Of an export." example:"zip"`
	Rendition *string        `json:"rendition" enum:"thumbnail,preview" doc:"Of an export." example:"preview"`
}

// NullObject is a JSON object as it is, or null.
type NullObject json.RawMessage

// MarshalJSON writes the object or null.
func (o NullObject) MarshalJSON() ([]byte, error) {
	if len(o) == 0 {
		return []byte("null"), nil
	}
	return o, nil
}

// Schema describes an object or null.
func (NullObject) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeObject, Nullable: true, AdditionalProperties: true, Examples: []any{map[string]any{"workflow_status": "approved"}}}
}

// OperationItem is one asset of an operation.
type OperationItem struct {
	Position int                `json:"position" minimum:"0" doc:"In the order in which they are done." example:"0"`
	GAID     string             `json:"gaid" doc:"As the selection had it, also of an asset that is not there." example:"01KB3J8Q5V7X9Z1B3D5F7H9K1M"`
	State    string             `json:"state" enum:"pending,done,unchanged,failed,skipped" doc:"unchanged: it was as wanted already; skipped: the operation ended before it." example:"done"`
	Error    NullOperationError `json:"error" doc:"Why it failed; null if it did not."`
}

// OperationPreview is what an operation would do.
type OperationPreview struct {
	DryRun        bool          `json:"dry_run" doc:"Always true: nothing was changed and nothing stored." example:"true"`
	Type          string        `json:"type" enum:"bulk_update,bulk_delete,ai_analysis,export" example:"bulk_update"`
	Total         int           `json:"total" minimum:"0" doc:"Assets of the selection." example:"1200"`
	Changed       int           `json:"changed" minimum:"0" doc:"That would be changed, deleted, analysed or exported." example:"1180"`
	Unchanged     int           `json:"unchanged" minimum:"0" doc:"That are as wanted already." example:"17"`
	NotFoundCount int           `json:"not_found_count" minimum:"0" doc:"That are not there, or in the trash." example:"2"`
	Invalid       int           `json:"invalid" minimum:"0" doc:"For which the change breaks a rule." example:"1"`
	FileSize      *int64        `json:"file_size" doc:"Of an export: bytes of the originals together." example:"73400320"`
	NotFound      []string      `json:"not_found" doc:"The first 100 of those not found, by GAID."`
	Items         []PreviewItem `json:"items" doc:"The first 20 assets that are there."`
}

// PreviewItem is what an operation would do to one asset.
type PreviewItem struct {
	GAID    string                 `json:"gaid" example:"01KB3J8Q5V7X9Z1B3D5F7H9K1M"`
	Title   string                 `json:"title" doc:"As it is now." example:"Harbour at dawn"`
	State   string                 `json:"state" enum:"done,unchanged,failed" doc:"What would become of it." example:"done"`
	Error   NullOperationError     `json:"error" doc:"Why it would fail; null if it would not."`
	Changes map[string]FieldChange `json:"changes" doc:"Of a bulk_update, by field, custom fields as metadata.{key}; collections are those that people fill and that you may view, by id." example:"{\"workflow_status\":{\"from\":\"draft\",\"to\":\"approved\"}}"`
}

// FieldChange is how a field would change.
type FieldChange struct {
	From FieldValue `json:"from" doc:"The value now; null without one."`
	To   FieldValue `json:"to" doc:"The value then; null without one."`
}

// FieldValue is what a field has, or null.
type FieldValue struct{ v any }

// MarshalJSON writes the value, a time as everywhere else.
func (f FieldValue) MarshalJSON() ([]byte, error) {
	if at, ok := f.v.(*time.Time); ok {
		return json.Marshal(NullTime{at})
	}
	return json.Marshal(f.v)
}

// Schema describes what fields can have.
func (FieldValue) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{AnyOf: []*huma.Schema{{Type: huma.TypeString, Nullable: true}, {Type: huma.TypeNumber}, {Type: huma.TypeBoolean},
		{Type: huma.TypeArray, Items: &huma.Schema{AnyOf: []*huma.Schema{{Type: huma.TypeString}, {Type: huma.TypeInteger}}}}}, Examples: []any{"approved"}}
}

func operationURL(base string, op *dam.Operation) string {
	return fmt.Sprintf("%s%s/operations/%d", base, apiRoot, op.ID)
}

// toOperation maps an operation; one in a list goes without its changes.
func toOperation(base string, op *dam.Operation, inList bool) Operation {
	s := &op.Spec
	o := Operation{ID: op.ID, Type: string(op.Type), State: string(op.State), Error: toOperationError(op.Error), CreatedBy: op.CreatedByID,
		Progress:  OperationProgress{op.Total, op.Done, op.Unchanged, op.Failed, op.Percent()},
		Spec:      OperationSpec{Filters: FilterDocument(s.Selection.Filters), Q: text(s.Selection.Q), Trashed: text(string(s.Selection.Trashed)), Tasks: orEmpty(s.Tasks), Format: text(s.Format), Rendition: text(string(s.Rendition))},
		CreatedAt: Time{op.CreatedAt}, UpdatedAt: Time{op.UpdatedAt}, StartedAt: NullTime{op.StartedAt}, FinishedAt: NullTime{op.FinishedAt}}
	if op.Type == dam.OperationDelete {
		o.Spec.Force = &s.Force
	}
	if !inList {
		o.Spec.Changes = NullObject(s.RawChanges)
	}
	if f := op.File; f != nil {
		o.Download = NullDownload{&Download{URL: operationURL(base, op) + "/download", FileSize: f.Size, Checksum: f.SHA256, ExpiresAt: Time{f.ExpiresAt}}}
	}
	return o
}

func toOperationItem(i *dam.OperationItem) OperationItem {
	return OperationItem{i.Position, string(i.GAID), string(i.State), toOperationError(i.Error)}
}

func toPreview(p *app.OperationPreview) OperationPreview {
	o := OperationPreview{DryRun: true, Type: string(p.Type), Total: p.Total, Changed: p.Changed, Unchanged: p.Unchanged, NotFoundCount: p.NotFound, Invalid: p.Invalid,
		NotFound: mapped(p.Missing, func(g dam.GAID) string { return string(g) }),
		Items: mapped(p.Items, func(i app.PreviewItem) PreviewItem {
			changes := map[string]FieldChange{}
			for _, c := range i.Changes {
				changes[c.Field] = FieldChange{FieldValue{c.From}, FieldValue{c.To}}
			}
			return PreviewItem{string(i.GAID), i.Title, string(i.State), toOperationError(i.Error), changes}
		})}
	o.NotFound, o.Items = orEmpty(o.NotFound), orEmpty(o.Items)
	if p.Type == dam.OperationExport {
		o.FileSize = &p.Bytes
	}
	return o
}

// FilterInput is a filter document as a JSON object, or as a text that has one.
type FilterInput string

// UnmarshalJSON takes the document, compact if it was an object.
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

// Selection says which assets an operation is about.
type Selection struct {
	GAIDs   []dam.GAID  `json:"gaids,omitempty" maxItems:"100000" doc:"These assets. One named twice counts once." example:"[\"01KB3J8Q5V7X9Z1B3D5F7H9K1M\"]"`
	Filters FilterInput `json:"filters,omitempty" doc:"Those that a filter document finds, as filters of GET /assets: a JSON object, or a text with one. A group of and without rules finds every asset, one of or none."`
	Q       string      `json:"q,omitempty" maxLength:"500" doc:"Those that these words find, as q of GET /assets; together with filters those that both find." example:"harbour"`
	Trashed string      `json:"trashed,omitempty" enum:"only,with" doc:"Of a bulk_delete with force by query: only the assets in the trash, or those too." example:"only"`
}

// BulkChanges is what a bulk_update changes.
type BulkChanges struct {
	AssetChanges
	AddKeywords    []string `json:"add_keywords,omitempty" maxItems:"500" doc:"Added to those an asset has." example:"[\"harbour\"]"`
	RemoveKeywords []string `json:"remove_keywords,omitempty" maxItems:"500" doc:"Taken from those an asset has, in any case." example:"[\"draft\"]"`

	AddCollectionIDs    []int64 `json:"add_collection_ids,omitempty" maxItems:"50" doc:"The collections that assets are put in, at the end and in the order of the items. They are filled by people, and you may view them." example:"[2]"`
	RemoveCollectionIDs []int64 `json:"remove_collection_ids,omitempty" maxItems:"50" doc:"The collections that assets are taken out of." example:"[3]"`
}
