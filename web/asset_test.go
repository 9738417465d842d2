package web_test

import (
	"bytes"
	"fmt"
	"image/jpeg"
	"strings"
	"testing"

	"github.com/digital-asset-library/dal/app/dam"
)

// The main workflow, as a newcomer would run it with curl.
func TestMainJob(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	data := picture(1, 2000, 1000)
	id := s.batch(t, `{"name":"first","metadata":{"project":"Apollo"},"expected_files":1}`)
	a := s.push(t, id, upload{"Harbour_at_dawn.jpg", data}).want(t, 201)
	if a.get("data.0.status") != "queued" || a.get("data.0.filename") != "Harbour_at_dawn.jpg" {
		t.Fatalf("%s", a)
	}
	a = s.until(t, fmt.Sprintf("/api/v1/upload-batches/%v", id), func(a answer) bool { return a.get("data.status") == "completed" })
	if a.get("data.counts.ready") != 1.0 {
		t.Fatalf("%s", a)
	}
	a = s.do(t, "GET", "/api/v1/assets?q=harbours", "").want(t, 200)
	gaid, _ := a.get("data.0.gaid").(string)
	if a.get("meta.total") != 1.0 || gaid == "" || a.get("data.0.matched_on.0") != "title" {
		t.Fatalf("search: %s", a)
	}
	path := "/api/v1/assets/" + gaid
	a = s.do(t, "GET", path, "").want(t, 200)
	for field, want := range map[string]any{
		"title": "Harbour at dawn", "width": 2000.0, "height": 1000.0,
		"mime_type": "image/jpeg", "file_category": "Image", "file_size": float64(len(data)),
		"metadata.project": "Apollo", "owner.email": "ada@example.com",
		"workflow_status": "draft", "processing_status": "ready", "version": 1.0,
	} {
		if got := a.get("data." + field); got != want {
			t.Errorf("%s = %v, want %v", field, got, want)
		}
	}
	if a = s.do(t, "GET", path+"/download", "").want(t, 200); !bytes.Equal(a.body, data) {
		t.Error("the original came back changed")
	}
	for kind, long := range map[string]int{"thumbnail": 320, "preview": 1600} {
		a = s.do(t, "GET", path+"/download?rendition="+kind, "").want(t, 200)
		c, err := jpeg.DecodeConfig(bytes.NewReader(a.body))
		if err != nil || c.Width != long || c.Height != long/2 {
			t.Errorf("%s: %d × %d, %v", kind, c.Width, c.Height, err)
		}
	}
	a = s.do(t, "PUT", path, `{
		"title": "Dusk",
		"keywords": ["Sea","sea "," boat"],
		"creator": "Ada",
		"metadata": {"project":null,"rating":5}
	}`).want(t, 200)
	if a.get("data.title") != "Dusk" || fmt.Sprint(a.get("data.keywords")) != "[Sea boat]" || a.get("data.version") != 2.0 ||
		fmt.Sprint(a.get("data.metadata")) != "map[rating:5]" {
		t.Errorf("update: %s", a)
	}
	if a = s.do(t, "GET", "/api/v1/assets?q=boats", ""); a.get("meta.total") != 1.0 || a.get("data.0.matched_on.0") != "keywords" {
		t.Errorf("an update is not found: %s", a)
	}
	a = s.do(t, "PUT", path, `{"creator":null,"title":null}`).want(t, 200)
	if a.get("data.creator") != nil || a.get("data.title") != "Harbour at dawn" || fmt.Sprint(a.get("data.keywords")) != "[Sea boat]" {
		t.Errorf("null and absent: %s", a)
	}
	if a = s.do(t, "DELETE", path, "").want(t, 200); a.get("message") != "Asset deleted." {
		t.Errorf("%s", a)
	}
	s.do(t, "GET", path+"/download", "").want(t, 200) // available until permanently deleted, to users with permission to restore it
	looks := s.user(t, "looks@example.com", dam.RoleViewer)
	for token, p := range map[string]string{s.token: path, looks: path + "/download"} {
		if a = s.as(t, token, "GET", p, "").want(t, 404); a.get("message") != "Asset not found." {
			t.Errorf("%s", a)
		}
	}
	if n := s.do(t, "GET", "/api/v1/assets", "").get("meta.total"); n != 0.0 {
		t.Errorf("%v live assets", n)
	}
	if n := s.do(t, "GET", "/api/v1/assets?trashed=only", "").get("meta.total"); n != 1.0 {
		t.Errorf("%v assets in the trash", n)
	}
	s.do(t, "POST", path+"/restore", "").want(t, 200)
	s.do(t, "POST", path+"/restore", "").want(t, 409)
	s.do(t, "GET", path, "").want(t, 200)
	s.do(t, "DELETE", path+"?force=true", "").want(t, 200)
	s.do(t, "GET", path+"?trashed=with", "").want(t, 404)
	report, err := s.app.Maintenance.Check(t.Context(), true, func(p string) { t.Error(p) }, func(int64, int64) {})
	if err != nil || report.Blobs != 0 {
		t.Errorf("after the last asset: %+v, %v", report, err)
	}
}

