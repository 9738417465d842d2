package dam

import (
	"cmp"
	"net/mail"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"time"
)

// ShareType is the type of a share.
type ShareType string

// The types of shares.
const (
	ShareAssets     ShareType = "assets"     // listed assets
	ShareCollection ShareType = "collection" // current assets of a collection
	ShareEmbed      ShareType = "embed"      // a video in a player on other sites
	ShareReview     ShareType = "review"     // assets or a collection, for guest feedback
	ShareHandIn     ShareType = "upload"     // guest upload
)

// Values lists the types of shares.
func (ShareType) Values() []ShareType {
	return []ShareType{ShareAssets, ShareCollection, ShareEmbed, ShareReview, ShareHandIn}
}

// The limits of shares.
const (
	MaxShares          = 10_000 // per user
	MaxShareAssets     = 1000
	MaxShareList       = 1000   // emails, domains and address ranges each
	MaxTermsText       = 20_000 // characters
	MaxWatermark       = 100    // characters
	MinOpacity         = 10     // percent, of a watermark
	MaxOpacity         = 100
	defaultOpacity     = 40
	MinShareResolution = 16 // pixels
	MaxShareResolution = 100_000
	MaxShareCount      = 1_000_000_000 // views, downloads
)

// Share shares assets with people without an account. Anyone with its token can open its
// page.
type Share struct {
	ID              int64
	Token           string // secret in the URL
	Type            ShareType
	Name            string       // 1 to 255 characters
	GAIDs           []GAID       // existing assets of a ShareAssets, ShareEmbed or ShareReview
	Embed           *Embed       // of ShareEmbed
	Upload          *ShareUpload // of ShareHandIn
	HandedIn        HandedIn     // of ShareHandIn
	CollectionID    int64        // of a ShareCollection, a ShareReview without GAIDs, or a ShareHandIn; 0 after its deletion
	IncludeMetadata bool         // originals keep their embedded metadata and file names
	AllowDownload   bool
	AllowOriginal   bool
	Watermark       *Watermark // nil for none
	MaxResolution   int        // longest side of delivered files in pixels; 0 for no limit
	PasswordHash    string     `json:"-"` // Argon2id in PHC string format; "" for none
	HasPassword     bool
	PasswordVersion int64 // incremented by each new password
	Access          ShareAccess
	TermsText       string
	TermsVersion    int64 // incremented by each new text
	PreviewCard     bool  // other sites may show a preview card for links to the page
	ViewCount       int64
	DownloadCount   int64
	LastAccessedAt  *time.Time
	ExpiresAt       *time.Time
	RevokedAt       *time.Time
	CreatedByID     int64
	CreatedAt       time.Time

	CreatedBy *User `json:"-"` // only the fields loaded with the share
}

// Watermark is a text, or the logo of the library, that is drawn on delivered pictures.
type Watermark struct {
	Text      string // 1 to MaxWatermark characters; "" for the logo
	Logo      bool
	Placement MarkPlacement // "" means MarkTiled
	Opacity   int           // 10 to 100 percent
}

func (w *Watermark) check(p *Problems) {
	switch before := p.count(); {
	case w.Logo && w.Text != "":
		p.Add("watermark.logo", "A watermark is a text or the logo, not both.")
	case !w.Logo:
		if p.length("watermark.text", w.Text, 1, MaxWatermark); p.count() == before {
			p.seen("watermark.text", w.Text, false)
		}
	}
	oneOf(p, "watermark.placement", w.Placement, MarkPlacement.Values(""))
	p.between("watermark.opacity", int64(w.Opacity), MinOpacity, MaxOpacity)
}

// ShareAccess restricts the access to a share.
type ShareAccess struct {
	Emails       []string
	EmailDomains []string // such as example.com, without its subdomains
	IPRanges     []string // in CIDR notation
	MaxViews     *int64   // visits; nil for no limit
	MaxDownloads *int64
	RequireEmail bool
	RequireTerms bool
}

// AsksEmail reports whether guests must enter an email address.
func (a *ShareAccess) AsksEmail() bool {
	return a.RequireEmail || len(a.Emails)+len(a.EmailDomains) > 0
}

