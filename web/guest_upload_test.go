package web_test

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/find"
	"github.com/digital-asset-library/dal/web"
)

// handIn creates a share for guest uploads.
func (s *server) handIn(t testing.TB, more string) (path, page string) {
	t.Helper()
	return s.share(t, `{"name":"Your pictures","type":"upload"`+more+`}`)
}

// tusAsk sends a tus request as a guest.
func (g *guest) tusAsk(t testing.TB, method, path string, body []byte, header ...string) answer {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, g.URL+path, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Tus-Resumable", "1.0.0")
	if method == "PATCH" {
		req.Header.Set("Content-Type", tusContent)
	}
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := g.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer{res, b}
}

func (g *guest) begin(t testing.TB, page, name string, size int) answer {
	t.Helper()
	return g.tusAsk(t, "POST", page+"/tus/", nil, "Upload-Length", fmt.Sprint(size), "Upload-Metadata", named(name))
}

func (g *guest) sends(t testing.TB, url string, offset int, data []byte) answer {
	t.Helper()
	return g.tusAsk(t, "PATCH", url, data, "Upload-Offset", fmt.Sprint(offset))
}

// hands uploads a file with tus.
func (g *guest) hands(t testing.TB, page, name string, data []byte) {
	t.Helper()
	url := g.begin(t, page, name, len(data)).want(t, 201).Header.Get("Location")
	g.sends(t, url, 0, data).want(t, 204)
}

// handsForm uploads files with a form, as browsers without scripts do.
func (g *guest) handsForm(t testing.TB, page, mark string, files ...upload) answer {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	w.WriteField("form", mark)
	for _, f := range files {
		p, err := w.CreateFormFile("file", f.name)
		if err != nil {
			t.Fatal(err)
		}
		p.Write(f.data)
	}
	w.Close()
	return g.tusAsk(t, "POST", page+"/files", b.Bytes(), "Content-Type", w.FormDataContentType(), "Origin", "null", "Tus-Resumable", "")
}

var formField = regexp.MustCompile(`name="form" value="([^"]+)"`)

// opens opens the page and returns the CSRF token of its form.
func (g *guest) opens(t testing.TB, page string) string {
	t.Helper()
	m := formField.FindSubmatch(g.get(t, page).want(t, 200).body)
	if m == nil {
		t.Fatal("the page has no form")
	}
	return html.UnescapeString(string(m[1]))
}

type handedFile struct{ Name, State, Text, Upload, Key string }

// mine returns a guest's files, newest first.
func (g *guest) mine(t testing.TB, page string) []handedFile {
	t.Helper()
	var list struct{ Files []handedFile }
	if err := json.Unmarshal(g.get(t, page+"/files").want(t, 200).body, &list); err != nil {
		t.Fatal(err)
	}
	return list.Files
}

// checked waits until all files of a guest are checked.
func (g *guest) checked(t testing.TB, page string) []handedFile {
	t.Helper()
	repeated(t, page, func() answer { return g.get(t, page+"/files") }, func(a answer) bool {
		return !strings.Contains(string(a.body), `"received"`) && !strings.Contains(string(a.body), `"checking"`)
	})
	return g.mine(t, page)
}

