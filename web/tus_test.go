package web_test

import (
	"bytes"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/web"
)

const tusContent = "application/offset+octet-stream"

// tus sends a tus request.
func (s *server) tus(t testing.TB, method, path, body string, header ...string) answer {
	t.Helper()
	header = append([]string{"Tus-Resumable", "1.0.0", "Content-Type", tusContent}, header...)
	return s.do(t, method, strings.TrimPrefix(path, s.URL), body, header...)
}

func tusPath(batch any) string { return fmt.Sprintf("/api/v1/upload-batches/%v/tus/", batch) }

func named(name string) string { return "filename " + base64.StdEncoding.EncodeToString([]byte(name)) }

// tusBegin creates an upload and returns its URL.
func (s *server) tusBegin(t testing.TB, batch any, name string, size int) string {
	t.Helper()
	a := s.tus(t, "POST", tusPath(batch), "", "Upload-Length", fmt.Sprint(size), "Upload-Metadata", named(name)).want(t, 201)
	return a.Header.Get("Location")
}

func (s *server) tusPatch(t testing.TB, url string, offset int, data []byte, header ...string) answer {
	t.Helper()
	return s.tus(t, "PATCH", url, string(data), append([]string{"Upload-Offset", fmt.Sprint(offset)}, header...)...)
}

func checksumOf(algorithm string, data []byte) string {
	sum := sha256.Sum256(data)
	b := sum[:]
	if algorithm == "sha1" {
		sum := sha1.Sum(data)
		b = sum[:]
	}
	return algorithm + " " + base64.StdEncoding.EncodeToString(b)
}

func (a answer) header(t testing.TB, pairs ...string) answer {
	t.Helper()
	for i := 0; i+1 < len(pairs); i += 2 {
		if got := a.Header.Get(pairs[i]); got != pairs[i+1] {
			t.Errorf("%s %s: %s is %q, want %q", a.Request.Method, a.Request.URL.Path, pairs[i], got, pairs[i+1])
		}
	}
	return a
}

// incoming lists the files of unfinished uploads.
func incoming(t testing.TB, s *server) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(s.dir, "blobs", "incoming", "*"))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// A file is uploaded in chunks, and joins its batch with the last one.
func TestTus(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	batch := s.batch(t, `{"expected_files":1}`)
	data := picture(1, 64, 48)
	a := s.tus(t, "OPTIONS", tusPath(batch), "").want(t, 204).header(t, "Tus-Version", "1.0.0", "Tus-Resumable", "1.0.0",
		"Tus-Max-Size", "10737418240", "Tus-Checksum-Algorithm", "sha1,sha256")
	for _, part := range []string{"creation", "creation-with-upload", "termination", "checksum", "expiration"} {
		if !strings.Contains(","+a.Header.Get("Tus-Extension")+",", ","+part+",") {
			t.Errorf("%s is not among %s", part, a.Header.Get("Tus-Extension"))
		}
	}
	url := s.tusBegin(t, batch, "ä/harbour.jpg", len(data))
	a = s.tus(t, "HEAD", url, "").want(t, 200).header(t, "Upload-Offset", "0", "Upload-Length", fmt.Sprint(len(data)),
		"Upload-Metadata", named("ä/harbour.jpg"), "Cache-Control", "no-store", "Tus-Resumable", "1.0.0", "DAL-File", "")
	if _, err := http.ParseTime(a.Header.Get("Upload-Expires")); err != nil {
		t.Error(err)
	}
	s.tusPatch(t, url, 0, data[:100]).want(t, 204).header(t, "Upload-Offset", "100", "DAL-File", "")
	s.tusPatch(t, url, 99, data[99:]).want(t, 409)
	s.tusPatch(t, url, 101, data[101:]).want(t, 409)
	s.tusPatch(t, url, 100, append(data[100:], 'x')).want(t, 413)
	s.tusPatch(t, url, 100, data[100:300], "Content-Type", "application/octet-stream").want(t, 415)
	s.tusPatch(t, url, 100, data[100:300], "Tus-Resumable", "0.2.2").want(t, 412).header(t, "Tus-Version", "1.0.0", "Tus-Resumable", "1.0.0")
	s.tusPatch(t, url, 100, nil).want(t, 204).header(t, "Upload-Offset", "100")
	s.tus(t, "HEAD", url, "").want(t, 200).header(t, "Upload-Offset", "100")
	s.tusPatch(t, url, 100, data[100:]).want(t, 204).header(t, "Upload-Offset", fmt.Sprint(len(data)), "DAL-File", "1", "Upload-Expires", "")
	s.tus(t, "HEAD", url, "").want(t, 200).header(t, "Upload-Offset", fmt.Sprint(len(data)), "DAL-File", "1")
	s.tusPatch(t, url, len(data), nil).want(t, 204).header(t, "DAL-File", "1") // as after a lost answer
	s.tus(t, "DELETE", url, "").want(t, 409)

	path := fmt.Sprintf("/api/v1/upload-batches/%v", batch)
	s.until(t, path, func(a answer) bool { return a.get("data.status") == "completed" })
	f := s.do(t, "GET", path+"/files", "").want(t, 200)
	if f.get("data.0.filename") != "harbour.jpg" || f.get("data.0.status") != "ready" {
		t.Errorf("%s", f)
	}
	if _, body := s.raw(t, "GET", fmt.Sprintf("/api/v1/assets/%v/download", f.get("data.0.gaid"))); !bytes.Equal(body, data) {
		t.Errorf("%d bytes came back of %d", len(body), len(data))
	}
	if left := incoming(t, s); len(left) > 0 || leftovers(t, s) != 1 {
		t.Errorf("left: %v, and %d files for one asset", left, leftovers(t, s))
	}
	s.tus(t, "POST", tusPath(batch), "", "Upload-Length", "5").want(t, 409)
}

