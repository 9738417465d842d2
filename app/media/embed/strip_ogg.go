package embed

import (
	"encoding/binary"
	"errors"
	"io"
	"slices"
)

// The flags of an Ogg page (RFC 3533, section 6).
const (
	pageContinued = 1
	pageFirst     = 2
	pageLast      = 4
)

// The limits of the data read from Ogg.
const (
	maxHeaderPages = 4096    // pages with the headers of a stream, including embedded pictures
	maxSetup       = 1 << 20 // bytes of the Vorbis setup header
	maxStreams     = 1 << 10 // consecutive streams
)

// page is an Ogg page.
type page struct {
	at     int64
	head   []byte // 27 bytes
	lacing []byte
}

func (p *page) flags() byte    { return p.head[5] }
func (p *page) serial() uint32 { return binary.LittleEndian.Uint32(p.head[14:]) }
func (p *page) body() int64    { return p.at + 27 + int64(len(p.lacing)) }
func (p *page) end() int64     { return p.body() + sum(p.lacing) }

func sum(lacing []byte) (n int64) {
	for _, v := range lacing {
		n += int64(v)
	}
	return n
}

// stripOgg keeps Opus or Vorbis, in one stream or several consecutive ones. It replaces the
// comments using the same number of pages, so that all other pages remain unchanged.
func stripOgg(s *stripping) error {
	in := s.scan()
	for range maxStreams {
		p, err := in.page()
		if err != nil {
			return err
		}
		if p == nil || p.flags()&pageFirst == 0 {
			if len(s.copy.parts) == 0 {
				return ErrDamaged
			}
			return nil // the rest does not belong to the streams
		}
		if err := s.streamOgg(in, p); err != nil {
			return err
		}
		if len(s.copy.parts) > maxParts {
			return ErrNotTaken
		}
	}
	return ErrNotTaken
}

// page reads the header of a page and skips the page; it returns nil at anything other than
// a complete page.
func (s *scanner) page() (*page, error) {
	head, err := s.Peek(27)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if len(head) < 27 || string(head[:5]) != "OggS\x00" {
		return nil, nil
	}
	whole, err := s.Peek(27 + int(head[26]))
	if err != nil {
		return nil, ignoreEOF(err)
	}
	p := &page{at: s.at, head: slices.Clone(whole[:27]), lacing: slices.Clone(whole[27:])}
	if err := s.skip(int(p.end() - p.at)); err != nil {
		return nil, ignoreEOF(err)
	}
	return p, nil
}

func ignoreEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// streamOgg keeps a stream whose first page has been read.
func (s *stripping) streamOgg(in *scanner, first *page) error {
	id, err := all(s.r, first.body(), sum(first.lacing))
	if err != nil {
		return err
	}
	var packets [][]byte // packets after the first: the new comments, and the setup of Vorbis
	setup := 0           // number of packets after the comments
	switch {
	case isOpus(id):
		packets = [][]byte{append([]byte("OpusTags"), s.comment()...)}
	case len(id) == 30 && string(id[:7]) == "\x01vorbis":
		packets = [][]byte{slices.Concat([]byte("\x03vorbis"), s.comment(), []byte{1})}
		setup = 1
	default:
		return ErrNotTaken
	}
	pages, text, err := s.headersOgg(in, first, 1+setup)
	if err != nil {
		return err
	}
	if setup == 1 {
		packets = append(packets, text)
	}
	headers, err := pagesOgg(pages, packets)
	if err != nil {
		return err
	}
	s.keep(first.at, first.end()-first.at)
	s.write(headers)
	return s.soundOgg(in, first.serial())
}

// isOpus reports whether a packet is the first of an Opus stream with a valid channel mapping
// (RFC 7845, section 5.1).
func isOpus(b []byte) bool {
	if len(b) < 19 || string(b[:8]) != "OpusHead" {
		return false
	}
	return b[18] == 0 && len(b) == 19 || b[18] != 0 && len(b) == 21+int(b[9])
}

