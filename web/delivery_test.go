package web_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	stripe "github.com/stripe/stripe-go/v82/webhook"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/webhook"
	"github.com/digital-asset-library/dal/web"
)

var uuidForm = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

// Events contain the same data as the API, are signed, and appear in the history.
func TestDelivery(t *testing.T) {
	t.Parallel()
	site := &url.URL{Scheme: "https", Host: "dal.example.com", Path: "/"}
	s := start(t, sends(t, func(cfg *app.Config, o *web.Options) { cfg.Version, o.SiteURL = "1.2.3", site }))
	r := newReceiver(t)
	r.answers(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "thanks ✓") })
	hook, secret := s.hook(t, r.URL+"/in?a=b", "*")

	gaid := s.one(t, "p.jpg", picture(1, 64, 48))
	asset := "/api/v1/assets/" + gaid
	want := []struct {
		kind string
		data any
	}{
		{"asset.created", s.do(t, "GET", asset, "").get("data")},
		{"upload.batch.completed", s.do(t, "GET", "/api/v1/upload-batches/1", "").get("data")},
		{"asset.updated", s.do(t, "PUT", asset, `{"title":"<New> & é","keywords":["sea"]}`).want(t, 200).get("data")},
		{"asset.deleted", nil},
		{"asset.restored", nil},
	}
	s.do(t, "DELETE", asset, "").want(t, 200)
	s.do(t, "POST", asset+"/restore", "").want(t, 200)

	all := r.wait(t, len(want))
	byType := map[string]received{}
	var ofAsset []string
	for _, m := range all {
		byType[m.event.Type] = m
		if strings.HasPrefix(m.event.Type, "asset.") {
			ofAsset = append(ofAsset, m.event.Type)
		}
	}
	if !slices.Equal(ofAsset, []string{"asset.created", "asset.updated", "asset.deleted", "asset.restored"}) || len(all) != len(want) {
		t.Errorf("%v", summary(all))
	}
	list := s.untilStatus(t, hook, "delivered", len(want))
	for i, w := range want {
		m, ok := byType[w.kind]
		if !ok {
			t.Errorf("no %s", w.kind)
			continue
		}
		signed(t, m, secret)
		d := list[len(list)-1-i]
		for name, v := range map[string]any{
			"Content-Type":   "application/json",
			"User-Agent":     "dal/1.2.3",
			"X-DAL-Event":    w.kind,
			"X-DAL-Delivery": d["id"],
		} {
			if m.header.Get(name) != v {
				t.Errorf("%s: %s is %q, want %q", w.kind, name, m.header.Get(name), v)
			}
		}
		allowed := []string{
			"Content-Type", "Content-Length", "User-Agent", "Accept",
			"X-Dal-Event", "X-Dal-Delivery", "X-Dal-Signature",
			"Webhook-Id", "Webhook-Timestamp", "Webhook-Signature",
		}
		for name := range m.header {
			if !slices.Contains(allowed, name) {
				t.Errorf("%s: header %s", w.kind, name)
			}
		}
		var members map[string]json.RawMessage
		if err := json.Unmarshal(m.body, &members); err != nil || len(members) != 5 { // id, type, created_at, cause, data
			t.Errorf("%s: %s", w.kind, m.body)
		}
		if w.data != nil && !reflect.DeepEqual(any(m.event.Data), w.data) {
			t.Errorf("%s: %v, want %v", w.kind, m.event.Data, w.data)
		}
		if at, err := time.Parse("2006-01-02T15:04:05.000Z", m.event.CreatedAt); err != nil || time.Since(at) > time.Minute {
			t.Errorf("%s: created at %s", w.kind, m.event.CreatedAt)
		}
		for name, v := range map[string]any{
			"event_id":         m.event.ID,
			"event_type":       w.kind,
			"attempt":          1.0,
			"status":           "delivered",
			"status_code":      200.0,
			"response_excerpt": "thanks ✓",
			"error":            nil,
			"next_attempt_at":  nil,
		} {
			if d[name] != v {
				t.Errorf("%s: %s = %v, want %v", w.kind, name, d[name], v)
			}
		}
		attempts, _ := d["attempts"].([]any)
		if len(attempts) != 1 || !uuidForm.MatchString(m.event.ID) || !uuidForm.MatchString(fmt.Sprint(d["id"])) || m.path != "/in" {
			t.Errorf("%v %s", d, m.path)
		}
	}
	if m := byType["asset.deleted"]; m.event.Data["gaid"] != gaid || m.event.Data["deleted_at"] == nil {
		t.Errorf("deleted: %s", m.body)
	}
	m := byType["asset.restored"]
	if m.event.Data["gaid"] != gaid || m.event.Data["deleted_at"] != nil || m.event.Data["title"] != "<New> & é" {
		t.Errorf("restored: %s", m.body)
	}
	// Paging through the history, with one more delivery for a purged asset, which has no
	// data any more.
	s.do(t, "DELETE", asset+"?force=1", "").want(t, 200)
	if m := r.wait(t, 6)[5]; m.event.Type != "asset.deleted" || m.event.Data["gaid"] != gaid {
		t.Errorf("purged: %s", m.body)
	}
	var ids []any
	for page := 1; page <= 3; page++ {
		a := s.do(t, "GET", fmt.Sprintf("%s/deliveries?per_page=2&page=%d", hook, page), "").want(t, 200)
		if a.get("meta.total") != 6.0 || a.get("meta.last_page") != 3.0 {
			t.Errorf("%s", a)
		}
		ids = append(ids, a.get("data.0.event_type"), a.get("data.1.event_type"))
	}
	if fmt.Sprint(ids) != "[asset.deleted asset.restored asset.deleted asset.updated upload.batch.completed asset.created]" {
		t.Errorf("%v", ids)
	}
}

