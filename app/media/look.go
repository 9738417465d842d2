package media

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/engine"
)

// byEngine tells an engine how to read a format.
type byEngine struct {
	name   string // name of the engine
	format string // the engine's name for the format; "" to detect it from the content
	most   int64  // bytes of the file's beginning that suffice; 0 for all
	ranges bool   // the engine requests ranges of the file, whose size is then unlimited
}

// With sets the engines that read files. Without them, files of their formats have no
// picture.
func (p *Processor) With(engines *engine.Pool) *Processor {
	p.engines = engines
	return p
}

// look lets an engine inspect a file. It returns nil if the engine is not available.
func (p *Processor) look(s source, f format) (*engine.Look, error) {
	if !p.engines.Has(f.engine.name) {
		return nil, nil
	}
	size := s.size
	if f.engine.most > 0 {
		size = min(size, f.engine.most)
	}
	job := engine.Job{
		Engine: f.engine.name, Format: f.engine.format, Side: s.side(), Pixels: s.limits.MaxPixels, Bytes: size,
		Page: s.page, Ranges: f.engine.ranges, Background: s.background,
	}
	look, err := p.engines.Look(s.ctx, job, s, job.Time(s.limits.Timeout))
	if fault, ok := errors.AsType[*engine.Fault](err); ok {
		switch fault.Reason {
		case engine.Protected:
			return &engine.Look{Note: "the document is protected by a password"}, nil
		case engine.TooLarge:
			return &engine.Look{Note: fault.Text}, nil
		}
	}
	if err != nil {
		return nil, lookFault(s, f, err, job.Time(s.limits.Timeout))
	}
	if int64(look.Width)*int64(look.Height) > s.limits.MaxPixels && f.Category == dam.CategoryImage && !f.scales {
		return nil, exceeded("The picture has %d × %d pixels; the limit is %d million.", look.Width, look.Height, s.limits.MaxPixels/1_000_000)
	}
	if look.Still != nil {
		return p.develop(s, look)
	}
	return look, nil
}

// develop lets another engine decode the picture that an engine has found in a file. If
// that engine is missing, the rest of the result still counts.
func (p *Processor) develop(s source, look *engine.Look) (*engine.Look, error) {
	const decoder = "magick"
	if !p.engines.Has(decoder) {
		look.Note = "the engine " + decoder + ", which decodes its frames, is switched off or missing"
		return look, nil
	}
	job := engine.Job{
		Engine: decoder, Format: look.StillFormat, Side: s.side(), Pixels: s.limits.MaxPixels, Bytes: int64(len(look.Still)), Of: s.size,
		Space: look.StillSpace, Background: s.background,
	}
	still, err := p.engines.Look(s.ctx, job, bytes.NewReader(look.Still), job.Time(s.limits.Timeout))
	switch {
	case s.ctx.Err() != nil:
		return nil, s.ctx.Err()
	case err != nil || still.Picture == nil:
		look.Note = "no frame of the video can be decoded"
	default:
		look.Picture, look.Note = still.Picture, still.Note
	}
	return look, nil
}

// lookFault converts an error of an engine to a fault of the file.
func lookFault(s source, f format, err error, limit time.Duration) error {
	if fault, ok := errors.AsType[*engine.Fault](err); ok {
		switch fault.Reason {
		case engine.Unsupported:
			return beyond(f, err)
		case engine.Small:
			return small(fmt.Sprintf("Reading this %s file takes more memory than its size of %d KB allows.", f.Name, (s.size+1023)/1024))
		case engine.Exceeded:
			return &dam.FileError{Code: dam.CodeLimitsExceeded, Err: err,
				Message: fmt.Sprintf("Reading this %s file takes more memory or time than the server allows.", f.Name)}
		}
		return damaged(err)
	}
	if stopped, ok := errors.AsType[*engine.Stopped](err); ok {
		message := fmt.Sprintf("Reading this %s file stopped the program that reads it, twice. You can try again.", f.Name)
		if stopped.Slow {
			message = fmt.Sprintf("The file took too long to read; the limit is %g seconds. You can try again.", limit.Seconds())
		}
		return &dam.FileError{Code: dam.CodeLimitsExceeded, Message: message, Err: err, Retryable: true}
	}
	if s.ctx.Err() != nil {
		return s.ctx.Err()
	}
	return &readError{err}
}

// lookedAt returns the picture that an engine produced, and how its colours were converted.
func lookedAt(look *engine.Look, size int) (picture, string) {
	profile, note := conversion(look.ICC, false)
	if len(look.ICC) == 0 {
		note = look.Note
	}
	pixels := reduce(look.Picture, size)
	profile.toSRGB(pixels)
	return pictureOf(pixels, map[int]int{0: 1, 90: 6, 180: 3, 270: 8}[look.Turn], size), note
}

// describe adds the results of an engine to a header and to metadata. The picture is
// already upright.
func describe(h *header, m *metadata, f format, look *engine.Look) {
	if f.metadata == nil && len(look.EXIF)+len(look.XMP) > 0 {
		*m = profiles(look)
	}
	h.width, h.height, h.pages, m.orientation = look.Width, look.Height, look.Pages, 1
	for _, text := range []struct {
		to   *string
		said string
	}{{&m.title, look.Title}, {&m.creator, look.Creator}, {&m.description, look.Description}} {
		if *text.to == "" {
			*text.to = cleanText(text.said)
		}
	}
	if t, _, ok := xmpTime(look.Created); ok && m.captureDate == nil {
		m.captureDate = capturedAt(t)
	}
	m.keywords = dam.CleanWords(append(m.keywords, look.Keywords...))
	switch {
	case f.engine.name == "ffmpeg":
		describeMedia(h, m, look)
	case len(look.Facts) > 0:
		m.technical[f.facts] = look.Facts
	}
}

// inUnits multiplies dimensions, unless the result would be absurd.
func inUnits(w, h int, unit float64) (scaledWidth, scaledHeight int) {
	const most = 1 << 31
	if x, y := float64(w)*unit, float64(h)*unit; x < most && y < most {
		return max(int(x+0.5), 1), max(int(y+0.5), 1)
	}
	return w, h
}

// shown returns the details of the picture that an engine made. Cards look alike, so
// neither their colours nor their perceptual hash are kept.
func shown(look *engine.Look) (*Picture, string) {
	pic, note := lookedAt(look, dam.LargestStanding())
	p := pic.look()
	if look.Card {
		p.Colors, p.PHash = nil, 0
	}
	return p, note
}

// profiles reads the metadata that an engine extracted from a file.
func profiles(look *engine.Look) (m metadata) {
	defer func() {
		if p := recover(); p != nil {
			m = newCollector().metadata(fmt.Errorf("the metadata cannot be read: %v", p))
		}
	}()
	c, err := embedded{exif: look.EXIF, xmp: look.XMP}.collect(nil)
	return c.metadata(err)
}

// lookMemory returns how many bytes it takes to make renditions from an engine's picture,
// in addition to the engine's own memory.
func lookMemory(size int) int64 {
	beside, after := rendering(header{width: size, height: size}, size)
	picture := 4 * int64(size) * int64(size)
	return max(picture+beside, after)
}

// readable returns the text of a document without control characters.
func readable(s string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if r == '\r' || unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "")))
}
