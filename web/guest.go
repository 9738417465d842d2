package web

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"crypto/subtle"
	"embed"
	"encoding/base64"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/gorilla/mux"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/render"
	shares "github.com/digital-asset-library/dal/app/share"
)

//go:embed share/page.html share/review.html share/upload.html share/view.html share/share.css share/review.css share/view.css
//go:embed share/embed.html share/embed.css share/upload.js share/view.js
var guestFiles embed.FS

const (
	// guestRoot is the path prefix of share pages.
	guestRoot = "/s/"
	// guestCookie is the name of a guest's cookie. Its path is limited to one share.
	guestCookie = "dal_share"
	// guestCSP is for pages with forms and without scripts.
	guestCSP = "default-src 'none'; style-src 'self'; img-src 'self'; media-src 'self'; form-action 'self'; " +
		"frame-ancestors 'none'; base-uri 'none'"
	// guestScriptCSP is guestCSP for pages with an optional script.
	guestScriptCSP = guestCSP + "; script-src 'self'"
	// guestFetchCSP is guestScriptCSP for pages whose script sends requests.
	guestFetchCSP = guestScriptCSP + "; connect-src 'self'"
	guestPageSize = 60
	maxGuestForm  = 16 << 10
)

var guestTemplate = template.Must(template.ParseFS(guestFiles,
	"share/page.html", "share/review.html", "share/upload.html", "share/view.html"))

// guestRoutes serves shares to people without an account.
func (s *Server) guestRoutes() {
	style := slices.Concat(guestFile("share/share.css"), guestFile("share/review.css"), guestFile("share/view.css"))
	s.servePage("/share.css", "text/css; charset=utf-8", guideCSP, style)
	s.servePage("/share-view.js", "text/javascript; charset=utf-8", guideCSP, guestFile("share/view.js"))
	page := guestRoot + "{token}"
	for path, fn := range map[string]http.HandlerFunc{
		page:                              s.guestPage,
		page + "/download":                s.guestArchive,
		page + "/assets/{gaid}":           s.guestAsset,
		page + "/assets/{gaid}/thumbnail": s.guestPicture(dam.RenditionThumbnail),
		page + "/assets/{gaid}/preview":   s.guestPicture(dam.RenditionPreview),
		page + "/assets/{gaid}/pages/{n}": s.guestPicture(dam.RenditionPage),
		page + "/assets/{gaid}/download":  s.guestDownload,
		page + "/assets/{gaid}/play":      s.guestPlay,
	} {
		s.router.HandleFunc(path, private(fn)).Methods(http.MethodGet)
	}
	s.router.HandleFunc(page, private(s.guestForm)).Methods(http.MethodPost)
	s.router.HandleFunc(page+"/assets/{gaid}/feedback", private(s.guestFeedback)).Methods(http.MethodPost)
	s.handInRoutes(page)
	s.router.PathPrefix(guestRoot).Methods(http.MethodGet).HandlerFunc(private(func(w http.ResponseWriter, r *http.Request) {
		s.guestError(w, r, dam.Errorf(dam.NotFound, "Nothing found."))
	}))
}

// unlisted sets headers against caching and indexing.
func unlisted(h http.Header) {
	h.Set("X-Robots-Tag", "noindex, nofollow, noarchive")
	h.Set("Cache-Control", "private, no-store")
}

func guestFile(name string) []byte {
	data, err := guestFiles.ReadFile(name)
	if err != nil {
		panic(err) // cannot happen: the file is embedded
	}
	return data
}

// private sets the headers of all share pages, which must be neither cached nor indexed.
func private(fn http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		unlisted(h)
		h.Set("Content-Security-Policy", guestCSP)
		if requestOf(r.Context()).raw.Method == http.MethodHead { // would count a view that nobody sees
			h.Set("Allow", http.MethodGet)
			writeError(w, &apiError{status: http.StatusMethodNotAllowed, Message: "Method not allowed."})
			return
		}
		fn(w, r)
	}
}

func guestKey(r *http.Request) shares.GuestKey {
	key := shares.GuestKey{Token: mux.Vars(r)["token"]}
	if c, err := r.Cookie(guestCookie); err == nil {
		key.Cookie = c.Value
	}
	return key
}

// keepCookie sets a guest's cookie unless value is "".
func (s *Server) keepCookie(w http.ResponseWriter, r *http.Request, value string) {
	if value == "" {
		return
	}
	http.SetCookie(w, s.cookieOf(r, value))
}

