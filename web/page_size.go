package web

import (
	"encoding/json"
	"slices"

	"github.com/digital-asset-library/dal/app/dam"
)

// maxPageFields is the maximum total size, in bytes, of the large members of the items on a
// page: metadata, keywords, tags, captions and other long texts. On a larger page, each
// item that exceeds its share omits its largest members and lists them in truncated. A
// single item always fits.
const maxPageFields = 4 << 20

// large is a member of an item that may be large: its name, its value, and a function to
// omit it.
type large struct {
	name string
	v    any
	drop func()
}

// fitPage makes a page of items fit, and returns the members omitted from each; nil for
// none.
func fitPage(items [][]large) [][]string {
	omitted := make([][]string, len(items))
	all := 0
	for _, item := range items {
		for _, m := range item {
			all += atMost(m.v)
		}
	}
	if all <= maxPageFields {
		return omitted
	}
	sizes := make([][]int, len(items))
	all = 0
	for i, item := range items {
		for _, m := range item {
			text, _ := json.Marshal(m.v) // the same error occurs when the answer is written
			sizes[i], all = append(sizes[i], len(text)), all+len(text)
		}
	}
	if all <= maxPageFields {
		return omitted
	}
	share := maxPageFields / len(items)
	for i, item := range items {
		for sum(sizes[i]) > share {
			k := slices.Index(sizes[i], slices.Max(sizes[i]))
			item[k].drop()
			omitted[i], sizes[i][k] = append(omitted[i], item[k].name), 0
		}
	}
	return omitted
}

func sum(list []int) (n int) {
	for _, v := range list {
		n += v
	}
	return n
}

// atMost returns an upper bound of the size of a value as JSON, where a byte of a string
// takes at most six.
func atMost(v any) int {
	if text, ok := v.(*string); ok && text != nil {
		return 6*len(*text) + 2
	}
	return dam.JSONAtMost(v)
}

// large lists the members of an asset that may be large.
func (f *AssetFields) large() []large {
	return []large{
		{"metadata", f.Metadata, func() { f.Metadata = map[string]any{} }},
		{"keywords", f.Keywords, func() { f.Keywords = []string{} }},
		{"people", f.People, func() { f.People = []string{} }},
		{"ai_tags", f.AITags, func() { f.AITags = []string{} }},
		{"description", f.Description, func() { f.Description = nil }},
		{"usage_terms", f.UsageTerms, func() { f.UsageTerms = nil }},
		{"ai_caption", f.AICaption, func() { f.AICaption = nil }},
	}
}

// fitAssets makes a page of assets fit. parts returns pointers to an item's fields and to
// its list of omitted members.
func fitAssets[T any](items []T, parts func(*T) (fields *AssetFields, omitted *[]string)) {
	all := make([][]large, len(items))
	for i := range items {
		f, _ := parts(&items[i])
		all[i] = f.large()
	}
	for i, names := range fitPage(all) {
		_, omitted := parts(&items[i])
		*omitted = names
	}
}
