package ingest

import (
	"slices"
	"strings"

	"github.com/digital-asset-library/dal/app/access"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/media"
	"github.com/digital-asset-library/dal/storage"
)

// Sidecars in external libraries are read beside their files. A copy of each effective
// sidecar is a part of the asset, so that its metadata is still known when the sidecar
// changes or disappears. An effective sidecar is linked with its asset, and has the
// checksum of its copy; if it has no checksum, it has not been read since it changed. A
// linked sidecar that is missing is forgotten once its metadata has been removed from the
// asset.

// stemOf returns a name without its extension.
func stemOf(name string) string {
	if i := strings.LastIndexByte(name, '.'); i > 0 {
		return name[:i]
	}
	return name
}

// unclearSidecar is the problem of a sidecar that could belong to several assets.
const unclearSidecar = "Several files have this name, so it is not clear which one the sidecar is about. Name it as its file with .xmp " +
	"behind, such as a.jpg.xmp."

// ownerIn returns the file that a sidecar belongs to, nil if none matches or several do.
// files are the files in the folder whose names may match. If the sidecar could belong to
// several assets, ownerIn also returns a file of one of them.
func ownerIn(sidecar *dam.RootFile, files []*dam.RootFile) (owner, oneOf *dam.RootFile) {
	var names []string
	var at []*dam.RootFile
	for _, f := range files {
		taken := f.AssetID != 0 || f.FileID != 0
		if f.Kind == dam.RootFileOriginal && f.State == dam.RootFilePresent && taken && !f.Excluded && (f.Problem == "" || f.Unreadable) {
			names, at = append(names, f.Name), append(at, f)
		}
	}
	for _, i := range media.SidecarOf(sidecar.Name, names) {
		switch {
		case at[i].AssetID == 0 && owner != nil, owner != nil && owner.AssetID == 0: // they may be of one photo
			return nil, nil
		case owner != nil && owner.AssetID != at[i].AssetID:
			oneOf = owner
		case owner == nil:
			owner = at[i]
		}
	}
	if oneOf != nil {
		return nil, oneOf
	}
	return owner, nil
}

// ownerOf returns the row ID of the asset that a sidecar belongs to, 0 for none: the asset
// of the file that ownerIn returns, provided that the file represents the asset's location.
func ownerOf(tx *storage.Tx, sidecar *dam.RootFile, files []*dam.RootFile, names map[int64]string) (int64, error) {
	owner, _ := ownerIn(sidecar, files)
	if owner == nil || owner.AssetID == 0 || owner.AssetID == sidecar.AssetID {
		return assetOf(owner), nil
	}
	list, err := tx.AssetsByID([]int64{owner.AssetID})
	if err != nil || len(list) == 0 || list[0].DeletedAt != nil {
		return 0, err
	}
	best, err := bestPlace(tx, list[0], names)
	if err != nil || best == nil || best.Folder != owner.Folder || best.RootID != owner.RootID {
		return 0, err
	}
	return owner.AssetID, nil
}

func assetOf(f *dam.RootFile) int64 {
	if f == nil {
		return 0
	}
	return f.AssetID
}

// RootNames returns the names of all external libraries.
func RootNames(tx *storage.Tx) (map[int64]string, error) {
	roots, err := tx.Roots()
	names := map[int64]string{}
	for _, r := range roots {
		names[r.ID] = r.Name
	}
	return names, err
}

// lookBeside queues reading the sidecars that may belong to a file in an external library.
func (g *Ingester) lookBeside(tx *storage.Tx, f *dam.RootFile) error {
	files, err := tx.NamesakesIn(f.RootID, f.Folder, stemOf(f.Name))
	if err != nil {
		return err
	}
	for _, beside := range files {
		if beside.Kind != dam.RootFileSidecar || len(media.SidecarOf(beside.Name, []string{f.Name})) == 0 {
			continue
		}
		for _, asset := range []int64{f.AssetID, beside.AssetID} {
			if asset == 0 {
				continue
			}
			if err := g.Jobs.AddNext(tx, dam.JobSidecar, asset); err != nil {
				return err
			}
		}
	}
	return nil
}

// StaleSidecars records in want the assets whose sidecars in a folder must be read.
func StaleSidecars(tx *storage.Tx, files []*dam.RootFile, names map[int64]string, want map[int64]bool) error {
	called := map[string][]*dam.RootFile{}
	for _, f := range files {
		for _, name := range slices.Compact([]string{f.Name, stemOf(f.Name)}) {
			called[dam.NameKey(name)] = append(called[dam.NameKey(name)], f)
		}
	}
	for _, f := range files {
		if f.Kind != dam.RootFileSidecar {
			continue
		}
		if f.State != dam.RootFilePresent {
			want[f.AssetID] = f.AssetID != 0
			continue
		}
		namesakes := called[dam.NameKey(stemOf(f.Name))]
		owner, err := ownerOf(tx, f, namesakes, names)
		if err != nil {
			return err
		}
		_, unclear := ownerIn(f, namesakes)
		if unclear != nil && f.Problem == "" {
			want[unclear.AssetID] = true
		}
		unread := f.SHA256 == "" && (f.Problem == "" || f.Problem == unclearSidecar)
		if owner != f.AssetID && (unread || f.AssetID != 0) || owner != 0 && unread {
			for _, id := range []int64{owner, f.AssetID} {
				want[id] = true
			}
		}
	}
	delete(want, 0)
	return nil
}

