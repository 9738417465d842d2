package web

import (
	"context"
	"time"

	"github.com/digital-asset-library/dal/app/account"
	"github.com/digital-asset-library/dal/app/dam"
)

// ManagedUser is a user as seen by administrators.
type ManagedUser struct {
	Account
	State               dam.UserState `json:"state" example:"active"`
	IsDisabled          bool          `json:"is_disabled" doc:"Whether the user is disabled and cannot sign in." example:"false"`
	LastSeenAt          NullTime      `json:"last_seen_at" doc:"Time of the last request, to the minute; null for never."`
	InvitationExpiresAt NullTime      `json:"invitation_expires_at"`
	CreatedAt           Time          `json:"created_at"`
}

// InvitationLink is a one-time link for choosing a password.
type InvitationLink struct {
	URL       string `json:"url" format:"uri" example:"http://localhost:8080/invitation/q83vEjRWeJq83vEjRWeJq83vEjRWeJq83vEjRWeJ0Ec"`
	ExpiresAt Time   `json:"expires_at"`
}

// InvitedUser is a newly created user with an invitation.
type InvitedUser struct {
	ManagedUser
	Invitation InvitationLink `json:"invitation" doc:"One-time link; returned only in this response."`
}

func toManagedUser(u *dam.User) ManagedUser {
	return ManagedUser{Account: toAccount(u), State: u.State(), IsDisabled: u.DisabledAt != nil, LastSeenAt: NullTime{u.SeenAt},
		InvitationExpiresAt: NullTime{u.InvitedUntil}, CreatedAt: Time{u.CreatedAt}}
}

type (
	// UserInput names a user in the path.
	UserInput struct {
		User int64 `path:"user" doc:"The user's id." example:"3"`
	}
	listUsersInput struct {
		PageInput
		Q string `query:"q" maxLength:"255" doc:"Users whose name or email contains this, ignoring case." example:"ada"`
	}
	createUserInput struct {
		Body struct {
			Name  string   `json:"name" minLength:"1" maxLength:"255" example:"Ed Stone"`
			Email string   `json:"email" maxLength:"254" example:"ed@example.com"`
			Role  dam.Role `json:"role" example:"editor"`
		} `contentType:"application/json" nameHint:"CreateUser"`
	}
	createInvitationInput struct {
		UserInput
		Body *struct {
			RevokeTokens bool `json:"revoke_tokens,omitempty" example:"true"`
		} `contentType:"application/json" nameHint:"CreateInvitation"`
	}
	updateUserInput struct {
		UserInput
		ReturnedInput
		Body *struct {
			Name       Opt[string]   `json:"name,omitempty" nullable:"false" minLength:"1" maxLength:"255" example:"Ed Stone"`
			Email      Opt[string]   `json:"email,omitempty" nullable:"false" maxLength:"254" example:"ed@example.com"`
			Role       Opt[dam.Role] `json:"role,omitempty" nullable:"false" example:"viewer"`
			IsDisabled Opt[bool]     `json:"is_disabled,omitempty" nullable:"false" example:"true"`
		} `contentType:"application/json" nameHint:"UpdateUser"`
	}
)

func (s *Server) peopleRoutes() {
	users := group{tag: "Users", path: "/users"}
	register(s, users.route("listUsers", "GET", "", "List users").administering(), s.listUsers)
	register(s, users.route("createUser", "POST", "", "Invite a user").administering().creating(), s.createUser)
	register(s, users.route("showManagedUser", "GET", "/{user}", "Show a user").administering(), s.showManagedUser)
	change := users.route("updateManagedUser", "PUT", "/{user}", "Update a user").administering().failing(409)
	registerPut(s, change, s.userAsShown, s.updateManagedUser)
	invite := users.route("createInvitation", "POST", "/{user}/invitation", "Create a one-time link for a user")
	register(s, invite.administering().creating().failing(409), s.createInvitation)
}

func (s *Server) listUsers(ctx context.Context, in *listUsersInput) (*listOutput[ManagedUser], error) {
	return pageAnswer(ctx, &in.PageInput, toManagedUser)(s.app.Accounts.UserList(ctx, requestOf(ctx).actor, in.Q, in.page()))
}

func (s *Server) createUser(ctx context.Context, in *createUserInput) (*created[InvitedUser], error) {
	u := &dam.User{Name: in.Body.Name, Email: in.Body.Email, Role: in.Body.Role}
	inv, err := s.app.Accounts.InviteNew(ctx, requestOf(ctx).actor, u)
	if err != nil {
		return nil, err
	}
	return made(ctx, userPath(u), InvitedUser{toManagedUser(u), invitationLink(ctx, inv)}), nil
}

func userPath(u *dam.User) string { return "/users/" + itoa(u.ID) }

func invitationLink(ctx context.Context, inv *account.Invited) InvitationLink {
	return InvitationLink{requestOf(ctx).base + InvitationPage + inv.Secret, Time{inv.ExpiresAt}}
}

