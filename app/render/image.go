package render

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/digital-asset-library/dal/app/access"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/media/embed"
	"github.com/digital-asset-library/dal/storage"
)

// imageVersion is incremented when the output for a transform changes, to invalidate images
// made by an older dal.
const imageVersion = 1

// Images makes images of assets in any size, and signs their URLs.
type Images struct {
	*Renditions
	Store    *storage.Store
	Proxies  *Proxies
	Now      func() time.Time
	known    knownImages
	held     heldImages
	Pyramids *flights // set by NewImages; slower than other images, which do not wait for them
}

// NewImages returns m, ready to make images.
func NewImages(m *Images) *Images {
	m.Pyramids = newFlights(renders())
	return m
}

// An ImageWish requests an image, either with a preset or with the given transform.
type ImageWish struct {
	GAID      dam.GAID
	Preset    string
	Transform dam.Transform
}

// Limits of image URLs.
const (
	MaxImageURLs = 1000 // signed per request
	signedBytes  = 16   // bytes per signature
)

// Key returns the key of an image in the cache.
func imageKey(sha string, t dam.Transform, focal *dam.FocalPoint) string {
	said := t.String()
	if t.UsesFocal() && focal != nil {
		said += fmt.Sprintf(" %gx%g", focal.X, focal.Y)
	}
	return fmt.Sprintf("%s-%s-%s-%d.%s", sha, imageKind, ShortSum(said, 8), imageVersion, t.Format.Extension())
}

// ShortSum returns the first bytes of a text's checksum, in hexadecimal.
func ShortSum(text string, bytes int) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:bytes])
}

// imageKind takes the place of a rendition in the names of cached images.
const imageKind = "image"

// Open opens an image of an asset, and renders it if it is not cached.
func (m *Images) Open(ctx context.Context, d *dam.Asset, t dam.Transform) (*File, error) {
	if !m.Media.Encodes(t.Format) {
		return nil, dam.InvalidField("format", "This server cannot write %s: the engine for it is switched off or missing.", t.Format)
	}
	p, err := m.Pick(ctx, d, dam.RenditionPreview, 0)
	if err != nil {
		return nil, err
	}
	f := imageFile(p, t)
	f.Content, err = m.openPicked(ctx, p, t, Unqueued)
	return f, err
}

// imageFile describes an image, without its content.
func imageFile(p Picked, t dam.Transform) *File {
	d := p.Asset
	key := imageKey(p.SHA(), t, d.FocalPoint)
	return &File{
		Name: dam.TitleFromFilename(d.OriginalFilename) + "." + t.Format.Extension(), MIMEType: t.Format.MIME(), Showable: true,
		ETag: `"` + strings.TrimSuffix(key, "."+t.Format.Extension()) + `"`, ModTime: d.UpdatedAt,
	}
}

func (m *Images) openPicked(ctx context.Context, p Picked, t dam.Transform, queue Queue) (io.ReadSeekCloser, error) {
	return m.Derive(ctx, imageKey(p.SHA(), t, p.Asset.FocalPoint), p.Asset, queue, func(ctx context.Context) ([]byte, error) {
		data, err := m.draw(ctx, p, t)
		if err != nil {
			return nil, RenderError(p, err)
		}
		m.Log.DebugContext(ctx, "a picture was made", "gaid", p.Asset.GAID, "as", t, "bytes", len(data))
		return data, nil
	})
}

// draw renders an image.
func (m *Images) draw(ctx context.Context, p Picked, t dam.Transform) ([]byte, error) {
	f, size, extension, err := m.Source(ctx, p)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	seen := dam.Seen{Focal: p.Asset.FocalPoint}
	if p.poster == nil && p.Asset.FileCategory != dam.CategoryDocument {
		seen.Width, seen.Height = p.Asset.Width, p.Asset.Height
	}
	return m.Media.Transform(ctx, f, size, "original."+extension, t, seen)
}

// Preset returns the transform of a preset. If it does not exist, the error is about the
// field.
func (m *Images) Preset(ctx context.Context, field, name string) (t dam.Transform, err error) {
	err = m.Store.View(ctx, func(tx *storage.Tx) error {
		t, err = presetNamed(tx, field, name)
		return err
	})
	return t, err
}

