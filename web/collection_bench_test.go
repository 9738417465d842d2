package web_test

import (
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

// BenchmarkCollections lists 500 collections with 100,000 memberships of 50,000 assets on
// one page and then pages through them. In the last run, a fifth of the collections have
// rules.
func BenchmarkCollections(b *testing.B) {
	s := start(b, noMeaning)
	const many, members, of = 500, 100_000, 50_000
	store, err := storage.Open(b.Context(), filepath.Join(s.dir, "dal.db"), time.Now)
	if err != nil {
		b.Fatal(err)
	}
	defer store.Close()
	err = store.Update(b.Context(), func(tx *storage.Tx) error {
		sha := fmt.Sprintf("%064d", 0)
		if err := tx.InsertBlob(sha, 1); err != nil {
			return err
		}
		for i := range many {
			c := dam.NewCollection()
			c.Name, c.CreatedByID = fmt.Sprintf("Collection %d", i+1), 1
			if i%5 == 4 {
				c.Visibility = dam.Restricted
			}
			if err := tx.InsertCollection(c); err != nil {
				return err
			}
		}
		for i := range of {
			now := tx.Now()
			asset := &dam.Asset{
				GAID:             dam.GAID(fmt.Sprintf("%026d", i+1)),
				Title:            fmt.Sprintf("Asset %d", i),
				OriginalFilename: "a.jpg",
				MIMEType:         "image/jpeg",
				FileCategory:     dam.CategoryImage,
				Extension:        "jpg",
				SHA256:           sha,
				Width:            i,
				WorkflowStatus:   dam.WorkflowDraft,
				ProcessingStatus: dam.ProcessingReady,
			}
			if err := tx.InsertAsset(asset); err != nil {
				return err
			}
			in := []int64{1, int64(2 + i%(many-1))} // the first collection contains half of the assets
			if err := tx.AddToCollections(asset.ID, in[:members/of]); err != nil {
				return err
			}
			if i%50 == 0 {
				asset.DeletedAt = &now
				if err := tx.UpdateAsset(asset); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	gaid := fmt.Sprintf("%026d", 2)
	restricted := s.user(b, "ed@example.com", dam.RoleEditor)
	s.until(b, assets+"?q=49999", func(a answer) bool { return a.get("meta.total") == 1.0 }) // the text index is complete
	// send skips the check against the contract, which would dominate the time.
	send := func(b *testing.B, token, method, path, body string) {
		req, err := http.NewRequestWithContext(b.Context(), method, s.URL+path, strings.NewReader(body))
		if err != nil {
			b.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+token)
		req.Header.Set("Content-Type", "application/json")
		res, err := s.Client().Do(req)
		if err != nil {
			b.Fatal(err)
		}
		defer res.Body.Close()
		if _, err := io.Copy(io.Discard, res.Body); err != nil || res.StatusCode != 200 {
			b.Fatalf("%s %s = %d, %v", method, path, res.StatusCode, err)
		}
	}
	run := func(name, token, method, path, body string) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				send(b, token, method, path, body)
			}
		})
	}
	reads := func(kind string) {
		run(kind+"list 500", s.token, "GET", collections+"?per_page=500", "")
		run(kind+"list 24", s.token, "GET", collections, "")
		run(kind+"list 400 as an editor", restricted, "GET", collections+"?per_page=500", "")
		run(kind+"show the largest", s.token, "GET", collections+"/1", "")
		run(kind+"its first assets", s.token, "GET", collections+"/1/assets", "")
		run(kind+"its last assets", s.token, "GET", collections+"/1/assets?page=2000", "")
		run(kind+"asset", s.token, "GET", assets+"/"+gaid, "")
		run(kind+"filter", restricted, "GET", filtered("in", "[1,2,3]"), "")
		run(kind+"filter for none", restricted, "GET", filtered("is_empty", "null"), "")
		run(kind+"facet", restricted, "GET", assets+"?facets=collections&per_page=1", "")
	}
	reads("")
	run("order", s.token, "PUT", collections+"/1/assets/order", gaids(gaid, fmt.Sprintf("%026d", 3)))
	once := func(name, method, path, body string) {
		began := time.Now()
		send(b, s.token, method, path, body)
		b.Logf("%s: %v", name, time.Since(began))
	}
	list := make([]string, 1000)
	for i := range list {
		list[i] = fmt.Sprintf("%026d", i+2)
	}
	once("add 1000", "POST", collections+"/500/assets", gaids(list...))
	once("delete the largest", "DELETE", collections+"/1", "")
	s.collection(b, `{"name":"again"}`)
	for i := range 100 {
		s.collection(b, fmt.Sprintf(`{"name":"Rules %d","position":1,"rules":{"type":"group","operator":"and","rules":[
			{"type":"filter","field":"asset.width","operator":"greater_than","value":%d},
			{"type":"filter","field":"asset.title","operator":"contains","value":"%d"}
		]}}`, i, i*100, i))
	}
	run("100 ruled: list 500", s.token, "GET", collections+"?per_page=500&page=1", "")
	run("100 ruled: list the rest", s.token, "GET", collections+"?per_page=500&page=2", "")
	run("100 ruled: asset", s.token, "GET", assets+"/"+gaid, "")
	run("100 ruled: filter for none", s.token, "GET", filtered("is_empty", "null"), "")
	run("100 ruled: facet", s.token, "GET", assets+"?facets=collections&per_page=1", "")
	for i := range 50 {
		search := rule("asset", "hybrid_search", fmt.Sprintf(`"asset %d"`, i*100))
		s.collection(b, fmt.Sprintf(`{"name":"Search %d","position":2,"rules":%s}`, i, search))
	}
	run("50 searching besides: list them", s.token, "GET", collections+"?per_page=50&page=13", "")
	run("50 searching besides: asset", s.token, "GET", assets+"/"+gaid, "")
	for name, path := range map[string]string{
		"100 ruled: list 50 after a change":      collections + "?per_page=50&page=11",
		"50 searching: list them after a change": collections + "?per_page=50&page=13",
		"150 ruled: asset after a change":        assets + "/" + gaid,
	} {
		b.Run(name, func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				b.StopTimer()
				s.do(b, "PUT", assets+"/"+gaid, fmt.Sprintf(`{"title":"Asset %d"}`, i%2)).want(b, 200)
				b.StartTimer()
				send(b, s.token, "GET", path, "")
			}
		})
	}
}
