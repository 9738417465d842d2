// Package media reads untrusted files: it detects their type, reads their metadata and
// renders pictures of them.
//
// Every fault of a file is a *dam.FileError; other errors are failures to read it. Nothing
// is decoded before its size is known and its memory is reserved from a budget that all
// callers share.
package media

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/engine"
)

// Limits bound the resources that a file may use.
type Limits struct {
	MaxPixels    int64         // width × height of a picture; default 200 million
	MaxFrames    int           // frames or pages of one file; default 2,000
	MemoryBudget int64         // bytes for concurrent decoding, across all callers; default 512 MiB
	Timeout      time.Duration // per file; default 2 minutes
}

// DefaultLimits returns limits suitable for a home server.
func DefaultLimits() Limits {
	return Limits{MaxPixels: 200_000_000, MaxFrames: 2000, MemoryBudget: 512 << 20, Timeout: 2 * time.Minute}
}

// Processor reads files within limits. It is safe for concurrent use.
type Processor struct {
	limits  Limits
	budget  *semaphore.Weighted
	formats []format
	engines *engine.Pool // nil for none
	accept  Accept
}

// New returns a processor with the given limits.
func New(l Limits) *Processor {
	return &Processor{limits: l, budget: semaphore.NewWeighted(l.MemoryBudget), formats: formats}
}

// Result is the outcome of reading a file.
type Result struct {
	Facts
	Picture *Picture // nil for a file without one, such as audio
}

// Facts describe a file.
type Facts struct {
	Type          Type
	Width, Height int           // pixels, after orientation; 0 without a picture
	PageCount     int           // 0 for a file without pages
	Duration      time.Duration // of video or audio; 0 if unknown
	CaptureDate   *dam.CaptureTime
	Title         string
	Creator       string
	Copyright     string
	Description   string // "" if only EXIF has one and it is the title
	Keywords      []string
	People        []string // people shown in the picture
	Rating        *int64   // 1 to 5
	Location      *dam.Location
	UsageTerms    string
	Text          string // text of a document, up to 256 KiB
	// Technical can be encoded as JSON. Its keys: "exif", "iptc", "xmp", "gps", "file", "document", "video",
	// "audio", "keywords", "conflicts", "content_credentials".
	Technical map[string]any

	// Properties are the texts of the XMP properties, by path: see embed.Read.
	Properties map[string][]string

	// Warning contains sentences about problems of a file that was nonetheless read: that it
	// has no preview, that its name claims another type, or that it is damaged. It is "" if
	// there are none.
	Warning string

	said said
}

// Picture describes the picture of a file.
type Picture struct {
	Colors     []dam.Color // up to 5, largest share first
	ThumbHash  []byte
	PHash      uint64
	Renditions map[dam.Rendition][]byte // the precomputed ones
}

// Check validates a file without decoding it: its content must be of a supported type, its
// name must not claim another, and it must be within the limits.
func (p *Processor) Check(ctx context.Context, r io.ReaderAt, size int64, filename string) (Type, error) {
	f, _, err := p.check(source{ctx: ctx, file: r, size: size, limits: p.limits, name: filename})
	return f.Type, err
}

func (p *Processor) check(s source) (format, header, error) {
	if s.size == 0 {
		return format{}, header{}, corrupt("The file is empty.")
	}
	head, err := s.head()
	if err != nil {
		return format{}, header{}, err
	}
	f, warning, err := p.recognize(s, head)
	if err != nil {
		return f, header{}, err
	}
	h, err := p.examine(s, f)
	fault, isFault := errors.AsType[*dam.FileError](err)
	if isFault && fault.Code == dam.CodeUnsupportedFormat && f.otherwise != nil && p.engines.Has(f.otherwise.name) {
		f = f.readBy(f.otherwise)
		h, err = p.examine(s, f)
	}
	if why := p.unreadable(err); why != "" {
		f.engine = nil
		h, err = header{width: h.width, height: h.height, unseen: why}, nil
	}
	h.named = warning
	return f, h, err
}

// sentences joins the texts that are not empty.
func sentences(list ...string) string {
	return strings.Join(slices.DeleteFunc(list, func(s string) bool { return s == "" }), " ")
}

// readBy returns a format that is read by an alternative engine.
func (f format) readBy(e *byEngine) format {
	f.engine, f.otherwise = e, nil
	f.header, f.memory, f.decode, f.mend, f.profile, f.space = unknownSize, nil, nil, nil, nil, nil
	f.paged, f.turn = false, nil
	return f
}

// examine reads the header of a file and checks it against the limits.
func (p *Processor) examine(s source, f format) (h header, err error) {
	err = guard(s, f, func() (err error) {
		if h, err = f.header(s); err != nil {
			return err
		}
		if h.frames > s.limits.MaxFrames || h.pages > s.limits.MaxFrames {
			return exceeded("The file has more than %d frames or pages.", s.limits.MaxFrames)
		}
		if f.engine != nil && p.engines.Has(f.engine.name) {
			h.memory, err = fits(s, lookMemory(s.side()))
			return err
		}
		if f.decode == nil || h.unseen != "" {
			return nil
		}
		h.memory, err = affordable(s, f, h)
		return err
	})
	return h, err
}

