package web_test

import (
	"fmt"
	"maps"
	"net/netip"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/webhook"
	"github.com/digital-asset-library/dal/web"
)

// startHooks starts a server that resolves no host names.
func startHooks(t testing.TB, change func(*app.Config, *web.Options)) *server {
	return start(t, func(cfg *app.Config, o *web.Options) {
		cfg.WebhookResolver = unresolved()
		if change != nil {
			change(cfg, o)
		}
	})
}

var secretForm = regexp.MustCompile(`^whsec_[A-Za-z0-9+/]{44}$`)

// noDelivery is the path of a nonexistent delivery, relative to a webhook.
const noDelivery = "/deliveries/01980a3c-54f0-7c3e-9b1a-6f2d5c7e8a90/redeliver"

func TestWebhook(t *testing.T) {
	t.Parallel()
	s := startHooks(t, nil)
	a := s.do(t, "POST", webhooks, `{
		"url": " https://hooks.example.com/in?a=1 ",
		"events": ["asset.created", "asset.deleted", "asset.created"],
		"description": " The shop "
	}`).want(t, 201)
	for path, want := range map[string]any{
		"url":              "https://hooks.example.com/in?a=1",
		"events":           []any{"asset.created", "asset.deleted"},
		"description":      "The shop",
		"is_active":        true,
		"status":           "active",
		"disabled_reason":  nil,
		"created_by.email": "ada@example.com",
	} {
		if got := a.get("data." + path); !reflect.DeepEqual(got, want) {
			t.Errorf("%s = %v, want %v", path, got, want)
		}
	}
	secret, _ := a.get("data.secret").(string)
	if !secretForm.MatchString(secret) || a.get("data.created_at") != a.get("data.updated_at") {
		t.Errorf("created: %s", a)
	}
	path := fmt.Sprintf("%s/%v", webhooks, a.get("data.id"))

	// The secret is shown only once.
	shown := s.do(t, "GET", path, "").want(t, 200)
	created := a.get("data").(map[string]any)
	delete(created, "secret")
	if !reflect.DeepEqual(shown.get("data"), any(created)) {
		t.Errorf("shown: %s, created: %s", shown.body, a)
	}
	list := s.do(t, "GET", webhooks, "").want(t, 200)
	if !reflect.DeepEqual(list.get("data"), []any{created}) {
		t.Errorf("listed: %s", list)
	}
	for _, b := range []answer{shown, list, s.do(t, "PUT", path, `{"description":"x"}`), s.do(t, "GET", path+"/deliveries", "")} {
		if b.StatusCode != 200 || strings.Contains(string(b.body), "whsec_") || strings.Contains(string(b.body), `"secret"`) {
			t.Errorf("%s %s: %d %s", b.Request.Method, b.Request.URL, b.StatusCode, b)
		}
	}
	b := s.do(t, "POST", path+"/rotate-secret", "").want(t, 200)
	if next, _ := b.get("data.secret").(string); !secretForm.MatchString(next) || next == secret {
		t.Errorf("rotated: %s", b)
	}

	if b := s.do(t, "DELETE", path, "").want(t, 200); b.get("message") != "Webhook deleted." {
		t.Errorf("%s", b)
	}
	for _, r := range []string{
		"GET ", "PUT ", "DELETE ", "GET /deliveries", "POST /test", "POST /rotate-secret", "POST " + noDelivery,
	} {
		method, rest, _ := strings.Cut(r, " ")
		if b := s.do(t, method, path+rest, "").want(t, 404); b.get("message") != "Webhook not found." {
			t.Errorf("%s: %s", r, b)
		}
	}
	if again, _ := s.hook(t, "https://hooks.example.com/", "*"); again == path {
		t.Error("an id was used again")
	}
}

