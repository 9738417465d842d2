package media_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/media"
)

func TestPDF(t *testing.T) {
	t.Parallel()
	p := withEngines(t, media.DefaultLimits())
	data, err := os.ReadFile("testdata/pdf/two-pages.pdf")
	if err != nil {
		t.Fatal(err)
	}
	r, err := extractBy(t, p, data, "harbour.pdf")
	if err != nil {
		t.Fatal(err)
	}
	if r.Type.Category != dam.CategoryDocument || r.PageCount != 2 || r.Width != 200 || r.Height != 100 || r.Title != "The harbour" ||
		r.Creator != "Ada" || r.Description != "Ships" || r.Text != "Harbour master\nSecond quay" {
		t.Errorf("%+v", r.Facts)
	}
	if red, _, blue := at(t, r, 20, 20); red > 40 || blue < 200 {
		t.Errorf("left is %d, %d", red, blue)
	}
	if red, _, blue := at(t, r, 80, 20); red < 220 || blue > 40 {
		t.Errorf("right is %d, %d", red, blue)
	}
	if media.Showable(r.Type.MIME) {
		t.Error("a browser is to show a PDF, which can have a program")
	}
	if r, err = extractBy(t, withEngines(t, media.DefaultLimits(), "pdfium"), data, "harbour.pdf"); err != nil || r.Picture != nil {
		t.Errorf("without the engine: %v", err)
	}
}

// A password-protected document is accepted and marked as such.
func TestLockedPDF(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/pdf/locked.pdf")
	if err != nil {
		t.Fatal(err)
	}
	r, err := extractBy(t, withEngines(t, media.DefaultLimits()), data, "locked.pdf")
	if err != nil || r.Picture != nil || file(r)["no_preview"] != "the document is protected by a password" {
		t.Errorf("%v, %+v", err, r)
	}
}

// Hostile documents are read, or rejected with a reason, and no worker remains afterwards.
func TestHostilePDF(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("minutes with the race detector, which .ci/run uses with -short")
	}
	pool := enginePool(t)
	p := media.New(media.DefaultLimits()).With(pool)
	data, err := os.ReadFile("testdata/pdf/two-pages.pdf")
	if err != nil {
		t.Fatal(err)
	}
	swap := func(old, with string) []byte { return bytes.ReplaceAll(data, []byte(old), []byte(with)) }
	all := [][]byte{
		[]byte("%PDF-1.7"), []byte("%PDF-1.7\n" + strings.Repeat("<<", 100_000)),
		swap("[0 0 200 100]", "[0 0 1e9 1e9]"), swap("[0 0 200 100]", "[0 0 0 0]"), swap("[0 0 200 100]", "[0 0 999999 1]"),
		swap("/Count 2", "/Count 2000000000"), swap("[3 0 R 4 0 R]", "[2 0 R 2 0 R]"), // pages that contain themselves
		swap("/Contents 5 0 R", "/Contents 3 0 R"), swap("rg 0 0 100", "rg 0 0 1e30"),
	}
	r := rand.New(rand.NewPCG(3, 4))
	for i := range 200 {
		b := bytes.Clone(data)
		for range 1 + r.IntN(8) {
			b[r.IntN(len(b))] = byte(r.Uint32())
		}
		if i%4 == 3 {
			b = b[:1+r.IntN(len(b))]
		}
		all = append(all, b)
	}
	for i, b := range all {
		_, err := extractBy(t, p, b, "")
		fault, ok := errors.AsType[*dam.FileError](err)
		if err != nil && !ok || ok && fault.Retryable {
			t.Errorf("%d, %.60q: %v", i, b, err)
		}
	}
	if left := pool.Running(); len(left) > 1 {
		t.Errorf("%d workers for files one by one", len(left))
	}
	if _, err := extractBy(t, p, data, "harbour.pdf"); err != nil {
		t.Error(err)
	}
}

// onePage is a document whose page has the given entries.
func onePage(entries string) []byte {
	b := []byte("%PDF-1.6\n")
	var places []int
	for i, object := range []string{
		"<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [ 3 0 R ] /Count 1 >>",
		"<< /Type /Pages /Parent 2 0 R /Kids [4 0 R] /Count 1 >>",
		"<< /Type /Page /Parent 3 0 R /MediaBox [0 0 200 100] " + entries + " >>",
	} {
		places = append(places, len(b))
		b = fmt.Appendf(b, "%d 0 obj\n%s\nendobj\n", i+1, object)
	}
	start := len(b)
	b = fmt.Appendf(b, "xref\n0 %d\n0000000000 65535 f \n", len(places)+1)
	for _, at := range places {
		b = fmt.Appendf(b, "%010d 00000 n \n", at)
	}
	return fmt.Appendf(b, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(places)+1, start)
}

// The size of a page in points takes its unit into account (ISO 32000-2, table 31).
func TestUserUnit(t *testing.T) {
	t.Parallel()
	p := withEngines(t, media.DefaultLimits())
	for entries, want := range map[string][2]int{
		"": {200, 100}, "/UserUnit 10": {2000, 1000}, "/UserUnit 1.5": {300, 150}, "/UserUnit 0.001": {1, 1}, "/UserUnit -2": {200, 100},
		"/UserUnit 0": {200, 100}, "/UserUnit 99999": {200, 100}, "/UserUnit (x)": {200, 100}, "/UserUnit NaN": {200, 100},
		"/UserUnit 10 /Rotate 90": {1000, 2000},
	} {
		r, err := extractBy(t, p, onePage(entries), "a.pdf")
		if err != nil || r.Width != want[0] || r.Height != want[1] || r.PageCount != 1 || r.Picture == nil {
			t.Errorf("%s: %d × %d, %v", entries, r.Width, r.Height, err)
		}
	}
}
