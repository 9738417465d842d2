package dam

import "slices"

// An Enum is a type with a fixed set of string values. Values lists them in their usual
// order. Tests compare the API's documentation and the database's constraints with this
// list. To add a value, see storage/migrations/README.md.
type Enum[E any] interface {
	~string
	Values() []E
}

// Values lists the values of an enum.
func Values[E Enum[E]]() []E {
	var zero E
	return zero.Values()
}

// Valid reports whether v is one of the values of its enum.
func Valid[E Enum[E]](v E) bool { return slices.Contains(v.Values(), v) }

// words returns the values of an enum as strings.
func words[E Enum[E]]() []string {
	var list []string
	for _, v := range Values[E]() {
		list = append(list, string(v))
	}
	return list
}
