package storage

import (
	"strings"
	"unicode"

	"golang.org/x/text/collate"
	"golang.org/x/text/language"

	"github.com/digital-asset-library/dal/app/dam"
)

// Everyone, in place of a user ID, may view all collections, and Nobody may view none.
const (
	Everyone int64 = 0
	Nobody   int64 = -1
)

// visible returns the condition that ?1 (a user ID, Everyone or Nobody) may view a
// collection.
func visible(c string) string {
	return `(?1 = 0 OR ?1 > 0 AND (` + c + `.visibility = 'everyone' OR ` + c + `.created_by = ?1 OR
		EXISTS (SELECT 1 FROM collection_viewers v WHERE v.collection_id = ` + c + `.id AND v.user_id = ?1)))`
}

// A parent that the user may not view is read as none.
var selectCollection = `SELECT c.id, c.name, c.description, c.type_id, p.id, c.is_active, c.visibility, coalesce(cover.gaid, ''),
	cover.deleted_at IS NOT NULL, c.position, c.created_by, c.updated_by, c.created_at, c.updated_at, c.rules
	FROM collections c LEFT JOIN collections p ON p.id = c.parent_id AND ` + visible("p") + `
	LEFT JOIN assets cover ON cover.id = c.cover_id WHERE ` + visible("c")

func scanCollection(r row) (*dam.Collection, error) {
	var c dam.Collection
	err := r.Scan(&c.ID, &c.Name, &c.Description, refCol{&c.TypeID}, refCol{&c.ParentID}, &c.Active, &c.Visibility, &c.CoverGAID,
		&c.CoverTrashed, &c.Position, refCol{&c.CreatedByID}, refCol{&c.UpdatedByID}, timeCol{&c.CreatedAt}, timeCol{&c.UpdatedAt}, &c.Rules)
	return &c, wrap(err, "Collection")
}

// sortKey returns the key that a name is sorted by, in the order of Unicode (UTS 10),
// ignoring case and comparing numbers by value.
func sortKey(name string) []byte {
	var b collate.Buffer
	return collate.New(language.Und, collate.IgnoreCase, collate.Numeric).KeyFromString(&b, name)
}

// InsertCollection adds c and sets its ID and times.
func (tx *Tx) InsertCollection(c *dam.Collection) (err error) {
	c.CreatedAt, c.UpdatedAt = tx.now, tx.now
	c.ID, err = one[int64](tx, "Collection", `INSERT INTO collections (name, created_by, updated_by, visibility, created_at, updated_at)
		VALUES (?1, ?2, ?3, ?4, ?5, ?5) RETURNING id`, c.Name, ref(c.CreatedByID), ref(c.UpdatedByID), c.Visibility, msec(tx.now))
	if err != nil {
		return err
	}
	return tx.UpdateCollection(c)
}

// UpdateCollection writes the editable fields of c, but not its assets, and the time of
// the change.
func (tx *Tx) UpdateCollection(c *dam.Collection) error {
	c.UpdatedAt = tx.now
	err := tx.must("Collection", `UPDATE collections SET name = ?, sort_key = ?, description = ?, type_id = ?, parent_id = ?, is_active = ?,
		visibility = ?, cover_id = (SELECT id FROM assets WHERE gaid = ?), position = ?, rules = ?, updated_by = ?, updated_at = ? WHERE id = ?`,
		c.Name, sortKey(c.Name), c.Description, ref(c.TypeID), ref(c.ParentID), c.Active, c.Visibility, c.CoverGAID, c.Position, c.Rules,
		ref(c.UpdatedByID), msec(tx.now), c.ID)
	if err != nil {
		return err
	}
	if _, err := tx.exec("Collection", `DELETE FROM collection_viewers
		WHERE collection_id = ?1 AND user_id NOT IN (SELECT value FROM json_each(?2))`,
		c.ID, ids(c.ViewerIDs)); err != nil {
		return err
	}
	_, err = tx.exec("Collection", `INSERT OR IGNORE INTO collection_viewers (collection_id, user_id) SELECT ?, value FROM json_each(?)`,
		c.ID, ids(c.ViewerIDs))
	return err
}

// TouchCollection records who changed the assets of a collection, and when.
func (tx *Tx) TouchCollection(id, user int64) error {
	return tx.must("Collection", `UPDATE collections SET updated_by = ?, updated_at = ? WHERE id = ?`, ref(user), msec(tx.now), id)
}

// DeleteCollection deletes a collection that has no children. Its assets are kept.
func (tx *Tx) DeleteCollection(id int64) error {
	return tx.must("Collection", `DELETE FROM collections WHERE id = ?`, id)
}

