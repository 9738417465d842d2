package app

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
) // unavailableError is the cause of errors about files in external libraries that cannot be
// read now.
type unavailableError struct {
	place string
	err   error
}

func (e *unavailableError) Error() string { return fmt.Sprintf("%s: %v", e.place, e.err) }
func (e *unavailableError) Unwrap() error { return e.err } // isUnavailable reports whether an error means that a file in an external library cannot be
// read now.
func isUnavailable(err error) bool { _, ok := errors.AsType[*unavailableError](err); return ok }

var errOffline = errors.New("its folder is not there")
var errChanged = errors.New("it is not as it was read")

var (
	errNoFile = errors.New("there is no such file")
)

// place is a file in an external library that should have certain content.
type place struct {
	*dam.RootFile
	root *dam.Root
}

func (p place) path() string { return filepath.Join(p.root.Path, filepath.FromSlash(p.Path())) }

// placesOf returns the locations of content that the library has only in external
// libraries, and whether that is the case.
func (o *originals) placesOf(ctx context.Context, sha string) (list []place, placed bool, err error) {
	err = o.store.View(ctx, func(tx *storage.Tx) error {
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
					list = append(list, place{f, r})
				}
			}
		}
		return nil
	})
	return list, placed, err
}

// openPlaced opens content that the library has only in external libraries, and reports
// whether that is the case. A file that has changed since it was read is not opened.
func (o *originals) openPlaced(ctx context.Context, sha string) (f *os.File, placed bool, err error) {
	list, placed, err := o.placesOf(ctx, sha)
	if err != nil || !placed {
		return nil, placed, err
	}
	msg, away := "The file is in place, and is not there at present.", error(&unavailableError{sha, errNoFile})
	for _, p := range list {
		f, touched, err := p.open(ctx)
		if touched { // the next scan records its stamp
			o.lookAgain(p.RootID)
		}
		if err == nil {
			return f, true, nil
		}
		away = &unavailableError{p.path(), err}
		switch {
		case errors.Is(err, errOffline):
			msg = fmt.Sprintf("The file is in place in “%s”, which is offline: its folder is not there at present.", p.root.Name)
		case errors.Is(err, errChanged):
			msg = fmt.Sprintf("The file in place in “%s” has changed and is being read again.", p.root.Name)
		case errors.Is(err, errNoFile):
			msg = fmt.Sprintf("The file is in place in “%s”, and is not there at present.", p.root.Name)
		default:
			msg = fmt.Sprintf("The file is in place in “%s”, and cannot be read: %v.", p.root.Name, cause(err))
			o.unreadable(ctx, p.RootFile, err)
		}
		o.lookAgain(p.RootID)
	}
	return nil, true, &dam.Error{Kind: dam.Conflict, Msg: msg, Err: away}
}

// maxProven is the maximum number of bytes read to prove that a file is unchanged if its
// size and mtime are the same but its stamp differs.
const maxProven = 256 << 20

// open opens the file if it is unchanged. If only its stamp differs, it counts as touched,
// and its content decides.
func (p place) open(ctx context.Context) (f *os.File, touched bool, err error) {
	if p.root.State == dam.RootOffline {
		return nil, false, errOffline
	}
	root, err := os.OpenRoot(p.root.Path)
	if err != nil {
		return nil, false, fmt.Errorf("%w: %w", errOffline, err)
	}
	defer root.Close()
	f, info, err := openRegularIn(root, p.Path())
	if err != nil {
		return nil, false, err
	}
	stamp := stampOf(info, keepsInodes(f))
	touched = p.Stamp != "" && stamp != "" && p.Stamp != stamp
	if info.Size() != p.Size || info.ModTime().UnixNano() != p.MTime || touched && p.Size > maxProven {
		err = errChanged
	} else if touched && p.SHA256 != "" {
		err = p.prove(ctx, f)
	}
	if err != nil {
		f.Close()
		return nil, touched, err
	}
	return f, touched, nil
}

// prove returns errChanged unless an open file has the expected content.
func (p place) prove(ctx context.Context, f *os.File) error {
	sum, err := blob.SumOf(ctx, f)
	if err == nil && sum != p.SHA256 {
		err = errChanged
	}
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	return err
}

// unreadableText describes why an existing file cannot be read, "" if the file is not the
// cause.
func unreadableText(err error) string {
	for _, other := range []error{errOffline, errChanged, errNoFile, context.Canceled, context.DeadlineExceeded, fs.ErrNotExist,
		syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM, syscall.EINTR} {
		if errors.Is(err, other) {
			return ""
		}
	}
	return fmt.Sprintf("The file cannot be read: %v.", cause(err))
}

// openRegularIn opens a regular file below a root. It follows no link out of the root, and
// none in place of the file itself.
func openRegularIn(root *os.Root, name string) (*os.File, fs.FileInfo, error) {
	name = filepath.FromSlash(name)
	before, err := root.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil, errNoFile
	case err != nil:
		return nil, nil, err
	case !before.Mode().IsRegular():
		return nil, nil, errNoFile
	}
	f, err := openQuietly(root, name)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err == nil && !os.SameFile(before, info) {
		err = errChanged
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

// cause returns the system's error without the path.
func cause(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	return err
}
