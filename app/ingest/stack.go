package ingest

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/digital-asset-library/dal/app/access"
	assets "github.com/digital-asset-library/dal/app/asset"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/find"
	"github.com/digital-asset-library/dal/app/media"
	"github.com/digital-asset-library/dal/storage"
)

// stackWithin is the maximum difference between the capture times of files of one photo:
// cameras record whole seconds, and a live photo starts before its picture is taken.
const stackWithin = 2 * time.Second

// Whether the RAW file and the JPEG of one photo, and the picture and the video of a live
// photo, become one asset.
const (
	StackOn  = "on"
	StackOff = "off"
)

// liveVideo is the MIME type of the video of a live photo.
const liveVideo = "video/quicktime"

// The stack ranks determine which file of a photo its asset shows: the one with the highest
// rank.
const (
	rankNone = iota // not part of a photo with several files
	rankVideo
	rankRaw
	rankHEIC
	rankJPEG
)

// stackRank returns the rank of a type, and the role of its files beside a file of a higher
// rank.
func stackRank(mime string) (rank int, role dam.PartRole) {
	switch {
	case mime == liveVideo:
		return rankVideo, dam.PartVideo
	case media.IsRaw(mime):
		return rankRaw, dam.PartRaw
	case mime == "image/heic" || mime == "image/heif":
		return rankHEIC, dam.PartImage
	case mime == "image/jpeg":
		return rankJPEG, dam.PartImage
	}
	return rankNone, ""
}

// stack makes a file a part of the asset that it belongs to, or makes it the asset's own
// file, whose previous file then becomes a part. The asset is one of the same batch, or of
// the same folder in an external library. stack reports whether there is such an asset.
func (g *Ingester) stack(tx *storage.Tx, f *dam.BatchFile, b *dam.Batch, m *media.Result) (done bool, err error) {
	if !g.Stacks {
		return false, nil
	}
	if _, err := tx.DuplicateOf(f.SHA256); dam.KindOf(err) != dam.NotFound && !b.AllowDuplicates {
		return false, err
	}
	at, err := tx.PlaceOfFile(f.ID)
	switch {
	case err == nil:
		return g.stackInPlace(tx, f, b, m, at)
	case dam.KindOf(err) != dam.NotFound:
		return false, err
	case f.Stem == "":
		return false, nil
	}
	gaids, err := tx.Siblings(b.ID, f.Stem, f.ID)
	if err != nil {
		return false, err
	}
	for _, gaid := range gaids {
		asset, err := tx.Asset(gaid)
		if dam.KindOf(err) == dam.NotFound {
			continue
		}
		if err != nil {
			return false, err
		}
		if asset.DeletedAt != nil || asset.FileVersion > 1 || asset.BatchID != b.ID {
			continue
		}
		if done, err := g.stackOn(tx, asset, f, b, m); err != nil || done {
			return done, err
		}
	}
	return false, nil
}

// stackOn joins a file to an asset if they are of one photo, and reports whether they are.
func (g *Ingester) stackOn(tx *storage.Tx, asset *dam.Asset, f *dam.BatchFile, b *dam.Batch, m *media.Result) (done bool, err error) {
	role, whole := stackRole(asset.MIMEType, m.Type.MIME)
	if role == "" || !sameShot(asset.CaptureDate, asset.Technical, m.CaptureDate, m.Technical) {
		return false, nil
	}
	if free, err := roleFree(tx, asset, role); err != nil || !free {
		return false, err
	}
	if err := g.join(tx, asset, f, b, m, role, whole); err != nil {
		return false, err
	}
	f.GAID = asset.GAID
	return true, g.endFile(tx, f, dam.FileReady, nil)
}

// partOf returns a batch file as a part.
func partOf(role dam.PartRole, f *dam.BatchFile, m *media.Result) *dam.Part {
	return &dam.Part{Role: role, Filename: f.Filename, MIMEType: m.Type.MIME, Extension: m.Type.Extensions[0], SHA256: f.SHA256}
}

