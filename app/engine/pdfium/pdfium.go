// Package pdfium reads PDF with PDFium from the npm package @embedpdf/pdfium 2.15.1. It
// does not run scripts or follow links, and replaces fonts that are not embedded by those
// of PDFium.
package pdfium

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"io"
	"strings"
	"time"
	"unicode/utf16"

	"github.com/tetratelabs/wazero/api"

	"github.com/digital-asset-library/dal/app/engine"
	"github.com/digital-asset-library/dal/app/engine/host"
)

// The limits of the text of a document.
const (
	maxText     = 256 << 10 // bytes
	maxPages    = 1000      // pages read for the text
	maxTextTime = 20 * time.Second
	maxChars    = 1 << 20 // per page
	maxMeta     = 4000    // bytes of a metadata text
)

// Engine is an instance of PDFium.
type Engine struct{ m *host.Emscripten }

// New starts an instance.
func New(ctx context.Context, p *host.Program) (*Engine, error) {
	m, err := host.NewEmscripten(ctx, p, host.Names{})
	if err != nil {
		return nil, err
	}
	if _, err := m.Call(ctx, "FPDF_InitLibrary"); err != nil {
		return nil, errors.Join(err, m.Close(ctx))
	}
	return &Engine{m}, nil
}

// Size returns the memory of the instance in bytes.
func (e *Engine) Size() int64 { return int64(e.m.Memory().Size()) }

// Close ends the instance.
func (e *Engine) Close(ctx context.Context) error { return e.m.Close(ctx) }

// Look reads the metadata and the text of a document, and renders its first page. For a
// password-protected document it only reports the protection.
func (e *Engine) Look(ctx context.Context, j engine.Job, file io.Reader) (*engine.Look, error) {
	s := &session{m: e.m, ctx: ctx}
	look := s.look(j, file)
	return look, s.err
}

// session is the reading of one file. After the first error, calls have no effect.
type session struct {
	m   *host.Emscripten
	ctx context.Context //nolint:containedctx // a session is a call
	err error
}

func (s *session) call(name string, args ...uint64) (v uint64) {
	if s.err == nil {
		v, s.err = s.m.Call(s.ctx, name, args...)
	}
	return v
}

// room calls fn with the address of n zeroed bytes.
func (s *session) room(n uint64, fn func(at uint64)) {
	at := s.call("malloc", n)
	if s.err == nil && at == 0 {
		s.err = &engine.Fault{Reason: engine.Exceeded, Text: "no memory"}
	}
	if s.err != nil {
		return
	}
	var b []byte
	if b, s.err = s.m.Bytes(at, n); s.err != nil {
		return
	}
	clear(b)
	fn(at)
	s.call("free", at)
}

// The relevant errors of PDFium (fpdfview.h).
const (
	errPassword = 4
	errSecurity = 5
)

func (s *session) look(j engine.Job, file io.Reader) (look *engine.Look) {
	look = &engine.Look{}
	s.room(max(uint64(j.Bytes), 1), func(at uint64) {
		to, err := s.m.Bytes(at, uint64(j.Bytes))
		if err == nil {
			_, err = io.ReadFull(file, to)
		}
		if s.err = err; err != nil {
			return
		}
		document := s.call("FPDF_LoadMemDocument", at, uint64(j.Bytes), 0)
		if s.err == nil && document == 0 {
			switch why := s.call("FPDF_GetLastError"); why {
			case errPassword, errSecurity:
				look.Note = "the document is protected by a password"
			default:
				s.err = fmt.Errorf("the document cannot be opened: %d", why)
			}
			return
		}
		if j.Page > 0 {
			s.page(document, look, j)
		} else {
			s.document(document, look, j.Side)
		}
		s.call("FPDF_CloseDocument", document)
	})
	return look
}

func (s *session) document(document uint64, look *engine.Look, side int) {
	look.Pages = int(int32(s.call("FPDF_GetPageCount", document)))
	if s.err == nil && look.Pages < 1 {
		s.err = errors.New("the document has no pages")
	}
	look.Title, look.Creator = s.about(document, "Title"), s.about(document, "Author")
	look.Description = s.about(document, "Subject")
	var text strings.Builder
	began := time.Now()
	for i := range min(look.Pages, maxPages) {
		if s.err != nil || i > 0 && (text.Len() >= maxText || time.Since(began) > maxTextTime) {
			break
		}
		page := s.call("FPDF_LoadPage", document, uint64(i))
		if s.err != nil || page == 0 {
			continue // the other pages of a damaged document are still used
		}
		if i == 0 {
			s.draw(page, look, side)
		}
		text.WriteString(s.words(page))
		s.call("FPDF_ClosePage", page)
	}
	if look.Picture == nil {
		look.Note = "the first page cannot be drawn"
	}
	look.Text = text.String()
	if len(look.Text) > maxText {
		look.Text = strings.ToValidUTF8(look.Text[:maxText], "")
	}
}

