package dam

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// value parses the value of a rule whose operator is valid for its field.
func (p *filterParser) value(path string, field FilterField, op FilterOperator, text json.RawMessage) (v FilterValue) {
	if op == OpIsEmpty || op == OpIsNotEmpty {
		return v // no value
	}
	var raw any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&raw); err != nil || raw == nil {
		p.Add(path, "value is required.")
		return v
	}
	if field.Type == FilterColors {
		v.Color = p.color(path, op, raw)
		return v
	}
	if field.Type == FilterUses {
		raw = p.days(path, raw, &v)
	}
	items, isList := raw.([]any)
	set := field.Type == FilterSet || field.Type == FilterIDs || field.Type == FilterMetadata
	switch plain, _ := op.Positive(); {
	case plain == OpIn && !isList:
		p.Add(path, "value must be a list.")
		return v
	case plain == OpBetween && (!isList || len(items) != 2):
		p.Add(path, "value must be a list of two: the least and the greatest.")
		return v
	case isList && plain != OpIn && plain != OpBetween && !(plain == OpEquals && set):
		p.Add(path, "value may not be a list.")
		return v
	case isList && len(items) == 0:
		p.Add(path, "value must have at least 1 item.")
		return v
	case len(items) > MaxFilterValues:
		p.Add(path, "value may not have more than %d items.", MaxFilterValues)
		return v
	}
	if !isList {
		p.item(path, field, op, raw, &v)
		return v
	}
	for i, item := range items {
		p.item(path+"."+itoa(i), field, op, item, &v)
	}
	if op == OpBetween {
		if len(v.Numbers) == 2 && v.Numbers[0] > v.Numbers[1] || len(v.Dates) == 2 && !v.Moves && v.Dates[0].From >= v.Dates[1].To {
			p.Add(path, "The first item of value may not be greater than the second.")
		}
		if field.Type == FilterMetadata && len(v.Numbers) != 2 && len(v.Dates) != 2 {
			p.Add(path, "The items of value must be two numbers or two dates.")
		}
	}
	return v
}

// item parses one item of a value into v.
func (p *filterParser) item(path string, field FilterField, op FilterOperator, raw any, v *FilterValue) {
	switch field.Type {
	case FilterNumber, FilterUses:
		if n, ok := number(raw); ok {
			v.Numbers = append(v.Numbers, n)
		} else {
			p.Add(path, "value must be a number.")
		}
	case FilterIDs, FilterTree:
		p.id(path, "collection", raw, v)
	case FilterUsers:
		p.id(path, "user", raw, v)
	case FilterKey:
		p.key(path, field, raw, v)
	case FilterShared:
		p.bool(path, raw, v)
	case FilterPicks:
		p.pick(path, raw, v)
	case FilterDate, FilterDay:
		if s, _ := raw.(string); !p.date(s, field.Type, v) {
			p.Add(path, "value must be a date: 2026-01-31, 2026-01-31T06:12:00Z, or a relative one such as now or today+30d.")
		}
	case FilterEnum:
		s, _ := raw.(string)
		for _, w := range enumValues(field.Name) {
			if strings.EqualFold(w, s) {
				v.Texts = append(v.Texts, w)
				return
			}
		}
		p.Add(path, "value must be one of %s.", strings.Join(enumValues(field.Name), ", "))
	case FilterMetadata:
		p.metadataItem(path, op, raw, v)
	default:
		if s, ok := raw.(string); ok {
			p.text(path, s, v)
		} else {
			p.Add(path, "value must be a text.")
		}
	}
}

// id parses the id of a noun.
func (p *filterParser) id(path, noun string, raw any, v *FilterValue) {
	if n, ok := number(raw); ok && n == float64(int64(n)) && n > 0 {
		v.IDs = append(v.IDs, int64(n))
	} else {
		p.Add(path, "value must be the id of a %s.", noun)
	}
}

// bool parses a boolean, or its string form, which forms send.
func (p *filterParser) bool(path string, raw any, v *FilterValue) {
	switch raw {
	case true, "true":
		v.Bools = []bool{true}
	case false, "false":
		v.Bools = []bool{false}
	default:
		p.Add(path, "value must be true or false.")
	}
}

