package ingest

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"io/fs"
	"time"

	"github.com/digital-asset-library/dal/app/access"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/library"
	"github.com/digital-asset-library/dal/storage"
	"github.com/digital-asset-library/dal/storage/blob"
)

const (
	// MaxUnfinished is the maximum number of a user's unfinished resumable uploads.
	MaxUnfinished = 10_000

	// checkpoint is the number of bytes after which the received part of a request is
	// saved, even if the request fails later.
	checkpoint = 32 << 20
)

// ErrChecksum is returned by Append if the bytes do not match the checksum sent with them.
var ErrChecksum = errors.New("the bytes do not have their checksum")

// A Chunk is the next part of a resumable upload.
type Chunk struct {
	Offset int64     // position of the first byte
	Size   int64     // announced number of bytes; -1 if unknown
	Body   io.Reader // content
	Stop   func()    // makes reading Body fail; called concurrently with the reader

	Sum  hash.Hash // computes the checksum of the content; nil for none
	Want []byte    // expected checksum

	// Still returns an error if the upload may not keep the bytes just recorded in tx; nil
	// if it always may.
	Still func(tx *storage.Tx) error
}

// MaxFileSize returns the maximum size of an uploaded file in bytes.
func (ups *Uploads) MaxFileSize() int64 { return ups.Config.MaxFileSize }

// Expiry returns when an unfinished upload is removed if it receives no more bytes.
func (ups *Uploads) Expiry(u *dam.Resumable) time.Time { return u.TouchedAt.Add(ups.Config.UploadKeep) }

// CreateResumable starts an upload of u.Size bytes into the open batch u.BatchID. An upload
// of 0 bytes is complete immediately.
func (ups *Uploads) CreateResumable(ctx context.Context, actor dam.Actor, u *dam.Resumable) error {
	return ups.AddResumable(ctx, actor, u, func(tx *storage.Tx) (*dam.Batch, error) { return openBatch(tx, actor, u.BatchID) })
}

// AddResumable starts an upload into the batch returned by open.
func (ups *Uploads) AddResumable(
	ctx context.Context, actor dam.Actor, u *dam.Resumable, open func(*storage.Tx) (*dam.Batch, error),
) error {
	if u.Size > ups.Config.MaxFileSize {
		return dam.Errorf(dam.TooLarge, "%s", TooLarge(u.Size, ups.Config.MaxFileSize))
	}
	if err := ups.Disks.Room(library.BlobsDir)(u.Size); err != nil {
		return err
	}
	id := make([]byte, 16)
	rand.Read(id) // never fails
	u.ID, u.Filename, u.CreatedByID = hex.EncodeToString(id), dam.CleanFilename(u.Filename), actor.User.ID
	if err := ups.Store.Update(ctx, func(tx *storage.Tx) error {
		b, err := open(tx)
		if err != nil {
			return err
		}
		u.BatchID = b.ID
		ofBatch, ofUser, err := tx.CountResumables(b.ID, u.CreatedByID)
		if err == nil && ofUser >= MaxUnfinished {
			err = dam.Errorf(dam.Conflict, "You have %d uploads that are not finished; finish or delete some first.", ofUser)
		}
		if err == nil {
			b.Counts.Total += ofBatch
			err = b.Takes(1, ups.Config.MaxBatchFiles)
		}
		if err != nil {
			return err
		}
		return tx.InsertResumable(u)
	}); err != nil || u.Size > 0 {
		return err
	}
	leave, err := ups.Resumables.replace(ctx, u.ID)
	if err != nil {
		return err
	}
	defer leave()
	return ups.finish(ctx, actor, u, nil, nil)
}

// Resumable returns an upload. A request that is sending bytes of it is stopped first, so
// that its progress is known.
func (ups *Uploads) Resumable(ctx context.Context, actor dam.Actor, batchID int64, id string) (u *dam.Resumable, err error) {
	read := func(tx *storage.Tx) error {
		u, _, err = resumable(tx, actor, batchID, id)
		return err
	}
	if err := ups.Store.View(ctx, read); err != nil || u.Complete() {
		return u, err
	}
	leave, err := ups.Resumables.replace(ctx, id)
	if err != nil {
		return nil, err
	}
	defer leave()
	return u, ups.Store.View(ctx, read)
}

