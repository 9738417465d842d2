package backup

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/digital-asset-library/dal/storage"
)

// signatures adds the scanner's hash lists to the backup.
func (w *writer) signatures(ctx context.Context) error {
	dir := filepath.Join(w.src.Dir, signatures)
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !e.Type().IsRegular() || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		if !validExtraName(e.Name()) || len(w.result.Extras) == maxExtras {
			return fmt.Errorf("%s has more than %d files, or %q, a name that not every system can have", dir, maxExtras, e.Name())
		}
		if err := w.signature(ctx, dir, e.Name()); err != nil {
			return err
		}
	}
	return nil
}

func (w *writer) signature(ctx context.Context, dir, name string) error {
	f, err := os.Open(filepath.Join(dir, name))
	if err != nil {
		return err
	}
	defer f.Close()
	n, sha, err := copyHash(ctx, io.Discard, f)
	if err != nil {
		return err
	}
	if _, err := f.Seek(0, 0); err != nil {
		return err
	}
	b := storage.Blob{SHA256: sha, Size: n}
	if kept, err := w.has(ctx, b); err != nil {
		return err
	} else if !kept {
		if fault, err := w.copy(ctx, b, f); err != nil || fault != "" {
			return errors.Join(err, fmt.Errorf("%s changed while it was copied", f.Name()))
		}
	}
	w.result.Extras = append(w.result.Extras, File{signatures + "/" + name, n, sha})
	return nil
}

// sums writes the checksums of all files of the snapshot.
func (w *writer) sums(ctx context.Context, records *storage.Store) (err error) {
	m := &w.result.Manifest
	name := path.Join(w.temp, sumsFile)
	f, err := w.t.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	buf := bufio.NewWriterSize(f, chunk)
	buf.WriteString(sumLine(m.Records.SHA256, path.Join(snapshotsDir, m.Snapshot, recordsFile)))
	for _, e := range m.Extras {
		buf.WriteString(sumLine(e.SHA256, blobPath(e.SHA256)))
	}
	err = eachBlob(ctx, records, func(b storage.Blob) error {
		if w.lacking[b.SHA256] {
			return nil
		}
		_, err := buf.WriteString(sumLine(b.SHA256, blobPath(b.SHA256)))
		return err
	})
	if err = errors.Join(err, buf.Flush()); err != nil {
		return err
	}
	if err := errors.Join(syncFile(f), f.Close()); err != nil {
		return err
	}
	m.Sums.Path = sumsFile
	m.Sums.Size, m.Sums.SHA256, err = w.t.sum(ctx, name)
	return err
}

// publish makes the snapshot visible after all its files are durable.
func (w *writer) publish() error {
	for dir := range w.dirs {
		if err := w.t.syncDir(dir); err != nil {
			return err
		}
	}
	m := &w.result.Manifest
	m.Complete = len(w.lacking) == 0
	if err := w.t.putJSON(path.Join(w.temp, manifestFile), m); err != nil {
		return err
	}
	if err := w.t.root.Rename(w.temp, path.Join(snapshotsDir, m.Snapshot)); err != nil {
		return err
	}
	return errors.Join(w.t.syncDir(snapshotsDir), w.t.syncDir("."))
}
