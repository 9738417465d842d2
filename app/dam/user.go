package dam

import (
	"net/mail"
	"slices"
	"strings"
	"time"
)

// An Ability is a permission of a token.
type Ability string

// The 14 abilities of the API.
const (
	AssetsRead        Ability = "assets:read"
	AssetsWrite       Ability = "assets:write"
	AssetsDelete      Ability = "assets:delete"
	AssetsDownload    Ability = "assets:download"
	CollectionsRead   Ability = "collections:read"
	CollectionsWrite  Ability = "collections:write"
	CollectionsDelete Ability = "collections:delete"
	UploadsManage     Ability = "uploads:manage"
	MetadataRead      Ability = "metadata:read"
	MetadataWrite     Ability = "metadata:write"
	SharesRead        Ability = "shares:read"
	SharesManage      Ability = "shares:manage"
	AnalyticsRead     Ability = "analytics:read"
	ConsentsRead      Ability = "consents:read"
)

// Values lists the abilities in the order of the API's documentation.
func (Ability) Values() []Ability {
	return []Ability{
		AssetsRead, AssetsWrite, AssetsDelete, AssetsDownload,
		CollectionsRead, CollectionsWrite, CollectionsDelete,
		UploadsManage, MetadataRead, MetadataWrite,
		SharesRead, SharesManage, AnalyticsRead, ConsentsRead,
	}
}

// A Role determines the abilities of a user.
type Role string

// The roles. Admins have all permissions. Editors have all but reading consents and
// administration. Viewers can view and download.
const (
	RoleAdmin  Role = "admin"
	RoleEditor Role = "editor"
	RoleViewer Role = "viewer"
)

// Values lists the roles.
func (Role) Values() []Role { return []Role{RoleAdmin, RoleEditor, RoleViewer} }

// Abilities lists the abilities of role r.
func (r Role) Abilities() []Ability {
	switch r {
	case RoleAdmin:
		return Values[Ability]()
	case RoleEditor:
		return slices.DeleteFunc(Values[Ability](), func(a Ability) bool { return a == ConsentsRead })
	case RoleViewer:
		return []Ability{AssetsRead, AssetsDownload, CollectionsRead, MetadataRead, SharesRead}
	}
	return nil
}

// A Language is a language of the browser application.
type Language string

// The languages of the browser application.
const (
	English Language = "en"
	German  Language = "de"
)

// Values lists the languages.
func (Language) Values() []Language { return []Language{English, German} }

// UserState is the state of an account.
type UserState string

// The states of an account.
const (
	UserActive   UserState = "active"
	UserInvited  UserState = "invited" // no password yet, but an invitation to set one
	UserDisabled UserState = "disabled"
)

// Values lists the states.
func (UserState) Values() []UserState { return []UserState{UserActive, UserInvited, UserDisabled} }

// User is a person with an account.
type User struct {
	ID           int64
	Name         string // 1 to 255 characters
	Email        string // unique in its canonical form, regardless of case and Unicode normalization
	Role         Role
	Language     Language // "" for the browser's language
	PasswordHash string   // Argon2id in PHC string format; "" for none
	DisabledAt   *time.Time
	CreatedAt    time.Time

	// Stored elsewhere and only loaded with the user.

	SeenAt       *time.Time // last request of a session or token, to the minute; nil if never
	InvitedUntil *time.Time // expiry of the last pending invitation, past or future
}

// State returns the state of the account.
func (u *User) State() UserState {
	switch {
	case u.DisabledAt != nil:
		return UserDisabled
	case u.PasswordHash == "" && u.InvitedUntil != nil:
		return UserInvited
	}
	return UserActive
}

// Validate checks the fields of u.
func (u *User) Validate() error {
	var p Problems
	p.name("name", u.Name, 1)
	p.seen("email", u.Email, false)
	if a, err := mail.ParseAddress(u.Email); err != nil || a.Address != u.Email || len(u.Email) > 254 {
		p.Add("email", "email must be a valid email address.")
	}
	oneOf(&p, "role", u.Role, Values[Role]())
	if u.Language != "" {
		oneOf(&p, "language", u.Language, Values[Language]())
	}
	return p.Err()
}

// Token is an API token of a user. Its plain text is never stored.
type Token struct {
	ID          int64
	UserID      int64
	ParentID    int64  // token that created it and whose end also ends it; 0 for none
	Name        string // 1 to 255 characters
	Description string // up to 1000 characters
	Abilities   []Ability
	Hash        []byte // SHA-256 of the plain text
	LastUsedAt  *time.Time
	LastUsedIP  string
	ExpiresAt   *time.Time
	CreatedAt   time.Time
	RateLimit   int // requests per minute; 0 for the server's limit, shared with the user's other tokens
}

// MaxTokenRate is the highest rate limit of a token, in requests per minute.
const MaxTokenRate = 1_000_000

