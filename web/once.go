package web

import (
	"bytes"
	"compress/flate"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/json"
	"hash"
	"io"
	"maps"
	"mime"
	"net/http"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/idempotency"
)

const (
	idempotencyKey      = "Idempotency-Key"
	idempotencyReplayed = "Idempotency-Replayed"

	// maxKeptAnswer is the maximum size of an answer stored under an idempotency key, in
	// bytes.
	maxKeptAnswer = 1 << 20
)

// once executes a request with an idempotency key only once: the same request with the same
// key within a day gets the answer of the first. A request that changed nothing does not
// use up its key.
func (s *Server) once(ctx huma.Context, next func(huma.Context)) {
	r := requestOf(ctx.Context())
	key := r.raw.Header.Get(idempotencyKey)
	if !routeOf(ctx.Operation()).keyed() || r.raw.Header.Values(idempotencyKey) == nil || r.isDryRun() {
		next(ctx)
		return
	}
	keyed, err := s.app.Keys.Begin(ctx.Context(), r.actor.User.ID, key)
	if err == nil {
		defer keyed.Done()
		print := r.fingerprint()
		if keyed.Hash != nil {
			err = r.replay(keyed, print)
		} else {
			s.keep(ctx, next, keyed, print)
		}
	}
	if err != nil {
		writeError(r.w, toAPI(ctx.Context(), s.log, err))
	}
}

// isDryRun reports whether a request is a dry run.
func (r *request) isDryRun() bool {
	var body struct {
		DryRun bool `json:"dry_run"`
	}
	return r.raw.URL.Query().Get("dry_run") == "true" || json.Unmarshal(r.read, &body) == nil && body.DryRun
}

// keep executes the first request with a key, and stores the answer before sending it.
func (s *Server) keep(ctx huma.Context, next func(huma.Context), keyed *idempotency.KeyedRequest, print *fingerprint) {
	r := requestOf(ctx.Context())
	before := r.w.Header().Clone()
	c := keyed.Claiming(ctx.Context(), print.sum)
	r.w.holding(func() {
		next(huma.WithContext(ctx, c))
		if !keyed.Claimed() {
			return
		}
		if err := s.settle(c, keyed, print, before); err != nil {
			s.log.ErrorContext(c, "store the answer to an idempotency key", "err", err)
		}
	})
}

// settle stores the answer to a request that changed something. After a failed request the
// key is free again, unless the result is unknown.
func (s *Server) settle(ctx context.Context, keyed *idempotency.KeyedRequest, print *fingerprint, before http.Header) error {
	r := requestOf(ctx)
	switch {
	case r.w.status == http.StatusInternalServerError:
		return nil
	case r.w.status >= 300:
		return keyed.Forget(ctx)
	case r.w.held.Len() > maxKeptAnswer:
		return keyed.Keep(ctx, print.sum(), nil)
	}
	a := keptAnswer{Status: r.w.status, Header: r.w.Header().Clone(), Body: r.w.held.Bytes()}
	maps.DeleteFunc(a.Header, func(name string, values []string) bool { return slices.Equal(values, before[name]) })
	sealed, err := r.seal(&a)
	if err != nil {
		return err
	}
	return keyed.Keep(ctx, print.sum(), sealed)
}

// replay sends the answer of the first request with the key.
func (r *request) replay(keyed *idempotency.KeyedRequest, print *fingerprint) error {
	if print.reads {
		if _, err := io.Copy(io.Discard, r.body); err != nil {
			return bodyError(err, cutOff)
		}
	}
	if !bytes.Equal(print.sum(), keyed.Hash) {
		err := dam.InvalidField(idempotencyKey, "The key was used for another request in the last 24 hours; use a new one.")
		err.Code = dam.IdempotencyConflict
		return err
	}
	a, err := r.unseal(keyed.Answer)
	if err != nil {
		return &dam.Error{Kind: dam.Conflict, Code: dam.IdempotencyLost, Err: err,
			Msg: "The first request with this Idempotency-Key succeeded. Its answer is not available: look at what it changed."}
	}
	maps.Copy(r.w.Header(), a.Header)
	r.w.Header().Set(idempotencyReplayed, "true")
	r.w.WriteHeader(a.Status)
	_, _ = r.w.Write(a.Body) // the client may have disconnected
	return nil
}

// keptAnswer is an answer stored under an idempotency key.
type keptAnswer struct {
	Status int
	Header http.Header // set by the handler
	Body   []byte
}

