package scan_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"time"

	"github.com/digital-asset-library/dal/app/scan"
)

// peer is a clamd that calls serve for each connection. All connections are closed at the
// end of the test.
func peer(t *testing.T, serve func(net.Conn)) *scan.Clamd {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			serve(conn)
			conn.Close()
		}
	}()
	t.Cleanup(func() { ln.Close(); <-ended })
	c, err := scan.ParseClamd("tcp://" + ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// easy reads a stream to its final empty chunk and reports no malware.
func easy(conn net.Conn) {
	if _, err := io.CopyN(io.Discard, conn, int64(len("zINSTREAM\x00"))); err != nil {
		return
	}
	for head := make([]byte, 4); ; {
		if _, err := io.ReadFull(conn, head); err != nil {
			return
		}
		n := int64(head[0])<<24 | int64(head[1])<<16 | int64(head[2])<<8 | int64(head[3])
		if n == 0 {
			io.WriteString(conn, "stream: OK\x00")
			return
		}
		if _, err := io.CopyN(io.Discard, conn, n); err != nil {
			return
		}
	}
}

func loaded(t *testing.T, dir string) *scan.Signatures {
	t.Helper()
	s, err := scan.LoadSignatures(dir)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A file that cannot be read completely is never clean, whichever engine reads it and
// however much was read. The error is that of the file, not of the scanner, and the scan
// does not wait for clamd.
func TestReadFails(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second) // in case of a hang
	defer cancel()
	lists := t.TempDir()
	write(t, lists+"/some.hsb", strings.Repeat("ab", 32)+":*:Some\n")
	clamd := peer(t, easy)
	for name, s := range map[string]*scan.Scanner{
		"built in":   {Signatures: loaded(t, "")},
		"with lists": {Signatures: loaded(t, lists)},
	} {
		for _, fault := range []error{io.ErrUnexpectedEOF, io.ErrClosedPipe} {
			r := io.MultiReader(strings.NewReader("half"), iotest.ErrReader(fault))
			if got, err := s.Scan(ctx, func() (io.ReadCloser, error) { return io.NopCloser(r), nil }, 1000); !errors.Is(err, fault) {
				t.Errorf("%s, %v: %+v, %v", name, fault, got, err)
			}
		}
	}
	for _, fault := range []error{io.ErrUnexpectedEOF, io.ErrClosedPipe} {
		for _, before := range []int{0, 4, 64 << 10, 100_000} {
			r := io.MultiReader(bytes.NewReader(make([]byte, before)), iotest.ErrReader(fault))
			if got, err := clamd.Scan(ctx, r); !errors.Is(err, fault) || errors.Is(err, scan.ErrUnavailable) {
				t.Errorf("clamd, %v after %d bytes: %+v, %v", fault, before, got, err)
			}
		}
	}
	if err := ctx.Err(); err != nil {
		t.Errorf("waited for clamd: %v", err)
	}
}

// clamd receives the whole file, regardless of the sizes of the reads.
func TestReadSlowly(t *testing.T) {
	t.Parallel()
	clamd := peer(t, easy)
	for name, wrap := range map[string]func(io.Reader) io.Reader{
		"one byte":      iotest.OneByteReader,
		"half":          iotest.HalfReader,
		"data with EOF": iotest.DataErrReader,
	} {
		for _, size := range []int{0, 1, 3000} {
			if r, err := clamd.Scan(t.Context(), wrap(bytes.NewReader(make([]byte, size)))); err != nil || r.Infected || r.Engine != "ClamAV" {
				t.Errorf("%s, %d bytes: %+v, %v", name, size, r, err)
			}
		}
	}
}

// A cancelled scan ends with the reason while clamd is reading.
func TestClamdCancelled(t *testing.T) {
	t.Parallel()
	clamd := peer(t, func(conn net.Conn) { io.Copy(io.Discard, conn) }) // never answers
	ctx, cancel := context.WithCancel(t.Context())
	r := io.MultiReader(strings.NewReader("some"), cancels{cancel}, bytes.NewReader(make([]byte, 10<<20)))
	if got, err := clamd.Scan(ctx, r); !errors.Is(err, context.Canceled) || errors.Is(err, scan.ErrUnavailable) {
		t.Errorf("%+v, %v", got, err)
	}
}

// cancels is an empty file that calls a function when it is read.
type cancels struct{ cancel func() }

func (c cancels) Read([]byte) (int, error) { c.cancel(); return 0, io.EOF }

// A clamd that disconnects or answers in the middle of a stream.
func TestClamdBreaksOff(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		reply string
		want  error
	}{
		{"", scan.ErrUnavailable},
		{"stream: O", scan.ErrUnavailable},
		{"COMMAND READ TIMED OUT\x00", scan.ErrUnavailable},
		{"INSTREAM: Can't write to temporary file. ERROR\x00", scan.ErrUnavailable},
		{"INSTREAM size limit exceeded. ERROR\x00", scan.ErrTooLargeForScanner},
	} {
		clamd := peer(t, func(conn net.Conn) {
			io.CopyN(io.Discard, conn, 1<<20)
			io.WriteString(conn, tt.reply)
			conn.(*net.TCPConn).CloseWrite()
			io.Copy(io.Discard, conn)
		})
		if got, err := clamd.Scan(t.Context(), bytes.NewReader(make([]byte, 4<<20))); !errors.Is(err, tt.want) {
			t.Errorf("%q: %+v, %v", tt.reply, got, err)
		}
	}
}

// file counts the calls of Close.
type file struct {
	io.Reader
	closed *atomic.Int32
}

func (f file) Close() error { f.closed.Add(1); return nil }

// Each engine reads the file separately, clamd only if the signatures find nothing. Every
// opened file is closed.
func TestScannerOrder(t *testing.T) {
	t.Parallel()
	gone, err := scan.ParseClamd("unix:" + t.TempDir() + "/nobody.sock")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name     string
		clamd    *scan.Clamd
		data     []byte
		opened   int32
		infected bool
		err      error
	}{
		{"no clamd", nil, []byte("clean"), 1, false, nil},
		{"clamd", peer(t, easy), []byte("clean"), 2, false, nil},
		{"clamd is away", gone, []byte("clean"), 2, false, scan.ErrUnavailable},
		{"clamd need not be asked", gone, eicar(), 1, true, nil},
	} {
		var opened, closed atomic.Int32
		s := &scan.Scanner{Signatures: loaded(t, ""), Clamd: tt.clamd}
		r, err := s.Scan(t.Context(), func() (io.ReadCloser, error) {
			opened.Add(1)
			return file{bytes.NewReader(tt.data), &closed}, nil
		}, int64(len(tt.data)))
		if !errors.Is(err, tt.err) || r.Infected != tt.infected || opened.Load() != tt.opened || closed.Load() != tt.opened {
			t.Errorf("%s: %+v, %v; opened %d, closed %d", tt.name, r, err, opened.Load(), closed.Load())
		}
	}
	missing := errors.New("no such file")
	s := &scan.Scanner{Signatures: loaded(t, "")}
	if _, err := s.Scan(t.Context(), func() (io.ReadCloser, error) { return nil, missing }, 0); !errors.Is(err, missing) {
		t.Errorf("%v", err)
	}
}

// An address without a path is invalid.
func TestParseClamdEmptyPath(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"unix://", "unix:", "tcp://host:"} {
		if _, err := scan.ParseClamd(address); err == nil {
			t.Errorf("%q is taken for an address", address)
		}
	}
}