// resumable returns an upload with its batch, if the actor may see them.
func resumable(tx *storage.Tx, actor dam.Actor, batchID int64, id string) (*dam.Resumable, *dam.Batch, error) {
	b, err := batch(tx, actor, batchID)
	if err != nil {
		return nil, nil, err
	}
	u, err := tx.Resumable(batchID, id)
	return u, b, err
}

// DeleteResumable removes an unfinished upload. A request that is sending bytes of it is
// stopped first.
func (ups *Uploads) DeleteResumable(ctx context.Context, actor dam.Actor, batchID int64, id string) error {
	if _, err := ups.Resumable(ctx, actor, batchID, id); err != nil {
		return err
	}
	if storage.IsTrial(ctx) { // a request in progress is not interrupted
		return storage.ErrTrial
	}
	leave, err := ups.Resumables.replace(ctx, id)
	if err != nil {
		return err
	}
	defer leave()
	return ups.Store.Update(ctx, func(tx *storage.Tx) error {
		u, b, err := resumable(tx, actor, batchID, id)
		if err == nil {
			err = access.MayFillBatch(actor, b)
		}
		if err == nil && u.Complete() {
			err = dam.Errorf(dam.Conflict, "The upload is complete: its file is in the batch.")
		}
		if err != nil {
			return err
		}
		tx.OnCommit(func() { ups.Resumables.remove(id) })
		return tx.DeleteResumable(id)
	})
}

// Append receives the next part of an upload. When it returns, the received bytes are
// recorded in the upload and survive a power failure. If the part is interrupted, the bytes
// received are kept, unless it has a checksum. With the last byte, the file joins its
// batch.
func (ups *Uploads) Append(ctx context.Context, actor dam.Actor, batchID int64, id string, c Chunk) (*dam.Resumable, error) {
	leave, ok := ups.Resumables.take(id, c.Stop)
	if !ok {
		return nil, errBusy()
	}
	defer leave()
	var u *dam.Resumable
	if err := ups.Store.View(ctx, func(tx *storage.Tx) error {
		var b *dam.Batch
		var err error
		u, b, err = resumable(tx, actor, batchID, id)
		if b == nil || err == nil && u.Complete() {
			return err
		}
		if _, closed := openBatch(tx, actor, batchID); closed != nil { // even if the upload is gone
			return closed
		}
		return err
	}); err != nil {
		return nil, err
	}
	switch {
	case c.Offset != u.Received:
		return nil, dam.Errorf(dam.Conflict, "The upload has %d bytes; the piece begins at %d.", u.Received, c.Offset)
	case c.Size > u.Size-u.Received:
		return nil, tooMuch(u)
	case u.Complete():
		return u, nil
	}
	return u, ups.receive(ctx, actor, u, c)
}

func tooMuch(u *dam.Resumable) error {
	return dam.Errorf(dam.TooLarge, "The request has more bytes than are left of the upload's %d.", u.Size)
}

// receive reads a chunk to its end.
func (ups *Uploads) receive(ctx context.Context, actor dam.Actor, u *dam.Resumable, c Chunk) error {
	in, err := ups.Originals.Blobs.OpenIncoming(ctx, u.ID, u.Received, u.Hash)
	if errors.Is(err, fs.ErrNotExist) {
		return ups.lostUpload(ctx, u, err)
	}
	if err != nil {
		return err
	}
	defer in.Close()
	kept := context.WithoutCancel(ctx) // bytes received are kept even if the client disconnects
	from := &watched{r: c.Body}
	for {
		err := fill(in, from, c.Sum, u.Size)
		switch {
		case err != nil && from.err == nil: // writing failed
			return err
		case c.Sum != nil && err != nil:
			return err
		case c.Sum != nil && !bytes.Equal(c.Sum.Sum(nil), c.Want):
			return ErrChecksum
		case in.Size() == u.Size:
			if n, _ := from.Read(make([]byte, 1)); n > 0 {
				return tooMuch(u)
			}
			return ups.finish(kept, actor, u, in, c.Still)
		}
		if e := ups.advance(kept, u, in, c.Still); e != nil || err != nil || from.ended {
			return errors.Join(e, err)
		}
	}
}

