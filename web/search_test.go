package web_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/find"
	"github.com/digital-asset-library/dal/web"
)

// scene draws a picture for a seed, in any size and quality.
func scene(seed uint64, w, h, quality int) []byte {
	rnd := rand.New(rand.NewPCG(seed, 1))
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for range 40 {
		x, y, dx, dy := rnd.Float64(), rnd.Float64(), rnd.Float64()/2, rnd.Float64()/2
		c := color.RGBA{uint8(rnd.IntN(256)), uint8(rnd.IntN(256)), uint8(rnd.IntN(256)), 255}
		for py := int(y * float64(h)); py < min(h, int((y+dy)*float64(h))); py++ {
			for px := int(x * float64(w)); px < min(w, int((x+dx)*float64(w))); px++ {
				img.SetRGBA(px, py, c)
			}
		}
	}
	return encode(img, quality)
}

func encode(img image.Image, quality int) []byte {
	var b bytes.Buffer
	if err := jpeg.Encode(&b, img, &jpeg.Options{Quality: quality}); err != nil {
		panic(err) // cannot happen: the picture is valid
	}
	return b.Bytes()
}

// untilMeant waits until semantic search is ready and finds total assets.
func (s *server) untilMeant(t testing.TB, text string, total float64) answer {
	t.Helper()
	return s.until(t, "/api/v1/assets?"+url.Values{"q": {text}}.Encode(), func(a answer) bool {
		return a.get("meta.meaning") == "ready" && a.get("meta.total") == total
	})
}

// Semantic search reports ready only after it has processed all changes.
func TestMeaningIsReadyInTime(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	gaid := s.gaids(t, upload{"quarterly invoice.jpg", scene(1, 64, 48, 90)})[0]
	s.untilMeant(t, "puppy", 0)
	for i := range 4 {
		title, total := "a young dog playing in the snow", 1.0
		if i%2 == 1 {
			title, total = "quarterly invoice", 0
		}
		s.do(t, "PUT", "/api/v1/assets/"+gaid, fmt.Sprintf(`{"title":%q}`, title)).want(t, 200)
		if a := s.search(t, "q", "puppy"); a.get("meta.meaning") == "ready" && a.get("meta.total") != total {
			t.Errorf("change %d: %s", i, a)
		}
		s.untilMeant(t, "puppy", total)
	}
}

// titlesOf lists the titles on a page.
func titlesOf(a answer) string {
	var list []string
	items, _ := a.get("data").([]any)
	for _, item := range items {
		list = append(list, fmt.Sprint(item.(map[string]any)["title"]))
	}
	return strings.Join(list, "|")
}

