package web

import (
	"context"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
)

// Share gives people without an account access to assets.
type Share struct {
	ID              int64             `json:"id" example:"7"`
	Name            string            `json:"name" example:"Press pictures, spring"`
	Type            dam.ShareType     `json:"type" example:"assets"`
	IncludeMetadata bool              `json:"include_metadata" example:"false"`
	GAIDs           []dam.GAID        `json:"gaids" maxItems:"1000" example:"[\"01KB3J8Q5V7X9Z1B3D5F7H9K1M\"]"`
	CollectionID    *int64            `json:"collection_id" example:"2"`
	Upload          Null[ShareUpload] `json:"upload"`
	HandedIn        Null[HandedIn]    `json:"handed_in"`
	URL             string            `json:"url" example:"http://localhost:8080/s/q83vEjRWeJq83vEjRWeJq83vEjRWeJq8"`
	HasPassword     bool              `json:"has_password" doc:"Whether guests must enter a password." example:"true"`
	ExpiresAt       NullTime          `json:"expires_at"`
	AllowDownload   bool              `json:"allow_download" example:"true"`
	AllowOriginal   bool              `json:"allow_original" example:"false"`
	Watermark       Null[Watermark]   `json:"watermark"`
	MaxResolution   *int64            `json:"max_resolution" example:"2000"`
	PreviewCard     bool              `json:"allow_preview_card" example:"false"`
	Access          ShareAccess       `json:"access"`
	TermsText       *string           `json:"terms_text" example:"For editorial use only."`
	ViewCount       int64             `json:"view_count" minimum:"0" doc:"Number of visits." example:"12"`
	DownloadCount   int64             `json:"download_count" minimum:"0" doc:"Downloads; a download of all counts once." example:"3"`
	LastAccessedAt  NullTime          `json:"last_accessed_at"`
	RevokedAt       NullTime          `json:"revoked_at"`
	CreatedBy       Null[User]        `json:"created_by"`
	CreatedAt       Time              `json:"created_at"`
}

// Watermark is a text, or the library's logo, drawn on delivered pictures.
type Watermark struct {
	Text      *string           `json:"text" required:"false" minLength:"1" maxLength:"100" example:"© Harbour Museum"`
	Logo      bool              `json:"logo" required:"false" example:"false"`
	Placement dam.MarkPlacement `json:"placement,omitempty" default:"tiled" example:"corner"`
	Opacity   int               `json:"opacity,omitempty" minimum:"10" maximum:"100" default:"40" doc:"Opacity in per cent." example:"40"`
}

// ShareAccess restricts access to a share: the guests, and the number of uses.
type ShareAccess struct {
	Emails       []string `json:"emails" required:"false" maxItems:"1000" example:"[\"bo@example.com\"]"`
	EmailDomains []string `json:"email_domains" required:"false" maxItems:"1000" example:"[\"example.com\"]"`
	IPRanges     []string `json:"ip_ranges" required:"false" maxItems:"1000" doc:"CIDR ranges; empty for all." example:"[\"::1/128\"]"`
	MaxViews     *int64   `json:"max_views" required:"false" minimum:"1" maximum:"1000000000" example:"100"`
	MaxDownloads *int64   `json:"max_downloads" required:"false" minimum:"1" maximum:"1000000000" example:"100"`
	RequireEmail bool     `json:"require_email" required:"false" example:"false"`
	RequireTerms bool     `json:"require_terms" required:"false" example:"false"`
}

func (a ShareAccess) dam() dam.ShareAccess { return dam.ShareAccess(a) }

func (w Watermark) dam() dam.Watermark {
	m := dam.Watermark{Logo: w.Logo, Placement: w.Placement, Opacity: w.Opacity}
	if w.Text != nil {
		m.Text = *w.Text
	}
	return m
}

func toWatermark(w *dam.Watermark) Watermark {
	return Watermark{Text: text(w.Text), Logo: w.Logo, Placement: w.Placement, Opacity: w.Opacity}
}

