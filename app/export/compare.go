package export

import (
	"bytes"
	"encoding/json"
	"strings"
)

// Cell returns the cell of a WriteCSV table for r in a column, as read back from the table:
// without carriage returns.
func (r *Record) Cell(column string) (string, error) {
	v := r.member(column)
	if v == nil {
		return "", nil
	}
	text, err := json.Marshal(v)
	if err != nil {
		return "", err
	}
	var read any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&read); err != nil {
		return "", err
	}
	if _, part, inside := strings.Cut(column, "."); inside {
		if object, ok := read.(map[string]any); ok {
			read = object[part]
		}
	}
	return strings.ReplaceAll(cell(read), "\r", ""), nil
}

// member returns the value that WriteLine writes for a column, or the whole object for its
// members; nil for no value.
func (r *Record) member(name string) any {
	whole, part, _ := strings.Cut(name, ".")
	if whole == "metadata" {
		return r.Metadata[part]
	}
	for _, c := range columns() {
		if c.name == whole {
			if v := c.value(r); c.always || !empty(v) {
				return v
			}
			return nil
		}
	}
	return nil
}