func (s *Server) cookieOf(r *http.Request, value string) *http.Cookie {
	return &http.Cookie{
		Name: guestCookie, Value: value, Path: s.shareRoot(r), HttpOnly: true, SameSite: http.SameSiteLaxMode,
		Secure: strings.HasPrefix(requestOf(r.Context()).base, "https:"),
	}
}

// shareRoot returns the path of the requested share's page, as seen by browsers.
func (s *Server) shareRoot(r *http.Request) string { return s.mount + sharePath(mux.Vars(r)["token"]) }

// guestView is the data of a share's page.
type guestView struct {
	guestTexts
	Kind           string // "gallery", "asset", "hand-in", "gate" or "message"
	HandIn         *handInView
	Site, Title    string
	Logo           *guestLogo
	Card           *guestCard
	Text, Back     string
	Root           string // path of the share
	Mount          string // see Options.mount
	Gate           shares.Gate
	Form           string // see formMark
	Fault          string
	Address        string // of the guest, to be verified
	Proves         bool   // whether guests verify their addresses
	Share          *dam.Share
	Count          string
	Total, Before  int  // files of the share, and files on earlier gallery pages
	All            bool // whether an archive is offered
	Items          []guestItem
	Item           *guestItem
	Previous, Next string
	Where          string
	IIIF           string // URL for IIIF viewers; "" if unavailable
}

// guestItem is an asset on a page of a share.
type guestItem struct {
	Title, Extension string
	Path, Picture    string
	View             string // large picture shown in the gallery; "" for none
	Width, Height    int    // of the picture, approximate; 0 if unknown
	Plays            bool
	Player           string
	Note, Download   string
	Facts            []guestFact
	Review           *guestReview // in a review
}

type guestFact struct{ Name, Value string }

func (s *Server) view(r *http.Request, kind string) *guestView {
	return &guestView{
		guestTexts: textsFor(r), Kind: kind, Site: s.opt.SiteName, Root: s.shareRoot(r), Mount: s.mount, Logo: s.siteLogo(r.Context()),
	}
}

func (s *Server) showGuest(w http.ResponseWriter, r *http.Request, status int, v *guestView) {
	var b bytes.Buffer
	if err := guestTemplate.Execute(&b, v); err != nil {
		writeError(w, toAPI(r.Context(), s.log, err))
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Language", v.Language)
	w.Header().Add("Vary", "Accept-Language")
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes()) // the guest may have disconnected
}

// guestError sends a page with the error, as far as guests may know it.
func (s *Server) guestError(w http.ResponseWriter, r *http.Request, err error) {
	if errors.Is(err, shares.ErrGate) {
		w.Header().Set("Location", s.shareRoot(r))
		w.WriteHeader(http.StatusSeeOther)
		return
	}
	e := toAPI(r.Context(), s.log, err)
	for k, values := range e.headers {
		w.Header()[k] = values
	}
	v := s.view(r, "message")
	v.Title = v.T("Not available")
	switch e.status {
	case http.StatusNotFound:
		v.Title, v.Text = v.T("Nothing found"), v.T("The link is wrong, or the files are no longer shared.")
	case http.StatusGone:
		v.Text, v.Back = v.T(e.Message), v.Root
	case http.StatusTooManyRequests:
		v.Text, v.Back = v.T("Too many attempts. Try again later."), v.Root
	case http.StatusInternalServerError:
		v.Text = v.T("Something went wrong on the server.")
	default:
		v.Text, v.Back = v.T(e.Message), v.Root
	}
	s.showGuest(w, r, e.status, v)
}

