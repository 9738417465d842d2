package web

import (
	"context"
	"net/http"
	"strings"

	"github.com/digital-asset-library/dal/app/account"
	"github.com/digital-asset-library/dal/app/dam"
)

// User is a user in the API.
type User struct {
	ID    int64  `json:"id" example:"1"`
	Name  string `json:"name" example:"Ada Lovelace"`
	Email string `json:"email" format:"email" example:"ada@example.com"`
}

func toUser(u *dam.User) User { return User{ID: u.ID, Name: u.Name, Email: u.Email} }

type (
	sessionInput struct {
		Body struct {
			Email    string `json:"email" maxLength:"254" example:"ada@example.com"`
			Password string `json:"password" maxLength:"1000" example:"correct horse battery staple"`
		} `contentType:"application/json" nameHint:"CreateSession"`
	}
	sessionOutput struct {
		Location  string      `header:"Location" doc:"URL of the user who is now signed in." example:"http://localhost:8080/api/v1/user"`
		SetCookie http.Cookie `header:"Set-Cookie" doc:"Session cookie: HttpOnly, SameSite=Lax."`
		Body      one[User]
	}
	endedOutput struct {
		SetCookie http.Cookie `header:"Set-Cookie" doc:"Session cookie, cleared."`
		Body      message
	}
)

func (s *Server) userRoutes() {
	user := group{tag: "User"}
	register(s, user.route("showUser", "GET", "/user", "Show the authenticated user"), s.showUser)
	register(s, user.route("createSession", "POST", "/session", "Sign in").forAnyone().creating(), s.createSession)
	register(s, user.route("deleteSession", "DELETE", "/session", "Sign out").forAnyone(), s.deleteSession)
}

func (s *Server) showUser(ctx context.Context, _ *struct{}) (*oneOutput[User], error) {
	return &oneOutput[User]{one[User]{toUser(requestOf(ctx).actor.User)}}, nil
}

func (s *Server) createSession(ctx context.Context, in *sessionInput) (*sessionOutput, error) {
	cookie, u, err := s.app.Accounts.Login(ctx, in.Body.Email, in.Body.Password)
	return s.loggedIn(ctx, cookie, u, err)
}

// loggedIn answers with the cookie of a new session, or returns err.
func (s *Server) loggedIn(ctx context.Context, cookie string, u *dam.User, err error) (*sessionOutput, error) {
	if err != nil {
		return nil, err
	}
	r := requestOf(ctx)
	return &sessionOutput{r.base + apiRoot + "/user", s.cookie(r, cookie, int(account.SessionLife.Seconds())), one[User]{toUser(u)}}, nil
}

func (s *Server) deleteSession(ctx context.Context, _ *struct{}) (*endedOutput, error) {
	r := requestOf(ctx)
	if c, err := r.raw.Cookie(SessionCookie); err == nil {
		if err := s.app.Accounts.Logout(ctx, c.Value); err != nil {
			return nil, err
		}
	}
	return &endedOutput{s.cookie(r, "", -1), message{"Logged out."}}, nil
}

func (s *Server) cookie(r *request, value string, maxAge int) http.Cookie {
	return http.Cookie{Name: SessionCookie, Value: value, Path: s.mount + "/", MaxAge: maxAge, HttpOnly: true,
		SameSite: http.SameSiteLaxMode, Secure: strings.HasPrefix(r.base, "https:")}
}
