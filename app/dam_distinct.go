package app

import (
	"errors"

	"github.com/digital-asset-library/dal/app/dam"
)

// distinct returns a list without duplicates.
func distinct(gaids []dam.GAID) []dam.GAID {
	list := make([]dam.GAID, 0, len(gaids))
	seen := make(map[dam.GAID]bool, len(gaids))
	for _, g := range gaids {
		if !seen[g] {
			seen[g] = true
			list = append(list, g)
		}
	}
	return list
}

// under prefixes the fields of an error with a path.
func under(path string, err error) error {
	if e, ok := errors.AsType[*dam.Error](err); ok {
		for i := range e.Fields {
			e.Fields[i].Field = path + e.Fields[i].Field
		}
	}
	return err
}

// nameTaken converts a Conflict to an error about the field name.
func nameTaken(err error) error {
	if dam.KindOf(err) == dam.Conflict {
		return dam.InvalidField("name", "The name has already been taken.")
	}
	return err
}

// errNoSibling is returned when the item to move something behind is not one of its
// siblings.
var errNoSibling = dam.InvalidField("after", "The selected after is invalid.")