// A webhook gets the event types it is subscribed to, starting with its registration.
func TestDeliveryFilter(t *testing.T) {
	t.Parallel()
	s := start(t, sends(t, nil))
	gaid := s.one(t, "p.jpg", picture(1, 64, 48))
	r := newReceiver(t)
	hook, _ := s.hook(t, r.URL, "asset.deleted", "asset.updated")
	s.retitle(t, gaid, "1")
	s.do(t, "DELETE", "/api/v1/assets/"+gaid, "").want(t, 200)
	s.do(t, "PUT", hook, `{"events":["asset.restored"]}`).want(t, 200) // applies to later events only
	s.do(t, "POST", "/api/v1/assets/"+gaid+"/restore", "").want(t, 200)
	s.do(t, "DELETE", "/api/v1/assets/"+gaid, "").want(t, 200)
	s.do(t, "PUT", hook, `{"is_active":false}`).want(t, 200)
	s.do(t, "POST", "/api/v1/assets/"+gaid+"/restore", "").want(t, 200)
	s.do(t, "PUT", hook, `{"is_active":true,"events":["asset.updated"]}`).want(t, 200)
	s.retitle(t, gaid, "2")
	if got := summary(r.wait(t, 4)); fmt.Sprint(got) != "[asset.updated 1 asset.deleted 1 asset.restored 1 asset.updated 2]" {
		t.Errorf("%q", got)
	}
}

// Events about one resource arrive one at a time and in order.
func TestDeliveryOrder(t *testing.T) {
	t.Parallel()
	// The first requests wait until all events are queued, with no time limit in effect.
	s := start(t, sends(t, func(cfg *app.Config, _ *web.Options) { cfg.WebhookTimeout = time.Hour }))
	var gaids []string
	for i := range 3 {
		gaids = append(gaids, s.one(t, fmt.Sprintf("p%d.jpg", i), picture(i, 64, 48)))
	}
	r := newReceiver(t)
	var mu sync.Mutex
	var atOnce atomic.Int32
	busy := map[string]bool{}
	begin := make(chan struct{})
	r.answers(func(w http.ResponseWriter, req *http.Request) {
		<-begin
		gaid := req.PathValue("gaid")
		mu.Lock()
		if busy[gaid] {
			atOnce.Add(1)
		}
		busy[gaid] = true
		mu.Unlock()
		fmt.Fprint(w, strings.Repeat("x", 4000)) // sent when this function returns
		mu.Lock()
		delete(busy, gaid)
		mu.Unlock()
	})
	s.hook(t, r.URL, "asset.updated")
	const each = 40
	for _, gaid := range gaids {
		for i := range each {
			s.retitle(t, gaid, fmt.Sprint(i))
		}
	}
	close(begin)
	last := map[any]float64{}
	for _, m := range r.wait(t, each*len(gaids)) {
		v := m.event.Data["version"].(float64)
		if v <= last[m.event.Data["gaid"]] {
			t.Errorf("%v: version %v after %v", m.event.Data["gaid"], v, last[m.event.Data["gaid"]])
		}
		last[m.event.Data["gaid"]] = v
	}
	if n := atOnce.Load(); n > 0 {
		t.Errorf("%d were sent while another about the same asset was on its way", n)
	}
}

