package bulk

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/digital-asset-library/dal/app/access"
	"github.com/digital-asset-library/dal/app/collection"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/ingest"
	"github.com/digital-asset-library/dal/app/media"
	"github.com/digital-asset-library/dal/app/original"
	"github.com/digital-asset-library/dal/storage"
)

// ImportOptions are the options of Import.
type ImportOptions struct {
	Collection  string // name of a collection to add the assets to; "" for none
	SkipUnknown bool   // skip files of unsupported types instead of reporting them as problems
	// Problem is called with each file that did not become an asset.
	Problem func(path, why string)
	// Progress is called periodically. Found grows while the folder is read.
	Progress func(p ImportProgress)
	// Waiting, if not nil, is called periodically while the import waits for files. An
	// error ends the import.
	Waiting func() error
}

// ImportProgress counts the files of an import.
type ImportProgress struct {
	Found   int // files seen so far
	Present int // already in the library
	Sent    int // passed to ingestion
	Ready   int // became assets
	Failed  int // did not become assets
	Skipped int // of unsupported types

	Sidecars int // metadata of other files
	Parts    int // became parts of other files' assets
	Partial  int // still being downloaded or copied by another program
}

// Ended returns the number of files that are finished.
func (p ImportProgress) Ended() int {
	return p.Present + p.Ready + p.Failed + p.Skipped + p.Sidecars + p.Parts + p.Partial
}

// importMembers is the number of assets added to a collection at a time.
const importMembers = 500

// Importer imports the files of folders. Its methods are safe for concurrent use.
type Importer struct {
	Store       *storage.Store
	Originals   *original.Files
	Media       *media.Processor
	Uploads     *ingest.Uploads
	Collections *collection.Collections
	MaxFiles    int // per batch
}

// Import imports the files below a folder into the library, for the actor. It skips files
// whose content is already in the library, so an interrupted import is resumed by starting
// it again: it waits for files that are still being ingested, and adds all of them to the
// chosen collection. Hidden files and folders and partial downloads are skipped. The
// library must be Run, by this process or another.
func (i *Importer) Import(ctx context.Context, actor dam.Actor, root string, opt ImportOptions) (ImportProgress, error) {
	if err := access.MayUpload(actor); err != nil {
		return ImportProgress{}, err
	}
	if info, err := os.Stat(root); err != nil {
		return ImportProgress{}, err
	} else if !info.IsDir() {
		return ImportProgress{}, fmt.Errorf("%s is not a folder", root)
	}
	im := &folderImport{by: i, actor: actor, root: root, opt: opt, names: map[int64]string{}, same: map[int64][]string{}}
	if opt.Collection != "" {
		err := i.Store.Update(ctx, func(tx *storage.Tx) error {
			id, err := collection.EnsureCollection(tx, actor, opt.Collection)
			im.collections = []int64{id}
			return err
		})
		if err != nil {
			return im.progress, err
		}
	}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			im.progress.Found++
			im.failed(path, err.Error())
			return nil
		case path != root && ingest.LeftOut(d.Name()):
			if d.IsDir() {
				return filepath.SkipDir
			}
			return nil
		case path != root && ingest.IsPartial(d.Name()):
			im.partial()
			if d.IsDir() {
				return filepath.SkipDir
			}
			return nil
		case !d.Type().IsRegular():
			return nil
		}
		if _, err := os.Lstat(path + ingest.AriaControl); err == nil {
			im.partial()
			return nil
		}
		return im.file(ctx, path)
	})
	err = errors.Join(err, im.close(context.WithoutCancel(ctx)))
	if err == nil {
		err = im.wait(ctx)
	}
	return im.progress, errors.Join(err, im.fill(context.WithoutCancel(ctx)))
}

// folderImport is a running import.
type folderImport struct {
	by          *Importer
	actor       dam.Actor
	root        string
	opt         ImportOptions
	collections []int64
	progress    ImportProgress

	batches []int64 // all of them; the last may be open
	inBatch int     // files in the open batch
	upload  *ingest.Upload
	paths   []string // paths of the files in upload
	bytes   int64
	names   map[int64]string // paths of files being ingested, by file ID

	same    map[int64][]string // further paths with the same content as an unfinished file, by its ID
	beside  beside
	awaited []int64    // IDs in same, in the order found
	members []dam.GAID // assets that may be missing in the collection
}

func (im *folderImport) failed(path, why string) {
	im.progress.Failed++
	im.opt.Problem(im.short(path), why)
}

// partial counts a file that another program is still writing.
func (im *folderImport) partial() {
	im.progress.Found++
	im.progress.Partial++
}

func (im *folderImport) short(path string) string {
	if rel, err := filepath.Rel(im.root, path); err == nil {
		return rel
	}
	return path
}

