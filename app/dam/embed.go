package dam

import (
	"regexp"
	"slices"
	"strings"
	"time"
)

// The limits of embeds.
const (
	// EmbedLife is the default lifetime of an embed.
	EmbedLife = 90 * 24 * time.Hour
	// EmbedRefresh is the remaining lifetime below which a repeated request
	// for an embed renews it for EmbedLife.
	EmbedRefresh    = 14 * 24 * time.Hour
	MaxEmbedOrigins = 20  // all of them are sent in one header
	MaxOrigin       = 267 // characters: scheme, host and port
	MinEmbedSide    = 50  // pixels
	MaxEmbedSide    = 10_000

	defaultEmbedWidth  = 640
	defaultEmbedHeight = 360
)

// Embed is the configuration of the player of a ShareEmbed.
type Embed struct {
	AllowedOrigins []string // origins of the pages that may embed the player; none for all
	Autoplay       bool
	Width, Height  int // size of the player in pixels: MinEmbedSide to MaxEmbedSide
	Tracks         []EmbedTrack
}

// EmbedPatch creates or changes an embed: absent fields are kept.
type EmbedPatch struct {
	ExpiresAt      Opt[time.Time]
	AllowedOrigins Opt[[]string]
	Autoplay       Opt[bool]
	Width, Height  Opt[int]
	Tracks         Opt[[]EmbedTrack] // the complete list
}

// NewEmbed returns the default share of an embed: it plays a stripped copy and does not
// offer downloads.
func NewEmbed() *Share {
	return &Share{Type: ShareEmbed, Embed: &Embed{}}
}

// Apply changes the share of a video embed and validates it. An embed close to its expiry
// at now is extended.
func (p *EmbedPatch) Apply(s *Share, video *Asset, now time.Time) error {
	var wrong Problems
	e := *s.Embed
	s.Embed = &e
	s.Name = embedName(video.Title)
	for _, f := range []struct {
		name string
		null bool
	}{
		{"expires_at", p.ExpiresAt.Null}, {"allowed_origins", p.AllowedOrigins.Null}, {"autoplay", p.Autoplay.Null},
		{"width", p.Width.Null}, {"height", p.Height.Null}, {"tracks", p.Tracks.Null},
	} {
		if f.null {
			wrong.required(f.name)
		}
	}
	if origins := p.AllowedOrigins.to(e.AllowedOrigins); wrong.items("allowed_origins", len(origins), MaxEmbedOrigins) {
		e.AllowedOrigins = nil
		for i, o := range origins {
			origin, ok := Origin(o)
			if !ok {
				wrong.Add("allowed_origins."+itoa(i), "The origin must be one such as https://www.example.com, without a path; "+
					"http only for localhost.")
			} else if !slices.Contains(e.AllowedOrigins, origin) {
				e.AllowedOrigins = append(e.AllowedOrigins, origin)
			}
		}
	}
	if p.Tracks.Sent && !p.Tracks.Null {
		e.Tracks = checkedTracks(p.Tracks.Value, &wrong)
	}
	e.Autoplay = p.Autoplay.to(e.Autoplay)
	e.Width, e.Height = p.Width.to(e.Width), p.Height.to(e.Height)
	if e.Width == 0 && !p.Width.Sent || e.Height == 0 && !p.Height.Sent {
		e.fill(video)
	}
	if !p.Width.Null && !p.Height.Null {
		wrong.between("width", int64(e.Width), MinEmbedSide, MaxEmbedSide)
		wrong.between("height", int64(e.Height), MinEmbedSide, MaxEmbedSide)
	}
	switch at := p.ExpiresAt.Value.UTC().Truncate(time.Millisecond); {
	case p.ExpiresAt.Null:
	case p.ExpiresAt.Sent:
		if s.ExpiresAt = &at; !at.After(now) {
			wrong.Add("expires_at", "expires_at must be a date in the future.")
		}
	case s.ExpiresAt == nil || s.ExpiresAt.Sub(now) <= EmbedRefresh:
		end := now.UTC().Truncate(time.Millisecond).Add(EmbedLife)
		s.ExpiresAt = &end
	}
	return wrong.Err()
}

// fill sets the sides that are 0, keeping the aspect ratio of the video.
func (e *Embed) fill(video *Asset) {
	w, h := int64(video.Width), int64(video.Height)
	if w <= 0 || h <= 0 {
		w, h = defaultEmbedWidth, defaultEmbedHeight
	}
	if e.Width == 0 && e.Height == 0 {
		e.Width = defaultEmbedWidth
	}
	side := func(n int64) int { return int(min(max(n, MinEmbedSide), MaxEmbedSide)) }
	if e.Height == 0 {
		e.Height = side((int64(e.Width)*h + w/2) / w)
	}
	if e.Width == 0 {
		e.Width = side((int64(e.Height)*w + h/2) / h)
	}
}

// embedName names the share of an embed after its video.
func embedName(title string) string {
	if r := []rune(strings.TrimSpace(title)); len(r) > MaxName {
		title = string(r[:MaxName])
	}
	if Unseen(title) {
		return "Video"
	}
	return title
}

// origins matches the origins that Origin accepts. They need no escaping in a header or in
// HTML.
var origins = regexp.MustCompile(
	`^(https://[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*|http://(localhost|127\.0\.0\.1))(:[1-9][0-9]{0,4})?$`)

// Origin returns the web origin s in lower case. It reports whether s is valid: an https
// origin, or http on localhost.
func Origin(s string) (string, bool) {
	if len(s) > MaxOrigin {
		return "", false
	}
	s = strings.ToLower(s)
	m := origins.FindStringSubmatch(s)
	if m == nil {
		return "", false
	}
	port := m[len(m)-1]
	return s, len(port) < len(":65535") || port <= ":65535"
}