// Guests upload files with tus and with a form. The files are added to the review
// collection for approval, the event names the share, and each guest sees only their own
// files.
func TestHandIn(t *testing.T) {
	t.Parallel()
	s := start(t, noMeaning)
	before := s.one(t, "there.jpg", picture(9, 64, 48))
	path, page := s.handIn(t, `,"access":{"require_email":true}`)
	share := s.do(t, "GET", path, "").want(t, 200)
	collection := share.get("data.collection_id").(float64)
	if c := s.do(t, "GET", fmt.Sprintf("/api/v1/collections/%v", collection), "").want(t, 200); c.get("data.name") != "Your pictures" ||
		c.get("data.visibility") != "restricted" {
		t.Errorf("%s", c)
	}
	g, other := s.guest(t), s.guest(t)
	g.tusAsk(t, "POST", page+"/tus/", nil, "Upload-Length", "5").want(t, 403) // the page was not opened
	g.get(t, page+"/files").want(t, 403)
	for _, guest := range []*guest{g, other} {
		guest.answers(t, page, "email", map[bool]string{true: "bo@example.com", false: "eve@example.com"}[guest == g]).want(t, 303)
	}
	a := g.get(t, page).want(t, 200)
	if csp := a.Header.Get("Content-Security-Policy"); !strings.Contains(csp, "script-src 'self'; connect-src 'self'") ||
		strings.Contains(csp, "unsafe") || strings.Contains(string(a.body), "<script>") {
		t.Errorf("%s %s", csp, a.body)
	}
	g.get(t, "/share-upload.js").want(t, 200)
	mark := g.opens(t, page)
	other.opens(t, page)
	data := picture(1, 64, 48)
	g.begin(t, page, "x.jpg", len(data)).want(t, 201)
	begun := g.mine(t, page)
	if len(begun) != 1 || begun[0].State != "unfinished" || begun[0].Upload == "" {
		t.Fatalf("%+v", begun)
	}
	g.tusAsk(t, "HEAD", begun[0].Upload, nil).want(t, 200).header(t, "Upload-Offset", "0", "Upload-Length", fmt.Sprint(len(data)))
	g.sends(t, begun[0].Upload, 0, data[:100]).want(t, 204).header(t, "Upload-Offset", "100")
	g.sends(t, begun[0].Upload, 7, data[7:]).want(t, 409)
	for _, method := range []string{"HEAD", "PATCH", "DELETE"} { // belongs to another guest
		other.tusAsk(t, method, begun[0].Upload, nil, "Upload-Offset", "100").want(t, 404)
	}
	g.tusAsk(t, "POST", page+"/done", nil).want(t, 204) // other files are still unfinished
	g.sends(t, begun[0].Upload, 100, data[100:]).want(t, 204)
	g.hands(t, page, "there.jpg", picture(9, 64, 48))
	gone := g.begin(t, page, "y.jpg", 500).want(t, 201).Header.Get("Location")
	g.tusAsk(t, "DELETE", gone, nil).want(t, 204)
	g.tusAsk(t, "POST", page+"/done", nil).want(t, 204)
	g.handsForm(t, page, "wrong", upload{"form.jpg", picture(2, 64, 48)}).want(t, 403)
	g.handsForm(t, page, mark).want(t, 422)
	g.handsForm(t, page, mark, upload{"form.jpg", picture(2, 64, 48)}, upload{"text.txt", []byte("a text")}).want(t, 303)
	other.hands(t, page, "secret.jpg", picture(3, 64, 48))
	for _, f := range g.checked(t, page) {
		if f.State != "accepted" || f.Text != "Accepted" || f.Name == "secret.jpg" {
			t.Errorf("%+v", f)
		}
	}
	if n := len(g.mine(t, page)); n != 4 {
		t.Errorf("the guest sees %d files", n)
	}
	if body := string(g.get(t, page).want(t, 200).body); strings.Contains(body, "secret") || !strings.Contains(body, "form.jpg") {
		t.Errorf("%s", body)
	}
	if all := other.checked(t, page); len(all) != 1 || all[0].Name != "secret.jpg" {
		t.Errorf("the other sees %+v", all)
	}
	for _, leak := range []string{"/assets/" + before, "/assets/" + before + "/thumbnail", "/assets/" + before + "/download", "/download"} {
		g.get(t, page+leak).want(t, 404)
	}
	list := s.do(t, "GET", path+"/files", "").want(t, 200)
	list.shows(t, "data", "filename", "secret.jpg", "text.txt", "form.jpg", "there.jpg", "x.jpg")
	list.shows(t, "data", "email", "eve@example.com", "bo@example.com", "bo@example.com", "bo@example.com", "bo@example.com")
	list.shows(t, "data", "status", "ready", "ready", "ready", "duplicate", "ready")
	if a := s.do(t, "GET", path, "").want(t, 200); a.get("data.handed_in.files") != 5.0 {
		t.Errorf("%s", a.body)
	}
	in := s.do(t, "GET", filtered("contains", fmt.Sprint(collection)), "").want(t, 200)
	if in.get("meta.total") != 5.0 {
		t.Errorf("%s", in)
	}
	for _, row := range in.get("data").([]any) {
		asset := row.(map[string]any)
		if want := map[bool]string{true: "draft", false: "in_review"}[asset["gaid"] == before]; asset["workflow_status"] != want {
			t.Errorf("%v is %v", asset["title"], asset["workflow_status"])
		}
	}
	s.do(t, "GET", path+"/access-logs", "").want(t, 200).shows(t, "data", "action", "upload", "upload", "upload", "view", "view")
	shares := map[any]int{}
	for _, e := range s.events(t) {
		if e.Type == dam.UploadBatchCompleted {
			var b dam.Batch
			if err := json.Unmarshal(e.Data, &b); err != nil {
				t.Fatal(err)
			}
			shares[b.ShareID]++
		}
	}
	if shares[int64(1)] != 2 || shares[int64(0)] != 1 { // the other guest has not finished
		t.Errorf("events by share: %v", shares)
	}
	batch := s.do(t, "GET", fmt.Sprintf("/api/v1/upload-batches/%v", list.get("data.1.batch_id")), "").want(t, 200)
	if batch.get("data.share_id") != 1.0 || batch.get("data.status") != "completed" {
		t.Errorf("%s", batch.body)
	}
	s.as(t, s.user(t, "ed@example.com", dam.RoleEditor), "GET", path+"/files", "").want(t, 404)
}

