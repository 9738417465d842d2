package storage

import (
	"slices"
	"strings"

	"github.com/digital-asset-library/dal/app/dam"
)

// UserNames returns, by name, the users with the given IDs or, without IDs, all users who
// are not disabled. The text restricts them to names that contain it, ignoring case and
// accents; "" matches all.
func (tx *Tx) UserNames(text string, only []int64) ([]dam.NamedID, error) {
	names, err := list(tx, func(r row) (n dam.NamedID, err error) { return n, r.Scan(&n.ID, &n.Name) }, `SELECT id, name FROM users
		WHERE iif(?1, disabled_at IS NULL, id IN (SELECT value FROM json_each(?2))) ORDER BY id`, len(only) == 0, ids(only))
	if text = searchKey(text); text != "" {
		names = slices.DeleteFunc(names, func(n dam.NamedID) bool { return !strings.Contains(searchKey(n.Name), text) })
	}
	slices.SortStableFunc(names, func(a, b dam.NamedID) int { return strings.Compare(searchKey(a.Name), searchKey(b.Name)) })
	return names, err
}
