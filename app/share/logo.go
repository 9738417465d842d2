package share

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"

	"github.com/dustin/go-humanize/english"

	"github.com/digital-asset-library/dal/app/access"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/media"
	"github.com/digital-asset-library/dal/app/render"
	"github.com/digital-asset-library/dal/storage"
)

// MaxLogo is the maximum size of a logo in bytes.
const MaxLogo = 5 << 20

// LogoTypes returns the MIME types allowed for a logo.
func LogoTypes() []string { return media.LogoTypes() }

// Logo returns the properties of the library's logo, nil if it has none.
func (sh *Shares) Logo(ctx context.Context) (l *dam.Logo, err error) {
	err = sh.Store.View(storage.WithGuard(ctx, nil), func(tx *storage.Tx) error {
		l, err = tx.Logo()
		return err
	})
	if dam.KindOf(err) == dam.NotFound {
		return nil, nil
	}
	return l, err
}

// LogoPNG returns the library's logo with its picture.
func (sh *Shares) LogoPNG(ctx context.Context) (*dam.Logo, error) { return logoPNG(ctx, sh.Store) }

func logoPNG(ctx context.Context, store *storage.Store) (l *dam.Logo, err error) {
	err = store.View(storage.WithGuard(ctx, nil), func(tx *storage.Tx) error {
		if l, err = tx.Logo(); err != nil {
			return err
		}
		l.PNG, err = tx.LogoPNG()
		return err
	})
	return l, err
}

// SetLogo sets the logo to the picture read from r. The picture is scanned and redrawn, and
// is stored in the database when SetLogo returns.
func (sh *Shares) SetLogo(ctx context.Context, actor dam.Actor, r io.Reader) (*dam.Logo, error) {
	if err := access.MayManageSite(actor); err != nil {
		return nil, err
	}
	l, err := sh.logo(ctx, r)
	if fault, ok := errors.AsType[*dam.FileError](err); ok {
		err = render.Wrapped(dam.InvalidField("body", "%s", fault.Message), err)
	}
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(l.PNG)
	l.SHA256 = hex.EncodeToString(sum[:])
	return l, sh.Store.Update(ctx, func(tx *storage.Tx) error { return tx.PutLogo(l) })
}

// logo receives a picture and converts it to a logo.
func (sh *Shares) logo(ctx context.Context, r io.Reader) (*dam.Logo, error) {
	t, err := sh.Originals.Blobs.Create(ctx)
	if err != nil {
		return nil, err
	}
	defer t.Discard()
	f, err := sh.Ingest.ReceivePicture(ctx, t, r, MaxLogo)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	l, err := sh.Media.Logo(ctx, f, t.Size())
	switch {
	case errors.Is(err, media.ErrNoLogo):
		return nil, &dam.FileError{Message: "A logo is a PNG, JPEG, WebP or SVG."}
	case errors.Is(err, media.ErrNoEngine):
		return nil, &dam.FileError{Message: "The engine that reads SVG is switched off or missing."}
	}
	return l, err
}

// DeleteLogo removes the library's logo, unless a share uses it as its watermark.
func (sh *Shares) DeleteLogo(ctx context.Context, actor dam.Actor) error {
	if err := access.MayManageSite(actor); err != nil {
		return err
	}
	return sh.Store.Update(ctx, func(tx *storage.Tx) error {
		n, err := tx.CountLogoMarks()
		if err == nil && n > 0 {
			err = dam.Errorf(dam.Conflict, "The logo is the watermark of %s. Change or revoke them first.", english.Plural(n, "share", "shares"))
		}
		return cmp.Or(err, tx.DeleteLogo())
	})
}

// hasMark returns an error if the watermark of a share is a logo that does not exist.
func hasMark(tx *storage.Tx, s *dam.Share) error {
	if s.Watermark == nil || !s.Watermark.Logo {
		return nil
	}
	_, err := tx.Logo()
	if dam.KindOf(err) == dam.NotFound {
		err = dam.InvalidField("watermark.logo", "There is no logo. An administrator sets it with PUT /settings/logo.")
	}
	return err
}

// mark returns the watermark of a share's deliveries. A missing logo is an error: nothing
// is delivered without its watermark.
func (g *Guests) mark(ctx context.Context, s *dam.Share, quality int) (m media.Mark, err error) {
	m.Quality = quality
	w := s.Watermark
	if w == nil {
		return m, nil
	}
	m.Text, m.Opacity, m.Corner = w.Text, w.Opacity, w.Placement == dam.MarkCorner
	if !w.Logo {
		return m, nil
	}
	l, err := logoPNG(ctx, g.Store)
	if err != nil {
		return m, err
	}
	m.LogoID = l.SHA256
	m.Logo, err = media.DecodeLogo(l.PNG)
	return m, err
}
