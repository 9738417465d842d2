package web_test

import (
	"crypto/tls"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/quotedprintable"
	"net"
	"net/http/httptest"
	"net/mail"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/web"
)

// mailServer is an independent mail server with TLS and a password.
type mailServer struct {
	url   string
	down  atomic.Bool // refuses every login
	full  atomic.Bool // permanently refuses every recipient
	calls atomic.Int64

	mu    sync.Mutex
	mails []*letter
	news  chan struct{}
}

// letter is a received mail.
type letter struct{ to, subject, text string }

func newMailServer(t testing.TB) *mailServer {
	t.Helper()
	m := &mailServer{news: make(chan struct{}, 100)}
	keys := httptest.NewTLSServer(nil) // for its certificate for 127.0.0.1
	t.Cleanup(keys.Close)
	ca := filepath.Join(t.TempDir(), "ca.pem")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: keys.Certificate().Raw})
	if err := os.WriteFile(ca, text, 0o600); err != nil {
		t.Fatal(err)
	}
	password := filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(password, []byte("let me in\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := smtp.NewServer(m)
	s.Domain = "127.0.0.1"
	s.TLSConfig = &tls.Config{Certificates: keys.TLS.Certificates, MinVersion: tls.VersionTLS12}
	go func() { _ = s.Serve(ln) }()
	t.Cleanup(func() { s.Close() })
	m.url = fmt.Sprintf("smtp://dal@%s?from=Museum%%20%%3Cmuseum@example.com%%3E&ca-file=%s&password-file=%s", ln.Addr(), ca, password)
	return m
}

func (m *mailServer) NewSession(*smtp.Conn) (smtp.Session, error) {
	m.calls.Add(1)
	return &mailSession{server: m}, nil
}

type mailSession struct {
	server *mailServer
	known  bool
	to     string
}

func (*mailSession) AuthMechanisms() []string { return []string{sasl.Plain} }

func (s *mailSession) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		if s.server.down.Load() || user != "dal" || password != "let me in" {
			return smtp.ErrAuthFailed
		}
		s.known = true
		return nil
	}), nil
}

func (s *mailSession) Mail(from string, _ *smtp.MailOptions) error {
	if !s.known || from != "museum@example.com" {
		return errors.New("the sender is not known")
	}
	return nil
}

func (s *mailSession) Rcpt(to string, _ *smtp.RcptOptions) error {
	if s.server.full.Load() {
		return &smtp.SMTPError{Code: 550, EnhancedCode: smtp.EnhancedCode{5, 1, 1}, Message: "no such mailbox"}
	}
	s.to = to
	return nil
}

func (s *mailSession) Data(r io.Reader) error {
	m, err := mail.ReadMessage(r)
	if err != nil {
		return err
	}
	body := m.Body
	if m.Header.Get("Content-Transfer-Encoding") == "quoted-printable" {
		body = quotedprintable.NewReader(body)
	}
	text, err := io.ReadAll(body)
	if err != nil {
		return err
	}
	subject, err := new(mime.WordDecoder).DecodeHeader(m.Header.Get("Subject"))
	if err != nil {
		return err
	}
	s.server.mu.Lock()
	s.server.mails = append(s.server.mails, &letter{s.to, subject, string(text)})
	s.server.mu.Unlock()
	s.server.news <- struct{}{}
	return nil
}

func (*mailSession) Reset()        {}
func (*mailSession) Logout() error { return nil }

