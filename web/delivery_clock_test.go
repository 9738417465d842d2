package web_test

import (
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stripe/stripe-go/v82/webhook"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/storage"
	"github.com/digital-asset-library/dal/web"
)

// clocked starts a server with its own clock and one asset, which may send to this machine.
func clocked(t *testing.T, change func(*app.Config)) (s *server, c *clock, gaid string) {
	t.Helper()
	c = newClock()
	s = start(t, sends(t, func(cfg *app.Config, o *web.Options) {
		cfg.Now, o.Now = c.now, c.now
		if change != nil {
			change(cfg)
		}
	}))
	return s, c, s.one(t, "p.jpg", picture(1, 64, 48))
}

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// A failed delivery is retried after 1 minute, 5 minutes, 30 minutes, 2 hours and 12 hours,
// not earlier, and then abandoned.
func TestDeliverySchedule(t *testing.T) {
	t.Parallel()
	s, c, gaid := clocked(t, nil)
	r, well := newReceiver(t), newReceiver(t)
	r.answers(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "not today", http.StatusServiceUnavailable)
	})
	hook, secret := s.hook(t, r.URL, "asset.updated")
	watch, _ := s.hook(t, well.URL, "asset.deleted", "asset.restored")
	s.retitle(t, gaid, "once")

	waits := []time.Duration{time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 12 * time.Hour}
	var times []any // of the attempts
	var d answer
	for i, wait := range append(waits, 0) {
		times = append(times, stamp(c.now()))
		d = s.delivers(t, hook, func(a answer) bool { return a.get("data.0.attempt") == float64(i+1) })
		if wait == 0 {
			break
		}
		if next := stamp(c.now().Add(wait)); d.get("data.0.status") != "retrying" || d.get("data.0.next_attempt_at") != next {
			t.Errorf("attempt %d: %s, want the next at %s", i+1, d.body, next)
		}
		// Shortly before, events are delivered to others and this delivery is not retried: an
		// attempt would have that time.
		c.pass(wait - time.Millisecond)
		s.do(t, "DELETE", "/api/v1/assets/"+gaid, "").want(t, 200)
		s.untilStatus(t, watch, "delivered", 2*i+1)
		s.do(t, "POST", "/api/v1/assets/"+gaid+"/restore", "").want(t, 200)
		s.untilStatus(t, watch, "delivered", 2*i+2)
		c.pass(time.Millisecond)
	}
	if d.get("meta.total") != 1.0 || d.get("data.0.status") != "failed" || d.get("data.0.next_attempt_at") != nil ||
		d.get("data.0.status_code") != 503.0 || d.get("data.0.response_excerpt") != "not today\n" ||
		d.get("data.0.error") != "The answer was 503 instead of 2xx." {
		t.Errorf("%s", d.body)
	}
	for i, at := range times {
		if a := fmt.Sprintf("data.0.attempts.%d.", len(times)-1-i); d.get(a+"created_at") != at || d.get(a+"attempt") != float64(i+1) {
			t.Errorf("attempt %d at %v, want %v", i+1, d.get(a+"created_at"), at)
		}
	}
	// Each attempt has a new signature, but the same event and delivery.
	all := r.wait(t, 6)
	at := c.start
	for i, m := range all {
		if i > 0 {
			at = at.Add(waits[i-1])
		}
		sig := m.header.Get("X-DAL-Signature")
		if !strings.HasPrefix(sig, fmt.Sprintf("t=%d,v1=", at.Unix())) || webhook.ValidatePayloadIgnoringTolerance(m.body, sig, secret) != nil {
			t.Errorf("attempt %d: %s", i+1, sig)
		}
		if m.event.ID != all[0].event.ID || m.header.Get("X-DAL-Delivery") != d.get("data.0.id") || string(m.body) != string(all[0].body) {
			t.Errorf("attempt %d: %v %s", i+1, m.header, m.body)
		}
	}
	// No delivery has succeeded since the first attempt, so the webhook is disabled.
	a := s.do(t, "GET", hook, "").want(t, 200)
	const reason = "A delivery failed 6 times and no other has succeeded since it began, " +
		"the last with: The answer was 503 instead of 2xx."
	if a.get("data.status") != "disabled" || a.get("data.is_active") != false || a.get("data.disabled_reason") != reason {
		t.Errorf("%s", a)
	}
	if a := s.do(t, "GET", watch, "").want(t, 200); a.get("data.status") != "active" {
		t.Errorf("%s", a)
	}
}

