package ingest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/digital-asset-library/dal/app/asset"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/job"
	"github.com/digital-asset-library/dal/app/media"
	"github.com/digital-asset-library/dal/app/original"
	"github.com/digital-asset-library/dal/app/scan"
	"github.com/digital-asset-library/dal/storage"
	"github.com/digital-asset-library/dal/storage/blob"
)

// SidecarWorkers is the number of assets whose sidecars are read concurrently.
const SidecarWorkers = 2

// besideRead holds the pending changes to the sidecars of an asset.
type besideRead struct {
	*besides
	had, now []sidecarData // all sidecars, including those in external libraries, before and after
	fresh    []freshSidecar
	dropped  []*dam.Part
	rows     []*dam.RootFile // rows to write
	forgot   []*dam.RootFile
}

// freshSidecar is a sidecar that becomes a part.
type freshSidecar struct {
	name string
	temp *blob.Temp
}

// Beside reads the sidecars of an asset, the subject of a job, in its external library, and
// applies their metadata to the asset.
func (g *Ingester) Beside(ctx context.Context, j *dam.Job) (job.Commit, error) {
	var b *besides
	err := g.Store.View(ctx, func(tx *storage.Tx) (err error) {
		b, err = besidesOf(tx, j.Subject)
		return err
	})
	if err != nil || b == nil || b.idle() {
		return nil, err
	}
	r := &besideRead{besides: b}
	defer r.discard()
	err = r.read(ctx, g)
	var u *sidecars
	if err == nil {
		u, err = r.unite(ctx, g)
	}
	if hasMoved(err) { // the next scan handles this
		g.Suspect(b.root.ID)
		return nil, nil
	}
	if why := whyUnread(err); why != "" {
		return func(tx *storage.Tx) error { return blame(tx, b.asset.ID, why) }, nil
	}
	if err != nil {
		return nil, err
	}
	temps := make([]*blob.Temp, len(r.fresh))
	for i, f := range r.fresh {
		temps[i] = f.temp
	}
	err = g.Originals.Blobs.Adopt(ctx, temps, func() error {
		return g.Store.Update(ctx, func(tx *storage.Tx) error {
			for _, t := range temps {
				if err := tx.InsertBlob(t.SHA256(), t.Size()); err != nil {
					return err
				}
			}
			return g.Originals.Uploaded(tx, temps)
		})
	})
	return func(tx *storage.Tx) error { return r.put(tx, g, u) }, err
}

// hasMoved reports whether an error means that files in an external library have changed
// since the last scan.
func hasMoved(err error) bool {
	return original.IsUnavailable(err) && (errors.Is(err, original.ErrOffline) || errors.Is(err, original.ErrChanged) ||
		errors.Is(err, original.ErrNoFile))
}

// whyUnread describes for users why a file cannot be read, "" if the file is not the cause.
func whyUnread(err error) string {
	if fault, ok := errors.AsType[*dam.FileError](err); ok {
		return "Its file cannot be read: " + fault.Message
	}
	if away, ok := errors.AsType[*original.UnavailableError](err); ok {
		return "It, or its file, cannot be read: " + original.Cause(away.Err).Error() + "."
	}
	return ""
}

func (r *besideRead) discard() {
	for _, f := range r.fresh {
		f.temp.Discard()
	}
}

// read reads the sidecars that are parts, and the changed ones in the external library.
func (r *besideRead) read(ctx context.Context, g *Ingester) error {
	kept := map[int64]bool{} // parts
	data := map[int64][]byte{}
	for _, p := range r.parts {
		if p.Role != dam.PartSidecar {
			continue
		}
		text, err := g.readSidecar(ctx, p.SHA256, p.Size)
		if err != nil {
			return err
		}
		data[p.ID] = text
		r.had = append(r.had, sidecarData{p.Filename, text})
		named := slices.ContainsFunc(r.here, func(f *dam.RootFile) bool { return isCopy(p, f) })
		kept[p.ID] = !named && !r.isLinked(p)
	}
	for _, f := range r.here {
		part, err := r.one(ctx, g, f)
		if err != nil {
			return err
		}
		if part != nil {
			kept[part.ID] = true
		}
	}
	for _, p := range r.parts {
		switch {
		case kept[p.ID]:
			r.now = append(r.now, sidecarData{p.Filename, data[p.ID]})
		case p.Role == dam.PartSidecar:
			r.dropped = append(r.dropped, p)
		}
	}
	for _, f := range r.linked {
		if slices.ContainsFunc(r.here, func(h *dam.RootFile) bool { return h.ID == f.ID }) {
			continue
		}
		if f.State == dam.RootFileMissing {
			r.forgot = append(r.forgot, f)
			continue
		}
		free := *f
		free.AssetID, free.SHA256 = 0, ""
		r.rows = append(r.rows, &free)
	}
	for _, f := range r.unclear {
		row := *f
		row.AssetID, row.SHA256, row.Problem = 0, "", unclearSidecar
		r.rows = append(r.rows, &row) // last, to override other changes to it
	}
	return nil
}

