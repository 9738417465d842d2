// Package media turns untrusted pictures into facts and renditions.
//
// Every fault of a file is a *dam.FileError; other errors are failures to read
// it. Nothing is decoded before its size is known and paid for out of a memory
// budget that all callers share.
package media

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"io"
	"time"

	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"
	"golang.org/x/sync/semaphore"

	"github.com/digital-asset-library/dal/app/dam"
)

// Limits bound what a file may cost.
type Limits struct {
	MaxPixels    int64         // width × height of a picture; 200 million
	MaxFrames    int           // frames or pages of one file; 2,000
	MemoryBudget int64         // bytes that decoding takes at once, over all callers; 512 MiB
	Timeout      time.Duration // for one file; 2 minutes
}

// DefaultLimits returns the limits of a home server.
func DefaultLimits() Limits {
	return Limits{MaxPixels: 200_000_000, MaxFrames: 2000, MemoryBudget: 512 << 20, Timeout: 2 * time.Minute}
}

// Processor reads pictures within limits. It is safe for concurrent use.
type Processor struct {
	limits Limits
	budget *semaphore.Weighted
}

// New returns a processor with the given limits.
func New(l Limits) *Processor {
	return &Processor{limits: l, budget: semaphore.NewWeighted(l.MemoryBudget)}
}

// Result is what a file says and shows.
type Result struct {
	Type          Type
	Width, Height int // pixels, after orientation
	PageCount     int // of a multi-page TIFF; 0 for others
	CaptureDate   *time.Time
	Title         string
	Creator       string
	Copyright     string
	Keywords      []string
	Technical     map[string]any // JSON-able: "exif", "iptc", "xmp", "gps", "file"
	Colors        []dam.Color    // up to 5, largest share first
	ThumbHash     []byte
	PHash         uint64
	Thumbnail     []byte // JPEG: see dam.RenditionThumbnail
	Preview       []byte // JPEG: see dam.RenditionPreview
}

// The longest side of each rendition, in pixels.
const (
	thumbnailSize = 320
	previewSize   = 1600
)

// Check validates a file without decoding it: that its content is a supported
// type, that its name does not claim another, and that it is within the limits.
func (p *Processor) Check(ctx context.Context, r io.ReaderAt, size int64, filename string) (Type, error) {
	t, _, err := p.check(ctx, r, size, filename)
	return t, err
}

func (p *Processor) check(ctx context.Context, r io.ReaderAt, size int64, filename string) (Type, header, error) {
	if size == 0 {
		return Type{}, header{}, corrupt("The file is empty.")
	}
	t, ok, err := Detect(r, size)
	if err != nil {
		return t, header{}, err
	}
	if !ok {
		return t, header{}, unsupported("%s", unknownType(r, size))
	}
	if err := t.fitsName(filename); err != nil {
		return t, header{}, err
	}
	var h header
	err = guard(ctx, func() (err error) {
		h, err = readHeader(ctxReaderAt{ctx, r}, size, t, p.limits.MaxFrames)
		return err
	})
	if err != nil {
		return t, h, err
	}
	switch pixels := int64(h.width) * int64(h.height); {
	case h.width <= 0 || h.height <= 0:
		return t, h, corrupt("The picture has no pixels.")
	case pixels > p.limits.MaxPixels:
		return t, h, exceeded("The picture has %d × %d pixels; the limit is %d million.", h.width, h.height, p.limits.MaxPixels/1_000_000)
	case h.frames > p.limits.MaxFrames:
		return t, h, exceeded("The picture has more than %d frames.", p.limits.MaxFrames)
	}
	err = guard(ctx, func() (err error) {
		h.memory, err = memory(ctxReaderAt{ctx, r}, size, t, h, p.limits.MemoryBudget)
		return err
	})
	if err != nil {
		return t, h, err
	}
	if h.memory > p.limits.MemoryBudget {
		const mb = 1 << 20
		return t, h, exceeded("The picture needs %d MB or more to decode; the limit is %d MB.", (h.memory+mb-1)/mb, p.limits.MemoryBudget/mb)
	}
	return t, h, nil
}

// Extract reads the facts of a file and makes its renditions.
func (p *Processor) Extract(ctx context.Context, r io.ReaderAt, size int64, filename string) (*Result, error) {
	var res *Result
	err := p.decoded(ctx, r, size, filename, func(t Type, h header, m metadata, pic *image.RGBA) error {
		res = &Result{Type: t, Width: h.width, Height: h.height, PageCount: h.pages,
			CaptureDate: m.captureDate, Title: m.title, Creator: m.creator, Copyright: m.copyright, Keywords: m.keywords, Technical: m.technical}
		if h.orientation >= 5 {
			res.Width, res.Height = h.height, h.width
		}
		m.technical["file"] = fileFacts(h, m.problem)
		var err error
		small := fit(pic, thumbnailSize)
		if res.Preview, err = encode(pic); err != nil {
			return err
		}
		if res.Thumbnail, err = encode(small); err != nil {
			return err
		}
		tiny := fit(small, 64)
		res.Colors = dominantColors(tiny)
		res.ThumbHash = thumbHash(fit(small, 100))
		res.PHash = perceptualHash(small)
		return nil
	})
	return res, err
}

