package vision

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode"
)

// The limits of a Description.
const (
	maxCaption = 1000 // characters
	maxTags    = 20
	maxTag     = 60     // characters
	maxText    = 20_000 // characters
)

// Description is a model's description of a picture. The rest of its answer is ignored.
type Description struct {
	Caption string   // single line
	Tags    []string // lower case, single lines, without duplicates
	Text    string   // legible text in the picture
}

// parse parses a response.
func parse(answer []byte) (*Description, error) {
	var reply struct {
		Choices []struct {
			Message struct {
				Content *string `json:"content"`
				Refusal string  `json:"refusal"`
			} `json:"message"`
		} `json:"choices"`
	}
	if err := json.Unmarshal(answer, &reply); err != nil {
		return nil, fmt.Errorf("it is no chat completion: %w", err)
	}
	if len(reply.Choices) == 0 || reply.Choices[0].Message.Content == nil {
		if len(reply.Choices) > 0 && reply.Choices[0].Message.Refusal != "" {
			return nil, errors.New("the model refuses: " + reply.Choices[0].Message.Refusal)
		}
		return nil, errors.New("it has no message")
	}
	return read(*reply.Choices[0].Message.Content)
}

// read parses a message: one JSON object, optionally in a Markdown code fence.
func read(message string) (*Description, error) {
	message = strings.TrimSpace(message)
	if inner, ok := strings.CutPrefix(message, "```"); ok {
		inner, ok = strings.CutSuffix(strings.TrimPrefix(inner, "json"), "```")
		if !ok {
			return nil, errors.New("the message is no JSON object")
		}
		message = strings.TrimSpace(inner)
	}
	var said struct {
		Caption *string   `json:"caption"`
		Tags    *[]string `json:"tags"`
		Text    *string   `json:"text"`
	}
	if err := json.Unmarshal([]byte(message), &said); err != nil {
		return nil, fmt.Errorf("the message is not the JSON object that was asked for: %w", err)
	}
	if said.Caption == nil || said.Tags == nil || said.Text == nil {
		return nil, errors.New("the message is without caption, tags or text")
	}
	d := &Description{Caption: cut(line(*said.Caption), maxCaption)}
	seen := map[string]bool{}
	for _, tag := range *said.Tags {
		tag = strings.ToLower(strings.Trim(line(tag), "#\"'.,;: "))
		if n := len([]rune(tag)); n == 0 || n > maxTag || seen[tag] || len(d.Tags) == maxTags {
			continue
		}
		seen[tag] = true
		d.Tags = append(d.Tags, tag)
	}
	var lines []string
	for l := range strings.Lines(*said.Text) {
		lines = append(lines, line(l))
	}
	d.Text = cut(strings.TrimSpace(strings.Join(lines, "\n")), maxText)
	return d, nil
}

// line converts a text to one visible line.
func line(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r), r == unicode.ReplacementChar:
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, ""))
	return strings.Join(strings.Fields(s), " ")
}

// cut truncates s to n characters.
func cut(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}
