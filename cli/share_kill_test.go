package cli_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/digital-asset-library/dal/storage"
)

// A share limited to 100 downloads is never downloaded more often, even if 200 guests request it
// concurrently and the server is killed repeatedly in the meantime; no delivered download goes
// uncounted.
func TestKillShare(t *testing.T) {
	t.Parallel()
	const most, guests = 100, 200
	data := filepath.Join(t.TempDir(), "lib")
	pictureLibrary(t, data, 0, 1)
	token := dal(t, "", "token", "create", "--data", data, "--user", "ada@example.com", "--name", "t", "--all-abilities")
	store := records(t, data)
	counted := func() (n int64) {
		t.Helper()
		read(t, store, func(tx *storage.Tx) error {
			s, err := tx.Share(1)
			if err == nil {
				n = s.DownloadCount
			}
			return err
		})
		return n
	}
	p := serve(t, data)
	page, gaid := newShare(t, p, token, most)
	var sent, refused atomic.Int64
	// all sends one request per guest, and kills the server once some have received the file.
	all := func(killAfter int64) {
		t.Helper()
		jar, err := cookiejar.New(nil)
		noErr(t, err)
		client := &http.Client{Jar: jar}
		if res, err := client.Get(p.url + page); err == nil {
			res.Body.Close()
		}
		var wg sync.WaitGroup
		var once sync.Once
		for range guests {
			wg.Go(func() {
				res, err := client.Get(p.url + page + "/assets/" + gaid + "/download")
				if err != nil {
					return // killed before it answered
				}
				defer res.Body.Close()
				_, err = io.Copy(io.Discard, res.Body)
				switch {
				case res.StatusCode == http.StatusGone:
					refused.Add(1)
				case err == nil && res.StatusCode == http.StatusOK:
					if n := sent.Add(1); killAfter > 0 && n >= killAfter {
						once.Do(p.kill)
					}
				}
			})
		}
		wg.Wait()
	}
	interrupted := 0
	for _, after := range []int64{3, 9} {
		all(after)
		n := counted()
		if sent.Load() > n || n > most {
			t.Fatalf("%d were sent when the server was killed, and %d counted", sent.Load(), n)
		}
		if n < most {
			interrupted++
		}
		p = serve(t, data)
	}
	if interrupted == 0 {
		t.Fatal("no kill was in the middle")
	}
	all(0)
	if n := counted(); n != most || sent.Load() > most || refused.Load() == 0 {
		t.Errorf("%d downloads were sent and %d counted, %d refused, of %d", sent.Load(), n, refused.Load(), most)
	}
	t.Logf("%d sent, %d counted, %d refused, %d kills in the middle", sent.Load(), counted(), refused.Load(), interrupted)
}

// newShare shares an asset with a limited number of downloads.
func newShare(t *testing.T, p *process, token string, most int) (page, gaid string) {
	t.Helper()
	gaid = p.get(t, token, "/assets?per_page=1")["data"].([]any)[0].(map[string]any)["gaid"].(string)
	var made struct{ Data struct{ URL string } }
	body := fmt.Sprintf(`{"name":"Press","gaids":["%s"],"access":{"max_downloads":%d}}`, gaid, most)
	noErr(t, p.call(token, "POST", "/shares", "application/json", strings.NewReader(body), &made))
	return made.Data.URL[strings.Index(made.Data.URL, "/s/"):], gaid
}
