package app

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

// A file in place may be edited by other programs, and its old bytes are gone by then. So
// what it says is recorded with its bytes: metadata that is still as the file said before
// follows the file, and what somebody has edited stays.

// maxSaid is how many bytes are recorded of what a file says; of one that says more, its
// properties of XMP are left out.
const maxSaid = 64 << 10

// setSaid records what a file in place says.
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

// saidBefore returns what setSaid has recorded, nil for nothing.
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

// renewal is what an asset that gets other content from its file in place has besides.
type renewal struct {
	parts    []*dam.Part
	sidecars []sidecarData
}

// renewalOf reads the sidecars of the asset that a file in place renews, nil for none.
func (g *ingest) renewalOf(ctx context.Context, f *dam.BatchFile) (*renewal, error) {
	var r *renewal
	err := g.store.View(ctx, func(tx *storage.Tx) error {
		asset, _, err := g.places.renews(tx, f)
		if err != nil || asset == nil {
			return err
		}
		r = &renewal{}
		r.parts, err = tx.PartsOf(asset.ID)
		return err
	})
	if _, ok := errors.AsType[*dam.FileError](err); ok { // admit says so
		return nil, nil
	}
	if err != nil || r == nil {
		return nil, err
	}
	for _, p := range r.parts {
		if p.Role != dam.PartSidecar {
			continue
		}
		data, err := g.readSidecar(ctx, p.SHA256, p.Size)
		if err != nil {
			return nil, err
		}
		r.sidecars = append(r.sidecars, sidecarData{p.Filename, data})
	}
	return r, nil
}

// follow makes an asset say what its file says by now, with its sidecars, except for what
// somebody has edited. If it is not known what the file said before, only empty fields are
// filled.
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

// current reports an error if the asset has other parts than were read.
func (r *renewal) current(tx *storage.Tx, asset *dam.Asset) error {
	parts, err := tx.PartsOf(asset.ID)
	if err == nil && (r == nil || !slices.EqualFunc(parts, r.parts, func(a, b *dam.Part) bool { return a.ID == b.ID })) {
		err = &job.Later{After: sidecarAgain, Err: errMeanwhile}
	}
	return err
}
