//go:build linux || darwin

package web

import (
	"net"
	"syscall"

	"golang.org/x/sys/unix"
)

// unsentBytes is how much of what is written the kernel holds that it has not
// sent. It would hold megabytes, and take more only when a third of them has
// gone: a slow client would look like one that does not read.
const unsentBytes = 2 * writeBytes

// keepSteady has a connection take what is written as its client takes it.
func keepSteady(conn net.Conn) {
	c, ok := conn.(syscall.Conn)
	if !ok {
		return
	}
	raw, err := c.SyscallConn()
	if err != nil {
		return
	}
	_ = raw.Control(func(fd uintptr) { // without it slow clients must be faster
		_ = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_NOTSENT_LOWAT, unsentBytes)
	})
}
