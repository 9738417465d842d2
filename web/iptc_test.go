package web_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// iptcFields defines fields as in the preset.
func (s *server) iptcFields(t *testing.T) {
	t.Helper()
	for key, path := range map[string]string{
		"headline": "photoshop:Headline", "alt_text": "Iptc4xmpCore:AltTextAccessibility", "credit": "photoshop:Credit",
		"source": "photoshop:Source", "instructions": "photoshop:Instructions", "licensor_url": "plus:Licensor/plus:LicensorURL",
		"city": "photoshop:City", "person": "Iptc4xmpExt:PersonInImage",
	} {
		s.define(t, fmt.Sprintf(`{"key":%q,"label":%q,"type":"text","xmp_path":%q}`, key, key, path))
	}
	s.define(t, `{"key":"rights_url","label":"R","type":"url","xmp_path":"xmpRights:WebStatement"}`)
	vocabulary, _ := s.vocabulary(t, "mining", "dmi-allowed", "dmi-prohibited")
	s.define(t, fmt.Sprintf(`{"key":"data_mining","label":"M","type":"term","vocabulary_id":%v,"xmp_path":"plus:DataMining"}`, vocabulary))
	places, _ := s.vocabulary(t, "places")
	s.define(t, fmt.Sprintf(`{"key":"places","label":"P","type":"terms","vocabulary_id":%v,"xmp_path":"lr:hierarchicalSubject",`+
		`"accepts_new_terms":true}`, places))
}

// iptcVariants are the exiftool arguments that prepare files before the upload.
var iptcVariants = [][]string{
	{},
	{"-XMP-dc:Title=Häfen", "-XMP-dc:Title-de=Häfen", "-XMP-dc:Title-fr=Ports",
		"-XMP-dc:Description=Boats", "-XMP-dc:Creator=Ada", "-XMP-dc:Rights=© Ada"},
	{"-IPTC:ObjectName=Harbours", "-IPTC:By-line=Ada", "-IPTC:Keywords=sea", "-IPTC:Keywords=coast", "-IPTC:Headline=Boats leave"},
	{"-EXIF:Artist=Ada", "-EXIF:Copyright=Ada 2026", "-EXIF:ImageDescription=A harbour at dawn", "-GPSLatitude=43.467448",
		"-GPSLatitudeRef=N", "-GPSLongitude=11.885127", "-GPSLongitudeRef=W"},
	{"-XMP-photoshop:Headline=Boats leave", "-XMP-iptcCore:AltTextAccessibility=Two boats", "-XMP-photoshop:Credit=Ada/Agency",
		"-XMP-photoshop:Source=Agency", "-XMP-photoshop:Instructions=No crops", "-XMP-xmpRights:WebStatement=https://example.org/rights"},
	{"-XMP-plus:Licensor={LicensorName=Agency,LicensorURL=https://example.org/buy,LicensorCity=Rome}",
		"-XMP-plus:DataMining=http://ns.useplus.org/ldf/vocab/DMI-PROHIBITED"},
	{"-XMP-dc:Subject=sea", "-XMP-dc:Subject=France",
		"-XMP-lr:HierarchicalSubject=Places|Europe|France", "-XMP-digiKam:TagsList=Places/Europe/France"},
	{"-XMP-xmp:Rating=4", "-XMP-xmpRights:UsageTerms=Ask first", "-XMP-exif:GPSLatitude=-33.5", "-XMP-exif:GPSLongitude=151.25",
		"-XMP-iptcCore:Location=Opera", "-XMP-photoshop:City=Sydney", "-XMP-photoshop:Country=Australia"},
	{"-XMP-iptcExt:PersonInImage=Ada", "-XMP-iptcExt:PersonInImage=Grace", "-XMP-iptcCore:CreatorWorkEmail=ada@example.org",
		"-XMP-crs:Version=15.0", "-XMP-xmpMM:DocumentID=xmp.did:1"},
	{"-XMP-dc:Creator=Ada", "-XMP-dc:Creator=Grace", "-IPTC:By-line=Ada", "-EXIF:Artist=Ada", "-XMP-dc:Title=One", "-IPTC:ObjectName=Other"},
}

