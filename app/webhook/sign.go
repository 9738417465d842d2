// Package webhook sends events to endpoints: signed, within limits, and to
// public addresses only.
package webhook

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// secretPrefix begins every secret. The rest is the key of Standard Webhooks.
const secretPrefix = "whsec_"

// NewSecret makes a signing secret: whsec_ and random bytes as base64. Their number
// is a multiple of three: decoders that require padding and those that refuse it
// accept the text.
func NewSecret() string {
	b := make([]byte, 33)
	rand.Read(b) // never fails
	return secretPrefix + base64.StdEncoding.EncodeToString(b)
}

// fromURLSafe turns the text of older secrets, URL-safe base64, into standard base64.
var fromURLSafe = strings.NewReplacer("-", "+", "_", "/")

// StandardSignature returns the value of the header webhook-signature:
// v1,<base64 HMAC-SHA256(key, "<id>.<unix>.<body>")>, as Standard Webhooks signs
// (https://www.standardwebhooks.com). The key is the decoded secret without its
// prefix, or the secret itself if it is not base64.
func StandardSignature(secret, id string, at time.Time, body []byte) string {
	key, err := base64.RawStdEncoding.DecodeString(fromURLSafe.Replace(strings.TrimPrefix(secret, secretPrefix)))
	if err != nil {
		key = []byte(secret)
	}
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%d.", id, at.Unix())
	mac.Write(body)
	return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
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
