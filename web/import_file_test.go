package web_test

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"
	"time"

	"golang.org/x/text/unicode/norm"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/web"
)

// putTable uploads a table.
func (s *server) putTable(t testing.TB, token, text string) answer {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	part, err := w.CreateFormFile("file", "table.csv")
	if err != nil {
		t.Fatal(err)
	}
	part.Write([]byte(text))
	w.Close()
	req, err := http.NewRequestWithContext(t.Context(), "POST", s.URL+"/api/v1/import-files", &b)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", w.FormDataContentType())
	req.Header.Set("Authorization", "Bearer "+token)
	return s.send(t, req)
}

// tableImport returns an operation that imports a table.
func (s *server) tableImport(t testing.TB, text, members string) string {
	t.Helper()
	return fmt.Sprintf(`{"type":"metadata_import","file_id":%v,%s}`, s.putTable(t, s.token, text).want(t, 201).get("data.id"), members)
}

// plan returns the dry run of an operation.
func (s *server) plan(t testing.TB, body string) answer {
	t.Helper()
	return s.do(t, "POST", operations+"?dry_run=true", body, "Idempotency-Key", newKey()).want(t, 200)
}

// exportAll exports all assets as a table.
func (s *server) exportAll(t *testing.T) string {
	t.Helper()
	op := s.operate(t, `{"type":"export","format":"csv","selection":{"filters":`+every+`}}`)
	s.ended(t, op)
	return string(s.do(t, "GET", op+"/download", "").want(t, 200).body)
}