// page renders a page and reads its lines.
func (s *session) page(document uint64, look *engine.Look, j engine.Job) {
	look.Pages = int(int32(s.call("FPDF_GetPageCount", document)))
	if s.err != nil || j.Page > look.Pages {
		return
	}
	page := s.call("FPDF_LoadPage", document, uint64(j.Page-1))
	if s.err == nil && page != 0 {
		s.draw(page, look, j.Side)
		look.Lines = s.lines(page)
		s.call("FPDF_ClosePage", page)
	}
	if look.Picture == nil {
		look.Note = "the page cannot be drawn"
	}
}

// about returns a metadata text of a document.
func (s *session) about(document uint64, what string) (text string) {
	s.room(uint64(len(what)+1), func(key uint64) {
		b, err := s.m.Bytes(key, uint64(len(what)))
		if s.err = err; err != nil {
			return
		}
		copy(b, what)
		s.room(maxMeta, func(at uint64) {
			if n := s.call("FPDF_GetMetaText", document, key, at, maxMeta); n <= maxMeta {
				text = s.utf16(at, n)
			}
		})
	})
	return strings.TrimSpace(text)
}

// utf16 returns a text of at most n bytes, up to the first NUL.
func (s *session) utf16(at, n uint64) string {
	if s.err != nil {
		return ""
	}
	b, err := s.m.Bytes(at, n)
	if s.err = err; err != nil {
		return ""
	}
	var units []uint16
	for ; len(b) >= 2; b = b[2:] {
		u := binary.LittleEndian.Uint16(b)
		if u == 0 {
			break
		}
		units = append(units, u)
	}
	return string(utf16.Decode(units))
}

// words returns the text of a page and a line break.
func (s *session) words(page uint64) (text string) {
	words := s.call("FPDFText_LoadPage", page)
	if s.err != nil || words == 0 {
		return ""
	}
	if n := int32(s.call("FPDFText_CountChars", words)); n > 0 && n <= maxChars {
		s.room(2*uint64(n)+2, func(at uint64) {
			s.call("FPDFText_GetText", words, 0, uint64(n), at)
			text = s.utf16(at, 2*uint64(n)) + "\n"
		})
	}
	s.call("FPDFText_ClosePage", words)
	return text
}

// Flags of FPDF_RenderPageBitmap: with annotations, as RGB.
const drawFlags = 0x01 | 0x10

// draw renders a page at the given longest side.
func (s *session) draw(page uint64, look *engine.Look, side int) {
	w := float64(api.DecodeF32(s.call("FPDF_GetPageWidthF", page)))
	h := float64(api.DecodeF32(s.call("FPDF_GetPageHeightF", page)))
	if s.err != nil || !(w > 0 && h > 0 && max(w, h) < 1e6) {
		return
	}
	look.Width, look.Height = max(int(w+0.5), 1), max(int(h+0.5), 1)
	scale := float64(side) / max(w, h)
	pw, ph := max(uint64(w*scale), 1), max(uint64(h*scale), 1)
	bitmap := s.call("FPDFBitmap_Create", pw, ph, 0)
	if s.err != nil || bitmap == 0 {
		return
	}
	s.call("FPDFBitmap_FillRect", bitmap, 0, 0, pw, ph, 0xffffffff)
	s.call("FPDF_RenderPageBitmap", bitmap, page, 0, 0, pw, ph, 0, drawFlags)
	at, stride := s.call("FPDFBitmap_GetBuffer", bitmap), s.call("FPDFBitmap_GetStride", bitmap)
	if s.err != nil || stride < 4*pw {
		return
	}
	b, err := s.m.Bytes(at, stride*ph)
	if s.err = err; err != nil {
		return
	}
	look.Picture = image.NewNRGBA(image.Rect(0, 0, int(pw), int(ph)))
	for y := range int(ph) {
		copy(look.Picture.Pix[y*look.Picture.Stride:], b[y*int(stride):][:4*pw])
	}
	for i := 3; i < len(look.Picture.Pix); i += 4 {
		look.Picture.Pix[i] = 255
	}
	s.call("FPDFBitmap_Destroy", bitmap)
}
