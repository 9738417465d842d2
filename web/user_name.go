package web

import (
	"context"
	"net/url"

	"github.com/danielgtaylor/huma/v2"

	"github.com/digital-asset-library/dal/app/dam"
)

type userNamesInput struct {
	Page    int     `query:"page" minimum:"1" maximum:"1000000" default:"1" doc:"Page number, starting at 1." example:"1"`
	PerPage int     `query:"per_page" minimum:"1" maximum:"500" default:"24" doc:"Maximum number of items per page." example:"24"`
	Q       string  `query:"q" maxLength:"255" doc:"Users whose name contains this, ignoring case and accents." example:"ada"`
	IDs     []int64 `query:"ids" maxItems:"1000" doc:"Only these users, comma-separated." example:"[2,3]"`
	url     url.URL
}

// Resolve stores the request's URL for the links of the page.
func (in *userNamesInput) Resolve(ctx huma.Context) []error {
	in.url = listURL(ctx)
	return nil
}

func (s *Server) userNameRoutes() {
	users := group{tag: "Collections", path: "/users"}
	register(s, users.route("listUserNames", "GET", "/names", "List the names of users", dam.CollectionsWrite), s.listUserNames)
}

func (s *Server) listUserNames(ctx context.Context, in *userNamesInput) (*listOutput[NamedItem], error) {
	page := &PageInput{Page: in.Page, PerPage: in.PerPage, url: in.url}
	return pageAnswer(ctx, page, toNamed)(s.app.Accounts.UserNames(ctx, requestOf(ctx).actor, in.Q, in.IDs, page.page()))
}
