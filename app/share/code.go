package share

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"log/slog"
	"math/big"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/digital-asset-library/dal/app/access"
	"github.com/digital-asset-library/dal/app/account"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/job"
	"github.com/digital-asset-library/dal/app/mail"
	"github.com/digital-asset-library/dal/storage"
)

const (
	codeLife    = 10 * time.Minute // validity of a code after sending, and time limit for sending it
	codeDigits  = 8
	MailWorkers = 2
	mailRetry   = 15 * time.Second // pause before an unavailable mail server is tried again
	mailDown    = time.Minute      // time after a failure during which guests immediately get an error
)

// Rate limits of emails requested by guests: a burst, and the interval at which another
// email is allowed after it.
const (
	mailsToAddress   = 5
	mailEvery        = 10 * time.Minute
	mailsOfShare     = 100
	shareMailEvery   = 10 * time.Second
	mailsOfNetwork   = 10
	networkMailEvery = time.Minute
)

// Mailer sends codes to guests. Responses to guests never depend on whether the share
// admits the address: that is checked only when the email is about to be sent.
type Mailer struct {
	server *mail.Server // nil if none is configured
	site   string
	store  *storage.Store
	jobs   *job.Queue
	asked  *account.Buckets
	log    *slog.Logger
	now    func() time.Time

	mu     sync.Mutex
	down   string // why the server is unavailable; "" if it is not
	downAt time.Time
}

// NewMailer returns a mailer of codes for guests. smtp is the URL of the mail server, ""
// for none; site is the name of the library in emails.
func NewMailer(smtp, site string, store *storage.Store, q *job.Queue, log *slog.Logger, now func() time.Time) (m *Mailer, err error) {
	m = &Mailer{
		site: site, store: store, jobs: q, asked: account.NewBuckets(now, 2*account.LoginBuckets), log: log, now: now,
	}
	if smtp != "" {
		m.server, err = mail.New(smtp)
	}
	return m, err
}

// note records whether the server is available.
func (m *Mailer) note(ctx context.Context, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	was := m.down
	m.down, m.downAt = "", m.now()
	if err != nil {
		m.down = err.Error()
	}
	if m.down != "" && was == "" {
		m.log.WarnContext(ctx, "mails cannot be sent", "err", err)
	}
}

// isDown reports whether the server was unavailable a moment ago.
func (m *Mailer) isDown() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.down != "" && m.now().Sub(m.downAt) < mailDown
}

// MailStatus is the state of the mail server.
type MailStatus struct {
	Server string
	Down   string // why the latest attempt failed; "" if it did not
}

// Status returns nil if no mail server is configured.
func (m *Mailer) Status() *MailStatus {
	if m.server == nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return &MailStatus{m.server.String(), m.down}
}

// SendsMail reports whether a mail server is configured, so that guests verify their
// addresses.
func (sh *Shares) SendsMail() bool { return sh.Mailer.server != nil }

// CheckMail describes the state of the mail server in words; "" if none is configured.
func (sh *Shares) CheckMail(ctx context.Context) string {
	s := sh.Mailer.server
	if s == nil {
		return ""
	}
	if err := s.Check(ctx); err != nil {
		return "does not take mails: " + err.Error()
	}
	return fmt.Sprintf("%s takes mails", s)
}

// errMailDown is returned to guests who enter an address, admitted or not.
var errMailDown = dam.InvalidField("email", "The mail could not be sent. Try again later.")

// mayAsk counts an email requested by a guest, and returns an error if there were too many.
func (m *Mailer) mayAsk(ctx context.Context, v *Visit, email string) error {
	if m.isDown() {
		return errMailDown
	}
	_, wait := m.asked.Take(
		account.Bucket{Key: "address " + strings.ToLower(email), Rate: rate.Every(mailEvery), Burst: mailsToAddress},
		account.Bucket{Key: fmt.Sprintf("share %d", v.ID), Rate: rate.Every(shareMailEvery), Burst: mailsOfShare},
		account.Bucket{Key: "network " + account.Network(access.CallerOf(ctx).IP), Rate: rate.Every(networkMailEvery), Burst: mailsOfNetwork},
	)
	if wait > 0 {
		return &dam.Error{Kind: dam.TooMany, Msg: "Too Many Attempts.", Err: &account.RetryAfter{Wait: wait}}
	}
	return nil
}

// Address returns the address that a guest has entered and must verify; "" for none.
func (v *Visit) Address() string {
	if v.code == nil {
		return ""
	}
	return v.code.Email
}