// The creation request may contain the first chunk, and even the whole file.
func TestTusCreationWithUpload(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	batch := s.batch(t, `{}`)
	data := picture(1, 64, 48)
	post := func(body []byte, size int, header ...string) answer {
		t.Helper()
		header = append([]string{"Upload-Length", fmt.Sprint(size), "Upload-Metadata", named("a.jpg")}, header...)
		return s.tus(t, "POST", tusPath(batch), string(body), header...)
	}
	post(data, len(data)).want(t, 201).header(t, "Upload-Offset", fmt.Sprint(len(data)), "DAL-File", "1")
	url := post(data[:50], len(data)).want(t, 201).header(t, "Upload-Offset", "50").Header.Get("Location")
	s.tusPatch(t, url, 50, data[50:]).want(t, 204).header(t, "DAL-File", "2")
	post(nil, 0).want(t, 201).header(t, "Upload-Offset", "0", "DAL-File", "3")
	post(data, len(data)-1).want(t, 413)
	post(data[:50], len(data), "Upload-Checksum", checksumOf("sha1", data)).want(t, 460)
	url = post(data[:50], len(data), "Upload-Checksum", checksumOf("sha1", data[:50])).want(t, 201).Header.Get("Location")
	s.tus(t, "DELETE", url, "").want(t, 204).header(t, "Tus-Resumable", "1.0.0")
	s.tus(t, "HEAD", url, "").want(t, 404)
	s.tusPatch(t, url, 50, data[50:]).want(t, 404)
	a := s.finish(t, batch)
	if a.get("data.counts.ready") != 1.0 || a.get("data.counts.duplicate") != 1.0 || a.get("data.counts.rejected") != 1.0 {
		t.Errorf("%s", a)
	}
	must(t, s.app.Maintenance.Tidy(t.Context()))
	if left := incoming(t, s); len(left) > 0 {
		t.Errorf("left in a closed batch: %v", left)
	}
}

// Chunks that do not match their checksum are discarded.
func TestTusChecksum(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	batch := s.batch(t, `{}`)
	data := picture(1, 64, 48)
	url := s.tusBegin(t, batch, "a.jpg", len(data))
	for i, algorithm := range []string{"sha1", "sha256"} {
		piece := data[i*100 : i*100+100]
		s.tusPatch(t, url, i*100, piece, "Upload-Checksum", checksumOf(algorithm, data)).want(t, 460)
		s.tus(t, "HEAD", url, "").header(t, "Upload-Offset", fmt.Sprint(i*100))
		s.tusPatch(t, url, i*100, piece, "Upload-Checksum", checksumOf(algorithm, piece)).want(t, 204)
	}
	s.tusPatch(t, url, 200, data[200:], "Upload-Checksum", checksumOf("sha256", data)).want(t, 460) // also for the last chunk
	for _, wrong := range []string{"md5 AAAA", "sha1", "sha1 AAAA", "sha256 ????", checksumOf("sha1", data)[5:]} {
		s.tusPatch(t, url, 200, data[200:], "Upload-Checksum", wrong).want(t, 400)
	}
	s.tusPatch(t, url, 200, data[200:], "Upload-Checksum", checksumOf("sha256", data[200:])).want(t, 204).header(t, "DAL-File", "1")
	if a := s.finish(t, batch); a.get("data.counts.ready") != 1.0 {
		t.Errorf("%s", a)
	}
}

