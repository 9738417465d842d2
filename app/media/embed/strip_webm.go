package embed

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math/bits"
	"slices"
	"strings"
)

// The elements of WebM and Matroska that are read or written (RFC 8794; RFC 9559).
const (
	idHead        = 0x1a45dfa3
	idSegment     = 0x18538067
	idInfo        = 0x1549a966
	idScale       = 0x2ad7b1
	idDuration    = 0x4489
	idMuxer       = 0x4d80
	idWriter      = 0x5741
	idTracks      = 0x1654ae6b
	idEntry       = 0xae
	idNumber      = 0xd7
	idType        = 0x83
	idCodec       = 0x86
	idPrivate     = 0x63a2
	idEncodings   = 0x6d80
	idEncoding    = 0x6240
	idEncoded     = 0x5033 // 0 for compression, 1 for encryption
	idMapping     = 0x41e4
	idCues        = 0x1c53bb6b
	idPoint       = 0xbb
	idTime        = 0xb3
	idPositions   = 0xb7
	idCueTrack    = 0xf7
	idCueCluster  = 0xf1
	idCluster     = 0x1f43b675
	idTimestamp   = 0xe7
	idSimpleBlock = 0xa3
	idBlockGroup  = 0xa0
	idBlock       = 0xa1
	idTags        = 0x1254c367
	idTag         = 0x7373
	idTargets     = 0x63c0
	idSimpleTag   = 0x67c8
	idTagName     = 0x45a3
	idTagString   = 0x4487
)

// The elements that are copied unchanged from the head, from a track, and from a block
// group, because decoding or rendering requires them.
var (
	headKept  = []uint64{0x4286, 0x42f7, 0x42f2, 0x42f3, 0x4282, 0x4287, 0x4285}
	entryKept = []uint64{
		idNumber, 0x73c5, idType, 0xb9, 0x88, 0x55aa, 0x9c, 0x23e383, 0x22b59c, 0x22b59d, idCodec, 0x56aa, 0x56bb, 0x55ee, 0xe0, 0xe1,
		idEncodings, 0x6de7, 0x6df8, 0x234e7a, 0x23314f,
	}
	mappingKept = []uint64{0x41f0, 0x41e7, 0x41ed}
	groupKept   = []uint64{idBlock, 0x9b, 0xfb, 0x75a1, 0x75a2}
	topElements = []uint64{0x114d9b74, idInfo, idTracks, idCues, idCluster, idTags, 0x1043a770, 0x1941a469}
)

// The limits of the data read from WebM.
const (
	maxElement  = 16 << 20 // bytes of an element that is read whole
	maxElements = 1 << 22  // per file
	maxClusters = 1 << 19
	maxPoints   = 1 << 18
	unknown     = -1 // size of an element that ends where another begins
)

// element is an element of a file.
type element struct {
	id       uint64
	start    int64 // offset of the header
	at, size int64 // range of the content; the size may be unknown
}

func (e element) end() int64 { return e.at + e.size }

// webM is a file whose head is rewritten.
type webM struct {
	*stripping
	tracks   map[uint64]bool // the kept tracks
	info     []byte
	entries  []byte
	points   []cuePoint
	clusters []cluster
	read     int // number of elements
	inline   int64
}

// cuePoint locates a time in a cluster.
type cuePoint struct{ time, track, cluster uint64 }

// cluster is a cluster of the copy.
type cluster struct {
	from   int64 // original offset in the segment
	blocks []piece
	size   int64
	time   []byte
}

// piece is a part of a cluster: a text, or bytes of the file.
type piece struct {
	text  []byte
	at, n int64
}

