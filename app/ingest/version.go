package ingest

import (
	"cmp"
	"context"
	"errors"

	assets "github.com/digital-asset-library/dal/app/asset"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/media"
	"github.com/digital-asset-library/dal/app/render"
	"github.com/digital-asset-library/dal/storage"
)

// asInvalid converts a fault of a file into an error about a field of the request.
func asInvalid(field string, err error) error {
	if fault, ok := errors.AsType[*dam.FileError](err); ok {
		return render.Wrapped(dam.InvalidField(field, "%s", fault.Message), err)
	}
	return err
}

// checkVersion returns an error if a file of the given type cannot become a new version of
// an asset. If the asset is gone, any type passes, and admitVersion reports the error.
func (g *Ingester) checkVersion(ctx context.Context, gaid dam.GAID, kind media.Type) error {
	return g.Store.View(ctx, func(tx *storage.Tx) error {
		asset, err := tx.Asset(gaid)
		if dam.KindOf(err) == dam.NotFound {
			return nil
		}
		if err != nil {
			return err
		}
		if fault := otherCategory(asset, kind); fault != nil {
			return fault
		}
		return nil
	})
}

// otherCategory returns an error if a file's category differs from that of the asset whose
// new version it is to become, nil otherwise.
func otherCategory(asset *dam.Asset, kind media.Type) *dam.FileError {
	if kind.Category == asset.FileCategory {
		return nil
	}
	what := map[dam.FileCategory]string{
		dam.CategoryImage: "a picture", dam.CategoryVideo: "a video", dam.CategoryAudio: "a sound", dam.CategoryDocument: "a document",
	}[asset.FileCategory]
	return &dam.FileError{Code: dam.CodeUnsupportedFormat,
		Message: "The asset is " + what + ", and so must be its new version. This is " + kind.Phrase + "."}
}

// take turns a file that has been read into a new version of an asset, a part of one, or a
// new asset.
func (g *Ingester) take(tx *storage.Tx, f *dam.BatchFile, b *dam.Batch, m *media.Result, beside *renewal) error {
	f.Warning = m.Warning
	if b.VersionOf != "" {
		return g.admitVersion(tx, f, b, m)
	}
	if stacked, err := g.stack(tx, f, b, m); err != nil || stacked {
		return err
	}
	return g.admit(tx, f, b, m, beside)
}

// admitVersion makes a file the new version of an asset. If that is impossible, the asset
// remains unchanged.
func (g *Ingester) admitVersion(tx *storage.Tx, f *dam.BatchFile, b *dam.Batch, m *media.Result) error {
	asset, err := tx.Asset(b.VersionOf)
	switch {
	case dam.KindOf(err) == dam.NotFound:
		return g.endFile(tx, f, dam.FileRejected, &dam.FileError{Code: dam.CodeCancelled, Message: "The asset was deleted meanwhile."})
	case err != nil:
		return err
	case asset.DeletedAt != nil:
		return g.endFile(tx, f, dam.FileFailed, &dam.FileError{Code: dam.CodeCancelled, Retryable: true,
			Message: "The asset is in the trash: restore it, and try again."})
	case asset.SHA256 == f.SHA256:
		f.GAID = asset.GAID
		return g.endFile(tx, f, dam.FileDuplicate, &dam.FileError{Code: dam.CodeDuplicate, Message: "The asset has this file already."})
	}
	if fault := otherCategory(asset, m.Type); fault != nil {
		return g.endFile(tx, f, dam.FileRejected, fault)
	}
	u, err := tx.User(b.CreatedByID)
	if err != nil {
		return err
	}
	if err := g.replaceFile(tx, dam.Actor{User: u}, asset, fileOf(f, m), func() { fillIn(asset, m) }); err != nil {
		return err
	}
	f.GAID = asset.GAID
	return g.endFile(tx, f, dam.FileReady, nil)
}