func toShare(base string) func(*dam.Share) Share {
	return func(s *dam.Share) Share {
		a := s.Access
		return Share{ID: s.ID, Name: s.Name, Type: s.Type, IncludeMetadata: s.IncludeMetadata, GAIDs: orEmpty(s.GAIDs),
			CollectionID: number(s.CollectionID), Upload: null(s.Upload, toShareUpload), HandedIn: handedIn(s),
			URL: base + sharedAt(s), HasPassword: s.HasPassword,
			ExpiresAt: NullTime{s.ExpiresAt}, AllowDownload: s.AllowDownload, AllowOriginal: s.AllowOriginal,
			Watermark: null(s.Watermark, toWatermark), PreviewCard: s.PreviewCard,
			MaxResolution: number(s.MaxResolution), TermsText: text(s.TermsText), ViewCount: s.ViewCount, DownloadCount: s.DownloadCount,
			Access: ShareAccess{orEmpty(a.Emails), orEmpty(a.EmailDomains), orEmpty(a.IPRanges), a.MaxViews, a.MaxDownloads,
				a.RequireEmail, a.RequireTerms},
			LastAccessedAt: NullTime{s.LastAccessedAt}, RevokedAt: NullTime{s.RevokedAt}, CreatedBy: null(s.CreatedBy, toUser),
			CreatedAt: Time{s.CreatedAt}}
	}
}

// ShareAccessLog is an action of a guest.
type ShareAccessLog struct {
	ID            int64           `json:"id" example:"31"`
	Action        dam.ShareAction `json:"action" example:"download"`
	GAID          *string         `json:"gaid" example:"01KB3J8Q5V7X9Z1B3D5F7H9K1M"`
	Email         *string         `json:"email" doc:"Email, as entered by the guest; null if none was requested." example:"bo@example.com"`
	EmailVerified bool            `json:"email_verified" example:"false"`
	IP            string          `json:"ip" doc:"IP address of the guest." example:"192.0.2.7"`
	UserAgent     *string         `json:"user_agent" doc:"User agent of the browser." example:"Mozilla/5.0 Firefox/140.0"`
	CreatedAt     Time            `json:"created_at"`
}

func toShareAccessLog(e *dam.ShareEntry) ShareAccessLog {
	return ShareAccessLog{ID: e.ID, Action: e.Action, GAID: text(string(e.GAID)), Email: text(e.Email),
		EmailVerified: e.EmailVerified, IP: e.IP,
		UserAgent: text(e.UserAgent), CreatedAt: Time{e.CreatedAt}}
}

// ShareChanges are the writable members of a share.
type ShareChanges struct {
	GAIDs           Opt[[]dam.GAID]  `json:"gaids,omitempty" maxItems:"1000" example:"[\"01KB3J8Q5V7X9Z1B3D5F7H9K1M\"]"`
	CollectionID    Opt[int64]       `json:"collection_id,omitempty" minimum:"1" example:"2"`
	Upload          Opt[ShareUpload] `json:"upload,omitempty"`
	IncludeMetadata Opt[bool]        `json:"include_metadata,omitempty" nullable:"false" example:"false"`
	AllowDownload   Opt[bool]        `json:"allow_download,omitempty" nullable:"false" example:"true"`
	AllowOriginal   Opt[bool]        `json:"allow_original,omitempty" nullable:"false" example:"false"`
	Watermark       Opt[Watermark]   `json:"watermark,omitempty"`
	MaxResolution   Opt[int]         `json:"max_resolution,omitempty" minimum:"16" maximum:"100000" example:"2000"`
	PreviewCard     Opt[bool]        `json:"allow_preview_card,omitempty" nullable:"false" example:"false"`
	Password        Opt[string]      `json:"password,omitempty" maxLength:"1000" example:"harbour at dawn"`
	ExpiresAt       Opt[time.Time]   `json:"expires_at,omitempty" example:"2027-01-31T12:00:00Z"`
	Access          Opt[ShareAccess] `json:"access,omitempty" nullable:"false"`
	TermsText       Opt[string]      `json:"terms_text,omitempty" example:"For editorial use only."`
}