// stripWebM keeps the video and audio tracks: their decoder configuration and their blocks.
// The index comes first.
func stripWebM(s *stripping) error {
	w := &webM{stripping: s, tracks: map[uint64]bool{}}
	head, err := w.element(0, s.size)
	if err != nil || head.id != idHead || head.size == unknown || head.size > 4096 {
		return either(err, ErrDamaged)
	}
	headText, err := all(s.r, head.at, head.size)
	if err != nil {
		return err
	}
	kept, err := pick(headText, headKept)
	if err != nil {
		return err
	}
	segment, err := w.element(head.end(), s.size)
	if err != nil || segment.id != idSegment {
		return either(err, ErrDamaged)
	}
	end := s.size
	if segment.size != unknown {
		end = min(end, segment.end())
	}
	if err := w.segment(segment.at, end); err != nil {
		return err
	}
	if len(w.tracks) == 0 || len(w.clusters) == 0 {
		return ErrNotTaken
	}
	w.finish(elementText(idHead, kept))
	return nil
}

// element reads the id and the size of an element within another.
func (w *webM) element(at, end int64) (element, error) {
	if w.read++; w.read > maxElements {
		return element{}, ErrNotTaken
	}
	var b [12]byte
	n, err := w.r.ReadAt(b[:min(12, max(end-at, 0))], at)
	if err != nil && !errors.Is(err, io.EOF) {
		return element{}, err
	}
	e, have, err := parseElement(b[:n])
	if err != nil {
		return e, err
	}
	e.start, e.at = at, at+int64(have)
	if e.size != unknown && e.size > end-e.at {
		return e, ErrDamaged
	}
	return e, nil
}

// parseElement parses the id and the size of an element, and returns the length of both.
func parseElement(b []byte) (e element, n int, err error) {
	if len(b) < 2 || b[0] < 0x10 {
		return e, 0, ErrDamaged
	}
	n = bits.LeadingZeros8(b[0]) + 1
	if len(b) < n+1 || b[n] == 0 {
		return e, 0, ErrDamaged
	}
	for _, c := range b[:n] {
		e.id = e.id<<8 | uint64(c)
	}
	size, width := varint(b[n:])
	if width == 0 {
		return e, 0, ErrDamaged
	}
	if e.size = int64(size); size == 1<<(7*width)-1 {
		e.size = unknown
	}
	return e, n + width, nil
}

// varint parses a number of variable length and returns its length, 0 if it is invalid.
func varint(b []byte) (v uint64, n int) {
	if len(b) == 0 || b[0] == 0 {
		return 0, 0
	}
	n = bits.LeadingZeros8(b[0]) + 1
	if len(b) < n {
		return 0, 0
	}
	v = uint64(b[0]) & (1<<(8-n) - 1)
	for _, c := range b[1:n] {
		v = v<<8 | uint64(c)
	}
	return v, n
}

// eachElement calls fn for each element in b, with the whole element and its content.
func eachElement(b []byte, fn func(id uint64, whole, body []byte) error) error {
	for len(b) > 0 {
		e, n, err := parseElement(b)
		if err != nil || e.size == unknown || e.size > int64(len(b)-n) {
			return ErrDamaged
		}
		end := n + int(e.size)
		if err := fn(e.id, b[:end], b[n:end]); err != nil {
			return err
		}
		b = b[end:]
	}
	return nil
}

// pick returns the elements of b whose id is in a list.
func pick(b []byte, list []uint64) (kept []byte, err error) {
	return kept, eachElement(b, func(id uint64, whole, _ []byte) error {
		if slices.Contains(list, id) {
			kept = append(kept, whole...)
		}
		return nil
	})
}

// number decodes an unsigned integer.
func number(b []byte) (v uint64) {
	for _, c := range b[:min(len(b), 8)] {
		v = v<<8 | uint64(c)
	}
	return v
}

// elementText encodes an element.
func elementText(id uint64, body []byte) []byte {
	return append(elementHead(id, int64(len(body))), body...)
}

// elementHead encodes the header of an element. The size always takes eight bytes, so that
// offsets do not depend on its value.
func elementHead(id uint64, size int64) []byte {
	b := binary.BigEndian.AppendUint64(nil, id)
	b = bytes.TrimLeft(b, "\x00")
	return binary.BigEndian.AppendUint64(b, uint64(size)|1<<56)
}

