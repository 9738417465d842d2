package web_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/png"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/web"
)

// eicar returns the EICAR test file, concatenated here so that scanners do not report this
// source file.
func eicar() []byte {
	return []byte(`X5O!P%@AP[4\PZX54(P^)7CC)7}$EICAR-STANDARD-` + `ANTIVIRUS-TEST-FILE!$H+H*`)
}

// hugePNG returns a PNG that claims to have w × h pixels.
func hugePNG(w, h uint32) []byte {
	var b bytes.Buffer
	b.WriteString("\x89PNG\r\n\x1a\n")
	ihdr := append([]byte("IHDR"), binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, w), h)...)
	ihdr = append(ihdr, 8, 2, 0, 0, 0)
	binary.Write(&b, binary.BigEndian, uint32(13))
	b.Write(ihdr)
	binary.Write(&b, binary.BigEndian, crc32.ChecksumIEEE(ihdr))
	b.Write([]byte{0, 0, 0, 0, 'I', 'D', 'A', 'T', 0x35, 0xaf, 0x06, 0x1e})
	return b.Bytes()
}

func gifOf(frames int) []byte {
	g := &gif.GIF{}
	for range frames {
		g.Image = append(g.Image, image.NewPaletted(image.Rect(0, 0, 2, 2), color.Palette{color.Black, color.White}))
		g.Delay = append(g.Delay, 1)
	}
	var b bytes.Buffer
	if err := gif.EncodeAll(&b, g); err != nil {
		panic(err) // cannot happen: the frames are valid
	}
	return b.Bytes()
}

func pngOf(w, h int) []byte {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewNRGBA(image.Rect(0, 0, w, h))); err != nil {
		panic(err) // cannot happen: the picture is valid
	}
	return b.Bytes()
}

// exifLoop returns a JPEG whose EXIF directory names itself as the next one.
func exifLoop() []byte {
	tiff := []byte("II*\x00\x08\x00\x00\x00" + "\x01\x00" + "\x12\x01\x03\x00\x01\x00\x00\x00\x06\x00\x00\x00" + "\x08\x00\x00\x00")
	seg := append([]byte("Exif\x00\x00"), tiff...)
	pic := picture(77, 60, 40)
	out := append([]byte{}, pic[:2]...)
	out = append(out, 0xff, 0xe1, byte((len(seg)+2)>>8), byte(len(seg)+2))
	return append(append(out, seg...), pic[2:]...)
}