// Each limit refuses files beyond it with an explanation, immediately or after inspecting
// the content.
func TestHandInLimits(t *testing.T) {
	t.Parallel()
	s := start(t, noMeaning)
	small := picture(1, 64, 48)
	big := append(picture(2, 64, 48), make([]byte, 5000)...)
	for _, tt := range []struct{ limits, name, says, deutsch string }{
		{`"max_file_size":4000`, "big.jpg", "A file can be up to 4 kB.",
			"Eine Datei darf höchstens 4 kB groß sein."},
		{`"max_total_size":4000`, "big.jpg", "You can upload up to 4 kB.",
			"Sie können bis zu 4 kB hochladen."},
		{`"extensions":[".PNG"]`, "big.jpg", "Files of this type are not accepted.",
			"Dateien dieses Typs werden nicht angenommen."},
		{`"categories":["Video","Document"]`, "big.jpg", "Files of this type are not accepted.",
			"Dateien dieses Typs werden nicht angenommen."},
	} {
		_, page := s.handIn(t, `,"upload":{`+tt.limits+`}`)
		g := s.guest(t)
		mark := g.opens(t, page)
		if a := g.begin(t, page, tt.name, len(big)).want(t, 422); a.get("message") != tt.says {
			t.Errorf("%s: %s", tt.limits, a)
		}
		g.header.Set("Accept-Language", "de")
		a := g.tusAsk(t, "POST", page+"/tus/", nil, "Accept-Language", "de", "Upload-Length", fmt.Sprint(len(big)),
			"Upload-Metadata", named(tt.name))
		if a.want(t, 422).get("message") != tt.deutsch {
			t.Errorf("%s: %s", tt.limits, a)
		}
		if a := g.handsForm(t, page, mark, upload{tt.name, big}).want(t, 422); !strings.Contains(string(a.body), tt.name+": "+tt.says) {
			t.Errorf("%s: %s", tt.limits, a.body)
		}
		if files := g.mine(t, page); len(files) != 0 {
			t.Errorf("%s: %+v", tt.limits, files)
		}
	}
	_, page := s.handIn(t, `,"upload":{"max_files":2,"categories":["Image"],"extensions":["jpg","foo"]}`)
	g := s.guest(t)
	mark := g.opens(t, page)
	g.begin(t, page, "empty.jpg", 0).want(t, 422)
	a := g.handsForm(t, page, mark, upload{"a.jpg", small}, upload{"text.foo", []byte("no picture at all")},
		upload{"c.jpg", picture(3, 64, 48)},
		upload{"empty.jpg", nil}).want(t, 422)
	if body := string(a.body); !strings.Contains(body, "c.jpg: You can upload up to 2 files.") || strings.Contains(body, "a.jpg:") ||
		!strings.Contains(body, "empty.jpg: ") {
		t.Errorf("%s", body)
	}
	if files := g.checked(t, page); len(files) != 2 || files[0].Text != "Rejected: Files of this type are not accepted." ||
		files[1].State != "accepted" {
		t.Errorf("%+v", files)
	}
	g.begin(t, page, "d.jpg", 100).want(t, 422) // files refused after the upload count
	for _, wrong := range []string{
		`,"upload":{"max_files":10001}`, `,"upload":{"extensions":["a.b"]}`, `,"upload":{"categories":["Pictures"]}`, `,"allow_download":true`,
		`,"watermark":{"text":"x"}`, `,"gaids":["01KB3J8Q5V7X9Z1B3D5F7H9K1M"]`, `,"collection_id":99`, `,"access":{"max_downloads":3}`,
	} {
		s.do(t, "POST", shares, `{"name":"Wrong","type":"upload"`+wrong+`}`).want(t, 422)
	}
	rules := s.collection(t, `{"name":"Rules","rules":`+fmt.Sprintf(titleRule, "equals", "x")+`}`)
	s.do(t, "POST", shares, `{"name":"Wrong","type":"upload","collection_id":`+rules[strings.LastIndexByte(rules, '/')+1:]+`}`).want(t, 422)
	s.do(t, "POST", shares, `{"name":"Wrong","type":"collection","collection_id":1,"upload":{}}`).want(t, 422)
	viewer := s.user(t, "vi@example.com", dam.RoleAdmin, dam.SharesManage, dam.AssetsRead, dam.AssetsDownload, dam.UploadsManage)
	s.as(t, viewer, "POST", shares, `{"name":"No","type":"upload","collection_id":1}`).want(t, 403)
}

