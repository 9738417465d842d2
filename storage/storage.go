// Package storage stores dal's records in SQLite. All queries are methods of Tx, with one
// file per noun.
package storage

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/digital-asset-library/dal/app/dam"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Pragmas are in the data source name because each pooled connection needs them. A commit
// is durable when it returns (synchronous=FULL): acknowledged changes survive a power
// failure.
const pragmas = "_pragma=busy_timeout(10000)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)" +
	"&_pragma=foreign_keys(ON)&_pragma=journal_size_limit(67108864)&_pragma=temp_store(MEMORY)"

// readers is the maximum number of concurrent read transactions.
const readers = 8

// Store is the database. Reads run in parallel; writes run one at a time.
type Store struct {
	read, write *sql.DB
	versions    *sql.DB // one connection, which sees the commits of all others
	version     *sql.Stmt
	turns       atomic.Int64              // number of write transactions
	wrote       atomic.Pointer[time.Time] // when the last write transaction ended
	known       atomic.Pointer[knownVersion]
	now         func() time.Time
	uri         string // of the file, to be opened for writing; "" for a read-only store
	events      chan struct{}
	watch       *Watch

	reading, writing *semaphore.Weighted // limit concurrent transactions
	late             []func()            // callbacks after the current write transaction
}

// ErrNewerSchema is returned by Open for a database written by a newer dal.
var ErrNewerSchema = errors.New(
	"the library was written by a newer version of dal; use that version, or restore a backup made by this one")

// Open opens the database at path, readable by its owner only, creates it if missing, and
// migrates its schema. now provides the timestamps of records.
func Open(ctx context.Context, path string, now func() time.Time) (_ *Store, err error) {
	name, err := fileURI(path)
	if err != nil {
		return nil, err
	}
	if err := private(path); err != nil {
		return nil, err
	}
	dsn := name + "?" + pragmas
	s := newStore(now)
	s.uri = name
	defer func() {
		if err != nil {
			s.Close()
		}
	}()
	if s.write, err = openPool(dsn + "&_txlock=immediate"); err != nil {
		return nil, err
	}
	s.write.SetMaxOpenConns(1)
	if s.read, err = openPool(dsn + "&_pragma=query_only(1)"); err != nil {
		return nil, err
	}
	s.read.SetMaxOpenConns(readers)
	s.read.SetMaxIdleConns(readers)
	if s.versions, err = openPool(dsn + "&_pragma=query_only(1)"); err != nil {
		return nil, err
	}
	s.versions.SetMaxOpenConns(1)
	if err := s.migrate(ctx, migrations); err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	if s.version, err = s.versions.PrepareContext(ctx, `PRAGMA data_version`); err != nil {
		return nil, wrap(err, "")
	}
	return s, nil
}

func newStore(now func() time.Time) *Store {
	return &Store{
		now: now, events: make(chan struct{}, 1), watch: newWatch(),
		reading: semaphore.NewWeighted(readers), writing: semaphore.NewWeighted(1),
	}
}

// Close closes the database, once other processes can see the commits of this store: see
// Version.
func (s *Store) Close() error {
	if wrote := s.wrote.Load(); wrote != nil {
		time.Sleep(time.Until(wrote.Add(versionEvery)))
	}
	var errs []error
	for _, db := range []*sql.DB{s.versions, s.read, s.write} {
		if db != nil {
			errs = append(errs, db.Close())
		}
	}
	return errors.Join(errs...)
}

// Tx is a transaction. Like sql.Tx, it is bound to the context it was started with, so it
// stores that context.
type Tx struct {
	ctx context.Context
	tx  *sql.Tx
	now time.Time

	after   []func()
	late    []func()
	notify  func() // wakes followers of events; nil once it is in after
	touched []Touch

	definitions, vocabulary int64 // see definitionsChanged
}

// OnCommit registers fn to be called after the transaction commits, in the order of
// registration. fn is not called if the transaction does not commit, and must not call
// Update.
func (tx *Tx) OnCommit(fn func()) { tx.after = append(tx.after, fn) }

