// Package mail sends mails through the SMTP server configured by the administrator.
package mail

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	netmail "net/mail"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	gomail "github.com/wneessen/go-mail"
	"github.com/wneessen/go-mail/smtp"
)

// timeout limits each step of an SMTP conversation.
const timeout = 15 * time.Second

// maxSecretFile is the maximum size of a password or certificate file, in bytes.
const maxSecretFile = 1 << 20

// A Server is an SMTP server.
type Server struct {
	name    string // for display, without the password
	host    string
	from    *netmail.Address
	options []gomail.Option
}

// New returns the server for a URL:
//
//	smtp://user:password@host:587   mandatory STARTTLS
//	smtps://user:password@host:465  TLS from the start
//
// The query may contain from=, the sender address, which defaults to the user if that is an
// address; password-file=, a file with the password; ca-file=, PEM certificates to trust in
// addition to the system's; and tls=none, for a server on this machine or network without
// encryption, to which no password is sent.
func New(text string) (*Server, error) {
	u, err := url.Parse(text)
	if err != nil { // the error contains the URL with the password
		return nil, errors.New("the URL of the mail server cannot be read")
	}
	ports := map[string]int{"smtp": 587, "smtps": 465}
	port, ok := ports[u.Scheme]
	if !ok || u.Hostname() == "" || u.Path != "" && u.Path != "/" || u.Opaque != "" || u.Fragment != "" {
		return nil, errors.New("the mail server is given as smtp://user:password@host:587 or smtps://user:password@host:465")
	}
	if u.Port() != "" {
		if port, err = strconv.Atoi(u.Port()); err != nil || port < 1 || port > 65535 {
			return nil, errors.New("the port of the mail server is a number from 1 to 65535")
		}
	}
	query, err := settings(u.RawQuery)
	if err != nil {
		return nil, err
	}
	s := &Server{name: fmt.Sprintf("%s://%s:%d", u.Scheme, u.Hostname(), port), host: u.Hostname()}
	s.options = []gomail.Option{gomail.WithPort(port), gomail.WithTimeout(timeout)}
	if err := s.encrypt(u.Scheme, query); err != nil {
		return nil, err
	}
	if err := s.login(u.User, query); err != nil {
		return nil, err
	}
	return s, s.sender(u.User.Username(), query.Get("from"))
}

func settings(raw string) (url.Values, error) {
	query, err := url.ParseQuery(raw)
	if err != nil {
		return nil, errors.New("what follows the ? in the URL of the mail server cannot be read")
	}
	for name, values := range query {
		if !slices.Contains([]string{"from", "tls", "ca-file", "password-file"}, name) || len(values) > 1 {
			return nil, fmt.Errorf("the URL of the mail server takes from, tls, ca-file and password-file, once each, not %q", name)
		}
	}
	return query, nil
}

func (s *Server) encrypt(scheme string, query url.Values) error {
	roots, err := x509.SystemCertPool()
	if err != nil {
		return err
	}
	if file := query.Get("ca-file"); file != "" {
		pem, err := read(file)
		if err != nil {
			return fmt.Errorf("certificates for the mail server: %w", err)
		}
		if !roots.AppendCertsFromPEM(pem) {
			return fmt.Errorf("certificates for the mail server: %s has no PEM certificate", file)
		}
	}
	s.options = append(s.options,
		gomail.WithTLSConfig(&tls.Config{MinVersion: tls.VersionTLS12, ServerName: s.host, RootCAs: roots}))
	switch how := query.Get("tls"); {
	case scheme == "smtps" && how == "":
		s.options = append(s.options, gomail.WithSSL())
	case scheme == "smtp" && how == "":
		s.options = append(s.options, gomail.WithTLSPolicy(gomail.TLSMandatory))
	case scheme == "smtp" && how == "none":
		s.options = append(s.options, gomail.WithTLSPolicy(gomail.NoTLS))
	default:
		return errors.New("the only tls= of a mail server is none, of smtp://")
	}
	return nil
}

