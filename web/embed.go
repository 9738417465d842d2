package web

import (
	"bytes"
	"context"
	"fmt"
	"html"
	"html/template"
	"image/jpeg"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/gorilla/mux"

	"github.com/digital-asset-library/dal/app/dam"
	shares "github.com/digital-asset-library/dal/app/share"
)

// Embed is the code that embeds a video in other pages.
type Embed struct {
	ID             int64        `json:"id" example:"9"`
	GAID           dam.GAID     `json:"gaid" example:"01KB3J8Q5V7X9Z1B3D5F7H9K1M"`
	URL            string       `json:"url" example:"http://localhost:8080/embed/q83vEjRWeJq83vEjRWeJq83vEjRWeJq8"`
	HTML           string       `json:"html" example:"<iframe src=\"http://localhost:8080/embed/q83vEjRWeJq83vEjRWeJq83vEjRWeJq8\"></iframe>"`
	AllowedOrigins []string     `json:"allowed_origins" example:"[\"https://www.example.com\"]"`
	Autoplay       bool         `json:"autoplay" example:"false"`
	Width          int          `json:"width" minimum:"50" maximum:"10000" example:"960"`
	Height         int          `json:"height" minimum:"50" maximum:"10000" example:"540"`
	Tracks         []EmbedTrack `json:"tracks"`
	ExpiresAt      Time         `json:"expires_at"`
	ViewCount      int64        `json:"view_count" minimum:"0" example:"12"`
	CreatedAt      Time         `json:"created_at"`
}

func toEmbed(base string, gaid dam.GAID) func(*dam.Share) Embed {
	return func(s *dam.Share) Embed {
		e, page := s.Embed, base+sharedAt(s)
		return Embed{ID: s.ID, GAID: gaid, URL: page, HTML: embedHTML(page, s.Name, e.Width, e.Height), Autoplay: e.Autoplay,
			AllowedOrigins: orEmpty(e.AllowedOrigins), Width: e.Width, Height: e.Height, ExpiresAt: Time{*s.ExpiresAt},
			Tracks: toTracks(e.Tracks), ViewCount: s.ViewCount, CreatedAt: Time{s.CreatedAt}}
	}
}

// embedHTML returns the code that embeds a player's page in another page.
func embedHTML(page, title string, width, height int) string {
	return fmt.Sprintf(`<iframe src="%s" width="%d" height="%d" title="%s" style="border:0" `+
		`allow="autoplay; picture-in-picture" allowfullscreen loading="lazy"></iframe>`,
		html.EscapeString(page), width, height, html.EscapeString(title))
}

type makeEmbedInput struct {
	GAIDInput
	Body *struct {
		ForceNew       Opt[bool]      `json:"force_new,omitempty" nullable:"false" example:"false"`
		ExpiresAt      Opt[time.Time] `json:"expires_at,omitempty" nullable:"false" example:"2027-01-31T12:00:00Z"`
		AllowedOrigins Opt[[]string]  `json:"allowed_origins,omitempty" nullable:"false" maxItems:"20" example:"[\"https://www.example.com\"]"`
		Autoplay       Opt[bool]      `json:"autoplay,omitempty" nullable:"false" example:"false"`
		Width          Opt[int]       `json:"width,omitempty" nullable:"false" minimum:"50" maximum:"10000" example:"960"`
		Height         Opt[int]       `json:"height,omitempty" nullable:"false" minimum:"50" maximum:"10000" example:"540"`

		Tracks Opt[[]EmbedTrack] `json:"tracks,omitempty" nullable:"false" maxItems:"20"`
	} `contentType:"application/json" nameHint:"CreateEmbed"`
}

