package share

import (
	"context"
	"fmt"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/media"
	"github.com/digital-asset-library/dal/app/media/embed"
	"github.com/digital-asset-library/dal/app/render"
)

// A Delivery is the kind of file of an asset that a guest gets to download or play.
type Delivery string

// The kinds of delivery.
const (
	DeliversNothing  Delivery = ""
	DeliversOriginal Delivery = "original"
	DeliversCopy     Delivery = "copy"    // stripped copy of the original
	DeliversProxy    Delivery = "proxy"   // browser-playable copy
	DeliversPicture  Delivery = "picture" // largest picture allowed by the share
)

// Offer describes how an asset is delivered to the guests of a share, in addition to its
// pictures.
type Offer struct {
	Download Delivery
	Plays    Delivery
	Withheld dam.Withheld // why the original is not delivered unchanged
	Lacking  bool         // whether it would be playable if a stripped copy could be made

	copied bool // whether a stripped copy can be made
}

// Offer returns how an asset is delivered to the guests of a share.
func (g *Guests) Offer(ctx context.Context, s *dam.Share, asset *dam.Asset) Offer {
	without, with := offered(s, asset, false), offered(s, asset, true)
	if with.Download == without.Download && with.Plays == without.Plays {
		return without
	}
	if g.Stripped.Can(ctx, asset) {
		return with
	}
	return without
}

// MayDownload reports whether the guests of a share can download a file of an asset,
// judging by its type.
func MayDownload(s *dam.Share, asset *dam.Asset) bool {
	return offered(s, asset, embed.Strips(asset.MIMEType)).Download != DeliversNothing
}

// offered returns how an asset is delivered to the guests of a share, given whether a
// stripped copy can be made. Videos and audio are played in pieces, which cannot be
// counted.
func offered(s *dam.Share, asset *dam.Asset, copied bool) Offer {
	o := Offer{Withheld: s.Withholds(asset), copied: copied}
	moves := asset.FileCategory == dam.CategoryVideo || asset.FileCategory == dam.CategoryAudio
	limited := s.TooLarge(asset) || s.Watermark != nil
	proxy := moves && !limited && asset.HasProxy
	whole := DeliversNothing
	switch {
	case o.Withheld == dam.WithheldNot:
		whole = DeliversOriginal
	case copied && !limited && (s.AllowOriginal || moves):
		whole = DeliversCopy
	case proxy:
		whole = DeliversProxy
	}
	o.Lacking = moves && !limited && whole == DeliversNothing
	switch {
	case !moves || s.Access.MaxDownloads != nil:
	case whole != DeliversNothing && whole != DeliversProxy && media.Showable(asset.MIMEType) && (asset.Plays() || !proxy):
		o.Plays = whole
	case proxy:
		o.Plays = DeliversProxy
	}
	switch {
	case !s.AllowDownload:
	case whole != DeliversNothing:
		o.Download = whole
	case asset.FileCategory == dam.CategoryImage && asset.HasPicture():
		o.Download = DeliversPicture
	}
	return o
}

// BrowsersPlay reports whether browsers play the original of an asset.
func BrowsersPlay(asset *dam.Asset) bool { return media.Showable(asset.MIMEType) && asset.Plays() }

// keepable opens a file of an asset for the guests of a share.
func (g *Guests) keepable(ctx context.Context, s *dam.Share, asset *dam.Asset, what Delivery) (*render.File, error) {
	if what == DeliversPicture {
		return g.picture(ctx, s, asset, dam.RenditionLarge, 0)
	}
	f, err := g.file(ctx, asset, what)
	if err != nil {
		return nil, err
	}
	f.Name = guestName(s, asset, asset.Extension)
	if what == DeliversProxy {
		f.Name = guestName(s, asset, render.ProxyExtension(asset))
	}
	return f, nil
}

// file opens a file of an asset, without a name.
func (g *Guests) file(ctx context.Context, asset *dam.Asset, what Delivery) (f *render.File, err error) {
	f = &render.File{MIMEType: asset.MIMEType, Showable: media.Showable(asset.MIMEType), ModTime: asset.CreatedAt}
	switch what {
	case DeliversOriginal:
		f.ETag = `"` + asset.SHA256 + `"`
		f.Content, err = g.Originals.OpenAsset(ctx, asset)
	case DeliversCopy:
		f.ETag = `"` + render.StrippedSum(asset) + `"`
		f.Content, err = g.Stripped.Open(ctx, asset)
	case DeliversProxy:
		f.MIMEType, f.ETag = render.ProxyMIME(asset), fmt.Sprintf(`"%s-%s-%d"`, asset.SHA256, dam.RenditionProxy, render.ProxyVersion)
		f.Content, err = g.Proxies.Open(ctx, asset)
	default:
		err = errNoShare
	}
	if err != nil {
		return nil, err
	}
	return f, nil
}
