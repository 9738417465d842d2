package web

import (
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/digital-asset-library/dal/app/dam"
)

// eventData are the resources that events have, by noun, and what to know of
// them.
var eventData = map[string]struct {
	resource any
	doc      string
}{
	"asset":        {Asset{}, "The asset as it was right after the event, as GET /assets/{gaid} shows it, but with its collections as they are when it is sent."},
	"collection":   {Collection{}, "The collection as it was right after the event, as GET /collections shows it."},
	"operation":    {Operation{}, "The operation as it ended, as GET /operations/{operation} shows it."},
	"upload.batch": {UploadBatch{}, "The batch as it ended, as GET /upload-batches/{batch} shows it."},
	"webhook":      {eventWebhook{}, "The webhook."},
}

// describeEvents puts what is sent to webhooks into the document: an operation
// for each type of event.
func (s *Server) describeEvents() {
	text := func(doc, format, example string) *huma.Schema {
		return &huma.Schema{Type: huma.TypeString, Format: format, Description: doc, Examples: []any{example}}
	}
	in := func(name, doc string, schema *huma.Schema) *huma.Param {
		return &huma.Param{Name: name, In: "header", Required: true, Description: doc, Schema: schema}
	}
	reg := s.api.OpenAPI().Components.Schemas
	hooks := map[string]*huma.PathItem{}
	for _, t := range dam.Values[dam.EventType]() {
		name := eventName(t)
		typ := func(doc string) *huma.Schema {
			return &huma.Schema{Type: huma.TypeString, Description: doc, Extensions: map[string]any{"const": string(t)}, Examples: []any{string(t)}}
		}
		data := &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true, Description: "The resource as it was right after the event."} // of what this build has not
		if d, ok := eventData[t.Noun()]; ok {
			data = reg.Schema(reflect.TypeOf(d.resource), true, "")
			data.Description = d.doc
		}
		reg.Map()[name+"Event"] = &huma.Schema{Type: huma.TypeObject, Required: []string{"id", "type", "created_at", "data"}, AdditionalProperties: false, Properties: map[string]*huma.Schema{
			"id":         text("Of the event; the same in every delivery of it, so that a receiver can tell what it has seen.", "uuid", "01980a3c-54ef-7d21-8c44-1b0e7f3a2d65"),
			"type":       typ("The type of the event."),
			"created_at": text("When it happened.", "date-time", "2026-01-31T12:00:00.000Z"),
			"data":       data,
		}}
		hooks[string(t)] = &huma.PathItem{Post: &huma.Operation{
			OperationID: "receive" + name, Tags: []string{"Webhooks"}, Summary: "The event " + string(t) + ", as it is sent to a webhook",
			Description: "Answer with 2xx within 10 seconds; anything else, a redirect included, is a failure and is tried again. Events about one resource are sent one after the other, but one that is tried again may come after later ones: compare version or updated_at of the resource. An event may come more than once; its id tells. To verify: compute the HMAC-SHA256 of t, a full stop and the raw body with the secret, compare it with v1 in constant time, and refuse a t older than 5 minutes. Libraries that verify Stripe's signatures can be used as they are. After 20 failed attempts in a row, or when a delivery has failed for the last time and none has succeeded since it began, the webhook is disabled.",
			Security:    []map[string][]string{},
			Parameters: []*huma.Param{
				in("X-DAL-Signature", "When it was sent, in seconds since 1970 UTC, and the signature.", text("", "", "t=1767225600,v1=5257a869e7ecebeda32affa62cdca3fa51cad7e77a0e56ff536d0ce8e108d8bd")),
				in("X-DAL-Event", "The type of the event, as in the body.", typ("")),
				in("X-DAL-Delivery", "Id of the delivery, the same in each of its attempts.", text("", "uuid", "01980a3c-54f0-7c3e-9b1a-6f2d5c7e8a90")),
			},
			RequestBody: &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{"application/json": {Schema: &huma.Schema{Ref: "#/components/schemas/" + name + "Event"}}}},
			Responses: map[string]*huma.Response{
				"2XX": {Description: "Received."},
				"4XX": {Description: "Refused; it is tried again."},
			},
		}}
	}
	s.api.OpenAPI().Webhooks = hooks
}

// eventName makes a name for the document of a type of event: AssetCreated.
func eventName(t dam.EventType) string {
	var b strings.Builder
	for part := range strings.SplitSeq(string(t), ".") {
		b.WriteString(strings.ToUpper(part[:1]) + part[1:])
	}
	return b.String()
}
