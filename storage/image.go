package storage

import (
	"time"

	"github.com/digital-asset-library/dal/app/dam"
)

const presetColumns = `id, name, transform, created_at, updated_at`

func scanPreset(r row) (*dam.Preset, error) {
	var p dam.Preset
	var text string
	if err := wrap(r.Scan(&p.ID, &p.Name, &text, timeCol{&p.CreatedAt}, timeCol{&p.UpdatedAt}), "Preset"); err != nil {
		return nil, err
	}
	var err error
	p.Transform, err = dam.ParseTransform(text)
	return &p, err
}

// Presets returns presets by name, and their total number.
func (tx *Tx) Presets(p dam.Page) ([]*dam.Preset, int, error) {
	total, err := one[int](tx, "", `SELECT count(*) FROM presets`)
	if err != nil {
		return nil, 0, err
	}
	all, err := list(tx, scanPreset, `SELECT `+presetColumns+` FROM presets ORDER BY name LIMIT ? OFFSET ?`, p.Limit, p.Offset)
	return all, total, err
}

// Preset returns the preset with an ID.
func (tx *Tx) Preset(id int64) (*dam.Preset, error) {
	return scanPreset(tx.tx.QueryRowContext(tx.ctx, `SELECT `+presetColumns+` FROM presets WHERE id = ?`, id))
}

// PresetNamed returns the preset with a name.
func (tx *Tx) PresetNamed(name string) (*dam.Preset, error) {
	return scanPreset(tx.tx.QueryRowContext(tx.ctx, `SELECT `+presetColumns+` FROM presets WHERE name = ?`, name))
}

// InsertPreset adds p and sets its ID. It returns Conflict if the name is taken.
func (tx *Tx) InsertPreset(p *dam.Preset) (err error) {
	p.CreatedAt, p.UpdatedAt = tx.now, tx.now
	p.ID, err = one[int64](tx, "A preset with that name",
		`INSERT INTO presets (name, transform, created_at, updated_at) VALUES (?1, ?2, ?3, ?3) RETURNING id`,
		p.Name, p.String(), msec(tx.now))
	return err
}

// UpdatePreset writes p. It returns Conflict if the name is taken.
func (tx *Tx) UpdatePreset(p *dam.Preset) error {
	p.UpdatedAt = tx.now
	return tx.must("Preset", `UPDATE presets SET name = ?, transform = ?, updated_at = ? WHERE id = ?`,
		p.Name, p.String(), msec(tx.now), p.ID)
}

// DeletePreset deletes a preset.
func (tx *Tx) DeletePreset(id int64) error {
	return tx.must("Preset", `DELETE FROM presets WHERE id = ?`, id)
}

// ImageKeys returns the keys that have not expired, the signing key first.
func (tx *Tx) ImageKeys() ([]dam.ImageKey, error) {
	return list(tx, func(r row) (k dam.ImageKey, err error) {
		return k, r.Scan(&k.ID, &k.Secret, timeCol{&k.CreatedAt}, optTimeCol{&k.ExpiresAt})
	}, `SELECT id, secret, created_at, expires_at FROM image_keys WHERE expires_at IS NULL OR expires_at > ?
		ORDER BY expires_at IS NULL DESC, id DESC`, msec(tx.now))
}

// RotateImageKey adds a new signing key. Signatures of the previous keys remain valid
// until a time.
func (tx *Tx) RotateImageKey(secret []byte, until time.Time) error {
	if _, err := tx.exec("", `UPDATE image_keys SET expires_at = min(coalesce(expires_at, ?1), ?1)`, msec(until)); err != nil {
		return err
	}
	if _, err := tx.exec("", `DELETE FROM image_keys WHERE expires_at <= ?`, msec(tx.now)); err != nil {
		return err
	}
	_, err := tx.exec("", `INSERT INTO image_keys (secret, created_at) VALUES (?, ?)`, secret, msec(tx.now))
	return err
}
