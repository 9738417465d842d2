package search

import "sync"

// Limits of a wordCache, in bytes.
const (
	maxCachedText = 4 << 10 // maximum length of a cached text
	maxCached     = 16 << 20
	wordSize      = 150 // approximate size of a word
)

// wordCache caches the words of recently shown texts: successive queries and pages repeat
// many of them, and splitting takes longer than a search. The zero value is empty.
type wordCache struct {
	mu    sync.RWMutex
	texts map[string][]word
	size  int
}

// split is the cached split. The caller must not change the words.
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
