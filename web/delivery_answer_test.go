package web_test

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/web"
)

// All kinds of answers, and missing ones.
func TestDeliveryAnswers(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("a client with a deadline of its own: the race detector, which .ci/run uses with -short, would test its speed")
	}
	s := start(t, sends(t, func(cfg *app.Config, _ *web.Options) { cfg.WebhookTimeout = 3 * time.Second }))
	r := newReceiver(t)
	release := make(chan struct{})
	defer close(release)
	_, port, _ := net.SplitHostPort(r.Listener.Addr().String())

	plain := httptest.NewServer(nil)
	defer plain.Close()
	gone := httptest.NewTLSServer(nil)
	gone.Close()
	old := httptest.NewUnstartedServer(nil)
	old.TLS = &tls.Config{MaxVersion: tls.VersionTLS11}
	old.Config.ErrorLog = log.New(io.Discard, "", 0)
	old.StartTLS()
	defer old.Close()
	stranger := httptest.NewUnstartedServer(nil)
	stranger.TLS = &tls.Config{Certificates: []tls.Certificate{selfSigned(t)}}
	stranger.Config.ErrorLog = old.Config.ErrorLog
	stranger.StartTLS()
	defer stranger.Close()
	garbage := func(bytes string) string {
		ln, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: r.TLS.Certificates})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { ln.Close() })
		go func() {
			for {
				c, err := ln.Accept()
				if err != nil {
					return
				}
				go func() {
					defer c.Close()
					if _, err := http.ReadRequest(bufio.NewReader(c)); err == nil {
						io.WriteString(c, bytes)
					}
				}()
			}
		}()
		return "https://" + ln.Addr().String()
	}
	silent, err := net.Listen("tcp", "127.0.0.1:0") // accepts connections and never answers
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	hint := "HTTP/1.1 103 Early Hints\r\nLink: <" + strings.Repeat("x", 1000) + ">\r\n\r\n"

	for name, tt := range map[string]struct {
		url     string // "" for the receiver's
		answer  http.HandlerFunc
		code    any
		excerpt any
		err     any // nil for success, otherwise a part of the error
	}{
		"200":         {"", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "ok") }, 200.0, "ok", nil},
		"204":         {"", nil, 204.0, nil, nil},
		"299":         {"", status(299), 299.0, nil, nil},
		"early hints": {"", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(103); w.WriteHeader(202) }, 202.0, nil, nil},
		"500": {"", func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "broken", http.StatusInternalServerError)
		}, 500.0, "broken\n", "The answer was 500 instead of 2xx."},
		"503":          {"", status(503), 503.0, nil, "The answer was 503 instead of 2xx."},
		"404":          {"", status(404), 404.0, nil, "The answer was 404 instead of 2xx."},
		"410":          {"", status(410), 410.0, nil, "The answer was 410 instead of 2xx."},
		"not modified": {"", status(304), 304.0, nil, "The answer was 304, and redirects are not followed."},
		"redirect": {"", func(w http.ResponseWriter, q *http.Request) {
			http.Redirect(w, q, r.URL+"/secret", http.StatusFound)
		}, 302.0, nil, "The answer was 302, and redirects are not followed."},
		"redirect away": {"", func(w http.ResponseWriter, q *http.Request) {
			http.Redirect(w, q, "http://169.254.169.254/", http.StatusPermanentRedirect)
		}, 308.0, nil, "The answer was 308, and redirects are not followed."},
		"no answer": {"", func(_ http.ResponseWriter, q *http.Request) { <-release }, nil, nil, "There was no full answer within 3s."},
		"slow body": {"", func(w http.ResponseWriter, q *http.Request) {
			io.WriteString(w, "it begins")
			w.(http.Flusher).Flush()
			<-release
		}, 200.0, "it begins", "There was no full answer within 3s."},
		"dripping body": {"", func(w http.ResponseWriter, q *http.Request) {
			tick := time.NewTicker(20 * time.Millisecond)
			defer tick.Stop()
			for q.Context().Err() == nil {
				io.WriteString(w, ".")
				w.(http.Flusher).Flush()
				<-tick.C
			}
		}, 200.0, "", "There was no full answer within 3s."},
		"cut off": {"", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			io.WriteString(w, "half")
			panic(http.ErrAbortHandler)
		}, nil, nil, "closed before the end"},
		"huge body": {"", func(w http.ResponseWriter, _ *http.Request) {
			for range 1000 {
				if _, err := io.WriteString(w, strings.Repeat("é", 5000)); err != nil {
					return
				}
			}
		}, 200.0, strings.Repeat("é", 512), nil},
		"huge failure": {"", func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(500)
			io.WriteString(w, "x"+strings.Repeat("é", 5000))
		}, 500.0, "x" + strings.Repeat("é", 511), "The answer was 500"},
		"no text": {"", func(w http.ResponseWriter, _ *http.Request) {
			w.Write([]byte("a\x00\xff\xfe\"<b"))
		}, 200.0, "a\x00\uFFFD\"<b", nil},
		"huge headers": {"", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Long", strings.Repeat("x", 100_000))
		}, nil, nil, "The answer could not be read"},
		"compressed": {"", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			io.WriteString(w, "bomb")
		}, 200.0, "bomb", nil},
		"refused":        {gone.URL, nil, nil, nil, "connection refused"},
		"no HTTPS":       {strings.Replace(plain.URL, "http:", "https:", 1), nil, nil, nil, "TLS: "},
		"old TLS":        {old.URL, nil, nil, nil, "TLS: "},
		"unknown CA":     {stranger.URL, nil, nil, nil, "TLS: "},
		"wrong name":     {"https://localhost:" + port, nil, nil, nil, "TLS: "},
		"silent":         {"https://" + silent.Addr().String(), nil, nil, nil, "There was no full answer within 3s."},
		"no such name":   {"https://hooks.example.com/", nil, nil, nil, "The host name cannot be resolved."},
		"not HTTP":       {garbage("220 mail.example.com ESMTP\r\n"), nil, nil, nil, "The answer could not be read"},
		"closed at once": {garbage(""), nil, nil, nil, "closed before the end"},
		"status 42":      {garbage("HTTP/1.1 42 x\r\n\r\n"), nil, nil, nil, "The answer could not be read"},
		"status 600":     {garbage("HTTP/1.1 600 x\r\nContent-Length: 0\r\n\r\n"), nil, 600.0, nil, "The answer was 600 instead of 2xx."},
		"endless hints":  {garbage(strings.Repeat(hint, 200)), nil, nil, nil, ""},
	} {
		t.Run(name, func(t *testing.T) { // sequential: they share the receiver
			r.answers(tt.answer)
			to := tt.url
			if to == "" {
				to = r.URL
			}
			hook, _ := s.hook(t, to, "webhook.test")
			a := s.do(t, "POST", hook+"/test", "").want(t, 200)
			outcome := "delivered"
			if tt.err != nil {
				outcome = "failed"
			}
			excerpt := a.get("data.response_excerpt")
			if tt.excerpt == "" && tt.err != nil { // any excerpt
				excerpt = ""
			}
			if a.get("data.status") != outcome || a.get("data.status_code") != tt.code || excerpt != tt.excerpt ||
				a.get("data.attempt") != 1.0 || a.get("data.next_attempt_at") != nil {
				t.Errorf("%s", a)
			}
			msg, _ := a.get("data.error").(string)
			if tt.err == nil && msg != "" || tt.err != nil && (msg == "" || !strings.Contains(msg, tt.err.(string))) {
				t.Errorf("%q, want %v", msg, tt.err)
			}
			t.Log(a.get("data.error"))
			// The history contains the same delivery.
			b := s.do(t, "GET", hook+"/deliveries", "").want(t, 200)
			if !reflect.DeepEqual(b.get("data.0"), a.get("data")) || b.get("meta.total") != 1.0 {
				t.Errorf("%s, history %s", a, b)
			}
		})
	}
	for _, m := range r.wait(t, 1) {
		if m.path == "/secret" {
			t.Error("a redirect was followed")
		}
	}
}