// With any number of concurrent uploads, of either kind, a share accepts exactly as many
// files and bytes as its limits allow.
func TestHandInCounts(t *testing.T) {
	t.Parallel()
	s := start(t, noMeaning)
	data := []byte("a text of twenty....")
	for _, tt := range []struct {
		limits string
		files  int
	}{{`"max_files":12`, 12}, {`"max_total_size":250`, 12}} {
		path, page := s.handIn(t, `,"upload":{`+tt.limits+`}`)
		var mu sync.Mutex
		var wg sync.WaitGroup
		taken, full, busy := 0, 0, 0
		for i := range 30 {
			g := s.guest(t)
			mark := g.opens(t, page)
			wg.Go(func() {
				mine := append([]byte(fmt.Sprintf("%03d ", i)), data[4:]...)
				var a answer
				if i%2 == 0 {
					a = g.begin(t, page, "a.txt", len(mine))
					if a.StatusCode == 201 {
						a = g.sends(t, a.Header.Get("Location"), 0, mine)
					}
				} else {
					a = g.handsForm(t, page, mark, upload{"a.txt", mine})
				}
				mu.Lock()
				defer mu.Unlock()
				switch a.StatusCode {
				case 204, 303:
					taken++
				case 422:
					full++
				case 429:
					busy++
				default:
					t.Errorf("%d %s", a.StatusCode, a)
				}
			})
		}
		wg.Wait()
		for busy > 0 && taken < tt.files { // for forms that were refused as busy
			g := s.guest(t)
			g.hands(t, page, "late.txt", append([]byte(fmt.Sprintf("%02d late ", busy)), data[8:]...))
			taken, busy = taken+1, busy-1
		}
		s.guest(t).begin(t, page, "x.txt", 20).want(t, 403)
		late := s.guest(t)
		late.opens(t, page)
		late.begin(t, page, "x.txt", 20).want(t, 422)
		a := s.do(t, "GET", path, "").want(t, 200)
		n := s.count(t, `SELECT count(*) FROM batch_files f JOIN upload_batches b ON b.id = f.batch_id
			WHERE b.share_id = `+path[strings.LastIndexByte(path, '/')+1:])
		if taken != tt.files || n != tt.files || a.get("data.handed_in.files") != float64(tt.files) ||
			a.get("data.handed_in.bytes") != float64(20*tt.files) {
			t.Errorf("%s: %d taken, %d files, %d refused: %s", tt.limits, taken, n, full, a.body)
		}
	}
}

