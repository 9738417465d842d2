package web_test

import (
	"fmt"
	"testing"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

// part adds the file of another asset to an asset as a part, and returns its path. The
// other asset is deleted permanently.
func (s *server) part(t *testing.T, gaid, other string, role dam.PartRole) string {
	t.Helper()
	p := &dam.Part{Role: role}
	must(t, s.store(t).Update(t.Context(), func(tx *storage.Tx) error {
		a, err := tx.Asset(dam.GAID(gaid))
		if err != nil {
			return err
		}
		b, err := tx.Asset(dam.GAID(other))
		if err != nil {
			return err
		}
		p.Filename, p.MIMEType, p.Extension, p.SHA256 = b.OriginalFilename, b.MIMEType, b.Extension, b.SHA256
		return tx.InsertPart(a.ID, p)
	}))
	s.do(t, "DELETE", "/api/v1/assets/"+other+"?force=true", "").want(t, 200)
	return fmt.Sprintf("/api/v1/assets/%s/parts/%d", gaid, p.ID)
}

// The parts of an asset are listed with it, downloaded separately, and kept as long as
// something refers to them.
func TestParts(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	data := picture(2, 50, 40)
	gaid := s.one(t, "a.jpg", picture(1, 40, 30))
	asset := "/api/v1/assets/" + gaid
	part := s.part(t, gaid, s.one(t, "b.jpg", data), dam.PartRaw)
	shown := s.do(t, "GET", asset, "").want(t, 200)
	if shown.get("data.parts.0.role") != "raw" || shown.get("data.parts.0.filename") != "b.jpg" ||
		shown.get("data.parts.0.file_size") != float64(len(data)) || shown.get("data.parts.0.mime_type") != "image/jpeg" {
		t.Errorf("%s", shown)
	}
	got := s.do(t, "GET", part+"/download", "").want(t, 200)
	if string(got.body) != string(data) || got.Header.Get("Content-Disposition") != `attachment; filename="b.jpg"` {
		t.Errorf("%d bytes, %v", len(got.body), got.Header)
	}
	tag := got.Header.Get("ETag")
	if tag != fmt.Sprintf(`"%v"`, shown.get("data.parts.0.checksum_sha256")) {
		t.Errorf("ETag %s", tag)
	}
	s.do(t, "GET", part+"/download", "", "If-None-Match", tag).want(t, 304)
	if got := s.do(t, "GET", part+"/download?inline=1", "", "Range", "bytes=2-5").want(t, 206); string(got.body) != string(data[2:6]) {
		t.Errorf("%q", got.body)
	}
	s.do(t, "GET", asset+"/parts/99/download", "").want(t, 404)
	if f := s.ingest(t, upload{"again.jpg", data})[0]; f["status"] != "duplicate" || f["gaid"] != gaid {
		t.Errorf("the bytes of a part: %v", f)
	}
	if problems := s.check(t); len(problems) > 0 {
		t.Errorf("%q", problems)
	}
	var owners []storage.BlobOwner
	must(t, s.store(t).View(t.Context(), func(tx *storage.Tx) (err error) {
		owners, err = tx.BlobOwners(tag[1:len(tag)-1], 2)
		return err
	}))
	if len(owners) != 1 || string(owners[0].Asset) != gaid {
		t.Errorf("the part belongs to %v", owners)
	}

	s.do(t, "DELETE", asset, "").want(t, 200)
	s.do(t, "DELETE", part, "").want(t, 404)
	s.do(t, "POST", asset+"/restore", "").want(t, 200)
	s.do(t, "DELETE", part, "", "If-Match", `"v1"`).want(t, 412)
	left := s.do(t, "DELETE", part, "").want(t, 200)
	if parts := left.get("data.parts").([]any); len(parts) != 0 || left.get("data.version") != 4.0 {
		t.Errorf("%s", left)
	}
	s.do(t, "DELETE", part, "").want(t, 404)
	if n := s.count(t, `SELECT count(*) FROM blobs`); n != 1 {
		t.Errorf("%d blobs are left", n)
	}
	history := s.do(t, "GET", asset+"/history", "").want(t, 200)
	if history.get("data.0.changes.0.field") != "parts.raw" || history.get("data.0.changes.0.from") != "b.jpg" {
		t.Errorf("%s", history)
	}

	s.part(t, gaid, s.one(t, "b.jpg", data), dam.PartVideo)
	s.do(t, "DELETE", asset+"?force=true", "").want(t, 200)
	if n := s.count(t, `SELECT count(*) FROM blobs`) + s.count(t, `SELECT count(*) FROM asset_parts`); n != 0 {
		t.Errorf("%d rows are left", n)
	}
}
