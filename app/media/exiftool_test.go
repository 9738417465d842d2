package media_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/digital-asset-library/dal/app/media"
)

// exiftoolSays runs exiftool on files and returns its output by file name, with a group
// before each tag.
func exiftoolSays(t *testing.T, files []string) map[string]map[string]any {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "exiftool", append([]string{"-j", "-n", "-G0", "-sep", "|"}, files...)...).Output()
	if len(out) == 0 {
		t.Fatal(err) // it exits with 1 after any warning
	}
	var list []map[string]any
	d := json.NewDecoder(bytes.NewReader(out))
	d.UseNumber() // titles may look like numbers
	if err := d.Decode(&list); err != nil {
		t.Fatal(err)
	}
	all := map[string]map[string]any{}
	for _, m := range list {
		all[fmt.Sprint(m["SourceFile"])] = m
	}
	return all
}

// withExiftool uses exiftool to add tags to pictures of every format that it can write, and
// returns the files.
func withExiftool(t *testing.T) []string {
	t.Helper()
	dir := t.TempDir()
	lossy := sample(t, "lossy.webp")
	var files []string
	for name, data := range map[string][]byte{
		"a.jpg": jpegOf(t, scene(90, 60)), "a.png": pngOf(t, scene(90, 60)), "a.tif": tiffOf(scene(90, 60)), "a.webp": lossy,
		"a.gif": noiseGIF(t), "big.tif": sample(t, "tiff/big.tif"),
	} {
		for set, args := range map[string][]string{
			"exif": {"-EXIF:Artist=Ada Löw", "-EXIF:Copyright=© Ada", "-EXIF:Orientation#=6", "-EXIF:DateTimeOriginal=2020:01:02 03:04:05",
				"-GPSLatitude=43.467448", "-GPSLatitudeRef=N", "-GPSLongitude=11.885127", "-GPSLongitudeRef=W", "-XPTitle=Häfen"},
			"iptc latin": {"-IPTC:By-line=Ada Löw", "-IPTC:CopyrightNotice=© Ada", "-IPTC:ObjectName=Häfen", "-IPTC:Caption-Abstract=Schöne Häfen",
				"-IPTC:Keywords=Meer", "-IPTC:Keywords=Küste", "-IPTC:DateCreated=2020:01:02", "-IPTC:TimeCreated=03:04:05+02:00"},
			"iptc utf8": {"-CodedCharacterSet=UTF8", "-IPTC:By-line=Ada Łów", "-IPTC:ObjectName=Häfen 港", "-IPTC:Keywords=海",
				"-IPTC:Keywords=Küste"},
			"xmp": {"-XMP-dc:Creator=Ada Łów", "-XMP-dc:Rights=© Ada", "-XMP-dc:Title=港", "-XMP-dc:Description=Schöne Häfen", "-XMP-dc:Subject=海",
				"-XMP-dc:Subject=Küste", "-XMP-exif:DateTimeOriginal=2020:01:02 03:04:05+05:00", "-XMP-exif:GPSLatitude=-33.5",
				"-XMP-exif:GPSLongitude=151.25", "-XMP-dc:Title-de=Hafen"},
			"all": {"-EXIF:Artist=E", "-EXIF:Orientation#=3", "-IPTC:By-line=I", "-XMP-dc:Creator=X", "-IPTC:ObjectName=I", "-XMP-dc:Title=X",
				"-EXIF:DateTimeOriginal=2020:01:02 03:04:05", "-EXIF:OffsetTimeOriginal=+02:00", "-IPTC:Keywords=i", "-XMP-dc:Subject=x"},
		} {
			from, to := filepath.Join(dir, "bare "+name), filepath.Join(dir, set+" "+name)
			if err := os.WriteFile(from, data, 0o600); err != nil {
				t.Fatal(err)
			}
			args = append(slices.Clone(args), "-m", "-q", "-q", "-charset", "UTF8", "-o", to, from)
			if exec.CommandContext(t.Context(), "exiftool", args...).Run() == nil { // GIF does not support EXIF, nor WebP IPTC
				files = append(files, to)
			}
		}
	}
	return files
}

// agreement counts the files on which exiftool and dal agree.
type agreement struct {
	same, known, all map[string]int
	differ           []string
}

