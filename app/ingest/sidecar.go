package ingest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"time"

	"github.com/digital-asset-library/dal/app/access"
	assets "github.com/digital-asset-library/dal/app/asset"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/job"
	"github.com/digital-asset-library/dal/app/media"
	"github.com/digital-asset-library/dal/storage"
)

// sidecarRetry is how long a sidecar waits before it looks for its file again.
const sidecarRetry = time.Second

// sidecarAgain is how long a sidecar waits if its asset changed while it was being read.
const sidecarAgain = 50 * time.Millisecond

var errMeanwhile = errors.New("the files of the asset have changed meanwhile")

// sidecarMIME is the MIME type of sidecars (XMP part 3, chapter 3).
const sidecarMIME = "application/rdf+xml"

// errFileToCome is the reason why a sidecar waits.
var errFileToCome = errors.New("the file that the sidecar is about has not come in")

// sidecar applies a scanned sidecar to the asset of the file that it belongs to.
func (g *Ingester) sidecar(ctx context.Context, f *dam.BatchFile, b *dam.Batch, of dam.GAID) (job.Commit, error) {
	data, err := g.readSidecar(ctx, f.SHA256, f.Size)
	if err != nil {
		return nil, err
	}
	if _, err := media.ReadSidecar(data); err != nil {
		return nil, err
	}
	return g.applySidecar(ctx, f, b, of, data)
}

func (g *Ingester) readSidecar(ctx context.Context, sha string, size int64) ([]byte, error) {
	if size > media.MaxSidecar {
		return nil, &dam.FileError{Code: dam.CodeTooLarge, Message: fmt.Sprintf("A sidecar has up to %d MiB.", media.MaxSidecar>>20)}
	}
	r, err := g.Originals.OpenFurther(ctx, sha, size)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(io.LimitReader(r, media.MaxSidecar))
}

// readSidecars reads the sidecars among the parts of an asset.
func (g *Ingester) readSidecars(ctx context.Context, parts []*dam.Part) (list []sidecarData, err error) {
	for _, p := range parts {
		if p.Role != dam.PartSidecar {
			continue
		}
		data, err := g.readSidecar(ctx, p.SHA256, p.Size)
		if err != nil {
			return nil, err
		}
		list = append(list, sidecarData{p.Filename, data})
	}
	return list, nil
}

// sidecarAsset returns the asset that a sidecar belongs to: that of a file in its batch or,
// once the batch is closed, one that its user has uploaded before. It is "" if there is
// none and files of any type are accepted, so that the sidecar is an ordinary file.
func (g *Ingester) sidecarAsset(ctx context.Context, f *dam.BatchFile, b *dam.Batch) (gaid dam.GAID, err error) {
	if !media.IsSidecar(f.Filename) {
		return "", nil
	}
	if f.GAID != "" { // specified by the uploader
		return f.GAID, g.Store.View(ctx, func(tx *storage.Tx) error { return mayTakeSidecar(tx, f, b, f.GAID) })
	}
	stem := f.Filename[:len(f.Filename)-len(".xmp")]
	err = g.Store.View(ctx, func(tx *storage.Tx) error {
		files, err := tx.BatchFilesNamed(b.ID, stem)
		if err != nil {
			return err
		}
		if gaid, err = ofBatch(f, files); err != nil {
			return err
		}
		if gaid == "" && b.Status == dam.BatchOpen {
			return &job.Later{After: sidecarRetry, Err: errFileToCome}
		}
		if gaid == "" && b.ShareID == 0 { // guests learn nothing about existing assets
			gaid, err = g.sidecarOfBefore(tx, f, b, stem)
		}
		if err != nil || gaid == "" {
			return err
		}
		return mayTakeSidecar(tx, f, b, gaid)
	})
	return gaid, err
}

