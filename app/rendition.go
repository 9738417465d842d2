package app

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"regexp"
	"runtime"
	"strconv"

	"golang.org/x/time/rate"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/engine"
	"github.com/digital-asset-library/dal/app/media"
	"github.com/digital-asset-library/dal/storage"
	"github.com/digital-asset-library/dal/storage/blob"
)

// renditionVersion is incremented when the way of making renditions changes, to invalidate
// those made by an older dal.
const renditionVersion = 1

// renditionKey returns the key of a blob's rendition in the cache.
func renditionKey(sha string, kind dam.Rendition) string {
	return fmt.Sprintf("%s-%s-%d.jpg", sha, kind, renditionVersion)
}

// pageKey returns the key of a blob's page in the cache: its picture as jpg, its text as
// json.
func pageKey(sha string, page int, what string) string {
	return fmt.Sprintf("%s-%s-%d-%d.%s", sha, dam.RenditionPage, page, renditionVersion, what)
}

var keyForm = regexp.MustCompile(`^[0-9a-f]{64}-([a-z]+)(?:-[0-9]+|-[0-9a-f]{16})?-([0-9]+)\.(?:jpg|json|png|webp|avif|tiles)$`)

// renditionWorth ranks a file in the cache: when space runs low, those with the lowest rank
// are removed first. It is -1 for files not made by dal.
func renditionWorth(name string) int {
	m := keyForm.FindStringSubmatch(name)
	switch {
	case m == nil:
		return -1
	case m[1] == imageKind && m[2] == strconv.Itoa(imageVersion), m[1] == sharedKind && m[2] == strconv.Itoa(sharedVersion):
		return 1
	case m[1] == tilesKind && m[2] == strconv.Itoa(tilesVersion):
		return 1
	case m[1] == imageKind, m[1] == sharedKind, m[1] == tilesKind:
		return 0
	case m[2] != strconv.Itoa(renditionVersion):
		return 0
	case m[1] == string(dam.RenditionThumbnail):
		return 3
	case dam.Rendition(m[1]).Stands():
		return 2
	}
	if _, ok := dam.Rendition(m[1]).Spec(); ok {
		return 1
	}
	return -1
}

// renditionMIME is the MIME type of every rendition.
const renditionMIME = "image/jpeg"

// renditionFilename returns the file name for saving a rendition; page is 0 unless it is a
// page.
func renditionFilename(original string, kind dam.Rendition, page int) string {
	if page > 0 {
		return fmt.Sprintf("%s-%s-%d.jpg", dam.TitleFromFilename(original), kind, page)
	}
	return fmt.Sprintf("%s-%s.jpg", dam.TitleFromFilename(original), kind)
}

// HasLarge reports whether the large rendition of an asset is larger than its preview.
func HasLarge(a *dam.Asset) bool {
	return a.HasPicture() && a.FileCategory == dam.CategoryImage &&
		(media.Scales(a.MIMEType) || max(a.Width, a.Height) > dam.LargestStanding())
}

// renditions manages the pictures derived from originals.
type renditions struct {
	originals *originals
	cache     *blob.Cache
	media     *media.Processor
	log       *slog.Logger

	flights  *flights
	uncached rate.Sometimes // limits the logging of renditions that could not be cached
}

// renders returns the number of renditions made concurrently.
func renders() int { return max(runtime.GOMAXPROCS(0), 2) }

// run keeps the cache within its budget.
func (r *renditions) run(ctx context.Context) {
	r.cache.Run(ctx, func(err error) { r.log.WarnContext(ctx, "make room for renditions", "err", err) })
}

// keep adds the renditions of a blob to the cache; pic is nil for a file without a picture.
func (r *renditions) keep(sha string, pic *media.Picture) error {
	if pic == nil {
		return nil
	}
	for kind, data := range pic.Renditions {
		if err := r.cache.Put(renditionKey(sha, kind), data); err != nil {
			return err
		}
	}
	return nil
}

// picked identifies an existing rendition of an asset.
type picked struct {
	asset  *dam.Asset
	kind   dam.Rendition // the preview may substitute for large and poster
	page   int           // 0 except for pages
	poster *dam.Poster   // source of the picture instead of the file; nil for the file
}

// sha returns the checksum of the source of a rendition.
func (p picked) sha() string {
	if p.poster != nil {
		return p.poster.SHA256
	}
	return p.asset.SHA256
}

