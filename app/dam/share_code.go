package dam

import "time"

// MaxCodeTries is the maximum number of attempts to enter a code.
const MaxCodeTries = 5

// ShareCode is a code that verifies a guest's email address. It is generated when the mail
// is sent.
type ShareCode struct {
	ID        int64
	VisitID   int64 // visit that requested it
	ShareID   int64
	Email     string
	IP        string // of the request
	Language  Language
	Hash      []byte // nil until the mail is sent
	Tries     int    // number of attempts to enter it
	Failed    bool   // the last attempt to send it failed
	ExpiresAt time.Time
	CreatedAt time.Time
}

// Usable reports whether the code can still be entered at now.
func (c *ShareCode) Usable(now time.Time) bool {
	return c.Tries < MaxCodeTries && now.Before(c.ExpiresAt)
}
