package app

import (
	"bytes"
	"io"
	"sync"
)

// The bounds of what heldImages keep, in bytes.
const (
	maxHeld      = 32 << 20
	maxHeldImage = 512 << 10 // of one picture
)

// heldImages keep small pictures that were asked for last in memory. Their ETags name all
// that they are made of, so what is kept under one never changes.
type heldImages struct {
	mu sync.Mutex
	// What is in neither is forgotten: recent becomes older once it is half full.
	recent, older map[string][]byte
	size          int // of recent
}

// get returns the picture of an ETag, nil if it is not kept. It must not be changed.
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

// hold returns the content of a picture from memory if it is small, and keeps it. Another
// one is returned as it came, from its beginning. If that fails, the content is closed.
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
	return inMemory{bytes.NewReader(data)}, nil
}

func (h *heldImages) put(etag string, data []byte) {
	if h.recent == nil || h.size+len(data) > maxHeld/2 {
		h.recent, h.older, h.size = map[string][]byte{}, h.recent, 0
	}
	if old := h.recent[etag]; old != nil { // somebody else read it at the same time
		h.size -= len(old)
	}
	h.recent[etag] = data
	h.size += len(data)
}
