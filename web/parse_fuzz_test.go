package web

import (
	"encoding/json"
	"fmt"
	"mime"
	"reflect"
	"strings"
	"testing"

	"github.com/digital-asset-library/dal/app/dam"
)

// Every usable range is within the file, and a request gets few of them.
func FuzzUsableRange(f *testing.F) {
	for _, s := range []string{
		"bytes=0-1", "bytes=-0", "bytes=-5", "bytes=5-", "items=0-1", "bytes=0-5,3-8",
		"bytes=9999999999999999999999-", "bytes=,,1-1", "bytes=1-0", "=", "bytes=--1",
	} {
		f.Add(s, int64(10))
	}
	f.Fuzz(func(t *testing.T, header string, size int64) {
		if size < 0 {
			return
		}
		use := usableRange(header, size)
		if use == "" || use == fmt.Sprintf("bytes=%d-", size) {
			return
		}
		specs := strings.Split(strings.TrimPrefix(use, "bytes="), ",")
		if len(specs) > maxRanges {
			t.Errorf("%q: %d ranges", header, len(specs))
		}
		for _, spec := range specs {
			var first, last int64
			if _, err := fmt.Sscanf(spec, "%d-%d", &first, &last); err != nil || first < 0 || first > last || last >= size {
				t.Errorf("%q of %d bytes: %q", header, size, use)
			}
		}
	})
}

// Rewriting integers does not change their value.
func FuzzPlainIntegers(f *testing.F) {
	for _, s := range []string{`{"a":1.0}`, `[1e0,-2.0E+1]`, `"1.0"`, `{"1.0":"\"1.0"}`, `1e400`, `9007199254740993.0`, `0.5`, `-0.0`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var before, after any
		if json.Unmarshal(data, &before) != nil {
			return
		}
		plain := plainIntegers(data)
		if plain == nil {
			return
		}
		if err := json.Unmarshal(plain, &after); err != nil || !reflect.DeepEqual(before, after) {
			t.Errorf("%s became %s: %v", data, plain, err)
		}
	})
}

// A disposition is a single header line that other parsers accept, with the name in it.
func FuzzDisposition(f *testing.F) {
	for _, s := range []string{
		"a.jpg", "é.jpg", `a"b\c.jpg`, "a\r\nSet-Cookie: x", "\xff\xfe",
		strings.Repeat("写", 200) + ".jpg", "", "%41.jpg",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		v := disposition(name, false)
		for _, c := range []byte(v) {
			if c < ' ' || c > '~' {
				t.Fatalf("%q: %q", name, v)
			}
		}
		plain, _, _ := strings.Cut(v, "; filename*")
		if _, params, err := mime.ParseMediaType(plain); err != nil || params["filename"] == "" {
			t.Errorf("%q: %q: %v", name, v, err)
		}
		if len(v) > 4*maxDownloadName+100 {
			t.Errorf("%q: %d bytes", name, len(v))
		}
	})
}

// Values of resumable upload headers are limited, and file names are safe to store.
func FuzzTusHeaders(f *testing.F) {
	for _, s := range []string{
		"", "filename SU1HXzEyMzQuanBn", "filename SU1H, filetype aW1hZ2U=,is_public", ",", "a  YQ==", "a YQ==,a YQ==", "filename \xff",
		"é YQ==", "filename Li4vLi4vZXRjL3Bhc3N3ZA==", strings.Repeat("a,", 100),
		"sha1 2jmj7l5rSw0yVb/vlWAYkK/YBwk=", "sha256 AAAA", "sha1", "md5 AAAA",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, header string) {
		values, err := tusMetadata(header)
		if err != nil && values != nil || len(values) > maxTusPairs {
			t.Errorf("%q: %d values, %v", header, len(values), err)
		}
		for key, value := range values {
			if key == "" || strings.ContainsAny(key, " ,") || len(value) > len(header) {
				t.Errorf("%q: %q is %q", header, key, value)
			}
		}
		if name := dam.CleanFilename(values["filename"]); name == "" || strings.ContainsAny(name, "/\\\n") || len(name) > dam.MaxFilename {
			t.Errorf("%q: %q", header, name)
		}
		if sum, want, err := tusChecksum(header); err == nil && sum != nil && len(want) != sum.Size() {
			t.Errorf("%q: a checksum of %d bytes", header, len(want))
		}
	})
}
