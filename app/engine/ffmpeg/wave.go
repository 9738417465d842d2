package ffmpeg

import (
	"encoding/binary"
	"image"
	"image/color"
	"image/draw"
	"math"

	"github.com/tetratelabs/wazero/api"

	"github.com/digital-asset-library/dal/app/engine"
)

const (
	columns  = 400     // bars of a waveform, including gaps
	maxWhole = 3 * 60  // seconds of audio that is decoded completely
	samples  = 200     // sampled positions of longer audio
	listened = 0.25    // seconds decoded at each
	maxGuess = 10 * 60 // seconds of audio of unknown duration
)

func sqrt(v float64) float64 { return math.Sqrt(v) }

// waveform draws the loudness of an audio file. Long files are sampled at equal distances.
func (s *session) waveform(look *engine.Look, f facts, side int) {
	if f["audio.decodes"] != "yes" {
		look.Note = "the sound is coded with " + f["audio.codec"] + ", which the library cannot decode"
		if f["audio.codec"] == "" {
			look.Note = "there is neither a picture nor a sound in the file"
		}
		return
	}
	var peaks []float64
	if look.Seconds > maxWhole {
		peaks = s.sampled(look.Seconds)
	} else {
		length := look.Seconds
		if length == 0 {
			length = maxGuess
		}
		peaks = s.listen(-1, length/columns, columns)
		if len(peaks) > 0 && len(peaks) < columns*9/10 && !s.late() { // the duration was an estimate
			look.Seconds = round(float64(len(peaks))*length/columns, 10)
			about(look)["duration"] = look.Seconds
		}
	}
	if s.err != nil || loudest(peaks) < 0 {
		s.err = nil // the metadata is still valid
		look.Note, look.Warning = "the sound cannot be decoded", "The sound cannot be decoded."
		return
	}
	look.Picture, look.Card, look.Shows = drawn(peaks, side), true, "the waveform"
	about(look)["picture"] = "waveform"
}

// listen returns the peaks of the next pieces of audio. If from is not negative, it seeks
// to that time first.
func (s *session) listen(from, piece float64, pieces int) []float64 {
	n, ok := s.attempt("sound", api.EncodeF64(from), api.EncodeF64(piece), uint64(pieces))
	if !ok || n < 1 || n > pieces {
		return nil
	}
	at := s.call("peaks")
	if s.err != nil {
		return nil
	}
	b, err := s.i.Bytes(at, 4*uint64(n))
	if s.err = err; err != nil {
		return nil
	}
	peaks := make([]float64, n)
	for i := range peaks {
		v := float64(math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:])))
		if v >= 0 && v <= math.MaxFloat32 {
			peaks[i] = v
		}
	}
	return peaks
}

// sampled samples the peaks of long audio.
func (s *session) sampled(seconds float64) []float64 {
	var peaks []float64
	for i := range samples {
		if s.err != nil || s.late() {
			break
		}
		piece := s.listen(seconds*float64(i)/samples, listened, 1)
		peaks = append(peaks, max(loudest(piece), 0))
	}
	return peaks
}

// loudest returns the largest peak, -1 for none.
func loudest(peaks []float64) float64 {
	most := -1.0
	for _, v := range peaks {
		most = max(most, v)
	}
	return most
}

// The colors of a waveform.
var (
	paper = color.NRGBA{0xf1, 0xf3, 0xf5, 255}
	ink   = color.NRGBA{0x5b, 0x76, 0x8f, 255}
)

// drawn draws peaks as bars around the middle, four times as wide as high. Quiet audio is
// amplified up to four times.
func drawn(peaks []float64, side int) *image.NRGBA {
	w := max(side, 4)
	h := w / 4
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	draw.Draw(img, img.Rect, image.NewUniform(paper), image.Point{}, draw.Src)
	louder := 1 / min(max(loudest(peaks), 0.25), 1e6)
	bars := max(min(columns, w/4), 1)
	for i := range bars {
		from, to := i*len(peaks)/bars, (i+1)*len(peaks)/bars
		v := loudest(peaks[from:max(to, from+1)])
		half := max(int(min(v*louder, 1)*float64(h)*0.42), 1)
		left, right := i*w/bars, (i+1)*w/bars
		bar := image.Rect(left, h/2-half, max(right-max((right-left)/3, 1), left+1), h/2+half)
		draw.Draw(img, bar, image.NewUniform(ink), image.Point{}, draw.Src)
	}
	return img
}
