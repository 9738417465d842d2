package cli

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"time"

	"github.com/spf13/cobra"

	"github.com/digital-asset-library/dal/web"
)

// stopTime is the time allowed for requests and jobs in progress when the server stops.
// Docker kills a container after 10 seconds.
const stopTime = 8 * time.Second

// The time limits of connections before and between requests.
const (
	headerTime = 10 * time.Second
	idleTime   = 2 * time.Minute
	connGrace  = 5 * time.Second // minimum age at which an idle connection may be closed for a new one
)

// loopback returns the addresses of this machine. They are exempt from limits: a local
// program can do worse, and a proxy missing from --trusted-proxy may run here.
func loopback() []netip.Prefix {
	return []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}
}

func newServe(s *settings) *cobra.Command {
	f := newServeFlags()
	cmd := &cobra.Command{
		Use: "serve", Short: "Run the server", Args: takes(),
		Long: `Runs the server until SIGTERM or Ctrl-C. It creates the data folder if it is
missing or empty, and upgrades that of an older version. If the database and the
files do not belong together, it does not start and explains how to repair them.

On shutdown, requests and jobs in progress have 8 seconds to finish. Unfinished
jobs resume at the next start.`,
		Example: `  dal serve
  dal serve --listen 0.0.0.0:8080 --site-url https://dam.example.com --trusted-proxy 10.0.0.2
  dal serve --data /srv/dal --backup-dir /mnt/disk/dal`,
		RunE: func(cmd *cobra.Command, _ []string) error { return serve(cmd, s, f) },
	}
	f.define(flagsOf(cmd))
	return cmd
}

// serve runs the server until the command's context is done.
func serve(cmd *cobra.Command, s *settings, f *serveFlags) (err error) {
	ctx, opt := cmd.Context(), f.web
	if os.Getenv("GOMEMLIMIT") == "" {
		go tendMemory(ctx, f.memory)
	}
	// The port comes first, so that a second server does not touch the library.
	ln, err := net.Listen("tcp", f.listen)
	if err != nil {
		return err
	}
	defer ln.Close()
	cfg := f.app
	cfg.SiteName = opt.SiteName
	cfg.EventView = web.EventView(opt.SiteURL, "http://"+ln.Addr().String())
	a, err := s.open(cmd, cfg)
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
		// More threads than processors: a goroutine that computes holds its thread for 10 ms at a
		// time, while the kernel switches sooner to one that waited for the disk.
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(max(minThreads, 2*runtime.GOMAXPROCS(0))))
	}
	opt.Log = s.logger(cmd.ErrOrStderr())
	handler, err := web.New(a, opt)
	if err != nil {
		return err
	}
	silence, err := a.Announce(reachedAt(ln.Addr()))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, silence()) }()
	if err := welcome(cmd, s, a, opt.SiteURL, ln.Addr(), opt.Log); err != nil {
		return err
	}

	work, stopWork := context.WithCancel(context.WithoutCancel(ctx))
	defer stopWork()
	worked := make(chan error, 1)
	go func() { worked <- a.Run(work) }()
	conns := &web.Connections{
		Max: opt.MaxConnections, MaxPerAddress: opt.MaxConnectionsPerAddress,
		Exempt: append(loopback(), opt.TrustedProxies...), Grace: connGrace,
	}
	// Whole requests have no time limit, since uploads can take long. The handler closes
	// connections that make no progress.
	srv := &http.Server{
		Handler: handler, ConnState: conns.State,
		ReadHeaderTimeout: headerTime, IdleTimeout: idleTime, MaxHeaderBytes: web.MaxHeader,
	}
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
		srv.Close() // abort the remaining requests
	}
	select {
	case e := <-worked:
		err = errors.Join(err, e)
	case <-grace.Done():
		opt.Log.Warn("some jobs did not finish in time; they resume at the next start")
	}
	return err
}

// minThreads is the minimum number of threads that run Go code, regardless of the number of
// processors.
const minThreads = 8

// tendMemory keeps the soft memory limit at least an eighth above the memory in use, so
// that a library that needs more than the limit, for its columns and vectors, does not
// spend its time collecting garbage. After a period of inactivity it releases unused
// memory, which the runtime would otherwise keep.
func tendMemory(ctx context.Context, limit int64) {
	t := time.NewTicker(memoryCheck)
	defer t.Stop()
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/gc/heap/allocs:bytes"}}
	var idle idleMemory
	for {
		metrics.Read(sample)
		used := int64(sample[0].Value.Uint64())
		debug.SetMemoryLimit(max(limit, used+used/8+memoryReserve))
		if idle.check(sample[1].Value.Uint64()) {
			debug.FreeOSMemory()
		}
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

	idleChecks = 20      // consecutive checks without activity
	idleBytes  = 4 << 20 // maximum allocated during those checks
	worthBytes = 2 << 20 // minimum allocated between two releases
)

// idleMemory detects when to release memory.
type idleMemory struct {
	checks      int
	since, last uint64 // total bytes allocated when the server became idle and when memory was last released
}

// check reports whether to release memory, given the total number of bytes allocated so
// far.
func (m *idleMemory) check(allocated uint64) bool {
	if allocated-m.since > idleBytes {
		m.checks, m.since = 0, allocated
	}
	m.checks++
	if m.checks < idleChecks || allocated-m.last < worthBytes {
		return false
	}
	m.checks, m.since, m.last = 0, allocated, allocated
	return true
}
