package storage

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"os"
	"time"

	"modernc.org/sqlite"
)

// copyPages is how many pages are copied at once, usually 4 MiB, before others get
// their turn and the context is checked.
const copyPages = 1024

// Copy writes the records, as they are at one moment, to a new file at path.
// Readers and writers are not blocked. pause is called now and then. The file is
// synced when Copy returns; an unfinished one stays where it is.
func (s *Store) Copy(ctx context.Context, path string, pause func(context.Context)) (err error) {
	uri, err := fileURI(path)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600) // SQLite would make it with the mode of others
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	conn, err := s.read.Conn(ctx)
	if err != nil {
		return wrap(err, "")
	}
	defer conn.Close()
	// Within one read transaction the backup sees one state: it need not start over
	// each time that somebody writes.
	if _, err := conn.ExecContext(ctx, `BEGIN`); err != nil {
		return wrap(err, "")
	}
	defer func() {
		if _, e := conn.ExecContext(context.WithoutCancel(ctx), `ROLLBACK`); e != nil {
			conn.Raw(func(any) error { return driver.ErrBadConn })
			err = errors.Join(err, e)
		}
	}()
	var tables int
	if err := conn.QueryRowContext(ctx, `SELECT count(*) FROM sqlite_schema`).Scan(&tables); err != nil { // the snapshot is taken now
		return wrap(err, "")
	}
	// An interrupted copy is of no use, so it needs neither a journal nor syncing.
	uri += "?_pragma=journal_mode(OFF)&_pragma=synchronous(OFF)"
	err = conn.Raw(func(dc any) error {
		source, ok := dc.(interface {
			NewBackup(string) (*sqlite.Backup, error)
		})
		if !ok {
			return fmt.Errorf("%T cannot be copied", dc)
		}
		b, err := source.NewBackup(uri)
		if err != nil {
			return err
		}
		for more := true; more && err == nil; {
			if err = ctx.Err(); err == nil {
				more, err = b.Step(copyPages)
			}
			if err == nil && more {
				pause(ctx)
			}
		}
		return errors.Join(err, b.Finish())
	})
	if err != nil {
		return wrap(err, "")
	}
	return f.Sync()
}

// OpenCopy opens records that nobody else has open, such as those that Copy wrote,
// for View only. Nothing is written, not even beside the file.
func OpenCopy(ctx context.Context, path string) (_ *Store, err error) {
	uri, err := fileURI(path)
	if err != nil {
		return nil, err
	}
	s := newStore(time.Now)
	if s.read, err = openPool(uri + "?mode=ro&immutable=1&_pragma=query_only(1)&_pragma=temp_store(MEMORY)"); err != nil {
		return nil, err
	}
	s.read.SetMaxOpenConns(readers)
	err = s.View(ctx, func(tx *Tx) error {
		have, err := one[int](tx, "", `PRAGMA user_version`)
		if err != nil {
			return err
		}
		names, err := migrations.ReadDir("migrations")
		switch {
		case err != nil:
			return err
		case have == 0:
			return errors.New("it has no records of dal")
		case have > len(names):
			return fmt.Errorf("schema %d, this is %d: %w", have, len(names), ErrNewerSchema)
		}
		return nil
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", path, err), s.Close())
	}
	return s, nil
}

// QuickCheck runs SQLite's check of the file, without comparing indexes with their
// tables, and returns the first thing that is wrong, "" if nothing is.
func (s *Store) QuickCheck(ctx context.Context) (problem string, err error) {
	err = s.View(ctx, func(tx *Tx) error {
		problem, err = one[string](tx, "", `PRAGMA quick_check(1)`)
		return err
	})
	if problem == "ok" {
		problem = ""
	}
	return problem, err
}
