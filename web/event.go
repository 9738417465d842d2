package web

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/app/access"
	"github.com/digital-asset-library/dal/app/dam"
)

// EventView represents the resource of an event as in the API, without the envelope. Links
// use the site URL or, if none is configured, the local address: no request names the host.
func EventView(site *url.URL, local string) app.EventView {
	root := local
	if site != nil {
		root = strings.TrimSuffix(site.String(), "/")
	}
	return func(ctx context.Context, a *app.App, reader dam.Actor, e *dam.Event) (any, error) {
		return showEvent(ctx, a, root, reader, e)
	}
}

func showEvent(ctx context.Context, a *app.App, root string, reader dam.Actor, e *dam.Event) (any, error) {
	switch e.Type.Noun() {
	case "asset":
		asset, err := resource[dam.Asset](e)
		if err != nil {
			return nil, err
		}
		d, err := a.Assets.EventAsset(ctx, reader, asset)
		if err != nil {
			return nil, err
		}
		return toAsset(assetView{root, e.CreatedAt}, d), nil
	case "collection":
		c, err := resource[dam.Collection](e)
		if err != nil {
			return nil, err
		}
		if err := a.Collections.CollectionAsRead(ctx, reader, c); err != nil {
			return nil, err
		}
		return toCollection(reader, c), nil
	case "operation":
		op, err := resource[dam.Operation](e)
		if err != nil {
			return nil, err
		}
		if err := a.Operations.EventOperation(ctx, reader, op); err != nil {
			return nil, err
		}
		return toOperation(root, op, false), nil
	case "share":
		share, err := resource[dam.Share](e)
		if err != nil {
			return nil, err
		}
		if err := a.Shares.EventShare(ctx, reader, share); err != nil {
			return nil, err
		}
		return toShare(root)(share), nil
	case "upload.batch":
		b, err := resource[dam.Batch](e)
		if err != nil {
			return nil, err
		}
		access.ShowBatch(reader, b)
		return toBatch(b), nil
	case "webhook":
		w, err := resource[dam.Webhook](e)
		if err != nil {
			return nil, err
		}
		return eventWebhook{ID: w.ID, URL: w.URL, Events: mapped(w.Events, toSubscription), Description: text(w.Description)}, nil
	}
	return nil, fmt.Errorf("an event of the type %s cannot be shown", e.Type)
}

// resource decodes the resource of an event.
func resource[T any](e *dam.Event) (*T, error) {
	v := new(T)
	if err := json.Unmarshal(e.Data, v); err != nil {
		return nil, fmt.Errorf("the resource of an event of the type %s: %w", e.Type, err)
	}
	return v, nil
}

// eventWebhook is the webhook in a webhook.test event.
type eventWebhook struct {
	ID          int64               `json:"id" example:"4"`
	URL         string              `json:"url" format:"uri" example:"https://example.com/hooks/dal"`
	Events      []EventSubscription `json:"events" doc:"Subscribed event types; * means all." example:"[\"asset.created\"]"`
	Description *string             `json:"description" example:"The shop's catalogue"`
}
