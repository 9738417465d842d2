package storage

import (
	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"github.com/digital-asset-library/dal/app/dam"
)

const savedSearchColumns = `id, user_id, name, query, created_at, updated_at`

func scanSavedSearch(r row) (*dam.SavedSearch, error) {
	var s dam.SavedSearch
	err := r.Scan(&s.ID, &s.UserID, &s.Name, jsonCol{&s.Query}, timeCol{&s.CreatedAt}, timeCol{&s.UpdatedAt})
	return &s, wrap(err, "Saved search")
}

// nameKey returns the key by which names are compared and sorted, ignoring case and
// composition (canonical caseless matching, section 3.13 of Unicode). SQLite's NOCASE
// covers ASCII only.
func nameKey(name string) string {
	return norm.NFD.String(cases.Fold().String(norm.NFD.String(name)))
}

// InsertSavedSearch adds s and sets its ID. It returns Conflict if its user has a search
// with that name.
func (tx *Tx) InsertSavedSearch(s *dam.SavedSearch) error {
	query, err := jsonText(s.Query)
	if err != nil {
		return err
	}
	s.CreatedAt, s.UpdatedAt = tx.now, tx.now
	s.ID, err = one[int64](tx, "A saved search with that name", `INSERT INTO saved_searches
		(user_id, name, name_key, query, created_at, updated_at) VALUES (?1, ?2, ?3, ?4, ?5, ?5) RETURNING id`,
		s.UserID, s.Name, nameKey(s.Name), query, msec(tx.now))
	return err
}

// SavedSearch returns a saved search of a user.
func (tx *Tx) SavedSearch(user, id int64) (*dam.SavedSearch, error) {
	return scanSavedSearch(tx.tx.QueryRowContext(tx.ctx,
		`SELECT `+savedSearchColumns+` FROM saved_searches WHERE id = ? AND user_id = ?`, id, user))
}

// SavedSearches returns the saved searches of a user by name, and their total number.
func (tx *Tx) SavedSearches(user int64, p dam.Page) ([]*dam.SavedSearch, int, error) {
	total, err := tx.CountSavedSearches(user)
	if err != nil {
		return nil, 0, err
	}
	searches, err := list(tx, scanSavedSearch, `SELECT `+savedSearchColumns+` FROM saved_searches WHERE user_id = ?
		ORDER BY name_key, id LIMIT ? OFFSET ?`, user, p.Limit, p.Offset)
	return searches, total, err
}

// CountSavedSearches returns the number of searches that a user has saved.
func (tx *Tx) CountSavedSearches(user int64) (int, error) {
	return one[int](tx, "", `SELECT count(*) FROM saved_searches WHERE user_id = ?`, user)
}

// UpdateSavedSearch writes the name and the query of s and the time of the change. It
// returns Conflict if its user has another search with that name.
func (tx *Tx) UpdateSavedSearch(s *dam.SavedSearch) error {
	query, err := jsonText(s.Query)
	if err != nil {
		return err
	}
	s.UpdatedAt = tx.now
	return tx.must("Saved search", `UPDATE saved_searches SET name = ?, name_key = ?, query = ?, updated_at = ? WHERE id = ?`,
		s.Name, nameKey(s.Name), query, msec(tx.now), s.ID)
}

// DeleteSavedSearch deletes a saved search of a user.
func (tx *Tx) DeleteSavedSearch(user, id int64) error {
	return tx.must("Saved search", `DELETE FROM saved_searches WHERE id = ? AND user_id = ?`, id, user)
}

// SavedSearchNames calls yield for each saved search of a user, by name.
func (tx *Tx) SavedSearchNames(user int64, yield func(id int64, name string)) error {
	return tx.eachName(yield, `SELECT id, name FROM saved_searches WHERE user_id = ? ORDER BY name_key, id`, user)
}