// A table of requests and their answers, mostly errors.
func TestRequests(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	gaid := s.one(t, "a.jpg", picture(1, 40, 30))
	asset := "/api/v1/assets/" + gaid
	const none = "Unknown parameter: this operation takes none."
	unknown := "?"
	for i := range 500 {
		unknown += fmt.Sprintf("x%d=&", i)
	}
	viewer := s.user(t, "viewer@example.com", dam.RoleViewer)
	reader := s.user(t, "reader@example.com", dam.RoleEditor, dam.AssetsRead)
	tests := []struct {
		name, token, method, path, body string
		status                          int
		where, want                     string // path into the answer, and its expected value
	}{
		{"no token", "-", "GET", "/api/v1/user", "", 401, "message", "Unauthenticated."},
		{"nonsense token", "dal_1_x", "GET", "/api/v1/user", "", 401, "message", "Unauthenticated."},
		{"wrong secret", "dal_1_" + strings.Repeat("A", 43), "GET", "/api/v1/user", "", 401, "message", "Unauthenticated."},
		{"user", "", "GET", "/api/v1/user", "", 200, "data.email", "ada@example.com"},
		{"missing ability", reader, "PUT", asset, `{"title":"x"}`, 403, "required_abilities", "[assets:write]"},
		{"missing role", viewer, "PUT", asset, `{"title":"x"}`, 403, "required_abilities", "[]"},
		{"audit is for admins", viewer, "GET", "/api/v1/audit-logs", "", 403, "required_abilities", "[]"},
		{"per_page too large", "", "GET", "/api/v1/assets?per_page=101", "", 422,
			"errors.per_page.0", "per_page may not be greater than 100."},
		{"per_page no number", "", "GET", "/api/v1/assets?per_page=x", "", 422, "errors.per_page.0", "per_page must be an integer."},
		{"page zero", "", "GET", "/api/v1/assets?page=0", "", 422, "errors.page.0", "page may not be less than 1."},
		{"q too long", "", "GET", "/api/v1/assets?q=" + strings.Repeat("x", 501), "", 422,
			"message", "q may not have more than 500 characters."},
		{"sort unknown", "", "GET", "/api/v1/assets?sort_by=nope", "", 422, "errors.sort_by.0",
			"The selected sort_by is invalid; it must be one of created_at, updated_at, capture_date, " +
				"title, original_filename, size, rating, usage_until, relevance."},
		{"two errors", "", "GET", "/api/v1/assets?per_page=0&page=0", "", 422,
			"message", "page may not be less than 1. (and 1 more error)"},
		{"empty parameter is absent", "", "GET", "/api/v1/assets?per_page=&q=", "", 200, "meta.per_page", "24"},
		{"unknown parameter", "", "GET", "/api/v1/audit-logs?page=1&nope=1", "", 422, "errors.nope.0",
			"Unknown parameter: this operation takes page, per_page, user_id, token_id, method, event, account, status, changes, from, to."},
		{"two unknown parameters", "", "GET", "/api/v1/user?nope=1&%zz&nope=2&", "", 422, "message", none + " (and 1 more error)"},
		{"unknown parameter that is badly escaped", "", "GET", "/api/v1/user?%zz&%FF", "", 422, "errors.%zz.0", none},
		{"unknown parameter without a value", "", "GET", "/api/v1/user?nope", "", 422, "errors.nope.0", none},
		{"unknown parameter without a name", "", "GET", "/api/v1/user?=1", "", 422, "errors.query.0", none},
		{"unknown parameter of a write", "", "DELETE", asset + "?forse=1", "", 422, "errors.forse.0",
			"Unknown parameter: this operation takes force."},
		{"unknown parameters are counted", "", "GET", "/api/v1/user" + unknown, "", 422, "message", none + " (and 499 more errors)"},
		{"unknown parameters are bounded", "", "GET", "/api/v1/user" + unknown, "", 422, "errors.x100", "<nil>"},
		{"mime", "", "GET", "/api/v1/assets?mime_type=IMAGE/", "", 200, "meta.total", "1"},
		{"mime none", "", "GET", "/api/v1/assets?mime_type=video", "", 200, "meta.total", "0"},
		{"class none", "", "GET", "/api/v1/assets?asset_class_id=7", "", 200, "meta.total", "0"},
		{"batch", "", "GET", "/api/v1/assets?ingestion_batch_id=1", "", 200, "meta.total", "1"},
		{"unknown asset", "", "GET", "/api/v1/assets/01ARZ3NDEKTSV4RRFFQ69G5FAV", "", 404, "message", "Asset not found."},
		{"unknown asset, odd name", "", "GET", "/api/v1/assets/%00%2e%2e", "", 404, "message", "Asset not found."},
		{"update unknown", "", "PUT", "/api/v1/assets/nope", `{}`, 404, "message", "Asset not found."},
		{"delete unknown", "", "DELETE", "/api/v1/assets/nope", "", 404, "message", "Asset not found."},
		{"force-delete unknown", "", "DELETE", "/api/v1/assets/nope?force=1", "", 404, "message", "Asset not found."},
		{"bad JSON", "", "PUT", asset, `{"title":`, 400, "message", "The request body is not valid JSON."},
		{"unknown field", "", "PUT", asset, `{"titel":"x"}`, 422, "errors.titel.0", "There is no field titel."},
		{"wrong type", "", "PUT", asset, `{"title":5}`, 422, "errors.title.0", "title must be a string."},
		{"empty title", "", "PUT", asset, `{"title":""}`, 422, "errors.title.0", "title is required."},
		{"bad status", "", "PUT", asset, `{"workflow_status":"gone"}`, 422, "errors.workflow_status.0",
			"The selected workflow_status is invalid; it must be one of draft, in_review, approved, rejected, archived."},
		{"bad metadata key", "", "PUT", asset, `{"metadata":{"Bad Key":1}}`, 422, "message",
			"A metadata key must start with a letter and may only have lower-case letters, digits and underscores, 64 at most."},
		{"nested metadata", "", "PUT", asset, `{"metadata":{"a":{"b":1}}}`, 422,
			"message", "The value must be a text, a number, a boolean or a list of texts."},
		{"unknown owner", "", "PUT", asset, `{"owner_id":99}`, 422, "errors.owner_id.0", "The selected owner_id is invalid."},
		{"unknown class", "", "PUT", asset, `{"asset_class_id":99}`, 422, "errors.asset_class_id.0", "The selected asset_class_id is invalid."},
		{"empty update", "", "PUT", asset, `{}`, 200, "data.version", "1"},
		{"update without body", "", "PUT", asset, "", 200, "data.version", "1"},
		{"bad rendition", "", "GET", asset + "/download?rendition=huge", "", 422,
			"message", "The selected rendition is invalid; it must be one of thumbnail, preview, large, poster, page, proxy."},
		{"wrong method", "", "PATCH", asset, "", 405, "message", "Method not allowed."},
		{"unknown path", "", "GET", "/api/v1/nope", "", 404, "message", "Not found."},
		{"unknown batch", "", "GET", "/api/v1/upload-batches/99", "", 404, "message", "Upload batch not found."},
		{"batch id no number", "", "GET", "/api/v1/upload-batches/x", "", 422, "errors.batch.0", "batch must be an integer."},
		{"batch with unknown collection", "", "POST", "/api/v1/upload-batches", `{"collection_ids":[5]}`, 422,
			"message", "The selected collection 5 is invalid."},
		{"batch expects too many", "", "POST", "/api/v1/upload-batches", `{"expected_files":10001}`, 422,
			"message", "expected_files must be between 1 and 10000."},
		{"others' batch", viewer, "GET", "/api/v1/upload-batches/1", "", 403, "required_abilities", "[]"},
		{"token unknown", "", "DELETE", "/api/v1/tokens/999", "", 404, "message", "Token not found."},
		{"token without body", "", "POST", "/api/v1/tokens", "", 400, "message", "The request body is required."},
		{"token without abilities", "", "POST", "/api/v1/tokens", `{"name":"x"}`, 422, "errors.abilities.0", "abilities is required."},
		{"token with nonsense ability", "", "POST", "/api/v1/tokens", `{"name":"x","abilities":["assets:fly"]}`, 422,
			"message", "The selected abilities.0 is invalid; it must be one of assets:read, assets:write, assets:delete, " +
				"assets:download, collections:read, collections:write, collections:delete, uploads:manage, metadata:read, " +
				"metadata:write, shares:read, shares:manage, analytics:read, consents:read."},
		{"token in the past", "", "POST", "/api/v1/tokens",
			`{"name":"x","abilities":["assets:read"],"expires_at":"2020-01-01T00:00:00Z"}`, 422,
			"errors.expires_at.0", "expires_at must be a date in the future."},
		{"escalation by token", reader, "POST", "/api/v1/tokens", `{"name":"x","abilities":["assets:read","assets:write"]}`, 403,
			"required_abilities", "[assets:write]"},
		{"escalation by user", viewer, "POST", "/api/v1/tokens", `{"name":"x","abilities":["assets:write"]}`, 403,
			"message", "Your role, viewer, lacks assets:write."},
		{"health", "-", "GET", "/healthz", "", 200, "message", "ok"},
		{"ready", "-", "GET", "/readyz", "", 200, "message", "ready"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			token := s.token
			switch tt.token {
			case "-":
				token = ""
			case "":
			default:
				token = tt.token
			}
			a := s.as(t, token, tt.method, tt.path, tt.body)
			if got := fmt.Sprint(a.get(tt.where)); a.StatusCode != tt.status || got != tt.want {
				t.Errorf("%s %s = %d, %s %q; want %d, %q\n%s", tt.method, tt.path, a.StatusCode, tt.where, got, tt.status, tt.want, a)
			}
			if a.Header.Get("X-Request-Id") == "" {
				t.Error("no X-Request-Id")
			}
			if token == s.token && strings.HasPrefix(tt.path, "/api/v1") && a.Header.Get("X-RateLimit-Remaining") == "" {
				t.Error("no X-RateLimit-Remaining")
			}
			if a.StatusCode == 401 && a.Header.Get("WWW-Authenticate") != "Bearer" {
				t.Error("no WWW-Authenticate")
			}
			if a.StatusCode == 405 && !strings.Contains(strings.Join(a.Header.Values("Allow"), ","), "PUT") {
				t.Error("no Allow")
			}
		})
	}
}

