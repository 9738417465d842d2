package engine_test

import (
	"testing"
	"time"

	"github.com/digital-asset-library/dal/app/engine"
)

func TestAllowance(t *testing.T) {
	t.Parallel()
	const most, longest = 1 << 30, 2 * time.Minute
	for _, c := range []struct {
		engine string
		bytes  int64
		memory int64
		time   time.Duration
	}{
		{"pdfium", 700, 112<<20 + 64*700, 30 * time.Second},
		{"pdfium", 1 << 20, 176 << 20, 62 * time.Second},
		{"pdfium", 1 << 40, most, longest},
		{"magick", 700, 96 << 20, 30 * time.Second},
		{"resvg", 64 << 10, 96 << 20, 32 * time.Second},
		{"magick", 128 << 10, 352 << 20, 34 * time.Second},
		{"magick", 1 << 20, most, 62 * time.Second},
		{"ffmpeg", 1 << 62, most, longest},
	} {
		j := engine.Job{Engine: c.engine, Bytes: c.bytes}
		if m, d := j.Memory(most), j.Time(longest); m != c.memory || d != c.time {
			t.Errorf("%s, %d bytes: %d bytes of memory and %s, want %d and %s", c.engine, c.bytes, m, d, c.memory, c.time)
		}
		if m, d := j.Memory(64<<20), j.Time(time.Second); m != 64<<20 || d != time.Second {
			t.Errorf("%s, %d bytes: %d bytes of memory and %s are beyond the bounds", c.engine, c.bytes, m, d)
		}
	}
}
