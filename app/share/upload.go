package share

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/digital-asset-library/dal/app/access"
	"github.com/digital-asset-library/dal/app/account"
	"github.com/digital-asset-library/dal/app/collection"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/ingest"
	"github.com/digital-asset-library/dal/app/library"
	"github.com/digital-asset-library/dal/app/media"
	"github.com/digital-asset-library/dal/storage"
)

const (
	// HandInIdle is the idle time after which a guest's uploads are considered complete.
	HandInIdle = time.Hour
	// maxHandInForms is the maximum number of concurrent upload forms per share, and
	// maxNetworkForms per network, so that a guest with a slow connection leaves room for
	// others.
	maxHandInForms  = 8
	maxNetworkForms = 2
	// EmptyUploadKeep is how long a guest upload may stay without bytes, and
	// maxEmptyUploads is the maximum number of such uploads per share and network.
	EmptyUploadKeep = 10 * time.Minute
	maxEmptyUploads = 50
	// HandInsShown is the maximum number of files of a visit shown to its guest.
	HandInsShown = 500
	// maxRefused is the maximum number of rejected files of a form that are listed.
	maxRefused = 100
)

// reviewCollection creates a collection for guest uploads if a new share names none. It has
// the share's name, and is restricted to its owner.
func reviewCollection(tx *storage.Tx, actor dam.Actor, s *dam.Share) error {
	if s.Type != dam.ShareHandIn || s.CollectionID != 0 {
		return nil
	}
	if err := access.MayChangeCollections(actor); err != nil {
		return err
	}
	c := dam.NewCollection()
	c.Name, c.Visibility = s.Name, dam.Restricted
	if err := collection.InsertCollection(tx, actor, c); err != nil {
		return err
	}
	s.CollectionID = c.ID
	return nil
}

// handInBatch returns a batch for the files of a guest of a share.
func handInBatch(s *dam.Share) *dam.Batch {
	return &dam.Batch{Name: s.Name, CollectionIDs: []int64{s.CollectionID}, CreatedByID: s.CreatedByID, ShareID: s.ID}
}

// checkHandIn checks that an actor may fill the collection of a share.
func checkHandIn(tx *storage.Tx, actor dam.Actor, s *dam.Share) error {
	if err := access.MayFillBatch(actor, handInBatch(s)); err != nil {
		return err
	}
	unknown, ruled, err := tx.Unfillable(access.Viewer(actor), []int64{s.CollectionID})
	switch {
	case err != nil:
		return err
	case unknown[s.CollectionID]:
		return dam.InvalidField("collection_id", "The selected collection_id is invalid.")
	case ruled[s.CollectionID]:
		return dam.InvalidField("collection_id", "The collection fills itself by its rules.")
	}
	return nil
}

// stillTakes returns errNoShare if the owner of a share may no longer fill its collection.
func stillTakes(tx *storage.Tx, v *Visit) error {
	if v.CollectionID == 0 {
		return errNoShare
	}
	err := checkHandIn(tx, dam.Actor{User: v.owner}, v.Share)
	if kind := dam.KindOf(err); err != nil && (kind == dam.Denied || kind == dam.Invalid) {
		return errNoShare
	}
	return err
}

// handsIn returns the visit of a guest with permission to upload files now.
func handsIn(ctx context.Context, tx *storage.Tx, key GuestKey) (*Visit, error) {
	v, err := decide(ctx, tx, key)
	switch {
	case err != nil:
		return nil, err
	case v.Type != dam.ShareHandIn:
		return nil, errNoShare
	case !v.isOpen() || v.visit == nil:
		return nil, ErrGate
	}
	v.HandedIn, err = tx.HandedIn(v.ID)
	return v, err
}

// owned returns the actor for work on behalf of the guests of a share.
func (v *Visit) owned() dam.Actor { return dam.Actor{User: v.owner} }

