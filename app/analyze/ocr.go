package analyze

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/engine"
	"github.com/digital-asset-library/dal/app/engine/language"
	"github.com/digital-asset-library/dal/app/media"
	"github.com/digital-asset-library/dal/app/original"
	"github.com/digital-asset-library/dal/storage"
)

// Values of Config.OCR.
const (
	OCROff  = "off"
	OCRAuto = "auto" // pages, and pictures that seem to contain text
	OCRAll  = "all"  // every picture
)

// OCRModes lists the values of Config.OCR.
func OCRModes() []string { return []string{OCRAuto, OCRAll, OCROff} }

const (
	ocrEngine = "tesseract"
	// MaxOCRLanguages limits the languages recognized at the same time, since each takes
	// time and memory.
	MaxOCRLanguages = 8

	ocrVersion = 2                // incremented when recognition changes, so that text is recognized again
	ocrSide    = 3508             // pixels of a page's longest side: A4 at 300 dpi
	ocrTime    = 15 * time.Minute // per page, for a worker of the lowest priority

	// ownText is the average number of bytes of text per page from which a PDF counts as
	// having text, so that its pages are not recognized.
	ownText = 200
	// maxOCRText limits the recognized text of an asset, in bytes.
	maxOCRText = 256 << 10
)

// CheckLanguages returns an error for a language without data, whether in a folder or built
// in.
func CheckLanguages(languages []string, dir string) error {
	names, err := language.Names(dir)
	if err != nil {
		return fmt.Errorf("read the languages of text recognition: %w", err)
	}
	for _, l := range languages {
		if !slices.Contains(names, l) {
			return fmt.Errorf("there is no data to recognize text in the language %q; there is %s", l, strings.Join(names, ", "))
		}
	}
	return nil
}

// CheckLanguageName returns an error for an invalid language name.
func CheckLanguageName(name string) error { return language.CheckName(name) }

// OCRLanguages returns the languages in which text can be recognized: the built-in ones,
// and those of the language data folder.
func (u *Analyses) OCRLanguages() ([]string, error) { return language.Names(u.OCRData) }

// recognition recognizes text in pictures.
type recognition struct {
	store     *storage.Store
	originals *original.Files
	media     *media.Processor
	engines   *engine.Pool
	log       *slog.Logger
	mode      string
	languages []string
	pages     int // per file
	version   string
}

// OCRConfig configures the recognition of text in pictures.
type OCRConfig struct {
	Mode      string   // one of OCRModes
	Languages []string // most likely first
	Pages     int      // pages read per file
}

// NewRecognition returns the text recognition; it is disabled if its version is "".
func NewRecognition(
	cfg OCRConfig, store *storage.Store, files *original.Files, m *media.Processor, engines *engine.Pool, log *slog.Logger,
) *recognition {
	r := &recognition{
		store: store, originals: files, media: m, engines: engines, log: log,
		mode: cfg.Mode, languages: cfg.Languages, pages: cfg.Pages,
	}
	if cfg.Mode != OCROff && engines.Has(ocrEngine) {
		r.version = fmt.Sprintf("%s %d %s %s %d", ocrEngine, ocrVersion, strings.Join(cfg.Languages, "+"), cfg.Mode, cfg.Pages)
	}
	return r
}

// Analyzer returns the analyzer of the task ocr.
func (r *recognition) Analyzer() *Analyzer {
	why := "Text recognition is off on this server (--ocr)."
	if r.mode != OCROff {
		why = "The engine that recognizes text is switched off or missing on this server."
	}
	return &Analyzer{Task: dam.TaskOCR, version: r.version, why: why, wants: r.wants, look: r.look}
}

// wants reports whether the picture of an asset, or the pages of its file, may contain
// text.
func (r *recognition) wants(a *dam.Asset) bool { return a.HasPicture() && media.Scannable(a.MIMEType) }

// look recognizes the text of an asset. Text embedded in the file is kept.
func (r *recognition) look(ctx context.Context, a *dam.Asset) (finding, error) {
	old, own, err := r.before(ctx, a)
	if err != nil {
		return nil, err
	}
	pages := 1
	if media.Paged(a.MIMEType) {
		pages = min(max(a.PageCount, 1), r.pages)
	}
	now := &dam.Recognized{Engine: ocrEngine, Languages: r.languages}
	if !media.Paged(a.MIMEType) || len(own) < ownText*pages {
		if err := r.read(ctx, a, pages, now); err != nil {
			return nil, err
		}
	}
	if old == nil && len(now.Pages) == 0 {
		return nil, nil
	}
	text := joined(own, now.Text())
	return func(a *dam.Asset) bool {
		a.Recognized, a.OCRText = now, text
		return true
	}, nil
}

