package bulk

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/media"
	"github.com/digital-asset-library/dal/storage"
)

// beside holds the files of the folder being imported that sidecars may belong to.
type beside struct {
	folder string
	names  []string
	gaids  []dam.GAID // assets of the files already in the library, otherwise ""
}

// note adds a file. If it is in another folder, it replaces those of the previous one.
func (b *beside) note(path string, gaid dam.GAID) {
	if folder := filepath.Dir(path); folder != b.folder {
		*b = beside{folder: folder}
	}
	b.names, b.gaids = append(b.names, filepath.Base(path)), append(b.gaids, gaid)
}

// asset returns the asset that a sidecar in the same folder belongs to, "" if that does not
// exist yet or is unknown.
func (b *beside) asset(path string) dam.GAID {
	if filepath.Dir(path) != b.folder {
		return ""
	}
	if of := media.SidecarOf(filepath.Base(path), b.names); len(of) == 1 {
		return b.gaids[of[0]]
	}
	return ""
}

// sidecar passes a sidecar on unless an asset already has it.
func (im *folderImport) sidecar(ctx context.Context, path string, f *os.File, info fs.FileInfo) error {
	h := sha256.New()
	_, err := io.Copy(h, f)
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		im.failed(path, err.Error())
		return nil
	}
	known := false
	err = im.by.Store.View(ctx, func(tx *storage.Tx) error {
		known, err = tx.HasSidecar(hex.EncodeToString(h.Sum(nil)))
		return err
	})
	if err != nil {
		return err
	}
	if known {
		im.progress.Present++
		return nil
	}
	if err := im.begin(ctx); err != nil {
		return err
	}
	u := im.upload
	u.About = im.beside.asset(path)
	defer func() { u.About = "" }()
	return im.send(ctx, path, f, info)
}