// Tests are sent in any state, at most four at a time per user.
func TestWebhookTest(t *testing.T) {
	t.Parallel()
	s := start(t, sends(t, nil))
	r := newReceiver(t)
	hook, secret := s.hook(t, r.URL, "asset.created")
	s.do(t, "PUT", hook, `{"is_active":false,"description":"d"}`).want(t, 200)
	a := s.do(t, "POST", hook+"/test", "").want(t, 200)
	m := r.wait(t, 1)[0]
	signed(t, m, secret)
	data := map[string]any{"id": 1.0, "url": r.URL, "events": []any{"asset.created"}, "description": "d"}
	if m.header.Get("X-DAL-Event") != "webhook.test" || m.header.Get("X-DAL-Delivery") != a.get("data.id") ||
		m.event.ID != a.get("data.event_id") || m.event.Type != "webhook.test" || !reflect.DeepEqual(m.event.Data, data) {
		t.Errorf("%v %s, answered %s", m.header, m.body, a)
	}
	// The test of one webhook is not sent to others.
	other, _ := s.hook(t, r.URL+"/other", "*")
	s.do(t, "POST", other+"/test", "").want(t, 200)
	s.one(t, "p.jpg", picture(1, 64, 48))
	s.untilStatus(t, other, "delivered", 3)
	for _, m := range r.wait(t, 4)[1:] {
		if m.path != "/other" {
			t.Errorf("%s %s", m.path, m.body)
		}
	}
	if a := s.do(t, "GET", other+"/deliveries", ""); a.get("meta.total") != 3.0 {
		t.Errorf("%s", a)
	}

	release := make(chan struct{})
	r.answers(func(http.ResponseWriter, *http.Request) { <-release })
	var tests sync.WaitGroup
	for range 4 {
		tests.Go(func() { s.do(t, "POST", hook+"/test", "") })
	}
	r.wait(t, 8)
	if a := s.do(t, "POST", hook+"/test", "").want(t, 429); a.Header.Get("Retry-After") != "10" {
		t.Errorf("%v %s", a.Header, a)
	}
	s.as(t, s.user(t, "bob@example.com", dam.RoleViewer), "POST", hook+"/test", "").want(t, 404)
	close(release)
	tests.Wait()
	r.answers(nil)
	s.do(t, "POST", hook+"/test", "").want(t, 200)
}

// Deliveries can be filtered by state, event type, or both.
func TestDeliveriesFiltered(t *testing.T) {
	t.Parallel()
	s := start(t, sends(t, nil))
	gaid := s.one(t, "p.jpg", picture(1, 64, 48))
	r := newReceiver(t)
	hook, _ := s.hook(t, r.URL, "asset.updated")
	s.retitle(t, gaid, "1")
	s.untilStatus(t, hook, "delivered", 1)
	r.answers(status(500))
	s.do(t, "POST", hook+"/test", "").want(t, 200)
	for query, want := range map[string]float64{
		"": 2, "?status=delivered": 1, "?status=failed": 1, "?status=pending": 0, "?event_type=asset.updated": 1,
		"?event_type=webhook.test": 1, "?event_type=asset.created": 0, "?status=failed&event_type=webhook.test": 1,
		"?status=failed&event_type=asset.updated": 0,
	} {
		a := s.do(t, "GET", hook+"/deliveries"+query, "").want(t, 200)
		if a.get("meta.total") != want || len(a.get("data").([]any)) != int(want) {
			t.Errorf("%s: %s, want %v", query, a, want)
		}
	}
	s.do(t, "GET", hook+"/deliveries?status=lost", "").want(t, 422)
	s.do(t, "GET", hook+"/deliveries?event_type=*", "").want(t, 422)
}

// After a rotation, requests are signed with the new secret; earlier signatures do not
// verify with it.
func TestRotateWebhookSecret(t *testing.T) {
	t.Parallel()
	c := newClock()
	s := start(t, sends(t, func(cfg *app.Config, o *web.Options) { cfg.Now, o.Now = c.now, c.now }))
	gaid := s.one(t, "p.jpg", picture(1, 64, 48))
	r := newReceiver(t)
	r.answers(status(500))
	hook, first := s.hook(t, r.URL, "asset.updated")
	s.retitle(t, gaid, "1")
	s.untilStatus(t, hook, "retrying", 1)
	second := s.do(t, "POST", hook+"/rotate-secret", "").want(t, 200).get("data.secret").(string)
	c.ahead.Add(int64(time.Minute))
	all := r.wait(t, 2)
	sig := func(i int) string { return all[i].header.Get("X-DAL-Signature") }
	signed(t, all[0], first)
	valid := func(i int, secret string) bool {
		return stripe.ValidatePayloadIgnoringTolerance(all[i].body, sig(i), secret) == nil
	}
	if !valid(1, second) || valid(1, first) || valid(0, second) {
		t.Errorf("%s and %s", sig(0), sig(1))
	}
}