// Uploads in progress are aborted when the share ends, for any reason, and leave nothing
// behind.
func TestHandInEndsInMidFlight(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("a client with a deadline of its own: the race detector, which .ci/run uses with -short, would test its speed")
	}
	s, clock := standing(t, noMeaning)
	data := make([]byte, 1<<20)
	copy(data, picture(1, 64, 48))
	for what, end := range map[string]func(path string){
		"revoked":  func(path string) { s.do(t, "DELETE", path, "").want(t, 200) },
		"expired":  func(string) { clock.ahead.Add(int64(time.Hour)) },
		"disabled": func(string) { s.set(t, "disabled@example.com", disable) },
		"demoted":  func(string) { s.role(t, "demoted@example.com", dam.RoleViewer) },
		"no place": func(path string) {
			s.do(t, "DELETE", fmt.Sprintf("/api/v1/collections/%v", s.do(t, "GET", path, "").get("data.collection_id")), "").want(t, 200)
		},
	} {
		owner := s.token
		if what == "disabled" || what == "demoted" {
			owner = s.user(t, what+"@example.com", dam.RoleEditor)
		}
		a := s.as(t, owner, "POST", shares, `{"name":"Ends","type":"upload","expires_at":"`+
			clock.now().UTC().Add(30*time.Minute).Format(time.RFC3339)+`"}`).want(t, 201)
		path, page := fmt.Sprintf("%s/%v", shares, a.get("data.id")), a.get("data.url").(string)
		page = page[strings.Index(page, "/s/"):]
		g := s.guest(t)
		mark := g.opens(t, page)
		url := g.begin(t, page, "a.jpg", len(data)).want(t, 201).Header.Get("Location")
		at, err := a.Request.URL.Parse(page)
		must(t, err)
		c := g.client.Jar.Cookies(at)[0]
		cookie := c.Name + "=" + c.Value
		var form bytes.Buffer
		w := multipart.NewWriter(&form)
		w.WriteField("form", mark)
		p, err := w.CreateFormFile("file", "b.jpg")
		must(t, err)
		p.Write(data)
		w.Close()
		head := " HTTP/1.1\r\nHost: x\r\nCookie: " + cookie + "\r\n"
		tus, tusIn := s.dial(t, "PATCH "+url+head+fmt.Sprintf(
			"Tus-Resumable: 1.0.0\r\nUpload-Offset: 0\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n",
			tusContent, len(data))+string(data[:len(data)/2]))
		plain, plainIn := s.dial(t, "POST "+page+"/files"+head+fmt.Sprintf("Content-Type: %s\r\nContent-Length: %d\r\n\r\n",
			w.FormDataContentType(), form.Len())+form.String()[:form.Len()/2])
		s.until(t, path, func(answer) bool { // half of both was received
			return len(incoming(t, s)) > 0
		})
		end(path)
		clock.ahead.Add(int64(2 * time.Second))
		for _, c := range []struct {
			conn net.Conn
			in   *bufio.Reader
			rest string
		}{{tus, tusIn, string(data[len(data)/2:])}, {plain, plainIn, form.String()[form.Len()/2:]}} {
			io.WriteString(c.conn, c.rest) // may be refused halfway
			res, err := http.ReadResponse(c.in, nil)
			if err == nil && res.StatusCode < 400 {
				t.Errorf("%s: %s", what, res.Status)
			}
			c.conn.Close()
		}
		if n := s.count(t, `SELECT count(*) FROM batch_files`); n != 0 {
			t.Errorf("%s: %d files", what, n)
		}
		g.begin(t, page, "c.jpg", 10).want(t, 404)
		g.get(t, page+"/files").want(t, 404)
		if what == "demoted" { // whose rights may be restored
			clock.ahead.Add(int64(13 * time.Hour))
		}
		must(t, s.app.Maintenance.Tidy(t.Context()))
		must(t, s.app.Maintenance.Tidy(t.Context())) // a request may still have been using it
		if n := s.count(t, `SELECT count(*) FROM upload_batches WHERE status = 'open'`); n != 0 || len(incoming(t, s)) > 0 {
			t.Errorf("%s: %d batches are open, %v is left", what, n, incoming(t, s))
		}
	}
}

