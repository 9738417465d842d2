package web

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/negotiation"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/app/dam"
)

// heartbeat is the interval of keep-alive messages on an idle stream, shorter than the idle
// timeouts of proxies.
const heartbeat = 25 * time.Second

// Data of the stream's events.
type (
	// StreamBatch is the progress of an upload batch.
	StreamBatch struct {
		ID     int64           `json:"id" example:"3"`
		Status dam.BatchStatus `json:"status" example:"processing"`
		Counts BatchCounts     `json:"counts"`
	}
	// StreamFile is the progress of a file in a batch.
	StreamFile struct {
		BatchID int64           `json:"batch_id" doc:"Id of the upload batch." example:"3"`
		ID      int64           `json:"id" example:"17"`
		Status  dam.FileStatus  `json:"status" example:"ready"`
		GAID    *dam.GAID       `json:"gaid" example:"01KB3J8Q5V7X9Z1B3D5F7H9K1M"`
		Error   Null[FileError] `json:"error" doc:"Why the file failed, or what it is waiting for; null if neither."`
		Warning *string         `json:"warning" doc:"Problem with the created asset, such as a missing preview; null if there is none."`
	}
	// StreamOperation is the progress of an operation.
	StreamOperation struct {
		ID       int64              `json:"id" example:"7"`
		Type     dam.OperationType  `json:"type" example:"bulk_update"`
		Status   dam.OperationState `json:"status" example:"running"`
		Progress OperationProgress  `json:"progress"`
	}
	// StreamAsset reports a change to an asset.
	StreamAsset struct {
		GAID    string        `json:"gaid" example:"01KB3J8Q5V7X9Z1B3D5F7H9K1M"`
		Type    dam.EventType `json:"type" example:"asset.updated"`
		Version int64         `json:"version" doc:"Version of the asset after the change." example:"4"`
	}
	// StreamCollection reports a change to a collection or its content.
	StreamCollection struct {
		ID   int64         `json:"id" example:"2"`
		Type dam.EventType `json:"type" example:"collection.updated"`
	}
	// StreamReset names the types with too many changes to report individually.
	StreamReset struct {
		Types []StreamType `json:"types" example:"[\"asset\"]"`
	}
	streamInput struct {
		LastEventID string `header:"Last-Event-ID" maxLength:"20" example:"4711"`
		After       string `query:"last_event_id" maxLength:"20" example:"4711"`
	}
)

// StreamType is the name of an event, except reset.
type StreamType string

// Values lists the names.
func (StreamType) Values() []StreamType { return mapped(app.UpdateKinds(), toStreamType) }

func toStreamType(k app.UpdateKind) StreamType { return StreamType(k) }

func (s *Server) streamRoutes() {
	r := group{tag: "Stream", path: "/stream"}.route("stream", "GET", "", "Stream changes")
	r.responses = map[string]*huma.Response{"200": {
		Description: "The stream of events, which stays open.",
		Content: map[string]*huma.MediaType{eventStream: {
			Schema:  &huma.Schema{Type: huma.TypeString},
			Example: "event: asset\nid: 4711\ndata: {\"gaid\":\"01KB3J8Q5V7X9Z1B3D5F7H9K1M\",\"type\":\"asset.updated\",\"version\":4}\n\n",
		}},
	}}
	for _, data := range []any{StreamBatch{}, StreamFile{}, StreamOperation{}, StreamAsset{}, StreamCollection{}, StreamReset{}} {
		s.api.OpenAPI().Components.Schemas.Schema(reflect.TypeOf(data), true, "")
	}
	register(s, r.failing(http.StatusNotAcceptable), s.stream)
}

// eventStream is the media type of server-sent events:
// https://html.spec.whatwg.org/multipage/server-sent-events.html
const eventStream = "text/event-stream"

// notAcceptable is the error for clients that cannot read the stream and would wait for its
// end.
const notAcceptable = "The response is text/event-stream, which the Accept header excludes."

// streamPath is excluded from compression, which would delay events.
const streamPath = apiRoot + "/stream"

