package web

import (
	"fmt"
	"net/http"

	"github.com/digital-asset-library/dal/app/share"
)

// guestCode verifies the code that a guest was mailed, or handles the request for another
// one.
func (s *Server) guestCode(r *http.Request, key share.GuestKey) error {
	if r.PostForm.Get("again") != "" {
		return s.app.Guests.Forget(r.Context(), key)
	}
	return s.app.Guests.Confirm(r.Context(), key, r.PostForm.Get("code"))
}

// awaitsCode asks for the mailed code. The page is the same for an address that the share
// does not admit.
func (v *guestView) awaitsCode(visit *share.Visit) {
	const sent = "If %s has access to this page, we emailed an 8-digit code to it. The code is valid for 10 minutes."
	v.Title, v.Address = v.T("Check your email"), visit.Address()
	v.Text = fmt.Sprintf(v.T(sent), v.Address)
	if v.Fault == "" && visit.MailFailed() {
		v.Fault = v.T("The mail could not be sent. Try again later.")
	}
}
