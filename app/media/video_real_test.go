package media_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/media"
)

// made creates a file with the system's ffmpeg and returns its extracted facts. It skips the
// test if ffmpeg or the encoder is missing.
func made(t *testing.T, name, arguments string) (*media.Result, error) {
	t.Helper()
	ffmpeg, err := exec.LookPath("ffmpeg")
	if err != nil {
		t.Skip("there is no ffmpeg on this machine")
	}
	to := filepath.Join(t.TempDir(), name)
	out, err := exec.Command(ffmpeg, append(strings.Fields("-v error -y -threads 1 "+arguments), to)...).CombinedOutput()
	if err != nil {
		t.Skipf("ffmpeg cannot make %s: %s", name, out)
	}
	data, err := os.ReadFile(to)
	if err != nil {
		t.Fatal(err)
	}
	return extractBy(t, withEngines(t, media.DefaultLimits()), data, name)
}

const bars = "-f lavfi -i smptebars=s=320x180:r=10:d=1 "

// The codecs that current cameras and programs use are decoded, in any container.
func TestCodecs(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, arguments, codec string }{
		{"a.mp4", bars + "-c:v libx265 -x265-params log-level=none -pix_fmt yuv420p10le -tag:v hvc1", "hevc"},
		{"a.mp4", bars + "-c:v libaom-av1 -cpu-used 8 -usage realtime -t 0.3", "av1"},
		{"a.webm", bars + "-c:v libaom-av1 -cpu-used 8 -usage realtime -t 0.3", "av1"},
		{"a.webm", bars + "-c:v libvpx", "vp8"},
		{"a.mov", bars + "-c:v prores_ks -t 0.3", "prores"},
		{"a.mov", bars + "-c:v dnxhd -profile:v dnxhr_lb -t 0.3 -s 1280x720 -pix_fmt yuv422p", "dnxhd"},
		{"a.mov", bars + "-c:v mjpeg -t 0.3", "mjpeg"},
		{"a.mkv", bars + "-c:v ffv1 -t 0.3", "ffv1"},
		{"a.avi", bars + "-c:v huffyuv -t 0.3", "huffyuv"},
		{"a.wmv", bars + "-c:v msmpeg4", "msmpeg4v3"},
		{"a.mpg", bars + "-c:v mpeg1video -r 25", "mpeg1video"},
		{"a.dv", "-f lavfi -i smptebars=s=720x576:r=25:d=0.2 -f lavfi -i sine=d=0.2 -target pal-dv", "dvvideo"},
		{"a.mxf", bars + "-c:v mpeg2video -r 25", "mpeg2video"},
	} {
		t.Run(tt.codec+" in "+tt.name, func(t *testing.T) {
			t.Parallel()
			r, err := made(t, tt.name, tt.arguments)
			if err != nil {
				t.Fatal(err)
			}
			if tech(r)["codec"] != tt.codec || r.Picture == nil || r.Width < 320 || r.Height < 180 {
				t.Fatalf("%v", r.Technical)
			}
			// Of the seven bars, the third is cyan and the sixth red.
			red, green, blue := at(t, r, 35, 20)
			red2, green2, blue2 := at(t, r, 78, 20)
			if red > 60 || green < 150 || blue < 150 || red2 < 150 || green2 > 60 || blue2 > 60 {
				t.Errorf("%d, %d, %d and %d, %d, %d", red, green, blue, red2, green2, blue2)
			}
		})
	}
}

// A video with a long black beginning has a poster that is not black.
func TestDarkBeginning(t *testing.T) {
	t.Parallel()
	r, err := made(t, "a.mp4", "-f lavfi -i color=black:s=320x180:r=5:d=8 -f lavfi -i smptebars=s=320x180:r=5:d=12 "+
		"-filter_complex [0][1]concat -c:v libx264 -g 5 -pix_fmt yuv420p")
	if err != nil {
		t.Fatal(err)
	}
	if red, green, blue := at(t, r, 35, 20); red > 60 || green < 150 || blue < 150 || file(r)["preview"] != "a frame at 0:10" {
		t.Errorf("%v is %d, %d, %d", file(r)["preview"], red, green, blue)
	}
}

// A video that is entirely black has a black poster.
func TestBlack(t *testing.T) {
	t.Parallel()
	r, err := made(t, "a.mp4", "-f lavfi -i color=black:s=320x180:r=5:d=3 -c:v libx264 -pix_fmt yuv420p")
	if err != nil || r.Picture == nil {
		t.Fatal(err, r)
	}
}

// Pixels that are not square are scaled to be square.
func TestOddPixels(t *testing.T) {
	t.Parallel()
	r, err := made(t, "a.mp4", "-f lavfi -i smptebars=s=160x180:r=5:d=1 -vf setsar=2 -c:v libx264 -pix_fmt yuv420p")
	if err != nil {
		t.Fatal(err)
	}
	if red, green, blue := at(t, r, 35, 20); r.Width != 320 || r.Height != 180 || red > 60 || green < 150 || blue < 150 {
		t.Errorf("%d × %d, %d, %d, %d", r.Width, r.Height, red, green, blue)
	}
}

