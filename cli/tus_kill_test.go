package cli_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// resumed is a file that a client uploads in pieces, across restarts of the server.
type resumed struct {
	data  []byte
	path  string // of the upload, below /api/v1
	acked int64  // number of acknowledged bytes
	file  string // id in its batch
}

// tus sends a request of the tus protocol and returns the answer after reading its body.
func (p *process) tus(token, method, path string, body io.Reader, header ...string) (*http.Response, error) {
	req, err := http.NewRequest(method, p.url+"/api/v1"+path, body)
	if err != nil {
		return nil, err
	}
	header = append(header, "Authorization", "Bearer "+token, "Tus-Resumable", "1.0.0", "Content-Type", "application/offset+octet-stream")
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

// send sends as much of the file as the server accepts before it is killed.
func (r *resumed) send(t *testing.T, p *process, token string, batch int64) {
	if r.path == "" {
		res, err := p.tus(token, "POST", fmt.Sprintf("/upload-batches/%d/tus/", batch), nil, "Upload-Length", fmt.Sprint(len(r.data)))
		if err != nil || res.StatusCode != 201 {
			return
		}
		_, r.path, _ = strings.Cut(res.Header.Get("Location"), "/api/v1")
	}
	for r.file == "" {
		res, err := p.tus(token, "HEAD", r.path, nil)
		if err != nil {
			return
		}
		at, err := strconv.ParseInt(res.Header.Get("Upload-Offset"), 10, 64)
		if res.StatusCode != 200 || err != nil || at < r.acked {
			t.Errorf("%d bytes were acknowledged; the server has %d (%s)", r.acked, at, res.Status)
			return
		}
		r.file = res.Header.Get("DAL-File")
		for r.file == "" {
			piece := r.data[at:min(int(at)+rand.IntN(400_000)+1, len(r.data))]
			res, err := p.tus(token, "PATCH", r.path, bytes.NewReader(piece), "Upload-Offset", fmt.Sprint(at))
			if err != nil {
				return
			}
			if res.StatusCode != 204 {
				t.Errorf("a piece = %s", res.Status)
				return
			}
			at += int64(len(piece))
			r.acked, r.file = at, res.Header.Get("DAL-File")
		}
	}
}

// A server that is killed between two pieces, or in the middle of one, resumes each upload
// after the acknowledged bytes, and each upload becomes one file.
func TestKillTus(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "lib")
	makeAdmin(t, data)
	token := dal(t, "", "token", "create", "--data", data, "--user", "ada@example.com", "--name", "t", "--all-abilities")
	uploads := make([]*resumed, 6)
	for i := range uploads {
		tail := make([]byte, 4<<20)
		for j := range tail {
			tail[j] = byte(rand.Uint32())
		}
		uploads[i] = &resumed{data: append(picture(i, 64), tail...)}
	}
	all := func(p *process, batch int64) *sync.WaitGroup {
		var clients sync.WaitGroup
		for _, u := range uploads {
			clients.Go(func() { u.send(t, p, token, batch) })
		}
		return &clients
	}
	p := serve(t, data, "--rate-limit", "1000000")
	var b envelope
	noErr(t, p.call(token, "POST", "/upload-batches", "application/json", strings.NewReader(`{}`), &b))
	for range 5 {
		clients := all(p, b.Data.ID)
		<-time.After(time.Duration(20+rand.IntN(300)) * time.Millisecond) // the moment of the fault
		p.kill()
		clients.Wait()
		p = serve(t, data, "--rate-limit", "1000000")
	}
	all(p, b.Data.ID).Wait()
	noErr(t, p.call(token, "POST", fmt.Sprintf("/upload-batches/%d/complete", b.Data.ID), "application/json", nil, &b))
	deadline := time.After(3 * time.Minute)
	for b.Data.Status == "processing" {
		noErr(t, p.call(token, "GET", fmt.Sprintf("/upload-batches/%d", b.Data.ID), "", nil, &b))
		select {
		case <-deadline:
			t.Fatalf("the batch does not end: %+v", b)
		case <-time.After(20 * time.Millisecond):
		}
	}
	if b.Data.Counts.Ready != len(uploads) || b.Data.Counts.Total != len(uploads) {
		t.Errorf("%+v", b)
	}
	want := map[string]bool{}
	for _, u := range uploads {
		sum := sha256.Sum256(u.data)
		want[hex.EncodeToString(sum[:])] = true
	}
	p.kill()
	for _, a := range assetsOf(t, data) {
		if !want[a.SHA256] {
			t.Errorf("%s has other bytes than were sent", a.OriginalFilename)
		}
		delete(want, a.SHA256)
	}
	if len(want) > 0 {
		t.Errorf("%d files are missing", len(want))
	}
	dal(t, "", "check", "--data", data)
	left := query(t, filepath.Join(data, "dal.db"), `SELECT coalesce(group_concat(id, ' '), '') FROM resumable_uploads WHERE file_id IS NULL`)
	for _, u := range uploads { // uploads whose creation was not answered have no owner
		if id := path.Base(u.path); strings.Contains(left, id) {
			t.Errorf("upload %s is unfinished", id)
		}
	}
}
