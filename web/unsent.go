//go:build !linux && !darwin

package web

import "net"

// keepSteady does nothing: these systems buffer little.
func keepSteady(net.Conn) {}
