package web_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
)

// video uploads a video and returns the path of its embed.
func (s *server) video(t testing.TB) (gaid, embed string) {
	t.Helper()
	gaid = s.one(t, "a.mp4", mediaSample(t.(*testing.T), "a.mp4"))
	return gaid, assets + "/" + gaid + "/embed"
}

// player returns the path of an embed's page.
func (s *server) player(t testing.TB, a answer) string {
	t.Helper()
	page, ok := strings.CutPrefix(fmt.Sprint(a.get("data.url")), s.URL)
	if !ok || !strings.HasPrefix(page, "/embed/") || len(page) < 30 {
		t.Fatalf("the URL is %v", a.get("data.url"))
	}
	return page
}

func (s *server) expiry(t testing.TB, a answer) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339, fmt.Sprint(a.get("data.expires_at")))
	must(t, err)
	return at
}

// An embed is created once, reused, extended near its expiry, recreated and revoked,
// following the table in the contract; each user has their own.
func TestEmbedStates(t *testing.T) {
	t.Parallel()
	s, clock := standing(t, nil)
	_, path := s.video(t)
	none := func(a answer) {
		t.Helper()
		if a.want(t, 404).get("message") != "No embed code exists for this asset." {
			t.Error(a)
		}
	}
	none(s.do(t, "GET", path, ""))
	none(s.do(t, "DELETE", path, ""))
	first := s.do(t, "POST", path, "").want(t, 201)
	if got := s.expiry(t, first).Sub(clock.now()).Round(time.Hour); got != 90*24*time.Hour ||
		!strings.HasSuffix(first.Header.Get("Location"), path) {
		t.Errorf("it lasts for %v, %v", got, first.Header)
	}
	if a := s.do(t, "GET", path, "").want(t, 200); !bytes.Equal(a.body, first.body) {
		t.Errorf("%s is not %s", a, first)
	}
	clock.pass(75 * 24 * time.Hour)
	again := s.do(t, "POST", path, `{"force_new":false}`).want(t, 201)
	if !bytes.Equal(again.body, first.body) {
		t.Errorf("it is not reused as it was: %s, %s", first, again)
	}
	clock.pass(2 * 24 * time.Hour)
	again = s.do(t, "POST", path, `{"autoplay":true}`).want(t, 201)
	if got := s.expiry(t, again).Sub(clock.now()).Round(time.Hour); got != 90*24*time.Hour ||
		again.get("data.url") != first.get("data.url") || again.get("data.autoplay") != true {
		t.Errorf("it lasts for %v: %s", got, again)
	}

	editor := s.user(t, "ed@example.com", dam.RoleEditor)
	none(s.as(t, editor, "GET", path, ""))
	none(s.as(t, editor, "DELETE", path, ""))
	theirs := s.as(t, editor, "POST", path, "{}").want(t, 201)
	if theirs.get("data.url") == first.get("data.url") {
		t.Error("two users have the same embed")
	}

	fresh := s.do(t, "POST", path, `{"force_new":true}`).want(t, 201)
	g := s.guest(t)
	g.get(t, s.player(t, first)).want(t, 404)
	g.get(t, s.player(t, fresh)).want(t, 200)
	g.get(t, s.player(t, theirs)).want(t, 200)
	if a := s.do(t, "DELETE", path, "").want(t, 200); a.get("message") != "Embed code revoked." {
		t.Error(a)
	}
	none(s.do(t, "GET", path, ""))
	none(s.do(t, "DELETE", path, ""))
	g.get(t, s.player(t, fresh)).want(t, 404)
	if a := s.as(t, editor, "GET", path, "").want(t, 200); a.get("data.view_count") != 1.0 {
		t.Error(a)
	}
	want := "[share.created 1 share.created 2 share.revoked 1 share.created 3 share.revoked 3]"
	if got := s.shareEvents(t); fmt.Sprint(got) != want {
		t.Errorf("the events are %v", got)
	}
	clock.pass(91 * 24 * time.Hour)
	none(s.as(t, editor, "GET", path, ""))
	g.get(t, s.player(t, theirs)).want(t, 404)
}

