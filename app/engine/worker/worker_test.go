package worker

import (
	"bytes"
	"context"
	"testing"

	"github.com/digital-asset-library/dal/app/engine"
)

// A worker exits on invalid input, and answers requests for unknown engines.
func FuzzServe(f *testing.F) {
	request := func(r engine.Request, body string) []byte {
		var b bytes.Buffer
		if err := engine.WriteHeader(&b, engine.Settings{Memory: 64 << 20}); err != nil {
			f.Fatal(err)
		}
		if err := engine.WriteHeader(&b, r); err != nil {
			f.Fatal(err)
		}
		return append(b.Bytes(), body...)
	}
	f.Add(request(engine.Request{Prepare: true, Job: engine.Job{Engine: "none"}}, ""))
	f.Add(request(engine.Request{Job: engine.Job{Engine: "none", Bytes: 4}}, "file"))
	f.Add(request(engine.Request{Job: engine.Job{Engine: "none", Bytes: -1}}, "file"))
	f.Add([]byte("\x00\x00\x00\x02{}\x00\x00\x00\x02{}"))
	f.Add(request(engine.Request{Job: engine.Job{Engine: "document", Format: "text", Side: 8, Bytes: 4}}, "file"))
	f.Add([]byte("\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if bytes.Contains(data, []byte("resvg")) {
			return // engines are tested elsewhere, in separate processes
		}
		var out bytes.Buffer
		_ = serve(context.Background(), bytes.NewReader(data), &out, func(engine.Settings) error { return nil }, func(bool) {})
		if out.Len() > 10*len(data)+1000 {
			t.Fatalf("%d bytes of answers to %d", out.Len(), len(data))
		}
	})
}
