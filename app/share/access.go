package share

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"

	"golang.org/x/time/rate"

	"github.com/digital-asset-library/dal/app/access"
	"github.com/digital-asset-library/dal/app/account"
	"github.com/digital-asset-library/dal/app/analytics"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/find"
	"github.com/digital-asset-library/dal/app/original"
	"github.com/digital-asset-library/dal/app/render"
	"github.com/digital-asset-library/dal/storage"
)

// Guests serves shares to people without an account. decide alone determines whether a
// request gets access.
type Guests struct {
	Store      *storage.Store
	Finder     *find.Finder
	Originals  *original.Files
	Renditions *render.Renditions
	Proxies    *render.Proxies
	Stripped   *render.StrippedCopies
	Passwords  *account.Hasher
	Attempts   *account.Buckets
	Mailer     *Mailer
	Analytics  *analytics.Analytics
	Log        *slog.Logger
	Now        func() time.Time
}

const (
	// VisitLife is how long a browser that has passed the gates of a share is recognized.
	VisitLife = 12 * time.Hour
	// shareKeep is the approximate number of access log entries kept per share and action,
	// and of visits kept per share without other data: see trimEvery.
	shareKeep = 10_000
	trimEvery = 100 // entries between trims
)

// Rate limits of attempts at the password or email gate of a share: a burst, and the
// interval at which another attempt is allowed after it.
const (
	triesOfPair    = 10 // per share and network
	tryEvery       = 12 * time.Second
	triesOfNetwork = 100 // per network, for all shares
	networkTry     = 1200 * time.Millisecond
)

// A GuestKey holds the credentials of a guest's request.
type GuestKey struct {
	Token  string // from the URL
	Cookie string // of the visit; "" for none
	Embed  bool   // whether the request is for an embed page
}

// A Gate is the next requirement of a share for a guest.
type Gate string

// The gates, in order.
const (
	GateOpen     Gate = ""
	GatePassword Gate = "password"
	GateEmail    Gate = "email"
	GateCode     Gate = "code" // emailed to the address
	GateTerms    Gate = "terms"
)

// Visit is a share as seen by a guest's request.
type Visit struct {
	*dam.Share
	Gate Gate

	key   GuestKey
	visit *dam.ShareVisit // nil for an unknown browser
	code  *dam.ShareCode  // for GateCode
	owner *dam.User
}

// errNoShare is the response to unknown tokens and to everything else that is not shown.
var errNoShare = dam.Errorf(dam.NotFound, "There is nothing here.")

// ErrGate is returned if the guest must open the page of the share first.
var ErrGate = errors.New("the page of the share has to be opened first")

// errUsedUp is returned if a share has reached its maximum number of downloads.
var errUsedUp = dam.Errorf(dam.Gone, "This share has been downloaded as often as it may be.")

// decide resolves a request to a share. Everything that excludes a guest permanently
// results in the same NotFound: an unknown token; a share that was revoked, has expired or
// has reached its maximum number of visits; a disabled owner, or one without the right to
// share; an IP address out of range; nothing left to show; and an embed requested as a
// share or vice versa.
func decide(ctx context.Context, tx *storage.Tx, key GuestKey) (*Visit, error) {
	s, err := tx.OpenShare(account.HashOf(key.Token), access.SharingRoles())
	if dam.KindOf(err) == dam.NotFound || err == nil && !s.Access.AdmitsFrom(access.CallerOf(ctx).IP) {
		return nil, errNoShare
	}
	if err == nil && (s.Type == dam.ShareEmbed) != key.Embed {
		err = errNoShare
	}
	if err != nil {
		return nil, err
	}
	v := &Visit{Share: s, key: key}
	if v.owner, err = tx.User(s.CreatedByID); err != nil {
		return nil, err
	}
	if err := stillThere(tx, v); err != nil {
		return nil, err
	}
	if key.Cookie != "" {
		v.visit, err = tx.ShareVisit(s.ID, account.HashOf(key.Cookie))
		if dam.KindOf(err) == dam.NotFound {
			v.visit, err = nil, nil
		}
		if err != nil {
			return nil, err
		}
	}
	if most := s.Access.MaxViews; most != nil && s.ViewCount >= *most && !v.counted() {
		return nil, errNoShare
	}
	v.Gate = v.gate()
	return v, v.awaitCode(tx)
}

