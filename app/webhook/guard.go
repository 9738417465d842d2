package webhook

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
)

// Guard determines the addresses that may be called: public ones and those in Allow.
type Guard struct {
	Allow    []netip.Prefix
	Resolver *net.Resolver // for checks before dialing; nil for the system's resolver
}

// lookupTime is the timeout for resolving a host name when a URL is saved.
const lookupTime = 3 * time.Second

// errNotPublic is returned for addresses that may not be called.
var errNotPublic = errors.New("the address is not public")

// notPublic are the non-public addresses of IPv4 and within globalUnicast, from the IANA
// registries of special-purpose addresses
// (https://www.iana.org/assignments/iana-ipv4-special-registry,
// https://www.iana.org/assignments/iana-ipv6-special-registry): this network, private,
// shared (RFC 6598), loopback, link-local, protocol assignments, documentation, the 6to4
// relay, benchmarking, multicast, reserved and broadcast.
var notPublic = prefixes("0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
	"192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
	// Within 2000::/3: protocol assignments with Teredo, and 6to4, which embed an IPv4
	// address, and documentation.
	"2001::/23", "2002::/16", "2001:db8::/32", "3fff::/20")

// globalUnicast is the IPv6 range that IANA allocates for public use. It excludes loopback,
// unspecified, mapped and translated (NAT64) IPv4, unique local, link-local and multicast
// addresses.
var globalUnicast = netip.MustParsePrefix("2000::/3")

func prefixes(list ...string) (all []netip.Prefix) {
	for _, p := range list {
		all = append(all, netip.MustParsePrefix(p))
	}
	return all
}

func within(list []netip.Prefix, a netip.Addr) bool {
	for _, p := range list {
		if p.Contains(a) {
			return true
		}
	}
	return false
}

// Permits reports whether an address may be called. It treats an IPv4-mapped IPv6 address
// as IPv4.
func (g *Guard) Permits(a netip.Addr) bool {
	zone := a.Zone()
	a = a.Unmap()
	if within(g.Allow, a.WithZone("")) {
		return true
	}
	return a.IsValid() && zone == "" && !within(notPublic, a) && (a.Is4() || globalUnicast.Contains(a))
}

// control refuses to dial an address that may not be called. It checks the resolved
// address, so host names cannot bypass it.
func (g *Guard) control(_ context.Context, network, address string, _ syscall.RawConn) error {
	ap, err := netip.ParseAddrPort(address)
	if err != nil || !strings.HasPrefix(network, "tcp") {
		return fmt.Errorf("%w: %s %s", errNotPublic, network, address)
	}
	if !g.Permits(ap.Addr()) {
		return errNotPublic
	}
	return nil
}

// CheckURL validates the URL of an endpoint and returns an Invalid error for the field url.
// It accepts a name that does not resolve now; the resolved address is checked again at
// each dial.
func (g *Guard) CheckURL(ctx context.Context, raw string) error {
	refuse := func(format string, args ...any) error { return dam.InvalidField("url", format, args...) }
	u, err := url.Parse(raw)
	switch {
	case err != nil || u.Host == "" || u.Opaque != "":
		return refuse("url must be a valid URL.")
	case u.Scheme != "https":
		return refuse("url must be an https URL.")
	case u.User != nil:
		return refuse("url must not have a user name or a password.")
	case u.Fragment != "":
		return refuse("url must not have a fragment.")
	case strings.HasSuffix(u.Host, ":"):
		return refuse("url must be a valid URL.")
	}
	if p := u.Port(); p != "" {
		if n, err := strconv.ParseUint(p, 10, 16); err != nil || n == 0 {
			return refuse("url must have a port from 1 to 65535.")
		}
	}
	host := u.Hostname()
	forbidden := func() error {
		return refuse("url must not lead to an address that is not public, such as a private, loopback or link-local one.")
	}
	if _, err := netip.ParseAddr(host); err == nil {
		if !g.permitsHost(ctx, host) {
			return forbidden()
		}
		return nil
	}
	// Some resolvers treat names that end in a number as an address: 2130706433, 0x7f.1,
	// 127.1 (https://url.spec.whatwg.org/#ends-in-a-number-checker).
	name := strings.TrimSuffix(host, ".")
	last := strings.ToLower(name[strings.LastIndexByte(name, '.')+1:])
	hex, isHex := strings.CutPrefix(last, "0x")
	if name == "" || len(name) > 253 || strings.Trim(last, "0123456789") == "" || isHex && strings.Trim(hex, "0123456789abcdef") == "" {
		return refuse("url must have a host name, or an address in its usual form.")
	}
	for label := range strings.SplitSeq(name, ".") {
		if !validLabel(label) {
			return refuse("url must have a valid host name; one with letters other than a to z must be in Punycode.")
		}
	}
	if !g.permitsHost(ctx, host) {
		return forbidden()
	}
	return nil
}

// permitsHost reports whether all addresses of a host may be called, as far as they can be
// resolved.
func (g *Guard) permitsHost(ctx context.Context, host string) bool {
	if a, err := netip.ParseAddr(host); err == nil {
		return g.Permits(a)
	}
	r := g.Resolver
	if r == nil {
		r = net.DefaultResolver
	}
	ctx, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	addrs, err := r.LookupNetIP(ctx, "ip", host)
	name := strings.ToLower(strings.TrimSuffix(host, "."))
	if err != nil && (name == "localhost" || strings.HasSuffix(name, ".localhost")) { // RFC 6761 section 6.3
		addrs = []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1})}
	}
	for _, a := range addrs {
		if !g.Permits(a) {
			return false
		}
	}
	return true
}

// validLabel reports whether s is a valid label of a host name: letters, digits, hyphens
// and, because some hosts use them, underscores (RFC 1123 section 2.1).
func validLabel(s string) bool {
	if s == "" || len(s) > 63 {
		return false
	}
	for _, c := range []byte(s) {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_') {
			return false
		}
	}
	return true
}
