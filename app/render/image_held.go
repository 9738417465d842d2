package render

import (
	"bytes"
	"io"
	"sync"
)

// Memory limits of heldImages, in bytes.
const (
	maxHeld      = 32 << 20
	maxHeldImage = 512 << 10 // per image
)

// heldImages keeps small, recently requested images in memory. An ETag depends on
// everything that an image is made from, so the content for an ETag never changes.
type heldImages struct {
	mu sync.Mutex
	// Images in neither map are forgotten: recent becomes older once it reaches half the
	// limit.
	recent, older map[string][]byte
	size          int // bytes in recent
}

// get returns the image with an ETag, nil if it is not in memory. The result must not be
// modified.
func (h *heldImages) get(etag string) []byte {
	h.mu.Lock()
	defer h.mu.Unlock()
	if data := h.recent[etag]; data != nil {
		return data
	}
	data := h.older[etag]
	if data != nil {
		h.put(etag, data)
	}
	return data
}

// hold keeps a small image in memory and returns its content from there. A larger image
// is returned unchanged, from its beginning. On failure the content is closed.
func (h *heldImages) hold(etag string, content io.ReadSeekCloser) (io.ReadSeekCloser, error) {
	size, err := content.Seek(0, io.SeekEnd)
	if err == nil {
		_, err = content.Seek(0, io.SeekStart)
	}
	if err == nil && size > maxHeldImage {
		return content, nil
	}
	defer content.Close()
	if err != nil {
		return nil, err
	}
	data := make([]byte, size)
	if _, err := io.ReadFull(content, data); err != nil {
		return nil, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.put(etag, data)
	return InMemory{bytes.NewReader(data)}, nil
}

func (h *heldImages) put(etag string, data []byte) {
	if h.recent == nil || h.size+len(data) > maxHeld/2 {
		h.recent, h.older, h.size = map[string][]byte{}, h.recent, 0
	}
	if old := h.recent[etag]; old != nil { // another request read it concurrently
		h.size -= len(old)
	}
	h.recent[etag] = data
	h.size += len(data)
}