// stackRole returns the role of the part when files of two types belong together, "" if
// they cannot, and whether the second is the one shown.
func stackRole(first, second string) (role dam.PartRole, whole bool) {
	a, partA := stackRank(first)
	b, partB := stackRank(second)
	switch {
	case a == rankNone || b == rankNone || a == b:
		return "", false
	case a > b:
		return partB, false
	}
	return partA, true
}

// roleFree reports whether an asset has neither a part with a role nor a poster.
func roleFree(tx *storage.Tx, asset *dam.Asset, role dam.PartRole) (bool, error) {
	parts, err := tx.PartsOf(asset.ID)
	if err != nil || slices.ContainsFunc(parts, func(p *dam.Part) bool { return p.Role == role }) {
		return false, err
	}
	_, err = tx.Poster(asset.ID)
	if dam.KindOf(err) == dam.NotFound {
		return true, nil
	}
	return false, err
}

// join makes a file a part of an asset. If whole is set, the file instead replaces the
// asset's own file, which becomes the part.
func (g *Ingester) join(
	tx *storage.Tx, asset *dam.Asset, f *dam.BatchFile, b *dam.Batch, m *media.Result, role dam.PartRole, whole bool,
) error {
	u, err := tx.User(b.CreatedByID)
	if err != nil {
		return err
	}
	actor := dam.Actor{User: u}
	tx.OnCommit(g.Index.Changed)
	if !whole {
		return givePart(tx, actor, asset, partOf(role, f, m))
	}
	before := *asset
	if err := tx.InsertPart(asset.ID, &dam.Part{
		Role: role, Filename: asset.OriginalFilename, MIMEType: asset.MIMEType, Extension: asset.Extension, SHA256: asset.SHA256,
	}); err != nil {
		return err
	}
	v := fileOf(f, m)
	v.Number = asset.FileVersion
	asset.SetFile(v)
	asset.FileAt, asset.FileByID, asset.FileCategory = before.FileAt, before.FileByID, m.Type.Category
	fillIn(asset, m)
	asset.CaptureDate = m.CaptureDate // the difference is small: see sameShot
	if err := tx.SetFile(asset); err != nil {
		return err
	}
	if asset.RootID != 0 {
		if err := setSaid(tx, asset.SHA256, &m.Facts); err != nil {
			return err
		}
	}
	renamed := dam.HistoryChange{Field: "original_filename", From: before.OriginalFilename, To: asset.OriginalFilename}
	joined := partChange(role, nil, before.OriginalFilename)
	if err := assets.PutAsset(tx, actor, &before, asset, dam.AssetUpdated, 0, renamed, joined); err != nil {
		return err
	}
	return g.lookAgain(tx, asset)
}

// sameShot reports whether two files agree in capture time and camera. Both must have a
// time.
func sameShot(at *dam.CaptureTime, says map[string]any, at2 *dam.CaptureTime, says2 map[string]any) bool {
	if at == nil || at2 == nil {
		return false
	}
	camera, camera2 := cameraOf(says), cameraOf(says2)
	for i := range camera {
		if camera[i] != "" && camera2[i] != "" && !strings.EqualFold(camera[i], camera2[i]) {
			return false
		}
	}
	apart := at.Sub(at2.Time)
	if zone, zone2 := zoneOf(says), zoneOf(says2); zone != zone2 && (zone == unknownZone || zone2 == unknownZone) {
		clock, ok := clockOf(*at, zone)
		clock2, ok2 := clockOf(*at2, zone2)
		if !ok || !ok2 {
			return false
		}
		apart = clock.Sub(clock2)
	}
	return apart.Abs() <= stackWithin
}

// cameraOf returns the make and the model of the camera recorded in a file.
func cameraOf(technical map[string]any) [2]string {
	for _, names := range [][3]string{{"exif", "Make", "Model"}, {"video", "make", "model"}} {
		if facts, ok := technical[names[0]].(map[string]any); ok {
			maker, _ := facts[names[1]].(string)
			model, _ := facts[names[2]].(string)
			return [2]string{strings.TrimSpace(maker), strings.TrimSpace(model)}
		}
	}
	return [2]string{}
}