const (
	// embedRoot is the path prefix of embedded players.
	embedRoot = "/embed/"
	// embedCSP is for pages without scripts and forms; the allowed frame ancestors are
	// appended.
	embedCSP = "default-src 'none'; style-src 'self'; img-src 'self'; media-src 'self'; form-action 'none'; base-uri 'none'; " +
		"frame-ancestors "
	anySite = "*"

	maxStart     = 1_000_000 // seconds
	maxEmbedURL  = 2000      // bytes
	maxEmbedSide = 1_000_000 // pixels, requested by an oEmbed consumer
)

var embedTemplate = template.Must(template.ParseFS(guestFiles, "share/embed.html"))

func (s *Server) embedRoutes() {
	assets := group{tag: "Shares", path: "/assets"}
	register(s, assets.route("showEmbed", "GET", "/{gaid}/embed", "Show an embed code", dam.SharesRead), s.showEmbed)
	register(s, assets.route("createEmbed", "POST", "/{gaid}/embed", "Create an embed code", dam.SharesManage).creating(), s.makeEmbed)
	registerChange(s, assets.route("revokeEmbed", "DELETE", "/{gaid}/embed", "Revoke an embed code", dam.SharesManage),
		shownBy(s.showEmbed), s.revokeEmbed)

	s.servePage("/embed.css", "text/css; charset=utf-8", guideCSP, guestFile("share/embed.css"))
	page := embedRoot + "{token}"
	for path, fn := range map[string]http.HandlerFunc{
		page:                 s.embedPage,
		page + "/video":      s.embedVideo,
		page + "/tracks/{n}": s.embedTrack,
		page + "/poster":     s.embedPicture(dam.RenditionPreview),
		page + "/thumbnail":  s.embedPicture(dam.RenditionThumbnail),
		"/oembed":            s.oEmbed,
	} {
		s.router.HandleFunc(path, private(fn)).Methods(http.MethodGet)
	}
	s.router.PathPrefix(embedRoot).Methods(http.MethodGet).HandlerFunc(private(func(w http.ResponseWriter, r *http.Request) {
		s.embedError(w, r, dam.Errorf(dam.NotFound, "Nothing found."))
	}))
}

func (s *Server) showEmbed(ctx context.Context, in *GAIDInput) (*oneOutput[Embed], error) {
	r := requestOf(ctx)
	return answer(toEmbed(r.base, in.GAID))(s.app.Shares.Embed(ctx, r.actor, in.GAID))
}

func (s *Server) makeEmbed(ctx context.Context, in *makeEmbedInput) (*created[Embed], error) {
	r := requestOf(ctx)
	p, fresh := &dam.EmbedPatch{}, false
	if b := in.Body; b != nil {
		fresh = b.ForceNew.Value
		p = &dam.EmbedPatch{ExpiresAt: b.ExpiresAt.Opt, AllowedOrigins: b.AllowedOrigins.Opt, Autoplay: b.Autoplay.Opt,
			Width: b.Width.Opt, Height: b.Height.Opt, Tracks: optAs(b.Tracks, fromTracks)}
	}
	share, err := s.app.Shares.MakeEmbed(ctx, r.actor, in.GAID, fresh, p)
	if err != nil {
		return nil, err
	}
	return made(ctx, "/assets/"+string(in.GAID)+"/embed", toEmbed(r.base, in.GAID)(share)), nil
}

func (s *Server) revokeEmbed(ctx context.Context, in *GAIDInput) (*messageOutput, error) {
	return done("Embed code revoked.", s.app.Shares.RevokeEmbed(ctx, requestOf(ctx).actor, in.GAID))
}

// embedView is the data of a player's page.
type embedView struct {
	guestTexts
	Mount         string // see Options.mount
	Title         string
	OEmbed        string // URL of its oEmbed description; "" for none
	Video, Poster string // URLs; "" for none
	Autoplay      bool
	Text          string // shown instead of the video
	Tracks        []embedTrackView
	Chapters      []embedChapter
}

