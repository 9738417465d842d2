package storage

import "github.com/digital-asset-library/dal/app/dam"

// PlaceTerms writes the positions of a vocabulary's terms and their common parent, 0 for
// the top.
func (tx *Tx) PlaceTerms(vocabulary, parent int64, places []dam.Place[int64]) error {
	text, err := jsonText(places)
	if err != nil {
		return err
	}
	if _, err := tx.exec("Term", `UPDATE terms SET position = p.value->>'Position', parent_id = nullif(?1, 0)
		FROM json_each(?2) p WHERE terms.id = p.value->>'Key' AND terms.vocabulary_id = ?3`, parent, text, vocabulary); err != nil {
		return err
	}
	return tx.definitionsChanged(vocabulary)
}

// PlaceFields writes the positions of custom fields.
func (tx *Tx) PlaceFields(places []dam.Place[string]) error {
	text, err := jsonText(places)
	if err != nil {
		return err
	}
	if _, err := tx.exec("Metadata field", `UPDATE metadata_fields SET position = p.value->>'Position', updated_at = ?1
		FROM json_each(?2) p WHERE metadata_fields.key = p.value->>'Key'`, msec(tx.now), text); err != nil {
		return err
	}
	return tx.definitionsChanged(0)
}