// iptcEdits change one field each; the tags that may change start with one of the words.
var iptcEdits = []struct {
	body string
	tags []string
}{
	{`{"title":"New title"}`, []string{"XMP-dc:Title"}},
	{`{"description":"New description"}`, []string{"XMP-dc:Description"}},
	{`{"rating":2}`, []string{"XMP-xmp:Rating"}},
	{`{"keywords":["new","words"]}`, []string{"XMP-dc:Subject", "XMP-lr:", "XMP-digiKam:"}},
	{`{"location":{"latitude":1.5,"longitude":-2.25}}`, []string{"XMP-exif:GPS", "Composite:"}},
	{`{"metadata":{"headline":"New headline"}}`, []string{"XMP-photoshop:Headline"}},
	{`{"metadata":{"licensor_url":"https://example.org/new"}}`, []string{"XMP-plus:Licensor"}},
	{`{"metadata":{"data_mining":"dmi-allowed"}}`, []string{"XMP-plus:DataMining"}},
	{`{"usage_terms":"New terms"}`, []string{"XMP-xmpRights:UsageTerms"}},
	{`{"workflow_status":"approved"}`, nil},
}

// For 50 files that are uploaded, changed in one field and downloaded with metadata,
// exiftool reports no other differences.
func TestIPTCRoundTrip(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("exiftool"); err != nil {
		t.Skip("exiftool is not installed")
	}
	dir := t.TempDir()
	var names, script []string
	for i := range 50 {
		name := fmt.Sprintf("f%02d.%s", i, []string{"jpg", "png", "jpg", "jpg", "png"}[i/10])
		names = append(names, name)
		data := picture(i, 64, 48)
		if strings.HasSuffix(name, "png") {
			data = pngOf(20+i, 20)
		}
		must(t, os.WriteFile(filepath.Join(dir, name), data, 0o600))
		script = append(script, iptcVariants[i%10]...)
		script = append(script, "-m", "-q", "-q", "-charset", "UTF8", "-overwrite_original", filepath.Join(dir, name), "-execute")
	}
	must(t, os.WriteFile(filepath.Join(dir, "args"), []byte(strings.Join(script, "\n")), 0o600))
	_ = exec.CommandContext(t.Context(), "exiftool", "-@", filepath.Join(dir, "args")).Run() // PNG has no IPTC
	s := start(t, noMeaning)
	s.iptcFields(t)
	var files []upload
	for _, name := range names {
		data, err := os.ReadFile(filepath.Join(dir, name))
		must(t, err)
		files = append(files, upload{name, data})
	}
	list := s.ingest(t, files...)
	out := filepath.Join(dir, "out")
	must(t, os.Mkdir(out, 0o700))
	allowed := map[string][]string{}
	for i, f := range list {
		path := assets + "/" + fmt.Sprint(f["gaid"])
		edit := iptcEdits[(i+i/10)%10]
		s.do(t, "PUT", path, edit.body).want(t, 200)
		name := fmt.Sprint(f["filename"])
		allowed[name] = edit.tags
		copied := s.do(t, "GET", path+"/download?embed_metadata=1", "").want(t, 200)
		must(t, os.WriteFile(filepath.Join(out, name), copied.body, 0o600))
	}
	before, after := exiftoolOn(t, dir, names), exiftoolOn(t, out, names)
	for _, name := range names {
		changes := 0
		for _, tag := range differing(before[name], after[name]) {
			if !slices.ContainsFunc(allowed[name], func(begin string) bool { return strings.HasPrefix(tag, begin) }) {
				t.Errorf("%s: %s was %v and is %v", name, tag, before[name][tag], after[name][tag])
			}
			changes++
		}
		if changes == 0 && allowed[name] != nil {
			t.Errorf("%s: nothing has changed of %v", name, allowed[name])
		}
	}
}

// differing lists the tags that differ, except those about the file itself.
func differing(a, b map[string]any) (tags []string) {
	for _, m := range []map[string]any{a, b} {
		for tag := range m {
			group, _, _ := strings.Cut(tag, ":")
			if group != "System" && group != "SourceFile" && tag != "XMP-x:XMPToolkit" && tag != "File:FileSize" &&
				fmt.Sprint(a[tag]) != fmt.Sprint(b[tag]) && !slices.Contains(tags, tag) {
				tags = append(tags, tag)
			}
		}
	}
	return tags
}

func exiftoolOn(t *testing.T, dir string, names []string) map[string]map[string]any {
	t.Helper()
	args := []string{"-j", "-G1", "-struct"}
	for _, name := range names {
		args = append(args, filepath.Join(dir, name))
	}
	out, _ := exec.CommandContext(t.Context(), "exiftool", args...).Output() // exits with an error for mere warnings
	var list []map[string]any
	must(t, json.Unmarshal(out, &list))
	all := map[string]map[string]any{}
	for _, m := range list {
		all[filepath.Base(fmt.Sprint(m["SourceFile"]))] = m
	}
	return all
}
