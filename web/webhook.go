package web

import (
	"context"
	"net/http"

	"github.com/digital-asset-library/dal/app/dam"
)

// Webhook is an endpoint that receives events.
type Webhook struct {
	ID             int64               `json:"id" example:"4"`
	URL            string              `json:"url" format:"uri" example:"https://example.com/hooks/dal"`
	Events         []EventSubscription `json:"events" example:"[\"asset.created\",\"asset.updated\"]"`
	SkipEnrichment bool                `json:"skip_enrichment" example:"false"`
	Description    *string             `json:"description" example:"The shop's catalogue"`
	IsActive       bool                `json:"is_active" doc:"Whether the status is active and events are sent." example:"true"`
	Status         dam.WebhookStatus   `json:"status" example:"active"`
	DisabledReason *string             `json:"disabled_reason" example:"20 attempts in a row failed."`
	CreatedBy      Null[User]          `json:"created_by"`
	CreatedAt      Time                `json:"created_at"`
	UpdatedAt      Time                `json:"updated_at"`
}

// WebhookSecret is a webhook with its new secret, which is shown only once.
type WebhookSecret struct {
	Webhook
	Secret string `json:"secret" example:"whsec_q83vEjRWeJq83vEjRWeJq83vEjRWeJq83vEjRWeJ0EcB"`
}

func toWebhook(w *dam.Webhook) Webhook {
	return Webhook{ID: w.ID, URL: w.URL, Events: mapped(w.Events, toSubscription), SkipEnrichment: w.SkipEnrichment,
		Description: text(w.Description),
		IsActive:    w.Status == dam.WebhookActive, Status: w.Status, DisabledReason: text(w.DisabledReason),
		CreatedBy: null(w.CreatedBy, toUser), CreatedAt: Time{w.CreatedAt}, UpdatedAt: Time{w.UpdatedAt}}
}

func toWebhookSecret(w *dam.Webhook) WebhookSecret { return WebhookSecret{toWebhook(w), w.Secret} }

// WebhookDelivery is the delivery of an event to a webhook.
type WebhookDelivery struct {
	ID              string             `json:"id" format:"uuid" example:"01980a3c-54f0-7c3e-9b1a-6f2d5c7e8a90"`
	EventID         string             `json:"event_id" format:"uuid" example:"01980a3c-54ef-7d21-8c44-1b0e7f3a2d65"`
	EventType       dam.EventType      `json:"event_type" doc:"Type of the event." example:"asset.created"`
	Attempt         int                `json:"attempt" minimum:"0" maximum:"6" doc:"Number of attempts made." example:"1"`
	Status          dam.DeliveryStatus `json:"status" example:"delivered"`
	StatusCode      *int64             `json:"status_code" doc:"HTTP status of the last response; null if there was none." example:"200"`
	LatencyMS       *int64             `json:"latency_ms" doc:"Duration of the last attempt, in milliseconds; null before it." example:"84"`
	ResponseExcerpt *string            `json:"response_excerpt" example:"ok"`
	Error           *string            `json:"error" example:"There was no full answer within 10s."`
	NextAttemptAt   NullTime           `json:"next_attempt_at"`
	CreatedAt       Time               `json:"created_at"`
	Attempts        []DeliveryAttempt  `json:"attempts" maxItems:"6" doc:"All attempts, newest first."`
}

// DeliveryAttempt is the result of an attempt.
type DeliveryAttempt struct {
	Attempt         int     `json:"attempt" minimum:"1" maximum:"6" example:"1"`
	StatusCode      *int64  `json:"status_code" doc:"HTTP status of the response; null if there was none." example:"200"`
	LatencyMS       int64   `json:"latency_ms" doc:"Duration of the attempt in milliseconds." example:"84"`
	ResponseExcerpt *string `json:"response_excerpt" example:"ok"`
	Error           *string `json:"error" doc:"Why the attempt failed; null if it succeeded." example:"The answer was 503 instead of 2xx."`
	CreatedAt       Time    `json:"created_at"`
}

