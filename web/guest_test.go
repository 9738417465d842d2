package web_test

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"html"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
)

// guest is a browser without an account.
type guest struct {
	*server
	client *http.Client
	header http.Header
}

func (s *server) guest(t testing.TB) *guest {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &guest{s, &http.Client{Jar: jar, Transport: s.Client().Transport, CheckRedirect: s.Client().CheckRedirect}, http.Header{}}
}

func (g *guest) ask(t testing.TB, method, path, body string) answer {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, g.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header = g.header.Clone()
	if body != "" {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.Header.Set("Origin", "null") // as browsers do on pages without referrers
	}
	res, err := g.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var b bytes.Buffer
	_, err = b.ReadFrom(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer{res, b.Bytes()}
}

func (g *guest) get(t testing.TB, path string) answer {
	t.Helper()
	return g.ask(t, "GET", path, "")
}

var hiddenField = regexp.MustCompile(`<input type="hidden" name="(\w+)" value="([^"]*)">`)

// answers submits the form of a page with the given value.
func (g *guest) answers(t testing.TB, page, field, value string) answer {
	t.Helper()
	form := url.Values{field: {value}}
	for _, m := range hiddenField.FindAllStringSubmatch(string(g.get(t, page).want(t, 200).body), -1) {
		form.Set(m[1], html.UnescapeString(m[2]))
	}
	return g.ask(t, "POST", page, form.Encode())
}

var pageLink = regexp.MustCompile(`(?:href|src|poster)="(/s/[^"]+)"`)

// crawl fetches everything that a page links to, below its path.
func (g *guest) crawl(t testing.TB, page string) map[string]answer {
	t.Helper()
	seen, todo := map[string]answer{}, []string{page}
	for len(todo) > 0 {
		path := todo[0]
		todo = todo[1:]
		if _, ok := seen[path]; ok {
			continue
		}
		a := g.get(t, path)
		seen[path] = a
		if strings.HasPrefix(a.Header.Get("Content-Type"), "text/html") {
			for _, m := range pageLink.FindAllSubmatch(a.body, -1) {
				todo = append(todo, html.UnescapeString(string(m[1])))
			}
		}
	}
	return seen
}

// grey returns a uniformly grey JPEG with EXIF that names the photographer.
func grey(w, h int, v uint8) []byte {
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	draw.Draw(img, img.Rect, image.NewUniform(color.Gray{v}), image.Point{}, draw.Src)
	var b bytes.Buffer
	if err := jpeg.Encode(&b, img, nil); err != nil {
		panic(err) // cannot happen: the picture is valid
	}
	said := "http://ns.adobe.com/xap/1.0/\x00<x:xmpmeta xmlns:x='adobe:ns:meta/'>SECRETPLACE</x:xmpmeta>"
	app1 := append([]byte{0xff, 0xe1, byte((len(said) + 2) >> 8), byte(len(said) + 2)}, said...)
	return slices.Concat(b.Bytes()[:2], app1, b.Bytes()[2:])
}

// isMarked reports whether a uniformly grey picture has a watermark.
func isMarked(t testing.TB, data []byte) bool {
	t.Helper()
	img, err := jpeg.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	pixels := img.(*image.YCbCr).Y
	low, high := slices.Min(pixels), slices.Max(pixels)
	return high-low > 40
}

// No URL that a share links to, and none that can be guessed, delivers a pixel or a byte
// more than the share allows, and none delivers anything after its revocation.
func TestShareDeliversNoMore(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	original := grey(2400, 1800, 120)
	gaid, other := s.one(t, "holiday.jpg", original), s.one(t, "other.jpg", grey(300, 200, 90))
	paper := s.one(t, "paper.txt", []byte("a text"))
	s.do(t, "PUT", assets+"/"+gaid, `{"copyright":"Credit where due"}`).want(t, 200)
	sum := sha256.Sum256(original)
	for _, tt := range []struct {
		more                 string
		side                 int
		marked, keeps, whole bool
	}{
		{``, 3200, false, true, false},
		{`,"allow_download":false`, 1600, false, false, false},
		{`,"max_resolution":500`, 500, false, true, false},
		{`,"watermark":{"text":"© Museum"}`, 3200, true, true, false},
		{`,"watermark":{"text":"© Museum","opacity":100},"max_resolution":200,"allow_download":false`, 200, true, false, false},
		{`,"allow_original":true`, 3200, false, true, false},
		{`,"allow_original":true,"include_metadata":true`, 3200, false, true, true},
		{`,"allow_original":true,"include_metadata":true,"max_resolution":2000`, 2000, false, true, false},
		{`,"allow_original":true,"include_metadata":true,"allow_download":false`, 1600, false, false, false},
	} {
		path, page := s.share(t, shareOf(tt.more, gaid, paper))
		g := s.guest(t)
		offered := g.crawl(t, page)
		at := page + "/assets/"
		for _, guess := range []string{
			at + gaid + "/download", at + gaid + "/play", at + gaid + "/pages/1", at + gaid + "/large", at + gaid + "/original",
			at + gaid + "/preview?rendition=large", at + gaid + "/download?rendition=original", page + "/download", at + other,
			at + other + "/preview", at + other + "/download", at + other + "/thumbnail", at + gaid + "/pages/0", page + "/",
			at + paper + "/download", at + paper + "/preview", at + "x", page + "x", assets + "/" + gaid + "/download",
		} {
			if _, ok := offered[guess]; !ok {
				offered[guess] = g.get(t, guess)
			}
		}
		var kept, whole, pictures int
		for url, a := range offered {
			if strings.Contains(url, other) && a.StatusCode == 200 {
				t.Errorf("%s: %s is none of the share", tt.more, url)
			}
			files := map[string][]byte{url: a.body}
			if a.Header.Get("Content-Type") == "application/zip" {
				for name, data := range unzipped(t, a.body) {
					files[url+" "+name] = data
				}
			}
			for name, data := range files {
				if sha256.Sum256(data) == sum {
					if whole++; !tt.whole {
						t.Errorf("%s: %s is the original", tt.more, name)
					}
					continue
				}
				secret := bytes.Contains(data, []byte("SECRETPLACE")) && !bytes.HasPrefix(data, []byte("PK"))
				if secret || !tt.whole && bytes.Contains(data, []byte("Exif")) {
					t.Errorf("%s: %s has metadata", tt.more, name)
				}
				if !bytes.HasPrefix(data, []byte("\xff\xd8")) {
					continue
				}
				pictures++
				if own := strings.Contains(name, gaid) || strings.Contains(name, "holiday"); own != bytes.Contains(data, []byte("Credit where due")) {
					t.Errorf("%s: %s has the copyright: %v", tt.more, name, !own)
				}
				if p := sized(t, data); max(p.X, p.Y) > tt.side {
					t.Errorf("%s: %s has %v", tt.more, name, p)
				}
				isPaper := strings.Contains(name, paper) || strings.Contains(name, "paper")
				if !isPaper && isMarked(t, data) != tt.marked {
					t.Errorf("%s: %s is marked: %v", tt.more, name, !tt.marked)
				}
			}
			if strings.Contains(a.Header.Get("Content-Disposition"), "attachment") {
				kept++
			}
			seen := strings.HasPrefix(url, "/s/") && a.Header.Get("X-Robots-Tag") == ""
			if seen || a.Header.Get("Referrer-Policy") != "no-referrer" {
				t.Errorf("%s: the headers %v", url, a.Header)
			}
		}
		if (kept > 0) != tt.keeps || (whole > 0) != tt.whole || pictures < 2 {
			t.Errorf("%s: %d files to keep, %d originals, %d pictures", tt.more, kept, whole, pictures)
		}
		s.do(t, "DELETE", path, "").want(t, 200)
		for url := range offered {
			if a := g.get(t, url); a.StatusCode < 400 {
				t.Errorf("%s after it was revoked: %d", url, a.StatusCode)
			}
		}
	}
}

func unzipped(t testing.TB, data []byte) map[string][]byte {
	t.Helper()
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for _, f := range r.File {
		c, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if _, err := b.ReadFrom(c); err != nil {
			t.Fatal(err)
		}
		files[f.Name] = b.Bytes()
	}
	return files
}

// All permanent refusals look the same: wrong tokens, revoked and expired shares, an owner
// who was disabled or may no longer share, an address that is not admitted, and an empty
// share.
func TestSharesEnd(t *testing.T) {
	t.Parallel()
	s, clock := standing(t, nil)
	gaids := s.pictures(t, 4)
	nothing := s.guest(t).get(t, "/s/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA").want(t, 404)
	ended := func(what, page string) {
		t.Helper()
		g := s.guest(t)
		for _, path := range []string{page, page + "/assets/" + gaids[0], page + "/assets/" + gaids[0] + "/thumbnail", page + "/download"} {
			a := g.get(t, path)
			if a.StatusCode != 404 || !bytes.Equal(a.body, nothing.body) || a.Header.Get("Set-Cookie") != "" {
				t.Errorf("%s: %s is %d %s", what, path, a.StatusCode, a)
			}
		}
	}
	path, page := s.share(t, shareOf("", gaids[0]))
	g := s.guest(t)
	g.get(t, page).want(t, 200)
	thumb := page + "/assets/" + gaids[0] + "/thumbnail"
	tag := g.get(t, thumb).want(t, 200).Header.Get("ETag")
	g.header.Set("If-None-Match", tag)
	g.get(t, thumb).want(t, 304)
	s.do(t, "DELETE", path, "").want(t, 200)
	g.get(t, thumb).want(t, 404)
	ended("revoked", page)

	_, page = s.share(t, shareOf(`,"expires_at":"`+clock.now().UTC().Add(time.Hour).Format(time.RFC3339)+`"`, gaids[0]))
	s.guest(t).get(t, page).want(t, 200)
	clock.ahead.Add(int64(time.Hour))
	ended("expired", page)
	_, page = s.share(t, shareOf(`,"access":{"ip_ranges":["192.0.2.0/24","2001:db8::/32"]}`, gaids[0]))
	ended("from elsewhere", page)
	_, page = s.share(t, shareOf(`,"access":{"max_views":1}`, gaids[0]))
	first := s.guest(t)
	first.get(t, page).want(t, 200)
	ended("seen as often as it may be", page)
	first.get(t, page).want(t, 200)
	first.get(t, page+"/assets/"+gaids[0]+"/preview").want(t, 200)

	_, page = s.share(t, shareOf("", gaids[1], gaids[2]))
	s.do(t, "DELETE", assets+"/"+gaids[1], "").want(t, 200)
	g = s.guest(t)
	if a := g.get(t, page).want(t, 200); strings.Contains(string(a.body), gaids[1]) || !strings.Contains(string(a.body), gaids[2]) {
		t.Errorf("%s", a.body)
	}
	g.get(t, page+"/assets/"+gaids[1]+"/thumbnail").want(t, 404)
	s.do(t, "PUT", assets+"/"+gaids[2], `{"usage_until":"`+clock.now().UTC().Add(-time.Hour).Format(time.RFC3339)+`"}`).want(t, 200)
	g.get(t, page+"/assets/"+gaids[2]+"/thumbnail").want(t, 404)
	s.do(t, "DELETE", assets+"/"+gaids[2], "").want(t, 200)
	ended("without assets", page)

	editor := s.user(t, "ed@example.com", dam.RoleEditor)
	url := s.as(t, editor, "POST", shares, shareOf("", gaids[0])).want(t, 201).get("data.url").(string)
	page = url[strings.Index(url, "/s/"):]
	s.guest(t).get(t, page).want(t, 200)
	s.role(t, "ed@example.com", dam.RoleViewer)
	ended("of a user who may share no more", page)
	s.role(t, "ed@example.com", dam.RoleEditor)
	s.guest(t).get(t, page).want(t, 200)
	s.set(t, "ed@example.com", disable)
	ended("of a disabled user", page)
}

// A share of a collection shows its current content, as far as the owner may view it.
func TestShareOfCollection(t *testing.T) {
	t.Parallel()
	s := start(t, noMeaning)
	gaids := s.pictures(t, 3)
	c := s.collection(t, `{"name":"Live"}`)
	id := c[strings.LastIndexByte(c, '/')+1:]
	s.do(t, "POST", c+"/assets", `{"gaids":["`+gaids[0]+`"]}`).want(t, 200)
	rules := s.collection(t, `{"name":"Rules","rules":`+fmt.Sprintf(titleRule, "equals", "picture 002")+`}`)
	_, live := s.share(t, `{"name":"Live","collection_id":`+id+`}`)
	_, ruled := s.share(t, `{"name":"Ruled","collection_id":`+rules[strings.LastIndexByte(rules, '/')+1:]+`}`)
	g := s.guest(t)
	shows := func(page string, want ...string) {
		t.Helper()
		body := string(g.get(t, page).want(t, 200).body)
		for _, gaid := range gaids {
			status := 404
			if slices.Contains(want, gaid) {
				status = 200
			}
			if strings.Contains(body, gaid) != (status == 200) {
				t.Errorf("the page %s", body)
			}
			g.get(t, page+"/assets/"+gaid+"/preview").want(t, status)
		}
	}
	shows(live, gaids[0])
	shows(ruled, gaids[2])
	s.do(t, "POST", c+"/assets", `{"gaids":["`+gaids[1]+`"]}`).want(t, 200)
	s.do(t, "DELETE", c+"/assets", `{"gaids":["`+gaids[0]+`"]}`).want(t, 200)
	s.do(t, "PUT", assets+"/"+gaids[2], `{"title":"Other"}`).want(t, 200)
	s.do(t, "PUT", assets+"/"+gaids[1], `{"title":"picture 002"}`).want(t, 200)
	shows(live, gaids[1])
	shows(ruled, gaids[1])
	if files := unzipped(t, g.get(t, live+"/download").want(t, 200).body); len(files) != 1 || files["files/picture 002.jpg"] == nil {
		t.Errorf("%d files in the archive", len(files))
	}
	s.do(t, "DELETE", c, "").want(t, 200)
	g.get(t, live).want(t, 404)
	g.get(t, live+"/assets/"+gaids[1]+"/preview").want(t, 404)
}

// A guest passes the password, the email address and the terms in turn, without scripts and
// without an origin; changed requirements are asked for again.
func TestShareGates(t *testing.T) {
	t.Parallel()
	s, clock := standing(t, nil)
	gaid := s.pictures(t, 1)[0]
	path, page := s.share(t, shareOf(`,"password":"harbour","access":{"email_domains":["Example.com"],"require_terms":true},
		"terms_text":"Be nice."`, gaid))
	g := s.guest(t)
	thumb := page + "/assets/" + gaid + "/thumbnail"
	asks := func(gate string) {
		t.Helper()
		a := g.get(t, page).want(t, 200)
		if !strings.Contains(string(a.body), `name="gate" value="`+gate+`"`) || strings.Contains(string(a.body), gaid) ||
			gate != "terms" && (strings.Contains(string(a.body), "Be nice") || strings.Contains(string(a.body), "Press")) {
			t.Fatalf("it does not ask for the %s: %s", gate, a.body)
		}
		for _, closed := range []string{thumb, page + "/assets/" + gaid, page + "/download", page + "/assets/" + gaid + "/download"} {
			g.get(t, closed).want(t, 303)
		}
	}
	asks("password")
	g.ask(t, "POST", page, "gate=password&password=harbour").want(t, 403) // cross-site
	g.ask(t, "POST", page, "gate=terms&name=Bo&version=1").want(t, 403)
	if a := g.answers(t, page, "password", "wrong"); a.StatusCode != 422 || !strings.Contains(string(a.body), "The password is wrong.") {
		t.Errorf("%d %s", a.StatusCode, a.body)
	}
	g.answers(t, page, "password", "harbour").want(t, 303)
	asks("email")
	g.answers(t, page, "email", "bo@elsewhere.com").want(t, 422)
	g.answers(t, page, "email", "bo").want(t, 422)
	g.answers(t, page, "email", "bo@example.com").want(t, 303)
	asks("terms")
	g.answers(t, page, "name", " ").want(t, 422)
	g.answers(t, page, "name", "Bo Ek").want(t, 303)
	if a := g.get(t, page).want(t, 200); !strings.Contains(string(a.body), gaid) {
		t.Errorf("the page is not open: %s", a.body)
	}
	g.get(t, thumb).want(t, 200)
	g.get(t, page+"/assets/"+gaid+"/download").want(t, 200)

	consent := s.do(t, "GET", "/api/v1/consents", "").want(t, 200)
	sum := sha256.Sum256([]byte("Be nice."))
	for field, want := range map[string]any{
		"subject_name": "Bo Ek", "subject_email": "bo@example.com", "terms_version": 1.0, "context": "share", "share_id": 1.0,
		"terms_text_hash": hex.EncodeToString(sum[:]), "ip": "127.0.0.1",
	} {
		if got := consent.get("data.0." + field); got != want {
			t.Errorf("the consent's %s is %v", field, got)
		}
	}
	s.do(t, "GET", fmt.Sprintf("/api/v1/consents/%v", consent.get("data.0.id")), "").want(t, 200)
	s.as(t, s.user(t, "ed@example.com", dam.RoleEditor), "GET", "/api/v1/consents", "").want(t, 403)
	log := s.do(t, "GET", path+"/access-logs", "").want(t, 200)
	log.shows(t, "data", "action", "download", "view", "accept_terms", "refused_email", "wrong_password")
	log.shows(t, "data", "email", "bo@example.com", "bo@example.com", "bo@example.com", "bo@elsewhere.com", "<nil>")
	log.shows(t, "data", "email_verified", "false", "false", "false", "false", "false")

	s.do(t, "PUT", path, `{"terms_text":"Be very nice."}`).want(t, 200)
	asks("terms")
	g.answers(t, page, "name", "Bo Ek").want(t, 303)
	g.get(t, thumb).want(t, 200)
	s.do(t, "PUT", path, `{"access":{"emails":["eve@example.com"],"require_terms":true}}`).want(t, 200)
	asks("email")
	s.do(t, "PUT", path, `{"password":"another"}`).want(t, 200)
	asks("password")
	g.answers(t, page, "password", "another").want(t, 303)
	s.do(t, "PUT", path, `{"password":null,"access":{}}`).want(t, 200)
	g.get(t, thumb).want(t, 200)

	s.do(t, "PUT", path, `{"password":"harbour"}`).want(t, 200)
	g = s.guest(t)
	var last answer
	for range 12 {
		last = g.answers(t, page, "password", "guess")
	}
	if last.StatusCode != 429 || last.Header.Get("Retry-After") == "" {
		t.Errorf("guessing is not limited: %d", last.StatusCode)
	}
	clock.ahead.Add(int64(time.Minute))
	g.answers(t, page, "password", "harbour").want(t, 303)
	g.get(t, page).want(t, 200)
	clock.ahead.Add(int64(13 * time.Hour))
	asks("password")
}

// The limits of downloads and views are exact, even with concurrent requests.
func TestShareCounts(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	gaid := s.pictures(t, 1)[0]
	path, page := s.share(t, shareOf(`,"access":{"max_downloads":100,"max_views":150}`, gaid))
	all := func(n int, ask func() answer) map[int]int {
		var mu sync.Mutex
		var wg sync.WaitGroup
		got := map[int]int{}
		for range n {
			wg.Go(func() {
				a := ask()
				mu.Lock()
				defer mu.Unlock()
				got[a.StatusCode]++
			})
		}
		wg.Wait()
		return got
	}
	g := s.guest(t)
	g.get(t, page).want(t, 200)
	n := 0
	var mu sync.Mutex
	got := all(200, func() answer {
		mu.Lock()
		n++
		target := page + "/assets/" + gaid + "/download"
		if n%2 == 0 {
			target = page + "/download"
		}
		mu.Unlock()
		return g.get(t, target)
	})
	if got[200] != 100 || got[410] != 100 {
		t.Errorf("downloads: %v", got)
	}
	if got := all(200, func() answer { return s.guest(t).get(t, page) }); got[200] != 149 || got[404] != 51 {
		t.Errorf("visits: %v", got)
	}
	if a := s.do(t, "GET", path, ""); a.get("data.download_count") != 100.0 || a.get("data.view_count") != 150.0 {
		t.Errorf("%s", a.body)
	}
	_, page = s.share(t, shareOf(`,"access":{"max_downloads":1}`, gaid))
	g.get(t, page).want(t, 200)
	g.ask(t, "HEAD", page+"/assets/"+gaid+"/download", "").want(t, 405)
	g.header.Set("Range", "bytes=1-")
	a := g.get(t, page+"/assets/"+gaid+"/download").want(t, 200)
	if !bytes.HasPrefix(a.body, []byte("\xff\xd8")) || a.Header.Get("Accept-Ranges") != "none" {
		t.Errorf("a part of a file does not count as a download: Accept-Ranges: %s", a.Header.Get("Accept-Ranges"))
	}
	g.get(t, page+"/assets/"+gaid+"/download").want(t, 410)
}

// Running transfers, of files and of archives, are aborted when the share ends.
func TestShareEndsInMidFlight(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("a client with a deadline of its own: the race detector, which .ci/run uses with -short, would test its speed")
	}
	s, clock := standing(t, nil)
	const size = 64 << 20
	gaid := s.one(t, "large.jpg", append(picture(1, 64, 48), make([]byte, size)...))
	for _, target := range []string{"/assets/" + gaid + "/download", "/download"} {
		path, page := s.share(t, shareOf(`,"allow_original":true,"include_metadata":true`, gaid))
		c, r := s.dial(t, "GET "+page+target+" HTTP/1.1\r\nHost: x\r\n\r\n")
		res, err := http.ReadResponse(r, nil)
		if err != nil || res.StatusCode != 200 {
			t.Fatal(res, err)
		}
		if _, err := io.CopyN(io.Discard, res.Body, 1<<20); err != nil {
			t.Fatal(err)
		}
		s.do(t, "DELETE", path, "").want(t, 200)
		clock.ahead.Add(int64(2 * time.Second))
		n, err := io.Copy(io.Discard, res.Body)
		if err == nil || n > size/2 {
			t.Errorf("%s: %d more bytes came, %v", target, n, err)
		}
		c.Close()
	}
}

