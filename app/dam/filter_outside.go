package dam

import (
	"regexp"
	"strings"
)

// The fields in this file are not part of the search index: they depend on other records,
// such as shares and analytics, which are looked up for each query.

// MaxUseDays is the longest period of a rule over views or downloads.
const MaxUseDays = 3650

// Outside reports whether a rule depends on records outside the search index.
func (f *Filter) Outside() bool {
	switch f.Field.Type {
	case FilterKey, FilterShared, FilterUses:
		return !f.Group
	}
	return false
}

// AboutShares reports whether f, which may be nil, has a rule over shares.
func (f *Filter) AboutShares() bool {
	return f.some(func(r *Filter) bool { return r.Field.Type == FilterShared })
}

// AboutUse reports whether f, which may be nil, has a rule over views or downloads.
func (f *Filter) AboutUse() bool {
	return f.some(func(r *Filter) bool { return r.Field.Type == FilterUses })
}

// RefuseInRules returns an error if f, which may be nil, has a rule that collections do not
// support. The assets of a collection may only change with an asset or with time.
func RefuseInRules(f *Filter) error {
	var wrong Problems
	for path, r := range f.Leaves() {
		if r.Outside() || r.Field.Type == FilterTree {
			wrong.Add("filters"+path+".field", "The rules of a collection cannot use the field asset.%s; use it in a search.", r.Field.Name)
		}
	}
	return wrong.Err()
}

var keyForms = map[string]struct {
	form *regexp.Regexp
	to   func(string) string
	noun string
}{
	"gaid":            {regexp.MustCompile(`^[0-7][0-9A-HJKMNP-TV-Z]{25}$`), strings.ToUpper, "a GAID, 26 characters"},
	"checksum_sha256": {regexp.MustCompile(`^[0-9a-f]{64}$`), strings.ToLower, "a SHA-256 checksum, 64 hexadecimal digits"},
}

// key parses the key of an asset: a GAID or a checksum, in any case.
func (p *filterParser) key(path string, field FilterField, raw any, v *FilterValue) {
	s, _ := raw.(string)
	k := keyForms[field.Name]
	if s = k.to(strings.TrimSpace(s)); !k.form.MatchString(s) {
		p.Add(path, "value must be %s.", k.noun)
		return
	}
	v.Texts = append(v.Texts, s)
}

// days parses the number of days in a value of the form {"value": …, "days": …}, for a rule
// over views or downloads. It returns the inner value.
func (p *filterParser) days(path string, raw any, v *FilterValue) any {
	m, ok := raw.(map[string]any)
	if !ok {
		return raw
	}
	for _, k := range sortedKeys(m) {
		if k != "value" && k != "days" {
			p.Add(path+"."+k, "value has the members value and days only.")
		}
	}
	n, ok := number(m["days"])
	if v.Days = int(n); !ok || n < 1 || n > MaxUseDays || n != float64(v.Days) {
		p.Add(path+".days", "days must be a whole number from 1 to %d.", MaxUseDays)
	}
	return m["value"]
}
