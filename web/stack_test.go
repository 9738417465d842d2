package web_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/ingest"
	"github.com/digital-asset-library/dal/web"
)

// shot is a camera's metadata of a photo.
type shot struct{ maker, model, date, zone string }

// tiff returns a TIFF with the camera's metadata, and with a JPEG if it is a RAW file.
func (c shot) tiff(pic []byte) []byte {
	type tag struct {
		id, kind uint16
		data     []byte
	}
	text := func(id uint16, s string) tag { return tag{id, 2, append([]byte(s), 0)} }
	number := func(id uint16, n int) tag { return tag{id, 4, binary.LittleEndian.AppendUint32(nil, uint32(n))} }
	out := []byte("II*\x00\x00\x00\x00\x00")
	if pic != nil {
		out = append(out, "CR\x02\x00\x00\x00\x00\x00"...)
	}
	directory := func(tags ...tag) int {
		at := len(out)
		values := at + 2 + 12*len(tags) + 4
		out = binary.LittleEndian.AppendUint16(out, uint16(len(tags)))
		var data []byte
		for _, t := range tags {
			out = binary.LittleEndian.AppendUint16(binary.LittleEndian.AppendUint16(out, t.id), t.kind)
			n := len(t.data)
			if t.kind == 4 {
				n = 1
			}
			out = binary.LittleEndian.AppendUint32(out, uint32(n))
			if len(t.data) <= 4 {
				out = append(out, append(bytes.Clone(t.data), 0, 0, 0, 0)[:4]...)
				continue
			}
			out = binary.LittleEndian.AppendUint32(out, uint32(values+len(data)))
			data = append(append(data, t.data...), make([]byte, len(t.data)%2)...)
		}
		out = append(append(out, 0, 0, 0, 0), data...)
		return at
	}
	exif := directory(text(0x9003, c.date), text(0x9011, c.zone))
	at := len(out)
	out = append(append(out, pic...), make([]byte, len(pic)%2)...)
	tags := []tag{text(0x10f, c.maker), text(0x110, c.model)}
	if pic != nil {
		tags = slices.Concat([]tag{number(0x100, 320), number(0x101, 240), number(0x103, 6)}, tags,
			[]tag{number(0x111, at), number(0x117, len(pic))})
	}
	first := directory(append(tags, number(0x8769, exif))...) // may relocate out
	binary.LittleEndian.PutUint32(out[4:], uint32(first))
	return out
}

// raw returns the photo's RAW file, and jpeg its JPEG.
func (c shot) raw(seed int) []byte { return c.tiff(picture(seed, 320, 240)) }

func (c shot) jpeg(seed int) []byte {
	pic, block := picture(seed, 640, 480), append([]byte("Exif\x00\x00"), c.tiff(nil)...)
	out := append(bytes.Clone(pic[:2]), 0xff, 0xe1, byte((len(block)+2)>>8), byte(len(block)+2))
	return append(append(out, block...), pic[2:]...)
}

// movie returns a video with a start time.
func movie(t *testing.T, at time.Time) []byte {
	t.Helper()
	data, err := os.ReadFile("../app/media/testdata/media/a.mp4")
	must(t, err)
	i := bytes.Index(data, []byte("mvhd"))
	if i < 0 || data[i+4] != 0 {
		t.Fatal("the sample has no header of the expected version")
	}
	binary.BigEndian.PutUint32(data[i+8:], uint32(at.Sub(time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC))/time.Second))
	return data
}

func canon(date string) shot { return shot{"Canon", "Canon EOS R5", date, "+02:00"} }

// stacked uploads files one at a time, waiting for each to be processed, and returns their
// GAIDs.
func (s *server) stacked(t *testing.T, files ...upload) (gaids []string) {
	t.Helper()
	return s.stackedIn(t, s.batch(t, `{}`), files...)
}

func (s *server) stackedIn(t *testing.T, batch any, files ...upload) []string {
	t.Helper()
	path := fmt.Sprintf("/api/v1/upload-batches/%v", batch)
	for i, f := range files {
		s.push(t, batch, f).want(t, 201)
		s.until(t, path, func(a answer) bool { return a.get("data.counts.ready") == float64(i+1) })
	}
	s.finish(t, batch)
	return strings.Fields(names(s.do(t, "GET", path+"/files", "").want(t, 200), "gaid"))
}

