package export

import (
	"encoding/csv"
	"io"
	"strconv"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
)

// Consents writes consents as a table.
type Consents struct{ table *csv.Writer }

// NewConsents begins a table of consents with its header.
func NewConsents(w io.Writer) (*Consents, error) {
	c := &Consents{csv.NewWriter(w)}
	c.table.UseCRLF = true
	return c, c.table.Write([]string{"id", "subject_name", "subject_email", "terms_version", "terms_text_hash", "context", "share_id",
		"user_id", "ip", "user_agent", "accepted_at", "erased_at"})
}

// Add writes a consent. What people typed is no formula.
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
	return t.table.Write([]string{id(c.ID), harmless(c.SubjectName), harmless(c.SubjectEmail), id(c.TermsVersion), c.TermsTextHash,
		string(c.Context), id(c.ShareID), id(c.UserID), harmless(c.IP), harmless(c.UserAgent), c.AcceptedAt.Format(time.RFC3339), erased})
}

// Flush writes what is left.
func (t *Consents) Flush() error {
	t.table.Flush()
	return t.table.Error()
}
