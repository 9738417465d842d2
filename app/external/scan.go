package external

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/ingest"
	"github.com/digital-asset-library/dal/app/original"
	"github.com/digital-asset-library/dal/storage"
)

const (
	// placeSample is the number of files checked to determine whether a folder is still the
	// same one.
	placeSample = 20
	// goneStep is the number of missing files recorded per transaction.
	goneStep = 500
)

// PlaceProgress counts the files of a scan of an external library.
type PlaceProgress struct {
	Found     int           // files seen so far, except hidden ones
	Same      int           // known and unchanged
	New       int           // passed to ingestion, including changed files
	Linked    int           // content already in the library: moved, copied, or back again
	Gone      int           // missing
	Skipped   int           // deleted from the library, or their owner may no longer upload
	Unsettled int           // possibly still being written
	Settle    time.Duration // time until the first of those may have settled
	Unread    int           // unreadable
	Partial   int           // still being downloaded or copied by another program, according to their names
	Sidecars  int           // metadata of other files
	Parts     int           // passed to ingestion, and now parts of other files' assets
	Refused   int           // not accepted by the library
	Bytes     int64         // read so far

	batches []int64 // batches of the files passed to ingestion
}

// offlineError is the reason why an external library is considered offline.
type offlineError struct{ why string }

func (e *offlineError) Error() string { return e.why }

// rootScan is one scan of an external library.
type rootScan struct {
	p     *Libraries
	actor dam.Actor // the owner
	root  *dam.Root
	dir   *os.Root
	top   fs.FileInfo

	dry         bool   // count only
	verify      bool   // also read files that seem unchanged
	closed      string // why no new files are accepted; "" if they are
	collections []int64
	folder      func(path string)      // called with each folder
	progress    func(p PlaceProgress)  // called periodically
	problem     func(path, why string) // called with each file that cannot be imported

	taken  map[string]bool // files already counted by the scans of an import; nil without an import
	taking []string        // files counted in the current transaction
	sum    PlaceProgress
	batch  int64
	filled int // files in the batch

	fresh      []freshFile // waiting to be committed
	freshBytes int64
	gone       []*dam.RootFile
	unstamped  []*dam.RootFile // waiting for their stamps to be written
	inodes     map[string]bool // by device: result of KeepsInodes
	seen       map[string]bool // folders that were read
	blocked    []string        // folders that could not be read
	mounts     []string
	notes      []string
}

// freshFile is a new or changed file.
type freshFile struct {
	dam.RootFile
	differs bool // its content differs from the recorded content
}

// like reports whether a file seems unchanged. An unknown stamp does not count as a change.
func (f *freshFile) like(before *dam.RootFile) bool {
	return before.Size == f.Size && before.MTime == f.MTime && (before.Stamp == f.Stamp || before.Stamp == "" || f.Stamp == "")
}

// scan scans an external library. The caller holds the lock. The error is an *offlineError
// if the library cannot be recognized; nothing is then concluded about its files.
func (s *rootScan) scan(ctx context.Context) error {
	start := s.p.Now()
	s.p.settling.prune(start)
	s.seen, s.inodes = map[string]bool{}, map[string]bool{}
	dir, err := s.recognize(ctx)
	if err != nil {
		return err
	}
	defer dir.Close()
	s.dir = dir
	err = s.walk(ctx, "")
	if err == nil {
		err = s.commit(ctx)
	}
	if err == nil {
		err = s.stamp(ctx)
	}
	err = errors.Join(err, s.close(context.WithoutCancel(ctx)))
	if err == nil {
		err = s.leave(ctx)
	}
	if err == nil && !s.dry && s.closed == "" {
		err = s.sidecars(ctx)
	}
	s.progress(s.sum)
	if err != nil || s.dry {
		return err
	}
	return s.done(ctx, start)
}

