package scan

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"
)

// hanging is a clamd with a short timeout that calls serve for each connection.
func hanging(t *testing.T, patience time.Duration, serve func(net.Conn)) *Clamd {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	over, end := context.WithCancel(context.Background())
	var all sync.WaitGroup
	all.Go(func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			all.Go(func() {
				defer conn.Close()
				serve(conn)
				<-over.Done()
			})
		}
	})
	t.Cleanup(func() { end(); ln.Close(); all.Wait() })
	return &Clamd{network: "tcp", address: ln.Addr().String(), patience: patience}
}

// A clamd that reads or answers nothing is unavailable.
func TestClamdHangs(t *testing.T) {
	t.Parallel()
	command := func(conn net.Conn) string {
		b := make([]byte, len(clamdPing))
		io.ReadFull(conn, b)
		return string(b)
	}
	for name, serve := range map[string]func(net.Conn){
		"takes nothing": func(net.Conn) {},
		"says nothing":  func(conn net.Conn) { command(conn); go io.Copy(io.Discard, conn) },
	} {
		c := hanging(t, 100*time.Millisecond, serve)
		for _, size := range []int{10, 64 << 20} {
			if r, err := c.Scan(t.Context(), bytes.NewReader(make([]byte, size))); !errors.Is(err, ErrUnavailable) {
				t.Errorf("%s, %d bytes: %+v, %v", name, size, r, err)
			}
		}
		if _, err := c.Version(t.Context()); err == nil {
			t.Errorf("%s: it has a version", name)
		}
	}
}

// A slow clamd is not interrupted while it responds to pings.
func TestClamdIsSlow(t *testing.T) {
	t.Parallel()
	pinged := make(chan struct{}, 100)
	c := hanging(t, 200*time.Millisecond, func(conn net.Conn) {
		b := make([]byte, len(clamdPing))
		io.ReadFull(conn, b)
		if string(b) == clamdPing {
			io.WriteString(conn, "PONG\x00")
			pinged <- struct{}{}
			return
		}
		go io.Copy(io.Discard, conn)
		for range 3 { // duration of the scan
			<-pinged
		}
		io.WriteString(conn, "stream: OK\x00")
	})
	if r, err := c.Scan(t.Context(), strings.NewReader("clean")); err != nil || r.Infected {
		t.Errorf("%+v, %v", r, err)
	}
	if clamdPatience > 10*time.Second {
		t.Errorf("a clamd that hangs is noticed after %s", clamdPatience)
	}
}
