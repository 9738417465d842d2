package web_test

import (
	"archive/zip"
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"io"
	"log/slog"
	"maps"
	"mime/multipart"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/textproto"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/app/analyze"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/find"
	"github.com/digital-asset-library/dal/storage"
	"github.com/digital-asset-library/dal/web"
)

// server is a complete dal instance on an empty folder, configured like dal serve.
type server struct {
	*httptest.Server
	web   *web.Server
	app   *app.App
	dir   string
	token string // of an administrator, with all abilities
	stop  func() // stops the background work
}

// answer is a response with its body read.
type answer struct {
	*http.Response
	body []byte
}

// upload is a file to push.
type upload struct {
	name string
	data []byte
}

// user creates a user and returns a token with all abilities of the role, or the given
// ones.
func (s *server) user(t testing.TB, email string, role dam.Role, abilities ...dam.Ability) string {
	t.Helper()
	u := &dam.User{Name: "Test", Email: email, Role: role}
	if err := s.app.Accounts.CreateUser(t.Context(), u, "correct horse battery"); err != nil {
		t.Fatal(err)
	}
	if abilities == nil {
		abilities = role.Abilities()
	}
	plain, err := s.app.Accounts.CreateToken(t.Context(), dam.Actor{User: u}, &dam.Token{Name: "test", Abilities: abilities})
	if err != nil {
		t.Fatal(err)
	}
	return plain
}

// get returns the value at a path such as "data.0.title", or nil if absent.
func (a answer) get(path string) any {
	var v any
	if json.Unmarshal(a.body, &v) != nil {
		return nil
	}
	for key := range strings.SplitSeq(path, ".") {
		switch x := v.(type) {
		case map[string]any:
			v = x[key]
		case []any:
			var i int
			if _, err := fmt.Sscan(key, &i); err != nil || i >= len(x) {
				return nil
			}
			v = x[i]
		default:
			return nil
		}
	}
	return v
}

// do sends a request as the administrator and checks the answer against the contract.
func (s *server) do(t testing.TB, method, path, body string, header ...string) answer {
	t.Helper()
	return s.as(t, s.token, method, path, body, header...)
}

func (s *server) as(t testing.TB, token, method, path, body string, header ...string) answer {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, s.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	return s.send(t, req)
}

func (s *server) send(t testing.TB, req *http.Request) answer {
	t.Helper()
	res, err := s.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var body []byte
	if res.Header.Get("Content-Type") != "text/event-stream" { // endless
		if body, err = io.ReadAll(res.Body); err != nil {
			t.Fatal(err)
		}
	}
	doc, err := loadContract()
	if err != nil {
		t.Fatal(err)
	}
	if err := doc.check(req, res, body); err != nil {
		t.Errorf("%s %s %d breaks the contract: %s\n%s", req.Method, req.URL.Path, res.StatusCode, beginning(err.Error()), beginning(body))
	}
	return answer{res, body}
}

// String returns the body in short form: its error, or its beginning.
func (a answer) String() string {
	var e struct {
		Message string
		Errors  map[string][]string
	}
	if json.Unmarshal(a.body, &e) != nil || e.Message == "" {
		return beginning(a.body)
	}
	lines := []string{e.Message}
	for _, field := range slices.Sorted(maps.Keys(e.Errors)) {
		lines = append(lines, fmt.Sprintf("\t%s: %s", field, strings.Join(e.Errors[field], " ")))
	}
	return strings.Join(lines[:min(len(lines), 6)], "\n")
}

// beginning returns as much of a text as a failed test should print.
func beginning[T string | []byte](text T) string {
	const most = 500
	if len(text) <= most {
		return string(text)
	}
	return fmt.Sprintf("%s… (%d bytes)", strings.ToValidUTF8(string(text[:most]), ""), len(text))
}

// want fails the test unless the answer has the status.
func (a answer) want(t testing.TB, status int) answer {
	t.Helper()
	if a.StatusCode != status {
		t.Fatalf("%s %s = %d, want %d: %s", a.Request.Method, a.Request.URL.Path, a.StatusCode, status, a)
	}
	return a
}

