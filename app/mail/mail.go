// Package mail sends mails through the SMTP server that an admin has chosen.
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

// timeout bounds each step of a conversation with the server.
const timeout = 15 * time.Second

// maxSecretFile is how many bytes of a file with a password or certificates are read.
const maxSecretFile = 1 << 20

// A Server takes mails.
type Server struct {
	name    string // for people, without the password
	host    string
	from    *netmail.Address
	options []gomail.Option
}

// New returns the server that a URL names:
//
//	smtp://user:password@host:587   encrypted by STARTTLS, or not at all
//	smtps://user:password@host:465  encrypted from the start
//
// with ?from=, the address that mails come from, unless the user is one; password-file=, which
// has the password; ca-file=, PEM certificates to trust besides the system's; and tls=none, for a
// server on this machine or network that knows no encryption, and gets no password.
func New(text string) (*Server, error) {
	u, err := url.Parse(text)
	if err != nil { // its message has the URL, with the password
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

// String names the server, without its password.
func (s *Server) String() string { return s.name }

// A Message is a mail in plain text.
type Message struct {
	From, To      string // the name of who sends it, and an address
	Subject, Text string
}

// Refused is the error of a server that will never take a message for an address, although Check
// finds nothing wrong.
type Refused struct{ Err error }

func (r *Refused) Error() string { return r.Err.Error() }
func (r *Refused) Unwrap() error { return r.Err }

// Send hands a message over to the server. It is a *Refused if another attempt would be no use.
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

// Check logs in to the server and says who would send a message, but sends none.
func (s *Server) Check(ctx context.Context) error {
	return s.with(ctx, func(c *gomail.Client, talk *smtp.Client) error {
		if err := talk.Mail(s.from.Address); err != nil {
			return err
		}
		return c.ResetWithSMTPClient(talk)
	})
}

// with talks to the server once it has let us in. What it says at the farewell is of no interest.
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