// stillThere returns errNoShare if a share has nothing left to show, or only content that
// its owner may no longer view.
func stillThere(tx *storage.Tx, v *Visit) error {
	if v.Type == dam.ShareHandIn {
		return stillTakes(tx, v)
	}
	if v.OfCollection() {
		_, err := tx.Collection(access.Viewer(dam.Actor{User: v.owner}), v.CollectionID)
		if dam.KindOf(err) == dam.NotFound {
			return errNoShare
		}
		return err
	}
	_, total, err := tx.ShareAssets(v.ID, dam.Page{})
	if err == nil && total == 0 {
		return errNoShare
	}
	return err
}

func (v *Visit) counted() bool { return v.visit != nil && v.visit.Counted }

func (v *Visit) gate() Gate {
	passed := v.visit
	if passed == nil {
		passed = &dam.ShareVisit{}
	}
	switch {
	case v.HasPassword && passed.PasswordVersion != v.PasswordVersion:
		return GatePassword
	case v.Access.AsksEmail() && (passed.Email == "" || !v.Access.Admits(passed.Email)):
		return GateEmail
	case v.Access.RequireTerms && passed.TermsVersion != v.TermsVersion:
		return GateTerms
	}
	return GateOpen
}

// IsOpen reports whether the files of a share are accessible.
func (v *Visit) isOpen() bool { return v.Gate == GateOpen && (!v.NeedsVisit() || v.counted()) }

// look runs decide in a separate transaction.
func (g *Guests) look(ctx context.Context, key GuestKey) (v *Visit, err error) {
	err = g.Store.View(ctx, func(tx *storage.Tx) error {
		v, err = decide(ctx, tx, key)
		return err
	})
	return v, err
}

// Open opens the page of a share, unless a gate is closed. The first time, it counts a
// visit and commits that before it returns. cookie is the cookie to set, "" to keep the
// current one.
func (g *Guests) Open(ctx context.Context, key GuestKey) (v *Visit, cookie string, err error) {
	ctx = access.ByNobody(ctx)
	if v, err = g.look(ctx, key); err != nil || v.Gate != GateOpen || v.counted() {
		return v, "", err
	}
	err = g.Store.Update(ctx, func(tx *storage.Tx) error {
		cookie = ""
		if v, err = decide(ctx, tx, key); err != nil || v.Gate != GateOpen || v.counted() {
			return err
		}
		if ok, err := tx.CountView(v.ID); err != nil || !ok {
			return cmp.Or[error](err, errNoShare)
		}
		cookie = v.passes(func(p *dam.ShareVisit) { p.Counted = true }, tx.Now())
		if err := tx.PutShareVisit(v.visit); err != nil {
			return err
		}
		return g.enter(ctx, tx, v, dam.ShareViewed, "")
	})
	return v, cookie, err
}

// passes calls what with the guest's visit. For an unknown browser, it first creates a
// visit, and returns its cookie.
func (v *Visit) passes(what func(*dam.ShareVisit), now time.Time) (cookie string) {
	if v.visit == nil {
		cookie = account.RandomText(24)
		v.key.Cookie = cookie
		v.visit = &dam.ShareVisit{ShareID: v.ID, Hash: account.HashOf(cookie), ExpiresAt: now.Add(v.life())}
	}
	what(v.visit)
	return cookie
}

// enter writes to the access log of a share, and counts the action in analytics.
func (g *Guests) enter(ctx context.Context, tx *storage.Tx, v *Visit, action dam.ShareAction, gaid dam.GAID) error {
	_, err := g.entered(ctx, tx, v, action, gaid)
	return err
}