// The RAW file and the JPEG of one photo, and the picture and the video of a live photo,
// become one asset in any order of upload; other files do not.
func TestStacks(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	photo := canon("2024:05:06 07:08:09")
	live := movie(t, time.Date(2024, 5, 6, 5, 8, 8, 0, time.UTC))
	raw, jpeg := upload{"IMG_1.CR2", photo.raw(1)}, upload{"img_1.jpg", photo.jpeg(2)}
	for i, files := range [][]upload{{jpeg, raw}, {raw, jpeg}, {jpeg, raw, {"IMG_1.MOV", live}}, {{"IMG_1.mov", live}, jpeg, raw}} {
		gaids := s.stacked(t, files...)
		if len(slices.Compact(gaids)) != 1 {
			t.Errorf("%d: %d assets", i, len(gaids))
			continue
		}
		path := "/api/v1/assets/" + gaids[0]
		a := s.do(t, "GET", path, "").want(t, 200)
		if a.get("data.original_filename") != "img_1.jpg" || a.get("data.width") != 640.0 || a.get("data.file_category") != "Image" ||
			a.get("data.mime_type") != "image/jpeg" || a.get("data.file_version") != 1.0 || a.get("data.capture_date") == nil {
			t.Errorf("%d: %s", i, a)
		}
		roles := map[string]string{}
		for _, p := range a.get("data.parts").([]any) {
			p := p.(map[string]any)
			roles[p["role"].(string)] = p["mime_type"].(string)
			got := s.do(t, "GET", fmt.Sprintf("%s/parts/%v/download", path, p["id"]), "").want(t, 200)
			want := map[string][]byte{"raw": raw.data, "video": live}[p["role"].(string)]
			if !bytes.Equal(got.body, want) {
				t.Errorf("%d: the %s has %d bytes", i, p["role"], len(got.body))
			}
		}
		if len(roles) != len(files)-1 || roles["raw"] != "image/x-canon-cr2" || len(files) > 2 && roles["video"] != "video/quicktime" {
			t.Errorf("%d: %v", i, roles)
		}
		if n := s.count(t, `SELECT count(*) FROM blobs`); n != len(files) {
			t.Errorf("%d: %d blobs", i, n)
		}
		if got := s.do(t, "GET", path+"/download?rendition=preview", "").want(t, 200); len(got.body) == 0 {
			t.Errorf("%d: no preview", i)
		}
		s.do(t, "DELETE", path+"?force=true", "").want(t, 200)
		if n := s.count(t, `SELECT count(*) FROM blobs`); n != 0 {
			t.Errorf("%d: %d blobs are left", i, n)
		}
	}
	if problems := s.check(t); len(problems) > 0 {
		t.Errorf("%q", problems)
	}
	other, later := photo, canon("2024:05:06 07:08:12")
	other.model = "Canon EOS R6"
	for what, files := range map[string][]upload{
		"another name":   {{"a.cr2", photo.raw(11)}, {"b.jpg", photo.jpeg(12)}},
		"another time":   {{"c.cr2", photo.raw(13)}, {"c.jpg", later.jpeg(14)}},
		"another camera": {{"d.cr2", photo.raw(15)}, {"d.jpg", other.jpeg(16)}},
		"no time":        {{"e.cr2", photo.raw(17)}, {"e.jpg", picture(18, 80, 60)}},
		"two pictures":   {{"f.jpg", photo.jpeg(19)}, {"f.jpeg", photo.jpeg(20)}},
	} {
		if gaids := s.stacked(t, files...); gaids[0] == gaids[1] {
			t.Errorf("%s: one asset", what)
		}
	}
}

// heic returns the sample, as the photo of canon("2024:05:06 07:08:09") with its time zone
// in place of its copyright.
func heic(t *testing.T) []byte {
	t.Helper()
	data, err := os.ReadFile("../app/media/testdata/halves/a.heic")
	must(t, err)
	i := bytes.Index(data, []byte("(c)Ada\x00"))
	at := bytes.Index(data, []byte{0x91, 0x01, 0, 7, 0, 0, 0, 4})
	if i < 0 || at < 0 {
		t.Fatal("the sample has another EXIF than expected")
	}
	copy(data[i:], "+02:00\x00")
	copy(data[at:], []byte{0x90, 0x11, 0, 2, 0, 0, 0, 7, 0, 0, 0, 126}) // former position of the copyright
	return data
}