// knownDifferences lists the files for which a disagreement is expected, with the reason.
var knownDifferences = map[string]string{
	"AFCP.jpg": "a trailer that one program wrote", "ExtendedXMP.jpg": "the namespace of PDF in a JPEG",
	"FotoStation.jpg": "a second IPTC", "MIFF.miff": "profiles of MIFF are not read", "PDF.pdf": "XMP of PDF is not read",
	"XMP.svg": "made up", "PhaseOne.iiq": "not a raw picture to us", "RIFF.avi": "XMP of AVI is not read",
	"QuickTime.mov": "it says both", "DNG.dng": "cropped as it says", "DV.dv": "its pixels are not square",
	"Sigma.x3f": "cropped by their notes", "SigmaDP2.x3f": "theirs is the preview", "sample.arw": "cropped by its notes",
	"exiv2-bug1229.jpg": "IPTC and XMP differ", "jpg-long_description.jpg": "EXIF and XMP differ",
	"iptc-psAPP13-wIPTCmid1-wIPTCempty-wIPTCmid2.jpg": "an empty IPTC beside another one",
	"OOXML.docx": "theirs needs a module", "OpenDoc.ods": "theirs needs a module",
	"AIFF.aif": "two tags", "HTML.html": "two tags", "FLAC.flac": "another group", "QuickTime.m4a": "another group",
	"RTF.rtf": "other separators",
}

func (a *agreement) note(file, what string, theirs, ours any) {
	a.all[what]++
	if fmt.Sprint(theirs) == fmt.Sprint(ours) {
		a.same[what]++
		return
	}
	differ := fmt.Sprintf("%s: %s is %v, and to us %v", filepath.Base(file), what, theirs, ours)
	if why := knownDifferences[filepath.Base(file)]; why != "" {
		a.known[what]++
		differ += " (" + why + ")"
	}
	a.differ = append(a.differ, differ)
}

// text returns the first of the tags that exiftool reports.
func text(m map[string]any, names ...string) string {
	for _, n := range names {
		if v, ok := m[n]; ok && strings.TrimSpace(fmt.Sprint(v)) != "" {
			return oneLine(fmt.Sprint(v))
		}
	}
	return ""
}

func oneLine(s string) string {
	var lines []string
	for line := range strings.Lines(strings.TrimSpace(s)) {
		lines = append(lines, strings.Join(strings.Fields(line), " "))
	}
	return strings.Join(lines, ", ")
}

// compare records where exiftool and dal differ on a file.
func (a *agreement) compare(file string, theirs map[string]any, r *media.Result) {
	stored := fmt.Sprint(fact(r.Technical, "stored_width"), " ", fact(r.Technical, "stored_height"))
	if size := text(theirs, "Composite:ImageSize"); size != "" {
		if !byDal(r.Type.Name) && stored != size { // compare upright
			w, h, _ := strings.Cut(stored, " ")
			stored = h + " " + w
		}
		a.note(file, "dimensions", size, stored)
	}
	orientation := fact(r.Technical, "orientation")
	if orientation == nil {
		orientation = 1
	}
	// The output of engines is upright.
	if o := text(theirs, "EXIF:Orientation"); o != "" && o != "0" && fact(r.Technical, "stored_width") != nil && byDal(r.Type.Name) {
		a.note(file, "orientation", o, orientation)
	}
	for what, tags := range map[string][]string{
		"creator": {"XMP:Creator", "IPTC:By-line", "EXIF:Artist", "EXIF:XPAuthor", "PDF:Author", "XML:Creator",
			"XML:Initial-creator", "RTF:Author", "HTML:Author"},
		"copyright":   {"XMP:Rights", "IPTC:CopyrightNotice", "EXIF:Copyright"},
		"title":       {"XMP:Title", "IPTC:ObjectName", "IPTC:Headline", "EXIF:XPTitle", "PDF:Title", "XML:Title", "RTF:Title", "HTML:Title"},
		"description": {"XMP:Description", "IPTC:Caption-Abstract"},
	} {
		ours := map[string]string{"creator": r.Creator, "copyright": r.Copyright, "title": r.Title, "description": r.Description}[what]
		if want := text(theirs, tags...); want != "" || what == "creator" || what == "copyright" {
			a.note(file, what, strings.ReplaceAll(want, "|", ", "), oneLine(ours))
		}
	}
	words := map[string]bool{}
	for _, tag := range []string{"XMP:Subject", "IPTC:Keywords", "EXIF:XPKeywords", "PDF:Keywords", "XML:Keywords", "XML:Keyword",
		"RTF:Keywords"} {
		for _, w := range strings.Split(text(theirs, tag), "|") {
			if w != "" {
				words[w] = true
			}
		}
	}
	a.note(file, "keywords", slices.Sorted(maps.Keys(words)), slices.Sorted(slices.Values(r.Keywords)))
	a.compareDate(file, theirs, r)
	lat, err := strconv.ParseFloat(text(theirs, "Composite:GPSLatitude"), 64)
	long, err2 := strconv.ParseFloat(text(theirs, "Composite:GPSLongitude"), 64)
	if err == nil && err2 == nil && (lat != 0 || long != 0) {
		got := "none"
		if l := r.Location; l != nil && l.Latitude != nil {
			got = fmt.Sprintf("%.4f %.4f", *l.Latitude, *l.Longitude)
		}
		a.note(file, "position", fmt.Sprintf("%.4f %.4f", lat, long), got)
	}
}

