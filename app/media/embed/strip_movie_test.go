package embed_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/digital-asset-library/dal/app/media/embed"
)

// movies returns the video and audio samples that can be stripped.
func movies(t testing.TB) map[string][]byte {
	t.Helper()
	list := map[string][]byte{}
	for _, path := range strings.Fields("a.mp4 a-av1.mp4 a.mov a.m4v a.3gp a.m4a a.webm a.mkv ../../embed/testdata/parts.mp4") {
		data, err := os.ReadFile(filepath.Join("../testdata/media", path))
		if err != nil {
			t.Fatal(err)
		}
		list[filepath.Base(path)] = data
	}
	return list
}

// madeMovies adds movies with private metadata, made with FFmpeg and exiftool, if both are
// available.
func madeMovies(t testing.TB, list map[string][]byte) {
	t.Helper()
	for _, program := range []string{"ffmpeg", "exiftool"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Logf("%s is not installed", program)
			return
		}
	}
	dir := t.TempDir()
	words, chapters := filepath.Join(dir, "words.srt"), filepath.Join(dir, "chapters")
	for name, text := range map[string]string{
		words: "1\n00:00:00,100 --> 00:00:00,900\nSECRETWORDS\n",
		chapters: ";FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/10\nSTART=0\nEND=5\ntitle=SECRETCHAPTER\n" +
			"[CHAPTER]\nTIMEBASE=1/10\nSTART=5\nEND=10\ntitle=SECRETEND\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	tags := []string{"-metadata", "title=SECRETTITLE", "-metadata", "location=+48.8584+002.2945/", "-metadata",
		"creation_time=2024-05-01T12:00:00Z", "-metadata:s:v", "handler_name=SECRETHANDLER", "-metadata:s:v", "encoder=SECRETENCODER"}
	from := func(sample string, more ...string) []string {
		args := []string{"-v", "error", "-y", "-i", "../testdata/media/" + sample, "-i", words, "-i", chapters, "-map", "0:v", "-map", "0:a?",
			"-map", "1", "-map_chapters", "2", "-c", "copy"}
		return append(append(args, tags...), more...)
	}
	for name, args := range map[string][]string{
		"words.mp4":     from("a.mp4", "-c:s", "mov_text", "-timecode", "01:00:00:00"),
		"behind.mov":    from("a.mp4", "-c:s", "mov_text", "-movflags", "use_metadata_tags", "-metadata", "com.apple.quicktime.make=SECRETMAKE"),
		"pcm.mov":       from("a.mp4", "-c:s", "mov_text", "-c:a", "pcm_s16le", "-ac", "2"),
		"lpcm.mov":      from("a.mp4", "-c:s", "mov_text", "-c:a", "pcm_s24le", "-ar", "96000"),
		"fragments.mp4": from("a.mp4", "-c:s", "mov_text", "-movflags", "frag_keyframe+empty_moov"),
		"based.mp4":     from("a.mp4", "-c:s", "mov_text", "-movflags", "frag_keyframe+empty_moov+default_base_moof+global_sidx"),
		"first.mp4":     from("a.mp4", "-sn", "-movflags", "frag_keyframe", "-frag_duration", "300000"),
		"dash.mp4":      from("a.mp4", "-sn", "-an", "-movflags", "dash+cmaf"),
		"words.webm":    from("a.webm", "-c:s", "webvtt"),
		"live.webm":     from("a.webm", "-sn", "-live", "1", "-cluster_time_limit", "300"),
		"vorbis.webm": {"-v", "error", "-y", "-f", "lavfi", "-i", "sine=d=1", "-c:a", "libvorbis", "-metadata", "artist=SECRETARTIST",
			"-cluster_time_limit", "200"},
		"words.mkv": from("a.mp4", "-c:s", "srt", "-attach", words, "-metadata:s:t", "mimetype=text/plain", "-cues_to_front", "1"),
		"flac.mkv": {"-v", "error", "-y", "-f", "lavfi", "-i", "sine=d=1", "-c:a", "flac", "-metadata", "artist=SECRETARTIST",
			"-metadata:s:a", "title=SECRETTITLE", "-cluster_time_limit", "200"},
		"theora.mkv": {"-v", "error", "-y", "-i", "../testdata/media/a.ogv", "-c", "copy", "-metadata", "title=SECRETTITLE"},
		"turned.mp4": {"-v", "error", "-y", "-display_rotation", "90", "-i", "../testdata/media/a.mp4", "-c", "copy"},
	} {
		path := filepath.Join(dir, name)
		if out, err := exec.Command("ffmpeg", append(args, path)...).CombinedOutput(); err != nil {
			if name == "turned.mp4" { // an older FFmpeg
				continue
			}
			t.Fatalf("%s: %v: %s", name, err, out)
		}
		if !isMatroska(name) {
			_ = exec.Command("exiftool", "-q", "-overwrite_original", "-m", "-Keys:GPSCoordinates=48.1 11.5", "-UserData:Author=SECRETAUTHOR",
				"-ItemList:Comment=SECRETCOMMENT", "-XMP-dc:Title=SECRETTITLE", "-QuickTime:CreateDate=2024:01:01 00:00:00",
				"-QuickTime:TrackCreateDate=2024:01:01 00:00:00", "-QuickTime:MediaModifyDate=2024:01:01 00:00:00", path).Run()
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		list[name] = data
	}
}

