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

// copyPages is the number of pages copied in one step, usually 4 MiB. Between steps,
// other work gets a turn and the context is checked.
const copyPages = 1024

// Copy writes a consistent snapshot of the database to a new file at path. Readers and
// writers are not blocked. pause is called between steps. The file is synced when Copy
// returns; an unfinished one is left in place.
func (s *Store) Copy(ctx context.Context, path string, pause func(context.Context)) (err error) {
	uri, err := fileURI(path)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600) // SQLite would create it readable by others
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	conn, err := s.read.Conn(ctx)
	if err != nil {
		return wrap(err, "")
	}
	defer conn.Close()
	// Within one read transaction the backup sees one state, so it need not restart after
	// each write.
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
	if err := conn.QueryRowContext(ctx, `SELECT count(*) FROM sqlite_schema`).Scan(&tables); err != nil { // takes the snapshot
		return wrap(err, "")
	}
	// An interrupted copy is useless, so it needs neither a journal nor syncing.
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

// OpenCopy opens a database that nobody else has open, such as one that Copy wrote, for
// View only. It writes nothing, not even files beside the database.
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
// tables, and returns the first problem, "" if it finds none.
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
