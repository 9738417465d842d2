package storage

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/digital-asset-library/dal/app/dam"
)

// A Person is somebody to be erased.
type Person struct {
	Email string
	User  int64 // account to erase too; 0 for none
}

// erasure removes a person from the rows of a table. Its statements have these
// parameters:
//
//	:key    the address as normalized by EmailKey
//	:email  the address, for names and unnamed
//	:audit  the address in the form of the audit log
//	:user   the account, 0 for none
//	:now    the time
//	:nobody an address that belongs to nobody
type erasure struct {
	kind    dam.ErasedKind
	table   string   // has an id column
	columns []string // columns that may contain the address
	where   string   // condition on the rows; no longer true after set
	set     string   // "" to delete the rows
}

// erasures lists the tables from which a person is removed. Add each table that stores an
// address, a name or the user agent of a guest.
var erasures = []erasure{
	{dam.ErasedConsents, "consents", []string{"subject_name", "subject_email"},
		`erased_at IS NULL AND (email_key(subject_email) = :key OR names(subject_name, :email) OR user_id = nullif(:user, 0))`,
		`subject_name = 'Erased person', subject_email = '', ip = '', user_agent = '', erased_at = :now`},
	{dam.ErasedAccessLogs, "share_access", []string{"email"}, `email <> '' AND email_key(email) = :key`,
		`email = '', ip = '', user_agent = ''`},
	{dam.ErasedVisits, "share_codes", []string{"email", "ip"}, `email_key(email) = :key`, ``},
	{dam.ErasedVisits, "share_visits", []string{"email"}, `email <> '' AND email_key(email) = :key`, ``},
	// A list without any other address or domain gets an address that belongs to nobody:
	// an empty list would admit everyone.
	{dam.ErasedShareLists, "shares", []string{"access"},
		`EXISTS (SELECT 1 FROM json_each(access, '$.Emails') WHERE email_key(value) = :key)`,
		`access = json_set(access, '$.Emails', CASE
			WHEN json_array_length(access, '$.EmailDomains') > 0
				OR EXISTS (SELECT 1 FROM json_each(access, '$.Emails') WHERE email_key(value) <> :key)
			THEN json((SELECT json_group_array(value) FROM json_each(access, '$.Emails') WHERE email_key(value) <> :key))
			ELSE json_array(:nobody) END)`},
	{dam.ErasedFeedback, "share_guests", []string{"name", "email"}, `email <> '' AND email_key(email) = :key OR names(name, :email)`,
		`name = '', email = ''`},
	{dam.ErasedFeedback, "share_feedback", []string{"comment"}, `names(comment, :email)`, `comment = unnamed(comment, :email)`},
	{dam.ErasedSearches, "analytics_queries", []string{"text"}, `names(text, :email)`, ``},
	// Other users who acted on the person's account remain in the log.
	{dam.ErasedAudit, "audit_logs", []string{"account", "target", "path"},
		`account = :audit OR names(target, :email) OR names(path, :email) OR :user <> 0 AND (user_id = :user AND ip <> ''
			OR event IN ('user.renamed', 'user.email_changed') AND target LIKE 'user ' || :user || ': %')`,
		`ip = iif(user_id IN (0, :user) OR event LIKE 'log%', '', ip), account = iif(account = :audit, '', account),
			path = unnamed(path, :email), target = CASE WHEN :user <> 0 AND event IN ('user.renamed', 'user.email_changed')
				AND target LIKE 'user ' || :user || ': %' THEN 'user ' || :user ELSE unnamed(target, :email) END`},
	{dam.ErasedEvents, "events", []string{"data"}, `names(data, :email)`, `data = unnamed(data, :email)`},
	{dam.ErasedDeliveries, "webhook_deliveries", []string{"attempts"}, `names(attempts, :email)`, `attempts = unnamed(attempts, :email)`},
	{dam.ErasedLabels, "tokens", []string{"name", "description"}, `names(name, :email) OR names(description, :email)`,
		`name = unnamed(name, :email), description = unnamed(description, :email)`},
	{dam.ErasedLabels, "webhooks", []string{"description"}, `names(description, :email)`, `description = unnamed(description, :email)`},
	{dam.ErasedLabels, "upload_batches", []string{"name"}, `names(name, :email)`, `name = unnamed(name, :email)`},
	{dam.ErasedLabels, "asset_history", []string{"token_name"}, `names(token_name, :email)`, `token_name = unnamed(token_name, :email)`},
	{dam.ErasedWork, "jobs", []string{"last_error"}, `names(last_error, :email)`, `last_error = unnamed(last_error, :email)`},
	{dam.ErasedWork, "operations", []string{"spec", "error_message"}, // a running one still needs its request
		`state IN ('cancelled', 'completed', 'completed_with_errors', 'failed') AND (names(spec, :email) OR names(error_message, :email))`,
		`spec = unnamed(spec, :email), error_message = unnamed(error_message, :email)`},
}