// takes returns an error if a share does not accept a file, judging by its name and size.
func (sh *Shares) takes(v *Visit, name string, size int64) error {
	ext := dam.Extension(dam.CleanFilename(name))
	if !v.Upload.TakesKind(media.CategoryOf(ext), ext) {
		return &dam.RefusedFile{Why: dam.RefusedKind}
	}
	if most := sh.MaxFileSize; size > most {
		return &dam.RefusedFile{Why: dam.RefusedSize, Limit: min(most, sh.mostOf(v))}
	}
	if why := v.Upload.Takes(size, v.HandedIn); why != nil {
		return why
	}
	return nil
}

// mostOf returns the maximum size of a guest's file in bytes.
func (sh *Shares) mostOf(v *Visit) int64 {
	if most := v.Upload.MaxFileSize; most > 0 {
		return min(most, sh.MaxFileSize)
	}
	return sh.MaxFileSize
}

// visitBatch returns the open batch of a visit, and creates one if necessary.
func (sh *Shares) visitBatch(ctx context.Context, tx *storage.Tx, v *Visit) (*dam.Batch, error) {
	b, err := tx.VisitBatch(v.ID, v.visit.ID)
	if dam.KindOf(err) == dam.NotFound {
		return sh.newVisitBatch(ctx, tx, v)
	}
	if err != nil {
		return nil, err
	}
	return tx.Batch(b.ID)
}

func (sh *Shares) newVisitBatch(ctx context.Context, tx *storage.Tx, v *Visit) (*dam.Batch, error) {
	b := handInBatch(v.Share)
	e, err := sh.Guests.entered(ctx, tx, v, dam.ShareUploaded, "")
	if err != nil {
		return nil, err
	}
	b.VisitID, b.AccessID = v.visit.ID, e
	return b, tx.InsertBatch(b)
}

// A HandIn holds the uploads of a visit's guest, and the remaining limits of the share.
type HandIn struct {
	*Visit
	MaxFileSize int64
	Files       []*dam.BatchFile // the latest, newest first
	Unfinished  []*dam.Resumable // newest first
}

// HandIn returns a guest's own uploads.
func (sh *Shares) HandIn(ctx context.Context, key GuestKey) (*HandIn, error) {
	h := &HandIn{}
	err := sh.Store.View(access.ByNobody(ctx), func(tx *storage.Tx) (err error) {
		if h.Visit, err = handsIn(access.ByNobody(ctx), tx, key); err != nil {
			return err
		}
		h.MaxFileSize = sh.mostOf(h.Visit)
		if h.Files, err = tx.VisitFiles(h.ID, h.visit.ID, HandInsShown); err != nil {
			return err
		}
		h.Unfinished, err = tx.VisitUploads(h.ID, h.visit.ID, HandInsShown)
		return err
	})
	return h, err
}

// BeginHandIn creates a resumable upload for a guest. It does not reserve space: bytes
// count once they are received.
func (sh *Shares) BeginHandIn(ctx context.Context, key GuestKey, u *dam.Resumable) error {
	ctx = access.ByNobody(ctx)
	var v *Visit
	err := sh.Store.View(ctx, func(tx *storage.Tx) (err error) { // for early error messages; the check below is decisive
		if v, err = handsIn(ctx, tx, key); err == nil {
			err = sh.takes(v, u.Filename, u.Size)
		}
		return err
	})
	if err != nil {
		return err
	}
	return sh.Uploads.AddResumable(ctx, v.owned(), u, func(tx *storage.Tx) (*dam.Batch, error) {
		v, err := handsIn(ctx, tx, key)
		if err == nil {
			err = sh.takes(v, u.Filename, u.Size)
		}
		if err == nil {
			err = mayBeginEmpty(ctx, tx, v)
		}
		if err != nil {
			return nil, err
		}
		return sh.visitBatch(ctx, tx, v)
	})
}

