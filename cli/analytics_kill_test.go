package cli_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
)

// The analytics of a share match its access log and its counters, even if the server is
// killed while many guests visit.
func TestKillAnalytics(t *testing.T) {
	t.Parallel()
	data, token := library(t)
	growLibrary(t, data, 0, 1)
	gaid := assetsOf(t, data)[0].GAID
	p := serve(t, data, "--embeddings", "off")
	var share struct {
		Data struct {
			ID  int64
			URL string
		} `json:"data"`
	}
	body := fmt.Sprintf(`{"name":"Press","gaids":["%s"]}`, gaid)
	noErr(t, p.call(token, "POST", "/shares", "application/json", strings.NewReader(body), &share))
	page := share.Data.URL[strings.Index(share.Data.URL, "/s/"):]
	for range 3 {
		answered := make(chan bool, 10_000)
		var guests sync.WaitGroup
		for n := range 8 {
			guests.Go(func() {
				for {
					for _, path := range []string{page, fmt.Sprintf("%s/assets/%s/download", page, gaid)} {
						req, err := http.NewRequest("GET", p.url+path, nil)
						if err != nil {
							panic(err)
						}
						req.Header.Set("User-Agent", []string{"Mozilla/5.0 Firefox/140.0", "Googlebot"}[n%2])
						res, err := http.DefaultClient.Do(req)
						if err != nil { // the server was killed
							return
						}
						res.Body.Close()
						answered <- true
					}
				}
			})
		}
		for range 60 {
			<-answered
		}
		p.kill()
		guests.Wait()
		p = serve(t, data, "--embeddings", "off")
	}
	defer p.kill()
	overview := p.get(t, token, "/analytics/overview")["data"].(map[string]any)
	sum := func(of string) float64 {
		return overview["totals"].(map[string]any)[of].(float64) + overview["bots"].(map[string]any)[of].(float64)
	}
	counted := p.get(t, token, fmt.Sprintf("/shares/%d", share.Data.ID))["data"].(map[string]any)
	logged := func(action string) string {
		return query(t, data+"/dal.db", `SELECT count(*) FROM share_access WHERE action = '`+action+`'`)
	}
	for of, want := range map[string][2]any{
		"visits": {counted["view_count"], logged("view")}, "downloads": {counted["download_count"], logged("download")},
	} {
		if got := sum(of); got != want[0] || fmt.Sprint(got) != want[1] || got < 30 {
			t.Errorf("%s are %v, the share has %v and its log %v", of, got, want[0], want[1])
		}
	}
}
