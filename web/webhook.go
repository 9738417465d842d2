package web

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/digital-asset-library/dal/app/dam"
)

// EventName is a type of event.
type EventName dam.EventType

// Schema describes a type of event.
func (EventName) Schema(huma.Registry) *huma.Schema {
	s := &huma.Schema{Type: huma.TypeString, Description: "The type of the event.", Examples: []any{string(dam.AssetCreated)}}
	for _, t := range dam.EventTypes() {
		s.Enum = append(s.Enum, string(t))
	}
	return s
}

// Subscription is a type of event, or * for all.
type Subscription dam.EventType

// Schema describes a subscription.
func (Subscription) Schema(r huma.Registry) *huma.Schema {
	s := EventName("").Schema(r)
	s.Enum = append(s.Enum, string(dam.AllEvents))
	s.Description = "A type of event, or * for all."
	return s
}

func toSubscription(t dam.EventType) Subscription { return Subscription(t) }
func (s Subscription) dam() dam.EventType         { return dam.EventType(s) }

// Webhook is an endpoint that events are sent to.
type Webhook struct {
	ID             int64             `json:"id" example:"4"`
	URL            string            `json:"url" format:"uri" example:"https://example.com/hooks/dal"`
	Events         []Subscription    `json:"events" doc:"The types of events that are sent to it; * stands for all." example:"[\"asset.created\",\"asset.updated\"]"`
	Description    *string           `json:"description" example:"The shop's catalogue"`
	IsActive       bool              `json:"is_active" doc:"Whether events are sent: status is active." example:"true"`
	Status         dam.WebhookStatus `json:"status" enum:"active,inactive,disabled" doc:"inactive: somebody set is_active to false; nothing is sent, and what happens meanwhile is not sent later either. disabled: deliveries failed repeatedly, and what happens meanwhile waits; or the token that it was made with has ended, and what happens meanwhile is not sent later either. What was queued before waits in both states, and goes out once is_active is set to true." example:"active"`
	DisabledReason *string           `json:"disabled_reason" doc:"Why it was disabled; null unless it is." example:"20 attempts in a row failed, the last with: The answer was 503 instead of 2xx."`
	CreatedBy      NullUser          `json:"created_by"`
	CreatedAt      Time              `json:"created_at"`
	UpdatedAt      Time              `json:"updated_at"`
}

// WebhookSecret is a webhook when its secret is made: the only time it is
// shown.
type WebhookSecret struct {
	Webhook
	Secret string `json:"secret" doc:"Signs what is sent; shown only now. The key of the HMAC is the whole text with its prefix." example:"whsec_q83vEjRWeJq83vEjRWeJq83vEjRWeJq83vEjRWeJ0Ec"`
}

func toWebhook(w *dam.Webhook) Webhook {
	return Webhook{ID: w.ID, URL: w.URL, Events: mapped(w.Events, toSubscription), Description: text(w.Description), IsActive: w.Status == dam.WebhookActive,
		Status: w.Status, DisabledReason: text(w.DisabledReason), CreatedBy: toNullUser(w.CreatedBy), CreatedAt: Time{w.CreatedAt}, UpdatedAt: Time{w.UpdatedAt}}
}

// WebhookDelivery is one event on its way to one webhook.
type WebhookDelivery struct {
	ID              string             `json:"id" format:"uuid" doc:"As in the header X-DAL-Delivery." example:"01980a3c-54f0-7c3e-9b1a-6f2d5c7e8a90"`
	EventID         string             `json:"event_id" format:"uuid" doc:"As in the payload; the same in every delivery of the event." example:"01980a3c-54ef-7d21-8c44-1b0e7f3a2d65"`
	EventType       EventName          `json:"event_type" example:"asset.created"`
	Attempt         int                `json:"attempt" minimum:"0" maximum:"6" doc:"How many attempts were made." example:"1"`
	Status          dam.DeliveryStatus `json:"status" enum:"pending,retrying,delivered,failed" doc:"pending: not yet tried; retrying: failed and to be tried again; delivered: answered with 2xx; failed: given up." example:"delivered"`
	StatusCode      *int64             `json:"status_code" doc:"Of the last answer; null without one." example:"200"`
	LatencyMS       *int64             `json:"latency_ms" doc:"Milliseconds that the last attempt took; null before the first." example:"84"`
	ResponseExcerpt *string            `json:"response_excerpt" doc:"The beginning of the last answer's body, at most 1 KiB; null when it is empty." example:"ok"`
	Error           *string            `json:"error" doc:"Why the last attempt failed; null when it did not." example:"There was no full answer within 10s."`
	NextAttemptAt   NullTime           `json:"next_attempt_at" doc:"When it is tried next, if the webhook is active then; null when it has ended."`
	CreatedAt       Time               `json:"created_at"`
	Attempts        []DeliveryAttempt  `json:"attempts" maxItems:"6" doc:"All attempts, newest first."`
}