// orders returns all permutations of a list.
func orders[T any](list []T) (all [][]T) {
	if len(list) < 2 {
		return [][]T{list}
	}
	for i := range list {
		for _, rest := range orders(slices.Delete(slices.Clone(list), i, i+1)) {
			all = append(all, append([]T{list[i]}, rest...))
		}
	}
	return all
}

// In any order of upload, the files of a photo become one asset with the same displayed
// file and the same parts.
func TestStacksInEachOrder(t *testing.T) {
	t.Parallel()
	s := start(t, noMeaning)
	photo := canon("2024:05:06 07:08:09")
	raw, jpeg := upload{"IMG_1.CR2", photo.raw(1)}, upload{"IMG_1.JPG", photo.jpeg(2)}
	mov := upload{"IMG_1.MOV", movie(t, time.Date(2024, 5, 6, 5, 8, 8, 0, time.UTC))}
	pic := upload{"IMG_1.HEIC", heic(t)}
	for want, files := range map[string][]upload{
		"IMG_1.JPG map[raw:IMG_1.CR2 video:IMG_1.MOV] 2024-05-06T05:08:09Z":                  {raw, mov, jpeg},
		"IMG_1.HEIC map[raw:IMG_1.CR2 video:IMG_1.MOV] 2024-05-06T05:08:09Z":                 {raw, mov, pic},
		"IMG_1.JPG map[image:IMG_1.HEIC raw:IMG_1.CR2 video:IMG_1.MOV] 2024-05-06T05:08:09Z": {raw, mov, jpeg, pic},
		"IMG_1.CR2 map[video:IMG_1.MOV] 2024-05-06T05:08:09Z":                                {raw, mov},
	} {
		for _, order := range orders(files) {
			var names []string
			for _, f := range order {
				names = append(names, f.name)
			}
			t.Run(strings.Join(names, " "), func(t *testing.T) {
				t.Parallel()
				gaids := s.stackedIn(t, s.batch(t, `{"allow_duplicates":true}`), order...)
				if gaids = slices.Compact(gaids); len(gaids) != 1 {
					t.Fatalf("%d assets", len(gaids))
				}
				a := s.do(t, "GET", "/api/v1/assets/"+gaids[0], "").want(t, 200)
				parts, roles := column(a, "data.parts", "filename"), map[any]any{}
				for i, role := range column(a, "data.parts", "role") {
					roles[role] = parts[i]
				}
				at, err := time.Parse(time.RFC3339, fmt.Sprint(a.get("data.capture_date")))
				must(t, err)
				if got := fmt.Sprint(a.get("data.original_filename"), " ", roles, " ", at.UTC().Format(time.RFC3339)); got != want {
					t.Errorf("%s, want %s", got, want)
				}
			})
		}
	}
}

// A part can become a separate asset. With stacks disabled, none are created.
func TestStacksApart(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	photo := canon("2024:05:06 07:08:09")
	files := []upload{{"a.cr2", photo.raw(1)}, {"a.jpg", photo.jpeg(2)}}
	gaid := s.stacked(t, files...)[0]
	path := "/api/v1/assets/" + gaid
	a := s.do(t, "GET", path, "").want(t, 200)
	part := fmt.Sprintf("%s/parts/%v", path, a.get("data.parts.0.id"))
	s.do(t, "POST", part+"/detach", "", "If-Match", `"v9"`).want(t, 412)
	own := s.do(t, "POST", part+"/detach", "").want(t, 201)
	if own.get("data.mime_type") != "image/x-canon-cr2" || own.get("data.gaid") == gaid || own.get("data.original_filename") != "a.cr2" {
		t.Errorf("%s", own)
	}
	if left := s.do(t, "GET", path, "").want(t, 200); len(left.get("data.parts").([]any)) != 0 {
		t.Errorf("%s", left)
	}
	s.do(t, "POST", part+"/detach", "").want(t, 404)
	if n := s.count(t, `SELECT count(*) FROM blobs`); n != 2 {
		t.Errorf("%d blobs", n)
	}
	if problems := s.check(t); len(problems) > 0 {
		t.Errorf("%q", problems)
	}
	sidecar := s.part(t, gaid, s.one(t, "b.jpg", picture(3, 9, 9)), dam.PartSidecar)
	s.do(t, "POST", sidecar+"/detach", "").want(t, 422)

	off := start(t, func(c *app.Config, _ *web.Options) { c.Stack = ingest.StackOff })
	if gaids := off.stacked(t, files...); gaids[0] == gaids[1] {
		t.Error("one asset although stacks are off")
	}
}
