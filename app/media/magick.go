package media

import (
	"bytes"
	"encoding/binary"
	"regexp"
	"strings"

	"github.com/bep/imagemeta"
	"github.com/h2non/filetype"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/media/tiff"
)

// byMagick are the formats that ImageMagick reads. A file that matches several has the
// first; formats without a magic number come last.
func byMagick() []format {
	heif, avif := heifMetadata(imagemeta.HEIF), heifMetadata(imagemeta.AVIF)
	return []format{
		magickFormat("HEIC", "a", "image/heic", "heic heif hif", isHEIC).tagged(heif).telling(exifAndXMP),
		magickFormat("AVIF", "an", "image/avif", "avif", brand("avif", "avis")).tagged(avif).telling(exifAndXMP),
		magickFormat("JPEG XL", "a", "image/jxl", "jxl", begins("\xff\x0a", "\x00\x00\x00\x0cJXL \x0d\x0a\x87\x0a")).as("JXL").
			telling(exifAndXMP),
		magickFormat("JPEG 2000", "a", "image/jp2", "jp2 jpf jpx", begins("\x00\x00\x00\x0cjP  \x0d\x0a\x87\x0a")).as("JP2").
			tagged(jp2Metadata).telling(exifAndXMP),
		magickFormat("JPEG 2000 stream", "a", "image/x-jp2-codestream", "j2k j2c jpc", begins("\xff\x4f\xff\x51")).as("J2K"),
		magickFormat("Photoshop", "a", "image/vnd.adobe.photoshop", "psd", begins("8BPS\x00\x01")).as("PSD").tagged(psdMetadata),
		magickFormat("large Photoshop", "a", "image/x-psb", "psb", begins("8BPS\x00\x02")).as("PSB").tagged(psdMetadata),
		magickFormat("OpenEXR", "an", "image/x-exr", "exr", begins("\x76\x2f\x31\x01")).as("EXR"),
		magickFormat("Radiance", "a", "image/vnd.radiance", "hdr rgbe", begins("#?RADIANCE", "#?RGBE")).as("HDR"),
		magickFormat("DDS", "a", "image/vnd.ms-dds", "dds", begins("DDS ")),
		magickFormat("QOI", "a", "image/qoi", "qoi", begins("qoif")),
		magickFormat("farbfeld", "a", "image/x-farbfeld", "ff", begins("farbfeld")).as("FARBFELD"),
		magickFormat("SGI", "an", "image/x-sgi", "sgi rgb rgba bw",
			begins("\x01\xda\x00\x01", "\x01\xda\x00\x02", "\x01\xda\x01\x01", "\x01\xda\x01\x02")),
		magickFormat("DPX", "a", "image/x-dpx", "dpx", begins("SDPX", "XPDS")),
		magickFormat("Cineon", "a", "image/x-cineon", "cin", begins("\x80\x2a\x5f\xd7", "\xd7\x5f\x2a\x80")).as("CIN"),
		magickFormat("FITS", "a", "image/fits", "fits fit fts", begins("SIMPLE  =")),
		magickFormat("Sun raster", "a", "image/x-sun-raster", "ras sun", begins("\x59\xa6\x6a\x95")).as("SUN"),
		magickFormat("JNG", "a", "image/x-jng", "jng", begins("\x8bJNG\x0d\x0a\x1a\x0a")),
		magickFormat("MIFF", "a", "image/x-miff", "miff", begins("id=ImageMagick")),
		magickFormat("PICT", "a", "image/x-pict", "pict pct pic", isPICT),
		magickFormat("XPM", "an", "image/x-xpixmap", "xpm", begins("/* XPM */")),
		magickFormat("PBM", "a", "image/x-portable-bitmap", "pbm", isPNM("14")),
		magickFormat("PGM", "a", "image/x-portable-graymap", "pgm", isPNM("25")),
		magickFormat("PPM", "a", "image/x-portable-pixmap", "ppm pnm", isPNM("36")),
		magickFormat("PAM", "a", "image/x-portable-arbitrarymap", "pam", begins("P7\nWIDTH", "P7\nHEIGHT", "P7\n#", "P7\nDEPTH")),
		magickFormat("PFM", "a", "image/x-portable-floatmap", "pfm", begins("PF\n", "Pf\n")),
		magickFormat("ICO", "an", "image/vnd.microsoft.icon", "ico", isIcon),
		magickFormat("DCX", "a", "image/x-dcx", "dcx", begins("\xb1\x68\xde\x3a")),
		magickFormat("PCX", "a", "image/x-pcx", "pcx", isPCX),
		magickFormat("DNG", "a", dngType, "dng", isDNG).tagged(tiffMetadata).telling(exifAndXMP),

		magickFormat("TGA", "a", "image/x-tga", "tga", isTGA),
	}
}

// exifAndXMP is the metadata of these formats, for people.
const exifAndXMP = "EXIF, XMP"

// magickFormat returns a format that ImageMagick reads under the same name.
func magickFormat(name, article, mime, extensions string, is func(source, []byte) bool) format {
	return format{
		Type: Type{
			MIME: mime, Name: name, Phrase: article + " " + name + " picture", Extensions: strings.Fields(extensions), Category: dam.CategoryImage,
		},
		is: is, header: unknownSize, engine: &byEngine{name: "magick", format: strings.ToUpper(name)},
	}
}

