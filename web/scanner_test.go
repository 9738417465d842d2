package web_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/web"
)

// lines is a log.
type lines struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *lines) count(part string) (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for line := range strings.Lines(l.buf.String()) {
		if strings.Contains(line, part) {
			n++
		}
	}
	return n
}

// While the scanner is away, however many files wait for it, it is asked for one
// a worker at a time, the log says so once, and every batch knows.
func TestScannerAwayForMany(t *testing.T) {
	t.Parallel()
	log := &lines{}
	s := start(t, func(c *app.Config, _ *web.Options) {
		c.Clamd = "unix:" + filepath.Join(c.DataDir, "no-clamd")
		c.Log = slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelInfo}))
	})
	var files []upload
	for i := range 60 {
		files = append(files, upload{fmt.Sprintf("%d.jpg", i), picture(i, 8, 8)})
	}
	first, second := s.batch(t, `{}`), s.batch(t, `{}`)
	s.push(t, first, files[:30]...).want(t, 201)
	s.push(t, second, files[30:]...).want(t, 201)
	for _, id := range []any{first, second} {
		s.until(t, fmt.Sprintf("/api/v1/upload-batches/%v", id), func(a answer) bool { return a.get("data.waiting") != nil })
	}
	if n := s.do(t, "GET", "/api/v1/upload-batches", "").want(t, 200).get("data.0.counts.queued"); n != 30.0 {
		t.Errorf("of the second batch %v files are still queued", n)
	}
	if n := log.count("scanner"); n != 1 {
		t.Errorf("the log has %d lines about the scanner:\n%s", n, &log.buf)
	}
}
