package embed_test

import (
	"bytes"
	"compress/zlib"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/digital-asset-library/dal/app/media/embed"
)

// packetOfPDF is the previous metadata of some documents.
const packetOfPDF = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">` +
	`<rdf:Description rdf:about="" xmlns:pdf="http://ns.adobe.com/pdf/1.3/" pdf:Producer="a maker"/></rdf:RDF></x:xmpmeta>`

// madePDF returns a document of one page whose objects are located by a table or by streams.
// More entries can be added to its catalog and its trailer.
func madePDF(t testing.TB, streams, metadata bool, catalog, trailer string) []byte {
	t.Helper()
	var b bytes.Buffer
	at := map[int]int{}
	b.WriteString("%PDF-1.6\n%\xe2\xe3\xcf\xd3\n")
	object := func(n int, text string) {
		at[n] = b.Len()
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", n, text)
	}
	stream := func(n int, entries string, data []byte) {
		object(n, fmt.Sprintf("<<%s /Length %d>>\nstream\r\n%s\nendstream", entries, len(data), data))
	}
	if metadata {
		catalog += " /Metadata 6 0 R"
	}
	plain := map[int]string{
		1: "<< /Type /Catalog % a note >>\n /Pages 2 0 R " + catalog + " >>", 2: "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
		3: "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 100] /Contents 4 0 R /Resources << /Font << /F << /Type /Font " +
			"/Subtype /Type1 /BaseFont /Helvetica >> >> >> >>",
		5: `<< /Title (Old \(title\) \344) /Author <feff0041> >>`,
	}
	stream(4, "", []byte("BT /F 12 Tf 20 50 Td (Some words) Tj ET"))
	if metadata {
		stream(6, "/Type /Metadata /Subtype /XML", []byte(packetOfPDF))
	}
	ends := " /Root 1 0 R /Info 5 0 R /ID [<00> <01>]" + trailer
	if !streams {
		for _, n := range []int{1, 2, 3, 5} {
			object(n, plain[n])
		}
		start := b.Len()
		fmt.Fprintf(&b, "xref\n0 7\n0000000000 65535 f\r\n")
		for n := 1; n < 7; n++ {
			if at[n] == 0 {
				b.WriteString("0000000000 00001 f\r\n")
				continue
			}
			fmt.Fprintf(&b, "%010d 00000 n\r\n", at[n])
		}
		fmt.Fprintf(&b, "trailer\n<< /Size 7%s >>\nstartxref\n%d\n%%%%EOF\n", ends, start)
		return b.Bytes()
	}
	var head, body string
	order := []int{1, 2, 3, 5}
	for _, n := range order {
		head += fmt.Sprintf("%d %d ", n, len(body))
		body += plain[n] + "\n"
	}
	stream(7, fmt.Sprintf("/Type /ObjStm /N 4 /First %d /Filter /FlateDecode", len(head)), packed(t, []byte(head+body)))
	start := b.Len()
	var rows []byte
	before := make([]byte, 5)
	for n := range 9 {
		row := []byte{0, 0, 0, 0, 0}
		switch i := map[int]int{1: 1, 2: 2, 3: 3, 5: 4}[n]; {
		case i > 0:
			row = []byte{2, 0, 0, 7, byte(i - 1)}
		case n == 8:
			row = []byte{1, 0, byte(start >> 8), byte(start), 0}
		case at[n] > 0:
			row = []byte{1, 0, byte(at[n] >> 8), byte(at[n]), 0}
		}
		rows = append(rows, 2) // up
		for i, c := range row {
			rows = append(rows, c-before[i])
		}
		before = row
	}
	stream(8, "/Type /XRef /Size 9 /W [1 3 1] /Filter /FlateDecode /DecodeParms << /Predictor 12 /Columns 5 >>"+ends, packed(t, rows))
	fmt.Fprintf(&b, "startxref\n%d\n%%%%EOF\n", start)
	return b.Bytes()
}

