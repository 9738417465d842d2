package web

import (
	"crypto/sha1" // #nosec: required by the protocol; guards against accidents only
	"crypto/sha256"
	"encoding/base64"
	"hash"
	"net/http"
	"strings"

	"github.com/digital-asset-library/dal/app/dam"
)

// Headers of resumable uploads: https://tus.io/protocols/resumable-upload
const (
	tusVersion     = "1.0.0"
	tusExtensions  = "creation,creation-with-upload,termination,checksum,expiration"
	tusAlgorithms  = "sha1,sha256"
	tusContent     = "application/offset+octet-stream"
	methodOverride = "X-HTTP-Method-Override"

	maxTusMetadata = 8 << 10 // characters of Upload-Metadata
	maxTusPairs    = 64      // in Upload-Metadata
)

// isTus reports whether a path is that of a resumable upload.
func isTus(path string) bool {
	rest, ok := strings.CutPrefix(path, apiRoot+"/upload-batches/")
	if !ok {
		rest, ok = strings.CutPrefix(path, guestRoot)
	}
	_, rest, _ = strings.Cut(rest, "/")
	return ok && strings.HasPrefix(rest, "tus/")
}

// overridden replaces the method of a request with the one in its override header, for
// clients that can only POST.
func overridden(r *http.Request) *http.Request {
	method := r.Header.Get(methodOverride)
	if r.Method != http.MethodPost || !isTus(r.URL.Path) || method == "" {
		return r
	}
	r = r.WithContext(r.Context())
	r.Method = method
	return r
}

// tusMetadata parses Upload-Metadata: comma-separated pairs of a key, a space and a base64
// value, or of a key alone.
func tusMetadata(header string) (map[string]string, error) {
	values := map[string]string{}
	if strings.TrimSpace(header) == "" {
		return values, nil
	}
	for pair := range strings.SplitSeq(header, ",") {
		key, value, _ := strings.Cut(strings.TrimSpace(pair), " ")
		if key == "" || strings.ContainsFunc(key, func(c rune) bool { return c <= ' ' || c > '~' }) {
			return nil, dam.InvalidField("Upload-Metadata", "The Upload-Metadata header has a pair without a key.")
		}
		if _, twice := values[key]; twice {
			return nil, dam.InvalidField("Upload-Metadata", "The Upload-Metadata header has %.40q twice.", key)
		}
		if len(values) == maxTusPairs {
			return nil, dam.InvalidField("Upload-Metadata", "The Upload-Metadata header may not have more than %d pairs.", maxTusPairs)
		}
		text, err := base64.StdEncoding.DecodeString(value)
		if err != nil {
			return nil, dam.InvalidField("Upload-Metadata", "The value of %.40q in the Upload-Metadata header is not base64.", key)
		}
		values[key] = string(text)
	}
	return values, nil
}

// tusChecksum parses Upload-Checksum: an algorithm, a space and the checksum in base64.
// Without the header, sum is nil.
func tusChecksum(header string) (sum hash.Hash, want []byte, err error) {
	if header == "" {
		return nil, nil, nil
	}
	algorithm, value, _ := strings.Cut(header, " ")
	switch algorithm {
	case "sha1":
		sum = sha1.New() // #nosec
	case "sha256":
		sum = sha256.New()
	default:
		return nil, nil, dam.Errorf(dam.Malformed, "The checksum algorithm must be one of %s.", tusAlgorithms)
	}
	want, err = base64.StdEncoding.DecodeString(value)
	if err != nil || len(want) != sum.Size() {
		return nil, nil, dam.Errorf(dam.Malformed, "The Upload-Checksum header has no %s checksum in base64.", algorithm)
	}
	return sum, want, nil
}
