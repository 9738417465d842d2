package blob

import (
	"strconv"
	"sync"
)

// durable contains the blob folders whose entries in their parents this process has
// synced: the inner ones by the 16 bits that name them, the outer ones by 8. Nobody
// removes these folders, so syncing them once is enough.
type durable struct {
	mu    sync.Mutex
	inner [1 << 16]bool
	outer [1 << 8]bool
}

// has reports whether the folder of a blob, and its parent, have been synced.
func (d *durable) has(sha string) (inner, outer bool) {
	n := folder(sha)
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.inner[n], d.outer[n>>8]
}

// add records that the folder of a blob and its parent have been synced with their
// entries.
func (d *durable) add(sha string) {
	n := folder(sha)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.inner[n], d.outer[n>>8] = true, true
}

func folder(sha string) uint16 {
	n, _ := strconv.ParseUint(sha[:4], 16, 16)
	return uint16(n)
}
