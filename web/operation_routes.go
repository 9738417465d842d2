package web

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/app/dam"
)

type (
	// OperationInput names an operation in the path.
	OperationInput struct {
		Operation int64 `path:"operation" doc:"The operation's id." example:"7"`
	}
	startOperationInput struct {
		IdempotencyKey string `header:"Idempotency-Key" required:"true" minLength:"1" maxLength:"255" doc:"Printable characters, chosen anew for each operation. The same key with the same body gets the first answer again for 24 hours, and nothing is started twice." example:"5d1c7f7e-approve-harbours"`
		DryRun         bool   `query:"dry_run" doc:"Answer 200 with what would change, and store nothing." example:"false"`
		RawBody        []byte
		Body           struct {
			Type      dam.OperationType `json:"type" enum:"bulk_update,bulk_delete,ai_analysis,export" example:"bulk_update"`
			Selection Selection         `json:"selection" doc:"gaids, or a query of filters and q. It is fixed now: what comes to fit later is left alone."`
			Changes   *BulkChanges      `json:"changes,omitempty" doc:"Of a bulk_update: as the body of PUT /assets/{gaid}, and add_keywords, remove_keywords, add_collection_ids and remove_collection_ids. Up to 1 MiB."`
			Force     bool              `json:"force,omitempty" doc:"Of a bulk_delete: for good, from the trash too, instead of putting it there." example:"false"`
			Tasks     []string          `json:"tasks,omitempty" maxItems:"10" doc:"Of an ai_analysis: meaning has the text of the assets embedded again. Other tasks are not in this build." example:"[\"meaning\"]"`
			Format    string            `json:"format,omitempty" enum:"zip,csv,json" doc:"Of an export: zip has the files with manifest.json and metadata.csv; csv and json have what is known of the assets alone. A table is RFC 4180 in UTF-8 without a byte order mark; a text that a spreadsheet would take for a formula begins with an apostrophe." example:"zip"`
			Rendition dam.Rendition     `json:"rendition,omitempty" enum:"thumbnail,preview" doc:"Of an export with files: this picture of each instead of the original." example:"preview"`
			DryRun    bool              `json:"dry_run,omitempty" doc:"As the parameter of the same name." example:"false"`
		} `contentType:"application/json" nameHint:"StartOperation"`
	}
	startOperationOutput struct {
		Status   int
		Location string `header:"Location" doc:"URL of the operation."`
		Replayed string `header:"Idempotency-Replayed" doc:"true when the key has started it before and this is the first answer again."`
		Body     any
	}
	operationsInput struct {
		PageInput
		State dam.OperationState `query:"state" enum:"pending,running,cancelling,cancelled,completed,completed_with_errors,failed" doc:"Operations in this state." example:"running"`
		Type  dam.OperationType  `query:"type" enum:"bulk_update,bulk_delete,ai_analysis,export" doc:"Operations of this type." example:"export"`
	}
	operationsOutput   struct{ Body list[Operation] }
	showOperationInput struct {
		OperationInput
		IfNoneMatch string `header:"If-None-Match" doc:"Answer 304 when the operation still has this ETag." example:"\"o7-running-600-1767225600000\""`
	}
	operationOutput struct {
		Status     int
		ETag       string `header:"ETag" doc:"Changes with the operation."`
		RetryAfter string `header:"Retry-After" doc:"Seconds after which to ask again, while the state is not final."`
		Body       *one[Operation]
	}
	operationItemsInput struct {
		OperationInput
		PageInput
		State dam.ItemState `query:"state" enum:"pending,done,unchanged,failed,skipped" doc:"Items in this state." example:"failed"`
	}
	operationItemsOutput struct{ Body list[OperationItem] }
	exportInput          struct {
		OperationInput
		Range       string `header:"Range" doc:"Bytes to send." example:"bytes=0-1023"`
		IfNoneMatch string `header:"If-None-Match" doc:"Answer 304 when the file still has this ETag."`
		IfRange     string `header:"If-Range" doc:"Send the range only if the file still has this ETag."`
	}
)