// one reads one sidecar of the file. It returns the part to keep for it: the existing copy,
// even if the sidecar has become damaged.
func (r *besideRead) one(ctx context.Context, g *Ingester, f *dam.RootFile) (*dam.Part, error) {
	var part *dam.Part
	if i := slices.IndexFunc(r.parts, func(p *dam.Part) bool { return isCopy(p, f) }); i >= 0 {
		part = r.parts[i]
	}
	row := *f
	row.AssetID = r.asset.ID
	switch {
	case f.Problem != "" && f.Problem != unclearSidecar:
		return part, nil
	case part != nil && part.SHA256 == f.SHA256:
		r.write(f, row)
		return part, nil
	}
	data, err := g.readBeside(ctx, original.Place{RootFile: f, Root: r.root})
	if err == nil && part == nil && r.room() <= 0 {
		err = &dam.FileError{Message: fmt.Sprintf("The asset has %d further files already.", dam.MaxParts)}
	}
	if fault, ok := errors.AsType[*dam.FileError](err); ok {
		row.Problem, row.SHA256 = fault.Message, ""
		if part == nil || !r.isLinked(part) {
			row.AssetID = 0
		}
		r.write(f, row)
		return part, nil
	}
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(data)
	row.SHA256, row.Problem = hex.EncodeToString(sum[:]), ""
	r.write(f, row)
	if part != nil && part.SHA256 == row.SHA256 { // it was only touched
		return part, nil
	}
	t, err := g.Originals.Blobs.Create(ctx)
	if err != nil {
		return nil, err
	}
	fresh := freshSidecar{dam.CleanFilename(f.Name), t}
	r.fresh = append(r.fresh, fresh)
	if _, err := t.Write(data); err != nil {
		return nil, err
	}
	if err := t.Finish(); err != nil {
		return nil, err
	}
	r.now = append(r.now, sidecarData{fresh.name, data})
	return nil, nil
}

// room returns how many more parts the asset may have.
func (r *besideRead) room() int { return dam.MaxParts - len(r.parts) - len(r.fresh) }

// write schedules the row of a sidecar for writing if it has changed.
func (r *besideRead) write(f *dam.RootFile, row dam.RootFile) {
	if *f != row {
		r.rows = append(r.rows, &row)
	}
}

// readBeside reads a sidecar in an external library. If the sidecar is invalid, the error
// is a *dam.FileError.
func (g *Ingester) readBeside(ctx context.Context, p original.Place) ([]byte, error) {
	if p.Size > media.MaxSidecar {
		return nil, &dam.FileError{Message: fmt.Sprintf("A sidecar has up to %d MiB.", media.MaxSidecar>>20)}
	}
	file, _, err := p.Open(ctx)
	if err != nil {
		return nil, &original.UnavailableError{Place: p.AbsPath(), Err: err}
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, p.Size+1))
	if err == nil && int64(len(data)) != p.Size {
		err = original.ErrChanged
	}
	if err != nil {
		return nil, &original.UnavailableError{Place: p.AbsPath(), Err: err}
	}
	verdict, err := g.Scanner.Scan(ctx, func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }, p.Size)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, scan.ErrUnavailable):
		g.Scanner.note(ctx, err)
		return nil, &job.Later{After: scannerRetry, Err: err, All: true}
	case errors.Is(err, scan.ErrTooLargeForScanner):
		return nil, &dam.FileError{Message: "The file is larger than the virus scanner accepts (StreamMaxLength of clamd)."}
	case err != nil:
		return nil, fmt.Errorf("scan: %w", err)
	case verdict.Infected:
		return nil, &dam.FileError{Message: fmt.Sprintf("%s found %s. The file was left where it is.", verdict.Engine, verdict.Signature)}
	}
	_, err = media.ReadSidecar(data)
	return data, err
}