// entered is enter, and returns the ID of the entry.
func (g *Guests) entered(ctx context.Context, tx *storage.Tx, v *Visit, action dam.ShareAction, gaid dam.GAID) (int64, error) {
	e := v.entry(ctx, action, gaid)
	if err := tx.InsertShareEntry(e); err != nil {
		return 0, err
	}
	if n := countsOf(action); n != (dam.Counts{}) {
		if err := g.Analytics.In(ctx, tx, dam.CountKey{Channel: dam.ChannelShare, ShareID: v.ID, GAID: gaid}, n); err != nil {
			return 0, err
		}
	}
	if e.ID%trimEvery != 0 {
		return e.ID, nil
	}
	return e.ID, cmp.Or(tx.TrimShareLog(v.ID, action, shareKeep), tx.TrimShareVisits(v.ID, shareKeep))
}

// entry returns the access log entry of a guest's action.
func (v *Visit) entry(ctx context.Context, action dam.ShareAction, gaid dam.GAID) *dam.ShareEntry {
	c := access.CallerOf(ctx)
	e := &dam.ShareEntry{ShareID: v.ID, Action: action, GAID: gaid, IP: c.IP, UserAgent: clipped(dam.Printable(c.UserAgent))}
	if v.visit != nil {
		e.Email, e.EmailVerified, e.VisitID = v.visit.Email, v.visit.EmailVerified, v.visit.ID
	}
	return e
}

// countsOf returns the analytics counts of a guest's action.
func countsOf(action dam.ShareAction) dam.Counts {
	switch action {
	case dam.ShareViewed:
		return dam.Counts{Visits: 1}
	case dam.SharePlayed:
		return dam.Counts{Plays: 1}
	case dam.ShareDownloaded, dam.ShareArchived:
		return dam.Counts{Downloads: 1}
	}
	return dam.Counts{}
}

// maxAgent is the maximum length of a stored user agent in bytes.
const maxAgent = 500

func clipped(s string) string {
	if len(s) > maxAgent {
		s = strings.ToValidUTF8(s[:maxAgent], "")
	}
	return s
}

// try counts an attempt at a gate, and returns an error if there were too many.
func (g *Guests) try(ctx context.Context, v *Visit) error {
	from := account.Network(access.CallerOf(ctx).IP)
	_, wait := g.Attempts.Take(
		account.Bucket{Key: "network " + from, Rate: rate.Every(networkTry), Burst: triesOfNetwork},
		account.Bucket{Key: fmt.Sprintf("share %d %s", v.ID, from), Rate: rate.Every(tryEvery), Burst: triesOfPair},
	)
	if wait > 0 {
		return &dam.Error{Kind: dam.TooMany, Msg: "Too Many Attempts.", Err: &account.RetryAfter{Wait: wait}}
	}
	return nil
}

// pass lets a guest through the current gate if check succeeds. check runs outside the
// transaction, because it may take long.
func (g *Guests) pass(
	ctx context.Context, key GuestKey, gate Gate, check func(*Visit) error, commit func(*storage.Tx, *Visit) error,
) (cookie string, err error) {
	ctx = access.ByNobody(ctx)
	v, err := g.look(ctx, key)
	if err != nil || v.Gate != gate { // another window has passed it
		return "", err
	}
	if err := check(v); err != nil {
		return "", err
	}
	return cookie, g.Store.Update(ctx, func(tx *storage.Tx) error {
		if v, err = decide(ctx, tx, key); err != nil || v.Gate != gate {
			return err
		}
		cookie = v.passes(func(*dam.ShareVisit) {}, tx.Now())
		if err := commit(tx, v); err != nil {
			return err
		}
		return tx.PutShareVisit(v.visit)
	})
}

// refuse records in the access log that a guest was rejected, and returns why.
func (g *Guests) refuse(ctx context.Context, v *Visit, action dam.ShareAction, email string, why error) error {
	return cmp.Or(g.Store.Update(ctx, func(tx *storage.Tx) error {
		if email == "" {
			return g.enter(ctx, tx, v, action, "")
		}
		return g.enterFor(ctx, tx, v, action, email)
	}), why)
}

