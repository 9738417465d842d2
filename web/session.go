package web

import (
	"context"

	"github.com/digital-asset-library/dal/app/account"
	"github.com/digital-asset-library/dal/app/dam"
)

// Account is the authenticated user's own account.
type Account struct {
	User
	Role     dam.Role           `json:"role" example:"editor"`
	Language Null[dam.Language] `json:"language" doc:"Language of the browser application; null follows the browser." example:"en"`
}

func toAccount(u *dam.User) Account {
	return Account{User: toUser(u), Role: u.Role, Language: nullWord(u.Language)}
}

// Session is a browser session.
type Session struct {
	ID         int64  `json:"id" example:"12"`
	IsCurrent  bool   `json:"is_current" doc:"Whether this is the session of the request." example:"true"`
	UserAgent  string `json:"user_agent" doc:"User agent of the browser." example:"Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Firefox/140.0"`
	IP         string `json:"ip" doc:"IP address of the last use." example:"192.0.2.7"`
	CreatedAt  Time   `json:"created_at"`
	LastUsedAt Time   `json:"last_used_at" doc:"Time of the last use, to the minute."`
	ExpiresAt  Time   `json:"expires_at"`
}

func toSession(current *dam.Session) func(*dam.Session) Session {
	return func(s *dam.Session) Session {
		return Session{ID: s.ID, IsCurrent: current != nil && s.ID == current.ID, UserAgent: s.UserAgent, IP: s.IP,
			CreatedAt: Time{s.CreatedAt}, LastUsedAt: Time{s.UsedAt}, ExpiresAt: Time{s.ExpiresAt}}
	}
}

// SessionInfo contains the data that the browser application needs at startup.
type SessionInfo struct {
	User      Account       `json:"user"`
	Abilities []dam.Ability `json:"abilities" doc:"Abilities of the user." example:"[\"assets:read\"]"`
	Session   Session       `json:"session"`
	TermsDue  *int64        `json:"terms_due" example:"2"`
	Site
	Languages []dam.Language `json:"languages" doc:"Languages of the browser application." example:"[\"en\",\"de\"]"`
	SendsMail bool           `json:"sends_mail" doc:"Whether a mail server is configured, to verify guests." example:"false"`

	LastEventID int64 `json:"last_event_id" minimum:"0" doc:"The latest event: GET /stream continues after it." example:"4711"`
}

type (
	updateSelfInput struct {
		ReturnedInput
		Body *struct {
			Name            Opt[string]       `json:"name,omitempty" nullable:"false" minLength:"1" maxLength:"255" example:"Ada Lovelace"`
			Language        Opt[dam.Language] `json:"language,omitempty" example:"de"`
			Password        Opt[string]       `json:"password,omitempty" nullable:"false" maxLength:"1000" example:"battery staple"`
			CurrentPassword Opt[string]       `json:"current_password,omitempty" nullable:"false" maxLength:"1000" example:"correct horse"`
			RevokeTokens    bool              `json:"revoke_tokens,omitempty" example:"true"`
		} `contentType:"application/json" nameHint:"UpdateAccount"`
	}
	sessionIDInput struct {
		Session int64 `path:"session" doc:"The session's id." example:"12"`
	}
)

// selfRoutes registers the routes for a user's own account.
func (s *Server) selfRoutes() {
	self := group{tag: "User"}
	register(s, self.route("showSession", "GET", "/session", "Show the current session").forBrowsers().beforeTerms(), s.showSession)
	registerPut(s, self.route("updateUser", "PUT", "/user", "Update the authenticated user").forBrowsers(), s.selfAsShown, s.updateSelf)
	register(s, self.route("listSessions", "GET", "/sessions", "List sessions").forBrowsers(), s.listSessions)
	register(s, self.route("endSession", "DELETE", "/sessions/{session}", "End a session").forBrowsers(), s.endSession)
	register(s, self.route("endOtherSessions", "DELETE", "/sessions", "End all other sessions").forBrowsers(), s.endOtherSessions)
}

func (s *Server) showSession(ctx context.Context, _ *struct{}) (*oneOutput[SessionInfo], error) {
	actor := requestOf(ctx).actor
	site, err := s.site(ctx)
	if err != nil {
		return nil, err
	}
	last, err := s.app.LastEvent(ctx)
	if err != nil {
		return nil, err
	}
	return &oneOutput[SessionInfo]{one[SessionInfo]{SessionInfo{
		User: toAccount(actor.User), Abilities: actor.User.Role.Abilities(), Session: toSession(actor.Session)(actor.Session),
		TermsDue: number(actor.TermsDue), Site: site, Languages: dam.Values[dam.Language](),
		SendsMail: s.app.Shares.SendsMail(), LastEventID: last,
	}}}, nil
}

func (s *Server) selfAsShown(ctx context.Context, _ *updateSelfInput) (any, error) {
	return toAccount(requestOf(ctx).actor.User), nil
}

func (s *Server) updateSelf(ctx context.Context, in *updateSelfInput) (*oneOutput[Account], error) {
	var p account.SelfPatch
	if b := in.Body; b != nil {
		p = account.SelfPatch{Name: b.Name.Opt, Language: b.Language.Opt, Password: b.Password.Opt, CurrentPassword: b.CurrentPassword.Value,
			RevokeTokens: b.RevokeTokens}
	}
	return answer(toAccount)(s.app.Accounts.ChangeSelf(ctx, requestOf(ctx).actor, p))
}

func (s *Server) listSessions(ctx context.Context, in *PageInput) (*listOutput[Session], error) {
	actor := requestOf(ctx).actor
	return pageAnswer(ctx, in, toSession(actor.Session))(s.app.Accounts.Sessions(ctx, actor, in.page()))
}

func (s *Server) endSession(ctx context.Context, in *sessionIDInput) (*messageOutput, error) {
	return done("Session ended.", s.app.Accounts.EndSession(ctx, requestOf(ctx).actor, in.Session))
}

func (s *Server) endOtherSessions(ctx context.Context, _ *struct{}) (*messageOutput, error) {
	return done("Sessions ended.", s.app.Accounts.EndOtherSessions(ctx, requestOf(ctx).actor))
}
