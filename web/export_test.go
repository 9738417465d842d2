package web_test

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"image/jpeg"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/web"
)

func TestExport(t *testing.T) {
	t.Parallel()
	c := newClock()
	s := start(t, func(cfg *app.Config, o *web.Options) { cfg.Now, o.Now = c.now, c.now })
	pictures := map[string][]byte{} // by GAID
	var gaids []string
	for i, name := range []string{"a.jpg", "A.jpg", "a (2).jpg", "写真 été.jpg", "con.jpg", "x:y?.jpg", "..jpg"} {
		data := picture(i+1, 64, 48)
		gaid := s.one(t, name, data)
		pictures[gaid] = data
		gaids = append(gaids, gaid)
	}
	s.do(t, "PUT", "/api/v1/assets/"+gaids[0], `{
		"title": "=1+1",
		"creator": "-5",
		"copyright": "a\nb \"c\"",
		"keywords": ["+x","y"],
		"metadata": {"cost":-5,"note":"@x","tags":["a","b"]}
	}`).want(t, 200)
	path := s.operate(t, fmt.Sprintf(`{"type":"export","format":"zip","selection":{"gaids":%s}}`, quoted(append(gaids, "nowhere"))))
	a := s.ended(t, path)
	if outcome(a) != "completed_with_errors 8 7 0 1 100" {
		t.Fatalf("%s", a)
	}
	b := s.do(t, "GET", path+"/download", "").want(t, 200)
	sum := sha256.Sum256(b.body)
	if a.get("data.download.url") != s.URL+path+"/download" ||
		a.get("data.download.file_size") != float64(len(b.body)) ||
		a.get("data.download.checksum_sha256") != hex.EncodeToString(sum[:]) ||
		b.Header.Get("Content-Type") != "application/zip" ||
		b.Header.Get("Content-Disposition") != `attachment; filename="export-1.zip"` {
		t.Errorf("%s %v", a, b.Header)
	}
	files, methods := unzip(t, b.body)
	names := []string{}
	for n := range files {
		names = append(names, n)
	}
	slices.Sort(names)
	want := []string{
		"files/A (2).jpg",
		"files/_con.jpg",
		"files/a (2) (2).jpg",
		"files/a.jpg",
		"files/x_y_.jpg",
		"files/写真 été.jpg",
		"manifest.json",
		"metadata.csv",
	}
	for _, w := range want {
		if !slices.Contains(names, w) {
			t.Errorf("no %s in %q", w, names)
		}
	}
	if len(names) != 9 {
		t.Errorf("%q", names)
	}
	var manifest struct {
		OperationID int `json:"operation_id"`
		AssetsCount int `json:"assets_count"`
		Assets      []struct {
			GAID, Path, Title string
			Metadata          map[string]any
		}
	}
	err := json.Unmarshal(files["manifest.json"], &manifest)
	if err != nil || manifest.AssetsCount != 7 || len(manifest.Assets) != 7 || manifest.OperationID != 1 {
		t.Fatalf("%v %s", err, files["manifest.json"])
	}
	for i, m := range manifest.Assets {
		if m.GAID != gaids[i] || !bytes.Equal(files[m.Path], pictures[m.GAID]) || methods[m.Path] != zip.Store {
			t.Errorf("%s: %d bytes, method %d", m.Path, len(files[m.Path]), methods[m.Path])
		}
	}
	if m := manifest.Assets[0]; m.Title != "=1+1" || m.Metadata["cost"] != -5.0 {
		t.Errorf("%+v", m)
	}
	rows := table(t, files["metadata.csv"])
	if len(rows) != 7 {
		t.Fatalf("%q", rows)
	}
	for column, want := range map[string]string{
		"gaid":          gaids[0],
		"path":          "files/a.jpg",
		"title":         "'=1+1",
		"creator":       "'-5",
		"copyright":     "a\nb \"c\"",
		"keywords":      "'+x; y",
		"metadata.cost": "-5",
		"metadata.note": "'@x",
		"metadata.tags": "a; b",
		"width":         "64",
		"page_count":    "",
	} {
		if rows[0][column] != want {
			t.Errorf("%s is %q, want %q", column, rows[0][column], want)
		}
	}
	if rows[3]["path"] != "files/写真 été.jpg" || rows[1]["metadata.cost"] != "" {
		t.Errorf("%q", rows)
	}

	part := s.do(t, "GET", path+"/download", "", "Range", "bytes=0-3").want(t, 206)
	if string(part.body) != "PK\x03\x04" || part.Header.Get("Content-Range") != fmt.Sprintf("bytes 0-3/%d", len(b.body)) {
		t.Errorf("%q %v", part.body, part.Header)
	}
	s.do(t, "GET", path+"/download", "", "Range", "bytes=999999999-").want(t, 416)
	s.do(t, "GET", path+"/download", "", "If-None-Match", b.Header.Get("ETag")).want(t, 304)

	if left := s.exportsLeft(t); !slices.Equal(left, []string{"1.zip"}) {
		t.Errorf("left: %v", left)
	}
	c.ahead.Store(int64(24*time.Hour + time.Second))
	if b := s.do(t, "GET", path+"/download", "").want(t, 410); b.get("message") != "The file of the export has expired; start it again." {
		t.Errorf("%s", b)
	}
	if err := s.app.Maintenance.Tidy(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.do(t, "GET", path+"/download", "").want(t, 410)
	if a := s.do(t, "GET", path, "").want(t, 200); len(s.exportsLeft(t)) > 0 || a.get("data.download") != nil {
		t.Errorf("%v %s", s.exportsLeft(t), a)
	}
}

func TestExportFormats(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	gaids := s.fill(t, 250)
	for format, kind := range map[string]string{"csv": "text/csv; charset=utf-8", "json": "application/json"} {
		path := s.operate(t, `{"type":"export","format":"`+format+`","selection":{"filters":`+every+`}}`)
		if a := s.ended(t, path); outcome(a) != "completed 250 250 0 0 100" {
			t.Errorf("%s", a)
		}
		b := s.do(t, "GET", path+"/download", "").want(t, 200)
		if b.Header.Get("Content-Type") != kind {
			t.Errorf("%s: %v", format, b.Header)
		}
		if format == "csv" {
			if rows := table(t, b.body); len(rows) != 250 || rows[249]["gaid"] != gaids[249] || rows[0]["path"] != "" {
				t.Errorf("%d rows", len(rows))
			}
		} else if list, _ := b.get("assets").([]any); len(list) != 250 || b.get("assets.7.title") != "Number 7" {
			t.Errorf("%d assets", len(list))
		}
	}
	path := s.operate(t, `{"type":"export","format":"zip","rendition":"thumbnail","selection":{"gaids":`+quoted(gaids[:3])+`}}`)
	s.ended(t, path)
	files, _ := unzip(t, s.do(t, "GET", path+"/download", "").want(t, 200).body)
	if _, err := jpeg.Decode(bytes.NewReader(files["files/first-thumbnail (3).jpg"])); err != nil || len(files) != 5 {
		t.Errorf("renditions: %v, %d files", err, len(files))
	}
	// An export in which every item failed has no file.
	empty := s.operate(t, `{"type":"export","format":"zip","selection":{"gaids":["nobody"]}}`)
	if a := s.ended(t, empty); outcome(a) != "failed 1 0 0 1 100" || a.get("data.download") != nil {
		t.Errorf("%s", a)
	}
	s.do(t, "GET", empty+"/download", "").want(t, 404)
	other := s.operate(t, `{"type":"bulk_update","selection":{"gaids":["nobody"]},"changes":{"creator":"x"}}`)
	s.do(t, "GET", other+"/download", "").want(t, 404)
	// If a file is missing on disk, only its item fails.
	blobs, err := filepath.Glob(filepath.Join(s.dir, "blobs", "sha256", "*", "*", "*"))
	if err != nil || len(blobs) != 1 {
		t.Fatal(blobs, err)
	}
	more := s.one(t, "more.jpg", picture(9, 64, 48))
	if err := os.Remove(blobs[0]); err != nil {
		t.Fatal(err)
	}
	path = s.operate(t, `{"type":"export","format":"zip","selection":{"gaids":`+quoted([]string{gaids[0], more})+`}}`)
	if a := s.ended(t, path); outcome(a) != "completed_with_errors 2 1 0 1 100" {
		t.Errorf("%s", a)
	}
	if a := s.do(t, "GET", path+"/items?state=failed", "").want(t, 200); a.get("data.0.error.code") != "file_missing" {
		t.Errorf("%s", a)
	}
}

// A running export that is cancelled has the state cancelling until it stops.
func TestCancelExport(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	s.fill(t, 8000)
	eve := s.user(t, "eve@example.com", dam.RoleEditor)
	path := s.operateAs(t, eve, `{"type":"export","format":"zip","selection":{"filters":`+every+`}}`)
	s.untilAs(t, eve, path, func(a answer) bool { return a.get("data.progress.done") != 0.0 })
	s.as(t, eve, "GET", path+"/download", "").want(t, 409)
	a := s.as(t, eve, "POST", path+"/cancel", "").want(t, 200)
	if a.get("data.state") != "cancelling" || a.Header.Get("Retry-After") != "1" {
		t.Errorf("%s", a)
	}
	a = s.untilAs(t, eve, path, func(a answer) bool { return a.get("data.finished_at") != nil })
	if done, _ := a.get("data.progress.done").(float64); a.get("data.state") != "cancelled" || done == 0 || done == 8000 {
		t.Errorf("%s", a)
	}
	if ev := s.countEvents(t); ev["operation.completed 1"] != 1 {
		t.Errorf("%d events", ev["operation.completed 1"])
	}
	// The worker is free again, and the files are removed.
	next := s.operateAs(t, eve, `{"type":"export","format":"json","selection":{"gaids":["01TEST00000000000000000000"]}}`)
	s.untilAs(t, eve, next, func(a answer) bool { return a.get("data.state") == "completed" })
	if left := s.exportsLeft(t); !slices.Equal(left, []string{"2.json"}) {
		t.Errorf("left: %v", left)
	}
}
