package storage_test

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

// Accounts created before emails were normalized are found by any spelling of the email.
// Where two had the same normalized email, both are found by their exact spelling.
func TestEmailsOfOldAccounts(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("migrations/*.sql")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "dal.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	exec := func(query string, args ...any) {
		t.Helper()
		if _, err := db.ExecContext(t.Context(), query, args...); err != nil {
			t.Fatal(err)
		}
	}
	for i, f := range files {
		if strings.HasSuffix(f, "_accounts.sql") {
			exec(fmt.Sprintf(`PRAGMA user_version = %d`, i))
			break
		}
		stmt, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		exec(string(stmt))
	}
	for _, email := range []string{"Kim@Example.com", "\u00e4da@example.com", "\u00c4da@example.com", "A\u0308DA@example.com"} {
		exec(`INSERT INTO users (email, name, role, created_at) VALUES (?, 'x', 'viewer', 1)`, email)
	}
	exec(`INSERT INTO tokens (user_id, name, abilities, hash, created_at) VALUES (1, 'x', 'assets:read', zeroblob(32), 1)`)
	exec(`INSERT INTO webhooks (user_id, url, events, description, status, secret, created_at, updated_at)
		VALUES (1, 'https://x', '*', '', 'active', 'x', 1, 1)`)
	exec(`INSERT INTO audit_logs (at, request_id, user_id, method, path, status, duration_us, ip) VALUES (1, 'x', 1, 'GET', '/', 200, 1, '')`)
	db.Close()

	s := open(t, path)
	if err := s.Update(t.Context(), func(tx *storage.Tx) error {
		for email, want := range map[string]int64{
			"\u212aIM@example.COM":  1,
			"\u00e4da@example.com":  2,
			"\u00c4da@example.com":  3,
			"A\u0308DA@example.com": 4,
			"\u00c4DA@example.com":  2,
		} {
			if u, err := tx.UserByEmail(email); err != nil || u.ID != want {
				t.Errorf("%+q: %v %v", email, u, err)
			}
		}
		ambiguous, err := tx.AmbiguousUsers()
		if err != nil || len(ambiguous) != 2 || ambiguous[0].ID != 3 || ambiguous[1].ID != 4 {
			t.Error(ambiguous, err)
		}
		for _, email := range []string{"\u00e4DA@example.com", "kIM@example.com"} {
			if err := tx.InsertUser(&dam.User{Name: "x", Email: email, Role: dam.RoleViewer}); dam.KindOf(err) != dam.Conflict {
				t.Errorf("%+q: %v", email, err)
			}
		}
		if token, err := tx.Token(1); err != nil || token.ParentID != 0 {
			t.Error(token, err)
		}
		if hooks, err := tx.Subscribers(); err != nil || len(hooks) != 1 {
			t.Error(hooks, err)
		}
		entries, _, err := tx.Audit(dam.AuditFilter{}, dam.Page{Limit: 10})
		if err != nil || len(entries) != 1 || entries[0].Event != dam.AuditRequest || entries[0].Count != 1 {
			t.Error(entries, err)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

// FuzzEmailKey checks that EmailKey is idempotent for any input.
func FuzzEmailKey(f *testing.F) {
	for _, s := range []string{"Ada@Example.com", "\u212a\u0130\u00df@x", "a\u0308\u0345@x", " \ufeffx\t", "\xff@x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		key := storage.EmailKey(s)
		if again := storage.EmailKey(key); again != key {
			t.Errorf("%+q: %+q, then %+q", s, key, again)
		}
		if k := storage.EmailKey(strings.ToUpper(s)); strings.ToLower(strings.ToUpper(s)) == s && k != key {
			t.Errorf("%+q: %+q in capitals", s, k)
		}
	})
}