// Render makes one rendition anew.
func (p *Processor) Render(ctx context.Context, r io.ReaderAt, size int64, kind dam.Rendition) (data []byte, err error) {
	err = p.decoded(ctx, r, size, "", func(_ Type, _ header, _ metadata, pic *image.RGBA) error {
		if kind == dam.RenditionThumbnail {
			pic = fit(pic, thumbnailSize)
		}
		data, err = encode(pic)
		return err
	})
	return data, err
}

// decoded checks and decodes a file, and calls fn with the picture: upright,
// opaque, in sRGB, of preview size at most.
func (p *Processor) decoded(ctx context.Context, r io.ReaderAt, size int64, filename string, fn func(Type, header, metadata, *image.RGBA) error) error {
	t, h, err := p.check(ctx, r, size, filename)
	if err != nil {
		return err
	}
	if err := p.budget.Acquire(ctx, h.memory); err != nil {
		return err
	}
	defer p.budget.Release(h.memory)
	ctx, cancel := context.WithTimeoutCause(ctx, p.limits.Timeout, errTimeout)
	defer cancel()
	err = guard(ctx, func() error {
		img, err := decode(ctxReaderAt{ctx, r}, size, t)
		if err != nil {
			return err
		}
		if img.Bounds().Empty() {
			return corrupt("The picture has no pixels.")
		}
		pic := reduce(img, previewSize)
		img = nil // the full picture may go now
		profile, err := readProfile(ctxReaderAt{ctx, r}, size, t)
		if err != nil {
			return err
		}
		h.profile = toSRGB(pic, profile)
		m := readMetadata(ctx, r, size, t)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		h.orientation = m.orientation
		return fn(t, h, m, upright(fit(pic, previewSize), h.orientation))
	})
	if errors.Is(context.Cause(ctx), errTimeout) && err != nil {
		return exceeded("The picture took longer than %s to read.", p.limits.Timeout)
	}
	return err
}

var errTimeout = errors.New("the time for one file is over")

// guard runs a decoder over untrusted bytes: its panics and its complaints are
// faults of the file, but not a read that failed or was cancelled.
func guard(ctx context.Context, fn func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = corrupt("The picture cannot be read: %v.", p)
		}
		if err == nil {
			return
		}
		if ctx.Err() != nil {
			err = context.Cause(ctx)
			return
		}
		_, isFault := errors.AsType[*dam.FileError](err)
		_, isRead := errors.AsType[*readError](err)
		switch {
		case isFault, isRead:
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			err = corrupt("The picture is cut off.")
		case isUnsupported(err):
			err = unsupported("The picture is of a kind that cannot be read: %v.", err)
		default:
			err = corrupt("The picture cannot be read: %v.", err)
		}
	}()
	return fn()
}

// isUnsupported reports what decoders say of a valid file that is beyond them.
func isUnsupported(err error) bool {
	_, isJPEG := errors.AsType[jpeg.UnsupportedError](err)
	_, isTIFF := errors.AsType[tiff.UnsupportedError](err)
	return isJPEG || isTIFF || errors.Is(err, bmp.ErrUnsupported)
}

// ctxReaderAt stops reading once ctx is done, and marks errors of reading as
// such.
type ctxReaderAt struct {
	ctx context.Context
	r   io.ReaderAt
}

func (c ctxReaderAt) ReadAt(p []byte, off int64) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, &readError{err}
	}
	n, err := c.r.ReadAt(p, off)
	if err != nil && err != io.EOF {
		err = &readError{err}
	}
	return n, err
}

// readError is a failure to read the file, as against a fault in it.
type readError struct{ err error }

func (e *readError) Error() string { return "read the file: " + e.err.Error() }
func (e *readError) Unwrap() error { return e.err }

func corrupt(format string, args ...any) error {
	return &dam.FileError{Code: dam.CodeCorrupt, Message: fmt.Sprintf(format, args...)}
}

func unsupported(format string, args ...any) error {
	return &dam.FileError{Code: dam.CodeUnsupportedFormat, Message: fmt.Sprintf(format, args...)}
}

func exceeded(format string, args ...any) error {
	return &dam.FileError{Code: dam.CodeLimitsExceeded, Message: fmt.Sprintf(format, args...)}
}