func (s *Server) operationRoutes() {
	op := func(id, method, path, summary, doc string, abilities ...dam.Ability) route {
		return route{id: id, method: method, path: "/operations" + path, tag: "Operations", summary: summary, doc: doc, abilities: abilities}
	}
	answer := func(doc string, v any) *huma.Response {
		schema := s.api.OpenAPI().Components.Schemas.Schema(reflect.TypeOf(v), true, "")
		return &huma.Response{Description: doc, Content: map[string]*huma.MediaType{"application/json": {Schema: schema}}}
	}
	start := op("startOperation", "POST", "", "Start an operation",
		"Changes, deletes, analyses or exports many assets in the background. It needs the ability of its type: bulk_update and ai_analysis assets:write, bulk_delete assets:delete, export assets:download and assets:read. "+
			"A selection has up to 1,000,000 assets, of an export as zip 200,000; a user has up to 100 operations that have not ended, and up to 50 exports that have a file or have not ended, with so many bytes of files as the server allows. The operations of a user are done one after the other, exports and analyses beside them; users take turns. "+
			"It needs what else it does by any other road, too: a selection by filters or q assets:read, rules over collections collections:read, a bulk_update that puts assets in collections or takes them out collections:write, one that changes metadata metadata:write. What goes on in the background has the abilities of who started it, and goes no further than they reach by then: it ends with the token that started it.")
	start.status, start.errors, start.maxBody = http.StatusAccepted, []int{409}, 8<<20
	start.responses = map[string]*huma.Response{
		"200": answer("With dry_run: what would change.", one[OperationPreview]{}),
		"202": answer("The operation was started, or had been with this key.", one[Operation]{}),
	}
	register(s, start.huma(), s.startOperation)
	register(s, op("listOperations", "GET", "", "List operations", "Those of the authenticated user, newest first; the browser session of an admin sees all. They are kept 90 days after their end.", dam.AssetsRead).huma(), s.listOperations)
	show := op("showOperation", "GET", "/{operation}", "Show an operation", "Poll this until state is final, as often as Retry-After says. If-None-Match makes it cheap.", dam.AssetsRead)
	show.responses = map[string]*huma.Response{"304": {Description: "The operation still has the ETag."}}
	register(s, show.huma(), s.showOperation)
	cancel := op("cancelOperation", "POST", "/{operation}/cancel", "Cancel an operation", "Stops it. What is done stays done, and progress and items say what that is. It needs the ability of the operation's type.")
	cancel.errors = []int{409}
	register(s, cancel.huma(), s.cancelOperation)
	register(s, op("listOperationItems", "GET", "/{operation}/items", "List the assets of an operation", "What became of each, in the order in which they are done.", dam.AssetsRead).huma(), s.listOperationItems)

	fetch := op("downloadOperation", "GET", "/{operation}/download", "Download the file of an export", "It is kept 24 hours after the export's end, then it is 410. It is fetched by who may export, and view each collection that the file names, at that time. Ranges and conditional requests are served; HEAD answers without the bytes.", dam.AssetsDownload, dam.AssetsRead)
	fetch.errors = []int{409, 410, 412, 416}
	file := map[string]*huma.MediaType{}
	for _, t := range []string{"application/zip", "text/csv; charset=utf-8", "application/json"} {
		file[t] = &huma.MediaType{Schema: &huma.Schema{}}
	}
	file["application/zip"].Schema = &huma.Schema{Type: "string", Format: "binary"}
	headers := func() map[string]*huma.Header {
		return map[string]*huma.Header{
			"ETag":                header("Changes with the bytes.", "string", `"9f86d081884c7d65"`),
			"Content-Disposition": header("The file's name.", "string", `attachment; filename="export-7.zip"`),
			"Accept-Ranges":       header("Ranges are served.", "string", "bytes"),
		}
	}
	fetch.responses = map[string]*huma.Response{
		"200": {Description: "The file.", Content: file, Headers: headers()},
		"206": {Description: "A part of the file.", Content: withRanges(file), Headers: headers()},
		"304": {Description: "The file still has the ETag."},
	}
	register(s, fetch.huma(), s.downloadOperation)
}

