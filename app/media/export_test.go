package media

import (
	"bytes"
	"image"
	"io"
)

// Need returns how many bytes decoding a file is taken to need, and the type.
func Need(data []byte) (int64, error) {
	r, size := bytes.NewReader(data), int64(len(data))
	t, _, err := Detect(r, size)
	if err != nil {
		return 0, err
	}
	h, err := readHeader(r, size, t, 1000)
	if err != nil {
		return 0, err
	}
	return decoding(r, size, t, h, 1<<40)
}

// Decode decodes a file.
func Decode(r io.ReaderAt, size int64) (image.Image, error) {
	t, _, err := Detect(r, size)
	if err != nil {
		return nil, err
	}
	return decode(r, size, t)
}
