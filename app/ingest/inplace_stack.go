package ingest

import (
	"errors"
	"slices"

	assets "github.com/digital-asset-library/dal/app/asset"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/media"
	"github.com/digital-asset-library/dal/storage"
)

// In external libraries, too, the files of one photo are one asset: they are in one folder
// and have the same name. All of them are linked with the asset; their checksums tell its
// own file from its parts. A part whose file is missing is kept, and linked again when the
// file is back.

// stackInPlace is stack for a file in an external library: it belongs to the asset of a
// file beside it, or is the new content of an existing part.
func (g *Ingester) stackInPlace(tx *storage.Tx, f *dam.BatchFile, b *dam.Batch, m *media.Result, at *dam.RootFile) (bool, error) {
	renewed, _, err := g.renews(tx, f)
	if _, ok := errors.AsType[*dam.FileError](err); ok || renewed != nil { // admit handles these
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if done, err := g.renewPart(tx, f, b, m, at); err != nil || done {
		return done, err
	}
	files, err := tx.NamesakesIn(at.RootID, at.Folder, stemOf(at.Name))
	if err != nil {
		return false, err
	}
	for _, other := range files {
		if other.ID == at.ID || other.AssetID == 0 || other.State != dam.RootFilePresent || other.Kind != dam.RootFileOriginal ||
			dam.Stem("", other.Name) != dam.Stem("", at.Name) {
			continue
		}
		asset, err := assetInPlace(tx, other.AssetID)
		if err != nil {
			return false, err
		}
		if asset == nil || asset.SHA256 != other.SHA256 || asset.CreatedByID != b.CreatedByID {
			continue
		}
		if done, err := g.stackOn(tx, asset, f, b, m); err != nil || done {
			return done, err
		}
	}
	return false, nil
}

// assetInPlace returns an asset outside the trash whose own file exists only in an external
// library, nil for none.
func assetInPlace(tx *storage.Tx, id int64) (*dam.Asset, error) {
	list, err := tx.AssetsByID([]int64{id})
	if err != nil || len(list) == 0 || list[0].DeletedAt != nil {
		return nil, err
	}
	placed, err := tx.IsPlaced(list[0].SHA256)
	if err != nil || !placed {
		return nil, err
	}
	return list[0], nil
}

// renewPart replaces the content of a part by that of its changed file in an external
// library.
func (g *Ingester) renewPart(tx *storage.Tx, f *dam.BatchFile, b *dam.Batch, m *media.Result, at *dam.RootFile) (done bool, err error) {
	if at.AssetID == 0 {
		return false, nil
	}
	part, err := lostPart(tx, at.AssetID, at)
	if err != nil || part == nil {
		return false, err
	}
	list, err := tx.AssetsByID([]int64{at.AssetID})
	if err != nil || len(list) == 0 {
		return false, err
	}
	asset := list[0]
	if role, whole := stackRole(asset.MIMEType, m.Type.MIME); role != part.Role || whole || asset.DeletedAt != nil {
		return false, nil
	}
	u, err := tx.User(b.CreatedByID)
	if err != nil {
		return false, err
	}
	if err := tx.DeletePart(asset.ID, part.ID); err != nil {
		return false, err
	}
	if err := tx.InsertPart(asset.ID, partOf(part.Role, f, m)); err != nil {
		return false, err
	}
	changed := partChange(part.Role, part.Filename, f.Filename)
	if err := assets.PutAsset(tx, dam.Actor{User: u}, asset, asset, dam.AssetUpdated, 0, changed); err != nil {
		return false, err
	}
	if err := g.forgetPart(tx, asset.ID, part.SHA256); err != nil {
		return false, err
	}
	tx.OnCommit(g.Index.Changed)
	f.GAID = asset.GAID
	return true, g.endFile(tx, f, dam.FileReady, nil)
}

// lostPart returns the part of an asset that a file in an external library was before its
// content changed. It returns nil if it was no part, or if the part's content still exists
// somewhere.
func lostPart(tx *storage.Tx, asset int64, at *dam.RootFile) (*dam.Part, error) {
	parts, err := placedParts(tx, asset)
	if err != nil {
		return nil, err
	}
	for _, p := range parts {
		if p.Filename != dam.CleanFilename(at.Name) {
			continue
		}
		files, err := tx.PlacesOf(p.SHA256)
		if err != nil || !slices.ContainsFunc(files, func(f *dam.RootFile) bool { return f.State == dam.RootFilePresent }) {
			return p, err
		}
	}
	return nil, nil
}

// placedParts returns the parts of an asset whose content exists only in external
// libraries.
func placedParts(tx *storage.Tx, asset int64) (list []*dam.Part, err error) {
	parts, err := tx.PartsOf(asset)
	if err != nil {
		return nil, err
	}
	for _, p := range parts {
		if p.Role == dam.PartSidecar {
			continue
		}
		placed, err := tx.IsPlaced(p.SHA256)
		if err != nil {
			return nil, err
		}
		if placed {
			list = append(list, p)
		}
	}
	return list, nil
}

// DropLost removes a part from an asset after its file was replaced by something else.
func (g *Ingester) DropLost(tx *storage.Tx, actor dam.Actor, id int64, at *dam.RootFile) error {
	part, err := lostPart(tx, id, at)
	if err != nil || part == nil {
		return err
	}
	list, err := tx.AssetsByID([]int64{id})
	if err != nil || len(list) == 0 {
		return err
	}
	if err := takePart(tx, actor, list[0], part); err != nil {
		return err
	}
	return g.forgetPart(tx, id, part.SHA256)
}

// forgetPart forgets the content of a former part of an asset, and its locations.
func (g *Ingester) forgetPart(tx *storage.Tx, asset int64, sha string) error {
	files, err := tx.PlacesOf(sha)
	if err != nil {
		return err
	}
	for _, f := range files {
		if f.AssetID == asset && f.State == dam.RootFileMissing {
			if err := tx.DeleteRootFile(f.ID); err != nil {
				return err
			}
		}
	}
	return g.Originals.Release(tx, sha)
}

// partInPlace returns the file of an asset's part in an external library, nil for none.
func partInPlace(tx *storage.Tx, asset int64, p *dam.Part) (*dam.RootFile, error) {
	files, err := tx.PlacesOf(p.SHA256)
	for _, f := range files {
		if f.AssetID == asset && f.State == dam.RootFilePresent {
			return f, err
		}
	}
	return nil, err
}

// nameParts renames the parts of an asset to match their files in external libraries.
func nameParts(tx *storage.Tx, asset int64) error {
	parts, err := placedParts(tx, asset)
	if err != nil {
		return err
	}
	for _, p := range parts {
		files, err := tx.PlacesOf(p.SHA256)
		if err != nil {
			return err
		}
		files = slices.DeleteFunc(files, func(f *dam.RootFile) bool { return f.AssetID != asset || f.State != dam.RootFilePresent })
		if len(files) == 0 || slices.ContainsFunc(files, func(f *dam.RootFile) bool { return dam.CleanFilename(f.Name) == p.Filename }) {
			continue
		}
		if err := tx.RenamePart(p.ID, dam.CleanFilename(files[0].Name)); err != nil {
			return err
		}
	}
	return nil
}

// detached links the files of a former part in external libraries with the asset that it
// has become.
func (g *Ingester) detached(tx *storage.Tx, sha string, from, to int64, m *media.Result) error {
	if placed, err := tx.IsPlaced(sha); err != nil || !placed {
		return err
	}
	files, err := tx.PlacesOf(sha)
	if err != nil {
		return err
	}
	for _, f := range files {
		if f.AssetID != from {
			continue
		}
		f.AssetID = to
		if err := tx.PutRootFile(f); err != nil {
			return err
		}
		if err := g.lookBeside(tx, f); err != nil {
			return err
		}
	}
	if err := setSaid(tx, sha, &m.Facts); err != nil {
		return err
	}
	return g.Relocate(tx, []int64{from, to}, false)
}