// Unlock checks the password of a share entered by a guest.
func (g *Guests) Unlock(ctx context.Context, key GuestKey, password string) (cookie string, err error) {
	ctx = access.ByNobody(ctx)
	var checked int64
	return g.pass(ctx, key, GatePassword, func(v *Visit) error {
		if err := g.try(ctx, v); err != nil {
			return err
		}
		checked = v.PasswordVersion
		ok, err := g.Passwords.Matches(ctx, v.PasswordHash, password)
		if err != nil || ok {
			return err
		}
		return g.refuse(ctx, v, dam.ShareWrong, "", dam.InvalidField("password", "The password is wrong."))
	}, func(_ *storage.Tx, v *Visit) error {
		v.visit.PasswordVersion = checked
		return nil
	})
}

// tryEmail counts an attempt with an email address, and rejects invalid addresses.
func (g *Guests) tryEmail(ctx context.Context, v *Visit, email string) error {
	if err := g.try(ctx, v); err != nil {
		return err
	}
	if !dam.ValidEmail(email) {
		return dam.InvalidField("email", "This is not a valid email address.")
	}
	return nil
}

// introduce accepts the email address of a guest without verification, for servers without
// a mail server.
func (g *Guests) introduce(ctx context.Context, key GuestKey, email string) (cookie string, err error) {
	ctx = access.ByNobody(ctx)
	email = strings.TrimSpace(email)
	return g.pass(ctx, key, GateEmail, func(v *Visit) error {
		if err := g.tryEmail(ctx, v, email); err != nil {
			return err
		}
		if !v.Access.Admits(email) {
			return g.refuse(ctx, v, dam.ShareRefused, email, dam.InvalidField("email", "This address is not one that the share is for."))
		}
		return nil
	}, func(_ *storage.Tx, v *Visit) error {
		v.visit.Email, v.visit.EmailVerified = email, false
		return nil
	})
}

// Agree records that a guest with a name accepts a version of a share's terms.
func (g *Guests) Agree(ctx context.Context, key GuestKey, name string, version int64) (cookie string, err error) {
	ctx = access.ByNobody(ctx)
	name = strings.TrimSpace(name)
	return g.pass(ctx, key, GateTerms, func(v *Visit) error {
		if n := len(name); n == 0 || n > dam.MaxName || dam.Unseen(name) || dam.Visible(name) != name {
			return dam.InvalidField("name", "Your name is required.")
		}
		return g.try(ctx, v)
	}, func(tx *storage.Tx, v *Visit) error {
		if v.TermsVersion != version { // they changed in the meantime
			return nil
		}
		v.visit.TermsVersion = version
		c := access.CallerOf(ctx)
		err := tx.InsertConsent(&dam.Consent{
			SubjectName: name, SubjectEmail: v.visit.Email, EmailVerified: v.visit.EmailVerified,
			TermsVersion: version, TermsText: v.TermsText,
			Context: dam.ConsentShare, ShareID: v.ID, IP: c.IP, UserAgent: clipped(dam.Printable(c.UserAgent)),
		})
		if err != nil {
			return err
		}
		return g.enter(ctx, tx, v, dam.ShareTermsAgreed, "")
	})
}

// Assets lists the assets that a share currently shows, and their total number. Assets that
// may not be used now are omitted, but counted.
func (g *Guests) Assets(ctx context.Context, v *Visit, p dam.Page) (assets []*dam.Asset, total int, err error) {
	if v.OfCollection() {
		l, err := g.Finder.CollectionAssets(
			access.ByNobody(ctx), dam.Actor{User: v.owner}, v.CollectionID, dam.Query{Sort: dam.SortPosition, Page: p})
		if err != nil {
			return nil, 0, err
		}
		for _, h := range l.Hits {
			if dam.Deliverable(h.Asset, g.Now()) {
				assets = append(assets, h.Asset)
			}
		}
		return assets, l.Total, nil
	}
	err = g.Store.View(access.ByNobody(ctx), func(tx *storage.Tx) error {
		all, n, err := tx.ShareAssets(v.ID, p)
		for _, asset := range all {
			if dam.Deliverable(asset, tx.Now()) {
				assets = append(assets, asset)
			}
		}
		total = n
		return err
	})
	return assets, total, err
}

