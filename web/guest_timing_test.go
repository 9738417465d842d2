package web_test

import (
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/web"
)

// Response times reveal nothing: not whether a share ever existed, not how close a password
// was, not whether an address is admitted. DAL_TIMING is the number of samples of each
// kind, 1000 for a verdict; without it the test is skipped. The distributions are compared
// with the Mann-Whitney test: without a difference, |z| is below 3.3 in 999 of 1,000
// runs.
func TestGuestTiming(t *testing.T) {
	samples, err := strconv.Atoi(os.Getenv("DAL_TIMING"))
	if err != nil || samples < 1 {
		t.Skip("DAL_TIMING is not set")
	}
	m := newMailServer(t)
	m.news = make(chan struct{}, 2*samples+100)
	s, clock := standing(t, func(c *app.Config, _ *web.Options) { c.SMTP = m.url })
	gaid := s.pictures(t, 1)[0]
	soon := clock.now().UTC().Add(time.Minute).Format(time.RFC3339)
	path, revoked := s.share(t, shareOf("", gaid))
	s.do(t, "DELETE", path, "").want(t, 200)
	_, expired := s.share(t, shareOf(`,"expires_at":"`+soon+`"`, gaid))
	clock.ahead.Add(int64(time.Hour))
	g := s.guest(t)
	pages := map[string]func() answer{"wrong": func() answer { return g.get(t, "/s/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA") }}
	for name, page := range map[string]string{"revoked": revoked, "expired": expired} {
		pages[name] = func() answer { return g.get(t, page) }
	}
	compareTimes(t, samples, 404, nil, pages)

	_, locked := s.share(t, shareOf(`,"password":"harbour at dawn"`, gaid))
	g = s.guest(t)
	g.get(t, locked)
	tries := map[string]func() answer{}
	for name, typed := range map[string]string{
		"one letter off": "harbour at dawm", "another": "x",
	} {
		tries[name] = func() answer { return g.answers(t, locked, "password", typed) }
	}
	compareTimes(t, samples, 422, clock, tries)

	_, asking := s.share(t, shareOf(`,"access":{"emails":["bo@example.com"]}`, gaid))
	emails := map[string]func() answer{}
	for _, email := range []string{"bo@example.com", "no@example.com"} {
		emails[email] = func() answer { return s.guest(t).answers(t, asking, "email", email) }
	}
	compareTimes(t, samples, 303, clock, emails)
}

// compareTimes sends requests in random order and compares the response times. The clock
// advances between them to stay below the rate limits.
func compareTimes(t *testing.T, samples, status int, clock *clock, ask map[string]func() answer) {
	t.Helper()
	took := map[string][]float64{}
	names := make([]string, 0, len(ask))
	for name := range ask {
		names = append(names, name)
	}
	for i := range samples + 20 { // the first ones warm up
		rand.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
		for _, name := range names {
			if clock != nil {
				clock.ahead.Add(int64(11 * time.Minute))
			}
			start := time.Now()
			a := ask[name]()
			if elapsed := time.Since(start); i >= 20 {
				took[name] = append(took[name], float64(elapsed.Microseconds()))
			}
			a.want(t, status)
		}
	}
	slices.Sort(names)
	for i, a := range names {
		sorted := slices.Sorted(slices.Values(took[a]))
		n := len(sorted)
		t.Logf("%-16s median %.0f µs, quartiles %.0f and %.0f", a, sorted[n/2], sorted[n/4], sorted[3*n/4])
		for _, b := range names[i+1:] {
			if z := mannWhitney(took[a], took[b]); math.Abs(z) > 3.3 {
				t.Errorf("%s and %s differ: z = %.1f", a, b, z)
			} else {
				t.Logf("%s and %s: z = %.2f", a, b, z)
			}
		}
	}
}

// mannWhitney returns the difference of two samples in standard deviations of the
// Mann-Whitney test.
func mannWhitney(a, b []float64) float64 {
	type value struct {
		of float64
		a  bool
	}
	all := make([]value, 0, len(a)+len(b))
	for _, v := range a {
		all = append(all, value{v, true})
	}
	for _, v := range b {
		all = append(all, value{v, false})
	}
	slices.SortFunc(all, func(x, y value) int {
		switch {
		case x.of < y.of:
			return -1
		case x.of > y.of:
			return 1
		}
		return 0
	})
	var sum float64
	for i := 0; i < len(all); {
		j := i
		for j < len(all) && all[j].of == all[i].of {
			j++
		}
		for _, v := range all[i:j] { // ties share their ranks
			if v.a {
				sum += float64(i+j+1) / 2
			}
		}
		i = j
	}
	n, m := float64(len(a)), float64(len(b))
	return (sum - n*(n+1)/2 - n*m/2) / math.Sqrt(n*m*(n+m+1)/12)
}