func (s *Server) stream(ctx context.Context, in *streamInput) (*streamOutput, error) {
	after, err := in.after()
	if err != nil {
		return nil, err
	}
	accept := strings.Join(requestOf(ctx).raw.Header.Values("Accept"), ",")
	types := []string{"*/*", "text/*", eventStream} // SelectQValue would select the first one with q=0, too
	if accept != "" && negotiation.SelectQValue(strings.ToLower(accept), types) == "" {
		return nil, &apiError{status: http.StatusNotAcceptable, Message: notAcceptable}
	}
	f, err := s.app.Follow(ctx, requestOf(ctx).actor, after)
	if err != nil {
		return nil, err
	}
	return &streamOutput{func(huma.Context) {
		defer f.Close()
		r := requestOf(ctx)
		h := r.w.Header()
		h.Set("Content-Type", eventStream)
		h.Set("Cache-Control", "no-store")
		h.Set("X-Accel-Buffering", "no") // disables buffering in nginx
		r.w.WriteHeader(http.StatusOK)
		if r.raw.Method == http.MethodHead {
			return
		}
		out := &streamWriter{w: r.w, control: http.NewResponseController(r.w)}
		out.put(f.First)
		fmt.Fprintf(&out.buffer, "id: %d\n\n", f.At) // position to resume from, even before the first event
		if out.send() == nil {
			out.follow(ctx, f.Updates)
		}
	}}, nil
}

// after returns the id of the last event that the client received, or -1.
func (in *streamInput) after() (int64, error) {
	field, text := "Last-Event-ID", in.LastEventID
	if text == "" {
		field, text = "last_event_id", in.After
	}
	if text == "" {
		return -1, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 || itoa(n) != text {
		return 0, dam.InvalidField(field, "The last event id must be the id of an event.")
	}
	return n, nil
}

// streamWriter writes events.
type streamWriter struct {
	w       io.Writer
	control *http.ResponseController
	buffer  bytes.Buffer
}

// follow sends updates until the channel is closed or the client disconnects.
func (s *streamWriter) follow(ctx context.Context, updates <-chan []*app.Update) {
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-beat.C:
			s.buffer.WriteString(":\n\n")
		case list, open := <-updates:
			if !open {
				return
			}
			s.put(list)
		}
		if s.send() != nil {
			return
		}
	}
}

// put appends events to the buffer.
func (s *streamWriter) put(list []*app.Update) {
	for _, u := range list {
		data, err := json.Marshal(streamData(u))
		if err != nil {
			continue // cannot happen: these types can be encoded
		}
		fmt.Fprintf(&s.buffer, "event: %s\n", u.Kind)
		if u.ID != 0 {
			fmt.Fprintf(&s.buffer, "id: %d\n", u.ID)
		}
		fmt.Fprintf(&s.buffer, "data: %s\n\n", data)
	}
}

// send writes and flushes the buffer.
func (s *streamWriter) send() error {
	_, err := s.w.Write(s.buffer.Bytes())
	s.buffer.Reset()
	if err == nil {
		err = s.control.Flush()
	}
	return err
}

// streamData returns the data of an update's event.
func streamData(u *app.Update) any {
	switch u.Kind {
	case app.UpdateBatch:
		return StreamBatch{u.Batch.ID, u.Batch.Status, BatchCounts(u.Batch.Counts)}
	case app.UpdateFile:
		f := toBatchFile(u.File)
		return StreamFile{u.File.BatchID, f.ID, f.Status, f.GAID, f.Error, f.Warning}
	case app.UpdateOperation:
		op := u.Operation
		return StreamOperation{op.ID, op.Type, op.State, OperationProgress{op.Total, op.Done, op.Unchanged, op.Failed, op.Percent()}}
	case app.UpdateAsset:
		return StreamAsset{u.Event.Subject, u.Event.Type, u.Facts.Version}
	case app.UpdateCollection:
		id, _ := strconv.ParseInt(u.Event.Subject, 10, 64) // parsed before, for the check of the viewers
		return StreamCollection{id, u.Event.Type}
	}
	return StreamReset{mapped(u.Of, toStreamType)}
}
