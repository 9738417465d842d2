package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/app/media"
	"github.com/digital-asset-library/dal/web"
)

// stopTime is how long requests and jobs in hand may take at stop.
const stopTime = 8 * time.Second // containers get 10

// Bounds of connections between and before requests.
const (
	headerTime = 10 * time.Second
	idleTime   = 2 * time.Minute
	connGrace  = 5 * time.Second // how long a connection may wait however many come
	// maxHeader is room for a filter document in the URL: 65,536 characters, three
	// times as many bytes once they are encoded.
	maxHeader = 256 << 10
)

// loopback are the addresses of this machine: who is on it can do worse, and a
// proxy that nobody named may be.
func loopback() []netip.Prefix {
	return []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}
}

// serveFlags are the settings of the server.
type serveFlags struct {
	listen, siteURL string
	proxies         []string
	corsOrigins     []string
	rateLimit       int
	sessionLimit    int
	workers         int
	clamd           string
	embeddings      string
	embeddingsModel string
	maxFile         size
	maxBatchFiles   int
	maxRequestFiles int
	maxPixels       int64
	mediaMemory     size
	memory          size
	batchIdle       age
	auditKeep       age
	failedKeep      age
	diskReserve     size
	exportKeep      age
	exportQuota     size
	lostKeep        age
	operationKeep   age
	backupDir       string
	backupEvery     age
	backupKeep      int
	webhookAllow    []string
	webhookCA       string
	webhookProxy    string
	webhookKeep     age
	maxConns        int
	maxConnsAddress int
	stall           age
}

func newServe(s *settings) *cobra.Command {
	limits := media.DefaultLimits()
	f := serveFlags{maxFile: 10 << 30, mediaMemory: size(limits.MemoryBudget), memory: 320 << 20, batchIdle: age(24 * time.Hour),
		auditKeep: age(90 * 24 * time.Hour), failedKeep: age(30 * 24 * time.Hour),
		backupEvery: age(24 * time.Hour), lostKeep: age(30 * 24 * time.Hour), exportKeep: age(24 * time.Hour), exportQuota: 50 << 30, operationKeep: age(90 * 24 * time.Hour), webhookKeep: age(30 * 24 * time.Hour), stall: age(30 * time.Second)}
	cmd := &cobra.Command{
		Use: "serve", Short: "Run the server", Args: cobra.NoArgs,
		Long: `Runs the server until it is told to stop (SIGTERM or ctrl-C). The data folder is
made when it is missing or empty, and brought up to date when it is from an older
dal. When the records in it and the files do not belong together, the server does
not start, and says what to do. Requests
and jobs in hand get 8 seconds to end; what does not is taken up at the next
start.`,
		RunE: func(cmd *cobra.Command, _ []string) error { return serve(cmd, s, &f) },
	}
	fl := cmd.Flags()
	fl.StringVar(&f.listen, "listen", "127.0.0.1:8080", "the `address` to listen on")
	fl.StringVar(&f.siteURL, "site-url", "", "the public `URL` of the instance; as each request names it when empty")
	fl.StringSliceVar(&f.proxies, "trusted-proxy", nil, "an address or `CIDR` whose X-Forwarded-For and -Proto headers are believed (repeatable)")
	fl.StringSliceVar(&f.corsOrigins, "cors-origin", nil, "an `origin` such as https://app.example.com whose pages may use the interface with bearer tokens; * for all (repeatable)")
	fl.IntVar(&f.rateLimit, "rate-limit", 60, "requests a minute of one token, and ten times it of all tokens of a user")
	fl.IntVar(&f.sessionLimit, "session-rate-limit", 600, "requests a minute of one user's browser sessions")
	fl.IntVar(&f.maxConns, "max-connections", 2048, "the most connections at once")
	fl.IntVar(&f.maxConnsAddress, "max-connections-per-address", 128, "the most connections of one address at once, for IPv6 of one /64; trusted proxies and this machine have no such limit")
	fl.Var(&f.stall, "stall", "end a connection after this `time` without progress in either direction")
	fl.IntVar(&f.workers, "workers", 0, "files ingested at once; 0 is one a processor, 8 at most")
	fl.StringVar(&f.clamd, "clamd", "", "the virus scanner: unix:/path or tcp://host:port; while it is away files wait")
	fl.StringVar(&f.embeddings, "embeddings", app.EmbeddingsBuiltin, embeddingsHelp)
	fl.StringVar(&f.embeddingsModel, "embeddings-model", "", "the `name` of the endpoint's model; its key is in "+embeddingsKey)
	fl.Var(&f.maxFile, "max-file-size", "the largest `size` of an uploaded file")
	fl.IntVar(&f.maxBatchFiles, "max-batch-files", 10_000, "the most files of one upload batch")
	fl.IntVar(&f.maxRequestFiles, "max-request-files", 1000, "the most files of one upload request")
	fl.Int64Var(&f.maxPixels, "max-pixels", limits.MaxPixels, "the most pixels of a picture")
	fl.Var(&f.mediaMemory, "media-memory", "the `size` of memory that pictures being decoded may take together")
	fl.Var(&f.memory, "memory", "the `size` of memory above which unused memory is given back eagerly (a soft limit; it rises when a large library needs more)")
	fl.Var(&f.batchIdle, "batch-idle", "close an upload batch after this `time` without a file")
	fl.Var(&f.auditKeep, "audit-keep", "how long the audit trail is kept, a `time` such as 90d")
	fl.Var(&f.failedKeep, "failed-keep", "how long a failed file's bytes are kept for a retry, a `time` such as 30d")
	fl.Var(&f.diskReserve, "disk-reserve", diskReserveHelp)
	fl.Var(&f.exportKeep, "export-keep", "how long the file of an export is kept, a `time` such as 24h")
	fl.Var(&f.exportQuota, "export-quota", "the `size` that the files of a user's exports may have at once")
	fl.Var(&f.lostKeep, "lost-keep", "how long a file that no record refers to is kept in blobs/lost, a `time` such as 30d")
	fl.Var(&f.operationKeep, "operation-keep", "how long an operation that has ended is kept, with its items, a `time` such as 90d")
	fl.StringVar(&f.backupDir, "backup-dir", "", "make backups to this `folder` while serving; see dal help backup")
	fl.Var(&f.backupEvery, "backup-every", "make a backup when the last one is older than this `time`")
	fl.IntVar(&f.backupKeep, "backup-keep", 7, "how many snapshots are kept in --backup-dir, the newest ones")
	fl.StringSliceVar(&f.webhookAllow, "webhook-allow-cidr", nil, "an address or `CIDR` that webhooks may be sent to although it is not public (repeatable)")
	fl.StringVar(&f.webhookCA, "webhook-ca-file", "", "a `file` of PEM certificates that receivers of webhooks may have, beside the system's")
	fl.StringVar(&f.webhookProxy, "webhook-proxy", "", "the `URL` of an HTTP proxy that webhooks are sent through, such as http://proxy:3128; what hosts resolve to here is still looked at, but the proxy resolves them itself and has to refuse addresses that are not public; HTTPS_PROXY is not used")
	fl.Var(&f.webhookKeep, "webhook-keep", "how long the history of webhooks, and what waits for one that is not active, is kept, a `time` such as 30d")
	return cmd
}