// compareDate requires the capture date to equal exiftool's, except for its zone.
func (a *agreement) compareDate(file string, theirs map[string]any, r *media.Result) {
	for _, tag := range []string{"EXIF:DateTimeOriginal", "EXIF:CreateDate", "XMP:DateTimeOriginal", "XMP:DateCreated", "XMP:CreateDate"} {
		s := text(theirs, tag)
		want, err := time.Parse("2006:01:02 15:04:05", s[:min(19, len(s))])
		if err != nil || want.Year() < 1826 || want.Year() >= 2100 {
			continue
		}
		got := any("none")
		if r.CaptureDate != nil {
			got = *r.CaptureDate
			d := r.CaptureDate.Truncate(time.Second).Sub(want)
			if d.Abs() <= 15*time.Hour && math.Mod(d.Minutes(), 15) == 0 {
				got = want
			}
		}
		a.note(file, "date", want, got)
		return
	}
}

// byDal reports whether dal reads a format itself, without an engine.
func byDal(name string) bool {
	return slices.ContainsFunc(media.Rows(), func(r media.Row) bool { return r.Name == name && r.By == "dal" })
}

// otherPictures lists the pictures in the tests of the metadata module, and in the folders
// listed in DAL_SAMPLES, such as the tests of exiftool and exiv2.
func otherPictures(t *testing.T) (files []string) {
	t.Helper()
	folders := filepath.SplitList(os.Getenv("DAL_SAMPLES"))
	if dir, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "github.com/bep/imagemeta").Output(); err == nil {
		folders = append(folders, filepath.Join(strings.TrimSpace(string(dir)), "testdata", "images"))
	}
	for _, folder := range folders {
		err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() && !strings.Contains(path, "/corrupt/") && !hostile.MatchString(d.Name()) {
				files = append(files, path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// hostile matches files that were made to break programs.
var hostile = regexp.MustCompile(`(?i)poc|issue|crash|overflow|corrupt|outofbound|^id[:_]|fuzz|^\d+-|cve|invalid`)

// The metadata read by dal agrees with exiftool, if that and a folder of photos are
// available.
func TestAgreesWithExiftool(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("exiftool"); err != nil || testing.Short() {
		t.Skip("there is no exiftool")
	}
	files, _ := filepath.Glob(filepath.Join(photos(), "*.jpg"))
	files = append(files, withExiftool(t)...)
	samples, _ := filepath.Glob(filepath.Join("testdata", "*.*p*"))
	tiffs, _ := filepath.Glob(filepath.Join("testdata", "tiff", "*.tif"))
	files = append(append(append(files, samples...), tiffs...), otherPictures(t)...)
	p := withEngines(t, media.DefaultLimits())
	a := &agreement{same: map[string]int{}, known: map[string]int{}, all: map[string]int{}}
	read := 0
	for file, theirs := range exiftoolSays(t, files) {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		r, err := extractBy(t, p, data, filepath.Base(file))
		if err != nil {
			t.Logf("%s: %v", filepath.Base(file), err)
			continue
		}
		read++
		a.compare(file, theirs, r)
	}
	t.Logf("%d of %d files were read", read, len(files))
	slices.Sort(a.differ)
	for _, d := range a.differ {
		t.Log(d)
	}
	for _, what := range slices.Sorted(maps.Keys(a.all)) {
		share := 100 * float64(a.same[what]) / float64(a.all[what])
		explained := 100 * float64(a.same[what]+a.known[what]) / float64(a.all[what])
		t.Logf("%-12s %d of %d (%.1f %%), with reasons for the rest %.1f %%", what, a.same[what], a.all[what], share, explained)
		if explained < 98 {
			t.Errorf("%s agrees in %.1f %% only", what, explained)
		}
	}
}
