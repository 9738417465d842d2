package dam

import (
	"slices"
	"strings"
	"time"
)

// AllEvents, among the events of a webhook, stands for every type there is and
// will be.
const AllEvents EventType = "*"

// ReadAbility is what reading the resource that an event of type t is about
// needs, and so subscribing to it; "" for webhook.test.
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

// Noun is the kind of resource that t is about: "asset", "upload.batch".
func (t EventType) Noun() string {
	return string(t)[:max(0, strings.LastIndexByte(string(t), '.'))]
}

// WebhookStatus is the state of a webhook.
type WebhookStatus string

// The states of a webhook. Nothing is sent to one that is inactive or disabled. A
// person makes one inactive: it misses what happens meanwhile. Repeated failures
// disable one: what happens meanwhile waits.
const (
	WebhookActive   WebhookStatus = "active"
	WebhookInactive WebhookStatus = "inactive"
	WebhookDisabled WebhookStatus = "disabled"
)

// Values lists the states of a webhook.
func (WebhookStatus) Values() []WebhookStatus {
	return []WebhookStatus{WebhookActive, WebhookInactive, WebhookDisabled}
}

// The bounds of a webhook, in characters.
const (
	MaxWebhookURL         = 2048
	MaxWebhookDescription = 1000
)

// Webhook is an endpoint that events are sent to.
type Webhook struct {
	ID             int64
	UserID         int64 // whose it is
	TokenID        int64 `json:"-"` // the token that it ends with; 0 when it ends with its user
	URL            string
	Events         []EventType // the types that it gets, or AllEvents
	SkipEnrichment bool        // whether it gets no events of what the server finds out in the background
	Description    string
	Status         WebhookStatus
	DisabledReason string // for people; "" unless disabled
	// Secret signs what is sent. It is stored in plain text, because signing takes
	// it, and shown only when it is created.
	Secret      string     `json:"-"`
	Failures    int        // attempts in a row that failed
	SucceededAt *time.Time // the last attempt that did not
	CreatedAt   time.Time
	UpdatedAt   time.Time

	CreatedBy *User `json:"-"` // filled where it is shown
}

// Why a webhook is disabled that has ended with the token that made it. The records
// have these texts, and queries compare them: they must not change.
const (
	WebhookTokenRevoked = "The token that it was made with was revoked."
	WebhookTokenExpired = "The token that it was made with has expired."
)

// BindTo has w end with the token of an actor, or with the user if there is none.
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

// ReadAbilities lists the abilities that it takes to get the events of w.
func (w *Webhook) ReadAbilities() []Ability {
	var list []Ability
	for _, t := range Values[EventType]() {
		if a := t.ReadAbility(); w.Wants(t) && a != "" && !slices.Contains(list, a) {
			list = append(list, a)
		}
	}
	return list
}

// Validate reports what is wrong with w. It does not check whether its URL may be
// called.
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

// WebhookPatch changes a webhook: what is absent stays. Only the description
// can be null.
type WebhookPatch struct {
	URL         Opt[string]
	Events      Opt[[]EventType]
	Description Opt[string]
	Active      Opt[bool]

	SkipEnrichment Opt[bool]
}

// Apply changes w, or returns what is wrong with the change. Making a webhook
// active enables a disabled one; making a disabled one inactive changes nothing.
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
	DeliveryPending   DeliveryStatus = "pending"   // not yet tried
	DeliveryRetrying  DeliveryStatus = "retrying"  // failed and to be tried again
	DeliveryDelivered DeliveryStatus = "delivered" // answered with 2xx
	DeliveryFailed    DeliveryStatus = "failed"    // given up
)

// Values lists the states of a delivery.
func (DeliveryStatus) Values() []DeliveryStatus {
	return []DeliveryStatus{DeliveryPending, DeliveryRetrying, DeliveryDelivered, DeliveryFailed}
}

// DeliveryOrigin is why there is a delivery.
type DeliveryOrigin string

// The origins: the event itself, once for each webhook; a request to send it
// again; a test.
const (
	FromEvent      DeliveryOrigin = "event"
	FromRedelivery DeliveryOrigin = "redelivery"
	FromTest       DeliveryOrigin = "test"
)

// Values lists the origins of deliveries.
func (DeliveryOrigin) Values() []DeliveryOrigin {
	return []DeliveryOrigin{FromEvent, FromRedelivery, FromTest}
}

// DeliveryFilter selects deliveries of a webhook. What is "" selects all.
type DeliveryFilter struct {
	Status    DeliveryStatus
	EventType EventType
}

// Delivery is one event on its way to one webhook, with all attempts.
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
	DueAt     *time.Time        // of the next attempt; nil in a final state
	CreatedAt time.Time
	UpdatedAt time.Time
}

// DeliveryAttempt is one attempt and its result.
type DeliveryAttempt struct {
	At         time.Time `json:"at"`
	StatusCode int       `json:"status_code,omitempty"` // 0 without an answer
	LatencyMS  int64     `json:"latency_ms"`
	Excerpt    string    `json:"excerpt,omitempty"` // of the answer, at most 1 KiB
	Error      string    `json:"error,omitempty"`   // why it failed, for people; "" when it did not
}

// deliveryRetries are the times from a failed attempt to the next.
var deliveryRetries = [...]time.Duration{time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 12 * time.Hour}

const (
	// MaxDeliveryAttempts is how often a delivery is tried.
	MaxDeliveryAttempts = len(deliveryRetries) + 1
	// MaxWebhookFailures is how many attempts in a row fail before the webhook
	// is disabled.
	MaxWebhookFailures = 20
)

// GiveUp ends d for a reason that says nothing about its webhook. It takes the
// place of the oldest attempt when there is no room for it.
func (d *Delivery) GiveUp(reason DeliveryAttempt) {
	if len(d.Attempts) >= MaxDeliveryAttempts {
		d.Attempts = d.Attempts[1:]
	}
	d.Attempts = append(d.Attempts, reason)
	d.Status, d.DueAt = DeliveryFailed, nil
}

// Record notes an attempt of d that ended at now, and what follows from it for d
// and its webhook; counted says whether a failure is the webhook's. It reports
// whether that disables the webhook.
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