// DeliveryAttempt is what came of one attempt.
type DeliveryAttempt struct {
	Attempt         int     `json:"attempt" minimum:"1" maximum:"6" example:"1"`
	StatusCode      *int64  `json:"status_code" doc:"Of the answer; null without one." example:"200"`
	LatencyMS       int64   `json:"latency_ms" doc:"Milliseconds." example:"84"`
	ResponseExcerpt *string `json:"response_excerpt" doc:"The beginning of the answer's body, at most 1 KiB; null when it is empty." example:"ok"`
	Error           *string `json:"error" doc:"Why it failed; null when it did not." example:"The answer was 503 instead of 2xx."`
	CreatedAt       Time    `json:"created_at"`
}

func toDelivery(d *dam.Delivery) WebhookDelivery {
	v := WebhookDelivery{ID: d.UUID, EventID: d.EventUUID, EventType: EventName(d.EventType), Attempt: len(d.Attempts), Status: d.Status,
		NextAttemptAt: NullTime{d.DueAt}, CreatedAt: Time{d.CreatedAt}, Attempts: []DeliveryAttempt{}}
	for i := len(d.Attempts) - 1; i >= 0; i-- {
		a := d.Attempts[i]
		v.Attempts = append(v.Attempts, DeliveryAttempt{Attempt: i + 1, StatusCode: number(a.StatusCode), LatencyMS: a.LatencyMS,
			ResponseExcerpt: text(a.Excerpt), Error: text(a.Error), CreatedAt: Time{a.At}})
	}
	if len(v.Attempts) > 0 {
		last := v.Attempts[0]
		v.StatusCode, v.LatencyMS, v.ResponseExcerpt, v.Error = last.StatusCode, &last.LatencyMS, last.ResponseExcerpt, last.Error
	}
	return v
}

type (
	// WebhookInput names a webhook in the path.
	WebhookInput struct {
		Webhook int64 `path:"id" doc:"The webhook's id." example:"4"`
	}
	webhooksInput struct {
		PageInput
	}
	createWebhookInput struct {
		Body struct {
			URL         string         `json:"url" minLength:"1" maxLength:"2048" doc:"An https URL on a public address." example:"https://example.com/hooks/dal"`
			Events      []Subscription `json:"events" minItems:"1" maxItems:"20" doc:"The types of events to send; * stands for all. asset.* and operation.* need the ability assets:read, collection.* collections:read, share.* shares:read, upload.* uploads:manage." example:"[\"asset.created\",\"asset.updated\"]"`
			Description Opt[string]    `json:"description,omitempty" maxLength:"1000" example:"The shop's catalogue"`
			IsActive    Opt[bool]      `json:"is_active,omitempty" nullable:"false" doc:"Whether events are sent; true when absent." example:"true"`
		} `contentType:"application/json" nameHint:"CreateWebhook"`
	}
	updateWebhookInput struct {
		WebhookInput
		ReturnedInput
		Body *struct {
			URL         Opt[string]         `json:"url,omitempty" nullable:"false" minLength:"1" maxLength:"2048" doc:"An https URL on a public address." example:"https://example.com/hooks/dal"`
			Events      Opt[[]Subscription] `json:"events,omitempty" nullable:"false" minItems:"1" maxItems:"20" doc:"The types of events to send, as in POST /webhooks." example:"[\"asset.created\",\"asset.updated\"]"`
			Description Opt[string]         `json:"description,omitempty" maxLength:"1000" example:"The shop's catalogue"`
			IsActive    Opt[bool]           `json:"is_active,omitempty" nullable:"false" doc:"false stops the sending and keeps the configuration; true begins it again, also after the webhook was disabled." example:"false"`
		} `contentType:"application/json" nameHint:"UpdateWebhook"`
	}
	webhookOutput       struct{ Body one[Webhook] }
	webhookSecretOutput struct{ Body one[WebhookSecret] }
	webhooksOutput      struct{ Body list[Webhook] }
	deliveriesInput     struct {
		WebhookInput
		PageInput
	}
	deliveriesOutput struct{ Body list[WebhookDelivery] }
	deliveryInput    struct {
		WebhookInput
		Delivery string `path:"delivery" format:"uuid" doc:"The delivery's id." example:"01980a3c-54f0-7c3e-9b1a-6f2d5c7e8a90"`
	}
	deliveryOutput struct{ Body one[WebhookDelivery] }
)

