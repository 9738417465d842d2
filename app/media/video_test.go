package media_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"image/jpeg"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/engine"
	"github.com/digital-asset-library/dal/app/media"
)

const mediaFiles = "testdata/media"

// clips returns videos that begin black and then show blue on the left and orange on the
// right, and audio that begins loud and then becomes quiet, each one second long.
func clips(t testing.TB) map[string][]byte {
	t.Helper()
	names, err := filepath.Glob(mediaFiles + "/a*.*")
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	all := map[string][]byte{}
	for _, name := range names {
		if all[filepath.Base(name)], err = os.ReadFile(name); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// tech returns the technical data of a video or audio file.
func tech(r *media.Result) map[string]any {
	for _, kind := range []string{"video", "audio"} {
		if m, ok := r.Technical[kind].(map[string]any); ok {
			return m
		}
	}
	return nil
}

// Each video format is recognized by its content and by its name, and has facts and a
// poster that is not black; each audio format has a picture.
func TestClips(t *testing.T) {
	t.Parallel()
	p := withEngines(t, media.DefaultLimits())
	for name, data := range clips(t) {
		r, err := extractBy(t, p, data, name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if ext := dam.Extension(name); !slices.Contains(r.Type.Extensions, ext) {
			t.Errorf("%s is taken for %s", name, r.Type.Name)
		}
		if without, _, _ := media.Detect(bytes.NewReader(data), int64(len(data))); without.Name != r.Type.Name {
			t.Errorf("%s is taken for %s without its name", name, without.Name)
		}
		if r.Duration < 500*time.Millisecond && name != "a.m2v" && name != "a.dv" || r.Duration > 1300*time.Millisecond {
			t.Errorf("%s takes %v", name, r.Duration)
		}
		about := tech(r)
		if about["container"] != r.Type.Name || about["codec"] == nil || file(r)["no_preview"] != nil || file(r)["warning"] != nil {
			t.Errorf("%s: %v", name, r.Technical)
		}
		if r.Picture == nil {
			t.Errorf("%s has no picture", name)
			continue
		}
		if r.Type.Category == dam.CategoryAudio {
			if r.Technical["audio"] == nil || about["sample_rate"] == nil || about["channels"] != 1.0 {
				t.Errorf("%s: %v", name, r.Technical)
			}
			continue
		}
		size := [2]int{96, 64}
		switch name {
		case "a.3gp":
			size = [2]int{128, 96}
		case "a.dv":
			size = [2]int{640, 480}
		}
		if d := r.Width - size[0]; d < -8 || d > 90 || r.Height != size[1] {
			t.Errorf("%s has %d × %d pixels", name, r.Width, r.Height)
		}
		red, _, blue := at(t, r, 20, 50)
		red2, _, blue2 := at(t, r, 80, 50)
		if red > 90 || blue < 160 || red2 < 160 || blue2 > 90 {
			t.Errorf("%s shows %d, %d and %d, %d; %v", name, red, blue, red2, blue2, file(r)["preview"])
		}
	}
}

// The metadata of a video is read.
func TestVideoFacts(t *testing.T) {
	t.Parallel()
	p := withEngines(t, media.DefaultLimits())
	r, err := extractBy(t, p, clips(t)["a.mp4"], "a.mp4")
	if err != nil {
		t.Fatal(err)
	}
	if r.Title != "Halves" || r.Creator != "Ada" || r.Copyright != "(c)Ada" || r.Description != "Blue" || r.Width != 96 || r.Height != 64 ||
		r.Type.MIME != "video/mp4" || r.Type.Category != dam.CategoryVideo {
		t.Errorf("%+v", r.Facts)
	}
	if r.CaptureDate == nil || !r.CaptureDate.Equal(time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)) {
		t.Errorf("made at %v", r.CaptureDate)
	}
	if got := r.CaptureDate.Text(); got != "2024-05-01T12:00:00" { // the header is in UTC, regardless of the location
		t.Errorf("made at %s", got)
	}
	if r.Location == nil || *r.Location.Latitude != 48.8584 || *r.Location.Longitude != 2.2945 {
		t.Errorf("made at %+v", r.Location)
	}
	about := tech(r)
	for name, want := range map[string]any{
		"container": "MP4", "codec": "h264", "audio_codec": "aac", "pixel_format": "yuv420p", "frame_rate": 8.0, "playable": true,
		"sample_rate": 16000.0, "channels": 1.0, "date_time_zone": "UTC",
	} {
		if about[name] != want {
			t.Errorf("%s is %v, not %v", name, about[name], want)
		}
	}
	if shows := file(r)["preview"]; shows != "a frame at 0:00" {
		t.Errorf("the preview is %v", shows)
	}
	for name, playable := range map[string]bool{
		"a.webm": true, "a.mov": true, "a.mkv": false, "a.avi": false, "a.ogv": false, "a.mp3": true, "a.flac": true, "a.wav": true,
		"a.ogg": true, "a.aiff": false, "a.wma": false, "a.m4a": true,
	} {
		if r, err := extractBy(t, p, clips(t)[name], name); err != nil || tech(r)["playable"] != playable {
			t.Errorf("%s: playable is %v, %v", name, tech(r)["playable"], err)
		}
	}
}

// The metadata of an audio file is read, and its picture is its cover or its waveform.
func TestAudioFacts(t *testing.T) {
	t.Parallel()
	p := withEngines(t, media.DefaultLimits())
	all := clips(t)
	r, err := extractBy(t, p, all["a.mp3"], "a.mp3")
	if err != nil {
		t.Fatal(err)
	}
	about := tech(r)
	for name, want := range map[string]any{
		"container": "MP3", "codec": "mp3", "album": "Tones", "track": "3/7", "genre": "Ambient", "year": 2024.0, "picture": "cover",
	} {
		if about[name] != want {
			t.Errorf("%s is %v, not %v", name, about[name], want)
		}
	}
	if r.Title != "Halves" || r.Creator != "Ada" || r.Copyright != "(c)Ada" || r.Width != 0 || file(r)["preview"] != "the cover" {
		t.Errorf("%+v", r.Facts)
	}
	if red, _, blue := at(t, r, 50, 50); red > 60 || blue < 190 {
		t.Errorf("the cover is %d, %d", red, blue)
	}
	for name := range all {
		if r, err = extractBy(t, p, all[name], name); err != nil || r.Type.Category != dam.CategoryAudio || name == "a.mp3" {
			continue
		}
		if tech(r)["picture"] != "waveform" || file(r)["preview"] != "the waveform" || len(r.Picture.Colors) > 0 || r.Picture.PHash != 0 {
			t.Errorf("%s: %v", name, r.Technical)
		}
		if loud, quiet := inked(t, r, 20), inked(t, r, 70); name != "a.amr" && loud < 3*quiet || quiet == 0 { // its samples are noise
			t.Errorf("%s: the waveform has %d and %d", name, loud, quiet)
		}
	}
}

// inked returns the number of dark pixels in a tenth of an audio file's preview, starting at a
// percentage of its width.
func inked(t *testing.T, r *media.Result, percent int) (n int) {
	t.Helper()
	img, err := jpeg.Decode(bytes.NewReader(r.Picture.Renditions[dam.RenditionPreview]))
	if err != nil || img.Bounds().Dx() != 4*img.Bounds().Dy() {
		t.Fatal(err, img)
	}
	for y := range img.Bounds().Dy() {
		for x := range img.Bounds().Dx() / 10 {
			if v, _, _, _ := img.At(percent*img.Bounds().Dx()/100+x, y).RGBA(); v < 0x9000 {
				n++
			}
		}
	}
	return n
}

// A video recorded in portrait or upside down is shown upright.
func TestTurnedVideo(t *testing.T) {
	t.Parallel()
	p := withEngines(t, media.DefaultLimits())
	data := clips(t)["a.mp4"]
	matrix := func(a, b, c, d uint32) []byte {
		var m []byte
		for _, v := range []uint32{a << 16, b << 16, 0, c << 16, d << 16, 0, 0, 0, 1 << 30} {
			m = binary.BigEndian.AppendUint32(m, v)
		}
		return m
	}
	first := bytes.Index(data, []byte("tkhd")) // of the video track
	head, track := data[:first], data[first:]
	for rotation, tt := range map[float64]struct {
		matrix []byte
		x, y   int // a point that is blue
		w      int
	}{
		90:  {matrix(0, 1, ^uint32(0), 0), 50, 20, 64},
		180: {matrix(^uint32(0), 0, 0, ^uint32(0)), 80, 50, 96},
		270: {matrix(0, ^uint32(0), 1, 0), 50, 80, 64},
	} {
		turned := append(bytes.Clone(head), bytes.Replace(track, matrix(1, 0, 0, 1), tt.matrix, 1)...)
		r, err := extractBy(t, p, turned, "a.mp4")
		if err != nil {
			t.Fatal(err)
		}
		red, _, blue := at(t, r, tt.x, tt.y)
		red2, _, blue2 := at(t, r, 100-tt.x, 100-tt.y)
		if r.Width != tt.w || tech(r)["rotation"] != rotation || red > 90 || blue < 160 || red2 < 160 || blue2 > 90 {
			t.Errorf("%g: %d × %d, %d, %d and %d, %d, %v", rotation, r.Width, r.Height, red, blue, red2, blue2, tech(r))
		}
	}
}

// A video container with only an audio stream is audio.
func TestSoundInVideo(t *testing.T) {
	t.Parallel()
	p := withEngines(t, media.DefaultLimits())
	data := clips(t)["a.m4a"]
	r, err := extractBy(t, p, data, "a.mp4")
	if err != nil || r.Type.Category != dam.CategoryAudio || r.Type.MIME != "video/mp4" || r.Technical["audio"] == nil {
		t.Errorf("%v, %+v", err, r)
	}
}

// Without the engine, a video is accepted, but has no picture.
func TestVideoWithoutEngine(t *testing.T) {
	t.Parallel()
	r, err := extractBy(t, withEngines(t, media.DefaultLimits(), "ffmpeg"), clips(t)["a.mp4"], "a.mp4")
	if err != nil || r.Picture != nil || file(r)["no_preview"] != "the engine ffmpeg, which reads MP4 files, is switched off or missing" {
		t.Errorf("%v, %+v", err, r)
	}
}

// Truncated or damaged video and audio files are read, or rejected with a fault of the
// file; no worker remains afterwards, and none is lost.
func TestDamagedClips(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("minutes with the race detector, which .ci/run uses with -short")
	}
	pool := enginePool(t)
	p := media.New(media.DefaultLimits()).With(pool)
	stopped, read := 0, 0
	try := func(name string, b []byte) {
		r, err := extractBy(t, p, b, name)
		fault, ok := errors.AsType[*dam.FileError](err)
		if err != nil && !ok {
			t.Fatalf("%s: %v", name, err)
		}
		if ok && fault.Retryable {
			stopped++
			t.Logf("%s stopped its worker: %.500v", name, err)
		}
		if err == nil {
			read++
			if r.Picture == nil && file(r)["no_preview"] == nil {
				t.Errorf("%s has no picture and does not say why: %v", name, r.Technical)
			}
		}
	}
	for name, data := range clips(t) {
		r := rand.New(rand.NewPCG(5, 6))
		for i := range mutations(t, 8) {
			b := bytes.Clone(data)
			for range 1 + r.IntN(8) {
				b[r.IntN(len(b))] = byte(r.Uint32())
			}
			if i%4 == 3 {
				b = b[:1+r.IntN(len(b))]
			}
			try(name, b)
		}
		for n := 1 << 10; n < len(data); n += 1 << 10 {
			try(name, data[:n])
		}
	}
	if left := pool.Running(); len(left) > 1 {
		t.Errorf("%d workers for files one by one", len(left))
	}
	t.Logf("%d were read, %d stopped their workers", read, stopped)
	if stopped > 0 {
		t.Error("workers stopped")
	}
}

// A truncated video is accepted with a warning, if the truncation can be detected.
func TestCutOffClips(t *testing.T) {
	t.Parallel()
	p := withEngines(t, media.DefaultLimits())
	for _, name := range []string{"a.mp4", "a.avi", "a.wav", "a.mkv", "a.webm", "a.aiff"} {
		data := clips(t)[name]
		r, err := extractBy(t, p, data[:len(data)*9/10], name)
		if err != nil || file(r)["warning"] != endsEarly || r.Duration == 0 || r.Picture == nil {
			t.Errorf("%s: %v, %+v", name, err, r)
		}
	}
}

// A video that claims huge frames does not use excessive resources.
func TestHugeFrames(t *testing.T) {
	t.Parallel()
	p := withEngines(t, media.DefaultLimits())
	data := bytes.ReplaceAll(clips(t)["a.avi"], []byte("\x60\x00\x00\x00\x40\x00\x00\x00"), []byte("\xff\x7f\x00\x00\xff\x7f\x00\x00"))
	r, err := extractBy(t, p, data, "a.avi")
	if fault, ok := errors.AsType[*dam.FileError](err); err != nil && (!ok || fault.Retryable) {
		t.Errorf("%v, %+v", err, r)
	}
}

// A file of 10 GiB that begins like a video and continues with zeros is read within the
// limits.
func TestEndlessClip(t *testing.T) {
	t.Parallel()
	r, err := withEngines(t, media.DefaultLimits()).Extract(t.Context(), &endless{head: clips(t)["a.mp4"]}, 10<<30, "a.mp4")
	if err != nil || r.Title != "Halves" || r.Picture == nil {
		t.Errorf("%v, %+v", err, r)
	}
}

// endless is a file whose beginning is followed by endless zeros.
type endless struct{ head []byte }

func (f *endless) ReadAt(p []byte, off int64) (int, error) {
	if off < int64(len(f.head)) {
		return copy(p, f.head[off:]) + clearAll(p[min(len(p), len(f.head)-int(off)):]), nil
	}
	return clearAll(p), nil
}

func clearAll(p []byte) int {
	clear(p)
	return len(p)
}

// A read error in the middle of a video is not a fault of the file.
func TestUnreadableClip(t *testing.T) {
	t.Parallel()
	p := withEngines(t, media.DefaultLimits())
	broken := errors.New("the disk is broken")
	data := clips(t)["a.mp4"]
	_, err := p.Extract(t.Context(), unreadable{bytes.NewReader(data), 3000, broken}, int64(len(data)), "a.mp4")
	if _, ok := errors.AsType[*dam.FileError](err); ok || !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
	var stopped *engine.Stopped
	if errors.As(err, &stopped) {
		t.Error("it is taken for the worker's end")
	}
}

// unreadable is a file that can be read up to an offset.
type unreadable struct {
	*bytes.Reader
	upTo int64
	err  error
}

func (u unreadable) ReadAt(p []byte, off int64) (int, error) {
	if off+int64(len(p)) > u.upTo {
		return 0, u.err
	}
	return u.Reader.ReadAt(p, off)
}

// The functions that recognize video and audio formats, and find their ends, handle
// arbitrary input.
func FuzzMediaKinds(f *testing.F) {
	for _, data := range clips(f) {
		f.Add(data[:min(len(data), 2000)])
	}
	f.Add([]byte("\x00\x00\x00\x01ftypqt  \xff\xff\xff\xff\xff\xff\xff\xff"))
	f.Add([]byte("\x1a\x45\xdf\xa3\x01\xff\xff\xff\xff\xff\xff\xff\x42\x82\x84webm"))
	f.Add([]byte("ID3\x04\x00\x10\x7f\x7f\x7f\x7f"))
	f.Fuzz(func(t *testing.T, data []byte) {
		p := media.New(media.DefaultLimits())
		for _, name := range []string{"", "a.mp4", "a.ogg", "a.wma"} {
			_, err := p.Check(t.Context(), bytes.NewReader(data), int64(len(data)), name)
			if _, ok := errors.AsType[*dam.FileError](err); err != nil && !ok {
				t.Fatal(err)
			}
		}
	})
}

// A phone's video contains the zone in which it was recorded.
func TestVideoOffset(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("exiftool"); err != nil {
		t.Skip("exiftool is not installed")
	}
	path := filepath.Join(t.TempDir(), "a.mov")
	if err := os.WriteFile(path, clips(t)["a.mp4"], 0o600); err != nil {
		t.Fatal(err)
	}
	set := exec.CommandContext(t.Context(), "exiftool", "-q", "-overwrite_original", "-Keys:CreationDate=2023:12:31 22:00:00-08:00", path)
	if out, err := set.CombinedOutput(); err != nil {
		t.Fatal(err, string(out))
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	r, err := extractBy(t, withEngines(t, media.DefaultLimits()), data, "a.mov")
	if err != nil {
		t.Fatal(err)
	}
	const want = "2023-12-31T22:00:00-08:00"
	if r.CaptureDate == nil || r.CaptureDate.Text() != want {
		t.Errorf("made at %v", r.CaptureDate)
	}
	if list := media.CaptureDates(stored(t, r.Technical), r.CaptureDate.UTC(), false); len(list) != 1 || list[0].Text() != want {
		t.Errorf("recalled as %v", list)
	}
	if list := media.CaptureDates(stored(t, r.Technical), r.CaptureDate.UTC(), true); len(list) != 0 {
		t.Errorf("recalled as %v after an edit", list)
	}
}
