package external

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/ingest"
	"github.com/digital-asset-library/dal/app/original"
	"github.com/digital-asset-library/dal/storage"
)

// read checks whether the library accepts a file, and reads it once for its checksum. If
// the file changes in the meantime, it returns ErrChanged.
func (s *rootScan) read(ctx context.Context, in *os.Root, f *freshFile) error {
	switch {
	case f.Size == 0:
		return &dam.FileError{Code: dam.CodeCorrupt, Message: "The file is empty."}
	case f.Size > s.p.MaxFile:
		return &dam.FileError{Code: dam.CodeTooLarge, Message: ingest.TooLarge(f.Size, s.p.MaxFile)}
	}
	file, info, err := original.OpenRegularIn(in, f.Name)
	if err != nil {
		return err
	}
	defer file.Close()
	if _, err := s.p.Media.Check(ctx, file, info.Size(), f.Name); err != nil {
		return err
	}
	return s.sum256(ctx, in, f)
}

// sum256 computes the checksum of a file. If the file changes in the meantime, it returns
// ErrChanged.
func (s *rootScan) sum256(ctx context.Context, in *os.Root, f *freshFile) error {
	file, _, err := original.OpenRegularIn(in, f.Name)
	if err != nil {
		return err
	}
	defer file.Close()
	h := sha256.New()
	n, err := io.Copy(h, readerWith(ctx, file))
	if err != nil {
		return err
	}
	after, err := file.Stat()
	if err != nil {
		return err
	}
	stamp := original.StampOf(after, s.inodes[original.DeviceOf(after)])
	if n != f.Size || after.Size() != f.Size || after.ModTime().UnixNano() != f.MTime || stamp != f.Stamp {
		return original.ErrChanged
	}
	s.sum.Bytes += n
	f.SHA256 = hex.EncodeToString(h.Sum(nil))
	return nil
}

// readerWith reads until a context is done.
func readerWith(ctx context.Context, r io.Reader) io.Reader {
	return readFunc(func(b []byte) (int, error) {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		return r.Read(b)
	})
}

type readFunc func([]byte) (int, error)

func (f readFunc) Read(b []byte) (int, error) { return f(b) }

// commit writes the findings about files and queues the ingestion of new ones.
func (s *rootScan) commit(ctx context.Context) error {
	if len(s.fresh) == 0 {
		return nil
	}
	files := s.fresh
	s.fresh, s.freshBytes = nil, 0
	if err := s.begin(ctx, len(files)); err != nil {
		return err
	}
	sum, filled := s.sum, s.filled
	err := s.p.Store.Update(ctx, func(tx *storage.Tx) error {
		s.sum, s.filled, s.taking = sum, filled, nil
		var assets []int64
		for i := range files {
			touched, err := s.put(tx, &files[i])
			if err != nil {
				return err
			}
			assets = append(assets, touched...)
		}
		if err := s.p.Ingest.Relocate(tx, assets, true); err != nil {
			return err
		}
		tx.OnCommit(s.p.Index.Changed)
		return tx.Reappeared(assets)
	})
	if err != nil {
		s.sum, s.filled = sum, filled
		return err
	}
	for _, path := range s.taking {
		s.taken[path] = true
	}
	return nil
}

// begin makes sure that a batch with room for n files is open.
func (s *rootScan) begin(ctx context.Context, n int) error {
	if s.batch != 0 && s.filled+n <= s.p.MaxFiles {
		return nil
	}
	if err := s.close(ctx); err != nil {
		return err
	}
	b := &dam.Batch{Name: dam.Visible("Files in place: " + s.root.Name), CollectionIDs: s.collections}
	if err := s.p.CreateBatch(ctx, s.actor, b); err != nil {
		return err
	}
	s.batch, s.filled = b.ID, 0
	s.sum.batches = append(s.sum.batches, b.ID)
	return nil
}

// close closes the batch.
func (s *rootScan) close(ctx context.Context) error {
	if s.batch == 0 {
		return nil
	}
	_, err := s.p.EndBatch(ctx, s.actor, s.batch)
	s.batch = 0
	return err
}

