package web_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"io"
	"log/slog"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/textproto"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/web"
)

// server is a whole dal on an empty folder, run as dal serve does.
type server struct {
	*httptest.Server
	app   *app.App
	dir   string
	token string // of an admin, with all abilities
}

// start starts a server; change may adjust what it is told.
func start(t testing.TB, change func(*app.Config, *web.Options)) *server {
	t.Helper()
	s := run(t, change)
	s.token = s.user(t, "ada@example.com", dam.RoleAdmin)
	return s
}

// run is start without the admin, who may be there already.
func run(t testing.TB, change func(*app.Config, *web.Options)) *server {
	t.Helper()
	log := slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn}))
	cfg := app.Config{DataDir: t.TempDir(), Log: log, Workers: 2}
	opt := web.Options{Log: log, RateLimit: 1_000_000}
	if change != nil {
		change(&cfg, &opt)
	}
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
	go func() { done <- a.Run(ctx, h.ShowEvent) }()
	s := &server{Server: httptest.NewServer(h), app: a, dir: cfg.DataDir}
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
	})
	return s
}

// user makes a user and returns a token with all that the role may do.
func (s *server) user(t testing.TB, email string, role dam.Role, abilities ...dam.Ability) string {
	t.Helper()
	u := &dam.User{Name: "Test", Email: email, Role: role}
	if err := s.app.CreateUser(t.Context(), u, "correct horse battery"); err != nil {
		t.Fatal(err)
	}
	if abilities == nil {
		abilities = role.Abilities()
	}
	plain, err := s.app.CreateToken(t.Context(), dam.Actor{User: u}, &dam.Token{Name: "test", Abilities: abilities})
	if err != nil {
		t.Fatal(err)
	}
	return plain
}

// answer is a response with its body read.
type answer struct {
	*http.Response
	body []byte
}

// get returns the value at a path such as "data.0.title", nil without it.
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

// do sends a request as the admin and holds the answer to the contract.
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
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := loadContract()
	if err != nil {
		t.Fatal(err)
	}
	if err := doc.check(req, res, body); err != nil {
		t.Errorf("%s %s %d breaks the contract: %v\n%s", req.Method, req.URL.Path, res.StatusCode, err, body)
	}
	return answer{res, body}
}

// want fails unless the answer has a status.
func (a answer) want(t testing.TB, status int) answer {
	t.Helper()
	if a.StatusCode != status {
		t.Fatalf("%s %s = %d, want %d: %s", a.Request.Method, a.Request.URL.Path, a.StatusCode, status, a.body)
	}
	return a
}

// upload is a file to push.
type upload struct {
	name string
	data []byte
}

// push sends files into a batch as one multipart form.
func (s *server) push(t testing.TB, batch any, files ...upload) answer {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for _, f := range files {
		h := textproto.MIMEHeader{}
		h.Set("Content-Disposition", fmt.Sprintf(`form-data; name="file"; filename="%s"`, strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(f.name)))
		if strings.Contains(f.name, "\x00") { // which no header may have as it is
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

// finish closes a batch and waits for its end.
func (s *server) finish(t testing.TB, batch any) answer {
	t.Helper()
	path := fmt.Sprintf("/api/v1/upload-batches/%v", batch)
	s.do(t, "POST", path+"/complete", "").want(t, 200)
	return s.until(t, path, func(a answer) bool { return a.get("data.completed_at") != nil })
}

// until polls a path until its answer is as wanted.
func (s *server) until(t testing.TB, path string, done func(answer) bool) answer {
	t.Helper()
	deadline := time.After(60 * time.Second)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		a := s.do(t, "GET", path, "").want(t, 200)
		if done(a) {
			return a
		}
		select {
		case <-deadline:
			t.Fatalf("%s did not come to it: %s", path, a.body)
		case <-tick.C:
		}
	}
}

// ingest brings files in and returns the batch's file entries.
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

// one brings one file in and returns its GAID.
func (s *server) one(t testing.TB, name string, data []byte) string {
	t.Helper()
	f := s.ingest(t, upload{name, data})[0]
	gaid, ok := f["gaid"].(string)
	if !ok || f["status"] != "ready" {
		t.Fatalf("%s: %v", name, f)
	}
	return gaid
}

// picture makes a JPEG that differs with its seed.
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
