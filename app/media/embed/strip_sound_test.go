package embed_test

import (
	"bytes"
	"encoding/binary"
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

// sounds returns the audio samples that can be stripped, and some with tags that FFmpeg does
// not write.
func sounds(t testing.TB) map[string][]byte {
	t.Helper()
	list := map[string][]byte{}
	for _, name := range strings.Fields("a.mp3 a.flac a.wav a.aiff a.ogg a.opus") {
		data, err := os.ReadFile(filepath.Join("../testdata/media", name))
		if err != nil {
			t.Fatal(err)
		}
		list[name] = data
	}
	old := []byte("TAGSECRETTITLE" + strings.Repeat("\x00", 114))
	ape := []byte("APETAGEX\xd0\x07\x00\x00\x34\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\xa0")
	ape = append(append(ape, make([]byte, 8)...), "\x0b\x00\x00\x00\x00\x00\x00\x00Title\x00SECRETTITLE"[:20]...)
	ape = append(append(ape, "APETAGEX\xd0\x07\x00\x00\x34\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x80"...), make([]byte, 8)...)
	lyrics := []byte("LYRICSBEGININD00002 1LYR00005SECRE000040LYRICS200")
	id3 := []byte("ID3\x04\x00\x00\x00\x00\x00\x14TIT2\x00\x00\x00\x0a\x00\x00\x03SECRETTIT")
	list["tags.mp3"] = slices.Concat(id3, list["a.mp3"], ape, lyrics, old)
	list["joined.mp3"] = slices.Concat(list["a.mp3"], old, id3, []byte("SECRET of who knows whom"), list["a.mp3"], old)
	list["tags.flac"] = slices.Concat(id3, list["a.flac"], old)
	list["trailer.flac"] = slices.Concat(list["a.flac"], []byte("SECRETTRAILER"))
	list["joined.opus"] = slices.Concat(list["a.opus"], list["a.opus"], []byte("SECRETTRAILER"))
	chunk := slices.Concat([]byte("bext\x5a\x02\x00\x00SECRETAUTHOR"), make([]byte, 602-12), []byte("_PMX\x08\x00\x00\x00SECRETXM"))
	list["tags.wav"] = slices.Concat(list["a.wav"][:12], chunk, list["a.wav"][12:], chunk)
	endless := bytes.Clone(list["a.wav"])
	binary.LittleEndian.PutUint32(endless[bytes.Index(endless, []byte("data"))+4:], 0xffffffff)
	list["endless.wav"] = endless
	list["tags.aiff"] = slices.Concat(list["a.aiff"][:12], []byte("NAME\x00\x00\x00\x07SECRETN\x00"), list["a.aiff"][12:],
		[]byte("ANNO\x00\x00\x00\x06SECRET"))
	return list
}

// madeSounds adds audio files with tags and pictures made by FFmpeg, if it is available.
func madeSounds(t testing.TB, list map[string][]byte) {
	t.Helper()
	if _, err := exec.LookPath("ffmpeg"); err != nil {
		t.Log("ffmpeg is not installed")
		return
	}
	dir := t.TempDir()
	for name, args := range map[string]string{
		"vbr.mp3":      "-c:a libmp3lame -q:a 4 -id3v2_version 3 -write_id3v1 1",
		"layer2.mp3":   "-c:a mp2 -b:a 96k -f mp2",
		"noise.flac":   "-c:a flac -ac 2 -sample_fmt s32 -bits_per_raw_sample 24",
		"around.flac":  "-c:a flac -ac 6 -ar 96000",
		"float.wav":    "-c:a pcm_f32le -ac 2 -write_bext 1 -metadata description=SECRETWORDS",
		"adpcm.wav":    "-c:a adpcm_ms",
		"large.wav":    "-c:a pcm_s24le -ac 3 -rf64 always",
		"swapped.aiff": "-c:a pcm_s16le -f aiff",
		"tags.aiff":    "-c:a pcm_s24be -write_id3v2 1",
		"long.ogg":     "-c:a libvorbis -ac 2",
		"long.opus":    "-c:a libopus -ac 6 -ar 48000",
	} {
		path := filepath.Join(dir, name)
		all := append(strings.Fields("-v error -y -f lavfi -i anoisesrc=d=1:a=0.3:seed=7:r=44100"), strings.Fields(args)...)
		all = append(all, "-metadata", "title=SECRETTITLE", "-metadata", "artist=SECRETARTIST", "-metadata", "comment="+
			strings.Repeat("SECRETCOMMENT ", 9000), path)
		if out, err := exec.Command("ffmpeg", all...).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v: %s", name, err, out)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		list["made-"+name] = data
	}
}

// Copies of audio files have the same samples and no other metadata.
func TestStripSounds(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("one goroutine, which mostly waits for FFmpeg")
	}
	list := sounds(t)
	few := len(list)
	madeSounds(t, list)
	dir := t.TempDir()
	for name, data := range list {
		out := checkedCopy(t, name, data)
		from, to := filepath.Join(t.TempDir(), name), filepath.Join(dir, name)
		for path, b := range map[string][]byte{from: data, to: out} {
			if err := os.WriteFile(path, b, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if len(list) > few && name != "joined.mp3" && name != "tags.mp3" { // FFmpeg decodes the content of their tags as audio
			if a, b := samplesOf(t, from), samplesOf(t, to); a != b {
				t.Errorf("%s: its samples are others: %s, %s", name, a, b)
			}
		}
	}
	if a := stripped(t, "audio/mpeg", list["a.mp3"], credits); !bytes.Equal(a, stripped(t, "audio/mpeg", list["tags.mp3"], credits)) {
		t.Error("with more tags the copy is another one")
	}
	inspectSounds(t, dir, len(list))
}

// checkedCopy returns a stripped copy of a file after verifying its general properties.
func checkedCopy(t *testing.T, name string, data []byte) []byte {
	t.Helper()
	mime := mimeOf(t, data)
	out := stripped(t, mime, data, credits)
	if bytes.Contains(out, []byte("SECRE")) || !bytes.Contains(out, []byte("Ada Lovelace")) || mimeOf(t, out) != mime {
		t.Errorf("%s: it says too much, or too little", name)
	}
	if again := stripped(t, mime, out, credits); !bytes.Equal(again, out) {
		t.Errorf("%s: stripped twice it is another one", name)
	}
	if len(out) > len(data)+4<<10 {
		t.Errorf("%s: it has %d bytes of %d", name, len(out), len(data))
	}
	if bare := stripped(t, mime, data, nil); bytes.Contains(bare, []byte("Ada")) || bytes.Contains(bare, []byte("SECRE")) {
		t.Errorf("%s: without a word it says something", name)
	}
	plan, err := embed.Strip(mime, bytes.NewReader(data), int64(len(data)), credits)
	if err != nil {
		t.Fatal(err)
	}
	if err := iotest.TestReader(plan.Of(bytes.NewReader(data)), out); err != nil {
		t.Errorf("%s: %v", name, err)
	}
	return out
}

// samplesOf returns the checksum of an audio file's samples, as FFmpeg decodes them.
func samplesOf(t *testing.T, path string) string {
	t.Helper()
	out, err := exec.Command("ffmpeg", "-v", "fatal", "-i", path, "-map", "0:a", "-f", "md5", "-").Output()
	if err != nil {
		t.Fatal(path, err)
	}
	return string(out)
}

// inspectSounds reads the n copies in a folder with exiftool.
func inspectSounds(t *testing.T, dir string, n int) {
	t.Helper()
	if _, err := exec.LookPath("exiftool"); err != nil {
		t.Log("exiftool is not installed")
		return
	}
	out, err := exec.Command("exiftool", "-j", "-a", "-u", "-G1", "-charset", "riff=utf8", "-ee", dir).Output()
	if _, isExit := errors.AsType[*exec.ExitError](err); err != nil && !isExit {
		t.Fatal(err)
	}
	var list []map[string]any
	if err := json.Unmarshal(out, &list); err != nil || len(list) != n {
		t.Fatalf("%d files, %v", len(list), err)
	}
	for _, tags := range list {
		name := filepath.Base(fmt.Sprint(tags["SourceFile"]))
		var said []string
		for tag, v := range tags {
			group, key, ok := strings.Cut(tag, ":")
			if !ok { // the path of the file
				continue
			}
			switch {
			case slices.Contains([]string{"Artist", "Author", "Copyright"}, key):
				said = append(said, fmt.Sprint(v))
			case !mayTellOfSound(group, key, v):
				t.Errorf("%s says %s: %v", name, tag, v)
			}
		}
		if slices.Sort(said); !slices.Equal(said, []string{"Ada Lovelace", "© 2026 Ada"}) {
			t.Errorf("%s names %q", name, said)
		}
	}
}

// toldOfSounds are the tags that exiftool may report for copies of audio files, in
// addition to the credits.
var toldOfSounds = strings.Fields(`NumChannels SampleRate BitsPerSample Encoding AvgBytesPerSec NumberOfSamples OriginalMedia MSStereo
	IntensityStereo Emphasis CopyrightFlag ChannelMode AudioLayer MPEGAudioVersion AudioBitrate VBRFrames VBRBytes VBRScale Encoder
	LameVBRQuality LameQuality LameMethod LameLowPassFilter LameBitrate LameStereoMode OutputGain OpusVersion AudioChannels TotalSamples
	MD5Signature FrameSizeMin FrameSizeMax BlockSizeMin BlockSizeMax Channels VorbisVersion NominalBitrate WaveformatextensibleChannelMask
	SampleSize
	NumSampleFrames FormatVersionTime CompressionType`)

// mayTellOfSound reports whether a tag of a copy describes the audio itself.
func mayTellOfSound(group, key string, v any) bool {
	return slices.Contains([]string{"System", "File", "Composite", "ExifTool"}, group) || slices.Contains(toldOfSounds, key) ||
		slices.Contains([]string{"Vendor", "CompressorName"}, key) && v == ""
}

// Files with an invalid structure, and files that are not supported audio, are rejected.
func TestStripSoundRefuses(t *testing.T) {
	t.Parallel()
	list := sounds(t)
	film, err := os.ReadFile("../testdata/media/a.ogv")
	if err != nil {
		t.Fatal(err)
	}
	flac, opus := list["a.flac"], list["a.opus"]
	damaged := bytes.Clone(flac)
	damaged[len(flac)/2] ^= 0xff
	const start = "SSND\x00\x00\x0f\xa8"
	elsewhere := bytes.Replace(list["a.aiff"], []byte(start+"\x00\x00"), []byte(start+"\x7f\x00"), 1)
	for name, tt := range map[string]struct {
		mime string
		data []byte
		err  error
	}{
		"film":              {"audio/ogg", film, embed.ErrNotTaken},
		"other stream":      {"audio/ogg", bytes.Replace(opus, []byte("OpusHead"), []byte("Speex   "), 1), embed.ErrNotTaken},
		"odd channels":      {"audio/ogg", bytes.Replace(opus, []byte("OpusHead\x01\x01"), []byte("OpusHead\x01\x09"), 1), nil},
		"no comments":       {"audio/ogg", opus[:bytes.LastIndex(opus[:100], []byte("OggS"))], embed.ErrDamaged},
		"hole":              {"audio/ogg", bytes.Replace(opus, []byte("OggS\x00\x04"), []byte("OggX\x00\x04"), 1), embed.ErrDamaged},
		"cut off":           {"audio/flac", flac[:len(flac)/2], embed.ErrDamaged},
		"damaged frame":     {"audio/flac", damaged, embed.ErrDamaged},
		"no frames":         {"audio/flac", flac[:bytes.LastIndex(flac[:len(flac)/2], []byte("\xff\xf8"))][:100], embed.ErrDamaged},
		"words":             {"audio/mpeg", []byte(strings.Repeat("nothing to hear", 4000)), embed.ErrDamaged},
		"tag of a sound":    {"audio/mpeg", []byte("ID3\x04\x00\x00\x7f\x7f\x7f\x7f"), embed.ErrDamaged},
		"no samples":        {"audio/wav", list["a.wav"][:bytes.Index(list["a.wav"], []byte("data"))], embed.ErrDamaged},
		"no format":         {"audio/wav", bytes.Replace(list["a.wav"], []byte("fmt "), []byte("xxxx"), 1), embed.ErrDamaged},
		"no common":         {"audio/aiff", bytes.Replace(list["a.aiff"], []byte("COMM"), []byte("XXXX"), 1), embed.ErrDamaged},
		"samples elsewhere": {"audio/aiff", elsewhere, embed.ErrDamaged},
	} {
		_, err := embed.Strip(tt.mime, bytes.NewReader(tt.data), int64(len(tt.data)), credits)
		if !errors.Is(err, tt.err) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, data := range list {
		for _, n := range []int{0, 1, 9, 30} {
			if _, err := embed.Strip(mimeOf(t, list[name]), bytes.NewReader(data[:n]), int64(n), nil); !errors.Is(err, embed.ErrDamaged) {
				t.Errorf("%d bytes of %s: %v", n, name, err)
			}
		}
	}
}