// recognize opens the root folder if it is still the same folder.
func (s *rootScan) recognize(ctx context.Context) (*os.Root, error) {
	offline := func(why string, args ...any) (*os.Root, error) { return nil, &offlineError{fmt.Sprintf(why, args...)} }
	dir, err := os.OpenRoot(s.root.Path)
	if err != nil {
		return offline("The folder cannot be opened: %v.", original.Cause(err))
	}
	ok := false
	defer func() {
		if !ok {
			dir.Close()
		}
	}()
	if s.top, err = dir.Stat("."); err != nil {
		return offline("The folder cannot be read: %v.", original.Cause(err))
	}
	var sample []*dam.RootFile
	err = s.p.Store.View(ctx, func(tx *storage.Tx) error {
		sample, err = tx.SampleRootFiles(s.root.ID, placeSample)
		return err
	})
	if err != nil {
		return nil, err
	}
	if len(sample) == 0 {
		ok = true
		return dir, nil
	}
	names, err := readNames(dir)
	if err != nil {
		return offline("The folder cannot be read: %v.", original.Cause(err))
	}
	if isBare(names) {
		return offline("The folder is empty, and had files: the disk is probably not mounted.")
	}
	if id := original.IdentityOf(s.top); id == "" || id != s.root.Identity {
		there := 0
		for _, f := range sample {
			if info, err := dir.Lstat(filepath.FromSlash(f.Path())); err == nil && info.Size() == f.Size {
				there++
			}
		}
		if 2*there < len(sample) {
			return offline("Another folder is in its place: of %d files that it had, %d are there.", len(sample), there)
		}
	}
	ok = true
	return dir, nil
}

// isBare reports whether a folder contains nothing but hidden and system files.
func isBare(entries []fs.DirEntry) bool {
	return !slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return !ingest.LeftOut(e.Name()) })
}

func readNames(dir *os.Root) ([]fs.DirEntry, error) {
	f, err := original.OpenQuietly(dir, ".")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.ReadDir(-1)
}