// metadataItem parses an item for an undeclared custom field.
func (p *filterParser) metadataItem(path string, op FilterOperator, raw any, v *FilterValue) {
	switch op {
	case OpGreaterThan, OpGreaterThanOrEqual, OpLessThan, OpLessThanOrEqual, OpBetween:
		if n, ok := number(raw); ok {
			v.Numbers = append(v.Numbers, n)
		} else if s, _ := raw.(string); !p.date(s, FilterMetadata, v) {
			p.Add(path, "value must be a number or a date.")
		}
		return
	}
	switch x := raw.(type) {
	case string:
		p.text(path, x, v)
	case json.Number:
		n, ok := number(x)
		if !ok {
			p.Add(path, "value must be a finite number.")
		} else if plain, _ := op.Positive(); plain == OpEquals || plain == OpIn {
			v.Numbers = append(v.Numbers, n)
		} else { // matches part of a text
			p.text(path, strconv.FormatFloat(n, 'f', -1, 64), v)
		}
	case bool:
		if plain, _ := op.Positive(); plain != OpEquals && plain != OpIn {
			p.Add(path, "value must be a text.")
			return
		}
		v.Bools = append(v.Bools, x)
	default:
		p.Add(path, "value must be a text, a number or a boolean.")
	}
}

func (p *filterParser) text(path, s string, v *FilterValue) {
	switch n := len([]rune(s)); {
	case strings.TrimSpace(s) == "":
		p.Add(path, "value is required; is_empty finds assets without one.")
	case n > MaxFilterText:
		p.Add(path, "value may not have more than %d characters.", MaxFilterText)
	default:
		v.Texts = append(v.Texts, s)
	}
}

// number parses a JSON number, or its string form, which forms send.
func number(raw any) (float64, bool) {
	var s string
	switch x := raw.(type) {
	case json.Number:
		s = x.String()
	case string:
		if s = strings.TrimSpace(x); !decimal.MatchString(s) {
			return 0, false
		}
	default:
		return 0, false
	}
	n, err := strconv.ParseFloat(s, 64)
	return n, err == nil
}

var decimal = regexp.MustCompile(`^[+-]?[0-9]+(\.[0-9]+)?$`)

// ParseDateRange parses a day, such as "2026-01-31", or an RFC 3339 instant.
func ParseDateRange(s string) (DateRange, bool) {
	if t, err := time.Parse(time.DateOnly, s); err == nil {
		return DateRange{t.UnixMilli(), t.AddDate(0, 0, 1).UnixMilli(), true}, true
	}
	t, err := time.Parse(time.RFC3339, s)
	return DateRange{From: t.UnixMilli(), To: t.UnixMilli() + 1}, err == nil
}

func (p *filterParser) color(path string, op FilterOperator, raw any) *ColorRange {
	c := &ColorRange{Distance: ColorEqualDistance}
	if op == OpColorNear {
		c.Distance = ColorNearDistance
		if m, ok := raw.(map[string]any); ok {
			if d, sent := m["distance"]; sent {
				n, isNumber := number(d)
				if !isNumber || n < 0 || n > 100 {
					p.Add(path+".distance", "distance must be between 0 and 100.")
				}
				c.Distance = n
			}
			for _, k := range sortedKeys(m) {
				if k != "color" && k != "distance" {
					p.Add(path+"."+k, "value has the members color and distance only.")
				}
			}
			raw, path = m["color"], path+".color"
		}
	}
	s, _ := raw.(string)
	var ok bool
	if c.R, c.G, c.B, ok = ParseHex(s); !ok {
		p.Add(path, "value must be a colour like #1e90ff.")
	}
	return c
}

// ParseHex parses a color "#rrggbb".
func ParseHex(s string) (r, g, b uint8, ok bool) {
	if len(s) != 7 || s[0] != '#' {
		return 0, 0, 0, false
	}
	n, err := strconv.ParseUint(s[1:], 16, 32)
	return uint8(n >> 16), uint8(n >> 8), uint8(n), err == nil
}
