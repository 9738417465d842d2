package media

import (
	"bytes"
	"context"
	"image"
	"io"
	"slices"
)

// whole returns a source with limits so high that they reject next to nothing.
func whole(r io.ReaderAt, size int64) source {
	return source{ctx: context.Background(), file: r, size: size, limits: Limits{MaxPixels: 1 << 40, MaxFrames: 1000, MemoryBudget: 1 << 40}}
}

func sourceOf(data []byte) source { return whole(bytes.NewReader(data), int64(len(data))) }

// Need returns the number of bytes that decoding a file is expected to take.
func Need(data []byte) (int64, error) {
	s := sourceOf(data)
	f, ok := detect(formats, s, data)
	if !ok {
		return 0, io.ErrUnexpectedEOF
	}
	h, err := f.header(s)
	if err != nil {
		return 0, err
	}
	return f.memory(s, h)
}

// NeedInAll returns the number of bytes that it is expected to take to decode a file and
// make its renditions.
func NeedInAll(data []byte) (int64, error) {
	s := sourceOf(data)
	_, h, err := New(s.limits).check(s)
	return h.memory, err
}

// Decode decodes a file.
func Decode(r io.ReaderAt, size int64) (image.Image, error) {
	s := whole(r, size)
	head, err := s.head()
	if err != nil {
		return nil, err
	}
	f, ok := detect(formats, s, head)
	if !ok {
		return nil, io.ErrUnexpectedEOF
	}
	return f.decode(s)
}

// FormatsByEngine lists the names of the formats that engines read, excluding documents,
// archives, video and audio.
func FormatsByEngine() (list []string) {
	for _, f := range formats {
		if f.engine != nil && !slices.Contains([]string{"archive", "document", "ffmpeg"}, f.engine.name) {
			list = append(list, f.Name)
		}
	}
	return list
}

// ReadManifests reads Content Credentials.
var ReadManifests = readManifests
