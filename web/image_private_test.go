package web_test

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/web"
)

// personal returns a JPEG with its location, camera and creator: in EXIF, with a thumbnail,
// in XMP, and in a comment.
func personal(t testing.TB) []byte {
	t.Helper()
	var tiff bytes.Buffer
	put := func(list ...any) {
		for _, v := range list {
			must(t, binary.Write(&tiff, binary.LittleEndian, v))
		}
	}
	thumbnail := picture(7, 32, 24)
	const gps, strip, data = 8 + 2 + 3*12 + 4, 8 + 2 + 3*12 + 4 + 2 + 4*12 + 4, 8 + 2 + 3*12 + 4 + 2 + 4*12 + 4 + 2 + 2*12 + 4
	put([]byte("II*\x00"), uint32(8))
	put(uint16(3), // IFD0: Make, Artist, GPS
		uint16(0x10f), uint16(2), uint32(10), uint32(data), uint16(0x13b), uint16(2), uint32(12), uint32(data+10),
		uint16(0x8825), uint16(4), uint32(1), uint32(gps), uint32(strip))
	put(uint16(4), uint16(1), uint16(2), uint32(2), []byte("N\x00\x00\x00"), uint16(2), uint16(5), uint32(3), uint32(data+22),
		uint16(3), uint16(2), uint32(2), []byte("E\x00\x00\x00"), uint16(4), uint16(5), uint32(3), uint32(data+46), uint32(0))
	put(uint16(2), uint16(0x201), uint16(4), uint32(1), uint32(data+70), // IFD1: the thumbnail
		uint16(0x202), uint16(4), uint32(1), uint32(len(thumbnail)), uint32(0))
	put([]byte("SecretCam\x00"), []byte("SecretName1\x00"), []uint32{53, 1, 33, 1, 1234, 100}, []uint32{9, 1, 59, 1, 4321, 100}, thumbnail)
	segment := func(marker byte, body string) string {
		return string([]byte{0xff, marker, byte((len(body) + 2) >> 8), byte(len(body) + 2)}) + body
	}
	xmp := `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description` +
		` rdf:about="" xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmp:CreatorTool="SecretTool"/></rdf:RDF></x:xmpmeta>`
	pic := string(picture(3, 400, 300))
	return []byte(pic[:2] + segment(0xe1, "Exif\x00\x00"+tiff.String()) + segment(0xe1, "http://ns.adobe.com/xap/1.0/\x00"+xmp) +
		segment(0xfe, "SecretComment") + pic[2:])
}

// Delivered pictures contain the creator and the copyright of the asset, and no other
// metadata of the file.
func TestImagesTellNothingPersonal(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	original := personal(t)
	gaid := s.one(t, "secret-name.jpg", original)
	asset := s.do(t, "GET", assets+"/"+gaid, "").want(t, 200)
	if asset.get("data.creator") != "SecretName1" || asset.get("data.location") == nil {
		t.Fatalf("the file does not say what it should: %s", asset.body)
	}
	traces := []string{
		"Exif\x00", "Secret", "secret", "GPS", "gps", "photoshop", "JFXX", "ICC_PROFILE", "eXIf", "EXIF", "tEXt", "zTXt",
	}
	dir := t.TempDir()
	var names []string
	tags := map[string]int{}
	technical := []string{"SourceFile", "ExifTool", "System", "File", "JFIF", "PNG", "RIFF", "Meta", "QuickTime", "Composite"}
	for _, credits := range []string{`{"creator":"Ada & Söhne","copyright":"© 2026 Ada <x>"}`, `{"creator":null,"copyright":null}`} {
		s.do(t, "PUT", assets+"/"+gaid, credits).want(t, 200)
		credited := !strings.Contains(credits, "null")
		for _, format := range []string{"jpeg", "png", "webp", "avif"} {
			for _, spec := range []string{`"width":200`, `"width":4000`, `"width":50,"height":50,"fit":"cover"`} {
				a := s.as(t, "", "GET", s.signed(t, `{"gaid":"`+gaid+`","format":"`+format+`",`+spec+`}`), "").want(t, 200)
				for _, trace := range traces {
					if bytes.Contains(a.body, []byte(trace)) {
						t.Errorf("%s %s has %q", format, spec, trace)
					}
				}
				has := bytes.Contains(a.body, []byte("Ada &amp; Söhne")) && bytes.Contains(a.body, []byte("© 2026 Ada &lt;x&gt;"))
				if has != credited {
					t.Errorf("%s %s after %s: credits %t", format, spec, credits, has)
				}
				if bytes.Count(a.body, []byte("\xff\xd8\xff")) > 1 {
					t.Errorf("%s %s has a thumbnail", format, spec)
				}
				name := fmt.Sprintf("%d.%s", len(names), format)
				must(t, os.WriteFile(filepath.Join(dir, name), a.body, 0o600))
				names = append(names, name)
			}
		}
	}
	if _, err := exec.LookPath("exiftool"); err != nil {
		t.Skip("exiftool is not installed")
	}
	for i, name := range names {
		said := exiftoolOn(t, dir, []string{name})[name]
		for tag, v := range said {
			group, _, _ := strings.Cut(tag, ":")
			switch {
			case tag == "XMP-dc:Creator" && fmt.Sprint(v) == "[Ada & Söhne]", tag == "XMP-dc:Creator" && fmt.Sprint(v) == "Ada & Söhne",
				tag == "XMP-dc:Rights" && v == "© 2026 Ada <x>":
				tags[tag]++
			case !slices.Contains(technical, group):
				t.Errorf("%s (%d) says %s: %v", name, i, tag, v)
			}
		}
	}
	if tags["XMP-dc:Creator"] != 12 || tags["XMP-dc:Rights"] != 12 {
		t.Errorf("exiftool reads %v", tags)
	}
}

