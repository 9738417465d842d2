package storage

import (
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// jsonCol stores a value as JSON, or scans JSON into the value it points to.
type jsonCol struct{ v any }

func (c jsonCol) Value() (driver.Value, error) { return jsonText(c.v) }

func (c jsonCol) Scan(v any) error {
	switch v := v.(type) {
	case string:
		if to, ok := c.v.(*any); ok {
			if *to, ok = plainJSON(v); ok {
				return nil
			}
		}
		return json.Unmarshal([]byte(v), c.v)
	case nil:
		return nil
	}
	return fmt.Errorf("JSON is stored as %T", v)
}

// plainJSON reads the most common values, which are strings without escapes, numbers and
// booleans, much faster than the JSON decoder. It reports whether it could.
func plainJSON(s string) (any, bool) {
	switch s {
	case "true":
		return true, true
	case "false":
		return false, true
	}
	if n := len(s); n >= 2 && s[0] == '"' && s[n-1] == '"' && strings.IndexByte(s[1:n-1], '"') < 0 && strings.IndexByte(s, '\\') < 0 {
		return s[1 : n-1], utf8.ValidString(s)
	}
	if s != "" && (s[0] >= '1' && s[0] <= '9') && strings.Trim(s, "0123456789.") == "" {
		f, err := strconv.ParseFloat(s, 64)
		return f, err == nil && s[len(s)-1] != '.'
	}
	return nil, false
}

// jsonText marshals v for a JSON column.
func jsonText(v any) (string, error) {
	b, err := json.Marshal(v)
	return string(b), err
}
