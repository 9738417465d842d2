package dam

import (
	"regexp"
	"strings"
)

// TrackKind is the kind of a text track.
type TrackKind string

// The kinds of tracks.
const (
	TrackCaptions  TrackKind = "captions"  // transcript of all sounds
	TrackSubtitles TrackKind = "subtitles" // translation of the dialog
	TrackChapters  TrackKind = "chapters"
)

// Values lists the kinds of tracks.
func (TrackKind) Values() []TrackKind {
	return []TrackKind{TrackCaptions, TrackSubtitles, TrackChapters}
}

// The limits of the tracks of an embed.
const (
	MaxTracks        = 20
	MaxTrackLabel    = 100 // characters
	MaxTrackLanguage = 35
)

// EmbedTrack is a text track in the player of an embed. Its content is the captions file of
// another asset.
type EmbedTrack struct {
	GAID     GAID
	Kind     TrackKind
	Language string // BCP 47, such as de or pt-BR
	Label    string // 1 to MaxTrackLabel characters
}

var languageTag = regexp.MustCompile(`^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$`)

// checkedTracks validates and returns the tracks of an embed.
func checkedTracks(list []EmbedTrack, p *Problems) []EmbedTrack {
	if !p.items("tracks", len(list), MaxTracks) {
		return nil
	}
	var tracks []EmbedTrack
	chapters := false
	for i, t := range list {
		at := "tracks." + itoa(i) + "."
		t.Label = strings.TrimSpace(t.Label)
		oneOf(p, at+"kind", t.Kind, Values[TrackKind]())
		if t.Kind == TrackChapters && chapters {
			p.Add(at+"kind", "A video has chapters only once.")
		}
		chapters = chapters || t.Kind == TrackChapters
		if len(t.Language) > MaxTrackLanguage || !languageTag.MatchString(t.Language) {
			p.Add(at+"language", "The language must be a code such as de or pt-BR.")
		}
		before := p.count()
		if p.length(at+"label", t.Label, 1, MaxTrackLabel); p.count() == before {
			p.seen(at+"label", t.Label, false)
		}
		tracks = append(tracks, t)
	}
	return tracks
}
