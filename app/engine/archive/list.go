package archive

import (
	"archive/tar"
	"archive/zip"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"io/fs"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/nwaples/rardecode/v2"
	"golang.org/x/text/encoding/charmap"

	"github.com/digital-asset-library/dal/app/engine"
)

// listZIP reads the directory of a ZIP archive.
func listZIP(l *listing, r io.ReaderAt, size int64) error {
	z, err := zip.NewReader(&bounded{r, maxDirectory}, size)
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return err
	}
	for _, f := range z.File {
		l.encrypted = l.encrypted || f.Flags&1 != 0
		modified := utc(f.Modified)
		if f.Modified.Location() == time.UTC { // MS-DOS time
			modified = local(f.Modified)
		}
		if err := l.add(zipName(f), int64(min(f.UncompressedSize64, maxSize+1)), modified); err != nil {
			return err
		}
	}
	return nil
}

// maxDirectory is the maximum number of bytes read from the directory of a ZIP archive.
const maxDirectory = 128 << 20

// bounded is a file with a limit on the number of bytes read.
type bounded struct {
	io.ReaderAt
	left int64
}

func (b *bounded) ReadAt(p []byte, off int64) (int, error) {
	if b.left -= int64(len(p)); b.left < 0 {
		return 0, &engine.Fault{Reason: engine.Exceeded, Text: "the list of its files is too long"}
	}
	return b.ReaderAt.ReadAt(p, off)
}

// zipName returns the name of a file: the Unicode path of Info-ZIP, UTF-8 with or without a
// flag, or otherwise code page 437 (APPNOTE 6.3.10, section 4.6.9 and annex D).
func zipName(f *zip.File) string {
	if !f.NonUTF8 {
		return f.Name
	}
	for extra := f.Extra; len(extra) >= 4; {
		id, n := binary.LittleEndian.Uint16(extra), int(binary.LittleEndian.Uint16(extra[2:]))
		if extra = extra[4:]; n > len(extra) {
			break
		}
		v := extra[:n]
		if id == 0x7075 && n > 5 && v[0] == 1 && binary.LittleEndian.Uint32(v[1:]) == crc32.ChecksumIEEE([]byte(f.Name)) {
			return string(v[5:])
		}
		extra = extra[n:]
	}
	return byPage(f.Name, charmap.CodePage437)
}

// byPage decodes a name that is not UTF-8.
func byPage(name string, page *charmap.Charmap) string {
	if utf8.ValidString(name) {
		return name
	}
	name, _ = page.NewDecoder().String(name) // defined for every byte
	return name
}

// listRAR reads the headers of a RAR archive. For a multi-volume archive it reads the
// headers in this volume.
func listRAR(l *listing, r io.ReaderAt, size int64) error {
	volume := rardecode.FileSystem(volumes{r, size})
	files, err := rardecode.List(onlyVolume, volume)
	if err == nil {
		for _, f := range files {
			if err := l.addRAR(&f.FileHeader); err != nil {
				return err
			}
		}
		return nil
	}
	if errors.Is(err, rardecode.ErrArchiveEncrypted) {
		return errLocked
	}
	z, failed := rardecode.OpenReader(onlyVolume, volume, rardecode.MaxDictionarySize(64<<20))
	if failed != nil {
		return failed
	}
	for {
		h, failed := z.Next()
		if failed == nil {
			failed = l.addRAR(h)
		}
		switch {
		case failed == nil:
		case l.files+l.folders > 0 && errors.Is(err, fs.ErrNotExist):
			return errEnough // continues in another volume
		default:
			return failed
		}
	}
}

func (l *listing) addRAR(h *rardecode.FileHeader) error {
	l.encrypted = l.encrypted || h.Encrypted || h.HeaderEncrypted
	path, size := h.Name, h.UnPackedSize
	if h.IsDir && !strings.HasSuffix(path, "/") {
		path += "/"
	}
	if h.UnKnownSize {
		size = -1
	}
	modified := utc(h.ModificationTime)
	if h.ModificationTime.Location() == time.Local { // MS-DOS time
		modified = local(h.ModificationTime)
	}
	return l.add(path, size, modified)
}

// onlyVolume is the name of the single volume.
const onlyVolume = "archive.rar"

// volumes is a file system with one volume of an archive.
type volumes struct {
	r    io.ReaderAt
	size int64
}

func (v volumes) Open(name string) (fs.File, error) {
	if name != onlyVolume {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return volume{io.NewSectionReader(v.r, 0, v.size)}, nil
}

type volume struct{ *io.SectionReader }

func (volume) Close() error { return nil }

func (volume) Stat() (fs.FileInfo, error) { return nil, fs.ErrInvalid }

// listTAR reads the headers of a tar archive.
func listTAR(l *listing, file io.Reader) error {
	t := tar.NewReader(file)
	for {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil && !errors.Is(err, tar.ErrInsecurePath) {
			return err
		}
		if h.Typeflag == tar.TypeXGlobalHeader {
			continue
		}
		path := h.Name
		if h.FileInfo().IsDir() && !strings.HasSuffix(path, "/") {
			path += "/"
		}
		if err := l.add(byPage(path, charmap.Windows1252), h.Size, utc(h.ModTime)); err != nil {
			return err
		}
	}
}
