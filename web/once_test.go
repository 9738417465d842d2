package web_test

import (
	"bytes"
	"context"
	"fmt"
	"mime/multipart"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
	"github.com/digital-asset-library/dal/web"
)

const idempotent = "Idempotency-Key"

// again fails the test unless a replays the answer first.
func (a answer) again(t testing.TB, first answer) {
	t.Helper()
	if a.Header.Get("Idempotency-Replayed") != "true" || first.Header.Get("Idempotency-Replayed") != "" {
		t.Errorf("replayed: %v, first %v", a.Header, first.Header)
	}
	if a.StatusCode != first.StatusCode || string(a.body) != string(first.body) ||
		a.Header.Get("Location") != first.Header.Get("Location") || a.Header.Get("Content-Type") != first.Header.Get("Content-Type") {
		t.Errorf("%d %v %s, first %d %v %s", a.StatusCode, a.Header, a, first.StatusCode, first.Header, first)
	}
}

func TestKeysOfCreation(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	batch := fmt.Sprint(s.batch(t, `{}`))
	for i, tt := range []struct{ path, body, other, rows string }{
		{"/api/v1/collections", `{"name":"A","description":"x"}`, `{"name":"B"}`, `collections`},
		{"/api/v1/tokens", `{"name":"t","abilities":["assets:read"]}`, `{"name":"u","abilities":["assets:read"]}`, `tokens`},
		{"/api/v1/webhooks", hookBody("https://example.com/", "asset.created"), hookBody("https://example.org/", "asset.created"), `webhooks`},
		{"/api/v1/shares", `{"name":"m","type":"upload"}`, `{"name":"n","type":"upload"}`, `shares`},
		{"/api/v1/upload-batches", `{"name":"b"}`, `{"name":"c"}`, `upload_batches`},
		{"/api/v1/saved-searches", `{"name":"s","query":{"q":"x"}}`, `{"name":"t","query":{"q":"x"}}`, `saved_searches`},
		{"/api/v1/upload-batches/" + batch + "/complete", "", `{}`, `upload_batches`},
	} {
		key := fmt.Sprint("key ", i)
		first := s.do(t, "POST", tt.path, tt.body, idempotent, key)
		if first.StatusCode >= 300 {
			t.Fatalf("%s: %s", tt.path, first)
		}
		n := s.count(t, `SELECT count(*) FROM `+tt.rows)
		spaced := strings.ReplaceAll(tt.body, `":`, `" : `)
		s.do(t, "POST", tt.path, spaced, idempotent, key).again(t, first)
		if m := s.count(t, `SELECT count(*) FROM `+tt.rows); m != n {
			t.Errorf("%s: %d rows, then %d", tt.path, n, m)
		}
		if tt.body == "" {
			continue
		}
		if a := s.do(t, "POST", tt.path, tt.other, idempotent, key).want(t, 422); a.get("code") != string(dam.IdempotencyConflict) {
			t.Errorf("%s with another body: %s", tt.path, a)
		}
	}
	// The same body at another path is another request.
	s.do(t, "POST", "/api/v1/collection-types", `{"name":"A","description":"x"}`, idempotent, "key 0").want(t, 422)
	// Keys are scoped to a user.
	eve := s.user(t, "eve@example.com", dam.RoleEditor)
	if a := s.as(t, eve, "POST", "/api/v1/collections", `{"name":"E"}`, idempotent, "key 0"); a.StatusCode != 201 {
		t.Errorf("another user's key: %s", a)
	}
}

