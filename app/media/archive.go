package media

import (
	"bytes"
	"encoding/binary"

	"github.com/digital-asset-library/dal/app/dam"
)

// archives are the formats whose entries are listed but not unpacked. They come after the
// document formats, some of which are ZIP archives too.
func archives() []format {
	zip := begins("PK\x03\x04", "PK\x05\x06", "PK\x07\x08PK\x03\x04")
	return []format{
		archive("zip", "application/zip", "ZIP", "a ZIP archive", zip, "zip"),
		archive("7z", "application/x-7z-compressed", "7z", "a 7-Zip archive", begins("7z\xbc\xaf\x27\x1c"), "7z"),
		archive("rar", "application/vnd.rar", "RAR", "a RAR archive", begins("Rar!\x1a\x07\x00", "Rar!\x1a\x07\x01\x00"), "rar"),
		archive("tar", "application/x-tar", "tar", "a tar archive", isTAR, "tar"),
		archive("gz", "application/gzip", "gzip", "a file compressed with gzip", begins("\x1f\x8b\x08"), "gz", "tgz"),
		archive("bz2", "application/x-bzip2", "bzip2", "a file compressed with bzip2", isBzip2, "bz2", "tbz2", "tbz"),
		archive("xz", "application/x-xz", "xz", "a file compressed with xz", begins("\xfd7zXZ\x00"), "xz", "txz"),
		archive("zst", "application/zstd", "Zstandard", "a file compressed with Zstandard", begins("\x28\xb5\x2f\xfd"), "zst", "tzst"),
	}
}

// archive returns a format whose files the archive engine lists.
func archive(read, mime, name, phrase string, is func(source, []byte) bool, extensions ...string) format {
	return format{
		Type:   Type{MIME: mime, Name: name, Phrase: phrase, Extensions: extensions, Category: dam.CategoryDocument},
		is:     is,
		header: unknownSize,
		engine: &byEngine{name: "archive", format: read, ranges: true},
		facts:  "archive",
		says:   "the names of its files",
	}
}

// isTAR checks for the POSIX magic, or else validates the checksum of the first header.
func isTAR(_ source, head []byte) bool {
	if len(head) < 512 {
		return false
	}
	if bytes.HasPrefix(head[257:], []byte("ustar")) {
		return true
	}
	sum, want := uint64(8*' '), uint64(0)
	for i, c := range head[:512] {
		if i < 148 || i >= 156 {
			sum += uint64(c)
		}
	}
	for _, c := range bytes.Trim(head[148:156], " \x00") {
		if c < '0' || c > '7' {
			return false
		}
		want = want<<3 | uint64(c-'0')
	}
	return head[0] != 0 && sum == want
}

// isBzip2 checks for the magic of the file and for that of the first block or the end of
// the stream.
func isBzip2(_ source, head []byte) bool {
	if len(head) < 10 || !bytes.HasPrefix(head, []byte("BZh")) || head[3] < '1' || head[3] > '9' {
		return false
	}
	mark := binary.BigEndian.Uint64(head[2:]) & (1<<48 - 1)
	return mark == 0x314159265359 || mark == 0x177245385090
}