// put writes the findings about a file, and returns the assets that have gained or lost it.
func (s *rootScan) put(tx *storage.Tx, found *freshFile) (assets []int64, err error) {
	f := &found.RootFile
	before, err := tx.RootFileAt(f.RootID, f.Folder, f.Name)
	if dam.KindOf(err) == dam.NotFound {
		before, err = &dam.RootFile{}, nil
	}
	if err != nil {
		return nil, err
	}
	if f.Kind == dam.RootFileSidecar {
		return nil, putSidecarIn(tx, found, before)
	}
	if before.AssetID != 0 {
		assets = append(assets, before.AssetID)
		f.AssetID = before.AssetID
	}
	if f.Unreadable && before.ID != 0 {
		before.State, before.Unreadable, before.Problem = dam.RootFilePresent, true, f.Problem
		return assets, tx.PutRootFile(before)
	}
	if f.SHA256 == "" {
		s.sum.Refused++
		return assets, tx.PutRootFile(f)
	}
	if before.SHA256 == f.SHA256 && (before.AssetID != 0 || before.Excluded || before.FileID != 0) { // touched, or back again
		f.FileID, f.Excluded = before.FileID, before.Excluded
		if !before.Unreadable {
			f.Problem = before.Problem
		}
		s.link(f)
		if before.State == dam.RootFilePresent && before.SHA256 != "" && !before.Unreadable {
			assets = nil // nothing about the asset has changed
		}
		return assets, tx.PutRootFile(f)
	}
	asset, err := tx.AssetOfBytes(f.SHA256)
	if err != nil {
		return nil, err
	}
	if asset != 0 {
		f.AssetID = asset
		s.link(f)
		if err := tx.PutRootFile(f); err != nil || before.AssetID == 0 || before.SHA256 == f.SHA256 {
			return append(assets, asset), err
		}
		return append(assets, asset), s.p.Ingest.DropLost(tx, s.actor, before.AssetID, f)
	}
	if f.Excluded, err = tx.IsExcluded(f.RootID, f.SHA256); err != nil {
		return nil, err
	}
	if f.Excluded {
		f.AssetID = 0
		s.sum.Skipped++
		return assets, tx.PutRootFile(f)
	}
	if f.AssetID == 0 {
		twins, err := tx.PlacesOf(f.SHA256)
		if err != nil {
			return nil, err
		}
		for _, twin := range twins {
			if twin.FileID != 0 && twin.Problem == "" { // its ingestion also links this file
				s.link(f)
				return assets, tx.PutRootFile(f)
			}
		}
	}
	return assets, s.ingest(tx, f)
}

// link counts a file whose content an asset already has.
func (s *rootScan) link(f *dam.RootFile) {
	if !s.take(f) {
		s.sum.Linked++
	}
}

// ingest adds a file to the batch and queues its ingestion.
func (s *rootScan) ingest(tx *storage.Tx, f *dam.RootFile) error {
	file := &dam.BatchFile{
		BatchID: s.batch, Filename: dam.CleanFilename(f.Name), Status: dam.FileQueued, Size: f.Size, SHA256: f.SHA256,
	}
	if _, err := tx.TakeFiles(s.batch, 1, s.p.MaxFiles); err != nil {
		return err
	}
	if err := tx.PlaceBlob(f.SHA256, f.Size); err != nil {
		return err
	}
	if err := tx.InsertBatchFile(file); err != nil {
		return err
	}
	if err := s.p.Jobs.AddFile(tx, file.ID); err != nil {
		return err
	}
	if !s.take(f) {
		s.sum.New++
	}
	s.filled++
	f.FileID = file.ID
	return tx.PutRootFile(f)
}

// gone records that files no longer exist. A file is forgotten if it has no asset or if its
// asset exists elsewhere.
func (p *Libraries) gone(tx *storage.Tx, files []*dam.RootFile) error {
	var assets []int64
	for _, file := range files {
		f, err := tx.RootFileAt(file.RootID, file.Folder, file.Name)
		if dam.KindOf(err) == dam.NotFound {
			continue
		}
		if err != nil {
			return err
		}
		if f.Kind == dam.RootFileSidecar && f.AssetID != 0 { // its asset keeps the metadata read from it
			f.State = dam.RootFileMissing
			if err := tx.PutRootFile(f); err != nil {
				return err
			}
			continue
		}
		if f.AssetID == 0 && !f.Excluded {
			if err := tx.DeleteRootFile(f.ID); err != nil {
				return err
			}
			continue
		}
		keep := f.Excluded // it may reappear elsewhere
		if f.AssetID != 0 {
			assets = append(assets, f.AssetID)
			if keep, err = p.isOnly(tx, f); err != nil {
				return err
			}
		}
		f.State = dam.RootFileMissing
		if keep {
			err = tx.PutRootFile(f)
		} else {
			err = tx.DeleteRootFile(f.ID)
		}
		if err != nil {
			return err
		}
	}
	if err := p.Ingest.Relocate(tx, assets, true); err != nil {
		return err
	}
	return tx.Reappeared(assets)
}

// isOnly reports whether a missing file was the only location of its asset, or of the part
// that it is.
func (p *Libraries) isOnly(tx *storage.Tx, f *dam.RootFile) (bool, error) {
	others, err := tx.PlacesOfAsset(f.AssetID)
	if err != nil {
		return false, err
	}
	for _, o := range others {
		if o.ID != f.ID && o.State == dam.RootFilePresent && o.SHA256 == f.SHA256 {
			return false, nil
		}
	}
	list, err := tx.AssetsByID([]int64{f.AssetID})
	if err != nil || len(list) == 0 {
		return false, err
	}
	return tx.IsPlaced(f.SHA256)
}

// putSidecarIn writes the findings of a scan about a sidecar.
func putSidecarIn(tx *storage.Tx, found *freshFile, before *dam.RootFile) error {
	f := &found.RootFile
	f.AssetID = before.AssetID
	if found.like(before) && !found.differs { // it is back
		f.SHA256, f.Problem = before.SHA256, before.Problem
	}
	return tx.PutRootFile(f)
}
