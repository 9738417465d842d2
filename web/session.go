package web

import (
	"context"

	"github.com/digital-asset-library/dal/app/dam"
)

// Account is the account of a person, as that person sees it.
type Account struct {
	User
	Role dam.Role `json:"role" example:"editor"`
}

func toAccount(u *dam.User) Account { return Account{User: toUser(u), Role: u.Role} }

// SessionInfo is what the browser application has to know at its start.
type SessionInfo struct {
	User      Account       `json:"user"`
	Abilities []dam.Ability `json:"abilities" example:"[\"assets:read\"]"`
}

func (s *Server) showSession(ctx context.Context, _ *struct{}) (*oneOutput[SessionInfo], error) {
	u := requestOf(ctx).actor.User
	return &oneOutput[SessionInfo]{one[SessionInfo]{SessionInfo{toAccount(u), u.Role.Abilities()}}}, nil
}