func (s *Server) login(user *url.Userinfo, query url.Values) error {
	password, _ := user.Password()
	if file := query.Get("password-file"); file != "" {
		if password != "" {
			return errors.New("the password of the mail server is given in the URL or in a file, not in both")
		}
		text, err := read(file)
		if err != nil {
			return fmt.Errorf("the password of the mail server: %w", err)
		}
		password = strings.TrimRight(string(text), "\r\n")
	}
	switch {
	case (user.Username() == "") != (password == ""):
		return errors.New("the mail server needs a user and a password, or neither")
	case password == "":
		return nil
	case query.Get("tls") == "none":
		return errors.New("a password is not sent to a mail server without encryption")
	}
	s.options = append(s.options, gomail.WithSMTPAuth(gomail.SMTPAuthAutoDiscover),
		gomail.WithUsername(user.Username()), gomail.WithPassword(password))
	return nil
}

func (s *Server) sender(user, from string) error {
	if from == "" {
		from = user
	}
	address, err := netmail.ParseAddress(from)
	if err != nil {
		return errors.New("the URL of the mail server needs ?from=, the address that mails come from")
	}
	s.from = address
	return nil
}

func read(file string) ([]byte, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	if info.Size() > maxSecretFile {
		return nil, fmt.Errorf("%s is too large", file)
	}
	return os.ReadFile(file)
}

// String returns the address of the server, without its password.
func (s *Server) String() string { return s.name }

// A Message is a plain text mail.
type Message struct {
	From, To      string // name of the sender, and address of the recipient
	Subject, Text string
}

// Refused is the error of a server that permanently rejects a message although Check
// succeeds.
type Refused struct{ Err error }

func (r *Refused) Error() string { return r.Err.Error() }
func (r *Refused) Unwrap() error { return r.Err }

// Send sends a message through the server. The error is *Refused if a retry is pointless.
func (s *Server) Send(ctx context.Context, m Message) error {
	msg := gomail.NewMsg()
	msg.SetUserAgent("dal")
	name := m.From
	if s.from.Name != "" {
		name = s.from.Name
	}
	if err := errors.Join(msg.FromFormat(name, s.from.Address), msg.To(m.To)); err != nil {
		return &Refused{err}
	}
	msg.Subject(m.Subject)
	msg.SetDate()
	msg.SetMessageID()
	msg.SetGenHeader("Auto-Submitted", "auto-generated")
	msg.SetBodyString(gomail.TypeTextPlain, m.Text)
	return s.with(ctx, func(c *gomail.Client, talk *smtp.Client) error {
		err := c.SendWithSMTPClient(talk, msg)
		if e, ok := errors.AsType[*gomail.SendError](err); ok && e.ErrorCode() >= 500 && e.Reason != gomail.ErrSMTPMailFrom {
			return &Refused{err}
		}
		return err
	})
}

// Check signs in to the server and submits the sender, but sends no message.
func (s *Server) Check(ctx context.Context) error {
	return s.with(ctx, func(c *gomail.Client, talk *smtp.Client) error {
		if err := talk.Mail(s.from.Address); err != nil {
			return err
		}
		return c.ResetWithSMTPClient(talk)
	})
}

// with runs talk in an authenticated session. It ignores errors when the session is closed.
func (s *Server) with(ctx context.Context, talk func(*gomail.Client, *smtp.Client) error) error {
	c, err := gomail.NewClient(s.host, s.options...)
	if err != nil {
		return err
	}
	conn, err := c.DialToSMTPClientWithContext(ctx)
	if err != nil {
		return fmt.Errorf("%s: %w", s, err)
	}
	defer func() { _ = c.CloseWithSMTPClient(conn) }()
	if err := talk(c, conn); err != nil {
		return fmt.Errorf("%s: %w", s, err)
	}
	return nil
}