// file checks one file and passes it on unless the library already has it or cannot accept
// it.
func (im *folderImport) file(ctx context.Context, path string) error {
	im.progress.Found++
	defer func() { im.opt.Progress(im.progress) }()
	f, err := os.Open(path)
	if err != nil {
		im.failed(path, err.Error())
		return nil
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		im.failed(path, err.Error())
		return nil
	}
	if media.IsSidecar(info.Name()) {
		return im.sidecar(ctx, path, f, info)
	}
	if _, err := im.by.Media.Check(ctx, f, info.Size(), info.Name()); err != nil {
		fault, ok := errors.AsType[*dam.FileError](err)
		switch {
		case ok && fault.Code == dam.CodeUnsupportedFormat && im.opt.SkipUnknown:
			im.progress.Skipped++
			return nil
		case ok:
			im.failed(path, fault.Message)
			return nil
		}
		return err
	}
	gaid, file, err := im.known(ctx, f)
	switch {
	case err != nil:
		im.failed(path, err.Error())
		return ctx.Err()
	case gaid != "":
		im.progress.Present++
		im.beside.note(path, gaid)
		return im.member(ctx, gaid)
	case file != 0:
		if im.same[file] == nil {
			im.awaited = append(im.awaited, file)
		}
		im.same[file] = append(im.same[file], path)
		return nil
	}
	im.beside.note(path, "")
	return im.send(ctx, path, f, info)
}

// send adds a file to the upload.
func (im *folderImport) send(ctx context.Context, path string, f *os.File, info fs.FileInfo) error {
	if err := im.begin(ctx); err != nil {
		return err
	}
	if err := im.upload.Add(ctx, info.Name(), f); err != nil {
		if dam.KindOf(err) != dam.Internal {
			return err
		}
		im.failed(path, err.Error())
		return ctx.Err()
	}
	im.paths = append(im.paths, path)
	im.bytes += info.Size()
	if len(im.paths) >= ingest.ImportFiles || im.bytes >= ingest.ImportBytes {
		return im.commit(ctx)
	}
	return nil
}

// known returns the asset that has the same content as a file or, failing that, an
// unfinished batch file that has it, and rewinds the file.
func (im *folderImport) known(ctx context.Context, f *os.File) (gaid dam.GAID, file int64, err error) {
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", 0, err
	}
	sum := hex.EncodeToString(h.Sum(nil))
	err = im.by.Store.View(ctx, func(tx *storage.Tx) error {
		gaid, err = tx.DuplicateOf(sum)
		if dam.KindOf(err) != dam.NotFound {
			return err
		}
		waiting, err := tx.WaitingFile(sum)
		if dam.KindOf(err) == dam.NotFound {
			return nil
		}
		if err == nil {
			file = waiting.ID
		}
		return err
	})
	if err != nil {
		return "", 0, err
	}
	if gaid != "" || file != 0 { // uploading a damaged file repairs it
		info, err := f.Stat()
		if err != nil {
			return "", 0, err
		}
		whole, err := im.by.Originals.Whole(ctx, sum, info.Size())
		if err != nil {
			return "", 0, err
		}
		if !whole {
			gaid, file = "", 0
		}
	}
	_, err = f.Seek(0, io.SeekStart)
	return gaid, file, err
}

// member records an asset that belongs in the chosen collection.
func (im *folderImport) member(ctx context.Context, gaid dam.GAID) error {
	if len(im.collections) == 0 {
		return nil
	}
	if im.members = append(im.members, gaid); len(im.members) < importMembers {
		return nil
	}
	return im.fill(ctx)
}

// fill adds the recorded assets to the chosen collection.
func (im *folderImport) fill(ctx context.Context) error {
	gaids := im.members
	im.members = nil
	for _, id := range im.collections {
		if len(gaids) == 0 {
			break
		}
		if _, err := im.by.Collections.Add(ctx, im.actor, id, gaids); err != nil {
			return fmt.Errorf("fill the collection %s: %w", im.opt.Collection, err)
		}
	}
	return nil
}

// begin makes sure that a batch and an upload into it are open.
func (im *folderImport) begin(ctx context.Context) error {
	if im.upload != nil {
		return nil
	}
	if len(im.batches) == 0 || im.inBatch+ingest.ImportFiles > im.by.MaxFiles {
		if err := im.closeBatch(ctx); err != nil {
			return err
		}
		name := dam.Visible(dam.TitleFromFilename("Import of " + filepath.Base(im.root) + "."))
		b := &dam.Batch{Name: name, CollectionIDs: im.collections}
		if err := im.by.Uploads.CreateBatch(ctx, im.actor, b); err != nil {
			return err
		}
		im.batches, im.inBatch = append(im.batches, b.ID), 0
	}
	u, err := im.by.Uploads.NewUpload(ctx, im.actor, im.batches[len(im.batches)-1])
	im.upload = u
	return err
}

