package web_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/web"
)

// streamed is an event received from a stream.
type streamed struct {
	name, id string
	data     map[string]any
}

// stream is an open event stream.
type stream struct {
	*http.Response
	events chan streamed // closed when the stream ends
	close  func()
}

// stream opens a stream and waits until it has started.
func (s *server) stream(t testing.TB, token string, header ...string) *stream {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	req, err := http.NewRequestWithContext(ctx, "GET", s.URL+"/api/v1/stream", nil)
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := s.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	if res.StatusCode != 200 || res.Header.Get("Content-Type") != "text/event-stream" || res.Header.Get("X-Accel-Buffering") != "no" {
		t.Fatalf("%d %v", res.StatusCode, res.Header)
	}
	st := &stream{Response: res, events: make(chan streamed, 1000), close: cancel}
	go func() {
		defer close(st.events)
		defer res.Body.Close()
		var e streamed
		for lines := bufio.NewScanner(res.Body); lines.Scan(); {
			switch name, value, _ := strings.Cut(lines.Text(), ": "); name {
			case "event":
				e.name = value
			case "id":
				e.id = value
			case "data":
				_ = json.Unmarshal([]byte(value), &e.data)
			case "":
				st.events <- e
				e = streamed{}
			}
		}
	}()
	return st
}

// until returns the events up to the first one that matches.
func (st *stream) until(t testing.TB, want func(streamed) bool) (seen []streamed) {
	t.Helper()
	deadline := time.After(30 * time.Second)
	for {
		select {
		case e, open := <-st.events:
			if !open {
				t.Fatalf("the stream has ended after %v", seen)
			}
			if seen = append(seen, e); want(e) {
				return seen
			}
		case <-deadline:
			t.Fatalf("what was waited for has not come, only %v", seen)
		}
	}
}

// ended waits for the end of the stream and returns the remaining events.
func (st *stream) ended(t testing.TB) (seen []streamed) {
	t.Helper()
	deadline := time.After(30 * time.Second)
	for {
		select {
		case e, open := <-st.events:
			if !open {
				return seen
			}
			seen = append(seen, e)
		case <-deadline:
			t.Fatal("the stream has not ended")
		}
	}
}

// about matches an event by name and by the value of a member.
func about(name, member string, value any) func(streamed) bool {
	return func(e streamed) bool { return e.name == name && fmt.Sprint(e.data[member]) == fmt.Sprint(value) }
}

func hasEvent(list []streamed, name, member string, value any) bool {
	return slices.ContainsFunc(list, about(name, member, value))
}

func TestStream(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	st := s.stream(t, s.token)
	id := s.batch(t, `{}`)
	s.push(t, id, upload{"a.jpg", picture(1, 40, 30)}).want(t, 201)
	s.do(t, "POST", fmt.Sprintf("/api/v1/upload-batches/%v/complete", id), "").want(t, 200)
	seen := st.until(t, func(e streamed) bool { return e.name == "batch" && e.data["status"] == "completed" })
	var gaid string
	for _, e := range seen {
		if e.name == "batch_file" && e.data["status"] == "ready" {
			gaid, _ = e.data["gaid"].(string)
		}
	}
	if gaid == "" || !hasEvent(seen, "asset", "gaid", gaid) || seen[0].id == "" {
		t.Fatal(seen)
	}
	last := seen[len(seen)-1].data["counts"].(map[string]any)
	if last["ready"] != 1.0 || last["total"] != 1.0 {
		t.Error(last)
	}

	s.do(t, "PUT", "/api/v1/assets/"+gaid, `{"title":"Harbour"}`).want(t, 200)
	e := st.until(t, about("asset", "type", "asset.updated"))
	if u := e[len(e)-1]; u.data["gaid"] != gaid || u.data["version"] != 2.0 || u.id == "" {
		t.Error(u)
	}
	c := s.do(t, "POST", "/api/v1/collections", `{"name":"Ships"}`).want(t, 201).get("data.id")
	st.until(t, about("collection", "id", c))
	op := s.do(t, "POST", "/api/v1/operations", `{"type":"bulk_update","selection":{"gaids":["`+gaid+`"]},"changes":{"title":"Pier"}}`,
		"Idempotency-Key", "a").want(t, 202).get("data.id")
	seen = st.until(t, func(e streamed) bool { return about("operation", "id", op)(e) && e.data["status"] == "completed" })
	if p, _ := seen[len(seen)-1].data["progress"].(map[string]any); p["percent"] != 100.0 {
		t.Error(seen)
	}
}

