package cli

import (
	"errors"
	"fmt"
	"math"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/digital-asset-library/dal/app/account"
	"github.com/digital-asset-library/dal/web"
)

// The values of flags. Errors of Set complete a sentence that starts with the name of the
// flag: "--workers must be a whole number, not ...".

// textValue is the value of a flag that accepts any text.
type textValue struct{ v *string }

func (t *textValue) Set(s string) error { *t.v = s; return nil }
func (t *textValue) String() string     { return *t.v }
func (t *textValue) Type() string       { return "text" }

// switchValue is the value of an on/off flag.
type switchValue bool

func (v *switchValue) Set(s string) error {
	on, err := strconv.ParseBool(s)
	if err != nil {
		return fmt.Errorf("must be true or false, not %q", s)
	}
	*v = switchValue(on)
	return nil
}

func (v *switchValue) String() string { return strconv.FormatBool(bool(*v)) }
func (v *switchValue) Type() string   { return "bool" } // pflag shows no value for it

// choiceValue is the value of a flag that accepts one of several texts.
type choiceValue struct {
	v       *string
	options []string
}

func (c *choiceValue) Set(s string) error {
	if !slices.Contains(c.options, s) {
		return fmt.Errorf("must be %s, not %q", inWords(c.options, "or"), s)
	}
	*c.v = s
	return nil
}

func (c *choiceValue) String() string { return *c.v }
func (c *choiceValue) Type() string   { return strings.Join(c.options, "|") }

// listValue is a list of texts. The first Set replaces the default.
type listValue struct {
	all   *[]string
	check func(string) error
	given bool
}

func (l *listValue) Set(s string) error {
	var items []string
	for item := range strings.SplitSeq(s, ",") {
		item = strings.TrimSpace(item)
		if err := l.check(item); err != nil {
			return err
		}
		items = append(items, item)
	}
	if !l.given {
		*l.all, l.given = nil, true
	}
	*l.all = append(*l.all, items...)
	return nil
}

func (l *listValue) String() string { return strings.Join(*l.all, ",") }
func (l *listValue) Type() string   { return "list" }

// parsedValue is a text that is stored in parsed form.
type parsedValue struct {
	parse func(string) error
	text  string
}

func (p *parsedValue) Set(s string) error {
	err := p.parse(s)
	if err == nil {
		p.text = s
	}
	return err
}

func (p *parsedValue) String() string { return p.text }
func (p *parsedValue) Type() string   { return "text" }

// readPrefix returns a function that parses an address or a CIDR and appends it.
func readPrefix(list *[]netip.Prefix) func(string) error {
	return func(s string) error {
		prefix, err := netip.ParsePrefix(s)
		if addr, e := netip.ParseAddr(s); e == nil {
			prefix, err = addr.Prefix(addr.BitLen())
		}
		if err != nil {
			return fmt.Errorf("must be an address or a CIDR such as 10.0.0.0/8, not %q", s)
		}
		*list = append(*list, prefix)
		return nil
	}
}

// webURL returns a function that parses an http or https URL; an empty text sets none.
func webURL(to **url.URL) func(string) error {
	return func(s string) error {
		if s == "" {
			*to = nil
			return nil
		}
		u, err := url.Parse(s)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
			return fmt.Errorf("must be an http or https URL, not %q", s)
		}
		*to = u
		return nil
	}
}

// siteURL is webURL for the public URL of the server.
func siteURL(to **url.URL) func(string) error {
	parse := webURL(to)
	return func(s string) error {
		if err := parse(s); err != nil || *to == nil {
			return err
		}
		return web.CheckSiteURL(*to)
	}
}

// boundedValue is a number, a size or a time, with bounds.
type boundedValue struct {
	account.Limit
	unit unit
}

func (b *boundedValue) Set(s string) error {
	n, err := b.unit.parse(s)
	if err != nil {
		return fmt.Errorf("must be %s, not %q", b.unit.such, s)
	}
	if !b.Allows(n) {
		return fmt.Errorf("must be %s, not %s", b.bounds("between ", " and "), b.unit.shown(n))
	}
	b.SetValue(n)
	return nil
}

// bounds describes the bounds, preceded by the words from and to.
func (b *boundedValue) bounds(from, to string) string {
	return from + b.unit.shown(b.Min) + to + b.unit.shown(b.Max)
}

func (b *boundedValue) String() string { return b.unit.written(b.Value()) }
func (b *boundedValue) Type() string   { return b.unit.name }

// A unit defines the notation of a number.
type unit struct {
	name    string
	such    string                      // description with an example
	parse   func(string) (int64, error) // returns the nearest int64 if out of range
	written func(int64) string          // in a form that parse accepts
	shown   func(int64) string          // for messages
}

var (
	numbers = unit{"number", "a whole number", parseNumber, func(n int64) string { return strconv.FormatInt(n, 10) }, humanize.Comma}
	sizes   = unit{"size", "a size such as 10GiB", parseSize, writeSize, writeSize}
	times   = unit{"time", "a time such as 90d or 24h", parseTime, writeTime, writeTime}
)

func parseNumber(s string) (int64, error) {
	n, err := strconv.ParseInt(s, 10, 64)
	if errors.Is(err, strconv.ErrRange) {
		err = nil // n is the nearest int64
	}
	return n, err
}

// parseSize reads "10GiB", "500MB" or a number of bytes.
func parseSize(s string) (int64, error) {
	if n, err := strconv.ParseInt(strings.TrimSuffix(s, "B"), 10, 64); err == nil {
		return n, nil // exactly
	}
	n, err := humanize.ParseBytes(s)
	return int64(min(n, math.MaxInt64)), err
}

// writeSize uses the largest unit of which n is a multiple.
func writeSize(n int64) string {
	if n == 0 {
		return "0"
	}
	for i, name := range []string{"EiB", "PiB", "TiB", "GiB", "MiB", "KiB"} {
		if u := int64(1) << (60 - 10*i); n >= u && n%u == 0 {
			return fmt.Sprintf("%d%s", n/u, name)
		}
	}
	return fmt.Sprintf("%dB", n)
}

// parseTime reads "90d", "24h" or "1h30m".
func parseTime(s string) (int64, error) {
	if days, ok := strings.CutSuffix(s, "d"); ok {
		n, err := strconv.ParseFloat(days, 64)
		if err != nil || math.IsNaN(n) {
			return 0, errors.New("not a number of days")
		}
		if n *= 24 * float64(time.Hour); math.Abs(n) >= math.MaxInt64 {
			n = math.Copysign(1<<62, n)
		}
		return int64(n), nil
	}
	d, err := time.ParseDuration(s)
	return int64(d), err
}

func writeTime(n int64) string {
	const day = 24 * time.Hour
	d := time.Duration(n)
	switch {
	case d == 0:
		return "0"
	case d%day == 0:
		return fmt.Sprintf("%dd", d/day)
	}
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}