// eraseBatch is the number of rows changed in one transaction.
const eraseBatch = 500

func (p Person) values(tx *Tx) []any {
	b := make([]byte, 16)
	rand.Read(b) // never fails
	return []any{
		sql.Named("key", EmailKey(p.Email)), sql.Named("email", strings.TrimSpace(p.Email)), sql.Named("audit", auditAccount(p.Email)),
		sql.Named("user", p.User), sql.Named("now", msec(tx.now)), sql.Named("nobody", "erased-"+hex.EncodeToString(b)+"@invalid"),
	}
}

// CountErasures returns the number of rows that Erase would change or delete.
func (tx *Tx) CountErasures(p Person) (counts []dam.Erased, err error) {
	for _, e := range erasures {
		n, err := one[int](tx, "", `SELECT count(*) FROM `+e.table+` WHERE `+e.where, p.values(tx)...)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.table, err)
		}
		counts = addErased(counts, e.kind, n)
	}
	return counts, nil
}

func addErased(counts []dam.Erased, kind dam.ErasedKind, n int) []dam.Erased {
	if last := len(counts) - 1; last >= 0 && counts[last].Kind == kind {
		counts[last].Rows += n
		return counts
	}
	return append(counts, dam.Erased{Kind: kind, Rows: n})
}

// Erase removes a person from all rows that match erasures, and returns their number. It
// uses many transactions; after an interruption, calling it again completes the work.
func (s *Store) Erase(ctx context.Context, p Person) (counts []dam.Erased, err error) {
	for _, e := range erasures {
		n, err := s.eraseFrom(ctx, e, p)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.table, err)
		}
		counts = addErased(counts, e.kind, n)
	}
	return counts, nil
}

func (s *Store) eraseFrom(ctx context.Context, e erasure, p Person) (total int, err error) {
	change := `UPDATE ` + e.table + ` SET ` + e.set
	if e.set == "" {
		change = `DELETE FROM ` + e.table
	}
	change += ` WHERE id IN (SELECT value FROM json_each(:ids)) AND (` + e.where + `)`
	for last := int64(0); ; {
		var found []int64
		err := s.View(ctx, func(tx *Tx) (err error) { // finding rows blocks nobody
			found, err = list(tx, scanID, `SELECT id FROM `+e.table+` WHERE id > :last AND (`+e.where+`) ORDER BY id LIMIT :limit`,
				append(p.values(tx), sql.Named("last", last), sql.Named("limit", eraseBatch))...)
			return err
		})
		if err != nil || len(found) == 0 {
			return total, err
		}
		last = found[len(found)-1]
		err = s.withSetting(ctx, `PRAGMA secure_delete = ON`, `PRAGMA secure_delete = OFF`, func(conn *sql.Conn) error {
			return s.in(ctx, conn, func(tx *Tx) error {
				n, err := tx.exec("", change, append(p.values(tx), sql.Named("ids", ids(found)))...)
				total += int(n)
				return err
			})
		})
		if err != nil {
			return total, err
		}
	}
}

