//go:build !linux && !darwin && !freebsd && !windows

package blob

import "errors"

// Space is not supported on this system.
func Space(string) (free, total int64, err error) { return 0, 0, errors.ErrUnsupported }