// A URL reflects changes to the asset immediately, and responses cached for a year never
// change.
func TestImagesTurnOver(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	gaid := s.one(t, "a.jpg", picture(1, 400, 300))
	path := assets + "/" + gaid
	spec := `{"gaid":"` + gaid + `","width":60,"height":60,"fit":"cover"}`
	const ever = "public, max-age=31536000, immutable"
	url := s.signed(t, spec)
	before := s.as(t, "", "GET", url, "").want(t, 200)
	for _, change := range []struct {
		what string
		do   func()
	}{
		{"creator", func() { s.do(t, "PUT", path, `{"creator":"Ada"}`).want(t, 200) }},
		{"copyright", func() { s.do(t, "PUT", path, `{"copyright":"© Ada"}`).want(t, 200) }},
		{"focal point", func() { s.do(t, "PUT", path, `{"focal_point":{"x":0,"y":0}}`).want(t, 200) }},
		{"version", func() { s.newVersion(t, gaid, "b.jpg", picture(9, 500, 300)) }},
	} {
		if c := before.Header.Get("Cache-Control"); c != ever {
			t.Errorf("before another %s it is %s", change.what, c)
		}
		change.do()
		after := s.as(t, "", "GET", url, "", "If-None-Match", before.Header.Get("ETag")).want(t, 302)
		if c := after.Header.Get("Cache-Control"); c != "no-cache" || len(after.body) > 0 {
			t.Errorf("after another %s the same URL shows %d bytes, %s", change.what, len(after.body), c)
		}
		next := s.signed(t, spec)
		if next == url {
			t.Errorf("another %s has the same URL: %s", change.what, next)
		}
		fresh := s.as(t, "", "GET", next, "").want(t, 200)
		if to := after.Header.Get("Location"); to != next || bytes.Equal(fresh.body, before.body) {
			t.Errorf("after another %s, the URL leads to %s, want %s; the picture is the same: %t", change.what, to, next,
				bytes.Equal(fresh.body, before.body))
		}
		url, before = next, fresh
	}
	old := s.signed(t, spec)
	s.do(t, "PUT", path, `{"creator":"Eve"}`).want(t, 200)
	if _, err := s.app.Images.RotateImageKey(t.Context(), time.Hour); err != nil {
		t.Fatal(err)
	}
	moved := s.as(t, "", "GET", old, "").want(t, 302).Header.Get("Location")
	if signer := strings.Split(moved, "/")[3]; !strings.HasPrefix(signer, "1-1-") || moved == s.signed(t, spec) {
		t.Errorf("a URL of an older key leads to one of the new key: %s", moved)
	}
	s.as(t, "", "GET", moved, "").want(t, 200)
	whole := s.signed(t, `{"gaid":"`+gaid+`","width":60}`)
	s.do(t, "PUT", path, `{"focal_point":{"x":1,"y":1},"title":"Another","keywords":["a"]}`).want(t, 200)
	if c := s.as(t, "", "GET", whole, "").want(t, 200).Header.Get("Cache-Control"); c != ever {
		t.Errorf("what changes nothing in the picture makes it %s", c)
	}

	s.do(t, "DELETE", path, "").want(t, 200)
	gone := s.as(t, "", "GET", whole, "", "If-None-Match", "*").want(t, 404)
	if c := gone.Header.Get("Cache-Control"); c != "no-store" {
		t.Errorf("what is not there may be kept: %s", c)
	}
	if wrong := s.as(t, "", "GET", "/i/"+gaid+"/1-x/w=1", "").want(t, 404); !bytes.Equal(gone.body, wrong.body) {
		t.Errorf("an asset in the trash and a wrong signature differ: %s, %s", gone.body, wrong.body)
	}
	s.do(t, "POST", path+"/restore", "").want(t, 200)
	s.as(t, "", "GET", whole, "").want(t, 200)
	s.do(t, "DELETE", path, "").want(t, 200)
	s.do(t, "DELETE", path+"?force=true", "").want(t, 200)
	s.as(t, "", "GET", whole, "").want(t, 404)
	s.as(t, "", "GET", url, "").want(t, 404)
}