// Invalid requests are refused and leave nothing behind.
func TestTusRefusals(t *testing.T) {
	t.Parallel()
	s := start(t, func(c *app.Config, _ *web.Options) { c.MaxFileSize, c.MaxBatchFiles = 1000, 2 })
	batch := s.batch(t, `{}`)
	for _, tt := range []struct {
		name   string
		header []string
		status int
	}{
		{"no length", nil, 422},
		{"a length that is none", []string{"Upload-Length", "ten"}, 422},
		{"a negative length", []string{"Upload-Length", "-1"}, 422},
		{"too large", []string{"Upload-Length", "1001"}, 413},
		{"a length to come", []string{"Upload-Length", "5", "Upload-Defer-Length", "1"}, 400},
		{"a part of another", []string{"Upload-Length", "5", "Upload-Concat", "partial"}, 400},
		{"no version", []string{"Upload-Length", "5", "Tus-Resumable", ""}, 412},
		{"a name that is not base64", []string{"Upload-Length", "5", "Upload-Metadata", "filename ???"}, 422},
		{"no key", []string{"Upload-Length", "5", "Upload-Metadata", "a YQ==,,b YQ=="}, 422},
		{"a key twice", []string{"Upload-Length", "5", "Upload-Metadata", "a YQ==,a YQ=="}, 422},
		{"too much metadata", []string{"Upload-Length", "5", "Upload-Metadata", "a " + strings.Repeat("YWFh", 3000)}, 422},
	} {
		a := s.tus(t, "POST", tusPath(batch), "", tt.header...)
		if a.StatusCode != tt.status || a.get("message") == nil {
			t.Errorf("%s = %d %s, want %d", tt.name, a.StatusCode, a, tt.status)
		}
	}
	s.tus(t, "POST", tusPath(99), "", "Upload-Length", "5").want(t, 404)
	s.tusPatch(t, tusPath(batch)+strings.Repeat("0", 32), 0, []byte("x")).want(t, 404)
	s.tusPatch(t, tusPath(batch)+"..%5c..%5cdal.db", 0, []byte("x")).want(t, 404)
	// Unfinished uploads count towards the batch's limit.
	s.tusBegin(t, batch, "a.jpg", 10)
	url := s.tusBegin(t, batch, "b.jpg", 10)
	s.tus(t, "POST", tusPath(batch), "", "Upload-Length", "10").want(t, 422)
	s.tus(t, "DELETE", url, "").want(t, 204)
	url = s.tusBegin(t, batch, "b.jpg", 10)
	s.do(t, "POST", fmt.Sprintf("/api/v1/upload-batches/%v/cancel", batch), "").want(t, 200)
	s.tusPatch(t, url, 0, []byte("0123456789")).want(t, 409)
	must(t, s.app.Maintenance.Tidy(t.Context()))
	s.tusPatch(t, url, 0, []byte("0123456789")).want(t, 409) // still, even though it is deleted
	if n := leftovers(t, s) + s.count(t, `SELECT count(*) FROM resumable_uploads`); n != 0 {
		t.Errorf("%d files or rows are left", n)
	}
	// The method can be overridden in a header.
	batch = s.batch(t, `{}`)
	url = s.tusBegin(t, batch, "c.jpg", 10)
	override := []string{"X-HTTP-Method-Override", "PATCH", "Upload-Offset", "0"}
	s.tus(t, "POST", url, "01234", override...).want(t, 204).header(t, "Upload-Offset", "5")
	s.do(t, "GET", strings.TrimPrefix(url, s.URL), "").want(t, 405).header(t, "Allow", "HEAD")
}

