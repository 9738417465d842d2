package web_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

// A webhook can skip events about metadata that the server derives in the background.
func TestWebhookSkipsEnrichment(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	gaid := s.fill(t, 1)[0]
	all, _ := s.hook(t, "https://a.example/", "asset.updated")
	body := `{"url":"https://b.example/","events":["asset.updated"],"skip_enrichment":true}`
	made := s.do(t, "POST", webhooks, body).want(t, 201)
	changes := fmt.Sprintf("%s/%v", webhooks, made.get("data.id"))
	if made.get("data.skip_enrichment") != true || s.do(t, "GET", all, "").get("data.skip_enrichment") != false {
		t.Errorf("%s", made)
	}
	found := func() {
		t.Helper()
		must(t, s.store(t).Update(t.Context(), func(tx *storage.Tx) error {
			a, err := tx.Asset(dam.GAID(gaid))
			if err != nil {
				return err
			}
			return tx.InsertEnrichment(a)
		}))
	}
	got := func(path string, n float64) {
		t.Helper()
		s.until(t, path+"/deliveries", func(a answer) bool { return a.get("meta.total") == n })
	}
	found()
	s.do(t, "PUT", assets+"/"+gaid, `{"title":"by hand"}`).want(t, 200)
	got(all, 2) // both were queued together for all webhooks
	got(changes, 1)
	s.do(t, "PUT", changes, `{"skip_enrichment":false}`).want(t, 200)
	found()
	s.do(t, "PUT", assets+"/"+gaid, `{"title":"by hand again"}`).want(t, 200)
	got(all, 4)
	if a := s.do(t, "GET", changes+"/deliveries", ""); a.get("meta.total") != 3.0 {
		t.Errorf("%s", a)
	}
}

// cause returns the cause of the latest asset.updated.
func (s *server) cause(t *testing.T) string {
	t.Helper()
	for _, e := range slices.Backward(s.events(t)) {
		if e.Type == dam.AssetUpdated {
			return e.Cause()
		}
	}
	return ""
}

// Background analyses are enrichment; those that a user starts are not.
func TestCausesOfAnalyses(t *testing.T) {
	t.Parallel()
	ai, says, _ := seer(t)
	says(200, `{"caption":"A lighthouse.","tags":["lighthouse"],"text":"HARBOUR"}`)
	s := start(t, withSeer(ai))
	gaid := s.one(t, "a.jpg", picture(1, 64, 48))
	s.until(t, assets+"/"+gaid, func(a answer) bool { return a.get("data.ai_caption") != nil })
	if got := s.cause(t); got != "enrichment" {
		t.Errorf("the caption has the cause %q", got)
	}
	says(200, `{"caption":"A tower.","tags":["tower"],"text":"HARBOUR"}`)
	s.ended(t, s.operate(t, fmt.Sprintf(`{"type":"ai_analysis","tasks":["caption"],"selection":{"gaids":[%q]}}`, gaid)))
	if got := s.cause(t); got != "change" {
		t.Errorf("the analysis that a user started has the cause %q", got)
	}
}