// Only videos can be embedded, only by users with the ability, and errors name their
// fields.
func TestEmbedRefusals(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	gaid, path := s.video(t)
	picture := assets + "/" + s.pictures(t, 1)[0] + "/embed"
	if a := s.do(t, "POST", picture, "").want(t, 422); a.told("gaid") == "" {
		t.Error(a)
	}
	s.do(t, "GET", picture, "").want(t, 404)
	s.do(t, "POST", assets+"/01KB3J8Q5V7X9Z1B3D5F7H9K1M/embed", "").want(t, 404)
	for body, field := range map[string]string{
		`{"width":49}`: "width", `{"height":10001}`: "height", `{"width":"wide"}`: "width", `{"width":1.5}`: "width",
		`{"autoplay":"yes"}`: "autoplay", `{"autoplay":null}`: "autoplay", `{"force_new":1}`: "force_new",
		`{"expires_at":"2020-01-01T00:00:00Z"}`: "expires_at", `{"expires_at":null}`: "expires_at", `{"expires_at":"never"}`: "expires_at",
		`{"allowed_origins":null}`: "allowed_origins", `{"allowed_origins":"https://a.example"}`: "allowed_origins",
		`{"allowed_origins":[` + strings.Repeat(`"https://a.example",`, 20) + `"https://a.example"]}`: "allowed_origins",
		`{"title":"x"}`: "title",
	} {
		if a := s.do(t, "POST", path, body); a.StatusCode != 422 || a.get("errors").(map[string]any)[field] == nil {
			t.Errorf("%s: %s", body, a)
		}
	}
	for _, origin := range []string{
		"", "*", "null", "a.example", "http://a.example", "https://*.example", "https://", "https://a.example/", "https://a.example/path",
		"https://a.example;script-src *", "https://a.example;", "https://a.example *", " https://a.example", "https://a.example\\n",
		"https://a.example\\r\\nSet-Cookie: x=1", "https://a.example,https://b.example", "https://u:p@a.example", "https://a.example:",
		"https://a.example:0", "https://a.example:65536", "https://a.example:443443", "https://-a.example", "https://a..example",
		"https://[::1]", "https://ä.example", "javascript:alert(1)", "https:a.example", "https://a.example?q", "https://a.example#f",
		"http://localhost.example", "http://localhost@evil.example", "https://'self'", "https://a_b.example",
		"https://" + strings.Repeat("a", 300),
	} {
		a := s.do(t, "POST", path, `{"allowed_origins":["https://ok.example","`+origin+`"]}`).want(t, 422)
		if a.told("allowed_origins.1") == "" {
			t.Errorf("%q: %s", origin, a)
		}
	}
	s.do(t, "GET", path, "").want(t, 404)

	token := func(abilities string) string {
		plain, _ := s.mint(t, s.token, `{"name":"part","abilities":["`+abilities+`"]}`)
		return plain
	}
	reading, managing, other := token("shares:read"), token("shares:manage"), token("assets:download")
	made := s.as(t, managing, "POST", path, "").want(t, 201)
	if strings.Contains(fmt.Sprint(made.get("data.html")), `title="Halves"`) {
		t.Errorf("a token that reads no assets is told the title: %s", made)
	}
	s.as(t, managing, "GET", path, "").lacks(t, "GET", dam.SharesRead)
	s.as(t, reading, "GET", path, "").want(t, 200)
	s.as(t, reading, "POST", path, "").lacks(t, "POST", dam.SharesManage)
	s.as(t, reading, "DELETE", path, "").lacks(t, "DELETE", dam.SharesManage)
	for _, method := range []string{"GET", "POST", "DELETE"} {
		s.as(t, other, method, path, "").want(t, 403)
		s.as(t, "", method, path, "").want(t, 401)
	}
	viewer := s.user(t, "vi@example.com", dam.RoleViewer)
	s.as(t, viewer, "POST", path, "").want(t, 403)
	s.as(t, viewer, "GET", path, "").want(t, 404)

	// It is a share, but it is neither listed among those of other types nor editable like
	// them.
	id := fmt.Sprintf("%s/%v", shares, made.get("data.id"))
	s.total(t, s.token, shares, 0)
	s.total(t, s.token, shares+"?type=embed", 1)
	if a := s.do(t, "GET", id, "").want(t, 200); a.get("data.type") != "embed" || a.get("data.url") != made.get("data.url") ||
		a.get("data.gaids.0") != gaid || a.get("data.name") != "Halves" {
		t.Error(a)
	}
	if a := s.as(t, reading, "GET", id, "").want(t, 200); a.get("data.name") != "Video" {
		t.Error(a)
	}
	s.do(t, "PUT", id, `{"allow_download":true}`).want(t, 409)
	s.do(t, "POST", shares, shareOf(`,"type":"embed"`, gaid)).want(t, 422)
	page := s.player(t, made)
	s.guest(t).get(t, "/s/"+strings.TrimPrefix(page, "/embed/")).want(t, 404)
	_, ordinary := s.share(t, shareOf("", gaid))
	s.guest(t).get(t, "/embed/"+strings.TrimPrefix(ordinary, "/s/")).want(t, 404)
	s.do(t, "DELETE", id, "").want(t, 200)
	s.guest(t).get(t, page).want(t, 404)
	s.do(t, "GET", path, "").want(t, 404)
}

