package storage_test

import (
	"database/sql"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/digital-asset-library/dal/storage"
)

// An address is erased from text and from JSON, but only where it is not part of a longer
// one.
func TestUnnamed(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"bo&co@example.com":                     "[erased]",
		"BO&CO@Example.COM, Bo":                 "[erased], Bo",
		"<bo&co@example.com>.":                  "<[erased]>.",
		"Ask bo&co@example.com. Or not":         "Ask [erased]. Or not",
		"bo&co@example.com bo&co@example.com":   "[erased] [erased]",
		`{"a":"bo\u0026co@example.com"}`:        `{"a":"[erased]"}`,
		`{"a":"x\nbo\u0026co@example.com\ny"}`:  `{"a":"x\n[erased]\ny"}`,
		`{"a":"\u003cbo\u0026co@example.com>"}`: `{"a":"\u003c[erased]>"}`,
		"mailto:bo&co@example.com?subject=x":    "mailto:[erased]?subject=x",
		"nobo&co@example.com":                   "nobo&co@example.com",
		"a.bo&co@example.com":                   "a.bo&co@example.com",
		"bo&co@example.com.au":                  "bo&co@example.com.au",
		"bo&co@example.community":               "bo&co@example.community",
		"bo&co at example.com":                  "bo&co at example.com",
		"":                                      "",
	} {
		if got := storage.Unnamed(text, "bo&co@example.com"); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
	if got := storage.Unnamed("BO\u0308@example.com", "bö@example.com"); got != storage.ErasedWord {
		t.Errorf("a letter in two parts: %s", got)
	}
}

func FuzzUnnamed(f *testing.F) {
	for _, seed := range []string{
		"bo@example.com", "<Bo@Example.com>", `{"a":"\nbo@example.com"}`, "bo@example.combo@example.com", "\xff@", "@",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		const email = "bo@example.com"
		once := storage.Unnamed(text, email)
		if again := storage.Unnamed(once, email); again != once {
			t.Errorf("%q becomes %q, and then %q", text, once, again)
		}
		if strings.EqualFold(strings.TrimSpace(text), email) && once == text {
			t.Errorf("%q stays", text)
		}
	})
}

// All personal data, recognized by column name, can be erased. Add a new column to the
// list in storage/erase.go, or here with the function that erases it.
func TestErasuresKnowAllColumns(t *testing.T) {
	t.Parallel()
	otherwise := map[string]string{
		"users.email": "EraseAccount", "users.email_key": "EraseAccount",
		"sessions.ip": "EraseAccount", "sessions.user_agent": "EraseAccount", "tokens.last_used_ip": "EraseAccount",
	}
	path := filepath.Join(t.TempDir(), "dal.db")
	store, err := storage.Open(t.Context(), path, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.QueryContext(t.Context(), `SELECT m.name || '.' || c.name FROM sqlite_schema m, pragma_table_info(m.name) c
		WHERE m.type = 'table' ORDER BY 1`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	personal := regexp.MustCompile(`email(_key)?$|\.ip$|_ip$|user_agent|subject_name|guests\.name$`)
	covered, found := storage.ErasedColumns(), 0
	for rows.Next() {
		var column string
		if err := rows.Scan(&column); err != nil {
			t.Fatal(err)
		}
		if !personal.MatchString(column) {
			continue
		}
		if found++; !covered[column] && otherwise[column] == "" {
			t.Errorf("erase-person does not know %s", column)
		}
	}
	if err := rows.Err(); err != nil || found < 10 {
		t.Errorf("%d columns: %v", found, err)
	}
}
