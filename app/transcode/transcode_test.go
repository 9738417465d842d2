package transcode

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/digital-asset-library/dal/app/confine"
)

// TestMain runs the tests, or becomes the program started by one of them.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == confine.Argument {
		fmt.Fprintln(os.Stderr, confine.Main(os.Args[2:]))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// opened opens a file for a job.
func opened(t *testing.T, path string) (*os.File, int64) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	info, err := file.Stat()
	if err != nil {
		t.Fatal(err)
	}
	return file, info.Size()
}

// program returns FFmpeg, if it is installed.
func program(t *testing.T) *FFmpeg {
	t.Helper()
	f, err := Find(t.Context(), "ffmpeg")
	if errors.Is(err, exec.ErrNotFound) {
		t.Skip("ffmpeg is not installed")
	}
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// sample creates a file with FFmpeg.
func sample(t *testing.T, f *FFmpeg, name string, args ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	cmd := exec.Command(f.path, append(append([]string{"-nostdin", "-loglevel", "error"}, args...), path)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return path
}

// probe returns ffprobe's description of the streams of a file.
func probe(t *testing.T, path string) string {
	t.Helper()
	out, err := exec.Command("ffprobe", "-loglevel", "error", "-show_entries",
		"stream=codec_name,width,height,pix_fmt:format_tags=title", "-of", "compact", path).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return string(out)
}

func TestMake(t *testing.T) {
	t.Parallel()
	f := program(t)
	for _, c := range []struct {
		name     string
		args     []string
		sound    bool
		has, not []string
	}{
		{"large.avi", []string{"-f", "lavfi", "-i", "testsrc2=s=2400x1351:d=1:r=5", "-f", "lavfi", "-i", "sine=d=1", "-c:v", "mpeg4",
			"-c:a", "mp2", "-metadata", "title=Private"}, false,
			[]string{"codec_name=h264|width=1920|height=1080|pix_fmt=yuv420p", "codec_name=aac"}, []string{"Private"}},
		{"small.mkv", []string{"-f", "lavfi", "-i", "testsrc2=s=162x120:d=1:r=5", "-c:v", "ffv1", "-pix_fmt", "yuv444p"}, false,
			[]string{"codec_name=h264|width=162|height=120|pix_fmt=yuv420p"}, []string{"aac"}},
		{"sound.wma", []string{"-f", "lavfi", "-i", "sine=d=1", "-c:a", "wmav2"}, true, []string{"codec_name=aac"}, []string{"h264"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			to := filepath.Join(t.TempDir(), "copy")
			from, size := opened(t, sample(t, f, c.name, c.args...))
			j := Job{From: from, To: to, Sound: c.sound, Duration: time.Second, Bytes: size}
			if err := f.Make(t.Context(), j); err != nil {
				t.Fatal(err)
			}
			said := probe(t, to)
			for _, has := range c.has {
				if !strings.Contains(said, has) {
					t.Errorf("the copy has no %s: %s", has, said)
				}
			}
			for _, not := range c.not {
				if strings.Contains(said, not) {
					t.Errorf("the copy has %s: %s", not, said)
				}
			}
			data, err := os.ReadFile(to)
			if err != nil {
				t.Fatal(err)
			}
			if index, content := bytes.Index(data, []byte("moov")), bytes.Index(data, []byte("mdat")); index < 0 || index > content {
				t.Errorf("the index is at %d, behind the content at %d", index, content)
			}
			if int64(len(data)) > j.Size() {
				t.Errorf("the copy has %d bytes, at most %d were expected", len(data), j.Size())
			}
		})
	}
}

// A file that references other files cannot read them.
func TestFilesThatNameOthers(t *testing.T) {
	t.Parallel()
	f := program(t)
	other := sample(t, f, "other.ts", "-f", "lavfi", "-i", "testsrc2=s=64x64:d=1:r=5", "-c:v", "mpeg2video")
	for name, text := range map[string]string{
		"playlist":      "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n" + other + "\n#EXT-X-ENDLIST\n",
		"playlist, URL": "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nhttp://127.0.0.1:1/x.ts\n#EXT-X-ENDLIST\n",
		"list":          "ffconcat version 1.0\nfile '" + other + "'\n",
		"nothing":       "",
		"noise":         strings.Repeat("noise", 1000),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			from := filepath.Join(t.TempDir(), "video.mp4")
			if err := os.WriteFile(from, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			to := filepath.Join(t.TempDir(), "copy")
			file, size := opened(t, from)
			err := f.Make(t.Context(), Job{From: file, To: to, Bytes: size})
			if _, ok := errors.AsType[*Fault](err); !ok {
				t.Errorf("got %v, want a fault of the file", err)
			}
		})
	}
}

// The time limit depends on the size of a file, not on its declared duration.
func TestLimit(t *testing.T) {
	t.Parallel()
	for bytes, want := range map[int64]time.Duration{0: startup, 1 << 20: startup + perMiB, 1 << 62: longest} {
		for _, claimed := range []time.Duration{0, time.Second, 1 << 62} {
			if got := (Job{Bytes: bytes, Duration: claimed}).limit(); got != want {
				t.Errorf("%d bytes, %s: %s, want %s", bytes, claimed, got, want)
			}
		}
	}
}

// The opened file is read, even if another file has its name now.
func TestSwappedFile(t *testing.T) {
	t.Parallel()
	f := program(t)
	path := sample(t, f, "sound.wav", "-f", "lavfi", "-i", "sine=d=1")
	from, size := opened(t, path)
	if err := os.Rename(path, path+".moved"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("nothing"), 0o600); err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(t.TempDir(), "copy")
	if err := f.Make(t.Context(), Job{From: from, To: to, Sound: true, Bytes: size}); err != nil {
		t.Fatal(err)
	}
	if said := probe(t, to); !strings.Contains(said, "codec_name=aac") {
		t.Error(said)
	}
}

func TestMakeEndsWithItsContext(t *testing.T) {
	t.Parallel()
	f := program(t)
	from := sample(t, f, "long.avi", "-f", "lavfi", "-i", "testsrc2=s=640x360:d=60:r=25", "-c:v", "mpeg4")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	file, size := opened(t, from)
	if err := f.Make(ctx, Job{From: file, Bytes: size, To: filepath.Join(t.TempDir(), "copy")}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	if _, err := Find(t.Context(), "there-is-no-such-program"); !errors.Is(err, exec.ErrNotFound) {
		t.Errorf("got %v", err)
	}
	echo, err := exec.LookPath("echo")
	if err != nil {
		t.Skip("echo is not installed")
	}
	if _, err := Find(t.Context(), echo); err == nil || !strings.Contains(err.Error(), "no encoder") {
		t.Errorf("got %v", err)
	}
}