func packed(t testing.TB, data []byte) []byte {
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	if _, err := z.Write(data); err != nil || z.Close() != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// A document gets an incremental update in the form that it uses, and nothing else changes.
func TestPDF(t *testing.T) {
	t.Parallel()
	files := map[string][]byte{}
	for _, streams := range []bool{false, true} {
		for _, metadata := range []bool{false, true} {
			files[fmt.Sprintf("%v-%v.pdf", streams, metadata)] = madePDF(t, streams, metadata, "", "")
		}
	}
	for name, data := range samples(t) {
		if filepath.Ext(name) == ".pdf" && name != "locked.pdf" {
			files[name] = data
		}
	}
	for name, data := range files {
		t.Run(name, func(t *testing.T) {
			out := written(t, "application/pdf", data, fields)
			if !bytes.HasPrefix(out, data) {
				t.Error("what was there is not there any more")
			}
			_, before, err := embed.ReadPDF(bytes.NewReader(data), int64(len(data)))
			if err != nil {
				t.Fatal(err)
			}
			xmp, info, err := embed.ReadPDF(bytes.NewReader(out), int64(len(out)))
			if err != nil || fmt.Sprint(info) != fmt.Sprint(before) {
				t.Errorf("%v: %v, %v", before, info, err)
			}
			said := embed.Read(xmp)
			if said["dc:title"][0] != fields.Title || fmt.Sprint(said["dc:subject"]) != fmt.Sprint(fields.Keywords) {
				t.Error(said)
			}
			if strings.HasSuffix(name, "-true.pdf") && said["pdf:Producer"][0] != "a maker" {
				t.Error(said)
			}
			again := written(t, "application/pdf", out, said2("Another"))
			if xmp, _, err := embed.ReadPDF(bytes.NewReader(again), int64(len(again))); err != nil || embed.Read(xmp)["dc:title"][0] != "Another" {
				t.Errorf("%s, %v", xmp, err)
			}
			byPoppler(t, data, out, again)
		})
	}
	made := files["true-true.pdf"]
	if _, info, err := embed.ReadPDF(bytes.NewReader(made), int64(len(made))); info["Title"] != "Old (title) ä" || info["Author"] != "A" {
		t.Error(info, err)
	}
}

func said2(title string) said { return said{Title: title} }

// byPoppler checks that another program reads the document unchanged, if it is available.
func byPoppler(t *testing.T, data []byte, copies ...[]byte) {
	t.Helper()
	if _, err := exec.LookPath("pdfinfo"); err != nil {
		t.Log("there is no pdfinfo")
		return
	}
	dir := t.TempDir()
	run := func(file, name string, args ...string) string {
		out, err := exec.CommandContext(t.Context(), name, append(args, file)...).CombinedOutput()
		if err != nil || bytes.Contains(out, []byte("Error")) {
			t.Errorf("%s: %s, %v", name, out, err)
		}
		var kept []string
		for line := range strings.Lines(string(out)) {
			if !strings.HasPrefix(line, "File size") && !strings.HasPrefix(line, "Metadata Stream") {
				kept = append(kept, line)
			}
		}
		return strings.Join(kept, "")
	}
	var want string
	for i, b := range append([][]byte{data}, copies...) {
		file := filepath.Join(dir, fmt.Sprint(i, ".pdf"))
		if err := os.WriteFile(file, b, 0o600); err != nil {
			t.Fatal(err)
		}
		got := run(file, "pdfinfo")
		if i == 0 {
			want = got
		} else if got != want {
			t.Errorf("pdfinfo says\n%s, and of the file\n%s", got, want)
		}
		if i == 1 {
			if meta := run(file, "pdfinfo", "-meta"); !strings.Contains(meta, "Ada Lovelace") {
				t.Errorf("pdfinfo has no metadata: %s", meta)
			}
		}
	}
}

// A document with a stream whose length is stored in that stream itself is damaged.
func TestPDFThatNeedsItself(t *testing.T) {
	t.Parallel()
	data := madePDF(t, true, true, "", "")
	long := regexp.MustCompile(`(7 0 obj\n<</Type) (/ObjStm) (/N 4 .*/Length )\d{3}>>`)
	data = long.ReplaceAll(data, []byte("$1$2$3${empty}5 0 R>>"))
	if !bytes.Contains(data, []byte("/Length 5 0 R>>")) {
		t.Fatal("the document is not made as the test needs it")
	}
	if _, _, err := embed.ReadPDF(bytes.NewReader(data), int64(len(data))); !errors.Is(err, embed.ErrDamaged) {
		t.Error(err)
	}
	_, err := embed.New("application/pdf", bytes.NewReader(data), int64(len(data)), fields.properties())
	if !errors.Is(err, embed.ErrDamaged) {
		t.Error(err)
	}
}

// Documents that a change would break are rejected.
func TestPDFIsRefused(t *testing.T) {
	t.Parallel()
	locked := samples(t)["locked.pdf"]
	for name, c := range map[string]struct {
		data []byte
		want error
	}{
		"encrypted": {madePDF(t, false, false, "", " /Encrypt << /Filter /Standard >>"), embed.ErrEncrypted},
		"locked":    {locked, embed.ErrEncrypted},
		"signed":    {madePDF(t, true, true, "/AcroForm << /Fields [] /SigFlags 3 >>", ""), embed.ErrSigned},
		"certified": {madePDF(t, false, true, "/Perms << /DocMDP 4 0 R >>", ""), embed.ErrSigned},
		"cut off":   {madePDF(t, false, false, "", "")[:300], embed.ErrDamaged},
		"no PDF":    {[]byte("%PDF-1.4\nstartxref\n2\n"), embed.ErrDamaged},
	} {
		_, err := embed.New("application/pdf", bytes.NewReader(c.data), int64(len(c.data)), fields.properties())
		if !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzPageUnit(f *testing.F) {
	for _, packed := range []bool{false, true} {
		f.Add(madePDF(f, packed, packed, "", ""))
		f.Add(bytes.ReplaceAll(madePDF(f, packed, false, "", ""), []byte("/Type /Page "), []byte("/UserUnit 2 ")))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if unit := embed.PageUnit(bytes.NewReader(data), int64(len(data))); !(unit > 0 && unit <= 75_000) {
			t.Errorf("the unit is %g", unit)
		}
	})
}