func numberText(id, v uint64) []byte {
	return elementText(id, binary.BigEndian.AppendUint64(nil, v))
}

// segment reads the segment.
func (w *webM) segment(at, end int64) error {
	start := at
	for at < end {
		e, err := w.element(at, end)
		if errors.Is(err, ErrDamaged) && len(w.clusters) > 0 {
			return nil // the file is truncated
		}
		if err != nil {
			return err
		}
		if e.id == idCluster {
			if at, err = w.cluster(e, end, e.start-start); err != nil {
				return err
			}
			continue
		}
		if e.size == unknown {
			return ErrDamaged
		}
		if e.id == idInfo || e.id == idTracks || e.id == idCues {
			if e.size > maxElement {
				return ErrNotTaken
			}
			body, err := all(w.r, e.at, e.size)
			if err != nil {
				return err
			}
			if err := w.index(e.id, body); err != nil {
				return err
			}
		}
		at = e.end()
	}
	return nil
}

// index reads an element of the index.
func (w *webM) index(id uint64, body []byte) (err error) {
	switch {
	case id == idInfo && w.info == nil:
		w.info, err = pick(body, []uint64{idScale, idDuration})
		return err
	case id == idTracks && w.entries == nil:
		return eachElement(body, func(id uint64, _, body []byte) error {
			if id != idEntry {
				return nil
			}
			return w.entry(body)
		})
	case id == idCues && w.points == nil:
		return eachElement(body, func(id uint64, _, body []byte) error {
			if id != idPoint {
				return nil
			}
			return w.point(body)
		})
	}
	return nil
}

// entry reads a track, and keeps it if it is video or audio.
func (w *webM) entry(body []byte) error {
	var track, kind uint64
	var codec, private, mappings []byte
	if err := eachElement(body, func(id uint64, _, body []byte) error {
		switch id {
		case idNumber:
			track = number(body)
		case idType:
			kind = number(body)
		case idCodec:
			codec = body
		case idPrivate:
			private = body
		case idMapping: // of block additions, such as brightness data
			mapping, err := pick(body, mappingKept)
			mappings = append(mappings, elementText(idMapping, mapping)...)
			return err
		case idEncodings:
			return onlyCompressed(body)
		}
		return nil
	}); err != nil {
		return err
	}
	if kind != 1 && kind != 2 {
		return nil
	}
	if len(w.tracks) == maxTracks || track == 0 || track > 126 || w.tracks[track] {
		return ErrNotTaken
	}
	private, err := quietPrivate(string(codec), private)
	if err != nil {
		return err
	}
	kept, err := pick(body, entryKept)
	if err != nil {
		return err
	}
	if private != nil {
		kept = append(kept, elementText(idPrivate, private)...)
	}
	kept = append(kept, mappings...)
	w.tracks[track] = true
	w.entries = append(w.entries, elementText(idEntry, kept)...)
	return nil
}

// onlyCompressed rejects encrypted tracks.
func onlyCompressed(encodings []byte) error {
	return eachElement(encodings, func(id uint64, _, body []byte) error {
		if id != idEncoding {
			return nil
		}
		return eachElement(body, func(id uint64, _, body []byte) error {
			if id == idEncoded && number(body) != 0 {
				return ErrNotTaken
			}
			return nil
		})
	})
}

