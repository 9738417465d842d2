// Package webhook sends events to endpoints: signed, within limits, and to
// public addresses only.
package webhook

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"strconv"
	"time"
)

// NewSecret makes a signing secret: whsec_ and 32 random bytes as URL-safe
// base64.
func NewSecret() string {
	b := make([]byte, 32)
	rand.Read(b) // never fails
	return "whsec_" + base64.RawURLEncoding.EncodeToString(b)
}

// Signature returns the value of the header X-DAL-Signature for a body that is
// sent at a time: t=<unix>,v1=<hex HMAC-SHA256(secret, "<unix>.<body>")>, as
// Stripe signs (https://docs.stripe.com/webhooks#verify-manually). The key is
// the whole secret with its prefix.
func Signature(secret string, at time.Time, body []byte) string {
	t := strconv.FormatInt(at.Unix(), 10)
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(t + "."))
	mac.Write(body)
	return "t=" + t + ",v1=" + hex.EncodeToString(mac.Sum(nil))
}
