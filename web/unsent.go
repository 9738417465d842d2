//go:build !linux && !darwin

package web

import "net"

// keepSteady does nothing: these systems hold back little.
func keepSteady(net.Conn) {}
