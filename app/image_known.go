package app

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

// imageURL is what the path of a picture has in it.
type imageURL struct {
	gaid            dam.GAID
	signed, options string
}

// namedImage is what an imageURL names. Whether it may be delivered now, its dates say.
type namedImage struct {
	picked    picked
	transform dam.Transform
	keyEnds   *time.Time // nil for the key that signs
	current   bool       // see Image
	file      File       // with its credits, without its content
}

// namedImage reads what a path names.
func (a *App) namedImage(ctx context.Context, path imageURL) (*namedImage, error) {
	n := &namedImage{}
	err := a.store.View(ctx, func(tx *storage.Tx) (err error) {
		n.picked.asset, n.keyEnds, err = signedAsset(tx, path.gaid, path.signed, path.options)
		return err
	})
	if err != nil {
		return nil, err
	}
	mark, rest, _ := strings.Cut(strings.TrimPrefix(path.options, "v="), ",")
	if n.transform, err = dam.ParseTransform(rest); err != nil { // an older dal signed it
		return nil, errNoImage
	}
	if n.picked, err = a.renditions.pick(ctx, n.picked.asset, dam.RenditionPreview, 0); err != nil {
		return nil, err
	}
	n.current = mark == imageMark(n.picked, n.transform)
	n.file = *imageFile(n.picked, n.transform)
	n.file.ETag = creditedETag(n.file.ETag, creditsIn(n.file.MIMEType, n.picked.asset))
	return n, nil
}

// maxKnownImages bounds what a knownImages remembers.
const maxKnownImages = 1024

// knownImages remembers what paths name until the next commit, whatever it changes: pages
// with pictures are read far more often than the library is written.
type knownImages struct {
	mu      sync.Mutex
	version int64 // of the database
	images  map[imageURL]*namedImage
}

// get returns what a path names, as the database has it now.
func (k *knownImages) get(
	ctx context.Context, store *storage.Store, path imageURL, read func() (*namedImage, error),
) (*namedImage, error) {
	version, err := store.Version(ctx)
	if err != nil {
		return nil, err
	}
	if n := k.at(version, path); n != nil {
		return n, nil
	}
	n, err := read()
	if err != nil {
		return nil, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.version != version || len(k.images) >= maxKnownImages {
		k.version, k.images = version, map[imageURL]*namedImage{}
	}
	k.images[path] = n
	return n, nil
}

func (k *knownImages) at(version int64, path imageURL) *namedImage {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.version != version {
		return nil
	}
	return k.images[path]
}