// push uploads files to a batch as one multipart form.
func (s *server) push(t testing.TB, batch any, files ...upload) answer {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for _, f := range files {
		h := textproto.MIMEHeader{}
		name := strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(f.name)
		h.Set("Content-Disposition", fmt.Sprintf(`form-data; name="file"; filename="%s"`, name))
		if strings.Contains(f.name, "\x00") { // not allowed in a header unescaped
			h.Set("Content-Disposition", `form-data; name="file"; filename*=UTF-8''`+url.PathEscape(f.name))
		}
		h.Set("Content-Type", "application/octet-stream")
		p, err := w.CreatePart(h)
		if err != nil {
			t.Fatal(err)
		}
		p.Write(f.data)
	}
	w.Close()
	req, err := http.NewRequestWithContext(t.Context(), "POST", fmt.Sprintf("%s/api/v1/upload-batches/%v/files", s.URL, batch), &b)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", w.FormDataContentType())
	req.Header.Set("Authorization", "Bearer "+s.token)
	return s.send(t, req)
}

// batch opens a batch and returns its id.
func (s *server) batch(t testing.TB, body string) any {
	t.Helper()
	return s.do(t, "POST", "/api/v1/upload-batches", body).want(t, 201).get("data.id")
}

// finish completes a batch and waits until its files are processed.
func (s *server) finish(t testing.TB, batch any) answer {
	t.Helper()
	path := fmt.Sprintf("/api/v1/upload-batches/%v", batch)
	s.do(t, "POST", path+"/complete", "").want(t, 200)
	return s.until(t, path, func(a answer) bool { return a.get("data.completed_at") != nil })
}

// until polls a path until done reports true for the answer.
func (s *server) until(t testing.TB, path string, done func(answer) bool) answer {
	t.Helper()
	return repeated(t, path, func() answer { return s.do(t, "GET", path, "") }, done)
}

// untilFrom is until with a browser's session.
func (s *server) untilFrom(t testing.TB, browser []string, path string, done func(answer) bool) answer {
	t.Helper()
	return repeated(t, path, func() answer { return s.as(t, "", "GET", path, "", browser...) }, done)
}

// repeated calls ask until done reports true for the answer.
func repeated(t testing.TB, path string, ask func() answer, done func(answer) bool) answer {
	t.Helper()
	deadline := time.After(5 * time.Minute) // on a busy machine, the low-priority workers need time
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		a := ask().want(t, 200)
		if done(a) {
			return a
		}
		select {
		case <-deadline:
			t.Fatalf("%s has not come to the state that was waited for: %s", path, a)
		case <-tick.C:
		}
	}
}

// ingest uploads files and returns the batch's file entries.
func (s *server) ingest(t testing.TB, files ...upload) []map[string]any {
	t.Helper()
	id := s.batch(t, `{}`)
	s.push(t, id, files...).want(t, 201)
	s.finish(t, id)
	var list struct{ Data []map[string]any }
	a := s.do(t, "GET", fmt.Sprintf("/api/v1/upload-batches/%v/files?per_page=100", id), "").want(t, 200)
	if err := json.Unmarshal(a.body, &list); err != nil {
		t.Fatal(err)
	}
	return list.Data
}

// one uploads one file and returns its GAID.
func (s *server) one(t testing.TB, name string, data []byte) string {
	t.Helper()
	f := s.ingest(t, upload{name, data})[0]
	gaid, ok := f["gaid"].(string)
	if !ok || f["status"] != "ready" {
		t.Fatalf("%s: %v", name, f)
	}
	return gaid
}

// start starts a server; change may adjust its configuration.
func start(t testing.TB, change func(*app.Config, *web.Options)) *server {
	t.Helper()
	s := run(t, change)
	s.token = s.user(t, "ada@example.com", dam.RoleAdmin)
	return s
}

