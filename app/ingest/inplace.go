package ingest

import (
	"slices"

	assets "github.com/digital-asset-library/dal/app/asset"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/media"
	"github.com/digital-asset-library/dal/storage"
)

// Relocate updates the recorded locations of assets in external libraries whose files
// have moved. With tell, webhooks are notified.
func (g *Ingester) Relocate(tx *storage.Tx, assets []int64, tell bool) error {
	slices.Sort(assets)
	assets = slices.Compact(assets)
	list, err := tx.AssetsByID(assets)
	if err != nil {
		return err
	}
	names := map[int64]string{}
	roots, err := tx.Roots()
	if err != nil {
		return err
	}
	for _, r := range roots {
		names[r.ID] = r.Name
	}
	var moved []int64
	for _, asset := range list {
		if err := nameParts(tx, asset.ID); err != nil {
			return err
		}
		root, folder, name, err := whereIs(tx, asset, names)
		if err != nil {
			return err
		}
		if root == asset.RootID && folder == asset.Folder && name == asset.OriginalFilename {
			continue
		}
		asset.RootID, asset.Folder, asset.OriginalFilename = root, folder, name
		if err := tx.SetPlace(asset); err != nil {
			return err
		}
		moved = append(moved, asset.ID)
	}
	tx.OnCommit(g.Index.Changed)
	if tell {
		return g.Followups.Touched(tx, moved)
	}
	return tx.Reappeared(moved)
}

// whereIs returns the external library and folder that contain the file of an asset,
// and its name there. It prefers the recorded location, then any other. A missing
// file keeps its location, so that users see where it was, unless the library has
// stored the content, whose name it keeps anyway.
func whereIs(tx *storage.Tx, asset *dam.Asset, names map[int64]string) (root int64, folder, name string, err error) {
	name = asset.OriginalFilename
	placed, err := tx.IsPlaced(asset.SHA256)
	if err != nil {
		return 0, "", "", err
	}
	best, err := bestPlace(tx, asset, names)
	switch {
	case err != nil:
		return 0, "", "", err
	case best != nil && placed:
		name = dam.CleanFilename(best.Name)
		fallthrough
	case best != nil:
		return best.RootID, dam.FolderOf(names[best.RootID], best.Folder), name, nil
	case placed:
		return asset.RootID, asset.Folder, name, nil
	}
	return 0, "", name, nil
}

// bestPlace returns the file that represents the location of an asset, nil for none.
func bestPlace(tx *storage.Tx, asset *dam.Asset, names map[int64]string) (best *dam.RootFile, err error) {
	files, err := tx.PlacesOfAsset(asset.ID)
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		if f.State != dam.RootFilePresent || f.SHA256 != asset.SHA256 || names[f.RootID] == "" {
			continue
		}
		here := f.RootID == asset.RootID && dam.FolderOf(names[f.RootID], f.Folder) == asset.Folder
		if best == nil || here {
			best = f
		}
		if here && dam.CleanFilename(f.Name) == asset.OriginalFilename {
			break
		}
	}
	return best, nil
}

// locate sets the location of a new asset whose file is in an external library.
func (g *Ingester) locate(tx *storage.Tx, asset *dam.Asset, at *dam.RootFile) error {
	if at == nil {
		return nil
	}
	root, err := tx.Root(at.RootID)
	if err != nil {
		return err
	}
	asset.RootID, asset.Folder = root.ID, dam.FolderOf(root.Name, at.Folder)
	return nil
}

// placed ends the ingestion of a file in an external library, if f is one: the result
// is linked with every file of external libraries that has this content.
func (g *Ingester) placed(tx *storage.Tx, f *dam.BatchFile, sha string) error {
	at, err := tx.PlaceOfFile(f.ID)
	if dam.KindOf(err) == dam.NotFound {
		return nil
	}
	if err != nil {
		return err
	}
	if f.GAID == "" {
		at.Problem = f.Error.Message
		if f.SHA256 == "" { // it will not be retried
			at.FileID = 0
		}
		var assets []int64
		if at.AssetID != 0 {
			assets = []int64{at.AssetID}
		}
		if err := tx.PutRootFile(at); err != nil {
			return err
		}
		tx.OnCommit(g.Index.Changed)
		return tx.Reappeared(assets)
	}
	asset, err := tx.Asset(f.GAID)
	if err != nil {
		return err
	}
	files, err := tx.PlacesOf(sha)
	if err != nil {
		return err
	}
	assets := []int64{asset.ID}
	for _, file := range files {
		if file.ID != at.ID && (file.AssetID != 0 || file.Excluded) {
			continue
		}
		if file.AssetID != 0 {
			assets = append(assets, file.AssetID)
		}
		file.AssetID, file.FileID, file.Problem = asset.ID, 0, ""
		if err := tx.PutRootFile(file); err != nil {
			return err
		}
		if err := g.lookBeside(tx, file); err != nil {
			return err
		}
	}
	if at.AssetID != 0 && at.AssetID != asset.ID {
		u, err := tx.User(asset.CreatedByID)
		if err != nil {
			return err
		}
		if err := g.DropLost(tx, dam.Actor{User: u}, at.AssetID, at); err != nil {
			return err
		}
	}
	if err := g.Relocate(tx, assets, false); err != nil {
		return err
	}
	return tx.Reappeared(assets)
}

