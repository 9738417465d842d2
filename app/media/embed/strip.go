package embed

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"strings"
)

// ErrNotTaken is returned for a file that is valid, but of a kind that cannot be stripped.
var ErrNotTaken = errors.New("no copy without metadata is made of files of this kind")

// strippers maps MIME types to the functions that strip their format.
var strippers = map[string]func(s *stripping) error{
	"image/jpeg": stripJPEG,
	"image/png":  stripPNG,
	"image/webp": stripWebP,
	"image/gif":  stripGIF,
	"image/tiff": stripTIFF,
	"image/heic": stripHEIF,
	"image/avif": stripHEIF,

	"video/mp4":       stripMP4,
	"video/quicktime": stripMP4,
	"video/x-m4v":     stripMP4,
	"video/3gpp":      stripMP4,
	"audio/mp4":       stripMP4,
	"video/webm":      stripWebM,

	"video/x-matroska": stripWebM,

	"audio/mpeg": stripMP3,
	"audio/flac": stripFLAC,
	"audio/wav":  stripWAV,
	"audio/aiff": stripAIFF,
	"audio/ogg":  stripOgg,
}

// Strips reports whether files of a MIME type can be stripped.
func Strips(mime string) bool { return strippers[mime] != nil }

// StripTypes lists the MIME types that can be stripped.
func StripTypes() []string {
	var list []string
	for mime := range strippers {
		list = append(list, mime)
	}
	slices.Sort(list)
	return list
}

// stripping is a stripped copy under construction.
type stripping struct {
	Plan
	r    io.ReaderAt
	size int64
	says []Property // metadata of the copy
}

// packet returns the metadata of the copy as XMP, or nil if it has none.
func (s *stripping) packet() []byte {
	if len(s.says) == 0 {
		return nil
	}
	return packet(nil, s.says)
}

// said returns the copy's value of a property, or "".
func (s *stripping) said(path string) string {
	for _, p := range s.says {
		if p.Path == path {
			return strings.Join(p.Texts, ", ")
		}
	}
	return ""
}

// credits returns the creator and the copyright notice of the copy as pairs of a name and a
// text, omitting empty ones.
func (s *stripping) credits(creator, rights string) [][2]string {
	list := [][2]string{{creator, s.said("dc:creator")}, {rights, s.said("dc:rights")}}
	return slices.DeleteFunc(list, func(c [2]string) bool { return c[1] == "" })
}

// Plan lists the pieces of a file that make up a copy. It remains valid while the file is
// unchanged.
type Plan struct {
	copy   Copy
	memory int64
}

// Of returns the copy, given the file from which the plan was made. Reading the copy reads
// the file.
func (p *Plan) Of(r io.ReaderAt) *Copy {
	return &Copy{file: r, parts: p.copy.parts, size: p.copy.size}
}

// Memory returns the approximate size of the plan in bytes.
func (p *Plan) Memory() int64 { return p.memory + int64(cap(p.copy.parts))*48 }

func (p *Plan) keep(at, n int64) { p.copy.add(nil, at, n) }

func (p *Plan) write(b []byte) {
	p.memory += int64(len(b))
	p.copy.text(b)
}

// Strip plans a copy of a file that renders or plays identically and contains no metadata
// except the given XMP properties: no EXIF, XMP, IPTC or comments of the file, no
// thumbnails, and no data between or after the visible content. Colour profiles and the
// orientation are preserved. The error may be ErrDamaged, ErrNotTaken or ErrTooLong.
func Strip(mime string, r io.ReaderAt, size int64, says []Property) (*Plan, error) {
	strip := strippers[mime]
	if strip == nil {
		return nil, ErrNotTaken
	}
	s := &stripping{r: r, size: size, says: says}
	if err := strip(s); err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			err = ErrDamaged
		}
		return nil, err
	}
	if len(s.copy.parts) > maxParts {
		return nil, ErrNotTaken
	}
	return &s.Plan, nil
}

// overlap reports whether a kept piece of a file has bytes in common with another piece: then
// the file is damaged, and the copy would contain more than the visible content.
func overlap(kept, other []span) bool {
	other = slices.DeleteFunc(slices.Clone(other), func(s span) bool { return s.n <= 0 })
	slices.SortFunc(other, func(a, b span) int { return cmp.Compare(a.at, b.at) })
	var union []span
	for _, s := range other {
		if last := len(union) - 1; last >= 0 && s.at <= union[last].at+union[last].n {
			union[last].n = max(union[last].n, s.at+s.n-union[last].at)
		} else {
			union = append(union, span{at: s.at, n: s.n})
		}
	}
	return slices.ContainsFunc(kept, func(k span) bool {
		i, _ := slices.BinarySearchFunc(union, k.at, func(u span, at int64) int {
			if u.at+u.n <= at {
				return -1
			}
			return 1
		})
		return k.n > 0 && i < len(union) && union[i].at < k.at+k.n
	})
}

// scanner reads a file sequentially and tracks its position.
type scanner struct {
	*bufio.Reader
	at int64
}

func (s *stripping) scan() *scanner {
	return &scanner{bufio.NewReaderSize(io.NewSectionReader(s.r, 0, s.size), 64<<10), 0}
}

// next reads one byte.
func (s *scanner) next() (byte, error) {
	b, err := s.ReadByte()
	if err == nil {
		s.at++
	}
	return b, err
}

// take reads n bytes, which should be few.
func (s *scanner) take(n int) ([]byte, error) {
	b := make([]byte, n)
	got, err := io.ReadFull(s.Reader, b)
	s.at += int64(got)
	return b, err
}

// skip skips n bytes.
func (s *scanner) skip(n int) error {
	got, err := s.Discard(n)
	s.at += int64(got)
	return err
}

// among reports whether a word is in a space-separated list.
func among(list, word string) bool {
	return !strings.Contains(word, " ") && strings.Contains(" "+list+" ", " "+word+" ")
}

// orientationOf returns the orientation in EXIF, 1 to 8; 1 if it is missing.
func orientationOf(exif []byte) byte {
	if len(exif) < 14 {
		return 1
	}
	var order binary.ByteOrder = binary.BigEndian
	if string(exif[:2]) == "II" {
		order = binary.LittleEndian
	}
	at := int64(order.Uint32(exif[4:]))
	if at+2 > int64(len(exif)) {
		return 1
	}
	entries := exif[at+2:]
	for range order.Uint16(exif[at:]) {
		if len(entries) < 12 {
			break
		}
		if order.Uint16(entries) == 0x112 {
			if v := order.Uint16(entries[8:]); v >= 1 && v <= 8 {
				return byte(v)
			}
			break
		}
		entries = entries[12:]
	}
	return 1
}

// turned returns EXIF that contains only an orientation, or nil for the default
// orientation.
func turned(orientation byte) []byte {
	if orientation == 1 {
		return nil
	}
	return []byte{'M', 'M', 0, 42, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0, 0, 0, 0, 0}
}