// fileOf returns a file's properties as a version.
func fileOf(f *dam.BatchFile, m *media.Result) *dam.FileVersion {
	v := &dam.FileVersion{
		SHA256: f.SHA256, Filename: f.Filename, MIMEType: m.Type.MIME, Extension: m.Type.Extensions[0], Size: f.Size,
		Width: m.Width, Height: m.Height, DurationMS: m.Duration.Milliseconds(), PageCount: m.PageCount,
		Technical: m.Technical, Text: m.Text,
	}
	if m.Picture != nil {
		v.Colors, v.ThumbHash, v.PHash = m.Picture.Colors, m.Picture.ThumbHash, m.Picture.PHash
	}
	return v
}

// fillIn sets the empty fields of an asset from the metadata of a file.
func fillIn(a *dam.Asset, m *media.Result) {
	says := &dam.Asset{
		Title: a.Title, Creator: m.Creator, Copyright: m.Copyright, Description: m.Description, UsageTerms: m.UsageTerms,
		Keywords: m.Keywords, People: m.People, CaptureDate: m.CaptureDate, Rating: m.Rating, Location: m.Location,
	}
	says.Clamp()
	a.Creator, a.Copyright = cmp.Or(a.Creator, says.Creator), cmp.Or(a.Copyright, says.Copyright)
	a.Description, a.UsageTerms = cmp.Or(a.Description, says.Description), cmp.Or(a.UsageTerms, says.UsageTerms)
	if len(a.Keywords) == 0 && len(says.Keywords) > 0 {
		a.Keywords = says.Keywords
	}
	if len(a.People) == 0 && len(says.People) > 0 {
		a.People = says.People
	}
	if a.CaptureDate == nil {
		a.CaptureDate = says.CaptureDate
	}
	if a.Rating == nil {
		a.Rating = says.Rating
	}
	if a.Location == nil {
		a.Location = says.Location
	}
}

// replaceFile replaces the file of an asset, records the change, and keeps the previous
// file as a version. fill, which may be nil, may set fields that follow from the new file.
func (g *Ingester) replaceFile(tx *storage.Tx, actor dam.Actor, asset *dam.Asset, file *dam.FileVersion, fill func()) error {
	before := *asset
	old, v := asset.File(), *file
	poster, err := tx.Poster(asset.ID)
	if err != nil && dam.KindOf(err) != dam.NotFound {
		return err
	}
	hasPoster := err == nil
	if hasPoster { // a version shows the preview of its file, not the poster
		own := before
		own.Show(poster.Own)
		old = own.File()
	}
	if err := tx.InsertVersion(asset.ID, old); err != nil {
		return err
	}
	v.Number, v.CreatedAt, v.CreatedByID = asset.FileVersion+1, tx.Now(), actor.User.ID
	asset.SetFile(&v)
	if hasPoster {
		if err := tx.SetPosterOwn(asset.ID, asset.Shown()); err != nil {
			return err
		}
		asset.Show(before.Shown())
	}
	if fill != nil {
		fill()
	}
	if err := tx.SetFile(asset); err != nil {
		return err
	}
	tx.OnCommit(g.Index.Changed)
	changes := []dam.HistoryChange{{Field: "file_version", From: float64(before.FileVersion), To: float64(v.Number)}}
	if before.OriginalFilename != v.Filename {
		changes = append(changes, dam.HistoryChange{Field: "original_filename", From: before.OriginalFilename, To: v.Filename})
	}
	if err := assets.PutAsset(tx, actor, &before, asset, dam.AssetUpdated, 0, changes...); err != nil {
		return err
	}
	return g.lookAgain(tx, asset)
}

// LookAgain queues all background processing of an asset's file after the file was
// replaced.
func (g *Ingester) lookAgain(tx *storage.Tx, asset *dam.Asset) error {
	if err := tx.ForgetAnalyses(asset.ID); err != nil {
		return err
	}
	if err := g.Proxies.Want(tx, asset); err != nil {
		return err
	}
	return g.Analyses.Want(tx, asset)
}