func TestConditionalRequests(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	data := picture(2, 300, 200)
	path := "/api/v1/assets/" + s.one(t, "a.jpg", data)
	tag := s.do(t, "GET", path, "").Header.Get("ETag")
	s.do(t, "GET", path, "", "If-None-Match", tag).want(t, 304)
	s.do(t, "PUT", path, `{"title":"b"}`, "If-Match", tag).want(t, 200)
	s.do(t, "PUT", path, `{"title":"c"}`, "If-Match", tag).want(t, 412)
	s.do(t, "GET", path, "", "If-None-Match", tag).want(t, 200)

	file := path + "/download"
	a := s.do(t, "GET", file, "", "Range", "bytes=10-19").want(t, 206)
	if !bytes.Equal(a.body, data[10:20]) {
		t.Errorf("range: % x", a)
	}
	fileTag := a.Header.Get("ETag")
	s.do(t, "GET", file, "", "If-None-Match", fileTag).want(t, 304)
	a = s.do(t, "GET", file, "", "Range", "bytes=99999999-").want(t, 416)
	if a.get("message") != "The range is not satisfiable." {
		t.Errorf("416: %s", a)
	}
	a = s.do(t, "HEAD", file, "").want(t, 200)
	if a.ContentLength != int64(len(data)) || len(a.body) != 0 {
		t.Errorf("HEAD: %d bytes announced, %d sent", a.ContentLength, len(a.body))
	}
	for h, want := range map[string]string{
		"X-Content-Type-Options": "nosniff",
		"Content-Disposition":    `attachment; filename="a.jpg"`,
		"Content-Type":           "image/jpeg",
	} {
		if got := a.Header.Get(h); got != want {
			t.Errorf("%s: %q, want %q", h, got, want)
		}
	}
	if csp := a.Header.Get("Content-Security-Policy"); !strings.Contains(csp, "sandbox") || !strings.Contains(csp, "default-src 'none'") {
		t.Errorf("Content-Security-Policy: %q", csp)
	}
}