func (s *Server) guestPage(w http.ResponseWriter, r *http.Request) {
	key := guestKey(r)
	visit, cookie, err := s.app.Guests.Open(r.Context(), key)
	if err != nil {
		s.guestError(w, r, err)
		return
	}
	s.keepGuest(w, r, visit, cookie)
	if visit.Gate != shares.GateOpen {
		s.showGate(w, r, http.StatusOK, visit, "")
		return
	}
	if visit.Type == dam.ShareHandIn {
		key.Cookie = cmp.Or(cookie, key.Cookie)
		s.showHandIn(w, r, key, http.StatusOK, nil)
		return
	}
	page := 1
	if n, err := strconv.Atoi(r.URL.Query().Get("page")); err == nil && n > 0 && n <= 1_000_000 {
		page = n
	}
	assets, total, err := s.app.Guests.Assets(r.Context(), visit, dam.Page{Limit: guestPageSize, Offset: (page - 1) * guestPageSize})
	if err != nil {
		s.guestError(w, r, err)
		return
	}
	v := s.view(r, "gallery")
	v.Title, v.Share = visit.Name, visit.Share
	v.Count, v.Total, v.Before = v.count(total), total, (page-1)*guestPageSize
	for _, a := range assets {
		item := v.item(a)
		if a.HasPicture() {
			item.Picture, item.View = item.Path+"/thumbnail", item.viewed(a, 1)
		}
		v.Items = append(v.Items, item)
		v.All = v.All || shares.MayDownload(visit.Share, a)
		v.offerIIIF(visit.Share, a, dam.IIIFID{Token: key.Token}, "/collection.json")
	}
	if err := s.reviewed(r, v, visit, cookie, page, v.Items, assets); err != nil {
		s.guestError(w, r, err)
		return
	}
	v.All = v.All && total <= shares.MaxShareArchive
	v.Card = s.cardOf(requestOf(r.Context()).base, visit.Share, v.Items)
	v.paged(v.Root, page, (total+guestPageSize-1)/guestPageSize)
	w.Header().Set("Content-Security-Policy", guestFetchCSP)
	s.showGuest(w, r, http.StatusOK, v)
}

// paged adds links to the previous and the next page.
func (v *guestView) paged(path string, page, last int) {
	if page > 1 {
		v.Previous = fmt.Sprintf("%s?page=%d", path, min(page-1, max(last, 1)))
	}
	if page < last {
		v.Next = fmt.Sprintf("%s?page=%d", path, page+1)
	}
	v.Where = fmt.Sprintf(v.T("Page %d of %d"), page, max(last, page))
}

func (v *guestView) item(a *dam.Asset) guestItem {
	item := guestItem{Title: a.Title, Extension: a.Extension, Path: v.Root + "/assets/" + string(a.GAID)}
	if a.Width > 0 && a.Height > 0 {
		const side = 320
		longest := max(a.Width, a.Height, side)
		item.Width, item.Height = max(1, a.Width*side/longest), max(1, a.Height*side/longest)
	}
	return item
}

// viewed returns the path of the picture on an asset's page, or of one of its pages if it
// has several; "" for none.
func (i *guestItem) viewed(a *dam.Asset, page int) string {
	switch {
	case shares.Paged(a):
		return fmt.Sprintf("%s/pages/%d", i.Path, page)
	case a.HasPicture():
		return i.Path + "/preview"
	}
	return ""
}

// formMark returns the CSRF token of a form, derived from the browser's cookie, so that
// other sites cannot submit it.
func formMark(cookie string) string {
	sum := sha256.Sum256([]byte("dal form " + cookie))
	return base64.RawURLEncoding.EncodeToString(sum[:12])
}

// checkMark refuses a form whose CSRF token does not match the browser's cookie.
func checkMark(mark, cookie string) error {
	if cookie == "" || subtle.ConstantTimeCompare([]byte(mark), []byte(formMark(cookie))) != 1 {
		return dam.Errorf(dam.Denied, "The form has expired, or your browser blocks cookies.")
	}
	return nil
}

// showGate asks a guest for the next requirement of a share.
func (s *Server) showGate(w http.ResponseWriter, r *http.Request, status int, visit *shares.Visit, fault string) {
	cookie := guestKey(r).Cookie
	if cookie == "" {
		cookie = shares.NewGuestCookie()
		s.keepCookie(w, r, cookie)
	}
	v := s.view(r, "gate")
	v.Gate, v.Form = visit.Gate, formMark(cookie)
	v.Fault = v.T(fault)
	switch visit.Gate {
	case shares.GatePassword:
		v.Title = v.T("This page is password-protected")
	case shares.GateEmail:
		v.Title = v.T("Who are you?")
		v.Proves = s.app.Shares.SendsMail()
	case shares.GateCode:
		v.awaitsCode(visit)
	default:
		v.Title, v.Share = v.T("Terms of use"), visit.Share
	}
	s.showGuest(w, r, status, v)
}

// ownForm parses a form of at most most bytes. Pages without referrers send no origin, so
// the sender is verified by the cookie and the CSRF token.
func ownForm(w http.ResponseWriter, r *http.Request, most int64) (url.Values, error) {
	r.Body = http.MaxBytesReader(w, r.Body, most)
	if err := r.ParseForm(); err != nil {
		return nil, dam.Errorf(dam.Malformed, "The form is not valid.")
	}
	return r.PostForm, checkMark(r.PostForm.Get("form"), guestKey(r).Cookie)
}

