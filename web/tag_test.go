package web_test

import (
	"fmt"
	"os"
	"reflect"
	"testing"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/app/find"
	"github.com/digital-asset-library/dal/web"
)

// photograph returns a picture of a cat, a cup or a person.
func photograph(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile("../app/enrich/objects/testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// Recognized objects become searchable tags, and are not added again once a user has
// removed them.
func TestObjectTags(t *testing.T) {
	t.Parallel()
	s := start(t, func(c *app.Config, _ *web.Options) { c.TagThreshold, c.Embeddings = 0.7, find.EmbeddingsOff })
	cat := s.one(t, "DSC1.jpg", photograph(t, "chelsea.jpg"))
	path := assets + "/" + cat
	s.slowly(t, path+"/analyses", func(a answer) bool { return a.get("data.0.done_at") != nil })
	a := s.do(t, "GET", path, "").want(t, 200)
	detail := a.get("data.ai_tag_details.0").(map[string]any)
	if score := detail["score"].(float64); score < 0.7 || score > 1 {
		t.Error(detail)
	}
	if detail["tag"] != "cat" || detail["source"] != "builtin" || detail["model"] != "coco-ssdlite/1" {
		t.Error(detail)
	}
	if got := s.cause(t); got != "enrichment" {
		t.Errorf("the tags have the cause %q", got)
	}
	s.total(t, s.token, assets+`?q=cat&meaning=false`, 1)
	a = s.do(t, "GET", path+"/analyses", "")
	if a.get("data.0.task") != "tags" || a.get("data.0.error") != nil || a.get("data.0.done_at") == nil {
		t.Error(a)
	}

	// It is accepted as a keyword, and a tag is added.
	a = s.do(t, "PUT", path, `{"ai_tags":["tomcat"],"keywords":["cat"]}`)
	a.want(t, 200)
	if got := a.get("data.ai_tag_details"); !reflect.DeepEqual(got, []any{
		map[string]any{"tag": "tomcat", "score": nil, "source": "person", "model": nil},
	}) {
		t.Error(got)
	}
	selection := fmt.Sprintf(`"selection":{"gaids":[%q]}`, cat)
	op := s.slowly(t, s.operate(t, `{"type":"ai_analysis","tasks":["tags"],`+selection+`}`),
		func(a answer) bool { return a.get("data.finished_at") != nil })
	if op.get("data.state") != "completed" {
		t.Error(op)
	}
	if got := s.do(t, "GET", path, "").get("data.ai_tags"); !reflect.DeepEqual(got, []any{"tomcat"}) {
		t.Errorf("a removed tag is back: %v", got)
	}

	// Adding it again restores the model's details, in bulk too.
	s.ended(t, s.operate(t, `{"type":"bulk_update",`+selection+`,"changes":{"ai_tags":["Cat"]}}`))
	if got := s.do(t, "GET", path, "").get("data.ai_tag_details.0.source"); got != "builtin" {
		t.Error(got)
	}
}

// If tagging is disabled, the task is refused with the reason.
func TestObjectTagsOff(t *testing.T) {
	t.Parallel()
	for why, change := range map[string]func(c *app.Config){
		"--tag-threshold": func(*app.Config) {},
		"--engines-off":   func(c *app.Config) { c.TagThreshold, c.EnginesOff = 0.8, []string{"objects"} },
	} {
		s := start(t, func(c *app.Config, _ *web.Options) { change(c) })
		a := s.do(t, "POST", operations, `{"type":"ai_analysis","tasks":["tags"],"selection":{"q":"x"}}`, "Idempotency-Key", "1")
		a.want(t, 422)
		if got := fmt.Sprint(a.get("errors")); got != "map[tasks.0:[Tags for what pictures show are off on this server ("+why+").]]" {
			t.Error(got)
		}
	}
}