// The player's page needs no scripts and no other site, stores nothing in the browser, and
// can be embedded by the allowed sites.
func TestEmbedPlayer(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	gaid, path := s.video(t)
	s.do(t, "PUT", assets+"/"+gaid, `{"title":"A \"boat\" <script>alert(1)</script>"}`).want(t, 200)
	made := s.do(t, "POST", path, "").want(t, 201)
	snippet := fmt.Sprint(made.get("data.html"))
	want := fmt.Sprintf(`<iframe src="%s" width="640" height="%v" title="A &#34;boat&#34; &lt;script&gt;alert(1)&lt;/script&gt;"`,
		made.get("data.url"), made.get("data.height"))
	if !strings.HasPrefix(snippet, want) || made.get("data.width") != 640.0 || fmt.Sprint(made.get("data.allowed_origins")) != "[]" {
		t.Errorf("%s is not %s", snippet, want)
	}
	page := s.player(t, made)
	g := s.guest(t)
	a := g.get(t, page).want(t, 200)
	if csp := a.Header.Get("Content-Security-Policy"); !strings.HasSuffix(csp, "; frame-ancestors *") ||
		!strings.HasPrefix(csp, "default-src 'none'") {
		t.Error(csp)
	}
	if h := a.Header; h["X-Frame-Options"] != nil || h["Set-Cookie"] != nil || !strings.Contains(h.Get("X-Robots-Tag"), "noindex") ||
		h.Get("Cache-Control") != "private, no-store" {
		t.Errorf("%v", h)
	}
	body := string(a.body)
	if strings.Contains(body, "<script") || strings.Contains(body, " autoplay") || !strings.Contains(body, "<video controls") {
		t.Error(body)
	}
	for _, m := range regexp.MustCompile(`(?:src|href|poster)="([^"]*)"`).FindAllStringSubmatch(body, -1) {
		at, ok := strings.CutPrefix(html.UnescapeString(m[1]), s.URL)
		if !ok && !strings.HasPrefix(m[1], "/") {
			t.Errorf("it leads to %s", m[1])
		}
		if g.get(t, at).want(t, 200).Header["Set-Cookie"] != nil {
			t.Errorf("%s sets a cookie", at)
		}
	}

	s.do(t, "POST", path, `{"allowed_origins":["https://Shop.example","http://localhost:3000","https://shop.example"],"autoplay":true,
		"width":800,"height":300}`).want(t, 201)
	a = g.get(t, page).want(t, 200)
	csp := a.Header.Get("Content-Security-Policy")
	if !strings.HasSuffix(csp, "; frame-ancestors https://shop.example http://localhost:3000") {
		t.Error(csp)
	}
	if !strings.Contains(string(a.body), " autoplay muted") {
		t.Errorf("%s", a.body)
	}
	for start, want := range map[string]string{
		"90": `video#t=90"`, "1.5": `video#t=1.5"`, "-1": `video"`, "x": `video"`, `1"onload="x`: `video"`, "NaN": `video"`, "Inf": `video"`,
	} {
		if a := g.get(t, page+"?start="+url.QueryEscape(start)).want(t, 200); !strings.Contains(string(a.body), `src="`+page+"/"+want) {
			t.Errorf("%s: %s", start, a.body)
		}
	}

	for _, name := range []string{"Halves", "Blue"} { // in the file's metadata
		whole := g.get(t, page+"/video").want(t, 200)
		if !bytes.Contains(mediaSample(t, "a.mp4"), []byte(name)) || bytes.Contains(whole.body, []byte(name)) ||
			whole.Header.Get("Content-Type") != "video/mp4" || len(whole.body) < 3000 {
			t.Errorf("%s: %d bytes, %v", name, len(whole.body), whole.Header)
		}
	}
	g.header.Set("Range", "bytes=4-7")
	if a := g.get(t, page+"/video").want(t, 206); string(a.body) != "ftyp" || a.Header.Get("Cross-Origin-Resource-Policy") != "same-origin" {
		t.Errorf("%q, %v", a.body, a.Header)
	}
	g.header.Del("Range")
	if a := g.get(t, page+"/poster").want(t, 200); !bytes.HasPrefix(a.body, []byte("\xff\xd8")) {
		t.Errorf("%q", beginning(a.body))
	}
	for _, path := range []string{page + "/", page + "/download", page + "/assets/" + gaid, page + "x", "/embed/", "/embed/%2e%2e/video"} {
		a := g.get(t, path).want(t, 404)
		if csp := a.Header.Get("Content-Security-Policy"); !strings.HasSuffix(csp, "frame-ancestors *") || a.Header["X-Frame-Options"] != nil {
			t.Errorf("%s: %v", path, a.Header)
		}
	}
	g.ask(t, "HEAD", page, "").want(t, 405)
}