// fill appends to a file until it has size bytes, the reader ends, or a checkpoint is due.
// Chunks with a checksum have no checkpoints.
func fill(in *blob.Incoming, from io.Reader, sum hash.Hash, size int64) error {
	left := size - in.Size()
	to := io.Writer(in)
	if sum != nil {
		to = io.MultiWriter(in, sum)
	} else {
		left = min(left, checkpoint)
	}
	_, err := io.CopyN(to, from, left)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return err
}

// watched records how reading ended.
type watched struct {
	r     io.Reader
	ended bool
	err   error // other than io.EOF
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.r.Read(p)
	switch {
	case err == io.EOF:
		w.ended = true
	case err != nil:
		w.err = err
	}
	return n, err
}

// advance makes the received bytes of an upload durable, unless still returns an error.
func (ups *Uploads) advance(ctx context.Context, u *dam.Resumable, in *blob.Incoming, still func(*storage.Tx) error) error {
	if in.Size() == u.Received {
		return nil
	}
	state, err := in.State()
	if err == nil {
		err = in.Sync()
	}
	if err != nil {
		return err
	}
	return ups.Store.Update(ctx, func(tx *storage.Tx) error {
		if _, err := tx.TakeFiles(u.BatchID, 0, ups.Config.MaxBatchFiles); err != nil {
			return err
		}
		if err := tx.Advance(u, in.Size(), state); err != nil || still == nil {
			return err
		}
		return still(tx)
	})
}

// finish adds a completely received upload to its batch, like a file in a form, unless
// still returns an error. in is nil for an empty file.
func (ups *Uploads) finish(
	ctx context.Context, actor dam.Actor, u *dam.Resumable, in *blob.Incoming, still func(*storage.Tx) error,
) error {
	f := &dam.BatchFile{BatchID: u.BatchID, Filename: u.Filename, Size: u.Size, Status: dam.FileQueued}
	if err := ups.Store.View(ctx, func(tx *storage.Tx) error { // check before storing a file that might then be refused
		b, err := tx.Batch(u.BatchID)
		if err != nil {
			return err
		}
		return b.Takes(1, ups.Config.MaxBatchFiles)
	}); err != nil {
		return err
	}
	up := ups.Upload(actor, u.BatchID)
	up.Files = []*dam.BatchFile{f}
	if in == nil {
		reject(f, dam.CodeCorrupt, "The file is empty.")
	} else {
		t, err := in.Finish()
		if err != nil {
			return err
		}
		f.SHA256, up.Temps = t.SHA256(), []*blob.Temp{t}
	}
	up.Then = func(tx *storage.Tx) error {
		if err := tx.FinishResumable(u, f.ID); err != nil || still == nil {
			return err
		}
		return still(tx)
	}
	_, err := up.Commit(ctx)
	if err == nil {
		ups.Resumables.remove(u.ID)
	}
	return err
}

// lostUpload forgets an upload whose bytes no longer exist.
func (ups *Uploads) lostUpload(ctx context.Context, u *dam.Resumable, cause error) error {
	ups.Log.WarnContext(ctx, "the bytes of an unfinished upload are lost", "batch", u.BatchID, "filename", u.Filename, "err", cause)
	if err := ups.Store.Update(ctx, func(tx *storage.Tx) error { return tx.DeleteResumable(u.ID) }); err != nil {
		return err
	}
	return &dam.Error{Kind: dam.Gone, Msg: "The server has lost the bytes of this upload. Start it again.", Err: cause}
}