// Assets that leave a share while its archive is sent are listed in it; nothing else is
// missing.
func TestShareArchiveOfWhatChanges(t *testing.T) {
	t.Parallel()
	s := start(t, noMeaning)
	large := append(picture(1, 64, 48), make([]byte, 64<<20)...)
	gaids := append([]string{s.one(t, "large.jpg", large)}, s.pictures(t, 99)...)
	for i := range 3 { // more than one batch of the listing
		gaids = append(gaids, s.one(t, fmt.Sprintf("%d.jpg", i), picture(i, 32, 24)))
	}
	_, page := s.share(t, shareOf(`,"allow_original":true,"include_metadata":true`, gaids...))
	_, r := s.dial(t, "GET "+page+"/download HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
	res, err := http.ReadResponse(r, nil)
	if err != nil || res.StatusCode != 200 {
		t.Fatal(res, err)
	}
	begun := make([]byte, 1<<20)
	if _, err := io.ReadFull(res.Body, begun); err != nil {
		t.Fatal(err)
	}
	s.do(t, "DELETE", assets+"/"+gaids[1], "").want(t, 200)
	rest, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	files := unzipped(t, append(begun, rest...))
	if _, said := files["not-included.txt"]; len(files) != len(gaids) || !said {
		t.Errorf("%d files of %d, %t", len(files), len(gaids), said)
	}
}

// Audio, video and documents are shown as far as the share allows: a video plays in ranges
// from its original if that may be delivered with its metadata, or from a stripped copy;
// otherwise its poster is shown, in German too.
func TestShareOfMedia(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	data, err := os.ReadFile("../app/media/testdata/media/a.mp4")
	if err != nil {
		t.Fatal(err)
	}
	gaid := s.one(t, "a.mp4", data)
	for more, plays := range map[string]bool{
		``: true, `,"allow_original":true`: true, `,"watermark":{"text":"Museum"}`: false, `,"max_resolution":16`: false,
		`,"include_metadata":true`: true, `,"allow_download":false`: true, `,"access":{"max_downloads":5}`: false,
		`,"allow_original":true,"include_metadata":true`:                              true,
		`,"allow_original":true,"include_metadata":true,"allow_download":false`:       true,
		`,"allow_original":true,"include_metadata":true,"access":{"max_downloads":5}`: false,
		`,"allow_original":true,"include_metadata":true,"max_resolution":16`:          false,
	} {
		path, page := s.share(t, shareOf(more, gaid))
		g := s.guest(t)
		g.header.Set("Accept-Language", "de-AT, en;q=0.5")
		g.get(t, page).want(t, 200)
		at := page + "/assets/" + gaid
		body := string(g.get(t, at).want(t, 200).body)
		if !strings.Contains(body, `lang="de"`) || strings.Contains(body, "<video") != plays {
			t.Errorf("%s: %s", more, body)
		}
		if !plays {
			g.get(t, at+"/play").want(t, 404)
			continue
		}
		g.header.Set("Range", "bytes=4-7")
		if a := g.get(t, at+"/play").want(t, 206); string(a.body) != "ftyp" {
			t.Errorf("%q", a.body)
		}
		g.header.Del("Range")
		whole := strings.Contains(more, `"allow_original":true,"include_metadata":true`)
		if a := g.get(t, at+"/play").want(t, 200); bytes.Equal(a.body, data) != whole || bytes.Contains(a.body, []byte("Halves")) != whole {
			t.Errorf("%s: it is the original: %v", more, !whole)
		}
		s.do(t, "GET", path+"/access-logs", "").want(t, 200).shows(t, "data", "action", "play", "view")
		if allowed := !strings.Contains(more, "allow_download"); allowed {
			if a := g.get(t, at+"/download").want(t, 200); bytes.Equal(a.body, data) != whole {
				t.Errorf("%s: the original is given away: %v", more, !whole)
			}
		} else {
			g.get(t, at+"/download").want(t, 404)
		}
	}
}

// A play is counted once per guest and file for a while, whichever range is requested first
// and however many concurrently: players send many requests, and one without the first byte
// still counts.
func TestSharePlaysCount(t *testing.T) {
	t.Parallel()
	s, clock := standing(t, noMeaning)
	video, sound := s.one(t, "a.mp4", mediaSample(t, "a.mp4")), s.one(t, "a.mp3", mediaSample(t, "a.mp3"))
	_, page := s.share(t, shareOf("", video, sound))
	plays := func(g *guest, gaid, span string) {
		g = &guest{s, g.client, http.Header{"Range": {span}}}
		if a := g.get(t, page+"/assets/"+gaid+"/play"); a.StatusCode != 206 {
			t.Errorf("%s: %s", span, a.Status)
		}
	}
	counted := func(want int) {
		t.Helper()
		entries := s.count(t, `SELECT count(*) FROM share_access WHERE action = 'play'`)
		if sum := s.count(t, `SELECT coalesce(sum(plays), 0) FROM analytics_days`); entries != want || sum != want {
			t.Errorf("%d plays are in the access log and %d in the analytics, not %d", entries, sum, want)
		}
	}
	bo, eve, stranger := s.guest(t), s.guest(t), s.guest(t)
	bo.get(t, page).want(t, 200)
	eve.get(t, page).want(t, 200)
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() { plays(bo, video, fmt.Sprintf("bytes=%d-", i+1)) })
	}
	wg.Wait()
	counted(1)
	plays(bo, video, "bytes=0-")
	counted(1)
	plays(eve, video, "bytes=-1") // from the same address
	counted(2)
	plays(stranger, video, "bytes=1-")
	plays(stranger, video, "bytes=0-1")
	counted(3)
	plays(bo, sound, "bytes=1-")
	counted(4)
	clock.pass(29 * time.Minute)
	plays(bo, video, "bytes=0-")
	counted(4)
	clock.pass(2 * time.Minute)
	plays(bo, video, "bytes=1-")
	counted(5)
}

