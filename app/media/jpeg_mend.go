package media

import (
	"bytes"
	"errors"
	"image"
	"image/jpeg"
	"io"
	"slices"
)

// The warnings for truncated files.
const (
	partMissing = "The file ends too early: a part of the picture is missing."
	endMissing  = "The file ends too early, but the picture is complete."
	lessDetail  = "The file ends too early: the picture lacks detail."
)

// mendJPEG recovers the visible part of a JPEG that is truncated or whose last scan is: the
// whole picture if only the end marker is missing; the complete scans of a progressive
// JPEG; otherwise the available rows, with grey below.
func mendJPEG(s source, h header) (image.Image, string, error) {
	f, err := readJPEGFrame(s)
	if err != nil {
		return nil, "", err
	}
	scans, ends, err := readScans(s)
	if err != nil || len(scans) == 0 {
		return nil, "", errors.Join(errors.New("there is nothing to mend"), err)
	}
	if ends {
		if err := mayMendShort(s, h); err != nil {
			return nil, "", err
		}
	}
	if img, err := decodeJPEGUpTo(s, s.size, 0, 0); err == nil {
		return img, endMissing, nil
	}
	if last := scans[len(scans)-1]; f.progressive && len(scans) > 1 {
		if img, err := decodeJPEGUpTo(s, last, 0, 0); err == nil {
			return img, lessDetail, nil
		}
	}
	img, err := topOfJPEG(s, f)
	return img, partMissing, err
}

// mayMendShort returns why a JPEG with an end marker cannot be recovered: its scans are
// damaged rather than too short, or the attempts, for which no memory was reserved, would
// take too much.
func mayMendShort(s source, h header) error {
	need, err := jpegMemory(s, h)
	switch {
	case err != nil:
		return err
	case mendAttempts*need > s.limits.MemoryBudget:
		return errors.New("mending it takes too much memory")
	}
	if _, err = decodeJPEG(s); !isShortJPEG(s, err) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.Join(errors.New("no scan ends too early"), err)
	}
	return nil
}

// isShortJPEG reports whether a decoder error means that a scan is truncated: there is a
// marker where data or a restart marker should be.
func isShortJPEG(_ source, err error) bool {
	return slices.ContainsFunc([]string{"short Huffman data", "missing 0xff00 sequence", "bad RST marker"},
		func(text string) bool { return errors.Is(err, jpeg.FormatError(text)) })
}

// topOfJPEG finds the largest number of rows that decode when the frame header is patched
// to that height, and returns them with grey below.
func topOfJPEG(s source, f jpegFrame) (image.Image, error) {
	unit := 1
	for _, c := range f.components {
		unit = max(unit, 8*int(c.v))
	}
	var best image.Image
	err := errors.New("there is not one row")
	most := (f.height + unit - 1) / unit
	for have, n := 0, most; n-have > 1; {
		k := (have + n) / 2
		img, failed := decodeJPEGUpTo(s, s.size, f.at, k*unit)
		if _, isRead := errors.AsType[*readError](failed); isRead {
			return nil, failed
		}
		if failed == nil {
			have, best = k, img
		} else {
			n = k
		}
	}
	if best == nil {
		return nil, err
	}
	return onGrey(best, f.width, f.height)
}

// decodeJPEGUpTo decodes a JPEG as if it ended at an offset and, unless rows is 0, had that
// many rows; frameAt is the offset of its frame header's content.
func decodeJPEGUpTo(s source, end, frameAt int64, rows int) (image.Image, error) {
	return decodeJPEGOf(s, func() io.Reader {
		parts := []io.Reader{io.NewSectionReader(s, 0, end)}
		if rows > 0 {
			parts = []io.Reader{
				io.NewSectionReader(s, 0, frameAt+1), bytes.NewReader([]byte{byte(rows >> 8), byte(rows)}),
				io.NewSectionReader(s, frameAt+3, end-frameAt-3),
			}
		}
		return io.MultiReader(append(parts, bytes.NewReader([]byte{0xff, 0xd9}))...)
	})
}

// onGrey extends a picture to w × h with grey rows below it.
func onGrey(img image.Image, w, h int) (image.Image, error) {
	all := image.Rect(0, 0, w, h)
	switch m := img.(type) {
	case *image.YCbCr:
		out := image.NewYCbCr(all, m.SubsampleRatio)
		rows := (len(m.Cb) + m.CStride - 1) / m.CStride // chroma rows, in whole blocks
		rows = min(rows, len(out.Cb)/out.CStride)
		grow(out.Y, m.Y, out.YStride, m.YStride, m.Rect.Dy())
		grow(out.Cb, m.Cb, out.CStride, m.CStride, rows)
		grow(out.Cr, m.Cr, out.CStride, m.CStride, rows)
		return out, nil
	case *image.Gray:
		out := image.NewGray(all)
		grow(out.Pix, m.Pix, out.Stride, m.Stride, m.Rect.Dy())
		return out, nil
	case *image.RGBA:
		out := image.NewRGBA(all)
		grow(out.Pix, m.Pix, out.Stride, m.Stride, m.Rect.Dy())
		for i := 3; i < len(out.Pix); i += 4 {
			out.Pix[i] = 255
		}
		return out, nil
	case *image.CMYK:
		out := image.NewCMYK(all)
		grow(out.Pix, m.Pix, out.Stride, m.Stride, m.Rect.Dy())
		return out, nil
	}
	return nil, errors.New("the picture is of an unknown kind")
}

// grow copies the rows of a smaller plane into a larger one and makes the remaining rows
// grey.
func grow(to, from []byte, toStride, fromStride, rows int) {
	for y := range rows {
		copy(to[y*toStride:(y+1)*toStride], from[y*fromStride:])
	}
	rest := to[rows*toStride:]
	for i := range rest {
		rest[i] = 128
	}
}

// mendAttempts is how many pictures may be in memory while a JPEG is recovered: the best
// attempt, the next one, and garbage.
const mendAttempts = 3

// maxScans limits the scans of a JPEG that are examined.
const maxScans = 1000

// readScans returns the offsets of the scans of a JPEG, and whether an end marker follows
// the first.
func readScans(s source) (scans []int64, ends bool, err error) {
	if scans, err = firstScan(s); err != nil || len(scans) == 0 {
		return nil, false, err
	}
	c := newCounted(s, scans[0]+2)
	for len(scans) < maxScans {
		b, err := c.ReadByte()
		for err == nil && b != 0xff {
			b, err = c.ReadByte()
		}
		for err == nil && b == 0xff {
			b, err = c.ReadByte()
		}
		switch {
		case errors.Is(err, io.EOF):
			return scans, false, nil
		case err != nil:
			return scans, false, err
		case b == 0xd9:
			return scans, true, nil
		case b == 0xda:
			scans = append(scans, c.at-2)
		}
	}
	return scans, false, nil
}

// firstScan returns the offset of the first scan, or an empty list.
func firstScan(s source) ([]int64, error) {
	end, err := walkSegments(s, func(byte, int64, int) error { return nil })
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, nil
	}
	if err != nil || end == 0 {
		return nil, err
	}
	return []int64{end}, nil
}

// mayBeMended reports whether a JPEG lacks an end marker, so that decoding it may take
// several attempts.
func mayBeMended(s source) (bool, error) {
	var b [2]byte
	if s.size > 2 {
		if _, err := s.ReadAt(b[:], s.size-2); err != nil {
			return false, err
		}
	}
	if b == [2]byte{0xff, 0xd9} {
		return false, nil
	}
	_, ends, err := readScans(s)
	return !ends, err
}