func (s *Server) webhookRoutes() {
	op := func(id, method, path, summary, doc string) route {
		return route{id: id, method: method, path: "/webhooks" + path, tag: "Webhooks", summary: summary, doc: doc}
	}
	const needs = " Needs the abilities to read what the webhook is subscribed to."
	register(s, op("listWebhooks", "GET", "", "List webhooks", "The webhooks of the authenticated user, newest first. A session of an admin sees those of all users.").huma(), s.listWebhooks)
	create := op("createWebhook", "POST", "", "Register a webhook", "Registers an endpoint that is told of what happens from now on, until the token that made it ends. The answer has the signing secret, which no later answer has. A user can have 100. Subscribing to a group of events needs the ability to read it: asset.* and operation.* assets:read, collection.* collections:read, share.* shares:read, upload.* uploads:manage, and * all of them. Of upload batches and operations, users other than admins are told of their own.")
	create.status = http.StatusCreated
	register(s, create.huma(), s.createWebhook)
	register(s, op("showWebhook", "GET", "/{id}", "Show a webhook", "One of another user is not found.").huma(), s.showWebhook)
	registerPut(s, op("updateWebhook", "PUT", "/{id}", "Update a webhook", "Changes what is sent, leaves what is absent. With a token that changes url or events, or sets is_active to true, the webhook ends from then on; with a session, with its user."+needs).huma(), s.webhookAsShown, s.updateWebhook)
	register(s, op("deleteWebhook", "DELETE", "/{id}", "Delete a webhook", "What waits for it is not sent. A token needs the abilities to read what the webhook is subscribed to; a browser's session does not.").huma(), s.deleteWebhook)
	register(s, op("listWebhookDeliveries", "GET", "/{id}/deliveries", "List deliveries of a webhook", "Newest first, each with its attempts: status code, latency and excerpt of the answer. A delivery that fails is tried again after 1 minute, 5 minutes, 30 minutes, 2 hours and 12 hours. The history is kept for 30 days unless the server is set otherwise."+needs).huma(), s.listDeliveries)
	redeliver := op("redeliverWebhookDelivery", "POST", "/{id}/deliveries/{delivery}/redeliver", "Send an event again", "Queues a new delivery of the same event, which has the same event id, with the data as it was then. It waits if the webhook is not active."+needs)
	redeliver.status = http.StatusAccepted
	register(s, redeliver.huma(), s.redeliver)
	test := op("testWebhook", "POST", "/{id}/test", "Test a webhook", "Sends a webhook.test event once, also when the webhook is not active or not subscribed to it, and answers with what came of it: an attempt may take 10 seconds. One that has ended with its token is 409."+needs)
	test.errors = []int{409}
	register(s, test.huma(), s.testWebhook)
	register(s, op("rotateWebhookSecret", "POST", "/{id}/rotate-secret", "Rotate the secret of a webhook", "Makes a new signing secret and answers with it. Everything that is sent from now on is signed with it, what waits included: the old one verifies nothing any more."+needs).huma(), s.rotateSecret)
	s.describeEvents()
}

func (s *Server) listWebhooks(ctx context.Context, in *webhooksInput) (*webhooksOutput, error) {
	hooks, total, err := s.app.Webhooks(ctx, requestOf(ctx).actor, in.page())
	if err != nil {
		return nil, err
	}
	return &webhooksOutput{*paginate(ctx, &in.PageInput, mapped(hooks, toWebhook), total)}, nil
}

