package search

import (
	"slices"
	"strings"
)

// texts contains the texts of assets in one field, by asset ID. They are stored in a few
// large chunks of memory without pointers, which costs less than a string each.
type texts struct {
	chunks []string
	open   *strings.Builder // the last chunk
	of     []textAt
	size   int // total bytes of the texts
	dead   int // bytes of replaced texts
}

// textAt is the location of a text: its chunk, its offset there, and its length.
type textAt uint64

const (
	textBits  = 20 // of a length, and of an offset in a chunk
	maxText   = 1<<textBits - 1
	chunkSize = 1 << textBits
)

func (t *texts) get(id uint32) string {
	at := t.of[id]
	n := at & maxText
	if n == 0 {
		return ""
	}
	from := at >> textBits & maxText
	return t.chunks[at>>(2*textBits)][from : from+n]
}

// grow makes room for the assets below n.
func (t *texts) grow(n int) { t.of = grown(t.of, n) }

// set stores the text of an asset, truncated to 1 MiB.
func (t *texts) set(id uint32, s string) {
	s = s[:min(len(s), maxText)]
	old := t.get(id)
	if old == s {
		return
	}
	t.dead += len(old)
	t.size += len(s) - len(old)
	t.of[id] = t.put(s)
	if t.dead > chunkSize && t.dead > t.size {
		t.pack()
	}
}

func (t *texts) put(s string) textAt {
	if s == "" {
		return 0
	}
	if t.open == nil || t.open.Len()+len(s) > chunkSize {
		t.open = &strings.Builder{}
		t.chunks = append(t.chunks, "")
	}
	from, last := t.open.Len(), len(t.chunks)-1
	t.open.WriteString(s)
	t.chunks[last] = t.open.String()
	return textAt(last)<<(2*textBits) | textAt(from)<<textBits | textAt(len(s))
}

// pack removes replaced texts.
func (t *texts) pack() {
	packed := texts{of: make([]textAt, len(t.of)), size: t.size}
	for id := range t.of {
		packed.of[id] = packed.put(t.get(uint32(id)))
	}
	*t = packed
}

// lists contains lists of numbers of assets in one field, by asset ID, in one chunk of
// memory.
type lists struct {
	data []uint32
	of   []listAt
	dead int // numbers in replaced lists
}

// listAt is the offset and the length of a list.
type listAt struct{ from, n uint32 }

func (l *lists) get(id uint32) []uint32 {
	if int(id) >= len(l.of) {
		return nil
	}
	at := l.of[id]
	return l.data[at.from : at.from+at.n : at.from+at.n]
}

// add appends to the list of an asset.
func (l *lists) add(id uint32, v uint32) {
	l.of = grown(l.of, int(id)+1)
	at := &l.of[id]
	if end := at.from + at.n; at.n > 0 && int(end) < len(l.data) { // others come after it
		l.dead += int(at.n)
		from := uint32(len(l.data))
		l.data = append(l.data, l.data[at.from:end]...)
		at.from = from
	} else if at.n == 0 {
		at.from = uint32(len(l.data))
	}
	l.data = append(l.data, v)
	at.n++
}

// clear empties the list of an asset.
func (l *lists) clear(id uint32) {
	if int(id) >= len(l.of) {
		return
	}
	l.dead += int(l.of[id].n)
	l.of[id] = listAt{}
	if l.dead > chunkSize && l.dead > len(l.data)/2 {
		l.pack()
	}
}

// pack removes replaced lists.
func (l *lists) pack() {
	data := make([]uint32, 0, len(l.data)-l.dead)
	for id, at := range l.of {
		l.of[id].from = uint32(len(data))
		data = append(data, l.data[at.from:at.from+at.n]...)
	}
	l.data, l.dead = data, 0
}

// grown returns a list of at least n items.
func grown[T any](list []T, n int) []T {
	if n <= len(list) {
		return list
	}
	return slices.Grow(list, n-len(list))[:n]
}
