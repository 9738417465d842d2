package app

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
	"github.com/digital-asset-library/dal/app/job"
	"github.com/digital-asset-library/dal/app/transcode"
	"github.com/digital-asset-library/dal/storage"
	"github.com/digital-asset-library/dal/storage/blob"
)

const (
	// proxyVersion is incremented when the way of making proxies changes, to
	// invalidate those made by an older dal.
	proxyVersion = 1
	// proxyDeaths is how often the server may crash while making a proxy before it
	// gives up on the file.
	proxyDeaths = 2
)

func proxyKey(sha string) string {
	return fmt.Sprintf("%s-%s-%d.mp4", sha, dam.RenditionProxy, proxyVersion)
}

// proxyName returns the file name for saving the proxy of an asset.
func proxyName(a *dam.Asset) string {
	return fmt.Sprintf("%s-%s.%s", dam.TitleFromFilename(a.OriginalFilename), dam.RenditionProxy, proxyExtension(a))
}

func proxyExtension(a *dam.Asset) string {
	if isSound(a) {
		return "m4a"
	}
	return "mp4"
}

func proxyMIME(a *dam.Asset) string {
	if isSound(a) {
		return "audio/mp4"
	}
	return "video/mp4"
}

func isSound(a *dam.Asset) bool { return a.FileCategory == dam.CategoryAudio }

// proxies makes browser-playable copies of videos and audio that browsers cannot play.
// It makes them in the background and stores them in the cache.
type proxies struct {
	ffmpeg    *transcode.FFmpeg // nil if not available
	store     *storage.Store
	originals *originals
	cache     *blob.Cache
	jobs      *jobs
	index     *index
	log       *slog.Logger
}

func findFFmpeg(ctx context.Context, name string) (*transcode.FFmpeg, error) {
	if name == "" {
		return nil, nil
	}
	return transcode.Find(ctx, name)
}

// FFmpeg returns the program that makes browser-playable copies, "" for none.
func (m *images) FFmpeg() string {
	if m.proxies.ffmpeg == nil {
		return ""
	}
	return m.proxies.ffmpeg.String()
}

// want queues making a proxy if an asset needs one.
func (p *proxies) want(tx *storage.Tx, asset *dam.Asset) error {
	if p.ffmpeg == nil || asset.HasProxy || asset.Plays() {
		return nil
	}
	return p.jobs.addOnce(tx, dam.JobProxy, asset.ID)
}

// resume queues making all missing proxies, including failed ones, since the program
// may have been updated.
func (p *proxies) resume(ctx context.Context) error {
	if p.ffmpeg == nil {
		return nil
	}
	return p.store.Update(ctx, func(tx *storage.Tx) error {
		p.jobs.wakeOn(tx, dam.JobProxy)
		return tx.EnqueueProxies(p.jobs.attempts)
	})
}

// hold reports whether no proxy may be made now.
func (p *proxies) hold(full func() bool) func() bool {
	return func() bool { return p.ffmpeg == nil || full() }
}

// work makes the proxy of an asset.
func (p *proxies) work(ctx context.Context, j *dam.Job) (job.Commit, error) {
	asset, err := p.asset(ctx, j.Subject)
	if err != nil || asset == nil {
		return nil, err
	}
	name := proxyKey(asset.SHA256)
	if f, err := p.cache.Open(name); err == nil {
		return p.made(asset, nil), f.Close()
	}
	original, err := p.originals.openAsset(ctx, asset)
	if err != nil {
		return nil, err
	}
	defer original.Close()
	copying := transcode.Job{
		From: original, Sound: isSound(asset), Duration: time.Duration(asset.DurationMS) * time.Millisecond, Bytes: asset.FileSize,
	}
	start := time.Now()
	err = p.cache.Make(name, copying.Size(), func(path string) (err error) {
		if copying.To, err = filepath.Abs(path); err != nil {
			return err
		}
		return p.ffmpeg.Make(ctx, copying)
	})
	fault, isFault := errors.AsType[*transcode.Fault](err)
	if err != nil && !isFault {
		return nil, err
	}
	p.log.InfoContext(ctx, "made a copy that browsers play", "gaid", asset.GAID, "seconds", time.Since(start).Seconds(), "fault", fault)
	return p.made(asset, fault), nil
}

// asset returns the asset of a job, nil if it is gone or no longer needs a proxy.
func (p *proxies) asset(ctx context.Context, id int64) (asset *dam.Asset, err error) {
	err = p.store.View(ctx, func(tx *storage.Tx) error {
		list, err := tx.AssetsByID([]int64{id})
		if err == nil && len(list) == 1 && !list[0].HasProxy && !list[0].Plays() {
			asset = list[0]
		}
		return err
	})
	return asset, err
}

// made records the result of making a proxy.
func (p *proxies) made(asset *dam.Asset, fault *transcode.Fault) job.Commit {
	return func(tx *storage.Tx) error {
		list, err := tx.AssetsByID([]int64{asset.ID})
		if err != nil || len(list) == 0 {
			return err
		}
		a := list[0]
		if a.SHA256 != asset.SHA256 { // its file was replaced in the meantime
			return p.want(tx, a)
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
		tx.OnCommit(p.index.changed)
		if err := tx.UpdateAsset(a); err != nil {
			return err
		}
		return tx.InsertEnrichment(a)
	}
}

// open opens the proxy of an asset. If the cache has evicted it, open queues
// rebuilding it and returns an error.
func (p *proxies) open(ctx context.Context, asset *dam.Asset) (*os.File, error) {
	if !asset.HasProxy {
		return nil, dam.Errorf(dam.NotFound, "The file has no copy that was made for browsers.")
	}
	f, err := p.cache.Open(proxyKey(asset.SHA256))
	if !errors.Is(err, fs.ErrNotExist) {
		return f, err
	}
	err = p.store.Update(ctx, func(tx *storage.Tx) error {
		list, err := tx.AssetsByID([]int64{asset.ID})
		if err != nil || len(list) == 0 || !list[0].HasProxy {
			return err
		}
		list[0].HasProxy = false
		tx.OnCommit(p.index.changed)
		if err := tx.UpdateAsset(list[0]); err != nil {
			return err
		}
		if err := tx.InsertEnrichment(list[0]); err != nil {
			return err
		}
		return p.want(tx, list[0])
	})
	if err != nil {
		return nil, err
	}
	return nil, dam.Errorf(dam.NotFound, "The copy for browsers was deleted from the cache. If the server has FFmpeg, it makes another one.")
}
