package web

import (
	"context"
	"encoding/json"
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/app/dam"
)

// User is a user as the interface shows one.
type User struct {
	ID    int64  `json:"id" example:"1"`
	Name  string `json:"name" example:"Ada Lovelace"`
	Email string `json:"email" format:"email" example:"ada@example.com"`
}

func toUser(u *dam.User) User { return User{ID: u.ID, Name: u.Name, Email: u.Email} }

// NullUser is a user or null.
type NullUser struct{ User *User }

// MarshalJSON writes the user or null.
func (n NullUser) MarshalJSON() ([]byte, error) { return json.Marshal(n.User) }

// Schema describes a user or null.
func (NullUser) Schema(r huma.Registry) *huma.Schema {
	return &huma.Schema{OneOf: []*huma.Schema{r.Schema(reflect.TypeOf(User{}), true, ""), {Type: "null"}}}
}

func toNullUser(u *dam.User) NullUser {
	if u == nil {
		return NullUser{}
	}
	return NullUser{ptr(toUser(u))}
}

type (
	userOutput   struct{ Body one[User] }
	sessionInput struct {
		Body struct {
			Email    string `json:"email" maxLength:"254" example:"ada@example.com"`
			Password string `json:"password" maxLength:"1000" example:"correct horse battery staple"`
		} `contentType:"application/json" nameHint:"CreateSession"`
	}
	sessionOutput struct {
		Location  string      `header:"Location" doc:"URL of the user who is logged in now." example:"http://localhost:8080/api/v1/user"`
		SetCookie http.Cookie `header:"Set-Cookie" doc:"The session's cookie: HttpOnly, SameSite=Lax."`
		Body      one[User]
	}
	endedOutput struct {
		SetCookie http.Cookie `header:"Set-Cookie" doc:"The session's cookie, emptied."`
		Body      message
	}
	messageOutput struct{ Body message }
)

func (s *Server) userRoutes() {
	register(s, route{id: "showUser", method: "GET", path: "/user", tag: "User", summary: "Show the authenticated user"}.huma(), s.showUser)
	register(s, route{id: "createSession", method: "POST", path: "/session", tag: "User", public: true, status: http.StatusCreated,
		summary: "Log a browser in", doc: "Checks an email and a password and sets a cookie that acts with all abilities of the user for 30 days. Attempts are limited, of an address (of IPv6 a /64), of an account from an address, and of an account from all addresses together that it has not been used from before. A user can have 100 sessions; beyond, the oldest ends."}.huma(), s.createSession)
	register(s, route{id: "deleteSession", method: "DELETE", path: "/session", tag: "User", public: true, summary: "Log the browser out"}.huma(), s.deleteSession)
}

func (s *Server) showUser(ctx context.Context, _ *struct{}) (*userOutput, error) {
	return &userOutput{one[User]{toUser(requestOf(ctx).actor.User)}}, nil
}

func (s *Server) createSession(ctx context.Context, in *sessionInput) (*sessionOutput, error) {
	r := requestOf(ctx)
	cookie, u, err := s.app.Accounts.Login(ctx, in.Body.Email, in.Body.Password)
	if err != nil {
		return nil, err
	}
	return &sessionOutput{r.base + apiRoot + "/user", s.cookie(r, cookie, int(app.SessionLife.Seconds())), one[User]{toUser(u)}}, nil
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
	return http.Cookie{Name: SessionCookie, Value: value, Path: "/", MaxAge: maxAge, HttpOnly: true,
		SameSite: http.SameSiteLaxMode, Secure: len(r.base) > 5 && r.base[:5] == "https"}
}
