// Package webhook sends signed events to endpoints, with limits and only to public
// addresses.
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

// secretPrefix is the prefix of every secret. The rest is the key of Standard Webhooks.
const secretPrefix = "whsec_"

// NewSecret generates a signing secret: whsec_ followed by base64 of random bytes. Their
// number is a multiple of three, so that no padding is needed, which some decoders require
// and others reject.
func NewSecret() string {
	b := make([]byte, 33)
	rand.Read(b) // never fails
	return secretPrefix + base64.StdEncoding.EncodeToString(b)
}

// fromURLSafe converts older secrets from URL-safe to standard base64.
var fromURLSafe = strings.NewReplacer("-", "+", "_", "/")

// StandardSignature returns the value of the header webhook-signature: v1,<base64
// HMAC-SHA256(key, "<id>.<unix>.<body>")>, as specified by Standard Webhooks
// (https://www.standardwebhooks.com). The key is the decoded secret without its prefix, or
// the secret itself if it is not base64.
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

// Signature returns the value of the header X-DAL-Signature for a body sent at a time:
// t=<unix>,v1=<hex HMAC-SHA256(secret, "<unix>.<body>")>, in the format of Stripe
// (https://docs.stripe.com/webhooks#verify-manually). The key is the whole secret including
// its prefix.
func Signature(secret string, at time.Time, body []byte) string {
	t := strconv.FormatInt(at.Unix(), 10)
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(t + "."))
	mac.Write(body)
	return "t=" + t + ",v1=" + hex.EncodeToString(mac.Sum(nil))
}
