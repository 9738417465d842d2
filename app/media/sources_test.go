package media_test

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/digital-asset-library/dal/app/media"
)

// inUTF16 encodes a text in UTF-16.
func inUTF16(s string, order binary.AppendByteOrder) []byte {
	var out []byte
	for _, u := range utf16.Encode([]rune(s)) {
		out = order.AppendUint16(out, u)
	}
	return out
}

func compressed(t testing.TB, data []byte) []byte {
	return encoded(t, func(w io.Writer) error {
		z := zlib.NewWriter(w)
		z.Write(data)
		return z.Close()
	})
}

// rawProfile encodes metadata as ImageMagick writes it into a PNG.
func rawProfile(kind string, data []byte) []byte {
	return fmt.Appendf(nil, "\n%s\n%8d\n%s\n", kind, len(data), hex.EncodeToString(data))
}

// photoshop inserts a part of Photoshop's resources into a JPEG.
func photoshop(pic, resources []byte) []byte {
	return segment(pic, 0xed, append([]byte("Photoshop 3.0\x00"), resources...))
}

// Metadata is found wherever programs store it, in any encoding.
func TestWhereMetadataIs(t *testing.T) {
	t.Parallel()
	bare, barePNG, lossy := jpegOf(t, scene(16, 16)), pngOf(t, scene(16, 16)), sample(t, "lossy.webp")
	const key = "XML:com.adobe.xmp\x00"
	inXMP := func(packet []byte) []byte {
		return segment(bare, 0xe1, append([]byte("http://ns.adobe.com/xap/1.0/\x00"), packet...))
	}
	zTXt := func(key string, data []byte) []byte {
		return chunk(barePNG, "zTXt", append([]byte(key+"\x00\x00"), compressed(t, data)...))
	}
	iptc := []byte("\x1c\x02\x05\x00\x07Harbour\x1c\x02\x50\x00\x03Ada")
	resources := append([]byte("8BIM\x03\xed\x00\x00\x00\x00\x00\x02\x00\x008BIM\x04\x04\x01a\x00\x00\x00"), byte(len(iptc)))
	resources = append(append(resources, iptc...), 0)
	titled := func(s string) []byte { return exif([]tag{ascii(0x10e, s), ascii(0x13b, "Ada")}, nil, nil) }
	prefixed := append([]byte("Exif\x00\x00"), titled("Harbour")...)
	panics := exif([]tag{ascii(0x10e, "Harbour"), ascii(0x13b, "Ada")}, []tag{{0xa302, 7, []byte{1, 2}}}, nil)
	badAndXMP := append(riffChunk("EXIF", []byte("X")), riffChunk("XMP ", []byte(xmpPacket))...)
	windows := exif([]tag{
		{0x9c9b, 1, append(inUTF16("Harbour", binary.LittleEndian), 0, 0)},
		{0x9c9d, 1, append(inUTF16("Ada", binary.LittleEndian), 0, 0)},
	}, nil, nil)
	noRoot := strings.NewReplacer(`<x:xmpmeta xmlns:x="adobe:ns:meta/">`, "", "</x:xmpmeta>", "").Replace(xmpPacket)
	otherTitle := strings.Replace(xmpPacket, "<dc:title>", `<q:title xmlns:q="http://example.com/q/">Other</q:title><dc:title>`, 1)
	german := strings.Replace(xmpPacket, "<rdf:Alt><rdf:li", `<rdf:Alt><rdf:li xml:lang="de">Hafen</rdf:li><rdf:li`, 1)
	gif := noiseGIF(t)
	const at = 13 // the palettes belong to the frames
	trailer := []byte{1}
	for v := 255; v >= 0; v-- {
		trailer = append(trailer, byte(v))
	}
	inGIF := append(append(bytes.Clone(gif[:at]), "!\xff\x0bXMP DataXMP"+xmpPacket...), append(append(trailer, 0), gif[at:]...)...)
	for name, data := range map[string][]byte{
		"UTF-8 with a mark.jpg":        inXMP([]byte("\ufeff" + xmpPacket)),
		"UTF-16 BE.jpg":                inXMP(append([]byte{0xfe, 0xff}, inUTF16(xmpPacket, binary.BigEndian)...)),
		"UTF-16 LE.jpg":                inXMP(append([]byte{0xff, 0xfe}, inUTF16(xmpPacket, binary.LittleEndian)...)),
		"UTF-16 without a mark.jpg":    inXMP(inUTF16(xmpPacket, binary.LittleEndian)),
		"UTF-16 that says so.jpg":      inXMP(inUTF16(`<?xml version="1.0" encoding="UTF-16"?>`+xmpPacket, binary.BigEndian)),
		"nothing around.jpg":           inXMP([]byte(noRoot)),
		"another title.jpg":            inXMP([]byte(otherTitle)),
		"German first.jpg":             inXMP([]byte(german)),
		"padded with NUL.jpg":          inXMP(append([]byte(xmpPacket), make([]byte, 100)...)),
		"a stray NUL.jpg":              inXMP([]byte(strings.Replace(xmpPacket, "</rdf:RDF>", "\x00</rdf:RDF>", 1))),
		"zTXt.png":                     zTXt(strings.TrimSuffix(key, "\x00"), []byte(xmpPacket)),
		"tEXt.png":                     chunk(barePNG, "tEXt", []byte(key+xmpPacket)),
		"ImageMagick's xmp.png":        zTXt("Raw profile type xmp", rawProfile("xmp", []byte(xmpPacket))),
		"ImageMagick's iptc.png":       zTXt("Raw profile type iptc", rawProfile("iptc", resources)),
		"ImageMagick's exif.png":       zTXt("Raw profile type exif", rawProfile("exif", append([]byte("Exif\x00\x00"), titled("Harbour")...))),
		"eXIf.png":                     chunk(barePNG, "eXIf", titled("Harbour")),
		"XMP of EXIF.jpg":              withEXIF(bare, exif([]tag{{0x2bc, 1, []byte(xmpPacket)}}, nil, nil)),
		"IPTC of EXIF.jpg":             withEXIF(bare, exif([]tag{{0x83bb, 7, iptc}}, nil, nil)),
		"IPTC of EXIF as numbers.tif":  tiffOf(scene(8, 8), tag{0x83bb, 4, append(bytes.Clone(iptc), 0, 0)}),
		"Photoshop.jpg":                photoshop(bare, resources),
		"Photoshop.tif":                tiffOf(scene(8, 8), tag{0x8649, 7, resources}),
		"Photoshop in two.jpg":         photoshop(photoshop(bare, resources[30:]), resources[:30]),
		"Windows.jpg":                  withEXIF(bare, windows),
		"NUL in the middle.jpg":        withEXIF(bare, titled("Harbour\x00rubbish")),
		"prefix.webp":                  withChunks(lossy, 0x08, 170, 48, nil, riffChunk("EXIF", prefixed)),
		"flags forgotten.webp":         withChunks(lossy, 0, 170, 48, nil, riffChunk("XMP ", []byte(xmpPacket))),
		"XMP.gif":                      inGIF,
		"bad EXIF, XMP.jpg":            withXMP(withEXIF(bare, []byte("II*\x00\x00\xff\xff\x7f")), xmpPacket),
		"bad EXIF, IPTC.jpg":           withIPTC(withEXIF(bare, []byte("XX")), record{5, "Harbour"}, record{80, "Ada"}),
		"bad XMP, EXIF.jpg":            withXMP(withEXIF(bare, titled("Harbour")), "<x"),
		"bad tag among others.jpg":     withEXIF(bare, exif([]tag{ascii(0x10e, "Harbour"), {0x10f, 99, nil}, ascii(0x13b, "Ada")}, nil, nil)),
		"value that panics.jpg":        withEXIF(bare, panics),
		"bad EXIF, XMP.png":            chunk(chunk(barePNG, "eXIf", []byte("XX")), "iTXt", []byte(key+"\x00\x00\x00\x00"+xmpPacket)),
		"bad EXIF, XMP.webp":           withChunks(lossy, 0x0c, 170, 48, nil, badAndXMP),
		"half of XMP, after title.jpg": withXMP(bare, xmpPacket[:strings.Index(xmpPacket, "<dc:rights>")+20]),
		"half of IPTC, after title.jpg": segment(bare, 0xed,
			append([]byte("Photoshop 3.0\x008BIM\x04\x04\x00\x00\x00\x00\x00\x40"), append(iptc, 0x1c, 2, 25, 0, 99)...)),
	} {
		name = strings.ReplaceAll(name, "'", "")
		r, err := extract(data, name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if r.Title != "Harbour" || r.Creator != "Ada" {
			t.Errorf("%s: %q by %q, %v", name, r.Title, r.Creator, r.Technical)
		}
		isBad := strings.HasPrefix(name, "bad") || strings.HasPrefix(name, "half") || strings.Contains(name, "panics")
		if problem := fact(r.Technical, "metadata_error"); (problem != nil) != isBad {
			t.Errorf("%s: told %v", name, problem)
		}
	}
}

// A text that is not UTF-8 is decoded as Latin-1, and both texts of a copyright tag count.
func TestTextsInLatin1(t *testing.T) {
	t.Parallel()
	bare := jpegOf(t, scene(16, 16))
	for name, tt := range map[string]struct {
		data []byte
		want string
		get  func(*media.Result) string
	}{
		"EXIF":             {withEXIF(bare, exif([]tag{ascii(0x10e, "Gru\xdf aus K\xf6ln")}, nil, nil)), "Gruß aus Köln", title},
		"EXIF in UTF-8":    {withEXIF(bare, exif([]tag{ascii(0x10e, "Gruß aus Köln")}, nil, nil)), "Gruß aus Köln", title},
		"IPTC":             {withIPTC(bare, record{5, "Gru\xdf aus K\xf6ln"}), "Gruß aus Köln", title},
		"IPTC in UTF-8":    {withIPTC(bare, record{5, "Gruß aus Köln"}), "Gruß aus Köln", title},
		"IPTC of Windows":  {withIPTC(bare, record{5, "\x93K\xf6ln\x94"}), "“Köln”", title},
		"IPTC that is off": {withIPTC(bare, record{0, "abc"}, record{5, "Köln"}), "Köln", title},
		"copyright":        {withEXIF(bare, exif([]tag{ascii(0x8298, "Ada \x00Bob")}, nil, nil)), "Ada, Bob", copyright},
		"editor alone":     {withEXIF(bare, exif([]tag{ascii(0x8298, " \x00Bob")}, nil, nil)), "Bob", copyright},
	} {
		r, err := extract(tt.data, "a.jpg")
		if err != nil || tt.get(r) != tt.want {
			t.Errorf("%s: %v, want %s, %v", name, r, tt.want, err)
		}
	}
}

func title(r *media.Result) string     { return r.Title }
func copyright(r *media.Result) string { return r.Copyright }

// The coordinates in XMP count if EXIF has none.
func TestPositionOfXMP(t *testing.T) {
	t.Parallel()
	for attributes, want := range map[string]string{
		`exif:GPSLatitude="43,28.0469N" exif:GPSLongitude="11,53.1076E"`:  "43.467448 11.885127",
		`exif:GPSLatitude="33,30,0S" exif:GPSLongitude="70,15,36W"`:       "-33.5 -70.26",
		`exif:GPSLatitude="95,0N" exif:GPSLongitude="11,0E"`:              "",
		`exif:GPSLatitude="north" exif:GPSLongitude="11,0E"`:              "",
		`exif:GPSLatitude="0,0N" exif:GPSLongitude="0,0E"`:                "",
		`exif:GPSLatitude="43,28.0469N" exif:GPSLongitude="11,53.1076EE"`: "",
	} {
		packet := xmpHead + `<rdf:Description xmlns:exif="http://ns.adobe.com/exif/1.0/" ` + attributes + `/></rdf:RDF></x:xmpmeta>`
		r, err := extract(withXMP(jpegOf(t, scene(8, 8)), packet), "a.jpg")
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if r.Location != nil {
			got = fmt.Sprint(*r.Location.Latitude, *r.Location.Longitude)
		}
		if got != want {
			t.Errorf("%s: %s, want %s", attributes, got, want)
		}
	}
}

// Data that expands excessively is reported, and not read.
func TestMetadataBombs(t *testing.T) {
	t.Parallel()
	bomb := compressed(t, make([]byte, 64<<20))
	offsets := make([]uint32, 2500)
	for i := range offsets {
		offsets[i] = uint32(8 + 18 + 4*len(offsets))
	}
	loops := append([]byte("II*\x00\x08\x00\x00\x00"), directory(8, long(0x14a, offsets...))...)
	deep := xmpHead + `<rdf:Description xmlns:q="q">` + strings.Repeat("<q:a>", 600_000)
	for name, tt := range map[string]struct {
		data []byte
		told bool
	}{
		"zTXt.png":    {chunk(pngOf(t, scene(8, 8)), "zTXt", append([]byte("XML:com.adobe.xmp\x00\x00"), bomb...)), true},
		"profile.png": {chunk(pngOf(t, scene(8, 8)), "zTXt", append([]byte("Raw profile type exif\x00\x00"), bomb...)), true},
		"subIFDs.png": {chunk(pngOf(t, scene(8, 8)), "eXIf", loops), false},
		"deep.png":    {chunk(pngOf(t, scene(8, 8)), "tEXt", []byte("XML:com.adobe.xmp\x00"+deep)), true},
	} {
		r, err := extract(tt.data, name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if problem := fact(r.Technical, "metadata_error"); (problem != nil) != tt.told {
			t.Errorf("%s: told %v", name, problem)
		}
	}
}
