//go:build !windows

package web_test

import (
	"syscall"
	"testing"
)

func mkfifo(t testing.TB, path string) {
	t.Helper()
	must(t, syscall.Mkfifo(path, 0o600))
}