// A form that exceeds the limits when it is complete leaves no file on the disk, except
// files that the library already had.
func TestHandInTooLate(t *testing.T) {
	t.Parallel()
	s := start(t, noMeaning)
	known, fresh := picture(1, 64, 48), picture(2, 64, 48)
	gaid := s.one(t, "a.jpg", known)
	path, page := s.handIn(t, `,"upload":{"max_files":3}`)
	late, early := s.guest(t), s.guest(t)
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	w.WriteField("form", late.opens(t, page))
	for _, data := range [][]byte{known, fresh} {
		p, err := w.CreateFormFile("file", "b.jpg")
		must(t, err)
		p.Write(data)
	}
	w.Close()
	at, err := url.Parse(s.URL + page)
	must(t, err)
	cookie := late.client.Jar.Cookies(at)[0]
	conn, in := s.dial(t, fmt.Sprintf("POST %s/files HTTP/1.1\r\nHost: x\r\nCookie: %s=%s\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n",
		page, cookie.Name, cookie.Value, w.FormDataContentType(), form.Len())+form.String()[:form.Len()/2])
	s.until(t, path, func(answer) bool { // the form has started
		found, err := filepath.Glob(filepath.Join(s.dir, "blobs", "tmp", "*", "*"))
		return err == nil && len(found) > 0
	})
	early.opens(t, page)
	for _, name := range []string{"c.jpg", "d.jpg"} {
		url := early.begin(t, page, name, 10).want(t, 201).Header.Get("Location")
		early.sends(t, url, 0, []byte("begun")).want(t, 204)
	}
	_, err = io.WriteString(conn, form.String()[form.Len()/2:])
	must(t, err)
	res, err := http.ReadResponse(in, nil)
	must(t, err)
	if res.StatusCode != 422 {
		t.Fatal(res.Status)
	}
	left, err := filepath.Glob(filepath.Join(s.dir, "blobs", "sha256", "*", "*", "*"))
	if must(t, err); len(left) != 1 {
		t.Errorf("%d files are left: %q", len(left), left)
	}
	s.do(t, "GET", assets+"/"+gaid+"/download", "").want(t, 200)
}

// begun starts to send a form with a guest's file and returns the rest.
func (g *guest) begun(t *testing.T, page, from string, data []byte) (conn net.Conn, in *bufio.Reader, rest string) {
	t.Helper()
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	w.WriteField("form", g.opens(t, page))
	p, err := w.CreateFormFile("file", "a.txt")
	must(t, err)
	p.Write(data)
	w.Close()
	at, err := url.Parse(g.URL + page)
	must(t, err)
	cookie := g.client.Jar.Cookies(at)[0]
	conn, in = g.dial(t, fmt.Sprintf("POST %s/files HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: %s\r\nCookie: %s=%s\r\nContent-Type: %s\r\n"+
		"Content-Length: %d\r\n\r\n", page, from, cookie.Name, cookie.Value, w.FormDataContentType(), form.Len())+form.String()[:form.Len()/2])
	return conn, in, form.String()[form.Len()/2:]
}