func toDelivery(d *dam.Delivery) WebhookDelivery {
	v := WebhookDelivery{ID: d.UUID, EventID: d.EventUUID, EventType: d.EventType, Attempt: len(d.Attempts), Status: d.Status,
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
	createWebhookInput struct {
		Body struct {
			URL         string              `json:"url" minLength:"1" maxLength:"2048" example:"https://example.com/hooks/dal"`
			Events      []EventSubscription `json:"events" minItems:"1" maxItems:"20" example:"[\"asset.created\",\"asset.updated\"]"`
			Description Opt[string]         `json:"description,omitempty" maxLength:"1000" example:"The shop's catalogue"`
			IsActive    Opt[bool]           `json:"is_active,omitempty" nullable:"false" example:"true"`

			SkipEnrichment Opt[bool] `json:"skip_enrichment,omitempty" nullable:"false" example:"true"`
		} `contentType:"application/json" nameHint:"CreateWebhook"`
	}
	updateWebhookInput struct {
		WebhookInput
		ReturnedInput
		Body *struct {
			URL         Opt[string]              `json:"url,omitempty" nullable:"false" minLength:"1" maxLength:"2048" example:"https://a.example/"`
			Events      Opt[[]EventSubscription] `json:"events,omitempty" nullable:"false" minItems:"1" maxItems:"20" example:"[\"asset.created\"]"`
			Description Opt[string]              `json:"description,omitempty" maxLength:"1000" example:"The shop's catalogue"`
			IsActive    Opt[bool]                `json:"is_active,omitempty" nullable:"false" example:"false"`

			SkipEnrichment Opt[bool] `json:"skip_enrichment,omitempty" nullable:"false" example:"true"`
		} `contentType:"application/json" nameHint:"UpdateWebhook"`
	}
	deliveriesInput struct {
		WebhookInput
		PageInput
		Status    dam.DeliveryStatus `query:"status" doc:"Deliveries with this status." example:"failed"`
		EventType dam.EventType      `query:"event_type" doc:"Deliveries of events of this type." example:"asset.created"`
	}
	deliveryInput struct {
		WebhookInput
		Delivery string `path:"delivery" format:"uuid" doc:"The delivery's id." example:"01980a3c-54f0-7c3e-9b1a-6f2d5c7e8a90"`
	}
)

func (s *Server) webhookRoutes() {
	hooks := group{tag: "Webhooks", path: "/webhooks"}
	register(s, hooks.route("listWebhooks", "GET", "", "List webhooks"), s.listWebhooks)
	register(s, hooks.route("createWebhook", "POST", "", "Create a webhook").creating(), s.createWebhook)
	register(s, hooks.route("showWebhook", "GET", "/{id}", "Show a webhook"), s.showWebhook)
	registerPut(s, hooks.route("updateWebhook", "PUT", "/{id}", "Update a webhook"), s.webhookAsShown, s.updateWebhook)
	registerChange(s, hooks.route("deleteWebhook", "DELETE", "/{id}", "Delete a webhook"), shownBy(s.showWebhook), s.deleteWebhook)
	register(s, hooks.route("listWebhookDeliveries", "GET", "/{id}/deliveries", "List the deliveries of a webhook"), s.listDeliveries)
	redeliver := hooks.route("redeliverWebhookDelivery", "POST", "/{id}/deliveries/{delivery}/redeliver", "Redeliver an event")
	redeliver.status = http.StatusAccepted
	register(s, redeliver, s.redeliver)
	register(s, hooks.route("testWebhook", "POST", "/{id}/test", "Test a webhook").failing(409), s.testWebhook)
	register(s, hooks.route("rotateWebhookSecret", "POST", "/{id}/rotate-secret", "Rotate the secret of a webhook"), s.rotateSecret)
	s.describeEvents()
}

func (s *Server) listWebhooks(ctx context.Context, in *PageInput) (*listOutput[Webhook], error) {
	return pageAnswer(ctx, in, toWebhook)(s.app.Webhooks.List(ctx, requestOf(ctx).actor, in.page()))
}

func (s *Server) createWebhook(ctx context.Context, in *createWebhookInput) (*created[WebhookSecret], error) {
	b := in.Body
	p := &dam.WebhookPatch{URL: sent(b.URL), Events: sent(toEventTypes(b.Events)),
		Description: b.Description.Opt, Active: b.IsActive.Opt, SkipEnrichment: b.SkipEnrichment.Opt}
	w, err := s.app.Webhooks.Create(ctx, requestOf(ctx).actor, p)
	if err != nil {
		return nil, err
	}
	return made(ctx, "/webhooks/"+itoa(w.ID), toWebhookSecret(w)), nil
}

func (s *Server) showWebhook(ctx context.Context, in *WebhookInput) (*oneOutput[Webhook], error) {
	return answer(toWebhook)(s.app.Webhooks.Get(ctx, requestOf(ctx).actor, in.Webhook))
}

func (s *Server) webhookAsShown(ctx context.Context, in *updateWebhookInput) (any, error) {
	w, err := s.app.Webhooks.Get(ctx, requestOf(ctx).actor, in.Webhook)
	if err != nil {
		return nil, err
	}
	return toWebhook(w), nil
}

func (s *Server) updateWebhook(ctx context.Context, in *updateWebhookInput) (*oneOutput[Webhook], error) {
	p := &dam.WebhookPatch{}
	if b := in.Body; b != nil {
		p = &dam.WebhookPatch{URL: b.URL.Opt, Events: optAs(b.Events, toEventTypes),
			Description: b.Description.Opt, Active: b.IsActive.Opt, SkipEnrichment: b.SkipEnrichment.Opt}
	}
	return answer(toWebhook)(s.app.Webhooks.Update(ctx, requestOf(ctx).actor, in.Webhook, p))
}

func (s *Server) deleteWebhook(ctx context.Context, in *WebhookInput) (*messageOutput, error) {
	return done("Webhook deleted.", s.app.Webhooks.Delete(ctx, requestOf(ctx).actor, in.Webhook))
}

func (s *Server) rotateSecret(ctx context.Context, in *WebhookInput) (*oneOutput[WebhookSecret], error) {
	return answer(toWebhookSecret)(s.app.Webhooks.RotateSecret(ctx, requestOf(ctx).actor, in.Webhook))
}

func (s *Server) listDeliveries(ctx context.Context, in *deliveriesInput) (*listOutput[WebhookDelivery], error) {
	filter := dam.DeliveryFilter{Status: in.Status, EventType: in.EventType}
	return pageAnswer(ctx, &in.PageInput, toDelivery)(s.app.Webhooks.Deliveries(ctx, requestOf(ctx).actor, in.Webhook, filter, in.page()))
}

func (s *Server) redeliver(ctx context.Context, in *deliveryInput) (*oneOutput[WebhookDelivery], error) {
	return answer(toDelivery)(s.app.Webhooks.Redeliver(ctx, requestOf(ctx).actor, in.Webhook, in.Delivery))
}

func (s *Server) testWebhook(ctx context.Context, in *WebhookInput) (*oneOutput[WebhookDelivery], error) {
	return answer(toDelivery)(s.app.Webhooks.Test(ctx, requestOf(ctx).actor, in.Webhook))
}
