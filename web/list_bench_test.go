package web_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

// BenchmarkList requests pages of 50 of 5,000 assets with all fields set, like a camera's
// photos. writings/op is the time as a multiple of that for encoding the answer as JSON.
func BenchmarkList(b *testing.B) {
	s := start(b, noMeaning)
	words := strings.Fields("harbour dawn boat river mountain snow forest castle bridge market horse garden winter summer child dog")
	rnd := rand.New(rand.NewPCG(1, 1))
	must(b, s.store(b).Update(b.Context(), func(tx *storage.Tx) error {
		sha := strings.Repeat("0", 64)
		if err := tx.InsertBlob(sha, 1); err != nil {
			return err
		}
		for i := range 5000 {
			if err := tx.InsertAsset(photo(rnd, words, i, sha)); err != nil {
				return err
			}
		}
		return nil
	}))
	s.until(b, "/api/v1/status", func(a answer) bool {
		return a.get("data.index.documents") == 5000.0 && a.get("data.index.pending") == 0.0
	})
	for _, c := range []struct{ name, query string }{
		{"list", "sort_by=created_at"},
		{"word", "q=harbour"},
		{"three words", "q=harbour+dawn+boat"},
		{"filters", "filters=" + url.QueryEscape(rule("asset.rating", "greater_than", `3`))},
		{"facets", "facets=file_category,workflow_status,keywords"},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			var body []byte
			for b.Loop() {
				r := httptest.NewRequest("GET", assets+"?per_page=50&"+c.query, nil)
				r.Header.Set("Authorization", "Bearer "+s.token)
				w := httptest.NewRecorder()
				s.Config.Handler.ServeHTTP(w, r)
				if w.Code != 200 || w.Body.Len() < 10_000 {
					b.Fatal(w.Code, w.Body.String())
				}
				body = w.Body.Bytes()
			}
			var page any
			must(b, json.Unmarshal(body, &page))
			writing := timed(func() {
				if _, err := json.Marshal(page); err != nil {
					b.Fatal(err)
				}
			})
			b.ReportMetric(float64(b.Elapsed())/float64(b.N)/float64(writing), "writings/op")
		})
	}
}

// photo returns an asset with all fields set.
func photo(rnd *rand.Rand, words []string, i int, sha string) *dam.Asset {
	word := func() string { return words[rnd.IntN(len(words))] }
	rating := int64(rnd.IntN(6))
	exif := map[string]any{}
	for n := range 60 {
		exif[fmt.Sprint("Field", n)] = fmt.Sprint(word(), n)
	}
	a := &dam.Asset{
		GAID: dam.GAID(fmt.Sprintf("%026d", i+1)), Title: word() + " at " + word() + fmt.Sprint(" ", i), OriginalFilename: "IMG_1234.jpg",
		MIMEType: "image/jpeg", FileCategory: dam.CategoryImage, Extension: "jpg", SHA256: sha, Width: 6000, Height: 4000, FileSize: 4 << 20,
		Creator: "Ada Lovelace", Copyright: "© 2026 Ada Lovelace", Description: "A " + word() + " and a " + word() + ".", Rating: &rating,
		AICaption: "a picture of a " + word(), AITags: []string{word(), word()},
		WorkflowStatus: dam.WorkflowDraft, ProcessingStatus: dam.ProcessingReady,
		OCRText: strings.Repeat(word()+" ", 100), Technical: map[string]any{"exif": exif}, ThumbHash: make([]byte, 24),
		Metadata: map[string]any{"project": word(), "year": 2026.0, "region": word(), "channels": []any{"web", "print"}},
	}
	a.Keywords = dam.CleanWords([]string{word(), word(), word(), word()})
	for range 5 {
		a.Colors = append(a.Colors, dam.Color{Hex: fmt.Sprintf("#%06x", rnd.IntN(1<<24)), Share: 0.2})
	}
	return a
}
