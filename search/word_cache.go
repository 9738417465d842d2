package search

import "sync"

// The bounds of a wordCache, in bytes.
const (
	maxCachedText = 4 << 10 // a text that is worth it
	maxCached     = 16 << 20
	wordSize      = 150 // about, of a word
)

// wordCache keeps the words of texts that were shown last: who types or turns pages
// sees many of them again, and finding them takes longer than a search does. The zero
// value is empty.
type wordCache struct {
	mu    sync.RWMutex
	texts map[string][]word
	size  int
}

// split is split. The words must not be changed.
func (c *wordCache) split(text string) []word {
	if len(text) > maxCachedText {
		return split(text)
	}
	c.mu.RLock()
	list, ok := c.texts[text]
	c.mu.RUnlock()
	if ok {
		return list
	}
	list = split(text)
	size := len(text) + (len(list)+1)*wordSize
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.size += size; c.texts == nil || c.size > maxCached {
		c.texts, c.size = map[string][]word{}, size
	}
	c.texts[text] = list
	return list
}