const diskReserveHelp = "the `size` of each disk that is kept free for the records: uploads, exports and the search index stop before; 0 is 512MiB, or 5 % of a smaller disk"

// embeddingsKey is the variable with the secret of the endpoint.
const embeddingsKey = "DAL_EMBEDDINGS_KEY"

const embeddingsHelp = "what gives texts their meaning for search: off, builtin (English), or the `URL` of an OpenAI-compatible endpoint such as http://localhost:11434/v1"

func (f *serveFlags) app() (app.Config, error) {
	l := media.DefaultLimits()
	l.MaxPixels, l.MemoryBudget = f.maxPixels, int64(f.mediaMemory)
	allow, err := parsePrefixes("--webhook-allow-cidr", f.webhookAllow)
	var proxy *url.URL
	if f.webhookProxy != "" && err == nil {
		if proxy, err = url.Parse(f.webhookProxy); err != nil || proxy.Scheme != "http" && proxy.Scheme != "https" || proxy.Hostname() == "" {
			err = &exitError{exitUsage, fmt.Errorf("--webhook-proxy %q is no http or https URL", f.webhookProxy)}
		}
	}
	if f.backupKeep < 1 && err == nil {
		err = &exitError{exitUsage, errors.New("--backup-keep is at least 1")}
	}
	return app.Config{BackupDir: f.backupDir, BackupEvery: time.Duration(f.backupEvery), BackupKeep: f.backupKeep,
		MaxFileSize: int64(f.maxFile), MaxBatchFiles: f.maxBatchFiles, MaxRequestFiles: f.maxRequestFiles,
		BatchIdle: time.Duration(f.batchIdle), AuditKeep: time.Duration(f.auditKeep), FailedKeep: time.Duration(f.failedKeep),
		LostKeep: time.Duration(f.lostKeep), ExportKeep: time.Duration(f.exportKeep), ExportQuota: int64(f.exportQuota), OperationKeep: time.Duration(f.operationKeep),
		DiskReserve: int64(f.diskReserve), Workers: f.workers, Clamd: f.clamd, Media: l, Embeddings: f.embeddings, EmbeddingsModel: f.embeddingsModel, EmbeddingsKey: os.Getenv(embeddingsKey),
		WebhookAllow: allow, WebhookProxy: proxy, WebhookCAFile: f.webhookCA, WebhookKeep: time.Duration(f.webhookKeep), Version: thisBuild().Version}, err
}

