package storage

import (
	"slices"
	"strings"

	"github.com/digital-asset-library/dal/app/dam"
)

// UserNames lists, by name, users who are not disabled and have a text in their
// names regardless of case and accents, "" for all; or those with some IDs.
func (tx *Tx) UserNames(text string, only []int64) ([]dam.NamedID, error) {
	names, err := list(tx, func(r row) (n dam.NamedID, err error) { return n, r.Scan(&n.ID, &n.Name) }, `SELECT id, name FROM users
		WHERE iif(?1, disabled_at IS NULL, id IN (SELECT value FROM json_each(?2))) ORDER BY id`, len(only) == 0, ids(only))
	if text = searchKey(text); text != "" {
		names = slices.DeleteFunc(names, func(n dam.NamedID) bool { return !strings.Contains(searchKey(n.Name), text) })
	}
	slices.SortStableFunc(names, func(a, b dam.NamedID) int { return strings.Compare(searchKey(a.Name), searchKey(b.Name)) })
	return names, err
}