// Asset returns an asset of a share, if the guest has opened its page.
func (g *Guests) Asset(ctx context.Context, key GuestKey, gaid dam.GAID) (v *Visit, asset *dam.Asset, err error) {
	ctx = access.ByNobody(ctx)
	err = g.Store.View(ctx, func(tx *storage.Tx) error {
		v, asset, err = shown(ctx, tx, key, gaid)
		return err
	})
	if err != nil || asset.Collections != nil {
		return v, asset, err
	}
	return v, asset, g.follows(ctx, v, asset)
}

// shown is Asset, except for collections with rules: their check is left to follows. In all
// other cases, it sets Collections of the asset to a value other than nil.
func shown(ctx context.Context, tx *storage.Tx, key GuestKey, gaid dam.GAID) (*Visit, *dam.Asset, error) {
	v, err := decide(ctx, tx, key)
	if err != nil {
		return nil, nil, err
	}
	if v.Type == dam.ShareHandIn { // it shows nothing, including the contents of its collection
		return nil, nil, errNoShare
	}
	if !v.isOpen() {
		return nil, nil, ErrGate
	}
	asset, err := access.LiveAsset(tx, gaid, false)
	if dam.KindOf(err) == dam.NotFound || err == nil && !dam.Deliverable(asset, tx.Now()) {
		err = errNoShare
	}
	if err != nil {
		return nil, nil, err
	}
	has := false
	if !v.OfCollection() {
		has, err = tx.ShareNames(v.ID, asset.ID)
	} else {
		var c *dam.Collection
		if c, err = tx.Collection(storage.Everyone, v.CollectionID); err == nil && c.Rules != "" {
			return v, asset, nil
		} else if err == nil {
			has, err = tx.CollectionHas(v.CollectionID, asset.ID)
		}
	}
	if err == nil && !has {
		err = errNoShare
	}
	asset.Collections = []dam.CollectionRef{}
	return v, asset, err
}

// follows returns errNoShare unless the rules of a share's collection match an asset.
func (g *Guests) follows(ctx context.Context, v *Visit, asset *dam.Asset) error {
	pairs, err := g.Finder.RuledWith(ctx, dam.Actor{User: v.owner}, []int64{asset.ID})
	if err != nil {
		return err
	}
	for _, p := range pairs {
		if p == [2]int64{asset.ID, v.CollectionID} {
			return nil
		}
	}
	return errNoShare
}

// whileShown returns content that fails with an error once the share, or the asset, is
// hidden; gaid is "" for the share as a whole.
func (g *Guests) whileShown(ctx context.Context, key GuestKey, gaid dam.GAID, content io.ReadSeekCloser) io.ReadSeekCloser {
	return &shownContent{ReadSeekCloser: content, check: g.checker(ctx, key, gaid)}
}

// checker returns a function that checks, at most once per RecheckEvery, whether a share
// and its asset are still shown.
func (g *Guests) checker(ctx context.Context, key GuestKey, gaid dam.GAID) func() error {
	ctx = access.ByNobody(ctx)
	return g.seldom(func() error {
		if gaid != "" {
			_, _, err := g.Asset(ctx, key, gaid)
			return err
		}
		v, err := g.look(ctx, key)
		if err == nil && !v.isOpen() {
			err = ErrGate
		}
		return err
	})
}

// seldom returns a function that runs check at most once per RecheckEvery, for the first
// time after one such interval.
func (g *Guests) seldom(check func() error) func() error {
	checked := g.Now()
	return func() error {
		now := g.Now()
		if now.Sub(checked) < access.RecheckEvery {
			return nil
		}
		checked = now
		return check()
	}
}

type shownContent struct {
	io.ReadSeekCloser
	check func() error
}

func (c *shownContent) Read(p []byte) (int, error) {
	if err := c.check(); err != nil {
		return 0, err
	}
	return c.ReadSeekCloser.Read(p)
}

// NewGuestCookie returns a cookie for a browser that has not passed any gate.
func NewGuestCookie() string { return account.RandomText(24) }
