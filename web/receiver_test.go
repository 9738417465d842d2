package web_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stripe/stripe-go/v82/webhook"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/web"
)

// receiver is a webhook endpoint that records its requests.
type receiver struct {
	*httptest.Server
	mu     sync.Mutex
	all    []received
	answer http.HandlerFunc // nil: 204
	news   chan struct{}
}

// received is a request to a receiver.
type received struct {
	header http.Header
	body   []byte
	path   string
	event  struct {
		ID        string
		Type      string
		CreatedAt string `json:"created_at"`
		Data      map[string]any
	}
}

func newReceiver(t testing.TB) *receiver {
	r := &receiver{news: make(chan struct{}, 1)}
	r.Server = httptest.NewUnstartedServer(http.HandlerFunc(r.receive))
	r.Config.ErrorLog = log.New(io.Discard, "", 0)
	r.StartTLS()
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) receive(w http.ResponseWriter, req *http.Request) {
	got := received{header: req.Header, path: req.URL.Path}
	var err error
	if got.body, err = io.ReadAll(req.Body); err == nil {
		err = json.Unmarshal(got.body, &got.event)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	r.mu.Lock()
	r.all = append(r.all, got)
	answer := r.answer
	r.mu.Unlock()
	select {
	case r.news <- struct{}{}:
	default:
	}
	if answer == nil {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	req.SetPathValue("gaid", fmt.Sprint(got.event.Data["gaid"]))
	answer(w, req)
}

// selfSigned creates an untrusted certificate for 127.0.0.1.
func selfSigned(t testing.TB) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	c := &x509.Certificate{SerialNumber: big.NewInt(1), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, c, c, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

// answers sets the receiver's handler; nil answers 204.
func (r *receiver) answers(fn http.HandlerFunc) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answer = fn
}

func status(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
}

// wait waits for the first n requests and returns all received so far.
func (r *receiver) wait(t testing.TB, n int) []received {
	t.Helper()
	deadline := time.After(60 * time.Second)
	for {
		r.mu.Lock()
		all := r.all[:len(r.all):len(r.all)]
		r.mu.Unlock()
		if len(all) >= n {
			return all
		}
		select {
		case <-r.news:
		case <-deadline:
			t.Fatalf("%d requests, want %d: %v", len(all), n, summary(all))
		}
	}
}

// summary lists the types and titles of events.
func summary(all []received) (list []string) {
	for _, m := range all {
		list = append(list, fmt.Sprint(m.event.Type, " ", m.event.Data["title"]))
	}
	return list
}

// caFile writes the certificate of httptest's servers to a file and returns its path.
func caFile(t testing.TB) string {
	t.Helper()
	srv := httptest.NewTLSServer(nil)
	defer srv.Close()
	path := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: srv.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// sends allows a server to send webhooks to receivers on this machine.
func sends(t testing.TB, change func(*app.Config, *web.Options)) func(*app.Config, *web.Options) {
	ca := caFile(t)
	return func(cfg *app.Config, o *web.Options) {
		cfg.WebhookCAFile, cfg.WebhookResolver = ca, unresolved()
		cfg.WebhookAllow = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}
		if change != nil {
			change(cfg, o)
		}
	}
}

// delivers polls the deliveries of a webhook until done reports true.
func (s *server) delivers(t testing.TB, hook string, done func(d answer) bool) answer {
	t.Helper()
	return s.until(t, hook+"/deliveries?per_page=100", done)
}

// untilStatus waits until n deliveries of a webhook have a status and returns the list.
func (s *server) untilStatus(t testing.TB, hook, status string, n int) []map[string]any {
	t.Helper()
	var list struct{ Data []map[string]any }
	s.delivers(t, hook, func(a answer) bool {
		list.Data = nil
		if err := json.Unmarshal(a.body, &list); err != nil {
			t.Fatal(err)
		}
		have := 0
		for _, d := range list.Data {
			if d["status"] == status {
				have++
			}
		}
		return have >= n
	})
	return list.Data
}

// retitle changes an asset's title, which emits an event.
func (s *server) retitle(t testing.TB, gaid, title string) answer {
	t.Helper()
	return s.do(t, "PUT", "/api/v1/assets/"+gaid, fmt.Sprintf(`{"title":%q}`, title)).want(t, 200)
}

// signed fails the test unless Stripe's library accepts a request's signature with the
// secret and the current time, and with no other secret or body.
func signed(t testing.TB, m received, secret string) {
	t.Helper()
	sig := m.header.Get("X-DAL-Signature")
	if err := webhook.ValidatePayload(m.body, sig, secret); err != nil {
		t.Errorf("%s: %v", sig, err)
	}
	if webhook.ValidatePayload(m.body, sig, secret+"x") == nil {
		t.Error("another secret verifies")
	}
	if webhook.ValidatePayload(append(m.body[:len(m.body):len(m.body)], ' '), sig, secret) == nil {
		t.Error("a changed body verifies")
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		t.Error(err)
	}
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.%s", m.event.ID, m.header.Get("Webhook-Timestamp"), m.body)
	if want := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)); m.header.Get("Webhook-Signature") != want ||
		m.header.Get("Webhook-Id") != m.event.ID || !strings.HasPrefix(sig, "t="+m.header.Get("Webhook-Timestamp")+",") {
		t.Errorf("the headers of Standard Webhooks: %v", m.header)
	}
}
