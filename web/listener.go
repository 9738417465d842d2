package web

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"
)

// Connections limits the number of open connections, in total and per address. When a new
// connection exceeds a limit, the one that has been idle longest is closed to make room,
// preferably one that never sent a request. If none has been idle for Grace, the new one is
// answered with 503 and closed. Idle connections thus block nobody, and busy ones are kept.
type Connections struct {
	Max           int            // in total
	MaxPerAddress int            // per IPv4 address or IPv6 /64
	Exempt        []netip.Prefix // addresses exempt from MaxPerAddress, such as proxies
	Grace         time.Duration  // minimum time a connection may be idle

	mu    sync.Mutex
	open  map[net.Conn]*connection
	count map[netip.Prefix]int
}

// connection is the state of an open connection.
type connection struct {
	from    netip.Prefix // invalid if not counted per address
	since   time.Time    // start of the idle time
	waiting bool         // for a request
	used    bool         // has had a request
}

// Listen returns ln with the limits applied. The server that uses it must set State as its
// ConnState.
func (c *Connections) Listen(ln net.Listener) net.Listener {
	c.open, c.count = map[net.Conn]*connection{}, map[netip.Prefix]int{}
	return &boundListener{ln, c, make(chan struct{}, maxRefusals)}
}

// State tracks the state of a connection: see http.Server.ConnState.
func (c *Connections) State(conn net.Conn, state http.ConnState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	known := c.open[conn]
	if known == nil {
		return
	}
	switch state {
	case http.StateActive, http.StateHijacked:
		known.waiting, known.used = false, true
	case http.StateIdle:
		known.waiting, known.since = true, time.Now()
	}
}

// admit counts a connection if there is room, or if another one can be closed to make room.
func (c *Connections) admit(conn net.Conn) bool {
	from := c.address(conn)
	c.mu.Lock()
	defer c.mu.Unlock()
	var victim net.Conn
	switch {
	case from.IsValid() && c.count[from] >= c.MaxPerAddress:
		victim = c.longestIdle(from)
	case len(c.open) >= c.Max:
		victim = c.longestIdle(netip.Prefix{})
	default:
		c.add(conn, from)
		return true
	}
	if victim == nil {
		return false
	}
	c.remove(victim)
	victim.(*boundConn).Conn.Close()
	c.add(conn, from)
	return true
}

func (c *Connections) add(conn net.Conn, from netip.Prefix) {
	c.open[conn] = &connection{from: from, since: time.Now(), waiting: true}
	if from.IsValid() {
		c.count[from]++
	}
}

// longestIdle returns the connection to close to make room for another, from the same
// address if from is valid; it returns nil if none has been idle long enough.
func (c *Connections) longestIdle(from netip.Prefix) (found net.Conn) {
	var best *connection
	long := time.Now().Add(-c.Grace)
	for conn, known := range c.open {
		switch {
		case !known.waiting || known.since.After(long) || from.IsValid() && known.from != from:
		case best == nil || best.used && !known.used || best.used == known.used && known.since.Before(best.since):
			found, best = conn, known
		}
	}
	return found
}

func (c *Connections) remove(conn net.Conn) {
	known := c.open[conn]
	if known == nil {
		return
	}
	delete(c.open, conn)
	if known.from.IsValid() {
		if c.count[known.from]--; c.count[known.from] == 0 {
			delete(c.count, known.from)
		}
	}
}

// address returns the prefix that a connection is counted under, or the zero prefix if it
// is exempt.
func (c *Connections) address(conn net.Conn) netip.Prefix {
	at, err := netip.ParseAddrPort(conn.RemoteAddr().String())
	if err != nil {
		return netip.Prefix{}
	}
	addr := at.Addr().Unmap().WithZone("")
	for _, p := range c.Exempt {
		if p.Contains(addr) {
			return netip.Prefix{}
		}
	}
	bits := addr.BitLen()
	if addr.Is6() {
		bits = 64
	}
	from, _ := addr.Prefix(bits) // the length is valid
	return from
}

// boundListener is a listener with the limits of c.
type boundListener struct {
	net.Listener
	c        *Connections
	refusals chan struct{} // one entry per refusal being answered
}

// Accept returns the next connection within the limits.
func (l *boundListener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		keepSteady(conn)
		bound := &boundConn{Conn: conn, c: l.c}
		if l.c.admit(bound) {
			return bound, nil
		}
		l.refuse(conn)
	}
}

// The answer to refused connections, and how many of them are given time to read it: others
// may see a reset.
const (
	refusal     = `{"message":"The server has too many connections; try again in 5 s."}` + "\n"
	maxRefusals = 64
	refusalTime = time.Second
)

// refuse answers and closes a connection without holding up Accept.
func (l *boundListener) refuse(conn net.Conn) {
	select {
	case l.refusals <- struct{}{}:
	default:
		conn.Close()
		return
	}
	go func() {
		defer func() { conn.Close(); <-l.refusals }()
		_ = conn.SetDeadline(time.Now().Add(refusalTime))
		_, err := io.WriteString(conn, "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nRetry-After: 5\r\n"+
			"Content-Type: application/json\r\nContent-Length: "+itoa(int64(len(refusal)))+"\r\n\r\n"+refusal)
		if half, ok := conn.(interface{ CloseWrite() error }); ok && err == nil && half.CloseWrite() == nil {
			_, _ = io.CopyN(io.Discard, conn, defaultBody) // drain the request, so that closing does not reset the connection
		}
	}()
}

// boundConn is a connection that is uncounted when it is closed.
type boundConn struct {
	net.Conn
	c *Connections
}

// Close closes the connection.
func (b *boundConn) Close() error {
	b.c.mu.Lock()
	b.c.remove(b)
	b.c.mu.Unlock()
	return b.Conn.Close()
}

// CloseWrite closes the write side of the connection.
func (b *boundConn) CloseWrite() error {
	half, ok := b.Conn.(interface{ CloseWrite() error })
	if !ok {
		return errors.ErrUnsupported
	}
	return half.CloseWrite()
}

// ReadFrom lets the operating system copy a file.
func (b *boundConn) ReadFrom(r io.Reader) (int64, error) { return io.Copy(b.Conn, r) }
