package web

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"
)

// addPrimer puts the guide's API primer before the operations.
func (d *document) addPrimer() error {
	primer, err := docsFiles.ReadFile("docs/guide/api.md")
	if err != nil {
		return err
	}
	// Tools that render the document generate other ids for the primer's headings.
	primer = bytes.ReplaceAll(servedLinks(primer), []byte("](#"), []byte("]("+guidePath("api")+"#"))
	info := object(d.root["info"])
	info["description"] = info["description"].(string) + "\n\n" + string(primer)
	return nil
}

// marshal encodes the document with the operations in reading order: for each resource list
// and create first, then show, update and delete, then the rest.
func (d *document) marshal() ([]byte, error) {
	items := object(d.root["paths"])
	for path, item := range items {
		ordered, err := marshalOrdered(object(item), byRank("get", "post", "put", "delete"))
		if err != nil {
			return nil, err
		}
		items[path] = ordered
	}
	paths, err := marshalOrdered(items, comparePaths)
	if err != nil {
		return nil, err
	}
	d.root["paths"] = paths
	return json.Marshal(d.root)
}

// comparePaths sorts a path before its subpaths and, among siblings, a parameter first.
func comparePaths(a, b string) int {
	parameterFirst := strings.NewReplacer("{", " ")
	return slices.Compare(strings.Split(parameterFirst.Replace(a), "/"), strings.Split(parameterFirst.Replace(b), "/"))
}

// byRank compares words by their index in a list.
func byRank(words ...string) func(a, b string) int {
	return func(a, b string) int { return cmp.Compare(slices.Index(words, a), slices.Index(words, b)) }
}

// marshalOrdered encodes an object with its members in a given order; Go maps have none.
func marshalOrdered(members map[string]any, order func(a, b string) int) (json.RawMessage, error) {
	names := make([]string, 0, len(members))
	for name := range members {
		names = append(names, name)
	}
	slices.SortFunc(names, order)
	var b bytes.Buffer
	for i, name := range names {
		key, err := json.Marshal(name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(members[name])
		if err != nil {
			return nil, err
		}
		b.WriteByte("{,"[min(i, 1)])
		b.Write(key)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}