// MailFailed reports whether the last attempt to send the code failed.
func (v *Visit) MailFailed() bool { return v.code != nil && v.code.Failed }

// awaitCode finds the code that the guest must enter.
func (v *Visit) awaitCode(tx *storage.Tx) (err error) {
	if v.Gate != GateEmail || v.visit == nil {
		return nil
	}
	v.code, err = tx.CodeOfVisit(v.visit.ID)
	switch {
	case err == nil:
		v.Gate = GateCode
	case dam.KindOf(err) == dam.NotFound:
		v.code, err = nil, nil
	}
	return err
}

// Introduce accepts the email address of a guest. With a mail server, it sends a code to
// the address if the share admits it; the response is the same if it does not.
func (g *Guests) Introduce(ctx context.Context, key GuestKey, email string, language dam.Language) (cookie string, err error) {
	if g.Mailer.server == nil {
		return g.introduce(ctx, key, email)
	}
	ctx = access.ByNobody(ctx)
	email = strings.TrimSpace(email)
	return g.pass(ctx, key, GateEmail, func(v *Visit) error {
		if err := g.tryEmail(ctx, v, email); err != nil {
			return err
		}
		return g.Mailer.mayAsk(ctx, v, email)
	}, func(tx *storage.Tx, v *Visit) error {
		if err := tx.PutShareVisit(v.visit); err != nil {
			return err
		}
		c := &dam.ShareCode{
			VisitID: v.visit.ID, Email: email, IP: access.CallerOf(ctx).IP, Language: language, ExpiresAt: tx.Now().Add(codeLife),
		}
		if err := tx.InsertCode(c); err != nil {
			return err
		}
		action := dam.ShareRefused
		if v.Access.Admits(email) {
			action = dam.ShareCodeAsked
		}
		if err := g.enterFor(ctx, tx, v, action, email); err != nil {
			return err
		}
		return g.Mailer.jobs.Add(tx, dam.JobMail, c.ID)
	})
}

// enterFor writes to the access log with an unverified address.
func (g *Guests) enterFor(ctx context.Context, tx *storage.Tx, v *Visit, action dam.ShareAction, email string) error {
	of := *v
	of.visit = &dam.ShareVisit{Email: email}
	return g.enter(ctx, tx, &of, action, "")
}

// Forget forgets the unverified address of a guest, so that another one can be entered.
func (g *Guests) Forget(ctx context.Context, key GuestKey) error {
	ctx = access.ByNobody(ctx)
	return g.Store.Update(ctx, func(tx *storage.Tx) error {
		v, err := decide(ctx, tx, key)
		if err != nil || v.Gate != GateCode {
			return err
		}
		return tx.DeleteCode(v.visit.ID)
	})
}

// Confirm verifies the address of a guest by the code sent to it. Each attempt counts, and
// is committed before the response.
func (g *Guests) Confirm(ctx context.Context, key GuestKey, typed string) error {
	ctx = access.ByNobody(ctx)
	v, err := g.look(ctx, key)
	if err != nil || v.Gate != GateCode { // another window has passed it
		return err
	}
	if err := g.try(ctx, v); err != nil {
		return err
	}
	var wrong error
	err = g.Store.Update(ctx, func(tx *storage.Tx) error {
		wrong = nil
		v, err := decide(ctx, tx, key)
		if err != nil || v.Gate != GateCode {
			return err
		}
		wrong, err = g.confirm(ctx, tx, v, typed)
		return err
	})
	return cmp.Or(err, wrong)
}

func (g *Guests) confirm(ctx context.Context, tx *storage.Tx, v *Visit, typed string) (wrong, err error) {
	c := v.code
	if !c.Usable(tx.Now()) {
		return dam.InvalidField("code", "The code can no longer be used. Ask for another one."), nil
	}
	if subtle.ConstantTimeCompare(c.Hash, codeHash(c, typed)) != 1 {
		c.Tries++
		wrong = dam.InvalidField("code", "The code is wrong.")
		return wrong, cmp.Or(tx.SetCode(c), g.enterFor(ctx, tx, v, dam.ShareCodeWrong, c.Email))
	}
	v.visit.Email, v.visit.EmailVerified = c.Email, true
	return nil, errors.Join(tx.DeleteCode(v.visit.ID), tx.PutShareVisit(v.visit), g.enter(ctx, tx, v, dam.ShareVerified, ""))
}

