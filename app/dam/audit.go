package dam

import (
	"fmt"
	"strings"
	"time"
)

// AuditEvent is the type of an entry in the audit log.
type AuditEvent string

// The events of the audit log. An action on an account has a separate entry in addition to
// the entry of its request.
const (
	AuditRequest         AuditEvent = "request" // an authenticated request
	AuditLogin           AuditEvent = "login.succeeded"
	AuditLoginFailed     AuditEvent = "login.failed"  // wrong email or password
	AuditLoginLimited    AuditEvent = "login.limited" // refused before the password check
	AuditLogout          AuditEvent = "logout"
	AuditUserCreated     AuditEvent = "user.created"
	AuditUserInvited     AuditEvent = "user.invited" // by a new one-time link
	AuditUserRenamed     AuditEvent = "user.renamed"
	AuditEmailChanged    AuditEvent = "user.email_changed"
	AuditRoleChanged     AuditEvent = "user.role_changed"
	AuditPasswordChanged AuditEvent = "user.password_changed"
	AuditUserDisabled    AuditEvent = "user.disabled"
	AuditUserEnabled     AuditEvent = "user.enabled"
	AuditInvitationUsed  AuditEvent = "invitation.accepted"
	AuditLinkRefused     AuditEvent = "link.refused"  // invalid, used or expired setup link or invitation
	AuditSessionEnded    AuditEvent = "session.ended" // by its user from another session
	AuditTokenCreated    AuditEvent = "token.created"
	AuditTokenRevoked    AuditEvent = "token.revoked"
	AuditTokenRefused    AuditEvent = "token.refused" // bearer token that is unknown, expired or of a disabled user
	AuditKeyRotated      AuditEvent = "image_key.rotated"
	AuditTermsSet        AuditEvent = "terms.set"
	AuditTermsCleared    AuditEvent = "terms.cleared"
	AuditTermsAccepted   AuditEvent = "terms.accepted"
	AuditPersonErased    AuditEvent = "person.erased" // without the person's identity
)

// Values lists the events of the audit log.
func (AuditEvent) Values() []AuditEvent {
	return []AuditEvent{AuditRequest, AuditLogin, AuditLoginFailed, AuditLoginLimited, AuditLogout, AuditUserCreated, AuditUserInvited,
		AuditUserRenamed, AuditEmailChanged, AuditRoleChanged, AuditPasswordChanged, AuditUserDisabled, AuditUserEnabled,
		AuditInvitationUsed, AuditLinkRefused, AuditSessionEnded, AuditTokenCreated, AuditTokenRevoked, AuditTokenRefused,
		AuditKeyRotated, AuditTermsSet, AuditTermsCleared, AuditTermsAccepted, AuditPersonErased}
}

// AuditEntry records an authenticated request, a sign-in attempt, or an action on an
// account.
type AuditEntry struct {
	ID        int64
	At        time.Time
	Event     AuditEvent // "" means AuditRequest
	RequestID string     // "" for a command
	UserID    int64      // the actor; 0 for a command or an unknown user
	TokenID   int64      // 0 for a session
	// Account is the canonical email of the affected account or of a sign-in attempt. ""
	// for requests.
	Account  string
	Target   string // user-facing description of the action and its object
	Count    int    // number of failed attempts; 0 means 1
	Method   string // "CLI" for a command
	Path     string // without the query; the arguments of a command
	Status   int    // 0 for entries other than requests
	Duration time.Duration
	IP       string
}

// AuditFilter selects entries; zero values match all.
type AuditFilter struct {
	UserID, TokenID int64
	Event           AuditEvent
	Account         string // email, in any case
	Method          string
	Status          int
	Changes         bool      // only requests that can change data
	From, To        time.Time // From inclusive, To exclusive
}

// MaxAuditText limits the account and the target of an entry, in bytes.
const MaxAuditText = 300

// Printable returns at most MaxAuditText bytes of an external text. Characters that are
// invisible or change the rendering of the text are escaped as their code point.
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