func TestUpdateWebhook(t *testing.T) {
	t.Parallel()
	c := newClock()
	s := startHooks(t, func(cfg *app.Config, o *web.Options) { cfg.Now, o.Now = c.now, c.now })
	path, _ := s.hook(t, "https://hooks.example.com/a", "asset.created", "share.revoked")
	last := s.do(t, "GET", path, "")
	for _, body := range []string{
		"",
		`{}`,
		`{"url":"https://hooks.example.com/a"}`,
		`{"events":["asset.created","share.revoked"]}`,
		`{"is_active":true}`,
		`{"description":null}`,
	} {
		c.ahead.Add(int64(time.Minute))
		if a := s.do(t, "PUT", path, body).want(t, 200); string(a.body) != string(last.body) {
			t.Errorf("%q changed it: %s", body, a)
		}
	}
	for _, tt := range []struct {
		body string
		want map[string]any
	}{
		{`{"url":"https://hooks.example.org/b"}`, map[string]any{"url": "https://hooks.example.org/b"}},
		{`{"events":["*"]}`, map[string]any{"events": []any{"*"}}},
		{`{"description":"d"}`, map[string]any{"description": "d"}},
		{`{"is_active":false}`, map[string]any{"is_active": false, "status": "inactive"}},
		{`{"is_active":true,"description":null}`, map[string]any{"is_active": true, "status": "active", "description": nil}},
	} {
		c.ahead.Add(int64(time.Minute))
		want := maps.Clone(last.get("data").(map[string]any))
		maps.Copy(want, tt.want)
		a := s.do(t, "PUT", path, tt.body).want(t, 200)
		if a.get("data.updated_at") == last.get("data.updated_at") {
			t.Errorf("%s: not dated", tt.body)
		}
		want["updated_at"] = a.get("data.updated_at")
		if !reflect.DeepEqual(a.get("data"), any(want)) {
			t.Errorf("%s: %s, want %v", tt.body, a, want)
		}
		last = a
	}
	s.do(t, "PUT", path, `{"description":"not kept","url":"https://127.0.0.1/"}`).want(t, 422)
	if a := s.do(t, "GET", path, ""); string(a.body) != string(last.body) {
		t.Errorf("a refused change was made: %s", a)
	}
	a := s.do(t, "POST", webhooks, `{"url":"https://hooks.example.com/","events":["*"],"is_active":false}`).want(t, 201)
	if a.get("data.status") != "inactive" || a.get("data.is_active") != false {
		t.Errorf("made inactive: %s", a)
	}
}