// Collection returns a collection that a user may view.
func (tx *Tx) Collection(user, id int64) (*dam.Collection, error) {
	c, err := scanCollection(tx.tx.QueryRowContext(tx.ctx, selectCollection+` AND c.id = ?2`, user, id))
	if err != nil {
		return nil, err
	}
	return c, tx.fillCollections([]*dam.Collection{c})
}

// The condition that a collection matches a CollectionFilter.
const collectionFits = ` AND (?2 IS NULL OR c.type_id IS nullif(?2, 0)) AND (?3 IS NULL OR p.id IS nullif(?3, 0)) AND c.is_active >= ?4
	AND (?5 IS NULL OR c.id IN (SELECT value FROM json_each(?5)))`

// Collections returns the collections that a user may view, by position and name, and
// their total number. A collection whose parent the user may not view counts as
// top-level.
func (tx *Tx) Collections(user int64, f dam.CollectionFilter, p dam.Page) ([]*dam.Collection, int, error) {
	named, err := tx.named(user, f.Name)
	if err != nil {
		return nil, 0, err
	}
	total, err := one[int](tx, "", `SELECT count(*) FROM (`+selectCollection+collectionFits+`)`, user, f.TypeID, f.ParentID, f.Active, named)
	if err != nil {
		return nil, 0, err
	}
	all, err := list(tx, scanCollection, selectCollection+collectionFits+` ORDER BY c.position, c.sort_key, c.id LIMIT ?6 OFFSET ?7`,
		user, f.TypeID, f.ParentID, f.Active, named, p.Limit, p.Offset)
	if err != nil {
		return nil, 0, err
	}
	return all, total, tx.fillCollections(all)
}

// named returns the IDs, as JSON, of the collections that a user may view and whose names
// contain a text; NULL for all if the text is blank.
func (tx *Tx) named(user int64, text string) (any, error) {
	if text = searchKey(text); text == "" {
		return nil, nil
	}
	var found []int64
	err := each(tx, func(r row) error {
		var id int64
		var name string
		err := r.Scan(&id, &name)
		if strings.Contains(searchKey(name), text) {
			found = append(found, id)
		}
		return err
	}, `SELECT id, name FROM collections c WHERE `+visible("c"), user)
	return ids(found), err
}

// searchKey normalizes a name for searching: without case, accents and surrounding space.
func searchKey(name string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, nameKey(name)))
}

// fillCollections reads the viewers of collections.
func (tx *Tx) fillCollections(all []*dam.Collection) error {
	byID := make(map[int64]*dam.Collection, len(all))
	want := make([]int64, len(all))
	for i, c := range all {
		byID[c.ID], want[i] = c, c.ID
	}
	return each(tx, func(r row) error {
		var id, user int64
		err := r.Scan(&id, &user)
		if err == nil {
			byID[id].ViewerIDs = append(byID[id].ViewerIDs, user)
		}
		return err
	}, `SELECT collection_id, user_id FROM collection_viewers WHERE collection_id IN (SELECT value FROM json_each(?))
		ORDER BY collection_id, user_id`, ids(want))
}

// CountMembers counts the assets outside the trash that people added to a collection.
func (tx *Tx) CountMembers(collection int64) (int, error) {
	return one[int](tx, "", `SELECT (SELECT count(*) FROM collection_assets WHERE collection_id = ?1) -
		(SELECT count(*) FROM assets a CROSS JOIN collection_assets m ON m.asset_id = a.id AND m.collection_id = ?1
			WHERE a.deleted_at IS NOT NULL)`, collection)
}

// CountCollections returns the number of all collections and of smart collections.
func (tx *Tx) CountCollections() (all, ruled int, err error) {
	if all, err = one[int](tx, "", `SELECT count(*) FROM collections`); err != nil {
		return 0, 0, err
	}
	ruled, err = one[int](tx, "", `SELECT count(*) FROM collections WHERE rules <> ''`)
	return all, ruled, err
}

// VisibleCollections calls yield for each collection that a user may view, in order of
// ID.
func (tx *Tx) VisibleCollections(user int64, yield func(id int64, rules string)) error {
	return each(tx, func(r row) error {
		var id int64
		var rules string
		err := r.Scan(&id, &rules)
		if err == nil {
			yield(id, rules)
		}
		return err
	}, `SELECT id, rules FROM collections c WHERE `+visible("c")+` ORDER BY id`, user)
}

// VisibleCollectionNames calls yield for each collection that a user may view, in order
// of name.
func (tx *Tx) VisibleCollectionNames(user int64, yield func(id int64, name string)) error {
	return tx.eachName(yield, `SELECT id, name FROM collections c WHERE `+visible("c")+` ORDER BY sort_key, id`, user)
}

