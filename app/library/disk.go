package library

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage/blob"
)

const (
	// DefaultDiskReserve is the number of bytes kept free on a disk, or a twentieth
	// of the disk if that is less.
	DefaultDiskReserve = 512 << 20
	reservePart        = 20

	// diskLook is how long the free space of a disk is cached; writes in the
	// meantime are subtracted.
	diskLook = time.Second

	// SpaceRetry is the interval at which an operation checks for space.
	SpaceRetry = 15 * time.Second
)

// RecordsDir is the folder of the database: the data folder itself. It, BlobsDir,
// CacheDir, ExportsDir and IndexDir may be on different disks.
const RecordsDir = ""

// diskName returns the name of a folder's disk in messages.
func diskName(dir string) string {
	switch dir {
	case BlobsDir:
		return "the disk of the originals"
	case CacheDir:
		return "the disk of the renditions"
	case ExportsDir:
		return "the disk of the exports"
	case IndexDir:
		return "the disk of the search index"
	}
	return "the disk of the records"
}

// Disks reserves the last free space on the disks for the database. Once less than
// the reserve is free, nothing large or reproducible is written, so that people can
// still sign in, browse, edit metadata and delete.
type Disks struct {
	data    string // the data folder
	reserve int64  // 0 for the default
	log     *slog.Logger

	mu    sync.Mutex
	known map[string]*disk
}

// disk is the cached state of a folder's disk.
type disk struct {
	looked      time.Time
	free, total int64 // free is reduced by each write
}

// NewDisks reserves bytes on the disk of a data folder; 0 chooses a reserve by the size
// of the disk.
func NewDisks(data string, reserve int64, log *slog.Logger) *Disks {
	return &Disks{data: data, reserve: reserve, log: log, known: map[string]*disk{}}
}

// Room returns a function that claims space in a folder. It returns a NoSpace error
// if that disk, or the disk of the database, would have less free space than the
// reserve.
func (d *Disks) Room(dir string) blob.Room {
	return func(n int64) error {
		d.mu.Lock()
		defer d.mu.Unlock()
		no := d.take(dir, n)
		if no == nil && dir != RecordsDir {
			no = d.take(RecordsDir, 0)
		}
		if no == nil {
			return nil
		}
		return no.refused()
	}
}

// Full returns a function that reports whether a folder has no room, so that work
// that fills it must wait.
func (d *Disks) Full(dir string) func() bool {
	room := d.Room(dir)
	return func() bool { return room(0) != nil }
}

// take claims n bytes on the disk of a folder, or returns why it cannot. A disk
// whose free space is unknown is assumed to have room; writing to it will reveal
// any error.
func (d *Disks) take(dir string, n int64) *noRoom {
	k := d.known[dir]
	if k == nil {
		k = &disk{}
		d.known[dir] = k
	}
	if time.Since(k.looked) >= diskLook || k.free-n < d.Kept(k.total) {
		free, total, err := blob.Space(filepath.Join(d.data, dir))
		if err != nil || total == 0 {
			return nil
		}
		k.looked, k.free, k.total = time.Now(), free, total
	}
	kept := d.Kept(k.total)
	if k.free-n < kept {
		return &noRoom{dir: dir, free: k.free, kept: kept}
	}
	k.free -= n
	return nil
}

// Kept returns the number of bytes kept free on a disk.
func (d *Disks) Kept(total int64) int64 {
	if d.reserve != 0 {
		return d.reserve
	}
	return min(DefaultDiskReserve, total/reservePart)
}

// Check returns the state of the first disk without room, or nil.
func (d *Disks) Check() *noRoom {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, dir := range []string{RecordsDir, BlobsDir, CacheDir, ExportsDir, IndexDir} {
		if no := d.take(dir, 0); no != nil {
			return no
		}
	}
	return nil
}

// Watch logs repeatedly while a disk has no room, and once when it has room again.
func (d *Disks) Watch(ctx context.Context) {
	t := time.NewTicker(diskLook)
	defer t.Stop()
	var logged time.Time // time of the latest warning; zero while there is room
	for {
		no := d.Check()
		switch {
		case no != nil && time.Since(logged) >= time.Minute:
			logged = time.Now()
			d.log.WarnContext(ctx, "the disk is full: uploads, exports and the search index wait for space", "because", no.Error())
		case no == nil && !logged.IsZero():
			logged = time.Time{}
			d.log.InfoContext(ctx, "the disk has space again")
		}
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
	}
}

// Warn logs if the disk is small for the reserve, or if its size is unknown.
func (d *Disks) Warn() {
	_, total, err := blob.Space(d.data)
	if err == nil && total == 0 {
		err = errors.New("the file system does not report its size")
	}
	kept := d.Kept(total)
	sizes := []any{"disk", humanize.IBytes(uint64(total)), "reserve", humanize.IBytes(uint64(kept))}
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		d.log.Warn("this system does not report how full disks are: nothing is kept free for the records")
	case err != nil:
		d.log.Warn("the size of the disk is unknown: nothing is kept free for the records", "err", err)
	case kept >= total:
		d.log.Warn("--disk-reserve is more than the disk has: nothing can be uploaded", sizes...)
	case d.reserve == 0 && kept < DefaultDiskReserve:
		d.log.Warn("the disk is small: less of it is kept free for the records than usual", sizes...)
	}
}

// noRoom is the cause of an error about a disk with less free space than the
// reserve.
type noRoom struct {
	dir        string
	free, kept int64
}

func (e *noRoom) Error() string {
	return fmt.Sprintf("%s has %s free; %s are kept for the records",
		diskName(e.dir), humanize.IBytes(uint64(e.free)), humanize.IBytes(uint64(e.kept)))
}

// refused returns the error for the writer.
func (e *noRoom) refused() error {
	msg := "The server's disk is full: its last " + humanize.IBytes(uint64(e.kept)) + " are kept for the records."
	return &dam.Error{Kind: dam.NoSpace, Msg: msg, Err: e}
}

// Readiness returns the error of a library that is not ready because of it.
func (e *noRoom) Readiness() error {
	msg := "The disk is full: " + e.Error() + ". Uploads, exports and the search index wait for space."
	return &dam.Error{Kind: dam.Unavailable, Msg: msg, Err: e}
}