// walk scans a folder and its subfolders. Folders that cannot be read are recorded.
func (s *rootScan) walk(ctx context.Context, folder string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	sub, err := s.dir.OpenRoot(filepath.FromSlash(cmp.Or(folder, ".")))
	if err != nil {
		s.cannot(folder, err)
		return nil
	}
	defer sub.Close()
	entries, err := readNames(sub)
	if err != nil {
		s.cannot(folder, err)
		return nil
	}
	info, err := sub.Stat(".")
	if err != nil {
		s.cannot(folder, err)
		return nil
	}
	if device := original.DeviceOf(info); !s.inodes[device] {
		if _, known := s.inodes[device]; !known {
			s.inodes[device] = inodesIn(sub)
		}
	}
	if folder != "" && original.DeviceOf(info) != original.DeviceOf(s.top) {
		s.mounts = append(s.mounts, folder)
	} else if slices.Contains(s.root.Mounts, folder) && isBare(entries) {
		s.cannot(folder, errors.New("nothing is mounted there any more"))
		s.mounts = append(s.mounts, folder)
		return nil
	}
	if s.folder != nil {
		s.folder(filepath.Join(s.root.Path, filepath.FromSlash(folder)))
	}
	known, err := s.known(ctx, folder)
	if err != nil {
		return err
	}
	controlled := map[string]bool{} // names of control files
	for _, e := range entries {
		if ingest.Controls(e.Name()) {
			controlled[e.Name()] = true
		}
	}
	var folders []string
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	for _, e := range entries {
		name := e.Name()
		switch {
		case ingest.LeftOut(name):
			continue
		case ingest.IsPartial(name) && known[name] == nil, controlled[name+ingest.AriaControl]: // a known file may be downloaded again
			s.sum.Found++
			s.sum.Partial++
			delete(known, name)
			continue
		case e.IsDir():
			folders = append(folders, name)
			continue
		case !e.Type().IsRegular():
			continue
		}
		info, err := sub.Lstat(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		before := known[name]
		if errors.Is(err, fs.ErrPermission) { // then all of the folder's files are unreadable
			s.cannot(folder, err)
			return nil
		}
		if err != nil {
			delete(known, name)
			s.sum.Found++
			if err := s.unreadable(ctx, freshFile{RootFile: dam.RootFile{Folder: folder, Name: name}}, before, err); err != nil {
				return err
			}
			continue
		}
		if !info.Mode().IsRegular() {
			continue
		}
		delete(known, name)
		if err := s.file(ctx, sub, folder, info, before); err != nil {
			return err
		}
	}
	s.seen[folder] = true
	for _, f := range known {
		if f.State == dam.RootFilePresent {
			s.gone = append(s.gone, f)
		}
	}
	for _, name := range folders {
		if err := s.walk(ctx, path.Join(folder, name)); err != nil {
			return err
		}
	}
	return nil
}

// known returns the known files in a folder, by name.
func (s *rootScan) known(ctx context.Context, folder string) (map[string]*dam.RootFile, error) {
	known := map[string]*dam.RootFile{}
	return known, s.p.Store.View(ctx, func(tx *storage.Tx) error {
		list, err := tx.FolderFiles(s.root.ID, folder)
		for _, f := range list {
			known[f.Name] = f
		}
		return err
	})
}

// cannot records a folder that cannot be read: nothing is concluded about its contents.
func (s *rootScan) cannot(folder string, err error) {
	s.blocked = append(s.blocked, folder)
	s.failed(cmp.Or(folder, "."), original.Cause(err).Error())
	if len(s.notes) < 3 {
		s.notes = append(s.notes, fmt.Sprintf("The folder %s cannot be read: %v.", cmp.Or(folder, "itself"), original.Cause(err)))
	}
}

func (s *rootScan) failed(path, why string) {
	if s.problem != nil {
		s.problem(path, why)
	}
}

// file checks one file.
func (s *rootScan) file(ctx context.Context, in *os.Root, folder string, info fs.FileInfo, before *dam.RootFile) error {
	s.sum.Found++
	if s.sum.Found%100 == 0 {
		s.progress(s.sum)
	}
	f := freshFile{RootFile: dam.RootFile{
		RootID: s.root.ID, Folder: folder, Name: info.Name(), Size: info.Size(), MTime: info.ModTime().UnixNano(),
		Stamp: original.StampOf(info, s.inodes[original.DeviceOf(info)]), State: dam.RootFilePresent, Kind: kindOf(info.Name()),
	}}
	same := before != nil && f.like(before)
	isSidecar := f.Kind == dam.RootFileSidecar
	if same && isSidecar {
		s.sum.Sidecars++
	}
	switch {
	case same && before.State == dam.RootFilePresent && before.Unreadable:
		return s.reread(ctx, in, f, before)
	case same && before.State == dam.RootFilePresent:
		return s.unchanged(ctx, in, f, before)
	case same: // it is back
		f.SHA256 = before.SHA256
		if s.dry && !isSidecar {
			s.sum.Linked++
		}
		return s.add(ctx, f)
	}
	if wait := s.p.settling.wait(settlingFile{s.root.ID, f.Path()}, f.Size, f.MTime, s.p.Now()); wait > 0 {
		s.unsettled(wait)
		return nil
	}
	switch {
	case isSidecar:
		s.sum.Sidecars++
		if s.closed == "" { // it is read once its file is an asset
			return s.add(ctx, f)
		}
		return nil
	case s.closed != "":
		s.sum.Skipped++
		return nil
	}
	if s.dry {
		s.sum.New++
		return nil
	}
	if err := s.read(ctx, in, &f); err != nil {
		return s.unread(ctx, f, before, err)
	}
	return s.add(ctx, f)
}

// unread records why a file was not imported.
func (s *rootScan) unread(ctx context.Context, f freshFile, before *dam.RootFile, err error) error {
	fault, ok := errors.AsType[*dam.FileError](err)
	switch {
	case ok:
		f.Problem = fault.Message
		s.failed(f.Path(), fault.Message)
		return s.add(ctx, f)
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, original.ErrChanged), errors.Is(err, original.ErrNoFile):
		s.unsettled(settleAfter)
		return nil
	}
	return s.unreadable(ctx, f, before, err)
}

// unsettled counts a file that may have settled after wait.
func (s *rootScan) unsettled(wait time.Duration) {
	if s.sum.Unsettled == 0 || wait < s.sum.Settle {
		s.sum.Settle = wait
	}
	s.sum.Unsettled++
}

// unreadable records that an existing file cannot be read. The information about its
// content is kept.
func (s *rootScan) unreadable(ctx context.Context, f freshFile, before *dam.RootFile, err error) error {
	why := original.UnreadableText(err)
	s.sum.Unread++
	s.failed(f.Path(), cmp.Or(why, original.Cause(err).Error()))
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case why == "" || s.dry || before != nil && before.Unreadable && before.Problem == why:
		return nil
	case before != nil:
		f.RootFile = *before
	case f.RootID == 0: // nothing is known about it
		return nil
	}
	f.State, f.Unreadable, f.Problem = dam.RootFilePresent, true, why
	return s.add(ctx, f)
}