// An upload is visible only to its owner and to administrators.
func TestTusOthers(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	admin, owner, other := s.token, s.user(t, "o@example.com", dam.RoleEditor), s.user(t, "x@example.com", dam.RoleEditor)
	s.token = owner
	batch := s.batch(t, `{}`)
	url := s.tusBegin(t, batch, "a.jpg", 10)
	s.token = other
	s.tus(t, "POST", tusPath(batch), "", "Upload-Length", "5").want(t, 404)
	s.tus(t, "HEAD", url, "").want(t, 404)
	s.tusPatch(t, url, 0, []byte("x")).want(t, 404)
	s.tus(t, "DELETE", url, "").want(t, 404)
	mine := s.batch(t, `{}`)
	s.tus(t, "HEAD", strings.Replace(url, tusPath(batch), tusPath(mine), 1), "").want(t, 404)
	s.token = admin
	s.tusPatch(t, url, 0, []byte("x")).want(t, 204)
	// A batch that changes collections requires the same abilities as elsewhere.
	collection := s.collection(t, `{"name":"a"}`)
	batch = s.batch(t, fmt.Sprintf(`{"collection_ids":[%s]}`, idOf(collection)))
	s.token = s.tokenFor(t, 1, dam.UploadsManage)
	s.tus(t, "POST", tusPath(batch), "", "Upload-Length", "5").lacks(t, "an upload", dam.CollectionsWrite)
}

// pushing starts a PATCH whose body stays open.
func (s *server) pushing(t *testing.T, url string, offset, size int, first []byte) (body *io.PipeWriter, done chan *http.Response) {
	t.Helper()
	r, w := io.Pipe()
	req, err := http.NewRequestWithContext(t.Context(), "PATCH", url, r)
	must(t, err)
	req.ContentLength = int64(size)
	for k, v := range map[string]string{
		"Authorization": "Bearer " + s.token, "Tus-Resumable": "1.0.0", "Content-Type": tusContent, "Upload-Offset": fmt.Sprint(offset),
	} {
		req.Header.Set(k, v)
	}
	done = make(chan *http.Response, 1)
	go func() {
		res, err := s.Client().Do(req)
		if err != nil {
			res = nil
		} else {
			res.Body.Close()
		}
		done <- res
	}()
	if _, err := w.Write(first); err != nil {
		t.Fatal(err)
	}
	return w, done
}

// arrived waits until n bytes of an upload are on the disk.
func (s *server) arrived(t *testing.T, n int64) {
	t.Helper()
	deadline := time.After(30 * time.Second)
	for {
		for _, f := range incoming(t, s) {
			if info, err := os.Stat(f); err == nil && info.Size() >= n {
				return
			}
		}
		select {
		case <-deadline:
			t.Fatalf("%d bytes have not arrived", n)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// Requests never write concurrently; asking for the offset aborts a hanging request, and
// its data is kept.
func TestTusTakesTurns(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	batch := s.batch(t, `{}`)
	data := picture(1, 640, 480)
	url := s.tusBegin(t, batch, "a.jpg", len(data))
	body, done := s.pushing(t, url, 0, len(data), data[:1000])
	s.arrived(t, 1000)
	s.tusPatch(t, url, 0, data).want(t, 423)
	s.tus(t, "HEAD", url, "").want(t, 200).header(t, "Upload-Offset", "1000")
	body.CloseWithError(io.ErrUnexpectedEOF)
	<-done
	body, done = s.pushing(t, url, 1000, len(data)-1000, data[1000:2000])
	s.arrived(t, 2000)
	body.CloseWithError(errors.New("the cable is pulled"))
	<-done
	s.tus(t, "HEAD", url, "").want(t, 200).header(t, "Upload-Offset", "2000")
	s.tusPatch(t, url, 2000, data[2000:]).want(t, 204).header(t, "DAL-File", "1")
	if a := s.finish(t, batch); a.get("data.counts.ready") != 1.0 {
		t.Errorf("%s", a)
	}
}

// A stalled client is disconnected, and the data it sent is kept.
func TestTusSilence(t *testing.T) {
	t.Parallel()
	s := start(t, func(_ *app.Config, o *web.Options) { o.Stall = 200 * time.Millisecond })
	batch := s.batch(t, `{}`)
	data := picture(1, 64, 48)
	url := s.tusBegin(t, batch, "a.jpg", len(data))
	body, done := s.pushing(t, url, 0, len(data), data[:100])
	defer body.Close()
	if res := <-done; res == nil || res.StatusCode != http.StatusRequestTimeout {
		t.Errorf("silence = %v", res)
	}
	s.tus(t, "HEAD", url, "").want(t, 200).header(t, "Upload-Offset", "100")
	if res := s.chunked(t, url, 100, append(bytes.Clone(data[100:]), 'x')); res.StatusCode != 413 {
		t.Errorf("a byte too many of an unknown length = %d", res.StatusCode)
	}
	if res := s.chunked(t, url, 100, data[100:]); res.StatusCode != 204 || res.Header.Get("DAL-File") != "1" {
		t.Errorf("an unknown length = %d", res.StatusCode)
	}
	s.finish(t, batch)
}

// chunked sends a PATCH without a Content-Length.
func (s *server) chunked(t *testing.T, url string, offset int, data []byte) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), "PATCH", url, io.MultiReader(bytes.NewReader(data)))
	must(t, err)
	for k, v := range map[string]string{
		"Authorization": "Bearer " + s.token, "Tus-Resumable": "1.0.0", "Content-Type": tusContent, "Upload-Offset": fmt.Sprint(offset),
	} {
		req.Header.Set(k, v)
	}
	res, err := s.Client().Do(req)
	must(t, err)
	res.Body.Close()
	return res
}

