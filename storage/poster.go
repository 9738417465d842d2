package storage

import "github.com/digital-asset-library/dal/app/dam"

// Poster returns the poster of an asset, or NotFound.
func (tx *Tx) Poster(asset int64) (*dam.Poster, error) {
	p := &dam.Poster{}
	own := &p.Own
	return p, wrap(tx.tx.QueryRowContext(tx.ctx, `SELECT p.sha256, b.size, p.extension, p.own_thumbhash, p.own_phash, p.own_colors,
			p.own_preview, p.own_no_preview
		FROM posters p JOIN blobs b ON b.sha256 = p.sha256 WHERE p.asset_id = ?`, asset).Scan(
		&p.SHA256, &p.Size, &p.Extension, &own.ThumbHash, (*hashCol)(&own.PHash), jsonCol{&own.Colors}, &own.Preview, &own.NoPreview), "Poster")
}

// PutPoster sets the poster of an asset. The values in p.Own are written only with the
// first one.
func (tx *Tx) PutPoster(asset int64, p *dam.Poster) error {
	_, err := tx.exec("Poster", `INSERT INTO posters (asset_id, sha256, extension, own_thumbhash, own_phash, own_colors, own_preview,
			own_no_preview) VALUES (?,?,?,?,?,?,?,?)
		ON CONFLICT (asset_id) DO UPDATE SET sha256 = excluded.sha256, extension = excluded.extension`,
		asset, p.SHA256, p.Extension, p.Own.ThumbHash, int64(p.Own.PHash), jsonCol{p.Own.Colors}, p.Own.Preview, p.Own.NoPreview)
	return err
}

// SetPosterOwn records the appearance of the file itself for an asset with a poster.
func (tx *Tx) SetPosterOwn(asset int64, own dam.Shown) error {
	return tx.must("Poster", `UPDATE posters SET own_thumbhash = ?, own_phash = ?, own_colors = ?, own_preview = ?, own_no_preview = ?
		WHERE asset_id = ?`, own.ThumbHash, int64(own.PHash), jsonCol{own.Colors}, own.Preview, own.NoPreview, asset)
}

// DeletePoster removes the poster of an asset.
func (tx *Tx) DeletePoster(asset int64) error {
	return tx.must("Poster", `DELETE FROM posters WHERE asset_id = ?`, asset)
}

// SetShown writes the facts about the preview of an asset that UpdateAsset does not
// write.
func (tx *Tx) SetShown(a *dam.Asset) error {
	return tx.must("Asset", `UPDATE assets SET thumbhash = ?, phash = ? WHERE id = ?`, a.ThumbHash, int64(a.PHash), a.ID)
}