// A request that failed or changed nothing does not use up its key.
func TestKeyOfFailureIsFree(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	s.do(t, "POST", "/api/v1/collections", `{"name":""}`, idempotent, "k").want(t, 422)
	s.do(t, "POST", "/api/v1/collections", `{"name":"A","parent_id":77}`, idempotent, "k").want(t, 422)
	first := s.do(t, "POST", "/api/v1/collections", `{"name":"A"}`, idempotent, "k").want(t, 201)
	s.do(t, "POST", "/api/v1/collections", `{"name":"A"}`, idempotent, "k").again(t, first)
	for _, key := range []string{"", strings.Repeat("k", 256), "a\tb"} {
		if a := s.do(t, "POST", "/api/v1/collections", `{"name":"A"}`, idempotent, key).want(t, 422); a.told(idempotent) == "" {
			t.Errorf("%q: %s", key, a)
		}
	}
}

// An answer is stored encrypted with the caller's credentials: the database does not
// contain its secrets, and another token of the user cannot read them.
func TestKeyedSecretIsSealed(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	ada := s.user(t, "flo@example.com", dam.RoleEditor)
	body := `{"name":"t","abilities":["assets:read"]}`
	first := s.as(t, ada, "POST", "/api/v1/tokens", body, idempotent, "k").want(t, 201)
	secret := first.get("data.plain_text_token").(string)
	other, _ := s.mint(t, ada, `{"name":"other","abilities":["assets:read"]}`)
	a := s.as(t, other, "POST", "/api/v1/tokens", body, idempotent, "k").want(t, 409)
	if a.get("code") != string(dam.IdempotencyLost) || strings.Contains(string(a.body), secret) {
		t.Errorf("with another token: %s", a)
	}
	s.as(t, ada, "POST", "/api/v1/tokens", body, idempotent, "k").again(t, first)
	var sealed []byte
	must(t, s.db(t).QueryRowContext(t.Context(), `SELECT answer FROM idempotency_keys WHERE key = 'k'`).Scan(&sealed))
	if len(sealed) == 0 || bytes.Contains(sealed, []byte(secret)) || bytes.Contains(sealed, []byte("assets:read")) {
		t.Errorf("stored: %q", sealed)
	}
}

// form posts a multipart form with one file and a new boundary.
func (s *server) form(t testing.TB, path, name, data string, header ...string) answer {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	p, err := w.CreateFormFile("file", name)
	must(t, err)
	fmt.Fprint(p, data)
	w.Close()
	return s.do(t, "POST", path, b.String(), append(header, "Content-Type", w.FormDataContentType())...)
}

// A form with another boundary is the same request; one with other bytes is not.
func TestKeysOfUploads(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	batch := fmt.Sprintf("/api/v1/upload-batches/%v", s.batch(t, `{"allow_duplicates":true}`))
	data := string(picture(3, 640, 480))
	first := s.form(t, batch+"/files", "a.jpg", data, idempotent, "k").want(t, 201)
	s.form(t, batch+"/files", "a.jpg", data, idempotent, "k").again(t, first)
	s.form(t, batch+"/files", "b.jpg", data, idempotent, "k").want(t, 422)
	s.form(t, batch+"/files", "a.jpg", data+"x", idempotent, "k").want(t, 422)
	if n := s.count(t, `SELECT count(*) FROM batch_files`); n != 1 {
		t.Errorf("%d files", n)
	}
	table := s.form(t, "/api/v1/import-files", "t.csv", "gaid,title\nx,y\n", idempotent, "table").want(t, 201)
	s.form(t, "/api/v1/import-files", "t.csv", "gaid,title\nx,y\n", idempotent, "table").again(t, table)

	begin := func(length string) answer {
		return s.do(t, "POST", batch+"/tus/", "", "Tus-Resumable", "1.0.0", "Upload-Length", length, idempotent, "tus")
	}
	upload := begin("10").want(t, 201)
	begin("10").again(t, upload)
	begin("11").want(t, 422)
}