// AfterTurn registers fn to be called after the transaction has committed and the next
// writer may start, but before Update returns. Unlike with OnCommit, fn may take locks
// that others hold while they wait to write.
func (tx *Tx) AfterTurn(fn func()) { tx.late = append(tx.late, fn) }

// Now is the time of the transaction, UTC, in milliseconds.
func (tx *Tx) Now() time.Time { return tx.now }

// NewEvents receives a value after this Store has committed events. It may combine
// several commits into one value, and supports one receiver.
func (s *Store) NewEvents() <-chan struct{} { return s.events }

func (s *Store) tellEvents() {
	select {
	case s.events <- struct{}{}:
	default:
	}
}

// versionEvery is the interval at which Version checks for commits of other processes.
const versionEvery = 50 * time.Millisecond

// knownVersion is the version at a time, after a number of write transactions of this
// Store.
type knownVersion struct {
	version, turns int64
	at             time.Time
}

// Version returns a number that changes with every commit. A commit of another process is
// visible within versionEvery, and before that process closes its Store. Data read after
// a call is valid as long as Version returns the same number.
func (s *Store) Version(ctx context.Context) (int64, error) {
	turns, now := s.turns.Load(), time.Now()
	if k := s.known.Load(); k != nil && k.turns == turns && now.Sub(k.at) < versionEvery {
		return k.version, nil
	}
	var v int64
	if err := s.version.QueryRowContext(ctx).Scan(&v); err != nil {
		return 0, wrap(err, "")
	}
	s.known.Store(&knownVersion{v, turns, now})
	return v, nil
}

// View runs fn in a read-only snapshot.
func (s *Store) View(ctx context.Context, fn func(*Tx) error) error {
	leave, err := turn(ctx, s.reading)
	if err != nil {
		return err
	}
	defer leave()
	return s.in(ctx, s.read, fn)
}

// Update runs fn in a write transaction, which is durable on return if fn returns nil. fn
// must neither call the Store, which has one writer, nor do other input or output,
// because all other writers wait.
func (s *Store) Update(ctx context.Context, fn func(*Tx) error) error {
	return s.asWriter(ctx, func() error { return s.in(ctx, s.write, guarded(ctx, fn)) })
}

// Step is the number of rows that maintenance changes in one transaction, so that other
// writers get their turn.
const Step = 500

// Repeat runs fn in transactions until it changes fewer than Step rows. fn returns the
// number of rows that it changed.
func (s *Store) Repeat(ctx context.Context, fn func(*Tx) (int64, error)) error {
	for {
		var n int64
		err := s.Update(ctx, func(tx *Tx) (err error) {
			n, err = fn(tx)
			return err
		})
		if err != nil || n < Step {
			return err
		}
	}
}

// asWriter waits for its turn to write, then runs do.
func (s *Store) asWriter(ctx context.Context, do func() error) error {
	if s.write == nil {
		return errReadOnly
	}
	leave, err := turn(ctx, s.writing)
	if err != nil {
		return err
	}
	var late []func()
	err = func() error {
		defer leave()
		defer s.turns.Add(1)
		err := do()
		late, s.late = s.late, nil
		ended := time.Now()
		s.wrote.Store(&ended)
		return err
	}()
	for _, f := range late {
		f()
	}
	return err
}

// withSetting is asWriter with the write connection while a pragma has another value than
// usual.
func (s *Store) withSetting(ctx context.Context, set, reset string, do func(*sql.Conn) error) error {
	return s.asWriter(ctx, func() error {
		conn, err := s.write.Conn(ctx)
		if err != nil {
			return err
		}
		defer conn.Close()
		if _, err := conn.ExecContext(ctx, set); err != nil {
			return err
		}
		err = do(conn)
		if _, e := conn.ExecContext(context.WithoutCancel(ctx), reset); e != nil {
			// A connection without the usual setting must not be used again.
			conn.Raw(func(any) error { return driver.ErrBadConn })
			err = errors.Join(err, e)
		}
		return err
	})
}