// An HLG video is mapped to sRGB, from the light that a display emits for its values.
func TestHybridLogGamma(t *testing.T) {
	t.Parallel()
	for name, codec := range map[string]string{
		"a.mp4": "libx265 -x265-params log-level=none:colorprim=bt2020:transfer=arib-std-b67:colormatrix=bt2020nc -tag:v hvc1",
		"b.mp4": "libaom-av1 -cpu-used 8",
	} {
		r, err := made(t, name, "-f lavfi -i color=gray:s=320x180:r=5:d=1 -vf drawbox=w=160:color=white:t=fill,format=yuv420p10le "+
			"-c:v "+codec+" -color_trc arib-std-b67 -color_primaries bt2020 -colorspace bt2020nc")
		if err != nil {
			t.Fatal(err)
		}
		white, _, _ := at(t, r, 20, 50)
		gray, _, _ := at(t, r, 80, 50)
		if white < 250 || gray < 93 || gray > 104 || file(r)["color_profile"] != "a high dynamic range, mapped to sRGB" {
			t.Errorf("%s: %d, %d, %v", name, white, gray, file(r))
		}
	}
}

// A high dynamic range picture is tone-mapped: its white becomes white.
func TestHighDynamicRange(t *testing.T) {
	t.Parallel()
	r, err := made(t, "a.mp4", "-f lavfi -i color=gray:s=320x180:r=5:d=1 -vf drawbox=w=160:color=white:t=fill,format=yuv420p10le "+
		"-c:v libx265 "+
		"-x265-params log-level=none:colorprim=bt2020:transfer=smpte2084:colormatrix=bt2020nc -color_trc smpte2084 -color_primaries bt2020 "+
		"-colorspace bt2020nc -tag:v hvc1")
	if err != nil {
		t.Fatal(err)
	}
	white, _, _ := at(t, r, 20, 50)
	gray, _, _ := at(t, r, 80, 50) // half of PQ is 92 cd/m², which is less than half of white
	if white < 240 || gray < 130 || gray > 200 || file(r)["color_profile"] != "a high dynamic range, mapped to sRGB" {
		t.Errorf("%d, %d, %v", white, gray, file(r))
	}
}

// A long audio file is not decoded completely, yet its waveform is representative.
func TestLongSound(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("minutes with the race detector, which .ci/run uses with -short")
	}
	r, err := made(t, "a.mp3", "-f lavfi -i aevalsrc=(0.8-0.7*gt(t\\,600))*sin(880*PI*t):s=8000:d=1200 -c:a libmp3lame -b:a 8k")
	if err != nil {
		t.Fatal(err)
	}
	if r.Duration.Seconds() < 1199 || r.Duration.Seconds() > 1201 || tech(r)["picture"] != "waveform" {
		t.Errorf("%v, %v", r.Duration, r.Technical)
	}
	if loud, quiet := inked(t, r, 30), inked(t, r, 70); loud < 2*quiet || quiet == 0 {
		t.Errorf("%d, %d", loud, quiet)
	}
}

// Without ImageMagick, an AV1 video has facts but no poster, and states the reason.
func TestVideoWithoutDecoder(t *testing.T) {
	t.Parallel()
	data := clips(t)["a-av1.mp4"]
	r, err := extractBy(t, withEngines(t, media.DefaultLimits(), "magick"), data, "a.mp4")
	if err != nil || r.Picture != nil || tech(r)["codec"] != "av1" ||
		file(r)["no_preview"] != "the engine magick, which decodes its frames, is switched off or missing" {
		t.Errorf("%v, %+v", err, r)
	}
	if r, err = extractBy(t, withEngines(t, media.DefaultLimits()), data, "a.mp4"); err != nil || r.Picture == nil {
		t.Fatalf("%v, %+v", err, r)
	}
	if typ, _, _ := media.Detect(bytes.NewReader(data), int64(len(data))); typ.Category != dam.CategoryVideo {
		t.Error(typ)
	}
}

// MPEG program and transport streams, which have no header for the whole file, have the
// same facts as other videos.
func TestFactsOfMPEG(t *testing.T) {
	t.Parallel()
	p := withEngines(t, media.DefaultLimits())
	all := clips(t)
	for _, tt := range []struct {
		name                       string
		format, mime, codec, audio string
		rate, sound                float64
		w, h                       int
	}{
		{"a-mpeg1.mpg", "MPEG", "video/mpeg", "mpeg1video", "mp2", 25, 32000, 96, 64},
		{"a.mpg", "MPEG", "video/mpeg", "mpeg2video", "mp2", 25, 16000, 96, 64},
		{"a.ts", "MPEG-TS", "video/mp2t", "h264", "aac", 8, 16000, 96, 64},
	} {
		r, err := extractBy(t, p, all[tt.name], tt.name)
		if err != nil {
			t.Fatal(err)
		}
		about := tech(r)
		if r.Type.Name != tt.format || r.Type.MIME != tt.mime || r.Width != tt.w || r.Height != tt.h || about["codec"] != tt.codec ||
			about["audio_codec"] != tt.audio || about["frame_rate"] != tt.rate || about["sample_rate"] != tt.sound || about["channels"] != 1.0 ||
			r.Duration.Round(time.Second) != time.Second || about["playable"] != false {
			t.Errorf("%s: %s, %d × %d, %v, %v", tt.name, r.Type.MIME, r.Width, r.Height, r.Duration, about)
		}
	}
	for _, name := range []string{"long.mpg", "long.ts", "long.m2ts"} {
		arguments := "-f lavfi -i testsrc=s=320x180:r=25:d=90 -f lavfi -i sine=d=90 -c:v mpeg2video -b:v 200k -c:a mp2 -b:a 32k"
		r, err := made(t, name, arguments)
		if err != nil || r.Duration.Round(time.Second) != 90*time.Second || r.Width != 320 || r.Picture == nil {
			t.Errorf("%s: %v, %v, %d", name, err, r.Duration, r.Width)
		}
	}
}