// A search returns the score of each hit, the matching fields, and highlights.
func TestSearchAnswers(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	list := s.gaids(t,
		upload{"a young dog playing in the snow.jpg", scene(1, 64, 48, 90)},
		upload{"Harbour <b>at dawn.jpg", scene(2, 64, 48, 90)},
		upload{"IMG_1234.jpg", scene(3, 64, 48, 90)},
		upload{"contract with a supplier.jpg", scene(4, 64, 48, 90)},
	)
	s.do(t, "PUT", "/api/v1/assets/"+list[2], `{
		"creator": "Zoë Müller",
		"keywords": ["harbours", "café", "night"],
		"metadata": {"project": "Dawn & Dusk"}
	}`).want(t, 200)

	a := s.search(t, "q", "harbour dawn")
	if a.get("meta.total") != 2.0 || a.get("data.0.gaid") != list[1] {
		t.Errorf("%s", a)
	}
	var page struct {
		Data []struct {
			Score      float64
			MatchedOn  []string `json:"matched_on"`
			Highlights []struct{ Field, HTML string }
		}
	}
	if err := json.Unmarshal(a.body, &page); err != nil {
		t.Fatal(err)
	}
	if d := page.Data; d[0].Score <= d[1].Score || d[1].Score <= 0 {
		t.Errorf("scores: %s", a)
	}
	for i, want := range []string{
		"[{title <mark>Harbour</mark> &lt;b&gt;at <mark>dawn</mark>} " +
			"{original_filename <mark>Harbour</mark> &lt;b&gt;at <mark>dawn</mark>.jpg}]",
		"[{keywords <mark>harbours</mark>} {metadata.project <mark>Dawn</mark> &amp; Dusk}]",
	} {
		if got := fmt.Sprint(page.Data[i].Highlights); got != want {
			t.Errorf("highlights of hit %d: %s, want %s", i, got, want)
		}
	}
	for i, want := range [][]string{{"title", "original_filename"}, {"keywords", "metadata"}} {
		if got := slices.DeleteFunc(page.Data[i].MatchedOn, func(f string) bool { return f == "meaning" }); !slices.Equal(got, want) {
			t.Errorf("hit %d matched on %v, want %v", i, got, want)
		}
	}
	// Synonyms and semantic matches have no highlights.
	a = s.untilMeant(t, "puppy", 1)
	if a.get("data.0.gaid") != list[0] || fmt.Sprint(a.get("data.0.matched_on")) != "[synonym meaning]" {
		t.Errorf("by meaning: %s", a)
	}
	if a.get("data.0.highlights") != nil || a.get("data.0.score").(float64) <= 0 {
		t.Errorf("by meaning: %s", a)
	}
	if a = s.search(t, "q", "saxophone"); a.get("meta.total") != 0.0 || a.get("meta.meaning") != "ready" {
		t.Errorf("unrelated: %s", a)
	}
	if a = s.search(t, "q", "puppy", "mime_type", "video"); a.get("meta.total") != 0.0 {
		t.Errorf("a meaning against a filter: %s", a)
	}
	// Without a query, matches are not explained.
	for _, params := range [][]string{nil, {"q", ""}, {"q", "  "}} {
		a = s.search(t, params...)
		if a.get("meta.total") != 4.0 || a.get("meta.meaning") != "ready" {
			t.Errorf("%q: %s", params, a)
		}
		if a.get("data.0.score") != nil || a.get("data.0.matched_on") != nil || a.get("data.0.highlights") != nil {
			t.Errorf("%q: %s", params, a)
		}
	}
	const harbour, photo, contract = "Harbour <b>at dawn", "IMG 1234", "contract with a supplier"
	for q, want := range map[string]string{
		`"harbour"`:                harbour,
		`harbour -dawn`:            "",
		`"at dawn" harbour`:        harbour,
		`keyword:harbours`:         photo,
		`creator:muller`:           photo,
		`filename:img_1234`:        photo,
		`“Dawn & Dusk”`:            photo,
		`cafe`:                     photo,
		`-harbour -dog -contract`:  "",
		`-harbour -dog`:            contract,
		`contratc`:                 contract,
		`suppl`:                    contract,
		list[3]:                    contract,
		strings.ToLower(list[3]):   contract,
		`"`:                        "",
		`-`:                        "",
		`title:`:                   "",
		"🙂":                        "",
		`"""`:                      "",
		`\`:                        "",
		`+-&&||!(){}[]^~*?:/`:      "",
		strings.Repeat("é", 500):   "",
		strings.Repeat("x ", 250):  "",
		"title:harbour title:dawn": harbour,
	} {
		if a := s.search(t, "q", q); titlesOf(a) != want {
			t.Errorf("%s finds %q, want %q", q, titlesOf(a), want)
		}
	}
	// With another sort order, the matches are still explained.
	a = s.search(t, "q", "harbour dawn", "sort_by", "title", "sort_direction", "desc", "per_page", "1", "facets", "file_category,keywords")
	if a.get("data.0.gaid") != list[2] || a.get("meta.total") != 2.0 {
		t.Errorf("by title: %s", a)
	}
	if a.get("data.0.highlights.0.field") != "keywords" || a.get("meta.facets.file_category.0.count") != 2.0 {
		t.Errorf("by title: %s", a)
	}
	if a = s.search(t, "q", "harbour dawn", "sort_direction", "asc"); a.get("data.1.gaid") != list[1] {
		t.Errorf("the best last: %s", a)
	}
	s.do(t, "DELETE", "/api/v1/assets/"+list[0], "").want(t, 200)
	if a = s.search(t, "q", "puppy"); a.get("meta.total") != 0.0 {
		t.Errorf("in the trash: %s", a)
	}
	if a = s.search(t, "q", "puppy", "trashed", "only"); a.get("data.0.gaid") != list[0] || a.get("meta.total") != 1.0 {
		t.Errorf("of the trash: %s", a)
	}
}

func TestSearchWithoutMeaning(t *testing.T) {
	t.Parallel()
	s := start(t, func(c *app.Config, _ *web.Options) { c.Embeddings = find.EmbeddingsOff })
	gaid := s.one(t, "a young dog.jpg", scene(1, 64, 48, 90))
	a := s.search(t, "q", "dog")
	if a.get("data.0.gaid") != gaid || fmt.Sprint(a.get("data.0.matched_on")) != "[title original_filename]" {
		t.Errorf("%s", a)
	}
	if a.get("meta.meaning") != "off" {
		t.Errorf("%s", a)
	}
	if a := s.search(t, "q", "puppy"); a.get("meta.total") != 0.0 {
		t.Errorf("%s", a)
	}
	a = s.do(t, "GET", "/api/v1/assets/"+gaid+"/similar", "").want(t, 200)
	if a.get("meta.meaning") != "off" || fmt.Sprint(a.get("data")) != "[]" {
		t.Errorf("%s", a)
	}
}

// Copies of a picture in other sizes and qualities are found, as well as assets about the
// same subject.
func TestSimilarAssets(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	list := s.gaids(t,
		upload{"a young dog playing in the snow.jpg", scene(7, 640, 480, 92)},
		upload{"scaled.jpg", scene(7, 320, 240, 80)},
		upload{"worse.jpg", scene(7, 640, 480, 30)},
		upload{"a puppy in the snow.jpg", scene(8, 640, 480, 90)},
		upload{"contract with a supplier.jpg", scene(9, 640, 480, 90)},
		upload{"trashed.jpg", scene(7, 400, 300, 85)},
	)
	s.do(t, "DELETE", "/api/v1/assets/"+list[5], "").want(t, 200)
	s.untilMeant(t, "puppy", 2)
	path := "/api/v1/assets/" + list[0] + "/similar"
	a := s.until(t, path, func(a answer) bool { return a.get("meta.meaning") == "ready" })
	var got []string
	before := -1.0
	for i := range 2 {
		at := fmt.Sprintf("data.%d.", i)
		distance, ok := a.get(at + "distance").(float64)
		if !ok || distance < before || distance > 6 || fmt.Sprint(a.get(at+"matched_on")) != "[picture]" || a.get(at+"urls.thumbnail") == nil {
			t.Errorf("near duplicate %d: %s", i, a)
		}
		before = distance
		got = append(got, a.get(at+"gaid").(string))
	}
	if slices.Sort(got); !slices.Equal(got, slices.Sorted(slices.Values(list[1:3]))) {
		t.Errorf("near duplicates: %s", a)
	}
	if a.get("data.2.gaid") != list[3] || a.get("data.2.distance") != nil {
		t.Errorf("about the same: %s", a)
	}
	cosine, ok := a.get("data.2.cosine").(float64)
	if fmt.Sprint(a.get("data.2.matched_on")) != "[meaning]" || !ok || cosine <= 0 || cosine > 1 {
		t.Errorf("about the same: %s", a)
	}
	if a.get("meta.meaning") != "ready" {
		t.Errorf("%v", a.get("meta"))
	}
	for n := 1; n <= 3; n++ {
		part := s.do(t, "GET", fmt.Sprintf("%s?per_page=%d", path, n), "").want(t, 200)
		if items := part.get("data").([]any); len(items) != n || fmt.Sprint(items) != fmt.Sprint(a.get("data").([]any)[:n]) {
			t.Errorf("the first %d: %s", n, part.body)
		}
	}
	if b := s.do(t, "GET", "/api/v1/assets/"+list[4]+"/similar", "").want(t, 200); fmt.Sprint(b.get("data")) != "[]" {
		t.Errorf("like nothing: %s", b)
	}
	viewer := s.user(t, "viewer@example.com", dam.RoleViewer)
	writer := s.user(t, "writer@example.com", dam.RoleEditor, dam.AssetsWrite)
	for _, tt := range []struct {
		name, token, path string
		status            int
		where, want       string
	}{
		{"viewer", viewer, path, 200, "data.2.gaid", list[3]},
		{"ability", writer, path, 403, "required_abilities", "[assets:read]"},
		{"no token", "", path, 401, "message", "Unauthenticated."},
		{"unknown", s.token, "/api/v1/assets/01ARZ3NDEKTSV4RRFFQ69G5FAV/similar", 404, "message", "Asset not found."},
		{"no GAID", s.token, "/api/v1/assets/nope/similar", 404, "message", "Asset not found."},
		{"in the trash", s.token, "/api/v1/assets/" + list[5] + "/similar", 404, "message", "Asset not found."},
		{"most", s.token, path + "?per_page=100", 200, "data.2.gaid", list[3]},
		{"absent", s.token, path + "?per_page=", 200, "data.2.gaid", list[3]},
		{"too many", s.token, path + "?per_page=101", 422, "errors.per_page.0", "per_page may not be greater than 100."},
		{"too few", s.token, path + "?per_page=0", 422, "errors.per_page.0", "per_page may not be less than 1."},
		{"no number", s.token, path + "?per_page=x", 422, "errors.per_page.0", "per_page must be an integer."},
	} {
		if a := s.as(t, tt.token, "GET", tt.path, ""); a.StatusCode != tt.status || fmt.Sprint(a.get(tt.where)) != tt.want {
			t.Errorf("%s: %d %s, want %d with %s %q", tt.name, a.StatusCode, a, tt.status, tt.where, tt.want)
		}
	}
	// Changes take effect immediately.
	s.do(t, "POST", "/api/v1/assets/"+list[5]+"/restore", "").want(t, 200)
	s.do(t, "DELETE", "/api/v1/assets/"+list[1]+"?force=true", "").want(t, 200)
	a = s.do(t, "GET", path, "").want(t, 200)
	if body := string(a.body); !strings.Contains(body, list[5]) || strings.Contains(body, list[1]) {
		t.Errorf("after changes: %s", body)
	}
}

// A text and a color can be combined, and each narrows the result.
func TestSearchWithColor(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	s.gaids(t, upload{"boat red.jpg", plain(color.RGBA{200, 20, 30, 255})}, upload{"boat blue.jpg", plain(color.RGBA{20, 40, 200, 255})},
		upload{"train red.jpg", plain(color.RGBA{210, 25, 25, 255})}, upload{"boat of all colours.jpg", scene(5, 64, 48, 90)})
	near := func(value string) string {
		return `{"type":"filter","field":"asset.colors","operator":"color_near","value":` + value + `}`
	}
	red, blue := near(`{"color":"#c8141e","distance":10}`), near(`{"color":"#1428c8","distance":10}`)
	for _, tt := range []struct{ q, filters, want string }{
		{"", red, "boat red|train red"},
		{"boat", red, "boat red"},
		{"boat", blue, "boat blue"},
		{"train", blue, ""},
		{"-boat", red, "train red"},
		{"boat -blue", near(`"#1428c8"`), ""},
		{"title:boat", `{"type":"group","operator":"or","rules":[` + blue + `,` + red + `]}`, "boat blue|boat red"},
		{"boat", near(`{"color":"#00ff00","distance":5}`), ""},
	} {
		a := s.search(t, "q", tt.q, "filters", tt.filters, "sort_by", "title")
		if titlesOf(a) != tt.want || a.get("meta.total") != float64(len(strings.FieldsFunc(tt.want, func(r rune) bool { return r == '|' }))) {
			t.Errorf("%q with %s finds %q, want %q", tt.q, tt.filters, titlesOf(a), tt.want)
		}
	}
	a := s.search(t, "q", "boat", "filters", red)
	if a.get("data.0.matched_on.0") != "title" || a.get("data.0.colors.0.hex") == nil {
		t.Errorf("%s", a)
	}
	if !strings.Contains(fmt.Sprint(a.get("data.0.highlights")), "<mark>boat</mark>") {
		t.Errorf("%s", a)
	}
}
