package media

import (
	"encoding/binary"
	"errors"
	"image"
	"image/draw"
	"io"
)

// webpAnimation is the parsed structure of an animated WebP (RFC 9649, section 2.7.1).
type webpAnimation struct {
	frames  int
	millis  int64           // of all frames
	plays   int             // number of times it plays; 0 loops forever
	first   image.Rectangle // position of the first frame on the canvas
	at, len int64           // range of the first frame's chunks
}

// readAnimation walks the chunks of an animated WebP up to one frame more than limit. If
// an error occurs, it also returns the part read so far.
func readAnimation(s source, limit int) (a webpAnimation, err error) {
	err = eachRIFFChunk(s, maxChunks, func(id string, at, n int64) error {
		var b [16]byte
		switch {
		case n > s.size-at:
			return io.ErrUnexpectedEOF
		case id == "ANIM" && n >= 6:
			if _, err := s.ReadAt(b[:6], at); err != nil {
				return err
			}
			a.plays = int(binary.LittleEndian.Uint16(b[4:]))
		case id == "ANMF" && n >= 16:
			if _, err := s.ReadAt(b[:], at); err != nil {
				return err
			}
			x, y := 2*uint24(b[0:]), 2*uint24(b[3:])
			if a.frames++; a.frames == 1 {
				a.first = image.Rect(x, y, x+uint24(b[6:])+1, y+uint24(b[9:])+1)
				a.at, a.len = at+16, n-16
			}
			a.millis += int64(uint24(b[12:]))
		}
		if a.frames > limit {
			return errFound
		}
		return nil
	})
	if errors.Is(err, errFound) || errors.Is(err, io.EOF) {
		err = nil
	}
	return a, err
}

func uint24(b []byte) int { return int(b[0]) | int(b[1])<<8 | int(b[2])<<16 }

// animationHeader is webpHeader for an animation on a canvas.
func animationHeader(s source, w, h int) (header, error) {
	a, err := readAnimation(s, s.limits.MaxFrames)
	head := header{width: w, height: h, frames: a.frames, plays: a.plays, seconds: float64(a.millis) / 1000}
	if isCut := isCutOffWebP(s, nil); a.frames > 0 && (isCut && err == nil || errors.Is(err, io.ErrUnexpectedEOF)) {
		head.warning, err = "The file ends too early.", nil
	}
	if err == nil && a.frames == 0 {
		err = endOr(nil)
	}
	if err == nil && !a.first.In(image.Rect(0, 0, w, h)) {
		err = errors.New("the first frame is not on the canvas")
	}
	return head, err
}

// frame returns the first frame as a separate WebP.
func (a webpAnimation) frame(s source) source {
	var kind [4]byte
	_, _ = s.ReadAt(kind[:], a.at) // decoding reports a failed read
	head := []byte("RIFF\x00\x00\x00\x00WEBP")
	if string(kind[:]) == "ALPH" {
		w, h := a.first.Dx()-1, a.first.Dy()-1
		head = append(head, "VP8X\x0a\x00\x00\x00\x10\x00\x00\x00"...)
		head = append(head, byte(w), byte(w>>8), byte(w>>16), byte(h), byte(h>>8), byte(h>>16))
	}
	size := int64(len(head)) + a.len
	binary.LittleEndian.PutUint32(head[4:], uint32(size-8))
	s.file, s.size = prefixed{head, s, a.at}, size
	return s
}

// prefixed is a file that consists of head followed by rest from an offset on.
type prefixed struct {
	head []byte
	rest io.ReaderAt
	at   int64
}

func (p prefixed) ReadAt(b []byte, off int64) (n int, err error) {
	if off < int64(len(p.head)) {
		n = copy(b, p.head[off:])
	}
	if n < len(b) {
		var k int
		k, err = p.rest.ReadAt(b[n:], p.at+off+int64(n)-int64(len(p.head)))
		n += k
	}
	return n, err
}

// animationMemory is webpMemory for an animation: the first frame, plus the canvas if that
// is larger.
func animationMemory(s source, h header) (int64, error) {
	a, err := readAnimation(s, 1)
	if a.frames == 0 {
		return 0, endOr(err)
	}
	n, err := stillMemory(a.frame(s), header{width: a.first.Dx(), height: a.first.Dy()})
	if int64(a.first.Dx())*int64(a.first.Dy()) < h.area() {
		n += 4 * h.area()
	}
	return n, err
}

// decodeAnimation returns the canvas with the first frame.
func decodeAnimation(s source, canvas image.Rectangle) (image.Image, error) {
	a, err := readAnimation(s, 1)
	if a.frames == 0 {
		return nil, endOr(err)
	}
	img, err := decodeStill(a.frame(s))
	switch {
	case err != nil:
		return nil, err
	case img.Bounds().Size() != a.first.Size():
		return nil, errors.New("the first frame has another size")
	case a.first == canvas:
		return img, nil
	}
	out := image.NewRGBA(canvas)
	draw.Draw(out, a.first, img, img.Bounds().Min, draw.Src)
	return out, nil
}
