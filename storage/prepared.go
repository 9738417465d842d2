package storage

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"

	"modernc.org/sqlite"
)

// maxPrepared is the number of statements that each connection keeps prepared: more than
// the number of statements that dal runs often.
const maxPrepared = 200

// openPool returns a pool of connections that cache their prepared statements: parsing
// and planning takes longer than running most of them.
func openPool(dsn string) (*sql.DB, error) {
	c, err := sqlite.NewConnector(dsn)
	if err != nil {
		return nil, err
	}
	return sql.OpenDB(connector{c}), nil
}

// connector opens connections that cache statements.
type connector struct{ driver.Connector }

func (c connector) Connect(ctx context.Context) (driver.Conn, error) {
	opened, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	plain, ok := opened.(sqliteConn)
	if !ok {
		return nil, errors.Join(fmt.Errorf("%T lacks methods of a connection to SQLite", opened), opened.Close())
	}
	return &conn{sqliteConn: plain, kept: map[string]*prepared{}}, nil
}

// sqliteConn is the subset of a SQLite connection that dal and database/sql use.
type sqliteConn interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.ExecerContext
	driver.QueryerContext
	driver.Pinger
	driver.SessionResetter
	driver.Validator
	NewBackup(uri string) (*sqlite.Backup, error)
}

// conn is a connection that caches statements. Like any driver.Conn, it is used by one
// goroutine at a time.
type conn struct {
	sqliteConn
	kept map[string]*prepared
	uses int64
}

// prepared is a cached statement.
type prepared struct {
	stmt driver.Stmt
	used int64 // value of the connection's uses at the last use
	busy bool  // its rows are being read
}

// Close closes the statements and the connection.
func (c *conn) Close() error {
	var errs []error
	for _, p := range c.kept {
		errs = append(errs, p.stmt.Close())
	}
	clear(c.kept)
	return errors.Join(append(errs, c.sqliteConn.Close())...)
}

// ExecContext runs a statement that returns no rows.
func (c *conn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	p, err := c.prepared(ctx, query)
	if err != nil {
		return nil, err
	}
	if p == nil {
		return c.sqliteConn.ExecContext(ctx, query, args)
	}
	r, err := p.stmt.(driver.StmtExecContext).ExecContext(ctx, args)
	if err != nil {
		c.forget(query)
	}
	return r, err
}

// QueryContext runs a statement that returns rows.
func (c *conn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	p, err := c.prepared(ctx, query)
	if err != nil {
		return nil, err
	}
	if p == nil {
		return c.sqliteConn.QueryContext(ctx, query, args)
	}
	r, err := p.stmt.(driver.StmtQueryContext).QueryContext(ctx, args)
	if err != nil {
		c.forget(query)
		return nil, err
	}
	p.busy = true
	return &rows{Rows: r, of: p, failed: func() { c.forget(query) }}, nil
}

// prepared returns a cached statement, or nil if the statement is not cacheable or its
// rows are being read.
func (c *conn) prepared(ctx context.Context, query string) (*prepared, error) {
	if p := c.kept[query]; p != nil {
		if p.busy {
			return nil, nil
		}
		c.uses++
		p.used = c.uses
		return p, nil
	}
	if !keeps(query) || !c.makeRoom() {
		return nil, nil
	}
	stmt, err := c.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	c.uses++
	p := &prepared{stmt: stmt, used: c.uses}
	c.kept[query] = p
	return p, nil
}

// keeps reports whether a statement is cacheable. Others may consist of several
// statements or, like some pragmas, take effect when they are prepared.
func keeps(query string) bool {
	switch query[:max(0, strings.IndexFunc(query, unicode.IsSpace))] {
	case "SELECT", "INSERT", "UPDATE", "DELETE", "WITH":
		return !strings.Contains(query, ";")
	}
	return false
}

// makeRoom closes the least recently used statement if the cache is full. It reports
// whether there is room.
func (c *conn) makeRoom() bool {
	if len(c.kept) < maxPrepared {
		return true
	}
	oldest := ""
	for query, p := range c.kept {
		if !p.busy && (oldest == "" || p.used < c.kept[oldest].used) {
			oldest = query
		}
	}
	if oldest == "" {
		return false
	}
	c.forget(oldest)
	return true
}

// forget closes a statement. The close error of a failed statement repeats that failure
// and is ignored.
func (c *conn) forget(query string) {
	if p := c.kept[query]; p != nil {
		delete(c.kept, query)
		_ = p.stmt.Close()
	}
}

// rows are the rows of a cached statement, which is closed if they fail.
type rows struct {
	driver.Rows
	of     *prepared
	failed func()
	err    error
}

func (r *rows) Next(dest []driver.Value) error {
	err := r.Rows.Next(dest)
	if err != nil && !errors.Is(err, io.EOF) {
		r.err = err
	}
	return err
}

func (r *rows) Close() error {
	err := r.Rows.Close()
	r.of.busy = false
	if err != nil || r.err != nil {
		r.failed()
	}
	return err
}