func (s *Server) showManagedUser(ctx context.Context, in *UserInput) (*oneOutput[ManagedUser], error) {
	return answer(toManagedUser)(s.app.Accounts.User(ctx, requestOf(ctx).actor, in.User))
}

func (s *Server) userAsShown(ctx context.Context, in *updateUserInput) (any, error) {
	u, err := s.app.Accounts.User(ctx, requestOf(ctx).actor, in.User)
	if err != nil {
		return nil, err
	}
	return toManagedUser(u), nil
}

func (s *Server) updateManagedUser(ctx context.Context, in *updateUserInput) (*oneOutput[ManagedUser], error) {
	var p account.UserPatch
	if b := in.Body; b != nil {
		p = account.UserPatch{Name: b.Name.Opt, Email: b.Email.Opt, Role: b.Role.Opt, Disabled: b.IsDisabled.Opt}
	}
	return answer(toManagedUser)(s.app.Accounts.ChangeUser(ctx, requestOf(ctx).actor, in.User, p))
}

func (s *Server) createInvitation(ctx context.Context, in *createInvitationInput) (*created[InvitationLink], error) {
	inv, err := s.app.Accounts.Invite(ctx, requestOf(ctx).actor, in.User, in.Body != nil && in.Body.RevokeTokens)
	if err != nil {
		return nil, err
	}
	return made(ctx, userPath(inv.User), invitationLink(ctx, inv)), nil
}

// Setup reports whether a library has been set up.
type Setup struct {
	IsNeeded bool `json:"is_needed" doc:"Whether the library has no user yet." example:"false"`
	Site
}

// Invitation is the public content of an invitation.
type Invitation struct {
	Name      string `json:"name" doc:"Name of the invited user." example:"Ed Stone"`
	Email     string `json:"email" format:"email" example:"ed@example.com"`
	ExpiresAt Time   `json:"expires_at"`
	Site
}

type (
	setUpInput struct {
		Body struct {
			Token    string `json:"token" maxLength:"100" doc:"Last part of the link." example:"q83vEjRWeJq83vEjRWeJq83vEjRWeJq83vEjRWeJ0Ec"`
			Name     string `json:"name" minLength:"1" maxLength:"255" example:"Ada Lovelace"`
			Email    string `json:"email" maxLength:"254" example:"ada@example.com"`
			Password string `json:"password" minLength:"1" maxLength:"1000" example:"correct horse battery staple"`
		} `contentType:"application/json" nameHint:"SetUp"`
	}
	// InvitationInput names an invitation in the path.
	InvitationInput struct {
		Token string `path:"token" maxLength:"100" doc:"Last part of the link." example:"q83vEjRWeJq83vEjRWeJq83vEjRWeJq83vEjRWeJ0Ec"`
	}
	acceptInput struct {
		InvitationInput
		Body struct {
			Password string `json:"password" maxLength:"1000" example:"correct horse battery staple"`
		} `contentType:"application/json" nameHint:"AcceptInvitation"`
	}
)

// linkRoutes registers the routes of one-time links.
func (s *Server) linkRoutes() {
	links := group{tag: "User"}
	register(s, links.route("showSetup", "GET", "/setup", "Show whether setup is needed").forAnyone(), s.showSetup)
	register(s, links.route("setUp", "POST", "/setup", "Create the first admin").forAnyone().creating().failing(409), s.setUp)
	register(s, links.route("showInvitation", "GET", "/invitations/{token}", "Show an invitation").forAnyone(), s.showInvitation)
	register(s, links.route("acceptInvitation", "POST", "/invitations/{token}", "Accept an invitation").forAnyone().creating(),
		s.acceptInvitation)
}

func (s *Server) showSetup(ctx context.Context, _ *struct{}) (*oneOutput[Setup], error) {
	site, err := s.site(ctx)
	if err != nil {
		return nil, err
	}
	return answer(func(needed bool) Setup { return Setup{needed, site} })(s.app.Accounts.NeedsSetup(ctx))
}

func (s *Server) setUp(ctx context.Context, in *setUpInput) (*sessionOutput, error) {
	u := &dam.User{Name: in.Body.Name, Email: in.Body.Email}
	cookie, err := s.app.Accounts.SetUp(ctx, in.Body.Token, u, in.Body.Password)
	return s.loggedIn(ctx, cookie, u, err)
}

func (s *Server) showInvitation(ctx context.Context, in *InvitationInput) (*oneOutput[Invitation], error) {
	u, until, err := s.app.Accounts.Invitation(ctx, in.Token)
	if err != nil {
		return nil, err
	}
	site, err := s.site(ctx)
	return answer(func(until time.Time) Invitation {
		return Invitation{Name: u.Name, Email: u.Email, ExpiresAt: Time{until}, Site: site}
	})(until, err)
}

func (s *Server) acceptInvitation(ctx context.Context, in *acceptInput) (*sessionOutput, error) {
	cookie, u, err := s.app.Accounts.AcceptInvitation(ctx, in.Token, in.Body.Password)
	return s.loggedIn(ctx, cookie, u, err)
}