// An abandoned upload leaves no file and no record, and its batch closes.
func TestTusExpiry(t *testing.T) {
	t.Parallel()
	c := newClock()
	s := start(t, func(cfg *app.Config, o *web.Options) {
		cfg.Now, o.Now, cfg.UploadKeep, cfg.BatchIdle = c.now, c.now, 10*time.Hour, time.Hour
	})
	batch := s.batch(t, `{"expected_files":3}`)
	data := picture(1, 64, 48)
	whole, part := s.tusBegin(t, batch, "a.jpg", len(data)), s.tusBegin(t, batch, "b.jpg", len(data))
	s.tusBegin(t, batch, "c.jpg", len(data))
	s.tusPatch(t, whole, 0, data).want(t, 204)
	s.tusPatch(t, part, 0, data[:50]).want(t, 204)
	c.pass(9 * time.Hour)
	must(t, s.app.Maintenance.Tidy(t.Context()))
	// Meanwhile the second made progress; the third did not. The batch waits for them.
	s.tusPatch(t, part, 50, data[50:80]).want(t, 204).header(t, "Upload-Offset", "80")
	c.pass(2 * time.Hour)
	must(t, s.app.Maintenance.Tidy(t.Context()))
	if n := s.count(t, `SELECT count(*) FROM resumable_uploads`); n != 1 {
		t.Errorf("%d uploads are left of one", n)
	}
	s.tus(t, "HEAD", part, "").want(t, 200).header(t, "Upload-Offset", "80")
	c.pass(9 * time.Hour)
	must(t, s.app.Maintenance.Tidy(t.Context()))
	s.tus(t, "HEAD", part, "").want(t, 404)
	s.until(t, fmt.Sprintf("/api/v1/upload-batches/%v", batch), func(a answer) bool { return a.get("data.status") == "completed" })
	if n := s.count(t, `SELECT count(*) FROM resumable_uploads`); n != 0 || len(incoming(t, s)) > 0 || leftovers(t, s) != 1 {
		t.Errorf("%d rows, %v, %d files", n, incoming(t, s), leftovers(t, s))
	}
	// Remains of a crash, and lost files.
	stray := filepath.Join(s.dir, "blobs", "incoming", strings.Repeat("a", 32))
	alien := filepath.Join(s.dir, "blobs", "incoming", "holiday.jpg")
	must(t, errors.Join(os.WriteFile(stray, data, 0o600), os.WriteFile(alien, data, 0o600)))
	batch = s.batch(t, `{}`)
	url := s.tusBegin(t, batch, "a.jpg", len(data))
	s.tusPatch(t, url, 0, data[:50]).want(t, 204)
	must(t, s.app.Maintenance.Tidy(t.Context()))
	files := incoming(t, s)
	if len(files) != 2 {
		t.Fatalf("%v", files)
	}
	for _, f := range files {
		if f != alien {
			must(t, os.Truncate(f, 49))
		}
	}
	s.tusPatch(t, url, 50, data[50:]).want(t, 410)
	s.tus(t, "HEAD", url, "").want(t, 404)
}