func TestPagination(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	var files []upload
	for i := range 5 {
		files = append(files, upload{fmt.Sprintf("p%d.jpg", i), picture(i, 20, 20)})
	}
	s.ingest(t, files...)
	a := s.do(t, "GET", "/api/v1/assets?per_page=2&page=2&sort_by=title&mime_type=image", "").want(t, 200)
	for path, want := range map[string]any{
		"meta.total":          5.0,
		"meta.current_page":   2.0,
		"meta.last_page":      3.0,
		"meta.from":           3.0,
		"meta.to":             4.0,
		"data.0.title":        "p2",
		"links.prev":          s.URL + "/api/v1/assets?mime_type=image&page=1&per_page=2&sort_by=title",
		"links.next":          s.URL + "/api/v1/assets?mime_type=image&page=3&per_page=2&sort_by=title",
		"meta.links.0.label":  "&laquo; Previous",
		"meta.links.2.active": true,
		"meta.path":           s.URL + "/api/v1/assets",
	} {
		if got := a.get(path); got != want {
			t.Errorf("%s = %v, want %v", path, got, want)
		}
	}
	a = s.do(t, "GET", "/api/v1/assets?page=9", "").want(t, 200)
	if a.get("meta.from") != nil || len(a.get("data").([]any)) != 0 || a.get("links.next") != nil {
		t.Errorf("beyond the end: %s", a)
	}
	if got := s.do(t, "GET", "/api/v1/assets?sort_by=title&sort_direction=desc", "").get("data.0.title"); got != "p4" {
		t.Errorf("descending begins with %v", got)
	}
}