// renews returns the asset whose content a file in an external library replaces, nil
// for none: the asset of a changed file, unless its previous content still exists
// somewhere. It returns a *dam.FileError if the batch file no longer belongs to a
// file in an external library.
func (g *Ingester) renews(tx *storage.Tx, f *dam.BatchFile) (*dam.Asset, *dam.RootFile, error) {
	at, err := tx.PlaceOfFile(f.ID)
	if dam.KindOf(err) == dam.NotFound {
		placed, err := tx.IsPlaced(f.SHA256)
		if err == nil && placed {
			var here []*dam.RootFile
			if here, err = tx.PlacesOf(f.SHA256); err == nil && len(here) == 0 {
				err = movedOn()
			}
		}
		return nil, nil, err
	}
	if err != nil || at.AssetID == 0 {
		return nil, at, err
	}
	list, err := tx.AssetsByID([]int64{at.AssetID})
	if err != nil || len(list) == 0 {
		return nil, at, err
	}
	asset := list[0]
	if placed, err := tx.IsPlaced(asset.SHA256); err != nil || !placed {
		return nil, at, err // the library has stored the previous content
	}
	if part, err := lostPart(tx, asset.ID, at); err != nil || part != nil {
		return nil, at, err // it was a part
	}
	files, err := tx.PlacesOfAsset(asset.ID)
	if err != nil {
		return nil, at, err
	}
	for _, other := range files {
		if other.ID != at.ID && other.State == dam.RootFilePresent && other.SHA256 == asset.SHA256 {
			return nil, at, nil // the previous content still exists
		}
	}
	return asset, at, nil
}

// renew replaces the content of an asset by that of a changed file in an external
// library. Metadata that nobody has edited is updated from the file.
func (g *Ingester) renew(tx *storage.Tx, asset *dam.Asset, f *dam.BatchFile, b *dam.Batch, m *media.Result, beside *renewal) error {
	if err := beside.current(tx, asset); err != nil {
		return err
	}
	owner, err := tx.User(b.CreatedByID)
	if err != nil {
		return err
	}
	schema, err := g.Schemas.In(tx)
	if err != nil {
		return err
	}
	before := *asset
	old, shown := asset.SHA256, asset.Shown()
	v := fileOf(f, m)
	v.Number, v.CreatedAt = asset.FileVersion+1, tx.Now()
	asset.SetFile(v)
	asset.FileCategory = m.Type.Category
	if err := beside.follow(tx, schema, asset, old, m); err != nil {
		return err
	}
	asset.Clamp()
	if err := setSaid(tx, asset.SHA256, &m.Facts); err != nil {
		return err
	}
	if err := g.keepPoster(tx, asset, shown); err != nil {
		return err
	}
	if err := tx.SetFile(asset); err != nil {
		return err
	}
	change := dam.HistoryChange{Field: "file_version", From: float64(before.FileVersion), To: float64(v.Number)}
	if err := assets.PutAsset(tx, dam.Actor{User: owner}, &before, asset, dam.AssetUpdated, 0, change); err != nil {
		return err
	}
	if err := g.lookAgain(tx, asset); err != nil {
		return err
	}
	if err := g.Jobs.AddNext(tx, dam.JobSidecar, asset.ID); err != nil { // the sidecar overrides the file
		return err
	}
	if err := g.Originals.Release(tx, old); err != nil {
		return err
	}
	tx.OnCommit(g.Index.Changed)
	f.GAID = asset.GAID
	return g.endFile(tx, f, dam.FileReady, nil)
}

// keepPoster keeps the poster of an asset with new content, unless assets of its new
// type have none.
func (g *Ingester) keepPoster(tx *storage.Tx, asset *dam.Asset, shown dam.Shown) error {
	poster, err := tx.Poster(asset.ID)
	if dam.KindOf(err) == dam.NotFound {
		return nil
	}
	if err != nil {
		return err
	}
	if err := tx.DeletePoster(asset.ID); err != nil {
		return err
	}
	if !asset.HasPoster() {
		return g.Originals.Release(tx, poster.SHA256)
	}
	poster.Own = asset.Shown()
	asset.Show(shown)
	return tx.PutPoster(asset.ID, poster)
}
