package storage

import "github.com/digital-asset-library/dal/app/dam"

// Logo returns the facts about the library's logo, without the image, or NotFound.
func (tx *Tx) Logo() (*dam.Logo, error) {
	var l dam.Logo
	err := tx.tx.QueryRowContext(tx.ctx, `SELECT sha256, width, height, updated_at FROM site_logo`).Scan(
		&l.SHA256, &l.Width, &l.Height, timeCol{&l.UpdatedAt})
	return &l, wrap(err, "Logo")
}

// LogoPNG returns the image of the library's logo.
func (tx *Tx) LogoPNG() (png []byte, err error) {
	return png, wrap(tx.tx.QueryRowContext(tx.ctx, `SELECT png FROM site_logo`).Scan(&png), "Logo")
}

// PutLogo sets the logo of the library.
func (tx *Tx) PutLogo(l *dam.Logo) error {
	l.UpdatedAt = tx.now
	_, err := tx.exec("Logo", `INSERT INTO site_logo (id, png, sha256, width, height, updated_at) VALUES (1,?,?,?,?,?)
		ON CONFLICT (id) DO UPDATE SET png = excluded.png, sha256 = excluded.sha256, width = excluded.width, height = excluded.height,
			updated_at = excluded.updated_at`, l.PNG, l.SHA256, l.Width, l.Height, msec(tx.now))
	return err
}

// DeleteLogo removes the logo of the library, if it has one.
func (tx *Tx) DeleteLogo() error {
	_, err := tx.exec("Logo", `DELETE FROM site_logo`)
	return err
}

// CountLogoMarks returns the number of active shares that use the logo as their
// watermark.
func (tx *Tx) CountLogoMarks() (int, error) {
	return one[int](tx, "", `SELECT count(*) FROM shares WHERE watermark ->> '$.Logo' = 1 AND revoked_at IS NULL
		AND (expires_at IS NULL OR expires_at > ?)`, msec(tx.now))
}
