package embed

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"strings"
)

// ErrNotTaken is returned for a file that is built as it should be, in a way that no copy
// without metadata is made of.
var ErrNotTaken = errors.New("no copy without metadata is made of files of this kind")

// strippers are the formats that copies without metadata are made of, by MIME type.
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

// Strips reports whether copies without metadata are made of files of a MIME type.
func Strips(mime string) bool { return strippers[mime] != nil }

// StripTypes lists the MIME types of which copies without metadata are made.
func StripTypes() []string {
	var list []string
	for mime := range strippers {
		list = append(list, mime)
	}
	slices.Sort(list)
	return list
}

// stripping is a copy without metadata in the making.
type stripping struct {
	Plan
	r    io.ReaderAt
	size int64
	says []Property // that the copy has
}

// packet returns what the copy says as XMP, nil for nothing.
func (s *stripping) packet() []byte {
	if len(s.says) == 0 {
		return nil
	}
	return packet(nil, s.says)
}

// said returns what the copy says of a property, "" for nothing.
func (s *stripping) said(path string) string {
	for _, p := range s.says {
		if p.Path == path {
			return strings.Join(p.Texts, ", ")
		}
	}
	return ""
}

// credits returns what the copy says of who made it and whose it is, as pairs of a name and a
// text, without those of which it says nothing.
func (s *stripping) credits(creator, rights string) [][2]string {
	list := [][2]string{{creator, s.said("dc:creator")}, {rights, s.said("dc:rights")}}
	return slices.DeleteFunc(list, func(c [2]string) bool { return c[1] == "" })
}

// Plan says which pieces of a file a copy has. It can be kept for as long as the file is the
// same.
type Plan struct {
	copy   Copy
	memory int64
}

// Of returns the copy of the file that the plan was made of, which is read whenever the copy
// is.
func (p *Plan) Of(r io.ReaderAt) *Copy {
	return &Copy{file: r, parts: p.copy.parts, size: p.copy.size}
}

// Memory returns about how many bytes the plan has.
func (p *Plan) Memory() int64 { return p.memory + int64(cap(p.copy.parts))*48 }

func (p *Plan) keep(at, n int64) { p.copy.add(nil, at, n) }

func (p *Plan) write(b []byte) {
	p.memory += int64(len(b))
	p.copy.text(b)
}

// Strip plans a copy of a file that shows or plays the same and says nothing but some
// properties of XMP: no EXIF, XMP, IPTC or comments of the file, no thumbnails, and nothing
// that lies between or behind what is shown. Profiles of colours and the orientation stay.
// The error may be ErrDamaged, ErrNotTaken or ErrTooLong.
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

// scanner reads a file from its beginning to its end, and knows where it is.
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

// take reads some bytes, few.
func (s *scanner) take(n int) ([]byte, error) {
	b := make([]byte, n)
	got, err := io.ReadFull(s.Reader, b)
	s.at += int64(got)
	return b, err
}

// skip passes over some bytes.
func (s *scanner) skip(n int) error {
	got, err := s.Discard(n)
	s.at += int64(got)
	return err
}

// among reports whether a word is one of a list with spaces between.
func among(list, word string) bool {
	return !strings.Contains(word, " ") && strings.Contains(" "+list+" ", " "+word+" ")
}

// orientationOf returns how EXIF says that a picture is turned, 1 to 8; 1 if it does not.
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

// turned returns EXIF that says nothing but how a picture is turned, nil if it is not.
func turned(orientation byte) []byte {
	if orientation == 1 {
		return nil
	}
	return []byte{'M', 'M', 0, 42, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0, 0, 0, 0, 0}
}