// Note is Update for progress that may be lost in a power failure, though not in a crash,
// as long as the library stays consistent: it does not wait for the disk. Any later
// Update makes it durable too.
func (s *Store) Note(ctx context.Context, fn func(*Tx) error) error {
	return s.withSetting(ctx, `PRAGMA synchronous = NORMAL`, `PRAGMA synchronous = FULL`, func(conn *sql.Conn) error {
		return s.in(ctx, conn, guarded(ctx, fn))
	})
}

// beginner is the common interface of sql.DB and sql.Conn for starting transactions.
type beginner interface {
	BeginTx(context.Context, *sql.TxOptions) (*sql.Tx, error)
}

func (s *Store) in(ctx context.Context, db beginner, fn func(*Tx) error) error {
	sqlTx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return wrap(err, "")
	}
	defer sqlTx.Rollback()
	tx := &Tx{ctx: ctx, tx: sqlTx, now: s.now().UTC().Truncate(time.Millisecond), notify: s.tellEvents}
	if err := fn(tx); err != nil {
		return err
	}
	if err := sqlTx.Commit(); err != nil {
		return wrap(err, "")
	}
	for _, f := range tx.after {
		f()
	}
	if len(tx.late) > 0 {
		s.late = append(s.late, tx.late...)
	}
	if len(tx.touched) > 0 || tx.notify == nil {
		s.watch.add(tx.touched)
	}
	return nil
}

// afterMigration contains the steps after a migration that SQL cannot do.
var afterMigration = map[string]func(*Tx) error{
	"0012_accounts.sql":          (*Tx).keyEmails,
	"0019_asset_class_names.sql": (*Tx).keyAssetClasses,
	"0036_usage.sql":             (*Tx).startUsageTold,
	"0042_people.sql":            (*Tx).keepTermsTexts,
}

// migrate applies the migrations newer than the file's user_version.
func (s *Store) migrate(ctx context.Context, files fs.FS) error {
	names, err := fs.Glob(files, "migrations/*.sql") // sorted
	if err != nil {
		return err
	}
	return s.rebuild(ctx, func(tx *Tx) error {
		have, err := one[int](tx, "", `PRAGMA user_version`)
		if err != nil {
			return err
		}
		if err := newerSchema(have); err != nil {
			return err
		}
		for i, name := range names[have:] {
			stmt, err := fs.ReadFile(files, name)
			if err != nil {
				return err
			}
			if _, err := tx.tx.ExecContext(ctx, string(stmt)); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			if follow := afterMigration[path.Base(name)]; follow != nil {
				if err := follow(tx); err != nil {
					return fmt.Errorf("%s: %w", name, err)
				}
			}
			if _, err := tx.tx.ExecContext(ctx, fmt.Sprintf(`PRAGMA user_version = %d`, have+i+1)); err != nil {
				return err
			}
		}
		return nil
	})
}

// Check runs SQLite's own check of the file and of all references between rows, and
// returns the problems, one per line.
func (s *Store) Check(ctx context.Context) (problems []string, err error) {
	err = s.View(ctx, func(tx *Tx) error {
		lines, err := list(tx, func(r row) (line string, err error) { return line, r.Scan(&line) }, `PRAGMA integrity_check(100)`)
		if err != nil {
			return err
		}
		for _, l := range lines {
			if l != "ok" {
				problems = append(problems, "database: "+l)
			}
		}
		broken, err := tx.brokenReferences()
		problems = append(problems, broken...)
		return err
	})
	return problems, err
}

// brokenReferences returns the rows that refer to rows that do not exist.
func (tx *Tx) brokenReferences() ([]string, error) {
	return list(tx, func(r row) (string, error) {
		var table, parent string
		var id sql.NullInt64
		var key int
		err := r.Scan(&table, &id, &parent, &key)
		return fmt.Sprintf("database: row %d of %s refers to a row of %s that is not there", id.Int64, table, parent), err
	}, `PRAGMA foreign_key_check`)
}

// row is the common interface of sql.Row and sql.Rows for scanning.
type row interface{ Scan(dest ...any) error }