func (f *serveFlags) web() (opt web.Options, err error) {
	opt = web.Options{RateLimit: f.rateLimit, SessionLimit: f.sessionLimit, Version: thisBuild().Version}
	if f.siteURL != "" {
		opt.SiteURL, err = url.Parse(f.siteURL)
		if err != nil || opt.SiteURL.Scheme != "http" && opt.SiteURL.Scheme != "https" || opt.SiteURL.Host == "" {
			return opt, &exitError{exitUsage, fmt.Errorf("--site-url %q is no http or https URL", f.siteURL)}
		}
	}
	if f.maxConns < 1 || f.maxConnsAddress < 1 || f.stall < age(time.Second) {
		return opt, &exitError{exitUsage, errors.New("--max-connections and --max-connections-per-address are at least 1, --stall at least 1s")}
	}
	opt.Stall = time.Duration(f.stall)
	for _, o := range f.corsOrigins {
		if err := web.CheckOrigin(o); err != nil {
			return opt, &exitError{exitUsage, fmt.Errorf("--cors-origin %w", err)}
		}
	}
	opt.CORSOrigins = f.corsOrigins
	opt.TrustedProxies, err = parsePrefixes("--trusted-proxy", f.proxies)
	return opt, err
}

// parsePrefixes reads addresses and CIDRs.
func parsePrefixes(flag string, list []string) (all []netip.Prefix, err error) {
	for _, p := range list {
		p = strings.TrimSpace(p)
		prefix, err := netip.ParsePrefix(p)
		if addr, e := netip.ParseAddr(p); e == nil {
			prefix, err = addr.Prefix(addr.BitLen())
		}
		if err != nil {
			return nil, &exitError{exitUsage, fmt.Errorf("%s %q is neither an address nor a CIDR", flag, p)}
		}
		all = append(all, prefix)
	}
	return all, nil
}

// serve runs the server until the command's context is done.
func serve(cmd *cobra.Command, s *settings, f *serveFlags) (err error) {
	opt, err := f.web()
	if err != nil {
		return err
	}
	cfg, err := f.app()
	if err != nil {
		return err
	}
	ctx := cmd.Context()
	if os.Getenv("GOMEMLIMIT") == "" {
		go limitMemory(ctx, int64(f.memory))
	}
	// The port comes first: a second server must not touch the library.
	ln, err := net.Listen("tcp", f.listen)
	if err != nil {
		return err
	}
	defer ln.Close()
	cfg.EventView = web.EventView(opt.SiteURL, "http://"+ln.Addr().String())
	a, err := s.openWith(cmd, cfg)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	unlock, err := a.Lock()
	if err != nil {
		return err
	}
	defer unlock()
	if err := a.OpenSearch(ctx); err != nil {
		return err
	}
	if os.Getenv("GOMAXPROCS") == "" {
		// More threads than there are processors for: whoever computes holds a thread
		// for 10 ms at a time, the kernel makes way sooner for who waited for the disk.
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(max(minThreads, 2*runtime.GOMAXPROCS(0))))
	}
	if opt.Log, err = s.logger(cmd.ErrOrStderr()); err != nil {
		return err
	}
	handler, err := web.New(a, opt)
	if err != nil {
		return err
	}
	if err := welcome(cmd, s, a, ln.Addr(), opt.Log); err != nil {
		return err
	}

	work, stopWork := context.WithCancel(context.WithoutCancel(ctx))
	defer stopWork()
	worked := make(chan error, 1)
	go func() { worked <- a.Run(work) }()
	conns := &web.Connections{Max: f.maxConns, MaxPerAddress: f.maxConnsAddress, Exempt: append(loopback(), opt.TrustedProxies...), Grace: connGrace}
	// No time limit for a whole request: uploads are as long as they are. The
	// handler has its connection keep moving.
	srv := &http.Server{Handler: handler, ConnState: conns.State, ReadHeaderTimeout: headerTime, IdleTimeout: idleTime, MaxHeaderBytes: maxHeader}
	served := make(chan error, 1)
	go func() { served <- srv.Serve(conns.Listen(ln)) }()

	select {
	case err = <-served:
	case err = <-worked:
		worked <- nil
	case <-ctx.Done():
		opt.Log.Info("stopping")
	}
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTime)
	defer cancel()
	stopWork()
	if e := srv.Shutdown(grace); e != nil {
		srv.Close() // what is still running is cut off
	}
	select {
	case e := <-worked:
		err = errors.Join(err, e)
	case <-grace.Done():
		opt.Log.Warn("some jobs did not end in time; they are taken up at the next start")
	}
	return err
}

// minThreads is how many threads run Go code at least, on however few processors.
const minThreads = 8

// limitMemory keeps the soft limit of memory at least an eighth above what is in
// use: a library that needs more than the limit, for its columns and vectors,
// is not to spend its time collecting garbage.
func limitMemory(ctx context.Context, limit int64) {
	t := time.NewTicker(memoryCheck)
	defer t.Stop()
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	for {
		metrics.Read(live)
		used := int64(live[0].Value.Uint64())
		debug.SetMemoryLimit(max(limit, used+used/8+memoryReserve))
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
	}
}

const (
	memoryCheck   = time.Second
	memoryReserve = 64 << 20 // bytes
)
