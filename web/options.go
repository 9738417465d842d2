package web

import (
	"fmt"
	"log/slog"
	"net/netip"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/app/dam"
)

// Options holds the settings of a Server and of its Connections. Start from
// DefaultOptions: a zero value does not stand for a default. Limits has the
// defaults and bounds of all numbers.
type Options struct {
	SiteURL        *url.URL       // public root of the instance; nil: as each request names it
	SiteName       string         // of the library, as people see it
	TrustedProxies []netip.Prefix // whose X-Forwarded-For and -Proto headers are believed
	RateLimit      int            // requests a minute per token, and ten times that per user
	SessionLimit   int            // requests a minute for the browser sessions of one user
	Stall          time.Duration  // how long a client may send, or take, nothing
	CORSOrigins    []string       // origins whose pages may use the API with bearer tokens, "*" for all
	Now            func() time.Time
	Log            *slog.Logger

	MaxConnections           int // at once
	MaxConnectionsPerAddress int // of one IPv4 address, or one /64 of IPv6
}

// DefaultOptions returns the settings of a server that nobody has changed.
func DefaultOptions() Options {
	o := Options{SiteName: "dal", Now: time.Now, Log: slog.Default()}
	o.Limits().SetDefaults()
	return o
}

// Limits returns the defaults and bounds of all numbers in o.
func (o *Options) Limits() app.Limits {
	return app.Limits{
		app.NewLimit("RateLimit", &o.RateLimit, 60, 1, 1_000_000_000),
		app.NewLimit("SessionLimit", &o.SessionLimit, 6000, 1, 1_000_000_000),
		app.NewLimit("Stall", &o.Stall, 30*time.Second, 100*time.Millisecond, 24*time.Hour),
		app.NewLimit("MaxConnections", &o.MaxConnections, 2048, 1, 1_000_000),
		app.NewLimit("MaxConnectionsPerAddress", &o.MaxConnectionsPerAddress, 128, 1, 1_000_000),
	}
}

// CheckSiteName reports what is wrong with the name of a library.
func CheckSiteName(name string) error {
	if n := utf8.RuneCountInString(name); n < 1 || n > 60 || strings.TrimSpace(name) != name || dam.Visible(name) != name {
		return fmt.Errorf("%q is not a name of 1 to 60 characters", name)
	}
	return nil
}