func presetNamed(tx *storage.Tx, field, name string) (dam.Transform, error) {
	p, err := tx.PresetNamed(name)
	if dam.KindOf(err) == dam.NotFound {
		return dam.Transform{}, dam.InvalidField(field, "There is no preset %q.", name)
	}
	if err != nil {
		return dam.Transform{}, err
	}
	return p.Transform, nil
}

// SignImages returns the paths of images, relative to the site's address, in the order of
// the wishes. Anyone with a path can fetch its image, as long as the asset exists and the
// actor's user may sign pictures.
func (m *Images) SignImages(ctx context.Context, actor dam.Actor, wishes []ImageWish) ([]string, error) {
	if err := access.MaySignImages(actor); err != nil {
		return nil, err
	}
	key, err := m.Key(ctx)
	if err != nil {
		return nil, err
	}
	paths := make([]string, len(wishes))
	err = m.Store.View(ctx, func(tx *storage.Tx) error {
		var wrong dam.Problems
		for i, w := range wishes {
			at := "images." + strconv.Itoa(i) + "."
			t, err := w.transform(tx)
			if e, ok := errors.AsType[*dam.Error](err); ok && e.Kind == dam.Invalid {
				for _, f := range e.Fields {
					wrong.Add(at+f.Field, "%s", f.Msg)
				}
				continue
			}
			if err != nil {
				return err
			}
			asset, err := access.LiveAsset(tx, w.GAID, false)
			switch {
			case dam.KindOf(err) == dam.NotFound || err == nil && !asset.HasPicture():
				wrong.Add(at+"gaid", "There is no asset %s with a picture.", w.GAID)
			case err != nil:
				return err
			default:
				poster, err := posterOf(tx, asset)
				if err != nil {
					return err
				}
				paths[i] = imagePath(key, actor.User.ID, Picked{Asset: asset, poster: poster}, t)
			}
		}
		return wrong.Err()
	})
	return paths, err
}

func (w ImageWish) transform(tx *storage.Tx) (dam.Transform, error) {
	if w.Preset == "" {
		return w.Transform, w.Transform.Validate()
	}
	return presetNamed(tx, "preset", w.Preset)
}

// imagePath returns the path of an image. It depends on everything that the image is made
// from, so another file, credit or focal point results in another path.
func imagePath(key dam.ImageKey, user int64, p Picked, t dam.Transform) string {
	options := "v=" + imageMark(p, t) + "," + t.String()
	return "/i/" + string(p.Asset.GAID) + "/" + Signature(key, user, p.Asset.GAID, options) + "/" + options
}

// imageMark returns a short hash of everything that an image is made from except its
// transform.
func imageMark(p Picked, t dam.Transform) string {
	said := fmt.Sprintf("%s %q %q", p.SHA(), p.Asset.Creator, p.Asset.Copyright)
	if f := p.Asset.FocalPoint; t.UsesFocal() && f != nil {
		said += fmt.Sprintf(" %gx%g", f.X, f.Y)
	}
	return ShortSum(said, 4)
}

// noSigner is the user of the signatures of earlier versions, which name none. They stay
// valid, because websites use them, until their key is rotated.
const noSigner = 0

// Signature signs the path of an image for a user: it consists of the IDs of the key and
// the user, and a code that only the key can produce.
func Signature(key dam.ImageKey, user int64, gaid dam.GAID, options string) string {
	signer := strconv.FormatInt(key.ID, 36) + "-"
	mac := hmac.New(sha256.New, key.Secret)
	if user != noSigner {
		signer += strconv.FormatInt(user, 36) + "-"
		fmt.Fprintf(mac, "%s/", signer)
	}
	fmt.Fprintf(mac, "%s/%s", gaid, options)
	return signer + base64.RawURLEncoding.EncodeToString(mac.Sum(nil)[:signedBytes])
}

// A signer is the key that signed a path, and for which user.
type signer struct {
	key  dam.ImageKey
	user int64
}

