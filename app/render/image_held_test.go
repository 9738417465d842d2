package render

import (
	"bytes"
	"io"
	"strconv"
	"sync"
	"testing"
)

// The images in memory are the most recently requested ones, are intact, and stay within
// the limits.
func TestHeldImages(t *testing.T) {
	t.Parallel()
	var held heldImages
	hold := func(i, size int) {
		data := bytes.Repeat([]byte{byte(i)}, size)
		content, err := held.hold(strconv.Itoa(i), InMemory{bytes.NewReader(data)})
		if err != nil {
			t.Error(err)
			return
		}
		if got, err := io.ReadAll(content); err != nil || !bytes.Equal(got, data) {
			t.Errorf("%d: %d bytes, %v", i, len(got), err)
		}
	}
	const size, places = maxHeldImage / 2, maxHeld / (maxHeldImage / 2)
	var all sync.WaitGroup
	for i := range 3 * places {
		all.Go(func() {
			hold(i%(2*places), size)
			if data := held.get(strconv.Itoa(i)); data != nil && data[0] != byte(i) {
				t.Errorf("%d is another picture", i)
			}
		})
	}
	all.Wait()
	const favorite = 1000
	hold(favorite, size)
	for i := range 3 * places {
		hold(i, size)
		if held.get(strconv.Itoa(favorite)) == nil {
			t.Fatalf("a picture that is asked for again and again was forgotten after %d others", i)
		}
	}
	kept := 0
	for _, list := range []map[string][]byte{held.recent, held.older} {
		for _, data := range list {
			kept += len(data)
		}
	}
	if kept > maxHeld || kept < maxHeld/4 {
		t.Errorf("%d bytes are kept", kept)
	}
	hold(favorite+1, maxHeldImage+1)
	if held.get(strconv.Itoa(favorite+1)) != nil {
		t.Error("a large picture is kept")
	}
}
