package web

import (
	"bytes"
	"context"
	"errors"
	"mime"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/share"
)

// logoPath is the public path of the library's logo.
const logoPath = "/logo.png"

// Logo is the library's logo.
type Logo struct {
	URL       string `json:"url" doc:"Public URL of the logo as PNG." example:"http://localhost:8080/logo.png?v=9f86d081884c7d65"`
	Width     int    `json:"width" doc:"Width in pixels." example:"640"`
	Height    int    `json:"height" doc:"Height in pixels." example:"160"`
	UpdatedAt Time   `json:"updated_at" doc:"When the logo was set."`
}

func toLogo(base string) func(*dam.Logo) Logo {
	return func(l *dam.Logo) Logo { return Logo{base + logoAt(l), l.Width, l.Height, Time{l.UpdatedAt}} }
}

// Site is the branding of the browser application's pages.
type Site struct {
	SiteName string     `json:"site_name" doc:"Name of the library." example:"Harbour Museum"`
	Logo     Null[Logo] `json:"logo" doc:"Logo of the library; null for none."`
}

func (s *Server) site(ctx context.Context) (Site, error) {
	l, err := s.app.Shares.Logo(ctx)
	return Site{s.opt.SiteName, null(l, toLogo(requestOf(ctx).base))}, err
}

// logoAt returns the path of a logo, which is different for each.
func logoAt(l *dam.Logo) string { return logoPath + "?v=" + l.SHA256[:16] }

func (s *Server) logoRoutes() {
	s.router.HandleFunc(logoPath, s.sendLogo).Methods(http.MethodGet)
	logo := group{tag: "Settings", path: "/settings/logo"}
	show := logo.route("showLogo", "GET", "", "Show the logo of the library").failing(404)
	set := logo.route("setLogo", "PUT", "", "Set the logo of the library")
	remove := logo.route("deleteLogo", "DELETE", "", "Delete the logo of the library").failing(409)
	show.administration, set.administration, remove.administration = true, true, true
	set.body = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{}}
	for _, kind := range share.LogoTypes() {
		set.body.Content[kind] = &huma.MediaType{Schema: binary}
	}
	register(s, show, s.showLogo)
	registerChange(s, set, shownBy(s.showLogo), s.setLogo)
	registerChange(s, remove, shownBy(s.showLogo), s.deleteLogo)
}

func (s *Server) showLogo(ctx context.Context, _ *struct{}) (*oneOutput[Logo], error) {
	l, err := s.app.Shares.Logo(ctx)
	if err == nil && l == nil {
		err = dam.Errorf(dam.NotFound, "Logo not found.")
	}
	return answer(toLogo(requestOf(ctx).base))(l, err)
}

func (s *Server) setLogo(ctx context.Context, _ *struct{}) (*oneOutput[Logo], error) {
	r := requestOf(ctx)
	kind, _, err := mime.ParseMediaType(r.raw.Header.Get("Content-Type"))
	if err != nil || !slices.Contains(share.LogoTypes(), kind) {
		return nil, &apiError{status: http.StatusUnsupportedMediaType,
			Message: "The request body must be a picture: image/png, image/jpeg, image/webp or image/svg+xml."}
	}
	if r.raw.ContentLength > share.MaxLogo {
		return nil, dam.Errorf(dam.TooLarge, "The picture may have up to %d MB.", share.MaxLogo>>20)
	}
	l, err := s.app.Shares.SetLogo(ctx, r.actor, r.body)
	if known, ok := errors.AsType[*dam.Error](err); ok { // the picture may be truncated even if the body is not
		return nil, known
	}
	if err != nil {
		return nil, bodyError(err, cutOffBody)
	}
	return answer(toLogo(r.base))(l, nil)
}

func (s *Server) deleteLogo(ctx context.Context, _ *struct{}) (*messageOutput, error) {
	return done("Logo deleted.", s.app.Shares.DeleteLogo(ctx, requestOf(ctx).actor))
}

// sendLogo sends the logo to anyone.
func (s *Server) sendLogo(w http.ResponseWriter, r *http.Request) {
	l, err := s.app.Shares.LogoPNG(r.Context())
	if err != nil {
		writeError(w, toAPI(r.Context(), s.log, err))
		return
	}
	h := w.Header()
	h.Set("Content-Type", "image/png")
	h.Set("Content-Security-Policy", fileCSP)
	h.Set("ETag", `"`+l.SHA256+`"`)
	h.Set("Cache-Control", "no-cache")
	serveContent(w, r, time.Time{}, bytes.NewReader(l.PNG))
}

// guestLogo is the logo on a guest page.
type guestLogo struct {
	Path          string
	Width, Height int // displayed size
}

const (
	logoHeight = 40  // CSS pixels
	logoWidth  = 320 // CSS pixels
)

// siteLogo returns the logo for a page, or nil if it is missing or unreadable.
func (s *Server) siteLogo(ctx context.Context) *guestLogo {
	l, err := s.app.Shares.Logo(ctx)
	if err != nil {
		s.log.WarnContext(ctx, "the logo cannot be read", "err", err)
	}
	if l == nil || err != nil {
		return nil
	}
	h := min(logoHeight, max(1, logoWidth*l.Height/l.Width))
	return &guestLogo{s.mount + logoAt(l), max(1, l.Width*h/l.Height), h}
}

// guestCard is the preview of a share on other sites.
type guestCard struct{ URL, Picture string }

// cardOf returns the preview card of a share, or nil if it has none. Its picture is the
// first picture that guests see.
func (s *Server) cardOf(base string, share *dam.Share, items []guestItem) *guestCard {
	if !share.HasCard() {
		return nil
	}
	c := &guestCard{URL: base + sharedAt(share)}
	for _, item := range items {
		if item.Picture != "" {
			c.Picture = strings.TrimSuffix(base, s.mount) + item.Path + "/preview"
			break
		}
	}
	return c
}