// Admits reports whether an email address has access to the share.
func (a *ShareAccess) Admits(email string) bool {
	if len(a.Emails)+len(a.EmailDomains) == 0 {
		return true
	}
	if slices.ContainsFunc(a.Emails, func(e string) bool { return strings.EqualFold(e, email) }) {
		return true
	}
	domain := email[strings.LastIndexByte(email, '@')+1:]
	return slices.ContainsFunc(a.EmailDomains, func(d string) bool { return strings.EqualFold(d, domain) })
}

// AdmitsFrom reports whether an IP address has access to the share.
func (a *ShareAccess) AdmitsFrom(ip string) bool {
	if len(a.IPRanges) == 0 {
		return true
	}
	addr, err := netip.ParseAddr(ip)
	if err != nil {
		return false
	}
	addr = addr.Unmap().WithZone("")
	return slices.ContainsFunc(a.IPRanges, func(text string) bool {
		p, err := netip.ParsePrefix(text)
		return err == nil && p.Contains(addr)
	})
}

// ValidEmail reports whether s is an email address.
func ValidEmail(s string) bool {
	a, err := mail.ParseAddress(s)
	return err == nil && a.Address == s && len(s) <= 254 && !Unseen(s)
}

// HasCard reports whether other sites may show a preview card for the page. The owner must
// allow it, and the page must not require anything from guests or count visits.
func (s *Share) HasCard() bool {
	return s.PreviewCard && s.asksNothing()
}

// asksNothing reports whether a share requires nothing from guests and counts no visits.
func (s *Share) asksNothing() bool {
	return !s.HasPassword && !s.Access.AsksEmail() && !s.Access.RequireTerms && s.Access.MaxViews == nil
}

// NeedsVisit reports whether guests must open the page of a share before they can fetch its
// files, because it requires something, counts visits, or attributes feedback.
func (s *Share) NeedsVisit() bool { return s.Type == ShareReview || !s.asksNothing() }

// Ended reports whether s is revoked or expired at now.
func (s *Share) Ended(now time.Time) bool {
	return s.RevokedAt != nil || s.ExpiresAt != nil && !now.Before(*s.ExpiresAt)
}

// Longest returns side limited to the maximum resolution of the share.
func (s *Share) Longest(side int) int {
	if s.MaxResolution > 0 {
		return min(side, s.MaxResolution)
	}
	return side
}

// A Withheld is the reason why a share does not deliver the original of an asset.
type Withheld string

// The reasons for withholding an original.
const (
	WithheldNot      Withheld = ""
	WithheldShare    Withheld = "share"    // the share does not allow originals
	WithheldSize     Withheld = "size"     // larger than the share allows, or of unknown size
	WithheldMetadata Withheld = "metadata" // the share does not allow metadata; a stripped copy may be available
)

// Values lists the reasons for withholding an original.
func (Withheld) Values() []Withheld {
	return []Withheld{WithheldShare, WithheldSize, WithheldMetadata}
}

// TooLarge reports whether an asset exceeds the share's maximum resolution or has an
// unknown size.
func (s *Share) TooLarge(a *Asset) bool {
	return s.MaxResolution > 0 && (a.Width == 0 || max(a.Width, a.Height) > s.MaxResolution)
}

// Withholds returns the reason for withholding the original of an asset.
func (s *Share) Withholds(a *Asset) Withheld {
	switch {
	case !s.AllowOriginal:
		return WithheldShare
	case s.TooLarge(a):
		return WithheldSize
	case !s.IncludeMetadata:
		return WithheldMetadata
	}
	return WithheldNot
}

// SharePatch creates or changes a share: absent fields are kept.
type SharePatch struct {
	Name            Opt[string]
	Type            Opt[ShareType] // only for a new share
	GAIDs           Opt[[]GAID]
	CollectionID    Opt[int64]
	Upload          Opt[ShareUpload] // replaced as a whole
	IncludeMetadata Opt[bool]
	AllowDownload   Opt[bool]
	AllowOriginal   Opt[bool]
	Watermark       Opt[Watermark]
	MaxResolution   Opt[int]
	Password        Opt[string] // null removes the password
	ExpiresAt       Opt[time.Time]
	Access          Opt[ShareAccess] // replaced as a whole
	TermsText       Opt[string]
	PreviewCard     Opt[bool]
}