// unite combines the metadata of the file with that of its sidecars.
func (r *besideRead) unite(ctx context.Context, g *Ingester) (*sidecars, error) {
	if len(r.had) == 0 && len(r.now) == 0 { // all are or were damaged
		return nil, nil
	}
	file, err := g.fileSays(ctx, r.asset)
	if err != nil {
		return nil, err
	}
	return unite(file, r.had, r.now)
}

// put commits the changes.
func (r *besideRead) put(tx *storage.Tx, g *Ingester, u *sidecars) error {
	now, err := besidesOf(tx, r.asset.ID)
	if err != nil {
		return err
	}
	if !r.same(now) { // read them again
		for _, f := range r.fresh {
			if err := g.Originals.Release(tx, f.temp.SHA256()); err != nil {
				return err
			}
		}
		return g.Jobs.AddNext(tx, dam.JobSidecar, r.asset.ID)
	}
	for _, f := range r.rows {
		if err := tx.PutRootFile(f); err != nil {
			return err
		}
	}
	for _, f := range r.forgot {
		if err := tx.DeleteRootFile(f.ID); err != nil {
			return err
		}
	}
	if u == nil {
		return nil
	}
	schema, err := g.Schemas.In(tx)
	if err != nil {
		return err
	}
	before := *now.asset
	for _, p := range r.parts { // the asset may have shown one of them before
		said, err := saidBefore(tx, p.SHA256)
		if err != nil {
			return err
		}
		if said != nil {
			mergePart(now.asset, said, &u.after)
		}
	}
	if err := u.apply(tx, schema, now.asset); err != nil {
		return err
	}
	changes, err := r.putParts(tx, g)
	if err != nil {
		return err
	}
	if len(changes) == 0 && alike(before.Technical, now.asset.Technical) && len(dam.HistoryOf(&before, now.asset)) == 0 {
		return nil
	}
	tx.OnCommit(g.Index.Changed)
	return asset.PutAsset(tx, dam.Actor{User: r.owner}, &before, now.asset, dam.AssetUpdated, 0, changes...)
}

// alike reports whether two values have the same JSON encoding.
func alike(a, b any) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}

// putParts updates the sidecars among the asset's parts.
func (r *besideRead) putParts(tx *storage.Tx, g *Ingester) (changes []dam.HistoryChange, err error) {
	for _, p := range r.dropped {
		if err := tx.DeletePart(r.asset.ID, p.ID); err != nil {
			return nil, err
		}
	}
	for _, f := range r.fresh {
		part := &dam.Part{Role: dam.PartSidecar, Filename: f.name, MIMEType: sidecarMIME, Extension: "xmp", SHA256: f.temp.SHA256()}
		if err := tx.InsertPart(r.asset.ID, part); err != nil {
			return nil, err
		}
		changes = append(changes, partChange(dam.PartSidecar, nil, f.name))
	}
	for _, p := range r.dropped {
		if err := g.Originals.Release(tx, p.SHA256); err != nil {
			return nil, err
		}
		i := slices.IndexFunc(changes, func(c dam.HistoryChange) bool { return c.From == nil && dam.SameName(c.To.(string), p.Filename) })
		if i >= 0 {
			changes[i].From = p.Filename
		} else {
			changes = append(changes, partChange(dam.PartSidecar, p.Filename, nil))
		}
	}
	return changes, nil
}

// blame records why the unread sidecars of an asset in an external library have not been
// read.
func blame(tx *storage.Tx, asset int64, why string) error {
	b, err := besidesOf(tx, asset)
	if err != nil || b == nil {
		return err
	}
	for _, f := range b.here {
		if f.SHA256 != "" || f.Problem != "" {
			continue
		}
		f.Problem = why
		if err := tx.PutRootFile(f); err != nil {
			return err
		}
	}
	return nil
}

// BesideDied records that the sidecars of an asset could not be read.
func (g *Ingester) BesideDied(tx *storage.Tx, j *dam.Job) error {
	return blame(tx, j.Subject, "It could not be read. The server's log says why.")
}