// as sets ImageMagick's name of a format if it differs from dal's.
func (f format) as(name string) format {
	f.engine = &byEngine{name: f.engine.name, format: name}
	return f
}

func (f format) tagged(metadata func(source) (*collector, error)) format {
	f.metadata = metadata
	return f
}

func (f format) telling(what string) format {
	f.says = what
	return f
}

// begins returns a test for formats with one of the magic numbers.
func begins(marks ...string) func(source, []byte) bool {
	return func(_ source, head []byte) bool {
		for _, mark := range marks {
			if bytes.HasPrefix(head, []byte(mark)) {
				return true
			}
		}
		return false
	}
}

// brands returns the brands of a file in the ISO base media format (ISO/IEC 14496-12,
// section 4.3), the major one first.
func brands(head []byte) (list []string) {
	if len(head) < 16 || string(head[4:8]) != "ftyp" {
		return nil
	}
	end := min(int(binary.BigEndian.Uint32(head)), len(head), 256)
	list = []string{string(head[8:12])}
	for at := 16; at+4 <= end; at += 4 {
		list = append(list, string(head[at:at+4]))
	}
	return list
}

// brand returns a test for files of the ISO base media format with one of the wanted
// brands. A generic major brand defers to the compatible brands.
func brand(wanted ...string) func(source, []byte) bool {
	return func(_ source, head []byte) bool {
		list := brands(head)
		if len(list) > 0 && list[0] != "mif1" && list[0] != "msf1" {
			list = list[:1]
		}
		for _, b := range list {
			for _, w := range wanted {
				if b == w {
					return true
				}
			}
		}
		return false
	}
}

// isHEIC reports whether a file is HEIF with HEVC pictures (ISO/IEC 23008-12, annex B).
func isHEIC(s source, head []byte) bool {
	if brand("avif", "avis")(s, head) {
		return false
	}
	return brand("heic", "heix", "heim", "heis", "hevc", "hevx", "hevm", "hevs", "mif1")(s, head)
}

// isPICT checks for the version of a QuickDraw picture, after a header of 512 bytes, the
// size and the frame.
func isPICT(_ source, head []byte) bool {
	return len(head) > 528 && string(head[522:526]) == "\x00\x11\x02\xff"
}

var numbersOfPNM = regexp.MustCompile(`^P[1-6]\s(\s*#[^\n]*\n)*\s*[0-9]+\s`)

// isPNM returns a test for the Netpbm formats with the given numbers.
func isPNM(numbers string) func(source, []byte) bool {
	return func(_ source, head []byte) bool {
		return len(head) > 3 && strings.IndexByte(numbers, head[1]) >= 0 && numbersOfPNM.Match(head[:min(len(head), 1000)])
	}
}

// isIcon validates the first entry of an icon directory.
func isIcon(s source, head []byte) bool {
	if len(head) < 22 || !bytes.HasPrefix(head, []byte{0, 0, 1, 0}) || head[4] == 0 || head[5] != 0 || head[9] != 0 {
		return false
	}
	size, at := int64(binary.LittleEndian.Uint32(head[14:])), int64(binary.LittleEndian.Uint32(head[18:]))
	return at >= 22 && size > 0 && at+size <= s.size
}

// isPCX validates the whole header of a PCX, whose magic is a single byte.
func isPCX(_ source, head []byte) bool {
	return len(head) >= 128 && head[0] == 10 && head[1] <= 5 && head[1] != 1 && head[2] == 1 &&
		bytes.IndexByte([]byte{1, 2, 4, 8}, head[3]) >= 0 && head[64] == 0 && head[65] >= 1 && head[65] <= 4
}

// isTGA checks for the signature at the end of a TGA (version 2), or else validates its
// whole header, which has no magic.
func isTGA(s source, head []byte) bool {
	if len(head) < 18 {
		return false
	}
	kind, depth := head[2], head[16]
	if head[1] > 1 || bytes.IndexByte([]byte{1, 2, 3, 9, 10, 11}, kind) < 0 || bytes.IndexByte([]byte{8, 15, 16, 24, 32}, depth) < 0 {
		return false
	}
	var end [26]byte
	if s.size > 44 {
		if _, err := s.ReadAt(end[:], s.size-26); err == nil && string(end[8:]) == "TRUEVISION-XFILE.\x00" {
			return true
		}
	}
	palette := kind == 1 || kind == 9
	if palette != (head[1] == 1) || !palette && !bytes.Equal(head[3:8], make([]byte, 5)) || head[17]&0xc0 != 0 {
		return false
	}
	w, h := binary.LittleEndian.Uint16(head[12:]), binary.LittleEndian.Uint16(head[14:])
	return w > 0 && h > 0 && (kind > 8 || s.size >= 18+int64(w)*int64(h)*int64((depth+7)/8))
}

// isDNG reports whether a TIFF has a DNG version tag.
func isDNG(s source, head []byte) bool {
	if !filetype.Is(head, "tif") {
		return false
	}
	f, err := tiff.Open(s, s.size)
	if err != nil {
		return false
	}
	d, err := f.Directory(f.First)
	return err == nil && d.Has(tagDNGVersion)
}
