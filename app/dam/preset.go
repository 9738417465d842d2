package dam

import (
	"slices"
	"strings"
	"time"
)

// Preset is a named Transform.
type Preset struct {
	ID   int64
	Name string // lower-case letters, digits and hyphens; unique
	Transform
	CreatedAt time.Time
	UpdatedAt time.Time
}

// The limits of presets.
const (
	MaxPresets    = 100
	MaxPresetName = 50
)

// Validate fills in defaults and checks p.
func (p *Preset) Validate() error {
	var wrong Problems
	ok := func(r rune) bool { return r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' }
	if n := len(p.Name); n == 0 || n > MaxPresetName || strings.ContainsFunc(p.Name, func(r rune) bool { return !ok(r) }) {
		wrong.Add("name", "name must have 1 to %d lower-case letters, digits and hyphens.", MaxPresetName)
	}
	if slices.Contains(words[Rendition](), p.Name) {
		wrong.Add("name", "%s is the name of a rendition.", p.Name)
	}
	p.check(&wrong)
	return wrong.Err()
}

// PresetPatch changes a preset: absent fields are kept.
type PresetPatch struct {
	Name    Opt[string]
	Width   Opt[int] // null for none
	Height  Opt[int] // null for none
	Fit     Opt[Fit]
	Gravity Opt[Gravity]
	Format  Opt[PictureFormat]
	Quality Opt[int]
	Ratio   Opt[float64]
}

// Apply changes p and validates it.
func (c *PresetPatch) Apply(p *Preset) error {
	p.Name = c.Name.to(p.Name)
	p.Width, p.Height = c.Width.to(p.Width), c.Height.to(p.Height)
	p.Fit, p.Gravity = c.Fit.to(p.Fit), c.Gravity.to(p.Gravity)
	p.Format, p.Quality, p.Ratio = c.Format.to(p.Format), c.Quality.to(p.Quality), c.Ratio.to(p.Ratio)
	return p.Validate()
}

// ImageKey signs the URLs of pictures.
type ImageKey struct {
	ID        int64
	Secret    []byte
	CreatedAt time.Time
	ExpiresAt *time.Time // its signatures are rejected afterwards; nil for the current key
}