// retrying starts a server with a webhook whose first delivery, of an asset's new title,
// has failed and will be retried.
func retrying(t *testing.T, title string) (s *server, c *clock, r *receiver, hook, gaid string) {
	t.Helper()
	s, c, gaid = clocked(t, nil)
	r = newReceiver(t)
	r.answers(status(500))
	hook, _ = s.hook(t, r.URL, "asset.updated")
	s.retitle(t, gaid, title)
	s.untilStatus(t, hook, "retrying", 1)
	return s, c, r, hook, gaid
}

// An abandoned delivery does not disable the webhook if another one has succeeded since.
func TestDeliveryFailsAlone(t *testing.T) {
	t.Parallel()
	s, c, r, hook, gaid := retrying(t, "poison")
	r.answers(nil)
	c.pass(time.Second)
	s.retitle(t, gaid, "fine")
	s.untilStatus(t, hook, "delivered", 1)
	r.answers(status(500))
	for i := range 5 {
		c.pass(12 * time.Hour)
		s.delivers(t, hook, func(a answer) bool { return a.get("data.1.attempt") == float64(i+2) })
	}
	if list := s.untilStatus(t, hook, "failed", 1); list[1]["status"] != "failed" || list[0]["status"] != "delivered" {
		t.Errorf("%v", list)
	}
	if a := s.do(t, "GET", hook, ""); a.get("data.status") != "active" || a.get("data.disabled_reason") != nil {
		t.Errorf("%s", a)
	}
}

// No retries follow a successful one.
func TestDeliveryRecovers(t *testing.T) {
	t.Parallel()
	s, c, r, hook, gaid := retrying(t, "x")
	c.pass(time.Minute)
	s.delivers(t, hook, func(a answer) bool { return a.get("data.0.attempt") == 2.0 })
	r.answers(nil)
	c.pass(5 * time.Minute)
	d := s.untilStatus(t, hook, "delivered", 1)[0]
	if d["attempt"] != 3.0 || d["error"] != nil || d["status_code"] != 204.0 || d["next_attempt_at"] != nil ||
		len(d["attempts"].([]any)) != 3 {
		t.Errorf("%v", d)
	}
	// Nothing is sent without pending deliveries.
	c.pass(48 * time.Hour)
	s.retitle(t, gaid, "y")
	s.untilStatus(t, hook, "delivered", 2)
	if got := summary(r.wait(t, 4)); fmt.Sprint(got) != "[asset.updated x asset.updated x asset.updated x asset.updated y]" {
		t.Errorf("%q", got)
	}
}

