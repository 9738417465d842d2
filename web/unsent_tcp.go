//go:build linux || darwin

package web

import (
	"net"
	"syscall"

	"golang.org/x/sys/unix"
)

// unsentBytes is the amount of unsent data that the kernel may buffer. Without a limit it
// would buffer megabytes, and accept more only once a third is sent: a slow client would
// look like one that does not read.
const unsentBytes = 2 * writeBytes

// keepSteady limits the kernel's buffer, so that a connection accepts data only as fast as
// its client reads.
func keepSteady(conn net.Conn) {
	c, ok := conn.(syscall.Conn)
	if !ok {
		return
	}
	raw, err := c.SyscallConn()
	if err != nil {
		return
	}
	_ = raw.Control(func(fd uintptr) { // on failure, slow clients may be disconnected
		_ = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_NOTSENT_LOWAT, unsentBytes)
	})
}
