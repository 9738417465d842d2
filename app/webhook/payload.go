package webhook

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

// payload encodes an event for a webhook.
func (r *Runner) payload(ctx context.Context, w *dam.Webhook, e *dam.Event) ([]byte, error) {
	key := payloadKey{e.ID, keyOf(w)}
	if body := r.payloads.find(key, r.now()); body != nil {
		return body, nil
	}
	var reader dam.Actor
	if err := r.store.View(ctx, func(tx *storage.Tx) (err error) {
		reader, err = Reader(tx, w)
		return err
	}); err != nil {
		return nil, err
	}
	data, err := r.view(ctx, reader, e)
	if err != nil {
		return nil, fmt.Errorf("event %s: %w", e.UUID, err)
	}
	body, err := json.Marshal(struct {
		ID        string        `json:"id"`
		Type      dam.EventType `json:"type"`
		CreatedAt string        `json:"created_at"`
		Cause     string        `json:"cause"`
		Data      any           `json:"data"`
	}{e.UUID, e.Type, e.CreatedAt.UTC().Format("2006-01-02T15:04:05.000Z07:00"), e.Cause(), data})
	if err == nil {
		r.payloads.keep(key, body, r.now())
	}
	return body, err
}

// The limits of the payload cache.
const (
	keptPayloads   = 128
	maxKeptPayload = 64 << 10 // bytes per payload
	payloadLife    = 5 * time.Second
)

// payloads caches the latest payloads: an event is sent to many webhooks at about the same
// time, and most of them have the same reader. The permissions of a reader can change, so
// entries expire quickly.
type payloads struct {
	mu   sync.Mutex
	all  map[payloadKey]keptPayload
	last [keptPayloads]payloadKey // ring buffer
	next int
}

type payloadKey struct {
	event int64
	readerKey
}

type keptPayload struct {
	body    []byte
	written time.Time
}

func (p *payloads) find(key payloadKey, now time.Time) []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	if k := p.all[key]; now.Sub(k.written) < payloadLife {
		return k.body
	}
	return nil
}

func (p *payloads) keep(key payloadKey, body []byte, now time.Time) {
	if len(body) > maxKeptPayload {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.all == nil {
		p.all = map[payloadKey]keptPayload{}
	}
	if _, has := p.all[key]; !has {
		delete(p.all, p.last[p.next])
		p.last[p.next] = key
		p.next = (p.next + 1) % keptPayloads
	}
	p.all[key] = keptPayload{body, now}
}