// quietPrivate returns the decoder configuration of a track without metadata, or nil if it
// has none. It rejects codecs whose pictures may contain metadata.
func quietPrivate(codec string, private []byte) ([]byte, error) {
	switch codec {
	case "V_MJPEG", "V_QUICKTIME":
		return nil, ErrNotTaken
	case "V_MS/VFW/FOURCC": // as in an AVI
		if len(private) < 40 || among("MJPG mjpg AVRn LJPG dmb1 jpeg MPNG png", strings.TrimSpace(string(private[16:20]))) {
			return nil, ErrNotTaken
		}
	case "A_VORBIS":
		return quietXiph(private, "\x03vorbis\x00\x00\x00\x00\x00\x00\x00\x00\x01")
	case "V_THEORA":
		return quietXiph(private, "\x81theora\x00\x00\x00\x00\x00\x00\x00\x00")
	case "A_FLAC":
		return quietFLAC(private)
	}
	return private, nil
}

// quietXiph returns the three headers of Vorbis or Theora, replacing the second by none, which
// has no comments (Vorbis I, section 5; RFC 9559, section 6.1: the lengths of all but the last
// come first, each with Xiph lacing).
func quietXiph(b []byte, none string) ([]byte, error) {
	if len(b) < 3 || b[0] != 2 {
		return nil, ErrDamaged
	}
	rest := b[1:]
	var sizes [2]int
	for i := range sizes {
		for {
			if len(rest) == 0 {
				return nil, ErrDamaged
			}
			n := rest[0]
			rest = rest[1:]
			if sizes[i] += int(n); n < 255 {
				break
			}
		}
	}
	if sizes[0] > 254 || sizes[0]+sizes[1] > len(rest) {
		return nil, ErrDamaged
	}
	kept := append([]byte{2, byte(sizes[0]), byte(len(none))}, rest[:sizes[0]]...)
	return append(append(kept, none...), rest[sizes[0]+sizes[1]:]...), nil
}

// point reads a cue point.
func (w *webM) point(body []byte) error {
	var p cuePoint
	return eachElement(body, func(id uint64, _, body []byte) error {
		switch id {
		case idTime:
			p.time = number(body)
		case idPositions:
			if err := eachElement(body, func(id uint64, _, body []byte) error {
				switch id {
				case idCueTrack:
					p.track = number(body)
				case idCueCluster:
					p.cluster = number(body)
				}
				return nil
			}); err != nil {
				return err
			}
			if w.points = append(w.points, p); len(w.points) > maxPoints {
				return ErrNotTaken
			}
		}
		return nil
	})
}

// cluster reads a cluster that was at an offset of the segment, and returns its end.
func (w *webM) cluster(e element, end, from int64) (int64, error) {
	if len(w.clusters) == maxClusters {
		return 0, ErrNotTaken
	}
	if e.size != unknown {
		end = e.end()
	}
	c := cluster{from: from}
	at := e.at
	for at < end {
		b, err := w.element(at, end)
		if errors.Is(err, ErrDamaged) && e.size == unknown {
			break // the file is truncated
		}
		if err != nil {
			return 0, err
		}
		if e.size == unknown && slices.Contains(topElements, b.id) {
			break
		}
		if b.size == unknown {
			return 0, ErrDamaged
		}
		if err := w.block(&c, b); err != nil {
			return 0, err
		}
		at = b.end()
	}
	if c.time == nil {
		return 0, ErrDamaged
	}
	if len(c.blocks) > 0 {
		w.clusters = append(w.clusters, c)
	}
	return at, nil
}

// block keeps an element of a cluster: its timestamp, and blocks of kept tracks.
func (w *webM) block(c *cluster, b element) error {
	switch b.id {
	case idTimestamp:
		if b.size > 8 || c.time != nil {
			return ErrDamaged
		}
		text, err := all(w.r, b.at, b.size)
		c.time = numberText(idTimestamp, number(text))
		return err
	case idSimpleBlock:
		kept, err := w.ofKept(b)
		if kept {
			c.keep(piece{at: b.start, n: b.end() - b.start})
		}
		return err
	case idBlockGroup:
		return w.group(c, b)
	}
	return nil
}

// ofKept reports whether a block belongs to a kept track.
func (w *webM) ofKept(b element) (bool, error) {
	if b.size < 4 {
		return false, ErrDamaged
	}
	head, err := all(w.r, b.at, 1)
	if err != nil {
		return false, err
	}
	track, n := varint(head) // the numbers of kept tracks have one byte
	return n == 1 && w.tracks[track], nil
}

