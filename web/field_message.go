package web

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// fieldPath converts huma's "query.per_page" or "body.tags[0].name" to the client's
// spelling: "per_page", "tags.0.name".
func fieldPath(loc, msg string) string {
	_, field, _ := strings.Cut(loc, ".")
	field = strings.NewReplacer("[", ".", "]", "").Replace(field)
	if p, ok := strings.CutPrefix(msg, "expected required property "); ok { // reported at the parent
		p = strings.TrimSuffix(p, " to be present")
		field = strings.TrimPrefix(field+"."+p, ".")
	}
	if field == "" {
		return "body"
	}
	return field
}

// bounds maps huma's phrases with a number to our messages. unit is the suffix of the
// phrase.
var bounds = []struct{ phrase, unit, meaning string }{
	{"expected number <= ", "", "may not be greater than %s"},
	{"expected number >= ", "", "may not be less than %s"},
	{"expected number < ", "", "must be less than %s"},
	{"expected number > ", "", "must be greater than %s"},
	{"expected number to be a multiple of ", "", "must be a multiple of %s"},
	{"expected length <= ", "", "may not have more than %s characters"},
	{"expected length >= ", "", "must have at least %s characters"},
	{"expected array length <= ", "", "may not have more than %s items"},
	{"expected array length >= ", "", "must have at least %s items"},
	{"expected object with at most ", " properties", "may not have more than %s members"},
	{"expected object with at least ", " properties", "must have at least %s members"},
	{tooManyValues, "", "may not have more than %s values in all"},
}

// kinds maps huma's phrases for values of a wrong type or format to the requirement.
var kinds = map[string]string{
	"expected integer": "an integer", "invalid integer": "an integer",
	"expected number": "a number", "invalid float": "a number", "invalid floating value": "a number",
	"expected string": "a string", "expected array": "a list", "expected object": "an object",
	"expected boolean": "true or false", "invalid boolean": "true or false",
	"expected string to be RFC 3339 date-time": "a date and time such as 2026-01-31T12:00:00Z",
	"expected string to be RFC 3339 date":      "a date such as 2026-01-31",
}

// forms are kinds whose phrases huma continues with details.
var forms = []struct{ phrase, be string }{
	{"expected string to be RFC 4122 uuid", "a UUID such as 01980a3c-54f0-7c3e-9b1a-6f2d5c7e8a90"},
	{"expected string to be RFC 5322 email", "an e-mail address"},
	{"expected string to be RFC 3986 uri", "a URL"},
	{"expected string to be regex", "a regular expression"},
	{"invalid date/time for format", "a date and time such as 2026-01-31T12:00:00Z"},
}

// alternatives are the requirements for fields with values of several types, by the end of
// their paths.
var alternatives = map[string]string{
	"min":           "a number or a date",
	"max":           "a number or a date",
	"default_value": "a string, a number, true, false or a list of strings",
	"filters":       "an object, or a string that has one",
}

// plainName matches field names that can be used in a sentence without quotes.
var plainName = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,100}$`)

// fieldMessage converts a phrase of huma to a sentence.
func fieldMessage(field, msg string) string {
	switch {
	case strings.HasPrefix(msg, "expected required property"), strings.HasPrefix(msg, "required "):
		return field + " is required."
	case msg == "unexpected property" && !plainName.MatchString(field):
		return "There is no field " + strconv.Quote(clip(field, 100)) + "."
	case msg == "unexpected property":
		return "There is no field " + field + "."
	case msg == twiceThere:
		return field + " occurs twice."
	}
	if words, ok := strings.CutPrefix(msg, "expected value to be one of "); ok {
		return "The selected " + field + " is invalid; it must be one of " + strings.Trim(words, `"`) + "."
	}
	if is := meaning(field, msg); is != "" {
		return field + " " + is + "."
	}
	return field + " is invalid." // any further details are for programmers
}

// meaning converts a phrase of huma to a requirement in plain words; it returns "" for an
// unknown phrase.
func meaning(field, msg string) string {
	for _, b := range bounds {
		if number, ok := strings.CutPrefix(msg, b.phrase); ok {
			number = plainNumber(strings.TrimSuffix(number, b.unit))
			is := fmt.Sprintf(b.meaning, number)
			if number == "1" {
				is = strings.TrimSuffix(is, "s")
			}
			return is
		}
	}
	if be, ok := kinds[msg]; ok {
		return "must be " + be
	}
	for _, f := range forms {
		if strings.HasPrefix(msg, f.phrase) {
			return "must be " + f.be
		}
	}
	if strings.HasPrefix(msg, "expected value to match") {
		if be, ok := alternatives[field[strings.LastIndexByte(field, '.')+1:]]; ok {
			return "must be " + be
		}
	}
	if be, ok := strings.CutPrefix(msg, "expected string to be "); ok { // the description of a pattern
		return "must be " + be
	}
	return ""
}

// plainNumber formats a number without an exponent.
func plainNumber(s string) string {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return s
	}
	return strconv.FormatFloat(f, 'f', -1, 64)
}
