package web_test

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/web"
)

// bound starts a server with connection limits. The handler of /wait blocks until wait is
// closed.
func bound(t *testing.T, c *web.Connections, wait chan struct{}) (address string) {
	t.Helper()
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/wait" {
			w.WriteHeader(http.StatusOK)
			http.NewResponseController(w).Flush()
			<-wait
		}
		io.WriteString(w, "ok")
	}))
	s.Listener = c.Listen(s.Listener)
	s.Config.ConnState = c.State
	s.Start()
	t.Cleanup(s.Close)
	return s.Listener.Addr().String()
}

// ask sends a request on a new connection and returns its reader and status, or 0 if the
// connection was closed.
func ask(t *testing.T, address, path string) (*bufio.Reader, int) {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	if err := c.SetDeadline(time.Now().Add(hang)); err != nil {
		t.Fatal(err)
	}
	io.WriteString(c, "GET "+path+" HTTP/1.1\r\nHost: x\r\n\r\n")
	r := bufio.NewReader(c)
	res, err := http.ReadResponse(r, nil)
	if err != nil {
		if !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, syscall.ECONNRESET) {
			t.Fatal(err)
		}
		return r, 0
	}
	if path != "/wait" {
		io.Copy(io.Discard, res.Body)
	}
	if res.StatusCode == http.StatusServiceUnavailable && res.Header.Get("Retry-After") == "" {
		t.Error("a 503 without Retry-After")
	}
	return r, res.StatusCode
}

// TestConnections checks the limits: idle connections are closed for new ones, busy ones
// are not.
func TestConnections(t *testing.T) {
	for _, c := range []struct {
		name     string
		bounds   *web.Connections
		busy     int // connections being served
		idle     int // idle connections opened before
		closed   int // idle connections closed for the new one
		answered int
	}{
		{"room", &web.Connections{Max: 8, MaxPerAddress: 8}, 3, 4, 0, 200},
		{"one that waits makes way", &web.Connections{Max: 8, MaxPerAddress: 100}, 3, 5, 1, 200},
		{"one of the address makes way", &web.Connections{Max: 100, MaxPerAddress: 8}, 3, 5, 1, 200},
		{"none waits", &web.Connections{Max: 4, MaxPerAddress: 100}, 4, 0, 0, 503},
		{"none of the address waits", &web.Connections{Max: 100, MaxPerAddress: 4}, 4, 0, 0, 503},
		{"an exempt address", &web.Connections{
			Max:           100,
			MaxPerAddress: 4,
			Exempt:        []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
		}, 6, 3, 0, 200},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			wait := make(chan struct{})
			defer close(wait)
			address := bound(t, c.bounds, wait)
			var idle []*bufio.Reader
			for range c.busy {
				if _, status := ask(t, address, "/wait"); status != 200 {
					t.Fatal(status)
				}
			}
			for range c.idle {
				r, status := ask(t, address, "/")
				if status != 200 {
					t.Fatal(status)
				}
				idle = append(idle, r)
			}
			if _, status := ask(t, address, "/"); status != c.answered {
				t.Errorf("%d, want %d", status, c.answered)
			}
			for i, r := range idle[:c.closed] {
				if _, err := r.ReadByte(); err == nil {
					t.Errorf("connection %d is still there", i)
				}
			}
		})
	}
}

// TestConnectionsComeBack opens and closes many more connections than the limit.
func TestConnectionsComeBack(t *testing.T) {
	c := &web.Connections{Max: 8, MaxPerAddress: 4}
	address := bound(t, c, nil)
	for i := range 100 {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		if err := conn.SetDeadline(time.Now().Add(hang)); err != nil {
			t.Fatal(err)
		}
		io.WriteString(conn, "GET / HTTP/1.0\r\n\r\n")
		if b, err := io.ReadAll(conn); err != nil || !strings.HasPrefix(string(b), "HTTP/1.0 200") {
			t.Fatalf("connection %d: %v %s", i, err, b)
		}
		conn.Close()
	}
}

// TestSlowReader checks that a slow client that keeps reading gets the whole file.
func TestSlowReader(t *testing.T) {
	t.Parallel()
	s := start(t, func(_ *app.Config, opt *web.Options) { opt.Stall = time.Second })
	gaid := s.one(t, "noise.jpg", append(picture(1, 64, 64), make([]byte, 24<<20)...))
	c := &web.Connections{Max: 8, MaxPerAddress: 8}
	slow := httptest.NewUnstartedServer(s.Config.Handler)
	slow.Listener = c.Listen(slow.Listener)
	slow.Config.ConnState = c.State
	slow.Start()
	t.Cleanup(slow.Close)
	conn, err := net.Dial("tcp", slow.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	io.WriteString(conn, "GET /api/v1/assets/"+gaid+"/download HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "+s.token+"\r\n\r\n")
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	for range 20 { // four times the stall timeout
		time.Sleep(200 * time.Millisecond)
		if _, err := io.CopyN(io.Discard, res.Body, 64<<10); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := io.Copy(io.Discard, res.Body); err != nil {
		t.Errorf("%d bytes more came: %v", n, err)
	}
}