// mayBeginEmpty returns an error if a network has too many uploads without bytes for
// another one.
func mayBeginEmpty(ctx context.Context, tx *storage.Tx, v *Visit) error {
	byIP, err := tx.EmptyUploads(v.ID, tx.Now().Add(-EmptyUploadKeep))
	from, n := account.Network(access.CallerOf(ctx).IP), 0
	for ip, count := range byIP {
		if account.Network(ip) == from {
			n += count
		}
	}
	if err == nil && n >= maxEmptyUploads {
		err = &dam.Error{Kind: dam.TooMany, Msg: "Too many uploads have been started without sending data. Try again later.",
			Err: &account.RetryAfter{Wait: EmptyUploadKeep}}
	}
	return err
}

// visitUpload returns an upload of a guest.
func (sh *Shares) visitUpload(ctx context.Context, key GuestKey, id string) (v *Visit, u *dam.Resumable, err error) {
	err = sh.Store.View(ctx, func(tx *storage.Tx) error {
		if v, err = handsIn(ctx, tx, key); err != nil {
			return err
		}
		u, err = tx.VisitUpload(v.ID, v.visit.ID, id)
		return err
	})
	return v, u, err
}

// HandInUpload is Resumable for an upload of a guest.
func (sh *Shares) HandInUpload(ctx context.Context, key GuestKey, id string) (*dam.Resumable, error) {
	ctx = access.ByNobody(ctx)
	v, u, err := sh.visitUpload(ctx, key, id)
	if err != nil {
		return nil, err
	}
	return sh.Uploads.Resumable(ctx, v.owned(), u.BatchID, id)
}

// AppendHandIn is Append for an upload of a guest. It fails if the share ends or is full;
// both are checked while the bytes are received, and with the last one. An upload that
// exceeds the limits of the share is removed.
func (sh *Shares) AppendHandIn(ctx context.Context, key GuestKey, id string, c ingest.Chunk) (*dam.Resumable, error) {
	ctx = access.ByNobody(ctx)
	v, u, err := sh.visitUpload(ctx, key, id)
	if err != nil {
		return nil, err
	}
	c.Body = sh.whileTaken(ctx, key, c.Body)
	c.Still = func(tx *storage.Tx) error {
		v, err := handsIn(ctx, tx, key)
		if why := v.full(); err == nil && why != nil {
			err = why
		}
		return err
	}
	got := u
	if why := v.others(u); why != nil && !u.Complete() {
		err = why
	} else {
		got, err = sh.Uploads.Append(ctx, v.owned(), u.BatchID, id, c)
	}
	if _, refused := errors.AsType[*dam.RefusedFile](err); refused {
		err = errors.Join(err, sh.Uploads.DeleteResumable(context.WithoutCancel(ctx), v.owned(), u.BatchID, id))
	}
	return got, err
}

// full returns an error if the uploads of a share exceed its limits, nil otherwise.
func (v *Visit) full() *dam.RefusedFile {
	switch {
	case v == nil:
		return nil
	case v.HandedIn.Files > v.Upload.MaxFiles:
		return &dam.RefusedFile{Why: dam.RefusedFiles, Limit: int64(v.Upload.MaxFiles)}
	case v.HandedIn.Bytes > v.Upload.MaxTotalSize:
		return &dam.RefusedFile{Why: dam.RefusedTotal, Limit: v.Upload.MaxTotalSize}
	}
	return nil
}

// others returns an error if a share does not accept an upload in addition to all others.
func (v *Visit) others(u *dam.Resumable) *dam.RefusedFile {
	has := v.HandedIn
	if u.Received > 0 {
		has.Files, has.Bytes = has.Files-1, has.Bytes-u.Received
	}
	return v.Upload.Takes(u.Size, has)
}

// DeleteHandIn removes an unfinished upload of a guest, which then no longer counts.
func (sh *Shares) DeleteHandIn(ctx context.Context, key GuestKey, id string) error {
	ctx = access.ByNobody(ctx)
	v, u, err := sh.visitUpload(ctx, key, id)
	if err != nil {
		return err
	}
	return sh.Uploads.DeleteResumable(ctx, v.owned(), u.BatchID, id)
}

