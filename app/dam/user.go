package dam

import (
	"net/mail"
	"slices"
	"strings"
	"time"
)

// An Ability names one thing a token may do.
type Ability string

// The 14 abilities of the interface.
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

// Values lists the abilities, in the order of the contract.
func (Ability) Values() []Ability {
	return []Ability{
		AssetsRead, AssetsWrite, AssetsDelete, AssetsDownload,
		CollectionsRead, CollectionsWrite, CollectionsDelete,
		UploadsManage, MetadataRead, MetadataWrite,
		SharesRead, SharesManage, AnalyticsRead, ConsentsRead,
	}
}

// A Role gives a user abilities.
type Role string

// The roles: an admin may do everything, an editor everything but read the
// consents of individuals and administer, a viewer look and fetch.
const (
	RoleAdmin  Role = "admin"
	RoleEditor Role = "editor"
	RoleViewer Role = "viewer"
)

// Values lists the roles.
func (Role) Values() []Role { return []Role{RoleAdmin, RoleEditor, RoleViewer} }

// Abilities lists what a user of role r may do.
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

// A Language is one that the browser application speaks.
type Language string

// The languages of the browser application.
const (
	English Language = "en"
	German  Language = "de"
)

// Values lists the languages.
func (Language) Values() []Language { return []Language{English, German} }

// UserState says whether a user can get in.
type UserState string

// The states of a user.
const (
	UserActive   UserState = "active"
	UserInvited  UserState = "invited" // has no password yet, but was sent a link to choose one
	UserDisabled UserState = "disabled"
)

// Values lists the states.
func (UserState) Values() []UserState { return []UserState{UserActive, UserInvited, UserDisabled} }

// User is a person with an account.
type User struct {
	ID           int64
	Name         string // 1 to 255 characters
	Email        string // unique in its canonical form: in whatever case and composition of letters
	Role         Role
	Language     Language // "" for that of the browser
	PasswordHash string   // Argon2id in PHC string format; "" when none is set
	DisabledAt   *time.Time
	CreatedAt    time.Time

	// What follows is kept elsewhere and only read with the user.

	SeenAt       *time.Time // last request of a session or token, to the minute; nil for never
	InvitedUntil *time.Time // end of the last invitation that was not accepted, past or not
}

// State says whether u can get in.
func (u *User) State() UserState {
	switch {
	case u.DisabledAt != nil:
		return UserDisabled
	case u.PasswordHash == "" && u.InvitedUntil != nil:
		return UserInvited
	}
	return UserActive
}

// Validate reports what is wrong with u.
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

// Token is an API token of a user. Its plain text is never kept.
type Token struct {
	ID          int64
	UserID      int64
	ParentID    int64  // the token that made it and takes it along when it ends; 0 for none
	Name        string // 1 to 255 characters
	Description string // up to 1000 characters
	Abilities   []Ability
	Hash        []byte // SHA-256 of the plain text
	LastUsedAt  *time.Time
	LastUsedIP  string
	ExpiresAt   *time.Time
	CreatedAt   time.Time
	RateLimit   int // requests a minute; 0 for the rate of the server, shared with the user's other tokens
}

// MaxTokenRate is the highest rate of a token, in requests a minute.
const MaxTokenRate = 1_000_000

// Validate reports what is wrong with a token that is asked for at now.
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

// Expired reports whether t has ended by now.
func (t *Token) Expired(now time.Time) bool { return t.ExpiresAt != nil && !t.ExpiresAt.After(now) }

// Session is a browser's log-in.
type Session struct {
	ID        int64
	Hash      []byte // SHA-256 of the cookie's value
	UserID    int64
	UserAgent string // as the browser names itself
	IP        string // it was last used from
	CreatedAt time.Time
	UsedAt    time.Time // to the minute
	ExpiresAt time.Time
}

// Invitation is a one-time link with which a user chooses a password.
type Invitation struct {
	UserID    int64
	Hash      []byte // SHA-256 of the secret in the link
	ExpiresAt time.Time
}

// Actor is who something is done for: a user, through a token or a session, or
// the system itself.
type Actor struct {
	User *User
	// Token is the calling token, nil for a session or the command line, which
	// act with all abilities of their user.
	Token *Token
	// Session is the calling browser's log-in, nil for a token or the command
	// line.
	Session *Session
	// TermsDue is the version of the terms of use that a person at a browser has to
	// accept before anything else, 0 for none. Programs are not asked.
	TermsDue int64
}

// May reports whether the actor holds ability a: its user's role must have it
// and so must its token, if it acts through one.
func (a Actor) May(ability Ability) bool {
	if a.User == nil || !slices.Contains(a.User.Role.Abilities(), ability) {
		return false
	}
	return a.Token == nil || slices.Contains(a.Token.Abilities, ability)
}

// Require returns nil if the actor holds every ability named, else a Denied
// error with those that are missing. If it is the user and not the token that
// lacks the right, Abilities is empty, not nil, and the message says what the
// user's role lacks.
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

// RequireAdmin returns nil if the actor's user is an admin, else a Denied error.
// It stands beside the ability that the noun takes.
func (a Actor) RequireAdmin() error {
	if a.User == nil || a.User.Role != RoleAdmin {
		return &Error{Kind: Denied, Msg: "This action is unauthorized.", Abilities: []Ability{}}
	}
	return nil
}

// RequireSession returns nil if the actor is a person at a browser, else a Denied
// error: what concerns somebody's own account is not for programs.
func (a Actor) RequireSession() error {
	if a.User == nil || a.Session == nil {
		return &Error{Kind: Denied, Msg: "This takes a browser's session.", Abilities: []Ability{}}
	}
	return nil
}

// RequireAdministration returns nil if the actor may do what there is no ability
// for: an admin, through a token only if it has all abilities. Otherwise it
// returns a Denied error, which names those that the token lacks.
func (a Actor) RequireAdministration() error {
	if err := a.RequireAdmin(); err != nil {
		return err
	}
	if missing := a.missing(Values[Ability]()); missing != nil {
		return &Error{Kind: Denied, Msg: "Administration takes a token with all abilities.", Abilities: missing}
	}
	return nil
}

// missing returns those of some abilities that the actor does not hold.
func (a Actor) missing(of []Ability) (list []Ability) {
	for _, ability := range of {
		if !a.May(ability) {
			list = append(list, ability)
		}
	}
	return list
}

// enumerated lists words as a sentence does: "a", "a and b", "a, b and c".
func enumerated(words []string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " and " + words[last]
}
