package web

import (
	"context"
	"strings"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
)

// Token is an API token in a list.
type Token struct {
	ID          string   `json:"id" example:"7"`
	Name        string   `json:"name" example:"nightly import"`
	Abilities   string   `json:"abilities" doc:"Abilities of the token, comma-separated." example:"assets:read,uploads:manage"`
	Description string   `json:"description" example:"Pushes the photographers' folder."`
	LastUsedAt  NullTime `json:"last_used_at"`
	LastUsedIP  string   `json:"last_used_ip" doc:"IP address of the last use; empty if the token was never used." example:"192.0.2.7"`
	ExpiresAt   NullTime `json:"expires_at"`
	CreatedAt   NullTime `json:"created_at"`
	RateLimit   *int64   `json:"rate_limit" example:"600"`
}

// NewToken is a newly created token; its plain text is shown only once.
type NewToken struct {
	Token
	PlainTextToken string `json:"plain_text_token" example:"dal_7_q83vEjRWeJq83vEjRWeJq83vEjRWeJq83vEjRWeJ0Ec"`
}

func toToken(t *dam.Token) Token {
	names := make([]string, len(t.Abilities))
	for i, a := range t.Abilities {
		names[i] = string(a)
	}
	return Token{ID: itoa(t.ID), Name: t.Name, Abilities: strings.Join(names, ","), Description: t.Description,
		LastUsedAt: NullTime{t.LastUsedAt}, LastUsedIP: t.LastUsedIP, ExpiresAt: NullTime{t.ExpiresAt}, CreatedAt: NullTime{&t.CreatedAt},
		RateLimit: number(int64(t.RateLimit))}
}

type (
	createTokenInput struct {
		Body struct {
			Name        string          `json:"name" minLength:"1" maxLength:"255" example:"nightly import"`
			Abilities   []dam.Ability   `json:"abilities" minItems:"1" maxItems:"14" example:"[\"assets:read\",\"uploads:manage\"]"`
			Description Opt[string]     `json:"description,omitempty" maxLength:"1000" example:"Pushes the photographers' folder."`
			ExpiresAt   Opt[*time.Time] `json:"expires_at,omitempty" example:"2027-01-31T00:00:00Z"`
			RateLimit   Opt[int]        `json:"rate_limit,omitempty" minimum:"1" maximum:"1000000" example:"600"`
		} `contentType:"application/json" nameHint:"CreateToken"`
	}
	listTokensInput struct {
		PageInput
		Own Flag `query:"own" doc:"Only the authenticated user's tokens." example:"true"`
	}
	updateTokenInput struct {
		TokenInput
		ReturnedInput
		Body *struct {
			RateLimit Opt[int] `json:"rate_limit,omitempty" minimum:"1" maximum:"1000000" example:"600"`
		} `contentType:"application/json" nameHint:"UpdateToken"`
	}
	// TokenInput names a token in the path.
	TokenInput struct {
		Token int64 `path:"token" doc:"The token's id." example:"7"`
	}
)

func (s *Server) tokenRoutes() {
	tokens := group{tag: "Tokens", path: "/tokens"}
	register(s, tokens.route("listTokens", "GET", "", "List API tokens"), s.listTokens)
	register(s, tokens.route("createToken", "POST", "", "Create an API token").creating(), s.createToken)
	register(s, tokens.route("showToken", "GET", "/{token}", "Show an API token"), s.showToken)
	registerPut(s, tokens.route("updateToken", "PUT", "/{token}", "Set the rate limit of an API token").administering(),
		s.tokenAsShown, s.updateToken)
	register(s, tokens.route("deleteToken", "DELETE", "/{token}", "Revoke an API token"), s.deleteToken)
}

func (s *Server) listTokens(ctx context.Context, in *listTokensInput) (*listOutput[Token], error) {
	return pageAnswer(ctx, &in.PageInput, toToken)(s.app.Accounts.Tokens(ctx, requestOf(ctx).actor, in.Own.isTrue(), in.page()))
}

func (s *Server) createToken(ctx context.Context, in *createTokenInput) (*created[NewToken], error) {
	b := &in.Body
	if b.RateLimit.Value != 0 {
		if err := requestOf(ctx).actor.RequireAdministration(); err != nil {
			return nil, err
		}
	}
	t := &dam.Token{Name: b.Name, Description: b.Description.Value, Abilities: b.Abilities, ExpiresAt: b.ExpiresAt.Value,
		RateLimit: b.RateLimit.Value}
	plain, err := s.app.Accounts.CreateToken(ctx, requestOf(ctx).actor, t)
	if err != nil {
		return nil, err
	}
	return made(ctx, "/tokens/"+itoa(t.ID), NewToken{toToken(t), plain}), nil
}

func (s *Server) showToken(ctx context.Context, in *TokenInput) (*oneOutput[Token], error) {
	return answer(toToken)(s.app.Accounts.Token(ctx, requestOf(ctx).actor, in.Token))
}

func (s *Server) tokenAsShown(ctx context.Context, in *updateTokenInput) (any, error) {
	return shownBy(s.showToken)(ctx, &in.TokenInput)
}

func (s *Server) updateToken(ctx context.Context, in *updateTokenInput) (*oneOutput[Token], error) {
	if in.Body == nil || !in.Body.RateLimit.Sent {
		return s.showToken(ctx, &in.TokenInput)
	}
	return answer(toToken)(s.app.Accounts.SetTokenRate(ctx, requestOf(ctx).actor, in.Token, in.Body.RateLimit.Value))
}

func (s *Server) deleteToken(ctx context.Context, in *TokenInput) (*messageOutput, error) {
	return done("Token revoked.", s.app.Accounts.RevokeToken(ctx, requestOf(ctx).actor, in.Token))
}