// run is start without creating the administrator.
func run(t testing.TB, change func(*app.Config, *web.Options)) *server {
	t.Helper()
	log := slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn}))
	cfg, opt := app.DefaultConfig(), web.DefaultOptions()
	cfg.OCR = analyze.OCROff
	cfg.DataDir, cfg.Log, cfg.Workers = t.TempDir(), log, 2
	cfg.TagThreshold = 0 // tagging would change assets during a test
	opt.Log, opt.RateLimit = log, 1_000_000
	cfg.EngineCache = filepath.Join(os.TempDir(), "dal-test-engines-"+fmt.Sprint(os.Getuid())) // shared: engines compile only once
	if change != nil {
		change(&cfg, &opt)
	}
	cfg.EventView = web.EventView(opt.SiteURL, "http://localhost")
	a, err := app.Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	unlock, err := a.Lock()
	if err != nil {
		t.Fatal(err)
	}
	if err := a.OpenSearch(t.Context()); err != nil {
		t.Fatal(err)
	}
	h, err := web.New(a, opt)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- a.Run(ctx) }()
	s := &server{Server: httptest.NewServer(h), web: h, app: a, dir: cfg.DataDir, stop: stop}
	s.Client().CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	t.Cleanup(func() {
		s.Close()
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
		if err := a.Close(); err != nil {
			t.Error(err)
		}
		unlock()
		// The testing package retains this function until all tests end: 12 MB per server.
		s, a, h, unlock = nil, nil, nil, nil
	})
	return s
}

// picture returns a JPEG that depends on seed.
func picture(seed, w, h int) []byte {
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			img.Set(x, y, color.RGBA{uint8(x*255/w + seed*31), uint8(y*255/h + seed*57), uint8(seed * 91), 255})
		}
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, img, nil); err != nil {
		panic(err) // cannot happen: the picture is valid
	}
	return b.Bytes()
}

var pathParameter = regexp.MustCompile(`\{[^}]*\}`)

// hang is the timeout for events that must happen, generous enough for slow machines.
const hang = time.Minute

const assets = "/api/v1/assets"

const titleRule = `{"type":"filter","field":"asset.title","operator":"%s","value":"%s"}`

const collections = "/api/v1/collections"

const rightPassword = "correct horse battery"

const (
	fieldsPath       = "/api/v1/metadata/fields"
	vocabulariesPath = "/api/v1/metadata/vocabularies"
)

const operations = "/api/v1/operations"

const webhooks = "/api/v1/webhooks"

// clock is a clock that advances only when a test sets it.
type clock struct {
	start time.Time
	ahead atomic.Int64
}

// event is the part of an outbox event that the tests check.
type event struct {
	kind, subject string
	data          dam.Collection
}

// journal is a log for tests to read.
type journal struct {
	mu sync.Mutex
	b  bytes.Buffer
}

// mint creates a token with another token and returns its plain text and id.
func (s *server) mint(t testing.TB, by, body string) (plain, id string) {
	t.Helper()
	a := s.as(t, by, "POST", "/api/v1/tokens", body).want(t, 201)
	return a.get("data.plain_text_token").(string), a.get("data.id").(string)
}

// set changes a user, as a command would.
func (s *server) set(t testing.TB, email string, fn func(*dam.User)) {
	t.Helper()
	if err := s.app.Accounts.UpdateUser(t.Context(), email, func(u *dam.User) error { fn(u); return nil }); err != nil {
		t.Fatal(err)
	}
}

func (c *clock) now() time.Time { return c.start.Add(time.Duration(c.ahead.Load())) }