// showPlayer sends the page of a player; origins are the sites that may embed it, all if
// empty.
func (s *Server) showPlayer(w http.ResponseWriter, r *http.Request, status int, v *embedView, origins []string) {
	var b bytes.Buffer
	if err := embedTemplate.Execute(&b, v); err != nil {
		writeError(w, toAPI(r.Context(), s.log, err))
		return
	}
	ancestors := anySite
	if len(origins) > 0 {
		ancestors = strings.Join(origins, " ")
	}
	h := w.Header()
	h.Set("Content-Security-Policy", embedCSP+ancestors)
	h.Del("X-Frame-Options") // cannot list origins
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Language", v.Language)
	h.Add("Vary", "Accept-Language")
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes()) // the client may have disconnected
}

// embedError sends a page with the error, as far as viewers may know it, to the frame.
func (s *Server) embedError(w http.ResponseWriter, r *http.Request, err error) {
	e := toAPI(r.Context(), s.log, err)
	for k, values := range e.headers {
		w.Header()[k] = values
	}
	v := &embedView{guestTexts: textsFor(r), Mount: s.mount}
	v.Title, v.Text = v.T("Not available"), v.T("Something went wrong on the server.")
	if e.status == http.StatusNotFound {
		v.Text = v.T("This video is not available.")
	}
	s.showPlayer(w, r, e.status, v, nil)
}

func (s *Server) embedPage(w http.ResponseWriter, r *http.Request) {
	share, video, err := s.app.Guests.OpenEmbed(r.Context(), mux.Vars(r)["token"])
	if err != nil {
		s.embedError(w, r, err)
		return
	}
	page := s.mount + sharedAt(share)
	v := &embedView{guestTexts: textsFor(r), Mount: s.mount, Title: video.Title, Autoplay: share.Embed.Autoplay}
	base := requestOf(r.Context()).base
	v.OEmbed = base + "/oembed?format=json&url=" + url.QueryEscape(base+sharedAt(share))
	if video.HasPicture() {
		v.Poster = page + "/poster"
	}
	if s.app.Guests.Embeds(r.Context(), video) == shares.DeliversNothing {
		v.Text = v.T("Browsers cannot play this video.")
		if shares.BrowsersPlay(video) {
			v.Text = v.T("This video cannot be played here because its metadata cannot be removed.")
		}
	} else {
		v.Video = page + "/video"
		if start, ok := startOf(r.URL.Query()); ok {
			v.Video += "#t=" + start
		}
		if err := s.addTracks(r, v, share, page); err != nil {
			s.embedError(w, r, err)
			return
		}
	}
	s.showPlayer(w, r, http.StatusOK, v, share.Embed.AllowedOrigins)
}

// startOf returns the second at which playback starts, if the query names one.
func startOf(query url.Values) (string, bool) {
	f, err := strconv.ParseFloat(query.Get("start"), 64)
	if err != nil || !(f > 0 && f <= maxStart) {
		return "", false
	}
	return strconv.FormatFloat(f, 'f', -1, 64), true
}

func (s *Server) embedVideo(w http.ResponseWriter, r *http.Request) {
	f, err := s.app.Guests.EmbedVideo(r.Context(), mux.Vars(r)["token"])
	if err != nil {
		s.embedError(w, r, err)
		return
	}
	s.sendGuest(w, r, f, true)
}

func (s *Server) embedPicture(kind dam.Rendition) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		f, err := s.app.Guests.EmbedPicture(r.Context(), mux.Vars(r)["token"], kind)
		if err != nil {
			s.embedError(w, r, err)
			return
		}
		w.Header().Set("Cross-Origin-Resource-Policy", "cross-origin") // other pages show the poster before the player
		s.sendGuest(w, r, f, true)
	}
}

// OEmbed describes an embed to a page that embeds it: https://oembed.com
type OEmbed struct {
	Type            string `json:"type"`
	Version         string `json:"version"`
	Title           string `json:"title"`
	ProviderName    string `json:"provider_name"`
	ProviderURL     string `json:"provider_url"`
	HTML            string `json:"html"`
	Width           int    `json:"width"`
	Height          int    `json:"height"`
	ThumbnailURL    string `json:"thumbnail_url,omitempty"`
	ThumbnailWidth  int    `json:"thumbnail_width,omitempty"`
	ThumbnailHeight int    `json:"thumbnail_height,omitempty"`
}

