package analytics

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/digital-asset-library/dal/app/access"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

// Limits of the counts that Analytics keeps in memory.
const (
	analyticsEvery = 2 * time.Second // how often counts are written
	analyticsKeys  = 10_000          // maximum number of distinct counters held until they are written
	analyticsStep  = 500             // rows per transaction
	analyticsBulks = 1000            // maximum number of exports held in memory

	// SameView is the period in which opening the same asset, or searching for the same
	// text, counts only once per user.
	SameView     = 30 * time.Minute
	sameViewKeys = 25_000
)

// Analytics counts the use of the library per day. Written counts do not identify users.
// Its methods are safe for concurrent use; none that counts waits for the disk.
//
// Access log entries of shares and embeds, and views of embeds, are counted by in, in the
// same transaction. Everything else is counted in memory first and written in batches, so a
// crash loses the counts of the last few seconds.
type Analytics struct {
	store      *storage.Store
	log        *slog.Logger
	now        func() time.Time
	on, texts  bool
	warned     rate.Sometimes // limits the logging of failed writes
	wake       chan struct{}
	adding     chan struct{} // full while the use of all assets is being added up
	writing    sync.Mutex    // serializes writes
	mu         sync.Mutex    // guards the fields below
	counts     map[dam.CountKey]dam.Counts
	queries    map[queryKey]dam.Counts
	bulks      []bulk
	lost       int64
	seen, last map[seenKey]time.Time // two generations
	turned     time.Time             // when the current generation of seen started
}

type queryKey struct {
	day  dam.Day
	text string
}

// bulk is a set of files exported as one archive.
type bulk struct {
	key   dam.CountKey
	gaids []dam.GAID
}

// seenKey identifies a recent action of a user.
type seenKey struct {
	user  int64
	gaid  dam.GAID
	query string
}

// New returns the counts of a library that keeps them, and the texts of searches, for
// the given durations; 0 disables them.
func New(store *storage.Store, keep, keepQueries time.Duration, log *slog.Logger, now func() time.Time) *Analytics {
	return &Analytics{
		store: store, log: log, now: now, on: keep > 0, texts: keepQueries > 0, wake: make(chan struct{}, 1),
		adding: make(chan struct{}, 1), counts: map[dam.CountKey]dam.Counts{}, queries: map[queryKey]dam.Counts{},
		seen: map[seenKey]time.Time{}, last: map[seenKey]time.Time{},
	}
}

// key completes a key with the day, and with details of the caller of ctx.
func (a *Analytics) key(ctx context.Context, now time.Time, k dam.CountKey) dam.CountKey {
	k.Day = dam.DayOf(now)
	c := access.CallerOf(ctx)
	switch {
	case k.Channel != "":
		k.Bot = dam.IsBot(c.UserAgent)
	case c.Actor.Token != nil:
		k.Channel = dam.ChannelAPI
	default:
		k.Channel = dam.ChannelApp
	}
	return k
}

// In counts within a transaction.
func (a *Analytics) In(ctx context.Context, tx *storage.Tx, k dam.CountKey, n dam.Counts) error {
	if !a.on {
		return nil
	}
	return tx.Count(a.key(ctx, tx.Now(), k), n)
}

// add counts in memory.
func (a *Analytics) add(ctx context.Context, k dam.CountKey, n dam.Counts) {
	if !a.on {
		return
	}
	k = a.key(ctx, a.now(), k)
	a.mu.Lock()
	a.put(k, n)
	full := len(a.counts) >= analyticsKeys/2
	a.mu.Unlock()
	if full {
		a.soon()
	}
}

// put adds to the counts in memory; without room, it increments lost instead. The caller
// holds mu.
func (a *Analytics) put(k dam.CountKey, n dam.Counts) {
	sum, ok := a.counts[k]
	if !ok && len(a.counts) >= analyticsKeys {
		a.lost++
		return
	}
	sum.Add(n)
	a.counts[k] = sum
}

func (a *Analytics) soon() {
	select {
	case a.wake <- struct{}{}:
	default:
	}
}