// signerOf returns who signed a path, and whether the signature is valid.
func signerOf(keys []dam.ImageKey, gaid dam.GAID, signed, options string) (by signer, valid bool) {
	users := []int64{noSigner}
	if parts := strings.SplitN(signed, "-", 3); len(parts) == 3 {
		if user, err := strconv.ParseInt(parts[1], 36, 64); err == nil {
			users = append(users, user)
		}
	}
	for _, user := range users {
		for _, k := range keys {
			if hmac.Equal([]byte(Signature(k, user, gaid, options)), []byte(signed)) {
				by, valid = signer{k, user}, true
			}
		}
	}
	return by, valid
}

// An Image is an open image.
type Image struct {
	*File
	// Moved is the path of the image if the requested path does not match the asset's
	// current file, credits and focal point: then there is no File. The
	// image at a path never changes.
	Moved string
	Asset *dam.Asset
}

var errNoImage = dam.Errorf(dam.NotFound, "Not found.")

// Image opens the image at a signed path. A wrong signature, a deleted asset, and an asset
// that may not be used now all return the same NotFound. An image that is not cached waits
// for the queue.
func (m *Images) Image(ctx context.Context, gaid dam.GAID, signed, options string, queue Queue) (*Image, error) {
	if len(signed) > 100 || len(options) > dam.MaxTransformText {
		return nil, errNoImage
	}
	path := imageURL{gaid, signed, options}
	named, err := m.known.get(ctx, m.Store, path, func() (*namedImage, error) { return m.namedImage(ctx, path) })
	if err != nil {
		return nil, err
	}
	asset := named.picked.Asset
	if now := m.Now(); !dam.Deliverable(asset, now) || named.keyEnds != nil && !now.Before(*named.keyEnds) {
		return nil, errNoImage
	}
	if named.moved != "" {
		return &Image{Moved: named.moved, Asset: asset}, nil
	}
	f, err := m.credited(ctx, named, queue)
	if err != nil {
		return nil, err
	}
	f.Content = dam.WhileDeliverable(f.Content, asset, m.Now)
	return &Image{File: f, Asset: asset}, nil
}

// credited opens an image with the creator and copyright of its asset, if its format
// supports that. A recently requested image may be served from memory.
func (m *Images) credited(ctx context.Context, named *namedImage, queue Queue) (*File, error) {
	if data := m.held.get(named.file.ETag); data != nil {
		f := named.file
		f.Content = InMemory{bytes.NewReader(data)}
		return &f, nil
	}
	f := imageFile(named.picked, named.transform)
	var err error
	if f.Content, err = m.openPicked(ctx, named.picked, named.transform, queue); err != nil {
		return nil, err
	}
	if err = Credit(f, named.picked.Asset); err != nil {
		return nil, err
	}
	f.Content, err = m.held.hold(f.ETag, f.Content)
	return f, err
}

// SignedAsset returns the asset that a signature is for, and who signed it, if the asset may
// be delivered and the signer may still sign.
func SignedAsset(tx *storage.Tx, gaid dam.GAID, signed, options string) (asset *dam.Asset, by signer, err error) {
	keys, err := tx.ImageKeys()
	if err != nil {
		return nil, by, err
	}
	by, valid := signerOf(keys, gaid, signed, options)
	if !valid {
		return nil, by, errNoImage
	}
	if by.user != noSigner {
		user, err := tx.User(by.user)
		if dam.KindOf(err) == dam.NotFound || err == nil && !access.StillMay(user, access.MaySignImages) {
			return nil, by, errNoImage
		}
		if err != nil {
			return nil, by, err
		}
	}
	asset, err = access.LiveAsset(tx, gaid, false)
	if dam.KindOf(err) == dam.NotFound || err == nil && !dam.Deliverable(asset, tx.Now()) {
		return nil, by, errNoImage
	}
	return asset, by, err
}

// Credit replaces an image, which has no metadata, by a copy with the creator and copyright
// of its asset, if its format supports that. On failure it closes the content.
func Credit(f *File, asset *dam.Asset) error {
	list := creditsIn(f.MIMEType, asset)
	if len(list) == 0 {
		return nil
	}
	content := f.Content
	at, ok := content.(io.ReaderAt)
	if !ok {
		return errors.Join(fmt.Errorf("a %T cannot be read from any place", content), content.Close())
	}
	size, err := content.Seek(0, io.SeekEnd)
	var c *embed.Copy
	if err == nil {
		c, err = credited(f.MIMEType, at, size, list)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("write credits into a picture of asset %s: %w", asset.GAID, err), content.Close())
	}
	f.Content = DescribedCopy{c, content}
	f.ETag = creditedETag(f.ETag, list)
	return nil
}