func isMatroska(name string) bool {
	return strings.HasSuffix(name, ".webm") || strings.HasSuffix(name, ".mkv")
}

// Copies of movies have the same pictures and sound at the same times, and no other
// metadata.
func TestStripMovies(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("one goroutine, which mostly waits for FFmpeg")
	}
	list := movies(t)
	madeMovies(t, list)
	made := len(list) > 9
	dir := t.TempDir()
	for name, data := range list {
		out := stripped(t, mimeOf(t, data), data, credits)
		if bytes.Contains(out, []byte("SECRET")) || !bytes.Contains(out, []byte("Ada Lovelace")) || mimeOf(t, out) != mimeOf(t, data) {
			t.Errorf("%s: it says too much, or too little", name)
		}
		if strings.HasPrefix(name, "words") && !bytes.Contains(data, []byte("SECRETWORDS")) {
			t.Errorf("%s has nothing to hide", name)
		}
		if again := stripped(t, mimeOf(t, data), out, credits); !bytes.Equal(again, out) {
			t.Errorf("%s: stripped twice it is another one", name)
		}
		if len(out) > len(data)+4<<10 {
			t.Errorf("%s: it has %d bytes of %d", name, len(out), len(data))
		}
		plan, err := embed.Strip(mimeOf(t, data), bytes.NewReader(data), int64(len(data)), credits)
		if err != nil {
			t.Fatal(err)
		}
		if err := iotest.TestReader(plan.Of(bytes.NewReader(data)), out); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if !made {
			continue
		}
		from, to := filepath.Join(dir, "0-"+name), filepath.Join(dir, "1-"+name)
		for path, b := range map[string][]byte{from: data, to: out} {
			if err := os.WriteFile(path, b, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if a, b := packets(t, from), packets(t, to); a != b {
			t.Errorf("%s: its packets are others:\n%s\n%s", name, a, b)
		}
		if err := os.Remove(from); err != nil {
			t.Fatal(err)
		}
	}
	if made {
		inspectMovies(t, dir)
	}
}

// packets returns the time and the checksum of each video and audio packet, according to
// FFmpeg, and the rotation.
func packets(t *testing.T, path string) string {
	t.Helper()
	reading := []string{"-v", "error", "-i", path, "-map", "0:v?", "-map", "0:a?", "-c", "copy", "-f", "framemd5", "-"}
	out, err := exec.Command("ffmpeg", reading...).Output()
	if err != nil {
		t.Fatal(path, err)
	}
	lines := slices.DeleteFunc(strings.Split(string(out), "\n"), func(l string) bool {
		comments := strings.HasSuffix(path, "vorbis.webm") || strings.HasSuffix(path, "theora.mkv")
		return strings.HasPrefix(l, "#software") || comments && strings.HasPrefix(l, "#extradata")
	})
	probing := []string{"-v", "error", "-select_streams", "V", "-show_entries", "stream_side_data=rotation", "-of", "csv", path}
	turned, err := exec.Command("ffprobe", probing...).Output()
	if err != nil || len(lines) < 8 {
		t.Fatal(path, err, lines)
	}
	return strings.Join(lines, "\n") + string(bytes.TrimSpace(turned))
}

// toldOfMovies are the groups and tags that exiftool may report for copies of movies.
var toldOfMovies = strings.Fields(`SourceFile ExifTool:ExifToolVersion XMP-x:XMPToolkit XMP-dc:Creator XMP-dc:Rights
	QuickTime:MajorBrand QuickTime:MinorVersion QuickTime:CompatibleBrands QuickTime:MovieHeaderVersion QuickTime:CreateDate
	QuickTime:ModifyDate QuickTime:TimeScale QuickTime:Duration QuickTime:PreferredRate QuickTime:PreferredVolume QuickTime:PreviewTime
	QuickTime:PreviewDuration QuickTime:PosterTime QuickTime:SelectionTime QuickTime:SelectionDuration QuickTime:CurrentTime
	QuickTime:NextTrackID QuickTime:MatrixStructure QuickTime:MediaDataSize QuickTime:MediaDataOffset QuickTime:HandlerClass
	Track:TrackHeaderVersion Track:TrackCreateDate Track:TrackModifyDate Track:TrackID Track:TrackDuration Track:TrackLayer
	Track:TrackVolume Track:ImageWidth Track:ImageHeight Track:GraphicsMode Track:OpColor Track:CompressorID Track:SourceImageWidth
	Track:SourceImageHeight Track:XResolution Track:YResolution Track:BitDepth Track:PixelAspectRatio Track:VideoFrameRate
	Track:MediaHeaderVersion Track:MediaCreateDate Track:MediaModifyDate Track:MediaTimeScale Track:MediaDuration Track:MediaLanguageCode
	Track:HandlerClass Track:HandlerType Track:Balance Track:AudioFormat Track:AudioChannels Track:AudioBitsPerSample Track:AudioSampleRate
	Track:MatrixStructure Track:ColorRepresentation Track:ColorProfiles Track:ColorPrimaries Track:TransferCharacteristics
	Track:MatrixCoefficients Track:VideoFullRangeFlag Track:BufferSize Track:MaxBitrate Track:AverageBitrate Track:PurchaseFileFormat
	QuickTime:MovieFragmentSequence QuickTime:TrackID Track:HandlerDescription Track:LayoutFlags Track:VideoFieldOrder
	Matroska:EBMLVersion Matroska:EBMLReadVersion Matroska:DocType Matroska:DocTypeVersion Matroska:DocTypeReadVersion
	Matroska:TimecodeScale Matroska:Duration Matroska:MuxingApp Matroska:WritingApp Matroska:TagName Matroska:TagString
	Matroska:Artist Matroska:Copyright Matroska:TimestampScale Matroska:EBMLMaxSizeLength Matroska:EBMLMaxIDLength
	Matroska:CueTime Matroska:CueTrack Matroska:CueClusterPosition`)

// inspectMovies reads the copies in a folder with exiftool.
func inspectMovies(t *testing.T, dir string) {
	t.Helper()
	out, err := exec.Command("exiftool", "-j", "-a", "-G1", "-ee", dir).Output()
	if _, isExit := errors.AsType[*exec.ExitError](err); err != nil && !isExit {
		t.Fatal(err)
	}
	var list []map[string]any
	if err := json.Unmarshal(out, &list); err != nil || len(list) < 12 {
		t.Fatalf("%d files, %v", len(list), err)
	}
	for _, tags := range list {
		name := filepath.Base(fmt.Sprint(tags["SourceFile"]))
		for tag, v := range tags {
			group, rest, _ := strings.Cut(tag, ":")
			track := strings.HasPrefix(group, "Track")
			if group = strings.TrimRight(group, "0123456789"); rest != "" {
				tag = group + ":" + rest
			}
			webm := isMatroska(name) && track
			if group != "System" && group != "File" && group != "Composite" && !webm && !slices.Contains(toldOfMovies, tag) ||
				strings.HasSuffix(tag, "Date") && group != "System" && v != "0000:00:00 00:00:00" || strings.Contains(tag, "GPS") ||
				strings.HasSuffix(tag, "HandlerDescription") && v != "" {
				t.Errorf("%s says %s: %v", name, tag, v)
			}
		}
		if fmt.Sprint(tags["XMP-dc:Creator"], tags["Matroska:Artist"], tags["Matroska:TagString"]) == fmt.Sprint(nil, nil, nil) {
			t.Errorf("%s names nobody: %v", name, tags)
		}
	}
}

// Movies with an invalid or unsupported structure are rejected.
func TestStripMovieRefuses(t *testing.T) {
	t.Parallel()
	data := movies(t)["a.mp4"]
	for name, tt := range map[string]struct {
		old, new string
		err      error
	}{
		"encrypted":    {"avc1\x00\x00\x00\x00", "encv\x00\x00\x00\x00", embed.ErrNotTaken},
		"elsewhere":    {"url \x00\x00\x00\x01", "url \x00\x00\x00\x00", embed.ErrNotTaken},
		"no tracks":    {"vide", "subt", nil},
		"no samples":   {"stsz", "xxxx", embed.ErrDamaged},
		"no offsets":   {"stco", "xxxx", embed.ErrDamaged},
		"long samples": {"stsz\x00\x00\x00\x00\x00\x00\x00\x00", "stsz\x00\x00\x00\x00\x7f\xff\xff\xff", embed.ErrDamaged},
		"compressed":   {"udta", "cmov", embed.ErrNotTaken},
	} {
		if !bytes.Contains(data, []byte(tt.old)) {
			t.Errorf("%s: the sample has no %q", name, tt.old)
		}
		file := bytes.Replace(data, []byte(tt.old), []byte(tt.new), 1)
		if _, err := embed.Strip("video/mp4", bytes.NewReader(file), int64(len(file)), nil); !errors.Is(err, tt.err) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, data := range movies(t) {
		for _, n := range []int{0, 7, 40, len(data) / 3} {
			may := isMatroska(name) || name == "parts.mp4" // the available part plays
			if _, err := embed.Strip(mimeOf(t, data), bytes.NewReader(data[:n]), int64(n), nil); err == nil && !may {
				t.Errorf("%d bytes of %s", n, name)
			}
		}
	}
}
