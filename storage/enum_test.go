package storage_test

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/digital-asset-library/dal/app/dam"
)

func wordsOf[E dam.Enum[E]](without ...E) (list []string) {
	for _, v := range dam.Values[E]() {
		if !slices.Contains(without, v) {
			list = append(list, string(v))
		}
	}
	return list
}

// wordColumns are the columns whose values the database checks against an enumeration.
// Values that are never stored are left out: damage is recorded in another table, and a
// skipped item is one that remained pending.
var wordColumns = map[string][]string{
	"analyses.task":             analysed(),
	"asset_parts.role":          wordsOf[dam.PartRole](),
	"assets.file_category":      wordsOf[dam.FileCategory](),
	"assets.processing_status":  wordsOf(dam.ProcessingDamaged),
	"assets.workflow_status":    wordsOf[dam.WorkflowStatus](),
	"batch_files.status":        wordsOf[dam.FileStatus](),
	"collections.visibility":    wordsOf[dam.Visibility](),
	"damaged_blobs.damage":      wordsOf[dam.Damage](),
	"jobs.state":                wordsOf[dam.JobState](),
	"metadata_fields.type":      wordsOf[dam.FieldType](),
	"operation_items.state":     wordsOf(dam.ItemSkipped),
	"operations.state":          wordsOf[dam.OperationState](),
	"operations.type":           wordsOf[dam.OperationType](),
	"root_files.kind":           wordsOf[dam.RootFileKind](),
	"root_files.state":          wordsOf[dam.RootFileState](),
	"roots.state":               wordsOf[dam.RootState](),
	"upload_batches.status":     wordsOf[dam.BatchStatus](),
	"users.role":                wordsOf[dam.Role](),
	"webhook_deliveries.origin": wordsOf[dam.DeliveryOrigin](),
	"webhook_deliveries.status": wordsOf[dam.DeliveryStatus](),
	"webhooks.status":           wordsOf[dam.WebhookStatus](),
	"asset_words.kind":          {"keyword", "person", "ai_tag"}, // storage's own
}

// analysed returns the tasks that run for each asset.
func analysed() []string {
	return slices.DeleteFunc(dam.Tasks(), func(task string) bool { return dam.JobOf(task) == "" })
}

// needs returns the other columns that CHECK constraints require for a value.
func needs(column, word string) map[string]any {
	switch column {
	case "jobs.state":
		return map[string]any{"lease_until": nullUnless(word == "running")}
	case "metadata_fields.type":
		return map[string]any{"vocabulary_id": nullUnless(word == "term" || word == "terms")}
	case "operations.state":
		return map[string]any{"finished_at": nullUnless(dam.OperationState(word).Terminal())}
	case "upload_batches.status":
		return map[string]any{"closed_at": nullUnless(word != "open")}
	case "webhooks.status":
		return map[string]any{"disabled_reason": map[bool]string{true: "x"}[word == "disabled"]}
	case "webhook_deliveries.origin":
		return map[string]any{"due_at": 1}
	case "webhook_deliveries.status":
		return map[string]any{"due_at": nullUnless(word == "pending" || word == "retrying")}
	}
	return nil
}

func nullUnless(set bool) any {
	if set {
		return 1
	}
	return nil
}

// The database accepts a row with each value of dam's enumerations, and with no other. To
// add a value, see migrations/README.md.
func TestEnumsInTheDatabase(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "dal.db")
	open(t, path)
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()

	check := regexp.MustCompile(`(\w+) +TEXT NOT NULL(?: DEFAULT '\w+')? CHECK \(\w+ IN \('`)
	for _, table := range texts(t, db, `SELECT name FROM sqlite_schema WHERE type = 'table'`) {
		definition := texts(t, db, `SELECT sql FROM sqlite_schema WHERE name = ?`, table)[0]
		for _, m := range check.FindAllStringSubmatch(definition, -1) {
			if wordColumns[table+"."+m[1]] == nil {
				t.Errorf("the database has a set of words that this test does not know: %s.%s", table, m[1])
			}
		}
	}
	for column, words := range wordColumns {
		for _, word := range words {
			if err := insert(t, db, column, word); err != nil {
				t.Errorf("%s does not accept %q: %v", column, word, err)
			}
		}
		if err := insert(t, db, column, "nonsense"); err == nil || !strings.Contains(err.Error(), "CHECK") {
			t.Errorf("%s accepts any word: %v", column, err)
		}
	}
}

// insert adds a row with a value in a column, and rolls it back.
func insert(t *testing.T, db *sql.DB, column, word string) error {
	t.Helper()
	table, name, _ := strings.Cut(column, ".")
	row := map[string]any{}
	for _, c := range texts(t, db, `SELECT name || ' ' || type FROM pragma_table_info(?) WHERE "notnull" AND dflt_value IS NULL`, table) {
		c, kind, _ := strings.Cut(c, " ")
		row[c] = map[string]any{"INTEGER": 1, "REAL": 0.5, "TEXT": "x", "BLOB": make([]byte, 32)}[kind]
		if words := wordColumns[table+"."+c]; words != nil {
			row[c] = words[0]
		}
	}
	for c, v := range needs(column, word) {
		row[c] = v
	}
	row[name] = word
	var names, marks []string
	var values []any
	for c, v := range row {
		names, marks, values = append(names, c), append(marks, "?"), append(values, v)
	}
	tx, err := db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	query := fmt.Sprintf(`INSERT INTO %s (%s) VALUES (%s)`, table, strings.Join(names, ", "), strings.Join(marks, ", "))
	_, err = tx.ExecContext(t.Context(), query, values...)
	return err
}