// sidecarOfBefore returns the existing asset of a batch's user that a sidecar belongs to.
func (g *Ingester) sidecarOfBefore(tx *storage.Tx, f *dam.BatchFile, b *dam.Batch, stem string) (dam.GAID, error) {
	gaids, names, err := tx.AssetsNamed(b.CreatedByID, stem)
	if err != nil {
		return "", err
	}
	of := media.SidecarOf(f.Filename, names)
	switch {
	case len(of) == 1:
		return gaids[of[0]], nil
	case len(of) > 1:
		return "", &dam.FileError{Code: dam.CodeUnsupportedFormat, Message: fmt.Sprintf(
			"%d of your assets have files with this name: upload the sidecar together with its file.", len(of))}
	case g.Media.AcceptsUnread():
		return "", nil
	}
	return "", &dam.FileError{Code: dam.CodeUnsupportedFormat,
		Message: "There is no file for this sidecar, neither in the upload nor among those that you uploaded before."}
}

// mayTakeSidecar returns an error if a sidecar may not change an asset. It may change an
// asset of the same batch whose file has not been replaced. For any other asset, the
// uploader of the sidecar must have had the right to change it, and the user of the batch
// must still have it.
func mayTakeSidecar(tx *storage.Tx, f *dam.BatchFile, b *dam.Batch, gaid dam.GAID) error {
	asset, err := tx.Asset(gaid)
	if dam.KindOf(err) == dam.NotFound { // applySidecar reports this
		return nil
	}
	if err != nil || asset.BatchID == b.ID && asset.FileVersion <= 1 {
		return err
	}
	u, err := tx.User(b.CreatedByID)
	if err != nil {
		return err
	}
	if f.OwnOnly || access.MayChangeBySidecar(dam.Actor{User: u}) != nil {
		return &dam.FileError{Code: dam.CodeUnsupportedFormat, Message: "You may not change the asset that this sidecar is about."}
	}
	return nil
}

// ofBatch returns the asset of the batch file that a sidecar belongs to, "" if no file
// matches. It waits for an unfinished file.
func ofBatch(f *dam.BatchFile, files []*dam.BatchFile) (dam.GAID, error) {
	files = slices.DeleteFunc(files, func(other *dam.BatchFile) bool {
		elsewhere := f.Stem != "" && path.Dir(other.Stem) != path.Dir(f.Stem) // same name in another folder
		return other.ID == f.ID || elsewhere
	})
	names := make([]string, len(files))
	for i, other := range files {
		names[i] = other.Filename
	}
	var gaids []dam.GAID
	var failed string
	for _, i := range media.SidecarOf(f.Filename, names) {
		other := files[i]
		switch {
		case !other.Status.Terminal():
			return "", &job.Later{After: sidecarRetry, Err: errFileToCome}
		case other.GAID == "":
			failed = other.Filename
		case !slices.Contains(gaids, other.GAID):
			gaids = append(gaids, other.GAID)
		}
	}
	switch {
	case len(gaids) == 1:
		return gaids[0], nil
	case len(gaids) > 1:
		return "", &dam.FileError{Code: dam.CodeUnsupportedFormat, Message: "Several files of the upload have this name, so it is not " +
			"clear which one the sidecar is about. Name it as its file with .xmp behind, such as a.jpg.xmp."}
	case failed != "":
		return "", &dam.FileError{Code: dam.CodeUnsupportedFormat,
			Message: "The file " + failed + ", which this sidecar is about, did not come in."}
	}
	return "", nil
}