// Validate checks a new token that is requested at now.
func (t *Token) Validate(now time.Time) error {
	var p Problems
	p.name("name", t.Name, 1)
	p.prose("description", t.Description, 1000)
	if len(t.Abilities) == 0 {
		p.required("abilities")
	}
	for i, a := range t.Abilities {
		if !Valid(a) {
			p.Add("abilities."+itoa(i), "The selected ability %q is invalid.", a)
		}
	}
	if t.ExpiresAt != nil && !t.ExpiresAt.After(now) {
		p.Add("expires_at", "expires_at must be a date in the future.")
	}
	p.between("rate_limit", int64(t.RateLimit), 0, MaxTokenRate)
	return p.Err()
}

// Expired reports whether t has expired at now.
func (t *Token) Expired(now time.Time) bool { return t.ExpiresAt != nil && !t.ExpiresAt.After(now) }

// Session is a browser session.
type Session struct {
	ID        int64
	Hash      []byte // SHA-256 of the cookie's value
	UserID    int64
	UserAgent string // user agent of the browser
	IP        string // last address
	CreatedAt time.Time
	UsedAt    time.Time // to the minute
	ExpiresAt time.Time
}

// Invitation is a one-time link for choosing a password.
type Invitation struct {
	UserID    int64
	Hash      []byte // SHA-256 of the secret in the link
	ExpiresAt time.Time
}

// Actor is the origin of an action: a user, through a token or a session, or the system
// itself.
type Actor struct {
	User *User
	// Token is the token of the request. It is nil for a session or the command line, which
	// have all abilities of their user.
	Token *Token
	// Session is the browser session of the request, nil for a token or the command line.
	Session *Session
	// TermsDue is the version of the terms of use that the user of a session must accept
	// first, 0 for none. It does not apply to tokens.
	TermsDue int64
}

// May reports whether the actor has the ability: both its user's role and, if it uses one,
// its token must have it.
func (a Actor) May(ability Ability) bool {
	if a.User == nil || !slices.Contains(a.User.Role.Abilities(), ability) {
		return false
	}
	return a.Token == nil || slices.Contains(a.Token.Abilities, ability)
}

// Require returns nil if the actor has all of the abilities, otherwise a Denied error with
// the missing ones. If the role lacks an ability, rather than the token, Abilities is empty
// but not nil, and the message names the abilities that the role lacks.
func (a Actor) Require(abilities ...Ability) error {
	var lacks []Ability
	var roleLacks []string
	for _, need := range abilities {
		if a.May(need) {
			continue
		}
		lacks = append(lacks, need)
		if a.User != nil && !slices.Contains(a.User.Role.Abilities(), need) {
			roleLacks = append(roleLacks, string(need))
		}
	}
	switch {
	case lacks == nil:
		return nil
	case a.User == nil:
		return &Error{Kind: Denied, Msg: "This action is unauthorized.", Abilities: []Ability{}}
	case roleLacks != nil:
		return &Error{Kind: Denied, Msg: "Your role, " + string(a.User.Role) + ", lacks " + enumerated(roleLacks) + ".", Abilities: []Ability{}}
	default:
		return &Error{Kind: Denied, Msg: "The token lacks a required ability.", Abilities: lacks}
	}
}

// RequireAdmin returns nil if the actor's user is an admin, otherwise a Denied error. It
// does not replace the check for the ability of the resource.
func (a Actor) RequireAdmin() error {
	if a.User == nil || a.User.Role != RoleAdmin {
		return &Error{Kind: Denied, Msg: "This action is unauthorized.", Abilities: []Ability{}}
	}
	return nil
}

// RequireSession returns nil if the actor uses a browser session, otherwise a Denied error:
// tokens cannot manage the account of their user.
func (a Actor) RequireSession() error {
	if a.User == nil || a.Session == nil {
		return &Error{Kind: Denied, Msg: "This takes a browser's session.", Abilities: []Ability{}}
	}
	return nil
}

// RequireAdministration returns nil if the actor may perform actions that have no ability:
// an admin, whose token must have all abilities. Otherwise it returns a Denied error with
// the abilities that the token lacks.
func (a Actor) RequireAdministration() error {
	if err := a.RequireAdmin(); err != nil {
		return err
	}
	if missing := a.missing(Values[Ability]()); missing != nil {
		return &Error{Kind: Denied, Msg: "Administration takes a token with all abilities.", Abilities: missing}
	}
	return nil
}

// missing returns the abilities that the actor lacks.
func (a Actor) missing(of []Ability) (list []Ability) {
	for _, ability := range of {
		if !a.May(ability) {
			list = append(list, ability)
		}
	}
	return list
}

// enumerated joins words in a sentence: "a", "a and b", "a, b and c".
func enumerated(words []string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " and " + words[last]
}