// Events are sent only to users who could read the resource.
func TestStreamKeepsSecrets(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	gaid := s.one(t, "a.jpg", picture(1, 40, 30))
	viewer := s.stream(t, s.user(t, "vi@example.com", dam.RoleViewer))
	assets := s.stream(t, s.user(t, "al@example.com", dam.RoleEditor, dam.AssetsRead))
	editor := s.stream(t, s.user(t, "ed@example.com", dam.RoleEditor))

	secret := s.do(t, "POST", "/api/v1/collections", `{"name":"Secret","visibility":"restricted"}`).want(t, 201).get("data.id")
	s.do(t, "POST", fmt.Sprintf("/api/v1/collections/%v/assets", secret), `{"gaids":["`+gaid+`"]}`).want(t, 200)
	s.do(t, "DELETE", "/api/v1/assets/"+gaid, "").want(t, 200)
	id := s.batch(t, `{}`)
	s.push(t, id, upload{"b.jpg", picture(2, 40, 30)}).want(t, 201)
	s.finish(t, id)
	s.do(t, "POST", "/api/v1/operations", `{"type":"bulk_delete","selection":{"gaids":["`+gaid+`"],"trashed":"only"},"force":true}`,
		"Idempotency-Key", "a")
	open := s.do(t, "POST", "/api/v1/collections", `{"name":"Open"}`).want(t, 201).get("data.id")
	s.one(t, "c.jpg", picture(3, 40, 30))
	s.do(t, "POST", "/api/v1/collections", `{"name":"Last"}`).want(t, 201)
	end := s.one(t, "d.jpg", picture(4, 40, 30))

	for name, st := range map[string]*stream{"viewer": viewer, "token for assets": assets, "editor": editor} {
		seen := st.until(t, about("asset", "gaid", end))
		for _, e := range seen {
			if e.name == "batch" || e.name == "batch_file" || e.name == "operation" || e.name == "collection" && e.data["id"] == secret {
				t.Errorf("%s was told of %v", name, e)
			}
		}
		if hasEvent(seen, "collection", "id", open) == (name == "token for assets") {
			t.Errorf("%s: %v", name, seen)
		}
		if !hasEvent(seen, "asset", "type", "asset.deleted") {
			t.Errorf("%s was not told that an asset is gone", name)
		}
	}
}

// Changes to a trashed asset are sent only to users with access to the trash.
func TestStreamOfTheTrash(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	gaid, other := s.one(t, "a.jpg", picture(1, 40, 30)), s.one(t, "b.jpg", picture(2, 40, 30))
	field := s.do(t, "POST", "/api/v1/asset-classes", `{"name":"Photo"}`).want(t, 201).get("data.id")
	s.do(t, "PUT", "/api/v1/assets/"+gaid, fmt.Sprintf(`{"asset_class_id":%v}`, field)).want(t, 200)
	s.do(t, "DELETE", "/api/v1/assets/"+gaid, "").want(t, 200)
	viewer, admin := s.stream(t, s.user(t, "vi@example.com", dam.RoleViewer)), s.stream(t, s.token)
	s.do(t, "DELETE", fmt.Sprintf("/api/v1/asset-classes/%v", field), "") // if allowed, changes the assets of the class
	s.do(t, "POST", "/api/v1/assets/"+gaid+"/restore", "").want(t, 200)
	s.do(t, "DELETE", "/api/v1/assets/"+gaid, "").want(t, 200)
	s.do(t, "PUT", "/api/v1/assets/"+other, `{"title":"Harbour"}`).want(t, 200)
	for _, e := range viewer.until(t, about("asset", "gaid", other)) {
		if e.name == "asset" && e.data["gaid"] == gaid && e.data["type"] == "asset.updated" {
			t.Error(e)
		}
	}
	admin.until(t, about("asset", "gaid", other))
}

