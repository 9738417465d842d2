package web

import (
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/gorilla/mux"

	"github.com/digital-asset-library/dal/app/dam"
)

// EmbedTrack is a text track of a player.
type EmbedTrack struct {
	GAID     dam.GAID      `json:"gaid" example:"01KB3J8Q5V7X9Z1B3D5F7H9K1M"`
	Kind     dam.TrackKind `json:"kind" example:"captions"`
	Language string        `json:"language" minLength:"2" maxLength:"35" example:"en"`
	Label    string        `json:"label" minLength:"1" maxLength:"100" example:"English"`
}

func toTracks(list []dam.EmbedTrack) []EmbedTrack {
	all := make([]EmbedTrack, len(list))
	for i, t := range list {
		all[i] = EmbedTrack(t)
	}
	return all
}

func fromTracks(list []EmbedTrack) []dam.EmbedTrack {
	all := make([]dam.EmbedTrack, len(list))
	for i, t := range list {
		all[i] = dam.EmbedTrack(t)
	}
	return all
}

// embedTrackView is a text track on a player's page.
type embedTrackView struct {
	Kind                  dam.TrackKind
	Path, Language, Label string
}

// embedChapter links to a position in a video.
type embedChapter struct{ Start, Time, Title string }

// maxChapters is the maximum number of chapters on a player's page.
const maxChapters = 500

// addTracks adds an embed's text tracks and chapters to its player's page.
func (s *Server) addTracks(r *http.Request, v *embedView, share *dam.Share, page string) error {
	list, err := s.app.Guests.EmbedTracks(r.Context(), share)
	if err != nil {
		return err
	}
	for _, t := range list {
		v.Tracks = append(v.Tracks, embedTrackView{t.Kind, fmt.Sprintf("%s/tracks/%d", page, t.Number), t.Language, t.Label})
		if t.Kind != dam.TrackChapters {
			continue
		}
		cues, err := s.app.Guests.Cues(r.Context(), t)
		if err != nil { // the video can still be played
			s.log.WarnContext(r.Context(), "the chapters of an embed cannot be read", "gaid", t.GAID, "err", err)
			continue
		}
		for _, c := range cues[:min(len(cues), maxChapters)] {
			v.Chapters = append(v.Chapters, embedChapter{
				Start: strconv.FormatFloat(c.From.Seconds(), 'f', -1, 64), Time: playTime(c.From), Title: c.Plain(),
			})
		}
	}
	return nil
}

// playTime formats a time as in players.
func playTime(d time.Duration) string {
	s := int(d.Seconds())
	if s < 3600 {
		return fmt.Sprintf("%d:%02d", s/60, s%60)
	}
	return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
}

func (s *Server) embedTrack(w http.ResponseWriter, r *http.Request) {
	text := mux.Vars(r)["n"]
	n, err := strconv.Atoi(text)
	if err != nil || strconv.Itoa(n) != text {
		n = 0 // matches no track
	}
	f, err := s.app.Guests.EmbedTrack(r.Context(), mux.Vars(r)["token"], n)
	if err != nil {
		s.embedError(w, r, err)
		return
	}
	s.sendGuest(w, r, f, true)
}
