// Package transcode transcodes videos and audio for browsers. It runs the machine's FFmpeg,
// which is not part of dal.
package transcode

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/digital-asset-library/dal/app/child"
	"github.com/digital-asset-library/dal/app/confine"
)

// FFmpeg is an FFmpeg executable with the required encoders.
type FFmpeg struct {
	path    string
	version string
	h264    string // name of its H.264 encoder
}

// encoders are the supported H.264 encoders, best first.
var encoders = []string{"libx264", "libopenh264", "h264_videotoolbox", "h264_mf"}

// Find locates the executable and detects its encoders. name is a path or a name in PATH.
func Find(ctx context.Context, name string) (*FFmpeg, error) {
	path, err := exec.LookPath(name)
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err != nil {
		return nil, fmt.Errorf("find FFmpeg: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	list, err := exec.CommandContext(ctx, path, "-hide_banner", "-encoders").Output()
	if err != nil {
		return nil, fmt.Errorf("ask %s for its encoders: %w", path, err)
	}
	about, err := exec.CommandContext(ctx, path, "-version").Output()
	if err != nil {
		return nil, fmt.Errorf("ask %s for its version: %w", path, err)
	}
	f := &FFmpeg{path: path}
	if words := strings.Fields(string(about)); len(words) > 2 {
		f.version = words[2]
	}
	for _, name := range encoders {
		if f.h264 == "" && hasEncoder(list, name) {
			f.h264 = name
		}
	}
	if f.h264 == "" || !hasEncoder(list, "aac") {
		return nil, fmt.Errorf("%s has no encoder for H.264 or AAC: a build with libx264 or libopenh264 is needed", path)
	}
	return f, nil
}

func hasEncoder(list []byte, name string) bool {
	for s := bufio.NewScanner(bytes.NewReader(list)); s.Scan(); {
		if words := strings.Fields(s.Text()); len(words) > 1 && words[1] == name {
			return true
		}
	}
	return false
}

// String describes the executable for people.
func (f *FFmpeg) String() string { return fmt.Sprintf("%s, version %s, %s", f.path, f.version, f.h264) }

// Job is a transcoding job. The result is an MP4 file with H.264 and AAC, its index at the
// beginning, without metadata. A video has at most 1920 pixels on its longest side and 60
// frames per second.
type Job struct {
	From     *os.File      // only Windows uses its name
	To       string        // output file, which is overwritten
	Sound    bool          // audio only
	Duration time.Duration // duration according to the file's metadata; 0 if unknown
	Bytes    int64         // size of the file
}

// Fault is FFmpeg's message about a file that it could not transcode.
type Fault struct{ Text string }

func (f *Fault) Error() string { return "FFmpeg: " + f.Text }

// The limits of a job.
const (
	longestSide = 1920
	videoRate   = 6_000_000 // bits per second at most, except for short peaks
	soundRate   = 160_000
	maxPixels   = 200_000_000 // per input frame
	maxAlloc    = 1 << 30     // bytes of a single allocation
	maxSaid     = 2000        // bytes of its messages
	startup     = 5 * time.Minute
	perMiB      = 200 * time.Second // per MiB of the file: two hours of a screen recording are 90 MB, at half speed
	longest     = 24 * time.Hour
	copied      = 64       // maximum ratio of the output size to the input size, and
	leastCopy   = 64 << 20 // minimum limit of the output size in bytes
	maxMemory   = 4 << 30  // bytes used by the program
)

// Size returns the approximate maximum size of the output in bytes.
func (j Job) Size() int64 {
	rate := int64(soundRate)
	if !j.Sound {
		rate += videoRate
	}
	return int64(j.Duration.Seconds()*float64(rate)/8) + 1<<20
}

// limit returns the time limit of a job. It does not depend on the file's metadata.
func (j Job) limit() time.Duration {
	const most = int64(longest / perMiB)
	return min(startup+time.Duration(min(j.Bytes>>20, most))*perMiB, longest)
}

// rules allow access to the two files, and to the executable with its libraries.
func (f *FFmpeg) rules(j Job) confine.Rules {
	return confine.Rules{
		Read: []string{"/usr", "/lib", "/lib64", "/bin", "/opt", "/nix/store", "/etc/ld.so.cache", "/etc/alternatives",
			filepath.Dir(f.path), "/dev/stdin"},
		Write:   []string{j.To, "/dev/null"},
		MaxFile: leastCopy + copied*min(j.Bytes, math.MaxInt64/copied-leastCopy), MaxMemory: maxMemory,
	}
}

// input returns the file name passed to the program.
func (j Job) input() string {
	if runtime.GOOS == "windows" {
		return "file:" + j.From.Name()
	}
	return "file:/dev/stdin"
}

// demuxers are the allowed input formats. None of them can reference other files.
const demuxers = "mov,matroska,webm,avi,mpeg,mpegts,mpegvideo,m4v,flv,asf,ogg,mxf,dv,rm,ivf," +
	"mp3,flac,wav,w64,aiff,aac,ac3,eac3,amr,caf,au,h264,hevc"

// Make runs a job. The error is a *Fault if the file is at fault. The program has no
// environment, cannot access other files or the network, and is killed with ctx. It
// receives an open file, because another file may have taken the name.
func (f *FFmpeg) Make(ctx context.Context, j Job) error {
	limited, cancel := context.WithTimeout(ctx, j.limit())
	defer cancel()
	said := &head{}
	if err := os.WriteFile(j.To, nil, 0o600); err != nil { // the program may only write existing files
		return err
	}
	cmd, err := confine.Command(limited, f.rules(j), f.path, f.arguments(j)...)
	if err != nil {
		return err
	}
	cmd.Stdin = j.From
	cmd.Env, cmd.SysProcAttr, cmd.Dir = child.Environment(), child.Apart(), filepath.Dir(j.To)
	cmd.Stderr, cmd.WaitDelay = said, 10*time.Second
	// Linux kills the program when the thread that started it ends.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err = cmd.Run()
	if err == nil {
		return whole(j.To)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if limited.Err() != nil {
		return &Fault{fmt.Sprintf("it took longer than %s", j.limit().Round(time.Minute))}
	}
	if _, ok := errors.AsType[*exec.ExitError](err); ok {
		return &Fault{strings.TrimSpace(said.text.String() + " (" + err.Error() + ")")}
	}
	return fmt.Errorf("run %s: %w", f.path, err)
}

// whole rejects an empty output.
func whole(path string) error {
	info, err := os.Stat(path)
	if err == nil && info.Size() == 0 {
		return &Fault{"the file has nothing that can be played"}
	}
	return err
}

func (f *FFmpeg) arguments(j Job) []string {
	threads := strconv.Itoa(max(runtime.GOMAXPROCS(0)/2, 1))
	args := []string{
		"-nostdin", "-hide_banner", "-loglevel", "error", "-y",
		"-max_alloc", strconv.Itoa(maxAlloc), "-protocol_whitelist", "file", "-format_whitelist", demuxers,
		"-max_pixels", strconv.Itoa(maxPixels), "-threads", threads, "-i", j.input(),
		"-map_metadata", "-1", "-map_chapters", "-1", "-sn", "-dn", "-map", "0:a:0?",
	}
	if j.Sound {
		args = append(args, "-vn")
	} else {
		side := strconv.Itoa(longestSide)
		args = append(args, "-map", "0:V:0",
			"-vf", "scale=w='trunc(iw*min(1,"+side+"/max(iw,ih))/2)*2':h='trunc(ih*min(1,"+side+"/max(iw,ih))/2)*2',format=yuv420p",
			"-c:v", f.h264, "-fpsmax", "60", "-maxrate", strconv.Itoa(videoRate), "-bufsize", strconv.Itoa(2*videoRate), "-threads", threads)
		if f.h264 == "libx264" {
			args = append(args, "-preset", "veryfast", "-crf", "23")
		} else {
			args = append(args, "-b:v", strconv.Itoa(videoRate*2/3))
		}
	}
	return append(args, "-c:a", "aac", "-b:a", strconv.Itoa(soundRate), "-ac", "2", "-movflags", "+faststart", "-f", "mp4", "file:"+j.To)
}

// head keeps the beginning of the program's messages.
type head struct{ text strings.Builder }

func (h *head) Write(p []byte) (int, error) {
	h.text.Write(p[:min(len(p), maxSaid-h.text.Len())])
	return len(p), nil
}
