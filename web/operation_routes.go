package web

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/digital-asset-library/dal/app/access"
	"github.com/digital-asset-library/dal/app/dam"
)

type (
	// OperationInput names an operation in the path.
	OperationInput struct {
		Operation int64 `path:"operation" doc:"The operation's id." example:"7"`
	}
	startOperationInput struct {
		IdempotencyKey string `header:"Idempotency-Key" required:"true" minLength:"1" maxLength:"255" example:"5d1c7f7e-approve-harbours"`
		DryRun         bool   `query:"dry_run" doc:"Only return a preview of the changes, with 200." example:"false"`
		RawBody        []byte
		Body           struct {
			Type      dam.OperationType `json:"type" example:"bulk_update"`
			Selection Selection         `json:"selection,omitempty"`
			Changes   *BulkChanges      `json:"changes,omitempty"`
			Force     bool              `json:"force,omitempty" example:"false"`
			Tasks     []string          `json:"tasks,omitempty" maxItems:"10" example:"[\"meaning\"]"`
			Format    dam.ExportFormat  `json:"format,omitempty" example:"zip"`
			Rendition dam.Rendition     `json:"rendition,omitempty" example:"preview"`

			FileID        int64          `json:"file_id,omitempty" minimum:"1" example:"12"`
			MatchBy       string         `json:"match_by,omitempty" maxLength:"100" example:"gaid"`
			Empty         dam.EmptyCells `json:"empty,omitempty" example:"keep"`
			IgnoreUnknown bool           `json:"ignore_unknown,omitempty" example:"false"`

			DryRun bool `json:"dry_run,omitempty" doc:"Same as the query parameter dry_run." example:"false"`
		} `contentType:"application/json" nameHint:"StartOperation"`
	}
	startOperationOutput struct {
		Status   int
		Location string `header:"Location" doc:"URL of the operation."`
		Body     any
	}
	operationsInput struct {
		PageInput
		Status dam.OperationState `query:"status" doc:"Operations with this status." example:"running"`
		State  dam.OperationState `query:"state" deprecated:"true" doc:"Same as status." example:"running"`
		Type   dam.OperationType  `query:"type" doc:"Operations of this type." example:"export"`
	}
	showOperationInput struct {
		OperationInput
		IfNoneMatch string `header:"If-None-Match" example:"\"o7-running-600-1767225600000\""`
	}
	operationOutput struct {
		Status     int
		ETag       string `header:"ETag" doc:"Entity tag, which changes with the operation."`
		RetryAfter string `header:"Retry-After" doc:"Seconds to wait before the next poll; omitted once the status is final."`
		Body       *one[Operation]
	}
	operationItemsInput struct {
		OperationInput
		PageInput
		State dam.ItemState `query:"state" doc:"Items in this state." example:"failed"`
	}
	exportInput struct {
		OperationInput
		Range       string `header:"Range" doc:"Byte ranges to send." example:"bytes=0-1023"`
		IfNoneMatch string `header:"If-None-Match" doc:"Respond with 304 if the file still has this ETag."`
		IfRange     string `header:"If-Range" doc:"Send the range only if the file still has this ETag."`
	}
)

func (s *Server) operationRoutes() {
	operations := group{tag: "Operations", path: "/operations"}
	answers := func(doc string, v any) *huma.Response {
		schema := s.api.OpenAPI().Components.Schemas.Schema(reflect.TypeOf(v), true, "")
		return &huma.Response{Description: doc, Content: map[string]*huma.MediaType{"application/json": {Schema: schema}}}
	}
	start := operations.route("startOperation", "POST", "", "Start an operation").failing(409)
	start.status, start.maxBody, start.anyOf = http.StatusAccepted, operationBody, access.OperationAbilities()
	start.responses = map[string]*huma.Response{
		"200": answers("With dry_run: a preview of the changes.", one[OperationPreview]{}),
		"202": answers("The operation was started, by this request or an earlier one with the same key.", one[Operation]{}),
	}
	register(s, start, s.startOperation)
	register(s, operations.route("listOperations", "GET", "", "List operations", dam.AssetsRead), s.listOperations)
	show := operations.route("showOperation", "GET", "/{operation}", "Show an operation", dam.AssetsRead)
	show.responses = map[string]*huma.Response{"304": {Description: "The operation has not changed."}}
	register(s, show, s.showOperation)
	register(s, operations.route("cancelOperation", "POST", "/{operation}/cancel", "Cancel an operation").failing(409), s.cancelOperation)
	register(s, operations.route("listOperationItems", "GET", "/{operation}/items", "List the assets of an operation", dam.AssetsRead),
		s.listOperationItems)
	fetch := operations.route("downloadOperation", "GET", "/{operation}/download", "Download an export",
		dam.AssetsDownload, dam.AssetsRead).failing(409, 410, 412, 416)
	fetch.responses = fileResponses("export-7.zip", map[string]*huma.MediaType{
		"application/zip": {Schema: binary}, "text/csv; charset=utf-8": {Schema: &huma.Schema{}}, "application/json": {Schema: &huma.Schema{}}})
	register(s, fetch, s.downloadOperation)
}

