package schema

import (
	"cmp"
	"context"

	"github.com/digital-asset-library/dal/app/access"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

// Presets lists the presets by name, and their total number.
func (ds *Definitions) Presets(ctx context.Context, actor dam.Actor, p dam.Page) (all []*dam.Preset, total int, err error) {
	err = ds.Store.View(ctx, func(tx *storage.Tx) error {
		if err := access.MayReadAssets(actor); err != nil {
			return err
		}
		all, total, err = tx.Presets(p)
		return err
	})
	return all, total, err
}

// Preset returns the preset with an ID.
func (ds *Definitions) Preset(ctx context.Context, actor dam.Actor, id int64) (p *dam.Preset, err error) {
	err = ds.Store.View(ctx, func(tx *storage.Tx) error {
		if err := access.MayReadAssets(actor); err != nil {
			return err
		}
		p, err = tx.Preset(id)
		return err
	})
	return p, err
}

// CreatePreset adds a preset. It requires an admin.
func (ds *Definitions) CreatePreset(ctx context.Context, actor dam.Actor, p *dam.Preset) error {
	if err := access.MayPreset(actor); err != nil {
		return err
	}
	if err := p.Validate(); err != nil {
		return err
	}
	return ds.Store.Update(ctx, func(tx *storage.Tx) error {
		if _, total, err := tx.Presets(dam.Page{}); err != nil || total >= dam.MaxPresets {
			return cmp.Or[error](err, dam.Full(dam.MaxPresets, "presets"))
		}
		return dam.NameTaken(tx.InsertPreset(p))
	})
}

// UpdatePreset changes a preset. It requires an admin. Image URLs that were signed with it
// do not change.
func (ds *Definitions) UpdatePreset(ctx context.Context, actor dam.Actor, id int64, patch *dam.PresetPatch) (p *dam.Preset, err error) {
	if err := access.MayPreset(actor); err != nil {
		return nil, err
	}
	err = ds.Store.Update(ctx, func(tx *storage.Tx) error {
		if p, err = tx.Preset(id); err != nil {
			return err
		}
		before := *p
		if err := patch.Apply(p); err != nil || *p == before {
			return err
		}
		return dam.NameTaken(tx.UpdatePreset(p))
	})
	return p, err
}

// DeletePreset deletes a preset. It requires an admin.
func (ds *Definitions) DeletePreset(ctx context.Context, actor dam.Actor, id int64) error {
	if err := access.MayPreset(actor); err != nil {
		return err
	}
	return ds.Store.Update(ctx, func(tx *storage.Tx) error { return tx.DeletePreset(id) })
}
