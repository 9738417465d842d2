package cli_test

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// However often the server is killed while guests upload, a share accepts no more files
// than its limit, each of them complete, and acknowledged data is preserved.
func TestKillHandIn(t *testing.T) {
	t.Parallel()
	const most, guests, each = 30, 6, 10
	data := filepath.Join(t.TempDir(), "lib")
	makeAdmin(t, data)
	token := dal(t, "", "token", "create", "--data", data, "--user", "ada@example.com", "--name", "t", "--all-abilities")
	p := serve(t, data)
	var share struct{ Data struct{ URL string } }
	body := fmt.Sprintf(`{"name":"Fair","type":"upload","upload":{"max_files":%d}}`, most)
	noErr(t, p.call(token, "POST", "/shares", "application/json", strings.NewReader(body), &share))
	page := share.Data.URL[strings.Index(share.Data.URL, "/s/"):]
	ask := func(p *process, cookie, method, path string, body []byte, header ...string) (*http.Response, error) {
		req, err := http.NewRequest(method, p.url+path, bytes.NewReader(body))
		if err != nil {
			return nil, err
		}
		header = append(header, "Cookie", cookie, "Tus-Resumable", "1.0.0", "Content-Type", "application/offset+octet-stream")
		for i := 0; i+1 < len(header); i += 2 {
			req.Header.Set(header[i], header[i+1])
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			return nil, err
		}
		defer res.Body.Close()
		_, err = io.Copy(io.Discard, res.Body)
		return res, err
	}
	cookies := make([]string, guests)
	for i := range cookies {
		res, err := ask(p, "", "GET", page, nil)
		noErr(t, err)
		cookies[i], _, _ = strings.Cut(res.Header.Get("Set-Cookie"), ";")
	}
	urls := make([][each]string, guests) // "" before the upload is created
	done := make([][each]bool, guests)
	full := make([]bool, guests)
	send := func(p *process, g int) {
		for i := range each {
			file := append(picture(g*each+i, 64), make([]byte, 200_000+g*each+i)...)
			if urls[g][i] == "" {
				res, err := ask(p, cookies[g], "POST", page+"/tus/", nil, "Upload-Length", strconv.Itoa(len(file)),
					"Upload-Metadata", "filename YS5qcGc=")
				if err != nil {
					return
				}
				if res.StatusCode == 422 {
					full[g] = true
					return
				}
				urls[g][i] = res.Header.Get("Location")
			}
			if done[g][i] || urls[g][i] == "" {
				continue
			}
			res, err := ask(p, cookies[g], "HEAD", urls[g][i], nil)
			if err != nil {
				return
			}
			if res.StatusCode == http.StatusNotFound { // it was removed because the share is full, and that answer was lost
				urls[g][i], full[g] = "", true
				continue
			}
			at, err := strconv.Atoi(res.Header.Get("Upload-Offset"))
			if err != nil {
				t.Errorf("an upload that was acknowledged is %s", res.Status)
				return
			}
			if at < len(file) {
				if res, err = ask(p, cookies[g], "PATCH", urls[g][i], file[at:], "Upload-Offset", strconv.Itoa(at)); err != nil {
					return
				}
			}
			if res.StatusCode == http.StatusUnprocessableEntity { // the share is full, and the upload is removed
				urls[g][i], full[g] = "", true
				continue
			}
			done[g][i] = res.StatusCode < 300
		}
	}
	for round := range 4 {
		var all sync.WaitGroup
		for g := range guests {
			all.Go(func() { send(p, g) })
		}
		if round < 3 {
			<-time.After(time.Duration(20+rand.IntN(250)) * time.Millisecond) // the moment of the fault
			p.kill()
		}
		all.Wait()
		if round < 3 {
			p = serve(t, data)
		}
	}
	acked, refused := 0, 0
	for g := range guests {
		if full[g] {
			refused++
		}
		for i := range each {
			if done[g][i] {
				acked++
			}
		}
	}
	p.kill()
	db := filepath.Join(data, "dal.db")
	files := query(t, db, `SELECT count(*) FROM batch_files f JOIN upload_batches b ON b.id = f.batch_id WHERE b.share_id IS NOT NULL`)
	// An upload counts once it contains bytes, even if the answer to its request was lost.
	counted, err := strconv.Atoi(query(t, db, `SELECT count(*) FROM resumable_uploads WHERE received > 0`))
	noErr(t, err)
	if counted > most || files != strconv.Itoa(acked) || refused == 0 || acked < most-guests*3 {
		t.Errorf("%d have bytes, %s files, %d acknowledged, %d guests were told that it is full", counted, files, acked, refused)
	}
	dal(t, "", "check", "--data", data)
}