// eachName calls yield for each row of an id and a name.
func (tx *Tx) eachName(yield func(id int64, name string), query string, args ...any) error {
	return each(tx, func(r row) error {
		var id int64
		var name string
		err := r.Scan(&id, &name)
		if err == nil {
			yield(id, name)
		}
		return err
	}, query, args...)
}

// CollectionAncestors returns up to limit IDs of a collection and its ancestors, nearest
// first.
func (tx *Tx) CollectionAncestors(id int64, limit int) ([]int64, error) {
	return list(tx, scanID, `WITH RECURSIVE up (id, n) AS (
		SELECT ?1, 1 UNION ALL SELECT c.parent_id, n + 1 FROM up JOIN collections c ON c.id = up.id WHERE c.parent_id IS NOT NULL AND n < ?2)
		SELECT id FROM up ORDER BY n`, id, limit)
}

// CollectionHeight returns the number of levels of a collection's subtree, counting up to
// limit.
func (tx *Tx) CollectionHeight(id int64, limit int) (int, error) {
	return one[int](tx, "", `WITH RECURSIVE down (id, n) AS (
		SELECT ?1, 1 UNION ALL SELECT c.id, n + 1 FROM down JOIN collections c ON c.parent_id = down.id WHERE n < ?2)
		SELECT max(n) FROM down`, id, limit)
}

// HiddenBelow reports whether a collection has a descendant, at any level, that a user
// may not view.
func (tx *Tx) HiddenBelow(user, id int64) (bool, error) {
	return one[bool](tx, "", `WITH RECURSIVE down (id) AS (SELECT ?2 UNION SELECT c.id FROM down JOIN collections c ON c.parent_id = down.id)
		SELECT EXISTS (SELECT 1 FROM down JOIN collections c ON c.id = down.id WHERE NOT `+visible("c")+`)`, user, id)
}

// CollectionNamed returns the first manual collection with a name that a user may view.
func (tx *Tx) CollectionNamed(user int64, name string) (int64, error) {
	return one[int64](tx, "Collection", `SELECT id FROM collections c 
		WHERE name = ?2 AND rules = '' AND `+visible("c")+` ORDER BY id LIMIT 1`, user, name)
}

// CollectionNames returns the names of collections.
func (tx *Tx) CollectionNames(want []int64) (map[int64]string, error) {
	return tx.names(`SELECT id, name FROM collections WHERE id IN (SELECT value FROM json_each(?))`, want)
}

// CollectionsOf returns, by asset, the collections that contain it and that a user may
// view, in order of name. More contains additional pairs of asset and collection to
// include.
func (tx *Tx) CollectionsOf(user int64, assets []int64, more [][2]int64) (map[int64][]dam.CollectionRef, error) {
	pairs, err := jsonText(more)
	if err != nil {
		return nil, err
	}
	of := map[int64][]dam.CollectionRef{}
	return of, each(tx, func(r row) error {
		var asset int64
		var c dam.CollectionRef
		err := r.Scan(&asset, &c.ID, &c.Name)
		of[asset] = append(of[asset], c)
		return err
	}, `SELECT m.asset, c.id, c.name FROM (SELECT asset_id AS asset, collection_id AS collection FROM collection_assets
		WHERE asset_id IN (SELECT value FROM json_each(?2))
		UNION SELECT value->>0, value->>1 FROM json_each(?3)) m JOIN collections c ON c.id = m.collection WHERE `+visible("c")+`
			ORDER BY c.sort_key, c.id`,
		user, ids(assets), pairs)
}

// Unfillable returns the collections that assets cannot be added to: those that a user
// may not view, and smart collections.
func (tx *Tx) Unfillable(user int64, want []int64) (unknown, ruled map[int64]bool, err error) {
	unknown, ruled = map[int64]bool{}, map[int64]bool{}
	for _, id := range want {
		unknown[id] = true
	}
	err = each(tx, func(r row) error {
		var id int64
		var hasRules bool
		err := r.Scan(&id, &hasRules)
		delete(unknown, id)
		if hasRules {
			ruled[id] = true
		}
		return err
	}, `SELECT id, rules <> '' FROM collections c WHERE id IN (SELECT value FROM json_each(?2)) AND `+visible("c"), user, ids(want))
	return unknown, ruled, err
}

// Hidden reports whether any of some collections is one that a user may not view.
func (tx *Tx) Hidden(user int64, of []int64) (bool, error) {
	return one[bool](tx, "", `SELECT EXISTS (SELECT 1 FROM collections c WHERE id IN (SELECT value FROM json_each(?2))
		AND NOT `+visible("c")+`)`, user, ids(of))
}

// UnknownUsers returns the given IDs that are not users.
func (tx *Tx) UnknownUsers(want []int64) ([]int64, error) {
	return list(tx, scanID,
		`SELECT value FROM json_each(?) WHERE value NOT IN (SELECT id FROM users)`, ids(want))
}
