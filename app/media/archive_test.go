package media_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"strings"
	"testing"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/media"
)

// gzipOf compresses data with gzip.
func gzipOf(t testing.TB, data string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := w.Write([]byte(data))
	if err = errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// The entries of an archive are listed and searchable, and its card does not count as its
// picture.
func TestArchive(t *testing.T) {
	t.Parallel()
	p := withEngines(t, media.DefaultLimits())
	r, err := extractBy(t, p, zipOf(t, "holiday/beach.txt", "sand", "run.exe", "MZ"), "photos.zip")
	if err != nil {
		t.Fatal(err)
	}
	about, _ := r.Technical["archive"].(map[string]any)
	entries, _ := about["entries"].([]any)
	if about["kind"] != "zip" || about["files"] != 2.0 || about["unpacked_size"] != 6.0 || len(entries) != 2 ||
		r.Text != "holiday/beach.txt\nrun.exe" || r.Type.Category != dam.CategoryDocument || r.Type.Showable {
		t.Errorf("%+v", r.Facts)
	}
	if r.Picture == nil || r.Picture.PHash != 0 || file(r)["preview"] != "a card with the beginning of the list of its files" {
		t.Errorf("%v, %v", r.Picture, file(r))
	}
	r, err = extractBy(t, p, gzipOf(t, "a text"), "notes.txt.gz")
	if err != nil || r.Type.MIME != "application/gzip" || r.Technical["archive"] == nil {
		t.Errorf("%+v, %v", r, err)
	}
}

// sparse is a file of an arbitrary size with only its head filled.
type sparse struct {
	head string
	size int64
}

func (s sparse) ReadAt(p []byte, off int64) (int, error) {
	clear(p)
	if off < int64(len(s.head)) {
		copy(p, s.head[off:])
	}
	return len(p), nil
}

// A file that is too large for the engine is accepted, with the reason for the missing
// preview.
func TestTooLargeForEngine(t *testing.T) {
	t.Parallel()
	big := sparse{"8BPS\x00\x02", 600 << 20}
	r, err := withEngines(t, media.DefaultLimits()).Extract(t.Context(), big, big.size, "a.psb")
	if err != nil || r.Picture != nil || file(r)["no_preview"] != "it is larger than 512 MiB, the most that the engine magick reads" {
		t.Errorf("%+v, %v", r, err)
	}
}

// Damaged archives are rejected; a file without an available engine states why it has no
// preview.
func TestArchiveFaults(t *testing.T) {
	t.Parallel()
	p := withEngines(t, media.DefaultLimits())
	whole := zipOf(t, "holiday/beach.txt", "sand")
	_, err := extractBy(t, p, whole[:len(whole)-10], "photos.zip")
	wantFault(t, "a ZIP archive without its end", err, dam.CodeCorrupt, damaged)
	_, err = extractBy(t, p, append(gzipOf(t, strings.Repeat("a", 1000)), "more"...), "a.gz")
	wantFault(t, "more than a file", err, dam.CodeCorrupt, damaged)
	r, err := extractBy(t, withEngines(t, media.DefaultLimits(), "archive"), whole, "photos.zip")
	if err != nil || r.Picture != nil || r.Text != "" || r.Technical["archive"] != nil ||
		file(r)["no_preview"] != "the engine archive, which reads ZIP files, is switched off or missing" {
		t.Errorf("without its engine: %+v, %v", r, err)
	}
}