// The owner gets no events of resources that the owner may not read, even if access was
// lost later.
func TestDeliveryOfRestricted(t *testing.T) {
	t.Parallel()
	s := start(t, sends(t, nil))
	r := newReceiver(t)
	bob := s.user(t, "bob@example.com", dam.RoleEditor)
	adas, _ := s.hook(t, r.URL+"/ada", "upload.batch.completed")
	bobs, _ := s.hookAs(t, bob, r.URL+"/bob", "upload.batch.completed", "asset.updated")
	gaid := s.one(t, "p.jpg", picture(1, 64, 48)) // of ada's batch
	made := s.as(t, bob, "POST", "/api/v1/upload-batches", `{"name":"bob's"}`).want(t, 201)
	batch := fmt.Sprintf("/api/v1/upload-batches/%v", made.get("data.id"))
	s.as(t, bob, "POST", batch+"/complete", "").want(t, 200)
	s.untilStatus(t, adas, "delivered", 2) // an administrator gets all events
	s.retitle(t, gaid, "1")
	var to []string
	for _, m := range r.wait(t, 4) {
		to = append(to, fmt.Sprint(m.path, " ", m.event.Type, " ", m.event.Data["name"]))
	}
	slices.Sort(to)
	want := []string{
		"/ada upload.batch.completed <nil>",
		"/ada upload.batch.completed bob's",
		"/bob asset.updated <nil>",
		"/bob upload.batch.completed bob's",
	}
	if !slices.Equal(to, want) {
		t.Errorf("%q, want %q", to, want)
	}

	// Queued while bob had access, due after he lost it.
	r.answers(func(w http.ResponseWriter, q *http.Request) {
		if q.URL.Path == "/bob" {
			w.WriteHeader(500)
		}
	})
	for i := range 2 {
		batch = fmt.Sprintf("/api/v1/upload-batches/%v", s.as(t, bob, "POST", "/api/v1/upload-batches", `{}`).want(t, 201).get("data.id"))
		s.as(t, bob, "POST", batch+"/complete", "").want(t, 200)
		s.untilBob(t, bob, bobs, "retrying", i+1)
	}
	delivery := s.as(t, bob, "GET", bobs+"/deliveries", "").get("data.0.id").(string)
	s.as(t, bob, "PUT", bobs, `{"is_active":false}`).want(t, 200)
	s.as(t, bob, "POST", bobs+"/deliveries/"+delivery+"/redeliver", "").want(t, 202)
	n := len(r.wait(t, 0))
	session := s.do(t, "POST", "/api/v1/session", `{"email":"ada@example.com","password":"correct horse battery"}`).want(t, 201).Cookies()[0]
	cookie := session.Name + "=" + session.Value
	s.role(t, "bob@example.com", dam.RoleViewer)
	s.as(t, "", "PUT", bobs, `{"is_active":true}`, "Cookie", cookie).want(t, 200)
	var a answer
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); {
		if a = s.as(t, "", "GET", bobs+"/deliveries", "", "Cookie", cookie).want(t, 200); a.get("data.0.status") == "failed" {
			break
		}
	}
	if a.get("data.0.status") != "failed" || a.get("data.0.error") != "Given up: the webhook's owner may no longer read this." {
		t.Errorf("%s", a)
	}
	// Disabled users get no events either.
	s.set(t, "bob@example.com", disable)
	s.one(t, "q.jpg", picture(2, 64, 48))
	s.retitle(t, gaid, "2")
	s.untilStatus(t, adas, "delivered", 5)
	for _, m := range r.wait(t, 0)[n:] {
		if m.path == "/bob" {
			t.Errorf("%s", m.body)
		}
	}
}

// untilBob is untilStatus with another user's token.
func (s *server) untilBob(t testing.TB, token, hook, status string, n int) {
	t.Helper()
	admin := s.token
	s.token = token
	defer func() { s.token = admin }()
	s.untilStatus(t, hook, status, n)
}

// A working receiver does not wait for hanging ones, however many there are.
func TestDeliveryBesideHanging(t *testing.T) {
	t.Parallel()
	s := start(t, sends(t, func(cfg *app.Config, _ *web.Options) { cfg.WebhookTimeout = time.Hour }))
	gaids := []string{s.one(t, "p.jpg", picture(1, 64, 48)), s.one(t, "q.jpg", picture(2, 64, 48))}
	hanging, well := newReceiver(t), newReceiver(t)
	release := make(chan struct{})
	defer close(release)
	hanging.answers(func(http.ResponseWriter, *http.Request) { <-release })
	for range webhook.MaxWebhooks - 1 {
		s.hook(t, hanging.URL, "*")
	}
	s.hook(t, well.URL, "*")
	const n = 10
	for i := range n {
		s.retitle(t, gaids[i%2], fmt.Sprint(i))
	}
	well.wait(t, n)
	for i := range n {
		s.retitle(t, gaids[i%2], fmt.Sprint(i, " again"))
	}
	if all := well.wait(t, 2*n); len(all) != 2*n {
		t.Errorf("%d events", len(all))
	}
	hanging.wait(t, webhook.MaxWebhooks-1)
}
