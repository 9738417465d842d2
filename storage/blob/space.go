package blob

// Room asks whether there is room for n more bytes on the disk of a folder; what
// it returns is what the writer is told. It takes them, if there is.
type Room func(n int64) error

// ask is Room for who may have none.
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