// codeHash returns the stored hash of a code as entered by a guest; only its digits count.
func codeHash(c *dam.ShareCode, typed string) []byte {
	digits := strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, typed)
	sum := sha256.Sum256(fmt.Appendf(nil, "dal code %d %s", c.ID, digits))
	return sum[:]
}

// Work sends a guest's code. Each attempt creates a new one; only the latest is valid.
func (m *Mailer) Work(ctx context.Context, j *dam.Job) (job.Commit, error) {
	var c *dam.ShareCode
	var s *dam.Share
	err := m.store.View(ctx, func(tx *storage.Tx) (err error) {
		if c, err = tx.ShareCode(j.Subject); err == nil {
			s, err = tx.Share(c.ShareID)
		}
		return err
	})
	if dam.KindOf(err) == dam.NotFound { // the guest has requested another one, or the share was revoked
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if m.server == nil || !m.now().Before(c.CreatedAt.Add(codeLife)) {
		return m.failed(ctx, c, errors.New("there was no mail server that answered in time")), nil
	}
	code, err := m.renew(ctx, c)
	if err != nil {
		return nil, gone(err)
	}
	if s.Access.Admits(c.Email) {
		err = m.server.Send(ctx, codeMail(m.site, c, code))
	} else {
		err = m.server.Check(ctx) // so that the page shows the same errors while no server is available
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if _, refused := errors.AsType[*mail.Refused](err); refused {
		m.note(ctx, nil)
		return m.failed(ctx, c, err), nil
	}
	m.note(ctx, err)
	if noted := m.failing(ctx, c.ID, err != nil); noted != nil || err == nil {
		return nil, noted
	}
	return nil, &job.Later{After: mailRetry, Err: err, All: true}
}

// renew creates a new code, which is stored before the email is sent, and returns it.
func (m *Mailer) renew(ctx context.Context, c *dam.ShareCode) (string, error) {
	n, err := rand.Int(rand.Reader, new(big.Int).Exp(big.NewInt(10), big.NewInt(codeDigits), nil))
	if err != nil {
		return "", err
	}
	code := fmt.Sprintf("%0*d", codeDigits, n)
	return code, m.store.Update(ctx, func(tx *storage.Tx) error {
		now, err := tx.ShareCode(c.ID)
		if err != nil {
			return err
		}
		now.Hash, now.ExpiresAt = codeHash(c, code), tx.Now().Add(codeLife)
		return tx.SetCode(now)
	})
}

// gone returns no error for a code that nobody waits for any longer.
func gone(err error) error {
	if dam.KindOf(err) == dam.NotFound {
		return nil
	}
	return err
}

// failing records for the guest's page whether sending the code failed.
func (m *Mailer) failing(ctx context.Context, id int64, failed bool) error {
	return m.store.Update(ctx, func(tx *storage.Tx) error {
		c, err := tx.ShareCode(id)
		if err != nil || c.Failed == failed {
			return gone(err)
		}
		c.Failed = failed
		return tx.SetCode(c)
	})
}

// failed gives up on an email, and records that in the share's access log.
func (m *Mailer) failed(ctx context.Context, c *dam.ShareCode, why error) job.Commit {
	m.log.WarnContext(ctx, "a mail to a guest was given up", "share", c.ShareID, "err", why)
	return func(tx *storage.Tx) error {
		return tx.InsertShareEntry(&dam.ShareEntry{ShareID: c.ShareID, Action: dam.ShareMailFailed, Email: c.Email, IP: c.IP})
	}
}

// codeMail returns the email with a code.
func codeMail(site string, c *dam.ShareCode, code string) mail.Message {
	code = code[:codeDigits/2] + " " + code[codeDigits/2:]
	m := mail.Message{
		From: site, To: c.Email, Subject: "Your code for " + site,
		Text: "Your code is " + code + "\r\n\r\n" +
			"Type it on the page that asked for it. It can be used for 10 minutes. If several codes have come, the last one counts.\r\n\r\n" +
			"If you have not asked for it, somebody has typed your address by mistake. You need not do anything.\r\n",
	}
	if c.Language == dam.German {
		m.Subject = "Ihr Code für " + site
		m.Text = "Ihr Code ist " + code + "\r\n\r\n" +
			"Geben Sie ihn auf der Seite ein, die danach gefragt hat. Er gilt 10 Minuten. Sind mehrere gekommen, gilt der letzte.\r\n\r\n" +
			"Wenn Sie ihn nicht angefordert haben, hat jemand Ihre Adresse versehentlich eingegeben. Sie müssen nichts tun.\r\n"
	}
	return m
}
