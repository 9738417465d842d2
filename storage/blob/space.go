package blob

// Room reserves n more bytes on the disk of a folder, or returns the error for the
// writer.
type Room func(n int64) error

// ask calls r, which may be nil.
func (r Room) ask(n int) error {
	if r == nil {
		return nil
	}
	return r(int64(n))
}

// SetRoom sets the function that the store calls before it writes. Call it before the
// store is used.
func (s *Store) SetRoom(room Room) { s.room = room }

// SetRoom sets the function that the cache calls before it writes. Call it before the
// cache is used.
func (c *Cache) SetRoom(room Room) { c.room = room }

// SetRoom sets the function that exports call before they are written. Call it before
// they are used.
func (e *Exports) SetRoom(room Room) { e.room = room }