// After 20 consecutive failures a webhook is disabled. Later events are queued and
// delivered once it is active again.
func TestWebhookDisabled(t *testing.T) {
	t.Parallel()
	s, c, gaid := clocked(t, nil)
	r := newReceiver(t)
	r.answers(status(500))
	hook, _ := s.hook(t, r.URL, "asset.updated")
	const events = 25
	for i := range events {
		s.retitle(t, gaid, fmt.Sprint(i))
	}
	a := s.until(t, hook, func(a answer) bool { return a.get("data.status") == "disabled" })
	const reason = "20 attempts in a row failed, the last with: The answer was 500 instead of 2xx."
	if a.get("data.disabled_reason") != reason || a.get("data.is_active") != false {
		t.Errorf("%s", a)
	}
	s.retitle(t, gaid, "while disabled")
	c.pass(2 * time.Hour)
	s.do(t, "PUT", hook, `{"description":"still disabled","is_active":false}`).want(t, 200)
	// An active second webhook shows that the queue has moved on.
	well := newReceiver(t)
	watch, _ := s.hook(t, well.URL, "asset.updated")
	s.retitle(t, gaid, "watched")
	s.untilStatus(t, watch, "delivered", 1)
	list := s.untilStatus(t, hook, "pending", events-20+2)
	tried := 0
	for _, d := range list {
		tried += int(d["attempt"].(float64))
		if d["status"] == "pending" && d["attempt"] != 0.0 || d["status"] == "retrying" && d["attempt"] != 1.0 {
			t.Errorf("%v", d)
		}
	}
	if tried != 20 || len(list) != events+2 || len(r.wait(t, 20)) != 20 {
		t.Errorf("%d attempts of %d deliveries, %d received", tried, len(list), len(r.wait(t, 0)))
	}
	if a := s.do(t, "GET", hook, ""); a.get("data.status") != "disabled" || a.get("data.description") != "still disabled" {
		t.Errorf("%s", a)
	}

	r.answers(nil)
	a = s.do(t, "PUT", hook, `{"is_active":true}`).want(t, 200)
	if a.get("data.status") != "active" || a.get("data.disabled_reason") != nil || a.get("data.is_active") != true {
		t.Errorf("%s", a)
	}
	s.untilStatus(t, hook, "delivered", events+2)
	got := summary(r.wait(t, 20+events+2)[20:])
	var want []string
	for i := range events {
		want = append(want, fmt.Sprint("asset.updated ", i))
	}
	if want = append(want, "asset.updated while disabled", "asset.updated watched"); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// A success resets the count of failures, and so does reactivating the webhook.
func TestWebhookFailuresInARow(t *testing.T) {
	t.Parallel()
	s := start(t, sends(t, nil))
	r := newReceiver(t)
	hook, _ := s.hook(t, r.URL, "webhook.test")
	try := func(answer, times int, want string) {
		t.Helper()
		r.answers(status(answer))
		for range times {
			s.do(t, "POST", hook+"/test", "").want(t, 200)
		}
		if a := s.do(t, "GET", hook, ""); a.get("data.status") != want {
			t.Fatalf("%s, want it %s", a, want)
		}
	}
	try(500, 19, "active")
	try(200, 1, "active")
	try(404, 19, "active")
	try(404, 1, "disabled")
	try(200, 1, "disabled") // a successful test does not reactivate it
	s.do(t, "PUT", hook, `{"is_active":true}`).want(t, 200)
	try(500, 19, "active")
	try(500, 1, "disabled")
}

// While a webhook is inactive, queued deliveries wait and new events are not queued.
func TestWebhookInactive(t *testing.T) {
	t.Parallel()
	s, c, gaid := clocked(t, nil)
	r := newReceiver(t)
	r.answers(status(500))
	hook, _ := s.hook(t, r.URL, "asset.updated")
	s.retitle(t, gaid, "before")
	s.untilStatus(t, hook, "retrying", 1)
	s.do(t, "PUT", hook, `{"is_active":false}`).want(t, 200)
	r.answers(nil)
	s.retitle(t, gaid, "meanwhile")
	c.pass(time.Hour)
	s.do(t, "PUT", hook, `{"is_active":true}`).want(t, 200)
	s.retitle(t, gaid, "after")
	s.untilStatus(t, hook, "delivered", 2)
	if got := summary(r.wait(t, 3)); fmt.Sprint(got) != "[asset.updated before asset.updated before asset.updated after]" {
		t.Errorf("%q", got)
	}
	d := s.do(t, "GET", hook+"/deliveries", "")
	if d.get("meta.total") != 2.0 || d.get("data.1.attempts.0.created_at") != stamp(c.now()) {
		t.Errorf("%s", d.body)
	}
}

// A delivery can be sent again after any result, with the same event and the data of
// that time.
func TestRedeliver(t *testing.T) {
	t.Parallel()
	s, c, gaid := clocked(t, nil)
	r := newReceiver(t)
	hook, secret := s.hook(t, r.URL, "asset.updated")
	other, _ := s.hook(t, r.URL+"/other", "asset.created")
	s.retitle(t, gaid, "then")
	first := s.untilStatus(t, hook, "delivered", 1)[0]
	s.retitle(t, gaid, "now")
	s.untilStatus(t, hook, "delivered", 2)
	again := fmt.Sprintf("%s/deliveries/%v/redeliver", hook, first["id"])
	a := s.do(t, "POST", again, "").want(t, 202)
	if a.get("data.status") != "pending" || a.get("data.attempt") != 0.0 || a.get("data.id") == first["id"] ||
		a.get("data.event_id") != first["event_id"] || a.get("data.event_type") != "asset.updated" {
		t.Errorf("%s", a)
	}
	list := s.untilStatus(t, hook, "delivered", 3)
	all := r.wait(t, 3)
	if all[2].event.ID != all[0].event.ID || string(all[2].body) != string(all[0].body) ||
		all[2].header.Get("X-DAL-Delivery") != a.get("data.id") || list[0]["id"] != a.get("data.id") {
		t.Errorf("%v, %s", all[2].header, all[2].body)
	}
	signed(t, all[2], secret)
	s.do(t, "POST", fmt.Sprintf("%s/deliveries/%v/redeliver", other, first["id"]), "").want(t, 404) // belongs to another webhook

	// It is retried like any other, and tests can be sent again too.
	r.answers(status(500))
	s.do(t, "POST", again, "").want(t, 202)
	s.untilStatus(t, hook, "retrying", 1)
	r.answers(nil)
	c.pass(time.Minute)
	s.untilStatus(t, hook, "delivered", 4)
	test := s.do(t, "POST", hook+"/test", "").want(t, 200)
	s.do(t, "POST", fmt.Sprintf("%s/deliveries/%v/redeliver", hook, test.get("data.id")), "").want(t, 202)
	s.untilStatus(t, hook, "delivered", 6)
	if all = r.wait(t, 7); all[6].event.Type != "webhook.test" || all[6].event.ID != all[5].event.ID {
		t.Errorf("%q", summary(all))
	}

	// It waits while the webhook is inactive.
	s.do(t, "PUT", hook, `{"is_active":false}`).want(t, 200)
	s.do(t, "POST", again, "").want(t, 202)
	s.one(t, "q.jpg", picture(2, 64, 48))
	s.untilStatus(t, other, "delivered", 1)
	if d := s.do(t, "GET", hook+"/deliveries", ""); d.get("data.0.status") != "pending" {
		t.Errorf("%s", d.body)
	}
	s.do(t, "PUT", hook, `{"is_active":true}`).want(t, 200)
	s.untilStatus(t, hook, "delivered", 7)
}

// The history is kept for a limited time, an event as long as a delivery needs it.
// Deliveries waiting for a webhook that stays inactive are abandoned.
func TestDeliveriesAreForgotten(t *testing.T) {
	t.Parallel()
	s, c, gaid := clocked(t, func(cfg *app.Config) { cfg.EventKeep, cfg.WebhookKeep = 24*time.Hour, 72*time.Hour })
	tidy := func() {
		t.Helper()
		if err := s.app.Maintenance.Tidy(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	r, bad := newReceiver(t), newReceiver(t)
	hook, _ := s.hook(t, r.URL, "asset.updated")
	parked, _ := s.hook(t, bad.URL, "asset.updated", "asset.deleted")
	bad.answers(status(500))
	for range 20 {
		s.do(t, "POST", parked+"/test", "").want(t, 200)
	}
	if a := s.do(t, "GET", parked, ""); a.get("data.status") != "disabled" {
		t.Fatalf("%s", a)
	}
	s.retitle(t, gaid, "x")
	id := s.untilStatus(t, hook, "delivered", 1)[0]["id"]
	before := storedEvents(t, s.dir) // of the upload, 20 tests and the change
	c.pass(25 * time.Hour)
	tidy()
	if n := storedEvents(t, s.dir); n != 21 || before != 23 {
		t.Errorf("%d events are left of %d, want those that deliveries are about", n, before)
	}
	// It can still be sent again.
	s.do(t, "POST", fmt.Sprintf("%s/deliveries/%v/redeliver", hook, id), "").want(t, 202)
	s.untilStatus(t, hook, "delivered", 2)
	if all := r.wait(t, 2); string(all[0].body) != string(all[1].body) {
		t.Errorf("%s", all[1].body)
	}
	c.pass(48 * time.Hour)
	tidy()
	if d := s.do(t, "GET", hook+"/deliveries", ""); d.get("meta.total") != 1.0 || d.get("data.0.id") == id {
		t.Errorf("%s", d.body)
	}
	d := s.do(t, "GET", parked+"/deliveries", "")
	if d.get("meta.total") != 1.0 || d.get("data.0.status") != "failed" || d.get("data.0.next_attempt_at") != nil ||
		d.get("data.0.attempt") != 1.0 || d.get("data.0.error") != "Given up: the webhook was not active for too long." {
		t.Errorf("%s", d.body)
	}
	// Deliveries that have not waited too long are sent.
	s.do(t, "DELETE", "/api/v1/assets/"+gaid, "").want(t, 200)
	c.pass(71 * time.Hour)
	tidy()
	bad.answers(nil)
	n := len(bad.wait(t, 20))
	s.do(t, "PUT", parked, `{"is_active":true}`).want(t, 200)
	if all := bad.wait(t, n+1); len(all) != n+1 || all[n].event.Type != "asset.deleted" {
		t.Errorf("%q", summary(all))
	}
	s.untilStatus(t, parked, "delivered", 1)
	c.pass(73 * time.Hour)
	tidy()
	for _, h := range []string{hook, parked} {
		if d := s.do(t, "GET", h+"/deliveries", ""); d.get("meta.total") != 0.0 {
			t.Errorf("%s", d.body)
		}
	}
	if n := storedEvents(t, s.dir); n != 0 {
		t.Errorf("%d events are left", n)
	}
}

// Deliveries that became due while no server was running are sent after the start.
func TestDeliveryAfterRestart(t *testing.T) {
	t.Parallel()
	c := newClock()
	dir := filepath.Join(t.TempDir(), "lib")
	change := sends(t, func(cfg *app.Config, o *web.Options) { cfg.DataDir, cfg.Now, o.Now = dir, c.now, c.now })
	r := newReceiver(t)
	r.answers(status(500))
	var hook, token, secret string
	t.Run("first", func(t *testing.T) {
		s := start(t, change)
		gaid := s.one(t, "p.jpg", picture(1, 64, 48))
		hook, secret = s.hook(t, r.URL, "asset.updated")
		token = s.token
		s.retitle(t, gaid, "x")
		s.untilStatus(t, hook, "retrying", 1)
	})
	c.pass(time.Minute)
	r.answers(nil)
	t.Run("second", func(t *testing.T) {
		s := run(t, change)
		s.token = token
		d := s.untilStatus(t, hook, "delivered", 1)
		all := r.wait(t, 2)
		if len(d) != 1 || d[0]["attempt"] != 2.0 || len(all) != 2 || all[1].event.ID != all[0].event.ID ||
			all[1].header.Get("X-DAL-Delivery") != d[0]["id"] {
			t.Errorf("%v, %q", d, summary(all))
		}
		if err := webhook.ValidatePayloadIgnoringTolerance(all[1].body, all[1].header.Get("X-DAL-Signature"), secret); err != nil {
			t.Error(err)
		}
	})
}

// storedEvents counts the events in the outbox.
func storedEvents(t testing.TB, dir string) (n int) {
	t.Helper()
	store, err := storage.Open(t.Context(), dir+"/dal.db", time.Now)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	if err := store.View(t.Context(), func(tx *storage.Tx) error {
		all, err := tx.Events(0, 1_000_000)
		n = len(all)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return n
}
