package web_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/jpeg"
	"maps"
	"slices"
	"strings"
	"testing"

	"golang.org/x/image/tiff"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

// Each rendition is a value of the document's enum, has a documented URL with the right
// size, and is served at that URL, except for those that a picture does not have.
func TestRenditionsEverywhere(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	var doc struct {
		Components struct {
			Schemas map[string]struct {
				Enum       []dam.Rendition
				Properties map[string]struct{ Description string }
			}
		}
	}
	if err := json.Unmarshal(s.do(t, "GET", "/docs/api.json", "").want(t, 200).body, &doc); err != nil {
		t.Fatal(err)
	}
	var r dam.Rendition
	if got := doc.Components.Schemas["Rendition"].Enum; !slices.Equal(got, r.Values()) {
		t.Errorf("the document has the renditions %v, want %v", got, r.Values())
	}
	described := doc.Components.Schemas["AssetURLs"].Properties
	names := []string{"original", "proxy"}
	asset := "/api/v1/assets/" + s.one(t, "a.jpg", picture(1, 3000, 1500))
	a := s.do(t, "GET", asset, "").want(t, 200)
	for _, r := range dam.Renditions() {
		if r.Name == dam.RenditionPoster || r.Name == dam.RenditionPage {
			s.do(t, "GET", asset+"/download?rendition="+string(r.Name), "").want(t, 404)
			continue
		}
		names = append(names, string(r.Name))
		description, size := described[string(r.Name)].Description, fmt.Sprintf("%d × %d pixels", r.Size, r.Size)
		if !strings.Contains(description, size) {
			t.Errorf("the URL of %s is described as %q, want %q in it", r.Name, description, size)
		}
		url, _ := a.get("data.urls." + string(r.Name)).(string)
		if _, path, ok := strings.Cut(url, asset); !ok || path != "/download?rendition="+string(r.Name) {
			t.Errorf("the URL of %s is %q", r.Name, url)
		}
		c, err := jpeg.DecodeConfig(bytes.NewReader(s.do(t, "GET", asset+"/download?rendition="+string(r.Name), "").want(t, 200).body))
		if long := min(r.Size, 3000); err != nil || c.Width != long || c.Height != long/2 {
			t.Errorf("%s: %d × %d, %v", r.Name, c.Width, c.Height, err)
		}
		export := s.operate(t, fmt.Sprintf(`{"type":"export","format":"zip","rendition":%q,"selection":{"filters":%s}}`, r.Name, every))
		if got := outcome(s.ended(t, export)); got != "completed 1 1 0 0 100" {
			t.Errorf("an export of %s: %s", r.Name, got)
		}
	}
	slices.Sort(names)
	if got := slices.Sorted(maps.Keys(described)); !slices.Equal(got, names) {
		t.Errorf("the document has URLs of %v, want %v", got, names)
	}
}

// A file without a picture, of any category, has no renditions.
func TestAssetWithoutPicture(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	pictured := s.one(t, "a.jpg", picture(1, 64, 48))
	const silent = "01TEST00000000000000000001"
	err := s.store(t).Update(t.Context(), func(tx *storage.Tx) error {
		a, err := tx.Asset(dam.GAID(pictured))
		if err != nil {
			return err
		}
		a.GAID, a.FileCategory, a.ThumbHash = silent, dam.CategoryAudio, nil
		if err := tx.InsertAsset(a); err != nil {
			return err
		}
		a.GAID, a.FileCategory, a.ThumbHash = "01TEST00000000000000000002", dam.CategoryImage, nil
		return tx.InsertAsset(a)
	})
	must(t, err)
	for _, gaid := range []string{silent, "01TEST00000000000000000002"} {
		path := "/api/v1/assets/" + gaid
		a := s.do(t, "GET", path, "").want(t, 200)
		if a.get("data.urls.thumbnail") != nil || a.get("data.urls.preview") != nil || a.get("data.urls.original") == nil {
			t.Errorf("URLs of a file without a picture: %v", a.get("data.urls"))
		}
		a = s.do(t, "GET", path+"/download?rendition=preview", "").want(t, 404)
		if got := a.get("message"); got != "The file has no preview." {
			t.Errorf("a rendition of a file without a picture: %v", got)
		}
		s.do(t, "GET", path+"/download", "").want(t, 200)
	}
	export := s.operate(t, `{"type":"export","format":"zip","rendition":"preview","selection":{"gaids":`+quoted([]string{silent})+`}}`)
	s.ended(t, export)
	a := s.do(t, "GET", export+"/items", "").want(t, 200)
	if got := a.get("data.0.error.message"); a.get("data.0.error.code") != "no_rendition" || got != "The file has no preview." {
		t.Errorf("an export of a preview that cannot be: %v %v", a.get("data.0.error.code"), got)
	}
}

// A file is sent inline only if browsers can display it.
func TestInline(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	var b bytes.Buffer
	must(t, tiff.Encode(&b, image.NewRGBA(image.Rect(0, 0, 40, 30)), nil))
	asJPEG, asTIFF := s.one(t, "a.jpg", picture(1, 64, 48)), s.one(t, "b.tif", b.Bytes())
	for _, tt := range []struct{ gaid, query, want string }{
		{asJPEG, "", `attachment; filename="a.jpg"`},
		{asJPEG, "?inline=true", `inline; filename="a.jpg"`},
		{asTIFF, "?inline=true", `attachment; filename="b.tif"`},
		{asTIFF, "?inline=true&rendition=preview", `inline; filename="b-preview.jpg"`},
	} {
		a := s.do(t, "GET", "/api/v1/assets/"+tt.gaid+"/download"+tt.query, "").want(t, 200)
		if got := a.Header.Get("Content-Disposition"); !strings.HasPrefix(got, tt.want) {
			t.Errorf("%s: %s, want %s", tt.query, got, tt.want)
		}
	}
}
