package original

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
	"github.com/digital-asset-library/dal/storage/blob"
)

// UnavailableError is the cause of errors about files in external libraries that cannot be
// read now.
type UnavailableError struct {
	Place string
	Err   error
}

func (e *UnavailableError) Error() string { return fmt.Sprintf("%s: %v", e.Place, e.Err) }
func (e *UnavailableError) Unwrap() error { return e.Err }

// IsUnavailable reports whether an error means that a file in an external library cannot be
// read now.
func IsUnavailable(err error) bool {
	_, ok := errors.AsType[*UnavailableError](err)
	return ok
}

// Why a file in an external library cannot be opened.
var (
	ErrOffline = errors.New("its folder is not there")
	ErrChanged = errors.New("it is not as it was read")
	ErrNoFile  = errors.New("there is no such file")
)

// Place is a file in an external library that should have certain content.
type Place struct {
	*dam.RootFile
	Root *dam.Root
}

// AbsPath returns the path of the file on this machine.
func (p Place) AbsPath() string { return filepath.Join(p.Root.Path, filepath.FromSlash(p.Path())) }

// placesOf returns the locations of content that the library has only in external
// libraries, and whether that is the case.
func (o *Files) placesOf(ctx context.Context, sha string) (list []Place, placed bool, err error) {
	err = o.Store.View(ctx, func(tx *storage.Tx) error {
		if placed, err = tx.IsPlaced(sha); err != nil || !placed {
			return err
		}
		files, err := tx.PlacesOf(sha)
		if err != nil {
			return err
		}
		roots, err := tx.Roots()
		if err != nil {
			return err
		}
		for _, f := range files {
			for _, r := range roots {
				if r.ID == f.RootID {
					list = append(list, Place{f, r})
				}
			}
		}
		return nil
	})
	return list, placed, err
}

// openPlaced opens content that the library has only in external libraries, and reports
// whether that is the case. A file that has changed since it was read is not opened.
func (o *Files) openPlaced(ctx context.Context, sha string) (f *os.File, placed bool, err error) {
	list, placed, err := o.placesOf(ctx, sha)
	if err != nil || !placed {
		return nil, placed, err
	}
	msg, away := "The file is in place, and is not there at present.", error(&UnavailableError{sha, ErrNoFile})
	for _, p := range list {
		f, touched, err := p.Open(ctx)
		if touched { // the next scan records its stamp
			o.LookAgain(p.RootID)
		}
		if err == nil {
			return f, true, nil
		}
		away = &UnavailableError{p.AbsPath(), err}
		switch {
		case errors.Is(err, ErrOffline):
			msg = fmt.Sprintf("The file is in place in “%s”, which is offline: its folder is not there at present.", p.Root.Name)
		case errors.Is(err, ErrChanged):
			msg = fmt.Sprintf("The file in place in “%s” has changed and is being read again.", p.Root.Name)
		case errors.Is(err, ErrNoFile):
			msg = fmt.Sprintf("The file is in place in “%s”, and is not there at present.", p.Root.Name)
		default:
			msg = fmt.Sprintf("The file is in place in “%s”, and cannot be read: %v.", p.Root.Name, Cause(err))
			o.Unreadable(ctx, p.RootFile, err)
		}
		o.LookAgain(p.RootID)
	}
	return nil, true, &dam.Error{Kind: dam.Conflict, Msg: msg, Err: away}
}

// maxProven is the maximum number of bytes read to prove that a file is unchanged if its
// size and mtime are the same but its stamp differs.
const maxProven = 256 << 20

// Open opens the file if it is unchanged. If only its stamp differs, it counts as touched,
// and its content decides.
func (p Place) Open(ctx context.Context) (f *os.File, touched bool, err error) {
	if p.Root.State == dam.RootOffline {
		return nil, false, ErrOffline
	}
	root, err := os.OpenRoot(p.Root.Path)
	if err != nil {
		return nil, false, fmt.Errorf("%w: %w", ErrOffline, err)
	}
	defer root.Close()
	f, info, err := OpenRegularIn(root, p.Path())
	if err != nil {
		return nil, false, err
	}
	stamp := StampOf(info, KeepsInodes(f))
	touched = p.Stamp != "" && stamp != "" && p.Stamp != stamp
	if info.Size() != p.Size || info.ModTime().UnixNano() != p.MTime || touched && p.Size > maxProven {
		err = ErrChanged
	} else if touched && p.SHA256 != "" {
		err = p.prove(ctx, f)
	}
	if err != nil {
		f.Close()
		return nil, touched, err
	}
	return f, touched, nil
}

// prove returns ErrChanged unless an open file has the expected content.
func (p Place) prove(ctx context.Context, f *os.File) error {
	sum, err := blob.SumOf(ctx, f)
	if err == nil && sum != p.SHA256 {
		err = ErrChanged
	}
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	return err
}

// UnreadableText describes why an existing file cannot be read, "" if the file is not the
// cause.
func UnreadableText(err error) string {
	for _, other := range []error{ErrOffline, ErrChanged, ErrNoFile, context.Canceled, context.DeadlineExceeded, fs.ErrNotExist,
		syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM, syscall.EINTR} {
		if errors.Is(err, other) {
			return ""
		}
	}
	return fmt.Sprintf("The file cannot be read: %v.", Cause(err))
}

// OpenRegularIn opens a regular file below a root. It follows no link out of the root, and
// none in place of the file itself.
func OpenRegularIn(root *os.Root, name string) (*os.File, fs.FileInfo, error) {
	name = filepath.FromSlash(name)
	before, err := root.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil, ErrNoFile
	case err != nil:
		return nil, nil, err
	case !before.Mode().IsRegular():
		return nil, nil, ErrNoFile
	}
	f, err := OpenQuietly(root, name)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err == nil && !os.SameFile(before, info) {
		err = ErrChanged
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

// Cause returns the system's error without the path.
func Cause(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	return err
}