func (s *Server) startOperation(ctx context.Context, in *startOperationInput) (*startOperationOutput, error) {
	b := &in.Body
	spec := &dam.OperationSpec{Type: b.Type, Force: b.Force, Tasks: b.Tasks, Format: b.Format, Rendition: b.Rendition,
		Selection: dam.Selection{GAIDs: b.Selection.GAIDs, Filters: string(b.Selection.Filters), Q: b.Selection.Q, Trashed: dam.Trashed(b.Selection.Trashed)}}
	if c := b.Changes; c != nil {
		spec.Changes = &dam.BulkChanges{AssetPatch: c.dam(), AddKeywords: c.AddKeywords, RemoveKeywords: c.RemoveKeywords,
			AddCollectionIDs: c.AddCollectionIDs, RemoveCollectionIDs: c.RemoveCollectionIDs}
	}
	canonical, raw, err := canonicalBody(in.RawBody)
	if err != nil {
		return nil, dam.Errorf(dam.Malformed, "The request body is not valid JSON.")
	}
	spec.RawChanges = raw
	actor := requestOf(ctx).actor
	if in.DryRun || b.DryRun {
		p, err := s.app.PreviewOperation(ctx, actor, spec)
		if err != nil {
			return nil, err
		}
		return &startOperationOutput{Status: http.StatusOK, Body: one[OperationPreview]{toPreview(p)}}, nil
	}
	op, replayed, err := s.app.StartOperation(ctx, actor, spec, app.Idempotency{Key: in.IdempotencyKey, BodyHash: canonical[:]})
	if err != nil {
		return nil, err
	}
	base := requestOf(ctx).base
	out := &startOperationOutput{Status: http.StatusAccepted, Location: operationURL(base, op), Body: one[Operation]{toOperation(base, op, false)}}
	if replayed {
		out.Replayed = "true"
	}
	return out, nil
}

// canonicalBody returns the SHA-256 of a JSON object regardless of white space
// and of the order of its members, and the member changes as it was sent.
func canonicalBody(body []byte) (hash [32]byte, changes json.RawMessage, err error) {
	var members map[string]json.RawMessage
	var all any
	if err := json.Unmarshal(body, &members); err != nil {
		return hash, nil, err
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber() // as they were written: no two become one
	if err := d.Decode(&all); err != nil {
		return hash, nil, err
	}
	sorted, err := json.Marshal(all) // members by name
	return sha256.Sum256(sorted), members["changes"], err
}

func (s *Server) listOperations(ctx context.Context, in *operationsInput) (*operationsOutput, error) {
	ops, total, err := s.app.Operations(ctx, requestOf(ctx).actor, dam.OperationFilter{State: in.State, Type: in.Type}, in.page())
	if err != nil {
		return nil, err
	}
	base := requestOf(ctx).base
	return &operationsOutput{*paginate(ctx, &in.PageInput, mapped(ops, func(op *dam.Operation) Operation { return toOperation(base, op, true) }), total)}, nil
}

// pollAfter is how soon a client is to ask again.
const pollAfter = time.Second

func (s *Server) showOperation(ctx context.Context, in *showOperationInput) (*operationOutput, error) {
	op, err := s.app.Operation(ctx, requestOf(ctx).actor, in.Operation)
	if err != nil {
		return nil, err
	}
	out := operationAnswer(ctx, op)
	if unmodified(ctx, out.ETag) {
		out.Status, out.Body = http.StatusNotModified, nil
	}
	return out, nil
}

func operationAnswer(ctx context.Context, op *dam.Operation) *operationOutput {
	out := &operationOutput{Status: http.StatusOK, Body: &one[Operation]{toOperation(requestOf(ctx).base, op, false)},
		ETag: fmt.Sprintf(`"o%d-%s-%d-%d"`, op.ID, op.State, op.Next(), op.UpdatedAt.UnixMilli())}
	if !op.State.Terminal() {
		out.RetryAfter = seconds(pollAfter.Seconds())
	}
	return out
}

func (s *Server) cancelOperation(ctx context.Context, in *OperationInput) (*operationOutput, error) {
	op, err := s.app.CancelOperation(ctx, requestOf(ctx).actor, in.Operation)
	if err != nil {
		return nil, err
	}
	return operationAnswer(ctx, op), nil
}

func (s *Server) listOperationItems(ctx context.Context, in *operationItemsInput) (*operationItemsOutput, error) {
	items, total, err := s.app.OperationItems(ctx, requestOf(ctx).actor, in.Operation, in.State, in.page())
	if err != nil {
		return nil, err
	}
	return &operationItemsOutput{*paginate(ctx, &in.PageInput, mapped(items, toOperationItem), total)}, nil
}

func (s *Server) downloadOperation(ctx context.Context, in *exportInput) (*streamOutput, error) {
	f, err := s.app.Exports.Open(ctx, requestOf(ctx).actor, in.Operation)
	if err != nil {
		return nil, err
	}
	return &streamOutput{func(huma.Context) {
		defer f.Content.Close()
		r := requestOf(ctx)
		h := r.w.Header()
		h.Set("Content-Type", f.MIMEType)
		h.Set("Content-Disposition", disposition(f.Name, false))
		h.Set("Content-Security-Policy", fileCSP)
		h.Set("ETag", f.ETag)
		h.Set("Cache-Control", "private, max-age=0, must-revalidate")
		serveContent(r.w, r.raw, f.ModTime, f.Content)
	}}, nil
}