// edit replaces the cell of a column in the row with the given GAID.
func edit(t *testing.T, text, gaid, column, to string) string {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	at := -1
	for i, name := range rows[0] {
		if name == column {
			at = i
		}
	}
	for _, row := range rows[1:] {
		if row[0] == gaid {
			row[at] = to
		}
	}
	var b strings.Builder
	if err := csv.NewWriter(&b).WriteAll(rows); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Importing an exported table changes nothing, for assets with any content; with one cell
// changed, it changes only that.
func TestImportOfExport(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	gaids := s.fill(t, 6)
	// Values from before their fields were defined are exported and imported too.
	s.do(t, "PUT", "/api/v1/assets/"+gaids[5], `{"metadata":{"loose":["a; b","=c"],"figure":7.50,"yes":true,"wild":"'=1"}}`).want(t, 200)
	v, _ := s.vocabulary(t, "places", "p1=Harbour; old", "p2=Dock", "p3=Pier")
	for _, f := range []string{
		`{"key":"note","label":"Note","type":"long_text"}`, `{"key":"cost","label":"Cost","type":"number"}`,
		`{"key":"pages","label":"Pages","type":"integer"}`, `{"key":"free","label":"Free","type":"boolean"}`,
		`{"key":"day","label":"Day","type":"date"}`, `{"key":"at","label":"At","type":"datetime"}`,
		fmt.Sprintf(`{"key":"place","label":"Place","type":"term","vocabulary_id":%v}`, v),
		fmt.Sprintf(`{"key":"places","label":"Places","type":"terms","vocabulary_id":%v}`, v),
		`{"key":"link","label":"Link","type":"url"}`,
	} {
		s.define(t, f)
	}
	for i, body := range []string{
		`{"title":"=1+1 \"quoted\"","creator":"'@x","copyright":"+a","description":"a\r\nb\n\n=c","usage_terms":"\t=x",
			"keywords":["a; b","c, d","-e","🚢"],"ai_tags":["'=1"],"ai_caption":"@"}`,
		`{"location":{"latitude":-12.3456789,"longitude":0.1,"place":"=Kai \"3\""},"focal_point":{"x":0,"y":0.25},"rating":0,
			"capture_date":"1969-07-20T16:17:40.123-04:00","usage_from":"2026-01-01T00:00:00Z","usage_until":"2026-12-31T23:59:59Z"}`,
		`{"metadata":{"note":"ﬀ\n'=1\n\"\"","cost":-0.000001234,"pages":9007199254740991,"free":false,"day":"2026-02-28",
			"at":"2026-01-31T06:12:00Z","place":"p1","places":["p3","p1"],"link":"https://example.com/?a=1,2;3"}}`,
		`{"workflow_status":"approved","asset_class_id":1,"owner_id":1}`,
	} {
		s.do(t, "PUT", "/api/v1/assets/"+gaids[i], body).want(t, 200)
	}
	text := s.exportAll(t)
	file := s.putTable(t, s.token, text).want(t, 201)
	if file.get("data.rows_count") != 6.0 || file.get("data.separator") != "," || file.get("data.encoding") != "utf-8" {
		t.Errorf("%s", file)
	}
	body := fmt.Sprintf(`{"type":"metadata_import","match_by":"gaid","empty":"clear","file_id":%v}`, file.get("data.id"))
	if a := s.plan(t, body); previewed(a) != "6 0 6 0 0" || len(a.get("data.items").([]any)) > 0 {
		t.Errorf("unchanged: %s %s", previewed(a), a.get("data.items"))
	}
	if a := s.ended(t, s.operate(t, body)); outcome(a) != "completed 6 6 6 0 100" {
		t.Errorf("unchanged: %s", a)
	}
	for i, tt := range []struct{ gaid, column, cell, field, want string }{
		{gaids[0], "title", "'=2", "title", "=2"},
		{gaids[0], "keywords", "c, d; New", "keywords", "[c, d New]"},
		{gaids[1], "location.latitude", "1.5", "location.latitude", "1.5"},
		{gaids[1], "rating", "", "rating", "<nil>"},
		{gaids[1], "capture_date", "1969-07-21", "capture_date", "1969-07-21T04:00:00.000Z"},
		{gaids[1], "capture_utc_offset", "+00:00", "capture_date", "1969-07-20T16:17:40.123Z"},
		{gaids[1], "usage_from", "2026-01-02", "usage_from", "2026-01-02T00:00:00.000Z"},
		{gaids[1], "usage_until", "2027-01-01", "usage_until", "2027-01-01T23:59:59.999Z"},
		{gaids[2], "metadata.cost", "12", "metadata.cost", "12"},
		{gaids[2], "metadata.free", "TRUE", "metadata.free", "true"},
		{gaids[2], "metadata.place", "dock", "metadata.place", "p2"},
		{gaids[2], "metadata.places", "Pier; Harbour; old", "", "places has no term \"Harbour\""},
		{gaids[2], "metadata.places", "p2; Pier", "metadata.places", "[p2 p3]"},
		{gaids[3], "workflow_status", "", "workflow_status", "draft"},
		{gaids[4], "focal_point.x", "0.5", "", "focal_point.y is required with focal_point.x."},
		{gaids[5], "metadata.loose", "x", "", "There is no metadata field loose."},
	} {
		body := s.tableImport(t, edit(t, text, tt.gaid, tt.column, tt.cell), `"match_by":"gaid","empty":"clear"`)
		a := s.plan(t, body)
		if tt.field == "" {
			message := a.get("data.items.0.error.message")
			if previewed(a) != "6 0 5 0 1" || !strings.HasPrefix(fmt.Sprint(message), tt.want) {
				t.Errorf("%s = %q: %s", tt.column, tt.cell, a)
			}
			continue
		}
		changes, _ := a.get("data.items.0.changes").(map[string]any)
		if strings.HasPrefix(tt.column, "capture_") { // these follow from each other
			delete(changes, "capture_local_time")
			delete(changes, "capture_utc_offset")
		}
		if previewed(a) != "6 1 5 0 0" || len(changes) != 1 || a.get("data.items.0.gaid") != tt.gaid || a.get("data.items.0.line") == nil {
			t.Errorf("%s = %q: %s", tt.column, tt.cell, a)
		}
		if i > 2 && i != 5 && i != 7 {
			continue // similar to others
		}
		if got := outcome(s.ended(t, s.operate(t, body))); got != "completed 6 6 5 0 100" {
			t.Errorf("%s = %q: %s", tt.column, tt.cell, got)
		}
		if now := s.do(t, "GET", "/api/v1/assets/"+tt.gaid, "").want(t, 200); fmt.Sprint(now.get("data."+tt.field)) != tt.want {
			t.Errorf("%s = %q: %v", tt.column, tt.cell, now.get("data."+tt.field))
		}
		text = s.exportAll(t)
	}
}

// Each row is processed independently and reports its error.
func TestImportOutcomes(t *testing.T) {
	t.Parallel()
	c := newClock()
	s := start(t, func(cfg *app.Config, o *web.Options) { cfg.Now, o.Now = c.now, c.now })
	gaids := s.fill(t, 4) // all with the same name
	lone := s.one(t, "lone.jpg", picture(9, 64, 48))
	s.do(t, "PUT", "/api/v1/assets/"+gaids[1], `{"metadata":{"number":7}}`).want(t, 200)
	s.do(t, "DELETE", "/api/v1/assets/"+gaids[3], "").want(t, 200)
	table := strings.Join([]string{
		"\ufeffGAID;Title;rating;file_size;metadata.project;mystery",
		gaids[0] + ";\"Two\nlines of title\";9;;;",     // lines 2 and 3
		strings.ToLower(gaids[1]) + ";One;3;1;Berlin;", // line 4
		gaids[0] + ";Again;1;;;",
		"01NOWHERE;x;;;;",
		";x;;;;",
		gaids[3] + ";trashed;;;;",
		gaids[2] + ";too few",
		gaids[2] + ";;4;;;?",
	}, "\r\n")
	file := s.putTable(t, s.token, table).want(t, 201)
	uses := ""
	for _, col := range file.get("data.columns").([]any) {
		col := col.(map[string]any)
		uses += fmt.Sprint(col["name"], " ", col["use"], " ", col["matches"], " ", col["example"], "\n")
	}
	const wantUses = "gaid ignored true %s\ntitle writes false Two lines of title\nrating writes false 9\nfile_size ignored false 1\n" +
		"metadata.project writes true Berlin\nmystery unknown false ?\n"
	if want := fmt.Sprintf(wantUses, gaids[0]); uses != want || file.get("data.separator") != ";" {
		t.Errorf("%s, want %s", uses, want)
	}
	s.do(t, "GET", fmt.Sprintf("/api/v1/import-files/%v", file.get("data.id")), "").want(t, 200)
	body := fmt.Sprintf(`{"type":"metadata_import","match_by":"gaid","ignore_unknown":true,"file_id":%v}`, file.get("data.id"))
	if a := s.plan(t, body); previewed(a) != "8 2 0 3 3" || a.get("data.items.1.changes.title.to") != "One" {
		t.Errorf("plan: %s %s", previewed(a), a.body)
	}
	path := s.operate(t, body)
	a := s.ended(t, path)
	if outcome(a) != "completed_with_errors 8 2 0 6 100" ||
		a.get("data.spec.match_by") != "gaid" || a.get("data.spec.filename") != "table.csv" {
		t.Errorf("%s", a)
	}
	items := s.do(t, "GET", path+"/items", "").want(t, 200)
	states := strings.Join(itemStates(items), ",")
	if states != "failed invalid,done,failed repeated,failed not_found,failed not_found,failed not_found,failed invalid,done" {
		t.Errorf("%s", states)
	}
	for at, want := range map[string]any{
		"0.line": 2.0, "0.error.field": "title", "1.line": 4.0, "1.gaid": gaids[1], "7.line": 10.0, "2.error.field": "gaid",
		"3.error.message": "No asset has this gaid.", "6.error.message": "The row has 2 cells and the header has 6.",
	} {
		if got := items.get("data." + at); got != want {
			t.Errorf("%s: %v, want %v", at, got, want)
		}
	}
	if a := s.do(t, "GET", "/api/v1/assets/"+gaids[1], ""); a.get("data.title") != "One" || a.get("data.rating") != 3.0 ||
		a.get("data.metadata.project") != "Berlin" || a.get("data.metadata.number") != 7.0 || a.get("data.version") != 3.0 {
		t.Errorf("%s", a)
	}
	if a := s.do(t, "GET", "/api/v1/assets/"+gaids[2], ""); a.get("data.title") != "Number 2" || a.get("data.rating") != 4.0 {
		t.Errorf("an empty cell: %s", a)
	}

	// The result can be corrected and imported again.
	result := s.do(t, "GET", path+"/result?state=failed", "").want(t, 200)
	rows, err := csv.NewReader(bytes.NewReader(result.body)).ReadAll()
	if err != nil || len(rows) != 7 || rows[0][0] != "import.line" || rows[1][1] != "failed" || rows[1][6] != gaids[0] {
		t.Errorf("%v %q", err, rows)
	}
	corrected := strings.Replace(string(result.body), "\"Two\r\nlines of title\",9", "One line,5", 1)
	if a := s.plan(t, s.tableImport(t, corrected, `"match_by":"gaid"`)); previewed(a) != "6 1 0 4 1" {
		t.Errorf("%s %s", previewed(a), a)
	}

	for members, want := range map[string]string{
		`"match_by":"original_filename"|original_filename,title` + "\nlone.jpg,L\nfirst.jpg,M": "2 1 0 0 1",
		`"match_by":"metadata.number"|metadata.number,title` + "\n7,N\n8,M":                    "2 1 0 1 0",
		`"match_by":"metadata.project"|metadata.project,title` + "\nBerlin,N":                  "1 1 0 0 0",
	} {
		members, table, _ := strings.Cut(members, "|")
		if a := s.plan(t, s.tableImport(t, table, members)); previewed(a) != want {
			t.Errorf("%s: %s %s", members, previewed(a), a)
		}
	}
	s.ingest(t, upload{norm.NFD.String("grün.jpg"), picture(77, 8, 8)}, upload{"öl.jpg", picture(78, 8, 8)})
	for _, table := range []string{"grün.jpg,G\n" + norm.NFD.String("öl.jpg") + ",O", norm.NFD.String("grün.jpg") + ",G\nöl.jpg,O"} {
		composed := s.tableImport(t, "original_filename,title\n"+table, `"match_by":"original_filename"`)
		if a := s.plan(t, composed); previewed(a) != "2 2 0 0 0" {
			t.Errorf("%q: %s %s", table, previewed(a), a)
		}
	}
	sum := s.do(t, "GET", "/api/v1/assets/"+lone, "").get("data.checksum_sha256")
	bySum := s.tableImport(t, fmt.Sprintf("checksum_sha256\ttitle\n%s\tL", sum), `"match_by":"checksum_sha256"`)
	if a := s.plan(t, bySum); previewed(a) != "1 1 0 0 0" {
		t.Errorf("%s", a)
	}

	// After the table has expired, the items still report the remaining details.
	c.ahead.Store(int64(25 * time.Hour))
	for range 2 {
		if err := s.app.Maintenance.Tidy(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	s.do(t, "GET", path+"/result", "").want(t, 410)
	s.do(t, "GET", fmt.Sprintf("/api/v1/import-files/%v", file.get("data.id")), "").want(t, 404)
	if n := s.count(t, `SELECT (SELECT count(*) FROM import_rows) + (SELECT count(*) FROM import_files)`); n != 0 {
		t.Errorf("%d rows are left", n)
	}
	if a := s.do(t, "GET", path+"/items", "").want(t, 200); a.get("data.0.line") != 2.0 {
		t.Errorf("%s", a)
	}
}

// Invalid imports are refused before anything is stored.
func TestImportRules(t *testing.T) {
	t.Parallel()
	s := start(t, func(cfg *app.Config, _ *web.Options) { cfg.MaxTableSize = 1000 })
	gaid := s.fill(t, 1)[0]
	good := "gaid,title,mystery\n" + gaid + ",New,x\n"
	file := s.putTable(t, s.token, good).want(t, 201).get("data.id")
	for field, body := range map[string]string{
		"file_id":        `{"type":"metadata_import","match_by":"gaid"}`,
		"match_by":       fmt.Sprintf(`{"type":"metadata_import","file_id":%v}`, file),
		"ignore_unknown": fmt.Sprintf(`{"type":"metadata_import","match_by":"gaid","file_id":%v}`, file),
		"empty":          fmt.Sprintf(`{"type":"metadata_import","match_by":"gaid","file_id":%v,"empty":"maybe"}`, file),
		"selection":      fmt.Sprintf(`{"type":"metadata_import","match_by":"gaid","file_id":%v,"selection":{"q":"x"}}`, file),
		"changes":        fmt.Sprintf(`{"type":"metadata_import","match_by":"gaid","file_id":%v,"changes":{"title":"x"}}`, file),
	} {
		for _, query := range []string{"", "?dry_run=true"} {
			a := s.do(t, "POST", operations+query, body, "Idempotency-Key", newKey()).want(t, 422)
			if errs, _ := a.get("errors").(map[string]any); errs[field] == nil {
				t.Errorf("%s: %s", field, a)
			}
		}
	}
	for name, body := range map[string]string{
		"another column": s.tableImport(t, good, `"match_by":"original_filename","ignore_unknown":true`),
		"no such file":   `{"type":"metadata_import","match_by":"gaid","file_id":4711}`,
		"of an update":   fmt.Sprintf(`{"type":"bulk_update","selection":{"q":"x"},"changes":{"title":"x"},"file_id":%v}`, file),
		"nothing":        s.tableImport(t, "gaid,file_size\nx,1", `"match_by":"gaid"`),
	} {
		if a := s.do(t, "POST", operations, body, "Idempotency-Key", newKey()); a.StatusCode != 422 {
			t.Errorf("%s: %s", name, a)
		}
	}
	for name, text := range map[string]string{
		"empty": "", "Latin-1": "gaid\nM\xfcn", "twice": "Title,title\n", "quote": "gaid,title\n\"a,b",
	} {
		if a := s.putTable(t, s.token, text).want(t, 422); a.get("errors.file") == nil {
			t.Errorf("%s: %s", name, a)
		}
	}
	s.putTable(t, s.token, "gaid,title\n"+strings.Repeat("x,y\n", 300)).want(t, 413)
	if n := s.count(t, `SELECT count(*) FROM import_files WHERE draft = 1`) + s.count(t, `SELECT count(*) FROM operations`); n != 0 {
		t.Errorf("%d are left of what was refused", n)
	}

	// A table belongs to its uploader, and importing it requires the same abilities as the
	// same changes elsewhere.
	eve := s.user(t, "eve@example.com", dam.RoleEditor, dam.AssetsRead, dam.AssetsWrite)
	s.as(t, eve, "GET", fmt.Sprintf("/api/v1/import-files/%v", file), "").want(t, 404)
	own := s.putTable(t, eve, "gaid,metadata.x\n"+gaid+",1").want(t, 201).get("data.id")
	body := fmt.Sprintf(`{"type":"metadata_import","match_by":"gaid","file_id":%v}`, own)
	for _, query := range []string{"", "?dry_run=true"} {
		a := s.as(t, eve, "POST", operations+query, body, "Idempotency-Key", newKey()).want(t, 403)
		if fmt.Sprint(a.get("required_abilities")) != "[metadata:write]" {
			t.Errorf("%s", a)
		}
	}
	// Only the newest few unused tables are kept.
	var last any
	for range dam.MaxImportLeftovers + 1 {
		last = s.putTable(t, eve, "gaid,title\n").want(t, 201).get("data.id")
	}
	s.as(t, eve, "GET", fmt.Sprintf("/api/v1/import-files/%v", own), "").want(t, 404)
	s.as(t, eve, "GET", fmt.Sprintf("/api/v1/import-files/%v", last), "").want(t, 200)
	path := s.operateAs(t, eve, fmt.Sprintf(`{"type":"metadata_import","match_by":"gaid","file_id":%v}`, last))
	a := s.untilAs(t, eve, path, func(a answer) bool { return a.get("data.finished_at") != nil })
	if outcome(a) != "completed 0 0 0 0 100" {
		t.Errorf("a table without rows: %s", a)
	}
}
