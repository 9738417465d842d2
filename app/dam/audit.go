package dam

import (
	"fmt"
	"strings"
	"time"
)

// AuditEvent names what an entry of the audit trail is about.
type AuditEvent string

// The events of the audit trail. What is done to accounts has an entry of its
// own, beside that of the request that did it.
const (
	AuditRequest         AuditEvent = "request" // an authenticated request
	AuditLogin           AuditEvent = "login.succeeded"
	AuditLoginFailed     AuditEvent = "login.failed"  // a wrong email or password
	AuditLoginLimited    AuditEvent = "login.limited" // refused before the password was checked
	AuditLogout          AuditEvent = "logout"
	AuditUserCreated     AuditEvent = "user.created"
	AuditUserInvited     AuditEvent = "user.invited" // got a new one-time link
	AuditUserRenamed     AuditEvent = "user.renamed"
	AuditEmailChanged    AuditEvent = "user.email_changed"
	AuditRoleChanged     AuditEvent = "user.role_changed"
	AuditPasswordChanged AuditEvent = "user.password_changed"
	AuditUserDisabled    AuditEvent = "user.disabled"
	AuditUserEnabled     AuditEvent = "user.enabled"
	AuditInvitationUsed  AuditEvent = "invitation.accepted"
	AuditLinkRefused     AuditEvent = "link.refused"  // requests with a set-up link or an invitation that is wrong, used or expired
	AuditSessionEnded    AuditEvent = "session.ended" // by its user, from elsewhere
	AuditTokenCreated    AuditEvent = "token.created"
	AuditTokenRevoked    AuditEvent = "token.revoked"
	AuditTokenRefused    AuditEvent = "token.refused" // requests with a bearer token that is unknown, expired, or of a disabled user
	AuditKeyRotated      AuditEvent = "image_key.rotated"
	AuditTermsSet        AuditEvent = "terms.set"
	AuditTermsCleared    AuditEvent = "terms.cleared"
	AuditTermsAccepted   AuditEvent = "terms.accepted"
	AuditPersonErased    AuditEvent = "person.erased" // it does not say who
)

// Values lists the events of the audit trail.
func (AuditEvent) Values() []AuditEvent {
	return []AuditEvent{AuditRequest, AuditLogin, AuditLoginFailed, AuditLoginLimited, AuditLogout, AuditUserCreated, AuditUserInvited,
		AuditUserRenamed, AuditEmailChanged, AuditRoleChanged, AuditPasswordChanged, AuditUserDisabled, AuditUserEnabled,
		AuditInvitationUsed, AuditLinkRefused, AuditSessionEnded, AuditTokenCreated, AuditTokenRevoked, AuditTokenRefused,
		AuditKeyRotated, AuditTermsSet, AuditTermsCleared, AuditTermsAccepted, AuditPersonErased}
}

// AuditEntry records an authenticated request, an attempt to get in, or what was
// done to an account.
type AuditEntry struct {
	ID        int64
	At        time.Time
	Event     AuditEvent // "" stands for AuditRequest
	RequestID string     // "" for a command
	UserID    int64      // who did it; 0 for a command and for nobody known
	TokenID   int64      // 0 for a session
	// Account is the email of the account that it concerns, or that somebody
	// tried, in its canonical form. "" for requests.
	Account  string
	Target   string // what was done to what, for people
	Count    int    // how many failed attempts it stands for; 0 stands for 1
	Method   string // "CLI" for a command
	Path     string // without the query; of a command its words
	Status   int    // 0 unless it is a request
	Duration time.Duration
	IP       string
}

// AuditFilter says which entries a list has; zero values mean all.
type AuditFilter struct {
	UserID, TokenID int64
	Event           AuditEvent
	Account         string // an email, in whatever case
	Method          string
	Status          int
	Changes         bool      // leaves out the requests that only read
	From, To        time.Time // From inclusive, To exclusive
}

// MaxAuditText bounds the account and the target of an entry, in bytes.
const MaxAuditText = 300

// Printable returns at most MaxAuditText bytes of a text from outside, with
// what could not be seen, or would change how the rest looks, written as a
// number.
func Printable(s string) string {
	var b strings.Builder
	for _, r := range strings.ToValidUTF8(s, "�") {
		text := string(r)
		if hidden(r, 0, 0) || isFiller(r) {
			text = fmt.Sprintf("\\u{%x}", r)
		}
		if b.Len()+len(text) > MaxAuditText {
			break
		}
		b.WriteString(text)
	}
	return b.String()
}