// A video that browsers cannot play has no player, and its original is not exposed; if a
// playable copy exists, that is played.
func TestEmbedOfWhatBrowsersDoNotPlay(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	path := assets + "/" + s.one(t, "a.avi", mediaSample(t, "a.avi")) + "/embed"
	page := s.player(t, s.do(t, "POST", path, "").want(t, 201))
	g := s.guest(t)
	g.header.Set("Accept-Language", "de")
	if a := g.get(t, page).want(t, 200); strings.Contains(string(a.body), "<video") || !strings.Contains(string(a.body), "nicht abspielen") {
		t.Errorf("%s", a.body)
	}
	g.get(t, page+"/video").want(t, 404)

	with := start(t, withFFmpeg(t))
	asset := assets + "/" + with.one(t, "a.avi", mediaSample(t, "a.avi"))
	proxy := with.do(t, "GET", with.proxy(t, asset), "").want(t, 200)
	page = with.player(t, with.do(t, "POST", asset+"/embed", "").want(t, 201))
	a := with.guest(t).get(t, page+"/video").want(t, 200)
	if !bytes.Equal(a.body, proxy.body) || a.Header.Get("Content-Type") != "video/mp4" {
		t.Errorf("it is not the copy: %v", a.Header)
	}
}

// Each page view is counted before it is sent, and nothing else is counted.
func TestEmbedCounts(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	_, path := s.video(t)
	page := s.player(t, s.do(t, "POST", path, "").want(t, 201))
	const loads = 200
	var all sync.WaitGroup
	for range loads {
		all.Go(func() {
			req, err := http.NewRequestWithContext(t.Context(), "GET", s.URL+page, nil)
			if err != nil {
				t.Error(err)
				return
			}
			res, err := s.Client().Do(req)
			if err != nil {
				t.Error(err)
				return
			}
			defer res.Body.Close()
			if _, err := io.Copy(io.Discard, res.Body); err != nil || res.StatusCode != 200 {
				t.Error(res.StatusCode, err)
			}
		})
	}
	all.Wait()
	g := s.guest(t)
	g.get(t, page+"/video").want(t, 200)
	g.get(t, page+"/poster").want(t, 200)
	g.get(t, "/oembed?url="+url.QueryEscape(s.URL+page)).want(t, 200)
	if got := s.do(t, "GET", path, "").want(t, 200).get("data.view_count"); got != float64(loads) {
		t.Errorf("%v views are counted, not %d", got, loads)
	}
	if n := s.count(t, "SELECT count(*) FROM share_access"); n != 0 {
		t.Errorf("%d viewers are recorded", n)
	}
}

