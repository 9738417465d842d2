package webhook

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"
)

// Options configure a Sender.
type Options struct {
	Guard   *Guard
	Proxy   *url.URL      // HTTP proxy for all requests, at any address; nil for none
	CAFile  string        // PEM certificates trusted in addition to the system's; "" for none
	Timeout time.Duration // per attempt, including the response body
	Agent   string        // User-Agent
}

// The limits of a response. The rest of a body beyond maxAnswer is not read.
const (
	maxExcerpt       = 1 << 10  // bytes
	maxAnswer        = 64 << 10 // bytes
	maxAnswerHeaders = 64 << 10 // bytes
	idleConns        = 128
	idlePerHost      = 8
	idleTime         = 30 * time.Second
	pingAfter        = 3 * time.Second // without a frame from the peer
)

// errProxy is returned if the proxy refused the connection.
var errProxy = errors.New("the proxy refused")

// Sender posts events to endpoints. It is safe for concurrent use.
type Sender struct {
	client  *http.Client
	proxied *Guard // checks hosts before the proxy is called; nil without a proxy
	timeout time.Duration
	agent   string
}

// NewSender returns a sender. It follows no redirects, uses only the given proxy, and
// requires TLS 1.2 or newer. A proxy resolves host names itself, so it may use an address
// that the guard has not checked.
func NewSender(opt Options) (*Sender, error) {
	roots, err := x509.SystemCertPool()
	if err != nil {
		roots = x509.NewCertPool()
	}
	if opt.CAFile != "" {
		pem, err := os.ReadFile(opt.CAFile)
		if err != nil {
			return nil, fmt.Errorf("certificates for webhooks: %w", err)
		}
		if !roots.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("certificates for webhooks: %s has no PEM certificate", opt.CAFile)
		}
	}
	dialer := &net.Dialer{Timeout: opt.Timeout, ControlContext: opt.Guard.control, Resolver: opt.Guard.Resolver}
	transport := &http.Transport{
		DialContext: dialer.DialContext, ForceAttemptHTTP2: true,
		TLSClientConfig:     &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: roots},
		TLSHandshakeTimeout: opt.Timeout, ResponseHeaderTimeout: opt.Timeout, ExpectContinueTimeout: time.Second,
		MaxIdleConns: idleConns, MaxIdleConnsPerHost: idlePerHost, IdleConnTimeout: idleTime,
		MaxResponseHeaderBytes: maxAnswerHeaders, DisableCompression: true,
		// Detect dead connections before they cost another attempt.
		HTTP2: &http.HTTP2Config{SendPingTimeout: pingAfter, PingTimeout: pingAfter},
	}
	s := &Sender{timeout: opt.Timeout, agent: opt.Agent}
	if opt.Proxy != nil {
		s.proxied = opt.Guard
		dialer.ControlContext, dialer.Resolver = nil, nil
		transport.Proxy = http.ProxyURL(opt.Proxy)
		transport.OnProxyConnectResponse = func(_ context.Context, _ *url.URL, _ *http.Request, res *http.Response) error {
			if res.StatusCode != http.StatusOK {
				return errProxy
			}
			return nil
		}
	}
	s.client = &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return s, nil
}

// Close closes idle connections.
func (s *Sender) Close() { s.client.CloseIdleConnections() }

// Message is a request to an endpoint.
type Message struct {
	URL, Secret string
	Event       string // its type
	EventID     string // UUID
	Delivery    string // UUID
	Body        []byte // JSON
	At          time.Time
}

// Answer is the result of a message.
type Answer struct {
	Status  int // 0 without a response
	Latency time.Duration
	Excerpt string // of the body, valid UTF-8
	Error   string // user-facing reason of a failure; "" on success
}

// Send posts a message and waits for the response. If ctx ends first, the result is
// meaningless.
func (s *Sender) Send(ctx context.Context, m Message) (a Answer) {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	begun := time.Now()
	defer func() { a.Latency = time.Since(begun) }()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, m.URL, bytes.NewReader(m.Body))
	if err != nil {
		return Answer{Error: "The URL cannot be called."}
	}
	req.Header = http.Header{
		"Content-Type": {"application/json"}, "User-Agent": {s.agent}, "Accept": {"*/*"},
		"X-DAL-Signature": {Signature(m.Secret, m.At, m.Body)}, "X-DAL-Event": {m.Event}, "X-DAL-Delivery": {m.Delivery},
		"Webhook-Id": {m.EventID}, "Webhook-Timestamp": {strconv.FormatInt(m.At.Unix(), 10)},
		"Webhook-Signature": {StandardSignature(m.Secret, m.EventID, m.At, m.Body)},
		// Not sent: its presence lets net/http retry if a reused connection turns out to be
		// closed.
		"Idempotency-Key": {},
	}
	if s.proxied != nil && !s.proxied.permitsHost(ctx, req.URL.Hostname()) {
		return Answer{Error: s.explain(errNotPublic)}
	}
	res, err := s.client.Do(req)
	if err != nil {
		return Answer{Error: s.explain(err)}
	}
	defer res.Body.Close()
	a.Status = res.StatusCode
	body, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	a.Excerpt = excerpt(body)
	switch {
	case err != nil:
		a.Error = s.explain(err)
	case a.Status >= 300 && a.Status < 400:
		a.Error = fmt.Sprintf("The answer was %d, and redirects are not followed.", a.Status)
	case a.Status < 200 || a.Status >= 300:
		a.Error = fmt.Sprintf("The answer was %d instead of 2xx.", a.Status)
	}
	return a
}

// excerpt returns at most maxExcerpt bytes of a response as valid UTF-8.
func excerpt(b []byte) string {
	s := strings.ToValidUTF8(string(b[:min(len(b), maxExcerpt+utf8.UTFMax)]), "\uFFFD")
	if len(s) <= maxExcerpt {
		return s
	}
	n := maxExcerpt
	for !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// explain describes a failed request, without revealing more about the network than the
// owner of the endpoint knows.
func (s *Sender) explain(err error) string {
	var timeout net.Error
	switch {
	case errors.Is(err, errNotPublic):
		return "The host's address is not public: nothing was sent."
	case errors.Is(err, errProxy):
		return "The proxy refused to connect to the host."
	case asError[*net.DNSError](err) != nil:
		return "The host name cannot be resolved."
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return fmt.Sprintf("There was no full answer within %v.", s.timeout)
	}
	for _, e := range []error{
		asError[*tls.CertificateVerificationError](err), asError[x509.UnknownAuthorityError](err), asError[x509.HostnameError](err),
		asError[tls.RecordHeaderError](err),
	} {
		if e != nil {
			return "TLS: " + clip(strings.TrimPrefix(e.Error(), "tls: ")) + "."
		}
	}
	if e, ok := errors.AsType[*net.OpError](err); ok && (e.Op == "remote error" || e.Op == "local error") { // alert from crypto/tls
		return "TLS: " + clip(strings.TrimPrefix(e.Err.Error(), "tls: ")) + "."
	}
	if errors.Is(err, http.ErrSchemeMismatch) {
		return "TLS: the host does not speak it."
	}
	if e, ok := errors.AsType[syscall.Errno](err); ok {
		return "The connection failed: " + e.Error() + "."
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return "The connection was closed before the end of the answer."
	}
	return "The answer could not be read."
}

func asError[E error](err error) error {
	if e, ok := errors.AsType[E](err); ok {
		return e
	}
	return nil
}

func clip(s string) string {
	if len(s) > 200 {
		s = strings.ToValidUTF8(s[:200], "") + "…"
	}
	return s
}