func (c *ShareChanges) patch() *dam.SharePatch {
	return &dam.SharePatch{GAIDs: c.GAIDs.Opt, CollectionID: c.CollectionID.Opt,
		Upload: optAs(c.Upload, ShareUpload.dam), IncludeMetadata: c.IncludeMetadata.Opt,
		AllowDownload: c.AllowDownload.Opt, AllowOriginal: c.AllowOriginal.Opt, Watermark: optAs(c.Watermark, Watermark.dam),
		MaxResolution: c.MaxResolution.Opt, Password: c.Password.Opt, ExpiresAt: c.ExpiresAt.Opt,
		Access: optAs(c.Access, ShareAccess.dam), TermsText: c.TermsText.Opt, PreviewCard: c.PreviewCard.Opt}
}

type (
	// ShareInput names a share in the path.
	ShareInput struct {
		Share int64 `path:"share" doc:"The share's id." example:"7"`
	}
	createShareInput struct {
		Body struct {
			Name string             `json:"name" minLength:"1" maxLength:"255" example:"Press pictures, spring"`
			Type Opt[dam.ShareType] `json:"type,omitempty" nullable:"false" example:"assets"`
			ShareChanges
		} `contentType:"application/json" nameHint:"CreateShare"`
	}
	updateShareInput struct {
		ShareInput
		ReturnedInput
		Body *struct {
			Name Opt[string] `json:"name,omitempty" nullable:"false" minLength:"1" maxLength:"255" example:"Press pictures, spring"`
			ShareChanges
		} `contentType:"application/json" nameHint:"UpdateShare"`
	}
	sharesInput struct {
		PageInput
		Type dam.ShareType `query:"type" example:"embed"`
	}
	shareLogsInput struct {
		ShareInput
		PageInput
	}
)

func (s *Server) shareRoutes() {
	shares := group{tag: "Shares", path: "/shares"}
	register(s, shares.route("listShares", "GET", "", "List shares", dam.SharesRead), s.listShares)
	register(s, shares.route("createShare", "POST", "", "Create a share", dam.SharesManage).creating(), s.createShare)
	register(s, shares.route("showShare", "GET", "/{share}", "Show a share", dam.SharesRead), s.showShare)
	registerPut(s, shares.route("updateShare", "PUT", "/{share}", "Update a share", dam.SharesManage).failing(409),
		s.shareAsShown, s.updateShare)
	registerChange(s, shares.route("revokeShare", "DELETE", "/{share}", "Revoke a share", dam.SharesManage),
		shownBy(s.showShare), s.revokeShare)
	s.reviewRoutes()
	register(s, shares.route("listShareAccessLogs", "GET", "/{share}/access-logs", "List guest activity", dam.SharesRead), s.listShareLogs)
	register(s, shares.route("listShareFiles", "GET", "/{share}/files", "List files uploaded by guests", dam.SharesRead), s.listShareFiles)
}

func (s *Server) listShares(ctx context.Context, in *sharesInput) (*listOutput[Share], error) {
	r := requestOf(ctx)
	return pageAnswer(ctx, &in.PageInput, toShare(r.base))(s.app.Shares.Shares(ctx, r.actor, in.Type, in.page()))
}

func (s *Server) showShare(ctx context.Context, in *ShareInput) (*oneOutput[Share], error) {
	r := requestOf(ctx)
	return answer(toShare(r.base))(s.app.Shares.Share(ctx, r.actor, in.Share))
}