// Two hundred concurrent requests for a new picture all get it, and it is created once.
func TestImageOfMany(t *testing.T) {
	t.Parallel()
	j := &journal{}
	s := start(t, func(c *app.Config, _ *web.Options) {
		c.Log = slog.New(slog.NewTextHandler(j, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	gaid := s.one(t, "a.jpg", picture(1, 1600, 1200))
	url := s.signed(t, `{"gaid":"`+gaid+`","width":1000,"format":"png"}`)
	first := make([]answer, 200)
	var all sync.WaitGroup
	for i := range first {
		all.Go(func() { first[i] = s.as(t, "", "GET", url, "") })
	}
	all.Wait()
	for _, a := range first {
		if a.want(t, 200); !bytes.Equal(a.body, first[0].body) {
			t.Fatal("two have different pictures")
		}
	}
	if n := j.count("a picture was made", gaid); n != 1 {
		t.Errorf("it was made %d times", n)
	}
}

// Paths below /i/ are signed pictures or not found.
func TestImagePaths(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	gaid := s.one(t, "a.jpg", picture(1, 40, 30))
	good := s.signed(t, `{"gaid":"`+gaid+`","width":20}`)
	parts := strings.Split(good, "/")
	s.as(t, "", "HEAD", good, "").want(t, 200)
	s.as(t, "", "POST", good, "").want(t, 405)
	for _, path := range []string{
		"/i/", "/i/" + gaid, "/i/" + gaid + "/", "/i/" + gaid + "/" + parts[3], "/i/" + gaid + "/" + parts[3] + "/", good + "/", good + "/x",
		good + "%2f", good + "%00", "/i" + strings.ToUpper(good[2:]), strings.Replace(good, ",", "%2C%2C", 1),
		strings.Replace(good, "w=20", "w=020", 1),
		"/i/" + gaid + "/" + strings.Repeat("a", 5000) + "/w=1", "/i/" + gaid + "/" + parts[3] + "/" + strings.Repeat("w=1,", 2000),
		"/i/%F0%9F%98%80/" + parts[3] + "/" + parts[4], "/i/..%2f..%2fetc/" + parts[3] + "/passwd", "/i/" + gaid + "/1-%FF/" + parts[4],
		strings.Replace(good, gaid, strings.ToLower(gaid), 1), strings.Replace(good, "1-", "01-", 1), strings.Replace(good, "1-", "2-", 1),
	} {
		if a := s.as(t, "", "GET", path, ""); a.StatusCode != 404 || bytes.Contains(a.body, []byte("\xff\xd8")) {
			t.Errorf("%.80s: %d", path, a.StatusCode)
		}
	}
	s.as(t, "", "GET", strings.Replace(good, ",", "%2C", 1), "").want(t, 200) // the same URL, escaped differently
}

// The number of concurrently valid keys is limited; all of them can be revoked.
func TestImageKeysAreBounded(t *testing.T) {
	t.Parallel()
	s, clock := standing(t, nil)
	rotate := func(overlap time.Duration) error {
		_, err := s.app.Images.RotateImageKey(t.Context(), overlap)
		return err
	}
	for range 20 {
		must(t, rotate(time.Hour))
	}
	if err := rotate(time.Hour); dam.KindOf(err) != dam.Conflict {
		t.Errorf("one more: %v", err)
	}
	clock.pass(2 * time.Hour)
	must(t, rotate(time.Hour))
	must(t, rotate(0))
	keys, err := s.app.Images.ImageKeys(t.Context())
	must(t, err)
	if len(keys) != 1 || keys[0].ID != 22 || keys[0].ExpiresAt != nil || keys[0].Secret != nil {
		t.Errorf("%+v", keys)
	}
}

// URLs stop working as soon as the user who signed them loses that permission.
func TestImageURLsEndWithTheirUser(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ end, undo func(*dam.User) }{
		"disabled":  {disable, func(u *dam.User) { u.DisabledAt = nil }},
		"no editor": {func(u *dam.User) { u.Role = dam.RoleViewer }, func(u *dam.User) { u.Role = dam.RoleEditor }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t, nil)
			gaid := s.one(t, "a.jpg", picture(1, 400, 300))
			image, iiif := `{"gaid":"`+gaid+`","width":60}`, s.iiif(t, gaid, "")
			mine := s.signed(t, image)
			admin := s.token
			s.token = s.user(t, "ed@example.com", dam.RoleEditor)
			theirs := []string{s.signed(t, image), s.iiif(t, gaid, "") + "/info.json", s.iiif(t, gaid, "") + "/full/max/0/default.jpg"}
			s.token = admin
			want := func(status int) {
				t.Helper()
				for _, url := range theirs {
					a := s.as(t, "", "GET", url, "").want(t, status)
					if c := a.Header.Get("Cache-Control"); status == 404 && c != "no-store" {
						t.Errorf("%s may be kept: %s", url, c)
					}
				}
				s.as(t, "", "GET", mine, "").want(t, 200)
				s.as(t, "", "GET", iiif+"/info.json", "").want(t, 200)
			}
			want(200)
			s.set(t, "ed@example.com", c.end)
			want(404)
			s.set(t, "ed@example.com", c.undo)
			want(200)
		})
	}
}

// TestImageURLsOfEarlierVersions checks that signatures without a user remain valid until
// their key is rotated.
func TestImageURLsOfEarlierVersions(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	gaid := s.one(t, "a.jpg", picture(1, 40, 30))
	path := s.signed(t, `{"gaid":"`+gaid+`","width":20}`)
	options := path[strings.LastIndex(path, "/")+1:]
	var secret []byte
	must(t, s.db(t).QueryRow("SELECT secret FROM image_keys WHERE id = 1").Scan(&secret))
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(gaid + "/" + options))
	earlier := "/i/" + gaid + "/1-" + base64.RawURLEncoding.EncodeToString(mac.Sum(nil)[:16]) + "/" + options
	s.as(t, "", "GET", earlier, "").want(t, 200)
	s.as(t, "", "GET", strings.Replace(earlier, "w=20", "w=21", 1), "").want(t, 404)
	_, err := s.app.Images.RotateImageKey(t.Context(), 0)
	must(t, err)
	s.as(t, "", "GET", earlier, "").want(t, 404)
}

// A user cannot turn another user's URL into their own.
func TestImageSignerIsSigned(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	gaid := s.one(t, "a.jpg", picture(1, 40, 30))
	s.user(t, "ed@example.com", dam.RoleAdmin)
	path := s.signed(t, `{"gaid":"`+gaid+`","width":20}`)
	s.as(t, "", "GET", path, "").want(t, 200)
	for _, signer := range []string{"1-2-", "1-0-", "1--1-", "1-01-", "1-+1-", "1-", "1-zzzzzzzzzzzzzzzzzzzzzz-"} {
		s.as(t, "", "GET", strings.Replace(path, "1-1-", signer, 1), "").want(t, 404)
	}
}