// reread tries again to read a file that seems unchanged and could not be read before.
func (s *rootScan) reread(ctx context.Context, in *os.Root, f freshFile, before *dam.RootFile) error {
	isNew := before.SHA256 == ""
	if isNew && s.closed != "" {
		s.sum.Skipped++
		return nil
	}
	look := s.sum256
	if isNew {
		look = s.read
	}
	if err := look(ctx, in, &f); err != nil {
		return s.unread(ctx, f, before, err)
	}
	if f.differs = f.SHA256 != before.SHA256; f.differs && s.closed != "" {
		s.sum.Skipped++
		return nil
	}
	return s.add(ctx, f)
}

// unchanged handles a file that seems unchanged: it records a missing stamp, and reads the
// file if that must be verified.
func (s *rootScan) unchanged(ctx context.Context, in *os.Root, f freshFile, before *dam.RootFile) error {
	if s.verify && before.SHA256 != "" && before.FileID == 0 && s.closed == "" {
		err := s.sum256(ctx, in, &f)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err == nil && f.SHA256 != before.SHA256 {
			f.differs = true
			if s.dry {
				s.sum.New++
				return nil
			}
			if f.Kind == dam.RootFileSidecar {
				f.SHA256 = ""
			}
			return s.add(ctx, f)
		}
		if err != nil {
			return s.unreadable(ctx, f, before, err)
		}
	}
	s.countSame(before)
	if s.dry || f.Stamp == "" || before.Stamp == f.Stamp {
		return nil
	}
	before.Stamp = f.Stamp
	if s.unstamped = append(s.unstamped, before); len(s.unstamped) < goneStep {
		return nil
	}
	return s.stamp(ctx)
}

// countSame counts an unchanged file.
func (s *rootScan) countSame(f *dam.RootFile) {
	switch {
	case f.Kind == dam.RootFileSidecar || s.taken[f.Path()]: // already counted
	case f.Problem != "":
		s.sum.Refused++
	case f.Excluded:
		s.sum.Skipped++
	default:
		s.sum.Same++
	}
}

// take records that this scan has counted a file as new or known, and reports whether an
// earlier scan of the same import has already counted it.
func (s *rootScan) take(f *dam.RootFile) (counted bool) {
	if s.taken != nil {
		s.taking = append(s.taking, f.Path())
	}
	return s.taken[f.Path()]
}

// stamp writes the missing stamps of files.
func (s *rootScan) stamp(ctx context.Context) error {
	files := s.unstamped
	s.unstamped = nil
	if len(files) == 0 {
		return nil
	}
	return s.p.Store.Update(ctx, func(tx *storage.Tx) error {
		for _, f := range files {
			if err := tx.StampRootFile(f.ID, f.Stamp); err != nil {
				return err
			}
		}
		return nil
	})
}

// inodesIn is KeepsInodes for the files of a folder.
func inodesIn(dir *os.Root) bool {
	f, err := original.OpenQuietly(dir, ".")
	if err != nil {
		return false
	}
	defer f.Close()
	return original.KeepsInodes(f)
}

// kindOf returns the kind of a file in an external library, by its name.
func kindOf(name string) dam.RootFileKind {
	if dam.IsSidecar(name) {
		return dam.RootFileSidecar
	}
	return dam.RootFileOriginal
}

// add schedules a file for the next commit.
func (s *rootScan) add(ctx context.Context, f freshFile) error {
	if s.dry {
		return nil
	}
	s.fresh = append(s.fresh, f)
	s.freshBytes += f.Size
	if len(s.fresh) >= ingest.ImportFiles || s.freshBytes >= ingest.ImportBytes {
		return s.commit(ctx)
	}
	return nil
}

