package web

import (
	"fmt"
	"net/http"
	"time"

	"golang.org/x/time/rate"

	"github.com/digital-asset-library/dal/app/account"
	"github.com/digital-asset-library/dal/app/dam"
)

const (
	// rateBuckets is the number of callers whose rates are stored. Others start with a full
	// bucket.
	rateBuckets = 10_000
	// tokensTogether is the limit of all tokens of a user together, as a multiple of that of
	// one token.
	tokensTogether = 10
)

// take counts a request against the actor's rate limit. It returns the limit, the number of
// requests left at the moment, and the time to wait if there were none.
func (s *Server) take(actor dam.Actor) (perMinute, left int, wait time.Duration) {
	bucket := func(of string, id int64, n int) account.Bucket {
		return account.Bucket{Key: fmt.Sprintf("%s %d", of, id), Rate: rate.Limit(float64(n) / 60), Burst: n}
	}
	if actor.Token == nil {
		left, wait = s.limits.Take(bucket("user", actor.User.ID, s.opt.SessionLimit))
		return s.opt.SessionLimit, left, wait
	}
	if n := actor.Token.RateLimit; n != 0 { // set by an administrator, separate from the user's other tokens
		left, wait = s.limits.Take(bucket("token with a rate", actor.Token.ID, n))
		return n, left, wait
	}
	left, wait = s.limits.Take(bucket("token", actor.Token.ID, s.opt.RateLimit),
		bucket("tokens of", actor.User.ID, tokensTogether*s.opt.RateLimit))
	return s.opt.RateLimit, left, wait
}

// untilFull returns an upper bound of the time until a caller with some requests left has
// all requests of a minute again.
func untilFull(perMinute, left int) time.Duration {
	return time.Duration(perMinute-min(left, perMinute)) * time.Minute / time.Duration(perMinute)
}

// showRate sets the rate limit headers. reset is the time until all requests of a minute
// are available again or, if none is left, until the next is allowed. RateLimit and
// RateLimit-Policy follow draft-ietf-httpapi-ratelimit-headers.
func (s *Server) showRate(h http.Header, perMinute, left int, reset time.Duration) {
	h.Set("X-RateLimit-Limit", itoa(int64(perMinute)))
	h.Set("X-RateLimit-Remaining", itoa(int64(left)))
	h.Set("X-RateLimit-Reset", seconds(float64(s.opt.Now().Add(reset).UnixMilli())/1000))
	h.Set("RateLimit-Policy", fmt.Sprintf(`"requests";q=%d;w=60`, perMinute))
	h.Set("RateLimit", fmt.Sprintf(`"requests";r=%d;t=%s`, left, seconds(reset.Seconds())))
}