// Slow forms delay only those from the same network.
func TestSlowHandIns(t *testing.T) {
	t.Parallel()
	s := start(t, func(c *app.Config, o *web.Options) { noMeaning(c, o); behindProxy(c, o) })
	path, page := s.handIn(t, "")
	data := []byte(strings.Repeat("A text of a guest. ", 100))
	slow := s.guest(t)
	var ends []func() *http.Response
	for i := range 2 {
		conn, in, rest := slow.begun(t, page, "192.0.2.1", append(data, byte(i)))
		s.until(t, path, func(answer) bool { // received so far
			found, err := filepath.Glob(filepath.Join(s.dir, "blobs", "tmp", "*", "*"))
			return err == nil && len(found) > i
		})
		ends = append(ends, func() *http.Response {
			_, err := io.WriteString(conn, rest)
			must(t, err)
			res, err := http.ReadResponse(in, nil)
			must(t, err)
			return res
		})
	}
	_, in, _ := slow.begun(t, page, "192.0.2.1", data)
	res, err := http.ReadResponse(in, nil)
	if must(t, err); res.StatusCode != 429 {
		t.Errorf("one more of the network is %s", res.Status)
	}
	other := s.guest(t)
	other.header.Set("X-Forwarded-For", "192.0.2.2")
	conn, in, rest := other.begun(t, page, "192.0.2.2", data)
	_, err = io.WriteString(conn, rest)
	must(t, err)
	res, err = http.ReadResponse(in, nil)
	if must(t, err); res.StatusCode != 303 {
		t.Errorf("that of another network is %s", res.Status)
	}
	for _, end := range ends {
		if res := end(); res.StatusCode != 303 {
			t.Errorf("a slow one is %s", res.Status)
		}
	}
}

// A form that keeps arriving, but too slowly, is aborted.
func TestDrippingHandIn(t *testing.T) {
	t.Parallel()
	s := start(t, func(c *app.Config, o *web.Options) { noMeaning(c, o); o.Stall = 200 * time.Millisecond })
	_, page := s.handIn(t, "")
	conn, in, rest := s.guest(t).begun(t, page, "", make([]byte, 900<<10))
	done := make(chan struct{})
	defer func() { <-done }()
	go func() {
		defer close(done)
		drip := time.NewTicker(50 * time.Millisecond)
		defer drip.Stop()
		for piece := range slices.Chunk([]byte(rest), 8<<10) { // large enough not to stall
			if _, err := conn.Write(piece); err != nil {
				return
			}
			<-drip.C
		}
	}()
	res, err := http.ReadResponse(in, nil)
	if must(t, err); res.StatusCode != 408 {
		t.Error(res.Status)
	}
	conn.Close()
}

// A guest sees only that the virus scanner found something, without details.
func TestHandInInfected(t *testing.T) {
	t.Parallel()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer ln.Close()
	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			go strictClamd(conn)
		}
	}()
	s := start(t, func(c *app.Config, _ *web.Options) {
		c.Clamd, c.Embeddings = "tcp://"+ln.Addr().String(), find.EmbeddingsOff
	})
	_, page := s.handIn(t, "")
	g := s.guest(t)
	g.opens(t, page)
	g.hands(t, page, "bad.jpg", append(picture(1, 64, 48), "VIRUS"...))
	g.hands(t, page, "good.jpg", picture(2, 64, 48))
	files := g.checked(t, page)
	if len(files) != 2 || files[0].State != "accepted" || files[1].Text != "Rejected: The virus scanner found a threat." {
		t.Errorf("%+v", files)
	}
	g.header.Set("Accept-Language", "de")
	if body := string(g.get(t, page).want(t, 200).body); strings.Contains(body, "Test-Virus") ||
		!strings.Contains(body, "Abgelehnt: Der Virenscanner hat eine Bedrohung gefunden.") {
		t.Errorf("%s", body)
	}
}