// Invalid input, with the key of each error, when creating and when changing.
func TestWebhookValidation(t *testing.T) {
	t.Parallel()
	s := startHooks(t, func(cfg *app.Config, _ *web.Options) {
		cfg.WebhookAllow = []netip.Prefix{netip.MustParsePrefix("10.1.0.0/16")}
	})
	path, _ := s.hook(t, "https://hooks.example.com/", "*")
	const (
		invalid  = "url must be a valid URL."
		notHTTPS = "url must be an https URL."
		internal = "url must not lead to an address that is not public, such as a private, loopback or link-local one."
		form     = "url must have a host name, or an address in its usual form."
		host     = "url must have a valid host name; one with letters other than a to z must be in Punycode."
	)
	type test struct{ body, key, want string }
	tests := map[string]test{
		"url no text": {`{"url":5,"events":["*"]}`, "url", "url must be a string."},
		"url too long": {
			hookBody("https://e.example/"+strings.Repeat("é", 2031), "*"),
			"url", "url may not have more than 2048 characters.",
		},
		"no events":        {hookBody("https://e.example/"), "events", ""},
		"empty events":     {`{"url":"https://e.example/","events":[]}`, "events", "events must have at least 1 item."},
		"events no list":   {`{"url":"https://e.example/","events":"*"}`, "events", "events must be a list."},
		"unknown event":    {hookBody("https://e.example/", "asset.created", "asset.viewed"), "events.1", ""},
		"a group":          {hookBody("https://e.example/", "asset.*"), "events.0", ""},
		"event in capital": {hookBody("https://e.example/", "Asset.Created"), "events.0", ""},
		"event no text":    {`{"url":"https://e.example/","events":[1]}`, "events.0", ""},
		"too many events": {
			hookBody("https://e.example/", slices.Repeat([]string{"*"}, 21)...),
			"events", "events may not have more than 20 items.",
		},
		"description long": {
			`{"url":"https://e.example/","events":["*"],"description":"` + strings.Repeat("é", 1001) + `"}`,
			"description", "description may not have more than 1000 characters.",
		},
		"description": {
			`{"url":"https://e.example/","events":["*"],"description":1}`,
			"description", "description must be a string.",
		},
		"is_active": {
			`{"url":"https://e.example/","events":["*"],"is_active":"yes"}`,
			"is_active", "is_active must be true or false.",
		},
		"is_active null": {`{"url":"https://e.example/","events":["*"],"is_active":null}`, "is_active", ""},
		"own secret":     {`{"url":"https://e.example/","events":["*"],"secret":"x"}`, "secret", "There is no field secret."},
		"own status":     {`{"url":"https://e.example/","events":["*"],"status":"disabled"}`, "status", ""},
	}
	for url, want := range map[string]string{
		"":                                       "url must have at least 1 character.",
		"  ":                                     "",
		"nonsense":                               invalid,
		"hooks.example.com/in":                   invalid,
		"//hooks.example.com/in":                 notHTTPS,
		"https:":                                 invalid,
		"https:///in":                            invalid,
		"https:hooks.example.com/in":             invalid,
		"https://?a=1":                           invalid,
		"https://hooks.example.com:/in":          invalid,
		"https://hooks.example.com:in/":          invalid,
		"https://hooks.example.com/\nX: y":       invalid,
		"https://hooks.example.com\\@127.0.0.1/": invalid,
		"https://hooks example.com/":             invalid,
		"https://[::1/":                          invalid,
		"https://%31%32%37.0.0.1/":               invalid,
		"http://hooks.example.com/in":            notHTTPS,
		"ftp://hooks.example.com/in":             notHTTPS,
		"file:///etc/passwd":                     invalid,
		"https://hooks.example.com:0/":           "url must have a port from 1 to 65535.",
		"https://hooks.example.com:65536/":       "url must have a port from 1 to 65535.",
		"https://ada@hooks.example.com/":         "url must not have a user name or a password.",
		"https://ada:pw@hooks.example.com/":      "url must not have a user name or a password.",
		"https://hooks.example.com@127.0.0.1/":   "url must not have a user name or a password.",
		"https://hooks.example.com/in#part":      "url must not have a fragment.",
		"https://127.0.0.1/":                     internal,
		"https://127.0.0.1:8443/":                internal,
		"HTTPS://10.2.0.1/":                      internal,
		"https://169.254.169.254/latest/":        internal,
		"https://[::1]/":                         internal,
		"https://[::ffff:127.0.0.1]/":            internal,
		"https://[64:ff9b::7f00:1]/":             internal,
		"https://[fe80::1%25eth0]/":              internal,
		"https://localhost/":                     internal,
		"https://LOCALHOST./":                    internal,
		"https://dal.localhost/":                 internal,
		"https://2130706433/":                    form,
		"https://0x7f000001/":                    form,
		"https://0177.0.0.1/":                    form,
		"https://127.1/":                         form,
		"https://127.0.0.1./":                    form,
		"https://./":                             form,
		"https://hooks.example.com../":           form,
		"https://１２７.0.0.1/":                     form,
		"https://127。0。0。1/":                     host,
		"https://bücher.example/":                host,
		"https://hooks..example.com/":            host,
		"https://hooks!.example.com/":            host,
	} {
		tests["url "+url] = test{hookBody(url, "*"), "url", want}
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			for method, path := range map[string]string{"POST": webhooks, "PUT": path} {
				a := s.do(t, method, path, tt.body).want(t, 422)
				errs, _ := a.get("errors").(map[string]any)
				list, _ := errs[tt.key].([]any)
				if len(errs) != 1 || len(list) != 1 || tt.want != "" && list[0] != tt.want {
					t.Errorf("%s: %s; want %s: %q", method, a, tt.key, tt.want)
				}
			}
		})
	}
	for _, tt := range []struct{ method, body, key string }{
		{"POST", `{"events":["*"]}`, "url"}, {"POST", `{"url":"https://e.example/"}`, "events"},
		{"POST", `{"url":null,"events":["*"]}`, "url"}, {"POST", `{"url":"https://e.example/","events":null}`, "events"},
		{"PUT", `{"url":null}`, "url"}, {"PUT", `{"events":null}`, "events"},
	} {
		at := path
		if tt.method == "POST" {
			at = webhooks
		}
		a := s.do(t, tt.method, at, tt.body).want(t, 422)
		if errs, _ := a.get("errors").(map[string]any); len(errs) != 1 || errs[tt.key] == nil {
			t.Errorf("%s %s: %s; want %s", tt.method, tt.body, a, tt.key)
		}
	}
	s.do(t, "POST", webhooks, "").want(t, 400)
	s.do(t, "POST", webhooks, `{"url":`).want(t, 400)
	s.do(t, "POST", webhooks, "url=x", "Content-Type", "text/plain").want(t, 415)
	for _, id := range []string{"0", "-1", "9223372036854775807"} {
		s.do(t, "GET", webhooks+"/"+id, "").want(t, 404)
	}
	if a := s.do(t, "GET", webhooks+"/x", "").want(t, 422); a.get("errors.id.0") != "id must be an integer." {
		t.Errorf("%s", a)
	}
	s.do(t, "POST", path+"/deliveries/nonsense/redeliver", "").want(t, 422)
	if a := s.do(t, "POST", path+noDelivery, "").want(t, 404); a.get("message") != "Delivery not found." {
		t.Errorf("%s", a)
	}
	a := s.do(t, "GET", webhooks, "")
	if a.get("meta.total") != 1.0 || a.get("data.0.url") != "https://hooks.example.com/" {
		t.Errorf("a refused webhook was kept: %s", a)
	}

	for _, url := range []string{
		"https://8.8.8.8/",
		"https://[2606:4700::1111]:8443/in",
		"https://10.1.2.3/",
		"https://[::ffff:10.1.2.3]/",
		"https://Hooks.Example.COM./a b?c",
		"https://my_hooks.example.com/",
		"https://xn--bcher-kva.example/",
		"https://7even.example/",
		"https://e.example/" + strings.Repeat("é", 2030),
	} {
		if a := s.do(t, "POST", webhooks, hookBody(url, "*")).want(t, 201); a.get("data.url") != url {
			t.Errorf("%s came back as %v", url, a.get("data.url"))
		}
	}
}