// The gallery and the asset pages have a script from the server, and only the gallery's may
// send requests; gates and messages have none.
func TestShareScripts(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	gaid := s.one(t, "holiday.jpg", grey(300, 200, 120))
	_, page := s.share(t, shareOf("", gaid))
	_, locked := s.share(t, shareOf(`,"password":"harbour"`, gaid))
	g := s.guest(t)
	g.header.Set("Accept-Language", "de")
	for _, tt := range []struct {
		path          string
		runs, fetches bool
	}{{page, true, true}, {page + "/assets/" + gaid, true, false}, {page + "/assets/x", false, false}, {locked, false, false}} {
		a := g.get(t, tt.path)
		csp := a.Header.Get("Content-Security-Policy")
		if strings.Contains(csp, "; script-src 'self'") != tt.runs || strings.Contains(csp, "; connect-src 'self'") != tt.fetches ||
			strings.Contains(csp, "unsafe") {
			t.Errorf("%s: %s", tt.path, csp)
		}
		if bytes.Contains(a.body, []byte(`<script src="/share-view.js" `)) != tt.runs || bytes.Count(a.body, []byte("<script")) > 1 {
			t.Errorf("%s: %s", tt.path, a.body)
		}
		if bytes.Contains(a.body, []byte(`aria-label="Nächste Datei"`)) != tt.fetches {
			t.Errorf("%s: %s", tt.path, a.body)
		}
	}
	g.get(t, "/share-view.js").want(t, 200).header(t, "Content-Type", "text/javascript; charset=utf-8")
}
