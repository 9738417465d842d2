package web

import (
	"regexp"
	"strconv"
	"strings"
)

// fieldPath turns huma's "query.per_page" or "body.tags[0].name" into the path
// as the client wrote it: "per_page", "tags.0.name".
func fieldPath(loc, msg string) string {
	_, field, _ := strings.Cut(loc, ".")
	field = strings.NewReplacer("[", ".", "]", "").Replace(field)
	if p, ok := strings.CutPrefix(msg, "expected required property "); ok { // told of the parent
		p = strings.TrimSuffix(p, " to be present")
		field = strings.TrimPrefix(field+"."+p, ".")
	}
	if field == "" {
		return "body"
	}
	return field
}

// subject begins a sentence about a field: "The per page field".
func subject(field string) string {
	if field == "field" || strings.HasSuffix(field, ".field") {
		return "The member " + label(field)
	}
	return "The " + label(field) + " field"
}

// label is how messages name a field: its path as people write it.
func label(field string) string { return strings.ReplaceAll(field, "_", " ") }

// bounds are the beginnings of huma's phrases that end with a number, with what
// they mean.
var bounds = []struct{ phrase, before, after string }{
	{"expected number <= ", "must not be greater than ", ""},
	{"expected number >= ", "must be at least ", ""},
	{"expected number < ", "must be less than ", ""},
	{"expected number > ", "must be greater than ", ""},
	{"expected number to be a multiple of ", "must be a multiple of ", ""},
	{"expected length <= ", "must not have more characters than ", ""},
	{"expected length >= ", "must not have fewer characters than ", ""},
	{"expected array length <= ", "must not have more items than ", ""},
	{"expected array length >= ", "must not have fewer items than ", ""},
	{"expected object with at most ", "must not have more members than ", " properties"},
	{"expected object with at least ", "must not have fewer members than ", " properties"},
}

// kinds are huma's phrases for values of a wrong type or form, with what the
// field must be.
var kinds = map[string]string{
	"expected integer": "an integer", "invalid integer": "an integer",
	"expected number": "a number", "invalid float": "a number", "invalid floating value": "a number",
	"expected string": "a string", "expected array": "a list", "expected object": "an object",
	"expected boolean": "true or false", "invalid boolean": "true or false",
	"expected string to be RFC 3339 date-time": "a date and time such as 2026-01-31T12:00:00Z",
	"expected string to be RFC 3339 date":      "a date such as 2026-01-31",
}

// forms are kinds that huma says more of.
var forms = []struct{ phrase, be string }{
	{"expected string to be RFC 4122 uuid", "a UUID such as 01980a3c-54f0-7c3e-9b1a-6f2d5c7e8a90"},
	{"expected string to be RFC 5322 email", "an e-mail address"},
	{"expected string to be RFC 3986 uri", "a URL"},
	{"expected string to be regex", "a regular expression"},
	{"invalid date/time for format", "a date and time such as 2026-01-31T12:00:00Z"},
}

// alternatives are what fields with values of several types must be, by the end
// of their paths.
var alternatives = map[string]string{
	"min":           "a number or a date",
	"max":           "a number or a date",
	"default_value": "a string, a number, true, false or a list of strings",
	"filters":       "an object, or a string that has one",
}

// plainName is the name of a field that can stand in a sentence as it is.
var plainName = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,100}$`)

// fieldMessage says in a sentence what huma says in a phrase.
func fieldMessage(field, msg string) string {
	if strings.HasPrefix(msg, "expected required property") || strings.HasPrefix(msg, "required ") {
		return subject(field) + " is required."
	}
	if msg == "unexpected property" {
		if !plainName.MatchString(field) {
			return "There is no field " + strconv.Quote(clip(field, 100)) + "."
		}
		return "There is no field " + field + "."
	}
	if msg == twiceThere {
		return subject(field) + " is there twice."
	}
	if rest, ok := strings.CutPrefix(msg, tooManyValues); ok {
		return subject(field) + " must not have more than " + rest + " values in all."
	}
	if rest, ok := strings.CutPrefix(msg, "expected value to be one of "); ok {
		return "The selected " + label(field) + " is invalid; it must be one of " + rest + "."
	}
	for _, b := range bounds {
		if rest, ok := strings.CutPrefix(msg, b.phrase); ok {
			return subject(field) + " " + b.before + plainNumber(strings.TrimSuffix(rest, b.after)) + "."
		}
	}
	if be, ok := kinds[msg]; ok {
		return subject(field) + " must be " + be + "."
	}
	for _, f := range forms {
		if strings.HasPrefix(msg, f.phrase) {
			return subject(field) + " must be " + f.be + "."
		}
	}
	if strings.HasPrefix(msg, "expected value to match") {
		if be, ok := alternatives[field[strings.LastIndexByte(field, '.')+1:]]; ok {
			return subject(field) + " must be " + be + "."
		}
	}
	if be, ok := strings.CutPrefix(msg, "expected string to be "); ok { // a pattern's description
		return subject(field) + " must be " + be + "."
	}
	return subject(field) + " is invalid." // what else there is to say is for programmers
}

// plainNumber writes a number without an exponent.
func plainNumber(s string) string {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return s
	}
	return strconv.FormatFloat(f, 'f', -1, 64)
}
