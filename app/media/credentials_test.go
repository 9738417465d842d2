package media_test

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math/big"
	"testing"
	"time"

	"github.com/digital-asset-library/dal/app/media"
)

// cbor encodes texts, byte strings, integers, lists, and maps given as lists of pairs.
func cbor(v any) []byte {
	head := func(major byte, n int) []byte {
		if n < 24 {
			return []byte{major<<5 | byte(n)}
		}
		return binary.BigEndian.AppendUint32([]byte{major<<5 | 26}, uint32(n))
	}
	switch v := v.(type) {
	case int:
		return head(0, v)
	case []byte:
		return append(head(2, len(v)), v...)
	case string:
		return append(head(3, len(v)), v...)
	case []any:
		b := head(4, len(v))
		for _, x := range v {
			b = append(b, cbor(x)...)
		}
		return b
	case [][2]any:
		b := head(5, len(v))
		for _, pair := range v {
			b = append(append(b, cbor(pair[0])...), cbor(pair[1])...)
		}
		return b
	}
	panic("a type without CBOR")
}

func box(kind string, parts ...[]byte) []byte {
	content := bytes.Join(parts, nil)
	return append(append(binary.BigEndian.AppendUint32(nil, uint32(8+len(content))), kind...), content...)
}

// superbox encodes a box with a label.
func superbox(uuid, name string, parts ...[]byte) []byte {
	description := box("jumd", []byte(uuid+"\x00\x11\x00\x10\x80\x00\x00\xaa\x00\x38\x9b\x71\x03"+name+"\x00"))
	return box("jumb", append([][]byte{description}, parts...)...)
}

// manifests returns Content Credentials as a camera would sign them.
func manifests(t testing.TB) []byte {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	about := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "Camera 1", Organization: []string{"Ada's Cameras"}},
		NotBefore: time.Unix(0, 0), NotAfter: time.Unix(1<<32, 0),
	}
	cert, err := x509.CreateCertificate(rand.Reader, about, about, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	signature := cbor([]any{cbor([][2]any{{1, 6}, {33, []any{cert}}}), [][2]any{}, []byte("payload"), []byte("signature")})
	actions := cbor([][2]any{{"actions", []any{[][2]any{
		{"action", "c2pa.created"}, {"digitalSourceType", "http://cv.iptc.org/newscodes/digitalsourcetype/trainedAlgorithmicMedia"},
	}}}})
	claim := cbor([][2]any{{"claim_generator_info", []any{[][2]any{{"name", "Maker 2.0"}}}}, {"dc:title", "A scene"}})
	return superbox("c2pa", "c2pa", superbox("c2ma", "urn:c2pa:1",
		superbox("c2as", "c2pa.assertions", superbox("cbor", "c2pa.actions.v2", box("cbor", actions))),
		superbox("c2cl", "c2pa.claim.v2", box("cbor", claim)),
		superbox("c2cs", "c2pa.signature", box("cbor", append([]byte{0xd2}, signature...)))))
}

// Content Credentials are recognized, including their signer.
func TestContentCredentials(t *testing.T) {
	t.Parallel()
	store := manifests(t)
	jpeg := jpegOf(t, scene(40, 30))
	segment := func(number uint32, part []byte) []byte {
		content := append(binary.BigEndian.AppendUint32([]byte("JP\x00\x01"), number), part...)
		return append(binary.BigEndian.AppendUint16([]byte{0xff, 0xeb}, uint16(len(content)+2)), content...)
	}
	second := append(bytes.Clone(store[:8]), store[400:]...)
	signed := bytes.Join([][]byte{jpeg[:2], segment(1, store[:400]), segment(2, second), jpeg[2:]}, nil)
	png := pngOf(t, scene(40, 30))
	chunk := append([]byte("caBX"), store...)
	end := len(png) - 12
	withChunk := binary.BigEndian.AppendUint32(bytes.Clone(png[:end]), uint32(len(store)))
	withChunk = binary.BigEndian.AppendUint32(append(withChunk, chunk...), crc32.ChecksumIEEE(chunk))
	withChunk = append(withChunk, png[end:]...)
	tiff := append(tiffOf(scene(40, 30)), store...)
	p := media.New(media.DefaultLimits())
	for name, data := range map[string][]byte{"a.jpg": signed, "a.png": withChunk, "a.tif": tiff} {
		r, err := p.Extract(context.Background(), bytes.NewReader(data), int64(len(data)), name)
		if err != nil {
			t.Fatal(err)
		}
		const want = "map[actions:[c2pa.created] generator:Maker 2.0 issuer:Ada's Cameras signer:Ada's Cameras " +
			"source_type:trainedAlgorithmicMedia title:A scene verified:false]"
		if got := fmt.Sprint(r.Technical["content_credentials"]); got != want {
			t.Errorf("%s: %s", name, got)
		}
	}
	if r, err := p.Extract(context.Background(), bytes.NewReader(jpeg), int64(len(jpeg)), "a.jpg"); err != nil ||
		r.Technical["content_credentials"] != nil {
		t.Error(r, err)
	}
}

func FuzzContentCredentials(f *testing.F) {
	store := manifests(f)
	f.Add(store)
	f.Add(superbox("c2pa", "c2pa"))
	f.Add([]byte("\x00\x00\x00\x01jumb\xff\xff\xff\xff\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if media.ReadManifests(data)["verified"] != false {
			t.Error("it says that it has verified something")
		}
	})
}

func FuzzSidecar(f *testing.F) {
	f.Add([]byte(`<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description ` +
		`xmlns:lr="http://ns.adobe.com/lightroom/1.0/" xmlns:exif="http://ns.adobe.com/exif/1.0/" exif:GPSLatitude="1,2N">` +
		`<lr:hierarchicalSubject><rdf:Bag><rdf:li>A|B</rdf:li></rdf:Bag>` +
		`</lr:hierarchicalSubject></rdf:Description></rdf:RDF>`))
	f.Add([]byte(`<a xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">`))
	f.Fuzz(func(t *testing.T, data []byte) {
		facts, err := media.ReadSidecar(data)
		if err != nil {
			return
		}
		with := facts.With(facts)
		if len(media.Conflicts(map[string][]media.Statement{})) != 0 || len(with.Keywords) != len(facts.Keywords) {
			t.Error(with.Keywords)
		}
	})
}
