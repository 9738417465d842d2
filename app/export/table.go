package export

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// MaxKeys is the maximum number of custom field columns in a table. The manifest is not
// limited.
const MaxKeys = 1000

// WriteCSV writes the lines of WriteLine as a table (RFC 4180) in UTF-8 without a byte
// order mark, with a column for each custom field in keys. List items are separated by ";
// ".
func WriteCSV(w io.Writer, lines io.Reader, keys map[string]bool) error {
	table := csv.NewWriter(w)
	table.UseCRLF = true
	head, custom := Columns(), slices.Sorted(maps.Keys(keys))
	for _, k := range custom {
		head = append(head, "metadata."+k)
	}
	if err := table.Write(head); err != nil {
		return err
	}
	err := eachLine(lines, func(line []byte) error {
		var members map[string]any
		d := json.NewDecoder(bytes.NewReader(line))
		d.UseNumber()
		if err := d.Decode(&members); err != nil {
			return err
		}
		row := make([]string, 0, len(head))
		for _, name := range head[:len(head)-len(custom)] {
			row = append(row, cell(member(members, name)))
		}
		metadata, _ := members["metadata"].(map[string]any)
		for _, k := range custom {
			row = append(row, cell(metadata[k]))
		}
		return table.Write(row)
	})
	if err != nil {
		return err
	}
	table.Flush()
	return table.Error()
}

// member returns a member of a record, or, for a name with a dot, a member of an object in
// it.
func member(members map[string]any, name string) any {
	whole, part, inside := strings.Cut(name, ".")
	if !inside {
		return members[name]
	}
	object, _ := members[whole].(map[string]any)
	return object[part]
}

// cell formats a JSON value as a cell of a table.
func cell(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case json.Number:
		return decimal(v)
	case bool:
		return strconv.FormatBool(v)
	case []any:
		items := make([]string, len(v))
		for i, item := range v {
			items[i] = itemText(item)
		}
		return harmless(strings.Join(items, "; "))
	}
	return harmless(itemText(v))
}

// itemText formats an item of a cell; a collection is represented by its name.
func itemText(v any) string {
	if c, ok := v.(map[string]any); ok {
		v = c["name"]
	}
	return fmt.Sprint(v)
}

// decimal formats a number without an exponent.
func decimal(n json.Number) string {
	if f, err := n.Float64(); err == nil && strings.ContainsAny(n.String(), "eE") {
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	return n.String()
}
