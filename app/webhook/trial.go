package webhook

import (
	"context"
	"errors"
	"strconv"
	"sync"

	"github.com/google/uuid"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

// maxTests is the maximum number of concurrent tests of one user.
const maxTests = 4

// ErrTooManyTests is returned by Test if the user already has maxTests tests in progress.
var ErrTooManyTests = errors.New("too many tests at once")

// Test sends a webhook.test event once to the webhook returned by find, in any state,
// and returns the result. For a webhook that ended with its token it returns a Conflict and
// sends nothing. user is the user who requested the test.
func (r *Runner) Test(ctx context.Context, user int64, find func(*storage.Tx) (*dam.Webhook, error)) (*dam.Delivery, error) {
	if !r.tests.enter(user) {
		return nil, ErrTooManyTests
	}
	defer r.tests.leave(user)
	var w *dam.Webhook
	var e *dam.Event
	err := r.store.Update(ctx, func(tx *storage.Tx) (err error) {
		if w, err = find(tx); err != nil {
			return err
		}
		reader, err := Reader(tx, w)
		if dam.KindOf(err) == dam.NotFound || err == nil && reader.Token != nil && reader.Token.Expired(tx.Now()) {
			return dam.Errorf(dam.Conflict, "The webhook has ended with its token; make it active again first.")
		}
		if err != nil {
			return err
		}
		e, err = tx.AddEvent(dam.WebhookTest, strconv.FormatInt(w.ID, 10), w)
		return err
	})
	if err != nil {
		return nil, err
	}
	id, err := uuid.NewV7()
	if err != nil {
		return nil, err
	}
	d := &dam.Delivery{
		UUID: id.String(), WebhookID: w.ID, EventID: e.ID, EventUUID: e.UUID, EventType: e.Type,
		Origin: dam.FromTest, CreatedAt: e.CreatedAt,
	}
	attempt, err := r.attempt(ctx, w, d, e)
	if err != nil {
		return nil, err
	}
	err = r.store.Update(context.WithoutCancel(ctx), func(tx *storage.Tx) error {
		if w, err = tx.Webhook(w.ID); err != nil { // current state
			return err
		}
		d.Record(w, attempt, tx.Now(), true)
		if err := tx.SetWebhookState(w); err != nil {
			return err
		}
		return tx.InsertDelivery(d)
	})
	return d, err
}

// tests counts the tests in progress by user.
type tests struct {
	mu sync.Mutex
	of map[int64]int
}

func (t *tests) enter(user int64) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.of == nil {
		t.of = map[int64]int{}
	}
	if t.of[user] >= maxTests {
		return false
	}
	t.of[user]++
	return true
}

func (t *tests) leave(user int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.of[user]--; t.of[user] == 0 {
		delete(t.of, user)
	}
}
