package account

import (
	"errors"
	"fmt"
	"time"

	"github.com/dustin/go-humanize"
)

// A Limit holds the default and the bounds of a numeric setting. Sizes are in
// bytes, times in nanoseconds.
type Limit struct {
	Name              string // of the setting
	Default, Min, Max int64

	get  func() int64
	set  func(int64)
	show func(int64) string
	of   any
}

// NewLimit returns the limit of the setting that v points to. A default outside the
// bounds represents an unset setting.
func NewLimit[T ~int | ~int64 | ~uint64](name string, v *T, byDefault, least, most T) Limit {
	return Limit{
		Name: name, Default: int64(byDefault), Min: int64(least), Max: int64(most),
		get: func() int64 { return int64(*v) },
		set: func(n int64) { *v = T(n) },
		show: func(n int64) string {
			if d, ok := any(T(n)).(time.Duration); ok {
				return d.String()
			}
			return humanize.Comma(n)
		},
		of: v,
	}
}

// Value returns the value of the setting.
func (l Limit) Value() int64 { return l.get() }

// SetValue sets the value without checking the bounds.
func (l Limit) SetValue(n int64) { l.set(n) }

// Allows reports whether n is within the bounds.
func (l Limit) Allows(n int64) bool { return l.Min <= n && n <= l.Max }

// Limits are the limits of several settings.
type Limits []Limit

// Of returns the limit of the setting that v points to. It panics if the setting
// has no limit.
func (l Limits) Of(v any) Limit {
	for _, limit := range l {
		if limit.of == v {
			return limit
		}
	}
	panic(fmt.Sprintf("a setting of type %T has no limit", v))
}

// SetDefaults sets each setting to its default.
func (l Limits) SetDefaults() {
	for _, limit := range l {
		limit.set(limit.Default)
	}
}

// Check returns an error that names the settings out of bounds.
func (l Limits) Check() error {
	var errs []error
	for _, limit := range l {
		if n := limit.get(); !limit.Allows(n) {
			errs = append(errs, fmt.Errorf("%s must be between %s and %s, not %s",
				limit.Name, limit.show(limit.Min), limit.show(limit.Max), limit.show(n)))
		}
	}
	return errors.Join(errs...)
}