// before returns the text recognized earlier, nil for none, and the text embedded in the
// file.
func (r *recognition) before(ctx context.Context, a *dam.Asset) (old *dam.Recognized, own string, err error) {
	err = r.store.View(ctx, func(tx *storage.Tx) error {
		old, err = tx.Recognized(a)
		return err
	})
	own = a.OCRText
	if old != nil {
		own = strings.TrimSpace(strings.TrimSuffix(own, cutText(old.Text(), maxOCRText)))
	}
	return old, own, err
}

func joined(own, read string) string {
	return strings.TrimSpace(own + "\n\n" + cutText(read, maxOCRText))
}

// cutText truncates a text to at most n bytes.
func cutText(s string, n int) string {
	if len(s) > n {
		s = strings.ToValidUTF8(s[:n], "")
	}
	return strings.TrimSpace(s)
}

// read recognizes the pages of a file. It saves the progress of long files, so that another
// attempt resumes there.
func (r *recognition) read(ctx context.Context, a *dam.Asset, pages int, to *dam.Recognized) error {
	first, err := r.resume(ctx, a, pages, to)
	if err != nil {
		return err
	}
	f, err := r.originals.OpenAsset(ctx, a)
	if err != nil {
		return err
	}
	defer f.Close()
	left := dam.MaxAssetWords
	for _, p := range to.Pages {
		left -= len(p.Words)
	}
	for page := first; page <= pages && left > 0; page++ {
		scan, err := r.media.Scan(ctx, f, a.FileSize, "original."+a.Extension, page, ocrSide)
		switch {
		case errors.Is(err, media.ErrNoPage):
			return nil
		case errors.Is(err, media.ErrNoPicture):
			continue
		case errors.Is(err, media.ErrNoEngine):
			return &dam.FileError{Code: dam.CodeInternal, Message: "The engine that reads the file is switched off or missing.", Err: err}
		case err != nil:
			return err
		}
		if scan.Text || !scan.Likely && !media.Paged(a.MIMEType) && r.mode != OCRAll {
			continue
		}
		p, err := r.page(ctx, scan, page)
		if err != nil {
			return err
		}
		if p.Words = p.Words[:min(len(p.Words), left)]; len(p.Words) > 0 {
			to.Pages, left = append(to.Pages, *p), left-len(p.Words)
		}
		if pages > 1 {
			err := r.store.Note(ctx, func(tx *storage.Tx) error { return tx.PutRecognizing(a, r.version, page+1, to) })
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// resume returns the first page to recognize, and restores the results of the pages before
// it.
func (r *recognition) resume(ctx context.Context, a *dam.Asset, pages int, to *dam.Recognized) (page int, err error) {
	page = 1
	if pages < 2 {
		return page, nil
	}
	err = r.store.View(ctx, func(tx *storage.Tx) error {
		next, before, err := tx.Recognizing(a, r.version)
		if err == nil && before != nil {
			page, to.Pages = next, before.Pages
		}
		return err
	})
	return page, err
}

// page recognizes the text of a page.
func (r *recognition) page(ctx context.Context, s *media.Scan, page int) (*dam.RecognizedPage, error) {
	file := append(fmt.Appendf(nil, "P5\n%d %d\n255\n", s.Width, s.Height), s.Pixels...)
	look, err := r.engines.Look(ctx, engine.Job{
		Engine: ocrEngine, Pixels: ocrSide * ocrSide, Bytes: int64(len(file)), Languages: r.languages, Background: true,
	}, bytes.NewReader(file), ocrTime)
	fault, isFault := errors.AsType[*engine.Fault](err)
	stopped, isStopped := errors.AsType[*engine.Stopped](err)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case isStopped && stopped.Slow:
		return nil, unreadable(fmt.Sprintf("Reading its words took longer than %g minutes.", ocrTime.Minutes()), err)
	case isStopped:
		return nil, unreadable("Reading its words stopped the program that reads them, twice.", err)
	case isFault:
		return nil, unreadable("Its words cannot be read: the picture is beyond a limit of the program that reads them.", fault)
	case err != nil:
		return nil, err
	}
	p := &dam.RecognizedPage{Page: page, Width: s.Width, Height: s.Height, Rotation: look.Turn}
	p.Skew = math.Round(-look.Skew*180/math.Pi*100) / 100
	for _, w := range look.Words {
		p.Words = append(p.Words, dam.RecognizedWord{
			Text: w.Text, X: w.X, Y: w.Y, Width: w.Width, Height: w.Height, Confidence: w.Sure, Line: w.Line,
		})
	}
	return p, nil
}

func unreadable(message string, cause error) error {
	return &dam.FileError{Code: dam.CodeLimitsExceeded, Message: message, Err: cause}
}