// ErasedColumns returns the columns from which Erase removes a person.
func ErasedColumns() map[string]bool {
	columns := map[string]bool{}
	for _, e := range erasures {
		for _, c := range e.columns {
			columns[e.table+"."+c] = true
		}
		for set := range strings.SplitSeq(e.set, ",") {
			name, _, _ := strings.Cut(strings.TrimSpace(set), " =")
			columns[e.table+"."+name] = true
		}
	}
	return columns
}

// Naming returns the text columns of all tables with rows that contain an address. Unless
// all is set, it leaves out the columns that Erase covers and those of the account.
func (tx *Tx) Naming(email string, all bool) (found []dam.Named, err error) {
	erased := ErasedColumns()
	for _, c := range []string{"name", "email", "email_key"} {
		erased["users."+c] = true
	}
	tables, err := list(tx, func(r row) (name string, err error) { return name, r.Scan(&name) },
		`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name`)
	for _, table := range tables {
		columns, err := list(tx, func(r row) (name string, err error) { return name, r.Scan(&name) },
			`SELECT name FROM pragma_table_info(?) WHERE type IN ('TEXT', 'ANY', '') ORDER BY name`, table)
		if err != nil {
			return nil, err
		}
		columns = slices.DeleteFunc(columns, func(c string) bool { return !all && erased[table+"."+c] })
		counts, err := tx.namedIn(table, columns, strings.TrimSpace(email))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", table, err)
		}
		found = append(found, counts...)
	}
	return found, err
}

func (tx *Tx) namedIn(table string, columns []string, email string) (found []dam.Named, err error) {
	if len(columns) == 0 {
		return nil, nil
	}
	sums, counts, into := make([]string, len(columns)), make([]int, len(columns)), make([]any, len(columns))
	for i, c := range columns {
		sums[i], into[i] = fmt.Sprintf(`coalesce(sum(names("%s", ?1) > 0), 0)`, c), &counts[i]
	}
	err = tx.tx.QueryRowContext(tx.ctx, `SELECT `+strings.Join(sums, ", ")+` FROM "`+table+`"`, email).Scan(into...)
	for i, n := range counts {
		if n > 0 {
			found = append(found, dam.Named{Column: table + "." + columns[i], Rows: n})
		}
	}
	return found, wrap(err, "")
}

// EraseAccount anonymizes an account: it replaces its name and address, and removes all
// its credentials.
func (tx *Tx) EraseAccount(u *dam.User) error {
	u.Name, u.Email = dam.ErasedName, fmt.Sprintf("erased-%d@invalid", u.ID)
	u.PasswordHash, u.Language = "", ""
	if err := tx.UpdateUser(u); err != nil {
		return err
	}
	if err := tx.SetEmail(u); err != nil {
		return err
	}
	tokens, err := list(tx, scanID, `SELECT id FROM tokens WHERE user_id = ? AND parent_id IS NULL ORDER BY id`, u.ID)
	for _, id := range tokens {
		if err := tx.DeleteToken(id); err != nil {
			return err
		}
	}
	for _, table := range []string{"sessions", "invitations", "known_networks"} {
		if err != nil {
			return err
		}
		_, err = tx.exec("", `DELETE FROM `+table+` WHERE user_id = ?`, u.ID)
	}
	return err
}

// Compact rewrites the database, so that free space contains no deleted data, and empties
// the write-ahead log. Others can read meanwhile, but not write. It needs disk space for
// two copies.
func (s *Store) Compact(ctx context.Context) error {
	return s.asWriter(ctx, func() error {
		db, err := openPool(s.uri + "?_pragma=busy_timeout(60000)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=temp_store(FILE)")
		if err != nil {
			return err
		}
		defer db.Close()
		db.SetMaxOpenConns(1)
		if _, err := db.ExecContext(ctx, `VACUUM`); err != nil {
			return wrap(err, "")
		}
		var busy, frames, done int
		if err := db.QueryRowContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`).Scan(&busy, &frames, &done); err != nil {
			return wrap(err, "")
		}
		if busy != 0 {
			return dam.Errorf(dam.Unavailable, "The log of the database is still being read.")
		}
		return nil
	})
}