// creditsIn returns the credits of an asset, if a format supports them.
func creditsIn(mime string, asset *dam.Asset) []embed.Property {
	if !embed.Takes(mime) && !embed.Strips(mime) {
		return nil
	}
	return credits(asset)
}

// creditedETag returns the ETag of an image with added credits.
func creditedETag(etag string, list []embed.Property) string {
	if len(list) == 0 {
		return etag
	}
	return fmt.Sprintf(`%s-%s"`, etag[:len(etag)-1], ShortSum(fmt.Sprintf("%q", list), 4))
}

// credited returns a copy of an image without metadata to which properties were added.
func credited(mime string, r io.ReaderAt, size int64, says []embed.Property) (*embed.Copy, error) {
	if embed.Takes(mime) {
		return embed.New(mime, r, size, says)
	}
	plan, err := embed.Strip(mime, r, size, says)
	if err != nil {
		return nil, err
	}
	return plan.Of(r), nil
}

// credits returns the properties with the creator and copyright of an asset.
func credits(asset *dam.Asset) (list []embed.Property) {
	for _, c := range [][2]string{{"dc:creator", asset.Creator}, {"dc:rights", asset.Copyright}} {
		if c[1] != "" {
			list = append(list, embed.Property{Path: c[0], Texts: []string{c[1]}})
		}
	}
	return list
}

// Key returns the current signing key. The first call creates it.
func (m *Images) Key(ctx context.Context) (key dam.ImageKey, err error) {
	read := func(tx *storage.Tx) error {
		keys, err := tx.ImageKeys()
		if err == nil && len(keys) > 0 && keys[0].ExpiresAt == nil {
			key = keys[0]
		}
		return err
	}
	if err = m.Store.View(ctx, read); err != nil || key.ID != 0 {
		return key, err
	}
	return key, m.Store.Update(ctx, func(tx *storage.Tx) error {
		if err := read(tx); err != nil || key.ID != 0 {
			return err
		}
		if err := tx.RotateImageKey(newSecret(), tx.Now()); err != nil {
			return err
		}
		return read(tx)
	})
}

func newSecret() []byte {
	secret := make([]byte, 32)
	rand.Read(secret)
	return secret
}

// RotateImageKey makes a new key the signing key of image URLs, and returns it. URLs signed
// by older keys remain valid for overlap; 0 ends them immediately.
func (m *Images) RotateImageKey(ctx context.Context, overlap time.Duration) (key dam.ImageKey, err error) {
	err = m.Store.Update(ctx, func(tx *storage.Tx) error {
		keys, err := tx.ImageKeys()
		if err != nil {
			return err
		}
		if len(keys) >= maxImageKeys && overlap > 0 {
			return dam.Errorf(dam.Conflict, "There are %d keys whose URLs still work: wait until one expires, or end all at once.", len(keys))
		}
		if err := tx.RotateImageKey(newSecret(), tx.Now().Add(overlap)); err != nil {
			return err
		}
		if keys, err = tx.ImageKeys(); err != nil {
			return err
		}
		key = keys[0]
		return tx.InsertAudit(access.AuditEntry(ctx, dam.AuditKeyRotated, "", fmt.Sprintf("key %d signs", key.ID)))
	})
	return key, err
}

// maxImageKeys limits the keys tried for a signature.
const maxImageKeys = 20

// ImageKeys lists the keys whose URLs are valid, the signing key first, then the others,
// newest first. Secrets are omitted.
func (m *Images) ImageKeys(ctx context.Context) (keys []dam.ImageKey, err error) {
	err = m.Store.View(ctx, func(tx *storage.Tx) error {
		keys, err = tx.ImageKeys()
		return err
	})
	for i := range keys {
		keys[i].Secret = nil
	}
	return keys, err
}