// pick resolves a rendition of an asset, and returns NotFound if the asset does not have
// it. page applies only to pages and counts from 1; 0 is the first.
func (r *renditions) pick(ctx context.Context, asset *dam.Asset, kind dam.Rendition, page int) (p picked, err error) {
	p = picked{asset: asset, kind: kind}
	none := func(why string) (picked, error) {
		return p, dam.Errorf(dam.NotFound, "The file has no %s%s.", kind, why)
	}
	switch {
	case !asset.HasPicture():
		return none("")
	case kind == dam.RenditionLarge && asset.FileCategory != dam.CategoryImage:
		return none(": only pictures have one")
	case kind == dam.RenditionPoster && !asset.HasPoster():
		return none(": only videos and sounds have one")
	case kind == dam.RenditionPage && !media.Paged(asset.MIMEType):
		return none(" that can be shown")
	case kind == dam.RenditionPage:
		if p.page = max(page, 1); p.page > max(asset.PageCount, 1) {
			return p, noPage(asset, p.page)
		}
	case kind == dam.RenditionLarge && !HasLarge(asset), kind == dam.RenditionPoster:
		p.kind = dam.RenditionPreview
	}
	if asset.HasPoster() {
		p.poster, err = r.poster(ctx, asset)
	}
	return p, err
}

// poster returns the poster set for an asset, nil if it has none.
func (r *renditions) poster(ctx context.Context, asset *dam.Asset) (p *dam.Poster, err error) {
	err = r.originals.store.View(ctx, func(tx *storage.Tx) error {
		p, err = posterOf(tx, asset)
		return err
	})
	return p, err
}

// posterOf returns the poster set for an asset, nil if it has none.
func posterOf(tx *storage.Tx, asset *dam.Asset) (*dam.Poster, error) {
	if !asset.HasPoster() {
		return nil, nil
	}
	p, err := tx.Poster(asset.ID)
	if dam.KindOf(err) == dam.NotFound {
		return nil, nil
	}
	return p, err
}

func noPage(asset *dam.Asset, page int) error {
	if asset.PageCount <= 1 {
		return dam.Errorf(dam.NotFound, "The file has no page %d: it has one page.", page)
	}
	return dam.Errorf(dam.NotFound, "The file has no page %d: it has %d pages.", page, asset.PageCount)
}

// etag returns the ETag, which changes with the content of a rendition.
func (p picked) etag() string {
	if p.page > 0 {
		return fmt.Sprintf(`"%s-%s-%d-%d"`, p.sha(), p.kind, p.page, renditionVersion)
	}
	return fmt.Sprintf(`"%s-%s-%d"`, p.sha(), p.kind, renditionVersion)
}

// key returns the key of a rendition in the cache.
func (p picked) key() string {
	if p.page > 0 {
		return pageKey(p.sha(), p.page, "jpg")
	}
	return renditionKey(p.sha(), p.kind)
}

// openKind opens a rendition of an asset; for pages, the first one.
func (r *renditions) openKind(ctx context.Context, asset *dam.Asset, kind dam.Rendition) (io.ReadSeekCloser, error) {
	p, err := r.pick(ctx, asset, kind, 0)
	if err != nil {
		return nil, err
	}
	return r.open(ctx, p)
}

