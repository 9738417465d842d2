package share

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/digital-asset-library/dal/app/access"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/engine/document"
	"github.com/digital-asset-library/dal/app/media/vtt"
	"github.com/digital-asset-library/dal/app/render"
	"github.com/digital-asset-library/dal/storage"
)

// trackVersion is incremented when the output for tracks changes.
const trackVersion = 1

// linkable checks the assets of an embed's tracks: showing their texts to the public
// requires the right to share them.
func linkable(tx *storage.Tx, actor dam.Actor, tracks []dam.EmbedTrack) error {
	if len(tracks) == 0 || len(tracks) > dam.MaxTracks {
		return nil
	}
	if err := access.MayShare(actor); err != nil {
		return err
	}
	var wrong dam.Problems
	for i, t := range tracks {
		asset, err := access.LiveAsset(tx, t.GAID, false)
		switch {
		case dam.KindOf(err) == dam.NotFound:
			wrong.Add(fmt.Sprintf("tracks.%d.gaid", i), "The asset %s does not exist or is in the trash.", t.GAID)
		case err != nil:
			return err
		case !vtt.Reads(asset.MIMEType) || asset.FileSize > vtt.MaxSize:
			wrong.Add(fmt.Sprintf("tracks.%d.gaid", i), "The asset %s is no WebVTT, SubRip or SubStation Alpha file of up to %d MB.",
				t.GAID, vtt.MaxSize>>20)
		}
	}
	return wrong.Err()
}

// EmbedTrack is a visible track of an embed.
type EmbedTrack struct {
	dam.EmbedTrack
	Number int // used in its path, from 1
	asset  *dam.Asset
}

// EmbedTracks returns the tracks of an embed whose texts may be shown.
func (g *Guests) EmbedTracks(ctx context.Context, s *dam.Share) (list []EmbedTrack, err error) {
	err = g.Store.View(ctx, func(tx *storage.Tx) error {
		for i, t := range s.Embed.Tracks {
			asset, err := access.LiveAsset(tx, t.GAID, false)
			if dam.KindOf(err) == dam.NotFound {
				continue
			}
			if err != nil {
				return err
			}
			if vtt.Reads(asset.MIMEType) && dam.Deliverable(asset, tx.Now()) {
				list = append(list, EmbedTrack{EmbedTrack: t, Number: i + 1, asset: asset})
			}
		}
		return nil
	})
	return list, err
}

// Cues reads the cues of a track. A file that is not a WebVTT file has none.
func (g *Guests) Cues(ctx context.Context, t EmbedTrack) ([]vtt.Cue, error) {
	f, err := g.Originals.OpenAsset(ctx, t.asset)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, vtt.MaxSize+1))
	if err != nil {
		return nil, err
	}
	if text, name, err := document.Decode(data); err == nil && name != "" { // many subtitle files predate UTF-8
		data = text
	}
	cues, err := vtt.Read(bytes.NewReader(data))
	if errors.Is(err, vtt.ErrNotVTT) {
		err = nil
	}
	return cues, err
}

// EmbedTrack opens a track of an embed by its number. It contains the cues and nothing else
// from the file.
func (g *Guests) EmbedTrack(ctx context.Context, token string, number int) (*render.File, error) {
	s, _, err := g.Embedded(ctx, token)
	if err != nil {
		return nil, err
	}
	list, err := g.EmbedTracks(ctx, s)
	if err != nil {
		return nil, err
	}
	for _, t := range list {
		if t.Number != number {
			continue
		}
		cues, err := g.Cues(ctx, t)
		if err != nil {
			return nil, err
		}
		var b bytes.Buffer
		if err := vtt.Write(&b, cues); err != nil {
			return nil, err
		}
		return &render.File{
			Content: render.InMemory{Reader: bytes.NewReader(b.Bytes())}, MIMEType: vtt.MIME + "; charset=utf-8", Showable: true,
			ETag: fmt.Sprintf(`"%s-%d"`, t.asset.SHA256, trackVersion),
		}, nil
	}
	return nil, errNoShare
}