// Apply changes s and validates it at now. The caller must set the password.
func (p *SharePatch) Apply(s *Share, now time.Time) error {
	s.Name = strings.TrimSpace(p.Name.to(s.Name))
	s.Type = p.Type.to(s.Type)
	s.GAIDs, s.CollectionID = p.GAIDs.to(s.GAIDs), p.CollectionID.to(s.CollectionID)
	p.applyUpload(s)
	s.IncludeMetadata = p.IncludeMetadata.to(s.IncludeMetadata)
	s.AllowDownload, s.AllowOriginal = p.AllowDownload.to(s.AllowDownload), p.AllowOriginal.to(s.AllowOriginal)
	if p.Watermark.Sent {
		s.Watermark = nil
		if w := p.Watermark.Value; !p.Watermark.Null {
			s.Watermark = &Watermark{
				Text: strings.TrimSpace(w.Text), Logo: w.Logo, Placement: cmp.Or(w.Placement, MarkTiled), Opacity: cmp.Or(w.Opacity, defaultOpacity),
			}
		}
	}
	s.MaxResolution = p.MaxResolution.to(s.MaxResolution)
	s.PreviewCard = p.PreviewCard.to(s.PreviewCard)
	s.Access = p.Access.to(s.Access)
	if text := strings.TrimSpace(p.TermsText.to(s.TermsText)); text != s.TermsText {
		s.TermsText = text
		s.TermsVersion++
	}
	var wrong Problems
	p.checkNulls(&wrong)
	if p.ExpiresAt.Sent {
		s.ExpiresAt = nil
		if at := p.ExpiresAt.Value.UTC().Truncate(time.Millisecond); !p.ExpiresAt.Null {
			if s.ExpiresAt = &at; !at.After(now) {
				wrong.Add("expires_at", "expires_at must be a date in the future.")
			}
		}
	}
	s.check(&wrong)
	return wrong.Err()
}

// checkNulls rejects null for fields without a null value. In particular, null does not
// remove access restrictions.
func (p *SharePatch) checkNulls(wrong *Problems) {
	for _, f := range []struct {
		name string
		null bool
	}{
		{"type", p.Type.Null}, {"include_metadata", p.IncludeMetadata.Null}, {"allow_download", p.AllowDownload.Null},
		{"allow_original", p.AllowOriginal.Null}, {"allow_preview_card", p.PreviewCard.Null}, {"access", p.Access.Null},
	} {
		if f.null {
			wrong.required(f.name)
		}
	}
}

func (s *Share) check(p *Problems) {
	p.name("name", s.Name, 1)
	switch s.Type {
	case ShareAssets:
		if len(s.GAIDs) == 0 {
			p.required("gaids")
		}
		p.items("gaids", len(s.GAIDs), MaxShareAssets)
		if s.CollectionID != 0 {
			p.Add("collection_id", "A share of assets has no collection.")
		}
	case ShareCollection:
		if s.CollectionID == 0 {
			p.required("collection_id")
		}
		if len(s.GAIDs) > 0 {
			p.Add("gaids", "A share of a collection names no assets.")
		}
	case ShareReview:
		s.checkReview(p)
	case ShareHandIn: // created on demand
	case ShareEmbed:
		p.Add("type", "An embed is made with POST /assets/{gaid}/embed.")
	default:
		oneOf(p, "type", s.Type, []ShareType{ShareAssets, ShareCollection, ShareReview, ShareHandIn})
	}
	s.checkUpload(p)
	if w := s.Watermark; w != nil {
		w.check(p)
		if s.AllowOriginal {
			p.Add("allow_original", "An original leaves without the watermark: a share has the one or the other.")
		}
	}
	if s.MaxResolution != 0 {
		p.between("max_resolution", int64(s.MaxResolution), MinShareResolution, MaxShareResolution)
	}
	s.Access.check(p)
	p.prose("terms_text", s.TermsText, MaxTermsText)
	if s.Access.RequireTerms && Unseen(s.TermsText) {
		p.Add("terms_text", "Terms that have to be accepted need a text.")
	}
}

// domains matches names such as example.com, but not *.example.com or example.com/path.
var domains = regexp.MustCompile(`^[\pL\pM\pN-]+(\.[\pL\pM\pN-]+)+$`)

