package ffmpeg

import (
	"bytes"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/digital-asset-library/dal/app/engine"
	"github.com/digital-asset-library/dal/app/engine/cicp"
)

// container is a format with its demuxer and the codecs that all current browsers play in
// it. Without codecs, browsers do not play the format.
type container struct {
	demuxer      string
	video, audio []string
}

var (
	mp4  = container{"mov", []string{"h264", "av1", "vp9"}, []string{"aac", "mp3", "opus", "flac"}}
	webm = container{"matroska", []string{"vp8", "vp9", "av1"}, []string{"vorbis", "opus"}}
)

// containers are the formats by their names in jobs.
var containers = map[string]container{
	"MP4": mp4, "QuickTime": mp4, "M4V": mp4, "3GP": mp4, "M4A": mp4, "WebM": webm, "Matroska": {demuxer: "matroska"},
	"AVI": {demuxer: "avi"}, "MPEG": {demuxer: "mpeg"}, "MPEG video stream": {demuxer: "mpegvideo"}, "MPEG-TS": {demuxer: "mpegts"},
	"Flash": {demuxer: "flv"}, "WMV": {demuxer: "asf"}, "WMA": {demuxer: "asf"}, "Ogg video": {demuxer: "ogg"}, "MXF": {demuxer: "mxf"},
	"DV": {demuxer: "dv"}, "MP3": {"mp3", nil, []string{"mp3"}}, "AAC": {"aac", nil, []string{"aac"}},
	"FLAC": {"flac", nil, []string{"flac"}},
	"WAV":  {"wav", nil, []string{"pcm_u8", "pcm_s16le", "pcm_s24le", "pcm_s32le", "pcm_f32le"}},
	"AIFF": {demuxer: "aiff"}, "Ogg": {"ogg", nil, []string{"vorbis", "opus", "flac"}}, "AMR": {demuxer: "amr"}, "CAF": {demuxer: "caf"},
	"AC-3": {demuxer: "ac3"}, "E-AC-3": {demuxer: "eac3"}, "Wave64": {demuxer: "w64"},
}

// facts are FFmpeg's metadata of a file, by name. The names of tags have the prefix "tag:".
type facts map[string]string

// parseFacts parses NUL-terminated names and values up to an empty name. The first of
// repeated values is used.
func parseFacts(b []byte) facts {
	f := facts{}
	for {
		name, rest, ok := bytes.Cut(b, []byte{0})
		value, rest, ok2 := bytes.Cut(rest, []byte{0})
		if !ok || !ok2 || len(name) == 0 {
			return f
		}
		key := string(name)
		if rest, isTag := strings.CutPrefix(key, "tag:"); isTag {
			key = "tag:" + strings.ToLower(rest)
		}
		if _, there := f[key]; !there {
			f[key] = text(string(value))
		}
		b = rest
	}
}

// space returns the color space of a video.
func (f facts) space() cicp.Space { return cicp.Named(f["video.primaries"], f["video.transfer"]) }

// text converts a text to UTF-8; invalid UTF-8 is treated as Latin-1.
func text(s string) string {
	if !utf8.ValidString(s) && !cutRune(s) {
		runes := make([]rune, len(s))
		for i := range len(s) {
			runes[i] = rune(s[i])
		}
		s = string(runes)
	}
	return strings.TrimSpace(strings.ToValidUTF8(s, ""))
}

// cutRune reports whether only the end of a text is invalid UTF-8 because of truncation.
func cutRune(s string) bool {
	for i := 1; i < min(utf8.UTFMax, len(s)); i++ {
		if utf8.ValidString(s[:len(s)-i]) {
			return len(s) > maxTag-utf8.UTFMax
		}
	}
	return false
}

// maxTag is the size to which the module truncates tags, in bytes.
const maxTag = 4000

func (f facts) number(name string) float64 {
	v, err := strconv.ParseFloat(f[name], 64)
	if err != nil || math.IsNaN(v) || v < 0 || v > 1e15 {
		return 0
	}
	return v
}

func (f facts) int(name string) int { return int(f.number(name)) }

// tag returns the first non-empty of the given tags.
func (f facts) tag(names ...string) string {
	for _, name := range names {
		if v := f["tag:"+name]; v != "" {
			return v
		}
	}
	return ""
}