// All URLs of an embed stop working with the embed, its owner, the video or its license.
func TestEmbedsEnd(t *testing.T) {
	t.Parallel()
	s, clock := standing(t, nil)
	editor := s.user(t, "ed@example.com", dam.RoleEditor)
	g := s.guest(t)
	for name, end := range map[string]func(gaid, path string){
		"revoked":  func(_, path string) { s.as(t, editor, "DELETE", path, "").want(t, 200) },
		"trashed":  func(gaid, _ string) { s.do(t, "DELETE", assets+"/"+gaid, "").want(t, 200) },
		"deleted":  func(gaid, _ string) { s.do(t, "DELETE", assets+"/"+gaid+"?force=true", "").want(t, 200) },
		"licensed": func(gaid, _ string) { s.licensed(t, gaid, clock.now().Add(-time.Hour), clock.now().Add(-time.Minute)) },
		"expired": func(_, path string) {
			at := clock.now().Add(time.Hour).UTC().Format(time.RFC3339)
			s.as(t, editor, "POST", path, `{"expires_at":"`+at+`"}`).want(t, 201)
			clock.pass(2 * time.Hour)
		},
	} {
		data := append(mediaSample(t, "a.mp4"), "\x00\x00\x00\x10free"+fmt.Sprintf("%-8s", name)...)
		gaid := s.one(t, name+".mp4", data)
		path := assets + "/" + gaid + "/embed"
		page := s.player(t, s.as(t, editor, "POST", path, "").want(t, 201))
		at := []string{page, page + "/video", page + "/poster", page + "/thumbnail", "/oembed?url=" + url.QueryEscape(s.URL+page)}
		for _, p := range at {
			g.get(t, p).want(t, 200)
		}
		end(gaid, path)
		if gone := name != "licensed" && name != "expired"; gone {
			s.as(t, editor, "GET", path, "").want(t, 404)
		}
		for _, p := range at {
			if a := g.get(t, p); a.StatusCode != 404 {
				t.Errorf("%s: %s is %d", name, p, a.StatusCode)
			}
		}
	}
	_, path := s.video(t)
	page := s.player(t, s.as(t, editor, "POST", path, "").want(t, 201))
	shown := func(what string, status int) {
		t.Helper()
		for _, p := range []string{page, page + "/video"} {
			if a := g.get(t, p); a.StatusCode != status {
				t.Errorf("%s: %s is %d", what, p, a.StatusCode)
			}
		}
	}
	s.role(t, "ed@example.com", dam.RoleViewer)
	shown("of a user who may share no more", 404)
	s.role(t, "ed@example.com", dam.RoleEditor)
	shown("of one who may again", 200)
	s.set(t, "ed@example.com", disable)
	shown("of a disabled user", 404)
}

