package web

import (
	"fmt"
	"log/slog"
	"net/netip"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/digital-asset-library/dal/app/account"
	"github.com/digital-asset-library/dal/app/dam"
)

// Options holds the settings of a Server and of its Connections. Start from DefaultOptions:
// zero values are not replaced with defaults. Limits has the defaults and bounds of all
// numbers.
type Options struct {
	SiteURL        *url.URL       // public root of the instance; nil: the host of each request
	SiteName       string         // name of the library for people
	TrustedProxies []netip.Prefix // proxies whose X-Forwarded-For and -Proto headers are trusted
	RateLimit      int            // requests per minute per token; a user's limit is ten times that
	SessionLimit   int            // requests per minute for the browser sessions of one user
	Stall          time.Duration  // maximum time without sending or accepting data
	CORSOrigins    []string       // origins whose pages may use the API with bearer tokens; "*" for all
	Now            func() time.Time
	Log            *slog.Logger

	MaxConnections           int // concurrent
	MaxConnectionsPerAddress int // per IPv4 address or IPv6 /64
}

// DefaultOptions returns the default settings.
func DefaultOptions() Options {
	o := Options{SiteName: "dal", Now: time.Now, Log: slog.Default()}
	o.Limits().SetDefaults()
	return o
}

// Limits returns the defaults and bounds of all numbers in o.
func (o *Options) Limits() account.Limits {
	return account.Limits{
		account.NewLimit("RateLimit", &o.RateLimit, 60, 1, 1_000_000_000),
		account.NewLimit("SessionLimit", &o.SessionLimit, 6000, 1, 1_000_000_000),
		account.NewLimit("Stall", &o.Stall, 30*time.Second, 100*time.Millisecond, 24*time.Hour),
		account.NewLimit("MaxConnections", &o.MaxConnections, 2048, 1, 1_000_000),
		account.NewLimit("MaxConnectionsPerAddress", &o.MaxConnectionsPerAddress, 128, 1, 1_000_000),
	}
}

// CheckSiteName validates the name of a library.
func CheckSiteName(name string) error {
	if n := utf8.RuneCountInString(name); n < 1 || n > 60 || strings.TrimSpace(name) != name || dam.Visible(name) != name {
		return fmt.Errorf("%q is not a name of 1 to 60 characters", name)
	}
	return nil
}