// affordable returns how many bytes it takes to decode a picture and make its renditions,
// or an error if it exceeds the limits.
func affordable(s source, f format, h header) (int64, error) {
	switch {
	case h.width <= 0 || h.height <= 0:
		return 0, corrupt("The picture has no pixels.")
	case h.area() > s.limits.MaxPixels:
		return 0, exceeded("The picture has %d × %d pixels; the limit is %d million.", h.width, h.height, s.limits.MaxPixels/1_000_000)
	}
	n, err := memory(s, f, h)
	if err == nil {
		n, err = fits(s, n)
	}
	if most := engine.Decoding(s.size, s.limits.MemoryBudget); err == nil && n > most {
		err = small(fmt.Sprintf("Opening the picture takes %d MB of memory; the limit for a file of its size is %d MB.",
			megabytes(n), most>>20))
	}
	return n, err
}

// fits returns n, or an error if a picture of n bytes exceeds the memory budget.
func fits(s source, n int64) (int64, error) {
	if n <= s.limits.MemoryBudget {
		return n, nil
	}
	return n, exceeded("Opening the picture takes %d MB of memory or more; the limit is %d MB.", megabytes(n), s.limits.MemoryBudget>>20)
}

// Extract reads the facts of a file and, if it has a picture, makes the renditions.
func (p *Processor) Extract(ctx context.Context, r io.ReaderAt, size int64, filename string) (*Result, error) {
	res := &Result{}
	err := p.read(source{ctx: ctx, file: r, size: size, name: filename}, func(s source, f format, h header) error {
		m := readMetadata(s, f)
		if s.ctx.Err() != nil {
			return s.ctx.Err()
		}
		profile, missing, shows, text := "", "", "", ""
		typ, duration := f.Type, time.Duration(0)
		switch {
		case f.engine != nil:
			look, err := p.look(s, f)
			if missing = p.unreadable(err); missing != "" {
				break
			}
			if err != nil {
				return err
			}
			if look == nil {
				missing = "the engine " + f.engine.name + ", which reads " + f.Name + " files, is switched off or missing"
				break
			}
			if f.unit != nil {
				look.Width, look.Height = inUnits(look.Width, look.Height, f.unit(s))
			}
			describe(&h, &m, f, look)
			text = readable(look.Text)
			typ, duration = typeOf(f, look), durationOf(look)
			if look.Picture != nil {
				res.Picture, profile = shown(look)
				shows = look.Shows
			} else {
				missing = look.Note
			}
		case h.unseen != "":
			missing = h.unseen
		case f.decode != nil:
			pic, note, err := decodePicture(s, f, h, m.orientation)
			if missing = p.unreadable(err); missing != "" {
				break
			}
			if err != nil {
				return err
			}
			res.Picture, profile, shows = pic.look(), note, f.shows
			if h.rawWidth > 0 {
				h.width, h.height = h.rawWidth, h.rawHeight
			}
			h.warning = first(pic.warning, h.warning)
		default:
			missing = f.unread
		}
		if res.Picture == nil && missing == "" {
			missing = "there is nothing to see in it"
		}
		h.warning = sentences(h.warning, h.named)
		about := fileFacts(h, m, profile)
		warning := h.warning
		if missing != "" {
			about["no_preview"] = missing
			warning = sentences("It is stored without a preview: "+missing+".", warning)
		}
		if shows != "" {
			about["preview"] = shows
		}
		m.technical["file"] = about
		res.Facts = Facts{
			Type: typ, Width: h.width, Height: h.height, PageCount: h.pages, CaptureDate: m.captureDate, Title: m.title,
			Creator: m.creator, Copyright: m.copyright, Keywords: m.keywords, People: m.people, Technical: m.technical,
			Description: m.description, Rating: m.rating, Location: m.location, UsageTerms: m.usageTerms,
			Text: text, Duration: duration, Properties: m.properties, Warning: warning, said: m.said,
		}
		m.said.tell(m.technical)
		if says := credentialsOf(s, f); says != nil {
			m.technical["content_credentials"] = says
		}
		if turned(m.orientation) {
			res.Width, res.Height = h.height, h.width
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return res, nil
}

// read checks a file and calls fn, which may decode it, with the required memory reserved
// and under the time limit.
func (p *Processor) read(s source, fn func(source, format, header) error) error {
	s.limits = p.limits
	f, h, err := p.check(s)
	if err != nil {
		return err
	}
	ctx := s.ctx
	if err := p.budget.Acquire(ctx, h.memory); err != nil {
		return err
	}
	defer p.budget.Release(h.memory)
	if f.engine == nil { // engines have their own time limit, and files queue for them
		var cancel func()
		ctx, cancel = context.WithTimeoutCause(ctx, p.limits.Timeout, errTimeout)
		defer cancel()
	}
	s.ctx = ctx
	err = guard(s, f, func() error { return fn(s, f, h) })
	if err != nil && errors.Is(context.Cause(ctx), errTimeout) {
		const message = "The file took too long to read; the limit is %g seconds."
		return &dam.FileError{Code: dam.CodeLimitsExceeded, Message: fmt.Sprintf(message, p.limits.Timeout.Seconds()), Err: errTimeout}
	}
	return err
}

var errTimeout = errors.New("the time for one file is over")