// A video in transfer is aborted when its embed or its license ends, or when its file is
// replaced.
func TestEmbedEndsInMidFlight(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("a flood, which takes long with the race detector, which .ci/run uses with -short")
	}
	s, clock := standing(t, nil)
	const size = 64 << 20
	gaid := s.one(t, "large.mp4", enlarged(t, mediaSample(t, "a.mp4"), size))
	path := assets + "/" + gaid + "/embed"
	asset := assets + "/" + gaid
	for _, how := range []struct {
		name string
		end  func()
	}{
		{"revoked", func() { s.do(t, "DELETE", path, "").want(t, 200) }},
		{"expired", func() { clock.pass(100 * 24 * time.Hour) }},
		{"no licence", func() { s.licensed(t, gaid, clock.now().Add(-time.Hour), clock.now().Add(-time.Minute)) }},
		{"another file", func() {
			if a := s.newVersion(t, gaid, "small.mp4", mediaSample(t, "a.mp4")); a.get("data.status") != "ready" {
				t.Errorf("%s", a)
			}
		}},
	} {
		s.do(t, "PUT", asset, `{"usage_from":null,"usage_until":null}`).want(t, 200)
		page := s.player(t, s.do(t, "POST", path, "").want(t, 201))
		c, r := s.dial(t, "GET "+page+"/video HTTP/1.1\r\nHost: x\r\n\r\n")
		res, err := http.ReadResponse(r, nil)
		if err != nil || res.StatusCode != 200 {
			t.Fatal(res, err)
		}
		if _, err := io.CopyN(io.Discard, res.Body, 1<<20); err != nil {
			t.Fatal(err)
		}
		how.end()
		clock.pass(2 * time.Second)
		if n, err := io.Copy(io.Discard, res.Body); err == nil || n > size/2 {
			t.Errorf("%s: %d more bytes came, %v", how.name, n, err)
		}
		c.Close()
	}
	page := s.player(t, s.do(t, "GET", path, "").want(t, 200))
	if a := s.guest(t).get(t, page+"/video").want(t, 200); len(a.body) > 1<<20 {
		t.Error("it does not play the new file")
	}
}

// enlarged returns an MP4 whose last sample, one of its second track, is more bytes longer.
func enlarged(t testing.TB, data []byte, more int) []byte {
	t.Helper()
	data = bytes.Clone(data)
	add := func(at int) {
		binary.BigEndian.PutUint32(data[at:], binary.BigEndian.Uint32(data[at:])+uint32(more))
	}
	mdat, sizes := bytes.LastIndex(data, []byte("mdat")), bytes.LastIndex(data, []byte("stsz"))
	if mdat < sizes || sizes < 0 {
		t.Fatal("the sample is another one")
	}
	add(mdat - 4)
	add(sizes + 12 + 4*int(binary.BigEndian.Uint32(data[sizes+12:])))
	return append(data, make([]byte, more)...)
}

// Embeds of a video that was merged into another play the latter.
func TestEmbedOfMergedVideo(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	data := mediaSample(t, "a.mp4")
	kept := append(bytes.Clone(data), "\x00\x00\x00\x10freekeptkept"...)
	_, path := s.video(t)
	other := s.one(t, "b.mp4", kept)
	s.do(t, "PUT", assets+"/"+other, `{"copyright":"kept by Bo"}`).want(t, 200)
	page := s.player(t, s.do(t, "POST", path, "").want(t, 201))
	s.do(t, "POST", assets+"/"+other+"/embed", "").want(t, 201)
	gaid := strings.Split(path, "/")[4]
	s.do(t, "POST", assets+"/"+other+"/merge", `{"gaids":["`+gaid+`"]}`).want(t, 200)
	if a := s.guest(t).get(t, page+"/video").want(t, 200); !bytes.Contains(a.body, []byte("kept by Bo")) {
		t.Error("it does not play what was kept")
	}
	s.do(t, "DELETE", assets+"/"+other+"/embed", "").want(t, 200) // both of its embeds
	s.guest(t).get(t, page).want(t, 404)
	s.do(t, "GET", assets+"/"+other+"/embed", "").want(t, 404)
}

