package web_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/app/find"
	"github.com/digital-asset-library/dal/web"
)

// seer starts an AI endpoint whose answer can be changed with says.
func seer(t *testing.T) (s *httptest.Server, says func(code int, content string), asked *atomic.Int32) {
	t.Helper()
	var now atomic.Value
	asked = &atomic.Int32{}
	says = func(code int, content string) {
		data, _ := json.Marshal(map[string]any{"choices": []any{map[string]any{"message": map[string]any{"content": content}}}})
		now.Store(func(w http.ResponseWriter) {
			w.WriteHeader(code)
			w.Write(data)
		})
	}
	s = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		now.Load().(func(http.ResponseWriter))(w)
	}))
	t.Cleanup(s.Close)
	return s, says, asked
}

func withSeer(s *httptest.Server) func(*app.Config, *web.Options) {
	return func(c *app.Config, _ *web.Options) {
		c.AIEndpoint, c.AIModel, c.Embeddings = s.URL+"/v1", "llava", find.EmbeddingsOff
	}
}

// An AI endpoint provides captions, tags and text for pictures, and nothing else. Values
// written by people are kept.
func TestCaptions(t *testing.T) {
	t.Parallel()
	ai, says, asked := seer(t)
	says(200, `{"caption":"A lighthouse by the sea.","tags":["lighthouse","sea"],"text":"HARBOUR",
		"title":"owned","workflow_status":"approved"}`)
	s := start(t, withSeer(ai))
	gaid := s.one(t, "a.jpg", picture(1, 64, 48))
	path := assets + "/" + gaid
	a := s.until(t, path, func(a answer) bool { return a.get("data.ai_caption") != nil })
	for field, want := range map[string]any{
		"ai_caption": "A lighthouse by the sea.", "ai_tags": []any{"lighthouse", "sea"}, "ocr_text": "HARBOUR", "title": "a",
		"workflow_status": "draft",
	} {
		if got := a.get("data." + field); !reflect.DeepEqual(got, want) {
			t.Errorf("%s is %v, not %v", field, got, want)
		}
	}
	d := a.get("data.ai_tag_details.0").(map[string]any)
	if d["source"] != "endpoint" || d["model"] != "endpoint/llava" || d["score"] != nil {
		t.Error(d)
	}
	if st := s.do(t, "GET", "/api/v1/status", "").get("data.ai"); !reflect.DeepEqual(st, map[string]any{
		"model": "endpoint/llava", "budget": 100.0, "used": 1.0, "is_reachable": true,
	}) {
		t.Error(st)
	}

	// Second run, after a person removed a tag and wrote a caption.
	s.do(t, "PUT", path, `{"ai_tags":["sea"],"ai_caption":"Our lighthouse"}`).want(t, 200)
	says(200, `{"caption":"A tower.","tags":["Lighthouse","tower","sea"],"text":"OTHER"}`)
	again := fmt.Sprintf(`{"type":"ai_analysis","tasks":["caption"],"selection":{"gaids":[%q]}}`, gaid)
	s.ended(t, s.operate(t, again))
	a = s.do(t, "GET", path, "")
	if a.get("data.ai_caption") != "Our lighthouse" || !reflect.DeepEqual(a.get("data.ai_tags"), []any{"sea", "tower"}) ||
		a.get("data.ocr_text") != "HARBOUR" {
		t.Error(a)
	}

	// A malformed answer is retried once.
	before := asked.Load()
	says(200, "A tower, of course.")
	op := s.ended(t, s.operate(t, again))
	item := s.do(t, "GET", fmt.Sprintf("%s/%v/items", operations, op.get("data.id")), "").get("data.0.error")
	if !strings.Contains(fmt.Sprint(item), "no proper answer") || asked.Load() != before+2 {
		t.Errorf("%v after %d requests", item, asked.Load()-before)
	}
	if why := fmt.Sprint(s.do(t, "GET", path+"/analyses", "").get("data.0.error")); !strings.Contains(why, "no proper answer") {
		t.Error(why)
	}
}

// While the endpoint does not answer or its budget is spent, pictures wait, and the status
// reports it.
func TestCaptionsWait(t *testing.T) {
	t.Parallel()
	ai, says, asked := seer(t)
	says(503, "")
	s := start(t, withSeer(ai))
	gaid := s.one(t, "a.jpg", picture(1, 64, 48))
	s.until(t, assets+"/"+gaid+"/analyses", func(answer) bool { return asked.Load() == 1 })
	s.warned(t, "no_backup", "ai_endpoint_down")
	if a := s.do(t, "GET", assets+"/"+gaid+"/analyses", ""); a.get("data.0.pending") != true {
		t.Error(a)
	}

	says(200, `{"caption":"c","tags":[],"text":""}`)
	s = start(t, func(c *app.Config, o *web.Options) {
		withSeer(ai)(c, o)
		c.AIBudget = 1
	})
	gaids := []string{s.one(t, "a.jpg", picture(1, 64, 48)), s.one(t, "b.jpg", picture(2, 64, 48))}
	s.until(t, assets+"/"+gaids[0], func(a answer) bool { return a.get("data.ai_caption") == "c" })
	s.until(t, assets+"/"+gaids[1]+"/analyses", func(answer) bool { return s.count(t, `SELECT count FROM ai_requests`) == 1 })
	if a := s.do(t, "GET", assets+"/"+gaids[1]+"/analyses", ""); a.get("data.0.pending") != true || asked.Load() != 2 {
		t.Errorf("%v after %d requests", a, asked.Load())
	}
}
