// Package vtt reads captions and chapters in WebVTT, https://www.w3.org/TR/webvtt1, SubRip and
// SubStation Alpha, and writes WebVTT: only cues with their times, settings and text.
package vtt

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// The MIME types of the files.
const (
	MIME   = "text/vtt"
	SubRip = "application/x-subrip"
	SSA    = "text/x-ssa"
)

// Reads reports whether files of a type can be read.
func Reads(mime string) bool { return mime == MIME || mime == SubRip || mime == SSA }

// The limits of a file.
const (
	MaxSize = 4 << 20 // bytes
	maxCues = 50_000
	maxText = 4000 // bytes per cue
	maxTime = 100 * time.Hour
)

// ErrNotVTT is returned for a text of another format, or one that exceeds the limits.
var ErrNotVTT = errors.New("these are no captions")

// Cue is a text that is shown for a period of time.
type Cue struct {
	From, To time.Duration
	Settings string // position on the screen
	Text     string // lines, with the tags of WebVTT
}

// setting matches a cue setting (WebVTT, section 4.4).
var setting = regexp.MustCompile(`^(vertical:(rl|lr)|align:(start|center|end|left|right)|size:\d{1,3}(\.\d{1,6})?%|` +
	`line:-?\d{1,3}(\.\d{1,6})?%?(,(start|center|end))?|position:\d{1,3}(\.\d{1,6})?%(,(line-left|center|line-right))?)$`)

// Read reads the cues of a file. Like players, it skips invalid ones. Notes, styles and
// regions are ignored.
func Read(r io.Reader) ([]Cue, error) {
	data, err := io.ReadAll(io.LimitReader(r, MaxSize+1))
	if err != nil {
		return nil, err
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if len(data) > MaxSize || !utf8.Valid(data) {
		return nil, ErrNotVTT
	}
	text := strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(string(data))
	if IsSSA(text) {
		return readSSA(text)
	}
	if IsSubRip(text) {
		text = "WEBVTT\n\n" + asVTT(text)
	}
	head, ok := strings.CutPrefix(text, "WEBVTT")
	if !ok || head != "" && !strings.ContainsRune(" \t\n", rune(head[0])) {
		return nil, ErrNotVTT
	}
	_, text, _ = strings.Cut(head, "\n")
	lines := strings.Split(text, "\n")
	for len(lines) > 0 && lines[0] != "" && !strings.Contains(lines[0], "-->") { // the rest of the header
		lines = lines[1:]
	}
	var cues []Cue
	for len(lines) > 0 {
		n := 0
		for n < len(lines) && lines[n] != "" {
			n++
		}
		if c, ok := cueOf(lines[:n]); ok {
			if cues = append(cues, c); len(cues) > maxCues {
				return nil, ErrNotVTT
			}
		}
		lines = lines[min(n+1, len(lines)):]
	}
	return cues, nil
}

// cueOf parses a block of lines.
func cueOf(block []string) (c Cue, ok bool) {
	if len(block) > 1 && !strings.Contains(block[0], "-->") { // an identifier
		block = block[1:]
	}
	if len(block) < 2 {
		return c, false
	}
	from, rest, ok := strings.Cut(block[0], "-->")
	words := strings.Fields(rest)
	if !ok || len(words) == 0 {
		return c, false
	}
	var ok2 bool
	c.From, ok = at(strings.TrimSpace(from))
	c.To, ok2 = at(words[0])
	if !ok || !ok2 || c.To <= c.From {
		return c, false
	}
	var settings []string
	for _, w := range words[1:] {
		if setting.MatchString(w) && len(settings) < 5 {
			settings = append(settings, w)
		}
	}
	c.Settings = strings.Join(settings, " ")
	text := strings.Map(func(r rune) rune {
		if r != '\n' && unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.Join(block[1:], "\n"))
	c.Text = strings.ReplaceAll(text, "-->", "→")
	return c, len(c.Text) <= maxText && strings.TrimSpace(c.Text) != ""
}

// times matches a time (WebVTT, section 4.3).
var times = regexp.MustCompile(`^(?:(\d{2,3}):)?([0-5]\d):([0-5]\d)\.(\d{3})$`)

func at(s string) (time.Duration, bool) {
	m := times.FindStringSubmatch(s)
	if m == nil {
		return 0, false
	}
	var n [4]int
	for i, digits := range m[1:] {
		n[i], _ = strconv.Atoi(digits) // digits, or empty
	}
	d := time.Duration(n[0])*time.Hour + time.Duration(n[1])*time.Minute + time.Duration(n[2])*time.Second +
		time.Duration(n[3])*time.Millisecond
	return d, d < maxTime
}

// Write writes cues as a WebVTT file.
func Write(w io.Writer, cues []Cue) error {
	b := bufio.NewWriter(w)
	fmt.Fprint(b, "WEBVTT\n")
	for _, c := range cues {
		fmt.Fprintf(b, "\n%s --> %s", stamp(c.From), stamp(c.To))
		if c.Settings != "" {
			fmt.Fprint(b, " ", c.Settings)
		}
		fmt.Fprintf(b, "\n%s\n", c.Text)
	}
	return b.Flush()
}

func stamp(d time.Duration) string {
	ms := d.Milliseconds()
	return fmt.Sprintf("%02d:%02d:%02d.%03d", ms/3_600_000, ms/60_000%60, ms/1000%60, ms%1000)
}

var tags = regexp.MustCompile(`<[^<>]*>`)

// Plain returns the text of a cue on one line without tags.
func (c Cue) Plain() string {
	text := strings.NewReplacer("&lt;", "<", "&gt;", ">", "&nbsp;", " ", "&lrm;", "", "&rlm;", "", "&amp;", "&").
		Replace(tags.ReplaceAllString(c.Text, ""))
	return strings.Join(strings.Fields(text), " ")
}