func TestFilenames(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	tests := []struct{ sent, kept string }{
		{"../../etc/passwd.jpg", "passwd.jpg"},
		{`C:\temp\x.jpg`, "x.jpg"},
		{"nul\x00byte.jpg", "nulbyte.jpg"},
		{"right\u202egpj.jpg", "rightgpj.jpg"},
		{"smörgås 写真 🙂.jpg", "smörgås 写真 🙂.jpg"},
		{strings.Repeat("é", 200) + ".jpg", strings.Repeat("é", 125) + ".jpg"},
		{`quo"te.jpg`, `quo"te.jpg`},
	}
	for i, tt := range tests {
		f := s.ingest(t, upload{tt.sent, picture(i+10, 16, 16)})[0]
		if f["filename"] != tt.kept || f["status"] != "ready" {
			t.Errorf("%q is kept as %q, %v; want %q", tt.sent, f["filename"], f["error"], tt.kept)
			continue
		}
		a := s.do(t, "GET", fmt.Sprintf("/api/v1/assets/%v/download", f["gaid"]), "").want(t, 200)
		d := a.Header.Get("Content-Disposition")
		for _, c := range d {
			if c < ' ' || c > '~' {
				t.Errorf("%q: Content-Disposition %q has a character that headers must not", tt.sent, d)
			}
		}
		if !strings.HasPrefix(d, "attachment; filename") {
			t.Errorf("%q: %q", tt.sent, d)
		}
	}
}

func TestPagesHaveHeaders(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	for _, path := range []string{"/", "/docs", "/docs/api.json", "/docs/redoc.standalone.js", "/healthz", "/api/v1/user", "/nope"} {
		a := s.do(t, "GET", path, "")
		csp := a.Header.Get("Content-Security-Policy")
		if a.Header.Get("X-Content-Type-Options") != "nosniff" || !strings.Contains(csp, "frame-ancestors 'none'") {
			t.Errorf("%s: %v", path, a.Header)
		}
	}
}

// The trash shows pictures, but offers no files.
func TestPicturesOfTheTrash(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	viewer := s.user(t, "viewer@example.com", dam.RoleViewer)
	path := "/api/v1/assets/" + s.one(t, "a.jpg", picture(1, 400, 300))
	s.do(t, "DELETE", path, "").want(t, 200)
	list := s.as(t, viewer, "GET", "/api/v1/assets?trashed=only", "").want(t, 200)
	for name, status := range map[string]int{"thumbnail": 200, "preview": 200, "original": 404} {
		url, ok := list.get("data.0.urls." + name).(string)
		if !ok {
			t.Fatalf("%s: %s", name, list)
		}
		s.as(t, viewer, "GET", strings.TrimPrefix(url, s.URL), "").want(t, status)
		s.do(t, "GET", strings.TrimPrefix(url, s.URL), "").want(t, 200)
	}
	s.as(t, viewer, "GET", path+"/download?rendition=preview&embed_metadata=1", "").want(t, 404)
	s.as(t, viewer, "GET", path+"/download?rendition=large", "").want(t, 404)
	s.as(t, s.user(t, "none@example.com", dam.RoleViewer, dam.AssetsRead), "GET", path+"/download?rendition=thumbnail", "").want(t, 403)
}
