package dam

import "errors"

// Under prefixes the fields of an error with a path.
func Under(path string, err error) error {
	if e, ok := errors.AsType[*Error](err); ok {
		for i := range e.Fields {
			e.Fields[i].Field = path + e.Fields[i].Field
		}
	}
	return err
}

// NameTaken converts a Conflict to an error about the field name.
func NameTaken(err error) error {
	if KindOf(err) == Conflict {
		return InvalidField("name", "The name has already been taken.")
	}
	return err
}

// ErrNoSibling is returned when the item to move something behind is not one of its
// siblings.
var ErrNoSibling = InvalidField("after", "The selected after is invalid.")