// commit passes the files of the upload to ingestion.
func (im *folderImport) commit(ctx context.Context) error {
	if im.upload == nil {
		return nil
	}
	u, paths := im.upload, im.paths
	for i, f := range u.Files {
		f.Stem = dam.Stem(filepath.ToSlash(filepath.Dir(im.short(paths[i]))), f.Filename)
	}
	im.upload, im.paths, im.bytes = nil, nil, 0
	if len(paths) == 0 {
		u.Discard()
		return nil
	}
	files, err := u.Commit(ctx)
	if err != nil {
		return err
	}
	for i, f := range files {
		im.names[f.ID] = paths[i]
	}
	im.progress.Sent += len(files)
	im.inBatch += len(files)
	return nil
}

// close passes on the remaining files and closes the last batch.
func (im *folderImport) close(ctx context.Context) error {
	return errors.Join(im.commit(ctx), im.closeBatch(ctx))
}

func (im *folderImport) closeBatch(ctx context.Context) error {
	if len(im.batches) == 0 {
		return nil
	}
	_, err := im.by.Uploads.CompleteBatch(ctx, im.actor, im.batches[len(im.batches)-1])
	return err
}

// wait waits until all files are finished, and reports those that failed.
func (im *folderImport) wait(ctx context.Context) error {
	t := time.NewTicker(100 * time.Millisecond)
	defer t.Stop()
	before := im.progress
	for {
		p, open := before, 0
		for _, id := range im.batches {
			b, err := im.by.Uploads.Batch(ctx, im.actor, id)
			if err != nil {
				return err
			}
			open += b.Counts.Open()
			p.Ready += b.Counts.Ready
			p.Present += b.Counts.Duplicate
			p.Failed += b.Counts.Rejected + b.Counts.Failed
		}
		im.progress = p
		im.opt.Progress(p)
		if open == 0 {
			break
		}
		if err := im.tick(ctx, t); err != nil {
			return err
		}
	}
	if err := im.tellApart(ctx); err != nil {
		return err
	}
	if err := im.reportFailed(ctx); err != nil {
		return err
	}
	return im.waitForSame(ctx, t)
}

// tellApart excludes sidecars and parts from the number of files that became assets, and
// counts them separately.
func (im *folderImport) tellApart(ctx context.Context) error {
	return im.by.Store.View(ctx, func(tx *storage.Tx) error {
		for _, id := range im.batches {
			parts, sidecars, err := tx.BatchParts(id)
			if err != nil {
				return err
			}
			im.progress.Ready -= parts + sidecars
			im.progress.Parts += parts
			im.progress.Sidecars += sidecars
		}
		return nil
	})
}

// tick waits until the next check is due.
func (im *folderImport) tick(ctx context.Context, t *time.Ticker) error {
	if im.opt.Waiting != nil {
		if err := im.opt.Waiting(); err != nil {
			return err
		}
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// waitForSame waits until the unfinished files found by known have finished, whether they
// belong to this import or an earlier one, and counts their results. A file of this import
// has already been counted, unlike its further paths.
func (im *folderImport) waitForSame(ctx context.Context, t *time.Ticker) error {
	for len(im.awaited) > 0 {
		id := im.awaited[0]
		var f *dam.BatchFile
		err := im.by.Store.View(ctx, func(tx *storage.Tx) (err error) {
			f, err = tx.BatchFile(id)
			return err
		})
		if err != nil {
			return err
		}
		if !f.Status.Terminal() {
			if err := im.tick(ctx, t); err != nil {
				return err
			}
			continue
		}
		im.awaited = im.awaited[1:]
		_, ours := im.names[id]
		for i, path := range im.same[id] {
			switch {
			case f.Error != nil && f.Status != dam.FileDuplicate:
				im.failed(path, f.Error.Message)
			case f.Status == dam.FileReady && !ours && i == 0:
				im.progress.Ready++
			default:
				im.progress.Present++
			}
		}
		im.opt.Progress(im.progress)
		if f.GAID != "" {
			if err := im.member(ctx, f.GAID); err != nil {
				return err
			}
		}
	}
	return nil
}

func (im *folderImport) reportFailed(ctx context.Context) error {
	return EachFailed(ctx, im.by.Uploads, im.actor, im.batches, func(f *dam.BatchFile) {
		im.opt.Problem(im.short(cmp.Or(im.names[f.ID], f.Filename)), f.Error.Message)
	})
}

// EachFailed calls do with each file of the batches that did not become an asset.
func EachFailed(ctx context.Context, ups *ingest.Uploads, actor dam.Actor, batches []int64, do func(*dam.BatchFile)) error {
	for _, batch := range batches {
		for _, status := range []dam.FileStatus{dam.FileRejected, dam.FileFailed} {
			for offset := 0; ; {
				files, total, err := ups.BatchFiles(ctx, actor, batch, status, dam.Page{Limit: 100, Offset: offset})
				if err != nil {
					return err
				}
				for _, f := range files {
					do(f)
				}
				if offset += len(files); offset >= total || len(files) == 0 {
					break
				}
			}
		}
	}
	return nil
}