func (s *Server) startOperation(ctx context.Context, in *startOperationInput) (*startOperationOutput, error) {
	b := &in.Body
	spec := &dam.OperationSpec{Type: b.Type, Selection: b.Selection.dam(), Force: b.Force, Tasks: b.Tasks, Format: b.Format,
		Rendition: b.Rendition}
	if b.Type == dam.OperationImport || b.FileID != 0 || b.MatchBy != "" || b.Empty != "" || b.IgnoreUnknown {
		spec.Import = &dam.ImportSpec{FileID: b.FileID, MatchBy: b.MatchBy, IgnoreUnknown: b.IgnoreUnknown,
			Empty: cmp.Or(b.Empty, dam.EmptyKeep)}
	}
	if c := b.Changes; c != nil {
		spec.Changes = &dam.BulkChanges{AssetPatch: c.dam(), AddKeywords: c.AddKeywords, RemoveKeywords: c.RemoveKeywords,
			AddPeople: c.AddPeople, RemovePeople: c.RemovePeople,
			CaptureShift:     c.CaptureShift,
			AddCollectionIDs: c.AddCollectionIDs, RemoveCollectionIDs: c.RemoveCollectionIDs}
	}
	var raw struct{ Changes json.RawMessage }
	if err := json.Unmarshal(in.RawBody, &raw); err != nil {
		return nil, dam.Errorf(dam.Malformed, "The request body is not valid JSON.")
	}
	spec.RawChanges = raw.Changes
	actor := requestOf(ctx).actor
	if in.DryRun || b.DryRun {
		p, err := s.app.Operations.PreviewOperation(ctx, actor, spec)
		if err != nil {
			return nil, err
		}
		return &startOperationOutput{Status: http.StatusOK, Body: one[OperationPreview]{toPreview(p)}}, nil
	}
	op, err := s.app.Operations.Start(ctx, actor, spec)
	if err != nil {
		return nil, err
	}
	base := requestOf(ctx).base
	return &startOperationOutput{Status: http.StatusAccepted, Location: operationURL(base, op),
		Body: one[Operation]{toOperation(base, op, false)}}, nil
}

func (s *Server) listOperations(ctx context.Context, in *operationsInput) (*listOutput[Operation], error) {
	base := requestOf(ctx).base
	inList := func(op *dam.Operation) Operation { return toOperation(base, op, true) }
	filter := dam.OperationFilter{State: cmp.Or(in.Status, in.State), Type: in.Type}
	return pageAnswer(ctx, &in.PageInput, inList)(s.app.Operations.List(ctx, requestOf(ctx).actor, filter, in.page()))
}

// pollAfter is the interval at which clients should poll.
const pollAfter = time.Second

func (s *Server) showOperation(ctx context.Context, in *showOperationInput) (*operationOutput, error) {
	op, err := s.app.Operations.Get(ctx, requestOf(ctx).actor, in.Operation)
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
	op, err := s.app.Operations.Cancel(ctx, requestOf(ctx).actor, in.Operation)
	if err != nil {
		return nil, err
	}
	return operationAnswer(ctx, op), nil
}

func (s *Server) listOperationItems(ctx context.Context, in *operationItemsInput) (*listOutput[OperationItem], error) {
	return pageAnswer(ctx, &in.PageInput, toOperationItem)(
		s.app.Operations.Items(ctx, requestOf(ctx).actor, in.Operation, in.State, in.page()))
}

func (s *Server) downloadOperation(ctx context.Context, in *exportInput) (*streamOutput, error) {
	f, err := s.app.Exports.Open(ctx, requestOf(ctx).actor, in.Operation)
	if err != nil {
		return nil, err
	}
	return sendFile(ctx, f, false), nil
}
