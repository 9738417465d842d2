package web_test

import (
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/web"
)

// members returns an object with n unknown members.
func members(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `,"k%d":1`, i)
	}
	return "{" + b.String()[1:] + "}"
}

// TestUnknownMembersAreLinear checks that the cost of an invalid body is proportional to
// its size and that the answer lists at most a hundred errors.
func TestUnknownMembersAreLinear(t *testing.T) {
	s := start(t, nil)
	allocated := func(n int) uint64 {
		var before, after runtime.MemStats
		body := members(n)
		runtime.ReadMemStats(&before)
		a := s.as(t, "", "POST", "/api/v1/session", body).want(t, 422)
		runtime.ReadMemStats(&after)
		if len(a.body) > 16<<10 {
			t.Errorf("%d members: %d bytes of answer", n, len(a.body))
		}
		errs, _ := a.get("errors").(map[string]any)
		if len(errs) > dam.MaxProblems {
			t.Errorf("%d members: %d errors", n, len(errs))
		}
		if n > 200 { // all but the first, and the required email and password
			if want := fmt.Sprintf("(and %d more errors)", n+1); !strings.HasSuffix(a.get("message").(string), want) {
				t.Errorf("%d members: %v, want %s", n, a.get("message"), want)
			}
		}
		return after.TotalAlloc - before.TotalAlloc
	}
	allocated(10)
	few, many := allocated(150), allocated(1500)
	if many > 12*few {
		t.Errorf("1500 members take %d bytes, 150 take %d", many, few)
	}
}

// TestBodyTypes checks that a body's shape is checked for every spelling of its media type.
func TestBodyTypes(t *testing.T) {
	s := start(t, nil)
	for _, kind := range []string{
		"application/json", "application/problem+json; charset=utf-8",
		"x+application/json", "x+json", "x+", "x+;a=b",
	} {
		a := s.do(t, "POST", "/api/v1/collections", `{"name":"a","name":"b"}`, "Content-Type", kind)
		if msg := "name occurs twice."; a.StatusCode != 422 || a.get("message") != msg {
			t.Errorf("%s: %d %s", kind, a.StatusCode, a)
		}
	}
	s.do(t, "POST", "/api/v1/collections", `{"name":"a","name":"b"}`, "Content-Type", "text/plain").want(t, 415)
}

// TestBodyBounds checks the limits of each body.
func TestBodyBounds(t *testing.T) {
	s := start(t, nil)
	gaid := s.one(t, "a.jpg", picture(1, 8, 8))
	asset, gaids := "/api/v1/assets/"+gaid, "/api/v1/collections/1/assets"
	list := func(item string, n int) string { return "[" + strings.Repeat(item+",", n-1) + item + "]" }
	long := func(n int) string {
		words := make([]string, n)
		for i := range words {
			words[i] = fmt.Sprintf(`"%d%s"`, i, strings.Repeat("x", 300))
		}
		return "[" + strings.Join(words, ",") + "]"
	}
	for _, c := range []struct {
		name, method, path, body string
		status                   int
		errors                   int    // in the answer
		part                     string // of the answer
	}{
		{"a million wrong gaids", "POST", "/api/v1/operations",
			`{"type":"bulk_delete","selection":{"gaids":` + list("1", 1_000_000) + `}}`, 422, 1, "100000"},
		{"wrong gaids", "POST", gaids, `{"gaids":` + list("1", 900) + `}`, 422, 100, "(and 899 more errors)"},
		{"too many gaids", "POST", gaids, `{"gaids":` + list("1", 1001) + `}`, 422, 1, "1000"},
		{"too many keywords", "PUT", asset, `{"keywords":` + list("1", 400_000) + `}`, 422, 1, "500"},
		{"long keywords", "PUT", asset, `{"keywords":` + long(400) + `}`, 422, 100, "(and 399 more errors)"},
		{"metadata", "PUT", asset, `{"metadata":{"k":` + list("1", 400_000) + `}}`, 422, 1, "200000"},
		{"metadata keys", "PUT", asset + "/metadata", strings.ReplaceAll(members(150), `"k`, `"K`), 422, 100, "(and 149 more errors)"},
		{"a long name", "PUT", asset, `{"` + strings.Repeat("n", 500_000) + `":1}`, 422, 1, "…"},
		{"a member twice", "PUT", asset, `{"title":"a","title":"b"}`, 422, 1, "twice"},
		{"a deep list", "PUT", asset, strings.Repeat("[", 5_000) + strings.Repeat("]", 5_000), 400, 0, "64"},
		{"a deep object", "PUT", asset, strings.Repeat(`{"a":`, 5_000) + "1" + strings.Repeat("}", 5_000), 400, 0, "64"},
		{"a list without an end", "PUT", asset, strings.Repeat("[", 20_000), 400, 0, "not valid JSON"},
		{"an object without an end", "PUT", asset, strings.Repeat(`{"a":`, 20_000), 400, 0, "not valid JSON"},
		{"a list of filters", "GET",
			"/api/v1/assets?filters=" + `{"type":"group","operator":"and","rules":` + list("1", 20_000) + `}`, "",
			422, 100, "more errors)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := s.do(t, c.method, strings.ReplaceAll(c.path, `"`, "%22"), c.body, "Idempotency-Key", "k").want(t, c.status)
			if len(a.body) > 64<<10 {
				t.Errorf("%d bytes of answer", len(a.body))
			}
			errs, _ := a.get("errors").(map[string]any)
			if len(errs) != c.errors {
				t.Errorf("%d errors, want %d: %.300s", len(errs), c.errors, a)
			}
			if !strings.Contains(string(a.body), c.part) {
				t.Errorf("no %q in %.300s", c.part, a)
			}
		})
	}
}

// TestAbsentBodies checks that unauthorized callers are refused before their body arrives,
// and that the server gives up on bodies that do not arrive.
func TestAbsentBodies(t *testing.T) {
	s := start(t, func(_ *app.Config, opt *web.Options) { opt.Stall = 200 * time.Millisecond })
	viewer := s.user(t, "viewer@example.com", dam.RoleViewer)
	for _, c := range []struct {
		name, head, body string
		status           int
	}{
		{"nobody", "PUT /api/v1/assets/X HTTP/1.1\r\nContent-Length: 1000\r\n", "", 401},
		{"without the ability", "PUT /api/v1/assets/X HTTP/1.1\r\nContent-Length: 1000\r\nAuthorization: Bearer " + viewer + "\r\n", "", 403},
		{"an upload without the ability", "POST /api/v1/upload-batches/1/files HTTP/1.1\r\n" +
			"Content-Type: multipart/form-data; boundary=x\r\nTransfer-Encoding: chunked\r\n" +
			"Authorization: Bearer " + viewer + "\r\n", "", 403},
		{"nowhere", "PUT /nowhere HTTP/1.1\r\nContent-Length: 1000\r\n", "", 404},
		{"no such method", "PATCH /api/v1/user HTTP/1.1\r\nContent-Length: 1000\r\n", "", 405},
		{"a JSON body", "PUT /api/v1/assets/X HTTP/1.1\r\nContent-Length: 1000\r\nAuthorization: Bearer " + s.token + "\r\n", `{"ti`, 408},
		{"a log-in", "POST /api/v1/session HTTP/1.1\r\nContent-Length: 1000\r\n", `{"em`, 408},
		{"a large log-in", "POST /api/v1/session HTTP/1.1\r\nContent-Length: 100000\r\n", "", 413},
		{"a body where none is asked for", "POST /api/v1/upload-batches/1/complete HTTP/1.1\r\n" +
			"Content-Length: 1000\r\nAuthorization: Bearer " + s.token + "\r\n", "", 408},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			conn, r := s.dial(t, c.head+"Host: x\r\n\r\n"+c.body)
			res, err := http.ReadResponse(r, nil)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := io.Copy(io.Discard, res.Body); err != nil || res.StatusCode != c.status {
				t.Fatalf("%d %v, want %d", res.StatusCode, err, c.status)
			}
			if _, err := r.ReadByte(); err != io.EOF { // closed by the server
				t.Errorf("the connection is held: %v", err)
			}
			conn.Close()
		})
	}
}