// headersOgg reads the pages with the n packets after the first one, and returns the last of
// these packets if n is two.
func (s *stripping) headersOgg(in *scanner, first *page, n int) (pages []*page, last []byte, err error) {
	packets := 0 // number of complete packets
	for packets < n {
		p, err := in.page()
		if err != nil {
			return nil, nil, err
		}
		if p == nil || len(pages) == maxHeaderPages {
			return nil, nil, ErrDamaged
		}
		if p.serial() != first.serial() || p.flags()&pageFirst != 0 {
			return nil, nil, ErrNotTaken // multiplexed streams
		}
		pages = append(pages, p)
		at := p.body()
		for _, v := range p.lacing {
			if packets == n { // the headers must end at the end of a page
				return nil, nil, ErrNotTaken
			}
			if packets == 1 {
				b, err := all(s.r, at, int64(v))
				if err != nil {
					return nil, nil, err
				}
				if last = append(last, b...); len(last) > maxSetup {
					return nil, nil, ErrNotTaken
				}
			}
			at += int64(v)
			if v < 255 {
				packets++
			}
		}
	}
	return pages, last, nil
}

// pagesOgg returns the same number of pages with other packets. If necessary it pads the
// first packet with zeros, which Opus and Vorbis ignore (RFC 7845, section 5.2; Vorbis I,
// section 5.2.1).
func pagesOgg(pages []*page, packets [][]byte) ([]byte, error) {
	segments := func() (n int) {
		for _, p := range packets {
			n += len(p)/255 + 1
		}
		return n
	}
	if missing := len(pages) - segments(); missing > 0 {
		if int64(255*missing) > pages[len(pages)-1].end()-pages[0].at {
			return nil, ErrNotTaken
		}
		packets[0] = append(packets[0], make([]byte, 255*missing)...)
	}
	if segments() > 255*len(pages) {
		return nil, ErrTooLong
	}
	var lacing, body []byte
	for _, p := range packets {
		for range len(p) / 255 {
			lacing = append(lacing, 255)
		}
		lacing = append(lacing, byte(len(p)%255))
		body = append(body, p...)
	}
	var out []byte
	continued := byte(0)
	for i, p := range pages {
		n := min(255, len(lacing)-(len(pages)-1-i))
		size := sum(lacing[:n])
		head := slices.Clone(p.head)
		head[5], head[26] = continued, byte(n)
		granule := uint64(0)
		if slices.Min(lacing[:n]) == 255 { // no packet ends here
			granule = 1<<64 - 1
		}
		binary.LittleEndian.PutUint64(head[6:], granule)
		clear(head[22:26])
		text := slices.Concat(head, lacing[:n], body[:size])
		binary.LittleEndian.PutUint32(text[22:], checksumOgg(text))
		out = append(out, text...)
		if continued = 0; lacing[n-1] == 255 {
			continued = pageContinued
		}
		lacing, body = lacing[n:], body[size:]
	}
	return out, nil
}

// soundOgg keeps the pages after the headers, up to the last one of the stream.
func (s *stripping) soundOgg(in *scanner, serial uint32) error {
	for n := 0; ; n++ {
		if head, err := in.Peek(6); err == nil && n > 0 && head[5]&pageFirst != 0 {
			return nil // the stream was truncated, and another begins
		}
		p, err := in.page()
		if err != nil {
			return err
		}
		if p == nil {
			rest, err := in.Peek(4)
			if n == 0 || err == nil && string(rest) != "OggS" {
				return ErrDamaged
			}
			return ignoreEOF(err)
		}
		if p.serial() != serial || p.flags()&pageFirst != 0 {
			return ErrNotTaken
		}
		s.keep(p.at, p.end()-p.at)
		if p.flags()&pageLast != 0 {
			return nil
		}
	}
}

// checksumOgg is the checksum of pages: the Ethernet CRC without bit reflection (RFC 3533,
// section 6).
func checksumOgg(b []byte) (sum uint32) {
	for _, c := range b {
		sum = sum<<8 ^ tableOgg[byte(sum>>24)^c]
	}
	return sum
}

var tableOgg = func() (t [256]uint32) {
	for i := range t {
		v := uint32(i) << 24
		for range 8 {
			if v >= 1<<31 {
				v = v<<1 ^ 0x04c11db7
			} else {
				v <<= 1
			}
		}
		t[i] = v
	}
	return t
}()
