package vtt

import (
	"regexp"
	"strings"
)

// firstSubRip matches the beginning of a SubRip file: the number of a cue and its times.
var firstSubRip = regexp.MustCompile(`^\s*\d+[ \t]*\r?\n[ \t]*` + subRipTimes)

const subRipTimes = `(\d{1,2}):([0-5]\d):([0-5]\d)[,.](\d{1,3})[ \t]*-->[ \t]*(\d{1,2}):([0-5]\d):([0-5]\d)[,.](\d{1,3})`

var subRipLine = regexp.MustCompile(`(?m)^[ \t]*` + subRipTimes + `.*$`)

// IsSubRip reports whether a text, or its beginning, is SubRip.
func IsSubRip(text string) bool { return firstSubRip.MatchString(text) }

// override matches an override tag of SubStation Alpha, such as {\an8}, which also occurs
// in SubRip.
var override = regexp.MustCompile(`\{\\[^{}]*\}`)

// fontTag matches a SubRip tag that WebVTT does not support.
var fontTag = regexp.MustCompile(`(?i)</?font[^<>]*>`)

// asVTT converts SubRip times to WebVTT, and removes everything that WebVTT does not
// support.
func asVTT(text string) string {
	text = subRipLine.ReplaceAllStringFunc(text, func(line string) string {
		m := subRipLine.FindStringSubmatch(line)
		return subRipStamp(m[1:5]) + " --> " + subRipStamp(m[5:9])
	})
	return fontTag.ReplaceAllString(override.ReplaceAllString(text, ""), "")
}

// subRipStamp formats hours, minutes, seconds and a fraction of a second.
func subRipStamp(part []string) string {
	return pad(part[0], 2) + ":" + part[1] + ":" + part[2] + "." + (part[3] + "00")[:3]
}

func pad(digits string, n int) string { return strings.Repeat("0", max(0, n-len(digits))) + digits }

// IsSSA reports whether a text, or its beginning, is SubStation Alpha.
func IsSSA(text string) bool {
	first, _, _ := strings.Cut(strings.TrimLeft(text, " \t\r\n"), "\n")
	return strings.EqualFold(strings.TrimSpace(first), "[Script Info]")
}

// ssaTime matches a time in SubStation Alpha, with hundredths of a second.
var ssaTime = regexp.MustCompile(`^(\d{1,2}):([0-5]\d):([0-5]\d)\.(\d{2})$`)

// readSSA reads the dialogue of SubStation Alpha, versions 4 and 4+. The Format line
// defines the order of its columns; the text is the last one and may contain commas.
func readSSA(text string) ([]Cue, error) {
	var cues []Cue
	start, end, last := 1, 2, 9 // the usual columns
	for line := range strings.Lines(text) {
		name, rest, _ := strings.Cut(strings.TrimSpace(line), ":")
		switch strings.ToLower(name) {
		case "format":
			columns := strings.Split(strings.ToLower(rest), ",")
			if strings.TrimSpace(columns[len(columns)-1]) != "text" {
				continue // the Format line of the styles
			}
			last = len(columns) - 1
			for i, c := range columns {
				switch strings.TrimSpace(c) {
				case "start":
					start = i
				case "end":
					end = i
				}
			}
		case "dialogue":
			values := strings.SplitN(rest, ",", last+1)
			if len(values) <= last || start >= last || end >= last {
				continue
			}
			c, ok := ssaCue(values[start], values[end], values[last])
			if !ok {
				continue
			}
			if cues = append(cues, c); len(cues) > maxCues {
				return nil, ErrNotVTT
			}
		}
	}
	return cues, nil
}

func ssaCue(start, end, text string) (c Cue, ok bool) {
	from, to := ssaTime.FindStringSubmatch(strings.TrimSpace(start)), ssaTime.FindStringSubmatch(strings.TrimSpace(end))
	if from == nil || to == nil {
		return c, false
	}
	text = override.ReplaceAllString(text, "")
	text = strings.NewReplacer(`\N`, "\n", `\n`, "\n", `\h`, " ", "&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(text)
	var lines []string
	for l := range strings.Lines(text) {
		if l = strings.TrimSpace(l); l != "" {
			lines = append(lines, l)
		}
	}
	return cueOf(append([]string{subRipStamp(from[1:]) + " --> " + subRipStamp(to[1:])}, lines...))
}
