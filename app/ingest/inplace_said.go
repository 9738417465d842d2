package ingest

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/job"
	"github.com/digital-asset-library/dal/app/media"
	"github.com/digital-asset-library/dal/storage"
)

// Other programs may edit a file in an external library, which destroys its previous
// content. Its metadata is therefore recorded with its checksum: fields that still have
// the value previously read from the file are updated from the file, and fields that
// somebody has edited keep their value.

// maxSaid is the maximum number of bytes recorded of a file's metadata. If a file has
// more, its XMP properties are omitted.
const maxSaid = 64 << 10

// setSaid records the metadata of a file in an external library.
func setSaid(tx *storage.Tx, sha string, f *media.Facts) error {
	said := media.Facts{
		Title: f.Title, CaptureDate: f.CaptureDate, Creator: f.Creator, Copyright: f.Copyright, Description: f.Description,
		Keywords: f.Keywords, People: f.People, Rating: f.Rating, Location: f.Location, UsageTerms: f.UsageTerms, Properties: f.Properties,
	}
	data, err := json.Marshal(said)
	if err == nil && len(data) > maxSaid {
		said.Properties = nil
		data, err = json.Marshal(said)
	}
	if err != nil || len(data) > maxSaid {
		return err
	}
	return tx.SetSaid(sha, string(data))
}

// saidBefore returns the metadata recorded by setSaid, nil for none.
func saidBefore(tx *storage.Tx, sha string) (*media.Facts, error) {
	text, err := tx.Said(sha)
	if err != nil || text == "" {
		return nil, err
	}
	f := &media.Facts{}
	err = json.Unmarshal([]byte(text), f)
	f.Technical = map[string]any{} // a sidecar adds to it
	return f, err
}

// renewalOf reads the sidecars of the asset whose content a file in an external library
// replaces, and returns nil if the file replaces none.
func (g *Ingester) renewalOf(ctx context.Context, f *dam.BatchFile) (*renewal, error) {
	var r *renewal
	err := g.Store.View(ctx, func(tx *storage.Tx) error {
		asset, _, err := g.renews(tx, f)
		if err != nil || asset == nil {
			return err
		}
		r = &renewal{}
		r.parts, err = tx.PartsOf(asset.ID)
		return err
	})
	if _, ok := errors.AsType[*dam.FileError](err); ok { // admit reports this
		return nil, nil
	}
	if err != nil || r == nil {
		return nil, err
	}
	if r.sidecars, err = g.readSidecars(ctx, r.parts); err != nil {
		return nil, err
	}
	return r, nil
}

// follow updates the metadata of an asset from its file and sidecars, except for fields
// that somebody has edited. If the previous metadata of the file is unknown, it only fills
// empty fields.
func (r *renewal) follow(tx *storage.Tx, s *dam.Schema, asset *dam.Asset, old string, m *media.Result) error {
	said, err := saidBefore(tx, old)
	if err != nil || said == nil {
		fillIn(asset, m)
		return err
	}
	u, err := unite(&m.Facts, nil, r.sidecars)
	if err != nil {
		return err
	}
	u.before = *said
	if len(r.sidecars) > 0 {
		if u.before, err = with(said, r.sidecars[0].data); err != nil {
			return err
		}
	}
	return u.apply(tx, s, asset)
}

// current returns an error if the parts of the asset have changed since they were read.
func (r *renewal) current(tx *storage.Tx, asset *dam.Asset) error {
	parts, err := tx.PartsOf(asset.ID)
	if err == nil && (r == nil || !slices.EqualFunc(parts, r.parts, func(a, b *dam.Part) bool { return a.ID == b.ID })) {
		err = &job.Later{After: sidecarAgain, Err: errMeanwhile}
	}
	return err
}
