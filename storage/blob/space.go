package blob

// Room takes n more bytes of the room on the disk of a folder, or returns the error
// for whoever wanted to write them.
type Room func(n int64) error

// ask is r, which may be nil.
func (r Room) ask(n int) error {
	if r == nil {
		return nil
	}
	return r(int64(n))
}

// SetRoom has the store ask before it writes. It is called before the store is
// used.
func (s *Store) SetRoom(room Room) { s.room = room }

// SetRoom has the cache ask before it writes. It is called before the cache is
// used.
func (c *Cache) SetRoom(room Room) { c.room = room }

// SetRoom has the exports ask before they are written. It is called before they
// are used.
func (e *Exports) SetRoom(room Room) { e.room = room }
