package storage

import "github.com/digital-asset-library/dal/app/dam"

// CollectionPlaces returns the children of a collection, or the top-level collections for
// 0, in their order.
func (tx *Tx) CollectionPlaces(parent int64) ([]dam.Place[int64], error) {
	return list(tx, func(r row) (p dam.Place[int64], err error) { return p, r.Scan(&p.Key, &p.Position) },
		`SELECT id, position FROM collections WHERE parent_id IS nullif(?, 0) ORDER BY position, sort_key, id`, parent)
}

// CountChildren sets the number of children of each collection that a user may view.
func (tx *Tx) CountChildren(user int64, all ...*dam.Collection) error {
	byID := make(map[int64]*dam.Collection, len(all))
	want := make([]int64, len(all))
	for i, c := range all {
		byID[c.ID], want[i] = c, c.ID
		c.ChildrenCount = 0
	}
	return each(tx, func(r row) error {
		var id int64
		var n int
		err := r.Scan(&id, &n)
		if err == nil {
			byID[id].ChildrenCount = n
		}
		return err
	}, `SELECT parent_id, count(*) FROM collections c WHERE parent_id IN (SELECT value FROM json_each(?2)) AND `+visible("c")+`
		GROUP BY parent_id`, user, ids(want))
}