// EndHandIn closes the batch of a guest after their last upload, unless an upload is
// unfinished.
func (sh *Shares) EndHandIn(ctx context.Context, key GuestKey) error {
	ctx = access.ByNobody(ctx)
	return sh.Store.Update(ctx, func(tx *storage.Tx) error {
		v, err := handsIn(ctx, tx, key)
		if err != nil {
			return err
		}
		b, err := tx.VisitBatch(v.ID, v.visit.ID)
		if dam.KindOf(err) == dam.NotFound {
			return nil
		}
		if err != nil {
			return err
		}
		if left, _, err := tx.CountResumables(b.ID, 0); err != nil || left > 0 {
			return err
		}
		return ingest.CloseAll(tx, []int64{b.ID})
	})
}

// CloseHandIns closes the batches of guests without uploads since a given time, and those
// of ended shares.
func CloseHandIns(tx *storage.Tx, since time.Time) (int64, error) {
	ended, err := tx.EndedHandIns(since, storage.Step)
	if err != nil {
		return 0, err
	}
	return int64(len(ended)), ingest.CloseAll(tx, ended)
}

// whileTaken returns a body that fails with an error once a guest may no longer upload.
func (sh *Shares) whileTaken(ctx context.Context, key GuestKey, body io.Reader) io.Reader {
	check := sh.Guests.seldom(func() error {
		return sh.Store.View(ctx, func(tx *storage.Tx) error {
			_, err := handsIn(ctx, tx, key)
			return err
		})
	})
	return &takenBody{body, check}
}

type takenBody struct {
	io.Reader
	check func() error
}

func (b *takenBody) Read(p []byte) (int, error) {
	if err := b.check(); err != nil {
		return 0, err
	}
	return b.Reader.Read(p)
}

// handInForms counts the concurrent upload forms.
type handInForms struct {
	mu sync.Mutex
	n  map[handInPlace]int
}

// handInPlace identifies what forms are counted for: a share, and a network or "" for all.
type handInPlace struct {
	share   int64
	network string
}

// enter counts another form, and returns false if the maximum is reached.
func (f *handInForms) enter(at handInPlace) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.n == nil {
		f.n = map[handInPlace]int{}
	}
	all := handInPlace{share: at.share}
	if f.n[all] >= maxHandInForms || f.n[at] >= maxNetworkForms {
		return false
	}
	f.n[all]++
	f.n[at]++
	return true
}

func (f *handInForms) leave(at handInPlace) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, p := range []handInPlace{{share: at.share}, at} {
		if f.n[p]--; f.n[p] == 0 {
			delete(f.n, p)
		}
	}
}

// A HandInForm receives the files of a guest's form. None of them is in the library before
// Commit, which adds all accepted files or none.
type HandInForm struct {
	Refused []RefusedName // the first rejected files

	shares *Shares
	visit  *Visit // with the share's uploads as they would be
	key    GuestKey
	place  handInPlace
	upload *ingest.Upload
}

// RefusedName is a rejected file of a form.
type RefusedName struct {
	Name string
	Why  *dam.RefusedFile
}

// NewHandInForm starts receiving a form of size bytes. The caller must Commit or Discard
// it.
func (sh *Shares) NewHandInForm(ctx context.Context, key GuestKey, size int64) (*HandInForm, error) {
	ctx = access.ByNobody(ctx)
	f := &HandInForm{shares: sh, key: key}
	if err := sh.Store.View(ctx, func(tx *storage.Tx) (err error) {
		f.visit, err = handsIn(ctx, tx, key)
		return err
	}); err != nil {
		return nil, err
	}
	if most := f.visit.Upload.MaxTotalSize; size > most {
		return nil, &dam.RefusedFile{Why: dam.RefusedTotal, Limit: most}
	}
	if err := sh.Disks.Room(library.BlobsDir)(max(size, 0)); err != nil {
		return nil, err
	}
	f.place = handInPlace{f.visit.ID, account.Network(access.CallerOf(ctx).IP)}
	if !sh.forms.enter(f.place) {
		return nil, dam.Errorf(dam.TooMany, "Too many forms come at once. Try again later.")
	}
	f.upload = sh.Uploads.Upload(f.visit.owned(), 0)
	f.upload.Limits.FileSize = sh.mostOf(f.visit)
	return f, nil
}