// next waits for the next mail.
func (m *mailServer) next(t testing.TB) *letter {
	t.Helper()
	select {
	case <-m.news:
	case <-time.After(30 * time.Second):
		t.Fatal("no mail came")
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.mails[len(m.mails)-1]
}

var codeInMail = regexp.MustCompile(`\d{4} \d{4}`)

func (l *letter) code(t testing.TB) string {
	t.Helper()
	code := codeInMail.FindString(l.text)
	if code == "" {
		t.Fatalf("there is no code in %q", l.text)
	}
	return code
}

// A guest verifies an address with the mailed code: not with another code, not too late,
// and not by guessing.
func TestShareMailsCode(t *testing.T) {
	t.Parallel()
	m := newMailServer(t)
	s, clock := standing(t, func(c *app.Config, _ *web.Options) { c.SMTP, c.SiteName = m.url, "Harbour Museum" })
	gaid := s.pictures(t, 1)[0]
	path, page := s.share(t, shareOf(`,"access":{"email_domains":["example.com"],"require_terms":true},"terms_text":"Be nice."`, gaid))
	g := s.guest(t)
	wrongs := func(want string, code string) {
		t.Helper()
		if a := g.answers(t, page, "code", code); a.StatusCode != 422 || !strings.Contains(string(a.body), want) {
			t.Errorf("%q: %d %s", code, a.StatusCode, a.body)
		}
	}
	g.header.Set("Accept-Language", "de")
	g.answers(t, page, "email", "bo@example.com").want(t, 303)
	first := m.next(t)
	if first.to != "bo@example.com" || first.subject != "Ihr Code für Harbour Museum" || strings.Contains(first.text, "http") {
		t.Errorf("%+v", first)
	}
	g.header.Del("Accept-Language")
	g.get(t, page+"/assets/"+gaid+"/thumbnail").want(t, 303)
	for range 5 {
		wrongs("The code is wrong.", "0000 000")
	}
	wrongs("can no longer be used", first.code(t))

	clock.ahead.Add(int64(time.Minute)) // guessing is limited too
	g.answers(t, page, "again", "1").want(t, 303)
	g.answers(t, page, "email", "Bo@Example.com").want(t, 303)
	second := m.next(t)
	if second.subject != "Your code for Harbour Museum" || second.code(t) == first.code(t) {
		t.Errorf("%+v", second)
	}
	wrongs("The code is wrong.", first.code(t))
	other := s.guest(t)
	other.answers(t, page, "email", "eve@example.com").want(t, 303)
	m.next(t)
	if a := other.answers(t, page, "code", second.code(t)); a.StatusCode != 422 {
		t.Errorf("the code of another browser: %d", a.StatusCode)
	}
	clock.ahead.Add(int64(10 * time.Minute))
	wrongs("can no longer be used", second.code(t))

	g.answers(t, page, "again", "1").want(t, 303)
	g.answers(t, page, "email", "bo@example.com").want(t, 303)
	third := m.next(t)
	g.answers(t, page, "code", strings.ReplaceAll(third.code(t), " ", "")).want(t, 303)
	g.answers(t, page, "name", "Bo Ek").want(t, 303)
	g.get(t, page).want(t, 200)
	g.get(t, page+"/assets/"+gaid+"/thumbnail").want(t, 200)

	log := s.do(t, "GET", path+"/access-logs", "").want(t, 200)
	log.shows(t, "data", "action", "view", "accept_terms", "verify_email", "ask_code", "wrong_code", "ask_code",
		"wrong_code", "ask_code", "wrong_code", "wrong_code", "wrong_code", "wrong_code", "wrong_code", "ask_code")
	log.shows(t, "data", "email_verified", strings.Fields("true true true"+strings.Repeat(" false", 11))...)
	if c := s.do(t, "GET", "/api/v1/consents", "").want(t, 200); c.get("data.0.email_verified") != true {
		t.Errorf("%s", c)
	}
	if a := s.do(t, "GET", "/api/v1/status", "").want(t, 200); a.get("data.mail.is_reachable") != true ||
		strings.Contains(string(a.body), "let me in") {
		t.Errorf("%s", a)
	}
}

// An address that the share does not admit gets the same answer as one that it does, but no
// mail, whether or not the mail server works.
func TestShareMailTellsNothing(t *testing.T) {
	t.Parallel()
	m := newMailServer(t)
	s, clock := standing(t, func(c *app.Config, _ *web.Options) { c.SMTP = m.url })
	gaid := s.pictures(t, 1)[0]
	path, page := s.share(t, shareOf(`,"access":{"emails":["bo@example.com"]}`, gaid))
	mark := regexp.MustCompile(`name="form" value="[^"]*"`)
	sees := func(email string, mails bool) (pages string) {
		t.Helper()
		g, calls := s.guest(t), m.calls.Load()
		a := g.answers(t, page, "email", email)
		pages = fmt.Sprint(a.StatusCode, string(mark.ReplaceAll(a.body, nil)))
		if a.StatusCode == 303 {
			if mails {
				m.next(t)
			}
			repeated(t, page, func() answer { return g.get(t, page) }, func(a answer) bool {
				failed := strings.Contains(string(a.body), "The mail could not be sent.")
				return m.calls.Load() > calls && failed == m.down.Load()
			})
			pages += string(mark.ReplaceAll(g.get(t, page).want(t, 200).body, nil))
			a = g.answers(t, page, "code", "1234 5678")
			pages += fmt.Sprint(a.StatusCode, string(mark.ReplaceAll(a.body, nil)))
		}
		return strings.ReplaceAll(pages, email, "EMAIL")
	}
	same := func(what string, mails bool) string {
		t.Helper()
		admitted, not := sees("bo@example.com", mails), sees("no@example.com", false)
		if admitted != not {
			t.Errorf("%s: the pages are\n%s\nand\n%s", what, admitted, not)
		}
		return admitted
	}
	if got := same("with a mail server", true); !strings.Contains(got, "If EMAIL has access to this page, we emailed") {
		t.Errorf("%s", got)
	}
	m.full.Store(true)
	same("with a mailbox that refuses", false)
	s.until(t, path+"/access-logs", func(a answer) bool { return strings.Contains(string(a.body), `"mail_failed"`) })
	clock.ahead.Add(int64(time.Hour))
	m.down.Store(true)
	admitted := sees("bo@example.com", false)
	if !strings.Contains(admitted, "The mail could not be sent.") {
		t.Errorf("%s", admitted)
	}
	if a := s.guest(t).answers(t, page, "email", "no@example.com"); a.StatusCode != 422 ||
		!strings.Contains(string(a.body), "The mail could not be sent.") {
		t.Errorf("while it is known to be down: %d %s", a.StatusCode, a.body)
	}
	s.until(t, "/api/v1/status", func(a answer) bool { return strings.Contains(string(a.body), "mail_down") })
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, l := range m.mails {
		if l.to != "bo@example.com" {
			t.Errorf("%s was sent a mail", l.to)
		}
	}
}

// The number of mails is limited, to one address and to many.
func TestShareMailLimits(t *testing.T) {
	t.Parallel()
	m := newMailServer(t)
	s, clock := standing(t, func(c *app.Config, _ *web.Options) { c.SMTP = m.url })
	_, page := s.share(t, shareOf(`,"access":{"require_email":true}`, s.pictures(t, 1)[0]))
	for _, tt := range []struct {
		email string
		sent  int
	}{{"bo@example.com", 5}, {"%d@example.com", 10}} {
		for i := range tt.sent + 1 {
			email := tt.email
			if strings.Contains(email, "%") {
				email = fmt.Sprintf(email, i)
			}
			a := s.guest(t).answers(t, page, "email", email)
			if (a.StatusCode == 303) != (i < tt.sent) || i == tt.sent && (a.StatusCode != 429 || a.Header.Get("Retry-After") == "") {
				t.Errorf("%d mails to %s: %d", i, tt.email, a.StatusCode)
			}
			if i < 5 {
				m.next(t)
			}
		}
		clock.ahead.Add(int64(10 * time.Minute))
	}
}

// Errors in a mail server's URL are reported without its password.
func TestMailServerURL(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ url, want string }{
		{"http://mail.example.com", "is given as smtp://"},
		{"smtp://:secret@h\x7f", "cannot be read"},
		{"smtp://me:secret@h", "needs ?from="},
		{"smtp://me@h?from=a@b.c", "a user and a password, or neither"},
		{"smtp://me:secret@h?from=a@b.c&tls=none", "without encryption"},
		{"smtps://me:secret@h?from=a@b.c&tls=none", "the only tls="},
		{"smtp://me:secret@h:0?from=a@b.c", "from 1 to 65535"},
		{"smtp://me:secret@h?from=a@b.c&password-file=x", "not in both"},
		{"smtp://me:secret@h?form=a@b.c", `not "form"`},
		{"smtp://me:secret@h?from=a@b.c&ca-file=/dev/null", "no PEM certificate"},
	} {
		cfg := app.DefaultConfig()
		cfg.DataDir, cfg.SMTP = t.TempDir(), tt.url
		a, err := app.Open(t.Context(), cfg)
		if err == nil {
			a.Close()
		}
		if text := fmt.Sprint(err); err == nil || !strings.Contains(text, tt.want) || strings.Contains(text, "secret") {
			t.Errorf("%s: %v", tt.url, err)
		}
	}
}