func (s *Server) createShare(ctx context.Context, in *createShareInput) (*created[Share], error) {
	r := requestOf(ctx)
	p := in.Body.patch()
	p.Name, p.Type = sent(in.Body.Name), in.Body.Type.Opt
	share, err := s.app.Shares.Create(ctx, r.actor, p)
	if err != nil {
		return nil, err
	}
	return made(ctx, "/shares/"+itoa(share.ID), toShare(r.base)(share)), nil
}

func (s *Server) shareAsShown(ctx context.Context, in *updateShareInput) (any, error) {
	r := requestOf(ctx)
	if err := r.actor.Require(dam.SharesRead); err != nil {
		return nil, err
	}
	share, err := s.app.Shares.Share(ctx, r.actor, in.Share)
	if err != nil {
		return nil, err
	}
	return toShare(r.base)(share), nil
}

func (s *Server) updateShare(ctx context.Context, in *updateShareInput) (*oneOutput[Share], error) {
	r := requestOf(ctx)
	p := &dam.SharePatch{}
	if b := in.Body; b != nil {
		p = b.patch()
		p.Name = b.Name.Opt
	}
	return answer(toShare(r.base))(s.app.Shares.Update(ctx, r.actor, in.Share, p))
}

func (s *Server) revokeShare(ctx context.Context, in *ShareInput) (*messageOutput, error) {
	return done("Share revoked.", s.app.Shares.Revoke(ctx, requestOf(ctx).actor, in.Share))
}

func (s *Server) listShareLogs(ctx context.Context, in *shareLogsInput) (*listOutput[ShareAccessLog], error) {
	return pageAnswer(ctx, &in.PageInput, toShareAccessLog)(s.app.Shares.ShareEntries(ctx, requestOf(ctx).actor, in.Share, in.page()))
}

// Consent records the acceptance of terms.
type Consent struct {
	ID            int64              `json:"id" example:"3"`
	SubjectName   string             `json:"subject_name" example:"Bo Ek"`
	SubjectEmail  *string            `json:"subject_email" example:"bo@example.com"`
	EmailVerified bool               `json:"email_verified" doc:"Whether the guest entered an emailed code." example:"false"`
	TermsVersion  int64              `json:"terms_version" minimum:"1" doc:"Version of the accepted terms." example:"1"`
	TermsTextHash string             `json:"terms_text_hash" example:"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"`
	Context       dam.ConsentContext `json:"context" doc:"Where the terms were accepted." example:"share"`
	ShareID       *int64             `json:"share_id" example:"7"`
	IP            string             `json:"ip" example:"192.0.2.7"`
	UserAgent     *string            `json:"user_agent" example:"Mozilla/5.0 Firefox/140.0"`
	AcceptedAt    Time               `json:"accepted_at" doc:"When the terms were accepted."`
	UserID        *int64             `json:"user_id" example:"2"`
	ErasedAt      NullTime           `json:"erased_at"`
}

func toConsent(c *dam.Consent) Consent {
	return Consent{ID: c.ID, SubjectName: c.SubjectName, SubjectEmail: text(c.SubjectEmail),
		EmailVerified: c.EmailVerified, TermsVersion: c.TermsVersion,
		TermsTextHash: c.TermsTextHash, Context: c.Context, ShareID: number(c.ShareID), IP: c.IP, UserAgent: text(c.UserAgent),
		AcceptedAt: Time{c.AcceptedAt}, UserID: number(c.UserID), ErasedAt: NullTime{c.ErasedAt}}
}

type (
	// ConsentInput names a consent in the path.
	ConsentInput struct {
		Consent int64 `path:"consent" doc:"The consent's id." example:"3"`
	}
)

// sharePath returns the path of a share's page, except for embeds.
func sharePath(token string) string { return guestRoot + token }

// sharedAt returns the path of a share's page.
func sharedAt(s *dam.Share) string {
	if s.Type == dam.ShareEmbed {
		return embedRoot + s.Token
	}
	return sharePath(s.Token)
}
