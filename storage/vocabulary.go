package storage

import (
	"github.com/digital-asset-library/dal/app/dam"
)

// Vocabularies returns all vocabularies without their terms.
func (tx *Tx) Vocabularies() ([]dam.Vocabulary, error) {
	return list(tx, func(r row) (v dam.Vocabulary, err error) {
		return v, r.Scan(&v.ID, &v.Key, &v.Name, &v.Description, &v.Version, timeCol{&v.CreatedAt}, timeCol{&v.UpdatedAt})
	}, `SELECT id, key, name, description, version, created_at, updated_at FROM vocabularies ORDER BY id`)
}

// Terms returns all terms of a vocabulary.
func (tx *Tx) Terms(vocabulary int64) ([]*dam.Term, error) {
	return list(tx, func(r row) (*dam.Term, error) {
		var t dam.Term
		return &t, r.Scan(&t.ID, &t.VocabularyID, &t.Key, &t.Label, refCol{&t.ParentID}, &t.Position, &t.IsActive)
	}, `SELECT id, vocabulary_id, key, label, parent_id, position, is_active FROM terms WHERE vocabulary_id = ? ORDER BY id`, vocabulary)
}

// CountTerms returns the number of terms in all vocabularies.
func (tx *Tx) CountTerms() (int, error) {
	return one[int](tx, "", `SELECT count(*) FROM terms`)
}

// InsertVocabulary adds v without terms and sets its ID. It returns Conflict if the key
// is taken.
func (tx *Tx) InsertVocabulary(v *dam.Vocabulary) (err error) {
	v.CreatedAt, v.UpdatedAt = tx.now, tx.now
	v.ID, err = one[int64](tx, "A vocabulary with that key", `INSERT INTO vocabularies
		(key, name, description, version, created_at, updated_at)
		VALUES (?1,?2,?3,0,?4,?4) RETURNING id`, v.Key, v.Name, v.Description, msec(tx.now))
	if err != nil {
		return err
	}
	return tx.definitionsChanged(v.ID)
}

// UpdateVocabulary writes the name and the description of v.
func (tx *Tx) UpdateVocabulary(v *dam.Vocabulary) error {
	if err := tx.must("Vocabulary", `UPDATE vocabularies SET name = ?, description = ? WHERE id = ?`,
		v.Name, v.Description, v.ID); err != nil {
		return err
	}
	return tx.definitionsChanged(v.ID)
}

// DeleteVocabulary deletes a vocabulary, which no field may use, with its terms.
func (tx *Tx) DeleteVocabulary(id int64) error {
	if err := tx.must("Vocabulary", `DELETE FROM vocabularies WHERE id = ?`, id); err != nil {
		return err
	}
	return tx.definitionsChanged(0)
}

// InsertTerm adds t and sets its ID. It returns Conflict if the key exists in its
// vocabulary.
func (tx *Tx) InsertTerm(t *dam.Term) (err error) {
	t.ID, err = one[int64](tx, "A term with that key", `INSERT INTO terms (vocabulary_id, key, label, parent_id, position, is_active)
		VALUES (?,?,?,?,?,?) RETURNING id`, t.VocabularyID, t.Key, t.Label, ref(t.ParentID), t.Position, t.IsActive)
	if err != nil {
		return err
	}
	return tx.definitionsChanged(t.VocabularyID)
}

// UpdateTerm writes all of t but its key and vocabulary.
func (tx *Tx) UpdateTerm(t *dam.Term) error {
	if err := tx.must("Term", `UPDATE terms SET label = ?, parent_id = ?, position = ?, is_active = ? WHERE id = ?`,
		t.Label, ref(t.ParentID), t.Position, t.IsActive, t.ID); err != nil {
		return err
	}
	return tx.definitionsChanged(t.VocabularyID)
}

// DeleteTerm deletes a term. Its children move to the top level.
func (tx *Tx) DeleteTerm(t *dam.Term) error {
	if err := tx.must("Term", `DELETE FROM terms WHERE id = ?`, t.ID); err != nil {
		return err
	}
	return tx.definitionsChanged(t.VocabularyID)
}

// AssetsWithTerms returns the assets that have any of the terms as a value of any of the
// fields.
func (tx *Tx) AssetsWithTerms(fields, terms []string) ([]int64, error) {
	return list(tx, scanID, `SELECT DISTINCT m.asset_id FROM asset_metadata m, json_each(m.value) v
		WHERE m.key IN (SELECT value FROM json_each(?)) AND v.value IN (SELECT value FROM json_each(?))
			ORDER BY m.asset_id`, texts(fields), texts(terms))
}

// countsByTerm reads rows of a term and a count.
func countsByTerm(tx *Tx, query string, args ...any) (map[string]int, error) {
	counts := map[string]int{}
	return counts, each(tx, func(r row) error {
		var term string
		var n int
		err := r.Scan(&term, &n)
		counts[term] = n
		return err
	}, query, args...)
}

// CountTermUse returns the number of assets that have each of the terms as a value of any
// of the fields; unused terms are omitted.
func (tx *Tx) CountTermUse(fields, terms []string) (map[string]int, error) {
	return countsByTerm(tx, `SELECT v.value, count(DISTINCT m.asset_id) FROM asset_metadata m, json_each(m.value) v
		WHERE m.key IN (SELECT value FROM json_each(?)) AND v.value IN (SELECT value FROM json_each(?))
			GROUP BY v.value`, texts(fields), texts(terms))
}

// OpenBatchTerms returns, by term, the number of upload batches that have not ended and
// set the term in any of the fields; unused terms are omitted.
func (tx *Tx) OpenBatchTerms(fields []string) (map[string]int, error) {
	return countsByTerm(tx, `SELECT v.value, count(DISTINCT b.id) FROM upload_batches b, json_each(b.metadata) m,
			json_each(iif(m.type = 'array', m.value, json_array(m.value))) v
		WHERE b.status IN ('open', 'processing') AND m.key IN (SELECT value FROM json_each(?)) AND v.type = 'text'
			GROUP BY v.value`, texts(fields))
}

// texts marshals texts for json_each.
func texts(list []string) string {
	if list == nil {
		return "[]"
	}
	s, _ := jsonText(list) // texts always marshal
	return s
}