func TestStreamContinues(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	gaid := s.one(t, "a.jpg", picture(1, 40, 30))
	first := s.stream(t, s.token)
	at := first.until(t, func(e streamed) bool { return e.id != "" })[0].id
	first.close()
	s.do(t, "PUT", "/api/v1/assets/"+gaid, `{"title":"Harbour"}`).want(t, 200)
	c := s.do(t, "POST", "/api/v1/collections", `{"name":"Ships"}`).want(t, 201).get("data.id")

	again := s.stream(t, s.token, "Last-Event-ID", at)
	seen := again.until(t, about("reset", "types", "[batch batch_file operation]"))
	if len(seen) != 3 || seen[0].data["gaid"] != gaid || seen[1].data["id"] != c {
		t.Error(seen)
	}
	// An unknown event id, or too many events since.
	all := "[batch batch_file operation asset collection]"
	s.stream(t, s.token, "Last-Event-ID", "999999").until(t, about("reset", "types", all))
	for i := range 260 {
		s.do(t, "PUT", "/api/v1/assets/"+gaid, fmt.Sprintf(`{"title":"%d"}`, i)).want(t, 200)
		s.do(t, "PUT", fmt.Sprintf("/api/v1/collections/%v", c), fmt.Sprintf(`{"name":"%d"}`, i)).want(t, 200)
	}
	// A new stream starts at the position of the open ones, so wait until they have received
	// these events.
	version := s.do(t, "GET", "/api/v1/assets/"+gaid, "").get("data.version")
	again.until(t, func(e streamed) bool {
		return e.name == "asset" && e.data["version"] == version || about("reset", "types", all)(e)
	})
	s.stream(t, s.token, "Last-Event-ID", at).until(t, about("reset", "types", all))
	for _, bad := range []string{"-1", "x", "1x", "01", "9223372036854775808"} {
		s.do(t, "GET", "/api/v1/stream", "", "Last-Event-ID", bad).want(t, 422)
		s.do(t, "GET", "/api/v1/stream?last_event_id="+bad, "").want(t, 422)
	}
}

// TestStreamFromTheSession checks that a client that reads the session, then the lists, receives all changes since the session.
func TestStreamFromTheSession(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	gaid := s.one(t, "a.jpg", picture(1, 40, 30))
	s.user(t, "se@example.com", dam.RoleViewer)
	cookie, _, err := s.app.Accounts.Login(t.Context(), "se@example.com", "correct horse battery")
	if err != nil {
		t.Fatal(err)
	}
	last := func() string {
		a := s.as(t, "", "GET", "/api/v1/session", "", "Cookie", web.SessionCookie+"="+cookie).want(t, 200)
		return fmt.Sprint(int(a.get("data.last_event_id").(float64)))
	}
	rename := func(title string) {
		s.do(t, "PUT", "/api/v1/assets/"+gaid, fmt.Sprintf(`{"title":%q}`, title)).want(t, 200)
	}
	at := last()
	rename("Harbour")
	s.stream(t, s.token, "Last-Event-ID", at).until(t, about("asset", "gaid", gaid))
	for i := range 5 { // the session may be ahead of the streams that are open
		rename(fmt.Sprint("Harbour ", i))
		at := last()
		again := s.stream(t, s.token, "Last-Event-ID", at)
		rename(fmt.Sprint("Quay ", i))
		for _, e := range again.until(t, about("asset", "gaid", gaid)) {
			if e.name == "reset" && fmt.Sprint(e.data["types"]) != "[batch batch_file operation]" {
				t.Errorf("after the event %s: %v", at, e)
			}
		}
		again.close()
	}
}

// A stream ends when the rights it was opened with are lost, and when the server stops.
func TestStreamEnds(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	ctx := t.Context()
	begin := func(token string, header ...string) *stream {
		st := s.stream(t, token, header...)
		st.until(t, func(e streamed) bool { return e.id != "" })
		return st
	}
	gaid := s.one(t, "a.jpg", picture(1, 40, 30))
	revoked, demoted := begin(s.user(t, "re@example.com", dam.RoleEditor)), begin(s.user(t, "de@example.com", dam.RoleEditor))
	disabled := begin(s.user(t, "di@example.com", dam.RoleViewer))
	s.user(t, "se@example.com", dam.RoleViewer)
	cookie, _, err := s.app.Accounts.Login(ctx, "se@example.com", "correct horse battery")
	if err != nil {
		t.Fatal(err)
	}
	session := begin("", "Cookie", web.SessionCookie+"="+cookie)

	for st, end := range map[*stream]func() error{
		revoked: func() error {
			u, err := s.app.Accounts.UserByEmail(ctx, "re@example.com")
			if err != nil {
				return err
			}
			list, _, err := s.app.Accounts.Tokens(ctx, dam.Actor{User: u}, false, dam.Page{Limit: 1})
			if err != nil {
				return err
			}
			return s.app.Accounts.RevokeToken(ctx, dam.Actor{User: u}, list[0].ID)
		},
		demoted: func() error {
			return s.app.Accounts.UpdateUser(ctx, "de@example.com", func(u *dam.User) error { u.Role = dam.RoleViewer; return nil })
		},
		disabled: func() error {
			now := time.Now()
			return s.app.Accounts.UpdateUser(ctx, "di@example.com", func(u *dam.User) error { u.DisabledAt = &now; return nil })
		},
		session: func() error { return s.app.Accounts.Logout(ctx, cookie) },
	} {
		if err := end(); err != nil {
			t.Fatal(err)
		}
		s.do(t, "PUT", "/api/v1/assets/"+gaid, fmt.Sprintf(`{"title":"%p"}`, st)).want(t, 200)
		now := s.do(t, "GET", "/api/v1/assets/"+gaid, "").get("data.version")
		if seen := st.ended(t); len(seen) != 0 && seen[len(seen)-1].data["version"] == now {
			t.Errorf("it was told what happened after its end: %v", seen)
		}
	}
}

