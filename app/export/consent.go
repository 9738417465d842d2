package export

import (
	"io"
	"strconv"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
)

// Consents writes a table of consents.
type Consents struct{ *Rows }

// NewConsents starts a table of consents with its header.
func NewConsents(w io.Writer) (*Consents, error) {
	rows, err := NewRows(w, "id", "subject_name", "subject_email", "email_verified", "terms_version", "terms_text_hash",
		"context", "share_id", "user_id", "ip", "user_agent", "accepted_at", "erased_at")
	return &Consents{rows}, err
}

// Add writes a consent.
func (t *Consents) Add(c *dam.Consent) error {
	id := func(n int64) string {
		if n == 0 {
			return ""
		}
		return strconv.FormatInt(n, 10)
	}
	erased := ""
	if c.ErasedAt != nil {
		erased = c.ErasedAt.Format(time.RFC3339)
	}
	return t.Rows.Add(id(c.ID), c.SubjectName, c.SubjectEmail, strconv.FormatBool(c.EmailVerified), id(c.TermsVersion), c.TermsTextHash,
		string(c.Context), id(c.ShareID), id(c.UserID), c.IP, c.UserAgent, c.AcceptedAt.Format(time.RFC3339), erased)
}