// again reports whether the user did the same recently, and records it. The caller holds
// mu.
func (a *Analytics) again(k seenKey) bool {
	now := a.now()
	if now.Sub(a.turned) >= SameView || len(a.seen) >= sameViewKeys {
		a.seen, a.last, a.turned = map[seenKey]time.Time{}, a.seen, now
	}
	at, ok := a.seen[k]
	if !ok {
		at, ok = a.last[k]
	}
	if ok && now.Sub(at) < SameView {
		return true
	}
	a.seen[k] = now
	return false
}

// Opened counts a view of an asset by a signed-in user, at most once per half hour.
// Requests with tokens do not count as views.
func (a *Analytics) Opened(ctx context.Context, gaid dam.GAID) {
	actor := access.CallerOf(ctx).Actor
	if !a.on || actor.User == nil || actor.Token != nil || storage.IsTrial(ctx) {
		return
	}
	a.mu.Lock()
	again := a.again(seenKey{user: actor.User.ID, gaid: gaid})
	a.mu.Unlock()
	if !again {
		a.add(ctx, dam.CountKey{GAID: gaid}, dam.Counts{Views: 1})
	}
}

// Downloaded counts a download of an asset's file by a user.
func (a *Analytics) Downloaded(ctx context.Context, gaid dam.GAID) {
	a.add(ctx, dam.CountKey{GAID: gaid}, dam.Counts{Downloads: 1})
}

// Pictured counts a request for a picture of an asset by its signed URL.
func (a *Analytics) Pictured(ctx context.Context, gaid dam.GAID) {
	a.add(ctx, dam.CountKey{Channel: dam.ChannelImage, GAID: gaid}, dam.Counts{Views: 1})
}

// ShownToGuest counts a guest's view of an asset in a share.
func (a *Analytics) ShownToGuest(ctx context.Context, share int64, gaid dam.GAID) {
	a.add(ctx, dam.CountKey{Channel: dam.ChannelShare, ShareID: share, GAID: gaid}, dam.Counts{Views: 1})
}

// Archived counts a file in an archive downloaded from a share.
func (a *Analytics) Archived(ctx context.Context, share int64, gaid dam.GAID) {
	a.add(ctx, dam.CountKey{Channel: dam.ChannelShare, ShareID: share, GAID: gaid}, dam.Counts{Archived: 1})
}

// Searched counts a user's search for a text, at most once per half hour. The text itself
// is stored only if the settings say so.
func (a *Analytics) Searched(ctx context.Context, text string, found int) {
	actor := access.CallerOf(ctx).Actor
	if text = dam.QueryText(text); !a.on || actor.User == nil || text == "" || storage.IsTrial(ctx) {
		return
	}
	n := dam.Counts{Searches: 1}
	if found == 0 {
		n.EmptySearches = 1
	}
	k := a.key(ctx, a.now(), dam.CountKey{})
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.again(seenKey{user: actor.User.ID, query: text}) {
		return
	}
	a.put(k, n)
	if !a.texts {
		return
	}
	q := queryKey{k.Day, text}
	sum, ok := a.queries[q]
	if !ok && len(a.queries) >= dam.MaxDayQueries {
		return // same limit as for a whole day
	}
	sum.Add(n)
	a.queries[q] = sum
}

// Exported counts the files of an export as one download.
func (a *Analytics) Exported(now time.Time, channel dam.Channel, gaids []dam.GAID) {
	if !a.on {
		return
	}
	k := dam.CountKey{Day: dam.DayOf(now), Channel: channel}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.put(k, dam.Counts{Downloads: 1})
	if len(a.bulks) >= analyticsBulks {
		a.lost += int64(len(gaids))
		return
	}
	a.bulks = append(a.bulks, bulk{k, gaids})
}

// Run writes the counts periodically until ctx is done.
func (a *Analytics) Run(ctx context.Context) {
	t := time.NewTicker(analyticsEvery)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		case <-a.wake:
		}
		a.Flush(ctx)
	}
}

// pending is a count to be written.
type pending struct {
	key dam.CountKey
	n   dam.Counts
}

// pendingQuery is the count of a search text to be written.
type pendingQuery struct {
	key queryKey
	n   dam.Counts
}