// A reused connection that the receiver has closed does not use up an attempt.
func TestDeliveryKeptConnection(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("a client with a deadline of its own: the race detector, which .ci/run uses with -short, would test its speed")
	}
	s := start(t, sends(t, nil))
	ln, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: newReceiver(t).TLS.Certificates})
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	go func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			go func() { // answers the first request of each connection and drops the second
				defer c.Close()
				in := bufio.NewReader(c)
				for i := range 2 {
					req, err := http.ReadRequest(in)
					if err != nil {
						return
					}
					io.Copy(io.Discard, req.Body)
					if i == 0 {
						io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
					}
				}
			}()
		}
	}()
	hook, _ := s.hook(t, "https://"+ln.Addr().String(), "webhook.test")
	for range 4 {
		if a := s.do(t, "POST", hook+"/test", "").want(t, 200); a.get("data.status") != "delivered" {
			t.Errorf("%s", a)
		}
	}
}

// With a proxy, the host's address is still checked first.
func TestDeliveryProxy(t *testing.T) {
	t.Parallel()
	r := newReceiver(t)
	var asked []string
	var mu sync.Mutex
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		mu.Lock()
		asked = append(asked, q.Method+" "+q.Host+" "+q.Header.Get("Proxy-Authorization"))
		mu.Unlock()
		if strings.HasPrefix(q.Host, "refused.") {
			http.Error(w, "no", http.StatusForbidden)
			return
		}
		to, err := net.Dial("tcp", r.Listener.Addr().String()) // regardless of the requested target
		if err != nil {
			http.Error(w, "", http.StatusBadGateway)
			return
		}
		defer to.Close()
		from, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			return
		}
		defer from.Close()
		io.WriteString(from, "HTTP/1.1 200 OK\r\n\r\n")
		go io.Copy(to, from)
		io.Copy(from, to)
	}))
	defer proxy.Close()
	s := start(t, sends(t, func(cfg *app.Config, _ *web.Options) {
		cfg.WebhookAllow = []netip.Prefix{netip.MustParsePrefix("127.0.0.2/32")}
		cfg.WebhookProxy, _ = url.Parse(strings.Replace(proxy.URL, "://", "://ada:pw@", 1))
	}))
	hook, secret := s.hook(t, "https://example.com/in", "webhook.test") // a name in the certificate
	if a := s.do(t, "POST", hook+"/test", "").want(t, 200); a.get("data.status") != "delivered" {
		t.Errorf("%s", a)
	}
	signed(t, r.wait(t, 1)[0], secret)
	hook, _ = s.hook(t, "https://refused.example.com/", "webhook.test")
	if a := s.do(t, "POST", hook+"/test", "").want(t, 200); a.get("data.error") != "The proxy refused to connect to the host." {
		t.Errorf("%s", a)
	}
	s.do(t, "POST", webhooks, hookBody("https://localhost/", "*")).want(t, 422)
	mu.Lock()
	defer mu.Unlock()
	if fmt.Sprint(asked) != "[CONNECT example.com:443 Basic YWRhOnB3 CONNECT refused.example.com:443 Basic YWRhOnB3]" {
		t.Errorf("%q", asked)
	}
}
