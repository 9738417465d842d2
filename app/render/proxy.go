package render

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/index"
	"github.com/digital-asset-library/dal/app/job"
	"github.com/digital-asset-library/dal/app/original"
	"github.com/digital-asset-library/dal/app/transcode"
	"github.com/digital-asset-library/dal/storage"
	"github.com/digital-asset-library/dal/storage/blob"
)

const (
	// ProxyVersion is incremented when the way of making proxies changes, to
	// invalidate those made by an older dal.
	ProxyVersion = 1
	// ProxyDeaths is how often the server may crash while making a proxy before it
	// gives up on the file.
	ProxyDeaths = 2
)

func proxyKey(sha string) string {
	return fmt.Sprintf("%s-%s-%d.mp4", sha, dam.RenditionProxy, ProxyVersion)
}

// ProxyName returns the file name for saving the proxy of an asset.
func ProxyName(a *dam.Asset) string {
	return fmt.Sprintf("%s-%s.%s", dam.TitleFromFilename(a.OriginalFilename), dam.RenditionProxy, ProxyExtension(a))
}

// ProxyExtension returns the extension of the browser-playable copy of an asset, without
// a dot.
func ProxyExtension(a *dam.Asset) string {
	if isSound(a) {
		return "m4a"
	}
	return "mp4"
}

// ProxyMIME returns the MIME type of the browser-playable copy of an asset.
func ProxyMIME(a *dam.Asset) string {
	if isSound(a) {
		return "audio/mp4"
	}
	return "video/mp4"
}

func isSound(a *dam.Asset) bool { return a.FileCategory == dam.CategoryAudio }

// Proxies makes browser-playable copies of videos and audio that browsers cannot play.
// It makes them in the background and stores them in the cache.
type Proxies struct {
	FFmpeg    *transcode.FFmpeg // nil if not available
	Store     *storage.Store
	Originals *original.Files
	Cache     *blob.Cache
	Jobs      *job.Queue
	Index     *index.Index
	Log       *slog.Logger
}

// FindFFmpeg returns the FFmpeg at a path or in the PATH, nil for "".
func FindFFmpeg(ctx context.Context, name string) (*transcode.FFmpeg, error) {
	if name == "" {
		return nil, nil
	}
	return transcode.Find(ctx, name)
}

// FFmpeg returns the program that makes browser-playable copies, "" for none.
func (m *Images) FFmpeg() string {
	if m.Proxies.FFmpeg == nil {
		return ""
	}
	return m.Proxies.FFmpeg.String()
}

// Want queues making a proxy if an asset needs one.
func (p *Proxies) Want(tx *storage.Tx, asset *dam.Asset) error {
	if p.FFmpeg == nil || asset.HasProxy || asset.Plays() {
		return nil
	}
	return p.Jobs.AddOnce(tx, dam.JobProxy, asset.ID)
}

// Resume queues making all missing proxies, including failed ones, since the program
// may have been updated.
func (p *Proxies) Resume(ctx context.Context) error {
	if p.FFmpeg == nil {
		return nil
	}
	return p.Store.Update(ctx, func(tx *storage.Tx) error {
		p.Jobs.WakeOn(tx, dam.JobProxy)
		return tx.EnqueueProxies(p.Jobs.Attempts)
	})
}

// Hold reports whether no proxy may be made now.
func (p *Proxies) Hold(full func() bool) func() bool {
	return func() bool { return p.FFmpeg == nil || full() }
}

// Work makes the proxy of an asset.
func (p *Proxies) Work(ctx context.Context, j *dam.Job) (job.Commit, error) {
	asset, err := p.asset(ctx, j.Subject)
	if err != nil || asset == nil {
		return nil, err
	}
	name := proxyKey(asset.SHA256)
	if f, err := p.Cache.Open(name); err == nil {
		return p.made(asset, nil), f.Close()
	}
	original, err := p.Originals.OpenAsset(ctx, asset)
	if err != nil {
		return nil, err
	}
	defer original.Close()
	copying := transcode.Job{
		From: original, Sound: isSound(asset), Duration: time.Duration(asset.DurationMS) * time.Millisecond, Bytes: asset.FileSize,
	}
	start := time.Now()
	err = p.Cache.Make(name, copying.Size(), func(path string) (err error) {
		if copying.To, err = filepath.Abs(path); err != nil {
			return err
		}
		return p.FFmpeg.Make(ctx, copying)
	})
	fault, isFault := errors.AsType[*transcode.Fault](err)
	if err != nil && !isFault {
		return nil, err
	}
	p.Log.InfoContext(ctx, "made a copy that browsers play", "gaid", asset.GAID, "seconds", time.Since(start).Seconds(), "fault", fault)
	return p.made(asset, fault), nil
}

// asset returns the asset of a job, nil if it is gone or no longer needs a proxy.
func (p *Proxies) asset(ctx context.Context, id int64) (asset *dam.Asset, err error) {
	err = p.Store.View(ctx, func(tx *storage.Tx) error {
		list, err := tx.AssetsByID([]int64{id})
		if err == nil && len(list) == 1 && !list[0].HasProxy && !list[0].Plays() {
			asset = list[0]
		}
		return err
	})
	return asset, err
}

// made records the result of making a proxy.
func (p *Proxies) made(asset *dam.Asset, fault *transcode.Fault) job.Commit {
	return func(tx *storage.Tx) error {
		list, err := tx.AssetsByID([]int64{asset.ID})
		if err != nil || len(list) == 0 {
			return err
		}
		a := list[0]
		if a.SHA256 != asset.SHA256 { // its file was replaced in the meantime
			return p.Want(tx, a)
		}
		a.HasProxy = fault == nil
		for _, kind := range []string{"video", "audio"} {
			if facts, ok := a.Technical[kind].(map[string]any); ok {
				delete(facts, "no_proxy")
				if fault != nil {
					facts["no_proxy"] = fault.Text
				}
			}
		}
		tx.OnCommit(p.Index.Changed)
		if err := tx.UpdateAsset(a); err != nil {
			return err
		}
		return tx.InsertEnrichment(a)
	}
}

// Open opens the proxy of an asset. If the cache has evicted it, open queues
// rebuilding it and returns an error.
func (p *Proxies) Open(ctx context.Context, asset *dam.Asset) (*os.File, error) {
	if !asset.HasProxy {
		return nil, dam.Errorf(dam.NotFound, "The file has no copy that was made for browsers.")
	}
	f, err := p.Cache.Open(proxyKey(asset.SHA256))
	if !errors.Is(err, fs.ErrNotExist) {
		return f, err
	}
	err = p.Store.Update(ctx, func(tx *storage.Tx) error {
		list, err := tx.AssetsByID([]int64{asset.ID})
		if err != nil || len(list) == 0 || !list[0].HasProxy {
			return err
		}
		list[0].HasProxy = false
		tx.OnCommit(p.Index.Changed)
		if err := tx.UpdateAsset(list[0]); err != nil {
			return err
		}
		if err := tx.InsertEnrichment(list[0]); err != nil {
			return err
		}
		return p.Want(tx, list[0])
	})
	if err != nil {
		return nil, err
	}
	return nil, dam.Errorf(dam.NotFound, "The copy for browsers was deleted from the cache. If the server has FFmpeg, it makes another one.")
}
