//go:build !linux && !darwin && !freebsd && !windows

package blob

import "errors"

// Space cannot be known on this system.
func Space(string) (free, total int64, err error) { return 0, 0, errors.ErrUnsupported }
