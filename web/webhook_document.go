package web

import (
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/digital-asset-library/dal/app/dam"
)

// eventData are the resources in events, by noun.
var eventData = map[string]struct {
	resource any
	doc      string
}{
	"asset": {Asset{}, "The asset right after the event, as returned by GET /assets/{gaid}, but with its collections at the time when the " +
		"event is sent."},
	"collection":   {Collection{}, "The collection right after the event, as returned by GET /collections."},
	"operation":    {Operation{}, "The operation when it ended, as returned by GET /operations/{operation}."},
	"share":        {Share{}, "The share right after the event, as returned by GET /shares/{share}."},
	"upload.batch": {UploadBatch{}, "The upload batch when it ended, as returned by GET /upload-batches/{batch}."},
	"webhook":      {eventWebhook{}, "The webhook."},
}

// describeEvents adds the requests to webhooks to the document: one operation per event
// type. A callback of createWebhook has them all, because generators of clients, such as
// oapi-codegen, drop schemas that no path refers to.
func (s *Server) describeEvents() {
	doc := s.api.OpenAPI()
	hooks := map[string]*huma.PathItem{}
	anyEvent := &huma.Schema{}
	for _, t := range dam.Values[dam.EventType]() {
		name := eventName(t) + "Event"
		doc.Components.Schemas.Map()[name] = s.eventSchema(t)
		anyEvent.OneOf = append(anyEvent.OneOf, &huma.Schema{Ref: "#/components/schemas/" + name})
		hooks[string(t)] = &huma.PathItem{Post: s.eventOperation(t)}
	}
	doc.Webhooks = hooks
	s.reference.check("event", nil)
	doc.Paths[apiRoot+"/webhooks"].Post.Callbacks = map[string]map[string]*huma.PathItem{"event": {"{$request.body#/url}": {
		Post: &huma.Operation{
			OperationID: "receiveEvent", Tags: []string{"Webhooks"}, Summary: "Receive an event", Security: []map[string][]string{},
			Description: "Each subscribed event is sent to the URL of the webhook. The webhooks of this document describe the events.",
			RequestBody: &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{"application/json": {Schema: anyEvent}}},
			Responses:   eventResponses(),
		},
	}}}
}

func eventResponses() map[string]*huma.Response {
	return map[string]*huma.Response{"2XX": {Description: "Received."}, "4XX": {Description: "Rejected; the delivery is retried."}}
}

// eventSchema returns the schema of a delivery's body.
func (s *Server) eventSchema(t dam.EventType) *huma.Schema {
	data := &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true} // for types that this build does not have
	data.Description = "The resource right after the event."
	if d, ok := eventData[t.Noun()]; ok {
		data = s.api.OpenAPI().Components.Schemas.Schema(reflect.TypeOf(d.resource), true, "")
		data.Description = d.doc
	}
	return &huma.Schema{
		Type: huma.TypeObject, Required: []string{"id", "type", "created_at", "cause", "data"}, AdditionalProperties: false,
		Properties: map[string]*huma.Schema{
			"id": described("Id of the event, the same in every delivery of it. Use it to detect duplicates.",
				"uuid", "01980a3c-54ef-7d21-8c44-1b0e7f3a2d65"),
			"type":       eventTypeSchema(t, "Type of the event."),
			"created_at": described("Time of the event.", "date-time", "2026-01-31T12:00:00.000Z"),
			"cause": described("enrichment: background analysis has added text, tags, captions or playable "+
				"copies to the asset; change: any other cause.", "", "change"),
			"data": data,
		},
	}
}

// eventOperation returns the operation of a delivery.
func (s *Server) eventOperation(t dam.EventType) *huma.Operation {
	in := func(name, doc string, schema *huma.Schema) *huma.Param {
		return &huma.Param{Name: name, In: "header", Required: true, Description: doc, Schema: schema}
	}
	signature := "t=1767225600,v1=5257a869e7ecebeda32affa62cdca3fa51cad7e77a0e56ff536d0ce8e108d8bd"
	body := &huma.MediaType{Schema: &huma.Schema{Ref: "#/components/schemas/" + eventName(t) + "Event"}}
	op := &huma.Operation{
		OperationID: "receive" + eventName(t), Tags: []string{"Webhooks"}, Summary: "Receive the event " + string(t),
		Security: []map[string][]string{},
		Parameters: []*huma.Param{
			in("X-DAL-Signature", "Time of the attempt, in seconds since 1970 UTC, and the signature.", described("", "", signature)),
			in("X-DAL-Event", "Type of the event, as in the body.", eventTypeSchema(t, "")),
			in("X-DAL-Delivery", "Id of the delivery, the same in each of its attempts.",
				described("", "uuid", "01980a3c-54f0-7c3e-9b1a-6f2d5c7e8a90")),
			in("webhook-id", "Id of the event, as in the body (Standard Webhooks).",
				described("", "uuid", "01980a3c-54ef-7d21-8c44-1b0e7f3a2d65")),
			in("webhook-timestamp", "Time of the attempt, in seconds since 1970 UTC (Standard Webhooks).", described("", "", "1767225600")),
			in("webhook-signature", "v1, and the signature (Standard Webhooks).",
				described("", "", "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj2o9NDN/H/pI4=")),
		},
		RequestBody: &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{"application/json": body}},
		Responses:   eventResponses(),
	}
	s.reference.describe("event", "", &op.Description)
	return op
}

func eventTypeSchema(t dam.EventType, doc string) *huma.Schema {
	s := described(doc, "", string(t))
	s.Extensions = map[string]any{"const": string(t)}
	return s
}

func described(doc, format, example string) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Format: format, Description: doc, Examples: []any{example}}
}

// eventName returns the name of an event type in the document, such as AssetCreated.
func eventName(t dam.EventType) string {
	var b strings.Builder
	for part := range strings.SplitSeq(string(t), ".") {
		b.WriteString(strings.ToUpper(part[:1]) + part[1:])
	}
	return b.String()
}