// unknownZone is the value of date_time_zone for a clock without a time zone, which is
// assumed to be UTC.
const unknownZone = "unknown"

// zoneOf returns how the time zone of a file's time is known.
func zoneOf(technical map[string]any) string {
	for _, kind := range []string{"exif", "video"} {
		if facts, ok := technical[kind].(map[string]any); ok {
			if zone, ok := facts["date_time_zone"].(string); ok {
				return zone
			}
		}
	}
	return ""
}

// clockOf returns the local time shown by a camera's clock, expressed as UTC, if known.
func clockOf(at dam.CaptureTime, zone string) (time.Time, bool) {
	_, known := dam.OffsetOf(at.Time)
	return dam.LocalTime(at.Time), known || zone == unknownZone
}

// DetachPart turns a part of an asset that passes a check into a separate asset, and
// returns that.
func (ups *Uploads) DetachPart(
	ctx context.Context, actor dam.Actor, gaid dam.GAID, id int64, check find.AssetCheck,
) (d *assets.Detail, err error) {
	checked, err := ups.Finder.AssetCheck(ctx, actor, gaid, check)
	if err != nil {
		return nil, err
	}
	var asset *dam.Asset
	var p *dam.Part
	find := func(tx *storage.Tx) (err error) {
		if err := access.MayReplaceFiles(actor); err != nil {
			return err
		}
		if asset, err = access.LiveAsset(tx, gaid, false); err != nil {
			return err
		}
		if p, err = tx.Part(asset.ID, id); err != nil {
			return err
		}
		if p.Role == dam.PartSidecar {
			return dam.InvalidField("part", "A sidecar cannot be an asset of its own.")
		}
		return checked(tx, asset)
	}
	if err := ups.Store.View(ctx, find); err != nil {
		return nil, err
	}
	m, err := ups.Ingest.readPart(ctx, p)
	if err != nil {
		return nil, asInvalid("part", err)
	}
	err = ups.Store.Update(ctx, func(tx *storage.Tx) error {
		if err := find(tx); err != nil {
			return err
		}
		if err := takePart(tx, actor, asset, p); err != nil {
			return err
		}
		gaid, err := ups.Ingest.admitPart(tx, actor, asset, p, m)
		if err != nil {
			return err
		}
		own, err := tx.Asset(gaid)
		if err != nil {
			return err
		}
		if err := ups.Ingest.detached(tx, p.SHA256, asset.ID, own.ID, m); err != nil {
			return err
		}
		if own, err = tx.Asset(gaid); err != nil {
			return err
		}
		d, err = assets.DetailOf(tx, own)
		return err
	})
	return ups.Assets.WithCollections(ctx, actor, d, err)
}

// admitPart creates an asset from a former part of another one, as the file of a new batch.
func (g *Ingester) admitPart(tx *storage.Tx, actor dam.Actor, of *dam.Asset, p *dam.Part, m *media.Result) (dam.GAID, error) {
	b := &dam.Batch{Name: dam.BatchNameOf("Part of ", of.Title), AssetClassID: of.AssetClassID, ExpectedFiles: 1, AllowDuplicates: true,
		CreatedByID: actor.User.ID}
	if err := tx.InsertBatch(b); err != nil {
		return "", err
	}
	f := &dam.BatchFile{BatchID: b.ID, Filename: p.Filename, Size: p.Size, SHA256: p.SHA256, Status: dam.FileQueued}
	if err := tx.InsertBatchFile(f); err != nil {
		return "", err
	}
	if err := tx.CloseBatch(b.ID); err != nil {
		return "", err
	}
	err := g.admit(tx, f, b, m, nil)
	return f.GAID, err
}

// readPart reads the file of a part like that of an asset, and keeps its renditions.
func (g *Ingester) readPart(ctx context.Context, p *dam.Part) (*media.Result, error) {
	f, err := g.Originals.OpenFurther(ctx, p.SHA256, p.Size)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	m, err := g.Media.Extract(ctx, f, p.Size, p.Filename)
	if err != nil {
		return nil, err
	}
	return m, g.Renditions.Keep(p.SHA256, m.Picture)
}
