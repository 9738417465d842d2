package media_test

import (
	"bytes"
	"image"
	"image/color"
	"image/gif"
	"io"
	"testing"
)

// noiseGIF returns an animation of two frames that compress poorly.
func noiseGIF(t testing.TB) []byte {
	frame := image.NewPaletted(image.Rect(0, 0, 64, 48), color.Palette{red, blue, green, white})
	seed := uint32(3)
	for i := range frame.Pix {
		seed = seed*1664525 + 1013904223
		frame.Pix[i] = byte(seed >> 30)
	}
	return gifFile(t, &gif.GIF{Image: []*image.Paletted{frame, frame}, Delay: []int{7, 5}, LoopCount: 3})
}

func gifFile(t testing.TB, g *gif.GIF) []byte {
	return encoded(t, func(w io.Writer) error { return gif.EncodeAll(w, g) })
}

// Animations report their frames, duration and loop count, and show their first frame.
func TestAnimations(t *testing.T) {
	t.Parallel()
	one := image.NewPaletted(image.Rect(0, 0, 8, 8), color.Palette{red})
	for _, tt := range []struct {
		name                    string
		data                    []byte
		frames, duration, plays any
	}{
		{"still.gif", gifFile(t, &gif.GIF{Image: []*image.Paletted{one}, Delay: []int{9}}), nil, nil, nil},
		{"forever.gif", gifFile(t, &gif.GIF{Image: []*image.Paletted{one, one}, Delay: []int{9, 41}}), 2, 0.5, 0},
		{"once.gif", gifFile(t, &gif.GIF{Image: []*image.Paletted{one, one}, Delay: []int{100, 100}, LoopCount: -1}), 2, 2.0, 1},
		{"four times.gif", noiseGIF(t), 2, 0.12, 4},
		{"a.webp", sample(t, "animated.webp"), 2, 0.2, 0},
	} {
		r, err := extract(tt.data, tt.name)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		for fact2, want := range map[string]any{"frames": tt.frames, "duration": tt.duration, "plays": tt.plays} {
			if got := fact(r.Technical, fact2); got != want {
				t.Errorf("%s: %s is %v, want %v", tt.name, fact2, got, want)
			}
		}
	}
}

// The preview has the size of the canvas and shows the first frame in its position.
func TestFirstFrameOnItsCanvas(t *testing.T) {
	t.Parallel()
	frame := image.NewPaletted(image.Rect(20, 10, 60, 40), color.Palette{red, blue})
	for i := range frame.Pix {
		frame.Pix[i] = byte(i % 40 / 20)
	}
	full := make(color.Palette, 256)
	for i := range full {
		full[i] = color.NRGBA{red.R, red.G, byte(i), 255}
	}
	full[0], full[1] = red, blue
	many := image.NewPaletted(frame.Rect, full)
	copy(many.Pix, frame.Pix)
	clear := image.NewPaletted(image.Rect(0, 0, 100, 60), color.Palette{color.NRGBA{}, red, blue})
	for y := 10; y < 40; y++ {
		for x := 20; x < 60; x++ {
			clear.Pix[y*clear.Stride+x] = byte(1 + (x-20)/20)
		}
	}
	config := image.Config{Width: 100, Height: 60}
	small := gifFile(t, &gif.GIF{Image: []*image.Paletted{frame}, Delay: []int{0}, Config: config})
	beyond := bytes.Clone(small) // the canvas ends before the frame does
	beyond[6], beyond[8] = 50, 35
	still := sample(t, "lossless.webp") // 170 × 48
	for _, tt := range []struct {
		name string
		data []byte
		w, h int
		at   map[image.Point]color.NRGBA
	}{
		{"a.gif", small, 100, 60, map[image.Point]color.NRGBA{{5, 5}: white, {30, 20}: red, {50, 30}: blue, {70, 50}: white}},
		{"many colours.gif", gifFile(t, &gif.GIF{Image: []*image.Paletted{many}, Delay: []int{0}, Config: config}), 100, 60,
			map[image.Point]color.NRGBA{{5, 5}: white, {30, 20}: red, {50, 30}: blue, {70, 50}: white}},
		{"clear.gif", gifFile(t, &gif.GIF{Image: []*image.Paletted{clear}, Delay: []int{0}}), 100, 60,
			map[image.Point]color.NRGBA{{5, 5}: white, {30, 20}: red, {50, 30}: blue, {70, 50}: white}},
		{"beyond the canvas.gif", beyond, 50, 35, map[image.Point]color.NRGBA{{5, 5}: white, {30, 20}: red, {46, 30}: blue}},
		{"a.webp", animatedWebP(still[12:], 300, 100, image.Rect(40, 20, 210, 68)), 300, 100,
			map[image.Point]color.NRGBA{{5, 5}: white, {100, 60}: red, {200, 60}: blue, {250, 80}: white, {42, 22}: green}},
		{"alpha.webp", animatedWebP(sample(t, "alpha.webp")[30:], 100, 80, image.Rect(10, 10, 74, 58)), 100, 80,
			map[image.Point]color.NRGBA{{2, 2}: white, {14, 30}: red, {72, 30}: white}},
	} {
		r, err := extract(tt.data, tt.name)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		img := decodeJPEG(t, preview(r))
		if r.Width != tt.w || r.Height != tt.h || img.Bounds().Dx() != tt.w || img.Bounds().Dy() != tt.h {
			t.Errorf("%s: %d × %d, a preview of %v", tt.name, r.Width, r.Height, img.Bounds())
		}
		for p, want := range tt.at {
			if !near(img, p.X, p.Y, want, 30) {
				t.Errorf("%s: %v at %v, want %v", tt.name, img.At(p.X, p.Y), p, want)
			}
		}
	}
}

// animatedWebP returns an animation of one frame, made of the chunks of a picture, on a
// canvas.
func animatedWebP(chunks []byte, w, h int, at image.Rectangle) []byte {
	number := func(v int) []byte { return []byte{byte(v), byte(v >> 8), byte(v >> 16)} }
	var frame []byte
	for _, v := range []int{at.Min.X / 2, at.Min.Y / 2, at.Dx() - 1, at.Dy() - 1, 100} {
		frame = append(frame, number(v)...)
	}
	frame = append(append(frame, 0), chunks...)
	body := append([]byte("WEBP"), riffChunk("VP8X", append([]byte{0x12, 0, 0, 0}, append(number(w-1), number(h-1)...)...))...)
	body = append(body, riffChunk("ANIM", []byte{255, 255, 255, 255, 0, 0})...)
	return riffChunk("RIFF", append(body, riffChunk("ANMF", frame)...))
}
