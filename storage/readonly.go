package storage

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// Errors for databases that cannot be read.
var (
	ErrNoRecords  = errors.New("there are no records")
	ErrDamaged    = errors.New("the records are damaged")
	ErrNotRecords = errors.New("it is the database of another program")
)

var errReadOnly = errors.New("the library was opened for reading only")

// OpenReadOnly opens the database at path for View and changes nothing, not even its
// schema, and works on read-only media. It returns ErrNoRecords for a missing or empty
// database, ErrDamaged for a file that is not a valid SQLite database, ErrNotRecords for
// the database of another program, and ErrNewerSchema for the database of a newer dal.
func OpenReadOnly(ctx context.Context, path string) (_ *Store, err error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, ErrNoRecords
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a file", path)
	case info.Size() == 0: // SQLite would treat it as new and delete its log
		return nil, ErrNoRecords
	}
	name, err := fileURI(path)
	if err != nil {
		return nil, err
	}
	how := "immutable=1" // only the one file: SQLite would leave an empty log beside it otherwise
	if wal, err := os.Stat(path + "-wal"); err == nil {
		s, err := openReadOnly(ctx, name+"?mode=ro&"+readPragmas)
		if !isUnwritable(err) {
			return s, err
		}
		// SQLite writes the index of the log even to read. Where it cannot write, nobody
		// else can either, so locks are unnecessary.
		if how = "immutable=1"; wal.Size() > 0 {
			how = "mode=ro&vfs=unix-none&_pragma=locking_mode(EXCLUSIVE)"
		}
	}
	return openReadOnly(ctx, name+"?"+how+"&"+readPragmas)
}

const readPragmas = "_pragma=busy_timeout(10000)&_pragma=query_only(1)&_pragma=temp_store(MEMORY)"

func openReadOnly(ctx context.Context, dsn string) (_ *Store, err error) {
	s := newStore(time.Now)
	if s.read, err = openPool(dsn); err != nil {
		return nil, err
	}
	s.read.SetMaxOpenConns(readers)
	s.read.SetMaxIdleConns(readers)
	if err := s.View(ctx, (*Tx).isLibrary); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// isLibrary returns an error for a database that this dal cannot read.
func (tx *Tx) isLibrary() error {
	version, err := one[int](tx, "", `PRAGMA user_version`)
	if err != nil {
		return err
	}
	tables, err := one[int](tx, "", `SELECT count(*) FROM sqlite_schema`)
	if err != nil {
		return err
	}
	has, err := tx.hasTable("blobs")
	switch {
	case err != nil:
		return err
	case tables == 0 && version == 0:
		return ErrNoRecords
	case !has:
		return ErrNotRecords
	}
	return newerSchema(version)
}

// newerSchema returns an error if the schema is newer than this dal.
func newerSchema(have int) error {
	names, err := fs.Glob(migrations, "migrations/*.sql")
	if err == nil && have > len(names) {
		err = fmt.Errorf("schema %d, this is %d: %w", have, len(names), ErrNewerSchema)
	}
	return err
}

// isUnwritable reports whether SQLite failed because it cannot write.
func isUnwritable(err error) bool {
	e, ok := errors.AsType[*sqlite.Error](err)
	if !ok {
		return false
	}
	switch e.Code() & 0xff {
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN:
		return true
	}
	return false
}
