package web_test

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"log/slog"
	"net"
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

// While the virus scanner is unavailable, each worker asks for one file at a time, however
// many are waiting; the log reports it once, and every batch shows it.
func TestScannerAwayForMany(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("a client with a deadline of its own: the race detector, which .ci/run uses with -short, would test its speed")
	}
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

// A slow file shows its stage, and becomes an asset in the end.
func TestStageOfASlowFile(t *testing.T) {
	t.Parallel()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	release := make(chan struct{})
	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			go slowClamd(conn, release)
		}
	}()
	s := start(t, func(c *app.Config, _ *web.Options) { c.Clamd = "tcp://" + ln.Addr().String() })
	id := s.batch(t, `{}`)
	s.push(t, id, upload{"a.jpg", picture(1, 30, 30)}).want(t, 201)
	path := fmt.Sprintf("/api/v1/upload-batches/%v", id)
	a := s.until(t, path+"/files", func(a answer) bool { return a.get("data.0.status") != "queued" })
	if a.get("data.0.status") != "scanning" || a.get("data.0.error") != nil {
		t.Errorf("%s", a)
	}
	close(release)
	if a = s.finish(t, id); a.get("data.counts.ready") != 1.0 {
		t.Errorf("%s", a)
	}
}

// slowClamd is a clamd that reports files as clean once it is released.
func slowClamd(conn net.Conn, release chan struct{}) {
	defer conn.Close()
	in := bufio.NewReader(conn)
	switch command, _ := in.ReadString(0); command {
	case "zPING\x00":
		io.WriteString(conn, "PONG\x00")
	case "zVERSION\x00":
		io.WriteString(conn, "ClamAV 1.4.3\x00")
	case "zINSTREAM\x00":
		<-release
		for n := uint32(1); n > 0; {
			if binary.Read(in, binary.BigEndian, &n) != nil {
				return
			}
			io.CopyN(io.Discard, in, int64(n))
		}
		io.WriteString(conn, "stream: OK\x00")
	}
}