// dial sends text on a new connection.
func (s *server) dial(t testing.TB, text string) (net.Conn, *bufio.Reader) {
	t.Helper()
	c, err := net.Dial("tcp", s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	if err := c.SetDeadline(time.Now().Add(hang)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(c, text); err != nil {
		t.Fatal(err)
	}
	return c, bufio.NewReader(c)
}

// total fails the test unless a list has want items.
func (s *server) total(t testing.TB, token, path string, want int) {
	t.Helper()
	if a := s.as(t, token, "GET", path, "").want(t, 200); a.get("meta.total") != float64(want) {
		t.Errorf("%s has %v, want %d", path, a.get("meta.total"), want)
	}
}

// actor returns the actor for a user on the command line.
func (s *server) actor(t testing.TB, id int64) (a dam.Actor) {
	t.Helper()
	s.records(t, func(tx *storage.Tx) (err error) {
		a.User, err = tx.User(id)
		return err
	})
	return a
}

// collection creates a collection as the administrator and returns its path.
func (s *server) collection(t testing.TB, body string) string {
	t.Helper()
	return s.collectionAs(t, s.token, body)
}

func (s *server) collectionAs(t testing.TB, token, body string) string {
	t.Helper()
	return fmt.Sprintf("%s/%v", collections, s.as(t, token, "POST", collections, body).want(t, 201).get("data.id"))
}

// pictures uploads n pictures and returns their GAIDs in order.
func (s *server) pictures(t testing.TB, n int) []string {
	t.Helper()
	files := make([]upload, n)
	for i := range files {
		files[i] = upload{fmt.Sprintf("picture %03d.jpg", i), append(picture(i%200, 16, 12), fmt.Sprint(i)...)}
	}
	list := make([]string, n)
	for i, f := range s.ingest(t, files...) {
		gaid, ok := f["gaid"].(string)
		if !ok {
			t.Fatalf("%v", f)
		}
		list[i] = gaid
	}
	return list
}

// shows fails the test unless a field of an answer's items has the wanted values.
func (a answer) shows(t testing.TB, at, field string, want ...string) {
	t.Helper()
	if got := fmt.Sprint(column(a, at, field)); got != "["+strings.Join(want, " ")+"]" {
		t.Errorf("%s: %s of %s = %s, want %v", a.Request.URL, field, at, got, want)
	}
}

// userID creates a user and returns its id.
func (s *server) userID(t testing.TB, email string, role dam.Role) int64 {
	t.Helper()
	s.user(t, email, role)
	return s.lastUser(t)
}

// lastUser returns the id of the newest user.
func (s *server) lastUser(t testing.TB) (id int64) {
	t.Helper()
	s.records(t, func(tx *storage.Tx) error {
		for n := int64(1); ; n++ {
			if _, err := tx.User(n); dam.KindOf(err) == dam.NotFound {
				return nil
			} else if err != nil {
				return err
			}
			id = n
		}
	})
	return id
}

// records reads the database while the server runs.
func (s *server) records(t testing.TB, fn func(*storage.Tx) error) {
	t.Helper()
	store, err := storage.Open(t.Context(), filepath.Join(s.dir, "dal.db"), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	if err := store.View(t.Context(), fn); err != nil {
		t.Fatal(err)
	}
}

// collectionEvents lists the events of collections without removing any.
func (s *server) collectionEvents(t testing.TB) (list []event) {
	t.Helper()
	s.records(t, func(tx *storage.Tx) error {
		all, err := tx.Events(0, 1000)
		for _, e := range all {
			if !strings.HasPrefix(string(e.Type), "collection.") {
				continue
			}
			v := event{kind: string(e.Type), subject: e.Subject}
			if err := json.Unmarshal(e.Data, &v.data); err != nil {
				return err
			}
			list = append(list, v)
		}
		return err
	})
	return list
}

// raw sends a request without decompressing the answer.
func (s *server) raw(t testing.TB, method, path string, header ...string) (*http.Response, []byte) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, s.URL+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+s.token)
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := s.Client().Transport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res, b
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.b.Write(p)
}

// count counts the lines that contain all words.
func (j *journal) count(words ...string) (n int) {
	j.mu.Lock()
	defer j.mu.Unlock()
lines:
	for line := range strings.Lines(j.b.String()) {
		for _, w := range words {
			if !strings.Contains(line, w) {
				continue lines
			}
		}
		n++
	}
	return n
}

func (j *journal) into(c *app.Config) {
	c.Log = slog.New(slog.NewTextHandler(j, nil))
}

func (s *server) status(t testing.TB, gaid string) any {
	t.Helper()
	return s.do(t, "GET", "/api/v1/assets/"+gaid, "").want(t, 200).get("data.processing_status")
}

// check verifies all files and returns the problems found.
func (s *server) check(t testing.TB) (problems []string) {
	t.Helper()
	_, err := s.app.Maintenance.Check(t.Context(), true, func(p string) { problems = append(problems, p) }, func(int64, int64) {})
	if err != nil {
		t.Fatal(err)
	}
	return problems
}

// pass advances the clock.
func (c *clock) pass(d time.Duration) { c.ahead.Add(int64(d)) }

// exportsLeft lists the exports folder.
func (s *server) exportsLeft(t testing.TB) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(s.dir, "exports"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// list requests assets; parameters are alternating names and values.
func (s *server) list(t testing.TB, parameters ...string) answer {
	t.Helper()
	v := url.Values{}
	for i := 0; i < len(parameters); i += 2 {
		v.Set(parameters[i], parameters[i+1])
	}
	return s.do(t, "GET", "/api/v1/assets?"+v.Encode(), "")
}

// logIn attempts a login from an address.
func (s *server) logIn(t testing.TB, email, password, from string) answer {
	t.Helper()
	body := fmt.Sprintf(`{"email":%s,"password":%q}`, jsonString(email), password)
	return s.as(t, "", "POST", "/api/v1/session", body, "X-Forwarded-For", from)
}

// told returns an answer's error messages for a field.
func (a answer) told(field string) string {
	errors, _ := a.get("errors").(map[string]any)
	list, _ := errors[field].([]any)
	return fmt.Sprint(list...)
}

// terms creates a vocabulary with a term root and n terms below it.
func (s *server) terms(t testing.TB, key string, n int) {
	t.Helper()
	err := s.store(t).Update(t.Context(), func(tx *storage.Tx) error {
		v := &dam.Vocabulary{Key: key, Name: key}
		if err := tx.InsertVocabulary(v); err != nil {
			return err
		}
		root := &dam.Term{VocabularyID: v.ID, Key: "root", Label: "Root", IsActive: true}
		if err := tx.InsertTerm(root); err != nil {
			return err
		}
		for i := range n {
			child := &dam.Term{
				VocabularyID: v.ID,
				Key:          fmt.Sprint("t", i),
				Label:        "x",
				ParentID:     root.ID,
				Position:     i,
				IsActive:     true,
			}
			if err := tx.InsertTerm(child); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// define creates a field and fails the test on errors.
func (s *server) define(t testing.TB, body string) answer {
	t.Helper()
	return s.do(t, "POST", fieldsPath, body).want(t, 201)
}

// vocabulary creates a vocabulary with terms "key", "key=label" or "key=label<parent", and
// returns its id and those of its terms by key.
func (s *server) vocabulary(t testing.TB, key string, terms ...string) (id any, ids map[string]any) {
	t.Helper()
	id = s.do(t, "POST", vocabulariesPath, fmt.Sprintf(`{"key":%q,"name":%q}`, key, strings.ToUpper(key))).want(t, 201).get("data.id")
	ids = map[string]any{}
	for _, spec := range terms {
		spec, parent, _ := strings.Cut(spec, "<")
		term, label, ok := strings.Cut(spec, "=")
		if !ok {
			label = term
		}
		body := map[string]any{"key": term, "label": label}
		if parent != "" {
			body["parent_id"] = ids[parent]
		}
		text, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		ids[term] = s.do(t, "POST", fmt.Sprintf("%s/%v/terms", vocabulariesPath, id), string(text)).want(t, 201).get("data.id")
	}
	return id, ids
}

// filterTotal returns the number of assets that match a rule.
func (s *server) filterTotal(t testing.TB, field, operator, value string) any {
	t.Helper()
	rule := fmt.Sprintf(`{"type":"filter","field":%q,"operator":%q,"value":%s}`, field, operator, value)
	return s.do(t, "GET", "/api/v1/assets?filters="+url.QueryEscape(rule), "").want(t, 200).get("meta.total")
}

// events reads the outbox.
func (s *server) events(t testing.TB) (list []*dam.Event) {
	t.Helper()
	s.records(t, func(tx *storage.Tx) (err error) {
		list, err = tx.Events(0, 1_000_000)
		return err
	})
	return list
}

// operate starts an operation as the administrator and returns its path.
func (s *server) operate(t testing.TB, body string) string {
	t.Helper()
	return s.operateAs(t, s.token, body)
}

func (s *server) operateAs(t testing.TB, token, body string) string {
	t.Helper()
	a := s.as(t, token, "POST", operations, body, "Idempotency-Key", newKey()).want(t, 202)
	path := fmt.Sprintf("%s/%v", operations, a.get("data.id"))
	if a.Header.Get("Location") != s.URL+path {
		t.Errorf("Location %q, not %s", a.Header.Get("Location"), path)
	}
	return path
}

// ended polls an operation until its state is final.
func (s *server) ended(t testing.TB, path string) answer {
	t.Helper()
	return s.until(t, path, func(a answer) bool { return a.get("data.finished_at") != nil })
}

// store opens a server's database while the server runs.
func (s *server) store(t testing.TB) *storage.Store {
	t.Helper()
	store, err := storage.Open(context.Background(), filepath.Join(s.dir, "dal.db"), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	return store
}

// fill adds n assets that share one picture, and returns their GAIDs. With -short, which
// .ci/run uses with the race detector, tests with more than 1000 assets are skipped: SQLite
// takes twenty times as long with it.
func (s *server) fill(t testing.TB, n int) (gaids []string) {
	t.Helper()
	if n > 1000 && testing.Short() {
		t.Skipf("%d assets take long", n)
	}
	first := s.one(t, "first.jpg", picture(1, 64, 48))
	store := s.store(t)
	err := store.Update(t.Context(), func(tx *storage.Tx) error {
		a, err := tx.Asset(dam.GAID(first))
		if err != nil {
			return err
		}
		for i := range n {
			b := *a
			b.GAID, b.Title, b.Keywords = dam.GAID(fmt.Sprintf("01TEST%020d", i)), fmt.Sprintf("Number %d", i), []string{"filled"}
			if err := tx.InsertAsset(&b); err != nil {
				return err
			}
			gaids = append(gaids, string(b.GAID))
		}
		return tx.Changed(a.ID)
	})
	if err != nil {
		t.Fatal(err)
	}
	s.do(t, "DELETE", "/api/v1/assets/"+first+"?force=true", "").want(t, 200)
	return gaids
}

// countEvents counts the events by type and subject.
func (s *server) countEvents(t testing.TB) map[string]int {
	t.Helper()
	n := map[string]int{}
	for _, e := range s.events(t) {
		n[string(e.Type)+" "+e.Subject]++
	}
	return n
}

// db opens the database while the server runs, to read rows.
func (s *server) db(t testing.TB) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(s.dir, "dal.db")+"?_pragma=busy_timeout(10000)") // the server writes too
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func (s *server) count(t testing.TB, query string) (n int) {
	t.Helper()
	if err := s.db(t).QueryRowContext(t.Context(), query).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// untilAs is until with another user's token.
func (s *server) untilAs(t testing.TB, token, path string, done func(answer) bool) answer {
	t.Helper()
	admin := s.token
	s.token = token
	defer func() { s.token = admin }()
	return s.until(t, path, done)
}

// tokenFor creates a token for a user by id.
func (s *server) tokenFor(t testing.TB, user int64, abilities ...dam.Ability) string {
	t.Helper()
	plain, err := s.app.Accounts.CreateToken(t.Context(), s.actor(t, user), &dam.Token{Name: "narrow", Abilities: abilities})
	if err != nil {
		t.Fatal(err)
	}
	return plain
}

// lacks fails the test unless the answer is a 403 that names exactly the missing abilities.
func (a answer) lacks(t testing.TB, what string, abilities ...dam.Ability) {
	t.Helper()
	if a.StatusCode != 403 || fmt.Sprint(a.get("required_abilities")) != fmt.Sprint(abilities) {
		t.Errorf("%s: %d %s, want 403 with %v", what, a.StatusCode, a, abilities)
	}
}

// role changes a user's role.
func (s *server) role(t testing.TB, email string, role dam.Role) {
	t.Helper()
	if err := s.app.Accounts.UpdateUser(t.Context(), email, func(u *dam.User) error { u.Role = role; return nil }); err != nil {
		t.Fatal(err)
	}
}

func (s *server) saveAs(t testing.TB, token, name, query string) string {
	t.Helper()
	quoted, err := json.Marshal(name)
	if err != nil {
		t.Fatal(err)
	}
	a := s.as(t, token, "POST", savedSearches, fmt.Sprintf(`{"name":%s,"query":%s}`, quoted, query)).want(t, 201)
	return fmt.Sprintf("%s/%v", savedSearches, a.get("data.id"))
}

// gaids uploads files and returns their GAIDs in order.
func (s *server) gaids(t testing.TB, files ...upload) (list []string) {
	t.Helper()
	for _, f := range s.ingest(t, files...) {
		gaid, ok := f["gaid"].(string)
		if !ok || f["status"] != "ready" {
			t.Fatalf("%v", f)
		}
		list = append(list, gaid)
	}
	return list
}

// search requests assets; parameters are alternating names and values.
func (s *server) search(t testing.TB, params ...string) answer {
	t.Helper()
	q := url.Values{}
	for i := 0; i+1 < len(params); i += 2 {
		q.Set(params[i], params[i+1])
	}
	return s.do(t, "GET", "/api/v1/assets?"+q.Encode(), "").want(t, 200)
}

// hook registers a webhook as the administrator and returns its path and its secret.
func (s *server) hook(t testing.TB, url string, events ...string) (path, secret string) {
	t.Helper()
	return s.hookAs(t, s.token, url, events...)
}

func (s *server) hookAs(t testing.TB, token, url string, events ...string) (path, secret string) {
	t.Helper()
	a := s.as(t, token, "POST", webhooks, hookBody(url, events...)).want(t, 201)
	return fmt.Sprintf("%s/%v", webhooks, a.get("data.id")), a.get("data.secret").(string)
}

// standing returns a server whose clock advances only when the test sets it.
func standing(t testing.TB, change func(*app.Config, *web.Options)) (*server, *clock) {
	t.Helper()
	c := newClock()
	return start(t, func(cfg *app.Config, o *web.Options) {
		cfg.Now, o.Now = c.now, c.now
		if change != nil {
			change(cfg, o)
		}
	}), c
}

func disable(u *dam.User) { now := time.Now(); u.DisabledAt = &now }

func newClock() *clock { return &clock{start: time.Now()} }

// filtered returns the path of the assets that match a rule about collections.
func filtered(op, value string) string {
	return assets + "?filters=" + url.QueryEscape(collectionRule(op, value))
}

// noMeaning disables semantic search, so that only words match.
func noMeaning(c *app.Config, _ *web.Options) { c.Embeddings = find.EmbeddingsOff }

func collectionRule(op, value string) string {
	return fmt.Sprintf(`{"type":"filter","field":"asset.collections","operator":%q,"value":%s}`, op, value)
}

// idOf returns the id at the end of a path.
func idOf(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

// gaids returns a body that lists assets.
func gaids(list ...string) string {
	b, err := json.Marshal(map[string]any{"gaids": list})
	if err != nil {
		panic(err) // strings can always be encoded
	}
	return string(b)
}

// column lists one field of an answer's items.
func column(a answer, at, field string) []any {
	list := []any{}
	items, _ := a.get(at).([]any)
	for _, item := range items {
		list = append(list, item.(map[string]any)[field])
	}
	return list
}

// must stops the test if a step that is not under test fails.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// unzip reads all files of an archive.
func unzip(t testing.TB, data []byte) (map[string][]byte, map[string]uint16) {
	t.Helper()
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	files, methods := map[string][]byte{}, map[string]uint16{}
	for _, f := range r.File {
		if files[f.Name] != nil {
			t.Errorf("%s is there twice", f.Name)
		}
		rc, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		if files[f.Name], err = io.ReadAll(rc); err != nil { // verifies the CRC
			t.Errorf("%s: %v", f.Name, err)
		}
		rc.Close()
		methods[f.Name] = f.Method
	}
	return files, methods
}

// table parses a CSV into rows by column name.
func table(t testing.TB, data []byte) (rows []map[string]string) {
	t.Helper()
	if !strings.Contains(string(data), "\r\n") || bytes.HasPrefix(data, []byte("\xef\xbb\xbf")) {
		t.Errorf("lines or mark: %q", data[:min(40, len(data))])
	}
	all, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range all[1:] {
		row := map[string]string{}
		for i, name := range all[0] {
			row[name] = line[i]
		}
		rows = append(rows, row)
	}
	return rows
}

// rule returns a filter rule; value is JSON, "" for none.
func rule(field, operator, value string) string {
	if value != "" {
		value = `,"value":` + value
	}
	return fmt.Sprintf(`{"type":"filter","field":%q,"operator":%q%s}`, field, operator, value)
}

func jsonString(s string) string {
	b, _ := json.Marshal(s) // strings can always be encoded
	return string(b)
}

// behindProxy lets the test choose the client addresses of requests.
func behindProxy(_ *app.Config, o *web.Options) {
	o.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
}

// newKey returns a unique Idempotency-Key.
func newKey() string { return fmt.Sprintf("test-%d", keyNumber.Add(1)) }

// outcome summarizes an operation: state total done unchanged failed percent.
func outcome(a answer) string {
	p := "data.progress."
	return fmt.Sprint(a.get("data.state"), " ",
		a.get(p+"total"), a.get(p+"done"), a.get(p+"unchanged"), a.get(p+"failed"), a.get(p+"percent"))
}

func quoted(list []string) string {
	b, err := json.Marshal(list)
	if err != nil {
		panic(err) // strings can always be encoded
	}
	return string(b)
}

// allBut lists the abilities of an editor except some.
func allBut(without ...dam.Ability) []dam.Ability {
	return slices.DeleteFunc(dam.RoleEditor.Abilities(), func(a dam.Ability) bool { return slices.Contains(without, a) })
}

// filterOfSize returns a valid filter document of n bytes.
func filterOfSize(n int) string {
	doc := `{"type":"filter","field":"asset.title","operator":"in","value":["x"%s]}`
	fill := n - len(doc) + len("%s")
	var b strings.Builder
	for fill > 0 {
		part := min(fill, 900)
		if rest := fill - part; rest > 0 && rest < 4 { // no room for another string
			part -= 4
		}
		b.WriteString(`,"` + strings.Repeat("x", part-3) + `"`)
		fill -= part
	}
	return fmt.Sprintf(doc, b.String())
}

// plain returns a picture of one color with a frame.
func plain(c color.RGBA) []byte {
	img := image.NewRGBA(image.Rect(0, 0, 80, 60))
	for y := range 60 {
		for x := range 80 {
			if img.SetRGBA(x, y, c); x < 8 {
				img.SetRGBA(x, y, color.RGBA{240, 240, 240, 255})
			}
		}
	}
	return encode(img, 95)
}

// names lists a member of a list's items.
func names(a answer, member string) string {
	var list []string
	items, _ := a.get("data").([]any)
	for _, item := range items {
		list = append(list, fmt.Sprint(item.(map[string]any)[member]))
	}
	return strings.Join(list, " ")
}

// unresolved returns a resolver that knows only the names in the hosts file.
func unresolved() *net.Resolver {
	return &net.Resolver{
		PreferGo: true,
		Dial: func(context.Context, string, string) (net.Conn, error) {
			return nil, errors.New("no name server")
		},
	}
}

// hookBody returns the body that registers a webhook.
func hookBody(url string, events ...string) string {
	b, err := json.Marshal(map[string]any{"url": url, "events": events})
	if err != nil {
		panic(err) // cannot happen: strings can be encoded
	}
	return string(b)
}

// eachEvent calls fn with each event of the outbox.
func (s *server) eachEvent(t testing.TB, fn func(*dam.Event)) {
	t.Helper()
	s.records(t, func(tx *storage.Tx) error {
		all, err := tx.Events(0, 1000)
		for _, e := range all {
			fn(e)
		}
		return err
	})
}