func TestKeysAreBoundedAndExpire(t *testing.T) {
	t.Parallel()
	s, c := standing(t, nil)
	s.do(t, "POST", "/api/v1/collections", `{"name":"first"}`, idempotent, "first").want(t, 201)
	store := s.store(t)
	must(t, store.Update(t.Context(), func(tx *storage.Tx) error {
		for i := range 10_200 {
			if err := tx.ClaimIdempotencyKey(1, fmt.Sprint(i), make([]byte, 32), 10_000); err != nil {
				return err
			}
		}
		return nil
	}))
	if n := s.count(t, `SELECT count(*) FROM idempotency_keys WHERE key = 'first'`); n != 0 {
		t.Error("the oldest key is still there")
	}
	last := s.do(t, "POST", "/api/v1/collections", `{"name":"last"}`, idempotent, "last").want(t, 201)
	if n := s.count(t, `SELECT count(*) FROM idempotency_keys`); n > 10_100 {
		t.Errorf("%d keys", n)
	}
	c.pass(25 * time.Hour)
	if a := s.do(t, "POST", "/api/v1/collections", `{"name":"last"}`, idempotent, "last").want(t, 201); string(a.body) == string(last.body) {
		t.Errorf("after a day: %s", a)
	}
	must(t, s.app.Maintenance.Tidy(t.Context()))
	if n := s.count(t, `SELECT count(*) FROM idempotency_keys`); n != 1 {
		t.Errorf("%d keys are kept", n)
	}
}

// A request with a key is completed even if its client disconnects, so that the client gets
// the answer when it retries.
func TestKeyedRequestGoesOnWithoutItsClient(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	store := s.store(t)
	ctx, leave := context.WithCancel(t.Context())
	gone := make(chan error, 1)
	send := func(ctx context.Context) (*http.Response, error) {
		req, err := http.NewRequestWithContext(ctx, "POST", s.URL+"/api/v1/collections", strings.NewReader(`{"name":"A"}`))
		must(t, err)
		req.Header = http.Header{"Content-Type": {"application/json"}, "Authorization": {"Bearer " + s.token}, idempotent: {"k"}}
		return s.Client().Do(req)
	}
	must(t, store.Update(t.Context(), func(*storage.Tx) error { // holds the write lock
		go func() { // retries while the loop below uses the key
			for {
				res, err := send(ctx)
				if err != nil {
					gone <- err
					return
				}
				res.Body.Close()
			}
		}()
		for s.do(t, "POST", "/api/v1/tokens", `{}`, idempotent, "k").StatusCode != 409 { // until the first request is in progress
		}
		leave()
		<-gone
		return nil
	}))
	for {
		a := s.do(t, "POST", "/api/v1/collections", `{"name":"A"}`, idempotent, "k")
		if a.get("code") == string(dam.IdempotencyInFlight) {
			continue
		}
		if a.want(t, 201).Header.Get("Idempotency-Replayed") != "true" {
			t.Errorf("the client's second try: %v %s", a.Header, a)
		}
		return
	}
}

// Every POST that may create something accepts a key, and the document says so.
func TestKeysInTheDocument(t *testing.T) {
	t.Parallel()
	srv, err := web.New(nil, web.DefaultOptions())
	must(t, err)
	doc, err := openapi3.NewLoader().LoadFromData(srv.OpenAPI())
	must(t, err)
	without := []string{"acceptInvitation", "countAssets", "createSession", "planMetadataField", "setUp", "signIIIF", "signImages"}
	var found []string
	for path, item := range doc.Paths.Map() {
		op := item.Post
		if op == nil {
			continue
		}
		if op.Parameters.GetByInAndName("header", idempotent) == nil {
			found = append(found, op.OperationID)
			continue
		}
		for code, r := range op.Responses.Map() {
			if code[0] == '2' && r.Value.Headers["Idempotency-Replayed"] == nil {
				t.Errorf("%s %s: no Idempotency-Replayed", path, code)
			}
		}
		if op.Responses.Value("409") == nil {
			t.Errorf("%s: no 409", path)
		}
	}
	if slices.Sort(found); !slices.Equal(found, without) {
		t.Errorf("without a key: %q, want %q", found, without)
	}
}
