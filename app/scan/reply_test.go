package scan

import (
	"errors"
	"strings"
	"testing"
)

// A file passes only with clamd's exact answer.
func FuzzReply(f *testing.F) {
	for _, s := range []string{
		"stream: OK", "stream: Eicar FOUND", "INSTREAM size limit exceeded. ERROR", "", "OK", "stream: ", "stream:  FOUND",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, reply string) {
		r, err := parseReply(reply)
		switch {
		case err == nil && !r.Infected && reply != "stream: OK":
			t.Errorf("%q passed", reply)
		case err == nil && r.Infected && !strings.HasSuffix(reply, " FOUND"):
			t.Errorf("%q is a virus", reply)
		case err != nil && !errors.Is(err, ErrUnavailable) && !errors.Is(err, ErrTooLargeForScanner):
			t.Errorf("%q: %v", reply, err)
		}
	})
}
