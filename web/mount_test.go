package web_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/web"
)

const mountedSite = "http://example.com/dam"

// guideBlock returns the guide's code block in a language that contains text.
func guideBlock(t *testing.T, language, text string) string {
	t.Helper()
	page, err := os.ReadFile("docs/guide/administration.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range regexp.MustCompile("(?s)```"+language+"\n(.*?)```").FindAllSubmatch(page, -1) {
		if strings.Contains(string(b[1]), text) {
			return string(b[1])
		}
	}
	t.Fatalf("the guide has no block of %s with %s", language, text)
	return ""
}

// behind starts a proxy and returns a client that connects to it for every host name.
func behind(t *testing.T, socket string, command ...string) *http.Client {
	t.Helper()
	program, err := exec.LookPath(command[0])
	if err != nil {
		t.Skipf("%s is not installed", command[0])
	}
	cmd := exec.CommandContext(t.Context(), program, command[1:]...) // #nosec: command of this test
	cmd.Env = append(os.Environ(), "HOME="+filepath.Dir(socket), "XDG_CONFIG_HOME="+filepath.Dir(socket))
	var said strings.Builder
	cmd.Stdout, cmd.Stderr = &said, &said
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { cmd.Wait(); close(ended) }()
	t.Cleanup(func() { <-ended })
	client := &http.Client{
		Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", socket)
		}},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	t.Cleanup(client.CloseIdleConnections)
	for {
		if res, err := client.Get(mountedSite + "/healthz"); err == nil {
			res.Body.Close()
			return client
		}
		select {
		case <-ended:
			t.Fatalf("%s ended: %s", command[0], &said)
		default:
		}
	}
}