func TestStreamAccept(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	for accept, want := range map[string]int{
		"application/json": 406, "text/html, application/json;q=0.9": 406, "application/json, text/event-stream;q=0": 406,
		"TEXT/Event-Stream": 200,
		"":                  200, "*/*": 200, "text/*": 200, "text/event-stream": 200, "application/json, text/event-stream;q=0.5": 200,
	} {
		s.do(t, "HEAD", "/api/v1/stream", "", "Accept", accept).want(t, want)
	}
	if a := s.do(t, "GET", "/api/v1/stream", "", "Accept", "application/json").want(t, 406); a.get("code") != "not_acceptable" {
		t.Error(a)
	}
}

func TestStreamsEndWithTheServer(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	st := s.stream(t, s.token)
	s.stop()
	st.ended(t)
	s.do(t, "GET", "/api/v1/stream", "").want(t, 503)
}

func TestStreamBounds(t *testing.T) {
	t.Parallel()
	s := start(t, func(c *app.Config, _ *web.Options) { c.MaxStreams, c.MaxStreamsPerUser = 3, 2 })
	first := s.stream(t, s.token)
	s.stream(t, s.token)
	if a := s.do(t, "GET", "/api/v1/stream", "").want(t, 429); a.Header.Get("Retry-After") == "" {
		t.Error(a.Header)
	}
	other := s.user(t, "vi@example.com", dam.RoleViewer)
	s.stream(t, other)
	s.as(t, other, "GET", "/api/v1/stream", "").want(t, 503)
	s.as(t, "", "GET", "/api/v1/stream", "").want(t, 401)
	first.close()
	s.until(t, "/api/v1/user", func(answer) bool { return s.as(t, other, "HEAD", "/api/v1/stream", "").StatusCode == 200 })
}

// Slow readers are dropped, and the queue of a stream is limited.
func TestStreamDropsSlowReaders(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("a flood, which takes long with the race detector, which .ci/run uses with -short")
	}
	s := start(t, nil)
	gaid := s.one(t, "a.jpg", picture(1, 40, 30))
	users, err := s.app.Accounts.Users(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	slow, err := s.app.Follow(t.Context(), dam.Actor{User: users[0]}, -1)
	if err != nil {
		t.Fatal(err)
	}
	defer slow.Close()
	quick := s.stream(t, s.token)
	for i := 0; i < 30; i++ { // wait for each event before the next change
		s.do(t, "PUT", "/api/v1/assets/"+gaid, fmt.Sprintf(`{"title":"%d"}`, i)).want(t, 200)
		quick.until(t, about("asset", "version", i+2))
	}
	n := 0
	for range slow.Updates {
		n++
	}
	if n == 0 || n > 16 {
		t.Errorf("%d turns waited for it", n)
	}
}

// Too many changes to report individually cause a reset.
func TestStreamFloods(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("a flood, which takes long with the race detector, which .ci/run uses with -short")
	}
	s := start(t, nil)
	var files []upload
	for i := range 3 {
		files = append(files, upload{fmt.Sprint(i, ".jpg"), picture(i+1, 40, 30)})
	}
	s.ingest(t, files...)
	st := s.stream(t, s.token)
	st.until(t, func(e streamed) bool { return e.id != "" })
	id := s.batch(t, `{}`)
	var many []upload
	for i := range 150 {
		many = append(many, upload{fmt.Sprint(i, ".txt"), []byte(fmt.Sprint("nothing that dal takes ", i))})
	}
	s.push(t, id, many...).want(t, 201)
	seen := st.until(t, func(e streamed) bool { return e.name == "reset" })
	if types := fmt.Sprint(seen[len(seen)-1].data["types"]); !strings.Contains(types, "batch_file") {
		t.Error(types)
	}
}
