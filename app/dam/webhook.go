package dam

import (
	"slices"
	"strings"
	"time"
)

// AllEvents in the events of a webhook subscribes to all current and future types.
const AllEvents EventType = "*"

// ReadAbility returns the ability required to read the resource of an event of type t, and
// so to subscribe to it; "" for webhook.test.
func (t EventType) ReadAbility() Ability {
	switch group, _, _ := strings.Cut(string(t), "."); group {
	case "asset", "operation":
		return AssetsRead
	case "collection":
		return CollectionsRead
	case "share":
		return SharesRead
	case "upload":
		return UploadsManage
	}
	return ""
}

// Noun returns the resource type of t: "asset", "upload.batch".
func (t EventType) Noun() string {
	return string(t)[:max(0, strings.LastIndexByte(string(t), '.'))]
}

// WebhookStatus is the state of a webhook.
type WebhookStatus string

// The states of a webhook. Inactive and disabled webhooks receive nothing. A user makes a
// webhook inactive: events are then dropped. Repeated failures disable a webhook: events
// are then queued.
const (
	WebhookActive   WebhookStatus = "active"
	WebhookInactive WebhookStatus = "inactive"
	WebhookDisabled WebhookStatus = "disabled"
)

// Values lists the states of a webhook.
func (WebhookStatus) Values() []WebhookStatus {
	return []WebhookStatus{WebhookActive, WebhookInactive, WebhookDisabled}
}

// The limits of a webhook, in characters.
const (
	MaxWebhookURL         = 2048
	MaxWebhookDescription = 1000
)

// Webhook is an endpoint that receives events.
type Webhook struct {
	ID             int64
	UserID         int64 // owner
	TokenID        int64 `json:"-"` // token whose end ends the webhook; 0 if it ends with its user
	URL            string
	Events         []EventType // subscribed types, or AllEvents
	SkipEnrichment bool        // excludes events caused by background analysis
	Description    string
	Status         WebhookStatus
	DisabledReason string // user-facing; "" unless disabled
	// Secret signs requests. It is stored in plain text because signing requires it, and is
	// shown only at creation.
	Secret      string     `json:"-"`
	Failures    int        // consecutive failed attempts
	SucceededAt *time.Time // last successful attempt
	CreatedAt   time.Time
	UpdatedAt   time.Time

	CreatedBy *User `json:"-"` // loaded for display
}

// The reasons for disabling a webhook whose token ended. They are stored in the database
// and used in queries, so they must not change.
const (
	WebhookTokenRevoked = "The token that it was made with was revoked."
	WebhookTokenExpired = "The token that it was made with has expired."
)

// BindTo ties the lifetime of w to the token of an actor, or to the user without one.
func (w *Webhook) BindTo(a Actor) {
	w.TokenID = 0
	if a.Token != nil {
		w.TokenID = a.Token.ID
	}
}

// Wants reports whether w is subscribed to events of type t.
func (w *Webhook) Wants(t EventType) bool {
	return slices.Contains(w.Events, t) || slices.Contains(w.Events, AllEvents)
}

// ReadAbilities lists the abilities required to receive the events of w.
func (w *Webhook) ReadAbilities() []Ability {
	var list []Ability
	for _, t := range Values[EventType]() {
		if a := t.ReadAbility(); w.Wants(t) && a != "" && !slices.Contains(list, a) {
			list = append(list, a)
		}
	}
	return list
}

// Validate checks w. It does not check whether its URL may be called.
func (w *Webhook) Validate() error {
	var p Problems
	p.length("url", w.URL, 1, MaxWebhookURL)
	p.prose("description", w.Description, MaxWebhookDescription)
	if len(w.Events) == 0 {
		p.Add("events", "events is required.")
	}
	for i, t := range w.Events {
		if t != AllEvents && !Valid(t) {
			p.Add("events."+itoa(i), "There is no event type %q.", t)
		}
	}
	return p.Err()
}

// WebhookPatch changes a webhook: absent fields are kept. Only the description can be null.
type WebhookPatch struct {
	URL         Opt[string]
	Events      Opt[[]EventType]
	Description Opt[string]
	Active      Opt[bool]

	SkipEnrichment Opt[bool]
}

// Apply changes w and validates it. Activating a disabled webhook enables it again;
// deactivating a disabled webhook has no effect.
func (p *WebhookPatch) Apply(w *Webhook) error {
	w.URL = strings.TrimSpace(p.URL.to(w.URL))
	w.Description = strings.TrimSpace(p.Description.to(w.Description))
	if p.Events.Sent {
		w.Events = nil
		for _, t := range p.Events.to(nil) {
			if !slices.Contains(w.Events, t) {
				w.Events = append(w.Events, t)
			}
		}
	}
	w.SkipEnrichment = p.SkipEnrichment.to(w.SkipEnrichment)
	switch {
	case p.Active.Null:
		return InvalidField("is_active", "is_active must be true or false.")
	case p.Active.Sent && p.Active.Value && w.Status != WebhookActive:
		w.Status, w.DisabledReason, w.Failures = WebhookActive, "", 0
	case p.Active.Sent && !p.Active.Value && w.Status == WebhookActive:
		w.Status = WebhookInactive
	}
	return w.Validate()
}

