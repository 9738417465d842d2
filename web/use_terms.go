package web

import (
	"context"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
)

// UseTerms are the current terms of use.
type UseTerms struct {
	Version    int64    `json:"version" minimum:"1" doc:"Version of the terms; increases with each new text." example:"2"`
	Text       string   `json:"text" example:"The pictures of this library are for the work of the museum only."`
	TextHash   string   `json:"text_hash" example:"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"`
	SetAt      Time     `json:"set_at" doc:"When the terms took effect."`
	AcceptedAt NullTime `json:"accepted_at"`
}

// ConsentDetail is a consent with the accepted text.
type ConsentDetail struct {
	Consent
	TermsText *string `json:"terms_text" example:"For editorial use only."`
}

func toConsentDetail(c *dam.Consent) ConsentDetail {
	return ConsentDetail{toConsent(c), text(c.TermsText)}
}

type (
	acceptTermsInput struct {
		Body struct {
			Version int64 `json:"version" minimum:"1" example:"2"`
		} `contentType:"application/json" nameHint:"AcceptTerms"`
	}
	// ConsentFilters select consents.
	ConsentFilters struct {
		Context dam.ConsentContext `query:"context" doc:"Consents given in this context." example:"user"`
		Share   int64              `query:"share_id" minimum:"1" doc:"Consents to the terms of this share." example:"7"`
		Version int64              `query:"terms_version" minimum:"1" doc:"Consents to this version." example:"2"`
		Subject string             `query:"subject" maxLength:"254" example:"bo@example.com"`
		From    time.Time          `query:"from" doc:"Consents at or after this time." example:"2026-01-01T00:00:00Z"`
		To      time.Time          `query:"to" doc:"Consents before this time." example:"2026-02-01T00:00:00Z"`
	}
	consentsInput struct {
		PageInput
		ConsentFilters
	}
	consentTableInput struct{ ConsentFilters }
)

func (f *ConsentFilters) filter() dam.ConsentFilter {
	return dam.ConsentFilter{Context: f.Context, Share: f.Share, Version: f.Version, Subject: f.Subject, From: f.From, To: f.To}
}

func (s *Server) useTermsRoutes() {
	terms := group{tag: "User", path: "/terms"}
	register(s, terms.route("showTerms", "GET", "", "Show the terms of use").beforeTerms().failing(404), s.showTerms)
	register(s, terms.route("acceptTerms", "POST", "/accept", "Accept the terms of use").forBrowsers().beforeTerms().failing(404, 409),
		s.acceptTerms)
}

func (s *Server) consentRoutes() {
	consents := group{tag: "Shares", path: "/consents", abilities: []dam.Ability{dam.ConsentsRead}}
	register(s, consents.route("listConsents", "GET", "", "List consents"), s.listConsents)
	table := consents.route("downloadConsents", "GET", "/download", "Download consents as CSV")
	table.responses = s.tableResponses()
	register(s, table, s.downloadConsents)
	register(s, consents.route("showConsent", "GET", "/{consent}", "Show a consent"), s.showConsent)
}

func (s *Server) showTerms(ctx context.Context, _ *struct{}) (*oneOutput[UseTerms], error) {
	t, err := s.app.Shares.UseTerms(ctx, 0)
	if err != nil {
		return nil, err
	}
	v := UseTerms{Version: t.Version, Text: t.Text, TextHash: t.Hash, SetAt: Time{t.SetAt}}
	c, err := s.app.Shares.OwnConsent(ctx, requestOf(ctx).actor, t.Version)
	if c != nil {
		v.AcceptedAt = NullTime{&c.AcceptedAt}
	}
	return &oneOutput[UseTerms]{one[UseTerms]{v}}, err
}

func (s *Server) acceptTerms(ctx context.Context, in *acceptTermsInput) (*oneOutput[Consent], error) {
	return answer(toConsent)(s.app.Shares.AcceptTerms(ctx, requestOf(ctx).actor, in.Body.Version))
}

func (s *Server) listConsents(ctx context.Context, in *consentsInput) (*listOutput[Consent], error) {
	return pageAnswer(ctx, &in.PageInput, toConsent)(s.app.Shares.Consents(ctx, requestOf(ctx).actor, in.filter(), in.page()))
}

func (s *Server) showConsent(ctx context.Context, in *ConsentInput) (*oneOutput[ConsentDetail], error) {
	return answer(toConsentDetail)(s.app.Shares.Consent(ctx, requestOf(ctx).actor, in.Consent))
}

func (s *Server) downloadConsents(ctx context.Context, in *consentTableInput) (*streamOutput, error) {
	write, err := s.app.Shares.ConsentTable(requestOf(ctx).actor, in.filter())
	if err != nil {
		return nil, err
	}
	return s.table(ctx, "consents.csv", write), nil
}