// besides holds an asset and its sidecars in external libraries.
type besides struct {
	asset  *dam.Asset
	root   *dam.Root
	owner  *dam.User // of the library
	parts  []*dam.Part
	linked []*dam.RootFile // sidecars that are or were effective
	here   []*dam.RootFile // sidecars that belong to its file

	unclear []*dam.RootFile // sidecars that may belong to its file or to another one
}

// besidesOf returns the sidecars of an asset, nil if they require no work now.
func besidesOf(tx *storage.Tx, id int64) (*besides, error) {
	list, err := tx.AssetsByID([]int64{id})
	if err != nil || len(list) == 0 || list[0].DeletedAt != nil {
		return nil, err
	}
	b := &besides{asset: list[0]}
	if b.parts, err = tx.PartsOf(id); err != nil {
		return nil, err
	}
	if b.linked, err = tx.SidecarsOfAsset(id); err != nil {
		return nil, err
	}
	names, err := RootNames(tx)
	if err != nil {
		return nil, err
	}
	at, err := bestPlace(tx, b.asset, names)
	if err != nil {
		return nil, err
	}
	if at == nil {
		missing, err := tx.IsPlaced(b.asset.SHA256)
		if err != nil || missing || len(b.linked) == 0 {
			return nil, err
		}
		at = b.linked[0]
	}
	if b.root, err = tx.Root(at.RootID); err != nil || b.root.State == dam.RootOffline {
		return nil, err
	}
	if b.owner, err = tx.User(b.root.UserID); err != nil || !access.StillMay(b.owner, access.MayUpload) {
		return nil, err
	}
	return b, b.find(tx, at)
}

// find sets the sidecars that belong to the asset's file.
func (b *besides) find(tx *storage.Tx, at *dam.RootFile) error {
	if at.Kind == dam.RootFileSidecar { // the file is missing everywhere
		return nil
	}
	files, err := tx.NamesakesIn(at.RootID, at.Folder, stemOf(at.Name))
	if err != nil {
		return err
	}
	for _, f := range files {
		if f.Kind != dam.RootFileSidecar || f.State != dam.RootFilePresent {
			continue
		}
		owner, oneOf := ownerIn(f, files)
		if oneOf != nil && f.Problem == "" && (f.AssetID == 0 || f.AssetID == b.asset.ID) { // otherwise another asset must forget it first
			b.unclear = append(b.unclear, f)
		}
		namesake := slices.ContainsFunc(b.here, func(h *dam.RootFile) bool { return dam.SameName(h.Name, f.Name) })
		if !namesake && assetOf(owner) == b.asset.ID {
			b.here = append(b.here, f)
		}
	}
	return nil
}

// same reports whether everything that affects the sidecars is unchanged since they were
// read.
func (b *besides) same(now *besides) bool {
	if now == nil || now.asset.SHA256 != b.asset.SHA256 {
		return false
	}
	equal := func(x, y *dam.RootFile) bool { return *x == *y }
	return slices.EqualFunc(b.parts, now.parts, func(x, y *dam.Part) bool { return x.ID == y.ID }) &&
		slices.EqualFunc(b.linked, now.linked, equal) && slices.EqualFunc(b.here, now.here, equal) &&
		slices.EqualFunc(b.unclear, now.unclear, equal)
}

// idle reports whether no work is required: no sidecars are in external libraries, and the
// asset accounts for all others.
func (b *besides) idle() bool {
	has := slices.ContainsFunc(b.parts, func(p *dam.Part) bool { return p.Role == dam.PartSidecar })
	return len(b.linked)+len(b.here)+len(b.unclear) == 0 && (!has || b.asset.Technical["sidecars"] != nil)
}

// isLinked reports whether a part is the copy of a sidecar in an external library.
func (b *besides) isLinked(p *dam.Part) bool {
	return p.Role == dam.PartSidecar && slices.ContainsFunc(b.linked, func(f *dam.RootFile) bool { return isCopy(p, f) })
}

// isCopy reports whether a part has the name of a sidecar's copy.
func isCopy(p *dam.Part, f *dam.RootFile) bool {
	return p.Role == dam.PartSidecar && dam.SameName(p.Filename, dam.CleanFilename(f.Name))
}

// inPlaceSidecar returns the sidecar in an external library that a part is a copy of, nil
// for none.
func inPlaceSidecar(tx *storage.Tx, asset int64, filename string) (*dam.RootFile, error) {
	list, err := tx.SidecarsOfAsset(asset)
	for _, f := range list {
		if f.State == dam.RootFilePresent && dam.SameName(filename, dam.CleanFilename(f.Name)) {
			return f, err
		}
	}
	return nil, err
}