// TestBodyKeepsConnection checks that a connection is reused after the body was read.
func TestBodyKeepsConnection(t *testing.T) {
	s := start(t, nil)
	bearer := "Authorization: Bearer " + s.token + "\r\n"
	create := "POST /api/v1/upload-batches HTTP/1.1\r\nHost: x\r\n" + bearer + "Content-Length: 2\r\n\r\n{}"
	complete := "POST /api/v1/upload-batches/1/complete HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n" + bearer + "\r\nabc"
	_, r := s.dial(t, strings.Repeat(create+complete, 2))
	for i, status := range []int{201, 200, 201, 200} {
		res, err := http.ReadResponse(r, nil)
		if err != nil {
			t.Fatal(i, err)
		}
		if io.Copy(io.Discard, res.Body); res.StatusCode != status || res.Close {
			t.Errorf("answer %d: %d, closing %v", i, res.StatusCode, res.Close)
		}
	}
}

// TestSilentReader checks that an answer is aborted if its client stops reading.
func TestSilentReader(t *testing.T) {
	s := start(t, func(_ *app.Config, opt *web.Options) { opt.Stall = 200 * time.Millisecond })
	gaid := s.one(t, "noise.bin.jpg", append(picture(1, 64, 64), make([]byte, 24<<20)...))
	path := "/api/v1/assets/" + gaid + "/download"
	if a := s.do(t, "GET", path, "").want(t, 200); len(a.body) < 24<<20 {
		t.Fatalf("%d bytes", len(a.body))
	}
	_, r := s.dial(t, "GET "+path+" HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "+s.token+"\r\n\r\n")
	s.until(t, "/api/v1/audit-logs?method=GET", func(a answer) bool { return strings.Count(string(a.body), path) == 2 })
	res, err := http.ReadResponse(r, nil)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := io.Copy(io.Discard, res.Body); err == nil {
		t.Errorf("all %d bytes came", n)
	}
}

func FuzzShape(f *testing.F) {
	for _, body := range []string{
		`{}`,
		`{"title":"a","keywords":["b"],"metadata":{"c":[1,{"d":null}]}}`,
		`{"a":1,"a":2}`,
		`[[[`,
		`{"title":`,
		` { "a\\"b" : [ -1.5e3 , true , { } , "\\\\" ] } `,
		`{"x":{"y":`,
		`null`,
		`1e999`,
		`"\ud800"`,
		members(120),
	} {
		f.Add(body)
	}
	s := start(f, nil)
	f.Fuzz(func(t *testing.T, body string) {
		a := s.do(t, "PUT", "/api/v1/assets/01KB3J8Q5V7X9Z1B3D5F7H9K1M", body)
		if a.StatusCode >= 500 || len(a.body) > 64<<10 {
			t.Errorf("%d with %d bytes", a.StatusCode, len(a.body))
		}
	})
}
