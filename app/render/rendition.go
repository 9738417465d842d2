package render

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
	"github.com/digital-asset-library/dal/app/original"
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

// Worth ranks a file in the cache: when space runs low, those with the lowest rank
// are removed first. It is -1 for files not made by dal.
func Worth(name string) int {
	m := keyForm.FindStringSubmatch(name)
	switch {
	case m == nil:
		return -1
	case m[1] == imageKind && m[2] == strconv.Itoa(imageVersion), m[1] == SharedKind && m[2] == strconv.Itoa(SharedVersion):
		return 1
	case m[1] == TilesKind && m[2] == strconv.Itoa(TilesVersion):
		return 1
	case m[1] == imageKind, m[1] == SharedKind, m[1] == TilesKind:
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

// MIME is the MIME type of every rendition.
const MIME = "image/jpeg"

// Filename returns the file name for saving a rendition; page is 0 unless it is a
// page.
func Filename(original string, kind dam.Rendition, page int) string {
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

// Renditions manages the pictures derived from originals.
type Renditions struct {
	Originals *original.Files
	Cache     *blob.Cache
	Media     *media.Processor
	Log       *slog.Logger

	Flights  *flights       // set by NewRenditions
	uncached rate.Sometimes // limits the logging of renditions that could not be cached
}

// NewRenditions returns r, ready to make renditions.
func NewRenditions(r *Renditions) *Renditions {
	r.Flights = newFlights(renders())
	return r
}

// renders returns the number of renditions made concurrently.
func renders() int { return max(runtime.GOMAXPROCS(0), 2) }

// Run keeps the cache within its budget.
func (r *Renditions) Run(ctx context.Context) {
	r.Cache.Run(ctx, func(err error) { r.Log.WarnContext(ctx, "make room for renditions", "err", err) })
}

// Keep adds the renditions of a blob to the cache; pic is nil for a file without a picture.
func (r *Renditions) Keep(sha string, pic *media.Picture) error {
	if pic == nil {
		return nil
	}
	for kind, data := range pic.Renditions {
		if err := r.Cache.Put(renditionKey(sha, kind), data); err != nil {
			return err
		}
	}
	return nil
}

// Picked identifies an existing rendition of an asset.
type Picked struct {
	Asset  *dam.Asset
	Kind   dam.Rendition // the preview may substitute for large and poster
	Page   int           // 0 except for pages
	poster *dam.Poster   // source of the picture instead of the file; nil for the file
}

// SHA returns the checksum of the source of a rendition.
func (p Picked) SHA() string {
	if p.poster != nil {
		return p.poster.SHA256
	}
	return p.Asset.SHA256
}

// Pick resolves a rendition of an asset, and returns NotFound if the asset does not have
// it. page applies only to pages and counts from 1; 0 is the first.
func (r *Renditions) Pick(ctx context.Context, asset *dam.Asset, kind dam.Rendition, page int) (p Picked, err error) {
	p = Picked{Asset: asset, Kind: kind}
	none := func(why string) (Picked, error) {
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
		if p.Page = max(page, 1); p.Page > max(asset.PageCount, 1) {
			return p, NoPage(asset, p.Page)
		}
	case kind == dam.RenditionLarge && !HasLarge(asset), kind == dam.RenditionPoster:
		p.Kind = dam.RenditionPreview
	}
	if asset.HasPoster() {
		p.poster, err = r.poster(ctx, asset)
	}
	return p, err
}

// poster returns the poster set for an asset, nil if it has none.
func (r *Renditions) poster(ctx context.Context, asset *dam.Asset) (p *dam.Poster, err error) {
	err = r.Originals.Store.View(ctx, func(tx *storage.Tx) error {
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

// NoPage returns the error for a page that the file of an asset does not have.
func NoPage(asset *dam.Asset, page int) error {
	if asset.PageCount <= 1 {
		return dam.Errorf(dam.NotFound, "The file has no page %d: it has one page.", page)
	}
	return dam.Errorf(dam.NotFound, "The file has no page %d: it has %d pages.", page, asset.PageCount)
}

// ETag returns the ETag, which changes with the content of a rendition.
func (p Picked) ETag() string {
	if p.Page > 0 {
		return fmt.Sprintf(`"%s-%s-%d-%d"`, p.SHA(), p.Kind, p.Page, renditionVersion)
	}
	return fmt.Sprintf(`"%s-%s-%d"`, p.SHA(), p.Kind, renditionVersion)
}

// Key returns the key of a rendition in the cache.
func (p Picked) Key() string {
	if p.Page > 0 {
		return pageKey(p.SHA(), p.Page, "jpg")
	}
	return renditionKey(p.SHA(), p.Kind)
}

// OpenKind opens a rendition of an asset; for pages, the first one.
func (r *Renditions) OpenKind(ctx context.Context, asset *dam.Asset, kind dam.Rendition) (io.ReadSeekCloser, error) {
	p, err := r.Pick(ctx, asset, kind, 0)
	if err != nil {
		return nil, err
	}
	return r.Open(ctx, p)
}

// Open opens a rendition. If it is not cached, it is made once for all concurrent requests.
// If it cannot be cached because the disk is full, it is made each time.
func (r *Renditions) Open(ctx context.Context, p Picked) (io.ReadSeekCloser, error) {
	f, err := r.Cache.Open(p.Key())
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
	return InMemory{bytes.NewReader(made.Picture)}, nil
}

// Derive opens a picture of an asset by its key in the cache. If it is not cached, draw
// makes it when the queue allows, with the guarantees of open. draw must not wait for another
// rendition.
func (r *Renditions) Derive(
	ctx context.Context, name string, asset *dam.Asset, queue Queue, draw func(context.Context) ([]byte, error),
) (io.ReadSeekCloser, error) {
	f, err := r.Cache.Open(name)
	if err == nil {
		return f, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	made, err := r.Flights.Queued(ctx, name, queue, func(ctx context.Context) (*Rendered, error) {
		if data := r.kept(name); data != nil { // another request has just made it
			return &Rendered{Picture: data}, nil
		}
		data, err := draw(ctx)
		if err != nil {
			return nil, err
		}
		r.unkept(ctx, asset, r.Cache.Put(name, data))
		return &Rendered{Picture: data}, nil
	})
	if err != nil {
		return nil, err
	}
	return InMemory{bytes.NewReader(made.Picture)}, nil
}

// kept returns a picture from the cache, nil if it is not cached.
func (r *Renditions) kept(name string) []byte {
	f, err := r.Cache.Open(name)
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
func (r *Renditions) unkept(ctx context.Context, asset *dam.Asset, err error) {
	if err != nil && dam.KindOf(err) != dam.NoSpace {
		r.uncached.Do(func() {
			r.Log.WarnContext(ctx, "a rendition could not be kept and is made each time", "gaid", asset.GAID, "err", err)
		})
	}
}

// Rendered is a new rendition. text is set for pages.
type Rendered struct {
	Picture []byte
	text    *pageText
}

// pageText is the cached text of a page.
type pageText struct {
	Width, Height int
	Lines         []engine.Line
}

// make makes a rendition and adds it to the cache.
func (r *Renditions) make(ctx context.Context, p Picked) (*Rendered, error) {
	return r.Flights.Join(ctx, p.Key(), func(ctx context.Context) (*Rendered, error) {
		made, err := r.render(ctx, p)
		if err != nil {
			return nil, RenderError(p, err)
		}
		err = r.Cache.Put(p.Key(), made.Picture)
		if err == nil && made.text != nil {
			var text []byte
			if text, err = json.Marshal(made.text); err == nil {
				err = r.Cache.Put(pageKey(p.SHA(), p.Page, "json"), text)
			}
		}
		r.unkept(ctx, p.Asset, err)
		return made, nil
	})
}

// render makes a rendition. On failure, it checks the file for damage, since the file was
// readable when the asset was created.
func (r *Renditions) render(ctx context.Context, p Picked) (*Rendered, error) {
	f, size, extension, err := r.Source(ctx, p)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	made := &Rendered{}
	name := "original." + extension
	if p.Page > 0 {
		var page *media.Page
		if page, err = r.Media.Page(ctx, f, size, name, p.Page); err == nil {
			made.Picture, made.text = page.Picture, &pageText{page.Width, page.Height, page.Lines}
		}
	} else {
		made.Picture, err = r.Media.Render(ctx, f, size, name, p.Kind)
	}
	if err != nil && ctx.Err() == nil && errors.Is(r.Originals.Blobs.Verify(ctx, p.SHA()), blob.ErrCorrupt) {
		return nil, r.Originals.Damaged(ctx, p.SHA(), dam.DamageCorrupt)
	}
	return made, err
}

// Source opens the source of a rendition.
func (r *Renditions) Source(ctx context.Context, p Picked) (f *os.File, size int64, extension string, err error) {
	if p.poster != nil {
		f, err = r.Originals.Open(ctx, p.poster.SHA256, p.poster.Size)
		return f, p.poster.Size, p.poster.Extension, err
	}
	f, err = r.Originals.OpenAsset(ctx, p.Asset)
	return f, p.Asset.FileSize, p.Asset.Extension, err
}

// RenderError converts the error of making a rendition to one that may be shown to users.
func RenderError(p Picked, err error) error {
	what := "The " + string(p.Kind)
	if p.Page > 0 {
		what = "Page " + strconv.Itoa(p.Page)
	}
	fault, isFault := errors.AsType[*dam.FileError](err)
	switch {
	case errors.Is(err, media.ErrNoPage):
		return NoPage(p.Asset, p.Page)
	case errors.Is(err, media.ErrNoEngine):
		return &dam.Error{Kind: dam.Unavailable, Err: err,
			Msg: what + " cannot be made now: the engine that reads such files is switched off or missing."}
	case errors.Is(err, media.ErrNoPicture):
		return Wrapped(dam.InvalidField("rendition", "%s cannot be drawn.", what), err)
	case isFault && fault.Retryable:
		return &dam.Error{Kind: dam.Unavailable, Msg: what + " could not be made. " + fault.Message, Err: err}
	case isFault:
		return Wrapped(dam.InvalidField("rendition", "%s could not be made. %s", what, fault.Message), err)
	}
	return err
}

// Wrapped sets the cause of an error, for the log.
func Wrapped(e *dam.Error, cause error) *dam.Error {
	e.Err = cause
	return e
}

// Text returns the text of a page with its positions.
func (r *Renditions) Text(ctx context.Context, p Picked) (*pageText, error) {
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

func (r *Renditions) keptText(p Picked) (*pageText, error) {
	f, err := r.Cache.Open(pageKey(p.SHA(), p.Page, "json"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text := &pageText{}
	return text, json.NewDecoder(io.LimitReader(f, maxKeptText)).Decode(text)
}

// InMemory is a file in memory.
type InMemory struct{ *bytes.Reader }

func (InMemory) Close() error { return nil }

// Preview returns the picture that models receive: a JPEG of at most 1600 pixels, without
// metadata. If it cannot be rendered, the error is a fault of the file.
func (r *Renditions) Preview(ctx context.Context, a *dam.Asset) ([]byte, error) {
	f, err := r.OpenKind(ctx, a, dam.RenditionPreview)
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
