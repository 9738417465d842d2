package dam

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func TestIsBot(t *testing.T) {
	t.Parallel()
	for agent, want := range map[string]bool{
		"": true, " ": true,
		"Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)":                                      true,
		"facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)":                                     true,
		"Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)":                                                    true,
		"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/139.0.0.0 Safari/537.36": true,
		"curl/8.14.1": true,
		"Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0":                                                    false,
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/139.0.0.0 Safari/537.36":           false,
		"Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/604.1": false,
	} {
		if IsBot(agent) != want {
			t.Errorf("%q: %v", agent, !want)
		}
	}
}

func TestDay(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Day{"1970-01-01": 0, "1970-01-02": 1, "1969-12-31": -1, "2026-11-23": 20780} {
		if got, err := ParseDay(text); err != nil || got != want || got.String() != text {
			t.Errorf("%s is day %d, %v", text, got, err)
		}
	}
	end := time.Date(2026, 11, 23, 23, 59, 59, 999_999_999, time.UTC)
	if DayOf(end) != 20780 || DayOf(end.Add(1)) != 20781 {
		t.Error(DayOf(end))
	}
}

func FuzzQueryText(f *testing.F) {
	for _, q := range []string{"", "  Harbour \t DAWN ", "harbour\u202edawn", strings.Repeat("ä ", 100), "\xff", "İstanbul"} {
		f.Add(q)
	}
	f.Fuzz(func(t *testing.T, q string) {
		text := QueryText(q)
		if !utf8.ValidString(text) || utf8.RuneCountInString(text) > MaxKeptQuery || strings.Contains(text, "  ") ||
			strings.TrimSpace(text) != text {
			t.Errorf("%q became %q", q, text)
		}
	})
}
