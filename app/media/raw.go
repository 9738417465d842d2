package media

import (
	"bytes"
	"errors"
	"image"
	"io"
	"slices"
	"strings"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/media/tiff"
)

// raws are the camera raw formats. They are not developed: their picture is the largest
// JPEG that the camera embedded. They come before TIFF, on which most of them are based.
func raws() []format {
	return []format{
		rawFormat("CR2", "a", "image/x-canon-cr2", "cr2", isCR2),
		rawFormat("CR3", "a", "image/x-canon-cr3", "cr3", brand("crx ")).with(findCR3, metadataOfCR3),
		rawFormat("NEF", "an", "image/x-nikon-nef", "nef", byMaker("NIKON", "nef")),
		rawFormat("NRW", "an", "image/x-nikon-nrw", "nrw", byMaker("NIKON", "nrw")),
		rawFormat("ARW", "an", "image/x-sony-arw", "arw sr2 srf", byMaker("SONY", "")),
		rawFormat("SRW", "an", "image/x-samsung-srw", "srw", byMaker("SAMSUNG", "")),
		rawFormat("PEF", "a", "image/x-pentax-pef", "pef", byMaker("PENTAX|RICOH|Asahi", "")),
		rawFormat("ORF", "an", "image/x-olympus-orf", "orf ori", begins("IIRO", "IIRS", "MMOR")),
		rawFormat("RW2", "an", "image/x-panasonic-rw2", "rw2 rwl", begins("IIU\x00")),
		rawFormat("3FR", "a", "image/x-hasselblad-3fr", "3fr fff", byMaker("Hasselblad", "")),
		rawFormat("ERF", "an", "image/x-epson-erf", "erf", byMaker("SEIKO EPSON|EPSON", "")),
		rawFormat("DCR", "a", "image/x-kodak-dcr", "dcr kdc", byMaker("Kodak|EASTMAN KODAK", "")),
		rawFormat("RAF", "an", "image/x-fuji-raf", "raf", begins("FUJIFILMCCD-RAW ")).with(findRAF, metadataOfRAF),
		rawFormat("X3F", "an", "image/x-sigma-x3f", "x3f", begins("FOVb")).with(findX3F, metadataOfX3F),
	}
}

// inRaw describes a raw picture before it is decoded.
type inRaw struct {
	jpeg          source // the embedded JPEG; of size 0 if the file has none
	width, height int    // of the raw picture; 0 if unknown
}

// offer takes a JPEG if it can be decoded and is larger than the current one.
func (r *inRaw) offer(s source, at, size int64) {
	if at <= 0 || size < 100 || at > s.size || size > s.size-at {
		return
	}
	j := s
	j.file, j.size, j.name = io.NewSectionReader(s, at, size), size, ""
	h, err := jpegHeader(j)
	if err != nil || h.width <= 0 || h.height <= 0 || !isLossy(j) {
		return
	}
	if r.jpeg.size > 0 {
		before, err := jpegHeader(r.jpeg)
		if err == nil && before.area() >= h.area() {
			return
		}
	}
	r.jpeg = j
}

// isLossy reports whether a JPEG is lossy. Raw data may be stored as lossless JPEG.
func isLossy(s source) bool {
	f, err := readJPEGFrame(s)
	if err != nil || f.at < 6 {
		return false
	}
	var start [2]byte
	var before [3]byte // the marker and the length precede the content
	_, err = s.ReadAt(start[:], 0)
	_, err2 := s.ReadAt(before[:], f.at-4)
	return errors.Join(err, err2) == nil && string(start[:]) == "\xff\xd8" && before[1] >= 0xc0 && before[1] <= 0xc2
}

// rawFormat returns a TIFF-based raw format.
func rawFormat(name, article, mime, extensions string, is func(source, []byte) bool) format {
	f := format{
		Type: Type{
			MIME: mime, Name: name, Phrase: article + " " + name + " picture", Extensions: strings.Fields(extensions), Category: dam.CategoryImage,
		},
		is:     is,
		cutOff: jpegFormat.cutOff, beyond: jpegFormat.beyond,
		shows: "the picture that the camera put in", says: "EXIF",
	}
	return f.with(findInTIFF, tiffMetadata)
}

// with sets the functions that find the picture and the metadata of a raw file.
func (f format) with(find func(source) (inRaw, error), metadata func(source) (*collector, error)) format {
	jpeg := func(s source) (source, error) {
		r, err := find(s)
		if err == nil && r.jpeg.size == 0 {
			err = errors.New("there is no picture in it")
		}
		return r.jpeg, err
	}
	f.metadata = metadata
	f.header = func(s source) (header, error) {
		r, err := find(s)
		if err != nil {
			return header{}, err
		}
		if r.jpeg.size == 0 {
			return header{width: r.width, height: r.height, unseen: "the camera put no picture into it that the library can read"}, nil
		}
		h, err := jpegHeader(r.jpeg)
		h.rawWidth, h.rawHeight = r.width, r.height
		return h, err
	}
	f.memory = func(s source, h header) (int64, error) {
		j, err := jpeg(s)
		if err != nil {
			return 0, err
		}
		return jpegMemory(j, h)
	}
	f.decode = func(s source) (image.Image, error) {
		j, err := jpeg(s)
		if err != nil {
			return nil, err
		}
		return decodeJPEG(j)
	}
	f.mend = func(s source, h header) (image.Image, string, error) {
		j, err := jpeg(s)
		if err != nil {
			return nil, "", err
		}
		return mendJPEG(j, h)
	}
	f.profile = func(s source) ([]byte, error) {
		j, err := jpeg(s)
		if err != nil {
			return nil, err
		}
		return jpegProfile(j)
	}
	return f
}

// isCR2 checks for Canon's magic after that of TIFF.
func isCR2(_ source, head []byte) bool {
	return len(head) > 10 && bytes.HasPrefix(head, []byte("II*\x00")) && string(head[8:10]) == "CR"
}

const tagMake = 0x010f

// byMaker returns a test for TIFF-based raw formats, by the maker named in the first
// directory. The extension tells Nikon's two formats apart: .nrw is NRW, any other is NEF.
func byMaker(makers, extension_ string) func(source, []byte) bool {
	names := strings.Split(makers, "|")
	return func(s source, head []byte) bool {
		if !isTIFF(head) {
			return false
		}
		ext := extension(s)
		if extension_ == "nef" && ext == "nrw" || extension_ == "nrw" && ext != "nrw" {
			return false
		}
		f, err := tiff.Open(s, s.size)
		if err != nil {
			return false
		}
		d, err := f.Directory(f.First)
		if err != nil || d.Has(tagDNGVersion) || !isRawDirectory(f, d) {
			return false
		}
		e, _ := d.Find(tagMake)
		maker, _ := f.Bytes(e, 40) // an unreadable maker does not match
		return slices.ContainsFunc(names, func(name string) bool {
			return len(maker) >= len(name) && strings.EqualFold(string(maker[:len(name)]), name)
		})
	}
}

// metadataOfRAF reads the metadata of the JPEG, which has all of it.
func metadataOfRAF(s source) (*collector, error) { return metadataOfJPEGIn(s, findRAF) }

func metadataOfX3F(s source) (*collector, error) { return metadataOfJPEGIn(s, findX3F) }

func metadataOfJPEGIn(s source, find func(source) (inRaw, error)) (*collector, error) {
	r, err := find(s)
	if err != nil || r.jpeg.size == 0 {
		return newCollector(), err
	}
	return jpegMetadata(r.jpeg)
}