// open opens a rendition. If it is not cached, it is made once for all concurrent requests.
// If it cannot be cached because the disk is full, it is made each time.
func (r *renditions) open(ctx context.Context, p picked) (io.ReadSeekCloser, error) {
	f, err := r.cache.Open(p.key())
	if err == nil {
		return f, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	made, err := r.make(ctx, p)
	if err != nil {
		return nil, err
	}
	return inMemory{bytes.NewReader(made.picture)}, nil
}

// derive opens a picture of an asset by its key in the cache. If it is not cached, draw
// makes it when the queue allows, with the guarantees of open. draw must not wait for another
// rendition.
func (r *renditions) derive(
	ctx context.Context, name string, asset *dam.Asset, queue Queue, draw func(context.Context) ([]byte, error),
) (io.ReadSeekCloser, error) {
	f, err := r.cache.Open(name)
	if err == nil {
		return f, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	made, err := r.flights.queued(ctx, name, queue, func(ctx context.Context) (*rendered, error) {
		if data := r.kept(name); data != nil { // another request has just made it
			return &rendered{picture: data}, nil
		}
		data, err := draw(ctx)
		if err != nil {
			return nil, err
		}
		r.unkept(ctx, asset, r.cache.Put(name, data))
		return &rendered{picture: data}, nil
	})
	if err != nil {
		return nil, err
	}
	return inMemory{bytes.NewReader(made.picture)}, nil
}

// kept returns a picture from the cache, nil if it is not cached.
func (r *renditions) kept(name string) []byte {
	f, err := r.cache.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	data, err := io.ReadAll(f)
	if err != nil {
		return nil // it is made again
	}
	return data
}

// unkept logs, at a limited rate, that a rendition could not be cached, unless err is nil
// or the disk is full.
func (r *renditions) unkept(ctx context.Context, asset *dam.Asset, err error) {
	if err != nil && dam.KindOf(err) != dam.NoSpace {
		r.uncached.Do(func() {
			r.log.WarnContext(ctx, "a rendition could not be kept and is made each time", "gaid", asset.GAID, "err", err)
		})
	}
}

// rendered is a new rendition. text is set for pages.
type rendered struct {
	picture []byte
	text    *pageText
}

// pageText is the cached text of a page.
type pageText struct {
	Width, Height int
	Lines         []engine.Line
}

// make makes a rendition and adds it to the cache.
func (r *renditions) make(ctx context.Context, p picked) (*rendered, error) {
	return r.flights.join(ctx, p.key(), func(ctx context.Context) (*rendered, error) {
		made, err := r.render(ctx, p)
		if err != nil {
			return nil, renderError(p, err)
		}
		err = r.cache.Put(p.key(), made.picture)
		if err == nil && made.text != nil {
			var text []byte
			if text, err = json.Marshal(made.text); err == nil {
				err = r.cache.Put(pageKey(p.sha(), p.page, "json"), text)
			}
		}
		r.unkept(ctx, p.asset, err)
		return made, nil
	})
}

// render makes a rendition. On failure, it checks the file for damage, since the file was
// readable when the asset was created.
func (r *renditions) render(ctx context.Context, p picked) (*rendered, error) {
	f, size, extension, err := r.source(ctx, p)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	made := &rendered{}
	name := "original." + extension
	if p.page > 0 {
		var page *media.Page
		if page, err = r.media.Page(ctx, f, size, name, p.page); err == nil {
			made.picture, made.text = page.Picture, &pageText{page.Width, page.Height, page.Lines}
		}
	} else {
		made.picture, err = r.media.Render(ctx, f, size, name, p.kind)
	}
	if err != nil && ctx.Err() == nil && errors.Is(r.originals.blobs.Verify(ctx, p.sha()), blob.ErrCorrupt) {
		return nil, r.originals.damaged(ctx, p.sha(), dam.DamageCorrupt)
	}
	return made, err
}

// source opens the source of a rendition.
func (r *renditions) source(ctx context.Context, p picked) (f *os.File, size int64, extension string, err error) {
	if p.poster != nil {
		f, err = r.originals.open(ctx, p.poster.SHA256, p.poster.Size)
		return f, p.poster.Size, p.poster.Extension, err
	}
	f, err = r.originals.openAsset(ctx, p.asset)
	return f, p.asset.FileSize, p.asset.Extension, err
}

// renderError converts the error of making a rendition to one that may be shown to users.
func renderError(p picked, err error) error {
	what := "The " + string(p.kind)
	if p.page > 0 {
		what = "Page " + strconv.Itoa(p.page)
	}
	fault, isFault := errors.AsType[*dam.FileError](err)
	switch {
	case errors.Is(err, media.ErrNoPage):
		return noPage(p.asset, p.page)
	case errors.Is(err, media.ErrNoEngine):
		return &dam.Error{Kind: dam.Unavailable, Err: err,
			Msg: what + " cannot be made now: the engine that reads such files is switched off or missing."}
	case errors.Is(err, media.ErrNoPicture):
		return wrapped(dam.InvalidField("rendition", "%s cannot be drawn.", what), err)
	case isFault && fault.Retryable:
		return &dam.Error{Kind: dam.Unavailable, Msg: what + " could not be made. " + fault.Message, Err: err}
	case isFault:
		return wrapped(dam.InvalidField("rendition", "%s could not be made. %s", what, fault.Message), err)
	}
	return err
}

// wrapped sets the cause of an error, for the log.
func wrapped(e *dam.Error, cause error) *dam.Error {
	e.Err = cause
	return e
}

// text returns the text of a page with its positions.
func (r *renditions) text(ctx context.Context, p picked) (*pageText, error) {
	if text, err := r.keptText(p); err == nil {
		return text, nil
	}
	made, err := r.make(ctx, p)
	if err != nil {
		return nil, err
	}
	return made.text, nil
}

// maxKeptText limits the size of a cached page text; no real one reaches it.
const maxKeptText = 8 << 20

func (r *renditions) keptText(p picked) (*pageText, error) {
	f, err := r.cache.Open(pageKey(p.sha(), p.page, "json"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text := &pageText{}
	return text, json.NewDecoder(io.LimitReader(f, maxKeptText)).Decode(text)
}

// inMemory is a file in memory.
type inMemory struct{ *bytes.Reader }

func (inMemory) Close() error { return nil }

// preview returns the picture that models receive: a JPEG of at most 1600 pixels, without
// metadata. If it cannot be rendered, the error is a fault of the file.
func (r *renditions) preview(ctx context.Context, a *dam.Asset) ([]byte, error) {
	f, err := r.openKind(ctx, a, dam.RenditionPreview)
	switch dam.KindOf(err) {
	case dam.NotFound, dam.Invalid:
		return nil, &dam.FileError{Code: dam.CodeUnsupportedFormat, Message: "There is no preview to look at.", Err: err}
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxPreview+1))
	if err == nil && len(data) > maxPreview {
		err = fmt.Errorf("the preview of %s is larger than %d bytes", a.GAID, maxPreview)
	}
	return data, err
}

const maxPreview = 16 << 20 // in bytes