// group keeps a block with the elements that it requires.
func (w *webM) group(c *cluster, g element) error {
	var list []piece
	var size int64
	kept, plain := false, true
	for at := g.at; at < g.end(); {
		b, err := w.element(at, g.end())
		if err != nil || b.size == unknown {
			return either(err, ErrDamaged)
		}
		if b.id == idBlock {
			if kept, err = w.ofKept(b); err != nil {
				return err
			}
		}
		if slices.Contains(groupKept, b.id) {
			list = append(list, piece{at: b.start, n: b.end() - b.start})
			size += b.end() - b.start
		} else {
			plain = false
		}
		at = b.end()
	}
	switch {
	case !kept:
		return nil
	case plain:
		c.keep(piece{at: g.start, n: g.end() - g.start})
		return nil
	}
	head := elementHead(idBlockGroup, size)
	c.keep(piece{text: head, n: int64(len(head))})
	for _, p := range list {
		c.keep(p)
	}
	if w.inline += int64(len(head)); w.inline > maxElement {
		return ErrNotTaken
	}
	return nil
}

func (c *cluster) keep(p piece) {
	c.size += p.n
	if n := len(c.blocks); n > 0 && p.text == nil && c.blocks[n-1].text == nil && c.blocks[n-1].at+c.blocks[n-1].n == p.at {
		c.blocks[n-1].n += p.n
		return
	}
	c.blocks = append(c.blocks, p)
}

// finish writes the copy.
func (w *webM) finish(head []byte) {
	by := []byte("dal")
	info := slices.Concat(w.info, elementText(idMuxer, by), elementText(idWriter, by))
	front := slices.Concat(elementText(idInfo, info), elementText(idTracks, w.entries), w.tags())
	places := map[uint64]int64{}
	var known []cuePoint
	isCluster := map[uint64]bool{}
	for _, c := range w.clusters {
		isCluster[uint64(c.from)] = true
	}
	for _, p := range w.points {
		if w.tracks[p.track] && isCluster[p.cluster] {
			known = append(known, p)
		}
	}
	at := int64(len(front))
	if len(known) > 0 {
		at += int64(len(cues(known, places))) // as long as with the final offsets
	}
	for _, c := range w.clusters {
		places[uint64(c.from)] = at
		at += int64(len(elementHead(idCluster, 0))+len(c.time)) + c.size
	}
	if len(known) > 0 {
		front = append(front, cues(known, places)...)
	}
	w.write(slices.Concat(head, elementHead(idSegment, at), front))
	for _, c := range w.clusters {
		w.write(append(elementHead(idCluster, int64(len(c.time))+c.size), c.time...))
		for _, p := range c.blocks {
			if p.text != nil {
				w.write(p.text)
			} else {
				w.keep(p.at, p.n)
			}
		}
	}
}

// cues encodes the cue points.
func cues(points []cuePoint, places map[uint64]int64) []byte {
	var b []byte
	for _, p := range points {
		positions := append(numberText(idCueTrack, p.track), numberText(idCueCluster, uint64(places[p.cluster]))...)
		b = append(b, elementText(idPoint, append(numberText(idTime, p.time), elementText(idPositions, positions)...))...)
	}
	return elementText(idCues, b)
}

// tags returns the metadata of the copy.
func (w *webM) tags() []byte {
	var list []byte
	for _, c := range w.credits("ARTIST", "COPYRIGHT") {
		tag := append(elementText(idTagName, []byte(c[0])), elementText(idTagString, []byte(c[1]))...)
		list = append(list, elementText(idSimpleTag, tag)...)
	}
	if list == nil {
		return nil
	}
	return elementText(idTags, elementText(idTag, append(elementText(idTargets, nil), list...)))
}
