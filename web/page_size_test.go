package web_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/web"
)

// metadataOf returns metadata of about n bytes.
func metadataOf(n int) string {
	m := map[string]string{}
	for i := 0; n > 0; i++ {
		m[fmt.Sprintf("key%d", i)] = strings.Repeat("x", min(n, 90_000))
		n -= 90_000
	}
	text, err := json.Marshal(m)
	if err != nil {
		panic(err) // cannot happen: strings can be encoded
	}
	return string(text)
}

// An asset has at most 256 KiB of metadata, whichever way it is written.
func TestMetadataIsBounded(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	gaid := s.one(t, "a.jpg", picture(1, 20, 20))
	path := "/api/v1/assets/" + gaid
	much, most := metadataOf(270_000), metadataOf(250_000)
	refused := func(what string, a answer) {
		t.Helper()
		if a.want(t, 422); !strings.Contains(string(a.body), "may not have more than 262144 bytes") {
			t.Errorf("%s: %s", what, a)
		}
	}
	refused("asset", s.do(t, "PUT", path, `{"metadata":`+much+`}`))
	refused("metadata", s.do(t, "PUT", path+"/metadata", much))
	refused("batch", s.do(t, "POST", "/api/v1/upload-batches", `{"metadata":`+much+`}`))
	refused("escaped", s.do(t, "PUT", path+"/metadata", `{"a":"`+strings.Repeat("<", 60_000)+`"}`))
	s.do(t, "PUT", path+"/metadata", most).want(t, 200)
	refused("little by little", s.do(t, "PUT", path+"/metadata", `{"more":"`+strings.Repeat("y", 20_000)+`"}`))
	s.do(t, "PUT", path+"/metadata", `{"more":"y"}`).want(t, 200)
	more := strings.Repeat("y", 20_000)
	op := s.operate(t, `{
		"type": "bulk_update",
		"selection": {"gaids": ["`+gaid+`"]},
		"changes": {"metadata": {"more": "`+more+`"}}
	}`)
	if a := s.ended(t, op); a.get("data.state") != "failed" {
		t.Errorf("%s", a)
	}
	if a := s.do(t, "GET", op+"/items", ""); !strings.Contains(fmt.Sprint(a.get("data.0.error.message")), "262144 bytes") {
		t.Errorf("%s", a)
	}
}

// A page of large assets is limited to a few MiB and lists the omitted members; a single
// asset and a page of small ones are complete; incomplete items cannot be sent back.
func TestPageIsBounded(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	id := s.batch(t, `{"metadata":`+metadataOf(250_000)+`}`)
	var files []upload
	for i := range 24 {
		files = append(files, upload{fmt.Sprintf("%d.jpg", i), picture(i, 20, 20)})
	}
	s.push(t, id, files...).want(t, 201)
	s.finish(t, id)
	small := s.one(t, "small.jpg", picture(99, 20, 20))
	s.do(t, "PUT", "/api/v1/assets/"+small, `{"metadata":{"note":"kept"},"keywords":["kept"]}`).want(t, 200)

	a := s.do(t, "GET", "/api/v1/assets?per_page=100", "").want(t, 200)
	if n := len(a.body); n > 5<<20 {
		t.Errorf("the page has %d bytes", n)
	}
	lacks := 0
	for i := range 25 {
		at := fmt.Sprintf("data.%d.", i)
		if a.get(at+"gaid") == small {
			if a.get(at+"metadata.note") != "kept" || a.get(at+"truncated") != nil {
				t.Errorf("the small one lacks something: %v", a.get(at+"truncated"))
			}
		} else if a.get(at+"truncated.0") == "metadata" {
			lacks++
		}
	}
	if lacks != 24 {
		t.Errorf("%d lack their metadata", lacks)
	}
	item, err := json.Marshal(a.get("data.3"))
	if err != nil {
		t.Fatal(err)
	}
	s.do(t, "PUT", "/api/v1/assets/"+fmt.Sprint(a.get("data.3.gaid")), string(item)).want(t, 422)
	for _, query := range []string{"per_page=1&page=3", "per_page=12&page=2"} {
		a := s.do(t, "GET", "/api/v1/assets?"+query, "").want(t, 200)
		if a.get("data.0.truncated") != nil || a.get("data.0.metadata.key0") == nil {
			t.Errorf("%s lacks something", query)
		}
	}
	for range 19 {
		s.batch(t, `{"metadata":`+metadataOf(250_000)+`}`)
	}
	batches := s.do(t, "GET", "/api/v1/upload-batches?per_page=100", "").want(t, 200)
	if len(batches.body) > 5<<20 || batches.get("data.0.truncated.0") != "metadata" {
		t.Errorf("the page of batches has %d bytes", len(batches.body))
	}
}

// A user's exports are limited, in number and in bytes: before the export starts if the
// size is known, and otherwise the export fails and its file is deleted.
func TestExportQuota(t *testing.T) {
	t.Parallel()
	s := start(t, func(c *app.Config, _ *web.Options) { c.ExportQuota = 20_000 })
	var gaids []string
	for i := range 3 {
		gaids = append(gaids, s.one(t, fmt.Sprintf("%d.jpg", i), append(picture(i, 20, 20), make([]byte, 9000)...)))
	}
	export := func(format string, key int, gaids ...string) answer {
		body := `{"type":"export","format":"` + format + `","selection":{"gaids":` + quoted(gaids) + `}}`
		return s.do(t, "POST", "/api/v1/operations", body, "Idempotency-Key", fmt.Sprint(key))
	}
	if a := export("zip", 1, gaids...).want(t, 422); !strings.Contains(string(a.body), "20 KiB") {
		t.Errorf("%s", a)
	}
	path := s.operate(t, `{"type":"export","format":"zip","selection":{"gaids":`+quoted(gaids[:1])+`}}`)
	if a := s.ended(t, path); a.get("data.state") != "completed" {
		t.Fatalf("%s", a)
	}
	// The size of a table with a long caption is not known in advance.
	s.do(t, "PUT", "/api/v1/assets/"+gaids[1], `{"ai_caption":"`+strings.Repeat("long ", 8000)+`"}`).want(t, 200)
	path = s.operate(t, `{"type":"export","format":"csv","selection":{"gaids":`+quoted(gaids[1:2])+`}}`)
	if a := s.ended(t, path); a.get("data.state") != "failed" || a.get("data.error.code") != "quota" {
		t.Errorf("%s", a)
	}
	s.do(t, "GET", path+"/download", "").want(t, 404)
	other := s.user(t, "eve@example.com", dam.RoleEditor)
	s.operateAs(t, other, `{"type":"export","format":"zip","selection":{"gaids":`+quoted(gaids[:1])+`}}`) // a separate quota
}
