package embed_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/digital-asset-library/dal/app/media/embed"
)

const secret = "SECRET of a damaged file"

// damagedFiles returns files in which damage makes metadata look like a part of the picture, by
// name; the first word of a name is the MIME type.
func damagedFiles(t testing.TB) map[string][]byte {
	t.Helper()
	all := samples(t)
	list := map[string][]byte{}
	insert := func(data []byte, at int, more ...string) []byte {
		return append(append(bytes.Clone(data[:at]), strings.Join(more, "")...), data[at:]...)
	}
	length := func(n int) string { return string(binary.BigEndian.AppendUint32(nil, uint32(n))) }
	for marker := 0xc0; marker < 0xe0; marker++ {
		head := "\xff" + string([]byte{byte(marker)})
		list[fmt.Sprintf("image/jpeg segment %x", marker)] = insert(all["420.jpg"], 2, head, "\x00", string(rune(len(secret)+2)), secret)
	}
	for _, kind := range strings.Fields("PLTE IDAT tRNS cHRM gAMA iCCP sBIT sRGB cICP mDCV cLLI bKGD hIST pHYs sPLT acTL fcTL fdAT") {
		list["image/png chunk "+kind] = insert(all["made.png"], 33, length(len(secret)), kind, secret, "\x00\x00\x00\x00")
	}
	for _, kind := range []string{"ALPH", "ANIM", "ANMF", "ICCP", "VP8 ", "VP8L", "VP8X"} {
		size := string([]byte{byte(len(secret)), 0, 0, 0})
		for _, data := range []string{"lossy.webp", "alpha.webp", "animated.webp"} {
			out := append(bytes.Clone(all[data]), kind+size+secret...)
			binary.LittleEndian.PutUint32(out[4:], uint32(len(out)-8))
			list["image/webp chunk "+kind+" in "+data] = out
		}
	}
	frame := bytes.Clone(all["animated.webp"])
	at := bytes.Index(frame, []byte("ANMF"))
	n := int(binary.LittleEndian.Uint32(frame[at+4:]))
	frame = insert(frame, at+8+n+n&1, "EXIF", string([]byte{byte(len(secret)), 0, 0, 0}), secret)
	binary.LittleEndian.PutUint32(frame[at+4:], uint32(n+n&1+8+len(secret)))
	binary.LittleEndian.PutUint32(frame[4:], uint32(len(frame)-8))
	list["image/webp frame"] = frame

	picture := madeGIF(t)
	list["image/gif frame"] = insert(picture, 13+3<<(picture[10]&7+1)*int(picture[10]>>7),
		",\x00\x00\x00\x00\x01\x00\x01\x00\x00", "\x0c\x18"+secret+"\x00")
	for _, name := range []string{"gray16.tif", "be.tif"} {
		says := []embed.Property{{Path: "dc:title", Texts: []string{secret}}}
		c, err := embed.New("image/tiff", bytes.NewReader(all[name]), int64(len(all[name])), says)
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(c)
		if err != nil {
			t.Fatal(err)
		}
		var order binary.ByteOrder = binary.LittleEndian
		if data[0] == 'M' {
			order = binary.BigEndian
		}
		for tag, kind := range map[uint16]uint16{273: 0, 258: 3, 277: 2} { // strips, numbers, a number that is a text
			out := bytes.Clone(data)
			first := int(order.Uint32(out[4:]))
			for e := range int(order.Uint16(out[first:])) {
				entry := out[first+2+12*e:]
				if order.Uint16(entry) != tag {
					continue
				}
				where := uint32(bytes.Index(out, []byte(secret)))
				if kind != 0 {
					order.PutUint16(entry[2:], kind)
					order.PutUint32(entry[4:], uint32(len(secret))/map[uint16]uint32{3: 2, 2: 1}[kind])
				}
				if kind == 0 && order.Uint32(entry[4:]) > 1 { // the list of offsets
					order.PutUint32(out[order.Uint32(entry[8:]):], where)
					continue
				}
				order.PutUint32(entry[8:], where)
			}
			list[fmt.Sprintf("image/tiff tag %d of %s", tag, name)] = out
		}
	}
	for name, data := range movies(t) {
		at := bytes.Index(data, []byte("stco"))
		if udta := bytes.Index(data, []byte("Halves")); at > 0 && udta > 0 {
			data = bytes.ReplaceAll(data, []byte("Halves"), []byte(secret[:6]))
			binary.BigEndian.PutUint32(data[at+12:], uint32(udta))
			list[mimeOf(t, data)+" chunk of "+name] = data
		}
	}
	for name, data := range stills(t) {
		data = stripped(t, mimeOf(t, data), data, []embed.Property{{Path: "dc:title", Texts: []string{secret}}})
		says := bytes.Index(data, []byte("mdat")) + 4
		const end = `<?xpacket end="r"?>`
		pixels := bytes.Index(data, []byte(end)) + len(end)
		where := bytes.LastIndex(data[:says], binary.BigEndian.AppendUint32(nil, uint32(pixels)))
		if where < 0 {
			t.Fatalf("%s: no item begins at %d", name, pixels)
		}
		binary.BigEndian.PutUint32(data[where:], uint32(says))
		list[mimeOf(t, data)+" item of "+name] = data
	}
	return list
}

// Metadata that damage makes look like a part of the picture is not in the copy: it is omitted,
// or no copy is made.
func TestStripDamaged(t *testing.T) {
	t.Parallel()
	refused := map[string]int{}
	for name, data := range damagedFiles(t) {
		mime, _, _ := strings.Cut(name, " ")
		if !bytes.Contains(data, []byte(secret[:6])) {
			t.Fatalf("%s is not made as the test needs it", name)
		}
		plan, err := embed.Strip(mime, bytes.NewReader(data), int64(len(data)), nil)
		if err != nil {
			if refused[mime]++; !errors.Is(err, embed.ErrDamaged) && !errors.Is(err, embed.ErrNotTaken) {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		out, err := io.ReadAll(plan.Of(bytes.NewReader(data)))
		if err != nil || bytes.Contains(out, []byte(secret[:6])) {
			t.Errorf("%s is in the copy, %v", name, err)
		}
	}
	for _, mime := range strings.Fields("image/jpeg image/png image/webp image/gif image/tiff image/heic image/avif video/mp4") {
		if refused[mime] == 0 {
			t.Errorf("no copy of %s is refused", mime)
		}
	}
}

// besidePicture returns the bytes of a copy except those of its picture and its colour profile;
// nothing for formats other than JPEG, PNG and WebP.
func besidePicture(mime string, out []byte) (rest []byte) {
	take := func(n int, isPicture bool) {
		n = max(1, min(n, len(out)))
		if !isPicture {
			rest = append(rest, out[:n]...)
		}
		out = out[n:]
	}
	switch mime {
	case "image/jpeg":
		for take(2, false); len(out) >= 4; {
			marker := out[1]
			take(2+int(binary.BigEndian.Uint16(out[2:])), marker == 0xe2)
			if marker == 0xda {
				take(bytes.Index(append(out, 0xff, 0xd9), []byte{0xff, 0xd9}), true)
			}
		}
	case "image/png":
		for take(8, false); len(out) >= 12; {
			kind := string(out[4:8])
			take(12+int(binary.BigEndian.Uint32(out)), strings.Contains("IDAT fdAT iCCP", kind))
		}
	case "image/webp":
		for take(12, false); len(out) >= 8; {
			kind, n := string(out[:4]), int(binary.LittleEndian.Uint32(out[4:]))
			take(8+n+n&1, strings.Contains("VP8 VP8L ALPH ANMF ICCP", kind))
		}
	}
	return rest
}
