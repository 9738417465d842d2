package render

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

// imageURL holds the parts of an image path.
type imageURL struct {
	gaid            dam.GAID
	signed, options string
}

// namedImage is the image at an imageURL. Its dates determine whether it may be delivered
// now.
type namedImage struct {
	picked    Picked
	transform dam.Transform
	keyEnds   *time.Time // nil for the current signing key
	moved     string     // see Image
	file      File       // with credits, without content
}

// namedImage looks up the image at a path.
func (m *Images) namedImage(ctx context.Context, path imageURL) (*namedImage, error) {
	n := &namedImage{}
	var by signer
	err := m.Store.View(ctx, func(tx *storage.Tx) (err error) {
		n.picked.Asset, by, err = SignedAsset(tx, path.gaid, path.signed, path.options)
		return err
	})
	if err != nil {
		return nil, err
	}
	mark, rest, _ := strings.Cut(strings.TrimPrefix(path.options, "v="), ",")
	if n.transform, err = dam.ParseTransform(rest); err != nil { // signed by an older dal
		return nil, errNoImage
	}
	if n.picked, err = m.Pick(ctx, n.picked.Asset, dam.RenditionPreview, 0); err != nil {
		return nil, err
	}
	n.keyEnds = by.key.ExpiresAt
	if mark != imageMark(n.picked, n.transform) { // the same key and user: it works no longer than the requested path
		n.moved = imagePath(by.key, by.user, n.picked, n.transform)
	}
	n.file = *imageFile(n.picked, n.transform)
	n.file.ETag = creditedETag(n.file.ETag, creditsIn(n.file.MIMEType, n.picked.Asset))
	return n, nil
}

// maxKnownImages is the maximum number of entries in knownImages.
const maxKnownImages = 1024

// knownImages caches the images at paths until the next commit of any kind: pages with
// images are read far more often than the library is written.
type knownImages struct {
	mu      sync.Mutex
	version int64 // of the database
	images  map[imageURL]*namedImage
}

// get returns the image at a path, according to the current database.
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