// seal encrypts an answer, which may contain a secret that is stored nowhere else, with the
// request's credentials. These are not stored either.
func (r *request) seal(a *keptAnswer) ([]byte, error) {
	plain := &bytes.Buffer{}
	w, err := flate.NewWriter(plain, flate.BestSpeed)
	if err != nil {
		return nil, err
	}
	if err := json.NewEncoder(w).Encode(a); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	aead, err := r.sealer()
	if err != nil {
		return nil, err
	}
	return aead.Seal(nil, nil, plain.Bytes(), nil), nil
}

// unseal decrypts an answer. It fails for credentials other than those of the first
// request.
func (r *request) unseal(sealed []byte) (*keptAnswer, error) {
	aead, err := r.sealer()
	if err != nil {
		return nil, err
	}
	plain, err := aead.Open(nil, nil, sealed, nil)
	if err != nil {
		return nil, err
	}
	a := &keptAnswer{}
	return a, json.NewDecoder(flate.NewReader(bytes.NewReader(plain))).Decode(a)
}

// sealer returns the cipher for the answer to a request.
func (r *request) sealer() (cipher.AEAD, error) {
	secret, ok := bearerToken(r.raw)
	if !ok {
		c, err := r.raw.Cookie(SessionCookie)
		if err != nil {
			return nil, err
		}
		secret = c.Value
	}
	key, err := hkdf.Key(sha256.New, []byte(secret), []byte(r.raw.Header.Get(idempotencyKey)), "dal "+idempotencyKey, 32)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCMWithRandomNonce(block)
}

// fingerprint is the hash of a request: its method, path and body. JSON bodies are compared
// regardless of white space and member order, forms regardless of their boundary, and
// resumable uploads by length and metadata.
type fingerprint struct {
	hash.Hash
	reads    bool   // the body is hashed while it is read
	boundary []byte // of a form
	rest     []byte // last bytes of the form, which may start a boundary
}

func (r *request) fingerprint() *fingerprint {
	p := &fingerprint{Hash: sha256.New()}
	_, _ = io.WriteString(p.Hash, r.raw.Method+" "+r.raw.URL.RequestURI()+"\n") // hashes never fail
	kind, params, _ := mime.ParseMediaType(r.raw.Header.Get("Content-Type"))
	switch {
	case r.raw.Header.Get("Tus-Resumable") != "":
		_, _ = io.WriteString(p.Hash, r.raw.Header.Get("Upload-Length")+"\n"+r.raw.Header.Get("Upload-Metadata"))
	case r.read != nil:
		_, _ = p.Hash.Write(canonical(r.read))
	case kind == "multipart/form-data":
		p.boundary, p.reads = []byte(params["boundary"]), true
		r.body.seen = p
	}
	return p
}

// Write adds part of a form.
func (p *fingerprint) Write(b []byte) (int, error) {
	p.rest = append(p.rest, b...)
	for len(p.boundary) > 0 {
		part, after, found := bytes.Cut(p.rest, p.boundary)
		if !found {
			break
		}
		_, _ = p.Hash.Write(part)
		_, _ = p.Hash.Write([]byte{0})
		p.rest = after
	}
	n := max(0, len(p.rest)-len(p.boundary))
	_, _ = p.Hash.Write(p.rest[:n])
	p.rest = append([]byte(nil), p.rest[n:]...)
	return len(b), nil
}

// sum returns the hash of the data read.
func (p *fingerprint) sum() []byte { return p.Sum(nil) }

// canonical returns a JSON document without white space and with sorted members; any other
// body is returned unchanged.
func canonical(body []byte) []byte {
	var all any
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber() // keeps distinct numbers distinct
	if err := d.Decode(&all); err != nil {
		return body
	}
	sorted, err := json.Marshal(all)
	if err != nil {
		return body
	}
	return sorted
}

// describeKey adds the idempotency key to an operation in the document.
func describeKey(op *huma.Operation) {
	described := slices.ContainsFunc(op.Parameters, func(p *huma.Param) bool { return p.Name == idempotencyKey })
	if !described {
		op.Parameters = append(op.Parameters, &huma.Param{
			Name: idempotencyKey, In: "header", Example: "5d1c7f7e-harbours",
			Description: "Printable characters, a new key for each request. Within 24 hours, the same request with the same key returns the " +
				"first response again and changes nothing.",
			Schema: &huma.Schema{Type: huma.TypeString, MinLength: ptr(1), MaxLength: ptr(dam.MaxIdempotencyKey)},
		})
	}
	for code, answer := range op.Responses {
		if code[0] != '2' || answer.Ref != "" {
			continue
		}
		if answer.Headers == nil {
			answer.Headers = map[string]*huma.Header{}
		}
		answer.Headers[idempotencyReplayed] = &huma.Header{Ref: "#/components/headers/IdempotencyReplayed"}
	}
}
