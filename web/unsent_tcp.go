//go:build linux || darwin

package web

import (
	"net"
	"syscall"

	"golang.org/x/sys/unix"
)

// unsentBytes is how much the kernel may hold that it has not sent. Without a limit
// it would hold megabytes, and take more only once a third of them is gone: a slow
// client would look like one that does not read.
const unsentBytes = 2 * writeBytes

// keepSteady has a connection take bytes only as fast as its client does.
func keepSteady(conn net.Conn) {
	c, ok := conn.(syscall.Conn)
	if !ok {
		return
	}
	raw, err := c.SyscallConn()
	if err != nil {
		return
	}
	_ = raw.Control(func(fd uintptr) { // if it fails, slow clients may be cut off
		_ = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_NOTSENT_LOWAT, unsentBytes)
	})
}
