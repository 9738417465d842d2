package web

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
)

// Token is an API token in a list.
type Token struct {
	ID          string   `json:"id" example:"7"`
	Name        string   `json:"name" example:"nightly import"`
	Abilities   string   `json:"abilities" doc:"The token's abilities, comma-separated." example:"assets:read,uploads:manage"`
	Description string   `json:"description" example:"Pushes the photographers' folder."`
	LastUsedAt  NullTime `json:"last_used_at"`
	LastUsedIP  string   `json:"last_used_ip" doc:"Address of the last use; empty before the first." example:"192.0.2.7"`
	ExpiresAt   NullTime `json:"expires_at"`
	CreatedAt   NullTime `json:"created_at"`
}

// NewToken is a token at its creation: the only time its plain text is shown.
type NewToken struct {
	Token
	PlainTextToken string `json:"plain_text_token" doc:"The token itself, shown only now. Send it as: Authorization: Bearer …" example:"dal_7_q83vEjRWeJq83vEjRWeJq83vEjRWeJq83vEjRWeJ0Ec"`
}

func toToken(t *dam.Token) Token {
	names := make([]string, len(t.Abilities))
	for i, a := range t.Abilities {
		names[i] = string(a)
	}
	return Token{ID: itoa(t.ID), Name: t.Name, Abilities: strings.Join(names, ","), Description: t.Description,
		LastUsedAt: NullTime{t.LastUsedAt}, LastUsedIP: t.LastUsedIP, ExpiresAt: NullTime{t.ExpiresAt}, CreatedAt: NullTime{&t.CreatedAt}}
}

type (
	tokensInput struct {
		PageInput
	}
	tokensOutput     struct{ Body list[Token] }
	createTokenInput struct {
		Body struct {
			Name        string          `json:"name" minLength:"1" maxLength:"255" example:"nightly import"`
			Abilities   []dam.Ability   `json:"abilities" minItems:"1" maxItems:"14" doc:"What the token may do: at most what the user and the calling token may." example:"[\"assets:read\",\"uploads:manage\"]"`
			Description Opt[string]     `json:"description,omitempty" maxLength:"1000" example:"Pushes the photographers' folder."`
			ExpiresAt   Opt[*time.Time] `json:"expires_at,omitempty" doc:"When the token ends; never when absent or null. A token that another one makes ends when that does at the latest, and so when this is absent." example:"2027-01-31T00:00:00Z"`
		} `contentType:"application/json" nameHint:"CreateToken"`
	}
	tokenInput struct {
		Token int64 `path:"token" doc:"The token's id." example:"7"`
	}
)

func (s *Server) tokenRoutes() {
	register(s, route{id: "listTokens", method: "GET", path: "/tokens", tag: "Tokens", summary: "List API tokens",
		doc: "The tokens of the authenticated user, newest first. A session of an admin sees those of all users."}.huma(), s.listTokens)
	register(s, route{id: "createToken", method: "POST", path: "/tokens", tag: "Tokens", summary: "Create an API token", status: http.StatusCreated,
		doc: "Mints a token for the authenticated user. The plain text is in this answer and nowhere else. Asking for an ability that the user or the calling token does not have is 403. What a token makes ends with it, in time and when it is revoked. A user can have 50 tokens that have not expired."}.huma(), s.createToken)
	register(s, route{id: "deleteToken", method: "DELETE", path: "/tokens/{token}", tag: "Tokens", summary: "Revoke an API token",
		doc: "The token stops working at once, and with it those that it made and the webhooks made or pointed elsewhere with any of them. A token revokes itself and those that can do no more than it can."}.huma(), s.deleteToken)
}

func (s *Server) listTokens(ctx context.Context, in *tokensInput) (*tokensOutput, error) {
	tokens, total, err := s.app.Accounts.Tokens(ctx, requestOf(ctx).actor, in.page())
	if err != nil {
		return nil, err
	}
	return &tokensOutput{*paginate(ctx, &in.PageInput, mapped(tokens, toToken), total)}, nil
}

func (s *Server) createToken(ctx context.Context, in *createTokenInput) (*created[NewToken], error) {
	t := &dam.Token{Name: in.Body.Name, Description: in.Body.Description.Value, Abilities: in.Body.Abilities, ExpiresAt: in.Body.ExpiresAt.Value}
	plain, err := s.app.Accounts.CreateToken(ctx, requestOf(ctx).actor, t)
	if err != nil {
		return nil, err
	}
	return made(ctx, "/tokens/"+itoa(t.ID), NewToken{toToken(t), plain}), nil
}

func (s *Server) deleteToken(ctx context.Context, in *tokenInput) (*messageOutput, error) {
	if err := s.app.Accounts.RevokeToken(ctx, requestOf(ctx).actor, in.Token); err != nil {
		return nil, err
	}
	return &messageOutput{message{"Token revoked."}}, nil
}

// mapped applies fn to each of list.
func mapped[A, B any](list []A, fn func(A) B) []B {
	out := make([]B, len(list))
	for i, v := range list {
		out[i] = fn(v)
	}
	return out
}
