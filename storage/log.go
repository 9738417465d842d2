package storage

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"os"
)

// ErrOtherLog is returned by CheckLog.
var ErrOtherLog = errors.New("the log does not follow on the database")

// The sizes of SQLite's write-ahead log. Format:
// https://sqlite.org/fileformat2.html#walformat
const (
	logHeader   = 32
	frameHeader = 24
	maxPageSize = 64 << 10
)

// CheckLog returns ErrOtherLog when the write-ahead log beside the database at path
// cannot be its own: the database was replaced but the log of the previous one was left,
// and SQLite would mix the two. SQLite does not detect this, because a log does not name
// its database. CheckLog changes nothing.
//
// When a log begins, all earlier states are in the database, and the first update of the
// library's row in a log advances its number by one: the first row in the log is
// therefore at most one ahead.
func CheckLog(ctx context.Context, path string) error {
	f, err := os.Open(path + "-wal")
	if err != nil {
		return nil // it is missing, or opening the database will report the error
	}
	defer f.Close()
	name, err := fileURI(path)
	if err != nil {
		return err
	}
	s, err := openReadOnly(ctx, name+"?immutable=1&"+readPragmas) // without the log
	if err != nil {
		return nil // not readable by itself, for example in the middle of a checkpoint
	}
	defer s.Close()
	var have Library
	var root uint32
	if err := s.View(ctx, func(tx *Tx) error {
		if have, err = tx.Library(); err != nil || have.ID == "" {
			return err
		}
		root, err = one[uint32](tx, "", `SELECT rootpage FROM sqlite_schema WHERE name = 'library'`)
		return err
	}); err != nil || root == 0 {
		return nil
	}
	first, ok, err := firstInLog(f, root)
	if err == nil && ok && (first.ID != have.ID || first.Change > have.Change+1) {
		err = ErrOtherLog
	}
	return err
}

// Settle moves all commits from the log into the database, unless somebody is reading,
// and restarts the log.
func (s *Store) Settle(ctx context.Context) error {
	_, err := s.write.ExecContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`)
	return wrap(err, "")
}

// firstInLog returns the library's row from the first frame of a log for the given page;
// ok is false if the log has no such frame.
func firstInLog(r io.ReadSeeker, page uint32) (l Library, ok bool, err error) {
	head := make([]byte, logHeader)
	if _, err := io.ReadFull(r, head); err != nil {
		return l, false, shortLog(err)
	}
	size := int64(binary.BigEndian.Uint32(head[8:]))
	if magic := binary.BigEndian.Uint32(head); magic|1 != 0x377f0683 || size < 512 || size > maxPageSize {
		return l, false, nil // SQLite ignores it as well
	}
	frame := make([]byte, frameHeader)
	for {
		if _, err := io.ReadFull(r, frame); err != nil {
			return l, false, shortLog(err)
		}
		if !bytes.Equal(frame[8:16], head[16:24]) { // left over from the previous log
			return l, false, nil
		}
		if binary.BigEndian.Uint32(frame) != page {
			if _, err := r.Seek(size, io.SeekCurrent); err != nil {
				return l, false, err
			}
			continue
		}
		data := make([]byte, size)
		if _, err := io.ReadFull(r, data); err != nil {
			return l, false, shortLog(err)
		}
		l, ok = libraryPage(data)
		return l, ok, nil
	}
}

// shortLog returns nil if err means that a log is truncated.
func shortLog(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil
	}
	return err
}

// libraryPage reads the row of the table library from its page, a leaf with one cell: the
// sizes of payload and header, the row's number, a column type for NULL, a text of 36
// bytes and an integer, and the values. Format:
// https://sqlite.org/fileformat2.html#b_tree_pages
func libraryPage(page []byte) (l Library, ok bool) {
	const leaf, cells, pointer, textOf36 = 13, 3, 8, 13 + 2*36
	if len(page) < 512 || page[0] != leaf || binary.BigEndian.Uint16(page[cells:]) != 1 {
		return l, false
	}
	at := int(binary.BigEndian.Uint16(page[pointer:]))
	if at+2+5+36 > len(page) { // the row is shorter only when the number is 0 or 1
		return l, false
	}
	// The row's number is 1 and all sizes are below 128, so each takes one byte.
	cell := page[at:]
	if cell[1] != 1 || cell[2] != 4 && cell[2] != 5 || cell[3] != 0 {
		return l, false
	}
	kinds := cell[4 : 2+cell[2]]
	if kinds[0] != textOf36 {
		return l, false
	}
	values := cell[2+cell[2]:]
	l.ID = string(values[:36])
	l.Change, ok = smallInteger(kinds[len(kinds)-1], values[36:])
	return l, ok
}

// smallInteger decodes a non-negative integer of a column type.
func smallInteger(kind byte, b []byte) (n int64, ok bool) {
	widths := []int{1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8, 8: 0, 9: 0}
	if int(kind) >= len(widths) || kind == 0 || kind == 7 || len(b) < widths[kind] {
		return 0, false
	}
	for _, c := range b[:widths[kind]] {
		n = n<<8 | int64(c)
	}
	if kind == 9 {
		n = 1
	}
	return n, n >= 0
}