// If the batch cannot accept the file in the end, its last chunk can be sent again, which
// does not affect data stored meanwhile.
func TestTusFinishFails(t *testing.T) {
	t.Parallel()
	s := start(t, func(c *app.Config, _ *web.Options) { c.MaxBatchFiles = 2 })
	batch := s.batch(t, `{}`)
	data := picture(1, 64, 48)
	url := s.tusBegin(t, batch, "a.jpg", len(data))
	s.tusPatch(t, url, 0, data[:50]).want(t, 204)
	s.push(t, batch, upload{"b.jpg", picture(2, 9, 9)}, upload{"c.jpg", picture(3, 9, 9)}).want(t, 201)
	s.tusPatch(t, url, 50, data[50:]).want(t, 422)
	s.tus(t, "HEAD", url, "").want(t, 200).header(t, "Upload-Offset", "50")
	gaid := s.one(t, "d.jpg", data)
	s.tusPatch(t, url, 50, bytes.Repeat([]byte{'x'}, len(data)-50)).want(t, 422)
	if _, body := s.raw(t, "GET", "/api/v1/assets/"+gaid+"/download"); !bytes.Equal(body, data) {
		t.Error("an asset has changed")
	}
	s.tus(t, "DELETE", url, "").want(t, 204)
	s.finish(t, batch)
	if left := incoming(t, s); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	if problems := s.check(t); len(problems) > 0 {
		t.Error(problems)
	}
}

// With many concurrent clients, each uploads its own file correctly.
func TestTusManyAtOnce(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("a flood, which takes long with the race detector, which .ci/run uses with -short")
	}
	const many = 500
	s := start(t, func(c *app.Config, o *web.Options) { o.RateLimit, c.Workers = 1_000_000, 2 })
	s.Client().Transport.(*http.Transport).MaxConnsPerHost = 64
	batch := s.batch(t, fmt.Sprintf(`{"expected_files":%d}`, many))
	urls := make([]string, many)
	files := make([][]byte, many)
	each := func(do func(i int)) {
		var all sync.WaitGroup
		for i := range many {
			all.Go(func() { do(i) })
		}
		all.Wait()
	}
	each(func(i int) {
		files[i] = append(picture(i, 16, 16), fmt.Sprint("unique ", i)...)
		urls[i] = s.tusBegin(t, batch, fmt.Sprintf("%d.jpg", i), len(files[i]))
	})
	each(func(i int) { s.tusPatch(t, urls[i], 0, files[i][:200]).want(t, 204) })
	each(func(i int) { s.tusPatch(t, urls[i], 200, files[i][200:]).want(t, 204) })
	path := fmt.Sprintf("/api/v1/upload-batches/%v", batch)
	a := s.until(t, path, func(a answer) bool { return a.get("data.completed_at") != nil })
	if a.get("data.counts.ready") != float64(many) || leftovers(t, s) != many {
		t.Errorf("%s; %d files", a, leftovers(t, s))
	}
}

// Rejected files do not delay others.
func TestTusAmidRejections(t *testing.T) {
	t.Parallel()
	s := start(t, func(c *app.Config, _ *web.Options) { c.Workers, c.AcceptAny = 4, false })
	batch := s.batch(t, `{}`)
	var all sync.WaitGroup
	for lane := range 4 {
		all.Go(func() {
			for i := range 25 {
				data := bytes.Repeat([]byte{byte(lane), byte(i), 0, 1}, 1000)
				s.tus(t, "POST", tusPath(batch), string(data), "Upload-Length", fmt.Sprint(len(data))).want(t, 201)
			}
		})
	}
	all.Wait()
	if a := s.finish(t, batch); a.get("data.counts.rejected") != 100.0 {
		t.Errorf("%s", a)
	}
	for deadline := time.After(30 * time.Second); leftovers(t, s) > 0; { // the last ones are still being removed
		select {
		case <-deadline:
			t.Fatalf("%d files are left", leftovers(t, s))
		case <-time.After(5 * time.Millisecond):
		}
	}
}
