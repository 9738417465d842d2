package media

import (
	"errors"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/engine"
)

// The metadata of video and audio formats, for people.
const (
	videoTags = "duration, size, codecs, rotation, date, place, title, creator, copyright, description"
	audioTags = "duration, codec, album, track, genre, year, title, creator, copyright, description"
)

// videos are the video formats and the audio formats that share a container with them. A file
// without a video stream is audio: the engine decides.
func videos() []format {
	iso := family{isISO, strings.Fields("mp4 f4v mov qt m4v 3gp 3g2 m4a m4b f4a")}
	asf := family{begins("\x30\x26\xb2\x75\x8e\x66\xcf\x11\xa6\xd9\x00\xaa\x00\x62\xce\x6c"), strings.Fields("wmv asf wma")}
	ogg := family{begins("OggS"), strings.Fields("ogv ogg oga opus spx")}
	any := begins("")
	return []format{
		mediaFormat("QuickTime", "a QuickTime video", "video/quicktime", "mov qt").shown().in(iso, isQuickTime).ending(endOfISO),
		mediaFormat("M4V", "an M4V video", "video/x-m4v", "m4v").shown().in(iso, brand("M4V ", "M4VH", "M4VP")).ending(endOfISO),
		mediaFormat("3GP", "a 3GP video", "video/3gpp", "3gp 3g2").shown().in(iso, is3GP).ending(endOfISO),
		mediaFormat("M4A", "an MPEG-4 audio file", "audio/mp4", "m4a m4b f4a").shown().in(iso, brand("M4A ", "M4B ", "M4P ", "F4A ")).
			ending(endOfISO),
		mediaFormat("MP4", "an MP4 video", "video/mp4", "mp4 f4v").shown().in(iso, any).ending(endOfISO),
		mediaFormat("WebM", "a WebM video", "video/webm", "webm weba").shown().when(isEBML("webm")).ending(endOfEBML),
		mediaFormat("Matroska", "a Matroska video", "video/x-matroska", "mkv mka mk3d").when(isEBML("matroska")).ending(endOfEBML),
		mediaFormat("AVI", "an AVI video", "video/x-msvideo", "avi divx").when(isRIFF("AVI ")).ending(endOfRIFF),
		mediaFormat("MPEG", "an MPEG video", "video/mpeg", "mpg mpeg vob m2p").when(begins("\x00\x00\x01\xba")),
		mediaFormat("MPEG video stream", "an MPEG video stream", "video/mpv", "m2v m1v mpv").when(begins("\x00\x00\x01\xb3")),
		mediaFormat("MPEG-TS", "an MPEG transport stream", "video/mp2t", "ts mts m2ts m2t").when(isTransport),
		mediaFormat("Flash", "a Flash video", "video/x-flv", "flv").when(begins("FLV\x01")),
		mediaFormat("WMV", "a Windows Media video", "video/x-ms-wmv", "wmv asf").in(asf, hasVideoOfASF),
		mediaFormat("WMA", "a Windows Media audio file", "audio/x-ms-wma", "wma").in(asf, any),
		mediaFormat("Ogg video", "an Ogg video", "video/ogg", "ogv").in(ogg, hasTheora),
		mediaFormat("Ogg", "an Ogg audio file", "audio/ogg", "ogg oga opus spx").shown().in(ogg, any),
		mediaFormat("MXF", "an MXF video", "application/mxf", "mxf").
			when(begins("\x06\x0e\x2b\x34\x02\x05\x01\x01\x0d\x01\x02\x01\x01\x02")),
		mediaFormat("DV", "a DV video", "video/x-dv", "dv dif").when(isDV),
	}
}

// mediaFormat returns a video or audio format.
func mediaFormat(name, phrase, mime, extensions string) format {
	f := format{
		Type:   Type{MIME: mime, Name: name, Phrase: phrase, Extensions: strings.Fields(extensions), Category: dam.CategoryVideo},
		header: unknownSize, engine: &byEngine{name: "ffmpeg", format: name, ranges: true}, says: videoTags,
	}
	if strings.HasPrefix(mime, "audio/") {
		f.Category, f.says = dam.CategoryAudio, audioTags
	}
	return f
}

// shown marks a format that browsers play.
func (f format) shown() format {
	f.Showable = true
	return f
}

func (f format) when(is func(source, []byte) bool) format {
	f.is = is
	return f
}

// ending sets a function that determines, from the structure of a file, the minimum size it
// must have.
func (f format) ending(end func(source) (int64, error)) format {
	f.header = func(s source) (header, error) {
		at, err := end(s)
		if _, isRead := errors.AsType[*readError](err); isRead {
			return header{}, err
		}
		if at > s.size {
			return header{warning: "The file ends too early."}, nil
		}
		return header{}, nil
	}
	return f
}

// family is a container shared by several formats, with all their extensions. Since
// programs use containers loosely, a file with one of the extensions has the format of its
// extension; others are detected by their content.
type family struct {
	is         func(source, []byte) bool
	extensions []string
}

// in adds a format to a family. Files without an extension of the family belong to the
// first format for which member is true.
func (f format) in(c family, member func(source, []byte) bool) format {
	own := f.Extensions
	f.is = func(s source, head []byte) bool {
		ext := extension(s)
		if slices.Contains(c.extensions, ext) {
			return slices.Contains(own, ext) && c.is(s, head)
		}
		return c.is(s, head) && member(s, head)
	}
	return f
}

// position6709 matches a position in ISO 6709 format: latitude, longitude and optionally
// height, in degrees.
var position6709 = regexp.MustCompile(`^([+-]\d{1,2}(?:\.\d+)?)([+-]\d{1,3}(?:\.\d+)?)([+-]\d+(?:\.\d+)?)?`)

// place6709 parses a position into a location and the content of technical.gps.
func place6709(s string) (*dam.Location, map[string]any) {
	m := position6709.FindStringSubmatch(s)
	if m == nil {
		return nil, nil
	}
	lat, err := strconv.ParseFloat(m[1], 64)
	long, err2 := strconv.ParseFloat(m[2], 64)
	if err != nil || err2 != nil || lat == 0 && long == 0 || math.Abs(lat) > 90 || math.Abs(long) > 180 {
		return nil, nil
	}
	lat, long = round6(lat), round6(long)
	gps := map[string]any{"latitude": lat, "longitude": long}
	if height, err := strconv.ParseFloat(m[3], 64); err == nil && math.Abs(height) < 100_000 {
		gps["altitude"] = height
	}
	return &dam.Location{Latitude: &lat, Longitude: &long}, gps
}

// describeMedia adds an engine's results for a video or audio file to the metadata.
func describeMedia(h *header, m *metadata, look *engine.Look) {
	h.warning = first(h.warning, look.Warning)
	if m.copyright == "" {
		m.copyright = cleanText(look.Copyright)
	}
	if place, gps := place6709(look.Place); place != nil && m.location == nil {
		m.location, m.technical["gps"] = place, gps
	}
	maps.Copy(m.technical, look.Facts)
}

// durationOf returns the duration of a video or audio file, to the millisecond; 0 if
// unknown.
func durationOf(look *engine.Look) time.Duration {
	if !(look.Seconds > 0 && look.Seconds < 1e8) {
		return 0
	}
	return time.Duration(math.Round(look.Seconds*1000)) * time.Millisecond
}

// typeOf returns the type of a file, whose category may depend on its content.
func typeOf(f format, look *engine.Look) Type {
	t := f.Type
	if f.engine != nil && f.engine.name == "ffmpeg" && look != nil {
		if t.Category = dam.CategoryVideo; look.Sound {
			t.Category = dam.CategoryAudio
		}
	}
	return t
}