// look returns the metadata of a file without decoding it.
func (f facts) look(name string, c container) *engine.Look {
	look := &engine.Look{
		Title: f.tag("title", "com.apple.quicktime.title"),
		Creator: f.tag("artist", "album_artist", "author", "com.apple.quicktime.artist", "com.apple.quicktime.author", "composer",
			"performer"),
		Copyright:   f.tag("copyright", "com.apple.quicktime.copyright", "wm/copyright"),
		Description: f.tag("description", "synopsis", "comment", "com.apple.quicktime.description", "com.apple.quicktime.comment", "subtitle"),
		Place:       f.tag("com.apple.quicktime.location.iso6709", "location", "location-eng"),
		Seconds:     f.number("duration"), Sound: f["video.codec"] == "",
	}
	zone := ""
	look.Created, zone = f.created()
	about := map[string]any{"container": name}
	set := func(name string, v any) {
		switch v {
		case "", 0, 0.0:
		default:
			about[name] = v
		}
	}
	if look.Seconds > 0 {
		set("duration", round(look.Seconds, 1000))
	}
	set("date_time_zone", zone)
	set("channels", f.int("audio.channels"))
	set("sample_rate", f.int("audio.sample_rate"))
	about["playable"] = f.playable(c)
	if look.Sound {
		f.sound(set)
		look.Facts = map[string]any{"audio": about}
		return look
	}
	f.video(set)
	look.Width, look.Height = f.size()
	look.Facts = map[string]any{"video": about}
	return look
}

func (f facts) video(set func(string, any)) {
	rate := f.number("bit_rate")
	if rate == 0 {
		rate = f.number("video.bit_rate")
	}
	set("bit_rate", int(rate))
	set("codec", f["video.codec"])
	set("profile", f["video.profile"])
	set("pixel_format", f["video.pixel_format"])
	set("frame_rate", round(f.number("video.frame_rate"), 1000))
	set("rotation", f.turn())
	set("make", f.tag("com.apple.quicktime.make", "make"))
	set("model", f.tag("com.apple.quicktime.model", "model"))
	set("audio_codec", f["audio.codec"])
}

func (f facts) sound(set func(string, any)) {
	rate := f.number("audio.bit_rate")
	if rate == 0 {
		rate = f.number("bit_rate")
	}
	set("bit_rate", int(rate))
	set("codec", f["audio.codec"])
	set("bits", f.int("audio.bits"))
	for _, tag := range []string{"album", "track", "disc", "genre"} {
		set(tag, f.tag(tag))
	}
	if date := f.tag("date", "year", "tyer"); len(date) >= 4 {
		if year, err := strconv.Atoi(date[:4]); err == nil {
			set("year", year)
		}
	}
}

// turn returns the clockwise rotation of the picture: 0, 90, 180 or 270 degrees.
func (f facts) turn() int {
	v, err := strconv.ParseFloat(f["video.rotation"], 64)
	if err != nil || math.IsNaN(v) || math.Abs(v) > 1000 {
		return 0
	}
	quarter := int(math.Round(v/90)) % 4
	return (quarter + 4) % 4 * 90
}

// size returns the size of the picture, upright and with square pixels.
func (f facts) size() (w, h int) {
	w, h = f.int("video.width"), f.int("video.height")
	if a := f.number("video.aspect"); a > 1.0/16 && a < 16 {
		w = int(math.Round(float64(w) * a))
	}
	if w > 1<<20 || h > 1<<20 {
		return 0, 0
	}
	if f.turn()%180 != 0 {
		w, h = h, w
	}
	return w, h
}

// playable reports whether all current browsers play the file.
func (f facts) playable(c container) bool {
	video, audio := f["video.codec"], f["audio.codec"]
	if audio == "" && (video == "" || c.video == nil) || audio != "" && !slices.Contains(c.audio, audio) {
		return false
	}
	if video == "" {
		return true
	}
	format := f["video.pixel_format"]
	return slices.Contains(c.video, video) && (video != "h264" || format == "yuv420p" || format == "yuvj420p" || format == "")
}

// created returns the creation date of a file in XMP notation, and its zone.
func (f facts) created() (when, zone string) {
	for _, name := range []string{"com.apple.quicktime.creationdate", "date_recorded", "creation_time", "date", "year", "wm/year", "tyer"} {
		date := strings.Replace(f.tag(name), " ", "T", 1)
		if len(date) < 4 || strings.HasPrefix(date, "1904-01-01T00") || strings.HasPrefix(date, "1970-01-01T00:00") || date[:4] == "0000" {
			continue // placeholder dates
		}
		if n := len(date); n > 19 && (date[n-5] == '+' || date[n-5] == '-') {
			date = date[:n-2] + ":" + date[n-2:]
		}
		switch n := len(date); {
		case strings.HasSuffix(date, "Z"):
			zone = "UTC"
		case n > 19 && (date[n-6] == '+' || date[n-6] == '-'):
			zone = date[n-6:]
		default:
			zone = "unknown"
		}
		return date, zone
	}
	return "", ""
}

func round(v, to float64) float64 { return math.Round(v*to) / to }