func nginxBelow(t *testing.T, location string) *http.Client {
	dir := t.TempDir()
	socket := filepath.Join(dir, "s")
	conf := filepath.Join(dir, "nginx.conf")
	text := fmt.Sprintf(`daemon off; pid %[1]s/pid; error_log stderr; user root;
events {}
http { access_log off; client_body_temp_path %[1]s/b; proxy_temp_path %[1]s/p; fastcgi_temp_path %[1]s/f; uwsgi_temp_path %[1]s/u;
scgi_temp_path %[1]s/c; server { listen unix:%[2]s; server_name example.com;
%[3]s
} }`, dir, socket, location)
	if err := os.WriteFile(conf, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return behind(t, socket, "nginx", "-c", conf, "-e", "stderr")
}

func caddyBelow(t *testing.T, site string) *http.Client {
	dir := t.TempDir()
	socket := filepath.Join(dir, "s")
	conf := filepath.Join(dir, "Caddyfile")
	site = strings.Replace(site, "example.com {", "http://example.com {\n\tbind unix/"+socket, 1)
	if err := os.WriteFile(conf, []byte("{\n\tadmin off\n}\n"+site), 0o600); err != nil {
		t.Fatal(err)
	}
	return behind(t, socket, "caddy", "run", "--config", conf, "--adapter", "caddyfile")
}

// A site below a path works behind the guide's proxies, and behind one that strips the
// path: all links of all pages and answers work.
func TestSiteBelowPath(t *testing.T) {
	t.Parallel()
	s := start(t, func(_ *app.Config, o *web.Options) { o.SiteURL, _ = url.Parse(mountedSite) })
	address := s.Listener.Addr().String()
	location := strings.ReplaceAll(guideBlock(t, "nginx", "location /dam/"), "127.0.0.1:8080", address)
	site := strings.ReplaceAll(guideBlock(t, "caddyfile", "/dam/*"), "127.0.0.1:8080", address)
	taken := strings.Replace(location, "http://"+address+";", "http://"+address+"/;", 1)
	if taken == location {
		t.Fatalf("the guide's location has another form:\n%s", location)
	}

	gaid := s.one(t, "a.jpg", picture(1, 400, 300))
	s.one(t, "b.jpg", picture(2, 400, 300))
	film := s.one(t, "a.mp4", mediaSample(t, "a.mp4"))
	share := s.do(t, "POST", shares, `{"type":"assets","name":"Both","gaids":["`+gaid+`"]}`).want(t, 201)
	embed := s.do(t, "POST", "/api/v1/assets/"+film+"/embed", "").want(t, 201)
	signed := s.do(t, "POST", "/api/v1/image-urls", `{"images":[{"gaid":"`+gaid+`","width":100}]}`).want(t, 200).get("data.0.url").(string)
	iiif := s.do(t, "POST", "/api/v1/iiif-urls", `{"images":[{"gaid":"`+gaid+`"}]}`).want(t, 200).get("data.0.info_url").(string)
	s.user(t, "ed@example.com", dam.RoleEditor)
	for name, client := range map[string]*http.Client{
		"nginx": nginxBelow(t, location), "nginx that takes it away": nginxBelow(t, taken), "Caddy": caddyBelow(t, site),
	} {
		t.Run(name, func(t *testing.T) {
			fetch := func(method, to, body string, status int) (http.Header, string) {
				t.Helper()
				if !strings.HasPrefix(to, mountedSite) {
					t.Fatalf("%s is not below %s", to, mountedSite)
				}
				req, err := http.NewRequestWithContext(t.Context(), method, to, strings.NewReader(body))
				if err != nil {
					t.Fatal(err)
				}
				req.Header.Set("Accept", "text/html,*/*")
				if body != "" || strings.Contains(to, "/api/") {
					req.Header.Set("Content-Type", "application/json")
					req.Header.Set("Authorization", "Bearer "+s.token)
				}
				if strings.HasSuffix(to, "/session") {
					req.Header.Del("Authorization")
				}
				res, err := client.Do(req)
				if err != nil {
					t.Fatal(err)
				}
				defer res.Body.Close()
				data, err := io.ReadAll(res.Body)
				if err != nil || res.StatusCode != status {
					t.Fatalf("%s %s: %d, %v, %.300s", method, to, res.StatusCode, err, data)
				}
				return res.Header, string(data)
			}
			// page fetches a page and the targets of its links.
			page := func(to string) {
				t.Helper()
				_, html := fetch("GET", to, "", 200)
				links := uiFile.FindAllStringSubmatch(html, -1)
				if len(links) == 0 {
					t.Errorf("%s has no links: %.300s", to, html)
				}
				for _, l := range links {
					fetch("GET", "http://example.com"+strings.ReplaceAll(l[1], "&amp;", "&"), "", 200)
				}
			}
			page(mountedSite + "/")
			page(mountedSite + "/assets/" + gaid)
			page(mountedSite + "/docs")
			page(mountedSite + "/docs/guide/api")
			page(share.get("data.url").(string))
			page(embed.get("data.url").(string))
			fetch("GET", signed, "", 200)
			_, info := fetch("GET", iiif, "", 200)
			if !strings.Contains(info, `"id":"`+strings.TrimSuffix(iiif, "/info.json")+`"`) {
				t.Errorf("%s", info)
			}
			fetch("GET", strings.TrimSuffix(iiif, "/info.json")+"/full/max/0/default.jpg", "", 200)
			_, list := fetch("GET", mountedSite+"/api/v1/assets?per_page=1", "", 200)
			links := regexp.MustCompile(`"(http://[^"]+)"`).FindAllStringSubmatch(list, -1)
			if !slices.ContainsFunc(links, func(l []string) bool { return strings.Contains(l[1], "page=2") }) {
				t.Errorf("there is no next page in %s", list)
			}
			for _, l := range links {
				fetch("GET", strings.ReplaceAll(l[1], `\u0026`, "&"), "", 200)
			}
			header, _ := fetch("POST", mountedSite+"/api/v1/session", `{"email":"ed@example.com","password":"`+rightPassword+`"}`, 201)
			if cookie := header.Get("Set-Cookie"); !strings.Contains(cookie, "Path=/dam/;") {
				t.Errorf("the cookie is %s", cookie)
			}
			status := http.StatusMovedPermanently // by nginx itself
			if name == "Caddy" {
				status = http.StatusPermanentRedirect // by dal
			}
			if header, _ := fetch("GET", mountedSite, "", status); !strings.HasSuffix(header.Get("Location"), "/dam/") {
				t.Errorf("%s leads to %q", mountedSite, header.Get("Location"))
			}
		})
	}
}

// Invalid site URLs are refused.
func TestCheckSiteURL(t *testing.T) {
	t.Parallel()
	for text, fine := range map[string]bool{
		"https://example.com": true, "https://example.com/": true, "http://example.com:8080/a/b-c_1.2/": true,
		"ftp://example.com": false, "https://": false, "https://ada:secret@example.com": false, "https://example.com/?a=b": false,
		"https://example.com/#a": false, "https://example.com/a//b": false, "https://example.com/a/../b": false,
		"https://example.com/a b": false,
		"https://example.com/%2e": false, `https://example.com/"`: false, "https://example.com/é": false,
	} {
		u, err := url.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if err := web.CheckSiteURL(u); (err == nil) != fine {
			t.Errorf("%s: %v", text, err)
		}
	}
	s := start(t, nil)
	for _, path := range []string{"/assets", "/api/dal", "/static", "/s", "/docs", "/embed.css", "/healthz"} {
		opt := web.DefaultOptions()
		opt.SiteURL = &url.URL{Scheme: "https", Host: "example.com", Path: path}
		if _, err := web.New(s.app, opt); err == nil || !strings.Contains(err.Error(), "of dal itself") {
			t.Errorf("%s: %v", path, err)
		}
	}
}
