package scan

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"time"
)

// Clamd is a ClamAV daemon. The protocol is documented in clamd(8).
type Clamd struct {
	network, address string
	patience         time.Duration
}

const (
	// clamdPatience is the timeout for accepting a connection, for reading the next bytes,
	// and for an answer. While clamd scans, dal pings it after half that time and extends
	// the timeout if it responds.
	clamdPatience = 10 * time.Second
	// clamdVerdict is the number of extensions for a verdict: five minutes in total, more
	// than twice clamd's limit for a file (MaxScanTime).
	clamdVerdict = 60

	clamdChunk = 64 << 10
	clamdReply = 4 << 10 // maximum length of an answer
)

// ParseClamd parses the address of a clamd: "unix:/path" or "tcp://host:port".
func ParseClamd(address string) (*Clamd, error) {
	if path, ok := strings.CutPrefix(address, "unix:"); ok {
		if path = strings.TrimPrefix(path, "//"); path != "" {
			return &Clamd{"unix", path, clamdPatience}, nil
		}
	}
	if hostPort, ok := strings.CutPrefix(address, "tcp://"); ok {
		if _, port, err := net.SplitHostPort(hostPort); err == nil && port != "" {
			return &Clamd{"tcp", hostPort, clamdPatience}, nil
		}
	}
	return nil, fmt.Errorf("the clamd address %q is neither unix:/path nor tcp://host:port", address)
}

// Scan sends a file to clamd. Any answer other than a verdict is ErrUnavailable.
func (c *Clamd) Scan(ctx context.Context, r io.Reader) (Result, error) {
	ctx, hangUp := context.WithCancel(ctx)
	defer hangUp()
	var readErr error
	reply, err := c.ask(ctx, "zINSTREAM\x00", func(w io.Writer) error {
		buf := make([]byte, 4+clamdChunk)
		for {
			n, err := r.Read(buf[4:])
			if n > 0 {
				binary.BigEndian.PutUint32(buf, uint32(n))
				if _, err := w.Write(buf[:4+n]); err != nil {
					return err
				}
			}
			if err == io.EOF {
				_, err := w.Write(make([]byte, 4)) // an empty chunk ends the stream
				return err
			}
			if err != nil {
				readErr = err
				hangUp() // otherwise clamd waits for the rest and never answers
				return err
			}
		}
	})
	if readErr != nil {
		return Result{}, readErr
	}
	if err != nil {
		return Result{}, err
	}
	return parseReply(reply)
}

// parseReply parses clamd's verdict on a stream.
func parseReply(reply string) (Result, error) {
	verdict, ok := strings.CutPrefix(reply, "stream: ")
	if name, found := strings.CutSuffix(verdict, " FOUND"); ok && found && name != "" {
		return Result{Infected: true, Signature: name, Engine: "ClamAV"}, nil
	}
	switch {
	case ok && verdict == "OK":
		return Result{Engine: "ClamAV"}, nil
	case strings.HasPrefix(reply, "INSTREAM size limit exceeded"):
		return Result{}, ErrTooLargeForScanner
	}
	return Result{}, fmt.Errorf("%w: clamd answered %q", ErrUnavailable, reply)
}

// Version returns the versions of clamd and its database.
func (c *Clamd) Version(ctx context.Context) (string, error) {
	return c.ask(ctx, "zVERSION\x00", func(io.Writer) error { return nil })
}

// ask sends a command and the data that body writes, and returns the answer. It returns
// ErrUnavailable if clamd hangs.
func (c *Clamd) ask(ctx context.Context, command string, body func(io.Writer) error) (string, error) {
	d := net.Dialer{Timeout: c.patience}
	conn, err := d.DialContext(ctx, c.network, c.address)
	if err != nil {
		return "", errors.Join(ErrUnavailable, err)
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	live := liveConn{conn, c.patience}
	_, err = io.WriteString(live, command)
	if err == nil {
		err = body(live)
	}
	if isTimeout(err) && ctx.Err() == nil {
		return "", errors.Join(ErrUnavailable, err) // it hangs and would not answer either
	}
	// If clamd rejects a file, it answers and closes in the middle of the stream. Its
	// answer is more informative than the write error.
	reply, readErr := bufio.NewReader(io.LimitReader(c.answer(ctx, conn, command), clamdReply)).ReadString(0)
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if readErr != nil {
		return "", errors.Join(ErrUnavailable, err, readErr)
	}
	return strings.TrimSpace(strings.TrimSuffix(reply, "\x00")), nil
}

// liveConn renews the deadline at each write.
type liveConn struct {
	net.Conn
	patience time.Duration
}

func (c liveConn) Write(p []byte) (int, error) {
	if err := c.SetWriteDeadline(time.Now().Add(c.patience)); err != nil {
		return 0, err
	}
	return c.Conn.Write(p)
}

// answer reads clamd's answer to a command. Scanning may take long: the timeout is extended
// while clamd answers a PING.
func (c *Clamd) answer(ctx context.Context, conn net.Conn, command string) io.Reader {
	return readerFunc(func(p []byte) (n int, err error) {
		for range clamdVerdict {
			if err := conn.SetReadDeadline(time.Now().Add(c.patience / 2)); err != nil {
				return 0, err
			}
			if n, err = conn.Read(p); n > 0 || !isTimeout(err) || command == clamdPing {
				return n, err
			}
			if err := c.alive(ctx); err != nil {
				return 0, err
			}
		}
		return 0, err
	})
}

const clamdPing = "zPING\x00"

// alive returns an error unless clamd answers a PING immediately.
func (c *Clamd) alive(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, c.patience/2, errors.New("clamd does not answer"))
	defer cancel()
	_, err := c.ask(ctx, clamdPing, func(io.Writer) error { return nil })
	if err != nil && context.Cause(ctx) != nil {
		err = context.Cause(ctx)
	}
	return err
}

func isTimeout(err error) bool {
	e, ok := errors.AsType[net.Error](err)
	return ok && e.Timeout()
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }
