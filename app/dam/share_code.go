package dam

import "time"

// MaxCodeTries is how often a guest may try to type a code.
const MaxCodeTries = 5

// ShareCode is a code that proves that a guest reads the mails of an address. It is made when
// the mail is sent.
type ShareCode struct {
	ID        int64
	VisitID   int64 // of the browser that asked for it
	ShareID   int64
	Email     string
	IP        string // of who asked for it
	Language  Language
	Hash      []byte // nil until it is sent
	Tries     int    // how often it was typed
	Failed    bool   // the last attempt to send it did
	ExpiresAt time.Time
	CreatedAt time.Time
}

// Usable reports whether the code can still be typed at a time.
func (c *ShareCode) Usable(now time.Time) bool {
	return c.Tries < MaxCodeTries && now.Before(c.ExpiresAt)
}