// guestForm processes the answer to a gate.
func (s *Server) guestForm(w http.ResponseWriter, r *http.Request) {
	form, err := ownForm(w, r, maxGuestForm)
	if err != nil {
		s.guestError(w, r, err)
		return
	}
	key := guestKey(r)
	var cookie string
	gate := shares.Gate(form.Get("gate"))
	switch gate {
	case shares.GatePassword:
		cookie, err = s.app.Guests.Unlock(r.Context(), key, form.Get("password"))
	case shares.GateEmail:
		cookie, err = s.app.Guests.Introduce(r.Context(), key, form.Get("email"), dam.Language(textsFor(r).Language))
	case shares.GateCode:
		err = s.guestCode(r, key)
	case shares.GateTerms:
		version, _ := strconv.ParseInt(form.Get("version"), 10, 64) // 0 matches no terms
		cookie, err = s.app.Guests.Agree(r.Context(), key, form.Get("name"), version)
	default:
		err = dam.Errorf(dam.Malformed, "The form is not valid.")
	}
	if e, ok := errors.AsType[*dam.Error](err); ok && e.Kind == dam.Invalid {
		visit, _, err := s.app.Guests.Open(r.Context(), key)
		if err == nil && visit.Gate == gate {
			s.showGate(w, r, http.StatusUnprocessableEntity, visit, e.Msg)
			return
		}
	}
	if err == nil {
		s.keepCookie(w, r, cookie)
		err = shares.ErrGate // redirects to the page
	}
	s.guestError(w, r, err)
}

func (s *Server) guestAsset(w http.ResponseWriter, r *http.Request) {
	s.showGuestAsset(w, r, http.StatusOK, func(*guestReview) {})
}

// showGuestAsset shows the page of an asset. fill adjusts the form of a review.
func (s *Server) showGuestAsset(w http.ResponseWriter, r *http.Request, status int, fill func(*guestReview)) {
	visit, asset, err := s.app.Guests.Asset(r.Context(), guestKey(r), dam.GAID(mux.Vars(r)["gaid"]))
	if err != nil {
		s.guestError(w, r, err)
		return
	}
	if r.URL.Query().Get("page") == "" { // turning pages is not another view
		s.app.Analytics.ShownToGuest(r.Context(), visit.ID, asset.GAID)
	}
	v := s.view(r, "asset")
	v.Title, v.Share = asset.Title, visit.Share
	item := v.item(asset)
	page := 1
	if n, err := strconv.Atoi(r.URL.Query().Get("page")); err == nil && n > 0 && n <= asset.PageCount {
		page = n
	}
	if item.Picture = item.viewed(asset, page); shares.Paged(asset) {
		v.paged(item.Path, page, asset.PageCount)
	}
	v.deliver(&item, visit.Share, asset, s.app.Guests.Offer(r.Context(), visit.Share, asset))
	v.offerIIIF(visit.Share, asset, dam.IIIFID{Token: mux.Vars(r)["token"], GAID: asset.GAID}, "/manifest.json")
	for _, f := range []guestFact{
		{v.T("Creator"), asset.Creator}, {v.T("Copyright"), asset.Copyright}, {v.T("Terms of use"), asset.UsageTerms},
	} {
		if f.Value != "" {
			item.Facts = append(item.Facts, f)
		}
	}
	items := []guestItem{item}
	if err := s.reviewed(r, v, visit, "", 0, items, []*dam.Asset{asset}); err != nil {
		s.guestError(w, r, err)
		return
	}
	if v.Item = &items[0]; v.Item.Review != nil {
		fill(v.Item.Review)
	}
	w.Header().Set("Content-Security-Policy", guestScriptCSP)
	s.showGuest(w, r, status, v)
}