// oEmbed describes the embed at a URL.
func (s *Server) oEmbed(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Access-Control-Allow-Origin", "*") // public information
	w.Header().Set("Cross-Origin-Resource-Policy", "cross-origin")
	query := r.URL.Query()
	if f := query.Get("format"); f != "" && f != "json" {
		writeError(w, &apiError{status: http.StatusNotImplemented, Message: "There is only the format json."})
		return
	}
	most := [2]int{maxEmbedSide, maxEmbedSide}
	for i, name := range []string{"maxwidth", "maxheight"} {
		if !query.Has(name) {
			continue
		}
		n, err := strconv.Atoi(query.Get(name))
		if err != nil || n < 1 || n > maxEmbedSide {
			writeError(w, &apiError{status: http.StatusBadRequest,
				Message: fmt.Sprintf("The %s must be a number of pixels from 1 to %d.", name, maxEmbedSide)})
			return
		}
		most[i] = n
	}
	o, err := s.describeEmbed(r.Context(), query.Get("url"), most[0], most[1])
	if err != nil {
		writeError(w, toAPI(r.Context(), s.log, err))
		return
	}
	writeJSON(w, http.StatusOK, o)
}

// describeEmbed describes the embed at a URL within a maximum size.
func (s *Server) describeEmbed(ctx context.Context, of string, width, height int) (*OEmbed, error) {
	base := requestOf(ctx).base
	rest, ok := strings.CutPrefix(of, base+embedRoot)
	if !ok || len(of) > maxEmbedURL {
		return nil, dam.Errorf(dam.NotFound, "There is no embed with this URL.")
	}
	rest, _, _ = strings.Cut(rest, "#")
	token, query, _ := strings.Cut(rest, "?")
	share, video, err := s.app.Guests.Embedded(ctx, token)
	if err != nil {
		return nil, err
	}
	page := base + sharedAt(share)
	o := &OEmbed{Type: "video", Version: "1.0", Title: video.Title, ProviderName: s.opt.SiteName, ProviderURL: base}
	o.Width, o.Height = within(share.Embed.Width, share.Embed.Height, width, height)
	src := page
	if values, err := url.ParseQuery(query); err == nil {
		if start, ok := startOf(values); ok {
			src += "?start=" + start
		}
	}
	o.HTML = embedHTML(src, video.Title, o.Width, o.Height)
	if !video.HasPicture() {
		return o, nil
	}
	for _, p := range []struct {
		path string
		kind dam.Rendition
	}{{"/poster", dam.RenditionPreview}, {"/thumbnail", dam.RenditionThumbnail}} {
		w, h, err := s.embedPictureSize(ctx, token, p.kind)
		if err != nil {
			return nil, err
		}
		if w <= width && h <= height {
			o.ThumbnailURL, o.ThumbnailWidth, o.ThumbnailHeight = page+p.path, w, h
			break
		}
	}
	return o, nil
}

func (s *Server) embedPictureSize(ctx context.Context, token string, kind dam.Rendition) (width, height int, err error) {
	f, err := s.app.Guests.EmbedPicture(ctx, token, kind)
	if err != nil {
		return 0, 0, err
	}
	defer f.Content.Close()
	c, err := jpeg.DecodeConfig(f.Content)
	return c.Width, c.Height, err
}

// within scales w by h down to fit into mostW by mostH, keeping the aspect ratio.
func within(w, h, mostW, mostH int) (int, int) {
	if w > mostW {
		w, h = mostW, max(1, h*mostW/w)
	}
	if h > mostH {
		w, h = max(1, w*mostH/h), mostH
	}
	return w, h
}
