package storage

import "github.com/digital-asset-library/dal/app/dam"

// Recognized returns the text recognized in the current file of an asset, nil for none.
func (tx *Tx) Recognized(a *dam.Asset) (*dam.Recognized, error) {
	r := &dam.Recognized{}
	err := wrap(tx.tx.QueryRowContext(tx.ctx, `SELECT words FROM recognized WHERE asset_id = ? AND sha256 = ?`, a.ID, a.SHA256).
		Scan(jsonCol{r}), "Words")
	if dam.KindOf(err) == dam.NotFound {
		return nil, nil
	}
	return r, err
}

// PutRecognized stores the text recognized in an asset's file. Without any text, it
// stores nothing.
func (tx *Tx) PutRecognized(a *dam.Asset, r *dam.Recognized) error {
	if _, err := tx.exec("Words", `DELETE FROM recognizing WHERE asset_id = ?`, a.ID); err != nil {
		return err
	}
	if len(r.Pages) == 0 {
		_, err := tx.exec("Words", `DELETE FROM recognized WHERE asset_id = ?`, a.ID)
		return err
	}
	_, err := tx.exec("Words", `INSERT INTO recognized (asset_id, sha256, words) VALUES (?,?,?)
		ON CONFLICT (asset_id) DO UPDATE SET sha256 = excluded.sha256, words = excluded.words`, a.ID, a.SHA256, jsonCol{r})
	return err
}

// Recognizing returns the text that a version has recognized so far in the current file
// of an asset, and the page to resume at; nil for none.
func (tx *Tx) Recognizing(a *dam.Asset, version string) (page int, r *dam.Recognized, err error) {
	r = &dam.Recognized{}
	err = wrap(tx.tx.QueryRowContext(tx.ctx, `SELECT page, words FROM recognizing WHERE asset_id = ? AND sha256 = ? AND version = ?`,
		a.ID, a.SHA256, version).Scan(&page, jsonCol{r}), "Words")
	if dam.KindOf(err) == dam.NotFound {
		return 0, nil, nil
	}
	return page, r, err
}

// PutRecognizing stores the text that a version has recognized in an asset's file before
// a page, until PutRecognized.
func (tx *Tx) PutRecognizing(a *dam.Asset, version string, page int, r *dam.Recognized) error {
	_, err := tx.exec("Words", `INSERT INTO recognizing (asset_id, sha256, version, page, words)
		SELECT id, ?, ?, ?, ? FROM assets WHERE id = ?
		ON CONFLICT (asset_id) DO UPDATE SET sha256 = excluded.sha256, version = excluded.version, page = excluded.page,
			words = excluded.words`, a.SHA256, version, page, jsonCol{r}, a.ID)
	return err
}