// Flush writes the counts. On failure it keeps as many as there is room for and logs the
// error, at a limited rate.
func (a *Analytics) Flush(ctx context.Context) {
	ctx = access.ByNobody(ctx)
	a.writing.Lock()
	defer a.writing.Unlock()
	counts, queries := a.take()
	for len(counts)+len(queries) > 0 {
		some, texts := counts[:min(analyticsStep, len(counts))], queries[:min(analyticsStep, len(queries))]
		if err := a.write(ctx, some, texts); err != nil {
			a.giveBack(counts, queries)
			if ctx.Err() == nil {
				a.warned.Do(func() {
					a.log.ErrorContext(ctx, "analytics cannot be written; they are kept in memory until they can", "err", err)
				})
			}
			return
		}
		counts, queries = counts[len(some):], queries[len(texts):]
	}
}

func (a *Analytics) write(ctx context.Context, counts []pending, queries []pendingQuery) error {
	return a.store.Note(ctx, func(tx *storage.Tx) error {
		for _, c := range counts {
			if err := tx.Count(c.key, c.n); err != nil {
				return err
			}
		}
		for _, q := range queries {
			if err := tx.CountQuery(q.key.day, q.key.text, q.n.Searches, q.n.EmptySearches); err != nil {
				return err
			}
		}
		return nil
	})
}

// take returns the counts and resets them.
func (a *Analytics) take() (counts []pending, queries []pendingQuery) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for k, n := range a.counts {
		counts = append(counts, pending{k, n})
	}
	for k, n := range a.queries {
		queries = append(queries, pendingQuery{k, n})
	}
	for _, b := range a.bulks {
		for _, g := range b.gaids {
			b.key.GAID = g
			counts = append(counts, pending{b.key, dam.Counts{Archived: 1}})
		}
	}
	if len(a.counts) > 0 {
		a.counts = map[dam.CountKey]dam.Counts{}
	}
	if len(a.queries) > 0 {
		a.queries = map[queryKey]dam.Counts{}
	}
	a.bulks = nil
	return counts, queries
}

// giveBack puts counts returned by take back.
func (a *Analytics) giveBack(counts []pending, queries []pendingQuery) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, c := range counts {
		a.put(c.key, c.n)
	}
	for _, q := range queries {
		sum, ok := a.queries[q.key]
		if ok || len(a.queries) < dam.MaxDayQueries {
			sum.Add(q.n)
			a.queries[q.key] = sum
		}
	}
}

// Status is the state of the counting.
type Status struct {
	On      bool
	Waiting int   // distinct counters not written yet
	Lost    int64 // counts dropped since startup because there was no room
}

// Status returns the settings of the counts and the number of counts in memory.
func (a *Analytics) Status() Status {
	a.mu.Lock()
	defer a.mu.Unlock()
	return Status{a.on, len(a.counts), a.lost}
}

// SumDays totals the use of past days, one day per transaction.
func (a *Analytics) SumDays(ctx context.Context) error {
	for {
		var found bool
		err := a.store.Note(ctx, func(tx *storage.Tx) (err error) {
			day, ok, err := tx.UnsummedDay(dam.DayOf(tx.Now()))
			if found = ok; err != nil || !ok {
				return err
			}
			return tx.SumDay(day)
		})
		if err != nil || !found {
			return err
		}
	}
}

// InTurn calls fn while nobody else adds up the use of all assets, since that takes memory
// for each asset that was used.
func (a *Analytics) InTurn(ctx context.Context, fn func() error) error {
	select {
	case a.adding <- struct{}{}:
		defer func() { <-a.adding }()
		return fn()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// TrimAnalytics deletes analytics beyond their retention.
func TrimAnalytics(tx *storage.Tx, keep, keepQueries time.Duration) (int64, error) {
	before := func(keep time.Duration) dam.Day {
		if keep == 0 { // disabled
			return dam.DayOf(tx.Now()) + 1
		}
		return dam.DayOf(tx.Now().Add(-keep))
	}
	return tx.TrimAnalytics(before(keep), before(min(keep, keepQueries)), storage.Step)
}