// applySidecar reads the metadata of an asset's file and sidecars, and returns a commit
// that applies it to the asset, except where users have made changes.
func (g *Ingester) applySidecar(ctx context.Context, f *dam.BatchFile, b *dam.Batch, gaid dam.GAID, data []byte) (job.Commit, error) {
	var asset *dam.Asset
	var parts []*dam.Part
	err := g.Store.View(ctx, func(tx *storage.Tx) (err error) {
		if asset, err = access.LiveAsset(tx, gaid, true); err == nil {
			parts, err = tx.PartsOf(asset.ID)
		}
		return err
	})
	if dam.KindOf(err) == dam.NotFound {
		return nil, &dam.FileError{Code: dam.CodeUnsupportedFormat, Message: "The asset that this sidecar is about was deleted."}
	}
	if err != nil {
		return nil, err
	}
	u, err := g.newSidecars(ctx, f, asset, parts, data)
	if err != nil {
		return nil, err
	}
	return func(tx *storage.Tx) error {
		now, err := tx.Asset(gaid)
		if err != nil {
			return err
		}
		partsNow, err := tx.PartsOf(now.ID)
		if err != nil {
			return err
		}
		same := slices.EqualFunc(parts, partsNow, func(a, b *dam.Part) bool { return a.ID == b.ID })
		if !same || now.SHA256 != asset.SHA256 { // another sidecar or file version was added in the meantime
			return &job.Later{After: sidecarAgain, Err: errMeanwhile}
		}
		return g.putSidecar(tx, f, b, now, u)
	}, nil
}

// sidecars holds the sidecars of an asset, including a new one.
type sidecars struct {
	file          *media.Facts
	before, after media.Facts // metadata of the file combined with the sidecar that was, and that is now, effective
	list          []string    // names, the effective one first
	replaced      *dam.Part   // replaced by the new one; nil for none
}

// sidecarData is a sidecar with its content.
type sidecarData struct {
	name string
	data []byte
}

func (g *Ingester) newSidecars(
	ctx context.Context, f *dam.BatchFile, asset *dam.Asset, parts []*dam.Part, data []byte,
) (*sidecars, error) {
	file, err := g.fileSays(ctx, asset)
	if err != nil {
		return nil, err
	}
	had, err := g.readSidecars(ctx, parts)
	if err != nil {
		return nil, err
	}
	now := []sidecarData{{f.Filename, data}}
	for _, old := range had {
		if !dam.SameName(old.name, f.Filename) {
			now = append(now, old)
		}
	}
	var replaced *dam.Part
	for _, p := range parts {
		if p.Role == dam.PartSidecar && dam.SameName(p.Filename, f.Filename) {
			replaced = p
		}
	}
	u, err := unite(file, had, now)
	if err == nil {
		u.replaced = replaced
	}
	return u, err
}

// unite combines the metadata of a file with its previous sidecars, and with its current
// ones.
func unite(file *media.Facts, had, now []sidecarData) (*sidecars, error) {
	u := &sidecars{file: file, before: *file, after: *file}
	for _, list := range [][]sidecarData{had, now} { // the longest name is the most specific one
		slices.SortStableFunc(list, func(a, b sidecarData) int { return len(b.name) - len(a.name) })
	}
	for _, s := range now {
		u.list = append(u.list, s.name)
	}
	var err error
	if len(had) > 0 {
		u.before, err = with(file, had[0].data)
	}
	if err == nil && len(now) > 0 {
		u.after, err = with(file, now[0].data)
	}
	return u, err
}

func with(file *media.Facts, sidecar []byte) (media.Facts, error) {
	s, err := media.ReadSidecar(sidecar)
	if err != nil {
		return *file, err
	}
	return file.With(s), nil
}

// fileSays reads the metadata of an asset's file.
func (g *Ingester) fileSays(ctx context.Context, asset *dam.Asset) (*media.Facts, error) {
	r, err := g.Originals.OpenAsset(ctx, asset)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return g.Media.Says(ctx, r, asset.FileSize, asset.OriginalFilename)
}