// Subscribing to a group of events requires the ability to read its resources.
func TestWebhookAbilities(t *testing.T) {
	t.Parallel()
	s := startHooks(t, nil)
	reads := map[string]dam.Ability{
		"asset":      dam.AssetsRead,
		"collection": dam.CollectionsRead,
		"share":      dam.SharesRead,
		"upload":     dam.UploadsManage,
		"operation":  dam.AssetsRead,
	}
	users, err := s.app.Accounts.Users(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	token := func(abilities ...dam.Ability) string {
		plain, err := s.app.Accounts.CreateToken(t.Context(), dam.Actor{User: users[0]}, &dam.Token{Name: "test", Abilities: abilities})
		if err != nil {
			t.Fatal(err)
		}
		return plain
	}
	subscribe := func(token string, want int, events ...string) answer {
		t.Helper()
		return s.as(t, token, "POST", webhooks, hookBody("https://hooks.example.com/", events...)).want(t, want)
	}
	for _, e := range dam.Values[dam.EventType]() {
		group, _, _ := strings.Cut(string(e), ".")
		need := reads[group]
		if need == "" { // webhook.test events are about the webhook itself
			subscribe(token(dam.AnalyticsRead), 201, string(e))
			continue
		}
		without := token(slices.DeleteFunc(dam.Values[dam.Ability](), func(a dam.Ability) bool { return a == need })...)
		if a := subscribe(without, 403, string(e)); fmt.Sprint(a.get("required_abilities")) != "["+string(need)+"]" {
			t.Errorf("%s: %s", e, a)
		}
		subscribe(without, 403, "webhook.test", string(e))
		subscribe(token(need), 201, string(e))
	}
	few := token(dam.AssetsRead, dam.SharesRead)
	if a := subscribe(few, 403, "*"); fmt.Sprint(a.get("required_abilities")) != "[collections:read uploads:manage]" {
		t.Errorf("%s", a)
	}
	// No token has abilities that its user lacks.
	viewer := s.user(t, "viewer@example.com", dam.RoleViewer)
	for _, events := range [][]string{{"*"}, {"upload.batch.completed"}} {
		if a := subscribe(viewer, 403, events...); fmt.Sprint(a.get("required_abilities")) != "[]" {
			t.Errorf("%s", a)
		}
	}
	subscribe(viewer, 201, "asset.created", "collection.updated", "share.created", "operation.completed")

	// A token that may not read its events can read a webhook but not use it.
	path, _ := s.hook(t, "https://hooks.example.com/", "asset.created", "upload.batch.completed")
	s.as(t, few, "GET", path, "").want(t, 200)
	s.as(t, few, "GET", webhooks, "").want(t, 200)
	for _, r := range []string{"PUT ", "DELETE ", "GET /deliveries", "POST /test", "POST /rotate-secret", "POST " + noDelivery} {
		method, rest, _ := strings.Cut(r, " ")
		if a := s.as(t, few, method, path+rest, "").want(t, 403); fmt.Sprint(a.get("required_abilities")) != "[uploads:manage]" {
			t.Errorf("%s: %s", r, a)
		}
	}
	// It can neither remove nor add subscriptions to events that it may not read.
	s.as(t, few, "PUT", path, `{"events":["asset.created"]}`).want(t, 403)
	s.do(t, "PUT", path, `{"events":["asset.created"]}`).want(t, 200)
	s.as(t, few, "PUT", path, `{"description":"now it may"}`).want(t, 200)
	s.as(t, few, "PUT", path, `{"events":["upload.batch.completed"]}`).want(t, 403)
	if a := s.do(t, "GET", path, ""); fmt.Sprint(a.get("data.events")) != "[asset.created]" || a.get("data.description") != "now it may" {
		t.Errorf("%s", a)
	}
}

// A user without access to its events any more can still delete a webhook.
func TestDeleteWebhookAfterDemotion(t *testing.T) {
	t.Parallel()
	s := startHooks(t, nil)
	bob := s.user(t, "bob@example.com", dam.RoleEditor)
	path, _ := s.hookAs(t, bob, "https://hooks.example.com/", "upload.batch.completed")
	s.role(t, "bob@example.com", dam.RoleViewer)
	login := `{"email":"bob@example.com","password":"correct horse battery"}`
	session := s.as(t, "", "POST", "/api/v1/session", login).want(t, 201).Cookies()[0]
	cookie := session.Name + "=" + session.Value
	s.as(t, bob, "DELETE", path, "").want(t, 403)
	s.as(t, "", "PUT", path, `{"is_active":false}`, "Cookie", cookie).want(t, 403)
	s.as(t, "", "DELETE", path, "", "Cookie", cookie).want(t, 200)
	s.as(t, "", "GET", path, "", "Cookie", cookie).want(t, 404)
}

// Webhooks of other users are accessible only in an administrator's session.
func TestWebhooksAreOnesOwn(t *testing.T) {
	t.Parallel()
	s := startHooks(t, nil)
	bob := s.user(t, "bob@example.com", dam.RoleEditor)
	bobs, _ := s.hookAs(t, bob, "https://bob.example.com/", "asset.created")
	adas, _ := s.hook(t, "https://ada.example.com/", "asset.created")
	for path, token := range map[string]string{bobs: s.token, adas: bob} {
		for _, r := range []string{
			"GET ", "PUT ", "DELETE ", "GET /deliveries", "POST /test", "POST /rotate-secret", "POST " + noDelivery,
		} {
			method, rest, _ := strings.Cut(r, " ")
			if a := s.as(t, token, method, path+rest, "").want(t, 404); a.get("message") != "Webhook not found." {
				t.Errorf("%s: %s", r, a)
			}
		}
		s.as(t, token, "PUT", path, `{"url":"https://stolen.example.com/"}`).want(t, 404)
		own := s.as(t, token, "GET", webhooks, "").want(t, 200)
		if own.get("meta.total") != 1.0 || strings.HasSuffix(path, fmt.Sprintf("/%v", own.get("data.0.id"))) {
			t.Errorf("%s", own.body)
		}
	}
	session := s.do(t, "POST", "/api/v1/session", `{"email":"ada@example.com","password":"correct horse battery"}`).want(t, 201).Cookies()[0]
	cookie := session.Name + "=" + session.Value
	all := s.as(t, "", "GET", webhooks, "", "Cookie", cookie).want(t, 200)
	if all.get("meta.total") != 2.0 {
		t.Errorf("%s", all.body)
	}
	if all.get("data.0.created_by.email") != "ada@example.com" || all.get("data.1.created_by.email") != "bob@example.com" {
		t.Errorf("%s", all.body)
	}
	s.as(t, "", "PUT", bobs, `{"is_active":false}`, "Cookie", cookie).want(t, 200)
	stopped := s.as(t, bob, "GET", bobs, "").want(t, 200)
	if stopped.get("data.status") != "inactive" || stopped.get("data.created_by.email") != "bob@example.com" {
		t.Errorf("%s", stopped)
	}
	s.as(t, "", "DELETE", bobs, "", "Cookie", cookie).want(t, 200)
	s.as(t, bob, "GET", bobs, "").want(t, 404)
	login := `{"email":"bob@example.com","password":"correct horse battery"}`
	other := s.as(t, "", "POST", "/api/v1/session", login).want(t, 201).Cookies()[0]
	s.as(t, "", "GET", adas, "", "Cookie", other.Name+"="+other.Value).want(t, 404)
}

func TestWebhookLimit(t *testing.T) {
	t.Parallel()
	s := startHooks(t, nil)
	var last string
	for i := range webhook.MaxWebhooks {
		last, _ = s.hook(t, fmt.Sprintf("https://hooks.example.com/%d", i), "asset.created")
	}
	a := s.do(t, "POST", webhooks, hookBody("https://hooks.example.com/", "*")).want(t, 422)
	if a.get("errors.body.0") != "A user can have at most 100 webhooks; delete one first." {
		t.Errorf("%s", a)
	}
	s.hookAs(t, s.user(t, "bob@example.com", dam.RoleViewer), "https://hooks.example.com/", "asset.created")

	// Newest first, by page.
	want := webhook.MaxWebhooks
	for page := 1; page <= 4; page++ {
		a := s.do(t, "GET", fmt.Sprintf("%s?per_page=30&page=%d", webhooks, page), "").want(t, 200)
		if a.get("meta.total") != 100.0 || a.get("meta.last_page") != 4.0 || a.get("meta.current_page") != float64(page) {
			t.Errorf("page %d: %s", page, a)
		}
		for _, h := range a.get("data").([]any) {
			want--
			if url := h.(map[string]any)["url"]; url != fmt.Sprintf("https://hooks.example.com/%d", want) {
				t.Errorf("page %d has %v, want %d", page, url, want)
			}
		}
	}
	if want != 0 {
		t.Errorf("%d are on no page", want)
	}
	for _, query := range []string{"per_page=101", "per_page=0", "page=0", "page=x"} {
		s.do(t, "GET", webhooks+"?"+query, "").want(t, 422)
		s.do(t, "GET", last+"/deliveries?"+query, "").want(t, 422)
	}
	s.do(t, "DELETE", last, "").want(t, 200)
	s.hook(t, "https://hooks.example.com/", "*")
}
