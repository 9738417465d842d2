package ingest

import (
	"context"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/media"
	"github.com/digital-asset-library/dal/storage"
)

// peopleChunk is the number of files per turn in which people are looked for.
const peopleChunk = 20

// foundPeople are the people found for a turn in the files of assets without any.
type foundPeople struct {
	upTo  int64 // the last asset ID that was looked at; 0 for none
	found []peopleOf
}

// peopleOf are the people in the picture of an asset.
type peopleOf struct {
	asset *dam.Asset
	file  []string // those that the file names
	all   []string // those of the file and its sidecars
}

// FillPeople reads the people in some of the pictures that older versions have ingested, and
// returns the commit that adds them.
func (g *Ingester) FillPeople(ctx context.Context) (func(*storage.Tx) error, error) {
	p, err := g.findPeople(ctx)
	return func(tx *storage.Tx) error { return g.addPeople(tx, p) }, err
}

// findPeople returns the people in the next marked pictures.
func (g *Ingester) findPeople(ctx context.Context) (p foundPeople, err error) {
	var assets []*dam.Asset
	parts := map[int64][]*dam.Part{}
	err = g.Store.View(ctx, func(tx *storage.Tx) error {
		marked, err := tx.ToReadPeople(peopleChunk)
		if err != nil || len(marked) == 0 {
			return err
		}
		p.upTo = marked[len(marked)-1]
		without, err := tx.WithoutPeople(marked)
		if err == nil {
			assets, err = tx.AssetsByID(without)
		}
		for _, a := range assets {
			if parts[a.ID], err = tx.PartsOf(a.ID); err != nil {
				return err
			}
		}
		return err
	})
	if err != nil {
		return p, err
	}
	for _, a := range assets {
		file, all, err := g.says(ctx, a, parts[a.ID])
		if ctx.Err() != nil {
			return p, ctx.Err()
		}
		if err != nil { // a file that cannot be read now names nobody; opening it has recorded why
			continue
		}
		if names := saidBy(a, all).People; len(names) > 0 {
			p.found = append(p.found, peopleOf{a, file.People, names})
		}
	}
	return p, nil
}

// addPeople adds the people that were found to the assets that still have the same file and
// no people.
func (g *Ingester) addPeople(tx *storage.Tx, p foundPeople) error {
	if p.upTo == 0 {
		return nil
	}
	for _, of := range p.found {
		without, err := tx.WithoutPeople([]int64{of.asset.ID})
		if err != nil {
			return err
		}
		now, err := tx.AssetsByID(without)
		if err != nil {
			return err
		}
		if len(now) == 0 || now[0].SHA256 != of.asset.SHA256 {
			continue
		}
		tx.OnCommit(g.Index.Changed)
		if err := tx.AddPeople(of.asset.ID, of.all); err != nil {
			return err
		}
		// A later change of a file in an external library is compared with these.
		said, err := saidBefore(tx, of.asset.SHA256)
		if err == nil && said != nil {
			said.People = of.file
			err = setSaid(tx, of.asset.SHA256, said)
		}
		if err != nil {
			return err
		}
	}
	return tx.PeopleRead(p.upTo)
}

// says reads the metadata of an asset's file, alone and combined with its sidecars.
func (g *Ingester) says(ctx context.Context, asset *dam.Asset, parts []*dam.Part) (file, all *media.Facts, err error) {
	if file, err = g.fileSays(ctx, asset); err != nil {
		return nil, nil, err
	}
	sidecars, err := g.readSidecars(ctx, parts)
	if err != nil {
		return nil, nil, err
	}
	u, err := unite(file, nil, sidecars)
	if err != nil {
		return nil, nil, err
	}
	return file, &u.after, nil
}