// putSidecar commits a sidecar: the part, the changes of its asset, and the final state of
// the file.
func (g *Ingester) putSidecar(tx *storage.Tx, f *dam.BatchFile, b *dam.Batch, asset *dam.Asset, u *sidecars) error {
	user, err := tx.User(b.CreatedByID)
	if err != nil {
		return err
	}
	err = mayTakeSidecar(tx, f, b, asset.GAID)
	if fault, ok := errors.AsType[*dam.FileError](err); ok {
		return g.endFile(tx, f, dam.FileRejected, fault)
	}
	if err != nil {
		return err
	}
	schema, err := g.Schemas.In(tx)
	if err != nil {
		return err
	}
	placed, err := inPlaceSidecar(tx, asset.ID, path.Base(f.Filename))
	if err != nil {
		return err
	}
	if placed != nil {
		return g.endFile(tx, f, dam.FileRejected, &dam.FileError{Code: dam.CodeUnsupportedFormat,
			Message: "The asset has a sidecar of this name in place: change it where it lies."})
	}
	before := *asset
	if err := u.apply(tx, schema, asset); err != nil {
		return err
	}
	part := &dam.Part{
		Role: dam.PartSidecar, Filename: path.Base(f.Filename), MIMEType: sidecarMIME, Extension: "xmp", SHA256: f.SHA256, Size: f.Size,
	}
	change := partChange(part.Role, nil, part.Filename)
	if u.replaced != nil {
		change.From = u.replaced.Filename
		if err := tx.DeletePart(asset.ID, u.replaced.ID); err != nil {
			return err
		}
		if err := g.Originals.Release(tx, u.replaced.SHA256); err != nil {
			return err
		}
	}
	err = tx.InsertPart(asset.ID, part)
	if dam.KindOf(err) == dam.Conflict {
		return g.endFile(tx, f, dam.FileRejected, &dam.FileError{
			Code: dam.CodeLimitsExceeded, Message: fmt.Sprintf("The asset has %d further files already.", dam.MaxParts),
		})
	}
	if err != nil {
		return err
	}
	if err := assets.PutAsset(tx, dam.Actor{User: user}, &before, asset, dam.AssetUpdated, 0, change); err != nil {
		return err
	}
	tx.OnCommit(g.Index.Changed)
	f.GAID = asset.GAID
	return g.endFile(tx, f, dam.FileReady, nil)
}

// apply updates an asset from its sidecar, except where users have made changes, and
// records where the two differ.
func (u *sidecars) apply(tx *storage.Tx, s *dam.Schema, asset *dam.Asset) error {
	kept := merge(asset, u.file, &u.before, &u.after)
	technical := u.after.Technical
	asset.Technical = cloned(asset.Technical)
	for _, part := range []string{"keywords", "conflicts", "sidecar"} {
		if v, ok := technical[part]; ok {
			asset.Technical[part] = v
		} else {
			delete(asset.Technical, part)
		}
	}
	var list []any
	for i, name := range u.list {
		list = append(list, map[string]any{"filename": name, "applied": i == 0})
	}
	note(asset.Technical, "sidecars", list, len(list))
	if len(kept) > 0 {
		conflicts, _ := asset.Technical["conflicts"].([]any)
		asset.Technical["conflicts"] = withLibrary(conflicts, kept)
	}
	return u.fields(tx, s, asset)
}

// fields updates custom fields, except those that users have changed.
func (u *sidecars) fields(tx *storage.Tx, s *dam.Schema, asset *dam.Asset) error {
	was := map[string]any{}
	for _, f := range s.Fields {
		if f.XMPPath != "" {
			if v, problem := s.FromXMP(f, textsFor(f, u.before.Properties)); problem == "" {
				was[f.Key] = v
			}
		}
	}
	values, s, err := fromXMP(tx, s, asset.AssetClassID, nil, u.after.Properties, asset.Technical)
	if err != nil {
		return err
	}
	metadata := cloned(asset.Metadata)
	for key, v := range was { // values that only the previous sidecar had
		if _, says := values[key]; says || v == nil || !same(metadata[key], v) {
			continue
		}
		if delete(metadata, key); s.Field(key).Default != nil {
			metadata[key] = s.Field(key).Default
		}
	}
	for key, v := range values {
		have, has := metadata[key]
		untouched := !has && was[key] == nil || has && same(have, was[key]) || has && same(have, s.Field(key).Default)
		if untouched && len(metadata) < dam.MaxMetaKeys {
			metadata[key] = v
		}
	}
	if dam.JSONAtMost(metadata) <= 6*dam.MaxMetadataBytes {
		asset.Metadata = metadata
	}
	return nil
}
