package web

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/gorilla/mux"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/share"
)

// maxReviewForm is the maximum size of a review form in bytes: an encoded character of a
// comment can take twelve.
const maxReviewForm = 64 << 10

// guestReview is a guest's feedback on an asset, and its form.
type guestReview struct {
	guestTexts
	Form                 string // see formMark
	Path, Title          string // of the asset
	Page                 int    // of the gallery; 0 on the asset's page
	Picked               bool
	Rating               int64
	Name, Comment, Fault string
	Most, MostName       int // maximum lengths in characters
}

// Ratings lists the options; 0 means none.
func (*guestReview) Ratings() []int64 { return []int64{0, 1, 2, 3, 4, 5} }

// Label names a rating.
func (v *guestReview) Label(rating int64) string {
	if rating == 0 {
		return v.T("None")
	}
	return strconv.FormatInt(rating, 10)
}

// Said summarizes the feedback apart from a pick; "" if empty.
func (v *guestReview) Said() string {
	said := ""
	if v.Rating > 0 {
		said = fmt.Sprintf(v.T("Rated %d of 5"), v.Rating)
	}
	if v.Comment != "" {
		if said != "" {
			said += " · "
		}
		said += v.T("Commented")
	}
	return said
}

// keepGuest sets a guest's cookie with the lifetime of a review.
func (s *Server) keepGuest(w http.ResponseWriter, r *http.Request, visit *share.Visit, cookie string) {
	if visit.Type != dam.ShareReview || visit.Gate != share.GateOpen {
		s.keepCookie(w, r, cookie)
		return
	}
	if cookie == "" {
		cookie = guestKey(r).Cookie
	}
	c := s.cookieOf(r, cookie)
	c.MaxAge = int(share.ReviewLife.Seconds())
	http.SetCookie(w, c)
}

// reviewed adds the feedback forms of a review to items.
func (s *Server) reviewed(
	r *http.Request, v *guestView, visit *share.Visit, cookie string, page int, items []guestItem, of []*dam.Asset,
) error {
	if visit.Type != dam.ShareReview {
		return nil
	}
	if cookie == "" {
		cookie = guestKey(r).Cookie
	}
	said, err := s.app.Guests.Said(r.Context(), visit, of...)
	if err != nil {
		return err
	}
	for i, asset := range of {
		f := said[asset.GAID]
		items[i].Review = &guestReview{guestTexts: v.guestTexts, Form: formMark(cookie), Path: items[i].Path, Title: asset.Title, Page: page,
			Picked: f.Picked, Rating: f.Rating, Name: f.Guest.Name, Comment: f.Comment, Most: dam.MaxFeedbackComment,
			MostName: dam.MaxName}
	}
	return nil
}

// guestFeedback processes a guest's feedback on an asset.
func (s *Server) guestFeedback(w http.ResponseWriter, r *http.Request) {
	form, err := ownForm(w, r, maxReviewForm)
	if err != nil {
		s.guestError(w, r, err)
		return
	}
	gaid := mux.Vars(r)["gaid"]
	p, err := feedbackPatch(form)
	if err == nil {
		err = s.app.Guests.Say(r.Context(), guestKey(r), dam.GAID(gaid), p)
	}
	e, ok := errors.AsType[*dam.Error](err)
	switch {
	case ok && e.Kind == dam.Invalid:
		s.showGuestAsset(w, r, http.StatusUnprocessableEntity, func(v *guestReview) {
			for _, f := range e.Fields {
				v.Fault = strings.TrimSpace(v.Fault + " " + v.T(f.Msg))
			}
			if form.Has("comment") {
				v.Name, v.Comment = form.Get("name"), form.Get("comment")
			}
		})
	case err != nil:
		s.guestError(w, r, err)
	default:
		to := s.shareRoot(r)
		if page, err := strconv.Atoi(form.Get("page")); err == nil && page > 0 {
			to += fmt.Sprintf("?page=%d#%s", page, url.PathEscape(gaid))
		} else {
			to += "/assets/" + url.PathEscape(gaid)
		}
		w.Header().Set("Location", to)
		w.WriteHeader(http.StatusSeeOther)
	}
}

// feedbackPatch parses a feedback form; missing fields are not changed.
func feedbackPatch(form url.Values) (*dam.ShareFeedbackPatch, error) {
	p := &dam.ShareFeedbackPatch{}
	if form.Has("pick") {
		pick := form.Get("pick")
		if pick != "yes" && pick != "no" {
			return nil, dam.InvalidField("pick", "The form is not valid.")
		}
		p.Picked = sent(pick == "yes")
	}
	if form.Has("rating") {
		n, err := strconv.ParseInt(form.Get("rating"), 10, 64)
		if err != nil {
			return nil, dam.InvalidField("rating", "The rating must be between 0 and 5.")
		}
		p.Rating = sent(n)
	}
	if form.Has("comment") {
		p.Comment = sent(form.Get("comment"))
	}
	if form.Has("name") {
		p.Name = sent(form.Get("name"))
	}
	return p, nil
}

// ID is the asset's id in the gallery page.
func (v *guestReview) ID() string { return v.Path[strings.LastIndexByte(v.Path, '/')+1:] }

// Alone returns v without rating and comment, for the pick button on the asset's page.
func (v *guestReview) Alone() *guestReview {
	alone := *v
	alone.Rating, alone.Comment = 0, ""
	return &alone
}