// leave records which files are missing, after all others have been checked, since moved
// files are known by then.
func (s *rootScan) leave(ctx context.Context) error {
	var folders []string
	err := s.p.Store.View(ctx, func(tx *storage.Tx) (err error) {
		folders, err = tx.RootFolders(s.root.ID)
		return err
	})
	if err != nil {
		return err
	}
	for _, folder := range folders {
		if s.seen[folder] || s.below(folder, s.blocked) {
			continue
		}
		if s.below(folder, s.root.Mounts) { // gone together with its mount
			s.blocked = append(s.blocked, folder)
			s.keepMount(folder)
			continue
		}
		known, err := s.known(ctx, folder)
		if err != nil {
			return err
		}
		for _, f := range known {
			if f.State == dam.RootFilePresent {
				s.gone = append(s.gone, f)
			}
		}
	}
	s.sum.Gone = len(s.gone)
	if s.dry {
		return nil
	}
	for part := range slices.Chunk(s.gone, goneStep) {
		if err := s.p.Store.Update(ctx, func(tx *storage.Tx) error { return s.p.gone(tx, part) }); err != nil {
			return err
		}
	}
	return nil
}

// keepMount keeps a missing mount point that contains a folder on the list of expected
// mounts.
func (s *rootScan) keepMount(folder string) {
	for _, m := range s.root.Mounts {
		if s.below(folder, []string{m}) && !slices.Contains(s.mounts, m) {
			s.mounts = append(s.mounts, m)
			s.notes = append(s.notes, fmt.Sprintf("The folder %s is not mounted.", m))
		}
	}
}

// below reports whether a folder is one of the folders in of, or inside one.
func (s *rootScan) below(folder string, of []string) bool {
	return slices.ContainsFunc(of, func(up string) bool {
		return up == "" || folder == up || strings.HasPrefix(folder, up+"/")
	})
}

// done records that the library has been scanned.
func (s *rootScan) done(ctx context.Context, start time.Time) error {
	return s.p.Store.Update(ctx, func(tx *storage.Tx) error {
		root, err := tx.Root(s.root.ID)
		if err != nil {
			return err
		}
		if s.closed != "" {
			s.notes = append(s.notes, s.closed)
		}
		was, end := root.State, s.p.Now()
		root.State, root.Note = dam.RootOnline, strings.Join(s.notes, " ")
		seen := slices.Equal(root.Unread, s.blocked)
		root.Identity, root.Mounts, root.Unread = original.IdentityOf(s.top), s.mounts, s.blocked
		root.ScanWanted, root.LastScanAt, root.LastScan = false, &end, max(0, end.Sub(start))
		if err := tx.SetRoot(root); err != nil || was == root.State && seen {
			return err
		}
		return s.p.reappeared(tx, root.ID)
	})
}

// reappeared records that the availability of an external library's assets may have
// changed.
func (p *Libraries) reappeared(tx *storage.Tx, root int64) error {
	assets, err := tx.AssetsOfRoot(root)
	if err != nil {
		return err
	}
	tx.OnCommit(p.Index.Changed)
	return tx.Reappeared(assets)
}

// offline records that an external library is offline.
func (p *Libraries) offline(ctx context.Context, id int64, why string) error {
	return p.Store.Update(ctx, func(tx *storage.Tx) error {
		root, err := tx.Root(id)
		if err != nil {
			return err
		}
		was := root.State
		if was == dam.RootOffline && root.Note == why && !root.ScanWanted {
			return nil
		}
		root.State, root.Note, root.ScanWanted = dam.RootOffline, why, false
		if err := tx.SetRoot(root); err != nil || was == root.State {
			return err
		}
		return p.reappeared(tx, id)
	})
}

// sidecars queues reading the library's sidecars that are new, changed or missing, or that
// now belong to another file.
func (s *rootScan) sidecars(ctx context.Context) error {
	want := map[int64]bool{}
	err := s.p.Store.View(ctx, func(tx *storage.Tx) error {
		names, err := ingest.RootNames(tx)
		if err != nil {
			return err
		}
		return tx.SidecarFolders(s.root.ID, func(files []*dam.RootFile) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			return ingest.StaleSidecars(tx, files, names, want)
		})
	})
	if err != nil {
		return err
	}
	list := make([]int64, 0, len(want))
	for id := range want {
		list = append(list, id)
	}
	slices.Sort(list)
	for part := range slices.Chunk(list, goneStep) {
		if err := s.p.Store.Update(ctx, func(tx *storage.Tx) error {
			for _, id := range part {
				if err := s.p.Jobs.AddNext(tx, dam.JobSidecar, id); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			return err
		}
	}
	return nil
}
