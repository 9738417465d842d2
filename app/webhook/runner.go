package webhook

import (
	"context"
	"log/slog"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

const (
	// pollEvery is how often the runner looks for events of other processes and
	// for deliveries that have become due.
	pollEvery = 500 * time.Millisecond
	// stopGrace is how long requests under way may take once the runner has to stop.
	// What is cut off is sent again after the next start.
	stopGrace = 3 * time.Second
)

// View turns the resource of an event into what one reader is shown of it.
type View func(ctx context.Context, reader dam.Actor, e *dam.Event) (any, error)

// Config is what a Runner works with.
type Config struct {
	Store  *storage.Store
	Log    *slog.Logger
	Now    func() time.Time
	Sender Options
	View   View // nil: events wait until a Runner has one
	// May reports whether an event may be sent to a reader, as things are now.
	May func(tx *storage.Tx, reader dam.Actor, e *dam.Event) (bool, error)
}

// Runner delivers events to webhooks, from the outbox to the last attempt: each
// event at least once to each webhook that subscribes to it, and those about one
// resource one after the other. What is under way is kept in memory only: when
// the process dies, it is still due.
type Runner struct {
	store  *storage.Store
	log    *slog.Logger
	now    func() time.Time
	guard  *Guard
	sender *Sender
	view   View
	may    func(tx *storage.Tx, reader dam.Actor, e *dam.Event) (bool, error)

	queued   time.Time // when an event was last queued; only for the holder of a write transaction
	payloads payloads
	tests    tests
	wake     chan struct{}
	ended    chan *sending

	// The rest belongs to Run.
	lanes map[int64]*lane   // by webhook
	busy  map[*sending]bool // being sent
	slow  int               // how many of busy are slow
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

// CheckURL reports what is wrong with the URL of an endpoint; see Guard.
func (r *Runner) CheckURL(ctx context.Context, url string) error { return r.guard.CheckURL(ctx, url) }

// Wake has the runner look for what is due.
func (r *Runner) Wake() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// Run delivers what is due until ctx is done. Without a View it does nothing.
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

// look queues new events for the webhooks and finds the webhooks for which
// something is due.
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

// disableEnded disables webhooks whose token has expired. Nothing has been sent
// to them since it did.
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