func (s *Server) createWebhook(ctx context.Context, in *createWebhookInput) (*created[WebhookSecret], error) {
	b := in.Body
	p := &dam.WebhookPatch{URL: dam.Opt[string]{Sent: true, Value: b.URL}, Events: dam.Opt[[]dam.EventType]{Sent: true, Value: mapped(b.Events, Subscription.dam)},
		Description: b.Description.Opt, Active: b.IsActive.Opt}
	w, err := s.app.CreateWebhook(ctx, requestOf(ctx).actor, p)
	if err != nil {
		return nil, err
	}
	return made(ctx, "/webhooks/"+itoa(w.ID), WebhookSecret{toWebhook(w), w.Secret}), nil
}

func (s *Server) showWebhook(ctx context.Context, in *WebhookInput) (*webhookOutput, error) {
	return webhookAnswer(s.app.Webhook(ctx, requestOf(ctx).actor, in.Webhook))
}

func (s *Server) webhookAsShown(ctx context.Context, in *updateWebhookInput) (any, error) {
	w, err := s.app.Webhook(ctx, requestOf(ctx).actor, in.Webhook)
	if err != nil {
		return nil, err
	}
	return toWebhook(w), nil
}

func (s *Server) updateWebhook(ctx context.Context, in *updateWebhookInput) (*webhookOutput, error) {
	p := &dam.WebhookPatch{}
	if b := in.Body; b != nil {
		p = &dam.WebhookPatch{URL: b.URL.Opt, Events: dam.Opt[[]dam.EventType]{Sent: b.Events.Sent, Null: b.Events.Null, Value: mapped(b.Events.Value, Subscription.dam)},
			Description: b.Description.Opt, Active: b.IsActive.Opt}
	}
	return webhookAnswer(s.app.UpdateWebhook(ctx, requestOf(ctx).actor, in.Webhook, p))
}

func webhookAnswer(w *dam.Webhook, err error) (*webhookOutput, error) {
	if err != nil {
		return nil, err
	}
	return &webhookOutput{one[Webhook]{toWebhook(w)}}, nil
}

func secretAnswer(w *dam.Webhook, err error) (*webhookSecretOutput, error) {
	if err != nil {
		return nil, err
	}
	return &webhookSecretOutput{one[WebhookSecret]{WebhookSecret{toWebhook(w), w.Secret}}}, nil
}

func (s *Server) deleteWebhook(ctx context.Context, in *WebhookInput) (*messageOutput, error) {
	if err := s.app.DeleteWebhook(ctx, requestOf(ctx).actor, in.Webhook); err != nil {
		return nil, err
	}
	return &messageOutput{message{"Webhook deleted."}}, nil
}

func (s *Server) rotateSecret(ctx context.Context, in *WebhookInput) (*webhookSecretOutput, error) {
	return secretAnswer(s.app.RotateWebhookSecret(ctx, requestOf(ctx).actor, in.Webhook))
}

func (s *Server) listDeliveries(ctx context.Context, in *deliveriesInput) (*deliveriesOutput, error) {
	all, total, err := s.app.Deliveries(ctx, requestOf(ctx).actor, in.Webhook, in.page())
	if err != nil {
		return nil, err
	}
	return &deliveriesOutput{*paginate(ctx, &in.PageInput, mapped(all, toDelivery), total)}, nil
}

func (s *Server) redeliver(ctx context.Context, in *deliveryInput) (*deliveryOutput, error) {
	return deliveryAnswer(s.app.Redeliver(ctx, requestOf(ctx).actor, in.Webhook, in.Delivery))
}

func (s *Server) testWebhook(ctx context.Context, in *WebhookInput) (*deliveryOutput, error) {
	return deliveryAnswer(s.app.TestWebhook(ctx, requestOf(ctx).actor, in.Webhook))
}

func deliveryAnswer(d *dam.Delivery, err error) (*deliveryOutput, error) {
	if err != nil {
		return nil, err
	}
	return &deliveryOutput{one[WebhookDelivery]{toDelivery(d)}}, nil
}