// strictClamd is a clamd that reports files containing a certain word as infected.
func strictClamd(conn net.Conn) {
	defer conn.Close()
	in := bufio.NewReader(conn)
	switch command, _ := in.ReadString(0); command {
	case "zPING\x00":
		io.WriteString(conn, "PONG\x00")
	case "zVERSION\x00":
		io.WriteString(conn, "ClamAV 1.4.3\x00")
	case "zINSTREAM\x00":
		var b bytes.Buffer
		for n := uint32(1); n > 0; {
			if binary.Read(in, binary.BigEndian, &n) != nil {
				return
			}
			io.CopyN(&b, in, int64(n))
		}
		if bytes.Contains(b.Bytes(), []byte("VIRUS")) {
			io.WriteString(conn, "stream: Test-Virus FOUND\x00")
			return
		}
		io.WriteString(conn, "stream: OK\x00")
	}
}

// Uploads without data reserve nothing of a share's limits, are limited per network, and
// are removed after minutes. Received bytes count, and the limits stay exact.
func TestHandInReservesNothing(t *testing.T) {
	t.Parallel()
	s, clock := standing(t, noMeaning)
	path, page := s.handIn(t, `,"upload":{"max_files":60,"max_total_size":100}`)
	greedy := s.guest(t)
	greedy.opens(t, page)
	var urls []string
	for range 50 {
		urls = append(urls, greedy.begin(t, page, "all.txt", 100).want(t, 201).Header.Get("Location"))
	}
	again := s.guest(t) // another visit from the same network
	again.opens(t, page)
	again.begin(t, page, "all.txt", 100).want(t, 429)
	if a := s.do(t, "GET", path, "").want(t, 200); a.get("data.handed_in.files") != 0.0 || a.get("data.handed_in.bytes") != 0.0 {
		t.Errorf("%s", a.body)
	}
	greedy.sends(t, urls[0], 0, []byte("0123456789")).want(t, 204)
	again.begin(t, page, "rest.txt", 90).want(t, 201)
	greedy.sends(t, urls[1], 0, make([]byte, 50)).want(t, 422) // together with the first upload, 110 bytes in the end
	greedy.tusAsk(t, "HEAD", urls[1], nil).want(t, 404)
	if a := s.do(t, "GET", path, "").want(t, 200); a.get("data.handed_in.files") != 1.0 || a.get("data.handed_in.bytes") != 10.0 {
		t.Errorf("%s", a.body)
	}
	clock.ahead.Add(int64(15 * time.Minute))
	must(t, s.app.Maintenance.Tidy(t.Context()))
	greedy.tusAsk(t, "HEAD", urls[0], nil).want(t, 200).header(t, "Upload-Offset", "10")
	for _, url := range urls[2:] {
		greedy.tusAsk(t, "HEAD", url, nil).want(t, 404)
	}
	again.begin(t, page, "rest.txt", 90).want(t, 201)
}

// A guest's uploads count as finished after an hour without activity; unfinished uploads
// are removed after twelve.
func TestHandInIdle(t *testing.T) {
	t.Parallel()
	s, clock := standing(t, noMeaning)
	path, page := s.handIn(t, `,"upload":{"max_files":2}`)
	g := s.guest(t)
	g.opens(t, page)
	g.hands(t, page, "a.jpg", picture(1, 64, 48))
	url := g.begin(t, page, "b.jpg", 100).want(t, 201).Header.Get("Location")
	g.sends(t, url, 0, []byte("begun")).want(t, 204)
	g.begin(t, page, "c.jpg", 100).want(t, 422)
	clock.ahead.Add(int64(2 * time.Hour))
	must(t, s.app.Maintenance.Tidy(t.Context()))
	if n := s.count(t, `SELECT count(*) FROM upload_batches WHERE status = 'open'`); n != 1 {
		t.Errorf("%d batches are open", n)
	}
	clock.ahead.Add(int64(11 * time.Hour))
	must(t, s.app.Maintenance.Tidy(t.Context()))
	must(t, s.app.Maintenance.Tidy(t.Context()))
	if a := s.do(t, "GET", path, "").want(t, 200); a.get("data.handed_in.files") != 1.0 {
		t.Errorf("%s", a.body)
	}
	s.until(t, "/api/v1/upload-batches", func(a answer) bool { return a.get("data.0.status") == "completed" })
}