// DeliveryStatus is the state of a delivery.
type DeliveryStatus string

// The states of a delivery. The last two are final.
const (
	DeliveryPending   DeliveryStatus = "pending"   // not attempted yet
	DeliveryRetrying  DeliveryStatus = "retrying"  // failed, with another attempt scheduled
	DeliveryDelivered DeliveryStatus = "delivered" // 2xx response
	DeliveryFailed    DeliveryStatus = "failed"    // abandoned
)

// Values lists the states of a delivery.
func (DeliveryStatus) Values() []DeliveryStatus {
	return []DeliveryStatus{DeliveryPending, DeliveryRetrying, DeliveryDelivered, DeliveryFailed}
}

// DeliveryOrigin is the origin of a delivery.
type DeliveryOrigin string

// The origins: the event itself, once per webhook; a request to deliver it again; a test.
const (
	FromEvent      DeliveryOrigin = "event"
	FromRedelivery DeliveryOrigin = "redelivery"
	FromTest       DeliveryOrigin = "test"
)

// Values lists the origins of deliveries.
func (DeliveryOrigin) Values() []DeliveryOrigin {
	return []DeliveryOrigin{FromEvent, FromRedelivery, FromTest}
}

// DeliveryFilter selects deliveries of a webhook; "" matches all.
type DeliveryFilter struct {
	Status    DeliveryStatus
	EventType EventType
}

// Delivery is the delivery of one event to one webhook, with all attempts.
type Delivery struct {
	ID        int64
	UUID      string // public
	WebhookID int64
	EventID   int64
	EventUUID string
	EventType EventType
	Origin    DeliveryOrigin
	Status    DeliveryStatus
	Attempts  []DeliveryAttempt // oldest first, at most MaxDeliveryAttempts
	DueAt     *time.Time        // time of the next attempt; nil in a final state
	CreatedAt time.Time
	UpdatedAt time.Time
}

// DeliveryAttempt is one attempt and its result.
type DeliveryAttempt struct {
	At         time.Time `json:"at"`
	StatusCode int       `json:"status_code,omitempty"` // 0 without a response
	LatencyMS  int64     `json:"latency_ms"`
	Excerpt    string    `json:"excerpt,omitempty"` // of the response, at most 1 KiB
	Error      string    `json:"error,omitempty"`   // user-facing reason of a failure; "" on success
}

// deliveryRetries are the delays between a failed attempt and the next one.
var deliveryRetries = [...]time.Duration{time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 12 * time.Hour}

const (
	// MaxDeliveryAttempts is the maximum number of attempts of a delivery.
	MaxDeliveryAttempts = len(deliveryRetries) + 1
	// MaxWebhookFailures is the number of consecutive failed attempts that disables a
	// webhook.
	MaxWebhookFailures = 20
)

// GiveUp abandons d for a reason unrelated to its webhook. The reason is recorded as an
// attempt and replaces the oldest one if the list is full.
func (d *Delivery) GiveUp(reason DeliveryAttempt) {
	if len(d.Attempts) >= MaxDeliveryAttempts {
		d.Attempts = d.Attempts[1:]
	}
	d.Attempts = append(d.Attempts, reason)
	d.Status, d.DueAt = DeliveryFailed, nil
}

// Record records an attempt of d that ended at now and updates d and its webhook. A failure
// counts against the webhook only if counted is set. Record reports whether it disabled the
// webhook.
func (d *Delivery) Record(w *Webhook, a DeliveryAttempt, now time.Time, counted bool) (disabled bool) {
	d.Attempts = append(d.Attempts, a)
	d.DueAt = nil
	if a.Error == "" {
		d.Status = DeliveryDelivered
		w.Failures, w.SucceededAt = 0, &now
		return false
	}
	d.Status = DeliveryFailed
	if n := len(d.Attempts); n < MaxDeliveryAttempts && d.Origin != FromTest {
		due := now.Add(deliveryRetries[n-1])
		d.Status, d.DueAt = DeliveryRetrying, &due
	}
	if !counted {
		return false
	}
	w.Failures++
	if w.Status != WebhookActive {
		return false
	}
	switch {
	case w.Failures >= MaxWebhookFailures:
		w.DisabledReason = itoa(w.Failures) + " attempts in a row failed, the last with: " + a.Error
	case d.Status == DeliveryFailed && d.Origin != FromTest && (w.SucceededAt == nil || w.SucceededAt.Before(d.CreatedAt)):
		w.DisabledReason = "A delivery failed " + itoa(len(d.Attempts)) + " times " +
			"and no other has succeeded since it began, the last with: " + a.Error
	default:
		return false
	}
	w.Status = WebhookDisabled
	return true
}
