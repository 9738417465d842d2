package web

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/digital-asset-library/dal/app/dam"
)

// showEvent writes the resource of an event as the interface shows it to one
// reader, without the envelope.
func (s *Server) showEvent(ctx context.Context, _ dam.Actor, e *dam.Event) (any, error) {
	switch e.Type.Noun() {
	case "asset":
		var a dam.Asset
		if err := json.Unmarshal(e.Data, &a); err != nil {
			return nil, fmt.Errorf("asset of an event: %w", err)
		}
		d, err := s.app.EventAsset(ctx, &a)
		if err != nil {
			return nil, err
		}
		return toAsset(s.eventBase(), d), nil
	case "upload.batch":
		var b dam.Batch
		if err := json.Unmarshal(e.Data, &b); err != nil {
			return nil, fmt.Errorf("upload batch of an event: %w", err)
		}
		return toBatch(&b), nil
	case "webhook":
		var w dam.Webhook
		if err := json.Unmarshal(e.Data, &w); err != nil {
			return nil, fmt.Errorf("webhook of an event: %w", err)
		}
		return eventWebhook{ID: w.ID, URL: w.URL, Events: w.Events, Description: text(w.Description)}, nil
	}
	// What has no view says which it is, and no more.
	return map[string]json.RawMessage{"id": subjectID(e.Subject)}, nil
}

// eventWebhook is what a webhook.test event tells of the webhook.
type eventWebhook struct {
	ID          int64           `json:"id"`
	URL         string          `json:"url"`
	Events      []dam.EventType `json:"events"`
	Description *string         `json:"description"`
}

// subjectID writes a decimal id as a number and any other as a text.
func subjectID(id string) json.RawMessage {
	if id != "" && strings.Trim(id, "0123456789") == "" && id[0] != '0' {
		return json.RawMessage(id)
	}
	text, _ := json.Marshal(id) // a string always marshals
	return text
}

// eventBase is the root of the instance for links in events, which no request
// names.
func (s *Server) eventBase() string {
	if s.opt.SiteURL != nil {
		return strings.TrimSuffix(s.opt.SiteURL.String(), "/")
	}
	return s.opt.LocalURL
}
