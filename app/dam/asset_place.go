package dam

import (
	"math"
	"strings"
	"time"
)

// Location is coordinates, a place name, or both.
type Location struct {
	Latitude, Longitude *float64 // degrees, WGS 84; both or neither
	Place               string
}

// LocationPatch changes a location: absent fields are kept.
type LocationPatch struct {
	Latitude, Longitude Opt[float64]
	Place               Opt[string]
}

// FocalPoint is the point of a picture that every crop must keep. Its coordinates are
// fractions of the width and height, 0 to 1, from the top left.
type FocalPoint struct{ X, Y float64 }

// MaxRating is the best rating; the worst is 0.
const MaxRating = 5

// orNone returns l, or nil if it is empty.
func (l *Location) orNone() *Location {
	if l == nil || *l == (Location{}) {
		return nil
	}
	return l
}

// pointer returns the value of a patch field, nil for null.
func (o Opt[T]) pointer() *T {
	if o.Null {
		return nil
	}
	v := o.Value
	return &v
}

// pointerField is a field whose null is nil.
func pointerField[T any](name string, filter FilterType, asset func(*Asset) **T, patch func(*AssetPatch) *Opt[T]) AssetField {
	return AssetField{
		Name: name, Filter: filter,
		value: func(a *Asset) any { return *asset(a) },
		sent:  func(p *AssetPatch) bool { return patch(p).Sent },
		apply: func(p *AssetPatch, a *Asset, _ *Problems) { *asset(a) = patch(p).pointer() },
	}
}

// timeField is an instant with millisecond precision.
func timeField(name string, asset func(*Asset) **time.Time, patch func(*AssetPatch) *Opt[time.Time]) AssetField {
	f := pointerField(name, FilterDate, asset, patch)
	f.apply = func(p *AssetPatch, a *Asset, _ *Problems) {
		if *asset(a) = patch(p).pointer(); *asset(a) != nil {
			**asset(a) = patch(p).Value.UTC().Truncate(time.Millisecond)
		}
	}
	return f
}

func ratingField() AssetField {
	f := pointerField("rating", FilterNumber,
		func(a *Asset) **int64 { return &a.Rating }, func(p *AssetPatch) *Opt[int64] { return &p.Rating })
	f.check = func(a *Asset, p *Problems) {
		if a.Rating != nil {
			p.between("rating", *a.Rating, 0, MaxRating)
		}
	}
	f.clamp = func(a *Asset) {
		if a.Rating != nil && (*a.Rating < 0 || *a.Rating > MaxRating) {
			a.Rating = nil
		}
	}
	return f
}

// locationField has no filter rules: its members do.
func locationField() AssetField {
	return AssetField{
		Name: "location", Filter: FilterNone,
		value: func(a *Asset) any { return a.Location },
		sent:  func(p *AssetPatch) bool { return p.Location.Sent },
		apply: func(p *AssetPatch, a *Asset, _ *Problems) { a.Location = changedLocation(p.Location, a.Location) },
		check: checkLocation,
		clamp: func(a *Asset) {
			if l := a.Location; l != nil {
				a.Location = (&Location{l.Latitude, l.Longitude, cut(Visible(l.Place), MaxLine)}).orNone()
			}
		},
	}
}

// orStay is like pointer, but returns v if the field is absent.
func (o Opt[T]) orStay(v *T) *T {
	if !o.Sent {
		return v
	}
	return o.pointer()
}

// changedLocation applies a patch to a location.
func changedLocation(o Opt[LocationPatch], before *Location) *Location {
	if o.Null {
		return nil
	}
	var l Location
	if before != nil {
		l = *before
	}
	l.Latitude, l.Longitude = o.Value.Latitude.orStay(l.Latitude), o.Value.Longitude.orStay(l.Longitude)
	l.Place = strings.TrimSpace(o.Value.Place.to(l.Place))
	return l.orNone()
}

func checkLocation(a *Asset, p *Problems) {
	l := a.Location
	if l == nil {
		return
	}
	p.degrees("location.latitude", l.Latitude, 90)
	p.degrees("location.longitude", l.Longitude, 180)
	switch {
	case l.Latitude == nil && l.Longitude != nil:
		p.Add("location.latitude", "location.latitude is required with location.longitude.")
	case l.Longitude == nil && l.Latitude != nil:
		p.Add("location.longitude", "location.longitude is required with location.latitude.")
	}
	p.length("location.place", l.Place, 0, MaxLine)
}

// degrees checks a coordinate.
func (p *Problems) degrees(field string, v *float64, most int) {
	if v != nil && !(math.Abs(*v) <= float64(most)) {
		p.Add(field, "%s must be between -%d and %d.", field, most, most)
	}
}

func focalPointField() AssetField {
	f := pointerField("focal_point", FilterNone,
		func(a *Asset) **FocalPoint { return &a.FocalPoint }, func(p *AssetPatch) *Opt[FocalPoint] { return &p.FocalPoint })
	f.check = func(a *Asset, p *Problems) {
		if a.FocalPoint != nil {
			p.part("focal_point.x", a.FocalPoint.X)
			p.part("focal_point.y", a.FocalPoint.Y)
		}
	}
	return f
}

// part checks that v is a fraction from 0 to 1.
func (p *Problems) part(field string, v float64) {
	if !(v >= 0 && v <= 1) {
		p.Add(field, "%s must be between 0 and 1.", field)
	}
}

// usageUntilField is checked against usage_from.
func usageUntilField() AssetField {
	f := timeField("usage_until",
		func(a *Asset) **time.Time { return &a.UsageUntil }, func(p *AssetPatch) *Opt[time.Time] { return &p.UsageUntil })
	f.check = func(a *Asset, p *Problems) {
		if a.UsageFrom != nil && a.UsageUntil != nil && !a.UsageUntil.After(*a.UsageFrom) {
			p.Add("usage_until", "usage_until must be a date after usage_from.")
		}
	}
	return f
}