// Body returns the form's body, which fails with an error once a guest may no longer
// upload.
func (f *HandInForm) Body(ctx context.Context, body io.Reader) io.Reader {
	return f.shares.whileTaken(access.ByNobody(ctx), f.key, body)
}

// Add streams one file to disk. A file that the share does not accept is recorded as
// rejected.
func (f *HandInForm) Add(ctx context.Context, name string, r io.Reader) error {
	if len(f.upload.Files) >= f.upload.Limits.RequestFiles {
		return f.refuse(name, &dam.RefusedFile{Why: dam.RefusedFiles, Limit: int64(f.upload.Limits.RequestFiles)})
	}
	if err := f.shares.takes(f.visit, name, 1); err != nil { // as far as known in advance
		return f.refuse(name, err)
	}
	temps := len(f.upload.Temps)
	if err := f.upload.Add(ctx, name, r); err != nil {
		return err
	}
	last := len(f.upload.Files) - 1
	size := f.upload.Files[last].Size
	if err := f.shares.takes(f.visit, name, size); err != nil {
		for _, t := range f.upload.Temps[temps:] {
			t.Discard()
		}
		f.upload.Files, f.upload.Temps = f.upload.Files[:last], f.upload.Temps[:temps]
		return f.refuse(name, err)
	}
	f.visit.HandedIn.Files++
	f.visit.HandedIn.Bytes += size
	return nil
}

func (f *HandInForm) refuse(name string, err error) error {
	why, ok := errors.AsType[*dam.RefusedFile](err)
	if !ok {
		return err
	}
	if len(f.Refused) < maxRefused {
		f.Refused = append(f.Refused, RefusedName{dam.CleanFilename(name), why})
	}
	return nil
}

// Commit submits the added files in a new batch, and returns their number.
func (f *HandInForm) Commit(ctx context.Context) (int, error) {
	if len(f.upload.Files) == 0 {
		return 0, nil
	}
	ctx = access.ByNobody(ctx)
	f.upload.Open = func(tx *storage.Tx) (*dam.Batch, error) {
		v, err := handsIn(ctx, tx, f.key)
		if err != nil {
			return nil, err
		}
		for _, file := range f.upload.Files { // others may have uploaded in the meantime
			if err := f.shares.takes(v, file.Filename, file.Size); err != nil {
				return nil, err
			}
			v.HandedIn.Files++
			v.HandedIn.Bytes += file.Size
		}
		return f.shares.newVisitBatch(ctx, tx, v)
	}
	f.upload.Then = func(tx *storage.Tx) error { return tx.CloseBatch(f.upload.Batch) }
	files, err := f.upload.Commit(ctx)
	if err != nil {
		return 0, fmt.Errorf("hand in: %w", err)
	}
	return len(files), nil
}

// Discard ends a form, and removes files that were not submitted.
func (f *HandInForm) Discard() {
	f.upload.Discard()
	f.shares.forms.leave(f.place)
}

// ShareFiles lists the guest uploads to a share that the actor sees, newest first, and
// their total number.
func (sh *Shares) ShareFiles(ctx context.Context, actor dam.Actor, id int64, p dam.Page) (all []*dam.ShareFile, total int, err error) {
	if err := access.MayReadShares(actor); err != nil {
		return nil, 0, err
	}
	err = sh.Store.View(ctx, func(tx *storage.Tx) error {
		if _, err := access.SeenShare(tx, actor, id); err != nil {
			return err
		}
		all, total, err = tx.ShareFiles(id, p)
		return err
	})
	if !actor.May(dam.AssetsRead) {
		for _, f := range all {
			f.GAID = ""
		}
	}
	return all, total, err
}
