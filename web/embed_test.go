package web_test

import (
	"bytes"
	"fmt"
	"testing"
)

// A download with embedded metadata contains that of the library, so that uploading it
// restores the same; the original is unchanged.
func TestEmbedMetadata(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	original := picture(1, 400, 300)
	path := "/api/v1/assets/" + s.one(t, "a.jpg", original)
	s.do(t, "PUT", path, `{"title":"Küste","description":"Boats","creator":"Ada","copyright":"© Ada","keywords":["sea","dawn"]}`).want(t, 200)
	url := path + "/download?embed_metadata=1"
	whole := s.do(t, "GET", url, "").want(t, 200)
	if bytes.Equal(whole.body, original) {
		t.Fatal("nothing was written")
	}
	part := s.do(t, "GET", url, "", "Range", "bytes=0-99").want(t, 206)
	if !bytes.Equal(part.body, whole.body[:100]) || part.Header.Get("ETag") != whole.Header.Get("ETag") {
		t.Errorf("%q, %v", part.body, part.Header)
	}
	if kept := s.do(t, "GET", path+"/download", "").want(t, 200); !bytes.Equal(kept.body, original) {
		t.Error("the original is another one")
	}
	for name, data := range map[string][]byte{
		"copy.jpg": whole.body, "small.jpg": s.do(t, "GET", url+"&rendition=preview", "").want(t, 200).body,
	} {
		a := s.do(t, "GET", "/api/v1/assets/"+s.one(t, name, data), "").want(t, 200)
		got := fmt.Sprint(a.get("data.title"), a.get("data.description"), a.get("data.creator"), a.get("data.copyright"), a.get("data.keywords"))
		if got != "KüsteBoatsAda© Ada[sea dawn]" {
			t.Errorf("%s: %s", name, got)
		}
	}
	s.do(t, "PUT", path, `{"title":"Another"}`).want(t, 200)
	s.do(t, "GET", url, "", "If-None-Match", whole.Header.Get("ETag")).want(t, 200)
	document := "/api/v1/assets/" + s.one(t, "a.txt", []byte("some text"))
	s.do(t, "GET", document+"/download?embed_metadata=1", "").want(t, 422)
	s.do(t, "GET", document+"/download?embed_metadata=0", "").want(t, 200)
	s.do(t, "GET", path+"/download?embed_metadata=perhaps", "").want(t, 422)
}