func (a *ShareAccess) check(p *Problems) {
	if p.items("access.emails", len(a.Emails), MaxShareList) {
		for i, e := range a.Emails {
			if !ValidEmail(e) {
				p.Add("access.emails."+itoa(i), "The address must be a valid email address.")
			}
		}
	}
	if p.items("access.email_domains", len(a.EmailDomains), MaxShareList) {
		for i, d := range a.EmailDomains {
			if !ValidEmail("a@"+d) || !domains.MatchString(d) {
				p.Add("access.email_domains."+itoa(i), "The domain must be one such as example.com.")
			}
		}
	}
	if p.items("access.ip_ranges", len(a.IPRanges), MaxShareList) {
		for i, r := range a.IPRanges {
			if n, err := netip.ParsePrefix(r); err != nil || n.Addr().Is4In6() { // Admits compares unmapped IPv4 addresses
				p.Add("access.ip_ranges."+itoa(i), "The range must be in CIDR notation, such as 192.0.2.0/24 or 2001:db8::/32.")
			}
		}
	}
	if a.MaxViews != nil {
		p.between("access.max_views", *a.MaxViews, 1, MaxShareCount)
	}
	if a.MaxDownloads != nil {
		p.between("access.max_downloads", *a.MaxDownloads, 1, MaxShareCount)
	}
}

// ShareVisit is the state of a guest's browser in a share.
type ShareVisit struct {
	ID              int64
	ShareID         int64
	Hash            []byte // SHA-256 of the cookie's value
	PasswordVersion int64
	TermsVersion    int64
	Email           string
	EmailVerified   bool // verified by a code
	Counted         bool // included in the view count
	ExpiresAt       time.Time
}

// ShareAction is an action of a guest.
type ShareAction string

// The actions of guests.
const (
	ShareViewed      ShareAction = "view"
	ShareDownloaded  ShareAction = "download"
	ShareArchived    ShareAction = "download_all"
	SharePlayed      ShareAction = "play"
	ShareWrong       ShareAction = "wrong_password"
	ShareRefused     ShareAction = "refused_email"
	ShareTermsAgreed ShareAction = "accept_terms"
	ShareCodeAsked   ShareAction = "ask_code" // for an address with access to the share
	ShareCodeWrong   ShareAction = "wrong_code"
	ShareVerified    ShareAction = "verify_email"
	ShareMailFailed  ShareAction = "mail_failed" // the code could not be sent
	ShareAnswered    ShareAction = "feedback"    // first feedback on an asset
	ShareUploaded    ShareAction = "upload"
)

// Values lists the actions of guests.
func (ShareAction) Values() []ShareAction {
	return []ShareAction{ShareViewed, ShareDownloaded, ShareArchived, SharePlayed, ShareWrong, ShareRefused, ShareTermsAgreed,
		ShareCodeAsked, ShareCodeWrong, ShareVerified, ShareMailFailed, ShareAnswered, ShareUploaded}
}

// ShareEntry is one entry of the access log of a share.
type ShareEntry struct {
	ID            int64
	ShareID       int64
	Action        ShareAction
	GAID          GAID   // "" if not specific to an asset
	Email         string // as entered by the guest; "" for none
	EmailVerified bool   // verified at that time
	IP            string
	UserAgent     string
	VisitID       int64 // visit of the browser; 0 for none
	CreatedAt     time.Time
}

// ConsentContext is the context in which terms were accepted.
type ConsentContext string

// The contexts of consents.
const (
	ConsentShare ConsentContext = "share"
	ConsentUser  ConsentContext = "user"
)

// Values lists the contexts of consents.
func (ConsentContext) Values() []ConsentContext { return []ConsentContext{ConsentShare, ConsentUser} }

// Consent records that a person accepted terms. It is immutable except for the erasure of
// the person.
type Consent struct {
	ID            int64
	SubjectName   string
	SubjectEmail  string // "" if not asked for
	EmailVerified bool   // verified at that time
	TermsVersion  int64
	TermsTextHash string // SHA-256 of the text, in hex
	Context       ConsentContext
	ShareID       int64 // 0 for none
	IP            string
	UserAgent     string
	AcceptedAt    time.Time
	UserID        int64      // of ConsentUser
	ErasedAt      *time.Time // time of the person's erasure

	TermsText string // loaded on request; "" if it was not stored
}
