package webhook

import (
	"context"
	"log/slog"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

const (
	// pollEvery is the interval between checks for events of other processes and for due
	// deliveries.
	pollEvery = 500 * time.Millisecond
	// stopGrace is the time that requests in progress have at shutdown. Interrupted
	// deliveries are sent again after the next start.
	stopGrace = 3 * time.Second
)

// View returns the resource of an event in the form that its reader may see.
type View func(ctx context.Context, reader dam.Actor, e *dam.Event) (any, error)

// Config configures a Runner.
type Config struct {
	Store  *storage.Store
	Log    *slog.Logger
	Now    func() time.Time
	Sender Options
	View   View // nil: events are queued for a later Runner with a View
	// May reports whether an event may currently be sent to a reader.
	May func(tx *storage.Tx, reader dam.Actor, e *dam.Event) (bool, error)
}

// Runner delivers events to webhooks, from the outbox to the last attempt. It delivers each
// event at least once to each subscribed webhook, and events of one resource in sequence.
// Deliveries in progress are tracked only in memory: they are still due after a crash.
type Runner struct {
	store  *storage.Store
	log    *slog.Logger
	now    func() time.Time
	guard  *Guard
	sender *Sender
	view   View
	may    func(tx *storage.Tx, reader dam.Actor, e *dam.Event) (bool, error)

	queued   time.Time // time of the last queued event; only for the holder of a write transaction
	payloads payloads
	tests    tests
	wake     chan struct{}
	ended    chan *sending

	// The rest belongs to Run.
	lanes map[int64]*lane   // by webhook
	busy  map[*sending]bool // in progress
	slow  int               // number of slow requests in busy
}

// New returns a Runner. The caller must Close it.
func New(cfg Config) (*Runner, error) {
	sender, err := NewSender(cfg.Sender)
	if err != nil {
		return nil, err
	}
	return &Runner{
		store: cfg.Store, log: cfg.Log, now: cfg.Now, guard: cfg.Sender.Guard, sender: sender, view: cfg.View, may: cfg.May,
		wake: make(chan struct{}, 1), ended: make(chan *sending, allPlaces),
		lanes: map[int64]*lane{}, busy: map[*sending]bool{},
	}, nil
}

// Close closes idle connections.
func (r *Runner) Close() { r.sender.Close() }

// CheckURL validates the URL of an endpoint; see Guard.
func (r *Runner) CheckURL(ctx context.Context, url string) error { return r.guard.CheckURL(ctx, url) }

// Wake makes the runner check for due deliveries.
func (r *Runner) Wake() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// Run sends due deliveries until ctx is done. Without a View it does nothing.
func (r *Runner) Run(ctx context.Context) {
	if r.view == nil {
		return
	}
	requests, cut := context.WithCancel(context.WithoutCancel(ctx))
	defer cut()
	t := time.NewTicker(pollEvery)
	defer t.Stop()
	look := true
	for ctx.Err() == nil {
		if look {
			if err := r.look(ctx); err != nil && ctx.Err() == nil {
				r.log.ErrorContext(ctx, "look for events to send", "err", err)
			}
		}
		if err := r.start(ctx, requests); err != nil && ctx.Err() == nil {
			r.log.ErrorContext(ctx, "read deliveries", "err", err)
		}
		look = true
		select {
		case <-ctx.Done():
		case <-r.store.NewEvents():
		case <-r.wake:
		case <-t.C:
			r.noteSlow()
		case s := <-r.ended:
			look = false
			r.settle(requests, s)
		}
	}
	time.AfterFunc(stopGrace, cut)
	for len(r.busy) > 0 {
		r.settle(context.WithoutCancel(ctx), <-r.ended)
	}
}

// look queues new events for the webhooks and determines the webhooks with due deliveries.
func (r *Runner) look(ctx context.Context) error {
	if err := r.queueEvents(ctx); err != nil {
		return err
	}
	var due []storage.DueWebhook
	var ended []*dam.Webhook
	if err := r.store.View(ctx, func(tx *storage.Tx) (err error) {
		if ended, err = tx.EndedWebhooks(); err != nil {
			return err
		}
		due, err = tx.DueWebhooks()
		return err
	}); err != nil {
		return err
	}
	if len(ended) > 0 {
		if err := r.disableEnded(ctx); err != nil {
			return err
		}
	}
	for _, w := range due {
		l := r.lanes[w.ID]
		if l == nil {
			l = &lane{webhook: w.ID, busy: map[int64]string{}}
			r.lanes[w.ID] = l
		}
		l.dry = false
		l.slow = l.slow || w.Failures > 0
	}
	return nil
}

// disableEnded disables webhooks whose token has expired. Nothing was sent to them after
// the expiry.
func (r *Runner) disableEnded(ctx context.Context) error {
	return r.store.Update(ctx, func(tx *storage.Tx) error {
		hooks, err := tx.EndedWebhooks()
		for _, w := range hooks {
			w.Status, w.DisabledReason = dam.WebhookDisabled, dam.WebhookTokenExpired
			if err := tx.SetWebhookState(w); err != nil {
				return err
			}
			tx.OnCommit(func() { r.logDisabled(ctx, slog.LevelInfo, w) })
		}
		return err
	})
}

func (r *Runner) logDisabled(ctx context.Context, level slog.Level, w *dam.Webhook) {
	r.log.Log(ctx, level, "webhook disabled", "webhook", w.ID, "reason", w.DisabledReason)
}