// deliver sets which parts of an asset a guest can download or play, and the reasons for
// restrictions.
func (v *guestView) deliver(item *guestItem, share *dam.Share, asset *dam.Asset, offer shares.Offer) {
	moves := asset.FileCategory == dam.CategoryVideo || asset.FileCategory == dam.CategoryAudio
	if item.Plays = offer.Plays != shares.DeliversNothing; moves {
		item.Player = strings.ToLower(string(asset.FileCategory))
	}
	switch offer.Download {
	case shares.DeliversOriginal:
		item.Download = fmt.Sprintf(v.T("Download the original (%s)"), humanize.Bytes(uint64(asset.FileSize)))
	case shares.DeliversCopy:
		item.Download = fmt.Sprintf(v.T("Download the file (%s)"), humanize.Bytes(uint64(asset.FileSize)))
	case shares.DeliversProxy:
		item.Download = v.T("Download a copy")
	case shares.DeliversPicture:
		item.Download = v.T("Download the picture")
	}
	switch {
	case offer.Lacking:
		item.Note = v.T("This file cannot be played here because its metadata cannot be removed.")
	case moves && !item.Plays && item.Download == "":
		item.Note = v.T("The settings of this share do not allow playing this file.")
	case offer.Withheld == dam.WithheldMetadata && share.AllowDownload && offer.Download != shares.DeliversCopy:
		item.Note = v.T("The original is not shared because its metadata cannot be removed.")
	case offer.Withheld == dam.WithheldSize && share.AllowDownload:
		item.Note = v.T("The original is larger than this share allows.")
	}
}

func (s *Server) guestPicture(kind dam.Rendition) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		vars := mux.Vars(r)
		page := 0
		if n, ok := vars["n"]; ok {
			var err error
			if page, err = strconv.Atoi(n); err != nil || page < 1 || strconv.Itoa(page) != n {
				s.guestError(w, r, dam.Errorf(dam.NotFound, "Nothing found."))
				return
			}
		}
		f, err := s.app.Guests.Picture(r.Context(), guestKey(r), dam.GAID(vars["gaid"]), kind, page)
		if err != nil {
			s.guestError(w, r, err)
			return
		}
		f.Name = ""
		s.sendGuest(w, r, f, true)
	}
}

// guestETag returns the ETag for guests in place of one that may contain the checksum of an
// original.
func guestETag(etag string) string {
	sum := sha256.Sum256([]byte(etag))
	return `"` + base64.RawURLEncoding.EncodeToString(sum[:12]) + `"`
}

// sendGuest sends a file to a guest. Caches may store it, but must revalidate it each time.
func (s *Server) sendGuest(w http.ResponseWriter, r *http.Request, f *render.File, inline bool) {
	defer f.Content.Close()
	h := w.Header()
	h.Set("Content-Type", f.MIMEType)
	h.Set("Content-Security-Policy", fileCSP)
	h.Set("ETag", guestETag(f.ETag))
	h.Set("Cache-Control", "private, no-cache")
	if f.Name != "" {
		h.Set("Content-Disposition", disposition(f.Name, inline))
	}
	serveContent(w, r, time.Time{}, f.Content)
}

func (s *Server) guestDownload(w http.ResponseWriter, r *http.Request) {
	f, err := s.app.Guests.Download(r.Context(), guestKey(r), dam.GAID(mux.Vars(r)["gaid"]))
	if err != nil {
		s.guestError(w, r, err)
		return
	}
	// Each request counts as a download and gets the whole file.
	r = r.Clone(r.Context())
	for _, h := range []string{"Range", "If-Range", "If-None-Match", "If-Match", "If-Modified-Since", "If-Unmodified-Since"} {
		r.Header.Del(h)
	}
	w.Header().Set("Accept-Ranges", "none")
	s.sendGuest(w, r, f, false)
}

func (s *Server) guestPlay(w http.ResponseWriter, r *http.Request) {
	f, err := s.app.Guests.Play(r.Context(), guestKey(r), dam.GAID(mux.Vars(r)["gaid"]))
	if err != nil {
		s.guestError(w, r, err)
		return
	}
	s.sendGuest(w, r, f, true)
}

func (s *Server) guestArchive(w http.ResponseWriter, r *http.Request) {
	archive, err := s.app.Guests.Archive(r.Context(), guestKey(r))
	if err != nil {
		s.guestError(w, r, err)
		return
	}
	w.Header().Set("Content-Type", "application/zip")
	w.Header().Set("Content-Disposition", disposition(archive.Name, false))
	if err := archive.Write(r.Context(), w); err != nil {
		if dam.KindOf(err) == dam.Internal && r.Context().Err() == nil && !errors.Is(err, shares.ErrGate) {
			s.log.ErrorContext(r.Context(), "an archive of a share was not finished", "err", err)
		}
		panic(http.ErrAbortHandler) // so that the client detects the truncation
	}
}