// leftovers counts the stored files.
func leftovers(t *testing.T, s *server) (n int) {
	t.Helper()
	err := filepath.WalkDir(filepath.Join(s.dir, "blobs"), func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err == nil && !d.IsDir() && d.Name() != "lock" && d.Name() != "library.json" && !strings.Contains(path, "quarantine") {
			n++
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// An invalid file never blocks a batch, has an error message, and leaves nothing behind.
func TestBadFiles(t *testing.T) {
	t.Parallel()
	s := start(t, func(c *app.Config, _ *web.Options) { c.MaxFileSize = 1 << 20 })
	good := picture(1, 64, 48)
	big := append(picture(5, 64, 48), make([]byte, 1<<20)...)
	tests := []struct {
		name          string
		data          []byte
		code, message string // code is "" for ready
	}{
		{"good.jpg", good, "", ""},
		{"no extension", picture(2, 64, 48), "", ""},
		{"truncated.jpg", good[:len(good)/2], "corrupt", "The file is cut off in the middle."},
		{"header only.jpg", good[:20], "corrupt", "The file is cut off in the middle."},
		{"empty.jpg", nil, "corrupt", "The file is empty."},
		{"text.jpg", []byte("hello, this is not a picture at all"), "", ""},
		{"page.jpg", []byte("<html><script>alert(1)</script></html>"), "unsupported_format",
			"The file is named .jpg, but it is a web page. If it should be one, rename it to .html."},
		{"setup.jpg", []byte("MZ\x90\x00\x03\x00\x00\x00"), "unsupported_format", "This is a Windows program, not a JPEG picture."},
		{"wrong.png", picture(3, 64, 48), "", ""},
		{"program.exe", picture(4, 64, 48), "unsupported_format",
			"The file is named .exe, which computers or browsers may run, but it is a JPEG picture. If it should be one, rename it to .jpg."},
		{"archive.cab", []byte("MSCF\x00\x00\x00\x00aaaaaaaaaaaaaaaaaaaaaaaa"), "unsupported_format",
			"This is a .cab file, which computers may run, which this server does not accept. " +
				"Its administrator can allow it (--allow-programs)."},
		{"huge.png", hugePNG(100_000, 100_000), "limits_exceeded", "The picture has 100000 × 100000 pixels; the limit is 200 million."},
		{"frames.gif", gifOf(10_000), "limits_exceeded", "The file has more than 2000 frames or pages."},
		{"few frames.gif", gifOf(3), "", ""},
		{"loop.jpg", exifLoop(), "", ""},
		{"big.jpg", big, "too_large", fmt.Sprintf("The file has %s bytes; the limit is 1,048,576.", humanize.Comma(int64(len(big))))},
		{"virus.jpg", eicar(), "infected", "Built-in signatures found EICAR-Test-File. The file is in quarantine."},
		{"again.jpg", good, "duplicate", "The library already has this file, as @."},
		{"alpha.png", pngOf(10, 10), "", ""},
	}
	files := make([]upload, len(tests))
	for i, tt := range tests {
		files[i] = upload{tt.name, tt.data}
	}
	ready := 0
	for i, f := range s.ingest(t, files...) {
		tt := tests[i]
		code, text := "", ""
		if e, ok := f["error"].(map[string]any); ok {
			code, text = e["code"].(string), e["message"].(string)
		}
		message := tt.message
		if gaid, ok := f["gaid"].(string); ok {
			message = strings.Replace(message, "@", gaid, 1)
		}
		if f["filename"] != tt.name || code != tt.code || (code == "") != (f["status"] == "ready") || text != message {
			t.Errorf("%s is %s: %s %q\nwant %s %q", tt.name, f["status"], code, text, tt.code, message)
		}
		if code == "duplicate" && f["gaid"] == nil {
			t.Errorf("%s does not name the asset that was there", tt.name)
		}
		if code == "" {
			ready++
		}
	}
	a := s.do(t, "GET", "/api/v1/upload-batches/1", "")
	counts := a.get("data.counts.ready") == float64(ready) && a.get("data.counts.duplicate") == 1.0
	if a.get("data.status") != "completed_with_errors" || !counts {
		t.Errorf("batch: %s", a)
	}
	if err := s.app.Maintenance.Tidy(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := leftovers(t, s); n != ready {
		t.Errorf("%d files are kept for %d assets", n, ready)
	}
	if q, _ := filepath.Glob(filepath.Join(s.dir, "blobs", "quarantine", "*")); len(q) != 1 {
		t.Errorf("the quarantine has %d files", len(q))
	}
	if _, err := s.app.Maintenance.Check(t.Context(), true, func(p string) { t.Error(p) }, func(int64, int64) {}); err != nil {
		t.Error(err)
	}
}

// Decoder errors appear only in the log.
func TestDecoderErrorsAreLogged(t *testing.T) {
	t.Parallel()
	var log journal
	s := start(t, func(c *app.Config, _ *web.Options) { log.into(c) })
	broken := pngOf(10, 10)
	broken[len(broken)-20] ^= 0xff
	f := s.ingest(t, upload{"broken.png", broken})[0]
	text := fmt.Sprint(f["error"])
	if !strings.Contains(text, "The file is damaged and cannot be read.") || strings.Contains(text, "checksum") {
		t.Errorf("the client is told %s", text)
	}
	if n := log.count("a file cannot be read", "broken.png", "invalid checksum"); n != 1 {
		t.Errorf("the log says so %d times", n)
	}
}

// Invalid upload requests are refused as a whole and leave nothing behind.
func TestBadUploads(t *testing.T) {
	t.Parallel()
	s := start(t, func(c *app.Config, _ *web.Options) { c.MaxBatchFiles = 1500 })
	id := s.batch(t, `{}`)
	path := fmt.Sprintf("/api/v1/upload-batches/%v/files", id)
	part := func(name, filename, data string) string {
		return fmt.Sprintf("--B\r\nContent-Disposition: form-data; name=%q; filename=%q\r\n\r\n%s\r\n", name, filename, data)
	}
	const form = "multipart/form-data; boundary=B"
	tests := []struct {
		name, kind, body string
		status           int
	}{
		{"JSON", "application/json", `{}`, 415},
		{"no boundary", "multipart/form-data", "x", 400},
		{"no parts", form, "--B--\r\n", 422},
		{"empty body", form, "", 400},
		{"no end", form, part("file", "a.jpg", string(picture(1, 9, 9))), 400},
		{"no end in a header", form, part("file", "a.jpg", "x") + "--B\r\nContent-Dispo", 400},
		{"wrong field", form, part("file", "a.jpg", "x") + part("document", "a.jpg", "x") + "--B--\r\n", 422},
		{"NUL in a header", form, "--B\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a\x00.jpg\"\r\n\r\nx\r\n--B--\r\n", 400},
		{"10,000 empty parts", form, strings.Repeat(part("file", "", ""), 10_000) + "--B--\r\n", 422},
		{"header without end", form, "--B\r\nX: " + strings.Repeat("a", 20<<20), 400},
	}
	for _, tt := range tests {
		a := s.do(t, "POST", path, tt.body, "Content-Type", tt.kind)
		if a.StatusCode != tt.status || a.get("message") == nil {
			t.Errorf("%s = %d %s, want %d", tt.name, a.StatusCode, a, tt.status)
		}
	}
	// A body shorter than announced.
	conn, err := net.Dial("tcp", s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	const head = "POST %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: %s\r\nContent-Length: 1000000\r\n\r\n"
	fmt.Fprintf(conn, head+"%s", path, s.token, form, part("file", "a.jpg", strings.Repeat("x", 50_000)))
	conn.(*net.TCPConn).CloseWrite()
	answer, err := io.ReadAll(conn)
	if err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 400") {
		t.Errorf("cut off: %.100s, %v", answer, err)
	}
	if a := s.do(t, "GET", fmt.Sprintf("/api/v1/upload-batches/%v", id), ""); a.get("data.counts.total") != 0.0 {
		t.Errorf("something was kept: %s", a)
	}
	if n := leftovers(t, s); n != 0 {
		t.Errorf("%d files are left", n)
	}
	// The batch is still usable, up to its limit.
	empty := make([]upload, 1000)
	s.push(t, id, empty...).want(t, 201)
	if a := s.push(t, id, empty...).want(t, 422); !strings.Contains(fmt.Sprint(a.get("message")), "at most 1500") {
		t.Errorf("%s", a)
	}
}

func TestBatchStates(t *testing.T) {
	t.Parallel()
	c := newClock()
	s := start(t, func(cfg *app.Config, o *web.Options) { cfg.Now, o.Now = c.now, c.now })
	// Completed by hand, without files.
	id := s.batch(t, `{}`)
	a := s.finish(t, id)
	if a.get("data.status") != "completed" {
		t.Errorf("empty: %s", a)
	}
	s.push(t, id, upload{"a.jpg", picture(1, 9, 9)}).want(t, 409)
	s.do(t, "POST", fmt.Sprintf("/api/v1/upload-batches/%v/cancel", id), "").want(t, 409)
	// Only invalid files.
	id = s.batch(t, `{}`)
	s.push(t, id, upload{"a.jpg", nil}).want(t, 201)
	if a = s.finish(t, id); a.get("data.status") != "failed" {
		t.Errorf("all bad: %s", a)
	}
	// Duplicates allowed.
	s.ingest(t, upload{"a.jpg", picture(1, 9, 9)})
	id = s.batch(t, `{"allow_duplicates":true}`)
	s.push(t, id, upload{"b.jpg", picture(1, 9, 9)}, upload{"c.jpg", picture(1, 9, 9)}).want(t, 201)
	if a = s.finish(t, id); a.get("data.counts.ready") != 2.0 {
		t.Errorf("duplicates allowed: %s", a)
	}
	// Idle batches: one with a file is completed, an empty one is cancelled.
	with, without := s.batch(t, `{}`), s.batch(t, `{}`)
	s.push(t, with, upload{"d.jpg", picture(2, 9, 9)}).want(t, 201)
	c.ahead.Store(int64(25 * time.Hour))
	if err := s.app.Maintenance.Tidy(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.until(t, fmt.Sprintf("/api/v1/upload-batches/%v", with), func(a answer) bool { return a.get("data.status") == "completed" })
	s.until(t, fmt.Sprintf("/api/v1/upload-batches/%v", without), func(a answer) bool { return a.get("data.status") == "cancelled" })
	// Other users cannot see it; an administrator can.
	other := s.user(t, "ed@example.com", dam.RoleEditor)
	s.as(t, other, "GET", fmt.Sprintf("/api/v1/upload-batches/%v", with), "").want(t, 404)
	if a = s.as(t, other, "GET", "/api/v1/upload-batches", "").want(t, 200); a.get("meta.total") != 0.0 {
		t.Errorf("%s", a)
	}
	if a = s.do(t, "GET", "/api/v1/upload-batches?per_page=1", "").want(t, 200); a.get("meta.total") != 6.0 {
		t.Errorf("%s", a)
	}
}

// While the virus scanner is unavailable, no file is accepted, and the batch shows the
// reason; cancelling a batch deletes its files.
func TestScannerAway(t *testing.T) {
	t.Parallel()
	s := start(t, func(c *app.Config, _ *web.Options) { c.Clamd = "unix:" + filepath.Join(c.DataDir, "no-clamd") })
	id := s.batch(t, `{}`)
	s.push(t, id, upload{"a.jpg", picture(1, 30, 30)}).want(t, 201)
	path := fmt.Sprintf("/api/v1/upload-batches/%v", id)
	a := s.until(t, path, func(a answer) bool { return a.get("data.waiting") != nil })
	if !strings.Contains(a.get("data.waiting").(string), "virus scanner") {
		t.Errorf("%s", a)
	}
	if a = s.do(t, "GET", path+"/files", ""); a.get("data.0.status") != "scanning" || a.get("data.0.error.retryable") != true {
		t.Errorf("%s", a)
	}
	if n := s.do(t, "GET", "/api/v1/assets", "").get("meta.total"); n != 0.0 {
		t.Errorf("%v assets got in", n)
	}
	if a = s.do(t, "POST", path+"/cancel", "").want(t, 200); a.get("data.status") != "cancelled" || a.get("data.counts.failed") != 1.0 {
		t.Errorf("%s", a)
	}
	if a = s.do(t, "GET", path+"/files", ""); a.get("data.0.error.code") != "cancelled" {
		t.Errorf("%s", a)
	}
	s.do(t, "POST", path+"/files/1/retry", "").want(t, 409)
	if n := leftovers(t, s); n != 0 {
		t.Errorf("%d files are left", n)
	}
}

// A file whose processing fails keeps its bytes and can be retried.
func TestRetry(t *testing.T) {
	t.Parallel()
	s := start(t, func(c *app.Config, _ *web.Options) { c.JobAttempts = 1 })
	// A file in place of the cache folder makes every attempt fail.
	data := picture(3, 30, 30)
	gaid := s.one(t, "a.jpg", data)
	s.do(t, "DELETE", "/api/v1/assets/"+gaid+"?force=true", "").want(t, 200)
	cache := filepath.Join(s.dir, "cache")
	if err := os.RemoveAll(cache); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(cache, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	id := s.batch(t, `{}`)
	file := s.push(t, id, upload{"a.jpg", data}).want(t, 201).get("data.0.id")
	path := fmt.Sprintf("/api/v1/upload-batches/%v", id)
	a := s.finish(t, id)
	if a.get("data.status") != "failed" {
		t.Errorf("%s", a)
	}
	if a.get("data.counts.failed") != 1.0 {
		t.Errorf("%s", a)
	}
	if a = s.do(t, "GET", path+"/files", ""); a.get("data.0.error.code") != "internal" || a.get("data.0.error.retryable") != true {
		t.Errorf("%s", a)
	}
	if err := os.Remove(cache); err != nil {
		t.Fatal(err)
	}
	s.do(t, "POST", fmt.Sprintf("%s/files/%v/retry", path, file), "").want(t, 200)
	s.until(t, path, func(a answer) bool { return a.get("data.status") == "completed" })
	if n := s.do(t, "GET", "/api/v1/assets", "").get("meta.total"); n != 1.0 {
		t.Errorf("%v assets", n)
	}
}

func TestUploadNeedsAbility(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	reader := s.user(t, "r@example.com", dam.RoleEditor, dam.AssetsRead)
	a := s.as(t, reader, "POST", "/api/v1/upload-batches", `{}`).want(t, http.StatusForbidden)
	if fmt.Sprint(a.get("required_abilities")) != "[uploads:manage]" {
		t.Errorf("%s", a)
	}
}
