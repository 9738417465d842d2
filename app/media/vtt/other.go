package vtt

import (
	"regexp"
	"strings"
)

// firstSubRip is how a file of SubRip begins: with the number of a cue and its times.
var firstSubRip = regexp.MustCompile(`^\s*\d+[ \t]*\r?\n[ \t]*` + subRipTimes)

const subRipTimes = `(\d{1,2}):([0-5]\d):([0-5]\d)[,.](\d{1,3})[ \t]*-->[ \t]*(\d{1,2}):([0-5]\d):([0-5]\d)[,.](\d{1,3})`

var subRipLine = regexp.MustCompile(`(?m)^[ \t]*` + subRipTimes + `.*$`)

// IsSubRip reports whether a text, or its beginning, is of SubRip.
func IsSubRip(text string) bool { return firstSubRip.MatchString(text) }

// override is what SubStation Alpha has among the text, and SubRip too now and then: {\an8}.
var override = regexp.MustCompile(`\{\\[^{}]*\}`)

// fontTag is a tag of SubRip that WebVTT does not have.
var fontTag = regexp.MustCompile(`(?i)</?font[^<>]*>`)

// asVTT writes the times of SubRip as those of WebVTT, and leaves out what else that does not have.
func asVTT(text string) string {
	text = subRipLine.ReplaceAllStringFunc(text, func(line string) string {
		m := subRipLine.FindStringSubmatch(line)
		return subRipStamp(m[1:5]) + " --> " + subRipStamp(m[5:9])
	})
	return fontTag.ReplaceAllString(override.ReplaceAllString(text, ""), "")
}

// subRipStamp writes hours, minutes, seconds and a fraction of a second.
func subRipStamp(part []string) string {
	return pad(part[0], 2) + ":" + part[1] + ":" + part[2] + "." + (part[3] + "00")[:3]
}

func pad(digits string, n int) string { return strings.Repeat("0", max(0, n-len(digits))) + digits }

// IsSSA reports whether a text, or its beginning, is of SubStation Alpha.
func IsSSA(text string) bool {
	first, _, _ := strings.Cut(strings.TrimLeft(text, " \t\r\n"), "\n")
	return strings.EqualFold(strings.TrimSpace(first), "[Script Info]")
}

// ssaTime is how SubStation Alpha writes times: with hundredths of a second.
var ssaTime = regexp.MustCompile(`^(\d{1,2}):([0-5]\d):([0-5]\d)\.(\d{2})$`)

// readSSA reads the dialogue of SubStation Alpha, versions 4 and 4+. Its columns are in the order that the line
// Format says; the text is the last one, and has commas of its own.
func readSSA(text string) ([]Cue, error) {
	var cues []Cue
	start, end, last := 1, 2, 9 // where most files have them
	for line := range strings.Lines(text) {
		name, rest, _ := strings.Cut(strings.TrimSpace(line), ":")
		switch strings.ToLower(name) {
		case "format":
			columns := strings.Split(strings.ToLower(rest), ",")
			if strings.TrimSpace(columns[len(columns)-1]) != "text" {
				continue // that of the styles
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