// With concurrent requests, each user gets one embed.
func TestEmbedsAtOnce(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	_, path := s.video(t)
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() { s.do(t, "POST", path, "").want(t, 201) })
	}
	all.Wait()
	s.total(t, s.token, shares+"?type=embed", 1)
}

// oEmbed describes an embed within the requested size; the page links to the description.
func TestOEmbed(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	_, path := s.video(t)
	made := s.do(t, "POST", path, `{"width":800,"height":400}`).want(t, 201)
	page := s.player(t, made)
	g := s.guest(t)
	link := regexp.MustCompile(`<link rel="alternate" type="application/json\+oembed" href="([^"]+)"`).
		FindSubmatch(g.get(t, page).want(t, 200).body)
	if link == nil {
		t.Fatal("the page names no oEmbed")
	}
	at, ok := strings.CutPrefix(html.UnescapeString(string(link[1])), s.URL)
	if !ok {
		t.Fatalf("%s", link[1])
	}
	ask := func(more string) (o map[string]any) {
		t.Helper()
		a := g.get(t, at+more).want(t, 200)
		must(t, json.Unmarshal(a.body, &o))
		if a.Header.Get("Content-Type") != "application/json" || a.Header.Get("Access-Control-Allow-Origin") != "*" {
			t.Errorf("%v", a.Header)
		}
		return o
	}
	o := ask("")
	for member, want := range map[string]any{
		"type": "video", "version": "1.0", "title": "Halves", "provider_name": "dal", "provider_url": s.URL, "width": 800.0, "height": 400.0,
		"html": made.get("data.html"),
	} {
		if o[member] != want {
			t.Errorf("%s is %v, want %v", member, o[member], want)
		}
	}
	g.get(t, strings.TrimPrefix(fmt.Sprint(o["thumbnail_url"]), s.URL)).want(t, 200)
	if o["thumbnail_width"] == nil || o["thumbnail_height"] == nil {
		t.Errorf("%v", o)
	}
	small := ask("&maxwidth=200&maxheight=90")
	if small["width"] != 180.0 || small["height"] != 90.0 || !strings.Contains(fmt.Sprint(small["html"]), `width="180" height="90"`) {
		t.Errorf("%v", small)
	}
	if tiny := ask("&maxwidth=10"); tiny["thumbnail_url"] != nil || tiny["width"] != 10.0 || tiny["height"] != 5.0 {
		t.Errorf("%v", tiny)
	}
	later := g.get(t, "/oembed?url="+url.QueryEscape(s.URL+page+"?start=7&x=\"")).want(t, 200)
	if !strings.Contains(fmt.Sprint(later.get("html")), page+`?start=7" `) {
		t.Error(later)
	}
	g.get(t, at+"&format=xml").want(t, 200) // the first one applies
	g.get(t, strings.Replace(at, "json", "xml", 1)).want(t, 501)
	for _, more := range []string{"maxwidth=0", "maxwidth=-1", "maxheight=x", "maxheight=99999999999999999999", "maxwidth="} {
		g.get(t, at+"&"+more).want(t, 400)
	}
	for _, of := range []string{
		"", s.URL, s.URL + "/embed/", s.URL + page + "x", "https://evil.example" + page, s.URL + page + "/video", s.URL + "/s/" + page[7:],
		strings.ToUpper(s.URL) + page, s.URL + page + strings.Repeat("?", 3000), "javascript:alert(1)", page,
	} {
		g.get(t, "/oembed?url="+url.QueryEscape(of)).want(t, 404)
	}
	g.get(t, "/oembed").want(t, 404)
}