// exec runs a statement and returns the number of changed rows. In errors, the resource
// is called what.
func (tx *Tx) exec(what, query string, args ...any) (int64, error) {
	res, err := tx.tx.ExecContext(tx.ctx, query, args...)
	if err != nil {
		return 0, wrap(err, what)
	}
	return res.RowsAffected()
}

// must is exec for a statement that has to change at least one row; otherwise it returns
// NotFound.
func (tx *Tx) must(what, query string, args ...any) error {
	n, err := tx.exec(what, query, args...)
	if err == nil && n == 0 {
		err = notFound(what)
	}
	return err
}

// one returns the single value of a query.
func one[T any](tx *Tx, what, query string, args ...any) (v T, err error) {
	err = tx.tx.QueryRowContext(tx.ctx, query, args...).Scan(&v)
	return v, wrap(err, what)
}

// list returns all rows of a query, which must be bounded.
func list[T any](tx *Tx, scan func(row) (T, error), query string, args ...any) (all []T, err error) {
	err = each(tx, func(r row) error {
		v, err := scan(r)
		all = append(all, v)
		return err
	}, query, args...)
	return all, err
}

// each calls fn with each row of a query.
func each(tx *Tx, fn func(row) error, query string, args ...any) error {
	rows, err := tx.tx.QueryContext(tx.ctx, query, args...)
	if err != nil {
		return wrap(err, "")
	}
	defer rows.Close()
	for rows.Next() {
		if err := fn(rows); err != nil {
			return err
		}
	}
	return wrap(rows.Err(), "")
}

// wrap converts a driver's error to a domain error, by code.
func wrap(err error, what string) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, sql.ErrNoRows) {
		return notFound(what)
	}
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		switch e.Code() {
		case sqlite3.SQLITE_CONSTRAINT_UNIQUE, sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY:
			return &dam.Error{Kind: dam.Conflict, Msg: what + " already exists.", Err: err}
		case sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_SHMSIZE: // the second: a file beside the database cannot grow
			return &dam.Error{Kind: dam.NoSpace, Msg: "The server's disk is full.", Err: err}
		case sqlite3.SQLITE_BUSY:
			return &dam.Error{Kind: dam.Unavailable, Msg: "The library is busy; try again.", Err: err}
		}
		switch e.Code() & 0xff { // ignoring the extended code
		case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
			return fmt.Errorf("%w: %w", ErrDamaged, err)
		}
	}
	return err
}

func notFound(what string) error {
	return &dam.Error{Kind: dam.NotFound, Msg: what + " not found.", Err: sql.ErrNoRows}
}

// The types below convert times, missing references and JSON to and from columns.

// msec stores a time as milliseconds.
func msec(t time.Time) int64 { return t.UnixMilli() }

func msecPtr(t *time.Time) any {
	if t == nil {
		return nil
	}
	return t.UnixMilli()
}

// timeCol scans milliseconds into a time.
type timeCol struct{ t *time.Time }

func (c timeCol) Scan(v any) error {
	n, ok := v.(int64)
	if !ok {
		return fmt.Errorf("a time is stored as %T", v)
	}
	*c.t = time.UnixMilli(n).UTC()
	return nil
}

// optTimeCol scans milliseconds or NULL into an optional time.
type optTimeCol struct{ t **time.Time }

func (c optTimeCol) Scan(v any) error {
	if v == nil {
		*c.t = nil
		return nil
	}
	var t time.Time
	*c.t = &t
	return timeCol{&t}.Scan(v)
}

// ref stores 0 as NULL.
func ref(id int64) any {
	if id == 0 {
		return nil
	}
	return id
}

// refCol scans NULL as 0.
type refCol struct{ id *int64 }

func (c refCol) Scan(v any) error {
	n, _ := v.(int64)
	*c.id = n
	return nil
}

// ids marshals numbers for json_each.
func ids(list []int64) string {
	b, _ := json.Marshal(list) // integers always marshal
	if list == nil {
		return "[]"
	}
	return string(b)
}
